//! A file on its way from what it holds to what it will hold.
//!
//! Knows bytes and modes, not what was asked: the planner of an edit fills in what comes of it.

use std::sync::Arc;

use blake3::Hash;
use clada_edit::{EditError, Edited, Mode, Patched, Rung, Text};
use clada_fs::{RootedPath, TextEncoding};
use clada_protocol::{ErrorKind, visible_line};

use super::planner::Planner;
use crate::failure::Failure;
use crate::view::FileNode;
use crate::write::{Before, Write, encoded};

#[derive(Debug)]
pub(super) struct Rewrite {
    /// Its current content; of a file in another encoding than UTF-8, its text.
    pub(super) old: Arc<[u8]>,
    pub(super) hash: Hash,
    /// Its new content, as `old`; `None`: the same.
    pub(super) new: Option<Arc<[u8]>>,
    pub(super) encoding: Option<TextEncoding>,
    old_mode: Mode,
    mode: Mode,
    replacements: usize,
    matched_by: Option<&'static str>,
    as_diffed: bool,
    within_line: Option<usize>,
    lines: Option<(usize, usize)>,
}

impl Planner<'_> {
    pub(super) fn rewrite(&mut self, path: &RootedPath, file: &FileNode) -> Result<Rewrite, Failure> {
        let content = self.view.content(path, file, self.rules.max_file_size)?;
        Ok(Rewrite {
            old: content.bytes,
            hash: content.hash,
            new: None,
            encoding: None,
            old_mode: file.mode,
            mode: file.mode,
            replacements: 0,
            matched_by: None,
            as_diffed: false,
            within_line: None,
            lines: None,
        })
    }
}

impl Rewrite {
    /// The same by its text, if that is not UTF-8.
    pub(super) fn into_text(self) -> Rewrite {
        match TextEncoding::decode(&self.old) {
            Some((text, encoding)) => {
                Rewrite { old: text.into_bytes().into(), encoding: Some(encoding), ..self }
            }
            None => self,
        }
    }

    pub(super) fn edited(self, edited: Edited) -> Rewrite {
        Rewrite {
            new: Some(edited.bytes.into()),
            replacements: edited.replacements,
            within_line: edited.within_line,
            lines: edited.lines,
            matched_by: edited.indented.then(|| Rung::Indentation.name()),
            ..self
        }
    }

    pub(super) fn patched(self, patched: Patched, hunks: usize) -> Rewrite {
        let matched_by = patched.named_rung().map(|rung| rung.name());
        let as_diffed = patched.as_diffed;
        let hunks = if patched.unchanged { 0 } else { hunks };
        Rewrite { new: Some(patched.bytes.into()), replacements: hunks, matched_by, as_diffed, ..self }
    }

    pub(super) fn replaced(self, new: Arc<[u8]>) -> Rewrite {
        Rewrite { new: Some(new), ..self }
    }

    pub(super) fn executable(self, executable: Option<bool>) -> Rewrite {
        Rewrite { mode: mode(executable).unwrap_or(self.mode), ..self }
    }

    pub(super) fn result(&self) -> Arc<[u8]> {
        encoded(self.new.as_ref().unwrap_or(&self.old), self.encoding)
    }

    /// The write to `path`, which has this file before.
    ///
    /// # Errors
    /// `not_text`, if the file's encoding lacks a character of the new text.
    pub(super) fn over(self, path: RootedPath, parents: Vec<RootedPath>) -> Result<Write, Failure> {
        let new = self.new.unwrap_or_else(|| Arc::clone(&self.old));
        let new_hash = match self.encoding {
            None => blake3::hash(&new),
            Some(encoding) => match encoding.encode(&String::from_utf8_lossy(&new)) {
                Ok(bytes) => blake3::hash(&bytes),
                Err(character) => return Err(lacks(character, encoding, &path)),
            },
        };
        Ok(Write {
            path,
            before: Before::Content(self.hash),
            new_hash,
            encoding: self.encoding,
            old: Some(self.old),
            new,
            replacements: self.replacements,
            old_mode: self.old_mode,
            mode: self.mode,
            matched_by: self.matched_by,
            as_diffed: self.as_diffed,
            within_line: self.within_line,
            lines: self.lines,
            newline_added: false,
            parents,
            other_names: Vec::new(),
        })
    }
}

fn lacks(character: char, encoding: TextEncoding, path: &RootedPath) -> Failure {
    let (shown, code) = (visible_line(&character.to_string()).into_owned(), u32::from(character));
    let issue = format!("'{shown}' (U+{code:04X}) does not exist in {}, the encoding of", encoding.name);
    Failure::at(ErrorKind::NotText, &issue, path.written(), "NOT_TEXT")
        .hint(format!("write it with characters of {}", encoding.name))
        .person("or convert the file to UTF-8 first")
}

pub(super) fn new_file(
    path: RootedPath,
    new: Arc<[u8]>,
    executable: Option<bool>,
    parents: Vec<RootedPath>,
) -> Write {
    Write {
        path,
        before: Before::Missing,
        old: None,
        new_hash: blake3::hash(&new),
        encoding: None,
        new,
        replacements: 0,
        old_mode: Mode::Regular,
        mode: mode(executable).unwrap_or_default(),
        matched_by: None,
        as_diffed: false,
        within_line: None,
        lines: None,
        newline_added: false,
        parents,
        other_names: Vec::new(),
    }
}

fn mode(executable: Option<bool>) -> Option<Mode> {
    executable.map(|executable| if executable { Mode::Executable } else { Mode::Regular })
}

pub(super) fn decoded<'b>(bytes: &'b [u8], path: &RootedPath) -> Result<Text<'b>, Failure> {
    Text::decode(bytes).map_err(|error| Failure::from_edit(&EditError::NotText(error), path))
}
