//! The end of a checkpoint in a process that has no descriptor left.

use std::fs::File;
use std::process::Command;

use rustix::process::{Resource, Rlimit, setrlimit};

use super::*;

/// Set for the process that runs the test alone.
const INSIDE: &str = "CLADA_TEST_DESCRIPTORS";

/// Covers every number of descriptors that are left, from none on: as many as the comparison needs at once.
#[test]
fn regression_a_checkpoint_without_descriptors_stays_open() {
    if std::env::var_os(INSIDE).is_none() {
        let name =
            "engine::undoing::tests::descriptors::regression_a_checkpoint_without_descriptors_stays_open";
        let mut own = Command::new(std::env::current_exe().unwrap());
        let ran = own.args(["--exact", name, "--nocapture"]).env(INSIDE, "1").output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let place = Place::new();
    ["a", "d/b", "d/c", "gone"].iter().for_each(|path| place.lay(path, "1\n"));
    let before = place.tree();
    let params = CheckpointBeginParams { root: place.root(), ..CheckpointBeginParams::default() };
    let checkpoint = place.request().begin_checkpoint(&params).unwrap().checkpoint;
    ["a", "d/b", "new"].iter().for_each(|path| place.lay(path, "2\n"));
    std::fs::remove_file(place.root.join("gone")).unwrap();
    setrlimit(Resource::Nofile, Rlimit { current: Some(200), maximum: Some(200) }).unwrap();
    let params = CheckpointEndParams {
        root: place.root(),
        checkpoint: Some(checkpoint),
        ..CheckpointEndParams::default()
    };
    for left in 0..40 {
        let mut held: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        held.truncate(held.len() - left);
        let ended = place.request().end_checkpoint(&params);
        drop(held);
        let Ok(ended) = ended else { continue };
        let files: Vec<&str> = ended.files.iter().flatten().map(|file| file.path.as_str()).collect();
        assert_eq!(files, ["gone", "a", "d/b", "new"], "{left} left: {:?}", ended.warnings);
        assert!(left > 0, "no file could be opened");
        assert!(place.undo().unwrap().success);
        assert_eq!(place.tree(), before);
        return;
    }
    panic!("the checkpoint never ended");
}
