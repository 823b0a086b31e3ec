//! Moving back and forth along the line of work.

use std::os::unix::fs::MetadataExt;

use super::*;

fn line() -> Option<(Ground, GitRepository)> {
    let ground = Ground::new()?;
    for text in ["two\n", "three\n"] {
        ground.write("a", text);
        ground.git(&["commit", "-qam", text.trim()]);
    }
    let repository = ground.open();
    Some((ground, repository))
}

fn a(ground: &Ground) -> String {
    std::fs::read_to_string(ground.path("a")).unwrap()
}

#[test]
fn back_and_forth_to_the_branch_again() {
    let Some((ground, mut repository)) = line() else { return };
    for expected in ["two\n", "one\n"] {
        step_back(&mut repository).unwrap();
        assert_eq!((a(&ground).as_str(), ground.status().as_str()), (expected, ""));
    }
    let first = step_back(&mut repository).unwrap_err();
    assert!(first.to_string().contains("no commit before"), "{first}");
    assert_eq!(step_forward(&mut repository).unwrap().branch, None);
    let end = step_forward(&mut repository).unwrap();
    assert_eq!(end.branch.as_deref(), Some("refs/heads/main"));
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
    assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("three\n", ""));
    assert!(step_forward(&mut repository).is_err());
    ground.assert_sound();
    repository.check().unwrap();
    ground.operate(&mut repository, &[ground.change("a", Some("4\n"))], &commission(GitMode::Branch));
    assert_eq!(ground.status(), "");
}

#[test]
fn what_is_not_committed_is_put_aside_and_given_back() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write("a", "dirty\n");
    ground.write("staged", "s\n");
    ground.git(&["add", "staged"]);
    ground.write("deep/untracked", "u\n");
    ground.write(".git/info/exclude", "*.log\n");
    ground.write("x.log", "ignored\n");
    let was = (ground.status(), ground.git(&["diff"]), ground.git(&["diff", "--cached"]));
    let back = step_back(&mut repository).unwrap();
    assert_eq!(back.stashed, ["a", "deep/untracked", "staged"]);
    assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("two\n", ""));
    assert!(ground.path("x.log").exists(), "what is ignored stays");
    // Changes at the commit in the middle are kept for that commit.
    ground.write("a", "between\n");
    step_back(&mut repository).unwrap();
    let forward = step_forward(&mut repository).unwrap();
    assert!(forward.restored);
    assert_eq!(a(&ground), "between\n");
    ground.git(&["checkout", "-q", "a"]);
    assert!(step_forward(&mut repository).unwrap().restored);
    assert_eq!((ground.status(), ground.git(&["diff"]), ground.git(&["diff", "--cached"])), was);
    assert_eq!(ground.git(&["stash", "list"]), "");
}

#[test]
fn regression_what_is_committed_in_a_folder_of_clada_s_comes_and_goes() {
    let Some((ground, mut repository)) = line() else { return };
    for name in [".clada/config.yaml", ".clada/sub/deep", "x/.clada/inner"] {
        ground.write(name, "git: {mode: branch}\n");
    }
    ground.git(&["add", "-f", "."]);
    ground.git(&["commit", "-qm", "settings"]);
    ground.write(".clada/config.yaml", "changed\n");
    step_back(&mut repository).unwrap();
    assert!(!ground.path(".clada/sub").exists() && !ground.path("x").exists());
    step_forward(&mut repository).unwrap();
    assert_eq!(ground.status(), " M .clada/config.yaml\n");
    assert_eq!(std::fs::read_to_string(ground.path(".clada/config.yaml")).unwrap(), "changed\n");
}

#[test]
fn what_conflicts_is_not_dropped() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write("new", "mine\n");
    step_back(&mut repository).unwrap();
    // Another process writes the same file in the place where it is to be restored.
    ground.write(".git/info/exclude", "new\n");
    ground.write("new", "theirs\n");
    repository.check().unwrap();
    let forward = step_forward(&mut repository).unwrap();
    assert_eq!((forward.restored, forward.conflicts), (false, vec!["new".to_owned()]));
    assert_eq!(std::fs::read_to_string(ground.path("new")).unwrap(), "theirs\n");
    assert_eq!(ground.git(&["show", "stash@{0}^3:new"]), "mine\n");
}

