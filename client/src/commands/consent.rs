//! Asks the user at the terminal for the approvals that an answer needs, after its edits were shown and before
//! anything is carried out.
//!
//! The questions come from a plan, or from a dry run of the resumed operation; the answers are the ids that
//! were approved. The plan is then carried out, so that the text is sent once. Without a terminal, nothing is
//! planned and nothing approved: the report then explains how to approve.

use std::io;

use clada_protocol::method::Execute;
use clada_protocol::{
    Approval, ApprovalKind, Approve, ExecuteParams, ExecutionResult, GitWhere, Method, PlanResult,
    PlannedAction, ReportStyle, approval_text, changed_text, visible_block, visible_diff, visible_line,
};

use super::interactive::cannot_be_done;
use super::planned::{by_plan, is_as_text, is_same, plan};
use super::{style, typed};
use crate::Process;
use crate::args::Apply;
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::pager::page;
use crate::paint::paint_question;
use crate::settings::Settings;
use crate::terminal::{Reply, Terminal, User};
use crate::wrap::fitted;

/// The user's answer about one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Once,
    /// Once, with a network.
    Network,
    Always,
    No,
    NoneOfAll,
    /// Ctrl-C: nothing of the answer.
    Abandon,
}

/// The user's answers at the terminal.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The approvals for good.
    pub(super) always: Vec<Approval>,
    /// The ids of declined approvals.
    pub(super) declined: Vec<String>,
}

/// An answer, or an operation to resume, and what the user said about it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The request, without what the user said.
    params: ExecuteParams,
    /// The user's answers.
    pub(super) said: Said,
    /// The approvals of the request and those that the user gave.
    approve: Option<Approve>,
    /// The plan that the questions came from.
    plan: Option<PlanResult>,
}

impl Asked {
    fn new(params: ExecuteParams, plan: Option<PlanResult>) -> Asked {
        Asked { approve: params.approve.clone(), params, said: Said::default(), plan }
    }

    /// Returns whether it may change anything, as far as that is known.
    pub(super) fn may_change(&self) -> bool {
        let changes = |action: &PlannedAction| !action.looks && action.unplannable.is_none();
        self.plan.as_ref().is_none_or(|plan| plan.actions.iter().any(changes))
    }

    /// Sets where commits go.
    pub(super) fn set_git(&mut self, place: GitWhere) {
        self.params.git = Some(place);
    }

    /// Returns the request with the user's approvals: of the plan, if the daemon does the same by it as by
    /// its text.
    pub(super) fn request(&self, kept: &KeptLink) -> ExecuteParams {
        let approve = self.approve.clone();
        match self.plan.as_ref().filter(|_| is_as_text(kept)) {
            Some(plan) => ExecuteParams { approve, ..by_plan(&self.params, &plan.plan_id) },
            None => self.as_text(),
        }
    }

    /// Returns the request with the user's approvals, and with the text.
    pub(super) fn as_text(&self) -> ExecuteParams {
        ExecuteParams { approve: self.approve.clone(), ..self.params.clone() }
    }

    /// Plans again, since the plan is gone. The user is asked again if it is no longer what the answers were
    /// given to.
    pub(super) fn again(
        self,
        process: &mut Process,
        settings: &Settings,
        args: &Apply,
        kept: &mut KeptLink,
    ) -> Result<Asked, Failure> {
        let (Some(text), Some(before)) = (&self.params.text, &self.plan) else { return Ok(self) };
        let Ok(plan) = plan(process, settings, &self.params, text, kept) else {
            return Ok(Asked { plan: None, ..self });
        };
        if is_same(before, &plan) {
            return Ok(Asked { plan: Some(plan), ..self });
        }
        if !(before.approvals.is_empty() && plan.approvals.is_empty())
            && let Some(mut terminal) = Terminal::open(process)
        {
            terminal.show(CHANGED).map_err(|error| gone(&error))?;
        }
        let (approvals, edits) = (plan.approvals.clone(), Edits::of_plan(&plan));
        ask_all(process, settings, args, Asked::new(self.params, Some(plan)), (&approvals, &edits))
    }
}

/// Said before the questions are asked again.
pub(super) const CHANGED: &str =
    "The answer had to be planned again, and what it would do now is not what was shown before.\n";

