//! Words of a report for an action that succeeded: one arm an action.
//!
//! Knows the shapes of `data` and `params` (spec: actions), and nothing of how the line is shown.

use serde_json::Value;

use super::count_of;
use super::page::{Page, ReportPaths};
use crate::{
    ActionData, ActionResult, Appended, CommandApproval, CommandData, ContextEntry, ContextRemoved,
    ErrorKind, Folder, FoundLine, LinkedOutside, ListedEntry, Moved, NotUndoable, Parameter, Patched,
    ReadFile, ReadFiles, Replaced, ReplacedInFiles, ReplacedLines, Written,
};

pub(super) fn details(result: &ActionResult, paths: ReportPaths<'_>) -> String {
    if result.unchanged {
        return match path_of(result) {
            // Its file may differ from the copy: a warning says so.
            Some(path) if result.action == "unstage" => format!("{} left as it is", paths.show(path)),
            Some(path) => format!("{} already in place", paths.show(path)),
            None => "already in place".to_owned(),
        };
    }
    let mut line = line(result, paths);
    let no_lines = matches!(&result.data, Some(ActionData::Lines(lines)) if lines.is_empty());
    if result.action == "grep" && !result.truncated && no_lines {
        line.push_str(" (pattern is plain text)");
    }
    if let Some(rung) = &result.matched_by {
        line.push_str(&format!(" (matched by {rung})"));
    }
    if let Some(ActionData::Read(ReadFile { past_end: Some(words), .. })) = &result.data {
        line.push_str(&format!(" ({words})"));
    }
    if result.truncated {
        line.push_str(" (shown in part: the result was too large)");
    }
    line
}

/// Data that is missing, or of another shape, counts as empty.
fn line(result: &ActionResult, paths: ReportPaths<'_>) -> String {
    let path = path_of(result).map(|path| paths.show(path)).unwrap_or_default();
    let data = result.data.as_ref();
    match result.action.as_str() {
        "file_write" | "unstage" => {
            if let Some(ActionData::Written(Written { lines: Some(lines), .. })) = data {
                return format!("edited {path} (+{} -{} lines)", lines.added, lines.removed);
            }
            let (created, bytes) = match data {
                Some(ActionData::Written(Written { created, bytes_written, .. })) => {
                    (*created, *bytes_written)
                }
                _ => (false, 0),
            };
            let from = match result.action.as_str() {
                "unstage" => format!(" from {}", parameter(result, "name").unwrap_or_default()),
                _ => String::new(),
            };
            let done = if created { "created" } else { "replaced" };
            format!("{done} {path}{from} ({})", count_of(bytes, "byte"))
        }
        "file_append" => {
            let bytes = match data {
                Some(ActionData::Appended(Appended { bytes_written, .. })) => *bytes_written,
                _ => 0,
            };
            format!("appended {} to {path}", count_of(bytes, "byte"))
        }
        "file_replace_text" | "file_replace_texts" | "file_replace_all_text" | "file_replace_text_range" => {
            format!("{} in {path}", replaced(data))
        }
        "files_replace_all_text" => {
            let files = match data {
                Some(ActionData::ReplacedInFiles(ReplacedInFiles { results })) => results.len(),
                _ => 0,
            };
            format!("replaced in {}", count_of(files, "file"))
        }
        "file_replace_lines" => {
            let lines = match data {
                Some(ActionData::ReplacedLines(ReplacedLines { lines_replaced, .. })) => *lines_replaced,
                _ => 0,
            };
            let range = parameter(result, "lines").unwrap_or_default();
            format!("replaced {} ({range}) of {path}", count_of(lines, "line"))
        }
        "file_patch" => patched(result, &path, paths),
        "file_move" => moved(result, paths),
        "file_delete" | "dir_delete" => format!("deleted {path}"),
        "file_read" | "file_read_numbered" => format!("read {path}"),
        "files_read" => {
            let read = match data {
                Some(ActionData::ReadFiles(ReadFiles { paths: Some(read), .. })) => read.len(),
                // A dry run names those that are to be read.
                _ => lines_of(result.params.text("paths").unwrap_or_default()),
            };
            format!("read {}", count_of(read, "file"))
        }
        "dir_create" => match data {
            Some(ActionData::Folder(Folder { created: true, .. })) => format!("created {path}"),
            _ => format!("already exists: {path}"),
        },
        "ls" => format!("{} in {path}", found_count(data, "entry")),
        "grep" => format!("{} in {path}", found_count(data, "matching line")),
        "glob" => {
            let base = parameter(result, "base_path").map(|base| paths.show(&base)).unwrap_or_default();
            format!("{} in {base}", found_count(data, "path"))
        }
        "run" | "exec" => command(result),
        "context_add" => format!("added {path} to the context"),
        "context_remove" => format!("removed {path} from the context"),
        "context_list" => format!("{} in the context", found_count(data, "path")),
        "context_prune" | "context_clear" => {
            let removed = match data {
                Some(ActionData::ContextRemoved(ContextRemoved { removed })) => removed.len(),
                _ => 0,
            };
            format!("removed {} from the context", count_of(removed, "path"))
        }
        _ => path,
    }
}

