use super::*;
use clada_protocol::ErrorKind;
use rustix::fs::XattrFlags;
use rustix::io::Errno;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn replace(roots: &Roots, path: &str, text: &str) -> Result<Identity, FsError> {
    let path = at(roots, path);
    roots.replace(&path, text.as_bytes(), Like::Existing(&path), Expected::Anything)
}

#[test]
fn new_files_get_the_umask_and_nothing_is_left() {
    let tree = Tree::new();
    for (umask, mode) in [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)] {
        let roots = tree.roots(Options { umask, ..Options::default() });
        let name = format!("new-{umask:o}");
        let identity = roots.replace(&at(&roots, &name), b"text", Like::New, Expected::Missing).unwrap();
        assert_eq!(mode_of(&tree.project.join(&name)), mode, "{umask:o}");
        assert_eq!(roots.lstat(&at(&roots, &name)).unwrap().unwrap().identity(), identity);
    }
    assert!(tree.temp_files().is_empty());
    let roots = tree.fast();
    let orphan = roots.prepare(&at(&roots, "no/folder"), b"", Like::New).unwrap_err();
    assert_eq!(orphan.to_string(), "Parent directory not found 'no/folder' (ENOENT)");
}

#[test]
fn mode_is_kept_but_for_what_gives_rights_away() {
    let tree = Tree::new();
    let roots = tree.fast();
    for (before, after) in [(0o755, 0o755), (0o600, 0o600), (0o4755, 0o755), (0o2775, 0o775), (0o640, 0o640)]
    {
        let path = tree.write("f", "old");
        set_mode(&path, before);
        replace(&roots, "f", "new").unwrap();
        assert_eq!((mode_of(&path), tree.text("f").as_str()), (after, "new"), "{before:o}");
    }
}

#[test]
fn hard_links_are_not_written_through() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("a", "old");
    let outside = tree.outside.join("b");
    fs::hard_link(tree.project.join("a"), &outside).unwrap();
    replace(&roots, "a", "new").unwrap();
    assert_eq!((tree.text("a").as_str(), fs::read_to_string(outside).unwrap().as_str()), ("new", "old"));
}

