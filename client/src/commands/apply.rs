//! `apply`: carries out an answer and prints the report.

use std::path::Path;

use clada_protocol::message::NotificationParams;
use clada_protocol::method::{Execute, HistoryList};
use clada_protocol::{
    Approve, CommandOutput, ErrorKind, ExecuteParams, ExecutionResult, HistoryListParams, Method, NO_BLOCKS,
    PlainMode, PlanResult, Proposal, ReportStyle, ShowChanges, Verbosity, execution_for_model,
    execution_text, execution_xml, how_to_approve, shell_word, shown_id, visible_line,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::approve::remember;
use super::live::Live;
use crate::Process;
use crate::args::{Apply, Detail, Format, OutputMode};
use crate::asking::asker::{Asker, cannot_be_done};
use crate::asking::first;
use crate::asking::keys::confirmed;
use crate::asking::planned::{Decision, accepted_as_edited, is_gone, is_same, is_stale, plan, plan_edited};
use crate::clipboard::Clipboard;
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::{pasted, read_answer};
use crate::output::{print, print_json, print_report};
use crate::request::{fetch, some_names, typed};
use crate::root;
use crate::settings::Settings;
use crate::terminal;

const LESSON: &str = "To teach the model to write edits, give it what `clada instructions` prints.";

pub(crate) fn run(process: &mut Process, settings: &Settings, args: &Apply) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let clipboard = Clipboard::of(process);
    if args.copy {
        let advice = clipboard.advice();
        let hint =
            || format!("Nothing was changed. {advice} With `--format llm` clada prints that report instead.");
        clipboard.can_copy().map_err(|failure| failure.hint(hint()))?;
    }
    if args.interactive && !settings.can_ask(process) {
        return Err(Failure::usage("--interactive needs a terminal")
            .hint("--dry-run shows what would change, without asking."));
    }
    let text = match args.resume {
        Some(_) => None,
        None => Some(answer(process, args)?.into()),
    };
    let params = ExecuteParams { text, ..params(process, settings, args, root) };
    decide_and_apply(process, settings, args, params, args.interactive)
}

pub(crate) fn answer(process: &mut Process, args: &Apply) -> Result<String, Failure> {
    if args.paste { pasted(process) } else { read_answer(process, args.file.as_deref()) }
}

/// Plans the answer, asks the user about it, applies what was decided, and prints the report. `each`: about each
/// change, else about what has to be asked; without a terminal about nothing.
///
/// A plan may expire, and files may change, while the user reads. Then the answer is planned again, and the user is
/// asked again unless it is what was shown; a plan that is lost a second time is a failure.
pub(crate) fn decide_and_apply(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    mut params: ExecuteParams,
    each: bool,
) -> Result<Status, Failure> {
    let mut link = KeptLink::default();
    let is_asked = each || !params.dry_run && settings.can_ask(process);
    let planned = is_asked.then(|| plan(process, settings, &params, &mut link));
    let mut shown = match planned {
        Some(Ok(plan)) => plan,
        // Applying it fails as well, or asks for what the call as a whole needs.
        Some(Err(failure)) if each || failure.error.is_none() => return Err(failure),
        Some(Err(_)) | None => {
            let result = execute(process, settings, &params, &mut link);
            return finish(process, settings, args, &params.root, result);
        }
    };
    if each && params.atomic && has_failures(&shown) {
        // Nothing of it can be done: there is nothing to ask. A dry run reports why.
        let params = ExecuteParams { dry_run: true, ..params };
        let result = execute(process, settings, &params, &mut link);
        finish(process, settings, args, &params.root, result)?;
        return Ok(Status::Failed);
    }
    let mut questions = Questions { settings, detail: args.error_detail, each, is_lost: false };
    let mut decision = questions.ask(process, &params, &shown, None)?;
    loop {
        if !decision.edited.is_empty() {
            let next = plan_edited(process, settings, &params, (&shown, &decision), &mut link)?;
            decision = match accepted_as_edited(&next, &shown, &decision, params.approve.as_ref()) {
                Some(accept) => Decision { accept, edited: Vec::new(), ..decision },
                None => questions.ask(process, &params, &next, Some(CHANGED))?,
            };
            shown = next;
            continue;
        }
        if each && decision.accept.is_empty() && decision.has_declined && !has_failures(&shown) {
            return Ok(Status::Ok);
        }
        if decision.accepted > 0 && params.git.is_none() {
            params.git = first::ask_commit_place(process, settings, args, &params.root)?;
        }
        let minutes = shown.expires_in_ms / 60_000;
        let failure = match execute(process, settings, &decision.request(&params, &shown), &mut link) {
            Err(failure) if is_stale(&failure) || is_gone(&failure) && !questions.is_lost => failure,
            result => {
                remember(process, settings, &params.root, &decision.always);
                let result = result.map_err(|failure| expired(failure, minutes));
                let execution = result.as_ref().ok().filter(|_| each);
                let judged = execution.map(|result| typed(Execute::NAME, result)).transpose()?;
                let status = finish(process, settings, args, &params.root, result)?;
                return Ok(judged.map_or(status, |result| judge(&result)));
            }
        };
        if is_stale(&failure) {
            // No earlier approval counts.
            params.approve = params.approve.filter(|approve| !matches!(approve, Approve::Ids(_)));
            shown = plan(process, settings, &params, &mut link)?;
            let why = format!("{}\n", visible_line(&failure.message));
            decision = questions.ask(process, &params, &shown, Some(&why))?;
        } else {
            questions.is_lost = true;
            let next = plan(process, settings, &params, &mut link)?;
            if !is_same(&shown, &next) {
                let is_asked = |plan: &PlanResult| !plan.approvals.is_empty() || !plan.proposals.is_empty();
                let is_told = each || is_asked(&shown) || is_asked(&next);
                decision = questions.ask(process, &params, &next, is_told.then_some(CHANGED))?;
            }
            shown = next;
        }
    }
}

