//! Notes: the changes of a merge, unit by unit.

use std::fmt;
use std::ops::Range;

/// A change at one place of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The kind of change.
    pub kind: NoteKind,
    /// The name of the unit, or its first line.
    pub unit: String,
    /// The lines of the file before the merge that change or go, from 0. Empty where nothing goes.
    pub lines: Range<usize>,
    /// True if the part does not say this, and the merge assumes it.
    pub is_guess: bool,
}

/// A kind of change to a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// Lines of it change.
    Changed,
    /// The part's unit takes its place; so many of its lines differ or go.
    Replaced {
        /// The number of lines of the file's unit that are not in the part's.
        lost: usize,
    },
    /// Lines go, and nothing takes their place.
    Removed {
        /// The number of lines that are not blank.
        count: usize,
        /// True if the answer says so.
        is_mentioned: bool,
    },
    /// It goes with the lines that used it: nothing does any more.
    Unused,
    /// It is new.
    Inserted(Position),
    /// The part does not show it, and it stays.
    Stays {
        /// The number of units.
        count: usize,
    },
    /// The part has it in another form: taken for the file's.
    Renamed {
        /// The line of the file.
        from: String,
    },
    /// There are several like it: the one that resembles the part's most.
    Chosen {
        /// The number of those.
        count: usize,
    },
    /// The answer says to remove it, and it is still there.
    NotRemoved,
}

/// The place of a new unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// Behind the unit or line of this name.
    After(String),
    /// In front of it.
    Before(String),
    /// At the end of the scope of this name; `None` is the file.
    EndOf(Option<String>),
    /// At the top of the file.
    Top,
}

impl Note {
    pub(crate) fn new(kind: NoteKind, unit: impl Into<String>, lines: Range<usize>) -> Note {
        Note { kind, unit: unit.into(), lines, is_guess: false }
    }

    /// Moves it down by `lines`, from a stretch of a file to the file.
    pub(crate) fn below(self, lines: usize) -> Note {
        Note { lines: self.lines.start + lines..self.lines.end + lines, ..self }
    }

    pub(crate) fn guess(self) -> Note {
        Note { is_guess: true, ..self }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = &self.unit;
        match &self.kind {
            NoteKind::Changed => write!(f, "changed {} from `{unit}`", CountedLines(&self.lines)),
            NoteKind::Replaced { lost: 0 } => write!(f, "replaced `{unit}`"),
            NoteKind::Replaced { lost: 1 } => write!(f, "replaced `{unit}`; 1 line differs or goes"),
            NoteKind::Replaced { lost } => write!(f, "replaced `{unit}`; {} differ or go", Count(*lost)),
            NoteKind::Removed { is_mentioned: true, .. } => write!(f, "removed `{unit}`"),
            NoteKind::Removed { count, .. } => {
                write!(f, "removes {} the answer does not mention, from `{unit}`", Count(*count))
            }
            NoteKind::Unused => write!(f, "removes `{unit}`, which nothing uses any more"),
            NoteKind::Inserted(position) => write!(f, "inserted `{unit}` {position}"),
            NoteKind::Stays { count: 1 } => write!(f, "kept `{unit}`, which the part does not show"),
            NoteKind::Stays { count } => {
                write!(f, "kept `{unit}` and {} more, which the part does not show", count - 1)
            }
            NoteKind::Renamed { from } => write!(f, "took `{from}` as the old form of `{unit}`"),
            NoteKind::Chosen { count } => write!(f, "took one of {count} places like `{unit}`"),
            NoteKind::NotRemoved => write!(f, "`{unit}` is still there, though the answer removes it"),
        }?;
        if self.is_guess { f.write_str(": a guess") } else { Ok(()) }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::After(unit) => write!(f, "after `{unit}`"),
            Position::Before(unit) => write!(f, "before `{unit}`"),
            Position::EndOf(Some(scope)) => write!(f, "at the end of `{scope}`"),
            Position::EndOf(None) => f.write_str("at the end of the file"),
            Position::Top => f.write_str("at the top"),
        }
    }
}

/// A number of lines in words.
struct Count(usize);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 line"),
            count => write!(f, "{count} lines"),
        }
    }
}

struct CountedLines<'a>(&'a Range<usize>);

impl fmt::Display for CountedLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0 | 1 => write!(f, "line {}", self.0.start + 1),
            _ => write!(f, "lines {}–{}", self.0.start + 1, self.0.end),
        }
    }
}