#[test]
fn what_a_filter_has_to_convert_is_refused() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write(".git/info/attributes", "a filter=lfs\n");
    let refused = step_back(&mut repository).unwrap_err();
    assert!(refused.to_string().contains("filter"), "{refused}");
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
}

#[test]
fn steps_are_taken_back() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write("a", "dirty\n");
    let back = step_back(&mut repository).unwrap();
    assert_eq!(repository.line_branch().unwrap().as_deref(), Some("refs/heads/main"));
    let undone = move_back(&mut repository, &back.moved, false).unwrap();
    assert_eq!((undone.restored, undone.branch.as_deref()), (true, Some("refs/heads/main")));
    assert_eq!(
        (a(&ground).as_str(), ground.git(&["symbolic-ref", "HEAD"]).trim()),
        ("dirty\n", "refs/heads/main")
    );
    // The undo is one more move, which is undone the same way.
    let again = move_back(&mut repository, &undone.moved, false).unwrap();
    assert_eq!((again.stashed, again.commit), (vec!["a".to_owned()], back.commit));
    let forward = step_forward(&mut repository).unwrap();
    assert_eq!((a(&ground).as_str(), forward.branch.as_deref()), ("dirty\n", Some("refs/heads/main")));
    move_back(&mut repository, &forward.moved, false).unwrap();
    assert_eq!(a(&ground), "two\n");
    ground.assert_sound();
}

#[test]
fn a_step_is_not_taken_back_once_head_or_the_branch_has_moved() {
    let Some((ground, mut repository)) = line() else { return };
    let back = step_back(&mut repository).unwrap();
    ground.git(&["branch", "-qf", "main", "HEAD"]);
    let branch = move_back(&mut repository, &back.moved, false).unwrap_err();
    assert!(branch.to_string().contains("refs/heads/main has moved since"), "{branch}");
    step_back(&mut repository).unwrap();
    let head = move_back(&mut repository, &back.moved, false).unwrap_err();
    assert!(head.to_string().starts_with("HEAD has moved since"), "{head}");
    assert_eq!(a(&ground), "one\n");
}

/// Puts a flag on a path, as `git update-index` or `git add` does.
fn flag(ground: &Ground, flag: &str, path: &str) {
    match flag {
        "--intent-to-add" => ground.git(&["add", "-N", path]),
        flag => ground.git(&["update-index", flag, path]),
    };
}

/// A line of three commits of `a`, in which `conf` is the same in all.
fn with_conf() -> Option<(Ground, GitRepository)> {
    let ground = Ground::new()?;
    ground.write("conf", "committed\n");
    ground.write("deep/conf", "committed\n");
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "conf"]);
    for text in ["two\n", "three\n"] {
        ground.write("a", text);
        ground.git(&["commit", "-qam", text.trim()]);
    }
    let repository = ground.open();
    Some((ground, repository))
}

fn read(ground: &Ground, name: &str) -> String {
    std::fs::read_to_string(ground.path(name)).unwrap()
}

#[test]
fn regression_a_step_keeps_files_that_git_was_told_to_look_away_from() {
    for (flag_name, path, version) in [
        ("--skip-worktree", "conf", "2"),
        ("--assume-unchanged", "conf", "2"),
        ("--skip-worktree", "deep/conf", "4"),
        ("--assume-unchanged", "deep/conf", "4"),
        ("--intent-to-add", "planned", "2"),
        ("--intent-to-add", "deep/planned", "4"),
    ] {
        for (is_dirty, is_other_dirty) in [(true, true), (true, false), (false, true)] {
            let told = format!("{flag_name} {path} v{version} {is_dirty} {is_other_dirty}");
            let Some((ground, mut repository)) = with_conf() else { return };
            ground.git(&["update-index", "--index-version", version]);
            // An entry that only announces a file needs one to announce.
            if is_dirty || flag_name == "--intent-to-add" {
                ground.write(path, "MINE\n");
            }
            flag(&ground, flag_name, path);
            if is_other_dirty {
                ground.write("a", "dirty\n");
                ground.write("untracked", "u\n");
            }
            let look = || (read(&ground, path), ground.git(&["ls-files", "-v", path]));
            let (was, status) = (look(), ground.status());
            type Step = fn(&mut GitRepository) -> Result<Stepped, GitError>;
            let steps: [(&str, Step); 4] = [
                ("back", step_back),
                ("back", step_back),
                ("forward", step_forward),
                ("forward", step_forward),
            ];
            for (way, step) in steps {
                let stepped = step(&mut repository).unwrap_or_else(|error| panic!("{told}: {error}"));
                assert!(!stepped.stashed.iter().any(|stashed| stashed == path), "{told}");
                assert_eq!(look(), was, "{told} {way}");
            }
            assert_eq!((look(), ground.status()), (was, status), "{told}");
            assert_eq!(ground.git(&["stash", "list"]), "");
            ground.assert_sound();
        }
    }
}

