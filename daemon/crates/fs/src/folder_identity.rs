//! The identity of a folder: tells whether the folder at a path is still the one that was there before, and
//! finds a folder that was moved.
//!
//! Nothing is written into the folder, since a copy would have it, too.

use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::str::FromStr;
use std::time::UNIX_EPOCH;

use super::stat::Timestamp;

/// The identity of a folder: its device, its inode and the time of its creation. A file system gives the
/// inode of a deleted folder to a new one, so that two of the three say little without the third.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FolderIdentity {
    /// Device.
    pub device: u64,
    /// Inode.
    pub inode: u64,
    /// The time of its creation; `None` where the file system does not record it.
    pub born: Option<Timestamp>,
}

impl FolderIdentity {
    /// Returns the identity of the folder at `path`; `None` if there is no folder.
    #[must_use]
    pub fn read(path: &Path) -> Option<FolderIdentity> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
        let since_epoch = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born = since_epoch.filter(|time| !time.is_zero()).and_then(|time| {
            let seconds = i64::try_from(time.as_secs()).ok()?;
            Some(Timestamp { seconds, nanoseconds: time.subsec_nanos() })
        });
        Some(FolderIdentity { device: metadata.dev(), inode: metadata.ino(), born })
    }

    /// Returns whether the folder at `path`, with the identity `now`, is the one that had this identity there.
    ///
    /// A device may have another number after the next start of the system. Without a time of creation the
    /// other two have to do.
    #[must_use]
    pub fn is_still_at(&self, path: &Path, now: &FolderIdentity) -> bool {
        match (self.born, now.born) {
            (Some(before), Some(born)) if before == born => self.inode == now.inode,
            (Some(before), Some(_)) => self.is_same_node(now) && was_copied_up(path, before),
            _ => self.is_same_node(now),
        }
    }

    /// Returns whether both are certainly one folder, wherever it is.
    #[must_use]
    pub fn is_certainly(&self, other: &FolderIdentity) -> bool {
        self.born.is_some() && self == other
    }

    /// Returns whether both may be one folder, which a file system without times of creation leaves open.
    #[must_use]
    pub fn may_be(&self, other: &FolderIdentity) -> bool {
        self.is_same_node(other) && (self.born.is_none() || other.born.is_none())
    }

    fn is_same_node(&self, other: &FolderIdentity) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn was_copied_up(path: &Path, before: Timestamp) -> bool {
    // An overlay file system copies a folder of a lower layer when it is first written to.
    const OVERLAY: u64 = 0x794c_7630;
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "the type differs by platform")]
    let is_overlay = rustix::fs::statfs(path).is_ok_and(|system| system.f_type as u64 == OVERLAY);
    if !is_overlay {
        return false;
    }
    // The top of the file system is as old as its upper layer: what is older is of a lower one.
    let device = |path: &Path| FolderIdentity::read(path).map(|identity| identity.device);
    let own = device(path);
    let top = path.ancestors().take_while(|folder| device(folder) == own).last();
    let top = top.and_then(FolderIdentity::read).and_then(|top| top.born);
    top.is_some_and(|top| before < top)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn was_copied_up(_: &Path, _: Timestamp) -> bool {
    false
}

impl fmt::Display for FolderIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FolderIdentity { device, inode, born } = self;
        match born {
            Some(Timestamp { seconds, nanoseconds }) => {
                write!(formatter, "{device} {inode} {seconds}.{nanoseconds:09}")
            }
            None => write!(formatter, "{device} {inode} -"),
        }
    }
}

/// A text that is not an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the identity of a folder")]
pub struct NoIdentity;

impl FromStr for FolderIdentity {
    type Err = NoIdentity;

    fn from_str(text: &str) -> Result<FolderIdentity, NoIdentity> {
        fn number<T: FromStr>(text: &str) -> Result<T, NoIdentity> {
            text.parse().map_err(|_| NoIdentity)
        }
        let mut words = text.split(' ');
        let (Some(device), Some(inode), Some(born), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(NoIdentity);
        };
        let born = match born.split_once('.') {
            Some((seconds, nanoseconds)) => {
                Some(Timestamp { seconds: number(seconds)?, nanoseconds: number(nanoseconds)? })
            }
            None if born == "-" => None,
            None => return Err(NoIdentity),
        };
        Ok(FolderIdentity { device: number(device)?, inode: number(inode)?, born })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(device: u64, inode: u64, born: Option<i64>) -> FolderIdentity {
        let born = born.map(|seconds| Timestamp { seconds, nanoseconds: 7 });
        FolderIdentity { device, inode, born }
    }

    #[test]
    fn a_text_is_read_back() {
        for born in [None, Some(0), Some(1_700_000_000)] {
            let identity = identity(u64::MAX, 2, born);
            assert_eq!(identity.to_string().parse(), Ok(identity));
        }
        for text in ["", "1 2", "1 2 x", "1 2 3.4 5", "a 2 -", "1 2 3.-4"] {
            assert_eq!(text.parse::<FolderIdentity>(), Err(NoIdentity), "{text}");
        }
    }

    #[test]
    fn another_folder_is_told_by_its_birth_and_its_inode() {
        let at = Path::new("/nowhere");
        let before = identity(1, 2, Some(3));
        assert!(before.is_still_at(at, &before) && before.is_certainly(&before));
        // The device was numbered again.
        assert!(before.is_still_at(at, &identity(9, 2, Some(3))));
        assert!(!before.is_certainly(&identity(9, 2, Some(3))));
        for other in [identity(1, 2, Some(4)), identity(1, 5, Some(3)), identity(9, 2, Some(4))] {
            assert!(!before.is_still_at(at, &other) && !before.may_be(&other), "{other}");
        }
        // Without a birth time.
        let unsure = identity(1, 2, None);
        assert!(unsure.is_still_at(at, &unsure) && unsure.may_be(&unsure) && !unsure.is_certainly(&unsure));
        assert!(!unsure.is_still_at(at, &identity(9, 2, None)) && !unsure.may_be(&identity(1, 3, None)));
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "folders that a test makes")]
    fn a_moved_folder_keeps_it_and_a_new_one_has_another() {
        let top = tempfile::tempdir().unwrap();
        let (one, other) = (top.path().join("one"), top.path().join("other"));
        std::fs::create_dir(&one).unwrap();
        let before = FolderIdentity::read(&one).unwrap();
        std::fs::rename(&one, &other).unwrap();
        assert_eq!(FolderIdentity::read(&other), Some(before));
        assert_eq!(FolderIdentity::read(&one), None);
        std::fs::create_dir(&one).unwrap();
        assert!(!before.is_certainly(&FolderIdentity::read(&one).unwrap()));
        std::fs::write(top.path().join("file"), "").unwrap();
        assert_eq!(FolderIdentity::read(&top.path().join("file")), None);
    }
}
