//! aider: SEARCH/REPLACE blocks, of aider and its kin.
//!
//! A block is one edit of one file (spec: foreign-dialects, section 1). Input is its head and a cursor after
//! it; the file's name is above the head, on it, or is that of the block before. Knows the grammar alone: the
//! code that has the file decides whether the lines are found in it, and how exactly.
//!
//! ````text
//! src/main.py
//! ```python
//! <<<<<<< SEARCH
//! old
//! =======
//! new
//! >>>>>>> REPLACE
//! ```
//! ````
//!
//! `------- SEARCH` and `+++++++ REPLACE` (Cline), `ORIGINAL` and `UPDATED` (old aider), `SEARCH line=4`
//! (Zed) and lines like `:start_line:4` (Roo) are read, too. The markers that git leaves in a file
//! (`<<<<<<< HEAD`) open nothing.
//!
//! A block whose markers can be read in two ways is broken as a whole, up to the last line that may be its
//! end, so that nothing in it is taken for a block of its own.

mod above;
mod body;
mod halves;
mod marker;

use std::ops::ControlFlow;

use clada_schema::{IfExists, RawAction, RawField, Terms};

use above::Above;
use body::{Body, Unparted};
use halves::{Halves, LastFence};
use marker::{Head, Rest};

use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::fence::Fence;
use crate::file_name::{may_hold_fences, other_mentioned};
use crate::findings::{Fault, Findings};
use crate::reader::{BlockReader, DialectRules};
use crate::{Block, Choice, Code, Dialect, Policy};

const NAME_PLACE: &str =
    "The file name must stand alone on the line before the opening fence, or directly before <<<<<<< SEARCH";

const MAX_OTHER_FILES: usize = 5;

const STRAY: usize = 5;

pub(crate) static RULES: DialectRules = DialectRules {
    opens: |line, after, _| opens(line, after),
    would_open: |_, _| false,
    is_marker: marker::is_usual,
    reads_fences: false,
    reader: |_, _| Box::new(AiderReader::default()),
};

#[derive(Debug, Default)]
struct Memory<'a> {
    /// The path of the block before, and the byte of the text at which that block ends.
    last: Option<(RawField<'a>, usize)>,
    /// The path before that, if that one is a word that may be prose.
    before: Option<RawField<'a>>,
}

#[derive(Debug, Default)]
struct Strays {
    divider: Option<usize>,
}

#[derive(Debug, Default)]
struct AiderReader<'a> {
    memory: Memory<'a>,
    strays: Strays,
}

impl<'a> BlockReader<'a> for AiderReader<'a> {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        _around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        claim(first, cursor, &mut self.memory, findings);
        ControlFlow::Continue(())
    }

    fn text(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
        self.strays.line(line, findings);
        ControlFlow::Continue(())
    }

    fn start_again(&mut self, _choice: &Choice) {
        *self = AiderReader::default();
    }
}

impl Strays {
    fn line(&mut self, line: &Line<'_>, findings: &mut Findings<'_>) {
        // A divider and then a tail are the remains of a block without a head.
        if !findings.dialects.contains(Dialect::Aider) {
            return;
        }
        if marker::divider(line.text).is_some_and(|length| length >= STRAY) {
            self.divider = Some(line.start);
        } else if marker::tail(line.text).is_some_and(|length| length >= STRAY)
            && let Some(divider) = self.divider.take()
            && findings.claimed().is_none_or(|end| end <= divider)
        {
            let message =
                "REPLACE without a SEARCH before it: the lines above are not a block and are not applied";
            findings.report(line, line.whole(), Fault::error(Code::UnexpectedMarker, message, None));
        }
    }
}

fn opens(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    // A unified diff may be of a file called SEARCH.
    let diff = || after.clone().next_line().is_some_and(|next| next.text.starts_with("+++ "));
    marker::head(line.text).is_some() && !(line.text.starts_with("--- ") && diff())
}

