//! A saved plan whose changes go to an editor, all of them or those of the documents that it holds.
//!
//! Written changes are an operation like any other, recorded and undoable. Edits are handed out after it is
//! done, and only if nothing of what they belong to has failed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use clada_fs::RootedPath;
use clada_protocol::{ActionResult, ActionStatus, ErrorKind, ExecutionResult, WorkspaceEdit};

use crate::effect::Effect;
use crate::execute::executor::Executor;
use crate::execute::operation::{Operation, RunUntil};
use crate::failure::Failure;
use crate::plan::approve::waiting;
use crate::plan::decision::Decision;
use crate::plan::part::AcceptedPart;
use crate::plan::plan_check::{PlanCheck, Refuse};
use crate::plan::planner::Planner;
use crate::plan::promise::conflict;
use crate::plan::revalidate::Replan;
use crate::plan::saved_plan::SavedPlan;
use crate::planned::Planned;
use crate::read::answer::{Answer, Atomicity};
use crate::results::handing::{Delivered, Handing, kept_back};
use crate::results::report::{Executed, refused};
use crate::results::workspace::{EditForm, workspace_edit};
use crate::write::Write;

/// An editor that gets changes as edits.
#[derive(Debug, Clone, Default)]
pub struct Editor {
    /// The documents that it holds; `None`: it gets all changes.
    pub loaded: Option<HashSet<RootedPath>>,
    /// The form of its edits.
    pub form: EditForm,
}

/// A text that an editor was given for an action, which is done if the document still has it.
#[derive(Debug, Clone)]
pub struct HandedText {
    /// The number of the action in its answer.
    pub seq: usize,
    /// The document.
    pub path: RootedPath,
    /// The hash of the text that the document gets by all that was handed out.
    pub hash: blake3::Hash,
    /// True if the whole action is done by what was handed out.
    pub is_whole: bool,
}

struct Handed {
    seq: usize,
    effect: Effect,
    /// Its files are each on their own: one that fails keeps no other back.
    is_several: bool,
}

