//! The lines of one file that `grep` has found, as it shows them.

use std::cell::Cell;
use std::io::{self, Read};

use clada_exec::words::{Binary, Grep, Shown};
use clada_fs::FileReader;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::matching::Parts;
use super::output::Output;

const AT_ONCE: usize = 32 << 10;

pub(super) struct Watched<'w> {
    pub(super) reader: FileReader,
    pub(super) is_binary: &'w Cell<bool>,
    pub(super) stopped: &'w dyn Fn() -> bool,
    pub(super) ended: &'w Cell<bool>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.stopped)() {
            self.ended.set(true);
            return Ok(0);
        }
        // What is read at once is searched at once, and only then it is asked again whether to end.
        let most = buffer.len().min(AT_ONCE);
        let read = self.reader.read(&mut buffer[..most])?;
        if !self.is_binary.get() && memchr::memchr(0, &buffer[..read]).is_some() {
            self.is_binary.set(true);
        }
        Ok(read)
    }
}

pub(super) struct LineSink<'l> {
    pub(super) grep: &'l Grep,
    pub(super) parts: Option<&'l Parts>,
    pub(super) out: &'l mut Output,
    pub(super) stopped: &'l dyn Fn() -> bool,
    pub(super) file: &'l [u8],
    /// The text before its lines; empty if they are shown without it.
    pub(super) prefix: &'l [u8],
    pub(super) is_binary: &'l Cell<bool>,
    pub(super) shown_before: bool,
    pub(super) begun: bool,
    pub(super) count: u64,
}

impl LineSink<'_> {
    fn head(&self, number: Option<u64>, sign: u8) -> Vec<u8> {
        let mut head = Vec::new();
        if !self.prefix.is_empty() {
            head.extend(self.prefix);
            head.push(sign);
        }
        if let Some(number) = number.filter(|_| self.grep.numbers) {
            head.extend(number.to_string().bytes());
            head.push(sign);
        }
        head
    }

    /// Writes a line; whether there is room for more.
    fn line(&mut self, number: Option<u64>, sign: u8, line: &[u8]) -> bool {
        let has_context = self.grep.context != (0, 0) && self.grep.shown == Shown::Lines;
        if has_context && self.shown_before && !self.begun {
            self.out.say(b"--\n");
        }
        self.begun = true;
        let mut text = self.head(number, sign);
        text.extend(line);
        if !line.ends_with(b"\n") {
            text.push(b'\n');
        }
        self.out.say(&text)
    }

    fn is_hidden(&self) -> bool {
        self.is_binary.get() && self.grep.binary != Binary::Text
    }
}

impl Sink for LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, hit: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.is_hidden() && self.grep.binary == Binary::PassedOver {
            return Ok(false);
        }
        self.count += 1;
        let shows = matches!(self.grep.shown, Shown::Lines | Shown::Matches);
        if shows && self.is_hidden() {
            let file = String::from_utf8_lossy(self.file);
            self.out.complain(&format!("grep: {file}: binary file matches"));
            return Ok(false);
        }
        let number = hit.line_number();
        match (self.grep.shown, self.parts) {
            (Shown::Lines, _) => self.line(number, b':', hit.bytes()),
            (Shown::Matches, Some(parts)) if !self.grep.invert => {
                let line = hit.bytes();
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                let stopped = self.stopped;
                parts.find(line, stopped, |part| self.line(number, b':', part));
                !self.out.is_full()
            }
            (Shown::Files | Shown::FilesWithout | Shown::Nothing, _) => return Ok(false),
            _ => true,
        };
        Ok(!self.out.is_full() && !(self.stopped)())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.is_hidden() {
            return Ok(true);
        }
        let (number, line) = (context.line_number(), context.bytes().to_vec());
        Ok(self.line(number, b'-', &line))
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        Ok(self.is_hidden() || self.out.say(b"--\n"))
    }
}
