//! Projects that move, and other folders at their paths: history, checkpoints, stage, sessions and approvals go with
//! a folder, not with its path.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Answer, Ran, World, feed};

/// A world whose project has one operation, an approved command, a session and a stage baseline.
fn world() -> World {
    let world = World::with_config("durability: fast\n");
    world.lay("a", "1\n");
    assert_eq!(world.run(&["stage"], "").code, 0);
    assert_eq!(world.apply(&Answer::new().replace(&world.at("a"), "1", "2")).code, 0);
    assert_eq!(world.run(&["approve", "sh x"], "").code, 0);
    world.lay("sub/b", "b\n");
    assert_eq!(world.run(&["session", "cd", "--session", "one", "sub"], "").code, 0);
    world
}

/// Runs the client in the folder `at`.
fn run_at(world: &World, at: &Path, args: &[&str]) -> Ran {
    let mut client = world.client(&[&["--root", at.to_str().unwrap()], args].concat());
    feed(client.current_dir(at), b"")
}

fn call(world: &World, method: &str, at: &Path, params: Value) -> Value {
    let mut params = params;
    params["root"] = json!(at);
    world.connect().call(method, &params)
}

fn operations(world: &World, at: &Path) -> usize {
    call(world, "history.list", at, json!({}))["operations"].as_array().unwrap().len()
}

fn is_approved(world: &World, at: &Path) -> bool {
    let listed = call(world, "approve.list", at, json!({}));
    let commands = listed["commands"].as_array().unwrap();
    commands.iter().any(|command| command["command"] == "sh x" && command["approved"] == json!(true))
}

fn sessions(world: &World, at: &Path) -> Vec<(String, String)> {
    let listed = call(world, "session.list", at, json!({}));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = listed["sessions"].as_array().unwrap().iter();
    list.map(|session| (text(&session["session"]), text(&session["cwd"]))).collect()
}

/// The folder at `at` has everything, and its operation can be undone and redone.
fn assert_has_all(world: &World, at: &Path) {
    assert_eq!(operations(world, at), 1, "{}", at.display());
    assert!(is_approved(world, at), "{}", at.display());
    let undone = run_at(world, at, &["undo"]);
    assert_eq!((undone.code, read(at, "a")), (0, "1\n".to_owned()), "{undone:?}");
    let redone = run_at(world, at, &["redo"]);
    assert_eq!((redone.code, read(at, "a")), (0, "2\n".to_owned()), "{redone:?}");
}

/// The folder at `at` has nothing, and undoing says why.
fn assert_has_nothing(world: &World, at: &Path, why: &str) {
    assert_eq!(operations(world, at), 0, "{}", at.display());
    assert!(!is_approved(world, at), "{}", at.display());
    assert_eq!(sessions(world, at).len(), 1, "{}", at.display());
    let undone = run_at(world, at, &["undo"]);
    assert!(undone.code == 1 && undone.stderr.contains(why), "{undone:?}");
    let ended = run_at(world, at, &["checkpoint", "end"]);
    assert!(ended.code == 1 && ended.stderr.contains(why), "{ended:?}");
}

const ANOTHER: &str = "was done in another folder, which was there then";

fn read(at: &Path, name: &str) -> String {
    std::fs::read_to_string(at.join(name)).unwrap()
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}

/// Moves the project.
fn moved(world: &World) -> PathBuf {
    let to = world.path("moved");
    std::fs::rename(world.project(), &to).unwrap();
    to
}

#[test]
fn regression_a_moved_project_keeps_everything() {
    let world = world();
    let to = moved(&world);
    assert_has_all(&world, &to);
    let cwd = to.join("sub").to_string_lossy().into_owned();
    assert!(sessions(&world, &to).contains(&("one".to_owned(), cwd)), "{:?}", sessions(&world, &to));
    // A stage after the move has what changed since the one before.
    let staged: Value = serde_json::from_str(&run_at(&world, &to, &["--json", "stage"]).stdout).unwrap();
    assert_ne!(staged["firstRun"], json!(true), "{staged:#}");
    // Another daemon, and back.
    world.stop().unwrap();
    std::fs::rename(&to, world.project()).unwrap();
    assert_eq!(operations(&world, &world.project()), 3);
    assert!(is_approved(&world, &world.project()));
}

