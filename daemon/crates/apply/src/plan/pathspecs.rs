//! The globs of what is not read, as pathspecs with which git leaves it out of what it shows.
//!
//! Pure. A pathspec may leave out more than its glob means, never less.

use std::path::Path;

use clada_fs::PathPolicy;
use clada_protocol::ErrorKind;

use crate::failure::Failure;

const ALTERNATIVES: usize = 64;

/// Pathspecs that leave out what `policy` keeps from being read in the repository at or below `root`.
///
/// # Errors
/// If a glob cannot be said in git's words.
pub(super) fn leaving_out(policy: &PathPolicy, root: &Path) -> Result<Vec<String>, Failure> {
    let (denied, secrets) = policy.unread();
    let mut globs = vec!["**/.git/**".to_owned(), "**/.clada/**".to_owned()];
    for glob in &denied {
        let below = if glob.contains('/') { None } else { Some(format!("**/{glob}/**")) };
        globs.extend(anywhere(glob, root).into_iter().chain(below));
    }
    globs.extend(secrets.iter().filter_map(|glob| anywhere(glob, root)));
    let mut pathspecs = Vec::new();
    for glob in &globs {
        let plain = without_braces(glob).ok_or_else(|| {
            let message = format!("git cannot leave out '{glob}' (NOT_AVAILABLE)");
            let hint = "a person can write that glob of the configuration with fewer braces";
            Failure::with_message(ErrorKind::NotAvailable, message).hint(hint)
        })?;
        pathspecs.extend(plain.into_iter().map(|glob| format!(":(top,exclude,glob,icase){glob}")));
    }
    pathspecs.sort();
    pathspecs.dedup();
    Ok(pathspecs)
}

/// The glob from any folder on: where the top of the repository is is not known. `None` if it means nothing
/// in `root`.
fn anywhere(glob: &str, root: &Path) -> Option<String> {
    if glob.starts_with("**/") {
        return Some(glob.to_owned());
    }
    if !glob.starts_with('/') {
        return Some(format!("**/{glob}"));
    }
    let within = glob.strip_prefix(root.to_str()?).map(|rest| rest.trim_start_matches('/'));
    within.filter(|rest| !rest.is_empty()).map(|rest| format!("**/{rest}"))
}

/// A glob without braces for each alternative; `None` if there are too many, or if they are not closed.
fn without_braces(glob: &str) -> Option<Vec<String>> {
    let mut open = vec![glob.to_owned()];
    let mut plain = Vec::new();
    while let Some(glob) = open.pop() {
        if open.len() + plain.len() > ALTERNATIVES {
            return None;
        }
        let Some((before, rest)) = glob.split_once('{') else {
            plain.push(glob);
            continue;
        };
        let (alternatives, after) = braced(rest)?;
        open.extend(alternatives.iter().rev().map(|alternative| format!("{before}{alternative}{after}")));
    }
    Some(plain)
}

fn braced(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut from, mut alternatives) = (0_usize, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => {
                alternatives.push(&text[from..at]);
                return Some((alternatives, &text[at + 1..]));
            }
            ',' if depth == 0 => {
                alternatives.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use clada_fs::PolicyGlobs;

    #[test]
    fn braces_are_written_out() {
        let plain = |glob: &str| without_braces(glob);
        assert_eq!(plain("a*"), Some(vec!["a*".to_owned()]));
        assert_eq!(plain("*.{pem,k{ey,1}}x").unwrap(), ["*.pemx", "*.keyx", "*.k1x"]);
        assert_eq!((plain("a{b"), plain(&"{a,b}".repeat(10))), (None, None));
    }

    #[test]
    fn what_is_not_read_is_left_out_wherever_it_is() {
        let owned = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let globs = PolicyGlobs {
            denied: owned(&["private", "etc/pass", "/p/own/**", "/etc/**"]),
            secrets: owned(&[".env*", "**/keys/*.{a,b}"]),
            ..PolicyGlobs::default()
        };
        let left_out = leaving_out(&PathPolicy::new(&globs).unwrap(), Path::new("/p")).unwrap();
        for glob in [
            "**/.git/**",
            "**/private",
            "**/private/**",
            "**/etc/pass",
            "**/own/**",
            "**/.env*",
            "**/keys/*.a",
            "**/keys/*.b",
        ] {
            assert!(left_out.contains(&format!(":(top,exclude,glob,icase){glob}")), "{glob} {left_out:?}");
        }
        assert!(!left_out.iter().any(|pathspec| pathspec.contains("/etc/**")), "{left_out:?}");
    }
}
