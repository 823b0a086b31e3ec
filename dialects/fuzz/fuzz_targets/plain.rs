//! Any text is read as a plain answer, within its bounds and the same each time.
//!
//! `cargo +nightly fuzz run plain --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/plain.dict`

#![no_main]

use clada_dialects::{Bounds, Choice, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    let plain = &parsed.plain;
    let lines = text.lines().count() + 1;

    assert!(plain.candidates.len() <= 1_000 && plain.notes.len() <= 1_000);
    for candidate in &plain.candidates {
        assert!(candidate.lines.start >= 1 && candidate.lines.start < candidate.lines.end);
        assert!(candidate.lines.end as usize <= lines + 1);
        let naming = candidate.naming.clone();
        assert!(naming.is_none_or(|naming| candidate.content.get(naming).is_some()));
        assert!(candidate.groups.iter().all(|group| !group.mentions.is_empty()));
    }
    assert_eq!(parsed, parse(text, &Bounds::default(), &Choice::Auto));
});
