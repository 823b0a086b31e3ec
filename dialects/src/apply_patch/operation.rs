//! One operation of a patch while its lines are read, and its raw action.
//!
//! Knows what may be below `Add`, `Delete` and `Update`; nothing of the patch around it.

use clada_schema::{HunkLine, IfExists, RawAction, RawField, RawHunk};

use super::marker;
use crate::Code;
use crate::cursor::Line;
use crate::findings::{Fault, LineFault};
use crate::hunk::{OpenHunk, says_no_newline, signed, text_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    Delete,
    Update,
}

#[derive(Debug)]
pub(super) struct Operation<'a> {
    pub(super) first: Line<'a>,
    pub(super) last: Line<'a>,
    kind: Kind,
    pub(super) path: Option<RawField<'a>>,
    to: Option<RawField<'a>>,
    hunks: Vec<OpenHunk<'a>>,
    closed: bool,
    /// The lines of a new file of which none has a sign so far; `None` once one has.
    bare: Option<Vec<&'a str>>,
    faults: Vec<LineFault<'a>>,
}

impl<'a> Operation<'a> {
    pub(super) fn new(kind: Kind, first: Line<'a>, from: usize) -> Operation<'a> {
        let mut operation = Operation {
            first,
            last: first,
            kind,
            path: marker::path(&first, from, "path"),
            to: None,
            hunks: Vec::new(),
            closed: false,
            bare: (kind == Kind::Add).then(Vec::new),
            faults: Vec::new(),
        };
        if operation.path.is_none() {
            let message = "No path: write it after the colon, as in `*** Update File: src/main.py`";
            operation.fault(first, Code::MissingPath, message);
        }
        operation
    }

    /// Returns true if its lines may start with a blank, which is a sign then.
    pub(super) fn has_context(&self) -> bool {
        self.kind == Kind::Update
    }

    pub(super) fn move_to(&mut self, line: Line<'a>, from: usize) {
        self.last = line;
        if self.kind != Kind::Update || self.to.is_some() {
            return self.unexpected(line);
        }
        self.to = marker::path(&line, from, "newPath");
        if self.to.is_none() {
            let message = "No path: write it after the colon, as in `*** Move to: src/main.py`";
            self.fault(line, Code::MissingPath, message);
        }
    }

    pub(super) fn end_of_file(&mut self, line: Line<'a>) {
        self.last = line;
        match self.hunks.last_mut() {
            Some(hunk) if self.kind == Kind::Update => hunk.end_of_file(),
            _ if self.kind == Kind::Add => {}
            _ => self.unexpected(line),
        }
        self.closed = true;
    }

    pub(super) fn line(&mut self, line: Line<'a>, text: &'a str) {
        if !text.is_empty() {
            self.last = line;
        }
        // With one of these, signs are meant.
        match &mut self.bare {
            Some(_) if text.starts_with('+') || text.starts_with("@@") || says_no_newline(text) => {
                self.bare = None
            }
            Some(bare) => bare.push(text),
            None => {}
        }
        if text.starts_with("@@") {
            return self.header(line, text);
        }
        if says_no_newline(text) && !self.hunks.is_empty() {
            return self.hunk().no_newline();
        }
        match (self.kind, signed(text)) {
            (_, None) if text.is_empty() => {
                if let Some(hunk) = self.hunks.last_mut().filter(|_| !self.closed) {
                    hunk.push_blank();
                }
            }
            (Kind::Update, Some(signed)) => self.hunk().push(signed),
            (Kind::Update, None) => self.hunk().push(HunkLine::Context(text.into())),
            (Kind::Add, Some(added @ HunkLine::Added(_)))
            | (Kind::Delete, Some(added @ HunkLine::Removed(_))) => self.hunk().push(added),
            (_, Some(HunkLine::Context(text))) if text.trim().is_empty() => self.hunk().push_blank(),
            (Kind::Add, _) => {
                let message = "A line of a new file without `+`: put `+` before each of its lines";
                self.fault(line, Code::UnexpectedLine, message);
            }
            (Kind::Delete, _) => self.unexpected(line),
        }
    }

    fn header(&mut self, line: Line<'a>, text: &str) {
        match self.hunks.last_mut() {
            Some(hunk) if hunk.is_empty() && !self.closed => hunk.narrow(text),
            _ if self.kind == Kind::Update => self.hunks.push(OpenHunk::new(text)),
            // The header of a new file's only hunk has no meaning.
            None if self.kind == Kind::Add => {}
            _ => self.unexpected(line),
        }
        self.closed = false;
    }

    fn hunk(&mut self) -> &mut OpenHunk<'a> {
        if self.closed || self.hunks.is_empty() {
            self.hunks.push(OpenHunk::default());
            self.closed = false;
        }
        let last = self.hunks.len() - 1;
        &mut self.hunks[last]
    }

