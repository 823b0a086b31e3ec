//! Tests what programs do to trees, one after the other; after each of them the index matches the tree.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use super::world::{World, everywhere, program, scale, there_is};
use crate::Change;

fn run(world: &World, name: &str, arguments: &[&str]) {
    let nowhere = std::process::Stdio::null;
    let status = program(name, &world.project).args(arguments).stdout(nowhere()).stderr(nowhere()).status();
    assert!(status.unwrap().success(), "{name} {arguments:?}");
}

#[test]
fn deep_folders_and_a_file() {
    everywhere(|world| {
        world.check("nothing");
        for round in 0..10 * scale() {
            world.write(&format!("r{round}/a/b/c/d/e/f.txt"), "deep");
            let known = world.known();
            assert!(known.contains_key(&PathBuf::from(format!("r{round}/a/b/c/d/e/f.txt"))), "round {round}");
        }
        world.check("mkdir -p and write");
    });
}

#[test]
fn whole_trees_come_move_and_go() {
    if !there_is("tar") {
        return;
    }
    everywhere(|world| {
        let (folders, files) = (60 * scale(), 5);
        world.check("nothing");
        World::plant(&world.path("tree"), folders, files, "one");
        world.check("planting");
        run(world, "cp", &["-r", "tree", "copy"]);
        world.check("cp -r");
        run(world, "tar", &["cf", "../tree.tar", "tree"]);
        run(world, "rm", &["-rf", "tree"]);
        world.check("rm -rf");
        run(world, "tar", &["xf", "../tree.tar"]);
        world.check("tar x");
        run(world, "rm", &["-rf", "tree"]);
        run(world, "tar", &["xf", "../tree.tar"]);
        world.check("rm -rf and tar x");
        fs::rename(world.path("tree"), world.path("copy/within")).unwrap();
        world.check("mv within");
        fs::write(world.path("copy/within/a0/b0/f0.txt"), "after the move").unwrap();
        world.check("a write after mv within");
        fs::rename(world.path("copy/within"), world.outside.join("out")).unwrap();
        world.check("mv out");
        fs::write(world.outside.join("out/a0/b0/f0.txt"), "outside").unwrap();
        world.check("a write outside");
        fs::rename(world.outside.join("out"), world.path("back")).unwrap();
        world.check("mv in");
        fs::write(world.path("back/a0/b0/f0.txt"), "back again").unwrap();
        world.check("a write after mv in");
        // There and back without a query, with changes on the way.
        fs::rename(world.path("back"), world.outside.join("away")).unwrap();
        fs::write(world.outside.join("away/a0/new.txt"), "new").unwrap();
        fs::create_dir_all(world.outside.join("away/a0/n/e/w")).unwrap();
        fs::write(world.outside.join("away/a0/n/e/w/new.txt"), "new").unwrap();
        fs::rename(world.outside.join("away"), world.path("back")).unwrap();
        world.check("out, changed and in again");
        fs::write(world.path("back/a0/n/e/w/new.txt"), "newer").unwrap();
        world.check("a write after that");
        // Two trees change places.
        fs::rename(world.path("back"), world.path("third")).unwrap();
        fs::rename(world.path("copy"), world.path("back")).unwrap();
        fs::rename(world.path("third"), world.path("copy")).unwrap();
        fs::write(world.path("copy/a0/b0/f0.txt"), "swapped").unwrap();
        world.check("two trees swapped");
        fs::write(world.path("back/a0/b0/f1.txt"), "swapped, too").unwrap();
        fs::write(world.path("copy/a0/b0/f1.txt"), "swapped, too").unwrap();
        world.check("writes after that");
    });
}

#[test]
fn folders_that_come_back_with_the_same_inode() {
    everywhere(|world| {
        for round in 0..10 * scale() {
            World::plant(&world.path("t"), 20, 2, &format!("round {round}"));
            if round % 2 == 0 {
                world.check("planting again");
            }
            fs::remove_dir_all(world.path("t")).unwrap();
            World::plant(&world.path("t"), 20, 2, &format!("again {round}"));
            world.check("rm -rf and the same again");
            fs::write(world.path("t/a3/b3/late.txt"), "late").unwrap();
            fs::create_dir_all(world.path("t/a4/x/y")).unwrap();
            fs::write(world.path("t/a4/x/y/late.txt"), "late").unwrap();
            world.check("writes in folders that came back");
            fs::remove_dir_all(world.path("t")).unwrap();
        }
    });
}

