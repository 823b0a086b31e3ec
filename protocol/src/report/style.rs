//! The style of a report, and words that reports share.

use std::collections::BTreeMap;

/// What became of what needs a user's approval and has none: for the report for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unapproved {
    /// The user hands the report on, and knows.
    #[default]
    OfUser,
    /// It is told to an agent, which can ask its user.
    OfAgent,
    /// The user was asked for the agent, and has said no.
    Declined,
    /// The user was asked for the agent, and has not answered in time.
    Unanswered,
}

/// The style of a report.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportStyle<'a> {
    /// Absolute path of the project: paths inside it are shown relative to it. Empty: all are shown whole.
    pub root: &'a str,
    /// The amount of text about what succeeded.
    pub verbosity: Verbosity,
    /// The amount of text about what failed.
    pub error_detail: ErrorDetail,
    /// The sentence that says how to approve what needs approving.
    pub how_to_approve: &'a str,
    /// The sentence that says how to apply proposals that are sure; `None`: a general one.
    pub how_to_plain: Option<&'a str>,
    /// The choice whether the report shows the output of commands.
    pub commands: CommandOutput,
    /// What became of what needs approval.
    pub unapproved: Unapproved,
    /// True if the reader has been shown what of the answer cannot be read: it is only counted then.
    pub seen_problems: bool,
}

/// The report of an answer without anything to carry out.
pub const NO_BLOCKS: &str = "The answer contains no edits: there is nothing to apply.";

/// Returns the advice on missing approvals. An operation is resumed by its name: another one may be the last
/// by then. A dry run is not an operation, nor is anything with an empty name.
#[must_use]
pub fn how_to_approve(operation: Option<&str>) -> String {
    match operation.filter(|operation| !operation.is_empty()) {
        None => "To approve all of this, add --approve-all; to approve one item, add --approve and its id."
            .to_owned(),
        Some(operation) => format!(
            "To approve all of this, run `clada apply --resume {operation} --approve-all`; to approve one \
             item, use --approve and its id instead."
        ),
    }
}

/// The choice whether a report shows the output of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandOutput {
    /// It is shown.
    #[default]
    Shown,
    /// It is left out: it was streamed as it came, or the caller does not want it.
    Omitted,
}

/// The amount of text about what succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// Nothing.
    Quiet,
    /// A line an action, and a summary.
    #[default]
    Normal,
    /// Also what actions read, and how long they took.
    Verbose,
}

/// The amount of text about what failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ErrorDetail {
    /// Message and hint.
    #[default]
    Minimal,
    /// Also the block, and the lines around the fault.
    Full,
    /// Also the machine-readable kind and the parameters.
    Debug,
}

/// Returns the id of an operation as people are shown it: the shortest beginning that names it, from the
/// `shortIds` of a result, else all of it.
#[must_use]
pub fn shown_id<'a>(short_ids: &'a BTreeMap<String, String>, id: &'a str) -> &'a str {
    short_ids.get(id).map_or(id, String::as_str)
}

/// ` and 3 more`, behind a list that is cut; empty if nothing is left out.
#[must_use]
pub fn and_more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} more") }
}

/// `count` with its noun: `1 byte`, `2 entries`, `3 matches`, `4 paths`.
#[must_use]
pub fn count_of(count: usize, noun: &str) -> String {
    let ending = match noun.as_bytes() {
        _ if count == 1 => return format!("1 {noun}"),
        [.., b'y'] => return format!("{count} {}ies", &noun[..noun.len() - 1]),
        [.., b'c' | b's', b'h'] => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}
