//! Asks the user at the terminal for the approvals that an answer needs, after its edits were shown and before
//! anything is carried out.
//!
//! The questions come from a plan of the answer, or of the rest of an operation; the answers are the ids that
//! were approved. The plan is then carried out, so that the text is sent once. Without a terminal, nothing is
//! planned and nothing approved: the report then explains how to approve.

use std::io;

use clada_protocol::handshake::DECLINE;
use clada_protocol::{
    Approval, ApprovalKind, Approve, ExecuteParams, GitWhere, PlanResult, PlannedAction, ReportStyle,
    approval_text, changed_text, problems_text, visible_block, visible_diff, visible_line,
};

use super::interactive::{self, approve, cannot_be_done};
use super::keys::{PromptPlace, PromptWord};
use super::planned::{by_plan, is_as_text, is_same, plan};
use super::proposals::{self, Decision, needed_approvals};
use crate::Process;
use crate::args::Apply;
use crate::commands::style;
use crate::connect::KeptLink;
use crate::exit::{Failure, Status};
use crate::pager::{page, page_if_long};
use crate::paint::paint_question;
use crate::settings::Settings;
use crate::terminal::{Prompter, Terminal};
use crate::wrap::fitted;

#[derive(Debug, Default)]
pub(crate) struct UserReplies {
    pub(crate) always: Vec<Approval>,
    pub(crate) declined: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct DecidedRequest {
    params: ExecuteParams,
    pub(crate) replies: UserReplies,
    approve: Option<Approve>,
    plan: Option<PlanResult>,
    decision: Decision,
}

impl DecidedRequest {
    fn new(params: ExecuteParams, plan: Option<PlanResult>) -> DecidedRequest {
        let decision = Decision::default();
        DecidedRequest {
            approve: params.approve.clone(),
            params,
            replies: UserReplies::default(),
            plan,
            decision,
        }
    }

    pub(crate) fn may_change(&self) -> bool {
        let changes = |action: &PlannedAction| !action.looks && action.unplannable.is_none();
        self.has_accepted() || self.plan.as_ref().is_none_or(|plan| plan.actions.iter().any(changes))
    }

    pub(crate) fn set_git(&mut self, place: GitWhere) {
        self.params.git = Some(place);
    }

    /// Returns the request with the user's answers: of the plan, if the daemon does the same by it as by its
    /// text.
    pub(crate) fn request(&self, link: &KeptLink) -> ExecuteParams {
        let params = self.as_text(link);
        match self.plan.as_ref().filter(|_| is_as_text(link)) {
            Some(plan) => {
                let request = by_plan(&params, &plan.plan_id);
                let actions = plan.actions.iter().filter(|action| !action.left_out);
                let actions = actions.map(|action| action.id.clone());
                let accept: Vec<String> = actions.chain(self.decision.accept.iter().cloned()).collect();
                // Without a proposal among it, or what was not accepted before, the plan is applied as its text would be.
                let accept = (!self.decision.accept.is_empty()).then_some(accept);
                ExecuteParams { accept, ..request }
            }
            None => params,
        }
    }

    pub(crate) fn as_text(&self, link: &KeptLink) -> ExecuteParams {
        // An older daemon says of what was declined that it waits.
        let mut decline = if link.has_feature(DECLINE) { self.replies.declined.clone() } else { Vec::new() };
        decline.extend(self.decision.decline.iter().cloned());
        // A user who was asked has said what becomes of proposals.
        let plain = self.params.plain.filter(|_| self.decision == Decision::default());
        ExecuteParams { approve: self.approve.clone(), decline, plain, ..self.params.clone() }
    }

    /// Plans again, since the plan is gone. The user is asked again if it is no longer what the answers were
    /// given to.
    pub(crate) fn again(
        self,
        process: &mut Process,
        settings: &Settings,
        args: &Apply,
        link: &mut KeptLink,
    ) -> Result<DecidedRequest, Failure> {
        let Some(before) = &self.plan else { return Ok(self) };
        let Ok(plan) = plan(process, settings, &self.params, link) else {
            return Ok(DecidedRequest { plan: None, ..self });
        };
        if is_same(before, &plan) {
            return Ok(DecidedRequest { plan: Some(plan), ..self });
        }
        let asks = |plan: &PlanResult| !plan.approvals.is_empty() || !plan.proposals.is_empty();
        if (asks(before) || asks(&plan))
            && let Some(mut terminal) = Terminal::open(process, settings)
        {
            terminal.show(CHANGED).map_err(|error| terminal_lost(&error))?;
        }
        ask_about(process, settings, args, self.params, plan)
    }

