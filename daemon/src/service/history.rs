//! The methods about past operations: `history.list`, `history.show`, `undo`, `redo`.

use std::sync::Arc;

use clada_protocol::method::{HistoryList, HistoryShow, Redo, Undo};
use clada_protocol::{RpcError, UndoParams, UndoResult};
use clada_server::{Context, DispatchBuilder};
use tokio::time::Instant;

use super::{LONGEST, Requested, Service};
use crate::engine::{Control, Way};

impl Service {
    pub(super) fn register_history(&self, methods: &mut DispatchBuilder) {
        let service = self.clone();
        methods.register::<HistoryList, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.list_history(&params))
        });
        let service = self.clone();
        methods.register::<HistoryShow, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.show_history(&params))
        });
        let service = self.clone();
        methods
            .register::<Undo, _, _>(move |context, params| service.clone().undo(context, params, Way::Back));
        let service = self.clone();
        methods.register::<Redo, _, _>(move |context, params| {
            service.clone().undo(context, params, Way::Forward)
        });
    }

    async fn undo(self, context: Context, params: UndoParams, way: Way) -> Result<UndoResult, RpcError> {
        // As an execute, it has no deadline.
        context.set_deadline(Instant::now() + LONGEST);
        let project = self.project(&context, params.root.clone()).await?;
        let (engine, tidying, root) =
            (Arc::clone(&self.engine), Arc::clone(&self.engine), params.root.clone());
        let control = Requested::new(&context);
        if params.dry_run {
            return context.blocking(move |_| engine.undo(&params, way, &control)).await;
        }
        let told = Requested::new(&context);
        let work = move || engine.undo(&params, way, &control);
        project.exclusively(work, move || told.waiting(), move || tidying.tidy(&root)).await
    }
}
