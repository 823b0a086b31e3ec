//! `context` and `session`: the working set of a session, and the sessions of a project.

use std::path::PathBuf;

use clada_protocol::method::{SessionClose, SessionGet, SessionList, SessionSetCwd};
use clada_protocol::{
    ContextChangeParams, ContextParams, ContextResult, Method, SessionCloseParams, SessionGetParams,
    SessionInfo, SessionListParams, SessionListResult, SessionSetCwdParams, Verbosity, count_of, method,
    visible_line, visible_path,
};
use serde_json::value::RawValue;

use crate::Process;
use crate::args::{ContextCommand, SessionCommand};
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::absolute;
use crate::output::{print, print_json};
use crate::request::{requested, typed};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    command: &ContextCommand,
) -> Result<Status, Failure> {
    let (name, paths): (_, &[PathBuf]) = match command {
        ContextCommand::Add { paths } => (method::ContextAdd::NAME, paths),
        ContextCommand::Remove { paths } => (method::ContextRemove::NAME, paths),
        ContextCommand::List => (method::ContextList::NAME, &[]),
        ContextCommand::Prune => (method::ContextPrune::NAME, &[]),
        ContextCommand::Clear => (method::ContextClear::NAME, &[]),
    };
    let (root, session) = (root::find(process, settings)?, settings.session.clone());
    let named = paths.iter().map(|path| absolute(process, path)).collect::<Result<Vec<_>, _>>()?;
    let mut connector = Connector::new(process, settings)?;
    let raw = if named.is_empty() {
        connector.call(name, &ContextParams { root, session }, OnInterrupt::End)?
    } else {
        connector.call(name, &ContextChangeParams { root, session, paths: named }, OnInterrupt::End)?
    };
    if settings.json {
        print_json(process, raw.get())?;
        return Ok(Status::Ok);
    }
    let result: ContextResult = typed(name, &raw)?;
    // Only `list` has a result to print; the other commands report on standard error.
    match command {
        ContextCommand::List => {
            let line = |entry: &clada_protocol::ContextEntry| match entry.size {
                Some(size) => format!("{} ({size} bytes)\n", visible_path(&entry.path)),
                None => format!("{}\n", visible_path(&entry.path)),
            };
            print(process, &result.context.iter().map(line).collect::<String>())?;
        }
        _ if settings.verbosity > Verbosity::Quiet => {
            let lines = |word: &str, paths: &[String]| -> String {
                paths.iter().map(|path| format!("{word} {}\n", visible_path(path))).collect()
            };
            process.complain(&lines("added", &result.added));
            process.complain(&lines("removed", &result.removed));
            process.complain(&format!(
                "The context of session {} has {}.\n",
                result.session,
                count_of(result.context.len(), "path")
            ));
        }
        _ => {}
    }
    Ok(Status::Ok)
}

pub(super) fn sessions(
    process: &mut Process,
    settings: &Settings,
    command: &SessionCommand,
) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let session = settings.session.clone();
    match command {
        SessionCommand::List => {
            let raw = requested(process, settings, SessionList::NAME, &SessionListParams { root })?;
            if settings.json {
                print_json(process, raw.get())?;
                return Ok(Status::Ok);
            }
            let result: SessionListResult = typed(SessionList::NAME, &raw)?;
            let lines = result.sessions.iter().map(|session| {
                let paths = count_of(session.context.len(), "path");
                format!(
                    "{}  {}  {paths} in its context\n",
                    visible_line(&session.session),
                    visible_path(&session.cwd)
                )
            });
            print(process, &lines.collect::<String>())?;
        }
        SessionCommand::Show { name } => {
            let params = SessionGetParams { root, session: name.clone().or(session) };
            let raw = requested(process, settings, SessionGet::NAME, &params)?;
            show(process, settings, SessionGet::NAME, &raw)?;
        }
        SessionCommand::Cd { dir } => {
            let params = SessionSetCwdParams { root, session, cwd: absolute(process, dir)? };
            let raw = requested(process, settings, SessionSetCwd::NAME, &params)?;
            show(process, settings, SessionSetCwd::NAME, &raw)?;
        }
        SessionCommand::Close { name } => {
            let params = SessionCloseParams { root, session: name.clone() };
            // `--session` names no session that is to be made here.
            let settings = Settings { session: None, ..settings.clone() };
            let raw = requested(process, &settings, SessionClose::NAME, &params)?;
            if settings.json {
                print_json(process, raw.get())?;
            } else if settings.verbosity > Verbosity::Quiet {
                process.complain(&format!("The session {} is closed.\n", visible_line(name)));
            }
        }
    }
    Ok(Status::Ok)
}

fn show(process: &mut Process, settings: &Settings, method: &str, raw: &RawValue) -> Result<(), Failure> {
    if settings.json {
        return print_json(process, raw.get());
    }
    let session: SessionInfo = typed(method, raw)?;
    let mut text = format!("{}  {}\n", visible_line(&session.session), visible_path(&session.cwd));
    text.extend(session.context.iter().map(|path| format!("  {}\n", visible_path(path))));
    print(process, &text)
}
