//! `unstage`: edited copies of staged files go back to their places.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::Value;

use super::lay_difficult;
use crate::support::{Ran, World, skipped};

fn world() -> World {
    let world = World::new();
    std::fs::create_dir(world.path("downloads")).unwrap();
    world
}

fn stage(world: &World) -> PathBuf {
    super::stage(world, &[]).path
}

fn unstage(world: &World, flags: &[&str], paths: &[&Path]) -> Ran {
    let paths: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    world.run(&[&["unstage"], flags, &paths[..]].concat(), "")
}

/// A copy in the folder for downloads.
fn copy(world: &World, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = world.path("downloads").join(name);
    std::fs::write(&path, content).unwrap();
    path
}

#[test]
fn an_edited_copy_goes_to_its_place_and_can_be_undone() {
    let world = world();
    world.lay("src/main.rs", "fn main() {}\r\n");
    world.lay("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(world.path("project/run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    stage(&world);
    let main = copy(&world, "src-main.rs", "\u{feff}fn main() { go() }\r\nno newline at end");
    let script = copy(&world, "run.sh", "#!/bin/bash\n");
    let before = world.tree();
    let dry = unstage(&world, &["--dry-run"], &[&main, &script]);
    assert_eq!(dry.code, 0, "{dry:?}");
    expect![[r#"
        [task-1] SUCCESS: unstage - replaced run.sh from run.sh (12 bytes)
        [task-2] SUCCESS: unstage - replaced src/main.rs from src-main.rs (40 bytes)

         run.sh      | +1 -1
         src/main.rs | +2 -1
         2 files, +3 -2

        diff --git a/run.sh b/run.sh
        --- a/run.sh
        +++ b/run.sh
        @@ -1 +1 @@
        -#!/bin/sh
        +#!/bin/bash
        diff --git a/src/main.rs b/src/main.rs
        --- a/src/main.rs
        +++ b/src/main.rs
        @@ -1 +1,2 @@
        -fn main() {}
        +\u{feff}fn main() { go() }
        +no newline at end
        \ No newline at end of file

        2 actions: 2 succeeded. Dry run: nothing was changed.
    "#]]
    .assert_eq(&world.shown(&dry.stdout));
    before.assert_at(&world.project());
    let done = unstage(&world, &[], &[&main, &script]);
    assert_eq!(done.code, 0, "{done:?}");
    expect![[r#"
        [task-1] SUCCESS: unstage - replaced run.sh from run.sh (12 bytes)
        [task-2] SUCCESS: unstage - replaced src/main.rs from src-main.rs (40 bytes)

         run.sh      | +1 -1
         src/main.rs | +2 -1
         2 files, +3 -2

        2 actions: 2 succeeded. Operation ID.
    "#]]
    .assert_eq(&world.shown(&done.stdout));
    assert_eq!(world.read("src/main.rs"), "\u{feff}fn main() { go() }\r\nno newline at end");
    let mode = std::fs::metadata(world.path("project/run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    let again = unstage(&world, &[], &[&main, &script]);
    assert!(again.code == 0, "{again:?}");
    expect![[r#"
        [task-1] SUCCESS: unstage - run.sh left as it is
        [task-2] SUCCESS: unstage - src/main.rs left as it is

        2 actions: 2 succeeded. Operation ID.
    "#]]
    .assert_eq(&world.shown(&again.stdout));
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(world.read("src/main.rs"), "fn main() {}\r\n");
}

#[test]
fn every_staged_file_restores_the_tree_byte_by_byte() {
    let world = world();
    let contents: [&[u8]; 4] = [b"plain\n", b"\xef\xbb\xbfmarked\r\n", b"caf\xe9 au lait\n", b""];
    world.lay(".cladaignore", "");
    lay_difficult(&world, |index| [index.to_string().as_bytes(), contents[index % 4]].concat());
    // As a new program has them, under any umask of the user who runs the tests.
    let program =
        std::fs::File::options().create_new(true).write(true).mode(0o777).open(world.path("outside/p"));
    let mode = program.unwrap().metadata().unwrap().permissions();
    std::fs::set_permissions(world.path("project/README"), mode).unwrap();
    let staged = stage(&world);
    let whole = world.tree();
    for entry in std::fs::read_dir(world.project()).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            std::fs::remove_dir_all(entry).unwrap()
        } else {
            std::fs::remove_file(entry).unwrap()
        }
    }
    let restored = unstage(&world, &["--no-git", "--force"], &[&staged]);
    assert_eq!(restored.code, 0, "{restored:?}");
    whole.assert_at(&world.project());
}

#[test]
fn what_somebody_has_worked_on_meanwhile_is_not_overwritten() {
    let world = world();
    for name in ["both", "ours", "theirs", "gone"] {
        world.lay(name, "old\n");
    }
    let staged = stage(&world);
    world.lay("both", "mine\n");
    world.lay("ours", "mine\n");
    std::fs::remove_file(world.path("project/gone")).unwrap();
    // The file index moves on for others; the content of this folder stays.
    assert_eq!(world.run(&["stage", "--for", "other"], "").code, 0);
    std::fs::write(staged.join("theirs"), "edited\n").unwrap();
    let done = unstage(&world, &[], &[&staged]);
    assert!(done.code == 0, "{done:?}");
    expect![[r#"
        [task-1] SUCCESS: unstage - both left as it is
        [task-2] SUCCESS: unstage - ours left as it is
        [task-3] SUCCESS: unstage - replaced theirs from theirs (7 bytes)

         theirs | +1 -1

        WARNING (task 1): 'both' was left unchanged: it has changed since staging, and its copy 'both' was not edited; --force writes the copy back
        WARNING (task 2): 'ours' was left unchanged: it has changed since staging, and its copy 'ours' was not edited; --force writes the copy back
        WARNING: Deleted or renamed since staging, and the copy has no edits: gone; --force writes such a copy back

        3 actions: 3 succeeded. Operation ID.
    "#]].assert_eq(&world.shown(&done.stdout));
    assert_eq!((world.read("both"), world.read("ours")), ("mine\n".to_owned(), "mine\n".to_owned()));
    assert_eq!((world.read("theirs"), world.path("project/gone").exists()), ("edited\n".to_owned(), false));
    std::fs::write(staged.join("both"), "edited\n").unwrap();
    std::fs::write(staged.join("theirs"), "twice\n").unwrap();
    let before = world.tree();
    let conflict = unstage(&world, &[], &[&staged]);
    assert!(conflict.code == 1, "{conflict:?}");
    expect![[r#"
        [task-1] ERROR: unstage - File was changed since it was staged 'both' (CONFLICT)
          look at both with --dry-run --force, then write the copy back with --force, or merge by hand
        [task-2] SKIP: unstage - Not done: it fits, but task 1 cannot be done, and the answer is applied whole or not at all (SKIPPED)
        [task-3] ERROR: unstage - File was changed since it was staged 'theirs' (CONFLICT)
          look at both with --dry-run --force, then write the copy back with --force, or merge by hand

        WARNING: Deleted or renamed since staging, and the copy has no edits: gone; --force writes such a copy back

        3 actions: 0 succeeded, 2 failed, 1 not attempted. Operation ID.
    "#]].assert_eq(&world.shown(&conflict.stdout));
    before.assert_at(&world.project());
    let forced = unstage(&world, &["--force"], &[&staged.join("both")]);
    assert!(forced.code == 0 && world.read("both") == "edited\n", "{forced:?}");
}

#[test]
fn a_name_that_nothing_was_staged_as_is_an_error() {
    let world = world();
    world.lay("src/main.rs", "1");
    let nothing = unstage(&world, &[], &[&copy(&world, "src-main.rs", "2")]);
    assert!(nothing.code == 1, "{nothing:?}");
    expect![[r#"
        clada: Nothing was staged as 'src-main.rs'; nothing was written back
          `clada stage` makes a manifest of all names; rename the files as it has them
    "#]]
    .assert_eq(&world.shown(&nothing.stderr));
    stage(&world);
    let renamed = copy(&world, "src-main (1).rs", "2");
    let unknown = unstage(&world, &[], &[&world.path("downloads"), &renamed]);
    assert!(unknown.code == 1, "{unknown:?}");
    expect![[r#"
        clada: Nothing was staged as 'src-main (1).rs'; nothing was written back
          rename the files as they were staged: 'src-main.rs' for 'src-main (1).rs'
    "#]]
    .assert_eq(&world.shown(&unknown.stderr));
    assert_eq!(world.read("src/main.rs"), "1");
    std::fs::create_dir(world.path("more")).unwrap();
    std::fs::write(world.path("more/src-main.rs"), "3").unwrap();
    let twice = unstage(&world, &[], &[&world.path("downloads/src-main.rs"), &world.path("more")]);
    assert!(twice.code == 1, "{twice:?}");
    expect![[r#"
        clada: Two files are called 'src-main.rs', '/TOP/downloads/src-main.rs' and '/TOP/more/src-main.rs'; nothing was written back
          name the one that is meant
    "#]].assert_eq(&world.shown(&twice.stderr));
    assert_eq!(world.read("src/main.rs"), "1");
    let missing = unstage(&world, &[], &[&world.path("nowhere")]);
    assert!(missing.code == 1, "{missing:?}");
    expect![[r#"
        clada: '/TOP/nowhere' cannot be read: No such file or directory (os error 2); nothing was written back
    "#]]
    .assert_eq(&world.shown(&missing.stderr));
    assert_eq!(world.run(&["unstage"], "").code, 2);
}

#[test]
fn a_forged_manifest_leads_nowhere_else() {
    let world = world();
    world.lay("README.md", "r");
    world.lay(".github/workflows/ci.yml", "ci");
    stage(&world);
    let root = world.root();
    let forged = format!(
        r#"{{"version": 1, "root": "{root}", "removed": [],
            "files": {{"README.md": ".github/workflows/ci.yml", "..-outside-x": "../outside/x"}}}}"#
    );
    copy(&world, "_path_manifest.json", forged);
    copy(&world, "README.md", "mine");
    assert_eq!(unstage(&world, &[], &[&world.path("downloads")]).code, 0);
    assert_eq!(
        (world.read("README.md").as_str(), world.read(".github/workflows/ci.yml").as_str()),
        ("mine", "ci")
    );
    let outside = unstage(&world, &[], &[&copy(&world, "..-outside-x", "x")]);
    assert!(outside.code == 1 && !world.path("outside/x").exists(), "{outside:?}");
    // A file that runs by itself needs a user's approval.
    let workflow = copy(&world, "dot--github-workflows-ci.yml", "run: all");
    let asked = unstage(&world, &["--json"], &[&workflow]);
    let result: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert!(asked.code == 1 && result["approvals"][0]["id"].is_string(), "{asked:?}");
    assert_eq!(world.read(".github/workflows/ci.yml"), "ci");
    assert_eq!(unstage(&world, &["--approve-all"], &[&workflow]).code, 0);
    assert_eq!(world.read(".github/workflows/ci.yml"), "run: all");
}

/// Gives `path` another time of its last change, so many seconds from now.
fn date(path: &Path, seconds: i64) {
    let now = std::time::SystemTime::now();
    let offset = std::time::Duration::from_secs(seconds.unsigned_abs());
    let time = if seconds < 0 { now - offset } else { now + offset };
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn an_old_copy_does_not_overwrite_what_was_staged_again() {
    let world = world();
    world.lay("a", "old\n");
    world.lay("b", "old\n");
    let first = stage(&world);
    // Edited where it was staged, so that its folder stays; copied out; and loose.
    let kept = world.path("kept");
    std::fs::create_dir(&kept).unwrap();
    for entry in std::fs::read_dir(&first).unwrap().map(|entry| entry.unwrap()) {
        std::fs::copy(entry.path(), kept.join(entry.file_name())).unwrap();
    }
    let loose = copy(&world, "a", "edited\n");
    date(&loose, -60);
    world.lay("a", "newer\n");
    for path in [first.join("a"), kept.join("a"), first.join("b"), kept.join("b")] {
        std::fs::write(path, "edited\n").unwrap();
    }
    stage(&world);
    for path in [&first.join("a"), &kept.join("a"), &loose] {
        let conflict = unstage(&world, &[], &[path]);
        assert!(conflict.code == 1 && conflict.stdout.contains("staged again"), "{conflict:?}");
        assert!(conflict.stdout.contains("--force"), "{conflict:?}");
        assert_eq!(world.read("a"), "newer\n");
    }
    // All or none, and a dry run reports the same.
    for flags in [&[][..], &["--dry-run"]] {
        let conflict = unstage(&world, flags, &[&first]);
        assert!(conflict.code == 1 && world.read("b") == "old\n", "{conflict:?}");
    }
    // A file with its content of then is not a conflict, though another folder was handed over since.
    for (path, name) in [(first.join("b"), "b"), (kept.join("b"), "b")] {
        world.lay(name, "old\n");
        let done = unstage(&world, &[], &[&path]);
        assert!(done.code == 0 && world.read(name) == "edited\n", "{done:?}");
    }
    // A copy of the last staged file.
    date(&loose, 60);
    let done = unstage(&world, &[], &[&loose]);
    assert!(done.code == 0 && world.read("a") == "edited\n", "{done:?}");
    // A file that was only ever handed over with one content may be as old as it likes: archives have such
    // times.
    world.lay("c", "old\n");
    stage(&world);
    let archived = copy(&world, "c", "edited\n");
    date(&archived, -1_000_000_000);
    let done = unstage(&world, &[], &[&archived]);
    assert!(done.code == 0 && world.read("c") == "edited\n", "{done:?}");
}

#[test]
fn what_was_staged_for_others_with_another_content_is_asked_about() {
    let world = world();
    world.lay("a", "1\n");
    world.lay("same", "1\n");
    stage(&world);
    world.lay("a", "2\n");
    super::stage(&world, &["--for", "review"]);
    let (edited, same) = (copy(&world, "a", "edited\n"), copy(&world, "same", "edited\n"));
    date(&edited, 60);
    let asked = unstage(&world, &[], &[&edited]);
    assert!(asked.code == 1, "{asked:?}");
    expect![[r#"
        [task-1] ERROR: unstage - File was staged with another content for others 'a' (CONFLICT)
          say which baseline this copy belongs to, with one of --for '', --for review; or look at both with --dry-run --force, then write the copy back with --force, or merge by hand

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]].assert_eq(&world.shown(&asked.stdout));
    let wrong = unstage(&world, &["--for", ""], &[&edited]);
    assert!(wrong.code == 1, "{wrong:?}");
    expect![[r#"
        [task-1] ERROR: unstage - File was changed since it was staged 'a' (CONFLICT)
          look at both with --dry-run --force, then write the copy back with --force, or merge by hand

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]]
    .assert_eq(&world.shown(&wrong.stdout));
    let nobody = unstage(&world, &["--for", "nobody"], &[&edited]);
    assert!(nobody.code == 1, "{nobody:?}");
    expect![[r#"
        clada: Nothing was staged for 'nobody' yet; nothing was written back
          there are --for '', --for review
    "#]]
    .assert_eq(&world.shown(&nobody.stderr));
    assert_eq!(world.read("a"), "2\n");
    let done = unstage(&world, &["--for", "review"], &[&edited]);
    assert!(done.code == 0 && world.read("a") == "edited\n", "{done:?}");
    let done = unstage(&world, &[], &[&same]);
    assert!(done.code == 0 && world.read("same") == "edited\n", "{done:?}");
}

#[test]
fn what_is_not_known_to_be_staged_does_not_overwrite() {
    let world = world();
    world.lay("a", "1\n");
    let staged = stage(&world);
    std::fs::copy(staged.join("_path_manifest.json"), world.path("downloads/_path_manifest.json")).unwrap();
    let edited = copy(&world, "a", "edited\n");
    world.stop().unwrap();
    std::fs::remove_dir_all(world.path("state")).unwrap();
    let conflict = unstage(&world, &[], &[&edited]);
    assert!(conflict.code == 1, "{conflict:?}");
    expect![[r#"
        [task-1] ERROR: unstage - The file exists, and clada has no record of staging it 'a' (CONFLICT)
          look at both with --dry-run --force, then write the copy back with --force, or merge by hand

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]]
    .assert_eq(&world.shown(&conflict.stdout));
    assert_eq!(world.read("a"), "1\n");
    std::fs::remove_file(world.path("project/a")).unwrap();
    assert_eq!(unstage(&world, &[], &[&edited]).code, 0);
    assert_eq!(world.read("a"), "edited\n");
}

#[test]
fn regression_a_copy_of_a_folder_that_is_forgotten_does_not_overwrite() {
    let world = world();
    world.lay("a.txt", "old\n");
    world.lay("same.txt", "same\n");
    let first = stage(&world);
    let kept = world.path("kept");
    std::fs::create_dir(&kept).unwrap();
    for entry in std::fs::read_dir(&first).unwrap().map(|entry| entry.unwrap()) {
        std::fs::copy(entry.path(), kept.join(entry.file_name())).unwrap();
    }
    // As of a folder after which too many others were staged.
    let marker = std::fs::read_to_string(kept.join(".clada-stage")).unwrap();
    let token = marker.lines().next().unwrap();
    let other: String = token.chars().rev().collect();
    std::fs::write(kept.join(".clada-stage"), marker.replace(token, &other)).unwrap();
    world.lay("a.txt", "new, and staged\n");
    stage(&world);
    std::fs::write(kept.join("a.txt"), "old, edited\n").unwrap();
    let conflict = unstage(&world, &[], &[&kept]);
    assert!(conflict.code == 1, "{conflict:?}");
    expect![[r#"
        [task-1] ERROR: unstage - clada no longer knows which content this copy was made from 'a.txt' (CONFLICT)
          look at both with --dry-run --force, then write the copy back with --force, or merge by hand
        [task-2] SKIP: unstage - Not done: it fits, but task 1 cannot be done, and the answer is applied whole or not at all (SKIPPED)

        2 actions: 0 succeeded, 1 failed, 1 not attempted. Operation ID.
    "#]].assert_eq(&world.shown(&conflict.stdout));
    assert_eq!(world.read("a.txt"), "new, and staged\n");
    let forced = unstage(&world, &["--force"], &[&kept]);
    assert!(forced.code == 0 && world.read("a.txt") == "old, edited\n", "{forced:?}");
}

#[test]
fn regression_each_copy_is_told_by_its_path_also_through_a_link_to_the_root() {
    let mut world = world();
    let link = world.path("link");
    std::os::unix::fs::symlink(world.project(), &link).unwrap();
    world.set("PWD", link);
    // The path that another one would be, if `\` stood between folders.
    world.lay("a/b.txt", "slash\n");
    world.lay("a\\b.txt", "backslash\n");
    world.lay("~/b.txt", "home\n");
    // The second one has the mark of a hash in its flat name, since both would be `caf_.txt`.
    world.lay("caf_.txt", "plain\n");
    let odd = world.project().join(OsStr::from_bytes(b"caf\xe9.txt"));
    if std::fs::write(&odd, "odd\n").is_err() {
        return skipped("a name that is not UTF-8", "the file system takes none");
    }
    let staged = super::stage(&world, &[]);
    let marked: Vec<String> = staged.names().into_iter().filter(|name| name.starts_with("caf_~")).collect();
    let [marked] = &marked[..] else { panic!("{:?}", staged.names()) };
    let copies =
        ["a_b.txt", "~-b.txt", marked.as_str()].map(|name| copy(&world, name, format!("edited {name}\n")));
    let paths: Vec<&Path> = copies.iter().map(PathBuf::as_path).collect();
    let done = unstage(&world, &[], &paths);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(world.read("a\\b.txt"), "edited a_b.txt\n");
    assert_eq!(world.read("~/b.txt"), "edited ~-b.txt\n");
    assert_eq!(std::fs::read_to_string(&odd).unwrap(), format!("edited {marked}\n"));
    assert_eq!((world.read("a/b.txt"), world.read("caf_.txt")), ("slash\n".into(), "plain\n".into()));
    assert!(done.stdout.contains(&format!("replaced caf\u{fffd}.txt from {marked}")), "{done:?}");
    assert!(!done.stdout.contains(&world.root()), "{done:?}");
}

/// Stages all of the files `names`, which hold their names, and copies the folder to `outside/copies`.
fn copied(world: &World, names: &[&str]) -> PathBuf {
    names.iter().for_each(|name| world.lay(name, format!("{name}\n")));
    let staged = super::stage(world, &["--all"]).path;
    let copies = world.path("outside/copies");
    std::fs::create_dir_all(&copies).unwrap();
    for entry in std::fs::read_dir(&staged).unwrap().map(|entry| entry.unwrap()) {
        std::fs::copy(entry.path(), copies.join(entry.file_name())).unwrap();
    }
    copies
}

fn is_there(world: &World, name: &str) -> bool {
    world.path("project").join(name).exists()
}

#[test]
fn regression_an_unedited_copy_brings_no_deleted_or_renamed_file_back() {
    let world = world();
    let copies = copied(&world, &["deleted", "renamed", "edited"]);
    std::fs::remove_file(world.path("project/deleted")).unwrap();
    std::fs::rename(world.path("project/renamed"), world.path("project/new")).unwrap();
    std::fs::write(copies.join("edited"), "by the model\n").unwrap();
    let done = unstage(&world, &[], &[&copies]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(world.read("edited"), "by the model\n");
    assert!(!is_there(&world, "deleted") && !is_there(&world, "renamed"), "{done:?}");
    let shown = world.shown(&done.stdout);
    assert!(shown.contains("the copy has no edits: deleted, renamed; --force writes"), "{shown}");
    // Nor does it after the next stage, for copies in a folder that nothing is known of.
    std::fs::remove_file(copies.join(".clada-stage")).unwrap();
    stage(&world);
    let loose = unstage(&world, &[], &[&copies.join("deleted"), &copies.join("renamed")]);
    // Whether they were edited cannot be known any more.
    assert!(loose.code == 1 && !is_there(&world, "deleted") && !is_there(&world, "renamed"), "{loose:?}");
    let forced = unstage(&world, &["--force"], &[&copies.join("deleted")]);
    assert!(forced.code == 0 && world.read("deleted") == "deleted\n", "{forced:?}");
}

#[test]
fn regression_an_edited_copy_of_a_renamed_file_names_the_next_step() {
    let world = world();
    let copies = copied(&world, &["old"]);
    std::fs::rename(world.path("project/old"), world.path("project/new")).unwrap();
    std::fs::write(copies.join("old"), "edited\n").unwrap();
    let before = world.tree();
    for flags in [&[][..], &["--dry-run"]] {
        let refused = unstage(&world, flags, &[&copies]);
        assert_eq!(refused.code, 1, "{refused:?}");
        let shown = world.shown(&refused.stdout);
        assert!(
            shown.contains("File was deleted or renamed since it was staged 'old' (CONFLICT)"),
            "{shown}"
        );
        assert!(shown.contains("copy the edits there; --force writes the copy to its old place"), "{shown}");
    }
    before.assert_at(&world.project());
    // The next step works, also after the file was staged under its new name.
    stage(&world);
    std::fs::rename(copies.join("old"), copies.join("new")).unwrap();
    std::fs::remove_file(copies.join(".clada-stage")).unwrap();
    let moved = unstage(&world, &[], &[&copies]);
    assert!(moved.code == 0 && world.read("new") == "edited\n", "{moved:?}");
}

#[test]
fn regression_what_is_no_file_among_the_copies_is_named() {
    let world = world();
    let copies = copied(&world, &["a", "link", "folder", "pipe", "secret"]);
    for name in ["link", "folder", "pipe"] {
        std::fs::remove_file(copies.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(world.path("outside"), copies.join("link")).unwrap();
    std::fs::create_dir(copies.join("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, copies.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
    std::fs::write(copies.join("a"), "edited\n").unwrap();
    std::fs::set_permissions(copies.join("secret"), PermissionsExt::from_mode(0o0)).unwrap();
    let done = unstage(&world, &[], &[&copies]);
    let shown = world.shown(&done.stdout);
    assert!(done.code == 0 && world.read("a") == "edited\n", "{done:?}");
    for what in [
        "Skipped a link: 'link'; name a link itself to write back the file that it names",
        "Skipped a folder: 'folder'; name a folder itself to write back the files in it",
        "Skipped a pipe, socket or device: 'pipe'; only regular files are written back",
    ] {
        assert!(shown.contains(what), "{shown}");
    }
    if rustix::process::geteuid().is_root() {
        skipped("a file that its owner may not read", "root reads all");
    } else {
        let what = "Skipped a file without read permission: 'secret'; run `chmod u+r`, then `unstage` again";
        assert!(shown.contains(what), "{shown}");
        // A file that its user names is an error.
        let named = unstage(&world, &[], &[&copies.join("secret")]);
        assert!(named.code == 1 && named.stderr.contains("cannot be read"), "{named:?}");
    }
    // A named link is followed; a named pipe is refused without a wait.
    std::fs::remove_file(copies.join("link")).unwrap();
    std::os::unix::fs::symlink(copies.join("a"), copies.join("link")).unwrap();
    let named = unstage(&world, &[], &[&copies.join("link")]);
    assert!(named.code == 0 && world.read("link") == "edited\n", "{named:?}");
    assert_eq!(unstage(&world, &[], &[&copies.join("pipe")]).code, 1);
    // Nothing but entries that are skipped.
    let nothing = unstage(&world, &[], &[&copies.join("folder"), &world.path("downloads")]);
    assert!(nothing.code == 1 && nothing.stderr.contains("There is no file to write back"), "{nothing:?}");
}

#[test]
fn regression_two_copies_of_one_name_are_refused_with_both_places() {
    let world = world();
    let copies = copied(&world, &["a"]);
    let other = copy(&world, "a", "another\n");
    let before = world.tree();
    let refused = unstage(&world, &[], &[&copies, &other]);
    assert_eq!(refused.code, 1, "{refused:?}");
    for place in [&copies.join("a"), &other] {
        assert!(refused.stderr.contains(place.to_str().unwrap()), "{refused:?}");
    }
    before.assert_at(&world.project());
}