impl Operation<'_> {
    /// Carries out a saved plan for `editor`. The second value is the texts that it was given.
    ///
    /// # Errors
    /// The reason, if all of the plan is to be done or nothing, and a part of it would be written and another
    /// handed out.
    pub fn deliver(
        &self,
        saved_plan: &SavedPlan,
        decision: &Decision<'_>,
        editor: &Editor,
    ) -> Result<(ExecutionResult, Vec<HandedText>), String> {
        let (result, texts) = match &editor.loaded {
            None => (self.hand_out(saved_plan, decision, editor.form), Vec::new()),
            Some(loaded) => self.mixed(saved_plan, decision, loaded, editor.form)?,
        };
        Ok((saved_plan.with_hunk_counts(result, decision), texts))
    }

    /// Hands out what a saved plan changes as edits. What they cannot carry is not done.
    fn hand_out(&self, saved_plan: &SavedPlan, decision: &Decision<'_>, form: EditForm) -> ExecutionResult {
        let check = self.check(saved_plan);
        let (_, all) = self.replan(saved_plan, decision, &check, None);
        // Which folders come with a file is known when all of it is planned.
        let unsaved = HashSet::new();
        let handing = Handing::new(&all, Delivered::All, &unsaved, self.roots);
        let (mut planner, planned) =
            self.replan(saved_plan, decision, &check, Some(&|effect| handing.refuse(effect)));
        let (mut answer, _) = saved_plan.decided(decision, self.rules, &saved_plan.view(self.roots));
        answer.notes.extend(planner.take_notes());
        let effects = planned.iter().filter_map(|planned| planned.outcome.as_ref().ok());
        let edits = workspace_edit(effects, self.roots, saved_plan.versions(), form);
        let result = self.finish(answer, planned, planner, RunUntil::Planned);
        ExecutionResult { dry_run: None, edits: Some(edits), ..result }
    }

    /// Hands out the changes of the documents in `loaded`, and makes all others.
    fn mixed(
        &self,
        saved_plan: &SavedPlan,
        decision: &Decision<'_>,
        loaded: &HashSet<RootedPath>,
        form: EditForm,
    ) -> Result<(ExecutionResult, Vec<HandedText>), String> {
        let (mut answer, _) = saved_plan.decided(decision, self.rules, &saved_plan.view(self.roots));
        if decision.is_answer() && answer.fatal().is_some() {
            let result = handed(refused(answer, "", self.rules.result_bytes), WorkspaceEdit::default());
            return Ok((result, Vec::new()));
        }
        let check = self.check(saved_plan);
        let (planner, planned) = self.replan(saved_plan, decision, &check, None);
        let unsaved = saved_plan.unsaved(self.roots);
        let is_lost = |path: &RootedPath| unsaved.contains(path) && !loaded.contains(path);
        let changed = changed(&planned, &check.stale, &saved_plan.expected(decision), is_lost);
        if !changed.is_empty() {
            return Ok((self.withheld(answer, planned, &changed), Vec::new()));
        }
        let delivered = Delivered::from_plan(&planned, loaded);
        let handing = Handing::new(&planned, delivered.clone(), &unsaved, self.roots);
        let refuse = |effect: &Effect| handing.refuse(effect);
        if !handing.is_needed() {
            drop(planner);
            let view = || saved_plan.view(self.roots);
            let result =
                self.execute_checked((saved_plan, check), decision, (&view, delivered), Some(&refuse));
            return Ok((self.written(result, WorkspaceEdit::default()), Vec::new()));
        }
        if answer.atomicity == Atomicity::AllOrNothing && is_divided(&planned, &delivered) {
            return Err(
                "the plan is all or nothing, and would be divided: name all of its documents in `edits`, \
                        or none"
                    .to_owned(),
            );
        }
        let is_refused =
            |planned: &Planned| planned.outcome.as_ref().is_ok_and(|effect| refuse(effect).is_some());
        let (mut planner, planned) = match planned.iter().any(is_refused) {
            true => self.replan(saved_plan, decision, &check, Some(&refuse)),
            false => (planner, planned),
        };
        answer.notes.extend(planner.take_notes());
        drop(planner);
        let delivered = Delivered::from_plan(&planned, loaded);
        let (parts, divided) = parts(&planned, &delivered);
        let is_whole = |planned: &&Planned| matches!(decision.part(&planned.step), AcceptedPart::All);
        let whole: HashSet<usize> = planned.iter().filter(is_whole).map(|planned| planned.step.seq).collect();
        let whole = |seq: usize| whole.contains(&seq) && !divided.contains(&seq);
        // What is done of these stands nowhere but in the editor.
        let request = saved_plan.accepted(decision).in_part(divided.clone()).keep();
        self.journal_writer.keep_request(request);
        let approvals = waiting(&planned);
        let mut executed = Executor::new(self, answer.atomicity).without(delivered).run(planned);
        let (edits, texts) = match failed(&parts, &executed.results) {
            None => {
                let done = parts.iter().filter(|part| part.is_several || is_done(part, &executed.results));
                let done: Vec<&Handed> = done.collect();
                let effects = done.iter().map(|part| &part.effect);
                // One of several files that failed is to be done yet.
                let is_whole = |part: &Handed| whole(part.seq) && is_done(part, &executed.results);
                (workspace_edit(effects, self.roots, saved_plan.versions(), form), texts(&done, is_whole))
            }
            Some(task) => {
                keep_back(&parts, &task, &mut executed.results);
                (WorkspaceEdit::default(), Vec::new())
            }
        };
        let result = self.report(answer, executed, approvals, None);
        Ok((self.written(result, edits), texts))
    }

    /// Checks `saved_plan` over the editor's texts, all of it before anything of it is done.
    fn check(&self, saved_plan: &SavedPlan) -> Arc<PlanCheck> {
        saved_plan.check(saved_plan.view(self.roots), self.rules, self.applied, self.stop)
    }

    fn replan<'s>(
        &'s self,
        saved_plan: &SavedPlan,
        decision: &Decision<'_>,
        check: &Arc<PlanCheck>,
        refuse: Option<Refuse<'_>>,
    ) -> (Planner<'s>, Vec<Planned>) {
        let mut planner = Planner::new(saved_plan.view(self.roots), self.rules, self.approvals);
        planner.leave_out(self.applied);
        let shown = decision.as_shown();
        let (answer, steps) = saved_plan.decided(decision, self.rules, planner.view());
        let mut replan = Replan::new(saved_plan, &shown, Arc::clone(check), refuse);
        let planned = replan.plan(&mut planner, &answer, steps, self.stop);
        (planner, planned)
    }

    /// The result if nothing is done, since some steps are no longer what was planned.
    fn withheld(
        &self,
        answer: Answer,
        mut planned: Vec<Planned>,
        changed: &[(usize, Failure)],
    ) -> ExecutionResult {
        for planned in &mut planned {
            let seq = planned.step.seq;
            match changed.iter().find(|(changed, _)| *changed == seq) {
                Some((_, failure)) => planned.outcome = Err(failure.clone()),
                None if planned.outcome.is_ok() => planned.outcome = Err(not_begun()),
                None => {}
            }
        }
        let executed = Executed::from_plan(planned, self.rules.result_bytes / 2);
        let result = executed.placed(self.roots).into_result(answer, Vec::new(), None, "");
        handed(result, WorkspaceEdit::default())
    }

    /// The same result with `edits`, of an operation only if it has changed anything.
    fn written(&self, result: ExecutionResult, edits: WorkspaceEdit) -> ExecutionResult {
        let operation_id = match self.journal_writer.has_changed() {
            true => result.operation_id.clone(),
            false => String::new(),
        };
        handed(ExecutionResult { operation_id, ..result }, edits)
    }
}

