//! Asks the user at the terminal for the approvals that an answer needs, before it is carried out.
//!
//! The questions come from a plan, or from a dry run of the resumed operation; the answers are the ids that
//! were approved. The plan is then carried out, so that the text is sent once. Without a terminal, nothing is
//! planned and nothing approved: the report then explains how to approve.

use clada_protocol::method::Execute;
use clada_protocol::{
    Approval, ApprovalKind, Approve, ExecuteParams, ExecutionResult, GitWhere, Method, PlanResult,
    PlannedAction, approval_text, visible_line,
};

use super::planned::{by_plan, is_as_text, is_same, plan};
use super::{style, typed};
use crate::Process;
use crate::args::{Apply, Detail};
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::Failure;
use crate::settings::Settings;
use crate::terminal::{Reply, Terminal, User};

/// The user's answer about one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Once,
    Always,
    No,
    NoneOfAll,
}

/// The user's answers at the terminal.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The approvals for good.
    pub(super) always: Vec<Approval>,
    /// The ids of declined approvals.
    pub(super) declined: Vec<String>,
}

/// An answer, or an operation to resume, and what the user said about it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The request, without what the user said.
    params: ExecuteParams,
    /// The user's answers.
    pub(super) said: Said,
    /// The approvals of the request and those that the user gave.
    approve: Option<Approve>,
    /// The plan that the questions came from.
    plan: Option<PlanResult>,
}

impl Asked {
    fn new(params: ExecuteParams, plan: Option<PlanResult>) -> Asked {
        Asked { approve: params.approve.clone(), params, said: Said::default(), plan }
    }

    /// Returns whether it may change anything, as far as that is known.
    pub(super) fn may_change(&self) -> bool {
        let changes = |action: &PlannedAction| !action.looks && action.unplannable.is_none();
        self.plan.as_ref().is_none_or(|plan| plan.actions.iter().any(changes))
    }

    /// Sets where commits go.
    pub(super) fn set_git(&mut self, place: GitWhere) {
        self.params.git = Some(place);
    }

    /// Returns the request with the user's approvals: of the plan, if the daemon does the same by it as by
    /// its text.
    pub(super) fn request(&self, kept: &KeptLink) -> ExecuteParams {
        let approve = self.approve.clone();
        match self.plan.as_ref().filter(|_| is_as_text(kept)) {
            Some(plan) => ExecuteParams { approve, ..by_plan(&self.params, &plan.plan_id) },
            None => self.as_text(),
        }
    }

    /// Returns the request with the user's approvals, and with the text.
    pub(super) fn as_text(&self) -> ExecuteParams {
        ExecuteParams { approve: self.approve.clone(), ..self.params.clone() }
    }

    /// Plans again, since the plan is gone. The user is asked again if it is no longer what the answers were
    /// given to.
    pub(super) fn again(
        self,
        process: &mut Process,
        settings: &Settings,
        args: &Apply,
        kept: &mut KeptLink,
    ) -> Result<Asked, Failure> {
        let (Some(text), Some(before)) = (&self.params.text, &self.plan) else { return Ok(self) };
        let Ok(plan) = plan(process, settings, &self.params, text, kept) else {
            return Ok(Asked { plan: None, ..self });
        };
        if is_same(before, &plan) {
            return Ok(Asked { plan: Some(plan), ..self });
        }
        if !(before.approvals.is_empty() && plan.approvals.is_empty())
            && let Some(mut terminal) = Terminal::open(process)
        {
            terminal.show(CHANGED).map_err(|error| gone(&error))?;
        }
        let approvals = plan.approvals.clone();
        ask_all(process, settings, args, Asked::new(self.params, Some(plan)), &approvals)
    }
}

/// Said before the questions are asked again.
pub(super) const CHANGED: &str =
    "The answer had to be planned again, and what it would do now is not what was shown before.\n";

