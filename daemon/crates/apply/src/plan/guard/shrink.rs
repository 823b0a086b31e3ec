//! A file that is written whole and keeps little of what it was.

use std::collections::HashSet;

/// Lines from which a loss is reported, and from which the user is asked.
const TOLD: usize = 20;
const ASKED: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shrunk {
    /// Lines that it will have.
    pub(crate) remaining: usize,
    /// Lines that it has.
    pub(crate) of: usize,
    pub(crate) asks: bool,
}

impl std::fmt::Display for Shrunk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "keeps {} of {} lines", self.remaining, self.of)
    }
}

/// Returns true if a file of `old_bytes` may shrink by much when `new_bytes` take their place, as far as
/// sizes can show.
pub(crate) fn may_shrink(old_bytes: u64, new_bytes: usize) -> bool {
    old_bytes / 2 > new_bytes as u64
}

// Returns how the file with the text `old` shrinks if it is rewritten as `new`; `None` if it does not by
// much, or if 60 % of the lines that go are lines that `is_elsewhere` says the answer writes into other
// files.
//
// It is reported if a fifth of 20 lines or more is left at most, rounded up (7 of 33), and asked about if
// less than a fifth of 100 is.
pub(crate) fn shrunk(old: &str, new: &str, is_elsewhere: impl Fn(&str) -> bool) -> Option<Shrunk> {
    let (of, remaining) = (old.lines().count(), new.lines().count());
    if of < TOLD || remaining > of.div_ceil(5) {
        return None;
    }
    let stay: HashSet<&str> = new.lines().map(str::trim).collect();
    let lost = old.lines().map(str::trim).filter(|line| !line.is_empty() && !stay.contains(line));
    let (mut removed, mut elsewhere) = (0usize, 0usize);
    for line in lost {
        removed += 1;
        elsewhere += usize::from(is_elsewhere(line));
    }
    let moves = removed > 0 && elsewhere * 10 >= removed * 6;
    (!moves).then_some(Shrunk { remaining, of, asks: of >= ASKED && remaining * 5 < of })
}
