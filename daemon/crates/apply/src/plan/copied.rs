//! New text that was copied with the numbers of its lines, as readers show them: the numbers are left out where every
//! line has one, and the action is refused where only most do.
//!
//! Not where the old text has them as well, nor in data and prose, whose first column may be a number.

use std::borrow::Cow;
use std::path::Path;

use clada_edit::{LineNumbers, line_numbers};
use clada_protocol::ErrorKind;
use clada_schema::{Action, Hunk, HunkLine};

use super::planner::Planner;
use crate::failure::Failure;

/// Endings of files in which numbers at the beginning of lines are often content.
const NUMBERED: [&str; 12] =
    ["tsv", "csv", "tab", "txt", "log", "md", "rst", "out", "snap", "sql", "dat", "diff"];

impl Planner<'_> {
    /// `action` without numbers before the lines of its new text.
    ///
    /// # Errors
    /// `invalid_value`, if most of the lines have one.
    pub(super) fn without_numbers<'s>(
        &mut self,
        action: Cow<'s, Action>,
    ) -> Result<Cow<'s, Action>, Failure> {
        let (path, old, new): (&str, Cow<'_, str>, Vec<Cow<'_, str>>) = match action.as_ref() {
            Action::FileWrite(write) => (&write.path, "".into(), vec![Cow::Borrowed(&*write.content)]),
            Action::FileAppend(append) => (&append.path, "".into(), vec![Cow::Borrowed(&*append.content)]),
            Action::FileReplaceText(replace) => {
                (&replace.path, Cow::Borrowed(&*replace.old_text), vec![Cow::Borrowed(&*replace.new_text)])
            }
            Action::FileReplaceTexts(replace) => {
                let old = replace.edits.iter().map(|edit| format!("{}\n", edit.old_text)).collect::<String>();
                let new = replace.edits.iter().map(|edit| Cow::Borrowed(&*edit.new_text)).collect();
                (&replace.path, old.into(), new)
            }
            Action::FilePatch(patch) => {
                let old = patch.hunks.iter().map(|hunk| text(hunk, false)).collect::<String>();
                (&patch.path, old.into(), patch.hunks.iter().map(|hunk| text(hunk, true).into()).collect())
            }
            _ => return Ok(action),
        };
        let is_data = |ending: &str| NUMBERED.contains(&&*ending.to_ascii_lowercase());
        let numbers: Vec<LineNumbers> = new.iter().map(|text| line_numbers(text)).collect();
        // Numbers in the old text, in the file itself, or in a format of data are content. Only numbers that
        // come from nowhere but a reader's display are dropped.
        if self.rules.literal
            || numbers.iter().all(|numbers| *numbers == LineNumbers::None)
            || Path::new(path).extension().and_then(|ending| ending.to_str()).is_some_and(is_data)
            || line_numbers(&old) != LineNumbers::None
            || self.has_numbers(path)
        {
            return Ok(action);
        }
        if numbers.contains(&LineNumbers::Most) {
            let issue = "Most lines of the new text begin with their number, as a reader shows them, in";
            return Err(Failure::at(ErrorKind::InvalidValue, issue, path, "INVALID_VALUE")
                .hint("send the text without the numbers")
                .person("`apply --literal` applies it as written"));
        }
        self.warn(format!(
            "The numbers before the lines of the new text of '{}' are left out",
            clada_protocol::visible_line(path)
        ));
        let mut action = action.into_owned();
        match (&mut action, &numbers[..]) {
            (Action::FileWrite(write), [LineNumbers::All(bare)]) => write.content = bare.as_str().into(),
            (Action::FileAppend(append), [LineNumbers::All(bare)]) => append.content = bare.as_str().into(),
            (Action::FileReplaceText(replace), [LineNumbers::All(bare)]) => replace.new_text.clone_from(bare),
            (Action::FileReplaceTexts(replace), numbers) => {
                for (edit, numbers) in replace.edits.iter_mut().zip(numbers) {
                    if let LineNumbers::All(bare) = numbers {
                        edit.new_text.clone_from(bare);
                    }
                }
            }
            (Action::FilePatch(patch), numbers) => {
                for (hunk, numbers) in patch.hunks.iter_mut().zip(numbers) {
                    if let LineNumbers::All(bare) = numbers {
                        let mut bare = bare.lines();
                        for line in &mut hunk.lines {
                            if let HunkLine::Added(line) = line {
                                *line = bare.next().unwrap_or_default().to_owned();
                            }
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(Cow::Owned(action))
    }

    fn has_numbers(&mut self, path: &str) -> bool {
        self.in_text(path, |text| (line_numbers(text.as_str()) != LineNumbers::None).then_some(())).is_some()
    }
}

/// The lines that a hunk adds, or those that it looks for.
fn text(hunk: &Hunk, added: bool) -> String {
    let lines = hunk.lines.iter().filter_map(|line| match line {
        HunkLine::Added(line) if added => Some(line),
        HunkLine::Removed(line) | HunkLine::Context(line) if !added => Some(line),
        _ => None,
    });
    lines.map(|line| format!("{line}\n")).collect()
}
