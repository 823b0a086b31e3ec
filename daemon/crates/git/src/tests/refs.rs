//! Commits alongside the branch.

use super::*;

#[test]
fn nothing_of_the_branch_or_the_index_moves() {
    let Some(ground) = Ground::new() else { return };
    ground.write("a", "mine\n");
    let index = std::fs::read(ground.path(".git/index")).unwrap();
    let head = ground.git(&["rev-parse", "HEAD"]);
    let mut repository = ground.open();
    let changed = [ground.change("a", Some("its\n")), ground.change("new", Some("n\n"))];
    let (before, after) = ground.operate(&mut repository, &changed, &commission(GitMode::Refs));
    assert_eq!(ground.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(std::fs::read(ground.path(".git/index")).unwrap(), index);
    assert_eq!(ground.git(&["rev-parse", "refs/clada/main"]).trim(), after.unwrap());
    assert_eq!(ground.git(&["show", &format!("{}:a", before.unwrap())]), "mine\n");
    assert_eq!(ground.git(&["ls-tree", "-r", "--name-only", "refs/clada/main"]), "a\nnew\n");
    // The next one is on top, and the files of the last one are not dirty.
    let again = [ground.change("a", Some("more\n"))];
    let (before, after) = ground.operate(&mut repository, &again, &commission(GitMode::Refs));
    assert_eq!(before, None);
    assert_eq!(ground.git(&["show", "--format=", "--name-only", &after.unwrap()]), "a\n");
}

#[test]
fn when_head_has_moved_it_goes_on_from_there_and_keeps_what_was() {
    let Some(ground) = Ground::new() else { return };
    let mut repository = ground.open();
    let (_, first) =
        ground.operate(&mut repository, &[ground.change("a", Some("2\n"))], &commission(GitMode::Refs));
    ground.git(&["commit", "-qam", "second"]);
    let (_, second) =
        ground.operate(&mut repository, &[ground.change("a", Some("3\n"))], &commission(GitMode::Refs));
    let parents = ground.git(&["show", "-s", "--format=%P", &second.unwrap()]);
    assert_eq!(parents.trim(), format!("{} {}", ground.git(&["rev-parse", "HEAD"]).trim(), first.unwrap()));
}

#[test]
fn unborn_and_detached() {
    let Some(ground) = Ground::empty() else { return };
    let mut repository = ground.open();
    ground.operate(&mut repository, &[ground.change("a", Some("1\n"))], &commission(GitMode::Refs));
    assert!(ground.git_can(&["rev-parse", "-q", "--verify", "refs/clada/main"]));
    assert!(!ground.git_can(&["rev-parse", "-q", "--verify", "HEAD"]));
    ground.git(&["add", "a"]);
    ground.git(&["commit", "-qm", "first"]);
    ground.git(&["checkout", "-q", "--detach"]);
    ground.operate(&mut repository, &[ground.change("a", Some("2\n"))], &commission(GitMode::Refs));
    assert!(ground.git_can(&["rev-parse", "-q", "--verify", "refs/clada/HEAD"]));
}
