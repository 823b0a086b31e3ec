//! `stage`: the real client and daemon, on a project that other programs change.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Connection, Ran, World};

const MANIFEST: &str = "_path_manifest.json";

/// A world whose staging folders are made in `tmp`.
fn world() -> World {
    let mut world = World::new();
    std::fs::create_dir(world.path("tmp")).unwrap();
    world.set("TMPDIR", world.path("tmp"));
    world
}

/// A folder that was staged.
struct Staged {
    path: PathBuf,
}

impl Staged {
    fn of(ran: &Ran) -> Staged {
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
        let path = ran.stdout.strip_suffix('\n').unwrap();
        assert!(!path.contains('\n'), "{ran:?}");
        Staged { path: PathBuf::from(path) }
    }

    /// What is in it for whoever picks it up, without its manifest.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(&self.path).unwrap().map(|entry| entry.unwrap().path());
        let shown = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries
            .map(|path| (shown(&path), path))
            .filter(|(name, _)| !name.starts_with('.') && name != MANIFEST)
            .map(|(name, path)| (name, std::fs::read(path).unwrap()))
            .collect()
    }

    fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }

    fn manifest(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path.join(MANIFEST)).unwrap()).unwrap()
    }
}

fn stage(world: &World, args: &[&str]) -> Staged {
    Staged::of(&world.run(&[&["stage"], args].concat(), ""))
}

