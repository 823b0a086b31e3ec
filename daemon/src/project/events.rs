//! The events of a project besides changes of files, for its subscribers.
//!
//! The source of an event publishes it; it waits in the queue of each subscriber. Knows neither connections
//! nor the kinds of a subscription.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use clada_apply::weight;
use clada_protocol::ProjectEvent;
use clada_watch::Listener;

// The most events that wait for a subscriber; beyond, the oldest are dropped.
pub(crate) const MAX_EVENTS: usize = 1_000;
// The most bytes of them as JSON.
pub(crate) const MAX_EVENT_BYTES: usize = 4 << 20;
// The most bytes of the approvals in an event. Whoever is told that they are left out lists them.
const MAX_APPROVALS: usize = 16 << 10;

// The subscribers of one project.
#[derive(Debug, Default)]
pub(crate) struct EventBus(Mutex<Vec<Weak<SubscriberQueue>>>);

// The events that a subscriber has not received yet.
pub(crate) struct SubscriberQueue {
    events: Mutex<QueuedEvent>,
    listener: Arc<Listener>,
}

#[derive(Debug, Default)]
struct QueuedEvent {
    events: VecDeque<(Arc<ProjectEvent>, usize)>,
    bytes: usize,
}

impl QueuedEvent {
    fn take(&mut self) -> Option<Arc<ProjectEvent>> {
        let (event, bytes) = self.events.pop_front()?;
        self.bytes -= bytes;
        Some(event)
    }
}

impl std::fmt::Debug for SubscriberQueue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("SubscriberQueue").field(&self.events).finish()
    }
}

impl SubscriberQueue {
    pub(crate) fn take(&self) -> Option<Arc<ProjectEvent>> {
        self.events().take()
    }

    fn push(&self, event: Arc<ProjectEvent>, bytes: usize) {
        let mut queued = self.events();
        queued.events.push_back((event, bytes));
        queued.bytes += bytes;
        while queued.events.len() > MAX_EVENTS || (queued.bytes > MAX_EVENT_BYTES && queued.events.len() > 1)
        {
            queued.take();
        }
    }

    fn events(&self) -> MutexGuard<'_, QueuedEvent> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventBus {
    // Returns a queue for the events from now on, for as long as it is held. `listener` is called for each
    // new event.
    pub(crate) fn subscribe(&self, listener: Arc<Listener>) -> Arc<SubscriberQueue> {
        let queue = Arc::new(SubscriberQueue { events: Mutex::default(), listener });
        let mut queues = self.queues();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(&queue));
        queue
    }

    // Sends `event` to all subscribers, without its approvals if they are large. Its subscription and its
    // root are filled in for each.
    pub(crate) fn publish(&self, mut event: ProjectEvent) {
        let queues: Vec<Arc<SubscriberQueue>> = self.queues().iter().filter_map(Weak::upgrade).collect();
        if queues.is_empty() {
            return;
        }
        if weight(&event.approvals) > MAX_APPROVALS {
            (event.approvals, event.approvals_left_out) = (Vec::new(), true);
        }
        let (bytes, event) = (weight(&event), Arc::new(event));
        for queue in queues {
            queue.push(Arc::clone(&event), bytes);
            (queue.listener)();
        }
    }

    #[must_use]
    pub(crate) fn has_subscribers(&self) -> bool {
        self.queues().iter().any(|queue| queue.strong_count() > 0)
    }

    fn queues(&self) -> MutexGuard<'_, Vec<Weak<SubscriberQueue>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use clada_protocol::Approval;

    use super::*;

    fn said(text: &str) -> ProjectEvent {
        ProjectEvent { text: Some(text.to_owned()), ..ProjectEvent::default() }
    }

    fn texts(queue: &SubscriberQueue) -> Vec<usize> {
        let next = || queue.take();
        std::iter::from_fn(next).map(|event| event.text.as_ref().map_or(0, String::len)).collect()
    }

    #[test]
    fn what_waits_for_a_subscriber_is_bounded_in_number_and_bytes_and_the_oldest_goes() {
        let bus = EventBus::default();
        bus.publish(said("nobody"));
        let queue = bus.subscribe(Arc::new(|| {}));
        for number in 0..MAX_EVENTS + 5 {
            bus.publish(said(&"x".repeat(number)));
        }
        assert_eq!(texts(&queue), (5..MAX_EVENTS + 5).collect::<Vec<_>>());
        for megabytes in [1, 2, 1] {
            bus.publish(said(&"x".repeat(megabytes << 20)));
        }
        assert_eq!(texts(&queue), [2 << 20, 1 << 20]);
        // The last one is kept whatever its size.
        bus.publish(said("first"));
        bus.publish(said(&"x".repeat(MAX_EVENT_BYTES)));
        assert_eq!(texts(&queue), [MAX_EVENT_BYTES]);
        assert!(queue.take().is_none() && queue.events().bytes == 0);
    }

    #[test]
    fn large_approvals_are_left_out_of_an_event_which_says_so() {
        let bus = EventBus::default();
        let queues = [bus.subscribe(Arc::new(|| {})), bus.subscribe(Arc::new(|| {}))];
        for (length, left_out) in [(100, false), (MAX_APPROVALS, true)] {
            let approval = Approval { reason: "x".repeat(length), ..Approval::default() };
            bus.publish(ProjectEvent { approvals: vec![approval], ..said("in words") });
            for queue in &queues {
                let event = queue.take().unwrap();
                let told = (event.approvals.len(), event.approvals_left_out);
                assert_eq!(told, (usize::from(!left_out), left_out), "{length}");
                assert_eq!(event.text.as_deref(), Some("in words"));
            }
        }
    }
}
