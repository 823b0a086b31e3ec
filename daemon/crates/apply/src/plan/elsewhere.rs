//! A text that its file does not hold, or whose file is missing, looked for in the project's other files.
//!
//! Only after a failure, and only for its hint: nothing is changed there. Secrets and what git ignores are
//! not looked into; files and bytes have a bound an operation.

use std::path::{Path, PathBuf};

use clada_edit::{Hint, HintKind, Text, Wanted};
use clada_fs::RootedPath;
use clada_schema::{Action, OldTexts};

use super::Planner;
use super::lookup::listed;
use crate::view::Node;

/// Files that one operation looks into, and bytes that it reads of them.
const FILES: usize = 20_000;
const BYTES: u64 = 64 << 20;
/// Bytes of a file that is looked into.
const FILE_BYTES: u64 = 1 << 20;
/// Percent from which the nearest text is shown although the text stands elsewhere.
const NEAR: u8 = 75;

/// The files and bytes of the project that may still be searched.
#[derive(Debug)]
pub(super) struct Searched {
    files: usize,
    bytes: u64,
}

impl Default for Searched {
    fn default() -> Searched {
        Searched { files: FILES, bytes: BYTES }
    }
}

impl Planner<'_> {
    /// The words of `hint` for `old`, which was not found in the file at `path`, with the other file that
    /// holds it.
    pub(super) fn hint_words(&mut self, path: &RootedPath, old: &str, hint: Hint) -> String {
        if !matches!(hint.kind, HintKind::Nearest | HintKind::Nothing) {
            return hint.text;
        }
        match (self.elsewhere(path, old), hint.similarity) {
            (None, _) => hint.text,
            (Some(place), Some(similarity)) if similarity >= NEAR => format!("{place}\n{}", hint.text),
            (Some(place), _) => place,
        }
    }

    /// Says which other file holds what `action` looks for, if its own at `path` is missing.
    pub(super) fn text_of_missing(&mut self, path: &RootedPath, action: &Action) -> Option<String> {
        let old = match action.old_texts()? {
            OldTexts::Texts(texts) => (*texts.first()?).to_owned(),
            OldTexts::Hunks(hunks) => hunks.iter().max_by_key(|lines| lines.len())?.join("\n"),
        };
        self.elsewhere(path, &old)
    }

    /// Returns where `old` is, in words, if exactly one file but the one at `path` holds it.
    fn elsewhere(&mut self, path: &RootedPath, old: &str) -> Option<String> {
        let wanted = Wanted::new(old).filter(|_| path.root() == 0 && self.searched.files > 0)?;
        let mut found = None;
        for file in self.others(path.relative()) {
            if self.searched.files == 0 || self.searched.bytes == 0 {
                break;
            }
            let Some(place) = self.place_in(&file, &wanted) else { continue };
            if found.replace((file, place)).is_some() {
                return None;
            }
        }
        let (file, place) = found?;
        let how = if place.exact { "stands unchanged" } else { "stands, but for blanks," };
        Some(format!("The text {how} in {}, line {}.", listed(&[file]), place.line))
    }

    /// The project's files but `path`, those of its kind first.
    fn others(&mut self, path: &Path) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.names().all_files().cloned().collect();
        let planned = self.view.planned_files().filter(|path| path.root() == 0);
        files.extend(planned.map(|path| path.relative().to_path_buf()));
        files.retain(|file| file != path);
        files.sort_by(|one, other| {
            let is_other = |file: &PathBuf| file.extension() != path.extension();
            (is_other(one), one).cmp(&(is_other(other), other))
        });
        files.dedup();
        files
    }

    fn place_in(&mut self, file: &Path, wanted: &Wanted<'_>) -> Option<clada_edit::LocatedText> {
        let path = self.view.roots().resolve_relative(file).ok()?;
        let Ok(Node::File(node)) = self.view.node(&path) else { return None };
        if node.size > FILE_BYTES || self.view.is_secret(&path) {
            return None;
        }
        self.searched.files -= 1;
        self.searched.bytes = self.searched.bytes.saturating_sub(node.size);
        let read = || {
            let (at, _) = node.on_disk.as_ref()?;
            self.view.roots().read(at, FILE_BYTES).ok().map(|content| content.bytes.into())
        };
        let bytes = node.content.as_ref().map(|content| content.bytes.clone()).or_else(read)?;
        let text = wanted.may_be_in(&bytes).then(|| Text::decode(&bytes).ok()).flatten()?;
        wanted.find(text.as_str())
    }
}
