//! A terminal that passes bytes on as they come, while this lives.
//!
//! Knows nothing of the meaning of the bytes. Dropping it restores the former mode, in a panic too.

use std::fs::File;
use std::io::{self, Write};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread, retry_on_intr};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcsetattr,
};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::interrupt::Interrupts;

const MARK: &[u8] = b"\x1b[?2004h";
const MARK_NOT: &[u8] = b"\x1b[?2004l";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PasteEvent {
    Input,
    Signal(i32),
    Continued,
    Idle,
}

#[derive(Debug)]
pub(super) struct RawMode {
    keyboard: File,
    screen: Option<File>,
    before: Termios,
    /// `None` where signals cannot be waited for: they then end the program, and the mode stays.
    signals: Option<Interrupts>,
}

impl RawMode {
    pub(super) fn enter(keyboard: File, screen: Option<File>) -> io::Result<RawMode> {
        let before = tcgetattr(&keyboard)?;
        // Comes before the mode: no signal is to end the program with the terminal set.
        let signals = Interrupts::catch_all(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT]);
        let mut raw = RawMode { keyboard, screen, before, signals };
        raw.set()?;
        Ok(raw)
    }

    /// Sets the mode, also after another program may have set another one.
    pub(super) fn set(&mut self) -> io::Result<()> {
        // The kernel turns no key into a signal: a paste that holds one would be thrown away, or end the
        // program, and the shell would get the rest of it.
        let mut mode = self.before.clone();
        let (control, output) = (mode.control_modes, mode.output_modes);
        mode.make_raw();
        // Output is shown as before; the size of a character is the line's own.
        (mode.control_modes, mode.output_modes) = (control, output | OutputModes::OPOST);
        mode.local_modes.remove(LocalModes::ISIG | LocalModes::ICANON | LocalModes::ECHO);
        mode.special_codes[SpecialCodeIndex::VMIN] = 1;
        mode.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&self.keyboard, OptionalActions::Now, &mode)?;
        self.show(MARK);
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        // A terminal that is gone has no mode.
        let _ = tcsetattr(&self.keyboard, OptionalActions::Now, &self.before);
        self.show(MARK_NOT);
    }

    pub(super) fn discard(&self) {
        let _ = tcflush(&self.keyboard, QueueSelector::IFlush);
    }

    pub(super) fn pending(&self) -> usize {
        ioctl_fionread(&self.keyboard).ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    }

    pub(super) fn wait(&mut self, time: Option<Duration>) -> io::Result<PasteEvent> {
        let Some(signals) = &mut self.signals else { return Ok(PasteEvent::Input) };
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        loop {
            let own: &Interrupts = signals;
            let mut awaited = [PollFd::new(&self.keyboard, PollFlags::IN), PollFd::new(own, PollFlags::IN)];
            match poll(&mut awaited, time.as_ref()) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
                Ok(0) => return Ok(PasteEvent::Idle),
                Ok(_) if !awaited[1].revents().is_empty() => {
                    return Ok(signals.take().map_or(PasteEvent::Continued, PasteEvent::Signal));
                }
                Ok(_) => return Ok(PasteEvent::Input),
            }
        }
    }

    pub(super) fn signalled(&mut self) -> Option<i32> {
        self.signals.as_mut()?.last()
    }

    pub(super) fn read(&self, piece: &mut [u8]) -> io::Result<usize> {
        match retry_on_intr(|| rustix::io::read(&self.keyboard, &mut *piece)) {
            Err(Errno::IO) => Ok(0),
            read => Ok(read?),
        }
    }

    pub(super) fn show(&mut self, bytes: &[u8]) {
        if let Some(screen) = &mut self.screen {
            let _ = screen.write_all(bytes).and_then(|()| screen.flush());
        }
    }

    pub(super) fn has_screen(&self) -> bool {
        self.screen.is_some()
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        self.leave();
    }
}
