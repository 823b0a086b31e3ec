//! Picks the operation that is meant: the last one that still holds, or the one that is named.
//!
//! Pure. Undoing walks back as an editor does: each undo undoes the newest operation that still holds, and
//! undos themselves do not count. Redoing walks forward again, as long as nothing else was done since.

use clada_journal::{Operation, OperationKind, OperationStatus, SHORTEST, shortest};
use clada_protocol::{ErrorKind, RpcError};
use clada_store::StoreError;

const LAST: &str = "last";
const SEE_HISTORY: &str = "`clada history` lists the operations of this project";

/// The operation that a caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoTarget<'a> {
    /// To undo the newest operation that still holds.
    Undo,
    /// To undo this operation.
    UndoOf(&'a str),
    /// To undo the newest undo.
    Redo,
    /// To undo this undo, or the undo of this operation.
    RedoOf(&'a str),
    /// To look at this operation.
    Show(&'a str),
}

/// Picks the operation that is meant of `operations`, newest first. `changed` says whether one has changed
/// anything.
///
/// # Errors
/// `operation_not_found`, `already_undone`, `invalid_value`, and those of `changed`.
pub fn pick<'o>(
    operations: &'o [Operation],
    target: UndoTarget<'_>,
    changed: impl FnMut(&Operation) -> Result<bool, RpcError>,
) -> Result<&'o Operation, RpcError> {
    match target {
        UndoTarget::Show(name) => named(operations, name),
        UndoTarget::UndoOf(LAST) | UndoTarget::Undo => last_to_undo(operations, changed),
        UndoTarget::UndoOf(name) => not_undone(operations, named(operations, name)?),
        UndoTarget::RedoOf(LAST) | UndoTarget::Redo => last_to_redo(operations, changed),
        UndoTarget::RedoOf(name) => undo_of(operations, named(operations, name)?),
    }
}

fn last_to_undo(
    operations: &[Operation],
    mut changed: impl FnMut(&Operation) -> Result<bool, RpcError>,
) -> Result<&Operation, RpcError> {
    for operation in operations {
        let counts = operation.kind.is_original() && operation.undone_by.is_none();
        if counts && changed(operation)? {
            return not_undone(operations, operation);
        }
    }
    Err(not_found("There is nothing to undo in this project"))
}

fn last_to_redo(
    operations: &[Operation],
    mut changed: impl FnMut(&Operation) -> Result<bool, RpcError>,
) -> Result<&Operation, RpcError> {
    let stands =
        |operation: &&Operation| operation.kind == OperationKind::Undo && operation.undone_by.is_none();
    let Some(undo) = operations.iter().find(stands) else {
        return Err(not_found("There is nothing to redo in this project"));
    };
    for since in operations.iter().take_while(|operation| operation.id != undo.id) {
        if since.kind.is_original() && changed(since)? {
            let message = format!(
                "There is nothing to redo: operation {} was applied after the last undo",
                shown(operations, &since.id)
            );
            let name = shown(operations, &undo.id);
            let hint = format!("to redo it anyway, name the undo: `clada redo {name}`");
            return Err(RpcError::new(ErrorKind::OperationNotFound, message)
                .with("operationId", undo.id.as_str())
                .hint(hint));
        }
    }
    Ok(undo)
}

/// Returns the last redo that brought back what `operation` did, if it was undone and brought back: the
/// commits of it are that one's.
#[must_use]
pub fn brought_back_by<'o>(operations: &'o [Operation], operation: &Operation) -> Option<&'o Operation> {
    let undid =
        |id: &str| operations.iter().any(|undo| undo.id == id && undo.undoes.as_ref() == Some(&operation.id));
    let stands = |redo: &&Operation| redo.kind == OperationKind::Redo && redo.undone_by.is_none();
    operations.iter().filter(stands).find(|redo| redo.undoes.as_deref().is_some_and(undid))
}

