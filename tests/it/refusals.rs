//! Paths that an answer may not name, in the spellings that attackers and careless models find.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Answer, Entry, Tree, World, cases};

/// Every way in which an answer can name a path.
fn all_ways(path: &str) -> Answer {
    let other = "harmless.txt";
    Answer::new()
        .write(path, "evil")
        .action("file_append", &[("path", path), ("content", "evil")])
        .replace(path, "precious", "evil")
        .action("file_replace_all_text", &[("path", path), ("old_text", "precious"), ("new_text", "evil")])
        .action("files_replace_all_text", &[("paths", path), ("old_text", "precious"), ("new_text", "evil")])
        .action(
            "file_replace_text_range",
            &[("path", path), ("old_text_beginning", "prec"), ("old_text_end", "ious"), ("new_text", "evil")],
        )
        .action("file_replace_lines", &[("path", path), ("lines", "1"), ("new_content", "evil")])
        .action("file_delete", &[("path", path)])
        .action("file_move", &[("old_path", path), ("new_path", "stolen.txt")])
        .action("file_move", &[("old_path", other), ("new_path", path)])
        .read(path)
        .action("file_read_numbered", &[("path", path)])
        .action("dir_create", &[("path", path)])
        .action("dir_delete", &[("path", path)])
        .action("ls", &[("path", path)])
        .action("grep", &[("pattern", "precious"), ("path", path)])
        .action("glob", &[("pattern", "*"), ("base_path", path)])
        .action("files_read", &[("paths", path)])
}

/// Applies every way of naming `path`: all must be refused, with one of `kinds`, and nothing shown or
/// changed.
#[track_caller]
fn assert_refused(world: &World, path: &str, kinds: &[&str]) {
    let before = world.tree();
    let outside = Tree::of(&world.path("outside"));
    let home = Tree::of(&world.path("home"));
    let result = world.execute(&all_ways(path), json!({}));
    for found in result["results"].as_array().unwrap() {
        let (kind, error) = match found["action"].as_str().unwrap() {
            "files_read" => (&Value::Null, &found["data"]["errors"][0]["error"]),
            _ => (&found["kind"], &found["error"]),
        };
        let said = format!("{path:?}: {found}");
        assert!(error.as_str().is_some_and(|error| !error.is_empty()), "{said}");
        assert!(kind.is_null() || kinds.contains(&kind.as_str().unwrap()), "{said}");
        if found["action"] != "files_read" {
            assert!(!kind.is_null(), "{said}");
        }
    }
    assert!(
        result["results"].as_array().unwrap().len() >= 17 || result["parseErrors"] != json!([]),
        "{path:?}"
    );
    assert!(
        !result["results"].to_string().replace("\"old_text\":\"precious\"", "").contains("precious data")
    );
    before.assert_at(&world.project());
    outside.assert_at(&world.path("outside"));
    home.assert_at(&world.path("home"));
}

fn world() -> World {
    let world = World::with_config("durability: fast\n");
    world.lay("harmless.txt", "harmless");
    std::fs::write(world.path("outside/file.txt"), "precious data").unwrap();
    std::fs::write(world.path("home/.bashrc"), "precious data").unwrap();
    world
}

#[test]
fn paths_that_leave_the_root_are_refused() {
    let world = world();
    let sibling = format!("{}-sibling/x", world.root());
    let long_name = "n".repeat(256);
    let long_path = "d/".repeat(2100) + "x";
    let absolute = format!("{}/../outside/file.txt", world.root());
    let outside = world.path("outside/file.txt").to_str().unwrap().to_owned();
    // Traversal, absolute paths, those of other systems, and names too long for this one.
    for path in [
        "../outside/file.txt",
        "a/../../outside/file.txt",
        "./.././outside/file.txt",
        "..",
        "..\\outside\\file.txt",
        "a\\..\\..\\outside\\file.txt",
        absolute.as_str(),
        outside.as_str(),
        sibling.as_str(),
        "/",
        "//",
        "~/.bashrc",
        "~",
        "C:\\Windows\\win.ini",
        "c:/x",
        "\\\\host\\share\\x",
        "nul\0byte.txt",
        "/workspace/src/main.rs",
        long_name.as_str(),
        long_path.as_str(),
    ] {
        assert_refused(&world, path, &["path_escape", "path_denied"]);
    }
}

