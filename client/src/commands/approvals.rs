//! `approvals`: lists what waits for a person, shows one, and asks the user about each.
//!
//! Answers come from the terminal alone: no flag and no input gives one. The id of an answer that waits is of
//! the plan that was shown, so that a decision about an old one never counts.

use clada_protocol::method::{ApprovalAnswer, ApprovalList};
use clada_protocol::{
    ApprovalAnswerParams, ApprovalDecision, ApprovalListParams, ApprovalListResult, ErrorKind, Method,
    WaitingApproval, approvals_text,
};
use serde_json::value::RawValue;

use crate::Process;
use crate::args::{ApprovalsArgs, ApprovalsCommand};
use crate::asking::keys::{PromptPlace, PromptWord};
use crate::exit::{Failure, Status};
use crate::output::{print, print_json, print_report};
use crate::pager::page_if_long;
use crate::paint::paint;
use crate::request::{fetch, requested, typed};
use crate::root;
use crate::settings::Settings;
use crate::terminal::{self, Prompter, Terminal};
use crate::wrap::fitted;

const NOTHING: &str = "Nothing needs your approval.\n";

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    args: &ApprovalsArgs,
) -> Result<Status, Failure> {
    let root = if args.all { None } else { Some(root::find(process, settings)?) };
    let params = ApprovalListParams { root };
    match &args.command {
        // Where nobody is at a terminal, nobody is asked.
        None if settings.can_ask(process) => answer(process, settings, &params, None),
        None => list(process, settings, &params),
        Some(ApprovalsCommand::Show { id }) => show(process, settings, &params, id),
        Some(ApprovalsCommand::Answer { id }) => answer(process, settings, &params, id.as_deref()),
    }
}

fn listed(
    process: &mut Process,
    settings: &Settings,
    params: &ApprovalListParams,
) -> Result<(Box<RawValue>, ApprovalListResult), Failure> {
    let result = requested(process, settings, ApprovalList::NAME, params)?;
    let listed = typed(ApprovalList::NAME, &result)?;
    Ok((result, listed))
}

fn list(process: &mut Process, settings: &Settings, params: &ApprovalListParams) -> Result<Status, Failure> {
    let (result, listed) = listed(process, settings, params)?;
    print_list(process, settings, &result, &listed)?;
    Ok(Status::Ok)
}

fn print_list(
    process: &mut Process,
    settings: &Settings,
    result: &RawValue,
    listed: &ApprovalListResult,
) -> Result<(), Failure> {
    if settings.json { print_json(process, result.get()) } else { print(process, &overview(listed)) }
}

fn overview(listed: &ApprovalListResult) -> String {
    let mut text = if listed.approvals.is_empty() { NOTHING.to_owned() } else { String::new() };
    if !listed.left_out.is_empty() && listed.approvals.is_empty() {
        text.push('\n');
    }
    text.push_str(&approvals_text(listed));
    if !listed.approvals.is_empty() {
        text.push_str("\n`clada approvals answer` shows each and asks you.\n");
    }
    if listed.not_listed > 0 {
        text.push_str(&format!(
            "\n{} more operations are not listed here: --root lists the last 8 of one project.\n",
            listed.not_listed
        ));
    }
    if !listed.left_out.is_empty() {
        text.push_str("\n`clada apply --resume OPERATION` asks you about what was left out.\n");
    }
    text
}

fn show(
    process: &mut Process,
    settings: &Settings,
    params: &ApprovalListParams,
    id: &str,
) -> Result<Status, Failure> {
    let (_, listed) = listed(process, settings, params)?;
    let waiting = named(&listed, id)?;
    if settings.json {
        let json = serde_json::to_string(waiting).map_err(|error| {
            Failure::new(Status::Failed, format!("it cannot be written as JSON: {error}"))
        })?;
        print_json(process, &json)?;
    } else {
        print_report(process, settings, waiting.text.clone())?;
    }
    Ok(Status::Ok)
}

fn named<'a>(listed: &'a ApprovalListResult, id: &str) -> Result<&'a WaitingApproval, Failure> {
    let mut matches = listed.approvals.iter().filter(|waiting| waiting.id.starts_with(id));
    match (matches.next(), matches.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(Failure::usage(format!("several ids begin with '{id}'"))),
        (None, _) => Err(Failure::new(Status::Failed, format!("nothing waits under the id '{id}'"))
            .hint("It was answered, replaced or has expired. `clada approvals` lists the waiting requests.")),
    }
}

