//! The limits and choices that a document was made with, as names and values.

use clada_protocol::visible_line;

#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentNotes {
    pub(crate) max_file_size_kb: u64,
    /// `None`: there is no such limit.
    pub(crate) max_files_per_directory: Option<u64>,
    pub(crate) excluded_directories: Vec<String>,
    pub(crate) excluded_extensions: Vec<String>,
    pub(crate) depth: Option<usize>,
    pub(crate) hidden: bool,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) not_included: u64,
    pub(crate) line_numbers: bool,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) tokens: Option<(u64, &'static str)>,
    pub(crate) max_tokens: Option<u64>,
}

impl DocumentNotes {
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let list = |words: &[String]| match words {
            [] => "none".to_owned(),
            words => visible_line(&words.join(", ")).into_owned(),
        };
        let depth = self.depth.map_or_else(|| "unlimited".to_owned(), |depth| depth.to_string());
        let files = self.max_files_per_directory;
        let mut lines = vec![
            ("Maximum file size", format!("{} KB", self.max_file_size_kb)),
            (
                "Maximum files per directory",
                files.map_or_else(|| "unlimited".to_owned(), |files| files.to_string()),
            ),
            ("Excluded directories", list(&self.excluded_directories)),
            ("Excluded extensions", list(&self.excluded_extensions)),
            ("Recursion depth", depth),
            ("Hidden files", if self.hidden { "included" } else { "left out" }.to_owned()),
        ];
        // A choice that was not made has no line, so that the notes stay short.
        if !self.include.is_empty() {
            let others =
                format!("{} ({} other files are not listed)", list(&self.include), self.not_included);
            lines.push(("Only", others));
        }
        if !self.exclude.is_empty() {
            lines.push(("Excluded", list(&self.exclude)));
        }
        if self.line_numbers {
            lines.push(("Line numbers", "each line begins with its number, a colon and a blank".to_owned()));
        }
        lines.push(("Files", format!("{} ({} bytes)", self.files, self.bytes)));
        if let Some((tokens, tokenizer)) = self.tokens {
            lines.push(("Tokens in the files", format!("{tokens} ({tokenizer})")));
        }
        if let Some(budget) = self.max_tokens {
            lines.push(("Token budget", budget.to_string()));
        }
        lines
    }
}