fn replaced(data: Option<&ActionData>) -> String {
    let Some(ActionData::Replaced(Replaced { replacements, first_line, last_line, .. })) = data else {
        return count_of(0, "replacement");
    };
    match (first_line, last_line) {
        (Some(first), Some(last)) if first == last => format!("replaced line {first}"),
        (Some(first), Some(last)) => {
            format!("replaced lines {first}-{last} ({} lines)", last.saturating_sub(*first) + 1)
        }
        _ => count_of(*replacements, "replacement"),
    }
}

fn patched(result: &ActionResult, path: &str, paths: ReportPaths<'_>) -> String {
    let (created, new_path) = match &result.data {
        Some(ActionData::Patched(Patched { created, new_path, .. })) => (*created, new_path.clone()),
        _ => (false, None),
    };
    let to = new_path.or_else(|| parameter(result, "newPath"));
    let to = to.map(|to| format!(", moved to {}", paths.show(&to))).unwrap_or_default();
    format!("{} {path}{to}", if created { "created" } else { "patched" })
}

fn moved(result: &ActionResult, paths: ReportPaths<'_>) -> String {
    let moved = match &result.data {
        Some(ActionData::Moved(moved)) => moved.clone(),
        _ => Moved {
            old_path: parameter(result, "old_path").unwrap_or_default(),
            new_path: parameter(result, "new_path").unwrap_or_default(),
            overwrote: false,
        },
    };
    let show = |path: &str| if path.is_empty() { String::new() } else { paths.show(path) };
    let replacing = if moved.overwrote { ", replacing what was there" } else { "" };
    format!("moved {} to {}{replacing}", show(&moved.old_path), show(&moved.new_path))
}

fn command(result: &ActionResult) -> String {
    let nothing = CommandData::default();
    let data = result.data.as_ref().and_then(ActionData::command).unwrap_or(&nothing);
    let name = if result.action == "exec" { "lang" } else { "command" };
    let mut line = parameter(result, name).unwrap_or_default();
    match data.sandbox.as_deref() {
        Some("none") => line.push_str(" (no sandbox)"),
        Some(sandbox) => line.push_str(&format!(" (sandbox {sandbox})")),
        None => {}
    }
    if let (true, Some(status)) = (result.action == "run", data.exit_code.filter(|status| *status > 0)) {
        line.push_str(&format!(" (exit status {status})"));
    }
    // Where it failed that may be the reason; else it is not news.
    if let Some(why) = data.no_sockets.as_ref().filter(|_| !result.success) {
        line.push_str(&format!(" ({why})"));
    }
    line
}

fn found_count(data: Option<&ActionData>, noun: &str) -> String {
    let length = match data {
        Some(ActionData::Listing(entries)) => entries.len(),
        Some(ActionData::Lines(lines)) => lines.len(),
        Some(ActionData::Paths(paths)) => paths.len(),
        Some(ActionData::Context(entries)) => entries.len(),
        _ => return "results (not shown)".to_owned(),
    };
    count_of(length, noun)
}

fn path_of(result: &ActionResult) -> Option<&str> {
    result.data.as_ref().and_then(ActionData::path).or_else(|| result.params.text("path"))
}

fn parameter(result: &ActionResult, name: &str) -> Option<String> {
    let value = result.params.get(name).filter(|value| **value != Parameter::Other(Value::Null))?;
    Some(value.to_string())
}

