//! The engine and the server.

mod args;
mod engine;
mod log;
mod mcp;
mod memory;
mod process;
mod project;
mod serve;
mod service;
mod shutdown;
mod stdio;
mod trust;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clada_config::{ConfigStore, Inputs, Settings};
use clada_protocol::state::log_path;
use clada_server::{RpcLimits, ServerBuilder};
use clap::Parser;

pub use engine::{Engine, Environment, Unasked};
pub use process::{Account, Process, Waits};
use serve::BoundSocket;
use service::Service;

/// Runs the program: reads its environment, then follows the arguments.
#[must_use]
pub fn run() -> ExitCode {
    run_with(|process| process)
}

/// Runs the program as [`run`] does, in surroundings that `adjust` makes of the real ones.
#[must_use]
pub fn run_with(adjust: impl FnOnce(Process) -> Process) -> ExitCode {
    // Comes before anything else is read: a helper's start is a part of every command's time.
    if let Some(arguments) = process::arguments_of(clada_exec::HELPER) {
        return clada_exec::run_helper(&arguments);
    }
    run_in(&adjust(Process::from_system()))
}

/// Runs the program as [`run`] does, in a given environment.
#[must_use]
pub fn run_in(process: &Process) -> ExitCode {
    match args::DaemonArguments::try_parse_from(&process.args).map(|arguments| arguments.command) {
        Ok(args::DaemonCommand::Serve(arguments)) if arguments.detach => serve::detach(process),
        Ok(args::DaemonCommand::Serve(arguments)) => {
            memory::set_up();
            let config = configuration(process);
            let settings = config.lenient(None);
            serve::serve(process, &arguments, &settings, |process, limits, bound| {
                assemble(process, config, &settings, limits, bound)
            })
        }
        Ok(args::DaemonCommand::Mcp(arguments)) => mcp::run(process, &arguments, |process, limits| {
            let config = configuration(process);
            let settings = config.lenient(None);
            assemble(process, config, &settings, limits, None)
        }),
        Err(error) => {
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}

/// Puts the server together: every handler is registered here. Nothing in here may take time.
///
/// `bound` is the folder of the socket that this daemon really bound; `None` on standard input and output.
fn assemble(
    process: &Process,
    config: ConfigStore,
    settings: &Settings,
    limits: RpcLimits,
    bound: Option<&BoundSocket>,
) -> ServerBuilder {
    // The daemon is ready only after this: recovery and all other slow work go to the background.
    let limits = configured(limits, process.waits, settings);
    let engine =
        Arc::new(Engine::new(config, environment(process, bound.map(|bound| bound.folder.as_path()))));
    let service = Service::new(Arc::clone(&engine));
    let mut server = ServerBuilder::new(limits, process.uid);
    server.foreign_namespaces(settings.foreign_namespaces);
    let roots = Arc::clone(&engine);
    server.root_check(move |root| roots.agent_root(root));
    service.register(server.methods());
    service.recover();
    service.evict_in_time();
    server.name_limits(Service::limits());
    let waiting = service.clone();
    server.status(move |status| status.waiting = Some(waiting.waiting()));
    let idle = Arc::clone(&engine);
    server.when_idle(move || {
        idle.give_back();
        let released = memory::give_back();
        let program = memory::let_go_of_program();
        tracing::debug!(released, program, "gave memory back");
    });
    server.status(move |status| {
        let roots = engine.projects().roots();
        status.projects = roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
        status.sandbox = engine.sandbox_shown();
        status.warnings.extend(engine.record_warnings());
        let (watches, warnings) = engine.watch_status();
        status.watches = watches;
        status.warnings.extend(warnings);
    });
    if let Some(state) = process.state_folder() {
        let log = log_path(&state).to_string_lossy().into_owned();
        server.status(move |status| status.log_file = Some(log.clone()));
    }
    if let Some(socket) = bound.map(|bound| &bound.socket).filter(|socket| !socket.as_os_str().is_empty()) {
        let socket = socket.to_string_lossy().into_owned();
        server.status(move |status| status.socket = Some(socket.clone()));
    }
    server
}

fn configured(mut limits: RpcLimits, waits: Waits, settings: &Settings) -> RpcLimits {
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    (limits.quiet, limits.beat) = (waits.quiet, waits.beat);
    limits.frame = size(settings.limits.request_frame);
    limits.connections = size(settings.limits.connections);
    limits.requests = size(settings.limits.in_flight_requests);
    limits.request_bytes = size(settings.limits.in_flight_bytes);
    limits.total_bytes = size(settings.limits.total_bytes);
    limits
}

fn configuration(process: &Process) -> ConfigStore {
    let variables = process.variables().map(|(name, value)| (name.to_owned(), value.to_owned()));
    ConfigStore::new(Inputs::from_environment(variables))
}

fn environment(process: &Process, bound: Option<&Path>) -> Environment {
    let temporary = process.variable("TMPDIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let known = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"].map(PathBuf::from);
    Environment {
        state: process.state_folder().unwrap_or_else(|| PathBuf::from("/nonexistent")),
        home: process.home.clone(),
        configuration: process.configuration(),
        programs: process.variable("PATH").map(std::env::split_paths).into_iter().flatten().collect(),
        scratch: temporary.clone().unwrap_or_else(|| PathBuf::from("/tmp")),
        temporary: known.into_iter().chain(temporary).collect(),
        umask: process::umask(),
        now: process.clock.wall,
        runner: runner(process),
        private: private(process, bound),
        socket_folder: bound.map(Path::to_owned),
        undetected_agents: clada_server::why_agents_are_undetected().inspect(|why| tracing::warn!("{why}")),
        is_replaced: clada_server::program_is_replaced,
    }
}

/// Returns the runner of commands, from this program as it is now: an upgrade does not change it.
fn runner(process: &Process) -> Option<Arc<clada_exec::Runner>> {
    let helper = clada_exec::Helper::of_this_process().inspect_err(|error| {
        tracing::warn!(%error, "commands cannot be run: the daemon's own program cannot be opened");
    });
    let temporary = process.variable("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let runner = clada_exec::Runner::new(helper.ok()?, temporary);
    Some(Arc::new(if process.landlock { runner } else { runner.without_landlock() }))
}

fn private(process: &Process, bound: Option<&Path>) -> clada_exec::Private {
    let sockets = [format!("/run/user/{}/clada", process.uid), format!("/tmp/clada-{}", process.uid)];
    let mut private = clada_exec::Private {
        home: process.home.clone(),
        hidden: sockets.into_iter().map(PathBuf::from).chain(bound.map(Path::to_owned)).collect(),
        protected: process.config_folder().into_iter().collect(),
    };
    if let Some(named) = process.variable("CLADA_SOCKET") {
        private.hide_socket(Path::new(named));
    }
    private
}
