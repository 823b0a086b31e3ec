//! A dialect as it is taught, as data.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Actions {
    Usual,
    All,
}

// Whether a lesson has to say that a text which is looked for stands in the file exactly so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exact {
    Unsaid,
    /// Its rules say it.
    InRules,
    /// No text is looked for.
    None,
}

pub(super) struct Lesson {
    /// What is done with an edit: "write" or "show".
    pub(super) verb: &'static str,
    /// The name of what is to be written, to stand behind the verb.
    pub(super) opening: &'static str,
    /// Blocks, indented by four blanks.
    pub(super) examples: &'static str,
    /// The rules that hold in this dialect alone, one a line with a dash.
    pub(super) rules: &'static str,
    pub(super) exact: Exact,
    pub(super) actions: String,
}
