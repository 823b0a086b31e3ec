//! Prints the dictionary of the fuzzer of dialects, made of the pieces of their samples:
//!
//! `cargo run -p clada-dialects --example dictionary > target/dialects.dict`
#![allow(clippy::print_stdout, reason = "the dictionary is what this is for")]

#[path = "../tests/it/samples.rs"]
mod samples;

use clada_dialects::Dialect;

/// What is around the blocks of any dialect.
const SHARED: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "👍",
    "\\ud83d\\udc4d",
    "```\n",
    "<think>\n",
    "</think>\n",
    "# Context Files\n",
    "<!-- clada-context 12345678 -->\n",
    "<!-- end 12345678 -->\n",
    "clada-report 12345678\n",
    "clada-instructions 12345678\n",
    "end 12345678\n",
];

fn main() {
    let pieces = Dialect::ALL.iter().flat_map(|dialect| samples::sample(*dialect).pieces);
    for piece in SHARED.iter().chain(pieces) {
        println!("\"{}\"", piece.bytes().map(escaped).collect::<String>());
    }
}

/// Returns `byte` as a dictionary of libFuzzer writes it.
fn escaped(byte: u8) -> String {
    match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}