#[test]
fn regression_a_step_between_commits_that_differ_in_a_flagged_file_is_not_begun() {
    for (name, is_dirty) in [
        ("--skip-worktree", true),
        ("--skip-worktree", false),
        ("--assume-unchanged", true),
        ("--assume-unchanged", false),
        ("--intent-to-add", true),
    ] {
        let Some((ground, mut repository)) = line() else { return };
        // What is only to be added is tracked in the commit before.
        if name == "--intent-to-add" {
            ground.git(&["rm", "-q", "a"]);
            ground.git(&["commit", "-qm", "without"]);
            ground.write("a", "MINE\n");
        }
        flag(&ground, name, "a");
        if is_dirty {
            ground.write("a", "MINE\n");
        }
        ground.write("other", "dirty\n");
        let look = || {
            (a(&ground), ground.status(), ground.git(&["ls-files", "-v"]), ground.git(&["rev-parse", "HEAD"]))
        };
        let was = look();
        let refused = step_back(&mut repository).unwrap_err().to_string();
        assert!(refused.contains("'a': git ignores its changes"), "{name}: {refused}");
        assert_eq!((look(), ground.git(&["stash", "list"])), (was, String::new()), "{name}");
        ground.assert_sound();
    }
}

#[test]
fn regression_a_step_in_a_sparse_checkout_keeps_what_is_not_checked_out() {
    for (cone, differs) in [(true, false), (false, false), (true, true), (false, true)] {
        let Some(ground) = Ground::new() else { return };
        ground.write("d/z", "z\n");
        ground.write("in/x", "x\n");
        ground.git(&["add", "."]);
        ground.git(&["commit", "-qm", "d"]);
        ground.write(if differs { "d/z" } else { "a" }, "two\n");
        ground.git(&["commit", "-qam", "two"]);
        match cone {
            true => ground.git(&["sparse-checkout", "set", "--cone", "--no-sparse-index", "in"]),
            false => ground.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/d/"]),
        };
        assert!(!ground.path("d/z").exists());
        ground.write("in/x", "dirty\n");
        let was = (ground.status(), ground.git(&["ls-files", "-t"]));
        let mut repository = ground.open();
        let stepped = step_back(&mut repository);
        assert_eq!(stepped.is_err(), differs, "{cone} {differs}");
        if !differs {
            step_forward(&mut repository).unwrap();
        }
        assert!(!ground.path("d/z").exists(), "{cone} {differs}");
        assert_eq!((ground.status(), ground.git(&["ls-files", "-t"])), was, "{cone} {differs}");
        ground.assert_sound();
    }
}

