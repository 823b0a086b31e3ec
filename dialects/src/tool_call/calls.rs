//! The calls of tools that a text holds, in groups as they follow each other.

use std::ops::Range;

use clada_schema::RawAction;

#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) at: Range<usize>,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) actions: Vec<RawAction<'a>>,
    pub(super) together: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) at: usize,
    pub(crate) line: u32,
    pub(crate) path: Option<String>,
    pub(crate) why: String,
    /// True if the answer ends within it: no example does.
    pub(crate) cut_off: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Group<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) calls: Vec<Call<'a>>,
    pub(super) unread: Vec<Unread>,
    /// True if they come with their results.
    pub(super) transcript: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Calls<'a> {
    pub(super) groups: Vec<Group<'a>>,
}

impl<'a> Calls<'a> {
    pub(super) fn at(&self, start: usize) -> Option<&Group<'a>> {
        let index = self.groups.binary_search_by_key(&start, |group| group.start).ok()?;
        Some(&self.groups[index])
    }
}

impl Group<'_> {
    /// Returns those that are not read; none of a transcript.
    pub(super) fn unread(&self) -> &[Unread] {
        if self.transcript { &[] } else { &self.unread }
    }
}
