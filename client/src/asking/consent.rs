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
use super::keys::{Place, Word};
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
use crate::terminal::{Terminal, User};
use crate::wrap::fitted;

/// The user's answers at the terminal.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The approvals for good.
    pub(crate) always: Vec<Approval>,
    /// The ids of declined approvals.
    pub(crate) declined: Vec<String>,
}

/// An answer, or an operation to resume, and what the user said about it.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The request, without what the user said.
    params: ExecuteParams,
    /// The user's answers.
    pub(crate) said: Said,
    /// The approvals of the request and those that the user gave.
    approve: Option<Approve>,
    /// The plan that the questions came from.
    plan: Option<PlanResult>,
    /// The user's decision about proposals of the plan, and what was not accepted before.
    decision: Decision,
}

impl Asked {
    fn new(params: ExecuteParams, plan: Option<PlanResult>) -> Asked {
        let decision = Decision::default();
        Asked { approve: params.approve.clone(), params, said: Said::default(), plan, decision }
    }

    /// Returns whether it may change anything, as far as that is known.
    pub(crate) fn may_change(&self) -> bool {
        let changes = |action: &PlannedAction| !action.looks && action.unplannable.is_none();
        self.has_accepted() || self.plan.as_ref().is_none_or(|plan| plan.actions.iter().any(changes))
    }

    /// Sets where commits go.
    pub(crate) fn set_git(&mut self, place: GitWhere) {
        self.params.git = Some(place);
    }

    /// Returns the request with the user's answers: of the plan, if the daemon does the same by it as by its
    /// text.
    pub(crate) fn request(&self, kept: &KeptLink) -> ExecuteParams {
        let params = self.as_text(kept);
        match self.plan.as_ref().filter(|_| is_as_text(kept)) {
            Some(plan) => {
                let request = by_plan(&params, &plan.plan_id);
                let actions = plan.actions.iter().filter(|action| !action.left_out);
                let actions = actions.map(|action| action.id.clone());
                let accept: Vec<String> = actions.chain(self.decision.accept.iter().cloned()).collect();
                // Without a proposal among it, or what was not accepted before, the plan is applied as its text would be.
                let accept = (!self.decision.accept.is_empty()).then_some(accept);
                ExecuteParams { accept, plain: None, ..request }
            }
            None => params,
        }
    }

    /// Returns the request with the user's answers, and with the text.
    pub(crate) fn as_text(&self, kept: &KeptLink) -> ExecuteParams {
        // An older daemon says of what was declined that it waits.
        let mut decline = if kept.has_feature(DECLINE) { self.said.declined.clone() } else { Vec::new() };
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
        kept: &mut KeptLink,
    ) -> Result<Asked, Failure> {
        let Some(before) = &self.plan else { return Ok(self) };
        let Ok(plan) = plan(process, settings, &self.params, kept) else {
            return Ok(Asked { plan: None, ..self });
        };
        if is_same(before, &plan) {
            return Ok(Asked { plan: Some(plan), ..self });
        }
        let asks = |plan: &PlanResult| !plan.approvals.is_empty() || !plan.proposals.is_empty();
        if (asks(before) || asks(&plan))
            && let Some(mut terminal) = Terminal::open(process, settings)
        {
            terminal.show(CHANGED).map_err(|error| gone(&error))?;
        }
        ask_about(process, settings, args, self.params, plan)
    }

    /// Returns true if the plan has to be carried out by its id, since parts of it were accepted that its text would not
    /// apply.
    pub(crate) fn has_accepted(&self) -> bool {
        !self.decision.accept.is_empty()
    }
}

