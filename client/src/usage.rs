//! Reads the arguments; writes help, versions and usage errors in their place, and returns the exit status then.

use std::mem::ManuallyDrop;

use clap::FromArgMatches;
use clap::error::ErrorKind;

use crate::Process;
use crate::args::{Cli, NAME, When, called, command_named};
use crate::exit::Status;
use crate::output::{print, report};
use crate::settings::colours;

pub(crate) fn parse(process: &mut Process) -> Result<Cli, Status> {
    // Without a terminal nobody looks at the state of the project: a script has forgotten the command.
    let scripted = !process.terminals.stdout;
    let command = command_named(process.args.get(1));
    let command = command.arg_required_else_help(scripted).subcommand_required(scripted);
    // Not freed, as in `command_named`.
    let mut command = ManuallyDrop::new(command);
    let parsed =
        command.try_get_matches_from_mut(&process.args).and_then(|matches| Cli::from_arg_matches(&matches));
    let error = match parsed {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let terminal = if is_help { process.terminals.stdout } else { process.terminals.stderr };
    let text = error.render();
    let text =
        if colours(process, When::Auto, terminal) { text.ansi().to_string() } else { text.to_string() };
    let text = text.replace(NAME, called(process));
    if !is_help {
        process.complain(&text);
        return Err(Status::Usage);
    }
    let printed = print(process, &text);
    Err(printed.map_or_else(|failure| report(process, &failure, false), |()| Status::Ok))
}
