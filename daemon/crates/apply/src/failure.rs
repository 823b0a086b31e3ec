//! Why an action is not applied: a kind for programs, a message, and a hint for the next try.

use clada_edit::EditError;
use clada_fs::{FileKind, FsError, RootedPath, Roots};
use clada_journal::Applied;
use clada_protocol::{ActionData, AppliedBefore, Approval, ErrorKind, FailurePlace, ReadFiles, Unread};

const ABOUT_SECRETS: (&str, &str) = ("secrets are not shown", "a user can allow it with --include-secrets");

/// Why an action is not applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Machine-readable.
    pub kind: ErrorKind,
    /// `{issue} '{path}' ({CODE})`: the message without the operation in front.
    pub message: String,
    /// The next thing to do, or the content that the file has instead.
    pub hint: Option<String>,
    /// The end of `hint` that only the user can follow.
    pub person_hint: Option<String>,
    /// The approval that the user would have to give.
    pub approval: Option<Box<Approval>>,
    /// The rung of the ladder at which the edit would match exactly one place, if it failed at a stricter
    /// one.
    pub would_match: Option<&'static str>,
    /// The path that it is about, if it is about one.
    pub path: Option<String>,
    /// The place that it or its hint names.
    pub place: Option<Box<FailurePlace>>,
    /// True if the user declined it.
    pub declined: bool,
    /// The data of those files of a many-file action that did succeed.
    pub data: Option<ActionData>,
}

impl Failure {
    /// A failure with one of our own codes: `{issue} '{path}' ({CODE})`.
    pub(crate) fn at(kind: ErrorKind, issue: &str, path: &str, code: &str) -> Failure {
        Failure {
            path: Some(path.to_owned()),
            ..Failure::with_message(kind, format!("{issue} '{path}' ({code})"))
        }
    }

    pub(crate) fn with_message(kind: ErrorKind, message: String) -> Failure {
        Failure {
            kind,
            message,
            hint: None,
            person_hint: None,
            approval: None,
            would_match: None,
            path: None,
            place: None,
            declined: false,
            data: None,
        }
    }

    /// A failed edit of the file at `path`.
    pub(crate) fn from_edit(error: &EditError, path: &RootedPath) -> Failure {
        Failure::at(error.kind(), &error.issue(), path.written(), error.code())
    }

    pub(crate) fn secret(path: &RootedPath) -> Failure {
        Failure::at(ErrorKind::Secret, "File is held back as a secret", path.written(), "SECRET")
            .hint(ABOUT_SECRETS.0)
            .person(ABOUT_SECRETS.1)
    }

    /// The file is a secret that is there, with which nothing is done for an agent.
    pub(crate) fn sealed(path: &RootedPath) -> Failure {
        Failure::at(ErrorKind::Secret, "File is held back as a secret", path.written(), "SECRET")
            .hint("agents neither read nor change secrets: ask the user, or name another file")
    }

    /// The action was applied before, and what it changed stands.
    pub(crate) fn already_applied(applied: &Applied) -> Failure {
        let Applied { operation, shown, began } = applied;
        let when = jiff::Timestamp::from_millisecond(*began).unwrap_or_default();
        if operation.is_empty() {
            let message = format!(
                "Already applied at {when:.0}, and still in place in the editor (ANSWER_ALREADY_APPLIED)"
            );
            return Failure::with_message(ErrorKind::AnswerAlreadyApplied, message)
                .hint("leave it out")
                .person("to apply it again, add --again");
        }
        let message = format!(
            "Already applied at {when:.0}, and still in place (operation {shown}) (ANSWER_ALREADY_APPLIED)"
        );
        let data = AppliedBefore { operation_id: operation.clone(), applied_at: format!("{when:.3}") };
        Failure {
            data: Some(ActionData::AppliedBefore(data)),
            ..Failure::with_message(ErrorKind::AnswerAlreadyApplied, message)
        }
        .hint("leave it out")
        .person("to apply it again, undo that operation or add --again")
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn person(mut self, hint: impl Into<String>) -> Failure {
        let hint = hint.into();
        let break_off = if self.hint.as_ref().is_some_and(|own| own.contains('\n')) { "\n" } else { "; " };
        let after = |own: Option<String>| match own {
            None => hint.clone(),
            Some(own) => format!("{own}{break_off}{hint}"),
        };
        self.hint = Some(after(self.hint.take()));
        self.person_hint = Some(after(self.person_hint.take()));
        self
    }
}

/// Refuses `path` if the file that is there on disk is a secret with which nothing may be done.
///
/// # Errors
/// `secret`, and whatever keeps the path from being looked at.
pub(crate) fn refuse_sealed(roots: &Roots, path: &RootedPath) -> Result<(), Failure> {
    if !roots.is_sealing() {
        return Ok(());
    }
    let Some(stat) = roots.lstat(path)? else { return Ok(()) };
    let by_name = stat.kind != FileKind::Directory && roots.seals(path);
    if by_name || roots.seals_file(&stat) { Err(Failure::sealed(path)) } else { Ok(()) }
}

impl From<FsError> for Failure {
    fn from(error: FsError) -> Failure {
        let hint = match error.kind() {
            ErrorKind::Io if error.code() == "EBUSY" => Some(
                "a mounted file cannot be replaced: mount the folder that holds it instead, or change it where it is \
                 mounted from",
            ),
            ErrorKind::PathEscape => Some("paths must lie in the project; relative ones start at its root"),
            ErrorKind::PathDenied => Some("this path is never read or changed for an answer"),
            ErrorKind::Secret => Some(ABOUT_SECRETS.0),
            ErrorKind::SymlinkNotAllowed => Some("name the file itself, not a symbolic link to it"),
            ErrorKind::NotText => Some("only UTF-8 text can be read and edited"),
            _ => None,
        };
        let path = Some(error.path().to_owned());
        let failure = Failure::with_message(error.kind(), error.to_string());
        let failure = Failure { hint: hint.map(str::to_owned), path, ..failure };
        if error.kind() == ErrorKind::Secret { failure.person(ABOUT_SECRETS.1) } else { failure }
    }
}

pub(crate) fn failed_in_part(
    what: &str,
    of: usize,
    failed: &[&Failure],
    data: impl FnOnce() -> ActionData,
) -> Option<Failure> {
    let first = failed.first()?;
    let message = format!("{} of {of} files {what}, first: {}", failed.len(), first.message);
    Some(Failure {
        data: Some(data()),
        hint: first.hint.clone(),
        person_hint: first.person_hint.clone(),
        place: first.place.clone(),
        ..Failure::with_message(first.kind, message)
    })
}

/// The same of files that could not be read: with what could be.
pub(crate) fn unread<'f>(
    of: usize,
    failed: impl Iterator<Item = (&'f str, &'f Failure)> + Clone,
    read: impl FnOnce() -> ReadFiles,
) -> Option<Failure> {
    let errors = failed
        .clone()
        .map(|(path, failure)| Unread { path: path.to_owned(), error: failure.message.clone() })
        .collect();
    let failures: Vec<&Failure> = failed.map(|(_, failure)| failure).collect();
    failed_in_part("could not be read", of, &failures, || {
        ActionData::ReadFiles(ReadFiles { errors, ..read() })
    })
}
