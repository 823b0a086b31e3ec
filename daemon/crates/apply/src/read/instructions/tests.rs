use clada_dialects::{Bounds, Choice, parse};

use super::*;

/// The lines of `text` that are indented by four blanks, as they are meant.
fn example(text: &str) -> String {
    let lines = text.lines().filter(|line| line.is_empty() || line.starts_with("    "));
    lines.map(|line| format!("{}\n", line.get(4..).unwrap_or_default())).collect()
}

fn asked(dialect: Dialect, asked: &InstructionsParams) -> String {
    instructions(dialect, asked, &Settings::default(), "0123456789abcdef")
}

fn taught(dialect: Dialect) -> String {
    asked(dialect, &InstructionsParams::default())
}

#[test]
fn applying_instructions_does_nothing() {
    for dialect in Dialect::ALL {
        for (audience, all_actions) in
            [(Audience::Chat, false), (Audience::System, true), (Audience::Tool, false)]
        {
            let root = Some("/proj".to_owned());
            let params = InstructionsParams { dialect: None, root, audience, all_actions };
            let text = asked(*dialect, &params);
            for choice in [Choice::Auto, Choice::Named(Dialect::ALL.to_vec()), Choice::Named(vec![*dialect])]
            {
                let parsed = parse(&text, &Bounds::default(), &choice);
                assert!(parsed.blocks.is_empty(), "{text}\n{parsed:#?}");
                assert!(parsed.diagnostics.iter().all(|found| !found.fatal), "{parsed:#?}");
            }
        }
    }
}

#[test]
fn examples_are_sound() {
    for dialect in Dialect::ALL {
        for text in [taught(*dialect), how_to_write(*dialect)] {
            let example = example(&text);
            let choice = Choice::Named(vec![*dialect, Dialect::ApplyPatch]);
            let parsed = parse(&example, &Bounds::default(), &choice);
            // Whole files are shown without a block.
            let is_read = match dialect {
                Dialect::WholeFile => !parsed.plain.candidates.is_empty(),
                _ => parsed.blocks.iter().any(|block| block.dialect == *dialect),
            };
            assert!(is_read, "{example}");
            assert!(parsed.diagnostics.is_empty(), "{example}\n{parsed:#?}");
            assert!(parsed.blocks.iter().all(|block| block.sound), "{example}\n{parsed:#?}");
        }
    }
}

#[test]
fn a_model_that_calls_a_tool_is_told_of_its_argument_and_of_no_answer() {
    for dialect in Dialect::ALL {
        let text = asked(*dialect, &InstructionsParams { audience: Audience::Tool, ..Default::default() });
        assert!(text.contains("tool `apply`") && text.contains("found in `text`"), "{text}");
        assert!(!text.contains("your answer") && !text.contains("this conversation"), "{text}");
        assert!(text.len() <= 2_800, "{dialect:?}: {} bytes", text.len());
        let long = text.lines().find(|line| line.len() > 122 && !line.starts_with("    {"));
        assert_eq!(long, None, "{dialect:?}");
    }
}

#[test]
fn every_text_is_short_and_says_what_holds_for_all() {
    for dialect in Dialect::ALL {
        let text = taught(*dialect);
        // Four characters are about a token.
        assert!(text.len() <= 2_800, "{dialect:?}: {} bytes", text.len());
        let long = text.lines().find(|line| line.len() > 122 && !line.starts_with("    {"));
        assert_eq!(long, None, "{dialect:?}");
        assert!(text.contains("Never leave lines out") && text.contains("wait for the user's approval"));
        assert!(["delete", "Delete", "rm"].iter().any(|word| text.contains(word)), "{text}");
        let short = how_to_write(*dialect);
        assert!(short.len() <= 1_400, "{dialect:?}: {} bytes", short.len());
    }
    let all =
        asked(Dialect::Sham, &InstructionsParams { all_actions: true, ..InstructionsParams::default() });
    for action in clada_schema::definitions().iter().filter(|action| action.available) {
        assert_eq!(all.contains(&format!("- {}: ", action.name)), action.allows(clada_schema::Caller::Llm));
    }
}

#[test]
fn what_a_project_asks_of_answers_is_taught() {
    let mut settings = Settings::default();
    settings.sham_paths = ShamPaths::Absolute;
    (settings.csl_start, settings.csl_end) = ("{{{".to_owned(), "}}}".to_owned());
    let params = InstructionsParams { root: Some("/proj".to_owned()), ..InstructionsParams::default() };
    let text = |dialect| instructions(dialect, &params, &settings, "0123456789abcdef");
    let sham = text(Dialect::Sham);
    assert!(
        sham.contains("path = \"/proj/src/example.py\"") && sham.contains("Paths are absolute."),
        "{sham}"
    );
    let csl = text(Dialect::Csl);
    assert!(csl.contains("{{{WRITE file=\"src/new.py\"}}}") && !csl.contains("--->"), "{csl}");
}
