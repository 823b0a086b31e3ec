//! The commands that the daemon carries out itself, inside the root, as data.
//!
//! Paths are as written: whoever carries a command out resolves them, from its folder.

use super::searches::{Find, Grep};

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
        /// What is told of each (`-c`, `--printf`); all that is known if it is not said.
        format: Option<Vec<Piece>>,
    },
    /// Paths without links and dots.
    Realpath {
        /// Which.
        paths: Vec<String>,
        /// Whether all of it has to be there (`-e`), all but the last part, or nothing (`-m`).
        existing: Existing,
        /// Whether links are followed (`-s`: they are not).
        links: Links,
        /// The folder from which the way is told (`--relative-to`).
        relative_to: Option<String>,
    },
}

/// What symbolic links mean to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are followed.
    Followed,
    /// They are names like any other.
    Names,
}

/// A piece of what `stat` tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Just text.
    Text(String),
    /// A fact, such as `%s`.
    Fact {
        /// Its letter.
        letter: char,
        /// At least so many characters.
        width: usize,
        /// What fills them up.
        filling: Filling,
    },
}

/// Where a piece is filled up to its width, and with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// Blanks before it.
    Before,
    /// Blanks behind it (`-`).
    Behind,
    /// Zeros before it (`0`).
    Zeros,
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
