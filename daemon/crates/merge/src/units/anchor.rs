//! New lines, and beside them lines of the file that say where they go.
//!
//! ```text
//! file            part           merged
//! <body>          <p>new</p>     <body>
//!   <main/>       </body>          <main/>
//! </body>                          <p>new</p>
//!                                </body>
//! ```
//!
//! A part of whole units knows its place without this; here the lines of the file open or close something that the
//! part does not show.

use std::ops::Range;

use crate::note::{NoteKind, Position};
use crate::refused::{Reason, excerpt};
use crate::source::letters;

use super::head::Kind;
use super::language::Family;
use super::layout::Layout;
use super::merger::{Merger, Stop};
use super::replace::Members;
use super::unit::Unit;

/// The most lines of the file that say where others go.
const LONGEST: usize = 8;
// Letters of lines that are not wrapped by chance.
const WRAPPED: usize = 10;
/// Letters of a line that is not in two texts by chance.
const TELLING: usize = 4;

impl Merger<'_, '_> {
    /// Inserts the part's new lines in front of its last lines, if those close what the file has once, or begin a unit
    /// that the part does not show; behind its first lines, if those open such a unit and the answer says to add.
    pub(super) fn merge_beside_anchor(&mut self) -> Result<(), Stop> {
        let part = self.part;
        let shown: Vec<usize> = (0..part.len()).filter(|at| !part.blank[*at]).collect();
        let none = || Stop::new(Reason::NoPlace, "no line of the part says where it goes");
        let (Some(first), Some(last)) = (shown.first().copied(), shown.last().copied()) else {
            return Err(none());
        };
        let is_known = |at: &&usize| self.known.contains(part.norm[**at].as_str());
        let below = shown.iter().rev().take(LONGEST).take_while(is_known).count();
        let above = shown.iter().take(LONGEST).take_while(is_known).count();
        // The longest anchor first: the more lines agree, the less they do by chance.
        for count in (1..=below).rev().filter(|count| *count < shown.len()) {
            let anchor = &shown[shown.len() - count..];
            let new = first..shown[shown.len() - count - 1] + 1;
            let closes = part.continues[anchor[0]] && part.indent[anchor[0]] < part.indent[new.start];
            let is_above = self.label.label_says_add && self.is_block_above(new.start, anchor);
            if self.is_news(new.clone())
                && (closes || self.is_bare_head(last) || is_above)
                && let Some(place) = self.place_of(anchor)
            {
                let above = (0..place).rfind(|at| !self.file.blank[*at]);
                return self.insert_at(new, anchor[0], place, place, above);
            }
        }
        if self.merge_wrapped(&shown) {
            return Ok(());
        }
        if self.insert_between(&shown, above, below) {
            return Ok(());
        }
        let adds = self.label.label_says_add || self.label.label_says_beginning;
        for count in (1..=above).rev().filter(|count| adds && *count < shown.len()) {
            let (anchor, new) = (&shown[..count], shown[count]..last + 1);
            if self.is_news(new.clone())
                && !part.is_balanced
                && part.indent[shown[count]] > part.indent[anchor[count - 1]]
                && let Some(place) = self.place_of(anchor)
            {
                let last = (place..self.file.len()).filter(|at| !self.file.blank[*at]).nth(count - 1);
                let last = last.unwrap_or(place);
                return self.insert_at(new, anchor[0], place, last + 1, Some(last));
            }
        }
        Err(none())
    }

