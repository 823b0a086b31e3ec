//! `apply --interactive`: shows the changes of an answer, and carries out those that the user accepts.
//!
//! The answer is planned and the plan kept; the accepted parts of that plan are carried out. A file that
//! changed meanwhile is a conflict, which the daemon reports. A plan that is gone is made again, and the user
//! is asked again if it is another one. The questions go to the terminal, only the report to standard output.
//! To decline is no failure: the exit status covers the actions that were accepted, or could not be planned.

use clada_protocol::method::Execute;
use clada_protocol::{
    Approve, ErrorKind, ExecuteParams, Method, PlanResult, PlannedAction, Verbosity, change_text, hunk_text,
    problems_text,
};

use super::choice::{Asking, Choice, asks};
use super::consent::{CHANGED, terminal_lost};
use super::editing::edit;
use super::first;
use super::planned::{by_plan, is_gone, is_same, is_stale, plan, plan_edited};
use super::proposals;
use crate::Process;
use crate::args::Apply;
use crate::commands::apply::{answer, execute, finish, judge, params};
use crate::commands::{style, typed};
use crate::connect::KeptLink;
use crate::exit::{Failure, Status};
use crate::pager::page;
use crate::paint::paint;
use crate::settings::Settings;
use crate::terminal::{Prompter, Terminal};
use crate::wrap::fitted;

pub(crate) fn run(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: String,
) -> Result<Status, Failure> {
    if !process.can_ask(settings) {
        return Err(Failure::usage("--interactive needs a terminal")
            .hint("--dry-run shows what would change, without asking."));
    }
    let text = match args.resume {
        Some(_) => None,
        None => Some(answer(process, args)?.into()),
    };
    let params = ExecuteParams { text, ..params(process, settings, args, root) };
    review(process, settings, args, params)
}

pub(crate) fn review(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    mut params: ExecuteParams,
) -> Result<Status, Failure> {
    let mut link = KeptLink::default();
    let mut shown = plan(process, settings, &params, &mut link)?;
    let mut decided = decide(process, settings, args, &params, &shown, &mut link)?;
    let mut is_first = true;
    // A plan may expire, and files may change, while the user reads. Each turn either carries out what was
    // shown, or shows something new; a plan that is lost a second time is a failure.
    loop {
        let choice = match decided {
            Decided::Ended(status) => return Ok(status),
            Decided::Carry(choice) if choice.edited.is_empty() => choice,
            Decided::Carry(choice) => {
                let accepted = (shown.plan_id.as_str(), choice.accept.as_slice(), choice.edited.as_slice());
                let next = plan_edited(process, settings, &params, accepted, &mut link)?;
                decided = if is_as_edited(&next, &shown, &choice, params.approve.as_ref()) {
                    Decided::Carry(as_edited(&next, choice))
                } else {
                    tell_changed(process, settings)?;
                    decide(process, settings, args, &params, &next, &mut link)?
                };
                shown = next;
                continue;
            }
        };
        if choice.accepted > 0
            && let Some(place) = first::ask_commit_place(process, settings, args, &params.root)?
        {
            params.git = Some(place);
        }
        let minutes = shown.expires_in_ms / 60_000;
        let request = ExecuteParams {
            accept: Some(choice.accept.clone()),
            decline: [params.decline.clone(), choice.proposals_declined.clone()].concat(),
            approve: approve(params.approve.clone(), choice.approve.clone()),
            ..by_plan(&params, &shown.plan_id)
        };
        let result = execute(process, settings, &request, &mut link);
        if result.as_ref().is_err_and(is_stale) {
            shown = plan(process, settings, &params, &mut link)?;
            tell_changed(process, settings)?;
            decided = decide(process, settings, args, &params, &shown, &mut link)?;
            continue;
        }
        if is_first && result.as_ref().is_err_and(is_gone) {
            let next = plan(process, settings, &params, &mut link)?;
            decided = if is_same(&shown, &next) {
                Decided::Carry(choice)
            } else {
                tell_changed(process, settings)?;
                decide(process, settings, args, &params, &next, &mut link)?
            };
            (shown, is_first) = (next, false);
            continue;
        }
        let result = result.map_err(|failure| expired(failure, minutes));
        let execution = result.as_ref().ok().map(|result| typed(Execute::NAME, result)).transpose()?;
        let status = finish(process, settings, args, &params.root, result)?;
        return Ok(execution.map_or(status, |result| judge(&result, &choice.declined)));
    }
}

fn is_as_edited(plan: &PlanResult, before: &PlanResult, choice: &Choice, approve: Option<&Approve>) -> bool {
    let failed_before =
        |seq: usize| before.actions.iter().any(|action| action.seq == seq && cannot_be_done(action));
    let has = |id: &String| choice.approve.contains(id) || approve == Some(&Approve::All);
    plan.actions.iter().all(|action| !cannot_be_done(action) || failed_before(action.seq))
        && plan.approvals.iter().all(|approval| has(&approval.id))
}

fn as_edited(plan: &PlanResult, choice: Choice) -> Choice {
    let done = plan.actions.iter().filter(|action| !cannot_be_done(action));
    Choice { accept: done.map(|action| action.id.clone()).collect(), edited: Vec::new(), ..choice }
}

