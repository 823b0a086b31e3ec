//! How the programs were installed, by the place of one of them.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Installer {
    Npm,
    Pipx,
    Uv,
    Pip,
    Cargo,
    Homebrew,
    Nix,
    System,
    /// An archive of the project's, below this prefix: its files are ours to remove.
    Archive(PathBuf),
    Unknown,
}

impl Installer {
    pub(super) fn from_program(program: &Path) -> Installer {
        let has = |name: &str| program.components().any(|part| part.as_os_str() == name);
        let Some(prefix) = program.parent().and_then(Path::parent) else { return Installer::Unknown };
        if has("node_modules") {
            Installer::Npm
        } else if program.starts_with("/nix/store") {
            Installer::Nix
        } else if has("Cellar") {
            Installer::Homebrew
        } else if prefix.join("pyvenv.cfg").is_file() {
            match (has("pipx"), has("uv")) {
                (true, _) => Installer::Pipx,
                (_, true) => Installer::Uv,
                _ => Installer::Pip,
            }
        } else if prefix.join(".crates.toml").is_file() {
            Installer::Cargo
        } else if prefix == Path::new("/usr") {
            Installer::System
        } else if has_wheel(prefix) {
            Installer::Pip
        } else if program.ends_with("bin/clada") && prefix.join("share/man/man1/clada.1").is_file() {
            Installer::Archive(prefix.to_owned())
        } else {
            Installer::Unknown
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Installer::Npm => "npm",
            Installer::Pipx => "pipx",
            Installer::Uv => "uv",
            Installer::Pip => "pip",
            Installer::Cargo => "cargo",
            Installer::Homebrew => "Homebrew",
            Installer::Nix => "Nix",
            Installer::System => "the system's packages",
            Installer::Archive(_) => "an archive",
            Installer::Unknown => "an unknown installer",
        }
    }

    pub(super) fn upgrade(&self) -> Option<String> {
        let command = match self {
            Installer::Npm => "npm install -g clada@latest",
            Installer::Pipx => "pipx upgrade clada",
            Installer::Uv => "uv tool upgrade clada",
            Installer::Pip => "pip install --upgrade clada",
            Installer::Cargo => "cargo install clada",
            Installer::Homebrew => "brew upgrade clada",
            Installer::Nix => "nix profile upgrade clada",
            Installer::Archive(prefix) => {
                return Some(format!("sh install {}, in the new archive", prefix.display()));
            }
            Installer::System | Installer::Unknown => return None,
        };
        Some(command.to_owned())
    }

    pub(super) fn remove(&self) -> Option<&'static str> {
        match self {
            Installer::Npm => Some("npm uninstall -g clada"),
            Installer::Pipx => Some("pipx uninstall clada"),
            Installer::Uv => Some("uv tool uninstall clada"),
            Installer::Pip => Some("pip uninstall clada"),
            Installer::Cargo => Some("cargo uninstall clada"),
            Installer::Homebrew => Some("brew uninstall clada"),
            Installer::Nix => Some("nix profile remove clada"),
            Installer::System => Some("apt remove clada, or what your system has for it"),
            Installer::Archive(_) | Installer::Unknown => None,
        }
    }
}

fn has_wheel(prefix: &Path) -> bool {
    let entries = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |entry: &std::fs::DirEntry, begin: &str, end: &str| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with(begin) && name.ends_with(end)
    };
    entries(prefix.join("lib"))
        .filter(|entry| named(entry, "python", ""))
        .flat_map(|entry| entries(entry.path().join("site-packages")))
        .any(|entry| named(&entry, "clada-", ".dist-info"))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files of the test's own")]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_program_says_who_installed_it() {
        let top = tempfile::tempdir().unwrap();
        let lay = |path: &str| {
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for path in [
            "pipx/venvs/clada/pyvenv.cfg",
            "share/uv/tools/clada/pyvenv.cfg",
            "venv/pyvenv.cfg",
            "user/lib/python3.11/site-packages/clada-0.1.0.dist-info/RECORD",
            "user/share/man/man1/clada.1",
            "cargo/.crates.toml",
            "local/share/man/man1/clada.1",
        ] {
            lay(path);
        }
        let archive = Installer::Archive(top.path().join("local"));
        for (program, installer) in [
            ("lib/node_modules/@clada/linux-x64/bin/clada", Installer::Npm),
            ("pipx/venvs/clada/bin/clada", Installer::Pipx),
            ("share/uv/tools/clada/bin/clada", Installer::Uv),
            ("venv/bin/clada", Installer::Pip),
            ("user/bin/clada", Installer::Pip),
            ("cargo/bin/clada", Installer::Cargo),
            ("Cellar/clada/0.1.0/bin/clada", Installer::Homebrew),
            ("local/bin/clada", archive),
            ("local/bin/other", Installer::Unknown),
            ("target/debug/clada", Installer::Unknown),
            ("/nix/store/abc-clada/bin/clada", Installer::Nix),
            ("/usr/bin/clada", Installer::System),
            ("/clada", Installer::Unknown),
        ] {
            assert_eq!(Installer::from_program(&top.path().join(program)), installer, "{program}");
        }
    }
}
