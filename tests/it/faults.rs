//! An operation of many actions that is killed, or gets an error, at each of its system calls that change a
//! file.
//!
//! In every case: each path is in its state before or in its final state, nothing temporary stays, the
//! journal can be read, and the changes can be undone to the last byte and mode. A few calls are tried in
//! each run of the tests; all of them with
//! `CLADA_ALL=1 cargo test -p clada-tests --test it faults -- --nocapture`.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use nix::errno::Errno;
use rustix::fs::{XattrFlags, getxattr, setxattr};
use serde_json::{Value, json};

use crate::support::tracer::{Fault, Traced, trace};
use crate::support::{Answer, Entry, Tree, World, all, skipped};

/// Calls of a run at which something happens, unless all are asked for. In process, `clada-apply` tries every call.
const SAMPLE: usize = 3;
pub(crate) const DAEMON: &str = env!("CARGO_BIN_EXE_it-daemon");
const ATTRIBUTE: &str = "user.clada.test";

/// A project of some size, before.
fn before() -> Tree {
    let mut tree = Tree::default();
    for number in 0..8 {
        let mode = Some(if number % 2 == 0 { 0o644 } else { 0o755 });
        let bytes = format!("first {number}\nsecond\r\nthird").into_bytes();
        tree.insert(&format!("src/part{number}/file{number}.txt"), Entry::File { bytes, mode });
    }
    for number in 0..4 {
        tree.insert(&format!("old/gone{number}"), Entry::text(&format!("gone {number}\n")));
        tree.insert(&format!("old/from{number}"), Entry::text(&format!("moved {number}\n")));
    }
    tree.insert("old/to0", Entry::text("replaced by a move\n"));
    tree.insert("old/link", Entry::Link("gone0".into()));
    tree.insert("empty/one", Entry::Folder);
    tree.insert("empty/two", Entry::Folder);
    tree
}

/// 30 actions, no two of them about one path.
fn answer(world: &World) -> Answer {
    let mut answer = Answer::new();
    for number in 0..4 {
        let path = |number: usize| world.at(&format!("src/part{number}/file{number}.txt"));
        answer = answer
            .replace(&path(number), "second", "2nd")
            .write(&path(number + 4), &format!("new {number}\n"))
            .write(&world.at(&format!("new/deep{number}/file")), &"long\n".repeat(number * 500))
            .action("file_delete", &[("path", &world.at(&format!("old/gone{number}")))])
            .action(
                "file_move",
                &[
                    ("old_path", &world.at(&format!("old/from{number}"))),
                    ("new_path", &world.at(&format!("{}/to{number}", ["old", "moved"][number % 2]))),
                ],
            )
            .action("dir_create", &[("path", &world.at(&format!("folders/{number}/of/it")))]);
    }
    answer
        .action("file_delete", &[("path", &world.at("old/link"))])
        .action("dir_delete", &[("path", &world.at("empty/one"))])
        .action("dir_delete", &[("path", &world.at("empty/two"))])
        .read(&world.at("src/part0/file0.txt"))
        .action("ls", &[("path", &world.at("src"))])
        .action("grep", &[("pattern", "first"), ("path", &world.at("src"))])
}

fn world() -> World {
    let world = World::new();
    before().lay_out(&world.project());
    let marked = world.project().join("src/part1/file1.txt");
    let _ = setxattr(&marked, ATTRIBUTE, b"kept", XattrFlags::empty());
    world
}

/// The attribute that one of the files has, where the file system has any.
fn attribute(world: &World) -> Option<Vec<u8>> {
    let mut value = [0; 16];
    let read = getxattr(world.project().join("src/part1/file1.txt"), ATTRIBUTE, &mut value[..]).ok()?;
    Some(value[..read].to_vec())
}

/// Sends `method` with its parameters to a process of its own, and traces its calls beneath `folder`.
pub(crate) fn asked(
    world: &World,
    (method, params): (&str, &Value),
    folder: &Path,
    fault: Option<(usize, Fault)>,
) -> Result<(Traced, Option<Value>), Errno> {
    // The reply is none of the calls: a log is not counted.
    let reply = world.path("reply.log");
    let mut command = world.program(DAEMON);
    command
        .args(["serve", "--stdio"])
        .stdout(File::create(&reply).unwrap())
        .stderr(std::process::Stdio::null());
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let traced = trace(&mut command, format!("{request}\n").as_bytes(), folder, fault)?;
    let reply = std::fs::read_to_string(reply).unwrap();
    Ok((traced, reply.lines().last().and_then(|line| serde_json::from_str(line).ok())))
}

/// Carries out `method` with a fault at one of its calls anywhere in `world`; returns the traced calls and
/// the reply.
pub(crate) fn carried_out(
    world: &World,
    method: &str,
    params: &Value,
    fault: Option<(usize, Fault)>,
) -> Result<(Traced, Option<Value>), Errno> {
    asked(world, (method, params), &world.path(""), fault)
}

