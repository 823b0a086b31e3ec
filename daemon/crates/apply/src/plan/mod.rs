//! Plans each action of an answer: edits as data, before they are effects.
//!
//! Looks at files through a [`View`], in which each action sees what those before it will have done; changes
//! nothing. A plan of the same answer over the same files is the same plan.
//!
//! ```text
//! before     a.txt "one"                     b.txt "x"
//! answer     1 replace one by two in a.txt   2 append three to a.txt      3 delete b.txt
//! plan       1 a.txt "one" -> "two"          2 a.txt "two" -> "two three" 3 b.txt "x" -> nothing
//!            read: a.txt (hash of "one"), b.txt (hash of "x"), the folder
//! between    another program writes "y" to b.txt
//! check      b.txt is not what was read: planned again, 3 removes another text than was shown, so it is stale
//! decision   all of the answer, or what was shown: `a1`, or a group of hunks
//! result     1 done                          2 done                       3 conflict: b.txt changed
//! ```

pub(crate) mod approve;
mod broken;
mod builtin;
mod changes;
mod commands;
mod copied;
pub(crate) mod decision;
pub(crate) mod documents;
pub(crate) mod edited;
mod elsewhere;
mod exactly;
pub(crate) mod groups;
pub(crate) mod guard;
pub(crate) mod guarding;
mod hard_links;
mod lookup;
mod made_up;
pub(crate) mod making;
mod moves;
mod new_text;
pub(crate) mod part;
mod patch;
mod pathspecs;
pub(crate) mod plain;
pub(crate) mod plan_check;
pub(crate) mod planner;
pub(crate) mod programs;
pub(crate) mod promise;
mod read_only_actions;
mod read_only_commands;
mod reading;
mod refusals;
mod replacer;
pub(crate) mod resume;
mod returned;
pub(crate) mod revalidate;
pub(crate) mod review;
mod rewrite;
mod rolled_back;
pub(crate) mod saved_plan;
mod turns;
pub(crate) mod twins;
mod writes;

use std::collections::HashMap;

use clada_dialects::Policy;
use clada_exec::words;
use clada_fs::Roots;
use clada_protocol::{Approval, ErrorKind, OperationWarning, visible_line};
use clada_schema::{Action, Caller};

use crate::context::ContextChange;
use crate::effect::{Effect, ReadOnlyAction};
use crate::failure::Failure;
use crate::plan::approve::{APPROVALS, Approvals, ready_to_ask};
use crate::planned::Planned;
use crate::read::answer::{Answer, Atomicity, Step};
use crate::results::place::placed;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;
use crate::write::{Before, Write};
use planner::{PlanOne, Planner, Shrinks};
use programs::runs;
use promise::accepted_of;
use refusals::unavailable;
pub use returned::{Original, Returned};

impl<'a> Planner<'a> {
    /// Plans one more action. `adjust` may change or refuse its effect before later actions see it.
    pub(crate) fn plan(
        &mut self,
        step: Step,
        adjust: impl FnOnce(Effect) -> Result<Effect, Failure>,
    ) -> Planned {
        self.plan_by(step, Planner::effect, adjust)
    }

    fn plan_by(
        &mut self,
        step: Step,
        effect: impl FnOnce(&mut Self, &Step) -> Result<Effect, Failure>,
        adjust: impl FnOnce(Effect) -> Result<Effect, Failure>,
    ) -> Planned {
        // A program runs as often as it is asked for: what it changed does not say that it need not run.
        // The content of its file says whether a proposal is applied already.
        let applied = self.applied.get(&step.seq).filter(|_| !runs(&step) && !step.is_proposal);
        if let Some(applied) = applied {
            let outcome = Err(Failure::already_applied(applied));
            return Planned { step, outcome, approval: None };
        }
        let mut approval = None;
        self.note = None;
        self.guard_notes.clear();
        self.why_asked = None;
        let outcome = effect(self, &step)
            .and_then(|effect| match step.group.policy {
                Policy::Each if self.atomicity == Atomicity::Blocks => Ok(effect),
                _ => groups::undivided(effect),
            })
            .map_err(|failure| self.with_suggestions(&step, failure))
            .and_then(|effect| self.guarded(&step, effect))
            .and_then(|effect| if step.is_proposal { Ok(effect) } else { accepted_of(&step, effect) })
            .and_then(|effect| edited::with_edited(&step, effect))
            // A proposal is shown, and divided, as the user edited it.
            .and_then(|effect| if step.is_proposal { accepted_of(&step, effect) } else { Ok(effect) })
            .and_then(adjust)
            .and_then(|effect| self.approved(&step, effect, &mut approval))
            .and_then(|effect| self.within_bounds(effect))
            .map_err(|failure| placed(failure, self.view.roots()));
        self.pass_turns(outcome.as_ref().ok());
        if let Ok(effect) = &outcome {
            self.lay(effect);
            self.has_changed |= !effect.is_read_only();
            let task = Some(step.task.clone());
            let notes = self.note.take().into_iter().chain(self.guard_notes.drain(..));
            self.notes.extend(notes.map(|message| OperationWarning { task: task.clone(), message }));
            self.remember_origins(&step, effect);
        }
        Planned { step, outcome, approval }
    }

