//! The report of `execute` made to be pasted back to a model.
//!
//! It is between `clada-report NONCE` and `end NONCE`, a region that no dialect looks into (spec: safety,
//! "Text that is not ours"), so that pasting it back into `execute` runs nothing of what it quotes. It speaks
//! to the author of the answer: in the words of the dialect, with no command or flag that only a user can
//! use, and ends with what to send again (spec: answers, section 6).

use std::collections::BTreeSet;

use super::details::{output, partial_failures};
use super::execution::{action_line, line_of_part, parameters, warnings};
use super::issues::{not_read, parse_issue};
use super::page::{Page, ReportPaths};
use super::proposals::proposals_for_model;
use super::words::{can_read_files, in_words_of, message_in_words_of, operation};
use super::{ErrorDetail, ReportStyle, Unapproved, Verbosity, count_of};
use crate::{
    ActionData, ActionResult, ActionStatus, Approval, ApprovalKind, CommandApproval, ErrorKind,
    ExecutionResult, NOT_ACCEPTED, OperationWarning, ParseIssue, visible_line,
};

/// Returns the report of `result` for a model: the lines of [`super::execution_text`], what read-only actions
/// read, the hints of what failed, what waits for a user, and what to send again; between fences made of
/// `nonce`, 16 hexadecimal digits from the caller's randomness. A nonce that occurs in the report is replaced
/// by the next one that does not.
#[must_use]
pub fn execution_for_model(result: &ExecutionResult, style: &ReportStyle<'_>, nonce: u64) -> String {
    fenced_report(&body(result, style), nonce)
}

pub(super) fn fenced_report(body: &str, nonce: u64) -> String {
    let nonce = (0..=u64::MAX)
        .map(|step| format!("{:016x}", nonce.wrapping_add(step)))
        .find(|nonce| !body.contains(nonce.as_str()))
        .unwrap_or_default();
    format!("clada-report {nonce}\n{body}end {nonce}\n")
}

fn body(result: &ExecutionResult, style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let sorted = Sorted::new(result);
    let mut page = Page::default();
    for action in &result.results {
        let dialect = dialect(result, action);
        if sorted.waits(action) {
            let name = operation(dialect, action);
            page.line(match style.unapproved {
                Unapproved::Declined => format!("[task-{}] DECLINED: {name} - by the user", action.task),
                _ => format!("[task-{}] WAITING: {name} - for the user", action.task),
            });
        } else if style.verbosity > Verbosity::Quiet || !action.success {
            let line = action_line(action, &operation(dialect, action), style, paths);
            let status = format!("[task-{}] ERROR:", action.task);
            // A model would send a failed task again, so one whose text is there already is named otherwise.
            let line = match line.strip_prefix(&status).filter(|_| is_there(action)) {
                Some(rest) => format!("[task-{}] NOT NEEDED:{rest}", action.task),
                None => line,
            };
            page.line(message_in_words_of(dialect, line));
            line_of_part(&mut page, action);
        }
    }
    for action in &result.results {
        if let Some(text) = output(action, paths) {
            page.gap();
            page.line(format_args!("{}:", heading(result, action)));
            page.fenced(&text);
        }
    }
    if let Some(dry_run) = &result.dry_run {
        page.gap();
        page.line("What would change:");
        page.fenced(&dry_run.diff);
    }
    for action in result.results.iter().filter(|action| !action.success && !sorted.waits(action)) {
        failure(&mut page, result, action, style);
    }
    issues(&mut page, result, style);
    if let Some(fatal) = &result.fatal_error {
        page.line(format_args!("FATAL: {}", paths.in_message(fatal)));
    }
    if style.verbosity > Verbosity::Quiet {
        let for_model: Vec<OperationWarning> = result.warnings.iter().map(without_calls).collect();
        warnings(&mut page, &for_model, style, paths);
        if !result.external_changes.is_empty() {
            let changed: Vec<_> = result.external_changes.iter().map(|path| paths.show(path)).collect();
            page.line(format_args!("Changed by another program meanwhile: {}", changed.join(", ")));
        }
    }
    waiting(&mut page, result, &sorted, style);
    not_read_at_all(&mut page, result, style);
    proposals_for_model(&mut page, &result.proposals);
    page.gap();
    page.line(summary(result, &sorted, style));
    if sorted.asks {
        page.line(ask(style));
    }
    if let Some(again) = sorted.again(result) {
        page.line(again);
    }
    page.into_text()
}

