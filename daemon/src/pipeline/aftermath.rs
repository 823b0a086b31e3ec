//! What a command has changed in the project, found by looking at it before and after.
//!
//! The files that git would ignore are left out: nobody keeps what a build makes. Of the others the contents are kept
//! as far as there is room, so that they can be brought back; what there is no room for is told.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use blake3::Hash;

use crate::fs::{FileKind, RootedPath, Roots, Stat, WalkItem, WalkOptions};
use crate::journal::{Change, Images, State, place};

/// Entries that are looked at.
const ENTRIES: usize = 200_000;
/// Bytes of one file that are kept.
const FILE: u64 = 4 << 20;
/// Bytes that are kept of all files.
const BYTES: u64 = 64 << 20;

/// What stood in a project before a command ran.
#[derive(Debug)]
pub(super) struct Survey {
    seen: BTreeMap<RootedPath, Seen>,
    complete: bool,
}

/// What stood at one path.
#[derive(Debug)]
struct Seen {
    stat: Stat,
    state: State,
    content: Option<(Hash, Arc<[u8]>)>,
}

/// What a command has changed.
#[derive(Debug, Default)]
pub(super) struct Aftermath {
    /// The changes, in an order in which they could have been made.
    pub(super) changes: Vec<Change>,
    /// The contents that went.
    pub(super) images: Images,
    /// The paths that cannot be brought back.
    pub(super) lost: Vec<String>,
    /// Whether everything was looked at.
    pub(super) complete: bool,
}

impl Survey {
    /// Looks at the project.
    pub(super) fn take(roots: &Roots, stopped: &dyn Fn() -> bool) -> Survey {
        let mut survey = Survey { seen: BTreeMap::new(), complete: true };
        let mut room = BYTES;
        survey.complete = walk(roots, stopped, &mut |path, stat| {
            let seen = look(roots, &path, stat, &mut room);
            survey.seen.insert(path, seen);
        });
        survey
    }

    /// Looks again, after the action `seq`.
    pub(super) fn aftermath(mut self, roots: &Roots, seq: usize) -> Aftermath {
        let mut result = Aftermath::default();
        let mut came = Vec::new();
        let complete = walk(roots, &|| false, &mut |path, stat| {
            let before = self.seen.remove(&path);
            if before.as_ref().is_some_and(|seen| same(&seen.stat, &stat)) {
                return;
            }
            // What is there now is read to know it again, not to keep it.
            let mut room = u64::MAX;
            let after = look(roots, &path, stat, &mut room).state;
            came.push((path, before, after));
        });
        result.complete = complete && self.complete;
        if !result.complete {
            // What was not looked at is not gone.
            self.seen.clear();
        }
        let gone = self.seen.into_iter().rev().map(|(path, seen)| (path, Some(seen), State::Missing));
        for (path, before, after) in gone.chain(came) {
            let state = before.as_ref().map_or(State::Missing, |seen| seen.state.clone());
            if state == after {
                continue;
            }
            if matches!(state, State::Large(_)) {
                result.lost.push(path.written().to_owned());
            }
            if let Some((hash, content)) = before.and_then(|seen| seen.content) {
                result.images.add_hashed(hash, &content);
            }
            let place = place(roots, &path);
            result.changes.push(Change { seq, place, before: state, after, moved_from: None });
        }
        result
    }
}

/// Shows `visit` everything of the project that git does not ignore; whether that was all.
fn walk(roots: &Roots, stopped: &dyn Fn() -> bool, visit: &mut dyn FnMut(RootedPath, Stat)) -> bool {
    let Some(root) = roots.root(0) else { return false };
    let options = WalkOptions { max_entries: ENTRIES, cancelled: stopped, ..WalkOptions::default() };
    let Ok(walk) = roots.walk(&root, options) else { return false };
    let mut complete = true;
    for item in walk {
        match item {
            WalkItem::Entry { path, stat } => visit(path, stat),
            WalkItem::Withheld { .. } => {}
            WalkItem::Error(_) | WalkItem::Truncated => complete = false,
        }
    }
    complete && !stopped()
}

fn look(roots: &Roots, path: &RootedPath, stat: Stat, room: &mut u64) -> Seen {
    let large = State::Large(stat.identity());
    let (state, content) = match stat.kind {
        FileKind::Directory => (State::Folder(stat.mode), None),
        FileKind::Symlink => match roots.readlink(path) {
            Ok(target) => (State::Link(target.as_bytes().to_vec()), None),
            Err(_) => (large, None),
        },
        FileKind::File if stat.size <= FILE.min(*room) => match roots.read(path, FILE) {
            Ok(read) => {
                let content: Arc<[u8]> = read.bytes.into();
                *room = room.saturating_sub(content.len() as u64);
                let hash = blake3::hash(&content);
                (State::File { hash, metadata: roots.metadata(path).ok() }, Some((hash, content)))
            }
            Err(_) => (large, None),
        },
        FileKind::File | FileKind::Special => (large, None),
    };
    Seen { stat, state, content }
}

/// Whether an entry is untouched. What is in a folder comes and goes.
fn same(before: &Stat, now: &Stat) -> bool {
    if before.kind == FileKind::Directory && now.kind == FileKind::Directory {
        return before.mode == now.mode;
    }
    before.identity() == now.identity() && before.mode == now.mode
}
