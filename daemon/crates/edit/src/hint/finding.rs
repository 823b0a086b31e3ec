//! A hint: what it reports, and its words.

/// The finding that a hint reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// The most similar place.
    Nearest,
    /// The new text is in the file already, and the old text is not.
    AlreadyInFile,
    /// The old text would match if line ends, blanks, letter case or look-alike characters were ignored.
    AlmostEqual,
    /// The places of several matches.
    Places,
    /// Nothing in the file is similar.
    Nothing,
}

/// A hint for the model that wrote a failed edit: the place where the edit should have gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The finding.
    pub kind: HintKind,
    /// The words: less than 40 lines and 8 kB, no newline at the end.
    pub text: String,
    /// The first and last line, 1-based, that it is about, if it is about some.
    pub lines: Option<(usize, usize)>,
    /// The similarity of these lines to what was asked, in percent, if it was measured.
    pub similarity: Option<u8>,
}
