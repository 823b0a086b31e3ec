//! The documents of a plan: what all of its actions together do to each file, traced back to what it holds
//! now.
//!
//! Pure. Knows effects and bytes, neither results nor what is accepted. A text is followed as bytes from
//! version to version: a region is what any action has replaced, with all that touched it, so that between
//! two regions there is text that no action touches, and each can be as it was or as it will be by itself.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use clada_edit::Change;
use clada_fs::RootedPath;
use memchr::memchr_iter;

use crate::effect::Effect;
use crate::write::{Before, Write};

/// The change with which a document comes into a plan: the index of its step, and its place there.
pub(crate) type DocumentKey = (usize, usize);

/// A part of a plan that can be accepted: the index of a step, and of one of its hunks if it has any.
pub(crate) type StepPart = (usize, Option<usize>);

#[derive(Debug)]
pub(super) struct PlannedDocument<'e> {
    pub(super) key: DocumentKey,
    /// Its path before the plan; `None`: it did not exist.
    pub(super) origin: Option<RootedPath>,
    /// Its path, or the last one that it had.
    pub(super) path: RootedPath,
    pub(super) is_there: bool,
    pub(super) old: Option<&'e Arc<[u8]>>,
    pub(super) new: Option<&'e Arc<[u8]>>,
    /// True if it is done or not done as a whole: it comes, goes or moves, or its change is not one of lines.
    pub(super) is_whole: bool,
    pub(super) steps: Vec<usize>,
    pub(super) writes: Vec<(usize, &'e Write)>,
}

/// Two things that are done together or not at all.
#[derive(Debug, Clone, Copy)]
pub(super) enum Link {
    Documents(usize, usize),
    Step(usize, usize),
}

/// The documents of a plan, in the order in which they come into it.
#[derive(Debug, Default)]
pub(super) struct Documents<'e> {
    pub(super) all: Vec<PlannedDocument<'e>>,
    pub(super) links: Vec<Link>,
    /// The document at each path, also one that was deleted there.
    at: HashMap<RootedPath, usize>,
    /// The documents that were at each path and went.
    vacated: HashMap<RootedPath, Vec<usize>>,
    removed: HashMap<RootedPath, usize>,
}

