//! Keeps the layers that are files, and returns the settings in force. Checks the stamps of the
//! files at every call; there is no thread and no clock here. The environment and the flags are
//! passed in once, as values.
//!
//! **A broken file must not widen.** It might have denied a path or lowered a limit, so it is never
//! simply ignored: its last usable version stays in force, with a warning. If there is none,
//! [`ConfigStore::current`] fails, and with it every request that reads or changes a project's files,
//! until the file is repaired or removed. [`ConfigStore::lenient`] serves requests that touch no
//! files. A file that is removed stops counting, which is how a user revokes its settings; its absence
//! is not a version to fall back on.
//!
//! Settings of a project's file that go beyond narrowing are in force only as long as a user trusts its
//! current text. [`Trusting`] is asked about that at every call, since trust may be revoked at any time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clada_protocol::ConfigShowResult;
use clada_protocol::method::CallSettings;

use super::edit::{self, NotSet};
use super::inputs::Inputs;
use super::layer::{Layer, ProjectLists};
use super::layer_file::{ConfigState, LayerFile, LayerSource, LayerView};
use super::problem::{ConfigError, Origin, Problem};
use super::resolve::{Trust, resolve_all};
use super::settings::{Key, Settings};
use super::show;

/// A register of the project files that a user has trusted.
pub trait Trusting: std::fmt::Debug + Send + Sync {
    /// Returns whether the file of the project at `root` whose text has this `hash` is trusted.
    fn trusts(&self, root: &Path, hash: &blake3::Hash) -> bool;
}

/// A project's file, to be shown to the user.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// The text of the file.
    pub text: String,
    /// The hash of the text.
    pub hash: blake3::Hash,
    /// The settings that take effect only if the file is trusted.
    pub widens: Vec<Problem>,
    /// All other problems of the file.
    pub problems: Vec<Problem>,
    /// True if the current text is trusted.
    pub trusted: bool,
}

/// The file of one project, as it was last read, and the settings made from it. Clones are the same one. A
/// file that is broken stays in force as it was before, so a project has to have the same one for as long as
/// it is in use.
#[derive(Debug, Clone)]
pub struct ProjectLayer {
    root: PathBuf,
    file: Arc<Mutex<LayerFile>>,
}

impl ProjectLayer {
    /// Returns the layer of the project at `root`, an absolute path; nothing is read yet.
    #[must_use]
    pub fn new(root: &Path) -> ProjectLayer {
        let file = Arc::new(Mutex::new(LayerFile::new(LayerSource::Project(root.to_owned()))));
        ProjectLayer { root: root.to_owned(), file }
    }

    fn file(&self) -> PathBuf {
        self.root.join(".clada").join("config.yaml")
    }
}

/// A store that returns the settings in force. Shared by reference or `Arc`; every
/// method may wait for a disk.
#[derive(Debug)]
pub struct ConfigStore {
    home: Option<PathBuf>,
    environment: Layer,
    flags: Layer,
    user: Option<Mutex<LayerFile>>,
    user_file: Option<PathBuf>,
    trusting: Option<Box<dyn Trusting>>,
}

/// The store as one request sees it, whose own settings win over all others.
#[derive(Debug)]
pub struct CallConfig<'a> {
    store: &'a ConfigStore,
    settings: Layer,
}

impl CallConfig<'_> {
    /// Returns the settings in force for a project, or for no project.
    ///
    /// # Errors
    /// As for [`ConfigStore::current`].
    pub fn current(&self, project: Option<&ProjectLayer>) -> Result<Arc<Settings>, ConfigError> {
        self.state(project).usable()
    }

    /// Describes the problems of files, variables and flags, and the settings used instead.
    #[must_use]
    pub fn warnings(&self, project: Option<&ProjectLayer>) -> Vec<String> {
        self.state(project).warnings.clone()
    }

    /// Returns every setting in force with its origin: the result of `config.show`.
    #[must_use]
    pub fn show(&self, project: Option<&ProjectLayer>) -> ConfigShowResult {
        let state = self.state(project);
        ConfigShowResult {
            settings: show::settings(&state.settings),
            warnings: state.warnings.clone(),
            broken: state.is_broken,
            user_file: self.store.user_file.as_deref().map(shown),
            project_file: project.map(|layer| shown(&layer.file())),
            defaults: None,
        }
    }

    fn state(&self, project: Option<&ProjectLayer>) -> Arc<ConfigState> {
        let state = self.store.state(project);
        if self.settings.is_empty() && self.settings.problems.is_empty() {
            return state;
        }
        let user = self.store.user_view();
        let (view, trust) = match project {
            None => (LayerView::default(), Trust::Withheld),
            Some(ProjectLayer { root, file }) => {
                let view = locked(file).refresh(self.store.home.as_deref());
                let is_trusted = view.text.is_some_and(|hash| self.store.trusts(root, &hash));
                (view, if is_trusted { Trust::Granted } else { Trust::Withheld })
            }
        };
        Arc::new(self.store.weigh(&user, &view, trust, &self.settings).0)
    }
}