/// Asks the user at the terminal, if there is one, for the approvals that `params` need.
pub(super) fn asked(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: ExecuteParams,
    kept: &mut KeptLink,
) -> Result<Asked, Failure> {
    let decided = params.dry_run || matches!(params.approve, Some(Approve::All));
    if decided || settings.json || process.terminal().is_none() {
        return Ok(Asked::new(params, None));
    }
    // The failure of a plan is reported when the answer is carried out.
    let Ok(needed) = needed(process, settings, &params, kept) else {
        return Ok(Asked::new(params, None));
    };
    let Needed { approvals, edits, plan } = needed;
    ask_all(process, settings, args, Asked::new(params, plan), (&approvals, &edits))
}

/// Asks for each of `approvals` that was not given with the request, after the edits were shown.
fn ask_all(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    asked: Asked,
    (approvals, edits): (&[Approval], &Edits),
) -> Result<Asked, Failure> {
    let Asked { params, mut said, plan, .. } = asked;
    let mut given = match &params.approve {
        Some(Approve::Ids(ids)) => ids.clone(),
        _ => Vec::new(),
    };
    let mut seen: Vec<&str> = Vec::new();
    for approval in approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root) {
        if given.contains(&approval.id) || seen.contains(&approval.id.as_str()) {
            continue;
        }
        let mut terminal =
            Terminal::open(process).ok_or_else(|| gone(&std::io::ErrorKind::NotFound.into()))?;
        if seen.is_empty() && !edits.stat.is_empty() {
            terminal.show(&edits.stat).map_err(|error| gone(&error))?;
        }
        seen.push(&approval.id);
        let style = style(settings, &params.root, args.error_detail);
        let question =
            Question { process, approval, style: &style, edits, colours: settings.terminal_colours };
        match question.ask(&mut terminal).map_err(|error| gone(&error))? {
            Word::Once => given.push(approval.id.clone()),
            Word::Network => {
                given.push(approval.id.clone());
                given.extend(with_network(approval).cloned());
            }
            Word::Always => {
                given.push(approval.id.clone());
                said.always.push(approval.clone());
            }
            Word::No => said.declined.push(approval.id.clone()),
            Word::NoneOfAll => break,
            Word::Abandon => {
                return Err(Failure::new(Status::Failed, "you left the question: nothing was carried out"));
            }
        }
    }
    let approve = if given.is_empty() { params.approve.clone() } else { Some(Approve::Ids(given)) };
    Ok(Asked { params, said, approve, plan })
}

/// Records the user's approvals for good. Comes last, since the answer may create the folder of a command.
pub(crate) fn remember(process: &mut Process, settings: &Settings, root: &str, always: &[Approval]) {
    for approval in always {
        if let Err(failure) = super::approve::always(process, settings, root, approval) {
            let command = approval.command.as_ref().map_or("", |command| command.command.as_str());
            process.complain(&format!(
                "warning: '{}' is not approved for good: {}\n",
                visible_line(command),
                visible_line(&failure.message)
            ));
        }
    }
}

/// The edits of the answer, as they are shown before the questions.
#[derive(Debug, Default)]
struct Edits {
    /// The files with the numbers of their lines.
    stat: String,
    /// The diff.
    diff: String,
}

impl Edits {
    fn of_plan(plan: &PlanResult) -> Edits {
        let stat = changed_text(&plan.changed, plan.changed_more);
        Edits { stat: stat + &failing(&plan.actions), diff: plan.diff.to_string() }
    }

    fn of_dry_run(result: &ExecutionResult) -> Edits {
        let diff = result.dry_run.as_ref().map(|dry_run| dry_run.diff.clone()).unwrap_or_default();
        Edits { stat: changed_text(&result.changed, result.changed_more), diff }
    }
}

/// Returns a line about the actions that cannot be done; empty if all can.
fn failing(actions: &[PlannedAction]) -> String {
    let fails = actions.iter().filter(|action| cannot_be_done(action));
    let tasks: Vec<&str> = fails.map(|action| action.task.as_str()).collect();
    match (tasks.len(), tasks.first()) {
        (0, _) | (_, None) => String::new(),
        (1, Some(task)) => format!("1 of {} actions will fail: task {task}\n", actions.len()),
        (count, Some(task)) => {
            format!("{count} of {} actions will fail, task {task} first\n", actions.len())
        }
    }
}

/// What an answer needs, or a resumed operation, and would do.
struct Needed {
    approvals: Vec<Approval>,
    edits: Edits,
    plan: Option<PlanResult>,
}

