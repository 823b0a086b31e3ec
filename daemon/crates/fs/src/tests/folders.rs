use super::*;
use clada_protocol::ErrorKind;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

#[test]
fn listing_is_sorted_bounded_and_takes_any_name() {
    let tree = Tree::new();
    let roots = tree.fast();
    for name in ["b", "a", "c/x"] {
        tree.write(name, "1");
    }
    let odd = OsString::from_vec(b"z\xff".to_vec());
    if fs::write(tree.project.join(&odd), "odd").is_err() {
        return println!("not run: the file system takes only UTF-8 names");
    }
    let root = at(&roots, ".");
    let names =
        |listing: &Listing| listing.entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
    let all = roots.list(&root, 10).unwrap();
    assert_eq!(names(&all), [OsStr::new("a"), OsStr::new("b"), OsStr::new("c"), &odd]);
    assert!(!all.truncated && all.entries[2].stat.kind == FileKind::Directory);
    let some = roots.list(&root, 2).unwrap();
    assert!(some.truncated && names(&some) == ["a", "b"]);
    let path = roots.join(&root, &odd).unwrap();
    assert_eq!(roots.read(&path, 10).unwrap().bytes, b"odd");
    assert_eq!(path.relative().as_os_str().as_bytes(), b"z\xff");
    roots.replace(&path, b"new", Like::Existing(&path), Expected::Anything).unwrap();
    assert_eq!(fs::read(tree.project.join(&odd)).unwrap(), b"new");
    roots.unlink(&path, Expected::Anything).unwrap();
    assert_eq!(roots.list(&at(&roots, "ghost"), 1).unwrap_err().issue(), "Directory not found");
    assert_eq!(roots.list(&at(&roots, "a"), 1).unwrap_err().kind(), ErrorKind::NotDirectory);
}

#[test]
fn folders_are_made_from_the_top_and_named() {
    for backend in BACKENDS {
        let tree = Tree::new();
        let roots = tree.roots(Options { backend, umask: 0o027, ..fast() });
        fs::create_dir(tree.project.join("a")).unwrap();
        let made = roots.create_dir_all(&at(&roots, "a/b/c")).unwrap();
        assert_eq!(made, [at(&roots, "a/b"), at(&roots, "a/b/c")]);
        assert_eq!(mode_of(&tree.project.join("a/b/c")) & 0o777, 0o750);
        assert!(roots.create_dir_all(&at(&roots, "a/b")).unwrap().is_empty());
        roots.rmdir(&at(&roots, "a/b/c")).unwrap();
        assert_eq!(roots.rmdir(&at(&roots, "a")).unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
        assert_eq!(roots.rmdir(&at(&roots, "x")).unwrap_err().issue(), "Directory not found");
        tree.write("file", "");
        assert_eq!(roots.rmdir(&at(&roots, "file")).unwrap_err().kind(), ErrorKind::NotDirectory);
        assert_eq!(
            roots.unlink(&at(&roots, "a"), Expected::Anything).unwrap_err().kind(),
            ErrorKind::IsDirectory
        );
    }
}

#[test]
fn deletes_only_what_was_expected() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write("a", "one");
    let path = at(&roots, "a");
    let seen = Expected::Identity(roots.read(&path, 10).unwrap().identity());
    tree.write("a", "two!");
    assert_eq!(roots.unlink(&path, seen).unwrap_err().kind(), ErrorKind::Conflict);
    let hash = Expected::Hash(*blake3::hash(b"two!").as_bytes());
    assert_eq!(roots.unlink(&path, Expected::Hash([0; 32])).unwrap_err().kind(), ErrorKind::Conflict);
    roots.unlink(&path, hash).unwrap();
    assert_eq!(
        roots.unlink(&path, Expected::Anything).unwrap_err().to_string(),
        "File not found 'a' (ENOENT)"
    );
}

#[test]
fn dirty_folders_are_flushed_once_each() {
    let tree = Tree::new();
    let flushed = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = flushed.clone();
    let faults = Faults::injected(move |call| {
        counter.fetch_add(usize::from(call == Call::SyncFolder), std::sync::atomic::Ordering::Relaxed);
        None
    });
    let roots = tree.roots(Options { faults, ..Options::default() });
    let mut dirty = DirtyFolders::new();
    for name in ["a/x", "a/y", "b/z", "c"] {
        tree.write(name, "");
        dirty.changed(&at(&roots, name));
    }
    dirty.changed(&at(&roots, "gone/x"));
    assert_eq!(dirty.iter().count(), 4);
    dirty.sync_all(&roots).unwrap();
    assert_eq!(flushed.load(std::sync::atomic::Ordering::Relaxed), 3);
    assert_eq!(dirty.iter().count(), 0);
}

#[test]
fn leftovers_of_a_cut_run_are_known_and_removed() {
    let tree = Tree::new();
    let roots = tree.fast();
    tree.write(".clada-tmp-0123456789abcdef", "half");
    tree.write(".clada-tmp-notes", "mine");
    tree.write(".clada-tmp-1111111111111111/kept", "of somebody");
    fs::create_dir(tree.project.join(".clada-tmp-2222222222222222")).unwrap();
    let mut removed = roots.remove_leftovers(&at(&roots, ".")).unwrap();
    removed.sort();
    assert_eq!(removed, [".clada-tmp-0123456789abcdef", ".clada-tmp-2222222222222222"]);
    assert_eq!(tree.text(".clada-tmp-1111111111111111/kept"), "of somebody");
    assert_eq!(tree.text(".clada-tmp-notes"), "mine");
}