const CHANGED: &str = "Files have changed, and the answer would now do something other than was shown.\n";

fn has_failures(plan: &PlanResult) -> bool {
    !plan.parse_errors.is_empty() || plan.actions.iter().any(cannot_be_done)
}

struct Questions<'a> {
    settings: &'a Settings,
    detail: Detail,
    each: bool,
    is_lost: bool,
}

impl Questions<'_> {
    fn ask(
        &self,
        process: &mut Process,
        params: &ExecuteParams,
        plan: &PlanResult,
        why: Option<&str>,
    ) -> Result<Decision, Failure> {
        let Questions { settings, detail, each, .. } = *self;
        let asker = Asker { process, settings, params, detail, each };
        let answer = why.map_or(Ok(()), |why| asker.show(why)).and_then(|()| asker.ask(plan));
        let decision = answer.map_err(|error| terminal::lost(&error))?;
        let decision =
            decision.ok_or_else(|| Failure::new(Status::Failed, "you cancelled: nothing was applied"))?;
        if each && decision.accepted == 0 && decision.has_declined && settings.verbosity > Verbosity::Quiet {
            process.complain("You accepted nothing, so nothing was changed.\n");
        }
        Ok(decision)
    }
}

fn expired(failure: Failure, minutes: u64) -> Failure {
    if !is_gone(&failure) {
        return failure;
    }
    failure.hint(format!(
        "Nothing was applied. A plan expires after {minutes} minutes or when the daemon stops: run the \
         command again."
    ))
}

