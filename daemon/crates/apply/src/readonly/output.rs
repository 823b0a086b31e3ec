//! The output of a command so far, within a bound.

use std::borrow::Cow;

use clada_protocol::{ActionData, CommandData};

use crate::readonly::action::ReadOnlyOutput;
use crate::results::weight::text_weight;

const COMPLAINTS: usize = 8_000;
// Bytes of a result that are not output.
const AROUND: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Output {
    stdout: String,
    stderr: String,
    /// Complaints for which there was no room.
    unsaid: usize,
    status: u8,
    room: usize,
    complaints: usize,
    full: bool,
    more: bool,
    lossy: bool,
}

impl Output {
    pub(super) fn new(room: usize) -> Output {
        let complaints = COMPLAINTS.min(room / 8);
        Output { room: room.saturating_sub(complaints + AROUND), complaints, ..Output::default() }
    }

    /// Writes lines, or as many of them as there is room for; whether there is room for more.
    pub(super) fn say(&mut self, bytes: &[u8]) -> bool {
        if self.full {
            return false;
        }
        let text = String::from_utf8_lossy(bytes);
        self.lossy |= matches!(text, Cow::Owned(_));
        let weight = text_weight(&text);
        if weight <= self.room {
            self.room -= weight;
            self.stdout.push_str(&text);
            return true;
        }
        self.full = true;
        self.stdout.push_str(self.beginning(&text));
        false
    }

    fn beginning<'t>(&self, text: &'t str) -> &'t str {
        let mut remaining = self.room;
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            match remaining.checked_sub(text_weight(line)) {
                Some(less) => remaining = less,
                None => break,
            }
            end += line.len();
        }
        &text[..end]
    }

    pub(super) fn complain(&mut self, line: &str) {
        let weight = text_weight(line) + 2;
        match self.complaints.checked_sub(weight).filter(|_| self.unsaid == 0) {
            Some(remaining) => {
                self.complaints = remaining;
                self.stderr.push_str(line);
                self.stderr.push('\n');
            }
            None => self.unsaid += 1,
        }
    }

    /// Ends with this status, or a greater one.
    pub(super) fn status(&mut self, status: u8) {
        self.status = self.status.max(status);
    }

    pub(super) fn end_with(&mut self, status: u8) {
        self.status = status;
    }

    pub(super) fn status_now(&self) -> u8 {
        self.status
    }

    /// There is more than what is written, though there may be room.
    pub(super) fn cut(&mut self) {
        self.more = true;
    }

    pub(super) fn fill(&mut self) {
        self.full = true;
    }

    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn seen(mut self) -> ReadOnlyOutput {
        if self.unsaid > 0 {
            self.stderr.push_str(&format!("({} more messages)\n", self.unsaid));
        }
        let truncated = self.full || self.more;
        let data = ActionData::Command(Box::new(CommandData {
            stdout: self.stdout,
            stderr: self.stderr,
            exit_code: Some(self.status.into()),
            truncated,
            lossy: self.lossy,
            ..CommandData::default()
        }));
        ReadOnlyOutput { data, truncated, no_room: self.full, note: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_room_for_is_cut_between_lines() {
        let mut output = Output::new(AROUND + 70);
        assert!(
            output.say(b"one\n")
                && !output.say(b"two\nthree is a line too many for that\nfour\n")
                && !output.say(b"x")
        );
        let seen = output.seen();
        let data = seen.data.command().unwrap();
        assert_eq!(data.stdout, "one\ntwo\n");
        assert!(seen.truncated && data.truncated);
        assert!(crate::results::weight::weight(&seen.data) <= AROUND + 70);
    }

    #[test]
    fn complaints_have_a_bound_of_their_own() {
        let mut output = Output::new(100_000);
        for _ in 0..1000 {
            output.complain("no such file or directory");
        }
        let seen = output.seen();
        let told = seen.data.command().unwrap().stderr.as_str();
        assert!(told.len() < COMPLAINTS + 100 && told.ends_with(" more messages)\n"), "{told}");
        assert!(!seen.truncated);
    }
}
