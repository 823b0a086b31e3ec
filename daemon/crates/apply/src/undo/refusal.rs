//! Why nothing is taken back, place by place, and how that is told.

use clada_journal::JournalPlace;
use clada_protocol::{ErrorKind, RpcError};
use serde_json::json;

/// Paths that a message names; all of them are in the error's data.
const NAMED: usize = 5;
/// Paths that the error's data lists.
const LISTED: usize = 1_000;

/// A place that keeps an operation from being taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Where.
    pub place: JournalPlace,
    /// Why.
    pub reason: Reason,
}

/// Why a place cannot be as it was before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It was changed since.
    Changed,
    /// It was changed since by another operation, which stands.
    ChangedBy(String),
    /// It is gone.
    Gone,
    /// Something else stands there, which is never removed.
    InTheWay,
    /// A part of the path is no folder any more.
    NotFolder,
    /// A folder that would have to go holds what the operation did not make.
    OtherFiles,
    /// What was changed since touches the same lines, or is no text.
    NotMergeable,
    /// It cannot be looked at.
    Unknown(String),
    /// What was there was too large to be kept.
    TooLarge,
    /// What was there is not kept any more.
    NotKept,
    /// What is there would be overwritten, and there is no room to keep it.
    NoRoom,
}

impl Reason {
    /// Whether nothing that was done since is the reason, but that nothing is kept to go back to.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Reason::TooLarge | Reason::NotKept)
    }

    /// In words, after the path.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Reason::Changed => "was changed since".to_owned(),
            Reason::ChangedBy(operation) => format!("was changed since, by operation {operation}"),
            Reason::Gone => "is gone".to_owned(),
            Reason::InTheWay => "is something else now".to_owned(),
            Reason::NotFolder => "is on the way and no folder any more".to_owned(),
            Reason::OtherFiles => "holds files that the operation did not make".to_owned(),
            Reason::NotMergeable => "was changed since, and that cannot be merged".to_owned(),
            Reason::Unknown(why) => format!("cannot be looked at: {why}"),
            Reason::TooLarge => "was too large to be kept".to_owned(),
            Reason::NotKept => "is not kept as it was before, or no longer".to_owned(),
            Reason::NoRoom => {
                "would be overwritten, and is too large to be kept (limits.planned_bytes)".to_owned()
            }
        }
    }
}

/// Why an operation is not taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Every place that keeps it from that.
    pub conflicts: Vec<Conflict>,
}

impl Refusal {
    /// As the error of a request to take `operation` back.
    #[must_use]
    pub fn into_error(self, operation: &str) -> RpcError {
        let lost = self.conflicts.iter().all(|conflict| conflict.reason.is_lost());
        let kind = if lost { ErrorKind::NotUndoable } else { ErrorKind::Conflict };
        let text: Vec<String> = self.conflicts.iter().take(NAMED).map(describe).collect();
        let more = self.conflicts.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let message = format!(
            "Operation {operation} is not taken back, nothing was changed: {}{more}",
            text.join("; ")
        );
        let listed =
            self.conflicts.iter().take(LISTED).map(
                |conflict| json!({ "path": absolute(&conflict.place), "reason": conflict.reason.words() }),
            );
        RpcError::new(kind, message)
            .with("operationId", operation)
            .with("conflicts", listed.collect::<Vec<_>>())
            .hint(self.hint())
    }

    fn hint(&self) -> String {
        let mut later: Vec<&str> = Vec::new();
        for conflict in &self.conflicts {
            if let Reason::ChangedBy(operation) = &conflict.reason
                && !later.contains(&operation.as_str())
            {
                later.push(operation);
            }
        }
        later.sort_unstable();
        if let Some(last) = later.last() {
            return format!(
                "undo operation {last} first: `clada-client undo {last}`; or --merge keeps both changes of text where \
                 it can, and --force overwrites what was done since"
            );
        }
        let any =
            |wanted: fn(&Reason) -> bool| self.conflicts.iter().any(|conflict| wanted(&conflict.reason));
        if any(|reason| matches!(reason, Reason::InTheWay | Reason::NotFolder | Reason::OtherFiles)) {
            return "move what is in the way somewhere else and try again".to_owned();
        }
        if any(|reason| *reason == Reason::NoRoom) {
            return "move the file somewhere else first, or raise limits.planned_bytes in your configuration"
                .to_owned();
        }
        if any(|reason| *reason == Reason::NotMergeable) {
            return "change the file by hand, or --force overwrites it; the undo can be taken back"
                .to_owned();
        }
        if any(Reason::is_lost) {
            return "--force takes back all the rest".to_owned();
        }
        "--merge keeps what was changed in text since; --force overwrites it, and the undo can be taken back"
            .to_owned()
    }
}

/// The error of a request to take `operation` back of which all that is left are the paths `lost`, which nothing brings
/// back; `earlier` is the operation before it that stands.
#[must_use]
pub fn nothing_left(operation: &str, lost: &[String], earlier: Option<&str>) -> RpcError {
    let named: Vec<&str> = lost.iter().take(NAMED).map(String::as_str).collect();
    let more = lost.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "Operation {operation} is not taken back, nothing was changed: its command changed '{}'{more}, and what was there \
         is not kept",
        named.join("', '")
    );
    let pass = format!("`clada-client undo {operation} --force` passes over it");
    let hint = match earlier {
        Some(earlier) => {
            format!("`clada-client undo {earlier}` takes back the operation before it; {pass} for good")
        }
        None => pass,
    };
    RpcError::new(ErrorKind::NotUndoable, message)
        .with("operationId", operation)
        .with("lost", lost)
        .hint(hint)
}

fn describe(conflict: &Conflict) -> String {
    format!("'{}' {}", absolute(&conflict.place), conflict.reason.words())
}

/// The path of a place, for people.
pub(super) fn absolute(place: &JournalPlace) -> String {
    place.root.join(&place.relative).to_string_lossy().into_owned()
}
