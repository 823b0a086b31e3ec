//! Makes every changing call fail once: the target stays as it was, and no file is left alongside it.

use super::*;
use clada_protocol::ErrorKind;
use rustix::fs::XattrFlags;
use rustix::io::Errno;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Makes the call with this number fail. The call in `around` always fails, so that the fallback is reached.
fn failing(number: usize, errno: Errno, around: Option<(Call, Errno)>) -> (Options, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    let faults = Faults::injected(move |call| {
        let this = counter.fetch_add(1, Ordering::Relaxed);
        if this == number {
            return Some(errno);
        }
        around.filter(|(always, _)| *always == call).map(|(_, errno)| errno)
    });
    (Options { faults, ..Options::default() }, calls)
}

/// Runs `act` with each of its calls failing in turn. `act` returns whether it succeeded;
/// the rest is checked here.
fn each_call(
    act: impl Fn(&Tree, &Roots) -> Result<(), FsError>,
    prepare: impl Fn(&Tree),
    around: Option<(Call, Errno)>,
) {
    for errno in [Errno::NOSPC, Errno::IO, Errno::ROFS, Errno::DQUOT] {
        for number in 0.. {
            let tree = Tree::new();
            prepare(&tree);
            let (options, calls) = failing(number, errno, around);
            let roots = tree.roots(options);
            let outcome = act(&tree, &roots);
            let reached = calls.load(Ordering::Relaxed) > number;
            assert_eq!(tree.temp_files(), Vec::<PathBuf>::new(), "call {number}: {outcome:?}");
            if let Err(error) = &outcome {
                let kinds = [ErrorKind::NoSpace, ErrorKind::Io, ErrorKind::ReadOnly];
                assert!(kinds.contains(&error.kind()), "{error}");
            }
            if !reached {
                assert!(outcome.is_ok() && number > 0, "{outcome:?}");
                break;
            }
        }
    }
}

fn dressed(tree: &Tree) {
    let path = tree.write("f", "old");
    set_mode(&path, 0o640);
    let _ = rustix::fs::setxattr(&path, "user.note", b"kept", XattrFlags::empty());
    if is_root() {
        std::os::unix::fs::chown(&path, Some(12345), Some(12345)).unwrap();
    }
}

#[test]
fn replacing() {
    let act = |tree: &Tree, roots: &Roots| {
        let path = at(roots, "f");
        let outcome = roots.replace(&path, &[b'x'; 3 << 20], Like::Existing(&path), Expected::Anything);
        let now = tree.text("f");
        assert!(if outcome.is_ok() { now.len() == 3 << 20 } else { now == "old" });
        assert_eq!(mode_of(&tree.project.join("f")), 0o640);
        outcome.map(drop)
    };
    each_call(act, dressed, None);
}

#[test]
fn creating() {
    for around in [None, Some((Call::RenameNoReplace, Errno::NOSYS))] {
        let act = |tree: &Tree, roots: &Roots| {
            let outcome = roots.replace(&at(roots, "new"), b"text", Like::New, Expected::Missing);
            assert_eq!(tree.project.join("new").exists(), outcome.is_ok(), "{outcome:?}");
            outcome.map(drop)
        };
        each_call(act, |_| {}, around);
    }
}

#[test]
fn moving_between_file_systems() {
    for (call, target) in [(Call::RenameNoReplace, Expected::Missing), (Call::Rename, Expected::Anything)] {
        // The rename of the copy has to succeed, so the first one only is refused.
        let act = |tree: &Tree, roots: &Roots| {
            let outcome = roots.rename(&at(roots, "f"), &at(roots, "g"), Expected::Anything, target);
            let (from, to) = (tree.project.join("f").exists(), tree.project.join("g").exists());
            assert!(if outcome.is_ok() { !from && to } else { from }, "{outcome:?}");
            outcome.map(drop)
        };
        for errno in [Errno::NOSPC, Errno::IO] {
            for number in 0.. {
                let tree = Tree::new();
                dressed(&tree);
                let calls = Arc::new(AtomicUsize::new(0));
                let (counter, refused) = (calls.clone(), AtomicUsize::new(0));
                let faults = Faults::injected(move |this| {
                    if counter.fetch_add(1, Ordering::Relaxed) == number {
                        return Some(errno);
                    }
                    (this == call && refused.fetch_add(1, Ordering::Relaxed) == 0).then_some(Errno::XDEV)
                });
                let roots = tree.roots(Options { faults, ..Options::default() });
                let outcome = act(&tree, &roots);
                assert_eq!(tree.temp_files(), Vec::<PathBuf>::new(), "call {number}");
                if outcome.is_err() && target == Expected::Missing {
                    assert!(!tree.project.join("g").exists(), "call {number}: {outcome:?}");
                }
                if calls.load(Ordering::Relaxed) <= number {
                    break;
                }
            }
        }
    }
}

#[test]
fn making_folders() {
    let act = |tree: &Tree, roots: &Roots| {
        let outcome = roots.create_dir_all(&at(roots, "a/b/c"));
        assert_eq!(tree.project.join("a").exists(), outcome.is_ok());
        outcome.map(drop)
    };
    each_call(act, |_| {}, None);
}

#[test]
fn flushing_a_batch() {
    let act = |tree: &Tree, roots: &Roots| {
        let prepare = |number| roots.prepare(&at(roots, &format!("f{number}")), b"x", Like::New);
        let mut prepared = (0..5).map(prepare).collect::<Result<Vec<_>, _>>()?;
        let outcome = sync_all(&mut prepared, 2);
        drop(prepared);
        assert_eq!(fs::read_dir(&tree.project).unwrap().count(), 0);
        outcome
    };
    each_call(act, |_| {}, None);
}
