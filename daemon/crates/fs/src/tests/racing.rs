//! Swaps folders and files for links to the outside while every operation is tried on them.

use super::*;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

/// The attempts with each backend.
const TRIES: usize = 30_000;

#[test]
fn nothing_escapes_while_names_are_swapped() {
    for backend in BACKENDS {
        race(backend);
    }
}

fn race(backend: Backend) {
    let tree = Tree::in_memory();
    fs::create_dir(tree.outside.join("sub")).unwrap();
    for name in ["f", "g", "sub/f"] {
        fs::write(tree.outside.join(name), "OUTSIDE").unwrap();
    }
    for name in ["d/f", "d/sub/f", "e/f"] {
        tree.write(name, "inside");
    }
    symlink(&tree.outside, tree.project.join("trap")).unwrap();
    symlink(tree.outside.join("f"), tree.project.join("e/trap")).unwrap();
    let stop = AtomicBool::new(false);
    let opened = fs::File::open(&tree.project).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                swap(&opened, "d", "trap");
                swap(&opened, "e/f", "e/trap");
            }
        });
        let outcome = std::panic::catch_unwind(|| attempt(&tree, backend));
        stop.store(true, Ordering::Relaxed);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
    // No byte outside may have changed, whichever side won a race.
    for name in ["f", "g", "sub/f"] {
        assert_eq!(fs::read_to_string(tree.outside.join(name)).unwrap(), "OUTSIDE");
    }
    let count = |folder: PathBuf| fs::read_dir(folder).unwrap().count();
    assert_eq!((count(tree.outside.clone()), count(tree.outside.join("sub"))), (3, 1));
}

fn swap(root: &fs::File, one: &str, other: &str) {
    // Fails when one of the names is missing for a moment, which happens.
    let _ = rustix::fs::renameat_with(root, one, root, other, rustix::fs::RenameFlags::EXCHANGE);
}

fn attempt(tree: &Tree, backend: Backend) {
    let roots = tree.roots(Options { backend, ..fast() });
    let path = |name: &str| at(&roots, name);
    let files = [path("d/f"), path("d/sub/f"), path("e/f"), path("d/g")];
    let sub = path("d/sub");
    let (mut reads, mut writes, mut refused) = (0, 0, 0);
    for attempt in 0..TRIES {
        let file = &files[attempt / 8 % files.len()];
        let outcome = match attempt % 8 {
            0 | 4 => roots.read(file, 100).map(|content| {
                reads += 1;
                assert_ne!(content.bytes, b"OUTSIDE", "read through a link");
            }),
            1 | 5 => roots.replace(file, b"inside", Like::New, Expected::Anything).map(|_| writes += 1),
            2 => roots.rename(file, &files[3], Expected::Anything, Expected::Anything).map(drop),
            3 => roots.unlink(file, Expected::Anything),
            6 => roots.create_dir_all(&sub).map(drop),
            _ => roots.list(&sub, 10).map(drop),
        };
        if outcome.is_err_and(|error| error.kind() == clada_protocol::ErrorKind::SymlinkNotAllowed) {
            refused += 1;
        }
        // Renames and deletes remove the trap for a file, so it is set again.
        if attempt % 64 == 0 {
            let _ = symlink(tree.outside.join("f"), tree.project.join("e/trap"));
            let _ = symlink(tree.outside.join("f"), tree.project.join("e/f"));
        }
    }
    println!("{backend:?}: {reads} read, {writes} written, {refused} refused as links");
    assert!(reads > 0 && writes > 0 && refused > 0, "there was no race");
}
