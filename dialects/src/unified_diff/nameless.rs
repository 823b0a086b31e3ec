//! Diffs in a fence that name no file and go on with the file of the diff before.
//!
//! Looks at the blocks before and at the text since then. If another file can be meant, the fence is text: the reader of
//! plain answers looks for its name.

use clada_schema::RawField;

use super::{header, sign};
use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::fence::Fence;
use crate::file_name::{in_info, language, other_mentioned};
use crate::findings::Findings;
use crate::not_read::is_legend;
use crate::{Block, Dialect};

const DIFF_LABELS: [&str; 3] = ["diff", "patch", "udiff"];
/// Bytes of text between a diff and one that goes on with its file.
const DISTANCE: usize = 20_000;
const MAX_DIFFS_OF_FENCE: usize = 64;
const MAX_SEARCHED_LINES: usize = 200;

/// Returns true if `line`, which `after` follows, opens a fence with hunks and no name, for a file that is
/// known.
pub(super) fn opens(line: &Line<'_>, after: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    // Most fences have no label, or another one: each of these has three letters of its own.
    let may_be_label = |part: &[u8]| part.eq_ignore_ascii_case(b"iff") || part.eq_ignore_ascii_case(b"tch");
    let Some((fence, info)) = Fence::opened_by(line.text) else { return false };
    if !info.as_bytes().windows(3).any(may_be_label) {
        return false;
    }
    DIFF_LABELS.iter().any(|label| language(info).eq_ignore_ascii_case(label))
        && in_info(line.text, info).is_none()
        && holds_hunks(fence, after)
        && file_before(line, findings).is_some()
}

/// Returns true if the lines after a `fence`, which `after` follows, begin as a hunk does and hold a change.
fn holds_hunks(fence: Fence, after: &Cursor<'_>) -> bool {
    let mut ahead = after.clone();
    for _ in 0..MAX_SEARCHED_LINES {
        let Some(line) = ahead.next_line().filter(|line| !fence.is_closed_by(line.text)) else { break };
        let text = line.text.trim_start_matches([' ', '\t']);
        let indentation = &line.text[..line.text.len() - text.len()];
        if header::starts(text, &ahead, indentation).is_some() {
            return false;
        }
        if sign::is_sure_change(text) || text.starts_with("@@") {
            return !is_legend(&line, &ahead);
        }
        if !line.text.is_empty() && !line.text.starts_with([' ', '+', '-']) {
            return false;
        }
    }
    false
}

/// The file of the diffs in the fence before `line`, if they are of one and nothing since then names another.
pub(super) fn file_before<'a>(line: &Line<'_>, findings: &Findings<'a>) -> Option<RawField<'a>> {
    let mut blocks = findings.backwards().take(MAX_DIFFS_OF_FENCE);
    let mut last = blocks.next().filter(|last| last.dialect == Dialect::UnifiedDiff && last.sound)?;
    let path = path_of(last)?;
    let since = findings.since(last.source.end, line.start);
    if since.len() > DISTANCE || other_mentioned(since, &path.value).is_some() {
        return None;
    }
    for block in blocks {
        // Without a fence between them, they are in the same.
        let between = findings.since(block.source.end, last.source.start);
        if between.len() > DISTANCE || between.lines().any(|line| Fence::opened_by(line).is_some()) {
            break;
        }
        if path_of(block)?.value != path.value {
            return None;
        }
        last = block;
    }
    Some(path.clone())
}

fn path_of<'b, 'a>(block: &'b Block<'a>) -> Option<&'b RawField<'a>> {
    let action = block.actions.first().filter(|action| action.name.as_deref() != Some("file_delete"))?;
    let named = |name: &str| action.fields.iter().find(|field| field.name == name);
    named("newPath").or_else(|| named("new_path")).or_else(|| named("path"))
}

pub(super) fn close<'a>(last: Line<'a>, cursor: &mut Cursor<'a>, around: &Around<'a>) -> Line<'a> {
    let next =
        cursor.clone().next_line().filter(|line| around.fence().is_some_and(|f| f.is_closed_by(line.text)));
    if next.is_some() {
        cursor.next_line();
    }
    next.unwrap_or(last)
}
