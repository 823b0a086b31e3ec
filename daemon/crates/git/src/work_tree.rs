//! Makes the files of the work tree those of another state, one by one, and finds what stands in the way before
//! anything is changed.
//!
//! Example: HEAD goes from a commit with `a` (one) and `b` to one with `a` (two). The change of `a` replaces a
//! file that holds `one`, the change of `b` deletes a file. A file that holds neither the content before nor the
//! one after is another program's: it stays. So the same changes can be made again, or in reverse, wherever they
//! were cut off.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clada_fs::{
    DirtyFolders, Expected, FileKind, FsError, Like, Metadata, Options, PathPolicy, PolicyGlobs, RootedPath,
    Roots, Stat,
};
use git2::build::CheckoutBuilder;
use git2::{AttrCheckFlags, AttrValue, ObjectType, Oid};

use super::aside::{CommitState, PathChange};
use super::content::{Content, StoredContent, entry_of, open_file};
use super::error::{Doing, GitError};
use super::repository::GitRepository;

const DOING: &str = "change the files of the work tree";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    Refuse,
    Leave,
}

enum EntryAttributes {
    File(Metadata),
    Link,
    Other,
}

pub(super) struct WorkTree<'r> {
    repository: &'r GitRepository,
    roots: Roots,
}

impl<'r> WorkTree<'r> {
    pub(super) fn open(repository: &'r GitRepository, options: &Options) -> Result<WorkTree<'r>, GitError> {
        let policy = PathPolicy::new(&PolicyGlobs::default())
            .map_err(|error| GitError::Library { doing: DOING, message: error.to_string() })?;
        let roots = Roots::open(&repository.folder, &[], &[], policy, options.clone()).map_err(failed)?;
        Ok(WorkTree { repository, roots })
    }

    pub(super) fn make(
        &self,
        changes: &[PathChange],
        target: &CommitState,
        foreign: Foreign,
    ) -> Result<Vec<PathBuf>, GitError> {
        if foreign == Foreign::Leave {
            self.remove_leftovers(changes);
        }
        let converted = self.convert(changes, target)?;
        let (mut skipped, mut folders) = (Vec::new(), DirtyFolders::new());
        let (removals, written): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.after.is_none());
        for change in removals.into_iter().chain(written) {
            let outcome = match change.after.filter(|after| after.is_submodule()) {
                Some(_) => self.make_folder(&change.path),
                None => self.make_one(change, target, converted.as_deref()),
            };
            match outcome {
                Ok(true) => {
                    if let Ok(path) = self.place(&change.path) {
                        folders.changed(&path);
                    }
                }
                Ok(false) if foreign == Foreign::Refuse => {
                    let message = format!("'{}' has changed in the meantime", change.path.display());
                    return Err(GitError::refused(message, "try again"));
                }
                Err(error) if foreign == Foreign::Refuse => return Err(error),
                Ok(false) | Err(_) => skipped.push(change.path.clone()),
            }
        }
        if let Some(converted) = converted {
            remove_folder(&converted);
        }
        // A folder that was removed since cannot be flushed, and need not be.
        let _ = folders.sync_all(&self.roots);
        Ok(skipped)
    }

    fn place(&self, path: &Path) -> Result<RootedPath, GitError> {
        // What is committed below `.clada` comes and goes with the commits; git's own folder is in none.
        let is_of_git = path.components().any(|name| is_git_folder(name.as_os_str()));
        let place =
            self.roots.root(0).filter(|_| !is_of_git).and_then(|root| self.roots.beneath(&root, path));
        place.ok_or_else(|| {
            GitError::refused(
                format!("'{}' is not a path of a work tree", path.display()),
                "check the commit with git fsck",
            )
        })
    }

    fn remove_leftovers(&self, changes: &[PathChange]) {
        let folders: BTreeSet<PathBuf> = changes
            .iter()
            .flat_map(|change| change.path.ancestors().skip(1))
            .map(Path::to_path_buf)
            .collect();
        for folder in folders {
            let folder = match folder.as_os_str().is_empty() {
                true => self.roots.root(0),
                false => self.place(&folder).ok(),
            };
            // A folder that is not there has none.
            let _ = folder.map(|folder| self.roots.remove_leftovers(&folder));
        }
    }

