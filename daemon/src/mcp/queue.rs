//! The messages of the host that wait to be sent, in order and within a bound.
//!
//! Pure. Must not know what a message means, or what is in flight.

use std::collections::VecDeque;
use std::time::Instant;

use clada_protocol::Id;

use super::message::Request;

/// The most bytes that wait: two of the longest messages.
const MOST_BYTES: usize = 256 << 20;

/// The most messages that wait. Requests have a bound of their own, which is lower.
const MOST: usize = 4096;

#[derive(Debug)]
pub(super) enum Queued {
    Ask { request: Request, message: Vec<u8>, came: Instant },
    Pass(Vec<u8>),
    Say(String),
}

impl Queued {
    fn bytes(&self) -> usize {
        match self {
            Queued::Ask { message, .. } | Queued::Pass(message) => message.len(),
            Queued::Say(text) => text.len(),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Queued>,
    bytes: usize,
}

impl Queue {
    /// `false`, and the message is dropped, if there is no room. An empty queue always has room.
    pub(super) fn push(&mut self, queued: Queued) -> bool {
        let bytes = self.bytes.saturating_add(queued.bytes());
        let has_room = self.waiting.is_empty() || bytes <= MOST_BYTES && self.waiting.len() < MOST;
        if has_room {
            self.bytes = bytes;
            self.waiting.push_back(queued);
        }
        has_room
    }

    pub(super) fn push_first(&mut self, queued: Queued) {
        self.bytes = self.bytes.saturating_add(queued.bytes());
        self.waiting.push_front(queued);
    }

    pub(super) fn next(&mut self) -> Option<Queued> {
        let next = self.waiting.pop_front()?;
        self.bytes -= next.bytes();
        Some(next)
    }

    pub(super) fn drop_request(&mut self, id: &Id) -> bool {
        let is_it = |queued: &Queued| matches!(queued, Queued::Ask { request, .. } if request.id == *id);
        let Some(dropped) = self.waiting.iter().position(is_it).and_then(|place| self.waiting.remove(place))
        else {
            return false;
        };
        self.bytes -= dropped.bytes();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::message::{Message, read};

    fn ask(id: u64) -> Queued {
        let text = format!(r#"{{"id":{id},"method":"ping"}}"#);
        let Message::Request(request) = read(text.as_bytes()).unwrap() else { panic!("{text}") };
        Queued::Ask { request, message: text.into_bytes(), came: Instant::now() }
    }

    fn ids(queue: &mut Queue) -> Vec<String> {
        let id = |queued| match queued {
            Queued::Ask { request, .. } => request.id.as_json().to_owned(),
            Queued::Pass(message) => String::from_utf8(message).unwrap(),
            Queued::Say(text) => text,
        };
        std::iter::from_fn(|| queue.next().map(id)).collect()
    }

    #[test]
    fn messages_leave_in_order_but_for_what_goes_first_and_what_is_dropped() {
        let mut queue = Queue::default();
        for id in [1, 2, 3] {
            assert!(queue.push(ask(id)));
        }
        assert!(queue.drop_request(&Id::from(2)));
        assert!(!queue.drop_request(&Id::from(2)), "it is gone");
        queue.push_first(Queued::Pass(b"first".to_vec()));
        assert!(queue.push(Queued::Say("last".to_owned())));
        assert_eq!(ids(&mut queue), ["first", "1", "3", "last"]);
        assert_eq!(queue.bytes, 0);
    }

    #[test]
    fn the_queue_is_bounded_in_bytes_and_in_number() {
        let mut queue = Queue::default();
        assert!(queue.push(Queued::Pass(vec![0; MOST_BYTES + 1])), "alone, each has room");
        assert!(!queue.push(ask(1)));
        queue.next();
        assert!((0..MOST as u64).all(|id| queue.push(ask(id))));
        assert!(!queue.push(ask(0)));
    }
}
