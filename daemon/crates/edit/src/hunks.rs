//! A change of a text in hunks, each of which can be accepted alone.
//!
//! It must not know files. Lines here end at LF only, as in git; a CR before it belongs to the line.

use std::ops::Range;

use super::changes::{Change, changes};

const CONTEXT: usize = 3;

/// A part of a change, surrounded by lines that stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextHunk {
    /// The lines of the old text from its first to its last change, 0-based, context around it not included.
    pub(crate) old_range: Range<usize>,
    /// The lines of the new text that replace them.
    pub(crate) new_range: Range<usize>,
    /// The changes that it is made of.
    pub changes: Vec<Change>,
    /// As in a unified diff, with its `@@` line and three lines of context; ends with a newline.
    pub diff: String,
}

/// The change from `old` to `new`, in order; none if they are equal.
///
/// Changes with no more than six lines between them share a hunk, as in git.
#[must_use]
pub fn hunks(old: &str, new: &str) -> Vec<TextHunk> {
    let (old, new) = (lines(old), lines(new));
    let changes = changes(&old, &new);
    changes.chunk_by(near).map(|group| hunk(&old, &new, group)).collect()
}

/// The changes of each of the [`hunks`] from `old` to `new`, without their text.
#[must_use]
pub fn hunk_changes(old: &str, new: &str) -> Vec<Vec<Change>> {
    changes(&lines(old), &lines(new)).chunk_by(near).map(<[Change]>::to_vec).collect()
}

fn near(one: &Change, next: &Change) -> bool {
    next.old.start - one.old.end <= 2 * CONTEXT
}

/// `old` with those of `hunks` (which must be of these two texts) for whose index `accepted` is true.
///
/// All of them give `new`, none of them `old`.
#[must_use]
pub fn apply_hunks(old: &str, new: &str, hunks: &[TextHunk], accepted: impl Fn(usize) -> bool) -> String {
    let (old, new) = (lines(old), lines(new));
    let mut out = String::new();
    let mut at = 0;
    for (_, hunk) in hunks.iter().enumerate().filter(|(index, _)| accepted(*index)) {
        out.extend(old.get(at..hunk.old_range.start).into_iter().flatten().copied());
        out.extend(new.get(hunk.new_range.clone()).into_iter().flatten().copied());
        at = hunk.old_range.end;
    }
    out.extend(old.get(at..).into_iter().flatten().copied());
    out
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunk(old: &[&str], new: &[&str], group: &[Change]) -> TextHunk {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let before = first.old.start.min(CONTEXT);
    let after = (old.len() - last.old.end).min(CONTEXT);
    let mut diff = format!(
        "@@ -{} +{} @@\n",
        place(first.old.start - before..last.old.end + after),
        place(first.new.start - before..last.new.end + after)
    );
    let mut at = first.old.start - before;
    for change in group {
        old[at..change.old.start].iter().for_each(|line| push(&mut diff, ' ', line));
        old[change.old.clone()].iter().for_each(|line| push(&mut diff, '-', line));
        new[change.new.clone()].iter().for_each(|line| push(&mut diff, '+', line));
        at = change.old.end;
    }
    old[at..at + after].iter().for_each(|line| push(&mut diff, ' ', line));
    TextHunk {
        old_range: first.old.start..last.old.end,
        new_range: first.new.start..last.new.end,
        changes: group.to_vec(),
        diff,
    }
}

fn place(range: Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => (range.start + 1).to_string(),
        count => format!("{},{count}", range.start + 1),
    }
}

fn push(diff: &mut String, sign: char, line: &str) {
    diff.push(sign);
    diff.push_str(line);
    if !line.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hunks_are_those_of_git() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let new = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl";
        let found = hunks(old, new);
        assert_eq!(found[0].diff, "@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n");
        let last = "@@ -9,4 +9,4 @@\n i\n j\n k\n-l\n+l\n\\ No newline at end of file\n";
        assert_eq!(found[1].diff, last);
        assert_eq!((found[1].old_range.clone(), found.len()), (11..12, 2));
        assert_eq!(apply_hunks(old, new, &found, |index| index == 1), old.strip_suffix('\n').unwrap());
    }

    #[test]
    fn from_and_to_nothing() {
        assert_eq!(hunks("", "x\n")[0].diff, "@@ -0,0 +1 @@\n+x\n");
        assert_eq!(hunks("x\ny\n", "")[0].diff, "@@ -1,2 +0,0 @@\n-x\n-y\n");
        assert_eq!(hunks("x\n", "x\n"), []);
    }

    proptest! {
        #[test]
        fn all_gives_new_none_gives_old_and_each_is_a_line_of_either(
            old in "([abc]\r?\n){0,30}[ab]?",
            new in "([abc]\r?\n){0,30}[ab]?",
            choice in any::<u64>(),
        ) {
            let found = hunks(&old, &new);
            prop_assert_eq!(apply_hunks(&old, &new, &found, |_| true), new.clone());
            prop_assert_eq!(apply_hunks(&old, &new, &found, |_| false), old.clone());
            let some = |index: usize| choice >> (index % 64) & 1 == 1;
            let part = apply_hunks(&old, &new, &found, some);
            let known: Vec<&str> = lines(&old).into_iter().chain(lines(&new)).collect();
            prop_assert!(lines(&part).iter().all(|line| known.contains(line)));
        }

        #[test]
        fn foreign_hunks_do_not_panic(old in ".{0,20}", new in ".{0,20}", other in "(.{0,3}\n){0,9}") {
            let _ = apply_hunks(&old, &new, &hunks(&other, ""), |_| true);
            let _ = apply_hunks(&old, &new, &hunks("", &other), |_| true);
        }
    }
}
