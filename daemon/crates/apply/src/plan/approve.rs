//! Allow, ask or deny: what the user has to agree to before an effect may happen (spec: safety).
//!
//! Decides by names and sizes, not by contents; changes nothing. What the names deny outright never becomes a
//! path at all, so here it is about asking, and about which approvals a result lists.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_fs::{RootedPath, Text, Verdict, makes_bare_repository, names_program, runs_as_hook};
use clada_protocol::{Approval, ApprovalKind, Approve};

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::refusals::{declined, never_shown, unapproved};
use crate::planned::Planned;
use crate::read::answer::Step;
use crate::results::diff::effect_diff;
use crate::results::weight::text_weight;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::{Node, View};
use crate::write::{Before, Write};

/// What the user has approved and declined for this call.
#[derive(Debug, Clone, Default)]
pub struct Approvals {
    grant: Grant,
    declined: Vec<String>,
    /// Approved ids with which no command is run.
    not_for_commands: Vec<String>,
}

#[derive(Debug, Clone, Default)]
enum Grant {
    /// Nothing beyond what needs no approval.
    #[default]
    None,
    All,
    Ids(Vec<String>),
    /// Nothing yet, but plan as if: the plan says what it needs.
    Assumed,
}

impl Approvals {
    /// What a request gives, and what it says was declined.
    #[must_use]
    pub fn of_request(approve: Option<&Approve>, declined: &[String]) -> Approvals {
        let grant = match approve {
            None | Some(Approve::Listed) => Grant::None,
            Some(Approve::All) => Grant::All,
            Some(Approve::Ids(ids)) => Grant::Ids(ids.clone()),
        };
        Approvals { grant, declined: declined.to_vec(), ..Approvals::default() }
    }

    /// The same, but an id of `never_shown` approves no command: a command reads files, and nobody was shown it over
    /// those of now. The id of a change binds its files.
    #[must_use]
    pub fn without_commands(self, never_shown: Vec<String>) -> Approvals {
        Approvals { not_for_commands: never_shown, ..self }
    }

    /// Everything is approved.
    #[must_use]
    pub fn all() -> Approvals {
        Approvals { grant: Grant::All, ..Approvals::default() }
    }

    /// Nothing is approved yet, but planned as if: the plan says what it needs.
    #[must_use]
    pub(crate) fn assumed() -> Approvals {
        Approvals { grant: Grant::Assumed, ..Approvals::default() }
    }

    #[must_use]
    pub(crate) fn granted(&self, approval: &Approval) -> bool {
        let is_void = approval.command.is_some() && self.not_for_commands.contains(&approval.id);
        self.has(&approval.id) && !is_void || self.grants_network(approval)
    }

    /// Returns true if the user has approved a command with a network, which it does not have otherwise.
    pub(crate) fn grants_network(&self, approval: &Approval) -> bool {
        let id = approval.command.as_ref().and_then(|command| command.with_network.as_ref());
        let is_given = |id: &&String| matches!(&self.grant, Grant::Ids(ids) if ids.contains(id));
        id.filter(is_given).is_some_and(|id| !self.not_for_commands.contains(id))
    }

    pub(crate) fn has(&self, id: &String) -> bool {
        match &self.grant {
            Grant::None => false,
            Grant::All | Grant::Assumed => true,
            Grant::Ids(ids) => ids.contains(id),
        }
    }

    pub(crate) fn refusal(&self, approval: &Approval) -> Failure {
        let network = approval.command.as_ref().and_then(|command| command.with_network.as_ref());
        let mut ids = std::iter::once(&approval.id).chain(network);
        if self.declined.contains(&approval.id) {
            declined(approval)
        } else if approval.command.is_some() && ids.any(|id| self.not_for_commands.contains(id)) {
            never_shown(approval)
        } else {
            unapproved(approval)
        }
    }

