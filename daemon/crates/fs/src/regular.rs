//! Opens files that belong to no root, and reads small ones whole: configuration, git's own files, locks.
//!
//! Anyone who can write to a project can put a FIFO, a socket or a device in place of any file. A FIFO blocks
//! the process that opens it; opening a device can already have an effect. So the place is checked through a
//! descriptor that reads nothing (`O_PATH`), and exactly the checked file is opened. A library that opens a
//! file by its name gets the name only after [`is_regular_or_missing`] has accepted it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

/// The handling of a symbolic link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symlinks {
    /// A link is refused, like anything else that is not a regular file.
    Refuse,
    /// A link is followed: users keep their configuration behind one.
    Follow,
}

impl Symlinks {
    fn flags(self) -> OFlags {
        if self == Symlinks::Refuse { OFlags::NOFOLLOW } else { OFlags::empty() }
    }
}

/// Opens a regular file for reading. Never blocks.
///
/// # Errors
/// `InvalidInput` for anything but a regular file, `ELOOP` for a link that is refused, and the system's own.
pub fn open_regular(path: &Path, links: Symlinks) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;

        let place = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC | links.flags(), Mode::empty())?;
        let stat = rustix::fs::fstat(&place)?;
        require_regular(&stat)?;
        let reopened = rustix::fs::open(format!("/proc/self/fd/{}", place.as_raw_fd()), flags, Mode::empty());
        match reopened {
            Ok(file) => return Ok(File::from(file)),
            // Without /proc the file is opened by name, and checked again afterwards.
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    require_regular(&match links {
        Symlinks::Refuse => rustix::fs::lstat(path)?,
        Symlinks::Follow => rustix::fs::stat(path)?,
    })?;
    let file = rustix::fs::open(path, flags | links.flags(), Mode::empty())?;
    require_regular(&rustix::fs::fstat(&file)?)?;
    Ok(File::from(file))
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// As [`open_regular`]; `FileTooLarge` if there is more.
pub fn read_regular(path: &Path, links: Symlinks, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open_regular(path, links)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if read as u64 > limit {
        let issue = format!("it has more than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, issue));
    }
    Ok(bytes)
}

/// Opens a file of clada's own for reading and writing. Creates it if need be, for its owner alone.
///
/// # Errors
/// `InvalidInput` if something else has taken its place, `ELOOP` for a link, and the system's own.
pub fn open_own(path: &Path) -> io::Result<File> {
    // Opening a pipe in both directions does not block; a device must not be opened.
    match rustix::fs::lstat(path) {
        Ok(stat) => require_regular(&stat)?,
        Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
    require_regular(&rustix::fs::fstat(&file)?)?;
    Ok(File::from(file))
}

/// Returns whether a library that opens `path` by its name would find a regular file, or nothing.
#[must_use]
pub fn is_regular_or_missing(path: &Path) -> bool {
    match rustix::fs::stat(path) {
        Ok(stat) => require_regular(&stat).is_ok(),
        Err(errno) => errno == Errno::NOENT,
    }
}

fn require_regular(stat: &Stat) -> io::Result<()> {
    match rustix::fs::FileType::from_raw_mode(stat.st_mode) {
        rustix::fs::FileType::RegularFile => Ok(()),
        rustix::fs::FileType::Symlink => Err(Errno::LOOP.into()),
        rustix::fs::FileType::Directory => Err(Errno::ISDIR.into()),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // A test makes the files that it needs.
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("pipe", at("link-to-pipe")).unwrap();
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();

        let read = |name: &str, links| read_regular(&at(name), links, 4);
        assert_eq!(read("file", Symlinks::Refuse).unwrap(), b"text");
        assert_eq!(read("link", Symlinks::Follow).unwrap(), b"text");
        assert!(read("link", Symlinks::Refuse).is_err());
        for name in ["pipe", "socket", "link-to-pipe", ".", "missing"] {
            assert!(read(name, Symlinks::Follow).is_err(), "{name}");
        }
        assert!(read_regular(Path::new("/dev/zero"), Symlinks::Follow, 4).is_err());
        let error = read_regular(&at("file"), Symlinks::Refuse, 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        for name in ["pipe", "socket", "link", "link-to-pipe", "."] {
            assert!(open_own(&at(name)).is_err(), "{name}");
        }
        open_own(&at("own")).unwrap();
        assert_eq!(read("own", Symlinks::Refuse).unwrap(), b"");
        assert!(is_regular_or_missing(&at("file")) && is_regular_or_missing(&at("missing")));
        assert!(!is_regular_or_missing(&at("pipe")) && !is_regular_or_missing(&at("link-to-pipe")));
    }
}
