//! The open connections: their number, the one that has to close for another, and the one that has to close
//! for the bytes that it holds.
//!
//! One of the idle connections closes for another: first those of which nothing is known, then those that
//! were answered lately, last those that have sent hello or have a subscription, such as editors. Among
//! equals it is one of the process that has most of them, and of those the one idle longest.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context as Task;

use clada_protocol::handshake::Traffic;
use clada_protocol::{ErrorKind, RpcError};
use futures_util::task::AtomicWaker;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::standing::{Standing, Total};
use super::transport::ConnectionEnd;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Instruction {
    Serve = 0,
    /// Read nothing more and stay: the client asked the daemon to end, and learns from the end of this
    /// connection that it has.
    Stay = 1,
    Finish = 2,
    Leave = 3,
    /// Close, because all connections hold too much together and this one holds most of the unfinished bytes.
    Unload = 4,
}

/// The bytes below which a connection need not close when all hold too much: closing it would not help.
const SMALL: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct ConnectionSlot {
    pub(super) id: u64,
    instruction: AtomicU8,
    waker: AtomicWaker,
    busy: AtomicBool,
    asked_to_end: AtomicBool,
    heard: AtomicU64,
    clock: Arc<AtomicU64>,
    pub(super) standing: Arc<Standing>,
}

impl ConnectionSlot {
    pub(super) fn instruction(&self, task: &Task<'_>) -> Instruction {
        self.waker.register(task.waker());
        match self.instruction.load(Ordering::Acquire) {
            0 => Instruction::Serve,
            1 => Instruction::Stay,
            2 => Instruction::Finish,
            3 => Instruction::Leave,
            _ => Instruction::Unload,
        }
    }

