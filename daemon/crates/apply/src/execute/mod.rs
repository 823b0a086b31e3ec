//! From a plan to changed files: the only folder of this crate in which anything is changed.
//!
//! Everything that is to be changed is recorded in the journal first. Knows neither what a text means nor how
//! an effect was worked out.

pub(crate) mod change_observer;
mod change_set;
mod commands;
pub(crate) mod commits;
pub(crate) mod delivering;
mod entry;
mod executor;
mod failed;
pub(crate) mod journal_writer;
pub(crate) mod operation;
mod paths;
mod post_images;
mod running;
mod segments;
mod unasked;
mod writing;
