//! `stage`: the real client and daemon, on a project that other programs change.

mod background;
mod changes;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod faults;
mod folders;
mod reference;
mod rules;
mod together;
mod unstage;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Ran, World};

const MANIFEST: &str = "_path_manifest.json";

/// A folder that was staged.
struct Staged {
    path: PathBuf,
}

impl Staged {
    fn of(ran: &Ran) -> Staged {
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
        let path = ran.stdout.strip_suffix('\n').unwrap();
        assert!(!path.contains('\n'), "{ran:?}");
        Staged { path: PathBuf::from(path) }
    }

    /// Returns the files in it for the process that picks it up, without its manifest.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(&self.path).unwrap().map(|entry| entry.unwrap().path());
        let shown = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries
            .map(|path| (shown(&path), path))
            .filter(|(name, _)| !name.starts_with('.') && name != MANIFEST)
            .map(|(name, path)| (name, std::fs::read(path).unwrap()))
            .collect()
    }

    fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }

    fn manifest(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path.join(MANIFEST)).unwrap()).unwrap()
    }
}

fn stage(world: &World, args: &[&str]) -> Staged {
    Staged::of(&world.run(&[&["stage"], args].concat(), ""))
}

/// The result of `stage --json`.
fn told(world: &World, args: &[&str]) -> Value {
    let ran = world.run(&[&["stage", "--json"], args].concat(), "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Puts files under difficult names into the project, each with `content` of its number; the names, in that
/// order.
fn lay_difficult(world: &World, content: impl Fn(usize) -> Vec<u8>) -> Vec<Vec<u8>> {
    let long = format!("{}.txt", "n".repeat(251));
    let names: [&[u8]; 11] = [
        b"a-b.txt",
        b"a/b.txt",
        b"README",
        b"readme",
        b".x/.y/.z.svg",
        long.as_bytes(),
        b"line\nbreak",
        b"sp ace",
        b"caf\xe9.txt",
        b"`$(id)` \"quoted\" ${HOME}",
        "\u{e4}\u{202e}\u{1f600}".as_bytes(),
    ];
    for (index, name) in names.iter().enumerate() {
        let path = world.project().join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content(index)).unwrap();
    }
    names.map(<[u8]>::to_vec).to_vec()
}

fn folders(world: &World) -> usize {
    std::fs::read_dir(world.path("tmp")).unwrap().count()
}
