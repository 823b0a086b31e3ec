//! SHAM: what its cases fix, and the cases of the reference parser.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use clada_dialects::{Bounds, Choice, Parse, Severity, parse, sham_tree};
use fixtures::written;
use serde_json::{Value, json};

/// Returns the facts that a case fixes: the syntax tree, the warnings, and the blocks that may run.
pub(crate) fn outcome(text: &str, parse: &Parse<'_>) -> Value {
    let tree = sham_tree(parse);
    let warnings: Vec<_> =
        parse.diagnostics.iter().filter(|found| found.severity == Severity::Warning).collect();
    let sources: Vec<_> = parse.blocks.iter().map(|block| &text[block.source.clone()]).collect();
    let sound: Vec<_> = parse.blocks.iter().map(|block| block.sound).collect();
    json!({
        "blocks": tree.blocks,
        "errors": tree.errors,
        "warnings": warnings,
        "sources": sources,
        "sound": sound,
    })
}

/// The reference parser's own cases, every field, if `CLADA_CONFORMANCE` names the folder that holds them.
#[test]
fn conformance() {
    let Some(cases) = fixtures::conformance("sham.json") else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        let parse = parse(case["text"].as_str().unwrap(), &Bounds::default(), &Choice::Auto);
        let actual = serde_json::to_value(sham_tree(&parse)).unwrap();
        if written(&actual) != written(&case["expected"]) {
            wrong.push(format!("{}:\nexpected {:#}\nactual {actual:#}", case["name"], case["expected"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
    println!("{} cases agree", cases.len());
}
