//! `stage` and `stage.confirm`: gathers the changes, the rules by which files are staged, and the target
//! folder.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_config::{ManifestFormat, Settings};
use clada_fs::{Options, Roots, Secrets};
use clada_journal::fallback_folder;
use clada_protocol::{
    ErrorKind, OmittedPath, RemovedFile, RenamedFile, RpcError, StageConfirmParams, StageConfirmResult,
    StageManifest, StageParams, StageResult, StagedFile,
};
use clada_stage::{
    DEFAULT_IGNORE, Observe, Observed, ObservedFiles, Rules, Scope, StageError, StageIgnore, StageOutcome,
    StageReader, StageRequest, StageRun, StageStore, Touched, collect_garbage, is_left, set_aside_store,
    written_rules,
};
use clada_store::{StoreError, require_readable};
use clada_watch::{Change, Clock, Known, Watched};
use serde::Serialize;

use super::Engine;
use super::request::ProjectRequest;
use super::watching::{reason, resolved};

const OF_AGENTS: &str = "agents: ";
// The most baselines of agents in a project: each has a copy of what was staged for it.
const MAX_OF_AGENTS: usize = 8;
const MAX_BASELINE: usize = 100;

// The outcome of staging in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PreparedStage {
    // The number of files that are ready.
    Files(usize),
    // There was nothing new.
    Nothing,
    // The project is not watched any more.
    Ended,
}

impl ProjectRequest {
    /// `stage`. It sees every change that was finished before the call.
    ///
    /// # Errors
    /// As for `ProjectRequest::changes`; `file_not_found` if the last folder is wanted and there is none;
    /// `io` if a file cannot be read, or the folder not be made. Then the next stage has the same to do.
    pub fn stage(&self, params: &StageParams) -> Result<StageResult, RpcError> {
        check(params)?;
        let params = &self.of_caller(params);
        let damaged = |staged: &Result<StageResult, StageError>| {
            matches!(staged, Err(StageError::Store(StoreError::Damaged { .. })))
        };
        let mut staged = self.stage_once(params);
        if damaged(&staged) {
            // A read that fails once can look like damage: a new connection looks again.
            self.project().close_stage_store();
            staged = self.stage_once(params);
        }
        let staged = match staged {
            Err(StageError::Store(StoreError::Damaged { path, .. })) => {
                self.project().close_stage_store();
                require_readable(&path)?;
                let aside = set_aside_store(&path)?;
                let warning = format!(
                    "The record of what was staged was damaged and is now {}; everything is staged again",
                    aside.display()
                );
                self.stage_once(params).map(|mut staged| {
                    staged.warnings.push(warning);
                    staged
                })
            }
            outcome => outcome,
        };
        Ok(staged?)
    }

    // Returns `params` with the baseline of its caller: what an agent receives, a person has not received.
    fn of_caller(&self, params: &StageParams) -> StageParams {
        let for_ = match self.context().is_agent() {
            true => Some(format!("{OF_AGENTS}{}", params.for_.as_deref().unwrap_or_default())),
            false => params.for_.clone(),
        };
        StageParams { for_, ..params.clone() }
    }

    fn stage_once(&self, params: &StageParams) -> Result<StageResult, StageError> {
        let (_, watched) = self.open_watch()?;
        let settings = self.settings()?;
        let store = self.stage_store()?;
        let within = settings.stage_dir.as_deref().unwrap_or(&self.environment().scratch);
        self.in_stage_run(&store, within, |run| {
            let baseline = params.for_.as_deref().unwrap_or_default();
            if params.last {
                let last = run.last(baseline)?;
                return Ok(StageResult {
                    staging_dir: Some(shown(&last.folder)),
                    manifest_path: Some(shown(&last.manifest)),
                    eligible: run.eligible()?,
                    ..StageResult::default()
                });
            }
            let stage_request = stage_request(params, settings);
            let staged = self
                .staged_by_rules(&watched, run.now, &mut |rules, see| run.stage(&stage_request, rules, see));
            let (mut outcome, degraded) = staged.map_err(|error| error.of_store(store.path()))?;
            if let (Some(lease), Some(made_folder)) = (outcome.lease.take(), &outcome.folder) {
                self.project().leases().lend(&shown(&made_folder.folder), lease);
            }
            if self.context().is_agent() {
                run.bound_baselines(OF_AGENTS, MAX_OF_AGENTS)?;
            }
            Ok(result(outcome, degraded, settings.limits.result_bytes))
        })
    }

