//! Allow, ask or deny: what a person has to agree to before an effect may happen (spec: safety).
//!
//! Decides by names and sizes, not by contents; changes nothing. What the names deny outright never becomes a
//! path at all, so here it is about asking.

use std::path::Path;

use clada_protocol::{Approval, ApprovalKind, Approve};

use super::effect::{Before, Effect, Failure};
use super::interpret::Step;
use super::view::{Node, View};
use crate::fs::{RootedPath, Verdict, plants_bare_repository};

/// What a person has approved for this call.
#[derive(Debug, Clone, Default)]
pub enum Approvals {
    /// Nothing beyond what needs no approval.
    #[default]
    None,
    /// Everything.
    All,
    /// What has these ids.
    Ids(Vec<String>),
    /// Nothing yet, but plan as if: the plan says what it needs.
    Assumed,
}

impl Approvals {
    /// The approvals that a request gives.
    #[must_use]
    pub fn given(approve: Option<&Approve>) -> Approvals {
        match approve {
            None | Some(Approve::Listed) => Approvals::None,
            Some(Approve::All) => Approvals::All,
            Some(Approve::Ids(ids)) => Approvals::Ids(ids.clone()),
        }
    }

    /// Whether `approval` has been given.
    #[must_use]
    pub fn granted(&self, approval: &Approval) -> bool {
        match self {
            Approvals::None => false,
            Approvals::All | Approvals::Assumed => true,
            Approvals::Ids(ids) => ids.contains(&approval.id),
        }
    }

    /// What a person has to approve for `effect`, if anything.
    ///
    /// # Errors
    /// `path_denied` or `secret` where the names forbid it whoever approves.
    pub fn needed(
        &self,
        step: &Step,
        effect: &Effect,
        view: &mut View<'_>,
    ) -> Result<Option<Approval>, Failure> {
        let mut asked: Option<(&RootedPath, String)> = None;
        // All of them are looked at: what is denied is denied, whatever is asked about before it.
        for (path, change) in changes(effect) {
            let reason = match change {
                Change::MovedTo(to) => verdict(view.roots().verdict_for_move(path, to), path)?,
                _ => verdict(view.roots().verdict_for_write(path), path)?,
            };
            if asked.is_none() {
                asked = reason
                    .or_else(|| {
                        (change == Change::Lost)
                            .then(|| "the file is too large to be kept for undo".to_owned())
                    })
                    .or_else(|| planted(path, change, view))
                    .map(|reason| (path, reason));
            }
        }
        Ok(asked.map(|(path, reason)| approval(step, effect, path, &reason, view)))
    }
}

/// What an effect does to one path.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change<'e> {
    /// Something comes to be there, or is changed.
    Written,
    /// What is there goes, and can be brought back.
    Removed,
    /// What is there goes for good.
    Lost,
    /// What is there goes elsewhere.
    MovedTo(&'e RootedPath),
}

/// Every path that `effect` changes; first the one that a person would name.
fn changes(effect: &Effect) -> Vec<(&RootedPath, Change<'_>)> {
    let gone =
        |before: &Before| if matches!(before, Before::File(_)) { Change::Lost } else { Change::Removed };
    match effect {
        Effect::Write(write) if write.is_unchanged() => Vec::new(),
        Effect::Write(write) => {
            let mut all = vec![(&write.path, Change::Written)];
            all.extend(write.parents.iter().map(|folder| (folder, Change::Written)));
            all
        }
        Effect::Several(files) => files
            .iter()
            .flatten()
            .filter(|write| !write.is_unchanged())
            .map(|write| (&write.path, Change::Written))
            .collect(),
        Effect::Delete { path, before, .. } => vec![(path, gone(before))],
        Effect::Move { from, to, replaced, parents, .. } => {
            let mut all = vec![(to, Change::Written), (from, Change::MovedTo(to))];
            all.extend(parents.iter().map(|folder| (folder, Change::Written)));
            if matches!(replaced, Before::File(_)) {
                all.push((to, Change::Lost));
            }
            all
        }
        Effect::CreateFolders(folders) => folders.iter().map(|folder| (folder, Change::Written)).collect(),
        Effect::RemoveFolder(path) => vec![(path, Change::Removed)],
        Effect::Look(_) => Vec::new(),
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

/// Why a path that comes to be would make git take a folder for a repository.
fn planted(path: &RootedPath, change: Change<'_>, view: &mut View<'_>) -> Option<String> {
    if change != Change::Written {
        return None;
    }
    let root = view.roots().root(path.root())?;
    let view = std::cell::RefCell::new(view);
    plants_bare_repository(path.relative(), |beside: &Path| {
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

/// An approval for exactly this change: its id depends on root, action, paths and resulting content.
fn approval(step: &Step, effect: &Effect, path: &RootedPath, reason: &str, view: &View<'_>) -> Approval {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    add(step.action.name().as_bytes());
    for (path, _) in changes(effect) {
        add(view.roots().absolute(path).as_os_str().as_encoded_bytes());
    }
    match effect {
        Effect::Write(write) => add(write.new_hash.as_bytes()),
        Effect::Several(files) => files.iter().flatten().for_each(|write| add(write.new_hash.as_bytes())),
        Effect::Delete { before, .. } => add(&found(before)),
        Effect::Move { before, replaced, .. } => {
            add(&found(before));
            add(&found(replaced));
        }
        Effect::CreateFolders(_) | Effect::RemoveFolder(_) | Effect::Look(_) => {}
    }
    let path = view.roots().absolute(path).to_string_lossy().into_owned();
    Approval {
        id: hasher.finalize().to_hex()[..16].to_owned(),
        kind: ApprovalKind::File,
        task: Some(step.task.clone()),
        suspicious: clada_protocol::visible_line(&path) != path || suspicious(effect),
        path,
        reason: reason.to_owned(),
    }
}

/// What tells a thing that goes or moves from another one in its place.
fn found(before: &Before) -> Vec<u8> {
    match before {
        Before::Missing => Vec::new(),
        Before::Content(hash) => hash.as_bytes().to_vec(),
        Before::File(identity) => format!("{identity:?}").into_bytes(),
        Before::Symlink(target) => target.clone(),
    }
}

/// Whether what would be written holds characters that hide something from a reader.
fn suspicious(effect: &Effect) -> bool {
    let hides = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        clada_protocol::visible_block(&text) != text
    };
    match effect {
        Effect::Write(write) => hides(&write.new),
        Effect::Several(files) => files.iter().flatten().any(|write| hides(&write.new)),
        _ => false,
    }
}
