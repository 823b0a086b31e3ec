//! A step, a squash or the undo of one that is killed, or gets an error, at each of its system calls that
//! change a file.
//!
//! In every case everything is as before, or the move is made and in the record: HEAD, index, stash, and each
//! file with its mode. No lock and no temporary file is left once a command has opened the project. A few calls
//! are tried in each run of the tests; all of them with
//! `CLADA_ALL=1 cargo test -p clada-tests --test it step_faults`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nix::errno::Errno;
use serde_json::{Value, json};

use super::faults::{at_each, carried_out, chosen};
use super::git::git;
use crate::support::tracer::{Fault, Traced};
use crate::support::{World, skipped};

/// Calls of an operation at which something happens, unless all are asked for.
const SAMPLE: usize = 2;

/// A move of HEAD: its request, and those that come before it.
struct Move {
    name: &'static str,
    before: &'static [&'static str],
    method: &'static str,
}

const MOVES: [Move; 5] = [
    Move { name: "step back", before: &[], method: "git.step_back" },
    Move { name: "step forward", before: &["git.step_back"], method: "git.step_forward" },
    Move { name: "undo of a step", before: &["git.step_back"], method: "undo" },
    Move { name: "squash", before: &[], method: "git.squash" },
    Move { name: "undo of a squash", before: &["git.squash"], method: "undo" },
];

fn params(world: &World, method: &str) -> Value {
    match method {
        "git.squash" => json!({ "root": world.root(), "mode": "hours", "hours": 1, "mineToo": true }),
        _ => json!({ "root": world.root() }),
    }
}

