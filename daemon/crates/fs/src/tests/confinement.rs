use super::*;
use clada_protocol::ErrorKind;
use std::os::unix::fs::symlink;

/// Makes a link to a file outside, one to a folder outside, one inside, and a dangling one.
fn linked() -> Tree {
    let tree = Tree::new();
    fs::write(tree.outside.join("f"), "OUTSIDE").unwrap();
    symlink(tree.outside.join("f"), tree.project.join("file")).unwrap();
    symlink(&tree.outside, tree.project.join("folder")).unwrap();
    symlink("../outside", tree.project.join("relative")).unwrap();
    symlink("ghost", tree.project.join("dangling")).unwrap();
    tree.write("real/f", "inside");
    symlink("real", tree.project.join("alias")).unwrap();
    symlink("real/f", tree.project.join("short")).unwrap();
    tree
}

fn outside_is_untouched(tree: &Tree) {
    assert_eq!(fs::read_to_string(tree.outside.join("f")).unwrap(), "OUTSIDE");
    assert_eq!(fs::read_dir(&tree.outside).unwrap().count(), 1);
}

#[test]
fn links_are_never_gone_through() {
    // Every operation goes through a link in the middle of its path.
    for backend in BACKENDS {
        let tree = linked();
        let roots = tree.roots(Options { backend, ..fast() });
        for path in ["folder/f", "relative/f", "alias/f", "folder/new/deep"] {
            let path = at(&roots, path);
            let to = at(&roots, "real/g");
            let kinds = [
                roots.read(&path, 100).unwrap_err().kind(),
                roots.lstat(&path).unwrap_err().kind(),
                roots.prepare(&path, b"x", Like::New).unwrap_err().kind(),
                roots.unlink(&path, Expected::Anything).unwrap_err().kind(),
                roots.rmdir(&path).unwrap_err().kind(),
                roots.readlink(&path).unwrap_err().kind(),
                roots.create_dir_all(&path).unwrap_err().kind(),
                roots.rename(&path, &to, Expected::Anything, Expected::Missing).unwrap_err().kind(),
                roots
                    .rename(&at(&roots, "real/f"), &path, Expected::Anything, Expected::Anything)
                    .unwrap_err()
                    .kind(),
                roots.list(&path.parent().unwrap(), 10).unwrap_err().kind(),
                roots.sync_dir(&path.parent().unwrap()).unwrap_err().kind(),
                roots.walk(&path.parent().unwrap(), WalkOptions::default()).err().unwrap().kind(),
            ];
            assert_eq!(kinds, [ErrorKind::SymlinkNotAllowed; 12], "{} {backend:?}", path.written());
        }
        for path in ["file", "short", "dangling"] {
            let path = at(&roots, path);
            assert_eq!(roots.read(&path, 100).unwrap_err().kind(), ErrorKind::SymlinkNotAllowed);
            assert_eq!(roots.read_following(&path, 100).unwrap_err().kind(), ErrorKind::SymlinkNotAllowed);
            assert_eq!(roots.prepare(&path, b"x", Like::New).unwrap_err().code(), "ELOOP");
        }
        outside_is_untouched(&tree);
        assert_eq!(tree.text("real/f"), "inside");
    }
}

#[test]
fn links_themselves_are_moved_and_deleted() {
    let tree = linked();
    let roots = tree.fast();
    let (file, moved) = (at(&roots, "file"), at(&roots, "real/moved"));
    assert_eq!(roots.lstat(&file).unwrap().unwrap().kind, FileKind::Symlink);
    assert_eq!(roots.readlink(&file).unwrap(), tree.outside.join("f"));
    roots.rename(&file, &moved, Expected::Anything, Expected::Missing).unwrap();
    assert_eq!(roots.readlink(&moved).unwrap(), tree.outside.join("f"));
    roots.unlink(&moved, Expected::Anything).unwrap();
    roots.unlink(&at(&roots, "folder"), Expected::Anything).unwrap();
    roots.unlink(&at(&roots, "dangling"), Expected::Anything).unwrap();
    outside_is_untouched(&tree);
}

#[test]
fn reads_follow_links_within_the_root_if_told_to() {
    let tree = linked();
    tree.write(".git/config", "[core]");
    tree.write(".env", "KEY=1");
    symlink(".git/config", tree.project.join("git")).unwrap();
    symlink(".env", tree.project.join("env")).unwrap();
    for backend in BACKENDS {
        let roots = tree.roots(Options { backend, links: Links::FollowInReads, ..fast() });
        let read = |path: &str| roots.read_following(&at(&roots, path), 100);
        assert_eq!(read("alias/f").unwrap().bytes, b"inside");
        assert_eq!(read("short").unwrap().bytes, b"inside");
        assert_eq!(read("file").unwrap_err().kind(), ErrorKind::SymlinkNotAllowed);
        assert_eq!(read("folder/f").unwrap_err().kind(), ErrorKind::SymlinkNotAllowed);
        assert_eq!(read("git").unwrap_err().kind(), ErrorKind::PathDenied);
        assert_eq!(read("env").unwrap_err().kind(), ErrorKind::Secret);
        assert_eq!(read("dangling").unwrap_err().kind(), ErrorKind::FileNotFound);
        assert_eq!(roots.prepare(&at(&roots, "short"), b"x", Like::New).unwrap_err().code(), "ELOOP");
    }
}

#[test]
fn a_file_on_the_way_is_no_folder() {
    for backend in BACKENDS {
        let tree = linked();
        let roots = tree.roots(Options { backend, ..fast() });
        let path = at(&roots, "real/f/x");
        assert_eq!(roots.read(&path, 10).unwrap_err().kind(), ErrorKind::NotDirectory);
        assert_eq!(roots.lstat(&path).unwrap(), None);
        let error = roots.create_dir_all(&path).unwrap_err();
        assert_eq!(error.to_string(), "A file is where a directory is needed 'real/f' (ENOTDIR)");
    }
}

#[test]
fn the_root_itself_is_never_changed() {
    let tree = Tree::new();
    let roots = tree.fast();
    let root = at(&roots, ".");
    assert_eq!(roots.rmdir(&root).unwrap_err().kind(), ErrorKind::PathDenied);
    assert_eq!(roots.unlink(&root, Expected::Anything).unwrap_err().kind(), ErrorKind::PathDenied);
    assert!(roots.rename(&root, &at(&roots, "x"), Expected::Anything, Expected::Missing).is_err());
    assert_eq!(roots.read(&root, 10).unwrap_err().kind(), ErrorKind::IsDirectory);
    assert_eq!(roots.prepare(&root, b"", Like::New).unwrap_err().kind(), ErrorKind::IsDirectory);
    assert_eq!(roots.lstat(&root).unwrap().unwrap().kind, FileKind::Directory);
    assert!(roots.create_dir_all(&root).unwrap().is_empty());
}
