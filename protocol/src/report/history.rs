//! The reports of `history.list`, `history.show`, `undo` and `redo`.
//!
//! Knows no clock and no time zone: how a moment is written is handed in.

use std::collections::BTreeMap;

use super::execution::{message, part_done};
use super::git::{git_lines, position};
use super::page::{Page, ReportPaths};
use super::{ReportStyle, Verbosity, count_of, shown_id};
use crate::{
    ActionResult, HistoryListResult, HistoryShowResult, OperationInfo, PathChange, UndoResult, visible_path,
};

/// A function that formats a moment, in milliseconds since 1970.
pub type Moment<'a> = &'a dyn Fn(i64) -> String;

/// The report of `history.list`: a line an operation, newest first: its id, how long ago it was, what it did,
/// the first words of its answer.
#[must_use]
pub fn history_text(result: &HistoryListResult, style: &ReportStyle<'_>, ago: Moment<'_>) -> String {
    let mut page = Page::default();
    let rows = result.operations.iter().map(|operation| {
        let id = shown_id(&result.short_ids, &operation.operation_id);
        (id, ago(operation.began_ms), operation)
    });
    let rows: Vec<_> = rows.collect();
    let wide = |row: fn(&(&str, String, &OperationInfo)) -> usize| rows.iter().map(row).max().unwrap_or(0);
    let (id_width, ago_width) = (wide(|row| row.0.len()), wide(|row| row.1.len()));
    for (id, ago, operation) in &rows {
        // What is cut off at the end of a line is what says least.
        let notes = notes(operation, &result.short_ids);
        let notes = if notes.is_empty() { notes } else { notes + ": " };
        let title = operation.title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
        page.line(format_args!("{id:<id_width$}  {ago:<ago_width$}  {notes}{}{title}", what(operation)));
    }
    for warning in &result.warnings {
        page.line(format_args!("WARNING: {}", ReportPaths::new(style.root).in_message(warning)));
    }
    if style.verbosity > Verbosity::Quiet {
        if result.operations.is_empty() {
            page.line("No operations are recorded here.");
        } else if result.more {
            page.line("There are older operations: --limit sets how many to list.");
        }
    }
    page.into_text()
}

fn what(operation: &OperationInfo) -> String {
    let (Some(files), Some(first)) = (operation.files, &operation.first_file) else {
        return operation.summary.clone();
    };
    let (added, removed) = (operation.added.unwrap_or(0), operation.removed.unwrap_or(0));
    let more = if files > 1 { " \u{2026}" } else { "" };
    let files = count_of(files as usize, "file");
    format!("{files} +{added} -{removed}  {}{more}", visible_path(first))
}

pub(super) fn notes(operation: &OperationInfo, short_ids: &BTreeMap<String, String>) -> String {
    let mut notes = Vec::new();
    if operation.status != "done" {
        notes.push(operation.status.clone());
    }
    if let Some(undoes) = &operation.undoes {
        notes.push(format!("undoes {}", shown_id(short_ids, undoes)));
    }
    if operation.beside_branch {
        notes.push("commits on refs/clada".to_owned());
    }
    if let Some(undone_by) = &operation.undone_by {
        notes.push(format!("undone by {}", shown_id(short_ids, undone_by)));
    }
    notes.join(", ")
}

