//! Full and read-only file systems, in a mount namespace of their own where the system permits one: the
//! test runs itself again there, in the folder of the mount.

use super::*;
use clada_protocol::ErrorKind;
use std::process::Command;

const MARK: &str = "mounted-for-a-test";

/// Runs the ignored test `name` in a fresh mount made by `mount`, or says that it was not run.
fn in_mount(name: &str, prepare: &str) {
    let dir = tempfile::tempdir().unwrap();
    let script =
        format!("set -e; cd \"$1\"; {prepare}; cd \"$1\"; exec \"$2\" --exact {name} --ignored --nocapture");
    let user = if is_root() { "-m" } else { "-rm" };
    let test = std::env::current_exe().unwrap();
    let permitted = Command::new("unshare")
        .args([user, "sh", "-c", "mount -t tmpfs -o size=64k none \"$1\"", "sh"])
        .arg(dir.path())
        .output();
    if !permitted.is_ok_and(|output| output.status.success()) {
        return println!("not run: no mounts are permitted here");
    }
    let output = Command::new("unshare")
        .args([user, "sh", "-c", &script, "sh"])
        .arg(dir.path())
        .arg(test)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The folder of the mount, if the test was started by the one above.
fn mounted() -> Option<Roots> {
    let here = std::env::current_dir().unwrap();
    if !here.join(MARK).exists() {
        println!("not run: to be started by its other half");
        return None;
    }
    Some(Roots::open(&here, &[], &[], policy(), Options::default()).unwrap())
}

#[test]
fn a_full_file_system() {
    in_mount(
        "fs::tests::mounts::inside_a_full_one",
        &format!("mount -t tmpfs -o size=64k none \"$1\"; cd \"$1\"; echo old > f; touch {MARK}"),
    );
}

#[test]
#[ignore = "started by a_full_file_system"]
fn inside_a_full_one() {
    let Some(roots) = mounted() else { return };
    let path = at(&roots, "f");
    let error =
        roots.replace(&path, &[b'x'; 200_000], Like::Existing(&path), Expected::Anything).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::NoSpace, "ENOSPC"));
    assert_eq!(roots.read(&path, 100).unwrap().bytes, b"old\n");
    assert_eq!(roots.list(&at(&roots, "."), 100).unwrap().entries.len(), 2);
    roots.replace(&path, b"fits", Like::Existing(&path), Expected::Anything).unwrap();
}

#[test]
fn a_read_only_file_system() {
    let prepare = format!(
        "mount -t tmpfs -o size=64k none \"$1\"; cd \"$1\"; echo old > f; mkdir d; touch {MARK}; mount -o remount,ro none \"$1\""
    );
    in_mount("fs::tests::mounts::inside_a_read_only_one", &prepare);
}

#[test]
#[ignore = "started by a_read_only_file_system"]
fn inside_a_read_only_one() {
    let Some(roots) = mounted() else { return };
    let (f, g) = (at(&roots, "f"), at(&roots, "g"));
    let kinds = [
        roots.prepare(&f, b"x", Like::Existing(&f)).unwrap_err().kind(),
        roots.prepare(&g, b"x", Like::New).unwrap_err().kind(),
        roots.unlink(&f, Expected::Anything).unwrap_err().kind(),
        roots.rmdir(&at(&roots, "d")).unwrap_err().kind(),
        roots.rename(&f, &g, Expected::Anything, Expected::Missing).unwrap_err().kind(),
        roots.create_dir_all(&at(&roots, "n/m")).unwrap_err().kind(),
    ];
    assert_eq!(kinds, [ErrorKind::ReadOnly; 6]);
    assert_eq!(roots.read(&f, 100).unwrap().bytes, b"old\n");
}
