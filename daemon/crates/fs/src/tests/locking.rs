use super::*;
use rustix::io::Errno;

#[test]
fn one_at_a_time_and_free_again_after() {
    let tree = Tree::new();
    let roots = tree.fast();
    let other = tree.fast();
    let state = &tree.outside;
    let held = RootLock::try_acquire(&roots, 0, state).unwrap().unwrap();
    assert!(RootLock::try_acquire(&other, 0, state).unwrap().is_none());
    assert!(RootLock::try_acquire(&roots, 0, state).unwrap().is_none());
    drop(held);
    assert!(RootLock::try_acquire(&other, 0, state).unwrap().is_some());
    assert_eq!(fs::read_dir(state).unwrap().count(), 0);
}

#[test]
fn without_locks_on_folders_a_file_stands_for_the_root() {
    let tree = Tree::new();
    for errno in [Errno::BADF, Errno::NOLCK, Errno::OPNOTSUPP, Errno::INVAL] {
        // The first lock of each acquisition, the folder's, is not supported; the second is real.
        let calls = std::sync::atomic::AtomicUsize::new(0);
        let faults = Faults::injected(move |call| {
            let first = call == Call::Lock
                && calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed).is_multiple_of(2);
            first.then_some(errno)
        });
        let roots = tree.roots(Options { faults, ..fast() });
        let held = RootLock::try_acquire(&roots, 0, &tree.outside).unwrap().unwrap();
        assert!(RootLock::try_acquire(&roots, 0, &tree.outside).unwrap().is_none());
        drop(held);
        assert!(RootLock::try_acquire(&roots, 0, &tree.outside).unwrap().is_some());
    }
    let name = blake3::hash(tree.project.as_os_str().as_encoded_bytes()).to_hex();
    assert!(tree.outside.join("locks").join(name.as_str()).exists());
}
