//! What a part would take away, or break, unsaid.

use super::by_structure::{Case, check_cases};
use super::functions::assert_merges;
use crate::{Losses, Part, Reason, merge};

#[test]
fn regression_a_body_that_is_not_closed_is_refused() {
    const CASES: &[Case] = &[
        (
            "Elixir",
            "ex",
            "defmodule Store do\n  def init(config) do\n    {:ok, config}\n  end\nend\n",
            "# ...\n\n  def fetch(key, start) do\n    try do\n      with {:ok, rows} <- read(key) do\n# ...\n",
            Err(Reason::Breaks),
        ),
        (
            "Ruby",
            "rb",
            "class Store\n  def init(config)\n    config\n  end\nend\n",
            "# ...\n\n  def fetch(key)\n    rows.each do |row|\n      read(row)\n# ...\n",
            Err(Reason::Breaks),
        ),
        (
            "a shell",
            "sh",
            "load() {\n  cat x\n}\n\nsave() {\n  cat > x\n}\n",
            "# ...\n\nfetch() {\n  if [ -f x ]; then\n    cat x\n}\n\n# ...\n",
            Err(Reason::Breaks),
        ),
        (
            "Ruby that is closed",
            "rb",
            "class Store\n  def init(config)\n    config\n  end\nend\n",
            "class Store\n  # ...\n\n  def fetch(key) = rows[key]\n\n  def each\n    x = if a then b else c end\n    while a\n      b\n    end\n    rows.each { |row| yield row if row.end }\n  end\nend\n",
            Ok(
                "class Store\n  def init(config)\n    config\n  end\n\n  def fetch(key) = rows[key]\n\n  def each\n    x = if a then b else c end\n    while a\n      b\n    end\n    rows.each { |row| yield row if row.end }\n  end\nend\n",
            ),
        ),
    ];
    check_cases(CASES);
}

#[test]
fn regression_a_parameter_that_the_rest_uses_does_not_go() {
    for (extension, file, part, reason) in [
        (
            "ex",
            "defmodule A do\n  def trace(call, parent \\\\ nil, owner \\\\ nil) do\n    x = child(parent)\n    of(call, x, owner)\n  end\nend\n",
            "def trace(call, parent) do\n  # ... implementation\nend\n",
            Some(Reason::Breaks),
        ),
        (
            "py",
            "def trace(call, parent, owner=None):\n    x = child(parent)\n    return of(call, x, owner)\n",
            "def trace(call, parent):\n    # ...\n",
            Some(Reason::Breaks),
        ),
        (
            "ts",
            "function trace(call: Call, parent: Call, owner?: User) {\n  const x = child(parent);\n  return of(call, x, owner);\n}\n",
            "function trace(call: Call, parent: Call) {\n  // ...\n}\n",
            Some(Reason::Breaks),
        ),
        (
            "jsx",
            "function Card({ title, onClose }) {\n  const a = use(title);\n  return <p onClick={onClose}>{a}</p>;\n}\n",
            "function Card({ title }) {\n  // ...\n}\n",
            Some(Reason::Breaks),
        ),
        (
            "rs",
            "fn trace(call: Call, owner: User) -> Call {\n    let x = child(call);\n    of(x, owner)\n}\n",
            "fn trace(call: Call) -> Call {\n    // ...\n}\n",
            Some(Reason::Breaks),
        ),
        (
            "java",
            "class A {\n    Call trace(Call call, User owner) {\n        Call x = child(call);\n        return of(x, owner);\n    }\n}\n",
            "    Call trace(Call call) {\n        // ...\n    }\n",
            Some(Reason::Breaks),
        ),
        (
            "py",
            "def trace(call, owner=None):\n    x = child(call)\n    return of(call, x)\n",
            "def trace(call):\n    # ...\n",
            None,
        ),
        (
            "py",
            "def trace(call, owner):\n    x = child(call)\n    return of(call, x, owner)\n",
            "def trace(call):\n    owner = call.owner\n    # ...\n",
            None,
        ),
    ] {
        let merged = merge(file, &Part::new(part, extension));
        assert_eq!(merged.as_ref().err().map(|refused| refused.reason), reason, "{part}{merged:#?}");
    }
}