pub(super) fn dialect<'r>(result: &'r ExecutionResult, action: &ActionResult) -> &'r str {
    result.blocks.get(action.block).map_or("", |block| block.dialect.as_str())
}

fn heading(result: &ExecutionResult, action: &ActionResult) -> String {
    let mut heading = format!("task {}, {}", action.task, operation(dialect(result, action), action));
    if let Some(block) = &action.block_id {
        heading.push_str(&format!(", block {block}"));
    }
    heading
}

pub(super) fn failure(
    page: &mut Page,
    result: &ExecutionResult,
    action: &ActionResult,
    style: &ReportStyle<'_>,
) {
    let failures = partial_failures(action, ReportPaths::new(style.root));
    let hint = own_hint(action);
    if hint.is_none() && failures.is_empty() && style.error_detail == ErrorDetail::Minimal {
        return;
    }
    page.gap();
    let mut heading = heading(result, action);
    if let (ErrorDetail::Debug, Some(kind)) = (style.error_detail, action.kind) {
        heading.push_str(&format!(", kind {kind}"));
    }
    page.line(format_args!("{heading}:"));
    for failure in failures {
        page.line(format_args!("  {failure}"));
    }
    if let Some(hint) = hint {
        let hint = in_words_of(dialect(result, action), hint);
        if hint.contains('\n') {
            page.fenced(&hint);
        } else {
            page.line(format_args!("  {hint}"));
        }
    }
    parameters(page, action, style);
}

fn own_hint(action: &ActionResult) -> Option<&str> {
    let hint = action.hint.as_deref()?;
    let person = action.person_hint.as_deref();
    let own = person.and_then(|person| without_person_hint(hint, person)).unwrap_or(hint);
    (!own.is_empty()).then_some(own)
}

/// Returns `hint` without its end, `person`, which only a person can follow; `None` if it does not end with
/// that.
#[must_use]
pub fn without_person_hint<'h>(hint: &'h str, person: &str) -> Option<&'h str> {
    let own = hint.strip_suffix(person).filter(|_| !person.is_empty())?;
    // Only the text that joins them is removed: a line of the file may end before it.
    Some(own.strip_suffix('\n').or_else(|| own.strip_suffix("; ")).unwrap_or(own))
}

/// Adds what did not parse: the first error of each broken block, since the others come of it.
pub(super) fn issues(page: &mut Page, result: &ExecutionResult, style: &ReportStyle<'_>) {
    page.gap();
    for (first, more) in &unread(result) {
        let dialect = block_of(result, first).map_or("sham", |at| &result.blocks[at].dialect);
        // Only SHAM calls actions by their names.
        let action = first.action.clone().filter(|_| dialect == "sham");
        parse_issue(page, &ParseIssue { action, ..(*first).clone() }, "ERROR", style);
        if *more > 0 {
            page.line(format_args!("  ({} more in this block)", count_of(*more, "error")));
        }
    }
}

fn unread(result: &ExecutionResult) -> Vec<(&ParseIssue, usize)> {
    let is_tried = |at: usize| result.results.iter().any(|action| action.block == at);
    let mut broken = broken(result);
    broken.retain(|(issue, _)| block_of(result, issue).is_none_or(|at| !is_tried(at)));
    broken
}

/// The block that `issue` is about: the one that it names, or the one that its line is in. What is missing at a block's end
/// is found where the next one begins.
fn block_of(result: &ExecutionResult, issue: &ParseIssue) -> Option<usize> {
    let line = issue.block_start_line.or(issue.line)?;
    let until = result.blocks.partition_point(|block| block.start_line <= line);
    until.checked_sub(1).filter(|at| result.blocks[*at].end_line.is_none_or(|end| line <= end))
}

fn broken(result: &ExecutionResult) -> Vec<(&ParseIssue, usize)> {
    let mut broken: Vec<(&ParseIssue, usize)> = Vec::new();
    let mut last = None;
    for issue in &result.parse_errors {
        let block = block_of(result, issue);
        match broken.last_mut() {
            Some((_, more)) if block.is_some() && block == last => *more += 1,
            _ => broken.push((issue, 0)),
        }
        last = block;
    }
    broken
}

