//! Fences: what stands around one, and what it is read as.

use std::ops::Range;

use clada_schema::Span;

use super::extent::Extent;
use super::{MOST, OUTSIDE, Reader, SENTENCE};
use crate::cursor::Line;
use crate::fence::Fence;
use crate::json::Json;
use crate::plain::above::{Kind, ProseLine};
use crate::plain::language::{self, Class};
use crate::plain::lead::{self, Lead, Subject};
use crate::plain::piece::{Became, Last, Piece, Reading};
use crate::plain::{
    Candidate, Form, Group, NoteKind, Place, Plain, below, comment, forms, info, mention, naming, pair,
    placed, retraction, words,
};

impl<'a> Reader<'a> {
    pub(super) fn fence(&mut self, line: Line<'a>, fence: Fence, info: &str) {
        self.fences += 1;
        if let Some(extent) = self.glued(&line, info) {
            let last = self.listing(&line, &info::Info::default(), language::class(""), &extent);
            self.above.pass();
            self.last = Some(last);
            return;
        }
        let info_string = info::read(info);
        let class = language::class(&info_string.language);
        let before = self.cursor.clone();
        let claims = self.claims;
        let markdown = class == Class::Markdown;
        let named =
            info_string.path.is_some() || markdown && self.above.nearest().is_some_and(ProseLine::names_file);
        if !info.is_empty() {
            self.skip_repeated(&line);
        }
        let extent = self.extent(fence, markdown);
        let passed = &claims[..claims.len() - self.claims.len()];
        let raw = &self.cursor.text()[extent.content.clone()];
        if markdown && extent.nests && self.wrapped.is_none() && !named && self.is_around_answer() {
            self.wrapped = Some(extent.content.end);
            (self.cursor, self.claims) = (before, claims);
            return;
        }
        // A prompt puts one fence around the name of a file and its fence.
        if info.is_empty()
            && let Some(inner) = extent.reopened
            && is_label(self.cursor.text().get(extent.content.start..inner).unwrap_or_default())
        {
            (self.cursor, self.claims) = (before, claims);
            return;
        }
        if extent.claimed || raw.trim().is_empty() {
            if !extent.claimed && extent.closed {
                self.empty_file(&line, extent.last);
            }
            passed.iter().for_each(|claim| self.pass_blocks(claim.blocks.clone()));
            self.above.pass();
            self.last = None;
            return;
        }
        let last = self.listing(&line, &info_string, class, &extent);
        self.block_lead = None;
        self.above.pass();
        self.last = Some(last);
    }

    // Moves behind a fence of which the first and the last line of code stand beside the ticks, as a chat wrote it that has
    // no languages of fences.
    fn glued(&mut self, line: &Line<'a>, info: &str) -> Option<Extent> {
        const LINES: usize = 400;
        let is_code = info.contains(['(', ';', '{', '=']);
        if !is_code || !self.attempt() {
            return None;
        }
        let mut ahead = self.cursor.clone();
        for _ in 0..LINES {
            let next = ahead.next_line().filter(|next| next.start < self.limit())?;
            let text = next.text.trim_end();
            if Fence::read(text).is_some() {
                return None;
            }
            if let Some(code) = text.strip_suffix("```") {
                let start = line.start + line.text.find(info)?;
                self.cursor = ahead;
                return Some(Extent {
                    content: start..next.start + code.len(),
                    last: next.number,
                    closed: true,
                    claimed: false,
                    nests: false,
                    reopened: None,
                });
            }
        }
        None
    }

