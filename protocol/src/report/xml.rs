//! The report of `execute` as CML's `<result>`, for programs that speak the XML protocol (spec: dialects,
//! "cml").
//!
//! Blocks, tasks and their failures are numbered from 0 over the whole answer. What does not belong to a
//! block, hints, and the output of commands (`<output stream="stdout">`), which CML shows on lines of its
//! own, are in it too. Kinds of failure go by CML's names where it has one. Foreign text has everything made
//! visible that is not seen, which is also what XML does not allow, and cannot end the element that it is in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::details::{partial_failures, partial_kinds};
use super::execution::message;
use super::page::ReportPaths;
use super::proposals::proposal_notice;
use super::{CommandOutput, ReportStyle};
use crate::{
    ActionData, ActionResult, ActionStatus, BlockInfo, CommandData, ErrorKind, ExecutionResult, NotRead,
    ParseIssue, visible_block, visible_line,
};

/// The report of `result` as one element `<result>`.
#[must_use]
pub fn execution_xml(result: &ExecutionResult, style: &ReportStyle<'_>) -> String {
    let mut sheet = Sheet {
        paths: ReportPaths::new(style.root),
        commands: style.commands,
        text: String::new(),
        counts: Counts::default(),
    };
    let mut results: BTreeMap<usize, Vec<&ActionResult>> = BTreeMap::new();
    for action in &result.results {
        results.entry(action.block).or_default().push(action);
    }
    let mut issues = Issues::new(result);
    let mut number = 0;
    for (index, block) in result.blocks.iter().enumerate() {
        match results.get(&index) {
            Some(actions) => sheet.block(index, actions),
            None => sheet.unread_block(index, number, block, &issues.take(index)),
        }
        number += numbers(block);
    }
    // A daemon that does not report its blocks reports the actions in them.
    for (index, actions) in results.range(result.blocks.len()..) {
        sheet.block(*index, actions);
    }
    for issue in issues.rest() {
        sheet.error("  ", type_of_issue(issue), &issue.message);
    }
    if let Some(fatal) = &result.fatal_error
        && !result.parse_errors.iter().any(|issue| issue.message == *fatal)
    {
        sheet.error("  ", "fatal", fatal);
    }
    let proposals: Vec<NotRead> =
        result.proposals.iter().filter(|proposal| proposal.is_listed()).map(proposal_notice).collect();
    for notice in result.not_read.iter().chain(&proposals) {
        sheet.not_read(notice);
    }
    let Sheet { text, counts, .. } = sheet;
    let Counts { tasks, succeeded, failed, skipped } = counts;
    let mut opening = format!(
        "<result blocks=\"{}\" tasks=\"{tasks}\" succeeded=\"{succeeded}\" failed=\"{failed}\"",
        result.total_blocks
    );
    if skipped > 0 {
        let _ = write!(opening, " skipped=\"{skipped}\"");
    }
    if result.dry_run.is_some() {
        opening.push_str(" dry-run=\"true\"");
    }
    if text.is_empty() { format!("{opening}/>\n") } else { format!("{opening}>\n{text}</result>\n") }
}

fn numbers(block: &BlockInfo) -> usize {
    if block.policy == "atomic" { 1 } else { block.actions.max(1) }
}

#[derive(Debug, Default)]
struct Counts {
    tasks: usize,
    succeeded: usize,
    failed: usize,
    skipped: usize,
}

struct Sheet<'a> {
    paths: ReportPaths<'a>,
    commands: CommandOutput,
    text: String,
    counts: Counts,
}

