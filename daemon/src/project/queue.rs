//! The operations of a project, one after the other in the order of their arrival, each on a blocking thread.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clada_protocol::{ErrorKind, RpcError};
use tokio::sync::oneshot;

struct QueuedJob {
    work: Box<dyn FnOnce() -> AnswerCallback + Send>,
    after: Box<dyn FnOnce() + Send>,
}

type AnswerCallback = Box<dyn FnOnce() + Send>;

#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<Mutex<QueuedJobs>>);

#[derive(Default)]
struct QueuedJobs {
    is_busy: bool,
    jobs: VecDeque<QueuedJob>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let waiting = self.waiting();
        let (is_busy, jobs) = (waiting.is_busy, waiting.jobs.len());
        formatter.debug_struct("Queue").field("is_busy", &is_busy).field("jobs", &jobs).finish()
    }
}

impl Queue {
    /// `waiting` is called if it has to wait, `after` when it is over and no caller waits for it. Needs a
    /// runtime. A panic of `work` is a panic here. Dropping the future does not stop `work`. Those of `work`;
    /// `internal` if the daemon ends first.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, RpcError> + Send + 'static,
        waiting: impl FnOnce(),
        after: impl FnOnce() + Send + 'static,
    ) -> Result<T, RpcError> {
        let (reply, outcome) = oneshot::channel();
        let work = move || -> AnswerCallback {
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(work));
            // A reply whose caller has gone away is dropped.
            Box::new(move || drop(reply.send(outcome)))
        };
        if let Some(first) = self.enter(QueuedJob { work: Box::new(work), after: Box::new(after) }) {
            self.begin(first);
        } else {
            waiting();
        }
        match outcome.await {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Err(RpcError::new(ErrorKind::Internal, "The daemon is stopping").hint("try again")),
        }
    }

    fn enter(&self, job: QueuedJob) -> Option<QueuedJob> {
        let mut waiting = self.waiting();
        if waiting.is_busy {
            waiting.jobs.push_back(job);
            return None;
        }
        waiting.is_busy = true;
        Some(job)
    }

    fn begin(&self, job: QueuedJob) {
        let queue = self.clone();
        tokio::task::spawn_blocking(move || {
            let answer = (job.work)();
            // The next operation may begin before this answer is read, but not before this work is over.
            if let Some(next) = queue.leave() {
                queue.begin(next);
            }
            answer();
            let _ = std::panic::catch_unwind(AssertUnwindSafe(job.after));
        });
    }

    fn leave(&self) -> Option<QueuedJob> {
        let mut waiting = self.waiting();
        let next = waiting.jobs.pop_front();
        waiting.is_busy = next.is_some();
        next
    }

    fn waiting(&self) -> MutexGuard<'_, QueuedJobs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn operations_run_one_after_the_other_in_their_order() {
        let (queue, done) = (Queue::default(), Arc::new(Mutex::new(Vec::new())));
        let (release, held) = mpsc::channel::<()>();
        let note = |what: &'static str| {
            let done = Arc::clone(&done);
            move || done.lock().unwrap().push(what)
        };
        let first = {
            let note = note("first");
            let work = move || {
                held.recv().unwrap();
                note();
                Ok(1)
            };
            queue.run(work, || panic!("nothing ran yet"), || {})
        };
        let second = {
            let note = note("second");
            let work = move || {
                note();
                Ok(2)
            };
            queue.run(work, move || release.send(()).unwrap(), || {})
        };
        let (first, second) = tokio::join!(first, second);
        assert_eq!((first.unwrap(), second.unwrap()), (1, 2));
        assert_eq!(*done.lock().unwrap(), ["first", "second"]);
    }

    #[tokio::test]
    async fn a_panic_is_its_caller_s_and_the_next_one_runs() {
        let queue = Queue::default();
        let broken = {
            let queue = queue.clone();
            tokio::spawn(
                async move { queue.run(|| -> Result<(), RpcError> { panic!("x") }, || {}, || {}).await },
            )
        };
        assert!(broken.await.unwrap_err().is_panic());
        assert_eq!(queue.run(|| Ok(1), || {}, || {}).await.unwrap(), 1);
    }
}
