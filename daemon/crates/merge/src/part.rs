//! What is merged, and what comes of it.

use crate::note::Note;

/// A part of a file, as an answer shows it.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The content of the fence, without the line that names the file.
    pub text: &'a str,
    /// The file's extension (`py`) or its name (`store.py`, `Makefile`). Selects the tables of a language.
    pub extension: &'a str,
    /// Names of definitions that the answer removes in so many words ("Remove `parse`").
    pub removals: &'a [&'a str],
    /// True if the answer's label for the part says to add something: then nothing goes.
    pub label_says_add: bool,
    /// True if the answer names the file right above the part, as one that it changes: a definition that the file lacks is for
    /// that file.
    pub is_labelled: bool,
    /// True if the label says that what is new goes to the beginning of the definition that the part shows.
    pub label_says_beginning: bool,
    /// The words above the part: they may name what it belongs to.
    pub words: &'a str,
    /// A line that stands for others, which the caller knows, without blanks around it; empty if there is none.
    pub marker: &'a str,
}

impl<'a> Part<'a> {
    /// Returns a part of which the answer says nothing else.
    #[must_use]
    pub fn new(text: &'a str, extension: &'a str) -> Part<'a> {
        Part {
            text,
            extension,
            removals: &[],
            label_says_add: false,
            is_labelled: false,
            label_says_beginning: false,
            words: "",
            marker: "",
        }
    }
}

/// The level of certainty of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// The lines of the part have one place in the file each: no other reading is as cheap.
    Proven,
    /// Names, indentation and brackets say where the units go.
    ByStructure,
}

/// The end or the top of a part of a file, which words give: "at the end of `Store`".
#[derive(Debug, Clone, Copy)]
pub struct Edge<'a> {
    /// What the words call that part: a definition, a key, a table, a target, a heading, an element.
    pub name: &'a str,
    /// True for its end.
    pub is_end: bool,
}

/// The file that a part means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The text of the whole file, with the file's line ends.
    pub text: String,
    /// The level of certainty.
    pub level: Level,
    /// A note for each unit that changes, in the order of the file. Every line of the file that is not in
    /// `text` is in the lines of a note ([`Note::lines`]).
    pub notes: Vec<Note>,
}