impl Sheet<'_> {
    fn block(&mut self, index: usize, actions: &[&ActionResult]) {
        self.counts.tasks += actions.len();
        let is_done =
            |action: &&ActionResult| action.success || action.kind == Some(ErrorKind::AnswerAlreadyApplied);
        let failed = !actions.iter().all(is_done);
        let has_tasks = actions.iter().any(|action| !action.success || self.outputs(action).next().is_some());
        self.open_block(index, failed, actions.len(), has_tasks);
        for action in actions {
            match action.status {
                ActionStatus::Success => {
                    self.counts.succeeded += 1;
                    if self.outputs(action).next().is_some() {
                        self.open_task(&counted_from_0(&action.task), "success");
                        self.close_task(action);
                    }
                }
                ActionStatus::Skip => {
                    self.counts.skipped += 1;
                    self.task(action, "skipped");
                }
                ActionStatus::Error | ActionStatus::Fatal | ActionStatus::Unknown => {
                    self.counts.failed += 1;
                    self.task(action, "error");
                }
            }
        }
        self.close_block(has_tasks);
    }

    /// Adds a block of which nothing was tried: its actions could not be read, so that it failed as a whole,
    /// or were not asked for. The first of them has the number `number`.
    fn unread_block(&mut self, index: usize, number: usize, block: &BlockInfo, issues: &[&ParseIssue]) {
        let failed = !block.valid;
        let tasks = if failed { block.actions.max(1) } else { 0 };
        self.counts.tasks += tasks;
        self.open_block(index, failed, tasks, failed);
        if failed {
            self.counts.failed += tasks;
            self.open_task(&number.to_string(), "error");
            for issue in issues {
                self.error("      ", type_of_issue(issue), &issue.message);
                self.hint(issue.hint.as_deref());
            }
            if issues.is_empty() {
                self.error("      ", "syntax", "It is on a line with another error, which is reported first");
            }
            self.text.push_str("    </task>\n");
        }
        self.close_block(failed);
    }

    fn open_block(&mut self, index: usize, failed: bool, tasks: usize, has_tasks: bool) {
        let status = if failed { "failed" } else { "success" };
        let end = if has_tasks { ">" } else { "/>" };
        let _ = writeln!(self.text, "  <block index=\"{index}\" status=\"{status}\" tasks=\"{tasks}\"{end}");
    }

    fn close_block(&mut self, has_tasks: bool) {
        if has_tasks {
            self.text.push_str("  </block>\n");
        }
    }

    fn task(&mut self, action: &ActionResult, status: &str) {
        self.open_task(&counted_from_0(&action.task), status);
        self.error("      ", type_of(action), &message(action, self.paths));
        for (kind, failure) in partial_kinds(action).zip(partial_failures(action, self.paths)) {
            self.error("      ", kind.map_or(type_of(action), type_of_kind), &failure);
        }
        self.hint(action.hint.as_deref());
        self.close_task(action);
    }

    fn outputs<'r>(
        &self,
        action: &'r ActionResult,
    ) -> impl Iterator<Item = (&'static str, &'r str)> + use<'r> {
        let shown = action.data.as_ref().filter(|_| self.commands == CommandOutput::Shown);
        let command = shown.and_then(ActionData::command).into_iter();
        command.flat_map(CommandData::streams).filter(|(_, text)| !text.is_empty())
    }

    fn close_task(&mut self, action: &ActionResult) {
        for (stream, text) in self.outputs(action) {
            let text = visible_block(text);
            let _ = writeln!(self.text, "      <output stream=\"{stream}\">{}</output>", escaped(&text));
        }
        self.text.push_str("    </task>\n");
    }

    fn open_task(&mut self, index: &str, status: &str) {
        let _ =
            writeln!(self.text, "    <task index=\"{}\" status=\"{status}\">", escaped(&visible_line(index)));
    }

    fn error(&mut self, indent: &str, kind: &str, text: &str) {
        let (kind, text) = (visible_line(kind), visible_line(text));
        let (kind, text) = (escaped(&kind), escaped(&text));
        let _ = writeln!(self.text, "{indent}<error type=\"{kind}\">{text}</error>");
    }

    fn not_read(&mut self, notice: &NotRead) {
        let attribute = |text: &str| escaped(&visible_line(text)).into_owned();
        let path = notice.path.as_ref().map(|path| format!(" path=\"{}\"", attribute(path)));
        let (line, path) = (notice.line, path.unwrap_or_default());
        let (kind, hint) = (attribute(&notice.kind), attribute(&notice.hint));
        let _ = writeln!(self.text, "  <not-read line=\"{line}\" kind=\"{kind}\"{path}>{hint}</not-read>");
    }

    fn hint(&mut self, hint: Option<&str>) {
        if let Some(hint) = hint {
            let _ = writeln!(self.text, "      <hint>{}</hint>", escaped(&visible_block(hint)));
        }
    }
}

