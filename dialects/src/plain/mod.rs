//! Plain answers: detects edits without a dialect, in fences, elements and sentences (spec: plain).
//!
//! Input is the text that no block claimed; output is a [`Plain`]: candidates in document order, each with
//! every path that may be meant, best first, and notes on what was passed over. Knows no project: the code
//! that has the files ties a candidate to one path ([`Mention`]), decides between a whole file and a part,
//! and refuses. Takes time and memory linear in its input.
//!
//! ````text
//! Here's the updated `src/a.py`:          Group { place: Label, mentions: ["src/a.py"] }
//!
//! ```python                               Candidate { language: "python", form: Code, … }
//! print(1)                                content: "print(1)\n"
//! ```
//! ````

mod above;
mod below;
mod candidate;
mod claims;
mod clause;
mod comment;
mod compared;
mod content;
mod document;
mod edge;
mod element;
mod file_command;
mod folder;
mod forms;
mod found_block;
mod history;
mod info;
mod json;
mod language;
mod lead;
mod mention;
mod naming;
mod operation;
mod output;
mod pair;
mod passive;
mod path;
mod phrases;
mod piece;
mod placed;
mod project;
mod reader;
mod removal;
mod retraction;
mod shell;
mod standing;
mod stated;
mod stated_files;
mod stated_imports;
mod suggestion;
mod tables;
mod words;

pub use candidate::{Candidate, Folder, Form, Group, Mention, Note, NoteKind, Place, Plain};
pub(crate) use claims::{ClaimedBlock, Claims};
pub use file_command::{FileCommand, read_commands};
pub use found_block::conditional_block;
pub(crate) use found_block::{BlockStanding, Withheld, conditional_edits, not_applied};
pub use language::fits_language;
pub(crate) use mention::{names_document, names_file};
pub use placed::{is_list, replaced_name};
pub(crate) use reader::{MOST, OUTSIDE, read, sentences};
pub use removal::removes_shown;
pub use suggestion::{numbered_lines, numbered_place};
pub use words::{beside, creates, is_conditional, may_place};
