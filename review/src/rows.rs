//! A document as rows of a screen of some width: one above the other, or side by side. Pure.
//!
//! Long lines go on in the next row, so that nothing of a change lies beyond the edge of the screen.

use std::collections::BTreeSet;

use ratatui_core::style::Style;
use ratatui_core::text::Span;

use clada_client::review::wrapped;

use crate::document::{DocumentLine, DocumentPart, LineSide, ViewDocument, expanded};

pub(crate) const SIDE_BY_SIDE: usize = 100;
const GUTTER: usize = 7;
pub(crate) const GOES_ON: char = '¦';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Note,
    Report,
    Title,
    Head,
    Lines,
    CarryOut,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) side: LineSide,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ViewRow {
    pub(crate) kind: Kind,
    pub(crate) section: Option<usize>,
    pub(crate) part: Option<usize>,
    pub(crate) unit: Option<usize>,
    pub(crate) is_head: bool,
    pub(crate) left: Option<Cell>,
    pub(crate) right: Option<Cell>,
    pub(crate) is_pair: bool,
}

impl ViewRow {
    pub(crate) fn new(kind: Kind, text: String) -> ViewRow {
        let left = Some(Cell { side: LineSide::Both, text });
        ViewRow {
            kind,
            section: None,
            part: None,
            unit: None,
            is_head: false,
            left,
            right: None,
            is_pair: false,
        }
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.left, &self.right].into_iter().flatten().map(|cell| cell.text.as_str())
    }
}

pub(crate) fn of_text(text: &str, columns: usize) -> Vec<ViewRow> {
    wrapped_pieces(text, columns).map(|piece| ViewRow::new(Kind::Report, piece)).collect()
}

/// A foreign line goes on behind a mark, so that no piece of it passes for a line of our own.
pub(crate) fn wrapped_pieces(text: &str, columns: usize) -> impl Iterator<Item = String> {
    let room = columns.saturating_sub(2);
    let lines: Vec<String> = wrapped(text, room).lines().map(expanded).collect();
    lines.into_iter().flat_map(move |line| marked_pieces(&line, room))
}

fn marked_pieces(line: &str, columns: usize) -> Vec<String> {
    let indent = (line.len() - line.trim_start_matches(' ').len()).min(columns / 2);
    let mut pieces = pieces(line, columns);
    if pieces.len() > 1 {
        pieces = self::pieces(line, columns.saturating_sub(indent + 2));
        pieces[1..].iter_mut().for_each(|piece| piece.insert_str(0, &format!("{:indent$}{GOES_ON} ", "")));
    }
    pieces
}

pub(crate) fn of_document(
    document: &ViewDocument,
    folded: &BTreeSet<usize>,
    columns: usize,
    is_split: bool,
) -> Vec<ViewRow> {
    let mut rows = Vec::new();
    let notes = document.notes.iter().map(|note| format!("{note}\n")).collect::<String>();
    rows.extend(of_text(&notes, columns));
    for (at, section) in document.sections.iter().enumerate() {
        let begin = rows.len();
        let is_single = !section.is_failure && section.parts.len() == 1 && section.parts[0].head.is_empty();
        let mut lines = match section.is_failure {
            true => wrapped_pieces(&section.title, columns).collect(),
            false => marked_pieces(&expanded(&section.title), columns.saturating_sub(8)),
        }
        .into_iter();
        let mut title = ViewRow::new(Kind::Title, lines.next().unwrap_or_default());
        if is_single {
            (title.unit, title.is_head) = (section.parts[0].unit, true);
        } else {
            title.is_head = folded.contains(&at) && !section.is_failure;
        }
        rows.push(title);
        let indent = if section.is_failure { "" } else { "      " };
        rows.extend(lines.map(|line| ViewRow::new(Kind::Note, format!("{indent}{line}"))));
        if !folded.contains(&at) {
            for (nth, part) in section.parts.iter().enumerate() {
                let begin = rows.len();
                of_part(&mut rows, part, columns, is_split);
                rows[begin..].iter_mut().for_each(|row| row.part = Some(nth));
            }
        }
        rows[begin..].iter_mut().for_each(|row| row.section = Some(at));
    }
    rows
}

