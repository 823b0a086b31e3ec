//! What the reader of plain answers finds: candidates with every path that may be meant, and notes.

use std::ops::Range;

use super::words;

/// What an answer shows without a dialect.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plain {
    /// Pieces that may be a change of a file, in document order; at most 1,000.
    pub candidates: Vec<Candidate>,
    /// What was seen and is none, in document order; at most 1,000.
    pub notes: Vec<Note>,
    /// Code below words that may call it an example or a state of now, or say what new code does ("after that it looks
    /// like this"), each with a note as well. It is a change only if it is all of a file, changed.
    pub illustrations: Vec<Candidate>,
    /// Other code that the words above call an example, an old state or one of now, each with a note as well.
    pub dismissed: Vec<Candidate>,
    /// Names of definitions that the prose removes in so many words ("Remove `parse`"), in document order.
    pub removed: Vec<String>,
    /// Paths that the answer asks to see, in document order, as written; empty if it shows candidates.
    pub asked_for: Vec<String>,
    /// True if the answer was copied from a page without its fences.
    pub fences_lost: bool,
    /// True if the text has the signs of a document of a project (a README, a changelog, a page of a manual),
    /// and not of an answer: its code is for its readers.
    pub is_document: bool,
}

impl Plain {
    /// Returns true if the prose of `text`, which this was read from, says that anything goes: "I removed the unused helper".
    #[must_use]
    pub fn says_removal(&self, text: &str) -> bool {
        let is_code = |one: &&Candidate| one.form == Form::Code;
        let mut shown = self.candidates.iter().filter(is_code).map(|one| &one.lines).peekable();
        (1..).zip(text.lines()).any(|(number, line)| {
            while shown.next_if(|lines| lines.end <= number).is_some() {}
            !shown.peek().is_some_and(|lines| lines.contains(&number)) && words::says_removal(line)
        })
    }
}

/// A piece of an answer that may be a change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// 1-based lines of the answer from its first to its last, fences included.
    pub lines: Range<u32>,
    /// The language of its fence in lower case, without a path; empty if there is none.
    pub language: String,
    /// Its text, with LF as the answer has it, without the indentation of the fence.
    pub content: String,
    /// What it says to do.
    pub form: Form,
    /// The paths that may be meant, the place that decides first; empty if no file is named.
    pub groups: Vec<Group>,
    /// The length in bytes of the first lines of `content` that only name the file (a comment with a path),
    /// which go if that is the file taken and the file does not begin with them.
    pub naming: Option<Range<usize>>,
    /// The words above it, at most 200 bytes on one line: the label, heading or sentence.
    pub words: String,
    /// True if its fence or element was closed.
    pub closed: bool,
    /// True if the words above call it an option, a draft or one of several versions.
    pub optional: bool,
    /// True if the words above do it only under a condition, or later.
    pub conditional: bool,
    /// True if it is code for a file without a name, and no word above has anything done: it is described, as far as the
    /// words go.
    pub described: bool,
    /// True if a sentence of prose states it, or two lines: what they mention often is no change.
    pub is_sentence: bool,
    /// The text of the fence right above it for the same file, which it may replace: it does if the file has
    /// that text once and has not this one.
    pub old: Option<String>,
}

/// What a candidate says to do with its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Code: the whole file or a part of it; the file decides.
    Code,
    /// Text for the end of a file.
    Append,
    /// Text for the top of a file.
    Prepend,
    /// Text for the place after or before a text that the file has.
    Beside {
        /// The text that the file has once.
        anchor: String,
        /// True for the place after it.
        after: bool,
    },
    /// Text for the end of a class or another definition that holds some.
    Within {
        /// Its name.
        name: String,
    },
    /// Text for the end or the top of a definition, key, section or other part of a file.
    Edge {
        /// What the words call it: `Store`, `[tool.ruff]`, a heading.
        name: String,
        /// True for its end.
        is_end: bool,
    },
    /// `content` in place of lines that the words number.
    Lines {
        /// The first of them, from 1 on.
        first: u32,
        /// The last of them.
        last: u32,
    },
    /// `content` in place of a text that the file has once.
    Replacement {
        /// The text that goes.
        old: String,
    },
    /// `content` as the value of a name, which the file sets once.
    Value {
        /// The name.
        name: String,
    },
    /// A diff whose file is named above it, or by nothing.
    Diff,
    /// The file goes. `content` is empty.
    Delete,
    /// The file moves. `content` is empty.
    Move {
        /// The new path, as written.
        to: String,
    },
    /// Commands of a shell that only change files; `content` holds them.
    Commands,
}