pub(crate) fn params(process: &Process, settings: &Settings, args: &Apply, root: String) -> ExecuteParams {
    ExecuteParams {
        root,
        session: settings.session.clone(),
        dialects: some_names(&args.dialect),
        match_level: args.match_level.map(Into::into),
        atomic: args.atomic,
        plain: args.plain.then_some(PlainMode::Apply),
        to: args.to.as_deref().map(|path| absolute(process, path)),
        resume: args.resume.clone(),
        dry_run: args.dry_run,
        approve: args.approval.param(),
        total_timeout_ms: args.total_timeout,
        again: args.again,
        no_undo: args.no_undo,
        literal: args.literal,
        allow_escape: args.allow_escape,
        include_secrets: args.include_secrets,
        // The daemon runs under its own umask and environment: files and commands get those of the user who
        // asks.
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

fn streams(settings: &Settings, args: &Apply) -> bool {
    args.output_mode == OutputMode::Stream
        && !args.dry_run
        && !settings.json
        && args.format == Format::Text
        && settings.verbosity > Verbosity::Quiet
}

fn absolute(process: &Process, path: &Path) -> String {
    let path = process.cwd.as_ref().map_or_else(|| path.to_path_buf(), |cwd| cwd.join(path));
    path.to_string_lossy().into_owned()
}

pub(crate) fn execute(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    link: &mut KeptLink,
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
        Connector::new(process, settings)?.keeping(link).listening(&mut listener).call(
            Execute::NAME,
            params,
            OnInterrupt::Cancel,
        )
    };
    match call(process, params) {
        Err(failure) if failure.is_lost && !params.dry_run => Err(lost(process, settings, params, failure)),
        Err(failure) if is_approval(&failure) => {
            let approve = Some(ask(process, settings, failure, params.approve.as_ref())?);
            call(process, &ExecuteParams { approve, ..params.clone() })
        }
        outcome => outcome,
    }
}

pub(crate) fn lost(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    failure: Failure,
) -> Failure {
    let list_params = HistoryListParams { root: params.root.clone(), limit: Some(1) };
    let listed = fetch::<HistoryList>(process, settings, &list_params);
    let warnings = listed.map(|listed| listed.warnings.join("\n")).unwrap_or_default();
    let hint = if warnings.is_empty() {
        "`clada history` shows what was applied. Run the command again for the rest: it skips edits already in \
         place."
    } else {
        &warnings
    };
    failure.hint(hint)
}

pub(crate) fn finish(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    result: Result<Box<RawValue>, Failure>,
) -> Result<Status, Failure> {
    match result {
        Ok(result) => {
            let status = show(process, settings, args, root, &result)?;
            copy(process, settings, args, root, &result)?;
            Ok(status)
        }
        Err(failure) => Err(show_stopped(process, settings, args, root, failure)),
    }
}

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
        if args.output_mode == OutputMode::Silent { CommandOutput::Omitted } else { CommandOutput::Shown };
    let style = settings.style(root, args.error_detail);
    let style = ReportStyle { how_to_approve: &how_to_approve, commands, ..style };
    let report = execution_for_model(&result, &style, process.random());
    let copied = Clipboard::of(process).copy(process, &report);
    let copied = copied.map_err(|failure| failure.hint("The reported changes are applied."))?;
    if settings.verbosity > Verbosity::Quiet {
        process.complain(&format!("{}\n", copied.sentence("The report for the model")));
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultOutcome {
    success: bool,
    total_blocks: usize,
    #[serde(default)]
    already: Vec<String>,
}

fn show(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    result: &RawValue,
) -> Result<Status, Failure> {
    let outcome: ResultOutcome = typed(Execute::NAME, result)?;
    let has_nothing = outcome.total_blocks == 0 && outcome.already.is_empty() && outcome.success;
    if settings.json || args.format == Format::Json {
        print_json(process, result.get())?;
    } else {
        let result: ExecutionResult = typed(Execute::NAME, result)?;
        match (args.format, has_nothing) {
            (Format::Text | Format::Auto, true) => {
                // The warnings give the reason: blocks in a pasted report, say.
                for warning in result.warnings.iter().filter(|_| settings.verbosity > Verbosity::Quiet) {
                    process.complain(&format!("WARNING: {}\n", visible_line(&warning.message)));
                }
            }
            _ => print_shown(process, settings, args, root, &result)?,
        }
    }
    if has_nothing && settings.verbosity > Verbosity::Quiet {
        process.complain(&format!("{NO_BLOCKS}\n{LESSON}\n"));
    }
    Ok(if outcome.success { Status::Ok } else { Status::Failed })
}

fn is_cml(result: &ExecutionResult) -> bool {
    !result.blocks.is_empty() && result.blocks.iter().all(|block| block.dialect == "cml")
}

fn print_shown(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
    result: &ExecutionResult,
) -> Result<(), Failure> {
    let operation = shown_id(&result.short_ids, &result.operation_id);
    let how_to_approve = how_to_approve((!args.dry_run).then_some(operation));
    let commands = match args.output_mode {
        OutputMode::Stream if streams(settings, args) => CommandOutput::Omitted,
        OutputMode::Stream | OutputMode::Buffer => CommandOutput::Shown,
        OutputMode::Silent => CommandOutput::Omitted,
    };
    let style = settings.style(root, args.error_detail);
    // The user at this terminal has seen them with the questions.
    let seen_problems = args.interactive && process.terminals.stdout;
    let again = again_with_plain(args, &result.proposals);
    let how_to_plain = Some(again.as_str());
    let style =
        ReportStyle { how_to_approve: &how_to_approve, how_to_plain, commands, seen_problems, ..style };
    match args.format {
        Format::Xml => print(process, &execution_xml(result, &style)),
        Format::Auto if is_cml(result) => print(process, &execution_xml(result, &style)),
        Format::Llm => print(process, &execution_for_model(result, &style, process.random())),
        Format::Text | Format::Auto | Format::Json => {
            print_report(process, settings, execution_text(result, &style))
        }
    }
}

/// Returns the call that applies what is sure of `remaining`, or how to get there.
fn again_with_plain(args: &Apply, remaining: &[Proposal]) -> String {
    let mut flags = String::new();
    if let Some(path) = &args.to {
        flags.push_str(&format!(" --to {}", shell_word(&path.to_string_lossy())));
    }
    if args.atomic {
        flags.push_str(" --atomic");
    }
    // `--plain` accepts a change, and approves none.
    let mut approvals: Vec<&String> = remaining
        .iter()
        .filter(|proposal| proposal.sure && !proposal.declined)
        .filter_map(|proposal| proposal.needs_approval.as_ref())
        .collect();
    approvals.sort_unstable();
    approvals.dedup();
    for id in approvals {
        flags.push_str(&format!(" --approve {id}"));
    }
    let source = match (&args.resume, &args.file) {
        (Some(operation), _) => format!(" --resume {operation}"),
        (None, Some(file)) if file.as_os_str() != "-" => format!(" {}", shell_word(&file.to_string_lossy())),
        _ if args.paste => " --paste".to_owned(),
        _ => {
            return format!("Apply with `--plain`: save the answer, then `clada apply --plain{flags} FILE`.");
        }
    };
    let has_others = remaining.iter().any(|proposal| !proposal.sure && !proposal.declined);
    let rest = if has_others { " For the others run it at a terminal, without --plain." } else { "" };
    format!("Apply with `clada apply --plain{flags}{source}`.{rest}")
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

// Returns the exit status: a declined action is not a failure; any other one that was not done is.
pub(crate) fn judge(result: &ExecutionResult) -> Status {
    let stands = |kind: Option<ErrorKind>| kind == Some(ErrorKind::AnswerAlreadyApplied);
    let mut results = result.results.iter();
    let done = results.all(|action| action.success || stands(action.kind) || action.declined);
    let is_open = !result.not_read.is_empty() || result.proposals.iter().any(|proposal| !proposal.declined);
    if done && !is_open && result.parse_errors.is_empty() && result.fatal_error.is_none() {
        Status::Ok
    } else {
        Status::Failed
    }
}

fn is_approval(failure: &Failure) -> bool {
    failure.error.as_ref().and_then(|error| error.kind()) == Some(ErrorKind::ApprovalRequired)
}

fn ask(
    process: &Process,
    settings: &Settings,
    mut failure: Failure,
    approved: Option<&Approve>,
) -> Result<Approve, Failure> {
    let mut ids = failure.error.as_ref().map(|error| approval_ids(&error.data)).unwrap_or_default();
    let scope = if ids.is_empty() { " This approves everything else in this answer too." } else { "" };
    let question = format!("{}.{scope} Go on?", visible_line(&failure.message));
    match confirmed(process, settings, &question) {
        Some(true) => {
            if ids.is_empty() {
                return Ok(Approve::All);
            }
            if let Some(Approve::Ids(listed)) = approved {
                ids.extend_from_slice(listed);
            }
            Ok(Approve::Ids(ids))
        }
        Some(false) => Err(Failure::new(Status::Failed, "not approved: nothing was applied")),
        None => {
            let ids: Vec<String> = ids.iter().map(|id| format!(" --approve {}", visible_line(id))).collect();
            let one = if ids.is_empty() { String::new() } else { format!(", or with{}", ids.concat()) };
            failure.hint = Some(format!("To approve it, run the command again with --approve-all{one}."));
            Err(failure)
        }
    }
}

pub(crate) fn approval_ids(data: &serde_json::Map<String, Value>) -> Vec<String> {
    let approvals = data.get("approvals").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    approvals.iter().filter_map(|approval| Some(approval.get("id")?.as_str()?.to_owned())).collect()
}
