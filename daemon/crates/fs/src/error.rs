//! The one error of this crate: the issue, the path, and the system's own name for it.
//!
//! Knows errno numbers and their names; must not know the action that failed. The caller puts the operation
//! in front: `{operation}: {error}` reads `file_read: File not found 'a' (ENOENT)`.

use std::borrow::Cow;

use clada_protocol::{ErrorKind, RpcError};
use rustix::io::Errno;

/// A failure of one file operation. Displays as `{issue} '{path}' ({CODE})`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{issue} '{path}' ({code})")]
pub struct FsError {
    issue: Cow<'static, str>,
    path: String,
    code: Cow<'static, str>,
    kind: ErrorKind,
}

impl From<FsError> for RpcError {
    fn from(error: FsError) -> RpcError {
        let message = error.to_string();
        RpcError::new(error.kind, message).with("path", error.path).with("code", error.code)
    }
}

impl FsError {
    /// Makes an error of clada's own: `code` is one of clada's names, such as `PATH_ESCAPE`.
    pub fn new(
        kind: ErrorKind,
        code: &'static str,
        issue: impl Into<Cow<'static, str>>,
        path: impl Into<String>,
    ) -> FsError {
        FsError { issue: issue.into(), path: path.into(), code: Cow::Borrowed(code), kind }
    }

    /// Makes an error of the operating system while doing `doing` ("read the file") to `path`.
    pub fn os(doing: &str, errno: Errno, path: impl Into<String>) -> FsError {
        let issue = match plain_issue(errno) {
            Some(issue) => Cow::Borrowed(issue),
            None => Cow::Owned(format!("Cannot {doing}")),
        };
        FsError { issue, path: path.into(), code: errno_name(errno), kind: kind_of(errno) }
    }

    pub(super) fn escape(issue: impl Into<Cow<'static, str>>, path: impl Into<String>) -> FsError {
        FsError::new(ErrorKind::PathEscape, "PATH_ESCAPE", issue, path)
    }

    pub(super) fn conflict(issue: impl Into<Cow<'static, str>>, path: impl Into<String>) -> FsError {
        FsError::new(ErrorKind::Conflict, "CONFLICT", issue, path)
    }

    /// Replaces the words, where the operation has better ones ("Source file not found").
    #[must_use]
    pub fn with_issue(mut self, issue: impl Into<Cow<'static, str>>) -> FsError {
        self.issue = issue.into();
        self
    }

    /// Sets `issue` if no file was found, and leaves other errors as they are.
    #[must_use]
    pub(crate) fn if_missing(self, issue: &'static str) -> FsError {
        if self.kind == ErrorKind::FileNotFound { self.with_issue(issue) } else { self }
    }

    /// Returns the issue in words.
    pub fn issue(&self) -> &str {
        &self.issue
    }

    /// Returns the path as its caller wrote it. It is raw: the code that prints it makes
    /// control characters visible.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns `ENOENT`, `EACCES`, … or a name of clada's own.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns whether it says nothing of the file: the system had no descriptor or memory left, or the medium
    /// did not answer. The same may work a moment later.
    #[must_use]
    pub fn is_of_system(&self) -> bool {
        matches!(self.code(), "EMFILE" | "ENFILE" | "ENOMEM" | "EIO")
    }

