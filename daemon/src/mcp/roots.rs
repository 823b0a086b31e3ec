//! The folders that an agent may work in, from the arguments or the working directory.

use std::path::{Path, PathBuf};

use clada_protocol::path_from_file_uri;
use clada_protocol::root::Broad;

use super::error::CannotStart;
use crate::process::Process;

/// The most folders of a host that are looked at: as many roots as a connection may have.
const MOST: usize = 64;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct AgentRoots {
    pub(super) folders: Vec<PathBuf>,
    /// True if the folders of the host count instead, should it name any: none was named, and the working directory has
    /// no mark of a project.
    pub(super) asks_host: bool,
}

/// Returns the roots, resolved: the named ones, else the project of the working directory, else none.
///
/// # Errors
/// One that cannot be used, or holds more than a project: nobody can approve that here.
pub(super) fn roots(process: &Process, named: &[PathBuf]) -> Result<AgentRoots, CannotStart> {
    if named.is_empty() {
        let cwd = process.cwd.as_deref().and_then(|cwd| cwd.canonicalize().ok());
        let broad = broad(process, temporary(process));
        let exists = |path: &Path| path.symlink_metadata().is_ok();
        let root = cwd.as_deref().and_then(|cwd| broad.find_root(cwd, exists));
        let asks_host = root.is_none_or(|root| root.mark.is_none());
        let folders = root.map(|root| root.folder.to_owned()).into_iter().collect();
        return Ok(AgentRoots { folders, asks_host });
    }
    // A folder for temporary files may be named: requests about it are refused unless a person approves it.
    let broad = broad(process, Vec::new());
    let mut roots = Vec::new();
    for named in named {
        let root = resolved(process, named)?;
        if broad.holds(&root) {
            return Err(CannotStart::TooBroad(named.clone()));
        }
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    Ok(AgentRoots { folders: roots, asks_host: false })
}

/// A folder that cannot be used, or holds more than a project, is left out: a host may have anything open.
pub(super) fn from_host(process: &Process, uris: &[String]) -> Vec<PathBuf> {
    let broad = broad(process, Vec::new());
    let exists = |path: &Path| path.symlink_metadata().is_ok();
    let mut roots = Vec::new();
    for uri in uris.iter().take(MOST) {
        let folder = path_from_file_uri(uri).ok().and_then(|path| resolved(process, Path::new(&path)).ok());
        let Some(folder) = folder else { continue };
        if let Some(inferred) = broad.find_root(&folder, exists)
            && !roots.iter().any(|root| root == inferred.folder)
        {
            roots.push(inferred.folder.to_owned());
        }
    }
    roots
}

fn resolved(process: &Process, named: &Path) -> Result<PathBuf, CannotStart> {
    let unusable = |why: String| CannotStart::Root { root: named.to_owned(), why };
    // No shell has expanded what a host passes on.
    let home = named.strip_prefix("~").ok().zip(process.home.as_deref());
    let path = match (home, &process.cwd) {
        (Some((below, home)), _) => home.join(below),
        (None, Some(cwd)) => cwd.join(named),
        (None, None) => named.to_owned(),
    };
    let root = path.canonicalize().map_err(|error| unusable(error.to_string()))?;
    if !root.is_dir() {
        return Err(unusable("it is not a folder".to_owned()));
    }
    match root.to_str() {
        Some(_) => Ok(root),
        None => Err(unusable("its path is not UTF-8".to_owned())),
    }
}

fn broad(process: &Process, temporary: Vec<PathBuf>) -> Broad {
    // The home folder of the environment may be another than the user's own, and both count.
    let homes = process.home.iter().cloned().chain(process.account().map(|account| account.home));
    Broad::new(homes, temporary, |path| path.canonicalize().ok())
}

fn temporary(process: &Process) -> Vec<PathBuf> {
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    usual.into_iter().chain(process.variable("TMPDIR").map(PathBuf::from)).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::process::Account;

    #[test]
    fn what_holds_more_than_a_project_is_refused_by_every_name() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for folder in ["homes/ann/work/.git", "other", "homes/ann/work/src", "work"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        symlink(top.join("homes"), top.join("link")).unwrap();
        std::fs::File::create_new(top.join("file")).unwrap();
        // The home of the environment and that of the account differ, and both hold more than a project.
        let account = Account { name: "ann".into(), home: top.join("homes/ann"), shell: "/bin/sh".into() };
        let mut process = Process::fake(&top.join("other")).of_user(account, "/s".into());
        process.cwd = Some(top.clone());
        let asked = |named: &str| {
            let found = roots(&process, &[PathBuf::from(named)]);
            found
                .map(|roots| roots.folders[0].strip_prefix(&top).unwrap().to_owned())
                .map_err(|error| error.to_string())
        };
        for refused in ["/", "..", ".", "homes", "link", "link/ann", "homes/ann/work/..", "other", "other/."]
        {
            assert!(asked(refused).unwrap_err().contains("cannot use"), "{refused}");
        }
        assert!(asked("file").unwrap_err().contains("not a folder"));
        assert!(asked("missing").unwrap_err().contains("No such file"));
        assert!(asked("~").unwrap_err().contains("cannot use") && asked("~none").is_err());
        std::fs::create_dir_all(top.join("other/project")).unwrap();
        assert_eq!(asked("~/project").unwrap(), Path::new("other/project"));
        assert_eq!(asked("link/ann/work").unwrap(), Path::new("homes/ann/work"));
        let both = roots(&process, &["work".into(), "homes/../work".into()]).unwrap();
        assert_eq!(both, AgentRoots { folders: vec![top.join("work")], asks_host: false });
        let mut inferred = |cwd: &str| {
            process.cwd = Some(top.join(cwd));
            let AgentRoots { folders, asks_host } = roots(&process, &[]).unwrap();
            assert_eq!(asks_host, cwd != "homes/ann/work/src", "{cwd}: only a mark makes a project");
            folders
        };
        assert_eq!(inferred("homes/ann/work/src"), [top.join("homes/ann/work")]);
        assert_eq!(inferred("work"), [top.join("work")]);
        for none in ["homes/ann", "homes", "/", "/tmp"] {
            assert_eq!(inferred(none), [""; 0].map(PathBuf::from), "{none}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
    fn the_folders_of_a_host_are_their_projects() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for folder in ["home/work/.git", "home/work/src", "home/a b", "home/.cache"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        std::fs::write(top.join("home/file"), "").unwrap();
        let process = Process::fake(&top.join("home"));
        let uri = |path: &str| format!("file://{}/{path}", top.display());
        let folders =
            ["home/work/src", "home/work", "home/a%20b", "home", ".", "home/file", "home/none"].map(uri);
        let uris =
            [&folders[..], &["https://e.org/x".to_owned(), "file:///".to_owned(), String::new()]].concat();
        assert_eq!(from_host(&process, &uris), [top.join("home/work"), top.join("home/a b")]);
    }
}
