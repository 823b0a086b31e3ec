//! Ctrl-C as something to wait for beside the daemon's answer, or a person's.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use signal_hook::SigId;
use signal_hook::consts::SIGINT;
use signal_hook::{flag, low_level};

/// Whether Ctrl-C ends the program, once it has been caught: a handler that was set is never taken back, and
/// without this one the signal would be ignored from then on, at a question too.
static ENDS: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// While this lives, Ctrl-C does not end the program but can be waited for.
#[derive(Debug)]
pub(crate) struct Interrupts {
    wakes: UnixStream,
    id: SigId,
}

impl Interrupts {
    /// `None` where the system gives no means for it: Ctrl-C then ends the program.
    pub(crate) fn catch() -> Option<Interrupts> {
        let (wakes, woken) = UnixStream::pair().ok()?;
        let ends = match ENDS.get() {
            Some(ends) => ends,
            None => {
                let ends = Arc::new(AtomicBool::new(true));
                flag::register_conditional_default(SIGINT, Arc::clone(&ends)).ok()?;
                ENDS.get_or_init(|| ends)
            }
        };
        let id = low_level::pipe::register(SIGINT, woken).ok()?;
        ends.store(false, Ordering::SeqCst);
        Some(Interrupts { wakes, id })
    }

    /// Takes notice of one interrupt that has come.
    pub(crate) fn take(&mut self) {
        let _ = self.wakes.read(&mut [0; 1]);
    }

    /// Whether one has come; takes notice of it.
    pub(crate) fn has_come(&mut self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let come = matches!(poll(&mut [PollFd::new(&self.wakes, PollFlags::IN)], Some(&now)), Ok(1));
        if come {
            self.take();
        }
        come
    }
}

impl AsFd for Interrupts {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wakes.as_fd()
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        if let Some(ends) = ENDS.get() {
            ends.store(true, Ordering::SeqCst);
        }
        low_level::unregister(self.id);
    }
}
