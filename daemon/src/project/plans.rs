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

/// The time for which a plan is kept.
pub const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// The most plans of a connection that a project keeps at a time.
pub const MAX_PLANS: usize = 32;
/// The most plans of all connections that a project keeps at a time.
pub const MAX_ALL: usize = 256;
/// The most bytes of a plan.
const MAX_BYTES: usize = 256 << 20;
/// The most bytes of a project's plans together. The last one is kept whatever its size.
const MAX_TOGETHER: usize = 4 << 20;

/// The plans of one project, oldest first.
#[derive(Debug, Default)]
pub(super) struct Plans {
    kept: VecDeque<Kept>,
}

/// The one who made a plan, and may carry it out: on any connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maker {
    /// The kind of caller.
    pub caller: CallerKind,
    /// The folders that it is narrowed to, resolved; `None`: it is not.
    pub roots: Option<Vec<PathBuf>>,
}

/// A plan that is kept.
#[derive(Debug)]
pub(super) struct Kept {
    id: String,
    maker: Maker,
    connection: u64,
    since: Instant,
    plan: Arc<SavedPlan>,
    /// The memory that it takes, about.
    bytes: usize,
    progress: Progress,
}

impl Plans {
    /// Keeps a plan of `maker` on `connection`; older ones make room for it. Returns the number of those that
    /// are kept of the connection then.
    ///
    /// # Errors
    /// `limit_exceeded` if it is larger than a plan may be.
    pub(super) fn keep(
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
        let progress = Progress::default();
        let plan = Arc::new(plan);
        self.kept.push_back(Kept { id, maker, connection, since: now, plan, bytes, progress });
        let of_connection = |kept: &Kept| kept.connection == connection;
        if self.kept.iter().filter(|kept| of_connection(kept)).count() > MAX_PLANS
            && let Some(oldest) = self.kept.iter().position(of_connection)
        {
            self.kept.remove(oldest);
        }
        while self.kept.len() > MAX_ALL || (self.kept.len() > 1 && self.bytes() > MAX_TOGETHER) {
            let Some(oldest) = self.oldest_of_most() else { break };
            self.kept.remove(oldest);
        }
        Ok(self.kept.iter().filter(|kept| of_connection(kept)).count())
    }

    /// Returns the place of the oldest plan, but for the last one, of the maker whose plans take most bytes.
    fn oldest_of_most(&self) -> Option<usize> {
        let older = self.kept.len().saturating_sub(1);
        let mut makers: Vec<(&Maker, usize)> = Vec::new();
        for Kept { maker, bytes, .. } in &self.kept {
            match makers.iter_mut().find(|(known, _)| *known == maker) {
                Some((_, all)) => *all += bytes,
                None => makers.push((maker, *bytes)),
            }
        }
        let bytes_of =
            |maker: &Maker| makers.iter().find(|(known, _)| *known == maker).map(|(_, bytes)| *bytes);
        // Of equals the first, which is the oldest.
        (0..older).rev().max_by_key(|at| bytes_of(&self.kept[*at].maker))
    }

    /// Returns the plan with this id, if `maker` has made it. It stays: a write that failed can be tried
    /// again.
    ///
    /// # Errors
    /// `plan_not_found`.
    pub(super) fn get(&mut self, id: &str, maker: &Maker, now: Instant) -> Result<Arc<SavedPlan>, RpcError> {
        drop(self.take_expired(now));
        let found = self.kept.iter().find(|kept| kept.id == id && kept.maker == *maker);
        let found = found.map(|kept| Arc::clone(&kept.plan));
        found.ok_or_else(|| {
            RpcError::new(ErrorKind::PlanNotFound, format!("There is no plan '{id}', or it has expired"))
                .with("planId", id)
                .hint("apply the answer again")
        })
    }

    /// Returns how far the plan with this id has come; the beginning, if it is gone.
    pub(super) fn progress(&self, id: &str) -> Progress {
        let found = self.kept.iter().find(|kept| kept.id == id);
        found.map(|kept| kept.progress.clone()).unwrap_or_default()
    }

    /// Notes that what `accept` names of the plan with this id was carried out with this result.
    pub(super) fn carried_out(&mut self, id: &str, accept: Option<&[String]>, result: &ExecutionResult) {
        if let Some(kept) = self.kept.iter_mut().find(|kept| kept.id == id) {
            kept.progress.add(&kept.plan, accept, result);
        }
    }

    /// Returns whether there is a plan within its lifetime.
    pub(super) fn has_any(&self, now: Instant) -> bool {
        self.kept.iter().any(|kept| is_alive(kept.since, now))
    }

    /// Drops the plan with this id; returns whether it was still there.
    pub(super) fn remove(&mut self, id: &str, now: Instant) -> bool {
        drop(self.take_expired(now));
        let found = self.kept.iter().position(|kept| kept.id == id);
        found.and_then(|at| self.kept.remove(at)).is_some()
    }

    /// Takes those that are past their lifetime.
    pub(super) fn take_expired(&mut self, now: Instant) -> VecDeque<Kept> {
        let expired = self.kept.partition_point(|kept| !is_alive(kept.since, now));
        let alive = self.kept.split_off(expired);
        std::mem::replace(&mut self.kept, alive)
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }
}

/// Returns whether what was kept at `since` is within its lifetime.
fn is_alive(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) < LIFETIME
}