/// Checks that each path is as in one of the two trees.
pub(crate) fn assert_between(before: &Tree, after: &Tree, found: &Tree, told: &str) {
    let not_before: BTreeSet<String> = paths(&before.difference(found));
    let not_after: BTreeSet<String> = paths(&after.difference(found));
    let neither: Vec<&String> = not_before.intersection(&not_after).collect();
    assert!(
        neither.is_empty(),
        "{told}: neither before nor after: {neither:?}\n{}",
        before.difference(found)
    );
}

fn paths(difference: &str) -> BTreeSet<String> {
    difference.lines().filter_map(|line| line.split_once(": ")).map(|(path, _)| path.to_owned()).collect()
}

fn temporary_files(folder: &Path) -> String {
    let shown = format!("{:?}", Tree::of(folder));
    if shown.contains(".clada-tmp") { shown } else { String::new() }
}

/// Checks the state after a fault: the files are right, the fault is reported, and the operation can be
/// undone.
fn assert_sound(world: &World, before: &Tree, after: &Tree, told: &str) {
    // The first command that opens the project cleans up the leftovers.
    let history = world.run(&["--json", "history"], "");
    assert_eq!(history.code, 0, "{told}: {history:?}");
    assert_eq!(temporary_files(&world.project()), "", "{told}");
    let found = project(world);
    assert_between(before, after, &found, told);
    if before.difference(&found).is_empty() {
        return;
    }
    let listed: Value = serde_json::from_str(&history.stdout).unwrap();
    let operations = listed["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 1, "{told}: {listed:#}");
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{told}: {undone:?}");
    let difference = before.difference(&project(world));
    assert!(difference.is_empty(), "{told}, undone: {difference}");
}

/// The calls of `count` at which something happens in this run: `sample` of them, in the middle of equal parts,
/// or all if the environment asks for it.
pub(crate) fn chosen(count: usize, sample: usize) -> Vec<usize> {
    if all() {
        return (0..count).collect();
    }
    let sample = sample.min(count);
    (0..sample).map(|number| (2 * number + 1) * count / (2 * sample)).collect()
}

/// Tries `case` at each of `calls`, and then fails if it failed at any of them: one run names all that are to be mended.
pub(crate) fn at_each(calls: Vec<usize>, case: impl Fn(usize)) {
    let is_failing = |number: &usize| catch_unwind(AssertUnwindSafe(|| case(*number))).is_err();
    let failed: Vec<usize> = calls.into_iter().filter(is_failing).collect();
    assert!(failed.is_empty(), "it failed at calls {failed:?}");
}

/// The project before, its final state, and the calls of the operation; `None` where nothing can be traced.
fn undisturbed() -> Option<(Tree, Tree, Traced)> {
    let world = world();
    let before = world.tree();
    let params = json!({ "root": world.root(), "text": answer(&world).text() });
    let (traced, reply) = match carried_out(&world, "execute", &params, None) {
        Ok(done) => done,
        Err(error) => {
            skipped("faults of system calls", &format!("programs cannot be traced here ({error})"));
            return None;
        }
    };
    let reply = reply.unwrap();
    assert_eq!(reply["result"]["success"], true, "{reply:#}");
    assert_eq!(reply["result"]["executedActions"], 30, "{reply:#}");
    assert!(traced.calls.len() > 100, "{:#?}", traced.calls);
    let after = world.tree();
    assert_sound(&world, &before, &after, "undisturbed");
    Some((before, after, traced))
}

#[test]
fn killed_at_any_call_an_operation_can_be_told_and_undone() {
    let Some((before, after, whole)) = undisturbed() else { return };
    at_each(chosen(whole.calls.len(), SAMPLE), |number| {
        let world = world();
        let attributes = attribute(&world);
        let params = json!({ "root": world.root(), "text": answer(&world).text() });
        let (traced, _) = carried_out(&world, "execute", &params, Some((number, Fault::Kill))).unwrap();
        let told = format!("killed before call {number}, {:?}", traced.calls.get(number));
        assert!(!traced.hung, "{told}");
        assert_between(&before, &after, &project(&world), &told);
        // Recovery may be killed as well, wherever it is.
        let list = json!({ "root": world.root() });
        for again in [0, 1, 3, 7] {
            carried_out(&world, "history.list", &list, Some((again, Fault::Kill))).unwrap();
        }
        assert_sound(&world, &before, &after, &told);
        assert_eq!(attribute(&world), attributes, "{told}");
    });
}

#[test]
fn an_error_of_any_call_is_told_and_what_was_done_can_be_undone() {
    let Some((before, after, whole)) = undisturbed() else { return };
    let errors = [Errno::ENOSPC, Errno::EIO, Errno::EACCES, Errno::EROFS, Errno::EMFILE];
    let all = all();
    at_each(chosen(whole.calls.len(), SAMPLE), |number| {
        for error in if all { errors.to_vec() } else { vec![errors[number % errors.len()]] } {
            let world = world();
            let params = json!({ "root": world.root(), "text": answer(&world).text() });
            let fault = Some((number, Fault::Error(error)));
            let (traced, reply) = carried_out(&world, "execute", &params, fault).unwrap();
            let told = format!("{error} of call {number}, {:?}", traced.calls.get(number));
            assert!(!traced.hung && !traced.killed, "{told}");
            let reply = reply.unwrap_or_else(|| panic!("{told}: no reply"));
            let success = reply["result"]["success"] == true;
            let difference = after.difference(&project(&world));
            assert!(!success || difference.is_empty(), "{told}: {difference}");
            assert_sound(&world, &before, &after, &told);
        }
    });
}

/// An undo that is interrupted.
struct Undo {
    world: fn() -> World,
    answer: fn(&World) -> Answer,
    /// The folder of the world beneath which calls count.
    counted: &'static str,
}

impl Undo {
    /// Carries the answer out in a world of its own, and undoes it up to a fault; returns the world, its files before,
    /// and the calls of the undo. `None` where nothing can be traced.
    fn run(&self, fault: Option<(usize, Fault)>) -> Option<(World, Tree, Traced)> {
        let world = (self.world)();
        let before = world.tree();
        let params = json!({ "root": world.root(), "text": (self.answer)(&world).text() });
        carried_out(&world, "execute", &params, None).ok()?;
        let folder = world.path(self.counted);
        let (traced, _) = asked(&world, ("undo", &json!({ "root": world.root() })), &folder, fault).ok()?;
        Some((world, before, traced))
    }

    /// Kills it before some of its calls, follows the advice given then, and compares the files with those before.
    fn assert_advice_does_the_rest(&self, sample: usize) {
        let Some((_, _, whole)) = self.run(None) else {
            return skipped("an interrupted undo", "programs cannot be traced here");
        };
        assert!(whole.calls.len() > 10, "{:#?}", whole.calls);
        let advised = Cell::new(0);
        at_each(chosen(whole.calls.len(), sample), |number| {
            let (world, before, traced) = self.run(Some((number, Fault::Kill))).unwrap();
            let told = format!("killed before call {number}, {:?}", traced.calls.get(number));
            let history = world.run(&["history"], "");
            let said = format!("{}{}", history.stdout, history.stderr);
            let advice = said.split("` does the rest").next().filter(|_| said.contains("` does the rest"));
            let command = advice.and_then(|advice| advice.rsplit("`clada ").next());
            // For one that was not begun, or was over, there is no advice.
            let Some(command) = command else {
                let _ = world.run(&["undo"], "");
                assert_eq!(before.difference(&project(&world)), "", "{told}: {said}");
                return;
            };
            advised.update(|count| count + 1);
            let words: Vec<&str> = command.split(' ').collect();
            let ran = world.run(&words, "");
            assert_eq!(ran.code, 0, "{told}: {said}: {ran:?}");
            assert_eq!(before.difference(&project(&world)), "", "{told}: {said}");
        });
        assert!(advised.get() > 0);
    }
}

#[test]
fn regression_what_an_interrupted_undo_advises_does_the_rest() {
    Undo { world, answer, counted: "" }.assert_advice_does_the_rest(SAMPLE);
}

/// Files that swap places, one that moves over another, one of which only the mode changes, and a folder that
/// takes a file's place: every case that an undo reverts in more than one step.
fn moved_about(world: &World) -> Answer {
    let moved = |answer: Answer, from: &str, to: &str| {
        answer.action("file_move", &[("old_path", &world.at(from)), ("new_path", &world.at(to))])
    };
    let answer = moved(Answer::new(), "from", "to");
    let answer = moved(moved(moved(answer, "a", "t"), "b", "a"), "t", "b");
    let answer = answer.action("file_delete", &[("path", &world.at("kind"))]);
    let answer = answer.write(&world.at("kind/inside"), "new\n");
    let answer = answer.replace(&world.at("edited"), "one", "1");
    moved(answer, "edited", "folder/edited")
}

fn to_be_moved_about() -> World {
    let world = World::new();
    let mut tree = Tree::default();
    for name in ["from", "to", "a", "b", "kind"] {
        tree.insert(name, Entry::text(&format!("{name}\n")));
    }
    tree.insert("edited", Entry::text("one\ntwo\n"));
    tree.lay_out(&world.project());
    world
}

#[test]
fn regression_an_undo_that_was_killed_at_any_change_is_finished_by_the_same_undo() {
    // The number of calls before a change of the project is another one in each run.
    let undo = Undo { world: to_be_moved_about, answer: moved_about, counted: "project" };
    undo.assert_advice_does_the_rest(2 * SAMPLE);
}

/// The project without clada's own files: temporary ones, which recovery removes, and the journal that is
/// kept in the project where the folder of state cannot be used.
pub(crate) fn project(world: &World) -> Tree {
    world.tree().filter(|path| {
        let path = path.to_string_lossy();
        !path.contains(".clada-tmp") && !path.starts_with(".clada")
    })
}
