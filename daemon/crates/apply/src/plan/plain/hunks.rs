//! The hunks of a proposal, of which an editor shows each and the user accepts some.
//!
//! ```text
//! proposal p1, whole file:  line 2 changes, line 9 changes     accept p1: both; accept p1.h2: line 9
//! proposal p2, new file:    all of it is one hunk              accept p2
//! ```

use std::collections::HashSet;

use clada_protocol::PlannedFile;

use crate::plan::promise::hunks_of;
use crate::plan::review::{Counted, Hunks, Reviewed};
use crate::planned::Planned;
use crate::read::answer::Answer;
use crate::results::report::Budget;
use crate::rules::Rules;
use crate::view::View;

/// Returns the file that the proposal `id` changes as an editor reviews it, and the hunks of the change by the ids of its
/// parts; none if it is done as a whole.
pub(super) fn reviewed(
    id: &str,
    planned: &Planned,
    answer: &Answer,
    (view, rules): (&View<'_>, &Rules),
    counted: &Counted,
) -> (Option<PlannedFile>, Vec<HashSet<usize>>) {
    let all_hunks = planned.outcome.as_ref().map(hunks_of).unwrap_or_default();
    let changes: Hunks = all_hunks.into_iter().map(|hunk| hunk.changes).collect();
    let reviewed = Reviewed { planned: std::slice::from_ref(planned), answer, hunks: &[changes], counted };
    let (mut files, groups) = reviewed.files(view, &mut Budget::new(rules.result_bytes));
    let Some(mut file) = files.pop() else { return (None, Vec::new()) };
    // A group without an id shows no lines: nobody could accept it.
    let of_group = |group: usize| groups.parts(group).iter().map(|(_, hunk)| *hunk).collect::<Option<_>>();
    let parts = (0..groups.len()).map(|group| groups.id(group).and_then(|_| of_group(group)));
    let parts: Option<Vec<HashSet<usize>>> = parts.collect();
    let parts = parts.filter(|parts| file.group.is_none() && parts.len() > 1).unwrap_or_default();
    file.group = file.group.map(|_| id.to_owned());
    file.parts = file.group.iter().cloned().collect();
    for (at, hunk) in file.hunks.iter_mut().enumerate() {
        hunk.group = match groups.with_id(&hunk.group) {
            Some(group) if !parts.is_empty() => format!("{id}.h{}", group + 1),
            _ => id.to_owned(),
        };
        (hunk.id, hunk.parts) = (format!("{id}.{}", at + 1), vec![id.to_owned()]);
    }
    (Some(file), parts)
}