#[test]
fn regression_a_new_project_in_place_of_a_moved_one_has_nothing_of_it() {
    let world = world();
    assert_eq!(world.run(&["checkpoint", "begin", "--session", "s"], "").code, 0);
    world.lay("a", "3\n");
    let to = moved(&world);
    std::fs::create_dir(world.project()).unwrap();
    world.lay("mine", "mine\n");
    let ended = world.run(&["checkpoint", "end", "--session", "s"], "");
    assert!(ended.code == 1 && ended.stderr.contains(ANOTHER), "{ended:?}");
    assert_has_nothing(&world, &world.project(), ANOTHER);
    assert_eq!(world.read("mine"), "mine\n");
    // What is recorded of the new one stays its own.
    assert_eq!(world.apply(&Answer::new().write(&world.at("mine"), "new\n")).code, 0);
    let ended = run_at(&world, &to, &["checkpoint", "end", "--session", "s"]);
    assert!(ended.code == 0 && ended.stdout.starts_with("recorded 1 file"), "{ended:?}");
    assert_eq!(run_at(&world, &to, &["undo"]).code, 0);
    assert_eq!(read(&to, "a"), "2\n");
    assert!(is_approved(&world, &to) && !is_approved(&world, &world.project()));
    assert_eq!((operations(&world, &world.project()), operations(&world, &to)), (1, 3));
    let undone = world.run(&["undo"], "");
    assert!(undone.code == 0 && world.read("mine") == "mine\n", "{undone:?}");
}

#[test]
fn regression_a_copy_has_nothing_and_the_original_keeps_it() {
    let world = world();
    let copied = world.path("copied");
    copy(&world.project(), &copied);
    assert_eq!((operations(&world, &copied), is_approved(&world, &copied)), (0, false));
    assert_has_all(&world, &world.project());
    // Nor has it once the original is gone.
    std::fs::remove_dir_all(world.project()).unwrap();
    std::fs::create_dir(world.project()).unwrap();
    assert_eq!((operations(&world, &copied), is_approved(&world, &copied)), (0, false));
}

#[test]
fn regression_a_restored_copy_is_another_folder_until_its_user_adopts_the_history() {
    let world = world();
    let copied = world.path("copied");
    copy(&world.project(), &copied);
    std::fs::remove_dir_all(world.project()).unwrap();
    std::fs::rename(&copied, world.project()).unwrap();
    assert_has_nothing(&world, &world.project(), ANOTHER);
    // The hint works as it is written.
    let adopted = world.run(&["history", "--adopt", &world.root()], "");
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert_eq!(operations(&world, &world.project()), 1);
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!(world.read("a"), "1\n");
    // What was approved was approved for another folder.
    assert!(!is_approved(&world, &world.project()));
    let again = world.run(&["history", "--adopt", "/nowhere"], "");
    assert!(again.code == 1 && again.stderr.contains("/nowhere"), "{again:?}");
}

#[test]
fn regression_a_project_that_was_deleted_and_made_again_has_nothing() {
    let world = world();
    std::fs::remove_dir_all(world.project()).unwrap();
    std::fs::create_dir(world.project()).unwrap();
    assert_has_nothing(&world, &world.project(), ANOTHER);
    assert!(!world.exists("a"));
}

#[test]
fn regression_the_records_of_all_folders_that_were_at_one_path_are_forgotten() {
    for of in [&["forget"][..], &["forget", "--all"]] {
        let world = world();
        let _to = moved(&world);
        std::fs::create_dir(world.project()).unwrap();
        world.lay("a", "1\n");
        assert_eq!(world.apply(&Answer::new().replace(&world.at("a"), "1", "2")).code, 0);
        let forgotten = world.run(&[of, &["--yes", "--json"]].concat(), "");
        assert_eq!(forgotten.code, 0, "{forgotten:?}");
        let forgotten: Value = serde_json::from_str(&forgotten.stdout).unwrap();
        assert_eq!(forgotten["projects"].as_array().unwrap().len(), 2, "{forgotten:#}");
        let left = call(&world, "history.forget", &world.project(), json!({}));
        assert_eq!(left["projects"], json!([]), "{left:#}");
    }
}

