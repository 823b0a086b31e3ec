//! Something to look at and to move in: rows, a cursor, folds. Knows no daemon.

use std::collections::BTreeSet;

use clada_protocol::{ApprovalListResult, HistoryListResult, HistoryShowResult};

use crate::document::ViewDocument;
use crate::model::Model;
use crate::rows::{Kind, SIDE_BY_SIDE, ViewRow, of_document, of_text};

#[derive(Debug)]
pub(crate) enum ViewSubject {
    Plan(Box<Model>),
    Operation(Box<HistoryShowResult>),
    Home(HistoryListResult, ApprovalListResult),
    Report(Option<String>),
    Text,
}

#[derive(Debug)]
pub(crate) enum ViewContent {
    Document(ViewDocument),
    Text(String),
    List(Vec<(Option<usize>, String)>),
}

#[derive(Debug)]
pub(crate) struct View {
    pub(crate) subject: ViewSubject,
    pub(crate) title: String,
    pub(crate) content: ViewContent,
    pub(crate) rows: Vec<ViewRow>,
    pub(crate) cursor: usize,
    pub(crate) top: usize,
    folded: BTreeSet<usize>,
    is_unified: bool,
    size: (usize, usize),
}

impl View {
    pub(crate) fn new(subject: ViewSubject, title: String, content: ViewContent) -> View {
        let failures = |document: &ViewDocument| {
            let sections = document.sections.iter().enumerate();
            sections.filter(|(_, section)| section.is_failure).map(|(at, _)| at).collect()
        };
        let folded = match &content {
            ViewContent::Document(document) => failures(document),
            _ => BTreeSet::new(),
        };
        View {
            subject,
            title,
            content,
            rows: Vec::new(),
            cursor: 0,
            top: 0,
            folded,
            is_unified: false,
            size: (0, 0),
        }
    }

    pub(crate) fn fit(&mut self, size: (usize, usize)) {
        let is_new = self.rows.is_empty();
        if self.size.0 != size.0 || is_new {
            self.size = size;
            self.lay_out();
        }
        self.size = size;
        // No row of the screen stays empty while there is something above.
        self.top = self.top.min(self.rows.len().saturating_sub(size.1));
        if is_new && self.cursor == 0 {
            self.begin();
        }
        self.show_cursor();
    }

    /// Puts the cursor on what can be decided about first, if all that stands above it stays on the screen.
    fn begin(&mut self) {
        let first = self.rows.iter().find(|row| row.unit.is_some()).and_then(|row| row.section);
        self.cursor = first.map_or(0, |section| self.title_of(section));
        self.show_cursor();
        if self.top > 0 {
            (self.cursor, self.top) = (0, 0);
        }
    }

    pub(crate) fn lay_out(&mut self) {
        // What the cursor is at: of a list the item, else the part of a section, or its title.
        let place = |row: &ViewRow| {
            let is_item = row.section.is_none() && row.kind == Kind::Report;
            (row.section, row.part, row.kind == Kind::CarryOut, row.unit.filter(|_| is_item))
        };
        let before = self.row().map(place);
        let columns = self.size.0;
        self.rows = match &self.content {
            ViewContent::Document(document) => {
                let is_split = columns >= SIDE_BY_SIDE && !self.is_unified;
                of_document(document, &self.folded, columns, is_split)
            }
            ViewContent::Text(text) => of_text(text, columns),
            ViewContent::List(items) => items
                .iter()
                .map(|(item, text)| ViewRow {
                    unit: *item,
                    is_head: item.is_some(),
                    ..ViewRow::new(Kind::Report, clada_client::review::cut(text, columns.saturating_sub(3)))
                })
                .collect(),
        };
        if matches!(self.subject, ViewSubject::Plan(_)) {
            self.rows.push(ViewRow { is_head: true, ..ViewRow::new(Kind::CarryOut, String::new()) });
        }
        // In what is before all of them, the cursor stays at its row; in what is folded now, it goes to the title.
        if let Some(before) = before.filter(|before| *before != (None, None, false, None)) {
            let same = |row: &ViewRow| place(row) == before;
            let of_section = |row: &ViewRow| row.section.is_some() && row.section == before.0;
            let row = self.rows.iter().position(same);
            let row = row.or_else(|| self.rows.iter().position(of_section));
            self.cursor = row.unwrap_or(self.cursor);
        }
        self.show_cursor();
    }

    pub(crate) fn show_cursor(&mut self) {
        let height = self.size.1.max(1);
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        let begun = self.rows.get(self.cursor).is_some_and(|row| row.is_head);
        let next =
            self.rows.iter().skip(self.cursor + 1).position(|row| row.is_head || row.kind == Kind::Title);
        let length = if begun { next.map_or(1, |rows| rows + 1).min(height) } else { 1 };
        self.top = self.top.min(self.cursor).max((self.cursor + length).saturating_sub(height));
    }

