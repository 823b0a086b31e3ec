//! What a command has changed in a project, found by looking at it before and after.
//!
//! What git has of a file that is as it was committed need not be kept: its content comes from git afterwards. Of the
//! others the contents are kept as far as there is room, so that they can be brought back; what there is no room for is
//! told, before and after. What git ignores is left out: nobody keeps what a build makes.
//!
//! Looks at files and changes nothing. A [`Survey`] can be written down, so that whoever comes after a process that
//! was ended finds out what its command did. Knows neither commands nor operations.

mod kept;
mod risk;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use blake3::Hash;

use crate::fs::{
    FileKind, Identity, Ignored, Metadata, RootedPath, Roots, Stat, Timestamp, WalkItem, WalkOptions,
};
use crate::git::{BlobId, CleanFiles};
use crate::journal::{Change, Images, State, place};

pub use risk::AtRisk;

/// Entries that are looked at.
const ENTRIES: usize = 200_000;
/// Bytes of one file that are kept.
const FILE: u64 = 4 << 20;
/// Bytes that are kept of all files.
const BYTES: u64 = 64 << 20;

/// What stood in a project before a command ran.
#[derive(Debug)]
pub struct Survey {
    seen: BTreeMap<RootedPath, Seen>,
    /// What git ignores, and of files which they were.
    ignored: BTreeMap<RootedPath, Option<Identity>>,
    complete: bool,
    clean: Option<CleanFiles>,
}

/// What stood at one path.
#[derive(Debug)]
struct Seen {
    kind: FileKind,
    mode: u32,
    identity: Identity,
    was: Was,
}

/// A content, by its hash.
type Content = (Hash, Arc<[u8]>);

/// What of it could be brought back.
#[derive(Debug)]
enum Was {
    /// This, with its content if it is kept.
    Here(State, Option<Content>),
    /// A file whose content git has.
    Committed(BlobId, Metadata),
}

/// What a command has changed.
#[derive(Debug, Default)]
pub struct Aftermath {
    /// The changes, in an order in which they could have been made.
    pub changes: Vec<Change>,
    /// The contents that went.
    pub images: Images,
    /// The paths that cannot be brought back.
    pub lost: Vec<String>,
    /// Whether everything was looked at.
    pub complete: bool,
}

impl Survey {
    /// Looks at the project of `roots`, which may look at every path; `clean` knows what git has of it.
    #[must_use]
    pub fn take(roots: &Roots, clean: Option<CleanFiles>, stopped: &dyn Fn() -> bool) -> Survey {
        let mut survey = Survey { seen: BTreeMap::new(), ignored: BTreeMap::new(), complete: true, clean };
        let mut room = BYTES;
        let Survey { seen, ignored, clean, .. } = &mut survey;
        let complete = walk(roots, stopped, &mut |met| match met {
            Met::Entry(path, stat) => {
                let was = committed(roots, clean.as_ref(), &path, &stat)
                    .unwrap_or_else(|| look(roots, &path, &stat, &mut room));
                seen.insert(path, Seen { kind: stat.kind, mode: stat.mode, identity: stat.identity(), was });
            }
            Met::Ignored(path, stat) => drop(ignored.insert(path, of_file(&stat))),
        });
        Survey { complete, ..survey }
    }

