//! The kernel's change events on Linux, through inotify.
//!
//! When a system call that changes something has returned, its event is queued; so a caller that reads the
//! queue now knows of everything that was finished before. A folder is named by its descriptor, through
//! `/proc/self/fd`: no rename of a folder above it can put the watch elsewhere.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::{Errno, retry_on_intr};

use super::source::{ChangeEvent, Source, SourceError, WatchId, WatchTarget};

const BUFFER: usize = 64 << 10;

/// The longest event: its head and a name of 255 bytes with its end, rounded up.
const LONGEST_EVENT: usize = 272;

const CAPACITY: usize = 8192;

const MAX_USER_WATCHES: &str = "/proc/sys/fs/inotify/max_user_watches";

const MAX_USER_INSTANCES: &str = "/proc/sys/fs/inotify/max_user_instances";

/// One inotify descriptor.
#[derive(Debug)]
pub struct Inotify {
    descriptor: OwnedFd,
    waker: OwnedFd,
    capacity: usize,
}

impl Inotify {
    /// Returns a descriptor that watches nothing yet.
    ///
    /// # Errors
    /// EMFILE when the user has as many as the system allows, and the like.
    pub fn new() -> Result<Inotify, Errno> {
        let descriptor = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let waker = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Inotify { descriptor, waker, capacity: max_user_watches().unwrap_or(CAPACITY) })
    }
}

/// Returns the number of folders that a user may watch, if the system says so.
#[must_use]
pub fn max_user_watches() -> Option<usize> {
    std::fs::read_to_string(MAX_USER_WATCHES).ok()?.trim().parse().ok()
}

/// Returns the number of inotify descriptors that a user may have, if the system says so.
#[must_use]
pub fn max_user_instances() -> Option<usize> {
    std::fs::read_to_string(MAX_USER_INSTANCES).ok()?.trim().parse().ok()
}

impl Source for Inotify {
    fn add(&self, place: &WatchTarget<'_>) -> Result<WatchId, SourceError> {
        let what = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::EXCL_UNLINK;
        let magic = format!("/proc/self/fd/{}", place.descriptor.as_raw_fd());
        let added = retry_on_intr(|| inotify::add_watch(&self.descriptor, Path::new(&magic), what));
        match added {
            Ok(watch) => Ok(WatchId(u64::from(watch.unsigned_abs()))),
            Err(Errno::NOSPC | Errno::NOMEM) => Err(SourceError::Limit),
            Err(errno) => Err(SourceError::Folder(errno)),
        }
    }

    fn remove(&self, watch: WatchId) {
        // EINVAL: the kernel has released it by itself.
        let _ = inotify::remove_watch(&self.descriptor, i32::try_from(watch.0).unwrap_or(-1));
    }

    fn drain(&self, emit: &mut dyn FnMut(ChangeEvent)) -> Result<(), SourceError> {
        let queued = rustix::io::ioctl_fionread(&self.descriptor).map_err(SourceError::Broken)?;
        // A read fills the buffer but for what an event needs, or has emptied the queue.
        let mut reads = usize::try_from(queued).unwrap_or(usize::MAX).div_ceil(BUFFER - 2 * LONGEST_EVENT);
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(self.descriptor.as_fd(), &mut buffer);
        loop {
            if reader.is_buffer_empty() {
                if reads == 0 {
                    return Ok(());
                }
                reads -= 1;
            }
            match reader.next() {
                Ok(event) => report(&event, emit),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => reads += 1,
                Err(errno) => return Err(SourceError::Broken(errno)),
            }
        }
    }

    fn wait(&self) -> Result<(), SourceError> {
        let mut request =
            [PollFd::new(&self.descriptor, PollFlags::IN), PollFd::new(&self.waker, PollFlags::IN)];
        retry_on_intr(|| poll(&mut request, None)).map_err(SourceError::Broken)?;
        if !request[1].revents().is_empty() {
            let mut count = [0; 8];
            let _ = rustix::io::read(&self.waker, &mut count);
        }
        Ok(())
    }

    fn wake(&self) {
        // It fails only when the counter is full, and then it is awake.
        let _ = rustix::io::write(&self.waker, &1u64.to_ne_bytes());
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}

fn report(event: &inotify::Event<'_>, emit: &mut dyn FnMut(ChangeEvent)) {
    let flags = event.events();
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        return emit(ChangeEvent::Lost);
    }
    let watch = WatchId(u64::from(event.wd().unsigned_abs()));
    if flags.intersects(ReadFlags::IGNORED) {
        return emit(ChangeEvent::Ended(watch));
    }
    match event.file_name() {
        Some(name) if !name.is_empty() => {
            emit(ChangeEvent::Entry(watch, OsStr::from_bytes(name.to_bytes()).to_owned()));
        }
        _ => emit(ChangeEvent::Folder(watch)),
    }
}
