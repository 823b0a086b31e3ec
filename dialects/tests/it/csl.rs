//! CSL: what its cases fix, and the cases of the reference parser.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]
#![allow(clippy::expect_used, reason = "what is missing fails the test")]

use crate::fixtures;
use clada_dialects::{
    Bounds, Choice, CslDelimiters, CslTree, Dialect, Options, Parse, Policy, csl_tree, parse, parse_with,
};
use serde_json::Value;

/// The syntax tree of `text`, read as CSL and nothing else.
fn tree(text: &str, csl: CslDelimiters) -> Value {
    let options = Options { choice: Choice::Named(vec![Dialect::Csl]), csl, ..Options::default() };
    let tree = serde_json::to_value(csl_tree(text, &parse_with(text, &options), &options.csl));
    tree.expect("a tree is data")
}

/// Returns the facts that a case fixes: the parse, and the tree of the whole text and of CSL alone.
pub(crate) fn outcome(text: &str, parsed: &Parse<'_>) -> Value {
    let mut outcome = fixtures::describe(text, parsed);
    let delimiters = CslDelimiters::default();
    outcome["tree"] = serde_json::to_value(csl_tree(text, parsed, &delimiters)).expect("a tree is data");
    outcome["alone"] = tree(text, delimiters);
    if outcome["alone"] == outcome["tree"] {
        outcome["alone"] = "the same".into();
    }
    outcome
}