/// Returns the approvals that the answer, or the resumed operation, needs, its edits, and the answer's plan.
fn needed(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    kept: &mut KeptLink,
) -> Result<Needed, Failure> {
    let Some(text) = &params.text else {
        let params = ExecuteParams { dry_run: true, stream: false, ..params.clone() };
        let result = Connector::new(process, settings)?.keeping(kept).call(
            Execute::NAME,
            &params,
            OnInterrupt::End,
        )?;
        let result = typed::<ExecutionResult>(Execute::NAME, &result)?;
        return Ok(Needed { edits: Edits::of_dry_run(&result), approvals: result.approvals, plan: None });
    };
    let plan = plan(process, settings, params, text, kept)?;
    let (approvals, edits) = (plan.approvals.clone(), Edits::of_plan(&plan));
    Ok(Needed { approvals, edits, plan: Some(plan) })
}

/// Returns the failure of a terminal that is gone.
pub(super) fn gone(error: &std::io::Error) -> Failure {
    Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}"))
        .hint("Nothing was carried out.")
}

/// The question about one approval.
struct Question<'a> {
    process: &'a Process,
    approval: &'a Approval,
    style: &'a ReportStyle<'a>,
    edits: &'a Edits,
    colours: bool,
}

impl Question<'_> {
    /// Shows what is to be approved and asks, until there is an answer. Without one it is no.
    fn ask(&self, terminal: &mut Terminal) -> io::Result<Word> {
        let painted =
            |text: String| fitted(self.process, if self.colours { paint_question(&text) } else { text });
        terminal.show(&painted(approval_text(self.approval, self.style)))?;
        let command = self.approval.command.as_ref();
        let code = command.and_then(|command| command.code.as_deref());
        // Code differs each time, so that there is nothing to approve for good.
        let network = with_network(self.approval).is_some();
        let offered = [
            ("y", true),
            ("a", command.is_some() && code.is_none()),
            ("w", network),
            ("N", true),
            ("d", true),
            ("e", code.is_some()),
            ("q", true),
            ("?", true),
        ];
        let keys: Vec<&str> =
            offered.iter().filter(|(_, is_offered)| *is_offered).map(|(key, _)| *key).collect();
        let keys = keys.join(",");
        let verb = if command.is_some() { "Run it" } else { "Do it" };
        loop {
            let answer = match terminal.ask(&format!("{verb}? [{keys}] "))? {
                Reply::Line(answer) => answer,
                ended => {
                    terminal.show("\n")?;
                    return Ok(if ended == Reply::Interrupted { Word::Abandon } else { Word::NoneOfAll });
                }
            };
            match (answer.trim().to_ascii_lowercase().as_str(), code) {
                ("y" | "yes", _) => return Ok(Word::Once),
                ("a" | "always", None) if command.is_some() => return Ok(Word::Always),
                ("w", _) if network => return Ok(Word::Network),
                ("" | "n" | "no", _) => return Ok(Word::No),
                ("q" | "quit", _) => return Ok(Word::NoneOfAll),
                ("d" | "diff", _) if self.edits.diff.is_empty() => {
                    terminal.show("It edits no files.\n")?;
                }
                ("d" | "diff", _) => terminal.show(&painted(visible_diff(&self.edits.diff)))?,
                ("e", Some(code)) => page(self.process, &visible_block(code))?,
                _ => terminal.show(&help(&keys))?,
            }
        }
    }
}

/// Returns the id that approves a command with a network, if it has none by itself.
pub(super) fn with_network(approval: &Approval) -> Option<&String> {
    approval.command.as_ref()?.with_network.as_ref()
}

/// The keys and what they mean.
const KEYS: &[(char, &str)] = &[
    ('y', "allow this once"),
    ('a', "allow this command for good in this folder"),
    ('w', "allow this once, with a network for this command alone"),
    ('N', "leave this out, also with Enter alone"),
    ('d', "show the diff of all edits"),
    ('e', "show the code in $PAGER"),
    ('q', "leave out this and all the rest that has to be approved; the rest of the answer is carried out"),
    ('?', "show this help"),
];

/// Returns the lines about the keys that are offered.
fn help(keys: &str) -> String {
    let offered = KEYS.iter().filter(|(key, _)| keys.contains(*key));
    let lines = offered.map(|(key, meaning)| format!("{} - {meaning}\n", key.to_ascii_lowercase()));
    lines.chain(["Ctrl-C carries out nothing of this answer.\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_that_are_offered_are_explained() {
        let keys: Vec<char> = help("y,N,e,?").lines().filter_map(|line| line.chars().next()).collect();
        assert_eq!(keys, ['y', 'n', 'e', '?', 'C']);
    }
}
