//! Writes answers in the SHAM dialect, as a model would.

use serde_json::Value;

/// An answer: blocks with prose between them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    text: String,
    blocks: usize,
}

impl Answer {
    pub(crate) fn new() -> Answer {
        Answer::default()
    }

    /// Adds a block, its values in quotes on one line each.
    pub(crate) fn action(mut self, name: &str, parameters: &[(&str, &str)]) -> Answer {
        let id = self.open(name);
        for (key, value) in parameters {
            self.text.push_str(&format!("{key} = {}\n", Value::from(*value)));
        }
        self.text.push_str(&format!("#!END_SHAM_{id}\n"));
        self
    }

    /// A `file_write` with its content in a heredoc; the newline before the delimiter is not part of it.
    pub(crate) fn heredoc(mut self, path: &str, content: &str) -> Answer {
        let id = self.open("file_write");
        self.text.push_str(&format!(
            "path = {}\ncontent = <<'EOT_SHAM_{id}'\n{content}\nEOT_SHAM_{id}\n#!END_SHAM_{id}\n",
            Value::from(path)
        ));
        self
    }

    pub(crate) fn write(self, path: &str, content: &str) -> Answer {
        self.action("file_write", &[("path", path), ("content", content)])
    }

    pub(crate) fn read(self, path: &str) -> Answer {
        self.action("file_read", &[("path", path)])
    }

    pub(crate) fn replace(self, path: &str, old: &str, new: &str) -> Answer {
        self.action("file_replace_text", &[("path", path), ("old_text", old), ("new_text", new)])
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn open(&mut self, name: &str) -> String {
        let id = format!("{:04x}", self.blocks);
        self.blocks += 1;
        self.text.push_str(&format!(
            "Some words.\n\n#!SHAM [@three-char-SHA-256: {id}]\naction = {}\n",
            Value::from(name)
        ));
        id
    }
}
