//! A fence as the forms see it, and what a form makes of it.

use std::ops::Range;

use super::above::Above;
use super::comment::Naming;
use super::language::Class;
use super::lead::Lead;
use super::{Candidate, Form, Group, NoteKind, Place};

#[derive(Debug)]
pub(super) struct Piece<'p, 'a> {
    /// In lower case; empty if there is none.
    pub(super) language: &'p str,
    pub(super) class: Class,
    /// The action that the info string names.
    pub(super) verb: Option<Verb>,
    pub(super) content: &'p str,
    pub(super) lines: Range<u32>,
    pub(super) closed: bool,
    pub(super) above: &'p Above<'a>,
    /// The last sentence above, or the heading.
    pub(super) sentence: &'p str,
    pub(super) groups: &'p [Group],
    pub(super) naming: Option<&'p Naming>,
    /// What the fence above became, whatever file it names.
    pub(super) before: Option<Became>,
}

/// An action that an info string names: `save a.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Save,
    Append,
    Patch,
    /// Lines of the file as it is: `12:15:src/a.py`.
    Cite,
}

#[derive(Debug, Clone)]
pub(super) struct Last {
    pub(super) language: String,
    pub(super) content: String,
    pub(super) lines: Range<u32>,
    pub(super) groups: Vec<Group>,
    pub(super) sentence: String,
    pub(super) became: Became,
    pub(super) lead: Lead,
    /// What the words say to which those right above belong.
    pub(super) around: Lead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Became {
    Candidate,
    Note(NoteKind),
    /// Several candidates, or nothing.
    Other,
}

/// What a form makes of a fence.
#[derive(Debug)]
pub(super) enum Reading {
    Candidates(Vec<Candidate>),
    Note(NoteKind),
    CandidatesAndCommands(Vec<Candidate>),
    // A note, unless it turns out to be all of a file, changed.
    Illustration(Candidate),
}

/// A form of plain answers: one row of the table `forms::FORMS`.
pub(super) trait PlainForm: Sync {
    /// Reads `piece`; `None` if it is not of this form, so that the next one is asked.
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading>;
}

impl Piece<'_, '_> {
    pub(super) fn candidate(&self, form: Form, content: String) -> Candidate {
        Candidate {
            language: self.language.to_owned(),
            naming: self
                .naming
                .filter(|_| content.len() == self.content.len())
                .map(|naming| naming.bytes.clone()),
            content,
            closed: self.closed,
            ..Candidate::in_groups(self.lines.clone(), form, self.groups.to_vec())
        }
    }

    /// The sure path that a near place names: info string, label, comment.
    pub(super) fn path(&self) -> Option<&str> {
        self.groups.iter().filter(|group| !group.held && group.place < Place::Json).find_map(Group::sure_path)
    }

    pub(super) fn label(&self) -> &str {
        self.above.nearest().map_or("", |prose| prose.line.text)
    }
}
