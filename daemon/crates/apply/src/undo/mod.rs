//! Undo: from what an operation did and the current state of its places, to the steps that undo it.
//!
//! [`pick`] finds the operation that is meant; [`survey`] looks at its places, which is all that is read
//! here; [`plan`] works out the steps, or why not; `order` brings them into an order in which each finds what
//! it needs. Everything but the survey is pure. Must not know how a step is applied, nor change anything:
//! the executor does that, and journals it as an operation of its own, which can be undone in turn.
//!
//! Rules (spec: history, "Operations"):
//!
//! - A place that is no longer as the operation left it is a conflict, and then nothing is done at all,
//!   unless text is to be merged, or what is there to be overwritten. What is overwritten is kept by the undo
//!   itself.
//! - Nothing is removed that the operation did not make: a folder that holds other files stays.
//! - What was moved is moved back, not rewritten: it stays the same file.
//! - A place that is already as it was before needs nothing.
//! - What an undo left on its way that was cut off is nobody's change: the same undo again does the rest.

mod attributes;
pub(crate) mod classify;
pub(crate) mod describe;
pub(crate) mod effects;
mod folders;
pub(crate) mod merge;
pub(crate) mod now;
mod order;
pub(crate) mod overwritten;
pub(crate) mod pick;
mod place;
pub(crate) mod plan;
pub(crate) mod recovery;
pub(crate) mod refusal;
pub(crate) mod rest;
mod rights;
pub(crate) mod step;
pub(crate) mod survey;

#[cfg(test)]
mod tests;