    /// Returns the approval that the user has to give for `effect`, if any; `lost` if the content that it
    /// removes has no room in the journal, `shrinks` the file of which it keeps little and what to say of it.
    pub(crate) fn needed(
        &self,
        step: &Step,
        effect: &Effect,
        lost: bool,
        shrinks: Option<&(RootedPath, String)>,
        view: &mut View<'_>,
        hook_folders: &[PathBuf],
    ) -> Result<Option<Approval>, Failure> {
        let mut reasons: Vec<(&RootedPath, String)> = Vec::new();
        for (path, change) in changes(effect) {
            let reason = match change {
                EntryChange::MovedTo(to) => {
                    // What is asked of the target is asked when it is its turn.
                    verdict(view.roots().verdict_for_move(path, to), path)?;
                    verdict(view.roots().verdict_for_write(path), path)?
                }
                EntryChange::Linked => verdict(view.roots().verdict_for_link(path), path)?,
                _ => verdict(view.roots().verdict_for_write(path), path)?,
            };
            let reason = reason
                .or_else(|| {
                    (change == EntryChange::Lost)
                        .then(|| "the file is too large to record for undo".to_owned())
                })
                .or_else(|| {
                    let goes = matches!(change, EntryChange::Removed | EntryChange::Overwritten);
                    (lost && goes).then(|| "it removes too much to record for undo".to_owned())
                })
                .or_else(|| shrinks.filter(|(at, _)| at == path).map(|(_, reason)| reason.clone()))
                .or_else(|| hook_folders.iter().find_map(|folder| hook(path, folder)))
                .or_else(|| makes_repository(path, change, view))
                .or_else(|| keyed(path, effect));
            // A folder that comes to be for a file is asked about with the file.
            let known =
                |reason: &String| reasons.iter().any(|(other, why)| why == reason && other.starts_with(path));
            if let Some(reason) = reason.filter(|reason| !known(reason)) {
                reasons.push((path, reason));
            }
        }
        Ok((!reasons.is_empty()).then(|| approval(step, effect, &reasons, view)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum EntryChange<'e> {
    Written,
    Linked,
    /// The entry goes, and can be brought back.
    Removed,
    /// The entry goes for what comes there, and can be brought back.
    Overwritten,
    Lost,
    MovedTo(&'e RootedPath),
}

fn changes(effect: &Effect) -> Vec<(&RootedPath, EntryChange<'_>)> {
    let removal = |before: &Before| {
        if matches!(before, Before::File(_)) { EntryChange::Lost } else { EntryChange::Removed }
    };
    match effect {
        Effect::Write(write) if write.is_unchanged() => Vec::new(),
        Effect::Write(write) => {
            let parents = write.parents.iter().map(|folder| (folder, EntryChange::Written));
            write.paths().map(|path| (path, EntryChange::Written)).chain(parents).collect()
        }
        Effect::Several(files) => files
            .iter()
            .flatten()
            .filter(|write| !write.is_unchanged())
            .flat_map(|write| write.paths().map(|path| (path, EntryChange::Written)))
            .collect(),
        Effect::WriteMoved { from, write, .. } => {
            let parents = write.parents.iter().map(|folder| (folder, EntryChange::Written));
            [(from, EntryChange::MovedTo(&write.path)), (&write.path, EntryChange::Written)]
                .into_iter()
                .chain(parents)
                .collect()
        }
        Effect::Delete { path, before, .. } => vec![(path, removal(before))],
        // A moved link is a new link at its target: it may lead from there to where programs look for what
        // runs.
        Effect::Move { from, before, to, replaced, parents, .. } => {
            let arrives =
                if matches!(before, Before::Symlink(_)) { EntryChange::Linked } else { EntryChange::Written };
            let mut all = vec![(from, EntryChange::MovedTo(to)), (to, arrives)];
            match replaced {
                Before::File(_) => all.push((to, EntryChange::Lost)),
                Before::Content(_) => all.push((to, EntryChange::Overwritten)),
                Before::Missing | Before::Symlink(_) => {}
            }
            all.extend(parents.iter().map(|folder| (folder, EntryChange::Written)));
            all
        }
        Effect::CreateFolder { missing, .. } => {
            missing.iter().map(|folder| (folder, EntryChange::Written)).collect()
        }
        Effect::RemoveFolder(path) => vec![(path, EntryChange::Removed)],
        Effect::Restore(restore) => vec![(&restore.path, EntryChange::Written)],
        Effect::ReadOnly(_) | Effect::Command(_) => Vec::new(),
        Effect::Steps(steps) => steps.iter().flat_map(changes).collect(),
    }
}

fn verdict(verdict: Verdict, path: &RootedPath) -> Result<Option<String>, Failure> {
    match verdict {
        Verdict::Allow => Ok(None),
        Verdict::Ask(reason) => Ok(Some(reason)),
        Verdict::Deny(kind, reason) => {
            Err(Failure::at(kind, &reason, path.written(), &kind.name().to_ascii_uppercase()))
        }
    }
}

/// Why a change in a folder of hooks needs the user: git runs what is in it.
fn hook(path: &RootedPath, folder: &Path) -> Option<String> {
    if path.root() == 0 { runs_as_hook(path.relative(), folder) } else { None }
}

/// Why a path that comes to be would make git take a folder for a repository.
fn makes_repository(path: &RootedPath, change: EntryChange<'_>, view: &mut View<'_>) -> Option<String> {
    if !matches!(change, EntryChange::Written | EntryChange::Linked) {
        return None;
    }
    let root = view.roots().root(path.root())?;
    let view = std::cell::RefCell::new(view);
    makes_bare_repository(path.relative(), |beside: &Path| {
        let mut at = root.clone();
        for name in beside {
            match view.borrow().roots().join(&at, name) {
                Ok(next) => at = next,
                Err(_) => return false,
            }
        }
        matches!(view.borrow_mut().node(&at), Ok(Node::File(_) | Node::Folder | Node::Symlink { .. }))
    })
}

/// Why a file that `effect` changes would have a program run by what it says.
fn keyed(path: &RootedPath, effect: &Effect) -> Option<String> {
    let text = |content: &Option<Arc<[u8]>>| content.clone();
    let of_write = |write: &Write| {
        let old = if write.before == Before::Missing { None } else { Some(text(&write.old)) };
        (old, Some(Some(Arc::clone(&write.new))))
    };
    // The outer option says whether there is a file, the inner one whether its content is known.
    let (old, new) = match effect {
        Effect::Write(write) if write.path == *path => of_write(write),
        Effect::Several(files) => of_write(files.iter().flatten().find(|write| write.path == *path)?),
        Effect::WriteMoved { write, .. } if write.path == *path => (None, of_write(write).1),
        Effect::WriteMoved { from, write, .. } if from == path => (Some(text(&write.old)), None),
        Effect::Delete { path: deleted, old, .. } if deleted == path => (Some(text(old)), None),
        Effect::Move { from, content, .. } if from == path => (Some(text(content)), None),
        Effect::Move { to, content, overwritten, replaced, .. } if to == path => {
            let old = (*replaced != Before::Missing).then(|| text(overwritten));
            (old, Some(text(content)))
        }
        Effect::Steps(steps) => return steps.iter().find_map(|step| keyed(path, step)),
        _ => return None,
    };
    names_program(path.relative(), known(old.as_ref()), known(new.as_ref()))
}

fn known(text: Option<&Option<Arc<[u8]>>>) -> Text<'_> {
    match text {
        None => Text::Missing,
        Some(None) => Text::Unknown,
        Some(Some(bytes)) => Text::Known(bytes),
    }
}

/// Bytes of a change that one approval shows; `apply -i` shows all of it.
const SHOWN: usize = 64 << 10;
/// Parameters of actions that name places, or say how: the others are texts.
const NO_TEXTS: [&str; 8] =
    ["path", "paths", "old_path", "new_path", "lines", "occurrence", "if_exists", "encoding"];

/// Describes what `effect` changes, for the user to read. Of a file that is held back as a secret this is
/// what the answer itself says, which its author knows anyway.
fn shown(step: &Step, effect: &Effect, view: &View<'_>) -> Option<String> {
    let mut diff = effect_diff(effect, view);
    if changes(effect).iter().any(|(path, _)| view.is_secret(path)) {
        for (name, text) in step.parameters().iter() {
            let Some(text) = text.as_str().filter(|_| !NO_TEXTS.contains(&name)) else { continue };
            let sign = if name.starts_with("old_") { '-' } else { '+' };
            diff.push_str(&format!("(`{name}` of the answer:)\n"));
            text.lines().for_each(|line| diff.push_str(&format!("{sign}{line}\n")));
        }
        for each in effect.each() {
            if let Effect::Move { from, content: Some(content), .. } = each
                && !view.is_secret(from)
            {
                diff.push_str("(what is moved:)\n");
                let text = String::from_utf8_lossy(content);
                text.lines().for_each(|line| diff.push_str(&format!("+{line}\n")));
            }
        }
    }
    let mut change = clada_protocol::visible_diff(&diff);
    if change.len() > SHOWN {
        let end = change[..change.floor_char_boundary(SHOWN)].rfind('\n').map_or(0, |end| end + 1);
        let more = change[end..].lines().count();
        change.truncate(end);
        change.push_str(&format!("({more}{NOT_SHOWN}\n"));
    }
    (!change.is_empty()).then_some(change)
}

const NOT_SHOWN: &str = " more lines are not shown here)";

pub(crate) fn is_cut(change: &str) -> bool {
    change.lines().next_back().is_some_and(|last| last.starts_with('(') && last.ends_with(NOT_SHOWN))
}

const REASONS: usize = 20;

/// An approval for exactly this change: its id depends on root, action, paths, what is there and resulting
/// content. It is shown as one for the first path, and its reason names the others.
fn approval(step: &Step, effect: &Effect, reasons: &[(&RootedPath, String)], view: &View<'_>) -> Approval {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    add(step.name.as_bytes());
    for (path, _) in changes(effect) {
        add(view.roots().absolute(path).as_os_str().as_encoded_bytes());
    }
    let identity_of = |before: &Before| match before {
        Before::Missing => Vec::new(),
        Before::Content(hash) => hash.as_bytes().to_vec(),
        Before::File(identity) => format!("{identity:?}").into_bytes(),
        Before::Symlink(target) => [b"-> ", target.as_slice()].concat(),
    };
    // What is lost and what is written: an approval holds for this change, not for another of these files.
    for effect in effect.each() {
        match effect {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => {
                add(&identity_of(&write.before));
                add(write.new_hash.as_bytes());
                if write.executable().is_some() {
                    add(write.mode.octal().as_bytes());
                }
            }
            Effect::Several(files) => {
                for write in files.iter().flatten() {
                    add(&identity_of(&write.before));
                    add(write.new_hash.as_bytes());
                }
            }
            Effect::Delete { before, .. } => add(&identity_of(before)),
            Effect::Move { before, replaced, .. } => {
                add(&identity_of(before));
                add(&identity_of(replaced));
            }
            Effect::Restore(restore) => add(&identity_of(&restore.before)),
            Effect::CreateFolder { .. }
            | Effect::RemoveFolder(_)
            | Effect::ReadOnly(_)
            | Effect::Command(_)
            | Effect::Steps(_) => {}
        }
    }
    let paths: Vec<String> =
        reasons.iter().map(|(path, _)| view.roots().absolute(path).to_string_lossy().into_owned()).collect();
    let reason = reason(reasons, &paths);
    let hidden = paths.iter().any(|path| clada_protocol::visible_line(path) != *path);
    let path = paths.into_iter().next().unwrap_or_default();
    Approval {
        id: hasher.finalize().to_hex()[..16].to_owned(),
        kind: ApprovalKind::File,
        task: Some(step.task.clone()),
        suspicious: hidden || suspicious(effect),
        path,
        reason,
        change: shown(step, effect, view),
        text: None,
        command: None,
    }
}

fn reason(reasons: &[(&RootedPath, String)], paths: &[String]) -> String {
    let mut reason = reasons.first().map(|(_, reason)| reason.clone()).unwrap_or_default();
    for ((_, other), path) in reasons.iter().zip(paths).take(REASONS).skip(1) {
        reason += &format!("; '{}': {other}", clada_protocol::visible_line(path));
    }
    if reasons.len() > REASONS {
        reason += &format!("; and {} more", reasons.len() - REASONS);
    }
    reason
}

/// Returns true if what would be written holds characters that hide something from a reader.
fn suspicious(effect: &Effect) -> bool {
    let hides = |bytes: &[u8]| clada_protocol::is_suspicious(&String::from_utf8_lossy(bytes));
    match effect {
        Effect::Write(write) | Effect::WriteMoved { write, .. } => hides(&write.new),
        Effect::Several(files) => files.iter().flatten().any(|write| hides(&write.new)),
        _ => false,
    }
}

/// Approvals that a result lists: more are not read by anybody, and paths can be long.
pub(crate) const APPROVALS: usize = 1_000;

/// Leaves out those changes of `approvals` for which a result has no room, and says of the commands what
/// could not be brought back if they changed it. Returns whether all changes had room.
pub(crate) fn ready_to_ask(
    approvals: &mut [Approval],
    rules: &Rules,
    stop: &dyn Fn() -> Option<Stop>,
) -> bool {
    let mut has_all = true;
    let mut room = rules.result_bytes / 4;
    for change in approvals.iter_mut().filter_map(|approval| approval.change.as_mut()) {
        match room.checked_sub(text_weight(change)) {
            Some(remaining) => room = remaining,
            None => {
                "(the change has no room here: `apply -i` shows it)\n".clone_into(change);
                has_all = false;
            }
        }
    }
    if let Some(commands) = &rules.commands {
        commands.describe_not_undoable(approvals, &|| stop().is_some());
    }
    has_all
}

pub(crate) fn waiting(planned: &[Planned]) -> Vec<Approval> {
    planned
        .iter()
        .filter_map(|planned| planned.outcome.as_ref().err()?.approval.as_deref().cloned())
        .take(APPROVALS)
        .collect()
}
