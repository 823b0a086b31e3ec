//! Code that shows a change by signs before its lines, in a fence of the language of its file.
//!
//! ```text
//! file          fence                          diff
//! begin();      begin();                        begin();
//! old();        -old();                        -old();
//! end();        +new();                        +new();
//!               // ...existing code...         @@
//! ```
//!
//! The signs stand before a line or in the place of its first blank; some write a blank behind each. Which of these it is, the
//! lines of the file say. Pure.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::copied;
use super::plain_edit::{EditOutcome, EditedText, PlainEdit, indent_of};
use crate::plan::guard::is_makefile;

pub(super) struct SignedCode {
    // The change as a diff, with `@@` for what markers and lines without a change beside them leave out.
    diff: String,
    // The code with the new lines and without the old ones.
    new: String,
    removed: Vec<String>,
    added: Vec<String>,
}

#[derive(Clone, Copy)]
enum SignStyle {
    BeforeLine,
    BeforeBlank,
    InBlank,
}

impl SignStyle {
    // Returns the text of `line` without its sign.
    fn text(self, line: &str) -> Option<String> {
        let rest = &line[1..];
        match self {
            SignStyle::BeforeLine => Some(rest.to_owned()),
            SignStyle::BeforeBlank if rest.is_empty() => Some(String::new()),
            SignStyle::BeforeBlank => rest.strip_prefix(' ').map(str::to_owned),
            SignStyle::InBlank => Some(format!(" {rest}")),
        }
    }
}

// Returns `content` as a diff of `file`, at `path`, if signs show in it what is new and what goes; a line that the file has
// is no sign.
pub(super) fn read(file: &str, content: &str, path: &str) -> Option<SignedCode> {
    // Fast path: most code has no such lines.
    if !content.lines().any(|line| line.starts_with(['+', '-'])) || is_makefile(Path::new(path)) {
        return None;
    }
    let has: HashSet<&str> = file.lines().map(str::trim).collect();
    // Comments begin with two dashes, too, and code with two signs: only the file tells what is old, and three are one more.
    let is_signed = |line: &&str| {
        let may_be = match line.as_bytes() {
            [b'-', b'-', ..] => has.contains(line[1..].trim()),
            [b'+', b'+', ..] => line.starts_with("+++"),
            _ => line.starts_with(['+', '-']),
        };
        may_be && !has.contains(line.trim())
    };
    let signed: Vec<&str> = content.lines().filter(is_signed).collect();
    let has_sign = |sign: char| signed.iter().any(|line| line.starts_with(sign));
    // `- a` is an entry of such data, too, and `+ a` an entry of a list for readers.
    // There only entries with both signs are no such list: `-- old`, `+- new`.
    let is_entry = |line: &&str| !line[1..].trim_start().starts_with(char::is_alphabetic);
    let is_prose = copied::is_prose(path) && !(has_sign('-') && signed.iter().all(is_entry));
    let is_list = !has_sign('+') && copied::has_dashes(path);
    if signed.is_empty() || is_list || is_prose {
        return None;
    }
    let depths: HashSet<&str> = file.lines().filter(|line| !line.trim().is_empty()).map(indent_of).collect();
    let lines: HashSet<&str> = file.lines().map(str::trim_end).collect();
    // How many of the signed lines are as the file has such lines: the old ones themselves, the new ones by their depth.
    let fit = |style: SignStyle| {
        let fits = |line: &&&str| {
            let text = style.text(line).unwrap_or_default();
            let is_old = line.starts_with('-');
            if is_old { lines.contains(text.trim_end()) } else { depths.contains(indent_of(&text)) }
        };
        signed.iter().filter(fits).count()
    };
    // How many of the new lines begin where the line without a sign above them does, or else that below.
    let beside = |style: SignStyle| {
        let shown: Vec<&str> = content.lines().filter(|line| !line.trim().is_empty()).collect();
        let count = |at: usize| {
            let text = style.text(shown[at]).unwrap_or_default();
            let is_as = |line: Option<&&str>| line.is_some_and(|line| indent_of(line) == indent_of(&text));
            // What opens a block says nothing of the depth in it.
            let opens = |line: &&&str| line.trim_end().ends_with(['{', '(', '[', ':']);
            let above = shown[..at].iter().rev().find(|line| !is_signed(line)).filter(|line| !opens(line));
            let below = shown[at..].iter().find(|line| !is_signed(line));
            2 * usize::from(is_as(above)) + usize::from(is_as(below))
        };
        let is_new = |at: &usize| shown[*at].starts_with('+') && is_signed(&shown[*at]);
        (0..shown.len()).filter(is_new).map(count).sum::<usize>()
    };
    let styles = [SignStyle::BeforeLine, SignStyle::BeforeBlank, SignStyle::InBlank];
    let is_possible = |style: &SignStyle| signed.iter().all(|line| style.text(line).is_some());
    let style =
        styles.into_iter().filter(is_possible).rev().max_by_key(|style| (fit(*style), beside(*style)))?;
    let (mut shown, mut known) = (0, 0);
    let mut hunks = vec![(String::new(), false)];
    let mut code =
        SignedCode { diff: String::new(), new: String::new(), removed: Vec::new(), added: Vec::new() };
    for line in content.lines() {
        if !is_signed(&line) {
            let is_known = has.contains(line.trim());
            let is_marker = !is_known && clada_dialects::elision(line.trim()).is_some();
            if !is_marker && line.chars().any(char::is_alphanumeric) {
                (shown, known) = (shown + 1, known + usize::from(is_known));
            }
            match hunks.last_mut() {
                Some((hunk, _)) if !is_marker => hunk.push_str(&format!(" {line}\n")),
                _ => hunks.push((String::new(), false)),
            }
            code.new.push_str(line);
            code.new.push('\n');
            continue;
        }
        let text = style.text(line)?;
        if let Some((hunk, has_change)) = hunks.last_mut() {
            hunk.push_str(&format!("{}{text}\n", &line[..1]));
            *has_change = true;
        }
        if line.starts_with('+') {
            code.new.push_str(&text);
            code.new.push('\n');
            code.added.push(text);
        } else if has.contains(text.trim()) {
            code.removed.push(text);
        } else {
            return None;
        }
    }
    hunks.retain(|(_, has_change)| *has_change);
    code.diff = hunks.into_iter().map(|(hunk, _)| hunk).collect::<Vec<_>>().join("@@\n");
    // The file says nothing of lines that are all new, or of those of another one.
    let is_of_file = if shown == 0 { !code.removed.is_empty() } else { 2 * known >= shown };
    // A file with tabs got blanks on its way: with the signs, nothing says how many.
    let is_indented = |text: &String| text.starts_with("  ") && !depths.contains("  ");
    let has_tabs = depths.iter().any(|depth| depth.starts_with('\t'));
    let lost_tabs = has_tabs && !depths.iter().any(|depth| depth.starts_with("  "));
    (is_of_file && !(lost_tabs && code.added.iter().any(is_indented))).then_some(code)
}

