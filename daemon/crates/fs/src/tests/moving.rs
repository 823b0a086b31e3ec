use super::*;
use clada_protocol::ErrorKind;
use rustix::io::Errno;
use std::os::unix::fs::{MetadataExt, symlink};

/// Renames fail as they do between file systems.
fn apart() -> Options {
    let rename = |call| matches!(call, Call::RenameNoReplace | Call::Rename);
    // Renames of a temporary file over its target come after the copy: only the first one fails.
    let first = std::sync::atomic::AtomicBool::new(true);
    let faults = Faults::injected(move |call| {
        let refuse = rename(call) && first.swap(false, std::sync::atomic::Ordering::Relaxed);
        refuse.then_some(Errno::XDEV)
    });
    Options { faults, ..Options::default() }
}

#[test]
fn moves_and_says_what_it_overwrote() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("a", "1");
    let (a, b) = (at(&roots, "a"), at(&roots, "b"));
    let moved = roots.rename(&a, &b, Expected::Anything, Expected::Missing).unwrap();
    assert!(!moved.overwrote && moved.identity == roots.lstat(&b).unwrap().unwrap().identity());
    tree.write("a", "2");
    let error = roots.rename(&a, &b, Expected::Anything, Expected::Missing).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::FileExists, "EEXIST"));
    assert!(roots.rename(&a, &b, Expected::Anything, Expected::Anything).unwrap().overwrote);
    assert_eq!(tree.text("b"), "2");
    let missing = roots.rename(&a, &b, Expected::Anything, Expected::Anything).unwrap_err();
    let message = missing.if_missing("Source file not found").to_string();
    assert_eq!(message, "Source file not found 'a' (ENOENT)");
    let orphan = roots.rename(&b, &at(&roots, "x/y"), Expected::Anything, Expected::Missing).unwrap_err();
    assert_eq!(orphan.issue(), "Parent directory not found");
}

#[test]
fn moves_only_what_was_expected() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("a", "1");
    let (a, b) = (at(&roots, "a"), at(&roots, "b"));
    let seen = Expected::Identity(roots.lstat(&a).unwrap().unwrap().identity());
    tree.write("a", "changed");
    assert_eq!(roots.rename(&a, &b, seen, Expected::Missing).unwrap_err().kind(), ErrorKind::Conflict);
    tree.write("b", "other");
    let stale = Expected::Hash(*blake3::hash(b"x").as_bytes());
    assert_eq!(roots.rename(&a, &b, Expected::Anything, stale).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!((tree.text("a").as_str(), tree.text("b").as_str()), ("changed", "other"));
}

#[test]
fn one_name_of_two_is_gone_after_moving_it_to_the_other() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("a", "1");
    fs::hard_link(tree.project.join("a"), tree.project.join("b")).unwrap();
    roots.rename(&at(&roots, "a"), &at(&roots, "b"), Expected::Anything, Expected::Anything).unwrap();
    assert!(!tree.project.join("a").exists() && tree.text("b") == "1");
    let same =
        roots.rename(&at(&roots, "b"), &at(&roots, "./b"), Expected::Anything, Expected::Anything).unwrap();
    assert!(!same.overwrote && tree.text("b") == "1");
}

#[test]
fn folders_move_within_a_file_system_only() {
    let tree = Tree::new();
    tree.write("d/f", "1");
    let roots = tree.fast();
    roots.rename(&at(&roots, "d"), &at(&roots, "e"), Expected::Anything, Expected::Missing).unwrap();
    assert_eq!(tree.text("e/f"), "1");
    assert!(
        roots.rename(&at(&roots, "e"), &at(&roots, "e/in"), Expected::Anything, Expected::Missing).is_err()
    );
    let roots = tree.roots(apart());
    let error =
        roots.rename(&at(&roots, "e"), &at(&roots, "d"), Expected::Anything, Expected::Missing).unwrap_err();
    assert_eq!(error.code(), "EXDEV");
}

