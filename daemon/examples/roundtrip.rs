//! Measures a `status` round trip on one connection against a bare tokio server on a Unix socket.
//!
//! Both run in this process on one runtime, of the daemon's flavour; the bare one reads what comes and writes
//! the bytes of a `status` answer, knowing nothing. The same blocking client drives both, in turns, so that
//! what disturbs one disturbs the other. Prints the medians and their ratio; the goal is at most 1.4.
//!
//!     cargo run --release -p clada-daemon --example roundtrip [ROUNDS]

#![allow(clippy::print_stdout)] // What it prints is its purpose.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use clada_server::{Door, Instance, RpcLimits, ServerBuilder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const REQUEST: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n";
const TURN: usize = 500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds: usize =
        std::env::args_os().nth(1).and_then(|text| text.to_str()?.parse().ok()).unwrap_or(50_000);
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("clada/v1.sock");
    let bare = folder.path().join("bare.sock");
    let uid = rustix::process::geteuid().as_raw();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;

    let (instance, listener) = Instance::claim(&socket, uid)?;
    let server = ServerBuilder::new(RpcLimits::default(), uid).build();
    let door = runtime.block_on(async { Door::own(instance, listener) })?;
    runtime.spawn({
        let server = server.clone();
        async move { server.serve(door).await }
    });

    let mut client = Client::connect(&socket)?;
    client.round()?;
    let answer = client.answer.clone();
    let bare_listener = runtime.block_on(async { tokio::net::UnixListener::bind(&bare) })?;
    runtime.spawn(echo(bare_listener, answer));

    let mut bare_client = Client::connect(&bare)?;
    let (mut of_daemon, mut of_bare) = (Vec::new(), Vec::new());
    for turn in 0..(rounds / TURN).max(2) {
        let daemon = client.turn()?;
        let bare = bare_client.turn()?;
        // The first turn warms both up.
        if turn > 0 {
            of_daemon.extend(daemon);
            of_bare.extend(bare);
        }
    }
    let (daemon, bare) = (median(&mut of_daemon), median(&mut of_bare));
    println!("bare:   {:7.2} us", bare.as_secs_f64() * 1e6);
    println!("status: {:7.2} us  ({} bytes)", daemon.as_secs_f64() * 1e6, client.answer.len());
    println!("ratio:  {:7.2}", daemon.as_secs_f64() / bare.as_secs_f64());
    server.stop();
    Ok(())
}

async fn echo(listener: tokio::net::UnixListener, answer: Vec<u8>) -> std::io::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    let mut buffer = vec![0; 16 * 1024];
    loop {
        if stream.read(&mut buffer).await? == 0 {
            return Ok(());
        }
        stream.write_all(&answer).await?;
    }
}

struct Client {
    reader: BufReader<UnixStream>,
    answer: Vec<u8>,
}

impl Client {
    fn connect(path: &Path) -> std::io::Result<Client> {
        Ok(Client { reader: BufReader::new(UnixStream::connect(path)?), answer: Vec::new() })
    }

    fn round(&mut self) -> std::io::Result<()> {
        self.reader.get_mut().write_all(REQUEST)?;
        self.answer.clear();
        self.reader.read_until(b'\n', &mut self.answer)?;
        Ok(())
    }

    fn turn(&mut self) -> std::io::Result<Vec<Duration>> {
        let mut times = Vec::with_capacity(TURN);
        for _ in 0..TURN {
            let begun = Instant::now();
            self.round()?;
            times.push(begun.elapsed());
        }
        Ok(times)
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
