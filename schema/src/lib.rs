//! The actions that an answer may ask for.

mod raw;

pub use raw::{Hunk, HunkLine, IfExists, RawAction, RawField, Span};
