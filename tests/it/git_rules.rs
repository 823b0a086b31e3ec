//! The files that git ignores, and those that it is not told of: every reader sees them as git does.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::git::git;
use crate::support::{Answer, World, skipped};

/// A repository without a commit; `None` where there is no git.
fn empty() -> Option<World> {
    let world = World::with_config("durability: fast\n");
    match git(&world, &["init", "-q", "-b", "main"]) {
        Ok(_) => Some(world),
        Err(error) => {
            skipped("ignore rules", &format!("there is no git here ({error})"));
            None
        }
    }
}

/// The files that git tracks or would add, but for hidden ones, which `embed` leaves out.
fn of_git(world: &World) -> BTreeSet<String> {
    let listed = git(world, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).unwrap();
    listed.split('\0').filter(|path| !path.is_empty() && !path.contains(".git")).map(str::to_owned).collect()
}

/// The files in the document of the project.
fn embedded(world: &World) -> BTreeSet<String> {
    let params = json!({ "root": world.root(), "paths": ["."] });
    let found: Value = world.connect().call("embed", &params);
    paths_of(&found)
}

/// The files in the list of changes.
fn changed(world: &World) -> BTreeSet<String> {
    let found = world.connect().call("project.changes", &json!({ "root": world.root() }));
    paths_of(&found)
}

fn paths_of(found: &Value) -> BTreeSet<String> {
    let files = found["files"].as_array().unwrap_or_else(|| panic!("{found:#}"));
    let path = |file: &Value| file["path"].as_str().unwrap().trim_start_matches("./").to_owned();
    files.iter().map(path).collect()
}

/// Files of rules, and what they hold.
type Rules = &'static [(&'static str, &'static str)];

/// Rules in files, a file, and whether git ignores it.
const RULES: &[(Rules, &str, bool)] = &[
    (&[(".gitignore", "**/vendor/\n"), ("a/.gitignore", "!vendor\n")], "a/vendor/f.txt", false),
    (&[(".gitignore", "**/vendor/\n"), ("a/b/c/.gitignore", "!vendor/\n")], "a/b/c/vendor/d/f.txt", false),
    (
        &[(".gitignore", "vendor\n"), ("a/.gitignore", "!vendor\n"), ("a/b/.gitignore", "vendor\n")],
        "a/b/vendor/f",
        true,
    ),
    (&[(".gitignore", "vendor/\n!vendor/keep\n")], "vendor/keep", true),
    (&[(".gitignore", "/vendor/*\n!/vendor/keep\n")], "vendor/keep", false),
    (&[(".gitignore", "/vendor/*\n!/vendor/keep\n")], "vendor/other", true),
    (&[(".git/info/exclude", "*.log\n"), (".gitignore", "!keep.log\n")], "keep.log", false),
    (&[(".gitignore", "*.log\n"), (".git/info/exclude", "!keep.log\n")], "keep.log", true),
    (&[(".mine", "*.tmp\n"), (".git/config", "[core]\n\texcludesFile = .mine\n")], "a.tmp", true),
    (
        &[
            (".mine", "*.tmp\n"),
            (".git/config", "[core]\n\texcludesFile = .mine\n"),
            (".gitignore", "!a.tmp\n"),
        ],
        "a.tmp",
        false,
    ),
    (&[(".git/config", "[core]\n\tignoreCase = true\n"), (".gitignore", "Build/\n")], "build/x", true),
    (&[(".git/config", "[core]\n\tignoreCase = false\n"), (".gitignore", "Build/\n")], "build/x", false),
    (&[(".gitignore", "{a,b}\n")], "a", false),
    (&[(".gitignore", "{a,b}\r\n")], "{a,b}", true),
    (&[(".gitignore", "x[\n")], "x[", false),
    (&[(".gitignore", "x\\[\n")], "x[", true),
];

#[test]
fn regression_an_operation_on_a_file_that_a_nested_rule_restores_is_committed() {
    for (rules, path, is_ignored) in RULES {
        let Some(world) = empty() else { return };
        std::fs::create_dir_all(world.path("project/.git/info")).unwrap();
        for (file, text) in *rules {
            let before = if *file == ".git/config" { world.read(file) } else { String::new() };
            world.lay(file, before + text);
        }
        world.lay(path, "1\n");
        assert_eq!(of_git(&world).contains(*path), !is_ignored, "git, {path} of {rules:?}");
        assert_eq!(embedded(&world).contains(*path), !is_ignored, "embed, {path} of {rules:?}");
        assert_eq!(changed(&world).contains(*path), !is_ignored, "changes, {path} of {rules:?}");
        let done = world.apply_json(&[], Answer::new().write(&world.at(path), "2\n").text());
        assert_eq!(done["git"]["after"].is_string(), !is_ignored, "{path} of {rules:?}: {done:#}");
        assert_eq!(git(&world, &["ls-files", path]).unwrap().trim_end() == *path, !is_ignored, "{path}");
    }
}

