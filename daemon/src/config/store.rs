//! Keeps the layers that are files, and hands out what holds now. Asks the files for their stamps each time it
//! is asked itself; there is no thread and no clock here. The environment and the flags come as values, once.
//!
//! **A broken file must not widen.** It might have denied a path or lowered a limit, so it is never simply
//! ignored: the last version of it that could be used stays in force, with a warning. If there is none,
//! [`ConfigStore::current`] fails, and with it every request that reads or changes a project's files, until
//! the file is mended or removed. [`ConfigStore::lenient`] serves those that touch none. A file that is
//! removed stops counting: that is how one takes back what it says.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clada_protocol::ConfigShowResult;

use super::layer::Layer;
use super::problem::{ConfigError, Origin, Problem};
use super::read::{Reading, Source, Stamp};
use super::resolve::resolve_all;
use super::settings::Settings;
use super::show;

/// Projects whose layer is kept. One that has to go is read again when it is asked for.
const PROJECTS: usize = 64;

/// A setting given on the command line; the strongest of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The flag as the person knows it, for messages: `--log-level`.
    pub flag: String,
    /// `section.key`.
    pub key: String,
    /// The value as text; lists and maps as YAML in brackets.
    pub value: String,
}

/// Everything that does not change while the daemon runs.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The user's file, if it is known where it would be.
    pub user_file: Option<PathBuf>,
    /// What `~/` stands for.
    pub home: Option<PathBuf>,
    /// Variables whose names begin with `CLADA_`; `None` for a value that is not UTF-8.
    pub environment: Vec<(String, Option<String>)>,
    /// Settings of the command line.
    pub flags: Vec<Override>,
}

