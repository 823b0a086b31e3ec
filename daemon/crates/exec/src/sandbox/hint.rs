//! Guesses whether a command may have failed because of its sandbox, or for want of a variable of the client, and how
//! the user can widen that.
//!
//! The guess comes from the output: programs report the system's errors in much the same words.

use std::path::{Path, PathBuf};

use super::Sandbox;
use crate::command_spec::{Enclosure, Network};
use crate::outcome::{Ended, Outcome};

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

const FILES: &[&str] =
    &["read-only file system", "erofs", "permission denied", "eacces", "operation not permitted", "eperm"];

const REPOSITORY: &[&str] = &["/.git/", "'.git/", " .git/", "cannot lock ref", "into object database"];

const SOCKETS: &[&str] = &["socket", "af_unix", "pipe server"];

/// The most mentions of a hidden path that are checked; the rest are taken to be alike.
const MATCHES: usize = 100;

/// The status with which shells report that there is no such program.
const NOT_FOUND: i32 = 127;

/// The fewest letters of a variable's name that is looked for: a shorter one may be any word.
const SHORTEST: usize = 4;

const TAIL: usize = 16 << 10;

/// A way in which a sandbox may have caused a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The property of the sandbox that may have caused it.
    pub cause: String,
    /// The way for a user to widen the sandbox, if that helps.
    pub remedy: Option<&'static str>,
}

/// Returns the hint for a failure that the sandbox may have caused; `None` if nothing suggests that.
#[must_use]
pub fn hint(sandbox: Sandbox, enclosure: &Enclosure, outcome: &Outcome) -> Option<Hint> {
    let network = enclosure.network;
    let failed = matches!(outcome.ended, Ended::Exited(1..) | Ended::Signalled(_) | Ended::TimedOut);
    if sandbox == Sandbox::None || !failed {
        return None;
    }
    let tails = [&outcome.stderr.text, &outcome.stdout.text].map(|text| tail(text));
    if let Some(path) = tails.iter().find_map(|text| hidden_path(text, enclosure)) {
        let name = sandbox.name();
        let shown = clada_protocol::visible_line(&path.to_string_lossy()).into_owned();
        return Some(Hint {
            cause: format!("{shown} is there, but hidden in the sandbox ({name})"),
            remedy: Some(
                "`exec.readable` in your configuration shows it, and `exec.home: show` the home folder without its keys",
            ),
        });
    }
    if outcome.ended == Ended::Exited(NOT_FOUND) && !enclosure.hidden.is_empty() {
        return Some(Hint {
            cause: format!(
                "a program was not found in the folders of PATH; it ran in a sandbox ({}), in which parts of the home \
                 folder may be hidden",
                sandbox.name()
            ),
            remedy: Some(
                "in your configuration `exec.env` sets PATH, and `exec.readable` adds folders that are seen",
            ),
        });
    }
    let outputs = tails.map(str::to_ascii_lowercase);
    let says = |words: &[&str]| words.iter().any(|word| outputs.iter().any(|output| output.contains(word)));
    let name = sandbox.name();
    let with_network = Some("`exec.network: true` in your configuration grants one");
    if network == Network::Off && says(NETWORK) {
        let cause = format!("it ran in a sandbox ({name}) without a network");
        return Some(Hint { cause, remedy: with_network });
    }
    if says(FILES) && says(REPOSITORY) {
        return Some(Hint {
            cause: format!(
                "it ran in a sandbox ({name}), in which nobody can change .git: commits, branches and the index are for \
                 the user, or for clada, which commits what an answer changes"
            ),
            remedy: Some(
                "run that command of git yourself; `exec.sandbox: off` in your configuration lets commands change .git, \
                 and everything else of yours",
            ),
        });
    }
    // A refused system call gives the same error as a file that may not be changed.
    let sockets = outcome.no_sockets.as_deref().filter(|_| says(SOCKETS) || says(FILES));
    if let Some(why) = sockets {
        return Some(Hint { cause: format!("it ran in a sandbox ({name}) with {why}"), remedy: None });
    }
    if says(FILES) {
        return Some(Hint {
            cause: format!(
                "it ran in a sandbox ({name}), in which only the project's root can be changed, without .git and .clada"
            ),
            remedy: Some("`exec.writable` in your configuration adds folders"),
        });
    }
    // Without a network a program may also have waited for one without any message.
    let waited = outcome.ended == Ended::TimedOut && network == Network::Off;
    waited.then(|| Hint {
        cause: format!("it ran in a sandbox ({name}) without a network, for which it may have waited"),
        remedy: with_network,
    })
}

