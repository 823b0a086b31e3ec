//! Asks the user about an answer at the terminal: shows its plan, and returns the decision.
//!
//! Must not know how an answer is planned or applied, and writes no report. After an error nothing counts as
//! decided.

use std::io;

use clada_protocol::{
    Approval, ApprovalKind, Approve, ErrorKind, ExecuteParams, PlanResult, PlannedAction, ReportStyle,
    approval_text, change_text, changed_text, hunk_text, problems_text, visible_block, visible_diff,
};

use super::changes::{ChangeQuestions, asks, with_network};
use super::editing::edit;
use super::keys::{PromptPlace, PromptWord};
use super::planned::Decision;
use super::proposals;
use crate::Process;
use crate::args::Detail;
use crate::pager::{page, page_if_long};
use crate::paint::{paint, paint_question};
use crate::settings::Settings;
use crate::terminal::{Prompter, Terminal};
use crate::wrap::fitted;

pub(crate) struct Asker<'a> {
    pub(crate) process: &'a Process,
    pub(crate) settings: &'a Settings,
    pub(crate) params: &'a ExecuteParams,
    pub(crate) detail: Detail,
    /// True: about each change. False: about proposals, what was left out before, and approvals.
    pub(crate) each: bool,
}

impl Asker<'_> {
    /// `None`: the user cancelled, and nothing is to be applied.
    pub(crate) fn ask(&self, plan: &PlanResult) -> io::Result<Option<Decision>> {
        if self.each { self.ask_each(plan) } else { self.ask_what_is_open(plan) }
    }

    pub(crate) fn show(&self, text: &str) -> io::Result<()> {
        self.terminal()?.show(&fitted(self.process, text.to_owned()))
    }

    fn ask_each(&self, plan: &PlanResult) -> io::Result<Option<Decision>> {
        // Open choices and proposals come first: nothing of the rest is accepted if the user leaves there.
        let Some(proposed) = self.ask_proposals(plan)? else { return Ok(None) };
        let mut decision = self.ask_changes(plan, false)?;
        if decision.is_left {
            decision.decline = plan.proposals.iter().map(|proposal| proposal.id.clone()).collect();
            return Ok(Some(decision));
        }
        decision.accepted += proposed.accept.len();
        let is_accepted = |id: &String| proposed.accept.contains(id);
        let needed = plan.proposals.iter().filter(|proposal| is_accepted(&proposal.id));
        decision.approve.extend(needed.filter_map(|proposal| proposal.needs_approval.clone()));
        decision.accept.extend(proposed.accept);
        decision.decline = proposed.decline;
        Ok(Some(decision))
    }

    fn ask_what_is_open(&self, plan: &PlanResult) -> io::Result<Option<Decision>> {
        let mut decision = Decision::default();
        if self.params.plain.is_none() && !plan.proposals.is_empty() {
            let Some(proposed) = self.ask_proposals(plan)? else { return Ok(None) };
            (decision.accept, decision.decline) = (proposed.accept, proposed.decline);
        }
        if plan.actions.iter().any(|action| action.left_out && asks(action)) {
            let left_out = self.ask_changes(plan, true)?;
            if left_out.is_left {
                return Ok(None);
            }
            decision.accept.extend(left_out.accept);
            decision.approve.extend(left_out.approve);
        }
        if !self.ask_approvals(plan, &mut decision)? {
            return Ok(None);
        }
        // Without a proposal among it, or what was not accepted before, the plan is applied as its text would be.
        decision.is_answer = decision.accept.is_empty();
        let changes = |action: &&PlannedAction| !action.looks && action.unplannable.is_none();
        decision.accepted = decision.accept.len() + plan.actions.iter().filter(changes).count();
        let rest = plan.actions.iter().filter(|action| !decision.is_answer && !action.left_out);
        decision.accept = rest.map(|action| action.id.clone()).chain(decision.accept).collect();
        Ok(Some(decision))
    }

    fn ask_proposals(&self, plan: &PlanResult) -> io::Result<Option<proposals::Choice>> {
        let mut terminal = self.terminal()?;
        terminal.show(&self.painted(problems_text(plan, &self.style())))?;
        let asking = proposals::Asking {
            plan,
            shown: &|text| self.painted(text),
            rows: self.process.rows(),
            page: &|text| page(self.process, text),
        };
        if self.each { asking.ask_each(&mut terminal) } else { asking.ask(&mut terminal) }
    }

    fn ask_changes(&self, plan: &PlanResult, only_left_out: bool) -> io::Result<Decision> {
        let style = self.style();
        let changes = ChangeQuestions {
            plan,
            only_left_out,
            approved: self.params.approve.as_ref(),
            change: &|action| self.painted(change_text(action, &plan.approvals, &style)),
            hunk: &|hunk| self.painted(hunk_text(hunk)),
            edit: &|action, hunk| edit(self.process, hunk, action.path.as_deref().unwrap_or_default()),
        };
        let mut terminal = self.terminal()?;
        if only_left_out {
            terminal.show("You have not accepted these changes before:\n")?;
        }
        match self.params.atomic && !only_left_out {
            true => changes.ask_once(&mut terminal),
            false => changes.ask(&mut terminal),
        }
    }

    fn ask_approvals(&self, plan: &PlanResult, decision: &mut Decision) -> io::Result<bool> {
        let approved_ids = match &self.params.approve {
            Some(Approve::All) => return Ok(true),
            Some(Approve::Ids(ids)) => ids.as_slice(),
            Some(Approve::Listed) | None => &[],
        };
        let needed = needed_approvals(plan, &decision.accept);
        let mut seen: Vec<&str> = Vec::new();
        for (at, approval) in needed.iter().enumerate() {
            let id = &approval.id;
            if approved_ids.contains(id) || decision.approve.contains(id) || seen.contains(&id.as_str()) {
                continue;
            }
            let mut terminal = self.terminal()?;
            if seen.is_empty() {
                let stat = changed_text(&plan.changed, plan.changed_more) + &failing(&plan.actions);
                terminal.show(&stat)?;
            }
            seen.push(id);
            match self.ask_approval(approval, &plan.diff, &mut terminal)? {
                PromptWord::Yes => decision.approve.push(id.clone()),
                PromptWord::Network => {
                    decision.approve.push(id.clone());
                    decision.approve.extend(with_network(approval).cloned());
                }
                PromptWord::Always => {
                    decision.approve.push(id.clone());
                    decision.always.push((*approval).clone());
                }
                PromptWord::No => decision.decline.push(id.clone()),
                PromptWord::Abandon => return Ok(false),
                // Quit: no other word ends the question about an approval.
                _ => {
                    let rest = needed[at..].iter().map(|approval| &approval.id);
                    let rest = rest.filter(|id| !approved_ids.contains(id) && !decision.approve.contains(id));
                    decision.decline.extend(rest.cloned());
                    break;
                }
            }
        }
        Ok(true)
    }

    fn ask_approval(
        &self,
        approval: &Approval,
        diff: &str,
        terminal: &mut Terminal,
    ) -> io::Result<PromptWord> {
        let text = approval_text(approval, &self.params.root);
        page_if_long(self.process, &text)?;
        terminal.show(&self.painted(text))?;
        let command = approval.command.as_ref();
        let code = command.and_then(|command| command.code.as_deref());
        let mut not = vec![];
        // Code differs each time, so that there is nothing to approve for good.
        not.extend((command.is_none() || code.is_some()).then_some(PromptWord::Always));
        not.extend(with_network(approval).is_none().then_some(PromptWord::Network));
        not.extend(code.is_none().then_some(PromptWord::Code));
        let question = if command.is_some() { "Run it?" } else { "Do it?" };
        loop {
            match (PromptPlace::Approval.ask(terminal, question, &not)?, code) {
                (PromptWord::Diff, _) if diff.is_empty() => terminal.show("It edits no files.\n")?,
                (PromptWord::Diff, _) => terminal.show(&self.painted(visible_diff(diff)))?,
                (PromptWord::Code, Some(code)) => page(self.process, &visible_block(code))?,
                (word, _) => return Ok(word),
            }
        }
    }

    fn terminal(&self) -> io::Result<Terminal> {
        Terminal::needed(self.process, self.settings)
    }

    fn style(&self) -> ReportStyle<'_> {
        self.settings.style(&self.params.root, self.detail)
    }

    fn painted(&self, text: String) -> String {
        let paint = if self.each { paint } else { paint_question };
        fitted(self.process, if self.settings.terminal_colours { paint(&text) } else { text })
    }
}

