//! The commands that the daemon carries out itself, inside the root, as data.
//!
//! Paths are as written: whoever carries a command out resolves them, from its folder.

/// A command that needs no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuiltIn {
    /// Moves or renames.
    Mv(Transfer),
    /// Copies.
    Cp {
        /// What, and whereto.
        transfer: Transfer,
        /// Folders too.
        recursive: bool,
    },
    /// Deletes.
    Rm {
        /// What.
        paths: Vec<String>,
        /// Folders too.
        recursive: bool,
        /// What is not there is no failure.
        force: bool,
    },
    /// Makes folders.
    Mkdir {
        /// Which.
        paths: Vec<String>,
        /// With those above, and it is no failure if it is there.
        parents: bool,
    },
    /// Makes empty files, or gives files the time of now.
    Touch {
        /// Which.
        paths: Vec<String>,
        /// Makes none.
        only_existing: bool,
    },
    /// A command that only looks.
    Look(Look),
}

/// From where to where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// What; at least one.
    pub sources: Vec<String>,
    /// Whereto: a folder if there are several sources.
    pub target: String,
    /// Whether a file that stands there is replaced. The last of `-f` and `-n` counts.
    pub replace: bool,
}

/// A command that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// The folder that the command runs in.
    Pwd,
    /// The text of files.
    Cat {
        /// Which.
        paths: Vec<String>,
        /// With the number of each line.
        numbers: bool,
    },
    /// The beginning of files.
    Head {
        /// Which.
        paths: Vec<String>,
        /// How much.
        part: Part,
    },
    /// The end of files.
    Tail {
        /// Which.
        paths: Vec<String>,
        /// How much.
        part: Part,
    },
    /// How many lines, words, bytes, characters.
    Wc {
        /// In which files.
        paths: Vec<String>,
        /// What is counted, in the order in which it is shown.
        counts: Vec<Count>,
    },
    /// What is in folders.
    Ls(Ls),
    /// What is in folders, with all below.
    Tree(Tree),
    /// Paths that fit.
    Find(Find),
    /// Lines that fit.
    Grep(Grep),
    /// What is known about files.
    Stat {
        /// Which.
        paths: Vec<String>,
    },
    /// Paths without links and dots.
    Realpath {
        /// Which.
        paths: Vec<String>,
        /// Whether all of it has to be there (`-e`), all but the last part, or nothing (`-m`).
        existing: Existing,
    },
}

/// How much of a path has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// All of it.
    All,
    /// All but the last part.
    Parent,
    /// Nothing.
    Nothing,
}

/// A part of a file, from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// So many lines.
    Lines(u64),
    /// So many bytes.
    Bytes(u64),
    /// `head -n -N`: all but the last lines; `tail -n +N`: all from that line on.
    LinesBut(u64),
    /// The same with bytes.
    BytesBut(u64),
}

/// What `wc` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Line breaks.
    Lines,
    /// What is between blanks.
    Words,
    /// Characters.
    Characters,
    /// Bytes.
    Bytes,
}

/// What `ls` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ls {
    /// Of which; the folder of the command if there are none.
    pub paths: Vec<String>,
    /// Names that begin with a dot.
    pub hidden: Hidden,
    /// Modes, sizes and times (`-l`).
    pub long: bool,
    /// Sizes for people (`-h`).
    pub human: bool,
    /// With all below (`-R`).
    pub recursive: bool,
    /// A folder itself instead of what is in it (`-d`).
    pub itself: bool,
    /// A mark behind names that are not files (`-F`).
    pub classify: bool,
    /// In which order.
    pub order: LsOrder,
    /// The other way around (`-r`).
    pub reverse: bool,
}

/// Which names that begin with a dot are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// None.
    Left,
    /// All but `.` and `..` (`-A`).
    Almost,
    /// All (`-a`).
    All,
}

/// The order of `ls`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LsOrder {
    /// By name.
    Name,
    /// The latest first (`-t`).
    Time,
    /// The largest first (`-S`).
    Size,
}

/// What `tree` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Of which; the folder of the command if there are none.
    pub paths: Vec<String>,
    /// Names that begin with a dot (`-a`).
    pub hidden: bool,
    /// Folders only (`-d`).
    pub folders_only: bool,
    /// Whole paths (`-f`).
    pub whole_paths: bool,
    /// Folders before files (`--dirsfirst`).
    pub folders_first: bool,
    /// How deep (`-L`).
    pub depth: Option<usize>,
    /// Globs of names that are left out (`-I`, parts of it between `|`).
    pub without: Vec<String>,
    /// Globs of the only files that are shown (`-P`).
    pub only: Vec<String>,
}

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
    /// It is one of these: `f`, `d`, `l`.
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
    /// Globs of the only files that are read (`--include`).
    pub include: Vec<String>,
    /// Globs of files that are not (`--exclude`).
    pub exclude: Vec<String>,
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
