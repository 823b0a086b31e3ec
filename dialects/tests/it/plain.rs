//! Plain answers, as tables: an answer, and what is found in it.

use clada_dialects::plain::{Candidate, Form, Plain};
use clada_dialects::{Bounds, Choice, parse};

fn plain(answer: &str) -> Plain {
    parse(answer, &Bounds::default(), &Choice::Auto).plain
}

/// The path that decides: the first place with exactly one sure one.
fn path(candidate: &Candidate) -> &str {
    let decides = candidate.groups.iter().find_map(|group| {
        let mut sure = group.mentions.iter().filter(|mention| mention.sure && !mention.aside);
        let first = sure.next()?;
        sure.next().is_none().then_some(&*first.path)
    });
    decides.unwrap_or("-")
}

fn form(form: &Form) -> String {
    match form {
        Form::Replacement { old } => format!("Replacement {:?}", old.trim_end()),
        Form::Move { to } => format!("Move to {to}"),
        Form::Beside { anchor, after } => {
            format!("Beside {anchor:?} {}", if *after { "after" } else { "before" })
        }
        Form::Edge { name, is_end } => format!("{} of {name}", if *is_end { "End" } else { "Top" }),
        other => format!("{other:?}"),
    }
}

/// One line for each candidate and note, by their lines.
fn found(answer: &str) -> Vec<String> {
    let plain = plain(answer);
    let candidates = plain.candidates.iter().map(|candidate| {
        let line = candidate.lines.start;
        (line, format!("{line} {} {}", form(&candidate.form), path(candidate)))
    });
    let notes = plain.notes.iter().map(|note| {
        let line = note.lines.start;
        (line, format!("{line} {:?}", note.kind))
    });
    let mut found: Vec<(u32, String)> = candidates.chain(notes).collect();
    found.sort_by_key(|(line, _)| *line);
    found.into_iter().map(|(_, text)| text).collect()
}

/// Labels above a fence that name `src/a.py`, each with that path.
const LABELS: &[&str] = &[
    "**`src/a.py`**",
    "`src/a.py`:",
    "**src/a.py:**",
    "### `src/a.py`",
    "### 1. `src/a.py`",
    "### 2) src/a.py",
    "### Step 1: `src/a.py`",
    "### `src/a.py` — new helper",
    "1. **src/a.py** - the new helper",
    "**Step 1: Create `src/a.py`**",
    "### File: `src/a.py`",
    "File: src/a.py",
    "Here is the complete updated `src/a.py` file:",
    "Here's the updated src/a.py:",
    "Replace the contents of `src/a.py` with:",
    "Next, `src/a.py`:",
    "`src/a.py` should now look like this:",
    "### `src/a.py` (new)",
    "**`src/a.py`** (new file)",
    "📄 **src/a.py**",
    "[src/a.py]",
    "--- src/a.py ---",
    "==== src/a.py ====",
    "~src/a.py",
    "## ✅ Updated `src/a.py`",
    "### 1. Update the data layer (`src/a.py`)",
    "### 1. 修改 `src/a.py`",
    "文件：`src/a.py`",
    "修改src/a.py文件：",
    "ファイル名：src/a.py",
    "Hier ist die geänderte Datei `src/a.py`:",
    "Voici le fichier `src/a.py` mis à jour :",
    "Aquí está `src/a.py` actualizado:",
    "Вот обновлённый `src/a.py`:",
    "#### [MODIFY] [a.py](src/a.py)",
    "### [a.py](./src/a.py)",
    "Create `src\\a.py`:",
    "`./src/a.py`:",
    "Update `src/a.py:12-20`:",
    "Tags live in their own module. Create `src/a.py`. It is modelled on `src/b.py`:",
    "Create `src/a.py` in the same folder as `src/b.py`:",
    "`src/a.py` を `src/b.py` と同じフォルダに作成します：",
    "<summary>src/a.py</summary>",
];

#[test]
fn labels_name_the_file() {
    for label in LABELS {
        let answer = format!("Sure.\n\n{label}\n\n```python\nx = 1\n```\n");
        assert_eq!(found(&answer), ["5 Code src/a.py"], "{label}");
    }
}

#[test]
fn regression_a_template_of_a_path_is_named_and_not_sure() {
    for (label, path) in [
        ("### `{{path}}`", "{{path}}"),
        ("Update `<path>`:", "<path>"),
        ("Create `src/{{name}}.py`:", "src/{{name}}.py"),
        ("`src/<name>/views.py`:", "src/<name>/views.py"),
        ("**src/${name}.py**", "src/${name}.py"),
        ("`src/{{ cookiecutter.name }}/views.py`:", "src/{{ cookiecutter.name }}/views.py"),
        ("`%s/a.py`:", "%s/a.py"),
    ] {
        let plain = plain(&format!("{label}\n\n```python\nx = 1\n```\n"));
        let groups = &plain.candidates[0].groups;
        let mentions: Vec<_> = groups.iter().flat_map(|group| &group.mentions).collect();
        assert!(
            matches!(mentions[..], [mention] if mention.path == path && !mention.sure),
            "{label} {groups:?}"
        );
    }
    for label in ["Replace `{{ user.name }}`:", "Use `Array<string>`:", "The `<App>`:", "With `{a, b}`:"] {
        let plain = plain(&format!("{label}\n\n```python\nx = 1\n```\n"));
        assert!(plain.candidates[0].groups.is_empty(), "{label} {:?}", plain.candidates[0].groups);
    }
    let element = plain("<file path=\"{{path}}\">\nx = 1\n</file>\n");
    assert!(!element.candidates[0].groups[0].mentions[0].sure);
}

#[test]
fn words_that_are_no_paths_name_nothing() {
    for label in [
        "Use `toFixed(2)`:",
        "Set `process.env`:",
        "It is `Icons.send`:",
        "e.g. this:",
        "Since 2.0.0:",
        "For and/or:",
        "See https://example.com/a.py:",
        "### Node.js",
        "Call `foo.bar()`:",
        "`.hidden`:",
        "**Step 1.2**",
        "With `pip install a.b`:",
    ] {
        let answer = format!("{label}\n\n```\nx = 1\ny = 2\nz = 3\nw = 4\n```\n");
        let named: Vec<String> = found(&answer).into_iter().filter(|line| !line.ends_with(" -")).collect();
        assert!(named.iter().all(|line| line.contains("LeadIn")), "{label} {named:?}");
    }
}

#[test]
fn fences_and_their_first_lines_name_the_file() {
    for fence in [
        "```python:src/a.py\nx = 1\n```",
        "```python src/a.py\nx = 1\n```",
        "```src/a.py\nx = 1\n```",
        "```python title=\"src/a.py\"\nx = 1\n```",
        "```python {filename=src/a.py}\nx = 1\n```",
        "```{src/a.py}\nx = 1\n```",
        "```save src/a.py\nx = 1\n```",
        "~~~~py file=src/a.py\nx = 1\n~~~~",
        "```python\n# src/a.py\nx = 1\n```",
        "```python\n# File: src/a.py (new)\nx = 1\n```",
        "```python\n#!/usr/bin/env python3\n# src/a.py\nx = 1\n```",
        "```python\n# === src/a.py ===\nx = 1\n```",
        "```js\n// src/a.py\nx = 1\n```",
        "  ```python\n  # src/a.py\n  x = 1\n  ```",
    ] {
        let sure = if fence.contains("```js") { "-" } else { "src/a.py" };
        assert_eq!(found(&format!("Sure.\n\n{fence}\n")), [format!("3 Code {sure}")], "{fence}");
    }
}

#[test]
fn a_comment_that_names_the_file_is_marked() {
    let plain = plain("```python\n# src/a.py\nx = 1\n```\n");
    let candidate = &plain.candidates[0];
    assert_eq!(candidate.content, "# src/a.py\nx = 1\n");
    assert_eq!(candidate.naming.clone().map(|naming| &candidate.content[naming]), Some("# src/a.py\n"));
}

