//! Plain answers that edit a file or state an operation: what is made of the files once all of it is accepted.

use clada_protocol::{Attention, NamedBy, Proposal, ProposalForm};

use super::*;

const STORE: &str = "import os\n\n\ndef load(path):\n    return open(path).read()\n\n\ndef save(path, text):\n    print(\"saving\")\n    open(path, \"w\").write(text)\n";
const WORKER: &str = "'use strict';\n\nconst a = require('a');\n\nfunction run(x) {\n  console.log('x', x);\n  return x;\n}\n\nmodule.exports = { run };\n";
const SHOP: &str =
    "module Shop\n  class Cart\n    def add(x)\n      @x = x\n    end\n  end\n\n  class Item\n  end\nend\n";

fn read(text: &str) -> Answer {
    Reading::new(None, &Settings::default()).unwrap().read(text)
}

fn project() -> Project {
    Project::with(&[
        ("store.py", STORE),
        ("src/worker.js", WORKER),
        ("src/old.js", "module.exports = 1;\n"),
        ("shop.rb", SHOP),
        (".gitignore", "node_modules/\n"),
        ("page.html", "<html>\n  <p>one</p>\n</html>\n"),
    ])
}

/// The ids of what an answer shows, but for other ways to take a part.
fn listed(proposals: &[Proposal]) -> Vec<String> {
    proposals.iter().filter(|proposal| proposal.is_listed()).map(|proposal| proposal.id.clone()).collect()
}

/// Plans `text`, accepts all that it shows, and returns the plan's result and the text of the file at `path`.
fn accepted(text: &str, path: &str) -> (PlanResult, Option<String>) {
    let project = project();
    let before = project.all_files();
    let (plan, planned) = project.plan_of(read(text), &[]);
    assert_eq!(project.all_files(), before, "{text}");
    let ids = listed(&planned.proposals);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let applied = project.apply(&plan, Some(&ids), Deliver::Disk);
    assert!(applied.results.iter().all(|result| result.kind.is_none()), "{text}\n{applied:#?}");
    (planned, project.text(path))
}

