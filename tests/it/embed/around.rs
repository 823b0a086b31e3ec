//! The surroundings of a project: folders outside of it, the repository above it, and the rules there that
//! leave files out.

use std::os::unix::fs::symlink;
use std::path::Path;

use super::{document, omitted, paths, result};
use crate::support::{World, from_markdown};

fn put(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

#[test]
fn regression_links_in_a_folder_outside_stay_in_it() {
    for config in ["", "embed: {follow_symlinks: true}\n"] {
        let world = World::with_config(config);
        world.lay("inside.txt", "inside\n");
        let outside = world.path("outside");
        put(&outside.join("named/a/a.txt"), "a\n");
        put(&outside.join("other.txt"), "other\n");
        for (target, link) in [
            ("a/a.txt", "to-file"),
            ("a", "to-folder"),
            ("../other.txt", "out"),
            ("../../project", "in"),
            ("nowhere", "broken"),
        ] {
            symlink(target, outside.join("named").join(link)).unwrap();
        }
        let found = result(&world, &["../outside/named", "--errors", "ignore"]);
        let files = from_markdown(found["document"].as_str().unwrap_or_else(|| panic!("{found}")));
        let at = |name: &str| outside.join("named").join(name).to_str().unwrap().to_owned();
        // A link to a folder is followed only if the configuration asks for it, and one that leads out of the
        // named folder never.
        let mut expected = vec![at("a/a.txt"), at("to-file")];
        if !config.is_empty() {
            expected.push(at("to-folder/a.txt"));
        }
        assert_eq!(paths(&files), expected);
        for link in ["out", "in"] {
            let reason = omitted(&found, &at(link));
            assert_eq!(
                reason.as_deref(),
                Some("symbolic link that leads outside the folder that was named"),
                "{link}"
            );
        }
        let reason = omitted(&found, &at("broken"));
        assert_eq!(reason.as_deref(), Some("symbolic link that leads nowhere"), "{found}");
    }
}

#[test]
fn regression_what_the_repository_around_a_root_ignores_is_left_out() {
    let world = World::new();
    put(&world.path(".git/info/exclude"), "excluded.txt\n");
    put(&world.path(".gitignore"), "*.log\n/project/only.txt\n/d\n");
    for name in ["a.log", "excluded.txt", "only.txt", "d/d.txt", "keep/keep.log", "x/only.txt"] {
        world.lay(name, "x\n");
    }
    world.lay("keep/.gitignore", "!keep.log\n");
    let root = world.root();
    let files = from_markdown(&document(&world, &["--root", &root, "."]));
    assert_eq!(paths(&files), ["d/d.txt", "keep/keep.log", "x/only.txt"]);
    let files = from_markdown(&document(&world, &["--root", &root, "a.log"]));
    assert_eq!(paths(&files), ["a.log"], "what is named is taken");
}

#[test]
fn regression_a_worktree_leaves_out_what_its_repository_excludes() {
    let world = World::new();
    put(&world.path("outside/.git/info/exclude"), "excluded.txt\n");
    put(&world.path("outside/.git/worktrees/project/commondir"), "../..\n");
    let link = format!("gitdir: {}\n", world.path("outside/.git/worktrees/project").display());
    world.lay(".git", link);
    world.lay("excluded.txt", "x\n");
    world.lay("a.txt", "a\n");
    assert_eq!(paths(&from_markdown(&document(&world, &["."]))), ["a.txt"]);
}

#[test]
fn regression_a_repository_outside_leaves_out_what_it_excludes_and_no_more() {
    let world = World::new();
    put(&world.path(".gitignore"), "*\n");
    put(&world.path("outside/.git/info/exclude"), "excluded.txt\n");
    put(&world.path("outside/.gitignore"), "*.log\n");
    for name in ["src/excluded.txt", "src/a.log", "src/a.txt"] {
        put(&world.path("outside").join(name), "x\n");
    }
    let root = world.root();
    let files = from_markdown(&document(&world, &["--root", &root, "../outside/src"]));
    assert_eq!(paths(&files), [world.path("outside/src/a.txt").to_str().unwrap()]);
}

#[test]
fn regression_the_persons_configuration_of_git_may_be_a_link() {
    let world = World::new();
    put(&world.path("outside/gitconfig"), "[core]\n\texcludesFile = ~/ignored\n");
    put(&world.path("outside/ignored"), "*.mine\n");
    symlink(world.path("outside/gitconfig"), world.path("home/.gitconfig")).unwrap();
    symlink(world.path("outside/ignored"), world.path("home/ignored")).unwrap();
    world.lay("a.mine", "x\n");
    world.lay("a.txt", "a\n");
    assert_eq!(paths(&from_markdown(&document(&world, &["."]))), ["a.txt"]);
}

#[test]
fn regression_a_link_named_as_a_secret_is_one() {
    let world = World::new();
    world.lay("current", "very-secret-7788\n");
    symlink("current", world.project().join("server.pem")).unwrap();
    let found = result(&world, &[".", "--exclude", "current"]);
    assert_eq!(omitted(&found, "server.pem").as_deref(), Some("secret"), "{found}");
    assert!(!found.to_string().contains("very-secret-7788"), "{found}");
    let alone = world.run(&["embed", "server.pem"], "");
    assert_eq!((alone.code, alone.stdout.as_str()), (1, ""), "{alone:?}");
    assert!(alone.stderr.contains("'server.pem' is held back as a secret"), "{alone:?}");
    assert!(document(&world, &["server.pem", "--include-secrets"]).contains("very-secret-7788"));
}
