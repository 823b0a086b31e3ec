//! A change of a file as git prints it, without the `index` line: there are no object names here.
//!
//! It must not know the file system: paths here are words for headers, relative to the project's root.

use super::changes::{Change, changes};
use super::hunks;

/// The kind of a file, as git's modes have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// `100644`
    #[default]
    Regular,
    /// `100755`
    Executable,
    /// `120000`; the content is the target.
    Symlink,
}

impl Mode {
    /// Returns the mode's number, as in headers.
    #[must_use]
    pub fn octal(self) -> &'static str {
        match self {
            Mode::Regular => "100644",
            Mode::Executable => "100755",
            Mode::Symlink => "120000",
        }
    }
}

/// A file before or after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side<'a> {
    /// The path relative to the root, with `/`.
    pub path: &'a str,
    /// All of its bytes.
    pub content: &'a [u8],
    /// Its mode.
    pub mode: Mode,
}

/// Returns the change from `old` to `new`; `None` means that there is no file. Empty if nothing changes.
///
/// Two paths make a rename. What is not UTF-8 or holds NUL is shown as git shows binary files.
#[must_use]
pub fn file_diff(old: Option<Side<'_>>, new: Option<Side<'_>>) -> String {
    match (old, new) {
        (None, None) => String::new(),
        (Some(old), Some(new)) if (old.mode == Mode::Symlink) != (new.mode == Mode::Symlink) => {
            file_diff(Some(old), None) + &file_diff(None, Some(new))
        }
        (Some(old), Some(new)) if old == new => String::new(),
        (Some(old), Some(new)) => {
            let mut head = String::new();
            if old.mode != new.mode {
                head += &format!("old mode {}\nnew mode {}\n", old.mode.octal(), new.mode.octal());
            }
            if old.path != new.path {
                let similarity = similarity(old.content, new.content);
                let (from, to) = (quoted("", old.path), quoted("", new.path));
                head += &format!("similarity index {similarity}%\nrename from {from}\nrename to {to}\n");
            }
            one_file(old.path, new.path, &head, Some(old.content), Some(new.content))
        }
        (None, Some(new)) => {
            let head = format!("new file mode {}\n", new.mode.octal());
            one_file(new.path, new.path, &head, None, Some(new.content))
        }
        (Some(old), None) => {
            let head = format!("deleted file mode {}\n", old.mode.octal());
            one_file(old.path, old.path, &head, Some(old.content), None)
        }
    }
}

fn one_file(old_path: &str, new_path: &str, head: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    let (a, b) = (quoted("a/", old_path), quoted("b/", new_path));
    let mut out = format!("diff --git {a} {b}\n{head}");
    let (old_bytes, new_bytes) = (old.unwrap_or_default(), new.unwrap_or_default());
    if old_bytes == new_bytes {
        return out;
    }
    let name = |side: Option<&[u8]>, name: String| side.map_or("/dev/null".to_owned(), |_| name);
    match (text(old_bytes), text(new_bytes)) {
        (Some(before), Some(after)) => {
            let (a, b) = (name(old, a + tab(old_path)), name(new, b + tab(new_path)));
            out += &format!("--- {a}\n+++ {b}\n");
            out.extend(hunks(before, after).into_iter().map(|hunk| hunk.diff));
        }
        _ => out += &format!("Binary files {} and {} differ\n", name(old, a), name(new, b)),
    }
    out
}

/// Bytes of a text beyond which its lines are not compared to be counted.
const COUNTED: usize = 1 << 20;

/// Returns the numbers of lines that come and go from `old` to `new`; `None` if one is no text, or too large
/// for a count.
#[must_use]
pub fn line_counts(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    if old == new {
        return Some((0, 0));
    }
    if old.len().max(new.len()) > COUNTED {
        return None;
    }
    let (old, new) = (text(old)?, text(new)?);
    let (old, new): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let changes = changes(&old, &new);
    let count = |(added, removed), change: &Change| (added + change.new.len(), removed + change.old.len());
    Some(changes.iter().fold((0, 0), count))
}

fn text(bytes: &[u8]) -> Option<&str> {
    if bytes.contains(&0) { None } else { std::str::from_utf8(bytes).ok() }
}

fn tab(path: &str) -> &'static str {
    // git ends a name with blanks in it with a tab, so that it is clear where the name ends.
    if path.contains(' ') { "\t" } else { "" }
}

fn quoted(prefix: &str, path: &str) -> String {
    let plain = |char: char| !char.is_control() && char != '"' && char != '\\';
    if path.chars().all(plain) {
        return [prefix, path].concat();
    }
    let mut out = format!("\"{prefix}");
    for char in path.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if plain(char) => out.push(char),
            _ => {
                let mut buffer = [0; 4];
                let bytes = char.encode_utf8(&mut buffer).bytes();
                out.extend(bytes.map(|byte| format!("\\{byte:03o}")));
            }
        }
    }
    out.push('"');
    out
}

fn similarity(old: &[u8], new: &[u8]) -> usize {
    let larger = old.len().max(new.len());
    if old == new || larger == 0 {
        return 100;
    }
    let (Some(before), Some(after)) = (text(old), text(new)) else { return 0 };
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let removed: usize = changes(&before, &after)
        .into_iter()
        .map(|change| before[change.old].iter().map(|line| line.len()).sum::<usize>())
        .sum();
    (old.len() - removed) * 100 / larger
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side<'a>(path: &'a str, content: &'a str) -> Option<Side<'a>> {
        Some(Side { path, content: content.as_bytes(), mode: Mode::Regular })
    }

    #[test]
    fn a_change_a_new_and_a_deleted_file() {
        let diff = file_diff(side("x.txt", "a\nb\n"), side("x.txt", "a\nc\n"));
        assert_eq!(
            diff,
            "diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        );
        let new = "diff --git a/x y b/x y\nnew file mode 100644\n--- /dev/null\n+++ b/x y\t\n\
                   @@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n";
        assert_eq!(file_diff(None, side("x y", "a")), new);
        let removed =
            "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        assert_eq!(file_diff(side("x", "a\n"), None), removed);
        assert_eq!(file_diff(None, side("x", "")), "diff --git a/x b/x\nnew file mode 100644\n");
        assert_eq!(file_diff(side("x", "a"), side("x", "a")) + &file_diff(None, None), "");
    }

    #[test]
    fn renames_modes_and_links() {
        let renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
        assert_eq!(file_diff(side("x", "a\n"), side("y", "a\n")), renamed);
        let changed = file_diff(side("x", "a\nb\n"), side("y", "a\nc\n"));
        assert!(changed.starts_with(
            "diff --git a/x b/y\nsimilarity index 50%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@"
        ));
        let script = Side { path: "x", content: b"a\n", mode: Mode::Executable };
        let mode = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
        assert_eq!(file_diff(side("x", "a\n"), Some(script)), mode);
        let link = file_diff(side("x", "a\n"), Some(Side { mode: Mode::Symlink, ..script }));
        assert!(link.contains("deleted file mode 100644") && link.contains("new file mode 120000"), "{link}");
    }

    #[test]
    fn binary_and_odd_names() {
        let old = Some(Side { path: "x", content: b"\0", mode: Mode::Regular });
        assert_eq!(file_diff(old, side("x", "a")), "diff --git a/x b/x\nBinary files a/x and b/x differ\n");
        assert!(file_diff(old, None).ends_with("Binary files a/x and /dev/null differ\n"));
        assert_eq!(quoted("a/", "q\"\n\u{1b}é"), "\"a/q\\\"\\n\\033é\"");
    }
}
