//! `checkpoint`: makes one operation of what other programs change between two calls.

use std::io::Write;

use clada_protocol::method::{CheckpointBegin, CheckpointDrop, CheckpointEnd, CheckpointList};
use clada_protocol::{
    CheckpointBeginParams, CheckpointDropParams, CheckpointEndParams, CheckpointListParams, ExecutionResult,
    Verbosity, checkpoints_text, recorded_line, visible_line,
};

use super::history::ago;
use crate::Process;
use crate::args::{BeginArgs, CheckpointArgs, CheckpointCommand, called};
use crate::exit::{Failure, Status};
use crate::output::print;
use crate::request::fetch_or_print;
use crate::root;
use crate::settings::Settings;

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    args: &CheckpointArgs,
) -> Result<Status, Failure> {
    match &args.command {
        // An open one of the same session ends when the next begins.
        None => begin(process, settings, &args.begin),
        Some(CheckpointCommand::Begin(args)) => begin(process, settings, args),
        Some(CheckpointCommand::End { checkpoint, keep }) => {
            end(process, settings, checkpoint.clone(), *keep)
        }
        Some(CheckpointCommand::List) => list(process, settings),
        Some(CheckpointCommand::Drop { checkpoint }) => drop_one(process, settings, checkpoint),
    }
}

fn begin(process: &mut Process, settings: &Settings, args: &BeginArgs) -> Result<Status, Failure> {
    let params = CheckpointBeginParams {
        root: root::find(process, settings)?,
        name: args.name.clone(),
        session: settings.session.clone(),
        ttl_ms: args.ttl,
        owners: Vec::new(),
    };
    let Some(begun) = fetch_or_print::<CheckpointBegin>(process, settings, &params)? else {
        return Ok(Status::Ok);
    };
    if let Some(ended) = &begun.ended {
        tell_recorded(process, settings, ended)?;
    }
    tell_warnings(process, begun.warnings.iter().map(String::as_str));
    print(process, &format!("{}\n", begun.checkpoint))?;
    if process.terminals.stderr && settings.verbosity > Verbosity::Quiet {
        let name = called(process);
        tell(process, &format!("`{name} checkpoint end` records all changes from now on as one operation"));
    }
    Ok(Status::Ok)
}

fn end(
    process: &mut Process,
    settings: &Settings,
    checkpoint: Option<String>,
    keep: bool,
) -> Result<Status, Failure> {
    let session = settings.session.clone();
    let params = CheckpointEndParams { root: root::find(process, settings)?, checkpoint, session, keep };
    let Some(ended) = fetch_or_print::<CheckpointEnd>(process, settings, &params)? else {
        return Ok(Status::Ok);
    };
    tell_recorded(process, settings, &ended)?;
    Ok(Status::Ok)
}

fn list(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let params = CheckpointListParams { root: root::find(process, settings)? };
    let Some(listed) = fetch_or_print::<CheckpointList>(process, settings, &params)? else {
        return Ok(Status::Ok);
    };
    let now = jiff::Timestamp::now().as_millisecond();
    print(process, &checkpoints_text(&listed, &|at| ago(now, at)))?;
    Ok(Status::Ok)
}

fn drop_one(process: &mut Process, settings: &Settings, checkpoint: &str) -> Result<Status, Failure> {
    let params =
        CheckpointDropParams { root: root::find(process, settings)?, checkpoint: checkpoint.to_owned() };
    let Some(dropped) = fetch_or_print::<CheckpointDrop>(process, settings, &params)? else {
        return Ok(Status::Ok);
    };
    if settings.verbosity > Verbosity::Quiet {
        print(process, &format!("dropped {}; its changes were not recorded\n", dropped.checkpoint))?;
    }
    Ok(Status::Ok)
}

fn tell_recorded(process: &mut Process, settings: &Settings, ended: &ExecutionResult) -> Result<(), Failure> {
    tell_warnings(process, ended.warnings.iter().map(|warning| warning.message.as_str()));
    if settings.verbosity > Verbosity::Quiet {
        let line = recorded_line(ended, called(process));
        print(process, &format!("{line}\n"))?;
    }
    Ok(())
}

pub(super) fn tell_warnings<'w>(process: &mut Process, warnings: impl Iterator<Item = &'w str>) {
    for warning in warnings {
        tell(process, &format!("WARNING: {}", visible_line(warning)));
    }
}

/// Prints a line on standard error. It may be closed.
pub(super) fn tell(process: &mut Process, line: &str) {
    let _ = writeln!(process.stderr, "{}", line.trim_end());
    let _ = process.stderr.flush();
}
