//! File systems that are full or read-only. Each test runs itself again in a mount namespace of its own, with
//! its daemon, so that no other process sees the mounts and nothing is left when it ends.

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, World, feed, skipped};

/// Set for the process that runs a test in a mount namespace of its own.
const INSIDE: &str = "CLADA_TEST_MOUNTS";

/// Returns true if this process has a mount namespace of its own. If not, runs the test `name` in one that
/// has.
fn has_own_mounts(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let root = rustix::process::geteuid().is_root();
    let flags: &[&str] = if root { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let unshare = || {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(flags).env(INSIDE, "1");
        unshare
    };
    match unshare().args(["mount", "--version"]).output() {
        Ok(tried) if tried.status.success() => {}
        Ok(tried) => {
            skipped("full and read-only file systems", String::from_utf8_lossy(&tried.stderr).trim());
            return false;
        }
        Err(_) => {
            skipped("full and read-only file systems", "there is no unshare");
            return false;
        }
    }
    let own = std::env::current_exe().unwrap();
    let name = format!("mounts::{name}");
    let ran = unshare().arg(own).args(["--exact", &name, "--nocapture"]).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// Runs `script` in the folder of the project.
fn shell(world: &World, script: &str) {
    let mut shell = world.program("sh");
    shell.args(["-ec", script]).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    let ran = feed(&mut shell, b"");
    assert_eq!(ran.code, 0, "{script}: {ran:?}");
}

/// A mount of a test in the project, until it ends.
struct Mounted<'w> {
    world: &'w World,
    place: &'static str,
}

impl<'w> Mounted<'w> {
    /// Runs `script`, which mounts something at `place`.
    fn new(world: &'w World, place: &'static str, script: &str) -> Mounted<'w> {
        shell(world, script);
        Mounted { world, place }
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        shell(self.world, &format!("while umount -l {} 2> /dev/null; do :; done", self.place));
    }
}

fn errors(result: &Value) -> Vec<&str> {
    result["results"].as_array().unwrap().iter().map(|found| found["error"].as_str().unwrap_or("")).collect()
}

#[test]
fn a_full_file_system_leaves_files_as_they_were() {
    if !has_own_mounts("a_full_file_system_leaves_files_as_they_were") {
        return;
    }
    let world = World::new();
    std::fs::create_dir(world.project().join("small")).unwrap();
    let script = "mount -t tmpfs -o size=64k,mode=0755 tmpfs small\nprintf old > small/a.txt";
    let _mounted = Mounted::new(&world, "small", script);
    let small = |name: &str| world.at(&format!("small/{name}"));
    let answer = Answer::new()
        .write(&small("a.txt"), &"x".repeat(200_000))
        .write(&small("new/deep/b.txt"), &"x".repeat(200_000))
        .action("file_append", &[("path", &small("a.txt")), ("content", &"x".repeat(200_000))])
        // The file outside has room; it is the move into the full file system that must fail and leave it.
        .write(&world.at("elsewhere.txt"), &"x".repeat(200_000))
        .write(&small("fits.txt"), "fits")
        .action("file_move", &[("old_path", &world.at("elsewhere.txt")), ("new_path", &small("moved.txt"))])
        .read(&small("a.txt"))
        .action("ls", &[("path", &world.at("small"))]);
    let result = world.execute(&answer, json!({}));
    let kinds = kinds(&result);
    assert_eq!(kinds[0], "no_space", "{result:#}");
    assert_eq!(
        errors(&result)[0],
        format!("file_write: No space left on the file system '{}' (ENOSPC)", small("a.txt"))
    );
    assert_eq!(kinds[1], "no_space", "{result:#}");
    assert!(!result["results"][2]["success"].as_bool().unwrap(), "{result:#}");
    assert_eq!(kinds[3..5], ["none", "none"], "{result:#}");
    assert_eq!(kinds[5], "no_space", "{result:#}");
    assert_eq!(world.read("elsewhere.txt").len(), 200_000);
    assert_eq!(result["results"][6]["data"]["content"], "old");
    let names: Vec<_> = result["results"][7]["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a.txt", "fits.txt"], "no temporary file and no new folder is left");
    let ran = world.apply(&answer);
    assert!(ran.code == 1 && ran.stdout.contains("(ENOSPC)"), "{ran:?}");
}

#[test]
fn a_read_only_file_system_is_told() {
    if !has_own_mounts("a_read_only_file_system_is_told") {
        return;
    }
    let world = World::new();
    world.lay("ro/a.txt", "old");
    world.lay("ro/d/x", "x");
    world.lay("rw.txt", "rw");
    let script = "mount --bind ro ro\nmount -o remount,bind,ro ro ro || mount -o remount,bind,ro ro";
    let _mounted = Mounted::new(&world, "ro", script);
    let ro = |name: &str| world.at(&format!("ro/{name}"));
    let answer = Answer::new()
        .write(&ro("a.txt"), "new")
        .write(&ro("b.txt"), "new")
        .write(&ro("e/f/c.txt"), "new")
        .replace(&ro("a.txt"), "old", "new")
        .action("file_delete", &[("path", &ro("a.txt"))])
        // Moves out of and into it change it as well: they need a deletion or a new name there.
        .action("file_move", &[("old_path", &ro("d/x")), ("new_path", &world.at("out.txt"))])
        .action("file_move", &[("old_path", &world.at("rw.txt")), ("new_path", &ro("in.txt"))])
        .action("dir_create", &[("path", &ro("g"))])
        .write(&world.at("fine.txt"), "fine")
        .read(&world.at("rw.txt"));
    let before = world.tree();
    let result = world.execute(&answer, json!({}));
    let kinds = kinds(&result);
    assert_eq!(kinds[0], "read_only", "{result:#}");
    assert_eq!(errors(&result)[0], format!("file_write: File system is read-only '{}' (EROFS)", ro("a.txt")));
    assert!(kinds[..8].iter().all(|kind| kind != "none"), "{result:#}");
    assert_eq!(kinds[1..3], ["read_only", "read_only"], "{result:#}");
    assert_eq!(result["results"][8]["success"], true);
    std::fs::remove_file(world.project().join("fine.txt")).unwrap();
    before.assert_at(&world.project());
}

