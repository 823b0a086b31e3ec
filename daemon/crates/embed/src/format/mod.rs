//! The third step: writes the validated files as a document. Pure: values in, text out; it knows no file and
//! no limit.
//!
//! A document is a head, a section for each file, and a tail. A section depends on its file alone, so that
//! sections are made while files are read; the head describes the whole document, so that it is made last.

mod frame;
mod heading;
mod json;
mod language;
mod markdown;
mod notes;
mod tree;
mod xml;

use clada_protocol::{EmbedFormat, EmbedPreamble};

use super::line_ends;
pub(super) use frame::{DocumentFrame, FileView};
pub(super) use notes::DocumentNotes;

#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) format: EmbedFormat,
    pub(super) line_numbers: bool,
}

impl Style {
    pub(super) fn head(self, frame: &DocumentFrame<'_>) -> String {
        match (self.format, frame.preamble) {
            (EmbedFormat::Markdown, EmbedPreamble::Brief) => markdown::brief_head(frame),
            (EmbedFormat::Markdown, EmbedPreamble::Full) => markdown::full_head(frame),
            (EmbedFormat::Xml, _) => xml::head(frame),
            (EmbedFormat::Json, _) => json::head(frame),
        }
    }

    pub(super) fn section(self, file: &FileView<'_>) -> String {
        let numbered = self.line_numbers.then(|| numbered(&file.text.text, file.first_line));
        let content = numbered.as_deref().unwrap_or(&file.text.text);
        match self.format {
            EmbedFormat::Markdown => markdown::section(file, content, self.line_numbers),
            EmbedFormat::Xml => xml::section(file, content, self.line_numbers),
            EmbedFormat::Json => json::section(file, content, self.line_numbers),
        }
    }

    pub(super) fn between(self) -> &'static str {
        if self.format == EmbedFormat::Json { ",\n" } else { "" }
    }

    pub(super) fn tail(self, frame: &DocumentFrame<'_>) -> String {
        match self.format {
            EmbedFormat::Markdown => markdown::tail(frame),
            EmbedFormat::Xml => xml::tail(frame),
            EmbedFormat::Json => json::tail(frame),
        }
    }
}

fn numbered(text: &str, first: usize) -> String {
    use std::fmt::Write as _;
    let mut numbered = String::with_capacity(text.len() + text.len() / 4);
    for (number, line) in line_ends::lines(text).enumerate() {
        let _ = write!(numbered, "{}: {line}", number + first);
    }
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::ShownPath;
    use crate::tokens::Vocabularies;
    use clada_config::Tokenizer;

    #[test]
    fn a_brief_preamble_has_at_most_120_tokens() {
        let vocabularies = Vocabularies::default();
        // With everything that it may say.
        let paths = ["__a__", "b"].map(ShownPath::written);
        let notes = DocumentNotes { line_numbers: true, ..DocumentNotes::default() };
        for seed in 0_u32..50 {
            let nonce = &blake3::hash(&seed.to_le_bytes()).to_hex()[..24];
            for format in [EmbedFormat::Markdown, EmbedFormat::Xml, EmbedFormat::Json] {
                let frame = DocumentFrame {
                    nonce,
                    notes: &notes,
                    files: &paths.each_ref(),
                    omitted: &[],
                    diff: None,
                    tree_only: false,
                    preamble: EmbedPreamble::Brief,
                };
                let head = Style { format, line_numbers: true }.head(&frame);
                for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
                    let tokens = vocabularies.counter(tokenizer).unwrap().count(&head);
                    assert!(tokens <= 120, "{tokens} {tokenizer:?}: {head}");
                }
            }
        }
    }

    #[test]
    fn numbers_stand_before_every_line() {
        assert_eq!(numbered("a\r\nb\rc\n\nd", 1), "1: a\r\n2: b\r3: c\n4: \n5: d");
        assert_eq!(numbered("a\nb", 10), "10: a\n11: b");
        assert_eq!(numbered("", 1), "");
    }
}
