//! The sandboxes that exist, and the detection of the one that works here.
//!
//! A sandbox is trusted only after a trial: `true` is run in it, the same way as any command later. Knows
//! nothing of approvals; another crate decides that a command runs without one because of a sandbox.

#[cfg(target_os = "linux")]
mod bound;
#[cfg(target_os = "linux")]
pub(super) mod bubblewrap;
pub(crate) mod hidden;
pub(super) mod hint;
#[cfg(target_os = "linux")]
pub(super) mod landlock;
#[cfg(any(test, not(target_os = "linux")))]
pub(crate) mod macos;
pub(super) mod manifests;
#[cfg(target_os = "linux")]
pub(super) mod owner;
#[cfg(target_os = "linux")]
pub(super) mod reach;
#[cfg(target_os = "linux")]
pub(super) mod seccomp;
#[cfg(target_os = "linux")]
pub(super) mod sockets;
#[cfg(target_os = "linux")]
pub(super) mod visible;

use std::path::PathBuf;

use super::error::ExecError;

/// The sandbox that a command runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sandbox {
    /// Bubblewrap: namespaces of its own, and a file system of which only the root can be changed.
    Bubblewrap,
    /// Landlock and seccomp: rules that the process takes on itself.
    Landlock,
    /// The sandbox of macOS.
    SandboxExec,
    /// None: the command may do whatever its user may.
    None,
}

impl Sandbox {
    /// Returns the name in reports and in `status`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sandbox::Bubblewrap => "bubblewrap",
            Sandbox::Landlock => "landlock",
            Sandbox::SandboxExec => "sandbox-exec",
            Sandbox::None => "none",
        }
    }

    /// Returns whether it enforces every rule for the project's own files: protected ones stay as they are,
    /// and hidden ones do not exist. In a sandbox that does not, a command that depends on these rules runs
    /// only with approval.
    #[must_use]
    pub const fn keeps_parts_of_the_root(self) -> bool {
        match self {
            Sandbox::Bubblewrap | Sandbox::SandboxExec => true,
            Sandbox::Landlock | Sandbox::None => false,
        }
    }

    /// Describes what a command can still do in it, for the user who is asked to approve; `None` if the rules
    /// cover it.
    #[must_use]
    pub const fn leaves(self) -> Option<&'static str> {
        match self {
            Sandbox::Landlock => Some(
                "in the sandbox that there is (landlock) it can change modes and times of your files outside the project, \
                 and what .git and .clada of the project hold",
            ),
            Sandbox::Bubblewrap | Sandbox::SandboxExec | Sandbox::None => None,
        }
    }
}

/// The sandbox that the configuration asks for: `exec.sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxMode {
    /// The best that works.
    #[default]
    Auto,
    /// The best that works; without one nothing runs.
    Require,
    /// None.
    Off,
}

/// The sandbox that works here, and the reasons why a better one does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedSandbox {
    /// The best that works.
    pub sandbox: Sandbox,
    /// The program of the sandbox, if it is one.
    pub program: Option<PathBuf>,
    /// The reasons why the better ones do not work, a sentence each.
    pub reasons: Vec<String>,
}

impl DetectedSandbox {
    pub(crate) fn choose(&self, mode: SandboxMode) -> Result<Sandbox, ExecError> {
        match (mode, self.sandbox) {
            (SandboxMode::Off, _) => Ok(Sandbox::None),
            (SandboxMode::Require, Sandbox::None) => Err(ExecError::SandboxRequired(self.reasons.join("; "))),
            (SandboxMode::Auto | SandboxMode::Require, sandbox) => Ok(sandbox),
        }
    }

    /// Returns one line for users: the sandbox, and the obstacles to a better one.
    #[must_use]
    pub fn describe(&self) -> String {
        if self.reasons.is_empty() {
            return self.sandbox.name().to_owned();
        }
        format!("{} ({})", self.sandbox.name(), self.reasons.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_and_not_there_is_refused() {
        let reasons = vec!["bubblewrap is not installed".to_owned(), "no Landlock".to_owned()];
        let none = DetectedSandbox { sandbox: Sandbox::None, program: None, reasons };
        assert_eq!(none.choose(SandboxMode::Auto).unwrap(), Sandbox::None);
        assert_eq!(none.choose(SandboxMode::Off).unwrap(), Sandbox::None);
        let refused = none.choose(SandboxMode::Require).unwrap_err().to_string();
        assert!(refused.contains("bubblewrap is not installed; no Landlock"), "{refused}");
        let found = DetectedSandbox { sandbox: Sandbox::Landlock, program: None, reasons: Vec::new() };
        assert_eq!(found.choose(SandboxMode::Require).unwrap(), Sandbox::Landlock);
        assert_eq!(found.choose(SandboxMode::Off).unwrap(), Sandbox::None);
    }
}
