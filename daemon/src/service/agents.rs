//! The words for an agent about approvals that are needed: what for, and that a user has to decide. No id,
//! flag or command that approves is in any text for it.

use std::time::Duration;

use clada_protocol::{
    Approval, ExecutionResult, LeftOut, ParseResult, PlanResult, PlannedAction, Unplannable, visible_line,
    without_person_hint,
};
use clada_server::Scope;

use crate::project::Maker;

const A_PERSON: &str = "the user must decide: ask them to run `clada approvals`";
const MAX_LINES: usize = 20;
const LINE: usize = 300;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unapproved {
    NotAsked,
    Declined,
    Unanswered(Duration),
}

impl Unapproved {
    pub(super) fn in_report(self) -> clada_protocol::Unapproved {
        match self {
            Unapproved::NotAsked => clada_protocol::Unapproved::OfAgent,
            Unapproved::Declined => clada_protocol::Unapproved::Declined,
            Unapproved::Unanswered(_) => clada_protocol::Unapproved::Unanswered,
        }
    }

    fn hint(self) -> String {
        match self {
            Unapproved::NotAsked => A_PERSON.to_owned(),
            Unapproved::Declined => {
                "the user declined it: do without it, and do not send it again".to_owned()
            }
            Unapproved::Unanswered(wait) => {
                format!("no answer within {} s; {A_PERSON}", wait.as_secs())
            }
        }
    }
}

pub(super) fn maker(scope: &Scope) -> Maker {
    Maker { caller: scope.caller, roots: scope.roots.clone() }
}

pub(super) fn executed(result: &mut ExecutionResult, why: Unapproved) {
    for action in &mut result.results {
        own_hint(&mut action.hint, &mut action.person_hint);
        let waits =
            |approval: &Approval| approval.task.as_ref() == Some(&action.task) && action.kind.is_some();
        if result.approvals.iter().any(waits) {
            let hint = why.hint();
            action.hint = Some(match action.hint.take() {
                Some(own) => format!("{own}; {hint}"),
                None => hint,
            });
        }
    }
    without_ids(&mut result.approvals);
    result.proposals.iter_mut().for_each(|proposal| proposal.needs_approval = None);
}

pub(super) fn planned(result: &mut PlanResult) {
    without_ids(&mut result.approvals);
    result.proposals.iter_mut().for_each(|proposal| proposal.needs_approval = None);
    for PlannedAction { needs_approval, unplannable, .. } in &mut result.actions {
        *needs_approval = None;
        if let Some(Unplannable { hint, person_hint, .. }) = unplannable {
            own_hint(hint, person_hint);
        }
    }
}

pub(super) fn parsed(result: &mut ParseResult) {
    without_ids(&mut result.approvals);
}

pub(super) fn left_out(result: &ExecutionResult, client: Option<&str>, why: Unapproved) -> Option<LeftOut> {
    // What has no id changed nothing, and cannot be resumed.
    if result.approvals.is_empty() || result.operation_id.is_empty() {
        return None;
    }
    let what = result.approvals.iter().take(MAX_LINES).map(|approval| {
        let command = approval.command.as_ref();
        let text = command.map(|command| command.code.as_deref().unwrap_or(&command.command));
        let text = text.unwrap_or(&approval.path);
        visible_line(text).chars().take(LINE).collect()
    });
    Some(LeftOut {
        operation_id: result.operation_id.clone(),
        client: client.map(str::to_owned),
        declined: why == Unapproved::Declined,
        what: what.collect(),
        ..LeftOut::default()
    })
}

/// Leaves out of a hint what only a person can follow; all of it, if that is not its end.
fn own_hint(hint: &mut Option<String>, person_hint: &mut Option<String>) {
    let Some(person) = person_hint.take() else { return };
    let Some(all) = hint.take() else { return };
    let own = without_person_hint(&all, &person).unwrap_or_default();
    *hint = (!own.is_empty()).then(|| own.to_owned());
}

fn without_ids(approvals: &mut [Approval]) {
    for approval in approvals {
        approval.id.clear();
        let Some(command) = &mut approval.command else { continue };
        command.with_network = None;
        let program = std::mem::take(&mut command.program);
        if !program.is_empty() && approval.reason.contains(&program) {
            approval.reason = "it is approved for another program of that name".to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use clada_protocol::{ActionResult, CommandApproval, ErrorKind};

    use super::*;

    #[test]
    fn an_agent_is_told_what_a_person_has_to_decide_and_nothing_that_decides() {
        let action = |task: &str, hint: Option<&str>, person: Option<&str>| ActionResult {
            task: task.to_owned(),
            kind: Some(ErrorKind::CommandNotAllowed),
            hint: hint.map(str::to_owned),
            person_hint: person.map(str::to_owned),
            ..ActionResult::default()
        };
        let approval = |task: &str| Approval {
            id: "0123456789abcdef".to_owned(),
            task: Some(task.to_owned()),
            command: Some(clada_protocol::CommandApproval {
                with_network: Some("0123456789abcdef".to_owned()),
                ..clada_protocol::CommandApproval::default()
            }),
            ..Approval::default()
        };
        // An agent that saw the id or the flag could approve its own request.
        let secret = "approve it with --approve 0123456789abcdef, or everything with --approve-all";
        let result = ExecutionResult {
            results: vec![
                action("1", Some(secret), Some(secret)),
                action("2", Some("look again; --again applies it"), Some("--again applies it")),
                action("3", Some(&format!("first this\n{secret}")), Some(secret)),
            ],
            approvals: vec![approval("1"), approval("3")],
            ..ExecutionResult::default()
        };
        let hints = |why| {
            let mut result = result.clone();
            executed(&mut result, why);
            let whole = serde_json::to_string(&result).unwrap();
            for word in ["0123456789abcdef", "--approve-all", "--again", "personHint"] {
                assert!(!whole.contains(word), "{word}: {whole}");
            }
            result.results.into_iter().map(|action| action.hint.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(hints(Unapproved::NotAsked), [A_PERSON, "look again", &format!("first this; {A_PERSON}")]);
        let mut shown = ExecutionResult {
            approvals: vec![Approval {
                reason: "it is approved for '/home/ann/x/make', and would now run '/usr/bin/make'".to_owned(),
                command: Some(CommandApproval {
                    command: "make".to_owned(),
                    program: "/usr/bin/make".to_owned(),
                    ..CommandApproval::default()
                }),
                ..Approval::default()
            }],
            ..ExecutionResult::default()
        };
        executed(&mut shown, Unapproved::NotAsked);
        let shown = serde_json::to_string(&shown).unwrap();
        assert!(shown.contains("another program") && !shown.contains("/make"), "{shown}");
        assert!(hints(Unapproved::Declined)[0].contains("declined"));
        let late = &hints(Unapproved::Unanswered(Duration::from_secs(2)))[0];
        assert_eq!(*late, format!("no answer within 2 s; {A_PERSON}"));
    }
}