/// The reference parser's own cases, every field, if `CLADA_CONFORMANCE` names the folder that holds them.
#[test]
fn conformance() {
    let Some(cases) = fixtures::conformance("csl.json") else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        let text = case["text"].as_str().unwrap();
        let delimiter = |name| case["options"][name].as_str();
        let delimiters = match (delimiter("startDelimiter"), delimiter("endDelimiter")) {
            (Some(start), Some(end)) => CslDelimiters::new(start, end).unwrap(),
            _ => CslDelimiters::default(),
        };
        let mut expected = case.clone();
        expected.as_object_mut().unwrap().retain(|key, _| key != "text" && key != "options");
        let auto = Options { csl: delimiters.clone(), ..Options::default() };
        let auto = serde_json::to_value(csl_tree(text, &parse_with(text, &auto), &delimiters)).unwrap();
        for (how, actual) in [("alone", tree(text, delimiters)), ("auto", auto)] {
            if actual != expected {
                wrong.push(format!("{how}: {text}:\nexpected {expected:#}\nactual {actual:#}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ in {} cases\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
    println!("{} cases agree", cases.len());
}

#[test]
fn an_arrow_in_prose_stops_nothing_unless_csl_is_there_or_asked_for() {
    let prose = "<--- look here\n<---RUN this first\n";
    let fatal = |text: &str, choice: Choice| {
        let parsed = parse(text, &Bounds::default(), &choice);
        parsed.diagnostics.iter().find(|found| found.fatal).map(|found| found.message.clone())
    };
    let all = Dialect::AUTO.to_vec();
    let malformed = Some("Line 1: Malformed marker".to_owned());
    assert_eq!(fatal(prose, Choice::Auto), None);
    assert_eq!(fatal(prose, Choice::Enabled(all.clone())), None);
    assert_eq!(fatal(prose, Choice::Named(vec![Dialect::Sham])), None);
    assert_eq!(fatal(prose, Choice::Named(all)), malformed);
    assert_eq!(fatal(prose, Choice::Named(vec![Dialect::Csl])), malformed);
    for csl in ["<---RUN--->\nls\n<---END--->\n", "<---END--->\n", "<---RUN--->\n"] {
        assert_eq!(fatal(&format!("{prose}{csl}"), Choice::Auto), malformed, "{csl}");
        assert_eq!(fatal(&format!("{prose}```\n{csl}```\n"), Choice::Auto), malformed, "{csl}");
    }
    let quoted = "#!SHAM [@three-char-SHA-256: abc]\na = <<'EOT_SHAM_abc'\n<---END--->\nEOT_SHAM_abc\n#!END_SHAM_abc\n";
    assert_eq!(fatal(&format!("{prose}{quoted}<think>\n<---END--->\n</think>\n"), Choice::Auto), None);
}

#[test]
fn delimiters_are_checked() {
    for (start, end) in [("", "]"), ("[", ""), (" [", "]"), ("[", "]\n"), ("\"", "]"), (&"x".repeat(65), "]")]
    {
        assert_eq!(CslDelimiters::new(start, end), None, "{start:?} {end:?}");
    }
    assert_eq!(CslDelimiters::new("<---", "--->"), Some(CslDelimiters::default()));
}

#[test]
fn delimiters_may_be_alike_or_belong_to_other_dialects() {
    let written = "%%RUN%%\nls\n%%END%%\n";
    let delimiters = CslDelimiters::new("%%", "%%").unwrap();
    assert_eq!(tree(written, delimiters)["ast"][0]["content"], "ls");
    let replacer = "<<<FILE>>>\na\n<<<OVERWRITE>>>\nx\n<<<END>>>\n<<<RUN>>>\nls\n<<<END>>>\n";
    let csl = CslDelimiters::new("<<<", ">>>").unwrap();
    let parsed = parse_with(replacer, &Options { csl, ..Options::default() });
    let dialects: Vec<_> = parsed.blocks.iter().map(|block| block.dialect).collect();
    assert_eq!((dialects, parsed.diagnostics.len()), (vec![Dialect::Replacer, Dialect::Csl], 0));
}

#[test]
fn bounds_are_said() {
    let run = "<---RUN a=\"1\" b=\"2\"--->\nls\n<---END--->\n";
    let message = |text: &str, bounds: Bounds| {
        let parsed = parse(text, &bounds, &Choice::Auto);
        (
            parsed.diagnostics.iter().map(|found| found.message.clone()).collect::<Vec<_>>(),
            parsed.blocks.len(),
        )
    };
    let few = Bounds { fields: 1, ..Bounds::default() };
    assert_eq!(message(run, few), (vec!["Line 1: More than 1 attributes".to_owned()], 0));
    let few = Bounds { blocks: 2, ..Bounds::default() };
    let more = "More than 2 blocks: nothing of this answer is applied";
    assert_eq!(message(&run.repeat(3), few), (vec![more.to_owned()], 2));
    let tasks = format!("{run}<---TASKS--->\n{}<---END--->\n", run.repeat(2));
    let more = "Line 8: More operations than an answer may have (limits.blocks)";
    assert_eq!(message(&tasks, few), (vec![more.to_owned()], 1));
    assert_eq!(message(&tasks, Bounds { blocks: 3, ..Bounds::default() }), (vec![], 2));
}

#[test]
fn actions_of_tasks_are_numbered_within_them() {
    let text = "<---TASKS--->\n<---RUN--->\nls\n<---END--->\n<---END--->\n<---RUN--->\nls\n<---END--->\n";
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    let tasks: Vec<_> = parsed.blocks.iter().zip(1..).map(|(block, number)| block.task(number, 0)).collect();
    assert_eq!(tasks, ["1.1", "2"]);
    assert_eq!((parsed.blocks[0].policy, parsed.blocks[1].policy), (Policy::Atomic, Policy::Each));
}

#[test]
fn content_is_borrowed_where_no_cr_has_to_go() {
    let text = "<---WRITE file=\"a\"--->\none\ntwo\n<---END--->\n";
    let CslTree::Operations { ast, .. } =
        csl_tree(text, &parse(text, &Bounds::default(), &Choice::Auto), &CslDelimiters::default())
    else {
        panic!("there is no error in it");
    };
    assert!(matches!(ast[0].parts[0], ("content", std::borrow::Cow::Borrowed("one\ntwo"))));
}