fn waiting(page: &mut Page, result: &ExecutionResult, sorted: &Sorted<'_>, style: &ReportStyle<'_>) {
    if result.approvals.is_empty() && sorted.waiting.is_empty() {
        return;
    }
    let paths = ReportPaths::new(style.root);
    page.gap();
    page.line(match style.unapproved {
        Unapproved::OfUser => {
            "This waits for the user. There is nothing to correct; do not send it again:"
        }
        Unapproved::OfAgent => {
            "This is not done. The user must decide: ask them to run `clada approvals`. There is nothing to correct; do not send it again:"
        }
        Unapproved::Declined => {
            "This was not done: the user declined it. Do without it; do not send it again:"
        }
        Unapproved::Unanswered => {
            "This was not done: the user has not answered in time. They must decide: ask them to run \
             `clada approvals`. There is nothing to correct; do not send it again:"
        }
    });
    for approval in &result.approvals {
        page.line(format_args!("  {}", approval_line(approval, paths)));
    }
    let is_asked_later = matches!(style.unapproved, Unapproved::OfAgent | Unapproved::Unanswered);
    if is_asked_later && result.approvals.iter().any(|approval| approval.kind == ApprovalKind::Command) {
        page.line("  (What a command prints is shown to them: ask for what you need of it.)");
    }
    // A task whose approval is listed above is not listed twice.
    let reported: BTreeSet<&str> =
        result.approvals.iter().filter_map(|approval| approval.task.as_deref()).collect();
    for action in result.results.iter().filter(|action| sorted.waits(action)) {
        if reported.contains(action.task.as_str()) {
            continue;
        }
        let hint = own_hint(action).filter(|_| action.kind == Some(ErrorKind::NotDelivered));
        let next = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
        page.line(format_args!("  {}{next}", heading(result, action)));
    }
}

pub(super) fn approval_line(approval: &Approval, paths: ReportPaths<'_>) -> String {
    let task = approval.task.as_ref().map(|task| format!("task {task}, ")).unwrap_or_default();
    let what = match approval.kind {
        ApprovalKind::File => format!("a change of {}", paths.show(&approval.path)),
        ApprovalKind::Command => match &approval.command {
            Some(CommandApproval { code: Some(code), command, .. }) => {
                format!("the {command} code `{}`", beginning(code))
            }
            Some(command) => format!("the command {}", command.command),
            None => "a command".to_owned(),
        },
        ApprovalKind::Root => "working in this folder".to_owned(),
        ApprovalKind::Unknown => format!("something in {}", paths.show(&approval.path)),
    };
    format!("{task}{what}: {}", approval.reason.trim_end_matches('.'))
}

const LARGEST_CODE: usize = 200;

fn beginning(code: &str) -> String {
    let shown = visible_line(code);
    match shown.char_indices().nth(LARGEST_CODE) {
        Some((end, _)) => format!("{} …", &shown[..end]),
        None => shown.into_owned(),
    }
}

/// Returns `warning` without the calls of clada that it advises, which are for the user.
fn without_calls(warning: &OperationWarning) -> OperationWarning {
    let message = match warning.message.split_once(": `clada ") {
        Some((fact, _)) => format!("{fact}. Write the path of its file above it."),
        None => warning.message.clone(),
    };
    OperationWarning { message, ..warning.clone() }
}

pub(super) fn not_read_at_all(page: &mut Page, result: &ExecutionResult, style: &ReportStyle<'_>) {
    if !result.not_read.is_empty() {
        notices_for_model(page, result, style);
    }
    if let Some(how) = &result.how_to_write {
        page.gap();
        page.line("How to write an edit:");
        page.fenced(how);
    }
}

fn notices_for_model(page: &mut Page, result: &ExecutionResult, style: &ReportStyle<'_>) {
    page.gap();
    // Flags with which the user could have had it read are nothing for the model.
    let is_flag = |hint: &str| hint.contains(" --") || hint.contains("`--");
    let mut notices = result.not_read.clone();
    // Of code without an edit block the reason is said, not what the user can do.
    for notice in notices.iter_mut().filter(|notice| notice.end_line.is_some()) {
        notice.hint = notice.hint.rsplit_once(". ").map_or(notice.hint.as_str(), |(why, _)| why).to_owned();
    }
    for notice in notices.iter_mut().filter(|notice| is_flag(&notice.hint)) {
        let is_other = notice.kind == "other_dialect";
        notice.hint = if is_other { "This form is not read here".to_owned() } else { String::new() };
    }
    not_read(page, &notices, style);
}

