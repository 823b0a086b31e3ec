//! From a plan to changed files: the only folder of this crate in which anything is changed.
//!
//! Everything that is to be changed is recorded in the journal first. Knows neither what a text means nor how an
//! effect was worked out.

pub(crate) mod commits;
mod entry;
mod executor;
mod ledger;
mod left;
pub(crate) mod operation;
pub(crate) mod recorder;
mod running;
mod segments;
mod unasked;
pub(crate) mod witness;
