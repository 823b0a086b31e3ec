//! Takes project locks (those of roots), for an operation and its commands: in one order everywhere, and waiting in a
//! way that finds out if the holder is dead.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use clada_apply::Stop;
use clada_exec::Hold;
use clada_fs::{RootLock, Roots};
use clada_protocol::{ErrorKind, RpcError};

use super::lock_file::{LOCK_PAUSE, LockFile, REMAINS_TIME};
use super::recording::{HeldProject, unfinished};
use super::request::{Holder, ProjectRequest};

impl ProjectRequest {
    /// Takes the locks of all roots, in one order everywhere, so that two operations never wait for each
    /// other.
    pub(super) fn lock(&self, roots: &Roots) -> Result<Vec<RootLock>, RpcError> {
        let mut notified_holder = None;
        let order = lock_order(roots).into_iter();
        order.map(|index| self.lock_one(roots, index, &mut notified_holder)).collect()
    }

    pub(super) fn try_lock(&self, roots: &Roots) -> Result<Option<Vec<RootLock>>, RpcError> {
        let state = &self.environment().state;
        let locks = lock_order(roots).into_iter().map(|index| RootLock::try_acquire(roots, index, state));
        locks.collect::<Result<_, _>>().map_err(RpcError::from)
    }

    fn tell_holder(&self) -> Result<Holder, RpcError> {
        let unfinished = unfinished(self.journal())?;
        if !unfinished.is_empty() && clada_exec::has_orphans(&unfinished) {
            self.context().waiting_for(Holder::Remains);
            return Ok(Holder::Remains);
        }
        self.context().waiting();
        Ok(Holder::Operation)
    }

    fn lock_one(
        &self,
        roots: &Roots,
        index: usize,
        notified_holder: &mut Option<Holder>,
    ) -> Result<RootLock, RpcError> {
        let (mut looked, mut pause) = (Instant::now(), LOCK_PAUSE.0);
        loop {
            let acquired = RootLock::try_acquire(roots, index, &self.environment().state);
            if let Some(lock) = acquired? {
                return Ok(lock);
            }
            let holder = match *notified_holder {
                Some(holder) => holder,
                None => *notified_holder.insert(self.tell_holder()?),
            };
            if let Some(stop) = self.context().stop() {
                return Err(not_locked(stop, holder));
            }
            // A helper whose daemon is gone may have been stopped by its command.
            if looked.elapsed() > REMAINS_TIME {
                let _ = clada_exec::end_orphans(&unfinished(self.journal())?);
                looked = Instant::now();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOCK_PAUSE.1);
        }
    }
}

fn not_locked(stop: Stop, holder: Holder) -> RpcError {
    let held = holder.shown();
    match stop {
        Stop::Cancelled => {
            RpcError::new(ErrorKind::Cancelled, format!("Cancelled while {held} held the project"))
        }
        Stop::Deadline => {
            let message = format!(
                "{}{} held the project until the time was over",
                held[..1].to_uppercase(),
                &held[1..]
            );
            RpcError::new(ErrorKind::Busy, message).hint("try again, or allow more time with --total-timeout")
        }
    }
}

fn lock_order(roots: &Roots) -> Vec<usize> {
    let mut order: BTreeSet<(u64, u64, usize)> = BTreeSet::new();
    for (index, path) in roots.paths().enumerate().filter(|(_, path)| *path != Path::new("/")) {
        let metadata = std::fs::metadata(path);
        let identity = metadata.map(|metadata| (metadata.dev(), metadata.ino())).unwrap_or_default();
        if order.iter().all(|(dev, ino, _)| (*dev, *ino) != identity) {
            order.insert((identity.0, identity.1, index));
        }
    }
    order.into_iter().map(|(.., index)| index).collect()
}

pub(super) fn hold(
    id: &str,
    held: Option<&HeldProject>,
    lock_file: Option<&LockFile>,
) -> Result<Hold, RpcError> {
    let locks = held.into_iter().flat_map(|held| &held.locks).map(RootLock::share);
    let locks = locks.chain(lock_file.map(LockFile::share)).collect::<std::io::Result<Vec<_>>>();
    let failed =
        |error| RpcError::new(ErrorKind::Io, format!("The project's lock cannot be shared: {error}"));
    locks.map(|locks| Hold::new(id, locks)).map_err(failed)
}
