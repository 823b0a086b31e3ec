//! The sessions of a project: a working directory and a context that outlive a request.
//!
//! Plain data; the engine checks that a folder exists. Each project has a session `default`, which cannot go
//! away. Agents have sessions of their own, of which no person's is one, whatever it is called: where a
//! person's commands run is not theirs to say. Sessions live in memory only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clada_apply::WorkingSet;
use clada_protocol::{CallerKind, ErrorKind, RpcError, SessionInfo};

pub(super) const DEFAULT: &str = "default";

const MAX_SESSIONS: usize = 1000;
const MAX_NAME: usize = 128;

#[derive(Debug)]
pub(super) struct Sessions {
    root: PathBuf,
    people: BTreeMap<String, Session>,
    agents: BTreeMap<String, Session>,
    named_count: u64,
}

#[derive(Debug)]
struct Session {
    cwd: PathBuf,
    context: WorkingSet,
}

impl Session {
    fn at(root: &Path) -> Session {
        Session { cwd: root.to_path_buf(), context: WorkingSet::default() }
    }
}

impl Sessions {
    /// Numbers up to `named_count` name no session.
    #[must_use]
    pub(super) fn new(root: &Path, named_count: u64) -> Sessions {
        let default = || BTreeMap::from([(DEFAULT.to_owned(), Session::at(root))]);
        Sessions { root: root.to_path_buf(), people: default(), agents: default(), named_count }
    }

    #[must_use]
    pub(super) fn moved_to(mut self, root: &Path) -> Sessions {
        for session in self.people.values_mut().chain(self.agents.values_mut()) {
            if let Ok(rest) = session.cwd.strip_prefix(&self.root) {
                session.cwd = root.components().chain(rest.components()).collect();
            }
        }
        Sessions { root: root.to_path_buf(), ..self }
    }

    fn of(&self, whose: CallerKind) -> &BTreeMap<String, Session> {
        match whose {
            CallerKind::Person => &self.people,
            CallerKind::Agent => &self.agents,
        }
    }

    fn of_mut(&mut self, whose: CallerKind) -> &mut BTreeMap<String, Session> {
        match whose {
            CallerKind::Person => &mut self.people,
            CallerKind::Agent => &mut self.agents,
        }
    }

    pub(super) fn open(&mut self, whose: CallerKind, name: Option<String>) -> Result<SessionInfo, RpcError> {
        let name = match name {
            Some(name) => name,
            None => loop {
                self.named_count += 1;
                let name = format!("s{}", self.named_count);
                if !self.of(whose).contains_key(&name) {
                    break name;
                }
            },
        };
        if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            let message = format!("session: a name has 1 to {MAX_NAME} bytes and no control characters");
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        let open = self.of(whose);
        if !open.contains_key(&name) && open.len() >= MAX_SESSIONS {
            let message = format!("The project has {MAX_SESSIONS} sessions open already");
            return Err(
                RpcError::new(ErrorKind::LimitExceeded, message).hint("close some: clada session close NAME")
            );
        }
        let session = Session::at(&self.root);
        self.of_mut(whose).entry(name.clone()).or_insert(session);
        self.get(whose, Some(&name))
    }

    /// `None` is the default session.
    pub(super) fn get(&self, whose: CallerKind, name: Option<&str>) -> Result<SessionInfo, RpcError> {
        let name = name.unwrap_or(DEFAULT);
        let session = self.of(whose).get(name).ok_or_else(|| not_found(name))?;
        Ok(self.info(name, session))
    }

    #[must_use]
    pub(super) fn list(&self, whose: CallerKind) -> Vec<SessionInfo> {
        self.of(whose).iter().map(|(name, session)| self.info(name, session)).collect()
    }

    pub(super) fn working_set(&self, whose: CallerKind, name: Option<&str>) -> Result<WorkingSet, RpcError> {
        let name = name.unwrap_or(DEFAULT);
        self.of(whose).get(name).map(|session| session.context.clone()).ok_or_else(|| not_found(name))
    }

    #[must_use]
    pub(super) fn is_untouched(&self) -> bool {
        let as_it_began = |session: &Session| {
            let context = &session.context;
            session.cwd == self.root && context.size() == 0 && context.embedded_clock().is_none()
        };
        [&self.people, &self.agents].iter().all(|open| open.len() == 1 && open.values().all(as_it_began))
    }

    #[must_use]
    pub(super) fn named_count(&self) -> u64 {
        self.named_count
    }

    fn info(&self, name: &str, session: &Session) -> SessionInfo {
        SessionInfo {
            session: name.to_owned(),
            root: self.root.to_string_lossy().into_owned(),
            cwd: session.cwd.to_string_lossy().into_owned(),
            context: session.context.paths(),
        }
    }

