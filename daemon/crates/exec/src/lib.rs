//! Runs the programs that an answer asks for: decides what may run and in which sandbox, and bounds the time
//! it takes.
//!
//! [`words`] and [`Language`] turn the text of an answer into a program with arguments, and touch nothing. A
//! [`CommandSpec`] is that, as data. The [`Runner`] carries it out through a helper process, so that
//! everything that the command starts ends with it. This crate knows nothing of approvals, projects, sessions
//! and reports.

mod enclosure;
mod environment;
mod error;
mod find;
mod guard;
mod helper;
mod hold;
mod language;

mod command_spec;
mod outcome;
mod output;
mod runner;
mod sandbox;
mod scratch;
mod spawn;
mod tools;
mod wire;
pub mod words;

pub use command_spec::{Access, Bounds, CommandSpec, Enclosure, Network};
pub use enclosure::Private;
pub use environment::{Inherit, PATH, environment, variable, withheld};
pub use error::ExecError;
pub use find::{Obstacle, find, find_beyond, interpreter, obstacle};
pub use helper::{Remains, end_orphans, end_remains, has_orphans, run as run_helper};
pub use hold::Hold;
pub use language::{ARGUMENT, Language, LanguageError};
pub use outcome::{Captured, Ended, Outcome, Stream, Touched};
pub use output::{Keep, TRUNCATED, share};
pub use runner::{Follow, Runner};
pub use sandbox::hidden::secrets;
pub use sandbox::hint::{Hint, hint, hint_at_variable};
pub use sandbox::{DetectedSandbox, Sandbox, SandboxMode};
pub use scratch::Scratch;
pub use spawn::Helper;
pub use tools::usual_path;
pub use wire::HELPER;
#[cfg(target_os = "linux")]
pub use wire::HELPER_NAME;
