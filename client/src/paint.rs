//! Colours a report for a terminal, by the beginnings of its lines: the words of a status, and diffs.
//!
//! Input is a report from `clada-protocol`, in which nothing foreign begins a line that is not a diff's.

use std::ops::Range;

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const CYAN: &str = "\u{1b}[36m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

pub(crate) fn paint_question(text: &str) -> String {
    painted(text, |line| if line.starts_with(COMMAND) { Some((BOLD, 0..line.len())) } else { coloured(line) })
}

const COMMAND: &str = "    | ";

pub(crate) fn paint(report: &str) -> String {
    painted(report, coloured)
}

type Coloured = (&'static str, Range<usize>);

fn painted(report: &str, coloured: impl Fn(&str) -> Option<Coloured>) -> String {
    let mut painted = String::with_capacity(report.len() + report.len() / 4);
    for line in report.lines() {
        let (colour, range) = coloured(line).unwrap_or((PLAIN, 0..0));
        painted.push_str(&line[..range.start]);
        if !range.is_empty() {
            painted.push_str(colour);
            painted.push_str(&line[range.clone()]);
            painted.push_str(PLAIN);
        }
        painted.push_str(&line[range.end..]);
        painted.push('\n');
    }
    painted
}

fn coloured(line: &str) -> Option<Coloured> {
    if line.starts_with("[task-") {
        let start = line.find("] ")? + 2;
        let word = line[start..].split_once(':')?.0;
        let colour = match word {
            "SUCCESS" | "VALID" | "PLANNED" => GREEN,
            "SKIP" => YELLOW,
            _ => RED,
        };
        return Some((colour, start..start + word.len()));
    }
    for (word, colour) in [("ERROR", RED), ("FATAL", RED), ("WARNING", YELLOW)] {
        if line.strip_prefix(word).is_some_and(|rest| rest.starts_with(':') || rest.starts_with(" (")) {
            return Some((colour, 0..word.len()));
        }
    }
    let colour = match line.as_bytes().first()? {
        b'+' if !line.starts_with("+++ ") => GREEN,
        b'-' if !line.starts_with("--- ") => RED,
        b'@' => CYAN,
        b'+' | b'-' => BOLD,
        b'd' if line.starts_with("diff ") => BOLD,
        _ => return None,
    };
    Some((colour, 0..line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_bold_in_a_question_alone() {
        let text = "  a command in .: no\n    | make\n";
        assert_eq!(paint_question(text), format!("  a command in .: no\n{BOLD}    | make{PLAIN}\n"));
        assert_eq!(paint(text), text);
    }

    #[test]
    fn lines_are_recognized_by_how_they_begin() {
        let painted = paint("[task-1] SUCCESS: ls\n[task-2] ERROR: x\n+a\n--- a/x\nplain\n");
        let expected = format!(
            "[task-1] {GREEN}SUCCESS{PLAIN}: ls\n[task-2] {RED}ERROR{PLAIN}: x\n{GREEN}+a{PLAIN}\n\
             {BOLD}--- a/x{PLAIN}\nplain\n"
        );
        assert_eq!(painted, expected);
    }
}