#[test]
fn an_empty_path_is_no_path() {
    let world = world();
    let before = world.tree();
    let result = world.execute(&all_ways(""), json!({}));
    assert!(!result.to_string().contains("\"success\":true"), "{result:#}");
    before.assert_at(&world.project());
}

#[test]
fn what_belongs_to_the_system_is_denied_even_where_the_root_is_lifted() {
    let world = world();
    for path in ["/etc/passwd", "/proc/self/environ", "/sys/kernel/x", "/etc", "/ETC/passwd"] {
        let result = world.execute(&all_ways(path), json!({ "allowEscape": true }));
        for found in
            result["results"].as_array().unwrap().iter().filter(|found| found["action"] != "files_read")
        {
            assert_eq!(found["kind"], "path_denied", "{path}: {found}");
        }
        assert!(!result.to_string().contains("root:"), "{path}");
    }
    world.connect();
    let key = world.path("home/.ssh/id_ed25519");
    std::fs::create_dir(world.path("home/.ssh")).unwrap();
    std::fs::write(&key, "precious data").unwrap();
    let result = world.execute(&all_ways(key.to_str().unwrap()), json!({ "allowEscape": true }));
    for found in result["results"].as_array().unwrap().iter().filter(|found| found["action"] != "files_read")
    {
        assert_eq!(found["kind"], "path_denied", "{found}");
    }
    assert_eq!(std::fs::read_to_string(key).unwrap(), "precious data");
}

#[test]
fn allow_escape_is_a_word_of_the_person_for_one_call() {
    let world = world();
    let target = world.path("outside/new.txt").to_str().unwrap().to_owned();
    let answer = Answer::new().write(&target, "x").read(world.path("outside/file.txt").to_str().unwrap());
    let result = world.apply_json(&["--allow-escape"], answer.text());
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "x");
    let result = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&result), ["path_escape", "path_escape"]);
}

#[test]
fn reserved_folders_are_denied_in_every_spelling() {
    let world = world();
    world.lay(".git/hooks/x", "precious data");
    world.lay(".clada/notes", "precious data");
    // Spellings that Windows or macOS would resolve to the same folders, which git refuses as well.
    for path in [
        ".git/hooks/x",
        ".git",
        ".git/",
        "./.git/hooks/x",
        ".//.git//hooks/x",
        "a/../.git/hooks/x",
        ".GIT/hooks/x",
        ".Git/HOOKS/x",
        ".git./hooks/x",
        ".git../hooks/x",
        ".git /hooks/x",
        ".git. . /hooks/x",
        "git~1/hooks/x",
        "GIT~1/hooks/x",
        ".git\\hooks\\x",
        ".git::$INDEX_ALLOCATION/hooks/x",
        ".git:stream",
        ".g\u{200c}it/hooks/x",
        ".gi\u{200d}t/hooks/x",
        "\u{feff}.git/hooks/x",
        ".g\u{202a}it/hooks/x",
        "sub/.git/hooks/x",
        "sub/module/.git",
        ".clada/config.yaml",
        ".CLADA/config.yaml",
        ".clada./config.yaml",
        ".clada ",
        ".cl\u{200b}ada/x",
        ".clada",
        "sub/.clada/x",
        ".ssh/id_rsa",
        "sub/.SSH/known_hosts",
    ] {
        assert_refused(&world, path, &["path_denied"]);
        assert_refused(&world, &world.at(path), &["path_denied"]);
    }
}

#[test]
fn names_that_only_look_reserved_are_fine() {
    let world = world();
    for name in
        [".gitignore", ".gitattributes", ".github/CODEOWNERS", "git/x", "a.git/x", ".cladaignore", ".sshd/x"]
    {
        let result = world.execute(&Answer::new().write(&world.at(name), "x"), json!({}));
        assert_eq!(result["success"], true, "{name}: {result:#}");
    }
}

