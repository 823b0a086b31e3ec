//! Sandbox mounts: the command line of bubblewrap for an enclosure, with its mounts in order.
//!
//! Looks at files to see which exist; changes none and starts nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::sockets::Sockets;
use super::visible::{PRIVATE, Visible, closest, real};
use crate::command_spec::{Access, CommandSpec, Enclosure, Network};
use crate::error::ExecError;
use crate::wire::BLANK;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrapped {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) writable: Vec<OsString>,
    /// Empty folders that have to be removed afterwards, so that the tree is as it was.
    pub(crate) mount_points: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MountedContent {
    Private,
    Empty,
    /// An empty folder in a place where nothing exists, so that nothing can be made there.
    Reserved,
    Blank,
    Read,
    Change,
}

pub(crate) struct Surround<'a> {
    pub(crate) enclosure: &'a Enclosure,
    pub(crate) visible: &'a Visible,
    pub(crate) sockets: &'a Sockets,
    pub(crate) scratch: &'a [&'a Path],
    pub(crate) users: Users,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Users {
    /// Its own: the only way for a user who may not mount otherwise.
    Own,
    /// The machine's. Root needs no other, and inside another the kernel lets a command ask for more.
    Shared,
}

pub(crate) fn wrap(spec: &CommandSpec, surround: &Surround<'_>) -> Result<Wrapped, ExecError> {
    let mounts = mounts(surround)?;
    let mut arguments: Vec<OsString> = Vec::new();
    let mut say = |words: &[&OsStr]| arguments.extend(words.iter().map(|word| (*word).to_owned()));
    if surround.users == Users::Own {
        say(&["--unshare-user".as_ref()]);
    }
    for word in [
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--new-session",
    ] {
        say(&[word.as_ref()]);
    }
    // Otherwise root keeps its capabilities, and could undo every mount below.
    say(&["--cap-drop".as_ref(), "ALL".as_ref()]);
    if surround.enclosure.network == Network::Off {
        say(&["--unshare-net".as_ref()]);
    }
    let top = Path::new("/");
    let whole = if mounts.get(top) == Some(&MountedContent::Change) { "--bind" } else { "--ro-bind" };
    say(&[whole.as_ref(), "/".as_ref(), "/".as_ref()]);
    say(&["--dev".as_ref(), "/dev".as_ref(), "--proc".as_ref(), "/proc".as_ref()]);
    // The new `/proc` is writable as far as files' owners may write: root owns the machine's settings.
    for path in of_the_machine() {
        say(&["--ro-bind".as_ref(), path.as_os_str(), path.as_os_str()]);
    }
    // In the order of the paths: a folder comes before the paths inside it.
    for (path, shown) in mounts.iter().filter(|(path, _)| path.as_path() != top) {
        let path = path.as_os_str();
        match shown {
            MountedContent::Private | MountedContent::Empty | MountedContent::Reserved => {
                say(&["--tmpfs".as_ref(), path])
            }
            MountedContent::Blank => say(&["--ro-bind-data".as_ref(), BLANK.as_ref(), path]),
            MountedContent::Read => say(&["--ro-bind".as_ref(), path, path]),
            MountedContent::Change => say(&["--bind".as_ref(), path, path]),
        }
    }
    // Made read-only last: folders for the mounts within them had to be made.
    for (path, _) in
        mounts.iter().filter(|(_, shown)| matches!(shown, MountedContent::Empty | MountedContent::Reserved))
    {
        say(&["--remount-ro".as_ref(), path.as_os_str()]);
    }
    say(&["--chdir".as_ref(), real(&spec.folder).as_os_str()]);
    let writable = PRIVATE.iter().chain(&["/dev", "/proc"]).map(PathBuf::from);
    let changed =
        mounts.iter().filter(|(_, shown)| **shown == MountedContent::Change).map(|(path, _)| path.clone());
    let writable = writable.chain(changed).map(PathBuf::into_os_string).collect();
    let reserved = mounts.into_iter().filter(|(_, shown)| *shown == MountedContent::Reserved);
    Ok(Wrapped { arguments, mount_points: reserved.map(|(path, _)| path).collect(), writable })
}

fn of_the_machine() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = |name: &OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let mut paths: Vec<PathBuf> = entries
        .filter(|entry| !own(&entry.file_name()))
        .filter(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => true,
            Ok(data) if data.is_file() => data.mode() & 0o222 != 0,
            Ok(_) | Err(_) => false,
        })
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

fn mounts(surround: &Surround<'_>) -> Result<BTreeMap<PathBuf, MountedContent>, ExecError> {
    let enclosure = surround.enclosure;
    let root = real(&enclosure.root);
    let mut mounts = BTreeMap::new();
    for folder in PRIVATE.iter().map(Path::new).filter(|folder| folder.is_dir()) {
        mounts.insert(real(folder), MountedContent::Private);
    }
    for path in &surround.visible.hidden {
        mounts
            .insert(path.clone(), if path.is_dir() { MountedContent::Empty } else { MountedContent::Blank });
    }
    mounts.extend(surround.sockets.folders.iter().map(|folder| (folder.clone(), MountedContent::Empty)));
    mounts.extend(surround.visible.shown.iter().map(|path| (path.clone(), MountedContent::Read)));
    // Paths that the user has named may be changed, even if they would be hidden otherwise.
    for folder in enclosure.writable.iter().filter_map(|path| path.canonicalize().ok()) {
        mounts.insert(folder, MountedContent::Change);
    }
    let change = enclosure.access == Access::Change;
    mounts.insert(root, if change { MountedContent::Change } else { MountedContent::Read });
    for scratch in surround.scratch {
        // A path that the root's own mount shows already keeps that access.
        mounts.entry(real(scratch)).or_insert(MountedContent::Read);
    }
    mounts.extend(surround.sockets.named.iter().map(|socket| (real(socket), MountedContent::Blank)));
    let without = without_what_is_not_there(&mounts);
    mounts.retain(|path, _| !without.contains(path));
    for path in &enclosure.protected {
        let Some((path, shown)) = protected(path)? else { continue };
        if closest(&mounts, &path) == Some(&MountedContent::Change) {
            mounts.insert(path, shown);
        }
    }
    Ok(mounts)
}

/// Returns the hidden paths that need no mount because everything around them is hidden.
fn without_what_is_not_there(mounts: &BTreeMap<PathBuf, MountedContent>) -> BTreeSet<PathBuf> {
    let hides = |(path, shown): &(&PathBuf, &MountedContent)| {
        let around = path.parent().and_then(|folder| closest(mounts, folder));
        matches!(shown, MountedContent::Empty | MountedContent::Blank)
            && matches!(around, Some(MountedContent::Empty | MountedContent::Private))
    };
    mounts.iter().filter(hides).map(|(path, _)| path.clone()).collect()
}

fn protected(path: &Path) -> Result<Option<(PathBuf, MountedContent)>, ExecError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    let Some(folder) = folder.canonicalize().ok().filter(|folder| folder.is_dir()) else { return Ok(None) };
    let path = folder.join(name);
    match std::fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_symlink() => Err(ExecError::Unprotectable {
            path: path.display().to_string(),
            reason: "it is a symbolic link, which the command could replace; put what it leads to in its place",
        }),
        Ok(_) => Ok(Some((path, MountedContent::Read))),
        Err(_) => Ok(Some((path, MountedContent::Reserved))),
    }
}
