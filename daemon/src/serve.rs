//! `clada-daemon serve`: from arguments to a server that listens, and to its end.
//!
//! Nothing slow comes before listening: no probes, no recovery, no reading of projects.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clada_config::Settings;
use clada_protocol::address::SOCKET_VARIABLE;
use clada_protocol::handshake::Readiness;
use clada_server::{AddressError, ClaimError, Door, Instance, RpcLimits, Server, ServerBuilder, own_folder};

use crate::args::ServeArguments;
use crate::log::{self, Destination};
use crate::process::{Process, take_standard_output};
use crate::shutdown::{self, Signals};
use crate::stdio;

/// The reason why the daemon does not serve.
/// The exit status where the daemon that was meant cannot be used, as the client's.
const NO_DAEMON: u8 = 3;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error(transparent)]
    Claim(#[from] ClaimError),
    #[error(
        "a command that a daemon of clada runs has started this one (helper {helper}): it would act for that command, so \
         it serves nobody"
    )]
    BelowHelper { helper: i32 },
    #[error(
        "the folder of {} belongs to the daemon at {}: name that socket, or one in another folder",
        socket.display(),
        other.display()
    )]
    Elsewhere { socket: PathBuf, other: PathBuf },
    #[error("{operation}: {error}")]
    Io { operation: &'static str, error: io::Error },
}

impl ServeError {
    fn io(operation: &'static str) -> impl FnOnce(io::Error) -> ServeError {
        move |error| ServeError::Io { operation, error }
    }
}

pub(crate) fn serve(
    process: &Process,
    arguments: &ServeArguments,
    settings: &Settings,
    assemble: impl FnOnce(&Process, RpcLimits, Option<&BoundSocket>) -> ServerBuilder,
) -> ExitCode {
    let destination = if arguments.foreground { Destination::StandardError } else { Destination::File };
    log::begin(process, destination, settings.log_level);
    let mut ready = ReadySignal::new(arguments.ready_stdout);
    let served = if let Some(helper) = clada_server::helper_above_us() {
        Err(ServeError::BelowHelper { helper })
    } else if arguments.stdio {
        serve_stdio(process, arguments, assemble)
    } else {
        serve_socket(process, arguments, settings, assemble, &mut ready)
    };
    // A client that started the daemon reads the outcome from standard output, others from standard error.
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "cannot serve");
            if !arguments.foreground {
                let _ = writeln!(io::stderr(), "clada-daemon: {error}");
            }
            ready.say(&match &error {
                ServeError::Claim(ClaimError::Running(Some(info))) => {
                    Readiness::Running { socket: info.socket.clone(), pid: info.pid }
                }
                error => Readiness::Failed { message: error.to_string() },
            });
            match error {
                ServeError::Elsewhere { .. } => ExitCode::from(NO_DAEMON),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// Starts this program again with the same arguments and streams, as a process that is nobody's child once
/// this one has ended: a starter that ends with all its children leaves it alone.
#[expect(clippy::disallowed_methods, reason = "the start of the daemon itself")]
pub(crate) fn detach(process: &Process) -> ExitCode {
    let arguments = process.args.iter().skip(1).filter(|argument| *argument != "--detach");
    let program = process.executable.as_deref().unwrap_or(Path::new(""));
    match std::process::Command::new(program).args(arguments).spawn() {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "clada-daemon: {}: {error}", program.display());
            ExitCode::FAILURE
        }
    }
}

fn serve_stdio(
    process: &Process,
    arguments: &ServeArguments,
    assemble: impl FnOnce(&Process, RpcLimits, Option<&BoundSocket>) -> ServerBuilder,
) -> Result<(), ServeError> {
    let runtime = shutdown::runtime().map_err(ServeError::io("cannot start threads"))?;
    let limits = RpcLimits { idle_exit: None, ..RpcLimits::default() };
    let served = runtime.block_on(async {
        let mut signals = Signals::begin().map_err(ServeError::io("cannot catch signals"))?;
        let is_named = arguments.socket.is_some() || process.variable(SOCKET_VARIABLE).is_some();
        let socket = socket_path(process, arguments).ok();
        let address = socket.clone().map(|socket| stdio::ListenAddress { socket, is_named });
        let server = || assemble(process, limits, None).build();
        let served = stdio::serve(address, process.uid, server, &mut signals).await;
        served.map_err(|stdio::OtherDaemon(other)| ServeError::Elsewhere {
            socket: socket.unwrap_or_default(),
            other,
        })
    });
    shutdown::end(runtime);
    served
}

