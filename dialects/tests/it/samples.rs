//! Samples of each dialect, for all tests, measurements and fuzzers that concern every one of them, also those of the
//! whole program. Another dialect is another arm of [`sample`].

#![allow(dead_code, clippy::panic, reason = "each user needs a part of it, and is a test or a measurement")]

use clada_dialects::{Block, Code, Dialect};

pub(crate) struct Sample {
    /// A block that gives the file `a` (or `a.py`) the lines of the content. The number tells it from others; its marks
    /// are not those of `inner`.
    pub(crate) outer: fn(usize, &str) -> String,
    /// A block as an answer might quote it.
    pub(crate) inner: &'static str,
    /// False if a block cannot hold one of its own dialect, for want of a way to quote its markers.
    pub(crate) holds_its_own: bool,
    /// A block that changes the text `four` of `a.txt`, and what a report for a model calls it. `None` if its edits are
    /// called as their actions, or look for no text.
    pub(crate) failing: Option<(&'static str, &'static str)>,
    /// Markers and parts of them, of which random texts are made.
    pub(crate) pieces: &'static [&'static str],
    /// The least number of its cases, in the folder of `data` that has its name, and the faults that they have.
    pub(crate) cases: usize,
    pub(crate) codes: &'static [Code],
    /// Checks what holds for every block of the dialect, whose source this is.
    pub(crate) check: fn(&Block<'_>, &str),
}

fn added(content: &str) -> String {
    content.lines().map(|line| format!("+{line}\n")).collect()
}

fn has_path(block: &Block<'_>) -> bool {
    block.actions.iter().all(|action| {
        let path = action.field("path").or(action.field("old_path"));
        path.is_some_and(|path| !path.is_empty())
    })
}

fn check_diff(block: &Block<'_>) {
    for action in block.actions.iter().filter(|_| block.sound) {
        let patches = action.name.as_deref() == Some("file_patch");
        assert!(!patches || !action.hunks.is_empty() || action.terms.executable.is_some(), "{block:?}");
    }
    assert!(!block.sound || !block.actions.is_empty() && has_path(block), "{block:?}");
}

