//! From a model's answer to raw actions: finds the blocks, whichever dialect they are written in.
//!
//! Input is the text of an answer, already known to be UTF-8; output is a [`Parse`]: blocks of raw actions in
//! document order, and diagnostics for the faults. This crate does no I/O, knows nothing of the file system
//! and of the meaning of actions, never fails and never panics, and takes time linear in its input (spec:
//! dialects).
//!
//! ```
//! use clada_dialects::{Bounds, Choice, parse};
//!
//! let answer = "Sure:\n#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_delete\"\n\
//!     path = \"/p/a\"\n#!END_SHAM_k7m\n";
//! let parsed = parse(answer, &Bounds::default(), &Choice::Auto);
//! assert_eq!(parsed.blocks[0].actions[0].field("path"), Some("/p/a"));
//! assert!(parsed.diagnostics.is_empty());
//! ```

mod aider;
mod apply_patch;
mod around;
mod block;
mod candidate;
mod cml;
mod command;
mod csl;
mod cursor;
mod damage;
mod diagnostic;
mod dialect;
mod elision;
mod fence;
mod file_name;
mod findings;
mod glance;
mod hunk;
mod json;
mod not_read;
mod options;
pub mod plain;
mod quoted;
mod reader;
mod region;
mod replacer;
mod rules;
#[cfg(test)]
#[path = "../tests/it/samples.rs"]
mod samples;
mod scan;
mod sham;
mod surplus;
mod surroundings;
mod tool_call;
mod tool_calls;
mod unified_diff;
mod voice;
mod voices;
mod whole_file;
mod work;

#[cfg(test)]
extern crate self as clada_dialects;

pub use block::{Block, Doubt, Member, NamedAt, Parse, Policy};
pub use candidate::{Candidate, NotRead, NotReadKind, Wants};
pub use csl::{CslNode, CslTree, CslValidationError, csl_tree};
pub use damage::{Undamaged, plain_blanks, single_line_ends, undamaged};
pub use diagnostic::{Code, Diagnostic, ErrorType, Severity};
pub use dialect::{Choice, Dialect};
pub use elision::{Elision, NamedLines, elision, explains, may_be_elision, named_lines};
pub(crate) use not_read::unescaped;
pub use not_read::{PathRole, Project, decide};
pub use options::{Bounds, CslDelimiters, Options};
pub use rules::is_marker;
pub use scan::{parse, parse_with};
pub use sham::{ShamProperties, ShamTree, ShamTreeBlock, ShamTreeError, sham_tree};
