//! An index of a text by lines, which finds runs of lines in it.
//!
//! It must not know hunks or rungs. Lines become numbers once for each [`Key`], after which a run of lines is
//! found in time linear in the text at worst, and mostly by its rarest line at once. Work is counted.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use super::key::{LineKey, indent, is_blank};
use crate::{Text, TextLine, split_lines};

/// Steps, of about a line each, after which a text is not searched any more.
const LIMIT: u64 = 1 << 30;

pub(super) struct Index<'a> {
    text: &'a str,
    lines: Vec<TextLine<'a>>,
    tables: [OnceCell<Table<'a>>; LineKey::COUNT],
    filled: OnceCell<Vec<usize>>,
    work: Cell<u64>,
}

/// The lines of a text as numbers, equal if the parts of them that count are.
struct Table<'a> {
    numbers: HashMap<Cow<'a, str>, u32>,
    lines: Vec<u32>,
    places: Vec<Vec<u32>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(text: &Text<'a>) -> Index<'a> {
        let lines: Vec<TextLine<'a>> = split_lines(text.as_str()).collect();
        let work = Cell::new(lines.len() as u64);
        Index { text: text.as_str(), lines, tables: Default::default(), filled: OnceCell::new(), work }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn lines(&self) -> &[TextLine<'a>] {
        &self.lines
    }

    pub(super) fn body(&self, at: usize) -> &'a str {
        self.lines.get(at).map_or("", |line| line.body)
    }

    pub(super) fn is(&self, bytes: &[u8]) -> bool {
        self.text.as_bytes() == bytes
    }

    pub(super) fn spend(&self, steps: usize) {
        self.work.set(self.work.get().saturating_add(steps as u64));
    }

    pub(super) fn spent(&self) -> u64 {
        self.work.get()
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.spent() > LIMIT
    }

    /// Whole lines, overlapping or not; none if `sides` is empty.
    pub(super) fn find(&self, key: LineKey, sides: &[Cow<'_, str>]) -> Vec<usize> {
        self.spend(sides.len());
        let table = self.table(key);
        let Some(sides) = table.numbers_of(key, sides.iter().map(AsRef::as_ref)) else { return Vec::new() };
        let rarest = (0..sides.len()).min_by_key(|at| table.places[sides[*at] as usize].len());
        let Some(rarest) = rarest else { return Vec::new() };
        let places = &table.places[sides[rarest] as usize];
        if places.len().saturating_mul(sides.len()) > self.len() {
            self.spend(self.len() + sides.len());
            return runs(&table.lines, &sides);
        }
        self.spend(places.len() * sides.len());
        let starts = places.iter().filter_map(|place| (*place as usize).checked_sub(rarest));
        starts.filter(|&at| table.lines.get(at..at + sides.len()) == Some(&sides[..])).collect()
    }

    pub(super) fn find_filled(&self, key: LineKey, sides: &[&str]) -> Vec<usize> {
        let table = self.table(key);
        let Some(sides) = table.numbers_of(key, sides.iter().copied()) else { return Vec::new() };
        self.spend(self.len() + sides.len());
        let filled: Vec<u32> = self.filled().iter().map(|at| table.lines[*at]).collect();
        runs(&filled, &sides)
    }

    pub(super) fn filled(&self) -> &[usize] {
        self.filled.get_or_init(|| {
            self.spend(self.len());
            (0..self.len()).filter(|at| !is_blank(self.lines[*at].body)).collect()
        })
    }

    pub(super) fn has_indent(&self, sides: &str) -> bool {
        self.spend(self.len());
        self.lines.iter().any(|line| indent(line.body) == sides && !is_blank(line.body))
    }

    fn table(&self, key: LineKey) -> &Table<'a> {
        self.tables[key as usize].get_or_init(|| {
            self.spend(self.len());
            Table::new(&self.lines, key)
        })
    }
}

impl<'a> Table<'a> {
    fn new(all: &[TextLine<'a>], key: LineKey) -> Table<'a> {
        let mut numbers = HashMap::new();
        let (mut lines, mut places) = (Vec::with_capacity(all.len()), Vec::<Vec<u32>>::new());
        for (at, line) in all.iter().enumerate() {
            let next = places.len() as u32;
            let number = *numbers.entry(key.normalize(line.body)).or_insert(next);
            if number == next {
                places.push(Vec::new());
            }
            places[number as usize].push(at as u32);
            lines.push(number);
        }
        Table { numbers, lines, places }
    }

    fn numbers_of<'s>(&self, key: LineKey, sides: impl Iterator<Item = &'s str>) -> Option<Vec<u32>> {
        sides.map(|line| self.numbers.get(&*key.normalize(line)).copied()).collect()
    }
}

/// Finds `needle` in `hay`, overlapping or not, in linear time (Knuth, Morris, Pratt).
fn runs(hay: &[u32], needle: &[u32]) -> Vec<usize> {
    if needle.is_empty() {
        return Vec::new();
    }
    let mut borders = vec![0usize];
    for at in 1..needle.len() {
        let border = extend(&borders, needle, borders[at - 1], needle[at]);
        borders.push(border);
    }
    let (mut places, mut matched) = (Vec::new(), 0);
    for (at, &number) in hay.iter().enumerate() {
        if matched == needle.len() {
            matched = borders[matched - 1];
        }
        matched = extend(&borders, needle, matched, number);
        if matched == needle.len() {
            places.push(at + 1 - matched);
        }
    }
    places
}

/// Returns the length of the longest start of `needle` that ends with `number`, after one of length
/// `matched`.
fn extend(borders: &[usize], needle: &[u32], mut matched: usize, number: u32) -> usize {
    while matched > 0 && needle[matched] != number {
        matched = borders[matched - 1];
    }
    matched + usize::from(needle[matched] == number)
}
