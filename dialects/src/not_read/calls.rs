//! Calls of editing tools that are written as code: `edit_file(path="src/a.rs", …)`.
//!
//! Looks at the lines of fences for Python or for tools. Does not ask whether the path is one of the
//! project's.

use crate::candidate::{Candidate, NotReadKind, Wants};
use crate::cursor::{Cursor, Line};
use crate::tool_call::is_tool;

const LABELS: [&str; 4] = ["python", "py", "tool_code", "tool_call"];
const LINES: usize = 4;
const PATHS: [&str; 5] = ["file_path", "target_file", "filePath", "filename", "path"];

pub(super) fn is_label(label: &str) -> bool {
    LABELS.contains(&label)
}

pub(super) fn call(line: &Line<'_>, after: &Cursor<'_>) -> Option<Candidate> {
    let text = line.text.trim_start();
    let text = text.strip_prefix("print(").unwrap_or(text);
    let (function, arguments) = text.split_once('(')?;
    let name = function.rsplit('.').next()?;
    if !is_tool(name) || function.contains(|char: char| !(char.is_alphanumeric() || "._".contains(char))) {
        return None;
    }
    let mut further = after.clone();
    let further = std::iter::from_fn(|| further.next_line()).take(LINES).map(|line| line.text);
    let path = std::iter::once(arguments).chain(further).find_map(path_in_argument)?;
    Some(Candidate {
        kind: NotReadKind::ToolCall,
        line: line.number,
        path: Some(path.to_owned()),
        wants: Wants::Room,
        shows: None,
        hint: format!("This call of `{name}` is written as code: write it as JSON"),
    })
}

fn path_in_argument(text: &str) -> Option<&str> {
    PATHS.iter().find_map(|name| {
        let (before, rest) = text.split_once(name)?;
        if before.ends_with(|char: char| char.is_alphanumeric() || char == '_') {
            return None;
        }
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split_once(quote).map(|(path, _)| path).filter(|path| !path.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_a_path_are_found() {
        let named = |text: &str| {
            let mut cursor = Cursor::new(text);
            let line = cursor.next_line().unwrap();
            call(&line, &cursor).and_then(|found| found.path)
        };
        for text in [
            "edit_file(path='a/b.py', old_string='x')",
            "print(default_api.replace(\n    file_path=\"a/b.py\",\n",
            "  tools.write_file(content='x', path = 'a/b.py')",
        ] {
            assert_eq!(named(text).as_deref(), Some("a/b.py"), "{text}");
        }
        for text in [
            "open(path='a/b.py')",
            "text.replace('a', 'b')",
            "edit_file(p)",
            "x = 1",
            "my edit_file(path='a')",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
