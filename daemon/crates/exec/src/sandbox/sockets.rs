//! The sockets of outside programs that a command could reach by a name. A process that connects to one asks
//! a service outside the sandbox to act, and a read-only file system does not prevent that.
//!
//! The kernel keeps the name that a socket was bound to, also if the file has another name since. So each
//! file is looked for, and identified by its number. Reads only.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::bound::{SocketRecord, bound};
use super::reach::CommandUser;
use super::visible::{PRIVATE, Visible, closest, real};
use crate::command_spec::Enclosure;

/// The most entries of one folder among which a socket with another name is looked for.
const ENTRIES: usize = 2000;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sockets {
    pub(crate) named: Vec<PathBuf>,
    pub(crate) folders: Vec<PathBuf>,
    /// The reason why the command gets no socket with a name: one that cannot be hidden may be visible to it.
    pub(crate) stray: Option<StraySocket>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StraySocket {
    /// Any socket: the kernel does not report which exist.
    Unknown,
    /// A socket that is not where it was bound by this name, if it has one: its folder is gone, or it was
    /// moved.
    Lost(Option<PathBuf>),
    /// A socket with a second name, which is not known.
    Linked(PathBuf),
    /// A socket in a folder of the user's own that cannot be entered as it is, but could be opened.
    Shut(PathBuf),
}

impl StraySocket {
    pub(crate) fn words(&self) -> String {
        let named = |path: &Path| clada_protocol::visible_line(&path.to_string_lossy()).into_owned();
        let why = match self {
            StraySocket::Unknown => "the kernel does not say which there are outside".to_owned(),
            StraySocket::Lost(None) => "one of another program has a name that is not known".to_owned(),
            StraySocket::Lost(Some(name)) => {
                format!("'{}' of another program is not where it was made", named(name))
            }
            StraySocket::Linked(path) => format!("'{}' of another program has a second name", named(path)),
            StraySocket::Shut(path) => {
                format!("'{}' of another program lies in a folder that cannot be entered", named(path))
            }
        };
        format!("no sockets with names, since {why} and cannot be hidden from the command")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    device: (u32, u32),
    place: PathBuf,
    temporary: bool,
}

impl Sockets {
    pub(crate) fn outside(
        enclosure: &Enclosure,
        visible: &Visible,
        home: Option<&Path>,
        user: CommandUser,
    ) -> Sockets {
        // Without the kernel's report, no socket is known to be harmless.
        let listed = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        let Some(bound) = bound() else {
            return Sockets { stray: Some(StraySocket::Unknown), ..Sockets::default() };
        };
        let places = SocketPlaces::new(enclosure, visible, home);
        classify(&bound, &mounts(&listed), &places, user)
    }
}

struct SocketPlaces {
    hidden: BTreeMap<PathBuf, bool>,
    own: Vec<PathBuf>,
}

impl SocketPlaces {
    fn new(enclosure: &Enclosure, visible: &Visible, home: Option<&Path>) -> SocketPlaces {
        let own: Vec<PathBuf> =
            enclosure.writable.iter().chain([&enclosure.root]).map(|path| real(path)).collect();
        let private = PRIVATE.iter().map(PathBuf::from);
        let hides = private.chain(visible.hidden.iter().cloned()).map(|path| (path, true));
        let shows = visible.shown.iter().chain(&own).cloned().map(|path| (path, false));
        let hidden = hides.chain([("/dev", true), ("/proc", true)].map(|(path, hides)| (path.into(), hides)));
        let hidden = hidden.chain(shows).collect();
        let own = own.into_iter().chain(home.map(real)).collect();
        SocketPlaces { hidden, own }
    }

    fn hides(&self, path: &Path) -> bool {
        closest(&self.hidden, path) == Some(&true)
    }

    fn shows(&self, mount: &Mount) -> bool {
        !self.hides(&mount.place) || self.keeps(mount)
    }

    fn keeps(&self, mount: &Mount) -> bool {
        self.own.iter().any(|path| path.starts_with(&mount.place))
    }
}

fn classify(bound: &[SocketRecord], mounts: &[Mount], places: &SocketPlaces, user: CommandUser) -> Sockets {
    let mut sockets = Sockets::default();
    for socket in bound {
        let file = socket.name.as_deref().and_then(|name| file_of(socket, name));
        let stray = match file {
            // In a folder that its user cannot enter, a command connects to nothing, and nothing can be
            // mounted for it either.
            Some((path, 1)) if user.is_barred(&path) => continue,
            Some((path, links)) => {
                let is_shut = user.is_shut(&path);
                let is_open = !is_shut && !user.is_barred(&path);
                if is_open && !places.hides(&path) {
                    sockets.folders.extend(service_folder(&path, mounts, places));
                    sockets.named.push(path.clone());
                }
                match links {
                    1 if !is_shut || places.hides(&path) => None,
                    1 => Some(StraySocket::Shut(path)),
                    _ => Some(StraySocket::Linked(path)),
                }
            }
            None if socket.name.as_deref().is_some_and(|name| name.is_absolute() && user.is_barred(name)) => {
                continue;
            }
            None => Some(StraySocket::Lost(socket.name.clone())),
        };
        let may_matter = sockets.stray.is_none() && stray.is_some() && may_be_seen(socket, mounts, places);
        if may_matter {
            sockets.stray = stray;
        }
    }
    for list in [&mut sockets.named, &mut sockets.folders] {
        list.sort();
        list.dedup();
    }
    sockets
}

fn service_folder(path: &Path, mounts: &[Mount], places: &SocketPlaces) -> Option<PathBuf> {
    let on = mounts.iter().filter(|mount| path.starts_with(&mount.place));
    let on = on.max_by_key(|mount| mount.place.as_os_str().len())?;
    (on.temporary && !places.keeps(on)).then(|| on.place.clone())
}

fn may_be_seen(socket: &SocketRecord, mounts: &[Mount], places: &SocketPlaces) -> bool {
    match &socket.file {
        Some(file) => mounts.iter().any(|mount| mount.device == file.device && places.shows(mount)),
        None => socket.name.as_deref().is_none_or(|name| !name.is_absolute() || !places.hides(name)),
    }
}

/// Looks for it under the name that it was bound to, under another name next to that, and in a folder that
/// has another name since.
fn file_of(socket: &SocketRecord, name: &Path) -> Option<(PathBuf, u64)> {
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
    // The closest folder that still exists, and the path below the one that does not.
    let folder = name.ancestors().skip(1).find(|folder| folder.is_dir())?;
    let below: PathBuf = name.strip_prefix(folder).ok()?.components().skip(1).collect();
    let siblings = std::fs::read_dir(folder).ok()?.take(ENTRIES).flatten();
    let mut siblings = siblings.map(|entry| match below.as_os_str().is_empty() {
        true => entry.path(),
        false => entry.path().join(&below),
    });
    siblings.find_map(|path| links(&path).map(|links| (real(&path), links)))
}

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

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests lay out files as a user does")]

    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::super::bound::SocketFile;
    use super::*;
    use crate::wire::Owner;

    /// A folder of sockets, on a visible mount.
    struct Laid {
        top: tempfile::TempDir,
        listeners: Vec<UnixListener>,
        bound: Vec<SocketRecord>,
    }

    const DEVICE: (u32, u32) = (7, 7);

    impl Laid {
        fn new() -> Laid {
            Laid { top: tempfile::tempdir().unwrap(), listeners: Vec::new(), bound: Vec::new() }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.top.path().canonicalize().unwrap().join(name)
        }

        fn bind(&mut self, name: &str) {
            let path = self.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            self.listeners.push(UnixListener::bind(&path).unwrap());
            let number = std::fs::symlink_metadata(&path).unwrap().ino() & u64::from(u32::MAX);
            let number = u32::try_from(number).unwrap();
            self.bound
                .push(SocketRecord { name: Some(path), file: Some(SocketFile { number, device: DEVICE }) });
        }

        /// Returns the sockets that are found for a user who owns nothing here.
        fn found(&self) -> Sockets {
            let data = std::fs::metadata(self.top.path()).unwrap();
            let user = CommandUser::for_owner(Some(Owner { user: data.uid() + 1, group: data.gid() + 1 }));
            let places = SocketPlaces { hidden: BTreeMap::new(), own: Vec::new() };
            let mount = Mount { device: DEVICE, place: "/".into(), temporary: false };
            classify(&self.bound, &[mount], &places, user)
        }

        fn chmod(&self, name: &str, mode: u32) {
            std::fs::set_permissions(self.path(name), PermissionsExt::from_mode(mode)).unwrap();
        }
    }

    #[test]
    fn regression_what_the_user_cannot_reach_is_passed_over() {
        let mut laid = Laid::new();
        laid.chmod("", 0o755);
        for name in ["open/s", "barred/s", "barred/deep/s", "linked/s"] {
            laid.bind(name);
        }
        laid.chmod("barred", 0o700);
        assert_eq!(
            laid.found(),
            Sockets { named: vec![laid.path("linked/s"), laid.path("open/s")], ..Sockets::default() }
        );
        // A socket with a second name may be reached by that.
        std::fs::hard_link(laid.path("barred/s"), laid.path("open/second")).unwrap();
        assert_eq!(laid.found().stray, Some(StraySocket::Linked(laid.path("barred/s"))));
    }

    #[test]
    fn regression_a_socket_in_a_folder_that_has_another_name_is_found() {
        let mut laid = Laid::new();
        laid.chmod("", 0o755);
        laid.bind("a/deep/s");
        std::fs::rename(laid.path("a"), laid.path("b")).unwrap();
        assert_eq!(laid.found(), Sockets { named: vec![laid.path("b/deep/s")], ..Sockets::default() });
        std::fs::remove_dir_all(laid.path("b")).unwrap();
        let stray = laid.found().stray.unwrap();
        assert_eq!(stray, StraySocket::Lost(Some(laid.path("a/deep/s"))));
        let why =
            format!("'{}' of another program is not where it was made", laid.path("a/deep/s").display());
        assert!(stray.words().contains(&why), "{}", stray.words());
    }
}
