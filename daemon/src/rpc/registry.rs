//! The open connections: how many, which is idle longest, which has to go.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context as Task;

use futures_util::task::AtomicWaker;
use tokio::sync::Notify;
use tokio::time::Instant;

/// What a connection is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Order {
    /// To serve.
    Serve = 0,
    /// To hear nothing more and stay: it asked the daemon to end, and learns from its own end that it has.
    Stay = 1,
    /// To finish what it works on, then close: the daemon stops.
    Finish = 2,
    /// To close, for somebody else.
    Leave = 3,
}

/// One open connection, as others see it.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) id: u64,
    order: AtomicU8,
    waker: AtomicWaker,
    busy: AtomicBool,
    /// It asked the daemon to end.
    asked_to_end: AtomicBool,
    /// When it was last heard, on a clock that counts what is heard.
    heard: AtomicU64,
    clock: Arc<AtomicU64>,
}

impl Slot {
    /// What it is asked to do; `task` is woken when that changes.
    pub(super) fn order(&self, task: &Task<'_>) -> Order {
        self.waker.register(task.waker());
        match self.order.load(Ordering::Acquire) {
            0 => Order::Serve,
            1 => Order::Stay,
            2 => Order::Finish,
            _ => Order::Leave,
        }
    }

    /// Notes that the client was heard.
    pub(super) fn touch(&self) {
        self.heard.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Notes whether it works on anything.
    pub(super) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::Release);
    }

    fn waits_for_the_end(&self) -> bool {
        self.asked_to_end.load(Ordering::Acquire)
    }

    fn give(&self, order: Order) {
        self.order.fetch_max(order as u8, Ordering::AcqRel);
        self.waker.wake();
    }
}

/// The open connections. Clones are the same set.
#[derive(Debug, Clone)]
pub(crate) struct Registry(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    open: Mutex<Open>,
    limit: usize,
    next: AtomicU64,
    clock: Arc<AtomicU64>,
    empty: Notify,
}

#[derive(Debug)]
struct Open {
    slots: HashMap<u64, Arc<Slot>>,
    /// Connections that were told to leave and have not left yet.
    leaving: usize,
    /// Since when there is none.
    empty_since: Option<Instant>,
    finishing: bool,
}

/// Keeps a connection in the set until dropped.
#[derive(Debug)]
pub(super) struct Admitted {
    registry: Registry,
    pub(super) slot: Arc<Slot>,
}

impl Registry {
    pub(crate) fn new(limit: usize) -> Registry {
        Registry(Arc::new(Inner {
            open: Mutex::new(Open {
                slots: HashMap::new(),
                leaving: 0,
                empty_since: Some(Instant::now()),
                finishing: false,
            }),
            limit,
            next: AtomicU64::new(1),
            clock: Arc::new(AtomicU64::new(1)),
            empty: Notify::new(),
        }))
    }

    /// Admits a connection; the one that is idle longest makes room for it. `None`: none is idle.
    pub(super) fn admit(&self) -> Option<Admitted> {
        let mut open = self.open();
        while open.slots.len() >= self.0.limit {
            if !open.evict() {
                return None;
            }
        }
        let slot = Arc::new(Slot {
            id: self.0.next.fetch_add(1, Ordering::Relaxed),
            order: AtomicU8::new(if open.finishing { Order::Finish as u8 } else { Order::Serve as u8 }),
            waker: AtomicWaker::new(),
            busy: AtomicBool::new(false),
            asked_to_end: AtomicBool::new(false),
            heard: AtomicU64::new(0),
            clock: Arc::clone(&self.0.clock),
        });
        slot.touch();
        open.slots.insert(slot.id, Arc::clone(&slot));
        open.empty_since = None;
        Some(Admitted { registry: self.clone(), slot })
    }

    /// Tells the connection that is idle longest to leave; says whether there was one.
    pub(super) fn evict(&self) -> bool {
        self.open().evict()
    }

    /// Notes that a connection has asked the daemon to end.
    pub(crate) fn asked_to_end(&self, connection: u64) {
        if let Some(slot) = self.open().slots.get(&connection) {
            slot.asked_to_end.store(true, Ordering::Release);
        }
    }

    /// Tells all to finish what they work on and close, also those that come later. Who asked for the end stays
    /// until [`Registry::finish_all`].
    pub(crate) fn finish(&self) {
        let mut open = self.open();
        open.finishing = true;
        for slot in open.slots.values() {
            slot.give(if slot.waits_for_the_end() { Order::Stay } else { Order::Finish });
        }
    }

    /// Tells everybody to finish.
    pub(crate) fn finish_all(&self) {
        for slot in self.open().slots.values() {
            slot.give(Order::Finish);
        }
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.open().slots.len()
    }

    /// Since when none is open.
    pub(crate) fn empty_since(&self) -> Option<Instant> {
        self.open().empty_since
    }

    /// Waits until none is open but those that wait for the end.
    pub(crate) async fn emptied(&self) {
        loop {
            let mut empty = std::pin::pin!(self.0.empty.notified());
            empty.as_mut().enable();
            {
                let open = self.open();
                if open.is_empty_but_for_waiting() {
                    return;
                }
            }
            empty.await;
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn is_empty_but_for_waiting(&self) -> bool {
        self.leaving == 0
            && self.slots.values().all(|slot| slot.order.load(Ordering::Acquire) == Order::Stay as u8)
    }

    fn evict(&mut self) -> bool {
        let idle = self.slots.values().filter(|slot| !slot.busy.load(Ordering::Acquire));
        let Some(slot) = idle.min_by_key(|slot| slot.heard.load(Ordering::Relaxed)).cloned() else {
            return false;
        };
        slot.give(Order::Leave);
        self.slots.remove(&slot.id);
        self.leaving += 1;
        true
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.registry.open();
        if open.slots.remove(&self.slot.id).is_none() {
            open.leaving -= 1;
        }
        if open.slots.is_empty() {
            open.empty_since.get_or_insert_with(Instant::now);
        }
        if open.is_empty_but_for_waiting() {
            self.registry.0.empty.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_idle_one_makes_room() {
        let registry = Registry::new(3);
        let admitted: Vec<Admitted> = (0..3).map(|_| registry.admit().unwrap()).collect();
        admitted[0].slot.touch();
        admitted[1].slot.set_busy(true);
        let order = |index: usize| admitted[index].slot.order.load(Ordering::Relaxed);
        let fourth = registry.admit().unwrap();
        assert_eq!([order(0), order(1), order(2)], [0, 0, Order::Leave as u8]);
        let fifth = registry.admit().unwrap();
        assert_eq!([order(0), order(1), order(2)], [Order::Leave as u8, 0, Order::Leave as u8]);
        fourth.slot.set_busy(true);
        fifth.slot.set_busy(true);
        assert!(registry.admit().is_none());
        assert_eq!(registry.count(), 3);
        assert!(registry.empty_since().is_none());
        registry.finish();
        drop((admitted, fourth, fifth));
        registry.emptied().await;
        assert!(registry.empty_since().is_some());
    }
}