impl Inputs {
    /// Takes what is of use out of the environment: `HOME`, `XDG_CONFIG_HOME` and `CLADA_*`. Folders that are
    /// relative are ignored, as XDG asks.
    #[must_use]
    pub fn from_environment(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Inputs {
        let (mut home, mut config, mut environment) = (None, None, Vec::new());
        for (name, value) in variables {
            let Ok(name) = name.into_string() else { continue };
            let folder = || Some(PathBuf::from(&value)).filter(|path| path.is_absolute());
            match name.as_str() {
                "HOME" => home = folder(),
                "XDG_CONFIG_HOME" => config = folder(),
                _ if name.starts_with("CLADA_") => environment.push((name, value.into_string().ok())),
                _ => {}
            }
        }
        environment.sort();
        let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
        let user_file = config.map(|folder| folder.join("clada").join("config.yaml"));
        Inputs { user_file, home, environment, flags: Vec::new() }
    }

    /// Adds the settings of the command line.
    #[must_use]
    pub fn with_flags(self, flags: Vec<Override>) -> Inputs {
        Inputs { flags, ..self }
    }
}

/// Hands out the settings in force. Shared by reference or `Arc`; every method may wait for a disk.
#[derive(Debug)]
pub struct ConfigStore {
    home: Option<PathBuf>,
    environment: Layer,
    flags: Layer,
    user: Option<Mutex<Kept>>,
    projects: Mutex<Projects>,
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
            home,
        }
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
        ConfigShowResult { settings: show::settings(&state.settings), warnings: state.warnings.clone() }
    }

    fn state(&self, root: Option<&Path>) -> Arc<State> {
        let user = match &self.user {
            Some(user) => locked(user).refresh(self.home.as_deref()),
            None => View::default(),
        };
        let Some(root) = root else { return Arc::new(self.weigh(&user, &View::default()).0) };
        let project = locked(&self.projects).get(root);
        let mut project = locked(&project);
        let view = project.refresh(None);
        if let Some(state) =
            project.state.as_ref().filter(|_| project.weighed == (user.version, view.version))
        {
            return Arc::clone(state);
        }
        let (state, sound) = self.weigh(&user, &view);
        if sound {
            project.good = Some(Arc::clone(&project.latest));
        }
        let state = Arc::new(state);
        project.weighed = (user.version, view.version);
        project.state = Some(Arc::clone(&state));
        state
    }

    /// Puts the layers together; also whether the project's latest version could be used.
    fn weigh(&self, user: &View, project: &View) -> (State, bool) {
        let mut blocking: Vec<Problem> = Vec::new();
        let mut warnings = Vec::new();
        let user_layer = user.usable();
        report(
            &user.latest.problems,
            user_layer.is_some(),
            user.origin.as_ref(),
            &mut warnings,
            &mut blocking,
        );

        let attempt = |layer: Option<&Layer>| {
            let layers = [user_layer, layer, Some(&self.environment), Some(&self.flags)];
            let layers: Vec<&Layer> = layers.into_iter().flatten().collect();
            resolve_all(&layers)
        };
        let of_project = |problems: Vec<Problem>| -> Vec<Problem> {
            problems.into_iter().filter(|problem| matches!(problem.origin, Origin::Project(_))).collect()
        };
        let (mut settings, problems) = attempt(Some(&project.latest));
        let problems = of_project(problems);
        let sound = !problems.iter().any(Problem::is_error);
        let mut in_force = true;
        if !sound {
            let earlier = project.good.as_deref().map(|layer| attempt(Some(layer)));
            let earlier = earlier.map(|(settings, problems)| (settings, of_project(problems)));
            let earlier = earlier.filter(|(_, problems)| !problems.iter().any(Problem::is_error));
            in_force = earlier.is_some();
            settings = earlier.map_or_else(|| attempt(None).0, |(settings, _)| settings);
        }
        report(&problems, in_force, project.origin.as_ref(), &mut warnings, &mut blocking);
        for layer in [&self.environment, &self.flags] {
            report(&layer.problems, false, None, &mut warnings, &mut blocking);
        }
        let blocked = (!blocking.is_empty()).then_some(ConfigError { problems: blocking });
        (State { settings: Arc::new(settings), warnings, blocked }, sound)
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
struct State {
    settings: Arc<Settings>,
    warnings: Vec<String>,
    blocked: Option<ConfigError>,
}

/// A file as it was last seen.
#[derive(Debug)]
struct Kept {
    source: Source,
    stamp: Option<Stamp>,
    /// A second reading has found what the first did: two changes within one tick of the file system's clock
    /// look like one.
    settled: bool,
    reading: Reading,
    /// Counts the changes.
    version: u64,
    latest: Arc<Layer>,
    /// The last version that could be used.
    good: Option<Arc<Layer>>,
    /// For a project: what was made of it, and of which versions of the user's file and of this one.
    state: Option<Arc<State>>,
    weighed: (u64, u64),
}

/// What a [`Kept`] file says at the moment.
#[derive(Debug, Default)]
struct View {
    version: u64,
    latest: Arc<Layer>,
    good: Option<Arc<Layer>>,
    origin: Option<Origin>,
}

impl View {
    /// The latest version if it is sound, else the last one that was.
    fn usable(&self) -> Option<&Layer> {
        if self.latest.is_sound() { Some(&self.latest) } else { self.good.as_deref() }
    }
}

impl Kept {
    fn new(source: Source) -> Kept {
        Kept {
            source,
            stamp: None,
            settled: false,
            reading: Reading::Absent,
            version: 0,
            latest: Arc::new(Layer::default()),
            good: None,
            state: None,
            weighed: (0, 0),
        }
    }

    /// Reads the file if it has changed.
    fn refresh(&mut self, home: Option<&Path>) -> View {
        let known = self.stamp.as_ref().filter(|_| self.settled);
        let reading = self.source.read(known);
        if reading != Reading::Unchanged {
            self.take(reading, home);
        }
        let (version, latest) = (self.version, Arc::clone(&self.latest));
        View { version, latest, good: self.good.clone(), origin: Some(self.origin()) }
    }

    fn take(&mut self, reading: Reading, home: Option<&Path>) {
        self.settled = reading == self.reading;
        self.stamp = match &reading {
            Reading::Text(stamp, _) => stamp.clone(),
            Reading::Absent | Reading::Unchanged | Reading::Unusable(..) => None,
        };
        if self.settled {
            return;
        }
        let path = self.source.path();
        let layer = match (&reading, &self.source) {
            (Reading::Absent | Reading::Unchanged, _) => Layer::default(),
            (Reading::Text(_, text), Source::User(_)) => Layer::user(path, text, home),
            (Reading::Text(_, text), Source::Project(_)) => Layer::project(path, text),
            (Reading::Unusable(message, advice), _) => {
                Layer::unusable(self.origin(), message.clone(), advice.clone())
            }
        };
        // Whether a project's version can be used is known only when it is weighed against the user's.
        if layer.is_sound() && matches!(self.source, Source::User(_)) {
            self.good = Some(Arc::new(layer.clone()));
        }
        self.latest = Arc::new(layer);
        self.reading = reading;
        self.version += 1;
    }

    fn origin(&self) -> Origin {
        match &self.source {
            Source::User(path) => Origin::User(path.clone()),
            Source::Project(_) => Origin::Project(self.source.path()),
        }
    }
}

/// The projects asked for lately.
#[derive(Debug, Default)]
struct Projects {
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
