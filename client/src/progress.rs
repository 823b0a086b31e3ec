//! A line on the terminal while something takes long: what, for how long, and how to stop it.
//!
//! Must not know the work, and writes nothing: [`crate::Process`] draws the line, and clears it before it writes
//! anything else. The line is there only as long as nothing else was written for [`LONG`].
//!
//! Drawn here and not by a library: existing ones compute with floating point, and the mathematics library
//! that a program then loads at each start is an eighth of the time of a short call.

use std::time::{Duration, Instant};

use clada_protocol::visible_line;
use textwrap::core::display_width;

use crate::width::cut;

/// The time after which the line is shown; shorter work needs none. Also the time between two drawings.
const LONG: Duration = Duration::from_secs(1);
const WIDTH: u64 = 20;
const COLUMNS: usize = 80;
const CLEAR: &str = "\r\x1b[K";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProgressWork {
    Request(&'static str),
    Command(String),
    Files { done: u64, total: u64 },
}

impl ProgressWork {
    pub(crate) const APPLIES: ProgressWork = ProgressWork::Request("Applying the answer");
}

/// The line, once there is a reason for one.
#[derive(Debug, Default)]
pub struct ProgressLine {
    work: Option<(ProgressWork, Instant)>,
    quiet: Option<Instant>,
    is_drawn: bool,
}

impl ProgressLine {
    pub(crate) fn begin(&mut self, work: ProgressWork) {
        self.work = Some((work, Instant::now()));
    }

    pub(crate) fn end(&mut self) {
        self.work = None;
    }

    // False: that is work of its own, which begins with it.
    pub(crate) fn note_files(&mut self, done: u64, total: u64) -> bool {
        match &mut self.work {
            Some((work @ ProgressWork::Files { .. }, _)) => *work = ProgressWork::Files { done, total },
            Some(_) => return false,
            None => {}
        }
        true
    }

    pub(crate) fn due_in(&self) -> Option<Duration> {
        let (_, begun) = self.work.as_ref()?;
        Some(LONG.saturating_sub(self.quiet.unwrap_or(*begun).elapsed()))
    }

    pub(crate) fn drawing(&mut self, columns: Option<usize>) -> Option<String> {
        let (Some(Duration::ZERO), Some((work, begun))) = (self.due_in(), &self.work) else { return None };
        let drawn = format!("{CLEAR}{}", line(work, begun.elapsed(), columns.unwrap_or(COLUMNS)));
        self.is_drawn = true;
        self.quiet = Some(Instant::now());
        Some(drawn)
    }

    // The next line is drawn after a while.
    pub(crate) fn clearing(&mut self) -> Option<&'static str> {
        self.quiet = Some(Instant::now());
        std::mem::take(&mut self.is_drawn).then_some(CLEAR)
    }
}

/// Returns the line about `work`, with a column left free: the last one may begin a new line.
fn line(work: &ProgressWork, taken: Duration, columns: usize) -> String {
    let (what, end) = match work {
        ProgressWork::Request(what) => ((*what).to_owned(), stop(taken)),
        ProgressWork::Command(command) => {
            let first = command.lines().next().unwrap_or_default();
            (format!("Running {}", visible_line(first)), stop(taken))
        }
        ProgressWork::Files { done, total } => (bar(*done, *total, taken), String::new()),
    };
    let room = columns.saturating_sub(1);
    match room.checked_sub(display_width(&end)) {
        Some(remaining_width) => cut(&what, remaining_width) + &end,
        None => cut(&what, room),
    }
}

fn stop(taken: Duration) -> String {
    format!(": {} s, Ctrl-C stops it", taken.as_secs())
}

fn bar(done: u64, total: u64, taken: Duration) -> String {
    let part = |of: u64| of.saturating_mul(done.min(total)).checked_div(total).unwrap_or(0);
    let bar: String = (0..WIDTH).map(|at| if at < part(WIDTH) { '#' } else { '-' }).collect();
    let remaining_seconds = match done {
        0 => String::new(),
        done => {
            let remaining_seconds = taken.as_secs().saturating_mul(total.saturating_sub(done)) / done;
            format!(", {remaining_seconds} s left")
        }
    };
    format!("[{bar}] {done}/{total} files{remaining_seconds}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_how_far_it_is() {
        let half = bar(10, 20, Duration::from_secs(3));
        assert_eq!(half, format!("[{}{}] 10/20 files, 3 s left", "#".repeat(10), "-".repeat(10)));
        assert_eq!(bar(0, 0, Duration::ZERO), format!("[{}] 0/0 files", "-".repeat(20)));
        assert!(bar(u64::MAX, u64::MAX, Duration::from_secs(1)).ends_with("files, 0 s left"));
    }

    #[test]
    fn a_line_never_fills_its_terminal() {
        let taken = Duration::from_secs(12);
        let command = ProgressWork::Command("make\u{1b}[2J 試験 of everything\nmore".to_owned());
        let whole = line(&command, taken, 80);
        assert_eq!(whole, "Running make\\u{1b}[2J 試験 of everything: 12 s, Ctrl-C stops it");
        assert_eq!(line(&command, taken, 40), "Running make\\u{…: 12 s, Ctrl-C stops it");
        for work in [command, ProgressWork::Request("Staging"), ProgressWork::Files { done: 1, total: 2 }] {
            for columns in 0..100 {
                let drawn = line(&work, taken, columns);
                // The sign of what is cut off has one column.
                assert!(display_width(&drawn.replace('…', ".")) < columns.max(1), "{columns}: {drawn}");
            }
        }
    }
}
