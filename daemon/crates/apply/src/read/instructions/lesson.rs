//! A dialect as it is taught, as data.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Actions {
    Usual,
    All,
}

pub(super) struct Lesson {
    /// The name of what is to be written, to stand behind "write".
    pub(super) opening: &'static str,
    /// Blocks, indented by four blanks.
    pub(super) examples: &'static str,
    /// The rules that hold in this dialect alone, one a line with a dash.
    pub(super) rules: &'static str,
    pub(super) actions: String,
}
