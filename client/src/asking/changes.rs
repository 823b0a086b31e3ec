//! Asks about the changes of a plan, and interprets the answers.
//!
//! Knows no daemon and no terminal. Input is a plan; output are the ids that were accepted, never one without
//! a yes, and the approvals that a yes included.

use std::io;

use clada_protocol::{Approval, Approve, EditedPlace, PlanResult, PlannedAction, PlannedHunk};

use super::keys::{PromptPlace, PromptWord};
use super::planned::Decision;
use crate::terminal::Prompter;

pub(crate) struct ChangeQuestions<'a> {
    pub(crate) plan: &'a PlanResult,
    pub(crate) only_left_out: bool,
    pub(crate) approved: Option<&'a Approve>,
    pub(crate) change: &'a dyn Fn(&PlannedAction) -> String,
    pub(crate) hunk: &'a dyn Fn(&PlannedHunk) -> String,
    pub(crate) edit: &'a dyn Fn(&PlannedAction, &PlannedHunk) -> Edited,
}

pub(crate) type Edited = Result<Option<EditedPlace>, String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerForRest {
    Ask,
    Accepted,
    Declined,
}

impl ChangeQuestions<'_> {
    /// After an error, nothing counts as accepted.
    pub(crate) fn ask(&self, user: &mut dyn Prompter) -> io::Result<Decision> {
        let mut decision = Decision::default();
        let units = units(&self.plan.actions);
        let count = units.iter().filter(|unit| self.is_asked(unit)).count();
        let mut rest = AnswerForRest::Ask;
        let mut number = 0;
        for unit in &units {
            if !self.is_asked(unit) {
                if self.only_left_out {
                    continue;
                }
                // A block that cannot be done as a whole is not begun for its read-only actions.
                if unit.iter().all(|action| action.unplannable.is_none()) {
                    decision.take(unit);
                }
                continue;
            }
            number += 1;
            // The user has to see what they approve.
            let mut networked = false;
            let accepted = match rest {
                AnswerForRest::Declined => false,
                AnswerForRest::Accepted if self.missing(unit).next().is_none() => true,
                AnswerForRest::Ask | AnswerForRest::Accepted => {
                    unit.iter().try_for_each(|action| user.show(&(self.change)(action)))?;
                    match self.question(user, unit, &format!("({number}/{count}) "), &mut decision.edited)? {
                        PromptWord::Split => match self.split(user, unit[0], &mut decision)? {
                            Some(after) => {
                                rest = after;
                                continue;
                            }
                            None => return Ok(Self::cancelled()),
                        },
                        PromptWord::Abandon => return Ok(Self::cancelled()),
                        word => {
                            rest = after(word, rest);
                            networked = word == PromptWord::Network;
                            matches!(
                                word,
                                PromptWord::Yes | PromptWord::Network | PromptWord::All | PromptWord::Edit
                            )
                        }
                    }
                }
            };
            if accepted {
                decision.approve.extend(self.missing(unit).map(|approval| approval.id.clone()));
                if networked {
                    decision.approve.extend(self.missing(unit).filter_map(with_network).cloned());
                }
                decision.accepted += 1;
                decision.take(unit);
            } else {
                decision.has_declined = true;
            }
        }
        Ok(decision)
    }

    /// The user left in the middle: nothing is applied, whatever was accepted before.
    fn cancelled() -> Decision {
        Decision { has_declined: true, is_left: true, ..Decision::default() }
    }

    pub(crate) fn ask_once(&self, user: &mut dyn Prompter) -> io::Result<Decision> {
        let all: Vec<&PlannedAction> = self.plan.actions.iter().collect();
        let mut decision = Decision::default();
        if self.is_asked(&all) {
            let shown = all.iter().filter(|action| asks(action));
            shown.map(|action| user.show(&(self.change)(action))).collect::<io::Result<Vec<()>>>()?;
            let approving = if self.missing(&all).next().is_some() { "Approve and apply" } else { "Apply" };
            let question = format!("{approving} all of this, or nothing?");
            if PromptPlace::Whole.ask(user, &question, &[])? != PromptWord::Yes {
                return Ok(Self::cancelled());
            }
            decision.approve.extend(self.missing(&all).map(|approval| approval.id.clone()));
            decision.accepted = 1;
        }
        decision.take(&all);
        Ok(decision)
    }

    /// Returns whether the user is asked: not about actions that only read, change nothing, or cannot be
    /// done.
    fn is_asked(&self, unit: &[&PlannedAction]) -> bool {
        unit.iter().any(|action| asks(action) && (action.left_out || !self.only_left_out))
    }

    fn missing<'s>(&'s self, unit: &'s [&PlannedAction]) -> impl Iterator<Item = &'s Approval> {
        let needed = unit.iter().filter_map(|action| action.needs_approval.as_ref());
        let is_approved = |id: &String| match self.approved {
            Some(Approve::All) => true,
            Some(Approve::Ids(ids)) => ids.contains(id),
            Some(Approve::Listed) | None => false,
        };
        let missing = needed.filter(move |id| !is_approved(id));
        missing.filter_map(|id| self.plan.approvals.iter().find(|approval| approval.id == *id))
    }

    fn question(
        &self,
        user: &mut dyn Prompter,
        unit: &[&PlannedAction],
        place: &str,
        edited: &mut Vec<EditedPlace>,
    ) -> io::Result<PromptWord> {
        let network = self.missing(unit).any(|approval| with_network(approval).is_some());
        // An approval is for a whole change: some hunks of it would be another one.
        let whole = unit[0].needs_approval.is_some() && self.approved != Some(&Approve::All);
        let is_shown = unit.len() == 1 && !unit[0].truncated && !whole;
        let split = is_shown && unit[0].hunks.len() > 1;
        let is_editable = is_shown && unit[0].hunks.len() == 1 && !self.only_left_out;
        let only = unit[0].hunks.first().filter(|_| is_editable);
        let not: Vec<PromptWord> =
            [(PromptWord::Network, network), (PromptWord::Split, split), (PromptWord::Edit, only.is_some())]
                .into_iter()
                .filter_map(|(word, is_offered)| (!is_offered).then_some(word))
                .collect();
        let what = match unit.len() {
            1 => "this".to_owned(),
            length => format!("these {length} actions, which belong together"),
        };
        let approving = if self.missing(unit).next().is_some() { "Approve and apply" } else { "Apply" };
        let question = format!("{place}{approving} {what}?");
        self.word(user, &question, &not, only.map(|hunk| (unit[0], hunk)), edited)
    }

    fn word(
        &self,
        user: &mut dyn Prompter,
        question: &str,
        not: &[PromptWord],
        hunk: Option<(&PlannedAction, &PlannedHunk)>,
        edited: &mut Vec<EditedPlace>,
    ) -> io::Result<PromptWord> {
        loop {
            let word = PromptPlace::Change.ask(user, question, not)?;
            let Some((action, hunk)) = hunk.filter(|_| word == PromptWord::Edit) else { return Ok(word) };
            match (self.edit)(action, hunk) {
                Ok(Some(place)) => {
                    edited.push(place);
                    return Ok(word);
                }
                Ok(None) => user.show("Nothing was edited.\n")?,
                Err(why) => user.show(&format!("Nothing was edited: {why}\n"))?,
            }
        }
    }

    fn split(
        &self,
        user: &mut dyn Prompter,
        action: &PlannedAction,
        decision: &mut Decision,
    ) -> io::Result<Option<AnswerForRest>> {
        let mut rest = AnswerForRest::Ask;
        let mut accepted_hunks = Vec::new();
        for (index, hunk) in action.hunks.iter().enumerate() {
            let accepted = match rest {
                AnswerForRest::Ask => {
                    user.show(&(self.hunk)(hunk))?;
                    let place = format!("hunk {}/{}", index + 1, action.hunks.len());
                    let question = format!("({place}) Apply this hunk?");
                    let not = match self.only_left_out {
                        true => &[PromptWord::Network, PromptWord::Split, PromptWord::Edit][..],
                        false => &[PromptWord::Network, PromptWord::Split],
                    };
                    let word = self.word(user, &question, not, Some((action, hunk)), &mut decision.edited)?;
                    if word == PromptWord::Abandon {
                        return Ok(None);
                    }
                    rest = after(word, rest);
                    matches!(word, PromptWord::Yes | PromptWord::All | PromptWord::Edit)
                }
                rest => rest == AnswerForRest::Accepted,
            };
            accepted_hunks.extend(accepted.then(|| hunk.id.clone()));
        }
        if accepted_hunks.is_empty() {
            decision.has_declined = true;
            return Ok(Some(rest));
        }
        decision.accepted += 1;
        // With all of its hunks accepted, an action goes by its own id, as one that was not split.
        if accepted_hunks.len() == action.hunks.len() {
            decision.take(&[action]);
        } else {
            decision.accept.append(&mut accepted_hunks);
        }
        Ok(Some(rest))
    }
}

