//! Asks the user about an answer: shows its plan at the terminal, and returns the decision.
//!
//! Must not know how an answer is read or applied, and writes no report.

pub(crate) mod asker;
mod changes;
mod editing;
pub(crate) mod first;
pub(crate) mod keys;
pub(crate) mod planned;
mod proposals;
#[cfg(test)]
mod scripted;
