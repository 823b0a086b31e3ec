//! Reasons why nothing is undone, place by place, and their words.

use clada_journal::JournalPlace;
use clada_protocol::{ErrorKind, RpcError};
use serde_json::json;

const NAMED: usize = 5;
const LISTED: usize = 1_000;

/// A place that keeps an operation from being undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The place.
    pub place: JournalPlace,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a place cannot be as it was before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It was changed since.
    Changed,
    /// It was changed since by another operation, which still holds.
    ChangedBy {
        /// The operation's id, as people are shown it.
        operation: String,
        /// The number of operations after it.
        age: usize,
    },
    /// It is gone.
    Missing,
    /// Something else is there, which is never removed.
    InTheWay,
    /// A part of the path is not a folder any more.
    NotFolder,
    /// A folder that would have to go holds what the operation did not make.
    OtherFiles,
    /// A change since touches the same lines, or is not text.
    NotMergeable,
    /// It cannot be looked at.
    Unknown(String),
    /// The content before was too large to be kept.
    TooLarge,
    /// The content before is not kept any more.
    NotKept,
    /// The current content would go, and neither the journal nor the reserve has room for it.
    NoRoom,
    /// Something is mounted on it, so that it can be neither replaced nor removed.
    Mounted,
    /// Its folder cannot be changed.
    FolderDenied(String),
}

impl Reason {
    /// Returns true if nothing that was done since is the reason, but that nothing is kept to go back to.
    #[must_use]
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Reason::TooLarge | Reason::NotKept)
    }

    /// Describes it in words that follow the path.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Reason::Changed => "has changed since".to_owned(),
            Reason::ChangedBy { operation, .. } => format!("was changed by operation {operation} since"),
            Reason::Missing => "is gone".to_owned(),
            Reason::InTheWay => "has been replaced since".to_owned(),
            Reason::NotFolder => "is part of the path and no longer a folder".to_owned(),
            Reason::OtherFiles => "contains files that the operation did not create".to_owned(),
            Reason::NotMergeable => "has changed since, and the changes cannot be merged".to_owned(),
            Reason::Unknown(why) => format!("cannot be read: {why}"),
            Reason::TooLarge => "was too large to record".to_owned(),
            Reason::NotKept => "is not recorded as it was before".to_owned(),
            Reason::NoRoom => {
                "would be deleted permanently: there is no room to keep it (limits.planned_bytes, history.max_bytes)"
                    .to_owned()
            }
            Reason::Mounted => "cannot be replaced, since something is mounted on it (EBUSY)".to_owned(),
            Reason::FolderDenied(why) => format!("cannot be changed: {why}"),
        }
    }
}

/// The refusal to undo an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Every place that keeps it from that.
    pub conflicts: Vec<Conflict>,
}

impl Refusal {
    /// Returns the error of a request to undo `operation`, which people are shown as `shown`.
    #[must_use]
    pub fn into_error(self, operation: &str, shown: &str) -> RpcError {
        let lost = self.conflicts.iter().all(|conflict| conflict.reason.is_lost());
        let kind = if lost { ErrorKind::NotUndoable } else { ErrorKind::Conflict };
        let text: Vec<String> = self.conflicts.iter().take(NAMED).map(describe).collect();
        let more = self.conflicts.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let message = format!("Cannot undo {shown}: {}{more}. Nothing was modified.", text.join("; "));
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
        let later = self.conflicts.iter().filter_map(|conflict| match &conflict.reason {
            Reason::ChangedBy { operation, age } => Some((*age, operation)),
            _ => None,
        });
        // The newest has to be undone first, since it may have changed what those before it made.
        if let Some((_, last)) = later.min() {
            return format!(
                "undo operation {last} first: `clada undo {last}`; or --merge keeps both changes of text where \
                 it can, and --force overwrites later changes"
            );
        }
        let any =
            |applies: fn(&Reason) -> bool| self.conflicts.iter().any(|conflict| applies(&conflict.reason));
        if any(|reason| matches!(reason, Reason::InTheWay | Reason::NotFolder | Reason::OtherFiles)) {
            return "move what is in the way somewhere else and try again; or --force reverts the rest"
                .to_owned();
        }
        if any(|reason| *reason == Reason::NoRoom) {
            return "--force removes it, and redo cannot bring it back; to keep it, move it somewhere else first"
                .to_owned();
        }
        if any(|reason| *reason == Reason::Mounted) {
            return "unmount it and try again; or --force reverts the rest".to_owned();
        }
        if any(|reason| matches!(reason, Reason::FolderDenied(_) | Reason::Unknown(_))) {
            return "get access to it and try again; or --force reverts the rest".to_owned();
        }
        if any(|reason| *reason == Reason::NotMergeable) {
            return "change the file by hand, or overwrite it with --force; `clada redo` takes that back"
                .to_owned();
        }
        if any(Reason::is_lost) {
            return "--force reverts the rest".to_owned();
        }
        "--merge keeps later changes of text; --force overwrites them, and `clada redo` brings them back"
            .to_owned()
    }
}

/// Returns the error of a request to undo `operation` of which all that is left are the paths `lost`, which
/// nothing brings back; `earlier` is the operation before it that still holds. `shown` returns an id as people
/// are shown it.
#[must_use]
pub fn nothing_left(
    operation: &str,
    shown: &dyn Fn(&str) -> String,
    lost: &[String],
    earlier: Option<&str>,
) -> RpcError {
    let id = shown(operation);
    let named: Vec<&str> = lost.iter().take(NAMED).map(String::as_str).collect();
    let more = clada_protocol::and_more(lost.len().saturating_sub(NAMED));
    let message = format!(
        "Cannot undo {id}: its command changed '{}'{more}, and the earlier content is not recorded. Nothing \
         was modified.",
        named.join("', '")
    );
    let pass = format!("`clada undo {id} --force` skips it");
    let hint = match earlier {
        Some(earlier) => {
            let earlier = shown(earlier);
            format!("`clada undo {earlier}` reverts the operation before it; {pass} for good")
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

pub(super) fn absolute(place: &JournalPlace) -> String {
    place.root.join(&place.relative).to_string_lossy().into_owned()
}