fn of_part(rows: &mut Vec<ViewRow>, part: &DocumentPart, columns: usize, is_split: bool) {
    let begin = rows.len();
    if !part.head.is_empty() {
        rows.push(ViewRow { is_head: true, ..ViewRow::new(Kind::Head, part.head.clone()) });
    }
    // All of them at once: what is a diff is known by the line that begins it.
    let notes: String = part.notes.iter().map(|note| format!("{note}\n")).collect();
    let pieces = wrapped_pieces(&notes, columns.saturating_sub(4));
    rows.extend(pieces.map(|piece| ViewRow::new(Kind::Note, format!("    {piece}"))));
    if is_split {
        side_by_side(rows, &part.lines, columns);
    } else {
        for line in &part.lines {
            rows.extend(
                cells(line, columns, true)
                    .map(|left| ViewRow { left: Some(left), ..ViewRow::new(Kind::Lines, String::new()) }),
            );
        }
    }
    rows[begin..].iter_mut().for_each(|row| row.unit = part.unit);
}

fn side_by_side(rows: &mut Vec<ViewRow>, lines: &[DocumentLine], columns: usize) {
    let half = columns.saturating_sub(4) / 2;
    let mut at = 0;
    while at < lines.len() {
        let run = |side: LineSide, from: usize| {
            let others =
                lines[from..].iter().position(|line| line.side != side && line.side != LineSide::Note);
            from + others.unwrap_or(lines.len() - from)
        };
        let (old, new) = match lines[at].side {
            LineSide::Both | LineSide::Note => ((at, at + 1), (at, at + 1)),
            LineSide::Old => {
                let middle = run(LineSide::Old, at);
                ((at, middle), (middle, run(LineSide::New, middle)))
            }
            LineSide::New => ((at, at), (at, run(LineSide::New, at))),
        };
        let side = |(from, to): (usize, usize), is_new: bool| -> Vec<Cell> {
            lines[from..to].iter().flat_map(|line| cells(line, half, is_new)).collect()
        };
        let (left, right) = (side(old, false), side(new, true));
        for row in 0..left.len().max(right.len()) {
            let cell = |cells: &[Cell]| cells.get(row).cloned();
            rows.push(ViewRow {
                left: cell(&left),
                right: cell(&right),
                is_pair: true,
                ..ViewRow::new(Kind::Lines, String::new())
            });
        }
        at = old.1.max(new.1);
    }
}

fn cells(line: &DocumentLine, columns: usize, is_new: bool) -> impl Iterator<Item = Cell> {
    let side = line.side;
    let sign = match side {
        LineSide::Both | LineSide::Note => ' ',
        LineSide::Old => '-',
        LineSide::New => '+',
    };
    let number = match side {
        LineSide::Note => String::new(),
        LineSide::Both if is_new => line.new_number.to_string(),
        _ => line.number.to_string(),
    };
    let goes_on = GOES_ON.to_string();
    pieces(&line.text, columns.saturating_sub(GUTTER + 2)).into_iter().enumerate().map(move |(at, piece)| {
        let number = if at == 0 { &number } else { &goes_on };
        Cell { side, text: format!("{number:>5} {sign}{piece}") }
    })
}

pub(crate) fn pieces(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut pieces = Vec::new();
    if text.len() <= columns {
        pieces.push(text.to_owned());
    } else {
        let (mut piece, mut width) = (String::new(), 0);
        for grapheme in Span::raw(text).styled_graphemes(Style::new()) {
            let wide = Span::raw(grapheme.symbol).width();
            if width + wide > columns && !piece.is_empty() {
                pieces.push(std::mem::take(&mut piece));
                width = 0;
            }
            piece.push_str(grapheme.symbol);
            width += wide;
        }
        pieces.push(piece);
    }
    pieces
}