fn lines_of(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

pub(super) fn output(result: &ActionResult, paths: ReportPaths<'_>) -> Option<String> {
    let shown = |line: &str| crate::visible_line(line).into_owned();
    let lines: Vec<String> = match result.data.as_ref()? {
        ActionData::Read(ReadFile { content, .. }) | ActionData::ReadFiles(ReadFiles { content, .. }) => {
            return content.clone();
        }
        ActionData::Command(command) => {
            return Some([command.stdout.as_str(), &command.stderr].concat()).filter(|text| !text.is_empty());
        }
        ActionData::Listing(entries) => entries.iter().map(|entry| shown(&listed(entry, paths))).collect(),
        ActionData::Lines(lines) => lines
            .iter()
            .map(|FoundLine { file, line_number, line, .. }| {
                shown(&format!("{}:{line_number}: {line}", paths.show(file.text())))
            })
            .collect(),
        ActionData::Paths(listed) => listed.iter().map(|path| shown(&paths.show(path))).collect(),
        ActionData::Context(entries) => {
            entries.iter().map(|entry| shown(&in_context(entry, paths))).collect()
        }
        _ => return None,
    };
    Some(lines.join("\n"))
}

fn listed(entry: &ListedEntry, paths: ReportPaths<'_>) -> String {
    let name = paths.show(entry.name.text());
    match entry.kind.as_str() {
        "directory" => format!("{name}/"),
        "file" => format!("{name} ({})", bytes(entry.size)),
        kind => format!("{name} ({kind})"),
    }
}

fn in_context(entry: &ContextEntry, paths: ReportPaths<'_>) -> String {
    let path = paths.show(&entry.path);
    match entry.size {
        Some(size) => format!("{path} ({})", bytes(size)),
        None => path,
    }
}

fn bytes(size: u64) -> String {
    count_of(usize::try_from(size).unwrap_or(usize::MAX), "byte")
}

fn failed_files(result: &ActionResult) -> Vec<(&str, &str)> {
    match &result.data {
        Some(ActionData::ReplacedInFiles(ReplacedInFiles { results })) => {
            results.iter().filter_map(|file| Some((file.path.as_str(), file.error.as_deref()?))).collect()
        }
        Some(ActionData::ReadFiles(ReadFiles { errors, .. })) => {
            errors.iter().map(|file| (file.path.as_str(), file.error.as_str())).collect()
        }
        _ => Vec::new(),
    }
}

pub(super) fn partial_failures(result: &ActionResult, paths: ReportPaths<'_>) -> Vec<String> {
    let failed = failed_files(result).into_iter();
    failed.map(|(path, error)| format!("{}: {}", paths.show(path), paths.in_message(error))).collect()
}

pub(super) fn partial_kinds(result: &ActionResult) -> impl Iterator<Item = Option<ErrorKind>> {
    failed_files(result).into_iter().map(|(_, error)| kind_of(error))
}

fn kind_of(message: &str) -> Option<ErrorKind> {
    let code = message.strip_suffix(')')?.rsplit_once('(')?.1;
    match code {
        "ENOENT" => Some(ErrorKind::FileNotFound),
        "EISDIR" => Some(ErrorKind::IsDirectory),
        "EACCES" | "EPERM" => Some(ErrorKind::PermissionDenied),
        code => serde_json::from_value(code.to_ascii_lowercase().into()).ok(),
    }
}

pub(super) fn command_lines(page: &mut Page, command: &CommandApproval) {
    if command.code.is_some() {
        page.line(format_args!("    {}:", command.command));
    }
    page.block("    | ", command.code.as_ref().unwrap_or(&command.command));
    let network = if command.network { "with network" } else { "no network" };
    let sandbox = if command.sandbox == "none" {
        "no sandbox: it can do anything you can".to_owned()
    } else {
        format!("sandbox {}", command.sandbox)
    };
    let seconds = command.timeout_ms.div_ceil(1000);
    page.line(format_args!("    by {}; at most {seconds} s; {network}; {sandbox}", command.program));
    if let Some(linked) = &command.linked_outside {
        linked_outside(page, linked);
    }
    if command.processes.is_some() {
        page.line(format_args!(
            "    its processes are only counted periodically: very many can slow the machine until they are stopped"
        ));
    }
    if let Some(lost) = &command.not_undoable {
        not_undoable(page, lost);
    }
}

fn linked_outside(page: &mut Page, linked: &LinkedOutside) {
    let mut named: Vec<String> =
        linked.paths.iter().map(|path| crate::visible_path(path).into_owned()).collect();
    if linked.count > named.len() {
        named.push(format!("{} more", linked.count - named.len()));
    }
    page.line(format_args!(
        "    {} here {} also a file elsewhere (a hard link), which changes with it: {}",
        super::count_of(linked.count, "file"),
        if linked.count == 1 { "is" } else { "are each" },
        named.join(", ")
    ));
}

fn not_undoable(page: &mut Page, lost: &NotUndoable) {
    let mut named: Vec<String> =
        lost.paths.iter().take(NOT_UNDOABLE).map(|path| crate::visible_path(path).into_owned()).collect();
    if lost.count > named.len() {
        named.push(format!("{} more", lost.count - named.len()));
    }
    if lost.incomplete {
        named.push("other files: the project is too large to scan".to_owned());
    }
    if !named.is_empty() {
        page.line(format_args!("    undo cannot restore, if it changes them: {}", named.join(", ")));
    }
}

const NOT_UNDOABLE: usize = 8;
