//! The actor of a project: owns its sessions, its plans and the queue of its operations.
//!
//! [`Event`]s are its only input. Operations run on a blocking thread, one at a time, in the order of their
//! arrival; everything else is answered at once. It ends with the last handle.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Instant;

use tokio::sync::mpsc;

use super::event::{Ended, Event, Job};
use super::operations::Operations;
use super::plans::Plans;
use super::sessions::Sessions;

/// Runs the actor of the project at `root` until its last handle is gone.
pub(super) async fn run(root: PathBuf, mut inbox: mpsc::Receiver<Event>, events: mpsc::WeakSender<Event>) {
    let mut actor = Actor {
        sessions: Sessions::new(&root),
        plans: Plans::default(),
        operations: Operations::default(),
        queue: VecDeque::new(),
        busy: false,
        events,
    };
    while let Some(event) = inbox.recv().await {
        actor.handle(event);
    }
}

struct Actor {
    sessions: Sessions,
    plans: Plans,
    operations: Operations,
    queue: VecDeque<Job>,
    busy: bool,
    events: mpsc::WeakSender<Event>,
}

impl Actor {
    /// Handles one event. A reply whose caller has gone away is dropped.
    fn handle(&mut self, event: Event) {
        match event {
            Event::Operate(job) => self.operate(job),
            Event::Done { left } => {
                self.busy = false;
                if let Some((id, left)) = left {
                    self.operations.keep(id, left, Instant::now());
                }
                if let Some(next) = self.queue.pop_front() {
                    self.begin(next);
                }
            }
            Event::KeepPlan { id, plan, reply } => {
                drop(reply.send(self.plans.keep(id, *plan, Instant::now())))
            }
            Event::GetPlan { id, reply } => drop(reply.send(self.plans.get(&id, Instant::now()))),
            Event::DropPlan { id, reply } => {
                self.plans.remove(&id);
                let _ = reply.send(());
            }
            Event::GetOperation { id, reply } => drop(reply.send(self.operations.get(&id, Instant::now()))),
            Event::OpenSession { name, reply } => drop(reply.send(self.sessions.open(name))),
            Event::GetSession { name, reply } => drop(reply.send(self.sessions.get(name.as_deref()))),
            Event::ListSessions { reply } => drop(reply.send(self.sessions.list())),
            Event::GetWorkingSet { name, reply } => {
                drop(reply.send(self.sessions.working_set(name.as_deref())));
            }
            Event::SetCwd { name, cwd, reply } => {
                drop(reply.send(self.sessions.set_cwd(name.as_deref(), cwd)));
            }
            Event::CloseSession { name, reply } => drop(reply.send(self.sessions.close(&name))),
        }
    }

    fn operate(&mut self, job: Job) {
        if !self.busy {
            return self.begin(job);
        }
        let Job { work, waiting, after } = job;
        waiting();
        self.queue.push_back(Job { work, waiting: Box::new(|| {}), after });
    }

    fn begin(&mut self, job: Job) {
        self.busy = true;
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || {
            let Ended { left, answer } = (job.work)();
            // The next operation may begin before this answer is read, but not before this work is over. The
            // part that can be resumed is kept before the answer says so.
            if let Some(events) = events.upgrade() {
                drop(events.blocking_send(Event::Done { left }));
            }
            answer();
            let _ = std::panic::catch_unwind(AssertUnwindSafe(job.after));
        });
    }
}
