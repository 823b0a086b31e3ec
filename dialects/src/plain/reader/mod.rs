//! The forward pass over the lines that no block claimed.
//!
//! Follows prose, fences and elements; each fence goes through the table of [`super::forms`]. What is found is
//! bounded, and every byte is read a bounded number of times.

mod blocks;
mod extent;
mod fence;
mod requests;
mod retracting;
mod unfenced;

use std::collections::VecDeque;
use std::ops::Range;

use super::above::{Above, ProseLine};
use super::claims::{Claim, ClaimedBlock, Claims};
use super::content::cut;
use super::document::Document;
use super::element::{self, Unclosed};
use super::found_block::{BlockStanding, FoundBlock};
use super::lead::{self, Lead, Subject};
use super::phrases::MayHave;
use super::piece::Last;
use super::retraction::Steps;
use super::stated::Stated;
use super::stated_imports::StatedImports;
use super::{
    Candidate, Form, Group, Note, NoteKind, Plain, below, json, mention, operation, passive, placed,
    retraction, words,
};
use crate::cursor::{Breaks, Cursor, Line, first_mark};
use crate::fence::Fence;

pub(crate) const MOST: usize = 1_000;
/// The most sentences outside of a fence that is around a whole answer.
pub(crate) const OUTSIDE: usize = 2;
/// The last lines of prose that may ask for files.
const LATEST: usize = 60;
/// The last lines of prose in which an answer asks whether to go ahead.
const LAST: usize = 3;
const REMOVED: usize = 100;
const SHOWN: usize = 50;
const SENTENCE: usize = 1_000;
// The most bytes of a sentence that states an edit.
const STATED: usize = 600;
/// The most lines in which an operation, a statement, a section or an element is sought: no answer has more.
const ATTEMPTS: usize = 50_000;
/// The most bytes of such a line.
const ATTEMPTED: usize = 300;

// Returns what `text` shows beside its `blocks`, and which of those are not applied.
pub(crate) fn read(text: &str, claims: &Claims, blocks: &[ClaimedBlock]) -> (Plain, Vec<BlockStanding>) {
    let mut reader = Reader::new(text, claims.parts(), blocks);
    if claims.parts().is_empty() && reader.json() {
        return (reader.plain, Vec::new());
    }
    while let Some(line) = reader.next_line() {
        reader.line(line);
        if reader.plain.candidates.len() >= MOST || reader.plain.notes.len() >= MOST {
            break;
        }
    }
    let standings = reader.standings();
    (reader.finish(), standings)
}

