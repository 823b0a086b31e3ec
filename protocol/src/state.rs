//! The rule for the place of a daemon's state and log, applied to values that the caller has read.
//!
//! Daemon and client both follow it. Nothing here reads the file system or the environment. A home folder may
//! be shared by several machines, so the machine has a folder of its own in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The name of the log in the state folder; files that were rotated out have names that begin with it.
pub const LOG_NAME: &str = "daemon.log";

/// The files that may hold a machine's id; the first that can be read counts.
pub const MACHINE_IDS: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// Returns the state folder: `$XDG_STATE_HOME/clada/MACHINE`, by default under `~/.local/state`.
///
/// `None` if neither variable gives an absolute path. `machine_id` is the content of one of [`MACHINE_IDS`],
/// if there is one, and `host` the machine's name.
#[must_use]
pub fn state_folder(
    state_home: Option<&OsStr>,
    home: Option<&OsStr>,
    machine_id: Option<&str>,
    host: &str,
) -> Option<PathBuf> {
    let absolute = |path: Option<&OsStr>| path.map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(state_home).or_else(|| absolute(home).map(|home| home.join(".local/state")))?;
    Some(base.join("clada").join(machine_name(machine_id, host)))
}

/// Returns the path of the log in a state folder.
#[must_use]
pub fn log_path(state_folder: &Path) -> PathBuf {
    state_folder.join(LOG_NAME)
}

fn machine_name(machine_id: Option<&str>, host: &str) -> String {
    let id = machine_id.map(str::trim).unwrap_or_default();
    if id.len() >= 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return id.to_owned();
    }
    let tame = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = host.chars().take(64).map(tame).collect();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        let folder = |state: Option<&str>, home: Option<&str>, id: Option<&str>| {
            state_folder(state.map(OsStr::new), home.map(OsStr::new), id, "my.host")
        };
        assert_eq!(folder(Some("/s"), None, Some("0123abcd\n")), Some("/s/clada/0123abcd".into()));
        assert_eq!(folder(Some("rel"), Some("/h"), None), Some("/h/.local/state/clada/my-host".into()));
        assert_eq!(folder(None, Some("/h"), Some("../../x")), Some("/h/.local/state/clada/my-host".into()));
        assert_eq!(folder(None, None, None), None);
        assert_eq!(log_path(Path::new("/s")), Path::new("/s/daemon.log"));
    }
}