    fn show_section(&mut self) {
        let Some(row) = self.row() else { return };
        let is_title = row.kind == Kind::Title;
        let ends = |row: &ViewRow| match row.kind {
            Kind::Title | Kind::CarryOut => true,
            _ => row.is_head && !is_title,
        };
        let end = self.rows.iter().skip(self.cursor + 1).position(ends);
        let end = end.map_or(self.rows.len(), |at| self.cursor + 1 + at);
        if self.cursor < self.top || end > self.top + self.size.1 {
            self.top = self.cursor.saturating_sub(1).min(self.rows.len().saturating_sub(self.size.1));
        }
        self.show_cursor();
    }

    pub(crate) fn row(&self) -> Option<&ViewRow> {
        self.rows.get(self.cursor)
    }

    pub(crate) fn step(&mut self, rows: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        self.show_cursor();
    }

    pub(crate) fn page(&mut self, half_pages: isize) {
        let half = (self.size.1 / 2).max(1).cast_signed();
        self.top = self.top.saturating_add_signed(half * half_pages);
        self.top = self.top.min(self.rows.len().saturating_sub(self.size.1));
        self.step(half * half_pages);
    }

    pub(crate) fn go(&mut self, is_forward: bool, is_wanted: impl Fn(&ViewRow) -> bool) -> bool {
        let rows = self.rows.iter().enumerate();
        let target = match is_forward {
            true => rows.skip(self.cursor + 1).find(|(_, row)| is_wanted(row)),
            false => rows.take(self.cursor).filter(|(_, row)| is_wanted(row)).last(),
        };
        let target = target.map(|(at, _)| at);
        if let Some(at) = target {
            self.cursor = at;
            self.show_section();
        }
        target.is_some()
    }

    pub(crate) fn find(&mut self, words: &str, is_forward: bool) -> bool {
        let words = words.to_lowercase();
        let holds = |row: &ViewRow| row.texts().any(|text| text.to_lowercase().contains(&words));
        if self.go(is_forward, holds) {
            return true;
        }
        let from = self.cursor;
        self.cursor = if is_forward { 0 } else { self.rows.len() };
        let is_there = (is_forward && self.rows.first().is_some_and(holds)) || self.go(is_forward, holds);
        if !is_there {
            self.cursor = from;
        }
        self.show_cursor();
        is_there
    }

    pub(crate) fn fold(&mut self) {
        let Some(section) = self.row().and_then(|row| row.section) else { return };
        if !self.folded.remove(&section) {
            self.folded.insert(section);
        }
        self.lay_out();
        self.cursor = self.title_of(section);
        self.show_cursor();
    }

    pub(crate) fn unfold(&mut self) {
        let section = self.row().and_then(|row| row.section);
        if !std::mem::take(&mut self.folded).is_empty() {
            self.lay_out();
            self.cursor = section.map_or(self.cursor, |section| self.title_of(section));
        }
    }

    pub(crate) fn is_folded(&self, section: usize) -> bool {
        self.folded.contains(&section)
    }

    fn title_of(&self, section: usize) -> usize {
        let is_title = |row: &ViewRow| row.kind == Kind::Title && row.section == Some(section);
        self.rows.iter().position(is_title).unwrap_or(0)
    }

    /// `false` if there is no room for two sides.
    pub(crate) fn turn(&mut self) -> bool {
        self.is_unified = !self.is_unified;
        self.lay_out();
        self.size.0 >= SIDE_BY_SIDE
    }

    /// Returns the units that the row of the cursor decides about: on the title of a file all of its.
    pub(crate) fn units(&self) -> Vec<usize> {
        let Some(row) = self.row() else { return Vec::new() };
        match (row.unit, row.kind, row.section, &self.content) {
            (Some(unit), ..) => vec![unit],
            (None, Kind::Title, Some(section), ViewContent::Document(document)) => {
                units_of(document, section)
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn units_below(&self) -> Vec<usize> {
        let ViewContent::Document(document) = &self.content else { return Vec::new() };
        let from = self.row().and_then(|row| row.section).unwrap_or(0);
        let mut units = self.units();
        units.extend(self.rows.iter().skip(self.cursor).filter_map(|row| row.unit));
        // What is folded has no rows.
        let folded = self.folded.iter().filter(|section| **section >= from);
        units.extend(folded.flat_map(|section| units_of(document, *section)));
        units
    }
}

pub(crate) fn units_of(document: &ViewDocument, section: usize) -> Vec<usize> {
    document.sections[section].parts.iter().filter_map(|part| part.unit).collect()
}
