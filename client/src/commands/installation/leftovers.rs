//! The files of clada outside of projects: those that are removed with it, and the folders that are kept.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::installer::Installer;
use crate::Process;
use crate::connect::{SocketFolder, socket_folder};
use crate::exit::Failure;
use crate::settings::Settings;

const PROGRAMS: [&str; 4] = ["clada", "clada-client", "clada-daemon", "clada-review"];

const OF_ARCHIVE: [&str; 13] = [
    "share/bash-completion/completions/clada",
    "share/bash-completion/completions/clada-client",
    "share/zsh/site-functions/_clada",
    "share/fish/vendor_completions.d/clada.fish",
    "lib/systemd/user/clada.service",
    "lib/systemd/user/clada.socket",
    "share/doc/clada/README.md",
    "share/doc/clada/CHANGELOG.md",
    "share/doc/clada/LICENSE",
    "share/doc/clada/LICENSE-APACHE",
    "share/doc/clada/LICENSE-MIT",
    "share/doc/clada/launchd/io.clada.daemon.plist",
    "share/doc/clada/launchd/README.md",
];

const OF_HOME: [&str; 11] = [
    "Library/LaunchAgents/io.clada.daemon.plist",
    ".local/share/bash-completion/completions/clada",
    ".local/share/bash-completion/completions/clada-client",
    ".zfunc/_clada",
    ".zfunc/_clada-client",
    ".config/fish/completions/clada.fish",
    ".config/fish/completions/clada-client.fish",
    ".config/nushell/autoload/clada.nu",
    ".config/nushell/autoload/clada-client.nu",
    ".config/systemd/user/clada.service",
    ".config/systemd/user/clada.socket",
];

#[derive(Debug)]
pub(super) struct Leftovers {
    pub(super) files: Vec<PathBuf>,
    pub(super) remaining_folders: Vec<(&'static str, PathBuf)>,
    runtime: Option<PathBuf>,
}

impl Leftovers {
    /// Files that a package manager has installed are not among them.
    pub(super) fn find(
        process: &Process,
        settings: &Settings,
        installer: &Installer,
    ) -> Result<Leftovers, Failure> {
        let absolute = |name: &str| process.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let mut files = Vec::new();
        if let Installer::Archive(prefix) = installer {
            files.extend(PROGRAMS.iter().map(|name| prefix.join("bin").join(name)));
            files.extend(OF_ARCHIVE.iter().map(|path| prefix.join(path)));
            files.extend(manual(&prefix.join("share/man")));
        }
        // A wheel that pip installs for a user alone has completions and pages in the same places.
        if let Some(home) = home.as_deref().filter(|_| *installer != Installer::Pip) {
            files.extend(OF_HOME.iter().map(|path| home.join(path)));
            files.extend(manual(&home.join(".local/share/man")));
        }
        files.retain(|path| path.symlink_metadata().is_ok());
        files.sort();
        files.dedup();
        let below = |variable: &str, usual: &str| {
            absolute(variable).or_else(|| Some(home.as_ref()?.join(usual))).map(|base| base.join("clada"))
        };
        let folders = [
            ("the journal, which undo needs", below("XDG_STATE_HOME", ".local/state")),
            ("your settings", below("XDG_CONFIG_HOME", ".config")),
        ];
        let remaining_folders =
            folders.into_iter().filter_map(|(what, folder)| Some((what, folder.filter(|it| it.is_dir())?)));
        let remaining_folders = remaining_folders.collect();
        let SocketFolder { socket, mode } = socket_folder(process, settings)?;
        // A folder that somebody named may be theirs.
        let is_named = settings.socket.is_some();
        let runtime = socket.parent().filter(|_| mode.is_some() && !is_named).map(Path::to_owned);
        Ok(Leftovers { files, remaining_folders, runtime })
    }

    #[expect(clippy::disallowed_methods, reason = "systemd alone can do it")]
    pub(super) fn disable_units(&self) {
        if self.files.iter().any(|file| file.ends_with("systemd/user/clada.socket")) {
            let mut systemctl = Command::new("systemctl");
            systemctl.args(["--user", "disable", "--now", "clada.socket", "clada.service"]);
            // Where there is no systemd, nothing of it is enabled.
            let _ = systemctl.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }

    #[expect(clippy::disallowed_methods, reason = "files of clada's own, which lie in no project")]
    pub(super) fn remove(&self) -> (usize, Vec<(PathBuf, io::Error)>) {
        let (mut removed, mut failed) = (0, Vec::new());
        let sockets = self.runtime.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        let sockets = sockets
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("v1.")));
        for file in self.files.iter().cloned().chain(sockets.collect::<Vec<_>>()) {
            match std::fs::remove_file(&file) {
                Ok(()) => removed += 1,
                // The daemon has removed it at its end.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => failed.push((file, error)),
            }
        }
        // Inner ones first, and each only if nothing else is in it.
        let folders = self.files.iter().rev().filter_map(|file| file.parent());
        let of_docs = |folder: &&Path| folder.ends_with("doc/clada") || folder.ends_with("doc/clada/launchd");
        for folder in folders.filter(of_docs).chain(self.runtime.as_deref()) {
            let _ = std::fs::remove_dir(folder);
        }
        (removed, failed)
    }
}

fn manual(folder: &Path) -> Vec<PathBuf> {
    let entries =
        ["man1", "man5"].into_iter().filter_map(|section| std::fs::read_dir(folder.join(section)).ok());
    let paths = entries.flatten().flatten().map(|entry| entry.path());
    let is_ours = |path: &PathBuf| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            let name = name.strip_suffix(".gz").unwrap_or(&name);
            let stem = name.strip_suffix(".1").or_else(|| name.strip_suffix(".5"));
            stem.is_some_and(|stem| stem == "clada" || stem.starts_with("clada-"))
        })
    };
    paths.filter(is_ours).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files of the test's own")]
mod tests {
    use super::*;

    /// The list of what packages install, and what is removed of an archive, are the same.
    #[test]
    fn all_that_an_archive_installs_is_removed() {
        let listed = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/files");
        let listed = std::fs::read_to_string(listed).unwrap();
        let places = listed
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_whitespace().nth(1));
        for place in places {
            let is_known = place.strip_prefix("bin/").is_some_and(|name| PROGRAMS.contains(&name))
                || place.starts_with("share/man/")
                || OF_ARCHIVE.contains(&place);
            assert!(is_known, "{place}");
        }
    }

    #[test]
    fn only_pages_of_clada_are_of_its_manual() {
        let top = tempfile::tempdir().unwrap();
        for page in [
            "man1/clada.1",
            "man1/clada-apply.1.gz",
            "man1/cladaforms.1",
            "man1/clang.1",
            "man5/clada-config.5",
        ] {
            let path = top.path().join(page);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let mut found = manual(top.path());
        found.sort();
        let expected = ["man1/clada-apply.1.gz", "man1/clada.1", "man5/clada-config.5"];
        assert_eq!(found, expected.map(|page| top.path().join(page)));
    }
}