pub(super) fn ask(style: &ReportStyle<'_>) -> &'static str {
    match style.unapproved {
        Unapproved::OfUser => "If you need to see more of a file, ask for it.",
        _ => "If you need to see more of a file, use `read`.",
    }
}

pub(super) struct Sorted<'r> {
    waiting: BTreeSet<&'r str>,
    again: Vec<&'r str>,
    /// Commands that ran and failed, in order: what made them fail may be anywhere.
    ran: Vec<&'r str>,
    failed: usize,
    skipped: usize,
    /// Tasks that the user declined, and those that depend on them: they are not asked for again.
    declined: usize,
    left_out: usize,
    /// A text or file was not found, in a dialect that cannot look.
    pub(super) asks: bool,
    /// Tasks with nothing left to do: the file has what they would write.
    there: usize,
}

impl<'r> Sorted<'r> {
    pub(super) fn new(result: &'r ExecutionResult) -> Sorted<'r> {
        // What has no way to the editor holds up its block as a failure does, and waits for its user.
        let is_error = |action: &&ActionResult| {
            matches!(action.status, ActionStatus::Error | ActionStatus::Fatal)
                || action.kind == Some(ErrorKind::NotDelivered)
        };
        let errors = || result.results.iter().filter(is_error);
        let mut sorted = Sorted {
            waiting: BTreeSet::new(),
            again: Vec::new(),
            ran: Vec::new(),
            failed: 0,
            skipped: 0,
            declined: 0,
            left_out: 0,
            asks: false,
            there: 0,
        };
        for action in result.results.iter().filter(|action| !action.success) {
            // What is not done because the user declined an action before it is declined with it.
            let with_declined = || {
                let in_block = |other: &&ActionResult| other.block == action.block;
                action.kind == Some(ErrorKind::Skipped)
                    && errors().all(|error| error.block != action.block)
                    && result.results.iter().filter(in_block).any(|other| other.declined)
            };
            if is_left_out(action) {
                sorted.left_out += 1;
                continue;
            }
            if action.declined || with_declined() {
                sorted.declined += 1;
                continue;
            }
            let in_block = || errors().filter(|error| error.block == action.block);
            let waits = match action.status {
                ActionStatus::Skip if action.kind == Some(ErrorKind::Skipped) => {
                    // Not attempted because of another one: of its block, or of the whole answer.
                    if in_block().next().is_some() {
                        in_block().all(|error| is_for_user(result, error))
                    } else {
                        errors().next().is_some() && errors().all(|error| is_for_user(result, error))
                    }
                }
                ActionStatus::Skip if action.kind != Some(ErrorKind::NotDelivered) => false,
                _ => is_for_user(result, action),
            };
            match action.status {
                _ if waits => {
                    sorted.waiting.insert(&action.task);
                }
                _ if is_there(action) => sorted.there += 1,
                ActionStatus::Skip => sorted.skipped += 1,
                _ => sorted.failed += 1,
            }
            let is_settled = matches!(
                action.kind,
                Some(
                    ErrorKind::AnswerAlreadyApplied
                        | ErrorKind::AlreadyInFile
                        | ErrorKind::Secret
                        | ErrorKind::PathDenied
                        | ErrorKind::NotAllowedForLlm
                )
            );
            if !waits && has_run(action) {
                sorted.ran.push(&action.task);
            } else if !waits && !is_settled {
                sorted.asks |= matches!(action.kind, Some(ErrorKind::NoMatch | ErrorKind::FileNotFound))
                    && !can_read_files(dialect(result, action));
                sorted.again.push(&action.task);
            }
        }
        sorted
    }

    pub(super) fn waits(&self, action: &ActionResult) -> bool {
        !action.success && self.waiting.contains(action.task.as_str())
    }

    /// The tasks that are not done, by how: how many, and a word for it. Those that wait are not among them:
    /// the model has nothing to correct in them.
    pub(super) fn undone(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let counts = [
            (self.failed, "failed"),
            (self.there, "in the file already"),
            (self.declined, "declined by the user"),
            (self.left_out, "left out"),
            (self.skipped, "not attempted"),
        ];
        counts.into_iter().filter(|(number, _)| *number > 0)
    }

    pub(super) fn wrong(&self, result: &ExecutionResult) -> Option<String> {
        let mut parts = Vec::new();
        match &self.again[..] {
            [] => {}
            [task] => parts.push(format!("task {task}")),
            tasks => parts.push(format!("tasks {}", listed(tasks))),
        }
        let blocks: Vec<String> = unread(result).iter().map(|(issue, _)| place(issue)).collect();
        match &blocks[..] {
            [] => {}
            [block] => parts.push(format!("the block {block}")),
            blocks => parts.push(format!("the blocks {}", listed(blocks))),
        }
        (!parts.is_empty()).then(|| listed(&parts))
    }

    pub(super) fn again(&self, result: &ExecutionResult) -> Option<String> {
        let again = self.wrong(result).map(|wrong| format!("Send only {wrong} again, in the same format."));
        let ran = match &self.ran[..] {
            [] => None,
            [task] => Some(format!("Task {task} ran and failed: send it again once the cause is corrected.")),
            tasks => Some(format!(
                "Tasks {} ran and failed: send them again once the causes are corrected.",
                listed(tasks)
            )),
        };
        let unread =
            (!result.not_read.is_empty()).then(|| "Send again what was not read, in that form.".to_owned());
        let sentences: Vec<String> = [again, ran, unread].into_iter().flatten().collect();
        match sentences.is_empty() {
            true => (!self.waiting.is_empty()).then(|| "Send nothing again.".to_owned()),
            false => Some(sentences.join(" ")),
        }
    }
}

fn listed(items: &[impl AsRef<str>]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => String::new(),
    }
}

