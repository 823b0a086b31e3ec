//! The surroundings of the process as a value: arguments, environment, user, machine, clock.
//!
//! The only module that reads them. Everything else gets a [`Process`], so that tests run side by side with
//! surroundings of their own. (Service managers are the exception: listenfd and sd-notify read the variables
//! that are meant for them.)

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clada_protocol::state::{MACHINE_IDS, state_folder};
use clada_server::RpcLimits;
use rustix::process::{Resource, Rlimit};

/// The clocks of the process.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// The time of day, for display.
    pub(crate) wall: fn() -> SystemTime,
}

impl Clock {
    /// The system's clocks.
    pub const SYSTEM: Clock = Clock { wall: SystemTime::now };
}

/// The times that the program waits.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// Without work, until the daemon releases memory that is only for later use.
    pub quiet: Duration,
    /// Between two reports of progress to a host of MCP.
    pub beat: Duration,
    /// For a daemon to answer the greeting, or to be ready: hosts of MCP give up on a server after half a minute.
    pub greeting: Duration,
    /// From the end of a host's messages to the end of the process that serves it.
    pub leaving: Duration,
}

impl Default for Waits {
    fn default() -> Waits {
        let RpcLimits { quiet, beat, .. } = RpcLimits::default();
        Waits { quiet, beat, greeting: Duration::from_secs(10), leaving: Duration::from_secs(8) }
    }
}

/// A user, as the password database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The name.
    pub name: String,
    /// The home folder.
    pub home: PathBuf,
    /// The shell of the user's terminals.
    pub shell: PathBuf,
}

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const LANG: &str = "C.UTF-8";

/// The surroundings of the process.
#[derive(Debug, Clone)]
pub struct Process {
    /// The arguments, the program's name first.
    pub args: Vec<OsString>,
    /// The working directory; `None` if it is gone.
    pub cwd: Option<PathBuf>,
    /// The home folder; `None` if there is none.
    pub home: Option<PathBuf>,
    /// The user.
    pub uid: u32,
    /// This process.
    pub pid: u32,
    /// The machine's id; empty where it has none.
    pub machine: String,
    /// The machine's name.
    pub host: String,
    /// The clocks.
    pub clock: Clock,
    /// The program's own file: after an upgrade the new one is there.
    pub executable: Option<PathBuf>,
    /// The socket if none is named; `None`: the usual place.
    pub(crate) default_socket: Option<PathBuf>,
    /// The times that the program waits: tests make them short.
    pub waits: Waits,
    /// False where a test acts as a machine whose kernel has no Landlock.
    pub landlock: bool,
    account: Option<Account>,
    variables: BTreeMap<OsString, OsString>,
}

impl Process {
    #[must_use]
    #[allow(clippy::disallowed_methods)] // This is the place that reads them.
    pub(crate) fn from_system() -> Process {
        Process {
            args: std::env::args_os().collect(),
            cwd: std::env::current_dir().ok(),
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            uid: rustix::process::geteuid().as_raw(),
            pid: std::process::id(),
            machine: MACHINE_IDS
                .iter()
                .find_map(|path| std::fs::read_to_string(path).ok())
                .unwrap_or_default(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            clock: Clock::SYSTEM,
            executable: std::env::current_exe().ok(),
            default_socket: None,
            waits: Waits::default(),
            landlock: true,
            account: None,
            variables: std::env::vars_os().collect(),
        }
    }

    /// Returns an environment for a test: a home folder, and no variables.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn fake(home: &Path) -> Process {
        Process {
            args: vec![OsString::from("clada-daemon")],
            cwd: Some(home.to_owned()),
            home: Some(home.to_owned()),
            uid: rustix::process::geteuid().as_raw(),
            pid: std::process::id(),
            machine: "0123456789abcdef".to_owned(),
            host: "host".to_owned(),
            clock: Clock::SYSTEM,
            executable: None,
            default_socket: None,
            waits: Waits::default(),
            landlock: true,
            account: None,
            variables: BTreeMap::new(),
        }
    }