    /// Plans `steps` for what follows to see what they make, and forgets what there is to say about them.
    pub(crate) fn lay_all(&mut self, steps: &[Step]) {
        let notes = self.notes.len();
        for step in steps {
            drop(self.plan(step.clone(), Ok));
        }
        self.notes.truncate(notes);
    }

    /// Plans all of `answer`, whose steps are `steps`; those that `stop` keeps from being reached fail.
    pub(crate) fn plan_all(
        &mut self,
        answer: &Answer,
        steps: Vec<Step>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        self.plan_with(answer, steps, &mut |planner, _, step| planner.plan(step, Ok), stop)
    }

    pub(crate) fn plan_with(
        &mut self,
        answer: &Answer,
        steps: Vec<Step>,
        one: &mut PlanOne<'_, 'a>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        self.answer = answer.atomicity;
        self.look_at_lines(&steps);
        self.look_at_turns(&steps);
        let planned = match answer.atomicity {
            Atomicity::Blocks => self.plan_blocks(steps, one, stop),
            Atomicity::AllOrNothing => self.plan_whole(steps, !answer.errors.is_empty(), one, stop),
        };
        self.tell_broken(&planned);
        planned
    }

    /// The same; hands each to `each` before blocks that cannot be done as a whole are rolled back. Returns by step the
    /// file of which it keeps little, too.
    fn plan_each(
        &mut self,
        answer: &Answer,
        steps: Vec<Step>,
        each: &mut dyn FnMut(&Planner<'_>, &Planned),
        stop: &dyn Fn() -> Option<Stop>,
    ) -> (Vec<Planned>, HashMap<usize, Shrinks>) {
        let mut shrinks = HashMap::new();
        let mut one = |planner: &mut Planner<'a>, _: usize, step: Step| {
            let planned = planner.plan(step, Ok);
            shrinks.insert(planned.step.seq, planner.shrinks.clone());
            each(planner, &planned);
            planned
        };
        let planned = self.plan_with(answer, steps, &mut one, stop);
        (planned, shrinks)
    }

    /// Notes data that could be read before these actions, and cannot be read after them.
    fn tell_broken(&mut self, planned: &[Planned]) {
        let mut files: Vec<(&Write, &Write)> = Vec::new();
        for write in
            planned.iter().filter_map(|planned| planned.outcome.as_ref().ok()).flat_map(Effect::writes)
        {
            match files.iter_mut().find(|(first, _)| first.path == write.path) {
                Some((_, last)) => *last = write,
                None if broken::is_data(write.path.relative()) => files.push((write, write)),
                None => {}
            }
        }
        for (first, last) in files {
            let [old, new] =
                [first.old.as_deref(), Some(&*last.new)].map(|text| std::str::from_utf8(text?).ok());
            let (Some(old), Some(new)) = (old, new) else { continue };
            if let Some((format, why)) = broken::broken(last.path.relative(), old, new) {
                let (path, why) = (visible_line(last.path.written()), visible_line(&why).into_owned());
                let message = format!("'{path}' was {format} before, and is none after this answer: {why}");
                self.notes.push(OperationWarning { task: None, message });
            }
        }
    }