    /// The folder of the agents' default session stays the root, since all agents have it. Fails with
    /// `session_not_found`; for the agents' default session with `invalid_params`.
    pub(super) fn set_cwd(
        &mut self,
        whose: CallerKind,
        name: Option<&str>,
        cwd: PathBuf,
    ) -> Result<SessionInfo, RpcError> {
        let key = name.unwrap_or(DEFAULT);
        if whose == CallerKind::Agent && key == DEFAULT {
            let message = "session: the default session of agents stays in the root";
            return Err(RpcError::new(ErrorKind::InvalidParams, message)
                .with("parameter", "session")
                .hint("open a session of your own with `session.open`"));
        }
        self.of_mut(whose).get_mut(key).ok_or_else(|| not_found(key))?.cwd = cwd;
        self.get(whose, name)
    }

    /// The default session begins again.
    pub(super) fn close(&mut self, whose: CallerKind, name: &str) -> Result<(), RpcError> {
        let anew = Session::at(&self.root);
        let open = self.of_mut(whose);
        open.remove(name).ok_or_else(|| not_found(name))?;
        open.entry(DEFAULT.to_owned()).or_insert(anew);
        Ok(())
    }
}

fn not_found(name: &str) -> RpcError {
    RpcError::new(ErrorKind::SessionNotFound, format!("There is no session '{name}' in this project"))
        .with("session", name)
        .hint("a session opens when you use it: clada --session NAME …")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: CallerKind = CallerKind::Person;

    fn sessions() -> Sessions {
        Sessions::new(Path::new("/p"), 0)
    }

    #[test]
    fn every_project_has_a_default_session_that_cannot_go_away() {
        let mut sessions = sessions();
        assert_eq!(sessions.get(ME, None).unwrap().cwd, "/p");
        sessions.set_cwd(ME, None, PathBuf::from("/p/src")).unwrap();
        assert_eq!(sessions.get(ME, Some(DEFAULT)).unwrap().cwd, "/p/src");
        sessions.close(ME, DEFAULT).unwrap();
        assert_eq!(sessions.get(ME, None).unwrap().cwd, "/p");
    }

    #[test]
    fn sessions_are_named_or_get_a_new_name() {
        let mut sessions = sessions();
        assert_eq!(sessions.open(ME, None).unwrap().session, "s1");
        assert_eq!(sessions.open(ME, Some("s2".to_owned())).unwrap().session, "s2");
        assert_eq!(sessions.open(ME, None).unwrap().session, "s3");
        sessions.set_cwd(ME, Some("s2"), PathBuf::from("/p/a")).unwrap();
        assert_eq!(sessions.open(ME, Some("s2".to_owned())).unwrap().cwd, "/p/a");
        sessions.close(ME, "s2").unwrap();
        assert_eq!(sessions.get(ME, Some("s2")).unwrap_err().kind(), Some(ErrorKind::SessionNotFound));
    }

    #[test]
    fn names_and_their_number_are_bounded() {
        let mut sessions = sessions();
        for bad in ["", "a\nb", &"x".repeat(200)] {
            assert_eq!(
                sessions.open(ME, Some(bad.to_owned())).unwrap_err().kind(),
                Some(ErrorKind::InvalidParams)
            );
        }
        for _ in 1..MAX_SESSIONS {
            sessions.open(ME, None).unwrap();
        }
        assert_eq!(sessions.open(ME, None).unwrap_err().kind(), Some(ErrorKind::LimitExceeded));
        assert!(sessions.open(ME, Some("s1".to_owned())).is_ok());
    }

    #[test]
    fn agents_have_sessions_of_their_own() {
        let (mut sessions, agent) = (sessions(), CallerKind::Agent);
        sessions.open(ME, Some("mine".to_owned())).unwrap();
        sessions.set_cwd(ME, None, PathBuf::from("/p/src")).unwrap();
        assert_eq!(sessions.get(agent, None).unwrap().cwd, "/p");
        for name in ["mine", DEFAULT] {
            assert!(sessions.set_cwd(agent, Some(name), PathBuf::from("/p/evil")).is_err());
        }
        assert!(sessions.close(agent, "mine").is_err() && sessions.working_set(agent, Some("mine")).is_err());
        sessions.open(agent, Some("mine".to_owned())).unwrap();
        sessions.set_cwd(agent, Some("mine"), PathBuf::from("/p/a")).unwrap();
        sessions.close(agent, DEFAULT).unwrap();
        assert_eq!((sessions.list(ME).len(), sessions.list(agent).len()), (2, 2));
        assert_eq!(sessions.get(ME, Some("mine")).unwrap().cwd, "/p");
        assert_eq!(sessions.get(ME, None).unwrap().cwd, "/p/src");
    }
}