fn serve_socket(
    process: &Process,
    arguments: &ServeArguments,
    settings: &Settings,
    assemble: impl FnOnce(&Process, RpcLimits, Option<&BoundSocket>) -> ServerBuilder,
    ready: &mut ReadySignal,
) -> Result<(), ServeError> {
    let Opened { listener, instance, bound } = open(process, arguments, settings)?;
    let mut limits = RpcLimits { idle_exit: settings.idle_exit, ..RpcLimits::default() };
    if let Some(seconds) = arguments.idle_exit {
        limits.idle_exit = Some(Duration::from_secs(seconds)).filter(|idle| !idle.is_zero());
    }
    let runtime = shutdown::runtime().map_err(ServeError::io("cannot start threads"))?;
    let served = runtime.block_on(async {
        // Comes first: from here on a signal stops the server and no longer kills the process.
        let mut signals = Signals::begin().map_err(ServeError::io("cannot catch signals"))?;
        let door = match instance {
            Some(instance) => Door::own(instance, listener),
            None => Door::activated(listener),
        };
        let door = door.map_err(ServeError::io("cannot listen"))?;
        let server = assemble(process, limits, Some(&bound)).build();
        let socket = bound.socket.to_string_lossy().into_owned();
        ready.say(&Readiness::Ready { socket, pid: process.pid });
        tell_service_manager(&server);
        tracing::info!(socket = %bound.socket.display(), pid = process.pid, "listening");
        let stopping = server.clone();
        let watch = tokio::spawn(async move {
            loop {
                let signal = signals.next().await;
                tracing::info!(signal, "stopping");
                stopping.stop();
            }
        });
        let goodbye = server.clone();
        tokio::spawn(async move {
            goodbye.stop_token().cancelled().await;
            let _ = sd_notify::notify(&[sd_notify::NotifyState::Stopping]);
        });
        server.serve(door).await;
        watch.abort();
        tracing::info!("stopped");
        Ok(())
    });
    shutdown::end(runtime);
    served
}

struct Opened {
    listener: UnixListener,
    /// `None`: the socket is a service manager's.
    instance: Option<Instance>,
    bound: BoundSocket,
}

pub(crate) struct BoundSocket {
    /// Its path; empty: it has none.
    pub(crate) socket: PathBuf,
    /// Its folder, resolved: kept by value, since the path is lost once the socket is renamed.
    pub(crate) folder: PathBuf,
}

fn open(process: &Process, arguments: &ServeArguments, settings: &Settings) -> Result<Opened, ServeError> {
    let own = |socket: &Path| {
        let taken = process.home.iter().chain(&settings.allowed_roots).map(PathBuf::as_path);
        own_folder(socket, process.uid, taken).map_err(ClaimError::from)
    };
    let inherited = if arguments.listen_stdin {
        let socket = io::stdin().as_fd().try_clone_to_owned();
        Some(UnixListener::from(socket.map_err(ServeError::io("cannot take standard input"))?))
    } else {
        let taken = listenfd::ListenFd::from_env().take_unix_listener(0);
        taken.map_err(ServeError::io("cannot take the socket of the service manager"))?
    };
    if let Some(listener) = inherited {
        let bound = listener.local_addr().map_err(ServeError::io("this is no listening socket"))?;
        let socket = bound.as_pathname().map(Path::to_owned).unwrap_or_default();
        let folder = own(&socket)?;
        return Ok(Opened { listener, instance: None, bound: BoundSocket { socket, folder } });
    }
    let socket = socket_path(process, arguments).map_err(ClaimError::from)?;
    let folder = own(&socket)?;
    let (instance, listener) = Instance::claim(&socket, process.uid)?;
    Ok(Opened { listener, instance: Some(instance), bound: BoundSocket { socket, folder } })
}

fn socket_path(process: &Process, arguments: &ServeArguments) -> Result<PathBuf, AddressError> {
    let default = process.default_socket.as_deref().map(Path::as_os_str);
    let variable = process.variable(SOCKET_VARIABLE).or(default);
    clada_server::socket_path(process.uid, arguments.socket.as_deref(), variable)
}

fn tell_service_manager(server: &Server) {
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
    if let Some(timeout) = sd_notify::watchdog_enabled() {
        server.feed_watchdog(timeout);
    }
}

struct ReadySignal(Option<std::fs::File>);

impl ReadySignal {
    fn new(is_enabled: bool) -> ReadySignal {
        // Also leaves the session: the daemon outlives the terminal of the client that started it.
        if !is_enabled {
            return ReadySignal(None);
        }
        if let Err(error) = rustix::process::setsid() {
            tracing::warn!(%error, "stays in the session that started it");
        }
        match take_standard_output() {
            Ok(output) => ReadySignal(Some(output)),
            Err(error) => {
                tracing::warn!(%error, "cannot use --ready-stdout");
                ReadySignal(None)
            }
        }
    }

    fn say(&mut self, readiness: &Readiness) {
        let (Some(mut file), Ok(mut line)) = (self.0.take(), serde_json::to_vec(readiness)) else { return };
        line.push(b'\n');
        // The client may be gone.
        let _ = file.write_all(&line);
    }
}
