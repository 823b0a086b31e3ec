//! The effects of a plan that go to an editor as edits, and those that are not done: those that edits cannot
//! carry, and those that would see files without the edits.
//!
//! Pure. Works on what was planned; the edits themselves `workspace` makes.

use std::collections::HashSet;

use clada_exec::words::ReadOnlyBuiltIn;
use clada_fs::{RootedPath, Roots, Verdict};
use clada_protocol::ErrorKind;

use crate::effect::{Effect, ReadOnlyAction};
use crate::failure::Failure;
use crate::planned::Planned;
use crate::write::{Before, Write};

const NAMED: usize = 3;

#[derive(Debug, Clone, Default)]
pub(crate) enum Delivered {
    #[default]
    Nothing,
    All,
    Some {
        /// The documents that the editor holds, and those that have to go with them.
        paths: HashSet<RootedPath>,
        /// The folders that are only empty when the editor has made its changes.
        folders: HashSet<RootedPath>,
    },
}

impl Delivered {
    /// Returns what goes to an editor that holds `loaded`. What is moved to or from a document of it goes
    /// with it, since its text does, and so does what is below a path that the editor alone changes.
    pub(crate) fn from_plan(planned: &[Planned], loaded: &HashSet<RootedPath>) -> Delivered {
        let (mut paths, mut folders) = (loaded.clone(), HashSet::new());
        let effects: Vec<&Effect> = changes(planned).collect();
        let about = |effect: &Effect| effect.paths().cloned().collect::<Vec<_>>();
        // Until nothing is added: what moves along with one document may make a folder go, which makes others
        // move. The sets only grow, and the plan is finite.
        loop {
            let before = paths.len() + folders.len();
            let goes: HashSet<&RootedPath> = effects
                .iter()
                .filter_map(|effect| leaves(effect))
                .filter(|path| paths.contains(*path))
                .collect();
            for effect in &effects {
                if let Effect::RemoveFolder(folder) = effect
                    && goes.iter().any(|path| is_below(path, folder))
                {
                    folders.insert(folder.clone());
                }
            }
            for effect in &effects {
                match effect {
                    Effect::Move { .. } | Effect::WriteMoved { .. } => {
                        let about = about(effect);
                        let joins =
                            |path: &RootedPath| paths.contains(path) || has_above(path, &paths, &folders);
                        if about.iter().any(joins) {
                            paths.extend(about);
                        }
                    }
                    Effect::Write(_) | Effect::Several(_) | Effect::Delete { .. } => {
                        let below =
                            about(effect).into_iter().filter(|path| has_above(path, &paths, &folders));
                        let below: Vec<RootedPath> = below.collect();
                        paths.extend(below);
                    }
                    _ => {}
                }
            }
            if paths.len() + folders.len() == before {
                return Delivered::Some { paths, folders };
            }
        }
    }

    pub(crate) fn has_path(&self, path: &RootedPath) -> bool {
        match self {
            Delivered::Nothing => false,
            Delivered::All => true,
            Delivered::Some { paths, .. } => paths.contains(path),
        }
    }

    pub(crate) fn has(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Write(write) => self.has_path(&write.path),
            Effect::Delete { path, .. } => self.has_path(path),
            Effect::Move { from, to, .. } => self.has_path(from) || self.has_path(to),
            Effect::WriteMoved { from, write, .. } => self.has_path(from) || self.has_path(&write.path),
            Effect::RemoveFolder(path) => match self {
                Delivered::Some { folders, .. } => folders.contains(path),
                all => matches!(all, Delivered::All),
            },
            Effect::CreateFolder { path, .. } => match self {
                Delivered::Some { paths, folders } => {
                    paths.contains(path) || folders.contains(path) || has_above(path, paths, folders)
                }
                all => matches!(all, Delivered::All),
            },
            Effect::Several(_)
            | Effect::Steps(_)
            | Effect::Restore(_)
            | Effect::ReadOnly(_)
            | Effect::Command(_) => false,
        }
    }

    pub(crate) fn divide(&self, effect: &Effect) -> (Option<Effect>, Option<Effect>) {
        match effect {
            Effect::Several(files) => {
                let is_delivered = |write: &Write| self.has_path(&write.path);
                let part = |delivered: bool| {
                    let writes = files.iter().flatten().filter(|write| is_delivered(write) == delivered);
                    let writes: Vec<Write> = writes.cloned().collect();
                    (!writes.is_empty()).then(|| Effect::Several(writes.into_iter().map(Ok).collect()))
                };
                (part(true), part(false))
            }
            Effect::Steps(steps) => {
                let parts = steps.iter().map(|step| self.divide(step));
                let (delivered, rest): (Vec<_>, Vec<_>) = parts.unzip();
                let joined = |parts: Vec<Option<Effect>>| {
                    let parts: Vec<Effect> = parts.into_iter().flatten().collect();
                    (!parts.is_empty()).then_some(Effect::Steps(parts))
                };
                (joined(delivered), joined(rest))
            }
            effect if self.has(effect) => (Some(effect.clone()), None),
            effect => (None, Some(effect.clone())),
        }
    }
}

