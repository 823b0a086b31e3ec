//! The stamps of a project, in the order of the bytes of their paths.
//!
//! They are kept in chunks, which a snapshot shares with the one before it: what did not change is not copied.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use clada_watch::Part;

use super::stamp::FileStamp;

const FULL: usize = 256;
/// The stamps below which a chunk is joined with the next one, not shared.
const SMALL: usize = 64;

type Chunk = Arc<Vec<Arc<FileStamp>>>;

#[derive(Debug, Clone, Default)]
pub(super) struct Stamps {
    chunks: Vec<Chunk>,
    len: usize,
}

pub(super) type StampPlace = (usize, usize);

impl Stamps {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<FileStamp>> + Clone {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    pub(super) fn find(&self, path: &Path) -> Option<&Arc<FileStamp>> {
        let path_bytes = bytes(path);
        let (chunk, at) = self.before(path_bytes);
        let stamp = self.chunks.get(chunk)?.get(at)?;
        (bytes(&stamp.path) == path_bytes).then_some(stamp)
    }

    fn before(&self, path_bytes: &[u8]) -> StampPlace {
        let later = self.chunks.partition_point(|chunk| bytes(&chunk[0].path) <= path_bytes);
        let Some(chunk) = later.checked_sub(1) else { return (0, 0) };
        let at = self.chunks[chunk].partition_point(|stamp| bytes(&stamp.path) < path_bytes);
        if at == self.chunks[chunk].len() { (chunk + 1, 0) } else { (chunk, at) }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.find(path).is_some_and(|stamp| !stamp.is_ignored())
    }

    pub(super) fn range(&self, part: &Part) -> (StampPlace, StampPlace) {
        let (from, to) = match part {
            Part::All => return ((0, 0), (self.chunks.len(), 0)),
            // Nothing comes between a path and the same with a zero, and no path has one.
            Part::At(path) => (bytes(path).to_vec(), [bytes(path), b"\0"].concat()),
            // A zero comes right after a slash.
            Part::Beneath(path) => ([bytes(path), b"/"].concat(), [bytes(path), b"0"].concat()),
        };
        (self.before(&from), self.before(&to))
    }

    pub(super) fn between(&self, from: StampPlace, to: StampPlace) -> impl Iterator<Item = &Arc<FileStamp>> {
        let chunks = self.chunks.iter().enumerate().skip(from.0).take((to.0 + 1).saturating_sub(from.0));
        chunks.flat_map(move |(number, chunk)| &chunk[within(number, chunk.len(), from, to)])
    }

    pub(super) fn at(&self, positions: &[usize]) -> impl Iterator<Item = &Arc<FileStamp>> {
        let (mut chunks, mut begin) = (self.chunks.iter().peekable(), 0);
        positions.iter().filter_map(move |position| {
            while let Some(passed) = chunks.next_if(|chunk| begin + chunk.len() <= *position) {
                begin += passed.len();
            }
            chunks.peek()?.get(position - begin)
        })
    }

    /// The positions ascend. The paths of the stamps stay.
    pub(super) fn change_each(&mut self, positions: &[usize], mut change: impl FnMut(&mut FileStamp)) {
        let (mut number, mut begin) = (0, 0);
        for position in positions {
            while self.chunks.get(number).is_some_and(|chunk| begin + chunk.len() <= *position) {
                begin += self.chunks[number].len();
                number += 1;
            }
            if let Some(chunk) = self.chunks.get_mut(number)
                && let Some(stamp) = Arc::make_mut(chunk).get_mut(position - begin)
            {
                change(Arc::make_mut(stamp));
            }
        }
    }
}

fn within(number: usize, length: usize, from: StampPlace, to: StampPlace) -> std::ops::Range<usize> {
    let begin = if number == from.0 { from.1.min(length) } else { 0 };
    let end = if number == to.0 { to.1.min(length) } else { length };
    begin..end.max(begin)
}

impl FromIterator<Arc<FileStamp>> for Stamps {
    fn from_iter<I: IntoIterator<Item = Arc<FileStamp>>>(stamps: I) -> Stamps {
        let mut builder = StampsBuilder::default();
        stamps.into_iter().for_each(|stamp| builder.push(stamp));
        builder.finish()
    }
}

/// Stamps come in order.
#[derive(Debug, Default)]
pub(super) struct StampsBuilder {
    done: Stamps,
    open: Vec<Arc<FileStamp>>,
}

impl StampsBuilder {
    pub(super) fn len(&self) -> usize {
        self.done.len + self.open.len()
    }

    pub(super) fn push(&mut self, stamp: Arc<FileStamp>) {
        self.open.push(stamp);
        if self.open.len() == FULL {
            self.close();
        }
    }

    pub(super) fn share(&mut self, stamps: &Stamps, from: StampPlace, to: StampPlace) {
        for number in from.0..=to.0 {
            let Some(chunk) = stamps.chunks.get(number) else { break };
            let range = within(number, chunk.len(), from, to);
            if range.len() == chunk.len() && chunk.len() >= SMALL {
                self.close();
                self.done.len += chunk.len();
                self.done.chunks.push(Arc::clone(chunk));
            } else {
                chunk[range].iter().for_each(|stamp| self.push(Arc::clone(stamp)));
            }
        }
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            let chunk = std::mem::take(&mut self.open);
            self.done.len += chunk.len();
            self.done.chunks.push(Arc::new(chunk));
        }
    }

    pub(super) fn finish(mut self) -> Stamps {
        self.close();
        self.done
    }
}

pub(super) struct StampCursor<'s, I: Iterator<Item = &'s Arc<FileStamp>>>(Peekable<I>);

impl<'s, I: Iterator<Item = &'s Arc<FileStamp>>> StampCursor<'s, I> {
    pub(super) fn new(stamps: I) -> StampCursor<'s, I> {
        StampCursor(stamps.peekable())
    }

    /// `path` comes after those before. Calls `pass` for the stamps on the way.
    pub(super) fn go_to(
        &mut self,
        path: &Path,
        mut pass: impl FnMut(&'s Arc<FileStamp>),
    ) -> Option<&'s Arc<FileStamp>> {
        loop {
            let order = bytes(&self.0.peek()?.path).cmp(bytes(path));
            match order {
                Ordering::Less => pass(self.0.next()?),
                Ordering::Equal => return self.0.next(),
                Ordering::Greater => return None,
            }
        }
    }

    pub(super) fn rest(self) -> impl Iterator<Item = &'s Arc<FileStamp>> {
        self.0
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
