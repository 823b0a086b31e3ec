//! Reaches the daemon: finds it, starts it if need be, greets it, makes one request.
//!
//! The path of a call: [`place`] returns the socket's path and checks its folder, [`dial`] connects,
//! [`spawn`] starts a daemon when none answers (or a private one where sockets are forbidden), [`link`]
//! carries messages, and [`Connector::call`] combines them. Must not know the meaning of the methods, except
//! `hello` and `shutdown`, which never change, and for what a user is told who waits for an answer.

mod dial;
mod link;
mod place;
mod spawn;

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use clada_protocol::handshake::{
    HelloParams, HelloResult, PLAIN, PROTOCOL, ShutdownParams, StatusParams, StatusResult,
};
use clada_protocol::message::{
    NotificationParams, ServerMessage, notification_json, request_json, request_json_with,
};
use clada_protocol::method::{
    CANCEL_REQUEST, CallerKind, Embed, Execute, Hello, Plan, ProjectChanges, SessionOpen, Shutdown, Stage,
    Status as StatusMethod, Subscribe, method_info,
};
use clada_protocol::{
    ErrorKind, Id, Method, RpcError, SessionOpenParams, Verbosity, WAITING, Waiting, WaitingFor, visible_path,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use self::dial::Dialled;
use self::link::{Arrival, DaemonLink, Silence};
use self::place::{SocketAddress, elsewhere};
pub(crate) use self::spawn::find_program as daemon_program;
use crate::Process;
use crate::exit::{Failure, Status};
use crate::interrupt::Interrupts;
use crate::progress::ProgressWork;
use crate::settings::{Settings, Spawn};

#[derive(Debug)]
pub(crate) struct SocketFolder {
    pub(crate) socket: PathBuf,
    pub(crate) mode: Option<u32>,
}

pub(crate) fn socket_folder(process: &Process, settings: &Settings) -> Result<SocketFolder, Failure> {
    let socket = place::address(process.uid, settings.socket.as_deref())?.socket;
    let is_there = place::folder_is_safe(&socket, process.uid)?;
    let metadata = if is_there { place::folder_of(&socket).symlink_metadata().ok() } else { None };
    Ok(SocketFolder { mode: metadata.map(|metadata| metadata.mode() & 0o777), socket })
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

const GREETING: Duration = Duration::from_secs(30);

const LEAVING: Duration = Duration::from_secs(20);

const HELLO: u64 = 1;
const REQUEST: u64 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnInterrupt {
    /// The program ends; the daemon cancels a read-only request when its client goes away.
    End,
    Cancel,
    /// The same, but a [`Connector::cancelled_by`] takes the place of Ctrl-C.
    CancelByHand,
}

pub(crate) struct Connector<'a> {
    process: &'a mut Process,
    settings: &'a Settings,
    address: SocketAddress,
    interrupts: Option<Interrupts>,
    kept_link: Option<&'a mut KeptLink>,
    listener: Option<&'a mut Listener<'a>>,
    answered: Option<&'a mut Answered<'a>>,
    agents_root: Option<String>,
}

pub(crate) type Listener<'a> =
    dyn FnMut(&mut Process, &str, Option<&NotificationParams>) -> Result<(), Failure> + 'a;

pub(crate) type Answered<'a> = dyn FnMut(&mut Process, &RawValue) -> Result<(), Failure> + 'a;

#[derive(Debug, Default)]
pub(crate) struct KeptLink {
    /// A private daemon, with the state that the call left in it. A daemon behind a socket lives on by
    /// itself.
    link: Option<DaemonLink>,
}

enum Ended {
    BeforeGreeting,
    /// The daemon is older than we are, or its program was replaced; it has been asked to leave.
    Replaced,
    /// The daemon takes us for an agent, which has to name this project first.
    Agent(String),
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Ended {
        Ended::Failed(failure)
    }
}

impl<'a> Connector<'a> {
    pub(crate) fn new(process: &'a mut Process, settings: &'a Settings) -> Result<Connector<'a>, Failure> {
        let address = place::address(process.uid, settings.socket.as_deref())?;
        Ok(Connector {
            process,
            settings,
            address,
            interrupts: None,
            kept_link: None,
            listener: None,
            answered: None,
            agents_root: None,
        })
    }

    pub(crate) fn keeping(mut self, kept_link: &'a mut KeptLink) -> Connector<'a> {
        self.kept_link = Some(kept_link);
        self
    }

    pub(crate) fn listening(mut self, listener: &'a mut Listener<'a>) -> Connector<'a> {
        self.listener = Some(listener);
        self
    }

    pub(crate) fn cancelled_by(mut self, interrupts: Option<Interrupts>) -> Connector<'a> {
        self.interrupts = interrupts;
        self
    }

    /// The call then ends when one of the two fails, or the daemon goes away.
    pub(crate) fn following(mut self, answered: &'a mut Answered<'a>) -> Connector<'a> {
        self.answered = Some(answered);
        self
    }

    pub(crate) fn call<P: Serialize>(
        &mut self,
        method: &str,
        params: &P,
        on_interrupt: OnInterrupt,
    ) -> Result<Box<RawValue>, Failure> {
        let request = request_json_with(&Id::from(REQUEST), method, params, &self.settings.call);
        let request = request.map_err(|error| {
            Failure::new(
                Status::Failed,
                format!("the parameters of {method} cannot be written as JSON: {error}"),
            )
        })?;
        let reads = method_info(method).is_some_and(|info| !info.changes_files());
        self.interrupts = match on_interrupt {
            OnInterrupt::End => None,
            OnInterrupt::Cancel => Interrupts::catch(),
            OnInterrupt::CancelByHand => self.interrupts.take(),
        };
        if self.settings.verbosity > Verbosity::Quiet {
            self.process.begin(work_of(method));
        }
        let mut outcome = self.carry(method, &request, reads);
        // Nothing was done without the session, so that the request can be sent again.
        if let Some(open) = self.opening(&outcome, params) {
            outcome =
                self.carry(SessionOpen::NAME, &open, false).and_then(|_| self.carry(method, &request, reads));
        }
        self.process.end();
        self.interrupts = None;
        outcome
    }

    /// Returns the request that opens the session of `--session`, if there is none yet: sessions are made by
    /// use, and nothing was done without it.
    fn opening<P: Serialize>(&self, outcome: &Result<Box<RawValue>, Failure>, params: &P) -> Option<String> {
        let session = Some(self.settings.session.clone()?);
        let error = outcome.as_ref().err()?.error.as_ref()?;
        let root = serde_json::to_value(params).ok()?.get("root")?.as_str()?.to_owned();
        (error.kind() == Some(ErrorKind::SessionNotFound))
            .then(|| {
                request_json(&Id::from(REQUEST), SessionOpen::NAME, &SessionOpenParams { root, session })
            })?
            .ok()
    }

    fn carry(&mut self, method: &str, request: &str, reads: bool) -> Result<Box<RawValue>, Failure> {
        if let Some(mut link) = self.kept_link.as_mut().and_then(|kept_link| kept_link.link.take()) {
            return self.converse(&mut link, method, Some(request)).inspect(|_| self.keep(link));
        }
        let mut replaced = false;
        for _ in 0..3 {
            let mut link = self.open()?;
            let keep = replaced || link.is_child() || self.settings.spawn == Spawn::Never;
            match self.greet(&mut link, request, reads, keep) {
                Ok(()) => {
                    let unsent = (!reads).then_some(request);
                    return self.converse(&mut link, method, unsent).inspect(|_| self.keep(link));
                }
                Err(Ended::BeforeGreeting) => {}
                Err(Ended::Replaced) => replaced = true,
                Err(Ended::Agent(root)) => self.agents_root = Some(root),
                Err(Ended::Failed(failure)) => return Err(failure),
            }
        }
        Err(self.disconnected("closed the connection three times without an answer"))
    }

    fn keep(&mut self, link: DaemonLink) {
        if let Some(kept_link) = self.kept_link.as_mut().filter(|_| link.is_child()) {
            kept_link.link = Some(link);
        }
    }

    pub(crate) fn stop(&mut self) -> Result<bool, Failure> {
        if !place::folder_is_safe(&self.address.socket, self.process.uid)? {
            return Ok(false);
        }
        match dial::answering(&self.address) {
            Dialled::Answers(stream) => {
                let mut link = DaemonLink::socket(stream);
                self.dismiss(&mut link)?;
                Ok(true)
            }
            Dialled::Nobody => Ok(false),
            Dialled::Elsewhere(other) => Err(elsewhere(&self.address.socket, &other)),
            Dialled::Forbidden(error) => Err(self.forbidden(&error)),
            Dialled::Failed(error) => Err(self.unreachable(&error)),
        }
    }

    pub(crate) fn call_if_running<P: Serialize>(
        &mut self,
        method: &str,
        params: &P,
    ) -> Option<Box<RawValue>> {
        if !place::folder_is_safe(&self.address.socket, self.process.uid).ok()? {
            return None;
        }
        let Dialled::Answers(stream) = dial::answering(&self.address) else { return None };
        let mut link = DaemonLink::socket(stream);
        link.send(&request_json_with(&Id::from(REQUEST), method, params, &self.settings.call).ok()?).ok()?;
        link.answer_to(REQUEST, GREETING, None).ok()?.ok()
    }

    pub(crate) fn socket_shown(&self) -> String {
        visible_path(&self.address.socket.to_string_lossy()).into_owned()
    }

    fn open(&mut self) -> Result<DaemonLink, Failure> {
        if !place::folder_is_safe(&self.address.socket, self.process.uid)? {
            return self.start();
        }
        match dial::answering(&self.address) {
            Dialled::Answers(stream) => Ok(DaemonLink::socket(stream)),
            Dialled::Nobody => self.start(),
            Dialled::Elsewhere(other) => Err(elsewhere(&self.address.socket, &other)),
            Dialled::Forbidden(error) => self.go_private(&error),
            Dialled::Failed(error) => Err(self.unreachable(&error)),
        }
    }

    fn start(&mut self) -> Result<DaemonLink, Failure> {
        if self.settings.spawn == Spawn::Never {
            let message = format!("no daemon answers at {}", self.address.socket.display());
            return Err(Failure::no_daemon(message).hint(
                "Start one with `systemctl --user start clada.socket` or `clada-daemon serve`, or leave out \
                 --no-spawn.",
            ));
        }
        match spawn::start(self.process, &self.address, self.interrupts.as_mut())? {
            spawn::SpawnOutcome::Answers(stream) => {
                for note in spawn::surroundings(self.process) {
                    self.note(&note);
                }
                Ok(DaemonLink::socket(stream))
            }
            spawn::SpawnOutcome::Forbidden(error) => self.go_private(&error),
        }
    }

    fn go_private(&mut self, error: &std::io::Error) -> Result<DaemonLink, Failure> {
        if self.settings.spawn == Spawn::Never {
            return Err(self.forbidden(error));
        }
        if self.settings.verbosity == Verbosity::Verbose {
            let note = format!("The socket cannot be used here ({error}); starting a private daemon.\n");
            self.process.complain(&note);
        }
        spawn::private(self.process)
    }

    /// A request that only reads goes along in the same write; one that changes files waits until the daemon
    /// has answered.
    fn greet(&mut self, link: &mut DaemonLink, request: &str, reads: bool, keep: bool) -> Result<(), Ended> {
        let client = Some(format!("clada-client {VERSION}"));
        let (caller, roots) = self.agents_root.clone().map(|root| (CallerKind::Agent, vec![root])).unzip();
        let protocol = Some([PROTOCOL, PROTOCOL]);
        let features = vec![PLAIN.to_owned()];
        let hello = HelloParams { client, protocol, caller, roots, features, ..HelloParams::default() };
        let hello = request_json(&Id::from(HELLO), Hello::NAME, &hello)
            .map_err(|error| Failure::new(Status::Failed, format!("hello cannot be written: {error}")))?;
        let sent = if reads { link.send_both(&hello, request) } else { link.send(&hello) };
        let answer = match link.answer_to(HELLO, GREETING, self.interrupts.as_mut()) {
            Ok(answer) => answer,
            Err(Silence::TimedOut) => return Err(self.hangs().into()),
            Err(Silence::Interrupted) => return Err(Failure::interrupted().into()),
            Err(Silence::Disconnected) if link.is_child() => {
                let how = format!("ended before it answered ({})", link.child_status());
                return Err(self.disconnected(&how).into());
            }
            // A daemon that ends may close a connection without reading from it.
            Err(Silence::Disconnected) => return Err(Ended::BeforeGreeting),
        };
        let daemon: HelloResult = match answer {
            Ok(result) => serde_json::from_str(result.get()).map_err(|error| {
                self.disconnected(&format!("gave a greeting that cannot be read: {error}"))
            })?,
            Err(error) => return Err(refused(&error).into()),
        };
        // Nothing was done: an agent without roots is refused whatever is about a project.
        if daemon.caller == Some(CallerKind::Agent)
            && daemon.roots.is_none()
            && let Some(root) = root_of(request)
        {
            return Err(Ended::Agent(root));
        }
        if is_older(&daemon.version, VERSION) && !keep {
            self.note(&format!("Replacing the daemon of version {} by {VERSION}.\n", daemon.version));
            self.dismiss(link)?;
            return Err(Ended::Replaced);
        }
        if daemon.replaced && !keep {
            if self.is_idle(u64::from(reads)) {
                self.note("Replacing the daemon: its program was upgraded.\n");
                self.dismiss(link)?;
                return Err(Ended::Replaced);
            }
            self.note("The daemon is of an earlier build, and busy: it is replaced once it is idle.\n");
        }
        // A failed write shows again as a connection without an answer.
        let _ = sent;
        Ok(())
    }

    fn converse(
        &mut self,
        link: &mut DaemonLink,
        method: &str,
        unsent: Option<&str>,
    ) -> Result<Box<RawValue>, Failure> {
        // A daemon that refuses a request half-way gives the reason: its answer is read although the write
        // failed.
        let sent = unsent.map_or(Ok(()), |request| link.send(request));
        let mut cancelled = false;
        loop {
            match link.receive(self.process.due_in(), self.interrupts.as_mut()) {
                Arrival::Message(ServerMessage::Response(response)) if response.id == Id::from(REQUEST) => {
                    let result = response.outcome.map_err(Failure::from)?;
                    match &mut self.answered {
                        Some(answered) => {
                            self.process.end();
                            answered(self.process, &result)?;
                        }
                        None => return Ok(result),
                    }
                }
                Arrival::Message(ServerMessage::Response(response)) if response.id == Id::NULL => {
                    return response.outcome.map_err(Failure::from);
                }
                Arrival::Message(ServerMessage::Notification { method, params }) if method == WAITING => {
                    self.note(waiting_for(params.as_ref()));
                }
                Arrival::Message(ServerMessage::Notification { method, params }) => {
                    if let Some(listener) = &mut self.listener {
                        listener(self.process, &method, params.as_ref())?;
                    }
                }
                Arrival::Message(_) => {}
                Arrival::TimedOut => self.process.draw_progress(),
                Arrival::Interrupted if cancelled => return Err(stopped_waiting()),
                Arrival::Interrupted => {
                    cancelled = true;
                    self.process.complain("Cancelling. Press Ctrl-C again to stop waiting for the report.\n");
                    let id = serde_json::json!({ "id": REQUEST });
                    if let Ok(cancel) = notification_json(CANCEL_REQUEST, &id) {
                        let _ = link.send(&cancel);
                    }
                }
                Arrival::Closed => {
                    let why = sent.err().map(|error| format!(" ({error})")).unwrap_or_default();
                    let disconnected =
                        self.disconnected(&format!("closed the connection before it answered {method}{why}"));
                    return Err(Failure { is_lost: true, ..disconnected });
                }
                Arrival::Unreadable(why) => {
                    return Err(self.disconnected(&format!("sent what cannot be read: {why}")));
                }
            }
        }
    }

    /// Returns whether the daemon works on nothing but `own` requests of ours, and no agent's answer waits in it. Asks by
    /// a connection of its own: on the first one the answer to the request may come before.
    fn is_idle(&mut self, own: u64) -> bool {
        let status = self.call_if_running(StatusMethod::NAME, &StatusParams::default());
        let status = status.and_then(|result| serde_json::from_str::<StatusResult>(result.get()).ok());
        status.is_some_and(|status| status.running <= own && status.waiting.unwrap_or_default() == 0)
    }

    fn dismiss(&mut self, link: &mut DaemonLink) -> Result<(), Failure> {
        let shutdown = request_json(&Id::from(REQUEST + 1), Shutdown::NAME, &ShutdownParams::default())
            .map_err(|error| Failure::new(Status::Failed, format!("shutdown cannot be written: {error}")))?;
        let sent = link.send(&shutdown);
        match link.answer_to(REQUEST + 1, GREETING, self.interrupts.as_mut()) {
            Ok(Err(error)) => return Err(error.into()),
            Err(Silence::TimedOut) => return Err(self.hangs()),
            Err(Silence::Interrupted) => return Err(Failure::interrupted()),
            Ok(Ok(_)) | Err(Silence::Disconnected) => {}
        }
        drop(sent);
        match link.wait_until_closed(LEAVING, self.interrupts.as_mut()) {
            Ok(()) => return Ok(()),
            Err(Silence::Interrupted) => return Err(Failure::interrupted()),
            Err(Silence::TimedOut | Silence::Disconnected) => {}
        }
        let message =
            format!("the daemon at {} was asked to stop and is still running", self.address.socket.display());
        Err(Failure::no_daemon(message)
            .hint("`clada status` shows what it is doing; try again when it is done."))
    }

    fn note(&mut self, text: &str) {
        let is_shown = self.settings.verbosity == Verbosity::Verbose || self.process.terminals.stderr;
        if is_shown && self.settings.verbosity != Verbosity::Quiet {
            self.process.complain(&clada_protocol::visible_block(text));
        }
    }

    fn disconnected(&self, what: &str) -> Failure {
        Failure::no_daemon(format!("the daemon at {} {what}", self.address.socket.display())).hint(
            "Run the command again: a daemon is started if none answers. `clada log` shows its last messages.",
        )
    }

    fn hangs(&self) -> Failure {
        let seconds = GREETING.as_secs();
        Failure::no_daemon(format!(
            "the daemon at {} does not answer within {seconds} s",
            self.address.socket.display()
        ))
        .hint("End it (its pid is in the lock file beside the socket) and run the command again.")
    }

    fn forbidden(&self, error: &std::io::Error) -> Failure {
        Failure::no_daemon(format!(
            "connecting to {} is forbidden here: {error}",
            self.address.socket.display()
        ))
        .hint("Leave out --no-spawn to have a daemon run as a child of this command.")
    }

    fn unreachable(&self, error: &std::io::Error) -> Failure {
        Failure::no_daemon(format!(
            "the daemon at {} cannot be reached: {error}",
            self.address.socket.display()
        ))
        .hint("Name another socket with --socket or CLADA_SOCKET.")
    }
}

