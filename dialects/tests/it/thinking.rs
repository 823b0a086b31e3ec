//! Thinking whose opening tag was in the prompt: only its closing tag is visible, and nothing before it runs.

use clada_dialects::{Bounds, Choice, Code, Parse, Severity, parse};

const BLOCK: &str =
    "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_delete\"\npath = \"/p/a\"\n#!END_SHAM_k7m\n";

fn read(text: &str) -> Parse<'_> {
    parse(text, &Bounds::default(), &Choice::Auto)
}

#[test]
fn nothing_before_a_lone_closing_tag_runs() {
    for end in ["</think>", "  </THINKING>\t", "</reasoning>", "That will do.</think>"] {
        let text = format!(
            "Let me see:\n{BLOCK}#!SHAM [@three-char-SHA-256: q2x]\nx\n#!END_SHAM_q2x\n{end}\n\n{BLOCK}"
        );
        let parsed = read(&text);
        let lines: Vec<u32> = parsed.blocks.iter().map(|block| block.start_line).collect();
        assert_eq!(lines, [11], "{end}");
        let found: Vec<_> = parsed.diagnostics.iter().map(|found| (found.code, found.severity)).collect();
        assert_eq!(found, [(Code::SkippedRegion, Severity::Warning)], "{end}");
        assert!(parsed.diagnostics[0].message.starts_with("Lines 1 to 9 are thinking"), "{parsed:#?}");
        assert!(parsed.diagnostics[0].message.contains("lines 2, 6 look"), "{parsed:#?}");
    }
}

#[test]
fn prose_about_tags_takes_nothing_back() {
    for prose in [
        "`</think>` ends it",
        "It ends with `</think>`",
        "The tag is </think>",
        "A pair <think>x</think>",
        "> </think>",
        "> quoted</think>",
        "\"</think>\"",
        "</thinkers>",
        "</think> ends it",
        "</a>",
        "</think",
    ] {
        let text = format!("{BLOCK}{prose}\n");
        let parsed = read(&text);
        assert_eq!((parsed.blocks.len(), parsed.diagnostics.len()), (1, 0), "{prose}");
    }
}

#[test]
fn a_closing_tag_that_is_content_or_closes_what_was_opened_takes_nothing_back() {
    let held = "<---WRITE file='a'--->\n</think>\n<---END--->\n";
    let opened = format!("{BLOCK}<think>\nhm\n</think>\n{held}");
    let parsed = read(&opened);
    assert_eq!((parsed.blocks.len(), parsed.diagnostics.len()), (2, 0), "{parsed:#?}");
}

#[test]
fn without_anything_before_it_a_closing_tag_is_nothing_to_speak_of() {
    let text = format!("Hm.\n</think>\n{BLOCK}</think>\n{BLOCK}");
    let parsed = read(&text);
    assert_eq!((parsed.blocks.len(), parsed.diagnostics.len()), (1, 1), "{parsed:#?}");
}

#[test]
fn what_dialects_remember_is_forgotten_with_thinking() {
    // A stray end of replacer is a fault only where the answer holds an edit.
    let edit = "<<<FILE>>>\na\n<<<OVERWRITE>>>\nx\n<<<END>>>\n";
    let text = format!("{edit}</think>\n<<<END>>>\n");
    let parsed = read(&text);
    assert!(parsed.blocks.is_empty() && parsed.diagnostics.len() == 1, "{parsed:#?}");
}

#[test]
fn what_would_stop_an_answer_stops_nothing_if_it_was_thinking() {
    for fatal in [
        "<---WRITE file=x--->\nx\n",
        "<---RUN--->\nx\n<---END---> x\n<---END--->\n<---END--->\n",
        "<---SEARCH file=\"x\"--->\nx\n<---END--->\n",
        "<---WRITE file=\"x\"--->\nx\n<---END--->\n<---\n<---END--->\n<---TO--->\n",
    ] {
        let text = format!("{fatal}</think>\n{BLOCK}");
        let parsed = read(&text);
        let found: Vec<_> = parsed.diagnostics.iter().map(|found| (found.code, found.fatal)).collect();
        assert_eq!((parsed.blocks.len(), found), (1, vec![(Code::SkippedRegion, false)]), "{fatal}");
        assert!(parsed.blocks[0].sound && parsed.blocks[0].start_line as usize == fatal.lines().count() + 2);
        // Without a closing tag, or with one that is content, it is fatal.
        for after in ["", "<---WRITE file='a'--->\n</think>\n<---END--->\n"] {
            let text = format!("{fatal}{after}{BLOCK}");
            let parsed = read(&text);
            assert!(
                parsed.diagnostics.last().unwrap().fatal && parsed.diagnostics.len() == 1,
                "{fatal} {parsed:#?}"
            );
        }
    }
}
