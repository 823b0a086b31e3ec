//! Folders as values: laid out before, read back after.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode};

/// The entry at a path.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    File { bytes: Vec<u8>, mode: Option<u32> },
    Folder,
    Link(OsString),
    Fifo,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Entry::File { bytes, mode } => {
                let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
                write!(formatter, "File({shown:?}, {} bytes, {mode:?})", bytes.len())
            }
            Entry::Folder => formatter.write_str("Folder"),
            Entry::Link(target) => write!(formatter, "Link({target:?})"),
            Entry::Fifo => formatter.write_str("Fifo"),
        }
    }
}

impl Entry {
    pub(crate) fn text(text: &str) -> Entry {
        Entry::File { bytes: text.as_bytes().to_vec(), mode: None }
    }

    /// Compares two entries. A mode counts only where it is given.
    fn is(&self, found: &Entry) -> bool {
        match (self, found) {
            (Entry::File { bytes, mode }, Entry::File { bytes: there, mode: found }) => {
                bytes == there && (mode.is_none() || mode == found)
            }
            _ => self == found,
        }
    }
}

/// A folder: its entries, by relative path. Folders above an entry are entries too.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree(BTreeMap<OsString, Entry>);

impl Tree {
    pub(crate) fn insert(&mut self, path: &str, entry: Entry) {
        for above in Path::new(path).ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            self.0.entry(above.as_os_str().to_owned()).or_insert(Entry::Folder);
        }
        self.0.insert(path.into(), entry);
    }

    pub(crate) fn remove(&mut self, path: &str) {
        assert!(self.0.remove(std::ffi::OsStr::new(path)).is_some(), "{path} was not there before");
    }

    /// Makes everything that is in it.
    pub(crate) fn lay_out(&self, folder: &Path) {
        for (path, entry) in &self.0 {
            let path = folder.join(path);
            match entry {
                Entry::Folder => fs::create_dir(&path).unwrap(),
                Entry::Link(target) => std::os::unix::fs::symlink(target, &path).unwrap(),
                Entry::Fifo => {
                    rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
                }
                Entry::File { bytes, mode } => {
                    fs::write(&path, bytes).unwrap();
                    let mode = mode.unwrap_or(0o644);
                    fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
                }
            }
        }
    }

    /// Reads the current entries of `folder`.
    pub(crate) fn of(folder: &Path) -> Tree {
        let mut tree = Tree::default();
        tree.look(folder, Path::new(""));
        tree
    }

    fn look(&mut self, folder: &Path, at: &Path) {
        for found in fs::read_dir(folder.join(at)).unwrap() {
            let found = found.unwrap();
            let path = at.join(found.file_name());
            let kind = found.file_type().unwrap();
            let entry = if kind.is_dir() {
                self.look(folder, &path);
                Entry::Folder
            } else if kind.is_symlink() {
                Entry::Link(fs::read_link(found.path()).unwrap().into_os_string())
            } else if kind.is_fifo() {
                Entry::Fifo
            } else {
                let mode = found.metadata().unwrap().permissions().mode() & 0o7777;
                Entry::File { bytes: fs::read(found.path()).unwrap(), mode: Some(mode) }
            };
            self.0.insert(path.into_os_string(), entry);
        }
    }

    /// Returns only the entries at paths that `wanted` accepts.
    pub(crate) fn filter(&self, wanted: impl Fn(&OsString) -> bool) -> Tree {
        let kept = self.0.iter().filter(|(path, _)| wanted(path));
        Tree(kept.map(|(path, entry)| (path.clone(), entry.clone())).collect())
    }

    /// Returns the differences from the expected tree, in words; empty if there are none.
    pub(crate) fn difference(&self, found: &Tree) -> String {
        let mut said = String::new();
        for (path, entry) in &self.0 {
            match found.0.get(path) {
                Some(there) if entry.is(there) => {}
                there => said.push_str(&format!("{path:?}: {entry:?} was expected, found {there:?}\n")),
            }
        }
        for (path, entry) in found.0.iter().filter(|(path, _)| !self.0.contains_key(*path)) {
            said.push_str(&format!("{path:?}: {entry:?} should not be there\n"));
        }
        said
    }

    /// Fails if `folder` does not hold exactly this.
    #[track_caller]
    pub(crate) fn assert_at(&self, folder: &Path) {
        let difference = self.difference(&Tree::of(folder));
        assert!(difference.is_empty(), "{difference}");
    }
}

/// A name that is not UTF-8, where the file system takes one.
pub(crate) fn odd_name() -> OsString {
    let name = OsString::from_vec(b"bad\xffname.txt".to_vec());
    debug_assert!(!name.as_bytes().is_ascii());
    name
}
