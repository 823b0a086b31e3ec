//! Repositories as an attacker makes them: no part of them runs, nothing outside is read, and no call waits.
//!
//! A planted program is noticed by signs that no sandbox hides: every program that the daemon and its
//! descendants start is visible by ptrace from outside; its output appears in an answer, and it takes longer
//! than any call may. Files outside are noticed by words that are nowhere else.

mod calls;
mod kinds;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod watched;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::World;

/// Words in every file and commit of the repository outside.
const SECRET: &str = "ba5eba11-outside";

/// Words that a planted program prints.
const SPRUNG: &str = "5p7un6-token";

/// A hostile project, and the files next to it.
struct Ground {
    project: PathBuf,
    /// A repository outside of it.
    other: PathBuf,
    /// A planted program.
    trap: String,
}

impl Ground {
    fn at(&self, name: &str) -> PathBuf {
        self.project.join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Adds to the repository's configuration. `TRAP` is replaced with the planted program, `OTHER` with the
    /// repository outside.
    fn configure(&self, text: &str) {
        let other = self.other.to_str().unwrap();
        let text = text.replace("TRAP", &self.trap).replace("OTHER", other);
        let old = std::fs::read_to_string(self.at(".git/config")).unwrap();
        self.write(".git/config", old + &text);
    }

    /// Removes the current entry at a path.
    fn clear(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path).unwrap(),
            Ok(_) => std::fs::remove_file(&path).unwrap(),
            Err(_) => std::fs::create_dir_all(path.parent().unwrap()).unwrap(),
        }
        path
    }

    fn pipe(&self, name: &str) {
        let (path, mode) = (self.clear(name), rustix::fs::Mode::from_raw_mode(0o600));
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.clear(name)).unwrap();
    }

    /// Runs git as the attacker, in the project.
    fn git(&self, args: &[&str]) {
        let ran = git_in(&self.project).args(args).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// Git without any configuration but the repository's.
fn git_in(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/nonexistent");
    command.env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder);
    for name in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{name}_NAME"), "A").env(format!("GIT_{name}_EMAIL"), "a@example.org");
    }
    command
}

/// A repository with two commits, at a new folder of `world`, with `word` in all that it holds.
fn repository(world: &World, name: &str, word: &str) -> Option<PathBuf> {
    let folder = world.path(name);
    std::fs::create_dir_all(folder.join("d")).unwrap();
    git_in(&folder).args(["init", "-q", "-b", "main"]).output().ok().filter(|ran| ran.status.success())?;
    for text in ["one", "two"] {
        for file in ["a.txt", "d/b.txt"] {
            std::fs::write(folder.join(file), format!("{text}\n{word}\n")).unwrap();
        }
        for args in [&["add", "-A"][..], &["commit", "-q", "-m", &format!("{text} {word}")]] {
            assert!(git_in(&folder).args(args).status().unwrap().success());
        }
    }
    Some(folder)
}

/// A copy of a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
