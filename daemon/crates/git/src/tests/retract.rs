//! Undoing an operation's commits.

use super::*;

fn retract(ground: &Ground, repository: &mut GitRepository, changed: &[Changed]) -> Option<Retracted> {
    let undone = reversed(changed);
    ground.make(&undone);
    repository.check().unwrap();
    let own = Commission { operation: "0124".to_owned(), ..commission(GitMode::Branch) };
    let retracted = repository.retract("0123", &undone, &own).unwrap();
    ground.assert_sound();
    retracted
}

fn look(ground: &Ground) -> Vec<String> {
    ["status --porcelain", "diff", "diff --cached", "ls-files -s", "show-ref --heads"]
        .iter()
        .map(|command| ground.run(&command.split(' ').collect::<Vec<_>>()).unwrap().stdout)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

#[test]
fn both_commits_go_and_all_is_as_it_was() {
    let Some(ground) = Ground::new() else { return };
    for name in ["b", "c", "d", "e"] {
        ground.write(name, format!("{name}\n"));
    }
    ground.git(&["add", "b", "c", "d"]);
    ground.git(&["commit", "-qm", "second"]);
    ground.write("a", "staged\n");
    ground.git(&["add", "a"]);
    ground.write("a", "work\n");
    ground.write("b", "dirty\n");
    ground.git(&["rm", "-q", "--cached", "c"]);
    let was = look(&ground);
    let mut repository = ground.open();
    let changed: Vec<Changed> =
        ["a", "b", "c", "d", "e", "new"].iter().map(|name| ground.change(name, Some("done\n"))).collect();
    let (before, after) = ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    assert!(before.is_some());
    assert_ne!(look(&ground), was);
    let retracted = retract(&ground, &mut repository, &changed).unwrap();
    assert_eq!(look(&ground), was);
    assert_eq!(retracted.backup_ref, "refs/clada/undo/0123");
    assert_eq!(ground.git(&["rev-parse", "refs/clada/undo/0123"]).trim(), after.unwrap());
    assert!(ground.git(&["reflog", "-1"]).contains("reset (clada): undo 0123"));
    assert!(!ground.git_can(&["rev-parse", "-q", "--verify", "refs/clada/staged/0123"]));
}

#[test]
fn regression_what_was_dirty_before_is_dirty_afterwards() {
    let Some(ground) = Ground::new() else { return };
    ground.write("b", "b\n");
    ground.git(&["add", "b"]);
    ground.write("a", "one\nmine\n");
    let was = look(&ground);
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("done\n")), ground.change("b", Some("done\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    let undone = reversed(&changed);
    ground.make(&undone);
    // Simulates an index written in a later second than the files: git then trusts its entries.
    let earlier = SystemTime::now() - Duration::from_secs(100);
    for name in ["a", "b"] {
        let file = std::fs::File::options().write(true).open(ground.path(name)).unwrap();
        file.set_modified(earlier).unwrap();
    }
    repository.check().unwrap();
    let own = Commission { operation: "0124".to_owned(), ..commission(GitMode::Branch) };
    assert!(repository.retract("0123", &undone, &own).unwrap().is_some());
    assert_eq!(look(&ground), was);
}

#[test]
fn the_first_commit_of_all_goes_too() {
    let Some(ground) = Ground::empty() else { return };
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("1\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    let retracted = retract(&ground, &mut repository, &changed).unwrap();
    assert_eq!(retracted.to, None);
    assert_eq!(ground.status(), "");
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
    assert!(!ground.git_can(&["rev-parse", "-q", "--verify", "HEAD"]));
}

#[test]
fn only_what_is_on_top_ours_and_not_pushed() {
    let Some(ground) = Ground::new() else { return };
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("2\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    ground.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let head = ground.git(&["rev-parse", "HEAD"]);
    assert_eq!(retract(&ground, &mut repository, &changed), None);
    assert_eq!(ground.git(&["rev-parse", "HEAD"]), head);
    ground.git(&["update-ref", "refs/remotes/origin/main", "HEAD~"]);
    ground.make(&changed);
    ground.git(&["commit", "-q", "--allow-empty", "-m", "on top"]);
    assert_eq!(retract(&ground, &mut repository, &changed), None);
    ground.make(&changed);
    ground.git(&["reset", "-q", "--soft", "HEAD~"]);
    ground.git(&["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(retract(&ground, &mut repository, &changed), None, "amended by the user");
}

#[test]
fn what_was_staged_since_stays() {
    let Some(ground) = Ground::new() else { return };
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("2\n")), ground.change("b", Some("b\n"))];
    ground.operate(&mut repository, &changed, &commission(GitMode::Branch));
    ground.write("a", "3\n");
    ground.git(&["add", "a"]);
    ground.write("a", "2\n");
    retract(&ground, &mut repository, &changed).unwrap();
    assert_eq!(ground.git(&["show", ":a"]), "3\n");
    assert_eq!(ground.status(), "MM a\n");
}
