//! The state that all projects share: configuration, environment, compiled policies, vocabularies, ids, and the one map
//! of projects.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

use clada_config::{ConfigStore, ProjectLayer, Settings};
use clada_embed::Vocabularies;
use clada_exec::DetectedSandbox;
use clada_journal::JournalRegistry;
use clada_protocol::method::CallSettings;
use clada_protocol::{ErrorKind, RpcError};
use clada_stage::IgnoreCache;
use clada_watch::Watches;

use super::environment::Environment;
use super::policies::Policies;
use crate::project::Projects;
use crate::trust::TrustedFiles;

const MAX_FILES: usize = 1024;

/// The state that all projects share.
#[derive(Debug)]
pub struct Engine {
    pub(super) config: ConfigStore,
    pub(super) environment: Environment,
    pub(super) policies: Policies,
    pub(super) folder_layers: FolderLayers,
    pub(super) vocabularies: Mutex<Arc<Vocabularies>>,
    /// The number of ids that were made although the system gave no random numbers.
    pub(super) made_ids: AtomicU64,
    pub(super) projects: Projects,
    pub(super) is_evicting: AtomicBool,
    pub(super) settling: Mutex<()>,
    pub(super) watching: Watching,
    pub(super) ignore: IgnoreCache,
}

impl Engine {
    /// Returns an engine that has done nothing yet.
    #[must_use]
    pub fn new(config: ConfigStore, environment: Environment) -> Engine {
        let config = config.trusting(Box::new(TrustedFiles::new(environment.state.clone())));
        let projects = Projects::new(JournalRegistry::new(environment.state.clone()));
        let watching = Watching::new((environment.now)());
        Engine {
            config,
            environment,
            policies: Policies::default(),
            folder_layers: FolderLayers::default(),
            vocabularies: Mutex::default(),
            made_ids: AtomicU64::new(0),
            projects,
            is_evicting: AtomicBool::new(false),
            settling: Mutex::new(()),
            watching,
            ignore: IgnoreCache::default(),
        }
    }

    /// Returns the projects that are open.
    #[must_use]
    pub fn projects(&self) -> &Projects {
        &self.projects
    }

    /// Lets go of projects that are not used any more, as of `now`.
    pub fn evict(&self, now: Instant) {
        self.projects.evict(now, self.config.lenient(None).watch_reap_after);
    }

    pub(super) fn evict_soon(self: &Arc<Engine>) {
        if self.is_evicting.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = Arc::clone(self);
        let begun = std::thread::Builder::new().name("evict".to_owned()).spawn(move || {
            // What comes from now on is another thread's.
            engine.is_evicting.store(false, Ordering::Release);
            engine.evict(Instant::now());
        });
        if let Err(error) = begun {
            tracing::warn!(%error, "projects are let go after the next operation only");
            self.is_evicting.store(false, Ordering::Release);
        }
    }

    /// Returns the sandbox of commands, in a line for users; `None` as long as no command was planned.
    #[must_use]
    pub(crate) fn sandbox_shown(&self) -> Option<String> {
        self.environment.runner.as_ref()?.known().map(DetectedSandbox::describe)
    }

    pub(super) fn vocabularies(&self) -> Arc<Vocabularies> {
        Arc::clone(&self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Releases caches that are only kept for later requests: open repositories with their caches,
    /// vocabularies, pages of databases, projects that are not used any more. What is in use stays.
    pub(crate) fn give_back(&self) {
        let repositories = self.projects.give_back();
        *self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
        self.evict(Instant::now());
        tracing::debug!(repositories, "let go of what was only kept");
    }

    /// Returns an id that nobody can guess: 32 hexadecimal digits.
    pub(crate) fn secret_id(&self) -> Result<String, RpcError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| {
            RpcError::new(ErrorKind::Internal, format!("The system gives no random numbers: {error}"))
        })?;
        Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
    }

    /// Returns the id of a new operation: 48 random bits as 12 letters from k to z, so that none can be taken
    /// for a number or a hexadecimal hash (spec: daily, "The report and the questions").
    pub(crate) fn next_id(&self) -> String {
        let mut bytes = [0; 6];
        if getrandom::fill(&mut bytes).is_err() {
            // It has to be another one, and no secret.
            let created_ids = self.made_ids.fetch_add(1, Ordering::Relaxed);
            let source = format!("{:?} {} {created_ids}", self.environment.since_epoch(), std::process::id());
            bytes.copy_from_slice(&blake3::hash(source.as_bytes()).as_bytes()[..6]);
        }
        let letter = |half: u8| char::from(b'k' + half);
        bytes.iter().flat_map(|byte| [letter(byte >> 4), letter(byte & 15)]).collect()
    }

    pub(super) fn settings(
        &self,
        layer: Option<&ProjectLayer>,
        settings: &CallSettings,
    ) -> Result<Arc<Settings>, RpcError> {
        self.config.for_call(settings).current(layer).map_err(|error| RpcError::from(&error))
    }
}

#[derive(Debug)]
pub(super) struct Watching {
    pub(super) started: SystemTime,
    pub(super) opened: OnceLock<Opened>,
}

#[derive(Debug)]
pub(super) struct Opened {
    pub(super) watches: Watches,
    pub(super) warning: Option<String>,
}

impl Watching {
    pub(super) fn new(started: SystemTime) -> Watching {
        Watching { started, opened: OnceLock::new() }
    }

    pub(super) fn get(&self) -> Option<&Watches> {
        self.opened.get().map(|opened| &opened.watches)
    }
}

#[derive(Debug, Default)]
pub(super) struct FolderLayers(Mutex<HashMap<PathBuf, ProjectLayer>>);

impl FolderLayers {
    /// Returns the file of `folder`; a broken one stays in force as it was before.
    pub(super) fn layer(&self, folder: &Path) -> ProjectLayer {
        let mut layers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if layers.len() >= MAX_FILES && !layers.contains_key(folder) {
            layers.clear();
        }
        layers.entry(folder.to_path_buf()).or_insert_with(|| ProjectLayer::new(folder)).clone()
    }
}
