//! The arguments of `find` and `grep`, as data. Paths and globs are as written.

/// The arguments of `find`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// The paths; the folder of the command if there are none.
    pub paths: Vec<String>,
    /// The least depth of a path that is tested (`-mindepth`).
    pub least_depth: usize,
    /// The greatest depth (`-maxdepth`).
    pub most_depth: Option<usize>,
    /// The test of each path.
    pub test: Test,
}

/// A test of a path, or an action on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// All of these hold; true if there are none.
    All(Vec<Test>),
    /// One of these holds.
    Any(Vec<Test>),
    /// The test does not hold.
    Not(Box<Test>),
    /// The name matches a glob.
    Name {
        /// The glob.
        glob: String,
        /// True if the case of letters does not matter.
        any_case: bool,
    },
    /// The whole path matches a glob, in which stars match slashes too.
    Path {
        /// The glob.
        glob: String,
        /// True if the case of letters does not matter.
        any_case: bool,
    },
    /// The type is one of these: `f`, `d`, `l`, `p`, `s`, `b`, `c`.
    Type(Vec<char>),
    /// The file has no bytes, or the folder has no entries.
    Empty,
    /// The size, in units and rounded up, compares so.
    Size {
        /// The comparison.
        than: Comparison,
        /// Bytes in a unit.
        unit: u64,
    },
    /// The age of the last change, in whole days, compares so.
    ChangedDays(Comparison),
    /// The last change is later than that of this file.
    NewerThan(String),
    /// Prints the path (`-print`, `-print0`), and holds. If no action prints, `find` prints the paths for
    /// which the test holds.
    Print(Ending),
    /// Skips the content of the folder (`-prune`), and holds.
    Prune,
}

/// The character that `find` prints after a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A line break.
    Line,
    /// A NUL.
    Nul,
}

/// A comparison with a number: `+N`, `-N` or `N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// More than.
    More(u64),
    /// Less than.
    Less(u64),
    /// Exactly.
    Just(u64),
}

/// The arguments of `grep`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grep {
    /// The patterns, one of which has to match.
    pub patterns: Vec<String>,
    /// The syntax of the patterns.
    pub syntax: Syntax,
    /// The paths. If there are none and it is recursive, the folder of the command.
    pub paths: Vec<String>,
    /// True if folders are searched with everything below (`-r`).
    pub recursive: bool,
    /// True if the case of letters does not matter (`-i`).
    pub any_case: bool,
    /// True if lines that do not match are meant (`-v`).
    pub invert: bool,
    /// The unit that a match has to fill (`-w`, `-x`).
    pub whole: MatchUnit,
    /// The form of the output.
    pub shown: Shown,
    /// True if each line has its number (`-n`).
    pub numbers: bool,
    /// True if each line has the name of its file; if not given, it depends on the paths (`-H`, `-h`).
    pub names: Option<bool>,
    /// True if files that cannot be read are not reported (`-s`).
    pub silent: bool,
    /// The most lines per file (`-m`).
    pub most: Option<u64>,
    /// The numbers of lines shown before and after a match (`-B`, `-A`, `-C`).
    pub context: (usize, usize),
    /// The treatment of a binary file.
    pub binary: Binary,
    /// The files that are read, in the order as written: the last selection that matches counts.
    pub files: Vec<Selection>,
    /// Globs of folders that are skipped (`--exclude-dir`).
    pub exclude_folders: Vec<String>,
}

/// The language of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// Basic regular expressions, in which `\|` and `\(` have a meaning.
    Basic,
    /// Extended ones (`-E`).
    Extended,
    /// Just text (`-F`).
    Text,
}

/// The unit that a match has to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchUnit {
    /// Any part of a line.
    Part,
    /// A word.
    Word,
    /// The line.
    Line,
}

/// The form of the output of `grep`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Matching lines.
    Lines,
    /// Only the matching parts (`-o`).
    Matches,
    /// The number of lines in each file (`-c`).
    Count,
    /// Files with such a line (`-l`).
    Files,
    /// Files without one (`-L`).
    FilesWithout,
    /// Nothing but the status (`-q`).
    Nothing,
}

/// A rule for the files that `grep` reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Reads files whose names match a glob (`--include`).
    Include(String),
    /// Leaves out files whose names match a glob (`--exclude`).
    Exclude(String),
}

/// The treatment by `grep` of a file that holds NULs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// A match is reported, its lines are not shown.
    Reported,
    /// The file has no lines (`-I`).
    PassedOver,
    /// The file is text like any other (`-a`).
    Text,
}
