//! Operations that no answer asks for: taking one back, and taking that back.
//!
//! Knows how such an operation is held, put down and carried out; what it changes is worked out by whoever calls.

use clada_protocol::RpcError;

use super::committing::Wanted;
use super::recording::{Held, finish};
use super::{Control, Engine, Leave, of_fs, project_root};
use crate::fs::Roots;
use crate::journal::OperationKind;
use crate::pipeline::{Approvals, CarriedOut, Effect, Operation};
use crate::records::Book;
use std::collections::HashMap;

/// What is to be taken back, and what that means for the files.
#[derive(Debug)]
pub struct Reverse<T> {
    /// An undo or a redo.
    pub kind: OperationKind,
    /// The operation that is taken back.
    pub undoes: String,
    /// What has to be done for that, in this order.
    pub effects: Vec<Effect>,
    /// Whatever else has been found out.
    pub told: T,
}

/// What came of a [`Reverse`].
#[derive(Debug)]
pub struct Reversed<T> {
    /// The id of the operation that did it; `None` for one that was only planned.
    pub operation: Option<String>,
    /// One entry an effect; none for one that was only planned.
    pub done: CarriedOut,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// What `plan` has found out.
    pub told: T,
}

impl Engine {
    /// Carries out what `plan` says over the files of the project at `root`, or, with `dry_run`, only lets it say so.
    ///
    /// `plan` sees every path beneath the roots: what an answer may not name can still be put back as it was. What the
    /// operation overwrites is put down like that of any other.
    ///
    /// # Errors
    /// Those of `plan`, after which nothing is changed; `project_not_found`, and `busy` or `cancelled` if the request
    /// ended while another operation held the project.
    pub fn reverse<T>(
        &self,
        root: &str,
        dry_run: bool,
        control: &dyn Control,
        plan: impl FnOnce(&Roots, &Book) -> Result<Reverse<T>, RpcError>,
    ) -> Result<Reversed<T>, RpcError> {
        let root = project_root(root)?;
        let settings = self.settings(Some(&root))?;
        let roots = self.roots(&root, &settings, Leave::default())?;
        self.require_project(&roots, None)?;
        let open =
            roots.with(super::open_policy()?, roots.options().clone()).map_err(|error| of_fs(&error))?;
        let (held, mut warnings): (Option<Held>, _) =
            if dry_run { (None, Vec::new()) } else { self.hold(&roots, control)? };
        let Reverse { kind, undoes, effects, told } = plan(&open, &self.book(&roots))?;
        let Some(held) = held else {
            return Ok(Reversed { operation: None, done: CarriedOut::default(), warnings, told });
        };
        let rules = self.rules(&settings, &roots);
        let id = self.next_id();
        let recorder = self.recorder(&held, &id, kind, Some(undoes.clone()), None);
        let committing = self.committing(&open, &settings, Wanted::default(), &id, Some(undoes))?;
        let (recorder, _) = committing.with(recorder);
        tracing::info!(operation = %id, root = %root.display(), kind = kind.word(), "operation begins");
        let operation = Operation {
            id: id.clone(),
            roots: &open,
            rules: &rules,
            approvals: &Approvals::All,
            recorder: &recorder,
            applied: &HashMap::new(),
            stop: &|| control.stop(),
        };
        let done = operation.carry_out(effects);
        let whole = done.results.iter().all(|result| result.success);
        warnings.extend(finish(&recorder, Some(&done.results), whole));
        let (_, failure) = self.committed(&open, recorder, None);
        warnings.extend(failure.map(|failure| format!("The changes are made, but not committed: {failure}")));
        tracing::info!(operation = %id, whole, "operation ends");
        Ok(Reversed { operation: Some(id), done, warnings, told })
    }
}