/// The number of sentences of `text`, if there are at most [`OUTSIDE`].
pub(crate) fn sentences(text: &str) -> Option<usize> {
    let mut count = 0;
    text.lines().filter(|line| !line.trim().is_empty()).try_for_each(|line| {
        count += lead::sentences(line);
        (count <= OUTSIDE).then_some(())
    })?;
    Some(count)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    /// The claims from the next one on.
    claims: &'a [Claim],
    above: Above<'a>,
    last: Option<Last>,
    unclosed: Unclosed,
    /// Signs of which no further one follows.
    missing: Vec<&'static str>,
    document: Document,
    stated: Stated,
    imports: StatedImports,
    steps: Steps,
    // The blocks of the answer, and those that were passed.
    all_blocks: &'a [ClaimedBlock],
    blocks: Vec<FoundBlock>,
    // What the words around the last block make of it, and those words, if no code stands behind it.
    block_lead: Option<(Lead, String)>,
    retractions: usize,
    /// Lines in which an operation, a statement, a section or an element may still be sought.
    attempts: usize,
    prose: usize,
    fences: usize,
    /// The byte at which the fence around the whole answer closes.
    wrapped: Option<usize>,
    /// The last lines of prose, as long as there is no candidate: they may ask for files.
    latest: VecDeque<Line<'a>>,
    last_lines: [&'a str; LAST],
    buttons: usize,
    /// True if the quotation that is open was noted.
    quoting: bool,
    plain: Plain,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, claims: &'a [Claim], all_blocks: &'a [ClaimedBlock]) -> Reader<'a> {
        Reader {
            cursor: Cursor::new(text),
            claims,
            above: Above::default(),
            last: None,
            unclosed: Unclosed::default(),
            missing: Vec::new(),
            document: Document::new(text),
            stated: Stated::default(),
            imports: StatedImports::default(),
            steps: Steps::default(),
            all_blocks,
            blocks: Vec::new(),
            block_lead: None,
            retractions: 0,
            attempts: ATTEMPTS,
            prose: 0,
            fences: 0,
            wrapped: None,
            latest: VecDeque::new(),
            last_lines: [""; LAST],
            buttons: 0,
            quoting: false,
            plain: Plain::default(),
        }
    }

    /// Reads an answer that is JSON as a whole; false if it is not.
    fn json(&mut self) -> bool {
        let text = self.cursor.text().trim();
        let Some(files) = json::files(text) else { return false };
        let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX - 1);
        for (path, old, content) in files.into_iter().take(MOST) {
            let groups = json::groups(path, 1);
            let candidate =
                Candidate { content, ..Candidate::in_groups(1..last + 1, Form::of_json(old), groups) };
            self.plain.candidates.push(candidate);
        }
        true
    }

    fn next_line(&mut self) -> Option<Line<'a>> {
        loop {
            let first = self.cursor.lines_passed().saturating_add(1);
            let Some((claim, _)) = self.skip() else { break };
            if claim.voice {
                let last = self.cursor.lines_passed().max(first);
                self.note(first..last.saturating_add(1), NoteKind::OtherVoice, None);
            }
            self.pass_blocks(claim.blocks.clone());
            self.above.pass();
            self.last = None;
        }
        self.cursor.next_line()
    }

    /// Skips the claim that begins at the cursor; returns it with the last line of it.
    fn skip(&mut self) -> Option<(&'a Claim, &'a str)> {
        let [claim, rest @ ..] = self.claims else { return None };
        if claim.bytes.start > self.cursor.position() {
            return None;
        }
        self.claims = rest;
        let text = self.cursor.text();
        let end = claim.bytes.end.min(text.len());
        if end > self.cursor.position() {
            self.cursor.skip_to(end);
        }
        Some((claim, Breaks::Lf.last_line(&text[..end]).0))
    }

    fn line(&mut self, line: Line<'a>) {
        let first = first_mark(line.text);
        if first != b'>' {
            self.quoting = false;
        }
        match first {
            b'`' | b'~' => {
                if self.wrapped.is_some_and(|end| line.start >= end) {
                    self.wrapped = None;
                    return;
                }
                match Fence::read(line.text) {
                    Some((fence, info)) => self.fence(line, fence, info),
                    // What is struck out is not said.
                    None if line.text.trim().starts_with("~~") && line.text.trim().ends_with("~~") => {}
                    None => self.read_prose(line),
                }
            }
            b'>' => self.quotation(&line),
            b'<' => self.element(line),
            b'\'' | b'"' | b'#' | b'[' | b'{' | 0xe2 if self.unfenced(&line) => {}
            _ if matches!(line.text.as_bytes().first(), Some(b' ' | b'\t')) && self.unfenced(&line) => {}
            _ => self.read_prose(line),
        }
    }

    fn quotation(&mut self, line: &Line<'a>) {
        let inner = line.text.trim_start_matches(['>', ' ']);
        if !self.quoting && (inner.starts_with("```") || inner.starts_with("~~~")) {
            self.quoting = true;
            self.note(line.number..line.number.saturating_add(1), NoteKind::OtherVoice, None);
        }
    }

    fn read_prose(&mut self, line: Line<'a>) {
        if let Some(at) = fence_behind(line.text) {
            let (label, opening) = line.text.split_at(at);
            self.above.line(Line { text: label, ..line });
            let opening = Line { start: line.start + at, text: opening, ..line };
            if let Some((fence, info)) = Fence::read(opening.text) {
                self.fence(opening, fence, info);
            }
            return;
        }
        let text = line.text.trim_ascii();
        // Signs alone are a rule, or a bracket of something that was lost.
        if !text.bytes().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
            return;
        }
        self.document.line(text);
        // The target of links is not a label.
        if text.as_bytes()[0] == b'[' && text.contains("]: ") && !text.contains('`') {
            return;
        }
        self.prose += if self.prose > OUTSIDE { 1 } else { lead::sentences(text) };
        self.last_lines.rotate_left(1);
        self.last_lines[LAST - 1] = text;
        self.buttons += usize::from(self.fences == 0 && words::is_button(text));
        self.retract(&line);
        if text.len() <= STATED {
            self.imports.line(line.number, text);
        }
        // A path has a dot or a folder; most lines end here.
        let may_name = text.len() <= ATTEMPTED
            && memchr::memchr2(b'.', b'/', text.as_bytes()).is_some()
            && mention::may_mention(text);
        let may_state = text.len() <= STATED && words::may_show(text);
        let phrases = if may_name || may_state { words::phrases_of(text) } else { MayHave::default() };
        if may_name && self.attempt() {
            let mut operations = operation::read(&line);
            if operations.is_empty() {
                let label = self.above.nearest().map_or("", |prose| prose.line.text);
                operations = operation::listed(&line, label);
            }
            if operations.is_empty() {
                operations = passive::read(&line, phrases);
            }
            if operations.is_empty() {
                let label = self.above.nearest().map_or("", |prose| prose.line.text);
                operations.extend(
                    operation::empty(&line, label, phrases).or_else(|| operation::row(&line, self.header())),
                );
            }
            if !operations.is_empty() {
                let deletes = operations.iter().all(|one| matches!(one.form, Form::Delete | Form::Commands));
                let lead = self.lead_of(&line, line.text.len() - line.text.trim_start().len());
                let lead = below::joined(lead, self.below_deed(line.text, deletes));
                operations.into_iter().for_each(|one| self.state(one, lead));
                // It names no file for a fence below.
                if deletes {
                    self.above.pass_statement(line);
                    return;
                }
            } else if self.section(&line) {
                return;
            } else {
                self.bare_code(&line);
            }
        }
        if text.starts_with('|') {
            self.stated.row(&line);
        }
        if may_state && words::may_state(text, phrases) && self.attempt() {
            self.statement(line, phrases);
        }
        if self.plain.candidates.is_empty() {
            self.latest.push_back(line);
            if self.latest.len() > LATEST {
                self.latest.pop_front();
            }
        }
        self.above.line(line);
    }

    /// The first row of the table right above; empty if there is none.
    fn header(&self) -> &'a str {
        let rows = self.above.near().map(|prose| prose.line.text);
        rows.take_while(|text| text.trim_start().starts_with('|')).last().unwrap_or_default()
    }

    fn lead_of(&self, line: &Line<'_>, at: usize) -> Lead {
        let sentence = lead::sentence(line.text, at);
        // What it asks about it does not state.
        if lead::asks(sentence.trim_end()) {
            return Lead::Report;
        }
        self.above.lead(Some((sentence, line.text)), Subject::Deed)
    }

    // Returns what the first line below `own`, which states something, says of that. Other items of its list, and other lines
    // of its kind, are no such line.
    fn below_deed(&self, own: &str, deletes: bool) -> Lead {
        const LINES: usize = 16;
        let is_item = |text: &str| crate::file_name::list_item(text).is_some();
        let own = own.trim();
        let is_beside = |text: &str| match is_item(own) {
            true => is_item(text),
            false => own.starts_with(['|', '`']) && text.starts_with(&own[..1]),
        };
        let mut ahead = self.cursor.clone();
        let lines =
            std::iter::from_fn(|| ahead.next_line().filter(|line| line.start < self.limit())).take(LINES);
        let indented = |text: &str| is_item(own) && text.starts_with([' ', '\t']);
        let below = lines
            .map(|line| line.text)
            .find(|text| !(text.trim().is_empty() || is_beside(text.trim()) || indented(text)));
        match below.map(str::trim) {
            // What names what it takes back says nothing of the nearest.
            Some(text) if retraction::names(text) => Lead::Open,
            Some(text) if Fence::read(text).is_none() && !text.starts_with(['#', '>', '<', '*']) => {
                below::lead(text, Subject::Deed, deletes)
            }
            _ => Lead::Open,
        }
    }

    /// Adds `candidate`, which a line of prose states below words that say `lead` of it.
    fn state(&mut self, candidate: Candidate, lead: Lead) {
        if lead >= Lead::Report {
            let path = candidate.groups.first().and_then(Group::sure_path).map(str::to_owned);
            return self.note(candidate.lines, NoteKind::NotMeant, path);
        }
        if self.plain.candidates.len() < MOST {
            self.plain.candidates.push(Candidate {
                conditional: candidate.conditional || lead == Lead::Condition,
                optional: candidate.optional || words::is_option(&candidate.words),
                ..candidate
            });
        }
    }

    fn statement(&mut self, line: Line<'a>, phrases: MayHave) {
        let spans = placed::spans(line.text);
        if phrases.of(words::DELETING) && self.plain.removed.len() < REMOVED {
            self.plain.removed.extend(placed::removed(&spans));
        }
        for (candidate, at) in self.stated.line(&line, &spans, phrases, &self.above) {
            let lead = self.lead_of(&line, at);
            self.stated.add(candidate, lead);
        }
    }

    /// Counts a line in which something is sought that takes longer; false if there were too many.
    fn attempt(&mut self) -> bool {
        self.attempts = self.attempts.saturating_sub(1);
        self.attempts > 0
    }

    fn element(&mut self, line: Line<'a>) {
        let text = self.cursor.text();
        let above = self.above.nearest().map(|prose| prose.line.text);
        // What a block claimed is its own.
        let limit = self.limit().min(text.len());
        let may_begin = element::may_begin(line.text) && self.attempt();
        let Some(element) = text
            .get(..limit)
            .filter(|_| may_begin && line.start < limit)
            .and_then(|text| element::read(text, line.start, line.number, above, &mut self.unclosed))
        else {
            self.read_prose(line);
            return;
        };
        let mut candidate = element.candidate;
        candidate.optional = self.is_optional();
        candidate.words = self.words();
        let lead = match self.above.nearest() {
            Some(prose) if prose.is_wanted(Subject::Code) => self.above.lead(None, Subject::Code),
            Some(_) => self.above.lead(None, Subject::Code).max(Lead::Condition),
            None => Lead::Open,
        };
        self.state(candidate, lead);
        if element.end > self.cursor.position() {
            self.cursor.skip_to(element.end);
            self.cursor.next_line();
        }
        self.above.pass();
        self.last = None;
    }

    fn sentence(&self) -> String {
        let Some(prose) = self.above.nearest() else { return String::new() };
        let text = prose.line.text.trim();
        if text.len() > SENTENCE {
            return String::new();
        }
        lead::last_sentence(text).trim().to_owned()
    }

    fn words(&self) -> String {
        self.above.nearest().map_or_else(String::new, |prose| cut(prose.line.text.trim()).to_owned())
    }

    /// Returns true if the words above call what follows one of several versions.
    fn is_optional(&self) -> bool {
        self.above.near().take(3).any(ProseLine::is_option)
            || self.above.headings().any(ProseLine::is_option)
            || self
                .above
                .far()
                .take(4)
                .any(|prose| prose.kind() == super::above::Kind::Label && prose.is_option())
    }

    /// Returns whether the answer shows code for the file of the sentence `stated`, which then says what the code
    /// does, or code for a file without a name.
    fn shown(&self, stated: &Candidate) -> Shown {
        let path = stated.groups.first().and_then(Group::sure_path);
        let shown = self.plain.candidates.iter().filter(|one| !is_operation(one) && !one.is_sentence);
        let (mut result, new) = (Shown::Elsewhere, stated.content.trim());
        for one in shown.take(SHOWN) {
            let mut paths = one.groups.iter().filter_map(Group::sure_path).peekable();
            let has_it = || match &stated.form {
                Form::Value { name } => {
                    one.content.lines().any(|line| line.contains(&**name) && line.contains(new))
                }
                Form::Replacement { old } if new.is_empty() => !one.content.contains(old.trim()),
                _ => one.content.contains(new),
            };
            if paths.peek().is_none() || paths.any(|other| Some(other) == path) && has_it() {
                return Shown::With;
            }
            if one.groups.iter().any(|group| group.sure_path() == path) {
                result = Shown::Without;
            }
        }
        result
    }

    fn note(&mut self, lines: Range<u32>, kind: NoteKind, path: Option<String>) {
        self.note_words(lines, kind, path, "");
    }

    // Notes what the line `words` of the answer says of `lines`.
    fn note_words(&mut self, lines: Range<u32>, kind: NoteKind, path: Option<String>, words: &str) {
        if self.plain.notes.len() < MOST {
            self.plain.notes.push(Note { lines, kind, path, words: cut(words).to_owned() });
        }
    }

    fn finish(mut self) -> Plain {
        self.drop_plan();
        if self.waits() {
            self.drop_options();
            for one in &mut self.plain.candidates {
                one.conditional = true;
                // What is only proposed is tied to no file.
                one.described |= one.form == Form::Code
                    && one.old.is_none()
                    && one.groups.iter().all(|group| group.sure_path().is_none());
            }
        }
        if !self.asks_leave() {
            let (replacements, in_words) = std::mem::take(&mut self.stated).finish();
            let mut beside = Vec::new();
            for (candidate, lead) in replacements {
                match self.shown(&candidate) {
                    Shown::Elsewhere => self.state(candidate, lead),
                    Shown::Without if lead == Lead::Open => {
                        let path = candidate.groups.first().and_then(Group::sure_path).unwrap_or_default();
                        beside.push((candidate.lines.start, path.to_owned(), NoteKind::Words));
                    }
                    Shown::With | Shown::Without => {}
                }
            }
            let imports = std::mem::take(&mut self.imports).finish(&self.plain.candidates);
            let room = MOST.saturating_sub(self.plain.candidates.len());
            self.plain.candidates.extend(imports.into_iter().take(room));
            self.plain.candidates.sort_by_key(|candidate| candidate.lines.start);
            // A file whose code is shown needs no reminder of what a sentence says of it.
            let groups = || self.plain.candidates.iter().flat_map(|one| &one.groups);
            let is_open = |(_, path, _): &(u32, String, NoteKind)| {
                groups().all(|group| group.sure_path() != Some(path))
            };
            beside.extend(in_words.into_iter().filter(is_open).collect::<Vec<_>>());
            for (line, path, kind) in beside {
                self.note(line..line.saturating_add(1), kind, Some(path));
            }
            self.plain.notes.sort_by_key(|note| note.lines.start);
        }
        if self.plain.candidates.is_empty() {
            self.plain.asked_for = self.asked_files();
        }
        self.plain.is_document = self.document.is_certain();
        self.plain.fences_lost = self.fences == 0 && self.buttons > 0 && self.prose > self.buttons + 1;
        self.plain
    }
}

/// How code of the answer is to a change that a sentence states.
enum Shown {
    /// It is for another file.
    Elsewhere,
    /// It is for that file and has the change, or is for a file without a name.
    With,
    /// It is for that file and has not the change.
    Without,
}

fn is_operation(candidate: &Candidate) -> bool {
    matches!(candidate.form, Form::Delete | Form::Move { .. })
}

/// The byte of the fence that opens behind a label in its line: "`a.py`: ```python".
fn fence_behind(line: &str) -> Option<usize> {
    const LONGEST: usize = 20;
    // Most lines end with another sign than a language does.
    let ends = line
        .bytes()
        .next_back()
        .is_some_and(|last| last.is_ascii_alphanumeric() || matches!(last, b'`' | b'+' | b'#'));
    let tail = line.len().saturating_sub(LONGEST + 3);
    let is_fence = |marks: &[u8]| marks == b"```";
    let at = tail + ends.then(|| line.as_bytes()[tail..].windows(3).rposition(is_fence))??;
    let (label, info) = (line[..at].trim_end(), &line[at + 3..]);
    let is_language =
        info.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-'));
    (is_language && label.ends_with(':')).then_some(at)
}
