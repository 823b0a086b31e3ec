//! Lets the user edit the new lines of a hunk in their own editor, before the hunk is accepted.
//!
//! Knows a hunk as a diff, and no plan: what becomes of the edit is the daemon's.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clada_protocol::{EditedPlace, PlannedHunk};

use super::changes::Edited;
use crate::Process;
use crate::editor;

const NO_END: &str = "\\ No newline at end of file";

pub(crate) fn edit(process: &Process, hunk: &PlannedHunk, path: &str) -> Edited {
    let place = place(hunk).ok_or("this hunk has no lines to edit")?;
    let file = Scratch::new(process, path, &place.added.concat()).map_err(|error| error.to_string())?;
    editor::edit(process, &file.0).map_err(|failure| failure.message)?;
    let text = std::fs::read(&file.0).map_err(|error| format!("the edited lines cannot be read: {error}"))?;
    let text = String::from_utf8(text).map_err(|_| "the edited lines are not UTF-8".to_owned())?;
    let lines = as_before(&place, &text);
    Ok((lines != place.added).then_some(EditedPlace { lines, ..place }))
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(process: &Process, path: &str, text: &str) -> io::Result<Scratch> {
        let folder = process.var("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let mut number = 0;
        loop {
            // The name ends as the file's, by which editors know the language.
            let file = folder.join(format!("clada-hunk-{}-{number}-{name}", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file) {
                Ok(mut open) => {
                    let scratch = Scratch(file);
                    open.write_all(text.as_bytes())?;
                    return Ok(scratch);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Scratch {
    #[expect(clippy::disallowed_methods, reason = "the same file")]
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn place(hunk: &PlannedHunk) -> Option<EditedPlace> {
    let mut lines = hunk.diff.split_inclusive('\n');
    let old = lines.next()?.strip_prefix("@@ -")?.split([' ', '+']).next()?;
    let (first, count) = old.split_once(',').unwrap_or((old, "1"));
    let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
    let mut all: Vec<(char, String)> = Vec::new();
    for line in lines {
        if line.starts_with(NO_END) {
            let last = &mut all.last_mut()?.1;
            last.truncate(last.trim_end_matches(['\n']).len());
            continue;
        }
        let sign = line.chars().next()?;
        all.push((sign, line.get(1..)?.to_owned()));
    }
    let is_change = |(sign, _): &(char, String)| matches!(sign, '+' | '-');
    let from = all.iter().position(is_change)?;
    let to = all.iter().rposition(is_change)? + 1;
    let side = |sign: char| {
        let lines = all[from..to].iter().filter(move |(of, _)| *of == ' ' || *of == sign);
        lines.map(|(_, line)| line.clone()).collect()
    };
    let before = if count == 0 { first } else { first.checked_sub(1)? };
    let (part, start) = (hunk.id.clone(), before + from);
    Some(EditedPlace { part, start, removed: side('-'), added: side('+'), lines: Vec::new(), text: None })
}

fn as_before(place: &EditedPlace, text: &str) -> Vec<String> {
    let known = || place.removed.iter().chain(&place.added).filter(|line| line.ends_with('\n'));
    let is_dos = known().next().is_some() && known().all(|line| line.ends_with("\r\n"));
    let mut lines: Vec<String> = text
        .split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) if is_dos => format!("{}\r\n", line.trim_end_matches('\r')),
            Some(line) => format!("{line}\n"),
            // Editors may leave the end of the last line out; in the middle of a file it has one.
            None if is_dos => format!("{line}\r\n"),
            None => format!("{line}\n"),
        })
        .collect();
    let last = place.added.last().or(place.removed.last());
    if last.is_some_and(|line| !line.ends_with('\n'))
        && let Some(line) = lines.last_mut()
    {
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_is_edited_from_its_first_to_its_last_change() {
        let cases = [
            ("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", (1, "b\n", "B\n")),
            ("@@ -4,5 +4,6 @@\n a\n-b\n+B\n c\n-d\n+D\n+E\n f\n", (4, "b\nc\nd\n", "B\nc\nD\nE\n")),
            ("@@ -0,0 +1,2 @@\n+a\n+b\n", (0, "", "a\nb\n")),
            ("@@ -5 +5,2 @@\n a\n+b\n", (5, "", "b\n")),
            ("@@ -1 +0,0 @@\n-a\n", (0, "a\n", "")),
            (
                "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n",
                (1, "b", "B"),
            ),
        ];
        for (diff, expected) in cases {
            let place = place(&PlannedHunk { id: "a1.h1".to_owned(), diff: diff.into() }).unwrap();
            let (removed, added) = (place.removed.concat(), place.added.concat());
            assert_eq!((place.start, removed.as_str(), added.as_str()), expected, "{diff}");
        }
    }

    #[test]
    fn edited_lines_end_as_those_of_the_place() {
        let place = |removed: &str, added: &str| EditedPlace {
            removed: removed.split_inclusive('\n').map(str::to_owned).collect(),
            added: added.split_inclusive('\n').map(str::to_owned).collect(),
            ..EditedPlace::default()
        };
        for (removed, added, text, expected) in [
            ("a\n", "b\n", "c\nd\n", "c\nd\n"),
            ("a\n", "b\n", "c", "c\n"),
            ("a\r\n", "b\r\n", "c\nd\r\n", "c\r\nd\r\n"),
            ("a", "b", "c\n", "c"),
            ("a\n", "b\n", "", ""),
        ] {
            assert_eq!(as_before(&place(removed, added), text).concat(), expected, "{removed:?} {text:?}");
        }
    }
}
