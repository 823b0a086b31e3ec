//! `apply`: carries out an answer and prints the report.

use std::collections::BTreeMap;
use std::path::Path;

use clada_protocol::message::NotificationParams;
use clada_protocol::method::{Execute, HistoryList};
use clada_protocol::{
    ActionStatus, Approve, CommandOutput, ErrorKind, ExecuteParams, ExecutionResult, HistoryListParams,
    HistoryListResult, Method, NO_BLOCKS, ReportStyle, ShowChanges, Verbosity, execution_for_model,
    execution_text, execution_xml, how_to_approve, shown_id, visible_line,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::consent::Asked;
use super::live::Live;
use super::planned::is_gone;
use super::{consent, first, interactive, listings, requested, some_names, style, typed};
use crate::Process;
use crate::args::{Apply, Format, OutputMode};
use crate::clipboard::Clipboard;
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::{pasted, read_answer};
use crate::output::{print, print_json, print_report};
use crate::root;
use crate::settings::Settings;

/// The note under [`NO_BLOCKS`]: what to do if there should have been some.
const LESSON: &str = "`clada instructions` prints what teaches the model to write them.";
/// The most plans of one answer that are tried before the text is sent to be carried out as it is.
const PLANS: usize = 2;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Apply) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let clipboard = Clipboard::of(process);
    if args.copy {
        clipboard.can_copy()?;
    }
    if args.interactive {
        return interactive::run(process, settings, args, root);
    }
    let text = match args.resume {
        Some(_) => None,
        None => Some(answer(process, args)?),
    };
    let params = ExecuteParams { text: text.map(Into::into), ..params(process, settings, args, root) };
    let mut kept = KeptLink::default();
    let (result, asked) = carry_out(process, settings, args, &params, &mut kept)?;
    let said = asked.said;
    consent::remember(process, settings, &params.root, &said.always);
    if let (Some(text), Ok(result)) = (&params.text, &result)
        && listings::are_all(args, result)
    {
        let params = ExecuteParams { dialects: Some(vec![listings::DIALECT.to_owned()]), ..params.clone() };
        if listings::wants_preview(process, settings, args, &params, text)? {
            return interactive::review(process, settings, args, params, text);
        }
    }
    // A model gets the pending approval either way.
    let declined = if args.format == Format::Llm { Vec::new() } else { said.declined };
    finish(process, settings, args, &params.root, result, &declined)
}

/// Returns the answer: from the clipboard, a file or standard input.
pub(super) fn answer(process: &mut Process, args: &Apply) -> Result<String, Failure> {
    if args.paste { pasted(process) } else { read_answer(process, args.file.as_deref()) }
}

/// Asks for the approvals that the request needs and carries it out. Returns also what was asked.
///
/// What was planned for the questions is carried out by its plan. A plan that is gone is made again.
fn carry_out(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    kept: &mut KeptLink,
) -> Result<(Result<Box<RawValue>, Failure>, Asked), Failure> {
    let mut asked = consent::asked(process, settings, args, params.clone(), kept)?;
    if asked.may_change()
        && let Some(place) = first::asked(process, settings, args, &params.root)?
    {
        asked.set_git(place);
    }
    for _ in 0..PLANS {
        match execute(process, settings, &asked.request(kept), kept) {
            Err(failure) if is_gone(&failure) => asked = asked.again(process, settings, args, kept)?,
            result => return Ok((result, asked)),
        }
    }
    // Plans do not stay in this daemon.
    let result = execute(process, settings, &asked.as_text(), kept);
    Ok((result, asked))
}

