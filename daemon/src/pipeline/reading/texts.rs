//! `pwd`, `cat`, `head`, `tail` and `wc`: files that were named, read whole.

use std::os::unix::ffi::OsStrExt;

use super::Reading;
use crate::exec::words::{Count, Look, Part};
use crate::fs::RootedPath;
use crate::pipeline::effect::Failure;

impl Reading<'_> {
    /// The folder that the command runs in.
    pub(super) fn pwd(&mut self) {
        self.out.say(&[self.folder.as_os_str().as_bytes(), b"\n"].concat());
    }

    /// What `command` writes of the files at `paths`.
    pub(super) fn texts(&mut self, command: &Look, paths: &[(String, RootedPath)]) -> Result<(), Failure> {
        let mut lines = 0;
        for (at, (written, path)) in paths.iter().enumerate() {
            let Some(bytes) = self.looker.bytes(path)? else {
                self.out.fill();
                break;
            };
            if paths.len() > 1 && matches!(command, Look::Head { .. } | Look::Tail { .. }) {
                let gap = if at == 0 { "" } else { "\n" };
                self.out.say(format!("{gap}==> {written} <==\n").as_bytes());
            }
            let goes_on = match command {
                Look::Head { part, .. } => self.out.say(part_of(&bytes, *part, false)),
                Look::Tail { part, .. } => self.out.say(part_of(&bytes, *part, true)),
                Look::Wc { counts, .. } => self.out.say(counted(&bytes, counts, written).as_bytes()),
                Look::Cat { numbers: true, .. } => bytes.split_inclusive(|byte| *byte == b'\n').all(|line| {
                    lines += 1;
                    self.out.say(&[format!("{lines:>6}\t").as_bytes(), line].concat())
                }),
                _ => self.out.say(&bytes),
            };
            if !goes_on {
                break;
            }
        }
        Ok(())
    }
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
