//! Surveys the places of an operation: their current states, what is above, and the names in folders that may
//! have to go.
//!
//! Reads through `fs`, and changes modes for the time of a look alone. Nothing is followed; a place that lies in
//! no root is unknown.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::ffi::OsStringExt;

use clada_fs::{FileKind, FolderAccess, FsError, Metadata, RootedPath, Roots, Stat};
use clada_journal::{GivenRight, JournalPlace, Net, State};
use clada_protocol::ErrorKind;
use clada_store::StoreError;

use super::now::{CurrentFile, CurrentState, Now};
use super::place::{above, top};

/// Names of a folder that are looked at: more than an operation can have made.
const NAMES: usize = 100_000;

/// The most times that rights are given to see what is behind those that were given before.
const DEPTH: usize = 32;
/// The bits of an owner who can list a folder and pass to what is in it.
const LIST: u32 = 0o500;
const READ: u32 = 0o400;

/// Notes the rights that are given for a survey, before they are, so that they are given back in any case.
pub type NoteRights<'a> = &'a dyn Fn(&[GivenRight]) -> Result<(), StoreError>;

/// Returns the current states of the places of `nets` and of those above them, beneath `roots`. Files of more
/// than `limit` bytes that no net knows by their content are known by their identity alone.
#[must_use]
pub fn survey(roots: &Roots, nets: &[Net], limit: u64) -> Now {
    let mut now = Now::default();
    // A file of which every net knows no content is not read.
    let mut limits: HashMap<&JournalPlace, u64> = HashMap::new();
    for net in nets {
        let is_known = |is_kind: fn(&State) -> bool| is_kind(&net.before) || is_kind(&net.after);
        let limit = if is_known(|state| matches!(state, State::File { .. })) {
            u64::MAX
        } else if is_known(|state| matches!(state, State::Large(_))) {
            0
        } else {
            limit
        };
        let of_place = limits.entry(&net.place).or_insert(limit);
        *of_place = limit.max(*of_place);
    }
    for (place, limit) in limits {
        now.states.insert(place.clone(), current_state(roots, place, limit));
        if resolve(roots, place).is_ok_and(|path| roots.is_mount_point(&path)) {
            now.mounted.insert(place.clone());
        }
    }
    let mut folders = BTreeSet::new();
    for net in nets {
        for folder in above(&net.place).chain([top(&net.place)]) {
            if !folders.insert(folder.clone()) {
                break;
            }
            if folder.relative.as_os_str().is_empty() {
                continue;
            }
            let current = || current_state(roots, &folder, limit);
            now.states.entry(folder.clone()).or_insert_with(current);
        }
    }
    for net in nets {
        // Only a folder that may have to go has to be empty.
        let may_go = net.is_new || !matches!(net.before, State::Folder(_));
        if matches!(now.at(&net.place), CurrentState::Folder(_)) {
            folders.insert(net.place.clone());
        }
        if may_go
            && matches!(net.after, State::Folder(_))
            && matches!(now.at(&net.place), CurrentState::Folder(_))
        {
            match names(roots, &net.place) {
                Ok(names) => drop(now.entries.insert(net.place.clone(), names)),
                Err(why) => {
                    drop(now.states.insert(net.place.clone(), CurrentState::Unknown(why.to_string())))
                }
            }
        }
    }
    for folder in folders {
        let Some(path) = resolve_folder(roots, &folder) else { continue };
        match roots.folder_access(&path) {
            FolderAccess::Full => {}
            FolderAccess::Closed => drop(now.closed.insert(folder)),
            FolderAccess::Denied(why) => drop(now.denied.insert(folder, why.to_string())),
        }
    }
    now
}

/// Returns what [`survey`] does, also of what clada's user owns and has no right to see: it gives itself the
/// right for the time of the survey. `note` notes what is to be given back.
///
/// # Errors
/// If that cannot be noted; then nothing is given.
pub fn survey_with_rights(
    roots: &Roots,
    nets: &[Net],
    limit: u64,
    note: NoteRights<'_>,
) -> Result<Now, StoreError> {
    let mut now = survey(roots, nets, limit);
    let mut granted: Vec<GivenRight> = Vec::new();
    for _ in 0..DEPTH {
        let more = missing_rights(roots, nets, &now);
        let more: Vec<GivenRight> = more
            .into_iter()
            .filter(|right| !granted.iter().any(|known| known.place == right.place))
            .collect();
        if more.is_empty() {
            break;
        }
        let noted: Vec<GivenRight> = granted.iter().chain(&more).cloned().collect();
        if let Err(error) = note(&noted) {
            let _ = give_back(roots, &granted);
            return Err(error);
        }
        for right in more {
            let set = resolve(roots, &right.place)
                .and_then(|path| roots.set_mode(&path, right.mode, right.temporary_mode));
            match set {
                Ok(()) => granted.push(right),
                Err(error) => tracing::debug!(%error, "a right is not given"),
            }
        }
        now = survey(roots, nets, limit);
    }
    if granted.is_empty() {
        return Ok(now);
    }
    // The identity of a file changes with its mode, and can be seen as long as its folders are open.
    let left = give_back_each(roots, &granted, &mut |right, stat| match now.states.get_mut(&right.place) {
        Some(CurrentState::Folder(mode)) => *mode = right.mode,
        Some(CurrentState::File(file)) => {
            let same =
                stat.filter(|stat| (stat.size, stat.mtime) == (file.identity.size, file.identity.mtime));
            file.identity = same.map_or(file.identity, |stat| stat.identity());
            file.metadata.mode = right.mode;
            file.is_readable = false;
        }
        _ => {}
    });
    note(&left)?;
    Ok(now)
}

