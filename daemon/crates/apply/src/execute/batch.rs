//! Consecutive writes of different files: prepared and flushed together, published one by one in their order.
//!
//! A file system commits many files together as fast as one.

use std::collections::HashSet;
use std::iter::Peekable;
use std::time::Instant;

use clada_fs::Prepared;
use clada_schema::Action;

use crate::effect::Effect;
use crate::execute::executor::{Executor, millis};
use crate::execute::writing::like_of;
use crate::failure::Failure;
use crate::planned::Planned;
use crate::results::handing::Delivered;
use crate::results::place::placed;
use crate::results::report;
use crate::write::Write;

/// Writes that are prepared together at most; each holds a descriptor until it is published.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 64 << 20;
const FLUSHERS: usize = 8;

impl Executor<'_> {
    /// Consecutive writes of different files: prepared and flushed together, published in their order.
    pub(super) fn writes(&mut self, batch: Vec<Planned>) {
        let begun = Instant::now();
        let mut writes = Vec::with_capacity(batch.len());
        let mut all_created = Vec::with_capacity(batch.len());
        for Planned { step, outcome, .. } in batch {
            let Ok(Effect::Write(write)) = outcome else { continue };
            let data = report::data(&Effect::Write(write.clone()), &step);
            self.seq = step.seq;
            let ready = match (self.stop)() {
                Some(stop) => Err(stop.failure()),
                None => self.prepare(&write, like_of(&write)),
            };
            let (created, prepared) = match ready {
                Ok((created, prepared)) => (created, Ok(prepared)),
                Err(failure) => (Vec::new(), Err(failure)),
            };
            all_created.push(created);
            writes.push((step, write, data, prepared));
        }
        flush_all(writes.iter_mut().map(|(.., prepared)| prepared).collect());
        let shared = begun.elapsed() / u32::try_from(writes.len().max(1)).unwrap_or(u32::MAX);
        let mut unused = Vec::new();
        for ((step, write, data, prepared), created) in writes.into_iter().zip(all_created) {
            let begun = Instant::now();
            self.seq = step.seq;
            let outcome = prepared.and_then(|prepared| match (self.stop)() {
                Some(stop) => Err(stop.failure()),
                None => self.unbroken(&step).and_then(|()| self.publish(&write, prepared)),
            });
            let matched_by = write.matched_by;
            let within_line = write.line_of_part();
            let output =
                report::ActionOutput { data, matched_by, within_line, ..report::ActionOutput::default() };
            let outcome = outcome.map(|()| output).map_err(|failure| placed(failure, self.roots));
            if outcome.is_err() {
                unused.extend(created);
                self.note_broken(&step);
            }
            self.note_failure(std::slice::from_ref(&write.path), true, &outcome);
            let result = report::result(step, outcome, millis(shared + begun.elapsed()), &mut self.budget);
            self.done.results.push(result);
        }
        // Only now: other writes of the batch may need them, and their temporary files are gone.
        self.remove_created(&unused);
    }
}

/// The writes of different files that `planned` begins with, taken from it: as many as are prepared together.
/// Empty if it begins with something else, such as one that is `delivered`.
pub(super) fn take_batch(
    planned: &mut Peekable<impl Iterator<Item = Planned>>,
    delivered: &Delivered,
) -> Vec<Planned> {
    let (mut batch, mut paths, mut bytes) = (Vec::new(), HashSet::new(), 0);
    // A command that writes a file has events of its own.
    let is_command = |next: &Planned| matches!(next.step.action, Ok(Action::Run(_)));
    while let Some(next) = planned.next_if(|next| {
        pending_write(next, delivered).filter(|_| !is_command(next)).is_some_and(|write| {
            let fits = paths.len() < BATCH && bytes + write.new.len() <= BATCH_BYTES;
            paths.is_empty() || (!write.paths().any(|path| paths.contains(path)) && fits)
        })
    }) {
        if let Some(write) = pending_write(&next, delivered) {
            bytes += write.new.len();
            paths.extend(write.paths().cloned());
        }
        batch.push(next);
    }
    batch
}

/// Flushes what is ready, several at a time; what cannot be flushed is not ready after all.
fn flush_all(mut prepared: Vec<&mut Result<Prepared, Failure>>) {
    let flush = |share: &mut [&mut Result<Prepared, Failure>]| {
        for entry in share {
            if let Ok(prepared) = entry
                && let Err(error) = prepared.sync()
            {
                **entry = Err(error.into());
            }
        }
    };
    if prepared.len() < FLUSHERS {
        return flush(&mut prepared);
    }
    std::thread::scope(|scope| {
        let share = prepared.len().div_ceil(FLUSHERS);
        for share in prepared.chunks_mut(share) {
            scope.spawn(move || flush(share));
        }
    });
}

fn pending_write<'p>(planned: &'p Planned, delivered: &Delivered) -> Option<&'p Write> {
    match &planned.outcome {
        Ok(Effect::Write(write)) if !write.is_unchanged() && !delivered.has_path(&write.path) => Some(write),
        _ => None,
    }
}