    pub(super) fn touch(&self) {
        self.heard.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    pub(super) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::Release);
    }

    fn waits_for_the_end(&self) -> bool {
        self.asked_to_end.load(Ordering::Acquire)
    }

    fn give(&self, instruction: Instruction) {
        self.instruction.fetch_max(instruction as u8, Ordering::AcqRel);
        self.waker.wake();
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Registry(Arc<RegistryState>);

#[derive(Debug)]
struct RegistryState {
    open: Mutex<OpenConnections>,
    limit: usize,
    next: AtomicU64,
    clock: Arc<AtomicU64>,
    empty: Notify,
    total: Arc<Total>,
    total_limit: usize,
    epoch: Instant,
    turned_away: AtomicU64,
    ended: [AtomicU64; ConnectionEnd::COUNT],
}

#[derive(Debug)]
struct OpenConnections {
    slots: HashMap<u64, Arc<ConnectionSlot>>,
    leaving: HashMap<u64, Arc<ConnectionSlot>>,
    empty_since: Option<Instant>,
    finishing: bool,
}

#[derive(Debug)]
pub(super) struct Admitted {
    registry: Registry,
    pub(super) slot: Arc<ConnectionSlot>,
}

impl Admitted {
    /// Sets the number of bytes that are unfinished or unread. If all hold too many, one connection has to
    /// close.
    pub(super) fn hold(&self, unfinished: usize) {
        self.slot.standing.set_unfinished(unfinished);
        self.registry.unload();
    }

    pub(super) fn total_limit(&self) -> usize {
        self.registry.0.total_limit
    }
}

impl Registry {
    pub(crate) fn new(limit: usize, total_limit: usize) -> Registry {
        Registry(Arc::new(RegistryState {
            open: Mutex::new(OpenConnections {
                slots: HashMap::new(),
                leaving: HashMap::new(),
                empty_since: Some(Instant::now()),
                finishing: false,
            }),
            limit,
            next: AtomicU64::new(1),
            clock: Arc::new(AtomicU64::new(1)),
            empty: Notify::new(),
            total: Arc::default(),
            total_limit,
            epoch: Instant::now(),
            turned_away: AtomicU64::new(0),
            ended: Default::default(),
        }))
    }

    /// Admits a connection of `process`. If there is no room, an idle one has to leave; `None` if none is
    /// idle.
    pub(super) fn admit(&self, process: i32) -> Option<Admitted> {
        let mut open = self.open();
        while open.slots.len() >= self.0.limit {
            if !open.evict() {
                return None;
            }
        }
        let slot = Arc::new(ConnectionSlot {
            id: self.0.next.fetch_add(1, Ordering::Relaxed),
            instruction: AtomicU8::new(if open.finishing {
                Instruction::Finish as u8
            } else {
                Instruction::Serve as u8
            }),
            waker: AtomicWaker::new(),
            busy: AtomicBool::new(false),
            asked_to_end: AtomicBool::new(false),
            heard: AtomicU64::new(0),
            clock: Arc::clone(&self.0.clock),
            standing: Arc::new(Standing::new(process, self.0.epoch, Arc::clone(&self.0.total))),
        });
        slot.touch();
        open.slots.insert(slot.id, Arc::clone(&slot));
        open.empty_since = None;
        Some(Admitted { registry: self.clone(), slot })
    }

    pub(super) fn unload(&self) {
        if self.0.total.bytes() <= self.0.total_limit {
            return;
        }
        let mut open = self.open();
        // The bytes of leaving connections are as good as free.
        let leaving: usize = open.leaving.values().map(|slot| slot.standing.held()).sum();
        let stays = self.0.total.bytes().saturating_sub(leaving);
        let large = open.slots.values().filter(|slot| slot.standing.held() >= SMALL);
        let most = large.max_by_key(|slot| {
            let unfinished = slot.standing.unfinished();
            (if unfinished < SMALL { 0 } else { unfinished }, slot.standing.held())
        });
        let Some(slot) = most.cloned() else { return };
        if stays > self.0.total_limit {
            tracing::warn!(connection = slot.id, bytes = slot.standing.held(), "closed: all hold too much");
            open.dismiss(&slot, Instruction::Unload);
        }
    }

    pub(super) fn evict(&self) -> bool {
        self.open().evict()
    }

    pub(crate) fn asked_to_end(&self, connection: u64) {
        if let Some(slot) = self.open().slots.get(&connection) {
            slot.asked_to_end.store(true, Ordering::Release);
        }
    }

    /// Asks all connections to finish their requests and close, also later ones. Those that asked for the end
    /// stay until [`Registry::finish_all`].
    pub(crate) fn finish(&self) {
        let mut open = self.open();
        open.finishing = true;
        for slot in open.slots.values() {
            slot.give(if slot.waits_for_the_end() { Instruction::Stay } else { Instruction::Finish });
        }
    }

    pub(crate) fn finish_all(&self) {
        for slot in self.open().slots.values() {
            slot.give(Instruction::Finish);
        }
    }

    pub(crate) fn note_end(&self, end: ConnectionEnd) {
        self.0.ended[end as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note_turned_away(&self) {
        self.0.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let ended = |end: ConnectionEnd| self.0.ended[end as usize].load(Ordering::Relaxed);
        let (largest, subscriptions) = {
            let open = self.open();
            let standings = || open.slots.values().map(|slot| &slot.standing);
            let largest = standings().map(|standing| standing.held()).max();
            (largest.unwrap_or(0), standings().map(|standing| standing.subscriptions()).sum::<usize>())
        };
        Traffic {
            held_bytes: self.0.total.bytes() as u64,
            largest_bytes: largest as u64,
            subscriptions: subscriptions as u64,
            accepted: self.0.next.load(Ordering::Relaxed) - 1,
            turned_away: self.0.turned_away.load(Ordering::Relaxed),
            closed: ended(ConnectionEnd::Closed),
            gone: ended(ConnectionEnd::Disconnected),
            stalled: ended(ConnectionEnd::Stalled),
            evicted: ended(ConnectionEnd::Evicted),
            unloaded: ended(ConnectionEnd::Unloaded),
            refused: ended(ConnectionEnd::Refused),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.open().slots.len()
    }

    pub(crate) fn empty_since(&self) -> Option<Instant> {
        self.open().empty_since
    }

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

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn is_empty_but_for_waiting(&self) -> bool {
        self.leaving.is_empty()
            && self
                .slots
                .values()
                .all(|slot| slot.instruction.load(Ordering::Acquire) == Instruction::Stay as u8)
    }

    fn evict(&mut self) -> bool {
        let now = Instant::now();
        let mut of_process: HashMap<i32, usize> = HashMap::new();
        for slot in self.slots.values() {
            *of_process.entry(slot.standing.process).or_default() += 1;
        }
        let idle = self.slots.values().filter(|slot| !slot.busy.load(Ordering::Acquire));
        // Of equal rank, a process with many connections loses one before a process with few does.
        let first = idle.min_by_key(|slot| {
            let others = of_process.get(&slot.standing.process).copied().unwrap_or(0);
            (slot.standing.rank(now), Reverse(others), slot.heard.load(Ordering::Relaxed))
        });
        let Some(slot) = first.cloned() else { return false };
        self.dismiss(&slot, Instruction::Leave);
        true
    }

    fn dismiss(&mut self, slot: &Arc<ConnectionSlot>, instruction: Instruction) {
        slot.give(instruction);
        self.slots.remove(&slot.id);
        self.leaving.insert(slot.id, Arc::clone(slot));
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.registry.open();
        if open.slots.remove(&self.slot.id).is_none() {
            open.leaving.remove(&self.slot.id);
        }
        self.slot.standing.set_unfinished(0);
        if open.slots.is_empty() {
            open.empty_since.get_or_insert_with(Instant::now);
        }
        if open.is_empty_but_for_waiting() {
            self.registry.0.empty.notify_waiters();
        }
    }
}

pub(super) fn dismissal(instruction: Instruction, total_limit: usize) -> (RpcError, ConnectionEnd) {
    let (message, limit, end) = if instruction == Instruction::Unload {
        let message = format!(
            "all connections together hold more than {total_limit} bytes, this one most that is unfinished"
        );
        (message, "total_bytes", ConnectionEnd::Unloaded)
    } else {
        let message = "this connection was idle and another client needed its place".to_owned();
        (message, "connections", ConnectionEnd::Evicted)
    };
    let error = RpcError::new(ErrorKind::Busy, message).with("limit", limit);
    (error.hint("connect again"), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_idle_one_makes_room() {
        let registry = Registry::new(3, usize::MAX);
        let admitted: Vec<Admitted> = (0..3).map(|_| registry.admit(1).unwrap()).collect();
        admitted[0].slot.touch();
        admitted[1].slot.set_busy(true);
        let instruction = |index: usize| admitted[index].slot.instruction.load(Ordering::Relaxed);
        let fourth = registry.admit(1).unwrap();
        assert_eq!([instruction(0), instruction(1), instruction(2)], [0, 0, Instruction::Leave as u8]);
        let fifth = registry.admit(1).unwrap();
        assert_eq!(
            [instruction(0), instruction(1), instruction(2)],
            [Instruction::Leave as u8, 0, Instruction::Leave as u8]
        );
        fourth.slot.set_busy(true);
        fifth.slot.set_busy(true);
        assert!(registry.admit(1).is_none());
        assert_eq!(registry.count(), 3);
        assert!(registry.empty_since().is_none());
        registry.finish();
        drop((admitted, fourth, fifth));
        registry.emptied().await;
        assert!(registry.empty_since().is_some());
    }

    fn dismissed(admitted: &Admitted) -> Option<Instruction> {
        let instruction = admitted.slot.instruction.load(Ordering::Relaxed);
        [Instruction::Leave, Instruction::Unload].into_iter().find(|known| *known as u8 == instruction)
    }

    #[test]
    fn regression_a_crowd_does_not_cost_an_active_client_its_place() {
        let registry = Registry::new(8, usize::MAX);
        let active = registry.admit(1).unwrap();
        active.slot.standing.answer();
        // The crowd is as active, and has sent later.
        let crowd: Vec<Admitted> = (0..1000)
            .map(|_| {
                let admitted = registry.admit(2).unwrap();
                admitted.slot.standing.answer();
                admitted.slot.touch();
                admitted
            })
            .collect();
        assert_eq!(dismissed(&active), None);
        assert_eq!(crowd.iter().filter(|one| dismissed(one).is_none()).count(), 7);
    }

    #[test]
    fn who_has_said_less_goes_first_whatever_came_last() {
        let registry = Registry::new(4, usize::MAX);
        let [answered, subscribed, greeted, silent] =
            [1, 1, 1, 2].map(|process| registry.admit(process).unwrap());
        answered.slot.standing.answer();
        let _stay = subscribed.slot.standing.stay();
        greeted.slot.standing.greet();
        silent.slot.touch();
        let mut later = Vec::new();
        let mut gone = Vec::new();
        for _ in 0..4 {
            let next = registry.admit(3).unwrap();
            next.slot.standing.answer();
            later.push(next);
            gone.push([&silent, &greeted, &subscribed, &answered].map(|one| dismissed(one).is_some()));
        }
        assert_eq!(gone[0], [true, false, false, false]);
        // Of those that were answered lately the process with most of them loses first, and who lasts stays.
        assert_eq!(gone[3], [true, false, false, true]);
    }

    #[test]
    fn who_holds_most_that_is_unfinished_goes_until_all_hold_little_enough() {
        let registry = Registry::new(9, 10 << 20);
        let [small, large, larger, working] = [1, 2, 3, 4].map(|process| registry.admit(process).unwrap());
        small.slot.standing.set_unfinished(1000);
        large.slot.standing.set_unfinished(3 << 20);
        larger.slot.standing.set_unfinished(4 << 20);
        let kept = working.slot.standing.keep(2 << 20);
        registry.unload();
        assert!([&small, &large, &larger, &working].iter().all(|one| dismissed(one).is_none()));
        small.slot.standing.set_unfinished(2000);
        larger.slot.standing.set_unfinished(5 << 20);
        // Once a connection is asked to leave, its bytes do not count any more.
        registry.unload();
        registry.unload();
        assert_eq!(dismissed(&larger), Some(Instruction::Unload));
        assert!([&small, &large, &working].iter().all(|one| dismissed(one).is_none()));
        drop(larger);
        // No unfinished bytes would help: a connection with work in progress goes, and small ones stay in any
        // case.
        large.slot.standing.set_unfinished(0);
        let more = working.slot.standing.keep(8 << 20);
        registry.unload();
        assert_eq!(dismissed(&working), Some(Instruction::Unload));
        drop((working, kept));
        registry.unload();
        assert!([&small, &large].iter().all(|one| dismissed(one).is_none()));
        drop(more);
    }
}
