//! The bounds of the server, in one value: every queue, wait and count has one.

use std::time::Duration;

/// The bounds of the server. `Default` is what spec/safety.md promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcLimits {
    /// Bytes of one message.
    pub frame: usize,
    /// Open connections.
    pub connections: usize,
    /// Requests of one connection that are worked on.
    pub requests: usize,
    /// Bytes of the messages of one connection that are worked on.
    pub request_bytes: usize,
    /// Bytes that all connections hold together: frames, queues and answers.
    pub total_bytes: usize,
    /// Requests in a batch.
    pub batch: usize,
    /// Bytes of one answer: the last guard, above what results cut themselves down to.
    pub answer: usize,
    /// Bytes of answers that wait for a slow reader before no more requests are taken.
    pub unread: usize,
    /// Bytes of notifications that wait for a slow reader before those who send them wait.
    pub notifications: usize,
    /// How long answers may wait for a reader that takes nothing.
    pub stalled_reader: Duration,
    /// How long a request that changes nothing may take.
    pub read_deadline: Duration,
    /// How long a request that changes files may take, unless its handler sets a deadline of its own.
    pub change_deadline: Duration,
    /// How long requests may go on when the daemon stops.
    pub stop: Duration,
    /// How often the socket, the watchdog and idleness are looked after.
    pub housekeeping: Duration,
    /// Without clients for so long, the daemon leaves; `None`: it stays.
    pub idle_exit: Option<Duration>,
}

impl Default for RpcLimits {
    fn default() -> RpcLimits {
        RpcLimits {
            frame: 128 << 20,
            connections: 256,
            requests: 64,
            request_bytes: 128 << 20,
            total_bytes: 512 << 20,
            batch: 1000,
            answer: 64 << 20,
            unread: 1 << 20,
            notifications: 4 << 20,
            stalled_reader: Duration::from_secs(30),
            read_deadline: Duration::from_secs(60),
            change_deadline: Duration::from_secs(600),
            stop: Duration::from_secs(10),
            housekeeping: Duration::from_secs(1),
            idle_exit: Some(Duration::from_secs(4 * 3600)),
        }
    }
}
