//! Data that is written first and read later: in memory while it is small, in a file without a name beyond.
//! The head of a document describes all of it, which is known only when every file has been read; no file is
//! read twice.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

const HELD: usize = 8 << 20;

#[derive(Debug)]
pub(super) struct Spool {
    folders: Vec<PathBuf>,
    file: Option<File>,
    written: u64,
    held: Vec<u8>,
}

impl Spool {
    pub(super) fn new(folders: Vec<PathBuf>) -> Spool {
        Spool { folders, file: None, written: 0, held: Vec::new() }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<Range<u64>> {
        let start = self.len();
        if self.held.len() + bytes.len() > HELD && self.has_file() {
            self.flush()?;
            if bytes.len() > HELD {
                return self.write(bytes).map(|()| start..self.len());
            }
        }
        self.held.extend_from_slice(bytes);
        Ok(start..self.len())
    }

    pub(super) fn len(&self) -> u64 {
        self.written + self.held.len() as u64
    }

    pub(super) fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let from_file = usize::try_from(self.written.saturating_sub(start)).unwrap_or(usize::MAX);
        let (front, back) = buffer.split_at_mut(from_file.min(buffer.len()));
        if let Some(file) = self.file.as_ref().filter(|_| !front.is_empty()) {
            file.read_exact_at(front, start)?;
        }
        if back.is_empty() {
            return Ok(());
        }
        let skipped = usize::try_from(start.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let held = self.held.get(skipped..skipped.saturating_add(back.len()));
        back.copy_from_slice(held.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn has_file(&mut self) -> bool {
        if self.file.is_none() {
            let folders = std::mem::take(&mut self.folders);
            self.file = folders.iter().find_map(|folder| tempfile::tempfile_in(folder).ok());
        }
        self.file.is_some()
    }

    fn flush(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.write(&held)?;
        self.held = held;
        self.held.clear();
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
            self.written += bytes.len() as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces() -> impl Iterator<Item = Vec<u8>> {
        (0..60_u8)
            .map(|number| vec![number; 300_000 + usize::from(number) * 1_000])
            .chain([vec![99; HELD + 5]])
    }

    #[test]
    fn what_is_added_is_read_again_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for folders in [vec!["/nonexistent".into(), folder.path().to_owned()], Vec::new()] {
            let mut spool = Spool::new(folders);
            let places: Vec<Range<u64>> = pieces().map(|piece| spool.add(&piece).unwrap()).collect();
            for (piece, place) in pieces().zip(places) {
                let mut read = vec![0; piece.len()];
                spool.read(place.start, &mut read).unwrap();
                assert!(read == piece);
            }
            let mut across = vec![0; 700_000];
            spool.read(0, &mut across).unwrap();
            assert_eq!((across[299_999], across[300_000], across[699_999]), (0, 1, 2));
            assert!(spool.read(spool.len() - 1, &mut [0; 2]).is_err());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
    }
}
