//! What `find` and `grep` look for, as data. Paths and globs are as written.

/// What `find` looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// Where; the folder of the command if there are none.
    pub paths: Vec<String>,
    /// Not above this depth (`-mindepth`).
    pub least_depth: usize,
    /// Not below this depth (`-maxdepth`).
    pub most_depth: Option<usize>,
    /// What has to hold.
    pub test: Test,
}

/// What has to hold for a path that `find` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// All of them; nothing has to hold if there are none.
    All(Vec<Test>),
    /// One of them.
    Any(Vec<Test>),
    /// It must not hold.
    Not(Box<Test>),
    /// The name fits a glob.
    Name {
        /// The glob.
        glob: String,
        /// Whatever the letters' case.
        any_case: bool,
    },
    /// The whole path fits a glob, of which stars match slashes too.
    Path {
        /// The glob.
        glob: String,
        /// Whatever the letters' case.
        any_case: bool,
    },
    /// It is one of these: `f`, `d`, `l`, `p`, `s`, `b`, `c`.
    Type(Vec<char>),
    /// A file of no bytes, or a folder with nothing in it.
    Empty,
    /// How large, counted in units and rounded up.
    Size {
        /// More, less, or just so many.
        than: Comparison,
        /// Bytes in a unit.
        unit: u64,
    },
    /// How many whole days ago it was changed.
    ChangedDays(Comparison),
    /// Changed later than this file.
    NewerThan(String),
    /// Shows the path (`-print`, `-print0`), and holds. Where none is written, what holds is shown.
    Print(Ending),
    /// Does not go into the folder (`-prune`), and holds.
    Prune,
}

/// What `find` writes behind a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A line break.
    Line,
    /// A NUL.
    Nul,
}

/// `+N`, `-N` or `N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// More than.
    More(u64),
    /// Less than.
    Less(u64),
    /// Exactly.
    Just(u64),
}

/// What `grep` looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grep {
    /// Any of these.
    pub patterns: Vec<String>,
    /// What the patterns are.
    pub syntax: Syntax,
    /// Where; the folder of the command if there are none and it goes below.
    pub paths: Vec<String>,
    /// Folders with all below (`-r`).
    pub recursive: bool,
    /// Whatever the letters' case (`-i`).
    pub any_case: bool,
    /// Lines that do not fit (`-v`).
    pub invert: bool,
    /// What fits has to be a whole word or line (`-w`, `-x`).
    pub whole: Whole,
    /// What is shown.
    pub shown: Shown,
    /// With the number of each line (`-n`).
    pub numbers: bool,
    /// With the name of the file; as it seems useful if nothing is said (`-H`, `-h`).
    pub names: Option<bool>,
    /// No word about files that cannot be read (`-s`).
    pub silent: bool,
    /// At most so many lines a file (`-m`).
    pub most: Option<u64>,
    /// Lines shown before and after (`-B`, `-A`, `-C`).
    pub context: (usize, usize),
    /// What is done with a binary file.
    pub binary: Binary,
    /// Which files are read, in the order in which it is written: the last that fits counts.
    pub files: Vec<Selection>,
    /// Globs of folders that are not gone into (`--exclude-dir`).
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

/// What has to fit as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Any part of a line.
    Part,
    /// A word.
    Word,
    /// The line.
    Line,
}

/// What `grep` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Lines.
    Lines,
    /// Only what fits (`-o`).
    Matches,
    /// How many lines a file (`-c`).
    Count,
    /// Files with such a line (`-l`).
    Files,
    /// Files without one (`-L`).
    FilesWithout,
    /// Nothing but the status (`-q`).
    Nothing,
}

/// Files that `grep` reads, or does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Files whose names fit a glob (`--include`).
    Include(String),
    /// The others (`--exclude`).
    Exclude(String),
}

/// What `grep` does with a file that holds NULs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// That it fits is told, its lines are not.
    Told,
    /// It has no lines (`-I`).
    PassedOver,
    /// As with any other (`-a`).
    Text,
}