#[test]
fn symbolic_links_that_leave_the_root_are_not_followed() {
    let world = world();
    let outside = world.path("outside");
    std::fs::create_dir(outside.join("dir")).unwrap();
    std::fs::write(outside.join("dir/file.txt"), "precious data").unwrap();
    symlink(outside.join("file.txt"), world.project().join("file-link")).unwrap();
    symlink(outside.join("dir"), world.project().join("dir-link")).unwrap();
    symlink("../outside", world.project().join("relative-link")).unwrap();
    symlink("dir-link", world.project().join("chain")).unwrap();
    symlink(outside.join("not-there"), world.project().join("dangling")).unwrap();
    symlink("/proc/self/root", world.project().join("magic")).unwrap();
    for path in [
        "dir-link/file.txt",
        "dir-link/new.txt",
        "dir-link/new/deep.txt",
        "relative-link/file.txt",
        "chain/file.txt",
        "dangling/x",
        "magic/etc/hostname",
        "dir-link/../file.txt/x",
    ] {
        // `..` is resolved as text: no link is ever walked through to go up.
        let kinds = ["symlink_not_allowed", "not_directory", "file_not_found"];
        if path.contains("..") {
            continue;
        }
        assert_refused(&world, path, &kinds[..1]);
    }
    // The links themselves: not read, not written, not listed through; moving and deleting them is fine.
    let before = Tree::of(&outside);
    for link in ["file-link", "dir-link", "relative-link", "dangling"] {
        let answer = Answer::new()
            .write(link, "evil")
            .action("file_append", &[("path", link), ("content", "evil")])
            .read(link)
            .action("file_read_numbered", &[("path", link)])
            .action("ls", &[("path", link)])
            .action("grep", &[("pattern", "precious"), ("path", link)])
            .action("glob", &[("pattern", "*"), ("base_path", link)])
            .action("dir_create", &[("path", link)]);
        let result = world.execute(&answer, json!({}));
        assert!(kinds(&result).iter().all(|kind| kind == "symlink_not_allowed"), "{link}: {result:#}");
        let answer = Answer::new()
            .action("file_move", &[("old_path", link), ("new_path", "moved")])
            .action("file_move", &[("old_path", "harmless.txt"), ("new_path", "moved")])
            .action("file_move", &[("old_path", "moved"), ("new_path", "harmless.txt")]);
        let result = world.execute(&answer, json!({}));
        assert_eq!(result["success"], true, "{link}: {result:#}");
        before.assert_at(&outside);
    }
    let answer = Answer::new()
        .action("grep", &[("pattern", "precious"), ("path", &world.root())])
        .action("glob", &[("pattern", "**"), ("base_path", &world.root())]);
    let result = world.execute(&answer, json!({}));
    assert!(!result.to_string().contains("precious data"), "{result:#}");
}

#[test]
fn links_that_stay_in_the_root_are_followed_by_reads_if_the_person_says_so() {
    let world = World::with_config("follow_symlinks: true\n");
    world.lay("src/a.txt", "inside");
    world.lay(".env", "precious data");
    world.lay(".git/config", "precious data");
    std::fs::write(world.path("outside/file.txt"), "precious data").unwrap();
    let link = |target: &str, name: &str| symlink(target, world.project().join(name)).unwrap();
    link("src/a.txt", "good");
    link("src", "good-dir");
    link("../outside/file.txt", "bad");
    link(".env", "secret");
    link(".git/config", "denied");
    link("loop", "loop");
    let answer = ["good", "bad", "secret", "denied", "loop"].iter().fold(Answer::new(), |answer, name| {
        answer.read(&world.at(name)).action("grep", &[("pattern", "precious"), ("path", &world.at(name))])
    });
    let result = world.execute(&answer, json!({}));
    let results = result["results"].as_array().unwrap();
    assert_eq!(results[0]["data"]["content"], "inside", "{result:#}");
    assert_eq!(results[1]["success"], true, "{result:#}");
    assert!(results[2..].iter().all(|result| result["success"] == false), "{result:#}");
    assert!(!result.to_string().contains("precious data"), "{result:#}");
    // Writing never follows.
    let result = world
        .execute(&Answer::new().write(&world.at("good"), "x").write(&world.at("good-dir/b"), "x"), json!({}));
    assert_eq!(kinds(&result), ["symlink_not_allowed", "symlink_not_allowed"]);
    assert_eq!(world.read("src/a.txt"), "inside");
}

