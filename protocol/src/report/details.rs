//! Words of a report for an action that succeeded: one row an action.
//!
//! Knows the shapes of `data` and `params` (spec: actions), and nothing of how the line is shown.

use serde_json::Value;

use super::count_of;
use super::page::Paths;
use crate::{ActionResult, ErrorKind};

/// A piece of a details line.
enum Part {
    /// These words.
    Text(&'static str),
    /// The path in this field.
    Path(&'static str),
    /// The value of this field.
    Value(&'static str),
    /// The number in this field, or the length of the list in it, with a noun.
    Count(&'static str, &'static str),
    /// The length of `data`, which is a list, with a noun.
    Length(&'static str),
    /// `, moved to ` and the path in this field, if it is there.
    Moved(&'static str),
    /// The sandbox that this field names, if a program ran.
    Sandbox(&'static str),
    /// The sentence in this field, if it is there.
    Remark(&'static str),
    /// The exit status in this field, if it is not 0.
    Exit(&'static str),
    /// The lines of a range, or the number of ranges.
    Range,
    /// The first words if this field is true, else the second.
    Either(&'static str, &'static str, &'static str),
}

use Part::{Count, Either, Exit, Length, Moved, Path, Remark, Sandbox, Text};

const DETAILS: &[(&str, &[Part])] = &[
    (
        "file_write",
        &[
            Either("created", "created ", "replaced "),
            Path("path"),
            Text(" ("),
            Count("bytesWritten", "byte"),
            Text(")"),
        ],
    ),
    (
        "unstage",
        &[
            Either("created", "created ", "replaced "),
            Path("path"),
            Text(" from "),
            Part::Value("name"),
            Text(" ("),
            Count("bytesWritten", "byte"),
            Text(")"),
        ],
    ),
    ("file_append", &[Text("appended "), Count("bytesWritten", "byte"), Text(" to "), Path("path")]),
    ("file_replace_text", REPLACED),
    ("file_replace_all_text", REPLACED),
    ("file_replace_text_range", &[Part::Range, Text(" in "), Path("path")]),
    ("files_replace_all_text", &[Text("replaced in "), Count("results", "file")]),
    (
        "file_replace_lines",
        &[
            Text("replaced "),
            Count("lines_replaced", "line"),
            Text(" ("),
            Part::Value("lines"),
            Text(") of "),
            Path("path"),
        ],
    ),
    ("file_patch", &[Either("created", "created ", "patched "), Path("path"), Moved("newPath")]),
    ("file_delete", &[Text("deleted "), Path("path")]),
    (
        "file_move",
        &[
            Text("moved "),
            Path("old_path"),
            Text(" to "),
            Path("new_path"),
            Either("overwrote", ", replacing what was there", ""),
        ],
    ),
    ("file_read", &[Text("read "), Path("path")]),
    ("file_read_numbered", &[Text("read "), Path("path")]),
    ("files_read", &[Text("read "), Count("paths", "file")]),
    ("dir_create", &[Either("created", "created ", "exists already: "), Path("path")]),
    ("dir_delete", &[Text("deleted "), Path("path")]),
    ("ls", &[Length("entry"), Text(" in "), Path("path")]),
    ("grep", &[Length("matching line"), Text(" in "), Path("path")]),
    ("exec", &[Part::Value("lang"), Sandbox("sandbox"), Remark("no_sockets")]),
    ("run", &[Part::Value("command"), Sandbox("sandbox"), Exit("exit_code"), Remark("no_sockets")]),
    ("glob", &[Length("path"), Text(" in "), Path("base_path")]),
    ("context_add", &[Text("added "), Path("path"), Text(" to the context")]),
    ("context_remove", &[Text("removed "), Path("path"), Text(" from the context")]),
    ("context_list", &[Length("path"), Text(" in the context")]),
    ("context_prune", &[Text("removed "), Count("removed", "path"), Text(" from the context")]),
    ("context_clear", &[Text("removed "), Count("removed", "path"), Text(" from the context")]),
];

const REPLACED: &[Part] = &[Count("replacements", "replacement"), Text(" in "), Path("path")];

/// Describes `result`, which succeeded; empty if there is nothing to say.
pub(super) fn details(result: &ActionResult, paths: Paths<'_>) -> String {
    if result.unchanged {
        return match field(result, "path") {
            Some(Value::String(path)) => format!("{} held this already", paths.show(path)),
            _ => "held this already".to_owned(),
        };
    }
    let parts = DETAILS.iter().find(|(action, _)| *action == result.action).map(|(_, parts)| *parts);
    let mut line: String =
        parts.unwrap_or(&[Path("path")]).iter().map(|part| part.show(result, paths)).collect();
    if result.action == "grep" && !result.truncated && list(result).is_some_and(<[Value]>::is_empty) {
        line.push_str(" (pattern is plain text)");
    }
    if let Some(rung) = &result.matched_by {
        line.push_str(&format!(" (matched by {rung})"));
    }
    if let Some(Value::String(words)) = field(result, "pastEnd") {
        line.push_str(&format!(" ({words})"));
    }
    if result.truncated {
        line.push_str(" (shown in part: the result was too large)");
    }
    line
}

impl Part {
    fn show(&self, result: &ActionResult, paths: Paths<'_>) -> String {
        match *self {
            Text(words) => words.to_owned(),
            Path(name) => text(field(result, name)).map(|path| paths.show(&path)).unwrap_or_default(),
            Moved(name) => text(field(result, name))
                .map(|path| format!(", moved to {}", paths.show(&path)))
                .unwrap_or_default(),
            Part::Value(name) => text(field(result, name)).unwrap_or_default(),
            Sandbox(name) => match text(field(result, name)).as_deref() {
                Some("none") => " (no sandbox)".to_owned(),
                Some(sandbox) => format!(" (sandbox {sandbox})"),
                None => String::new(),
            },
            Remark(name) => text(field(result, name)).map(|why| format!(" ({why})")).unwrap_or_default(),
            Exit(name) => match number(field(result, name)) {
                0 => String::new(),
                status => format!(" (exit status {status})"),
            },
            Part::Range => match (number(field(result, "firstLine")), number(field(result, "lastLine"))) {
                (0, _) => count_of(number(field(result, "replacements")), "replacement"),
                (first, last) if first == last => format!("replaced line {first}"),
                (first, last) => format!("replaced lines {first}-{last} ({} lines)", last - first + 1),
            },
            Count(name, noun) => count_of(number(field(result, name)), noun),
            // A dry run does not read, and what has no room is not kept: that is not the same as nothing
            // found.
            Length(noun) => list(result)
                .map_or_else(|| "results (not shown)".to_owned(), |found| count_of(found.len(), noun)),
            Either(name, yes, no) => {
                if matches!(field(result, name), Some(Value::Bool(true))) { yes } else { no }.to_owned()
            }
        }
    }
}

/// Returns the field `name` of the action's output, else of its parameters.
fn field<'r>(result: &'r ActionResult, name: &str) -> Option<&'r Value> {
    result.data.as_ref().and_then(|data| data.get(name)).or_else(|| result.params.get(name))
}

/// Returns the list of the action's output: `data` itself, or the only list in it.
pub(super) fn list(result: &ActionResult) -> Option<&[Value]> {
    match result.data.as_ref()? {
        Value::Array(items) => Some(items),
        Value::Object(fields) => fields.values().find_map(Value::as_array).map(Vec::as_slice),
        _ => None,
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

fn number(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Number(number)) => number.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
        Some(Value::String(lines)) => lines.lines().filter(|line| !line.trim().is_empty()).count(),
        _ => 0,
    }
}

/// Returns the output of a read-only action as text: a file's content, or one line an entry of a listing.
pub(super) fn output(result: &ActionResult, paths: Paths<'_>) -> Option<String> {
    let data = result.data.as_ref()?;
    if let Some(Value::String(content)) = data.get("content") {
        return Some(content.clone());
    }
    let written = |name| data.get(name).and_then(Value::as_str).unwrap_or_default();
    if matches!(result.action.as_str(), "run" | "exec") {
        return Some([written("stdout"), written("stderr")].concat()).filter(|text| !text.is_empty());
    }
    const LISTINGS: [&str; 4] = ["ls", "grep", "glob", "context_list"];
    if !LISTINGS.contains(&result.action.as_str()) {
        return None;
    }
    let lines: Vec<String> = list(result)?.iter().map(|entry| listed(entry, paths)).collect();
    Some(lines.join("\n"))
}

/// One entry of a listing on one line.
fn listed(entry: &Value, paths: Paths<'_>) -> String {
    let get = |name: &str| text(entry.get(name)).unwrap_or_default();
    let line = match entry {
        Value::String(path) => paths.show(path),
        _ if entry.get("line_number").is_some() => {
            format!("{}:{}: {}", paths.show(&get("file")), get("line_number"), get("line"))
        }
        _ if entry.get("name").is_some() => {
            let name = paths.show(&get("name"));
            match get("type").as_str() {
                "directory" => format!("{name}/"),
                "file" => format!("{name} ({})", count_of(number(entry.get("size")), "byte")),
                kind => format!("{name} ({kind})"),
            }
        }
        _ if entry.get("path").is_some() && entry.get("size").is_none() => paths.show(&get("path")),
        _ if entry.get("path").is_some() => {
            format!("{} ({})", paths.show(&get("path")), count_of(number(entry.get("size")), "byte"))
        }
        other => other.to_string(),
    };
    crate::visible_line(&line).into_owned()
}

/// Returns the failures inside an action that went on: those of some of its files.
pub(super) fn partial_failures(result: &ActionResult, paths: Paths<'_>) -> Vec<String> {
    let data = result.data.as_ref();
    let lists = ["results", "errors"].iter().filter_map(|name| data?.get(name)?.as_array());
    lists.flatten().filter_map(|entry| failure(entry, paths)).collect()
}

/// The kind of each of [`partial_failures`], where its code says it.
pub(super) fn partial_kinds(result: &ActionResult) -> impl Iterator<Item = Option<ErrorKind>> {
    let data = result.data.as_ref();
    let lists = ["results", "errors"].into_iter().filter_map(move |name| data?.get(name)?.as_array());
    let failed = lists.flatten().filter(|entry| entry.is_string() || entry.get("error").is_some());
    failed.map(|entry| kind_of(entry.get("error")?.as_str()?))
}

/// Returns the kind that the code at the end of `message` means.
fn kind_of(message: &str) -> Option<ErrorKind> {
    let code = message.strip_suffix(')')?.rsplit_once('(')?.1;
    match code {
        "ENOENT" => Some(ErrorKind::FileNotFound),
        "EISDIR" => Some(ErrorKind::IsDirectory),
        "EACCES" | "EPERM" => Some(ErrorKind::PermissionDenied),
        code => serde_json::from_value(code.to_ascii_lowercase().into()).ok(),
    }
}

fn failure(entry: &Value, paths: Paths<'_>) -> Option<String> {
    if let Value::String(message) = entry {
        return Some(paths.in_message(message));
    }
    let message = text(entry.get("error"))?;
    let path = text(entry.get("path")).map(|path| paths.show(&path) + ": ").unwrap_or_default();
    Some(path + &paths.in_message(&message))
}