enum Decided {
    Carry(Choice),
    Ended(Status),
}

fn decide(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    plan: &PlanResult,
    link: &mut KeptLink,
) -> Result<Decided, Failure> {
    if args.atomic && (!plan.parse_errors.is_empty() || plan.actions.iter().any(cannot_be_done)) {
        // Nothing of it can be done: there is nothing to ask. A dry run reports why.
        let params = ExecuteParams { dry_run: true, ..params.clone() };
        let result = execute(process, settings, &params, link);
        finish(process, settings, args, &params.root, result)?;
        return Ok(Decided::Ended(Status::Failed));
    }
    let choice = ask(process, settings, args, params, plan, false)?;
    if choice.accepted == 0 && !choice.declined.is_empty() && settings.verbosity > Verbosity::Quiet {
        process.complain("You accepted nothing, so nothing was changed.\n");
    }
    let wrong = !plan.parse_errors.is_empty() || plan.actions.iter().any(cannot_be_done);
    if choice.accept.is_empty() && !choice.declined.is_empty() && !wrong {
        return Ok(Decided::Ended(Status::Ok));
    }
    Ok(Decided::Carry(choice))
}

fn tell_changed(process: &Process, settings: &Settings) -> Result<(), Failure> {
    let mut terminal = Terminal::open(process, settings)
        .ok_or_else(|| terminal_lost(&std::io::ErrorKind::NotFound.into()))?;
    terminal.show(CHANGED).map_err(|error| terminal_lost(&error))
}

pub(crate) fn ask_left_out(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    plan: &PlanResult,
) -> Result<Choice, Failure> {
    if !plan.actions.iter().any(|action| action.left_out && asks(action)) {
        return Ok(Choice::default());
    }
    let choice = ask(process, settings, args, params, plan, true)?;
    match choice.is_left {
        true => Err(Failure::new(Status::Failed, "you cancelled: nothing was applied")),
        false => Ok(choice),
    }
}

// Shows the plan at the terminal and asks which of it to accept: all of it, or what was not accepted before.
fn ask(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    plan: &PlanResult,
    only_left_out: bool,
) -> Result<Choice, Failure> {
    let style = style(settings, &params.root, args.error_detail);
    let shown = |text: String| fitted(process, if settings.terminal_colours { paint(&text) } else { text });
    let asking = Asking {
        plan,
        only_left_out,
        approved: params.approve.as_ref(),
        change: &|action| shown(change_text(action, &plan.approvals, &style)),
        hunk: &|hunk| shown(hunk_text(hunk)),
        edit: &|action, hunk| edit(process, hunk, action.path.as_deref().unwrap_or_default()),
    };
    let mut terminal = Terminal::open(process, settings)
        .ok_or_else(|| terminal_lost(&std::io::ErrorKind::NotFound.into()))?;
    if only_left_out {
        terminal
            .show("You have not accepted these changes before:\n")
            .map_err(|error| terminal_lost(&error))?;
        return asking.ask(&mut terminal).map_err(|error| terminal_lost(&error));
    }
    terminal.show(&shown(problems_text(plan, &style))).map_err(|error| terminal_lost(&error))?;
    // Open choices and proposals come first: nothing of the rest is accepted if the user leaves there.
    let proposed = proposals::Asking {
        plan,
        shown: &|text| shown(text),
        rows: process.rows(),
        page: &|text| page(process, text),
    };
    let Some(decision) = proposed.ask_each(&mut terminal).map_err(|error| terminal_lost(&error))? else {
        return Err(Failure::new(Status::Failed, "you cancelled: nothing was applied"));
    };
    let choice = if params.atomic { asking.ask_once(&mut terminal) } else { asking.ask(&mut terminal) };
    let mut choice = choice.map_err(|error| terminal_lost(&error))?;
    if choice.is_left {
        choice.proposals_declined = plan.proposals.iter().map(|proposal| proposal.id.clone()).collect();
        return Ok(choice);
    }
    choice.accepted += decision.accept.len();
    let approvals = decision
        .accept
        .iter()
        .filter_map(|id| plan.proposals.iter().find(|proposal| proposal.id == *id)?.needs_approval.clone());
    choice.approve.extend(approvals);
    choice.accept.extend(decision.accept);
    choice.proposals_declined = decision.decline;
    Ok(choice)
}

pub(crate) fn approve(requested: Option<Approve>, more: Vec<String>) -> Option<Approve> {
    match requested {
        Some(Approve::Ids(ids)) => Some(Approve::Ids([ids, more].concat())),
        None | Some(Approve::Listed) if !more.is_empty() => Some(Approve::Ids(more)),
        requested => requested,
    }
}

/// Returns true if it fails; an action that was applied before and whose result still holds does not.
pub(crate) fn cannot_be_done(action: &PlannedAction) -> bool {
    action.unplannable.as_ref().is_some_and(|failure| failure.kind != ErrorKind::AnswerAlreadyApplied)
}

fn expired(failure: Failure, minutes: u64) -> Failure {
    let kind = failure.error.as_ref().and_then(|error| error.kind());
    if kind != Some(ErrorKind::PlanNotFound) {
        return failure;
    }
    failure.hint(format!(
        "Nothing was applied. A plan expires after {minutes} minutes or when the daemon stops: run the \
         command again."
    ))
}
