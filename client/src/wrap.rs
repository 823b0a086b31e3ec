//! Wraps the lines of a report for a terminal: at words, indented. Pure.
//!
//! Input is a report from `clada-protocol`, painted or not. Lines of a diff, of a file or of a command's output are
//! left to the terminal: a line end that is not there would be a lie about them.

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, wrap};

use crate::Process;

const LEAST: usize = 40;
const DIFF: [&str; 7] = [" ", "+", "-", "@@ ", "\\", "diff ", "Binary "];
const DIFF_HEAD: [&str; 7] = ["index ", "new ", "deleted ", "old ", "rename ", "similarity ", "copy "];

pub(crate) fn fitted(process: &Process, text: String) -> String {
    match process.columns() {
        Some(columns) => wrapped(&text, columns),
        None => text,
    }
}

/// Returns `text`, a report, with its lines wrapped at words for so many columns.
#[must_use]
pub fn wrapped(text: &str, columns: usize) -> String {
    let mut fitted = String::with_capacity(text.len() + text.len() / 16);
    let mut in_diff = false;
    for line in text.lines() {
        let bare = without_colour(line);
        let begins = |starts: &[&str]| starts.iter().any(|start| bare.starts_with(start));
        in_diff = begins(&["diff ", "@@ "]) || (in_diff && (begins(&DIFF) || begins(&DIFF_HEAD)));
        if in_diff || is_foreign(bare) {
            fitted.push_str(line);
        } else {
            wrap_line(&mut fitted, line, bare, columns.max(LEAST));
        }
        fitted.push('\n');
    }
    if !text.ends_with('\n') {
        fitted.pop();
    }
    fitted
}

fn wrap_line(fitted: &mut String, line: &str, bare: &str, columns: usize) {
    if display_width(line) <= columns {
        return fitted.push_str(line);
    }
    let indent = " ".repeat(bare.len() - bare.trim_start_matches(' ').len() + 2);
    let options = Options::new(columns)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    fitted.push_str(&wrap(line, options).join("\n"));
}

fn is_foreign(bare: &str) -> bool {
    bare.trim_start_matches(' ').starts_with("| ")
        || bare
            .strip_prefix("[task-")
            .and_then(|task| task.split_once(']'))
            .is_some_and(|(task, _)| task.ends_with(":exec"))
}

fn without_colour(line: &str) -> &str {
    match line.strip_prefix("\u{1b}[") {
        Some(rest) => rest.split_once('m').map_or(line, |(_, bare)| bare),
        None => line,
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests read the snapshots of reports")]
mod tests {
    use std::path::Path;

    use expect_test::expect;

    use super::*;
    use crate::paint::paint;

    #[test]
    fn words_stay_whole_and_lines_are_indented() {
        let report = "[task-1] ERROR: file_replace_text - the text was not found in a/very/long/path/of/a/file.rs\n  \
                      look at the lines around it, and send the answer again\n\n | not a long one\n\
                      WARNING: x\n";
        expect![[r#"
            [task-1] ERROR: file_replace_text - the
              text was not found in
              a/very/long/path/of/a/file.rs
              look at the lines around it, and send
                the answer again

             | not a long one
            WARNING: x
        "#]]
        .assert_eq(&wrapped(report, 40));
        assert_eq!(wrapped(report, 120), report);
        assert_eq!(wrapped("no end of line", 40), "no end of line");
    }

    #[test]
    fn what_is_not_ours_keeps_its_lines() {
        let long = "word ".repeat(30);
        let report = format!(
            "  | {long}\n    | {long}\n[task-1:exec] {long}\n@@ -1 +1 @@\n-{long}\n+{long}\n {long}\n\nWARNING: {long}\n"
        );
        let fitted = wrapped(&report, 60);
        let (kept, own) = fitted.split_once("\n\n").unwrap();
        assert!(report.starts_with(kept));
        assert!(own.lines().count() > 2 && own.lines().all(|line| line.len() <= 60), "{own}");
    }

    #[test]
    fn every_report_fits_every_terminal() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut reports: Vec<String> = Vec::new();
        for folder in ["tests/data/reports", "tests/data/actions"] {
            for entry in std::fs::read_dir(top.join(folder)).unwrap() {
                reports.push(std::fs::read_to_string(entry.unwrap().path()).unwrap());
            }
        }
        // The snapshots of the reports' own tests are raw strings in their sources.
        let sources = ["protocol/src/report/tests.rs", "protocol/src/report/embed.rs", "tests/it/reports.rs"];
        for source in sources {
            let text = std::fs::read_to_string(top.join(source)).unwrap();
            let snapshots = text.split("[[r#\"").skip(1).filter_map(|rest| rest.split_once("\"#]]"));
            reports.extend(snapshots.map(|(snapshot, _)| {
                snapshot
                    .lines()
                    .map(|line| format!("{}\n", line.strip_prefix("        ").unwrap_or(line)))
                    .collect()
            }));
        }
        assert!(reports.len() > 20, "{}", reports.len());
        for (report, columns) in
            reports.iter().flat_map(|report| [40, 60, 80, 120].map(|columns| (report, columns)))
        {
            let fitted = wrapped(report, columns);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&fitted), words(report), "nothing is lost at {columns}");
            let mut in_diff = false;
            for line in fitted.lines() {
                in_diff =
                    line.starts_with("diff ") || line.starts_with("@@ ") || (in_diff && !line.is_empty());
                let is_one_word = line.split_whitespace().count() <= 1;
                let fits = display_width(line) <= columns || is_one_word || in_diff || is_foreign(line);
                assert!(fits, "at {columns}: {line}");
            }
            let painted = wrapped(&paint(report), columns);
            let bare: String = painted
                .split("\u{1b}[")
                .enumerate()
                .map(|(at, part)| match part.split_once('m') {
                    Some((_, rest)) if at > 0 => rest,
                    _ => part,
                })
                .collect();
            assert_eq!(bare.trim_end(), fitted.trim_end(), "colours take no room at {columns}");
        }
    }
}
