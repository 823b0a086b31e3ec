//! Draws the state on a buffer of cells. Nothing needs colours to be understood: signs and words say it all.

use std::time::Instant;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Span;

use clada_client::review::{cut, wrapped};
use clada_protocol::{count_of, visible_line};

use crate::app::App;
use crate::document::{LineSide, ViewSection, expanded};
use crate::model::{Consent, Model};
use crate::popup::Popup;
use crate::rows::{Cell, GOES_ON, Kind, ViewRow, wrapped_pieces};
use crate::view::{View, ViewContent, ViewSubject, units_of};

const LEAST: (u16, u16) = (20, 5);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette(pub(crate) bool);

impl Palette {
    fn of(self, colour: Color) -> Style {
        if self.0 { Style::new().fg(colour) } else { Style::new() }
    }

    fn side(self, side: LineSide) -> Style {
        match side {
            LineSide::Both => Style::new(),
            LineSide::Old => self.of(Color::Red),
            LineSide::New => self.of(Color::Green),
            LineSide::Note => self.of(Color::Yellow),
        }
    }

    fn report(self, text: &str) -> Style {
        if text.starts_with("[task-") && text.contains("] SUCCESS") {
            self.of(Color::Green)
        } else if ["ERROR", "FATAL", "WARNING"].iter().any(|word| text.starts_with(word))
            || (text.starts_with("[task-") && !text.contains(":exec]"))
        {
            self.of(Color::Yellow)
        } else {
            Style::new()
        }
    }
}

pub(crate) fn draw(app: &mut App, buffer: &mut Buffer, palette: Palette, now: Instant) -> Option<Position> {
    let area = buffer.area;
    if area.width < LEAST.0 || area.height < LEAST.1 {
        put(buffer, 0, 0, "too small", Style::new());
        // Nothing of a question is shown.
        if let Some(popup) = &mut app.popup {
            popup.show(1, 0, (0, 0));
        }
        return None;
    }
    let columns = usize::from(area.width);
    let note = note(app, columns - 1);
    let keys_at = area.height - 1;
    let below = keys_at - u16::try_from(note.len()).unwrap_or(0).min(keys_at / 3);
    let carried = app.has_carried();
    if let Some(view) = app.views.last_mut() {
        let above = 1 + usize::from(matches!(view.content, ViewContent::Document(_)));
        let height = usize::from(below) - above;
        view.fit((columns, height));
        title(view, &app.source, buffer);
        if above > 1 {
            put(buffer, 2, 1, &cut(&place(view), columns - 2), Style::new().add_modifier(Modifier::DIM));
        }
        for (y, at) in (view.top..view.rows.len().min(view.top + height)).enumerate() {
            row(view, at, (y + above, carried), buffer, palette, &app.words);
        }
    } else {
        put(buffer, 0, 0, &cut(&format!("clada review · {}", app.source), columns), Style::new().bold());
    }
    let line = footer(app, now);
    put(buffer, 0, keys_at, &cut(&line, columns - 1), Style::new().add_modifier(Modifier::REVERSED));
    fill(buffer, keys_at, Style::new().add_modifier(Modifier::REVERSED));
    for (y, line) in (below..keys_at).zip(&note) {
        put(buffer, 0, y, &format!("{line:<columns$}"), Style::new().bold());
    }
    if let Some(popup) = &mut app.popup {
        question(popup, buffer, below);
    }
    let width = Span::raw(line.as_str()).width().min(columns - 1);
    app.typed.as_ref().map(|_| Position::new(u16::try_from(width).unwrap_or(0), keys_at))
}

fn note(app: &App, columns: usize) -> Vec<String> {
    match app.busy {
        None if !app.note.is_empty() => wrapped_pieces(&app.note, columns + 2).collect(),
        _ => Vec::new(),
    }
}

fn place(view: &View) -> String {
    let (ViewContent::Document(document), Some(row)) = (&view.content, view.row()) else {
        return String::new();
    };
    let Some(at) = row.section else { return String::new() };
    let section = &document.sections[at];
    let mut parts = Vec::new();
    let changes = |sections: &[ViewSection]| -> usize {
        sections.iter().filter(|section| !section.is_failure).map(|section| section.parts.len()).sum()
    };
    let nth = if section.parts.len() == 1 { Some(0) } else { row.part };
    if let Some(nth) = nth.filter(|_| !section.is_failure) {
        let before = changes(&document.sections[..at]) + nth + 1;
        parts.push(format!("change {before} of {}", changes(&document.sections)));
    }
    if section.is_file {
        let files = |sections: &[ViewSection]| sections.iter().filter(|section| section.is_file).count();
        parts.push(format!("file {} of {}", files(&document.sections[..=at]), files(&document.sections)));
    }
    parts.push(section.title.clone());
    parts.join(" · ")
}

