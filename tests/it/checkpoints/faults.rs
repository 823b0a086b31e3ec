//! A daemon that is killed, or gets an error, at one of the system calls of a begin, an end or an undo.
//!
//! In every case: the files are as the program left them or as the undo makes them, what was said to be begun is
//! open, and what changed can be recorded and undone to the last byte. A few calls are tried in each run of the
//! tests; all of them with `CLADA_ALL=1`.

use nix::errno::Errno;
use serde_json::{Value, json};

use super::{call, committed, files, run};
use crate::faults::{assert_between, carried_out, chosen};
use crate::support::tracer::{Fault, Traced};
use crate::support::{Tree, World, skipped};

/// Calls of a run at which something happens, unless all are asked for.
const SAMPLE: usize = 3;
const FAULTS: [Fault; 2] = [Fault::Kill, Fault::Error(Errno::ENOSPC)];

fn world() -> World {
    let world = committed(&[("a", "1\n"), ("d/b", "2\n"), ("e", "3\n")]);
    world.lay("untracked", "mine\n");
    world
}

/// Changes the files as a program does.
fn change(world: &World) {
    world.lay("a", "changed\n");
    std::fs::remove_file(world.project().join("d/b")).unwrap();
    std::fs::rename(world.project().join("untracked"), world.project().join("moved")).unwrap();
    world.lay("new/c", "new\n");
}

/// Carries out `method`, which is about the whole project, in a process of its own.
fn ask(
    world: &World,
    method: &str,
    more: &[(&str, &Value)],
    fault: Option<Fault>,
    at: usize,
) -> (Traced, Value) {
    let mut params = json!({ "root": world.root() });
    more.iter().for_each(|(name, value)| params[name] = (*value).clone());
    let (traced, reply) = carried_out(world, method, &params, fault.map(|fault| (at, fault))).unwrap();
    assert!(!traced.hung, "{method} {at}");
    (traced, reply.unwrap_or_default()["result"].clone())
}

/// Returns whether programs can be traced here, and says so if not.
fn can_be_traced(world: &World) -> bool {
    let params = json!({ "root": world.root() });
    let traced = carried_out(world, "checkpoint.list", &params, None);
    traced
        .inspect_err(|error| skipped("faults of checkpoints", &format!("no program is traced ({error})")))
        .is_ok()
}

/// Calls `of` with each of `faults` at some of the `count` calls that it makes.
fn at_each(count: usize, faults: &[Fault], of: impl Fn(Fault, usize, &str)) {
    assert!(count > 4, "{count}");
    for at in chosen(count, SAMPLE) {
        for fault in faults.iter().copied() {
            let told = match &fault {
                Fault::Kill => format!("killed before call {at}"),
                Fault::Error(error) => format!("{error} of call {at}"),
            };
            of(fault, at, &told);
        }
    }
}

/// Ends what is open, if anything is, and undoes the last operation; all is as `before` then.
fn assert_ends_and_undoes(world: &World, before: &Tree, told: &str) {
    for open in call(world, "checkpoint.list", json!({}))["checkpoints"].as_array().unwrap() {
        let ended = call(world, "checkpoint.end", json!({ "checkpoint": open["checkpoint"] }));
        assert_eq!(ended["success"], true, "{told}: {ended:#}");
    }
    run(world, &["undo"]);
    assert_eq!(before.difference(&files(world)), "", "{told}");
}

#[test]
fn a_begin_that_is_cut_off_is_open_or_was_never_said_to_be() {
    let sample = world();
    if !can_be_traced(&sample) {
        return;
    }
    let (whole, _) = ask(&sample, "checkpoint.begin", &[], None, 0);
    at_each(whole.calls.len(), &FAULTS, |fault, at, told| {
        let world = world();
        let before = files(&world);
        let (_, begun) = ask(&world, "checkpoint.begin", &[], Some(fault), at);
        assert_eq!(before.difference(&files(&world)), "", "{told}");
        change(&world);
        let open = call(&world, "checkpoint.list", json!({}))["checkpoints"].as_array().unwrap().len();
        assert!(open == 1 || begun.is_null(), "{told}: {begun:#}");
        if open == 1 {
            assert_ends_and_undoes(&world, &before, told);
        }
    });
}

#[test]
fn an_end_that_is_cut_off_has_recorded_or_can_be_made_again() {
    let begun = |world: &World| {
        let id = ask(world, "checkpoint.begin", &[], None, 0).1["checkpoint"].clone();
        assert!(id.is_string());
        change(world);
        id
    };
    let sample = world();
    if !can_be_traced(&sample) {
        return;
    }
    let id = begun(&sample);
    let (whole, _) = ask(&sample, "checkpoint.end", &[("checkpoint", &id)], None, 0);
    at_each(whole.calls.len(), &FAULTS, |fault, at, told| {
        let world = world();
        let before = files(&world);
        let id = begun(&world);
        let after = files(&world);
        ask(&world, "checkpoint.end", &[("checkpoint", &id)], Some(fault), at);
        assert_eq!(after.difference(&files(&world)), "", "{told}");
        assert_ends_and_undoes(&world, &before, told);
    });
}

#[test]
fn an_undo_of_a_checkpoint_that_is_cut_off_is_finished_by_another() {
    let recorded = |world: &World| {
        let id = ask(world, "checkpoint.begin", &[], None, 0).1["checkpoint"].clone();
        change(world);
        ask(world, "checkpoint.end", &[("checkpoint", &id)], None, 0);
    };
    let sample = world();
    if !can_be_traced(&sample) {
        return;
    }
    recorded(&sample);
    let (whole, _) = ask(&sample, "undo", &[], None, 0);
    at_each(whole.calls.len(), &[Fault::Kill], |fault, at, told| {
        let world = world();
        let before = files(&world);
        recorded(&world);
        let after = files(&world);
        ask(&world, "undo", &[], Some(fault), at);
        let history = world.run(&["history"], "");
        let found = files(&world);
        assert_between(&before, &after, &found, told);
        if before.difference(&found).is_empty() {
            return;
        }
        // What was begun says what does the rest.
        let said = format!("{}{}", history.stdout, history.stderr);
        let advice = said.contains("` does the rest").then(|| said.split("` does the rest").next()).flatten();
        let command = advice.and_then(|advice| advice.rsplit("`clada ").next()).unwrap_or("undo");
        run(&world, &command.split(' ').collect::<Vec<_>>());
        assert_eq!(before.difference(&files(&world)), "", "{told}: {said}");
    });
}
