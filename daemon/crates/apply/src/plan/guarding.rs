//! Applies the guards to a planned change: it is refused, reported or asked about (spec: answers, section 2).
//!
//! Knows which guard is for which action. The caller's word for one call (`literal`) makes warnings of
//! refusals.

use std::collections::HashSet;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::sync::Arc;

use clada_dialects::{Dialect, is_marker};
use clada_edit::Text;
use clada_fs::RootedPath;
use clada_protocol::{ErrorKind, visible_line};
use clada_schema::{Action, HunkLine};

use super::planner::{Origin, Planner, WrittenLines};
use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::guard::{elision, odd, patch_content, shifted, shrink};
use crate::read::answer::Step;
use crate::view::Node;
use crate::write::{Before, Write};

impl WrittenLines {
    fn has_elsewhere(&self, line: &str, seq: usize) -> bool {
        self.lines.get(&self.hasher.hash_one(line)).is_some_and(|by| *by != Some(seq))
    }

    fn add(&mut self, text: &str, seq: usize) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let by = self.lines.entry(self.hasher.hash_one(line)).or_insert(Some(seq));
            if *by != Some(seq) {
                *by = None;
            }
        }
    }
}

impl Planner<'_> {
    pub(super) fn guarded(&mut self, step: &Step, mut effect: Effect) -> Result<Effect, Failure> {
        self.shrinks = None;
        // The line would show more of a secret than the answer says.
        if let Effect::Write(write) | Effect::WriteMoved { write, .. } = &mut effect
            && self.view.is_secret(&write.path)
        {
            write.within_line = None;
        }
        // What no answer asked for has no dialect.
        let (Some(dialect), Ok(action)) = (Dialect::from_name(&step.metadata.dialect), &step.action) else {
            return Ok(effect);
        };
        self.link_names(&mut effect);
        for write in effect.writes().into_iter().filter(|write| !write.is_unchanged()) {
            let (Some(new), old) = (text(&write.new), write.old.as_deref().map(text)) else { continue };
            if let Some(encoding) = write.encoding.filter(|encoding| !encoding.is_declared)
                && let Some(character) = strange(old.flatten().unwrap_or_default(), new)
            {
                let shown = visible_line(&character.to_string()).into_owned();
                let reason =
                    format!("the encoding, {}, is guessed, and '{shown}' is new in it", encoding.name);
                self.shrinks = Some((write.path.clone(), reason));
            }
            let whole = matches!(action, Action::FileWrite(_));
            let path = write.path.relative();
            match old {
                None if write.before == Before::Missing => {
                    if let Some(elided) = elision::elided_in_new(new, path) {
                        self.warn(format!(
                            "{} in a new file: {}",
                            about(&write.path, elided.line),
                            elided.text
                        ));
                    }
                }
                Some(Some(old)) => {
                    if let Some(elided) = elision::elided(old, new, path) {
                        // A program made the diff, or somebody who counted: what it removes is meant.
                        let is_certain = elided.is_certain && !write.as_diffed;
                        self.elided(&write.path, &elision::Elided { is_certain, ..elided })?;
                    }
                    // The user has seen what a proposal removes.
                    if whole && !step.is_proposal {
                        self.whole(step.seq, write, old, new)?;
                    }
                }
                _ => {}
            }
            self.odd(write, old.flatten(), new)?;
            self.marked(dialect, write, old.flatten().unwrap_or_default(), new);
        }
        if let (Action::FileReplaceLines(lines), Some(write)) = (action, effect.writes().first()) {
            self.shifted(&write.path, &lines.lines, write)?;
        }
        Ok(effect)
    }

    /// Refuses with `failure`, unless the user has said that the answer is meant as it is written.
    fn refuse(&mut self, failure: Failure) -> Result<(), Failure> {
        if self.rules.literal {
            self.warn(failure.message);
            return Ok(());
        }
        Err(failure.person("`apply --literal` applies it as written"))
    }

    pub(super) fn warn_once(&mut self, message: String) {
        if !self.guard_notes.contains(&message) {
            self.guard_notes.push(message);
        }
    }

    pub(super) fn warn(&mut self, message: String) {
        self.guard_notes.push(message);
    }

    fn elided(&mut self, path: &RootedPath, elided: &elision::Elided) -> Result<(), Failure> {
        let shown = visible_line(&elided.text);
        if !elided.is_certain {
            self.warn(format!("{} reads like a placeholder for code: '{shown}'", about(path, elided.line)));
            return Ok(());
        }
        if elided.is_words && !self.rules.literal {
            let lines = lines_of(elided.lost);
            let reason =
                format!("line {} of the new text, '{shown}', may stand for the {lines}", elided.line);
            self.shrinks = Some((path.clone(), reason));
            return Ok(());
        }
        let issue =
            format!("Line {} of the new text, '{shown}', stands for lines that are left out of", elided.line);
        self.refuse(Failure::at(ErrorKind::Elision, &issue, path.written(), "ELISION").hint(
            "write the lines out, or send only the lines that change, with enough of those around them to find them",
        ))
    }

    /// Tells characters and blanks of new lines that are not seen, and refuses marks that only a chat page means.
    fn odd(&mut self, write: &Write, old: Option<&str>, new: &str) -> Result<(), Failure> {
        for finding in odd::odd(old, new, write.path.relative()) {
            let message = format!("{} {}", about(&write.path, finding.line), finding.what);
            if !finding.is_mark {
                self.warn(message);
                continue;
            }
            let issue = format!("Line {} of the new text {}, in", finding.line, finding.what);
            self.refuse(
                Failure::at(ErrorKind::InvalidValue, &issue, write.path.written(), "INVALID_VALUE")
                    .hint("send the text without such marks"),
            )?;
        }
        Ok(())
    }

    /// Guards against what only a write of a whole file can do.
    fn whole(&mut self, seq: usize, write: &Write, old: &str, new: &str) -> Result<(), Failure> {
        if let Some(kind) = patch_content::patch_as_content(old, new, write.path.relative()) {
            let issue =
                format!("The new text is {kind}, which would replace the {} lines of", old.lines().count());
            self.refuse(
                Failure::at(ErrorKind::ContentIsPatch, &issue, write.path.written(), "CONTENT_IS_PATCH")
                    .hint(
                        "send the patch itself as a block of its dialect, or all of the file as it is to be",
                    ),
            )?;
        }
        let elsewhere = |line: &str| self.written.has_elsewhere(line, seq);
        if let Some(shrunk) = shrink::shrunk(old, new, elsewhere) {
            self.warn(format!("'{}' {shrunk}", visible_line(write.path.written())));
            if shrunk.asks && !self.rules.literal && self.shrinks.is_none() {
                self.shrinks = Some((write.path.clone(), format!("the file {shrunk}")));
            }
        }
        Ok(())
    }

    /// Tells a line that is a marker of the block's own dialect, where the file has none.
    fn marked(&mut self, dialect: Dialect, write: &Write, old: &str, new: &str) {
        let Some((at, line)) = new.lines().enumerate().find(|(_, line)| is_marker(dialect, line)) else {
            return;
        };
        if !old.lines().any(|there| there == line) {
            let shown = visible_line(line.trim());
            self.warn(format!(
                "{} is a marker of {} and was written as content: '{shown}'; if it belongs there, {}",
                about(&write.path, at + 1),
                dialect.name(),
                how_to_hold(dialect)
            ));
        }
    }

    /// Refuses numbers of lines that an action before this one has moved.
    fn shifted(&mut self, path: &RootedPath, lines: &str, write: &Write) -> Result<(), Failure> {
        let Some(Origin::Text(before, _)) = self.origins.get(path) else { return Ok(()) };
        let (Some(before), Some(now)) = (text(before), write.old.as_deref().and_then(text)) else {
            return Ok(());
        };
        let Some(shift) = shifted::shifted(lines, before, now) else { return Ok(()) };
        let secret = self.view.is_secret(path);
        let shown =
            |text: &str| if secret { "(held back)".to_owned() } else { format!("'{}'", visible_line(text)) };
        let moved = match shift.moved_to {
            Some(range) if range.first == range.last => format!(", which is line {} now", range.first),
            Some(range) => format!(", which is lines {}-{} now", range.first, range.last),
            None => ", which has changed".to_owned(),
        };
        let hint = format!(
            "before this answer those lines were {}{moved}; now they are {}. Give the text to replace, or the current \
             numbers, from the bottom up",
            shown(&shift.before),
            shown(&shift.now)
        );
        let issue = format!("An action before this one in the answer has moved lines {lines} of");
        let failure =
            Failure::at(ErrorKind::LinesShifted, &issue, path.written(), "LINES_SHIFTED").hint(hint);
        let text = Text::decode(now.as_bytes()).ok();
        let place = shift.moved_to.zip(text).map(|(range, text)| self.place(path, &text, range.first));
        self.refuse(Failure { place: place.map(Box::new), ..failure })
    }

    /// Says that the answer itself has changed the lines `old` of the file at `path`, if it held them when
    /// the answer began.
    pub(super) fn changed_before(&self, path: &RootedPath, old: &str) -> Option<String> {
        let Origin::Text(before, task) = self.origins.get(path)? else { return None };
        let lines = |text: &str| text.lines().fold("\n".to_owned(), |all, line| all + line + "\n");
        let old = lines(old.trim_matches(['\r', '\n']));
        if old.trim().is_empty() || !lines(text(before)?).contains(&old) {
            return None;
        }
        let by = task.as_ref().map_or_else(|| "Actions".to_owned(), |task| format!("Task {task}"));
        Some(format!(
            "{by} of this answer changed these lines before: give them as they are then, or leave this out."
        ))
    }

    /// Takes in what the files that `effect` changes held before.
    pub(super) fn remember_origins(&mut self, step: &Step, effect: &Effect) {
        let whole = matches!(step.action, Ok(Action::FileWrite(_)));
        for write in effect.writes().into_iter().filter(|write| !write.is_unchanged()) {
            let origin = match &write.old {
                Some(old) if !whole => Origin::Text(Arc::clone(old), Some(step.task.clone())),
                _ => Origin::Anew,
            };
            match origin {
                Origin::Anew => drop(self.origins.insert(write.path.clone(), Origin::Anew)),
                Origin::Text(..) => match self.origins.entry(write.path.clone()) {
                    Entry::Vacant(place) => drop(place.insert(origin)),
                    Entry::Occupied(mut place) => {
                        if let Origin::Text(_, task) = place.get_mut() {
                            task.take_if(|task| *task != step.task);
                        }
                    }
                },
            }
        }
    }

    /// Takes in the lines that `steps` write, if one of them writes a file that gets much smaller by it.
    pub(super) fn look_at_lines(&mut self, steps: &[Step]) {
        let shrinks = |planner: &mut Self, step: &Step| {
            let Ok(Action::FileWrite(write)) = &step.action else { return false };
            let Ok(path) = planner.file_to_change(&write.path) else { return false };
            matches!(planner.view.node(&path), Ok(Node::File(file)) if shrink::may_shrink(file.size, write.content.len()))
        };
        self.written = WrittenLines::default();
        if !steps.iter().any(|step| shrinks(self, step)) {
            return;
        }
        for step in steps {
            match &step.action {
                Ok(Action::FileWrite(write)) => self.written.add(&write.content, step.seq),
                Ok(Action::FileAppend(append)) => self.written.add(&append.content, step.seq),
                Ok(Action::FileReplaceText(replace)) => self.written.add(&replace.new_text, step.seq),
                Ok(Action::FileReplaceTexts(replace)) => {
                    replace.edits.iter().for_each(|edit| self.written.add(&edit.new_text, step.seq));
                }
                Ok(Action::FilePatch(patch)) => {
                    for line in patch.hunks.iter().flat_map(|hunk| &hunk.lines) {
                        if let HunkLine::Added(line) = line {
                            self.written.add(line, step.seq);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The first character of `new` that is not ASCII, and not in `old`.
fn strange(old: &str, new: &str) -> Option<char> {
    let old: HashSet<char> = old.chars().collect();
    new.chars().find(|character| !character.is_ascii() && !old.contains(character))
}

fn lines_of(lost: usize) -> String {
    if lost == 1 { "line that goes".to_owned() } else { format!("{lost} lines that go") }
}

fn about(path: &RootedPath, line: usize) -> String {
    format!("Line {line} of '{}'", visible_line(path.written()))
}

fn how_to_hold(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sham => "give the block another id",
        Dialect::WholeFile => "fence the listing with more backticks",
        _ => "write such a text as a patch (*** Begin Patch), whose lines all begin with +, - or a blank",
    }
}
