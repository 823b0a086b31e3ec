//! Guards against changes that say less than they replace, or other than was meant (spec: answers, section
//! 2).
//!
//! Each looks at texts, and one at the lines that an answer moved: pure, and nothing here knows a planner, an
//! approval or a file system. What comes of a finding is decided where changes are planned.

pub(crate) mod elision;
pub(crate) mod odd;
pub(crate) mod patch_content;
pub(crate) mod shifted;
pub(crate) mod shrink;
mod stripped;

#[cfg(test)]
mod tests;
