//! The promise of an action of a saved plan: what it was going to do, by hashes, and the hunks of that.
//!
//! Pure. Two effects with the same hash find and leave the same. A plan that waits for a decision keeps hashes, no
//! texts, so that many have room: the texts are made again when it is applied.

use std::collections::{HashMap, HashSet};

use clada_edit::TextHunk;
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;

use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::{AcceptedHunks, ChangeHashes, HunkLines, Step};
use crate::write::{Before, Write};

#[derive(Debug)]
pub(crate) enum Promise {
    Change(ChangeHashes),
    Failure(Box<Failure>),
}

impl PartialEq for Promise {
    fn eq(&self, other: &Promise) -> bool {
        match (self, other) {
            (Promise::Change(change), Promise::Change(other)) => change.exact == other.exact,
            (Promise::Failure(failure), Promise::Failure(other)) => {
                (failure.kind, &failure.message) == (other.kind, &other.message)
            }
            _ => false,
        }
    }
}

impl ChangeHashes {
    /// Of the effect of `step`, which has these hunks.
    pub(super) fn of(step: &Step, effect: &Effect, hunks: &[TextHunk]) -> ChangeHashes {
        let change = ChangeHashes::exactly(effect);
        // A line's number means another line when something above it is left out.
        if step.is_by_number() {
            return change;
        }
        let each = if hunks.len() > 1 { lines_of_each(effect, hunks) } else { Vec::new() };
        ChangeHashes { lines: Some(lines_of(effect, hunks)), each, ..change }
    }

    /// Of an effect that counts only if exactly that happens again.
    pub(super) fn exactly(effect: &Effect) -> ChangeHashes {
        ChangeHashes { exact: exact(effect), lines: None, each: Vec::new() }
    }
}

/// Returns what is left of `effect` if only those of its hunks are accepted.
pub(crate) fn cut(effect: Effect, accepted: &HashSet<usize>) -> Effect {
    let Effect::Write(write) = effect else { return effect };
    let Some((old, new)) = texts(&write) else { return Effect::Write(write) };
    let hunks = clada_edit::hunks(old, new);
    let text = clada_edit::apply_hunks(old, new, &hunks, |index| accepted.contains(&index));
    Effect::Write(Write { replacements: accepted.len(), ..write.with_new(text.into_bytes().into()) })
}

fn texts(write: &Write) -> Option<(&str, &str)> {
    let old = std::str::from_utf8(write.old.as_deref().unwrap_or_default()).ok()?;
    Some((old, std::str::from_utf8(&write.new).ok()?))
}

