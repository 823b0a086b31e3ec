//! The handlers of `context.*` and `session.list`.

use std::sync::Arc;

use clada_protocol::method::{
    ContextAdd, ContextClear, ContextList, ContextPrune, ContextRemove, SessionList,
};
use clada_protocol::{ContextResult, RpcError, SessionListResult};
use clada_server::{Context, DispatchBuilder};

use super::Service;
use crate::engine::{Engine, WorkingSetChange};

impl Service {
    pub(super) fn register_context(&self, methods: &mut DispatchBuilder) {
        // All methods of the context differ only in the change, so that they share one handler.
        let service = self.clone();
        methods.register::<ContextAdd, _, _>(move |context, params| {
            service.clone().context(context, params.root, params.session, WorkingSetChange::Add(params.paths))
        });
        let service = self.clone();
        methods.register::<ContextRemove, _, _>(move |context, params| {
            service.clone().context(
                context,
                params.root,
                params.session,
                WorkingSetChange::Remove(params.paths),
            )
        });
        let service = self.clone();
        methods.register::<ContextList, _, _>(move |context, params| {
            service.clone().context(context, params.root, params.session, WorkingSetChange::Nothing)
        });
        let service = self.clone();
        methods.register::<ContextPrune, _, _>(move |context, params| {
            service.clone().context(context, params.root, params.session, WorkingSetChange::Prune)
        });
        let service = self.clone();
        methods.register::<ContextClear, _, _>(move |context, params| {
            service.clone().context(context, params.root, params.session, WorkingSetChange::Clear)
        });
        let service = self.clone();
        methods.register::<SessionList, _, _>(move |context, params| {
            let service = service.clone();
            async move {
                let sessions = service.project(&context, params.root).await?.sessions().await?;
                Ok(SessionListResult { sessions })
            }
        });
    }

    async fn context(
        self,
        context: Context,
        root: String,
        session: Option<String>,
        change: WorkingSetChange,
    ) -> Result<ContextResult, RpcError> {
        let project = self.project(&context, root.clone()).await?;
        let set = project.working_set(session.clone()).await?;
        let session = project.session(session).await?.session;
        let engine: Arc<Engine> = Arc::clone(&self.engine);
        context.blocking(move |_| engine.change_context(&root, session, &set, change)).await
    }
}
