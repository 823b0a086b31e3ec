//! What a server, its door and its own handlers share.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clada_protocol::RpcError;
use clada_protocol::handshake::StatusResult;
use tokio::time::Instant;

use super::caller::Callers;
use super::cancel::CancelToken;
use super::idleness::Idleness;
use super::limits::RpcLimits;
use super::registry::Registry;
use super::running::RunningRequests;

pub(super) type StatusPart = Box<dyn Fn(&mut StatusResult) + Send + Sync>;

pub(super) type Release = Box<dyn Fn() + Send + Sync>;

pub(super) type RootCheck = Arc<dyn Fn(&Path) -> Result<PathBuf, RpcError> + Send + Sync>;

pub(super) struct ServerShared {
    pub(super) started: Instant,
    pub(super) limits: RpcLimits,
    pub(super) registry: Registry,
    pub(super) running: RunningRequests,
    pub(super) stop: CancelToken,
    pub(super) parts: Vec<StatusPart>,
    pub(super) named_limits: Vec<(&'static str, u64)>,
    pub(super) releases: Vec<Release>,
    pub(super) root_check: RootCheck,
    pub(super) idleness: Mutex<Idleness>,
    pub(super) uid: u32,
    pub(super) callers: Callers,
    pub(super) watchdog: Mutex<Option<Watchdog>>,
}

pub(super) struct Watchdog {
    pub(super) every: Duration,
    pub(super) fed: Instant,
}