/// Returns `result` without the approvals in `declined`, which the user has answered already: their actions are
/// said to be left out by the user. Everything else stays as it was sent, also what this program does not know.
fn without_declined(result: Box<RawValue>, declined: &[String]) -> Box<RawValue> {
    if declined.is_empty() {
        return result;
    }
    let Ok(mut remaining) = serde_json::from_str::<Value>(result.get()) else { return result };
    let Some(members) = remaining.as_object_mut() else { return result };
    let Some(approvals) = members.get_mut("approvals").and_then(Value::as_array_mut) else { return result };
    let is_declined = |approval: &Value| {
        approval.get("id").and_then(Value::as_str).is_some_and(|id| declined.iter().any(|own| own == id))
    };
    let (gone, left): (Vec<Value>, Vec<Value>) = std::mem::take(approvals).into_iter().partition(is_declined);
    let tasks: Vec<Value> = gone.iter().filter_map(|approval| approval.get("task").cloned()).collect();
    *approvals = left;
    let approvals_left = !approvals.is_empty();
    if let Some(results) = members.get_mut("results").and_then(Value::as_array_mut) {
        let waits = |result: &&mut Value| {
            let kind = result.get("kind").and_then(Value::as_str);
            let of_approval =
                [ErrorKind::ApprovalRequired, ErrorKind::CommandNotAllowed].map(ErrorKind::name);
            kind.is_some_and(|kind| of_approval.contains(&kind))
                && result.get("task").is_some_and(|task| tasks.contains(task))
        };
        for result in results.iter_mut().filter(waits).filter_map(Value::as_object_mut) {
            result.insert("error".to_owned(), Value::from("left out by you"));
            result.insert("status".to_owned(), Value::from(ActionStatus::Skip.word()));
            result.shift_remove("hint");
        }
    }
    if !approvals_left {
        members.shift_remove("approvals");
    }
    serde_json::value::to_raw_value(&remaining).unwrap_or(result)
}

/// Returns the parameters that the flags give, without the answer.
pub(super) fn params(process: &Process, settings: &Settings, args: &Apply, root: String) -> ExecuteParams {
    ExecuteParams {
        root,
        session: settings.session.clone(),
        dialects: some_names(&args.dialect),
        match_level: args.match_level.map(Into::into),
        atomic: args.atomic,
        resume: args.resume.clone(),
        dry_run: args.dry_run,
        approve: args.approval.param(),
        total_timeout_ms: args.total_timeout,
        again: args.again,
        no_undo: args.no_undo,
        literal: args.literal,
        allow_escape: args.allow_escape,
        include_secrets: args.include_secrets,
        umask: Some(process.umask()),
        env: process.variables(),
        timeout_ms: args.timeout,
        max_output: args.max_output,
        stream: streams(settings, args),
        show: (settings.verbosity == Verbosity::Verbose).then_some(ShowChanges::Diff),
        git: args.commits.place(),
        git_author: args.commits.git_author.clone(),
        lock_file: args.lock_file.as_deref().map(|path| absolute(process, path)),
        lock_timeout_ms: args.lock_timeout,
        ..ExecuteParams::default()
    }
}

/// Returns whether the output of commands is shown while they run.
fn streams(settings: &Settings, args: &Apply) -> bool {
    args.output_mode == OutputMode::Stream
        && !args.dry_run
        && !settings.json
        && args.format == Format::Text
        && settings.verbosity > Verbosity::Quiet
}

/// Returns the path, relative to the working directory, as an absolute one.
fn absolute(process: &Process, path: &Path) -> String {
    let path = process.cwd.as_ref().map_or_else(|| path.to_path_buf(), |cwd| cwd.join(path));
    path.to_string_lossy().into_owned()
}

/// Carries it out, and asks the user if the call as a whole needs approval.
pub(super) fn execute(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    kept: &mut KeptLink,
) -> Result<Box<RawValue>, Failure> {
    // A line about a command that runs needs to know that it does.
    let shows_output = params.stream;
    let shows_commands = settings.verbosity > Verbosity::Quiet && process.wants_progress();
    let stream = shows_output || (shows_commands && !params.dry_run);
    let params = &ExecuteParams { stream, ..params.clone() };
    let mut call = |process: &mut Process, params: &ExecuteParams| {
        let mut live = Live::new(shows_output);
        let mut listener = |process: &mut Process, method: &str, params: Option<&NotificationParams>| {
            live.show(process, method, params);
            Ok(())
        };
        Connector::new(process, settings)?.keeping(kept).listening(&mut listener).call(
            Execute::NAME,
            params,
            OnInterrupt::Cancel,
        )
    };
    match call(process, params) {
        Err(failure) if failure.is_lost && !params.dry_run => Err(lost(process, settings, params, failure)),
        Err(failure) if is_approval(&failure) => {
            let approve = Some(ask(process, failure, params.approve.as_ref())?);
            call(process, &ExecuteParams { approve, ..params.clone() })
        }
        outcome => outcome,
    }
}

