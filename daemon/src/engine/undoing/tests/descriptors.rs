//! The begin and the end of a checkpoint in a process that has no descriptor left.

use std::fs::File;
use std::process::Command;

use rustix::process::{Resource, Rlimit, setrlimit};

use super::*;

/// Set for the process that runs the test alone.
const INSIDE: &str = "CLADA_TEST_DESCRIPTORS";

/// Runs the test `name` in a process of its own, and returns true in that process.
fn is_inside(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let name = format!("engine::undoing::tests::descriptors::{name}");
    let mut own = Command::new(std::env::current_exe().unwrap());
    let ran = own.args(["--exact", &name, "--nocapture"]).env(INSIDE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// Tries `work` with every number of descriptors that are left, from none on, until it is done. Returns that number.
fn with_few_descriptors<T>(work: impl Fn() -> Result<T, RpcError>) -> (usize, T) {
    setrlimit(Resource::Nofile, Rlimit { current: Some(200), maximum: Some(200) }).unwrap();
    for left in 0..40 {
        let mut held: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        held.truncate(held.len() - left);
        let done = work();
        drop(held);
        if let Ok(done) = done {
            assert!(left > 0, "no file could be opened");
            return (left, done);
        }
    }
    panic!("it was never done");
}

#[test]
fn regression_a_checkpoint_without_descriptors_stays_open() {
    if !is_inside("regression_a_checkpoint_without_descriptors_stays_open") {
        return;
    }
    let place = Place::new();
    ["a", "d/b", "d/c", "gone"].iter().for_each(|path| place.lay(path, "1\n"));
    let before = place.tree();
    let params = CheckpointBeginParams { root: place.root(), ..CheckpointBeginParams::default() };
    let checkpoint = place.request().begin_checkpoint(&params).unwrap().checkpoint;
    ["a", "d/b", "new"].iter().for_each(|path| place.lay(path, "2\n"));
    std::fs::remove_file(place.root.join("gone")).unwrap();
    let params = CheckpointEndParams {
        root: place.root(),
        checkpoint: Some(checkpoint),
        ..CheckpointEndParams::default()
    };
    let (left, ended) = with_few_descriptors(|| place.request().end_checkpoint(&params));
    let files: Vec<&str> = ended.files.iter().flatten().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["gone", "a", "d/b", "new"], "{left} left: {:?}", ended.warnings);
    assert!(place.undo().unwrap().success);
    assert_eq!(place.tree(), before);
}

#[test]
fn regression_a_checkpoint_without_descriptors_is_not_begun() {
    if !is_inside("regression_a_checkpoint_without_descriptors_is_not_begun") {
        return;
    }
    let place = Place::new();
    ["a", "d/b", "d/e/c", "d/e/gone"].iter().for_each(|path| place.lay(path, "1\n"));
    let before = place.tree();
    let params = CheckpointBeginParams { root: place.root(), ..CheckpointBeginParams::default() };
    let (left, begun) = with_few_descriptors(|| place.request().begin_checkpoint(&params));
    assert_eq!((begun.warnings, begun.not_kept_count), (Vec::new(), 0), "{left} left");
    ["a", "d/b", "d/e/c", "new"].iter().for_each(|path| place.lay(path, "2\n"));
    std::fs::remove_file(place.root.join("d/e/gone")).unwrap();
    let params = CheckpointEndParams {
        root: place.root(),
        checkpoint: Some(begun.checkpoint),
        ..CheckpointEndParams::default()
    };
    let ended = place.request().end_checkpoint(&params).unwrap();
    assert_eq!(ended.files.iter().flatten().count(), 5, "{left} left: {:?}", ended.files);
    assert!(place.undo().unwrap().success);
    // A process without any descriptor makes a folder for its state here, since it can open none elsewhere.
    let mut after = place.tree();
    after.retain(|path, _| !path.starts_with(".clada"));
    assert_eq!(after, before);
}

/// Without descriptors the folder of state seems to be of no use; a journal in the project would be read by nobody.
#[test]
fn regression_an_answer_without_descriptors_leaves_nothing_in_the_project() {
    if !is_inside("regression_an_answer_without_descriptors_leaves_nothing_in_the_project") {
        return;
    }
    let place = Place::new();
    place.lay("a", "1\n");
    let before = place.tree();
    let answer = Answer::default().write("a", "2\n").write("d/new", "2\n");
    let params = ExecuteParams { root: place.root(), ..ExecuteParams::default() };
    let (left, done) = with_few_descriptors(|| {
        let executed = place.request().execute(answer.0.as_str(), &params);
        let done = executed.map(|executed| executed.result);
        let is_done = done.as_ref().is_ok_and(|done| done.success);
        assert!(!place.root.join(".clada").exists(), "{done:?}");
        done.and_then(|done| if is_done { Ok(done) } else { Err(RpcError::new(ErrorKind::Io, "not done")) })
    });
    assert!(done.success, "{left} left: {done:#?}");
    assert!(place.undo().unwrap().success);
    assert_eq!(place.tree(), before);
}
