//! The files of an index, on a list in the order in which they changed, the last one first.
//!
//! Knows numbers of folders and names, and no paths. The caller defines the ticks.

use super::compact::Compact;
use super::names::NameId;
use super::numbers::{FileId, FolderId, MAX_NUMBER};

const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct IndexedFile {
    pub(super) identity: Compact,
    pub(super) tick: u64,
    pub(super) born: u64,
    pub(super) folder: FolderId,
    pub(super) name: NameId,
    older: u32,
    newer: u32,
    pub(super) racy: bool,
}

#[derive(Debug)]
pub(super) struct FileTable {
    slots: Vec<IndexedFile>,
    free: Vec<u32>,
    newest: u32,
    full: bool,
}

impl IndexedFile {
    pub(super) fn new(
        folder: FolderId,
        name: NameId,
        identity: Compact,
        racy: bool,
        born: u64,
    ) -> IndexedFile {
        IndexedFile { identity, tick: born, born, folder, name, older: NONE, newer: NONE, racy }
    }
}

impl FileTable {
    pub(super) fn new() -> FileTable {
        FileTable { slots: Vec::new(), free: Vec::new(), newest: NONE, full: false }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn get(&self, id: FileId) -> Option<&IndexedFile> {
        self.slots.get(id.0 as usize)
    }

    pub(super) fn get_mut(&mut self, id: FileId) -> Option<&mut IndexedFile> {
        self.slots.get_mut(id.0 as usize)
    }

    pub(super) fn add(&mut self, file: IndexedFile, tick: u64) -> Option<FileId> {
        let id = match self.free.pop() {
            Some(slot) => FileId(slot),
            None => match u32::try_from(self.slots.len()) {
                Ok(slot) if slot <= MAX_NUMBER => FileId(slot),
                _ => {
                    self.full = true;
                    return None;
                }
            },
        };
        match self.slots.get_mut(id.0 as usize) {
            Some(slot) => *slot = file,
            None => {
                if self.slots.len() == self.slots.capacity() {
                    // An eighth more, not as much again: there are many files, and most trees do not double.
                    self.slots.reserve_exact(self.slots.len() / 8 + 64);
                }
                self.slots.push(file);
            }
        }
        self.put_first(id, tick);
        Some(id)
    }

    pub(super) fn remove(&mut self, id: FileId) -> Option<(u64, NameId)> {
        self.unlink(id);
        let file = self.get_mut(id)?;
        let previous = (file.born, std::mem::replace(&mut file.name, NameId::EMPTY));
        self.free.push(id.0);
        Some(previous)
    }

    pub(super) fn touch(&mut self, id: FileId, tick: u64) {
        self.unlink(id);
        self.put_first(id, tick);
    }

    pub(super) fn newest_first(&self) -> impl Iterator<Item = &IndexedFile> {
        self.numbered_newest_first().map(|(_, file)| file)
    }

    pub(super) fn numbered_newest_first(&self) -> impl Iterator<Item = (FileId, &IndexedFile)> {
        let at = |slot: u32| self.slots.get(slot as usize).map(|file| (FileId(slot), file));
        std::iter::successors(at(self.newest), move |(_, file)| at(file.older))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (FileId, &IndexedFile)> {
        // A removed file has lost its name.
        let numbered = self.slots.iter().enumerate().filter(|(_, file)| file.name != NameId::EMPTY);
        numbered.filter_map(|(slot, file)| Some((FileId(u32::try_from(slot).ok()?), file)))
    }

    pub(super) fn names_mut(&mut self) -> impl Iterator<Item = &mut NameId> {
        self.slots.iter_mut().map(|file| &mut file.name)
    }

    fn put_first(&mut self, id: FileId, tick: u64) {
        let before = std::mem::replace(&mut self.newest, id.0);
        if let Some(file) = self.get_mut(id) {
            (file.tick, file.older, file.newer) = (tick, before, NONE);
        }
        if let Some(before) = self.slots.get_mut(before as usize) {
            before.newer = id.0;
        }
    }

    fn unlink(&mut self, id: FileId) {
        let Some(file) = self.get(id) else { return };
        let (older, newer) = (file.older, file.newer);
        match self.slots.get_mut(newer as usize) {
            Some(newer) => newer.older = older,
            None => self.newest = older,
        }
        if let Some(older) = self.slots.get_mut(older as usize) {
            older.newer = newer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_no_more_than_this() {
        assert_eq!(size_of::<IndexedFile>(), 80);
    }
}