impl<'e> Documents<'e> {
    pub(super) fn of_effects(effects: impl Iterator<Item = (usize, &'e Effect)>) -> Documents<'e> {
        let mut documents = Documents::default();
        for (step, effect) in effects {
            let mut place = 0;
            for effect in effect.each() {
                match effect {
                    Effect::Several(files) => {
                        for write in files.iter().flatten() {
                            documents.write((step, place), write);
                            place += 2;
                        }
                    }
                    effect => documents.take(effect, (step, place)),
                }
                place += 2;
            }
        }
        documents
    }

    fn take(&mut self, effect: &'e Effect, key: DocumentKey) {
        match effect {
            Effect::Write(write) => self.write(key, write),
            Effect::Delete { path, old, .. } => self.delete(key, path, old.as_ref()),
            Effect::Move { from, to, content, overwritten, replaced, .. } if from != to => {
                self.overwrite(key, to, *replaced != Before::Missing, overwritten.as_ref());
                self.relocate(key, from, to, content.as_ref());
            }
            Effect::WriteMoved { from, write, .. } => {
                self.overwrite(key, &write.path, write.before != Before::Missing, None);
                self.relocate(key, from, &write.path, write.old.as_ref());
                self.write(key, write);
            }
            Effect::CreateFolder { missing, .. } => {
                let removed =
                    missing.iter().flat_map(|folder| self.vacated.get(folder).into_iter().flatten());
                let links: Vec<Link> = removed.map(|document| Link::Step(*document, key.0)).collect();
                self.links.extend(links);
            }
            Effect::RemoveFolder(path) => drop(self.removed.insert(path.clone(), key.0)),
            _ => {}
        }
    }

    fn write(&mut self, key: DocumentKey, write: &'e Write) {
        let id = match self.at.get(&write.path) {
            Some(id) => *id,
            None if write.is_unchanged() => return,
            None => {
                let origin = (write.before != Before::Missing).then(|| write.path.clone());
                self.begin(key, origin, &write.path, write.old.as_ref())
            }
        };
        let document = &mut self.all[id];
        let is_new = !document.is_there;
        let is_text = |content: &[u8]| std::str::from_utf8(content).is_ok();
        document.is_whole |= is_new
            || document.origin.is_none()
            || write.old_mode != write.mode
            || !write.old.as_deref().is_some_and(is_text)
            || !is_text(&write.new);
        document.is_there = true;
        document.new = Some(&write.new);
        document.writes.push((key.0, write));
        document.by(key.0);
        if is_new {
            self.needs_room(id, &write.path);
        }
    }

    fn delete(&mut self, key: DocumentKey, path: &RootedPath, old: Option<&'e Arc<[u8]>>) {
        let id = match self.at.get(path) {
            Some(id) => *id,
            None => self.begin(key, Some(path.clone()), path, old),
        };
        self.ends(id, key.0);
    }

    /// Whatever is at `path` goes for what is moved there.
    fn overwrite(&mut self, key: DocumentKey, path: &RootedPath, is_there: bool, old: Option<&'e Arc<[u8]>>) {
        let id = match self.at.get(path) {
            Some(id) => *id,
            None if is_there => self.begin(key, Some(path.clone()), path, old),
            None => return,
        };
        self.ends(id, key.0);
        self.at.remove(path);
    }

    fn relocate(
        &mut self,
        key: DocumentKey,
        from: &RootedPath,
        to: &RootedPath,
        content: Option<&'e Arc<[u8]>>,
    ) {
        let id = match self.at.remove(from) {
            Some(id) => id,
            None => self.begin((key.0, key.1 + 1), Some(from.clone()), from, content),
        };
        self.at.remove(from);
        self.vacated.entry(from.clone()).or_default().push(id);
        self.needs_room(id, to);
        let document = &mut self.all[id];
        document.path = to.clone();
        (document.is_whole, document.is_there) = (true, true);
        document.by(key.0);
        self.at.insert(to.clone(), id);
    }

    fn begin(
        &mut self,
        key: DocumentKey,
        origin: Option<RootedPath>,
        path: &RootedPath,
        old: Option<&'e Arc<[u8]>>,
    ) -> usize {
        let is_there = origin.is_some();
        let (path, steps, writes) = (path.clone(), Vec::new(), Vec::new());
        self.at.insert(path.clone(), self.all.len());
        self.all.push(PlannedDocument {
            key,
            origin,
            path,
            is_there,
            old,
            new: old,
            is_whole: false,
            steps,
            writes,
        });
        self.all.len() - 1
    }

    fn ends(&mut self, id: usize, step: usize) {
        let document = &mut self.all[id];
        (document.is_whole, document.is_there) = (true, false);
        document.by(step);
        let path = document.path.clone();
        self.vacated.entry(path).or_default().push(id);
    }

    /// Links the document `id`, which comes to be at `path`, with what has to go first.
    fn needs_room(&mut self, id: usize, path: &RootedPath) {
        let mut above = Some(path.clone());
        while let Some(at) = above {
            let removed = self.vacated.get(&at).into_iter().flatten();
            self.links.extend(removed.map(|other| Link::Documents(id, *other)));
            above = at.parent();
        }
        if let Some(step) = self.removed.get(path) {
            self.links.push(Link::Step(id, *step));
            let beneath = self.vacated.iter().filter(|(at, _)| at.starts_with(path));
            self.links
                .extend(beneath.flat_map(|(_, removed)| removed).map(|other| Link::Documents(id, *other)));
        }
    }
}

impl PlannedDocument<'_> {
    fn by(&mut self, step: usize) {
        if self.steps.last() != Some(&step) {
            self.steps.push(step);
        }
    }

    /// Returns true if the plan leaves nothing of it that was not there before, and nothing is missing.
    pub(super) fn is_nothing(&self) -> bool {
        match &self.origin {
            None => !self.is_there,
            Some(origin) => {
                let same_mode = match (self.writes.first(), self.writes.last()) {
                    (Some((_, first)), Some((_, last))) => first.old_mode == last.mode,
                    _ => true,
                };
                let same_text = self.old.is_some() && self.old == self.new || self.writes.is_empty();
                self.is_there && *origin == self.path && same_mode && same_text
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextRegion {
    /// Its bytes before the plan.
    pub(super) old: Range<usize>,
    /// Its bytes after the changes so far.
    pub(super) new: Range<usize>,
    /// The parts of the plan that replaced it, in order; one may stand there again.
    pub(super) parts: Vec<StepPart>,
}

/// The bytes that a change replaces, those that replace them, and the part of the plan that it is.
#[derive(Debug, Clone)]
pub(super) struct Replaced {
    old: Range<usize>,
    new: Range<usize>,
    part: StepPart,
}

/// The changes of lines that `write` makes as changes of bytes, each with the part that it is.
pub(super) fn replaced(write: &Write, changes: impl Iterator<Item = (Change, StepPart)>) -> Vec<Replaced> {
    let mut old = Offsets::new(write.old.as_deref().unwrap_or_default());
    let mut new = Offsets::new(&write.new);
    changes
        .map(|(change, part)| Replaced {
            old: old.at(change.old.start)..old.at(change.old.end),
            new: new.at(change.new.start)..new.at(change.new.end),
            part,
        })
        .collect()
}

/// The offsets of lines, in ascending order. Lines end at LF.
struct Offsets<'t> {
    ends: memchr::Memchr<'t>,
    length: usize,
    line: usize,
    at: usize,
}

impl Offsets<'_> {
    fn new(text: &[u8]) -> Offsets<'_> {
        Offsets { ends: memchr_iter(b'\n', text), length: text.len(), line: 0, at: 0 }
    }

    fn at(&mut self, line: usize) -> usize {
        while self.line < line {
            self.at = self.ends.next().map_or(self.length, |end| end + 1);
            self.line += 1;
        }
        self.at
    }
}

/// Returns the regions of a text after `changes` of what `regions` had made of it. Both are in order.
pub(super) fn advanced(regions: Vec<TextRegion>, changes: Vec<Replaced>) -> Vec<TextRegion> {
    let mut merged = Vec::with_capacity(regions.len() + changes.len());
    let (mut regions, mut changes) = (regions.into_iter().peekable(), changes.into_iter().peekable());
    // Bytes of the text between, which were replaced before, and the ones that are.
    let (mut before, mut after) = (OffsetShift::default(), OffsetShift::default());
    loop {
        let starts = [
            regions.peek().map(|region: &TextRegion| region.new.start),
            changes.peek().map(|change: &Replaced| change.old.start),
        ];
        let Some(start) = starts.into_iter().flatten().min() else { return merged };
        let (old_start, new_start) = (before.back(start), after.forth(start));
        let (mut end, mut parts) = (start, Vec::new());
        // What touches it belongs to it.
        loop {
            if let Some(region) = regions.next_if(|region| region.new.start <= end) {
                end = end.max(region.new.end);
                before.add(&region.old, &region.new);
                match parts.is_empty() {
                    true => parts = region.parts,
                    false => parts.extend(region.parts),
                }
            } else if let Some(change) = changes.next_if(|change| change.old.start <= end) {
                end = end.max(change.old.end);
                after.add(&change.old, &change.new);
                parts.push(change.part);
            } else {
                break;
            }
        }
        merged.push(TextRegion { old: old_start..before.back(end), new: new_start..after.forth(end), parts });
    }
}

/// Returns the bytes of each of `last`, the regions of a text after a plan, when `regions` were those so far.
pub(super) fn places(last: &[TextRegion], regions: &[TextRegion]) -> Vec<Range<usize>> {
    let (mut shift, mut rest) = (OffsetShift::default(), regions.iter().peekable());
    let mut place = |region: &TextRegion| {
        while let Some(earlier) = rest.next_if(|earlier| earlier.old.end < region.old.start) {
            shift.add(&earlier.old, &earlier.new);
        }
        let start = shift.forth(region.old.start);
        while let Some(inner) = rest.next_if(|inner| inner.old.start <= region.old.end) {
            shift.add(&inner.old, &inner.new);
        }
        start..shift.forth(region.old.end)
    };
    last.iter().map(&mut place).collect()
}

#[derive(Debug, Default, Clone, Copy)]
struct OffsetShift {
    went: usize,
    came: usize,
}

impl OffsetShift {
    fn add(&mut self, old: &Range<usize>, new: &Range<usize>) {
        self.went += old.len();
        self.came += new.len();
    }

    /// The place after, of one before.
    fn forth(self, at: usize) -> usize {
        at + self.came - self.went
    }

    /// The place before, of one after.
    fn back(self, at: usize) -> usize {
        at + self.went - self.came
    }
}