    fn effect(&mut self, step: &Step) -> Result<Effect, Failure> {
        let action = step.action.as_ref().map_err(|failure| (**failure).clone())?;
        self.refuse_command(action)?;
        if let Some(definition) = clada_schema::definition(action.name()) {
            if !definition.allows(Caller::Llm) {
                let message = "Not allowed in a model's answer (NOT_ALLOWED_FOR_LLM)".to_owned();
                return Err(Failure::with_message(ErrorKind::NotAllowedForLlm, message)
                    .hint("only the user can do this"));
            }
            if !definition.available {
                return Err(unavailable());
            }
        }
        // From here on the action says all that it means, as `meant` has completed it.
        let meant = self.meant(step, action);
        match self.without_numbers(meant)?.as_ref() {
            Action::FileWrite(write) => self.file_write(&write.path, &write.content, step.terms),
            Action::FileAppend(append) => self.file_append(&append.path, &append.content, step.terms),
            Action::FileReplaceText(replace) => self.replace_text(replace, self.level(step)),
            Action::FileReplaceAllText(replace) => self.replace_all_text(replace, self.level(step)),
            Action::FilesReplaceAllText(replace) => self.replace_in_files(replace, step),
            Action::FileReplaceTextRange(range) => self.replace_range(range),
            Action::FileReplaceLines(lines) => self.replace_lines(lines),
            Action::FileDelete(delete) => self.file_delete(&delete.path, step),
            Action::FileMove(action) => {
                self.file_move(&action.old_path, &action.new_path, step.terms.if_exists)
            }
            Action::FilePatch(patch) => self.file_patch(patch, step),
            Action::FileReplaceTexts(edit) => self.replace_texts(edit, self.level(step)),
            Action::DirCreate(action) => self.dir_create(&action.path),
            Action::DirDelete(action) => self.dir_delete(&action.path),
            Action::FileRead(read) => self.file_read(&read.path),
            Action::FileReadNumbered(read) => self.file_read_numbered(read),
            Action::FilesRead(read) => self.files_read(&read.paths),
            Action::Ls(list) => self.ls(&list.path),
            Action::Grep(grep) => self.grep(grep),
            Action::Glob(glob) => self.glob(glob),
            Action::Run(run) => self.run(run, step),
            Action::Exec(exec) => self.exec(exec),
            Action::ContextAdd(action) => self.context_add(&action.path),
            Action::ContextRemove(action) => self.context_remove(&action.path),
            Action::ContextList(_) => Ok(Effect::ReadOnly(ReadOnlyAction::Context(ContextChange::List))),
            Action::ContextPrune(_) => Ok(Effect::ReadOnly(ReadOnlyAction::Context(ContextChange::Prune))),
            Action::ContextClear(_) => Ok(Effect::ReadOnly(ReadOnlyAction::Context(ContextChange::Clear))),
            // A user's own, each a method of its own.
            Action::GitSquash(_)
            | Action::GitStepBack(_)
            | Action::GitStepForward(_)
            | Action::Undo(_)
            | Action::Redo(_) => Err(unavailable()),
        }
    }

    fn refuse_command(&self, action: &Action) -> Result<(), Failure> {
        let refuse = |issue: &str, hint: &str| {
            let message = format!("{issue} (COMMAND_NOT_ALLOWED)");
            Failure::with_message(ErrorKind::CommandNotAllowed, message).hint(hint)
        };
        match action {
            Action::Run(_) | Action::Exec(_) if self.answer == Atomicity::AllOrNothing => Err(refuse(
                "What a command does cannot be planned, so it cannot be part of all or nothing",
                "send commands in a separate answer",
            )
            .person("or apply this one without --atomic")),
            Action::Run(run) if words::is_cut_by_a_line_break(run.command.trim()) => Err(refuse(
                "A command is one line",
                "write one RUN for each command, or end a line with a backslash to go on in the next one",
            )),
            _ => Ok(()),
        }
    }

    fn approved(
        &mut self,
        step: &Step,
        effect: Effect,
        approval: &mut Option<Approval>,
    ) -> Result<Effect, Failure> {
        let needed = match &effect {
            Effect::Command(command) => self.command_approval(step, command),
            _ => {
                let (lost, hooks) = (self.is_lost(&effect), &self.rules.hook_folders);
                self.approvals.needed(step, &effect, lost, self.shrinks.as_ref(), &mut self.view, hooks)?
            }
        };
        let Some(needed) = needed else { return Ok(effect) };
        // Nobody waits for the user: what is not approved fails, and the rest of the answer is done.
        let outcome = match effect {
            Effect::Command(command) if self.approvals.grants_network(&needed) => {
                Ok(Effect::Command(Box::new(command.with_network())))
            }
            effect if self.atomicity == Atomicity::AllOrNothing || self.approvals.granted(&needed) => {
                Ok(effect)
            }
            _ => Err(self.approvals.refusal(&needed)),
        };
        *approval = Some(needed);
        outcome
    }

