//! The methods about staging: `stage`, `stage.confirm`, `stage.write_back`, and `project.init`.

use std::sync::Arc;
use std::time::Duration;

use clada_protocol::method::{ProjectInit, Stage, StageConfirm, StageWriteBack};
use clada_protocol::{ExecutionResult, RpcError, StageWriteBackParams};
use clada_server::{Context, DispatchBuilder};
use tokio::time::Instant;

use super::{LONGEST, Requested, Service};
use crate::engine::Control;

/// The time for which an unconfirmed folder stays. Another connection may confirm it.
const UNCONFIRMED: Duration = Duration::from_secs(120);

impl Service {
    pub(super) fn register_staging(&self, methods: &mut DispatchBuilder) {
        let service = self.clone();
        methods.register::<Stage, _, _>(move |context, params| {
            let service = service.clone();
            // The first one reads every file; a client that goes away ends it.
            context.set_deadline(Instant::now() + LONGEST);
            async move {
                let (engine, root) = (Arc::clone(&service.engine), params.root.clone());
                let confirms = params.confirm;
                let staged =
                    context.blocking(move |context| engine.stage(&params, &Requested::new(context))).await?;
                service.stage_in_background(&root);
                if let Some(folder) = staged.staging_dir.clone().filter(|_| confirms) {
                    service.let_go_in_time(folder);
                }
                Ok(staged)
            }
        });
        let service = self.clone();
        methods.register::<StageConfirm, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            // The folder to delete may hold every file of the project.
            context.set_deadline(Instant::now() + LONGEST);
            context.blocking(move |context| engine.confirm_stage(&params, &Requested::new(context)))
        });
        let service = self.clone();
        methods.register::<ProjectInit, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.init_project(&params))
        });
        let service = self.clone();
        methods.register::<StageWriteBack, _, _>(move |context, params| {
            service.clone().write_back(context, params)
        });
    }

    /// Keeps the folder until its client has confirmed it, or has had time enough.
    fn let_go_in_time(&self, folder: String) {
        let engine = Arc::clone(&self.engine);
        tokio::spawn(async move {
            tokio::time::sleep(UNCONFIRMED).await;
            engine.let_go_of_stage(&folder);
        });
    }

    async fn write_back(
        self,
        context: Context,
        params: StageWriteBackParams,
    ) -> Result<ExecutionResult, RpcError> {
        // As for a whole execute.
        context.set_deadline(Instant::now() + LONGEST);
        let project = self.project(&context, params.root.clone()).await?;
        let (engine, root) = (Arc::clone(&self.engine), params.root.clone());
        if params.dry_run {
            return context
                .blocking(move |context| engine.write_back(&params, &Requested::new(context)))
                .await;
        }
        let control = Requested::new(&context);
        let work = move || engine.write_back(&params, &control);
        let (told, engine) = (Requested::new(&context), Arc::clone(&self.engine));
        project.exclusively(work, move || told.waiting(), move || engine.tidy(&root)).await
    }
}
