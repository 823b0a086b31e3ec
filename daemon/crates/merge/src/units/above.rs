//! Comments and decorators above a unit: the part's, if it shows any and they differ; else the file's.

use std::collections::BTreeSet;

use crate::markers::comment_text;
use crate::note::NoteKind;
use crate::refused::{Reason, excerpt};

use super::merger::{Edit, Merger, Stop};
use super::unit::Unit;

impl Merger<'_, '_> {
    pub(super) fn replace_above(&mut self, new: &Unit, old: &Unit) -> Result<(), Stop> {
        let (part, file) = (self.part, self.file);
        let shown: Vec<&str> = part.norm[new.start..new.head].iter().map(String::as_str).collect();
        let there: Vec<&str> = file.norm[old.start..old.head].iter().map(String::as_str).collect();
        if shown.iter().all(|line| there.contains(line)) {
            return Ok(());
        }
        let text = self.shifted(new.start..new.head, new.head, old.head);
        let file_lines = |range: std::ops::Range<usize>| -> Vec<String> {
            file.lines[range].iter().map(|line| (*line).to_owned()).collect()
        };
        let are_comments = (new.start..new.head).all(|at| part.is_comment(at) || part.inside[at]);
        if self.follows_marker(new) && !there.is_empty() && are_comments {
            // Below a marker a comment may be the end of one: what the file has above stays.
            let common = shown.iter().find_map(|line| there.iter().position(|other| other == line));
            let is_block = shown.first().is_some_and(|line| line.starts_with("/*"));
            let count = common.or((!is_block).then_some(there.len())).unwrap_or(0);
            if count > 0 {
                let text = [file_lines(old.start..old.start + count), text].concat();
                self.set_above(old, text);
                return Ok(());
            }
        }
        let decorators: Vec<&str> = there.iter().copied().filter(|line| !is_remark(line)).collect();
        let names = |lines: &[&str]| -> BTreeSet<String> {
            lines.iter().filter_map(|line| decorator(line)).collect()
        };
        let (shown_names, there_names) = (names(&shown), names(&there));
        let only_decorators = decorators.len() == there.len();
        if only_decorators && !there_names.is_empty() && there_names.is_subset(&shown_names) {
            self.set_above(old, text);
            return Ok(());
        }
        let shows_all = decorators.iter().all(|line| shown.contains(line));
        let is_new = !shown.iter().any(|line| there.contains(line));
        if is_new && !there.is_empty() && !shows_all {
            // Decorators that the part does not show stay; comments too, if the part shows none.
            let shows_remarks = shown.iter().any(|line| is_remark(line));
            let stays = |at: &usize| {
                !shows_remarks
                    || decorators.contains(&file.norm[*at].as_str())
                        && !shown.contains(&file.norm[*at].as_str())
            };
            let remaining = (old.start..old.head).filter(stays).flat_map(|at| file_lines(at..at + 1));
            let text = [text, remaining.collect()].concat();
            self.set_above(old, text);
            return Ok(());
        }
        if !shows_all {
            let name = excerpt(&old.name(file));
            return Err(Stop::new(Reason::Loses, format!("a decorator of `{name}` is not shown")));
        }
        self.set_above(old, text);
        Ok(())
    }

    fn set_above(&mut self, old: &Unit, text: Vec<String>) {
        self.edits.push(Edit { lines: old.start..old.head, new: text, is_above_unit: true });
        let name = old.name(self.file);
        if old.start < old.head {
            self.note(NoteKind::Changed, &name, old.start..old.head);
        }
    }

    /// Returns true if the unit stands below a marker, or one blank line below it.
    fn follows_marker(&self, unit: &Unit) -> bool {
        let above = (0..unit.start).rfind(|at| !self.part.blank[*at]);
        above.is_some_and(|above| self.is_marker[above] && unit.start - above <= 2)
    }
}

fn is_remark(line: &str) -> bool {
    !line.starts_with("#[") && (comment_text(line).is_some() || line.starts_with('*'))
}

fn decorator(line: &str) -> Option<String> {
    let rest = line.strip_prefix('@').or_else(|| line.strip_prefix("#["))?;
    let name = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'));
    Some(name.collect::<String>()).filter(|name| !name.is_empty())
}
