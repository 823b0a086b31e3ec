//! Keeps the layers that are files, and hands out what holds now. Asks the files for their stamps each time it
//! is asked itself; there is no thread and no clock here. The environment and the flags come as values, once.
//!
//! **A broken file must not widen.** It might have denied a path or lowered a limit, so it is never simply
//! ignored: the last version of it that could be used stays in force, with a warning. If there is none,
//! [`ConfigStore::current`] fails, and with it every request that reads or changes a project's files, until
//! the file is mended or removed. [`ConfigStore::lenient`] serves those that touch none. A file that is
//! removed stops counting, which is how one takes back what it says; its absence is no version to go back to.
//!
//! What a project's file says beyond narrowing is in force only as long as a person trusts the file as it is; who
//! knows that is asked through [`Trusting`], each time, since it may be taken back at any time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clada_protocol::ConfigShowResult;

use super::inputs::Inputs;
use super::kept::{Kept, View};
use super::layer::Layer;
use super::problem::{ConfigError, Origin, Problem};
use super::read::Source;
use super::resolve::{Trust, resolve_all};
use super::settings::Settings;
use super::show;

/// Projects whose layer is kept. One that has to go is read again when it is asked for.
const PROJECTS: usize = 64;

/// Knows which files of projects a person has trusted.
pub trait Trusting: std::fmt::Debug + Send + Sync {
    /// Whether the file of the project at `root` whose text has this `hash` is trusted.
    fn trusts(&self, root: &Path, hash: &blake3::Hash) -> bool;
}

/// A project's file, for a person to look at.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// What is in it.
    pub text: String,
    /// Tells this text from any other.
    pub hash: blake3::Hash,
    /// What it says that is in force only if it is trusted.
    pub widens: Vec<Problem>,
    /// What else is wrong with it.
    pub problems: Vec<Problem>,
    /// Whether it is trusted as it is.
    pub trusted: bool,
}

/// Hands out the settings in force. Shared by reference or `Arc`; every method may wait for a disk.
#[derive(Debug)]
pub struct ConfigStore {
    home: Option<PathBuf>,
    environment: Layer,
    flags: Layer,
    user: Option<Mutex<Kept>>,
    projects: Mutex<Projects>,
    trusting: Option<Box<dyn Trusting>>,
}

impl ConfigStore {
    /// A store that has read nothing yet.
    #[must_use]
    pub fn new(inputs: Inputs) -> ConfigStore {
        let home = inputs.home;
        ConfigStore {
            environment: Layer::environment(&inputs.environment, home.as_deref()),
            flags: Layer::flags(&inputs.flags, home.as_deref()),
            user: inputs.user_file.map(|path| Mutex::new(Kept::new(Source::User(path)))),
            projects: Mutex::new(Projects::default()),
            trusting: None,
            home,
        }
    }

    /// The same, where `trusting` knows which files of projects are trusted. Without it none is.
    #[must_use]
    pub fn trusting(self, trusting: Box<dyn Trusting>) -> ConfigStore {
        ConfigStore { trusting: Some(trusting), ..self }
    }

    /// The settings in force for the project at `root`, an absolute path, or for none.
    ///
    /// # Errors
    /// A file, variable or flag cannot be used, and there is no earlier version of it that could.
    pub fn current(&self, root: Option<&Path>) -> Result<Arc<Settings>, ConfigError> {
        let state = self.state(root);
        match &state.blocked {
            None => Ok(Arc::clone(&state.settings)),
            Some(error) => Err(error.clone()),
        }
    }

    /// What can be used of the settings, whatever is broken: for the daemon's own start, and for requests that
    /// neither read nor change a project's files. A layer that is broken does not count.
    #[must_use]
    pub fn lenient(&self, root: Option<&Path>) -> Arc<Settings> {
        Arc::clone(&self.state(root).settings)
    }

    /// What is wrong with the files, the variables and the flags, and what holds instead.
    #[must_use]
    pub fn warnings(&self, root: Option<&Path>) -> Vec<String> {
        self.state(root).warnings.clone()
    }

    /// Every effective setting with its origin: the result of `config.show`.
    #[must_use]
    pub fn show(&self, root: Option<&Path>) -> ConfigShowResult {
        let state = self.state(root);
        ConfigShowResult {
            settings: show::settings(&state.settings),
            warnings: state.warnings.clone(),
            defaults: None,
        }
    }

    /// The file of the project at `root`, as it is now; `None` if there is none that can be read.
    #[must_use]
    pub fn project_file(&self, root: &Path) -> Option<ProjectFile> {
        let user = self.user_view();
        let project = locked(&self.projects).get(root);
        let view = locked(&project).refresh(self.home.as_deref());
        let hash = view.text?;
        let (_, problems) = self.attempt(&user, &view.latest, Trust::Withheld);
        let (widens, problems) = problems.into_iter().partition(Problem::awaits_trust);
        let text = view.latest.text().to_owned();
        Some(ProjectFile { text, hash, widens, problems, trusted: self.trusts(root, &hash) })
    }

    fn trusts(&self, root: &Path, hash: &blake3::Hash) -> bool {
        self.trusting.as_ref().is_some_and(|trusting| trusting.trusts(root, hash))
    }

