//! Describes what one planned action would change, for a user who is asked to allow it.
//!
//! Must not know how the question is put, or what is answered. A user decides by this text: nothing of a
//! change is left out without being named, and a difference that is not seen is made visible or described.

use std::borrow::Cow;

use super::details::command_lines;
use super::page::{MARK, Page, ReportPaths};
use super::{ReportStyle, count_of};
use crate::{Approval, ApprovalKind, PlannedAction, PlannedHunk, is_suspicious, visible_block};

/// Returns what `action` would do, and all that it changes. `approvals` are those of the plan: the one that
/// the action needs is named.
#[must_use]
pub fn change_text(action: &PlannedAction, approvals: &[Approval], style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let mut page = Page::default();
    page.line(format_args!(
        "[task-{}] PLANNED: {} - {}",
        action.task,
        action.action,
        described(action, paths)
    ));
    let approval_id = action.needs_approval.as_ref();
    for approval in approvals.iter().filter(|approval| approval_id == Some(&approval.id)) {
        let reason = approval.reason.trim_end_matches('.');
        let subject = match approval.kind {
            ApprovalKind::Command => Cow::Borrowed("The command"),
            _ => Cow::Owned(paths.show(&approval.path).to_string()),
        };
        page.line(format_args!("WARNING: {subject} needs your approval: {reason}."));
        if let Some(command) = &approval.command {
            command_lines(&mut page, command);
        }
    }
    if let (None, Some(command)) = (approval_id, &action.command) {
        page.block(MARK, command);
        if is_suspicious(command) {
            page.line(SUSPICIOUS);
        }
    }
    let suspicious =
        approvals.iter().any(|approval| approval.suspicious && approval_id == Some(&approval.id));
    let diffs = || action.hunks.iter().map(|hunk| &*hunk.diff).chain(action.diff.as_deref());
    if suspicious || diffs().any(is_suspicious) {
        page.line(SUSPICIOUS);
    }
    // No line of a diff begins with a bracket but the daemon's own text in place of one.
    if diffs().any(|diff| diff.lines().any(|line| line.starts_with('('))) {
        page.line("WARNING: Part of it is hidden as a secret; --include-secrets shows it.");
    }
    if action.truncated {
        page.line("WARNING: The change is too large to show in full; it does more than is shown here.");
    }
    let written = action.post_hash.is_some() && action.new_path.is_none() && !action.unchanged;
    if written && diffs().next().is_none() && !action.truncated {
        page.line("WARNING: The change cannot be shown as text.");
    }
    for diff in diffs() {
        page.diff(&line_ends(diff));
    }
    // If a diff is withheld, the approval shows at least what the answer says.
    let held_back = |diff: &str| diff.lines().all(|line| line.starts_with('('));
    if diffs().all(held_back) {
        let own = approvals.iter().filter(|approval| approval_id == Some(&approval.id));
        own.filter_map(|approval| approval.change.as_ref()).for_each(|change| page.diff(change));
    }
    page.into_text()
}

/// Returns one hunk of a change, with a note about what is not to be seen in it.
#[must_use]
pub fn hunk_text(hunk: &PlannedHunk) -> String {
    let mut page = Page::default();
    if is_suspicious(&hunk.diff) {
        page.line(SUSPICIOUS);
    }
    page.diff(&line_ends(&hunk.diff));
    page.into_text()
}

const SUSPICIOUS: &str = "WARNING: It contains invisible characters, shown as escapes such as \\u{200b}.";

fn described(action: &PlannedAction, paths: ReportPaths<'_>) -> String {
    let path = action.path.as_deref().map(|path| paths.show(path)).unwrap_or_default();
    let new_path = action.new_path.as_deref().map(|path| paths.show(path)).unwrap_or_default();
    let over = if action.replaces { ", replacing what is there" } else { "" };
    let mut words = match action.action.as_str() {
        "file_delete" => match action.lines {
            Some(lines) => format!("delete {path} ({})", count_of(lines, "line")),
            None => format!("delete {path}"),
        },
        "run" => "run a command".to_owned(),
        "exec" => "run code".to_owned(),
        "dir_create" => format!("create the folder {path}"),
        "dir_delete" => format!("delete the folder {path}"),
        _ if action.diff.is_some() => "change these files".to_owned(),
        _ if action.new_path.is_some() && !action.hunks.is_empty() => {
            format!("change {path} and move it to {new_path}{over}")
        }
        _ if action.new_path.is_some() => format!("move {path} to {new_path}{over}"),
        // A file with both hashes is changed; one that has only the later hash is new, or replaces another.
        _ if action.post_hash.is_some() && action.pre_hash.is_some() => format!("change {path}"),
        _ if action.post_hash.is_some() && action.replaces => format!("replace {path}"),
        _ if action.post_hash.is_some() => format!("create {path}"),
        _ => path,
    };
    if let Some(rung) = &action.matched_by {
        words.push_str(&format!(" (matched by {rung})"));
    }
    if action.unchanged {
        words.push_str(" (already in place)");
    }
    words
}

/// Returns a diff for reading: what is not seen in it is written out, and so are line ends that differ from
/// the others.
#[must_use]
pub fn visible_diff(diff: &str) -> String {
    visible_block(&line_ends(diff)).into_owned()
}

