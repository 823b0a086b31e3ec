//! The part of a text that a change touches.

/// The lines of two texts that lie between what both begin and end with.
pub(super) struct Stripped<'t> {
    pub(super) old: Vec<&'t str>,
    pub(super) new: Vec<&'t str>,
    /// The number of lines of both before them.
    pub(super) above: usize,
}

impl<'t> Stripped<'t> {
    pub(super) fn new(old: &'t str, new: &'t str) -> Stripped<'t> {
        let (one, other) = (old.as_bytes(), new.as_bytes());
        let head = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        let head = memchr::memrchr(b'\n', &one[..head]).map_or(0, |at| at + 1);
        let (one, other) = (&one[head..], &other[head..]);
        let tail = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
        // A line that ends alike need not begin alike: the first line break of the common end is where lines
        // begin.
        let tail = memchr::memchr(b'\n', &one[one.len() - tail..]).map_or(0, |at| tail - at - 1);
        Stripped {
            old: old[head..old.len() - tail].lines().collect(),
            new: new[head..new.len() - tail].lines().collect(),
            above: memchr::memchr_iter(b'\n', &old.as_bytes()[..head]).count(),
        }
    }
}
