//! From steps to the effects by which the pipeline's executor makes them happen.
//!
//! Pure but for what a path means: a place that lies in no root is refused here, before anything is done.

use std::sync::Arc;

use super::step::{Step, StepKind};
use super::survey::resolve;
use crate::edit::Mode;
use crate::fs::{FsError, RootedPath, Roots};
use crate::pipeline::{Before, Effect, Restore, Saved, Write};

/// The effects of `steps`, one each, in their order.
///
/// # Errors
/// `path_escape` for a place that lies in none of `roots`.
pub fn effects(steps: &[Step], roots: &Roots) -> Result<Vec<Effect>, FsError> {
    steps.iter().map(|step| effect(&step.kind, roots)).collect()
}

fn effect(step: &StepKind, roots: &Roots) -> Result<Effect, FsError> {
    Ok(match step {
        StepKind::MakeFolder { place, mode } => {
            let path = resolve(roots, place)?;
            match mode {
                Some(mode) => restore(path, Before::Missing, Saved::Folder(*mode)),
                None => Effect::CreateFolder { missing: vec![path.clone()], path },
            }
        }
        StepKind::RemoveFolder { place } => Effect::RemoveFolder(resolve(roots, place)?),
        StepKind::Remove { place, before } => {
            Effect::Delete { path: resolve(roots, place)?, before: before.clone(), old: None }
        }
        StepKind::Move { from, to, before } => Effect::Move {
            from: resolve(roots, from)?,
            before: before.clone(),
            to: resolve(roots, to)?,
            replaced: Before::Missing,
            content: None,
            overwritten: None,
            parents: Vec::new(),
        },
        StepKind::Write { place, before, content, metadata } => {
            let path = resolve(roots, place)?;
            match (before, metadata) {
                // Writes that change nothing else are flushed many at a time.
                (Before::Content(_) | Before::File(_), None) => write(path, before, content),
                _ => {
                    let saved = Saved::File { content: Arc::clone(content), metadata: metadata.clone() };
                    restore(path, before.clone(), saved)
                }
            }
        }
        StepKind::Link { place, target } => {
            restore(resolve(roots, place)?, Before::Missing, Saved::Link(target.clone()))
        }
    })
}

fn restore(path: RootedPath, before: Before, saved: Saved) -> Effect {
    Effect::Restore(Restore { path, before, old: None, saved, parents: Vec::new() })
}

fn write(path: RootedPath, before: &Before, content: &Arc<[u8]>) -> Effect {
    Effect::Write(Write {
        path,
        before: before.clone(),
        old: None,
        new: Arc::clone(content),
        new_hash: blake3::hash(content),
        replacements: 0,
        old_mode: Mode::Regular,
        mode: Mode::Regular,
        matched_by: None,
        parents: Vec::new(),
    })
}
