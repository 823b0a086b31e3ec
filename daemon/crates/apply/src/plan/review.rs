//! A plan for review by file: the hunks of each document, and the groups of them that go together.
//!
//! Pure. A group is what shares a part, an action that cannot be divided, a document that is done as a whole,
//! or a block that is all or nothing: whatever of a plan cannot be done without the rest. Each set of groups
//! can be carried out and gives exactly their lines (`exactly`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use clada_dialects::Policy;
use clada_edit::Change;
use clada_fs::RootedPath;
use clada_protocol::{FileHunk, LineEnds, PlannedFile, PlannedFileKind};

use super::documents::{
    DocumentKey, Documents, Link, PlannedDocument, StepPart, TextRegion, advanced, replaced,
};
use super::part::{action_id, hunk_id};
use crate::planned::Planned;
use crate::read::answer::{Answer, Atomicity};
use crate::results::diff::{shown_path, uri};
use crate::results::report::Budget;
use crate::results::weight::text_weight;
use crate::view::View;
use crate::write::Write;

const HUNK_WEIGHT: usize = 100;

const PART_WEIGHT: usize = 12;

/// The way in which an editor counts the documents that it shows.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// The line ends that end its lines.
    pub lines: LineEnds,
    /// Its versions of documents.
    pub versions: HashMap<RootedPath, i32>,
    /// The number of lines that it shows around a hunk.
    pub context: usize,
    /// The texts of its documents that it has not saved.
    pub buffers: Vec<(RootedPath, String)>,
}

/// The hunks of an action as they can be accepted one by one: the changes of each.
pub(super) type Hunks = Vec<Vec<Change>>;

#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The parts of each. Those with an id come first: the group `gN` is the one with index N - 1.
    parts: Vec<Vec<StepPart>>,
    /// The number of those with an id. The others show no lines, and are of one action.
    shown: usize,
    documents: HashMap<DocumentKey, Divided>,
}

#[derive(Debug, Clone)]
pub(crate) enum Divided {
    /// This one has all of it.
    Whole(usize),
    /// These have its regions, in order.
    Regions(Vec<usize>),
}

impl Groups {
    pub(super) fn parts(&self, group: usize) -> &[StepPart] {
        self.parts.get(group).map_or(&[], Vec::as_slice)
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn of_document(&self, key: DocumentKey) -> Option<&Divided> {
        self.documents.get(&key)
    }

    /// Returns the groups of the document, each perhaps more than once.
    pub(super) fn by_document(&self) -> impl Iterator<Item = &[usize]> {
        self.documents.values().map(|divided| match divided {
            Divided::Whole(group) => std::slice::from_ref(group),
            Divided::Regions(groups) => groups.as_slice(),
        })
    }

    /// Returns the id of the group that all of a step belongs to, for each of the first `steps`.
    pub(super) fn of_steps(&self, steps: usize) -> Vec<Option<String>> {
        let mut groups: Vec<Option<Result<usize, ()>>> = vec![None; steps];
        for (group, parts) in self.parts.iter().enumerate() {
            for (step, _) in parts {
                if let Some(slot) = groups.get_mut(*step) {
                    *slot = match slot {
                        None => Some(Ok(group)),
                        Some(Ok(one)) if *one == group => continue,
                        Some(_) => Some(Err(())),
                    };
                }
            }
        }
        groups.into_iter().map(|group| self.id(group?.ok()?)).collect()
    }

    pub(super) fn with_id(&self, id: &str) -> Option<usize> {
        let number: usize = id.strip_prefix('g')?.parse().ok()?;
        (number <= self.shown && group_id(number.checked_sub(1)?) == id).then(|| number - 1)
    }

    pub(super) fn id(&self, group: usize) -> Option<String> {
        (group < self.shown).then(|| group_id(group))
    }

    pub(super) fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(|parts| 24 + parts.len() * size_of::<StepPart>()).sum();
        parts + self.by_document().map(|groups| 64 + size_of_val(groups)).sum::<usize>()
    }
}

fn group_id(index: usize) -> String {
    format!("g{}", index + 1)
}

pub(super) struct Reviewed<'r> {
    pub(super) planned: &'r [Planned],
    pub(super) answer: &'r Answer,
    /// By step: the hunks by which it can be accepted, if there are any.
    pub(super) hunks: &'r [Hunks],
    pub(super) counted: &'r Counted,
}