impl ConfigStore {
    /// Makes a store that has read nothing yet.
    #[must_use]
    pub fn new(inputs: Inputs) -> ConfigStore {
        let home = inputs.home;
        ConfigStore {
            environment: Layer::environment(&inputs.environment, home.as_deref()),
            flags: Layer::flags(&inputs.flags, home.as_deref()),
            user: inputs.user_file.clone().map(|path| Mutex::new(LayerFile::new(LayerSource::User(path)))),
            user_file: inputs.user_file,
            trusting: None,
            home,
        }
    }

    /// Sets the register of trusted project files. Without it none is trusted.
    #[must_use]
    pub fn trusting(self, trusting: Box<dyn Trusting>) -> ConfigStore {
        ConfigStore { trusting: Some(trusting), ..self }
    }

    /// Returns the settings in force for a project, or for no project.
    ///
    /// # Errors
    /// A file, variable or flag cannot be used, and there is no earlier usable version of it.
    pub fn current(&self, project: Option<&ProjectLayer>) -> Result<Arc<Settings>, ConfigError> {
        self.state(project).usable()
    }

    /// Returns the store as a request with these settings of its own sees it.
    #[must_use]
    pub fn for_call(&self, settings: &CallSettings) -> CallConfig<'_> {
        CallConfig { store: self, settings: Layer::call(settings, self.home.as_deref()) }
    }

    /// Returns the usable settings even if something is broken: for the daemon's own start, and for requests
    /// that neither read nor change a project's files. A broken layer does not count.
    #[must_use]
    pub fn lenient(&self, project: Option<&ProjectLayer>) -> Arc<Settings> {
        Arc::clone(&self.state(project).settings)
    }

    /// Describes the problems of files, variables and flags, and the settings used instead.
    #[must_use]
    pub fn warnings(&self, project: Option<&ProjectLayer>) -> Vec<String> {
        self.state(project).warnings.clone()
    }

    /// Returns the path of the user's file, if it can be determined.
    #[must_use]
    pub fn user_file(&self) -> Option<&Path> {
        self.user_file.as_deref()
    }

    /// Returns `text`, which is the project's file, or the user's without a project, with `key` set to
    /// `value`; all else in it stays as it is.
    ///
    /// # Errors
    /// The value is not allowed, the file has a fault, or its lines cannot be distinguished.
    pub fn edited(
        &self,
        project: Option<&ProjectLayer>,
        text: &str,
        key: Key,
        value: &str,
    ) -> Result<String, NotSet> {
        match project {
            Some(layer) => edit::set(text, &Origin::Project(layer.file()), key, value, None),
            None => {
                let path = self.user_file.clone().unwrap_or_default();
                edit::set(text, &Origin::User(path), key, value, self.home.as_deref())
            }
        }
    }

    /// Returns `text`, which is the project's file, or the user's without a project, without `key`.
    ///
    /// # Errors
    /// The file has a fault, or its lines cannot be distinguished.
    pub fn without(&self, project: Option<&ProjectLayer>, text: &str, key: Key) -> Result<String, NotSet> {
        let origin = match project {
            Some(layer) => Origin::Project(layer.file()),
            None => Origin::User(self.user_file.clone().unwrap_or_default()),
        };
        edit::unset(text, &origin, key, self.home.as_deref())
    }

    /// Returns the current file of a project; `None` if there is none that can be read.
    #[must_use]
    pub fn project_file(&self, project: &ProjectLayer) -> Option<ProjectFile> {
        let user = self.user_view();
        let view = locked(&project.file).refresh(self.home.as_deref());
        let hash = view.text?;
        let (_, problems) = self.attempt(&user, &view.latest, Trust::Withheld, &Layer::default());
        let (widens, problems) = problems.into_iter().partition(Problem::awaits_trust);
        let text = view.latest.text().to_owned();
        Some(ProjectFile { text, hash, widens, problems, trusted: self.trusts(&project.root, &hash) })
    }

    /// Returns what a project's file denies, holds back and asks about, for requests that have another root;
    /// `None`: nothing. A file that cannot be used, and has no earlier version that could, denies everything.
    #[must_use]
    pub fn project_lists(&self, project: &ProjectLayer) -> Option<ProjectLists> {
        let mut file = locked(&project.file);
        let view = file.refresh(self.home.as_deref());
        if view.latest.is_sound() {
            file.approve();
        }
        drop(file);
        let Some(layer) = view.usable() else {
            return Some(ProjectLists { denied: vec!["**".to_owned()], ..ProjectLists::default() });
        };
        let lists = layer.lists();
        (lists != ProjectLists::default()).then_some(lists)
    }

    fn trusts(&self, root: &Path, hash: &blake3::Hash) -> bool {
        self.trusting.as_ref().is_some_and(|trusting| trusting.trusts(root, hash))
    }

    fn user_view(&self) -> LayerView {
        match &self.user {
            Some(user) => {
                let mut user = locked(user);
                let view = user.refresh(self.home.as_deref());
                // Combined with nothing, this layer is sound or not by itself.
                if view.latest.is_sound() {
                    user.approve();
                }
                view
            }
            None => LayerView::default(),
        }
    }

    fn state(&self, project: Option<&ProjectLayer>) -> Arc<ConfigState> {
        let user = self.user_view();
        let Some(ProjectLayer { root, file }) = project else {
            return Arc::new(self.weigh(&user, &LayerView::default(), Trust::Withheld, &Layer::default()).0);
        };
        let mut project = locked(file);
        let view = project.refresh(self.home.as_deref());
        let mut of = |trust| {
            if let Some(state) = project.weighed(user.version, trust) {
                return state;
            }
            let (state, sound) = self.weigh(&user, &view, trust, &Layer::default());
            if sound {
                project.approve();
            }
            let state = Arc::new(state);
            project.remember(user.version, trust, &state);
            state
        };
        let narrowed = of(Trust::Withheld);
        let trusted = narrowed.awaits_trust && view.text.is_some_and(|hash| self.trusts(root, &hash));
        if trusted { of(Trust::Granted) } else { narrowed }
    }

    fn attempt(
        &self,
        user: &LayerView,
        layer: &Layer,
        trust: Trust,
        call: &Layer,
    ) -> (Settings, Vec<Problem>) {
        let none = Layer::default();
        let layers = [user.usable().unwrap_or(&none), layer, &self.environment, &self.flags, call];
        let (settings, mut problems) = resolve_all(&layers, trust);
        problems.retain(|problem| matches!(problem.origin, Origin::Project(_)));
        (settings, problems)
    }

    fn weigh(
        &self,
        user: &LayerView,
        project: &LayerView,
        trust: Trust,
        call: &Layer,
    ) -> (ConfigState, bool) {
        let (mut warnings, mut blocking) = (Vec::new(), Vec::new());
        report(
            &user.latest.problems,
            user.usable().is_some(),
            user.origin.as_ref(),
            &mut warnings,
            &mut blocking,
        );

        let attempt = |layer: &Layer| {
            let (settings, problems) = self.attempt(user, layer, trust, call);
            let sound = !problems.iter().any(Problem::is_error);
            (settings, problems, sound)
        };
        let (mut settings, problems, sound) = attempt(&project.latest);
        let mut in_force = sound;
        if !sound {
            // An earlier version may have become unusable, because the user's file has become stricter.
            let earlier = project.good.as_deref().map(&attempt).filter(|(_, _, sound)| *sound);
            in_force = earlier.is_some();
            settings = earlier.unwrap_or_else(|| attempt(&Layer::default())).0;
        }
        report(&problems, in_force, project.origin.as_ref(), &mut warnings, &mut blocking);
        for layer in [&self.environment, &self.flags, call] {
            report(&layer.problems, false, None, &mut warnings, &mut blocking);
        }
        let is_broken =
            [&*user.latest, &self.environment, &self.flags, call].iter().any(|layer| !layer.is_sound())
                || !sound;
        let blocked = (!blocking.is_empty()).then_some(ConfigError { problems: blocking });
        let awaits_trust = sound && problems.iter().any(Problem::awaits_trust);
        (ConfigState { settings: Arc::new(settings), warnings, blocked, is_broken, awaits_trust }, sound)
    }
}

/// Errors among them block, unless an earlier version of the file is `in_force`.
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
        warnings.push(format!("{what} is broken: clada keeps using its last valid version."));
    } else {
        warnings.push(format!(
            "{what} is broken: until you correct it, clada reads and changes no file of a project."
        ));
        blocking.extend(problems.iter().filter(|problem| problem.is_error()).cloned());
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves nothing half done: every field is replaced whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
