//! Tests full and read-only file systems, in a mount namespace of their own where the system permits one: the
//! test runs itself again there, in the folder of the mount.

use super::*;
use clada_protocol::ErrorKind;
use std::process::Command;

const MARK: &str = "mounted-for-a-test";

/// Runs the ignored test `name` after `prepare`, a script that mounts, goes to the test's folder and leaves
/// the mark there; or reports that it was not run.
fn in_mount(name: &str, prepare: &str) {
    const REFUSED: i32 = 77;
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        "({prepare}) >/dev/null 2>&1 || exit {REFUSED}; {prepare}; \
         exec \"$2\" --exact {name} --ignored --nocapture"
    );
    let output = Command::new("unshare")
        .args([if is_root() { "-m" } else { "-rm" }, "sh", "-ec", &script, "sh"])
        .arg(dir.path())
        .arg(std::env::current_exe().unwrap())
        .output();
    let Ok(output) = output else { return println!("not run: there is no unshare here") };
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(REFUSED) || errors.starts_with("unshare:") {
        return println!("not run: such mounts are not permitted here");
    }
    assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
}

/// Returns the folder of the mount, if `in_mount` started the test.
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
        "tests::mounts::inside_a_full_one",
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
    in_mount("tests::mounts::inside_a_read_only_one", &prepare);
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

#[test]
fn an_overlay() {
    let prepare = format!(
        "mount -t tmpfs -o size=1m none \"$1\"; cd \"$1\"; mkdir l l/d u w m; echo old > l/f; echo old > l/d/g; \
         mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w m; cd m; touch {MARK}"
    );
    in_mount("tests::mounts::inside_an_overlay", &prepare);
}

/// Inodes of an overlay may change when a file comes up from below; containers live on these.
#[test]
#[ignore = "started by an_overlay"]
fn inside_an_overlay() {
    let Some(roots) = mounted() else { return };
    let (f, g, h) = (at(&roots, "f"), at(&roots, "d/g"), at(&roots, "d/h"));
    for path in [&f, &g] {
        let seen = roots.read(path, 100).unwrap().identity();
        let new = roots.replace(path, b"new", Like::Existing(path), Expected::Identity(seen)).unwrap();
        roots.replace(path, b"newer", Like::Existing(path), Expected::Identity(new)).unwrap();
    }
    let seen = Expected::Identity(roots.read(&g, 100).unwrap().identity());
    let moved = roots.rename(&g, &h, seen, Expected::Missing).unwrap();
    roots.unlink(&h, Expected::Identity(moved.identity)).unwrap();
    assert_eq!(roots.create_dir_all(&at(&roots, "d/n/m")).unwrap().len(), 2);
    let walked = roots.walk(&at(&roots, "."), WalkOptions::default()).unwrap();
    assert!(walked.map(|item| assert!(matches!(item, WalkItem::Entry { .. }), "{item:?}")).count() > 4);
    assert!(RootLock::try_acquire(&roots, 0, Path::new("/nowhere")).unwrap().is_some());
}
