//! The staged files: the changed ones, under their names, for each recipient.

use serde_json::json;

use super::{MANIFEST, Staged, folders, lay_difficult, stage, told};
use crate::support::World;
use crate::support::cases;

#[test]
fn what_is_gone_and_what_has_moved_is_told() {
    let world = World::new();
    world.lay("a.txt", "a");
    world.lay("b/c.txt", "c");
    stage(&world, &[]);
    std::fs::rename(world.path("project/b/c.txt"), world.path("project/d.txt")).unwrap();
    std::fs::remove_file(world.path("project/a.txt")).unwrap();
    let dry = told(&world, &["-n"]);
    let result = told(&world, &[]);
    for result in [&dry, &result] {
        assert_eq!(result["copied"], json!([{ "path": "d.txt", "name": "d.txt", "size": 1 }]), "{result:#}");
        let removed = json!([{ "path": "a.txt", "name": "a.txt" }, { "path": "b/c.txt", "name": "b-c.txt" }]);
        assert_eq!(result["removed"], removed);
        assert_eq!(result["renamed"], json!([{ "from": "b/c.txt", "to": "d.txt" }]));
        assert_eq!((&result["eligible"], &result["firstRun"]), (&json!(1), &json!(false)));
    }
    assert!(dry.get("stagingDir").is_none() && folders(&world) == 1);
    let staged = Staged { path: result["stagingDir"].as_str().unwrap().into() };
    assert_eq!(staged.manifest()["removed"], json!(["a.txt", "b-c.txt"]));
    assert_eq!(staged.manifest()["files"], json!({ "d.txt": "d.txt" }));
    let next = stage(&world, &[]);
    assert_eq!((next.names().len(), &next.manifest()["removed"]), (0, &json!([])));
    // A name that came free and was taken again is not to be deleted at the other end.
    world.lay("d/e.txt", "1");
    stage(&world, &[]);
    std::fs::remove_file(world.path("project/d/e.txt")).unwrap();
    world.lay("d-e.txt", "2");
    let swapped = stage(&world, &[]);
    assert_eq!(swapped.files()["d-e.txt"], b"2");
    assert_eq!(swapped.manifest()["removed"], json!([]));
}

#[test]
fn names_lead_back_to_one_file_each_and_stay() {
    let world = World::new();
    world.lay(".cladaignore", ".cladaignore\n");
    let names = lay_difficult(&world, |index| index.to_string().into_bytes());
    let first = stage(&world, &[]);
    let manifest = first.manifest();
    let files = manifest["files"].as_object().unwrap();
    assert_eq!(files.len(), names.len(), "{manifest:#}");
    assert_eq!(first.names().len(), names.len());
    for (name, content) in first.files() {
        let index: usize = String::from_utf8(content).unwrap().parse().unwrap();
        assert_eq!(files[&name], String::from_utf8_lossy(&names[index]).as_ref(), "{name}");
    }
    assert_eq!(manifest["pathBytes"]["caf_.txt"], "Y2Fm6S50eHQ=");
    assert_eq!(files["a-b.txt"], "a-b.txt");
    // One that sorts before the others gets the remaining name.
    world.lay("A-B.txt", "new");
    let second = stage(&world, &[]).manifest();
    assert_eq!(second["files"].as_object().unwrap().len(), names.len() + 1);
    for (name, path) in files {
        assert_eq!(&second["files"][name], path);
    }
}

#[test]
fn baselines_are_one_for_each() {
    let world = World::new();
    world.lay("a", "1");
    assert_eq!(stage(&world, &[]).names(), ["a"]);
    let other = stage(&world, &["--for", "review"]);
    assert_eq!(other.names(), ["a"]);
    world.lay("a", "2");
    world.lay("b", "1");
    assert_eq!(stage(&world, &[]).names(), ["a", "b"]);
    world.lay("a", "1");
    assert_eq!(stage(&world, &[]).names(), ["a"]);
    assert!(other.path.exists(), "it is another's");
    assert_eq!(stage(&world, &["--for", "review"]).names(), ["b"], "a is what it was for that one");
    assert_eq!(stage(&world, &["--for", "review"]).names(), [] as [&str; 0]);
    let last = stage(&world, &["--last", "--for", "review"]);
    assert_eq!((last.names().len(), folders(&world)), (0, 2));
    assert_eq!(stage(&world, &["-l"]).names(), ["a"]);
    std::fs::remove_file(world.path("project/b")).unwrap();
    assert_eq!(told(&world, &["--flush"])["removed"].as_array().unwrap().len(), 1);
    assert_eq!(told(&world, &["--for", "review"])["removed"], json!([]));
}

#[test]
fn a_dry_run_lists_what_would_be_staged() {
    let world = World::new();
    world.lay("src/a", "1");
    for _ in 0..2 {
        let ran = world.run(&["stage", "-n"], "");
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (0, "src-a  src/a\n", ""),
            "{ran:?}"
        );
    }
    assert_eq!(folders(&world), 0);
    assert_eq!(stage(&world, &[]).names(), ["src-a"]);
}

#[test]
fn dhall_for_those_who_expect_it() {
    let world = World::new();
    world.lay("src/a", "1");
    let staged = stage(&world, &["--manifest", "dhall"]);
    let manifest = std::fs::read_to_string(staged.path.join("_path_manifest.dhall")).unwrap();
    assert_eq!(manifest, "{ `src-a` = \"src/a\"\n}\n");
    assert!(!staged.path.join(MANIFEST).exists());
    assert_eq!(stage(&world, &[]).manifest()["files"], json!({ "src-a": "src/a" }));
}

#[test]
fn a_new_daemon_stages_what_changed_meanwhile() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.lay(name, name);
    }
    stage(&world, &[]);
    world.stop().unwrap();
    world.lay("b", "B");
    std::fs::remove_file(world.path("project/c")).unwrap();
    let result = told(&world, &[]);
    assert_eq!(result["copied"], json!([{ "path": "b", "name": "b", "size": 1 }]), "{result:#}");
    assert_eq!(result["removed"], json!([{ "path": "c", "name": "c" }]));
    assert_eq!(told(&world, &["--verify"])["copied"], json!([]));
}

#[test]
fn every_change_of_another_process_is_staged() {
    let world = World::new();
    world.lay("f", "");
    let mut connection = world.connect();
    let params = json!({ "root": world.root() });
    connection.call("stage", &params);
    let rounds = cases(60, 3000);
    for round in 0..rounds {
        let copied = match round % 4 {
            0 | 1 => {
                world.lay("x", format!("{round}"));
                Some("x")
            }
            2 => {
                std::fs::rename(world.path("project/x"), world.path("project/y")).unwrap();
                Some("y")
            }
            _ => {
                std::fs::remove_file(world.path("project/y")).unwrap();
                None
            }
        };
        let result = connection.call("stage", &params);
        let paths: Vec<_> = result["copied"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
        assert_eq!(paths, Vec::from_iter(copied), "round {round}: {result:#}");
        let gone = usize::from(round % 4 > 1);
        assert_eq!(result["removed"].as_array().unwrap().len(), gone, "round {round}: {result:#}");
    }
}