/// Returns the failure of a daemon that went away half-way, with the next daemon's findings about it.
fn lost(process: &mut Process, settings: &Settings, params: &ExecuteParams, failure: Failure) -> Failure {
    let asked = HistoryListParams { root: params.root.clone(), limit: Some(1) };
    let listed = requested(process, settings, HistoryList::NAME, &asked);
    let listed = listed.and_then(|result| typed::<HistoryListResult>(HistoryList::NAME, &result));
    let warnings = listed.map(|listed| listed.warnings.join("\n")).unwrap_or_default();
    let hint = if warnings.is_empty() {
        "What was done of it, if anything, is in `clada history`. Run the command again for the rest: what \
         still holds of it is left out."
    } else {
        &warnings
    };
    failure.hint(hint)
}

/// Prints the report, also of a request that was stopped half-way, without the approvals in `declined`. Copies
/// the model's report, if that is asked for.
pub(super) fn finish(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    result: Result<Box<RawValue>, Failure>,
    declined: &[String],
) -> Result<Status, Failure> {
    match result {
        Ok(result) => {
            let shown = without_declined(result.clone(), declined);
            let status = show(process, settings, args, root, &shown)?;
            copy(process, settings, args, root, &result)?;
            Ok(status)
        }
        Err(failure) => Err(show_stopped(process, settings, args, root, failure)),
    }
}

/// Puts the model's report into the clipboard, if that is asked for and there is anything to report.
fn copy(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    result: &RawValue,
) -> Result<(), Failure> {
    if !args.copy {
        return Ok(());
    }
    let result: ExecutionResult = typed(Execute::NAME, result)?;
    if result.total_blocks == 0 && result.success {
        return Ok(());
    }
    let operation = shown_id(&result.short_ids, &result.operation_id);
    let how_to_approve = how_to_approve((!args.dry_run).then_some(operation));
    let commands =
        if args.output_mode == OutputMode::Silent { CommandOutput::Left } else { CommandOutput::Shown };
    let style = style(settings, root, args.error_detail);
    let style = ReportStyle { how_to_approve: &how_to_approve, commands, ..style };
    let report = execution_for_model(&result, &style, process.random());
    let copied = Clipboard::of(process).copy(process, &report);
    let copied = copied.map_err(|failure| failure.hint("What was carried out stands, as it is reported."))?;
    if settings.verbosity > Verbosity::Quiet {
        process.complain(&format!("{}\n", copied.sentence("The report for the model")));
    }
    Ok(())
}

/// The parts of a result that decide the exit status and the notes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    success: bool,
    total_blocks: usize,
    #[serde(default)]
    operation_id: String,
    #[serde(default)]
    short_ids: BTreeMap<String, String>,
    #[serde(default)]
    blocks: Vec<Block>,
}

/// The dialect of a block.
#[derive(Deserialize)]
struct Block {
    dialect: String,
}

impl Outcome {
    /// Returns whether the answer is in CML and nothing else.
    fn is_cml(&self) -> bool {
        !self.blocks.is_empty() && self.blocks.iter().all(|block| block.dialect == "cml")
    }
}

