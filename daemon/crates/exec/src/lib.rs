//! Running programs that an answer asks for: what may run, in which sandbox, and never for longer than it may.
//!
//! [`words`] and [`Language`] turn what an answer says into something to run, and touch nothing. An [`Order`] is
//! that, as data; the [`Runner`] carries it out through a helper process, so that everything that the command starts
//! ends with it. Who approved what is not known here, nor are projects, sessions and reports.

mod enclosure;
mod environment;
mod error;
mod find;
mod guard;
mod helper;
mod hold;
mod language;

mod order;
mod outcome;
mod output;
mod runner;
mod sandbox;
mod scratch;
mod spawn;
mod wire;
pub mod words;

pub use enclosure::Private;
pub use environment::{Inherit, PATH, environment, variable};
pub use error::ExecError;
pub use find::{Obstacle, find, find_beyond, obstacle};
pub use helper::{Remains, end_orphans, end_remains, has_orphans, run as run_helper};
pub use hold::Hold;
pub use language::{ARGUMENT, Language, LanguageError};
pub use order::{Access, Bounds, Enclosure, Network, Order};
pub use outcome::{Captured, Ended, Outcome, Stream, Touched};
pub use output::{Keep, TRUNCATED, share};
pub use runner::{Follow, Runner};
pub use sandbox::{Found, Hint, Sandbox, Wanted, hidden::secrets, hint};
pub use scratch::Scratch;
pub use spawn::Helper;
pub use wire::HELPER;
#[cfg(target_os = "linux")]
pub use wire::HELPER_NAME;
