//! What becomes of a plan when something goes wrong in its middle.

use super::*;
use crate::fs::{Call, Faults};

/// Every such call fails.
fn failing(call: Call) -> Faults {
    Faults::injected(move |made| (made == call).then_some(rustix::io::Errno::IO))
}

#[test]
fn regression_a_cancelled_batch_leaves_no_empty_folders() {
    for after in 0..14 {
        let mut project = Project::new();
        project.stop_after = Some(after);
        let result = project.execute(&[
            file_write("d/e/a", "a"),
            file_write("d/e/b", "b"),
            file_write("d/c", "c"),
            file_write("z/c", "c"),
        ]);
        for (name, result) in ["d/e/a", "d/e/b", "d/c", "z/c"].iter().zip(&result.results) {
            assert_eq!(project.exists(name), result.success, "{after} {name}");
        }
        for folder in ["d", "d/e", "z"] {
            let entries = std::fs::read_dir(project.root.join(folder)).map(Iterator::count);
            assert!(!matches!(entries, Ok(0)), "{folder} is left empty, stopped after {after}");
        }
    }
}

#[test]
fn regression_a_write_that_cannot_be_flushed_leaves_no_empty_folder() {
    let mut project = Project::new();
    project.options.durability = Durability::Full;
    project.options.faults = failing(Call::SyncFile);
    let result = project.execute(&[file_write("d/a", "a"), file_write("e/b", "b")]);
    assert!(!result.success && !project.exists("d") && !project.exists("e"), "{:#?}", told(&result));
}

#[test]
fn regression_what_an_earlier_failure_left_undone_is_not_reported_as_done() {
    let mut project = Project::with(&[("keep", "k")]);
    project.options.faults = failing(Call::CreateTemp);
    let result = project.execute(&[file_write("d/a", "a"), file_write("d/a", "a"), file_write("keep", "k")]);
    let told = told(&result);
    assert!(told[1].contains("file_write: "), "{told:#?}");
    assert_eq!(told[2], "unchanged");
    assert!(result.external_changes.is_empty(), "{:?}", result.external_changes);
}

#[test]
fn what_others_do_meanwhile_to_what_was_written_is_told() {
    let mut project = Project::with(&[("b", "b"), ("gone", "x")]);
    project.options.durability = Durability::Full;
    let root = project.root.clone();
    let calls = std::sync::atomic::AtomicUsize::new(0);
    // The folders are flushed when all is made.
    project.options.faults = Faults::injected(move |call| {
        if call == Call::SyncFolder && calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
            std::fs::write(root.join("a"), "theirs, and longer").unwrap();
            std::fs::write(root.join("gone"), "back").unwrap();
            std::fs::write(root.join("d/other"), "no change of ours").unwrap();
        }
        None
    });
    let changes =
        [file_write("a", "ours"), file_move("b", "d/b"), file_delete("gone"), file_write("d/c", "c")];
    let result = project.execute(&changes);
    assert!(result.success, "{:#?}", told(&result));
    assert_eq!(result.external_changes, ["a", "gone"]);
}