/// A repository of three commits, with something of every kind that is not committed.
fn world(of: &Move) -> Option<World> {
    let world = World::with_config("durability: fast\n");
    if git(&world, &["init", "-q", "-b", "main"]).is_err() {
        skipped("faults of steps", "there is no git here");
        return None;
    }
    for (text, file) in [("one\n", "flagged"), ("two\n", "folder/new"), ("three\n", "last")] {
        world.lay("a", text);
        world.lay(file, file);
        git(&world, &["add", "."]).unwrap();
        git(&world, &["commit", "-qm", text.trim()]).unwrap();
    }
    git(&world, &["update-index", "--skip-worktree", "flagged"]).unwrap();
    world.lay("flagged", "mine\n");
    world.lay("staged", "staged\n");
    git(&world, &["add", "staged"]).unwrap();
    world.lay("a", "dirty\n");
    world.lay("private/untracked", "secret\n");
    for (name, mode) in [("private/untracked", 0o600), ("private", 0o700), ("a", 0o640)] {
        let path = world.project().join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    for method in of.before {
        let (_, reply) = carried_out(&world, method, &params(&world, method), None).ok()?;
        assert!(reply.as_ref().is_some_and(|reply| reply["error"].is_null()), "{method}: {reply:?}");
    }
    Some(world)
}

/// Everything that a move of HEAD changes, without what differs from run to run.
#[derive(Debug, PartialEq)]
struct Seen {
    git: Vec<String>,
    files: String,
}

fn seen(world: &World) -> Seen {
    let commands: [&[&str]; 5] = [
        &["log", "--format=%T %s", "HEAD"],
        &["status", "--porcelain=v2", "--branch", "--untracked-files=all"],
        &["ls-files", "-s", "-v"],
        &["stash", "list", "--format=%gs"],
        &["diff"],
    ];
    let ask = |command: &&[&str]| git(world, command).unwrap_or_else(|error| format!("{command:?}: {error}"));
    // The ids of commits have the time in them.
    let plain = |text: String| {
        let lines = text.lines().filter(|line| !line.starts_with("# branch.oid"));
        lines.map(|line| line.split(" from ").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
    };
    let files =
        world.tree().filter(|path| ![".git", ".clada"].iter().any(|own| Path::new(path).starts_with(own)));
    Seen { git: commands.iter().map(ask).map(plain).collect(), files: format!("{files:#?}") }
}

/// Returns the locks and temporary files of the repository and the project.
fn leftovers(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_left = name.ends_with(".lock") || name.starts_with("clada-") || name.starts_with(".clada-tmp");
        if is_left {
            found.push(entry.path().display().to_string());
        }
        if entry.file_type().unwrap().is_dir() {
            found.extend(leftovers(&entry.path()));
        }
    }
    found
}

/// Lists the operations in a process of its own, which settles what was cut off.
fn history(world: &World, fault: Option<(usize, Fault)>) -> Option<Value> {
    carried_out(world, "history.list", &json!({ "root": world.root() }), fault).unwrap().1
}

fn count(listed: &Value) -> usize {
    listed["result"]["operations"].as_array().unwrap_or_else(|| panic!("{listed:#}")).len()
}

/// Checks the state after a fault: as before, or made and in the record.
fn assert_told(of: &Move, world: &World, (before, after): (&Seen, &Seen), told: &str) {
    let listed = history(world, None).unwrap();
    let now = seen(world);
    let is_made = now == *after;
    assert!(is_made || now == *before, "{told}: {listed:#}\nnow {now:#?}\nbefore {before:#?}");
    let expected = of.before.len() + usize::from(is_made);
    assert_eq!(count(&listed), expected, "{told}: {listed:#}");
    // A process that was killed while it planned, or could not remove them, leaves files that no other program knows,
    // until the next operation of git.
    let own = |left: &String| left.ends_with("/clada.lock") || left.ends_with("/clada-index");
    let left: Vec<String> = leftovers(&world.project()).into_iter().filter(|left| !own(left)).collect();
    assert_eq!(left, Vec::<String>::new(), "{told}");
    if !is_made {
        // It can be made now.
        let (_, reply) = carried_out(world, of.method, &params(world, of.method), None).unwrap();
        let reply = reply.unwrap();
        assert!(reply["error"].is_null(), "{told}, again: {reply:#}");
        assert_eq!(seen(world), *after, "{told}, again");
        assert_eq!(leftovers(&world.project()), Vec::<String>::new(), "{told}");
    }
}

/// The states before and after a move, and its calls; `None` where nothing can be traced.
fn undisturbed(of: &Move) -> Option<(Seen, Seen, Traced)> {
    let world = world(of)?;
    let before = seen(&world);
    let (traced, reply) = match carried_out(&world, of.method, &params(&world, of.method), None) {
        Ok(done) => done,
        Err(error) => {
            skipped("faults of steps", &format!("programs cannot be traced here ({error})"));
            return None;
        }
    };
    let reply = reply.unwrap();
    assert!(reply["error"].is_null(), "{}: {reply:#}", of.name);
    assert!(traced.calls.len() > 10, "{}: {:#?}", of.name, traced.calls);
    let after = seen(&world);
    assert_ne!(before, after, "{}", of.name);
    assert_told(of, &world, (&before, &after), of.name);
    Some((before, after, traced))
}

/// A test of each move, so that one that fails holds up no other.
macro_rules! of_each_move {
    ($test:ident, $check:expr) => {
        mod $test {
            of_each_move!($check; step_back 0, step_forward 1, undo_of_a_step 2, squash 3, undo_of_a_squash 4);
        }
    };
    ($check:expr; $($name:ident $index:literal),+) => {
        $(
            #[test]
            fn $name() {
                $check(&super::MOVES[$index]);
            }
        )+
    };
}

of_each_move!(
    regression_a_move_of_head_that_is_killed_at_any_call_is_finished_or_reverted,
    super::assert_kills_are_settled
);
of_each_move!(
    regression_an_error_of_any_call_of_a_move_of_head_leaves_it_made_or_reverted,
    super::assert_errors_are_told
);

fn assert_kills_are_settled(of: &Move) {
    let Some((before, after, whole)) = undisturbed(of) else { return };
    at_each(chosen(whole.calls.len(), SAMPLE), |number| {
        let Some(world) = world(of) else { return };
        let fault = Some((number, Fault::Kill));
        let (traced, _) = carried_out(&world, of.method, &params(&world, of.method), fault).unwrap();
        let told = format!("{} killed before call {number}, {:?}", of.name, traced.calls.get(number));
        // Whoever settles it may be killed as well, wherever it is.
        history(&world, Some((number % 23, Fault::Kill)));
        assert_told(of, &world, (&before, &after), &told);
    });
}

fn assert_errors_are_told(of: &Move) {
    const ERRORS: [Errno; 4] = [Errno::ENOSPC, Errno::EIO, Errno::EACCES, Errno::EROFS];
    let Some((before, after, whole)) = undisturbed(of) else { return };
    at_each(chosen(whole.calls.len(), SAMPLE), |number| {
        let Some(world) = world(of) else { return };
        let errno = ERRORS[number % ERRORS.len()];
        let fault = Some((number, Fault::Error(errno)));
        let (traced, reply) = carried_out(&world, of.method, &params(&world, of.method), fault).unwrap();
        let call = traced.calls.get(number);
        let told = format!("{}: {errno} of call {number}, {call:?}: {reply:?}", of.name);
        assert!(!traced.hung && !traced.killed, "{told}");
        let reply = reply.unwrap_or_else(|| panic!("{told}: no reply"));
        // What is reported as made is made, before anything else looks.
        assert!(reply["error"].is_object() || seen(&world) == after, "{told}");
        assert_told(of, &world, (&before, &after), &told);
    });
}