#[test]
fn the_target_has_to_be_what_was_expected() {
    let tree = Tree::new();
    let roots = tree.fast();
    let path = at(&roots, "f");
    tree.write("f", "one");
    let seen = roots.read(&path, 10).unwrap();
    let prepared = || roots.prepare(&path, b"new", Like::Existing(&path)).unwrap();
    assert_eq!(prepared().publish(Expected::Missing).unwrap_err().kind(), ErrorKind::FileExists);
    let (one, two) = (prepared(), prepared());
    tree.write("f", "changed");
    assert_eq!(one.publish(Expected::Identity(seen.identity())).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(
        two.publish(Expected::Hash(*blake3::hash(b"one").as_bytes())).unwrap_err().kind(),
        ErrorKind::Conflict
    );
    assert_eq!(tree.text("f"), "changed");
    let late = prepared();
    fs::remove_file(tree.project.join("f")).unwrap();
    assert_eq!(late.publish(Expected::Identity(seen.identity())).unwrap_err().kind(), ErrorKind::Conflict);
    let identity = roots.replace(&path, b"a", Like::New, Expected::Missing).unwrap();
    let identity = roots.replace(&path, b"b", Like::Existing(&path), Expected::Identity(identity)).unwrap();
    roots.unlink(&path, Expected::Identity(identity)).unwrap();
    let hash = Expected::Hash(*blake3::hash(b"c").as_bytes());
    tree.write("f", "c");
    roots.replace(&path, b"d", Like::New, hash).unwrap();
    assert!(tree.text("f") == "d" && tree.temp_files().is_empty());
}

#[test]
fn a_dangling_link_counts_as_something() {
    let tree = Tree::new();
    let roots = tree.fast();
    let path = at(&roots, "f");
    let prepared = roots.prepare(&path, b"x", Like::New).unwrap();
    std::os::unix::fs::symlink(tree.outside.join("planted"), tree.project.join("f")).unwrap();
    assert_eq!(prepared.publish(Expected::Missing).unwrap_err().kind(), ErrorKind::FileExists);
    assert!(!tree.outside.join("planted").exists());
}

#[test]
fn a_folder_that_was_swapped_gets_nothing() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("d/f", "old");
    fs::create_dir(tree.project.join("e")).unwrap();
    let prepared = roots.prepare(&at(&roots, "d/f"), b"x", Like::New).unwrap();
    fs::rename(tree.project.join("d"), tree.project.join("moved")).unwrap();
    fs::rename(tree.project.join("e"), tree.project.join("d")).unwrap();
    assert_eq!(prepared.publish(Expected::Anything).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(fs::read_dir(tree.project.join("d")).unwrap().count(), 0);
}

#[test]
fn what_is_dropped_leaves_nothing() {
    let tree = Tree::new();
    let roots = tree.roots(Options::default());
    let mut prepared: Vec<_> = (0..20)
        .map(|number| roots.prepare(&at(&roots, &format!("f{number}")), b"x", Like::New).unwrap())
        .collect();
    sync_all(&mut prepared, 4).unwrap();
    assert_eq!(tree.temp_files().len(), 20);
    for late in prepared.drain(..10) {
        late.publish(Expected::Missing).unwrap();
    }
    drop(prepared);
    assert!(tree.temp_files().is_empty());
    assert_eq!(fs::read_dir(&tree.project).unwrap().count(), 10);
}

#[test]
fn more_files_wait_than_a_process_may_open() {
    let tree = Tree::new();
    let roots = tree.fast();
    let many: Vec<_> = (0..3000)
        .map(|number| roots.prepare(&at(&roots, &format!("f{number}")), b"x", Like::New).unwrap())
        .collect();
    for prepared in many {
        prepared.publish(Expected::Missing).unwrap();
    }
    assert_eq!(fs::read_dir(&tree.project).unwrap().count(), 3000);
}

#[test]
fn durability_decides_about_flushing() {
    let tree = Tree::new();
    for (durability, flushes) in [(Durability::Full, 6), (Durability::Fast, 0)] {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = count.clone();
        let faults = Faults::injected(move |call| {
            counter.fetch_add(usize::from(call == Call::SyncFile), Ordering::Relaxed);
            None
        });
        let roots = tree.roots(Options { durability, faults, ..Options::default() });
        let mut prepared: Vec<_> = (0..5)
            .map(|number| roots.prepare(&at(&roots, &format!("f{number}")), b"x", Like::New).unwrap())
            .collect();
        sync_all(&mut prepared, 3).unwrap();
        drop(prepared);
        roots.replace(&at(&roots, "g"), b"x", Like::New, Expected::Anything).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), flushes);
    }
}

#[test]
fn a_read_only_file_is_left_alone() {
    let tree = Tree::new();
    let roots = tree.fast();
    set_mode(&tree.write("f", "old"), 0o444);
    let outcome = replace(&roots, "f", "new");
    if is_root() {
        assert!(outcome.is_ok() && mode_of(&tree.project.join("f")) == 0o444);
        return println!("not run: root may write everything");
    }
    assert_eq!(outcome.unwrap_err().to_string(), "Permission denied 'f' (EACCES)");
    assert_eq!(tree.text("f"), "old");
    set_mode(&tree.project, 0o555);
    let locked = roots.prepare(&at(&roots, "new"), b"", Like::New).unwrap_err();
    set_mode(&tree.project, 0o755);
    assert_eq!(locked.kind(), ErrorKind::PermissionDenied);
}

#[test]
fn root_keeps_the_owner() {
    if !is_root() {
        return println!("not run: only root may give files away");
    }
    let tree = Tree::new();
    let roots = tree.fast();
    let path = tree.write("f", "old");
    std::os::unix::fs::chown(&path, Some(12345), Some(23456)).unwrap();
    set_mode(&path, 0o640);
    replace(&roots, "f", "new").unwrap();
    let stat = fs::metadata(&path).unwrap();
    assert_eq!((stat.uid(), stat.gid(), stat.permissions().mode() & 0o7777), (12345, 23456, 0o640));
}

