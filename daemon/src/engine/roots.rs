//! The roots of a request: which folders it may work in, by which rules, and which it never takes for a
//! project.

use std::path::{Path, PathBuf};

use clada_apply::{KnownFiles, Rules};
use clada_config::AliasTarget;
use clada_fs::{Confinement, Durability, Links, Options, Roots, Secrets};
use clada_git::hook_folders;
use clada_protocol::{Approval, ApprovalKind, Approve, ErrorKind, RpcError};

use super::request::{PathOverrides, ProjectRequest};
use super::state::Engine;

impl ProjectRequest {
    pub(super) fn rules(&self, roots: &Roots) -> Result<Rules, RpcError> {
        let environment = self.environment();
        let hook_folders = hook_folders(roots, environment.home.as_deref());
        let watched = self.project().watched();
        let known_files = watched.map(|watched| KnownFiles { watched, now: environment.now });
        let user = environment.git_user();
        Ok(Rules { hook_folders, user, known_files, ..Rules::from_settings(self.settings()?) })
    }

    pub(super) fn roots_with(&self, overrides: PathOverrides) -> Result<Roots, RpcError> {
        let (root, settings) = (self.requested_root(), self.settings()?);
        let policy = self.policy(overrides.include_secrets)?;
        let aliases: Vec<(String, PathBuf)> = settings
            .root_aliases
            .iter()
            .map(|(alias, target)| match target {
                AliasTarget::ProjectRoot => (alias.clone(), root.to_path_buf()),
                AliasTarget::Folder(folder) => (alias.clone(), folder.clone()),
            })
            .collect();
        let options = Options {
            links: if settings.follow_symlinks { Links::FollowInReads } else { Links::Refuse },
            confinement: if overrides.allow_escape { Confinement::WholeSystem } else { Confinement::Roots },
            durability: match settings.durability {
                clada_config::Durability::Full => Durability::Full,
                clada_config::Durability::Fast => Durability::Fast,
            },
            umask: self.umask(overrides.umask),
            protected_folders: self.engine.own_folders(),
            secrets: if self.context().is_agent() { Secrets::Sealed } else { Secrets::Changeable },
            ..Options::default()
        };
        let roots = Roots::open(root, &settings.allowed_roots, &aliases, policy, options)?;
        self.require_same_root(&roots)?;
        self.keep_socket_out(&roots)?;
        Ok(roots)
    }

    /// Returns the umask that a request asks for, or else the daemon's own. An agent's only takes more bits
    /// away.
    pub(super) fn umask(&self, client_umask: Option<u32>) -> u32 {
        let own = self.environment().umask;
        let least = if self.context().is_agent() { own } else { 0 };
        (client_umask.unwrap_or(own) | least) & 0o777
    }

    /// Refuses roots of which the first is not the project's: while the request waited, the link that it
    /// names may have been led elsewhere. Journal, locks and settings would be another project's than the
    /// files.
    pub(super) fn require_same_root(&self, roots: &Roots) -> Result<(), RpcError> {
        if roots.paths().next() == Some(self.root()) {
            return Ok(());
        }
        Err(self.replaced())
    }

    /// Refuses a project that holds the folder of the daemon's socket, or lies in it: a process that reaches
    /// that folder could act as the user.
    fn keep_socket_out(&self, roots: &Roots) -> Result<(), RpcError> {
        let folder = self.environment().socket_folder.as_deref();
        let Some((folder, root)) = folder.zip(roots.paths().next()) else { return Ok(()) };
        if !folder.starts_with(root) && !root.starts_with(folder) {
            return Ok(());
        }
        let (root, folder) = (root.to_string_lossy(), folder.to_string_lossy());
        let message = format!("The root '{root}' and the folder of the daemon's socket, '{folder}', overlap");
        Err(RpcError::new(ErrorKind::PathDenied, message)
            .with("root", root.as_ref())
            .with("socketFolder", folder.as_ref())
            .hint("set CLADA_SOCKET to a path in its own folder outside of the project"))
    }

    pub(super) fn require_project(&self, roots: &Roots, approve: Option<&Approve>) -> Result<(), RpcError> {
        let Some(root) = roots.paths().next() else { return Ok(()) };
        let Some(reason) = self.unusual_root(root) else { return Ok(()) };
        let id = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned();
        let approved = match approve {
            Some(Approve::All) => true,
            Some(Approve::Ids(ids)) => ids.contains(&id),
            _ => false,
        };
        if approved {
            return Ok(());
        }
        let path = root.to_string_lossy().into_owned();
        let approval = Approval {
            id: id.clone(),
            kind: ApprovalKind::Root,
            task: None,
            path: path.clone(),
            reason: reason.to_owned(),
            suspicious: clada_protocol::is_suspicious(&path),
            ..Approval::default()
        };
        let error = RpcError::new(ErrorKind::ApprovalRequired, format!("The root '{path}' is {reason}"));
        if self.context().is_agent() {
            return Err(error.hint("give the project's own folder as root"));
        }
        Err(error
            .with("approvals", serde_json::json!([approval]))
            .hint("give the project's own folder as root; a person can approve this one with --approve-all"))
    }

    pub(super) fn unusual_root(&self, root: &Path) -> Option<&'static str> {
        let same = |other: &Path| std::fs::canonicalize(other).is_ok_and(|other| other == root);
        if let Some(reason) = self.engine.above_everything(root) {
            return Some(reason);
        }
        self.environment()
            .temporary
            .iter()
            .any(|folder| same(folder))
            .then_some("a folder for temporary files")
    }
}

impl Engine {
    pub(super) fn above_everything(&self, root: &Path) -> Option<&'static str> {
        if root == Path::new("/") {
            return Some("the whole file system");
        }
        let home = std::fs::canonicalize(self.environment.home.as_deref()?).ok()?;
        if home == root {
            return Some("a home folder");
        }
        home.starts_with(root).then_some("a folder that holds the home folder")
    }
}

pub(super) fn from_root(roots: &Roots, to: &str) -> Result<String, RpcError> {
    let path = roots.resolve(to)?;
    let inside = path.relative().to_str().filter(|inside| path.root() == 0 && !inside.is_empty());
    inside.map(str::to_owned).ok_or_else(|| {
        RpcError::new(ErrorKind::InvalidParams, format!("to: '{to}' is not a file of the project"))
            .with("parameter", "to")
    })
}
