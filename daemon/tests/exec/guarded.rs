//! What git executes or is led by: kept as it is where a sandbox can, and noticed where none can.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};

use clada_exec::{Access, CommandSpec, Enclosure, Ended, Network, Sandbox};

use crate::place::Place;

/// Sandboxes that work here, and none.
#[allow(clippy::print_stdout)] // Of the others it is said why they are not tried.
fn sandboxes(place: &Place) -> Vec<Sandbox> {
    let works = |sandbox: &Sandbox| match place.runner.trial(*sandbox) {
        _ if *sandbox == Sandbox::None => true,
        Ok(()) => true,
        Err(reason) => {
            println!("{} does not work here: {reason}", sandbox.name());
            false
        }
    };
    [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap].into_iter().filter(works).collect()
}

/// A project with a repository, a nested one, and one that git ignores.
fn lay(place: &Place) {
    let root = place.path("root");
    let _ = std::fs::remove_dir_all(&root);
    for git in [".git", "sub/.git", "ignored/.git"] {
        for folder in ["hooks", "info", "objects/info", "worktrees/w", "modules/a/b/hooks"] {
            std::fs::create_dir_all(root.join(git).join(folder)).unwrap();
        }
        for (name, text) in [
            ("HEAD", "ref: refs/heads/main\n"),
            ("config", "[include]\n\tpath = ../team.config\n[core]\n\thooksPath = tools/hooks\n"),
            ("hooks/pre-commit", "true\n"),
            ("hooks/pre-commit.sample", "true\n"),
            ("info/attributes", "\n"),
            ("worktrees/w/gitdir", "/nowhere/.git\n"),
            ("worktrees/w/commondir", "../..\n"),
            ("modules/a/b/HEAD", "ref: refs/heads/main\n"),
            ("modules/a/b/config", "[core]\n"),
        ] {
            std::fs::write(root.join(git).join(name), text).unwrap();
        }
        let tree = root.join(git).parent().unwrap().join("tools/hooks");
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::write(tree.join("pre-push"), "true\n").unwrap();
        std::fs::write(root.join(git).parent().unwrap().join("team.config"), "[user]\n").unwrap();
    }
}

fn spec(place: &Place, script: &str) -> CommandSpec {
    let mut spec = place.script(script);
    let enclosure = place.enclosure(Access::Change, Network::Off);
    let found = [Path::new(""), Path::new("sub")];
    spec.enclosure =
        Some(enclosure.with_repositories(&place.path("root"), found.into_iter(), std::iter::empty()));
    spec
}

/// What a script does to what git goes by, and the path that is told of it; within a repository.
const CHANGES: &[(&str, &str)] = &[
    ("echo x >> .git/config", ".git/config"),
    ("echo x > .git/config.worktree", ".git/config.worktree"),
    ("echo /x > .git/commondir", ".git/commondir"),
    ("echo /x > .git/gitdir", ".git/gitdir"),
    ("echo x > .git/hooks/post-checkout", ".git/hooks/post-checkout"),
    ("echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit"),
    ("chmod 700 .git/hooks/pre-commit", ".git/hooks/pre-commit"),
    ("rm .git/hooks/pre-commit", ".git/hooks/pre-commit"),
    ("ln -sf /bin/true .git/hooks/pre-commit", ".git/hooks/pre-commit"),
    ("echo '* filter=x' > .git/info/attributes", ".git/info/attributes"),
    ("echo x > .git/info/sparse-checkout", ".git/info/sparse-checkout"),
    ("echo /x > .git/objects/info/alternates", ".git/objects/info/alternates"),
    ("echo x > .git/worktrees/w/config.worktree", ".git/worktrees/w/config.worktree"),
    ("echo /x > .git/worktrees/w/gitdir", ".git/worktrees/w/gitdir"),
    ("echo /x > .git/worktrees/w/commondir", ".git/worktrees/w/commondir"),
    ("mkdir .git/worktrees/v && echo /x > .git/worktrees/v/commondir", ".git/worktrees/v/commondir"),
    ("echo x >> .git/modules/a/b/config", ".git/modules/a/b/config"),
    ("echo x > .git/modules/a/b/hooks/pre-push", ".git/modules/a/b/hooks/pre-push"),
    ("mkdir -p .clada && echo x > .clada/config.yaml", ".clada/config.yaml"),
];

#[test]
fn regression_what_git_executes_or_is_led_by_is_kept_or_told() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        for repository in ["", "sub"] {
            for (script, told) in CHANGES {
                lay(&place);
                let root = place.path("root").join(repository);
                let before = std::fs::read(root.join(told)).ok();
                let spec = spec(&place, &format!("cd ./{repository} && {script}"));
                let outcome = place.run_in(&spec, sandbox).unwrap();
                let what = format!("{script} in '{repository}' under {sandbox:?}");
                if sandbox == Sandbox::Bubblewrap {
                    assert_ne!(outcome.ended, Ended::Exited(0), "{what}");
                    assert_eq!(std::fs::read(root.join(told)).ok(), before, "{what}");
                    assert!(outcome.touched.paths.is_empty(), "{what}: {:?}", outcome.touched);
                } else {
                    assert_eq!(outcome.ended, Ended::Exited(0), "{what}");
                    assert_eq!(outcome.touched.paths, [root.join(told)], "{what}");
                }
            }
        }
    }
}