/// Whole answers, each with what is found in it.
const ANSWERS: &[(&str, &[&str])] = &[
    // Which file
    ("`src/a.py`:\n\nIt adds one.\n\n```python\nx\n```\n", &["5 Code src/a.py"]),
    (
        "## `src/a.py`\n\nOne. Two.\n\nThree:\n\n```python\nx\n```\nmore\n```python\ny\n```\n",
        &["7 Code src/a.py", "11 Code src/a.py"],
    ),
    ("## `src/a.py`\n```python\nx\n```\n## Other\n```python\ny\n```\n", &["2 Code src/a.py", "6 Code -"]),
    ("I need a clock:\n\n```js\nx\n```\n\nSave this as `lib/now.js`.\n", &["3 Code lib/now.js"]),
    ("```js\n// src/a.js\nx\n\n// src/b.js\ny\n```\n", &["2 Code src/a.js", "5 Code src/b.js"]),
    (
        "# Seed\n\nHere is `scripts/seed.py`:\n\n```python\n# app/store.py\nx\n```\n",
        &["5 Code scripts/seed.py"],
    ),
    ("```json\n{\"files\": [{\"path\": \"a/b.py\", \"content\": \"x\\n\"}]}\n```\n", &["1 Code a/b.py"]),
    ("```json\n{\"a/b.py\": \"x\\n\", \"c.py\": \"y\\n\"}\n```\n", &["1 Code a/b.py", "1 Code c.py"]),
    ("{\"files\": [{\"path\": \"lib/h.js\", \"content\": \"x\\n\"}]}\n", &["1 Code lib/h.js"]),
    ("```json\n{\"a/b.py\": \"b.3f.py\"}\n```\n", &["1 Code -"]),
    ("src/a.py\n<source>\nx = 1\n</source>\n", &["2 Code src/a.py"]),
    ("==== a/b.yaml ====\nx: 1\n\ny: 2\n\n==== c.md ====\n# New\n", &["1 Code a/b.yaml", "6 Code c.md"]),
    ("Changed:\n\n- `a.py`\n- `b.py`\n\nHere is the code:\n\n```python\nx\n```\n", &["8 Code -"]),
    // Fences
    ("````markdown\nDo this.\n\n`src/a.py`:\n\n```python\nx\n```\n````\n", &["6 Code src/a.py"]),
    ("```markdown\n# Changes\n\n## src/a.py\n\n~~~python\nx\n~~~\n```\n", &["6 Code src/a.py"]),
    (
        "Updated `README.md`:\n\n```markdown\n# a\n\n```sh\nls\n```\n\nOutput:\n\n```\nn=3\n```\n```\n\nBye.\n",
        &["3 Code README.md"],
    ),
    ("`a.py`:\n```python\nx\n", &["2 Code a.py"]),
    // Never a candidate
    ("> `a.py`:\n> ```python\n> x\n> ```\n", &["2 OtherVoice"]),
    ("<think>\n`a.py`:\n```python\nx\n```\n</think>\nDone.\n", &["1 OtherVoice"]),
    ("Currently `src/a.py` looks like this:\n\n```python\nx\n```\n", &["3 LeadIn"]),
    ("Don't do this in `src/a.py`:\n\n```python\nx\n```\n", &["3 LeadIn"]),
    ("## Example usage\n\n```python\nx\n```\n", &["3 LeadIn"]),
    ("Revert `src/a.css` to the original:\n\n```css\nx\n```\n", &["3 LeadIn"]),
    ("Looking at `a.py`:\n\n```python:src/a.py\nx\n```\n", &["3 LeadIn"]),
    ("Here's a basic example:\n\n```yaml:src/a.yml\nx: 1\n```\n", &["3 Code src/a.yml"]),
    ("Use it for the output.\n\n```js:src/a.js\nx\n```\n", &["3 Code src/a.js"]),
    ("First the improved error message in `a.py`:\n\n```python\nx\n```\n", &["3 Code a.py"]),
    ("Replace the `nav a` rule in `a.css`:\n\n```css\nx {}\n```\n", &["3 Code a.css"]),
    ("```12:15:src/a.py\nx\n```\n", &["1 LeadIn"]),
    (
        "For comparison, in a Next.js project you would write `app/layout.tsx`:\n\n```tsx\nx\n```\n\nand in `app/page.tsx`:\n\n```tsx\ny\n```\n",
        &["3 Elsewhere", "9 Elsewhere"],
    ),
    ("On the server, put this into `/etc/a.service`:\n\n```ini\nx=1\n```\n", &["3 Elsewhere"]),
    ("The layout of `src/`:\n\n```\nsrc/\n├── a.py\n└── b.py\n```\n", &["3 Output"]),
    (
        "`src/a.py` fails:\n\n```\nTraceback (most recent call last):\n  File \"src/a.py\"\n```\n",
        &["3 Output"],
    ),
    (
        "The lint run of `src/a.py`:\n\n```\n==== src/a.py ====\n  14:5  error  no\n  15:5  error  no\n```\n",
        &["3 Output"],
    ),
    ("Update `src/a.py` and run:\n\n```bash\npython src/a.py\n```\n", &["3 Commands"]),
    ("Tick it in `TODO.md`. Run the build:\n\n```\n'C:\\Tools\\a.exe -quiet'\n```\n", &["3 Commands"]),
    ("Then:\n\n```\npython -m pytest -q\n```\n", &["3 Commands"]),
    ("`src/a.py`:\n\n```python\n# entire file content here\n```\n", &["3 Placeholder"]),
    ("`path/to/file.py`:\n\n```python\nx = 1\n```\n", &["3 Placeholder"]),
    // Forms
    ("In `a.c`.\n\n**Before:**\n```c\nx;\n```\n\n**After:**\n```c\ny;\n```\n", &["4 Replacement \"x;\" a.c"]),
    (
        "In `a.c`, find:\n\n```c\nx;\n```\n\nand replace it with:\n\n```c\ny;\n```\n",
        &["3 Replacement \"x;\" a.c"],
    ),
    (
        "### `site/i.html`\n\n**Remplacez :**\n```html\na\n```\n\n**Par :**\n```html\nb\n```\n",
        &["4 Replacement \"a\" site/i.html"],
    ),
    (
        "Replace `console.log(1, 2);` in `a.js` with:\n\n```js\nlog(1);\n```\n",
        &["3 Replacement \"console.log(1, 2);\" a.js"],
    ),
    ("Replace `read_note` in `a.py` with:\n\n```python\nx\n```\n", &["3 Code a.py"]),
    ("`a.py`:\n\n```python\n<<<<<<<\nx\n=======\ny\n>>>>>>>\n```\n", &["3 Replacement \"x\" a.py"]),
    ("In `src/a.ts`, change it like so:\n\n```diff\n-a\n+b\n```\n", &["3 Diff src/a.ts"]),
    ("Here's `src/a.ts`:\n\n```ts\n a\n+b\n c\n```\n", &["3 Diff src/a.ts"]),
    ("Add this to the end of `a.css`:\n\n```css\nx {}\n```\n", &["3 Append a.css"]),
    ("Add this import at the top of `a.py`:\n\n```python\nimport x\n```\n", &["3 Prepend a.py"]),
    ("Add to the end of the function in `a.py`:\n\n```python\nx\n```\n", &["3 Code a.py"]),
    ("Add this at the end of `Store` in `a.py`:\n\n```python\nx = 1\n```\n", &["3 End of Store a.py"]),
    ("At the top of the `main` function in `a.py`:\n\n```python\nx = 1\n```\n", &["3 Top of main a.py"]),
    ("In `main` in `a.py`, add at the top:\n\n```python\nx = 1\n```\n", &["3 Top of main a.py"]),
    ("In `App`, add this at the top of `a.py`:\n\n```python\nx = 1\n```\n", &["3 Prepend a.py"]),
    ("In `a.py`, add this as the last item of `NAMES`:\n\n```python\n1,\n```\n", &["3 End of NAMES a.py"]),
    ("Add the `go` helper at the end of `a.py`:\n\n```python\ngo()\n```\n", &["3 Append a.py"]),
    ("In `a.toml` am Ende der Tabelle `[b]` einfügen:\n\n```toml\nx = 1\n```\n", &["3 End of [b] a.toml"]),
    ("Dans `a.yml`, ajoutez à la fin du service `api` :\n\n```yaml\nx: 1\n```\n", &["3 End of api a.yml"]),
    ("在 `a.py` 的 `Store` 类的末尾添加：\n\n```python\nx = 1\n```\n", &["3 End of Store a.py"]),
    ("将 `go` 函数添加到 `a.py` 文件末尾：\n\n```python\ngo()\n```\n", &["3 Append a.py"]),
    ("At the end of the Setup section in `a.md`, add:\n\n```markdown\nx\n```\n", &["3 End of Setup a.md"]),
    ("At the end of README.md, add a Setup section:\n\n```markdown\n## Setup\n```\n", &["3 Code README.md"]),
    ("Füge am Ende des Abschnitts Setup in `a.md` hinzu:\n\n```markdown\nx\n```\n", &["3 End of Setup a.md"]),
    ("Add this to `.gitignore`:\n\n```\ncoverage/\n```\n", &["3 Append .gitignore"]),
    ("**File: `.gitignore`** (add this line)\n\n```\ncoverage/\n```\n", &["3 Append .gitignore"]),
    (
        "In `a.js`, add after `const x = 1;`:\n\n```js\nconst y = 2;\n```\n",
        &["3 Beside \"const x = 1;\" after a.js"],
    ),
    (
        "Add this class **above** the `load` function in `a.ts`:\n\n```ts\nclass E {}\n```\n",
        &["3 Beside \"load\" before a.ts"],
    ),
    (
        "In `a.go`, add the following method after `Get`:\n\n```go\nfunc B() {\n}\n```\n",
        &["3 Beside \"Get\" after a.go"],
    ),
    (
        "Añade esta función después de `load` en `a.py`:\n\n```python\ndef b():\n    pass\n```\n",
        &["3 Beside \"load\" after a.py"],
    ),
    // Where the words only say the place, that is enough.
    ("In `a.css`, below `.box`:\n\n```css\n.x {}\n```\n", &["3 Beside \".box\" after a.css"]),
    (
        "Then the handler in `a.go`, above `Get`:\n\n```go\nfunc B() {\n}\n```\n",
        &["3 Beside \"Get\" before a.go"],
    ),
    ("Update the call after `Get` in `a.go`:\n\n```go\nB()\n```\n", &["3 Code a.go"]),
    (
        "In `a.js`, replace `f(a);` with `f(b);`, so there's no need to wait.\n",
        &["1 Replacement \"f(a);\" a.js"],
    ),
    ("Add it after `load` returns, in `a.py`:\n\n```python\nx = 1\n```\n", &["3 Code a.py"]),
    ("```append notes.md\nx\n```\n", &["1 Append notes.md"]),
    ("### 2. 🗑️ Delete `js/legacy.js`\n\nIt is unused.\n", &["1 Delete js/legacy.js"]),
    ("### Deleted file: `js/legacy.js`\n", &["1 Delete js/legacy.js"]),
    (
        "1. Delete `lib/view.js` – it's no longer needed.\n2. Rename `index.js` to `main.js`.\n",
        &["1 Delete lib/view.js", "2 Move to main.js index.js"],
    ),
    ("**`src/a.ts` → `src/b/a.ts`**\n", &["1 Move to src/b/a.ts src/a.ts"]),
    (
        "You can delete `a.py` later.\nDelete the line `x` in `a.py`.\nRemove `a.py` from the index.\nRename `foo` to `bar` in `a.py`.\n",
        &["2 Words", "3 Words", "4 Words"],
    ),
    ("```bash\nmkdir -p src/api\ngit mv src/a.ts src/api/a.ts\n```\n", &["1 Commands -"]),
    (
        "```bash\nmkdir -p src\ncat > src/l.js << 'EOF'\nx $y\nEOF\nnpm test\n```\n",
        &["1 Commands -", "1 Commands"],
    ),
    ("```bash\necho \"coverage/\" >> .gitignore\n```\n", &["1 Commands -"]),
    ("```bash\nnpm install x\nrm package-lock.json\n```\n", &["1 Commands"]),
    ("```bash\nrm -rf node_modules\n```\n", &["1 Commands"]),
    ("```bash\ncd app && rm a.js\n```\n", &["1 Commands"]),
    ("Create `scripts/deploy.sh`:\n\n```bash\n#!/bin/bash\nrsync a b\n```\n", &["3 Code scripts/deploy.sh"]),
    ("<boltAction type=\"file\" filePath=\"src/a.js\">\nx\n</boltAction>\n", &["1 Code src/a.js"]),
    (
        "<dyad-write path=\"src/a.js\">\nx\n</dyad-write>\n<dyad-delete path=\"b.js\"></dyad-delete>\n<dyad-rename from=\"c.js\" to=\"d.js\"></dyad-rename>\n",
        &["1 Code src/a.js", "4 Delete b.js", "5 Move to d.js c.js"],
    ),
    ("<codeblock path=\"src/a.js\"><![CDATA[\nx\n]]></codeblock>\n", &["1 Code src/a.js"]),
    (
        "<file path=\"src/a.js\">\n```js\nx\n```\n</file>\n<file name='b.js'>\ny\n</file>\n",
        &["1 Code src/a.js", "6 Code b.js"],
    ),
    (
        "<boltArtifact id=\"x\" title=\"X\">\n<boltAction type=\"file\" filePath=\"a.js\">\nx\n</boltAction>\n<boltAction type=\"shell\">\nnpm i\n</boltAction>\n</boltArtifact>\n",
        &["2 Code a.js"],
    ),
    (
        "<lov-write file_path=\"a.js\">\nx\n</lov-write>\n<lov-delete file_path=\"b.js\" />\n",
        &["1 Code a.js", "4 Delete b.js"],
    ),
    (
        "<antArtifact identifier=\"x\" type=\"application/vnd.ant.code\" title=\"src/a.js\">\nx\n</antArtifact>\n",
        &["1 Code src/a.js"],
    ),
    (
        "{\"files\": [{\"path\": \"a.js\", \"content\": \"x\\ny\\n\"}, {\"path\": \"b.js\", \"content\": \"z\\n\"}]}\n",
        &["1 Code a.js", "1 Code b.js"],
    ),
    ("All files:\n\n```json\n{\"src/a.js\": \"x\\ny\\n\"}\n```\n", &["3 Code src/a.js"]),
    ("```json\n{\"changes\": [{\"file\": \"a.js\", \"contents\": \"x\\n\"}]}\n```\n", &["1 Code a.js"]),
    ("```json\n{\"src/a.js\": \"1f\", \"src/b.js\": \"2e\"}\n```\n", &["1 Code -"]),
    // Suggestions of a review, and sentences that say all of a change.
    ("`src/a.js`, lines 12–14:\n\n```suggestion\nx\n```\n", &["3 Lines { first: 12, last: 14 } src/a.js"]),
    ("**src/a.js:12**\n\n```suggestion\nx\n```\n", &["3 Lines { first: 12, last: 12 } src/a.js"]),
    ("`src/a.js`\n\n```suggestion\nx\n```\n", &["3 Code src/a.js"]),
    ("1. In `a.yaml`, change `port: 80` to `port: 81`.\n", &["1 Replacement \"port: 80\" a.yaml"]),
    ("Open `a.yaml`.\n\nReplace `port: 80` with `port: 81`.\n", &["3 Replacement \"port: 80\" a.yaml"]),
    ("I changed `port: 80` to `port: 81` in `a.yaml`.\n", &[]),
    (
        "In `a.yaml`, change `x: 1` to `x: 2`, and in `b.yaml` change `y: 1` to `y: 2`.\n",
        &["1 Replacement \"x: 1\" a.yaml", "1 Replacement \"y: 1\" b.yaml"],
    ),
    (
        "Change `x: 1` to `x: 2` in `a.yaml`, and in `b.yaml` change `y: 1` to `y: 2`.\n",
        &["1 Replacement \"x: 1\" a.yaml", "1 Replacement \"y: 1\" b.yaml"],
    ),
    (
        "Change `x: 1` to `x: 2` in both `a.yaml` and `b.yaml`.\n",
        &["1 Replacement \"x: 1\" a.yaml", "1 Replacement \"x: 1\" b.yaml"],
    ),
    ("In `a.yaml`, change `x: 1` to `x: 2`, and `y: 1` to `y: 2` in `b.yaml`.\n", &["1 Words", "1 Words"]),
    (
        "- In `a.yaml`, change `x: 1` to `x: 2`.\n- Delete `b.py`.\n",
        &["1 Replacement \"x: 1\" a.yaml", "2 Delete b.py"],
    ),
    (
        "In `a.yaml`, change `port: 80` to `port: 81`:\n\n```yaml\nport: 81\n```\n",
        &["3 Replacement \"port: 80\" a.yaml"],
    ),
    // A fence that is opened more than once.
    ("`a.js`:\n\n````js\n````js\n````js\nx\n````\n", &["3 Code a.js"]),
    ("In `a.js`.\n\nHere's a commit message:\n\n```\nfix: x\n```\n", &["5 Output"]),
    // Explanations, and states that are not wanted.
    ("The keys in `c.yaml` mean different things:\n\n```yaml\na: 1\n```\n", &["3 LeadIn"]),
    ("`P` in `src/a.rs` is not `Copy`, so this fails:\n\n```rust\nlet q = p;\n```\n", &["3 LeadIn"]),
    ("Das in `a.rs` kompiliert nicht:\n\n```rust\nlet q = p;\n```\n", &["3 LeadIn"]),
    ("This fails; the fixed `a.rs`:\n\n```rust\nlet q = p;\n```\n", &["3 Code a.rs"]),
    ("## Old code\n\n`a.js`:\n\n```js\nx\n```\n", &["5 LeadIn"]),
    ("`a.py` by name:\n\n```\ntests/a.py::test_b PASSED [100%]\n```\n", &["3 Output"]),
    ("`a.rs`:\n\n```\ntest a::b ... ok\n```\n", &["3 Output"]),
    ("In `a.py`:\n\n```\nsrc/\n  a.py    # the program\n  b.py  <- read\n```\n", &["3 Output"]),
    ("`m.txt`:\n\n```\nsrc/\n  a = b\n```\n", &["3 Code m.txt"]),
    ("Can you show me:\n\n1. Your `v.html`? It may look like so:\n\n```html\n<p>\n```\n", &["5 LeadIn"]),
    ("Open `a.md` and look for markers like:\n\n```\n<b>\n```\n", &["3 LeadIn"]),
    ("**Check your `l.json`** to confirm the id:\n\n```json\n{}\n```\n", &["3 LeadIn"]),
    ("- `s.spec.ts` fails:\n\n```\nNotFoundError: no id\n```\n", &["3 Output"]),
    ("`s.spec.ts`:\n\n```\nExpected: World!\nReceived: ld!\n```\n", &["3 Output"]),
    // A plan, about which it asks.
    (
        "My plan:\n\n1. Delete `a.py`\n2. Rename `b.py` to `c.py`\n\nShall I go ahead?\n",
        &["3 Plan", "4 Plan"],
    ),
    ("1. Lösche `a.py`\n\nSoll ich das so machen?\n", &["1 Plan"]),
    ("Delete `a.py`.\n\nThat's all.\n", &["1 Delete a.py"]),
    (
        "`b.py`:\n\n```python\nx\n```\n\nDelete `a.py`.\n\nWould you like me to add tests?\n",
        &["3 Code b.py", "7 Delete a.py"],
    ),
];

