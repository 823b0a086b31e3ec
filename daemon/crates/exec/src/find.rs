//! Finds a program's file in a search path, as a shell would, and the obstacles to starting it. Starts
//! nothing.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clada_fs::{Symlinks, open_regular};

const FIRST_LINE: u64 = 256;

/// An obstacle to starting a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The file does not exist.
    Missing,
    /// The path is a folder, or something else that is not a file.
    NotAFile,
    /// The file is not executable by any user.
    NotExecutable,
    /// The program that the first line of a script names does not exist.
    NoInterpreter(PathBuf),
}

/// Returns the executable file that `name` means. A name with a slash is a path relative to `folder`; any
/// other is looked up in the entries of `path`, in order.
///
/// Entries of `path` that are not absolute are skipped: with `.` or an empty one, a file of the project could
/// pass for a program of the system.
#[must_use]
pub fn find(name: &OsStr, path: &OsStr, folder: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(folder.join(name)).filter(|file| executable(file));
    }
    let folders = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    folders.map(|entry| entry.join(name)).find(|file| executable(file))
}

/// Finds a plain name as [`find`] does, but never a file below one of `folders`: a program that runs without
/// approval must not be one that an answer could have written.
#[must_use]
pub fn find_beyond(name: &str, path: &OsStr, folders: &[PathBuf]) -> Option<PathBuf> {
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folders: Vec<PathBuf> = folders.iter().map(|folder| real(folder)).collect();
    let within =
        |file: &Path| folders.iter().any(|folder| file.starts_with(folder) || real(file).starts_with(folder));
    let entries = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    entries.map(|entry| entry.join(name)).find(|file| executable(file) && !within(file))
}

/// Returns the obstacle to starting `program`, or `None` if none is seen. Sandboxes report these in words of
/// their own.
#[must_use]
pub fn obstacle(program: &Path) -> Option<Obstacle> {
    let metadata = match std::fs::metadata(program) {
        Ok(metadata) => metadata,
        Err(error) => return (error.kind() == io::ErrorKind::NotFound).then_some(Obstacle::Missing),
    };
    if !metadata.is_file() {
        return Some(Obstacle::NotAFile);
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Some(Obstacle::NotExecutable);
    }
    let interpreter = interpreter(program)?;
    let missing = std::fs::metadata(&interpreter).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    (missing && interpreter.is_absolute()).then_some(Obstacle::NoInterpreter(interpreter))
}

/// Returns the program that the first line of a script names.
#[must_use]
pub fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut head = Vec::new();
    open_regular(script, Symlinks::Follow).ok()?.take(FIRST_LINE).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let word = line.split(is_blank).find(|word| !word.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(word)))
}

fn executable(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // A test makes the files that it needs.
mod tests {
    use super::*;

    #[test]
    fn the_first_that_may_be_executed_counts() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, mode: u32| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            file
        };
        place("a/tool", 0o644);
        let tool = place("b/tool", 0o755);
        let here = place("here", 0o755);
        let path = format!("{0}/a:.:{0}/b", folder.path().display());
        let found = |name: &str| find(OsStr::new(name), OsStr::new(&path), folder.path());
        assert_eq!(found("tool"), Some(tool));
        assert_eq!(
            found("./here").map(|file| file.canonicalize().unwrap()),
            Some(here.canonicalize().unwrap())
        );
        assert_eq!(find_beyond("tool", OsStr::new(&path), &[folder.path().join("a")]), found("tool"));
        assert_eq!(find_beyond("tool", OsStr::new(&path), &[folder.path().to_owned()]), None);
        assert_eq!(find_beyond("./here", OsStr::new(&path), &[]), None);
        // The relative entry of the path does not count.
        assert_eq!(found("here"), None);
        assert_eq!((found(""), found("b")), (None, None));
    }
    #[test]
    fn what_keeps_a_file_from_being_started_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, mode: u32, content: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, content).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            obstacle(&file)
        };
        assert_eq!(obstacle(&folder.path().join("nothing")), Some(Obstacle::Missing));
        assert_eq!(obstacle(folder.path()), Some(Obstacle::NotAFile));
        assert_eq!(place("plain", 0o644, "#!/bin/sh\n"), Some(Obstacle::NotExecutable));
        assert_eq!(place("script", 0o755, "#! /bin/sh -e\n"), None);
        assert_eq!(place("text", 0o755, "echo"), None);
        assert_eq!(place("empty", 0o755, ""), None);
        let gone = Obstacle::NoInterpreter(PathBuf::from("/nothing/python3\r"));
        assert_eq!(place("crlf", 0o755, "#!/nothing/python3\r\nprint()\r\n"), Some(gone));
    }
}