fn after(word: PromptWord, before: AnswerForRest) -> AnswerForRest {
    match word {
        PromptWord::All => AnswerForRest::Accepted,
        PromptWord::Quit | PromptWord::Abandon => AnswerForRest::Declined,
        _ => before,
    }
}

pub(super) fn asks(action: &PlannedAction) -> bool {
    !action.looks && !action.unchanged && action.unplannable.is_none()
}

/// Groups the actions for the questions: those of one block with several (`N.M`) belong together.
fn units(actions: &[PlannedAction]) -> Vec<Vec<&PlannedAction>> {
    let block = |action: &PlannedAction| action.task.split_once('.').map(|(block, _)| block.to_owned());
    let mut units: Vec<Vec<&PlannedAction>> = Vec::new();
    for action in actions {
        match units.last_mut() {
            Some(unit) if block(action).is_some() && block(unit[0]) == block(action) => unit.push(action),
            _ => units.push(vec![action]),
        }
    }
    units
}

/// Returns the id that approves a command with a network, if it has none by itself.
pub(crate) fn with_network(approval: &Approval) -> Option<&String> {
    approval.command.as_ref()?.with_network.as_ref()
}

#[cfg(test)]
mod tests {
    use super::super::scripted::Scripted;
    use super::*;

    fn plan(tasks: &[&str]) -> PlanResult {
        let hunk = |id: &str, number| PlannedHunk { id: format!("{id}.h{number}"), diff: "".into() };
        let action = |(index, task): (usize, &&str)| {
            let id = format!("a{}", index + 1);
            let hunks = vec![hunk(&id, 1), hunk(&id, 2)];
            PlannedAction { id, seq: index + 1, task: (*task).to_owned(), hunks, ..PlannedAction::default() }
        };
        PlanResult { actions: tasks.iter().enumerate().map(action).collect(), ..PlanResult::default() }
    }

