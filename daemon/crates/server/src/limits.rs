//! The bounds of the server, in one value: every queue, wait and count has one.

use std::time::Duration;

/// The most bytes and the most lines of the headers of an HTTP request. More is answered with 431.
pub(super) const HTTP_HEADERS: usize = 16 * 1024;
pub(super) const HTTP_HEADER_LINES: usize = 64;

/// The bounds of the server. `Default` is what spec/safety.md promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcLimits {
    /// The most bytes of one message.
    pub frame: usize,
    /// The most open connections.
    pub connections: usize,
    /// The most requests of one connection in progress.
    pub requests: usize,
    /// The most bytes of the messages of one connection in progress.
    pub request_bytes: usize,
    /// The most bytes that all connections hold together: frames, queues and answers.
    pub total_bytes: usize,
    /// The most requests in a batch.
    pub batch: usize,
    /// The most bytes of one answer: the last guard, above the sizes that results limit themselves to.
    pub answer: usize,
    /// The most bytes of answers that wait for a slow reader before no more requests are taken.
    pub unread: usize,
    /// The most bytes of notifications that wait for a slow reader before their senders wait.
    pub notifications: usize,
    /// The most time from the first byte of a connection, a header block or the headers of an HTTP request
    /// until it is clear what they are.
    pub opening: Duration,
    /// The most time that answers wait for a reader that takes nothing.
    pub stalled_reader: Duration,
    /// The most time for a request that changes nothing.
    pub read_deadline: Duration,
    /// The most time for a request that changes files, unless its handler sets a deadline of its own.
    pub change_deadline: Duration,
    /// The most time that requests may go on when the daemon stops.
    pub stop: Duration,
    /// The interval of the checks of the socket, the watchdog and idleness.
    pub housekeeping: Duration,
    /// The time without work after which memory that is only for later use is released.
    pub quiet: Duration,
    /// The longest time without a report of progress to a client that asked for them: hosts of MCP give up after a
    /// minute.
    pub beat: Duration,
    /// The time without clients after which the daemon exits; `None`: it stays.
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
            opening: Duration::from_secs(10),
            stalled_reader: Duration::from_secs(30),
            read_deadline: Duration::from_secs(60),
            change_deadline: Duration::from_secs(600),
            stop: Duration::from_secs(10),
            housekeeping: Duration::from_secs(1),
            quiet: Duration::from_secs(20),
            beat: Duration::from_secs(5),
            idle_exit: Some(Duration::from_secs(4 * 3600)),
        }
    }
}