#[test]
fn regression_a_step_leaves_nested_repositories_and_ignored_files_alone() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write(".git/info/exclude", "*.log\n");
    ground.git(&["init", "-q", "nested"]);
    ground.write("nested/x", "mine\n");
    ground.write("x.log", "ignored\n");
    let status = ground.status();
    step_back(&mut repository).unwrap();
    assert_eq!(
        (read(&ground, "nested/x").as_str(), read(&ground, "x.log").as_str()),
        ("mine\n", "ignored\n")
    );
    step_forward(&mut repository).unwrap();
    assert_eq!(ground.status(), status);
    // What stands where the other commit has a file is named, and nothing is begun.
    for (name, place, inside) in
        [("an ignored file", "b.log", None), ("a folder", "b.log", Some("b.log/y.log"))]
    {
        let Some((ground, mut repository)) = line() else { return };
        ground.write("b.log", "committed\n");
        ground.git(&["add", "-f", "b.log"]);
        ground.git(&["commit", "-qm", "b"]);
        ground.git(&["rm", "-q", "b.log"]);
        ground.git(&["commit", "-qm", "without"]);
        ground.write(".git/info/exclude", "*.log\n");
        ground.write(inside.unwrap_or(place), "mine\n");
        let refused = step_back(&mut repository).unwrap_err().to_string();
        assert!(refused.contains("in the way"), "{name}: {refused}");
        assert_eq!(read(&ground, inside.unwrap_or(place)), "mine\n", "{name}");
        ground.assert_sound();
    }
}

/// A submodule is another repository: a step moves what the index says of it, as `git checkout` does, and leaves its
/// files, its commit and what is not committed in it alone.
#[test]
fn regression_a_step_moves_the_entry_of_a_submodule_and_none_of_its_files() {
    let Some((ground, mut repository)) = line() else { return };
    let inner = |args: &[&str]| ground.git(&[&["-C", "sub"], args].concat());
    ground.git(&["init", "-q", "sub"]);
    for text in ["one\n", "two\n"] {
        ground.write("sub/x", text);
        inner(&["add", "."]);
        inner(&["commit", "-qm", text.trim()]);
        ground.git(&["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
        ground.git(&["commit", "-qm", &format!("sub {text}")]);
    }
    let states = [
        ("clean", "sub/x", "two\n"),
        ("a changed file in it", "sub/x", "mine\n"),
        ("a new file in it", "sub/new", "mine\n"),
        ("a changed file beside it", "a", "mine\n"),
    ];
    for (name, path, text) in states {
        ground.write(path, text);
        let entry = || ground.git(&["ls-files", "-s", "sub"]);
        let files =
            || (read(&ground, "sub/x"), inner(&["rev-parse", "HEAD"]), inner(&["status", "--porcelain"]));
        let (status, staged, inside) = (ground.status(), entry(), files());
        let committed = |at: &str| ground.git(&["ls-tree", at, "sub"]);
        // To the commit that has another one of it, and to the one that has none.
        step_back(&mut repository).unwrap();
        let id = committed("HEAD").split_whitespace().nth(2).unwrap().to_owned();
        assert!(entry().contains(&id) && entry() != staged, "{name}: {}", entry());
        assert_eq!(files(), inside, "{name}");
        step_back(&mut repository).unwrap();
        assert_eq!((entry(), committed("HEAD")), (String::new(), String::new()), "{name}");
        assert_eq!(files(), inside, "{name}");
        for _ in 0..2 {
            step_forward(&mut repository).unwrap();
        }
        assert_eq!((ground.status(), entry(), files()), (status, staged, inside), "{name}");
        assert_eq!(ground.git(&["stash", "list"]), "", "{name}");
        ground.assert_sound();
    }
    // Commits of it that nobody committed here, and one that is staged.
    inner(&["checkout", "-q", "HEAD~1", "--force"]);
    for stages in [false, true] {
        if stages {
            ground.git(&["add", "sub"]);
        }
        let (status, head) = (ground.status(), inner(&["rev-parse", "HEAD"]));
        step_back(&mut repository).unwrap();
        step_forward(&mut repository).unwrap();
        assert_eq!((ground.status(), inner(&["rev-parse", "HEAD"])), (status, head), "staged: {stages}");
        ground.assert_sound();
    }
}

/// Files and folders of another user, which only root can make again as they are.
#[test]
fn regression_a_step_gives_files_back_to_their_owners() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let Some((ground, mut repository)) = line() else { return };
    for path in ["committed", "theirs/f", "shared/f"] {
        ground.write(path, "x\n");
    }
    // A new entry gets the group of such a folder.
    std::os::unix::fs::chown(ground.path("shared"), None, Some(1002)).unwrap();
    chmod(&ground, "shared", 0o2755);
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "files"]);
    for path in ["a", "untracked"] {
        ground.write(path, "dirty\n");
    }
    std::os::unix::fs::symlink("a", ground.path("link")).unwrap();
    let owners = [
        ("committed", 1000, 1001),
        ("theirs/f", 1000, 1000),
        ("theirs", 1000, 1000),
        ("shared/f", 0, 1002),
        ("a", 1000, 0),
        ("untracked", 1000, 1001),
    ];
    for (path, user, group) in owners {
        std::os::unix::fs::chown(ground.path(path), Some(user), Some(group)).unwrap();
    }
    chmod(&ground, "untracked", 0o640);
    let status = ground.status();
    for round in 0..2 {
        step_back(&mut repository).unwrap();
        assert_eq!(ground.status(), "", "{round}");
        assert!(!ground.path("committed").exists() && !ground.path("theirs/f").exists(), "{round}");
        step_forward(&mut repository).unwrap();
        for (path, user, group) in owners {
            let found = ground.path(path).symlink_metadata().unwrap();
            assert_eq!((found.uid(), found.gid()), (user, group), "{round}: {path}");
        }
        assert_eq!((ground.status(), mode(&ground, "untracked")), (status.clone(), 0o640), "{round}");
        assert_eq!(ground.git(&["stash", "list"]), "", "{round}");
    }
    ground.assert_sound();
}

