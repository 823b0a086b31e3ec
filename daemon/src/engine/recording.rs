//! How the engine puts operations down: which record, what was cut off before, and what took place already.
//!
//! Knows the records and the roots of a request; what an operation changes is the pipeline's business.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime};

use clada_exec::Remains;
use clada_fs::{RootLock, Roots};
use clada_protocol::{ActionResult, ErrorKind, RpcError};
use clada_store::StoreError;
use serde_json::Value;

use super::{Asked, Control, Engine, LOCK_PAUSE, Leave, REMAINS_TIME, open_policy, project_root};
use crate::journal::{self, OperationKind, OperationStatus, Papers};
use crate::pipeline::{LeftBehind, Recorder, Resumable, partly, recover, roots_beyond};
use crate::records::{Applied, Book, Keep, applied};

/// The word for the last operation of a project.
const LAST: &str = "last";
/// Bytes of a parameter that are kept with an operation; the whole answer is kept beside it.
const PARAMETER: usize = 512;

/// A project that this process may change: its locks, and its record.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) locks: Vec<RootLock>,
    /// The record.
    pub(super) book: Book,
    /// Why it is not known what was done of operations that were cut off, if so: then nothing more is recorded.
    pub(super) unsettled: Option<StoreError>,
}

impl Engine {
    /// Takes the locks of `roots` and sees to what was cut off there before. The second value is what a person should
    /// know.
    pub(super) fn hold(
        &self,
        roots: &Roots,
        control: &dyn Control,
    ) -> Result<(Option<Held>, Vec<String>), RpcError> {
        let locks = self.lock(roots, control)?;
        // The locks may have taken long; what was opened before them is not what has the name now.
        roots.still_there()?;
        let book = self.book(roots);
        let (mut warnings, unsettled) = match self.recover(&book, roots) {
            Ok(told) => (told, None),
            Err(error) => (vec![unreadable(&error)], Some(error)),
        };
        warnings.extend(book.take_warnings());
        Ok((Some(Held { locks, book, unsettled }), warnings))
    }

    /// The record of the project whose roots these are.
    pub(super) fn book(&self, roots: &Roots) -> Book {
        self.records.book(roots.paths().next().unwrap_or(Path::new("")))
    }

    /// Finds out what was done of operations that were cut off, and lets ids go on from the last one there is.
    fn recover(&self, book: &Book, roots: &Roots) -> Result<Vec<String>, StoreError> {
        let open = open_policy().ok().and_then(|policy| roots.with(policy, roots.options().clone()).ok());
        let open = open.as_ref().unwrap_or(roots);
        let home = self.surroundings.home.as_deref();
        let unfinished = match book.if_there(|journal| journal.unfinished()) {
            // It is seen to below.
            Err(StoreError::Damaged { .. }) => None,
            unfinished => unfinished?,
        };
        let unfinished: Vec<String> =
            unfinished.into_iter().flatten().map(|operation| operation.id).collect();
        let cut_off = !unfinished.is_empty();
        let remains = remains(book, &unfinished);
        let left = if remains.ended > 0 { LeftBehind::Processes } else { LeftBehind::Nothing };
        let look = || {
            let beyond = if cut_off { roots_beyond(book, roots)? } else { Vec::new() };
            if beyond.is_empty() {
                return recover(book, open, open, home, left);
            }
            // One that cannot be opened is like a file that cannot be read: what became of it stays unknown.
            let wide = open_policy().ok().and_then(|policy| {
                Roots::open(book.root(), &beyond, &[], policy, roots.options().clone()).ok()
            });
            recover(book, open, wide.as_ref().unwrap_or(open), home, left)
        };
        let mut told = match look() {
            Err(StoreError::Damaged { .. }) => {
                book.set_aside()?;
                look()
            }
            // Undo needs it, for which space is kept back.
            Err(StoreError::Full { .. }) => {
                book.give_up_reserve();
                look()
            }
            outcome => outcome,
        }?;
        told.extend(told_stuck(&remains));
        if cut_off {
            self.settle_repository(book.root());
        }
        if let Some(last) = book.if_there(|journal| journal.last_id())?.flatten() {
            self.go_on_from(&last);
        }
        Ok(told)
    }

    /// Lets the next id be greater than `last`, also if the clock has gone back since.
    fn go_on_from(&self, last: &str) {
        let time = last.get(..14).and_then(|time| u64::from_str_radix(time, 16).ok());
        self.last_id.fetch_max(time.unwrap_or(0), Ordering::Relaxed);
    }

