//! The reports of `checkpoint.end` and `checkpoint.list`.

use super::history::Moment;
use super::page::Page;
use super::{count_of, shown_id};
use crate::{CheckpointListResult, ExecutionResult, visible_line};

/// Returns what was recorded, in a line: `recorded 3 files +40 -2; clada undo kvm`. `program` is the name that
/// the client was called by.
#[must_use]
pub fn recorded_line(result: &ExecutionResult, program: &str) -> String {
    if result.operation_id.is_empty() {
        return "recorded nothing: no file has changed".to_owned();
    }
    let files = result.files.as_deref().unwrap_or_default();
    let sum = |of: fn(&crate::ChangedFile) -> Option<usize>| files.iter().filter_map(of).sum::<usize>();
    let count = count_of(files.len() + result.changed_more, "file");
    let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
    let id = shown_id(&result.short_ids, &result.operation_id);
    format!("recorded {count} +{added} -{removed}; {program} undo {id}")
}

/// Returns the open checkpoints, a line each; `moment` says when one began.
#[must_use]
pub fn checkpoints_text(result: &CheckpointListResult, moment: Moment<'_>) -> String {
    let mut page = Page::default();
    for open in &result.checkpoints {
        let id = shown_id(&result.short_ids, &open.checkpoint);
        let mut line = format!("{id}  {}", moment(open.began_ms));
        if let Some(name) = &open.name {
            line += &format!("  {}", visible_line(name));
        }
        if let Some(session) = &open.session {
            line += &format!("  (session {})", visible_line(session));
        }
        if open.by_agent {
            line += "  (begun by an agent)";
        }
        if open.not_kept_count > 0 {
            line += &format!("  ({} not recorded)", count_of(open.not_kept_count, "file"));
        }
        page.line(line);
    }
    for warning in &result.warnings {
        page.line(format_args!("WARNING: {}", visible_line(warning)));
    }
    if result.checkpoints.is_empty() {
        page.line("No checkpoint is open here.");
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChangedFile, CheckpointInfo};

    #[test]
    fn what_was_recorded_is_a_line() {
        let file = |added, removed| ChangedFile { added, removed, ..ChangedFile::default() };
        let mut result = ExecutionResult {
            operation_id: "kvmkkkkkkkkk".to_owned(),
            files: Some(vec![file(Some(40), Some(2)), file(None, None)]),
            changed_more: 1,
            ..ExecutionResult::default()
        };
        result.short_ids.insert("kvmkkkkkkkkk".to_owned(), "kvm".to_owned());
        assert_eq!(recorded_line(&result, "clada"), "recorded 3 files +40 -2; clada undo kvm");
        let nothing = ExecutionResult::default();
        assert_eq!(recorded_line(&nothing, "clada"), "recorded nothing: no file has changed");
    }

    #[test]
    fn open_checkpoints_are_a_line_each() {
        let open = CheckpointInfo {
            checkpoint: "kvmkkkkkkkkk".to_owned(),
            name: Some("before\u{1b}codex".to_owned()),
            session: Some("s".to_owned()),
            by_agent: true,
            not_kept_count: 2,
            ..CheckpointInfo::default()
        };
        let result = CheckpointListResult { checkpoints: vec![open], ..CheckpointListResult::default() };
        let text = checkpoints_text(&result, &|_| "just now".to_owned());
        assert!(text.starts_with("kvmkkkkkkkkk  just now  before"), "{text}");
        assert!(!text.contains('\u{1b}') && text.contains("(2 files not recorded)"), "{text}");
        let none = checkpoints_text(&CheckpointListResult::default(), &|_| String::new());
        assert_eq!(none, "No checkpoint is open here.\n");
    }
}
