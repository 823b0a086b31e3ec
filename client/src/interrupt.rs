//! Signals as events to wait for alongside the daemon's answer, or the user's typing.

use std::ffi::c_int;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGINT};
use signal_hook::{flag, low_level};

/// The signals that were caught once, each with a flag that restores its default effect: a handler that was
/// set is never removed, and without the flag the signal would be ignored from then on, at a question too.
static DEFAULTS: Mutex<Vec<(c_int, Arc<AtomicBool>)>> = Mutex::new(Vec::new());

/// A guard: while it lives, its signals do not end the program but can be waited for. At first only Ctrl-C.
#[derive(Debug)]
pub(crate) struct Interrupts {
    wakes: UnixStream,
    last: Arc<AtomicUsize>,
    defaults: Vec<Arc<AtomicBool>>,
    ids: Vec<SigId>,
}

impl Interrupts {
    /// `None` where the system gives no means for it: Ctrl-C then ends the program.
    pub(crate) fn catch() -> Option<Interrupts> {
        Interrupts::catch_all(&[SIGINT])
    }

    pub(crate) fn by_hand() -> Option<(Interrupts, UnixStream)> {
        let (wakes, hand) = UnixStream::pair().ok()?;
        Some((Interrupts { wakes, last: Arc::default(), defaults: Vec::new(), ids: Vec::new() }, hand))
    }

    pub(crate) fn catch_all(signals: &[c_int]) -> Option<Interrupts> {
        let (wakes, woken) = UnixStream::pair().ok()?;
        let last = Arc::default();
        let mut caught = Interrupts { wakes, last, defaults: Vec::new(), ids: Vec::new() };
        for signal in signals {
            let default = default_of(*signal)?;
            // A program that was stopped goes on by itself: that must not hide a signal that ends it.
            if let (true, Ok(number)) = (*signal != SIGCONT, usize::try_from(*signal)) {
                caught.ids.push(flag::register_usize(*signal, Arc::clone(&caught.last), number).ok()?);
            }
            caught.ids.push(low_level::pipe::register(*signal, woken.try_clone().ok()?).ok()?);
            default.store(false, Ordering::SeqCst);
            caught.defaults.push(default);
        }
        Some(caught)
    }

    pub(crate) fn take(&mut self) -> Option<c_int> {
        let _ = self.wakes.read(&mut [0; 1]);
        self.last()
    }

    pub(crate) fn last(&mut self) -> Option<c_int> {
        c_int::try_from(self.last.swap(0, Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }

    pub(crate) fn has_come(&mut self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let come = matches!(poll(&mut [PollFd::new(&self.wakes, PollFlags::IN)], Some(&now)), Ok(1));
        if come {
            self.take();
        }
        come
    }
}

fn default_of(signal: c_int) -> Option<Arc<AtomicBool>> {
    let mut known = DEFAULTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, default)) = known.iter().find(|(own, _)| *own == signal) {
        return Some(Arc::clone(default));
    }
    let default = Arc::new(AtomicBool::new(true));
    flag::register_conditional_default(signal, Arc::clone(&default)).ok()?;
    known.push((signal, Arc::clone(&default)));
    Some(default)
}

impl AsFd for Interrupts {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wakes.as_fd()
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        for default in &self.defaults {
            default.store(true, Ordering::SeqCst);
        }
        for id in &self.ids {
            low_level::unregister(*id);
        }
    }
}
