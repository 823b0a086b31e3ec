//! A user for tests.

use std::io;

use crate::terminal::{Prompter, Reply};

pub(super) struct Scripted {
    replies: Vec<&'static str>,
    pub(super) shown: String,
}

impl Scripted {
    pub(super) fn new(replies: &[&'static str]) -> Scripted {
        Scripted { replies: replies.to_vec(), shown: String::new() }
    }
}

impl Prompter for Scripted {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.shown.push_str(text);
        Ok(())
    }

    fn ask(&mut self, _question: &str) -> io::Result<Reply> {
        if self.replies.is_empty() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        match self.replies.remove(0) {
            "\u{3}" => Ok(Reply::Interrupted),
            "\u{4}" => Ok(Reply::Ended),
            line => Ok(Reply::Line(line.to_owned())),
        }
    }
}
