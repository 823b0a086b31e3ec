//! The plans that a project keeps: bounded in number and bytes, and not for ever.
//!
//! A connection makes room among its own plans, and where all together are too many, whoever has made most of
//! them does: no caller drives another's plans out. Time is passed in.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clada_apply::{Progress, SavedPlan};
use clada_protocol::{CallerKind, ErrorKind, ExecutionResult, RpcError};

// The time for which a plan is kept.
pub(crate) const LIFETIME: Duration = Duration::from_secs(30 * 60);
// The most plans of a connection that a project keeps at a time.
pub(crate) const MAX_PLANS: usize = 32;
// The most plans of all connections that a project keeps at a time.
pub(crate) const MAX_ALL: usize = 256;
const MAX_BYTES: usize = 256 << 20;
// The most bytes of a project's plans together. The last one is kept whatever its size, and with its effects.
const MAX_TOGETHER: usize = 4 << 20;

#[derive(Debug, Default)]
pub(crate) struct Plans {
    entries: VecDeque<PlanEntry>,
}

// The one who made a plan, and may carry it out: on any connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Maker {
    /// The kind of caller.
    pub caller: CallerKind,
    /// The folders that it is narrowed to, resolved; `None`: it is not.
    pub roots: Option<Vec<PathBuf>>,
}

#[derive(Debug)]
pub(super) struct PlanEntry {
    id: String,
    maker: Maker,
    connection: u64,
    since: Instant,
    plan: Arc<SavedPlan>,
    bytes: usize,
    progress: Progress,
}

impl Plans {
    pub(crate) fn keep(
        &mut self,
        id: String,
        (maker, connection): (Maker, u64),
        plan: SavedPlan,
        now: Instant,
    ) -> Result<usize, RpcError> {
        let bytes = plan.bytes();
        if bytes > MAX_BYTES {
            let message = format!("The plan would take {bytes} bytes, at most {MAX_BYTES} are kept");
            return Err(RpcError::new(ErrorKind::LimitExceeded, message).hint("plan the answer in parts"));
        }
        drop(self.take_expired(now));
        // The effects of one plan may be larger than all plans.
        self.entries.iter().for_each(|entry| entry.plan.forget_effects());
        let progress = Progress::default();
        let plan = Arc::new(plan);
        self.entries.push_back(PlanEntry { id, maker, connection, since: now, plan, bytes, progress });
        let of_connection = |entry: &PlanEntry| entry.connection == connection;
        if self.entries.iter().filter(|entry| of_connection(entry)).count() > MAX_PLANS
            && let Some(oldest) = self.entries.iter().position(of_connection)
        {
            self.entries.remove(oldest);
        }
        while self.entries.len() > MAX_ALL || (self.entries.len() > 1 && self.bytes() > MAX_TOGETHER) {
            let Some(oldest) = self.oldest_of_most() else { break };
            self.entries.remove(oldest);
        }
        Ok(self.entries.iter().filter(|entry| of_connection(entry)).count())
    }

    // Never the last plan.
    fn oldest_of_most(&self) -> Option<usize> {
        let older = self.entries.len().saturating_sub(1);
        let mut makers: Vec<(&Maker, usize)> = Vec::new();
        for PlanEntry { maker, bytes, .. } in &self.entries {
            match makers.iter_mut().find(|(known, _)| *known == maker) {
                Some((_, all)) => *all += bytes,
                None => makers.push((maker, *bytes)),
            }
        }
        let bytes_of =
            |maker: &Maker| makers.iter().find(|(known, _)| *known == maker).map(|(_, bytes)| *bytes);
        // Of equals the first, which is the oldest.
        (0..older).rev().max_by_key(|at| bytes_of(&self.entries[*at].maker))
    }

    // The plan stays: a write that failed can be tried again. Fails with `plan_not_found`.
    pub(crate) fn get(&mut self, id: &str, maker: &Maker, now: Instant) -> Result<Arc<SavedPlan>, RpcError> {
        drop(self.take_expired(now));
        let entry = self.entries.iter().find(|entry| entry.id == id && entry.maker == *maker);
        let entry = entry.map(|entry| Arc::clone(&entry.plan));
        entry.ok_or_else(|| {
            RpcError::new(ErrorKind::PlanNotFound, format!("There is no plan '{id}', or it has expired"))
                .with("planId", id)
                .hint("apply the answer again")
        })
    }

    pub(crate) fn progress(&self, id: &str) -> Progress {
        let entry = self.entries.iter().find(|entry| entry.id == id);
        entry.map(|entry| entry.progress.clone()).unwrap_or_default()
    }

    pub(crate) fn carried_out(&mut self, id: &str, accept: Option<&[String]>, result: &ExecutionResult) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) {
            entry.progress.add(&entry.plan, accept, result);
            entry.plan.forget_effects();
        }
    }

    pub(super) fn has_any(&self, now: Instant) -> bool {
        self.entries.iter().any(|entry| is_alive(entry.since, now))
    }

    pub(crate) fn remove(&mut self, id: &str, now: Instant) -> bool {
        drop(self.take_expired(now));
        let at = self.entries.iter().position(|entry| entry.id == id);
        at.and_then(|at| self.entries.remove(at)).is_some()
    }

    pub(super) fn take_expired(&mut self, now: Instant) -> VecDeque<PlanEntry> {
        let expired = self.entries.partition_point(|entry| !is_alive(entry.since, now));
        let alive = self.entries.split_off(expired);
        std::mem::replace(&mut self.entries, alive)
    }

    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.bytes).sum()
    }
}

fn is_alive(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) < LIFETIME
}
