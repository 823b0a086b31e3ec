//! Detection: more bytes change nothing once a framing is shown, and eight are enough.
//!
//! `cargo +nightly fuzz run detection --fuzz-dir protocol/fuzz -- -dict=protocol/fuzz/headers.dict`

#![no_main]

use clada_protocol::framing::{Detected, Framing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = Framing::detect(bytes);
    let blanks = bytes.len() - bytes.trim_ascii_start().len();
    for count in 0..bytes.len() {
        let detected = Framing::detect(&bytes[..count]);
        assert!(detected == Detected::Undecided || detected == whole);
        assert!(count < blanks + 8 || detected == whole);
    }
});
