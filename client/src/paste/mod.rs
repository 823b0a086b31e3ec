//! Reads the text that a user pastes at the terminal, or types there, whole.
//!
//! The kernel's line mode silently cuts a line at 4,095 bytes, so the terminal is set to pass bytes on as
//! they come (`mode`), and `text` interprets them. The echo is a count. Must not know the meaning of the
//! text.

mod mode;
#[cfg(test)]
mod tests;
mod text;

use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_current_process_group};
use signal_hook::low_level::emulate_default_handler;

use self::mode::{PasteEvent, RawMode};
use self::text::{PasteKey, Pasted};
use crate::Process;
use crate::exit::{Failure, Status};

/// The most of a line that the kernel keeps before its end has come.
const LINE_MODE: usize = 4095;

const REDRAWN_EVERY: Duration = Duration::from_millis(100);

pub(crate) fn read_pasted(process: &mut Process, what: &str, limit: usize) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Status::Failed, format!("the terminal cannot be read: {error}"))
            .hint("Nothing was applied. Save what you would paste in a file, and name that.")
    };
    let is_plain = process.var("TERM").is_none_or(|term| term == "dumb");
    let screen = if is_plain { None } else { process.screen() };
    let raw = process.keyboard().and_then(|keyboard| RawMode::enter(keyboard, screen)).map_err(failed)?;
    let ahead = raw.pending();
    if ahead >= LINE_MODE {
        raw.discard();
        return Err(Failure::new(Status::Failed, "what was pasted before the terminal was ready may be cut")
            .hint("Nothing was applied. Run it again, and paste when it asks for it."));
    }
    process.complain(&format!("Paste {what}, then press Enter. If you type it, end with Ctrl-D.\n"));
    let count = PasteCount {
        live: raw.has_screen() && !process.progress_is_off(),
        drawn: Instant::now(),
        is_stale: false,
    };
    let mut reading = PasteReading { raw, text: Pasted::new(limit + 1), ahead, count, leaves: None };
    let ended = reading.run().map_err(failed);
    let PasteReading { mut raw, text, count, leaves, .. } = reading;
    let leaves = leaves.or_else(|| raw.signalled());
    if ended.is_err() || leaves.is_some() {
        // The shell must not get the rest of a paste.
        raw.discard();
    }
    let PasteCount { live, .. } = count;
    if live {
        raw.show(b"\n");
    }
    drop(raw);
    if let Some(signal) = leaves {
        let _ = emulate_default_handler(signal);
    }
    if !ended? {
        return Err(Failure::new(Status::Failed, format!("the terminal closed before {what} was complete"))
            .hint("Nothing was applied."));
    }
    if !live {
        process.complain(&format!("{}.\n", counted(&text)));
    }
    Ok(text.finish())
}

struct PasteReading {
    raw: RawMode,
    text: Pasted,
    ahead: usize,
    count: PasteCount,
    leaves: Option<i32>,
}

impl PasteReading {
    fn run(&mut self) -> std::io::Result<bool> {
        let mut piece = vec![0; 64 << 10];
        self.draw();
        loop {
            match self.raw.wait(self.count.due_in())? {
                PasteEvent::Input => {}
                PasteEvent::Idle => {
                    self.draw();
                    continue;
                }
                PasteEvent::Signal(signal) => {
                    self.leaves = Some(signal);
                    return Ok(true);
                }
                PasteEvent::Continued => {
                    self.raw.set()?;
                    self.draw();
                    continue;
                }
            }
            let length = self.raw.read(&mut piece)?;
            if length == 0 {
                return Ok(false);
            }
            let read = &mut piece[..length];
            if self.ahead > 0 {
                // Line mode had made a NUL of Ctrl-D.
                self.ahead = self.ahead.saturating_sub(length);
                read.iter_mut().rev().take(1).filter(|last| **last == 0).for_each(|last| *last = 0x04);
            }
            match self.text.take(read) {
                Some(PasteKey::End) => {
                    self.draw();
                    return Ok(true);
                }
                Some(PasteKey::Interrupt) => self.send(Signal::INT)?,
                Some(PasteKey::Quit) => self.send(Signal::QUIT)?,
                Some(PasteKey::Suspend) => {
                    self.raw.show(b"\n");
                    self.raw.leave();
                    self.send(Signal::TSTP)?;
                    self.raw.set()?;
                    self.draw();
                }
                None => self.count.is_stale = true,
            }
        }
    }

    /// Sends a signal as the kernel does for its key: to every program of the pipeline.
    fn send(&self, signal: Signal) -> std::io::Result<()> {
        Ok(kill_current_process_group(signal)?)
    }

    fn draw(&mut self) {
        if self.count.live {
            let ends = if self.text.is_in_paste() {
                ""
            } else if self.text.has_paste() {
                " Enter ends it."
            } else {
                " Ctrl-D ends it."
            };
            self.raw.show(format!("\r{}.{ends}\x1b[K", counted(&self.text)).as_bytes());
        }
        self.count.drawn = Instant::now();
        self.count.is_stale = false;
    }
}

struct PasteCount {
    live: bool,
    drawn: Instant,
    is_stale: bool,
}

impl PasteCount {
    fn due_in(&self) -> Option<Duration> {
        (self.live && self.is_stale).then(|| REDRAWN_EVERY.saturating_sub(self.drawn.elapsed()))
    }
}

fn counted(text: &Pasted) -> String {
    let of = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!("{}, {}", of(text.lines(), "line"), of(text.size(), "byte"))
}
