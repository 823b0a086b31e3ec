//! The commands that only look, without their programs: what they would write, made of files that may be read.

use serde_json::{Value, json};

use super::effect::Failure;
use super::look::{Looker, Seen};
use crate::exec::words::{Count, Hidden, Look, Ls, LsOrder, Part};
use crate::fs::{FileKind, RootedPath};

impl Looker<'_> {
    /// What `command` writes: its paths as they are written, and resolved.
    pub(super) fn command(
        &self,
        command: &Look,
        folder: &std::path::Path,
        paths: &[(String, RootedPath)],
    ) -> Result<Seen, Failure> {
        let mut text = String::new();
        let mut whole = true;
        match command {
            Look::Pwd => text = format!("{}\n", folder.display()),
            Look::Ls(ls) => self.ls_command(ls, paths, &mut text)?,
            _ => {
                for (at, (written, path)) in paths.iter().enumerate() {
                    let Some(bytes) = self.bytes(path)? else {
                        whole = false;
                        break;
                    };
                    let several = paths.len() > 1;
                    match command {
                        Look::Head { part, .. } | Look::Tail { part, .. } if several => {
                            text.push_str(if at == 0 { "" } else { "\n" });
                            text.push_str(&format!("==> {written} <==\n"));
                            let from_end = matches!(command, Look::Tail { .. });
                            text.push_str(&String::from_utf8_lossy(part_of(&bytes, *part, from_end)));
                        }
                        Look::Head { part, .. } => {
                            text.push_str(&String::from_utf8_lossy(part_of(&bytes, *part, false)));
                        }
                        Look::Tail { part, .. } => {
                            text.push_str(&String::from_utf8_lossy(part_of(&bytes, *part, true)));
                        }
                        Look::Wc { counts, .. } => text.push_str(&counted(&bytes, counts, written)),
                        Look::Cat { numbers: true, .. } => {
                            let begun = text.lines().count();
                            let numbered = String::from_utf8_lossy(&bytes);
                            for (line, number) in numbered.split_inclusive('\n').zip(begun + 1..) {
                                text.push_str(&format!("{number:>6}\t{line}"));
                            }
                        }
                        _ => text.push_str(&String::from_utf8_lossy(&bytes)),
                    }
                    if text.len() > self.room() {
                        whole = false;
                        break;
                    }
                }
            }
        }
        Ok(Seen { data: written(&text), truncated: !whole, no_room: !whole })
    }

    fn ls_command(&self, ls: &Ls, paths: &[(String, RootedPath)], text: &mut String) -> Result<(), Failure> {
        for (at, (written, path)) in paths.iter().enumerate() {
            let is_folder = self.kind_of(path)? == Some(FileKind::Directory);
            if !is_folder {
                text.push_str(&format!("{written}\n"));
                continue;
            }
            if paths.len() > 1 {
                text.push_str(if at == 0 { "" } else { "\n" });
                text.push_str(&format!("{written}:\n"));
            }
            let mut entries = self.entries(path)?;
            if ls.hidden == Hidden::Left {
                entries.retain(|entry| !entry.name.as_encoded_bytes().starts_with(b"."));
            }
            match ls.order {
                LsOrder::Name => {}
                LsOrder::Size => entries.sort_by_key(|entry| std::cmp::Reverse(entry.stat.size)),
                LsOrder::Time => entries.sort_by_key(|entry| std::cmp::Reverse(entry.stat.mtime)),
            }
            if ls.reverse {
                entries.reverse();
            }
            for entry in entries {
                let mark = match entry.stat.kind {
                    FileKind::Directory if ls.classify => "/",
                    FileKind::Symlink if ls.classify => "@",
                    _ => "",
                };
                text.push_str(&format!("{}{mark}\n", entry.name.to_string_lossy()));
            }
        }
        Ok(())
    }
}

/// What a command has written, in the shape of every command's data.
fn written(text: &str) -> Value {
    json!({ "stdout": text, "stderr": "", "exit_code": 0 })
}

fn part_of(bytes: &[u8], part: Part, from_end: bool) -> &[u8] {
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let starts: Vec<usize> = match part {
        Part::Lines(_) | Part::LinesBut(_) => {
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
            let starts = std::iter::once(0).chain(ends).filter(|start| *start < bytes.len());
            starts.collect()
        }
        Part::Bytes(_) | Part::BytesBut(_) => Vec::new(),
    };
    // Where line number `index`, from 0, begins.
    let line = |index: usize| starts.get(index).copied().unwrap_or(bytes.len());
    match (part, from_end) {
        (Part::Lines(number), false) => &bytes[..line(size(number))],
        (Part::Lines(number), true) => &bytes[line(starts.len().saturating_sub(size(number)))..],
        (Part::LinesBut(number), false) => &bytes[..line(starts.len().saturating_sub(size(number)))],
        (Part::LinesBut(number), true) => &bytes[line(size(number).saturating_sub(1))..],
        (Part::Bytes(number), false) => &bytes[..size(number).min(bytes.len())],
        (Part::Bytes(number), true) => &bytes[bytes.len().saturating_sub(size(number))..],
        (Part::BytesBut(number), false) => &bytes[..bytes.len().saturating_sub(size(number))],
        (Part::BytesBut(number), true) => &bytes[size(number).saturating_sub(1).min(bytes.len())..],
    }
}

fn counted(bytes: &[u8], counts: &[Count], name: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    let number = |count: &Count| match count {
        Count::Lines => bytes.iter().filter(|byte| **byte == b'\n').count(),
        Count::Words => text.split_whitespace().count(),
        Count::Characters => text.chars().count(),
        Count::Bytes => bytes.len(),
    };
    let numbers: Vec<String> = counts.iter().map(|count| number(count).to_string()).collect();
    format!("{} {name}\n", numbers.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_head_and_tail() {
        let text = b"a\nb\nc\n";
        let part = |part, from_end| String::from_utf8(part_of(text, part, from_end).to_vec()).unwrap();
        assert_eq!(part(Part::Lines(2), false), "a\nb\n");
        assert_eq!(part(Part::Lines(2), true), "b\nc\n");
        assert_eq!(part(Part::Lines(9), true), "a\nb\nc\n");
        assert_eq!(part(Part::LinesBut(1), false), "a\nb\n");
        assert_eq!(part(Part::LinesBut(2), true), "b\nc\n");
        assert_eq!(part(Part::Bytes(3), true), "\nc\n");
        assert_eq!(part(Part::BytesBut(3), false), "a\nb");
        assert_eq!(part(Part::BytesBut(3), true), "b\nc\n");
        assert_eq!(part(Part::Lines(0), false), "");
        assert_eq!(part_of(b"", Part::Lines(10), true), b"");
    }

    #[test]
    fn counts_come_with_the_name() {
        assert_eq!(
            counted(b"a b\n\xc3\xa4\n", &[Count::Lines, Count::Words, Count::Bytes], "f"),
            "2 3 7 f\n"
        );
    }
}