#[test]
fn a_file_system_without_the_call_still_never_replaces() {
    let tree = Tree::new();
    for (refused, link) in [(Errno::NOSYS, None), (Errno::INVAL, None), (Errno::INVAL, Some(Errno::PERM))] {
        let faults = Faults::injected(move |call| match call {
            Call::RenameNoReplace => Some(refused),
            Call::Link => link,
            _ => None,
        });
        let roots = tree.roots(Options { faults, ..fast() });
        tree.write("a", "1");
        let (a, b) = (at(&roots, "a"), at(&roots, "b"));
        roots.rename(&a, &b, Expected::Anything, Expected::Missing).unwrap();
        assert!(!tree.project.join("a").exists() && tree.text("b") == "1");
        tree.write("a", "2");
        assert!(roots.rename(&a, &b, Expected::Anything, Expected::Missing).is_err());
        roots.replace(&at(&roots, "c"), b"3", Like::New, Expected::Missing).unwrap();
        assert_eq!(fs::metadata(tree.project.join("c")).unwrap().nlink(), 1);
        for name in ["a", "b", "c"] {
            fs::remove_file(tree.project.join(name)).unwrap();
        }
    }
    assert!(tree.temp_files().is_empty());
}

#[test]
fn between_file_systems_everything_comes_along() {
    let tree = Tree::new();
    let source = tree.write("a", "content");
    set_mode(&source, 0o751);
    let times =
        fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(12345));
    fs::File::options().write(true).open(&source).unwrap().set_times(times).unwrap();
    let has_xattrs =
        rustix::fs::setxattr(&source, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    for (target, old) in [("b", None), ("c", Some("old"))] {
        if let Some(old) = old {
            tree.write(target, old);
            fs::rename(tree.project.join("b"), &source).unwrap();
        }
        let roots = tree.roots(apart());
        let (from, to) = (at(&roots, "a"), at(&roots, target));
        let expected = if old.is_some() { Expected::Anything } else { Expected::Missing };
        let moved = roots.rename(&from, &to, Expected::Anything, expected).unwrap();
        assert_eq!(moved.overwrote, old.is_some());
        let there = tree.project.join(target);
        assert!(!source.exists() && fs::read(&there).unwrap() == b"content");
        assert_eq!((mode_of(&there), fs::metadata(&there).unwrap().mtime()), (0o751, 12345));
        if has_xattrs {
            let metadata = roots.metadata(&to).unwrap();
            assert!(metadata.xattrs.contains(&(b"user.note".to_vec(), b"kept".to_vec())));
        }
    }
    assert!(tree.temp_files().is_empty());
}

#[test]
fn between_file_systems_a_file_that_changes_meanwhile_stays() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let tree = Tree::new();
    let (source, target) = (tree.write("a", "content"), tree.write("b", "old"));
    let (changing, first) = (source.clone(), AtomicBool::new(true));
    let faults = Faults::injected(move |call| match call {
        Call::RenameNoReplace | Call::Rename => first.swap(false, Ordering::Relaxed).then_some(Errno::XDEV),
        // Another program writes after the copy was made.
        Call::SetTimes => {
            fs::write(&changing, "content of another").unwrap();
            None
        }
        _ => None,
    });
    let roots = tree.roots(Options { faults, ..Options::default() });
    let moved = roots.rename(&at(&roots, "a"), &at(&roots, "b"), Expected::Anything, Expected::Anything);
    assert_eq!(moved.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(fs::read(&source).unwrap(), b"content of another");
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert!(tree.temp_files().is_empty());
}

#[test]
fn between_file_systems_a_link_stays_a_link() {
    let tree = Tree::new();
    for target in [Expected::Missing, Expected::Anything] {
        symlink("ghost", tree.project.join("l")).unwrap();
        let roots = tree.roots(apart());
        roots.rename(&at(&roots, "l"), &at(&roots, "m"), Expected::Anything, target).unwrap();
        assert_eq!(fs::read_link(tree.project.join("m")).unwrap(), Path::new("ghost"));
        assert!(fs::symlink_metadata(tree.project.join("l")).is_err());
    }
    assert!(tree.temp_files().is_empty());
}

#[test]
fn a_real_other_file_system() {
    let tree = Tree::new();
    let other = Path::new("/dev/shm");
    let here = fs::metadata(&tree.project).unwrap().dev();
    let Some(other) = fs::metadata(other)
        .ok()
        .filter(|there| there.dev() != here)
        .and_then(|_| tempfile::tempdir_in(other).ok())
    else {
        return println!("not run: there is no second file system");
    };
    tree.write("a", "content");
    let roots =
        Roots::open(&tree.project, &[other.path().to_owned()], &[], policy(), Options::default()).unwrap();
    let to = at(&roots, &other.path().join("b").display().to_string());
    roots.rename(&at(&roots, "a"), &to, Expected::Anything, Expected::Missing).unwrap();
    assert_eq!(roots.read(&to, 100).unwrap().bytes, b"content");
    roots.rename(&to, &at(&roots, "back"), Expected::Anything, Expected::Missing).unwrap();
    assert_eq!(tree.text("back"), "content");
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
}