    pub(crate) fn has_accepted(&self) -> bool {
        !self.decision.accept.is_empty()
    }
}

impl DecidedRequest {
    pub(crate) fn renewed(
        self,
        process: &mut Process,
        settings: &Settings,
        args: &Apply,
        link: &mut KeptLink,
        failure: &Failure,
    ) -> Result<DecidedRequest, Failure> {
        let approve = self.params.approve.filter(|approve| !matches!(approve, Approve::Ids(_)));
        let params = ExecuteParams { approve, ..self.params };
        let plan = plan(process, settings, &params, link)?;
        let mut terminal = Terminal::open(process, settings)
            .ok_or_else(|| terminal_lost(&io::ErrorKind::NotFound.into()))?;
        let why = format!("{}\n", visible_line(&failure.message));
        terminal.show(&fitted(process, why)).map_err(|error| terminal_lost(&error))?;
        drop(terminal);
        let (approvals, edits) = (plan.approvals.clone(), ShownEdits::of_plan(&plan));
        ask_all(process, settings, args, DecidedRequest::new(params, Some(plan)), (&approvals, &edits))
    }
}

pub(crate) const CHANGED: &str =
    "Files have changed, and the answer would now do something other than was shown.\n";

pub(crate) fn ask_approvals(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: ExecuteParams,
    link: &mut KeptLink,
) -> Result<DecidedRequest, Failure> {
    if params.dry_run || !process.can_ask(settings) {
        return Ok(DecidedRequest::new(params, None));
    }
    // The failure of a plan is reported when the answer is carried out.
    match plan(process, settings, &params, link) {
        Ok(plan) => ask_about(process, settings, args, params, plan),
        Err(_) => Ok(DecidedRequest::new(params, None)),
    }
}

fn ask_about(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    params: ExecuteParams,
    plan: PlanResult,
) -> Result<DecidedRequest, Failure> {
    let is_asked = params.plain.is_none() && !plan.proposals.is_empty();
    let mut decision =
        if is_asked { decide(process, settings, args, &params, &plan)? } else { Decision::default() };
    let choice = interactive::ask_left_out(process, settings, args, &params, &plan)?;
    decision.accept.extend(choice.accept);
    let params = ExecuteParams { approve: approve(params.approve, choice.approve), ..params };
    let (approvals, edits) = (needed_approvals(&plan, &decision), ShownEdits::of_plan(&plan));
    let request = DecidedRequest { decision, ..DecidedRequest::new(params, Some(plan)) };
    ask_all(process, settings, args, request, (&approvals, &edits))
}

fn decide(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    plan: &PlanResult,
) -> Result<Decision, Failure> {
    let Some(mut terminal) = Terminal::open(process, settings) else { return Ok(Decision::default()) };
    let style = style(settings, &params.root, args.error_detail);
    let painted = |text: String| if settings.terminal_colours { paint_question(&text) } else { text };
    terminal
        .show(&fitted(process, painted(problems_text(plan, &style))))
        .map_err(|error| terminal_lost(&error))?;
    let asking = proposals::Asking {
        plan,
        shown: &|text| fitted(process, painted(text)),
        rows: process.rows(),
        page: &|text| page(process, text),
    };
    let decision = asking.ask(&mut terminal).map_err(|error| terminal_lost(&error))?;
    decision.ok_or_else(|| Failure::new(Status::Failed, "you cancelled: nothing was applied"))
}

fn ask_all(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    request: DecidedRequest,
    (approvals, edits): (&[Approval], &ShownEdits),
) -> Result<DecidedRequest, Failure> {
    let DecidedRequest { params, mut replies, plan, decision, .. } = request;
    if matches!(params.approve, Some(Approve::All)) {
        let approve = params.approve.clone();
        return Ok(DecidedRequest { params, replies, approve, plan, decision });
    }
    let mut approved_ids = match &params.approve {
        Some(Approve::Ids(ids)) => ids.clone(),
        _ => Vec::new(),
    };
    let mut seen: Vec<&str> = Vec::new();
    for approval in approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root) {
        if approved_ids.contains(&approval.id) || seen.contains(&approval.id.as_str()) {
            continue;
        }
        let mut terminal = Terminal::open(process, settings)
            .ok_or_else(|| terminal_lost(&std::io::ErrorKind::NotFound.into()))?;
        if seen.is_empty() && !edits.stat.is_empty() {
            terminal.show(&edits.stat).map_err(|error| terminal_lost(&error))?;
        }
        seen.push(&approval.id);
        let style = style(settings, &params.root, args.error_detail);
        let question =
            ApprovalQuestion { process, approval, style: &style, edits, colours: settings.terminal_colours };
        match question.ask(&mut terminal).map_err(|error| terminal_lost(&error))? {
            PromptWord::Yes => approved_ids.push(approval.id.clone()),
            PromptWord::Network => {
                approved_ids.push(approval.id.clone());
                approved_ids.extend(with_network(approval).cloned());
            }
            PromptWord::Always => {
                approved_ids.push(approval.id.clone());
                replies.always.push(approval.clone());
            }
            PromptWord::No => replies.declined.push(approval.id.clone()),
            PromptWord::Abandon => {
                return Err(Failure::new(Status::Failed, "you cancelled: nothing was applied"));
            }
            // No other word ends the question about an approval.
            PromptWord::Quit
            | PromptWord::All
            | PromptWord::Split
            | PromptWord::Later
            | PromptWord::Diff
            | PromptWord::Code
            | PromptWord::Edit
            | PromptWord::Each
            | PromptWord::Whole => {
                replies
                    .declined
                    .extend(unapproved(approvals, &approved_ids).map(|approval| approval.id.clone()));
                break;
            }
        }
    }
    let approve =
        if approved_ids.is_empty() { params.approve.clone() } else { Some(Approve::Ids(approved_ids)) };
    Ok(DecidedRequest { params, replies, approve, plan, decision })
}

