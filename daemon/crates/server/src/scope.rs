//! The scope of a connection: the kind of caller, and how far `hello` has narrowed it.
//!
//! A scope only ever gets narrower. A request has the scope of the moment at which it begins, whatever comes
//! later. Folders are compared as they are resolved; resolving them is the caller's. Must not know methods.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_protocol::{CallerKind, ErrorKind, RpcError};
use tokio::sync::watch;

pub(super) const MOST_ROOTS: usize = 64;

/// The kind of caller, and its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The kind of caller.
    pub caller: CallerKind,
    /// The folders, resolved, in which or below which it works; `None`: any for a person, and none for an
    /// agent, which has not named them yet.
    pub roots: Option<Vec<PathBuf>>,
    /// True if it may only call what changes nothing.
    pub read_only: bool,
    /// True if it is told of every tool of MCP, not of the common ones alone.
    pub all_tools: bool,
    /// True if the client shows proposals.
    pub plain: bool,
}

impl Scope {
    /// Returns the scope of a caller that nothing was said about.
    #[must_use]
    pub(crate) fn of(caller: CallerKind) -> Scope {
        Scope { caller, roots: None, read_only: false, all_tools: false, plain: false }
    }

    /// Returns whether `path`, absolute and resolved, is one of its folders or below one.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        match &self.roots {
            Some(roots) => roots.iter().any(|root| path.starts_with(root)),
            None => self.caller == CallerKind::Person,
        }
    }

    pub(super) fn outside(root: &Path) -> RpcError {
        let message = format!("hello: the root '{}' is outside of those so far", root.display());
        RpcError::new(ErrorKind::PathEscape, message).with("parameter", "roots")
    }

    /// Fails with `invalid_params` for what would widen it, or is of agents alone; with `path_escape` for a
    /// folder outside.
    fn narrowed(&self, request: &ScopeRequest) -> Result<Scope, RpcError> {
        let refuse = |parameter: &str, message: &str| {
            RpcError::new(ErrorKind::InvalidParams, format!("hello: {message}")).with("parameter", parameter)
        };
        let caller = request.caller.unwrap_or(self.caller);
        if caller > self.caller {
            let message = "this connection is an agent's and stays so: `caller` only ever narrows";
            return Err(refuse("caller", message));
        }
        if caller != CallerKind::Agent && (request.roots.is_some() || request.read_only.is_some()) {
            let parameter = if request.roots.is_some() { "roots" } else { "readOnly" };
            let message = format!("`{parameter}` goes with `caller: \"agent\"`");
            return Err(refuse(parameter, &message));
        }
        if self.read_only && request.read_only == Some(false) {
            return Err(refuse("readOnly", "this connection may only read and stays so"));
        }
        // One that has named none yet names them once.
        let outside = request.roots.iter().flatten().find(|root| self.roots.is_some() && !self.holds(root));
        if let Some(root) = outside {
            return Err(Scope::outside(root));
        }
        Ok(Scope {
            caller,
            roots: request.roots.clone().or_else(|| self.roots.clone()),
            read_only: self.read_only || request.read_only == Some(true),
            all_tools: request.all_tools.unwrap_or(self.all_tools),
            plain: self.plain || request.plain,
        })
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct ScopeRequest {
    pub(super) caller: Option<CallerKind>,
    pub(super) roots: Option<Vec<PathBuf>>,
    pub(super) read_only: Option<bool>,
    pub(super) all_tools: Option<bool>,
    pub(super) plain: bool,
}

#[derive(Debug)]
pub(super) struct Scopes(watch::Sender<Arc<Scope>>);

impl Scopes {
    pub(super) fn new(caller: CallerKind) -> Scopes {
        Scopes(watch::Sender::new(Arc::new(Scope::of(caller))))
    }

    pub(super) fn current(&self) -> Arc<Scope> {
        Arc::clone(&self.0.borrow())
    }

    /// After an error nothing has changed.
    pub(super) fn narrow(&self, request: &ScopeRequest) -> Result<Arc<Scope>, RpcError> {
        let mut outcome = Ok(());
        self.0.send_if_modified(|scope| match scope.narrowed(request) {
            Ok(narrowed) if narrowed == **scope => false,
            Ok(narrowed) => {
                *scope = Arc::new(narrowed);
                true
            }
            Err(error) => {
                outcome = Err(error);
                false
            }
        });
        outcome.map(|()| self.current())
    }

    pub(super) async fn wait_until_replaced(&self, known: &Arc<Scope>) {
        let mut changes = self.0.subscribe();
        // The sender is `self`, so that this ends with a change alone.
        let _ = changes.wait_for(|scope| !Arc::ptr_eq(scope, known)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_only_ever_gets_narrower() {
        let roots = |names: &[&str]| Some(names.iter().map(PathBuf::from).collect::<Vec<_>>());
        let scopes = Scopes::new(CallerKind::Person);
        let first = scopes.current();
        let say = |caller, named: Option<&[&str]>, read_only| {
            let request = ScopeRequest {
                caller,
                roots: named.and_then(roots),
                read_only,
                all_tools: None,
                plain: false,
            };
            scopes.narrow(&request).map(|scope| (*scope).clone()).map_err(|error| error.message)
        };
        let (person, agent) = (Some(CallerKind::Person), Some(CallerKind::Agent));
        assert_eq!(say(person, None, None).unwrap(), Scope::of(CallerKind::Person));
        // A connection of a user has nothing to narrow.
        for (named, read_only) in [(Some(&["/p"][..]), None), (None, Some(true)), (None, Some(false))] {
            assert!(say(None, named, read_only).unwrap_err().contains("goes with"));
        }
        assert!(scopes.current().holds(Path::new("/p")));
        let unnamed = say(agent, None, None).unwrap();
        assert_eq!(unnamed, Scope::of(CallerKind::Agent));
        assert!(!unnamed.holds(Path::new("/p")), "an agent that has named no roots has none");
        assert!(say(person, None, None).unwrap_err().contains("only ever narrows"));
        let two = say(None, Some(&["/p", "/q"]), Some(false)).unwrap();
        assert!(two.holds(Path::new("/p/sub")) && !two.holds(Path::new("/pp")) && !two.read_only);
        for wider in ["/", "/r", "/pp"] {
            assert!(say(None, Some(&["/q", wider]), None).unwrap_err().contains("outside"), "{wider}");
        }
        assert_eq!(say(None, Some(&["/p/sub"]), Some(true)).unwrap().roots, roots(&["/p/sub"]));
        assert!(say(None, Some(&["/q"]), None).is_err());
        assert!(say(None, None, Some(false)).unwrap_err().contains("may only read"));
        assert_eq!(say(agent, Some(&[]), None).unwrap().roots, roots(&[]));
        assert!(!scopes.current().holds(Path::new("/p/sub")));
        assert_eq!(*first, Scope::of(CallerKind::Person), "what began before keeps its scope");
    }

    #[tokio::test]
    async fn who_waits_for_another_scope_is_woken_by_a_change_alone() {
        let scopes = Scopes::new(CallerKind::Person);
        let known = scopes.current();
        let mut left = tokio_test::task::spawn(scopes.wait_until_replaced(&known));
        assert!(left.poll().is_pending());
        scopes.narrow(&ScopeRequest::default()).unwrap();
        assert!(left.poll().is_pending());
        scopes.narrow(&ScopeRequest { caller: Some(CallerKind::Agent), ..ScopeRequest::default() }).unwrap();
        left.await;
        scopes.wait_until_replaced(&known).await;
    }
}
