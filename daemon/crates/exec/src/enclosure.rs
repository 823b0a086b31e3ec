//! The enclosure of every command of a project, for every caller: what is hidden from the command and what is
//! protected.

use std::path::{Path, PathBuf};

use clada_git::obeyed_folders;

use super::command_spec::{Access, Enclosure, Network};
use super::sandbox::hidden::{secrets, secrets_of_the_system, tools};
use super::sandbox::manifests::packages;

/// The most repositories of a root that are mounted as protected. The cost of mounts grows with the square of
/// their number: 500 take half a second.
const REPOSITORIES: usize = 500;

/// The paths of the user and of clada that no command has any business with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Private {
    /// The user's home folder, below which programs keep secrets.
    pub home: Option<PathBuf>,
    /// Folders that are hidden: of the daemon's socket, of clada's state, of the user's services.
    pub hidden: Vec<PathBuf>,
    /// Files and folders that stay as they are even inside a folder that a command may change: clada's
    /// configuration.
    pub protected: Vec<PathBuf>,
}

impl Private {
    /// Hides the whole folder of a daemon's socket, with its locks and any file that is added later. Hides
    /// the socket alone if the folder holds other things of the user as well.
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
    /// Returns the enclosure of a project: its root, in which the files that git and clada keep stay as they
    /// are.
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

    /// Hides the home folder, except for programs, the files that package managers have fetched, and the
    /// packages that the project's manifests name.
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

    /// Hides the passwords and keys of the machine, for code that nobody was asked about.
    #[must_use]
    pub fn with_system_secrets_hidden(mut self) -> Enclosure {
        self.hidden.extend(secrets_of_the_system());
        self
    }

    /// Shows the home folder without its keys, also if it lies below a hidden folder.
    #[must_use]
    pub fn with_home_shown(mut self) -> Enclosure {
        self.shown.extend(self.home.clone());
        self
    }

    /// Shows the paths that the user has made readable (`exec.readable`).
    #[must_use]
    pub fn with_readable(mut self, paths: &[PathBuf]) -> Enclosure {
        self.hidden.retain(|hidden| !paths.contains(hidden));
        self.shown.extend(paths.iter().cloned());
        self
    }

    /// Lets the command change further folders: other roots, and those that the user has named
    /// (`exec.writable`). In these, too, the files that git and clada keep stay as they are.
    #[must_use]
    pub fn with_writable(mut self, folders: &[PathBuf]) -> Enclosure {
        for folder in folders {
            self.protected.extend([folder.join(".git"), folder.join(".clada")]);
            self.writable.push(folder.clone());
        }
        self
    }

    /// Protects the repositories that were found in `root`, a folder that may be changed.
    ///
    /// The files that git and clada keep in each repository stay as they are, also in a folder elsewhere that
    /// its `.git` names, and so do repositories without a work tree. A link cannot be protected, nor can a repository
    /// that holds the root: these are watched instead, and so are the repositories beyond the number that can be
    /// mounted.
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
                let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
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
            // A protected folder that holds the root would leave nothing in the root that may be changed.
            match root.starts_with(&folder) || self.root.starts_with(&folder) {
                true => self.watched.push(folder),
                false => self.protected.push(folder),
            }
        }
        for (number, folder) in bare.map(|folder| root.join(folder)).enumerate() {
            match number < REPOSITORIES && !root.starts_with(&folder) && !self.root.starts_with(&folder) {
                true => self.protected.push(folder),
                false => self.watched.push(folder),
            }
        }
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
    fn regression_a_repository_without_a_work_tree_stays_as_it_is() {
        let root = Path::new("/p");
        let enclosure = || Enclosure::of_project(root, Access::Change, Network::Off, &Private::default());
        let with = |bare: &[&str]| {
            enclosure().with_repositories(root, std::iter::empty(), bare.iter().map(Path::new))
        };
        let found = with(&["srv/a.git"]);
        assert!(found.protected.contains(&PathBuf::from("/p/srv/a.git")) && found.watched.is_empty());
        // What holds the root would leave nothing that may be changed.
        let found = with(&[""]);
        let mut protected = enclosure().protected;
        protected.sort();
        assert_eq!((found.watched, found.protected), (vec![root.join("")], protected));
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
