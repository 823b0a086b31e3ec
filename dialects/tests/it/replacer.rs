//! Replacer: what no case of a file says.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use clada_dialects::{Bounds, Choice, parse};

#[test]
fn a_stray_end_is_text_where_there_is_no_edit() {
    let parsed = parse("<<<END>>>\n<<<REPLACE>>>\n<<FILE>>\n", &Bounds::default(), &Choice::Auto);
    assert_eq!(parsed, clada_dialects::Parse::default());
}
