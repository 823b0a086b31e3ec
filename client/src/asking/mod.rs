//! Asks the user about an answer: shows its plan at the terminal, and returns the decision.
//!
//! Must not know how an answer is read or applied, and writes no report.

pub(crate) mod choice;
pub(crate) mod consent;
mod editing;
pub(crate) mod first;
pub(crate) mod interactive;
pub(crate) mod keys;
pub(crate) mod planned;
pub(crate) mod proposals;
#[cfg(test)]
mod scripted;
