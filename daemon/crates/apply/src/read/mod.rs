//! From the text of an answer to its steps, and to what of it was not read.
//!
//! Knows neither what a step would do nor how it is applied; looks at files only to tell what names one.

pub(crate) mod answer;
pub(crate) mod instructions;
pub(crate) mod interpret;
mod issues;
pub(crate) mod not_read;
pub(crate) mod proposal;
pub(crate) mod step;