/// No sandbox keeps what lies in the tree itself, and a `.git` that is replaced is another one.
#[test]
fn regression_what_the_tree_has_git_run_is_told_in_every_sandbox() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        for (script, told) in [
            ("echo x > team.config", "team.config"),
            ("echo x > tools/hooks/pre-push", "tools/hooks/pre-push"),
            ("echo x > sub/team.config", "sub/team.config"),
        ] {
            lay(&place);
            let touched = place.run_in(&spec(&place, script), sandbox).unwrap().touched;
            assert_eq!(touched.paths, [place.path("root").join(told)], "{script} under {sandbox:?}");
        }
        if sandbox == Sandbox::Bubblewrap {
            continue;
        }
        for script in ["rm -r .git; echo gitdir: /x > .git", "rm -r .git; ln -s sub/.git .git"] {
            lay(&place);
            let touched = place.run_in(&spec(&place, script), sandbox).unwrap().touched;
            assert!(
                touched.paths.iter().any(|path| path.ends_with("root/.git/config")),
                "{script}: {touched:?}"
            );
        }
    }
}

#[test]
fn what_was_only_touched_is_not_told_and_what_git_ignores_stays_writable() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        lay(&place);
        let script = "cat team.config > t && cat t > team.config && touch team.config tools/hooks/pre-push && \
                      echo x > ignored/.git/hooks/post-checkout";
        let outcome = place.run_in(&spec(&place, script), sandbox).unwrap();
        assert_eq!(outcome.ended, Ended::Exited(0), "{sandbox:?}: {outcome:?}");
        assert_eq!(outcome.touched.paths, Vec::<PathBuf>::new(), "{sandbox:?}");
        if sandbox != Sandbox::Bubblewrap {
            let script = "touch .git/config; chmod 644 .git/hooks/pre-commit; echo x > .git/index";
            let outcome = place.run_in(&spec(&place, script), sandbox).unwrap();
            assert_eq!(outcome.touched.paths, Vec::<PathBuf>::new(), "{sandbox:?}");
        }
    }
}

/// A `.git` that is a file, or a link, names a repository that may lie in the root.
#[test]
fn regression_a_repository_that_a_git_file_names_is_kept_too() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        for link in [false, true] {
            lay(&place);
            let root = place.path("root");
            std::fs::rename(root.join("sub/.git"), root.join("real")).unwrap();
            match link {
                true => std::os::unix::fs::symlink("../real", root.join("sub/.git")).unwrap(),
                false => std::fs::write(root.join("sub/.git"), "gitdir: ../real\n").unwrap(),
            }
            let outcome = place.run_in(&spec(&place, "echo x > real/hooks/post-checkout"), sandbox).unwrap();
            let hook = root.join("real/hooks/post-checkout");
            match sandbox {
                Sandbox::Bubblewrap => assert!(!hook.exists(), "{outcome:?}"),
                _ => assert_eq!(outcome.touched.paths, [hook], "{sandbox:?}"),
            }
            let outcome =
                place.run_in(&spec(&place, "rm sub/.git && echo gitdir: /x > sub/.git"), sandbox).unwrap();
            let told = outcome.touched.paths.iter().any(|path| *path == root.join("sub/.git"));
            assert!(told || outcome.ended != Ended::Exited(0), "{sandbox:?}: {outcome:?}");
        }
    }
}

/// A repository that names the root itself does not keep everything from being changed.
#[test]
fn a_git_file_that_names_the_root_is_watched() {
    let place = Place::new();
    for sandbox in sandboxes(&place) {
        lay(&place);
        let root = place.path("root");
        std::fs::remove_dir_all(root.join("sub/.git")).unwrap();
        std::fs::write(root.join("sub/.git"), "gitdir: ..\n").unwrap();
        let outcome = place.run_in(&spec(&place, "echo x > made; echo x > config"), sandbox).unwrap();
        assert_eq!(outcome.ended, Ended::Exited(0), "{sandbox:?}: {outcome:?}");
        assert_eq!(outcome.touched.paths, [root.join("config")], "{sandbox:?}");
    }
}

#[test]
fn an_enclosure_keeps_as_many_repositories_as_it_can_and_watches_the_others() {
    let place = Place::new();
    let names: Vec<PathBuf> = (0..600).map(|number| PathBuf::from(format!("r{number:03}"))).collect();
    let enclosure: Enclosure = place.enclosure(Access::Change, Network::Off).with_repositories(
        &place.path("root"),
        names.iter().map(PathBuf::as_path),
        std::iter::empty(),
    );
    let all = enclosure.protected.len() + enclosure.watched.len();
    assert_eq!(all, 2 + 2 * names.len());
    assert!(!enclosure.watched.is_empty() && enclosure.protected.contains(&place.path("root/r000/.git")));
}
