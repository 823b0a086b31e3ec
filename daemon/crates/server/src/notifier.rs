//! Notifications to the client of a request: bounded in bytes, in order, before the answer.

use std::sync::Arc;

use clada_protocol::message::notification_json;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::cancel::CancelToken;
use super::standing::{HeldBytes, Standing};

/// The reason why a notification was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotifyError {
    /// The client went away.
    #[error("the client disconnected")]
    Disconnected,
    /// Too many bytes wait for the client to read them.
    #[error("too much waits for the client to read it")]
    Full,
    /// The parameters cannot be JSON.
    #[error("the parameters of the notification cannot be JSON")]
    Params,
}

/// Sends notifications on one connection. Clones share its bound.
#[derive(Debug, Clone)]
pub struct Notifier {
    queue: mpsc::UnboundedSender<QueuedNotification>,
    room: Arc<Semaphore>,
    bound: usize,
    standing: Arc<Standing>,
}

#[derive(Debug)]
pub(super) struct Notifications {
    pub(super) queue: mpsc::UnboundedReceiver<QueuedNotification>,
    room: Arc<Semaphore>,
}

#[derive(Debug)]
pub(super) struct QueuedNotification {
    pub(super) json: String,
    /// On a connection that speaks MCP: the request that it is about. It is not sent once that is cancelled.
    pub(super) of: Option<CancelToken>,
    _room: OwnedSemaphorePermit,
    _kept: HeldBytes,
}

pub(super) fn notifications(bound: usize, standing: Arc<Standing>) -> (Notifier, Notifications) {
    let bound = bound.min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
    let (sender, receiver) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(bound));
    (
        Notifier { queue: sender, room: Arc::clone(&room), bound, standing },
        Notifications { queue: receiver, room },
    )
}

impl Notifier {
    /// Sends a notification; waits while too much is unread.
    ///
    /// # Errors
    ///
    /// [`NotifyError::Disconnected`] or [`NotifyError::Params`].
    pub async fn send<P: Serialize>(&self, method: &str, params: &P) -> Result<(), NotifyError> {
        let json = notification_json(method, params).map_err(|_| NotifyError::Params)?;
        let room = Arc::clone(&self.room).acquire_many_owned(self.weight(&json)).await;
        self.push(json, room.map_err(|_| NotifyError::Disconnected)?, None)
    }

    /// Sends a notification if there is room for it now. For sync code too.
    ///
    /// # Errors
    ///
    /// Any [`NotifyError`].
    pub fn try_send<P: Serialize>(&self, method: &str, params: &P) -> Result<(), NotifyError> {
        self.try_send_of(method, params, None)
    }

    pub(super) fn try_send_of<P: Serialize>(
        &self,
        method: &str,
        params: &P,
        of: Option<&CancelToken>,
    ) -> Result<(), NotifyError> {
        let json = notification_json(method, params).map_err(|_| NotifyError::Params)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(self.weight(&json));
        self.push(
            json,
            room.map_err(|error| match error {
                tokio::sync::TryAcquireError::Closed => NotifyError::Disconnected,
                tokio::sync::TryAcquireError::NoPermits => NotifyError::Full,
            })?,
            of.cloned(),
        )
    }

    /// Sends a notification as [`Notifier::send`] does, for sync code on a blocking thread of the runtime.
    ///
    /// # Errors
    ///
    /// As [`Notifier::send`].
    ///
    /// # Panics
    ///
    /// On a thread that runs async code, or outside of the runtime.
    pub fn send_blocking<P: Serialize>(&self, method: &str, params: &P) -> Result<(), NotifyError> {
        tokio::runtime::Handle::current().block_on(self.send(method, params))
    }

    /// Waits until the client has gone.
    pub async fn disconnected(&self) {
        self.queue.closed().await;
    }

    /// Returns the room that a notification takes. One that is larger than the bound takes all of it.
    fn weight(&self, json: &str) -> u32 {
        u32::try_from(json.len().min(self.bound)).unwrap_or(u32::MAX)
    }

    fn push(
        &self,
        json: String,
        room: OwnedSemaphorePermit,
        of: Option<CancelToken>,
    ) -> Result<(), NotifyError> {
        let held_bytes = self.standing.keep(json.len());
        self.queue
            .send(QueuedNotification { json, of, _room: room, _kept: held_bytes })
            .map_err(|_| NotifyError::Disconnected)
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        self.room.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bounded_in_bytes_and_closed_with_the_connection() {
        let standing = Arc::new(Standing::new(1, tokio::time::Instant::now(), Arc::default()));
        let (notifier, mut notifications) = notifications(60, Arc::clone(&standing));
        notifier.send("a", &[0]).await.unwrap();
        assert_eq!(notifier.try_send("b", &[0]), Err(NotifyError::Full));
        let waiting = tokio::spawn({
            let notifier = notifier.clone();
            async move { notifier.send("larger than the bound, yet sent when there is nothing else", &[0]).await }
        });
        assert!(notifications.queue.recv().await.unwrap().json.contains("\"a\""));
        assert!(waiting.await.unwrap().is_ok());
        assert!(standing.held() > 60);
        drop(notifications);
        assert_eq!(standing.held(), 0);
        assert_eq!(notifier.send("c", &[0]).await, Err(NotifyError::Disconnected));
    }
}
