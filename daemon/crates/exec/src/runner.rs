//! Runs orders: detects once which sandbox works, wraps each command in it, and follows the command to its
//! end.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::command_spec::{Access, Bounds, CommandSpec, Enclosure, Network};
use super::error::ExecError;
use super::find::find;
use super::guard::{Guard, Protection};
use super::hold::Hold;
use super::outcome::{Ended, Outcome, Stream};
use super::sandbox::{DetectedSandbox, Sandbox, SandboxMode};
use super::scratch::Scratch;
use super::spawn::{Helper, Watch};
use super::wire::{Confinement, StartRequest};
#[cfg(target_os = "linux")]
use super::wire::{Inner, Owner, Rules};

/// The system's own program folders. The sandbox and its trial come from here, whatever the `PATH` of a
/// caller is.
const SYSTEM_PATH: &str = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin:/opt/homebrew/bin";

/// The most time a trial may take. Its result holds for as long as the daemon runs: on a machine that is busy
/// for a while, a sandbox that is only slow must not be taken for one that does not work.
const TRIAL: Duration = Duration::from_secs(30);

/// Runs commands.
#[derive(Debug)]
pub struct Runner {
    helper: Helper,
    temporary: PathBuf,
    detected: OnceLock<DetectedSandbox>,
    cgroups: bool,
    landlock: bool,
    counts: OnceLock<bool>,
}

/// The callbacks of a subscriber that follows a command while it runs.
pub struct Follow<'a> {
    /// Returns whether the command is to be ended now.
    pub stop: &'a dyn Fn() -> bool,
    /// Receives the output as it comes. Must not block.
    pub sink: &'a mut dyn FnMut(Stream, &[u8]),
}

impl Runner {
    /// Returns a runner whose commands have their own folders in `temporary`.
    #[must_use]
    pub fn new(helper: Helper, temporary: PathBuf) -> Runner {
        Runner {
            helper,
            temporary,
            detected: OnceLock::new(),
            cgroups: true,
            landlock: true,
            counts: OnceLock::new(),
        }
    }

    /// Returns the same runner without cgroups. For tests and benchmarks.
    #[must_use]
    pub fn without_cgroups(self) -> Runner {
        Runner { cgroups: false, ..self }
    }

    /// Returns the same runner, which finds what it would find on a kernel without Landlock. For tests.
    #[must_use]
    pub fn without_landlock(self) -> Runner {
        Runner { landlock: false, ..self }
    }

    /// Returns whether the processes of a command are bounded only by counting them now and then, since no
    /// bound of the kernel applies here.
    #[must_use]
    pub fn only_counts(&self) -> bool {
        *self.counts.get_or_init(super::helper::is_only_counted)
    }

    /// Removes the private folders and the cgroups that commands of killed daemons have left behind.
    pub fn sweep(&self) {
        super::helper::sweep();
        super::scratch::sweep(&self.temporary);
    }

    pub(crate) fn sandbox(&self) -> &DetectedSandbox {
        self.detected.get_or_init(|| self.detect())
    }

    /// Returns the sandbox that works here, if that has been tried already.
    #[must_use]
    pub fn known(&self) -> Option<&DetectedSandbox> {
        self.detected.get()
    }

    /// Returns the sandbox that commands run in.
    ///
    /// # Errors
    ///
    /// [`ExecError::SandboxRequired`] if there has to be one, and none works.
    pub fn choose(&self, mode: SandboxMode) -> Result<Sandbox, ExecError> {
        self.sandbox().choose(mode)
    }

    /// Makes a folder for the files that are passed to one command.
    ///
    /// # Errors
    ///
    /// [`ExecError::Scratch`] if it cannot be made.
    pub fn scratch(&self) -> Result<Scratch, ExecError> {
        Scratch::new(&self.temporary)
    }

    /// Runs a spec to its end, inside a sandbox that [`Runner::choose`] has chosen. The command can read
    /// the content of `scratch` in any sandbox.
    ///
    /// # Errors
    ///
    /// If the command was not started. A command that fails is not an error.
    pub fn run(
        &self,
        spec: &CommandSpec,
        sandbox: Sandbox,
        scratch: Option<&Scratch>,
        follow: &mut Follow<'_>,
    ) -> Result<Outcome, ExecError> {
        self.run_holding(spec, sandbox, scratch, &Hold::default(), follow)
    }