    /// Counts what the effect will write, and what it replaces, against `limits.planned_bytes` each.
    fn within_bounds(&mut self, mut effect: Effect) -> Result<Effect, Failure> {
        let bytes = effect.bytes_that_come();
        if self.planned_bytes + bytes > self.rules.planned_bytes {
            return Err(self.too_many_bytes());
        }
        self.hold(&mut effect)?;
        self.planned_bytes += bytes;
        Ok(effect)
    }

    /// Returns true if content that `effect` removes or moves away has no room in the journal, so that it
    /// cannot come back.
    fn is_lost(&self, effect: &Effect) -> bool {
        let bytes = effect.bytes_that_go();
        self.held_bytes + bytes > self.rules.planned_bytes
            && self.unheld_bytes + bytes > self.rules.planned_bytes
    }

    /// Keeps the content that goes only as long as there is room for it: without it a removal is not shown,
    /// and a change is not possible.
    fn hold(&mut self, effect: &mut Effect) -> Result<(), Failure> {
        let room = self.rules.planned_bytes.saturating_sub(self.held_bytes);
        let mut held = effect.bytes_that_go();
        if held > room {
            match effect {
                Effect::Delete { old, .. } => *old = None,
                Effect::Move { content, overwritten, .. } => (*content, *overwritten) = (None, None),
                _ => return Err(self.too_many_bytes()),
            }
            self.unheld_bytes += held;
            held = 0;
        }
        self.held_bytes += held;
        Ok(())
    }

    fn too_many_bytes(&self) -> Failure {
        let limit = self.rules.planned_bytes;
        let message = format!(
            "The answer would write or replace more than limits.planned_bytes of {limit} bytes (LIMIT_EXCEEDED)"
        );
        Failure::with_message(ErrorKind::LimitExceeded, message)
            .hint("send it in parts")
            .person("or raise the limit in your configuration")
    }

    fn lay(&mut self, effect: &Effect) {
        if let Effect::Delete { path: source, .. }
        | Effect::Move { from: source, .. }
        | Effect::WriteMoved { from: source, .. } = effect
        {
            self.forget_name(source);
        }
        match effect {
            Effect::Write(write) if write.is_unchanged() => {}
            Effect::Write(write) => self.view.write(write),
            Effect::WriteMoved { from, write, .. } => {
                self.view.remove(from);
                self.view.write(write);
            }
            Effect::Several(files) => files.iter().flatten().for_each(|write| self.view.write(write)),
            Effect::Delete { path, before: Before::Symlink(_), .. } => self.view.remove_folder(path),
            Effect::Delete { path, .. } => self.view.remove(path),
            Effect::Move { from, to, parents, .. } => {
                if from != to
                    && let Ok(node) = self.view.node(from)
                {
                    self.view.rename(from, node, to, parents);
                }
            }
            Effect::CreateFolder { missing, .. } => self.view.create_folders(missing),
            Effect::RemoveFolder(path) => self.view.remove_folder(path),
            // Comes of no action, so nothing is planned after it.
            Effect::Restore(_) | Effect::ReadOnly(_) | Effect::Command(_) => {}
            Effect::Steps(steps) => steps.iter().for_each(|effect| self.lay(effect)),
        }
    }
}

/// Returns the approvals that the user would have to give for `answer`.
pub fn needed(
    answer: &Answer,
    roots: &Roots,
    rules: &Rules,
    stop: &dyn Fn() -> Option<Stop>,
) -> Vec<Approval> {
    if answer.fatal().is_some() {
        return Vec::new();
    }
    let approvals = Approvals::assumed();
    let mut planner = Planner::new(View::new(roots), rules, &approvals);
    let planned = planner.plan_all(answer, answer.steps.clone(), stop);
    let mut approvals: Vec<Approval> =
        planned.into_iter().filter_map(|planned| planned.approval).take(APPROVALS).collect();
    ready_to_ask(&mut approvals, rules, stop);
    approvals
}
