//! The handlers that come with the server, by which programs learn about each other.

mod hello;
mod status;

use std::sync::Arc;

use clada_protocol::DiscoverResult;
use clada_protocol::handshake::ShutdownResult;
use clada_protocol::method::{Discover, Hello, Shutdown, Status};

use super::cancel::CancelReason;
use super::context::Context;
use super::dispatch::DispatchBuilder;
use super::shared::ServerShared;

pub(super) fn register(methods: &mut DispatchBuilder, shared: &Arc<ServerShared>) {
    let check = Arc::clone(&shared.root_check);
    methods
        .register::<Hello, _, _>(move |context, params| hello::answer(context, params, Arc::clone(&check)));
    methods.register::<Discover, _, _>(|_, _| std::future::ready(Ok(DiscoverResult::current())));
    let status = status::Reporter::new(Arc::clone(shared));
    methods
        .register::<Status, _, _>(move |context, _| std::future::ready(Ok(status.answer(context.scope()))));
    let shared = Arc::clone(shared);
    methods
        .register::<Shutdown, _, _>(move |context, _| std::future::ready(Ok(shut_down(&context, &shared))));
}

// The connection that sent it is closed last, when all requests are finished, so its client can wait for the end.
fn shut_down(context: &Context, shared: &ServerShared) -> ShutdownResult {
    tracing::info!(connection = context.connection(), "asked to end");
    shared.registry.asked_to_end(context.connection());
    let running = shared.running.count() as u64;
    shared.stop.cancel(CancelReason::Stopping);
    ShutdownResult { running }
}
