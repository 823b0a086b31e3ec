//! The end of the process: signals that ask for it, and the runtime that goes with it.
//!
//! SIGTERM, SIGINT and SIGHUP stop the server, which then finishes what runs (see `clada_server`). A second
//! one does not hurry it: what changes files is never cut in half, and the wait is bounded.

use std::io;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

const THREADS: Duration = Duration::from_millis(100);

pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(crate) fn begin() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.hang_up.recv() => "SIGHUP",
        }
    }
}

pub(crate) fn runtime() -> io::Result<Runtime> {
    // A runtime of few threads: the work of the daemon is on disks and in other processes.
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.clamp(2, 4))
        .max_blocking_threads(64)
        .thread_keep_alive(Duration::from_secs(30))
        .thread_name("clada")
        .enable_all()
        .build()
}

pub(crate) fn end(runtime: Runtime) {
    // A thread that still reads standard input must not hold up the exit.
    runtime.shutdown_timeout(THREADS);
}
