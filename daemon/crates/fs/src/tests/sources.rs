//! Checks the promises of `lib.rs` about the crate's own sources.

use super::*;

/// Calls that change something; only `sys.rs` may make them.
const CHANGING: &[&str] = &[
    "rustix::fs::rename",
    "rustix::fs::unlink",
    "rustix::fs::mkdir",
    "rustix::fs::link",
    "rustix::fs::symlink",
    "rustix::fs::fchmod",
    "rustix::fs::fchown",
    "rustix::fs::chmod",
    "rustix::fs::chown",
    "rustix::fs::fsetxattr",
    "rustix::fs::fremovexattr",
    "rustix::fs::futimens",
    "rustix::fs::utimens",
    "rustix::fs::fsync",
    "rustix::fs::fdatasync",
    "rustix::fs::ftruncate",
    "rustix::fs::flock",
    "rustix::io::write",
    "rustix::io::pwrite",
];

#[test]
fn every_changing_call_passes_the_faults() {
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut read = 0;
    for entry in fs::read_dir(room).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() || path.file_name() == Some("sys.rs".as_ref()) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        read += 1;
        for call in CHANGING {
            assert!(!text.contains(call), "{call} in {}", path.display());
        }
    }
    assert!(read >= 20, "{read} files: is this the folder of the sources?");
}

/// Calls that open a file by its name, and would wait for ever for a pipe in its place.
const WAITING: [&str; 3] = ["File::open(", "fs::read(", "fs::read_to_string("];

/// Places that only the system can have filled.
const OF_THE_SYSTEM: [&str; 4] = ["/proc/", "/dev/null", "/etc/", "OWN_PROGRAM"];

/// Files in which the name of the system's own file is a constant or a variable, or
/// where a test names a program.
const BY_CONSTANTS: [&str; 5] = ["helper/cgroup.rs", "spawn.rs", "src/process.rs", "inotify.rs", "mounts.rs"];

#[test]
fn what_may_be_a_pipe_is_opened_in_one_place() {
    // The daemon, with all of its crates.
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut read = 0;
    let mut folders = vec![sources.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name());
            let within = path.strip_prefix(&sources).unwrap().to_path_buf();
            if ["tests", "tests.rs", "examples", "fuzz", "target"].iter().any(|left_out| name == *left_out)
                || BY_CONSTANTS.iter().any(|file| within.ends_with(file))
            {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension() != Some("rs".as_ref()) {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            read += 1;
            let tested = text.find("mod tests {").unwrap_or(text.len());
            for line in text[..tested].lines() {
                let waits = WAITING.iter().any(|call| line.contains(call));
                let is_safe = OF_THE_SYSTEM.iter().any(|place| line.contains(place));
                assert!(!waits || is_safe, "{}: use fs::open_regular: {line}", within.display());
            }
        }
    }
    assert!(read >= 300, "{read} files: is this the folder of the sources?");
}