#[test]
fn regression_git_before_all_commits_what_a_nested_rule_restores() {
    let Some(world) = empty() else { return };
    std::fs::write(world.path("config/clada/config.yaml"), "durability: fast\ngit: {before: all}\n").unwrap();
    world.lay(".gitignore", "**/vendor/\n/out\n");
    world.lay("a/.gitignore", "!vendor\n");
    for path in ["a/vendor/f", "a/vendor/g/h", "b/vendor/i", "out/x", "t"] {
        world.lay(path, "1\n");
    }
    let done = world.apply_json(&[], Answer::new().write(&world.at("new"), "2\n").text());
    assert!(done["git"]["before"].is_string(), "{done:#}");
    let listed = git(&world, &["ls-files"]).unwrap();
    assert_eq!(listed, ".gitignore\na/.gitignore\na/vendor/f\na/vendor/g/h\nnew\nt\n");
}

#[test]
fn regression_a_tracked_file_that_rules_hide_is_committed() {
    let Some(world) = empty() else { return };
    world.lay("a.log", "1\n");
    git(&world, &["add", "."]).unwrap();
    git(&world, &["commit", "-qm", "first"]).unwrap();
    world.lay(".gitignore", "*.log\n");
    let done = world.apply_json(&[], Answer::new().write(&world.at("a.log"), "2\n").text());
    assert!(done["git"]["after"].is_string(), "{done:#}");
}

/// Random rules and files.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn rule(&mut self) -> String {
        let mut rule = self.one_of(&["", "", "!"]).to_owned() + self.one_of(&["", "", "/", "**/"]);
        for part in 0..=self.below(3) {
            if part > 0 {
                rule += self.one_of(&["/", "/", "/**/"]);
            }
            rule += self.one_of(&[
                "a", "b", "c", "f", "v", "*", "f*", "*.x", "V", "?", "[af]", "[!a]", "{a,b}", "[a",
            ]);
        }
        rule + self.one_of(&["", "", "/", "/*", "/**"]) + self.one_of(&["\n", "\n", "\r\n", "  \n"])
    }
}

#[test]
fn random_rules_hide_what_git_hides() {
    let rounds = if std::env::var_os("CLADA_ALL").is_some() { 300 } else { 6 };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let Some(world) = empty() else { return };
    let folders = ["", "a/", "a/b/", "a/b/c/", "v/", "v/f/"];
    for round in 0..rounds {
        for entry in
            std::fs::read_dir(world.project()).unwrap().flatten().filter(|entry| entry.file_name() != ".git")
        {
            let path = entry.path();
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
        }
        git(&world, &["config", "core.ignoreCase", if round % 3 == 0 { "true" } else { "false" }]).unwrap();
        let mut rules = Vec::new();
        for folder in &folders[..4] {
            let text: String = (0..random.below(4)).map(|_| random.rule()).collect();
            world.lay(&format!("{folder}.gitignore"), &text);
            rules.push((*folder, text));
        }
        for folder in folders {
            for name in ["a.x", "f.x", "fa", "k", "V.x", "{a,b}", "[a"] {
                world.lay(&format!("{folder}{name}"), "x\n");
            }
        }
        assert_eq!(embedded(&world), of_git(&world), "round {round}: {rules:#?}");
    }
}

#[test]
fn regression_a_sparse_checkout_is_named_where_a_file_is_missing() {
    let Some(world) = empty() else { return };
    for (path, text) in [("d/z.txt", "z\n"), ("a.txt", "1\n")] {
        world.lay(path, text);
    }
    git(&world, &["add", "."]).unwrap();
    git(&world, &["commit", "-qm", "first"]).unwrap();
    git(&world, &["sparse-checkout", "set", "--no-cone", "/*", "!/d/"]).unwrap();
    assert!(!world.exists("d"));
    let path = world.at("d/z.txt");
    for answer in [
        Answer::new().replace(&path, "z", "y"),
        Answer::new().write(&path, "w\n"),
        Answer::new().action("file_move", &[("old_path", &world.at("a.txt")), ("new_path", &path)]),
        Answer::new().action("file_delete", &[("path", &path)]),
        Answer::new().action("file_append", &[("path", &path), ("content", "w\n")]),
    ] {
        let ran = world.apply(&answer);
        assert!(
            ran.stdout.contains("git has the file, but it is not checked out (sparse checkout)"),
            "{ran:?}"
        );
        assert!(ran.stdout.contains("`git sparse-checkout add 'd'`"), "{ran:?}");
        assert!(!world.exists("d"), "{ran:?}");
        assert_eq!(git(&world, &["status", "--porcelain"]).unwrap(), "");
    }
    git(&world, &["sparse-checkout", "add", "d"]).unwrap();
    assert_eq!(world.apply(&Answer::new().replace(&path, "z", "y")).code, 0);
}

