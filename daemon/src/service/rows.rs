//! The rows of the table of methods: from a method's types and the function that does it to a handler.
//!
//! A row says in which way a method runs and for how long it may; who may call it says the table of the
//! protocol. Knows no method.

use std::future::Future;
use std::sync::Arc;

use clada_protocol::method::{CallSettings, Method};
use clada_protocol::{
    ApproveAddParams, ApproveListParams, ApproveRemoveParams, CheckpointBeginParams, CheckpointDropParams,
    CheckpointEndParams, CheckpointListParams, ContextChangeParams, ContextParams, ExecuteSavedParams,
    GitSquashParams, GitStepParams, HistoryAdoptParams, HistoryListParams, HistoryShowParams, PlanDropParams,
    ProjectChangesParams, ProjectInitParams, ProjectParams, RpcError, SessionCloseParams, SessionGetParams,
    SessionListParams, SessionOpenParams, SessionSetCwdParams, StageConfirmParams, StageWriteBackParams,
    TrustAddParams, TrustRemoveParams, TrustShowParams, UndoParams,
};
use clada_server::{Context, DispatchBuilder};
use tokio::time::Instant;

use super::requested::{LONGEST, Requested};
use crate::engine::{Engine, ProjectRequest, RequestContext};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Short,
    /// As much as it takes: a tree is read, the user is asked, or commands run. A client that goes away ends
    /// it.
    Whole,
}

type RowWork<On, M> = fn(&On, &<M as Method>::Params) -> Result<<M as Method>::Result, RpcError>;

type EngineWork<M> =
    fn(&Arc<Engine>, &<M as Method>::Params, &CallSettings) -> Result<<M as Method>::Result, RpcError>;

pub(super) trait OfProject {
    fn root(&self) -> &str;

    fn is_dry_run(&self) -> bool {
        false
    }
}

macro_rules! of_project {
    ($($params:ty),* $(,)?) => {$(
        impl OfProject for $params {
            fn root(&self) -> &str {
                &self.root
            }
        }
    )*};
    (with dry runs: $($params:ty),* $(,)?) => {$(
        impl OfProject for $params {
            fn root(&self) -> &str {
                &self.root
            }

            fn is_dry_run(&self) -> bool {
                self.dry_run
            }
        }
    )*};
}

of_project! {
    CheckpointBeginParams, CheckpointDropParams, CheckpointEndParams, CheckpointListParams, ExecuteSavedParams,
    ApproveAddParams, ApproveListParams, ApproveRemoveParams, ContextChangeParams, ContextParams,
    GitSquashParams, GitStepParams, HistoryAdoptParams, HistoryListParams, HistoryShowParams, PlanDropParams,
    ProjectChangesParams, ProjectInitParams, ProjectParams, SessionCloseParams, SessionGetParams,
    SessionListParams, SessionOpenParams, SessionSetCwdParams, StageConfirmParams, TrustAddParams,
    TrustRemoveParams, TrustShowParams,
}
of_project!(with dry runs: StageWriteBackParams, UndoParams);

pub(super) struct Rows<'a, S> {
    pub(super) engine: &'a Arc<Engine>,
    pub(super) service: &'a S,
    pub(super) methods: &'a mut DispatchBuilder,
}

impl<S: Clone + Send + Sync + 'static> Rows<'_, S> {
    pub(super) fn blocking<M: Method>(&mut self, time: Time, work: RowWork<ProjectRequest, M>)
    where
        M::Params: OfProject,
    {
        let engine = Arc::clone(self.engine);
        self.methods.register::<M, _, _>(move |context: Context, params: M::Params| {
            let engine = Arc::clone(&engine);
            set_deadline(&context, time);
            context.blocking(move |context| work(&request(&engine, context, &params)?, &params))
        });
    }

    /// Dry runs do not wait. A whole `execute` has no deadline.
    pub(super) fn operation<M: Method>(&mut self, work: RowWork<ProjectRequest, M>)
    where
        M::Params: OfProject,
    {
        let engine = Arc::clone(self.engine);
        self.methods.register::<M, _, _>(move |context: Context, params: M::Params| {
            let engine = Arc::clone(&engine);
            async move {
                set_deadline(&context, Time::Whole);
                if params.is_dry_run() {
                    let dry = move |context: &Context| work(&request(&engine, context, &params)?, &params);
                    return context.blocking(dry).await;
                }
                let opened = context.blocking(move |context| {
                    let request = request(&engine, context, &params)?;
                    Ok::<_, RpcError>((Arc::new(request), params))
                });
                let (request, params) = opened.await?;
                let (project, tidying) = (Arc::clone(request.project()), Arc::clone(&request));
                let waits = Requested::new(&context);
                let work = move || work(&request, &params);
                project.queue.run(work, move || waits.waiting(), move || tidying.tidy()).await
            }
        });
    }

    pub(super) fn engine<M: Method>(&mut self, work: EngineWork<M>) {
        let engine = Arc::clone(self.engine);
        self.methods.register::<M, _, _>(move |context: Context, params: M::Params| {
            let engine = Arc::clone(&engine);
            context.blocking(move |context| work(&engine, &params, context.settings()))
        });
    }

    pub(super) fn handler<M, F>(&mut self, time: Time, handler: fn(S, Context, M::Params) -> F)
    where
        M: Method,
        F: Future<Output = Result<M::Result, RpcError>> + Send + 'static,
    {
        let service = self.service.clone();
        self.methods.register::<M, _, _>(move |context: Context, params: M::Params| {
            set_deadline(&context, time);
            handler(service.clone(), context, params)
        });
    }
}

pub(super) fn set_deadline(context: &Context, time: Time) {
    if time == Time::Whole {
        context.set_deadline(Instant::now() + LONGEST);
    }
}

fn request(
    engine: &Arc<Engine>,
    context: &Context,
    params: &impl OfProject,
) -> Result<ProjectRequest, RpcError> {
    engine.request(params.root(), Arc::new(Requested::new(context)))
}
