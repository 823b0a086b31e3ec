//! A block of any dialect is content inside a block of any other, byte for byte.

use clada_dialects::{Bounds, Choice, Dialect, Parse, parse};

/// The dialects that have to read their own samples.
const READ: &[Dialect] = Dialect::AUTO;

/// A block of `dialect` that gives the file `a` the lines of `content`. Its marks are not those of [`inner`].
fn outer(dialect: Dialect, content: &str) -> String {
    let added = || content.lines().map(|line| format!("+{line}\n")).collect::<String>();
    match dialect {
        Dialect::Sham => format!(
            "#!SHAM [@three-char-SHA-256: zZ9]\naction = \"file_write\"\npath = \"/p/a\"\ncontent = <<'EOT_SHAM_zZ9'\n{content}\nEOT_SHAM_zZ9\n#!END_SHAM_zZ9\n"
        ),
        Dialect::Csl => format!("<---WRITE file=\"a\"--->\n{content}\n<---END--->\n"),
        Dialect::Cml => format!("<write path=\"a\"><![CDATA[{content}]]></write>\n"),
        Dialect::Replacer => format!("<<<FILE>>>\na\n<<<OVERWRITE>>>\n{content}\n<<<END>>>\n"),
        Dialect::ApplyPatch => format!("*** Begin Patch\n*** Add File: a\n{}*** End Patch\n", added()),
        Dialect::Aider => format!("a.py\n```\n<<<<<<< SEARCH\n=======\n{content}\n>>>>>>> REPLACE\n```\n"),
        Dialect::UnifiedDiff => {
            format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,{} @@\n{}", content.lines().count(), added())
        }
        Dialect::ToolCall => {
            let call =
                serde_json::json!({ "name": "Write", "input": { "file_path": "a", "content": content } });
            format!("{call}\n")
        }
        Dialect::WholeFile => format!("a.py\n``````\n{content}\n``````\n"),
    }
}

/// A block of `dialect`, as an answer might quote it.
fn inner(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sham => {
            "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_delete\"\npath = \"/p/b\"\n#!END_SHAM_k7m"
        }
        Dialect::Csl => "<---SEARCH file=\"b\"--->\nx\n<---REPLACE--->\ny\n<---END--->",
        Dialect::Cml => "<tasks>\n<remove path=\"b\"/>\n</tasks>",
        Dialect::Replacer => "<<<FILE>>>\nb\n<<<SEARCH>>>\nx\n<<<REPLACE>>>\n<<<END>>>",
        Dialect::ApplyPatch => "*** Begin Patch\n*** Delete File: b\n*** End Patch",
        Dialect::Aider => "b.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```",
        Dialect::UnifiedDiff => "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y",
        Dialect::ToolCall => {
            "<invoke name=\"Edit\">\n<parameter name=\"file_path\">b</parameter>\n<parameter \
             name=\"old_string\">x</parameter>\n<parameter name=\"new_string\">y</parameter>\n</invoke>"
        }
        Dialect::WholeFile => "b.py\n```\nx\n```",
    }
}

/// Returns true if a block of `outer` cannot hold that of `inner` for want of a way to quote its own markers.
fn quotes_itself(outer: Dialect, inner: Dialect) -> bool {
    let own = outer == inner;
    own && matches!(outer, Dialect::Csl | Dialect::Replacer | Dialect::Aider)
}

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
        let alone = outer(*holder, "plain");
        if read(&alone).blocks.is_empty() {
            assert!(!READ.contains(holder), "{holder:?} does not read its own sample: {alone}");
            continue;
        }
        for held in Dialect::ALL.iter().filter(|held| !quotes_itself(*holder, **held)) {
            let content = format!("before\n{}\nafter", inner(*held));
            let text = format!("Prose.\n\n{}\nMore prose.\n", outer(*holder, &content));
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
            let text = format!("{}\n{}\n", inner(*first), inner(*second));
            let parsed = read(&text);
            let found: Vec<Dialect> = parsed.blocks.iter().map(|block| block.dialect).collect();
            assert_eq!(found, [*first, *second], "{text}\n{parsed:#?}");
        }
    }
}