    /// What puts down an operation in `held`.
    pub(super) fn recorder(
        &self,
        held: &Held,
        id: &str,
        kind: OperationKind,
        undoes: Option<String>,
        papers: Papers,
    ) -> Recorder {
        let since = (self.surroundings.now)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let operation = journal::Operation {
            id: id.to_owned(),
            kind,
            began: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            status: OperationStatus::Applying,
            summary: String::new(),
            undoes,
            undone_by: None,
            committed: None,
        };
        Recorder::new(held.book.clone(), operation, papers)
    }

    /// What is kept of an answer with its operation.
    pub(super) fn papers(source: Option<&Resumable>) -> Papers {
        Papers { answer: source.map(Resumable::answer), request: source.map(Resumable::keep), results: None }
    }

    /// What of the answer is applied already.
    pub(super) fn applied(
        &self,
        roots: &Roots,
        asked: &Asked<'_>,
        warnings: &mut Vec<String>,
    ) -> HashMap<usize, Applied> {
        match asked.source.filter(|_| asked.is_new && !asked.params.again) {
            Some(source) => self.applied_of(roots, source, warnings),
            None => HashMap::new(),
        }
    }

    /// What of the answer in `source` is applied already.
    pub(super) fn applied_of(
        &self,
        roots: &Roots,
        source: &Resumable,
        warnings: &mut Vec<String>,
    ) -> HashMap<usize, Applied> {
        applied(&self.book(roots), &source.answer(), roots, &partly).unwrap_or_else(|error| {
            warnings.push(unreadable(&error));
            HashMap::new()
        })
    }

    /// What an operation of the project at `root` left undone, by its id or `last`, from the record.
    ///
    /// # Errors
    /// `operation_not_found`, or what keeps the record from being read.
    pub fn left_by(&self, root: &str, id: &str) -> Result<Resumable, RpcError> {
        let root = project_root(root)?;
        let settings = self.settings(Some(&root))?;
        let book = self.book(&self.roots(&root, &settings, Leave::default())?);
        let found = book.if_there(|journal| {
            let operations = journal.list(usize::MAX)?.into_iter();
            let mut wanted = operations
                .filter(|operation| if id == LAST { operation.undoes.is_none() } else { operation.id == id });
            let Some(operation) = wanted.next() else { return Ok(None) };
            let papers = journal.papers(&operation.id)?;
            let changes = journal.changes(&operation.id)?;
            Ok(Some((papers, changes)))
        })?;
        let resumable = found.flatten().and_then(|(papers, changes)| {
            let undone: HashSet<usize> = changes
                .iter()
                .filter(|(_, made)| *made != Some(true))
                .map(|(change, _)| change.seq)
                .collect();
            let seqs = changes.iter().map(|(change, _)| change.seq);
            let made: HashSet<usize> = seqs.filter(|seq| !undone.contains(seq)).collect();
            Resumable::of_kept(&papers.request?, papers.results.as_deref(), &made, &settings)
        });
        resumable.ok_or_else(|| {
            let message = match id {
                LAST => "There is no operation to resume in this project".to_owned(),
                _ => format!("There is no operation '{id}' in this project, or it can no longer be resumed"),
            };
            RpcError::new(ErrorKind::OperationNotFound, message)
                .with("operationId", id)
                .hint("apply the answer again, without what succeeded")
        })
    }

    /// Sees to what can wait until an operation of the project at `root` is over: what need not be kept, damage.
    pub fn tidy(&self, root: &str) {
        let Ok(root) = project_root(root) else { return };
        let Ok(settings) = self.settings(Some(&root)) else { return };
        let Ok(roots) = self.roots(&root, &settings, Leave::default()) else { return };
        let book = self.book(&roots);
        let keep = Keep {
            operations: usize::try_from(settings.limits.history_keep).unwrap_or(usize::MAX),
            bytes: settings.limits.history_bytes,
        };
        let tidied = book.if_there(|_| Ok(())).and_then(|there| match there {
            Some(()) => book.check_once().and_then(|()| book.retain(keep)),
            None => Ok(()),
        });
        match tidied {
            Err(StoreError::Damaged { reason, .. }) => {
                tracing::warn!(root = %root.display(), reason, "a record is damaged");
                // Somebody who works there now finds it out himself.
                let locked = RootLock::try_acquire(&roots, 0, &self.surroundings.state);
                if let Ok(Some(_lock)) = locked
                    && let Err(error) = book.set_aside()
                {
                    tracing::warn!(%error, "a damaged record stays where it is");
                }
            }
            Err(error) => tracing::warn!(%error, "a record is not tidied up"),
            Ok(()) => self.records.fill_reserve(),
        }
    }