impl Asked {
    /// Asks again, since files have changed after the user was asked, as `failure` says. No earlier answer counts.
    pub(crate) fn renewed(
        self,
        process: &mut Process,
        settings: &Settings,
        args: &Apply,
        kept: &mut KeptLink,
        failure: &Failure,
    ) -> Result<Asked, Failure> {
        let approve = self.params.approve.filter(|given| !matches!(given, Approve::Ids(_)));
        let params = ExecuteParams { approve, ..self.params };
        let plan = plan(process, settings, &params, kept)?;
        let mut terminal =
            Terminal::open(process, settings).ok_or_else(|| gone(&io::ErrorKind::NotFound.into()))?;
        let why = format!("{}\n", visible_line(&failure.message));
        terminal.show(&fitted(process, why)).map_err(|error| gone(&error))?;
        drop(terminal);
        let (approvals, edits) = (plan.approvals.clone(), Edits::of_plan(&plan));
        ask_all(process, settings, args, Asked::new(params, Some(plan)), (&approvals, &edits))
    }
}

/// Said before the questions are asked again.
pub(crate) const CHANGED: &str =
    "Files have changed, and the answer would now do something other than was shown.\n";

/// Asks the user at the terminal, if there is one, for the approvals that `params` need.
pub(crate) fn asked(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: ExecuteParams,
    kept: &mut KeptLink,
) -> Result<Asked, Failure> {
    if params.dry_run || !process.can_ask(settings) {
        return Ok(Asked::new(params, None));
    }
    // The failure of a plan is reported when the answer is carried out.
    match plan(process, settings, &params, kept) {
        Ok(plan) => ask_about(process, settings, args, params, plan),
        Err(_) => Ok(Asked::new(params, None)),
    }
}

/// Asks what the plan of an answer needs: about proposals and what was not accepted before, then for approvals.
fn ask_about(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    params: ExecuteParams,
    plan: PlanResult,
) -> Result<Asked, Failure> {
    let is_asked = params.plain.is_none() && !plan.proposals.is_empty();
    let mut decision =
        if is_asked { decide(process, settings, args, &params, &plan)? } else { Decision::default() };
    let choice = interactive::ask_left_out(process, settings, args, &params, &plan)?;
    decision.accept.extend(choice.accept);
    let params = ExecuteParams { approve: approve(params.approve, choice.approve), ..params };
    let (approvals, edits) = (needed_approvals(&plan, &decision), Edits::of_plan(&plan));
    let asked = Asked { decision, ..Asked::new(params, Some(plan)) };
    ask_all(process, settings, args, asked, (&approvals, &edits))
}

/// Asks about the proposals of `plan`.
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
    terminal.show(&fitted(process, painted(problems_text(plan, &style)))).map_err(|error| gone(&error))?;
    let asking = proposals::Asking {
        plan,
        shown: &|text| fitted(process, painted(text)),
        rows: process.rows(),
        page: &|text| page(process, text),
    };
    let decision = asking.ask(&mut terminal).map_err(|error| gone(&error))?;
    decision.ok_or_else(|| Failure::new(Status::Failed, "you cancelled: nothing was applied"))
}

/// Asks for each of `approvals` that was not given with the request, after the edits were shown.
fn ask_all(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    asked: Asked,
    (approvals, edits): (&[Approval], &Edits),
) -> Result<Asked, Failure> {
    let Asked { params, mut said, plan, decision, .. } = asked;
    if matches!(params.approve, Some(Approve::All)) {
        let approve = params.approve.clone();
        return Ok(Asked { params, said, approve, plan, decision });
    }
    let mut given = match &params.approve {
        Some(Approve::Ids(ids)) => ids.clone(),
        _ => Vec::new(),
    };
    let mut seen: Vec<&str> = Vec::new();
    for approval in approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root) {
        if given.contains(&approval.id) || seen.contains(&approval.id.as_str()) {
            continue;
        }
        let mut terminal =
            Terminal::open(process, settings).ok_or_else(|| gone(&std::io::ErrorKind::NotFound.into()))?;
        if seen.is_empty() && !edits.stat.is_empty() {
            terminal.show(&edits.stat).map_err(|error| gone(&error))?;
        }
        seen.push(&approval.id);
        let style = style(settings, &params.root, args.error_detail);
        let question =
            Question { process, approval, style: &style, edits, colours: settings.terminal_colours };
        match question.ask(&mut terminal).map_err(|error| gone(&error))? {
            Word::Yes => given.push(approval.id.clone()),
            Word::Network => {
                given.push(approval.id.clone());
                given.extend(with_network(approval).cloned());
            }
            Word::Always => {
                given.push(approval.id.clone());
                said.always.push(approval.clone());
            }
            Word::No => said.declined.push(approval.id.clone()),
            Word::Abandon => {
                return Err(Failure::new(Status::Failed, "you cancelled: nothing was applied"));
            }
            // No other word ends the question about an approval.
            Word::Quit
            | Word::All
            | Word::Split
            | Word::Later
            | Word::Diff
            | Word::Code
            | Word::Edit
            | Word::Each
            | Word::Whole => {
                said.declined.extend(left(approvals, &given).map(|approval| approval.id.clone()));
                break;
            }
        }
    }
    let approve = if given.is_empty() { params.approve.clone() } else { Some(Approve::Ids(given)) };
    Ok(Asked { params, said, approve, plan, decision })
}