fn unapproved<'a>(
    approvals: &'a [Approval],
    approved_ids: &'a [String],
) -> impl Iterator<Item = &'a Approval> {
    let needed = approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root);
    needed.filter(|approval| !approved_ids.contains(&approval.id))
}

/// Comes last, since the answer may create the folder of a command.
pub(crate) fn remember(process: &mut Process, settings: &Settings, root: &str, always: &[Approval]) {
    for approval in always {
        if let Err(failure) = crate::commands::approve::always(process, settings, root, approval) {
            let command = approval.command.as_ref().map_or("", |command| command.command.as_str());
            process.complain(&format!(
                "warning: '{}' is not approved permanently: {}\n",
                visible_line(command),
                visible_line(&failure.message)
            ));
        }
    }
}

#[derive(Debug, Default)]
struct ShownEdits {
    stat: String,
    diff: String,
}

impl ShownEdits {
    fn of_plan(plan: &PlanResult) -> ShownEdits {
        let stat = changed_text(&plan.changed, plan.changed_more);
        ShownEdits { stat: stat + &failing(&plan.actions), diff: plan.diff.to_string() }
    }
}

fn failing(actions: &[PlannedAction]) -> String {
    let fails = actions.iter().filter(|action| cannot_be_done(action));
    let tasks: Vec<&str> = fails.map(|action| action.task.as_str()).collect();
    match (tasks.len(), tasks.first()) {
        (0, _) | (_, None) => String::new(),
        (1, Some(task)) => format!("1 of {} actions will fail: task {task}\n", actions.len()),
        (count, Some(task)) => {
            format!("{count} of {} actions will fail, task {task} first\n", actions.len())
        }
    }
}

pub(crate) fn terminal_lost(error: &std::io::Error) -> Failure {
    Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}"))
        .hint("Nothing was applied.")
}

struct ApprovalQuestion<'a> {
    process: &'a Process,
    approval: &'a Approval,
    style: &'a ReportStyle<'a>,
    edits: &'a ShownEdits,
    colours: bool,
}

impl ApprovalQuestion<'_> {
    fn ask(&self, terminal: &mut Terminal) -> io::Result<PromptWord> {
        let painted =
            |text: String| fitted(self.process, if self.colours { paint_question(&text) } else { text });
        let text = approval_text(self.approval, self.style);
        page_if_long(self.process, &text)?;
        terminal.show(&painted(text))?;
        let command = self.approval.command.as_ref();
        let code = command.and_then(|command| command.code.as_deref());
        let mut not = vec![];
        // Code differs each time, so that there is nothing to approve for good.
        not.extend((command.is_none() || code.is_some()).then_some(PromptWord::Always));
        not.extend(with_network(self.approval).is_none().then_some(PromptWord::Network));
        not.extend(code.is_none().then_some(PromptWord::Code));
        let question = if command.is_some() { "Run it?" } else { "Do it?" };
        loop {
            match (PromptPlace::Approval.ask(terminal, question, &not)?, code) {
                (PromptWord::Diff, _) if self.edits.diff.is_empty() => {
                    terminal.show("It edits no files.\n")?
                }
                (PromptWord::Diff, _) => terminal.show(&painted(visible_diff(&self.edits.diff)))?,
                (PromptWord::Code, Some(code)) => page(self.process, &visible_block(code))?,
                (word, _) => return Ok(word),
            }
        }
    }
}

pub(crate) fn with_network(approval: &Approval) -> Option<&String> {
    approval.command.as_ref()?.with_network.as_ref()
}
