//! The enclosure that every command of a project gets: what is hidden and what is protected, whoever asks.

use std::path::{Path, PathBuf};

use clada_git::obeyed_folders;

use super::order::{Access, Enclosure, Network};
use super::sandbox::hidden::{secrets, tools};
use super::sandbox::manifests::packages;

/// Repositories of a root that are kept as they are. Mounts cost the square of their number: 500 take half a second.
const REPOSITORIES: usize = 500;

/// Where things of the person and of clada are that no command has any business with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Private {
    /// The person's home folder, below which programs keep secrets.
    pub home: Option<PathBuf>,
    /// Folders that are hidden: of the daemon's socket, of clada's state, of the user's services.
    pub hidden: Vec<PathBuf>,
    /// Files and folders that stay as they are even where a command may change what is around them: clada's
    /// configuration.
    pub protected: Vec<PathBuf>,
}

impl Private {
    /// Hides the whole folder of a daemon's socket, with its locks and what may come to be there; the socket alone where
    /// the folder holds the person's other things as well.
    pub fn hide_socket(&mut self, socket: &Path) {
        let folder = socket.parent().filter(|folder| folder.parent().is_some());
        let others = |folder: &&Path| self.home.as_deref().is_some_and(|home| home.starts_with(folder));
        let own = folder.filter(|folder| !others(folder)).unwrap_or(socket);
        if own.is_absolute() {
            self.hidden.push(own.to_owned());
        }
    }
}

impl Enclosure {
    /// The enclosure of a project: its root, in which what git and clada keep stays as it is.
    #[must_use]
    pub fn of_project(root: &Path, access: Access, network: Network, private: &Private) -> Enclosure {
        let mut hidden: Vec<PathBuf> = private.home.as_deref().map(secrets).unwrap_or_default();
        hidden.extend(private.hidden.iter().cloned());
        let mut protected = vec![root.join(".git"), root.join(".clada")];
        protected.extend(private.protected.iter().cloned());
        Enclosure {
            root: root.to_owned(),
            access,
            writable: Vec::new(),
            hidden,
            shown: Vec::new(),
            home: private.home.clone(),
            protected,
            watched: Vec::new(),
            network,
        }
    }

    /// With the home folder hidden, but for programs, what package managers have fetched, and packages that the
    /// project's manifests name.
    #[must_use]
    pub fn with_home_hidden(mut self) -> Enclosure {
        if let Some(home) = self.home.clone() {
            // A folder that holds the home folder would show it again.
            let packages = packages(&self.root).into_iter().filter(|package| !home.starts_with(package));
            self.shown.retain(|shown| *shown != home);
            self.shown.extend(tools(&home).into_iter().chain(packages));
            self.hidden.push(home);
        }
        self
    }

    /// With the home folder there, without its keys, also where it lies below a folder that is hidden.
    #[must_use]
    pub fn with_home_shown(mut self) -> Enclosure {
        self.shown.extend(self.home.clone());
        self
    }

    /// With what the person has named to be seen (`exec.readable`).
    #[must_use]
    pub fn with_readable(mut self, paths: &[PathBuf]) -> Enclosure {
        self.hidden.retain(|hidden| !paths.contains(hidden));
        self.shown.extend(paths.iter().cloned());
        self
    }

    /// With folders that may be changed as well: other roots, and what the person has named (`exec.writable`). In those,
    /// too, what git and clada keep stays as it is.
    #[must_use]
    pub fn with_writable(mut self, folders: &[PathBuf]) -> Enclosure {
        for folder in folders {
            self.protected.extend([folder.join(".git"), folder.join(".clada")]);
            self.writable.push(folder.clone());
        }
        self
    }

    /// With the repositories that were found in `root`, a folder that may be changed: what git and clada keep in each stays as it is, wherever a
    /// `.git` says that it lies. A link cannot be kept, nor a repository without a `.git`: those are watched, and so is
    /// whatever there are more of than mounts can be had for.
    #[must_use]
    pub fn with_repositories<'p>(
        mut self,
        root: &Path,
        with_work_tree: impl Iterator<Item = &'p Path>,
        bare: impl Iterator<Item = &'p Path>,
    ) -> Enclosure {
        for (number, folder) in with_work_tree.map(|folder| root.join(folder)).enumerate() {
            for path in [folder.join(".git"), folder.join(".clada")] {
                let is_own = folder == root || self.protected.contains(&path);
                let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
                match is_own || number < REPOSITORIES && !is_link {
                    true => self.protected.push(path),
                    false => self.watched.push(path),
                }
            }
        }
        let named = self.protected.iter().chain(&self.watched);
        let named = named.filter(|path| path.file_name().is_some_and(|name| name == ".git"));
        let elsewhere: Vec<PathBuf> = named.flat_map(|path| obeyed_folders(path)).collect();
        for folder in elsewhere {
            // Otherwise nothing of the root could be changed.
            match root.starts_with(&folder) || self.root.starts_with(&folder) {
                true => self.watched.push(folder),
                false => self.protected.push(folder),
            }
        }
        self.watched.extend(bare.map(|folder| root.join(folder)));
        for paths in [&mut self.protected, &mut self.watched] {
            paths.sort();
            paths.dedup();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_the_folder_of_a_socket_is_hidden_whole() {
        let mut private = Private { home: Some(PathBuf::from("/home/x")), ..Private::default() };
        for socket in ["/x/y.sock", "/home/x/clada.sock", "/home/x/run/s", "/s", "relative/s"] {
            private.hide_socket(Path::new(socket));
        }
        assert_eq!(private.hidden, ["/x", "/home/x/clada.sock", "/home/x/run", "/s"].map(PathBuf::from));
    }

    #[test]
    fn a_project_keeps_what_git_and_clada_keep() {
        let private = Private {
            home: Some(PathBuf::from("/home/x")),
            hidden: vec![PathBuf::from("/run/user/1/clada")],
            protected: vec![PathBuf::from("/home/x/.config/clada")],
        };
        let enclosure = Enclosure::of_project(Path::new("/p"), Access::Change, Network::Off, &private)
            .with_writable(&[PathBuf::from("/cache")]);
        for path in ["/p/.git", "/p/.clada", "/home/x/.config/clada", "/cache/.git"] {
            assert!(enclosure.protected.contains(&PathBuf::from(path)), "{path}");
        }
        for path in ["/home/x/.ssh", "/run/user/1/clada"] {
            assert!(enclosure.hidden.contains(&PathBuf::from(path)), "{path}");
        }
        assert_eq!(enclosure.writable, [PathBuf::from("/cache")]);
    }
}