fn answer(
    process: &mut Process,
    settings: &Settings,
    params: &ApprovalListParams,
    only: Option<&str>,
) -> Result<Status, Failure> {
    let (result, mut now) = listed(process, settings, params)?;
    let mut only_id = only.map(|id| named(&now, id).map(|waiting| waiting.id.clone())).transpose()?;
    // It is opened for each question: while it is open, Ctrl-C is a reply.
    if !settings.can_ask(process) {
        print_list(process, settings, &result, &now)?;
        if now.approvals.is_empty() {
            return Ok(Status::Ok);
        }
        return Err(Failure::new(Status::Failed, "there is no terminal to ask at, so nothing was decided")
            .hint("Only a person at a terminal can answer: clada approvals answer"));
    }
    let mut seen: Vec<String> = Vec::new();
    let mut counts = (0, 0);
    loop {
        let is_next = |waiting: &&WaitingApproval| {
            !seen.contains(&waiting.id) && only_id.as_ref().is_none_or(|id| *id == waiting.id)
        };
        let Some(waiting) = now.approvals.iter().find(is_next).cloned() else { break };
        seen.push(waiting.id.clone());
        let text = waiting.text;
        page_if_long(process, &text).map_err(|error| terminal_lost(&error))?;
        let text = fitted(process, if settings.colours { paint(&text) } else { text });
        let decision = match ask(process, settings, &text)? {
            PromptWord::Yes => Some(ApprovalDecision::Once),
            PromptWord::No => Some(ApprovalDecision::No),
            PromptWord::Later => None,
            _ => break,
        };
        match decision {
            None => {}
            Some(decision) => {
                let again = decide(process, settings, &waiting.id, decision)?;
                match (again, decision) {
                    (Answered::Taken(Some(id)), _) => {
                        say(process, settings, CHANGED)?;
                        only_id = only_id.map(|_| id);
                    }
                    (Answered::NotDone(why), _) => say(
                        process,
                        settings,
                        &format!("The request has changed since it was shown: {why}.\n"),
                    )?,
                    (Answered::Taken(None), ApprovalDecision::Once) => counts.0 += 1,
                    (Answered::Taken(None), ApprovalDecision::No) => counts.1 += 1,
                    (Answered::Expired, _) => only_id = None,
                }
            }
        }
        now = listed(process, settings, params)?.1;
    }
    if seen.is_empty() {
        print(process, &overview(&now))?;
    } else {
        print(process, &format!("Approved once: {}. Declined: {}.\n", counts.0, counts.1))?;
    }
    Ok(Status::Ok)
}

const CHANGED: &str = "Nothing was applied: it would now do something other than was shown.\n";

enum Answered {
    /// It was taken; `Some`: it is asked about again under this id.
    Taken(Option<String>),
    NotDone(String),
    Expired,
}

fn ask(process: &Process, settings: &Settings, text: &str) -> Result<PromptWord, Failure> {
    let mut terminal = Terminal::needed(process, settings).map_err(|error| terminal_lost(&error))?;
    let shown = terminal.show(text);
    let answer = shown.and_then(|()| PromptPlace::Waiting.ask(&mut terminal, "Apply all of it?", &[]));
    answer.map_err(|error| terminal_lost(&error))
}

fn decide(
    process: &mut Process,
    settings: &Settings,
    id: &str,
    decision: ApprovalDecision,
) -> Result<Answered, Failure> {
    let params = ApprovalAnswerParams { id: id.to_owned(), decision };
    match fetch::<ApprovalAnswer>(process, settings, &params) {
        Ok(result) => Ok(match result.message {
            Some(why) => Answered::NotDone(why),
            None => Answered::Taken(result.asked_again),
        }),
        Err(failure) if is_gone(&failure) => {
            say(
                process,
                settings,
                "It is no longer waiting: it was answered or replaced, or its agent disconnected.\n",
            )?;
            Ok(Answered::Expired)
        }
        Err(failure) => Err(failure),
    }
}

fn is_gone(failure: &Failure) -> bool {
    failure.error.as_ref().is_some_and(|error| error.kind() == Some(ErrorKind::ApprovalNotFound))
}

fn say(process: &Process, settings: &Settings, text: &str) -> Result<(), Failure> {
    let shown = Terminal::needed(process, settings).and_then(|mut terminal| terminal.show(text));
    shown.map_err(|error| terminal_lost(&error))
}

fn terminal_lost(error: &std::io::Error) -> Failure {
    terminal::lost(error).hint("Unanswered requests keep waiting.")
}
