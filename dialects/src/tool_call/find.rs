//! The calls of an answer: their places, their actions, and those that cannot be read.
//!
//! One pass over the text, made when a line first looks like a call. Knows nothing of blocks of other
//! dialects: the scanner decides whether a line is content of one. A call with its result after it was
//! applied at its origin; a transcript asks for nothing.

use clada_schema::{RawAction, RawField, RawHunk, Span};
use memchr::memmem;

use super::argument::{Arguments, shown};
use super::opening::Opening;
use super::shape::{self, Written};
use super::table::{Meaning, ReadPatch, Tool, meaning};
use super::{token, xml};
use crate::cursor::{Cursor, Line};
use crate::fence::Fence;
use crate::findings::BlockScanner;
use crate::json::Json;
use crate::tool_calls::{Call, Calls, Group, Unread};
use crate::{Bounds, Choice, Dialect, Options, Severity, quoted};

/// Strings of which a text without calls has none.
const KEYS: [&str; 13] = [
    "\"name\"",
    "\"tool",
    "invoke ",
    "_file>",
    "_file path=",
    "str_replace",
    "</edit>",
    "insert_content>",
    "search_replace>",
    "_directory>",
    "execute_command>",
    "<function=",
    token::SEPARATOR,
];
const CALL_WRAPPERS: [&str; 3] = ["tool_call", "tool_use", "function_call"];
const RESULT_ELEMENTS: [&str; 6] = [
    "function_result",
    "function_response",
    "tool_result",
    "tool_response",
    "tool_output",
    "antml:function_result",
];
/// Words before the result of a tool, on a line of their own or at the start of one.
const RESULT_LABELS: [&str; 7] =
    ["tool result", "tool output", "tool response", "function result", "result:", "output:", "response:"];
/// The number of lines after a call that may announce its result, blank ones and fences not counted.
const NEAR: usize = 2;
const COMMAND_TOOLS: [&str; 9] = [
    "bash",
    "Bash",
    "shell",
    "execute_command",
    "run_command",
    "run_terminal_cmd",
    "run_shell_command",
    "local_shell",
    "run_in_terminal",
];
const CHANGING_VERBS: [&str; 11] =
    ["edit", "write", "replace", "create", "insert", "patch", "delete", "remove", "rename", "move", "apply"];

pub(super) fn find<'a>(text: &'a str, bounds: &Bounds, scanner: BlockScanner) -> Calls<'a> {
    let read_patch = |values: &mut Arguments<'a>| patch(values, bounds, scanner);
    let mut calls = Calls::default();
    crate::work::count(text.len());
    if !KEYS.iter().any(|key| memmem::find(text.as_bytes(), key.as_bytes()).is_some()) {
        return calls;
    }
    let mut cursor = Cursor::new(text);
    let (mut after, mut near, mut count) = (0, NEAR, 0);
    while let Some(line) = cursor.next_line() {
        let indent = line.text.len() - line.text.trim_ascii_start().len();
        if line.start + indent < after {
            continue;
        }
        let group = match line.text.as_bytes().get(indent) {
            Some(b'{' | b'[') => json_at(text, &line, line.start + indent, "", &read_patch),
            Some(b'<') => element_at(text, &line, indent, &read_patch),
            _ => CallFinding::Nothing { after },
        };
        match group {
            CallFinding::Group(group) => {
                (after, near) = (group.end, 0);
                count += group.calls.len().max(1);
                calls.groups.push(group);
                if count > bounds.blocks {
                    break;
                }
            }
            CallFinding::Result { after: end } => {
                // A result shows that the calls so far were applied already, all of them.
                after = end;
                calls.groups.iter_mut().for_each(|group| group.transcript = true);
            }
            CallFinding::Nothing { after: end } => {
                after = end.max(after);
                if near < NEAR && !line.text.trim_ascii().is_empty() && Fence::read(line.text).is_none() {
                    near += 1;
                    if says_result(line.text)
                        && let Some(last) = calls.groups.last_mut()
                    {
                        last.transcript = true;
                    }
                }
            }
        }
    }
    calls
}

enum CallFinding<'a> {
    Group(Group<'a>),
    Result {
        after: usize,
    },
    /// Nothing that begins before the byte `after`.
    Nothing {
        after: usize,
    },
}

pub(crate) fn is_tool(name: &str) -> bool {
    Tool::from_name(name).is_some()
}

fn edits(name: &str) -> bool {
    CHANGING_VERBS.iter().any(|verb| name.to_ascii_lowercase().contains(verb))
}