    /// Runs a spec as [`Runner::run`] does, for an operation whose locks stay held until everything of the
    /// command has ended, even if this process is gone.
    ///
    /// # Errors
    ///
    /// As for [`Runner::run`].
    pub fn run_holding(
        &self,
        spec: &CommandSpec,
        sandbox: Sandbox,
        scratch: Option<&Scratch>,
        hold: &Hold,
        follow: &mut Follow<'_>,
    ) -> Result<Outcome, ExecError> {
        let first = self.attempt(spec, sandbox, scratch, hold, follow);
        match first {
            // A path to be mounted, such as a socket, may have been removed in between. The command was not
            // started.
            Err(ExecError::NotStarted { code: None, .. }) if sandbox == Sandbox::Bubblewrap => {
                self.attempt(spec, sandbox, scratch, hold, follow)
            }
            other => other,
        }
    }

    fn attempt(
        &self,
        spec: &CommandSpec,
        sandbox: Sandbox,
        scratch: Option<&Scratch>,
        hold: &Hold,
        follow: &mut Follow<'_>,
    ) -> Result<Outcome, ExecError> {
        let Prepared { mut start, own, no_sockets } = self.start(spec, sandbox, scratch)?;
        let folders = [scratch, own.as_ref()].into_iter().flatten().filter_map(Scratch::lock);
        let locks: Vec<_> = hold.locks().iter().map(AsFd::as_fd).chain(folders).collect();
        start.environment.extend(hold.variable());
        start.mark = hold.mark().to_string();
        start.cgroup = self.cgroups;
        let mut watch = Watch {
            time: spec.bounds.time,
            output: spec.bounds.output,
            stop: follow.stop,
            sink: &mut *follow.sink,
        };
        let protects = matches!(sandbox, Sandbox::Bubblewrap | Sandbox::SandboxExec);
        let changes = |enclosure: &&Enclosure| sandbox == Sandbox::None || enclosure.access == Access::Change;
        // A read-only sandbox leaves nothing to guard; without a sandbox even such a command may change
        // files.
        let guard =
            spec.enclosure.as_ref().filter(changes).map(|enclosure| {
                Guard::new(enclosure, if protects { Protection::Yes } else { Protection::No })
            });
        let mut outcome = self.helper.run(&start, hold, &locks, &mut watch)?;
        outcome.touched = guard.map(|guard| guard.changed()).unwrap_or_default();
        outcome.no_sockets = no_sockets;
        Ok(outcome)
    }

    fn start(
        &self,
        spec: &CommandSpec,
        sandbox: Sandbox,
        scratch: Option<&Scratch>,
    ) -> Result<Prepared, ExecError> {
        match (sandbox, &spec.enclosure) {
            // `Sandbox::None` is the user's choice; a spec without an enclosure gives a sandbox nothing to
            // enforce.
            (Sandbox::None, _) => Ok(Prepared::new(plain(spec, Confinement::None), None)),
            #[cfg(target_os = "linux")]
            (Sandbox::Bubblewrap, Some(enclosure)) => self.bubblewrapped(spec, enclosure, scratch),
            #[cfg(target_os = "linux")]
            (Sandbox::Landlock, Some(enclosure)) => {
                let own = self.scratch()?;
                Ok(Prepared::new(landlocked(spec, enclosure, scratch, &own)?, Some(own)))
            }
            #[cfg(not(target_os = "linux"))]
            (Sandbox::SandboxExec, Some(enclosure)) => {
                let own = self.scratch()?;
                Ok(Prepared::new(sandbox_executed(spec, enclosure, &own), Some(own)))
            }
            (_, None) => Err(ExecError::Unenclosed {
                sandbox: sandbox.name(),
                why: "nothing says what the command may touch",
            }),
            #[cfg(target_os = "linux")]
            (Sandbox::SandboxExec, Some(_)) => Err(elsewhere(sandbox)),
            #[cfg(not(target_os = "linux"))]
            (Sandbox::Bubblewrap | Sandbox::Landlock, Some(_)) => Err(elsewhere(sandbox)),
        }
    }

