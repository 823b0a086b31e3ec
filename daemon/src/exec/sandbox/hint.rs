//! Whether a command that failed may have failed because of its sandbox, and how that can be widened.
//!
//! A guess from what it wrote: programs say what the system told them in much the same words.

use super::Sandbox;
use crate::exec::order::Network;
use crate::exec::outcome::{Ended, Outcome};

/// What programs write that reach no network.
const NETWORK: &[&str] = &[
    "network is unreachable",
    "temporary failure in name resolution",
    "could not resolve host",
    "name or service not known",
    "getaddrinfo",
    "enotfound",
    "eai_again",
    "enetunreach",
    "connection refused",
    "failed to lookup address",
];

/// What programs write that may not change a file.
const FILES: &[&str] =
    &["read-only file system", "erofs", "permission denied", "eacces", "operation not permitted", "eperm"];

/// How much of the end of an output is looked at.
const TAIL: usize = 16 << 10;

/// What to tell about a failure that the sandbox may have caused; `None` if nothing speaks for that.
#[must_use]
pub fn hint(sandbox: Sandbox, network: Network, outcome: &Outcome) -> Option<String> {
    let failed = matches!(outcome.ended, Ended::Exited(1..) | Ended::Signalled(_) | Ended::TimedOut);
    if sandbox == Sandbox::None || !failed {
        return None;
    }
    let said = [&outcome.stderr.text, &outcome.stdout.text].map(|text| tail(text).to_ascii_lowercase());
    let says = |words: &[&str]| words.iter().any(|word| said.iter().any(|said| said.contains(word)));
    let name = sandbox.name();
    // Without a network a program may also just wait for one.
    let waited = outcome.ended == Ended::TimedOut && network == Network::Off;
    if network == Network::Off && says(NETWORK) {
        return Some(format!(
            "it ran in a sandbox ({name}) without a network: `exec.network: true` in your configuration grants one"
        ));
    }
    if says(FILES) {
        return Some(format!(
            "it ran in a sandbox ({name}), in which only the project's root can be changed, without .git and .clada: \
             `exec.writable` in your configuration adds folders"
        ));
    }
    waited.then(|| {
        format!(
            "it ran in a sandbox ({name}) without a network, for which it may have waited: `exec.network: true` in your \
             configuration grants one"
        )
    })
}

fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(TAIL);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::exec::outcome::{Captured, Touched};

    fn outcome(ended: Ended, error: &str) -> Outcome {
        let stderr = Captured { text: error.to_owned(), ..Captured::default() };
        let stdout = Captured::default();
        Outcome {
            ended,
            stdout,
            stderr,
            took: Duration::ZERO,
            swept: 0,
            left: 0,
            touched: Touched::default(),
        }
    }

    #[test]
    fn only_what_a_sandbox_may_have_caused_is_hinted_at() {
        let hinted = |sandbox, network, ended, error| hint(sandbox, network, &outcome(ended, error));
        let (box_, failed) = (Sandbox::Bubblewrap, Ended::Exited(1));
        let network = hinted(box_, Network::Off, failed, "curl: (6) Could not resolve host: x").unwrap();
        assert!(network.contains("exec.network"), "{network}");
        let files = hinted(box_, Network::On, failed, "EROFS: read-only file system, open '/x'").unwrap();
        assert!(files.contains("exec.writable"), "{files}");
        let waited = hinted(box_, Network::Off, Ended::TimedOut, "").unwrap();
        assert!(waited.contains("may have waited"), "{waited}");
        assert_eq!(hinted(box_, Network::On, Ended::TimedOut, ""), None);
        assert_eq!(hinted(box_, Network::Off, failed, "2 tests failed"), None);
        assert_eq!(hinted(box_, Network::Off, Ended::Exited(0), "permission denied"), None);
        assert_eq!(hinted(Sandbox::None, Network::Off, failed, "permission denied"), None);
    }

    #[test]
    fn long_output_is_looked_at_from_its_end() {
        let long = format!("permission denied {}ä", "ä".repeat(TAIL));
        assert_eq!(hint(Sandbox::Landlock, Network::On, &outcome(Ended::Exited(1), &long)), None);
    }
}
