//! CML: what no case of a file says.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use std::borrow::Cow;

use clada_dialects::plain::Plain;
use clada_dialects::{Bounds, Choice, Code, Dialect, Parse, Policy, parse};

fn auto(text: &str) -> Parse<'_> {
    parse(text, &Bounds::default(), &Choice::Auto)
}

fn named(text: &str) -> Parse<'_> {
    parse(text, &Bounds::default(), &Choice::Named(vec![Dialect::Cml]))
}

/// A file that may be named `auto-…`: text that only resembles CML has no effect and is no error, whether
/// the caller names no dialect or a configuration leaves CML enabled.
#[test]
fn samples_of_others_do_nothing() {
    for name in ["auto-web-config", "auto-html-jsx-maven", "auto-prose"] {
        let text = std::fs::read_to_string(fixtures::folder("cml").join(name).with_extension("txt")).unwrap();
        let enabled = Choice::Enabled(Dialect::AUTO.to_vec());
        for parsed in [auto(&text), parse(&text, &Bounds::default(), &enabled)] {
            // Fences may still be candidates of a plain answer.
            assert_eq!(Parse { plain: Plain::default(), ..parsed }, Parse::default(), "{name}");
        }
    }
}

#[test]
fn every_element_counts_where_cml_is_asked_for() {
    let text = "```xml\n<configuration>\n<remove verb=\"*\" path=\"x\"/>\n<run>ls</run>\n<tasks></tasks>\n";
    let parsed = named(text);
    let sound: Vec<_> = parsed.blocks.iter().map(|block| block.sound).collect();
    assert_eq!(sound, [false, true, true]);
    assert!(parsed.diagnostics.iter().any(|found| found.code == Code::UnknownAttribute));
}

#[test]
fn tasks_are_numbered_over_the_answer() {
    let text = "<run>a</run>\n<tasks><run>b</run><run>c</run></tasks>\n<run>d</run>\n";
    let parsed = auto(text);
    let mut number = 1;
    let mut tasks = Vec::new();
    for block in &parsed.blocks {
        tasks.extend((0..block.actions.len()).map(|index| block.task(number, index)));
        number += block.numbers();
    }
    assert_eq!(tasks, ["1", "2", "3", "4"]);
    let policies: Vec<_> = parsed.blocks.iter().map(|block| block.policy).collect();
    assert_eq!(policies, [Policy::Each, Policy::InOrder, Policy::Each]);
}

#[test]
fn an_invalid_task_fails_at_its_turn_and_a_malformed_block_never_runs() {
    let invalid = "<tasks><run>a</run><edit path='a'><search/><replace>x</replace></edit></tasks>";
    let parsed = auto(invalid);
    assert!(parsed.blocks[0].sound);
    let valid: Vec<_> = parsed.blocks[0].members.iter().map(|member| member.valid).collect();
    assert_eq!(valid, [true, false]);
    let alone = "<edit path='a'><search></search><replace>x</replace></edit>";
    assert!(!auto(alone).blocks[0].sound);
    assert!(!auto("<tasks><run>a</run><run>b</tasks>").blocks[0].sound);
}

#[test]
fn a_truncated_answer_runs_nothing_of_its_last_block() {
    let text = "<tasks>\n<write path=\"doc\"><![CDATA[\n<remove path=\"x\"/>\n]]></write>\n<run>ls</run>\n</tasks>\n";
    let end = text.trim_end().len();
    for length in 1..end {
        let parsed = auto(&text[..length]);
        assert!(parsed.blocks.iter().all(|block| !block.sound), "{:?}", &text[..length]);
    }
    assert!(auto(&text[..end]).blocks[0].sound);
}

#[test]
fn regression_a_fault_may_stand_before_a_wide_character() {
    let parsed = named("<tasks>\u{feff}]]>\n</tasks>\n");
    assert_eq!((parsed.diagnostics[0].column, parsed.diagnostics[0].length), (8, 0));
}

#[test]
fn bounds_are_said() {
    let said = |text: &str, bounds: Bounds| {
        let parsed = parse(text, &bounds, &Choice::Auto);
        let codes: Vec<_> = parsed.diagnostics.iter().map(|found| (found.code, found.fatal)).collect();
        (codes, parsed.blocks.len())
    };
    let few = Bounds { blocks: 2, ..Bounds::default() };
    let too_many = vec![(Code::TooManyBlocks, true)];
    let run = "<run>x</run>";
    assert_eq!(said(&format!("{run}\n").repeat(3), few), (too_many.clone(), 2));
    assert_eq!(said(&run.repeat(3), few), (too_many.clone(), 2));
    assert_eq!(said(&format!("{run}\n<tasks>{run}{run}</tasks>\n"), few), (too_many, 1));
    assert_eq!(said(&format!("<tasks>{run}{run}</tasks>\n"), few), (vec![], 1));
    let few = Bounds { fields: 1, ..Bounds::default() };
    let (codes, _) = said("<write path='a' append='true'>x</write>", few);
    assert_eq!(codes, [(Code::MalformedXml, false)]);
}

#[test]
fn content_is_borrowed_where_nothing_has_to_be_undone() {
    let parsed = auto("<write path=\"a\"><![CDATA[one\ntwo]]></write>");
    let content = &parsed.blocks[0].actions[0].fields[1].value;
    assert!(matches!(content, Cow::Borrowed("one\ntwo")), "{content:?}");
}

#[test]
fn regression_lines_are_those_of_the_blocks_before() {
    let text = "<---WRITE file=\"a\"--->\none\rtwo\n<---END--->\n<move from=\"a\" to=\"b\"/>\n";
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    let lines: Vec<_> = parsed.blocks.iter().map(|block| (block.start_line, block.end_line)).collect();
    assert_eq!(lines, [(1, Some(4)), (5, Some(5))]);
}

#[test]
fn regression_a_broken_task_counts_among_those_that_are_too_many() {
    let text = "<tasks>\n<move from=\"a\"/>\n<remove path=\"b\"><!-- x -->\n";
    let parsed = parse(text, &Bounds { blocks: 1, ..Bounds::default() }, &Choice::Auto);
    assert!(parsed.blocks.iter().map(|block| block.actions.len()).sum::<usize>() <= 1);
    assert!(parsed.diagnostics.iter().any(|found| found.fatal && found.code == Code::TooManyBlocks));
}
