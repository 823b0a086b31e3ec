//! Two fences, of which the first shows the old text and the second the new one.

use super::piece::{Became, Last};
use super::{Candidate, Form, NoteKind, removal, words};

const BETWEEN: usize = 400;

/// Returns the replacement of the text of `last` with that of `second`, if the words between them (`between`,
/// the nearest line last) and above the first say so.
pub(super) fn joined(last: &Last, second: &Candidate, between: &[&str]) -> Option<Candidate> {
    let length: usize = between.iter().map(|line| line.len()).sum();
    let shown = match last.became {
        Became::Candidate => true,
        Became::Note(kind) => matches!(kind, NoteKind::LeadIn | NoteKind::Output),
        Became::Other => false,
    };
    let same = last.language == second.language || last.language.is_empty() || second.language.is_empty();
    if !shown || !same || length > BETWEEN || between.len() > 4 || last.content == second.content {
        return None;
    }
    // "should be:" says it of both, whatever is above the first.
    let joint = matches!(between, [line] if words::is_joint(line));
    let then = joint || between.iter().any(|line| words::is_then(line) || removal::puts_instead(line));
    // "Remove the check:" and "use this instead:" are one change.
    let goes = removal::removes_shown(&last.sentence, None)
        && between.iter().any(|line| removal::puts_instead(line));
    let first = joint || goes || words::is_first(&last.sentence);
    // "Change the import:" and "then replace `load` with this:" are two changes, each with its own text.
    // Below "replace `load` with this:" the first fence is the new text.
    let is_own = words::leads_to_new(&last.sentence)
        || !words::points_to(&last.sentence) && between.iter().any(|line| words::has_own_object(line));
    if !first || !then || is_own || between.iter().any(|line| words::is_old(line) && !words::is_then(line)) {
        return None;
    }
    let mut groups = last.groups.clone();
    groups.extend(second.groups.iter().filter(|group| !last.groups.contains(group)).cloned());
    groups.truncate(super::naming::MOST);
    Some(Candidate {
        lines: last.lines.start..second.lines.end,
        form: Form::Replacement { old: last.content.clone() },
        groups,
        old: None,
        ..second.clone()
    })
}
