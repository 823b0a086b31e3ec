//! Revalidates a saved plan: each action is planned anew and compared with what was promised of it.
//!
//! Changes nothing. What is not what was promised is a conflict; what was left out or changed before it
//! loosens that: then it need only be the same change, wherever it stands.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use clada_fs::RootedPath;
use clada_protocol::{ErrorKind, NOT_ACCEPTED};

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::accepted::{Accepted, Part};
use crate::plan::exactly::Exactly;
use crate::plan::promise::{Promise, exact, lines, only, wanted_of};
use crate::plan::saved_plan::SavedPlan;
use crate::planned::Planned;
use crate::read::answer::{Answer, Group, Step};
use crate::stop::Stop;
use crate::view::View;

/// The revalidation of a saved plan, in one go or part by part.
#[derive(Clone)]
pub(crate) struct Revalidation<'k> {
    kept: &'k SavedPlan,
    accepted: Accepted<'k>,
    replanning: Replanning,
    refuse: Option<Refuse<'k>>,
    /// Of groups: what becomes of each step, once it is known.
    exactly: Option<Arc<Exactly>>,
}

/// Why an effect that was planned is not to be.
pub(crate) type Refuse<'k> = &'k dyn Fn(&Effect) -> Option<Failure>;

impl<'k> Revalidation<'k> {
    /// Returns the revalidation of what is accepted of `kept`.
    pub(crate) fn new(kept: &'k SavedPlan, accept: Option<&'k [String]>) -> Revalidation<'k> {
        Revalidation {
            kept,
            accepted: kept.accepted(accept),
            replanning: Replanning::default(),
            refuse: None,
            exactly: None,
        }
    }

    /// The same without what `refuse` has a reason against.
    pub(crate) fn without(self, refuse: Option<Refuse<'k>>) -> Revalidation<'k> {
        Revalidation { refuse, ..self }
    }

    /// Plans these of its steps again, which come after those before, and holds them against what was
    /// promised.
    pub(crate) fn plan(
        &mut self,
        planner: &mut Planner<'_>,
        answer: &Answer,
        steps: Vec<Step>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        let Revalidation { kept, accepted, replanning, refuse, exactly } = self;
        planner.match_down_to(kept.matching);
        if accepted.has_groups() {
            // Nothing is carried out yet when the first steps are planned.
            let exactly =
                exactly.get_or_insert_with(|| Arc::new(Exactly::new(kept, accepted, planner, *refuse, stop)));
            let mut one =
                |planner: &mut Planner<'_>, _: usize, step: Step| exactly.plan(planner, step, *refuse);
            return planner.plan_with(answer, steps, &mut one, stop);
        }
        // Another planner has taken nothing back yet.
        replanning.taken_back = planner.taken_back();
        let promised: HashMap<usize, &Promise> =
            kept.steps.iter().map(|step| step.seq).zip(&kept.promised).collect();
        let mut one = |planner: &mut Planner<'_>, _: usize, step: Step| {
            let part = accepted.part(&step);
            match promised.get(&step.seq) {
                Some(promise) => replanning.replan(planner, step, promise, (&part, *refuse)),
                None => Planned { step, outcome: Err(conflict("", false)), approval: None },
            }
        };
        planner.plan_with(answer, steps, &mut one, stop)
    }

    /// A program has run: what comes later need only be the same change, wherever it stands.
    pub(crate) fn after_program(&mut self) {
        self.replanning.after_program = true;
    }
}

impl SavedPlan {
    /// Plans again, for an editor, what is accepted, and holds it against what was promised; not what
    /// `refuse` has a reason against.
    pub(crate) fn replan(
        &self,
        planner: &mut Planner<'_>,
        accept: Option<&[String]>,
        refuse: Option<Refuse<'_>>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        let mut again = Revalidation::new(self, accept).without(refuse);
        again.plan(planner, self.answer(), self.steps.clone(), stop)
    }
}

/// A plan that is made again, as far as it is.
#[derive(Clone, Default)]
struct Replanning {
    /// A program of the plan has run, which may have changed anything.
    after_program: bool,
    /// Paths of which something was left out: what comes later need only be the same change.
    loosened: HashSet<RootedPath>,
    /// The plan of the block at hand, in case it is discarded as a whole.
    block: Option<Group>,
    about: Vec<RootedPath>,
    taken_back: usize,
}

