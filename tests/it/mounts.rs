//! File systems that are full or read-only. The daemon runs in a mount namespace of its own, so that nothing is
//! mounted for anybody else and nothing is left when it ends.

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, World, feed, skipped};

/// Starts the world's daemon in a mount namespace in which `script` has been run; `false` if that is not allowed.
fn start(world: &World, script: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    let flags: &[&str] = if root { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let mut unshare = world.program("unshare");
    let whole = format!("set -e\n{script}\nexec \"$1\" status");
    unshare.args(flags).args(["sh", "-c", &whole, "sh", env!("CARGO_BIN_EXE_it-client")]);
    unshare.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    if world.program("unshare").arg("--version").output().is_err() {
        skipped("full and read-only file systems", "there is no unshare");
        return false;
    }
    let ran = feed(&mut unshare, b"");
    if ran.code != 0 {
        skipped("full and read-only file systems", ran.stderr.trim());
    }
    ran.code == 0
}

fn errors(result: &Value) -> Vec<&str> {
    result["results"].as_array().unwrap().iter().map(|found| found["error"].as_str().unwrap_or("")).collect()
}

#[test]
fn a_full_file_system_leaves_files_as_they_were() {
    let world = World::new();
    std::fs::create_dir(world.project().join("small")).unwrap();
    let script = "mount -t tmpfs -o size=64k,mode=0755 tmpfs small\nprintf old > small/a.txt";
    if !start(&world, script) {
        return;
    }
    let small = |name: &str| world.at(&format!("small/{name}"));
    let answer = Answer::new()
        .write(&small("a.txt"), &"x".repeat(200_000))
        .write(&small("new/deep/b.txt"), &"x".repeat(200_000))
        .action("file_append", &[("path", &small("a.txt")), ("content", &"x".repeat(200_000))])
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
    let world = World::new();
    world.lay("ro/a.txt", "old");
    world.lay("ro/d/x", "x");
    world.lay("rw.txt", "rw");
    let script = "mount --bind ro ro\nmount -o remount,bind,ro ro ro || mount -o remount,bind,ro ro";
    if !start(&world, script) {
        return;
    }
    let ro = |name: &str| world.at(&format!("ro/{name}"));
    let answer = Answer::new()
        .write(&ro("a.txt"), "new")
        .write(&ro("b.txt"), "new")
        .write(&ro("e/f/c.txt"), "new")
        .replace(&ro("a.txt"), "old", "new")
        .action("file_delete", &[("path", &ro("a.txt"))])
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
    let world = World::new();
    std::fs::create_dir(world.project().join("other")).unwrap();
    world.lay("a.sh", "content");
    std::fs::set_permissions(
        world.project().join("a.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o750),
    )
    .unwrap();
    std::os::unix::fs::symlink("a.sh", world.project().join("link")).unwrap();
    if !start(&world, "mount -t tmpfs -o size=1m tmpfs other") {
        return;
    }
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
    let world = World::new();
    world.lay("m/under", "1");
    world.lay("a", "1");
    if !start(&world, "true") {
        return;
    }
    let pid = world.status()["pid"].to_string();
    let inside = |script: &str| {
        let mut enter = world.program("nsenter");
        let user: &[&str] =
            if rustix::process::geteuid().is_root() { &[] } else { &["--user", "--preserve-credentials"] };
        enter.args(["--target", &pid, "--mount"]).args(user).args(["sh", "-ec", script]);
        enter.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        let ran = feed(&mut enter, b"");
        assert_eq!(ran.code, 0, "{ran:?}");
    };
    let mut connection = world.connect();
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
