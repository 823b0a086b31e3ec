//! Writes markup: elements of our own names, and texts that cannot end them.

use crate::visible_block;

#[derive(Debug)]
pub(super) struct Markup {
    text: String,
}

impl Markup {
    pub(super) fn document(title: &str, style: &str) -> Markup {
        let mut page = Markup {
            text: String::from("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"),
        };
        page.text.push_str(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n",
        );
        page.element("title", "", title);
        page.text.push_str("\n<style>");
        page.text.push_str(style);
        page.text.push_str("</style></head>\n<body>\n");
        page
    }

    pub(super) fn open(&mut self, tag: &'static str) {
        self.text.push('<');
        self.text.push_str(tag);
        self.text.push('>');
    }

    pub(super) fn close(&mut self, name: &'static str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }

    pub(super) fn element(&mut self, name: &'static str, class: &'static str, text: &str) {
        self.text.push('<');
        self.text.push_str(name);
        if !class.is_empty() {
            self.text.push_str(" class=\"");
            self.text.push_str(class);
            self.text.push('"');
        }
        self.text.push('>');
        self.text(text);
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    pub(super) fn block(&mut self, class: &'static str, text: &str) {
        // The first line end behind <pre> is not a text for a reader of HTML.
        self.element("pre", class, text.strip_prefix('\n').unwrap_or(text));
    }

    /// A text: what hides or turns others is shown as words, and nothing in it is markup.
    pub(super) fn text(&mut self, text: &str) {
        for letter in visible_block(text).chars() {
            match letter {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                _ => self.text.push(letter),
            }
        }
    }

    pub(super) fn into_text(mut self) -> String {
        self.text.push_str("</body></html>\n");
        self.text
    }
}
