//! The lines of the two texts as numbers: the part's as tokens, the file's as columns of the alignment.
//!
//! A run of file lines that the part does not have is one column, since none of them can match: an alignment
//! with a large file costs no more than the lines that both have.

use std::collections::HashMap;
use std::ops::Range;

use crate::markers::Markers;
use crate::source::Source;

/// The number of no line.
const FOREIGN: u32 = u32::MAX;
/// The cost of a line that is new or goes.
pub(super) const LINE: u32 = 4;
const BLANK: u32 = 1;

/// A line of the part, or what stands between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A line: its index in the part, and its number.
    Line { at: usize, id: u32 },
    /// Any lines of the file.
    Marker,
}

impl Token {
    pub(super) fn is_marker(self) -> bool {
        self == Token::Marker
    }
}

/// The two texts, ready to be aligned.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) tokens: Vec<Token>,
    /// The cost of each token if it is new.
    pub(super) insertion: Vec<u32>,
    /// The number of each column's line.
    pub(super) ids: Vec<u32>,
    /// The cost of each column if it goes.
    pub(super) deletion: Vec<u32>,
    /// The first file line of each column, and the number of lines of the file.
    starts: Vec<usize>,
}

impl Grid {
    pub(super) fn new(file: &Source<'_>, part: &Source<'_>, markers: &Markers) -> Grid {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut tokens = Vec::new();
        for (at, line) in part.lines.iter().enumerate() {
            if markers.contains(at) {
                push_marker(&mut tokens, part);
            } else if !(part.is_blank(at) && tokens.last() == Some(&Token::Marker)) {
                tokens.push(Token::Line { at, id: number(&mut numbers, line) });
            }
        }
        add_outer_markers(&mut tokens, file, part);
        Grid::of_tokens(tokens, &numbers, file, part)
    }

    pub(super) fn between_markers(file: &Source<'_>, part: &Source<'_>) -> Grid {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut tokens = vec![Token::Marker];
        for (at, line) in part.lines.iter().enumerate() {
            if !(part.is_blank(at) && tokens.len() == 1) {
                tokens.push(Token::Line { at, id: number(&mut numbers, line) });
            }
        }
        push_marker(&mut tokens, part);
        Grid::of_tokens(tokens, &numbers, file, part)
    }

    fn of_tokens(
        tokens: Vec<Token>,
        numbers: &HashMap<&str, u32>,
        file: &Source<'_>,
        part: &Source<'_>,
    ) -> Grid {
        let insertion = (0..tokens.len()).map(|at| insertion_cost(&tokens, at, part)).collect();
        let mut grid = Grid { tokens, insertion, ids: Vec::new(), deletion: Vec::new(), starts: Vec::new() };
        for (at, line) in file.lines.iter().enumerate() {
            let id = numbers.get(line.trim_end()).copied().unwrap_or(FOREIGN);
            let cost = if file.is_blank(at) { BLANK } else { LINE };
            if id == FOREIGN && grid.ids.last() == Some(&FOREIGN) {
                if let Some(last) = grid.deletion.last_mut() {
                    *last += cost;
                }
            } else {
                grid.ids.push(id);
                grid.deletion.push(cost);
                grid.starts.push(at);
            }
        }
        grid.starts.push(file.len());
        grid
    }

    pub(super) fn columns(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn lines(&self, columns: Range<usize>) -> Range<usize> {
        self.starts[columns.start]..self.starts[columns.end]
    }

    /// Returns true if the token is a line, and that of the column.
    pub(super) fn is_equal(&self, token: usize, column: usize) -> bool {
        matches!(self.tokens[token], Token::Line { id, .. } if id == self.ids[column])
    }

    /// Returns true if the token is a line beside a marker.
    pub(super) fn is_anchor(&self, token: usize) -> bool {
        is_anchor(&self.tokens, token)
    }
}

/// Returns the number of a line of the part, the same for equal lines.
fn number<'a>(numbers: &mut HashMap<&'a str, u32>, line: &'a str) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(line.trim_end()).or_insert(next)
}

fn is_anchor(tokens: &[Token], at: usize) -> bool {
    let marker = |at: Option<usize>| at.and_then(|at| tokens.get(at)) == Some(&Token::Marker);
    !tokens[at].is_marker() && (marker(at.checked_sub(1)) || marker(Some(at + 1)))
}

/// Adds a marker, without blank lines before it and without a second one.
fn push_marker(tokens: &mut Vec<Token>, part: &Source<'_>) {
    while matches!(tokens.last(), Some(Token::Line { at, .. }) if part.is_blank(*at)) {
        tokens.pop();
    }
    if tokens.last() != Some(&Token::Marker) {
        tokens.push(Token::Marker);
    }
}

/// Adds the markers that a writer forgot: above a first line that the file has once and further down, and
/// below a last line with which the file does not end.
fn add_outer_markers(tokens: &mut Vec<Token>, file: &Source<'_>, part: &Source<'_>) {
    let places = |at: usize| {
        let line = part.lines[at].trim_end();
        let mut places = (0..file.len()).filter(move |other| file.lines[*other].trim_end() == line);
        (places.next(), places.next())
    };
    let text = |at: &usize| !file.is_blank(*at);
    if let Some(Token::Line { at, .. }) = tokens.first()
        && let (Some(place), None) = places(*at)
        && (0..file.len()).find(text) != Some(place)
    {
        tokens.insert(0, Token::Marker);
    }
    if let Some(Token::Line { at, .. }) = tokens.last()
        && places(*at).0.is_some()
        && (0..file.len())
            .rfind(text)
            .is_none_or(|last| file.lines[last].trim_end() != part.lines[*at].trim_end())
    {
        tokens.push(Token::Marker);
    }
}

fn insertion_cost(tokens: &[Token], at: usize, part: &Source<'_>) -> u32 {
    match tokens[at] {
        Token::Marker => 0,
        Token::Line { at: line, .. } => {
            // Beside a marker a match is worth more: it is what ties the part to the file.
            let tie = if is_anchor(tokens, at) { LINE / 2 } else { 0 };
            tie + if part.is_blank(line) { BLANK } else { LINE }
        }
    }
}
