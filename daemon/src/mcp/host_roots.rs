//! The folders that the host has open: asks for them by `roots/list` of the old era.
//!
//! Pure. MCP deprecates roots in 2026-07-28, so a modern client is not asked. Must not know which of them may be roots.

use std::time::{Duration, Instant};

use clada_protocol::Id;
use serde::Deserialize;

const ID: &str = "clada-daemon roots";

const LONGEST: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct HostRoots {
    patience: Option<Duration>,
    is_listed: bool,
    /// The number of the last request: an answer to an earlier one is out of date.
    number: u32,
    deadline: Option<Instant>,
    answer: Option<Vec<String>>,
}

/// An answer to `roots/list`.
#[derive(Deserialize)]
struct RootsAnswer {
    #[serde(default)]
    result: Option<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    roots: Vec<HostRoot>,
}

#[derive(Deserialize)]
struct HostRoot {
    uri: String,
}

impl HostRoots {
    pub(super) fn new(patience: Option<Duration>) -> HostRoots {
        HostRoots { patience, is_listed: false, number: 0, deadline: None, answer: None }
    }

    pub(super) fn set_listed(&mut self, is_listed: bool) {
        self.is_listed = is_listed;
    }

    pub(super) fn request(&mut self, now: Instant) -> Option<String> {
        let patience = self.patience.filter(|_| self.is_listed)?;
        self.number = self.number.wrapping_add(1);
        self.deadline = Some(now + patience);
        let id = self.id();
        Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#))
    }

    pub(super) fn answer(&mut self, id: &Id, message: &[u8]) -> bool {
        if !id.as_json().starts_with(&format!("\"{ID}")) {
            return false;
        }
        if *id == self.id() {
            self.deadline = None;
            let read =
                (message.len() <= LONGEST).then(|| serde_json::from_slice::<RootsAnswer>(message).ok());
            let listed = read.flatten().and_then(|answer| answer.result);
            // Where the host cannot say, what it said before holds.
            if let Some(listed) = listed {
                self.answer = Some(listed.roots.into_iter().map(|root| root.uri).collect());
            }
        }
        true
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub(super) fn has_answer(&self) -> bool {
        self.answer.is_some()
    }

    pub(super) fn take(&mut self) -> Option<Vec<String>> {
        self.answer.take()
    }

    fn id(&self) -> Id {
        Id::from(format!("{ID} {}", self.number).as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::message::{Message, read};

    const PATIENCE: Duration = Duration::from_secs(5);

    fn answered(host_roots: &mut HostRoots, message: &str) -> bool {
        let Ok(Message::Answer(id)) = read(message.as_bytes()) else { panic!("{message}") };
        host_roots.answer(&id, message.as_bytes())
    }

    #[test]
    fn only_a_host_that_answers_is_asked_and_only_where_it_is_wanted() {
        let now = Instant::now();
        for (patience, is_listed, is_asked) in
            [(None, true, false), (Some(PATIENCE), false, false), (Some(PATIENCE), true, true)]
        {
            let mut host_roots = HostRoots::new(patience);
            host_roots.set_listed(is_listed);
            assert_eq!(host_roots.request(now).is_some(), is_asked);
            assert_eq!(host_roots.deadline(), is_asked.then(|| now + PATIENCE));
        }
    }

    #[test]
    fn the_answer_to_the_last_request_counts() {
        let mut host_roots = HostRoots::new(Some(PATIENCE));
        host_roots.set_listed(true);
        let first = host_roots.request(Instant::now()).unwrap();
        assert_eq!(first, r#"{"jsonrpc":"2.0","id":"clada-daemon roots 1","method":"roots/list"}"#);
        host_roots.request(Instant::now()).unwrap();
        let answer = |id: &str, rest: &str| format!(r#"{{"jsonrpc":"2.0","id":"{id}",{rest}}}"#);
        let listed = r#""result":{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}"#;
        assert!(!answered(&mut host_roots, &answer("other", listed)), "the daemon's");
        assert!(answered(&mut host_roots, &answer("clada-daemon roots 1", listed)));
        assert!(host_roots.deadline().is_some() && !host_roots.has_answer(), "out of date");
        assert!(answered(&mut host_roots, &answer("clada-daemon roots 2", listed)));
        assert_eq!(host_roots.deadline(), None);
        assert_eq!(host_roots.take(), Some(vec!["file:///a".to_owned(), "file:///b".to_owned()]));
        assert_eq!(host_roots.take(), None);
        for unusable in
            [r#""error":{"code":-32601,"message":"no"}"#, r#""result":{}"#, r#""result":{"roots":[1]}"#]
        {
            host_roots.request(Instant::now()).unwrap();
            let id = format!("clada-daemon roots {}", host_roots.number);
            assert!(answered(&mut host_roots, &answer(&id, unusable)), "{unusable}");
            assert!(host_roots.deadline().is_none() && !host_roots.has_answer(), "{unusable}");
        }
    }
}