#[test]
fn regression_a_statement_is_found_by_the_comment_above_it() {
    assert_merges(
        "tsx",
        "export function Page() {\n  const a = use(1)\n\n  // Show the setup at the first run\n  if (first) {\n    return <Setup />\n  }\n\n  return <main>{a}</main>\n}\n",
        &[(
            "a wider condition",
            "// Show the setup at the first run\nif (first || editing) {\n  return (\n    <div>\n      <Setup editing={editing} />\n    </div>\n  )\n}\n",
            Ok(&[(
                "  if (first) {\n    return <Setup />\n  }\n",
                "  if (first || editing) {\n    return (\n      <div>\n        <Setup editing={editing} />\n      </div>\n    )\n  }\n",
            )]),
        )],
    );
    assert_merges(
        "py",
        "def run(rows):\n    # Leave early without rows\n    if not rows:\n        return\n\n    # Read all of the rows\n    for row in rows:\n        read(row)\n",
        &[
            (
                "a loop over something else",
                "    # Read all of the rows\n    for row in sorted(rows):\n        read(row)\n        count(row)\n",
                Ok(&[(
                    "    for row in rows:\n        read(row)\n",
                    "    for row in sorted(rows):\n        read(row)\n        count(row)\n",
                )]),
            ),
            (
                "another statement below it",
                "    # Read all of the rows\n    with rows:\n        read(rows)\n",
                Err(Reason::NoPlace),
            ),
        ],
    );
}

#[test]
fn regression_a_call_with_another_one_in_it_is_another_call() {
    let file = "async def handle(message):\n    try:\n        await store(message)\n        asyncio.create_task(\n            update(\n                message=message,\n                text=text,\n            )\n        )\n    except TimeoutError:\n        await later(message)\n";
    for part in [
        "# In handle:\nasyncio.create_task(\n    track(\n        message=message,\n        text=text,\n    )\n)\n",
        "async def _track(message):\n    await sleep(300)\n\nasyncio.create_task(\n    _track(\n        message=message,\n    )\n)\n",
    ] {
        if let Ok(merged) = merge(file, &Part::new(part, "py")) {
            assert!(merged.text.contains("update("), "{}", merged.text);
        }
    }
}

#[test]
fn regression_branches_and_entries_that_are_not_shown_do_not_go() {
    const CASES: &[Case] = &[
        (
            "a branch in the middle, inside of a handler",
            "py",
            "def fetch(url):\n    try:\n        return get(url)\n    except Gone as e:\n        if e.code == 404:\n            return None\n        elif e.code == 429:\n            time.sleep(60)\n        else:\n            raise\n",
            "        if e.code == 404:\n            return {}\n        else:\n            raise\n",
            Err(Reason::Loses),
        ),
        (
            "a branch in the middle, inside of `else`",
            "js",
            "function f(a) {\n  if (a) {\n    one();\n  } else {\n    if (other.kind) {\n      two();\n    } else if (c) {\n      three();\n    } else {\n      four();\n    }\n  }\n}\n",
            "if (other.kind) {\n  two(1);\n} else {\n  four();\n}\n",
            Err(Reason::Loses),
        ),
        (
            "a case of a switch",
            "go",
            "package s\n\nfunc F(k int) int {\n\tswitch k {\n\tcase 1:\n\t\treturn 1\n\tcase 2:\n\t\treturn 2\n\tdefault:\n\t\treturn 0\n\t}\n}\n",
            "\tswitch k {\n\tcase 1:\n\t\treturn 1\n\tcase 3:\n\t\treturn 3\n\tdefault:\n\t\treturn 0\n\t}\n",
            Err(Reason::Loses),
        ),
        (
            "a column of a table",
            "sql",
            "CREATE TABLE users (\n    id INTEGER PRIMARY KEY,\n    name TEXT NOT NULL,\n    age INTEGER\n);\n",
            "CREATE TABLE users (\n    id INTEGER PRIMARY KEY,\n    age INTEGER,\n    email TEXT\n);\n",
            Err(Reason::Loses),
        ),
        (
            "rows of an insert",
            "sql",
            "INSERT INTO colours (name, note) VALUES\n('red', 'first'),\n('green', 'second');\n\nINSERT INTO sizes (name) VALUES\n('small');\n",
            "INSERT INTO colours (name, note) VALUES\n('black', 'default'),\n('red', 'first')\nON CONFLICT (name) DO NOTHING;\n",
            Err(Reason::Loses),
        ),
        (
            "a further row of an insert",
            "sql",
            "INSERT INTO colours (name, note) VALUES\n('red', 'first'),\n('green', 'second');\n\nINSERT INTO sizes (name) VALUES\n('small');\n",
            "INSERT INTO colours (name, note) VALUES\n('red', 'first'),\n('green', 'second'),\n('blue', 'third');\n",
            Ok(
                "INSERT INTO colours (name, note) VALUES\n('red', 'first'),\n('green', 'second'),\n('blue', 'third');\n\nINSERT INTO sizes (name) VALUES\n('small');\n",
            ),
        ),
        (
            "the same rule in the style of a component",
            "vue",
            "<template>\n  <p/>\n</template>\n\n<style scoped>\n.cart {\n  color: #333;\n  padding: 4px;\n}\n</style>\n",
            "<style scoped>\n.cart {\n  color: red;\n}\n</style>\n",
            Ok(
                "<template>\n  <p/>\n</template>\n\n<style scoped>\n.cart {\n  color: red;\n  padding: 4px;\n}\n</style>\n",
            ),
        ),
    ];
    check_cases(CASES);
}