fn mode(ground: &Ground, name: &str) -> u32 {
    ground.path(name).symlink_metadata().unwrap().permissions().mode() & 0o7777
}

fn chmod(ground: &Ground, name: &str, mode: u32) {
    std::fs::set_permissions(ground.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn regression_a_step_gives_files_back_with_their_modes_attributes_and_folders() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write("private", "secret\n");
    ground.write("closed/f", "x\n");
    ground.write("closed/deep/g", "x\n");
    ground.write("run", "#!/bin/sh\n");
    ground.write("staged", "s\n");
    ground.git(&["add", "staged"]);
    ground.write("a", "dirty\n");
    std::fs::create_dir_all(ground.path("empty/inner")).unwrap();
    std::os::unix::fs::symlink("private", ground.path("link")).unwrap();
    let modes = [
        ("private", 0o600),
        ("closed", 0o700),
        ("closed/deep", 0o711),
        ("run", 0o750),
        ("staged", 0o640),
        ("a", 0o600),
        ("empty/inner", 0o700),
    ];
    for (name, mode) in modes {
        chmod(&ground, name, mode);
    }
    let name = "user.clada.test";
    let flags = rustix::fs::XattrFlags::empty();
    // Not every file system has extended attributes.
    let has_xattrs = rustix::fs::setxattr(ground.path("private"), name, b"v", flags).is_ok();
    let was = (ground.status(), ground.git(&["diff"]), ground.git(&["diff", "--cached"]));
    for _ in 0..2 {
        step_back(&mut repository).unwrap();
        assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("two\n", ""));
        assert_eq!(mode(&ground, "a"), 0o600, "what is private stays so");
        assert_eq!(mode(&ground, "closed"), 0o700);
        assert!(step_forward(&mut repository).unwrap().restored);
        for (name, expected) in modes {
            assert_eq!(mode(&ground, name), expected, "{name}");
        }
        assert_eq!(std::fs::read_link(ground.path("link")).unwrap(), Path::new("private"));
        if has_xattrs {
            let mut value = [0; 8];
            let length = rustix::fs::getxattr(ground.path("private"), name, &mut value[..]).unwrap();
            assert_eq!(&value[..length], b"v");
        }
    }
    assert_eq!((ground.status(), ground.git(&["diff"]), ground.git(&["diff", "--cached"])), was);
    ground.assert_sound();
}

#[test]
fn regression_a_step_keeps_the_mode_of_a_committed_file_that_goes_and_comes() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write("new/secret", "s\n");
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "secret"]);
    chmod(&ground, "new/secret", 0o600);
    chmod(&ground, "new", 0o700);
    let back = step_back(&mut repository).unwrap();
    assert_eq!(back.stashed, Vec::<String>::new());
    assert!(!ground.path("new/secret").exists());
    step_forward(&mut repository).unwrap();
    assert_eq!((mode(&ground, "new/secret"), mode(&ground, "new")), (0o600, 0o700));
    assert_eq!((ground.status(), ground.git(&["stash", "list"])), (String::new(), String::new()));
}

