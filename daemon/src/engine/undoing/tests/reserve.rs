//! Undos of files for which the journal has no room: they move to the reserve, and come back from it.

use super::*;

impl Place {
    /// Lays a file of `size` bytes that is not text: the journal keeps what a record finds of texts.
    fn lay_binary(&self, path: &str, size: usize) {
        self.lay(path, &"\0".repeat(size));
    }

    /// Lays a file of `size` bytes that takes no room.
    fn lay_sparse(&self, path: &str, size: u64) {
        std::fs::File::create(self.root.join(path)).unwrap().set_len(size).unwrap();
    }

    fn inode(&self, path: &str) -> u64 {
        self.root.join(path).symlink_metadata().unwrap().ino()
    }

    /// Returns the names of the files in the reserve.
    fn reserved(&self) -> Vec<OsString> {
        let folders = std::fs::read_dir(self.root.parent().unwrap().join("state/projects")).unwrap();
        let reserves = folders.map(|folder| folder.unwrap().path().join(".clada-undo-reserve"));
        let files = reserves.filter_map(|reserve| std::fs::read_dir(reserve).ok()).flatten();
        files.map(|file| file.unwrap().file_name()).collect()
    }

    /// Undoes the last operation and redoes it, twice, and compares the tree each time.
    fn back_and_forth(&self, before: &BTreeMap<PathBuf, Entry>) {
        let after = self.tree();
        for _ in 0..2 {
            let undone = self.undo().unwrap();
            assert!(undone.success && undone.warnings.is_empty(), "{undone:#?}");
            assert_eq!(self.tree(), *before);
            let redone = self.redo().unwrap();
            assert!(redone.success && redone.warnings.is_empty(), "{redone:#?}");
            assert_eq!(self.tree(), after);
            assert_eq!(self.reserved(), Vec::<OsString>::new());
        }
    }
}

/// Covers more new files than there is room for, one that is larger, of which no content is known, files in
/// folders that go with them, one that is larger than what it replaced, and modes.
#[test]
fn regression_what_an_undo_cannot_keep_moves_to_the_reserve_and_comes_back() {
    let limits = [("CLADA_LIMITS_PLANNED_BYTES", "3KB"), ("CLADA_RECORD_MAX_FILE", "5KB")];
    // More new files than there is room for, and a change besides.
    let place = Place::with(&limits);
    place.lay("a", "1\n");
    let before = place.tree();
    let recorded = place.record(|| {
        (0..6).for_each(|number| place.lay_binary(&format!("venv/lib/{number}.so"), 1_500 + number));
        place.lay("a", "2\n");
    });
    assert!(recorded.warnings.is_empty(), "{:?}", recorded.warnings);
    let inode = place.inode("venv/lib/5.so");
    let undone = place.undo().unwrap();
    assert!(undone.changes.iter().all(|change| change.from.is_none()), "{undone:#?}");
    assert!(place.reserved().len() >= 4, "{:?}", place.reserved());
    let shown = |operation: &str| {
        let params = HistoryShowParams {
            root: place.root(),
            operation: operation.into(),
            diff: false,
            parameters: false,
        };
        place.request().show_history(&params).unwrap()
    };
    let listed = shown(&undone.operation_id);
    let reserved = |text: &str| text.contains("undo-reserve");
    assert!(!reserved(&format!("{listed:?}")) && !reserved(&listed.operation.summary), "{listed:#?}");
    assert!(listed.changes.iter().all(|change| change.error.is_none()), "{listed:#?}");
    let redone = place.redo().unwrap();
    assert!(redone.changes.iter().all(|change| change.from.is_none()), "{redone:#?}");
    assert_eq!(place.inode("venv/lib/5.so"), inode);
    place.back_and_forth(&before);

    // A file of which no content is known, alone and over another one; one with a mode of its own.
    let place = Place::with(&limits);
    place.lay("over", "old\n");
    std::fs::set_permissions(place.root.join("over"), PermissionsExt::from_mode(0o600)).unwrap();
    let before = place.tree();
    place.record(|| {
        place.lay_binary("large", 9_000);
        place.lay_binary("over", 9_000);
        place.lay_binary("closed", 4_000);
        std::fs::set_permissions(place.root.join("closed"), PermissionsExt::from_mode(0o400)).unwrap();
    });
    place.back_and_forth(&before);

    // What was changed since is overwritten at the user's wish, and comes back.
    let place = Place::with(&limits);
    ["a", "b"].iter().for_each(|name| place.lay(name, "old\n"));
    let written = Answer::default().write("a", "new\n").write("b", "new\n").write("c", "c\n");
    assert!(place.apply(&written).success);
    ["a", "b"].iter().for_each(|name| place.lay(name, &name.repeat(2_000)));
    place.lay("c", &"c".repeat(4_000));
    let changed = place.tree();
    let force = UndoParams { force: true, dry_run: true, ..UndoParams::default() };
    assert!(place.back(Direction::Back, force).unwrap().success);
    assert_eq!(place.tree(), changed);
    assert!(place.force().unwrap().success);
    assert_eq!((place.text("a").unwrap().as_str(), place.text("c")), ("old\n", None));
    assert!(place.redo().unwrap().success);
    assert_eq!(place.tree(), changed);
}

