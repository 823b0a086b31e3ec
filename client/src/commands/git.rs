//! `git squash`, `git step-back`, `git step-forward`: the user's commands for commits of operations.

use clada_protocol::method::{GitSquash, GitStepBack, GitStepForward};
use clada_protocol::{
    GitSquashParams, GitSquashResult, GitStepParams, GitStepResult, Method, count_of, squash_text, step_text,
};

use crate::Process;
use crate::args::{GitCommand, SquashArgs};
use crate::asking;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print_json, print_report};
use crate::request::{fetch, typed};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    command: &GitCommand,
) -> Result<Status, Failure> {
    match command {
        GitCommand::Squash(args) => squash(process, settings, args),
        GitCommand::StepBack => step(process, settings, GitStepBack::NAME),
        GitCommand::StepForward => step(process, settings, GitStepForward::NAME),
    }
}

fn squash(process: &mut Process, settings: &Settings, args: &SquashArgs) -> Result<Status, Failure> {
    let mut params = GitSquashParams {
        root: root::find(process, settings)?,
        mode: args.mode(),
        message: args.message.clone(),
        hours: args.hours,
        days: args.days,
        msg_target: args.containing.clone(),
        force: args.force,
        mine_too: args.mine_too,
        dry_run: false,
        tip: None,
    };
    if args.mine_too {
        params.tip = Some(confirmed(process, settings, &params)?);
    }
    let result = Connector::new(process, settings)?.call(GitSquash::NAME, &params, OnInterrupt::Cancel)?;
    let squashed: GitSquashResult = typed(GitSquash::NAME, &result)?;
    if settings.json {
        print_json(process, result.get())?;
    } else {
        print_report(process, settings, squash_text(&squashed))?;
    }
    Ok(Status::Ok)
}

fn confirmed(
    process: &mut Process,
    settings: &Settings,
    params: &GitSquashParams,
) -> Result<String, Failure> {
    if !settings.can_ask(process) {
        let message = "--mine-too shows the commits and asks, and there is no terminal to ask at";
        return Err(Failure::usage(message)
            .hint("Run it at a terminal, or without --mine-too: then only clada's own commits become one."));
    }
    let dry = GitSquashParams { dry_run: true, ..params.clone() };
    let shown = fetch::<GitSquash>(process, settings, &dry)?;
    let question =
        format!("{}Squash these {} into one?", squash_text(&shown), count_of(shown.squashed, "commit"));
    let is_confirmed = asking::keys::confirmed(process, settings, &question) == Some(true);
    match (is_confirmed, shown.commits.into_iter().next()) {
        (true, Some(last)) => Ok(last.commit),
        _ => Err(Failure::new(Status::Failed, "nothing was squashed")),
    }
}

fn step(process: &mut Process, settings: &Settings, method: &str) -> Result<Status, Failure> {
    let params = GitStepParams { root: root::find(process, settings)? };
    let result = Connector::new(process, settings)?.call(method, &params, OnInterrupt::Cancel)?;
    let stepped: GitStepResult = typed(method, &result)?;
    if settings.json {
        print_json(process, result.get())?;
    } else {
        print_report(process, settings, step_text(&stepped))?;
    }
    Ok(if stepped.conflicts.is_empty() { Status::Ok } else { Status::Failed })
}
