//! The commands that the daemon carries out itself, inside the root, as data.
//!
//! Paths are as written; the code that carries a command out resolves them, from its folder.

use super::searches::{Find, Grep};

/// A command that needs no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuiltIn {
    /// Moves or renames.
    Mv(Transfer),
    /// Copies.
    Cp {
        /// The paths.
        transfer: Transfer,
        /// True if folders are copied too (`-r`).
        recursive: bool,
    },
    /// Deletes.
    Rm {
        /// The paths to delete.
        paths: Vec<String>,
        /// True if folders are deleted too (`-r`).
        recursive: bool,
        /// True if a missing path is not a failure (`-f`).
        force: bool,
    },
    /// Makes folders.
    Mkdir {
        /// The folders to make.
        paths: Vec<String>,
        /// True if parent folders are made too, and an existing folder is not a failure (`-p`).
        parents: bool,
    },
    /// Makes empty files, or sets the time of existing ones to now.
    Touch {
        /// The files.
        paths: Vec<String>,
        /// True if no file is made (`-c`).
        only_existing: bool,
    },
    /// A read-only command.
    ReadOnly(ReadOnlyBuiltIn),
}

/// The sources and the target of a command that moves or copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// The source paths; at least one.
    pub sources: Vec<String>,
    /// The target path: a folder if there are several sources.
    pub target: String,
    /// True if an existing file is replaced. The last of `-f` and `-n` counts.
    pub replace: bool,
}

/// A command that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOnlyBuiltIn {
    /// Prints the folder that the command runs in.
    Pwd,
    /// Prints the text of files.
    Cat {
        /// The files.
        paths: Vec<String>,
        /// True if each line has its number (`-n`).
        numbers: bool,
    },
    /// Prints the beginning of files.
    Head {
        /// The files.
        paths: Vec<String>,
        /// The part that is printed.
        part: Part,
    },
    /// Prints the end of files.
    Tail {
        /// The files.
        paths: Vec<String>,
        /// The part that is printed.
        part: Part,
    },
    /// Counts lines, words, bytes and characters.
    Wc {
        /// The files.
        paths: Vec<String>,
        /// The units to count, in the order in which they are shown.
        counts: Vec<Count>,
    },
    /// Lists folders.
    Ls(Ls),
    /// Lists folders with everything below.
    Tree(Tree),
    /// Finds paths that match.
    Find(Find),
    /// Finds lines that match.
    Grep(Grep),
    /// Prints the properties of files.
    Stat {
        /// The files.
        paths: Vec<String>,
        /// The properties to print of each (`-c`, `--printf`); all of them if no format is given.
        format: Option<Vec<Piece>>,
    },
    /// Prints paths with links and dots resolved.
    Realpath {
        /// The paths.
        paths: Vec<String>,
        /// The part that has to exist: all of it (`-e`), all but the last part, or nothing (`-m`).
        existing: Existing,
        /// The handling of links (`-s`: they are not followed).
        links: Links,
        /// The folder that paths are printed relative to (`--relative-to`).
        relative_to: Option<String>,
    },
}

/// The meaning of symbolic links in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are followed.
    Followed,
    /// They are names like any other.
    Names,
}

/// A piece of the output of `stat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Plain text.
    Text(String),
    /// A property, such as `%s`.
    Fact {
        /// Its letter.
        letter: char,
        /// The least number of characters.
        width: usize,
        /// The characters that fill it up.
        filling: Filling,
    },
}

/// The characters that fill a piece up to its width, and their side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// Blanks before it.
    Before,
    /// Blanks after it (`-`).
    Behind,
    /// Zeros before it (`0`).
    Zeros,
}

/// The part of a path that has to exist.
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
    /// This many lines.
    Lines(u64),
    /// This many bytes.
    Bytes(u64),
    /// `head -n -N`: all but the last lines; `tail -n +N`: all from that line on.
    LinesBut(u64),
    /// The same, in bytes.
    BytesBut(u64),
}

/// A unit that `wc` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Line breaks.
    Lines,
    /// Runs of characters between blanks.
    Words,
    /// Characters.
    Characters,
    /// Bytes.
    Bytes,
}

/// The arguments of `ls`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ls {
    /// The paths; the folder of the command if there are none.
    pub paths: Vec<String>,
    /// The names with a leading dot that are shown.
    pub hidden: Hidden,
    /// True if modes, sizes and times are shown (`-l`).
    pub long: bool,
    /// True if sizes are rounded to units (`-h`).
    pub human: bool,
    /// True if everything below is shown too (`-R`).
    pub recursive: bool,
    /// True if a folder itself is shown instead of its content (`-d`).
    pub itself: bool,
    /// True if names that are not files are followed by a mark (`-F`).
    pub classify: bool,
    /// The order of the names.
    pub order: LsOrder,
    /// True if the order is reversed (`-r`).
    pub reverse: bool,
}

/// The names with a leading dot that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// None.
    Omitted,
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

/// The arguments of `tree`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The paths; the folder of the command if there are none.
    pub paths: Vec<String>,
    /// True if names with a leading dot are shown (`-a`).
    pub hidden: bool,
    /// True if only folders are shown (`-d`).
    pub folders_only: bool,
    /// True if whole paths are shown (`-f`).
    pub whole_paths: bool,
    /// True if folders come before files (`--dirsfirst`).
    pub folders_first: bool,
    /// The greatest depth (`-L`).
    pub depth: Option<usize>,
    /// Globs of names that are left out (`-I`, several between `|`).
    pub without: Vec<String>,
    /// Globs of the only files that are shown (`-P`).
    pub only: Vec<String>,
}