fn is_there(action: &ActionResult) -> bool {
    action.kind == Some(ErrorKind::AlreadyInFile)
}

fn is_left_out(action: &ActionResult) -> bool {
    action.status == ActionStatus::Skip
        && action.error.as_ref().is_some_and(|error| error.ends_with(NOT_ACCEPTED))
}

/// True if it is a command that was started: repeated as it is, it fails again.
fn has_run(action: &ActionResult) -> bool {
    matches!(action.kind, Some(ErrorKind::ExecFailed | ErrorKind::Timeout | ErrorKind::LimitExceeded))
        && matches!(action.data, Some(ActionData::Command(_)))
}

fn is_for_user(result: &ExecutionResult, action: &ActionResult) -> bool {
    let is_asked =
        || result.approvals.iter().any(|approval| approval.task.as_deref() == Some(action.task.as_str()));
    match action.kind {
        Some(ErrorKind::ApprovalRequired | ErrorKind::NotDelivered) => true,
        Some(ErrorKind::CommandNotAllowed) => is_asked(),
        _ => false,
    }
}

fn place(issue: &ParseIssue) -> String {
    let line = issue.block_start_line.or(issue.line);
    match (&issue.block_id, line) {
        (Some(block), Some(line)) => format!("{block} (line {line})"),
        (Some(block), None) => block.clone(),
        (None, Some(line)) => format!("at line {line}"),
        (None, None) => "named above".to_owned(),
    }
}

pub(super) const NO_EDITS: &str = "There is no edit in `text`: write one as `instructions` says.";

fn summary(result: &ExecutionResult, sorted: &Sorted<'_>, style: &ReportStyle<'_>) -> String {
    if result.results.is_empty() && result.parse_errors.is_empty() {
        // An agent that calls the tool means to edit; the text of a chat may just be text.
        return match style.unapproved == Unapproved::OfUser || !result.not_read.is_empty() {
            true => "Nothing was applied.".to_owned(),
            false => format!("Nothing was applied. {NO_EDITS}"),
        };
    }
    let succeeded = result.results.iter().filter(|action| action.success).count();
    let mut parts = vec![format!("{succeeded} succeeded")];
    let waiting = sorted.waiting.len();
    parts.extend(sorted.undone().map(|(number, word)| format!("{number} {word}")));
    if waiting > 0 {
        parts.push(match style.unapproved {
            Unapproved::Declined => format!("{waiting} declined by the user"),
            _ => format!("{waiting} {} for the user", if waiting == 1 { "waits" } else { "wait" }),
        });
    }
    let mut line = format!("{}: {}", count_of(result.results.len(), "task"), parts.join(", "));
    let broken = unread(result).len();
    if broken > 0 {
        line.push_str(&format!("; {} could not be read", count_of(broken, "block")));
    }
    line.push('.');
    if result.truncated {
        line.push_str(" The result was cut at its size limit.");
    }
    if result.dry_run.is_some() {
        line.push_str(" Dry run: nothing was changed.");
    }
    line
}
