//! `clada-daemon mcp`: an agent's host on standard input and output, the daemon behind a socket.
//!
//! - `roots`: the folders that the agent may work in
//! - `host_roots`: asks a host of the old era for the folders that it has open (pure)
//! - `start`: finds the daemon, or starts one for the user
//! - `inside`: the server in this process, where none may be started
//! - `link`: the greeting, and messages to and from one daemon
//! - `message`, `in_flight`: the parts of a message that are read, and the answers when the daemon goes away (pure)
//! - `queue`: the messages of the host that wait to be sent (pure)
//! - `relay`: what the host says
//! - `forth`: sends what the host said
//! - `shared`: what they share, and what the daemon answers
//!
//! Must not know what a tool does, or any more of MCP than that: the daemon speaks it.

mod error;
mod forth;
mod host_roots;
mod in_flight;
mod inside;
mod link;
mod message;
mod queue;
mod relay;
mod roots;
mod shared;
mod start;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clada_protocol::address::SOCKET_VARIABLE;
use clada_protocol::{ErrorKind, Id, RpcError};
use clada_server::{RpcLimits, ServerBuilder, confinement_of_us, helper_above_us, lock_info};

use self::error::CannotStart;
use self::forth::{Connect, Unconnected};
use self::host_roots::HostRoots;
use self::inside::InProcessServer;
use self::link::{Bounds, Receiver, Refused, Sender, greet};
use self::relay::Relay;
use self::roots::AgentRoots;
use self::start::{NoDaemon, find, find_or_start};
use crate::args::{McpArguments, Tools};
use crate::memory;
use crate::process::{self, Process};

const TRIES: usize = 3;

pub(crate) fn run(
    process: &Process,
    arguments: &McpArguments,
    assemble: fn(&Process, RpcLimits) -> ServerBuilder,
) -> ExitCode {
    memory::set_up();
    match serve(process, arguments, assemble) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "clada-daemon mcp: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(
    process: &Process,
    arguments: &McpArguments,
    assemble: fn(&Process, RpcLimits) -> ServerBuilder,
) -> Result<(), CannotStart> {
    if let Some(helper) = helper_above_us() {
        return Err(CannotStart::BelowHelper(helper));
    }
    let roots = roots::roots(process, &arguments.roots)?;
    process::as_at_login();
    let (woken, wake) = UnixStream::pair().map_err(CannotStart::Streams)?;
    let alarm_wake = wake.try_clone().map_err(CannotStart::Streams)?;
    let host_roots = HostRoots::new(roots.asks_host.then_some(process.waits.greeting / 2));
    let source = DaemonSource::new(process, arguments, roots, wake, assemble)?;
    let inside = Arc::clone(&source.inside);
    let stream = |fd: std::os::fd::BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
    let input = stream(io::stdin().as_fd()).map_err(CannotStart::Streams)?;
    let output = stream(io::stdout().as_fd()).map_err(CannotStart::Streams)?;
    let relay =
        Relay::begin(output, arguments.read_only, host_roots, Box::new(source), move || alarm(&alarm_wake));
    let relay = relay.map_err(CannotStart::Streams)?;
    relay.run(input, woken, process.waits.leaving).map_err(CannotStart::NoDaemon)?;
    let inside = inside.lock().unwrap_or_else(PoisonError::into_inner).take();
    inside.into_iter().for_each(InProcessServer::stop);
    Ok(())
}

fn alarm(mut wake: &UnixStream) {
    let _ = wake.write_all(b"e");
}

struct DaemonSource {
    process: Process,
    socket: PathBuf,
    /// True if the socket was named: no daemon is started there, and none elsewhere is asked.
    named: bool,
    no_spawn: bool,
    bounds: Bounds,
    /// True if the roots are those of the working directory or of the host, and nobody has named them.
    inferred: bool,
    first_roots: Vec<String>,
    assemble: fn(&Process, RpcLimits) -> ServerBuilder,
    inside: Arc<Mutex<Option<InProcessServer>>>,
    wake: UnixStream,
}

impl DaemonSource {
    fn new(
        process: &Process,
        arguments: &McpArguments,
        roots: AgentRoots,
        wake: UnixStream,
        assemble: fn(&Process, RpcLimits) -> ServerBuilder,
    ) -> Result<DaemonSource, CannotStart> {
        let variable = process.variable(SOCKET_VARIABLE);
        let named = arguments.socket.is_some() || variable.is_some();
        let default = process.default_socket.as_deref().map(Path::as_os_str);
        let socket =
            clada_server::socket_path(process.uid, arguments.socket.as_deref(), variable.or(default))?;
        let roots = texts(roots.folders);
        let all_tools = arguments.tools == Tools::All;
        let first_roots = roots.clone();
        let bounds = Bounds { roots, read_only: arguments.read_only, all_tools };
        Ok(DaemonSource {
            process: process.clone(),
            socket,
            named,
            no_spawn: arguments.no_spawn,
            bounds,
            inferred: arguments.roots.is_empty(),
            first_roots,
            assemble,
            inside: Arc::default(),
            wake,
        })
    }
}

