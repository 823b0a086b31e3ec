//! Counts the bytes that a pass touches, in tests, so that they can tell linear work from more.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts `bytes` of the text as read.
#[cfg(test)]
pub(crate) fn count(bytes: usize) {
    DONE.with(|done| done.set(done.get() + bytes));
}

#[cfg(not(test))]
#[inline(always)]
pub(crate) fn count(_bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::DONE;
    use crate::samples::sample;
    use crate::{Bounds, Choice, Dialect, parse};

    /// The number of times that a text may be read: the passes themselves, and the text that is read ahead in
    /// vain.
    const PASSES: usize = 64;

    fn work(text: &str, choice: &Choice) -> usize {
        DONE.with(|done| done.set(0));
        let _ = parse(text, &Bounds::default(), choice);
        DONE.with(std::cell::Cell::get)
    }

    const EDIT: &str = "<<<FILE>>>\na\n<<<SEARCH>>>\nx\n";
    const HEADER: &str = "#!SHAM [@three-char-SHA-256: abc]\n";
    const END: &str = "#!END_SHAM_abc\n";

    /// Texts of about `size` lines that invite looking at the same bytes again and again.
    fn hostile(size: usize) -> Vec<(&'static str, String)> {
        let in_block = |line: &str| format!("{HEADER}{}{END}", line.repeat(size));
        let numbered = |line: fn(usize) -> String| (0..size).map(line).collect::<String>();
        let long = "x".repeat(size);
        // Most texts repeat one construct that is never finished, or that makes a search start over.
        vec![
            ("prose", "some words = more words\n".repeat(size)),
            ("one line", "#".repeat(size * 20)),
            ("headers without end", HEADER.repeat(size)),
            ("faulty headers", "#!SHAM [@x: !]\n".repeat(size)),
            ("faulty headers with heredocs", "#!SHAM [@x: !]\na = <<'EOF'\n".repeat(size)),
            ("malformed lines", in_block("malformed\n")),
            ("many faults a line", in_block("a = \"1\" 👍👍👍 tail\n")),
            ("a huge line among small ones", format!("{HEADER}x\nx\nx\n{long}\nx\nx\nx\n{END}")),
            ("huge malformed lines", format!("{HEADER}{long}\n{long}=\n{long}\"=\"\n").repeat(4)),
            ("opener upon opener", in_block("a = <<'EOT_SHAM_abc'\n")),
            ("wrong openers", in_block("a = <<'EOF'\n")),
            (
                "wrong openers, each another",
                format!("{HEADER}{}", numbered(|n| format!("a{n} = <<'EOF{n}'\n"))),
            ),
            ("wrong openers in blocks", format!("{HEADER}a = <<'EOF'\n{END}").repeat(size)),
            (
                "delimiters all along one line",
                format!("{HEADER}a = <<'EOT_abc'\n{}", "EOT_abc'".repeat(size)),
            ),
            ("delimiters after openers", format!("{HEADER}a = <<'EOT_abc'\n{}", "<<EOT_abc\n".repeat(size))),
            ("heredocs", format!("{HEADER}a = <<'EOT_abc'\n{long}\nEOT_abc\n{END}").repeat(8)),
            ("many keys", format!("{HEADER}{}", numbered(|n| format!("key{n} = \"\"\n")))),
            (
                "many keys in many blocks",
                format!("{HEADER}{}", numbered(|n| format!("k{n}=\"\"\n"))).repeat(4),
            ),
            ("duplicate keys", in_block("key = \"\"\n")),
            ("escapes", format!("{HEADER}a = \"{}\"\n", "\\u12".repeat(size))),
            ("quotes", format!("{HEADER}a = {}\n", "\"\\".repeat(size))),
            ("operators", format!("{HEADER}{}\n", ":=".repeat(size))),
            ("thinking without end", "<think>\n".repeat(size)),
            ("thinking in blocks", format!("{HEADER}<think>\n{END}").repeat(size)),
            ("closing tags", format!("<think>\n{}", "</</think".repeat(size))),
            ("reports without end", numbered(|n| format!("clada-report nonce{n:08}\n"))),
            ("reports", numbered(|n| format!("clada-report nonce{n:08}\n{HEADER}end nonce{n:08}\n"))),
            (
                "documents",
                "# Context Files\n<!-- clada-context 12345678 -->\n<!-- end 12345678 -->\n".repeat(size),
            ),
            ("wide lines", in_block("👍👍👍👍👍👍👍👍\r\n")),
        ]
    }

    /// The same for every dialect: its blocks, their beginnings without an end, and all of that in thinking.
    fn hostile_to_all(size: usize) -> Vec<(&'static str, String)> {
        let of = |dialect: &Dialect| {
            let (name, block) = (dialect.name(), sample(*dialect).inner);
            let line = block.lines().next().unwrap_or_default();
            [
                (name, format!("{block}\n\n").repeat(size)),
                (name, format!("{line}\n").repeat(size)),
                (name, format!("{}</think>\n", format!("{block}\n").repeat(size))),
            ]
        };
        Dialect::ALL.iter().flat_map(of).collect()
    }

    /// The same for CSL and replacer.
    fn hostile_to_others(size: usize) -> Vec<(&'static str, String)> {
        let write = "<---WRITE file=\"a\"--->\n";
        let search = "<---SEARCH file=\"a\"--->\n";
        let end = "<---END--->\n";
        let numbered = |line: fn(usize) -> String| (0..size).map(line).collect::<String>();
        let long = "x".repeat(size);
        // Openings without ends matter most: each of them makes its dialect search the rest of the text.
        vec![
            ("operations", format!("{write}x\n{end}").repeat(size)),
            ("operations without end", write.repeat(size)),
            ("searches without end in thinking", format!("{}</think>\n", search.repeat(size))),
            ("faulty operations in thinking", format!("{}</think>\n", "<---WRITE a--->\n".repeat(size))),
            ("arrows", format!("{}{write}{end}", "<--- see\n".repeat(size))),
            ("arrows of words", "<---END to\n".repeat(size)),
            ("tasks", format!("<---TASKS--->\n{}{end}", format!("{write}x\n{end}").repeat(size))),
            ("tasks of faults", format!("<---TASKS--->\n{}{end}", "<---RUN--->\n<---END--->\n".repeat(size))),
            ("attributes", format!("<---RUN{}--->\nx\n{end}", numbered(|n| format!(" a{n}=''")))),
            ("the same attribute", "<---RUN a='' a=''--->\n".repeat(size)),
            ("dashes", format!("<---WRITE {}\n", "--".repeat(size))),
            ("backslashes", format!("<---WRITE a=\"{}\n--->\n", "\\".repeat(size))),
            ("continuations", format!("<---RUN--->\n{}{end}", "x \\\n".repeat(size))),
            ("CRs", format!("{write}{}{end}", "x\r".repeat(size))),
            ("CRs alone", format!("{}\r", "<---RUN--->\rx\r<---END--->\r".repeat(size))),
            ("faults between CRs", "<---RUN--->\r<---END--->\r".repeat(size)),
            ("huge faulty operations", format!("<---WRITE x='{long}'--->\n{end}").repeat(8)),
            ("edits", format!("{EDIT}<<<REPLACE>>>\ny\n<<<END>>>\n").repeat(size)),
            ("edits without end", EDIT.repeat(size)),
            ("edits without replacement", format!("{EDIT}<<<END>>>\n").repeat(size)),
            ("an END too many", format!("{}<<<END>>>\n", EDIT.repeat(size))),
            ("explanations", "<<<EXPLANATION>>>\n".repeat(size)),
            ("files", "<<<FILE>>>\na\n".repeat(size)),
            ("slips", "<<FILE>>\na\n\n".repeat(size)),
            ("slips in explanations", format!("<<<EXPLANATION>>>\n{}", "<<FILE>>\na\n\n".repeat(size))),
            ("slips in thinking", format!("<think>\n{}", "<<FILE>>\na\n\n".repeat(size))),
            ("a slip and a gap", format!("<<FILE>>\na{}", "\n".repeat(size)).repeat(4)),
            ("strays", format!("{EDIT}{}", "<<<END>>>\n".repeat(size))),
        ]
    }

    /// The same for CML.
    fn hostile_to_cml(size: usize) -> Vec<(&'static str, String)> {
        let write = "<write path=\"a\"><![CDATA[x]]></write>\n";
        let quoting = "<write path=\"a\"><![CDATA[<![CDATA[ ]]></write>\n";
        let numbered = |line: fn(usize) -> String| (0..size).map(line).collect::<String>();
        let line = |text: &str| text.trim_end().repeat(size);
        // Tags are put on one line as well, for the work must not depend on line ends.
        vec![
            ("writes", write.repeat(size)),
            ("writes on one line", line(write)),
            ("quoting writes", quoting.repeat(size)),
            ("quoting writes and a surplus", format!("{}x ]]></write>\n", quoting.repeat(size))),
            ("writes without end", "<write path='a'>\n".repeat(size)),
            ("writes without end of CDATA", "<write path='a'><![CDATA[x\n".repeat(size)),
            ("writes with CDATA and no end", "<write path='a'><![CDATA[x]]>\n".repeat(size)),
            ("early ends", "<write path='a'><![CDATA[x]]> y </write>\n".repeat(size)),
            ("tasks", format!("<tasks>\n{}</tasks>\n", write.repeat(size))),
            ("tasks on one line", format!("<tasks>{}</tasks>\n", line(write))),
            ("tasks without end", "<tasks>\n".repeat(size)),
            ("tasks with a task and no end", "<tasks><run>x</run>\n".repeat(size)),
            ("tasks with unknown elements", format!("<tasks>{}</tasks>", "<x><x></x></x>\n".repeat(size))),
            ("tasks of others", "<tasks><x/></tasks>\n".repeat(size)),
            ("edits without parts", format!("<edit path='a'>\n{}</edit>", "<search/>".repeat(size))),
            (
                "many edits",
                "<edit count='1' path='a'><search>x</search><replace>y</replace></edit>".repeat(size),
            ),
            ("faults on one line", "<remove path=''/>".repeat(size)),
            ("deprecated on one line", "<move from='a' to='b'/>".repeat(size)),
            ("commands without end", "<run>\n".repeat(size)),
            ("commands", "<run>x</run>\n".repeat(size)),
            ("start tags without end", "<write\n".repeat(size)),
            ("attributes of a tag", format!("<write {}>", numbered(|n| format!(" a{n}=''\n")))),
            ("quotes of attributes", "<write path=\"a\n".repeat(size)),
            ("elements that never end", numbered(|n| format!("<a{n}>\n"))),
            ("documents", "<a>\n<remove path='x'/>\n</a>\n".repeat(size)),
            ("documents in fences", format!("{}</a>\n", "```\n<a>\n```\n".repeat(size))),
            ("comments", format!("<tasks>{}<run>x</run></tasks>", "<!-- x -->\n".repeat(size))),
            ("comments without end in edits", "<edit path='a'><!--\n".repeat(size)),
            ("comments without end in writes", "<write path='a'><!-- x</write>\n".repeat(size)),
            ("what only resembles", "<write file='a'><![CDATA[x]]></write>\n".repeat(size)),
            ("what only resembles, in wrappers", "<a>\n<tasks><run>x</run></tasks>\n</a>".repeat(size)),
            ("broken tags", "<write path=a>x</write>\n".repeat(size)),
            ("stray ends of others", "<run>x</run>\n<edit path='a'></edit>\n".repeat(size)),
            ("comments without end", "<tasks><!--\n".repeat(size)),
            ("entities", format!("<write path='a'>{}</write>", "&amp;&#x;&\n".repeat(size))),
            ("stray ends", format!("{write}{}", "</write>\n".repeat(size))),
            ("fences", format!("{}{write}", "  ```xml\n  ```\n".repeat(size))),
            ("an indented fence", format!("  ```xml\n{}  ```\n", format!("  {write}").repeat(size))),
        ]
    }

    /// The same for diffs and patches.
    fn hostile_to_diffs(size: usize) -> Vec<(&'static str, String)> {
        let names = "--- a\n+++ b\n";
        let begin = "*** Begin Patch\n*** Update File: a\n";
        let long = "x".repeat(size);
        // Headers and hunks without counts make the reader look ahead at every line.
        vec![
            ("names", names.repeat(size)),
            ("old names", "--- a\n".repeat(size)),
            ("new names", "+++ a\n".repeat(size)),
            ("git names", "diff --git a/x b/x\n".repeat(size)),
            ("git headers", "diff --git a/x b/x\nrename from x\nrename to y\n".repeat(size)),
            ("a long git header", format!("diff --git a/x b/x\n{}", "index 1..2\n".repeat(size))),
            ("hunks", format!("{names}{}", "@@ -1 +1 @@\n-x\n+y\n".repeat(size))),
            ("hunks of nothing", format!("{names}{}", "@@\n".repeat(size))),
            ("diffs in the open", format!("{names}@@\n-x\n+y\n\nprose\n\n").repeat(size)),
            ("prose after a diff", format!("{names}@@\n-x\n{}", "prose\n".repeat(size))),
            ("prose before a change", format!("{names}@@\n-x\n{}+y\n", "prose\n".repeat(size))),
            ("prose before changes", format!("{names}@@\n{}", format!("prose\n{long}\n-x\n").repeat(8))),
            ("items", format!("{names}@@\n-x\n{}", "\n- item\n".repeat(size))),
            ("blank lines", format!("{names}@@\n-x\n{}", "\n".repeat(size)).repeat(2)),
            ("preludes", format!("{names}@@\n-x\n{}", "Index: a\n".repeat(size))),
            ("fences in diffs", format!("```diff\n{names}@@\n-x\n```\n+y\n").repeat(size)),
            ("changes after a fence", format!("```diff\n{names}@@\n-x\n```\n{}", "+y\n".repeat(size))),
            ("fences before hunks", "```diff\n@@\n".repeat(size)),
            ("heredocs of diffs", format!("git apply <<'EOF'\n{names}@@\n-x\nEOF\n").repeat(size)),
            ("quoted names", format!("--- \"{}\n+++ b\n@@\n", "\\303".repeat(size)).repeat(2)),
            ("patches", format!("{begin}@@\n-x\n+y\n*** End Patch\n").repeat(size)),
            ("patches without end", begin.repeat(size)),
            ("operations", format!("*** Begin Patch\n{}", "*** Delete File: a\n".repeat(size))),
            ("scopes", format!("{begin}{}-x\n*** End Patch\n", "@@ f\n".repeat(size))),
            ("no markers", format!("{begin}{}", "*** Nothing\n".repeat(size))),
            ("fences in patches", format!("{begin}{}", "```\n".repeat(size))),
            ("slips in patches", format!("{begin}{}", "<<FILE>>\na\n\n".repeat(size))),
            ("ends of files", format!("{begin}@@\n{}", "-x\n*** End of File\n".repeat(size))),
        ]
    }

    /// The same for SEARCH/REPLACE blocks and listings.
    fn hostile_to_edits(size: usize) -> Vec<(&'static str, String)> {
        let head = "<<<<<<< SEARCH\n";
        let edit = format!("{head}x\n=======\ny\n>>>>>>> REPLACE\n");
        let long = "x".repeat(size);
        // Blocks whose file or end is in doubt are those for which the reader looks back or ahead.
        vec![
            ("blocks", format!("a.py\n{edit}").repeat(size)),
            ("blocks of one file", format!("a.py\n{}", edit.repeat(size))),
            ("blocks without a file", edit.repeat(size)),
            ("blocks that doubt the file", format!("a.py\n{}", format!("{edit}in b.py:\n").repeat(size))),
            ("heads", head.repeat(size)),
            ("heads with files", format!("a.py\n{head}").repeat(size)),
            ("forgotten tails", format!("a.py\n```\n{head}x\n=======\ny\n```\n").repeat(size)),
            ("faulty heads", "<<<<<<< SEARCH for it\n".repeat(size)),
            ("tails", format!("a.py\n{edit}{}", ">>>>>>> REPLACE\n".repeat(size))),
            ("tails far away", format!("a.py\n{edit}{}", "x\n".repeat(size)).repeat(8)),
            ("dividers", format!("a.py\n{head}{}>>>>>>> REPLACE\n", "=======\n".repeat(size))),
            ("nested blocks", format!("{}{}", head.repeat(size), ">>>>>>> REPLACE\n".repeat(size))),
            ("conflicts", format!("{head}{}", "<<<<<<< HEAD\n=======\n>>>>>>> a\n".repeat(size))),
            ("conflicts of a file", "a.py\n<<<<<<< HEAD\n=======\n".repeat(size)),
            ("dashes", "--- SEARCH\n+++ SEARCH\n".repeat(size)),
            ("huge names", format!("{long}.py\n```\n{edit}```\n").repeat(8)),
            ("huge heads", format!("<<<<<<< SEARCH {long}\n").repeat(8)),
            ("decorations", format!("{}a.py\n{edit}", "**".repeat(size))),
            ("fences above", format!("{}{edit}", "```\n".repeat(size)).repeat(4)),
            (
                "backslashes",
                format!("a.py\n{head}=======\n{}>>>>>>> REPLACE\n", "\\\\=======\n".repeat(size)),
            ),
            ("listings", "a.py\n```\nx\n```\n".repeat(size)),
            ("listings without end", "a.py\n```py\n".repeat(size)),
            ("listings of other blocks", format!("a.py\n```py\n{HEADER}").repeat(size)),
            ("listings of blocks", format!("a.py\n```\n{edit}```\n").repeat(size)),
            (
                "listings of blocks without end",
                format!("a.py\n```py\n{head}```\n>>>>>>> REPLACE\n").repeat(size),
            ),
            ("listings of Markdown", "a.md\n```md\n```py\n```\n".repeat(size)),
            ("names of listings", "a.py\n\n".repeat(size)),
            ("fences", "```\n".repeat(size)),
            ("fences with names", "```py a.py\n".repeat(size)),
            ("a huge fence", "`".repeat(size * 20)),
        ]
    }

    /// The same for calls of tools.
    fn hostile_to_calls(size: usize) -> Vec<(&'static str, String)> {
        let open = "{\"name\": \"Write\", \"input\": {\"path\": \"a\", \"content\": \"\"";
        let element = "<invoke name=\"Write\">\n<parameter name=\"content\">\n";
        let long = "x".repeat(size);
        // Broken JSON and nested elements must not be read again from each of their beginnings.
        vec![
            ("calls", format!("{open}}}}}\n").repeat(size)),
            ("calls on one line", format!("[{}{open}}}}}]", format!("{open}}}}},").repeat(size))),
            ("calls without end", format!("{open}\n").repeat(size)),
            ("brackets", format!("{}{open}}}}}", "[\n".repeat(size))),
            ("numbers", format!("[{}1]\n{open}}}}}", "1,".repeat(size))),
            ("quotes", format!("{{\"name\"{}", "{\"\n".repeat(size))),
            ("objects in lines", format!("{{\"name\": \"Edit\", \"x\": \"{long}\"}}\n").repeat(8)),
            ("arguments", format!("{{\"tool\": \"Edit\"{}}}", ", \"a\": 1".repeat(size))),
            (
                "patches",
                "{\"name\": \"apply_patch\", \"input\": {\"input\": \"*** Begin Patch\\n\"}}\n".repeat(size),
            ),
            (
                "edits",
                format!(
                    "{{\"name\": \"MultiEdit\", \"input\": {{\"path\": \"a\", \"edits\": [{}1]}}}}",
                    "{},".repeat(size)
                ),
            ),
            ("elements without end", element.repeat(size)),
            ("elements and an end", format!("{}</parameter>\n</invoke>\n", element.repeat(size))),
            ("ends too many", format!("{element}{}", "</parameter>\n</invoke>\n".repeat(size))),
            ("elements", format!("{element}</parameter>\n</invoke>\n").repeat(size)),
            (
                "parameters",
                format!(
                    "<invoke name=\"Edit\">\n{}</invoke>",
                    "<parameter name=\"a\">x</parameter>\n".repeat(size)
                ),
            ),
            ("ends of parameters", format!("{element}{}</invoke>", "</parameter> x\n".repeat(size))),
            ("elements of Cline", "<write_to_file>\n<path>a</path>\n<content>\n".repeat(size)),
            ("elements that begin", "<edit_file>\n<path>a</path>\n<old_string>\n".repeat(size)),
            ("elements with a path", "<edit_file path=\"a\">\n<old_string>x</old_string>\n".repeat(size)),
            ("elements and blank lines", format!("<str_replace>\n{}", "\n<edit>\n".repeat(size))),
            ("made-up elements", "<x path=\"a.py\">\n".repeat(size)),
            ("made-up elements with parts", "<x>\n<path>a.py</path>\n<path>a.py</path>\n".repeat(size)),
            ("elements of signs", format!("<edit {}>\n", "=".repeat(size))),
            ("elements of tags", format!("<edit>\n{}\n", "<".repeat(size))),
            ("elements of quotes", format!("<edit{}>\n", " path='x".repeat(size))),
            ("elements with tags in a line", format!("<edit>\n{}\n", "<path>".repeat(size))),
            ("quoted blocks", "> <<<<<<< SEARCH\n".repeat(size)),
            ("elements in turn", format!("{element}</parameter>\n</invoke>\n<read_file>\n").repeat(size)),
            ("results", format!("{open}}}}}\n{{\"type\": \"tool_result\"}}\n").repeat(size)),
        ]
    }

    /// The same for plain answers and other voices.
    fn hostile_to_plain(size: usize) -> Vec<(&'static str, String)> {
        let numbered = |line: fn(usize) -> String| (0..size).map(line).collect::<String>();
        vec![
            ("fences without end", "```py\n".repeat(size)),
            ("fences of one line", "```\nx\n```\n".repeat(size)),
            ("named fences", "`a.py`:\n```py\nx\n```\n".repeat(size)),
            ("fences of Markdown", "```md\n".repeat(size)),
            ("fences of Markdown with blank lines", "```md\n\n```\nx\n".repeat(size)),
            ("long fences of Markdown", "a.md\n````md\n".repeat(size)),
            ("voices without end", "<output>\n<blockquote>\n<!-- x\n".repeat(size)),
            ("voices", "<output>\n</output>\n<!-- x\n-->\n".repeat(size)),
            ("turns", "Human: x\n\nAssistant: y\n".repeat(size)),
            (
                "elements of files without end",
                "<file path=\"a.py\">\n<dyad-write path=\"a.py\">\n".repeat(size),
            ),
            ("elements of files", "<file path=\"a.py\">\nx\n</file>\n".repeat(size)),
            ("elements in a fence", format!("```xml\n{}```\n", "<file path=\"a.py\">\nx\n".repeat(size))),
            ("links", format!("{}\n```\nx\n```\n", "[a](".repeat(size))),
            ("ends of links", format!("{}\n", "](".repeat(size))),
            ("ticks", format!("{}\n```\nx\n```\n", "` `` ".repeat(size))),
            ("labels", "Update `a.py` and `b.py`, like `c.py`:\n".repeat(size)),
            ("deletions", "Delete the file `a.py` of x\n".repeat(size)),
            ("comments with paths", format!("```py\n{}```\n", numbered(|n| format!("# a{n}.py\nx\n\n")))),
            ("heredocs", format!("```sh\n{}```\n", "cat > a <<'EOF'\nx\n".repeat(size))),
            ("lists of files in JSON", format!("```json\n{}\n```\n", "{\"files\": [".repeat(size))),
            ("headings", "# `a.py`\n".repeat(size)),
        ]
    }

    #[test]
    fn work_is_linear_in_the_text() {
        let texts = |size| {
            let edits = hostile_to_edits(size).into_iter();
            let all = edits.map(|(name, text)| (name, text, Choice::Enabled(Dialect::ALL.to_vec())));
            let others =
                hostile(size).into_iter().chain(hostile_to_others(size)).chain(hostile_to_edits(size));
            let others = others.chain(hostile_to_diffs(size)).chain(hostile_to_cml(size));
            let others = others.chain(hostile_to_calls(size)).chain(hostile_to_plain(size));
            let others = others.chain(hostile_to_all(size));
            others.map(|(name, text)| (name, text, Choice::Auto)).chain(all)
        };
        for ((name, small, choice), (_, large, _)) in
            texts(250).zip(texts(clada_test_extent::cases(1_000, 2_000)))
        {
            let (few, many) = (work(&small, &choice), work(&large, &choice));
            assert!(many <= PASSES * large.len(), "{name}: {many} for {} bytes", large.len());
            let growth = large.len() as f64 / small.len() as f64;
            assert!(many as f64 <= few as f64 * growth * 1.6 + 4_096.0, "{name}: {few} grew to {many}");
        }
    }

    const PIECES: &[&str] = &[
        "`a.py`:\n",
        "# `a.py`\n",
        "- `a.py`\n",
        "**a.py**\n",
        "Update `a.py`, like [b](b.py).\n",
        "Delete `a.py` of x\n",
        "a `x` to `y`\n",
        "Change `x` to `y` in `a.py`.\n",
        "Before:\n",
        "Replace with:\n",
        "Option A\n",
        "words\n",
        "\n",
        "```\n",
        "```py\n",
        "````md\n",
        "~~~\n",
        "```diff\n",
        "```sh\n",
        "   ```\n",
        "# a.py\n",
        "x = 1\n",
        "-x\n",
        "+x\n",
        " x\n",
        "@@ -1 +1 @@\n",
        "...\n",
        "<<<<<<<\n",
        "=======\n",
        ">>>>>>>\n",
        "<file path=\"a.py\">\n",
        "</file>\n",
        "<source>\n",
        "<!-- x\n",
        "-->\n",
        "<output>\n",
        "Human: x\n",
        "> ```\n",
        "==== a.py ====\n",
        "cat > a <<'E'\n",
        "{\"a\": [\n",
        "| `a` | `b` |\n",
        "[[[[\n",
        "](](](](\n",
        "` `` ```` \n",
        "&lt;\n",
        "{{a}}/<b>.py\n",
    ];

    #[test]
    fn work_is_linear_in_random_patterns_of_plain_lines() {
        let mut random = 1_u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).unwrap_or_default() % below
        };
        for _ in 0..clada_test_extent::cases(40, 4_000) {
            let pattern: String = (0..=next(6)).map(|_| PIECES[next(PIECES.len())]).collect();
            let (small, large) = (pattern.repeat(100), pattern.repeat(400));
            let (few, many) = (work(&small, &Choice::Auto), work(&large, &Choice::Auto));
            assert!(many <= PASSES * large.len(), "{pattern:?}: {many} for {} bytes", large.len());
            assert!(many as f64 <= few as f64 * 4.0 * 1.6 + 4_096.0, "{pattern:?}: {few} grew to {many}");
        }
    }

    /// The bytes looked at of each byte of lines that open something, are short and never end: of nothing
    /// else are there as many in a text.
    #[test]
    fn regression_short_lines_that_open_something_are_looked_at_a_few_times() {
        // One of them is the pass for plain answers.
        for (line, passes) in [("<tasks version=\"1.0\">\n", 8), ("~~~~\n", 3)] {
            let text = line.repeat(2_000);
            let work = work(&text, &Choice::Auto);
            assert!(work <= passes * text.len(), "{line}: {work} for {} bytes", text.len());
        }
    }

    #[test]
    fn what_is_said_stays_bounded() {
        // All texts are far beyond these.
        const SIZE: usize = 2_000;
        let bounds = Bounds { blocks: 1_000, diagnostics: 100, excerpt_line: 200, ..Bounds::default() };
        let texts = hostile(SIZE).into_iter().chain(hostile_to_others(SIZE));
        let texts =
            texts.chain(hostile_to_edits(SIZE)).chain(hostile_to_diffs(SIZE)).chain(hostile_to_all(SIZE));
        for (name, text) in texts.chain(hostile_to_cml(SIZE)).chain(hostile_to_calls(SIZE)) {
            let parsed = parse(&text, &bounds, &Choice::Enabled(Dialect::ALL.to_vec()));
            assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2, "{name}");
            for found in &parsed.diagnostics {
                assert!(found.content.len() <= bounds.excerpt_line + 3, "{name}");
                assert!(found.context.len() <= 5 * (bounds.excerpt_line + 4), "{name}");
                assert!(found.message.len() <= bounds.excerpt_line + 300, "{name}");
            }
        }
    }
}
