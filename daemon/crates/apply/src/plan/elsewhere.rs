//! A text that its file does not hold, or whose file is missing, looked for in the project's other files.
//!
//! Only after a failure, and only for its hint: nothing is changed there. Secrets and what git ignores are
//! not looked into; files and bytes have a bound an operation.

use std::path::{Path, PathBuf};

use clada_edit::{Hint, HintKind, LocatedText, SoughtText, Text};
use clada_fs::RootedPath;
use clada_protocol::FailurePlace;
use clada_schema::{Action, OldTexts};

use super::lookup::listed;
use super::planner::Planner;
use crate::failure::Failure;
use crate::view::Node;

const FILE_BYTES: u64 = 1 << 20;
/// Percent from which the nearest text is shown although the text stands elsewhere.
const NEAR: u8 = 75;

#[derive(Debug)]
pub(super) struct OtherFile {
    words: String,
    place: FailurePlace,
}

impl OtherFile {
    pub(super) fn into_hint_of(self, failure: Failure) -> Failure {
        Failure { place: Some(Box::new(self.place)), ..failure.hint(self.words) }
    }
}

impl Planner<'_> {
    pub(super) fn hinted(&self, failure: Failure, path: &RootedPath, text: &Text<'_>, hint: Hint) -> Failure {
        let place = hint.lines.map(|(first, _)| Box::new(self.place(path, text, first)));
        Failure { place: place.or(failure.place), hint: Some(hint.text), ..failure }
    }

    /// The same with the action of the answer that changed `old`, or with the other file that holds it: it
    /// was not found in the one at `path`.
    pub(super) fn advised(
        &mut self,
        failure: Failure,
        path: &RootedPath,
        text: &Text<'_>,
        old: &str,
        hint: Hint,
    ) -> Failure {
        // What is there several times is there.
        let is_gone = !matches!(hint.kind, HintKind::Places);
        if let Some(changed) = is_gone.then(|| self.changed_before(path, old)).flatten() {
            let text_of_both = format!("{changed}\n{}", hint.text);
            return self.hinted(failure, path, text, Hint { text: text_of_both, ..hint });
        }
        let elsewhere = match hint.kind {
            HintKind::Nearest | HintKind::Nothing => self.elsewhere(path, old),
            HintKind::AlreadyInFile | HintKind::AlmostEqual | HintKind::Places => None,
        };
        match (elsewhere, hint.similarity) {
            (None, _) => self.hinted(failure, path, text, hint),
            (Some(other), Some(similarity)) if similarity >= NEAR => {
                let text_of_both = format!("{}\n{}", other.words, hint.text);
                self.hinted(failure, path, text, Hint { text: text_of_both, ..hint })
            }
            (Some(other), _) => other.into_hint_of(failure),
        }
    }

    pub(super) fn text_of_missing(&mut self, path: &RootedPath, action: &Action) -> Option<OtherFile> {
        let old = match action.old_texts()? {
            OldTexts::Texts(texts) => (*texts.first()?).to_owned(),
            OldTexts::Hunks(hunks) => hunks.iter().max_by_key(|lines| lines.len())?.join("\n"),
        };
        self.elsewhere(path, &old)
    }

    /// Returns where `old` is, if exactly one file but the one at `path` holds it.
    fn elsewhere(&mut self, path: &RootedPath, old: &str) -> Option<OtherFile> {
        let sought = SoughtText::new(old).filter(|_| path.root() == 0 && self.searched.files > 0)?;
        let mut located = None;
        for file in self.others(path.relative()) {
            if self.searched.files == 0 || self.searched.bytes == 0 {
                break;
            }
            let Some(place) = self.place_in(&file, &sought) else { continue };
            if located.replace((file, place)).is_some() {
                return None;
            }
        }
        let (file, (text, place)) = located?;
        let how = if text.exact { "stands unchanged" } else { "stands, but for blanks," };
        let words = format!("The text {how} in {}, line {}.", listed(&[file]), text.line);
        Some(OtherFile { words, place })
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

    fn place_in(&mut self, file: &Path, sought: &SoughtText<'_>) -> Option<(LocatedText, FailurePlace)> {
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
        let text = sought.may_be_in(&bytes).then(|| Text::decode(&bytes).ok()).flatten()?;
        let located = sought.find(text.as_str())?;
        Some((located, self.place(&path, &text, located.line)))
    }
}
