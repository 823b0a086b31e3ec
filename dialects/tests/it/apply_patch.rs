//! OpenAI's patches: what no case of a file says.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use clada_dialects::{Bounds, Choice, Code, Parse, parse};

#[test]
fn more_operations_than_are_allowed_stop_the_answer() {
    let text = "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch\n";
    let told =
        |blocks: usize| -> Parse<'_> { parse(text, &Bounds { blocks, ..Bounds::default() }, &Choice::Auto) };
    assert!(told(2).diagnostics.is_empty() && told(2).blocks[0].sound);
    let parsed = told(1);
    assert!(parsed.diagnostics.iter().any(|found| found.fatal && found.code == Code::TooManyBlocks));
    assert!(parsed.blocks.iter().all(|block| !block.sound && block.actions.len() <= 1));
}
