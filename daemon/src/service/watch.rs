//! The methods about what changed: `project.watch`, `project.unwatch`, `project.list`, `project.changes`.

use std::sync::Arc;

use clada_protocol::method::{ProjectChanges, ProjectList, ProjectUnwatch, ProjectWatch};
use clada_server::DispatchBuilder;
use tokio::time::Instant;

use super::{LONGEST, Requested, Service};

impl Service {
    pub(super) fn register_watching(&self, methods: &mut DispatchBuilder) {
        let service = self.clone();
        methods.register::<ProjectWatch, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            // The first scan of a large tree takes long; a client that goes away ends it.
            context.set_deadline(Instant::now() + LONGEST);
            context.blocking(move |context| engine.watch(&params, &Requested::new(context)))
        });
        let service = self.clone();
        methods.register::<ProjectUnwatch, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| Ok(engine.unwatch(&params)))
        });
        let service = self.clone();
        methods.register::<ProjectList, _, _>(move |_, _| std::future::ready(Ok(service.engine.watched())));
        let service = self.clone();
        methods.register::<ProjectChanges, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            // The first scan of a large tree takes long; a client that goes away ends it.
            context.set_deadline(Instant::now() + LONGEST);
            context.blocking(move |context| engine.changes(&params, &Requested::new(context)))
        });
    }
}
