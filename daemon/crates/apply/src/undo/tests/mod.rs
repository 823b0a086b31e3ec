//! Plans applied to a tree in memory, strictly: a step whose need is not met fails the test.

mod picking;
mod properties;
mod rules;
mod tree;
