//! The lines before a file's hunks: the file, and the effect on it as a whole.
//!
//! Knows git's further lines and the two of plain diffs; nothing of hunks.

use super::name::{self, Name};
use crate::cursor::{Cursor, Line};
use crate::file_name::is_listed;
use crate::hunk;

pub(super) const GIT: &str = "diff --git ";
const EXTENDED_HEADER_WORDS: [&str; 13] = [
    "index ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary files ",
    "GIT binary patch",
];
const EXECUTABLE: &str = "100755";
const PLAIN: &str = "100644";

#[derive(Debug, Default)]
pub(super) struct Header<'a> {
    pub(super) git: Option<(Name<'a>, Name<'a>)>,
    pub(super) old: Option<Name<'a>>,
    pub(super) new: Option<Name<'a>>,
    pub(super) rename_from: Option<Name<'a>>,
    pub(super) rename_to: Option<Name<'a>>,
    pub(super) created: bool,
    pub(super) deleted: bool,
    pub(super) executable: Option<bool>,
    /// The first line that asks for an unsupported change, and the name of that change.
    pub(super) unsupported: Option<(Line<'a>, &'static str)>,
    pub(super) unreadable: Option<Line<'a>>,
    /// True if the time after the new name is that of no file: `diff -N` gives a file that is gone the epoch.
    pub(super) new_at_epoch: bool,
    /// True if a line `---` or `+++` was there, so that hunks may follow without a header of their own.
    pub(super) plain: bool,
}

impl<'a> Header<'a> {
    /// Reads `line`, if it belongs to the header. `text` is the line without the indentation of the block.
    pub(super) fn take(&mut self, line: &Line<'a>, text: &'a str) -> bool {
        let skipped = line.text.len() - text.len();
        if self.new.is_none() && self.old.is_none() && text.starts_with("--- ") {
            self.plain = true;
            self.old = self.name(line, skipped + 4);
            return true;
        }
        if self.new.is_none() && text.starts_with("+++ ") {
            self.plain = true;
            self.new = self.name(line, skipped + 4);
            self.new_at_epoch = name::is_at_epoch(text);
            return true;
        }
        if self.plain {
            return false;
        }
        if text.starts_with(GIT) {
            self.git = Name::pair(line, skipped + GIT.len());
            return true;
        }
        let Some(word) = EXTENDED_HEADER_WORDS.into_iter().find(|word| text.starts_with(word)) else {
            return false;
        };
        self.further(line, word, skipped + word.len());
        true
    }

    fn further(&mut self, line: &Line<'a>, word: &str, from: usize) {
        let mode = line.text[from..].trim();
        match word {
            "rename from " => self.rename_from = self.name(line, from),
            "rename to " => self.rename_to = self.name(line, from),
            "copy from " | "copy to " => self.refuse(line, "copies"),
            "Binary files " | "GIT binary patch" => self.refuse(line, "binary content"),
            "new file mode " => {
                self.created = true;
                self.mode(line, mode);
                self.executable = self.executable.filter(|executable| *executable);
            }
            "deleted file mode " => {
                self.deleted = true;
                self.mode(line, mode);
                self.executable = None;
            }
            "new mode " => self.mode(line, mode),
            "old mode " => {
                self.mode(line, mode);
                self.executable = None;
            }
            "index " => {
                let executable = self.executable;
                self.mode(line, mode.rsplit_once(' ').map_or(PLAIN, |(_, mode)| mode));
                self.executable = executable;
            }
            _ => {}
        }
    }

    fn mode(&mut self, line: &Line<'a>, mode: &str) {
        match mode {
            EXECUTABLE => self.executable = Some(true),
            PLAIN => self.executable = Some(false),
            "160000" => self.refuse(line, "submodules"),
            "120000" => self.refuse(line, "symbolic links"),
            _ => {}
        }
    }

    fn refuse(&mut self, line: &Line<'a>, what: &'static str) {
        self.unsupported.get_or_insert((*line, what));
    }

