//! The events of a project besides changes of files, for its subscribers.
//!
//! The source of an event publishes it; it waits in the queue of each subscriber. Knows neither connections
//! nor the kinds of a subscription.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use clada_protocol::ProjectEvent;
use clada_watch::Listener;

/// The most events that wait for a subscriber; beyond, the oldest is dropped.
const MAX_EVENTS: usize = 1_000;

/// The subscribers of one project.
#[derive(Debug, Default)]
pub struct EventBus(Mutex<Vec<Weak<SubscriberQueue>>>);

/// The events that a subscriber has not received yet.
pub struct SubscriberQueue {
    events: Mutex<VecDeque<ProjectEvent>>,
    listener: Arc<Listener>,
}

impl std::fmt::Debug for SubscriberQueue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("SubscriberQueue").field(&self.events).finish()
    }
}

impl SubscriberQueue {
    /// Takes the oldest event.
    pub fn take(&self) -> Option<ProjectEvent> {
        self.events().pop_front()
    }

    fn push(&self, event: ProjectEvent) {
        let mut events = self.events();
        if events.len() >= MAX_EVENTS {
            events.pop_front();
        }
        events.push_back(event);
    }

    fn events(&self) -> MutexGuard<'_, VecDeque<ProjectEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventBus {
    /// Returns a queue for the events from now on, for as long as it is held. `listener` is called for each
    /// new event.
    pub fn subscribe(&self, listener: Arc<Listener>) -> Arc<SubscriberQueue> {
        let queue = Arc::new(SubscriberQueue { events: Mutex::default(), listener });
        let mut queues = self.queues();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(&queue));
        queue
    }

    /// Sends `event` to all subscribers. Its subscription and its root are filled in for each.
    pub fn publish(&self, event: &ProjectEvent) {
        let queues: Vec<Arc<SubscriberQueue>> = self.queues().iter().filter_map(Weak::upgrade).collect();
        for queue in queues {
            queue.push(event.clone());
            (queue.listener)();
        }
    }

    /// Returns whether there is a subscriber.
    #[must_use]
    pub fn has_subscribers(&self) -> bool {
        self.queues().iter().any(|queue| queue.strong_count() > 0)
    }

    fn queues(&self) -> MutexGuard<'_, Vec<Weak<SubscriberQueue>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