/// The paths that one place names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Where they stand.
    pub place: Place,
    /// 1-based line at which they stand.
    pub line: u32,
    /// The paths in order. A place decides if exactly one of them is a path: one that the project has, or a
    /// sure one.
    pub mentions: Vec<Mention>,
    /// The folder that the words name for a bare name ("`a.cs` in Assets/Core").
    pub folder: Option<Folder>,
    /// The heading above, if it is one word: it may be the name of the folder ("### iOS").
    pub heading: Option<String>,
    /// True if the words call the file new.
    pub new: bool,
    /// True if the place is further away and holds until another one: a heading above prose, a label above an
    /// earlier fence. It decides for parts, and for the next whole file alone.
    pub held: bool,
}

/// A folder that words name for a bare name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Its path as written, without `/` at its end.
    pub path: String,
    /// True if it is marked as a folder, by a slash or as code before such a word: it may be new.
    pub is_marked: bool,
    /// True if it stands right beside the name, or begins the sentence: it is the folder of that file, whichever files of the
    /// name there are.
    pub is_beside: bool,
}

/// A word that may be a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path with `/`, without quotes, `./`, line numbers, percent signs decoded.
    pub path: String,
    /// True if it is a path by its shape and place, whether or not the project has it.
    pub sure: bool,
    /// True if the words do not mean it as the file to change ("like", "from", "same folder as", parentheses).
    pub aside: bool,
}

/// Where a path stands, in the order in which places decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In an edit block that the words around it hold back.
    Block,
    /// In the info string of the fence, or an attribute of the element.
    Info,
    /// In the label or heading above.
    Label,
    /// In a comment that is the first line.
    Comment,
    /// As a key of JSON.
    Json,
    /// In a sentence above.
    Sentence,
    /// In the sentence below.
    Below,
}

/// What was seen and is no candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// 1-based lines of the answer.
    pub lines: Range<u32>,
    /// Why it is none.
    pub kind: NoteKind,
    /// The path that it names, if it names one.
    pub path: Option<String>,
    /// The line of the answer that says so, at most 200 bytes; empty if it is not recorded.
    pub words: String,
}

/// Why something that was seen is no candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoteKind {
    /// Another voice: thinking, a quotation, a result of a tool, context that was sent.
    OtherVoice,
    /// Output: a tree, a log, a trace, a transcript.
    Output,
    /// Commands to run.
    Commands,
    /// The words above say that it is an old state, a wrong one, an output, an example.
    LeadIn,
    /// A placeholder instead of content or of a path.
    Placeholder,
    /// A file of another project.
    Elsewhere,
    /// A change that the words advise against, report or quote.
    NotMeant,
    /// A change that a later line takes back.
    TakenBack,
    /// A deletion or a move, about which the answer asks before it does anything.
    Plan,
    /// A change of a file in words alone.
    Words,
    /// Code below the name of its file, without a sign where it ends.
    Bare,
    /// The record of an edit that another tool made.
    Record,
}

impl Candidate {
    /// Returns true if it is an edit block that the words around it hold back.
    #[must_use]
    pub fn is_block(&self) -> bool {
        self.groups.first().is_some_and(|group| group.place == Place::Block)
    }

    pub(super) fn of(lines: Range<u32>, form: Form, group: Group) -> Candidate {
        Candidate::in_groups(lines, form, vec![group])
    }

    pub(super) fn in_groups(lines: Range<u32>, form: Form, groups: Vec<Group>) -> Candidate {
        Candidate {
            lines,
            language: String::new(),
            content: String::new(),
            form,
            groups,
            naming: None,
            words: String::new(),
            closed: true,
            optional: false,
            conditional: false,
            described: false,
            is_sentence: false,
            old: None,
        }
    }
}

impl Form {
    /// The form of an entry of JSON, whose text is in place of `old`, if it has one.
    pub(super) fn of_json(old: Option<String>) -> Form {
        old.map_or(Form::Code, |old| Form::Replacement { old })
    }
}

impl Group {
    pub(super) fn of(place: Place, line: u32, path: String, sure: bool) -> Group {
        let mentions = vec![Mention { path, sure, aside: false }];
        Group { place, line, mentions, folder: None, heading: None, new: false, held: false }
    }

    /// The one sure path that it means, if it means exactly one.
    pub(crate) fn sure_path(&self) -> Option<&str> {
        let mut sure = self.mentions.iter().filter(|mention| mention.sure && !mention.aside);
        let first = sure.next()?;
        sure.next().is_none().then_some(&*first.path)
    }
}
