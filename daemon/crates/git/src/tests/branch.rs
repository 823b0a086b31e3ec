//! Commits on the branch that is checked out.

use super::*;

#[test]
fn an_operation_is_one_commit_with_author_message_and_trailer() {
    let Some(ground) = Ground::new() else { return };
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("two\n")), ground.change("d/e/new", Some("x\n"))];
    let (before, after) = ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(before, None);
    assert_eq!(after.unwrap(), ground.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(ground.status(), "");
    assert_eq!(ground.git(&["diff-files"]), "", "the index knows the files as they are");
    assert_eq!(
        ground.git(&["log", "-1", "--format=%an|%ae|%cn|%ce|%B"]).trim_end(),
        "clada|clada@localhost|clada|clada@localhost|AI: change it\n\nClada-Operation: 0123"
    );
    assert_eq!(ground.git(&["show", "--format=", "--name-status", "HEAD"]), "M\ta\nA\td/e/new\n");
    assert!(ground.git(&["reflog", "-1"]).contains("commit (clada): AI: change it"));
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
    assert_eq!(
        ground.git(&["log", "-1", "--format=%(trailers:key=Clada-Operation,valueonly)"]).trim(),
        "0123"
    );
}

#[test]
fn what_is_dirty_is_committed_as_it_is_before() {
    let Some(ground) = Ground::new() else { return };
    ground.write("a", "mine\n");
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("its\n"))];
    let (before, after) = ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.git(&["show", &format!("{}:a", before.unwrap())]), "mine\n");
    assert_eq!(ground.git(&["show", &format!("{}:a", after.unwrap())]), "its\n");
    assert_eq!(ground.git(&["log", "--format=%s"]), "AI: change it\nclada: before 0123\nfirst\n");
    assert_eq!(ground.status(), "");
}

#[test]
fn other_work_stays_as_it_is() {
    let Some(ground) = Ground::new() else { return };
    for name in ["staged", "unstaged", "both", "gone", "renamed"] {
        ground.write(name, format!("{name}\n{name}\n{name}\n"));
    }
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "second"]);
    ground.write("staged", "s\n");
    ground.write("both", "b\n");
    ground.git(&["add", "staged", "both"]);
    ground.write("both", "b2\n");
    ground.write("unstaged", "u\n");
    ground.write("untracked", "n\n");
    ground.write("planned", "");
    ground.git(&["add", "-N", "planned"]);
    ground.git(&["rm", "-q", "--cached", "gone"]);
    ground.git(&["mv", "renamed", "moved"]);
    let look = || {
        let (cached, work) = (ground.git(&["diff", "--cached"]), ground.git(&["diff"]));
        (ground.status(), cached, work, ground.git(&["ls-files", "-s", "both", "staged", "unstaged"]))
    };
    let was = look();
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("two\n"))];
    let (_, after) = ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(look(), was);
    assert_eq!(ground.git(&["show", "--format=", "--name-only", &after.unwrap()]), "a\n");
}

#[test]
fn what_was_staged_of_a_changed_file_is_kept() {
    let Some(ground) = Ground::new() else { return };
    ground.write("a", "staged\n");
    ground.git(&["add", "a"]);
    ground.write("a", "work\n");
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("done\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.status(), "");
    assert_eq!(ground.git(&["show", "refs/clada/staged/0123:staged/a"]), "staged\n");
}

#[test]
fn the_first_commit_and_a_detached_head() {
    let Some(ground) = Ground::empty() else { return };
    ground.write("mine", "m\n");
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("one\n")), ground.change("mine", Some("n\n"))];
    let (before, _) = ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert!(before.is_some());
    assert_eq!(ground.git(&["rev-list", "--count", "main"]).trim(), "2");
    ground.git(&["checkout", "-q", "--detach"]);
    let changed = [ground.change("a", Some("two\n"))];
    let (_, after) = ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.git(&["rev-parse", "HEAD"]).trim(), after.unwrap());
    assert_eq!(ground.git(&["rev-list", "--count", "main"]).trim(), "2", "the branch stays");
    assert!(!ground.git_can(&["symbolic-ref", "-q", "HEAD"]));
}

