//! The description of an open checkpoint, as the journal keeps it: whose it is, since when, and what HEAD was.
//!
//! Data only. Time is passed in.

use clada_protocol::{CheckpointInfo, HeadNote};
use serde::{Deserialize, Serialize};

use super::owners::CheckpointOwner;

/// The description of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Description {
    pub(super) name: Option<String>,
    pub(super) session: Option<String>,
    /// The name of the client; of an agent, with its connection.
    pub(super) client: String,
    pub(super) by_agent: bool,
    /// Milliseconds since 1970.
    pub(super) began_ms: i64,
    pub(super) ttl_ms: u64,
    /// The processes with which it ends.
    pub(super) owners: Vec<CheckpointOwner>,
    /// The position of HEAD, and what was staged, as the id of a tree.
    pub(super) head: Option<HeadNote>,
    pub(super) staged: Option<String>,
    /// The repositories in the project besides its own. Older versions did not note them.
    #[serde(default)]
    pub(super) nested: Vec<NestedRepository>,
    pub(super) not_kept: Vec<String>,
    pub(super) not_kept_count: usize,
}

/// A repository in the project, below its root, when the checkpoint began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NestedRepository {
    /// The folder of its work tree, from the root.
    pub(super) folder: String,
    /// The position of its HEAD.
    pub(super) head: HeadNote,
}

/// What is kept with the operation of a checkpoint, to be told when it is undone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordNote {
    /// How HEAD and the index moved, in words.
    pub(crate) moved: Vec<String>,
    /// The checkpoints that recorded the same changes, as they are shown.
    pub(crate) others: Vec<String>,
}

impl Description {
    /// Returns whether both belong to the same session, or to the same client without one. One that ends with
    /// its own processes belongs to no session.
    pub(super) fn is_of_same_session(&self, other: &Description) -> bool {
        let same = match (&self.session, &other.session) {
            (None, None) => self.client == other.client,
            (one, other) => one == other,
        };
        same && self.by_agent == other.by_agent && self.owners.is_empty() && other.owners.is_empty()
    }

    /// Returns whether the agent `client` began it: `NAME#DAEMON.CONNECTION`. After its daemon was replaced, an
    /// agent has another connection, and is known by its name alone.
    pub(super) fn is_of_agent(&self, client: &str) -> bool {
        let parts = |client: &'_ str| {
            let (name, connection) = client.rsplit_once('#')?;
            let (daemon, _) = connection.split_once('.')?;
            Some((name.to_owned(), daemon.to_owned()))
        };
        let after = |one: (String, String), other: (String, String)| one.0 == other.0 && one.1 != other.1;
        let is_after = parts(&self.client).zip(parts(client)).is_some_and(|(one, other)| after(one, other));
        self.by_agent && (self.client == client || is_after)
    }

    pub(super) fn is_of_connection(&self, other: &Description) -> bool {
        let connection =
            |client: &'_ str| client.rsplit_once('#').map(|(_, connection)| connection.to_owned());
        let (one, other) = (connection(&self.client), connection(&other.client));
        one.is_some() && one == other
    }

    pub(super) fn is_expired(&self, now_ms: i64) -> bool {
        let age = u64::try_from(now_ms.saturating_sub(self.began_ms)).unwrap_or(0);
        age > self.ttl_ms
    }

    pub(super) fn shown(&self, id: &str) -> String {
        match &self.name {
            Some(name) => format!("'{}'", clada_protocol::visible_line(name)),
            None => id.to_owned(),
        }
    }

    pub(super) fn owner(&self) -> String {
        let client = self.client.split_once('#').map_or(self.client.as_str(), |(name, _)| name);
        let client = clada_protocol::visible_line(client);
        match &self.session {
            Some(session) => format!("session '{}'", clada_protocol::visible_line(session)),
            None if self.by_agent => format!("the agent {client}"),
            None if !self.owners.is_empty() => "`clada record`".to_owned(),
            None => format!("{client}, without a session"),
        }
    }

    pub(super) fn summary(&self, changes: &str) -> String {
        match &self.name {
            Some(name) => format!("{}: {changes}", clada_protocol::visible_line(name)),
            None => changes.to_owned(),
        }
    }

    pub(super) fn info(self, checkpoint: String) -> CheckpointInfo {
        CheckpointInfo {
            checkpoint,
            name: self.name,
            session: self.session,
            began_ms: self.began_ms,
            ttl_ms: self.ttl_ms,
            by_agent: self.by_agent,
            head: self.head,
            not_kept_count: self.not_kept_count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_told_apart() {
        let of = |session: Option<&str>, client: &str, by_agent| Description {
            session: session.map(str::to_owned),
            client: client.to_owned(),
            by_agent,
            ..Description::default()
        };
        let own = of(None, "clada-client", false);
        assert!(own.is_of_same_session(&of(None, "clada-client", false)));
        for other in
            [of(Some("a"), "clada-client", false), of(None, "editor", false), of(None, "clada-client", true)]
        {
            assert!(!own.is_of_same_session(&other), "{other:?}");
        }
        assert!(of(Some("a"), "x", false).is_of_same_session(&of(Some("a"), "y", false)));
        // Of the same daemon only the same connection; of the next one, the same name.
        let agent = of(None, "codex#10.3", true);
        assert!(agent.is_of_agent("codex#10.3") && agent.is_of_agent("codex#11.1"));
        assert!(!agent.is_of_agent("codex#10.4") && !agent.is_of_agent("claude#11.3"));
        assert!(!own.is_of_agent("clada-client"));
    }

    #[test]
    fn a_checkpoint_expires_and_a_clock_that_went_back_ends_none() {
        let description = Description { began_ms: 1000, ttl_ms: 10, ..Description::default() };
        assert!(!description.is_expired(1010) && description.is_expired(1011));
        assert!(!description.is_expired(0));
    }
}