#[test]
fn regression_a_project_that_comes_back_to_its_path_has_everything() {
    let world = world();
    let to = moved(&world);
    std::fs::create_dir(world.project()).unwrap();
    assert_has_nothing(&world, &world.project(), ANOTHER);
    std::fs::remove_dir(world.project()).unwrap();
    std::fs::rename(&to, world.project()).unwrap();
    assert_has_all(&world, &world.project());
}

#[test]
fn regression_a_link_to_the_root_is_the_same_project_and_a_link_elsewhere_is_not() {
    let world = world();
    let link = world.path("link");
    std::os::unix::fs::symlink(world.project(), &link).unwrap();
    assert_has_all(&world, &link);
    let to = moved(&world);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&to, &link).unwrap();
    assert_eq!(operations(&world, &link), 3);
    let other = world.path("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&other, &link).unwrap();
    assert_eq!((operations(&world, &link), is_approved(&world, &link)), (0, false));
}

#[test]
fn regression_a_worktree_that_git_moves_keeps_everything() {
    let world = World::with_config("durability: fast\n");
    let git = |at: &Path, args: &[&str]| {
        let mut command = world.program("git");
        let ran = command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        let ran = ran.current_dir(at).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {ran:?}");
    };
    let (tree, to) = (world.path("tree"), world.path("tree2"));
    world.lay("a", "1\n");
    git(&world.project(), &["init", "-q", "-b", "main"]);
    git(&world.project(), &["add", "-A"]);
    git(&world.project(), &["commit", "-q", "-m", "first"]);
    git(&world.project(), &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    let text = Answer::new().replace(tree.join("a").to_str().unwrap(), "1", "2");
    call(&world, "execute", &tree, json!({ "text": text.text() }));
    git(&world.project(), &["worktree", "move", tree.to_str().unwrap(), to.to_str().unwrap()]);
    assert_eq!((operations(&world, &to), operations(&world, &world.project())), (1, 0));
    let undone = run_at(&world, &to, &["undo"]);
    assert!(undone.code == 0 && read(&to, "a") == "1\n", "{undone:?}");
}

/// Changes the notes of whose the records are.
fn change_notes(world: &World, change: impl Fn(&str) -> Option<String>) {
    let machines = std::fs::read_dir(world.path("state/clada")).unwrap().map(|entry| entry.unwrap().path());
    let projects = machines.filter_map(|machine| std::fs::read_dir(machine.join("projects")).ok());
    for note in projects.flatten().map(|entry| entry.unwrap().path().join("identity")) {
        match change(&std::fs::read_to_string(&note).unwrap()) {
            Some(text) => std::fs::write(&note, text).unwrap(),
            None => std::fs::remove_file(&note).unwrap(),
        }
    }
}

#[test]
fn regression_where_no_birth_time_is_known_the_user_is_told_how() {
    let world = world();
    change_notes(&world, |text| {
        let (identity, root) = text.split_once('\n').unwrap();
        let born = identity.rfind(' ').unwrap();
        Some(format!("{} -\n{root}", &identity[..born]))
    });
    let to = moved(&world);
    let listed = call(&world, "history.list", &to, json!({}));
    assert_eq!(
        (&listed["movedFrom"], &listed["operations"]),
        (&json!(world.root()), &json!([])),
        "{listed:#}"
    );
    let undone = run_at(&world, &to, &["undo"]);
    let hint = format!("clada history --adopt '{}'", world.root());
    assert!(undone.code == 1 && undone.stderr.contains(&hint), "{undone:?}");
    let adopted = run_at(&world, &to, &["history", "--adopt", &world.root()]);
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert_eq!(operations(&world, &to), 1);
    assert_eq!(run_at(&world, &to, &["undo"]).code, 0);
}

#[test]
fn regression_a_record_of_an_older_version_is_the_folder_s_at_its_path() {
    let world = world();
    world.stop().unwrap();
    change_notes(&world, |_| None);
    assert_has_all(&world, &world.project());
    // From now on it goes with the folder.
    let to = moved(&world);
    assert_eq!(operations(&world, &to), 3);
}

#[test]
fn regression_nothing_moves_while_an_operation_runs_in_the_folder() {
    let world = world();
    let to = moved(&world);
    let held = std::fs::File::open(&to).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let busy = run_at(&world, &to, &["history"]);
    assert!(busy.code != 0 && busy.stderr.contains("an operation still runs in it"), "{busy:?}");
    drop(held);
    assert_eq!(operations(&world, &to), 1);
}