#[test]
fn documents_are_marked_and_answers_are_not() {
    let code = "`a.py`:\n\n```python\nx = 1\n```\n";
    for (answer, expected) in [
        (format!("# a\n\n[![x](https://e.org/badge.svg)](https://e.org)\n\n{code}"), true),
        (format!("---\ntitle: a\n---\n\n{code}"), true),
        (format!("{code}\n## License\n\nMIT\n\n## Contributing\n\nSo.\n"), true),
        (format!("Here it is.\n\n{code}\n## Usage\n\nRun it.\n"), false),
        // What stands in a fence is content.
        (format!("`README.md`:\n\n````markdown\n# a\n\n## License\n\n## Contributing\n{code}````\n"), false),
    ] {
        assert_eq!(plain(&answer).is_document, expected, "{answer}");
    }
}

#[test]
fn answers_are_read() {
    for (answer, expected) in ANSWERS {
        assert_eq!(found(answer), *expected, "{answer}");
    }
}

#[test]
fn what_a_block_did_is_no_candidate() {
    let answer = "a.py\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n\nAnd create `b.py`:\n\n```python\nz\n```\n";
    assert_eq!(found(answer), ["12 Code b.py"]);
}

#[test]
fn the_text_is_as_written_without_the_indentation_of_its_fence() {
    for (answer, content) in [
        ("- `a.py`:\n  ```python\n  x\n    y\n  ```\n", "x\n  y\n"),
        ("`a.py`:\r\n```python\r\nx\r\n```\r\n", "x\n"),
    ] {
        assert_eq!(plain(answer).candidates[0].content, content, "{answer:?}");
    }
}

#[test]
fn options_and_drafts_are_marked() {
    let optional =
        |answer: &str| plain(answer).candidates.iter().map(|found| found.optional).collect::<Vec<_>>();
    let two =
        "## Option 1: a list\n\n`a.py`\n```python\nx\n```\n\n## Option 2\n\n`a.py`\n```python\ny\n```\n";
    assert_eq!(optional(two), [true, true]);
    assert_eq!(optional("## Options\n\n`a.py`\n```python\nx\n```\n"), [false]);
}

#[test]
fn the_text_that_a_fence_may_replace_is_kept() {
    let answer = "The bug is in `js/menu.js`. This line drops zeros:\n\n```js\na / 100;\n```\n\nThis keeps them:\n\n```js\n(a / 100).toFixed(2);\n```\n";
    let found = plain(answer);
    assert_eq!(found.candidates.last().and_then(|last| last.old.as_deref()), Some("a / 100;\n"));
}

#[test]
fn files_that_are_asked_for_are_listed() {
    let cases: &[(&str, &[&str])] = &[
        (
            "To do this I need to see these files. Please add them to the chat:\n\n- `src/a.py`\n- `src/b.py`\n\nThen I can go on.\n",
            &["src/a.py", "src/b.py"],
        ),
        ("Could you share `src/a.py`?\n", &["src/a.py"]),
        ("I changed nothing in `src/a.py`.\n", &[]),
    ];
    for (answer, asked) in cases {
        assert_eq!(plain(answer).asked_for, *asked, "{answer}");
    }
}

#[test]
fn a_copy_of_the_page_has_lost_its_fences() {
    assert!(plain("Here it is:\n\npython\nCopy code\nx = 1\ny = 2\n").fences_lost);
    assert!(!plain("Here it is:\n\n```python\nx = 1\n```\nCopy\n").fences_lost);
}

#[test]
fn folders_and_new_files_are_said() {
    let answer = "Create a new file `Cargo.cs` in Assets/Core:\n\n```csharp\nx\n```\n";
    let found = plain(answer);
    let group = &found.candidates[0].groups[0];
    let folder = group.folder.as_ref().map(|folder| (&*folder.path, folder.is_beside));
    assert_eq!((folder, group.new), (Some(("Assets/Core", true)), true));
}

/// The fences of a Markdown file within a diff of it are lines of that file: the change behind them was lost.
#[test]
fn regression_a_fence_with_a_sign_does_not_close_a_diff() {
    for header in ["", "@@\n", "@@ -1,9 +1,9 @@\n"] {
        for fences in 1..4 {
            for (before, indentation) in [("", ""), ("1. First:\n\n", "   ")] {
                let sample = " ```\n run\n ```\n".repeat(fences);
                let diff = format!("```diff\n{header}-old\n+new\n{sample}\n-last\n+end\n```\n");
                let diff: String = diff.lines().map(|line| format!("{indentation}{line}\n")).collect();
                let answer = format!("{before}{indentation}Change `README.md`:\n\n{diff}\nThat is all.\n");
                let plain = plain(&answer);
                let texts: Vec<&str> = plain.candidates.iter().map(|candidate| &*candidate.content).collect();
                assert!(texts.len() == 1 && texts[0].contains("+end"), "{answer}{texts:#?}");
            }
        }
    }
    // What is no diff has no signs: its fence ends at the first that closes it.
    let answer = "`a.txt`:\n\n```\none\n ```\n\n `b.txt`:\n\n ```\ntwo\n```\n";
    assert_eq!(found(answer).len(), 2, "{:#?}", found(answer));
}

#[test]
fn regression_links_to_pages_and_names_that_begin_with_a_dot_name_no_file() {
    let sure = |label: &str| {
        let plain = plain(&format!("{label}\n\n```\nx = 1\ny = 2\nz = 3\nw = 4\n```\n"));
        let groups = plain.candidates.iter().flat_map(|one| &one.groups);
        groups
            .flat_map(|group| &group.mentions)
            .filter(|one| one.sure)
            .map(|one| one.path.clone())
            .collect::<Vec<_>>()
    };
    for label in [
        "See [the guide](./guide/setup.md):",
        "With [`build.manifest`](/config/build-options#build-manifest) set:",
        "As in [the API](guide/api.html#hooks):",
        "The `.d.ts` of it:",
        "Set `.oxlintrc.json`:",
    ] {
        assert_eq!(sure(label), Vec::<String>::new(), "{label}");
    }
    for (label, path) in [
        ("### [README.md](docs/README.md)", "docs/README.md"),
        ("#### [MODIFY] [a.py](file:///src/a.py#L3)", "/src/a.py"),
        ("`.github/labeler.yml`:", ".github/labeler.yml"),
        ("`.gitignore`:", ".gitignore"),
    ] {
        assert_eq!(sure(label), [path], "{label}");
    }
    assert_eq!(found("```json [package.json]\n{}\n```\n"), ["1 Code package.json"]);
}

#[test]
fn regression_a_comment_with_the_path_is_no_line_of_a_diff() {
    let plain = plain("```diff\n# src/a.py\n-x\n+y\n```\n");
    assert_eq!((path(&plain.candidates[0]), &*plain.candidates[0].content), ("src/a.py", "-x\n+y\n"));
}

#[test]
fn regression_a_diff_of_an_empty_line_shows_a_whole_file() {
    let plain = plain("`src/a.py`:\n```diff\n- \n+ import os\n+\n+ def a():\n+     return 1\n+ \n```\n");
    let candidate = &plain.candidates[0];
    assert_eq!((form(&candidate.form), path(candidate)), ("Code".to_owned(), "src/a.py"));
    assert_eq!(candidate.content, "import os\n\ndef a():\n    return 1\n\n");
    // A few lines in the place of an empty one are an edit, and so is what has lines of the file.
    for diff in ["-\n+import a\n", "-\n+import os\n+\n+a()\n+b()\n c()\n"] {
        let answer = format!("`src/a.py`:\n```diff\n{diff}```\n");
        assert_eq!(found(&answer), ["2 Diff src/a.py"], "{diff}");
    }
}

/// Notation was written into the file: the second rule with a path, arrows, word diffs, the blanks of a page.
#[test]
fn regression_notation_is_not_written_into_a_file() {
    for (answer, expected) in [
        (
            "```\n--- src/a.py ---\nX = 1\n--- src/b.py ---\nY = 2\n```\n",
            &["2 Code src/a.py", "4 Code src/b.py"][..],
        ),
        (
            "```python\n# --- src/a.py ---\nX = 1\n# --- src/b.py ---\nY = 2\n```\n",
            &["2 Code src/a.py", "4 Code src/b.py"],
        ),
        ("In `a.ini`:\n\n```ini\nport = 1  →  port = 2\n```\n", &["3 Replacement \"port = 1\" a.ini"]),
        (
            "In `a.ini`:\n\n```\nport = 1 ➜ port = 2\nhost = a ➜ host = b\n```\n",
            &["3 Replacement \"port = 1\" a.ini", "3 Replacement \"host = a\" a.ini"],
        ),
        ("`a.ini`:\n\n```\nport = [-1-]{+2+}\n```\n", &["3 Replacement \"port = 1\" a.ini"]),
        (
            "`a.ini`:\n\n```diff\n[s]\n{+x = 1+}\nport = [-1-]{+2+}\n```\n",
            &["3 Replacement \"[s]\\nport = 1\" a.ini"],
        ),
        ("`a.py`:\n\n```python\nprint(x[-1], \"a → b\")\ny = [-z-]\n```\n", &["3 Code a.py"]),
        ("```python\n# a.py\nX = 1\n# see b.py\nY = 2\n```\n", &["1 Code a.py"]),
    ] {
        assert_eq!(found(answer), expected, "{answer}");
    }
    for (shown, content) in [
        ("port\u{a0}=\u{a0}1\n", "port = 1\n"),
        ("if x:\n\u{a0}\u{a0}y = \"a\"\n", "if x:\n  y = \"a\"\n"),
        ("x = \"a\u{a0}b\"\n", "x = \"a\u{a0}b\"\n"),
    ] {
        let answer = format!("`a.ini`:\n\n```\n{shown}```\n");
        assert_eq!(plain(&answer).candidates[0].content, content, "{answer}");
    }
}

