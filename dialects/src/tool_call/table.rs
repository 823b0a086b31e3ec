//! The known tools, and the actions of their calls (spec: answers, section 3).
//!
//! Knows names and arguments, not their notation. A call that has anything more or less than its tool takes
//! is not read at all.

use std::borrow::Cow;

use clada_schema::{HunkLine, IfExists, RawAction, RawEdit, RawField, RawHunk, Terms};

use super::argument::{ALL, Arguments, CONTENT, COUNT, FROM, NEW, OLD, PATH, Placed, TO, field};
use crate::hunk::Signed;
use crate::json::{Json, Kind};

const LINE_RANGE_ARGUMENTS: [(&str, &str); 3] = [
    ("start_line", "end_line"),
    ("start_line_one_indexed", "end_line_one_indexed_inclusive"),
    ("startLine", "endLine"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    /// The editor with commands; its `create` replaces a file that is there, or fails.
    Editor(IfExists),
    Edit,
    MultiEdit,
    /// Several replacements, each looked for in the file as it was before all of them; clada's own.
    Edits,
    /// A new file, never one that is there; clada's own.
    Create,
    Write,
    Read,
    Patch,
    Insert,
    Delete,
    Move,
    CreateDirectory,
}

impl Tool {
    pub(super) fn from_name(name: &str) -> Option<Tool> {
        Some(match name {
            "str_replace_based_edit_tool" => Tool::Editor(IfExists::Replace),
            "str_replace_editor" => Tool::Editor(IfExists::Fail),
            _ if name.starts_with("text_editor") => Tool::Editor(IfExists::Fail),
            "Edit" | "edit" | "replace" | "search_replace" | "str_replace" | "edit_file" => Tool::Edit,
            "clada_edit" => Tool::Edits,
            "clada_create" => Tool::Create,
            "MultiEdit" | "multi_edit" => Tool::MultiEdit,
            "Write" | "write_file" | "create_file" | "write_to_file" => Tool::Write,
            "Read" | "read_file" => Tool::Read,
            "apply_patch" => Tool::Patch,
            "insert_content" => Tool::Insert,
            "delete_file" => Tool::Delete,
            "rename" | "move_file" => Tool::Move,
            "create_directory" => Tool::CreateDirectory,
            _ => return None,
        })
    }
}

/// The actions of a call: one, or several of which all are done or none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Meaning<'a> {
    pub(super) actions: Vec<RawAction<'a>>,
    pub(super) together: bool,
}

/// Returns the operations of a patch, which is read as it is outside of calls.
pub(super) type ReadPatch<'r, 'a> = &'r dyn Fn(&mut Arguments<'a>) -> Result<Meaning<'a>, String>;

pub(super) fn meaning<'a>(
    tool: Tool,
    mut arguments: Arguments<'a>,
    read_patch: ReadPatch<'_, 'a>,
) -> Result<Meaning<'a>, String> {
    let values = &mut arguments;
    let several = tool == Tool::MultiEdit || tool == Tool::Edit && values.has(&["edits"]);
    let meaning = match tool {
        _ if several => multi_edit(values)?,
        Tool::Patch => read_patch(values)?,
        Tool::Editor(if_exists) => alone(editor(values, if_exists)),
        Tool::Edit | Tool::MultiEdit => {
            let path = values.word(PATH);
            alone(edit(values, path))
        }
        Tool::Edits => alone(edits(values)?),
        Tool::Create => alone(write(values, IfExists::Fail)),
        Tool::Write => alone(write(values, IfExists::Replace)),
        Tool::Read => alone(read(values)),
        Tool::Insert => alone(insert_before(values)),
        Tool::Delete => alone(action("file_delete", vec![field("path", values.word(PATH))])),
        Tool::CreateDirectory => alone(action("dir_create", vec![field("path", values.word(PATH))])),
        Tool::Move => alone(moved(values)),
    };
    arguments.finish().map(|()| meaning)
}

fn alone(action: RawAction<'_>) -> Meaning<'_> {
    Meaning { actions: vec![action], together: false }
}

fn action<'a>(name: &'static str, fields: Vec<RawField<'a>>) -> RawAction<'a> {
    RawAction { name: Some(name.into()), fields, ..RawAction::default() }
}

fn write<'a>(arguments: &mut Arguments<'a>, if_exists: IfExists) -> RawAction<'a> {
    let fields = vec![field("path", arguments.word(PATH)), field("content", arguments.text(CONTENT))];
    RawAction { terms: Terms { if_exists, ..Terms::default() }, ..action("file_write", fields) }
}

