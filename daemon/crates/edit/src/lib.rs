//! Editing text: pure functions from a file's bytes and what was asked, to new bytes or to a failure as data.
//!
//! It must not know paths, files, actions, sessions or the network: no I/O, no clock, no randomness. Its
//! input is what the planner read from a file (checked by [`Text::decode`]) and the fields of an action,
//! which a model wrote and which are therefore anything at all. Whatever it is given, it does not panic,
//! keeps every byte outside of what matched, and does bounded work: linear for edits, budgeted for hints
//! and diffs.
//!
//! ```
//! use clada_edit::{Expect, Text, replace_text};
//!
//! let text = Text::decode(b"one\r\ntwo\r\n").expect("it is text");
//! let edited = replace_text(&text, "one\ntwo", "1\n2", Expect::ExactlyOne, 1_000).expect("it matches once");
//! assert_eq!(edited.bytes, b"1\r\n2\r\n");
//! ```

mod append;
mod changes;
mod copied;
mod diff;
mod eol;
mod error;
mod exact;
mod hint;
mod hunks;
mod ladder;
mod lines;
mod lsp;
mod range;
mod relative;
mod replace;
mod splice;
mod text;
mod whole_lines;
mod written_over;

#[cfg(test)]
mod tests;

pub use append::append;
pub use changes::{Change, changes};
pub use copied::{LineNumbers, line_numbers};
pub use diff::{Mode, Side, file_diff, line_counts};
pub use eol::{LineEnds, TextLine, ensure_final_newline, split_lines};
pub use error::{EditError, Expect, Field};
pub use hint::{
    Hint, HintKind, LocatedText, SoughtText, around, code_points, hint_for_range, hint_for_replace,
};
pub use hunks::{TextHunk, apply_hunks, hunk_changes, hunks};
pub use ladder::{
    Choice, Match, PatchError, PatchFailure, Patched, Rung, Turn, apply_hunks_tolerant, apply_in_turn,
    hint_for_hunk, hunk_of_text, replacing_hunk, turns, would_match,
};
pub use lines::{LineRange, numbered, replace_lines};
pub use lsp::{Position, TextEdit, line_counted, text_edits};
pub use range::replace_text_range;
pub use replace::{Replacement, replace_text, replace_texts};
pub use splice::Edited;
pub use text::{NotText, Text};
pub use whole_lines::{range_with_line_end, with_line_end};
pub use written_over::written_over;