    // Does `work` with the file index of the project, which no other process changes meanwhile.
    // Old folders that remain after it are deleted in the background.
    fn in_stage_run<T>(
        &self,
        store: &Arc<StageStore>,
        within: &Path,
        work: impl FnOnce(&mut StageRun<'_>) -> Result<T, StageError>,
    ) -> Result<T, StageError> {
        let mut held = store.hold(&|| self.context().stop().is_some())?;
        let (root, now) = (self.root(), (self.environment().now)());
        let mut run = StageRun { store: &mut held.store, root, within, now, is_left: false };
        let done = work(&mut run);
        if run.is_left {
            collect_garbage(store);
        }
        done
    }

    // Returns how long the project has to be quiet before background staging; `None`: it has none.
    #[must_use]
    pub(crate) fn stages_in_background(&self) -> Option<Duration> {
        let settings = self.settings().ok()?;
        settings.stage_auto.then_some(settings.stage_auto_debounce)
    }

    // Prepares the changes of the project for its next `stage`. Returns the number of those files, if
    // something has changed since the last call.
    pub(crate) fn prepare_stage(&self, watched: &Arc<Watched>) -> Result<PreparedStage, RpcError> {
        if !self.project().is_watched_by(watched) {
            return Ok(PreparedStage::Ended);
        }
        let params = StageParams { confirm: true, ..StageParams::default() };
        let settings = self.settings()?;
        let store = self.stage_store()?;
        let within = settings.stage_dir.as_deref().unwrap_or(&self.environment().scratch);
        let stage_request = stage_request(&params, settings);
        let (prepared, _) = self.in_stage_run(&store, within, |run| {
            self.staged_by_rules(watched, run.now, &mut |rules, see| run.prepare(&stage_request, rules, see))
        })?;
        Ok(prepared.map_or(PreparedStage::Nothing, PreparedStage::Files))
    }

    fn staged_by_rules<T>(
        &self,
        watched: &Watched,
        now: SystemTime,
        work: &mut dyn FnMut(&Rules<'_>, Observe<'_>) -> Result<T, StageError>,
    ) -> Result<(T, Vec<String>), StageError> {
        let (sealed, settings) = (self.roots()?, self.settings()?);
        // What is staged is known to all callers: it must not depend on who asked first.
        let options = Options { secrets: Secrets::Changeable, ..sealed.options().clone() };
        let roots = &sealed.with(sealed.shared_policy(), options).map_err(StageError::from)?;
        let ignore = self.engine.ignore.ignore(written_rules(roots).map_err(StageError::from)?);
        let max_file_size = settings.limits.stage_max_file_size;
        let reader = StageReader { roots, root: resolved(roots), max_file_size, now };
        self.fix_rules_of_files(roots, watched)?;
        let stop = || self.context().stop().is_some();
        let fingerprint = fingerprint(settings, roots, &ignore);
        let rules = Rules { reader: &reader, ignore: &ignore, fingerprint: &fingerprint, stop: &stop };
        let mut degraded = Vec::new();
        let mut see = |since: Option<&str>| {
            let (seen, warnings) = self.seen(watched, since)?;
            degraded = warnings;
            Ok(seen)
        };
        let done = work(&rules, &mut see)?;
        Ok((done, degraded))
    }

    // Finds the rules of all folders with files: what is staged already depends on them.
    fn fix_rules_of_files(&self, roots: &Roots, watched: &Watched) -> Result<(), RpcError> {
        let folders = self.ask(roots, watched, self.context(), |known| {
            let files = known.files();
            let parents: HashSet<&Path> = files.iter().filter_map(|(file, _)| file.parent()).collect();
            parents.into_iter().map(Path::to_path_buf).collect::<Vec<_>>()
        })?;
        let rules = self.folder_rules();
        folders.iter().for_each(|folder| rules.fix(&self.root().join(folder)));
        Ok(())
    }

    pub(crate) fn confirm_stage(&self, params: &StageConfirmParams) -> Result<StageConfirmResult, RpcError> {
        // A project that cannot be worked in is refused as always.
        self.roots()?;
        let store = self.stage_store()?;
        let within = &self.environment().scratch;
        let warnings =
            self.in_stage_run(&store, within, |run| run.confirm(Path::new(&params.staging_dir)))?;
        self.project().leases().let_go(&params.staging_dir);
        Ok(StageConfirmResult { warnings })
    }

    pub(super) fn stage_store(&self) -> Result<Arc<StageStore>, StageError> {
        let (root, state) = (self.root(), self.environment().state.as_path());
        let open = |state: &Path| {
            let record = clada_journal::path(state, root);
            self.project().stage_store(record.parent().unwrap_or(state))
        };
        match open(state) {
            // As for the project's journal.
            Err(error @ StageError::Store(StoreError::Io { .. })) => match fallback_folder(state, root) {
                Some(own) => open(&own),
                None => Err(error),
            },
            outcome => outcome,
        }
    }

    fn seen(&self, watched: &Watched, since: Option<&str>) -> Result<(Observed, Vec<String>), RpcError> {
        let since: Option<Clock> = since.and_then(|clock| clock.parse().ok());
        self.ask(self.roots()?, watched, self.context(), |known| {
            let index = match since.and_then(|clock| known.since(clock)) {
                Some(changes) => ObservedFiles::Since(touched(changes)),
                None => ObservedFiles::All(known.files()),
            };
            (Observed { clock: known.clock().to_string(), index }, warnings(known))
        })
    }
}

impl Engine {
    // Goes on deleting old staging folders where another daemon was interrupted.
    pub(crate) fn collect_stage_garbage(&self) {
        let Ok(projects) = std::fs::read_dir(clada_journal::folder(&self.environment.state)) else { return };
        for folder in projects.filter_map(|entry| Some(entry.ok()?.path())).filter(|folder| is_left(folder)) {
            match StageStore::open(&folder) {
                Ok(store) => collect_garbage(&Arc::new(store)),
                Err(error) => tracing::info!(folder = %folder.display(), %error, "nothing is swept"),
            }
        }
    }
}

fn check(params: &StageParams) -> Result<(), RpcError> {
    let wrong = |message: &str| Err(RpcError::new(ErrorKind::InvalidParams, format!("stage: {message}")));
    let also = params.all || params.flush || params.verify || params.dry_run || params.manifest.is_some();
    if params.last && (also || params.confirm) {
        return wrong("`last` returns a folder that is there and goes with `root` and `for` alone");
    }
    match params.for_.as_deref() {
        Some("") => wrong("`for` is empty; leave it out for the baseline without a name"),
        Some(name) if name.len() > MAX_BASELINE => wrong("`for` is longer than 100 bytes"),
        _ => Ok(()),
    }
}

fn stage_request<'a>(params: &'a StageParams, settings: &Settings) -> StageRequest<'a> {
    StageRequest {
        baseline: params.for_.as_deref().unwrap_or_default(),
        scope: if params.all { Scope::All } else { Scope::Changed },
        verify: params.verify,
        flush: params.flush,
        dry_run: params.dry_run,
        format: match params.manifest {
            Some(StageManifest::Json) => ManifestFormat::Json,
            Some(StageManifest::Dhall) => ManifestFormat::Dhall,
            None => settings.stage_manifest,
        },
        confirms: params.confirm,
    }
}

