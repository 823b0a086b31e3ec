//! The reports of `approval.list`: what waits for a person, and what was left out for want of one.

use super::count_of;
use super::execution::approval_text;
use super::page::Page;
use crate::{ApprovalListResult, LeftOut, WaitingApproval, visible_line, visible_path};

/// The report of `listed`: a paragraph for each answer that waits, and for each operation that left something
/// out.
#[must_use]
pub fn approvals_text(listed: &ApprovalListResult) -> String {
    let mut page = Page::default();
    for waiting in &listed.approvals {
        page.gap();
        page.line(heading(waiting));
        for approval in &waiting.approvals {
            let what = approval
                .command
                .as_ref()
                .map_or(&approval.path, |command| command.code.as_ref().unwrap_or(&command.command));
            page.block("  ", what);
        }
    }
    for entry in &listed.left_out {
        page.gap();
        left_out(&mut page, entry);
    }
    page.into_text()
}

/// All that a person is shown of an answer that waits, before the question: who asks, what has changed since
/// it was asked before, what needs approval, and all that the answer changes.
#[must_use]
pub fn waiting_text(waiting: &WaitingApproval) -> String {
    let mut page = Page::default();
    page.line(heading(waiting));
    if let Some(changed) = &waiting.changed_since {
        page.line("It has changed since you were asked before:");
        page.block("  ", changed);
    }
    let mut text = page.into_text();
    for approval in &waiting.approvals {
        text.push_str(&approval_text(approval, &waiting.root));
    }
    if !waiting.diff.is_empty() {
        let mut page = Page::default();
        page.gap();
        page.line("Changes in the answer:");
        page.diff(&waiting.diff);
        text.push_str(&page.into_text());
    }
    text
}

fn heading(waiting: &WaitingApproval) -> String {
    format!(
        "{}: {} in {} waits for your approval, {} so far, {} more at most.",
        visible_line(&waiting.id),
        client(waiting.client.as_deref()),
        visible_path(&waiting.root),
        seconds(waiting.waiting_ms),
        seconds(waiting.expires_in_ms)
    )
}

fn left_out(page: &mut Page, entry: &LeftOut) {
    page.line(format_args!(
        "Operation {} of {} in {}, {} ago, left out {}:",
        visible_line(&entry.operation_id),
        client(entry.client.as_deref()),
        visible_path(&entry.root),
        seconds(entry.ended_ms),
        if entry.declined { "what you declined" } else { "what needs your approval" }
    ));
    for what in &entry.what {
        page.block("  ", what);
    }
}

fn client(name: Option<&str>) -> String {
    name.map_or_else(|| "an agent".to_owned(), |name| format!("the agent '{}'", visible_line(name)))
}

fn seconds(milliseconds: u64) -> String {
    match milliseconds / 1000 {
        seconds @ 0..=119 => format!("{seconds} s"),
        seconds => count_of(usize::try_from(seconds / 60).unwrap_or(usize::MAX), "minute"),
    }
}
