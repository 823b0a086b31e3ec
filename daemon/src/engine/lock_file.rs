//! The lock for scripts that share a project with others: a file of theirs, locked for one operation.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use clada_protocol::{ErrorKind, ExecuteParams, LOCK_TIMEOUT_MS, RpcError};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::request::RequestContext;

#[derive(Debug)]
pub(super) struct LockFile {
    file: OwnedFd,
}

impl LockFile {
    pub(super) fn share(&self) -> std::io::Result<OwnedFd> {
        self.file.try_clone()
    }
}

pub(super) fn lock_file(
    params: &ExecuteParams,
    context: &dyn RequestContext,
) -> Result<Option<LockFile>, RpcError> {
    let Some(named) = &params.lock_file else { return Ok(None) };
    let path = Path::new(named);
    if !path.is_absolute() || named.contains('\0') {
        let message = format!("lockFile: '{named}' is not an absolute path");
        return Err(RpcError::new(ErrorKind::InvalidParams, message));
    }
    let failed = |error: Errno| {
        let error = std::io::Error::from(error);
        RpcError::new(ErrorKind::Io, format!("The lock file '{named}' cannot be locked: {error}"))
            .with("path", named.as_str())
            .hint("give a file that can be made or written as --lock-file")
    };
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::from_raw_mode(0o666)).map_err(failed)?;
    let wait = Duration::from_millis(params.lock_timeout_ms.unwrap_or(LOCK_TIMEOUT_MS));
    let begun = Instant::now();
    let mut pause = LOCK_PAUSE.0;
    // `flock` without blocking, in a loop: a blocking call could be neither cancelled nor bounded in time.
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(LockFile { file })),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(error) => return Err(failed(error)),
        }
        if context.stop().is_some() {
            let message = format!("Stopped while another program held the lock '{named}'");
            return Err(RpcError::new(ErrorKind::Cancelled, message));
        }
        if begun.elapsed() >= wait {
            let message = format!("Another program has held the lock '{named}' for {} ms", wait.as_millis());
            return Err(RpcError::new(ErrorKind::Busy, message)
                .with("path", named.as_str())
                .hint("try again, or allow more time with --lock-timeout"));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOCK_PAUSE.1);
    }
}

/// The first pause, and the longest one, before the lock of a root is tried again.
pub(super) const LOCK_PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// The time that a helper without its daemon has to end its command, before this process ends it.
pub(super) const REMAINS_TIME: Duration = Duration::from_secs(2);