pub(crate) fn sample(dialect: Dialect) -> Sample {
    match dialect {
        Dialect::Sham => Sample {
            outer: |number, content| {
                let id = format!("z{number}");
                format!(
                    "#!SHAM [@three-char-SHA-256: {id}]\naction = \"file_write\"\npath = \"/p/a\"\n\
                     content = <<'EOT_SHAM_{id}'\n{content}\nEOT_SHAM_{id}\n#!END_SHAM_{id}\n"
                )
            },
            inner: "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_delete\"\npath = \"/p/b\"\n#!END_SHAM_k7m",
            holds_its_own: true,
            failing: None,
            pieces: &[
                "EOT_",
                "EOT_SHAM_",
                "EOT_NESL_",
                "#!SHAM ",
                "#!nesl ",
                "#!NESL ",
                "#!end_",
                "#!END_SHAM_",
                "#!END_NESL_",
                "[@three-char-SHA-256: ",
                "\n#!SHAM [@three-char-SHA-256: abc]\n",
                "\n#!nesl [@label: k7m]\r\n",
                "\n#!END_SHAM_abc\n",
                "\n#!end_k7m\n",
                "\ncontent = <<'EOT_SHAM_abc'\n",
                "\ntext = <<'EOT_k7m'\r\n",
                "\nEOT_SHAM_abc\n",
                "\nEOT_k7m'\n",
                "\nx = <<'EOF'\n",
                "\nEOF\n",
                "\naction = \"file_write\"\n",
                "\npath = \"/p\" tail\n",
            ],
            cases: 41,
            codes: &[
                Code::MalformedHeader,
                Code::InvalidBlockId,
                Code::UnclosedBlock,
                Code::MismatchedEnd,
                Code::MalformedAssignment,
                Code::EmptyKey,
                Code::InvalidKey,
                Code::DuplicateKey,
                Code::InvalidAssignmentOperator,
                Code::InvalidValue,
                Code::UnclosedQuote,
                Code::TrailingContent,
                Code::InvalidHeredocDelimiter,
                Code::UnclosedHeredoc,
                Code::UnusualLabel,
                Code::SkippedRegion,
            ],
            check: |block, source| {
                assert!(source.starts_with("#!") && block.actions.len() == 1, "{source:?}")
            },
        },
        Dialect::Csl => Sample {
            outer: |_, content| format!("<---WRITE file=\"a\"--->\n{content}\n<---END--->\n"),
            inner: "<---SEARCH file=\"b\"--->\nx\n<---REPLACE--->\ny\n<---END--->",
            holds_its_own: false,
            failing: Some(("<---SEARCH file=\"a.txt\"--->\nfour\n<---REPLACE--->\n<---END--->\n", "SEARCH")),
            pieces: &[
                "<---",
                "--->",
                "WRITE",
                " file=",
                " count=\"all\"",
                " append='true'",
                "\n<---WRITE file=\"a\"--->\n",
                "\r<---RUN--->\r",
                "\n<---SEARCH file='a'--->\n",
                "\n<---TO--->\r\n",
                "\n<---REPLACE--->\n",
                "\n<---TASKS--->\n",
                "\n<---END--->\n",
            ],
            cases: 25,
            codes: &[
                Code::MalformedMarker,
                Code::UnknownOperation,
                Code::MisplacedMarker,
                Code::EndWithoutOperation,
                Code::EndWithAttributes,
                Code::ContentOnMarkerLine,
                Code::UnquotedAttribute,
                Code::UnterminatedValue,
                Code::MissingEquals,
                Code::MissingAttributeValue,
                Code::InvalidAttribute,
                Code::DuplicateAttribute,
                Code::NestedTasks,
                Code::UnterminatedOperation,
                Code::MissingAttribute,
                Code::InvalidCount,
                Code::InvalidAppend,
                Code::EmptyCommand,
                Code::EmptySearch,
                Code::EmptyTo,
            ],
            check: |block, source| {
                assert!(source.starts_with("<---") && block.end_line.is_some(), "{source:?}")
            },
        },
        Dialect::Cml => Sample {
            outer: |_, content| format!("<write path=\"a\"><![CDATA[{content}]]></write>\n"),
            inner: "<tasks>\n<remove path=\"b\"/>\n</tasks>",
            holds_its_own: true,
            failing: Some((
                "<edit path=\"a.txt\"><search>four</search><replace>4</replace></edit>\n",
                "edit",
            )),
            pieces: &[
                "<tasks>",
                "\n<tasks version=\"1.1\">\n",
                "</tasks>\n",
                "<write path=\"a\">",
                "\n<write path='a' append=\"true\"><![CDATA[",
                "]]></write>\n",
                "</write>",
                "\n<edit path=\"a\">",
                "<search><![CDATA[x]]></search>",
                "<search-start>x</search-start><search-end>",
                "</search-end>",
                "<replace>",
                "</replace>",
                "</edit>\n",
                "\n<run>",
                "</run>",
                "\n<move from=\"a\" to=\"b\"/>",
                "<remove path=\"a\" />\n",
                "\n<remove",
                "<![CDATA[",
                "]]>",
                "]]&gt;",
                "&amp;",
                "&",
                "<!--",
                "-->",
                "/>",
                ">",
                "<foo>",
                "</foo>",
                "\n```xml\n",
                "\n  ```\n",
                "\n  ",
            ],
            cases: 30,
            codes: &[
                Code::MalformedXml,
                Code::UnknownVersion,
                Code::UnknownElement,
                Code::UnknownAttribute,
                Code::MisplacedElement,
                Code::MissingAttribute,
                Code::MissingSearch,
                Code::MissingReplace,
                Code::InvalidCount,
                Code::InvalidAppend,
                Code::EmptySearch,
                Code::EmptyReplace,
                Code::EmptyCommand,
                Code::TrailingContent,
                Code::RawText,
                Code::IgnoredText,
                Code::SkippedElement,
                Code::DeprecatedElement,
            ],
            check: |_, source| assert!(source.trim_start().starts_with('<'), "{source:?}"),
        },
        Dialect::Replacer => Sample {
            outer: |_, content| format!("<<<FILE>>>\na\n<<<OVERWRITE>>>\n{content}\n<<<END>>>\n"),
            inner: "<<<FILE>>>\nb\n<<<SEARCH>>>\nx\n<<<REPLACE>>>\n<<<END>>>",
            holds_its_own: false,
            failing: Some(("<<<FILE>>>\na.txt\n<<<SEARCH>>>\nfour\n<<<REPLACE>>>\n4\n<<<END>>>\n", "SEARCH")),
            pieces: &[
                "<<<",
                ">>>",
                "<<",
                ">>",
                "FILE",
                "END",
                "\n<<<EXPLANATION>>>\n",
                "\n<<<FILE>>>\na\n",
                "\n<<FILE>>\r\na\n",
                "\n<<<SEARCH>>>\n",
                "\n<<SEARCH>>\n",
                "\n<<<REPLACE>>>\n",
                "\n<<<OVERWRITE>>>\n",
                "\n<<<END>>>\r\n",
                "\n<<END>>\n",
            ],
            cases: 20,
            codes: &[
                Code::MissingFile,
                Code::MissingReplace,
                Code::UnclosedEdit,
                Code::EmptySearch,
                Code::UnexpectedMarker,
            ],
            check: |block, source| {
                assert!(source.starts_with("<<") && block.actions.len() == 1, "{source:?}");
                let field = |name| block.actions[0].field(name);
                let replaces = field("old_text").is_some_and(|old| !old.trim().is_empty());
                let whole = field("content").is_some() || replaces && field("new_text").is_some();
                assert!(!block.sound || whole && has_path(block), "{block:?}");
            },
        },
        Dialect::ApplyPatch => Sample {
            outer: |_, content| {
                format!("*** Begin Patch\n*** Add File: a\n{}*** End Patch\n", added(content))
            },
            inner: "*** Begin Patch\n*** Delete File: b\n*** End Patch",
            holds_its_own: true,
            failing: Some((
                "*** Begin Patch\n*** Update File: a.txt\n@@\n-four\n+4\n*** End Patch\n",
                "Update File",
            )),
            pieces: &[
                "\n*** Begin Patch\n",
                "\n  *** Begin Patch ***\r\n",
                "\n*** End Patch\n",
                "*** Add File: n\n",
                "*** Delete File: d\n",
                "*** Update File: u\n",
                "*** Move to: m\n",
                "*** End of File\n",
                "@@\n",
                "-x\n",
                "+y\n",
                " z\n",
            ],
            cases: 20,
            codes: &[
                Code::MissingPath,
                Code::TruncatedPatch,
                Code::EmptyPatch,
                Code::UnexpectedLine,
                Code::UnsupportedPatch,
            ],
            check: |block, _| {
                assert_eq!(block.members.len(), block.actions.len(), "{block:?}");
                check_diff(block);
            },
        },
        Dialect::Aider => Sample {
            outer: |_, content| {
                format!("a.py\n```\n<<<<<<< SEARCH\n=======\n{content}\n>>>>>>> REPLACE\n```\n")
            },
            inner: "b.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```",
            holds_its_own: false,
            failing: Some((
                "a.txt\n```\n<<<<<<< SEARCH\nfour\n=======\n4\n>>>>>>> REPLACE\n```\n",
                "SEARCH/REPLACE",
            )),
            pieces: &[
                "\n<<<<<<< SEARCH\n",
                "\n<<<<<<< SEARCH b.py line=4\n",
                "\n  <<<<< search\r\n",
                "\n------- SEARCH\n",
                "\n<<<<<<< HEAD\n",
                "\n:start_line:4\n-------\n",
                "\n=======\n",
                "\n=====\n",
                "\n\\=======\n",
                "\n>>>>>>> REPLACE\n",
                "\n+++++++ REPLACE\r\n",
                "\n>>>>>>>\n",
                "\na.py\n",
                "\n**`é.md`:**\n",
                "\n- b.py\n",
                "\nNow in c.py:\n",
                "\n```\n",
                "\n```python\n",
                "\n   ```js a.js\n",
                "\n~~~~\n",
                "\n````\n",
                "\na.py\n```\n",
            ],
            cases: 40,
            codes: &[
                Code::MissingFile,
                Code::MalformedMarker,
                Code::MissingDivider,
                Code::AmbiguousBlock,
                Code::UnclosedEdit,
            ],
            check: |block, source| {
                assert!(
                    source.trim_start().starts_with(['<', '-']) && block.actions.len() == 1,
                    "{source:?}"
                );
                let whole = block.actions[0].hunks.len() == 1 && has_path(block);
                assert!(!block.sound || whole, "{source:?}");
            },
        },
        Dialect::UnifiedDiff => Sample {
            outer: |_, content| {
                let lines = content.lines().count();
                format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,{lines} @@\n{}", added(content))
            },
            inner: "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y",
            holds_its_own: true,
            failing: Some(("--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-four\n+4\n", "diff")),
            pieces: &[
                "\n--- a/x\n+++ b/x\n",
                "\n--- /dev/null\r\n+++ b/n\r\n",
                "\n+++ /dev/null\n",
                "\n  --- x\n  +++ x\n  @@\n",
                "\ndiff --git a/x b/x\n",
                "rename from x\nrename to y\n",
                "new file mode 100755\n",
                "deleted file mode 100644\n",
                "\n@@ -1,2 +1,2 @@ f\n",
                "\n@@ -0,0 +1 @@\n",
                "\n@@ ... @@\n",
                "-x\n",
                "+y\n",
                " z\n",
                "- item\n",
                "\n",
                "\\ No newline at end of file\n",
                "```diff\n",
                "```\n",
                "git apply <<'EOF'\n",
                "EOF\n",
            ],
            cases: 20,
            codes: &[
                Code::MissingPath,
                Code::TruncatedPatch,
                Code::EmptyPatch,
                Code::UnexpectedLine,
                Code::UnsupportedPatch,
            ],
            check: |block, _| check_diff(block),
        },
        Dialect::ToolCall => Sample {
            outer: |_, content| {
                let content = content.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                format!(
                    "{{\"name\": \"Write\", \"input\": {{\"file_path\": \"a\", \"content\": \"{content}\"}}}}\n"
                )
            },
            inner: "<invoke name=\"Edit\">\n<parameter name=\"file_path\">b</parameter>\n<parameter \
                    name=\"old_string\">x</parameter>\n<parameter name=\"new_string\">y</parameter>\n</invoke>",
            holds_its_own: true,
            failing: Some((
                "{\"name\": \"Edit\", \"input\": {\"file_path\": \"a.txt\", \"old_string\": \"four\", \"new_string\": \"4\"}}\n",
                "Edit",
            )),
            pieces: &[
                "\n{\"name\": \"Edit\", \"input\": {\"file_path\": \"a\", \"old_string\": \"x\", \"new_string\": \"y\"}}\n",
                "\n{\"tool\":\"write_file\",\"path\":\"a\",\"content\":\"é\\n\",\"id\":\"t_1\"}\n",
                "\n[\n",
                "\n[",
                "{\"name\": \"delete_file\", \"arguments\": \"{\\\"path\\\":\\\"a\\\"}\"}",
                ",\n",
                "]\n",
                "}\n",
                "\n{\"tool_calls\": [",
                "\n{\"name\": \"apply_patch\", \"input\": {\"input\": \"*** Begin Patch\\n*** Delete File: a\\n*** End Patch\"}}\n",
                "\n{\"name\": \"bash\", \"input\": {\"command\": \"ls\"}}\n",
                "\n{\"type\": \"tool_result\"}\n",
                "\n<invoke name=\"Write\">\n",
                "\n  <invoke name='Read'>",
                "<parameter name=\"file_path\">a</parameter>\n",
                "<parameter name=\"content\">\n",
                "</parameter>\n",
                "</invoke>\n",
                "\n<write_to_file>\n<path>a</path>\n<content>\n",
                "</content>\n",
                "</write_to_file>\n",
                "\n<tool_call>",
                "</tool_call>\n",
                "\nResult: ok\n",
                "\n<replace_in_file>\n<path>a</path>\n<diff>\n",
                "\n```json\n",
            ],
            cases: 30,
            codes: &[],
            check: |block, source| {
                assert!(source.starts_with(['{', '<']) && source.ends_with(['}', '>']), "{source:?}");
                assert!(block.sound && !block.actions.is_empty() && block.end_line.is_some(), "{block:?}");
                for action in &block.actions {
                    let name = action.name.as_deref().unwrap_or_default();
                    assert!(name.starts_with("file_") || name == "dir_create", "{name}");
                    assert!(
                        ["path", "old_path"].iter().any(|name| action.field(name).is_some()),
                        "{block:?}"
                    );
                }
            },
        },
        // A longer fence than any of `inner`.
        Dialect::WholeFile => Sample {
            outer: |_, content| format!("a.py\n``````\n{content}\n``````\n"),
            inner: "b.py\n```\nx\n```",
            holds_its_own: true,
            failing: None,
            pieces: &["\na.py\n", "```\n", "\n```py\n"],
            cases: 0,
            codes: &[],
            check: |_, _| {},
        },
    }
}