#[test]
#[allow(clippy::disallowed_methods)] // The operation itself, as it were.
fn folders_and_files_take_each_others_place() {
    let Some(ground) = Ground::new() else { return };
    ground.write("d/x", "x\n");
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "second"]);
    let mut repository = ground.open();
    let gone = [ground.change("d/x", None)];
    ground.operate(&mut repository, &gone, &commission(GitMode::Branch));
    assert_eq!(ground.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a\n", "no empty tree is left");
    ground.git(&["revert", "-n", "HEAD"]);
    ground.git(&["commit", "-qm", "again"]);
    let mut swap = vec![ground.change("d/x", None), ground.change("a", None)];
    ground.remove("a");
    ground.remove("d/x");
    std::fs::remove_dir(ground.path("d")).unwrap();
    for changed in &mut swap {
        changed.before = Some(Content::File { bytes: Arc::from(&b"x\n"[..]), executable: false });
    }
    swap.extend([ground.change("d", Some("file\n")), ground.change("a/b/c", Some("deep\n"))]);
    repository.check().unwrap();
    let before = begin(&mut repository, &swap, &commission(GitMode::Branch)).unwrap();
    ground.make(&swap[2..]);
    repository.after(&swap, &before, &commission(GitMode::Branch)).unwrap();
    assert_eq!(ground.status(), "");
    assert_eq!(ground.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a/b/c\nd\n");
    ground.assert_sound();
}

#[test]
fn modes_and_links() {
    let Some(ground) = Ground::new() else { return };
    let mut repository = ground.open();
    let (link, script) = (ground.path("link"), ground.path("run"));
    std::os::unix::fs::symlink("a", &link).unwrap();
    ground.write("run", "#!/bin/sh\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let file = Content::File { bytes: Arc::from(&b"#!/bin/sh\n"[..]), executable: true };
    let changed = [
        Changed { path: link, before: None, after: Some(Content::Link(b"a".to_vec())) },
        Changed { path: script, before: None, after: Some(file) },
    ];
    let before = begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap();
    repository.after(&changed, &before, &commission(GitMode::Branch)).unwrap();
    assert_eq!(ground.status(), "");
    let tree = ground.git(&["ls-tree", "HEAD"]);
    assert!(tree.contains("120000 blob") && tree.contains("100755 blob"), "{tree}");
    ground.assert_sound();
}

#[test]
fn ignored_files_are_not_committed_unless_tracked() {
    let Some(ground) = Ground::new() else { return };
    ground.write(".gitignore", "*.log\n");
    ground.write("kept.log", "k\n");
    ground.git(&["add", "-f", "."]);
    ground.git(&["commit", "-qm", "second"]);
    let mut repository = ground.open();
    let changed = [ground.change("new.log", Some("n\n")), ground.change("kept.log", Some("l\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.git(&["show", "--format=", "--name-only", "HEAD"]), "kept.log\n");
    let only_ignored = [ground.change("other.log", Some("n\n"))];
    let (before, after) = ground.operate(&mut repository, &only_ignored, &commission(GitMode::Branch));
    assert_eq!((before, after), (None, None));
}

#[test]
fn nothing_changed_nothing_committed() {
    let Some(ground) = Ground::new() else { return };
    ground.write("a", "two\n");
    let mut repository = ground.open();
    // Back to HEAD's content: the dirty content is in a commit, and so is its reverse.
    let changed = [ground.change("a", Some("one\n"))];
    let (before, after) = ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert!(before.is_some() && after.is_some());
    let same = [ground.change("a", Some("one\n"))];
    let (before, after) = ground.operate(&mut repository, &same, &commission(GitMode::Branch));
    assert_eq!((before, after), (None, None));
    assert_eq!(ground.status(), "");
}

#[test]
fn everything_dirty_is_committed_before_if_that_is_asked_for() {
    let Some(ground) = Ground::new() else { return };
    ground.write("gone", "g\n");
    ground.write(".gitignore", "*.log\n");
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "second"]);
    ground.remove("gone");
    ground.write("deep/new", "n\n");
    ground.write("x.log", "l\n");
    ground.write("staged", "s\n");
    ground.git(&["add", "staged"]);
    std::os::unix::fs::symlink("a", ground.path("link")).unwrap();
    let mut repository = ground.open();
    let all = Commission { before: GitBefore::All, ..commission(GitMode::Branch) };
    let changed = [ground.change("a", Some("two\n"))];
    let (before, _) = ground.operate(&mut repository, &changed, &all);
    assert_eq!(
        ground.git(&["show", "--format=", "--name-status", &before.unwrap()]),
        "A\tdeep/new\nD\tgone\nA\tlink\nA\tstaged\n"
    );
    assert_eq!(ground.status(), "");
}

#[test]
fn line_ends_are_kept_as_git_keeps_them() {
    let Some(ground) = Ground::new() else { return };
    ground.git(&["config", "core.autocrlf", "true"]);
    ground.write(".gitattributes", "*.bin -text\n");
    ground.git(&["add", ".gitattributes"]);
    let mut repository = ground.open();
    let changed = [ground.change("t", Some("a\r\nb\r\n")), ground.change("b.bin", Some("a\r\nb\r\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.git(&["cat-file", "blob", "HEAD:t"]), "a\nb\n");
    assert_eq!(ground.git(&["cat-file", "blob", "HEAD:b.bin"]), "a\r\nb\r\n");
    assert_eq!(ground.status(), "A  .gitattributes\n");
}

#[test]
fn a_large_file_beside_is_not_looked_at() {
    let Some(ground) = Ground::new() else { return };
    let large = std::fs::File::create_new(ground.path("large.bin")).unwrap();
    large.set_len(100 << 20).unwrap();
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("two\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.status(), "?? large.bin\n");
    assert!(ground.git(&["count-objects", "-v"]).contains("count: 6"), "two commits, two trees, two files");
}

#[test]
fn a_folder_of_a_repository_is_a_project() {
    let Some(ground) = Ground::new() else { return };
    ground.write("sub/x", "x\n");
    let mut repository = GitRepository::open(&ground.path("sub"), None).unwrap().unwrap();
    assert_eq!(repository.folder(), ground.folder);
    let changed = [ground.change("sub/x", Some("y\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert_eq!(ground.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a\nsub/x\n");
    // The repository of a home folder does not count for the projects in it.
    assert!(GitRepository::open(&ground.path("sub"), Some(&ground.folder)).unwrap().is_none());
    assert!(GitRepository::open(&ground.folder, Some(&ground.folder)).unwrap().is_some());
}

#[test]
fn a_change_in_the_second_of_the_last_index_stays_visible() {
    let Some(ground) = Ground::new() else { return };
    // Same length, and same time as the index entry, which is not older: only the content differs.
    let written = SystemTime::now() - Duration::from_secs(100);
    let set = |name: &str| {
        std::fs::File::options().write(true).open(ground.path(name)).unwrap().set_modified(written).unwrap();
    };
    ground.write("b", "bbb\n");
    set("b");
    ground.git(&["add", "b"]);
    ground.git(&["commit", "-qm", "second"]);
    ground.write("b", "ccc\n");
    set("b");
    set(".git/index");
    ground.git(&["config", "core.trustctime", "false"]);
    assert_eq!(ground.status(), " M b\n", "git sees it before");
    let mut repository = ground.open();
    ground.operate(&mut repository, &[ground.change("a", Some("2\n"))], &commission(GitMode::Branch));
    ground.operate(&mut repository, &[ground.change("a", Some("3\n"))], &commission(GitMode::Branch));
    assert_eq!(ground.status(), " M b\n");
}

#[test]
fn a_file_that_changes_after_the_operation_is_dirty() {
    let Some(ground) = Ground::new() else { return };
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("two\n"))];
    let before = begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap();
    ground.make(&changed);
    ground.write("a", "own\n");
    repository.after(&changed, &before, &commission(GitMode::Branch)).unwrap();
    assert_eq!(ground.status(), " M a\n");
    assert_eq!(ground.git(&["show", "HEAD:a"]), "two\n");
}

#[test]
fn somebody_elses_commit_in_between_is_built_upon_and_another_branch_is_not() {
    let Some(ground) = Ground::new() else { return };
    ground.write("b", "b\n");
    ground.git(&["add", "b"]);
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("two\n"))];
    let before = begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap();
    ground.make(&changed);
    ground.git(&["commit", "-qm", "between"]);
    repository.after(&changed, &before, &commission(GitMode::Branch)).unwrap();
    assert_eq!(ground.git(&["log", "--format=%s"]), "AI: change it\nbetween\nfirst\n");
    let changed = [ground.change("a", Some("three\n"))];
    let before = begin(&mut repository, &changed, &commission(GitMode::Branch)).unwrap();
    ground.git(&["checkout", "-qb", "other"]);
    let moved = repository.after(&changed, &before, &commission(GitMode::Branch)).unwrap_err();
    assert!(matches!(moved, GitError::HeadMoved { .. }), "{moved}");
    assert_eq!(
        ground.git(&["log", "-1", "--format=%s"]).trim(),
        "between".replace("between", "AI: change it")
    );
    ground.assert_sound();
}

#[test]
fn regression_git_still_looks_away_from_what_it_was_told_to() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        for (mode, git_before) in [
            (GitMode::Branch, GitBefore::Touched),
            (GitMode::Branch, GitBefore::All),
            (GitMode::Refs, GitBefore::Touched),
        ] {
            let Some(ground) = Ground::new() else { return };
            ground.write("other", "one\n");
            ground.git(&["add", "other"]);
            ground.git(&["commit", "-qm", "second"]);
            ground.git(&["update-index", flag, "a"]);
            ground.write("a", "one\nsecret\n");
            let look = || (ground.status(), ground.git(&["ls-files", "-v", "a"]));
            let was = look();
            let mut repository = ground.open();
            let changed = [ground.change("a", Some("two\nsecret\n")), ground.change("other", Some("two\n"))];
            let note = left_out(&repository, &changed).unwrap();
            assert!(note.contains("git ignores their changes") && note.ends_with(": a"), "{note}");
            let commission = Commission { before: git_before, ..commission(mode) };
            let (_, after) = ground.operate(&mut repository, &changed, &commission);
            let named = ground.git(&["show", "--format=", "--name-only", &after.unwrap()]);
            assert_eq!(named, "other\n", "{flag} {mode:?} {git_before:?}");
            assert_eq!(look().1, was.1, "{flag} {mode:?} {git_before:?}");
            // The content that git itself would commit.
            ground.git(&["commit", "-qam", "third", "--allow-empty"]);
            assert_eq!(ground.git(&["show", "HEAD:a"]), "one\n");
        }
    }
}

#[test]
fn regression_what_is_staged_to_go_is_committed_as_gone() {
    let Some(ground) = Ground::new() else { return };
    for name in ["kept", "removed"] {
        ground.write(name, "one\n");
    }
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "second"]);
    ground.git(&["rm", "-q", "--cached", "kept"]);
    ground.git(&["rm", "-q", "removed"]);
    let was = (ground.status(), ground.git(&["ls-files", "-s"]));
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("two\n"))];
    let commission = Commission { before: GitBefore::All, ..commission(GitMode::Branch) };
    let (before, _) = ground.operate(&mut repository, &changed, &commission);
    // As `git commit` does it: gone from the commit, and present in the work tree.
    let gone = ground.git(&["show", "--format=", "--name-status", &before.unwrap()]);
    assert_eq!(gone, "D\tkept\nD\tremoved\n");
    assert_eq!(ground.status(), "?? kept\n");
    let back = reversed(&changed);
    ground.make(&back);
    repository.retract("0123", &back, &commission).unwrap().unwrap();
    assert_eq!((ground.status(), ground.git(&["ls-files", "-s"])), was);
}

