//! Tests of this crate against real trees: after everything that can happen to a tree, the index is compared
//! with a walk.
//!
//! Short forms of what a release is measured by. `CLADA_WATCH_SCALE` makes them longer: the number multiplies
//! how much is done in each.

// Trees are changed as other programs change them, and without the code under test.
#![allow(clippy::disallowed_methods)]

#[cfg(target_os = "linux")]
mod fsevents;
mod gate;
mod index;
mod limits;
mod notify;
mod roots;
mod rules;
mod stress;
mod world;
