//! `shutdown`: finishes what runs and ends the daemon.

use clada_protocol::handshake::ShutdownResult;

use crate::rpc::cancel::CancelReason;
use crate::rpc::context::Context;
use crate::rpc::server::Shared;

pub(super) fn answer(context: &Context, shared: &Shared) -> ShutdownResult {
    tracing::info!(connection = context.connection(), "asked to end");
    let running = shared.running.count() as u64;
    shared.stop.cancel(CancelReason::Stopping);
    ShutdownResult { running }
}
