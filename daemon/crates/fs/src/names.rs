//! Names that are clada's or git's own: sees through their disguises, and gives temporary files theirs.
//!
//! Pure, on the bytes of one component. A disguised name is one that a file system may take for another. Whatever the daemon's system, a tree can lie on a file system that
//! ignores case (APFS, NTFS, ext4 with casefold), trailing dots and spaces (NTFS, SMB) or some code points
//! (HFS+), or that has second names for a file (8.3 names, streams). git was caught by each of these
//! (CVE-2014-9390, CVE-2019-1352, CVE-2021-21300). So the disguises are refused everywhere.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

const OWNED: [&str; 2] = ["git", "clada"];

// Returns whether some file system would take this component for `.git` or `.clada`, or for `..`: nothing is
// left of `.. ` and of `...`. (A name that begins with a colon, such as `:memory:`, is not a folder's name.)
pub(super) fn is_reserved(name: &OsStr) -> bool {
    let plain = plain(name);
    let bytes = plain.as_bytes();
    let nothing = bytes.is_empty() && name.as_bytes().first() != Some(&b':');
    nothing || OWNED.iter().any(|owned| is_dotted(bytes, owned) || is_short_name(bytes, owned))
}

pub(super) fn plain(name: &OsStr) -> Cow<'_, OsStr> {
    let bytes = name.as_bytes();
    let suspicious = |byte: u8| !byte.is_ascii() || byte == b':';
    if !bytes.iter().copied().any(suspicious) && !matches!(bytes.last(), Some(b'.' | b' ')) {
        return Cow::Borrowed(name);
    }
    let mut plain_bytes = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars().filter(|character| !is_ignorable(*character)) {
            plain_bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        plain_bytes.extend_from_slice(chunk.invalid());
    }
    if let Some(stream) = plain_bytes.iter().position(|byte| *byte == b':') {
        plain_bytes.truncate(stream);
    }
    while matches!(plain_bytes.last(), Some(b'.' | b' ')) {
        plain_bytes.pop();
    }
    Cow::Owned(OsString::from_vec(plain_bytes))
}

fn is_dotted(name: &[u8], owned: &str) -> bool {
    name.split_first().is_some_and(|(dot, rest)| *dot == b'.' && rest.eq_ignore_ascii_case(owned.as_bytes()))
}

/// Returns whether the name is `GIT~1`, or after some collisions `GI7EBA~1`: two letters
/// and four hexadecimal digits.
fn is_short_name(name: &[u8], owned: &str) -> bool {
    let Some(tilde) = name.iter().rposition(|byte| *byte == b'~') else { return false };
    let (stem, number) = (&name[..tilde], &name[tilde + 1..]);
    if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let owned = owned.as_bytes();
    let hashed = stem.len() == 6
        && stem[..2].eq_ignore_ascii_case(&owned[..2])
        && stem[2..].iter().all(u8::is_ascii_hexdigit);
    // A stem is cut as the number grows: `CLADA~1`, `CLAD~10`.
    let cut = (2..=owned.len()).contains(&stem.len()) && stem.eq_ignore_ascii_case(&owned[..stem.len()]);
    hashed || cut
}

/// Returns whether HFS+ leaves out the code point when it compares names (git's list), or
/// it is otherwise invisible.
fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The beginning of a temporary file's name; 16 hexadecimal digits follow.
const TEMP_PREFIX: &str = ".clada-tmp-";

/// Returns a name that no file has yet. It comes from the system's randomness but need not be secret: an
/// existing name is never opened.
#[must_use]
pub fn temp_name() -> OsString {
    let random = RandomState::new().hash_one(0_u8);
    OsString::from(format!("{TEMP_PREFIX}{random:016x}"))
}

/// Returns whether the name is that of a temporary file of clada's, left by an interrupted run.
pub fn is_temp_name(name: &OsStr) -> bool {
    let digits = name.as_bytes().strip_prefix(TEMP_PREFIX.as_bytes());
    digits.is_some_and(|digits| digits.len() == 16 && digits.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_through_every_disguise() {
        // Every kind of disguise, and combinations of them.
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git. .",
            ".git...",
            "git~1",
            "GIT~2",
            "gi7eba~1",
            "GI7EBA~12",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git\u{200d}",
            ".gi\u{206a}t",
            ".git::$INDEX_ALLOCATION",
            ".git:stream",
            ".git .:x",
            ".GIT::$index_allocation",
            ".clada",
            ".CLADA ",
            "clada~1",
            "CLAD~10",
            "cl0123~1",
            ".cl\u{ad}ada",
            "git~1.",
            "git~1 :x",
            "GI~123456",
            "...",
            ".. ",
            ". .",
            "\u{200b}",
            ".:x",
        ] {
            assert!(is_reserved(OsStr::new(name)), "{name:?} got through");
        }
    }

    #[test]
    fn leaves_other_names_alone() {
        for name in [
            ".gitignore",
            ".gitattributes",
            "git",
            "clada",
            ".github",
            "x.git",
            ".git2",
            "git~",
            "git~x",
            "gi~",
            "..git",
            " .git",
            "digit~1",
            "backup~1",
            "a:b",
            "clada-client",
            ".cladas",
            "gitter~1",
            "~1",
            ":memory:",
        ] {
            assert!(!is_reserved(OsStr::new(name)), "{name:?} was refused");
        }
        assert!(!is_reserved(OsStr::from_bytes(b".gi\xfft")));
    }
}