#[test]
fn a_link_swapped_in_while_writing_leads_nowhere() {
    let rounds = cases(200, 1000);
    let world = world();
    let (project, outside) = (world.project(), world.path("outside"));
    std::fs::create_dir(project.join("dir")).unwrap();
    symlink(&outside, project.join("swap")).unwrap();
    let before = Tree::of(&outside);
    let done = std::sync::atomic::AtomicBool::new(false);
    let mut connection = world.connect();
    let (mut written, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let (dir, link) = (project.join("dir"), project.join("swap"));
                if renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).is_err() {
                    // There is no atomic exchange here: the folder is away for a moment.
                    let aside = project.join("aside");
                    let _ = std::fs::rename(&dir, &aside);
                    let _ = std::fs::rename(&link, &dir);
                    let _ = std::fs::rename(&aside, &link);
                }
            }
        });
        for round in 0..rounds {
            let file = format!("dir/{round}.txt");
            let answer = Answer::new()
                .write(&file, "x")
                .write("dir/deep/er/file.txt", "x")
                .action("file_append", &[("path", "dir/file.txt"), ("content", "evil")])
                .action("file_delete", &[("path", "dir/file.txt")])
                .read("dir/file.txt")
                .action("file_move", &[("old_path", &file), ("new_path", "dir/moved.txt")]);
            let result = connection.call("execute", &json!({ "root": world.root(), "text": answer.text() }));
            assert!(!result.to_string().contains("precious data"), "{result:#}");
            for found in result["results"].as_array().unwrap() {
                if found["success"] == true { written += 1 } else { refused += 1 }
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        swapper.join().unwrap();
    });
    before.assert_at(&outside);
    assert_eq!(written + refused, rounds * 6);
}

#[test]
fn a_fifo_hangs_nobody() {
    let world = world();
    let mut tree = Tree::of(&world.project());
    let mut pipe = Tree::default();
    pipe.insert("pipe", Entry::Fifo);
    pipe.lay_out(&world.project());
    tree.insert("pipe", Entry::Fifo);
    let answer = all_ways("pipe");
    let result = world.execute(&answer, json!({}));
    for found in result["results"].as_array().unwrap() {
        let allowed = ["not_regular_file", "not_directory", "file_exists", "is_directory"];
        let kind = found["kind"].as_str();
        assert!(
            found["action"] == "files_read" || kind.is_some_and(|kind| allowed.contains(&kind)),
            "{found}"
        );
    }
    tree.assert_at(&world.project());
    let answer = Answer::new()
        .action("ls", &[("path", &world.root())])
        .action("grep", &[("pattern", "x"), ("path", &world.root())]);
    assert_eq!(world.execute(&answer, json!({}))["success"], true);
}

#[test]
fn a_failed_action_leaves_its_file_and_the_next_go_on() {
    let world = World::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        world.lay(name, "one\n");
    }
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "1")
        .replace(&world.at("b.txt"), "two", "2")
        .write(&world.at("../x"), "x")
        .replace(&world.at("c.txt"), "one", "3");
    let ran = world.apply(&answer);
    assert_eq!(ran.code, 1);
    assert_eq!(
        (world.read("a.txt"), world.read("b.txt"), world.read("c.txt")),
        ("1\n".into(), "one\n".into(), "3\n".into())
    );
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("[task-")).collect();
    assert_eq!(lines[0], "[task-1] SUCCESS: file_replace_text - 1 replacement in a.txt");
    assert_eq!(lines[1], "[task-2] ERROR: file_replace_text - old_text not found in 'b.txt' (NO_MATCH)");
    assert!(lines[2].starts_with("[task-3] ERROR: file_write - Path lies outside the allowed roots "));
    assert_eq!(lines[3], "[task-4] SUCCESS: file_replace_text - 1 replacement in c.txt");
}

pub(crate) fn kinds(result: &Value) -> Vec<String> {
    result["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["kind"].as_str().unwrap_or("none").to_owned())
        .collect()
}
