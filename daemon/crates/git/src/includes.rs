//! Refuses a configuration that makes libgit2 read something other than a file: it would wait
//! for ever for a named pipe.
//!
//! Understands only the parts of a configuration that can name a file to include. In doubt it takes a value
//! for such a name: a name taken needlessly does no harm if it is a file or absent.

use std::fs::Metadata;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::content::open_file;
use super::error::Unusable;

const MAX_FILES: usize = 100;
const MAX_BYTES: u64 = 16 << 20;

/// Fails for the first file that libgit2 would wait for, or if the included files cannot be determined.
pub(super) fn refuse(config: &Path, home: Option<&Path>) -> Result<(), Unusable> {
    let mut pending_files = vec![config.to_path_buf()];
    let mut visited: Vec<PathBuf> = Vec::new();
    while let Some(file) = pending_files.pop() {
        if visited.contains(&file) {
            continue;
        }
        if visited.len() >= MAX_FILES {
            return Err(Unusable::Other(format!("its configuration includes more than {MAX_FILES} files")));
        }
        let Ok(metadata) = file.metadata() else { continue };
        refuse_one(&file, &metadata)?;
        if !metadata.is_file() {
            continue;
        }
        // An unreadable configuration is refused: it might include anything.
        let text = read(&file).map_err(|error| {
            Unusable::Other(format!("its configuration '{}' cannot be read: {error}", file.display()))
        })?;
        let folder = file.parent().unwrap_or(Path::new("/"));
        for name in included(&text) {
            let name = name.ok_or_else(|| {
                Unusable::Other(format!(
                    "its configuration '{}' includes a file whose name has quotes or a backslash in it",
                    file.display()
                ))
            })?;
            pending_files.push(match (name.strip_prefix(b"~/"), home) {
                (Some(rest), Some(home)) => home.join(path(rest)),
                _ => folder.join(path(name)),
            });
        }
        visited.push(file);
    }
    Ok(())
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let length = open_file(&file.canonicalize()?)?.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if length as u64 > MAX_BYTES {
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(text)
}

pub(super) fn included(config: &[u8]) -> Vec<Option<&[u8]>> {
    let lower = config.to_ascii_lowercase();
    let is_header = |at: usize| lower[at..].trim_ascii_start().starts_with(b"include");
    let Some(first) = memchr::memchr_iter(b'[', &lower).map(|at| at + 1).find(|at| is_header(*at)) else {
        return Vec::new();
    };
    // The end of the section is not looked for: any `path` from here on may belong to it.
    let keys = memchr::memmem::find_iter(&lower[first..], b"path").map(|at| first + at + b"path".len());
    let values = keys.filter_map(|at| config[at..].trim_ascii_start().strip_prefix(b"="));
    let name = |value| match value {
        IncludedValue::Name(name) => Some(Some(name)),
        IncludedValue::NotUnderstood => Some(None),
        IncludedValue::Nothing => None,
    };
    values.filter_map(|text| name(value(text))).collect()
}

enum IncludedValue<'t> {
    Nothing,
    Name(&'t [u8]),
    /// It has quotes or a backslash in it.
    NotUnderstood,
}

fn value(text: &[u8]) -> IncludedValue<'_> {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let (name, rest) = match line.strip_prefix(b"\"") {
        Some(quoted) => {
            let end = memchr::memchr(b'"', quoted).unwrap_or(quoted.len());
            (&quoted[..end], quoted.get(end + 1..).unwrap_or_default().trim_ascii_start())
        }
        None => {
            let end = memchr::memchr2(b'#', b';', line).unwrap_or(line.len());
            (line[..end].trim_ascii_end(), &[][..])
        }
    };
    let is_odd =
        memchr::memchr2(b'"', b'\\', name).is_some() || !(rest.is_empty() || matches!(rest[0], b'#' | b';'));
    if is_odd {
        return IncludedValue::NotUnderstood;
    }
    if name.is_empty() { IncludedValue::Nothing } else { IncludedValue::Name(name) }
}

pub(super) fn refuse_one(path: &Path, metadata: &Metadata) -> Result<(), Unusable> {
    let kind = metadata.file_type();
    // A socket cannot be opened, and users write `/dev/null` for no file at all.
    let is_special = kind.is_fifo() || kind.is_char_device() || kind.is_block_device();
    if is_special && path.canonicalize().is_ok_and(|path| path != Path::new("/dev/null")) {
        return Err(Unusable::Special(path.to_path_buf()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        let named = |config: &'static str| {
            let text = |name: Option<&[u8]>| name.map(|name| String::from_utf8(name.to_vec()).unwrap());
            included(config.as_bytes()).into_iter().map(text).collect::<Vec<_>>()
        };
        let one = |name: &str| vec![Some(name.to_owned())];
        for config in [
            "[include]\n\tpath = a b\n",
            "[Include] PATH=a b # c",
            "[include]path= \"a b\" ; c",
            "[core]\n[includeIf \"gitdir:**\"]\r\n path = a b\r\n",
            "[include]\n[core]\n x = y\\\n[core]\npath = a b",
            "[include] path\n = a b",
        ] {
            assert_eq!(named(config), one("a b"), "{config}");
        }
        for config in ["[core]\n\tpath = x\n", "[include]\n path\n", "[include]\n path =\n", ""] {
            assert_eq!(named(config), Vec::new(), "{config}");
        }
        for config in ["[include]\npath = a\\\nb", "[include]\npath = \"a\"b", "[include]\npath = a\"b\""] {
            assert_eq!(named(config), [None], "{config}");
        }
    }
}