/// The report of `history.show`: the operation, a line an action, a line a path, the diff.
#[must_use]
pub fn operation_text(result: &HistoryShowResult, style: &ReportStyle<'_>, moment: Moment<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let mut page = Page::default();
    let operation = &result.operation;
    let notes = notes(operation, &result.short_ids);
    let notes = if notes.is_empty() { notes } else { format!(" ({notes})") };
    page.line(format_args!(
        "Operation {}, {}, {}{notes}",
        shown_id(&result.short_ids, &operation.operation_id),
        operation.kind,
        moment(operation.began_ms),
    ));
    if let Some(title) = &operation.title {
        page.line(format_args!("  {title}"));
    }
    if !operation.summary.is_empty() {
        page.line(format_args!("  {}", operation.summary));
    }
    page.gap();
    for action in &result.actions {
        page.line(done_line(action, paths));
    }
    page.gap();
    for change in &result.changes {
        page.line(change_line(change, paths));
    }
    if let Some(head) = &operation.head {
        page.line(format_args!("  HEAD: {} -> {}", position(&head.from), position(&head.to)));
    } else if result.changes.is_empty() {
        // An operation without changes is listed as well: its empty list of paths has to say why.
        page.line("  It changed nothing.");
    }
    for warning in &result.warnings {
        page.line(format_args!("WARNING: {}", paths.in_message(warning)));
    }
    if let Some(diff) = result.diff.as_ref().filter(|diff| !diff.is_empty()) {
        page.gap();
        page.diff(diff);
    }
    page.into_text()
}

fn done_line(action: &ActionResult, paths: ReportPaths<'_>) -> String {
    let at = |name: &str| action.params.text(name).map(|path| paths.show(path));
    let paths = match (at("path").or_else(|| at("old_path")), at("new_path")) {
        _ if !action.success => message(action, paths),
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (path, to) => path.or(to).unwrap_or_default(),
    };
    let separator = if paths.is_empty() { "" } else { " - " };
    let part = part_done(action).map(|part| format!(" ({part})")).unwrap_or_default();
    format!("[task-{}] {}: {}{separator}{paths}{part}", action.task, action.status.word(), action.action)
}

/// Returns the report of `undo` and `redo`: a line a path, what a user should know, and a summary.
#[must_use]
pub fn undo_text(result: &UndoResult, style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let mut page = Page::default();
    for change in &result.changes {
        if style.verbosity > Verbosity::Quiet || change.error.is_some() {
            page.line(change_line(change, paths));
        }
    }
    if let Some(dry_run) = &result.dry_run {
        page.gap();
        page.diff(&dry_run.diff);
        page.gap();
    }
    for warning in &result.warnings {
        page.line(format_args!("WARNING: {}", paths.in_message(warning)));
    }
    if let Some(fatal) = &result.fatal_error {
        page.line(format_args!("FATAL: {}", paths.in_message(fatal)));
    }
    if style.verbosity > Verbosity::Quiet {
        if let Some(git) = &result.git {
            git_lines(&mut page, git, paths);
        }
        page.line(undo_summary(result));
    }
    page.into_text()
}

fn undo_summary(result: &UndoResult) -> String {
    let undone = &result.undone;
    let (doing, back) = if undone.kind == "undo" { ("Redo", "undo") } else { ("Undo", "redo") };
    // What a redo makes again is another operation than the undo, whose summary is the reverse of it.
    let again = undone.undoes.as_deref().filter(|_| undone.kind == "undo");
    let id = shown_id(&result.short_ids, again.unwrap_or(&undone.operation_id));
    let of = match undone.summary.as_str() {
        summary if !summary.is_empty() && again.is_none() => format!("{id} ({summary})"),
        _ => id.to_owned(),
    };
    let failed = result.changes.iter().filter(|change| change.error.is_some()).count();
    let done = count_of(result.changes.len() - failed, "path");
    if let Some(head) = undone.head.as_ref().filter(|_| result.dry_run.is_some()) {
        return format!(
            "{doing} of {of} would bring HEAD back to {}. Dry run: nothing was changed.",
            position(&head.from)
        );
    }
    if result.dry_run.is_some() {
        return format!("{doing} of {of} would change {done}. Dry run: nothing was changed.");
    }
    let end = if result.operation_id.is_empty() {
        String::new()
    } else {
        let id = shown_id(&result.short_ids, &result.operation_id);
        format!(" Operation {id}; `clada {back}` reverts it.")
    };
    if let Some(head) = &undone.head {
        return format!("{doing} of {of}: HEAD is at {} again.{end}", position(&head.from));
    }
    match (result.changes.len(), failed) {
        (0, _) => format!("{doing} of {of}: everything was already as before.{end}"),
        (_, 0) => format!("{doing} of {of}: {done}.{end}"),
        _ => format!("{doing} of {of}: {done}, {failed} failed.{end}"),
    }
}