    fn unexpected(&mut self, line: Line<'a>) {
        let what = match self.kind {
            Kind::Add => "`*** Add File`: only lines with `+` can",
            Kind::Delete => "`*** Delete File`: nothing needs to",
            Kind::Update => {
                "`*** Update File`, here: `*** Move to` comes once, `*** End of File` after a change"
            }
        };
        self.fault(line, Code::UnexpectedLine, format!("This line cannot follow {what}"));
    }

    fn fault(&mut self, line: Line<'a>, code: Code, message: impl Into<String>) {
        self.faults.push((line, Fault::error(code, message, None)));
    }

    pub(super) fn finish(mut self, faults: &mut Vec<LineFault<'a>>) -> (RawAction<'a>, bool) {
        let warning = self.take_bare();
        let mut action = match self.kind {
            Kind::Add => self.add(),
            Kind::Delete => self.delete(),
            Kind::Update => self.update(),
        };
        let path = self.path.as_ref().map(|path| path.value.clone());
        action.fields.splice(0..0, self.path);
        if action.name.as_deref() == Some("file_move") {
            for (field, name) in action.fields.iter_mut().zip(["old_path", "new_path"]) {
                field.name = name.into();
            }
        }
        let valid = self.faults.is_empty();
        let named = |fault: Fault<'a>| path.iter().fold(fault, |fault, path| fault.of_file(path));
        faults.extend(self.faults.into_iter().map(|(line, fault)| (line, named(fault))));
        faults.extend(warning.map(|fault| (self.first, named(fault))));
        (action, valid)
    }

    /// Takes the lines of a new file verbatim if none of them has a sign: then only its text can be meant.
    /// Not if all that are not blank begin with a blank, which may be a sign, or if there is another fault.
    fn take_bare(&mut self) -> Option<Fault<'a>> {
        let mut bare = self.bare.take()?;
        while bare.last().is_some_and(|line| line.is_empty()) {
            bare.pop();
        }
        let unsigned = |code: Code| code == Code::UnexpectedLine;
        let text = bare.iter().any(|line| !line.starts_with([' ', '\t', '-']) && !line.is_empty());
        if !text || self.to.is_some() || self.closed || !self.faults.iter().all(|(_, f)| unsigned(f.code)) {
            return None;
        }
        self.faults.clear();
        let mut hunk = OpenHunk::default();
        bare.iter().for_each(|line| hunk.push(HunkLine::Added((*line).into())));
        self.hunks = vec![hunk];
        let message = "No line of the new file has `+` before it: its lines are taken as they are";
        Some(Fault::warning(Code::UnexpectedLine, message, None))
    }

    fn add(&mut self) -> RawAction<'a> {
        let content = text_of(&self.hunks).into();
        let field = RawField { name: "content".into(), value: content, span: self.first.place() };
        let mut action =
            RawAction { name: Some("file_write".into()), fields: vec![field], ..RawAction::default() };
        action.terms.if_exists = IfExists::Fail;
        action
    }

    fn delete(&mut self) -> RawAction<'a> {
        let hunks = std::mem::take(&mut self.hunks).into_iter();
        let hunks = hunks.map(|hunk| RawHunk { final_newline: None, ..hunk.finish() });
        RawAction { name: Some("file_delete".into()), hunks: hunks.collect(), ..RawAction::default() }
    }

    fn update(&mut self) -> RawAction<'a> {
        let read = std::mem::take(&mut self.hunks);
        let had_hunks = read.iter().any(|hunk| !hunk.lines().is_empty());
        let hunks: Vec<_> = read.into_iter().filter(OpenHunk::changes).map(OpenHunk::finish).collect();
        let bare = |path: &str| path.trim_start_matches("./").to_owned();
        let to_itself =
            |to: &RawField<'a>| self.path.as_ref().is_some_and(|path| bare(&path.value) == bare(&to.value));
        let to = self.to.take().filter(|to| !to_itself(to));
        if hunks.is_empty() && (had_hunks || to.is_none()) && self.faults.is_empty() {
            let message = "The update changes nothing: it has no line with `+` or `-`";
            self.fault(self.first, Code::EmptyPatch, message);
        }
        let mut action = RawAction { hunks, fields: to.into_iter().collect(), ..RawAction::default() };
        if action.hunks.is_empty() && !action.fields.is_empty() {
            action.name = Some("file_move".into());
            action.terms.if_exists = IfExists::Fail;
        } else {
            action.name = Some("file_patch".into());
        }
        action
    }
}