    // Takes a fence without content for the empty file that the line above names.
    fn empty_file(&mut self, line: &Line<'a>, last: u32) {
        // The most words of a label, which names a file and says little of it.
        const LABEL: usize = 8;
        let groups = naming::groups(&self.above, "", None);
        // A sentence about a file may lead to code that got lost.
        let is_alone = |path: &str| {
            let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '/');
            self.above.near().any(|prose| prose.line.text.trim_matches(is_mark) == path)
        };
        let path = groups.iter().find_map(|group| {
            let path = group.sure_path().filter(|_| !group.held && group.place == Place::Label)?;
            let label = self.above.near().find(|prose| prose.line.number == group.line)?.line.text;
            let is_label = label.split_whitespace().count() <= LABEL;
            (group.new && (is_label || words::makes_empty(label)) || is_alone(path)).then_some(path)
        });
        if let Some(path) = path.filter(|path| !path.contains(' ')) {
            let candidate =
                Candidate::in_groups(line.number..last.saturating_add(1), Form::Commands, Vec::new());
            let content = format!("touch {path}\n");
            self.state(
                Candidate { content, words: self.words(), ..candidate },
                self.above.lead(None, Subject::Deed),
            );
        }
    }

    fn skip_repeated(&mut self, opening: &Line<'a>) {
        let limit = self.limit();
        let mut ahead = self.cursor.clone();
        while ahead.position() < limit
            && ahead.next_line().is_some_and(|line| line.text.trim() == opening.text.trim())
        {
            self.cursor = ahead.clone();
        }
    }

    /// Returns true if hardly anything stands outside of the fence that was passed last.
    fn is_around_answer(&self) -> bool {
        let behind = self.cursor.text().get(self.cursor.position()..).unwrap_or_default();
        super::sentences(behind).is_some_and(|behind| self.prose + behind <= OUTSIDE)
    }

    pub(super) fn listing(
        &mut self,
        line: &Line<'a>,
        info_string: &info::Info,
        class: Class,
        extent: &Extent,
    ) -> Last {
        let text = self.cursor.text();
        let indent = &line.text[..line.text.len() - line.text.trim_start_matches([' ', '\t']).len()];
        let mut content = crate::plain::content::content(&text[extent.content.clone()], indent).into_owned();
        if extent.closed && !content.ends_with('\n') {
            content.push('\n');
        }
        let language = if is_json(&info_string.language, &content) { "json" } else { &*info_string.language };
        let named = comment::first(&content, language);
        let mut groups = Vec::new();
        if let Some(path) = &info_string.path {
            groups.push(Group::of(Place::Info, line.number, path.clone(), info_string.sure));
        }
        let at = |named: &comment::Naming| line.number.saturating_add(1).saturating_add(named.line);
        groups.extend(naming::groups(&self.above, language, named.as_ref().map(|named| (named, at(named)))));
        let mut sentence = self.sentence();
        let is_named = |group: &Group| !group.held && group.sure_path().is_some();
        let order = self.above.nearest().filter(|_| groups.iter().any(is_named));
        let order = order.and_then(|prose| lead::order(prose.line.text));
        // What else is said besides the order is said of what the code does.
        let mut is_order = false;
        if let Some(order) = order.filter(|_| words::is_lead_in(&sentence)) {
            order.clone_into(&mut sentence);
            is_order = true;
        }
        naming::settle_script(&mut groups, &content, class == Class::Shell, &sentence);
        let below = self.below();
        if groups.iter().all(|group| group.held || group.sure_path().is_none()) {
            groups.extend(below.as_ref().and_then(|below| naming::below(below, language)));
        }
        let last = self.last.take();
        let near: Vec<&str> = self.above.near().map(|prose| prose.line.text).collect();
        // "Here is the complete file again:" is a version of its own, and no sample below a heading.
        if near.first().is_some_and(|line| words::is_whole_again(line))
            && let Some(group) = groups.iter_mut().find(|group| group.held)
        {
            group.held = false;
        }
        let goes_on = last.as_ref().filter(|last| self.belongs(last, &groups));
        let piece = Piece {
            language,
            class,
            verb: info_string.verb,
            content: &content,
            lines: line.number..extent.last.saturating_add(1),
            // What comes behind a fence that was left open is no content.
            closed: extent.closed
                && !(extent.reopened.is_some() && class == Class::Code)
                && !self.is_continued(&near),
            above: &self.above,
            sentence: &sentence,
            groups: &groups,
            naming: named.as_ref(),
            before: last.as_ref().map(|last| last.became),
        };
        let mut reading = forms::read(&piece);
        let (mut lead, around) = match &last {
            // Nothing is said between the two.
            Some(last) if near.is_empty() => (last.lead, last.around),
            _ => {
                let subject = if is_commands(&reading) { Subject::Deed } else { Subject::Code };
                (self.above.lead(None, subject), self.above.lead_around(subject))
            }
        };
        if is_order || order.is_some() && lead >= Lead::Report {
            lead = around.max(Lead::Condition);
        }
        if self.above.nearest().is_some_and(|prose| below::leaves_all(prose.line.text)) {
            lead = lead.max(Lead::Report);
        }
        // "Location: [a.py](src/a.py:30)"
        if below.as_ref().is_some_and(|below| words::says_place(below.text)) {
            lead = lead.max(Lead::Report);
        }
        let mut joined = false;
        if let Some(last) = goes_on
            && let Reading::Candidates(candidates) = &mut reading
            && let [second] = &mut candidates[..]
            && second.form == Form::Code
        {
            if last.became == Became::Candidate
                && continues(&near, second)
                && let Some(first) = self.plain.candidates.pop_if(|first| first.form == Form::Code)
            {
                *second = continued(first, second);
                lead = lead.max(last.lead);
            } else if let Some(pair) = pair::joined(last, second, &near) {
                *second = pair;
                joined = true;
                lead = lead.max(last.around);
            } else if !self.begins_item()
                && matches!(last.became, Became::Candidate | Became::Note(NoteKind::LeadIn))
                && last.content != second.content
            {
                second.old = Some(last.content.clone());
            }
        }
        // "(replaces `old()`)"
        if let Some(old) = below.as_ref().and_then(|below| placed::replaced_by_above(below.text))
            && let Reading::Candidates(candidates) = &mut reading
            && let [only] = &mut candidates[..]
            && only.form == Form::Code
        {
            only.old = Some(old);
        }
        if joined {
            match last.as_ref().map(|last| last.became) {
                Some(Became::Candidate) => drop(self.plain.candidates.pop()),
                Some(Became::Note(_)) => {
                    let note = self.plain.notes.pop();
                    let is_of_it =
                        |one: &mut Candidate| note.as_ref().is_some_and(|note| note.lines == one.lines);
                    drop(self.plain.dismissed.pop_if(is_of_it));
                }
                _ => {}
            }
        }
        if self.near_goes_on() {
            lead = lead.max(last.as_ref().map_or(Lead::Open, |last| last.lead.min(Lead::Condition)));
        }
        let runs = is_commands(&reading);
        if lead == Lead::Open && !self.is_wanted(&piece, runs) {
            lead = Lead::Condition;
        }
        // What names what it takes back says nothing of the nearest.
        if let Some(below) = below.as_ref().filter(|below| !retraction::names(below.text)) {
            let subject = if runs { Subject::Deed } else { Subject::Code };
            lead = below::joined(lead, below::lead(below.text, subject, false));
        }
        let path = piece.path().map(str::to_owned);
        if lead >= Lead::Report
            && matches!(reading, Reading::Candidates(_) | Reading::CandidatesAndCommands(_))
        {
            let kind = match () {
                () if self.above.is_elsewhere() => NoteKind::Elsewhere,
                () if is_commands(&reading) => NoteKind::NotMeant,
                () => NoteKind::LeadIn,
            };
            reading = Reading::Note(kind);
        }
        if matches!(reading, Reading::Note(NoteKind::LeadIn)) && self.plain.dismissed.len() < MOST {
            let form = if class == Class::Diff { Form::Diff } else { Form::Code };
            self.plain.dismissed.push(piece.candidate(form, content.clone()));
        }
        if let Reading::Candidates(candidates) = &mut reading
            && let [only] = &mut candidates[..]
        {
            only.described =
                only.form == Form::Code && only.old.is_none() && path.is_none() && self.is_described();
        }
        let became = self.take(reading, piece.lines.clone(), path, lead);
        Last {
            language: info_string.language.clone(),
            lines: line.number..extent.last.saturating_add(1),
            content,
            groups,
            sentence,
            became,
            lead,
            around,
        }
    }

    /// Returns true if the words around `piece` want what it shows: the line that names its file, and the one right above it.
    fn is_wanted(&self, piece: &Piece<'_, '_>, runs: bool) -> bool {
        let nearest = self.above.nearest();
        let named = piece.groups.iter().find(|group| group.sure_path().is_some());
        let names_itself =
            named.is_some_and(|group| matches!(group.place, Place::Info | Place::Comment | Place::Json));
        let lines = || self.above.near().chain(self.above.far()).chain(self.above.headings());
        let naming = named.and_then(|group| lines().find(|prose| prose.line.number == group.line));
        match (naming, nearest) {
            // What names its file itself is a change by that.
            _ if names_itself => nearest.is_none_or(|prose| !lead::is_doubted(prose.line.text)),
            (None, Some(prose)) if runs => prose.is_wanted(Subject::Deed),
            (None, _) => true,
            (Some(naming), Some(prose)) if naming.line.number != prose.line.number => {
                lead::is_asked_for(prose.line.text)
                    || naming.is_wanted(Subject::Code) && !lead::is_doubted(prose.line.text)
            }
            (Some(naming), _) => naming.is_wanted(Subject::Code),
        }
    }

    // Returns true if the only line above goes on with the sentence above the last fence, or is a bare path below one: "and
    // `b.csv`:".
    fn near_goes_on(&self) -> bool {
        let mut near = self.above.near();
        let (Some(only), None) = (near.next(), near.next()) else { return false };
        let text = only.line.text.trim();
        let bare = text.trim_end_matches([':', '：']);
        let is_bare =
            bare.len() > 2 && bare.starts_with('`') && bare.ends_with('`') && bare.matches('`').count() == 2;
        words::goes_on(text) || is_bare
    }

    /// Returns true if words lead to what follows, and none of them has anything done: those right above, and their heading.
    fn is_described(&self) -> bool {
        const NEAR: usize = 3;
        let mut lines = self.above.near().take(NEAR).chain(self.above.headings().take(1)).peekable();
        lines.peek().is_some() && !lines.any(|prose| lead::may_want(prose.line.text))
    }

    /// Returns true if the line above or below the fence that was passed last says that its code goes on elsewhere.
    fn is_continued(&self, near: &[&str]) -> bool {
        let part = near.first().and_then(|line| words::part_of(line));
        part.is_some_and(|(part, count)| part < count)
            || self.below().is_some_and(|below| words::is_continued(below.text))
    }

    // Returns true if a heading, or an item of a list, stands between the last fence and this one: what is below
    // it is about something else.
    fn begins_item(&self) -> bool {
        self.above.near().any(|above| {
            matches!(above.kind(), Kind::Heading(_))
                || crate::file_name::list_item(above.line.text.trim()).is_some()
        })
    }

    fn take(&mut self, reading: Reading, lines: Range<u32>, path: Option<String>, lead: Lead) -> Became {
        let (words, optional) = (self.words(), self.is_optional());
        let mut count = 0;
        let mut push = |plain: &mut Plain, candidates: Vec<Candidate>| {
            count = candidates.len();
            let room = MOST.saturating_sub(plain.candidates.len());
            plain.candidates.extend(candidates.into_iter().take(room).map(|candidate| Candidate {
                words: words.clone(),
                optional,
                conditional: lead == Lead::Condition,
                ..candidate
            }));
        };
        match reading {
            Reading::Candidates(candidates) => push(&mut self.plain, candidates),
            Reading::CandidatesAndCommands(candidates) => {
                push(&mut self.plain, candidates);
                self.note(lines, NoteKind::Commands, None);
                return Became::Other;
            }
            Reading::Note(kind) => {
                self.note(lines, kind, path);
                return Became::Note(kind);
            }
            Reading::Illustration(candidate) => {
                // Whether it is all of a file the project alone says.
                if lead < Lead::Report && self.plain.illustrations.len() < MOST {
                    let candidate = Candidate { words, optional, conditional: true, ..candidate };
                    self.plain.illustrations.push(candidate);
                }
                self.note(lines, NoteKind::LeadIn, path);
                return Became::Note(NoteKind::LeadIn);
            }
        }
        if count == 1 { Became::Candidate } else { Became::Other }
    }

    /// Returns true if `last` and the fence with `groups` are in the same section, and no other file is named
    /// between them.
    fn belongs(&self, last: &Last, groups: &[Group]) -> bool {
        let path = groups
            .iter()
            .filter(|group| !group.held && group.place < Place::Sentence)
            .find_map(Group::sure_path);
        let before =
            last.groups.iter().filter(|group| group.place < Place::Sentence).find_map(Group::sure_path);
        path.is_none() || before.is_none() || path == before
    }

    fn below(&self) -> Option<Line<'a>> {
        if self.claims.first().is_some_and(|claim| claim.bytes.start <= self.cursor.position()) {
            return None;
        }
        let mut ahead = self.cursor.clone();
        let line =
            std::iter::from_fn(|| ahead.next_line()).take(3).find(|line| !line.text.trim().is_empty())?;
        (Fence::read(line.text).is_none() && line.text.len() <= SENTENCE).then_some(line)
    }
}