    /// Makes one change. Returns false if the file is somebody else's.
    fn make_one(
        &self,
        change: &PathChange,
        target: &CommitState,
        converted: Option<&Path>,
    ) -> Result<bool, GitError> {
        let PathChange { path, before, after } = change;
        if self.holds(path, *after)? {
            if after.is_none() {
                // Cut off between the folder and its file, an earlier attempt leaves the folder alone.
                self.remove_plain_folders(path);
            }
            return Ok(true);
        }
        let rooted = self.place(path)?;
        let now = self.roots.lstat(&rooted).map_err(failed)?;
        let is_folder = now.is_some_and(|now| now.kind == FileKind::Directory);
        if now.is_some() && !is_folder && !self.holds(path, *before)? {
            return Ok(false);
        }
        let now = now.filter(|_| !is_folder);
        let Some(after) = after else {
            if let Some(now) = now {
                self.roots.unlink(&rooted, Expected::Identity(now.identity())).map_err(failed)?;
                self.remove_plain_folders(path);
            }
            return Ok(true);
        };
        if is_folder && !self.remove_empty(&rooted)? {
            return Ok(false);
        }
        if let Some(parent) = rooted.parent() {
            self.roots.create_dir_all(&parent).map_err(failed)?;
        }
        self.write(&rooted, *after, now, target, converted).map(|()| true)
    }

    fn write(
        &self,
        path: &RootedPath,
        after: StoredContent,
        now: Option<Stat>,
        target: &CommitState,
        converted: Option<&Path>,
    ) -> Result<(), GitError> {
        let expected = now.map_or(Expected::Missing, |now| Expected::Identity(now.identity()));
        let bytes = self.bytes(path.relative(), after, converted)?;
        if after.is_link() {
            return self.roots.make_link(path, OsStr::from_bytes(&bytes), expected).map_err(failed);
        }
        let is_file = now.is_some_and(|now| now.kind == FileKind::File);
        let old = if is_file { Some(self.roots.metadata(path).map_err(failed)?) } else { None };
        let is_replaceable = is_file && now.is_some_and(|now| now.mode & 0o200 != 0);
        let expected = if now.is_some() && !is_replaceable {
            // Neither a link nor a file that is read-only is replaced by a rename.
            self.roots.unlink(path, expected).map_err(failed)?;
            Expected::Missing
        } else {
            expected
        };
        let saved = target.saved.get(path.relative()).and_then(Option::as_ref);
        let is_executable = Some(after.is_executable());
        let (like, executable) = match (saved, &old) {
            (Some(saved), _) => (Like::Saved(saved), None),
            (None, Some(_)) if is_replaceable => (Like::Existing(path), is_executable),
            (None, Some(old)) => (Like::Saved(old), is_executable),
            (None, None) => (Like::New, is_executable),
        };
        let executable =
            executable.filter(|_| old.is_none() || self.repository.config_bool("core.filemode", true));
        let prepared = self.roots.prepare_as(path, &bytes, like, executable).map_err(failed)?;
        prepared.publish(expected).map_err(failed).map(drop)
    }