    /// Sees to the operations that were cut off in all projects, one after the other. For the start of a daemon.
    pub fn recover_all(&self) {
        for root in self.records.unfinished() {
            let recovered = self.recover_project(&root);
            if let Err(error) = recovered {
                tracing::warn!(root = %root.display(), error = %error.message, "an interrupted operation is left");
            }
        }
    }

    /// Removes what commands have left whose daemon was killed, besides changes. For the start of a daemon.
    pub fn sweep_commands(&self) {
        if let Some(runner) = &self.surroundings.runner {
            runner.sweep();
        }
    }

    /// As [`Engine::recover_all`], for a project about which somebody asks. What a command of an interrupted operation started is ended, if
    /// that takes its time; so it is not told as under way.
    pub(super) fn recover_project_now(&self, root: &Path, book: &Book) -> Result<(), RpcError> {
        let unfinished = unfinished(book)?;
        let begun = Instant::now();
        let mut pause = LOCK_PAUSE.0;
        while clada_exec::has_orphans(&unfinished) {
            if begun.elapsed() > REMAINS_TIME {
                let _ = clada_exec::end_orphans(&unfinished);
                break;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOCK_PAUSE.1);
        }
        self.recover_project(root)
    }

    /// A project in which somebody works now is passed over: whoever works there sees to it first.
    pub(super) fn recover_project(&self, root: &Path) -> Result<(), RpcError> {
        let settings = self.settings(Some(root))?;
        let roots = self.roots(root, &settings, Leave::default())?;
        let _settling = self.settling.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(_locks) = self.try_lock(&roots)? else { return Ok(()) };
        let book = self.book(&roots);
        for told in self.recover(&book, &roots)? {
            book.tell(told);
        }
        Ok(())
    }

    /// What is wrong with records, for whoever asks how the daemon is.
    #[must_use]
    pub fn record_warnings(&self) -> Vec<String> {
        self.records.warnings()
    }
}

/// The ids of the operations of `book` that are under way, or were cut off.
///
/// # Errors
/// If the record cannot be read: then it is not known whether there are any.
pub(super) fn unfinished(book: &Book) -> Result<Vec<String>, StoreError> {
    // Without a record there are none.
    let found = book.if_there(|journal| journal.unfinished())?.unwrap_or_default();
    Ok(found.into_iter().map(|operation| operation.id).collect())
}

/// Ends what the commands of `operations` have left behind, whose daemon is gone: the caller has the locks that it had. The
/// root of the file system has none.
fn remains(book: &Book, operations: &[String]) -> Remains {
    match operations {
        [] => Remains::default(),
        _ if book.root() == Path::new("/") => clada_exec::end_orphans(operations),
        _ => clada_exec::end_remains(operations),
    }
}

/// What a person should know of processes that cannot be ended.
fn told_stuck(remains: &Remains) -> Option<String> {
    let first = remains.stuck.first()?;
    let count = remains.stuck.len();
    Some(format!(
        "{count} of the processes that a command of an interrupted operation started do not end, process {first} for one: \
         what they still change, undo does not know"
    ))
}

/// Puts down that an operation is over. What a person should know of that is returned.
pub(super) fn finish(recorder: &Recorder, results: Option<&[ActionResult]>, whole: bool) -> Option<String> {
    let results = results.map(|results| {
        let kept: Vec<ActionResult> = results.iter().map(without_texts).collect();
        journal::json(&kept)
    });
    let error = recorder.finish(results.as_deref(), whole).err()?;
    Some(format!(
        "The record does not say yet how this operation ended: {error}. The next operation in this project sees to it"
    ))
}

/// What is kept of a result: not what was read, and no long texts.
fn without_texts(result: &ActionResult) -> ActionResult {
    let short = |value: &Value| match value {
        Value::String(text) => text.len() <= PARAMETER,
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    };
    let params = result.params.iter().filter(|(_, value)| short(value));
    let params = params.map(|(name, value)| (name.clone(), value.clone())).collect();
    ActionResult { params, data: None, hint: None, ..result.clone() }
}

fn unreadable(error: &StoreError) -> String {
    format!("What was done in this project before is not known: {error}; {}", error.hint())
}
