//! Edits of one file that have the same old lines and are actions of their own, as the blocks of aider are:
//! which of several places is whose turn (spec: answers, section 4).
//!
//! Knows the answer's actions and what came of those before. An edit that was not made takes the turns of
//! those after it: which place is theirs is not certain any more.

use std::collections::HashSet;
use std::hash::BuildHasher;

use blake3::Hash;
use clada_edit::{Choice, Patched, Turn};
use clada_fs::RootedPath;
use clada_protocol::visible_line;
use clada_schema::{Action, FilePatch, Hunk, HunkLine};

use super::planner::{Alike, LinesKey, Pending, Planner, Turns};
use crate::effect::Effect;
use crate::read::answer::Step;

impl Turns {
    fn key(&self, path: &RootedPath, hunk: &Hunk) -> LinesKey {
        (path.clone(), self.hasher.hash_one(hunk.old_lines()))
    }

    pub(super) fn forget(&mut self) {
        self.alike.clear();
        self.pending = None;
    }
}

impl Planner<'_> {
    pub(super) fn look_at_turns(&mut self, steps: &[Step]) {
        self.turns.forget();
        let mut seen = HashSet::new();
        for step in steps {
            let Ok(Action::FilePatch(patch)) = &step.action else { continue };
            let Ok(path) = self.file_to_change(&patch.path) else { continue };
            for (hunk, turn) in patch.hunks.iter().zip(clada_edit::turns(&patch.hunks)) {
                let says = (path.clone(), hunk.line_hint, self.turns.hasher.hash_one(sides(hunk)));
                let repeats = hunk.line_hint.is_some() && !seen.insert(says);
                if turn.of > 0 && !repeats {
                    let key = self.turns.key(&path, hunk);
                    let new = || Alike { steps: Vec::new(), applied: 0, from: 0, file: None, is_gone: true };
                    self.turns.alike.entry(key).or_insert_with(new).steps.push(step.seq);
                }
            }
        }
        self.turns.alike.retain(|_, alike| alike.steps.len() > 1);
    }

    /// The turns of the hunks of `patch`, which is the action of `step`, in a file that holds what `file` is
    /// the hash of.
    pub(super) fn turns_of(&mut self, patch: &FilePatch, step: &Step, file: Hash) -> Vec<Turn> {
        let own = clada_edit::turns(&patch.hunks);
        let Ok(path) = self.file_to_change(&patch.path) else { return own };
        let among_all = |(hunk, own): (&Hunk, &Turn)| {
            let Some(alike) = self.turns.alike.get(&self.turns.key(&path, hunk)) else { return *own };
            let is_next = alike.steps.get(alike.applied) == Some(&step.seq)
                && alike.applied.checked_sub(1).is_none_or(|last| alike.steps[last] != step.seq);
            let from = if alike.file == Some(file) { Some(alike.from) } else { alike.is_gone.then_some(0) };
            match from.filter(|_| is_next && own.of > 0) {
                Some(from) => Turn { at: own.at, of: alike.steps.len() - alike.applied, from },
                None => Turn::default(),
            }
        };
        patch.hunks.iter().zip(&own).map(among_all).collect()
    }

    /// Keeps what `patched`, which comes of `patch`, means for the edits after it, and tells what chose its
    /// places.
    pub(super) fn took_turns(
        &mut self,
        patch: &FilePatch,
        step: &Step,
        patched: &Patched,
        path: &RootedPath,
    ) {
        self.report_choices(&patched.chosen, path);
        let Ok(written) = self.file_to_change(&patch.path) else { return };
        let mut applied: Vec<(LinesKey, usize, usize, bool)> = Vec::new();
        for (hunk, end) in patch.hunks.iter().zip(&patched.ends) {
            let key = self.turns.key(&written, hunk);
            let Some(alike) = self.turns.alike.get(&key) else { continue };
            let count = alike.steps.partition_point(|seq| *seq <= step.seq);
            let is_gone = !puts_back(hunk);
            match applied.iter_mut().find(|(other, ..)| *other == key) {
                Some((_, _, from, absent)) => (*from, *absent) = ((*from).max(*end), *absent && is_gone),
                None => applied.push((key, count, *end, is_gone)),
            }
        }
        let file = || blake3::hash(&patched.bytes);
        self.turns.pending = (!applied.is_empty()).then(|| Pending { file: file(), applied });
    }

    /// Counts the edits of the action that was planned, if `effect` is what they come to.
    pub(super) fn pass_turns(&mut self, effect: Option<&Effect>) {
        let Some(pending) = self.turns.pending.take() else { return };
        let is_done = |effect: &Effect| effect.writes().iter().any(|write| write.new_hash == pending.file);
        if !effect.is_some_and(is_done) {
            return;
        }
        for (key, applied, from, is_gone) in pending.applied {
            if let Some(alike) = self.turns.alike.get_mut(&key) {
                (alike.applied, alike.from, alike.file) = (applied, from, Some(pending.file));
                alike.is_gone &= is_gone;
            }
        }
    }

    fn report_choices(&mut self, chosen: &[(usize, Choice)], path: &RootedPath) {
        let path = visible_line(path.written());
        for (hunk, choice) in chosen {
            let hunk = hunk + 1;
            self.warn(match choice {
                Choice::Turn => format!(
                    "The lines to change of hunk {hunk} are at several places of '{path}', and as many edits have them: \
                     each is made at one, in order"
                ),
                Choice::Number => format!(
                    "The lines to change of hunk {hunk} are at several places of '{path}': the one that agrees with its \
                     line number was taken"
                ),
            });
        }
    }
}

fn sides(hunk: &Hunk) -> Vec<(u8, &str)> {
    hunk.lines.iter().map(side).collect()
}

fn side(line: &HunkLine) -> (u8, &str) {
    match line {
        HunkLine::Context(text) => (0, text),
        HunkLine::Removed(text) => (1, text),
        HunkLine::Added(text) => (2, text),
    }
}

fn puts_back(hunk: &Hunk) -> bool {
    let old = hunk.old_lines();
    let new: Vec<&str> = hunk
        .lines
        .iter()
        .filter_map(|line| match line {
            HunkLine::Context(text) | HunkLine::Added(text) => Some(text.as_str()),
            HunkLine::Removed(_) => None,
        })
        .collect();
    new.windows(old.len().max(1)).any(|lines| lines == old)
}
