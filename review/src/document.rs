//! What is shown of a plan or of an operation: notes, files, hunks, lines. Pure.
//!
//! Every text from outside is made visible here, so that nothing behind this module has to think of it.

use std::borrow::Cow;

use clada_protocol::{
    PlanResult, PlannedAction, PlannedFile, PlannedFileKind, ReportStyle, change_text, count_of,
    problems_text, visible_line, visible_path,
};

use crate::model::Model;

const LONGEST: usize = 20_000;
const PARTNERS: usize = 6;
const TITLE: usize = 100;
const TAB: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineSide {
    Both,
    Old,
    New,
    Note,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentLine {
    pub(crate) side: LineSide,
    /// Its number in the file before, from 1; of one that comes, in the file after.
    pub(crate) number: usize,
    pub(crate) new_number: usize,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DocumentPart {
    /// Its first line; empty if that of the file stands for it.
    pub(crate) head: String,
    pub(crate) unit: Option<usize>,
    pub(crate) notes: Vec<String>,
    pub(crate) lines: Vec<DocumentLine>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ViewSection {
    pub(crate) title: String,
    pub(crate) is_file: bool,
    pub(crate) is_failure: bool,
    pub(crate) parts: Vec<DocumentPart>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ViewDocument {
    pub(crate) notes: Vec<String>,
    pub(crate) sections: Vec<ViewSection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlankSigns {
    Plain,
    Shown,
}

impl ViewDocument {
    pub(crate) fn of_plan(model: &Model, style: &ReportStyle<'_>) -> ViewDocument {
        let plan = &model.plan;
        let beside = PlanResult {
            parse_errors: plan.parse_errors.clone(),
            not_read: plan.not_read.clone(),
            warnings: plan.warnings.clone(),
            ..PlanResult::default()
        };
        let mut notes: Vec<String> = problems_text(&beside, style).lines().map(str::to_owned).collect();
        if model.done > 0 {
            let done = count_of(model.done, "action");
            notes.push(format!("{done} done before and still in place: nothing to do for these."));
        }
        if plan.files.iter().any(|file| file.proposal.is_some()) {
            notes.push("What is proposed is applied only if you accept it (y).".to_owned());
        }
        let looks = plan.actions.iter().filter(|action| action.looks).count();
        if looks > 0 {
            notes.push(format!("{} only read; the report has their results.", count_of(looks, "action")));
        }
        let is_ordered = plan.actions.len() > 1 && plan.actions.iter().any(|action| action.command.is_some());
        if is_ordered {
            notes.push("It is applied in the order of its tasks, which are numbered here.".to_owned());
        }
        let mut sections: Vec<ViewSection> = model.failures().map(|action| failure(action, style)).collect();
        if !sections.is_empty() {
            let failed = count_of(sections.len(), "action");
            notes.push(format!("{failed} cannot be applied; Tab on its line shows why:"));
        }
        for (at, file) in plan.files.iter().enumerate() {
            let mut section = section(model, at, file, style);
            if is_ordered && file.proposal.is_none() {
                let units = section.parts.iter().filter_map(|part| part.unit);
                section.title.push_str(&format!(" · {}", model.tasks(units)));
            }
            sections.push(section);
        }
        for (at, unit) in &model.rest {
            let action = &plan.actions[*at];
            let text = change_text(action, &plan.approvals, style);
            let mut lines = text.lines();
            let title = lines.next().unwrap_or_default();
            let title = title.split_once(" PLANNED: ").map_or(title, |(_, title)| title);
            let title = match action.command.as_deref().map(title_of) {
                Some(command) => format!("task {}: {} - {command}", action.task, action.action),
                None if is_ordered => format!("task {}: {title}", action.task),
                None => title.to_owned(),
            };
            let part = DocumentPart {
                unit: Some(*unit),
                notes: lines.map(expanded).collect(),
                ..DocumentPart::default()
            };
            sections.push(ViewSection { title, parts: vec![part], ..ViewSection::default() });
        }
        ViewDocument { notes, sections }
    }

    pub(crate) fn of_diff(diff: &str, notes: Vec<String>) -> ViewDocument {
        let mut document = ViewDocument { notes, sections: Vec::new() };
        let (mut old, mut new, mut remaining) = (0, 0, (0, 0));
        for line in diff.lines() {
            let first = line.as_bytes().first().copied();
            let Some(section) = document.sections.last_mut() else {
                if let Some(title) = line.strip_prefix("diff ") {
                    document.sections.push(ViewSection::of_file(title));
                }
                continue;
            };
            match first {
                Some(b'-') if remaining.0 > 0 => {
                    section.push(LineSide::Old, old, 0, line);
                    (old, remaining.0) = (old + 1, remaining.0 - 1);
                }
                Some(b'+') if remaining.1 > 0 => {
                    section.push(LineSide::New, new, 0, line);
                    (new, remaining.1) = (new + 1, remaining.1 - 1);
                }
                Some(b' ') if remaining.0 > 0 && remaining.1 > 0 => {
                    section.push(LineSide::Both, old, new, line);
                    (old, new, remaining) = (old + 1, new + 1, (remaining.0 - 1, remaining.1 - 1));
                }
                Some(b'\\') => section.push(LineSide::Note, 0, 0, line),
                Some(b'@') => {
                    ((old, remaining.0), (new, remaining.1)) = ranges(line);
                    section.parts.push(DocumentPart {
                        head: visible_line(line).into_owned(),
                        ..DocumentPart::default()
                    });
                }
                Some(b'd') if line.starts_with("diff ") => document.sections.push(ViewSection::of_file(line)),
                _ => match line.strip_prefix("+++ b/").or(line.strip_prefix("--- a/")) {
                    // The lines that name the file are its title.
                    Some(path) => section.title = visible_path(path).into_owned(),
                    None if ["+++ /dev/null", "--- /dev/null"].contains(&line) => {}
                    None if line.starts_with("index ") => {}
                    None => section.title.push_str(&format!(" · {}", visible_line(line))),
                },
            }
        }
        document
            .sections
            .iter_mut()
            .flat_map(|section| &mut section.parts)
            .for_each(DocumentPart::make_visible);
        document
    }
}

impl DocumentPart {
    fn make_visible(&mut self) {
        let of = |side: LineSide| -> Vec<&str> {
            let lines = self.lines.iter().filter(|line| line.side == side);
            lines.map(|line| line.text.as_str()).collect()
        };
        let blanks = blanks(&of(LineSide::Old), &of(LineSide::New));
        for line in &mut self.lines {
            let blanks =
                if matches!(line.side, LineSide::Old | LineSide::New) { blanks } else { BlankSigns::Plain };
            line.text = shown(&line.text, blanks);
        }
    }
}

fn blanks(removed: &[impl AsRef<str>], added: &[impl AsRef<str>]) -> BlankSigns {
    fn words<T: AsRef<str>>(lines: &[T]) -> impl Iterator<Item = char> {
        lines.iter().flat_map(|line| line.as_ref().chars()).filter(|letter| !letter.is_whitespace())
    }
    if words(removed).eq(words(added)) { BlankSigns::Shown } else { BlankSigns::Plain }
}

impl ViewSection {
    fn of_file(title: &str) -> ViewSection {
        ViewSection { title: visible_line(title).into_owned(), is_file: true, ..ViewSection::default() }
    }

    fn push(&mut self, side: LineSide, number: usize, new_number: usize, line: &str) {
        if let Some(part) = self.parts.last_mut() {
            part.lines.push(DocumentLine { side, number, new_number, text: line[1..].to_owned() });
        }
    }
}

fn ranges(line: &str) -> ((usize, usize), (usize, usize)) {
    let mut sides = line.split(' ').skip(1).map(|side| {
        let side = side.trim_start_matches(['-', '+']);
        let (start, length) = side.split_once(',').unwrap_or((side, "1"));
        (start.parse().unwrap_or(0), length.parse().unwrap_or(0))
    });
    (sides.next().unwrap_or_default(), sides.next().unwrap_or_default())
}

fn section(model: &Model, at: usize, file: &PlannedFile, style: &ReportStyle<'_>) -> ViewSection {
    let whole = model.of_file[at];
    let is_crlf = is_crlf(file);
    let mut parts = Vec::new();
    let mut shift: isize = 0;
    for (hunk, unit) in file.hunks.iter().zip(&model.of_hunk[at]) {
        let blanks = blanks(&hunk.removed, &hunk.added);
        let new_start = hunk.start.saturating_add_signed(shift) + 1;
        let begin = hunk.start + 1;
        let (removed, added) = (hunk.removed.len(), hunk.added.len());
        let mut lines = Vec::with_capacity(removed + added + 6);
        let before = hunk.before.len();
        let first = (begin.saturating_sub(before), new_start.saturating_sub(before));
        push(&mut lines, LineSide::Both, first, &hunk.before, BlankSigns::Plain, is_crlf);
        push(&mut lines, LineSide::Old, (begin, 0), &hunk.removed, blanks, is_crlf);
        push(&mut lines, LineSide::New, (new_start, 0), &hunk.added, blanks, is_crlf);
        let after = (begin + removed, new_start + added);
        push(&mut lines, LineSide::Both, after, &hunk.after, BlankSigns::Plain, is_crlf);
        // As in a diff, a side without lines names the one before.
        let of = |start: usize, lines: usize| if lines == 0 { start - 1 } else { start };
        let head = format!("@@ -{},{removed} +{},{added} @@", of(begin, removed), of(new_start, added));
        parts.push(DocumentPart { head, unit: *unit, notes: Vec::new(), lines });
        shift += added.cast_signed() - removed.cast_signed();
    }
    let is_whole = parts.is_empty();
    if is_whole {
        parts.push(DocumentPart { unit: whole, ..DocumentPart::default() });
    }
    let mut annotated: Vec<usize> = Vec::new();
    for (nth, part) in parts.iter_mut().enumerate() {
        let Some(unit) = part.unit else { continue };
        if !annotated.contains(&unit) {
            annotated.push(unit);
            part.notes = notes(model, unit, style);
        }
        part.notes.extend(partners(model, unit, (at, nth)));
    }
    let notes = &mut parts[0].notes;
    let shown = file.about.iter().map(String::as_str).chain(file.diff.iter().flat_map(|diff| diff.lines()));
    notes.extend(shown.map(|line| visible_line(line).into_owned()));
    let has_text = matches!(file.kind, PlannedFileKind::Create | PlannedFileKind::Change);
    if is_whole && has_text && !file.truncated && file.diff.is_none() {
        notes.push("Its text is not shown: it is empty, not text, too large, or a secret.".to_owned());
    }
    let title = visible_line(&file.title).into_owned();
    ViewSection { title, is_file: true, is_failure: false, parts }
}

fn failure(action: &PlannedAction, style: &ReportStyle<'_>) -> ViewSection {
    let alone = PlanResult { actions: vec![action.clone()], ..PlanResult::default() };
    let text = problems_text(&alone, style);
    let (title, why) = text.split_once('\n').unwrap_or((&text, ""));
    let part = DocumentPart { notes: why.lines().map(expanded).collect(), ..DocumentPart::default() };
    ViewSection { title: title.to_owned(), is_file: false, is_failure: true, parts: vec![part] }
}

fn title_of(command: &str) -> String {
    let command = command.trim();
    let first: String = command.lines().next().unwrap_or_default().chars().take(TITLE).collect();
    let more = if first.len() < command.len() { " …" } else { "" };
    format!("{}{more}", visible_line(&first))
}

fn notes(model: &Model, unit: usize, style: &ReportStyle<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for approval in model.approvals(unit) {
        let text = clada_protocol::planned_approval_text(approval, style.root);
        notes.push("needs your approval (y asks):".to_owned());
        notes.extend(text.lines().map(expanded));
    }
    notes
}

fn partners(model: &Model, unit: usize, own: (usize, usize)) -> Option<String> {
    if model.units[unit].size < 2 {
        return None;
    }
    let hunks = model.of_hunk.iter().enumerate();
    let hunks =
        hunks.flat_map(|(file, units)| units.iter().enumerate().map(move |(nth, of)| (file, nth, of)));
    let others = hunks.filter(|(file, nth, of)| **of == Some(unit) && (*file, *nth) != own);
    let others: Vec<(usize, usize)> = others.map(|(file, nth, _)| (file, nth)).collect();
    let named = others.iter().take(PARTNERS).map(|(file, nth)| {
        let file = &model.plan.files[*file];
        format!("{} line {}", visible_path(&file.path), file.hunks[*nth].start + 1)
    });
    let mut named: Vec<String> = named.collect();
    if others.len() > PARTNERS {
        named.push(format!("and {} more", others.len() - PARTNERS));
    }
    Some(format!("goes together with {}: {}", count_of(others.len(), "other hunk"), named.join(", ")))
}

fn push(
    lines: &mut Vec<DocumentLine>,
    side: LineSide,
    first: (usize, usize),
    texts: &[String],
    blanks: BlankSigns,
    is_crlf: bool,
) {
    for (at, text) in texts.iter().enumerate() {
        let (bare, is_ended) = match text.strip_suffix('\n') {
            Some(bare) => (bare, true),
            None => (text.as_str(), false),
        };
        let bare = if is_crlf { bare.strip_suffix('\r').unwrap_or(bare) } else { bare };
        let (number, new_number) = (first.0 + at, first.1 + at);
        lines.push(DocumentLine { side, number, new_number, text: shown(bare, blanks) });
        if !is_ended && side != LineSide::Both {
            let text = "\\ No newline at end of file".to_owned();
            lines.push(DocumentLine { side: LineSide::Note, number: 0, new_number: 0, text });
        }
    }
}

/// Returns true if all lines of a file's hunks end in CRLF: then that is not worth showing.
fn is_crlf(file: &PlannedFile) -> bool {
    let mut lines = file.hunks.iter().flat_map(|hunk| hunk.removed.iter().chain(&hunk.added));
    lines.all(|line| line.ends_with("\r\n") || !line.ends_with('\n'))
}

fn shown(line: &str, blanks: BlankSigns) -> String {
    let (line, rest) = match line.char_indices().nth(LONGEST) {
        Some((end, _)) => (&line[..end], line[end..].chars().count()),
        None => (line, 0),
    };
    let mut text = String::with_capacity(line.len());
    for (at, piece) in line.split('\t').enumerate() {
        if at > 0 {
            let room = TAB - text.chars().count() % TAB;
            text.push_str(&match blanks {
                BlankSigns::Plain => " ".repeat(room),
                BlankSigns::Shown => format!("→{}", " ".repeat(room - 1)),
            });
        }
        let piece: Cow<'_, str> = drawable(visible_line(piece));
        match blanks {
            BlankSigns::Plain => text.push_str(&piece),
            BlankSigns::Shown => text.push_str(&piece.replace(' ', "·")),
        }
    }
    if rest > 0 {
        text.push_str(&format!(" … {rest} more characters are not shown"));
    }
    text
}

pub(crate) fn expanded(line: &str) -> String {
    if line.contains('\t') { shown(line, BlankSigns::Plain) } else { drawable(line.into()).into_owned() }
}

fn drawable(text: Cow<'_, str>) -> Cow<'_, str> {
    // Terminals do not agree on the width of flags.
    let is_of_flag = |character: &char| ('\u{1f1e6}'..='\u{1f1ff}').contains(character);
    if text.is_ascii() || !text.chars().any(|character| is_of_flag(&character)) {
        return text;
    }
    let mut drawn = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        match is_of_flag(&character) {
            true => drawn.extend(character.escape_unicode()),
            false => drawn.push(character),
        }
    }
    Cow::Owned(drawn)
}

pub(crate) fn is_empty(model: &Model) -> bool {
    model.plan.total_blocks == 0 && model.plan.parse_errors.is_empty() && model.units.is_empty()
}