#[test]
fn git_goes_from_commit_to_commit() {
    if !there_is("git") {
        return;
    }
    everywhere(|world| {
        run(world, "git", &["init", "-q", "-b", "main"]);
        run(world, "git", &["config", "user.email", "ann@example.org"]);
        run(world, "git", &["config", "user.name", "Ann"]);
        World::plant(&world.path("src"), 40 * scale(), 4, "first");
        run(world, "git", &["add", "-A"]);
        run(world, "git", &["commit", "-q", "-m", "first"]);
        world.check("the first commit");
        fs::rename(world.path("src"), world.path("lib")).unwrap();
        World::plant(&world.path("src/new"), 40 * scale(), 4, "second");
        run(world, "git", &["add", "-A"]);
        run(world, "git", &["commit", "-q", "-m", "second"]);
        world.check("the second commit");
        // With a look after each checkout, and then with one look after two.
        for _ in 0..clada_test_extent::cases(1, 3) {
            run(world, "git", &["checkout", "-q", "HEAD~1"]);
            world.check("checkout back");
            run(world, "git", &["checkout", "-q", "main"]);
            world.check("checkout forth");
        }
        run(world, "git", &["checkout", "-q", "HEAD~1"]);
        run(world, "git", &["checkout", "-q", "main"]);
        world.check("checkout back and forth");
        run(world, "rm", &["-rf", "src", "lib"]);
        run(world, "git", &["checkout", "-q", "--", "."]);
        world.check("rm -rf and checkout");
        fs::write(world.path("lib/a1/b1/f1.txt"), "a write in a folder that git made").unwrap();
        world.check("a write after that");
    });
}

#[test]
fn editors_save() {
    everywhere(|world| {
        world.write("src/a.rs", "fn a() {}\n");
        let mut clock = world.changes(None).0;
        for round in 0..30 * scale() {
            // As vim does, then as most others do, then in place.
            match round % 3 {
                0 => {
                    fs::rename(world.path("src/a.rs"), world.path("src/a.rs~")).unwrap();
                    fs::write(world.path("src/a.rs"), format!("fn a() {{}} // {round}\n")).unwrap();
                    fs::remove_file(world.path("src/a.rs~")).unwrap();
                }
                1 => {
                    fs::write(world.path("src/.a.rs.swp"), format!("fn a() {{}} // {round}\n")).unwrap();
                    fs::rename(world.path("src/.a.rs.swp"), world.path("src/a.rs")).unwrap();
                }
                _ => fs::write(world.path("src/a.rs"), format!("fn a() {{}} // {round}\n")).unwrap(),
            }
            let (now, changes) = world.changes(Some(clock));
            let changes = changes.expect("the clock is of this epoch");
            assert_eq!(
                changes.get(&PathBuf::from("src/a.rs")),
                Some(&Change::Changed),
                "round {round}: {changes:?}"
            );
            assert_eq!(changes.len(), 1, "round {round}: {changes:?}");
            clock = now;
        }
        world.check("saves");
    });
}

#[test]
fn other_names_of_a_file() {
    everywhere(|world| {
        world.write("a.txt", "one");
        fs::hard_link(world.path("a.txt"), world.outside.join("b.txt")).unwrap();
        world.check("a link outside");
        for round in 0..20 {
            fs::write(world.outside.join("b.txt"), format!("through the other name {round}")).unwrap();
            world.check("a write through a link outside");
        }
        fs::hard_link(world.outside.join("b.txt"), world.path("c.txt")).unwrap();
        world.check("a link inside");
        fs::write(world.path("c.txt"), "through c").unwrap();
        world.check("a write through c");
        fs::remove_file(world.path("a.txt")).unwrap();
        world.check("a name less");
        symlink(world.path("c.txt"), world.path("link")).unwrap();
        symlink(&world.outside, world.path("folder-link")).unwrap();
        world.check("symbolic links");
        fs::remove_file(world.path("c.txt")).unwrap();
        symlink("link", world.path("c.txt")).unwrap();
        world.check("a link in place of a file");
        fs::remove_file(world.path("c.txt")).unwrap();
        fs::create_dir(world.path("c.txt")).unwrap();
        world.write("c.txt/inner", "a folder in place of a link");
        world.check("a folder in place of a link");
        fs::remove_dir_all(world.path("c.txt")).unwrap();
        fs::write(world.path("c.txt"), "a file in place of a folder").unwrap();
        world.check("a file in place of a folder");
    });
}