/// Deletions and moves that words behind the path state, tables and commands in a sentence were silent.
#[test]
fn regression_words_behind_a_path_delete_and_move() {
    for line in [
        "`src/a.py` can be removed.",
        "The file `src/a.py` is no longer needed and should be deleted.",
        "`src/a.py` can now safely be deleted.",
        "`src/a.py` — delete",
        "`src/a.py` (deleted)",
        "- ❌ `src/a.py` (remove)",
        "| `src/a.py` | Delete |",
        "| delete | `src/a.py` |",
        "You can delete `src/a.py` now.",
        "Please get rid of `src/a.py`.",
        "`src/a.py` kann gelöscht werden.",
        "`src/a.py` peut être supprimé.",
        "`src/a.py` を削除してください。",
        "`src/a.py` 可以删除。",
    ] {
        let read = plain(&format!("It is not used any more.\n\n{line}\n"));
        assert_eq!(read.candidates.len(), 1, "{line} {read:#?}");
        assert_eq!(
            (path(&read.candidates[0]), &read.candidates[0].form),
            ("src/a.py", &Form::Delete),
            "{line}"
        );
        assert!(read.candidates[0].conditional || line.starts_with("Please"), "{line}");
    }
    for line in [
        "The file `src/a.py` should be renamed to `src/b.py`.",
        "Benenne `src/a.py` in `src/b.py` um.",
        "将 `src/a.py` 重命名为 `src/b.py`。",
        "`src/a.py` を `src/b.py` にリネームしてください。",
        "`src/a.py` sollte in `src/b.py` umbenannt werden.",
    ] {
        let found = found(&format!("Like this.\n\n{line}\n"));
        let is_move = found.len() == 1 && found[0].starts_with("3 Move to src/b.py");
        assert!(is_move || line.contains("umbenannt"), "{line} {found:?}");
    }
    for line in ["Run `git rm src/a.py`.", "Then execute `git mv src/a.py src/b.py`."] {
        let read = plain(&format!("{line}\n"));
        assert_eq!((read.candidates.len(), &read.candidates[0].form), (1, &Form::Commands), "{line}");
        assert!(read.candidates[0].conditional, "{line}");
    }
    for line in [
        "The option in `src/a.py` should be removed.",
        "`src/a.py` should not be deleted.",
        "`src/a.py` was removed in version 2.",
        "`foo()` of `src/a.py` can be removed.",
        "I ran `git rm src/a.py`.",
        "`src/a.py` can be opened; the rest is removed.",
        "`src/a.py` (removed the check)",
    ] {
        assert!(plain(&format!("So.\n\n{line}\n")).candidates.is_empty(), "{line}");
    }
}

/// A sentence about a file whose code the answer shows was taken for what that code does, whatever it has.
#[test]
fn regression_a_sentence_beside_code_without_it_is_noted() {
    let code = "Update `a.ini`:\n\n```ini\nport = 2\nlevel = info\n```\n\n";
    for (line, notes) in [
        ("And set `level = debug` in the same file.", 1),
        ("Then in the same `a.ini`, replace `level = info` with `level = debug`.", 1),
        ("In `a.ini`, change `port = 1` to `port = 2`.", 0),
        ("Set `port` in `a.ini` to `2`.", 0),
    ] {
        let read = plain(&format!("{code}{line}\n"));
        assert_eq!((read.candidates.len(), read.notes.len()), (1, notes), "{line} {read:#?}");
    }
    assert_eq!(
        found("In `src/cart.py`, `MAX` should be `100`.\n"),
        ["1 Value { name: \"MAX\" } src/cart.py"]
    );
}

/// Edits in JSON were said to name no file.
#[test]
fn regression_edits_in_json_are_replacements_in_the_files_that_they_name() {
    for json in [
        r#"{"edits": [{"path": "src/a.ini", "old_text": "port = 1", "new_text": "port = 2"}]}"#,
        r#"[{"file": "src/a.ini", "search": "port = 1", "replace": "port = 2"}]"#,
        r#"{"file": "src/a.ini", "find": "port = 1", "replacement": "port = 2"}"#,
        r#"{"changes": [{"filePath": "src/a.ini", "old_string": "port = 1", "new_string": "port = 2"}]}"#,
    ] {
        let expected = "Replacement \"port = 1\" src/a.ini";
        assert_eq!(found(&format!("So:\n\n```json\n{json}\n```\n")), [format!("3 {expected}")], "{json}");
        assert_eq!(found(&format!("{json}\n")), [format!("1 {expected}")], "{json}");
    }
    for json in [r#"{"old": "a", "new": "b"}"#, r#"{"path": "/api/users", "before": "a", "after": "b"}"#] {
        let found = found(&format!("`a.json`:\n\n```json\n{json}\n```\n"));
        assert_eq!(found, ["3 Code a.json"], "{json}");
    }
}

/// A replacement in words was read only where backticks around the path stood near it.
#[test]
fn regression_labels_above_a_statement_name_its_file() {
    for label in [
        "**config/a.ini**",
        "## config/a.ini",
        "config/a.ini:",
        "### 2. Settings (`config/a.ini`)",
        "- **`config/a.ini`**",
        "Open config/a.ini.",
    ] {
        for statement in [
            "Replace `port = 1` with `port = 2`.",
            "- Change \"port = 1\" to \"port = 2\".",
            "Use `port = 2` instead of `port = 1`.",
            "`port = 1` → `port = 2`",
        ] {
            let read = plain(&format!("{label}\n\n{statement}\n"));
            let [candidate] = &read.candidates[..] else { panic!("{label} {statement} {read:#?}") };
            let is_it =
                form(&candidate.form) == "Replacement \"port = 1\"" && candidate.content == "port = 2";
            assert!(is_it && path(candidate) == "config/a.ini", "{label} {statement} {candidate:#?}");
        }
    }
    assert_eq!(
        found("## config/a.ini\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nReplace `port = 1` with `port = 2`.\n"),
        ["11 Replacement \"port = 1\" config/a.ini"]
    );
    assert_eq!(
        found("See `a.ini`.\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nReplace `port = 1` with `port = 2`.\n")
            .len(),
        0
    );
}

#[test]
fn regression_old_and_new_text_in_two_lines_are_a_replacement() {
    for (old, new) in [
        ("  - Old: `port = 1`", "  - New: `port = 2`"),
        ("**Before:** `port = 1`", "**After:** `port = 2`"),
        ("- From: `port = 1`", "- To: `port = 2`"),
        ("Find `port = 1`.", "Replace with `port = 2`."),
        ("- Vorher: `port = 1`", "- Nachher: `port = 2`"),
        ("修改前：`port = 1`", "修改后：`port = 2`"),
    ] {
        let read = plain(&format!("- **`a.ini`**\n{old}\n{new}\n"));
        let [candidate] = &read.candidates[..] else { panic!("{old} {read:#?}") };
        assert_eq!(form(&candidate.form), "Replacement \"port = 1\"", "{old}");
        assert!(candidate.conditional && candidate.is_sentence && candidate.content == "port = 2", "{old}");
    }
    for text in [
        "- Old: `a b`\n- Then: `c d`\n",
        "- New: `c d`\n- Old: `a b`\n",
        "- Old: `a b` is fine\n- New: `c d`\n",
    ] {
        assert_eq!(found(&format!("`a.ini`:\n{text}")).len(), 0, "{text}");
    }
}

#[test]
fn regression_changes_of_names_and_comments_in_words_are_noted() {
    for line in [
        "In `a.ini`, rename `port` to `listen` everywhere.",
        "Comment out the line `port = 8080` in `a.ini`.",
        "Uncomment `port` in `a.ini`.",
        "Then rename `port` in `a.ini`.",
        "In `a.ini`, kommentiere `port` aus.",
    ] {
        assert_eq!(found(&format!("So.\n\n{line}\n")), ["3 Words"], "{line}");
    }
    for line in [
        "`rename` in `a.ini` is a function.",
        "Comment: `a.ini` is fine.",
        "If it fails, comment out `x` in `a.ini`.",
    ] {
        assert_eq!(found(&format!("So.\n\n{line}\n")).len(), 0, "{line}");
    }
}

/// Code between other signs than a fence's, or indented, was passed over in silence.
#[test]
fn regression_code_without_a_fence_is_read() {
    for answer in [
        "Update `src/a.ini`:\n\n'''ini\n[a]\nport = 2\n'''\n",
        "Update `src/a.ini`:\n\n\"\"\"\n[a]\nport = 2\n\"\"\"\n",
        "#+begin_src ini :tangle src/a.ini\n[a]\nport = 2\n#+end_src\n",
        "#+BEGIN_SRC ini :tangle src/a.ini :mkdirp yes\n[a]\nport = 2\n#+END_SRC\n",
        "`src/a.ini`:\n\n[source,ini]\n----\n[a]\nport = 2\n----\n",
        "``src/a.ini``::\n\n    [a]\n    port = 2\n",
        "src/a.ini:\n\n\t[a]\n\tport = 2\n\nThat is all of it.\n",
        "Change ``src/a.ini``:\n\n.. code-block:: ini\n\n    [a]\n    port = 2\n",
        "<p>src/a.ini</p>\n<pre><code class=\"ini\">[a]\nport = 2\n</code></pre>\n",
        "<files>\n<file>\n<path>src/a.ini</path>\n<content>\n[a]\nport = 2\n</content>\n</file>\n</files>\n",
        "<immersive id=\"s\" type=\"code\" title=\"src/a.ini\">\n[a]\nport = 2\n</immersive>\n",
        "<artifact title=\"src/a.ini\">\n[a]\nport = 2\n</artifact>\n",
        "{\"files\": {\"src/a.ini\": \"[a]\\nport = 2\\n\"}}\n",
    ] {
        let read = plain(answer);
        let [candidate] = &read.candidates[..] else { panic!("{answer} {read:#?}") };
        let is_it = candidate.form == Form::Code && path(candidate) == "src/a.ini";
        assert!(is_it && candidate.content == "[a]\nport = 2\n", "{answer} {candidate:#?}");
    }
    let page = "<p>a.html</p>\n<pre><code>&lt;p&gt;a &amp;amp; b&lt;/p&gt;\nx\n</code></pre>\n";
    assert_eq!(plain(page).candidates[0].content, "<p>a &amp; b</p>\nx\n");
    for answer in [
        "'''\nx = 1\n'''\n",
        "In `a.py`:\n\n    The function takes two arguments, and returns one of them.\n",
        "1. In `a.py`:\n\n    x = 1\n",
        "See `a.py`.\n\n    x = 1\n",
        "`a.py`:\n\n'''py\nx = 1\n",
        "Update `a.ini`:\n\n[source] is a name.\n",
    ] {
        assert!(plain(answer).candidates.is_empty(), "{answer} {:#?}", plain(answer));
    }
}

#[test]
fn regression_code_below_the_name_of_its_file_is_noted() {
    for (answer, expected) in [
        ("File: a/b.ini\n\n[a]\nport = 2\n", &["1 Bare"][..]),
        ("**Path:** `a.py`\nimport os\n\nprint(os.name)\n", &["1 Bare"]),
        ("⏺ Update(a/b.ini)\n  ⎿  Updated a/b.ini with 1 addition\n", &["1 Record"]),
        ("● Write(src/a.py)\n", &["1 Record"]),
        ("File: a/b.ini\n\nThe port is wrong there. It should be 2.\n", &[]),
        ("File: `a.py`\n```python\nx = 1\n```\n", &["2 Code a.py"]),
        ("- File: a.py\n- Size: 12\n", &[]),
    ] {
        assert_eq!(found(answer), expected, "{answer}");
    }
}

/// A script without an extension was taken for commands to run.
#[test]
fn regression_scripts_without_an_extension_are_files() {
    for (label, code) in [
        ("Create `.husky/pre-commit`:", "npm test\n"),
        ("Add this to `.githooks/pre-push`:", "npm test\n"),
        ("Update `bin/setup`:", "bundle install\n"),
        ("### `bin/deploy`", "#!/usr/bin/env bash\nrsync a b\n"),
    ] {
        let answer = format!("{label}\n\n```sh\n{code}```\n");
        let path = label.split('`').nth(1).unwrap();
        assert_eq!(found(&answer), [format!("3 Code {path}")], "{answer}");
    }
    for answer in [
        "Run `bin/setup`:\n\n```sh\nbin/setup --all\n```\n",
        "Create the folder `src/utils` and install:\n\n```sh\nnpm install\n```\n",
        "In `src/utils`:\n\n```sh\nls\n```\n",
    ] {
        assert_eq!(found(answer), ["3 Commands"], "{answer}");
    }
}