/// The result of `stage --json`.
fn told(world: &World, args: &[&str]) -> Value {
    let ran = world.run(&[&["stage", "--json"], args].concat(), "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

fn folders(world: &World) -> usize {
    std::fs::read_dir(world.path("tmp")).unwrap().count()
}

#[test]
fn the_examples_of_the_reference() {
    let world = world();
    world.lay("package.json", "{}");
    world.lay("app/lib/plugin/package.json", "{1}");
    world.lay(".tool-versions", "ruby");
    world.lay("assets/images/logo.svg", "<svg/>");
    world.lay("out.bin", b"\0\x01");
    world.lay("target/x.txt", "x");
    world.lay(".gitignore", "target\n");
    world.lay("project.key", "secret");
    let first = stage(&world, &[]);
    let mode = std::fs::metadata(&first.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(first.path.file_name().unwrap().to_str().unwrap().starts_with("clada-stage-"));
    let all = ["app-lib-plugin-package.json", "dot--tool-versions", "package.json"];
    assert_eq!(first.names(), all);
    let files = json!({
        "app-lib-plugin-package.json": "app/lib/plugin/package.json",
        "dot--tool-versions": ".tool-versions",
        "package.json": "package.json",
    });
    assert_eq!(first.manifest()["files"], files);
    assert_eq!(first.manifest()["root"], world.root().as_str());

    let second = stage(&world, &[]);
    assert_eq!(second.names(), [] as [&str; 0]);
    assert_eq!(second.manifest()["files"], files);
    assert!(!first.path.exists() && folders(&world) == 1);

    world.lay("package.json", "{2}");
    let third = stage(&world, &[]);
    assert_eq!(third.files(), BTreeMap::from([("package.json".to_owned(), b"{2}".to_vec())]));
    // Touched, and the same.
    world.lay("package.json", "{2}");
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
    assert_eq!(stage(&world, &["--all"]).names(), all);

    world.lay(".clodignore", "*.json\n");
    let fifth = told(&world, &[]);
    let mut names: Vec<&Value> = fifth["copied"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    names.sort_by_key(|name| name.as_str());
    assert_eq!(names, ["assets-images-logo-svg.xml", "dot--clodignore", "dot--gitignore"], "{fifth:#}");
    assert_eq!(fifth["removed"].as_array().unwrap().len(), 2, "{fifth:#}");
}

#[test]
fn what_is_gone_and_what_has_moved_is_told() {
    let world = world();
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
    let world = world();
    let long = format!("{}.txt", "n".repeat(251));
    let names: [&[u8]; 9] = [
        b"a-b.txt",
        b"a/b.txt",
        b"README",
        b"readme",
        b".x/.y/.z.svg",
        long.as_bytes(),
        b"line\nbreak",
        b"sp ace",
        b"caf\xe9.txt",
    ];
    world.lay(".cladaignore", ".cladaignore\n");
    for (index, name) in names.iter().enumerate() {
        world.lay(OsStr::from_bytes(name).to_str().unwrap_or("skipped"), index.to_string());
    }
    std::fs::remove_file(world.path("project/skipped")).unwrap();
    let raw = world.project().join(OsStr::from_bytes(b"caf\xe9.txt"));
    std::fs::write(&raw, "8").unwrap();
    let first = stage(&world, &[]);
    let manifest = first.manifest();
    let files = manifest["files"].as_object().unwrap();
    assert_eq!(files.len(), names.len(), "{manifest:#}");
    assert_eq!(first.names().len(), names.len());
    for (name, content) in first.files() {
        let index: usize = String::from_utf8(content).unwrap().parse().unwrap();
        assert_eq!(files[&name], String::from_utf8_lossy(names[index]).as_ref(), "{name}");
    }
    assert_eq!(manifest["pathBytes"]["caf_.txt"], "Y2Fm6S50eHQ=");
    assert_eq!(files["a-b.txt"], "a-b.txt");
    // One that sorts before the others gets what is left.
    world.lay("A-B.txt", "new");
    let second = stage(&world, &[]).manifest();
    assert_eq!(second["files"].as_object().unwrap().len(), names.len() + 1);
    for (name, path) in files {
        assert_eq!(&second["files"][name], path);
    }
}

#[test]
fn baselines_are_one_for_each() {
    let world = world();
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
fn the_last_folder_has_to_be_there() {
    let world = world();
    world.lay("a", "1");
    let none = world.run(&["stage", "--last"], "");
    assert!(none.code == 1 && none.stderr.contains("Nothing was staged"), "{none:?}");
    let first = stage(&world, &[]);
    assert_eq!(stage(&world, &["--last"]).path, first.path);
    std::fs::remove_dir_all(&first.path).unwrap();
    let gone = world.run(&["stage", "--last"], "");
    assert!(gone.code == 1 && gone.stderr.contains("is gone"), "{gone:?}");
    assert_eq!(stage(&world, &[]).manifest()["files"], json!({ "a": "a" }));
}

#[test]
fn a_dry_run_lists_what_would_be_staged() {
    let world = world();
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
    let world = world();
    world.lay("src/a", "1");
    let staged = stage(&world, &["--manifest", "dhall"]);
    let manifest = std::fs::read_to_string(staged.path.join("_path_manifest.dhall")).unwrap();
    assert_eq!(manifest, "{ `src-a` = \"src/a\"\n}\n");
    assert!(!staged.path.join(MANIFEST).exists());
    assert_eq!(stage(&world, &[]).manifest()["files"], json!({ "src-a": "src/a" }));
}

#[test]
fn what_nobody_confirmed_is_handed_over_again() {
    let world = world();
    world.lay("a", "1");
    let mut connection = world.connect();
    let asked = json!({ "root": world.root(), "confirm": true });
    let first = connection.call("stage", &asked);
    assert_eq!(first["copied"][0]["path"], "a");
    let second = connection.call("stage", &asked);
    assert_eq!((&second["copied"][0]["path"], &second["firstRun"]), (&json!("a"), &json!(true)));
    world.lay("b", "2");
    let third = connection.call("stage", &asked);
    let confirm = |result: &Value| json!({ "root": world.root(), "stagingDir": result["stagingDir"] });
    assert_eq!(third["copied"].as_array().unwrap().len(), 2, "{third:#}");
    connection.call("stage.confirm", &confirm(&second));
    let fourth = connection.call("stage", &asked);
    assert_eq!(fourth["copied"], json!([{ "path": "b", "name": "b", "size": 1 }]), "{fourth:#}");
    connection.call("stage.confirm", &confirm(&fourth));
    assert_eq!(folders(&world), 1);
    // One that comes late takes nothing back.
    let late = connection.fail("stage.confirm", &confirm(&third));
    assert_eq!(late["data"]["kind"], "file_not_found", "{late:#}");
    assert_eq!(connection.call("stage", &json!({ "root": world.root() }))["copied"], json!([]));
    for wrong in
        [json!({ "last": true, "all": true }), json!({ "for": "" }), json!({ "for": "x".repeat(101) })]
    {
        let mut params = json!({ "root": world.root() });
        params.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert_eq!(connection.fail("stage", &params)["data"]["kind"], "invalid_params");
    }
}

#[test]
fn nothing_that_is_not_ours_is_deleted() {
    let world = world();
    world.lay("a", "1");
    world.lay("b", "1");
    let verbose = || {
        let ran = world.run(&["stage", "-v"], "");
        let staged = PathBuf::from(ran.stdout.trim_end());
        (staged, ran.stderr)
    };
    // Changed and added files stay.
    let first = stage(&world, &[]);
    std::fs::write(first.path.join("a"), "edited").unwrap();
    std::fs::write(first.path.join("mine"), "mine").unwrap();
    std::fs::create_dir(first.path.join("folder")).unwrap();
    let (second, said) = verbose();
    assert_eq!(std::fs::read_to_string(first.path.join("a")).unwrap(), "edited");
    assert!(first.path.join("mine").exists() && first.path.join("folder").exists());
    assert!(!first.path.join("b").exists() && !first.path.join(MANIFEST).exists());
    assert!(said.contains("stays: 3 of the things in it"), "{said}");

    // A link to another folder in its place.
    let other = world.path("outside");
    std::fs::write(other.join("precious"), "p").unwrap();
    std::fs::rename(&second, world.path("tmp/moved")).unwrap();
    std::os::unix::fs::symlink(&other, &second).unwrap();
    let (third, said) = verbose();
    assert!(said.contains("left alone: something else stands in its place"), "{said}");
    assert!(other.join("precious").exists() && second.symlink_metadata().is_ok());

    // Another folder with a copy of the marker.
    std::fs::rename(&third, world.path("tmp/moved2")).unwrap();
    std::fs::create_dir(&third).unwrap();
    std::fs::copy(world.path("tmp/moved2/.clada-stage"), third.join(".clada-stage")).unwrap();
    std::fs::write(third.join("precious"), "p").unwrap();
    let (fourth, said) = verbose();
    assert!(said.contains("left alone: another folder stands in its place"), "{said}");
    assert!(third.join("precious").exists() && third.join(".clada-stage").exists());

    // A forged marker.
    std::fs::write(fourth.join(".clada-stage"), "forged").unwrap();
    let forged: Value = told(&world, &[]);
    assert!(forged["warnings"][0].as_str().unwrap().contains("its marker is not the one"), "{forged:#}");
    assert!(fourth.join(MANIFEST).exists());
}

#[test]
fn a_new_daemon_stages_what_changed_meanwhile() {
    let world = world();
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
fn settings_and_what_is_left_out() {
    let world = World::with_config("stage:\n  max_file_size: 1kB\n  dir: /proc/clada\n");
    world.lay("small", "s");
    let ran = world.run(&["stage"], "");
    assert!(ran.code == 1 && ran.stdout.is_empty() && ran.stderr.contains("stage.dir"), "{ran:?}");
    let config = |dir: &Path| {
        let text = format!("stage:\n  max_file_size: 1kB\n  dir: {}\n", dir.display());
        std::fs::write(world.path("config/clada/config.yaml"), text).unwrap();
    };
    config(&world.path("project/staged"));
    let inside = world.run(&["stage"], "");
    assert!(inside.code == 1 && inside.stderr.contains("lies in the project"), "{inside:?}");
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
    // Looked at once; a file that shrinks is staged.
    world.lay("large", "l");
    let result = told(&world, &[]);
    assert_eq!(result["copied"][0]["path"], "large", "{result:#}");
    assert!(result.get("omitted").is_none());
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
fn every_change_of_another_process_is_staged() {
    let world = world();
    world.lay("f", "");
    let mut connection = world.connect();
    let params = json!({ "root": world.root() });
    connection.call("stage", &params);
    // By hand: CLADA_STAGE_ROUNDS=3000.
    let rounds = std::env::var("CLADA_STAGE_ROUNDS").map_or(200, |rounds| rounds.parse().unwrap());
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

#[test]
fn init_writes_what_holds_already() {
    let world = world();
    world.lay("logo.svg", "<svg/>");
    world.lay("a", "1");
    stage(&world, &[]);
    let ran = world.run(&["init"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ".clada/config.yaml\n.cladaignore\n"), "{ran:?}");
    assert!(world.read(".cladaignore").contains("\n*.svg\n"));
    let config = world.read(".clada/config.yaml");
    assert!(config.lines().all(|line| line.is_empty() || line.starts_with('#')), "{config}");
    assert!(config.contains("\n# stage:\n") && !config.contains("idle_exit"), "{config}");
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
    let shown = world.run(&["config"], "");
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shown:?}");
    // What somebody has written stays.
    world.lay(".cladaignore", "a\n");
    let again = world.run(&["init"], "");
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{again:?}");
    assert!(again.stderr.contains(".cladaignore is there"), "{again:?}");
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
    let shown = world.run(&["config"], "");
    assert!(
        shown.code == 0 && shown.stderr.lines().all(|line| line.contains("clada-client trust")),
        "{shown:?}"
    );
}

/// Waits until so many files are ready. What happens at once may be told of in steps.
fn until(subscriber: &mut Connection, files: u64) {
    while subscriber.next_event()["staged"] != files {}
}

#[test]
fn what_changes_is_made_ready_in_the_background() {
    let mut world = World::with_config("stage:\n  auto: true\n  auto_debounce: 20ms\n");
    std::fs::create_dir(world.path("tmp")).unwrap();
    world.set("TMPDIR", world.path("tmp"));
    world.lay("a", "1");
    world.lay("b", "1");
    let first = stage(&world, &[]);
    let mut subscriber = world.connect();
    subscriber.call("subscribe", &json!({ "root": world.root(), "kinds": ["staged"] }));
    world.lay("a", "2");
    until(&mut subscriber, 1);
    assert!(first.path.exists() && folders(&world) == 2, "the one that was handed over stays");
    assert_eq!(first.names(), ["a", "b"]);
    world.lay("c", "1");
    until(&mut subscriber, 2);
    let ready: Vec<PathBuf> =
        std::fs::read_dir(world.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let result = told(&world, &[]);
    let copied = json!([{ "path": "a", "name": "a", "size": 1 }, { "path": "c", "name": "c", "size": 1 }]);
    assert_eq!(result["copied"], copied, "{result:#}");
    let folder = PathBuf::from(result["stagingDir"].as_str().unwrap());
    assert!(ready.contains(&folder) && folders(&world) == 1, "it was ready");
    let staged = Staged { path: folder };
    assert_eq!(staged.files()["a"], b"2");
    assert_eq!(staged.manifest()["files"], json!({ "a": "a", "b": "b", "c": "c" }));
    // What changes after it was made ready is not missed, and what comes back to what it was is not staged.
    world.lay("b", "2");
    until(&mut subscriber, 1);
    world.lay("b", "1");
    world.lay("d", "1");
    assert_eq!(stage(&world, &[]).names(), ["d"]);
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
}

#[test]
fn regression_what_a_rule_hides_later_is_not_staged_any_more() {
    let world = world();
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
    // While no daemon looks.
    world.run(&["stop"], "");
    world.lay(".gitignore", "local.txt\nlogs\n");
    let third = stage(&world, &["--all"]);
    assert_eq!(third.names(), ["a.txt"]);
    assert_eq!(third.manifest()["removed"], json!(["logs-x.txt"]));
    world.lay(".gitignore", "");
    assert_eq!(stage(&world, &[]).names(), ["local.txt", "logs-x.txt"]);
}

#[test]
fn regression_what_was_made_ready_is_not_taken_for_a_file_that_has_its_name_now() {
    let mut world = World::with_config("stage:\n  auto: true\n  auto_debounce: 500ms\n");
    std::fs::create_dir(world.path("tmp")).unwrap();
    world.set("TMPDIR", world.path("tmp"));
    world.lay("keep", "1");
    stage(&world, &[]);
    let mut subscriber = world.connect();
    subscriber.call("subscribe", &json!({ "root": world.root(), "kinds": ["staged"] }));
    world.lay("a-b.txt", "in the root");
    world.lay("a/b.txt", "in a folder");
    until(&mut subscriber, 2);
    std::fs::remove_file(world.path("project/a-b.txt")).unwrap();
    std::fs::remove_file(world.path("project/a/b.txt")).unwrap();
    stage(&world, &["--for", "other"]);
    // The other one comes first now, and gets the name.
    world.lay("a/b.txt", "in a folder");
    stage(&world, &["--for", "other"]);
    world.lay("a-b.txt", "in the root");
    let staged = stage(&world, &[]);
    let (files, names) = (staged.files(), staged.manifest());
    assert_eq!(names["files"]["a-b.txt"], "a/b.txt");
    assert_eq!((files.len(), files["a-b.txt"].as_slice()), (2, b"in a folder".as_slice()), "{files:?}");
}

#[test]
fn regression_what_was_made_ready_elsewhere_is_not_handed_over() {
    let mut world = World::with_config("stage:\n  auto: true\n  auto_debounce: 20ms\n");
    std::fs::create_dir(world.path("tmp")).unwrap();
    world.set("TMPDIR", world.path("tmp"));
    world.lay("a", "1");
    stage(&world, &[]);
    let mut subscriber = world.connect();
    subscriber.call("subscribe", &json!({ "root": world.root(), "kinds": ["staged"] }));
    world.lay("a", "2");
    until(&mut subscriber, 1);
    let config = format!("stage:\n  auto: true\n  dir: {}\n", world.path("else").display());
    std::fs::write(world.path("config/clada/config.yaml"), config).unwrap();
    let staged = stage(&world, &[]);
    assert!(staged.path.starts_with(world.path("else")), "{}", staged.path.display());
    assert_eq!((staged.files()["a"].as_slice(), folders(&world)), (b"2".as_slice(), 0));
}

#[test]
fn what_was_staged_is_damaged() {
    let world = world();
    for number in 0..500 {
        world.lay(&format!("folder/file{number}"), "1");
    }
    stage(&world, &[]);
    world.stop().unwrap();
    let projects = world.path("state/clada");
    let found = walk(&projects).into_iter().find(|path| path.ends_with("stage.db")).unwrap();
    let mut bytes = std::fs::read(&found).unwrap();
    let length = bytes.len();
    bytes[4096..length].fill(0x5a);
    std::fs::write(&found, bytes).unwrap();
    world.lay("folder/file1", "2");
    let result = told(&world, &[]);
    assert_eq!((&result["files"], &result["firstRun"]), (&json!(500), &json!(true)), "{result:#}");
    assert!(result["warnings"][0].as_str().unwrap().contains("damaged"), "{result:#}");
    assert!(found.with_file_name("stage.db.damaged-1").exists());
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
}

/// Every file beneath `folder`.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
