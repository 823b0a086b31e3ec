//! Sockets of programs outside that a command could reach by a name: whoever connects to one asks a service outside of the
//! sandbox to act, and a file system that cannot be written to does not prevent that.
//!
//! The kernel keeps the name that a socket was bound by, also when the file has another since. So each is looked for, and
//! told by the number of its file. Reads only.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::bound::{Bound, bound};
use super::visible::{Visible, closest, real};
use crate::exec::order::Enclosure;

/// Entries of one folder among which a socket with another name is looked for.
const ENTRIES: usize = 2000;

/// Sockets outside, as far as a command may come upon them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::exec) struct Sockets {
    /// Their files, which are to be hidden.
    pub(in crate::exec) named: Vec<PathBuf>,
    /// Temporary file systems of services: hidden whole.
    pub(in crate::exec) folders: Vec<PathBuf>,
    /// Whether there is one that could not be found, and may lie where the command sees it.
    pub(in crate::exec) stray: bool,
}

/// A file system, and where it is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    device: (u32, u32),
    place: PathBuf,
    temporary: bool,
}

impl Sockets {
    /// Looks for all that are bound now. Without the kernel's word on them, none is known to be harmless.
    pub(in crate::exec) fn outside(enclosure: &Enclosure, visible: &Visible, home: Option<&Path>) -> Sockets {
        let listed = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        let Some(bound) = bound() else { return Sockets { stray: true, ..Sockets::default() } };
        let places = Places::new(enclosure, visible, home);
        found(&bound, &mounts(&listed), &places)
    }
}

/// What the command sees of the file system, and what must not be hidden from it.
struct Places {
    /// Whether what lies below is hidden.
    hidden: BTreeMap<PathBuf, bool>,
    /// The root and other folders of the project, and the home folder.
    kept: Vec<PathBuf>,
}

impl Places {
    fn new(enclosure: &Enclosure, visible: &Visible, home: Option<&Path>) -> Places {
        let own: Vec<PathBuf> =
            enclosure.writable.iter().chain([&enclosure.root]).map(|path| real(path)).collect();
        let private = super::bubblewrap::PRIVATE.iter().map(PathBuf::from);
        let hides = private.chain(visible.hidden.iter().cloned()).map(|path| (path, true));
        let shows = visible.shown.iter().chain(&own).cloned().map(|path| (path, false));
        let hidden = hides.chain([("/dev", true), ("/proc", true)].map(|(path, hides)| (path.into(), hides)));
        let hidden = hidden.chain(shows).collect();
        let kept = own.into_iter().chain(home.map(real)).collect();
        Places { hidden, kept }
    }

    fn hides(&self, path: &Path) -> bool {
        closest(&self.hidden, path) == Some(&true)
    }

    /// Whether something on this mount can be seen.
    fn shows(&self, mount: &Mount) -> bool {
        !self.hides(&mount.place) || self.keeps(mount)
    }

    fn keeps(&self, mount: &Mount) -> bool {
        self.kept.iter().any(|path| path.starts_with(&mount.place))
    }
}

fn found(bound: &[Bound], mounts: &[Mount], places: &Places) -> Sockets {
    let mut found = Sockets::default();
    for socket in bound {
        let file = socket.name.as_deref().and_then(|name| file_of(socket, name));
        let other_names = file.as_ref().is_none_or(|(_, links)| *links != 1);
        if let Some((path, _)) = file {
            let on = mounts.iter().filter(|mount| path.starts_with(&mount.place));
            let on = on.max_by_key(|mount| mount.place.as_os_str().len());
            let serves = |mount: &&Mount| mount.temporary && !places.keeps(mount);
            if !places.hides(&path) {
                found.folders.extend(on.filter(serves).map(|mount| mount.place.clone()));
                found.named.push(path);
            }
        }
        found.stray |= other_names && may_be_seen(socket, mounts, places);
    }
    for list in [&mut found.named, &mut found.folders] {
        list.sort();
        list.dedup();
    }
    found
}

/// Whether a socket with a name that is not known could lie where the command sees it.
fn may_be_seen(socket: &Bound, mounts: &[Mount], places: &Places) -> bool {
    match &socket.file {
        Some(file) => mounts.iter().any(|mount| mount.device == file.device && places.shows(mount)),
        None => socket.name.as_deref().is_none_or(|name| !name.is_absolute() || !places.hides(name)),
    }
}

/// The file of a socket, and how many names it has: by the name that it was bound by, or by one beside that.
fn file_of(socket: &Bound, name: &Path) -> Option<(PathBuf, u64)> {
    if !name.is_absolute() {
        return None;
    }
    let links = |path: &Path| {
        let data = std::fs::symlink_metadata(path).ok().filter(|data| data.file_type().is_socket())?;
        let same = |number: u32| number == (data.ino() & u64::from(u32::MAX)) as u32;
        socket.file.as_ref().is_none_or(|file| same(file.number)).then(|| data.nlink())
    };
    if let Some(links) = links(name) {
        return Some((real(name), links));
    }
    socket.file.as_ref()?;
    let beside = std::fs::read_dir(name.parent()?).ok()?.take(ENTRIES).flatten();
    let mut beside = beside.map(|entry| entry.path());
    beside.find_map(|path| links(&path).map(|links| (real(&path), links)))
}

/// What is mounted where, from the text of `/proc/self/mountinfo`.
fn mounts(listed: &[u8]) -> Vec<Mount> {
    let mount = |line: &[u8]| {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let device = std::str::from_utf8(fields.get(2)?).ok()?;
        let (major, minor) = device.split_once(':')?;
        let dash = fields.iter().position(|field| *field == b"-")?;
        Some(Mount {
            device: (major.parse().ok()?, minor.parse().ok()?),
            place: unescaped(fields.get(4)?),
            temporary: matches!(*fields.get(dash + 1)?, b"tmpfs" | b"ramfs"),
        })
    };
    listed.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// The path with its blanks, which are written as `\040`.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        path.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(std::ffi::OsString::from_vec(path))
}

/// A name as the kernel has it: without the byte that ends it. `None` for an abstract one.
pub(super) fn name(bytes: &[u8]) -> Option<PathBuf> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    (end > 0).then(|| PathBuf::from(OsStr::from_bytes(&bytes[..end])))
}
