//! The check of a saved plan: what its steps come to now, and which of them are no longer what was shown.
//!
//! Holds what was found; `revalidate` finds it.

use std::collections::{HashMap, HashSet};

use clada_fs::{RootedPath, Roots};
use clada_protocol::{ErrorKind, OperationWarning};

use super::planner::Shrinks;
use super::promise::conflict;
use crate::effect::Effect;
use crate::failure::Failure;
use crate::planned::Planned;
use crate::rules::Rules;
use crate::view::View;

const MAX_EFFECTS: usize = 16 << 20;

#[derive(Debug, Clone, Default)]
pub(crate) struct PlanCheck {
    // What each step comes to if all of it is approved.
    pub(crate) planned: Vec<Planned>,
    pub(super) shrinks: HashMap<usize, Shrinks>,
    pub(crate) notes: Vec<OperationWarning>,
    // The steps that are no longer what was shown, and why.
    pub(crate) stale: HashMap<usize, Failure>,
    pub(super) stale_paths: Vec<RootedPath>,
    // If a step is stale: the paths that are not as they were read.
    pub(crate) changed: HashSet<RootedPath>,
}

impl PlanCheck {
    // A check that found everything as it was `planned`.
    pub(super) fn current(
        planned: Vec<Planned>,
        shrinks: HashMap<usize, Shrinks>,
        notes: Vec<OperationWarning>,
    ) -> PlanCheck {
        PlanCheck { planned, shrinks, notes, ..PlanCheck::default() }
    }

    // Returns whether what was `planned` is kept: not if it is more than is, a program, or a failure, since what
    // that depends on is not known.
    pub(super) fn is_kept(planned: &[Planned]) -> bool {
        let bytes = |planned: &Planned| {
            let effect = planned.outcome.as_ref().ok()?;
            let change = planned.approval.as_ref().and_then(|approval| approval.change.as_ref());
            let texts = effect.bytes_that_come() + effect.bytes_that_go() + change.map_or(0, String::len);
            (!matches!(effect, Effect::Command(_))).then_some(texts)
        };
        planned.iter().map(bytes).sum::<Option<usize>>().is_some_and(|texts| texts <= MAX_EFFECTS)
    }

    // Refuses an effect at a path of a stale step: without that one, it finds another file there than was
    // shown.
    pub(super) fn refuse_stale(&self, effect: Effect) -> Result<Effect, Failure> {
        let is_stale = |path: &&RootedPath| self.stale_paths.iter().any(|stale| path.starts_with(stale));
        let stale = effect.paths().find(is_stale).map(|path| conflict(path.written(), false));
        stale.map_or(Ok(effect), Err)
    }
}

pub(crate) type Refuse<'k> = &'k dyn Fn(&Effect) -> Option<Failure>;

pub(super) fn refused(refuse: Option<Refuse<'_>>, effect: Effect) -> Result<Effect, Failure> {
    refuse.and_then(|refuse| refuse(&effect)).map_or(Ok(effect), Err)
}

// Why what could be planned once cannot be any more: its file is another one now.
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

// A hash of what decides, besides the files, what an answer does.
pub(super) fn terms(roots: &Roots, rules: &Rules) -> blake3::Hash {
    blake3::hash(format!("{}{}", roots.terms(), rules.terms()).as_bytes())
}