/// The editor that has a command for each kind of change.
fn editor<'a>(arguments: &mut Arguments<'a>, if_exists: IfExists) -> RawAction<'a> {
    let (command, _) = arguments.word(&["command"]);
    match command.as_ref() {
        "create" => write(arguments, if_exists),
        "view" => read(arguments),
        "str_replace" => {
            let path = arguments.word(PATH);
            if !arguments.has(NEW) {
                // The editor's own description: left out, the text is deleted.
                let (old, span) = arguments.text(OLD);
                return replacement(path, (old, span), (Cow::Borrowed(""), span));
            }
            edit(arguments, path)
        }
        "insert" => {
            let path = arguments.word(PATH);
            let line = arguments.number(&["insert_line"]);
            let (text, _) = arguments.text(&["insert_text", "new_str"]);
            insertion(arguments, path, line, &text)
        }
        _ => {
            arguments.wrong("its command is none of `create`, `str_replace`, `insert` and `view`".to_owned());
            RawAction::default()
        }
    }
}

/// A replacement, or with nothing to replace a new file.
fn edit<'a>(arguments: &mut Arguments<'a>, path: Placed<'a>) -> RawAction<'a> {
    let (old, new) = (arguments.text(OLD), arguments.text(NEW));
    let (all, count) = (arguments.flag(ALL), arguments.number(COUNT));
    if count.is_some_and(|count| count < 1) {
        arguments.wrong(format!("`{}` is less than 1", COUNT[0]));
    }
    if old.0.is_empty() && !all {
        let fields = vec![field("path", path), field("content", new)];
        let terms = Terms { if_exists: IfExists::Fail, ..Terms::default() };
        return RawAction { terms, ..action("file_write", fields) };
    }
    let span = old.1;
    let mut replacement = replacement(path, old, new);
    if all || count.is_some_and(|count| count > 1) {
        replacement.name = Some("file_replace_all_text".into());
    }
    if let Some(count) = count.filter(|count| *count > 1 && !all) {
        replacement.fields.push(field("count", (count.to_string().into(), span)));
    }
    replacement
}

fn replacement<'a>(path: Placed<'a>, old: Placed<'a>, new: Placed<'a>) -> RawAction<'a> {
    action("file_replace_text", vec![field("path", path), field("old_text", old), field("new_text", new)])
}

fn multi_edit<'a>(arguments: &mut Arguments<'a>) -> Result<Meaning<'a>, String> {
    let path = arguments.word(PATH);
    let mut actions = Vec::new();
    for item in arguments.list(&["edits"]).unwrap_or_default() {
        let Json { kind: Kind::Object(members), .. } = item else {
            return Err("an item of `edits` is not an edit".to_owned());
        };
        let mut inner = Arguments::new(members);
        let action = edit(&mut inner, path.clone());
        let number = actions.len() + 1;
        inner.finish().map_err(|problem| format!("edit {number}: {problem}"))?;
        actions.push(action);
    }
    if actions.is_empty() {
        arguments.wrong("`edits` is missing or empty".to_owned());
    }
    let together = actions.len() > 1;
    Ok(Meaning { actions, together })
}

/// Several replacements in one file as it is before all of them.
fn edits<'a>(arguments: &mut Arguments<'a>) -> Result<RawAction<'a>, String> {
    let path = arguments.word(PATH);
    let mut edits = Vec::new();
    for item in arguments.list(&["edits"]).unwrap_or_default() {
        let Json { kind: Kind::Object(members), .. } = item else {
            return Err("an item of `edits` is not an edit".to_owned());
        };
        let mut inner = Arguments::new(members);
        let (old_text, new_text) = (inner.text(OLD).0, inner.text(NEW).0);
        let count = inner.number(COUNT).map_or(Some(1), |count| u64::try_from(count).ok());
        let number = edits.len() + 1;
        inner.finish().map_err(|problem| format!("edit {number}: {problem}"))?;
        let count =
            count.filter(|count| *count > 0).ok_or(format!("edit {number}: `count` is less than 1"))?;
        edits.push(RawEdit { old_text, new_text, count });
    }
    if edits.is_empty() {
        arguments.wrong("`edits` is missing or empty".to_owned());
    }
    Ok(RawAction { edits, ..action("file_replace_texts", vec![field("path", path)]) })
}

