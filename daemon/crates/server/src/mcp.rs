//! A connection that speaks MCP: the parts of it that need time. The messages are the crate `clada_mcp`'s.
//!
//! A call of a tool is a request of the method that does its work, and is begun, cancelled and finished as one.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use clada_mcp::{ACKNOWLEDGED, Beats, Fault, PROGRESS, Step, progress_params};
use clada_protocol::{ErrorKind, Id};
use futures_util::future::FutureExt;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::answer::{BegunRequest, RpcAnswer};
use super::cancel::{CancelReason, CancelToken};
use super::context::Peer;
use super::notifier::Notifier;

/// The most subscriptions of a connection: there is nothing to hear on any.
pub(super) const MAX_LISTENING: usize = 8;
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn is_reply(frame: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct ReplyMembers {
        method: Option<IgnoredAny>,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    let parts = serde_json::from_slice::<ReplyMembers>(frame);
    parts.is_ok_and(|parts| parts.method.is_none() && parts.result.or(parts.error).is_some())
}

pub(super) fn no_room(in_batch: bool) -> Fault {
    let message = if in_batch { "Not in a batch" } else { "There are too many subscriptions already" };
    Fault::new(ErrorKind::Busy.code(), format!("subscriptions/listen: {message}"))
}

pub(super) fn listen(
    peer: &Peer,
    id: Id,
    acknowledged: &Value,
    closing: String,
    stopping: CancelToken,
) -> BegunRequest {
    let cancel = CancelToken::default();
    // A client that takes nothing has enough to read already.
    let _ = peer.notifier.try_send_of(ACKNOWLEDGED, acknowledged, Some(&cancel));
    let ended = cancel.clone();
    let answer = async move {
        tokio::select! {
            _ = ended.cancelled() => {}
            _ = stopping.cancelled() => {}
        }
        RpcAnswer::of_mcp(Some(id), Ok(closing), Some(ended))
    };
    BegunRequest { answer: answer.boxed(), cancel, changes_files: false }
}

pub(super) struct ProgressReporter {
    token: Id,
    steps: watch::Receiver<Step>,
    notifier: Notifier,
    of: CancelToken,
    beats: Beats,
    beat: Duration,
    last: Instant,
}

impl ProgressReporter {
    pub(super) fn new(
        token: Id,
        beat: Duration,
        peer: &Arc<Peer>,
        of: &CancelToken,
    ) -> (watch::Sender<Step>, ProgressReporter) {
        let (sender, steps) = watch::channel(Step::default());
        let (notifier, beats) = (peer.notifier.clone(), Beats::default());
        (
            sender,
            ProgressReporter { token, steps, notifier, of: of.clone(), beats, beat, last: Instant::now() },
        )
    }

    fn report(&mut self) {
        let step = self.steps.borrow_and_update().clone();
        let params = progress_params(&self.token, self.beats.next(step.done), &step);
        // A client that does not read misses this one, and nothing else.
        let _ = self.notifier.try_send_of(PROGRESS, &params, Some(&self.of));
        self.last = Instant::now();
    }

    async fn next(&mut self) {
        tokio::select! {
            // The sender lives as long as the work.
            Ok(()) = self.steps.changed() => sleep_until(self.last + PAUSE).await,
            () = sleep_until(self.last + self.beat) => {}
        }
    }
}

/// Waits for `work`, whose progress `reporter` reports meanwhile: at its beginning, when it notes something, and in
/// between. Nothing is reported after its end.
pub(super) async fn reporting<F: Future>(reporter: Option<ProgressReporter>, work: F) -> F::Output {
    let Some(mut reporter) = reporter else { return work.await };
    reporter.report();
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            output = &mut work => return output,
            () = reporter.next() => {
                if reporter.of.reason() != Some(CancelReason::Requested) {
                    reporter.report();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifier::notifications;
    use crate::standing::Standing;

    #[tokio::test(start_paused = true)]
    async fn progress_is_told_at_most_five_times_a_second_and_every_five_seconds() {
        let standing = Arc::new(Standing::new(1, Instant::now(), Arc::default()));
        let (notifier, mut told) = notifications(1 << 20, standing);
        let (sender, steps) = watch::channel(Step::default());
        let of = CancelToken::default();
        let (token, beats) = (Id::from_json("7").unwrap(), Beats::default());
        let beat = crate::limits::RpcLimits::default().beat;
        let reporter = ProgressReporter { token, steps, notifier, of, beats, beat, last: Instant::now() };
        let begun = Instant::now();
        let work = async {
            // A step every 10 ms for two seconds, then 20 seconds of silence.
            for done in 0..200 {
                tokio::time::sleep(Duration::from_millis(10)).await;
                sender.send_modify(|step| step.done = done);
            }
            let busy = begun.elapsed();
            sleep_until(begun + busy + Duration::from_secs(20)).await;
        };
        reporting(Some(reporter), work).await;
        let mut count = 0;
        while told.queue.try_recv().is_ok() {
            count += 1;
        }
        // One at the beginning, ten in two seconds, the last step, and four beats.
        assert!((13..=16).contains(&count), "{count}");
    }
}