#[test]
fn an_owner_that_cannot_be_kept_widens_nothing() {
    let tree = Tree::new();
    let saved = |mode, xattrs| Metadata { mode, uid: 12345, gid: 23456, xattrs };
    // Simulates a user who is neither root nor in the group: nothing may be given away.
    let faults = Faults::injected(|call| (call == Call::Chown).then_some(Errno::PERM));
    let roots = tree.roots(Options { faults, ..fast() });
    for (before, after) in [(0o664, 0o644), (0o660, 0o600), (0o604, 0o600), (0o6755, 0o755)] {
        let metadata = saved(before, Vec::new());
        roots.replace(&at(&roots, "f"), b"x", Like::Saved(&metadata), Expected::Anything).unwrap();
        assert_eq!(mode_of(&tree.project.join("f")), after, "{before:o}");
    }
    let acl = (b"system.posix_acl_access".to_vec(), acl(0o7));
    let error = roots.prepare(&at(&roots, "f"), b"x", Like::Saved(&saved(0o660, vec![acl]))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(tree.temp_files().is_empty());
}

/// Returns a POSIX ACL with one named user, in the kernel's format.
fn acl(user: u16) -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries = [
        (0x01_u16, 6_u16, NOBODY),
        (0x02, user, 4321),
        (0x04, 4, NOBODY),
        (0x10, 7, NOBODY),
        (0x20, 0, NOBODY),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

fn xattr(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = [0; 256];
    let length = rustix::fs::getxattr(path, name, &mut value[..]).ok()?;
    Some(value[..length].to_vec())
}

#[test]
fn extended_attributes_are_kept() {
    let tree = Tree::new();
    let roots = tree.fast();
    let path = tree.write("f", "old");
    if rustix::fs::setxattr(&path, "user.note", b"kept", XattrFlags::empty()).is_err() {
        return println!("not run: the file system has no extended attributes");
    }
    let big = vec![7; 1500];
    rustix::fs::setxattr(&path, "user.big", &big, XattrFlags::empty()).unwrap();
    rustix::fs::setxattr(&path, "user.empty", b"", XattrFlags::empty()).unwrap();
    let capability = [1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let privileged =
        rustix::fs::setxattr(&path, "security.capability", &capability, XattrFlags::empty()).is_ok();
    replace(&roots, "f", "new").unwrap();
    let metadata = roots.metadata(&at(&roots, "f")).unwrap();
    for (name, value) in [("user.note", b"kept".to_vec()), ("user.big", big), ("user.empty", Vec::new())] {
        assert!(metadata.xattrs.contains(&(name.into(), value)), "{name}");
    }
    assert_eq!(xattr(&path, "security.capability"), None);
    if !privileged {
        println!("not run: file capabilities need root");
    }
}

#[test]
fn acls_are_kept_and_none_is_added() {
    let tree = Tree::new();
    let roots = tree.fast();
    let (with, without) = (tree.write("with", "old"), tree.write("without", "old"));
    set_mode(&without, 0o640);
    const ACCESS: &str = "system.posix_acl_access";
    if rustix::fs::setxattr(&with, ACCESS, &acl(7), XattrFlags::empty()).is_err() {
        return println!("not run: the file system has no ACLs");
    }
    let mode = mode_of(&with);
    // New files in the folder get an ACL from now on.
    rustix::fs::setxattr(&tree.project, "system.posix_acl_default", &acl(6), XattrFlags::empty()).unwrap();
    replace(&roots, "with", "new").unwrap();
    replace(&roots, "without", "new").unwrap();
    assert_eq!(xattr(&with, ACCESS), Some(acl(7)));
    assert_eq!((mode_of(&with), mode_of(&without)), (mode, 0o640));
    assert_eq!(xattr(&without, ACCESS), None);
    roots.replace(&at(&roots, "new"), b"x", Like::New, Expected::Missing).unwrap();
    fs::write(tree.project.join("plain"), "x").unwrap();
    let (ours, plain) = (tree.project.join("new"), tree.project.join("plain"));
    assert_eq!(xattr(&ours, ACCESS), xattr(&plain, ACCESS));
    assert!(xattr(&ours, ACCESS).is_some() && mode_of(&ours) == mode_of(&plain));
}

#[test]
fn a_deleted_file_comes_back_as_it_was() {
    let tree = Tree::new();
    let roots = tree.fast();
    let path = at(&roots, "f");
    set_mode(&tree.write("f", "old"), 0o750);
    let metadata = roots.metadata(&path).unwrap();
    let kept: Metadata = serde_json::from_str(&serde_json::to_string(&metadata).unwrap()).unwrap();
    roots.unlink(&path, Expected::Anything).unwrap();
    roots.replace(&path, b"old", Like::Saved(&kept), Expected::Missing).unwrap();
    assert_eq!(roots.metadata(&path).unwrap(), metadata);
}
