//! Tests stages of a project that changes at random, for several baselines, confirmed now, later or never,
//! with folders made ready in between: each has exactly the files that differ from its baseline.

#![allow(clippy::disallowed_methods, reason = "tests change files as anybody does")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use clada_config::ManifestFormat;
use clada_fs::{Options, PathPolicy, PolicyGlobs, Roots};
use clada_store::{Durable, Store};
use proptest::prelude::*;
use tempfile::TempDir;

use super::collect::{ObservedFiles, Scope, Touched};
use super::file_index::FileIndex;
use super::ignore::{StageIgnore, WrittenRules};
use super::reader::StageReader;
use super::run::{Observed, Rules, StageOutcome, StageRequest, StageRun};
use super::tables::STAGE;

const PATHS: [&str; 6] = ["a", "b", "a-b", "a/b", "A", "d/e/f"];
const BASELINES: [&str; 2] = ["", "other"];

/// A step of a test.
#[derive(Debug, Clone)]
enum Step {
    /// A file has this content from now on.
    Write(usize, u8),
    /// It goes.
    Remove(usize),
    /// It is staged for a baseline, and confirmed at once or not.
    Stage { baseline: usize, scope: Scope, confirmed: bool },
    /// The stage of the last run that is not confirmed is confirmed.
    Confirm,
    /// It is made ready in the background.
    Prepare,
    /// The daemon begins again: nothing is known of what changed.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..PATHS.len(), 0..3_u8).prop_map(|(path, content)| Step::Write(path, content)),
        2 => (0..PATHS.len()).prop_map(Step::Remove),
        4 => (0..BASELINES.len(), prop::bool::weighted(0.9), prop::bool::weighted(0.7)).prop_map(
            |(baseline, changed, confirmed)| {
                let scope = if changed { Scope::Changed } else { Scope::All };
                Step::Stage { baseline, scope, confirmed }
            }
        ),
        1 => Just(Step::Confirm),
        2 => Just(Step::Prepare),
        1 => Just(Step::Restart),
    ]
}

type Files = BTreeMap<String, Vec<u8>>;

struct World {
    _top: TempDir,
    project: PathBuf,
    temporary: PathBuf,
    store: Store,
    policy: Arc<PathPolicy>,
    ignore: StageIgnore,
    /// The changes since the daemon began, in order.
    changes: Vec<PathBuf>,
    epoch: u64,
    files: Files,
    /// The files of the caller of each baseline.
    baselines: BTreeMap<usize, Files>,
    /// A folder that waits to be confirmed, and the files that its caller has then.
    waiting: Option<(usize, PathBuf, Files)>,
}

impl World {
    fn new() -> World {
        let top = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = top.path().canonicalize().unwrap().join(name);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let (project, temporary) = (folder("project"), folder("tmp"));
        let store = Store::open(&top.path().join("stage.db"), &STAGE).unwrap().store;
        World {
            _top: top,
            project,
            temporary,
            store,
            policy: Arc::new(PathPolicy::new(&PolicyGlobs::default()).unwrap()),
            ignore: StageIgnore::new(vec![WrittenRules { text: Vec::new(), ignores_case: false }]),
            changes: Vec::new(),
            epoch: 0,
            files: Files::new(),
            baselines: BTreeMap::new(),
            waiting: None,
        }
    }

    fn write(&mut self, path: &str, content: u8) {
        let place = self.project.join(path);
        // A file may stand where a folder is wanted, and the other way round.
        if place.is_dir() || place.ancestors().skip(1).any(|above| above.is_file()) {
            return;
        }
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, [b'0' + content]).unwrap();
        self.files.insert(path.to_owned(), vec![b'0' + content]);
        self.changes.push(path.into());
    }

    fn remove(&mut self, path: &str) {
        if self.files.remove(path).is_some() {
            std::fs::remove_file(self.project.join(path)).unwrap();
            self.changes.push(path.into());
        }
    }

    /// Does `work` with a stage run and what it needs.
    fn with<T>(
        &mut self,
        work: impl FnOnce(&mut StageRun<'_>, &Rules<'_>, super::run::Observe<'_>) -> T,
    ) -> T {
        let policy = Arc::clone(&self.policy);
        let roots = Roots::open(&self.project, &[], &[], policy, Options::default()).unwrap();
        let now = SystemTime::now();
        let reader = StageReader { roots: &roots, root: &self.project, max_file_size: 100, now };
        let rules = Rules { reader: &reader, ignore: &self.ignore, fingerprint: b"same", stop: &|| false };
        let (changes, epoch, files) = (&self.changes, self.epoch, &self.files);
        let mut observe = |since: Option<&str>| {
            let known = since.and_then(|clock| clock.split_once(':'));
            let known = known.filter(|(start, _)| *start == epoch.to_string());
            let index = match known {
                Some((_, tick)) => {
                    let changed = changes[tick.parse::<usize>().unwrap()..].iter().cloned();
                    let (to_read, removed) =
                        changed.partition(|path: &PathBuf| files.contains_key(path.to_str().unwrap()));
                    ObservedFiles::Since(Touched { removed, to_read })
                }
                None => ObservedFiles::All(
                    files.keys().map(|path| (PathBuf::from(path), identity(&roots, path))).collect(),
                ),
            };
            Ok(Observed { clock: format!("{epoch}:{}", changes.len()), index })
        };
        let (root, within) = (&self.project, &self.temporary);
        let mut run = StageRun { store: &mut self.store, root, within, now, is_left: false };
        work(&mut run, &rules, &mut observe)
    }

    fn stage(&mut self, baseline: usize, scope: Scope, confirmed: bool) {
        let request = request(baseline, scope);
        let outcome = self.with(|run, rules, observe| run.stage(&request, rules, observe)).unwrap();
        let had = self.baselines.get(&baseline);
        let is_new = |path: &String, content: &Vec<u8>| {
            scope == Scope::All || had.is_none_or(|had| had.get(path) != Some(content))
        };
        let expected: Files = self
            .files
            .iter()
            .filter(|(path, content)| is_new(path, content))
            .map(|(path, content)| (path.clone(), content.clone()))
            .collect();
        assert_eq!(found(&outcome), expected);
        let folder = outcome.folder.clone().unwrap().folder;
        assert_eq!(in_folder(&outcome), expected);
        let mut removed: Vec<String> =
            outcome.collected.removed.iter().map(|gone| gone.path.to_str().unwrap().to_owned()).collect();
        removed.sort();
        let gone = |path: &&String| !self.files.contains_key(*path);
        let expected: Vec<String> = had.into_iter().flat_map(Files::keys).filter(gone).cloned().collect();
        assert_eq!(removed, expected);
        assert_eq!(outcome.eligible, self.files.len() as u64);
        assert_eq!(outcome.collected.first_run, had.is_none());
        self.waiting = Some((baseline, folder, self.files.clone()));
        if confirmed {
            self.confirm();
        }
    }

    fn confirm(&mut self) {
        let Some((baseline, folder, files)) = self.waiting.take() else { return };
        self.with(|run, _, _| run.confirm(&folder)).unwrap();
        self.baselines.insert(baseline, files);
        // Of each baseline, only the last folder that was handed over stays, and a later one that waits.
        assert!(folder.exists());
    }

    fn prepare(&mut self) {
        let request = request(0, Scope::Changed);
        self.with(|run, rules, observe| run.prepare(&request, rules, observe)).unwrap();
    }
}