struct Issues<'a> {
    of_blocks: BTreeMap<usize, Vec<&'a ParseIssue>>,
    others: Vec<&'a ParseIssue>,
}

impl<'a> Issues<'a> {
    fn new(result: &'a ExecutionResult) -> Issues<'a> {
        // An error in a block whose actions were tried is reported with them, if one of them failed.
        let mut tried: BTreeMap<usize, bool> = BTreeMap::new();
        for action in &result.results {
            *tried.entry(action.block).or_default() |= !action.success;
        }
        let mut issues = Issues { of_blocks: BTreeMap::new(), others: Vec::new() };
        for issue in &result.parse_errors {
            let line = issue.line.or(issue.block_start_line).unwrap_or_default();
            // Several blocks may be on one line: it is the first of them that failed.
            let until = result.blocks.partition_point(|block| block.start_line <= line);
            let holds = |index: &usize| result.blocks[*index].end_line.is_none_or(|end| line <= end);
            let neighbours = (0..until).rev().take_while(holds);
            let failed = neighbours.filter(|index| !result.blocks[*index].valid);
            match failed.last() {
                Some(index) if !tried.contains_key(&index) => {
                    issues.of_blocks.entry(index).or_default().push(issue)
                }
                Some(index) if tried.get(&index) == Some(&true) => {}
                _ => issues.others.push(issue),
            }
        }
        issues
    }

    fn take(&mut self, block: usize) -> Vec<&'a ParseIssue> {
        self.of_blocks.remove(&block).unwrap_or_default()
    }

    fn rest(self) -> Vec<&'a ParseIssue> {
        self.others
    }
}

fn counted_from_0(task: &str) -> String {
    let part =
        |part: &str| part.parse::<usize>().map_or(part.to_owned(), |n| n.saturating_sub(1).to_string());
    task.split('.').map(part).collect::<Vec<_>>().join(".")
}

fn type_of(action: &ActionResult) -> &'static str {
    match action.kind {
        Some(ErrorKind::ApprovalRequired | ErrorKind::NotAvailable) if action.action == "run" => {
            "command_not_allowed"
        }
        Some(kind) => type_of_kind(kind),
        None if action.status == ActionStatus::Skip => ErrorKind::Skipped.name(),
        None => ErrorKind::Internal.name(),
    }
}

fn type_of_kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NoMatch | ErrorKind::MatchCount | ErrorKind::Ambiguous | ErrorKind::AlreadyInFile => {
            "match_count_mismatch"
        }
        ErrorKind::PermissionDenied
        | ErrorKind::ReadOnly
        | ErrorKind::PathDenied
        | ErrorKind::Secret
        | ErrorKind::ApprovalRequired => "permission_denied",
        ErrorKind::Timeout => "exec_timeout",
        ErrorKind::InputTooLarge | ErrorKind::LimitExceeded => "input_too_large",
        ErrorKind::ParseError => "malformed_xml",
        ErrorKind::UnknownAction => "unknown_element",
        // The same in both: file_not_found, symlink_not_allowed, path_escape, git_operation_failed,
        // command_not_allowed.
        other => other.name(),
    }
}

