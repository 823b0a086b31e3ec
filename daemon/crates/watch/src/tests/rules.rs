//! Tests rules that are outside of the project, and files that git tracks although rules hide them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use super::world::{World, compare, everywhere, git, program, roots, sources, there_is, walked};
use crate::{Change, Degraded, GitUser, Watches};

/// Returns the paths of all files after a look, in order.
fn paths(world: &World) -> Vec<String> {
    world.known().into_keys().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn user(home: &Path) -> GitUser {
    GitUser { home: home.to_owned(), configuration: home.join(".config") }
}

#[test]
fn the_persons_excludes_hold_and_may_change() {
    if !there_is("git") {
        return;
    }
    for (_, source) in sources() {
        let home = tempfile::tempdir().unwrap();
        let watches = Watches::new(source, SystemTime::now()).for_user(Some(user(home.path())));
        let world = World::new(watches);
        let mine = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        world.write("a.txt", "a");
        world.write("b.tmp", "b");
        assert_eq!(paths(&world), ["a.txt", "b.tmp"]);
        mine(".config/git/ignore", "*.tmp\n");
        assert_eq!(paths(&world), ["a.txt"]);
        // Within the same second, and of the same length.
        mine(".config/git/ignore", "*.txt\n");
        assert_eq!(paths(&world), ["b.tmp"]);
        mine("mine", "a.*\n");
        mine(".gitconfig", "[core]\n\texcludesFile = ~/mine\n");
        assert_eq!(paths(&world), ["b.tmp"]);
        mine("mine", "b.*\n");
        assert_eq!(paths(&world), ["a.txt"]);
        // As users keep them: a link to a file elsewhere.
        fs::rename(home.path().join("mine"), home.path().join("kept")).unwrap();
        std::os::unix::fs::symlink(home.path().join("kept"), home.path().join("mine")).unwrap();
        assert_eq!(paths(&world), ["a.txt"]);
        fs::write(home.path().join("kept"), "a.*\n").unwrap();
        assert_eq!(paths(&world), ["b.tmp"]);
        // For this repository alone.
        git(&world.project, &["init", "-q", "-b", "main"]);
        let own = home.path().join("own");
        fs::write(&own, "a.*\nb.*\n").unwrap();
        git(&world.project, &["config", "core.excludesFile", own.to_str().unwrap()]);
        assert_eq!(paths(&world), [] as [&str; 0]);
        fs::write(&own, "b.*\n").unwrap();
        assert_eq!(paths(&world), ["a.txt"]);
        git(&world.project, &["config", "--unset", "core.excludesFile"]);
        assert_eq!(paths(&world), ["b.tmp"]);
        fs::remove_file(home.path().join(".gitconfig")).unwrap();
        fs::remove_file(home.path().join(".config/git/ignore")).unwrap();
        assert_eq!(paths(&world), ["a.txt", "b.tmp"]);
    }
}

#[test]
fn rules_above_the_root_hold_and_may_change() {
    if !there_is("git") {
        return;
    }
    everywhere(|world| {
        git(&world.project, &["init", "-q", "-b", "main"]);
        world.write("sub/deep/a.txt", "a");
        world.write("sub/deep/b.tmp", "b");
        world.write("sub/c.log", "c");
        let inner = roots(&world.path("sub"));
        let check = |after: &str| {
            let watched = world.watch(&inner);
            let known =
                world.watches.look(&watched, &inner, SystemTime::now(), &|| false, |known| known.files());
            compare(after, &known.unwrap().into_iter().collect(), &walked(&inner));
            walked(&inner).len()
        };
        assert_eq!(check("no rules"), 3);
        world.write(".gitignore", "*.tmp\n");
        assert_eq!(check("a rule above the root"), 2);
        world.write(".git/info/exclude", "*.log\n/sub/deep/a.txt\n");
        assert_eq!(check("excludes of the repository"), 0);
        world.write(".gitignore", "/sub/deep\n");
        assert_eq!(check("another rule above the root"), 0);
        world.write(".git/info/exclude", "");
        assert_eq!(check("no excludes"), 1);
        // Without a repository, neither its excludes nor rules above the root hold.
        fs::rename(world.path(".git"), world.outside.join("git")).unwrap();
        assert_eq!(check("no repository"), 3);
        fs::rename(world.outside.join("git"), world.path(".git")).unwrap();
        assert_eq!(check("the repository again"), 1);
    });
}

#[test]
fn excludes_of_a_linked_worktree_hold_and_may_change() {
    if !there_is("git") {
        return;
    }
    everywhere(|world| {
        let main = world.outside.join("main");
        fs::create_dir(&main).unwrap();
        git(&main, &["init", "-q", "-b", "main"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "nothing"]);
        git(&main, &["worktree", "add", "-q", "-b", "side", world.path("tree").to_str().unwrap()]);
        fs::write(world.path("tree/a.tmp"), "a").unwrap();
        let tree = roots(&world.path("tree"));
        let files = || {
            let watched = world.watch(&tree);
            world.watches.look(&watched, &tree, SystemTime::now(), &|| false, |known| known.len()).unwrap()
        };
        assert_eq!(files(), 1);
        fs::create_dir_all(main.join(".git/info")).unwrap();
        fs::write(main.join(".git/info/exclude"), "*.tmp\n").unwrap();
        assert_eq!(files(), 0);
        git(&world.path("tree"), &["add", "-f", "a.tmp"]);
        assert_eq!(files(), 1);
    });
}

#[test]
fn tracked_files_that_rules_hide_are_part_of_the_project() {
    if !there_is("git") {
        return;
    }
    everywhere(|world| {
        world.ahead.store(10, Ordering::Relaxed);
        git(&world.project, &["init", "-q", "-b", "main"]);
        world.write(".gitignore", "target\n*.log\n");
        world.write("src/a.rs", "a");
        world.write("target/debug/kept.txt", "kept");
        world.write("target/debug/other.txt", "other");
        world.write("src/x.log", "x");
        let at_first = paths(world);
        assert_eq!(at_first, [".gitignore", "src/a.rs"]);
        git(&world.project, &["add", "-f", "target/debug/kept.txt", "src/x.log", "src/a.rs"]);
        let (mut clock, _) = world.changes(None);
        assert_eq!(paths(world), [".gitignore", "src/a.rs", "src/x.log", "target/debug/kept.txt"]);
        let mut expect = |after: &str, pairs: &[(&str, Change)]| {
            let (now, changes) = world.changes(Some(clock));
            clock = now;
            let pairs = pairs.iter().map(|(path, change)| (PathBuf::from(path), *change)).collect();
            assert_eq!(changes, Some(pairs), "{after}");
        };
        let [created, changed, deleted] = [Change::Created, Change::Changed, Change::Deleted];
        expect("nothing", &[]);
        world.write("target/debug/kept.txt", "changed");
        world.write("target/debug/other.txt", "changed");
        expect("a hidden file changed", &[("target/debug/kept.txt", changed)]);
        fs::remove_dir_all(world.path("target")).unwrap();
        expect("it is gone", &[("target/debug/kept.txt", deleted)]);
        world.write("target/debug/kept.txt", "back");
        world.write("target/debug/other.txt", "back");
        expect("it is back", &[("target/debug/kept.txt", created)]);
        // In place of its folder, and of itself.
        fs::rename(world.path("target"), world.path("elsewhere.log")).unwrap();
        std::os::unix::fs::symlink("elsewhere.log", world.path("target")).unwrap();
        expect("a link in place of its folder", &[("target/debug/kept.txt", deleted)]);
        fs::remove_file(world.path("target")).unwrap();
        fs::rename(world.path("elsewhere.log"), world.path("target")).unwrap();
        expect("the folder again", &[("target/debug/kept.txt", created)]);
        // Hidden no longer, and hidden again.
        world.write(".gitignore", "*.log\n");
        expect("no rule hides it", &[(".gitignore", changed), ("target/debug/other.txt", created)]);
        world.write(".gitignore", "target/\n*.log\n");
        expect("a rule hides it", &[(".gitignore", changed), ("target/debug/other.txt", deleted)]);
        git(&world.project, &["rm", "-q", "--cached", "src/x.log"]);
        expect("git lets go of one", &[("src/x.log", deleted)]);
        assert_eq!(paths(world), [".gitignore", "src/a.rs", "target/debug/kept.txt"]);
        assert!(Path::new(&world.path("src/x.log")).exists());
        // Rules that come with a folder that was not there.
        git(&world.project, &["rm", "-q", "-r", "--cached", "src"]);
        world.write("new/kept.out", "kept");
        git(&world.project, &["add", "new/kept.out"]);
        fs::remove_dir_all(world.path("new")).unwrap();
        assert_eq!(paths(world), [".gitignore", "src/a.rs", "target/debug/kept.txt"]);
        world.write("new/.gitignore", "*.out\n");
        world.write("new/kept.out", "kept");
        world.write("new/other.out", "other");
        assert_eq!(
            paths(world),
            [".gitignore", "new/.gitignore", "new/kept.out", "src/a.rs", "target/debug/kept.txt"]
        );
        fs::write(world.path(".git/index"), "no index").unwrap();
        assert_eq!(paths(world), [".gitignore", "new/.gitignore", "src/a.rs"]);
    });
}

#[test]
fn regression_other_rules_a_second_after_files_were_made_change_none_of_them() {
    everywhere(|world| {
        if !world.roots().open_folder(Path::new("")).unwrap().has_fine_times() {
            eprintln!("not run: the file system of temporary folders has no fine times");
            return;
        }
        world.ahead.store(1, Ordering::Relaxed);
        for path in ["src/a.rs", "b", "x.log"] {
            world.write(path, "text");
        }
        let (mut clock, _) = world.changes(None);
        let [created, changed, deleted] = [Change::Created, Change::Changed, Change::Deleted];
        for (rules, others) in [
            ("*.log\n", vec![(".gitignore", created), ("x.log", deleted)]),
            ("*.tmp\n", vec![(".gitignore", changed), ("x.log", created)]),
            ("# none\n", vec![(".gitignore", changed)]),
        ] {
            world.write(".gitignore", rules);
            let (now, changes) = world.changes(Some(clock));
            clock = now;
            let others = others.into_iter().map(|(path, change)| (PathBuf::from(path), change)).collect();
            assert_eq!(changes, Some(others), "{rules}");
        }
    });
}

#[test]
fn regression_a_tracked_file_that_a_rule_hides_from_now_on_has_not_changed() {
    if !there_is("git") {
        return;
    }
    everywhere(|world| {
        world.ahead.store(10, Ordering::Relaxed);
        git(&world.project, &["init", "-q", "-b", "main"]);
        world.write(".gitignore", "x\n");
        for path in ["src/a.log", "src/b.log", "c.log"] {
            world.write(path, "kept");
        }
        git(&world.project, &["add", "."]);
        let (first, _) = world.changes(None);
        let since = |clock| {
            let (now, changes) = world.changes(Some(clock));
            (now, changes.unwrap())
        };
        let at = |pairs: &[(&str, Change)]| -> BTreeMap<PathBuf, Change> {
            pairs.iter().map(|(path, change)| (PathBuf::from(path), *change)).collect()
        };
        let rules = (".gitignore", Change::Changed);
        world.write(".gitignore", "*.log\n");
        let (second, changes) = since(first);
        assert_eq!(changes, at(&[rules]));
        // A file that does change is reported, and only that, also to a caller that asks since before the
        // rule.
        world.write("src/b.log", "changed");
        fs::remove_file(world.path("c.log")).unwrap();
        let reported = [("c.log", Change::Deleted), ("src/b.log", Change::Changed)];
        let (third, changes) = since(second);
        assert_eq!(changes, at(&reported));
        let all = at(&[rules, reported[0], reported[1]]);
        assert_eq!(since(first).1, all);
        // In the same look as the rule, too.
        world.write(".gitignore", "y\n");
        world.write("src/a.log", "changed, too");
        assert_eq!(since(third).1, at(&[rules, ("src/a.log", Change::Changed)]));
        assert_eq!(since(first).1, at(&[rules, reported[0], ("src/a.log", Change::Changed), reported[1]]));
    });
}

#[test]
fn regression_a_tracked_file_that_rules_hide_may_stand_where_a_folder_or_link_was() {
    if !there_is("git") {
        return;
    }
    everywhere(|world| {
        world.ahead.store(10, Ordering::Relaxed);
        git(&world.project, &["init", "-q", "-b", "main"]);
        world.write(".gitignore", "*\n!*/\nhidden/\n");
        for path in ["name", "above", "hidden/kept"] {
            world.write(path, "kept");
        }
        std::os::unix::fs::symlink("elsewhere", world.path("link")).unwrap();
        git(&world.project, &["add", "-f", "name", "hidden/kept", "link"]);
        // A folder that no rule hides, in place of a file; a file in place of a folder.
        fs::remove_file(world.path("name")).unwrap();
        world.write("name/in", "in");
        fs::rename(world.path("hidden"), world.path("aside")).unwrap();
        world.write("hidden", "a file");
        assert_eq!(paths(world), [] as [&str; 0]);
        fs::remove_dir_all(world.path("name")).unwrap();
        world.write("name", "back");
        fs::remove_file(world.path("hidden")).unwrap();
        fs::rename(world.path("aside"), world.path("hidden")).unwrap();
        assert_eq!(paths(world), ["hidden/kept", "name"]);
        fs::remove_file(world.path("link")).unwrap();
        world.write("link", "a file now");
        assert_eq!(paths(world), ["hidden/kept", "link", "name"]);
        // The same where the file in place of the folder is seen.
        git(&world.project, &["rm", "-q", "-f", "--cached", "name", "link"]);
        fs::rename(world.path("hidden"), world.path("aside")).unwrap();
        world.write("hidden", "a file");
        world.write(".gitignore", "hidden/\nname\nlink\nabove\n");
        assert_eq!(paths(world), [".gitignore", "aside/kept", "hidden"]);
        fs::remove_file(world.path("hidden")).unwrap();
        fs::rename(world.path("aside"), world.path("hidden")).unwrap();
        assert_eq!(paths(world), [".gitignore", "hidden/kept"]);
    });
}

#[test]
fn excludes_that_an_included_configuration_names_hold_and_may_change() {
    for (_, source) in sources() {
        let home = tempfile::tempdir().unwrap();
        let configuration = home.path().join("elsewhere");
        let user = GitUser { home: home.path().to_owned(), configuration };
        let world = World::new(Watches::new(source, SystemTime::now()).for_user(Some(user)));
        let mine = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        git(&world.project, &["init", "-q", "-b", "main"]);
        world.write("a.txt", "a");
        world.write("b.tmp", "b");
        mine(".config/git/ignore", "*\n");
        assert_eq!(paths(&world), ["a.txt", "b.tmp"]);
        mine("elsewhere/git/ignore", "*.tmp\n");
        assert_eq!(paths(&world), ["a.txt"]);
        mine("elsewhere/git/config", "[include]\n\tpath = more\n");
        assert_eq!(paths(&world), ["a.txt"]);
        mine("txt", "*.txt\n");
        mine("elsewhere/git/more", "[core]\nexcludesFile = \"~/txt\" # mine\n");
        assert_eq!(paths(&world), ["b.tmp"]);
        mine("txt", "a*\nb*\n");
        assert_eq!(paths(&world), [] as [&str; 0]);
        // For this branch of this repository alone.
        let folder = world.project.canonicalize().unwrap();
        mine(".gitconfig", &format!("[includeIf \"gitdir:{}/\"]\npath = here\n", folder.display()));
        mine("here", "[includeIf \"onbranch:side\"]\npath = none\n");
        mine("none", "[core]\nexcludesFile =\n");
        assert_eq!(paths(&world), [] as [&str; 0]);
        git(&world.project, &["checkout", "-q", "-b", "side"]);
        assert_eq!(paths(&world), ["a.txt", "b.tmp"]);
        // A file that includes itself is as good as read once.
        mine("here", "[include]\npath = here\n[core]\nexcludesFile = ~/elsewhere/git/ignore\n");
        assert_eq!(paths(&world), ["a.txt"]);
        mine("here", "[include]\npath = /dev/zero\n[include]\npath = ~/elsewhere\n");
        assert_eq!(paths(&world), [] as [&str; 0]);
        // A name that does not begin at the top of the file system begins at the top of the work tree.
        mine(".gitconfig", "[core]\nexcludesFile = own/ignore\n");
        world.write("own/ignore", "*.txt\n");
        world.write("own/c.txt", "c");
        let mut all = paths(&world);
        all.sort();
        assert_eq!(all, ["b.tmp", "own/ignore"]);
        let inner = roots(&world.path("own"));
        let watched = world.watch(&inner);
        let known = world.watches.look(&watched, &inner, SystemTime::now(), &|| false, |known| known.files());
        let known: Vec<PathBuf> = known.unwrap().into_iter().map(|(path, _)| path).collect();
        assert_eq!(known, [Path::new("ignore")]);
    }
}

/// Returns the files of a folder of a repository that git does not ignore.
fn not_ignored(folder: &Path, home: &Path) -> Vec<String> {
    let output = program("git", folder)
        .args(["ls-files", "-z", "--others", "--exclude-standard"])
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("GIT_CONFIG_GLOBAL")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut paths: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
    paths.sort();
    paths
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 40, ..Default::default() })]

    /// In the whole repository and in a folder of it, with rules wherever git reads them.
    #[test]
    fn what_is_left_out_is_what_git_leaves_out(
        rules in proptest::collection::vec(
            (0usize..6, "!?/?(a|b|c|sub|\\*|\\*\\*|sub/a|\\*/b|\\*\\*/c|sub/\\*\\*/b)/?"),
            0..8,
        ),
    ) {
        let home = tempfile::tempdir().unwrap();
        let watches = Watches::without_source(SystemTime::now(), Degraded::NoSource);
        let world = World::new(watches.for_user(Some(user(home.path()))));
        git(&world.project, &["init", "-q", "-b", "main", "--template="]);
        for folder in ["", "sub/", "sub/a/", "sub/sub/", "c/"] {
            for name in ["b", "d", "c.x"] {
                world.write(&format!("{folder}{name}"), "text");
            }
        }
        fs::create_dir_all(home.path().join(".config/git")).unwrap();
        fs::create_dir_all(world.path(".git/info")).unwrap();
        for (place, rule) in &rules {
            let file = match place {
                0 | 1 => home.path().join(".config/git/ignore"),
                2 => world.path(".git/info/exclude"),
                3 => world.path(".gitignore"),
                4 => world.path("sub/.gitignore"),
                _ => world.path("sub/a/.gitignore"),
            };
            let before = fs::read_to_string(&file).unwrap_or_default();
            fs::write(file, format!("{before}{rule}\n")).unwrap();
        }
        let mut all = paths(&world);
        all.sort();
        proptest::prop_assert_eq!(all, not_ignored(&world.project, home.path()));
        let inner = roots(&world.path("sub"));
        let watched = world.watch(&inner);
        let known = world.watches.look(&watched, &inner, SystemTime::now(), &|| false, |known| known.files());
        let mut known: Vec<String> =
            known.unwrap().into_iter().map(|(path, _)| path.to_string_lossy().into_owned()).collect();
        known.sort();
        // git lists nothing in a folder that a rule above ignores; a user who works in it as a project sees
        // its files.
        let left_out = program("git", &world.project)
            .args(["check-ignore", "-q", "sub"])
            .env("HOME", home.path())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("GIT_CONFIG_GLOBAL")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .status()
            .unwrap()
            .success();
        if !left_out {
            proptest::prop_assert_eq!(known, not_ignored(&world.path("sub"), home.path()));
        }
    }
}
