//! Globs of names, as `find` and `grep` have them: stars match slashes and leading dots too.
//!
//! Braces hold alternatives, as a shell would have made them of a glob without quotes: nobody means a name
//! with braces.

use clada_protocol::ErrorKind;
use globset::{GlobBuilder, GlobMatcher};

use crate::failure::Failure;

pub(super) fn glob(written: &str, any_case: bool) -> Result<GlobMatcher, Failure> {
    let build = |text: &str| GlobBuilder::new(text).case_insensitive(any_case).backslash_escape(true).build();
    // Brackets or braces that are not closed are characters like any other.
    let plain = || written.replace('[', "[[]").replace('{', "[{]").replace('}', "[}]");
    let glob = build(&with_classes(written)).or_else(|_| build(&plain()));
    let glob = glob.map_err(|error| {
        let issue = format!("{} in the glob", error.kind());
        Failure::at(ErrorKind::InvalidValue, &issue, written, "INVALID_VALUE")
    })?;
    Ok(glob.compile_matcher())
}

/// With the classes of characters written out that have names in brackets.
fn with_classes(written: &str) -> String {
    const CLASSES: [(&str, &str); 8] = [
        ("[:alnum:]", "a-zA-Z0-9"),
        ("[:alpha:]", "a-zA-Z"),
        ("[:blank:]", " \t"),
        ("[:digit:]", "0-9"),
        ("[:lower:]", "a-z"),
        ("[:space:]", " \t\n\u{b}\u{c}\r"),
        ("[:upper:]", "A-Z"),
        ("[:xdigit:]", "0-9A-Fa-f"),
    ];
    CLASSES.iter().fold(written.to_owned(), |text, (name, characters)| text.replace(name, characters))
}

#[cfg(test)]
mod tests {
    #[test]
    fn globs_are_those_of_find() {
        let fits = |glob: &str, name: &str| super::glob(glob, false).unwrap().is_match(name);
        for (glob, name) in [
            ("*.rs", ".hidden.rs"),
            ("a*", "a/b"),
            ("[!a]b", "cb"),
            ("[[:digit:]]*", "1a"),
            ("a[", "a["),
            ("{a", "{a"),
            ("*.{js,ts}", "x.ts"),
            ("\\*", "*"),
            ("a?c", "abc"),
        ] {
            assert!(fits(glob, name), "{glob} {name}");
        }
        assert!(!fits("*.rs", "a.rst") && !fits("\\*", "a") && !fits("A", "a"));
        assert!(super::glob("A", true).unwrap().is_match("a"));
    }
}