fn type_of_issue(issue: &ParseIssue) -> &str {
    match issue.code.as_deref() {
        Some("MALFORMED_XML") => "malformed_xml",
        Some("UNKNOWN_VERSION") => "unknown_version",
        Some("UNKNOWN_ELEMENT" | "UNKNOWN_ACTION") => "unknown_element",
        Some("INPUT_TOO_LARGE" | "TOO_MANY_BLOCKS") => "input_too_large",
        _ => &issue.error_type,
    }
}

/// Returns the entity of a character that would be markup in XML, in text and between double quotes.
#[must_use]
pub fn xml_entity(character: char) -> Option<&'static str> {
    match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        _ => None,
    }
}

fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\u{fffe}', '\u{ffff}']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if let Some(entity) = xml_entity(character) {
            escaped.push_str(entity);
            continue;
        }
        match character {
            // XML has no way to write these.
            '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::super::{ErrorDetail, Verbosity};
    use super::*;
    use crate::DryRun;

    const STYLE: ReportStyle<'static> = ReportStyle {
        root: "/proj",
        verbosity: Verbosity::Normal,
        error_detail: ErrorDetail::Minimal,
        how_to_approve: "",
        how_to_plain: None,
        commands: super::super::CommandOutput::Shown,
        unapproved: super::super::Unapproved::OfUser,
        seen_problems: false,
    };

    fn block(lines: (u32, u32), policy: &str, actions: usize, valid: bool) -> BlockInfo {
        BlockInfo {
            dialect: "cml".to_owned(),
            id: None,
            start_line: lines.0,
            end_line: Some(lines.1),
            policy: policy.to_owned(),
            actions,
            valid,
        }
    }

    fn action(
        block: usize,
        task: &str,
        status: ActionStatus,
        failure: Option<(ErrorKind, &str)>,
    ) -> ActionResult {
        ActionResult {
            block,
            task: task.to_owned(),
            action: "file_replace_all_text".to_owned(),
            success: status == ActionStatus::Success,
            status,
            kind: failure.map(|(kind, _)| kind),
            error: failure.map(|(_, message)| format!("file_replace_all_text: {message}")),
            ..ActionResult::default()
        }
    }

    fn wrote(stdout: &str, stderr: &str) -> ActionData {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        ActionData::Command(Box::new(CommandData { stdout, stderr, ..CommandData::default() }))
    }

    fn issue(line: u32, code: &str, message: &str) -> ParseIssue {
        ParseIssue {
            error_type: "syntax".to_owned(),
            code: Some(code.to_owned()),
            message: message.to_owned(),
            line: Some(line),
            ..ParseIssue::default()
        }
    }

    fn result(
        blocks: Vec<BlockInfo>,
        results: Vec<ActionResult>,
        issues: Vec<ParseIssue>,
    ) -> ExecutionResult {
        ExecutionResult {
            total_blocks: blocks.len(),
            blocks,
            results,
            parse_errors: issues,
            ..Default::default()
        }
    }

    #[test]
    fn blocks_and_tasks_are_counted_from_0() {
        use ActionStatus::{Error, Skip, Success};
        let mut failed =
            action(1, "5", Error, Some((ErrorKind::MatchCount, "Found 2 in '/proj/a<b>' (MATCH_COUNT)")));
        failed.hint = Some("lines 3\n& 4".to_owned());
        let result = result(
            vec![
                block((1, 5), "inOrder", 3, true),
                block((6, 9), "inOrder", 3, true),
                // Unread blocks take numbers too, so the tasks after them keep theirs.
                block((10, 12), "inOrder", 2, false),
                block((13, 13), "each", 1, false),
                block((14, 14), "each", 1, true),
            ],
            vec![
                action(0, "1", Success, None),
                action(0, "2", Success, None),
                action(0, "3", Success, None),
                action(1, "4", Success, None),
                failed,
                action(1, "6", Skip, Some((ErrorKind::Skipped, "task 5 failed"))),
                action(4, "10", Success, None),
            ],
            vec![
                issue(11, "MALFORMED_XML", "<write> is not closed"),
                issue(13, "EMPTY_SEARCH", "An empty <search> is not allowed"),
                issue(20, "UNEXPECTED_MARKER", "<<<END>>> outside an edit"),
            ],
        );
        let expected = r#"<result blocks="5" tasks="10" succeeded="5" failed="4" skipped="1">
  <block index="0" status="success" tasks="3"/>
  <block index="1" status="failed" tasks="3">
    <task index="4" status="error">
      <error type="match_count_mismatch">Found 2 in 'a&lt;b&gt;' (MATCH_COUNT)</error>
      <hint>lines 3
&amp; 4</hint>
    </task>
    <task index="5" status="skipped">
      <error type="skipped">task 5 failed</error>
    </task>
  </block>
  <block index="2" status="failed" tasks="2">
    <task index="6" status="error">
      <error type="malformed_xml">&lt;write&gt; is not closed</error>
    </task>
  </block>
  <block index="3" status="failed" tasks="1">
    <task index="8" status="error">
      <error type="syntax">An empty &lt;search&gt; is not allowed</error>
    </task>
  </block>
  <block index="4" status="success" tasks="1"/>
  <error type="syntax">&lt;&lt;&lt;END&gt;&gt;&gt; outside an edit</error>
</result>
"#;
        assert_eq!(execution_xml(&result, &STYLE), expected);
    }

    #[test]
    fn what_commands_wrote_stands_in_their_tasks() {
        use ActionStatus::{Error, Success};
        let mut ran = action(0, "1", Success, None);
        ran.data = Some(wrote("a </output> & b\n", ""));
        let mut failed = action(0, "2", Error, Some((ErrorKind::ExecFailed, "exit 1")));
        failed.data = Some(wrote("", "oh\u{1b}"));
        let result = result(vec![block((1, 5), "each", 2, true)], vec![ran, failed], vec![]);
        let expected = r#"<result blocks="1" tasks="2" succeeded="1" failed="1">
  <block index="0" status="failed" tasks="2">
    <task index="0" status="success">
      <output stream="stdout">a &lt;/output&gt; &amp; b
</output>
    </task>
    <task index="1" status="error">
      <error type="exec_failed">exit 1</error>
      <output stream="stderr">oh\u{1b}</output>
    </task>
  </block>
</result>
"#;
        assert_eq!(execution_xml(&result, &STYLE), expected);
        let quiet = ReportStyle { commands: super::super::CommandOutput::Omitted, ..STYLE };
        assert!(!execution_xml(&result, &quiet).contains("<output"));
    }

    #[test]
    fn nothing_and_a_dry_run_and_what_is_fatal() {
        let mut result = ExecutionResult { success: true, ..ExecutionResult::default() };
        let empty = r#"<result blocks="0" tasks="0" succeeded="0" failed="0"/>"#;
        assert_eq!(execution_xml(&result, &STYLE), format!("{empty}\n"));
        result.dry_run = Some(DryRun::default());
        result.fatal_error = Some("stop".to_owned());
        let fatal = "<result blocks=\"0\" tasks=\"0\" succeeded=\"0\" failed=\"0\" dry-run=\"true\">\n  <error type=\"fatal\">stop</error>\n</result>\n";
        assert_eq!(execution_xml(&result, &STYLE), fatal);
    }

    #[test]
    fn an_invalid_task_is_reported_once_and_one_that_hid_is_reported() {
        let blocks = vec![block((1, 3), "inOrder", 1, false), block((3, 3), "each", 1, false)];
        let failed =
            action(0, "1", ActionStatus::Error, Some((ErrorKind::UnknownAction, "Unknown element <x>")));
        let unknown = issue(2, "UNKNOWN_ELEMENT", "Unknown element <x>");
        let xml = execution_xml(&result(blocks, vec![failed], vec![unknown]), &STYLE);
        assert_eq!(xml.matches("Unknown element").count(), 1);
        expect![[r#"
            <result blocks="2" tasks="2" succeeded="0" failed="2">
              <block index="0" status="failed" tasks="1">
                <task index="0" status="error">
                  <error type="unknown_element">Unknown element &lt;x&gt;</error>
                </task>
              </block>
              <block index="1" status="failed" tasks="1">
                <task index="1" status="error">
                  <error type="syntax">It is on a line with another error, which is reported first</error>
                </task>
              </block>
            </result>
        "#]]
        .assert_eq(&xml);
        let blocks = vec![block((1, 3), "inOrder", 1, false)];
        let done = action(0, "1", ActionStatus::Success, None);
        let xml = execution_xml(&result(blocks, vec![done], vec![issue(2, "X", "hidden")]), &STYLE);
        expect![[r#"
            <result blocks="1" tasks="1" succeeded="1" failed="0">
              <block index="0" status="success" tasks="1"/>
              <error type="syntax">hidden</error>
            </result>
        "#]]
        .assert_eq(&xml);
    }

    #[test]
    fn tasks_in_tasks_are_counted_from_0_too() {
        assert_eq!(counted_from_0("3.2"), "2.1");
        assert_eq!(counted_from_0("x"), "x");
    }

    #[test]
    fn every_name_of_cml_has_a_kind() {
        let names: Vec<_> = ErrorKind::ALL.iter().map(|kind| type_of_kind(*kind)).collect();
        for name in [
            "match_count_mismatch",
            "file_not_found",
            "permission_denied",
            "symlink_not_allowed",
            "exec_timeout",
            "path_escape",
            "malformed_xml",
            "input_too_large",
            "git_operation_failed",
            "command_not_allowed",
            "unknown_element",
        ] {
            assert!(names.contains(&name), "{name}");
        }
    }

    #[test]
    fn regression_a_block_that_was_applied_already_has_not_failed() {
        let applied = Some((ErrorKind::AnswerAlreadyApplied, "Applied already"));
        let result = ExecutionResult {
            success: true,
            total_blocks: 2,
            blocks: vec![block((1, 3), "each", 1, true), block((4, 6), "each", 1, true)],
            results: vec![
                action(0, "1", ActionStatus::Skip, applied),
                action(1, "2", ActionStatus::Skip, Some((ErrorKind::Skipped, "another failed"))),
            ],
            ..ExecutionResult::default()
        };
        let text = execution_xml(&result, &STYLE);
        expect![[r#"
            <result blocks="2" tasks="2" succeeded="0" failed="0" skipped="2">
              <block index="0" status="success" tasks="1">
                <task index="0" status="skipped">
                  <error type="answer_already_applied">Applied already</error>
                </task>
              </block>
              <block index="1" status="failed" tasks="1">
                <task index="1" status="skipped">
                  <error type="skipped">another failed</error>
                </task>
              </block>
            </result>
        "#]]
        .assert_eq(&text);
    }

    proptest! {
        #[test]
        fn no_text_breaks_out(text in "\\PC*|[\\x00-\\x{ff}\\x{fffe}\\x{ffff}<>&\"]*") {
            let mut failed = action(0, &text, ActionStatus::Error, Some((ErrorKind::Io, &text)));
            failed.hint = Some(text.clone());
            let blocks = vec![block((1, 1), "each", 1, true)];
            let xml = execution_xml(&result(blocks, vec![failed], vec![issue(9, &text, &text)]), &STYLE);
            let tags = xml.matches('<').count();
            prop_assert_eq!((tags, xml.matches('>').count(), xml.matches('"').count()), (12, 12, 22));
            let bad = |c: char| (c < ' ' && !matches!(c, '\n' | '\t')) || matches!(c, '\u{fffe}' | '\u{ffff}');
            prop_assert!(!xml.contains(bad));
        }
    }
}