#[test]
fn regression_what_is_added_to_a_list_hides_no_entry() {
    for (extension, file, part, expected) in [
        (
            "sql",
            "CREATE TABLE users (\n    id INTEGER PRIMARY KEY,\n    name TEXT NOT NULL\n);\n",
            "CREATE TABLE users (\n    id INTEGER PRIMARY KEY,\n    email TEXT\n);\n",
            "CREATE TABLE users (\n    id INTEGER PRIMARY KEY,\n    name TEXT NOT NULL,\n    email TEXT\n);\n",
        ),
        (
            "go",
            "func F(k int) int {\n\tswitch k {\n\tcase 1:\n\t\treturn 1\n\tcase 2:\n\t\treturn 2\n\tdefault:\n\t\treturn 0\n\t}\n}\n",
            "\tswitch k {\n\tcase 1:\n\t\treturn 1\n\tcase 3:\n\t\treturn 3\n\tdefault:\n\t\treturn 0\n\t}\n",
            "func F(k int) int {\n\tswitch k {\n\tcase 1:\n\t\treturn 1\n\tcase 2:\n\t\treturn 2\n\tcase 3:\n\t\treturn 3\n\tdefault:\n\t\treturn 0\n\t}\n}\n",
        ),
        (
            "js",
            "const kinds = {\n  a: 1,\n  b: 2\n};\n\nrun();\n",
            "const kinds = {\n  a: 1,\n  c: 3\n};\n",
            "const kinds = {\n  a: 1,\n  b: 2,\n  c: 3\n};\n\nrun();\n",
        ),
    ] {
        let merged = merge(file, &Part { label_says_add: true, ..Part::new(part, extension) });
        assert_eq!(merged.map(|merged| merged.text).as_deref(), Ok(expected), "{part}");
    }
}

#[test]
fn regression_the_old_form_beside_the_new_one_is_no_place_for_it() {
    let file = "def tools(settings):\n    found = []\n    if settings.search:\n        tool: dict = {\n            \"search_v1\": {\n                \"limit\": 0.5,\n            }\n        }\n        found.append(tool)\n    return found\n";
    assert_merges(
        "py",
        file,
        &[(
            "two forms below two labels",
            "# Current (version 1):\ntool: dict = {\n    \"search_v1\": {\n        \"limit\": 0.5,\n    }\n}\n\n# Should be (version 2):\ntool: dict = {\n    \"search\": {}  # simpler\n}\n",
            Ok(&[(
                "            \"search_v1\": {\n                \"limit\": 0.5,\n            }\n",
                "            \"search\": {}  # simpler\n",
            )]),
        )],
    );
}

