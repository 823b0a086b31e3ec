//! `apply`: carries out an answer and prints the report.

use clada_protocol::method::Execute;
use clada_protocol::{
    Approve, ErrorKind, ExecuteParams, ExecutionResult, Method, Verbosity, execution_for_model,
    execution_text, visible_line,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{some_names, style, typed};
use crate::Process;
use crate::args::{Apply, Format};
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::read_answer;
use crate::output::{print, print_line};
use crate::paint::paint;
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Apply) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let text = read_answer(process, args.file.as_deref())?;
    let mut params = ExecuteParams {
        text: Some(text),
        root,
        session: settings.session.clone(),
        dialects: some_names(&args.dialect),
        dry_run: args.dry_run,
        approve: args.approve_all.then_some(Approve::All),
        total_timeout_ms: args.total_timeout,
        allow_escape: args.allow_escape,
        include_secrets: args.include_secrets,
        umask: Some(process.umask()),
        ..ExecuteParams::default()
    };
    let result = match execute(process, settings, &params) {
        Err(failure) if is_approval(&failure) => {
            params.approve = Some(ask(process, failure)?);
            execute(process, settings, &params)
        }
        outcome => outcome,
    };
    match result {
        Ok(result) => show(process, settings, args, &params.root, &result),
        Err(failure) => Err(show_stopped(process, settings, args, &params.root, failure)),
    }
}

fn execute(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
) -> Result<Box<RawValue>, Failure> {
    Connector::new(process, settings)?.call(Execute::NAME, params, OnInterrupt::Cancel)
}

/// What the exit status and the notes depend on.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    success: bool,
    total_blocks: usize,
}

fn show(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    result: &RawValue,
) -> Result<Status, Failure> {
    let outcome: Outcome = typed(Execute::NAME, result)?;
    let style = style(settings, root, args.error_detail);
    let format = if settings.json { Format::Json } else { args.format };
    match format {
        Format::Json => print_line(process, result.get())?,
        Format::Text => {
            let result: ExecutionResult = typed(Execute::NAME, result)?;
            if outcome.total_blocks > 0 || !outcome.success {
                let report = execution_text(&result, &style);
                print(process, &if settings.colours { paint(&report) } else { report })?;
            } else if settings.verbosity > Verbosity::Quiet {
                // Why there are none: blocks in a pasted report, say.
                for warning in &result.warnings {
                    process.complain(&format!("WARNING: {}\n", visible_line(&warning.message)));
                }
            }
        }
        Format::Llm => {
            let result: ExecutionResult = typed(Execute::NAME, result)?;
            let report = execution_for_model(&result, &style, process.random());
            print(process, &report)?;
        }
    }
    if outcome.total_blocks == 0 && outcome.success && settings.verbosity > Verbosity::Quiet {
        process.complain("The answer holds no blocks: there is nothing to carry out.\n");
    }
    Ok(if outcome.success { Status::Ok } else { Status::Failed })
}

/// A request that was stopped between two actions carries the report of what was done until then, as
/// `data.result`: it is printed.
fn show_stopped(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    failure: Failure,
) -> Failure {
    let report = failure.error.as_ref().and_then(|error| error.data.get("result"));
    let report = report.and_then(|report| serde_json::value::to_raw_value(report).ok());
    match report.map(|report| show(process, settings, args, root, &report)) {
        Some(Err(failure)) => failure,
        Some(Ok(_)) | None => failure,
    }
}

fn is_approval(failure: &Failure) -> bool {
    failure.error.as_ref().and_then(|error| error.kind()) == Some(ErrorKind::ApprovalRequired)
}

/// Asks the person for the approval that the whole call needs.
fn ask(process: &mut Process, mut failure: Failure) -> Result<Approve, Failure> {
    let ids = failure.error.as_ref().map(|error| approval_ids(&error.data)).unwrap_or_default();
    let scope = if ids.is_empty() { " This approves everything else in this answer too." } else { "" };
    let question = format!("{}.{scope} Go on? [y/N] ", visible_line(&failure.message));
    match process.ask(&question) {
        Some(answer) if matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes") => {
            Ok(if ids.is_empty() { Approve::All } else { Approve::Ids(ids) })
        }
        Some(_) => Err(Failure::new(Status::Failed, "not approved: nothing was carried out")),
        None => {
            failure.hint = Some("To approve it, run the command again with --approve-all.".to_owned());
            Err(failure)
        }
    }
}

/// The ids in `data.approvals`, a list of approvals.
fn approval_ids(data: &serde_json::Map<String, Value>) -> Vec<String> {
    let approvals = data.get("approvals").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    approvals.iter().filter_map(|approval| Some(approval.get("id")?.as_str()?.to_owned())).collect()
}
