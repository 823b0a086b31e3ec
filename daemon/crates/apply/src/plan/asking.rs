//! The approvals that a user would have to give for an answer, as far as a result lists them.

use clada_fs::Roots;
use clada_protocol::Approval;

use crate::plan::Planner;
use crate::plan::approve::Approvals;
use crate::planned::Planned;
use crate::read::answer::Answer;
use crate::results::weight::text_weight;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;

/// Approvals that a result lists: more are not read by anybody, and paths can be long.
pub(crate) const APPROVALS: usize = 1_000;

/// Returns the approvals that the user would have to give for `answer`.
pub fn needed(
    answer: &Answer,
    roots: &Roots,
    rules: &Rules,
    stop: &dyn Fn() -> Option<Stop>,
) -> Vec<Approval> {
    if answer.fatal().is_some() {
        return Vec::new();
    }
    let approvals = Approvals::assumed();
    let mut planner = Planner::new(View::new(roots), rules, &approvals);
    let planned = planner.plan_all(answer, answer.steps.clone(), stop);
    let mut approvals: Vec<Approval> =
        planned.into_iter().filter_map(|planned| planned.approval).take(APPROVALS).collect();
    ready_to_ask(&mut approvals, rules, stop);
    approvals
}

/// Leaves out those changes of `approvals` for which a result has no room, and says of the commands what
/// could not be brought back if they changed it. Returns whether all changes had room.
pub(crate) fn ready_to_ask(
    approvals: &mut [Approval],
    rules: &Rules,
    stop: &dyn Fn() -> Option<Stop>,
) -> bool {
    let mut has_all = true;
    let mut room = rules.result_bytes / 4;
    for change in approvals.iter_mut().filter_map(|approval| approval.change.as_mut()) {
        match room.checked_sub(text_weight(change)) {
            Some(remaining) => room = remaining,
            None => {
                "(the change has no room here: `apply -i` shows it)\n".clone_into(change);
                has_all = false;
            }
        }
    }
    if let Some(commands) = &rules.commands {
        commands.describe_not_undoable(approvals, &|| stop().is_some());
    }
    has_all
}

pub(crate) fn waiting(planned: &[Planned]) -> Vec<Approval> {
    planned
        .iter()
        .filter_map(|planned| planned.outcome.as_ref().err()?.approval.as_deref().cloned())
        .take(APPROVALS)
        .collect()
}
