//! The command line of bubblewrap for an enclosure: which mounts, in which order.
//!
//! Looks at files to see what is there; changes none and starts nothing.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::exec::error::ExecError;
use crate::exec::order::{Access, Enclosure, Network, Order};

/// Folders that are private and empty in the sandbox.
const PRIVATE: [&str; 2] = ["/tmp", "/var/tmp"];

/// Bubblewrap's arguments, and what it will make in the real file system.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::exec) struct Wrapped {
    pub(in crate::exec) arguments: Vec<OsString>,
    /// Empty folders that have to be removed afterwards, so that the tree is as it was.
    pub(in crate::exec) made: Vec<PathBuf>,
}

/// What a path shows in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// A folder of its own that may be written to.
    Private,
    /// An empty folder.
    Empty,
    /// An empty folder where there is none: nothing can be made in that place.
    Reserved,
    /// An empty file.
    Blank,
    /// Itself, for reading.
    Read,
    /// Itself.
    Change,
}

/// What is to be wrapped besides the order itself.
pub(in crate::exec) struct Surround<'a> {
    pub(in crate::exec) enclosure: &'a Enclosure,
    /// Sockets that have a name, see [`super::hidden::sockets`].
    pub(in crate::exec) sockets: &'a [PathBuf],
    /// The command's own folder for files that clada hands to it, and what they lead to.
    pub(in crate::exec) scratch: &'a [&'a Path],
}

/// The arguments with which bubblewrap runs the order.
pub(in crate::exec) fn wrap(order: &Order, surround: &Surround<'_>) -> Result<Wrapped, ExecError> {
    let mounts = mounts(surround)?;
    let mut arguments: Vec<OsString> = Vec::new();
    let mut say = |words: &[&OsStr]| arguments.extend(words.iter().map(|word| (*word).to_owned()));
    for word in [
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--new-session",
    ] {
        say(&[word.as_ref()]);
    }
    // Root keeps its capabilities otherwise, and could undo every mount below.
    say(&["--cap-drop".as_ref(), "ALL".as_ref()]);
    if surround.enclosure.network == Network::Off {
        say(&["--unshare-net".as_ref()]);
    }
    let top = Path::new("/");
    let whole = if mounts.get(top) == Some(&Shown::Change) { "--bind" } else { "--ro-bind" };
    say(&[whole.as_ref(), "/".as_ref(), "/".as_ref()]);
    say(&["--dev".as_ref(), "/dev".as_ref(), "--proc".as_ref(), "/proc".as_ref()]);
    // In the order of the paths: a folder comes before what lies in it.
    for (path, shown) in mounts.iter().filter(|(path, _)| path.as_path() != top) {
        let path = path.as_os_str();
        match shown {
            Shown::Private | Shown::Empty | Shown::Reserved => say(&["--tmpfs".as_ref(), path]),
            Shown::Blank => say(&["--ro-bind".as_ref(), "/dev/null".as_ref(), path]),
            Shown::Read => say(&["--ro-bind".as_ref(), path, path]),
            Shown::Change => say(&["--bind".as_ref(), path, path]),
        }
    }
    // Last: folders for the mounts within them had to be made.
    for (path, _) in mounts.iter().filter(|(_, shown)| matches!(shown, Shown::Empty | Shown::Reserved)) {
        say(&["--remount-ro".as_ref(), path.as_os_str()]);
    }
    let folder = real(&order.folder);
    say(&["--chdir".as_ref(), folder.as_os_str(), "--".as_ref(), order.program.as_os_str()]);
    arguments.extend(order.arguments.iter().cloned());
    let reserved = mounts.into_iter().filter(|(_, shown)| *shown == Shown::Reserved);
    Ok(Wrapped { arguments, made: reserved.map(|(path, _)| path).collect() })
}

fn mounts(surround: &Surround<'_>) -> Result<BTreeMap<PathBuf, Shown>, ExecError> {
    let enclosure = surround.enclosure;
    let root = real(&enclosure.root);
    let mut mounts = BTreeMap::new();
    for folder in PRIVATE.iter().map(Path::new).filter(|folder| folder.is_dir()) {
        mounts.insert(real(folder), Shown::Private);
    }
    for path in enclosure.hidden.iter().filter_map(|path| path.canonicalize().ok()) {
        let shown = if path.is_dir() { Shown::Empty } else { Shown::Blank };
        mounts.insert(path, shown);
    }
    let folders: Vec<PathBuf> = mounts.keys().cloned().collect();
    let reachable = |path: &&PathBuf| {
        !folders.iter().any(|folder| path.starts_with(folder)) && !path.starts_with(&root) && is_socket(path)
    };
    let sockets: Vec<PathBuf> = surround.sockets.iter().map(|path| real(path)).collect();
    mounts.extend(sockets.iter().filter(reachable).map(|socket| (socket.clone(), Shown::Blank)));
    // What the person has named may be changed, even if it would be hidden otherwise.
    for folder in enclosure.writable.iter().filter_map(|path| path.canonicalize().ok()) {
        mounts.insert(folder, Shown::Change);
    }
    let change = enclosure.access == Access::Change;
    mounts.insert(root, if change { Shown::Change } else { Shown::Read });
    for scratch in surround.scratch {
        // What the root's own mount shows already is not shown otherwise for it.
        mounts.entry(real(scratch)).or_insert(Shown::Read);
    }
    for path in &enclosure.protected {
        let Some((path, shown)) = protected(path)? else { continue };
        let within = mounts.iter().rev().find(|(folder, _)| path.starts_with(folder));
        if within.is_some_and(|(_, shown)| *shown == Shown::Change) {
            mounts.insert(path, shown);
        }
    }
    Ok(mounts)
}

/// How a path is kept as it is. `None` if nothing can come to be there.
fn protected(path: &Path) -> Result<Option<(PathBuf, Shown)>, ExecError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    let Some(folder) = folder.canonicalize().ok().filter(|folder| folder.is_dir()) else { return Ok(None) };
    let path = folder.join(name);
    match std::fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => Err(ExecError::Unprotectable {
            path: path.display().to_string(),
            reason: "it is a symbolic link, which the command could replace; put what it leads to in its place",
        }),
        Ok(_) => Ok(Some((path, Shown::Read))),
        Err(_) => Ok(Some((path, Shown::Reserved))),
    }
}

/// The path without links, or as it is if it is not there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether the path is a socket now.
fn is_socket(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}