/// Returns the operation of `operations`, newest first, that would be undone if `chosen` were not there.
pub fn earlier<'o>(
    operations: &'o [Operation],
    chosen: &Operation,
    mut changed: impl FnMut(&Operation) -> Result<bool, StoreError>,
) -> Result<Option<&'o Operation>, StoreError> {
    for operation in operations.iter().skip_while(|operation| operation.id != chosen.id).skip(1) {
        let stands = operation.kind.is_original() && operation.undone_by.is_none();
        if stands && changed(operation)? {
            return Ok(Some(operation));
        }
    }
    Ok(None)
}

fn not_undone<'o>(operations: &[Operation], operation: &'o Operation) -> Result<&'o Operation, RpcError> {
    let id = shown(operations, &operation.id);
    if operation.status == OperationStatus::Applying {
        let message = format!("Operation {id} is still running");
        return Err(RpcError::new(ErrorKind::Busy, message).hint("try again when it is over"));
    }
    let Some(by) = &operation.undone_by else { return Ok(operation) };
    let shown_by = shown(operations, by);
    let message = format!("Operation {id} was already undone by operation {shown_by}");
    let hint = match operation.kind {
        OperationKind::Undo => format!("to undo it once more: `clada undo {shown_by}`"),
        _ => format!("to bring it back: `clada redo {shown_by}`"),
    };
    Err(RpcError::new(ErrorKind::AlreadyUndone, message).with("undoneBy", by.as_str()).hint(hint))
}

fn undo_of<'o>(operations: &'o [Operation], named: &'o Operation) -> Result<&'o Operation, RpcError> {
    if named.kind == OperationKind::Undo {
        return not_undone(operations, named);
    }
    let by = named.undone_by.as_ref();
    let undo = by.and_then(|by| operations.iter().find(|operation| operation.id == *by));
    undo.ok_or_else(|| {
        let id = shown(operations, &named.id);
        let message = format!("Operation {id} was not undone: there is nothing to redo");
        RpcError::new(ErrorKind::InvalidValue, message).hint(SEE_HISTORY)
    })
}

fn named<'o>(operations: &'o [Operation], name: &str) -> Result<&'o Operation, RpcError> {
    if name == LAST {
        return operations
            .first()
            .ok_or_else(|| not_found("There are no recorded operations in this project"));
    }
    if let Some(operation) = operations.iter().find(|operation| operation.id == name) {
        return Ok(operation);
    }
    // A short beginning that fits one operation today may fit another tomorrow.
    if name.len() < SHORTEST {
        let message =
            format!("operation: '{name}' is too short: give {SHORTEST} characters of an id or more");
        return Err(RpcError::new(ErrorKind::InvalidParams, message).hint(SEE_HISTORY));
    }
    let mut fitting = operations.iter().filter(|operation| operation.id.starts_with(name));
    match (fitting.next(), fitting.next()) {
        (Some(operation), None) => Ok(operation),
        (Some(one), Some(other)) => {
            let more = clada_protocol::and_more(fitting.count());
            let (one, other) = (shown(operations, &one.id), shown(operations, &other.id));
            let message = format!("operation: '{name}' is the beginning of {one} and {other}{more}");
            Err(RpcError::new(ErrorKind::Ambiguous, message).hint("give more characters of the id"))
        }
        (None, _) => {
            let error = not_found(&format!("There is no operation '{name}' in this project, or no longer"));
            Err(match nearest(operations, name) {
                Some(near) => {
                    error.hint(format!("did you mean {}? {SEE_HISTORY}", shown(operations, &near.id)))
                }
                None => error,
            }
            .with("operationId", name))
        }
    }
}

fn nearest<'o>(operations: &'o [Operation], name: &str) -> Option<&'o Operation> {
    let distance = |operation: &&Operation| strsim::damerau_levenshtein(&operation.id, name);
    let near = operations.iter().min_by_key(distance)?;
    (distance(&near) <= 2).then_some(near)
}

fn shown<'a>(operations: &'a [Operation], id: &'a str) -> &'a str {
    shortest(id, operations.iter().map(|operation| operation.id.as_str()))
}

fn not_found(message: &str) -> RpcError {
    RpcError::new(ErrorKind::OperationNotFound, message).hint(SEE_HISTORY)
}