fn claim<'a>(first: Line<'a>, cursor: &mut Cursor<'a>, memory: &mut Memory<'a>, findings: &mut Findings<'a>) {
    let Some(head) = marker::head(first.text) else { return };
    let above = Above::read(cursor.text(), findings.claimed(), &first);
    let start = cursor.position();
    // In a file that may hold fences, a closing fence may be content and so cannot end the block.
    let fences_end = nearest_name(&head, &above, memory).is_some_and(|path| !may_hold_fences(path));
    let mut body = Body::read(head.length, fences_end, cursor, findings);
    if fences_end {
        body.end_at_fence(cursor, findings);
    }
    let last = match (body.tail, body.forgotten) {
        (Some((tail, _)), _) => tail,
        (None, Some((closing, _))) => closing.end_of_previous(cursor.text()),
        (None, None) => cursor.clone().finish().end_of_previous(cursor.text()),
    };
    let halves = parted(&body).map(|(divider, tail)| {
        let text = cursor.text();
        let past_divider = Cursor::at(text, divider.start, divider.number, cursor.breaks).after_line();
        let indent = &first.text[..first.text.len() - first.text.trim_start().len()];
        let markers = [divider.text, tail.text];
        let indent = Some(above.indent_of_block(indent))
            .filter(|own| markers.iter().all(|line| line.starts_with(own)));
        Halves::new(&text[start..divider.start], &text[past_divider..tail.start], indent.unwrap_or_default())
    });
    let makes_file = halves.as_ref().is_ok_and(Halves::makes_file);
    let path = path(&first, &head, above, makes_file, memory, cursor.text());
    let (path, before) = match path {
        Ok(named) => (Ok(named.path), named.before),
        Err(message) => (Err(message), None),
    };
    memory.before = before;
    let mut sound = true;
    let mut faults = Vec::new();
    if head.rest == Rest::Unknown {
        let message =
            "What follows SEARCH is neither a file name nor a line (line=12); nothing else may be there";
        faults.push((first, Code::MalformedMarker, message.to_owned()));
    }
    if let Err(message) = &path {
        faults.push((first, Code::MissingFile, message.clone()));
    }
    if let Err((line, code, message)) = &halves {
        let line = line.unwrap_or_else(|| cursor.clone().finish());
        let of = path.as_ref().map(|path| format!("'{}': ", path.value)).unwrap_or_default();
        let own = path.as_ref().map(|path| path.value.as_ref()).unwrap_or_default();
        let others = swallowed(&cursor.text()[start..last.end().max(start)], own);
        let also = match &others[..] {
            [] => String::new(),
            others => format!("; nor is what follows for '{}'", others.join("', '")),
        };
        faults.push((line, *code, format!("{of}{message}{also}")));
    }
    for (line, code, message) in faults {
        sound = false;
        findings.report(&line, line.whole(), Fault::error(code, message, None));
    }
    let path = path.ok();
    memory.last = path.clone().map(|path| (path, last.end()));
    let mut action = RawAction { name: Some("file_patch".into()), ..RawAction::default() };
    if let (Ok(mut halves), Some(path)) = (halves, &path) {
        if let Rest::Stated { line: Some(line), .. } = head.rest {
            halves.line_hint = Some(line);
        }
        if let (Err(message), Some((tail, _))) = (trim(&mut halves, &path.value, cursor, findings), body.tail)
        {
            sound = false;
            findings.report(&tail, tail.whole(), Fault::error(Code::AmbiguousBlock, message, None));
        }
        if makes_file {
            action.terms = Terms { if_exists: IfExists::Fail, ..Terms::default() };
        }
        action.hunks.push(halves.into_hunk(head.length));
    }
    action.fields.extend(path);
    if let Some(before) = &memory.before {
        findings.doubt(before.value.clone().into_owned());
    }
    findings.block(Block {
        dialect: Dialect::Aider,
        id: None,
        start_line: first.number,
        end_line: body.tail.map(|(tail, _)| tail.number),
        source: first.start..last.end(),
        policy: Policy::Each,
        actions: vec![action],
        members: Vec::new(),
        named_at: None,
        sound,
    });
}

/// Returns the files other than `own` whose names are alone or before a fence or a head in `text`, the lines
/// of a broken block.
fn swallowed<'t>(text: &'t str, own: &str) -> Vec<&'t str> {
    let opens = |line: &str| marker::head(line).is_some() || Fence::opened_by(line).is_some();
    let is_name = |line: &str, next: &str| opens(next) || line.split_whitespace().count() == 1;
    let mut names: Vec<&str> = Vec::new();
    for (line, _) in text.lines().zip(text.lines().skip(1)).filter(|(line, next)| is_name(line, next)) {
        let name = other_mentioned(line, own)
            .filter(|name| line.split_whitespace().count() < 4 && !names.contains(name));
        names.extend(name.filter(|_| names.len() < MAX_OTHER_FILES));
    }
    names
}

fn nearest_name<'n>(head: &'n Head<'_>, above: &'n Above<'_>, memory: &'n Memory<'_>) -> Option<&'n str> {
    match (&head.rest, &above.name, &memory.last) {
        (Rest::Stated { path: Some(name), .. }, ..) | (_, Some((name, _)), _) => Some(&name.path),
        (.., Some((path, _))) => Some(&path.value),
        _ => None,
    }
}