fn put(buffer: &mut Buffer, x: usize, y: u16, text: &str, style: Style) {
    let Ok(x) = u16::try_from(x) else { return };
    if x < buffer.area.width && y < buffer.area.height {
        buffer.set_stringn(x, y, expanded(text), usize::from(buffer.area.width - x), style);
    }
}

fn fill(buffer: &mut Buffer, y: u16, style: Style) {
    buffer.set_style(Rect::new(0, y, buffer.area.width, 1), style);
}

fn title(view: &View, source: &str, buffer: &mut Buffer) {
    let columns = usize::from(buffer.area.width);
    let place = format!("{}/{}", view.cursor + 1, view.rows.len());
    let text = match &view.subject {
        ViewSubject::Plan(model) => {
            let (selected, all) = model.count();
            let waits = (0..model.units.len()).filter(|unit| sign(model, &[*unit]) == "[!]").count();
            let counts = [(model.failures().count(), "cannot"), (waits, "to approve")];
            let notes: String = counts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!(" · {count} {what}"))
                .collect();
            format!("clada review · {selected} of {all} changes{notes} · {source}")
        }
        _ => format!("clada review · {}", view.title),
    };
    let style = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    put(buffer, 0, 0, &cut(&text, columns.saturating_sub(place.len() + 2)), style);
    put(buffer, columns.saturating_sub(place.len()), 0, &place, style);
    fill(buffer, 0, style);
}

fn sign(model: &Model, units: &[usize]) -> &'static str {
    let selected = units.iter().filter(|unit| model.is_wanted(**unit)).count();
    let waits = model.unanswered(units).is_some();
    match selected {
        _ if waits => "[!]",
        0 => "[ ]",
        count if count == units.len() => "[x]",
        _ => "[-]",
    }
}

fn row(
    view: &View,
    at: usize,
    (y, carried): (usize, bool),
    buffer: &mut Buffer,
    palette: Palette,
    words: &str,
) {
    let (row, columns) = (&view.rows[at], usize::from(buffer.area.width));
    let Ok(y) = u16::try_from(y) else { return };
    let is_here = at == view.cursor;
    put(buffer, 0, y, if is_here { ">" } else { " " }, Style::new().bold());
    let text = row.left.as_ref().map_or("", |cell| cell.text.as_str());
    let is_left_out = match &view.subject {
        ViewSubject::Plan(model) => row.unit.is_some_and(|unit| sign(model, &[unit]) == "[ ]"),
        _ => false,
    };
    match row.kind {
        Kind::Note => put(buffer, 2, y, text, palette.of(Color::Yellow)),
        Kind::Report => put(buffer, 2, y, text, palette.report(text)),
        Kind::Title | Kind::Head => {
            let style = if row.kind == Kind::Title { Style::new().bold() } else { palette.of(Color::Cyan) };
            put(buffer, 2, y, &headline(view, row), style);
        }
        Kind::CarryOut => put(buffer, 2, y, &carry_out(view, carried), Style::new().bold()),
        Kind::Lines => {
            let middle = 2 + (columns.saturating_sub(4)) / 2;
            let cell = |buffer: &mut Buffer, x: usize, cell: &Option<Cell>| {
                let Some(cell) = cell else { return };
                put(buffer, x, y, &cell.text, palette.side(cell.side));
            };
            cell(buffer, 1, &row.left);
            if row.is_pair {
                put(buffer, middle - 1, y, "|", Style::new().add_modifier(Modifier::DIM));
                cell(buffer, middle, &row.right);
            }
        }
    }
    if is_left_out {
        buffer.set_style(Rect::new(0, y, buffer.area.width, 1), Style::new().add_modifier(Modifier::DIM));
    }
    mark(buffer, y, words);
    if is_here {
        fill(buffer, y, Style::new().add_modifier(Modifier::REVERSED));
    }
}

fn mark(buffer: &mut Buffer, y: u16, words: &str) {
    if words.is_empty() {
        return;
    }
    let symbols: Vec<String> =
        (0..buffer.area.width).map(|x| buffer[(x, y)].symbol().to_lowercase()).collect();
    let line = symbols.concat();
    for (begin, hit) in line.match_indices(&words.to_lowercase()) {
        let mut passed = 0;
        for (x, symbol) in symbols.iter().enumerate() {
            if passed >= begin && passed < begin + hit.len() {
                let style = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
                buffer.set_style(Rect::new(u16::try_from(x).unwrap_or(0), y, 1, 1), style);
            }
            passed += symbol.len();
        }
    }
}

