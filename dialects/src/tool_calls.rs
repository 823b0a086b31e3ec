//! The calls of tools that a text holds, in groups as they follow each other.

use std::ops::Range;

use clada_schema::RawAction;

#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) at: Range<usize>,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) actions: Vec<RawAction<'a>>,
    pub(crate) together: bool,
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
pub(crate) struct Group<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) calls: Vec<Call<'a>>,
    pub(crate) unread: Vec<Unread>,
    /// True if they come with their results.
    pub(crate) transcript: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Calls<'a> {
    pub(crate) groups: Vec<Group<'a>>,
}

impl<'a> Calls<'a> {
    pub(crate) fn at(&self, start: usize) -> Option<&Group<'a>> {
        let index = self.groups.binary_search_by_key(&start, |group| group.start).ok()?;
        Some(&self.groups[index])
    }
}

impl Group<'_> {
    /// Returns those that are not read; none of a transcript.
    pub(crate) fn unread(&self) -> &[Unread] {
        if self.transcript { &[] } else { &self.unread }
    }
}
