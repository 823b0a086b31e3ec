//! Plain answers: whole listings and new files that would lose or break something unsaid.

use clada_protocol::Proposal;

use super::*;

/// `path form` of each proposal, with `?` behind those that `--plain` does not apply, and `!path` of each notice.
fn proposed(files: &[(&str, &str)], answer: &str) -> Vec<String> {
    let project = Project::with(files);
    let answer = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let (_, planned) = project.plan_of(answer, &[]);
    let shown = |proposal: &Proposal| {
        let open = if proposal.sure { "" } else { " ?" };
        format!("{} {}{open}", proposal.path, proposal.form.words())
    };
    let listed = planned.proposals.iter().filter(|proposal| proposal.is_listed());
    let notices =
        planned.not_read.iter().map(|notice| format!("!{}", notice.path.clone().unwrap_or_default()));
    listed.map(shown).chain(notices).collect()
}

fn named(path: &str, code: &str) -> String {
    format!("Update `{path}`:\n\n```\n{code}```\n")
}

const PRICES: &str = "# Copyright Shop Inc.\n\"\"\"Prices.\"\"\"\nfrom decimal import Decimal, ROUND\nimport re\n\nCENT = Decimal(\"0.01\")\n\n\ndef cents(x):\n    return Decimal(x).quantize(CENT, ROUND)\n\n\ndef parse(s):\n    m = re.match(s)\n    return Decimal(m.group(0))\n";

#[test]
fn regression_a_whole_listing_that_loses_something_unsaid_is_asked() {
    let files = [("prices.py", PRICES)];
    let changed = PRICES.replace("0.01", "0.001");
    assert_eq!(proposed(&files, &named("prices.py", &changed)), ["prices.py whole file"]);
    for (old, new) in [
        ("# Copyright Shop Inc.\n", ""),
        ("import re\n", ""),
        ("Decimal, ROUND", "Decimal"),
        ("def parse(s)", "def read(s)"),
    ] {
        let lost = changed.replacen(old, new, 1);
        assert_eq!(proposed(&files, &named("prices.py", &lost)), ["prices.py whole file ?"], "{lost}");
    }
    let removed =
        format!("Remove `parse`.\n\n{}", named("prices.py", &changed.replace("def parse(s)", "def read(s)")));
    assert_eq!(proposed(&files, &removed), ["prices.py whole file"]);
    let view = "import React from 'react';\n\nfunction View() {\n  const [open, setOpen] = React.useState(false);\n  return open;\n}\n\nexport default React.memo(View);\n";
    let lost = view.replace("(false)", "(true)").replace("\nexport default React.memo(View);\n", "");
    assert_eq!(proposed(&[("v.tsx", view)], &named("v.tsx", &lost)), ["v.tsx whole file ?"]);
}

#[test]
fn regression_a_value_of_a_secret_is_never_overwritten_without_a_question() {
    let files = [(".env", "DEBUG=1\nSECRET_KEY=abc\n")];
    assert_eq!(proposed(&files, &named(".env", "DEBUG=1\nSECRET_KEY=changeme\n")), [".env whole file ?"]);
    assert_eq!(proposed(&files, &named(".env", "DEBUG=1\nSECRET_KEY=abc\nPORT=80\n")), [".env whole file"]);
    // Dots are not a value.
    for path in [".env", ".env.cloud"] {
        let shown = proposed(&files, &named(path, "DEBUG=0\nSECRET_KEY=insecure-...\n"));
        assert_eq!(shown, [format!("!{path}")]);
    }
}

#[test]
fn regression_an_empty_file_gets_no_part_of_one() {
    let torso = "defmodule Started do\n  defstruct [\n    :id\n  ]\n\n  # ... rest of type spec and implementation ...\n";
    for files in [&[("lib/events.ex", "")][..], &[("mix.exs", "1\n")]] {
        assert_eq!(proposed(files, &named("lib/events.ex", torso)), ["!lib/events.ex"], "{files:?}");
    }
    let whole = torso.replace("  # ... rest of type spec and implementation ...\n", "end\n");
    assert_eq!(
        proposed(&[("lib/events.ex", "")], &named("lib/events.ex", &whole)),
        ["lib/events.ex whole file"]
    );
}

#[test]
fn regression_a_list_of_words_is_no_new_file_of_code() {
    let list = "// The state\n- Interface (colours, theme)\n- Tabs and files\n";
    assert_eq!(proposed(&[("src/index.ts", "run();\n")], &named("src/app.ts", list)), [""; 0]);
    let code = "// The state\nexport const tabs = [\n  - 1,\n];\n";
    assert_eq!(
        proposed(&[("src/index.ts", "run();\n")], &named("src/app.ts", code)),
        ["src/app.ts new file ?"]
    );
}