// Returns true if the indented lines without a sign of `content` stand in `file` just so, and not with one blank less.
pub(super) fn has_unshifted_context(file: &str, content: &str) -> bool {
    let has: HashSet<&str> = file.lines().map(str::trim_end).collect();
    let mut context = content
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.starts_with(['+', '-', '@']))
        .peekable();
    context.peek().is_some()
        && context
            .all(|line| has.contains(line) && line.strip_prefix(' ').is_none_or(|rest| !has.contains(rest)))
        && content.lines().any(|line| line.starts_with(' '))
}

impl PlainEdit<'_> {
    // Makes the change of `code`: at the one place of its lines, or as a part, if just the lines with signs change.
    pub(super) fn signed(&self, file: &str, code: &SignedCode) -> EditOutcome {
        let refusal = match (PlainEdit { content: &code.diff, ..*self }).diff(file) {
            EditOutcome::Refused(reason) => reason,
            done => return done,
        };
        match (PlainEdit { content: &code.new, ..*self }).part(file) {
            EditOutcome::Changed(changed) if code.is_made(file, &changed.text) => {
                let form = clada_protocol::ProposalForm::Replacement;
                EditOutcome::Changed(EditedText { form, is_by_structure: true, ..changed })
            }
            _ => EditOutcome::Refused(refusal),
        }
    }
}

impl SignedCode {
    // Returns true if `old` and `new` differ in the lines with signs alone.
    fn is_made(&self, old: &str, new: &str) -> bool {
        let mut counts: HashMap<&str, i32> = HashMap::new();
        let sides: [(i32, Vec<&str>); 4] = [
            (1, old.lines().collect()),
            (-1, new.lines().collect()),
            (1, self.added.iter().map(String::as_str).collect()),
            (-1, self.removed.iter().map(String::as_str).collect()),
        ];
        for (by, lines) in sides {
            for line in lines.into_iter().map(str::trim).filter(|line| !line.is_empty()) {
                *counts.entry(line).or_default() += by;
            }
        }
        counts.values().all(|count| *count == 0)
    }
}