pub(super) fn hunks_of(effect: &Effect) -> Vec<TextHunk> {
    match effect {
        Effect::Write(write) if !write.is_unchanged() => {
            texts(write).map(|(old, new)| clada_edit::hunks(old, new)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// A hash of what an effect finds and leaves, by content.
pub(crate) fn exact(effect: &Effect) -> blake3::Hash {
    let mut hasher = Parts::default();
    match effect {
        Effect::Command(command) => {
            hasher.add(command.text.as_bytes());
            hasher.add(command.spec.program.as_os_str().as_encoded_bytes());
            hasher.add(command.spec.folder.as_os_str().as_encoded_bytes());
            command.script.iter().for_each(|script| hasher.add(script.as_bytes()));
        }
        Effect::Steps(steps) => steps.iter().for_each(|step| hasher.add(exact(step).as_bytes())),
        Effect::Write(write) => hasher.write(write),
        Effect::Several(files) => {
            for file in files {
                match file {
                    Ok(write) => hasher.write(write),
                    Err((path, failure)) => hasher.path(path).add(failure.message.as_bytes()),
                }
            }
        }
        Effect::Delete { path, before, .. } => hasher.path(path).before(before),
        Effect::Move { from, before, to, replaced, .. } => {
            hasher.path(from).before(before);
            hasher.path(to).before(replaced);
        }
        Effect::WriteMoved { from, before, write } => {
            hasher.path(from).before(before);
            hasher.write(write);
        }
        Effect::CreateFolder { path, missing } => {
            hasher.add_path(path);
            missing.iter().for_each(|folder| hasher.add_path(folder));
        }
        Effect::RemoveFolder(path) => hasher.add_path(path),
        Effect::Restore(restore) => hasher.path(&restore.path).before(&restore.before),
        // It changes nothing, so it may show something else when it is executed.
        Effect::ReadOnly(_) => {}
    }
    hasher.0.finalize()
}

/// A hash of the lines that go and come, hunk by hunk, without where they stand.
pub(crate) fn lines(effect: &Effect) -> blake3::Hash {
    lines_of(effect, &hunks_of(effect))
}

fn lines_of(effect: &Effect, hunks: &[TextHunk]) -> blake3::Hash {
    let Effect::Write(write) = effect else { return exact(effect) };
    if texts(write).is_none() {
        return exact(effect);
    }
    let mut hasher = Parts::default();
    write.paths().for_each(|path| hasher.add_path(path));
    // The same lines in a new file are another change than at the end of one.
    if matches!(write.before, Before::Missing) {
        hasher.add(b"missing");
    }
    for hunk in hunks {
        // Hunks are accepted by number, so the same lines in other hunks are not the same.
        hasher.add(b"@@");
        hasher.changed(hunk);
    }
    hasher.0.finalize()
}

fn lines_of_each(effect: &Effect, hunks: &[TextHunk]) -> Vec<HunkLines> {
    let Effect::Write(write) = effect else { return Vec::new() };
    let of_hunk = |hunk: &TextHunk| {
        let mut hasher = Parts::default();
        hasher.path(&write.path);
        hasher.changed(hunk);
        let mut lines = HunkLines::default();
        hasher.0.finalize_xof().fill(&mut lines);
        lines
    };
    hunks.iter().map(of_hunk).collect()
}

/// The hunks of an effect that are `accepted`; `None` if that cannot be told: it is not the change that was shown,
/// and lacks an accepted hunk, has lines that were not shown, or equal ones of which some are not accepted.
pub(super) fn accepted_hunks(effect: &Effect, accepted: &AcceptedHunks) -> Option<HashSet<usize>> {
    let AcceptedHunks { change, hunks: accepted } = accepted;
    if exact(effect) == change.exact {
        return Some(accepted.clone().unwrap_or_default());
    }
    let (accepted, hunks) = (accepted.as_ref()?, hunks_of(effect));
    if change.lines.is_some_and(|promised| lines_of(effect, &hunks) == promised) {
        return Some(accepted.clone());
    }
    // Whether those with these lines are accepted; `None`: some are.
    let mut shown: HashMap<&HunkLines, Option<bool>> = HashMap::new();
    for (index, lines) in change.each.iter().enumerate() {
        let is_accepted = Some(accepted.contains(&index));
        let of_lines = shown.entry(lines).or_insert(is_accepted);
        *of_lines = is_accepted.filter(|_| *of_lines == is_accepted);
    }
    let mut chosen = HashSet::new();
    for (index, lines) in lines_of_each(effect, &hunks).iter().enumerate() {
        if (*shown.get(lines)?)? {
            chosen.insert(index);
        }
    }
    (!chosen.is_empty() && chosen.len() == accepted.len()).then_some(chosen)
}

/// A hasher of parts whose borders count.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes()).update(part);
    }

    fn add_path(&mut self, path: &RootedPath) {
        self.path(path);
    }

    fn path(&mut self, path: &RootedPath) -> &mut Parts {
        self.0.update(&(path.root() as u64).to_le_bytes());
        self.add(path.relative().as_os_str().as_encoded_bytes());
        self
    }

    fn changed(&mut self, hunk: &TextHunk) {
        for line in hunk.diff.lines().filter(|line| line.starts_with(['+', '-'])) {
            self.add(line.as_bytes());
        }
    }

    fn before(&mut self, before: &Before) {
        match before {
            Before::Missing => self.add(b"missing"),
            Before::Content(hash) => self.add(hash.as_bytes()),
            Before::File(identity) => self.add(format!("{identity:?}").as_bytes()),
            Before::Symlink(target) => self.add(target),
        }
    }

    fn write(&mut self, write: &Write) {
        write.paths().for_each(|path| self.add_path(path));
        self.before(&write.before);
        self.add(write.new_hash.as_bytes());
        self.add(write.mode.octal().as_bytes());
    }
}

// The accepted hunks of a step's effect, or all of it, if it is the change that the user was shown.
pub(super) fn accepted_of(step: &Step, effect: Effect) -> Result<Effect, Failure> {
    let Some(accepted) = &step.accepted else { return Ok(effect) };
    if effect.is_unchanged() && !step.is_proposal {
        return Ok(effect);
    }
    match (accepted_hunks(&effect, accepted), &accepted.hunks) {
        (Some(hunks), Some(_)) => Ok(cut(effect, &hunks)),
        (Some(_), None) => Ok(effect),
        (None, _) if step.is_proposal => Err(conflict(effect.first_path(), false)),
        (None, _) => {
            let issue = "This is no longer the change that you accepted in part";
            Err(Failure::at(ErrorKind::Conflict, issue, effect.first_path(), "CONFLICT")
                .hint("show the answer again, and choose from it as it is now"))
        }
    }
}

pub(crate) fn conflict(path: &str, loose: bool) -> Failure {
    let (issue, hint) = match loose {
        true => ("Change depends on one that was not accepted", "accept that one, too"),
        false => ("File changed since the plan", "write the edit again for the current file"),
    };
    Failure::at(ErrorKind::Conflict, issue, path, "CONFLICT")
        .hint(hint)
        .person("or apply the answer again, which skips what is done")
}
