//! What an answer asks the user: for files, or whether to go ahead.

use super::{Reader, SENTENCE};
use crate::plain::{Candidate, Form, Group, NoteKind, mention, words};

const ASKED: usize = 50;

impl Reader<'_> {
    /// The files that the last lines ask for.
    pub(super) fn asked_files(&self) -> Vec<String> {
        let (mut files, mut asking): (Vec<String>, bool) = (Vec::new(), false);
        for line in self.latest.iter().filter(|line| line.text.len() <= SENTENCE) {
            let mentions = mention::in_line(line.text, true);
            let item = crate::file_name::list_item(line.text.trim()).is_some();
            let alone = matches!(&mentions[..], [only] if only.mention.sure && line.text.trim().len() <= only.at.len() + 8);
            asking = words::asks(line.text) || asking && (item || alone);
            for located in mentions.into_iter().filter(|one| asking && one.mention.sure) {
                if files.len() < ASKED && !files.contains(&located.mention.path) {
                    files.push(located.mention.path);
                }
            }
        }
        files
    }

    /// Returns true if the last lines ask whether to go ahead.
    pub(super) fn asks_leave(&self) -> bool {
        let mut last = self.last_lines.iter().filter(|line| line.len() <= SENTENCE);
        last.any(|line| words::asks_leave(line))
    }

    /// Returns true if the last lines ask whether to make the change, or which one: until the user answers, it is none.
    pub(super) fn waits(&self) -> bool {
        let mut last = self.last_lines.iter().filter(|line| line.len() <= SENTENCE);
        last.any(|line| words::asks_for_decision(line))
    }

    // Makes notes of code below options that is for a file of its own each, if the answer asks which one it should be: they
    // exclude each other as versions of one file do, and nobody has chosen.
    pub(super) fn drop_options(&mut self) {
        let path = |one: &Candidate| one.groups.iter().find_map(Group::sure_path).map(str::to_owned);
        let is_option = |one: &Candidate| one.optional && one.form == Form::Code && path(one).is_some();
        let mut paths: Vec<String> =
            self.plain.candidates.iter().filter(|one| is_option(one)).filter_map(path).collect();
        let count = paths.len();
        paths.sort_unstable();
        paths.dedup();
        if count < 2 || paths.len() < count {
            return;
        }
        for candidate in std::mem::take(&mut self.plain.candidates) {
            if is_option(&candidate) {
                self.note(candidate.lines.clone(), NoteKind::Plan, path(&candidate));
            } else {
                self.plain.candidates.push(candidate);
            }
        }
        self.plain.notes.sort_by_key(|note| note.lines.start);
    }

    /// Makes notes of deletions and moves, if there is nothing else and the answer asks whether to go ahead.
    pub(super) fn drop_plan(&mut self) {
        let states = |candidate: &Candidate| matches!(candidate.form, Form::Delete | Form::Move { .. });
        if !self.plain.candidates.iter().all(states) || !self.asks_leave() {
            return;
        }
        for candidate in std::mem::take(&mut self.plain.candidates) {
            let path = candidate.groups.first().and_then(Group::sure_path).map(str::to_owned);
            self.note(candidate.lines, NoteKind::Plan, path);
        }
        self.plain.notes.sort_by_key(|note| note.lines.start);
    }
}
