//! `stage.write_back`: writes copies of staged files back, as an operation like any other.
//!
//! `clada_stage` finds the files; the pipeline carries the operation out.

use std::path::PathBuf;

use clada_apply::{Operation, Original, Returned};
use clada_fs::Roots;
use clada_protocol::{
    ErrorKind, ExecuteParams, ExecutionResult, OperationWarning, RpcError, StageWriteBackParams,
};
use clada_stage::{Bounds, Copies, Copy, CopyRequest, MadeOf, find_copies};

use super::answering::ExecuteRequest;
use super::checkpoints::some_of;
use super::request::ProjectRequest;
use super::watching::resolved;

impl ProjectRequest {
    /// `stage.write_back`: copies of staged files go to their places, all or none.
    pub(crate) fn write_back(&self, params: &StageWriteBackParams) -> Result<ExecutionResult, RpcError> {
        let (settings, roots) = (self.settings()?, self.roots()?);
        let paths: Vec<PathBuf> = params.paths.iter().map(PathBuf::from).collect();
        if let Some(path) = paths.iter().find(|path| !path.is_absolute()) {
            let message = format!("paths: '{}' is not an absolute path", path.display());
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        let bounds = Bounds { file: settings.limits.max_file_size, all: settings.limits.planned_bytes };
        // The store's lock ends with this block: the operation below takes the locks of the roots.
        let Copies { copies, skipped: mut warnings } = {
            let store = self.stage_store()?;
            let mut held = store.hold(&|| self.context().stop().is_some())?;
            let request = CopyRequest { paths: &paths, baseline: params.for_.as_deref(), bounds };
            find_copies(&mut held.store, resolved(roots), request)?
        };
        let files = copies.into_iter().map(|copy| returned(copy, roots, params.force));
        let files: Vec<Returned> = files.collect::<Result<_, RpcError>>()?;
        let (files, unedited) = without_unedited(files, roots)?;
        warnings.extend(unedited);
        let params = ExecuteParams {
            root: params.root.clone(),
            dry_run: params.dry_run,
            approve: params.approve.clone(),
            git: params.git,
            git_author: params.git_author.clone(),
            umask: params.umask,
            ..ExecuteParams::default()
        };
        let request = ExecuteRequest::new(&params, None);
        let work = |operation: &Operation<'_>| Ok((operation.write_back(&files, request.until), Vec::new()));
        let mut result = self.operate(&request, work)?;
        let unplaced = |message| OperationWarning { task: None, message };
        result.warnings.extend(warnings.into_iter().map(unplaced));
        Ok(result)
    }
}

/// Writing such copies back would undo a deletion or a renaming in the project.
fn without_unedited(
    files: Vec<Returned>,
    roots: &Roots,
) -> Result<(Vec<Returned>, Option<String>), RpcError> {
    let (mut remaining, mut unedited) = (Vec::new(), Vec::new());
    for file in files {
        if file.force || file.is_edited() || roots.lstat(&file.path)?.is_some() {
            remaining.push(file);
        } else {
            unedited.push(file.path.written().to_owned());
        }
    }
    let message = || {
        format!(
            "Deleted or renamed since staging, and the copy has no edits: {}; --force writes such a copy back",
            some_of(&unedited, unedited.len())
        )
    };
    let warning = (!unedited.is_empty()).then(message);
    Ok((remaining, warning))
}

fn returned(copy: Copy, roots: &Roots, force: bool) -> Result<Returned, RpcError> {
    let Copy { name, path, content, executable, made_of } = copy;
    let path = roots.resolve_relative(&path)?;
    let (conflict, hint) = made_of.conflict();
    let was_staged = made_of != MadeOf::Nothing;
    let original = Original { content: made_of.content().copied(), was_staged, conflict, hint };
    Ok(Returned { path, name, content: content.into(), executable, original, force })
}
