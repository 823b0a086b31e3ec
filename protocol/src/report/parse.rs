//! The report of `parse`: what an answer asks for, and what is wrong with it.

use serde_json::Value;

use super::execution::{Changes, approvals};
use super::issues::{not_read, parse_issue};
use super::page::{MARK, Page, ReportPaths};
use super::proposals::left_proposals;
use super::{ReportStyle, Verbosity, count_of};
use crate::{Parameter, ParseResult, ParsedAction};

/// The report of `result`: a line an action, then errors and warnings with their lines, then a summary.
#[must_use]
pub fn parse_text(result: &ParseResult, style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let mut page = Page::default();
    if style.verbosity > Verbosity::Quiet {
        for action in &result.actions {
            page.line(action_line(action, paths));
            if style.verbosity == Verbosity::Verbose {
                parameters(&mut page, action);
            }
        }
    }
    page.gap();
    for issue in &result.errors {
        parse_issue(&mut page, issue, "ERROR", style);
    }
    not_read(&mut page, &result.not_read, style);
    left_proposals(&mut page, &result.proposals, style);
    if style.verbosity > Verbosity::Quiet {
        for issue in &result.warnings {
            parse_issue(&mut page, issue, "WARNING", style);
        }
        // The changes are not shown: the reader of this report has the answer that holds them.
        approvals(&mut page, &result.approvals, style, paths, Changes::Omitted);
        page.gap();
        let summary = &result.summary;
        page.line(format_args!(
            "{}: {}, {}.",
            count_of(summary.total_blocks, "block"),
            count_of(summary.success_count, "valid action"),
            count_of(summary.error_count, "error"),
        ));
    }
    page.into_text()
}

fn action_line(action: &ParsedAction, paths: ReportPaths<'_>) -> String {
    let place = &action.metadata;
    let lines = match place.end_line {
        Some(end) if end != place.start_line => format!("lines {}-{end}", place.start_line),
        _ => format!("line {}", place.start_line),
    };
    const PATHS: [&str; 4] = ["path", "old_path", "base_path", "paths"];
    let path = PATHS.iter().find_map(|name| action.parameters.get(name));
    let path = match path {
        Some(Parameter::Other(Value::Array(all))) => format!(" - {}", count_of(all.len(), "path")),
        Some(path) => path.as_str().map(|path| format!(" - {}", paths.show(path))).unwrap_or_default(),
        None => String::new(),
    };
    let ParsedAction { task, action, .. } = action;
    format!("[task-{task}] VALID: {action}{path} ({}, {lines})", place.dialect)
}

fn parameters(page: &mut Page, action: &ParsedAction) {
    for (name, value) in action.parameters.iter() {
        match value.as_str() {
            Some(text) => {
                page.line(format_args!("  {name}:"));
                page.block(MARK, text);
            }
            None => page.line(format_args!("  {name}: {value}")),
        }
    }
}
