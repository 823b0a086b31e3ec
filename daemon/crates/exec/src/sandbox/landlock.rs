//! Landlock: the rights of a process, and of all that it starts, over files and other processes.
//!
//! Landlock only grants, folder by folder and with everything below. A path is hidden by granting everything
//! else; so the folders that lead to it cannot be listed. Landlock does not see changes of modes and times
//! (seccomp refuses these to a command that only reads), and cannot protect a part of a folder that may be
//! changed.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use crate::wire::{Inner, Rules};

/// The version that is required (Linux 6.2): without its rules files outside could be emptied.
const NEEDED: ABI = ABI::V3;

/// The version that is used as far as the kernel has it: networks (6.7), devices (6.10), signals and named
/// sockets (6.12).
const WANTED: ABI = ABI::V6;

const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Holds for this thread, and everything that it starts from now on.
pub(crate) fn restrict(rules: &Rules) -> io::Result<()> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))
        .map_err(io::Error::other)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))
        .map_err(io::Error::other)?
        .scope(Scope::from_all(WANTED))
        .map_err(io::Error::other)?;
    if !rules.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(WANTED)).map_err(io::Error::other)?;
    }
    let mut ruleset = ruleset.create().map_err(io::Error::other)?;
    let hidden: Vec<PathBuf> = rules.hidden.iter().map(PathBuf::from).collect();
    // Landlock knows no exceptions within a granted folder, so everything but the hidden paths is granted one
    // by one.
    let shown = rules.shown.iter().map(PathBuf::from);
    for folder in shown.chain([PathBuf::from("/")]) {
        for path in around(&folder, &hidden, &mut entries) {
            ruleset = grant(ruleset, &path, AccessFs::from_read(WANTED))?;
        }
    }
    for device in DEVICES {
        ruleset = grant(ruleset, Path::new(device), AccessFs::from_all(WANTED))?;
    }
    for folder in rules.writable.iter().map(PathBuf::from) {
        for path in around(&folder, &hidden, &mut entries) {
            ruleset = grant(ruleset, &path, AccessFs::from_all(WANTED))?;
        }
    }
    let status = ruleset.restrict_self().map_err(io::Error::other)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::other("the kernel does not have Landlock, or it is switched off"));
    }
    give_up_privileges()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scoped {
    Yes,
    No,
}

pub(crate) fn restrict_within_namespaces(inner: &Inner) -> io::Result<Scoped> {
    // Bubblewrap's mounts do not keep outside pipes and abstract sockets from the command. Without Landlock
    // only the mounts remain.
    let write = AccessFs::WriteFile | AccessFs::Refer;
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    // An older version would refuse every move to another folder.
    let Ok(ruleset) = ruleset.handle_access(write) else { return Ok(Scoped::No) };
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    let mut ruleset = ruleset
        .scope(Scope::from_all(WANTED))
        .and_then(|ruleset| ruleset.create())
        .map_err(io::Error::other)?;
    ruleset = grant(ruleset, Path::new("/"), AccessFs::Refer.into())?;
    for path in &inner.writable {
        ruleset = grant(ruleset, Path::new(path), write)?;
    }
    let status = ruleset.restrict_self().map_err(io::Error::other)?;
    Ok(if ABI::from(status.landlock) < WANTED { Scoped::No } else { Scoped::Yes })
}

fn give_up_privileges() -> io::Result<()> {
    // Root could still look into processes outside, or act on devices and the network as a whole. No process
    // started from here gets them back: the restriction rules out new privileges.
    let none = CapabilitySet::empty();
    Ok(set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?)
}

fn grant(ruleset: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    // A path that is gone meanwhile, or cannot be opened, needs no rule.
    let Ok(file) = PathFd::new(path) else { return Ok(ruleset) };
    let folder = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let access = if folder { access } else { access & AccessFs::from_file(WANTED) };
    ruleset.add_rule(PathBeneath::new(file, access)).map_err(io::Error::other)
}

/// Returns paths that together hold everything below `top` except the paths in `hidden`.
fn around(top: &Path, hidden: &[PathBuf], entries: &mut dyn FnMut(&Path) -> Vec<OsString>) -> Vec<PathBuf> {
    let mut open = vec![top.to_owned()];
    let mut paths = Vec::new();
    while let Some(path) = open.pop() {
        if hidden.contains(&path) {
            continue;
        }
        if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            open.extend(entries(&path).into_iter().map(|name| path.join(name)));
        } else {
            paths.push(path);
        }
    }
    paths
}

fn entries(folder: &Path) -> Vec<OsString> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    // A link is covered by its target, which has a path of its own.
    let own = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    own.map(|entry| entry.file_name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_around_what_is_hidden() {
        let mut tree = |folder: &Path| -> Vec<OsString> {
            let names: &[&str] = match folder.to_str() {
                Some("/") => &["home", "usr"],
                Some("/home") => &["a", "b"],
                Some("/home/a") => &[".ssh", "project", ".config"],
                Some("/home/a/.config") => &["gh", "git"],
                other => panic!("{other:?} was listed"),
            };
            names.iter().map(OsString::from).collect()
        };
        let hidden = ["/home/a/.ssh", "/home/a/.config/gh"].map(PathBuf::from);
        let mut found = around(Path::new("/"), &hidden, &mut tree);
        found.sort();
        let expected = ["/home/a/.config/git", "/home/a/project", "/home/b", "/usr"].map(PathBuf::from);
        assert_eq!(found, expected);
        assert_eq!(around(Path::new("/usr"), &hidden, &mut tree), [PathBuf::from("/usr")]);
        assert_eq!(around(Path::new("/home/a/.ssh"), &hidden, &mut tree), Vec::<PathBuf>::new());
    }
}