fn headline(view: &View, row: &ViewRow) -> String {
    let text = row.left.as_ref().map_or_else(String::new, |cell| cell.text.clone());
    let ViewContent::Document(document) = &view.content else { return text };
    let section = row.section.unwrap_or(0);
    let units = match (row.unit, row.kind) {
        (Some(unit), _) => vec![unit],
        (None, Kind::Title) => units_of(document, section),
        _ => Vec::new(),
    };
    let hunks = document.sections[section].parts.len();
    let is_title = row.kind == Kind::Title;
    let mut after = String::new();
    if is_title && document.sections[section].is_file && hunks > 1 {
        after.push_str(&format!(" · {hunks} hunks"));
    }
    if is_title && view.is_folded(section) && !document.sections[section].is_failure {
        after.push_str(" · folded");
    }
    // What says most comes first: it is the end that has no room.
    let mut words = String::new();
    let ViewSubject::Plan(model) = &view.subject else { return text + &after };
    if units.iter().any(|unit| model.units[*unit].is_new) {
        words.push_str("new · ");
    }
    if let Some(operation) = units.iter().find_map(|unit| model.units[*unit].ran.as_ref()) {
        words.push_str(&format!("ran in {} · ", visible_line(operation)));
    }
    let consents = units.iter().flat_map(|unit| model.approvals(*unit));
    if consents
        .into_iter()
        .any(|approval| model.consents.get(&approval.id).is_some_and(|consent| *consent != Consent::No))
    {
        words.push_str("approved · ");
    }
    let sign = if units.is_empty() { String::new() } else { format!("{} ", sign(model, &units)) };
    format!("{sign}{words}{text}{after}")
}

fn carry_out(view: &View, carried: bool) -> String {
    let ViewSubject::Plan(model) = &view.subject else { return String::new() };
    let (selected, all) = model.count();
    let again = if carried { " again" } else { "" };
    format!("Apply{again}: {selected} of {all} changes (Enter, or ZZ anywhere)")
}

fn footer(app: &App, now: Instant) -> String {
    if let Some(typed) = &app.typed {
        return format!("/{typed}");
    }
    if let Some(busy) = &app.busy {
        let seconds = now.saturating_duration_since(busy.since).as_secs();
        let stops = if app.is_carrying() { ", Ctrl-C cancels" } else { "" };
        let note = if app.note.is_empty() { String::new() } else { format!(" · {}", app.note) };
        return format!("{}: {seconds} s{stops}{note}", busy.what);
    }
    if app.popup.is_some() {
        return "j k Space b g G scroll · Esc back".to_owned();
    }
    match app.views.last().map(|view| &view.subject) {
        Some(ViewSubject::Plan(_)) => "y n a x decide · ZZ apply · / find · ? help · q quit",
        Some(ViewSubject::Home(..)) => "Enter opens · u undo · / find · ? help · q leaves",
        Some(ViewSubject::Operation(_)) => "u undo it · / find · ? help · q back",
        Some(ViewSubject::Report(Some(_))) => "q leave · u undo it · r what is left · ? help",
        Some(ViewSubject::Report(None)) => "q leave · r what is left · ? help",
        Some(ViewSubject::Text) => "q back",
        None => "q leave",
    }
    .to_owned()
}

fn question(popup: &mut Popup, buffer: &mut Buffer, below: u16) {
    let area = buffer.area;
    let columns = usize::from(area.width);
    let lines: Vec<String> = wrapped_pieces(&popup.text, columns).collect();
    let keys: Vec<String> = wrapped(&popup.keys(), columns - 2).lines().map(str::to_owned).collect();
    let most = usize::from(below).saturating_sub(keys.len() + 2);
    let shown = lines.len().min(most);
    let first = popup.show(lines.len(), shown, (area.width, area.height));
    let height = (shown + keys.len() + 1).min(usize::from(below));
    let Ok(height) = u16::try_from(height) else { return };
    let top = below - height;
    let below = Rect::new(0, top, area.width, height);
    for position in below.positions() {
        buffer[position].reset();
    }
    let rule = match (first, lines.len() - shown - first) {
        (0, 0) => String::new(),
        (_, 0) => " the end: k, b go back ".to_owned(),
        (_, more) => format!(" {} below: Space, j, G ", count_of(more, "more line")),
    };
    put(buffer, 0, top, &format!("{rule:─<columns$}"), Style::new().bold());
    let lines = lines[first..first + shown].iter().map(|line| (line, Style::new()));
    let keys = keys.iter().map(|line| (line, Style::new().bold()));
    for (y, (line, style)) in (top + 1..).zip(lines.chain(keys)) {
        let text = line.strip_prefix("    ").unwrap_or_default();
        let is_code = text.starts_with("| ") || text.starts_with(GOES_ON);
        put(buffer, 1, y, line, if is_code { style.bold() } else { style });
    }
}
