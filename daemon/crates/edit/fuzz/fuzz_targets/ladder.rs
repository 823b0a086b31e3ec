//! Any text, and any hunk for it: the ladder ends, in the same way each time, and a stricter level never says
//! otherwise than a looser one.
//!
//! The input is three texts between NULs: of the file, of the search, and of the replacement.
//!
//! `cargo +nightly fuzz run ladder --fuzz-dir daemon/crates/edit/fuzz`

#![no_main]

use clada_edit::{Match, Text, apply_hunks_tolerant, hint_for_hunk, replacing_hunk, would_match};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut parts = input.split('\0');
    let (file, search, replace) =
        (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let Ok(text) = Text::decode(file.as_bytes()) else { return };
    let hunks = [replacing_hunk(search, replace)];
    let mut stricter = None;
    for level in [Match::Exact, Match::Strict, Match::Tolerant] {
        let patched = apply_hunks_tolerant(&text, &hunks, level, usize::MAX);
        assert_eq!(patched, apply_hunks_tolerant(&text, &hunks, level, usize::MAX));
        match &patched {
            Err(error) => {
                let _ = hint_for_hunk(&text, &hunks, error);
                let _ = would_match(&text, &hunks);
                assert!(stricter.is_none(), "what matched exactly does not any more");
            }
            Ok(patched) => {
                assert_eq!(patched.unchanged, patched.bytes == file.as_bytes());
                assert!(Text::decode(&patched.bytes).is_ok());
                let strictest = stricter.get_or_insert_with(|| patched.bytes.clone());
                assert_eq!(*strictest, patched.bytes, "{level:?}");
            }
        }
    }
});
