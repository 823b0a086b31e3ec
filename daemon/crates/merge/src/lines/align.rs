//! The cheapest alignment of a part with a file.
//!
//! ```text
//! file        part                        alignment
//! a           a                           a      in both
//! b           // ...                      b, c   what the marker takes, for nothing
//! c           d                           d      in both
//! d           new                         new    costs 1
//! e           // ...                      e      taken
//! ```
//!
//! A line costs 1 if it is new or goes, a quarter if it is blank; a marker takes any lines for nothing. Similar
//! lines are not equal lines. Costs are in quarters.

use std::ops::Range;

use super::columns::{Grid, Token};

const CELLS: usize = 24_000_000;
/// More than any alignment costs, with room to add.
const NEVER: u32 = u32::MAX / 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    New,
    Column(usize),
    /// A marker: takes these columns.
    Taken(usize, usize),
}

/// The choice between alignments that cost the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefer {
    Early,
    Late,
}

/// The costs of all alignments of a beginning of the tokens with a beginning of the columns.
pub(super) struct Costs<'g> {
    grid: &'g Grid,
    /// The factor by which a line that goes is dearer.
    weight: u32,
    /// The extra cost of a new line beside a marker.
    tie: u32,
    rows: Vec<u32>,
}

/// Returns true if the two texts are small enough to be aligned.
pub(super) fn fits(grid: &Grid) -> bool {
    (grid.tokens.len() + 1).saturating_mul(grid.columns() + 1) <= CELLS
}

impl<'g> Costs<'g> {
    /// Computes the costs. With `weight` above 1, lines that go are that much dearer, and lines beside markers
    /// have to be in the file.
    pub(super) fn new(grid: &'g Grid, weight: u32) -> Costs<'g> {
        let tie = if weight > 1 { 4_000 } else { 0 };
        let width = grid.columns() + 1;
        let mut rows = vec![0; width * (grid.tokens.len() + 1)];
        close(&mut rows[..width], &grid.deletion, weight);
        for token in 0..grid.tokens.len() {
            let (done, rest) = rows.split_at_mut(width * (token + 1));
            let (before, row) = (&done[width * token..], &mut rest[..width]);
            match grid.tokens[token] {
                Token::Marker => {
                    let mut least = NEVER;
                    for (cell, cost) in row.iter_mut().zip(before) {
                        least = least.min(*cost);
                        *cell = least;
                    }
                }
                Token::Line { id, .. } => {
                    // A line beside a marker that is not in the file ties the marker to nothing, so it is made dear.
                    let new = grid.insertion[token] + if grid.is_anchor(token) { tie } else { 0 };
                    let mut cost = before[0].saturating_add(new);
                    row[0] = cost;
                    for column in 0..width - 1 {
                        let removal = cost + grid.deletion[column] * weight;
                        let equal = if grid.ids[column] == id { before[column] } else { NEVER };
                        cost = removal.min(equal).min(before[column + 1] + new);
                        row[column + 1] = cost;
                    }
                }
            }
        }
        Costs { grid, weight, tie, rows }
    }

    pub(super) fn grid(&self) -> &'g Grid {
        self.grid
    }

    fn at(&self, token: usize, column: usize) -> u32 {
        self.rows[token * (self.grid.columns() + 1) + column]
    }

    /// Returns the cost of the cheapest alignment.
    pub(super) fn best(&self) -> u32 {
        self.at(self.grid.tokens.len(), self.grid.columns())
    }

    /// Returns the place of each token in one of the cheapest alignments.
    pub(super) fn trace(&self, prefer: Prefer) -> Vec<Place> {
        let grid = self.grid;
        let (mut token, mut column) = (grid.tokens.len(), grid.columns());
        let mut places = vec![Place::New; token];
        while token > 0 || column > 0 {
            let here = self.at(token, column);
            let removal =
                column > 0 && self.at(token, column - 1) + grid.deletion[column - 1] * self.weight == here;
            if token == 0 {
                column -= 1;
                continue;
            }
            let place = if grid.tokens[token - 1].is_marker() {
                // A marker takes any number of columns for nothing: several beginnings may be as cheap, and the two
                // traces, early and late, show whether they are one place.
                let starts = (0..=column).filter(|start| self.at(token - 1, *start) == here);
                let start = if prefer == Prefer::Early { starts.min() } else { starts.max() };
                start.map(|start| Place::Taken(start, column))
            } else {
                let equal = column > 0
                    && grid.is_equal(token - 1, column - 1)
                    && self.at(token - 1, column - 1) == here;
                let tie = if grid.is_anchor(token - 1) { self.tie } else { 0 };
                let new = self.at(token - 1, column) + grid.insertion[token - 1] + tie == here;
                match prefer {
                    Prefer::Early if equal => Some(Place::Column(column - 1)),
                    Prefer::Late if removal => None,
                    _ if new => Some(Place::New),
                    _ => equal.then_some(Place::Column(column - 1)),
                }
            };
            let Some(place) = place else {
                column -= 1;
                continue;
            };
            token -= 1;
            places[token] = place;
            column = match place {
                Place::New => column,
                Place::Column(at) => at,
                Place::Taken(start, _) => start,
            };
        }
        places
    }
}

/// The costs of the rest behind lines beside markers: for each such token, behind it, from each column on.
pub(super) fn costs_behind(grid: &Grid, selects: impl Fn(usize) -> bool) -> Vec<Option<Vec<u32>>> {
    let mut row = vec![0; grid.columns() + 1];
    close_back(&mut row, &grid.deletion);
    let mut out = vec![None; grid.tokens.len()];
    for token in (0..grid.tokens.len()).rev() {
        if selects(token) {
            out[token] = Some(row.clone());
        }
        // The same recurrence as in `Costs::new`, from the end on.
        let mut next = row.clone();
        match grid.tokens[token] {
            Token::Marker => {
                let mut least = NEVER;
                for cell in next.iter_mut().rev() {
                    least = least.min(*cell);
                    *cell = least;
                }
            }
            Token::Line { id, .. } => {
                let new = grid.insertion[token];
                let last = grid.columns();
                next[last] = row[last] + new;
                for column in (0..last).rev() {
                    let removal = next[column + 1] + grid.deletion[column];
                    let equal = if grid.ids[column] == id { row[column + 1] } else { NEVER };
                    next[column] = removal.min(equal).min(row[column] + new);
                }
            }
        }
        row = next;
    }
    out
}

/// Returns what the token costs least at any other column than `place`, with all else as cheap as can be.
pub(super) fn elsewhere(costs: &Costs<'_>, behind: &[u32], token: usize, place: usize) -> u32 {
    let grid = costs.grid;
    (0..grid.columns())
        .filter(|column| *column != place && grid.is_equal(token, *column))
        .map(|column| costs.at(token, column) + behind[column + 1])
        .min()
        .unwrap_or(NEVER)
}

/// Returns the runs of tokens between markers.
pub(super) fn segments(grid: &Grid) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, token) in grid.tokens.iter().enumerate() {
        if token.is_marker() {
            out.push(start..at);
            start = at + 1;
        }
    }
    out.push(start..grid.tokens.len());
    out
}

fn close(row: &mut [u32], deletion: &[u32], weight: u32) {
    for column in 1..row.len() {
        row[column] = row[column - 1] + deletion[column - 1] * weight;
    }
}

fn close_back(row: &mut [u32], deletion: &[u32]) {
    for column in (0..deletion.len()).rev() {
        row[column] = row[column + 1] + deletion[column];
    }
}