/// Returns the hint for a command that failed and names a variable of the client that it did not get: one of `withheld`,
/// as a whole word in capitals. What rustup says without its folder names none.
#[must_use]
pub fn hint_at_variable(withheld: &[String], outcome: &Outcome) -> Option<Hint> {
    if !matches!(outcome.ended, Ended::Exited(1..) | Ended::Signalled(_)) {
        return None;
    }
    let tails = [&outcome.stderr.text, &outcome.stdout.text].map(|text| tail(text));
    let says = |word: &str| {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let is_whole = |text: &str, at: usize| {
            !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
        };
        tails.iter().any(|text| text.match_indices(word).take(MATCHES).any(|(at, _)| is_whole(text, at)))
    };
    let is_loud = |name: &str| {
        let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.len() >= SHORTEST && name.bytes().all(is_capital)
    };
    let named = |name: &&String| {
        is_loud(name) && (says(name) || *name == "RUSTUP_HOME" && says("rustup") && says("default"))
    };
    let name = withheld.iter().find(named)?;
    Some(Hint {
        cause: format!("{name} is set at the terminal, but not handed on to commands"),
        remedy: Some("`exec.env` in your configuration sets variables of commands"),
    })
}

fn hidden_path(text: &str, enclosure: &Enclosure) -> Option<PathBuf> {
    let ends =
        |end: char| end.is_whitespace() || matches!(end, '"' | '\'' | '`' | ':' | ',' | ';' | ')' | ']');
    let deepest = |paths: &mut dyn Iterator<Item = &PathBuf>, path: &Path| {
        let above = paths.filter(|above| path.starts_with(above));
        above.map(|above| above.as_os_str().len()).max()
    };
    let named = |hidden: &PathBuf| {
        text.match_indices(hidden.to_str()?).take(MATCHES).find_map(|(start, _)| {
            let rest = &text[start..];
            let path = Path::new(&rest[..rest.find(ends).unwrap_or(rest.len())]);
            let own = [&enclosure.root];
            let mut shown = enclosure.shown.iter().chain(&enclosure.writable).chain(own);
            let is_hidden = deepest(&mut enclosure.hidden.iter(), path) > deepest(&mut shown, path);
            (is_hidden && path.exists()).then(|| path.to_owned())
        })
    };
    enclosure.hidden.iter().find_map(named)
}

fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(TAIL))..]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::command_spec::Access;
    use crate::outcome::{Captured, Touched};

    fn enclosure(network: Network, hidden: &[PathBuf], shown: &[PathBuf]) -> Enclosure {
        Enclosure {
            root: PathBuf::from("/p"),
            access: Access::Change,
            writable: Vec::new(),
            hidden: hidden.to_vec(),
            shown: shown.to_vec(),
            home: None,
            protected: Vec::new(),
            watched: Vec::new(),
            network,
        }
    }

    fn outcome(ended: Ended, error: &str) -> Outcome {
        let stderr = Captured { text: error.to_owned(), ..Captured::default() };
        let stdout = Captured::default();
        Outcome {
            ended,
            stdout,
            stderr,
            took: Duration::ZERO,
            swept: 0,
            survivors: 0,
            touched: Touched::default(),
            no_sockets: None,
        }
    }

    #[test]
    fn a_variable_that_was_not_handed_on_is_hinted_at_where_it_is_named() {
        let withheld = ["EDITOR", "OLD", "DATABASE_URL", "RUSTUP_HOME", "lower"].map(str::to_owned);
        let hint = |ended, error| hint_at_variable(&withheld, &outcome(ended, error)).map(|hint| hint.cause);
        let failed = Ended::Exited(1);
        let named = Some("DATABASE_URL is set at the terminal, but not handed on to commands".to_owned());
        assert_eq!(hint(failed, "error: `DATABASE_URL` must be set"), named);
        assert_eq!(hint(failed, "TEST_DATABASE_URL and DATABASE_URLS, \u{e9}DATABASE_URL=x"), named);
        assert_eq!(hint(Ended::Exited(0), "DATABASE_URL"), None);
        assert_eq!(hint(failed, "TEST_DATABASE_URL, an OLD one, a lower one"), None);
        let rustup = "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no \
                      default is configured.";
        assert!(hint(failed, rustup).unwrap().starts_with("RUSTUP_HOME is set"));
    }

    #[test]
    fn only_what_a_sandbox_may_have_caused_is_hinted_at() {
        let hinted = |sandbox, network, ended, error| {
            hint(sandbox, &enclosure(network, &[], &[]), &outcome(ended, error))
        };
        let (box_, failed) = (Sandbox::Bubblewrap, Ended::Exited(1));
        let network = hinted(box_, Network::Off, failed, "curl: (6) Could not resolve host: x").unwrap();
        assert!(network.remedy.unwrap().contains("exec.network"), "{network:?}");
        let files = hinted(box_, Network::On, failed, "EROFS: read-only file system, open '/x'").unwrap();
        assert!(files.remedy.unwrap().contains("exec.writable"), "{files:?}");
        for said in [
            "fatal: Unable to create '/p/.git/index.lock': Read-only file system",
            "error: insufficient permission for adding an object to repository database .git/objects: Permission denied",
            "error: cannot open '.git/FETCH_HEAD': Read-only file system",
        ] {
            let git = hinted(box_, Network::On, failed, said).unwrap();
            assert!(git.cause.contains("can change .git"), "{git:?}");
            assert!(git.remedy.unwrap().contains("yourself"), "{git:?}");
        }
        // Also where the sandbox had to do without sockets, for which a repository is no reason.
        let outcome = outcome(failed, "fatal: Unable to create '/p/.git/index.lock': Read-only file system");
        let outcome = Outcome { no_sockets: Some("no sockets".to_owned()), ..outcome };
        let git = hint(box_, &enclosure(Network::On, &[], &[]), &outcome).unwrap();
        assert!(git.cause.contains("can change .git"), "{git:?}");
        let waited = hinted(box_, Network::Off, Ended::TimedOut, "").unwrap();
        assert!(waited.cause.contains("may have waited"), "{waited:?}");
        assert_eq!(hinted(box_, Network::On, Ended::TimedOut, ""), None);
        assert_eq!(hinted(box_, Network::Off, failed, "2 tests failed"), None);
        assert_eq!(hinted(box_, Network::Off, Ended::Exited(0), "permission denied"), None);
        assert_eq!(hinted(Sandbox::None, Network::Off, failed, "permission denied"), None);
    }

    #[test]
    fn regression_a_hidden_path_that_is_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let hidden = [folder.path().to_owned()];
        std::os::unix::fs::symlink("/", folder.path().join("shown")).unwrap();
        let enclosure = enclosure(Network::Off, &hidden, &[folder.path().join("shown")]);
        let said =
            |text: &str, code| hint(Sandbox::Bubblewrap, &enclosure, &outcome(Ended::Exited(code), text));
        let path = folder.path().display();
        let named = said(&format!("cannot open '{path}': No such file"), 1).unwrap();
        assert!(named.cause.contains(&format!("{path} is there, but hidden")), "{named:?}");
        assert_eq!(said(&format!("cannot open '{path}/none' nor {path}/shown/etc"), 1), None);
        assert!(said("sh: x: not found", 127).unwrap().remedy.unwrap().contains("exec.readable"));
    }

    #[test]
    fn regression_why_there_are_no_sockets_is_said() {
        let said = |no_sockets: Option<&str>, text: &str| {
            let no_sockets = no_sockets.map(str::to_owned);
            let outcome = Outcome { no_sockets, ..outcome(Ended::Exited(1), text) };
            hint(Sandbox::Bubblewrap, &enclosure(Network::On, &[], &[]), &outcome)
        };
        let why = "no sockets with names, since '/x' of another program has a second name";
        let hinted = said(Some(why), "listen: Operation not permitted").unwrap();
        assert!(hinted.cause.ends_with(why), "{hinted:?}");
        assert_eq!(said(Some(why), "2 tests failed"), None);
        assert!(
            said(None, "listen: Operation not permitted").unwrap().remedy.unwrap().contains("exec.writable")
        );
    }

    #[test]
    fn long_output_is_looked_at_from_its_end() {
        let long = format!("permission denied {}ä", "ä".repeat(TAIL));
        assert_eq!(
            hint(Sandbox::Landlock, &enclosure(Network::On, &[], &[]), &outcome(Ended::Exited(1), &long)),
            None
        );
    }
}
