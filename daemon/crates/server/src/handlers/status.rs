//! `status`: the state of the daemon. Answered without a task, so nothing in here may take time.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clada_protocol::CallerKind;
use clada_protocol::framing::{BLOCK_BYTES, BLOCK_LINES};
use clada_protocol::handshake::{PROTOCOL, StatusResult};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::limits::{HTTP_HEADER_LINES, HTTP_HEADERS, RpcLimits};
use crate::scope::Scope;
use crate::shared::ServerShared;

const MEMORY_AGE: Duration = Duration::from_secs(1);

pub(super) struct Reporter {
    shared: Arc<ServerShared>,
    pid: u32,
    limits: Arc<Map<String, Value>>,
    memory: Mutex<Option<(Instant, Option<u64>)>>,
}

impl Reporter {
    pub(super) fn new(shared: Arc<ServerShared>) -> Reporter {
        let mut limits = describe(&shared.limits);
        limits.extend(
            shared.named_limits.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))),
        );
        let limits = Arc::new(limits);
        Reporter { shared, pid: std::process::id(), limits, memory: Mutex::new(None) }
    }

    pub(super) fn answer(&self, scope: &Scope) -> StatusResult {
        let shared = &self.shared;
        let mut status = StatusResult {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            pid: self.pid,
            uptime_ms: milliseconds(shared.started.elapsed()),
            memory_bytes: self.memory(),
            connections: shared.registry.count() as u64,
            running: shared.running.count() as u64,
            traffic: Some(shared.registry.traffic()),
            limits: Arc::clone(&self.limits),
            ..StatusResult::default()
        };
        for part in &shared.parts {
            part(&mut status);
        }
        if scope.caller == CallerKind::Agent {
            keep_for_agent(&mut status, scope);
        }
        status
    }

    fn memory(&self) -> Option<u64> {
        let mut cached = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        match *cached {
            Some((read, bytes)) if read.elapsed() < MEMORY_AGE => bytes,
            _ => {
                let bytes = resident_bytes();
                *cached = Some((Instant::now(), bytes));
                bytes
            }
        }
    }
}

/// Leaves out what an agent may not know: where the daemon is and writes, projects that are not its own, and
/// warnings, which name paths, and what others do.
fn keep_for_agent(status: &mut StatusResult, scope: &Scope) {
    status.pid = 0;
    status.log_file = None;
    status.socket = None;
    status.warnings = Vec::new();
    status.watches = 0;
    (status.waiting, status.traffic) = (None, None);
    status.projects.retain(|project| scope.roots.is_some() && scope.holds(Path::new(project)));
}

fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn describe(limits: &RpcLimits) -> Map<String, Value> {
    let mut described = Map::new();
    let mut set = |name: &str, value: u64| described.insert(name.to_owned(), Value::from(value));
    set("rpc.frame", limits.frame as u64);
    set("rpc.connections", limits.connections as u64);
    set("rpc.requests", limits.requests as u64);
    set("rpc.requestBytes", limits.request_bytes as u64);
    set("rpc.totalBytes", limits.total_bytes as u64);
    set("rpc.batch", limits.batch as u64);
    set("rpc.answer", limits.answer as u64);
    set("rpc.unread", limits.unread as u64);
    set("rpc.notifications", limits.notifications as u64);
    set("rpc.headerBlock", BLOCK_BYTES as u64);
    set("rpc.headerLines", BLOCK_LINES as u64);
    set("rpc.httpHeaders", HTTP_HEADERS as u64);
    set("rpc.httpHeaderLines", HTTP_HEADER_LINES as u64);
    set("rpc.openingMs", milliseconds(limits.opening));
    set("rpc.stalledReaderMs", milliseconds(limits.stalled_reader));
    set("rpc.readDeadlineMs", milliseconds(limits.read_deadline));
    set("rpc.changeDeadlineMs", milliseconds(limits.change_deadline));
    set("rpc.stopMs", milliseconds(limits.stop));
    if let Some(idle) = limits.idle_exit {
        set("rpc.idleExitMs", milliseconds(idle));
    }
    described
}
