//! The handler of `embed`: its notifications, and the context of the session.

use std::borrow::Cow;
use std::cell::Cell;

use clada_apply::WorkingSet;
use clada_embed::Embedded;
use clada_protocol::{
    EMBED_EVENT, EmbedEvent, EmbedEventKind, EmbedParams, EmbedResult, ErrorKind, RpcError,
};
use clada_server::Context;

use super::Service;
use crate::engine::EmbedCall;

impl Service {
    pub(super) async fn embed(self, context: Context, params: EmbedParams) -> Result<EmbedResult, RpcError> {
        // A large document takes as long as its reader does; a client that goes away cancels it.
        let request = self.request(&context, params.root.clone()).await?;
        let set = match params.session_context || params.changed || params.session.is_some() {
            true => request.project().sessions().working_set(context.caller(), params.session.as_deref())?,
            false => WorkingSet::default(),
        };
        let session = if params.session_context { set.paths() } else { Vec::new() };
        let since = if params.changed { set.embedded_clock() } else { None };
        context
            .blocking(move |context| {
                let events = Events { context, next: Cell::new(0) };
                let call = EmbedCall {
                    caller: context.caller(),
                    context: &session,
                    since: since.as_deref(),
                    text: &|piece| events.text(piece),
                    progress: &|done, total| {
                        if params.stream {
                            events.progress(done, total);
                        }
                        context.progress(|step| {
                            (step.done, step.total) = (done, Some(total));
                            step.message = "reads files".to_owned();
                        });
                    },
                };
                let Embedded { result, is_part } = request.embed(&params, &call)?;
                if result.bytes > 0 {
                    set.used(&session);
                    // What was only named, and the changes elsewhere, are still to be seen.
                    let is_shown = params.changed && !is_part && !params.tree_only;
                    if let Some(clock) = result.clock.clone().filter(|_| is_shown) {
                        set.set_embedded_clock(clock);
                    }
                }
                Ok(result)
            })
            .await
    }
}

struct Events<'a> {
    context: &'a Context,
    next: Cell<u64>,
}

impl Events<'_> {
    fn event(&self, kind: EmbedEventKind) -> EmbedEvent<'static> {
        let seq = self.next.get();
        self.next.set(seq + 1);
        EmbedEvent { request: self.context.id().cloned(), seq, kind, ..EmbedEvent::default() }
    }

    /// Sends a piece of the document; waits while the client does not read.
    fn text(&self, piece: &str) -> Result<(), RpcError> {
        self.context.check()?;
        let event = EmbedEvent { text: Some(Cow::Borrowed(piece)), ..self.event(EmbedEventKind::Text) };
        self.context.notifier().send_blocking(EMBED_EVENT, &event).map_err(|error| {
            RpcError::new(ErrorKind::Cancelled, format!("The document cannot be sent: {error}"))
        })
    }

    /// A client that does not read misses this one, and nothing else.
    fn progress(&self, done: u64, total: u64) {
        let event =
            EmbedEvent { done: Some(done), total: Some(total), ..self.event(EmbedEventKind::Progress) };
        let _ = self.context.notifier().try_send(EMBED_EVENT, &event);
    }
}