/// Where the reserve has no room, the record and the undo say so, and `--force` removes the file for good.
#[test]
fn regression_a_file_without_room_in_the_reserve_goes_only_by_force() {
    let place = Place::with(&[("CLADA_LIMITS_PLANNED_BYTES", "3KB"), ("CLADA_HISTORY_MAX_BYTES", "1MB")]);
    place.lay("a", "1\n");
    let before = place.tree();
    let recorded = place.record(|| {
        place.lay_sparse("huge", 2 << 20);
        place.lay_binary("small", 2_000);
        place.lay_binary("medium", 2_000);
        place.lay("a", "2\n");
    });
    let told: Vec<&str> = recorded.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(told.iter().any(|told| told.contains("--force") && told.ends_with(": huge")), "{told:?}");
    let after = place.tree();
    let dry = |force| UndoParams { force, dry_run: true, ..UndoParams::default() };
    let tried = place.back(Direction::Back, dry(false)).unwrap_err();
    let refused = place.undo().unwrap_err();
    assert!(refused.message.contains("/huge' would be deleted permanently"), "{refused:?}");
    assert!(!refused.message.contains("medium"), "{refused:?}");
    assert_eq!((tried.message, tried.data), (refused.message, refused.data));
    // A dry run says the same as the undo, and takes no room.
    let tried = place.back(Direction::Back, dry(true)).unwrap();
    assert_eq!((place.tree(), place.reserved()), (after, Vec::new()));
    let forced = place.force().unwrap();
    assert_eq!(tried.warnings, forced.warnings);
    assert!(forced.success && forced.warnings.iter().any(|told| told.contains("redo cannot")), "{forced:#?}");
    assert_eq!(place.tree(), before);
    // The redo does the rest.
    assert_eq!(place.redo().unwrap_err().kind(), Some(ErrorKind::NotUndoable));
    let params = UndoParams { force: true, ..UndoParams::default() };
    assert!(place.back(Direction::Forward, params).unwrap().success);
    assert_eq!((place.text("a").unwrap().as_str(), place.root.join("huge").exists()), ("2\n", false));
    assert!(place.root.join("medium").exists());
}

#[test]
fn regression_the_reserve_goes_with_the_undo_that_filled_it() {
    let place = Place::with(&[("CLADA_LIMITS_PLANNED_BYTES", "1KB")]);
    place.record(|| place.lay_binary("new", 2_000));
    let undone = place.undo().unwrap();
    let request = place.request();
    let journal = request.journal();
    journal.empty_reserve().unwrap();
    assert_eq!(place.reserved().len(), 1);
    assert_eq!(journal.reserved_bytes(), 2_000);
    journal.with(|journal| journal.discard(&undone.operation_id)).unwrap();
    journal.empty_reserve().unwrap();
    assert_eq!(place.reserved(), Vec::<OsString>::new());
}