fn fingerprint(settings: &Settings, roots: &Roots, ignore: &StageIgnore) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    add(&settings.limits.stage_max_file_size.to_le_bytes());
    add(&roots.policy().unread_fingerprint());
    match ignore.files() {
        [] => add(DEFAULT_IGNORE.as_bytes()),
        files => files.iter().for_each(|file| {
            add(&file.text);
            add(&[u8::from(file.ignores_case)]);
        }),
    }
    *hasher.finalize().as_bytes()
}

fn touched(mut changes: Vec<(PathBuf, Change)>) -> Touched<PathBuf> {
    changes.sort_by(|(one, _), (other, _)| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    let paths = |changes: Vec<(PathBuf, Change)>| changes.into_iter().map(|(path, _)| path).collect();
    let (removed, to_read) = changes.into_iter().partition(|(_, change)| *change == Change::Deleted);
    Touched { removed: paths(removed), to_read: paths(to_read) }
}

fn warnings(known: &Known) -> Vec<String> {
    known.degraded().map(reason).into_iter().collect()
}

fn result(outcome: StageOutcome, mut warnings: Vec<String>, room: u64) -> StageResult {
    let StageOutcome { collected, eligible, folder, warnings: more, lease: _ } = outcome;
    warnings.extend(more);
    // One budget for all lists, so that the result as a whole stays within it.
    let mut room = Room { remaining_bytes: usize::try_from(room).unwrap_or(usize::MAX), was_cut: false };
    let files = collected.copied.len() as u64;
    let copied = room.fill(collected.copied, |file| {
        let (path, path_bytes) = wire_path(&file.path);
        StagedFile { path, path_bytes, name: file.name, size: file.size }
    });
    let removed = room.fill(collected.removed, |file| {
        let (path, path_bytes) = wire_path(&file.path);
        RemovedFile { path, path_bytes, name: file.name }
    });
    let renamed =
        room.fill(collected.renamed, |file| RenamedFile { from: shown(&file.from), to: shown(&file.to) });
    let omitted = room.fill(collected.omitted, |(path, reason)| {
        let (path, path_bytes) = wire_path(&path);
        OmittedPath { path, path_bytes, reason }
    });
    StageResult {
        staging_dir: folder.as_ref().map(|folder| shown(&folder.folder)),
        manifest_path: folder.as_ref().map(|folder| shown(&folder.manifest)),
        copied,
        removed,
        renamed,
        files,
        eligible,
        first_run: collected.first_run,
        omitted,
        truncated: room.was_cut || collected.omits_more,
        warnings,
    }
}

struct Room {
    remaining_bytes: usize,
    was_cut: bool,
}

impl Room {
    fn fill<T, U: Serialize>(&mut self, list: Vec<T>, mut entry: impl FnMut(T) -> U) -> Vec<U> {
        let mut fitting = Vec::new();
        for one in list {
            let one = entry(one);
            let bytes = serde_json::to_vec(&one).map_or(usize::MAX, |json| json.len() + 1);
            let Some(remaining_bytes) = self.remaining_bytes.checked_sub(bytes) else {
                (self.remaining_bytes, self.was_cut) = (0, true);
                break;
            };
            self.remaining_bytes = remaining_bytes;
            fitting.push(one);
        }
        fitting
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn wire_path(path: &Path) -> (String, Option<String>) {
    let bytes = path.as_os_str().as_bytes();
    let path_bytes = std::str::from_utf8(bytes).is_err().then(|| STANDARD.encode(bytes));
    (shown(path), path_bytes)
}