/// Asks the user at the terminal, if there is one, for the approvals that `params` need.
pub(super) fn asked(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: ExecuteParams,
    kept: &mut KeptLink,
) -> Result<Asked, Failure> {
    let decided = params.dry_run || matches!(params.approve, Some(Approve::All));
    if decided || settings.json || process.terminal().is_none() {
        return Ok(Asked::new(params, None));
    }
    // The failure of a plan is reported when the answer is carried out.
    let Ok((approvals, plan)) = needed(process, settings, &params, kept) else {
        return Ok(Asked::new(params, None));
    };
    ask_all(process, settings, args, Asked::new(params, plan), &approvals)
}

/// Asks for each of `approvals` that was not given with the request.
fn ask_all(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    asked: Asked,
    approvals: &[Approval],
) -> Result<Asked, Failure> {
    let Asked { params, mut said, plan, .. } = asked;
    let mut given = match &params.approve {
        Some(Approve::Ids(ids)) => ids.clone(),
        _ => Vec::new(),
    };
    let mut seen: Vec<&str> = Vec::new();
    for approval in approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root) {
        if given.contains(&approval.id) || seen.contains(&approval.id.as_str()) {
            continue;
        }
        seen.push(&approval.id);
        match ask(process, settings, args, &params, approval)? {
            Word::Once => given.push(approval.id.clone()),
            Word::Always => {
                given.push(approval.id.clone());
                said.always.push(approval.clone());
            }
            Word::No => said.declined.push(approval.id.clone()),
            Word::NoneOfAll => break,
        }
    }
    let approve = if given.is_empty() { params.approve.clone() } else { Some(Approve::Ids(given)) };
    Ok(Asked { params, said, approve, plan })
}

/// Records the user's approvals for good. Comes last, since the answer may create the folder of a command.
pub(super) fn remember(process: &mut Process, settings: &Settings, root: &str, always: &[Approval]) {
    for approval in always {
        if let Err(failure) = super::approve::always(process, settings, root, approval) {
            let command = approval.command.as_ref().map_or("", |command| command.command.as_str());
            process.complain(&format!(
                "warning: '{}' is not approved for good: {}\n",
                visible_line(command),
                visible_line(&failure.message)
            ));
        }
    }
}

/// Returns the approvals that the answer, or the resumed operation, needs, and the answer's plan.
fn needed(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    kept: &mut KeptLink,
) -> Result<(Vec<Approval>, Option<PlanResult>), Failure> {
    let Some(text) = &params.text else {
        let params = ExecuteParams { dry_run: true, stream: false, ..params.clone() };
        let result = Connector::new(process, settings)?.keeping(kept).call(
            Execute::NAME,
            &params,
            OnInterrupt::End,
        )?;
        return typed::<ExecutionResult>(Execute::NAME, &result).map(|result| (result.approvals, None));
    };
    let plan = plan(process, settings, params, text, kept)?;
    Ok((plan.approvals.clone(), Some(plan)))
}

/// Returns the failure of a terminal that is gone.
pub(super) fn gone(error: &std::io::Error) -> Failure {
    Failure::new(crate::exit::Status::Failed, format!("the terminal cannot be used any more: {error}"))
        .hint("Nothing was carried out.")
}

fn ask(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    approval: &Approval,
) -> Result<Word, Failure> {
    let mut terminal = Terminal::open(process).ok_or_else(|| gone(&std::io::ErrorKind::NotFound.into()))?;
    let detail: Detail = args.error_detail;
    terminal
        .show(&approval_text(approval, &style(settings, &params.root, detail)))
        .map_err(|error| gone(&error))?;
    let command = approval.command.as_ref();
    // Code differs each time, so that there is nothing to approve for good.
    let may_always = command.is_some_and(|command| command.code.is_none());
    let verb = if command.is_some() { "Run it" } else { "Do it" };
    let choices =
        if may_always { "[y]es once, [a]lways, [n]o, [q]uit asking" } else { "[y]es, [n]o, [q]uit asking" };
    loop {
        let asked = terminal.ask(&format!("{verb}? {choices}: ")).map_err(|error| gone(&error))?;
        let Reply::Line(answer) = asked else { return Ok(Word::NoneOfAll) };
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Word::Once),
            "a" | "always" if may_always => return Ok(Word::Always),
            "n" | "no" => return Ok(Word::No),
            "q" | "quit" => return Ok(Word::NoneOfAll),
            _ => {}
        }
    }
}
