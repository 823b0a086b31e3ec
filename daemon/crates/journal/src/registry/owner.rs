//! The note in a record of the folder that it is about.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clada_fs::{FolderIdentity, Symlinks, read_regular};
use clada_store::StoreError;

pub(super) const FILE: &str = "identity";

const LONGEST: u64 = 64 << 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordOwner {
    pub(super) identity: FolderIdentity,
    pub(super) root: PathBuf,
}

impl RecordOwner {
    pub(super) fn read(record: &Path) -> Option<RecordOwner> {
        let text = read_regular(&record.join(FILE), Symlinks::Refuse, LONGEST).ok()?;
        let end = text.iter().position(|byte| *byte == b'\n')?;
        let identity = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
        let root = PathBuf::from(std::ffi::OsString::from_vec(text[end + 1..].to_vec()));
        root.is_absolute().then_some(RecordOwner { identity, root })
    }

    pub(super) fn write(&self, record: &Path) -> Result<(), StoreError> {
        let path = record.join(FILE);
        let new = record.join(format!("{FILE}.{}", std::process::id()));
        let text = [self.identity.to_string().as_bytes(), b"\n", self.root.as_os_str().as_bytes()].concat();
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(&new);
        let written = file.and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()
        });
        let placed = written.and_then(|()| std::fs::rename(&new, &path));
        placed.map_err(|error| {
            let _ = std::fs::remove_file(&new);
            StoreError::io(&error, &path)
        })
    }

    pub(super) fn has_left(&self) -> bool {
        FolderIdentity::read(&self.root).is_none_or(|now| !self.identity.is_still_at(&self.root, &now))
    }
}

/// Notes in the folder `record` that it is about the folder at `root`, unless that is noted already.
pub fn note_owner(record: &Path, root: &Path) {
    if record.join(FILE).symlink_metadata().is_ok() {
        return;
    }
    let Some(identity) = FolderIdentity::read(root) else { return };
    if let Err(error) = (RecordOwner { identity, root: root.to_path_buf() }).write(record) {
        tracing::warn!(%error, "a record does not know its project's folder: it is not found once that is moved");
    }
}
