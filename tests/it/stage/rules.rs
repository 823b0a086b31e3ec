//! The rules for staged files, and settings.

use std::path::Path;

use expect_test::expect;
use serde_json::json;

use super::{Staged, stage, told};
use crate::support::World;

#[test]
fn settings_and_what_is_left_out() {
    let world = World::with_config("stage:\n  max_file_size: 1kB\n  dir: /proc/clada\n");
    world.lay("small", "s");
    let ran = world.run(&["stage"], "");
    assert!(ran.code == 1 && ran.stdout.is_empty(), "{ran:?}");
    expect![[r#"
        clada: Nothing was staged: cannot use the folder for staging folders '/proc/clada': No such file or directory (os error 2)
          set stage.dir in your configuration to a folder that can be written, and try again
    "#]].assert_eq(&world.shown(&ran.stderr));
    let config = |dir: &Path| {
        let text = format!("stage:\n  max_file_size: 1kB\n  dir: {}\n", dir.display());
        std::fs::write(world.path("config/clada/config.yaml"), text).unwrap();
    };
    config(&world.path("project/staged"));
    let inside = world.run(&["stage"], "");
    assert!(inside.code == 1, "{inside:?}");
    expect![[r#"
        clada: Nothing was staged: stage.dir '/TOP/project/staged' lies in the project, where what is staged would be staged again
          set stage.dir in your configuration to a folder outside of the project
    "#]].assert_eq(&world.shown(&inside.stderr));
    assert!(!world.exists("staged"));
    config(&world.path("new/staged"));
    world.lay("large", "l".repeat(1025));
    world.lay(".env", "TOKEN=1");
    world.lay("binary", b"\0");
    let result = told(&world, &[]);
    assert_eq!(result["copied"], json!([{ "path": "small", "name": "small", "size": 1 }]), "{result:#}");
    let omitted = json!([
        { "path": ".env", "reason": "secret" },
        { "path": "binary", "reason": "not text" },
        { "path": "large", "reason": "larger than stage.max_file_size" },
    ]);
    assert_eq!(result["omitted"], omitted);
    assert!(result["stagingDir"].as_str().unwrap().starts_with(world.path("new/staged").to_str().unwrap()));
    // A file that shrinks is staged.
    world.lay("large", "l");
    let result = told(&world, &[]);
    assert_eq!(result["copied"][0]["path"], "large", "{result:#}");
    assert_eq!(result["omitted"].as_array().unwrap().len(), 2);
}

#[test]
fn regression_what_is_left_out_is_told_each_time() {
    let world = World::new();
    for (name, content) in
        [("a", "1"), (".env", "TOKEN=1"), ("binary", "\0"), ("gone", "\0"), ("x/ignored", "\0")]
    {
        world.lay(name, content);
    }
    let out = |entries: &[(&str, &str)]| -> serde_json::Value {
        entries.iter().map(|(path, reason)| json!({ "path": path, "reason": reason })).collect()
    };
    let all = [(".env", "secret"), ("binary", "not text"), ("gone", "not text"), ("x/ignored", "not text")];
    for args in [&[][..], &[], &["--dry-run"], &["--verify"], &["--all"], &["--for", "other"], &["--flush"]] {
        assert_eq!(told(&world, args)["omitted"], out(&all), "{args:?}");
    }
    let lines = "left out .env: secret\nleft out binary: not text\nleft out gone: not text\nleft out x/ignored: not text\n";
    let ran = world.run(&["stage", "--dry-run"], "");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", lines), "{ran:?}");
    let ran = world.run(&["stage", "-v"], "");
    assert!(ran.stderr.starts_with(lines), "{ran:?}");
    let ran = world.run(&["stage"], "");
    assert_eq!(ran.stderr, "", "{ran:?}");
    // A file that is not there any more, is a text now, or does not belong to the project is not reported.
    std::fs::remove_file(world.project().join("gone")).unwrap();
    world.lay("binary", "text");
    world.lay(".gitignore", "x\n");
    assert_eq!(told(&world, &[])["omitted"], out(&[(".env", "secret")]));
    world.lay(".cladaignore", ".env\n");
    assert!(told(&world, &["--dry-run"]).get("omitted").is_none());
    assert!(told(&world, &[]).get("omitted").is_none());
    // A daemon that knows nothing yet of the project.
    std::fs::remove_file(world.project().join(".cladaignore")).unwrap();
    world.stop().unwrap();
    assert_eq!(told(&world, &[])["omitted"], out(&[(".env", "secret")]));
    world.stop().unwrap();
    assert_eq!(told(&world, &[])["omitted"], out(&[(".env", "secret")]));
}

#[test]
fn init_writes_what_holds_already() {
    let world = World::new();
    world.lay("logo.svg", "<svg/>");
    world.lay("a", "1");
    stage(&world, &[]);
    let ran = world.run(&["init"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ".clada/config.yaml\n.cladaignore\n"), "{ran:?}");
    assert!(world.read(".cladaignore").contains("\n*.svg\n"));
    let config = world.read(".clada/config.yaml");
    assert!(config.lines().all(|line| line.is_empty() || line.starts_with('#')), "{config}");
    assert!(!config.contains("idle_exit"), "{config}");
    assert!(config.contains("\n# stage:\n"), "{config}");
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
    let shown = world.run(&["config", "--all"], "");
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shown:?}");
    // A file that the user has written stays.
    world.lay(".cladaignore", "a\n");
    let again = world.run(&["init"], "");
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{again:?}");
    expect![[r#"
        .clada/config.yaml already exists and was not changed
        .cladaignore already exists and was not changed
    "#]]
    .assert_eq(&world.shown(&again.stderr));
    assert_eq!(world.read(".cladaignore"), "a\n");
    let mut names = stage(&world, &[]).names();
    names.retain(|name| !name.starts_with("dot--"));
    assert_eq!(names, ["logo-svg.xml"]);
    std::fs::remove_file(world.path("project/.cladaignore")).unwrap();
    world.lay(".clodignore", "");
    assert_eq!(world.run(&["init"], "").stdout, "");
    assert!(!world.exists(".cladaignore"));
    // Every key of it can be used.
    let uncommented: String =
        config.lines().skip(2).map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line))).collect();
    world.lay(".clada/config.yaml", uncommented);
    let shown = world.run(&["config", "--all"], "");
    assert!(shown.code == 0 && shown.stderr.lines().all(|line| line.contains("clada trust")), "{shown:?}");
}

#[test]
fn regression_what_a_rule_hides_later_is_not_staged_any_more() {
    let world = World::new();
    std::fs::create_dir(world.path("project/.git")).unwrap();
    world.lay("a.txt", "a");
    world.lay("local.txt", "mine");
    world.lay("logs/x.txt", "x");
    assert_eq!(stage(&world, &[]).names(), ["a.txt", "local.txt", "logs-x.txt"]);
    world.lay(".gitignore", "local.txt\n");
    world.lay("local.txt", "mine, and changed");
    let second = stage(&world, &[]);
    assert_eq!(second.names(), [] as [&str; 0]);
    assert_eq!(second.manifest()["removed"], json!(["local.txt"]));
    assert_eq!(second.manifest()["files"], json!({ "a.txt": "a.txt", "logs-x.txt": "logs/x.txt" }));
    // While no daemon watches.
    world.run(&["stop"], "");
    world.lay(".gitignore", "local.txt\nlogs\n");
    let third = stage(&world, &["--all"]);
    assert_eq!(third.names(), ["a.txt"]);
    assert_eq!(third.manifest()["removed"], json!(["logs-x.txt"]));
    world.lay(".gitignore", "");
    assert_eq!(stage(&world, &[]).names(), ["local.txt", "logs-x.txt"]);
}

#[test]
fn a_result_is_cut_and_the_folder_is_not() {
    let world = World::with_config("limits:\n  result_bytes: 64kB\n");
    for number in 0..2_000 {
        world.lay(&format!("folder/file{number}"), "1");
    }
    let result = told(&world, &["-n"]);
    assert_eq!((&result["files"], &result["truncated"]), (&json!(2000), &json!(true)));
    assert!(result["copied"].as_array().unwrap().len() < 2000);
    let result = told(&world, &[]);
    let staged = Staged { path: result["stagingDir"].as_str().unwrap().into() };
    assert_eq!((staged.names().len(), staged.manifest()["files"].as_object().unwrap().len()), (2000, 2000));
    std::fs::remove_dir_all(staged.path).unwrap();
}

#[test]
fn without_a_folder_of_state_what_was_staged_is_put_down_in_the_project() {
    let world = World::new();
    std::fs::remove_dir_all(world.path("state")).unwrap_or_default();
    std::fs::write(world.path("state"), "no folder").unwrap();
    world.lay("a", "1");
    // A list of its own, which does not mention clada's folder.
    world.lay(".cladaignore", "*.log\n");
    assert_eq!(stage(&world, &[]).names(), ["a", "dot--cladaignore"]);
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
    world.lay("a", "2");
    world.stop().unwrap();
    assert_eq!(stage(&world, &[]).names(), ["a"]);
    assert!(world.exists(".clada/state/.gitignore"));
    // Nowhere at all.
    world.stop().unwrap();
    std::fs::remove_dir_all(world.path("project/.clada")).unwrap();
    world.lay(".clada", "no folder");
    let ran = world.run(&["stage"], "");
    assert!(ran.code == 1 && ran.stdout.is_empty(), "{ran:?}");
    expect![[r#"
        clada: Nothing was staged: what was staged before is not known: cannot use /TOP/state/clada/ID/projects/ID: Not a directory (os error 20)
          check that the path is a folder and writable, then try again
    "#]].assert_eq(&world.shown(&ran.stderr));
    assert!(ran.stderr.contains(world.path("state").to_str().unwrap()), "{ran:?}");
}