pub(crate) struct Handing<'a> {
    delivered: Delivered,
    roots: &'a Roots,
    /// The paths to which edits put files. Folders come with them.
    targets: Vec<RootedPath>,
    changed: Vec<RootedPath>,
    renamed: Vec<RootedPath>,
    /// Those of them at which nothing is in the end.
    vacated: Vec<RootedPath>,
    unsaved: &'a HashSet<RootedPath>,
}

impl<'a> Handing<'a> {
    pub(crate) fn new(
        planned: &[Planned],
        delivered: Delivered,
        unsaved: &'a HashSet<RootedPath>,
        roots: &'a Roots,
    ) -> Handing<'a> {
        let (mut targets, mut changed) = (Vec::new(), Vec::new());
        let (mut renamed, mut vacated) = (Vec::new(), Vec::<RootedPath>::new());
        for effect in changes(planned) {
            let (Some(handed), _) = delivered.divide(effect) else { continue };
            for path in handed.paths() {
                if !changed.contains(path) {
                    changed.push(path.clone());
                }
            }
            targets.extend(arrives(&handed).into_iter().cloned());
            renamed.extend(leaves(&handed).cloned());
            vacated.extend(leaves(&handed).cloned());
            vacated.retain(|path| !arrives(&handed).contains(&path));
            match &handed {
                Effect::Write(write) if write.before == Before::Missing => renamed.push(write.path.clone()),
                Effect::Move { to, .. } => renamed.push(to.clone()),
                Effect::WriteMoved { write, .. } => renamed.push(write.path.clone()),
                _ => {}
            }
        }
        Handing { delivered, roots, targets, changed, renamed, vacated, unsaved }
    }

    pub(crate) fn is_needed(&self) -> bool {
        !self.changed.is_empty()
    }

    pub(crate) fn refuse(&self, effect: &Effect) -> Option<Failure> {
        let is_some = matches!(self.delivered, Delivered::Some { .. });
        if is_some && !self.is_needed() && !effect.is_unchanged() {
            // Nothing goes to the editor, so that commands run: what they have left is no plan over its text.
            let handed = self.delivered.divide(effect).0;
            if let Some(path) = handed.as_ref().and_then(|handed| handed.paths().next()) {
                return Some(unplanned(path));
            }
        }
        effect.each().into_iter().find_map(|effect| match (&self.delivered, effect) {
            (Delivered::All, Effect::Command(_) | Effect::ReadOnly(ReadOnlyAction::Command { .. })) => {
                Some(self.not_carried("run a command"))
            }
            (Delivered::All, Effect::ReadOnly(ReadOnlyAction::Context(_))) => {
                Some(self.not_carried("change the context of a session"))
            }
            (Delivered::All, Effect::ReadOnly(_)) => Some(self.not_carried("read anything")),
            (_, Effect::Command(_)) => self.is_needed().then(|| self.not_seen("a command")),
            (_, Effect::ReadOnly(action)) => self.sees(action).then(|| self.not_seen("it")),
            (_, Effect::CreateFolder { path, missing }) => {
                let is_empty = !self.targets.iter().any(|target| is_below(target, path));
                (self.delivered.has(effect) && !missing.is_empty() && is_empty)
                    .then(|| self.not_carried("create a folder without a file in it"))
            }
            (_, Effect::Several(files)) => {
                files.iter().flatten().find_map(|write| self.of_write(write, &write.path))
            }
            (_, Effect::Write(write)) => self.of_write(write, &write.path),
            (_, Effect::WriteMoved { from, write, .. }) => self.of_write(write, from),
            _ => None,
        })
    }

    fn of_write(&self, write: &Write, from: &RootedPath) -> Option<Failure> {
        if !self.delivered.has_path(&write.path) && !self.delivered.has_path(from) {
            return None;
        }
        let old = write.old.as_deref();
        let is_text = |content: &[u8]| std::str::from_utf8(content).is_ok();
        let has_mark = |content: &[u8]| content.starts_with("\u{feff}".as_bytes());
        let is_secret = |path| matches!(self.roots.verdict_for_read(path), Verdict::Deny(..));
        // An editor may decode a file otherwise.
        if write.encoding.is_some() || old.is_some_and(|old| !is_text(old)) || !is_text(&write.new) {
            Some(self.not_carried("change what is not text"))
        } else if write.executable().is_some() {
            Some(self.not_carried("change the executable bit"))
        } else if old.is_some_and(|old| has_mark(old) != has_mark(&write.new)) {
            Some(self.not_carried("change the byte order mark of a file"))
        } else if old.is_some() && [from, &write.path].into_iter().any(is_secret) {
            // An edit holds parts of the old text.
            Some(Failure::secret(&write.path))
        } else {
            None
        }
    }

    /// Returns true if what is read is another one in the editor.
    fn sees(&self, action: &ReadOnlyAction) -> bool {
        let other = || self.changed.iter().chain(self.unsaved);
        let is_other = |path: &RootedPath| other().any(|one| one == path);
        let has_other = |path: &RootedPath| other().any(|one| one == path || is_below(one, path));
        let names = |path: &RootedPath| self.renamed.iter().any(|one| one == path || is_below(one, path));
        match action {
            ReadOnlyAction::Read(path) | ReadOnlyAction::Numbered { path, .. } => is_other(path),
            ReadOnlyAction::ReadMany(paths) => paths.iter().flatten().any(is_other),
            ReadOnlyAction::Grep { path, .. } => has_other(path),
            ReadOnlyAction::List(path) => names(path),
            ReadOnlyAction::Glob { base, .. } => names(base),
            ReadOnlyAction::Command { command, paths, .. } => {
                let is_of_names = matches!(
                    command,
                    ReadOnlyBuiltIn::Ls(_)
                        | ReadOnlyBuiltIn::Tree(_)
                        | ReadOnlyBuiltIn::Find(_)
                        | ReadOnlyBuiltIn::Realpath { .. }
                );
                paths.iter().any(|(_, path)| if is_of_names { names(path) } else { has_other(path) })
            }
            ReadOnlyAction::Context(_) => false,
        }
    }

    fn not_carried(&self, what: &str) -> Failure {
        let message = format!("Not done: edits for an editor cannot {what} (NOT_DELIVERED)");
        self.hint(Failure::with_message(ErrorKind::NotDelivered, message))
    }

    fn not_seen(&self, what: &str) -> Failure {
        let message = format!("Not done: {what} would see files without the edits (NOT_DELIVERED)");
        self.hint(Failure::with_message(ErrorKind::NotDelivered, message))
    }

    fn hint(&self, failure: Failure) -> Failure {
        if matches!(self.delivered, Delivered::All) {
            return failure.hint("apply the edits, save the documents, then apply the answer again");
        }
        let unsaved = self.unsaved.iter().filter(|path| !self.changed.contains(path));
        let mut unsaved: Vec<&RootedPath> = unsaved.collect();
        unsaved.sort_by_key(|path| path.written());
        let stay = self.changed.iter().filter(|path| !self.vacated.contains(path));
        let documents: Vec<&str> = stay.chain(unsaved).map(RootedPath::written).collect();
        failure.hint(save(&documents))
    }
}