    fn bytes(
        &self,
        path: &Path,
        after: StoredContent,
        converted: Option<&Path>,
    ) -> Result<Vec<u8>, GitError> {
        if let Some(folder) = converted
            && folder.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_file())
        {
            let at = folder.join(path);
            let read = open_file(&at).and_then(|mut file| {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map(|_| bytes)
            });
            return read.map_err(|error| GitError::io(DOING, at, error));
        }
        let blob = self.repository.repository.find_blob(after.id).doing(DOING)?;
        Ok(blob.content().to_vec())
    }

    /// Returns whether the work tree has `stored` at `path`: as it is stored, or as git would store it.
    fn holds(&self, path: &Path, stored: Option<StoredContent>) -> Result<bool, GitError> {
        let at = self.repository.folder.join(path);
        let now = at.symlink_metadata().ok();
        let (Some(stored), Some(now)) = (stored, &now) else {
            // A folder in its place is not a file of its own.
            return Ok(stored.is_none() && now.is_none_or(|now| now.is_dir()));
        };
        let read = |error: std::io::Error| GitError::io("read a file", &at, error);
        if stored.is_link() {
            if !now.is_symlink() {
                return Ok(false);
            }
            let target = std::fs::read_link(&at).map_err(read)?;
            let id = Oid::hash_object(ObjectType::Blob, target.as_os_str().as_bytes()).doing(DOING)?;
            return Ok(id == stored.id);
        }
        let executable = now.mode() & 0o100 != 0;
        if !now.is_file() || self.repository.mode_of(executable, Some(stored)) != stored.mode {
            return Ok(false);
        }
        if Oid::hash_file(ObjectType::Blob, &at).doing("read a file")? == stored.id {
            return Ok(true);
        }
        let entered = self.repository.enter(path, &Content::OnDisk { executable }, Some(stored))?;
        Ok(entered.id == stored.id)
    }

    pub(super) fn obstacles(&self, changes: &[PathChange]) -> Vec<(PathBuf, &'static str)> {
        let is_file = |entry: &StoredContent| !entry.is_submodule();
        // Files that this move removes or replaces are in nobody's way: a file may become a folder, and the
        // reverse.
        let freed: BTreeSet<&Path> = changes
            .iter()
            .filter(|change| change.before.as_ref().is_some_and(is_file))
            .map(|change| change.path.as_path())
            .collect();
        let mut obstacles = Vec::new();
        for change in changes.iter().filter(|change| change.after.as_ref().is_some_and(is_file)) {
            let path = change.path.as_path();
            if path.components().any(|name| is_git_folder(name.as_os_str())) {
                obstacles.push((path.to_path_buf(), "it is a name of git's own"));
                continue;
            }
            let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
            for above in above {
                let at = self.repository.folder.join(above);
                let Ok(metadata) = at.symlink_metadata() else { continue };
                if !metadata.is_dir() {
                    if !freed.contains(above) {
                        obstacles.push((above.to_path_buf(), IN_THE_WAY));
                    }
                } else if at.join(".git").symlink_metadata().is_ok() {
                    obstacles.push((above.to_path_buf(), "it is a repository itself"));
                }
            }
            match self.repository.folder.join(path).symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => {
                    self.obstacles_below(path, &freed, &mut obstacles);
                }
                Ok(_) if !freed.contains(path) => obstacles.push((path.to_path_buf(), IN_THE_WAY)),
                _ => {}
            }
        }
        obstacles.sort();
        obstacles.dedup();
        obstacles
    }

    fn obstacles_below(
        &self,
        path: &Path,
        freed: &BTreeSet<&Path>,
        obstacles: &mut Vec<(PathBuf, &'static str)>,
    ) {
        let at = self.repository.folder.join(path);
        if !self.is_plain_folder(&at) {
            obstacles.push((path.to_path_buf(), "it is a folder with permissions that git does not store"));
        }
        let Ok(entries) = at.read_dir() else {
            obstacles.push((path.to_path_buf(), "it is a folder that cannot be read"));
            return;
        };
        let mut is_empty = true;
        for entry in entries.flatten() {
            is_empty = false;
            let inner = path.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.obstacles_below(&inner, freed, obstacles);
            } else if !freed.contains(inner.as_path()) {
                obstacles.push((inner, IN_THE_WAY));
            }
        }
        if is_empty {
            obstacles.push((path.to_path_buf(), "it is an empty folder, which git does not store"));
        }
    }

    pub(super) fn attributes(
        &self,
        dirty: &[PathBuf],
        changes: &[PathChange],
    ) -> Result<BTreeMap<PathBuf, Option<Metadata>>, GitError> {
        let mut saved = BTreeMap::new();
        for path in dirty {
            let metadata = match self.attributes_of(path)? {
                EntryAttributes::File(metadata) => Some(metadata),
                EntryAttributes::Link => None,
                EntryAttributes::Other => continue,
            };
            self.refuse_lossy(path, metadata.as_ref())?;
            saved.insert(path.clone(), metadata);
        }
        // A file that is written again is like the one that it replaces; one that is deleted is not there.
        let deleted = changes.iter().filter(|change| change.before.is_some() && change.after.is_none());
        for change in deleted.filter(|change| !saved.contains_key(&change.path)).collect::<Vec<_>>() {
            let EntryAttributes::File(metadata) = self.attributes_of(&change.path)? else { continue };
            if !self.is_plain_file(&change.path, &metadata) {
                self.refuse_lossy(&change.path, Some(&metadata))?;
                saved.insert(change.path.clone(), Some(metadata));
            }
        }
        Ok(saved)
    }

    fn attributes_of(&self, path: &Path) -> Result<EntryAttributes, GitError> {
        let rooted = self.place(path)?;
        match self.roots.lstat(&rooted).map_err(failed)?.map(|stat| stat.kind) {
            Some(FileKind::File) => self.roots.metadata(&rooted).map_err(failed).map(EntryAttributes::File),
            Some(FileKind::Symlink) => Ok(EntryAttributes::Link),
            _ => Ok(EntryAttributes::Other),
        }
    }

    /// Refuses a file that could not be made again as it is.
    fn refuse_lossy(&self, path: &Path, metadata: Option<&Metadata>) -> Result<(), GitError> {
        let at = self.repository.folder.join(path);
        let links = at.symlink_metadata().map_or(1, |metadata| metadata.nlink());
        let (user, groups) = (rustix::process::geteuid(), rustix::process::getgroups().unwrap_or_default());
        let is_ours = metadata.is_none_or(|of| {
            let has_group = || {
                rustix::process::getegid().as_raw() == of.gid
                    || groups.iter().any(|group| group.as_raw() == of.gid)
            };
            user.is_root() || (user.as_raw() == of.uid && has_group())
        });
        let why = match (links > 1, is_ours) {
            (true, _) => "it has a second name (a hard link), which would be cut",
            (_, false) => "it belongs to another user or group, which would be lost",
            _ => return Ok(()),
        };
        let message = format!("'{}' cannot be put aside: {why}", path.display());
        Err(GitError::refused(message, "commit it or move it, then try again"))
    }

    fn is_plain_file(&self, path: &Path, metadata: &Metadata) -> bool {
        let new = 0o666 & !self.roots.options().umask;
        let executable = new | (new & 0o444) >> 2;
        let by_system = |name: &[u8]| name == b"security.selinux";
        (metadata.mode == new || metadata.mode == executable)
            && has_owner_of_new(&self.repository.folder.join(path), (metadata.uid, metadata.gid))
            && metadata.xattrs.iter().all(|(name, _)| by_system(name))
    }

    fn is_plain_folder(&self, at: &Path) -> bool {
        let plain = 0o777 & !self.roots.options().umask;
        let mut names = [0_u8; 512];
        let has_attributes = match rustix::fs::llistxattr(at, &mut names[..]) {
            Ok(length) => {
                let mut names = names[..length].split(|byte| *byte == 0);
                names.any(|name| !name.is_empty() && name != b"security.selinux")
            }
            Err(rustix::io::Errno::OPNOTSUPP) => false,
            Err(_) => true,
        };
        let is_plain = |metadata: std::fs::Metadata| {
            metadata.mode() & 0o7777 == plain && has_owner_of_new(at, (metadata.uid(), metadata.gid()))
        };
        at.symlink_metadata().is_ok_and(is_plain) && !has_attributes
    }

    fn remove_plain_folders(&self, path: &Path) {
        let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        for above in above {
            let Ok(rooted) = self.place(above) else { return };
            if !self.is_plain_folder(&self.repository.folder.join(above))
                || self.roots.rmdir(&rooted).is_err()
            {
                return;
            }
        }
    }

    fn remove_empty(&self, folder: &RootedPath) -> Result<bool, GitError> {
        for entry in self.roots.list(folder, usize::MAX).map_err(failed)?.entries {
            let is_folder = entry.stat.kind == FileKind::Directory;
            let inner = self.roots.join(folder, &entry.name).map_err(failed)?;
            if !is_folder || !self.remove_empty(&inner)? {
                return Ok(false);
            }
        }
        self.roots.rmdir(folder).map_err(failed).map(|()| true)
    }

    fn make_folder(&self, path: &Path) -> Result<bool, GitError> {
        let rooted = self.place(path)?;
        match self.roots.lstat(&rooted).map_err(failed)? {
            None => self.roots.create_dir_all(&rooted).map_err(failed).map(|_| true),
            Some(stat) => Ok(stat.kind == FileKind::Directory),
        }
    }

    fn convert(&self, changes: &[PathChange], target: &CommitState) -> Result<Option<PathBuf>, GitError> {
        let folder = self.repository.repository.path().join("clada-checkout");
        remove_folder(&folder);
        let committed = self.repository.repository.find_tree(target.committed).doing(DOING)?;
        let is_converted = |change: &&PathChange| {
            let is_file = change.after.is_some_and(|after| !after.is_link() && !after.is_submodule());
            // What was put aside is stored as it was.
            let is_stored_by_git = !target.saved.contains_key(&change.path)
                || entry_of(&committed, &change.path) == change.after;
            is_file && is_stored_by_git && self.is_converted(&change.path)
        };
        let paths: Vec<&PathChange> = changes.iter().filter(is_converted).collect();
        if paths.is_empty() {
            return Ok(None);
        }
        let mut checkout = CheckoutBuilder::new();
        checkout.force().update_index(false).disable_pathspec_match(true).recreate_missing(true);
        checkout.target_dir(&folder);
        for change in paths {
            checkout.path(change.path.as_path());
        }
        let tree = self.repository.repository.find_object(target.files, None).doing(DOING)?;
        self.repository.repository.checkout_tree(&tree, Some(&mut checkout)).doing(DOING)?;
        Ok(Some(folder))
    }

    fn is_converted(&self, path: &Path) -> bool {
        let repository = self.repository;
        let config = repository.repository.config();
        let value = |key: &str| config.as_ref().ok().and_then(|config| config.get_string(key).ok());
        let is_crlf = value("core.autocrlf")
            .is_some_and(|value| !matches!(value.as_str(), "false" | "input"))
            || value("core.eol").is_some_and(|value| value.eq_ignore_ascii_case("crlf"));
        let has = |name: &str| {
            let attribute = repository.repository.get_attr_bytes(path, name, AttrCheckFlags::FILE_THEN_INDEX);
            !matches!(attribute.map(AttrValue::always_bytes), Ok(AttrValue::Unspecified | AttrValue::False))
        };
        is_crlf || has("eol") || has("ident")
    }
}

const IN_THE_WAY: &str = "it is in the way, and git does not have it";

fn is_git_folder(name: &OsStr) -> bool {
    let name = name.as_bytes().to_ascii_lowercase();
    name == b".git" || name.starts_with(b"git~")
}

#[allow(clippy::disallowed_methods, reason = "a folder of clada's own in the repository")]
fn remove_folder(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
}

#[allow(clippy::needless_pass_by_value, reason = "what map_err takes")]
fn failed(error: FsError) -> GitError {
    GitError::Library { doing: DOING, message: error.to_string() }
}

fn has_owner_of_new(at: &Path, owner: (u32, u32)) -> bool {
    let above = at.parent().and_then(|above| above.symlink_metadata().ok());
    let inherits = |above: &std::fs::Metadata| cfg!(target_vendor = "apple") || above.mode() & 0o2000 != 0;
    let own = || rustix::process::getegid().as_raw();
    let group = above.filter(inherits).map_or_else(own, |above| above.gid());
    owner == (rustix::process::geteuid().as_raw(), group)
}
