//! A block of any dialect is content inside a block of any other, byte for byte.

use crate::samples::sample;
use clada_dialects::{Bounds, Choice, Dialect, Parse, parse};

/// The dialects that have to read their own samples.
const READ: &[Dialect] = Dialect::AUTO;

fn read(text: &str) -> Parse<'_> {
    parse(text, &Bounds::default(), &Choice::Enabled(Dialect::ALL.to_vec()))
}

/// The lines that the only action of `parsed` brings, however its dialect writes them.
fn brought(parsed: &Parse<'_>) -> Vec<String> {
    let action = &parsed.blocks[0].actions[0];
    let content = action.field("content").map(|content| content.lines().map(str::to_owned).collect());
    content.unwrap_or_else(|| {
        let lines = action.hunks.iter().flat_map(|hunk| &hunk.lines);
        let added = lines.filter_map(|line| match line {
            clada_schema::HunkLine::Added(line) => Some(line.clone().into_owned()),
            _ => None,
        });
        added.collect()
    })
}

#[test]
fn a_block_inside_another_is_content() {
    for holder in Dialect::ALL {
        let alone = (sample(*holder).outer)(9, "plain");
        if read(&alone).blocks.is_empty() {
            assert!(!READ.contains(holder), "{holder:?} does not read its own sample: {alone}");
            continue;
        }
        for held in Dialect::ALL.iter().filter(|held| *held != holder || sample(*holder).holds_its_own) {
            let content = format!("before\n{}\nafter", sample(*held).inner);
            let text = format!("Prose.\n\n{}\nMore prose.\n", (sample(*holder).outer)(9, &content));
            let parsed = read(&text);
            assert_eq!(parsed.blocks.len(), 1, "{held:?} in {holder:?}:\n{text}\n{parsed:#?}");
            let block = &parsed.blocks[0];
            assert!(block.sound && block.dialect == *holder, "{held:?} in {holder:?}:\n{text}\n{parsed:#?}");
            assert_eq!(brought(&parsed), content.lines().collect::<Vec<_>>(), "{held:?} in {holder:?}");
        }
    }
}

#[test]
fn a_block_after_another_is_a_block() {
    for first in READ {
        for second in READ {
            let text = format!("{}\n{}\n", sample(*first).inner, sample(*second).inner);
            let parsed = read(&text);
            let found: Vec<Dialect> = parsed.blocks.iter().map(|block| block.dialect).collect();
            assert_eq!(found, [*first, *second], "{text}\n{parsed:#?}");
        }
    }
}
