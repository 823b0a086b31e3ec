//! The failures that several kinds of actions share.

use std::path::{Component, Path, PathBuf};

use clada_edit::{Match, Text};
use clada_fs::RootedPath;
use clada_protocol::{Approval, DECLINED, ErrorKind, visible_line};
use clada_schema::Hunk;

use crate::failure::Failure;
use crate::view::Node;

pub(super) fn not_a_file(node: &Node, path: &RootedPath) -> Failure {
    let at = |kind, issue, code| Failure::at(kind, issue, path.written(), code);
    match node {
        Node::Missing | Node::File(_) => not_found(path),
        Node::Folder => at(ErrorKind::IsDirectory, "Path is a directory", "EISDIR"),
        Node::Symlink { target } => {
            let failure = at(ErrorKind::SymlinkNotAllowed, "A symbolic link is not followed", "ELOOP");
            match leads_to(path, target) {
                Some(file) => failure.hint(format!("it leads to '{file}': name that, if it is meant")),
                None => failure.hint("name the file itself, not a symbolic link to it"),
            }
        }
        Node::Special => at(ErrorKind::NotRegularFile, "Not a regular file", "NOT_REGULAR_FILE"),
    }
}

/// The path from the root that a link at `path` names, if it is below the root.
fn leads_to(path: &RootedPath, target: &[u8]) -> Option<String> {
    let target = Path::new(std::str::from_utf8(target).ok()?);
    let mut names: Vec<&std::ffi::OsStr> = path.relative().parent()?.iter().collect();
    for part in target.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::ParentDir => drop(names.pop()?),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(visible_line(&names.iter().collect::<PathBuf>().to_string_lossy()).into_owned())
}

pub(super) fn not_found(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::FileNotFound, "File not found", path.written(), "ENOENT")
        .hint("check the path; `ls` or `glob` show what is there, and file_write creates a file")
}

/// The failure of an action on a file that git has and a sparse checkout leaves out. A file written there
/// would be taken for the new state of one that the model has not seen.
pub(super) fn not_checked_out(path: &RootedPath) -> Failure {
    let issue = "git has the file, but it is not checked out (sparse checkout)";
    let folder = path.relative().parent().filter(|folder| !folder.as_os_str().is_empty());
    let add = folder.unwrap_or(path.relative()).display();
    Failure::at(ErrorKind::FileNotFound, issue, path.written(), "NOT_CHECKED_OUT")
        .hint(format!("`git sparse-checkout add '{add}'` checks it out; then apply again"))
}

/// Notes in `failure` whether the whole ladder would have matched.
pub(super) fn would_match(text: &Text<'_>, hunks: &[Hunk], level: Match, failure: Failure) -> Failure {
    let rung = if level == Match::Tolerant { None } else { clada_edit::would_match(text, hunks) };
    let Some(rung) = rung else { return failure };
    let person = failure.person(format!(
        "It would match at exactly one place with --match tolerant (by {rung}): `apply --resume --match tolerant` does \
         that."
    ));
    Failure { would_match: Some(rung.name()), ..person }
}

/// The failure of an action that the user has declined. Its kind is that of one that waits for approval, so
/// that what depends on it is not done either.
pub(super) fn declined(needed: &Approval) -> Failure {
    let kind = match needed.command {
        Some(_) => ErrorKind::CommandNotAllowed,
        None => ErrorKind::ApprovalRequired,
    };
    Failure { declined: true, ..Failure::with_message(kind, DECLINED.to_owned()) }
}

pub(super) fn unapproved(needed: &Approval) -> Failure {
    if needed.command.is_some() {
        return not_allowed(needed);
    }
    let issue = format!("Needs approval: {}", needed.reason);
    let failure = Failure::at(ErrorKind::ApprovalRequired, &issue, &needed.path, "APPROVAL_REQUIRED")
        .person(format!("approve it with --approve {}, or everything with --approve-all", needed.id));
    Failure { approval: Some(Box::new(needed.clone())), ..failure }
}

fn not_allowed(needed: &Approval) -> Failure {
    let message = "This command needs approval (COMMAND_NOT_ALLOWED)".to_owned();
    let failure = Failure::with_message(ErrorKind::CommandNotAllowed, message)
        .person(format!("approve it with --approve {}, or everything with --approve-all", needed.id));
    Failure { approval: Some(Box::new(needed.clone())), ..failure }
}

/// The failure of a command that was approved, but of which it is not known that the user was shown it since files
/// were last changed.
pub(super) fn never_shown(needed: &Approval) -> Failure {
    let message = "This command needs approval again: files may have changed since you were shown it";
    let message = format!("{message} (COMMAND_NOT_ALLOWED)");
    let failure = Failure::with_message(ErrorKind::CommandNotAllowed, message)
        .person(format!("check the command and the files, then approve it with --approve {}", needed.id));
    Failure { approval: Some(Box::new(needed.clone())), ..failure }
}

pub(super) fn unavailable() -> Failure {
    Failure::with_message(ErrorKind::NotAvailable, "Not available in this version (NOT_AVAILABLE)".to_owned())
}
