//! `parse` and `plan`: what an answer says, and what it would change. So is the plan that an `execute` waits with for a
//! user: it is applied once they have approved it, unless it would do something else by then.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use clada_apply::{
    Answer, Atomicity, Counted, Decision, Operation, PlainRule, PlainRules, PlanInputs, Progress, Reading,
    Resumable, Rules, SavedPlan, View, needed, unknown_ids,
};
use clada_config::Settings;
use clada_fs::{RootedPath, Roots};
use clada_protocol::{
    Approval, ApprovalKind, ErrorKind, ExecuteParams, ExecutionResult, MatchLevel, OperationWarning,
    ParseParams, ParseResult, PlainMode, PlanParams, PlanResult, PlannedAction, RpcError, STALE_APPROVALS,
    SharedText, visible_line,
};

use super::commanding::CommandOptions;
use super::environment::Environment;
use super::overlays;
use super::request::ProjectRequest;
use super::roots::{PathOverrides, from_root};
use crate::project::{OwnOperations, Project, ReadScope};

const MOST_CONTEXT: usize = 100;

/// The most bytes of a preview that a person is asked about: approvals and diff, as JSON.
pub(crate) const MAX_PREVIEW: usize = 4 << 20;
/// The room for planning one: the diff alone may take a third of it, the approvals a quarter.
const PLANNED_BYTES: usize = 4 * MAX_PREVIEW;

const MAX_TOLD: usize = 10;

/// The effect that an `execute` would have, as a user is shown it.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) approvals: Vec<Approval>,
    pub(crate) diff: SharedText,
    actions: Vec<(usize, String)>,
    is_whole: bool,
    ended: u64,
    pub(super) plan: SavedPlan,
    /// What it depends on: an operation that changes nothing of it leaves it as it is.
    reach: ReadScope,
}

pub(crate) struct OpenedAnswer {
    pub(super) answer: Answer,
    pub(super) source: Resumable,
    /// True if it may have been applied before: it was not taken up again on purpose.
    pub(super) is_new: bool,
}

impl OpenedAnswer {
    pub(crate) fn of_operation(resumable: &Resumable, params: &ExecuteParams) -> OpenedAnswer {
        let atomicity = if params.atomic { Atomicity::AllOrNothing } else { resumable.atomicity };
        let source = resumable.with_options(atomicity, params.match_level.or(resumable.match_level));
        OpenedAnswer { answer: source.rest(atomicity), source, is_new: false }
    }

    pub(crate) fn of_plan(plan: &SavedPlan, params: &ExecuteParams) -> Result<OpenedAnswer, RpcError> {
        let source = plan.accepted(&decide(plan, params)?);
        let answer = source.rest(plan.answer().atomicity);
        Ok(OpenedAnswer { answer, source, is_new: !plan.is_once_more() })
    }
}

impl ProjectRequest {
    pub(crate) fn parse(&self, params: &ParseParams) -> Result<ParseResult, RpcError> {
        // Comes first: what ends while this is read counts as later.
        let ended = self.project().ended().count();
        let settings = self.settings()?;
        let mut answer = read(params, settings)?;
        let roots = self.roots()?;
        hold_against(&mut answer, Some(roots), self.environment(), settings);
        answer.propose(&View::new(roots), &self.rules(roots)?, None);
        let approvals = self.needed(&answer, params)?;
        self.show_approvals(&approvals, None, ended, None);
        Ok(ParseResult { approvals, ..answer.into_parse_result() })
    }

    fn needed(&self, answer: &Answer, params: &ParseParams) -> Result<Vec<Approval>, RpcError> {
        let roots = self.roots()?;
        let options = || CommandOptions::to_plan(&params.env, params.timeout_ms);
        let commands = self.commands(roots, answer.has_commands().then(options))?;
        let rules = self.rules(roots)?.with_commands(commands);
        Ok(needed(answer, roots, &rules, &|| self.context().stop()))
    }

    /// `plan` of a text: returns the plan to keep, and the result without id and lifetime.
    pub(crate) fn plan(
        &self,
        text: &Arc<str>,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let source = self.read_text(text, params.dialects.as_deref(), params.atomic, params.match_level)?;
        self.plan_rest(source.remaining(source.atomicity), source, params.again, params)
    }

