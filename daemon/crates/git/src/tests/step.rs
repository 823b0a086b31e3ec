//! Moving back and forth along the line of work.

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
    let now = SystemTime::now();
    for expected in ["two\n", "one\n"] {
        repository.step_back(now).unwrap();
        assert_eq!((a(&ground).as_str(), ground.status().as_str()), (expected, ""));
    }
    let first = repository.step_back(now).unwrap_err();
    assert!(first.to_string().contains("no commit before"), "{first}");
    assert_eq!(repository.step_forward(now).unwrap().branch, None);
    let end = repository.step_forward(now).unwrap();
    assert_eq!(end.branch.as_deref(), Some("refs/heads/main"));
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
    assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("three\n", ""));
    assert!(repository.step_forward(now).is_err());
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
    let now = SystemTime::now();
    let back = repository.step_back(now).unwrap();
    assert_eq!(back.stashed, ["a", "deep/untracked", "staged"]);
    assert_eq!((a(&ground).as_str(), ground.status().as_str()), ("two\n", ""));
    assert!(ground.path("x.log").exists(), "what is ignored stays");
    // Changes at the commit in the middle are kept for that commit.
    ground.write("a", "between\n");
    repository.step_back(now).unwrap();
    let forward = repository.step_forward(now).unwrap();
    assert!(forward.restored);
    assert_eq!(a(&ground), "between\n");
    ground.git(&["checkout", "-q", "a"]);
    assert!(repository.step_forward(now).unwrap().restored);
    assert_eq!((ground.status(), ground.git(&["diff"]), ground.git(&["diff", "--cached"])), was);
    assert_eq!(ground.git(&["stash", "list"]), "");
}

#[test]
fn what_conflicts_is_not_dropped() {
    let Some((ground, mut repository)) = line() else { return };
    let now = SystemTime::now();
    ground.write("new", "mine\n");
    repository.step_back(now).unwrap();
    // Another process writes the same file in the place where it is to be restored.
    ground.write(".git/info/exclude", "new\n");
    ground.write("new", "theirs\n");
    let forward = repository.step_forward(now).unwrap();
    assert_eq!((forward.restored, forward.conflicts), (false, vec!["new".to_owned()]));
    assert_eq!(std::fs::read_to_string(ground.path("new")).unwrap(), "theirs\n");
    assert_eq!(ground.git(&["show", "stash@{0}^3:new"]), "mine\n");
}

#[test]
fn what_a_filter_has_to_convert_is_refused() {
    let Some((ground, mut repository)) = line() else { return };
    ground.write(".git/info/attributes", "a filter=lfs\n");
    let refused = repository.step_back(SystemTime::now()).unwrap_err();
    assert!(refused.to_string().contains("filter"), "{refused}");
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
}

#[test]
fn steps_are_taken_back() {
    let Some((ground, mut repository)) = line() else { return };
    let now = SystemTime::now();
    ground.write("a", "dirty\n");
    let back = repository.step_back(now).unwrap();
    assert_eq!(back.line.as_deref(), Some("refs/heads/main"));
    let undone = repository.move_back(&back.moved, false, "undo", now).unwrap();
    assert_eq!((undone.restored, undone.branch.as_deref()), (true, Some("refs/heads/main")));
    assert_eq!(
        (a(&ground).as_str(), ground.git(&["symbolic-ref", "HEAD"]).trim()),
        ("dirty\n", "refs/heads/main")
    );
    // The undo is one more move, which is taken back the same way.
    let again = repository.move_back(&undone.moved, false, "redo", now).unwrap();
    assert_eq!((again.stashed, again.commit), (vec!["a".to_owned()], back.commit));
    let forward = repository.step_forward(now).unwrap();
    assert_eq!((a(&ground).as_str(), forward.line), ("dirty\n", None));
    repository.move_back(&forward.moved, false, "undo", now).unwrap();
    assert_eq!(a(&ground), "two\n");
    ground.assert_sound();
}

#[test]
fn a_step_is_not_taken_back_once_head_or_the_branch_has_moved() {
    let Some((ground, mut repository)) = line() else { return };
    let now = SystemTime::now();
    let back = repository.step_back(now).unwrap();
    ground.git(&["branch", "-qf", "main", "HEAD"]);
    let branch = repository.move_back(&back.moved, false, "undo", now).unwrap_err();
    assert!(branch.to_string().contains("refs/heads/main has moved since"), "{branch}");
    repository.step_back(now).unwrap();
    let head = repository.move_back(&back.moved, false, "undo", now).unwrap_err();
    assert!(head.to_string().starts_with("HEAD has moved since"), "{head}");
    assert_eq!(a(&ground), "one\n");
}