    // Inserts new lines between those above and below them in the part, if these stand in a row in the file once, and begin
    // something that the part does not close. Returns false if the part shows anything else.
    //
    // ```text
    // <main>            <main>
    //   <Menu />          <Title />
    //   <Title />         …
    // ```
    fn insert_between(&mut self, shown: &[usize], above: usize, below: usize) -> bool {
        let part = self.part;
        let is_open = !part.is_balanced
            || matches!(part.family, Family::Html | Family::Script)
                && crate::open_tags(&part.lines.join("\n")).values().any(|count| *count > 0);
        let count = shown.len();
        if !is_open || above == 0 || below == 0 || above + below >= count {
            return false;
        }
        let (first, last) = (shown[above], shown[count - below - 1]);
        let known = [&shown[..above], &shown[count - below..]].concat();
        if !self.is_news(first..last + 1) {
            return false;
        }
        let Some(place) = self.place_of(&known) else { return false };
        let there = (place..self.file.len()).filter(|at| !self.file.blank[*at]);
        let there: Vec<usize> = there.take(above + 1).collect();
        let &[.., over, under] = &there[..] else { return false };
        self.insert_at(first..last + 1, shown[count - below], under, under, Some(over)).is_ok()
    }

    // Puts lines of the file, which stand in a row once, into the block that the part shows around them. Returns false if the
    // part shows anything else.
    fn merge_wrapped(&mut self, shown: &[usize]) -> bool {
        let (file, part) = (self.file, self.part);
        let is_known = |at: &usize| self.known.contains(part.norm[*at].as_str());
        let above = shown.iter().take_while(|at| !is_known(at)).count();
        let below = shown.iter().rev().take_while(|at| !is_known(at)).count();
        let Some(inner) = shown.get(above..shown.len().saturating_sub(below)) else { return false };
        let ([first, .., last], Some(head)) = (inner, shown.first().copied()) else { return false };
        let telling: usize = inner.iter().map(|at| letters(&part.norm[*at])).sum();
        let is_deeper = inner.iter().all(|at| part.indent[*at] > part.indent[head]);
        let has_end =
            below > 0 && shown[shown.len() - below..].iter().all(|at| part.indent[*at] == part.indent[head]);
        if above == 0 || !has_end || !is_deeper || telling < WRAPPED || inner.len() < 2 {
            return false;
        }
        let Some(place) = self.place_of(inner) else { return false };
        let end = (place..file.len()).filter(|at| !file.blank[*at]).nth(inner.len() - 1).unwrap_or(place);
        let shift = |at: usize, base: usize, indent: &[usize]| indent[at] as isize - indent[base] as isize;
        // What stands as deep beside each other in the file does so in the part.
        if shift(*last, *first, &part.indent) != shift(end, place, &file.indent) {
            return false;
        }
        let lines = self.shifted(head..shown[shown.len() - 1] + 1, head, place);
        let name = part.norm[head].clone();
        self.edit(place..end + 1, lines);
        self.note(NoteKind::Changed, &name, place..end + 1);
        true
    }

    // Returns true if the lines `anchor` are a block that begins as deep as the new line above it.
    fn is_block_above(&self, new: usize, anchor: &[usize]) -> bool {
        let part = self.part;
        let (Some(first), Some(last)) = (anchor.first(), anchor.last()) else { return false };
        let is_inside = |at: &usize| part.indent[*at] > part.indent[*first];
        anchor.len() > 2
            && part.indent[new] == part.indent[*first]
            && part.indent[*last] == part.indent[*first]
            && anchor[1..anchor.len() - 1].iter().all(is_inside)
    }

    /// Returns true if these lines of the part are whole units of which the file has nothing.
    fn is_news(&self, lines: Range<usize>) -> bool {
        let part = self.part;
        let is_known = |at: usize| {
            let text = part.norm[at].as_str();
            letters(text) >= TELLING && !text.starts_with("</") && self.known.contains(text)
        };
        let own = Layout::of_lines(part.lines[lines.clone()].to_vec(), part.family);
        let has_own_end = part.family.ignores_brackets() || own.is_balanced;
        has_own_end && !lines.clone().any(is_known) && !self.is_ragged(lines)
    }

    /// Returns true if the line is the head of a unit of the file, and the part ends with it.
    fn is_bare_head(&self, at: usize) -> bool {
        let text = self.part.norm[at].as_str();
        text.ends_with([':', '{']) && self.part.keys[at].as_ref().is_some_and(|key| key.kind.is_definition())
    }