    /// Looks again, after the action `seq`. What was changed later than `until` was changed by somebody else.
    #[must_use]
    pub fn aftermath(mut self, roots: &Roots, seq: usize, until: Option<Timestamp>) -> Aftermath {
        let mut result = Aftermath::default();
        let (mut came, mut changed) = (Vec::new(), Vec::new());
        let complete = walk(roots, &|| false, &mut |met| match met {
            Met::Entry(path, stat) => {
                let before = self.seen.remove(&path);
                let is_later = until.is_some_and(|until| stat.ctime > until);
                if is_later || before.as_ref().is_some_and(|seen| seen.is(&stat)) {
                    return;
                }
                // What is there now is read to know it again, not to keep it.
                let mut room = u64::MAX;
                if let Was::Here(after, _) = look(roots, &path, &stat, &mut room) {
                    came.push((path, before, after));
                }
            }
            Met::Ignored(path, stat) => {
                if self.ignored.remove(&path).flatten().is_some_and(|identity| identity != stat.identity()) {
                    changed.push(path.written().to_owned());
                }
            }
        });
        result.complete = complete && self.complete;
        if !result.complete {
            // What was not looked at is not gone.
            self.seen.clear();
            self.ignored.clear();
        }
        result.lost.extend(changed);
        result.lost.extend(self.ignored.keys().map(|path| path.written().to_owned()));
        let gone = self.seen.into_iter().rev().map(|(path, seen)| (path, Some(seen), State::Missing));
        for (path, before, after) in gone.chain(came) {
            let (state, content) =
                before.map_or((State::Missing, None), |seen| seen.state(self.clean.as_ref()));
            if state == after {
                continue;
            }
            // Of a folder that is still there, undo leaves the mode as it is.
            let stays =
                matches!((&state, &after), (State::Large(_), _) | (State::Folder(_), State::Folder(_)));
            if stays {
                result.lost.push(path.written().to_owned());
            }
            if let Some((hash, content)) = content {
                result.images.add_hashed(hash, &content);
            }
            let place = place(roots, &path);
            result.changes.push(Change { seq, place, before: state, after, moved_from: None });
        }
        result
    }
}

impl Seen {
    /// Whether `now` is the same, untouched. What is in a folder comes and goes.
    fn is(&self, now: &Stat) -> bool {
        if self.kind == FileKind::Directory && now.kind == FileKind::Directory {
            return self.mode == now.mode;
        }
        self.identity == now.identity() && self.mode == now.mode
    }

    /// What it was, with its content if there is one to be had.
    fn state(self, clean: Option<&CleanFiles>) -> (State, Option<Content>) {
        match self.was {
            Was::Here(state, content) => (state, content),
            Was::Committed(id, metadata) => match clean.and_then(|clean| clean.content(id)) {
                Some(content) => {
                    let hash = blake3::hash(&content);
                    (State::File { hash, metadata: Some(metadata) }, Some((hash, content.into())))
                }
                None => (State::Large(self.identity), None),
            },
        }
    }
}

/// What a walk comes upon.
enum Met {
    Entry(RootedPath, Stat),
    Ignored(RootedPath, Stat),
}

/// Shows `visit` everything of the project; whether that was all.
fn walk(roots: &Roots, stopped: &dyn Fn() -> bool, visit: &mut dyn FnMut(Met)) -> bool {
    let Some(root) = roots.root(0) else { return false };
    let options = WalkOptions {
        max_entries: ENTRIES,
        ignored: Ignored::Reported,
        cancelled: stopped,
        ..WalkOptions::default()
    };
    let Ok(walk) = roots.walk(&root, options) else { return false };
    let mut complete = true;
    for item in walk {
        match item {
            WalkItem::Entry { path, stat } => visit(Met::Entry(path, stat)),
            WalkItem::Ignored { path, stat } => visit(Met::Ignored(path, stat)),
            WalkItem::Withheld { .. } => {}
            WalkItem::Error(_) | WalkItem::Truncated => complete = false,
        }
    }
    complete && !stopped()
}

/// What git has of the file at `path`, if it has all of it.
fn committed(roots: &Roots, clean: Option<&CleanFiles>, path: &RootedPath, stat: &Stat) -> Option<Was> {
    let id = committed_by(roots, clean, path, stat)?;
    Some(Was::Committed(id, roots.metadata(path).ok()?))
}

/// The content of the file at `path` as git names it, if git has it.
fn committed_by(roots: &Roots, clean: Option<&CleanFiles>, path: &RootedPath, stat: &Stat) -> Option<BlobId> {
    let place = place(roots, path);
    clean?.id_of(&place.root.join(place.relative), stat)
}

fn look(roots: &Roots, path: &RootedPath, stat: &Stat, room: &mut u64) -> Was {
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
    Was::Here(state, content)
}

/// Which file it is, if it is one: a folder is another one with everything that comes and goes in it.
fn of_file(stat: &Stat) -> Option<Identity> {
    (stat.kind != FileKind::Directory).then(|| stat.identity())
}