/// Words with slashes were taken for a folder, and left out folders for a path that is denied.
#[test]
fn regression_words_with_slashes_are_no_folder() {
    let folder = |line: &str| {
        let plain = plain(&format!("{line}\n\n```js\nx\n```\n"));
        plain.candidates[0].groups.first().and_then(|group| Some(group.folder.clone()?.path))
    };
    for line in [
        "They map to CSS/Tailwind tokens, so change them in `tailwind.config.js`:",
        "It goes to HTML/CSS templates of `a.js`:",
        "This leads to read/write errors in `a.js`:",
    ] {
        assert_eq!(folder(line), None, "{line}");
    }
    for line in [
        "`a.js` in src/lib:",
        "In src/lib, create `a.js`:",
        "Put `a.js` in the src/lib folder:",
        "Put it in src/lib as `a.js`:",
    ] {
        assert_eq!(folder(line).as_deref(), Some("src/lib"), "{line}");
    }
    let plain = plain("`.../Pages/Index.razor`:\n\n```razor\nx\n```\n");
    let mention = &plain.candidates[0].groups[0].mentions[0];
    assert_eq!((&*mention.path, mention.sure), ("Pages/Index.razor", false));
}

/// Several files in one fence were divided at comments alone.
#[test]
fn regression_signs_and_names_alone_divide_the_files_of_a_fence() {
    for (first, second) in [
        ("==> a.py <==", "==> b/c.yaml <=="),
        ("*** a.py ***", "*** b/c.yaml ***"),
        ("=== a.py ===", "=== b/c.yaml ==="),
        ("[a.py]", "[b/c.yaml]"),
        ("a.py:", "b/c.yaml:"),
        ("# FILE a.py", "# FILE b/c.yaml"),
        ("--- a.py ---", "--- b/c.yaml ---"),
    ] {
        let read = plain(&format!("All files:\n\n```\n{first}\nx = 1\n\n{second}\ny: 1\n```\n"));
        let paths: Vec<&str> = read.candidates.iter().map(path).collect();
        assert_eq!(paths, ["a.py", "b/c.yaml"], "{first} {read:#?}");
    }
    for fence in ["```\n[a.b]\nx = 1\n\n[c.d]\ny = 1\n```\n", "```ini\n[a.py]\nx = 1\n\n[b.py]\ny = 1\n```\n"]
    {
        assert_eq!(plain(&format!("`s.ini`:\n\n{fence}")).candidates.len(), 1, "{fence}");
    }
}

/// The second half of a file was another file, a part, or nothing.
#[test]
fn regression_code_goes_on_in_the_next_fence() {
    let first = "class A:\n    x = 1\n";
    let second = "\n    def f(self):\n        return 1\n";
    for (above, between) in [
        ("Create `a.py`:", "and the rest of the file:"),
        ("Create `a.py`:", "Continued:"),
        ("`a.py` (part 1 of 2):", "`a.py` (part 2 of 2):"),
        ("`a.py` (Teil 1 von 2):", "Fortsetzung:"),
        ("`a.py`:", "(continued)"),
    ] {
        let answer = format!("{above}\n\n```python\n{first}```\n\n{between}\n\n```python\n{second}```\n");
        let read = plain(&answer);
        let [candidate] = &read.candidates[..] else { panic!("{answer} {read:#?}") };
        assert!(
            candidate.content == format!("{first}{second}") && candidate.closed,
            "{answer} {candidate:#?}"
        );
        assert_eq!((path(candidate), candidate.lines.start), ("a.py", 3), "{answer}");
    }
    let comments = format!(
        "`a.py`:\n\n```python\n{first}# (continued below)\n```\n\n```python\n# (continued from above)\n{second}```\n"
    );
    assert_eq!(plain(&comments).candidates[0].content, format!("{first}{second}"));
    for answer in [
        format!("`a.py` (part 1 of 2):\n\n```python\n{first}```\n"),
        format!("`a.py`:\n\n```python\n{first}```\n\n[continued in next message]\n"),
        format!("`a.py`:\n\n```python\n{first}\nContinue\n\n```python\n{second}```\n"),
    ] {
        assert!(!plain(&answer).candidates[0].closed, "{answer}");
    }
    for between in
        ["The rest of the file stays the same. In `b.py`:", "Then `b.py`:", "The rest is unchanged."]
    {
        let answer = format!("`a.py`:\n\n```python\n{first}```\n\n{between}\n\n```python\ny = 1\n```\n");
        assert_eq!(plain(&answer).candidates.len(), 2, "{answer}");
        assert!(plain(&answer).candidates[0].closed, "{answer}");
    }
    // What is shown again in full takes the place of the first half.
    let again = format!(
        "## `a.py`\n\n```python\n{first}```\n\nSorry. The complete file again:\n\n```python\n{second}```\n"
    );
    assert!(!plain(&again).candidates[1].groups[0].held, "{:#?}", plain(&again));
}

#[test]
fn regression_a_fence_around_the_name_of_a_file_and_its_fence_is_none() {
    let answer = "```\nFile: src/a.py\n\n```python\nx = 1\n```\n```\n";
    assert_eq!(found(answer), ["4 Code src/a.py"]);
    assert_eq!(plain(answer).candidates[0].content, "x = 1\n");
}

#[test]
fn regression_signs_without_width_are_no_part_of_a_path_or_of_code() {
    let read = plain("Updated `\u{200b}src/a.py`:\n\n```python\nx = 1\n\u{200b}\ny = 2\n\u{200b}\n```\n");
    assert_eq!((path(&read.candidates[0]), &*read.candidates[0].content), ("src/a.py", "x = 1\n\ny = 2\n\n"));
}

#[test]
fn regression_code_of_boards_and_trackers_is_read() {
    for answer in [
        "Update src/a.py:\n\n[code=python]\nx = 1\n[/code]\n",
        "Update {{src/a.py}}:\n\n{code:python}\nx = 1\n{code}\n",
        "{code:title=src/a.py|language=python}\nx = 1\n{code}\n",
    ] {
        let read = plain(answer);
        let [candidate] = &read.candidates[..] else { panic!("{answer} {read:#?}") };
        assert_eq!((path(candidate), &*candidate.content), ("src/a.py", "x = 1\n"), "{answer}");
    }
}

#[test]
fn regression_code_that_lost_its_fences_is_noted() {
    for answer in [
        "Here is the updated a.py:\n\npython\nCopy code\ndef f(x):\n    return x\n",
        "Here is the updated a.py:\n\nPython\n\ndef f(x):\n    return x\n",
        "Here is the updated src/a.py:\n\na.py\npython\ndef f(x):\n    return x\n",
        "Update `b.yaml`:\n\nserver:\n  port: 1\n",
        "Updated a.py:\n\ndef f(x):\n    return \"€%.2f\" % x\n",
        "• Edited src/a.py (+1 -1)\n    5  def f():\n    6 -    return 1\n",
    ] {
        assert_eq!(found(answer).len(), 1, "{answer} {:?}", found(answer));
    }
    for answer in [
        "In `a.py`:\n\n- item one\n- item two\n",
        "Changes in `a.py`:\n\nAdded x\nRemoved y\n",
        "About `a.py`:\n\nIt adds one to the sum, and prints that.\n",
        "See `a.py`:\n\n> x = 1\n",
        "`a.py`:\n\n{* docs/a.py *}\n\nThen:\n",
    ] {
        assert!(found(answer).is_empty(), "{answer} {:?}", found(answer));
    }
}

#[test]
fn regression_sides_of_a_diff_are_no_files() {
    for (old, new) in [("original", "modified"), ("old", "new"), ("a", "b"), ("Before", "After")] {
        let answer = format!(
            "Changes in `src/a.py`:\n\n```diff\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n```\n"
        );
        assert_eq!(found(&answer), ["3 Diff src/a.py"], "{answer}");
        assert!(plain(&answer).candidates[0].content.starts_with("@@"), "{answer}");
    }
}

#[test]
fn regression_ticked_boxes_and_marked_renames_are_questions() {
    let read = plain("- [x] Delete `src/a.py`\n- [ ] Delete `src/b.py`\n");
    assert_eq!(read.candidates.len(), 2, "{read:#?}");
    assert!(read.candidates.iter().all(|one| one.conditional && one.form == Form::Delete), "{read:#?}");
    assert_eq!(found("### `src/a.py` → `src/b.py` (renamed)\n"), ["1 Move to src/b.py src/a.py"]);
    assert_eq!(found("- ~~`src/a.py`~~ (deleted)\n"), ["1 Delete src/a.py"]);
    assert_eq!(found("In `src/a.py`, delete lines 10–16 (the `C` class); it is not used.\n"), ["1 Words"]);
}

#[test]
fn regression_empty_files_are_made() {
    for (answer, content) in [
        ("Create an empty `tests/__init__.py`.\n", "touch tests/__init__.py\n"),
        ("Create these empty files:\n\n- `a/__init__.py`\n- `b/__init__.py`\n", "touch a/__init__.py\n"),
        ("`tests/__init__.py`\n\n```python\n```\n", "touch tests/__init__.py\n"),
        ("Erstelle eine leere Datei `a/.gitkeep`.\n", "touch a/.gitkeep\n"),
    ] {
        let read = plain(answer);
        let first = read.candidates.first().unwrap_or_else(|| panic!("{answer} {read:#?}"));
        assert_eq!((&first.form, &*first.content), (&Form::Commands, content), "{answer}");
    }
    let list = plain("Create these empty files:\n\n- `a/__init__.py`\n- `b/__init__.py`\n");
    assert_eq!(list.candidates.len(), 2, "{list:#?}");
    for answer in ["`a.py` creates an empty list.\n", "Don't create an empty `a.py`.\n", "```python\n```\n"] {
        assert!(plain(answer).candidates.is_empty(), "{answer} {:#?}", plain(answer));
    }
}

#[test]
fn regression_tables_of_old_and_new_names_move() {
    let answer = "Files to rename:\n\n| Old name | New name |\n|---|---|\n| `a/x.py` | `a/y.py` |\n| `b.py` | `c.py` |\n";
    assert_eq!(found(answer), ["5 Move to a/y.py a/x.py", "6 Move to c.py b.py"]);
    assert!(found("| File | Used by |\n|---|---|\n| `a.py` | `b.py` |\n").is_empty());
}

#[test]
fn regression_the_last_sentence_of_a_label_names_the_file() {
    for (label, expected) in [
        ("Merge `a.py` into `b.py`. Append this to `b.py`:", "b.py"),
        ("`a.py` imports both. Now update `b.py`:", "b.py"),
        ("Update `a.py`. It is modelled on `b.py`:", "a.py"),
    ] {
        let read = plain(&format!("{label}\n\n```python\nx\n```\n"));
        assert_eq!(path(&read.candidates[0]), expected, "{label}");
    }
}

#[test]
fn regression_fences_behind_their_label_and_of_typographic_signs_are_read() {
    for answer in [
        "`src/a.py`: ```python\nx = 1\n```\n",
        "Updated src/a.py: ```\nx = 1\n```\n",
        "Updated src/a.py:\n\n“`python\nx = 1\n“`\n",
    ] {
        let read = plain(answer);
        let [candidate] = &read.candidates[..] else { panic!("{answer} {read:#?}") };
        assert_eq!((path(candidate), &*candidate.content), ("src/a.py", "x = 1\n"), "{answer}");
    }
    assert!(plain("Begin a fence with ```\nand end it.\n").candidates.is_empty());
}

#[test]
fn regression_the_name_of_a_script_is_no_word_for_commands() {
    assert_eq!(found("In `run.sh`:\n\n```bash\npython a.py --debug\n```\n"), ["3 Code run.sh"]);
    assert_eq!(found("Run it in `bin.sh`:\n\n```bash\npython a.py\n```\n"), ["3 Commands"]);
    assert_eq!(found("```diff\n@@ src/a.go, Serve @@\n-x\n+y\n```\n"), ["1 Diff src/a.go"]);
}

