//! The allowed roots of one project, held open.
//!
//! A root is a folder that a user allowed; here it becomes a descriptor, and everything else in
//! this crate starts from that descriptor. Must not know actions or configuration files: their
//! contents arrive as values.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clada_protocol::ErrorKind;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::confine::FolderOpener;
use super::error::FsError;
use super::options::{Confinement, Options};
use super::path::RootedPath;
use super::policy::{PathPolicy, Verdict};
use super::stat::Stat;
use super::sys::Sys;

/// The folders beneath which all work happens. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Roots(pub(super) Arc<RootsInner>);

#[derive(Debug)]
pub(super) struct RootsInner {
    pub(super) roots: Vec<Arc<OpenRoot>>,
    pub(super) aliases: Vec<(String, PathBuf)>,
    pub(super) policy: Arc<PathPolicy>,
    pub(super) options: Options,
    pub(super) sys: Sys,
    opener: FolderOpener,
    pub(super) secret_files: OnceLock<Option<HashSet<(u64, u64)>>>,
}

#[derive(Debug)]
pub(super) struct OpenRoot {
    pub(super) configured: PathBuf,
    pub(super) resolved: PathBuf,
    folder: OwnedFd,
    stat: Stat,
}

pub(super) enum FolderHandle<'a> {
    Root(BorrowedFd<'a>),
    Opened(OwnedFd),
}

impl AsFd for FolderHandle<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            FolderHandle::Root(folder) => folder.as_fd(),
            FolderHandle::Opened(folder) => folder.as_fd(),
        }
    }
}

impl Roots {
    /// Opens the project's root and the others allowed, in the order in which paths are looked up.
    ///
    /// All are absolute. `aliases` maps the start of a path that a model made up to a real folder. Fails with
    /// `project_not_found` if one is missing or no folder.
    pub fn open(
        project: &Path,
        allowed: &[PathBuf],
        aliases: &[(String, PathBuf)],
        policy: impl Into<Arc<PathPolicy>>,
        options: Options,
    ) -> Result<Roots, FsError> {
        let mut roots = vec![Arc::new(OpenRoot::open(project)?)];
        for path in allowed {
            roots.push(Arc::new(OpenRoot::open(path)?));
        }
        let opener = FolderOpener::choose(options.backend, roots[0].folder.as_fd());
        Roots::assemble(roots, aliases.to_vec(), policy.into(), options, opener)
    }

    fn assemble(
        mut roots: Vec<Arc<OpenRoot>>,
        aliases: Vec<(String, PathBuf)>,
        policy: Arc<PathPolicy>,
        options: Options,
        opener: FolderOpener,
    ) -> Result<Roots, FsError> {
        if options.confinement == Confinement::WholeSystem {
            roots.push(Arc::new(OpenRoot::open(Path::new("/"))?));
        }
        let sys = Sys::new(options.faults.clone());
        let secret_files = OnceLock::new();
        Ok(Roots(Arc::new(RootsInner { roots, aliases, policy, options, sys, opener, secret_files })))
    }