/// Removes from `halves` what belongs to the fences around them, or returns why that is not clear; `cursor`
/// is after the block.
fn trim(
    halves: &mut Halves<'_>,
    path: &str,
    cursor: &Cursor<'_>,
    findings: &mut Findings<'_>,
) -> Result<(), &'static str> {
    halves.unwrap(path);
    let next = cursor.clone().next_line();
    let closed_after = next.is_some_and(|line| findings.fence.is_closed_by(line.text));
    match halves.take_closing_fence(path, findings.fence, closed_after) {
        LastFence::Unclear => {
            return Err(
                "The fence before REPLACE may be content or close the fence around the block: put the block in a \
                        longer fence (````), or repeat the lines of the file around a fence that is content",
            );
        }
        LastFence::Taken if !closed_after => findings.fence.leave(),
        LastFence::Taken | LastFence::None => {}
    }
    Ok(())
}

/// Returns the divider and the tail of `body`, or its fault and the line of that; without a line, the fault
/// is past the text's end.
fn parted<'a>(body: &Body<'a>) -> Result<(Line<'a>, Line<'a>), (Option<Line<'a>>, Code, String)> {
    // A surplus marker comes first: with it, neither the tail nor the divider is certain.
    if let Some(line) = body.surplus {
        let end = body.tail.map_or("the end".to_owned(), |(tail, _)| format!("line {}", tail.number));
        let message = format!(
            "'{}' within a block, and nothing up to {end} is applied: each block needs its own SEARCH, divider \
             and REPLACE, and a marker that is content a backslash before it",
            marker_of(line.text)
        );
        return Err((Some(line), Code::AmbiguousBlock, message));
    }
    let Some((tail, length)) = body.tail else {
        let hint = match (body.wordless, body.forgotten) {
            (Some(line), _) => format!("; line {} lacks the word REPLACE", line.number),
            (None, Some((_, next))) => format!("; the next block begins in line {}", next.number),
            (None, None) => String::new(),
        };
        let message = format!("The block has no >>>>>>> REPLACE and is not applied{hint}");
        return Err((body.forgotten.map(|(closing, _)| closing), Code::UnclosedEdit, message));
    };
    match body.divider(length) {
        Ok(divider) => Ok((divider, tail)),
        Err(Unparted::Missing) => {
            Err((Some(tail), Code::MissingDivider, "The block has no ======= before its REPLACE".to_owned()))
        }
        Err(Unparted::Unlike(line)) => {
            let message = "The only divider is not as long as the markers around it: is it content?";
            Err((Some(line), Code::MissingDivider, message.to_owned()))
        }
        Err(Unparted::Several { second, conflict: true }) => {
            let message = "More than one divider: the lines of a merge conflict that are content need a backslash \
                           before them (\\<<<<<<<, \\=======, \\>>>>>>>)";
            Err((Some(second), Code::AmbiguousBlock, message.to_owned()))
        }
        Err(Unparted::Several { second, conflict: false }) => {
            let message = "More than one line may be the divider: one that is content needs a backslash before it \
                           (\\=======), or make all three markers of the block longer";
            Err((Some(second), Code::AmbiguousBlock, message.to_owned()))
        }
    }
}

fn marker_of(line: &str) -> &str {
    let text = line.trim();
    text.char_indices().nth(24).map_or(text, |(end, _)| &text[..end])
}

struct Named<'a> {
    path: RawField<'a>,
    /// The file of the blocks before, if the path is a word that may be prose.
    before: Option<RawField<'a>>,
}

fn path<'a>(
    first: &Line<'a>,
    head: &Head<'a>,
    above: Above<'a>,
    makes_file: bool,
    memory: &Memory<'a>,
    text: &str,
) -> Result<Named<'a>, String> {
    let certain = || memory.before.as_ref().or(memory.last.as_ref().map(|(path, _)| path));
    let on_head = match &head.rest {
        Rest::Stated { path: Some(path), .. } => Some((path.clone(), *first)),
        _ => None,
    };
    let name = on_head.or(above.name);
    if let Some((name, line)) = name.filter(|(name, _)| name.is_meant()) {
        // Another file mentioned since the last block casts doubt on that block's path.
        let goes_on = memory
            .last
            .as_ref()
            .is_some_and(|(path, end)| other_mentioned(&text[*end..first.start], &path.value).is_none());
        let same = goes_on && name.has_blanks();
        if name.is_sure() || !makes_file && !same {
            let before = certain().filter(|_| goes_on && !name.is_sure() && !same).cloned();
            return Ok(Named { path: name.field(&line), before });
        }
        if makes_file {
            let message = format!("'{}' may be no file name: put it in backticks. {NAME_PLACE}", name.path);
            return Err(message);
        }
    }
    let Some((path, end)) = &memory.last else { return Err(format!("No file name. {NAME_PLACE}")) };
    match other_mentioned(&text[*end..first.start], &path.value) {
        None => Ok(Named { path: path.clone(), before: memory.before.clone() }),
        Some(other) => Err(format!(
            "No file name: is the block for '{}' or, as the one before, for '{}'? {NAME_PLACE}",
            marker_of(other),
            path.value
        )),
    }
}