    pub(super) fn read_text(
        &self,
        text: &Arc<str>,
        dialects: Option<&[String]>,
        atomic: bool,
        match_level: Option<MatchLevel>,
    ) -> Result<Resumable, RpcError> {
        let settings = self.settings()?;
        check_size(text, settings)?;
        let reading = Reading::new(dialects, settings)?;
        Ok(Resumable::new(Arc::clone(text), reading, atomicity(atomic), match_level))
    }

    pub(crate) fn open_text(
        &self,
        text: &Arc<str>,
        params: &ExecuteParams,
    ) -> Result<OpenedAnswer, RpcError> {
        let source = self.read_text(text, params.dialects.as_deref(), params.atomic, params.match_level)?;
        Ok(OpenedAnswer { answer: source.remaining(source.atomicity), source, is_new: true })
    }

    /// `plan` of the rest of an operation: what did not succeed, and what was not accepted, which is offered again.
    pub(crate) fn plan_resumed(
        &self,
        resumable: &Resumable,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let params = resumable.planned_as_before(params, self.whose());
        let operation = params.resume.clone().unwrap_or_default();
        let source = resumable.clone().offering_left_out(operation).with_options(
            if params.atomic { Atomicity::AllOrNothing } else { resumable.atomicity },
            params.match_level.or(resumable.match_level),
        );
        self.plan_rest(source.rest(source.atomicity), source, params.again, &params)
    }

    /// `plan` of what is left to do of a plan after `progress`, or of what `only` names of it.
    pub(crate) fn plan_again(
        &self,
        saved_plan: &SavedPlan,
        progress: &Progress,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let only = params.only.as_deref();
        if let Some(unknown) = only.map(|only| unknown_ids(saved_plan, only)).filter(|ids| !ids.is_empty()) {
            let message = format!("only: the plan has no {}", unknown.join(", "));
            return Err(RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "only"));
        }
        let remaining = saved_plan.remaining(progress, only).with_edited(&params.edited).map_err(|part| {
            let message = format!("edited: the plan has no {}", clada_protocol::visible_line(&part));
            RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "edited")
        })?;
        // The whole rest must succeed if the first plan had to, so a new call can only ask for more.
        let source = remaining.with_options(
            if params.atomic { Atomicity::AllOrNothing } else { remaining.atomicity },
            params.match_level.or(remaining.match_level),
        );
        let again = params.again || saved_plan.is_once_more();
        let answer = source.remaining(source.atomicity);
        let (plan, mut result) = self.plan_rest(answer, source, again, params)?;
        if result.actions.is_empty() && result.proposals.is_empty() && result.parse_errors.is_empty() {
            let message = "There is nothing left to do of that plan".to_owned();
            result.warnings.push(OperationWarning { task: None, message });
        }
        Ok((plan, result))
    }

    fn plan_rest(
        &self,
        answer: Answer,
        source: Resumable,
        again: bool,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let settings = self.settings()?;
        let (allow_escape, include_secrets) = (params.allow_escape, params.include_secrets);
        let roots = self.roots_with(PathOverrides { allow_escape, include_secrets, umask: None })?;
        let mut buffers: Vec<(RootedPath, String)> = Vec::new();
        let mut versions = HashMap::new();
        for (index, overlay) in params.overlays.iter().enumerate() {
            let path = overlays::place(&roots, overlay, index)?;
            check_size(&overlay.text, settings)?;
            // Two texts of one file would make the plan depend on their order.
            if let Some(first) = buffers.iter().position(|(other, _)| *other == path) {
                return Err(overlays::twice(first, index));
            }
            versions.extend(overlay.version.map(|version| (path.clone(), version)));
            buffers.push((path, overlay.text.clone()));
        }
        let options = || CommandOptions::to_plan(&params.env, params.timeout_ms);
        let commands = self.commands(&roots, answer.has_commands().then(options))?;
        let rules = self.rules(&roots)?.matching(source.match_level).literal(params.literal);
        let to = params.to.as_deref().map(|to| from_root(&roots, to)).transpose()?;
        let rules = rules.counting(params.lines).with_commands(commands);
        let rules = rules.plain(PlainRules { to, ..PlainRules::default() });
        let mut warnings = Vec::new();
        let hash = |(path, text): &(RootedPath, String)| (path.clone(), blake3::hash(text.as_bytes()));
        let hashes = buffers.iter().map(hash).collect();
        let applied = self.applied(&roots, Some(&source).filter(|_| !again), &hashes, &mut warnings);
        let context = params.context.min(MOST_CONTEXT);
        let counted = Counted { lines: params.lines, versions, context, buffers };
        let stop = || self.context().stop();
        let inputs = PlanInputs { roots: &roots, rules: &rules, applied: &applied, stop: &stop };
        let (plan, mut result) = SavedPlan::make(answer, source, inputs, Some(counted));
        let paths = result.changed.iter().map(|file| Path::new(file.path.as_str()));
        warnings.extend(self.instructions_warning(paths)?);
        result.warnings.extend(warnings.into_iter().map(|message| OperationWarning { task: None, message }));
        Ok((plan.once_more(again), result))
    }

    pub(crate) fn preview(&self, opened: OpenedAnswer, params: &ExecuteParams) -> Result<Preview, RpcError> {
        // Comes first: what ends while this is planned counts as later.
        let ended = self.project().ended().count();
        let OpenedAnswer { answer, source, is_new } = opened;
        let roots = self.roots_with(PathOverrides::of_execute(params))?;
        self.require_project(&roots, params.approve.as_ref())?;
        let options = answer.has_commands().then(|| CommandOptions::of(params));
        let commands = self.commands(&roots, options)?;
        let rules =
            self.rules(&roots)?.matching(params.match_level.or(source.match_level)).literal(params.literal);
        let rules = rules.with_commands(commands).plain(plain_rules(&roots, params)?);
        // The project's `limits.result_bytes` bounds results; what a person approves is shown whole or not at
        // all.
        let rules = Rules { working_set: self.context().working_set(), result_bytes: PLANNED_BYTES, ..rules };
        let may_be_applied = Some(&source).filter(|_| is_new && !params.again);
        let applied = self.applied(&roots, may_be_applied, &HashMap::new(), &mut Vec::new());
        let stop = || self.context().stop();
        let inputs = PlanInputs { roots: &roots, rules: &rules, applied: &applied, stop: &stop };
        let (plan, planned) = SavedPlan::make(answer, source, inputs, None);
        let has_command = planned.approvals.iter().any(|approval| approval.kind == ApprovalKind::Command);
        let reach = match has_command {
            true => ReadScope::Everything,
            false => ReadScope::Folders(roots.paths().map(Path::to_path_buf).collect()),
        };
        let plan = plan.once_more(!is_new || params.again);
        Ok(Preview::new(plan, planned, ended, reach))
    }
}

