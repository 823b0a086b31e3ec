//! Recovery of operations that were cut off: finds out what was done of them, and cleans up after them.
//!
//! Changes no file: it removes temporary files that nothing refers to, gives folders the modes back that an undo
//! had changed for its time, and records what it has found.
//! Whatever it leaves undone it does the next time, so it may be cut off itself.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use clada_command_changes::{CommandChanges, Git, SavedSnapshot};
use clada_fs::{FileKind, RootedPath, Roots, WalkItem, WalkOptions};
use clada_journal::{
    Change, ChangeOutcome, JournalPlace, Operation, OperationKind, ProjectJournal, State, current_state,
    is_same_state, recovered,
};
use clada_store::StoreError;

use crate::undo::classify::Later;

/// The most entries that are visited for temporary files in folders that were moved.
const ENTRIES: usize = 1_000_000;

/// Returns the roots, besides `roots`, in which operations of `journal` worked whose process is gone.
///
/// # Errors
/// If the journal cannot be read.
pub fn roots_beyond(journal: &ProjectJournal, roots: &Roots) -> Result<Vec<PathBuf>, StoreError> {
    let places = journal.if_exists(|journal| {
        let unfinished = journal.unfinished()?;
        let changes = unfinished.iter().map(|operation| journal.changes(&operation.id));
        changes.collect::<Result<Vec<_>, _>>()
    })?;
    let places = places.into_iter().flatten().flatten().map(|(change, _)| change.place.root);
    let beyond: BTreeSet<PathBuf> = places.filter(|root| roots.paths().all(|own| own != root)).collect();
    Ok(beyond.into_iter().filter(|root| root.is_dir()).collect())
}

/// The leftovers of the commands of operations that were cut off, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftBehind {
    /// Nothing: they had ended with their daemon.
    Nothing,
    /// Processes, which went on until now.
    Processes,
}

/// Recovers the operations of `journal` whose process is gone, and everything that their commands had started
/// with it. `roots` may look at every path beneath them, `wide` also beneath [`roots_beyond`]; the caller
/// holds the locks of `roots`. What the user should know of it is returned.
///
/// # Errors
/// If the journal cannot be read or written.
pub fn recover(
    journal: &ProjectJournal,
    roots: &Roots,
    wide: &Roots,
    home: Option<&Path>,
    left_behind: LeftBehind,
) -> Result<Vec<String>, StoreError> {
    let unfinished = journal
        .if_exists(|journal| if journal.is_read_only() { Ok(Vec::new()) } else { journal.unfinished() })?;
    let unfinished = unfinished.unwrap_or_default();
    unfinished
        .iter()
        // A move of HEAD is finished or reverted by those who know git.
        .filter(|operation| operation.outline.head.is_none())
        .map(|operation| {
            let lost = record_command_changes(journal, roots, operation, home, left_behind)?;
            let found_nothing = lost.as_ref().is_some_and(|lost| lost.all.is_empty() && lost.is_known);
            if found_nothing && journal.with(|journal| journal.changes(&operation.id))?.is_empty() {
                journal.with(|journal| journal.discard(&operation.id))?;
                return Ok(format!("Operation {} was interrupted; it had changed nothing", operation.id));
            }
            let unrecoverable = lost.as_ref().map(|lost| lost.unrecoverable.as_slice()).unwrap_or_default();
            let text = recover_one(journal, roots, wide, operation, unrecoverable)?;
            Ok(text + &lost.map(|lost| describe_command(&lost)).unwrap_or_default())
        })
        .collect()
}

struct Lost {
    /// True if it could be found out what it changed.
    is_known: bool,
    all: Vec<String>,
    // Those of them that are not part of the changes, or that nothing is done about.
    unrecoverable: Vec<String>,
}

