//! Taking an operation back: from what it did and what stands there now, to what has to be done.
//!
//! [`choose`] finds the operation that is meant; [`survey`] looks at its places, which is all that is read here;
//! [`plan`] works out the steps, or why not; `order` brings them into an order in which each finds what it needs.
//! Everything but the survey is pure. Must not know how a step is carried out, nor change anything: the pipeline's
//! executor does that, and journals it as an operation of its own, which can be taken back in turn.
//!
//! Rules (spec: history, "Operations"):
//!
//! - A place that is no longer as the operation left it is a conflict, and then nothing is done at all, unless text
//!   is to be merged, or what is there to be overwritten. What is overwritten is kept by the undo itself.
//! - Nothing is removed that the operation did not make: a folder that holds other files stays.
//! - What was moved is moved back, not written anew: it stays the same file.
//! - A place that is already as it was before needs nothing.
//! - What an undo left on its way that was cut off is nobody's change: the same undo again does the rest.

mod attributes;
mod choose;
mod effects;
mod fate;
mod folders;
mod merge;
mod now;
mod order;
mod overwritten;
mod place;
mod plan;
pub(crate) mod recovery;
mod refusal;
mod rest;
mod step;
mod survey;
mod tell;

#[cfg(test)]
mod tests;

pub use choose::{Wanted, brought_back_by, choose, earlier};
pub use effects::effects;
pub use fate::Later;
pub use merge::merge;
pub use now::{Found, Now, Standing};
pub use overwritten::overwritten;
pub use plan::{Contents, plan};
pub use refusal::{Conflict, Reason, Refusal, nothing_left};
pub use rest::{attempts, continued, rest};
pub use step::{Change, Reverse, Step, StepKind};
pub use survey::{resolve, survey};
pub use tell::{Diffs, changes, info, lost, reversed};
