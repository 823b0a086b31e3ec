//! `pwd`, `cat`, `head`, `tail` and `wc`: files that were named, read whole.

use std::os::unix::ffi::OsStrExt;

use clada_exec::words::{Count, Part, ReadOnlyBuiltIn};
use clada_fs::RootedPath;

use super::reading::CommandReading;
use crate::failure::Failure;

impl CommandReading<'_> {
    pub(super) fn pwd(&mut self) {
        self.out.say(&[self.folder.as_os_str().as_bytes(), b"\n"].concat());
    }

    /// Writes the output of `command` for the files at `paths`. One of several that cannot be shown does not
    /// hold back the others.
    ///
    /// # Errors
    /// The reason why the only one cannot be shown.
    pub(super) fn texts(
        &mut self,
        command: &ReadOnlyBuiltIn,
        paths: &[(String, RootedPath)],
    ) -> Result<(), Failure> {
        let mut lines = 0;
        // A file without a line break at its end goes on in the next one.
        let mut begins = true;
        let mut rows = Vec::new();
        let mut headed = false;
        for (written, path) in paths {
            let bytes = match self.runner.bytes(path) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => {
                    self.out.fill();
                    break;
                }
                Err(failure) if paths.len() > 1 => {
                    self.cannot_show(program(command), failure);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if paths.len() > 1
                && matches!(command, ReadOnlyBuiltIn::Head { .. } | ReadOnlyBuiltIn::Tail { .. })
            {
                let gap = if headed { "\n" } else { "" };
                headed = true;
                self.out.say(format!("{gap}==> {written} <==\n").as_bytes());
            }
            let goes_on = match command {
                ReadOnlyBuiltIn::Head { part, .. } => self.out.say(part_of(&bytes, *part, false)),
                ReadOnlyBuiltIn::Tail { part, .. } => self.out.say(part_of(&bytes, *part, true)),
                ReadOnlyBuiltIn::Wc { counts, .. } => {
                    rows.push(CountRow {
                        numbers: counted(&bytes, counts),
                        bytes: bytes.len(),
                        name: written,
                    });
                    true
                }
                ReadOnlyBuiltIn::Cat { numbers: true, .. } => {
                    bytes.split_inclusive(|byte| *byte == b'\n').all(|line| {
                        let number = if begins { format!("{:>6}\t", lines + 1) } else { String::new() };
                        lines += usize::from(begins);
                        begins = line.ends_with(b"\n");
                        self.out.say(&[number.as_bytes(), line].concat())
                    })
                }
                _ => self.out.say(&bytes),
            };
            if !goes_on {
                break;
            }
        }
        self.out.say(table(&rows, paths.len() > 1).as_bytes());
        Ok(())
    }

    fn cannot_show(&mut self, program: &str, failure: Failure) {
        self.out.complain(&format!("{program}: {}", failure.message));
        self.out.status(1);
        self.failed.get_or_insert(failure);
    }
}

fn program(command: &ReadOnlyBuiltIn) -> &'static str {
    match command {
        ReadOnlyBuiltIn::Head { .. } => "head",
        ReadOnlyBuiltIn::Tail { .. } => "tail",
        ReadOnlyBuiltIn::Wc { .. } => "wc",
        _ => "cat",
    }
}

struct CountRow<'r> {
    numbers: Vec<usize>,
    bytes: usize,
    name: &'r str,
}

fn table(rows: &[CountRow<'_>], several: bool) -> String {
    // The columns are as wide as all bytes together need.
    let bytes: usize = rows.iter().map(|row| row.bytes).sum();
    let width = match rows {
        [] => return String::new(),
        [row] if row.numbers.len() == 1 && !several => 1,
        _ => bytes.to_string().len(),
    };
    let sums = (0..rows[0].numbers.len()).map(|at| rows.iter().map(|row| row.numbers[at]).sum());
    let total = CountRow { numbers: sums.collect(), bytes, name: "total" };
    let total = Some(&total).filter(|_| several);
    let line = |row: &CountRow<'_>| {
        let numbers: Vec<String> = row.numbers.iter().map(|number| format!("{number:>width$}")).collect();
        format!("{} {}\n", numbers.join(" "), row.name)
    };
    rows.iter().chain(total).map(line).collect()
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

fn counted(bytes: &[u8], counts: &[Count]) -> Vec<usize> {
    let text = String::from_utf8_lossy(bytes);
    let number = |count: &Count| match count {
        Count::Lines => bytes.iter().filter(|byte| **byte == b'\n').count(),
        Count::Words => text.split_whitespace().count(),
        Count::Characters => text.chars().count(),
        Count::Bytes => bytes.len(),
    };
    counts.iter().map(number).collect()
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
    fn counts_are_those_of_wc() {
        let all = [Count::Lines, Count::Words, Count::Bytes];
        let row = |content: &str, counts: &[Count], name| CountRow {
            numbers: counted(content.as_bytes(), counts),
            bytes: content.len(),
            name,
        };
        assert_eq!(table(&[row("a b\n\u{e4}\n", &all, "f")], false), "2 3 7 f\n");
        assert_eq!(table(&[row(&"a b\n".repeat(5), &all, "f")], false), " 5 10 20 f\n");
        assert_eq!(table(&[row(&"a\n".repeat(9), &[Count::Lines], "f")], false), "9 f\n");
        let two = [row(&"a\n".repeat(9), &[Count::Lines], "f"), row("a\n", &[Count::Lines], "g")];
        assert_eq!(table(&two, true), " 9 f\n 1 g\n10 total\n");
        assert_eq!(table(&[], true), "");
    }
}