/// Takes the `granted` rights back, and returns those for which that failed.
#[must_use]
pub fn give_back(roots: &Roots, granted: &[GivenRight]) -> Vec<GivenRight> {
    give_back_each(roots, granted, &mut |_, _| {})
}

fn give_back_each(
    roots: &Roots,
    granted: &[GivenRight],
    done: &mut dyn FnMut(&GivenRight, Option<Stat>),
) -> Vec<GivenRight> {
    // The last may lie behind those before.
    let mut left = Vec::new();
    for right in granted.iter().rev() {
        let Ok(path) = resolve(roots, &right.place) else {
            left.insert(0, right.clone());
            continue;
        };
        let stat = || roots.lstat(&path).ok().flatten();
        let stands = stat().is_some_and(|stat| stat.mode == right.temporary_mode);
        if stands && let Err(error) = roots.set_mode(&path, right.temporary_mode, right.mode) {
            tracing::warn!(%error, "a mode is not given back");
            left.insert(0, right.clone());
        }
        done(right, stat());
    }
    left
}

/// Returns the rights that clada's user could give itself to see more than `now`: of files that a net knows by
/// their content, and of folders whose names matter or that have places of nets in them.
fn missing_rights(roots: &Roots, nets: &[Net], now: &Now) -> Vec<GivenRight> {
    let mut missing: BTreeMap<JournalPlace, GivenRight> = BTreeMap::new();
    let mut add = |place: &JournalPlace, needed: u32| {
        let stat = resolve(roots, place).ok().and_then(|path| roots.own(&path));
        let Some(stat) = stat.filter(|stat| stat.mode & needed != needed) else { return };
        let (mode, temporary_mode) = (stat.mode, stat.mode | needed);
        missing.insert(place.clone(), GivenRight { place: place.clone(), mode, temporary_mode });
    };
    for net in nets {
        match now.at(&net.place) {
            CurrentState::File(file)
                if !file.is_readable
                    && file.hash.is_none()
                    && [&net.before, &net.after].iter().any(|state| matches!(state, State::File { .. })) =>
            {
                add(&net.place, READ);
            }
            CurrentState::Unknown(_) => {
                add(&net.place, LIST);
                above(&net.place).for_each(|folder| add(&folder, LIST));
            }
            _ => {}
        }
    }
    // Folders come before what is in them.
    missing.into_values().collect()
}

fn resolve_folder(roots: &Roots, folder: &JournalPlace) -> Option<RootedPath> {
    if !folder.relative.as_os_str().is_empty() {
        return resolve(roots, folder).ok();
    }
    roots.paths().position(|root| root == folder.root).and_then(|index| roots.root(index))
}

/// Returns the path of a place, if it is one that an operation could have changed.
///
/// # Errors
/// `path_escape` if it lies in none of `roots`.
pub fn resolve(roots: &Roots, place: &JournalPlace) -> Result<RootedPath, FsError> {
    roots.resolve_recorded(&place.root, &place.relative)
}

fn current_state(roots: &Roots, place: &JournalPlace, limit: u64) -> CurrentState {
    match resolve(roots, place).and_then(|path| look(roots, &path, limit)) {
        Ok(current) => current,
        // Beneath a link there is nothing of the project's, as beneath a file.
        Err(error) if error.kind() == ErrorKind::SymlinkNotAllowed => CurrentState::Missing,
        Err(error) => CurrentState::Unknown(error.to_string()),
    }
}

fn look(roots: &Roots, path: &RootedPath, limit: u64) -> Result<CurrentState, FsError> {
    let Some(stat) = roots.lstat(path)? else { return Ok(CurrentState::Missing) };
    Ok(match stat.kind {
        FileKind::Directory => CurrentState::Folder(stat.mode),
        FileKind::Special => CurrentState::Special,
        FileKind::Symlink => CurrentState::Link(roots.readlink(path)?.into_vec()),
        FileKind::File => {
            let read = || {
                let hash = if stat.size > limit { None } else { Some(roots.hash(path)?) };
                Ok::<_, FsError>((hash, roots.metadata(path)?))
            };
            let identity = stat.identity();
            match read() {
                Ok((hash, metadata)) => {
                    CurrentState::File(CurrentFile { hash, identity, metadata, is_readable: true })
                }
                // What it is can be seen all the same.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    let xattrs = Vec::new();
                    let metadata = Metadata { mode: stat.mode, uid: stat.uid, gid: stat.gid, xattrs };
                    CurrentState::File(CurrentFile { hash: None, identity, metadata, is_readable: false })
                }
                Err(error) => return Err(error),
            }
        }
    })
}

fn names(roots: &Roots, place: &JournalPlace) -> Result<Vec<std::ffi::OsString>, FsError> {
    let listing = roots.list(&resolve(roots, place)?, NAMES)?;
    Ok(listing.entries.into_iter().map(|entry| entry.name).collect())
}
