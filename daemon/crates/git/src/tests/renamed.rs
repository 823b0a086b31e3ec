//! Finding the place to which a recent commit has moved a file.

use super::*;

#[test]
fn a_rename_is_found_in_the_last_commits() {
    let Some(ground) = Ground::new() else { return };
    let repository = || GitRepository::open(&ground.folder, None).unwrap().unwrap();
    let renamed = |root: &Path, path: &str| repository().renamed(root, Path::new(path)).unwrap();
    let root = ground.folder.as_path();
    assert_eq!(renamed(root, "a"), None, "it is there");
    let text: String = (0..40).map(|line| format!("line {line}\n")).collect();
    ground.write("src/x.rs", &text);
    ground.write("src/gone.rs", "nothing like the others\n");
    ground.git(&["add", "."]);
    ground.git(&["commit", "-qm", "second"]);
    ground.git(&["mv", "src/x.rs", "src/y.rs"]);
    ground.git(&["rm", "-q", "src/gone.rs"]);
    ground.write("src/y.rs", text.replace("line 7\n", "another\n"));
    ground.git(&["commit", "-qam", "third"]);
    let commit = ground.git(&["rev-parse", "HEAD"])[..7].to_owned();
    ground.write("a", "two\n");
    ground.git(&["commit", "-qam", "fourth"]);
    let to = |to: &str| Some(Renamed { to: to.into(), commit: commit.clone() });
    assert_eq!(renamed(root, "src/x.rs"), to("src/y.rs"));
    assert_eq!(renamed(&root.join("src"), "x.rs"), to("y.rs"));
    assert_eq!((renamed(root, "src/gone.rs"), renamed(root, "never")), (None, None));
    for commit in 0..20 {
        ground.write("a", commit.to_string());
        ground.git(&["commit", "-qam", "more"]);
    }
    assert_eq!(renamed(root, "src/x.rs"), None, "too long ago");
}

#[test]
fn a_repository_without_commits_has_no_renames() {
    let Some(ground) = Ground::empty() else { return };
    let repository = GitRepository::open(&ground.folder, None).unwrap().unwrap();
    assert_eq!(repository.renamed(&ground.folder, Path::new("a")).unwrap(), None);
}