impl Replanning {
    /// Plans the accepted `part` of `step` again, and holds it against what was promised.
    fn replan(
        &mut self,
        planner: &mut Planner<'_>,
        step: Step,
        promise: &Promise,
        (part, refuse): (&Part, Option<Refuse<'_>>),
    ) -> Planned {
        self.follow(planner, &step);
        let failed = |step, failure| Planned { step, outcome: Err(failure), approval: None };
        let (exact, lines) = match promise {
            Promise::Failure(failure) => return failed(step, (**failure).clone()),
            Promise::Change { exact, lines } => (exact, lines),
        };
        if matches!(part, Part::Nothing) {
            // What it would have done is not seen by later actions, but which paths it is about is known.
            let loosened = &mut self.loosened;
            let probe = planner.plan(step, |effect| Err(left_out(&effect, exact, loosened)));
            let failure =
                probe.outcome.err().unwrap_or_else(|| Failure::said(ErrorKind::Skipped, String::new()));
            let failure = Failure { kind: ErrorKind::Skipped, approval: None, ..not_accepted(failure) };
            return failed(probe.step, failure);
        }
        // A line's number means another line when something above it is left out.
        let promised = (exact, (!step.is_by_number()).then_some(lines));
        let mut about = Vec::new();
        let mut next = planner.plan(step, |effect| {
            let kept = check_promise(effect, promised, part, self.after_program, &mut self.loosened)?;
            about.extend(kept.paths().cloned());
            refuse.and_then(|refuse| refuse(&kept)).map_or(Ok(kept), Err)
        });
        if next.outcome.is_err() {
            // It was what was planned, and waits for approval or is refused: it is left out like one not
            // accepted.
            self.loosened.extend(about);
        } else {
            self.about.extend(about);
        }
        next.outcome = next.outcome.map_err(|failure| no_longer(failure, planner.view(), &self.loosened));
        next
    }

    /// Notes whether the block before was discarded: then it is left out, too.
    fn follow(&mut self, planner: &Planner<'_>, step: &Step) {
        if self.taken_back != planner.taken_back() {
            self.taken_back = planner.taken_back();
            self.loosened.extend(self.about.drain(..));
        }
        if self.block != Some(step.group) {
            self.block = Some(step.group);
            self.about.clear();
        }
    }
}

/// Notes the paths of an effect that is left out; the failure stands for it. Not if another process changed
/// them meanwhile: then what comes later is a conflict.
fn left_out(effect: &Effect, promised: &blake3::Hash, loosened: &mut HashSet<RootedPath>) -> Failure {
    if exact(effect) == *promised || effect.paths().any(|path| loosened.contains(path)) {
        loosened.extend(effect.paths().cloned());
    }
    Failure::said(ErrorKind::Skipped, String::new())
}

pub(super) fn not_accepted(failure: Failure) -> Failure {
    Failure { message: NOT_ACCEPTED.to_owned(), hint: None, place: None, ..failure }
}

/// The effect, if it is what was promised: exactly, or, where something before it was left out, the same
/// change.
fn check_promise(
    effect: Effect,
    (promised_exact, promised_lines): (&blake3::Hash, Option<&blake3::Hash>),
    part: &Part,
    after_program: bool,
    loosened: &mut HashSet<RootedPath>,
) -> Result<Effect, Failure> {
    let loose = effect.paths().any(|path| loosened.contains(path));
    let kept = exact(&effect) == *promised_exact
        || ((loose || after_program) && promised_lines.is_some_and(|promised| lines(&effect) == *promised));
    if !kept {
        return Err(conflict(effect.paths().next().map_or("", |path| path.written()), loose));
    }
    match (part, effect) {
        (Part::Hunks(wanted), Effect::Write(write)) => {
            loosened.insert(write.path.clone());
            Ok(Effect::Write(only(write, wanted)))
        }
        (Part::All, effect) => Ok(effect),
        (Part::Hunks(_) | Part::Nothing, effect) => {
            let path = effect.paths().next().map_or("", |path| path.written());
            Err(Failure::at(ErrorKind::Conflict, "Change has no hunks", path, "CONFLICT"))
        }
    }
}

/// The effect of a step, of whose change hunks were declined before, without those.
pub(super) fn without_declined(step: &Step, effect: Effect) -> Result<Effect, Failure> {
    let Some(wanted) = &step.wanted else { return Ok(effect) };
    if effect.is_unchanged() {
        return Ok(effect);
    }
    let Some(hunks) = wanted_of(&effect, wanted) else {
        let path = effect.paths().next().map_or("", |path| path.written());
        let issue = "Change is not the one of which a part was accepted";
        return Err(Failure::at(ErrorKind::Conflict, issue, path, "CONFLICT")
            .hint("show the answer again, and choose from what it is now"));
    };
    match effect {
        Effect::Write(write) => Ok(Effect::Write(only(write, &hunks))),
        effect => Ok(effect),
    }
}

/// Why what could be planned once cannot be any more: its file is another one now.
pub(super) fn no_longer(failure: Failure, view: &View<'_>, loosened: &HashSet<RootedPath>) -> Failure {
    use ErrorKind::{
        AlreadyInFile, Ambiguous, DirectoryNotEmpty, FileExists, FileNotFound, InvalidValue, IsDirectory,
        MatchCount, NoMatch, NotDirectory, NotRegularFile, NotText,
    };
    let of_the_file = matches!(
        failure.kind,
        NoMatch
            | MatchCount
            | Ambiguous
            | AlreadyInFile
            | InvalidValue
            | NotText
            | FileNotFound
            | FileExists
            | IsDirectory
            | NotDirectory
            | NotRegularFile
            | DirectoryNotEmpty
    );
    match &failure.path {
        Some(path) if of_the_file => {
            conflict(path, view.roots().resolve(path).is_ok_and(|path| loosened.contains(&path)))
        }
        _ => failure,
    }
}

pub(crate) fn conflict(path: &str, loose: bool) -> Failure {
    let (issue, hint) = match loose {
        true => ("Change depends on one that was not accepted", "accept that one, too"),
        false => ("File changed since it was planned", "send it again, made for the file as it is now"),
    };
    Failure::at(ErrorKind::Conflict, issue, path, "CONFLICT")
        .hint(hint)
        .person("or apply the answer again, which leaves out what is done")
}
