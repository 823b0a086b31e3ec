//! The hunks of a change as old and new lines, with the requested amount of context.

use std::ops::Range;

/// Lines of the old file, and the lines of the new one in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    /// The changed lines in it, in the same numbers.
    pub(crate) changes: Vec<(Range<usize>, Range<usize>)>,
}

/// The lines of `text`, without their ends.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_terminator('\n').collect()
}

/// Returns the lines that git's `diff` changes, each run of removed and added lines by itself.
pub(crate) fn changes(diff: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut all: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut old, mut new, mut in_hunk) = (0, 0, false);
    for line in diff.split('\n') {
        if let Some(header) = line.strip_prefix("@@ -") {
            let start = |text: &str, count_of: &str| {
                let (line, count) = text.split_once(',').unwrap_or((text, "1"));
                let line: usize = line.parse().unwrap_or_else(|_| panic!("{count_of}: {header}"));
                // Of no lines the line before them is named.
                if count == "0" { line } else { line - 1 }
            };
            let mut words = header.split(' ');
            old = start(words.next().expect("lines"), "old");
            new = start(words.next().expect("lines").trim_start_matches('+'), "new");
            in_hunk = true;
            continue;
        }
        let joins = |all: &[(Range<usize>, Range<usize>)]| {
            all.last().is_some_and(|(before, after)| before.end == old && after.end == new)
        };
        match line.as_bytes().first() {
            Some(b'-' | b'+') if in_hunk => {
                if !joins(&all) {
                    all.push((old..old, new..new));
                }
                let last = all.last_mut().expect("one is there");
                if line.starts_with('-') {
                    old += 1;
                    last.0.end = old;
                } else {
                    new += 1;
                    last.1.end = new;
                }
            }
            Some(b' ') if in_hunk => (old, new) = (old + 1, new + 1),
            _ => {}
        }
    }
    all
}

/// Hunks of `changes` in files of so many lines, with `context` lines around each change; those that touch
/// are one.
pub(crate) fn hunks(
    changes: &[(Range<usize>, Range<usize>)],
    (old_lines, new_lines): (usize, usize),
    context: usize,
) -> Vec<Hunk> {
    let mut all: Vec<Hunk> = Vec::new();
    for (old, new) in changes {
        // Fewer lines may be above in the new file, if some of them went.
        let above = context.min(old.start).min(new.start);
        let below = context.min(old_lines - old.end).min(new_lines - new.end);
        let hunk = Hunk {
            old: old.start - above..old.end + below,
            new: new.start - above..new.end + below,
            changes: vec![(old.clone(), new.clone())],
        };
        push(&mut all, hunk);
    }
    all
}

/// The same, each with more context until its old lines occur once in `old`, as authors of blocks are
/// instructed to do.
pub(crate) fn telling(mut hunks: Vec<Hunk>, old: &[&str], new: &[&str]) -> Vec<Hunk> {
    loop {
        let mut grown: Vec<Hunk> = Vec::new();
        let mut grew = false;
        for mut hunk in hunks {
            let asked = &old[hunk.old.clone()];
            let is_once =
                !asked.is_empty() && old.windows(asked.len()).filter(|lines| *lines == asked).count() == 1;
            if !is_once && hunk.old != (0..old.len()) {
                let above = usize::from(hunk.old.start > 0 && hunk.new.start > 0);
                let below = usize::from(hunk.old.end < old.len() && hunk.new.end < new.len());
                hunk.old = hunk.old.start - above..hunk.old.end + below;
                hunk.new = hunk.new.start - above..hunk.new.end + below;
                grew |= above + below > 0;
            }
            push(&mut grown, hunk);
        }
        if !grew {
            return grown;
        }
        hunks = grown;
    }
}

/// Adds `hunk`, which becomes one with the last of `all` if they touch.
fn push(all: &mut Vec<Hunk>, hunk: Hunk) {
    match all.last_mut().filter(|last| last.old.end >= hunk.old.start) {
        Some(last) => {
            (last.old.end, last.new.end) = (last.old.end.max(hunk.old.end), last.new.end.max(hunk.new.end));
            last.changes.extend(hunk.changes);
        }
        None => all.push(hunk),
    }
}

impl Hunk {
    /// Returns its lines with their signs, as a diff has them.
    pub(crate) fn signed(&self, old: &[&str], new: &[&str]) -> String {
        let mut text = String::new();
        let mut add = |sign: char, lines: &[&str]| {
            for line in lines {
                text.extend([&sign.to_string(), *line, "\n"]);
            }
        };
        let mut from = self.old.start;
        for (gone, come) in &self.changes {
            add(' ', &old[from..gone.start]);
            add('-', &old[gone.clone()]);
            add('+', &new[come.clone()]);
            from = gone.end;
        }
        add(' ', &old[from..self.old.end]);
        text
    }
}
