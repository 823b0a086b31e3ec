//! Calls of tools: what no case of a file says.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use clada_dialects::{Bounds, Choice, Parse, parse};

#[test]
fn what_only_resembles_a_call_is_text() {
    for text in [
        "{\"path\": \"a\", \"content\": \"b\"}",
        "{\"name\": \"Write\", \"description\": \"x\", \"parameters\": {\"type\": \"object\"}}",
        "> {\"name\": \"Write\", \"input\": {\"file_path\": \"a\", \"content\": \"b\"}}",
        "Use {\"name\": \"Write\", \"input\": {\"file_path\": \"a\", \"content\": \"b\"}}",
        "`<write_to_file><path>a</path><content>b</content></write_to_file>`",
    ] {
        assert_eq!(parse(text, &Bounds::default(), &Choice::Auto), Parse::default(), "{text}");
    }
}

#[test]
fn calls_count_against_the_bound_of_blocks() {
    let call = "{\"name\": \"delete_file\", \"input\": {\"path\": \"a\"}}";
    let bounds = Bounds { blocks: 2, ..Bounds::default() };
    let codes = |text: &str| {
        let parsed = parse(text, &bounds, &Choice::Auto);
        (parsed.blocks.len(), parsed.diagnostics.iter().any(|found| found.fatal))
    };
    assert_eq!(codes(&format!("{call}\n{call}\n")), (2, false));
    assert_eq!(codes(&format!("{call}\n{call}\n{call}\n")), (2, true));
    assert_eq!(codes(&format!("[{call},{call},{call}]\n")), (2, true));
}