fn needed_approvals<'p>(plan: &'p PlanResult, accept: &[String]) -> Vec<&'p Approval> {
    let actions = plan.actions.iter().filter(|action| action.left_out);
    let actions = actions.map(|action| (&action.needs_approval, &action.id));
    let proposals = plan.proposals.iter().map(|proposal| (&proposal.needs_approval, &proposal.id));
    let offered: Vec<(&Option<String>, &String)> = proposals.chain(actions).collect();
    let is_of_left_out = |approval: &Approval| {
        let part = offered.iter().find(|(needed, _)| needed.as_ref() == Some(&approval.id));
        part.is_some_and(|(_, id)| !accept.contains(id))
    };
    let needed = plan.approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root);
    needed.filter(|approval| !is_of_left_out(approval)).collect()
}

fn failing(actions: &[PlannedAction]) -> String {
    let mut tasks = actions.iter().filter(|action| cannot_be_done(action)).map(|action| &action.task);
    match (tasks.next(), tasks.count()) {
        (None, _) => String::new(),
        (Some(task), 0) => format!("1 of {} actions will fail: task {task}\n", actions.len()),
        (Some(task), more) => {
            format!("{} of {} actions will fail, task {task} first\n", more + 1, actions.len())
        }
    }
}

/// Returns true if it fails; an action that was applied before and whose result still holds does not.
pub(crate) fn cannot_be_done(action: &PlannedAction) -> bool {
    action.unplannable.as_ref().is_some_and(|failure| failure.kind != ErrorKind::AnswerAlreadyApplied)
}
