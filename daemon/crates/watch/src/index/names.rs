//! Names, one behind the other in one piece of memory: a separate allocation for each would cost more than
//! its content.
//!
//! Knows bytes and their offsets. Removed names stay until the caller copies the remaining ones into another
//! piece; [`NameTable::wants_tidying`] returns when that is worth it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

const LONG: u8 = u8::MAX;

/// The bytes of removed names below which tidying is not worth it.
const FEW: usize = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameId(u32);

impl NameId {
    /// The empty name, which is at the beginning of every piece.
    pub(super) const EMPTY: NameId = NameId(0);
}

#[derive(Debug)]
pub(super) struct NameTable {
    bytes: Vec<u8>,
    dead: usize,
    full: bool,
}

impl NameTable {
    pub(super) fn new() -> NameTable {
        NameTable { bytes: vec![0], dead: 0, full: false }
    }

    /// Keeps a name. If there is no room, it is the empty one, and [`NameTable::is_full`] returns true from then
    /// on.
    pub(super) fn add(&mut self, name: &OsStr) -> NameId {
        let name = name.as_bytes();
        let (Ok(start), Ok(long)) = (u32::try_from(self.bytes.len()), u32::try_from(name.len())) else {
            self.full = true;
            return NameId::EMPTY;
        };
        if name.is_empty() {
            return NameId::EMPTY;
        }
        if self.bytes.capacity() - self.bytes.len() < name.len() + 5 {
            // An eighth more, not as much again: there are many names, and most trees do not double.
            self.bytes.reserve_exact(self.bytes.len() / 8 + name.len() + 1024);
        }
        match u8::try_from(name.len()) {
            Ok(length) if length < LONG => self.bytes.push(length),
            _ => {
                self.bytes.push(LONG);
                self.bytes.extend(long.to_le_bytes());
            }
        }
        self.bytes.extend(name);
        NameId(start)
    }

    pub(super) fn get(&self, id: NameId) -> &OsStr {
        let bytes = self.bytes.get(id.0 as usize..).unwrap_or_default();
        let (length, bytes) = match bytes.split_first() {
            Some((&LONG, bytes)) => match bytes.split_first_chunk() {
                Some((length, bytes)) => (u32::from_le_bytes(*length) as usize, bytes),
                None => (0, bytes),
            },
            Some((&length, bytes)) => (usize::from(length), bytes),
            None => (0, bytes),
        };
        OsStr::from_bytes(bytes.get(..length).unwrap_or_default())
    }

    pub(super) fn remove(&mut self, id: NameId) {
        if id != NameId::EMPTY {
            self.dead += self.get(id).len() + 1;
        }
    }

    pub(super) fn wants_tidying(&self) -> bool {
        self.dead > FEW && self.dead > self.bytes.len() / 2
    }

    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the bytes that it takes.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_length_come_back() {
        let mut names = NameTable::new();
        let texts: Vec<String> = (0..600).chain([70_000]).map(|length| "x".repeat(length)).collect();
        let ids: Vec<NameId> = texts.iter().map(|text| names.add(text.as_ref())).collect();
        for (text, id) in texts.iter().zip(&ids) {
            assert_eq!(names.get(*id), OsStr::new(text));
        }
        assert_eq!(names.add(OsStr::new("")), NameId::EMPTY);
        assert!(!names.wants_tidying() && !names.is_full());
        ids.into_iter().for_each(|id| names.remove(id));
        assert!(names.wants_tidying());
    }
}