impl Reviewed<'_> {
    /// Returns the files of the plan with as many hunks as have room, and its groups.
    pub(super) fn files(&self, view: &View<'_>, budget: &mut Budget) -> (Vec<PlannedFile>, Groups) {
        let outcomes = self.planned.iter().enumerate();
        let effects = outcomes.filter_map(|(step, planned)| Some((step, planned.outcome.as_ref().ok()?)));
        let documents = Documents::of_effects(effects);
        let mut drafts: Vec<Draft<'_, '_>> =
            documents.all.iter().map(|document| self.draft(document, view)).collect();
        let mut order: Vec<usize> = (0..drafts.len()).collect();
        order.sort_by(|one, other| {
            let key = |id: usize| (&drafts[id].file.path, drafts[id].document.key);
            key(*one).cmp(&key(*other))
        });
        for id in &order {
            drafts[*id].show(self.counted, budget);
        }
        let joined = self.joined(&drafts, &documents.links);
        self.listing(drafts, &order, joined)
    }

    fn draft<'d, 'e>(&self, document: &'d PlannedDocument<'e>, view: &View<'_>) -> Draft<'d, 'e> {
        let roots = view.roots();
        let shown = document.origin.as_ref().filter(|_| !document.is_there).unwrap_or(&document.path);
        let kind = match (&document.origin, document.is_there) {
            (_, false) => PlannedFileKind::Delete,
            (None, true) => PlannedFileKind::Create,
            (Some(origin), true) if *origin != document.path => PlannedFileKind::Move,
            (Some(_), true) => PlannedFileKind::Change,
        };
        let moved = document.origin.as_ref().filter(|_| kind == PlannedFileKind::Move);
        let is_secret = view.is_secret(&document.path)
            || document.origin.as_ref().is_some_and(|origin| view.is_secret(origin));
        let file = PlannedFile {
            path: shown_path(roots, shown),
            uri: uri(roots, shown),
            kind,
            old_path: moved.map(|path| shown_path(roots, path)),
            version: document.origin.as_ref().and_then(|origin| self.counted.versions.get(origin).copied()),
            ..PlannedFile::default()
        };
        let is_whole = document.is_whole || is_secret;
        let regions = if is_whole { Vec::new() } else { regions(document, |step| self.hunks.get(step)) };
        Draft { document, file, is_secret, is_whole, regions, hunks: Vec::new() }
    }

    fn parts(&self, step: usize) -> impl Iterator<Item = StepPart> + use<> {
        let count = self.hunks.get(step).map_or(0, Vec::len);
        let hunks = (0..count).map(move |hunk| (step, Some(hunk)));
        hunks.chain((count == 0).then_some((step, None)))
    }

    fn joined(&self, drafts: &[Draft<'_, '_>], links: &[Link]) -> Joined {
        let mut joined = Joined::default();
        for draft in drafts {
            let (steps, regions) = (&draft.document.steps, &draft.regions);
            let first = joined.sets.len();
            joined.documents.push(first);
            if draft.is_whole {
                joined.add();
                let parts = steps.iter().flat_map(|step| self.parts(*step));
                parts.for_each(|part| joined.with_part(first, part));
            } else {
                for (at, region) in regions.iter().enumerate() {
                    joined.add();
                    region.parts.iter().for_each(|part| joined.with_part(first + at, *part));
                }
            }
        }
        for link in links {
            match *link {
                Link::Documents(one, other) => joined.join(joined.documents[one], joined.documents[other]),
                Link::Step(document, step) => {
                    let set = joined.documents[document];
                    self.parts(step).for_each(|part| joined.with_part(set, part));
                }
            }
        }
        self.join_blocks(&mut joined);
        joined
    }

    fn join_blocks(&self, joined: &mut Joined) {
        let whole = self.answer.atomicity == Atomicity::AllOrNothing;
        let steps: Vec<usize> = (0..self.planned.len()).collect();
        let blocks = steps.chunk_by(|one, next| {
            let group = |at: usize| self.planned[at].step.group;
            whole || group(*one).binds(group(*next))
        });
        for block in blocks {
            let is_atomic = |step: &usize| self.planned[*step].step.group.policy == Policy::Atomic;
            if !whole && !block.first().is_some_and(is_atomic) {
                continue;
            }
            let parts: Vec<StepPart> = block.iter().flat_map(|step| self.parts(*step)).collect();
            if let Some(set) = parts.iter().find_map(|part| joined.parts.get(part).copied()) {
                parts.into_iter().for_each(|part| joined.with_part(set, part));
            }
        }
    }

    fn listing(
        &self,
        mut drafts: Vec<Draft<'_, '_>>,
        order: &[usize],
        mut joined: Joined,
    ) -> (Vec<PlannedFile>, Groups) {
        let mut groups = Groups::default();
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut number = |set: usize, joined: &mut Joined, groups: &mut Groups| {
            let next = groups.parts.len();
            let number = *numbers.entry(joined.root(set)).or_insert(next);
            if number == next {
                groups.parts.push(Vec::new());
            }
            number
        };
        let ids = |parts: &[StepPart]| {
            let mut parts = parts.to_vec();
            parts.sort_unstable();
            parts.dedup();
            parts.into_iter().map(|part| self.part_id(part)).collect::<Vec<_>>()
        };
        let mut files = Vec::new();
        for id in order {
            let draft = &mut drafts[*id];
            let (first, mut file) = (joined.documents[*id], std::mem::take(&mut draft.file));
            if draft.document.is_nothing() || (draft.hunks.is_empty() && !draft.is_whole) {
                continue;
            }
            if draft.is_whole {
                let parts: Vec<StepPart> =
                    draft.document.steps.iter().flat_map(|step| self.parts(*step)).collect();
                file.parts = ids(&parts);
                file.group = Some(group_id(number(first, &mut joined, &mut groups)));
            }
            let place = files.len() + 1;
            for (at, hunk) in std::mem::take(&mut draft.hunks).into_iter().enumerate() {
                let set = first + hunk.region;
                let parts = match draft.regions.get(hunk.region) {
                    Some(region) => ids(&region.parts),
                    None => file.parts.clone(),
                };
                let LineHunk { start, removed, added, before, after, .. } = hunk;
                let group = group_id(number(set, &mut joined, &mut groups));
                let id = format!("f{place}.h{}", at + 1);
                let steps = match draft.regions.get(hunk.region) {
                    Some(region) => region.parts.iter().map(|(step, _)| *step).collect(),
                    None => draft.document.steps.clone(),
                };
                let edits = steps.into_iter().flat_map(|step| &self.planned[step].step.edited);
                let edited = edits.clone().any(|edit| edit.makes(&removed, &added));
                let hunk = FileHunk {
                    id,
                    start,
                    removed,
                    added,
                    before,
                    after,
                    parts,
                    group,
                    edited,
                    ..FileHunk::default()
                };
                file.hunks.push(hunk);
            }
            files.push(file);
        }
        // What shows no lines has an id if it ties actions to each other: they cannot be accepted one by one.
        let parts: Vec<(StepPart, usize)> = joined.parts.iter().map(|(part, set)| (*part, *set)).collect();
        let mut tied: Vec<(usize, usize)> =
            parts.iter().map(|((step, _), set)| (joined.root(*set), *step)).collect();
        tied.sort_unstable();
        tied.dedup();
        for several in tied.chunk_by(|one, next| one.0 == next.0).filter(|steps| steps.len() > 1) {
            number(several[0].0, &mut joined, &mut groups);
        }
        groups.shown = groups.parts.len();
        for (id, draft) in drafts.iter().enumerate() {
            let first = joined.documents[id];
            let divided = match draft.is_whole {
                true => Divided::Whole(number(first, &mut joined, &mut groups)),
                false => Divided::Regions(
                    (0..draft.regions.len()).map(|at| number(first + at, &mut joined, &mut groups)).collect(),
                ),
            };
            groups.documents.insert(draft.document.key, divided);
        }
        for (part, set) in parts {
            let group = number(set, &mut joined, &mut groups);
            groups.parts[group].push(part);
        }
        groups.parts.iter_mut().for_each(|parts| parts.sort_unstable());
        (files, groups)
    }

    fn part_id(&self, (step, hunk): StepPart) -> String {
        let action = action_id(&self.planned[step].step);
        hunk.map_or(action.clone(), |hunk| hunk_id(&action, hunk + 1))
    }
}

