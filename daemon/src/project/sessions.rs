//! The sessions of a project: a working directory and a context that outlive a request.
//!
//! Plain data; the engine checks that a folder exists. Each project has a session `default`, which cannot go
//! away. Sessions live in memory only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clada_apply::WorkingSet;
use clada_protocol::{ErrorKind, RpcError, SessionInfo};

/// The session that every project has.
pub(super) const DEFAULT: &str = "default";

/// The most sessions that a project may have at a time.
const MAX_SESSIONS: usize = 1000;
/// The most bytes of a session's name.
const MAX_NAME: usize = 128;

/// The sessions of one project.
#[derive(Debug)]
pub(super) struct Sessions {
    root: PathBuf,
    open: BTreeMap<String, Session>,
    /// The number of the last session that was named by its number.
    made: u64,
}

/// One session.
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
    /// Returns the sessions of the project at `root`: only the default one, in the root. Numbers up to `made`
    /// name no session.
    #[must_use]
    pub(super) fn new(root: &Path, made: u64) -> Sessions {
        let open = BTreeMap::from([(DEFAULT.to_owned(), Session::at(root))]);
        Sessions { root: root.to_path_buf(), open, made }
    }

    /// Opens a session, or returns the open one of that name.
    ///
    /// # Errors
    /// `limit_exceeded` if there are too many, `invalid_params` for a name that is none.
    pub(super) fn open(&mut self, name: Option<String>) -> Result<SessionInfo, RpcError> {
        let name = match name {
            Some(name) => name,
            None => loop {
                self.made += 1;
                let name = format!("s{}", self.made);
                if !self.open.contains_key(&name) {
                    break name;
                }
            },
        };
        if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            let message = format!("session: a name has 1 to {MAX_NAME} bytes and no control characters");
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        if !self.open.contains_key(&name) && self.open.len() >= MAX_SESSIONS {
            let message = format!("The project has {MAX_SESSIONS} sessions open already");
            return Err(
                RpcError::new(ErrorKind::LimitExceeded, message).hint("close some: clada session close NAME")
            );
        }
        self.open.entry(name.clone()).or_insert_with(|| Session::at(&self.root));
        self.get(Some(&name))
    }

    /// Returns a session; `None` is the default one.
    ///
    /// # Errors
    /// `session_not_found`.
    pub(super) fn get(&self, name: Option<&str>) -> Result<SessionInfo, RpcError> {
        let name = name.unwrap_or(DEFAULT);
        let session = self.open.get(name).ok_or_else(|| not_found(name))?;
        Ok(self.info(name, session))
    }

    /// Returns all sessions, by name.
    #[must_use]
    pub(super) fn list(&self) -> Vec<SessionInfo> {
        self.open.iter().map(|(name, session)| self.info(name, session)).collect()
    }

    /// Returns the context of a session; `None` is the default one.
    ///
    /// # Errors
    /// `session_not_found`.
    pub(super) fn working_set(&self, name: Option<&str>) -> Result<WorkingSet, RpcError> {
        let name = name.unwrap_or(DEFAULT);
        self.open.get(name).map(|session| session.context.clone()).ok_or_else(|| not_found(name))
    }

    /// Returns whether there is nothing but the default session, as it began.
    #[must_use]
    pub(super) fn is_untouched(&self) -> bool {
        let as_it_began = |session: &Session| {
            let context = &session.context;
            session.cwd == self.root && context.size() == 0 && context.embedded_clock().is_none()
        };
        self.open.len() == 1 && self.open.values().all(as_it_began)
    }

    /// Returns the number of the last session that was named by its number.
    #[must_use]
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    fn info(&self, name: &str, session: &Session) -> SessionInfo {
        SessionInfo {
            session: name.to_owned(),
            root: self.root.to_string_lossy().into_owned(),
            cwd: session.cwd.to_string_lossy().into_owned(),
            context: session.context.paths(),
        }
    }

    /// Sets the working directory of a session.
    ///
    /// # Errors
    /// `session_not_found`.
    pub(super) fn set_cwd(&mut self, name: Option<&str>, cwd: PathBuf) -> Result<SessionInfo, RpcError> {
        let key = name.unwrap_or(DEFAULT);
        self.open.get_mut(key).ok_or_else(|| not_found(key))?.cwd = cwd;
        self.get(name)
    }

    /// Closes a session; the default one begins anew.
    ///
    /// # Errors
    /// `session_not_found`.
    pub(super) fn close(&mut self, name: &str) -> Result<(), RpcError> {
        self.open.remove(name).ok_or_else(|| not_found(name))?;
        self.open.entry(DEFAULT.to_owned()).or_insert_with(|| Session::at(&self.root));
        Ok(())
    }
}

fn not_found(name: &str) -> RpcError {
    RpcError::new(ErrorKind::SessionNotFound, format!("There is no session '{name}' in this project"))
        .with("session", name)
        .hint("sessions are opened by use: clada --session NAME …")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> Sessions {
        Sessions::new(Path::new("/p"), 0)
    }

    #[test]
    fn every_project_has_a_default_session_that_cannot_go_away() {
        let mut sessions = sessions();
        assert_eq!(sessions.get(None).unwrap().cwd, "/p");
        sessions.set_cwd(None, PathBuf::from("/p/src")).unwrap();
        assert_eq!(sessions.get(Some(DEFAULT)).unwrap().cwd, "/p/src");
        sessions.close(DEFAULT).unwrap();
        assert_eq!(sessions.get(None).unwrap().cwd, "/p");
    }

    #[test]
    fn sessions_are_named_or_get_a_new_name() {
        let mut sessions = sessions();
        assert_eq!(sessions.open(None).unwrap().session, "s1");
        assert_eq!(sessions.open(Some("s2".to_owned())).unwrap().session, "s2");
        assert_eq!(sessions.open(None).unwrap().session, "s3");
        sessions.set_cwd(Some("s2"), PathBuf::from("/p/a")).unwrap();
        assert_eq!(sessions.open(Some("s2".to_owned())).unwrap().cwd, "/p/a");
        sessions.close("s2").unwrap();
        assert_eq!(sessions.get(Some("s2")).unwrap_err().kind(), Some(ErrorKind::SessionNotFound));
    }

    #[test]
    fn names_and_their_number_are_bounded() {
        let mut sessions = sessions();
        for bad in ["", "a\nb", &"x".repeat(200)] {
            assert_eq!(
                sessions.open(Some(bad.to_owned())).unwrap_err().kind(),
                Some(ErrorKind::InvalidParams)
            );
        }
        for _ in 1..MAX_SESSIONS {
            sessions.open(None).unwrap();
        }
        assert_eq!(sessions.open(None).unwrap_err().kind(), Some(ErrorKind::LimitExceeded));
        assert!(sessions.open(Some("s1".to_owned())).is_ok());
    }
}
