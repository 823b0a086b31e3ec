//! What the steps of tying pass on: a candidate with its file, and what became of all of them.

use clada_dialects::plain::{Candidate, Place};
use clada_protocol::{NamedBy, NotRead};

use super::which::FileTarget;
use crate::read::proposal::Proposal;

#[derive(Debug, Default)]
pub(crate) struct Tied {
    /// Changes that can be applied, in document order.
    pub(crate) proposals: Vec<Proposal>,
    /// Candidates that name a file and cannot be applied.
    pub(crate) notices: Vec<NotRead>,
    pub(crate) already: Vec<String>,
    /// Code that names no file and was not tied to one: its lines in the answer.
    pub(crate) unnamed: Vec<u32>,
    // Code without a file that the words describe and do not ask for: its lines in the answer.
    pub(crate) described: Vec<u32>,
    /// Code that the files already have: its lines in the answer.
    pub(crate) quoted: Vec<u32>,
    /// Code for paths outside of the project: its line, and the path as written.
    pub(crate) elsewhere: Vec<(u32, String)>,
    // Code that the words call an example or an old state, and that looks like a change.
    pub(crate) dismissed: Vec<DismissedChange>,
    pub(crate) stopped: bool,
    /// Code for files that blocks edit: its place among the candidates, and the path.
    pub(crate) beside_blocks: Vec<(usize, String)>,
    /// The files of which all was shown, with the line of the answer that names each.
    pub(super) shown_whole: Vec<(String, u32)>,
}

// Code that looks like a change of a file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DismissedChange {
    // Its line in the answer.
    pub(crate) line: u32,
    pub(crate) path: String,
    pub(crate) is_new: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockUse {
    Edits,
    Writes,
}

impl Tied {
    pub(super) fn is_already(&mut self, path: &str) {
        if !self.already.iter().any(|known| known == path) {
            self.already.push(path.to_owned());
        }
    }
}

pub(super) struct BoundCandidate<'c> {
    pub(super) number: usize,
    pub(super) candidate: &'c Candidate,
    pub(super) target: FileTarget,
    pub(super) named_by: NamedBy,
    /// Why this file is taken, if the answer does not name it.
    pub(super) why: Option<String>,
    pub(super) others: Vec<FileTarget>,
}

impl<'c> BoundCandidate<'c> {
    pub(super) fn new(
        number: usize,
        candidate: &'c Candidate,
        target: FileTarget,
        others: Vec<FileTarget>,
    ) -> BoundCandidate<'c> {
        let named_by = match target.named.map(|named| named.place) {
            Some(Place::Block) => NamedBy::Block,
            Some(Place::Info) => NamedBy::Info,
            Some(Place::Label) | None => NamedBy::Label,
            Some(Place::Comment) => NamedBy::Comment,
            Some(Place::Json) => NamedBy::Json,
            Some(Place::Sentence) => NamedBy::Sentence,
            Some(Place::Below) => NamedBy::Below,
        };
        BoundCandidate { number, candidate, target, named_by, why: None, others }
    }
}