#[test]
fn regression_an_intent_to_add_comes_back_as_one() {
    for git_before in [GitBefore::Touched, GitBefore::All] {
        let Some(ground) = Ground::new() else { return };
        for name in ["planned", "other"] {
            ground.write(name, "mine\n");
            ground.git(&["add", "-N", name]);
        }
        let look = || (ground.status(), ground.git(&["diff"]), ground.git(&["diff", "--cached"]));
        let was = look();
        let mut repository = ground.open();
        let changed = [ground.change("planned", Some("its\n"))];
        let commission = Commission { before: git_before, ..commission(GitMode::Branch) };
        ground.operate(&mut repository, &changed, &commission);
        let back = reversed(&changed);
        ground.make(&back);
        repository.retract("0123", &back, &commission).unwrap().unwrap();
        assert_eq!(look(), was, "{git_before:?}");
        ground.assert_sound();
    }
}

#[test]
fn regression_a_branch_that_a_command_left_for_its_own_continuation_is_as_it_was() {
    let Some(ground) = Ground::new() else { return };
    let first = ground.git(&["rev-parse", "HEAD"]);
    ground.write("a", "mine\n");
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("its\n"))];
    let commission = commission(GitMode::Branch);
    let mut before = begin(&mut repository, &changed, &commission).unwrap();
    ground.make(&changed);
    ground.git(&["switch", "-q", "-c", "topic"]);
    repository.see_head(&mut before, commission.now).unwrap();
    repository.after(&changed, &before, &commission).unwrap().unwrap();
    assert_eq!(ground.git(&["rev-parse", "main"]), first);
    assert_eq!(ground.git(&["log", "--format=%s"]), "AI: change it\nclada: before 0123\nfirst\n");
    assert_eq!(ground.status(), "");
    ground.assert_sound();
}

#[test]
fn a_branch_that_a_command_left_for_another_line_keeps_what_was_dirty() {
    let Some(ground) = Ground::new() else { return };
    ground.git(&["branch", "other"]);
    ground.write("a", "mine\n");
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("its\n"))];
    let commission = commission(GitMode::Branch);
    let mut before = begin(&mut repository, &changed, &commission).unwrap();
    ground.git(&["switch", "-q", "other"]);
    repository.see_head(&mut before, commission.now).unwrap();
    assert_eq!(ground.git(&["show", "main:a"]), "mine\n");
}
