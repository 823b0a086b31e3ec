//! From a plan to changed files: the only folder of this crate in which anything is changed.
//!
//! Everything that is to be changed is recorded in the journal first. Knows neither what a text means nor how
//! an effect was worked out.

mod batch;
mod commands;
pub(crate) mod commits;
mod entry;
mod executor;
mod failed;
mod ledger;
mod left;
pub(crate) mod operation;
mod parts;
mod paths;
mod read_only;
pub(crate) mod recorder;
mod running;
mod segments;
mod unasked;
pub(crate) mod witness;
mod writing;
