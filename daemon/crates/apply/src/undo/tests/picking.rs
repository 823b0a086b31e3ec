//! The operation that is meant, by history and request.

use clada_journal::{Operation, OperationKind, OperationStatus};
use clada_protocol::{ErrorKind, RpcError};

use crate::undo::pick::{UndoTarget, pick};

/// A history, told from the oldest operation on: `x` does something, `-` nothing; `u1` undoes the
/// operation 1 (an undo or a redo).
fn history(told: &str) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    for (index, word) in told.split_whitespace().enumerate() {
        let undoes = word.strip_prefix('u').map(|of| format!("op-{of}"));
        let id = format!("op-{}", index + 1);
        let position = undoes.as_ref().map(|of| operations.iter().position(|one| one.id == *of).unwrap());
        let kind = match position.map(|position| operations[position].kind) {
            None => OperationKind::Execute,
            Some(OperationKind::Undo) => OperationKind::Redo,
            Some(_) => OperationKind::Undo,
        };
        // As the journal does it: what was undone by what is undone holds again, and so on.
        let (mut next, mut by) = (position, Some(id.clone()));
        while let Some(position) = next {
            operations[position].undone_by = by.clone();
            by = by.is_none().then(|| operations[position].id.clone());
            let of = operations[position].undoes.clone();
            next = of.and_then(|of| operations.iter().position(|one| one.id == of));
        }
        operations.push(Operation {
            id,
            kind,
            began: 0,
            status: OperationStatus::Done,
            summary: word.to_owned(),
            undoes,
            undone_by: None,
            committed: None,
            outline: clada_journal::Outline::default(),
        });
    }
    operations.reverse();
    operations
}

fn chosen(told: &str, wanted: UndoTarget<'_>) -> Result<String, RpcError> {
    let history = history(told);
    pick(&history, wanted, |operation| Ok(operation.summary != "-")).map(|found| found.id.clone())
}

fn kind(told: &str, wanted: UndoTarget<'_>) -> ErrorKind {
    chosen(told, wanted).unwrap_err().kind().unwrap()
}

#[test]
fn undo_walks_back() {
    assert_eq!(chosen("x x", UndoTarget::Undo).unwrap(), "op-2");
    assert_eq!(chosen("x x u2", UndoTarget::Undo).unwrap(), "op-1");
    assert_eq!(kind("x x u2 u1", UndoTarget::Undo), ErrorKind::OperationNotFound);
    assert_eq!(chosen("x x u2 x", UndoTarget::Undo).unwrap(), "op-4");
    assert_eq!(chosen("x x u2 x u4", UndoTarget::Undo).unwrap(), "op-1");
    assert_eq!(chosen("x -", UndoTarget::Undo).unwrap(), "op-1");
    assert_eq!(kind("", UndoTarget::Undo), ErrorKind::OperationNotFound);
    // What was redone stands again.
    assert_eq!(chosen("x x u2 u3", UndoTarget::Undo).unwrap(), "op-2");
}

#[test]
fn redo_walks_forward() {
    assert_eq!(chosen("x x u2 u1", UndoTarget::Redo).unwrap(), "op-4");
    assert_eq!(chosen("x x u2 u1 u4", UndoTarget::Redo).unwrap(), "op-3");
    assert_eq!(kind("x x u2 u1 u4 u3", UndoTarget::Redo), ErrorKind::OperationNotFound);
    assert_eq!(kind("x", UndoTarget::Redo), ErrorKind::OperationNotFound);
    assert_eq!(chosen("x u1 u2 u1", UndoTarget::Redo).unwrap(), "op-4");
}

#[test]
fn redo_is_over_when_something_else_was_done() {
    let error = chosen("x u1 x", UndoTarget::Redo).unwrap_err();
    assert!(error.message.contains("op-3") && error.to_string().contains("redo op-2"), "{error}");
    assert_eq!(chosen("x u1 -", UndoTarget::Redo).unwrap(), "op-2");
    assert_eq!(chosen("x u1 x", UndoTarget::RedoOf("op-2")).unwrap(), "op-2");
}

#[test]
fn operations_are_named() {
    assert_eq!(chosen("x x x", UndoTarget::UndoOf("op-2")).unwrap(), "op-2");
    assert_eq!(chosen("x u1", UndoTarget::UndoOf("op-2")).unwrap(), "op-2");
    assert_eq!(chosen("x u1", UndoTarget::RedoOf("op-1")).unwrap(), "op-2");
    assert_eq!(chosen("x x", UndoTarget::Show("last")).unwrap(), "op-2");
    let error = chosen("x u1", UndoTarget::UndoOf("op-1")).unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::AlreadyUndone));
    assert!(error.message.contains("by operation op-2"), "{error}");
    assert_eq!(kind("x u1 u2", UndoTarget::RedoOf("op-2")), ErrorKind::AlreadyUndone);
    assert_eq!(kind("x x", UndoTarget::RedoOf("op-1")), ErrorKind::InvalidValue);
}

#[test]
fn names_may_be_short() {
    let told = ["x"; 12].join(" ");
    assert_eq!(chosen(&told, UndoTarget::Show("op-12")).unwrap(), "op-12");
    assert_eq!(chosen(&told, UndoTarget::Show("op-1")).unwrap(), "op-1");
    assert_eq!(chosen("x x", UndoTarget::Show("op")).unwrap_err().kind(), Some(ErrorKind::InvalidParams));
    let mut history = history(&told);
    history.iter_mut().for_each(|operation| operation.id = format!("{}-more", operation.id));
    let found = |name: &str| pick(&history, UndoTarget::Show(name), |_| Ok(true)).map(|one| one.id.clone());
    assert_eq!(found("op-9").unwrap(), "op-9-more");
    assert_eq!(found("op-1").unwrap_err().kind(), Some(ErrorKind::Ambiguous));
    let error = found("op-9-mroe").unwrap_err();
    assert!(error.to_string().contains("did you mean op-9?"), "{error}");
    assert_eq!(error.kind(), Some(ErrorKind::OperationNotFound));
}