fn request(baseline: usize, scope: Scope) -> StageRequest<'static> {
    StageRequest {
        baseline: BASELINES[baseline],
        scope,
        verify: false,
        flush: false,
        dry_run: false,
        format: ManifestFormat::Json,
        confirms: true,
    }
}

fn identity(roots: &Roots, path: &str) -> clada_fs::Identity {
    roots.lstat(&roots.resolve(path).unwrap()).unwrap().unwrap().identity()
}

/// Returns the files of the result, with their contents in its folder.
fn found(outcome: &StageOutcome) -> Files {
    let folder = &outcome.folder.as_ref().unwrap().folder;
    let files = outcome.collected.copied.iter().map(|file| {
        let content = std::fs::read(folder.join(&file.name)).unwrap();
        assert_eq!(content.len() as u64, file.size);
        (file.path.to_str().unwrap().to_owned(), content)
    });
    files.collect()
}

/// Returns the files of the folder, by the paths in its manifest.
fn in_folder(outcome: &StageOutcome) -> Files {
    let last = outcome.folder.as_ref().unwrap();
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&last.manifest).unwrap()).unwrap();
    let entries = std::fs::read_dir(&last.folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') || entry.path() == last.manifest {
            return None;
        }
        let path = manifest["files"][&name].as_str().unwrap_or_else(|| panic!("{name}: {manifest:#}"));
        Some((path.to_owned(), std::fs::read(entry.path()).unwrap()))
    });
    files.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: clada_test_extent::cases(16, 64), ..ProptestConfig::default() })]

    #[test]
    fn each_stage_has_what_is_another_than_at_its_baseline(steps in prop::collection::vec(step(), 1..40)) {
        let mut world = World::new();
        for step in steps {
            match step {
                Step::Write(path, content) => world.write(PATHS[path], content),
                Step::Remove(path) => world.remove(PATHS[path]),
                Step::Stage { baseline, scope, confirmed } => world.stage(baseline, scope, confirmed),
                Step::Confirm => world.confirm(),
                Step::Prepare => world.prepare(),
                Step::Restart => world.epoch += 1,
            }
        }
        (0..BASELINES.len()).for_each(|baseline| world.stage(baseline, Scope::Changed, true));
        (0..BASELINES.len()).for_each(|baseline| world.stage(baseline, Scope::Changed, true));
        // Of everything that was made, what was handed over last stays.
        world.prepare();
        prop_assert!(std::fs::read_dir(&world.temporary).unwrap().count() <= BASELINES.len() + 1);
    }
}

/// The state of a file that has changed again since is not needed.
#[test]
fn what_is_kept_of_old_contents_does_not_grow_with_changes() {
    let mut world = World::new();
    world.write("a", 0);
    world.stage(0, Scope::Changed, true);
    world.stage(1, Scope::Changed, true);
    for round in 0..50 {
        world.write("a", round % 3);
        world.stage(0, Scope::Changed, true);
    }
    let kept: i64 =
        world.store.connection().query_row("SELECT count(*) FROM changes", [], |row| row.get(0)).unwrap();
    assert!(kept <= 50);
    world.stage(1, Scope::Changed, true);
    let kept: i64 =
        world.store.connection().query_row("SELECT count(*) FROM changes", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 0);
    let baselines = world.store.write_or::<_, super::StageError>(Durable::Soon, |transaction| {
        let index = FileIndex::open(transaction)?;
        (0..60).try_for_each(|number| index.hand_over(&format!("n{number}"), 0, number + 1_000))?;
        Ok(transaction.query_row("SELECT count(*) FROM baselines", [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(baselines.unwrap(), 50);
}
