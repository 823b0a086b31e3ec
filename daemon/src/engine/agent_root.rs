//! The folders that an agent may name as the root of a project: whole projects, and nothing whose content
//! runs by itself.
//!
//! An agent chooses its roots itself where nobody has narrowed its connection. What protects the user then is
//! that a root is a project: folders of programs, of startup files and of keys are none, unless a whole
//! project starts there (`.git` or `.clada`, which no answer can make).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clada_protocol::root::MARKS;
use clada_protocol::{ErrorKind, RpcError};

use super::Engine;
use crate::project::ResolvedRoot;

/// Folders of the system, whose files are run or obeyed by others than who wrote them.
const OF_THE_SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var/cache",
    "/var/lib",
    "/var/log",
    "/var/spool",
    "/private/etc",
    "/private/var/at",
    "/private/var/run",
    "/Applications",
    "/Library",
    "/System",
];

/// Folders in a home folder, besides those that begin with a dot, whose files run by themselves: programs,
/// and on macOS what starts at login.
const OF_A_HOME: &[&str] = &["bin", "sbin", "Applications", "Library", "AppData"];

const HOMES: &[&str] = &["/home", "/Users"];

const HOLD_MORE: &[&str] = &["/home", "/Users", "/Volumes", "/root", "/opt", "/srv", "/mnt", "/media"];

impl Engine {
    /// Resolves a folder to which an agent's connection is to be narrowed.
    ///
    /// # Errors
    /// As for a request's root; `path_denied` for the whole file system, the home folder and what holds it;
    /// `path_escape` for what is no whole project. Nobody can approve these.
    pub fn agent_root(&self, root: &Path) -> Result<PathBuf, RpcError> {
        // What would be refused is refused whether it exists or not.
        let resolved = ResolvedRoot::new(root).map_err(|error| match self.check_agent_root(root) {
            Err(refused) if error.kind() == Some(ErrorKind::ProjectNotFound) => refused,
            _ => error,
        })?;
        let resolved = resolved.as_path();
        if let Some(reason) = self.above_everything(resolved) {
            let message = format!("hello: the root '{}' is {reason}", root.display());
            return Err(RpcError::new(ErrorKind::PathDenied, message)
                .with("parameter", "roots")
                .hint("name the projects' own folders"));
        }
        self.check_agent_root(resolved)?;
        Ok(resolved.to_path_buf())
    }

    /// Refuses an agent's root, resolved, that is no whole project, since what protects a project is told by
    /// paths from its own root: a folder within one, what belongs to git or clada, the folders of clada's own
    /// configuration, state and sockets with all that hold them, and folders whose content runs by itself.
    ///
    /// # Errors
    /// `path_escape`, which says which folder to name, if one can be.
    pub(super) fn check_agent_root(&self, root: &Path) -> Result<(), RpcError> {
        let refused = |why: &str| {
            let message = format!("root: '{}' {why}", root.display());
            RpcError::new(ErrorKind::PathEscape, message).with("parameter", "root")
        };
        let own = MARKS.map(OsStr::new);
        if root.components().any(|part| own.contains(&part.as_os_str())) {
            return Err(refused("belongs to git or clada").hint("name the project's root"));
        }
        if self.own_folders().iter().any(|folder| overlap(root, folder)) {
            return Err(refused("holds, or belongs to, what clada keeps for its user"));
        }
        match self.broad().find_root(root, |path| path.symlink_metadata().is_ok()) {
            Some(detected) if detected.mark.is_some() && detected.folder == root => Ok(()),
            Some(detected) if detected.mark.is_some() => {
                let project = detected.folder.display();
                Err(refused(&format!("is a folder of the project '{project}'"))
                    .hint("name the project's root"))
            }
            _ if self.runs_by_itself(root) => {
                let why =
                    "is in or holds a folder of programs, settings or keys, and no project starts there";
                Err(refused(why).hint("name a project's own folder; a person makes one with `clada init`"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn own_folders(&self) -> Vec<PathBuf> {
        let environment = &self.environment;
        let configuration = self.config.user_file().and_then(Path::parent).map(Path::to_path_buf);
        // The state of each machine has a folder in the one that is clada's.
        let all_state = environment.state.parent().filter(|folder| folder.ends_with("clada"));
        let state = all_state.unwrap_or(&environment.state).to_path_buf();
        let config_folders = configuration.into_iter().chain([state]);
        let hidden = environment.private.hidden.iter().chain(&environment.private.protected).cloned();
        let mut all: Vec<PathBuf> =
            config_folders.chain(hidden).chain(environment.socket_folder.clone()).collect();
        all.sort_unstable();
        all.dedup();
        // Anew for each request: a user may replace such a folder by a link at any time.
        all.into_iter().map(|folder| folder.canonicalize().unwrap_or(folder)).collect()
    }

    fn runs_by_itself(&self, root: &Path) -> bool {
        let environment = &self.environment;
        let resolved = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let home = environment.home.as_ref().map(resolved);
        let is_home = HOMES.iter().any(|homes| root.parent() == Some(Path::new(homes)));
        if is_home || HOLD_MORE.iter().any(|folder| root == Path::new(folder)) {
            return true;
        }
        let in_home = root.ancestors().any(|folder| {
            let Some((parent, name)) = folder.parent().zip(folder.file_name()) else { return false };
            let is_home = home.as_deref() == Some(parent)
                || parent == Path::new("/root")
                || HOMES.iter().any(|homes| parent.parent() == Some(Path::new(homes)));
            let named = |known: &&&str| OsStr::new(known).eq_ignore_ascii_case(name);
            is_home && (name.as_encoded_bytes().starts_with(b".") || OF_A_HOME.iter().find(named).is_some())
        });
        let folders = environment.configuration.iter().chain(&environment.programs);
        let mut folders = folders.filter(|folder| folder.is_absolute()).map(resolved);
        in_home
            || OF_THE_SYSTEM.iter().any(|folder| overlap(root, Path::new(folder)))
            || folders.any(|folder| overlap(root, &folder))
    }
}

fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