fn change_line(change: &PathChange, paths: ReportPaths<'_>) -> String {
    let mut line = match &change.error {
        Some(_) => "ERROR: ".to_owned(),
        None => "  ".to_owned(),
    };
    line.push_str(&format!("{} {}", change.change.word(), paths.show(&change.path)));
    if let Some(from) = &change.from {
        line.push_str(&format!(" from {}", paths.show(from)));
    }
    if change.merged {
        line.push_str(" (merged with what was changed since)");
    }
    if let Some(error) = &change.error {
        line.push_str(&format!(": {}", paths.in_message(error)));
    }
    line
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::Value;

    use super::*;
    use crate::{ChangeKind, DryRun, ErrorDetail};

    const STYLE: ReportStyle<'static> = ReportStyle {
        root: "/proj",
        verbosity: Verbosity::Normal,
        error_detail: ErrorDetail::Minimal,
        how_to_approve: "",
        how_to_plain: None,
        commands: super::super::CommandOutput::Shown,
        unapproved: super::super::Unapproved::OfUser,
        seen_problems: false,
    };

    fn operation(id: &str, kind: &str) -> OperationInfo {
        OperationInfo {
            operation_id: id.into(),
            kind: kind.into(),
            status: "done".into(),
            began_ms: 5,
            summary: "edited a.txt".into(),
            ..OperationInfo::default()
        }
    }

    fn change(change: ChangeKind, path: &str) -> PathChange {
        PathChange { path: format!("/proj/{path}"), change, ..PathChange::default() }
    }

    #[test]
    fn a_list_is_a_line_an_operation() {
        let undone =
            OperationInfo { undone_by: Some("zxwkkkkkkkkk".into()), ..operation("kmnkkkkkkkkk", "execute") };
        let odd = OperationInfo {
            status: "interrupted".into(),
            summary: "a\nb".into(),
            ..operation("1", "execute")
        };
        let counted = |files| OperationInfo {
            title: Some("Parse dates".into()),
            files: Some(files),
            first_file: Some("src/a.rs".into()),
            added: Some(12),
            removed: Some(4),
            ..operation("2", "execute")
        };
        let result = HistoryListResult {
            operations: vec![undone, odd, counted(1), counted(3)],
            more: true,
            warnings: vec!["odd\n".into()],
            moved_from: None,
            short_ids: [("kmnkkkkkkkkk", "kmn"), ("zxwkkkkkkkkk", "zxw")]
                .map(|(id, short)| (id.into(), short.into()))
                .into(),
        };
        expect![[r#"
            kmn  at 5  undone by zxw: edited a.txt
            1    at 5  interrupted: a\nb
            2    at 5  1 file +12 -4  src/a.rs  Parse dates
            2    at 5  3 files +12 -4  src/a.rs …  Parse dates
            WARNING: odd\n
            There are older operations: --limit sets how many to list.
        "#]]
        .assert_eq(&history_text(&result, &STYLE, &|at| format!("at {at}")));
        let none = history_text(&HistoryListResult::default(), &STYLE, &|_| String::new());
        assert_eq!(none, "No operations are recorded here.\n");
    }

    #[test]
    fn an_operation_is_described_with_its_paths_and_diff() {
        let moved = PathChange { from: Some("/proj/b".into()), ..change(ChangeKind::Moved, "c") };
        let result = HistoryShowResult {
            operation: OperationInfo { undoes: Some("0".into()), ..operation("2", "undo") },
            actions: Vec::new(),
            changes: vec![moved, change(ChangeKind::FolderDeleted, "d\n")],
            diff: Some("--- a/x\n+++ b/x\n".into()),
            ..HistoryShowResult::default()
        };
        let text = operation_text(&result, &STYLE, &|_| "then".into());
        let expected = "Operation 2, undo, then (undoes 0)\n  edited a.txt\n\n  moved c from b\n  \
                        deleted the folder \"d\\n\"\n\n--- a/x\n+++ b/x\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_came_of_actions_is_reported() {
        let action = |task: &str, params: Value, error: Option<&str>| ActionResult {
            task: task.into(),
            action: "file_move".into(),
            params: params.as_object().cloned().unwrap_or_default().into(),
            success: error.is_none(),
            error: error.map(Into::into),
            ..ActionResult::default()
        };
        let moved = serde_json::json!({ "old_path": "/proj/a", "new_path": "/proj/b" });
        let result = HistoryShowResult {
            operation: operation("2", "execute"),
            actions: vec![
                action("1", moved, None),
                action("2", Value::Null, Some("file_move: no '/proj/x'")),
                ActionResult {
                    hunks: Some(crate::HunkCount { done: 2, of: 3 }),
                    ..action("3", serde_json::json!({ "path": "/proj/c" }), None)
                },
            ],
            changes: vec![change(ChangeKind::Moved, "b")],
            ..HistoryShowResult::default()
        };
        let text = operation_text(&result, &STYLE, &|_| "then".into());
        let expected = "\n\n[task-1] SUCCESS: file_move - a to b\n[task-2] SUCCESS: file_move - no 'x'\n\
             [task-3] SUCCESS: file_move - c (2 of 3 hunks; the user left out the rest)\n\n  moved b\n";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn an_undo_says_how_to_take_it_back() {
        let result = UndoResult {
            success: true,
            operation_id: "3".into(),
            undone: operation("2", "execute"),
            changes: vec![change(ChangeKind::Changed, "a.txt")],
            warnings: vec!["'/proj/d' stays: it holds other files".into()],
            ..UndoResult::default()
        };
        let expected = "  changed a.txt\nWARNING: 'd' stays: it holds other files\n\
                        Undo of 2 (edited a.txt): 1 path. Operation 3; `clada redo` reverts it.\n";
        assert_eq!(undo_text(&result, &STYLE), expected);
        let nothing = UndoResult { changes: Vec::new(), warnings: Vec::new(), ..result.clone() };
        expect![[r#"
            Undo of 2 (edited a.txt): everything was already as before. Operation 3; `clada redo` reverts it.
        "#]]
        .assert_eq(&undo_text(&nothing, &STYLE));
        let dry = UndoResult { operation_id: String::new(), dry_run: Some(DryRun::default()), ..result };
        assert!(undo_text(&dry, &STYLE).ends_with("would change 1 path. Dry run: nothing was changed.\n"));
    }

    #[test]
    fn what_failed_is_reported_even_when_little_is() {
        let failed = PathChange { error: Some("no '/proj/x'".into()), ..change(ChangeKind::Created, "x") };
        let result = UndoResult {
            undone: operation("2", "undo"),
            changes: vec![change(ChangeKind::Deleted, "y"), failed],
            ..UndoResult::default()
        };
        let quiet = ReportStyle { verbosity: Verbosity::Quiet, ..STYLE };
        assert_eq!(undo_text(&result, &quiet), "ERROR: created x: no 'x'\n");
        assert!(undo_text(&result, &STYLE).ends_with("Redo of 2 (edited a.txt): 1 path, 1 failed.\n"));
        let undone = crate::OperationInfo { undoes: Some("1".to_owned()), ..operation("2", "undo") };
        let again = UndoResult { undone, ..result };
        assert!(undo_text(&again, &STYLE).ends_with("Redo of 1: 1 path, 1 failed.\n"));
    }
}
