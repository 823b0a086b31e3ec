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

use crate::Process;
use crate::args::Command;
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
