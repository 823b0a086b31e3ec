//! Finds changes of text by which an otherwise harmless file makes a program run:
//! attributes of git, settings of npm.
//!
//! Pure: the texts before and after are passed in. Understands as much of a format as is needed to see
//! whether the relevant lines have changed, and in doubt takes a line for one of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

const ATTRIBUTES: [&str; 3] = ["filter", "diff", "merge"];
const SETTINGS: [&str; 9] = [
    "script-shell",
    "shell",
    "node-options",
    "onload-script",
    "git",
    "pnpmfile",
    "global-pnpmfile",
    "userconfig",
    "globalconfig",
];
const QUOTED: usize = 120;

/// The content of a file before or after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text<'t> {
    /// There is no file.
    Missing,
    /// This content.
    Known(&'t [u8]),
    /// Not known: it is a link, or too large to be read.
    Unknown,
}

/// Returns the reason for which a user should see that the file at `path` changes from `old` to `new`.
#[must_use]
pub fn names_program(path: &Path, old: Text<'_>, new: Text<'_>) -> Option<String> {
    let name = super::names::plain(path.file_name()?);
    let is = |known: &str| name.eq_ignore_ascii_case(OsStr::new(known));
    let of_git = is(".gitattributes");
    if !of_git && !is(".npmrc") {
        return None;
    }
    let what = match of_git {
        true => "git runs filter, diff and merge programs by its lines",
        false => "npm runs a program by this line of it",
    };
    let (Some(old), Some(new)) = (text(old), text(new)) else {
        return Some(format!("{what}, and what it holds is not known"));
    };
    let line = if of_git { changed_attribute(&old, &new) } else { new_setting(&old, &new) }?;
    let shown: String = line.chars().take(QUOTED).collect();
    Some(format!("{what}: `{}`", clada_protocol::visible_line(&shown)))
}

/// Returns the first line of attributes that has changed.
fn changed_attribute(old: &str, new: &str) -> Option<String> {
    // For git the last matching line counts: another order, or one line less, is a change too.
    let macros: BTreeSet<String> = macros(old).union(&macros(new)).cloned().collect();
    let (before, after) = (attributes(old, &macros), attributes(new, &macros));
    if before == after {
        return None;
    }
    let came = after.iter().find(|line| !before.contains(line));
    let went = || before.iter().find(|line| !after.contains(line));
    came.or_else(went).or(before.first()).cloned()
}

fn new_setting(old: &str, new: &str) -> Option<String> {
    let before = settings(old);
    settings(new).into_iter().find(|line| !before.contains(line))
}

fn text(text: Text<'_>) -> Option<String> {
    match text {
        Text::Missing => Some(String::new()),
        Text::Known(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Text::Unknown => None,
    }
}

fn macros(text: &str) -> BTreeSet<String> {
    let defined = text.lines().filter_map(|line| line.trim().strip_prefix("[attr]"));
    let named = defined.filter_map(|line| {
        let (name, rest) = line.trim_start().split_once(char::is_whitespace)?;
        rest.split_whitespace().any(|word| matters(word, &BTreeSet::new())).then(|| name.to_owned())
    });
    named.collect()
}

fn matters(word: &str, macros: &BTreeSet<String>) -> bool {
    let name = word.trim_start_matches(['-', '!']).split('=').next().unwrap_or_default();
    ATTRIBUTES.contains(&name) || macros.contains(name)
}

fn attributes(text: &str, macros: &BTreeSet<String>) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let kept_lines = lines.filter_map(|line| {
        let (pattern, rest) = pattern(line);
        let words: Vec<&str> = rest.split_whitespace().filter(|word| matters(word, macros)).collect();
        (!words.is_empty()).then(|| format!("{pattern} {}", words.join(" ")))
    });
    kept_lines.collect()
}

fn pattern(line: &str) -> (&str, &str) {
    let end = match line.strip_prefix('"') {
        Some(quoted) => {
            let mut escaped = false;
            let end = quoted.find(|char| {
                let ends = char == '"' && !escaped;
                escaped = char == '\\' && !escaped;
                ends
            });
            end.map_or(line.len(), |end| end + 2)
        }
        None => line.find(char::is_whitespace).unwrap_or(line.len()),
    };
    line.split_at(end)
}

fn settings(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';']));
    let kept_lines = lines.filter(|line| {
        let key = line.split('=').next().unwrap_or_default();
        let key = key.trim().trim_matches(['"', '\'']).trim_end_matches("[]");
        SETTINGS.contains(&key.to_ascii_lowercase().replace('_', "-").as_str())
    });
    kept_lines.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str, old: &str, new: &str) -> Option<String> {
        names_program(Path::new(path), Text::Known(old.as_bytes()), Text::Known(new.as_bytes()))
    }

    #[test]
    fn attributes_are_asked_about_if_what_runs_changes() {
        for (old, new) in [
            ("", "* filter=lfs"),
            ("*.c text", "*.c text diff=mine"),
            ("* filter=a", "* filter=b"),
            ("* filter=a", ""),
            ("* merge=a\n*.c merge=b", "*.c merge=b\n* merge=a"),
            ("[attr]big filter=x", "[attr]big filter=x\n*.bin big"),
            ("", "\"a b\\\" c\" -diff"),
        ] {
            let why = asked("sub/.gitattributes", old, new);
            assert!(why.is_some_and(|why| why.contains('`')), "{old:?} -> {new:?}");
            assert!(asked(".GitAttributes", old, new).is_some());
        }
        for (old, new) in [
            ("", "*.c text eol=lf"),
            ("* filter=a", "# of ours\n* text filter=a"),
            ("", "# filter=a"),
            ("", "\"a filter=b\" text"),
        ] {
            assert_eq!(asked(".gitattributes", old, new), None, "{old:?} -> {new:?}");
        }
        assert_eq!(asked("gitattributes", "", "* filter=a"), None);
    }

    #[test]
    fn settings_are_asked_about_if_a_program_comes() {
        for new in ["script-shell=./x", " Script_Shell = ./x", "a=b\r\n\"node-options\"=--require ./x"] {
            assert!(asked("web/.npmrc", "a=b", new).is_some(), "{new:?}");
        }
        for (old, new) in [
            ("", "registry=https://x\n; script-shell=y"),
            ("script-shell=x", "script-shell=x\nregistry=y"),
            ("script-shell=x", ""),
        ] {
            assert_eq!(asked(".npmrc", old, new), None, "{old:?} -> {new:?}");
        }
    }

    #[test]
    fn what_is_not_known_is_asked_about() {
        for path in [".npmrc", ".gitattributes"] {
            assert!(names_program(Path::new(path), Text::Missing, Text::Unknown).is_some());
            assert_eq!(names_program(Path::new(path), Text::Missing, Text::Missing), None);
        }
    }
}
