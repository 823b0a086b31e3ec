//! Results of tools, as a host gets them: text that has room, and whether it worked.

use clada_protocol::{ProjectChangesResult, RpcError, visible_line};
use serde_json::{Map, Value, json};

/// The result of a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// The text.
    pub text: String,
    /// The same as JSON: of `changes` alone.
    pub structured: Option<Value>,
    /// True if it did not work.
    pub is_error: bool,
}

impl ToolResult {
    /// Returns what says why a tool did not work.
    #[must_use]
    pub fn failed(text: impl Into<String>) -> ToolResult {
        ToolResult { text: text.into(), structured: None, is_error: true }
    }

    /// Returns the result of `changes`, in `room` characters: the latest changes first.
    #[must_use]
    pub fn of_changes(mut result: ProjectChangesResult, room: usize) -> ToolResult {
        let all = result.files.len();
        loop {
            let count = result.files.len();
            let mut whole = serde_json::to_value(&result).unwrap_or_default();
            if count < all {
                whole["cut"] = format!("{} files of {all}; ask with this `clock` later", all - count).into();
            }
            let text = whole.to_string();
            if count == 0 || text.chars().count() <= room {
                return ToolResult { text, structured: Some(whole), is_error: false };
            }
            // Each round leaves out at least one, and at first as many as are over.
            result.files.truncate((count.saturating_mul(room) / text.len().max(1)).min(count - 1));
        }
    }

    pub(crate) fn into_members(self) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert("content".to_owned(), json!([{ "type": "text", "text": self.text }]));
        if let Some(structured) = self.structured {
            members.insert("structuredContent".to_owned(), structured);
        }
        members.insert("isError".to_owned(), self.is_error.into());
        members
    }
}

/// Returns an error of a method as it is reported to an agent: without what only a user can follow.
#[must_use]
pub fn error_text(error: &RpcError) -> String {
    let mut text = visible_line(&error.message).into_owned();
    if let Some(hint) = error.data.get("hint").and_then(Value::as_str) {
        // An agent has no client, and may hand on what a person can do.
        let is_of_client = |part: &str| part.contains("`clada ") && !part.contains("person");
        let own: Vec<&str> =
            hint.split("; ").filter(|part| !part.contains("--") && !is_of_client(part)).collect();
        if !own.is_empty() {
            text.push_str("\n  ");
            text.push_str(&visible_line(&own.join("; ")));
        }
    }
    text
}

/// Returns the first lines of `text` that have room in `room` characters, and how many were left out.
#[must_use]
pub fn cut_lines(text: &str, room: usize) -> (&str, usize) {
    let mut space = room;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let long = line.chars().count();
        if long > space {
            return (&text[..end], text[end..].lines().count());
        }
        space -= long;
        end += line.len();
    }
    (text, 0)
}
