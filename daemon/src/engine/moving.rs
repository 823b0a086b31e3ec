//! Projects that were moved: the record of a project is found by the identity of its folder, and is never that
//! of another folder at the same path.
//!
//! Looked for once, when a project is first named; `journal` moves records, `trust` approvals, `project` sessions.

use std::path::Path;

use clada_fs::{Options, RootLock, Roots};
use clada_journal::FoundRecord;
use clada_protocol::{ErrorKind, HistoryAdoptParams, HistoryAdoptResult, RpcError, visible_path};

use super::Engine;
use super::policies::open_policy;
use super::request::ProjectRequest;
use crate::project::{Project, ResolvedRoot};
use crate::trust::TrustStore;

impl Engine {
    /// `busy` if an operation still runs in the folder, which was moved meanwhile.
    pub(super) fn find_record(&self, project: &Project) -> Result<(), RpcError> {
        project.find_record(|| {
            let root = project.root();
            let Some(identity) = project.resolved_root().identity() else { return Ok(None) };
            self.settle_approvals(root, None);
            let journals = self.projects.journals();
            let _lock = if journals.has_to_move(root, identity) { self.lock_to_move(root)? } else { None };
            match journals.find_record(root, identity)? {
                FoundRecord::Unsure(from) => Ok(Some(from)),
                FoundRecord::InPlace | FoundRecord::Moved(_) => Ok(None),
            }
        })
    }

    fn settle_approvals(&self, root: &Path, from: Option<&Path>) {
        let state = &self.environment.state;
        if !TrustStore::is_there(state) {
            return;
        }
        if let Err(error) = TrustStore::open(state).and_then(|mut store| store.settle(root, from)) {
            tracing::warn!(%error, root = %root.display(), "what was approved is not found in a moved project");
        }
    }

    /// Takes the lock of a folder that was moved: an operation may run in it that began at its old path.
    fn lock_to_move(&self, root: &Path) -> Result<Option<RootLock>, RpcError> {
        if root == Path::new("/") {
            return Ok(None);
        }
        let roots = Roots::open(root, &[], &[], open_policy()?, Options::default())?;
        match RootLock::try_acquire(&roots, 0, &self.environment.state)? {
            Some(lock) => Ok(Some(lock)),
            None => {
                let shown = visible_path(&root.to_string_lossy()).into_owned();
                let message = format!("'{shown}' was moved, and an operation still runs in it");
                Err(RpcError::new(ErrorKind::Busy, message)
                    .with("root", root.to_string_lossy())
                    .hint("wait for its end and try again"))
            }
        }
    }
}

impl ProjectRequest {
    /// `history.adopt`: the record of a folder that is not at its path any more becomes this project's.
    ///
    /// # Errors
    /// `operation_not_found` if there is no such record; `busy`; `io`.
    pub fn adopt_history(&self, params: &HistoryAdoptParams) -> Result<HistoryAdoptResult, RpcError> {
        let from = Path::new(&params.from);
        if !from.is_absolute() {
            let message = format!("from: '{}' is not an absolute path", params.from);
            return Err(RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "from"));
        }
        let _lock = self.engine.lock_to_move(self.root())?;
        self.project().forget();
        if !self.engine.projects.journals().adopt_record(self.root(), from)? {
            let shown = visible_path(&params.from).into_owned();
            let message = format!("There are no records of a project that was at '{shown}'");
            return Err(RpcError::new(ErrorKind::OperationNotFound, message)
                .hint("`clada forget --all --dry-run` lists the projects with records"));
        }
        self.engine.settle_approvals(self.root(), Some(from));
        self.project().forget_record();
        Ok(HistoryAdoptResult { from: params.from.clone() })
    }

    pub(super) fn require_same_folder(&self) -> Result<(), RpcError> {
        let now = ResolvedRoot::new(self.root())?;
        if self.project().resolved_root().is_same_folder(&now) {
            return Ok(());
        }
        Err(self.replaced())
    }

    pub(super) fn replaced(&self) -> RpcError {
        let requested_root = self.requested_root().to_string_lossy();
        let message = format!("The root was replaced by another folder '{requested_root}' (CONFLICT)");
        RpcError::new(ErrorKind::Conflict, message).with("root", requested_root.as_ref()).hint("try again")
    }

    pub(super) fn missing_record(&self) -> Option<(String, String)> {
        let shown = |path: &Path| visible_path(&path.to_string_lossy()).into_owned();
        if let Some(from) = self.project().former_path() {
            let from = shown(&from);
            let why = format!("This folder may be the project that was at '{from}'");
            return Some((why, format!("if it is, `clada history --adopt '{from}'` adopts its history")));
        }
        if !self.engine.projects.journals().has_displaced(self.root()) {
            return None;
        }
        let root = shown(self.root());
        let why =
            format!("What was recorded at '{root}' before was done in another folder, which was there then");
        let hint = format!(
            "run the command where that folder is now; if this one is a restored copy of it, `clada history --adopt \
             '{root}'` adopts its history"
        );
        Some((why, hint))
    }

    pub(super) fn explained(&self, error: RpcError) -> RpcError {
        if error.kind() != Some(ErrorKind::OperationNotFound) || self.context().is_agent() {
            return error;
        }
        match self.missing_record() {
            Some((why, hint)) => {
                let message = format!("{}. {why}", error.message);
                RpcError { message, ..error }.hint(hint)
            }
            None => error,
        }
    }
}