#[test]
fn regression_entries_with_other_names_are_other_entries() {
    let file = "services:\n  web:\n    environment:\n      - A=1\n      - B=2\n";
    assert_merges(
        "yml",
        file,
        &[
            (
                "a further variable",
                "services:\n  web:\n    environment:\n      - A=1\n      - C=3\n",
                Ok(&[("      - B=2\n", "      - B=2\n      - C=3\n")]),
            ),
            (
                "another value",
                "services:\n  web:\n    environment:\n      - A=1\n      - B=3\n",
                Ok(&[("      - B=2\n", "      - B=3\n")]),
            ),
        ],
    );
}

#[test]
fn regression_a_line_that_the_caller_knows_stands_for_others() {
    let file = "class Cart:\n    def add(self, item):\n        raise ValueError(\"count\")\n\n    def total(self):\n        return 1\n\n\ndef load(path):\n    return path\n";
    let text = "class Cart:\n    def add(self, item):\n        raise ValueError(\"the count\")\n\n    # leave this as is\n\n\ndef load(path):\n    return path\n";
    let merged = merge(file, &Part { marker: "# leave this as is", ..Part::new(text, "py") });
    let expected = file.replace("\"count\"", "\"the count\"");
    assert_eq!(merged.map(|merged| merged.text), Ok(expected));
}

#[test]
fn regression_a_whole_text_says_what_it_loses() {
    let file = "# Copyright Shop Inc.\n\"\"\"Prices.\"\"\"\nfrom decimal import Decimal\nimport re\n\n\ndef parse(s):\n    return Decimal(re.match(s))\n\n\ndef other(s):\n    return s\n";
    for (old, new, loses) in [
        ("# Copyright Shop Inc.\n", "", true),
        ("import re\n", "", true),
        ("def other(s)", "def another(s)", true),
        ("    return s\n", "    return s + 1\n", false),
    ] {
        let after = file.replace(old, new);
        assert_eq!(Losses::between(file, &after, "py").unsaid(&[]).is_some(), loses, "{after}");
    }
    let renamed = file.replace("def other(s)", "def another(s)");
    assert_eq!(Losses::between(file, &renamed, "py").unsaid(&["other"]), None);
    let view = "'use client'\n\nfunction View() {\n  return 1\n}\n\nexport default memo(View);\n";
    for (old, new) in [("'use client'\n\n", ""), ("\nexport default memo(View);\n", "")] {
        assert!(Losses::between(view, &view.replace(old, new), "tsx").unsaid(&[]).is_some(), "{old}");
    }
    // A comment that names the file is a label.
    assert_eq!(Losses::between("// src/a.ts\nrun();\n", "run(1);\n", "ts").unsaid(&[]), None);
}