/// The regions of a document that is not whole; `hunks` has the hunks of a step by which it can be accepted.
pub(super) fn regions<'h>(
    document: &PlannedDocument<'_>,
    hunks: impl Fn(usize) -> Option<&'h Hunks>,
) -> Vec<TextRegion> {
    let step_regions = |regions: Vec<TextRegion>, (step, write): &(usize, &Write)| {
        advanced(regions, changes(*step, write, hunks(*step)))
    };
    document.writes.iter().fold(Vec::new(), step_regions)
}

/// The changes of bytes that `write` makes, with the parts that they are: one for all, if `hunks` has none.
pub(super) fn changes(step: usize, write: &Write, hunks: Option<&Hunks>) -> Vec<super::documents::Replaced> {
    let computed: Hunks;
    let (changes, divided) = match hunks.filter(|hunks| !hunks.is_empty()) {
        Some(hunks) => (hunks, true),
        None => {
            let text = |content| std::str::from_utf8(content).unwrap_or_default();
            let old = write.old.as_deref().map(text).unwrap_or_default();
            computed = clada_edit::hunk_changes(old, text(&write.new));
            (&computed, false)
        }
    };
    let parts = changes.iter().enumerate().flat_map(|(hunk, changes)| {
        changes.iter().map(move |change| (change.clone(), (step, divided.then_some(hunk))))
    });
    replaced(write, parts)
}