/// A change for some readers, on another machine or asked about was taken as one of this project.
#[test]
fn regression_statements_for_others_are_questions() {
    let change = "change `port: 5000` to `port: 8000` in `config.yaml`";
    for (line, conditional) in [
        (format!("Kubernetes users: {change}."), true),
        (format!("Step 2: {change}."), false),
        (format!("Fix: {change}."), false),
        (format!("1. {change}."), false),
    ] {
        let read = plain(&format!("{line}\n"));
        let [candidate] = &read.candidates[..] else { panic!("{line} {read:#?}") };
        assert_eq!(candidate.conditional, conditional, "{line}");
    }
    for (line, kind) in [
        ("Exercise: CHANGE and explain what happens.", clada_dialects::plain::NoteKind::NotMeant),
        ("Homework: CHANGE.", clada_dialects::plain::NoteKind::NotMeant),
        ("Übung: CHANGE.", clada_dialects::plain::NoteKind::NotMeant),
        ("On the staging server, CHANGE.", clada_dialects::plain::NoteKind::Elsewhere),
        ("On your other machine, CHANGE.", clada_dialects::plain::NoteKind::Elsewhere),
        ("In the upstream project, CHANGE.", clada_dialects::plain::NoteKind::Elsewhere),
    ] {
        let read = plain(&line.replace("CHANGE", change));
        assert!(read.candidates.is_empty(), "{line} {read:#?}");
        assert!(read.notes.iter().any(|note| note.kind == kind), "{line} {read:#?}");
    }
    let asked = format!("Do you want to {change}, or should it be a variable?\n");
    assert!(plain(&asked).candidates.is_empty(), "{:#?}", plain(&asked));
}

#[test]
fn regression_verbs_of_statements() {
    for line in [
        "In `a.yaml`, set `port: 1` to `port: 2`.",
        "In `a.yaml`, flip `port: 1` to `port: 2`.",
        "`port: 1` in `a.yaml` needs to be `port: 2`.",
        "`port: 1` in `a.yaml` must be changed to `port: 2`.",
        "In **a.yaml**, change **port: 1** to **port: 2**.",
    ] {
        assert_eq!(found(&format!("{line}\n")), ["1 Replacement \"port: 1\" a.yaml"], "{line}");
    }
}

#[test]
fn regression_deletions_and_moves_in_other_words() {
    for line in [
        "#### [DELETE] [utils.py](src/utils.py)",
        "- **`src/utils.py`** (Deleted): nobody uses it.",
        "`src/utils.py` is now obsolete — delete it.",
        "Inline the helpers and delete `src/utils.py`.",
    ] {
        assert_eq!(found(&format!("{line}\n")), ["1 Delete src/utils.py"], "{line}");
    }
    assert_eq!(found("- `a/x.py` renamed to `a/y.py`\n"), ["1 Move to a/y.py a/x.py"]);
    assert_eq!(found("Move `a/x.py` into a new folder `lib/`.\n"), ["1 Move to lib/x.py a/x.py"]);
    for line in [
        "I moved the helpers and deleted `a.py`.",
        "- `a.py` (unchanged)",
        "Don't inline it and delete `a.py`.",
    ] {
        assert!(plain(&format!("{line}\n")).candidates.is_empty(), "{line}");
    }
}

#[test]
fn regression_code_that_is_praised_located_or_printed_is_no_change() {
    let fence = "```rust\nfn a() {}\n```\n";
    for (answer, expected) in [
        ("Your diff of `a.py` looks right:\n\n```diff\n-x\n+y\n```\n".to_owned(), "3 LeadIn"),
        (format!("Located in `src/a.rs`:\n\n{fence}"), "3 LeadIn"),
        (format!("Defined in `src/a.rs`:\n\n{fence}"), "3 LeadIn"),
        ("You get\n\n```\n---- src/a.rs - lex (line 3) stdout ----\nerror: x\n```\n".to_owned(), "3 Output"),
        (format!("Notice it's now an error.\n\n{fence}"), "3 Code -"),
        (format!("**LICENSE**\n\n{fence}"), "3 Code LICENSE"),
    ] {
        assert_eq!(found(&answer), [expected], "{answer}");
    }
}

/// A file that the user pasted in an exported chat was written.
#[test]
fn regression_turns_of_the_user_in_exported_chats_are_no_answer() {
    let code = "Why is it slow?\n\n`a.py`:\n\n```python\nx = 1\n```\n\n";
    for (open, close) in [
        ("**User**\n", "**Assistant**"),
        ("**Du:**\n", "**ChatGPT:**"),
        ("**User:** hello\n", "**Assistant:** "),
        ("_**User**_\n", "_**Assistant**_\n"),
        ("<|im_start|>user\n", "<|im_end|>"),
        ("[INST]\n", "[/INST]"),
        ("## Prompt:\n", "## Response:"),
        ("Q: So?\n", "A: "),
    ] {
        let answer = format!("{open}\n{code}{close}\nNothing to change.\n");
        assert_eq!(found(&answer), ["1 OtherVoice"], "{answer}");
    }
}

#[test]
fn regression_labels_of_samples_above_a_block_make_it_a_choice() {
    let block = "a.ini\n<<<<<<< SEARCH\nport = 1\n=======\nport = 2\n>>>>>>> REPLACE\n";
    let blocks = |label: &str| {
        let answer = format!("{label}\n\n{block}");
        let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
        (parsed.blocks.len(), parsed.candidates.len())
    };
    for label in [
        "Example:",
        "For instance:",
        "Wrong:",
        "❌ Bad:",
        "Rejected patch:",
        "Should I apply this?",
        "Old patch:",
    ] {
        assert_eq!(blocks(label).0, 0, "{label}");
    }
    for label in [
        "Fix:",
        "Here's the change:",
        "Bug fix",
        "Update the example:",
        "Wrong port, fixed:",
        "First, the config:",
    ] {
        assert_eq!(blocks(label), (1, 0), "{label}");
    }
}

#[test]
fn regression_other_signs_for_a_slash_are_one() {
    for label in ["`src／a.py`", "`src%2Fa.py`", "`\u{200e}src/a.py`"] {
        assert_eq!(found(&format!("{label}\n\n```python\nx = 1\n```\n")), ["3 Code src/a.py"], "{label}");
    }
}

// The path that `group` surely names.
fn sure(group: &clada_dialects::plain::Group) -> Option<&str> {
    group.mentions.iter().find(|mention| mention.sure && !mention.aside).map(|mention| &*mention.path)
}

#[test]
fn regression_words_that_quote_show_no_change() {
    for lead in [
        "From your proto:",
        "From the docs:",
        "Aus deinem Skript:",
        "In `a.py` (line 5), look for code like:",
        "代码中有类似语句：",
        "这里的“中间件”是指我在 `a.py` 里加的：",
        "`a.py` has many calls like:",
        "The file has statements like:",
    ] {
        let read = plain(&format!("{lead}\n\n```python\nload()\n```\n"));
        assert!(read.candidates.is_empty(), "{lead} {read:#?}");
    }
    for lead in
        ["From your `a.py`, remove the call and use this:", "In `a.py`, write code like this now:", "`a.py`:"]
    {
        let read = plain(&format!("{lead}\n\n```python\nload()\n```\n"));
        assert_eq!(read.candidates.len(), 1, "{lead} {read:#?}");
    }
}

#[test]
fn regression_a_place_below_code_says_that_it_is_quoted() {
    let code = |below: &str| plain(&format!("`a.py`:\n\n```python\nload()\n```\n\n{below}\n"));
    for below in [
        "Location: [a.py](src/a.py:30)",
        "位置：[a.py](/work/src/a.py:30)",
        "Source: `src/a.py:30-40`",
        "(src/a.py#L3)",
        "[a.py](src/a.py#L3-L9)",
    ] {
        assert!(code(below).candidates.is_empty(), "{below}");
    }
    for below in [
        "Run: `python a.py`",
        "See `a.py:3`, which calls it.",
        "Note: it is `a.b:c`.",
        "http://localhost:3000",
        "Next: `b.py`",
    ] {
        assert_eq!(code(below).candidates.len(), 1, "{below}");
    }
}

#[test]
fn regression_a_question_to_the_user_ends_what_is_named_above_it() {
    for question in ["Would you like me to adjust anything else?", "Do you want me to go on with the tests?"]
    {
        let read = plain(&format!(
            "#### `a.css` - styles:\n- all buttons\n\n{question}\n\n```css\n.a {{ x: y; }}\n```\n"
        ));
        let [candidate] = &read.candidates[..] else { panic!("{read:#?}") };
        assert!(candidate.groups.iter().all(|group| sure(group).is_none()), "{candidate:#?}");
    }
    let read = plain("#### `a.css`\n\nIs that so? Yes:\n\n```css\n.a { x: y; }\n```\n");
    assert_eq!(sure(&read.candidates[0].groups[0]), Some("a.css"));
}

#[test]
fn regression_a_clause_of_what_is_done_names_nothing() {
    for line in [
        "Now that we've fixed the issue in `a.toml`, let's also create a configuration file:",
        "After the change of `a.toml`, create another file:",
        "Once `a.toml` is in place, add a script:",
        "Having updated `a.toml`, we need a new module:",
        "Nachdem `a.toml` angepasst ist, erstelle eine Datei:",
    ] {
        let read = plain(&format!("{line}\n\n```\n[theme]\nx = 1\n```\n"));
        let named = read.candidates.iter().flat_map(|one| &one.groups).any(|group| sure(group).is_some());
        assert!(!named, "{line} {read:#?}");
    }
    for line in
        ["After that, update `a.toml`:", "Now that it works, create `a.toml`:", "Once more, `a.toml`:"]
    {
        let read = plain(&format!("{line}\n\n```\n[theme]\nx = 1\n```\n"));
        assert!(sure(&read.candidates[0].groups[0]).is_some(), "{line} {read:#?}");
    }
}

#[test]
fn regression_code_for_other_projects_is_no_change_of_this_one() {
    for heading in
        ["# Template for new projects", "# Code for other projects", "## Vorlage für neue Projekte"]
    {
        let read = plain(&format!("{heading}\n\n### API\n\n```js\n// src/api.js\nexport {{}}\n```\n"));
        assert!(read.candidates.is_empty(), "{heading} {read:#?}");
    }
    let read = plain("# The template of the page\n\n```js\n// src/api.js\nexport {}\n```\n");
    assert_eq!(read.candidates.len(), 1, "{read:#?}");
}

#[test]
fn regression_code_that_is_described_or_only_proposed_is_said_to_be() {
    for (above, below, expected) in [
        ("## About this format\n\nThe names of it:", "", true),
        ("### Proposed architecture:", "Would you like me to implement this?", true),
        ("## statement链式调用\n\n其中的写法：", "", false),
        ("### 分页查询\n\n数据库的操作：", "", true),
        ("在开头添加一行：", "", false),
        ("Add this function:", "", false),
    ] {
        let read = plain(&format!("{above}\n\n```python\ndef load():\n    pass\n```\n\n{below}\n"));
        let [candidate] = &read.candidates[..] else { panic!("{above} {read:#?}") };
        assert_eq!(candidate.described, expected, "{above}");
    }
}

#[test]
fn regression_numbers_of_lines_are_a_place_if_they_are_one() {
    use clada_dialects::plain::numbered_place;
    for (text, expected) in [
        ("On line 3 of `a.py`:", Some((3, 3))),
        ("Change `a.py` (line 3):", Some((3, 3))),
        ("`a.py`, lines 3 to 5:", Some((3, 5))),
        ("#### Broken fallback (Line 3)", None),
        ("- In `a.py` (lines 5, 45), look for code like:", None),
        ("Lines 5 and 9 of `a.py`:", None),
        ("The import (`a.py:3`):", None),
    ] {
        assert_eq!(numbered_place(text), expected, "{text}");
    }
}

#[test]
fn regression_signs_without_width_within_a_path_are_none_of_it() {
    for sign in ['\u{200b}', '\u{200c}', '\u{2060}', '\u{feff}', '\u{200e}'] {
        let read = plain(&format!("`src/{sign}a.py`:\n\n```python\nload()\n```\n"));
        assert_eq!(path(&read.candidates[0]), "src/a.py", "{sign:?}");
    }
}

#[test]
fn regression_a_heading_that_is_the_language_below_names_no_file() {
    for (heading, expected) in [
        ("## makefile", "-"),
        ("makefile:", "-"),
        ("## Makefile", "Makefile"),
        ("`makefile`:", "makefile"),
        ("## dockerfile", "-"),
    ] {
        let language = heading.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        let read = plain(&format!("{heading}\n\n```{language}\nall: x\n```\n"));
        assert_eq!(read.candidates.first().map_or("-", path), expected, "{heading}");
    }
}

