//! A request as the engine sees it: its connection, its deadline, what its client is told meanwhile.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clada_apply::{Acting, Stop, WorkingSet};
use clada_protocol::method::CallSettings;
use clada_protocol::{
    CallerKind, EXECUTE_EVENT, ErrorKind, ExecuteEvent, ExecuteEventKind, WAITING, Waiting, WaitingFor,
};
use clada_server::Context;

use crate::engine::{Holder, RequestContext};

/// The longest time that a request may get: as good as unlimited, and a number that a clock can hold.
pub(super) const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) struct Requested {
    pub(super) context: Context,
    pub(super) working_set: WorkingSet,
    pub(super) folder: Option<PathBuf>,
    pub(super) stream: bool,
    /// True if some output of the running command could not be sent.
    pub(super) lost: AtomicBool,
}

impl Requested {
    pub(super) fn new(context: &Context) -> Requested {
        Requested {
            context: context.clone(),
            working_set: WorkingSet::default(),
            folder: None,
            stream: false,
            lost: AtomicBool::new(false),
        }
    }

    pub(super) fn within(context: &Context, folder: &str, stream: bool) -> Requested {
        Requested { folder: Some(PathBuf::from(folder)), stream, ..Requested::new(context) }
    }
}

impl RequestContext for Requested {
    fn stop(&self) -> Option<Stop> {
        let error = self.context.check().err()?;
        Some(if error.kind() == Some(ErrorKind::Timeout) { Stop::Deadline } else { Stop::Cancelled })
    }

    fn working_set(&self) -> WorkingSet {
        self.working_set.clone()
    }

    fn waiting(&self) {
        // A client that does not read its notifications misses this one, and nothing else.
        self.waiting_for(Holder::Operation);
    }

    fn waiting_for(&self, holder: Holder) {
        let event = Waiting {
            operation: self.context.method().name.to_owned(),
            for_: match holder {
                Holder::Operation => None,
                Holder::Remains => Some(WaitingFor::InterruptedCommand),
                Holder::Person => Some(WaitingFor::Approval),
            },
            request: self.context.id().cloned(),
        };
        let _ = self.context.notifier().try_send(WAITING, &event);
        self.context.progress(|step| step.message = holder.waits().to_owned());
    }

    fn tell(&self, event: &ExecuteEvent) {
        if !self.stream {
            return;
        }
        let lost = event.kind == ExecuteEventKind::Finished && self.lost.swap(false, Ordering::Relaxed);
        let event = ExecuteEvent { lost, request: self.context.id().cloned(), ..event.clone() };
        // A client that reads too late finds this output in the result.
        if self.context.notifier().try_send(EXECUTE_EVENT, &event).is_err() {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    fn connection(&self) -> Option<u64> {
        Some(self.context.connection())
    }

    fn acting(&self, acting: &Acting<'_>) {
        let path = acting.path.map(|path| format!(" {path}")).unwrap_or_default();
        self.context.progress(|step| {
            step.done = acting.done as u64;
            step.total = Some(acting.planned as u64);
            step.message = format!("[task-{}] {}{path}", acting.task, acting.action);
        });
    }

    fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    fn settings(&self) -> &CallSettings {
        self.context.settings()
    }

    fn client(&self) -> String {
        let name = self.context.client().unwrap_or_default();
        match self.context.caller() {
            // Each call of a person's program is a connection of its own.
            CallerKind::Person => name.to_string(),
            CallerKind::Agent => format!("{name}#{}.{}", std::process::id(), self.context.connection()),
        }
    }

    fn is_agent(&self) -> bool {
        self.context.caller() == CallerKind::Agent
    }

    fn holds(&self, root: &Path) -> bool {
        self.context.scope().holds(root)
    }
}
