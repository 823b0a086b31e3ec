//! From steps to the effects by which the executor makes them happen.
//!
//! Pure but for what a path means: a place that lies in no root is refused here, before anything is done.

use std::collections::HashMap;
use std::sync::Arc;

use blake3::Hash;
use clada_edit::Mode;
use clada_fs::{FsError, RootedPath, Roots};

use super::step::{Step, StepKind};
use super::survey::resolve;
use crate::effect::Effect;
use crate::write::{Before, Restore, Saved, Write};

/// Returns the effects of `steps`, one each, in their order. `old` has contents that go and are not in the
/// journal yet.
///
/// # Errors
/// `path_escape` for a place that lies in none of `roots`.
pub fn effects(
    steps: &[Step],
    roots: &Roots,
    old: &HashMap<Hash, Arc<[u8]>>,
) -> Result<Vec<Effect>, FsError> {
    steps.iter().map(|step| effect(&step.kind, roots, old)).collect()
}

fn effect(step: &StepKind, roots: &Roots, old: &HashMap<Hash, Arc<[u8]>>) -> Result<Effect, FsError> {
    let old_content = |before: &Before| match before {
        Before::Content(hash) => old.get(hash).cloned(),
        _ => None,
    };
    Ok(match step {
        StepKind::MakeFolder { place, mode } => {
            let path = resolve(roots, place)?;
            match mode {
                Some(mode) => restore(path, Before::Missing, None, Saved::Folder(*mode)),
                None => Effect::CreateFolder { missing: vec![path.clone()], path },
            }
        }
        StepKind::FolderMode { place, before, mode } => {
            let saved = Saved::FolderMode { before: *before, mode: *mode };
            restore(resolve(roots, place)?, Before::Missing, None, saved)
        }
        StepKind::RemoveFolder { place } => Effect::RemoveFolder(resolve(roots, place)?),
        StepKind::Remove { place, before } => {
            Effect::Delete { path: resolve(roots, place)?, before: before.clone(), old: old_content(before) }
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
                (Before::Content(_) | Before::File(_), None) => {
                    write(path, before, old_content(before), content)
                }
                _ => {
                    let saved = Saved::File { content: Arc::clone(content), metadata: metadata.clone() };
                    restore(path, before.clone(), old_content(before), saved)
                }
            }
        }
        StepKind::Link { place, target } => {
            restore(resolve(roots, place)?, Before::Missing, None, Saved::Link(target.clone()))
        }
    })
}

fn restore(path: RootedPath, before: Before, old: Option<Arc<[u8]>>, saved: Saved) -> Effect {
    Effect::Restore(Restore { path, before, old, saved, parents: Vec::new() })
}

fn write(path: RootedPath, before: &Before, old: Option<Arc<[u8]>>, content: &Arc<[u8]>) -> Effect {
    Effect::Write(Write {
        path,
        before: before.clone(),
        old,
        new: Arc::clone(content),
        new_hash: blake3::hash(content),
        encoding: None,
        replacements: 0,
        old_mode: Mode::Regular,
        mode: Mode::Regular,
        matched_by: None,
        as_diffed: false,
        within_line: None,
        lines: None,
        newline_added: false,
        parents: Vec::new(),
        other_names: Vec::new(),
    })
}