    fn user_view(&self) -> View {
        match &self.user {
            Some(user) => {
                let mut user = locked(user);
                let view = user.refresh(self.home.as_deref());
                // Weighed against nothing, this layer is sound or not by itself.
                if view.latest.is_sound() {
                    user.approve();
                }
                view
            }
            None => View::default(),
        }
    }

    fn state(&self, root: Option<&Path>) -> Arc<State> {
        let user = self.user_view();
        let Some(root) = root else {
            return Arc::new(self.weigh(&user, &View::default(), Trust::Withheld).0);
        };
        // Never held while a disk is waited for: a project that hangs must not hold up the others.
        let project = locked(&self.projects).get(root);
        let mut project = locked(&project);
        let view = project.refresh(self.home.as_deref());
        let mut of = |trust| {
            if let Some(state) = project.weighed(user.version, trust) {
                return state;
            }
            let (state, sound) = self.weigh(&user, &view, trust);
            if sound {
                project.approve();
            }
            let state = Arc::new(state);
            project.remember(user.version, trust, &state);
            state
        };
        let narrowed = of(Trust::Withheld);
        let trusted = narrowed.awaits_trust && view.text.is_some_and(|hash| self.trusts(root, &hash));
        if trusted { of(Trust::Given) } else { narrowed }
    }

    /// The settings that hold with `layer` as the project's, and what is wrong with it.
    fn attempt(&self, user: &View, layer: &Layer, trust: Trust) -> (Settings, Vec<Problem>) {
        let none = Layer::default();
        let layers = [user.usable().unwrap_or(&none), layer, &self.environment, &self.flags];
        let (settings, mut problems) = resolve_all(&layers, trust);
        problems.retain(|problem| matches!(problem.origin, Origin::Project(_)));
        (settings, problems)
    }

    /// Puts the layers together; also whether the project's latest version could be used.
    fn weigh(&self, user: &View, project: &View, trust: Trust) -> (State, bool) {
        let (mut warnings, mut blocking) = (Vec::new(), Vec::new());
        report(
            &user.latest.problems,
            user.usable().is_some(),
            user.origin.as_ref(),
            &mut warnings,
            &mut blocking,
        );

        let attempt = |layer: &Layer| {
            let (settings, problems) = self.attempt(user, layer, trust);
            let sound = !problems.iter().any(Problem::is_error);
            (settings, problems, sound)
        };
        let (mut settings, problems, sound) = attempt(&project.latest);
        let mut in_force = sound;
        if !sound {
            // An earlier version may have become one that cannot be used, because the user's has become stricter.
            let earlier = project.good.as_deref().map(&attempt).filter(|(_, _, sound)| *sound);
            in_force = earlier.is_some();
            settings = earlier.unwrap_or_else(|| attempt(&Layer::default())).0;
        }
        report(&problems, in_force, project.origin.as_ref(), &mut warnings, &mut blocking);
        for layer in [&self.environment, &self.flags] {
            report(&layer.problems, false, None, &mut warnings, &mut blocking);
        }
        let blocked = (!blocking.is_empty()).then_some(ConfigError { problems: blocking });
        let awaits_trust = sound && problems.iter().any(Problem::awaits_trust);
        (State { settings: Arc::new(settings), warnings, blocked, awaits_trust }, sound)
    }
}

/// Tells of `problems`; those that are errors block unless an earlier version of the file is `in_force`.
fn report(
    problems: &[Problem],
    in_force: bool,
    file: Option<&Origin>,
    warnings: &mut Vec<String>,
    blocking: &mut Vec<Problem>,
) {
    warnings.extend(problems.iter().map(Problem::to_string));
    if !problems.iter().any(Problem::is_error) {
        return;
    }
    let what = file.map_or_else(|| "This".to_owned(), Origin::to_string);
    if in_force {
        warnings.push(format!(
            "{what} is not used as it is now: the last version of it that was sound stays in force."
        ));
    } else {
        warnings.push(format!(
            "{what} is not used, and until it is mended no file of a project is read or changed."
        ));
        blocking.extend(problems.iter().filter(|problem| problem.is_error()).cloned());
    }
}

/// What holds, and what is wrong.
#[derive(Debug)]
pub(super) struct State {
    settings: Arc<Settings>,
    warnings: Vec<String>,
    blocked: Option<ConfigError>,
    /// There is more in the project's file than holds.
    awaits_trust: bool,
}

/// The projects asked for lately.
#[derive(Debug, Default)]
struct Projects {
    /// Counts the calls, which tells who was asked for last.
    asked: u64,
    kept: HashMap<PathBuf, (u64, Arc<Mutex<Kept>>)>,
}

impl Projects {
    fn get(&mut self, root: &Path) -> Arc<Mutex<Kept>> {
        self.asked += 1;
        if let Some((last, kept)) = self.kept.get_mut(root) {
            *last = self.asked;
            return Arc::clone(kept);
        }
        if self.kept.len() >= PROJECTS {
            let oldest = self.kept.iter().min_by_key(|(_, (last, _))| *last).map(|(root, _)| root.clone());
            oldest.map(|root| self.kept.remove(&root));
        }
        let kept = Arc::new(Mutex::new(Kept::new(Source::Project(root.to_owned()))));
        self.kept.insert(root.to_owned(), (self.asked, Arc::clone(&kept)));
        kept
    }
}

/// A panic elsewhere leaves nothing half done in what these guard: every field is replaced whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