#[test]
fn regression_set_up_of_an_environment_is_no_change() {
    for (answer, expected) in [
        (
            "Variables (NOT .env files):\n\n```bash\n# The remote\nfly secrets set A=\"b\"\n```\n",
            &["3 Commands"][..],
        ),
        ("`.env`:\n\n```bash\nnpm run dev\n```\n", &["3 Commands"]),
        ("`.env`:\n\n```bash\n# x\nexport A=1\nB=2\n```\n", &["3 Code .env"]),
        ("Copy it:\n\n```bash\ncp .env.example .env\n```\n", &["3 Commands"]),
        ("```sh\ncp config/a.yml.sample config/a.yml\ncp b-example.toml b.toml\n```\n", &["1 Commands"]),
        ("Split it:\n\n```bash\ncp src/a.py src/b.py\n```\n", &["3 Commands -"]),
    ] {
        assert_eq!(found(answer), expected, "{answer}");
    }
}

#[test]
fn regression_what_a_file_is_based_on_is_not_the_file() {
    for words in [
        "Based on `.env.example`, create `.env`:",
        "Using `.env.example` as a template, create the `.env` file:",
        "Copy `.env.example` to `.env` and fill it in:",
        "`.env.example`の内容に基づいて`.env`を作成します：",
        "`.env.example`をコピーして`.env`を作成してください：",
        "Erstelle auf Basis von `.env.example` die Datei `.env`:",
        "À partir du contenu de `.env.example`, créez le fichier `.env` :",
        "Con base en el contenido de `.env.example`, crea el archivo `.env`:",
        "A partir do conteúdo de `.env.example`, crie o arquivo `.env`:",
        "根据 `.env.example` 的内容创建 `.env`：",
        "将 `.env.example` 复制为 `.env` 并填写：",
        "`.env.example` 파일의 내용을 바탕으로 `.env` 파일을 생성합니다:",
        "Скопируйте `.env.example` в `.env` и заполните:",
    ] {
        assert_eq!(found(&format!("{words}\n\n```env\nA=1\n```\n")), ["3 Code .env"], "{words}");
    }
    for words in ["Update `.env.example`:", "`.env.example`を更新します："] {
        assert!(found(&format!("{words}\n\n```env\nA=1\n```\n"))[0].contains(".env.example"), "{words}");
    }
}

#[test]
fn regression_lines_that_a_label_cites_are_a_quotation() {
    for (words, expected) in [
        ("**File: `a.go` (lines 4-8)**", "3 LeadIn"),
        ("### `a.go` (Zeilen 4-8)", "3 LeadIn"),
        ("文件：`a.go`（第 4-8 行）", "3 LeadIn"),
        ("This can be seen in `a.go`:", "3 LeadIn"),
        ("Update `a.go` (lines 4-8):", "3 Code a.go"),
        ("`a.go`, lines 4-8:", "3 Code a.go"),
    ] {
        let found = found(&format!("{words}\n\n```go\nx := 1\n```\n"));
        assert!(found[0].starts_with(expected), "{words}{found:?}");
    }
}

#[test]
fn regression_what_is_done_with_a_script_is_none_of_its_lines() {
    for (answer, expected) in [
        ("**Add the `run.sh` script**:\n\n```bash\ngit add run.sh\ngit commit -m x\n```\n", "3 Commands"),
        ("`run.sh`:\n\n```bash\n./run.sh --fast\n```\n", "3 Commands"),
        ("`run.sh`:\n\n```bash\ngit add .\n```\n", "3 Code run.sh"),
        ("The contents of `a.txt`:\n\n```nu\ncat a.txt\n# torch\n```\n", "3 Commands"),
    ] {
        assert_eq!(found(answer), [expected], "{answer}");
    }
}

#[test]
fn regression_two_nouns_with_a_slash_are_no_folder() {
    let folder = |line: &str| {
        let read = plain(&format!("{line}\n\n```tsx\nrender();\n```\n"));
        read.candidates[0].groups[0].folder.clone().map(|folder| folder.path)
    };
    assert_eq!(folder("Update `App.tsx` to include a navbar/header with links:"), None);
    assert_eq!(folder("Create `App.tsx` in Assets/Core:").as_deref(), Some("Assets/Core"));
    assert_eq!(folder("Create `App.tsx` in the src/app folder:").as_deref(), Some("src/app"));
}

#[test]
fn regression_the_comment_in_a_fence_gives_the_folder_of_a_bare_name() {
    let read =
        plain("Create `Page.tsx` in a folder of pages:\n\n```tsx\n// src/pages/Page.tsx\nrender();\n```\n");
    assert_eq!(path(&read.candidates[0]), "src/pages/Page.tsx");
}

#[test]
fn regression_a_fence_whose_code_stands_beside_its_ticks_is_read() {
    let read = plain("In `a.py` replace load with\n```def load(a):\n    return a```\nThat is all.\n");
    assert_eq!(read.candidates[0].content, "def load(a):\n    return a\n");
    for answer in ["```js {1,3}\nload();\n```\n", "```def load(a):\n    return a\n```\nand more```\n"] {
        assert_eq!(plain(answer).candidates[0].content.lines().count(), 1, "{answer}");
    }
}

#[test]
fn regression_folders_and_links_are_deleted_and_renamed() {
    for (answer, expected) in [
        (
            "#### [DELETE] [a.py](file:///home/me/shop/src/a.py)\n\nNobody uses it.\n",
            "1 Delete /home/me/shop/src/a.py",
        ),
        ("Rename the folder `src/shop/` to `store`.\n", "1 Move to store src/shop/"),
        ("Delete the folder `src/shop/`.\n", "1 Delete src/shop/"),
    ] {
        assert_eq!(found(answer), [expected], "{answer}");
    }
}

#[test]
fn regression_a_name_in_code_is_no_verb_and_a_joint_makes_a_pair() {
    let code = "```js\nload();\n```\n";
    let update = format!("Update `add` and `drop` in `src/a.js`:\n\n{code}");
    assert_eq!(found(&update), ["3 Code src/a.js"]);
    let pair = format!("Fix the import in a.js:\n\n{code}\nshould be:\n\n```js\nsave();\n```\n");
    assert_eq!(found(&pair), ["3 Replacement \"load();\" a.js"]);
    let german = format!("**In `a.js`** ersetzt du\n\n{code}\ndurch\n\n```js\nsave();\n```\n");
    assert_eq!(found(&german), ["3 Replacement \"load();\" a.js"]);
    let comment = "Use it:\n\n```js\n// In src/a.js, change:\nload();\n```\n";
    assert_eq!(found(comment), ["3 Code src/a.js"]);
}

#[test]
fn regression_a_line_creates_a_file_or_something_in_it() {
    use clada_dialects::plain::creates;
    for (line, expected) in [
        ("Create `a.py`:", true),
        ("### 2. `src/a.py` (new file)", true),
        ("├── a.py  # NEW", true),
        ("- **`a.py`** anlegen", true),
        ("Crie o arquivo `a.py`:", true),
        ("新建文件 `a.py`：", true),
        ("`a.py` を作成します。", true),
        ("A new component in `src/a.py`:", false),
        ("Create the function `load` in `a.py`:", false),
        ("`a.py` – new helper at the end:", false),
        ("Here's the new `a.py`:", false),
        ("Create `other_a.py`:", false),
        ("Create `a.pyi`:", false),
        ("I created `b.py`. Update `a.py`:", false),
    ] {
        assert_eq!(creates(line, "a.py"), expected, "{line}");
    }
}

#[test]
fn regression_what_a_program_writes_and_what_reasons_explain_is_no_change() {
    for words in [
        "The script creates 2 files:\n\n1. **`map.csv`** - all videos",
        "脚本会生成两个文件：\n\n1. **`map.csv`**",
        "El script genera dos archivos:\n\n- `map.csv`:",
        "## Why all three files?\n\n### 1. **`map.csv`** - the videos",
        "## Warum alle drei?\n\n### 1. `map.csv`",
    ] {
        let read = plain(&format!("{words}\n\n```csv\na,b\n1,2\n```\n"));
        assert!(read.candidates.is_empty(), "{words} {read:#?}");
    }
    let options = |ask: &str| {
        let option =
            |name: &str| format!("### Option {name}\n\nCreate `{name}.json`:\n\n```json\n{{}}\n```\n\n");
        plain(&format!("{}{}{ask}\n", option("A"), option("B"))).candidates.len()
    };
    assert_eq!((options("Which one do you want?"), options("Both work.")), (0, 2));
}

/// A file of settings whose name begins with a dot was a name only if it was in a list.
#[test]
fn regression_names_of_settings_begin_with_a_dot() {
    for name in [
        ".rubocop_todo.yml",
        ".pre-commit-config.yaml",
        ".swiftlint.yml",
        ".release-it.json",
        ".lintstagedrc.mjs",
        ".luacheckrc",
        ".forceignore",
        ".terraform-version",
    ] {
        for label in [format!("### `{name}`"), format!("**{name}**"), format!("#### 2. `{name}`")] {
            let answer = format!("Start with this:\n\n{label}\n\n```\na: 1\nb: 2\n```\n");
            assert_eq!(path(&plain(&answer).candidates[0]), name, "{label}");
        }
    }
    for name in [".then", ".test.json", ".button.css", ".src", ".map.get", ".config"] {
        let answer = format!("Look at this:\n\n### `{name}`\n\n```\na: 1\nb: 2\n```\n");
        assert!(plain(&answer).candidates.iter().all(|one| path(one) == "-"), "{name}");
    }
}

/// A way to use the code was taken for a change of it, and what the code does if something fails for a fault.
#[test]
fn regression_ways_to_use_code_are_no_change_and_handled_faults_are_none() {
    let code = "```js\nadd('a');\nconst all = count();\n```\n";
    for words in [
        "Here's how you would use it:",
        "This is how you'd call it:",
        "So würdest du sie verwenden, und wie man sie aufruft:",
        "Voici comment l'utiliser :",
    ] {
        let read = plain(&format!("{words}\n\n{code}"));
        assert_eq!(read.candidates.len(), 0, "{words} {read:#?}");
        assert_eq!(read.dismissed.len() + read.illustrations.len(), 1, "{words} {read:#?}");
    }
    for words in [
        "Here's how you would use it in `page.js`:",
        "You can make it feel instant by updating the state first and rolling back if the request fails:",
        "Change how users of the module call it:",
    ] {
        let read = plain(&format!("{words}\n\n{code}"));
        assert_eq!(read.candidates.len(), 1, "{words} {read:#?}");
    }
}

/// "An error message", "if the request fails" were taken for what is shown, and all of the file below for an example.
#[test]
fn regression_words_that_may_be_of_the_new_code_leave_an_illustration() {
    let code = "```python\nimport os\n\n\ndef load():\n    return os.name\n```\n";
    for words in [
        "It retries twice if the upload fails:",
        "After this step your `src/a.py` looks like this:",
        "Here is `src/a.py` with a better error message:",
        "Here's a working example:",
        "Here's one that can be used by several threads:",
        "To verify the sum, I changed the loader:",
    ] {
        let read = plain(&format!("{words}\n\n{code}"));
        assert_eq!((read.candidates.len(), read.illustrations.len()), (0, 1), "{words} {read:#?}");
        assert!(read.illustrations[0].conditional, "{words}");
    }
    for words in [
        "Currently `src/a.py` has this:",
        "This fails:",
        "❌ Wrong, for example:",
        "The old code in `src/a.py`:",
        "A colleague already wrote `src/a.py`:",
    ] {
        let read = plain(&format!("{words}\n\n{code}"));
        assert_eq!((read.candidates.len(), read.illustrations.len()), (0, 0), "{words} {read:#?}");
    }
    for words in [
        "Hier ist die neue `src/a.py`, die bereits geladene Dateien überspringt:",
        "我已经修改了 `src/a.py`，现在的代码如下：",
    ] {
        assert_eq!(plain(&format!("{words}\n\n{code}")).candidates.len(), 1, "{words}");
    }
}

/// A sentence with "suite" or "continues" below code made it a part of something.
#[test]
fn regression_only_words_that_say_no_more_continue_code() {
    let closed =
        |below: &str| plain(&format!("`a.py`:\n\n```python\nx = 1\n```\n\n{below}\n")).candidates[0].closed;
    for below in [
        "This suite covers:",
        "The page continues to load as before.",
        "如果需要，我可以继续优化。",
        "Das Programm wird fortgesetzt, wenn die Datei fehlt.",
    ] {
        assert!(closed(below), "{below}");
    }
    for below in
        ["(continued below)", "Continued in the next message:", "[continues]", "（续）", "Wird fortgesetzt."]
    {
        assert!(!closed(below), "{below}");
    }
}