impl Preview {
    fn new(plan: SavedPlan, planned: PlanResult, ended: u64, reach: ReadScope) -> Preview {
        let shown = serde_json::to_vec(&(&planned.approvals, &planned.diff)).unwrap_or_default();
        Preview {
            is_whole: plan.shows_all() && shown.len() <= MAX_PREVIEW,
            approvals: planned.approvals,
            diff: planned.diff,
            actions: planned.actions.iter().map(|action| (action.seq, in_words(action))).collect(),
            ended,
            plan,
            reach,
        }
    }

    /// Returns whether a person can be shown all of it: nothing is cut, and it takes less than 4 MB as JSON.
    #[must_use]
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns what is different in `now`, in lines for a person, with what operations have changed meanwhile of what it
    /// depends on.
    #[must_use]
    pub(crate) fn difference(&self, now: &Preview, project: &Project) -> String {
        let mut lines = self.changes_since(project);
        let changed = now.plan.changed_steps(&self.plan);
        let changed = now.actions.iter().filter(|(seq, _)| changed.contains(seq));
        let words = changed.clone().take(MAX_TOLD).map(|(_, words)| format!("The plan changed: {words}."));
        lines.extend(words);
        if let Some(more @ 1..) = changed.count().checked_sub(MAX_TOLD) {
            lines.push(format!("{more} more actions are planned otherwise now."));
        }
        if lines.is_empty() {
            lines.push("What is planned is not to the byte what was shown.".to_owned());
        }
        lines.join("\n")
    }

    fn changes_since(&self, project: &Project) -> Vec<String> {
        project.ended().since(self.ended, &self.reach, project.root(), OwnOperations::default())
    }
}

/// A preview that a user has approved, and what to call when its plan begins to be applied.
pub(crate) struct ApprovedPreview {
    pub(super) preview: Arc<Preview>,
    begins: Box<dyn Fn() + Send + Sync>,
}