impl Connect for DaemonSource {
    fn set_host_roots(&mut self, uris: &[String]) -> bool {
        let named = texts(roots::from_host(&self.process, uris));
        let roots = if named.is_empty() { self.first_roots.clone() } else { named };
        let has_changed = self.bounds.roots != roots;
        self.bounds.roots = roots;
        has_changed
    }

    fn connect(&mut self, initialize: Option<&(Id, Vec<u8>)>) -> Result<(Sender, Receiver), Unconnected> {
        let mut last = String::new();
        for _ in 0..TRIES {
            let stream = match self.daemon() {
                Ok(stream) => stream,
                Err(error) if self.serves_inside(&error) => self.begin_inside()?,
                Err(error @ NoDaemon::Nobody(_)) => {
                    return Err(Unconnected::Failed(format!(
                        "{error}, and --no-spawn was given. Start one with `clada-daemon serve`, or leave out --no-spawn"
                    )));
                }
                Err(error @ NoDaemon::NotReady { .. }) => return Err(Unconnected::Silent(error.to_string())),
                Err(error) => return Err(Unconnected::Failed(error.to_string())),
            };
            match greet(stream, self.process.waits.greeting, &self.bounds, initialize) {
                Ok(link) => return Ok(link),
                Err(closed @ Refused::Closed(_)) => last = closed.to_string(),
                Err(Refused::Silent) => return Err(Unconnected::Silent(self.silent())),
                // A host may start in any folder. What is no root there is none here: the tools say what to
                // do.
                Err(Refused::Error(error))
                    if self.inferred && error.kind() == Some(ErrorKind::PathEscape) =>
                {
                    last = error.message;
                    self.bounds.roots.clear();
                }
                Err(Refused::Error(error)) if !self.no_spawn && is_elsewhere(&error) => {
                    let stream = self.begin_inside()?;
                    return greet(stream, self.process.waits.greeting, &self.bounds, initialize)
                        .map_err(|error| Unconnected::Failed(error.to_string()));
                }
                Err(refused) => return Err(Unconnected::Failed(refused.to_string())),
            }
        }
        Err(Unconnected::Failed(last))
    }
}

impl DaemonSource {
    fn silent(&self) -> String {
        let pid = lock_info(&self.socket).map(|info| format!(" (process {})", info.pid)).unwrap_or_default();
        format!(
            "the daemon at {}{pid} is there and says nothing for {} s: it is stopped, or hangs. A person can let it go on \
             (`kill -CONT`) or end it; then ask again",
            self.socket.display(),
            self.process.waits.greeting.as_secs()
        )
    }

    fn daemon(&self) -> Result<UnixStream, NoDaemon> {
        let may_start = !self.named && !self.no_spawn && self.process.account().is_some();
        if may_start && confinement_of_us().is_none() {
            return find_or_start(&self.process, &self.socket);
        }
        find(&self.socket, self.process.uid, !self.named)
    }

    fn serves_inside(&self, why: &NoDaemon) -> bool {
        !self.no_spawn && matches!(why, NoDaemon::Nobody(_) | NoDaemon::Forbidden { .. })
    }

    fn begin_inside(&mut self) -> Result<UnixStream, Unconnected> {
        let failed = |error: io::Error| Unconnected::Failed(format!("it cannot serve by itself: {error}"));
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = inside.take() {
            before.stop();
        }
        let wake = self.wake.try_clone().map_err(failed)?;
        let begun = InProcessServer::begin(self.process.made_anew(), self.assemble, move || alarm(&wake));
        let (stream, begun) = begun.map_err(failed)?;
        *inside = Some(begun);
        Ok(stream)
    }
}

fn texts(roots: Vec<PathBuf>) -> Vec<String> {
    roots.into_iter().filter_map(|root| root.into_os_string().into_string().ok()).collect()
}

fn is_elsewhere(error: &RpcError) -> bool {
    let reason = error.data.get("reason").and_then(serde_json::Value::as_str);
    error.kind() == Some(ErrorKind::PeerNotAllowed) && matches!(reason, Some("namespace" | "unseen"))
}