    /// Returns this environment with a variable set.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Process {
        self.variables.insert(OsString::from(name), value.into());
        self
    }

    /// Returns a variable of the environment; an empty one counts as absent.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Returns the user's entry in the password database, whatever the environment says.
    #[must_use]
    pub(crate) fn account(&self) -> Option<Account> {
        self.account.clone().or_else(|| account_of(self.uid))
    }

    /// Returns this environment for a user and a socket that no database knows. For tests, whose daemons must
    /// not be those of the user who runs them.
    #[must_use]
    pub fn of_user(self, account: Account, socket: PathBuf) -> Process {
        Process { account: Some(account), default_socket: Some(socket), ..self }
    }

    /// Returns the surroundings in which a program serves the user whoever started it: made of the password
    /// database alone, and nothing of the environment. A user without an entry keeps the home folder.
    #[must_use]
    pub(crate) fn made_anew(&self) -> Process {
        let account = self.account();
        let home = account.as_ref().map(|account| account.home.clone()).or_else(|| self.home.clone());
        let mut variables = BTreeMap::from([("PATH", PATH.into()), ("LANG", LANG.into())]);
        if let Some(account) = account {
            variables.insert("USER", account.name.clone().into());
            variables.insert("LOGNAME", account.name.into());
            variables.insert("SHELL", account.shell.into_os_string());
        }
        if let Some(home) = &home {
            variables.insert("HOME", home.clone().into_os_string());
        }
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Process { home, variables, ..self.clone() }
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Returns the folder of this user's state on this machine: `$XDG_STATE_HOME/clada/MACHINE`, with
    /// `~/.local/state` for a variable that is absent or not absolute. `None` without a home.
    #[must_use]
    pub(crate) fn state_folder(&self) -> Option<PathBuf> {
        let home = self.home.as_deref().map(Path::as_os_str);
        state_folder(self.variable("XDG_STATE_HOME"), home, Some(&self.machine), &self.host)
    }

    /// Returns the folder of this user's configuration: `$XDG_CONFIG_HOME/clada`, with `~/.config` for a
    /// variable that is absent or not absolute. `None` without a home.
    #[must_use]
    pub(crate) fn config_folder(&self) -> Option<PathBuf> {
        Some(self.configuration()?.join("clada"))
    }

    #[must_use]
    pub(crate) fn configuration(&self) -> Option<PathBuf> {
        self.xdg("XDG_CONFIG_HOME", ".config")
    }

    fn xdg(&self, variable: &str, default: &str) -> Option<PathBuf> {
        let named = self.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| self.home.as_ref().map(|home| home.join(default)))
    }
}

fn account_of(uid: u32) -> Option<Account> {
    let user = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(uid)).ok()??;
    (user.dir.is_absolute()).then_some(Account { name: user.name, home: user.dir, shell: user.shell })
}

/// Reads nothing else of the environment.
#[allow(clippy::disallowed_methods)] // This is the place that reads them.
pub(crate) fn arguments_of(subcommand: &str) -> Option<Vec<OsString>> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == subcommand).then(|| arguments.collect())
}

/// Returns the permission bits that new files do not get.
pub(crate) fn umask() -> u32 {
    // They can only be read by setting them; at the start, before there are threads that create files, that
    // is harmless.
    let umask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    rustix::process::umask(umask);
    umask.as_raw_mode() as _
}

/// Limits that a host may have lowered for what it starts. Those of core dumps and of stacks are not among
/// them: raised, they change what every program below does.
const LIMITS: [Resource; 8] = [
    Resource::Nofile,
    Resource::Nproc,
    Resource::Fsize,
    Resource::Cpu,
    Resource::As,
    Resource::Data,
    Resource::Rss,
    Resource::Memlock,
];

pub(crate) fn as_at_login() {
    // The umask and the limits of the program that started this one are not for others.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    for resource in LIMITS {
        let Rlimit { maximum, .. } = rustix::process::getrlimit(resource);
        let _ = rustix::process::setrlimit(resource, Rlimit { current: maximum, maximum });
    }
}

/// Takes standard output for the readiness line, and puts `/dev/null` in its place.
pub(crate) fn take_standard_output() -> io::Result<File> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let null = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(File::from(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_made_anew_have_nothing_of_the_old_ones() {
        let planted = Process::fake(Path::new("/planted"))
            .with_variable("XDG_CONFIG_HOME", "/planted")
            .with_variable("CLADA_ALLOWED_ROOTS", "[/]")
            .with_variable("PATH", "/planted");
        let account = Account { name: "ann".into(), home: "/home/ann".into(), shell: "/bin/sh".into() };
        let anew = planted.of_user(account, "/run/x".into()).made_anew();
        let variables: Vec<_> = anew.variables().map(|(name, value)| format!("{name:?} {value:?}")).collect();
        expect_test::expect![[r#"
            "HOME" "/home/ann"
            "LANG" "C.UTF-8"
            "LOGNAME" "ann"
            "PATH" "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            "SHELL" "/bin/sh"
            "USER" "ann""#]]
        .assert_eq(&variables.join("\n"));
        assert_eq!(anew.config_folder().unwrap(), Path::new("/home/ann/.config/clada"));
    }

    #[test]
    fn folders_follow_absolute_variables_only() {
        let process = Process::fake(Path::new("/home/x"));
        assert_eq!(process.state_folder().unwrap(), Path::new("/home/x/.local/state/clada/0123456789abcdef"));
        assert_eq!(process.config_folder().unwrap(), Path::new("/home/x/.config/clada"));
        let process = process.with_variable("XDG_STATE_HOME", "/s").with_variable("XDG_CONFIG_HOME", "c");
        assert_eq!(process.state_folder().unwrap(), Path::new("/s/clada/0123456789abcdef"));
        assert_eq!(process.config_folder().unwrap(), Path::new("/home/x/.config/clada"));
        assert_eq!(process.with_variable("EMPTY", "").variable("EMPTY"), None);
    }
}
