//! The foundation of the end-to-end tests: a world of its own for each test, the real client and the real
//! daemon.
//!
//! Knows how programs are run and files are laid out; the tests know right from wrong. Nothing here reads the
//! home folder, the configuration or the daemon of the user who runs the tests.

mod answer;
mod bounded;
mod connection;
mod document;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) mod executed;
mod schema;
mod speaker;
mod terminal;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) mod tracer;
mod tree;
mod world;

pub(crate) use answer::Answer;
pub(crate) use bounded::{Ran, feed, feed_for, output};
pub(crate) use clada_test_extent::{cases, is_whole as all};
pub(crate) use connection::Connection;
pub(crate) use document::{Files, from_json, from_markdown, from_xml};
pub(crate) use schema::Document;
pub(crate) use speaker::{Speaker, Way};
pub(crate) use terminal::Terminal;
pub(crate) use tree::{Entry, Tree, odd_name};
pub(crate) use world::{World, without_ids};

/// Prints the reason why a test, or a part of it, is left out here.
#[allow(clippy::print_stderr, reason = "whoever runs the tests is to know")]
pub(crate) fn skipped(what: &str, why: &str) {
    eprintln!("skipped: {what}: {why}");
}
