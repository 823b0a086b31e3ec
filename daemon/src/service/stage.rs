//! The methods about staging: `stage`, `stage.confirm`.

use std::sync::Arc;

use clada_protocol::method::{Stage, StageConfirm};
use tokio::time::Instant;

use super::{LONGEST, Requested, Service};
use crate::rpc::DispatchBuilder;

impl Service {
    pub(super) fn register_staging(&self, methods: &mut DispatchBuilder) {
        let service = self.clone();
        methods.register::<Stage, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            // The first one reads every file; who goes away ends it.
            context.set_deadline(Instant::now() + LONGEST);
            context.blocking(move |context| engine.stage(&params, &Requested::new(context)))
        });
        let service = self.clone();
        methods.register::<StageConfirm, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |context| engine.confirm_stage(&params, &Requested::new(context)))
        });
    }
}
