//! The files of what a sentence states: the one that it names, or several, each for its own change or for all of them.
//!
//! ````text
//! In `a.ts`, change `x` to `y`, and in `b.ts` change `u` to `v`.     a file before each change
//! Change `x` to `y` in `a.ts`, and `u` to `v` in `b.ts`.             a file behind each
//! Change `x` to `y` in both `a.ts` and `b.ts`.                       two files for one change
//! ````

use std::ops::Range;

use super::above::{Above, ProseLine};
use super::mention;
use super::path::Shape;
use super::{Group, Place, naming, words};
use crate::cursor::Line;

// Lines after which a file that was named is no longer meant, but by a heading.
const NEAR: u32 = 6;

pub(super) enum StatedFiles {
    // The files of each change, in order.
    Clear(Vec<Vec<Group>>),
    // Paths of which it is not clear what is changed where.
    Unclear(Vec<String>),
}

// Files that are named in a row: "both `a.ts` and `b.ts`".
struct PathRun {
    at: Range<usize>,
    paths: Vec<String>,
}

// Returns the files of the changes that stand at `places` of `line`, in order, below what `above` holds.
pub(super) fn files_of(line: &Line<'_>, places: &[usize], above: &Above<'_>) -> StatedFiles {
    let runs = runs(line.text);
    let mut paths: Vec<String> = runs.iter().flat_map(|run| run.paths.iter().cloned()).collect();
    paths.sort_unstable();
    paths.dedup();
    if paths.len() < 2 || line.text.trim_start().starts_with('|') {
        return match file_of(line, above) {
            Some(group) => StatedFiles::Clear(vec![vec![group]; places.len()]),
            None => StatedFiles::Unclear(Vec::new()),
        };
    }
    let Some(of_each) = run_of_each(line.text, &runs, places) else {
        let label = file_of(line, above)
            .filter(|group| group.sure_path().is_some_and(|path| paths.iter().any(|other| other == path)));
        return match label {
            Some(group) => StatedFiles::Clear(vec![vec![group]; places.len()]),
            None => StatedFiles::Unclear(paths),
        };
    };
    let group = |path: &String| Group::of(Place::Label, line.number, path.clone(), true);
    StatedFiles::Clear(of_each.into_iter().map(|run| run.paths.iter().map(group).collect()).collect())
}

// Returns the run of paths for each of `places`; `None` where it is not clear.
fn run_of_each<'r>(text: &str, runs: &'r [PathRun], places: &[usize]) -> Option<Vec<&'r PathRun>> {
    let (first, last) = (*places.first()?, *places.last()?);
    let before = |place: usize| runs.iter().rfind(|run| run.at.start < place);
    let behind = |place: usize| runs.iter().find(|run| run.at.start > place);
    let is_place = |run: &PathRun| words::ends_with_place(&text[..run.at.start]);
    let trailing = runs.iter().filter(|run| run.at.start > last).count();
    if runs.first()?.at.start < first {
        // What is named at the end may be another place, or no more than a reason.
        let is_clear = !runs.iter().any(|run| run.at.start > last && is_place(run));
        return is_clear.then(|| places.iter().map(|place| before(*place)).collect()).flatten();
    }
    match trailing {
        1 => places.iter().map(|place| behind(*place)).collect(),
        // "Change `x` to `y` in `a.ts`, and in `b.ts` change `u` to `v`."
        0 if let ([one, other], [_, _]) = (runs, places) => Some(vec![one, other]),
        _ => None,
    }
}

// Returns the sure paths of `text`, those together that only joining words divide.
fn runs(text: &str) -> Vec<PathRun> {
    let is_file =
        |one: &mention::LocatedMention| one.mention.sure && !one.mention.aside && one.shape == Shape::Path;
    let mut runs: Vec<PathRun> = Vec::new();
    for mention in mention::in_line(text, true).into_iter().filter(is_file) {
        let path = mention.mention.path;
        match runs.last_mut() {
            Some(run) if words::joins(&text[run.at.end..mention.at.start]) => {
                run.at.end = mention.at.end;
                run.paths.push(path);
            }
            _ => runs.push(PathRun { at: mention.at, paths: vec![path] }),
        }
    }
    runs
}

// Returns the file that `line` is about: the one that it names, or a line near above it, or the headings.
fn file_of(line: &Line<'_>, above: &Above<'_>) -> Option<Group> {
    let is_far = words::is_same_file(line.text);
    let is_near = |prose: &&ProseLine<'_>| is_far || prose.line.number + NEAR >= line.number;
    let near = above.near().chain(above.far()).take_while(is_near);
    named(line).or_else(|| near.chain(above.headings()).find_map(naming::of_label))
}

// Returns the file that `line` names, if it is one.
pub(super) fn named(line: &Line<'_>) -> Option<Group> {
    naming::group(line, Place::Label, "", false).filter(|group| group.sure_path().is_some())
}