    fn name(&mut self, line: &Line<'a>, from: usize) -> Option<Name<'a>> {
        let name = Name::read(line, from);
        match &name {
            None => drop(self.unreadable.get_or_insert(*line)),
            // In the paths of answers it parts folders.
            Some(name) if name.is_quoted && name.text.contains('\\') => {
                self.refuse(line, "a name with a backslash");
            }
            Some(_) => {}
        }
        name
    }
}

/// The evidence that a header begins at a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// By git's line, or by names that only files have and a hunk.
    Sure,
    /// By the lines `---` and `+++` and a hunk; they may be the last two lines of the hunk before it.
    Likely,
    /// By the lines `---` and `+++` alone, with names that only files have.
    Names,
    // By the lines `---` and `+++` alone, whose words a hunk may hold as well.
    Words,
    /// By one of the two lines and the hunk after it; inside of a hunk it is one of its lines.
    Lone,
}

impl Start {
    // Returns true if only files have such names.
    pub(super) fn is_sure(self) -> bool {
        matches!(self, Start::Sure | Start::Names)
    }
}

/// The name in `text` if that is the header of a file but for its sign: ` +++ b/a.py`, `++ b/a.py`,
/// `-- a/a.py`.
pub(super) fn almost(text: &str) -> Option<&str> {
    let bare = text.trim_start();
    if let Some(names) = bare.strip_prefix(GIT) {
        return names.split_whitespace().last()?.strip_prefix("b/").filter(|path| is_listed(path));
    }
    let rest = bare.trim_start_matches(['+', '-']);
    let name = rest.strip_prefix([' ', '\t'])?.split('\t').next()?.trim();
    let marked = (2..=4).contains(&(bare.len() - rest.len()));
    let path = ["a/", "b/"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    (marked && is_listed(path) && !path.contains(char::is_whitespace)).then_some(path)
}

/// Returns the evidence that the header of a file begins at the line whose part after the indentation is
/// `text`; `after` follows the line.
pub(super) fn starts(text: &str, after: &Cursor<'_>, indentation: &str) -> Option<Start> {
    if !matches!(text.as_bytes().first(), Some(b'd' | b'-' | b'+')) {
        return None;
    }
    let mut ahead = after.clone();
    let mut next = || ahead.next_line().and_then(|line| line.text.strip_prefix(indentation));
    if text.starts_with(GIT) {
        // Models leave out the two lines that name the file once more.
        let known = |next: &str| {
            next.starts_with("--- ")
                || next.starts_with("@@")
                || EXTENDED_HEADER_WORDS.iter().any(|word| next.starts_with(word))
        };
        return next().is_some_and(known).then_some(Start::Sure);
    }
    let named = |rest: &str| !rest.trim().is_empty();
    if text.strip_prefix("--- ").is_some_and(named) {
        let second = next()?;
        if second.starts_with("@@") {
            return (!is_log(&text[4..], second)).then_some(Start::Lone);
        }
        let new = second.strip_prefix("+++ ").filter(|rest| named(rest))?;
        // "--- original", "+++ modified" call the two sides, and name no file.
        if hunk::are_sides(&text[4..], new) {
            return None;
        }
        let third = next().unwrap_or_default();
        // Programs print such lines as headings, too: words that are no path, above a line that is no hunk.
        let sure = name::are_surely_of_one_file(text, second);
        if third.starts_with("@@") {
            if !sure && is_log(&text[4..], third) && is_log(&second[4..], third) {
                return None;
            }
            return Some(if sure { Start::Sure } else { Start::Likely });
        }
        // Code that is no diff goes on below.
        let ends = third.trim().is_empty() || third.starts_with(['`', '~']) || text.contains(['/', '.']);
        let is_file = || ends && name::are_of_one_file(text, second);
        let shown = third.starts_with(['+', '-', ' ']) || is_file();
        return shown.then_some(if sure { Start::Names } else { Start::Words });
    }
    let alone = text.strip_prefix("+++ ").is_some_and(|rest| named(rest) && !hunk::is_side(rest));
    let hunk = alone.then(next)??;
    (hunk.starts_with("@@") && !is_log(&text[4..], hunk)).then_some(Start::Lone)
}

// Returns true if the name in `text`, the line `---` or `+++` of a header, has several words, as few files have.
pub(super) fn has_words(text: &str) -> bool {
    text.split('\t').next().is_some_and(|name| name[4..].trim().contains(' '))
}

// Returns true if `name`, before the line `hunk`, is output of a program: words that are not a path, and no
// numbers or bare `@@` below.
fn is_log(name: &str, hunk: &str) -> bool {
    let is_hunk = hunk.starts_with("@@ -") || hunk.trim_end() == "@@";
    !is_hunk && name.trim().contains(' ') && !name.contains('/')
}
