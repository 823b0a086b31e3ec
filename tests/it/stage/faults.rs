//! A stage that is killed, or gets an error, at each of its system calls that change a file.
//!
//! In every case: the next stage hands over at least the files that this one should have, with the right
//! content, and nothing is left but its folder. A few calls are tried in each run of the tests, all of them
//! with `CLADA_ALL=1`.

use std::collections::BTreeMap;
use std::path::Path;

use nix::errno::Errno;
use serde_json::{Value, json};

use crate::faults::{carried_out, chosen};
use crate::support::tracer::Fault;
use crate::support::{World, skipped};

/// Calls of a run at which something happens, unless all are asked for.
const SAMPLE: usize = 3;

/// A project that was staged, and has changed since.
fn world() -> World {
    let world = World::new();
    for name in ["changed", "gone", "same"] {
        world.lay(name, format!("{name}, old\n"));
    }
    assert_eq!(world.run(&["stage"], "").code, 0);
    world.stop().unwrap();
    world.lay("changed", "changed\n");
    world.lay("deep/new", "new\n");
    world.lay("large", "l".repeat(100_000));
    std::fs::remove_file(world.path("project/gone")).unwrap();
    world
}

fn staging(world: &World) -> Value {
    json!({ "root": world.root(), "confirm": true })
}

/// The files that have to be handed over.
fn wanted() -> BTreeMap<String, Vec<u8>> {
    let file = |name: &str, content: &str| (name.to_owned(), content.as_bytes().to_vec());
    BTreeMap::from([
        file("changed", "changed\n"),
        file("deep-new", "new\n"),
        file("large", &"l".repeat(100_000)),
    ])
}

/// Returns the files in a staging folder, whose manifest must be whole.
fn files(folder: &Path, told: &str) -> BTreeMap<String, Vec<u8>> {
    let manifest =
        std::fs::read(folder.join("_path_manifest.json")).unwrap_or_else(|error| panic!("{told}: {error}"));
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let all = json!({ "changed": "changed", "deep-new": "deep/new", "large": "large", "same": "same" });
    assert_eq!(manifest["files"], all, "{told}");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .filter(|(name, _)| !name.starts_with(['.', '_']))
        .collect()
}

/// Checks that the next stage, by another daemon, has everything, and nothing else is left. With
/// `may_be_done`, the files staged before may have arrived.
fn assert_next_has_all(world: &World, may_be_done: bool, told: &str) {
    let ran = world.run(&["stage", "--json"], "");
    assert_eq!(ran.code, 0, "{told}: {ran:?}");
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    let found = files(Path::new(result["stagingDir"].as_str().unwrap()), told);
    let is_empty = may_be_done && found.is_empty();
    assert!(is_empty || found == wanted(), "{told}: {:?}", found.keys());
    let gone = json!([{ "path": "gone", "name": "gone" }]);
    assert_eq!(result["removed"], if is_empty { json!([]) } else { gone }, "{told}");
    assert!(result.get("warnings").is_none(), "{told}: {result:#}");
    let left: Vec<_> =
        std::fs::read_dir(world.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), 1, "{told}: {left:?}");
    world.stop().unwrap();
}

/// Returns the number of calls that a stage takes; `None` where nothing can be traced.
fn undisturbed() -> Option<usize> {
    let world = world();
    match carried_out(&world, "stage", &staging(&world), None) {
        Ok((done, reply)) => {
            let reply = reply.unwrap();
            assert_eq!(reply["result"]["copied"].as_array().unwrap().len(), 3, "{reply:#}");
            assert!(done.calls.len() > 20, "{:#?}", done.calls);
            assert_next_has_all(&world, false, "undisturbed, and not confirmed");
            Some(done.calls.len())
        }
        Err(error) => {
            skipped("faults of staging", &format!("programs cannot be traced here ({error})"));
            None
        }
    }
}

#[test]
fn killed_at_any_call_the_next_stage_has_everything() {
    let Some(count) = undisturbed() else { return };
    for number in chosen(count, SAMPLE) {
        let world = world();
        let (done, _) = carried_out(&world, "stage", &staging(&world), Some((number, Fault::Kill))).unwrap();
        let told = format!("killed before call {number}, {:?}", done.calls.get(number));
        assert!(!done.hung, "{told}");
        assert_next_has_all(&world, false, &told);
    }
}

#[test]
fn an_error_of_any_call_is_told_and_the_next_stage_has_everything() {
    let Some(count) = undisturbed() else { return };
    let errors = [Errno::ENOSPC, Errno::EIO, Errno::EACCES, Errno::EROFS, Errno::EMFILE];
    for (index, number) in chosen(count, SAMPLE).into_iter().enumerate() {
        let world = world();
        let error = errors[index % errors.len()];
        let fault = Some((number, Fault::Error(error)));
        let (done, reply) = carried_out(&world, "stage", &staging(&world), fault).unwrap();
        let told = format!("{error} of call {number}, {:?}", done.calls.get(number));
        assert!(!done.hung && !done.killed, "{told}");
        let reply = reply.unwrap_or_else(|| panic!("{told}: no reply"));
        if let Some(folder) = reply["result"]["stagingDir"].as_str() {
            assert_eq!(files(Path::new(folder), &told), wanted(), "{told}");
        }
        assert_next_has_all(&world, false, &told);
    }
}

#[test]
fn a_confirmation_that_is_cut_off_loses_nothing() {
    if undisturbed().is_none() {
        return;
    }
    let confirm = |world: &World, fault| {
        let (_, reply) = carried_out(world, "stage", &staging(world), None).unwrap();
        let params = json!({ "root": world.root(), "stagingDir": reply.unwrap()["result"]["stagingDir"] });
        let folder = params["stagingDir"].as_str().unwrap().to_owned();
        (carried_out(world, "stage.confirm", &params, fault).unwrap(), folder)
    };
    let ((whole, _), _) = confirm(&world(), None);
    assert!(whole.calls.iter().any(|call| call.starts_with("unlink tmp/")), "{:#?}", whole.calls);
    for number in chosen(whole.calls.len(), SAMPLE) {
        let world = world();
        let ((done, _), folder) = confirm(&world, Some((number, Fault::Kill)));
        let told = format!("killed before call {number} of the confirmation, {:?}", done.calls.get(number));
        assert_eq!(files(Path::new(&folder), &told), wanted(), "{told}");
        assert_next_has_all(&world, true, &told);
    }
}