    /// Returns the line of the file from which on these lines of the part stand in a row: the only one, or the only one
    /// with their indentation.
    fn place_of(&self, lines: &[usize]) -> Option<usize> {
        let (file, part) = (self.file, self.part);
        let code: Vec<usize> = (0..file.len()).filter(|at| !file.blank[*at]).collect();
        let is_equal = |there: &&[usize]| {
            there.iter().zip(lines).all(|(there, shown)| file.norm[*there] == part.norm[*shown])
        };
        let mut places: Vec<usize> =
            code.windows(lines.len()).filter(is_equal).map(|there| there[0]).collect();
        if places.len() > 1 {
            places.retain(|at| file.indent[*at] == part.indent[lines[0]]);
        }
        if let [place] = places[..] { Some(place) } else { None }
    }

    /// Inserts the lines `new` of the part at a line of the file, such that its line `anchor` would stand at `place`.
    fn insert_at(
        &mut self,
        new: Range<usize>,
        anchor: usize,
        place: usize,
        at: usize,
        above: Option<usize>,
    ) -> Result<(), Stop> {
        let (part, file) = (self.part, self.file);
        let name = part.norm[new.start].clone();
        let mut lines = self.shifted(new.clone(), anchor, place);
        let key = part.keys[new.start].as_ref();
        let is_definition = key.is_some_and(|key| key.kind.is_definition());
        let opens = above.is_some_and(|above| file.norm[above].ends_with(['{', '(', '[', ':']));
        if is_definition && !opens && above.is_some_and(|above| above + 1 == at) {
            lines.insert(0, String::new());
        }
        // Blank lines that the part shows between the new lines and the anchor come along.
        if at == place && !part.continues[anchor] {
            lines.extend(vec![String::new(); anchor - new.end]);
        }
        let is_entry = file.family == Family::Json || key.is_some_and(|key| key.kind == Kind::Key);
        if let Some(above) = above.filter(|_| is_entry && !opens)
            && !file.norm[above].ends_with([',', ';'])
        {
            self.comma = Some(above);
        }
        let position = if at == place {
            Position::Before(excerpt(&file.norm[place]))
        } else {
            Position::After(excerpt(&file.norm[above.unwrap_or(place)]))
        };
        self.edit(at..at, lines);
        self.note(NoteKind::Inserted(position), &name, at..at);
        Ok(())
    }

    /// Inserts the new lines of a definition at its beginning, if the answer says that they go there: behind its
    /// documentation, and the lines that the part shows above them. Returns false if it does not.
    pub(super) fn insert_at_beginning(&mut self, old: &Unit, members: &Members) -> bool {
        if !self.label.label_says_beginning || !old.is(Kind::Def) {
            return false;
        }
        let (part, file) = (self.part, self.file);
        let shown: Vec<usize> = members.shown_lines.clone().filter(|at| !part.blank[*at]).collect();
        let there: Vec<usize> = members.lines.clone().filter(|at| !file.blank[*at]).collect();
        let equal = |shown: &[usize], there: &[usize]| {
            shown
                .iter()
                .zip(there)
                .take_while(|(shown, there)| part.norm[**shown] == file.norm[**there])
                .count()
        };
        let above = equal(&shown, &there);
        let documentation = there.iter().take_while(|at| file.is_text(**at)).count();
        // A docstring stays the first statement of its definition.
        let place = if above == 0 { documentation } else { above };
        let is_new = |at: &&usize| !self.known.contains(part.norm[**at].as_str());
        let count = shown[above..].iter().take_while(is_new).count();
        let below = &shown[above + count..];
        if count == 0 || place == there.len() || equal(below, &there[place..]) < below.len() {
            return false;
        }
        let new = shown[above]..shown[above + count - 1] + 1;
        let at = there[place];
        let lines = self.shifted(new.clone(), new.start, at);
        self.edit(at..at, lines);
        let position = Position::Before(excerpt(&file.norm[at]));
        self.note(NoteKind::Inserted(position), &part.norm[new.start].clone(), at..at);
        true
    }
}