#[test]
fn regression_what_a_step_cannot_keep_is_named_before_it_begins() {
    for name in ["a", "untracked"] {
        let Some((ground, mut repository)) = line() else { return };
        ground.write(name, "dirty\n");
        std::fs::hard_link(ground.path(name), ground.path(".git/second")).unwrap();
        let was = ground.status();
        let refused = step_back(&mut repository).unwrap_err().to_string();
        assert!(refused.contains(&format!("'{name}' cannot be put aside")), "{refused}");
        assert!(refused.contains("hard link"), "{refused}");
        assert_eq!((ground.status(), ground.git(&["stash", "list"])), (was, String::new()));
    }
}

#[test]
fn regression_a_step_writes_line_ends_as_git_does_and_gives_them_back_as_they_were() {
    let Some(ground) = Ground::new() else { return };
    ground.git(&["config", "core.autocrlf", "true"]);
    for text in ["two\r\n", "three\r\n"] {
        ground.write("a", text);
        ground.git(&["commit", "-qam", text.trim()]);
    }
    let mut repository = ground.open();
    ground.write("a", "mixed\r\nends\n");
    step_back(&mut repository).unwrap();
    assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("two\r\n", ""));
    step_back(&mut repository).unwrap();
    step_forward(&mut repository).unwrap();
    step_forward(&mut repository).unwrap();
    assert_eq!(a(&ground), "mixed\r\nends\n");
    ground.assert_sound();
}

#[test]
fn files_and_folders_take_each_others_place_in_a_step() {
    let Some((ground, mut repository)) = line() else { return };
    ground.git(&["rm", "-q", "a"]);
    ground.write("a/inner/x", "x\n");
    std::os::unix::fs::symlink("a", ground.path("l")).unwrap();
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "folder"]);
    ground.remove("l");
    ground.write("l", "file\n");
    ground.git(&["commit", "-qam", "no link"]);
    for _ in 0..2 {
        step_back(&mut repository).unwrap();
        assert_eq!(std::fs::read_link(ground.path("l")).unwrap(), Path::new("a"));
        step_back(&mut repository).unwrap();
        assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("three\n", ""));
        step_forward(&mut repository).unwrap();
        step_forward(&mut repository).unwrap();
        assert_eq!((read(&ground, "a/inner/x").as_str(), ground.status().as_str()), ("x\n", ""));
        assert_eq!(read(&ground, "l"), "file\n");
    }
    ground.assert_sound();
}

/// Everything that a step changes, as a user sees it.
fn seen(ground: &Ground) -> Vec<String> {
    let ask = |arguments: &[&str]| ground.git(arguments);
    let head = std::fs::read_to_string(ground.path(".git/HEAD")).unwrap();
    let modes = ["a", "private/untracked", "private", "link"].map(|name| {
        let metadata = ground.path(name).symlink_metadata();
        metadata.map(|metadata| format!("{name} {:o}", metadata.permissions().mode())).unwrap_or_default()
    });
    vec![
        head,
        ask(&["status", "--porcelain", "--untracked-files=all"]),
        ask(&["ls-files", "-s", "-v"]),
        ask(&["diff"]),
        ask(&["stash", "list", "--format=%gs"]),
        modes.join("\n"),
    ]
}

