//! The reading commands compared with git itself, over repositories of many kinds.

use super::{commits, git, git_in, read, surroundings, world};
use crate::support::{Answer, World, skipped};

const COMMANDS: &[&str] = &[
    "git status",
    "git status -sb",
    "git status --porcelain=v2 --branch --show-stash",
    "git status --ignored -uall",
    "git diff",
    "git diff --cached",
    "git diff HEAD --stat",
    "git diff HEAD~1 HEAD",
    "git log",
    "git log --all --graph --oneline --decorate",
    "git log -p -2",
    "git show",
    "git show HEAD~1 --stat",
    "git ls-files -s",
    "git ls-files -o --exclude-standard",
    "git ls-files -m -d -t",
    "git branch",
    "git branch --list -a -vv",
    "git branch --show-current",
    "git stash list",
];

/// A kind of repository, and the function that makes the project one.
type Kind = (&'static str, fn(&World));

const KINDS: &[Kind] = &[
    ("as it is", |_| {}),
    ("changed", changed),
    ("unborn", |world| {
        git(world, &["checkout", "-q", "--orphan", "new"]);
    }),
    ("detached", |world| {
        git(world, &["checkout", "-q", "HEAD~1"]);
    }),
    ("packed", |world| {
        git(world, &["tag", "-a", "-m", "tag", "v1"]);
        git(world, &["gc", "-q"]);
        git(world, &["pack-refs", "--all"]);
        git(world, &["commit-graph", "write", "--reachable"]);
        changed(world);
    }),
    ("stash", |world| {
        for text in ["x\n", "y\n"] {
            world.lay("a.txt", text);
            git(world, &["stash", "push", "-q", "-m", text.trim()]);
        }
    }),
    ("conflict", |world| {
        git(world, &["checkout", "-q", "-b", "side", "HEAD~1"]);
        world.lay("a.txt", "side\n");
        git(world, &["commit", "-q", "-am", "side"]);
        git(world, &["checkout", "-q", "main"]);
        world.lay("a.txt", "main\n");
        git(world, &["commit", "-q", "-am", "main"]);
        assert_ne!(git_in(world, ".", &["merge", "side"]).code, 0);
    }),
    ("rebase", |world| {
        git(world, &["checkout", "-q", "-b", "side", "HEAD~1"]);
        world.lay("a.txt", "side\n");
        git(world, &["commit", "-q", "-am", "side"]);
        world.lay("d/b.txt", "side\n");
        git(world, &["commit", "-q", "-am", "more"]);
        git(world, &["checkout", "-q", "main"]);
        world.lay("a.txt", "main\n");
        git(world, &["commit", "-q", "-am", "main"]);
        assert_ne!(git_in(world, ".", &["rebase", "main", "side"]).code, 0);
    }),
    ("worktrees", |world| {
        git(world, &["worktree", "add", "-q", "-b", "other", "../outside/other"]);
        git(world, &["branch", "third"]);
        changed(world);
    }),
    ("upstream", |world| {
        git(world, &["clone", "-q", "--bare", ".", "../outside/bare"]);
        git(world, &["remote", "add", "origin", "../outside/bare"]);
        git(world, &["fetch", "-q", "origin"]);
        git(world, &["branch", "-q", "--set-upstream-to=origin/main"]);
        git(world, &["reset", "-q", "--hard", "HEAD~1"]);
        world.lay("own", "own\n");
        git(world, &["add", "own"]);
        git(world, &["commit", "-q", "-m", "own"]);
    }),
    ("linked worktree", |world| {
        replaced(world, |world| {
            git(world, &["-C", "../outside/main", "worktree", "add", "-q", "-b", "linked", "../../project"]);
        });
        changed(world);
    }),
    ("submodule", |world| {
        let outside = world.path("outside");
        replaced(world, |world| {
            git(world, &["clone", "-q", "../outside/main", "../outside/source"]);
            git(world, &["init", "-q", "../super"]);
            git(world, &["-C", "../super", "submodule", "--quiet", "add", "../outside/source", "sub"]);
        });
        std::fs::remove_dir(world.project()).unwrap();
        // The project is the work tree of the submodule, moved as people move it.
        std::fs::rename(outside.with_file_name("super").join("sub"), world.project()).unwrap();
        let own = outside.with_file_name("super").join(".git/modules/sub");
        world.lay(".git", format!("gitdir: {}\n", own.display()));
        let config = std::fs::read_to_string(own.join("config")).unwrap();
        std::fs::write(own.join("config"), config.replace("../../../sub", &world.root())).unwrap();
        changed(world);
    }),
    ("with submodules", |world| {
        git(world, &["init", "-q", "../outside/source"]);
        git(world, &["-C", "../outside/source", "commit", "-q", "--allow-empty", "-m", "x"]);
        git(world, &["submodule", "--quiet", "add", "../outside/source", "sub"]);
        git(world, &["commit", "-q", "-m", "sub"]);
        changed(world);
    }),
    ("sha256", |world| {
        std::fs::remove_dir_all(world.project().join(".git")).unwrap();
        git(world, &["init", "-q", "--object-format=sha256"]);
        commits_again(world);
    }),
    ("sparse", |world| {
        git(world, &["sparse-checkout", "set", "--cone", "--sparse-index", "e"]);
        world.lay("e/new", "new\n");
    }),
    ("sparse by patterns", |world| {
        git(world, &["sparse-checkout", "set", "--no-cone", "/*", "!/d/b.txt"]);
        world.lay("a.txt", "new\n");
    }),
    ("split index", |world| {
        git(world, &["update-index", "--split-index", "--untracked-cache"]);
        changed(world);
    }),
    ("replaced and noted", |world| {
        git(world, &["notes", "add", "-m", "a note"]);
        git(world, &["replace", "--graft", "HEAD"]);
    }),
    ("shallow", |world| {
        replaced(world, |world| {
            let main = format!("file://{}", world.path("outside/main").display());
            git(world, &["clone", "-q", "--depth=2", &main, "../project"]);
        });
    }),
    ("line ends", |world| {
        std::fs::write(
            world.path("home/.gitconfig"),
            "[core]\n\tautocrlf = true\n[status]\n\tshort = true\n",
        )
        .unwrap();
        world.lay("a.txt", "one\r\ntwo 0\r\nthree\r\n");
        world.lay("d/b.txt", "one\r\ntwo\r\n");
    }),
    ("a person's own", |world| {
        std::fs::create_dir_all(world.path("config/git")).unwrap();
        std::fs::write(world.path("home/mine"), "[core]\n\texcludesFile = ~/left-out\n").unwrap();
        std::fs::write(world.path("home/left-out"), "*.mine\n").unwrap();
        std::fs::write(world.path("config/git/attributes"), "*.txt -diff\n").unwrap();
        std::fs::write(
            world.path("home/.gitconfig"),
            "[include]\n\tpath = mine\n[diff]\n\tnoprefix = true\n[log]\n\tdate = iso\n[core]\n\tabbrev = 12\n",
        )
        .unwrap();
        world.lay("x.mine", "x\n");
        changed(world);
    }),
    ("excluded and attributed", |world| {
        world.lay(".git/info/exclude", "*.log\n");
        world.lay(".git/info/attributes", "*.txt diff=python filter=none\n");
        world.lay(".gitattributes", "*.txt text eol=lf filter=missing\n");
        world.lay("x.log", "x\n");
        changed(world);
    }),
    ("modes", |world| {
        use std::os::unix::fs::PermissionsExt;
        git(world, &["config", "core.fileMode", "false"]);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(world.project().join("a.txt"), mode).unwrap();
    }),
    ("no repository", |world| std::fs::remove_dir_all(world.project().join(".git")).unwrap()),
    ("no work tree", |world| {
        git(world, &["config", "core.bare", "true"]);
    }),
];

/// Makes changes of every kind on top of the last commit.
fn changed(world: &World) {
    world.lay("a.txt", "one\nnew\nthree\n");
    git(world, &["add", "a.txt"]);
    world.lay("a.txt", "one\nnewer\nthree\n");
    git(world, &["mv", "d/b.txt", "d/moved.txt"]);
    std::fs::remove_file(world.project().join("d/c.txt")).unwrap();
    world.lay("new/file", "new\n");
    world.lay("odd \"name\u{e4}\n", "odd\n");
    std::os::unix::fs::symlink("../outside", world.project().join("link")).unwrap();
}

/// Moves the project's repository to `outside/main`, and has the project made of it again.
fn replaced(world: &World, make: fn(&World)) {
    std::fs::create_dir_all(world.path("outside/main")).unwrap();
    for entry in std::fs::read_dir(world.project()).unwrap().flatten() {
        std::fs::rename(entry.path(), world.path("outside/main").join(entry.file_name())).unwrap();
    }
    make(world);
}

fn commits_again(world: &World) {
    for name in ["a.txt", "d/b.txt", "d/c.txt"] {
        std::fs::remove_file(world.project().join(name)).unwrap();
    }
    commits(world);
}

#[test]
fn reading_commands_answer_as_git_itself() {
    let kinds = std::sync::Mutex::new(KINDS.iter().enumerate());
    // Two at a time: each has a daemon of its own.
    let wrong = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = kinds.lock().unwrap().next();
                    let Some((number, (name, make))) = next else { return };
                    let Some(world) = world() else { return };
                    make(&world);
                    wrong.lock().unwrap().extend(compare(&world, name, number));
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The answers of clada that differ from git's. Each kind has a twelfth of the commands, the
/// next one another twelfth, and all of them with `CLADA_ALL`.
fn compare(world: &World, kind: &str, number: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    let all = crate::support::all();
    let own = COMMANDS.iter().enumerate().filter(|(at, _)| all || (at + number).is_multiple_of(12));
    for (_, command) in own {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        let own = git_in(world, ".", &words);
        let result = read(world, command);
        let data = &result["data"];
        // git names the other worktree by the folder that it was given.
        let is_same = match (kind, *command) {
            ("linked worktree", "git branch --list -a -vv") => true,
            // No file of a submodule is read, and without --cached a revision may be a path of it.
            ("with submodules", "git diff HEAD~1 HEAD") => true,
            // Both fail: one is in an empty folder.
            ("no repository", _) => data["stdout"] == own.stdout && data["exit_code"] != 0 && own.code != 0,
            _ => data["stdout"] == own.stdout && data["exit_code"] == own.code,
        };
        if !is_same {
            wrong.push(format!("{kind}: {command}: {}\n{data:#}\ngit: {own:#?}", result["error"]));
        }
    }
    if world.exists("d") {
        let own = git_in(world, "d", &["status", "-s"]);
        let within = world.execute(
            &Answer::new().action("run", &[("command", "git status -s"), ("dir", "d")]),
            surroundings(),
        )["results"][0]["data"]["stdout"]
            .clone();
        if within != own.stdout {
            wrong.push(format!("{kind}: in a folder: {within}, git: {}", own.stdout));
        }
    }
    wrong
}

#[test]
fn a_project_of_another_user_is_read_as_that_user() {
    if !rustix::process::geteuid().is_root() {
        return skipped("a project of another user", "only root runs commands as another one");
    }
    let Some(world) = world() else { return };
    changed(&world);
    let mut left = vec![world.project()];
    while let Some(path) = left.pop() {
        std::os::unix::fs::lchown(&path, Some(1000), Some(1000)).unwrap();
        if path.symlink_metadata().unwrap().is_dir() {
            left.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    let result = read(&world, "git diff HEAD");
    let shown = result["data"]["stdout"].as_str();
    assert!(shown.is_some_and(|shown| shown.contains("+newer")), "{result:#}");
}