    /// Returns the resolved roots, the project's first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.roots.iter().map(|root| root.resolved.as_path())
    }

    /// Returns the options for file access.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// Returns the same folders with another policy or other options for one call (`--include-secrets`,
    /// `--allow-escape`). They are not opened again; the backend stays.
    pub fn with(&self, policy: impl Into<Arc<PathPolicy>>, options: Options) -> Result<Roots, FsError> {
        let mut roots = self.0.roots.clone();
        if self.0.options.confinement == Confinement::WholeSystem {
            roots.pop();
        }
        Roots::assemble(roots, self.0.aliases.clone(), policy.into(), options, self.0.opener)
    }

    /// Returns the policy that paths are checked against.
    pub fn policy(&self) -> &PathPolicy {
        &self.0.policy
    }

    /// Returns all that decides, besides the files, what may be done with which path: two values are equal
    /// only if every path means the same under both, and is allowed the same. The permission bits of new
    /// files are not part of it.
    #[must_use]
    pub fn terms(&self) -> String {
        let RootsInner { aliases, policy, options, .. } = &*self.0;
        let options = Options { umask: 0, ..options.clone() };
        format!("{:?}", (self.paths().collect::<Vec<_>>(), aliases, options, policy.written()))
    }

    /// Checks that every root is still the folder that was opened, under the same name.
    pub fn still_there(&self) -> Result<(), FsError> {
        for root in &self.0.roots {
            let shown = root.configured.display().to_string();
            let now = rustix::fs::stat(&root.configured)
                .map_err(|errno| FsError::os("see the root", errno, &shown))?;
            if !Stat::from_raw(&now).same_file(&root.stat) {
                return Err(FsError::conflict("The root was replaced by another folder", shown));
            }
        }
        Ok(())
    }

    /// Returns the policy, to be shared with [`Roots::with`].
    pub fn shared_policy(&self) -> Arc<PathPolicy> {
        Arc::clone(&self.0.policy)
    }

    /// Returns the absolute path, by the root's name as given; for results and for reports.
    pub fn absolute(&self, path: &RootedPath) -> PathBuf {
        join(&self.0.roots[path.root()].configured, path.relative())
    }

    /// Returns the verdict of the names on reading `path`.
    pub fn verdict_for_read(&self, path: &RootedPath) -> Verdict {
        let (configured, resolved) = self.absolutes(path.root(), path.relative());
        self.0.policy.verdict_for_read(path.relative(), &[&configured, &resolved])
    }

    /// Returns the verdict of the names on writing `path`.
    pub fn verdict_for_write(&self, path: &RootedPath) -> Verdict {
        let (configured, resolved) = self.absolutes(path.root(), path.relative());
        self.protected_verdict(&resolved)
            .unwrap_or_else(|| self.0.policy.verdict_for_write(path.relative(), &[&configured, &resolved]))
    }

    /// Returns the verdict of the names on making a symbolic link at `path`.
    pub fn verdict_for_link(&self, path: &RootedPath) -> Verdict {
        let (configured, resolved) = self.absolutes(path.root(), path.relative());
        self.protected_verdict(&resolved)
            .unwrap_or_else(|| self.0.policy.verdict_for_link(path.relative(), &[&configured, &resolved]))
    }

    fn protected_verdict(&self, resolved: &Path) -> Option<Verdict> {
        let is_kept = self.0.options.protected_folders.iter().any(|folder| resolved.starts_with(folder));
        let why = "Path is denied: it is of clada's own configuration, state or sockets";
        is_kept.then(|| Verdict::Deny(ErrorKind::PathDenied, why.to_owned()))
    }

    /// Returns the verdict of the names on moving `from` to `to`: both are written, and a secret must not
    /// become readable under a harmless name.
    pub fn verdict_for_move(&self, from: &RootedPath, to: &RootedPath) -> Verdict {
        if let Verdict::Deny(kind, reason) = self.verdict_for_read(from)
            && self.verdict_for_read(to) == Verdict::Allow
        {
            return Verdict::Deny(kind, reason);
        }
        match (self.verdict_for_write(from), self.verdict_for_write(to)) {
            (deny @ Verdict::Deny(..), _) | (_, deny @ Verdict::Deny(..)) => deny,
            (ask @ Verdict::Ask(_), _) => ask,
            (Verdict::Allow, to) => to,
        }
    }

    pub(super) fn absolutes(&self, root: usize, relative: &Path) -> (PathBuf, PathBuf) {
        let root = &self.0.roots[root];
        (join(&root.configured, relative), join(&root.resolved, relative))
    }

    pub(super) fn root_folder(&self, root: usize) -> BorrowedFd<'_> {
        self.0.roots[root].folder.as_fd()
    }

    pub(super) fn folder(&self, path: &RootedPath) -> Result<FolderHandle<'_>, Errno> {
        self.folder_at(path.root(), path.relative())
    }

    /// Returns the folder in which `path` has its name, and the name. EBUSY for a
    /// root, which is never changed.
    pub(super) fn parent_of<'a>(
        &'a self,
        path: &'a RootedPath,
    ) -> Result<(FolderHandle<'a>, &'a OsStr), Errno> {
        let name = path.file_name().ok_or(Errno::BUSY)?;
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        Ok((self.folder_at(path.root(), parent)?, name))
    }

    pub(super) fn open_beneath(&self, base: BorrowedFd<'_>, relative: &Path) -> Result<OwnedFd, Errno> {
        self.0.opener.open_dir(base, relative)
    }

    fn folder_at(&self, root: usize, relative: &Path) -> Result<FolderHandle<'_>, Errno> {
        let root = self.root_folder(root);
        if relative.as_os_str().is_empty() {
            return Ok(FolderHandle::Root(root));
        }
        Ok(FolderHandle::Opened(self.open_beneath(root, relative)?))
    }

    pub(super) fn sys(&self) -> &Sys {
        &self.0.sys
    }
}

impl OpenRoot {
    fn open(configured: &Path) -> Result<OpenRoot, FsError> {
        let shown = configured.display().to_string();
        let missing = |issue: &'static str, code: &'static str| {
            FsError::new(ErrorKind::ProjectNotFound, code, issue, &shown)
        };
        if !configured.is_absolute() {
            return Err(missing("The root is not an absolute path", "PROJECT_NOT_FOUND"));
        }
        let resolved = configured.canonicalize().map_err(|error| {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            match errno {
                Errno::NOENT | Errno::NOTDIR => missing("The root does not exist", "ENOENT"),
                errno => FsError::os("open the root", errno, &shown),
            }
        })?;
        let folder =
            rustix::fs::openat(CWD, &resolved, folder_flags(), Mode::empty()).map_err(
                |errno| match errno {
                    Errno::NOTDIR | Errno::LOOP => missing("The root is not a folder", "ENOTDIR"),
                    errno => FsError::os("open the root", errno, &shown),
                },
            )?;
        let stat = rustix::fs::fstat(&folder).map_err(|errno| FsError::os("open the root", errno, &shown))?;
        Ok(OpenRoot {
            configured: configured.components().collect(),
            resolved,
            folder,
            stat: Stat::from_raw(&stat),
        })
    }
}

fn folder_flags() -> OFlags {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let flags = flags | OFlags::PATH;
    flags
}

fn join(root: &Path, relative: &Path) -> PathBuf {
    // `Path::join` adds a `/` before an empty path.
    if relative.as_os_str().is_empty() { root.to_path_buf() } else { root.join(relative) }
}