#[test]
fn a_move_to_another_file_system_keeps_content_and_mode() {
    if !has_own_mounts("a_move_to_another_file_system_keeps_content_and_mode") {
        return;
    }
    let world = World::new();
    std::fs::create_dir(world.project().join("other")).unwrap();
    world.lay("a.sh", "content");
    std::fs::set_permissions(
        world.project().join("a.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o750),
    )
    .unwrap();
    std::os::unix::fs::symlink("a.sh", world.project().join("link")).unwrap();
    let _mounted = Mounted::new(&world, "other", "mount -t tmpfs -o size=1m tmpfs other");
    let answer = Answer::new()
        .action("file_move", &[("old_path", &world.at("a.sh")), ("new_path", &world.at("other/d/b.sh"))])
        .read(&world.at("other/d/b.sh"))
        .action("file_move", &[("old_path", &world.at("link")), ("new_path", &world.at("other/link"))])
        .action("ls", &[("path", &world.at("other"))])
        .action("file_move", &[("old_path", &world.at("other/d/b.sh")), ("new_path", &world.at("back.sh"))]);
    let result = world.execute(&answer, json!({}));
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!(result["results"][1]["data"]["content"], "content");
    let entries = result["results"][3]["data"].as_array().unwrap();
    assert_eq!((&entries[1]["name"], &entries[1]["type"]), (&json!("link"), &json!("symlink")));
    let back = world.project().join("back.sh").metadata().unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&back.permissions()) & 0o777, 0o750);
    assert!(!world.exists("a.sh") && !world.exists("link"));
}

#[test]
fn regression_what_is_mounted_over_a_folder_is_seen_and_what_it_covers_is_not() {
    if !has_own_mounts("regression_what_is_mounted_over_a_folder_is_seen_and_what_it_covers_is_not") {
        return;
    }
    let world = World::new();
    world.lay("m/under", "1");
    world.lay("a", "1");
    let inside = |script: &str| shell(&world, script);
    let mut connection = world.connect();
    // The clock of each answer is the start of the next question, so that each change is listed once.
    let mut changes = |since: &Value| {
        let mut params = json!({ "root": world.root() });
        if !since.is_null() {
            params["since"] = since.clone();
        }
        let answer = connection.call("project.changes", &params);
        let files = answer["files"].as_array().unwrap().iter();
        let mut files: Vec<String> = files.map(|file| format!("{} {}", file["kind"], file["path"])).collect();
        files.sort();
        (answer["clock"].clone(), files.join(", ").replace('"', ""))
    };
    let (clock, all) = changes(&Value::Null);
    assert_eq!(all, "created a, created m/under");
    let place = world.at("m");
    inside(&format!("mount -t tmpfs -o size=1m tmpfs '{place}'; echo 1 > '{place}/over'"));
    let (clock, mounted) = changes(&clock);
    assert_eq!(mounted, "created m/over, deleted m/under");
    inside(&format!("echo 2 > '{place}/over'"));
    let (clock, changed) = changes(&clock);
    assert_eq!(changed, "changed m/over");
    inside(&format!("umount '{place}'; echo 2 > '{place}/under'"));
    let (clock, taken_off) = changes(&clock);
    assert_eq!(taken_off, "created m/under, deleted m/over");
    world.lay("m/under", "3");
    assert_eq!(changes(&clock).1, "changed m/under");
}

/// A file that something is mounted on can be neither replaced nor undone: the record names it, the undo refuses
/// for it, and does the rest if it is told to.
#[test]
fn regression_a_mounted_file_is_named_and_the_rest_is_undone() {
    if !has_own_mounts("regression_a_mounted_file_is_named_and_the_rest_is_undone") {
        return;
    }
    let world = World::new();
    for (path, content) in [("conf.yml", "1\n"), ("a", "1\n")] {
        world.lay(path, content);
    }
    let _mounted = Mounted::new(&world, "conf.yml", "mount --bind conf.yml conf.yml");
    let result = world.apply_json(&[], Answer::new().replace(&world.at("conf.yml"), "1", "2").text());
    let failed = &result["results"][0];
    assert!(failed["error"].as_str().unwrap().contains("(EBUSY)"), "{result}");
    assert!(failed["hint"].as_str().unwrap().contains("mount the folder"), "{result}");
    let recorded =
        world.run(&["record", "--", "sh", "-c", "echo 5 > conf.yml; echo 6 > a; echo 7 > new"], "");
    let said = recorded.stdout.clone() + &recorded.stderr;
    assert!(said.contains("undo cannot restore them: conf.yml"), "{recorded:?}");
    let refused = world.run(&["undo"], "");
    assert!(refused.code != 0 && refused.stderr.contains("something is mounted on it"), "{refused:?}");
    assert_eq!(world.read("a"), "6\n");
    let forced = world.run(&["undo", "--force"], "");
    assert_eq!(forced.code, 0, "{forced:?}");
    assert_eq!((world.read("conf.yml").as_str(), world.read("a").as_str()), ("5\n", "1\n"));
    assert!(!world.exists("new"));
}
