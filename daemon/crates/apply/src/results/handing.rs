//! What changes for an editor cannot carry, so that it is not done, and is told as that.
//!
//! Pure. Works on what was planned; the changes themselves `diff` makes.

use clada_fs::RootedPath;
use clada_protocol::{ErrorKind, OperationWarning};

use crate::effect::{Effect, ReadOnlyAction};
use crate::failure::Failure;
use crate::planned::Planned;
use crate::write::{Before, Write};

/// Where edits put files. Folders come with them.
pub(crate) struct Targets(Vec<RootedPath>);

impl Targets {
    /// Those of what was planned.
    pub(crate) fn from_plan(planned: &[Planned]) -> Targets {
        let effects = planned.iter().filter_map(|planned| planned.outcome.as_ref().ok());
        let mut targets = Vec::new();
        for effect in effects.flat_map(Effect::each) {
            match effect {
                Effect::Write(write) | Effect::WriteMoved { write, .. } => targets.push(write.path.clone()),
                Effect::Several(files) => {
                    targets.extend(files.iter().flatten().map(|write| write.path.clone()));
                }
                Effect::Move { to, .. } => targets.push(to.clone()),
                _ => {}
            }
        }
        Targets(targets)
    }

    fn have_one_in(&self, folder: &RootedPath) -> bool {
        let is_in = |path: &RootedPath| {
            path.root() == folder.root()
                && path.relative() != folder.relative()
                && path.relative().starts_with(folder.relative())
        };
        self.0.iter().any(is_in)
    }

    /// Why edits do not do `effect`, if they do not.
    pub(crate) fn refuse(&self, effect: &Effect) -> Option<Failure> {
        effect.each().into_iter().find_map(|effect| match effect {
            Effect::Command(_) | Effect::ReadOnly(ReadOnlyAction::Command { .. }) => {
                Some(not_delivered("run a command"))
            }
            Effect::ReadOnly(ReadOnlyAction::Context(_)) => {
                Some(not_delivered("change the context of a session"))
            }
            Effect::ReadOnly(_) => Some(not_delivered("read anything")),
            Effect::CreateFolder { path, missing } if !missing.is_empty() && !self.have_one_in(path) => {
                Some(not_delivered("create a folder without a file in it"))
            }
            Effect::Write(write) | Effect::WriteMoved { write, .. } => of_write(write),
            Effect::Several(files) => files.iter().flatten().find_map(of_write),
            _ => None,
        })
    }
}

fn of_write(write: &Write) -> Option<Failure> {
    let is_text = |content: &[u8]| std::str::from_utf8(content).is_ok();
    if write.old.as_deref().is_some_and(|old| !is_text(old)) || !is_text(&write.new) {
        return Some(not_delivered("change what is no text"));
    }
    let same = write.old.as_deref() == Some(&*write.new);
    (same && write.before != Before::Missing && write.executable().is_some())
        .then(|| not_delivered("change who may execute a file"))
}

/// What edits leave out of what they do.
pub(crate) fn warnings(planned: &[Planned]) -> Vec<OperationWarning> {
    let of = |planned: &Planned| {
        let effect = planned.outcome.as_ref().ok()?;
        let mode = effect.each().into_iter().find_map(|effect| match effect {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => write.executable().map(|_| write),
            _ => None,
        })?;
        let message = format!("edits do not change who may execute '{}'", mode.path.written());
        Some(OperationWarning { task: Some(planned.step.task.clone()), message })
    };
    planned.iter().filter_map(of).collect()
}

fn not_delivered(what: &str) -> Failure {
    let message = format!("Not done: edits for an editor cannot {what} (NOT_DELIVERED)");
    Failure::said(ErrorKind::NotDelivered, message).hint(
        "make the edits, save the documents, and carry this out with `deliver: \"disk\"` by a plan of its own, made without \
         overlays",
    )
}