/// Returns the approvals that the user is asked for, but for those that were `given`.
fn left<'a>(approvals: &'a [Approval], given: &'a [String]) -> impl Iterator<Item = &'a Approval> {
    let asked = approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root);
    asked.filter(|approval| !given.contains(&approval.id))
}

/// Records the user's approvals for good. Comes last, since the answer may create the folder of a command.
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

/// The edits of the answer, as they are shown before the questions.
#[derive(Debug, Default)]
struct Edits {
    /// The files with the numbers of their lines.
    stat: String,
    /// The diff.
    diff: String,
}

impl Edits {
    fn of_plan(plan: &PlanResult) -> Edits {
        let stat = changed_text(&plan.changed, plan.changed_more);
        Edits { stat: stat + &failing(&plan.actions), diff: plan.diff.to_string() }
    }
}

/// Returns a line about the actions that cannot be done; empty if all can.
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

/// Returns the failure of a terminal that is gone.
pub(crate) fn gone(error: &std::io::Error) -> Failure {
    Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}"))
        .hint("Nothing was applied.")
}

/// The question about one approval.
struct Question<'a> {
    process: &'a Process,
    approval: &'a Approval,
    style: &'a ReportStyle<'a>,
    edits: &'a Edits,
    colours: bool,
}

impl Question<'_> {
    /// Shows what is to be approved and asks, until there is an answer. Without one it is no.
    fn ask(&self, terminal: &mut Terminal) -> io::Result<Word> {
        let painted =
            |text: String| fitted(self.process, if self.colours { paint_question(&text) } else { text });
        let text = approval_text(self.approval, self.style);
        page_if_long(self.process, &text)?;
        terminal.show(&painted(text))?;
        let command = self.approval.command.as_ref();
        let code = command.and_then(|command| command.code.as_deref());
        let mut not = vec![];
        // Code differs each time, so that there is nothing to approve for good.
        not.extend((command.is_none() || code.is_some()).then_some(Word::Always));
        not.extend(with_network(self.approval).is_none().then_some(Word::Network));
        not.extend(code.is_none().then_some(Word::Code));
        let question = if command.is_some() { "Run it?" } else { "Do it?" };
        loop {
            match (Place::Approval.ask(terminal, question, &not)?, code) {
                (Word::Diff, _) if self.edits.diff.is_empty() => terminal.show("It edits no files.\n")?,
                (Word::Diff, _) => terminal.show(&painted(visible_diff(&self.edits.diff)))?,
                (Word::Code, Some(code)) => page(self.process, &visible_block(code))?,
                (word, _) => return Ok(word),
            }
        }
    }
}

/// Returns the id that approves a command with a network, if it has none by itself.
pub(crate) fn with_network(approval: &Approval) -> Option<&String> {
    approval.command.as_ref()?.with_network.as_ref()
}
