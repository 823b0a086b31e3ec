//! A report that has no room: failures and their hints first, what was read last, cut on a line.
//!
//! Knows how a report for a model is laid out: sections with blank lines between them, whatever is not ours
//! between fences, all of it between two lines with a nonce.

use crate::results::cut_lines;

/// The room that is kept for the last line, which says what has none, and for the end of a fence.
const RESERVE: usize = 120;
const LEAST: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Failure,
    Summary,
    Done,
    Diff,
    Read,
}

/// Returns `report`, a report for a model, in `room` characters.
#[must_use]
pub fn cut_report(report: &str, room: usize) -> String {
    if report.chars().count() <= room {
        return report.to_owned();
    }
    let (first, body) = report.split_once('\n').unwrap_or((report, ""));
    let (body, last) = body.trim_end().rsplit_once('\n').unwrap_or(("", body));
    let mut sections = sections(body);
    // What the model must act on comes first: sections are dropped from the end.
    sections.sort_by_key(|(rank, _)| *rank);
    let mut space = room.saturating_sub(first.chars().count() + last.chars().count() + RESERVE);
    let (mut text, mut dropped, all) = (format!("{first}\n"), 0, body.lines().count());
    for (at, (_, section)) in sections.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let needs = section.chars().count() + gap.len();
        if needs <= space {
            text.push_str(gap);
            text.push_str(section);
            space -= needs;
        } else if space > LEAST {
            let part = cut_section(section, space - gap.len());
            space -= (part.chars().count() + gap.len()).min(space);
            text.push_str(gap);
            text.push_str(&part);
        } else {
            dropped += section.lines().count();
        }
    }
    if dropped > 0 {
        text.push_str(&format!("[cut: {dropped} lines of {all}; ask for less at once]\n"));
    }
    format!("{text}{last}\n")
}

fn cut_section(section: &str, room: usize) -> String {
    let (part, _) = cut_lines(section, room.saturating_sub(RESERVE));
    let fence = open_fence(part);
    // Lines of what is between the fences are what can be asked for.
    let (before, inside) = match fence {
        Some(fence) => part.split_once(&format!("{fence}\n")).unwrap_or((part, "")),
        None => ("", part),
    };
    let head = before.lines().count() + usize::from(fence.is_some());
    let all = section.lines().count() - head - usize::from(fence.is_some());
    let shown = inside.lines().count();
    let end = fence.map(|fence| format!("{fence}\n")).unwrap_or_default();
    format!("{part}{end}[cut: {} lines of {all}; ask for lines {}-{all}]\n", all - shown.min(all), shown + 1)
}

fn open_fence(text: &str) -> Option<&str> {
    text.lines().fold(None, |open, line| match open {
        Some(fence) if line == fence => None,
        Some(fence) => Some(fence),
        None => is_fence(line).then_some(line),
    })
}

fn is_fence(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|byte| byte == b'`')
}

fn sections(body: &str) -> Vec<(Rank, String)> {
    let mut sections: Vec<(Rank, String)> = Vec::new();
    let (mut failed, mut done) = (String::new(), String::new());
    let mut tasks: Vec<&str> = Vec::new();
    let mut lines = body.lines().peekable();
    // The first section has a line for each task, and what a report begins with is before them.
    while let Some(line) = lines.next_if(|line| !line.is_empty() && !line.starts_with("task ")) {
        if let Some((task, rest)) = line.strip_prefix("[task-").and_then(|line| line.split_once("] ")) {
            let is_done = ["SUCCESS", "SKIP", "PLANNED"].iter().any(|word| rest.starts_with(word));
            if !is_done {
                tasks.push(task);
            }
            let place = if is_done { &mut done } else { &mut failed };
            place.push_str(line);
            place.push('\n');
        } else {
            let last = if failed.is_empty() && !done.is_empty() { &mut done } else { &mut failed };
            last.push_str(line);
            last.push('\n');
        }
    }
    let mut section = String::new();
    let mut fence: Option<&str> = None;
    let mut end = |section: &mut String| {
        if section.is_empty() {
            return;
        }
        let task = section.strip_prefix("task ").and_then(|rest| rest.split_once(',')).map(|(task, _)| task);
        let rank = match task {
            Some(task) if tasks.contains(&task) => Rank::Failure,
            Some(_) => Rank::Read,
            None if section.starts_with("What would change:") => Rank::Diff,
            None => Rank::Summary,
        };
        sections.push((rank, std::mem::take(section)));
    };
    for line in lines {
        if line.is_empty() && fence.is_none() {
            end(&mut section);
            continue;
        }
        fence = match fence {
            Some(open) if line == open => None,
            None if is_fence(line) => Some(line),
            open => open,
        };
        section.push_str(line);
        section.push('\n');
    }
    end(&mut section);
    for (rank, lines) in [(Rank::Done, done), (Rank::Failure, failed)] {
        if !lines.is_empty() {
            sections.insert(0, (rank, lines));
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn report(lines: usize) -> String {
        let read: String = (1..=lines).map(|line| format!("line {line}\n\n")).collect();
        format!(
            "clada-report 00\n[task-1] SUCCESS: read - a.txt\n[task-2] ERROR: replace - not found\n\ntask 1, \
             read:\n````\n```\n{read}````\n\ntask 2, replace:\n```\nclosest is line 7\n```\n\n2 tasks: 1 \
             succeeded, 1 failed.\nSend only task 2 again.\nend 00\n"
        )
    }

    #[test]
    fn what_failed_comes_first_and_what_was_read_is_cut_on_a_line() {
        let whole = report(3);
        assert_eq!(cut_report(&whole, 1000), whole);
        expect_test::expect![[r#"
            clada-report 00
            [task-2] ERROR: replace - not found

            task 2, replace:
            ```
            closest is line 7
            ```

            2 tasks: 1 succeeded, 1 failed.
            Send only task 2 again.

            [task-1] SUCCESS: read - a.txt

            task 1, read:
            ````
            ```
            line 1

            line 2

            line 3

            line 4

            line 5

            line 6

            line 7

            line 8

            line 9

            line 10

            line 11

            line 12

            line 13

            line 14

            line 15

            line 16

            line 17

            line 18

            line 19

            line 20

            line 21

            line 22

            line 23

            line 24

            line 25

            line 26

            line 27

            line 28

            ````
            [cut: 744 lines of 801; ask for lines 58-801]
            end 00
        "#]]
        .assert_eq(&cut_report(&report(400), 700));
    }

    proptest! {
        #[test]
        fn there_is_always_room(
            lines in proptest::collection::vec("(\\[task-[0-9]\\] (ERROR|SUCCESS): |```|task [0-9], |)[a-z ]{0,40}|```|", 0..60),
            room in 300_usize..600,
        ) {
            let report = format!("clada-report 0\n{}\nend 0\n", lines.join("\n"));
            let cut = cut_report(&report, room);
            prop_assert!(cut.chars().count() <= room, "{}", cut);
            prop_assert!(cut.starts_with("clada-report 0\n") && cut.ends_with("end 0\n"));
        }
    }
}
