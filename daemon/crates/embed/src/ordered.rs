//! Work on many items by several threads, with the results in the order of the items and a bound on the
//! results that wait. Knows nothing of the work.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most weight and the most items of a batch.
const BATCH: (u64, usize) = (256 << 10, 32);
/// The most weight that is under way at a time, unless a single batch weighs more.
const WINDOW: u64 = 6 << 20;

/// Calls `take` on this thread, in order, until it breaks. `weight` returns about how much memory an item's
/// result holds.
pub(super) fn in_order<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    weight: impl Fn(&T) -> u64,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(&T, R) -> ControlFlow<()>,
) {
    let batches = batches(items, weight);
    if threads < 2 || batches.len() < 2 {
        for item in items {
            if take(item, work(item)).is_break() {
                return;
            }
        }
        return;
    }
    let line = WorkLine {
        state: Mutex::new(LineState::default()),
        claimed: Condvar::new(),
        finished: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(batches.len()) {
            scope.spawn(|| {
                let _guard = EndOnPanic(&line);
                while let Some(index) = line.claim(&batches) {
                    let results = items[batches[index].0.clone()].iter().map(&work).collect();
                    line.finish(index, results);
                }
            });
        }
        // Dropped however this closure ends, so that the threads are never waited for in vain.
        let _end = EndOnDrop(&line);
        for (index, (range, weight)) in batches.iter().enumerate() {
            let Some(results) = line.await_batch(index, *weight) else { return };
            for (item, result) in items[range.clone()].iter().zip(results) {
                if take(item, result).is_break() {
                    return;
                }
            }
        }
    });
}

fn batches<T>(items: &[T], weight: impl Fn(&T) -> u64) -> Vec<(Range<usize>, u64)> {
    let mut batches: Vec<(Range<usize>, u64)> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let own = weight(item);
        match batches.last_mut() {
            Some((range, total)) if *total + own <= BATCH.0 && range.len() < BATCH.1 => {
                range.end = index + 1;
                *total += own;
            }
            _ => batches.push((index..index + 1, own)),
        }
    }
    batches
}

struct WorkLine<R> {
    state: Mutex<LineState<R>>,
    claimed: Condvar,
    finished: Condvar,
}

struct LineState<R> {
    next: usize,
    under_way: u64,
    done: BTreeMap<usize, Vec<R>>,
    ended: bool,
}

impl<R> Default for LineState<R> {
    fn default() -> LineState<R> {
        LineState { next: 0, under_way: 0, done: BTreeMap::new(), ended: false }
    }
}

impl<R> WorkLine<R> {
    fn lock(&self) -> MutexGuard<'_, LineState<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claim(&self, batches: &[(Range<usize>, u64)]) -> Option<usize> {
        let mut state = self.lock();
        loop {
            if state.ended {
                return None;
            }
            let (_, weight) = batches.get(state.next)?;
            if state.under_way == 0 || state.under_way + weight <= WINDOW {
                state.under_way += weight;
                state.next += 1;
                return Some(state.next - 1);
            }
            state = self.claimed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, index: usize, results: Vec<R>) {
        self.lock().done.insert(index, results);
        self.finished.notify_one();
    }

    fn await_batch(&self, index: usize, weight: u64) -> Option<Vec<R>> {
        let mut state = self.lock();
        loop {
            if let Some(results) = state.done.remove(&index) {
                state.under_way -= weight;
                self.claimed.notify_all();
                return Some(results);
            }
            if state.ended {
                return None;
            }
            state = self.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self) {
        self.lock().ended = true;
        self.claimed.notify_all();
        self.finished.notify_all();
    }
}

/// Ends the threads on drop, however the thread that takes their results goes on.
struct EndOnDrop<'a, R>(&'a WorkLine<R>);

impl<R> Drop for EndOnDrop<'_, R> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Ends the others on drop in a panic, so that they do not wait for the thread that has panicked; the panic
/// goes on when they are joined.
struct EndOnPanic<'a, R>(&'a WorkLine<R>);

impl<R> Drop for EndOnPanic<'_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_they_weigh() {
        let items: Vec<u64> = (0..2_000).map(|number| (number * 7_919) % 900_000).collect();
        for threads in [1, 2, 5] {
            let mut taken = Vec::new();
            let work = |item: &u64| item * 2;
            in_order(
                &items,
                threads,
                |item| *item,
                work,
                |item, result| {
                    assert_eq!(item * 2, result);
                    taken.push(*item);
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(taken, items);
        }
    }

    #[test]
    fn it_ends_early() {
        let items: Vec<u64> = (0..10_000).collect();
        let mut taken = 0;
        in_order(
            &items,
            3,
            |_| 10_000,
            |item| *item,
            |item, _| {
                taken += 1;
                if *item == 500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(taken, 501);
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_of_the_work_is_a_panic() {
        let items: Vec<u64> = (0..10_000).collect();
        let work = |item: &u64| assert_ne!(*item, 700);
        in_order(&items, 3, |_| 10_000, work, |_, ()| ControlFlow::Continue(()));
    }
}