#[test]
fn regression_a_step_that_fails_or_is_cut_off_at_any_change_of_a_file_is_reverted_or_finished() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    // A few of the calls, unless all are asked for.
    let stride = if std::env::var_os("CLADA_ALL").is_some() { 1 } else { 9 };
    // One call fails, or all from that one on, as if the process were gone.
    for is_cut_off in [false, true] {
        for number in (0_usize..).step_by(stride) {
            let Some((ground, mut repository)) = line() else { return };
            ground.write("a", "dirty\n");
            chmod(&ground, "a", 0o640);
            ground.write("private/untracked", "secret\n");
            chmod(&ground, "private/untracked", 0o600);
            chmod(&ground, "private", 0o700);
            std::os::unix::fs::symlink("a", ground.path("link")).unwrap();
            ground.write("staged", "s\n");
            ground.git(&["add", "staged"]);
            let before = seen(&ground);
            let calls = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&calls);
            let faults = clada_fs::Faults::injected(move |_| {
                let call = counted.fetch_add(1, Ordering::Relaxed);
                let fails = call == number || (is_cut_off && call > number);
                fails.then_some(rustix::io::Errno::IO)
            });
            let mut failing = move_options();
            failing.files.faults = faults;
            let plan = repository.plan_step_back(&move_options()).unwrap();
            let told = format!("call {number}, cut off: {is_cut_off}");
            match repository.make_move(&plan, &failing) {
                Ok(left) => assert_eq!(left, Vec::<PathBuf>::new(), "{told}"),
                Err(failed) => {
                    if !failed.is_reverted {
                        let outcome = repository.settle_move(&plan, &move_options()).unwrap();
                        assert_eq!(outcome, MoveOutcome::Reverted(Vec::new()), "{told}");
                    }
                    assert_eq!(seen(&ground), before, "{told}");
                    repository.make_move(&plan, &move_options()).unwrap();
                }
            }
            assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("two\n", ""), "{told}");
            step_forward(&mut repository).unwrap();
            assert_eq!(seen(&ground), before, "{told}");
            ground.assert_sound();
            if calls.load(Ordering::Relaxed) <= number {
                assert!(number > 5, "{number} calls");
                break;
            }
        }
    }
}

#[test]
fn regression_a_move_that_was_cut_off_leaves_no_folder_that_it_made_or_emptied() {
    for name in ["new/x", "new/deep/x", "new/a/x"] {
        let Some((ground, mut repository)) = line() else { return };
        ground.write(name, "x\n");
        ground.git(&["add", "."]);
        ground.git(&["commit", "-qm", "new"]);
        step_back(&mut repository).unwrap();
        assert!(!ground.path("new").exists(), "{name}");
        let folder = ground.path(name).parent().unwrap().to_owned();
        // Killed between the folder and its file.
        let plan = repository.plan_step_forward(&move_options()).unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        let reverted = repository.settle_move(&plan, &move_options()).unwrap();
        assert_eq!(reverted, MoveOutcome::Reverted(Vec::new()), "{name}");
        assert!(!ground.path("new").exists(), "{name}");
        // Killed between the last file and its folder; another program's file stays.
        for foreign in [None, Some("new/mine")] {
            step_forward(&mut repository).unwrap();
            let plan = repository.plan_step_back(&move_options()).unwrap();
            repository.make_move(&plan, &move_options()).unwrap();
            std::fs::create_dir_all(&folder).unwrap();
            foreign.iter().for_each(|foreign| ground.write(foreign, "mine\n"));
            let made = repository.settle_move(&plan, &move_options()).unwrap();
            assert_eq!(made, MoveOutcome::Complete(Vec::new()), "{name}");
            assert_eq!(ground.path("new").exists(), foreign.is_some(), "{name}");
        }
    }
}

#[test]
fn regression_a_move_that_was_cut_off_removes_its_own_locks_and_no_other() {
    for (name, text, is_own) in [
        ("HEAD.lock", "", true),
        ("HEAD.lock", "TARGET\n", true),
        ("HEAD.lock", "ref: refs/heads/other\n", false),
        ("refs/stash.lock", "", false),
        ("refs/heads/main.lock", "TARGET\n", false),
    ] {
        let Some((ground, mut repository)) = line() else { return };
        let plan = repository.plan_step_back(&move_options()).unwrap();
        let to = plan.moved.to.commit.clone();
        // As a process leaves it that is killed while libgit2 moves HEAD.
        ground.write(".git/clada.lock", format!("{to} HEAD\n"));
        std::fs::hard_link(ground.path(".git/clada.lock"), ground.path(".git/index.lock")).unwrap();
        let lock = format!(".git/{name}");
        ground.write(&lock, text.replace("TARGET", &to));
        let settled = repository.settle_move(&plan, &move_options()).unwrap();
        assert_eq!(settled, MoveOutcome::Reverted(Vec::new()), "{name} {text}");
        assert_eq!(ground.path(&lock).exists(), !is_own, "{name} {text}");
        assert!(!ground.path(".git/index.lock").exists(), "{name} {text}");
    }
}
