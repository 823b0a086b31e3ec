//! The folder of one stage while it is filled: made when the first file goes into it, and helped by one that
//! was made ready in the background.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::AtFlags;

use super::collect::{Reuse, Sink};
use super::error::StageError;
use super::folder::{Plan, StageFolder, stat_mark};
use super::folder_table::FolderRow;
use super::reader::ReadText;

#[derive(Debug)]
pub(super) struct ReadyFolder {
    pub(super) row: FolderRow,
    folder: OwnedFd,
}

impl ReadyFolder {
    pub(super) fn open(row: FolderRow) -> Option<ReadyFolder> {
        let folder = row.record.open().ok()?;
        Some(ReadyFolder { row, folder })
    }

    pub(super) fn has_manifest(&self, name: &str) -> bool {
        let completed = self.row.record.completed.as_ref();
        completed.is_some_and(|(_, own, mark)| {
            own == name && stat_mark(self.folder.as_fd(), name).is_ok_and(|now| now == *mark)
        })
    }

    fn size(&self, name: &str) -> Option<u64> {
        let mark = stat_mark(self.folder.as_fd(), name).ok()?;
        (mark.mtime == self.row.record.mtime_marker).then_some(mark.size)
    }
}

#[derive(Debug)]
pub(super) struct Filling<'a> {
    plan: &'a Plan,
    folder: Option<StageFolder>,
    ready: Option<ReadyFolder>,
}

impl<'a> Filling<'a> {
    pub(super) fn new(plan: &'a Plan, ready: Option<ReadyFolder>) -> Filling<'a> {
        Filling { plan, folder: None, ready }
    }

    pub(super) fn is_begun(&self) -> bool {
        self.folder.is_some()
    }

    pub(super) fn ready(&self) -> Option<&ReadyFolder> {
        self.ready.as_ref()
    }

    pub(super) fn take(mut self) -> Result<StageFolder, StageError> {
        match self.folder.take() {
            Some(folder) => Ok(folder),
            None => StageFolder::make(self.plan),
        }
    }

    fn folder(&mut self) -> Result<&mut StageFolder, StageError> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => StageFolder::make(self.plan)?,
        };
        Ok(self.folder.insert(folder))
    }
}

impl Sink for Filling<'_> {
    fn put(&mut self, name: &str, text: &ReadText) -> Result<(), StageError> {
        self.folder()?.copy(name, text)
    }

    fn version(&self) -> Option<i64> {
        self.ready.as_ref().map(|ready| ready.row.version)
    }

    fn reuse(&mut self, name: &str, how: Reuse) -> Option<u64> {
        let size = self.ready.as_ref()?.size(name)?;
        if how == Reuse::Parts {
            self.folder().ok()?;
            let (ready, folder) = (self.ready.as_ref()?, self.folder.as_ref()?);
            rustix::fs::linkat(&ready.folder, name, folder.descriptor(), name, AtFlags::empty()).ok()?;
        }
        Some(size)
    }
}

#[derive(Debug)]
pub(super) struct NullSink;

impl Sink for NullSink {
    fn put(&mut self, _name: &str, _text: &ReadText) -> Result<(), StageError> {
        Ok(())
    }

    fn version(&self) -> Option<i64> {
        None
    }

    fn reuse(&mut self, _name: &str, _how: Reuse) -> Option<u64> {
        None
    }
}