/// If all lines end alike, it is unchanged.
fn line_ends(diff: &str) -> Cow<'_, str> {
    let begins = |marks: &'static [char]| diff.lines().filter(|line| line.starts_with(marks)).count();
    // A line that has no end, which the line below says, has none that differs.
    let ended = begins(&[' ', '+', '-']).saturating_sub(begins(&['\\']));
    match diff.matches("\r\n").count() {
        none_or_all if none_or_all == 0 || none_or_all == ended => Cow::Borrowed(diff),
        _ => Cow::Owned(diff.replace("\r\n", "\\r\n")),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{ApprovalKind, ErrorDetail, Verbosity};

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

    fn action(name: &str, path: &str) -> PlannedAction {
        let path = Some(format!("/proj/{path}"));
        PlannedAction { task: "1".into(), action: name.into(), path, ..PlannedAction::default() }
    }

    fn hunk(diff: &str) -> PlannedHunk {
        PlannedHunk { id: "a1.h1".into(), diff: diff.into() }
    }

    #[test]
    fn what_changes_no_text_is_a_line() {
        let delete = PlannedAction { lines: Some(12), ..action("file_delete", "a/b") };
        let moved = PlannedAction {
            new_path: Some("/proj/c\nd".into()),
            post_hash: Some("0".into()),
            replaces: true,
            ..action("file_move", "a")
        };
        for (action, expected) in [
            (delete, "file_delete - delete a/b (12 lines)"),
            (action("file_delete", "link"), "file_delete - delete link"),
            (moved, "file_move - move a to \"c\\nd\", replacing what is there"),
            (action("dir_create", "x"), "dir_create - create the folder x"),
            (action("dir_delete", "x"), "dir_delete - delete the folder x"),
            (action("something", "x"), "something - x"),
        ] {
            assert_eq!(change_text(&action, &[], &STYLE), format!("[task-1] PLANNED: {expected}\n"));
        }
    }

    #[test]
    fn a_change_is_shown_whole_and_with_what_it_needs() {
        let approval = Approval {
            id: "x".into(),
            kind: ApprovalKind::File,
            task: None,
            path: "/proj/.envrc".into(),
            reason: "it runs\u{1b} by itself.".into(),
            suspicious: false,
            ..Approval::default()
        };
        let change = PlannedAction {
            pre_hash: Some("0".into()),
            post_hash: Some("1".into()),
            hunks: vec![hunk("@@ -1 +1 @@\n-a\n+b\u{200b}\n"), hunk("@@ -9 +9 @@\n-c\n+d\nforged\n")],
            needs_approval: Some("x".into()),
            matched_by: Some("indent".into()),
            ..action("file_patch", ".envrc")
        };
        let expected = "[task-1] PLANNED: file_patch - change .envrc (matched by indent)\n\
            WARNING: .envrc needs your approval: it runs\\u{1b} by itself.\n\
            WARNING: It contains invisible characters, shown as escapes such as \\u{200b}.\n\
            @@ -1 +1 @@\n-a\n+b\\u{200b}\n@@ -9 +9 @@\n-c\n+d\n forged\n";
        assert_eq!(change_text(&change, &[approval], &STYLE), expected);
    }

    #[test]
    fn what_cannot_be_shown_is_reported() {
        let binary =
            PlannedAction { post_hash: Some("1".into()), replaces: true, ..action("file_write", "x") };
        let text = change_text(&binary, &[], &STYLE);
        expect![[r#"
            [task-1] PLANNED: file_write - replace x
            WARNING: The change cannot be shown as text.
        "#]]
        .assert_eq(&text);
        let large = PlannedAction { truncated: true, ..binary };
        let text = change_text(&large, &[], &STYLE);
        expect![[r#"
            [task-1] PLANNED: file_write - replace x
            WARNING: The change is too large to show in full; it does more than is shown here.
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn what_is_held_back_is_reported() {
        let secret = PlannedAction {
            post_hash: Some("1".into()),
            hunks: vec![hunk("(a secret is not shown)\n")],
            ..action("file_write", ".env")
        };
        let text = change_text(&secret, &[], &STYLE);
        expect![[r#"
            [task-1] PLANNED: file_write - create .env
            WARNING: Part of it is hidden as a secret; --include-secrets shows it.
             (a secret is not shown)
        "#]]
        .assert_eq(&text);
        let open = PlannedAction { hunks: vec![hunk("@@ -1 +1 @@\n-(a\n+(b\n")], ..secret };
        assert!(!change_text(&open, &[], &STYLE).contains("WARNING"));
    }

    #[test]
    fn line_ends_are_shown_where_they_differ() {
        let all = hunk("@@ -1 +1 @@\n-a\r\n+b\r\n");
        assert_eq!(hunk_text(&all), "@@ -1 +1 @@\n-a\n+b\n");
        let some = hunk("@@ -1 +1 @@\n-a\r\n+a\n");
        assert_eq!(hunk_text(&some), "@@ -1 +1 @@\n-a\\r\n+a\n");
        let open = hunk("@@ -1 +1,2 @@\n a\r\n+b\n\\ No newline at end of file\n");
        assert_eq!(hunk_text(&open), "@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n");
    }
}
