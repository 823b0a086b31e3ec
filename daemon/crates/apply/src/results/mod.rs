//! From what was planned and done to what a caller is sent: results, diffs, edits for an editor, warnings.
//!
//! Pure: reads no file and changes none. How a result reads as text is the protocol's.

pub(crate) mod diff;
pub(crate) mod handing;
pub(crate) mod place;
pub(crate) mod report;
pub(crate) mod runs_later;
pub(crate) mod weight;
pub(crate) mod workspace;