/// A file, or some of its lines.
fn read<'a>(arguments: &mut Arguments<'a>) -> RawAction<'a> {
    let path = arguments.word(PATH);
    let span = path.1;
    let mut range = None;
    if let Some(items) = arguments.list(&["view_range"]) {
        let number = |item: &Json<'_>| match &item.kind {
            Kind::Number(text) => text.parse::<i64>().ok(),
            _ => None,
        };
        match items.iter().map(number).collect::<Option<Vec<_>>>().as_deref() {
            Some([first, last]) => range = Some((*first, Some(*last).filter(|last| *last != -1))),
            _ => arguments.wrong("`view_range` is not a pair of lines".to_owned()),
        }
    }
    for (first, last) in LINE_RANGE_ARGUMENTS {
        let (first, last) = (take_number(arguments, first), take_number(arguments, last));
        if first.is_some() || last.is_some() {
            range = Some((first.unwrap_or(1), last));
        }
    }
    let (offset, limit) = (take_number(arguments, "offset"), take_number(arguments, "limit"));
    if offset.is_some() || limit.is_some() {
        let first = offset.unwrap_or(1).max(1);
        range = Some((first, limit.map(|limit| first.saturating_add(limit) - 1)));
    }
    // The flag asks for the whole file, whatever range is given.
    if arguments.flag(&["should_read_entire_file"]) {
        range = None;
    }
    let Some((first, last)) = range else { return action("file_read", vec![field("path", path)]) };
    let last = last.unwrap_or(i64::from(u32::MAX));
    if first < 1 || last < first {
        arguments.wrong("its lines are not a range".to_owned());
    }
    let lines = field("lines", (format!("{first}-{last}").into(), span));
    action("file_read_numbered", vec![field("path", path), lines])
}

fn take_number(arguments: &mut Arguments<'_>, name: &'static str) -> Option<i64> {
    const NUMBERS: [&[&str]; 8] = [
        &["start_line"],
        &["end_line"],
        &["start_line_one_indexed"],
        &["end_line_one_indexed_inclusive"],
        &["startLine"],
        &["endLine"],
        &["offset"],
        &["limit"],
    ];
    NUMBERS.into_iter().find(|names| names[0] == name).and_then(|names| arguments.number(names))
}

/// Lines that come before line `line`; 0 is the end of the file.
fn insert_before<'a>(arguments: &mut Arguments<'a>) -> RawAction<'a> {
    let path = arguments.word(PATH);
    let line = arguments.number(&["line"]);
    let (text, _) = arguments.text(CONTENT);
    match line {
        Some(0) => {
            let hunk = RawHunk { lines: added(&text), at_end_of_file: true, ..RawHunk::default() };
            RawAction { hunks: vec![hunk], ..action("file_patch", vec![field("path", path)]) }
        }
        line => insertion(arguments, path, line.map(|line| line - 1), &text),
    }
}

/// Lines that come behind line `line`.
fn insertion<'a>(
    arguments: &mut Arguments<'a>,
    path: Placed<'a>,
    line: Option<i64>,
    text: &str,
) -> RawAction<'a> {
    let after_line = line.and_then(|line| u32::try_from(line).ok());
    if after_line.is_none() {
        arguments.wrong("the line is missing or none".to_owned());
    }
    let hunk = RawHunk { lines: added(text), after_line, ..RawHunk::default() };
    let terms = Terms { if_exists: IfExists::MustExist, ..Terms::default() };
    RawAction { hunks: vec![hunk], terms, ..action("file_patch", vec![field("path", path)]) }
}

fn added<'a>(text: &str) -> Vec<Signed<'a>> {
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    lines.map(|line| HunkLine::Added(line.strip_suffix('\r').unwrap_or(line).to_owned().into())).collect()
}

fn moved<'a>(arguments: &mut Arguments<'a>) -> RawAction<'a> {
    let fields = vec![field("old_path", arguments.word(FROM)), field("new_path", arguments.word(TO))];
    let terms = Terms { if_exists: IfExists::Fail, ..Terms::default() };
    RawAction { terms, ..action("file_move", fields) }
}
