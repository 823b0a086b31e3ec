//! Lines that take back what stands above them: which candidates and blocks they mean.

use super::Reader;
use crate::cursor::Line;
use crate::plain::lead::Lead;
use crate::plain::retraction::{self, Change, Retraction, Target, Thing};
use crate::plain::{Candidate, Form, Group, NoteKind};

// The most lines that take something back.
const MOST: usize = 100;

// A change that the answer showed so far.
#[derive(Debug)]
struct ShownChange {
    line: u32,
    paths: Vec<String>,
    is_deed: bool,
    at: At,
}

#[derive(Debug, Clone, Copy)]
enum At {
    Candidate(usize),
    Block(usize),
}

// The changes that a line may mean, by their place among those shown; none is certain if it may mean others, too.
#[derive(Debug, Default, PartialEq, Eq)]
struct Meant {
    places: Vec<usize>,
    is_certain: bool,
}

impl<'a> Reader<'a> {
    // Leaves out, or doubts, the candidates and blocks that `line` takes back by name.
    pub(super) fn retract(&mut self, line: &Line<'a>) {
        let has_any = !self.plain.candidates.is_empty() || !self.blocks.is_empty();
        let may_retract = has_any && retraction::may_retract(line.text) && self.attempt();
        if may_retract
            && self.retractions < MOST
            && let Some(retraction) = retraction::read(line.text)
        {
            self.retractions += 1;
            self.take_back(&retraction, line.text.trim());
        }
        self.steps.read(line);
    }

    fn take_back(&mut self, retraction: &Retraction, words: &str) {
        let shown = self.shown_so_far();
        let meant = self.meant(&retraction.target, &shown);
        let of = retraction.of;
        let is_of = |one: &&ShownChange| of == Change::Any || one.is_deed == (of == Change::Deed);
        let meant_ones = meant.places.iter().filter_map(|place| shown.get(*place)).filter(is_of);
        let is_certain = meant.is_certain && retraction.is_certain;
        let mut candidates = Vec::new();
        for one in meant_ones {
            match one.at {
                At::Block(at) => self.blocks[at].take_back(is_certain, words),
                At::Candidate(at) => candidates.push(at),
            }
        }
        if !is_certain {
            candidates.iter().for_each(|at| self.plain.candidates[*at].conditional = true);
            return;
        }
        if !candidates.is_empty() {
            // It is no first half of what follows.
            self.last = None;
        }
        candidates.sort_unstable();
        for at in candidates.into_iter().rev() {
            let one = self.plain.candidates.remove(at);
            let path = path_of(&one).map(str::to_owned);
            self.note_words(one.lines, NoteKind::TakenBack, path, words);
        }
    }

    fn shown_so_far(&self) -> Vec<ShownChange> {
        let candidates = self.plain.candidates.iter().enumerate().map(|(at, one)| ShownChange {
            line: one.lines.start,
            paths: path_of(one).map(str::to_owned).into_iter().collect(),
            is_deed: super::is_operation(one) || one.form == Form::Commands,
            at: At::Candidate(at),
        });
        let blocks = self.blocks.iter().enumerate().filter(|(_, block)| block.lead < Lead::Report);
        let blocks = blocks.map(|(at, block)| {
            let claimed = &self.all_blocks[block.number];
            let (line, paths) = (claimed.lines.start, claimed.paths.clone());
            ShownChange { line, paths, is_deed: claimed.is_deed, at: At::Block(at) }
        });
        let mut shown: Vec<ShownChange> = candidates.chain(blocks).collect();
        shown.sort_by_key(|one| one.line);
        shown
    }

    fn meant(&self, target: &Target, shown: &[ShownChange]) -> Meant {
        match target {
            Target::File(file) => of_paths(shown, |path| retraction::is_file(file, path)),
            Target::Steps(numbers) => {
                let steps: Vec<Meant> = numbers.iter().map(|number| self.of_step(*number, shown)).collect();
                Meant {
                    is_certain: steps.iter().all(|step| step.is_certain),
                    places: steps.into_iter().flat_map(|step| step.places).collect(),
                }
            }
            Target::Nth(at, thing) => self.nth(*at, *thing, shown),
            Target::Named(word) => {
                let meant = of_paths(shown, |path| retraction::is_called(word, path));
                let mut lines = meant.places.iter().filter_map(|place| shown[*place].paths.first());
                let first = lines.next();
                // Of several files any may be meant.
                Meant { is_certain: meant.is_certain && lines.all(|path| Some(path) == first), ..meant }
            }
        }
    }

    fn of_step(&self, number: u32, shown: &[ShownChange]) -> Meant {
        let within = |(start, end): (u32, u32)| -> Vec<usize> {
            (0..shown.len()).filter(|place| (start..end).contains(&shown[*place].line)).collect()
        };
        let steps: Vec<Vec<usize>> =
            self.steps.called(number).map(within).filter(|places| !places.is_empty()).collect();
        if steps.is_empty() {
            let has_steps = self.steps.called(1).map(within).any(|places| !places.is_empty());
            let nth = (number as usize).checked_sub(1).filter(|at| !has_steps && *at < shown.len());
            return Meant { places: nth.into_iter().collect(), is_certain: false };
        }
        Meant { is_certain: steps.len() == 1, places: steps.concat() }
    }

    fn nth(&self, at: usize, thing: Thing, shown: &[ShownChange]) -> Meant {
        let of = |count: usize| {
            if at == usize::MAX { count.checked_sub(1) } else { Some(at).filter(|at| *at < count) }
        };
        let mut paths: Vec<&String> = shown.iter().flat_map(|one| &one.paths).collect();
        paths.dedup();
        let file = || {
            let path = of(paths.len()).filter(|_| paths.len() > 1).map(|at| paths[at]);
            path.map_or_else(Meant::default, |path| of_paths(shown, |other| other == path))
        };
        let step = || {
            let number = if at == usize::MAX { self.steps.last() } else { u32::try_from(at + 1).ok() };
            number.map_or_else(Meant::default, |number| self.of_step(number, shown))
        };
        let one = || Meant { places: of(shown.len()).into_iter().collect(), is_certain: true };
        match thing {
            Thing::File => file(),
            Thing::Step => step(),
            Thing::Block => one(),
            // A step, a file or a block, which may be the same.
            Thing::Change => {
                let mut readings =
                    [step(), file(), one()].into_iter().filter(|meant| !meant.places.is_empty());
                let first = readings.next().unwrap_or_default();
                readings.fold(first, |all, other| {
                    let is_same = all.places == other.places;
                    let mut places = all.places;
                    places.extend(other.places);
                    places.sort_unstable();
                    places.dedup();
                    Meant { places, is_certain: all.is_certain && is_same }
                })
            }
        }
    }
}

// Returns the changes of the files whose paths are meant; one of further files as well is not certain.
fn of_paths(shown: &[ShownChange], is_meant: impl Fn(&str) -> bool) -> Meant {
    let places: Vec<usize> =
        (0..shown.len()).filter(|place| shown[*place].paths.iter().any(|path| is_meant(path))).collect();
    let is_certain = places.iter().all(|place| shown[*place].paths.iter().all(|path| is_meant(path)));
    Meant { places, is_certain }
}

fn path_of(candidate: &Candidate) -> Option<&str> {
    candidate.groups.iter().find_map(Group::sure_path)
}
