//! The handler of `stage`: what it leaves to be done later.

use std::sync::Arc;
use std::time::Duration;

use clada_protocol::{RpcError, StageParams, StageResult};
use clada_server::Context;

use super::Service;
use crate::project::Project;

/// The time for which an unconfirmed folder stays. Another connection may confirm it.
const UNCONFIRMED: Duration = Duration::from_secs(120);

impl Service {
    pub(super) async fn stage(self, context: Context, params: StageParams) -> Result<StageResult, RpcError> {
        let (root, confirms) = (params.root.clone(), params.confirm);
        let request = self.request(&context, root.clone()).await?;
        let project = Arc::clone(request.project());
        let staged = context.blocking(move |_| request.stage(&params)).await?;
        self.stage_in_background(Arc::clone(&project), root);
        if let Some(folder) = staged.staging_dir.clone().filter(|_| confirms) {
            let_go_in_time(project, folder);
        }
        Ok(staged)
    }
}

fn let_go_in_time(project: Arc<Project>, folder: String) {
    tokio::spawn(async move {
        tokio::time::sleep(UNCONFIRMED).await;
        project.leases().let_go(&folder);
    });
}