/// Returns why steps, by their numbers, cannot be done as they were planned: their files are other ones, or
/// were planned as texts that nobody holds any more, as `is_lost` says. Only what is `expected` can be stale.
fn changed(
    planned: &[Planned],
    stale: &HashMap<usize, Failure>,
    expected: &HashSet<usize>,
    is_lost: impl Fn(&RootedPath) -> bool,
) -> Vec<(usize, Failure)> {
    let changed = planned.iter().filter_map(|Planned { step, outcome, .. }| {
        let effect = outcome.as_ref().ok();
        let changes = effect.filter(|effect| !effect.is_read_only());
        if let Some(path) = changes.and_then(|effect| effect.paths().find(|path| is_lost(path))) {
            return Some((step.seq, unsaved(path)));
        }
        let failure = stale.get(&step.seq).filter(|_| expected.contains(&step.seq))?;
        let failure = match failure.kind {
            ErrorKind::Conflict => failure.clone(),
            _ => conflict(failure.path.as_deref().unwrap_or("."), false),
        };
        Some((step.seq, failure))
    });
    changed.collect()
}

fn handed(result: ExecutionResult, edits: WorkspaceEdit) -> ExecutionResult {
    ExecutionResult { edits: Some(edits), ..result }
}

fn is_divided(planned: &[Planned], delivered: &Delivered) -> bool {
    let effects = planned.iter().filter_map(|planned| planned.outcome.as_ref().ok());
    let each = effects.flat_map(Effect::each).filter(|effect| !effect.is_read_only());
    let (mut handed, mut written) = (false, false);
    for (part, rest) in each.map(|effect| delivered.divide(effect)) {
        handed |= part.is_some();
        written |= rest.is_some();
    }
    handed && written
}

/// Returns the parts that go to the editor, and the numbers of the actions that are done in part by it.
fn parts(planned: &[Planned], delivered: &Delivered) -> (Vec<Handed>, Vec<usize>) {
    let (mut parts, mut divided) = (Vec::new(), Vec::new());
    for planned in planned {
        let Ok(effect) = &planned.outcome else { continue };
        let (Some(part), rest) = delivered.divide(effect) else { continue };
        let seq = planned.step.seq;
        divided.extend(rest.filter(|rest| !rest.is_unchanged()).map(|_| seq));
        parts.push(Handed { seq, effect: part, is_several: matches!(effect, Effect::Several(_)) });
    }
    (parts, divided)
}

fn texts(done: &[&Handed], is_whole: impl Fn(&Handed) -> bool) -> Vec<HandedText> {
    let mut last: HashMap<&RootedPath, &Arc<[u8]>> = HashMap::new();
    for write in done.iter().flat_map(|part| writes(part)) {
        last.insert(&write.path, &write.new);
    }
    let hashes: HashMap<_, _> = last.into_iter().map(|(path, text)| (path, blake3::hash(text))).collect();
    let text = |part: &Handed, path: &RootedPath| HandedText {
        seq: part.seq,
        path: path.clone(),
        hash: hashes[path],
        is_whole: is_whole(part),
    };
    done.iter().flat_map(|part| writes(part).map(|write| text(part, &write.path))).collect()
}

fn writes(part: &Handed) -> impl Iterator<Item = &Write> {
    part.effect.each().into_iter().flat_map(Effect::writes)
}

fn is_done(part: &Handed, results: &[ActionResult]) -> bool {
    results.iter().any(|result| result.seq == part.seq && result.success)
}

/// Returns the first task that has failed although a part of it was to go to the editor: what comes later may
/// have been planned over that.
fn failed(parts: &[Handed], results: &[ActionResult]) -> Option<String> {
    let is_handed = |result: &&ActionResult| {
        parts.iter().any(|part| {
            // Of files that are each on their own, some may have failed when they were planned.
            let has_run = part.is_several && result.kind != Some(ErrorKind::Skipped) && !was_stopped(result);
            part.seq == result.seq && !has_run
        })
    };
    results.iter().filter(|result| !result.success).find(is_handed).map(|result| result.task.clone())
}

fn was_stopped(result: &ActionResult) -> bool {
    matches!(result.kind, Some(ErrorKind::Cancelled | ErrorKind::Timeout))
}

fn keep_back(parts: &[Handed], task: &str, results: &mut [ActionResult]) {
    let is_handed = |result: &&mut ActionResult| parts.iter().any(|part| part.seq == result.seq);
    for result in results.iter_mut().filter(|result| result.success).filter(is_handed) {
        let failure = kept_back(task);
        *result = ActionResult {
            status: ActionStatus::Skip,
            success: false,
            unchanged: false,
            kind: Some(failure.kind),
            error: Some(format!("{}: {}", result.action, failure.message)),
            hint: failure.hint,
            data: None,
            ..result.clone()
        };
    }
}

fn unsaved(path: &RootedPath) -> Failure {
    let issue = "The plan used an unsaved text of the file, and `edits` does not name the file";
    Failure::at(ErrorKind::Conflict, issue, path.written(), "CONFLICT")
        .hint("save the document, then apply the answer again")
}

fn not_begun() -> Failure {
    let message =
        "Not done: another file of the plan has changed, so nothing was written or returned (SKIPPED)";
    Failure::with_message(ErrorKind::Skipped, message.to_owned()).hint("apply the answer again")
}
