//! What the essay in `fs/mod.rs` promises about its own sources.

use super::*;

/// Calls that change something, which only `sys.rs` makes.
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
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fs");
    for entry in fs::read_dir(room).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() || path.file_name() == Some("sys.rs".as_ref()) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for call in CHANGING {
            assert!(!text.contains(call), "{call} in {}", path.display());
        }
    }
}
