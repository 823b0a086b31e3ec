//! The table of what the daemon says unasked: the notifications of requests and of subscriptions.

use crate::params::{EMBED_EVENT, EXECUTE_EVENT, PROJECT_EVENT, WAITING};

/// The description of a notification without its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotificationInfo {
    /// Its name on the wire.
    pub name: &'static str,
    /// A sentence that says what it tells.
    pub summary: &'static str,
    /// The methods whose requests bring it.
    pub methods: &'static [&'static str],
}

/// Every notification that the daemon sends.
pub const NOTIFICATIONS: &[NotificationInfo] = &[
    NotificationInfo {
        name: EXECUTE_EVENT,
        summary: "Tells what commands of an answer do while they run, if the request has `stream`.",
        methods: &["execute"],
    },
    NotificationInfo {
        name: EMBED_EVENT,
        summary: "Brings a document in pieces and the progress of reading, if the request has `stream`.",
        methods: &["embed"],
    },
    NotificationInfo {
        name: PROJECT_EVENT,
        summary: "Tells of a change of a project, until the subscription ends.",
        methods: &["subscribe"],
    },
    NotificationInfo {
        name: WAITING,
        summary: "Tells that a request waits for its turn in the project, once for each holder.",
        methods: &[
            "execute",
            "execute.saved",
            "undo",
            "redo",
            "git.squash",
            "git.step_back",
            "git.step_forward",
            "stage.write_back",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::METHODS;
    use crate::method::method_info;

    #[test]
    fn their_methods_are_there_and_what_changes_a_project_may_wait() {
        for notification in NOTIFICATIONS {
            assert!(notification.summary.ends_with('.'), "{}", notification.name);
            for method in notification.methods {
                assert!(method_info(method).is_some(), "{method}");
            }
        }
        // What writes new files alone, or clada's own, does not wait for its turn.
        let at_once = ["project.init", "config.init", "config.set", "config.unset"];
        let changing =
            METHODS.iter().filter(|method| method.changes_files() && !at_once.contains(&method.name));
        let waiting = NOTIFICATIONS.iter().find(|notification| notification.name == WAITING).unwrap();
        let mut named = waiting.methods.to_vec();
        let mut changing: Vec<_> = changing.map(|method| method.name).collect();
        named.sort_unstable();
        changing.sort_unstable();
        assert_eq!(named, changing);
    }
}