// Returns true if `text` is the name of a file and few words: what stands above a fence, and not in one.
fn is_label(text: &str) -> bool {
    const MOST: usize = 3;
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    lines().take(MOST + 1).count() <= MOST && lines().any(mention::names_file)
}

// Returns true if `second` goes on where the code before it ended, as the words between (`near`) or a comment say.
fn continues(near: &[&str], second: &Candidate) -> bool {
    const LINES: usize = 3;
    let first = second.content.lines().next().unwrap_or_default();
    near.len() <= LINES && near.iter().any(|line| words::continues(line)) || is_continuation(first)
}

// Returns true if `line` of code is a comment that says no more than that the code goes on.
fn is_continuation(line: &str) -> bool {
    let text = line.trim();
    ["#", "//", "--", "/*", "<!--", ";"].iter().any(|sign| text.starts_with(sign))
        && words::is_continued(text)
}

fn continued(first: Candidate, second: &Candidate) -> Candidate {
    let text = |content: &str| -> String {
        content.lines().filter(|line| !is_continuation(line)).map(|line| format!("{line}\n")).collect()
    };
    Candidate {
        lines: first.lines.start..second.lines.end,
        content: text(&first.content) + &text(&second.content),
        closed: second.closed,
        ..first
    }
}

// Returns true if `content`, of a fence in a language whose literals look like it, is an object of JSON.
fn is_json(language: &str, content: &str) -> bool {
    matches!(language, "ts" | "typescript" | "js" | "javascript")
        && content.trim_start().strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'))
        && Json::of_text(content.trim(), Span { line: 1, column: 1, length: 0 }).is_some()
}

fn is_commands(reading: &Reading) -> bool {
    let (Reading::Candidates(candidates) | Reading::CandidatesAndCommands(candidates)) = reading else {
        return false;
    };
    candidates.iter().any(|candidate| candidate.form == Form::Commands)
}
