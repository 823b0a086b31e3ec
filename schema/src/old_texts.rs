//! The texts that an action looks for in its file.

use crate::action::Action;
use crate::raw::Hunk;

/// The texts that an edit looks for in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OldTexts<'a> {
    /// Whole texts: one, or the beginning and the end of a range.
    Texts(Vec<&'a str>),
    /// The old lines of each hunk of a patch, without their line ends.
    Hunks(Vec<Vec<&'a str>>),
}

impl<'a> OldTexts<'a> {
    /// Returns the lines of all of them.
    #[must_use]
    pub fn lines(&self) -> Vec<&'a str> {
        match self {
            OldTexts::Texts(texts) => texts.iter().flat_map(|text| text.lines()).collect(),
            OldTexts::Hunks(hunks) => hunks.concat(),
        }
    }
}

impl Action {
    /// Returns the texts that the action looks for in its file; `None` if it is not an edit of a text.
    #[must_use]
    pub fn old_texts(&self) -> Option<OldTexts<'_>> {
        Some(match self {
            Action::FileReplaceText(edit) => OldTexts::Texts(vec![&edit.old_text]),
            Action::FileReplaceAllText(edit) => OldTexts::Texts(vec![&edit.old_text]),
            Action::FilesReplaceAllText(edit) => OldTexts::Texts(vec![&edit.old_text]),
            Action::FileReplaceTextRange(edit) => {
                OldTexts::Texts(vec![&edit.old_text_beginning, &edit.old_text_end])
            }
            Action::FileReplaceTexts(edit) => {
                OldTexts::Texts(edit.edits.iter().map(|edit| edit.old_text.as_str()).collect())
            }
            Action::FilePatch(patch) => OldTexts::Hunks(patch.hunks.iter().map(Hunk::old_lines).collect()),
            _ => return None,
        })
    }
}