/// Records what the command of `operation` has changed that ran when its process ended, if one did. What of
/// it cannot be brought back is returned.
fn record_command_changes(
    journal: &ProjectJournal,
    roots: &Roots,
    operation: &Operation,
    home: Option<&Path>,
    left_behind: LeftBehind,
) -> Result<Option<Lost>, StoreError> {
    let recorded = journal.with(|journal| {
        Ok(match journal.snapshot(&operation.id)? {
            Some(snapshot) => Some((snapshot, journal.details(&operation.id)?)),
            None => None,
        })
    })?;
    let Some((snapshot, details)) = recorded else { return Ok(None) };
    let failed = RefCell::new(None);
    let records = |log: &str, number| match journal.with(|journal| journal.snapshot_record(log, number)) {
        Ok(record) => record,
        Err(error) => {
            failed.replace(Some(error));
            None
        }
    };
    let Some(saved) = SavedSnapshot::read(&snapshot, &records, roots, Git::for_root(journal.root(), home))
    else {
        // What cannot be read now may be readable the next time.
        if let Some(error) = failed.take() {
            return Err(error);
        }
        tracing::warn!(operation = %operation.id, "what a command has found makes no sense");
        journal.with(|journal| journal.forget_snapshot(&operation.id))?;
        return Ok(Some(Lost { is_known: false, all: Vec::new(), unrecoverable: Vec::new() }));
    };
    // What went on until now may have changed files after the command had to end.
    let until = (left_behind == LeftBehind::Nothing).then_some(saved.until);
    let CommandChanges { changes, images, lost, unrecoverable, .. } =
        saved.snapshot.command_changes(roots, saved.seq, until, &records);
    if let Some(error) = failed.take() {
        return Err(error);
    }
    journal
        .with(|journal| journal.begin(operation, &changes, &images, &details))
        .map(|()| Some(Lost { is_known: true, all: lost, unrecoverable }))
}

fn describe_command(command: &Lost) -> String {
    if !command.is_known {
        return "; a command of it was running, and the earlier content can no longer be read: check the files \
                yourself, because undo does not know what the command changed"
            .to_owned();
    }
    let lost = &command.all;
    let mut text =
        "; a command of it was running: all changes in the project until it ended are counted as its own"
            .to_owned();
    if let Some(first) = lost.first() {
        let path = clada_protocol::visible_line(first);
        text += &format!("; {} of these cannot be restored, '{path}' for example", lost.len());
    }
    text
}

fn recover_one(
    journal: &ProjectJournal,
    roots: &Roots,
    wide: &Roots,
    operation: &Operation,
    lost: &[String],
) -> Result<String, StoreError> {
    let changes = journal.with(|journal| journal.changes(&operation.id))?;
    let changes: Vec<Change> = changes.into_iter().map(|(change, _)| change).collect();
    let mut large: HashMap<&JournalPlace, Vec<&State>> = HashMap::new();
    for change in &changes {
        let of_place =
            [&change.before, &change.after].into_iter().filter(|state| matches!(state, State::Large(_)));
        large.entry(&change.place).or_default().extend(of_place);
    }
    let look = |place: &JournalPlace| {
        let path = wide.resolve_recorded(&place.root, &place.relative).ok()?;
        // A file that was too large to be kept is recognized by other means than the others.
        let mut large = large.get(place).into_iter().flatten();
        let same =
            large.find_map(|state| current_state(wide, &path, state).filter(|now| is_same_state(now, state)));
        same.or_else(|| match current_state(wide, &path, &State::Missing)? {
            State::File { hash, .. } => Some(State::File { hash, metadata: wide.metadata(&path).ok() }),
            now => Some(now),
        })
    };
    let mut outcomes = recovered(&changes, look);
    if operation.undoes.is_some() {
        give_modes_back(wide, &changes, &mut outcomes);
    }
    // Elsewhere they may be those of another process that works there now.
    remove_leftovers(roots, &changes);
    let applied = changes
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| **outcome == ChangeOutcome::Applied)
        .map(|(change, _)| change);
    let summary = match changes.is_empty() && !lost.is_empty() {
        true => clada_journal::summary_of_lost(lost),
        false => clada_journal::summary(applied, Some(journal.root())),
    };
    journal.with(|journal| journal.recovered(&operation.id, &outcomes, lost, &summary))?;
    let request = journal.with(|journal| {
        let request = journal.details(&operation.id)?.request;
        request.map(|request| request.plain(journal.path())).transpose()
    })?;
    Ok(describe(operation, &changes, &outcomes, &summary) + &advice(operation, &outcomes, request.as_deref()))
}

