//! The methods about commits: `git.squash`, `git.step_back`, `git.step_forward`.

use std::sync::Arc;

use clada_protocol::method::{GitSquash, GitStepBack, GitStepForward};
use clada_protocol::{GitSquashParams, GitSquashResult, GitStepParams, GitStepResult, RpcError};
use clada_server::{Context, DispatchBuilder};
use tokio::time::Instant;

use super::{LONGEST, Requested, Service};
use crate::engine::{Control, Way};

impl Service {
    pub(super) fn register_git(&self, methods: &mut DispatchBuilder) {
        let service = self.clone();
        methods.register::<GitSquash, _, _>(move |context, params| service.clone().squash(context, params));
        let service = self.clone();
        methods.register::<GitStepBack, _, _>(move |context, params| {
            service.clone().step(context, params, Way::Back)
        });
        let service = self.clone();
        methods.register::<GitStepForward, _, _>(move |context, params| {
            service.clone().step(context, params, Way::Forward)
        });
    }

    async fn squash(self, context: Context, params: GitSquashParams) -> Result<GitSquashResult, RpcError> {
        context.set_deadline(Instant::now() + LONGEST);
        let project = self.project(&context, params.root.clone()).await?;
        let (engine, control, told) =
            (Arc::clone(&self.engine), Requested::new(&context), Requested::new(&context));
        project.exclusively(move || engine.squash(&params, &control), move || told.waiting(), || {}).await
    }

    async fn step(
        self,
        context: Context,
        params: GitStepParams,
        way: Way,
    ) -> Result<GitStepResult, RpcError> {
        context.set_deadline(Instant::now() + LONGEST);
        let project = self.project(&context, params.root.clone()).await?;
        let (engine, control, told) =
            (Arc::clone(&self.engine), Requested::new(&context), Requested::new(&context));
        project.exclusively(move || engine.step(&params, way, &control), move || told.waiting(), || {}).await
    }
}
