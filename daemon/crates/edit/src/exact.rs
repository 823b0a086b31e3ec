//! Finds a text in another, exactly: the only way of matching there is so far.
//!
//! It must not know what is done with a match. Looser ways (spec: dialects, Matching) belong next to this
//! one: whatever yields ascending spans that do not overlap can be given to
//! [`splice`](super::splice::splice).

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
