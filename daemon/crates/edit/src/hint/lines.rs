//! A text by line number.
//!
//! It must not know what is looked for in it.

use super::WorkBudget;
use crate::TextLine;
use crate::eol::{cut, end_byte};

pub(super) struct HintLines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    end: u8,
}

impl<'a> HintLines<'a> {
    pub(super) fn new(text: &'a str, whole: &str, work: &mut WorkBudget) -> HintLines<'a> {
        let end = end_byte(whole);
        work.walk(text.len());
        let first = if text.is_empty() { None } else { Some(0) };
        let others = memchr::memchr_iter(end, text.as_bytes()).map(|at| at + 1).filter(|at| *at < text.len());
        HintLines { text, starts: first.into_iter().chain(others).collect(), end }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn get(&self, index: usize) -> TextLine<'a> {
        let Some(&start) = self.starts.get(index) else {
            return TextLine { start: self.text.len(), body: "", end: "" };
        };
        let stop = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        cut(start, &self.text[start..stop], self.end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = TextLine<'a>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}
