//! Decides whether a file that was shown as a whole may take the place of the one that is there.
//!
//! Pure. A listing may have been meant as a sample, or be only a part of the file (spec: foreign-dialects,
//! section 2): what would lose text without saying so is refused.

use std::collections::HashSet;

use clada_dialects::elision;
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;
use clada_schema::Listing;

use crate::failure::Failure;

/// Lines at the top of a file that may name it, below a `#!` and a coding.
const NAME_LINES: usize = 3;

/// The text `new` of a listing, without a first line that only names its file, which held `old`, if that had
/// none. An empty line below goes with it, unless the file begins with one.
pub(super) fn without_name<'t>(listing: Listing, old: Option<&[u8]>, new: &'t str) -> &'t str {
    let (Some(old), Some((name, rest))) = (old, new.split_once('\n')) else { return new };
    let old = String::from_utf8_lossy(old);
    let had = old.lines().take(NAME_LINES).any(|line| line.trim() == name.trim());
    if !listing.named_by_comment || had {
        return new;
    }
    match rest.split_once('\n') {
        Some(("", below)) if !old.is_empty() && !old.starts_with(['\n', '\r']) => below,
        _ => rest,
    }
}

/// Refuses a listing with the text `new` for the file at `path`, which holds `old`, if there is one. With
/// `literal`, lines that stand for others are taken as they are.
pub(super) fn check(
    listing: Listing,
    path: &RootedPath,
    old: Option<&[u8]>,
    new: &str,
    literal: bool,
) -> Result<(), Failure> {
    let text = old.map(String::from_utf8_lossy);
    let known: HashSet<&str> = text.iter().flat_map(|old| old.lines()).map(str::trim).collect();
    let elided = new.lines().map(str::trim).find(|line| elision(line).is_some() && !known.contains(line));
    // A placeholder that the file itself has is content, and not left out text.
    if let Some(line) = elided.filter(|_| !literal) {
        let issue = format!("'{line}' in the listing stands for lines that are left out of");
        let hint = "send the whole file, or only the changes as SEARCH/REPLACE blocks or a diff";
        return Err(Failure::at(ErrorKind::Elision, &issue, path.written(), "ELISION")
            .hint(hint)
            .person("`apply --literal` applies it as written"));
    }
    let Some(old) = old.filter(|old| !old.is_empty() && *old != new.as_bytes()) else { return Ok(()) };
    if new.is_empty() {
        return Err(refused("Empty listing would empty", path, "delete the file, if it is to go"));
    }
    if listing.shell {
        let issue = "Listing of shell commands would replace";
        return Err(refused(
            issue,
            path,
            "label the fence with the file's own language if it is meant for this file",
        ));
    }
    if new.len() * 2 < old.len() {
        let issue = format!("Listing of {} bytes would replace {} bytes of", new.len(), old.len());
        let hint = "send the whole file; to take much away from it, send the changes as SEARCH/REPLACE blocks or a diff";
        return Err(refused(&issue, path, hint));
    }
    Ok(())
}

/// The failure of a listing of a file that the answer has written or changed before: which of them is meant
/// cannot be known.
pub(super) fn second(path: &RootedPath) -> Failure {
    let issue = "An action before this listing in the answer changes";
    refused(issue, path, "list the file once, in its final form")
}

fn refused(issue: &str, path: &RootedPath, hint: &str) -> Failure {
    Failure::at(ErrorKind::InvalidValue, issue, path.written(), "INVALID_VALUE").hint(hint)
}
