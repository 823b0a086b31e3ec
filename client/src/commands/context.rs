//! `context` and `session`: the working set of a session, and the sessions of a project.

use std::path::PathBuf;

use clada_protocol::{
    ContextChangeParams, ContextParams, ContextResult, Method, SessionListParams, SessionListResult,
    Verbosity, method, visible_path,
};

use super::typed;
use crate::Process;
use crate::args::{ContextCommand, SessionCommand};
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::absolute;
use crate::output::{print, print_json};
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
                "The context of session {} has {} paths.\n",
                result.session,
                result.context.len()
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
    let SessionCommand::List = command;
    let name = method::SessionList::NAME;
    let params = SessionListParams { root: root::find(process, settings)? };
    let raw = Connector::new(process, settings)?.call(name, &params, OnInterrupt::End)?;
    if settings.json {
        print_json(process, raw.get())?;
        return Ok(Status::Ok);
    }
    let result: SessionListResult = typed(name, &raw)?;
    let lines = result.sessions.iter().map(|session| {
        let paths = session.context.len();
        format!("{}  {}  {paths} in its context\n", session.session, visible_path(&session.cwd))
    });
    print(process, &lines.collect::<String>())?;
    Ok(Status::Ok)
}