    fn asked(plan: &PlanResult, lines: &[&'static str]) -> io::Result<Decision> {
        let (change, hunk) = (|_: &PlannedAction| String::new(), |_: &PlannedHunk| String::new());
        // The second hunk cannot be edited, and the first is edited at the second try.
        let tries = std::cell::Cell::new(0);
        let edit = |_: &PlannedAction, hunk: &PlannedHunk| {
            tries.set(tries.get() + 1);
            match hunk.id.ends_with("h1") {
                true if tries.get() == 1 => Ok(None),
                true => Ok(Some(EditedPlace { part: hunk.id.clone(), ..EditedPlace::default() })),
                false => Err("no".to_owned()),
            }
        };
        let changes = ChangeQuestions {
            plan,
            only_left_out: false,
            approved: None,
            change: &change,
            hunk: &hunk,
            edit: &edit,
        };
        changes.ask(&mut Scripted::new(lines))
    }

    #[test]
    fn a_hunk_is_edited_and_accepted_with_the_same_key() {
        let mut plan = plan(&["1", "2"]);
        plan.actions[1].hunks.truncate(1);
        for (lines, accept, edited) in [
            (&["s", "e", "e", "n", "n"][..], &["a1.h1"][..], &["a1.h1"][..]),
            (&["s", "e", "e", "y", "e"], &["a1", "a2"], &["a1.h1", "a2.h1"]),
            // Of several hunks it takes a decision, and one that cannot be edited is asked about again.
            (&["e", "y", "n"], &["a1"], &[]),
            (&["s", "n", "e", "n", "n"], &[], &[]),
            (&["n", "e", "e"], &["a2"], &["a2.h1"]),
        ] {
            let decision = asked(&plan, lines).unwrap();
            let parts: Vec<&str> = decision.edited.iter().map(|place| place.part.as_str()).collect();
            assert_eq!(
                (decision.accept.as_slice(), parts.as_slice()),
                (&accept.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()[..], edited),
                "{lines:?}"
            );
        }
        // What needs approval is approved as it was shown.
        plan.actions[1].needs_approval = Some("x".to_owned());
        assert_eq!(asked(&plan, &["n", "e", "n"]).unwrap().edited, []);
    }

    #[test]
    fn only_what_was_said_yes_to_is_accepted() {
        let plan = plan(&["1", "2", "3.1", "3.2", "4"]);
        for (lines, accept) in [
            (&["y", "n", "y", "n"][..], &["a1", "a3", "a4"][..]),
            (&["s", "y", "y", "q"], &["a1"]),
            (&["s", "n", "a"], &["a1.h2", "a2", "a3", "a4", "a5"]),
            (&["s", "y", "q"], &["a1.h1"]),
            (&["s", "n", "n", "a"], &["a2", "a3", "a4", "a5"]),
            (&["n", "n", "s", "n", "n"], &[]),
            (&["Yes", "", "what", "NO", "n", "q"], &["a1"]),
            (&["y", "y", "\u{3}"], &[]),
            (&["y", "s", "y", "\u{3}"], &[]),
            (&["y", "\u{4}"], &["a1"]),
        ] {
            let decision = asked(&plan, lines).unwrap();
            assert_eq!(decision.accept, accept, "{lines:?}");
        }
    }

    #[test]
    fn a_user_who_goes_away_has_accepted_nothing() {
        assert!(asked(&plan(&["1", "2"]), &["y"]).is_err());
        assert!(asked(&plan(&["1"]), &["s", "y"]).is_err());
    }

    #[test]
    fn what_needs_approval_is_never_accepted_unseen_or_in_part() {
        let mut plan = plan(&["1", "2"]);
        plan.actions[1].needs_approval = Some("x".to_owned());
        plan.approvals.push(Approval {
            id: "x".to_owned(),
            kind: clada_protocol::ApprovalKind::File,
            task: None,
            path: String::new(),
            reason: String::new(),
            suspicious: false,
            ..Approval::default()
        });
        assert!(asked(&plan, &["a"]).is_err());
        let decision = asked(&plan, &["a", "s", "y"]).unwrap();
        assert_eq!(
            (decision.accept, decision.approve),
            (vec!["a1".to_owned(), "a2".to_owned()], vec!["x".to_owned()])
        );
        assert_eq!(asked(&plan, &["a", "n"]).unwrap().approve, Vec::<String>::new());
        // A network is offered where the command can have one.
        assert!(asked(&plan, &["a", "w"]).is_err());
        let with_network = Some("x with a network".to_owned());
        plan.approvals[0].command =
            Some(clada_protocol::CommandApproval { with_network, ..Default::default() });
        assert_eq!(asked(&plan, &["a", "w"]).unwrap().approve, ["x", "x with a network"]);
        assert_eq!(asked(&plan, &["a", "y"]).unwrap().approve, ["x"]);
    }
}