fn show(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    result: &RawValue,
) -> Result<Status, Failure> {
    let outcome: Outcome = typed(Execute::NAME, result)?;
    let operation = shown_id(&outcome.short_ids, &outcome.operation_id);
    let how_to_approve = how_to_approve((!args.dry_run).then_some(operation));
    let commands = match args.output_mode {
        OutputMode::Stream if streams(settings, args) => CommandOutput::Left,
        OutputMode::Stream | OutputMode::Buffer => CommandOutput::Shown,
        OutputMode::Silent => CommandOutput::Left,
    };
    let style = style(settings, root, args.error_detail);
    // The user at this terminal has seen them with the questions.
    let seen_problems = args.interactive && process.terminals.stdout;
    let style = ReportStyle { how_to_approve: &how_to_approve, commands, seen_problems, ..style };
    let format = match args.format {
        _ if settings.json => Format::Json,
        Format::Auto if outcome.is_cml() => Format::Xml,
        Format::Auto => Format::Text,
        format => format,
    };
    match format {
        Format::Json => print_json(process, result.get())?,
        Format::Xml => {
            let result: ExecutionResult = typed(Execute::NAME, result)?;
            print(process, &execution_xml(&result, &style))?;
        }
        Format::Text | Format::Auto => {
            let result: ExecutionResult = typed(Execute::NAME, result)?;
            if outcome.total_blocks > 0 || !outcome.success {
                let report = execution_text(&result, &style);
                print_report(process, settings, report)?;
            } else if settings.verbosity > Verbosity::Quiet {
                // The warnings give the reason: blocks in a pasted report, say.
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
        process.complain(&format!("{NO_BLOCKS}\n{LESSON}\n"));
    }
    Ok(if outcome.success { Status::Ok } else { Status::Failed })
}

/// Prints the report of a request that was stopped between two actions: the error carries it as
/// `data.result`.
fn show_stopped(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    failure: Failure,
) -> Failure {
    let report = failure.error.as_ref().and_then(|error| error.data.get("result"));
    let report = report.and_then(|report| serde_json::value::to_raw_value(report).ok());
    let shown = report.map(|report| {
        show(process, settings, args, root, &report)
            .and_then(|_| copy(process, settings, args, root, &report))
    });
    match shown {
        Some(Err(failure)) => failure,
        Some(Ok(_)) | None => failure,
    }
}

fn is_approval(failure: &Failure) -> bool {
    failure.error.as_ref().and_then(|error| error.kind()) == Some(ErrorKind::ApprovalRequired)
}

/// Asks the user for the approval that the whole call needs, in addition to `given`.
fn ask(process: &mut Process, mut failure: Failure, given: Option<&Approve>) -> Result<Approve, Failure> {
    let mut ids = failure.error.as_ref().map(|error| approval_ids(&error.data)).unwrap_or_default();
    let scope = if ids.is_empty() { " This approves everything else in this answer too." } else { "" };
    let question = format!("{}.{scope} Go on? [y/N] ", visible_line(&failure.message));
    match process.ask(&question) {
        Some(answer) if matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes") => {
            if ids.is_empty() {
                return Ok(Approve::All);
            }
            if let Some(Approve::Ids(given)) = given {
                ids.extend_from_slice(given);
            }
            Ok(Approve::Ids(ids))
        }
        Some(_) => Err(Failure::new(Status::Failed, "not approved: nothing was carried out")),
        None => {
            let ids: Vec<String> = ids.iter().map(|id| format!(" --approve {}", visible_line(id))).collect();
            let one = if ids.is_empty() { String::new() } else { format!(", or with{}", ids.concat()) };
            failure.hint = Some(format!("To approve it, run the command again with --approve-all{one}."));
            Err(failure)
        }
    }
}

/// Returns the ids in `data.approvals`, a list of approvals.
fn approval_ids(data: &serde_json::Map<String, Value>) -> Vec<String> {
    let approvals = data.get("approvals").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    approvals.iter().filter_map(|approval| Some(approval.get("id")?.as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_user_declined_is_left_out_by_the_user() {
        let action =
            |task: &str, kind: &str| json!({ "task": task, "status": "ERROR", "kind": kind, "hint": "h" });
        let result = json!({
            "approvals": [{ "id": "x", "task": "1" }, { "id": "y", "task": "2" }, { "id": "z", "task": "3" }],
            "results": [
                action("1", "approval_required"), action("2", "command_not_allowed"),
                action("3", "command_not_allowed"), action("4", "file_not_found"),
            ],
        });
        let result = serde_json::value::to_raw_value(&result).unwrap();
        let shown = without_declined(result, &["x".to_owned(), "y".to_owned()]);
        let shown: Value = serde_json::from_str(shown.get()).unwrap();
        let statuses: Vec<_> =
            shown["results"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
        assert_eq!(statuses, ["SKIP", "SKIP", "ERROR", "ERROR"]);
        assert_eq!(shown["results"][1]["error"], "left out by you");
        assert_eq!(shown["approvals"], json!([{ "id": "z", "task": "3" }]));
    }
}
