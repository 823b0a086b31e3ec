//! Lays out a private folder like git's own, so that git's own rules determine which
//! worktree a file belongs to.
//!
//! Small files are copied as they were when they were checked. Folders that may be large are links.

use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use clada_fs::{Symlinks, read_regular};

use super::keys::KeptConfig;
use super::region::{Located, TrustedRegion, file_in, folder_in};
use super::unfit::Unfit;

const MAX_SMALL: u64 = 1 << 20;
const MAX_FILES: usize = 1000;

pub(super) fn make(located: &Located, kept_config: &KeptConfig, scratch: &Path) -> Result<PathBuf, Unfit> {
    let mirror = Mirror { region: located.region() };
    let common = scratch.join("git");
    folder(&common)?;
    mirror.shared(&located.common, &common)?;
    let own = match located.is_linked() {
        false => common.clone(),
        true => mirror.linked(located, &common, scratch)?,
    };
    mirror.of_worktree(&located.own, &own)?;
    let mut configuration = KeptConfig { text: kept_config.text.clone(), ..KeptConfig::default() };
    for (key, name, list) in [
        ("excludesFile", "excludes", &kept_config.excludes),
        ("attributesFile", "attributes", &kept_config.attributes),
    ] {
        // The name is set even for an empty list: otherwise git would use its default place.
        let file = scratch.join(name);
        put(&file, list.as_deref().unwrap_or_default())?;
        configuration.name_list(key, &file);
    }
    put(&common.join("config"), configuration.text.as_bytes())?;
    Ok(own)
}

struct Mirror {
    region: TrustedRegion,
}

impl Mirror {
    fn shared(&self, from: &Path, to: &Path) -> Result<(), Unfit> {
        for name in ["objects", "logs"] {
            self.link_folder(&from.join(name), &to.join(name))?;
        }
        for name in ["packed-refs", "shallow"] {
            self.link_file(&from.join(name), &to.join(name))?;
        }
        self.refs(&from.join("refs"), &to.join("refs"))?;
        folder(&to.join("info"))?;
        for name in ["exclude", "attributes", "grafts", "sparse-checkout"] {
            self.link_file(&from.join("info").join(name), &to.join("info").join(name))?;
        }
        self.other_worktrees(&from.join("worktrees"), &to.join("worktrees"))
    }

    fn refs(&self, from: &Path, to: &Path) -> Result<(), Unfit> {
        folder(to)?;
        let Some(from) = folder_in(from, &self.region)? else { return Ok(()) };
        for path in children(&from)? {
            let Some(name) = path.file_name() else { continue };
            if path.is_dir() {
                self.link_folder(&path, &to.join(name))?;
            } else {
                self.copy(&path, &to.join(name))?;
            }
        }
        Ok(())
    }

    fn other_worktrees(&self, from: &Path, to: &Path) -> Result<(), Unfit> {
        let Some(from) = folder_in(from, &self.region)? else { return Ok(()) };
        folder(to)?;
        for worktree in children(&from)? {
            let (Some(name), true) = (worktree.file_name(), worktree.is_dir()) else { continue };
            let other = to.join(name);
            folder(&other)?;
            put(&other.join("commondir"), b"../..\n")?;
            for file in ["HEAD", "gitdir", "locked"] {
                self.copy(&worktree.join(file), &other.join(file))?;
            }
        }
        Ok(())
    }

    /// Lays out the folder of a linked worktree, and the main worktree's own files.
    fn linked(&self, located: &Located, common: &Path, scratch: &Path) -> Result<PathBuf, Unfit> {
        // Among the worktrees, git finds the shared folder by itself.
        self.copy(&located.common.join("HEAD"), &common.join("HEAD"))?;
        let name = located.own.strip_prefix(located.common.join("worktrees")).ok();
        if let Some(name) = name.filter(|name| name.iter().count() == 1) {
            return Ok(common.join("worktrees").join(name));
        }
        let own = scratch.join("own");
        folder(&own)?;
        put(&own.join("commondir"), common.as_os_str().as_bytes())?;
        Ok(own)
    }

    fn of_worktree(&self, from: &Path, to: &Path) -> Result<(), Unfit> {
        self.link_file(&from.join("index"), &to.join("index"))?;
        for path in children(from)? {
            let Some(name) = path.file_name() else { continue };
            let text = name.as_bytes();
            let is_ref = text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
            if is_ref && !to.join(name).exists() {
                self.copy(&path, &to.join(name))?;
            } else if text.starts_with(b"sharedindex.") {
                self.link_file(&path, &to.join(name))?;
            }
        }
        // The files of an operation in progress are small, so they are copied.
        for name in ["rebase-merge", "rebase-apply", "sequencer"] {
            let Some(state) = folder_in(&from.join(name), &self.region)? else { continue };
            folder(&to.join(name))?;
            for path in children(&state)? {
                let Some(file) = path.file_name() else { continue };
                self.copy(&path, &to.join(name).join(file))?;
            }
        }
        if to.join("commondir").exists() {
            for name in ["bisect", "rewritten", "worktree"] {
                let Some(refs) = folder_in(&from.join("refs").join(name), &self.region)? else { continue };
                folder(&to.join("refs"))?;
                symlink(&refs, to.join("refs").join(name)).map_err(Unfit::io(to))?;
            }
            self.link_folder(&from.join("logs"), &to.join("logs"))?;
            folder(&to.join("info"))?;
            self.link_file(&from.join("info/sparse-checkout"), &to.join("info/sparse-checkout"))?;
        }
        Ok(())
    }

    fn link_folder(&self, from: &Path, to: &Path) -> Result<(), Unfit> {
        let Some(real) = folder_in(from, &self.region)? else { return Ok(()) };
        symlink(real, to).map_err(Unfit::io(to))
    }

    fn link_file(&self, from: &Path, to: &Path) -> Result<(), Unfit> {
        let Some(real) = file_in(from, &self.region)? else { return Ok(()) };
        symlink(real, to).map_err(Unfit::io(to))
    }

    /// Copies a small file.
    fn copy(&self, from: &Path, to: &Path) -> Result<(), Unfit> {
        // Replaces a ref that is a link, an old way to write `HEAD`, by the equivalent text.
        if let Ok(named) = from.read_link()
            && named.starts_with("refs")
        {
            return put(to, &[b"ref: ", named.as_os_str().as_bytes(), b"\n"].concat());
        }
        let Some(real) = file_in(from, &self.region)? else { return Ok(()) };
        let content = read_regular(&real, Symlinks::Refuse, MAX_SMALL).map_err(Unfit::io(from))?;
        put(to, &content)
    }
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, Unfit> {
    let entries = folder.read_dir().map_err(Unfit::io(folder))?;
    let paths: Vec<PathBuf> = entries.take(MAX_FILES + 1).flatten().map(|entry| entry.path()).collect();
    if paths.len() > MAX_FILES { Err(Unfit::TooMuch(folder.to_path_buf())) } else { Ok(paths) }
}

fn folder(path: &Path) -> Result<(), Unfit> {
    // Only the scratch folder around it is private: a command may run as another user.
    DirBuilder::new().recursive(true).create(path).map_err(Unfit::io(path))
}

fn put(path: &Path, content: &[u8]) -> Result<(), Unfit> {
    let created = File::options().write(true).create_new(true).open(path);
    created.and_then(|mut file| file.write_all(content)).map_err(Unfit::io(path))
}
