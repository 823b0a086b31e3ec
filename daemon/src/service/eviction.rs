//! The eviction of projects while the daemon is quiet: one task, which ends with the runtime.
//!
//! Knows when, not what: the rule is the projects'.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::Service;
use crate::engine::Engine;

const EVERY: Duration = Duration::from_secs(10 * 60);

impl Service {
    /// Lets go of unused projects every now and then, whether or not requests come. Needs a runtime.
    pub fn evict_in_time(&self) {
        tokio::spawn(evict_regularly(Arc::downgrade(&self.engine), EVERY, Instant::now));
    }
}

async fn evict_regularly(engine: Weak<Engine>, every: Duration, now: impl Fn() -> Instant) {
    loop {
        tokio::time::sleep(every).await;
        let Some(engine) = engine.upgrade() else { return };
        let now = now();
        if tokio::task::spawn_blocking(move || engine.evict(now)).await.is_err() {
            tracing::warn!("projects were not let go");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use clada_config::{ConfigStore, Inputs};

    use super::*;
    use crate::engine::{Environment, Unasked};

    #[tokio::test]
    async fn a_quiet_daemon_lets_go_of_projects_until_it_ends() {
        let top = tempfile::tempdir().unwrap();
        let environment = Environment {
            state: top.path().join("state"),
            home: None,
            configuration: None,
            programs: Vec::new(),
            scratch: top.path().to_path_buf(),
            temporary: Vec::new(),
            umask: 0o022,
            now: SystemTime::now,
            runner: None,
            private: clada_exec::Private::default(),
            socket_folder: None,
            undetected_agents: None,
            is_replaced: || false,
        };
        let engine = Arc::new(Engine::new(ConfigStore::new(Inputs::default()), environment));
        drop(engine.request(top.path().to_str().unwrap(), Arc::new(Unasked)).unwrap());
        assert_eq!(engine.projects().list().len(), 1);
        // A clock that is far ahead makes every project unused.
        let much_later = || Instant::now() + Duration::from_secs(24 * 3600);
        let every = Duration::from_millis(1);
        let task = tokio::spawn(evict_regularly(Arc::downgrade(&engine), every, much_later));
        let is_gone = async {
            while !engine.projects().roots().is_empty() {
                tokio::time::sleep(every).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), is_gone).await.unwrap();
        drop(engine);
        tokio::time::timeout(Duration::from_secs(30), task).await.unwrap().unwrap();
    }
}