#[test]
fn what_an_answer_shows_of_a_file_is_made_of_it() {
    let saved = STORE.replace("    print(\"saving\")\n", "    check(text)\n");
    let both = saved.replace("open(path).read()", "open(path).read().strip()");
    let logged = WORKER.replace("console.log('x', x);", "log(x);");
    let save = "def save(path, text):\n    check(text)\n    open(path, \"w\").write(text)\n";
    let cases: [(String, &str, &str); 16] = [
        // Parts: one, and two of one file.
        (format!("`store.py`:\n```python\n{save}```\n"), "store.py", &saved),
        (
            format!(
                "### `store.py`\n\nFirst:\n\n```python\ndef load(path):\n    return open(path).read().strip()\n```\n\nThen:\n\n```python\n{save}```\n"
            ),
            "store.py",
            &both,
        ),
        (
            format!("`store.py`:\n```python\n# ... existing code ...\n\n\n{save}```\n"),
            "store.py",
            &saved,
        ),
        // Old and new text.
        (
            "In `src/worker.js`, replace `console.log('x', x);` with:\n\n```js\n  log(x);\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        (
            "### `src/worker.js`\n\n**Before:**\n```js\nconsole.log('x', x);\n```\n\n**After:**\n```js\nlog(x);\n```\n"
                .to_owned(),
            "src/worker.js",
            &logged,
        ),
        (
            "`src/worker.js`:\n```js\n<<<<<<<\n  console.log('x', x);\n=======\n  log(x);\n>>>>>>>\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        // Diffs without file headers: as they are, with `@@` alone, all signs followed by a blank.
        (
            "**`src/worker.js`**\n```js\n function run(x) {\n-  console.log('x', x);\n+  log(x);\n   return x;\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        (
            "**`src/worker.js`**\n```js\n@@\n-  console.log('x', x);\n+  log(x);\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        (
            "**`src/worker.js`**\n```js\n  function run(x) {\n-   console.log('x', x);\n+   log(x);\n    return x;\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        // A diff that names no file.
        (
            "Log it instead:\n\n```diff\n function run(x) {\n-  console.log('x', x);\n+  log(x);\n   return x;\n }\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        // A place in words.
        (
            "Add this at the end of `store.py`:\n\n```python\ndef drop(path):\n    os.remove(path)\n```\n".to_owned(),
            "store.py",
            &format!("{STORE}\n\ndef drop(path):\n    os.remove(path)\n"),
        ),
        (
            "Import it at the top of `src/worker.js`:\n\n```js\nconst { log } = require('./log');\n```\n".to_owned(),
            "src/worker.js",
            &WORKER.replace("require('a');\n", "require('a');\nconst { log } = require('./log');\n"),
        ),
        ("`.gitignore` (add this line):\n\n```\ncoverage/\n```\n".to_owned(), ".gitignore", "node_modules/\ncoverage/\n"),
        // Operations.
        (
            "```bash\nmkdir -p lib && git mv src/old.js lib/new.js\n```\n".to_owned(),
            "lib/new.js",
            "module.exports = 1;\n",
        ),
        (
            "```bash\nmkdir -p src/lib\ncat > src/lib/log.js <<'EOF'\nmodule.exports = 2;\nEOF\nnpm test\n```\n".to_owned(),
            "src/lib/log.js",
            "module.exports = 2;\n",
        ),
        (
            "```sh\necho 'coverage/' >> .gitignore\necho 'dist/' >> .gitignore\n```\n".to_owned(),
            ".gitignore",
            "node_modules/\ncoverage/\ndist/\n",
        ),
    ];
    for (text, path, expected) in cases {
        let (planned, made) = accepted(&text, path);
        assert_eq!(made.as_deref(), Some(expected), "{text}\n{planned:#?}");
        assert!(planned.not_read.is_empty(), "{text}\n{planned:#?}");
    }
}

#[test]
fn what_else_an_answer_shows_of_a_file_is_made_of_it() {
    let logged = WORKER.replace("console.log('x', x);", "log(x);");
    let line = WORKER.lines().position(|line| line.contains("console.log")).unwrap() + 1;
    let twice = "node_modules/\ncoverage/\ndist/\n";
    let cases: [(String, &str, &str); 9] = [
        // Suggestions of a review.
        (
            format!("`src/worker.js`, line {line}:\n\n```suggestion\n  log(x);\n```\n"),
            "src/worker.js",
            &logged,
        ),
        (
            "`src/worker.js`\n\n```js\n  console.log('x', x);\n```\n\n```suggestion\n  log(x);\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        // A sentence that says all of it.
        (
            "In `src/worker.js`, change `console.log('x', x)` to `log(x)`.\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        // Two fences of commands, and commands beside lines for the same file.
        (
            "```sh\necho 'coverage/' >> .gitignore\n```\n\nThen:\n\n```sh\necho 'dist/' >> .gitignore\n```\n".to_owned(),
            ".gitignore",
            twice,
        ),
        (
            "```sh\necho 'coverage/' >> .gitignore\n```\n\nAdd to `.gitignore`:\n\n```\ndist/\n```\n".to_owned(),
            ".gitignore",
            twice,
        ),
        // A blank line that one of the two texts has is a change.
        (
            "### `src/old.js`\n\n**Before:**\n```js\nmodule.exports = 1;\n```\n\n**After:**\n```js\nmodule.exports = 1;\n\nrun();\n```\n"
                .to_owned(),
            "src/old.js",
            "module.exports = 1;\n\nrun();\n",
        ),
        // A part of a file that is written in another case.
        (
            "`SRC/Worker.js`:\n\n```js\nfunction run(x) {\n  log(x);\n  return x;\n}\n```\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        // The fence is opened twice, as logs of chats have it.
        (
            "`src/worker.js`:\n\n````js\n````js\nfunction run(x) {\n  log(x);\n  return x;\n}\n````\n".to_owned(),
            "src/worker.js",
            &logged,
        ),
        // A component keeps its script, and a page its doctype.
        (
            "`page.html`:\n\n```html\n<html>\n  <p>two</p>\n</html>\n```\n".to_owned(),
            "page.html",
            "<html>\n  <p>two</p>\n</html>\n",
        ),
    ];
    for (text, path, expected) in cases {
        let (planned, made) = accepted(&text, path);
        assert_eq!(made.as_deref(), Some(expected), "{text}\n{planned:#?}");
    }
}

#[test]
fn a_component_is_whole_only_with_its_sections() {
    let old =
        "<template>\n  <p>one</p>\n</template>\n\n<script>\nexport default {\n  name: 'a',\n}\n</script>\n";
    let project = Project::with(&[
        ("src/A.vue", old),
        ("index.html", "<!DOCTYPE html>\n<html>\n<p>it's</p>\n</html>\n"),
    ]);
    for (text, path, expected) in [
        (
            "`src/A.vue`:\n```vue\n<template>\n  <p>two</p>\n</template>\n```\n",
            "src/A.vue",
            Some(old.replace("one", "two")),
        ),
        // A tag is left open.
        ("`src/A.vue`:\n```vue\n<template>\n  <div>\n    <p>two</p>\n</template>\n```\n", "src/A.vue", None),
        (
            "`index.html`:\n```html\n<html>\n<p>it's two</p>\n</html>\n```\n",
            "index.html",
            Some("<!DOCTYPE html>\n<html>\n<p>it's two</p>\n</html>\n".to_owned()),
        ),
    ] {
        let (plan, planned) = project.plan_of(read(text), &[]);
        let ids = listed(&planned.proposals);
        assert_eq!(ids.len(), usize::from(expected.is_some()), "{text}\n{planned:#?}");
        let Some(expected) = expected else { continue };
        let before = project.text(path).unwrap();
        project.apply(&plan, Some(&[&ids[0]]), Deliver::Disk);
        assert_eq!(project.text(path).unwrap(), expected, "{text}");
        project.write(path, &before);
    }
}

#[test]
fn code_beside_code_of_a_file_is_for_that_file() {
    let text = "Change it so:\n\n```python\ndef save(path, text):\n    check(text)\n    open(path, \"w\").write(text)\n```\n\nAnd:\n\n\
                ```python\ndef load(path):\n    return open(path).read().strip()\n```\n";
    let (planned, made) = accepted(text, "store.py");
    assert!(made.unwrap().contains("strip()"), "{planned:#?}");
}

#[test]
fn deletions_and_moves_that_the_answer_states_are_shown_first() {
    for (text, gone, there, attention) in [
        ("### Deleted file: `src/old.js`\n", "src/old.js", None, Attention::Deletion),
        ("Rename `src/old.js` to `src/new.js`.\n", "src/old.js", Some("src/new.js"), Attention::Move),
        ("```bash\nrm src/old.js\n```\n", "src/old.js", None, Attention::Deletion),
        // The answer shows the file under its new name.
        (
            "Rename `src/old.js` to `src/new.js`.\n\n`src/new.js`:\n```js\nmodule.exports = 3;\n```\n",
            "src/old.js",
            Some("src/new.js"),
            Attention::Deletion,
        ),
    ] {
        let project = project();
        let (plan, planned) = project.plan_of(read(text), &[]);
        assert_eq!(planned.proposals[0].attention[0], attention, "{text}\n{planned:#?}");
        let ids = listed(&planned.proposals);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        project.apply(&plan, Some(&ids), Deliver::Disk);
        assert!(!project.exists(gone) && there.is_none_or(|path| project.exists(path)), "{text}");
    }
}

#[test]
fn what_has_no_place_is_a_notice_with_its_reason_and_nothing_is_written() {
    for (text, kind, reason) in [
        ("`store.py`:\n```python\n    total += 1\n```\n", "part", "part of the file: "),
        (
            "In `store.py`, replace `print(\"gone\")` with:\n\n```python\npass\n```\n",
            "replacement",
            "does not have the old lines",
        ),
        (
            "In `store.py`, replace `open(path` with:\n\n```python\nopen(name\n```\n",
            "replacement",
            "several places",
        ),
        (
            "**`store.py`**\n```python\n@@\n-    print(1)\n+    print(2)\n```\n",
            "diff",
            "does not have the old lines",
        ),
        (
            "Add this at the end of `store.py`:\n\n```python\ndef save():\n    pass\n```\n",
            "insertion",
            "`save` is in the file already",
        ),
        (
            "Add this to the end of `page.html`:\n\n```html\n<p>two</p>\n```\n",
            "insertion",
            "nothing may follow it",
        ),
        ("Rename `src/old.js` to `src/worker.js`.\n", "move", "'src/worker.js' exists"),
        ("```bash\nrm src/old.js src/gone.js\n```\n", "commands", "there is no such file"),
        ("```bash\nmv src/old.js src/worker.js\n```\n", "commands", "'src/worker.js' exists"),
    ] {
        let project = project();
        let before = project.all_files();
        let (_, planned) = project.plan_of(read(text), &[]);
        assert!(planned.proposals.is_empty(), "{text}\n{planned:#?}");
        let [notice] = &planned.not_read[..] else { panic!("{text}\n{planned:#?}") };
        assert!(notice.kind == kind && notice.hint.contains(reason), "{text}\n{notice:#?}");
        assert_eq!(project.all_files(), before, "{text}");
    }
}

#[test]
fn a_part_is_never_sure_and_says_what_goes() {
    let part = "import os\n\n\ndef save(path, text):\n    open(path, \"w\").write(text)\n";
    let text = format!("`store.py`:\n```python\n{part}```\n");
    let mut project = project();
    let (plan, planned) = project.plan_of(read(&text), &[]);
    let [part, whole] = &planned.proposals[..] else { panic!("{planned:#?}") };
    assert!(part.attention.contains(&Attention::Part) && !part.sure && !whole.sure, "{planned:#?}");
    assert!(part.notes.iter().any(|note| note.contains("`save`") && note.contains("1 line")), "{part:#?}");
    assert_eq!((&whole.whole_of, &part.whole_of), (&Some(part.id.clone()), &None));
    assert!(plan.decide(Some(&[part.id.clone(), whole.id.clone()])).is_err());
    let applied = project.apply(&plan, Some(&[&whole.id]), Deliver::Disk);
    assert!(applied.success, "{applied:#?}");
    assert_eq!(
        project.text("store.py").unwrap(),
        text.lines().skip(2).take(5).map(|line| format!("{line}\n")).collect::<String>()
    );
    // What does not begin as the file does, or is far shorter, cannot be all of it.
    project.write("store.py", STORE);
    for short in ["def save(path, text):\n    open(path, \"w\").write(text)\n", "import os, sys\n"] {
        let (_, planned) = project.plan_of(read(&format!("`store.py`:\n```python\n{short}```\n")), &[]);
        assert!(planned.proposals.iter().all(|one| one.whole_of.is_none()), "{planned:#?}");
    }
    // Without a question nothing of it is applied, and one line says so.
    project.write("store.py", STORE);
    project.rules.plain.rule = PlainRule::Apply;
    let result = project.carry_out(read(&text));
    assert_eq!((result.proposals.len(), result.success), (1, false), "{result:#?}");
    assert_eq!(project.text("store.py").unwrap(), STORE);
}

#[test]
fn parts_below_options_are_a_choice() {
    let option = |name: &str, body: &str| {
        format!("## Option {name}\n\n`store.py`:\n```python\ndef load(path):\n    {body}\n```\n\n")
    };
    let text = option("1", "return path") + &option("2", "return None");
    let project = project();
    let (_, planned) = project.plan_of(read(&text), &[]);
    let [one, two] = &planned.proposals[..] else { panic!("{planned:#?}") };
    assert!(
        one.attention.contains(&Attention::Choice) && one.alternatives == two.alternatives,
        "{planned:#?}"
    );
}

#[test]
fn of_a_secret_the_lines_of_the_answer_alone_are_shown() {
    let project = Project::with(&[(".env", "KEY=secret-value\nPORT=1\n")]);
    let (_, planned) = project.plan_of(read("Add this line to `.env`:\n\n```\nHOST=x\n```\n"), &[]);
    let shown = format!("{planned:?}");
    assert!(!shown.contains("secret-value"), "{shown}");
    assert!(planned.proposals.iter().all(|proposal| proposal.diff.contains("+HOST=x")), "{shown}");
    assert!(planned.proposals.iter().all(|proposal| (proposal.added, proposal.removed) == (1, 0)), "{shown}");
}

#[test]
fn regression_a_piece_never_replaces_what_another_piece_of_the_answer_adds() {
    let app = "import { useEffect, useState } from 'react';\n\nexport function App() {\n  const [a, setA] = useState(0);\n  return <p>{a}</p>;\n}\n";
    let server = "const express = require('express');\nconst app = express();\n\napp.get('/', home);\n\napp.listen(80);\n";
    let script = "import os\n\nvalues = [1, 2]\n\nprint(values)\n";
    let style = ".first {\n  margin: 0;\n}\n\n.a {\n  color: red;\n}\n\n.b {\n  color: blue;\n}\n\n.c {\n  top: 0;\n}\n\n.d {\n  top: 1px;\n}\n\n.e {\n  top: 2px;\n}\n";
    let page = "<main>\n  <h1>t</h1>\n  <footer>f</footer>\n</main>\n";
    let old = "\u{1}";
    for (path, file, first, second) in [
        (
            "App.jsx",
            app,
            "  const [a, setA] = useState(0);\n  useEffect(() => {\n    load(1);\n  }, []);\n\u{1}",
            "\u{1}  useEffect(() => {\n    track(a);\n  }, [a]);\n  return <p>{a}</p>;\n",
        ),
        (
            "server.js",
            server,
            "const app = express();\n\napp.use((req, res, next) => {\n  log(req);\n  next();\n});\n\u{1}",
            "\u{1}app.use((req, res, next) => {\n  check(req);\n  next();\n});\n\napp.get('/', home);\n",
        ),
        (
            "script.py",
            script,
            "values = [1, 2]\n\nfor value in values:\n    print(value + 1)\n\u{1}",
            "\u{1}for value in values:\n    print(value + 2)\n\nprint(values)\n",
        ),
        (
            "style.css",
            style,
            ".a {\n  color: red;\n}\n\n@media (max-width: 9px) {\n  .a { color: green; }\n}\n\u{1}",
            "\u{1}@media (max-width: 9px) {\n  .b { color: green; }\n}\n\n.b {\n  color: blue;\n}\n",
        ),
        (
            "page.html",
            page,
            "  <h1>t</h1>\n  <div class=\"card\">\n    <p>first</p>\n  </div>\n\u{1}",
            "\u{1}  <div class=\"card\">\n    <p>second</p>\n  </div>\n  <footer>f</footer>\n",
        ),
        (
            "script.py",
            script,
            "values = [1, 2]\n\ndef show():\n    print(values, 1)\n\u{1}",
            "\u{1}def show():\n    print(values, 2)\n\nprint(values)\n",
        ),
    ] {
        for marker in ["", "... existing code ..."] {
            let project = Project::with(&[(path, file)]);
            let comment = match path.rsplit_once('.').unwrap().1 {
                "py" => format!("# {marker}\n"),
                "css" => format!("/* {marker} */\n"),
                "html" => format!("<!-- {marker} -->\n"),
                _ => format!("// {marker}\n"),
            };
            let comment = if marker.is_empty() { "" } else { &comment };
            let [first, second] = [first, second].map(|piece| piece.replace(old, comment));
            let text = format!("`{path}`:\n\n```\n{first}```\n\nand in `{path}`:\n\n```\n{second}```\n");
            let (plan, planned) = project.plan_of(read(&text), &[]);
            let ids = listed(&planned.proposals);
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            // It is asked which of them is meant.
            if plan.decide(Some(&listed(&planned.proposals))).is_err() {
                continue;
            }
            project.apply(&plan, Some(&ids), Deliver::Disk);
            let now = project.text(path).unwrap();
            let has = |piece: &str| {
                piece.lines().filter(|line| !comment.starts_with(line)).all(|line| now.contains(line.trim()))
            };
            let is_named = !planned.not_read.is_empty();
            assert!(is_named || has(&first) && has(&second), "{text}\n{now}\n{planned:#?}");
            assert!(has(&first) || has(&second) || now == file, "{text}\n{now}");
        }
    }
}

#[test]
fn regression_what_a_condition_governs_is_never_sure_and_what_is_forbidden_is_named() {
    for text in [
        "If the tests fail:\n\n- Delete `store.py`\n",
        "When you deploy to production, change `print(\"saving\")` to `log(\"saving\")` in `store.py`.\n",
        "If needed:\n\n`new.py`:\n```python\nprint(1)\n```\n",
    ] {
        let mut project = project();
        project.rules.plain.rule = PlainRule::Apply;
        let result = project.carry_out(read(text));
        let [one] = &listed(&result.proposals)[..] else { panic!("{text}\n{result:#?}") };
        assert!(!result.success && result.proposals[0].id == *one, "{text}\n{result:#?}");
        assert!(result.proposals[0].attention.contains(&Attention::Conditional), "{text}\n{result:#?}");
        assert_eq!(project.text("store.py").unwrap(), STORE, "{text}");
    }
    let project = project();
    let (_, planned) = project.plan_of(read("Never do this:\n\n- Delete `store.py`\n"), &[]);
    assert!(planned.proposals.is_empty(), "{planned:#?}");
    let says = |note: &clada_protocol::OperationWarning| note.message.contains("line 3 (store.py)");
    assert!(planned.warnings.iter().any(says), "{planned:#?}");
}

#[test]
fn an_edit_block_under_a_condition_is_a_question_and_never_sure() {
    const BLOCK: &str = "store.py\n```python\n<<<<<<< SEARCH\n    print(\"saving\")\n=======\n    log(\"saving\")\n>>>>>>> REPLACE\n```\n";
    let changed = STORE.replace("print(\"saving\")", "log(\"saving\")");
    let text = format!("Only if you log to a file:\n\n{BLOCK}");
    let (planned, now) = accepted(&text, "store.py");
    let [one] = &planned.proposals[..] else { panic!("{planned:#?}") };
    assert!(!one.sure && one.named_by == NamedBy::Block, "{one:#?}");
    assert!(one.notes.iter().any(|note| note.contains("Only if you log to a file")), "{one:#?}");
    assert_eq!(now.as_deref(), Some(&*changed));
    // `--plain` leaves it.
    let mut project = project();
    project.rules.plain.rule = PlainRule::Apply;
    let result = project.carry_out(read(&text));
    assert!(!result.success && project.text("store.py").unwrap() == STORE, "{result:#?}");
    // Another block of the file wins.
    let other = BLOCK
        .replace("print(\"saving\")", "log(\"saving\")")
        .replace("    log(\"saving\")\n>>", "    log(\"saved\")\n>>");
    let done = |text: &str| {
        let project = super::plain_edits::project();
        let result = project.carry_out(read(text));
        (result, project.text("store.py").unwrap())
    };
    let (result, now) = done(&format!("{BLOCK}\nOnly if you log to a file:\n\n{other}"));
    let [notice] = &result.not_read[..] else { panic!("{result:#?}") };
    assert!(now == changed && notice.hint.ends_with("copy the block alone"), "{result:#?}");
    // What is certain stays a notice, whose next step works.
    let (result, now) = done(&format!("## Rejected approach\n\n{BLOCK}"));
    assert!(result.proposals.is_empty() && now == STORE, "{result:#?}");
    assert!(result.not_read[0].hint.ends_with("to apply it, copy the block alone"), "{result:#?}");
    assert_eq!(done(BLOCK).1, changed);
}

#[test]
fn regression_a_file_never_imports_itself_and_placeholders_are_named() {
    let words = "Add this import to `store.py`:\n\n```python\nfrom .store import load\n```\n";
    let (planned, now) = accepted(words, "store.py");
    assert_eq!(now.as_deref(), Some(STORE), "{planned:#?}");
    assert!(planned.not_read[0].hint.contains("would import itself"), "{planned:#?}");
    let text = STORE.replace("print(\"saving\")", "key = \"YOUR_API_KEY\"");
    let (planned, _) = accepted(&format!("Update `store.py`:\n\n```python\n{text}```\n"), "store.py");
    let is_said = |one: &Proposal| !one.sure && one.notes.iter().any(|note| note.contains("YOUR_API_KEY"));
    assert!(planned.proposals.iter().all(is_said), "{planned:#?}");
}

#[test]
fn regression_signs_and_numbers_before_all_lines_of_a_new_file_are_no_content() {
    for shown in
        ["+import os\n+\n+print(1)\n", "1  import os\n2  \n3  print(1)\n", "1| import os\n2|\n3| print(1)\n"]
    {
        let (_, text) = accepted(&format!("New file `n.py`:\n\n```python\n{shown}```\n"), "n.py");
        assert_eq!(text.as_deref(), Some("import os\n\nprint(1)\n"), "{shown}");
    }
}

#[test]
fn regression_new_lines_go_to_the_beginning_of_a_method_that_the_words_say() {
    let text = "First, add debug output at the beginning of the method:\n\n```python:store.py\ndef save(path, text):\n    log(path)\n```\n";
    let (planned, merged) = accepted(text, "store.py");
    let expected = STORE.replace("    print(\"saving\")\n", "    log(path)\n    print(\"saving\")\n");
    assert_eq!(merged.as_deref(), Some(&*expected), "{planned:#?}");
}

#[test]
fn regression_new_definitions_beside_code_of_a_file_are_not_for_it() {
    let text = "```python\ndef load(path):\n    return open(path).read().strip()\n```\n\nRegister what is put there.\n\n```python\n# ...existing code...\n\ndef put_on_shelf(items):\n    return [item.name for item in items]\n```\n";
    let (planned, merged) = accepted(text, "store.py");
    assert_eq!(merged.as_deref(), Some(&*STORE.replace("read()", "read().strip()")), "{planned:#?}");
}

#[test]
fn regression_a_file_that_is_written_under_a_condition_is_a_question() {
    let write =
        "If the above does not work, try this list:\n\n```bash\ncat > list.txt << 'EOF'\na==>b\nEOF\n```\n";
    let (planned, text) = accepted(write, "list.txt");
    assert_eq!(text.as_deref(), Some("a==>b\n"), "{planned:#?}");
    assert!(planned.proposals[0].attention.contains(&Attention::Conditional), "{planned:#?}");
    let (planned, text) = accepted("If you have it:\n\n```bash\nrm store.py\n```\n", "store.py");
    assert_eq!(text.as_deref(), Some(STORE), "{planned:#?}");
}

#[test]
fn regression_words_that_name_a_definition_or_a_line_give_a_place() {
    let more = "def more():\n    return 2\n";
    let behind_load = STORE.replace("read()\n", &format!("read()\n\n\n{more}"));
    let at_end = format!("{STORE}\n\n{more}");
    let size = "def size\n  @x.size\nend\n";
    let in_cart = SHOP.replace(
        "      @x = x\n    end\n",
        "      @x = x\n    end\n\n    def size\n      @x.size\n    end\n",
    );
    let in_item = SHOP.replace("class Item\n", "class Item\n    def size\n      @x.size\n    end\n");
    let appending = STORE.replace("\"w\"", "\"a\"");
    for (words, code, path, expected) in [
        ("In `store.py`, add this right after the `load` function:", more, "store.py", &behind_load),
        ("In `store.py`, add this below `load()`:", more, "store.py", &behind_load),
        ("**`store.py`** - add a new helper:", more, "store.py", &at_end),
        ("Here is the helper. Add it to `store.py`:", more, "store.py", &at_end),
        ("Add the following method to the `Cart` class in `shop.rb`:", size, "shop.rb", &in_cart),
        ("Add this to the `Item` class in `shop.rb`:", size, "shop.rb", &in_item),
        (
            "The fix is on line 10 of `store.py`:",
            "    open(path, \"a\").write(text)\n",
            "store.py",
            &appending,
        ),
    ] {
        let (planned, text) = accepted(&format!("{words}\n\n```\n{code}```\n"), path);
        assert_eq!(
            text.as_deref(),
            Some(&**expected),
            "{words} {:?} {:?}",
            planned.proposals,
            planned.not_read
        );
    }
    // A method is not a function of the file, and what is there already is not there twice.
    for (words, code) in [
        ("Add it to `store.py`:", "def more(self):\n    return 2\n"),
        ("Add this to the `Cart` class in `shop.rb`:", "def add(x)\n  @y = x\nend\n\ndef size\n  1\nend\n"),
        ("The fix is on line 2 of `store.py`:", "    open(path, \"a\").write(text)\n"),
    ] {
        let (_, planned) = project().plan_of(read(&format!("{words}\n\n```\n{code}```\n")), &[]);
        let written = planned.proposals.iter().any(|one| one.path.ends_with("store.py"));
        assert!(!written, "{words} {:?}", planned.proposals);
    }
}

#[test]
fn regression_a_sentence_whose_text_is_in_several_places_is_a_notice() {
    let project = Project::with(&[("c.toml", "[a]\nport = 1\n[b]\nport = 1\n")]);
    let (_, planned) = project.plan_of(read("In `c.toml`, change `port = 1` to `port = 2`.\n"), &[]);
    assert!(planned.proposals.is_empty(), "{planned:#?}");
    assert_eq!(planned.not_read.len(), 1, "{planned:#?}");
}

#[test]
fn regression_a_diff_may_pass_over_lines_between_two_changes() {
    let expected = STORE.replace("import os", "import sys").replace("\"saving\"", "\"x\"");
    let diff =
        " import os\n \n-    print(\"saving\")\n+    print(\"x\")\n     open(path, \"w\").write(text)\n";
    let diff = diff.replacen(" import os", "-import os\n+import sys", 1);
    let (planned, text) = accepted(&format!("Two edits to `store.py`:\n\n```diff\n{diff}```\n"), "store.py");
    assert_eq!(text.as_deref(), Some(&*expected), "{:?}", planned.not_read);
    // A new line at the jump may belong to either side.
    let doubtful = "-import os\n+import sys\n \n+\n-    print(\"saving\")\n+    print(\"x\")\n";
    let (_, planned) =
        project().plan_of(read(&format!("Two edits to `store.py`:\n\n```diff\n{doubtful}```\n")), &[]);
    assert!(planned.proposals.is_empty(), "{:?}", planned.proposals);
}

#[test]
fn regression_whole_files_below_one_label_and_options_are_a_choice() {
    let (one, other) = (STORE.replace("saving", "a"), STORE.replace("saving", "b"));
    let answer = format!(
        "In `store.py`:\n\n**Option A**\n\n```python\n{one}```\n\n**Option B**\n\n```python\n{other}```\n"
    );
    let (_, planned) = project().plan_of(read(&answer), &[]);
    let alternatives: Vec<usize> = planned.proposals.iter().map(|one| one.alternatives.len()).collect();
    assert_eq!(alternatives, [2, 2], "{:?}", planned.proposals);
}

#[test]
fn regression_sentences_of_scripts_without_blanks_state_a_replacement() {
    let expected = STORE.replace("\"saving\"", "\"x\"");
    for answer in [
        "把 `store.py` 里的 `print(\"saving\")` 改成 `print(\"x\")` 即可。\n",
        "`store.py` の `print(\"saving\")` を `print(\"x\")` に変更してください。\n",
        "`store.py`에서 `print(\"saving\")`을 `print(\"x\")`로 변경하세요.\n",
    ] {
        let (planned, text) = accepted(answer, "store.py");
        assert_eq!(text.as_deref(), Some(&*expected), "{answer} {:?}", planned.not_read);
    }
}

#[test]
fn regression_sentences_add_and_remove_a_line() {
    let added = STORE.replace("import os\n", "import os\nimport sys as s\n");
    let removed = STORE.replace("    print(\"saving\")\n", "");
    for (answer, expected) in [
        ("In `store.py`, add `import sys as s` right below `import os`.\n", STORE),
        ("In `store.py`, add `import sys as s` above `def load(path):`.\n", STORE),
        ("Remove the line `print(\"saving\")` from `store.py`.\n", &*removed),
    ] {
        let (planned, text) = accepted(answer, "store.py");
        let text = text.unwrap_or_default();
        if expected == STORE {
            assert!(
                text.contains("import sys as s\n") && text.len() == added.len(),
                "{answer} {:?}",
                planned.not_read
            );
        } else {
            assert_eq!(text, expected, "{answer} {:?}", planned.not_read);
        }
    }
    // What the file has not is passed over: a sentence says much.
    let (_, planned) = project().plan_of(read("In `store.py`, add `x = 1` after `y = 2`.\n"), &[]);
    assert!(planned.proposals.is_empty() && planned.not_read.is_empty(), "{:?}", planned.not_read);
}

#[test]
fn regression_comments_in_a_fence_call_one_half_old_and_the_other_new() {
    let expected = WORKER.replace("console.log('x', x);", "log(x);");
    let answer = "In `src/worker.js`:\n\n```js\n// Old:\nconsole.log('x', x);\n\n// New:\nlog(x);\n```\n";
    let (planned, text) = accepted(answer, "src/worker.js");
    assert_eq!(text.as_deref(), Some(&*expected), "{:?}", planned.not_read);
}

#[test]
fn regression_a_method_goes_into_the_class_and_not_into_its_constructor() {
    let file = "final class Util {\n  private Util() {\n  }\n\n  static int one() {\n    return 1;\n  }\n}\n";
    let project = Project::with(&[("Util.java", file)]);
    let answer = "Add this method to the `Util` class in `Util.java`:\n\n```java\nstatic int two() {\n  return 2;\n}\n```\n";
    let (plan, planned) = project.plan_of(read(answer), &[]);
    let ids = listed(&planned.proposals);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    project.apply(&plan, Some(&ids), Deliver::Disk);
    let expected = file
        .replace("    return 1;\n  }\n", "    return 1;\n  }\n\n  static int two() {\n    return 2;\n  }\n");
    assert_eq!(project.text("Util.java").as_deref(), Some(&*expected), "{:?}", planned.not_read);
}

#[test]
fn regression_an_entry_of_a_list_is_appended_without_a_blank_line() {
    let file = "steps:\n  - run: a\n  - run: b\n";
    let project = Project::with(&[("ci.yml", file)]);
    let (plan, planned) =
        project.plan_of(read("Add at the end of `ci.yml`:\n\n```yaml\n  - run: c\n```\n"), &[]);
    let ids = listed(&planned.proposals);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    project.apply(&plan, Some(&ids), Deliver::Disk);
    assert_eq!(project.text("ci.yml").unwrap(), format!("{file}  - run: c\n"), "{:?}", planned.not_read);
}

/// A part that shows half of the file was written over it by `--plain`, as the whole file that a person may take it for.
#[test]
fn regression_a_part_is_never_the_whole_file_without_a_question() {
    let text = "Update `c.yaml`:\n```yaml\nserver:\n  host: b\n  port: 80\nlog:\n  level: info\n```\n";
    let mut project = project();
    let old = "server:\n  host: a\n  port: 80\ndatabase:\n  url: x\nlog:\n  level: info\n";
    project.write("c.yaml", old);
    project.rules.plain.rule = PlainRule::Apply;
    let (_, planned) = project.plan_of(read(text), &[]);
    let wholes: Vec<_> = planned.proposals.iter().filter(|one| one.whole_of.is_some()).collect();
    assert!(wholes.iter().all(|one| !one.sure), "{planned:#?}");
    assert!(!wholes.is_empty(), "{planned:#?}");
    project.carry_out(read(text));
    assert_eq!(project.text("c.yaml").unwrap(), old);
}

/// Plans `text` in a project of these files, accepts all that it shows, and returns the files.
fn files_after(text: &str, files: &[(&str, &str)]) -> (PlanResult, Vec<Option<String>>) {
    let project = Project::with(files);
    let (plan, planned) = project.plan_of(read(text), &[]);
    let ids = listed(&planned.proposals);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    project.apply(&plan, Some(&ids), Deliver::Disk);
    (planned, files.iter().map(|(path, _)| project.text(path)).collect())
}

#[test]
fn regression_code_without_a_file_name_takes_most_of_no_file_away() {
    const LINES: &str = "import os\n\n\ndef get_info(number):\n    details = load(number)\n    if not details:\n        return None\n    name = details['name']\n    kind = details['kind']\n    return name, kind\n";
    const TESTS: &str = "const store = require('./store');\n\nconst base = new store();\n\ndescribe('load', () => {\n    beforeAll(async () => {\n        await base.init();\n    });\n});\n";
    let cases = [
        // A sketch of the only function.
        (
            "Update it so:",
            "python",
            "def get_info(number):\n    return fetch(number) or f\"{number}\"\n",
            LINES,
        ),
        // A program of its own that has a name in common.
        (
            "Use this:",
            "python",
            "def get_info(number):\n    a = 1\n    b = 2\n    c = 3\n    return a + b + c\n",
            LINES,
        ),
        // Other tests, which begin as those that there are.
        ("Now I will create tests for the server:", "javascript", &TESTS.replace("'load'", "'save'"), TESTS),
        (
            "I'll create more tests:",
            "javascript",
            &TESTS.replace("await base.init();", "await base.open();"),
            TESTS,
        ),
        // What every file of tests requires and calls is defined in none.
        (
            "Add this:",
            "javascript",
            "const store = require('./store');\n\nbeforeAll(async () => {\n    await open();\n});\n",
            TESTS,
        ),
    ];
    for (words, language, code, old) in cases {
        let path = if language == "python" { "a.py" } else { "a.test.js" };
        let text = format!("{words}\n\n```{language}\n{code}```\n");
        let (planned, _) = files_after(&text, &[(path, old)]);
        assert!(planned.proposals.is_empty(), "{words}: {planned:#?}");
    }
}

#[test]
fn regression_a_later_piece_changes_the_new_file_of_the_answer() {
    let listing = "Create `app.py`:\n\n```python\nimport random\n\n\ndef home():\n    return 1\n\n\ndef prices():\n    return random.randint(1, 6)\n```\n";
    let part = "def prices():\n    return random.choice(range(6))\n";
    let project = Project::with(&[("README.md", "# A\n")]);
    let text = format!("{listing}\nThere is an error in `app.py`. Let me fix it:\n\n```python\n{part}```\n");
    let (plan, planned) = project.plan_of(read(&text), &[]);
    assert!(planned.proposals.iter().all(|one| !one.sure), "{planned:#?}");
    let ids = listed(&planned.proposals);
    project.apply(&plan, Some(&ids.iter().map(String::as_str).collect::<Vec<_>>()), Deliver::Disk);
    let expected = format!("import random\n\n\ndef home():\n    return 1\n\n\n{part}");
    assert_eq!(project.text("app.py"), Some(expected), "{planned:#?}");
    // What the new file has is shown again, and changes nothing.
    let text = format!("{listing}\nIn `app.py`:\n\n```python\ndef home():\n    return 1\n```\n");
    let (_, planned) = project.plan_of(read(&text), &[]);
    assert_eq!(listed(&planned.proposals).len(), 1, "{planned:#?}");
}

#[test]
fn regression_numbers_of_lines_are_no_order() {
    const OLD: &str =
        "const LIMIT = 3;\n\nfunction run(x) {\n  if (x.count > LIMIT) {\n    stop(x);\n  }\n}\n";
    for (text, is_changed) in [
        ("#### **Too strict (line 4)** in `a.js`\n\n```js\nif (y.count > 0) {\n```\n", false),
        ("In `a.js` (lines 4, 9), look for code like:\n\n```js\nif (item.count > 0) { ... }\n```\n", false),
        (
            "`a.js`, line 1:\n\n```js\nLine 1: const LIMIT = 3; // too small\nLine 4: if (x.count > LIMIT)\n```\n",
            false,
        ),
        ("**Limit** (line 1) in `a.js`:\n\n```js\nconst MOST = 3;\n```\n", false),
        ("In `a.js`, change line 1 to:\n\n```js\nconst LIMIT = 4;\n```\n", true),
    ] {
        let (planned, after) = files_after(text, &[("a.js", OLD)]);
        assert_eq!(after[0].as_deref() != Some(OLD), is_changed, "{text}: {planned:#?}");
    }
}

#[test]
fn regression_a_diff_may_undo_an_earlier_one() {
    let old = "button.on('click', () => {\n  make(true);\n});\n";
    let diff = |from: &str, to: &str| {
        format!("```diff\n button.on('click', () => {{\n-  make({from});\n+  make({to});\n }});\n```\n")
    };
    let text = format!(
        "In `a.js`:\n\n{}\nNo, back again in `a.js`:\n\n{}",
        diff("true", "false"),
        diff("false", "true")
    );
    let (planned, after) = files_after(&text, &[("a.js", old)]);
    assert_eq!(after[0].as_deref(), Some(old), "{planned:#?}");
    assert!(planned.not_read.is_empty(), "{planned:#?}");
}

#[test]
fn regression_a_variable_that_is_used_behind_a_replacement_stays() {
    let old = "class A {\n  String get() {\n    String key = KEY;\n    if (key == null) {\n      return FALLBACK;\n    }\n    return key;\n  }\n}\n";
    let pair = |new: &str| {
        format!(
            "In `A.java`, replace this:\n\n```java\n    String key = KEY;\n    if (key == null) {{\n      return FALLBACK;\n    }}\n```\n\nwith this:\n\n```java\n{new}```\n"
        )
    };
    for (new, is_changed) in [
        ("    return KEY;\n", false),
        ("    check(KEY);\n", false),
        ("    String other = KEY;\n", false),
        ("    String key = KEY.trim();\n", true),
        ("    final String key = load();\n", true),
    ] {
        let (planned, after) = files_after(&pair(new), &[("A.java", old)]);
        assert_eq!(after[0].as_deref() != Some(old), is_changed, "{new}: {planned:#?}");
    }
}

#[test]
fn regression_patterns_in_another_order_are_appended() {
    let old = "# Python\n*.pyc\n\n# Build\nbuild/\n";
    let text =
        "Let's create a `.gitignore`:\n\n```\n# Build\nbuild/\n\n# Python\n*.pyc\n\n# Logs\n*.log\n```\n";
    let (planned, after) = files_after(
        text,
        &[(".gitignore", &format!("{old}\n# Own\n{}", "local/\nown/\nsecret/\ncache/\n.idea/\n"))],
    );
    let after = after[0].as_deref().unwrap();
    assert!(after.starts_with(old) && after.ends_with("# Logs\n*.log\n"), "{after}: {planned:#?}");
    assert!(after.contains("local/"), "{after}");
}

#[test]
fn regression_a_listing_that_adds_to_a_manifest_removes_nothing() {
    let old = "{\n  \"scripts\": {\n    \"build\": \"node build.js\"\n  },\n  \"devDependencies\": {\n    \"terser\": \"5\"\n  }\n}\n";
    let text = "Add a script to `package.json`:\n\n```json\n{\n  \"name\": \"your-project\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\n    \"convert\": \"node convert.js\"\n  },\n  \"dependencies\": {\n    \"react\": \"18\"\n  }\n}\n```\n";
    let (planned, after) = files_after(text, &[("package.json", old)]);
    assert!(after[0].as_deref().unwrap().contains("terser"), "{planned:#?}");
}

#[test]
fn regression_a_method_behind_another_stands_as_far_from_it_as_others() {
    let java = "class Shop {\n    @Get(\"/{id}\")\n    public Item find(long id) {\n        return items.find(id);\n    }\n\n    @Post\n    public Item add(Item item) {\n        return items.add(item);\n    }\n}\n";
    let cs = "public class Shop\n{\n    public Item Find(int id)\n    {\n        return items.Find(id);\n    }\n\n    public Item Add(Item item)\n    {\n        return items.Add(item);\n    }\n}\n";
    let method = "    @Get(\"/all\")\n    public List<Item> all() {\n        return items.all();\n    }\n";
    let other = "    public List<Item> All()\n    {\n        return items.All();\n    }\n";
    for (path, old, new, name, behind) in [
        ("Shop.java", java, method, "find", "items.find(id);\n    }\n\n"),
        ("Shop.cs", cs, other, "Find", "items.Find(id);\n    }\n\n"),
        ("Shop.cs", cs, other, "Add", "items.Add(item);\n    }\n"),
    ] {
        let text = format!("In `{path}`, add this method after `{name}`:\n\n```\n{new}```\n");
        let (planned, after) = files_after(&text, &[(path, old)]);
        let blank = if behind.ends_with("\n\n") { (String::new(), "\n") } else { ("\n".to_owned(), "") };
        let expected = old.replace(behind, &format!("{behind}{}{new}{}", blank.0, blank.1));
        assert_eq!(after[0].as_deref(), Some(&*expected), "{planned:#?}");
    }
}

#[test]
fn regression_a_comment_that_names_the_file_is_not_inserted() {
    let old = "class Cart\n  def add(x)\n    @x = x\n  end\n\n  def clear\n    @x = nil\n  end\nend\n";
    let text = "Add this after `add`:\n\n```ruby\n# lib/cart.rb\ndef count\n  @x.size\nend\n```\n";
    let (planned, after) = files_after(text, &[("lib/cart.rb", old)]);
    let expected = old.replace("  def clear", "  def count\n    @x.size\n  end\n\n  def clear");
    assert_eq!(after[0].as_deref(), Some(&*expected), "{planned:#?}");
}

/// A folder that the words named was lost, and the lines went to the file of the project's own folder.
#[test]
fn regression_words_give_the_folder_of_a_name_that_the_root_has_too() {
    let project = Project::with(&[
        (".gitignore", "build/\n"),
        ("Dockerfile", "FROM a\nCOPY . .\n"),
        ("services/api/Dockerfile", "FROM b\nCOPY . .\nRUN make\n"),
        ("packages/web/a.py", "x = 1\n"),
    ]);
    for (words, language, code, wanted) in [
        (
            "Add to the `.gitignore` inside `packages/web`:",
            "gitignore",
            ".next/\n",
            "packages/web/.gitignore",
        ),
        ("Put a `.gitignore` into `logs/` so that it is kept:", "gitignore", "*.log\n", "logs/.gitignore"),
        (
            "Add to the worker's `.gitignore` (`worker/.gitignore`):",
            "gitignore",
            ".next/\n",
            "worker/.gitignore",
        ),
        ("Add this to `.gitignore`:", "gitignore", ".next/\n", ".gitignore"),
        ("Add this to the `.gitignore` in the root folder:", "gitignore", ".next/\n", ".gitignore"),
        ("Ignore `.next/`: add this to `.gitignore`:", "gitignore", ".next/\n", ".gitignore"),
        (
            "Change the `Dockerfile` of the api service:",
            "dockerfile",
            "FROM c\nCOPY . .\nRUN make\n",
            "services/api/Dockerfile",
        ),
        (
            "In the `web` package, create `main.py`:",
            "python",
            "import os\n\nprint(os.name)\n",
            "packages/web/main.py",
        ),
    ] {
        let (_, planned) = project.plan_of(read(&format!("{words}\n\n```{language}\n{code}```\n")), &[]);
        let paths: Vec<&str> = planned.proposals.iter().map(|one| &*one.path).collect();
        assert_eq!(paths, [wanted], "{words} {planned:#?}");
        // The folder of a package is found, and not written.
        let is_found = wanted.starts_with("services") || wanted.ends_with("main.py");
        assert!(!is_found || !planned.proposals[0].sure, "{words} {planned:#?}");
    }
}

/// Folders that words or a command move or delete were passed over in silence.
#[test]
fn regression_a_folder_moves_with_its_files_and_is_not_deleted() {
    let project =
        Project::with(&[("app/core/a.py", "x = 1\n"), ("app/core/b.py", "y = 1\n"), ("old/c.py", "z = 1\n")]);
    for (answer, moves) in [
        (
            "Rename the `core` package to `base`.\n",
            [("app/core/a.py", "app/base/a.py"), ("app/core/b.py", "app/base/b.py")],
        ),
        ("```sh\ngit mv app/core lib\n```\n", [("app/core/a.py", "lib/a.py"), ("app/core/b.py", "lib/b.py")]),
        (
            "```sh\nmv app/core old/\n```\n",
            [("app/core/a.py", "old/core/a.py"), ("app/core/b.py", "old/core/b.py")],
        ),
    ] {
        let (_, planned) = project.plan_of(read(answer), &[]);
        let found: Vec<(&str, &str)> = planned
            .proposals
            .iter()
            .map(|one| (&*one.path, one.new_path.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(found, moves, "{answer} {planned:#?}");
    }
    for answer in [
        "Delete the whole `old` folder.\n",
        "Rename the `core` package to `../app/core`.\n",
        "Move `app/core/` to `old`.\n",
    ] {
        let (_, planned) = project.plan_of(read(answer), &[]);
        assert!(planned.proposals.is_empty() && !planned.not_read.is_empty(), "{answer} {planned:#?}");
    }
}

/// The old file went, and the new one, of which the answer shows a line, was not written.
#[test]
fn regression_a_moved_file_of_which_a_part_is_shown_moves() {
    let store = "package store\n\nimport \"fmt\"\n\nfunc Open() {\n\tfmt.Println(1)\n}\n\nfunc Close() {\n\tfmt.Println(2)\n}\n";
    let answer = "Move it:\n\n```bash\nmkdir -p db\ngit mv store/store.go db/store.go\n```\n\nThen update the package name in `db/store.go`:\n\n```go\npackage db\n```\n";
    let project = Project::with(&[("store/store.go", store)]);
    let (_, planned) = project.plan_of(read(answer), &[]);
    let shown: Vec<(&str, ProposalForm)> =
        planned.proposals.iter().map(|one| (&*one.path, one.form)).collect();
    assert_eq!(shown, [("store/store.go", ProposalForm::Move)], "{planned:#?}");
    assert!(planned.not_read.iter().any(|one| one.path.as_deref() == Some("db/store.go")), "{planned:#?}");
    // Shown whole, it is written and the old one goes, after a question.
    let whole = answer
        .replace("```go\npackage db\n", &format!("```go\n{}", store.replace("package store", "package db")));
    let (_, planned) = project.plan_of(read(&whole), &[]);
    let forms: Vec<(ProposalForm, bool)> = planned.proposals.iter().map(|one| (one.form, one.sure)).collect();
    assert!(forms.contains(&(ProposalForm::Delete, false)) && forms.len() == 2, "{planned:#?}");
    // A part that has a place is merged into the text of the old path.
    let part = answer
        .replace("the package name in", "`Close` in")
        .replace("package db\n```", "func Close() {\n\tfmt.Println(3)\n}\n```");
    let (_, planned) = project.plan_of(read(&part), &[]);
    let changed = planned.proposals.iter().find(|one| one.path == "db/store.go" && one.whole_of.is_none());
    assert!(changed.is_some_and(|one| one.diff.contains("+\tfmt.Println(3)")), "{planned:#?}");
    assert!(planned.proposals.iter().any(|one| one.form == ProposalForm::Delete), "{planned:#?}");
}

const TILL: &str = "function sum(rows) {\n  let total = 0;\n  for (const row of rows) {\n    total += row.price;\n  }\n  return total;\n}\n\nfunction tax(total) {\n  return total * 0.2;\n}\n\nmodule.exports = { sum, tax };\n";

/// The signs were written into the file, or the code was refused.
#[test]
fn regression_signs_before_lines_of_code_show_what_changes() {
    let checked = TILL.replace(
        "    total +=",
        "    // rows of drafts\n    if (!row.price) {\n      continue;\n    }\n    total +=",
    );
    let taxed = TILL.replace("  return total * 0.2;\n", "  const rate = 0.25;\n  return total * rate;\n");
    let both = taxed.replace("let total = 0;", "let total = 0.0;");
    let whole = both
        .replace("  let total", "-  let total = 0;\n+  let total")
        .replace("  const rate", "-  return total * 0.2;\n+  const rate")
        .replace("  return total * rate", "+  return total * rate");
    for (code, expected) in [
        // New lines between markers, those of a text that several of them hold, and old ones.
        (
            "// ...existing code...\n\nfunction sum(rows) {\n  let total = 0;\n  for (const row of rows) {\n+    // rows of drafts\n+    if (!row.price) {\n+      continue;\n+    }\n    total += row.price;\n  }\n  return total;\n}\n\n// ...existing code...\n",
            &checked,
        ),
        (
            "// ...existing code...\nfunction tax(total) {\n-  return total * 0.2;\n+  const rate = 0.25;\n+  return total * rate;\n}\n// ...existing code...\n",
            &taxed,
        ),
        // All of the file.
        (&*whole, &both),
        // A blank behind each sign, and signs in the place of the first blank.
        (
            "function tax(total) {\n-   return total * 0.2;\n+   const rate = 0.25;\n+   return total * rate;\n}\n",
            &taxed,
        ),
        (
            "function tax(total) {\n- return total * 0.2;\n+ const rate = 0.25;\n+ return total * rate;\n}\n",
            &taxed,
        ),
        // New lines alone, as deep as those beside them; and signs beside indented lines, which look like a diff.
        (
            "function tax(total) {\n+ total += 1;\n  return total * 0.2;\n}\n",
            &TILL.replace("  return total * 0.2;\n", "  total += 1;\n  return total * 0.2;\n"),
        ),
        (
            "    total += row.price;\n+   total += row.tax;\n  }\n",
            &TILL.replace("    total += row.price;\n", "    total += row.price;\n    total += row.tax;\n"),
        ),
        // The head of the function stands once, the lines beside the change do not.
        (
            "function tax(total) {\n  // ...\n-  return total * 0.2;\n+  const rate = 0.25;\n+  return total * rate;\n",
            &taxed,
        ),
    ] {
        let text = format!("### [till.js](src/till.js)\n\nChange it.\n\n````javascript\n{code}````\n");
        let (planned, after) = files_after(&text, &[("src/till.js", TILL)]);
        assert_eq!(after[0].as_deref(), Some(&**expected), "{text}{planned:#?}");
    }
}

/// `--- x` was taken for the header of a file, and what is two signs for code alone.
#[test]
fn regression_a_sign_may_stand_before_lines_that_begin_with_signs() {
    const SQL: &str = "CREATE TABLE a (\n  b INTEGER\n);\n-- old words\nCREATE INDEX c ON a (b);\n-- end\n";
    const LIST: &str = "# L\n\n- one\n- two\n- three\n";
    const C: &str = "int i = 9;\n-- i;\ncount(i);\nend();\n";
    let renamed = SQL.replace("-- old", "-- new");
    let renamed = renamed.as_str();
    for (path, file, language, code, expected) in [
        ("q.sql", SQL, "diff", " );\n--- old words\n+-- new words\n CREATE INDEX c ON a (b);\n", renamed),
        ("q.sql", SQL, "diff", "--- old words\n+-- new words\n", renamed),
        ("q.sql", SQL, "diff", "@@ -3,2 +3,2 @@\n );\n--- old words\n+-- new words\n", renamed),
        ("q.sql", SQL, "diff", "--- old\n+++ new\n@@\n );\n--- old words\n+-- new words\n", renamed),
        (
            "q.sql",
            SQL,
            "diff",
            " );\n--- old words\n CREATE INDEX c ON a (b);\n",
            &*SQL.replace("-- old words\n", ""),
        ),
        ("q.sql", SQL, "sql", ");\n--- old words\n+-- new words\nCREATE INDEX c ON a (b);\n", renamed),
        ("q.sql", SQL, "sql", " );\n--- old words\n+-- new words\n CREATE INDEX c ON a (b);\n", renamed),
        ("f.c", C, "diff", " int i = 9;\n--- i;\n+++ i;\n count(i);\n", &*C.replace("-- i", "++ i")),
        ("f.c", C, "c", "int i = 9;\n--- i;\n+++ i;\ncount(i);\n", &*C.replace("-- i", "++ i")),
        ("f.c", C, "c", "int i = 9;\n++ i;\ncount(i);\nend();\n", &*C.replace("-- i", "++ i")),
        ("l.md", LIST, "markdown", "- - two\n+ - deux\n", &*LIST.replace("two", "deux")),
        ("l.md", LIST, "markdown", " - one\n-- two\n+- deux\n", &*LIST.replace("two", "deux")),
        ("l.md", LIST, "diff", "-- two\n+- deux\n", &*LIST.replace("two", "deux")),
    ] {
        let text = format!("In `{path}`:\n\n```{language}\n{code}```\n");
        let (planned, after) = files_after(&text, &[(path, file)]);
        assert_eq!(after[0].as_deref(), Some(expected), "{text}{planned:#?}");
    }
}

/// An old line that the file does not have, new lines without any of the file beside them, and a new file.
#[test]
fn regression_signs_that_fit_no_file_are_never_written() {
    for (path, code) in [
        ("src/till.js", "function tax(total) {\n-  return total * 0.3;\n+  return total * 0.25;\n}\n"),
        ("src/till.js", "function other(a) {\n  call(a);\n+  return a;\n}\n"),
        ("src/new.js", "function other(a) {\n  call(a);\n+  return a;\n}\n\nmodule.exports = other;\n"),
        ("src/new.js", "const a = require('a');\n\nfunction other(b) {\n-    call(b);\n    a(b);\n}\n"),
    ] {
        let text = format!("### `{path}`\n\n```javascript\n{code}```\n");
        let (planned, after) = files_after(&text, &[("src/till.js", TILL)]);
        assert_eq!(after[0].as_deref(), Some(TILL), "{text}{planned:#?}");
        assert!(planned.proposals.is_empty() && !planned.not_read.is_empty(), "{text}{planned:#?}");
    }
    // Lines of lists begin with such signs.
    let list = "- a\n- b\n";
    let (planned, after) = files_after("`a.md`:\n\n```markdown\n- a\n- b\n+ c\n```\n", &[("a.md", list)]);
    assert_eq!(after[0].as_deref(), Some("- a\n- b\n+ c\n"), "{planned:#?}");
    let rules = "include common.mk\n\nall:\n\tcc a.c\n";
    let text = "`Makefile`:\n\n```makefile\n-include common.mk\n\nall:\n\tcc a.c\n```\n";
    let (planned, after) = files_after(text, &[("Makefile", rules)]);
    assert_eq!(after[0].as_deref(), Some(&*rules.replace("include", "-include")), "{planned:#?}");
}

/// The line was written into the file, which is small, without a question.
#[test]
fn regression_words_between_dots_are_a_marker_in_prose_too() {
    let readme = "# board\nA board for a small team\n";
    for marker in ["...existing code...", "... existing content ...", "…rest of the file…"] {
        let text = format!(
            "### [README.md](README.md)\n\nAdd a note.\n\n````markdown\n# board\nA board for a small team\n\n{marker}\n\n## Nightly\n- Run `jobs/drafts.js`.\n````\n"
        );
        let (planned, after) = files_after(&text, &[("README.md", readme)]);
        let expected = format!("{readme}\n## Nightly\n- Run `jobs/drafts.js`.\n");
        assert_eq!(after[0].as_deref(), Some(&*expected), "{planned:#?}");
        let new = text.replace("README", "NOTES");
        let (planned, _) = files_after(&new, &[("README.md", readme)]);
        assert!(planned.proposals.is_empty() && !planned.not_read.is_empty(), "{planned:#?}");
    }
}

/// The comment was written into the file.
#[test]
fn regression_a_comment_that_says_where_the_code_goes_is_none_of_it() {
    let old = "export const base = z.object({\n  a: z.string(),\n});\n\nexport function load() {\n  return base;\n}\n";
    let new = "export function save(a: string): string {\n  return a;\n}\n";
    for comment in [
        "// Insert below load",
        "// Add this after the load() function (or where it fits)",
        "/* Put it behind `load` */",
    ] {
        let text = format!("Add to `src/a.ts`:\n\n```typescript\n{comment}\n{new}```\n");
        let (planned, after) = files_after(&text, &[("src/a.ts", old)]);
        assert_eq!(after[0].as_deref(), Some(&*format!("{old}\n{new}")), "{comment} {planned:#?}");
    }
    // It says what the function does.
    let cart = "export function addToBase(a: string): string {\n  return a;\n}\n";
    let text = format!("Add to `src/a.ts`:\n\n```typescript\n// Add to base\n{cart}```\n");
    let (planned, after) = files_after(&text, &[("src/a.ts", old)]);
    assert_eq!(after[0].as_deref(), Some(&*format!("{old}\n// Add to base\n{cart}")), "{planned:#?}");
}
