//! Colours a report for a terminal, by the beginnings of its lines.
//!
//! Input is a report from `clada-protocol`, in which nothing foreign begins a line that is not a diff's.

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const CYAN: &str = "\u{1b}[36m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Returns a question's text with its lines coloured: also the command, which is behind a mark.
pub(crate) fn paint_question(text: &str) -> String {
    painted(text, |line| if line.starts_with(COMMAND) { Some(BOLD) } else { colour(line) })
}

/// The beginning of a line of a command that a user is asked about.
const COMMAND: &str = "    | ";

/// Returns `report` with its lines coloured.
pub(crate) fn paint(report: &str) -> String {
    painted(report, colour)
}

fn painted(report: &str, colour: impl Fn(&str) -> Option<&'static str>) -> String {
    let mut painted = String::with_capacity(report.len() + report.len() / 4);
    for line in report.lines() {
        match colour(line) {
            Some(colour) => {
                painted.push_str(colour);
                painted.push_str(line);
                painted.push_str(PLAIN);
            }
            None => painted.push_str(line),
        }
        painted.push('\n');
    }
    painted
}

fn colour(line: &str) -> Option<&'static str> {
    if let Some(task) = line.strip_prefix("[task-") {
        let (_, status) = task.split_once("] ")?;
        return match status.split_once(':')?.0 {
            "SUCCESS" | "VALID" | "PLANNED" => Some(GREEN),
            "SKIP" => Some(YELLOW),
            _ => Some(RED),
        };
    }
    match line.as_bytes().first()? {
        b'+' if !line.starts_with("+++ ") => Some(GREEN),
        b'-' if !line.starts_with("--- ") => Some(RED),
        b'@' => Some(CYAN),
        b'+' | b'-' => Some(BOLD),
        b'd' if line.starts_with("diff ") => Some(BOLD),
        b'E' if line.starts_with("ERROR: ") => Some(RED),
        b'F' if line.starts_with("FATAL: ") => Some(RED),
        b'W' if line.starts_with("WARNING") => Some(YELLOW),
        _ => None,
    }
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
            "{GREEN}[task-1] SUCCESS: ls{PLAIN}\n{RED}[task-2] ERROR: x{PLAIN}\n{GREEN}+a{PLAIN}\n\
             {BOLD}--- a/x{PLAIN}\nplain\n"
        );
        assert_eq!(painted, expected);
    }
}