    /// Returns the kind, for programs.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

fn kind_of(errno: Errno) -> ErrorKind {
    match errno {
        Errno::NOENT => ErrorKind::FileNotFound,
        Errno::EXIST => ErrorKind::FileExists,
        Errno::ISDIR => ErrorKind::IsDirectory,
        Errno::NOTDIR => ErrorKind::NotDirectory,
        Errno::NOTEMPTY => ErrorKind::DirectoryNotEmpty,
        Errno::ACCESS | Errno::PERM => ErrorKind::PermissionDenied,
        Errno::NOSPC | Errno::DQUOT => ErrorKind::NoSpace,
        Errno::FBIG => ErrorKind::LimitExceeded,
        Errno::ROFS => ErrorKind::ReadOnly,
        Errno::LOOP => ErrorKind::SymlinkNotAllowed,
        Errno::NXIO => ErrorKind::NotRegularFile,
        Errno::NAMETOOLONG => ErrorKind::PathEscape,
        _ => ErrorKind::Io,
    }
}

fn plain_issue(errno: Errno) -> Option<&'static str> {
    Some(match errno {
        Errno::NOENT => "File not found",
        Errno::EXIST => "File exists already",
        Errno::ISDIR => "Path is a directory",
        Errno::NOTDIR => "Part of the path is not a directory",
        Errno::NOTEMPTY => "Directory is not empty",
        Errno::ACCESS => "Permission denied",
        Errno::PERM => "Operation not permitted",
        Errno::NOSPC => "No space left on the file system",
        Errno::DQUOT => "Disk quota exceeded",
        Errno::FBIG => "File is too large for the file system",
        Errno::ROFS => "File system is read-only",
        Errno::LOOP => "A symbolic link is not followed",
        Errno::NXIO => "Not a regular file",
        Errno::NAMETOOLONG => "Path is too long",
        Errno::MFILE | Errno::NFILE => "Too many open files",
        Errno::BUSY => "Something is mounted there, or another program uses it",
        Errno::XDEV => "Cannot move a directory to another file system",
        _ => return None,
    })
}

macro_rules! names {
    ($errno:expr; $($constant:ident $name:literal),* $(,)?) => {
        match $errno {
            $(Errno::$constant => Cow::Borrowed($name),)*
            other => Cow::Owned(format!("ERRNO_{}", other.raw_os_error())),
        }
    };
}

fn errno_name(errno: Errno) -> Cow<'static, str> {
    // The same number as EOPNOTSUPP on Linux, another one elsewhere.
    if errno == Errno::NOTSUP && errno != Errno::OPNOTSUPP {
        return Cow::Borrowed("ENOTSUP");
    }
    names!(errno;
        PERM "EPERM", NOENT "ENOENT", INTR "EINTR", IO "EIO", NXIO "ENXIO", BADF "EBADF",
        AGAIN "EAGAIN", NOMEM "ENOMEM", ACCESS "EACCES", BUSY "EBUSY", EXIST "EEXIST", XDEV "EXDEV",
        NODEV "ENODEV", NOTDIR "ENOTDIR", ISDIR "EISDIR", INVAL "EINVAL", NFILE "ENFILE",
        MFILE "EMFILE", TXTBSY "ETXTBSY", FBIG "EFBIG", NOSPC "ENOSPC", ROFS "EROFS", MLINK "EMLINK",
        PIPE "EPIPE", RANGE "ERANGE", DEADLK "EDEADLK", NAMETOOLONG "ENAMETOOLONG", NOLCK "ENOLCK",
        NOSYS "ENOSYS", NOTEMPTY "ENOTEMPTY", LOOP "ELOOP", ILSEQ "EILSEQ", OVERFLOW "EOVERFLOW",
        OPNOTSUPP "EOPNOTSUPP", STALE "ESTALE", DQUOT "EDQUOT", TIMEDOUT "ETIMEDOUT",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_a_sentence_with_the_system_s_name() {
        let error = FsError::os("write the file", Errno::NOSPC, "a/b");
        assert_eq!(error.to_string(), "No space left on the file system 'a/b' (ENOSPC)");
        let error = FsError::os("write the file", Errno::IO, "a");
        assert_eq!(error.to_string(), "Cannot write the file 'a' (EIO)");
        assert_eq!(FsError::os("x", Errno::from_raw_os_error(4000), "a").code(), "ERRNO_4000");
    }

    #[test]
    fn write_failures_have_kinds() {
        for (errno, kind) in [
            (Errno::NOSPC, ErrorKind::NoSpace),
            (Errno::DQUOT, ErrorKind::NoSpace),
            (Errno::ROFS, ErrorKind::ReadOnly),
            (Errno::FBIG, ErrorKind::LimitExceeded),
            (Errno::ACCESS, ErrorKind::PermissionDenied),
            (Errno::PERM, ErrorKind::PermissionDenied),
            (Errno::LOOP, ErrorKind::SymlinkNotAllowed),
            (Errno::IO, ErrorKind::Io),
        ] {
            assert_eq!(FsError::os("write the file", errno, "a").kind(), kind);
        }
    }
}
