//! `shutdown`: finishes the running requests and ends the daemon. The connection that sent it is closed last,
//! when all are finished, so its client can wait for the end.

use clada_protocol::handshake::ShutdownResult;

use crate::cancel::CancelReason;
use crate::context::Context;
use crate::server::ServerShared;

pub(super) fn answer(context: &Context, shared: &ServerShared) -> ShutdownResult {
    tracing::info!(connection = context.connection(), "asked to end");
    shared.registry.asked_to_end(context.connection());
    let running = shared.running.count() as u64;
    shared.stop.cancel(CancelReason::Stopping);
    ShutdownResult { running }
}
