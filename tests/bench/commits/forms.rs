//! The forms in which a change is written as an answer.

use crate::history::Change;
use crate::lines::{Hunk, changes, hunks, lines, telling};

/// Lines of context.
const CONTEXT: usize = 3;
/// Characters of a line that may be a marker.
const MARKER: usize = 5;

/// The form in which a change is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// As git's diff.
    Diff,
    /// As SEARCH/REPLACE blocks whose old lines occur once in the file.
    Blocks,
    /// As a patch of apply_patch whose hunks' old lines occur once.
    Patch,
    /// As a diff without line numbers.
    DiffWithoutNumbers,
    /// As a diff whose numbers are those of the new file, and whose counts are wrong.
    DiffByNewNumbers,
    /// As a diff whose numbers are off by a few lines, and whose counts are wrong.
    DiffNumbersOff,
    /// As blocks with three lines of context, however often these occur.
    ShortBlocks,
    /// As a patch with three lines of context.
    ShortPatch,
    /// As a patch with one line of context.
    ShorterPatch,
}

impl Form {
    pub(crate) const ALL: [Form; 9] = [
        Form::Diff,
        Form::Blocks,
        Form::Patch,
        Form::DiffWithoutNumbers,
        Form::DiffByNewNumbers,
        Form::DiffNumbersOff,
        Form::ShortBlocks,
        Form::ShortPatch,
        Form::ShorterPatch,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Diff => "diff",
            Form::Blocks => "blocks",
            Form::Patch => "patch",
            Form::DiffWithoutNumbers => "diff without numbers",
            Form::DiffByNewNumbers => "diff by new numbers, counts wrong",
            Form::DiffNumbersOff => "diff with numbers off, counts wrong",
            Form::ShortBlocks => "blocks, 3 lines of context",
            Form::ShortPatch => "patch, 3 lines of context",
            Form::ShorterPatch => "patch, 1 line of context",
        }
    }

    /// Returns true if it contains the whole change.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Form::Diff | Form::Blocks | Form::Patch)
    }

    /// Returns the answer that makes `change`; `None` if the form cannot express it.
    pub(crate) fn of(self, change: &Change) -> Option<String> {
        match self {
            Form::Diff => Some(format!("```diff\n{}```\n", change.diff)),
            Form::DiffWithoutNumbers => diff(change, |_| "@@ @@".to_owned()),
            Form::DiffByNewNumbers => diff(change, |hunk| header(hunk.new.start + 1)),
            Form::DiffNumbersOff => diff(change, |hunk| header(hunk.old.start + 4)),
            Form::Blocks => blocks(change, Context::Telling),
            Form::ShortBlocks => blocks(change, Context::Lines(CONTEXT)),
            Form::Patch => patch(change, Context::Telling),
            Form::ShortPatch => patch(change, Context::Lines(CONTEXT)),
            Form::ShorterPatch => patch(change, Context::Lines(1)),
        }
    }
}

/// The amount of context that hunks have.
#[derive(Clone, Copy)]
enum Context {
    Lines(usize),
    /// As much as it takes for their old lines to occur once in the file, three lines at least.
    Telling,
}

/// A header with a line and counts that are not right.
fn header(line: usize) -> String {
    format!("@@ -{line},99 +{line},99 @@")
}

/// A diff of a file that stays, each hunk with the header that `header` makes.
fn diff(change: &Change, header: impl Fn(&Hunk) -> String) -> Option<String> {
    let (old, new) = (lines(change.before.as_deref()?), lines(change.after.as_deref()?));
    if !says_all(change) || old.is_empty() {
        return None;
    }
    let path = &change.path;
    let mut text = format!("```diff\n--- a/{path}\n+++ b/{path}\n");
    for hunk in hunks(&changes(&change.diff), (old.len(), new.len()), CONTEXT) {
        text += &format!("{}\n{}", header(&hunk), hunk.signed(&old, &new));
    }
    Some(text + "```\n")
}

/// SEARCH/REPLACE blocks; none for a file that is deleted, or whose last line's end changes, which they
/// cannot express.
fn blocks(change: &Change, context: Context) -> Option<String> {
    let after = change.after.as_deref()?;
    let before = change.before.as_deref().unwrap_or_default();
    if !says_all(change) || change.before.as_deref() == Some("") {
        return None;
    }
    let (old, new) = (lines(before), lines(after));
    let fence = "`".repeat(3.max(1 + longest(change, '`')));
    // Markers that are content need a backslash before them, which is another edit.
    if ['<', '=', '>', '-', '+'].iter().any(|sign| longest(change, *sign) >= MARKER) {
        return None;
    }
    let [head, divider, tail] = ["<", "=", ">"].map(|sign| sign.repeat(7));
    let mut text = String::new();
    for hunk in made(change, (&old, &new), context) {
        let [search, replace] = [&old[hunk.old], &new[hunk.new]].map(|lines| match lines {
            [] => String::new(),
            lines => lines.join("\n") + "\n",
        });
        let path = &change.path;
        text += &format!(
            "{path}\n{fence}\n{head} SEARCH\n{search}{divider}\n{replace}{tail} REPLACE\n{fence}\n\n"
        );
    }
    Some(text)
}

/// A patch of apply_patch, which cannot express how the last line ends.
fn patch(change: &Change, context: Context) -> Option<String> {
    let path = &change.path;
    let body = match (&change.before, &change.after) {
        (None, Some(after)) if after.ends_with('\n') => {
            let added: String = lines(after).iter().map(|line| format!("+{line}\n")).collect();
            format!("*** Add File: {path}\n{added}")
        }
        (Some(_), None) => format!("*** Delete File: {path}\n"),
        (Some(before), Some(after)) if says_all(change) && !before.is_empty() => {
            let (old, new) = (lines(before), lines(after));
            let hunks = made(change, (&old, &new), context);
            let hunks = hunks.iter().map(|hunk| format!("@@\n{}", hunk.signed(&old, &new)));
            format!("*** Update File: {path}\n{}", hunks.collect::<String>())
        }
        _ => return None,
    };
    Some(format!("*** Begin Patch\n{body}*** End Patch\n"))
}

fn made(change: &Change, (old, new): (&[&str], &[&str]), context: Context) -> Vec<Hunk> {
    let (count, grows) = match context {
        Context::Lines(count) => (count, false),
        Context::Telling => (CONTEXT, true),
    };
    let hunks = hunks(&changes(&change.diff), (old.len(), new.len()), count);
    if grows { telling(hunks, old, new) } else { hunks }
}

/// Returns true if lines express the whole change: they do not express that of the last line's end.
fn says_all(change: &Change) -> bool {
    let ended = |text: &Option<String>| text.as_deref().is_none_or(|text| text.ends_with('\n'));
    ended(&change.before) && ended(&change.after)
}

/// The longest run of `sign` at the start of a line, but for blanks, of both texts.
fn longest(change: &Change, sign: char) -> usize {
    let texts = [&change.before, &change.after];
    let all = texts.into_iter().flatten().flat_map(|text| text.lines());
    all.map(|line| line.trim_start().chars().take_while(|other| *other == sign).count()).max().unwrap_or(0)
}