    #[cfg(target_os = "linux")]
    fn bubblewrapped(
        &self,
        spec: &CommandSpec,
        enclosure: &Enclosure,
        scratch: Option<&Scratch>,
    ) -> Result<Prepared, ExecError> {
        use super::sandbox::reach::CommandUser;
        use super::sandbox::sockets::{Sockets, StraySocket};
        use super::sandbox::visible::{PRIVATE, Visible};
        use super::sandbox::{bubblewrap, owner};

        let owner = owner::of_project(&enclosure.root);
        let user = CommandUser::for_owner(owner);
        let mut visible = Visible::new(spec, enclosure, &[], &PRIVATE);
        // A path that the user cannot reach needs no mount over it, and can have none.
        visible.hidden.retain(|path| !user.is_barred(path));
        let sockets = Sockets::outside(enclosure, &visible, enclosure.home.as_deref(), user);
        let users = if owner.is_none() && owner::mounts() {
            bubblewrap::Users::Shared
        } else {
            bubblewrap::Users::Own
        };
        let surround = bubblewrap::Surround {
            enclosure,
            visible: &visible,
            sockets: &sockets,
            scratch: &scratch.map(|scratch| scratch.shown().collect::<Vec<_>>()).unwrap_or_default(),
            users,
        };
        let wrapped = bubblewrap::wrap(spec, &surround)?;
        let mount_points = wrapped.mount_points.into_iter().map(OsString::from).collect();
        let program = spec.program.clone().into_os_string();
        let command = std::iter::once(program).chain(spec.arguments.iter().cloned()).collect();
        let inner = Inner {
            writable: wrapped.writable,
            network: enclosure.network == Network::On,
            sockets: sockets.stray.is_none(),
            ..Inner::default()
        };
        let mut start = plain(spec, Confinement::Bubblewrap { mount_points, command, inner });
        start.program = self.program()?.into_os_string();
        start.arguments = wrapped.arguments;
        start.folder = OsString::from("/");
        set(&mut start.environment, "TMPDIR", Path::new("/tmp"));
        owned(&mut start, owner, scratch)?;
        Ok(Prepared { start, own: None, no_sockets: sockets.stray.as_ref().map(StraySocket::words) })
    }

    #[cfg(target_os = "linux")]
    fn program(&self) -> Result<PathBuf, ExecError> {
        let known = self.detected.get().and_then(|sandbox| sandbox.program.clone());
        let why = "bwrap is not installed";
        let missing = ExecError::Unenclosed { sandbox: Sandbox::Bubblewrap.name(), why };
        known.or_else(bubblewrap_program).ok_or(missing)
    }

