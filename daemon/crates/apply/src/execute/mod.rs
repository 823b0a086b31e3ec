//! From a plan to changed files: the only folder of this crate in which anything is changed.
//!
//! Everything that is to be changed is recorded in the journal first. Knows neither what a text means nor how
//! an effect was worked out.

mod change_set;
mod commands;
pub(crate) mod commits;
pub(crate) mod delivering;
mod executor;
pub(crate) mod journal_writer;
pub(crate) mod operation;
mod running;
mod unasked;
mod writing;
