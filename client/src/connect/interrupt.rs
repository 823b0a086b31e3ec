//! Ctrl-C as something to wait for beside the daemon's answer.

use std::io::Read;
use std::os::unix::net::UnixStream;

use rustix::fd::{AsFd, BorrowedFd};
use signal_hook::SigId;
use signal_hook::consts::SIGINT;
use signal_hook::low_level;

/// While this lives, Ctrl-C does not end the program but can be waited for.
#[derive(Debug)]
pub(super) struct Interrupts {
    wakes: UnixStream,
    id: SigId,
}

impl Interrupts {
    /// `None` where the system gives no means for it: Ctrl-C then ends the program.
    pub(super) fn catch() -> Option<Interrupts> {
        let (wakes, woken) = UnixStream::pair().ok()?;
        let id = low_level::pipe::register(SIGINT, woken).ok()?;
        Some(Interrupts { wakes, id })
    }

    /// Takes notice of one interrupt that has come.
    pub(super) fn take(&mut self) {
        let _ = self.wakes.read(&mut [0; 1]);
    }
}

impl AsFd for Interrupts {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wakes.as_fd()
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        low_level::unregister(self.id);
    }
}