/// No event comes for the earlier name, neither of the link nor of writes through it.
#[test]
fn regression_names_that_a_file_gets_later() {
    everywhere(|world| {
        world.write("d/a.txt", "one");
        world.write("b.txt", "two");
        world.check("names of their own");
        fs::hard_link(world.path("d/a.txt"), world.path("c.txt")).unwrap();
        world.check("a link within");
        fs::write(world.path("c.txt"), "through the new name").unwrap();
        world.check("a write through the new name");
        // Both within one look.
        fs::hard_link(world.path("b.txt"), world.path("d/e.txt")).unwrap();
        fs::write(world.path("d/e.txt"), "at once").unwrap();
        world.check("a link and a write through it");
        fs::rename(world.path("d/e.txt"), world.outside.join("e.txt")).unwrap();
        fs::write(world.outside.join("e.txt"), "from outside").unwrap();
        world.check("a write through a name that was moved out");
    });
}

#[test]
fn ignore_rules_change() {
    everywhere(|world| {
        world.write("src/main.rs", "fn main() {}");
        world.write("target/debug/main.o", "o");
        world.write("docs/a.tmp", "tmp");
        world.check("no rules");
        world.write(".gitignore", "target\n");
        world.check("a rule");
        world.write("target/debug/other.o", "o");
        world.check("a write to what is ignored");
        world.write("docs/.gitignore", "*.tmp\n");
        world.check("a rule below");
        world.write("docs/deep/b.tmp", "tmp");
        world.check("a file that the rule below holds for");
        fs::write(world.path(".gitignore"), "src\n").unwrap();
        world.check("another rule");
        world.write("target/debug/third.o", "o");
        world.check("a write to what was ignored");
        fs::remove_file(world.path(".gitignore")).unwrap();
        fs::rename(world.path("docs/.gitignore"), world.path(".ignore")).unwrap();
        world.check("rules moved up");
        fs::create_dir_all(world.path(".git/info")).unwrap();
        fs::write(world.path(".git/info/exclude"), "docs\n").unwrap();
        world.check("excludes of the root");
        fs::write(world.path(".git/info/exclude"), "docs/deep\n").unwrap();
        world.check("other excludes of the root");
        fs::write(world.path("docs/x.txt"), "x").unwrap();
        world.check("a write to what was excluded");
        fs::remove_file(world.path(".git/info/exclude")).unwrap();
        world.check("no excludes");
        // A folder of that name holds no rules.
        fs::rename(world.path("target"), world.path(".gitignore")).unwrap();
        world.check("a folder with an ignore file's name");
    });
}

#[test]
fn cases_modes_and_strange_names() {
    use std::os::unix::ffi::OsStrExt;
    everywhere(|world| {
        world.write("Readme.md", "a");
        world.check("a file");
        fs::rename(world.path("Readme.md"), world.path("README.md")).unwrap();
        world.check("a case rename");
        world.write("Src/a.rs", "a");
        world.check("a folder");
        fs::rename(world.path("Src"), world.path("src")).unwrap();
        world.check("a case rename of a folder");
        fs::write(world.path("src/a.rs"), "b").unwrap();
        world.check("a write in it");
        let names: [&[u8]; 4] = [b"with space", b"new\nline", b"\xff\xfe", "ü".as_bytes()];
        for name in names {
            let folder = world.project.join(std::ffi::OsStr::from_bytes(name));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
        }
        fs::write(world.path(&"n".repeat(255)), "long").unwrap();
        world.check("strange names");
        fs::set_permissions(world.path("src/a.rs"), fs::Permissions::from_mode(0o755)).unwrap();
        world.check("chmod");
        fs::set_permissions(world.path("src"), fs::Permissions::from_mode(0o700)).unwrap();
        world.check("chmod of a folder");
        world.write(".clada/state/x", "ours");
        world.check("what is ours");
    });
}