/// Gives folders the modes back that an undo that was cut off had taken from them for its time: of one whose
/// owner it let change what is in it, the one before; of one that it made, the one that was to come last.
fn give_modes_back(roots: &Roots, changes: &[Change], outcomes: &mut [ChangeOutcome]) {
    let mut by_place: BTreeMap<&JournalPlace, Vec<usize>> = BTreeMap::new();
    for (index, change) in changes.iter().enumerate() {
        by_place.entry(&change.place).or_default().push(index);
    }
    // What is in a folder comes before it, since the folder may be closed then.
    for (place, indexes) in by_place.into_iter().rev() {
        let applied = indexes.iter().rposition(|index| outcomes[*index] == ChangeOutcome::Applied);
        let Some((last, next)) = applied.and_then(|at| Some((indexes[at], *indexes.get(at + 1)?))) else {
            continue;
        };
        let State::Folder(now) = changes[last].after else { continue };
        let (mode, outcome) = match (&changes[last].before, &changes[next].after) {
            (State::Folder(before), _) if now == before | 0o700 => {
                (*before, (last, ChangeOutcome::NotApplied))
            }
            (State::Missing, State::Folder(after)) => (*after, (next, ChangeOutcome::Applied)),
            _ => continue,
        };
        let path = roots.resolve_recorded(&place.root, &place.relative);
        match path.and_then(|path| roots.set_mode(&path, now, mode)) {
            Ok(()) => outcomes[outcome.0] = outcome.1,
            Err(error) => tracing::warn!(%error, "a folder keeps the mode of an undo"),
        }
    }
}

/// Removes temporary files from the folders in which something was to change.
fn remove_leftovers(roots: &Roots, changes: &[Change]) {
    // A folder that is not there may have been moved with what was in it: then all folders are looked
    // through.
    let resolved = changes.iter().filter_map(|change| {
        let JournalPlace { root, relative } = &change.place;
        roots.resolve_recorded(root, relative).ok()?.parent()
    });
    let folders: BTreeSet<RootedPath> = resolved.collect();
    let mut moved: BTreeSet<usize> = BTreeSet::new();
    for folder in folders {
        if remove_from(roots, &folder) == Some(FolderPresence::Missing) {
            moved.insert(folder.root());
        }
    }
    for root in moved.into_iter().filter_map(|root| roots.root(root)) {
        let options = WalkOptions { max_entries: ENTRIES, ..WalkOptions::default() };
        for item in roots.walk(&root, options).into_iter().flatten() {
            if let WalkItem::Entry { path, stat } = item
                && stat.kind == FileKind::Directory
            {
                remove_from(roots, &path);
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum FolderPresence {
    There,
    Missing,
}

fn remove_from(roots: &Roots, folder: &RootedPath) -> Option<FolderPresence> {
    match roots.remove_leftovers(folder) {
        Err(error) if matches!(error.code(), "ENOENT" | "ENOTDIR") => return Some(FolderPresence::Missing),
        Err(error) => {
            tracing::warn!(%error, "a temporary file is left");
            return None;
        }
        Ok(removed) if removed.is_empty() => {}
        Ok(removed) => tracing::info!(count = removed.len(), "temporary files removed"),
    }
    Some(FolderPresence::There)
}

fn describe(operation: &Operation, changes: &[Change], outcomes: &[ChangeOutcome], summary: &str) -> String {
    let id = &operation.id;
    let mut text = format!("Operation {id} was interrupted; it had done: {summary}");
    let unknown: BTreeSet<&JournalPlace> = changes
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| **outcome == ChangeOutcome::Unknown)
        .map(|(change, _)| &change.place)
        .collect();
    if let Some(first) = unknown.first() {
        let shown = first.relative.to_string_lossy();
        let path = clada_protocol::visible_line(&shown);
        text += &format!(
            "; {} of its paths have changed since and are left alone, '{path}' for example",
            unknown.len()
        );
    }
    text
}

/// Returns the command that does the rest of an operation that was cut off: of an undo, the same undo again.
/// `request` holds the parameters of its request.
fn advice(operation: &Operation, outcomes: &[ChangeOutcome], request: Option<&[u8]>) -> String {
    let id = &operation.id;
    let show = format!("`clada history show {id}` shows more");
    let rest = match (operation.kind, &operation.undoes) {
        _ if outcomes.iter().all(|outcome| *outcome == ChangeOutcome::Applied)
            && operation.undoes.is_some() =>
        {
            return format!(" ({show}; nothing remains to be done)");
        }
        (OperationKind::Undo, Some(undoes)) => format!("undo {undoes}{}", way(request)),
        (OperationKind::Redo, Some(undoes)) => format!("redo {undoes}{}", way(request)),
        _ if request.is_some() => format!("apply --resume {id}"),
        _ => return format!(" ({show})"),
    };
    format!(" ({show}, `clada {rest}` does the rest)")
}

fn way(request: Option<&[u8]>) -> &'static str {
    // Older versions kept no request: then the plain undo says which argument it needs.
    match request.and_then(|request| serde_json::from_slice(request).ok()) {
        Some(Later::Merge) => " --merge",
        Some(Later::Force) => " --force",
        Some(Later::Refuse) | None => "",
    }
}
