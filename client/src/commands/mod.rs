//! One module for each command: its request to the daemon, and the display of the result.

pub(crate) mod apply;
mod approvals;
pub(crate) mod approve;
mod call;
mod changes;
mod checkpoint;
mod complete;
mod completions;
mod config;
mod context;
mod doctor;
mod embed;
mod forget;
mod git;
pub(crate) mod history;
mod init;
mod installation;
mod instructions;
mod listen;
mod live;
mod log;
mod man;
mod mcp;
mod overview;
mod parse;
mod record;
mod review;
mod stage;
mod status;
mod stop;
mod trust;
mod undo;
mod unstage;
mod watch;

use clada_protocol::{Method, ReportStyle};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::Process;
use crate::args::{Command, Detail};
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::settings::Settings;

pub(crate) fn run(
    process: &mut Process,
    settings: &Settings,
    command: Option<&Command>,
) -> Result<Status, Failure> {
    // Without a command, the user sees what waits and what to do next.
    let Some(command) = command else { return overview::run(process, settings) };
    match command {
        Command::Apply(args) => apply::run(process, settings, args),
        Command::Review(_) => review::run(process),
        Command::Listen(args) => listen::run(process, settings, args),
        Command::Approve(args) => approve::run(process, settings, args),
        Command::Approvals(args) => approvals::run(process, settings, args),
        Command::Trust(args) => trust::run(process, settings, args),
        Command::Parse(args) => parse::run(process, settings, args),
        Command::Instructions(args) => instructions::run(process, settings, args),
        Command::Context { command } => context::run(process, settings, command),
        Command::Session { command } => context::sessions(process, settings, command),
        Command::Embed(args) => embed::run(process, settings, args),
        Command::Stage(args) => stage::run(process, settings, args),
        Command::Unstage(args) => unstage::run(process, settings, args),
        Command::Init(args) => init::run(process, settings, args),
        Command::Undo(args) => undo::run(process, settings, args, undo::UndoDirection::Undo),
        Command::Redo(args) => undo::run(process, settings, &args.args, undo::UndoDirection::Redo),
        Command::History(args) => history::run(process, settings, args),
        Command::Record(args) => record::run(process, settings, args),
        Command::Checkpoint(args) => checkpoint::run(process, settings, args),
        Command::Git(command) => git::run(process, settings, command),
        Command::Watch => watch::run(process, settings),
        Command::Changes(args) => changes::run(process, settings, args),
        Command::Doctor => doctor::run(process, settings),
        Command::Forget(args) => forget::run(process, settings, args),
        Command::Status => status::run(process, settings),
        Command::Stop => stop::run(process, settings),
        Command::Log(args) => log::run(process, settings, args),
        Command::Config(args) => config::run(process, settings, args),
        Command::Completions { shell } => completions::run(process, *shell),
        Command::Complete { kind } => complete::run(process, settings, *kind),
        Command::Mcp { command } => mcp::run(process, settings, command),
        Command::Man { dir } => man::run(process, dir),
        Command::Installation { command } => installation::run(process, settings, command.as_ref()),
        Command::Call(args) => call::run(process, settings, args),
    }
}

pub(crate) fn requested<P: Serialize>(
    process: &mut Process,
    settings: &Settings,
    method: &str,
    params: &P,
) -> Result<Box<RawValue>, Failure> {
    Connector::new(process, settings)?.call(method, params, OnInterrupt::End)
}

pub(crate) fn fetch<M: Method>(
    process: &mut Process,
    settings: &Settings,
    params: &M::Params,
) -> Result<M::Result, Failure> {
    fetch_over::<M>(process, settings, params, &mut KeptLink::default())
}

/// `link` keeps a private daemon for the next call.
pub(crate) fn fetch_over<M: Method>(
    process: &mut Process,
    settings: &Settings,
    params: &M::Params,
    link: &mut KeptLink,
) -> Result<M::Result, Failure> {
    let result = Connector::new(process, settings)?.keeping(link).call(M::NAME, params, OnInterrupt::End)?;
    typed(M::NAME, &result)
}

pub(crate) fn typed<T: DeserializeOwned>(method: &str, result: &RawValue) -> Result<T, Failure> {
    serde_json::from_str(result.get()).map_err(|error| unreadable(method, &error))
}

fn unreadable(method: &str, error: &serde_json::Error) -> Failure {
    Failure::new(Status::Failed, format!("the daemon's result of {method} cannot be read: {error}"))
        .hint("Its version may differ: see `clada status`. --json prints the result unchanged.")
}

pub(crate) fn style<'a>(settings: &Settings, root: &'a str, detail: Detail) -> ReportStyle<'a> {
    let (verbosity, error_detail) = (settings.verbosity, detail.into());
    ReportStyle { root, verbosity, error_detail, ..ReportStyle::default() }
}

/// `None` lets the daemon decide.
fn some_names(names: &[String]) -> Option<Vec<String>> {
    (!names.is_empty()).then(|| names.to_vec())
}