struct Draft<'d, 'e> {
    document: &'d PlannedDocument<'e>,
    file: PlannedFile,
    is_secret: bool,
    is_whole: bool,
    regions: Vec<TextRegion>,
    hunks: Vec<LineHunk>,
}

struct LineHunk {
    region: usize,
    start: usize,
    removed: Vec<String>,
    added: Vec<String>,
    before: Vec<String>,
    after: Vec<String>,
}

impl<'d> Draft<'d, '_> {
    /// Finds the hunks, if they are to be shown and have room. If not, the document is one whole.
    fn show(&mut self, counted: &Counted, budget: &mut Budget) {
        let lines = counted.lines;
        if self.is_secret || self.document.is_nothing() {
            return;
        }
        let Some((old, new)) = self.texts() else { return };
        let (old, new) = without_mark(old, new);
        // What stays the same is not shown.
        let at_least = old.text.len().abs_diff(new.text.len());
        if at_least <= budget.remaining() {
            self.hunks = match self.is_whole {
                true => line_hunks(0, 0, old.text, new.text, lines),
                false => region_hunks(&self.regions, &old, &new, lines),
            };
        }
        let weight = |hunk: &LineHunk| {
            let texts = hunk.removed.iter().chain(&hunk.added).map(|line| text_weight(line)).sum::<usize>();
            let parts = self.regions.get(hunk.region).map_or(1, |region| region.parts.len());
            HUNK_WEIGHT + texts + parts * PART_WEIGHT
        };
        let weight: usize = self.hunks.iter().map(weight).sum();
        if at_least > budget.remaining() || !budget.take(weight) {
            budget.note_cut();
            (self.file.truncated, self.is_whole) = (true, true);
            self.hunks.clear();
            self.regions.clear();
        } else if counted.context > 0 {
            surround(&mut self.hunks, &split(old.text, lines).collect::<Vec<_>>(), counted.context, budget);
        }
    }

    fn texts(&self) -> Option<(&'d str, &'d str)> {
        let document = self.document;
        let old = text_of(document.old, document.origin.is_some())?;
        Some((old, text_of(document.new, document.is_there)?))
    }
}

/// Returns a content as a text, if it is one that is at hand; where there is no file, it is empty.
fn text_of(content: Option<&Arc<[u8]>>, is_there: bool) -> Option<&str> {
    match is_there {
        true => std::str::from_utf8(content?).ok(),
        false => Some(""),
    }
}

#[derive(Clone, Copy)]
struct Unmarked<'t> {
    text: &'t str,
    mark: usize,
}

impl<'t> Unmarked<'t> {
    fn part(&self, range: &std::ops::Range<usize>) -> &'t str {
        self.text
            .get(range.start.saturating_sub(self.mark)..range.end.saturating_sub(self.mark))
            .unwrap_or_default()
    }
}

