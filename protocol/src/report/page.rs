//! The page on which a report is written: the one place that decides how foreign text is shown in it.
//!
//! Knows nothing of results. Lines come from the other modules of the report, composed of our words and of
//! foreign text.

use std::fmt::Display;

use crate::{fence_around, visible_block, visible_line, visible_path};

pub(super) const MARK: &str = "  | ";

#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
}

impl Page {
    /// A line that begins with words of ours. Whatever foreign text is in it cannot end it.
    pub(super) fn line(&mut self, line: impl Display) {
        self.text.push_str(&visible_line(&line.to_string()));
        self.text.push('\n');
    }

    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(super) fn block(&mut self, mark: &str, text: &str) {
        for line in visible_block(text).lines() {
            self.text.push_str(if line.is_empty() { mark.trim_end() } else { mark });
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// A foreign text between fences that are longer than any run of backticks in it.
    pub(super) fn fenced(&mut self, text: &str) {
        let text = visible_block(text);
        let fence = fence_around(&text);
        self.text.push_str(&fence);
        self.text.push('\n');
        self.text.push_str(&text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&fence);
        self.text.push('\n');
    }

    /// A unified diff as it is. A line that no diff has is indented.
    pub(super) fn diff(&mut self, diff: &str) {
        const STARTS: [&str; 14] = [
            " ",
            "+",
            "-",
            "@@ ",
            "\\",
            "diff ",
            "index ",
            "new ",
            "deleted ",
            "old ",
            "rename ",
            "similarity ",
            "copy ",
            "Binary ",
        ];
        for line in visible_block(diff).lines() {
            if !line.is_empty() && !STARTS.iter().any(|start| line.starts_with(start)) {
                self.text.push(' ');
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ReportPaths<'a> {
    root: &'a str,
}

impl<'a> ReportPaths<'a> {
    pub(super) fn new(root: &'a str) -> ReportPaths<'a> {
        ReportPaths { root: root.trim_end_matches('/') }
    }

    pub(super) fn show(&self, path: &str) -> String {
        visible_path(self.relative(path)).into_owned()
    }

    pub(super) fn relative<'p>(&self, path: &'p str) -> &'p str {
        if self.root.is_empty() {
            return path;
        }
        match path.strip_prefix(self.root) {
            Some("" | "/") => ".",
            Some(inside) => inside.strip_prefix('/').unwrap_or(path),
            None => path,
        }
    }

    pub(super) fn in_message(&self, message: &str) -> String {
        if self.root.is_empty() {
            return message.to_owned();
        }
        message.replace(&format!("'{}/", self.root), "'")
    }
}
