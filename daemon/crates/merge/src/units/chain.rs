//! Chains of calls, one link a line: a marker behind the last shown link stands for those that follow it.
//!
//! ```text
//! file                    part                    merged
//! order                   order                   order
//! |> cast(attrs)          |> cast(attrs, kind)    |> cast(attrs, kind)
//! |> check(:count)        # ...                   |> check(:count)
//! ```

use crate::note::{NoteKind, Position};
use crate::refused::{Reason, excerpt};

use super::layout::Layout;
use super::merger::{Merger, Scope, Stop};
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
        self.guess(NoteKind::Stays { count: there.len() - next }, hidden, 0..0);
        if super::unit::norm(self.file, lines.clone()) != new.norm(self.part) {
            self.edit(lines.clone(), text);
            self.note(NoteKind::Changed, &name, lines);
        }
        Ok(true)
    }

    // Places the links of a chain that the part shows below a marker, in front of the first of them that the file has. Returns
    // false if they are none, or all are new.
    pub(super) fn place_links(&mut self, new: &Unit, scope: &Scope) -> Result<bool, Stop> {
        let (part, file) = (self.part, self.file);
        let is_link = |text: &str| text.starts_with("|>") || text.starts_with('.') && !text.starts_with("..");
        let Some(old) = scope.units.last().filter(|unit| is_link(unit.text(file))) else { return Ok(false) };
        let shown: Vec<usize> = (new.head..new.end).filter(|at| !part.blank[*at]).collect();
        if !shown.iter().all(|at| is_link(&part.norm[*at])) {
            return Ok(false);
        }
        let there: Vec<usize> = (old.head..old.end).filter(|at| !file.blank[*at]).collect();
        let place = |at: &usize| there.iter().position(|line| file.norm[*line] == part.norm[*at]);
        let Some(known) = shown.iter().position(|at| place(at).is_some()) else { return Ok(false) };
        let first = place(&shown[known]).unwrap_or_default();
        let is_end = shown[known..]
            .iter()
            .map(|at| &part.norm[*at])
            .eq(there[first..].iter().map(|at| &file.norm[*at]));
        if known == 0 || !is_end {
            let link = excerpt(&part.norm[shown[known]]);
            return Err(Stop::last(Reason::Ambiguous, format!("`{link}` is not in the order of the file")));
        }
        let at = there[first];
        let lines = self.shifted(shown[0]..shown[known - 1] + 1, shown[0], at);
        self.edit(at..at, lines);
        let position = Position::Before(excerpt(&file.norm[at]));
        self.note(NoteKind::Inserted(position), &part.norm[shown[0]], at..at);
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
