//! The environment variables that a command gets: an allow-list over the client's own, never the daemon's.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

pub(crate) const HANDED_ON: [&str; 8] = ["PATH", "HOME", "LANG", "LC_", "TERM", "TMPDIR", "USER", "SHELL"];

/// The search path for programs if the client has no `PATH`.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The part of the client's environment that a command inherits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inherit {
    /// The variables that the allow-list names.
    Listed,
    /// Everything (`exec.inherit_env` of the user's configuration).
    Everything,
}

/// Returns the environment of a command: the inherited part of the client's, overridden by `added`
/// (`exec.env`).
///
/// Names that no environment can hold (empty, with `=` or NUL) and values with NUL are left out. There is
/// always a `PATH`.
#[must_use]
pub fn environment(
    client: &[(OsString, OsString)],
    added: &[(OsString, OsString)],
    inherit: Inherit,
) -> Vec<(OsString, OsString)> {
    let mut variables = BTreeMap::from([(OsString::from("PATH"), OsString::from(PATH))]);
    let handed_on = client.iter().filter(|(name, _)| inherit == Inherit::Everything || listed(name));
    for (name, value) in handed_on.chain(added).filter(|(name, value)| possible(name, value)) {
        variables.insert(name.clone(), value.clone());
    }
    variables.into_iter().collect()
}

/// Returns the names of the client's variables that are not in `environment`, as far as they are text.
pub fn withheld<'a>(
    client: impl IntoIterator<Item = &'a String>,
    environment: &[(OsString, OsString)],
) -> Vec<String> {
    let is_withheld = |name: &&String| variable(environment, name).is_none();
    client.into_iter().filter(is_withheld).cloned().collect()
}

/// Returns the value of a variable in an environment.
#[must_use]
pub fn variable<'a>(environment: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let variable_pair = environment.iter().rev().find(|(known, _)| known == name);
    variable_pair.map(|(_, value)| value.as_os_str())
}

fn listed(name: &OsStr) -> bool {
    let name = name.as_bytes();
    HANDED_ON.iter().any(|known| match *known {
        "LC_" => name.starts_with(b"LC_"),
        known => name == known.as_bytes(),
    })
}

fn possible(name: &OsStr, value: &OsStr) -> bool {
    let (name, value) = (name.as_bytes(), value.as_bytes());
    !name.is_empty() && !name.contains(&b'=') && !name.contains(&0) && !value.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn only_what_is_listed_is_handed_on() {
        let client = pairs(&[
            ("PATH", "/x"),
            ("LC_ALL", "C"),
            ("LCX", "no"),
            ("AWS_SECRET_ACCESS_KEY", "no"),
            ("LD_PRELOAD", "no"),
            ("SSH_AUTH_SOCK", "no"),
            ("HOME", "/h"),
        ]);
        let expected = pairs(&[("CI", "1"), ("HOME", "/h"), ("LC_ALL", "C"), ("PATH", "/x")]);
        assert_eq!(environment(&client, &pairs(&[("CI", "1")]), Inherit::Listed), expected);
        assert_eq!(environment(&client, &[], Inherit::Everything).len(), client.len());
    }

    #[test]
    fn there_is_a_path_in_any_case_and_nothing_impossible() {
        let odd = pairs(&[("", "x"), ("A=B", "x"), ("A", "x\0y")]);
        assert_eq!(environment(&[], &odd, Inherit::Everything), pairs(&[("PATH", PATH)]));
    }
}
