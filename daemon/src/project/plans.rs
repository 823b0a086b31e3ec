//! The plans that a project keeps: bounded in number and bytes, and not for ever.
//!
//! Time is passed in.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clada_apply::SavedPlan;
use clada_protocol::{ErrorKind, RpcError};

/// The time for which a plan is kept.
pub const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// The most plans that a project keeps at a time.
const MAX_PLANS: usize = 32;
/// The most bytes of a plan.
const MAX_BYTES: usize = 256 << 20;
/// The most bytes of a project's plans together. The last one is kept whatever its size.
const MAX_TOGETHER: usize = 4 << 20;

/// The plans of one project, oldest first.
#[derive(Debug, Default)]
pub(super) struct Plans {
    kept: VecDeque<Kept>,
}

/// A plan that is kept.
#[derive(Debug)]
pub(super) struct Kept {
    id: String,
    /// The one who may carry it out.
    maker: String,
    since: Instant,
    plan: Arc<SavedPlan>,
}

impl Plans {
    /// Keeps a plan; the oldest make room for it. Returns the number of those that are kept then.
    ///
    /// # Errors
    /// `limit_exceeded` if it is larger than a plan may be.
    pub(super) fn keep(
        &mut self,
        id: String,
        maker: &str,
        plan: SavedPlan,
        now: Instant,
    ) -> Result<usize, RpcError> {
        if plan.bytes() > MAX_BYTES {
            let message = format!("The plan would take {} bytes, at most {MAX_BYTES} are kept", plan.bytes());
            return Err(RpcError::new(ErrorKind::LimitExceeded, message).hint("plan the answer in parts"));
        }
        drop(self.take_expired(now));
        self.kept.push_back(Kept { id, maker: maker.to_owned(), since: now, plan: Arc::new(plan) });
        while self.kept.len() > MAX_PLANS || (self.kept.len() > 1 && self.bytes() > MAX_TOGETHER) {
            self.kept.pop_front();
        }
        Ok(self.kept.len())
    }

    /// Returns the plan with this id, if `maker` has made it. It stays: a write that failed can be tried
    /// again.
    ///
    /// # Errors
    /// `plan_not_found`.
    pub(super) fn get(&mut self, id: &str, maker: &str, now: Instant) -> Result<Arc<SavedPlan>, RpcError> {
        drop(self.take_expired(now));
        let found = self.kept.iter().find(|kept| kept.id == id && kept.maker == maker);
        let found = found.map(|kept| Arc::clone(&kept.plan));
        found.ok_or_else(|| {
            RpcError::new(ErrorKind::PlanNotFound, format!("There is no plan '{id}', or it has expired"))
                .with("planId", id)
                .hint("plan the answer again")
        })
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
        self.kept.iter().map(|kept| kept.plan.bytes()).sum()
    }
}

/// Returns whether what was kept at `since` is within its lifetime.
fn is_alive(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) < LIFETIME
}
