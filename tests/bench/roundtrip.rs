//! `status` on one connection against a bare tokio server that answers the same bytes.
//!
//! The bare server is a process of its own like the daemon, on a runtime of the same flavour: this program
//! again, started with `bare SOCKET ANSWER`. Both servers are kept on one core and the caller on another:
//! where the kernel puts three processes on few cores differs more than the servers do.

use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::measure::{Series, print, ratio, verdict};
use crate::place::{Connection, Daemon, Place};

const ROUNDS: usize = 60;
const ASKED: usize = 500;
const REQUEST: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n";

pub(crate) fn run() {
    println!("status on one connection, {ASKED} round trips a run:");
    let place = Place::new();
    // Processes inherit the cores of the thread that starts them.
    let everywhere = cores::mine();
    cores::keep_to(&everywhere, 1);
    let _daemon = place.daemon();
    let mut daemon = Connection::open(&place.socket());
    let answer = daemon.ask(REQUEST);
    let bare = place.socket().with_file_name("bare.sock");
    let _bare = Daemon::ready(
        place
            .command(&std::env::current_exe().expect("this program has a path"))
            .arg("bare")
            .arg(&bare)
            .arg(String::from_utf8(answer).expect("text")),
    );
    let mut bare = Connection::open(&bare);
    cores::keep_to(&everywhere, 0);

    let mut of_daemon = Series::new("clada-daemon");
    let mut of_bare = Series::new("bare tokio server");
    for round in 0..ROUNDS {
        of_daemon.time(|| (0..ASKED).for_each(|_| drop(daemon.ask(REQUEST))));
        of_bare.time(|| (0..ASKED).for_each(|_| drop(bare.ask(REQUEST))));
        if round == 0 {
            of_daemon.forget();
            of_bare.forget();
        }
    }
    print(&[&of_bare, &of_daemon]);
    verdict("status against a bare server", ratio(&of_daemon, &of_bare), "", 1.4);
    framings(&place);
    cores::give_back(&everywhere);
}

/// The same in each way to talk, on connections that stay.
fn framings(place: &Place) {
    println!("status in each way to talk, {ASKED} round trips a run:");
    let message = std::str::from_utf8(REQUEST).expect("text").trim_end();
    let length = format!("Content-Length: {}\r\n\r\n{message}", message.len());
    let post = format!("POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{length}");
    let [mut lines, mut headers, mut http] = [(); 3].map(|()| Connection::open(&place.socket()));
    let mut of_lines = Series::new("lines");
    let mut of_headers = Series::new("headers");
    let mut of_http = Series::new("HTTP, keep-alive");
    for round in 0..ROUNDS {
        of_lines.time(|| (0..ASKED).for_each(|_| drop(lines.ask(REQUEST))));
        of_headers.time(|| (0..ASKED).for_each(|_| drop(headers.ask_with_headers(length.as_bytes()))));
        of_http.time(|| (0..ASKED).for_each(|_| drop(http.ask_with_headers(post.as_bytes()))));
        if round == 0 {
            [&mut of_lines, &mut of_headers, &mut of_http].into_iter().for_each(Series::forget);
        }
    }
    print(&[&of_lines, &of_headers, &of_http]);
    verdict("status by headers against lines", ratio(&of_headers, &of_lines), "", 1.15);
    verdict("status by HTTP against lines", ratio(&of_http, &of_lines), "", 2.0);
}

/// The cores on which a thread, and the processes that it starts, may run.
#[cfg(target_os = "linux")]
mod cores {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Returns the cores of this thread.
    pub(super) fn mine() -> CpuSet {
        sched_getaffinity(None).expect("the system tells")
    }

    /// Keeps this thread to the core at `place` of `all`; the last, if there are not so many.
    pub(super) fn keep_to(all: &CpuSet, place: usize) {
        let there: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core)).collect();
        let mut one = CpuSet::new();
        one.set(there[place.min(there.len() - 1)]);
        sched_setaffinity(None, &one).expect("a core that was ours");
    }

    pub(super) fn give_back(all: &CpuSet) {
        sched_setaffinity(None, all).expect("cores that were ours");
    }
}

/// The system does not let a thread choose.
#[cfg(not(target_os = "linux"))]
mod cores {
    pub(super) fn mine() {}

    pub(super) fn keep_to(_: &(), _: usize) {}

    pub(super) fn give_back(_: &()) {}
}

/// Runs the bare server: reports that it is ready, then answers every read.
pub(crate) fn serve_bare(socket: &Path, answer: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 4))
        .enable_all()
        .build()
        .expect("a runtime");
    let listener = runtime.block_on(async { tokio::net::UnixListener::bind(socket) }).expect("a socket");
    println!("ready");
    let answer = answer.to_owned();
    // As in the daemon, the connection is a task, and the runtime does not block on it.
    let served = runtime.spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let mut buffer = vec![0; 16 * 1024];
        while stream.read(&mut buffer).await.is_ok_and(|count| count > 0) {
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let _ = runtime.block_on(served);
}