/// Numbers in boxes, adverbs and scripts without blanks stood before the verb; a file's own name was one.
#[test]
fn regression_deletions_and_moves_behind_numbers_and_adverbs() {
    for (line, expected) in [
        ("### 3️⃣ Delete `src/a.py`", "1 Delete src/a.py"),
        ("## 2️⃣ Rename `src/a.py` → `src/b.py`", "1 Move to src/b.py src/a.py"),
        ("Lösche anschließend die Datei `src/a.py`, sie wird nicht mehr gebraucht.", "1 Delete src/a.py"),
        ("First, move `src/a.py` to `lib/a.py`.", "1 Move to lib/a.py src/a.py"),
        ("最后删除 `src/a.py`。", "1 Delete src/a.py"),
        ("最後に、`src/a.py` を削除してください。", "1 Delete src/a.py"),
        ("You no longer need `src/a.py`, so delete it.", "1 Delete src/a.py"),
    ] {
        assert_eq!(found(&format!("{line}\n")), [expected], "{line}");
    }
    for label in
        ["### [delete_user.py](src/delete_user.py)", "### [remove-it.py](file:///w/src/remove-it.py)"]
    {
        let read = plain(&format!("{label}\n\nTidy up.\n\n```python\nx = 1\n```\n"));
        assert!(read.candidates.iter().all(|one| one.form == Form::Code), "{label} {read:#?}");
    }
}

/// An empty fence below a sentence about a file made that file.
#[test]
fn regression_files_are_empty_if_the_answer_says_it() {
    for answer in [
        "**`pkg/__init__.py`** (leave it empty)\n",
        "- `pkg/__init__.py` – empty file\n",
        "`pkg/__init__.py`（空文件）\n",
        "Create `pkg/__init__.py`:\n\n```python\n```\n",
    ] {
        let read = plain(answer);
        let contents: Vec<&str> = read.candidates.iter().map(|one| &*one.content).collect();
        assert_eq!(contents, ["touch pkg/__init__.py\n"], "{answer}");
    }
    for answer in [
        "The key is created in line 3 of `pkg/keys.py`, so I look at the helpers with the right names:\n```\n```\n",
        "`data.json` (must not be empty)\n",
        "`pkg/a.py` is used if the list is empty.\n",
    ] {
        assert!(plain(answer).candidates.is_empty(), "{answer} {:#?}", plain(answer));
    }
}

/// An element with a path and a text was a broken call; a date to fill in was a path.
#[test]
fn regression_elements_with_text_and_dates_to_fill_in() {
    for element in ["create_file", "write_file", "write_to_file"] {
        let answer = format!("I add it.\n\n<{element} path=\"src/a.py\">\nx = 1\n</{element}>\n");
        assert_eq!(found(&answer), ["3 Code src/a.py"], "{answer}");
        let call = format!("<{element} path=\"src/a.py\">\n<content>\nx = 1\n</content>\n</{element}>\n");
        assert!(plain(&call).candidates.is_empty(), "{call}");
    }
    for path in ["db/migrate/YYYYMMDDHHMMSS_add_age.rb", "database/migrations/xxxx_xx_xx_xxxxxx_add_age.php"]
    {
        assert_eq!(found(&format!("`{path}`:\n\n```\nclass A\nend\n```\n")), ["3 Placeholder"]);
        let comment = plain(&format!("```ruby\n# {path}\nclass A\nend\n```\n"));
        assert!(comment.candidates.iter().all(|one| super::plain::path(one) == "-"), "{comment:#?}");
    }
}

/// A diff that takes a blank line for the old file was an edit of any blank line; what commands print was a file.
#[test]
fn regression_diffs_that_fill_a_file_and_outputs_below_commands() {
    let read = plain("Now `src/a.py`:\n\n```diff\n- \n+ import os\n+ \n+ x = os.name\n```\n");
    assert_eq!(
        (&read.candidates[0].form, &*read.candidates[0].content),
        (&Form::Code, "import os\n\nx = os.name\n")
    );
    let script = "```bash\ncat > a.sh <<'EOF'\nls\nEOF\nchmod +x a.sh\n```\n";
    assert_eq!(found(script), ["1 Commands -", "1 Commands"]);
    let css = "To make it look good on phones, add this to the **end** of `a.css`:\n\n```css\nb {\n}\n```\n";
    assert_eq!(found(css), ["3 Append a.css"]);
    let edit = plain("Now `src/a.py`:\n\n```diff\n- x = 1\n+ x = 2\n+ y = 1\n```\n");
    assert_eq!(edit.candidates[0].form, Form::Diff);
    let answer = "### `src/a.py`\n\n```diff\n-x\n+y\n```\n\nThen commit.\n\n```bash\ngit commit -m a\n```\n\n```\n[main 12ab] a\nmode 1 a\n```\n";
    assert_eq!(found(answer).last().map(String::as_str), Some("14 Output"));
    let readme = "```markdown\n# filepath: README.md\n# Shop\n\n## Contributing\n\nFork it.\n\n## License\n\nMIT\n```\n";
    assert_eq!(plain(readme).candidates.len(), 1, "{:#?}", plain(readme));
}

#[test]
fn regression_a_file_that_is_left_alone_is_not_the_one_meant() {
    for words in [
        "`app/service.py` imports it, so put it into `app/ids.py`, and leave `app/service.py` alone:",
        "Put the counter into `app/ids.py`; leave app/service.py as it is:",
        "Schreib den Zähler in `app/ids.py` und lass `app/service.py` unverändert:",
    ] {
        let answer = format!("{words}\n\n```python\ndef next_id():\n    return 1\n```\n");
        assert_eq!(found(&answer), ["3 Code app/ids.py"], "{words}");
    }
}

#[test]
fn regression_what_a_test_shows_of_its_failure_is_output() {
    let failure = "    def check(self):\n>       if self.total < 0:\n            raise ValueError()\nE       AttributeError\n";
    for language in ["", "python"] {
        let read = plain(&format!("app/models.py\n\n```{language}\n{failure}```\n"));
        assert!(read.candidates.is_empty(), "{language} {read:#?}");
    }
    assert_eq!(found("`a.md`:\n\n```markdown\n> Quoted.\n```\n").len(), 1);
}

/// The code was cut off after the ticks, and all of the answer below them was lost.
#[test]
fn regression_fewer_ticks_close_a_fence_that_nothing_else_closes() {
    let code = "function neg(a) {\n  return 0 - a;\n}\n";
    for (behind, count) in [
        ("", 1),
        ("\nThat is all.\n", 1),
        ("\n```bash\nnode app.js\n```\n", 1),
        ("\n### `b.js`\n\n````js\nb();\n````\n", 2),
        ("\n### `b.js`\n\n````js\nb();\n```\n", 2),
    ] {
        let answer = format!("### `app.js`\n\n````js\n{code}```\n{behind}");
        let plain = plain(&answer);
        assert_eq!(plain.candidates.len(), count, "{answer}{plain:#?}");
        assert!(plain.candidates.iter().all(|one| one.closed), "{answer}{plain:#?}");
        assert_eq!(plain.candidates[0].content, code, "{answer}");
    }
    // A sample in the code, and a fence that is closed as it was opened.
    for answer in [
        "### `app.js`\n\n````js\n/*\n```js\nneg(1);\n```\n*/\nfunction neg(",
        "### `app.js`\n\n````js\n/*\n```\nneg(1);\n```\n*/\nfunction neg(",
    ] {
        assert!(plain(answer).candidates.iter().all(|one| !one.closed), "{answer}");
    }
    let answer = "### `app.js`\n\n````js\nconst a = `\n```\n`;\n````\n";
    assert_eq!(plain(answer).candidates[0].content, "const a = `\n```\n`;\n");
}

/// The folder of a name: which words give it, and whether they say that the name is in it.
#[test]
fn a_folder_beside_a_name_is_that_of_the_name() {
    let folder = |line: &str| {
        let read = plain(&format!("{line}\n\n```\nx\n```\n"));
        read.candidates[0].groups[0].folder.clone().map(|one| (one.path, one.is_marked, one.is_beside))
    };
    for (line, path, is_marked, is_beside) in [
        ("Put a `.dockerignore` into `web/` first:", "web", true, true),
        ("Change the `Dockerfile` of the `api` folder:", "api", true, true),
        ("Change the Dockerfile of the billing service:", "billing", false, true),
        ("In the `web` package, change `package.json`:", "web", false, true),
        ("Now put into the `web` folder a new `package.json`:", "web", true, true),
        ("Lege im Ordner `web` eine `.dockerignore` an:", "web", true, true),
        ("在 `web` 目录下创建 `.dockerignore`：", "web", true, true),
        ("The files in `web/` are not needed, so add this to `.dockerignore`:", "web", true, false),
    ] {
        let found = folder(line);
        let found = found.as_ref().map(|(path, is_marked, is_beside)| (&**path, *is_marked, *is_beside));
        assert_eq!(found, Some((path, is_marked, is_beside)), "{line}");
    }
    let read = plain("Add to the worker's `.gitignore` (`worker/.gitignore`):\n\n```\nx\n```\n");
    let mentions = &read.candidates[0].groups[0].mentions;
    assert_eq!((&*mentions[0].path, mentions.len()), ("worker/.gitignore", 1));
}

/// Folders without a slash, and what an answer renames before it shows code, were passed over in silence.
#[test]
fn regression_folders_are_called_by_their_kind() {
    let found = |text: &str| -> Vec<String> {
        let read = plain(text);
        let path = |one: &Candidate| one.groups[0].mentions[0].path.clone();
        read.candidates.iter().map(|one| format!("{:?} {}", one.form, path(one))).collect()
    };
    for (text, wanted) in [
        ("Rename the `tools` directory to `scripts`.\n", "Move { to: \"scripts\" } tools/"),
        ("Rename the folder `a/tools` to `a/scripts`.\n", "Move { to: \"a/scripts\" } a/tools/"),
        ("Move the `store` package to the `lib/store` folder.\n", "Move { to: \"lib/store\" } store/"),
        ("Delete the whole `tools` folder.\n", "Delete tools/"),
        ("Delete `old.py` in the `tools` folder.\n", "Delete old.py"),
        ("Rename `a/x.py` to `a/y.py` and update the imports.\n", "Move { to: \"a/y.py\" } a/x.py"),
    ] {
        assert_eq!(found(text), [wanted], "{text}");
    }
    // A package may be one that is installed.
    assert_eq!(found("Remove the `left-pad` package.\n"), [""; 0]);
    assert_eq!(found("Delete `a.py` in the morning.\n"), [""; 0]);
}

/// A fence at the end of an answer that was closed by a shorter one was taken for cut off.
#[test]
fn regression_a_shorter_fence_at_the_end_closes_the_only_one() {
    let closed = |text: &str| {
        let read = plain(text);
        (read.candidates[0].closed, read.candidates[0].content.clone())
    };
    assert_eq!(closed("`a.py`:\n\n````python\nx = 1\n```\n"), (true, "x = 1\n".to_owned()));
    assert!(!closed("`a.py`:\n\n````python\nx = 1\n").0);
    assert!(!closed("`a.md`:\n\n````markdown\n```sh\nmake\n```\n").0);
}

/// Quoted names of tasks, and what a sentence below the link to a file mentions, named the file of the code.
#[test]
fn regression_a_quoted_name_and_a_sentence_below_a_link_name_no_file() {
    let paths = |text: &str| -> Vec<String> {
        let read = plain(text);
        let groups = read.candidates[0].groups.iter();
        let sure = groups.filter_map(|group| group.mentions.iter().find(|one| one.sure && !one.aside));
        sure.map(|one| one.path.clone()).collect()
    };
    assert_eq!(paths("### 2. \"Sync `a.json` at night\"\n\n```json\n{}\n```\n"), [""; 0]);
    assert_eq!(paths("Save as \"`a.json`\":\n\n```json\n{}\n```\n"), ["a.json"]);
    let linked = "### [a.py](src/a.py)\n\nImport it behind `b.py`.\n\n```py\nx = 1\n```\n";
    assert_eq!(paths(linked).first().map(String::as_str), Some("src/a.py"));
    let same =
        linked.replace("Import it behind `b.py`.", "Create a.py with this:").replace("src/a.py", "/d/a.py");
    assert_eq!(paths(&same), ["a.py", "/d/a.py"]);
    let labelled = linked.replace("Import it behind `b.py`.", "In `src/b.py`:");
    assert_eq!(paths(&labelled).first().map(String::as_str), Some("src/b.py"));
}