fn says_result(line: &str) -> bool {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "*_#`[(".contains(c));
    let starts =
        |label: &&str| bare.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label));
    RESULT_LABELS.iter().any(starts) || line.trim_end().ends_with("Result:")
}

/// Classifies the JSON at byte `at`, which begins in `line` and may be followed by `closing`.
fn json_at<'a>(
    text: &'a str,
    line: &Line<'a>,
    at: usize,
    closing: &str,
    read_patch: ReadPatch<'_, 'a>,
) -> CallFinding<'a> {
    let mut group =
        Group { start: line.start, end: at, calls: Vec::new(), unread: Vec::new(), transcript: false };
    let place = (line.number, line.start);
    let value = match Json::read(text, at, place) {
        Ok(value) => value,
        Err(after) => {
            group.end = after;
            let Some((name, path)) = broken(&text[at..after]) else { return CallFinding::Nothing { after } };
            if let Some(value) = Json::read_with_slips(text, at, place) {
                value
            } else {
                let why = format!("This call of `{}` is not read: it is not valid JSON", shown(&name));
                let cut_off = !text[after..].trim_ascii_end().contains('\n');
                group.unread.push(Unread { at, line: line.number, path, why, cut_off });
                return CallFinding::Group(group);
            }
        }
    };
    let end = value.at.end;
    if shape::is_result(&value) {
        return CallFinding::Result { after: end };
    }
    let flat = shape::call_with_flat_arguments(&value)
        .map(|(name, path)| (name.to_owned(), path.map(str::to_owned)));
    let written = shape::calls(value);
    // The separators of a list or of statements do not count as text behind the call.
    let rest = text[end..].split('\n').next().unwrap_or_default().trim();
    let rest = rest.trim_start_matches([',', ';']).trim_start();
    let alone = rest.is_empty() || rest == closing;
    group.end = end;
    if let Some((name, path)) = flat.filter(|(name, path)| is_tool(name) || path.is_some() && edits(name)) {
        let why = format!("This call of `{}` is not read: its arguments are beside its name", shown(&name));
        group.unread.push(Unread { at, line: line.number, path, why, cut_off: false });
    }
    for call in written {
        if alone {
            group.add(call, read_patch);
        } else {
            group.refuse(&call, "something follows it on its line");
        }
    }
    if group.calls.is_empty() && group.unread.is_empty() {
        CallFinding::Nothing { after: end }
    } else {
        CallFinding::Group(group)
    }
}

/// The tool that `json`, which is broken behind it, calls, and the path that it gives.
fn broken(json: &str) -> Option<(String, Option<String>)> {
    let value = |name: &str| {
        let at = memmem::find(json.as_bytes(), name.as_bytes())? + name.len();
        let rest = json[at..].trim_start().strip_prefix(':')?.trim_start();
        let quoted = rest.starts_with('"').then(|| quoted::read(rest))?;
        quoted.ok().map(|quoted| quoted.value.into_owned())
    };
    let name = ["\"name\"", "\"tool\"", "\"tool_name\""].into_iter().find_map(value)?;
    let path = ["\"path\"", "\"file_path\"", "\"filePath\"", "\"target_file\""].into_iter().find_map(value);
    (Tool::from_name(&name).is_some() || path.is_some() && edits(&name)).then_some((name, path))
}

fn element_at<'a>(
    text: &'a str,
    line: &Line<'a>,
    indent: usize,
    read_patch: ReadPatch<'_, 'a>,
) -> CallFinding<'a> {
    let tag = &line.text[indent + 1..];
    if RESULT_ELEMENTS.iter().any(|result| tag.starts_with(result)) {
        return CallFinding::Result { after: line.end() };
    }
    for wrapper in CALL_WRAPPERS {
        if let Some(rest) = tag.strip_prefix(wrapper).and_then(|rest| rest.strip_prefix('>')) {
            let inner = rest.trim_start();
            if inner.starts_with(['{', '[']) {
                let at = line.end() - inner.len();
                return json_at(text, line, at, &format!("</{wrapper}>"), read_patch);
            }
        }
    }
    let nothing = CallFinding::Nothing { after: line.start + indent };
    if let Some(call) = token::call(text, line, indent) {
        let (start, end) = (line.start, call.at.end);
        let mut group = Group { start, end, calls: Vec::new(), unread: Vec::new(), transcript: false };
        group.add(call, read_patch);
        let is_known = !group.calls.is_empty() || !group.unread.is_empty();
        return if is_known { CallFinding::Group(group) } else { CallFinding::Nothing { after: end } };
    }
    let Some(opening) = Opening::at(text, line, indent) else { return nothing };
    let start = line.start + indent;
    let mut group =
        Group { start: line.start, end: start, calls: Vec::new(), unread: Vec::new(), transcript: false };
    match opening.read(text, start, line.number) {
        xml::Read::Call(call) => {
            group.end = call.at.end;
            group.add(call, read_patch);
        }
        xml::Read::Broken { why, lines, end } => {
            group.end = end;
            if Tool::from_name(opening.name).is_some() {
                // Every opening in a broken call is reported on its own line, as each may have been meant as
                // a call.
                let mut path = opening.path(text).map(str::to_owned);
                for line in std::iter::once(line.number).chain(lines) {
                    let why = format!("This call of `{}` is not read: {why}", shown(opening.name));
                    group.unread.push(Unread { at: start, line, path: path.take(), why, cut_off: false });
                }
            }
        }
    }
    let end = group.end;
    if group.calls.is_empty() && group.unread.is_empty() {
        CallFinding::Nothing { after: end }
    } else {
        CallFinding::Group(group)
    }
}

