//! Work that takes time, on threads of its own.
//!
//! It is boxed before it reaches the runtime: what is generic in it would be compiled, with all that it takes of tokio, once for each
//! caller.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use tokio::sync::{Semaphore, oneshot};

/// Bytes from which giving memory back takes the system its time.
const LARGE: usize = 1 << 20;

// Bytes beyond which a frame is read on a thread of its own.
const HUGE: usize = 1 << 20;

#[cfg(target_os = "linux")]
const NICE: i32 = 10;

type BoxedWork = Box<dyn FnOnce() -> BoxedOutput + Send>;
type BoxedOutput = Box<dyn Any + Send>;

/// Runs `work` on a blocking thread and returns what it returns, or panics as it does.
pub(super) async fn on_blocking_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    typed(run(boxed(work)).await)
}

pub(super) fn drop_in_background<T: Send + 'static>(bytes: usize, what: T) {
    if bytes >= LARGE {
        tokio::task::spawn_blocking(move || drop(what));
    }
}

/// The place where large frames are read: on blocking threads, huge ones one after the other. However many
/// come at once, the processors are left to others. Clones are the same place.
#[derive(Debug, Clone)]
pub(super) struct LargeFrameReader(Arc<Semaphore>);

impl Default for LargeFrameReader {
    fn default() -> LargeFrameReader {
        LargeFrameReader(Arc::new(Semaphore::new(1)))
    }
}

impl LargeFrameReader {
    pub(super) async fn work<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let work = boxed(work);
        typed(if bytes <= HUGE { run(work).await } else { self.run_huge(work).await })
    }

    async fn run_huge(&self, work: BoxedWork) -> BoxedOutput {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.0).acquire_owned().await.ok();
        let (reply, done) = oneshot::channel();
        // A thread that lowers its priority can never raise it again, so the work gets a thread of its own.
        let started = std::thread::Builder::new().name("clada-huge".to_owned()).spawn(move || {
            // Held by the work itself, which goes on when no task waits for it any more.
            let _permit = permit;
            #[cfg(target_os = "linux")]
            if let Err(error) = rustix::process::setpriority_process(None, NICE) {
                tracing::debug!(%error, "reads a huge frame at full priority");
            }
            let _ = reply.send(catch_unwind(AssertUnwindSafe(work)));
        });
        drop(started.inspect_err(|error| tracing::warn!(%error, "no thread for a huge frame")));
        match done.await {
            Ok(Ok(value)) => value,
            // Without a thread the request fails like one whose handler panicked.
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => resume_unwind(Box::new("no thread for a huge frame")),
        }
    }
}

async fn run(work: BoxedWork) -> BoxedOutput {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime is going away: no client will read an answer.
            Err(_) => std::future::pending().await,
        },
    }
}

fn boxed<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> BoxedWork {
    Box::new(move || Box::new(work()))
}

fn typed<T: 'static>(output: BoxedOutput) -> T {
    match output.downcast() {
        Ok(value) => *value,
        Err(_) => unreachable!("`boxed` work returns what its caller waits for"),
    }
}