fn without_mark<'t>(old: &'t str, new: &'t str) -> (Unmarked<'t>, Unmarked<'t>) {
    const MARK: char = '\u{feff}';
    match (old.strip_prefix(MARK), new.strip_prefix(MARK)) {
        (Some(old), Some(new)) => {
            let mark = MARK.len_utf8();
            (Unmarked { text: old, mark }, Unmarked { text: new, mark })
        }
        _ => (Unmarked { text: old, mark: 0 }, Unmarked { text: new, mark: 0 }),
    }
}

fn region_hunks(
    regions: &[TextRegion],
    old: &Unmarked<'_>,
    new: &Unmarked<'_>,
    lines: LineEnds,
) -> Vec<LineHunk> {
    let (mut line, mut from) = (0, 0);
    let mut hunks = Vec::new();
    for (at, region) in regions.iter().enumerate() {
        line += split(old.part(&(from..region.old.start)), lines).count();
        let there = old.part(&region.old);
        hunks.extend(line_hunks(at, line, there, new.part(&region.new), lines));
        from = region.old.start;
    }
    hunks
}

/// The lines that differ between two texts, the first of which begins at the line `first` of `region`.
fn line_hunks(region: usize, first: usize, old: &str, new: &str, lines: LineEnds) -> Vec<LineHunk> {
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old, lines).collect(), split(new, lines).collect());
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let hunk = |change: Change| LineHunk {
        region,
        start: first + change.old.start,
        removed: owned(&old[change.old]),
        added: owned(&new[change.new]),
        before: Vec::new(),
        after: Vec::new(),
    };
    clada_edit::changes(&old, &new).into_iter().map(hunk).collect()
}

/// Gives hunks of a text, from the first to the last, up to `count` of its lines on each side that stay; each
/// line once, and as far as there is room.
fn surround(hunks: &mut [LineHunk], lines: &[&str], count: usize, budget: &mut Budget) {
    let mut take = |from: usize, to: usize| {
        let around = lines.get(from..to).unwrap_or_default();
        let weight = around.iter().map(|line| text_weight(line)).sum();
        let around = if weight <= budget.remaining() && budget.take(weight) { around } else { &[] };
        around.iter().map(|line| (*line).to_owned()).collect()
    };
    let mut shown = 0;
    for at in 0..hunks.len() {
        let next = hunks.get(at + 1).map_or(lines.len(), |next| next.start);
        let hunk = &mut hunks[at];
        let end = hunk.start + hunk.removed.len();
        hunk.before = take(shown.max(hunk.start.saturating_sub(count)), hunk.start);
        shown = next.min(end + count);
        hunk.after = take(end, shown);
    }
}

fn split(text: &str, lines: LineEnds) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = match lines {
            LineEnds::Lf => memchr::memchr(b'\n', rest.as_bytes()),
            LineEnds::Lsp => memchr::memchr2(b'\n', b'\r', rest.as_bytes()),
        };
        let length = match end {
            Some(end) if rest.as_bytes().get(end..end + 2) == Some(b"\r\n") => end + 2,
            Some(end) => end + 1,
            None => rest.len(),
        };
        let (line, after) = rest.split_at(length);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

/// Sets of regions, documents and parts that go together.
#[derive(Debug, Default)]
struct Joined {
    /// Of each set: another one that it is in, or itself.
    sets: Vec<usize>,
    /// The set of each document; of one that is divided, that of its first region, which the others follow.
    documents: Vec<usize>,
    parts: HashMap<StepPart, usize>,
}

impl Joined {
    fn add(&mut self) {
        self.sets.push(self.sets.len());
    }

    fn root(&mut self, set: usize) -> usize {
        let mut at = set;
        while self.sets[at] != at {
            self.sets[at] = self.sets[self.sets[at]];
            at = self.sets[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.sets[one.max(other)] = one.min(other);
    }

    fn with_part(&mut self, set: usize, part: StepPart) {
        match self.parts.entry(part) {
            Entry::Occupied(entry) => {
                let other = *entry.get();
                self.join(set, other);
            }
            Entry::Vacant(entry) => drop(entry.insert(set)),
        }
    }
}