impl<'a> Group<'a> {
    fn add(&mut self, call: Written<'a>, read_patch: ReadPatch<'_, 'a>) {
        if COMMAND_TOOLS.contains(&call.name.as_ref()) {
            let command = call.arguments.iter().any(|(name, _)| matches!(name.as_ref(), "command" | "cmd"));
            if command {
                self.refuse(&call, "what runs commands is not run from calls");
            }
            return;
        }
        let name = shown(&call.name);
        let Some(tool) = Tool::from_name(&call.name) else {
            let arguments = Arguments::new(call.arguments.clone());
            if edits(&name) && arguments.path().is_some() {
                self.refuse(&call, "it is none of the tools that clada knows");
            }
            return;
        };
        let Written { id, at, start_line, end_line, .. } = call;
        let arguments = Arguments::new(call.arguments);
        let path = arguments.path().map(|path| path.trim().to_owned());
        // A faulty call without a path names no file to report; patches and moves name theirs in other
        // arguments.
        let names_file = path.is_some() || tool == Tool::Patch || tool == Tool::Move;
        match meaning(tool, arguments, read_patch) {
            Ok(meaning) => {
                let (actions, together) = (meaning.actions, meaning.together);
                self.calls.push(Call { id, at, start_line, end_line, actions, together });
            }
            Err(problem) if names_file => {
                let why = format!("This call of `{name}` is not read: {problem}");
                self.unread.push(Unread { at: at.start, line: start_line, path, why, cut_off: false });
            }
            Err(_) => {}
        }
    }

    /// Records that `call` is not read, if it is one of a tool that changes files.
    fn refuse(&mut self, call: &Written<'a>, problem: &str) {
        let path = Arguments::new(call.arguments.clone()).path().map(|path| path.trim().to_owned());
        let why = format!("This call of `{}` is not read: {problem}", shown(&call.name));
        self.unread.push(Unread { at: call.at.start, line: call.start_line, path, why, cut_off: false });
    }
}

fn patch<'a>(
    arguments: &mut Arguments<'a>,
    bounds: &Bounds,
    scanner: BlockScanner,
) -> Result<Meaning<'a>, String> {
    let (text, span) = arguments.text(&["input", "patch"]);
    let choice = Choice::Named(vec![Dialect::ApplyPatch]);
    let parsed = (scanner.parse)(&text, &Options { bounds: *bounds, choice, ..Options::default() });
    if let Some(error) = parsed.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(format!("its patch is broken in line {}: {}", error.line, error.message));
    }
    let operations = parsed.blocks.into_iter().flat_map(|block| block.actions);
    let actions: Vec<_> = operations.map(|action| placed_at(action, span)).collect();
    if actions.is_empty() {
        return Err("there is no patch in it: `*** Begin Patch` begins one".to_owned());
    }
    Ok(Meaning { actions, together: true })
}

fn placed_at<'b>(action: RawAction<'_>, span: Span) -> RawAction<'b> {
    let field = |field: RawField<'_>| RawField {
        name: field.name.into_owned().into(),
        value: field.value.into_owned().into(),
        span,
    };
    RawAction {
        name: action.name.map(|name| name.into_owned().into()),
        fields: action.fields.into_iter().map(field).collect(),
        hunks: action.hunks.into_iter().map(RawHunk::into_owned).collect(),
        // A patch has none.
        edits: Vec::new(),
        terms: action.terms,
    }
}
