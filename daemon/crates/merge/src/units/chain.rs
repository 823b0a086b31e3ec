//! Chains of calls, one link a line: a marker behind the last shown link stands for those that follow it.
//!
//! ```text
//! file                    part                    merged
//! order                   order                   order
//! |> cast(attrs)          |> cast(attrs, kind)    |> cast(attrs, kind)
//! |> check(:count)        # ...                   |> check(:count)
//! ```

use crate::note::NoteKind;
use crate::refused::{Reason, excerpt};

use super::layout::Layout;
use super::merger::{Merger, Stop};
use super::unit::Unit;

/// A link: its line, and its text up to the arguments.
type Link<'l> = (usize, &'l str);

impl Merger<'_, '_> {
    /// Replaces the links of the file's chain `old` that `new`, which stands right above a marker, shows. Returns false if
    /// they are no chains, or the part shows the last link.
    pub(super) fn replace_chain(&mut self, new: &Unit, old: &Unit) -> Result<bool, Stop> {
        let (shown, there) = (links(self.part, new), links(self.file, old));
        let is_beside = self.is_marker.get(new.end) == Some(&true);
        if shown.is_empty() || there.is_empty() || !is_beside {
            return Ok(false);
        }
        let mut next = 0;
        for (_, name) in &shown {
            let Some(at) = there[next..].iter().position(|(_, other)| other == name) else { continue };
            if at > 0 {
                let link = excerpt(&self.file.norm[there[next].0]);
                return Err(Stop::last(Reason::Loses, format!("`{link}` is not shown")));
            }
            next += 1;
        }
        let Some((end, hidden)) = there.get(next) else { return Ok(false) };
        let (lines, text) = (old.head..*end, self.shifted(new.head..new.end, new.head, old.head));
        let name = old.name(self.file);
        self.guess(NoteKind::Kept { count: there.len() - next }, hidden, 0..0);
        if super::unit::norm(self.file, lines.clone()) != new.norm(self.part) {
            self.edit(lines.clone(), text);
            self.note(NoteKind::Changed, &name, lines);
        }
        Ok(true)
    }
}

fn links<'l>(layout: &'l Layout<'_>, unit: &Unit) -> Vec<Link<'l>> {
    let is_link = |at: &usize| {
        let text = layout.norm[*at].as_str();
        let begins = text.starts_with("|>") || text.starts_with('.') && !text.starts_with("..");
        begins && layout.continues[*at] && layout.depth[*at] == layout.depth[unit.head]
    };
    let name = |at: usize| layout.norm[at].split('(').next().unwrap_or_default();
    (unit.head + 1..unit.end).filter(is_link).map(|at| (at, name(at))).collect()
}
