//! An operation with commits that is killed, or gets an error, at each of its system calls that change a
//! file.
//!
//! In every case: git finds no fault, no lock is left once a command has opened the project, and the user's
//! staged, changed and untracked files are as before. All calls are tried with `CLADA_ALL=1`.

use nix::errno::Errno;
use serde_json::{Value, json};

use super::faults::{asked, at_each, chosen};
use super::git::{answer, git, repository};
use crate::support::tracer::{Fault, Traced};
use crate::support::{Answer, World, skipped};

/// Calls of a run at which something happens, unless all are asked for.
const SAMPLE: usize = 3;

/// Carries the answer out in a process of its own, of which the calls beneath `.git` are traced.
fn carried_out(world: &World, fault: Option<(usize, Fault)>) -> Result<(Traced, Option<Value>), Errno> {
    let params = json!({ "root": world.root(), "text": answer(world).text() });
    asked(world, ("execute", &params), &world.project().join(".git"), fault)
}

/// A repository in which a file is dirty that the operation changes, so that there are two commits.
fn world() -> Option<World> {
    let world = repository("")?;
    world.lay("a", "one, dirty\n");
    Some(world)
}

fn is(world: &World, arguments: &[&str]) -> String {
    git(world, arguments).unwrap_or_else(|error| panic!("git {arguments:?}: {error}")).trim_end().to_owned()
}

/// Checks that the user's other files stay, and the repository is whole.
fn assert_sound(world: &World, told: &str) {
    // The first command that opens the project cleans up the leftovers.
    let history = world.run(&["history"], "");
    assert_eq!(history.code, 0, "{told}: {history:?}");
    assert!(!world.exists(".git/index.lock"), "{told}: a lock is left");
    is(world, &["fsck", "--strict", "--no-dangling"]);
    assert_eq!(is(world, &["show", ":staged"]), "new", "{told}");
    assert_eq!(is(world, &["show", "HEAD:staged"]), "old", "{told}");
    assert_eq!(world.read("untracked"), "mine\n", "{told}");
    let status = is(world, &["status", "--porcelain"]);
    assert!(status.contains("M  staged") && status.contains("?? untracked"), "{told}: {status}");
    // The index knows the files of the last commit: nothing of them seems to be staged in reverse.
    let staged = is(world, &["diff", "--cached", "--name-only"]);
    assert_eq!(staged, "staged", "{told}");
    // The next commit of the user's own holds the staged files, and nothing else.
    git(world, &["commit", "-qm", "mine"]).unwrap();
    assert_eq!(is(world, &["show", "--format=", "--name-only", "HEAD"]), "staged", "{told}");
    // The next operation removes clada's own files.
    assert_eq!(world.apply(&Answer::new().write(&world.at("c"), "c\n")).code, 0, "{told}");
    for left in ["index.lock", "clada.lock", "clada-index", "clada-index.lock"] {
        assert!(!world.exists(&format!(".git/{left}")), "{told}: {left} is left");
    }
}

/// Returns the number of calls that it takes; `None` where it cannot be counted.
fn undisturbed() -> Option<usize> {
    let world = world()?;
    match carried_out(&world, None) {
        Ok((traced, reply)) => {
            let reply = reply.unwrap();
            assert_eq!(reply["result"]["success"], true, "{reply:#}");
            assert!(reply["result"]["git"]["before"].is_string(), "{reply:#}");
            assert!(traced.calls.len() > 20, "{:#?}", traced.calls);
            assert_sound(&world, "undisturbed");
            Some(traced.calls.len())
        }
        Err(error) => {
            skipped("faults of commits", &format!("programs cannot be traced here ({error})"));
            None
        }
    }
}

#[test]
fn killed_at_any_call_the_repository_is_whole() {
    let Some(count) = undisturbed() else { return };
    at_each(chosen(count, SAMPLE), |number| {
        let Some(world) = world() else { return };
        let (traced, _) = carried_out(&world, Some((number, Fault::Kill))).unwrap();
        assert_sound(&world, &format!("killed before call {number}, {:?}", traced.calls.get(number)));
    });
}

#[test]
fn an_error_of_any_call_leaves_the_repository_whole() {
    let Some(count) = undisturbed() else { return };
    let errors = [Errno::ENOSPC, Errno::EIO, Errno::EACCES, Errno::EROFS];
    at_each(chosen(count, SAMPLE), |number| {
        let Some(world) = world() else { return };
        let errno = errors[number % errors.len()];
        let (traced, reply) = carried_out(&world, Some((number, Fault::Error(errno)))).unwrap();
        let told = format!("{errno} at call {number}, {:?}: {reply:?}", traced.calls.get(number));
        assert_sound(&world, &told);
    });
}