impl ApprovedPreview {
    pub(crate) fn new(preview: Arc<Preview>, begins: impl Fn() + Send + Sync + 'static) -> ApprovedPreview {
        ApprovedPreview { preview, begins: Box::new(begins) }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.preview.plan.bytes()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = String> + '_ {
        self.preview.approvals.iter().map(|approval| approval.id.clone())
    }

    /// A conflict with [`STALE_APPROVALS`] means that nothing was done, and the user has to be asked again.
    pub(super) fn execute(
        &self,
        operation: &Operation<'_>,
        project: &Project,
    ) -> Result<ExecutionResult, RpcError> {
        let Preview { plan, approvals, .. } = &*self.preview;
        let is_current = self.preview.changes_since(project).is_empty();
        let result = is_current.then(|| operation.execute_shown(plan, approvals, &self.begins));
        result.flatten().ok_or_else(stale)
    }

    /// Requires the same of a plan that it was made from, which is applied instead of it.
    pub(super) fn require_current(
        &self,
        operation: &Operation<'_>,
        project: &Project,
    ) -> Result<(), RpcError> {
        let Preview { plan, approvals, .. } = &*self.preview;
        let is_current = self.preview.changes_since(project).is_empty();
        if !is_current || !operation.is_as_shown(plan, approvals) {
            return Err(stale());
        }
        (self.begins)();
        Ok(())
    }
}

fn stale() -> RpcError {
    RpcError::new(ErrorKind::Conflict, "The plan is not any more what was approved")
        .with(STALE_APPROVALS, true)
}

fn in_words(action: &PlannedAction) -> String {
    let about = action.command.as_deref().or(action.path.as_deref()).unwrap_or_default();
    let about: String = visible_line(about).chars().take(200).collect();
    format!("task {}, {} {about}", action.task, action.action).trim_end().to_owned()
}

pub(super) fn decide<'d>(
    saved_plan: &'d SavedPlan,
    params: &'d ExecuteParams,
) -> Result<Decision<'d>, RpcError> {
    let decision = saved_plan.decide(params.accept.as_deref());
    decision.map_err(|why| RpcError::new(ErrorKind::InvalidParams, why))
}

pub(super) fn plain_rules(roots: &Roots, params: &ExecuteParams) -> Result<PlainRules, RpcError> {
    // The name of plain answers, from before they were asked about.
    let names_plain = params
        .dialects
        .as_ref()
        .is_some_and(|names| names.iter().all(|name| name == "whole_file") && !names.is_empty());
    let rule = match params.plain {
        Some(PlainMode::Apply) => PlainRule::Apply,
        None if names_plain => PlainRule::Apply,
        Some(PlainMode::Refuse) | None => PlainRule::Offer,
    };
    let to = params.to.as_deref().map(|to| from_root(roots, to)).transpose()?;
    // A hunk of a proposal stands for it, unless another hunk of it is accepted.
    let whole = |id: &String| id.split_once(".h").map_or(id.as_str(), |(id, _)| id).to_owned();
    let accepted: HashSet<String> = params.accept.iter().flatten().map(whole).collect();
    let declined = params.decline.iter().map(whole).filter(|id| !accepted.contains(id)).collect();
    Ok(PlainRules { rule, to, declined })
}

fn atomicity(atomic: bool) -> Atomicity {
    if atomic { Atomicity::AllOrNothing } else { Atomicity::Blocks }
}

pub(super) fn read(params: &ParseParams, settings: &Settings) -> Result<Answer, RpcError> {
    check_size(&params.text, settings)?;
    let reading = Reading::new(params.dialects.as_deref(), settings)?;
    Ok(if params.tree { reading.read_with_trees(&params.text) } else { reading.read(&params.text) })
}

pub(super) fn hold_against(
    answer: &mut Answer,
    roots: Option<&Roots>,
    environment: &Environment,
    settings: &Settings,
) {
    let limit = usize::try_from(settings.limits.max_file_size).unwrap_or(usize::MAX);
    answer.hold_against(roots, environment.git_user().as_ref(), limit);
}

pub(super) fn check_size(text: &str, settings: &Settings) -> Result<(), RpcError> {
    let limit = settings.limits.input;
    if text.len() as u64 <= limit {
        return Ok(());
    }
    let message = format!("The text has {} bytes, limits.input allows {limit}", text.len());
    Err(RpcError::new(ErrorKind::InputTooLarge, message)
        .with("limit", "limits.input")
        .hint("apply it in parts, or raise the limit in your configuration"))
}