fn save(documents: &[&str]) -> String {
    let named: Vec<String> = documents.iter().take(NAMED).map(|path| format!("'{path}'")).collect();
    let more = clada_protocol::and_more(documents.len().saturating_sub(NAMED));
    let what = match documents.len() {
        0 => return "apply the edits, then apply the answer again".to_owned(),
        1 => "document",
        _ => "documents",
    };
    format!(
        "apply the edits, save {} {what} ({}{more}), then apply the answer again",
        documents.len(),
        named.join(", "),
    )
}

fn unplanned(path: &RootedPath) -> Failure {
    let message = "Not done: it changes a document of the editor, which the plan could not know";
    Failure::at(ErrorKind::NotDelivered, message, path.written(), "NOT_DELIVERED")
        .hint("look at what the command before it has changed, then apply the answer again")
}

pub(crate) fn kept_back(task: &str) -> Failure {
    let message = format!("Not done: task {task} failed, so that nothing goes to the editor (NOT_DELIVERED)");
    Failure::with_message(ErrorKind::NotDelivered, message).hint("plan what is left again")
}

/// The changes of a plan, each by itself, without those that change nothing.
fn changes(planned: &[Planned]) -> impl Iterator<Item = &Effect> {
    let effects = planned.iter().filter_map(|planned| planned.outcome.as_ref().ok());
    effects.flat_map(Effect::each).filter(|effect| !effect.is_unchanged())
}

fn leaves(effect: &Effect) -> Option<&RootedPath> {
    match effect {
        Effect::Delete { path, .. } => Some(path),
        Effect::Move { from, .. } | Effect::WriteMoved { from, .. } => Some(from),
        _ => None,
    }
}

fn arrives(effect: &Effect) -> Vec<&RootedPath> {
    match effect {
        Effect::Write(write) | Effect::WriteMoved { write, .. } => vec![&write.path],
        Effect::Several(files) => files.iter().flatten().map(|write| &write.path).collect(),
        Effect::Move { to, .. } => vec![to],
        _ => Vec::new(),
    }
}

fn is_below(path: &RootedPath, folder: &RootedPath) -> bool {
    path.root() == folder.root()
        && path.relative() != folder.relative()
        && path.relative().starts_with(folder.relative())
}

fn has_above(path: &RootedPath, paths: &HashSet<RootedPath>, folders: &HashSet<RootedPath>) -> bool {
    let mut above = path.parent();
    while let Some(folder) = above {
        if paths.contains(&folder) || folders.contains(&folder) {
            return true;
        }
        above = folder.parent();
    }
    false
}