fn waiting_for(params: Option<&NotificationParams>) -> &'static str {
    match params.and_then(|params| params.read::<Waiting>().ok()?.for_) {
        Some(WaitingFor::InterruptedCommand) => "Waiting for processes of an interrupted operation to end…\n",
        _ => "Waiting for another operation on this project…\n",
    }
}

fn work_of(method: &str) -> ProgressWork {
    match method {
        Execute::NAME => ProgressWork::APPLIES,
        Stage::NAME => ProgressWork::Request("Staging"),
        Embed::NAME => ProgressWork::Request("Looking for files to embed"),
        Plan::NAME => ProgressWork::Request("Planning"),
        ProjectChanges::NAME | Subscribe::NAME => ProgressWork::Request("Looking at the project's files"),
        _ => ProgressWork::Request("Waiting for the daemon"),
    }
}

fn refused(error: &RpcError) -> Failure {
    let mut failure = Failure::from(error.clone());
    failure.status = Status::NoDaemon;
    failure.message = format!("the daemon will not talk to clada-client {VERSION}: {}", error.message);
    failure
}

fn stopped_waiting() -> Failure {
    Failure::new(Status::Failed, "stopped waiting for the report")
        .hint("The daemon finishes the current file; `clada log` shows how it ended.")
}

fn root_of(request: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct RootedRequest {
        params: RootParams,
    }
    #[derive(Deserialize)]
    struct RootParams {
        root: String,
    }
    serde_json::from_str::<RootedRequest>(request).ok().map(|request| request.params.root)
}

/// Versions that cannot be compared are not.
fn is_older(theirs: &str, ours: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let core = version.split(['-', '+']).next()?;
        core.split('.').map(|number| number.parse().ok()).collect()
    };
    matches!((numbers(theirs), numbers(ours)), (Some(theirs), Some(ours)) if theirs < ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(is_older("0.9.0", "0.10.0"));
        assert!(is_older("0.1.0", "1.0.0-rc.1"));
        assert!(!is_older("0.1.0", "0.1.0"));
        assert!(!is_older("0.2.0", "0.1.9"));
        assert!(!is_older("", "0.1.0"));
        assert!(!is_older("unknown", "0.1.0"));
    }
}
