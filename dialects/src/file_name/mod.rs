//! Lines that name a file (spec: foreign-dialects, "Path rules").
//!
//! A name is alone on its line, decorated or not, or in a fence's info string; it never comes from prose.
//! Knows no dialect and no files. A text that is not certainly a name is marked as such, for each dialect to
//! decide.

mod info;
mod line;
mod shape;

pub(crate) use info::{in_info, language};
pub(crate) use line::{FileName, agree, list_item, other_mentioned};
pub(crate) use shape::{base, extension, extension_of, is_listed, is_output, is_product, may_hold_fences};
