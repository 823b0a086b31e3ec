//! The sandboxes that there are, and which of them works here.
//!
//! A sandbox is trusted only after a trial: `true` is run in it, the same way as any command later. Knows nothing of
//! approvals; that a command runs without one because of a sandbox is decided elsewhere.

#[cfg(target_os = "linux")]
pub(super) mod bubblewrap;
pub mod hidden;
mod hint;
#[cfg(target_os = "linux")]
pub(super) mod landlock;
pub mod macos;
#[cfg(target_os = "linux")]
pub(super) mod seccomp;

use std::path::PathBuf;

pub use hint::hint;

/// What a command runs inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sandbox {
    /// bubblewrap: namespaces of its own, and a file system of which only the root can be changed.
    Bubblewrap,
    /// Landlock and seccomp: rules that the process takes on itself.
    Landlock,
    /// The sandbox of macOS.
    SandboxExec,
    /// None: whatever the user may do.
    None,
}

impl Sandbox {
    /// The name in reports and in `status`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sandbox::Bubblewrap => "bubblewrap",
            Sandbox::Landlock => "landlock",
            Sandbox::SandboxExec => "sandbox-exec",
            Sandbox::None => "none",
        }
    }
}

/// Which sandbox is wanted: `exec.sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// The best that works.
    #[default]
    Auto,
    /// The best that works; without one nothing runs.
    Require,
    /// None.
    Off,
}

/// Which sandbox works here, and why not a better one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The best that works.
    pub sandbox: Sandbox,
    /// The program of the sandbox, if it is one.
    pub program: Option<PathBuf>,
    /// Why the better ones do not work, a sentence each.
    pub reasons: Vec<String>,
}

impl Found {
    /// One line for people: the sandbox, and what stands in the way of a better one.
    #[must_use]
    pub fn describe(&self) -> String {
        if self.reasons.is_empty() {
            return self.sandbox.name().to_owned();
        }
        format!("{} ({})", self.sandbox.name(), self.reasons.join("; "))
    }
}