#[test]
fn regression_what_is_added_to_a_small_file_does_not_replace_it() {
    let make = "run:\n\tpython a.py\n\ntest:\n\tpytest\n";
    let added = named("Makefile", "test:\n\tpytest -q\n\nlint:\n\truff .\n");
    let shown = proposed(&[("Makefile", make)], &added);
    assert!(!shown.iter().any(|one| one.contains("whole file")), "{shown:?}");
    let schema = "CREATE TABLE IF NOT EXISTS messages (\n    id INTEGER PRIMARY KEY\n);\n\nCREATE INDEX IF NOT EXISTS idx ON messages(id);\n";
    let guests = "CREATE TABLE IF NOT EXISTS guests (\n    id INTEGER PRIMARY KEY,\n    name TEXT\n);\n\nCREATE INDEX IF NOT EXISTS idx_guests ON guests(id);\n";
    let shown =
        proposed(&[("schema.sql", schema)], &format!("Add to `schema.sql`:\n\n```sql\n{guests}```\n"));
    assert!(!shown.iter().any(|one| one.contains("whole file")), "{shown:?}");
    let services = "services:\n  web:\n    image: web:1\n    environment:\n      - A=1\n      - B=2\n    ports:\n      - \"80:80\"\n  db:\n    image: pg\n";
    let part = "services:\n  web:\n    environment:\n      - A=1\n      - C=3\n";
    let shown = proposed(
        &[("d.yml", services)],
        &format!("Add `C` to the environment in `d.yml`:\n\n```yaml\n{part}```\n"),
    );
    assert_eq!(shown, ["d.yml part ?"]);
}

#[test]
fn regression_a_file_whose_lines_end_with_a_return_alone_is_not_one_line() {
    let files = [("m.py", "import os\r\r\rdef a():\r    return 1\r\r\rdef b():\r    return 2\r")];
    assert_eq!(proposed(&files, &named("m.py", "def b():\n    return 3\n")), ["m.py part ?"]);
}

#[test]
fn regression_a_method_names_no_file_for_a_function() {
    let cleaner = "import os\n\n\nclass Cleaner:\n    def clean_old_files(self):\n        return os.listdir(self.folder)\n";
    let answer = "Add a function that cleans:\n\n```python\ndef clean_old_files(name, days=7):\n    for entry in name:\n        drop(entry)\n```\n";
    assert_eq!(proposed(&[("app/cleaner.py", cleaner)], answer), [""; 0]);
    let method = answer.replace("(name, days=7)", "(self, days=7)");
    assert_eq!(proposed(&[("app/cleaner.py", cleaner)], &method), ["app/cleaner.py part ?"]);
}

#[test]
fn regression_what_a_file_of_data_loses_is_asked() {
    let json = "{\n  \"port\": 1,\n  \"apiKey\": \"k-88\",\n  \"origins\": [\"a\"],\n  \"timeout\": 3\n}\n";
    let owners = "* @a/core\n/web @a/web\n/ops @a/ops\n";
    for (path, file, after) in [
        ("conf.json", json, json.replace(": 1", ": 2").replace("k-88", "YOUR_API_KEY").replace("3", "4")),
        ("conf.json", json, json.replace(": 1", ": 2").replace("  \"origins\": [\"a\"],\n", "")),
        ("CODEOWNERS", owners, owners.replace("/ops @a/ops", "/docs @a/docs")),
    ] {
        assert_eq!(
            proposed(&[(path, file)], &named(path, &after)),
            [format!("{path} whole file ?")],
            "{after}"
        );
    }
    let changed = json.replace(": 1", ": 2").replace("k-88", "k-89");
    assert_eq!(proposed(&[("conf.json", json)], &named("conf.json", &changed)), ["conf.json whole file"]);
}

#[test]
fn regression_a_file_without_its_first_lines_is_no_quotation_if_the_answer_changes_it() {
    let file = "import './traces';\nimport { run } from './run';\n\nconst app = run();\n\napp.get('/a', one);\napp.listen(1);\n";
    let rest = file.split_once('\n').map_or("", |(_, rest)| rest);
    assert_eq!(proposed(&[("a.js", file)], &named("a.js", rest)), ["a.js whole file ?"]);
    let quoted = format!("This is `a.js`:\n\n```js\n{rest}```\n");
    assert_eq!(proposed(&[("a.js", file)], &quoted), [""; 0]);
    let end = "app.get('/a', one);\napp.listen(1);\n";
    assert_eq!(proposed(&[("a.js", file)], &named("a.js", end)), [""; 0]);
}

#[test]
fn regression_a_fence_that_ends_in_a_string_or_shows_options_is_no_new_file() {
    let files = [("app/main.py", "run()\n")];
    let prompt =
        "Create `app/prompt.py`:\n\n```python\nTEXT = \"\"\"\nAnswer with:\n\n```\ncode\n```\n\"\"\"\n```\n";
    assert!(
        proposed(&files, prompt).iter().all(|one| one == "!app/prompt.py"),
        "{:?}",
        proposed(&files, prompt)
    );
    let options = "Create `app/clock.py`:\n\n```python\n# Option 1: UTC\ndef now():\n    return utc()\n\n# Option 2: local\ndef now():\n    return local()\n```\n";
    assert_eq!(proposed(&files, options), ["!app/clock.py"]);
}

#[test]
fn regression_a_part_says_which_check_it_removes() {
    let file = "def pay(order):\n    if order.paid:\n        raise Paid()\n    order.paid = True\n    save(order)\n    return True\n\n\ndef void(order):\n    order.void = True\n";
    let answer = "In `pay.py`, log it:\n\n```python\ndef pay(order):\n    order.paid = True\n    log(order)\n    save(order)\n    return True\n```\n";
    let project = Project::with(&[("pay.py", file)]);
    let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let (_, planned) = project.plan_of(read, &[]);
    let notes: Vec<&str> = planned.proposals.iter().flat_map(|one| &one.notes).map(|note| &**note).collect();
    assert!(notes.contains(&"Removes the check `if order.paid:`."), "{notes:?}");
}
