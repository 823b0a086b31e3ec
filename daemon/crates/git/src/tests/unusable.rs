//! Repositories in which no commits are made, and the reasons.

use super::*;

fn why(ground: &Ground) -> String {
    ground.try_open().unwrap_err().to_string()
}

#[test]
fn no_repository_is_no_error() {
    let Some(ground) = Ground::bare_folder() else { return };
    assert!(ground.try_open().unwrap().is_none());
    std::fs::create_dir(ground.path(".git")).unwrap();
    assert!(ground.try_open().unwrap().is_none(), "an empty .git is none");
}

#[test]
fn regression_a_repository_that_takes_the_place_of_another_is_not_taken_for_it() {
    let Some(ground) = Ground::new() else { return };
    let repository = ground.open();
    assert!(repository.is_current());
    // File systems give the numbers of deleted files to new ones.
    for _ in 0..5 {
        std::fs::remove_dir_all(ground.path(".git")).unwrap();
        ground.git(&["init", "-q"]);
        assert!(!repository.is_current());
    }
}

#[test]
fn bare() {
    let Some(ground) = Ground::bare_folder() else { return };
    ground.git(&["init", "-q", "--bare", "."]);
    assert_eq!(why(&ground), "the repository is bare");
}

#[test]
fn what_is_in_progress() {
    for (command, in_progress) in [
        (&["merge", "-q", "other"][..], "a merge"),
        (&["rebase", "-q", "other"][..], "a rebase"),
        (&["cherry-pick", "other"][..], "a cherry-pick"),
        (&["revert", "other"][..], "a revert"),
        (&["bisect", "start"][..], "a bisect"),
    ] {
        let Some(ground) = Ground::new() else { return };
        ground.git(&["checkout", "-qb", "other"]);
        ground.write("a", "other\n");
        ground.git(&["commit", "-qam", "other"]);
        ground.git(&["checkout", "-q", "main"]);
        ground.write("a", "mine\n");
        ground.git(&["commit", "-qam", "mine"]);
        ground.run(command).unwrap();
        assert_eq!(why(&ground), format!("{in_progress} is in progress"));
    }
}

#[test]
fn conflicts_in_the_index() {
    let Some(ground) = Ground::new() else { return };
    ground.write("a", "stashed\n");
    ground.git(&["stash", "-q"]);
    ground.write("a", "mine\n");
    ground.git(&["commit", "-qam", "mine"]);
    assert!(!ground.git_can(&["stash", "pop", "-q"]));
    assert_eq!(why(&ground), "the index holds conflicts that are not resolved");
}

#[test]
fn kinds_of_index_and_of_repository_that_are_not_written() {
    let Some(ground) = Ground::new() else { return };
    ground.git(&["update-index", "--split-index"]);
    assert_eq!(why(&ground), "the repository has a split index, which is not supported");

    let Some(ground) = Ground::new() else { return };
    ground.write("d/x", "x\n");
    ground.write("e/y", "y\n");
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "second"]);
    ground.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "d"]);
    assert_eq!(why(&ground), "the repository has a sparse index, which is not supported");

    for (option, word) in [("--object-format=sha256", "sha256"), ("--ref-format=reftable", "refstorage")] {
        let Some(ground) = Ground::bare_folder() else { return };
        if !ground.git_can(&["init", "-q", option]) {
            eprintln!("this git has no {option}: not tested");
            continue;
        }
        assert!(why(&ground).contains(word), "{}", why(&ground));
    }
}

#[test]
fn a_sparse_work_tree_with_a_whole_index_is_fine() {
    let Some(ground) = Ground::new() else { return };
    ground.write("d/x", "x\n");
    ground.write("e/y", "y\n");
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "second"]);
    ground.git(&["sparse-checkout", "set", "--cone", "--no-sparse-index", "d"]);
    let mut repository = ground.open();
    ground.operate(&mut repository, &[ground.change("d/x", Some("2\n"))], &commission(GitMode::Branch));
    assert_eq!(ground.status(), "");
    assert_eq!(ground.git(&["ls-files", "-t"]), "H a\nH d/x\nS e/y\n");
}

#[test]
fn work_trees_are_repositories_of_their_own_and_borrowed_ones_are_not() {
    let Some(ground) = Ground::new() else { return };
    ground.git(&["worktree", "add", "-q", "../w", "-b", "side"]);
    let folder = ground.folder.parent().unwrap().join("w");
    let Some(other) = Ground::bare_folder() else { return };
    let worktree = Ground { folder, ..other };
    let mut repository = worktree.open();
    worktree.operate(&mut repository, &[worktree.change("a", Some("2\n"))], &commission(GitMode::Branch));
    assert_eq!(worktree.git(&["log", "--format=%s", "side"]), "AI: change it\nfirst\n");
    assert_eq!(worktree.status(), "");
    assert_eq!(ground.git(&["log", "--format=%s", "main"]), "first\n");

    for names in [ground.path(".git"), ground.path(".git/worktrees/w")] {
        let Some(thief) = Ground::bare_folder() else { return };
        thief.write(".git", format!("gitdir: {}\n", names.display()));
        assert!(why(&thief).contains("does not say that its work tree is this folder"), "{}", why(&thief));
    }
    let Some(thief) = Ground::bare_folder() else { return };
    std::os::unix::fs::symlink(ground.path(".git"), thief.path(".git")).unwrap();
    assert!(why(&thief).contains("does not say that its work tree is this folder"));
    let elsewhere = ground.folder.parent().unwrap().to_str().unwrap();
    ground.git(&["config", "core.worktree", elsewhere]);
    assert!(why(&ground).contains("does not say that its work tree is this folder"));
}

#[test]
fn submodules() {
    let (Some(ground), Some(source)) = (Ground::new(), Ground::new()) else { return };
    let url = source.folder.to_str().unwrap();
    ground.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    ground.git(&["commit", "-qm", "second"]);
    let mut repository = ground.open();
    let changed = [ground.change("sub/a", Some("2\n")), ground.change("a", Some("2\n"))];
    assert!(matches!(repository.refuse_submodules(&changed), Err(GitError::Refused { .. })));
    assert_eq!(
        left_out(&repository, &changed).unwrap(),
        "not committed, since they are in another repository: sub/a"
    );
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.git(&["show", "--format=", "--name-only", "HEAD"]), "a\n");
    // Given as the root, it is a repository like any other.
    let within = Ground { folder: ground.path("sub"), ..source };
    let mut repository = within.open();
    let (before, after) =
        within.operate(&mut repository, &[within.change("a", Some("3\n"))], &commission(GitMode::Branch));
    assert!(before.is_some() && after.is_some());
}

#[test]
fn a_foreign_owner() {
    let Some(ground) = Ground::new() else { return };
    let foreign = |path: &Path| std::os::unix::fs::chown(path, Some(12345), None);
    if foreign(&ground.path(".git")).and_then(|()| foreign(&ground.folder)).is_err() {
        eprintln!("only the superuser can give files away: a foreign owner is not tested");
        return;
    }
    assert_eq!(why(&ground), "the repository belongs to another user");
}
