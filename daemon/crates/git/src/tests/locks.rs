//! Locks of other programs, and the files left by a daemon that was killed.

use super::*;

#[test]
fn a_foreign_lock_is_waited_for_and_never_removed() {
    let Some(ground) = Ground::new() else { return };
    ground.write("a", "dirty\n");
    let mut repository = ground.open();
    ground.write(".git/index.lock", "");
    let changed = [ground.change("a", Some("two\n"))];
    let locked = begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap_err();
    assert_eq!(locked, GitError::Locked { path: ground.path(".git/index.lock") });
    assert!(ground.path(".git/index.lock").exists());
    let lock = ground.path(".git/index.lock");
    let patient = repository.waiting(Duration::from_secs(60));
    let mut repository = patient;
    std::thread::scope(|scope| {
        scope.spawn(|| std::fs::remove_file(&lock).unwrap());
        begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap();
    });
    ground.assert_sound();
}

#[test]
fn a_locked_branch_is_an_error_and_nothing_is_changed() {
    let Some(ground) = Ground::new() else { return };
    ground.write("a", "dirty\n");
    let was = (ground.status(), ground.git(&["ls-files", "-s"]));
    let mut repository = ground.open();
    ground.write(".git/refs/heads/main.lock", "");
    let changed = [ground.change("a", Some("two\n"))];
    let locked = begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap_err();
    assert_eq!(locked, GitError::Locked { path: ground.path(".git/refs/heads/main.lock") });
    assert_eq!((ground.status(), ground.git(&["ls-files", "-s"])), was);
    assert!(!ground.path(".git/index.lock").exists());
    ground.remove(".git/refs/heads/main.lock");
    begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap();
    ground.assert_sound();
}

/// Leaves the repository as a process that dies with the lock does: the files stay, the kernel's lock goes.
fn killed(ground: &Ground, announced: &str, draft: Option<&[u8]>) {
    ground.write(".git/clada.lock", announced);
    std::fs::hard_link(ground.path(".git/clada.lock"), ground.path(".git/index.lock")).unwrap();
    if let Some(draft) = draft {
        ground.write(".git/clada-index", draft);
    }
}

#[test]
fn a_turn_that_was_cut_off_before_the_branch_moved_is_taken_back() {
    let Some(ground) = Ground::new() else { return };
    let index = std::fs::read(ground.path(".git/index")).unwrap();
    let never = "1".repeat(40);
    for (announced, draft) in [
        (String::new(), None),
        (format!("{never} refs/heads/main\n"), Some(&b"half"[..])),
        (format!("{never} refs/he"), Some(&b"half"[..])),
        ("\u{fffd} nonsense".to_owned(), None),
    ] {
        killed(&ground, &announced, draft);
        ground.open();
        ground.assert_sound();
        assert_eq!(std::fs::read(ground.path(".git/index")).unwrap(), index);
    }
}

/// Locks of references, by their content: the next lock removes those that clada can have left, and no other.
#[test]
fn regression_locks_that_a_killed_process_left_are_removed_and_no_others() {
    let Some(ground) = Ground::new() else { return };
    let (value, other) = ("1".repeat(40), "2".repeat(40));
    let symbolic = "ref: refs/heads/other";
    for (reference, announced, content, is_left) in [
        ("refs/heads/main", value.as_str(), value.as_str(), true),
        ("refs/heads/main", &value, "", true),
        ("refs/heads/main", &value, &other, false),
        ("refs/heads/main", "", "", true),
        ("refs/heads/main", "", &other, false),
        ("HEAD", symbolic, symbolic, true),
        ("HEAD", symbolic, &value, false),
        ("refs/stash", &value, &value, true),
        ("refs/stash", &value, &other, false),
        // Nobody else moves these.
        ("refs/clada/squash/111111111111", &value, &value, true),
        ("refs/clada/squash/111111111111", &value, "", true),
        ("refs/clada/undo/abc", &value, &other, true),
        ("refs/clada/staged/abc", "", &other, true),
    ] {
        let lock = format!(".git/{reference}.lock");
        killed(&ground, &format!("{announced} {reference}\n"), None);
        ground.write(&lock, content);
        ground.open();
        assert_eq!(!ground.path(&lock).exists(), is_left, "{reference} {announced:?} {content:?}");
        if !is_left {
            ground.remove(&lock);
        }
        ground.assert_sound();
    }
}

/// A branch without a commit before the operation: its undo deletes the branch, and is cut off before its index
/// takes effect.
#[test]
fn regression_a_turn_that_was_cut_off_after_the_branch_was_deleted_is_finished() {
    let Some(ground) = Ground::new() else { return };
    let index = std::fs::read(ground.path(".git/index")).unwrap();
    ground.write("b", "b\n");
    ground.git(&["add", "b"]);
    let other = std::fs::read(ground.path(".git/index")).unwrap();
    for (is_deleted, branch) in [(false, "refs/heads/main"), (true, "refs/heads/gone")] {
        ground.write(".git/index", &other);
        killed(&ground, &format!(" {branch}\n"), Some(&index[..]));
        let was_finished = {
            ground.open();
            std::fs::read(ground.path(".git/index")).unwrap() == index
        };
        assert_eq!(was_finished, is_deleted, "{branch}");
    }
}

#[test]
fn a_turn_that_was_cut_off_after_the_branch_moved_is_finished() {
    let Some(ground) = Ground::new() else { return };
    let old = std::fs::read(ground.path(".git/index")).unwrap();
    ground.write("a", "two\n");
    ground.git(&["commit", "-qam", "second"]);
    let new = std::fs::read(ground.path(".git/index")).unwrap();
    ground.write(".git/index", old);
    let head = ground.git(&["rev-parse", "HEAD"]);
    killed(&ground, &format!("{} refs/heads/main\n", head.trim()), Some(&new));
    ground.open();
    ground.assert_sound();
    assert_eq!(std::fs::read(ground.path(".git/index")).unwrap(), new);
    assert_eq!(ground.status(), "");
}

#[test]
fn what_the_person_stages_between_two_operations_counts() {
    let Some(ground) = Ground::new() else { return };
    let mut repository = ground.open();
    ground.operate(&mut repository, &[ground.change("a", Some("2\n"))], &commission(GitMode::Branch));
    ground.write("b", "b\n");
    ground.git(&["add", "b"]);
    ground.operate(&mut repository, &[ground.change("a", Some("3\n"))], &commission(GitMode::Branch));
    assert_eq!(ground.status(), "A  b\n");
}