    #[cfg(target_os = "linux")]
    fn detect(&self) -> DetectedSandbox {
        let mut reasons = Vec::new();
        match bubblewrap_program() {
            None => reasons.push("bubblewrap: bwrap is not installed".to_owned()),
            Some(program) => match self.trial(Sandbox::Bubblewrap) {
                Ok(()) => {
                    return DetectedSandbox { sandbox: Sandbox::Bubblewrap, program: Some(program), reasons };
                }
                Err(reason) => reasons.push(format!("bubblewrap: {reason}")),
            },
        }
        match self.trial(Sandbox::Landlock) {
            Ok(()) => DetectedSandbox { sandbox: Sandbox::Landlock, program: None, reasons },
            Err(reason) => {
                reasons.push(format!("landlock: {reason}"));
                DetectedSandbox { sandbox: Sandbox::None, program: None, reasons }
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn detect(&self) -> DetectedSandbox {
        use super::sandbox::macos;

        let program = PathBuf::from(macos::PROGRAM);
        let tried = self.trial(Sandbox::SandboxExec);
        match tried {
            Ok(()) => {
                DetectedSandbox { sandbox: Sandbox::SandboxExec, program: Some(program), reasons: Vec::new() }
            }
            Err(reason) => {
                let reasons = vec![format!("sandbox-exec: {reason}")];
                DetectedSandbox { sandbox: Sandbox::None, program: None, reasons }
            }
        }
    }

    /// Runs `true` in a sandbox.
    ///
    /// # Errors
    ///
    /// The reason why it does not work, in words.
    pub fn trial(&self, sandbox: Sandbox) -> Result<(), String> {
        if sandbox == Sandbox::Landlock && !self.landlock {
            return Err("it is switched off".to_owned());
        }
        let program = find("true".as_ref(), SYSTEM_PATH.as_ref(), Path::new("/"));
        let program = program.ok_or("there is no program 'true' to try it with")?;
        let root = self.scratch().map_err(|error| error.to_string())?;
        let spec = CommandSpec {
            program,
            arguments: Vec::new(),
            folder: root.path().to_owned(),
            environment: Vec::new(),
            umask: 0o077,
            bounds: Bounds { time: TRIAL, output: 4096, ..Bounds::default() },
            enclosure: Some(Enclosure {
                root: root.path().to_owned(),
                access: Access::Change,
                writable: Vec::new(),
                hidden: Vec::new(),
                shown: Vec::new(),
                home: None,
                protected: vec![root.path().join(".git")],
                watched: Vec::new(),
                network: Network::Off,
            }),
        };
        // The output is often the only explanation why the sandbox does not work.
        let mut output = String::new();
        let mut follow = Follow {
            stop: &|| false,
            sink: &mut |_, piece| output.push_str(&String::from_utf8_lossy(piece)),
        };
        match self.attempt(&spec, sandbox, None, &Hold::default(), &mut follow) {
            Ok(Outcome { ended: Ended::Exited(0), .. }) => Ok(()),
            Ok(outcome) => Err(format!("a trial ended with {:?} {}", outcome.ended, output.trim())),
            Err(error) => Err(format!("{error} {}", output.trim()).trim().to_owned()),
        }
    }
}

#[cfg(target_os = "linux")]
fn bubblewrap_program() -> Option<PathBuf> {
    find("bwrap".as_ref(), SYSTEM_PATH.as_ref(), Path::new("/"))
}

fn plain(spec: &CommandSpec, confinement: Confinement) -> StartRequest {
    StartRequest {
        program: spec.program.clone().into_os_string(),
        arguments: spec.arguments.clone(),
        folder: spec.folder.clone().into_os_string(),
        environment: spec.environment.clone(),
        umask: spec.umask,
        processes: spec.bounds.processes,
        cgroup: false,
        mark: String::new(),
        limit: None,
        owner: None,
        confinement,
    }
}

fn elsewhere(sandbox: Sandbox) -> ExecError {
    ExecError::Unenclosed { sandbox: sandbox.name(), why: "it is not a sandbox of this system" }
}

/// Has the command run as `owner`, if that is another user than the daemon's, and gives that user the files
/// passed to it. If root stays root, tells tar not to give files away, for which root has no right in a
/// sandbox.
#[cfg(target_os = "linux")]
fn owned(start: &mut StartRequest, owner: Option<Owner>, scratch: Option<&Scratch>) -> Result<(), ExecError> {
    use super::sandbox::owner;

    start.owner = owner;
    match owner {
        Some(owner) => {
            scratch.map_or(Ok(()), |scratch| scratch.give_to(owner))?;
            let home = owner::home(owner.user);
            set(&mut start.environment, "HOME", home.as_deref().unwrap_or(Path::new("/tmp")));
        }
        None if rustix::process::geteuid().is_root() => {
            set(&mut start.environment, "TAR_OPTIONS", Path::new("--no-same-owner"));
        }
        None => {}
    }
    Ok(())
}

struct Prepared {
    start: StartRequest,
    own: Option<Scratch>,
    no_sockets: Option<String>,
}

impl Prepared {
    fn new(start: StartRequest, own: Option<Scratch>) -> Prepared {
        Prepared { start, own, no_sockets: None }
    }
}

#[cfg(target_os = "linux")]
fn landlocked(
    spec: &CommandSpec,
    enclosure: &Enclosure,
    scratch: Option<&Scratch>,
    own: &Scratch,
) -> Result<StartRequest, ExecError> {
    use super::sandbox::owner;
    use super::sandbox::visible::Visible;

    let there =
        |paths: &[PathBuf]| paths.iter().filter_map(|path| path.canonicalize().ok()).collect::<Vec<_>>();
    let mut writable = there(&enclosure.writable);
    if enclosure.access == Access::Change {
        writable.extend(there(std::slice::from_ref(&enclosure.root)));
    }
    writable.push(own.path().to_owned());
    // Bubblewrap has private ones in place of these. Here they are hidden: temporary files of others,
    // terminals, disks and shared memory.
    let visible = Visible::new(spec, enclosure, &["/tmp", "/var/tmp", "/dev"], &[]);
    let handed = scratch.iter().flat_map(|scratch| scratch.shown()).map(Path::to_owned);
    let shown = visible.shown.into_iter().chain([enclosure.root.clone()]).chain(handed);
    let mut start = plain(
        spec,
        Confinement::Landlock(Rules {
            hidden: visible.hidden.into_iter().map(OsString::from).collect(),
            shown: shown.map(OsString::from).collect(),
            writable: writable.into_iter().map(OsString::from).collect(),
            network: enclosure.network == Network::On,
            changes: enclosure.access == Access::Change,
        }),
    );
    set(&mut start.environment, "TMPDIR", own.path());
    let owner = owner::of_project(&enclosure.root);
    for scratch in scratch.into_iter().chain([own]) {
        owned(&mut start, owner, Some(scratch))?;
    }
    Ok(start)
}

#[cfg(not(target_os = "linux"))]
fn sandbox_executed(spec: &CommandSpec, enclosure: &Enclosure, own: &Scratch) -> StartRequest {
    use super::sandbox::macos;

    let mut start = plain(spec, Confinement::None);
    let profile = OsString::from(macos::profile(enclosure, own.path()));
    let command = [OsString::from("-p"), profile, std::mem::take(&mut start.program)];
    start.arguments.splice(0..0, command);
    start.program = OsString::from(macos::PROGRAM);
    set(&mut start.environment, "TMPDIR", own.path());
    start
}

fn set(environment: &mut Vec<(OsString, OsString)>, name: &str, value: &Path) {
    environment.retain(|(known, _)| known != name);
    environment.push((OsString::from(name), value.as_os_str().to_owned()));
}
