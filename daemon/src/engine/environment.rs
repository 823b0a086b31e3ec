//! The machine and the user, as a value.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clada_exec::{Private, Runner};
use clada_fs::Timestamp;
use clada_git::GitUser;

/// The machine and the user, as the engine sees them.
#[derive(Debug)]
pub struct Environment {
    /// The folder of clada's durable state.
    pub state: PathBuf,
    /// The user's home folder, if it is known.
    pub home: Option<PathBuf>,
    /// The folder of the configuration of the user's programs, if it is not `.config` in the home folder.
    pub configuration: Option<PathBuf>,
    /// The folders in which the user's programs are looked for (`PATH`).
    pub programs: Vec<PathBuf>,
    /// Folders for temporary files.
    pub temporary: Vec<PathBuf>,
    /// The one of them for new temporary files.
    pub scratch: PathBuf,
    /// The daemon's own umask.
    pub umask: u32,
    /// The clock.
    pub now: fn() -> SystemTime,
    /// The runner of commands; `None` where none can run.
    pub runner: Option<Arc<Runner>>,
    /// The paths that no command may see or change, besides the state.
    pub private: Private,
    /// The folder of the socket that this daemon serves, resolved; no root may hold it or lie in it.
    pub socket_folder: Option<PathBuf>,
    /// Why agents in sandboxes cannot be distinguished from the user here, if they cannot.
    pub undetected_agents: Option<String>,
    /// Returns true once an upgrade has replaced this program.
    pub is_replaced: fn() -> bool,
}

impl Environment {
    pub(super) fn git_user(&self) -> Option<GitUser> {
        let home = self.home.clone()?;
        let configuration = self.configuration.clone().unwrap_or_else(|| home.join(".config"));
        Some(GitUser { home, configuration })
    }

    pub(super) fn spool_folders(&self) -> Vec<PathBuf> {
        std::iter::once(&self.state).chain(&self.temporary).cloned().collect()
    }

    pub(super) fn since_epoch(&self) -> Duration {
        (self.now)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    pub(super) fn timestamp(&self) -> Timestamp {
        let since = self.since_epoch();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        Timestamp { seconds, nanoseconds: since.subsec_nanos() }
    }
}
