//! `approve`: approves a command for good, revokes that, or lists the approved ones.

use clada_protocol::method::{ApproveAdd, ApproveList, ApproveRemove};
use clada_protocol::{
    Approval, ApproveAddParams, ApproveListParams, ApproveRemoveParams, ApproveResult, Method, is_suspicious,
    visible_line, visible_path,
};

use crate::Process;
use crate::args::ApproveArgs;
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::request::{requested, typed};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &ApproveArgs) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let result = match &args.command {
        None if args.list => requested(process, settings, ApproveList::NAME, &ApproveListParams { root })?,
        None => {
            return Err(Failure::usage("approve needs a command, or --list")
                .hint("clada approve 'npm test' approves it; --list shows what is approved."));
        }
        Some(command) if args.remove => {
            let params = ApproveRemoveParams { root, command: command.clone() };
            requested(process, settings, ApproveRemove::NAME, &params)?
        }
        Some(command) => {
            // The user may have pasted the command: its hidden characters are shown before it is approved.
            if is_suspicious(command) {
                let shown = visible_line(command);
                process.complain(&format!("WARNING: it contains invisible characters: {shown}\n"));
            }
            let (dir, network) = (args.dir.clone(), args.network);
            let env = process.variables();
            let params =
                ApproveAddParams { root, command: command.clone(), dir, network, program: None, env };
            requested(process, settings, ApproveAdd::NAME, &params)?
        }
    };
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let listed: ApproveResult = typed(ApproveList::NAME, &result)?;
        print(process, &shown(&listed))?;
    }
    Ok(Status::Ok)
}

pub(crate) fn remember(process: &mut Process, settings: &Settings, root: &str, approvals: &[Approval]) {
    // The last step: the answer may create the folder of a command.
    for approval in approvals {
        if let Err(failure) = always(process, settings, root, approval) {
            let command = approval.command.as_ref().map_or("", |command| command.command.as_str());
            process.complain(&format!(
                "warning: '{}' is not approved permanently: {}\n",
                visible_line(command),
                visible_line(&failure.message)
            ));
        }
    }
}

fn always(
    process: &mut Process,
    settings: &Settings,
    root: &str,
    approval: &Approval,
) -> Result<(), Failure> {
    let Some(command) = &approval.command else { return Ok(()) };
    let params = ApproveAddParams {
        root: root.to_owned(),
        command: command.command.clone(),
        dir: Some(command.dir.clone()),
        network: command.network,
        program: Some(command.program.clone()),
        ..ApproveAddParams::default()
    };
    requested(process, settings, ApproveAdd::NAME, &params).map(drop)
}

fn shown(listed: &ApproveResult) -> String {
    let mut text = String::new();
    for entry in &listed.commands {
        let state = match (entry.approved, entry.listed) {
            (true, true) if entry.program.is_none() => {
                "approved by a version that did not record the program: clada asks once more"
            }
            (true, true) => "approved",
            (true, false) => {
                "no longer: the project's .clada/allowed-commands.json does not list it any more"
            }
            (false, _) => "only proposed by the project: clada asks before it runs",
        };
        let network = if entry.network { ", with network" } else { "" };
        let dir = entry.dir.as_ref().map(|dir| format!(" in {}", visible_path(dir))).unwrap_or_default();
        let program = entry.program.as_ref().filter(|program| !program.is_empty());
        let program = program.map(|program| format!(", runs {}", visible_path(program))).unwrap_or_default();
        text.push_str(&format!("{}{dir}: {state}{network}{program}\n", visible_line(&entry.command)));
    }
    if text.is_empty() {
        text.push_str("No command is permanently approved in this project.\n");
    }
    if let Some(problem) = &listed.problem {
        text.push_str(&format!("WARNING: {}; clada asks before every command\n", visible_line(problem)));
    }
    text
}