#[test]
fn regression_a_line_that_a_whole_listing_leaves_out_is_seen_in_files_of_any_kind() {
    // The kind, the file, the line or lines that go, and what is named of them.
    const CASES: &[(&str, &str, &str, Option<&str>)] = &[
        (
            "proto",
            "syntax = \"proto3\";\n\nmessage A {\n  int32 x = 1;\n}\n\nmessage B {\n  int32 y = 1;\n}\n",
            "message A {\n  int32 x = 1;\n}\n\n",
            Some("message A {"),
        ),
        (
            "proto",
            "syntax = \"proto3\";\n\nmessage A {\n  int32 x = 1;\n}\n",
            "syntax = \"proto3\";\n\n",
            Some("syntax = \"proto3\";"),
        ),
        (
            "csproj",
            "<Project>\n  <Item>\n    <A/>\n  </Item>\n</Project>\n",
            "</Project>\n",
            Some("</Project>"),
        ),
        (
            "json",
            "{\n  \"name\": \"x\",\n  \"dev\": {\n    \"a\": 1\n  }\n}\n",
            ",\n  \"dev\": {\n    \"a\": 1\n  }",
            Some("\"dev\": {"),
        ),
        ("go", "type T struct {\n\tA int\n\tB int\n}\n", "\tB int\n", Some("B int")),
        ("css", "a {\n  top: 0;\n}\n\nb {\n  top: 1px;\n}\n", "\nb {\n  top: 1px;\n}\n", Some("b {")),
        ("nix", "{ x }:\nlet\n  a = 1;\n  b = 2;\nin a\n", "  b = 2;\n", Some("b = 2;")),
        // Blank lines, comments, imports, brackets.
        ("py", "import os\n\n# Prices.\nx = [\n    1,\n]\n", "# Prices.\n", None),
        ("py", "import os\n\nx = 1\n", "import os\n", None),
    ];
    for (extension, file, lines, named) in CASES {
        let after = file.replace(lines, "");
        assert_eq!(
            Losses::between(file, &after, extension).line_left_out().as_deref(),
            *named,
            "{extension}: {after}"
        );
    }
    let file = "[a]\npool = 5\n\n[log]\nlevel = 1\n";
    assert_eq!(Losses::between(file, "[a]\npool = 6\n", "toml").line_left_out().as_deref(), Some("[log]"));
    assert_eq!(Losses::between(file, "[a]\npool = 6\n\n[logs]\nlevel = 2\n", "toml").line_left_out(), None);
    let file = "def f():\n    a = 1\n\n    b = 2\n    return a + b\n";
    assert_eq!(Losses::between(file, "def f():\n    return 3\n", "py").line_left_out(), None);
    let file = "a = 1\nb = 2\nc = 3\n";
    // Changed, moved, divided.
    for after in ["a = 1\nb = 4\nc = 3\n", "b = 2\nc = 3\na = 1\n", "a = 1\nb = (\n    2\n)\nc = 3\n"] {
        assert_eq!(Losses::between(file, after, "py").line_left_out(), None, "{after}");
    }
}

#[test]
fn regression_an_attribute_that_is_used_stays_set() {
    let python = "class Tab:\n    def build(self):\n        self.on = Var()\n        self.box = Box(self.on)\n        self.box.show()\n\n    def value(self):\n        return self.on.get()\n";
    let part = "def build(self):\n    self.box = Box(self.on, pad=5)\n    self.box.show()\n";
    let refused = |part: &str, extension: &str, file: &str| {
        merge(file, &Part::new(part, extension)).err().map(|refused| refused.detail)
    };
    let expected = Some("`self.on` would go, and the file still uses it".to_owned());
    assert_eq!(refused(part, "py", python), expected);
    assert_eq!(refused(&format!("{part}    self.on = 1\n"), "py", python), None);
    let script = "class Tab {\n  build() {\n    this.on = true;\n    this.box = box(this.on);\n    this.show();\n  }\n}\n";
    let part = "build() {\n  this.box = box(this.on, 5);\n  this.show();\n}\n";
    assert!(refused(part, "js", script).is_some_and(|detail| detail.contains("`this.on` would go")));
    // Declared elsewhere.
    assert_eq!(refused(part, "ts", &script.replace("class Tab {\n", "class Tab {\n  on = false;\n")), None);
}

#[test]
fn regression_a_first_half_may_grow_before_its_branch() {
    let file = "def make():\n    try:\n        create()\n    except Error as e:\n        print(\"Error\", e)\n\nmake()\n";
    let part = "def make():\n    try:\n        create()\n        print(\"there\")\n    except Error as e:\n        print(\"not made\", e)\n";
    let merged = merge(file, &Part::new(part, "py")).expect("both have the branch");
    assert_eq!(merged.text, format!("{part}\nmake()\n"));
    let part = "def make():\n    try:\n        create()\n        print(\"there\")\n";
    assert!(merge(file, &Part::new(part, "py")).is_err());
}

