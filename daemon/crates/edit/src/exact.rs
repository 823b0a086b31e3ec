//! Finds a text in another, exactly. Looser ways of finding are the rungs of [`ladder`](super::ladder).
//!
//! It must not know what is done with a match.

use std::ops::Range;

use memchr::memmem;

/// Returns the spans at which `needle` occurs in `haystack`, left to right, not overlapping, in linear time.
///
/// `needle` must not be empty: callers refuse that before.
pub(super) fn occurrences<'a>(
    haystack: &'a str,
    needle: &'a str,
) -> impl Iterator<Item = Range<usize>> + Clone + 'a {
    let length = needle.len();
    memmem::find_iter(haystack.as_bytes(), needle.as_bytes()).map(move |start| start..start + length)
}