#[test]
fn regression_a_new_file_stays_announced_in_an_index_of_any_version() {
    for version in ["2", "3", "4"] {
        let Some(world) = empty() else { return };
        world.lay("a.txt", "1\n");
        git(&world, &["add", "."]).unwrap();
        git(&world, &["commit", "-qm", "first"]).unwrap();
        git(&world, &["update-index", "--index-version", version]).unwrap();
        world.lay("new.txt", "n\n");
        git(&world, &["add", "-N", "new.txt"]).unwrap();
        assert_eq!(git(&world, &["status", "--short"]).unwrap(), " A new.txt\n");
        let done = world.apply_json(&[], Answer::new().replace(&world.at("new.txt"), "n", "m").text());
        assert!(done["git"]["after"].is_string(), "{done:#}");
        assert_eq!(world.run(&["undo"], "").code, 0);
        assert_eq!(git(&world, &["status", "--short"]).unwrap(), " A new.txt\n", "version {version}");
    }
}

#[test]
fn regression_a_repository_elsewhere_that_names_this_folder_gets_commits() {
    let top = |world: &World| world.project().to_str().unwrap().to_owned();
    let separate = |world: &World| {
        git(world, &["init", "-q", "--separate-git-dir", world.path("outside/g").to_str().unwrap()]).unwrap();
    };
    let symlinked = |world: &World, name: &str| {
        std::fs::rename(world.path("project/.git"), world.path("outside").join(name)).unwrap();
        std::os::unix::fs::symlink(world.path("outside").join(name), world.path("project/.git")).unwrap();
    };
    for (number, name) in ["g", "symlink", ".git"].into_iter().enumerate() {
        let Some(world) = empty() else { return };
        world.lay("a.txt", "1\n");
        git(&world, &["add", "."]).unwrap();
        git(&world, &["commit", "-qm", "first"]).unwrap();
        if number == 0 {
            separate(&world)
        } else {
            symlinked(&world, name)
        }
        let answer = |text: &str| Answer::new().write(&world.at("a.txt"), text);
        let done = world.apply_json(&[], answer("2\n").text());
        let skipped = done["git"]["skipped"].as_str().unwrap_or_else(|| panic!("{done:#}"));
        assert!(skipped.contains("does not say that its work tree is this folder"), "{done:#}");
        // git itself takes the folder as the work tree only if the repository names it.
        git(&world, &["config", "core.worktree", &top(&world)]).unwrap();
        let done = world.apply_json(&[], answer("3\n").text());
        assert!(done["git"]["after"].is_string(), "{name}: {done:#}");
        assert_eq!(git(&world, &["status", "--porcelain"]).unwrap(), "");
        git(&world, &["config", "core.worktree", world.path("home").to_str().unwrap()]).unwrap();
        let done = world.apply_json(&[], answer("4\n").text());
        assert!(done["git"]["skipped"].is_string(), "{name}: {done:#}");
    }
}

#[test]
fn regression_a_record_says_that_nested_repositories_moved() {
    let Some(world) = empty() else { return };
    let nested = |folder: &str, script: &str| {
        let mut command = world.program("sh");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
        }
        let ran =
            command.current_dir(world.path("project").join(folder)).args(["-c", script]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    // One commits, one also changes its branch, and one stays as it is.
    for folder in ["be", "d/fe", "still"] {
        world.lay(&format!("{folder}/a.txt"), "1\n");
        nested(folder, "git init -q -b main; git add .; git commit -qm first");
    }
    world.lay("t.txt", "top\n");
    git(&world, &["add", "t.txt"]).unwrap();
    git(&world, &["commit", "-qm", "top"]).unwrap();
    let commit = "git -c user.name=T -c user.email=t@e.org commit -qam inner";
    let script = format!(
        "echo 3 > be/a.txt; cd be; {commit}; cd ../d/fe; git checkout -qb side; echo 4 > a.txt; {commit}"
    );
    let ran = world.run(&["record", "--", "sh", "-c", &script], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("In the repository be: 1 commit on main; undo does not revert that"),
        "{ran:?}"
    );
    assert!(
        ran.stderr.contains("In the repository d/fe: HEAD went from main to side; 1 commit on side"),
        "{ran:?}"
    );
    assert!(!ran.stderr.contains("still"), "{ran:?}");
    let undone = world.run(&["undo"], "");
    assert!(undone.stdout.contains("in be: 1 commit on main; in d/fe: HEAD went"), "{undone:?}");
    assert_eq!(world.read("be/a.txt"), "1\n");
}
