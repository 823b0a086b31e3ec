//! The actions that an answer may ask for: their one definition (`actions.yaml`), their typed form
//! ([`Action`]) and the rules that turn raw text into it.
//!
//! Input is a [`RawAction`] from a dialect; output is an [`Action`] or all of its [`Violation`]s. This crate
//! knows nothing of files, of dialects' syntax or of the network, and does no I/O.
//!
//! ```
//! use clada_schema::{RawAction, RawField, Span, validate, Options};
//!
//! let raw = RawAction {
//!     name: Some("write_file".into()),
//!     fields: vec![
//!         RawField { name: "path".into(), value: "/proj/a.txt".into(), span: Span::default() },
//!         RawField { name: "content".into(), value: "hello".into(), span: Span::default() },
//!     ],
//!     ..RawAction::default()
//! };
//! let validated = validate(&raw, &Options::default()).expect("a complete action");
//! assert_eq!(validated.action.name(), "file_write");
//! ```

mod action;
mod convert;
mod count;
mod definition;
mod load;
mod old_texts;
mod raw;
mod text_slice;
mod validate;
mod violation;

pub use action::*;
pub use convert::{PathRule, is_absolute_path};
pub use count::Count;
pub use definition::{ActionDefinition, ActionType, Caller, Format, Parameter, ParameterType};
pub use load::{LoadError, definition, definitions, load};
pub use old_texts::OldTexts;
pub use raw::{Deletes, Hunk, HunkLine, IfExists, RawAction, RawEdit, RawField, RawHunk, Span, Terms};
pub use text_slice::TextSlice;
pub use validate::{Options, Validated, Warning, validate};
pub use violation::{Violation, ViolationType};
