//! The page of `history.show`: one operation as one HTML file, to keep, to print or to hand on.
//!
//! The page needs nothing else: no script, no font, no picture; its own policy forbids to load any. It is
//! well-formed XML at the same time. Knows no clock and no files. Everything that is not our own words comes from
//! answers, files and commands, and gets into the page by [`Markup::text`] alone, which escapes it.

mod markup;

use markup::Markup;

use super::execution::part_done;
use super::history::{Moment, notes};
use super::page::ReportPaths;
use super::shown_id;
use crate::{ActionResult, ActionStatus, HistoryShowResult, Parameter};

const STYLE: &str = include_str!("style.css");

/// Returns the HTML page of an operation: what was asked, what was done, what was not and why, and every diff.
/// `result` is best taken with `diff` and `parameters`. Paths below `root` are shown from there.
#[must_use]
pub fn operation_html(result: &HistoryShowResult, root: &str, moment: Moment<'_>) -> String {
    let id = shown_id(&result.short_ids, &result.operation.operation_id);
    let mut page = Markup::document(&format!("clada {id}: {}", result.operation.summary), STYLE);
    let paths = ReportPaths::new(root);
    head(&mut page, result, root, moment);
    actions(&mut page, result, paths);
    changes(&mut page, result, paths);
    diffs(&mut page, result.diff.as_deref().unwrap_or_default());
    page.into_text()
}

fn head(page: &mut Markup, result: &HistoryShowResult, root: &str, moment: Moment<'_>) {
    let operation = &result.operation;
    page.open("header");
    page.element("h1", "", &operation.summary);
    page.open("dl");
    let id = shown_id(&result.short_ids, &operation.operation_id);
    let began = moment(operation.began_ms);
    let state = notes(operation, &result.short_ids);
    let rows = [
        ("Operation", id),
        ("Kind", operation.kind.as_str()),
        ("When", began.as_str()),
        ("Project", root),
        ("State", state.trim_matches([' ', '(', ')'])),
    ];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        page.element("dt", "", name);
        page.element("dd", "", value);
    }
    page.close("dl");
    for warning in &result.warnings {
        page.element("p", "warning", warning);
    }
    page.close("header");
}

fn actions(page: &mut Markup, result: &HistoryShowResult, paths: ReportPaths<'_>) {
    // The actions that were not done come first, since they are what has to be looked at.
    let (done, not_done): (Vec<_>, Vec<_>) = result.actions.iter().partition(|action| action.success);
    for (title, actions) in [("Not done", not_done), ("Done", done)] {
        if actions.is_empty() {
            continue;
        }
        page.open("section");
        page.element("h2", "", &format!("{title}: {}", actions.len()));
        for action in actions {
            one_action(page, action, paths);
        }
        page.close("section");
    }
}

fn one_action(page: &mut Markup, action: &ActionResult, paths: ReportPaths<'_>) {
    page.open("article");
    page.open("p");
    page.element("span", class_of(action.status), action.status.word());
    page.text(&format!(" task {}, ", action.task));
    page.element("code", "", &action.action);
    if let Some(part) = part_done(action) {
        page.text(&format!(": {part}"));
    }
    page.close("p");
    if let Some(error) = &action.error {
        page.element("p", "", &paths.in_message(error));
    }
    for hint in [&action.hint, &action.person_hint].into_iter().flatten() {
        page.block("", &paths.in_message(hint));
    }
    // A `dl` without entries is invalid HTML, so it opens with the first parameter.
    let mut params = action.params.iter().peekable();
    if params.peek().is_some() {
        page.open("dl");
        for (name, value) in params {
            page.element("dt", "", name);
            page.open("dd");
            match value {
                Parameter::Text(text) if text.contains('\n') => page.block("", text),
                Parameter::Text(text) => page.element("code", "", paths.relative(text)),
                Parameter::Other(value) => page.element("code", "", &value.to_string()),
            }
            page.close("dd");
        }
        page.close("dl");
    }
    page.close("article");
}

const fn class_of(status: ActionStatus) -> &'static str {
    match status {
        ActionStatus::Success => "done",
        ActionStatus::Skip => "skip",
        _ => "failed",
    }
}

fn changes(page: &mut Markup, result: &HistoryShowResult, paths: ReportPaths<'_>) {
    page.open("section");
    page.element("h2", "", &format!("Changed: {}", result.changes.len()));
    if result.changes.is_empty() {
        page.element("p", "", "It changed nothing.");
    } else {
        page.open("ul");
        for change in &result.changes {
            page.open("li");
            page.text(&format!("{} ", change.change.word()));
            page.element("code", "", &paths.show(&change.path));
            if let Some(from) = &change.from {
                page.text(" from ");
                page.element("code", "", &paths.show(from));
            }
            if let Some(error) = &change.error {
                page.text(&format!(": {error}"));
            }
            page.close("li");
        }
        page.close("ul");
    }
    page.close("section");
}

fn diffs(page: &mut Markup, diff: &str) {
    let starts = diff.match_indices("diff --git ").map(|(at, _)| at);
    let mut starts: Vec<usize> =
        starts.filter(|at| *at == 0 || diff.as_bytes()[at - 1] == b'\n').chain([diff.len()]).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    for file in starts.windows(2).map(|ends| &diff[ends[0]..ends[1]]) {
        page.open("details open=\"open\"");
        let (title, _) = file.split_once('\n').unwrap_or((file, ""));
        let mut is_body = false;
        let lines: Vec<(&'static str, &str)> = file
            .lines()
            .skip(1)
            .map(|line| {
                is_body |= line.starts_with("@@");
                (class_of_line(line, is_body), line)
            })
            .collect();
        let count = |class: &str| lines.iter().filter(|(of, _)| *of == class).count();
        let title = title.strip_prefix("diff --git ").unwrap_or(title);
        page.element("summary", "", &format!("{title} | +{} -{}", count("added"), count("removed")));
        page.open("pre");
        for (class, line) in lines {
            // Tabs stay: the page is read as the file is.
            page.element("span", class, line);
            page.text("\n");
        }
        page.close("pre");
        page.close("details");
    }
}

fn class_of_line(line: &str, is_body: bool) -> &'static str {
    match line.as_bytes().first() {
        Some(b'@') => "place",
        Some(b'+') if is_body => "added",
        Some(b'-') if is_body => "removed",
        _ if is_body => "",
        _ => "place",
    }
}

#[cfg(test)]
mod tests;
