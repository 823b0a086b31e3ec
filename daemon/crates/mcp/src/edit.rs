//! The tool `edit`: its arguments become an answer in the dialect of tool calls, so that it is planned, guarded,
//! kept and undone as any other answer.
//!
//! ```text
//! {"edits": [{"path": "a.py", "old": "x", "new": "y"}], "delete": ["b.py"]}
//!
//! [{"name": "clada_edit", "input": {"path": "a.py", "edits": [{"old": "x", "new": "y"}]}},
//!  {"name": "delete_file", "input": {"path": "b.py"}}]
//! ```

use serde::Deserialize;
use serde_json::{Value, json};

use crate::arguments::ToolArguments;

/// A replacement.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArgument {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    #[serde(alias = "old_string", alias = "old_str", alias = "old_text", alias = "oldText")]
    old: String,
    #[serde(alias = "new_string", alias = "new_str", alias = "new_text", alias = "newText")]
    new: String,
    #[serde(default)]
    count: Option<f64>,
}

/// A new file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    #[serde(alias = "content", alias = "contents", alias = "file_text")]
    text: String,
}

/// A file that moves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveArgument {
    #[serde(alias = "old_path", alias = "source", alias = "path")]
    from: String,
    #[serde(alias = "new_path", alias = "destination", alias = "new")]
    to: String,
}

pub(crate) fn answer(arguments: &mut ToolArguments<'_>) -> String {
    // First the edits, by file, then new files, deletions and moves.
    let edits: Vec<EditArgument> = arguments.take("edits").unwrap_or_default();
    let create: Vec<Create> = arguments.take("create").unwrap_or_default();
    let delete: Vec<String> = arguments.take("delete").unwrap_or_default();
    let moves: Vec<MoveArgument> = arguments.take("move").unwrap_or_default();
    if edits.is_empty() && create.is_empty() && delete.is_empty() && moves.is_empty() {
        arguments.wrong("there is nothing in `edits`, `create`, `delete` or `move`".to_owned());
    }
    let mut files: Vec<(String, Vec<Value>)> = Vec::new();
    for (number, edit) in edits.into_iter().enumerate() {
        let count = edit.count.unwrap_or(1.0);
        if edit.old.is_empty() {
            arguments.wrong(format!("`edits` {}: `old` is empty; `create` makes a new file", number + 1));
        }
        if count < 1.0 || count.fract() != 0.0 {
            arguments.wrong(format!("`edits` {}: `count` is not a whole number from 1", number + 1));
        }
        // All edits of a file are one call: each is looked for in the file as it was before.
        let path = edit.path.trim().trim_start_matches("./").to_owned();
        let edit = json!({ "old": edit.old, "new": edit.new, "count": count as u64 });
        match files.iter_mut().find(|(other, _)| *other == path) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((path, vec![edit])),
        }
    }
    let edited =
        files.into_iter().map(|(path, edits)| ("clada_edit", json!({ "path": path, "edits": edits })));
    let created =
        create.into_iter().map(|file| ("clada_create", json!({ "path": file.path, "content": file.text })));
    let deleted = delete.into_iter().map(|path| ("delete_file", json!({ "path": path })));
    let moved =
        moves.into_iter().map(|file| ("move_file", json!({ "old_path": file.from, "new_path": file.to })));
    let calls = edited.chain(created).chain(deleted).chain(moved);
    let lines: Vec<String> =
        calls.map(|(name, input)| json!({ "name": name, "input": input }).to_string()).collect();
    format!("[{}]\n", lines.join(",\n "))
}
