//! Disk space that is held back, so that an undo works on a full disk.

#![allow(clippy::disallowed_methods, reason = "the folder of state is clada's own and beneath no root")]

use std::fs::File;
use std::path::{Path, PathBuf};

use clada_fs::open_own;

const SIZE: u64 = 16 << 20;
const NAME: &str = "reserve";

/// A file without content that takes up space, in the folder of the stores.
#[derive(Debug)]
pub struct Reserve {
    path: PathBuf,
}

impl Reserve {
    /// Returns the reserve in `folder`.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Reserve {
        Reserve { path: folder.join(NAME) }
    }

    /// Takes up the space, if it is not taken up yet. A failure leaves no reserve, which is no reason not to
    /// work.
    pub fn fill(&self) -> std::io::Result<()> {
        if self.path.symlink_metadata().is_ok_and(|metadata| metadata.len() >= SIZE) {
            return Ok(());
        }
        let file = open_own(&self.path)?;
        let filled = allocate(&file);
        if filled.is_err() {
            self.release();
        }
        filled
    }

    /// Releases the space. Returns whether there was any.
    pub fn release(&self) -> bool {
        std::fs::remove_file(&self.path).is_ok()
    }
}

fn allocate(file: &File) -> std::io::Result<()> {
    #[cfg(target_vendor = "apple")]
    {
        use std::io::Write as _;
        let mut file = file;
        let chunk = vec![0xa5; 1 << 20];
        for _ in 0..SIZE >> 20 {
            file.write_all(&chunk)?;
        }
        Ok(())
    }
    #[cfg(not(target_vendor = "apple"))]
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, SIZE)?)
}
