//! Faults of the answer itself, and parts of it that were not read.

use super::page::{MARK, Page};
use super::style::{ErrorDetail, ReportStyle, Verbosity, count_of};
use crate::{NotRead, ParseIssue, visible_line};

const NOT_READ: usize = 10;

pub(super) fn not_read(page: &mut Page, notices: &[NotRead], style: &ReportStyle<'_>) {
    if notices.is_empty() {
        return;
    }
    let (plain, notices): (Vec<&NotRead>, Vec<&NotRead>) =
        notices.iter().partition(|notice| notice.end_line.is_some());
    not_applied(page, &plain, style);
    if notices.is_empty() {
        return;
    }
    let (count, are) = (count_of(notices.len(), "edit"), if notices.len() == 1 { "is" } else { "are" });
    page.line(format_args!("{count} in the answer {are} in a form that clada does not read:"));
    let listed =
        if style.verbosity == Verbosity::Verbose { notices.len() } else { NOT_READ.min(notices.len()) };
    for not_read in &notices[..listed] {
        let path = not_read.path.as_ref().map(|path| format!("{}, ", visible_line(path))).unwrap_or_default();
        let (kind, hint) = (visible_line(&not_read.kind), visible_line(&not_read.hint));
        let hint = if hint.is_empty() { hint } else { format!(": {hint}").into() };
        page.line(format_args!("NOT READ: {path}line {}{hint} ({kind})", not_read.line));
    }
    if listed < notices.len() {
        page.line(format_args!("... and {} more", notices.len() - listed));
    }
}

fn not_applied(page: &mut Page, notices: &[&NotRead], style: &ReportStyle<'_>) {
    let listed =
        if style.verbosity == Verbosity::Verbose { notices.len() } else { NOT_READ.min(notices.len()) };
    for notice in &notices[..listed] {
        let path = notice.path.as_ref().map(|path| format!("{}, ", visible_line(path))).unwrap_or_default();
        let lines = match notice.end_line.filter(|end| *end > notice.line) {
            Some(end) => format!("lines {}–{end}", notice.line),
            None => format!("line {}", notice.line),
        };
        let hint = visible_line(&notice.hint);
        let hint = if hint.is_empty() { "without an edit block".into() } else { hint };
        page.line(format_args!("NOT APPLIED: {path}{lines}: {hint}"));
    }
    if listed < notices.len() {
        page.line(format_args!("... and {} more", notices.len() - listed));
    }
}

pub(super) fn parse_issue(page: &mut Page, issue: &ParseIssue, word: &str, style: &ReportStyle<'_>) {
    if style.verbosity == Verbosity::Quiet && word == "WARNING" {
        return;
    }
    page.line(format_args!("{word}: {}{}", place(issue), issue.message));
    if let Some(hint) = &issue.hint {
        page.block("  ", hint);
    }
    if style.error_detail >= ErrorDetail::Full
        && let Some(context) = issue.context.as_ref().or(issue.content.as_ref())
    {
        page.block(MARK, context);
    }
    if style.error_detail == ErrorDetail::Debug {
        let code = issue.code.as_deref().unwrap_or("none");
        page.line(format_args!("  type {}, code {code}", issue.error_type));
        if let Some(block) = &issue.sham_content {
            page.line("  the block as written:");
            page.block(MARK, block);
        }
    }
}

fn place(issue: &ParseIssue) -> String {
    let line = issue.line.or(issue.block_start_line).map(|line| match issue.column {
        Some(column) if issue.line.is_some() => format!("line {line}, column {column}"),
        _ => format!("line {line}"),
    });
    let block = issue.block_id.as_ref().map(|block| format!("block {block}"));
    let parts: Vec<String> = [line, block, issue.action.clone()].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { parts.join(", ") + ": " }
}