#[test]
fn regression_a_check_that_goes_is_named() {
    for (extension, file, after, named) in [
        (
            "py",
            "def pay(order):\n    if order.paid:\n        raise Paid()\n    order.paid = True\n",
            "def pay(order):\n    log(order)\n    order.paid = True\n",
            Some("if order.paid:"),
        ),
        (
            "ts",
            "async function get() {\n  const r = await fetch(u);\n  if (!r.ok) throw new Error('x');\n  return r;\n}\n",
            "async function get() {\n  const r = await again(() => fetch(u));\n  return r;\n}\n",
            Some("if (!r.ok) throw new Error('x');"),
        ),
        (
            "rs",
            "fn f(b: f64) -> R {\n    let b = g(b)?;\n    if b == 0.0 {\n        return Err(Zero);\n    }\n    Ok(1.0 / b)\n}\n",
            "fn f(b: f64) -> R {\n    Ok(1.0 / g(b)?)\n}\n",
            Some("if b == 0.0 {"),
        ),
        // Another one in its place, one that moved, and what is no check.
        (
            "py",
            "def pay(order):\n    if order.paid:\n        raise Paid()\n",
            "def pay(order):\n    if order.paid or order.void:\n        raise Paid()\n",
            None,
        ),
        ("py", "def f(a):\n    if a:\n        b = 1\n    return b\n", "def f(a):\n    return 1\n", None),
    ] {
        let losses = Losses::between(file, after, extension);
        assert_eq!(losses.check_left_out().as_deref(), named, "{after}");
    }
}

#[test]
fn regression_an_entry_of_data_that_goes_is_named() {
    let json =
        "{\n  \"name\": \"x\",\n  \"rights\": [\"a\"],\n  \"policy\": {\n    \"pages\": \"self\"\n  }\n}\n";
    let yaml = "db:\n  url: a\n  jpa:\n    auto: validate\nlog: info\n";
    let sql = "CREATE TABLE a (\n  id SERIAL,\n  total NUMERIC CHECK (total >= 0)\n);\n";
    let html = "<body>\n  <ul></ul>\n  <script src=\"a.js\"></script>\n</body>\n";
    for (extension, file, after, named) in [
        (
            "json",
            json,
            "{\n  \"name\": \"x\",\n  \"rights\": [\"a\", \"b\"]\n}\n",
            Some("`\"policy\": {` goes"),
        ),
        ("yaml", yaml, "db:\n  url: b\nlog: info\n", Some("`jpa:` goes")),
        (
            "sql",
            sql,
            "CREATE TABLE a (\n  id SERIAL,\n  total NUMERIC,\n  note TEXT\n);\n",
            Some("`CHECK (total >= 0)` goes"),
        ),
        (
            "html",
            html,
            "<body>\n  <ul></ul>\n  <footer>1</footer>\n</body>\n",
            Some("`<script src=\"a.js\"></script>` goes"),
        ),
        ("json", json, &json.replace("\"x\"", "\"y\""), None),
        ("yaml", yaml, "log: debug\ndb:\n  url: b\n  jpa:\n    auto: none\n", None),
        ("sql", sql, &sql.replace("NUMERIC", "BIGINT"), None),
    ] {
        assert_eq!(Losses::between(file, after, extension).entry_left_out().as_deref(), named, "{after}");
    }
    let script = "import './traces';\nimport a from 'a';\n\nrun(a);\n";
    let after = "import a from 'a';\n\nrun(a);\n";
    assert_eq!(Losses::between(script, after, "js").line_left_out().as_deref(), Some("import './traces';"));
}

#[test]
fn regression_a_text_may_end_inside_a_string_or_a_heredoc() {
    for (extension, text, expected) in [
        ("py", "TEXT = \"\"\"\nSay:\n", true),
        ("py", "\"\"\"Text.\"\"\"\nX = 1\n", false),
        ("sh", "cat > a.md <<'MD'\n# Use\n", true),
        ("sh", "cat <<-EOF\n  a\n  EOF\necho $((1 << 2))\n", false),
        ("js", "const a = `\nSay:\n", true),
        ("rs", "/* a\n", true),
        ("md", "```\n", false),
    ] {
        assert_eq!(crate::ends_in_string(text, extension), expected, "{text}");
    }
}
