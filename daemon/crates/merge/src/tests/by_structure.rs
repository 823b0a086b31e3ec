//! Parts by units: what a careful programmer makes of them.

use clada_test_extent::cases;

use crate::{Level, Part, Reason, merge};

/// A part: its name, the extension, the file, the part, and the merged file or the reason for the refusal.
pub(super) type Case = (&'static str, &'static str, &'static str, &'static str, Result<&'static str, Reason>);

const STORE: &str = "\
import os

class Store:
    def __init__(self, path):
        self.path = path

    def load(self):
        with open(self.path) as file:
            return file.read()

    def save(self, text):
        self.check()
        return write(self.path, text)
";

const OMITTED: &[Case] = &[
    (
        "a method without its last statements",
        "py",
        "class A:\n    def read(self):\n        for row in self.rows:\n            if row.bad:\n                continue\n            self.add(row)\n\n        if self.found:\n            self.found.sort()\n",
        "def read(self):\n    for row in self.rows:\n        if row.bad or row.empty:\n            continue\n        self.add(row)\n",
        Err(Reason::Loses),
    ),
    (
        "a function without its last statements, in braces",
        "js",
        "function read(rows) {\n  open(rows);\n  each(rows);\n  rows.sort();\n  close(rows);\n  return rows;\n}\n",
        "function read(rows) {\n  open(rows, true);\n  each(rows);\n}\n",
        Err(Reason::Loses),
    ),
    (
        "a function without its first statements",
        "py",
        "def read(rows):\n    \"\"\"Read.\"\"\"\n    if not rows:\n        return None\n    open(rows)\n    each(rows)\n    return rows\n",
        "def read(rows):\n    each(rows)\n    return rows, len(rows)\n",
        Err(Reason::Loses),
    ),
    (
        "a function of which one statement at the end goes",
        "js",
        "function read(rows) {\n  open(rows);\n  each(rows);\n  log(rows);\n}\n",
        "function read(rows) {\n  open(rows, true);\n  each(rows);\n}\n",
        Ok("function read(rows) {\n  open(rows, true);\n  each(rows);\n}\n"),
    ),
    (
        "a call of an object that a new line makes",
        "py",
        "def build(self):\n    self.a = Label(self.top, size=4)\n    self.a.pack(pady=10)\n\n    self.frame = Frame(self.top)\n    self.frame.pack()\n",
        "def build(self):\n    # ...\n\n    self.hint = Label(self.top, text=\"Pick one:\")\n    self.hint.pack(pady=10)\n\n    self.frame = Frame(self.top)\n    self.frame.pack()\n",
        Ok(
            "def build(self):\n    self.a = Label(self.top, size=4)\n    self.a.pack(pady=10)\n\n    self.hint = Label(self.top, text=\"Pick one:\")\n    self.hint.pack(pady=10)\n\n    self.frame = Frame(self.top)\n    self.frame.pack()\n",
        ),
    ),
    (
        "a function that ends in another way",
        "js",
        "function read(rows) {\n  open(rows);\n  each(rows);\n  rows.sort();\n  return rows;\n}\n",
        "function read(rows) {\n  open(rows);\n  each(rows);\n  return sorted(rows);\n}\n",
        Ok("function read(rows) {\n  open(rows);\n  each(rows);\n  return sorted(rows);\n}\n"),
    ),
    (
        "a branch without its other half",
        "js",
        "async function read(stream) {\n  if (stream.done) {\n    log('done');\n    close(stream);\n    refresh();\n  } else {\n    close(stream);\n    again();\n  }\n}\n",
        "if (stream.done) {\n  log('all is done');\n  close(stream);\n  send(stream);\n  refresh();\n}\n",
        Err(Reason::Loses),
    ),
    (
        "a branch without its handler",
        "py",
        "def read(path):\n    try:\n        text = load(path)\n        parse(text)\n    except ValueError:\n        report(path)\n        raise\n    return text\n",
        "try:\n    text = load(path, 'utf-8')\n    parse(text)\n",
        Ok(
            "def read(path):\n    try:\n        text = load(path, 'utf-8')\n        parse(text)\n    except ValueError:\n        report(path)\n        raise\n    return text\n",
        ),
    ),
    (
        "an element without a child",
        "html",
        "<html>\n<head>\n  <title>One</title>\n  <link rel=\"a\" href=\"/a.css\">\n  <link rel=\"b\" href=\"/b.css\">\n  <style>\n    p { color: red; }\n  </style>\n</head>\n<body>\n</body>\n</html>\n",
        "<head>\n  <title>One</title>\n  <link rel=\"a\" href=\"/c.css\">\n  <link rel=\"b\" href=\"/b.css\">\n</head>\n",
        Err(Reason::Loses),
    ),
    (
        "an element whose child is shown without a child",
        "xml",
        "<list>\n  <item name=\"a\">\n    <meta name=\"one\"/>\n    <filter>\n      <action name=\"main\"/>\n    </filter>\n  </item>\n</list>\n",
        "<list>\n  <item name=\"a\">\n    <filter>\n      <action name=\"view\"/>\n    </filter>\n  </item>\n</list>\n",
        Err(Reason::Loses),
    ),
    (
        "an element with another child in place of one",
        "html",
        "<div id=\"a\">\n  <p>one</p>\n  <span>two</span>\n</div>\n<p>end</p>\n",
        "<div id=\"a\">\n  <p>one</p>\n  <b>two</b>\n</div>\n",
        Ok("<div id=\"a\">\n  <p>one</p>\n  <b>two</b>\n</div>\n<p>end</p>\n"),
    ),
    (
        "a class without an annotation",
        "java",
        "package a;\n\n@Data\n@Entity\n@Table(name = \"a\")\npublic class Item {\n    private String name;\n    private int score;\n}\n",
        "@Data\n@Builder\npublic class Item {\n    private String name;\n    private int score;\n}\n",
        Err(Reason::Loses),
    ),
    (
        "a start tag that leaves attributes out",
        "xml",
        "<manifest>\n  <application\n    android:label=\"tides\"\n    android:icon=\"@mipmap/tides\">\n    <activity/>\n  </application>\n</manifest>\n",
        "<application\n  android:label=\"Tides\"\n  ...>\n",
        Err(Reason::Elided),
    ),
    (
        "a name of a module that is imported whole",
        "py",
        "from limits import *\n\n\ndef kind(name):\n    return name != \"x\"\n",
        "from limits import EXCLUDED\n\n\ndef kind(name):\n    return name not in EXCLUDED\n",
        Ok("from limits import *\n\n\ndef kind(name):\n    return name not in EXCLUDED\n"),
    ),
    (
        "an import in the place of one of all names",
        "py",
        "from models import Table\nfrom utils import *\nimport numbers\n\n\nclass Ledger(Table):\n    def rows(self):\n        return [clean(row) for row in self.raw]\n",
        "from models import Table\nfrom constants import LETTERS\nimport numbers\n\n\nclass Ledger(Table):\n    # ... rest of the code ...\n",
        Err(Reason::Loses),
    ),
    (
        "an element of JSX without a child",
        "jsx",
        "export default function App() {\n  return (\n    <Layout>\n      <Header title=\"x\" />\n      <Main>\n        <Card a={a} />\n        <Card b={b} />\n      </Main>\n    </Layout>\n  );\n}\n",
        "return (\n  <Layout>\n    <Header title=\"y\" />\n  </Layout>\n);\n",
        Err(Reason::Loses),
    ),
    (
        "methods of a component",
        "vue",
        "<template>\n  <h1>T</h1>\n</template>\n\n<script>\nexport default {\n  name: 'X',\n  methods: {\n    one() { return 1 },\n    two() { return 2 },\n  },\n}\n</script>\n",
        "methods: {\n  three() { return 3 },\n},\n",
        Err(Reason::Loses),
    ),
    (
        "a rule of a component's style",
        "vue",
        "<template>\n  <h1>T</h1>\n</template>\n\n<script setup>\nconst n = 1\n</script>\n\n<style scoped>\n.app {\n  color: red;\n  padding: 1rem;\n}\n</style>\n",
        ".app {\n  color: blue;\n}\n",
        Ok(
            "<template>\n  <h1>T</h1>\n</template>\n\n<script setup>\nconst n = 1\n</script>\n\n<style scoped>\n.app {\n  color: blue;\n  padding: 1rem;\n}\n</style>\n",
        ),
    ),
    (
        "a function of a component's script",
        "svelte",
        "<script lang=\"ts\">\n  let n = 0;\n\n  function add() {\n    n += 1;\n  }\n</script>\n\n<button on:click={add}>{n}</button>\n",
        "function add() {\n  n += 2;\n}\n",
        Ok(
            "<script lang=\"ts\">\n  let n = 0;\n\n  function add() {\n    n += 2;\n  }\n</script>\n\n<button on:click={add}>{n}</button>\n",
        ),
    ),
    (
        "a comment in words of its own for lines",
        "py",
        "def read(path):\n    a = open(path)\n    b = a.read()\n    c = parse(b)\n    return c\n",
        "def read(path, mode):\n    a = open(path)\n    # same code here\n    return c\n",
        Err(Reason::Elided),
    ),
    (
        "a body of dots",
        "py",
        "def read(path):\n    a = open(path)\n    return a\n\n\ndef load():\n    return read(\"a\")\n",
        "def read(path): ...\n\n\ndef load():\n    return read(\"b\")\n",
        Err(Reason::Elided),
    ),
    (
        "a value of several lines",
        "css",
        ".card {\n  color: red;\n  box-shadow:\n    8px 8px 8px rgba(112, 32, 130, 0.3),\n    6px 6px 6px rgba(112, 32, 130, 0.1);\n  margin: 4px;\n}\n",
        ".card {\n  color: blue;\n  box-shadow:\n    0 4px 6px rgba(112, 32, 130, 0.1),\n    0 1px 3px rgba(112, 32, 130, 0.08);\n}\n",
        Ok(
            ".card {\n  color: blue;\n  box-shadow:\n    0 4px 6px rgba(112, 32, 130, 0.1),\n    0 1px 3px rgba(112, 32, 130, 0.08);\n  margin: 4px;\n}\n",
        ),
    ),
    (
        "an end tag that makes a piece look whole",
        "html",
        "<table>\n{% for cell in cells %}\n  {% if cell.first %}\n  <tr class=\"{{ cell.kind }}\">\n    <td id=\"{{ cell.id }}\">\n      {{ cell.name }}\n    </td>\n  {% endif %}\n  <td id=\"{{ cell.id }}\">{{ cell.value }}</td>\n  {% if cell.last %}\n  </tr>\n  {% endif %}\n{% endfor %}\n</table>\n",
        "<tr class=\"{{ cell.kind }}\">\n  <td id=\"{{ cell.id }}\">\n    {{ cell.name }}\n  </td>\n</tr>\n",
        Err(Reason::Breaks),
    ),
    (
        "lines of the file, with others between them",
        "py",
        "class Table:\n    def __init__(self, file):\n        print(f\"reading {file}\")\n        # Private\n        self.frame = read(file)\n        print(f\"shape {self.frame.shape}\")\n        self.file = file\n",
        "print(f\"reading {file}\")\nprint(f\"shape {self.frame.shape}\")\n",
        Err(Reason::AlreadyThere),
    ),
];

#[test]
fn regression_what_a_part_leaves_out_unsaid_does_not_go() {
    check_cases(OMITTED);
}

const LIST: &str = "<plist version=\"1.0\">\n<dict>\n\t<key>Name</key>\n\t<string>shelf</string>\n\t<key>Types</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>Role</key>\n\t\t\t<string>Editor</string>\n\t\t</dict>\n\t</array>\n\t<key>Version</key>\n\t<string>7</string>\n</dict>\n</plist>\n";

const PROPERTY_LISTS: &[Case] = &[
    (
        "values of two keys",
        "plist",
        LIST,
        "<key>Name</key>\n<string>Book Shelf</string>\n<key>Version</key>\n<string>8</string>\n",
        Ok(
            "<plist version=\"1.0\">\n<dict>\n\t<key>Name</key>\n\t<string>Book Shelf</string>\n\t<key>Types</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>Role</key>\n\t\t\t<string>Editor</string>\n\t\t</dict>\n\t</array>\n\t<key>Version</key>\n\t<string>8</string>\n</dict>\n</plist>\n",
        ),
    ),
    (
        "new keys, one with an array",
        "plist",
        LIST,
        "<key>Camera</key>\n<string>To scan</string>\n<key>Schemes</key>\n<array>\n    <string>tel</string>\n</array>\n",
        Ok(
            "<plist version=\"1.0\">\n<dict>\n\t<key>Name</key>\n\t<string>shelf</string>\n\t<key>Types</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>Role</key>\n\t\t\t<string>Editor</string>\n\t\t</dict>\n\t</array>\n\t<key>Version</key>\n\t<string>7</string>\n\t<key>Camera</key>\n\t<string>To scan</string>\n\t<key>Schemes</key>\n\t<array>\n\t\t<string>tel</string>\n\t</array>\n</dict>\n</plist>\n",
        ),
    ),
    (
        "a new key behind a shown one",
        "plist",
        LIST,
        "  <key>Name</key>\n  <string>shelf</string>\n  <key>Locked</key>\n  <true/>\n",
        Ok(
            "<plist version=\"1.0\">\n<dict>\n\t<key>Name</key>\n\t<string>shelf</string>\n\t<key>Locked</key>\n\t<true/>\n\t<key>Types</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>Role</key>\n\t\t\t<string>Editor</string>\n\t\t</dict>\n\t</array>\n\t<key>Version</key>\n\t<string>7</string>\n</dict>\n</plist>\n",
        ),
    ),
    ("what is there", "plist", LIST, "<key>Version</key>\n<string>7</string>\n", Err(Reason::AlreadyThere)),
    (
        "a key without a value",
        "plist",
        LIST,
        "<key>Name</key>\n<string>x</string>\n<key>Types</key>\n",
        Err(Reason::CutOff),
    ),
];

#[test]
fn regression_a_key_and_its_value_are_one_entry_of_a_property_list() {
    check_cases(PROPERTY_LISTS);
}

const CASES: &[Case] = &[
    (
        "an entry keeps its comma",
        "js",
        "f({\n  get a() { return x.a },\n  b: 1,\n})\n",
        "get a() { return x.b }\n",
        Ok("f({\n  get a() { return x.b },\n  b: 1,\n})\n"),
    ),
    (
        "a variable that stays in use",
        "js",
        "class A {\n  constructor () {\n    let steps = 0\n    const images = make(3)\n    this.back = () => {\n      steps--\n    }\n  }\n}\n",
        "class A {\n  constructor () {\n    let place = 0\n    const images = make(4)\n    // ... existing code ...\n  }\n}\n",
        Err(Reason::Breaks),
    ),
    (
        "an element that is left open",
        "html",
        "<main>\n  <div class=\"a\">\n    <p>one</p>\n  </div>\n</main>\n",
        "<div class=\"a\">\n  <section>\n  <p>two</p>\n</div>\n",
        Err(Reason::Breaks),
    ),
    (
        "the one of several places that its own lines tell",
        "go",
        "func A() {\n\ttests := []T{\n\t\t{name: \"a\", path: \"\"},\n\t\t{name: \"b\", path: \"\"},\n\t\t{name: \"c\", path: \"\"},\n\t}\n\trun(tests)\n}\n\nfunc B() {\n\ttests := []T{\n\t\t{name: \"x\", path: \"\"},\n\t\t{name: \"y\", path: \"\"},\n\t}\n\trun(tests)\n}\n",
        "tests := []T{\n\t{name: \"x\", path: \"\"},\n\t{name: \"y\", path: \"\"},\n\t{name: \"z\", path: \"\"},\n}\n",
        Ok(
            "func A() {\n\ttests := []T{\n\t\t{name: \"a\", path: \"\"},\n\t\t{name: \"b\", path: \"\"},\n\t\t{name: \"c\", path: \"\"},\n\t}\n\trun(tests)\n}\n\nfunc B() {\n\ttests := []T{\n\t\t{name: \"x\", path: \"\"},\n\t\t{name: \"y\", path: \"\"},\n\t\t{name: \"z\", path: \"\"},\n\t}\n\trun(tests)\n}\n",
        ),
    ),
    (
        "a method alone, without its indentation",
        "py",
        STORE,
        "def load(self):\n    with open(self.path, \"rb\") as file:\n        return file.read()\n",
        Ok("\
import os

class Store:
    def __init__(self, path):
        self.path = path

    def load(self):
        with open(self.path, \"rb\") as file:
            return file.read()

    def save(self, text):
        self.check()
        return write(self.path, text)
"),
    ),
    (
        "a new method between shown ones",
        "py",
        STORE,
        "class Store:\n    # ... existing code ...\n\n    def size(self):\n        return 0\n\n    def save(self, text):\n        # ... existing code ...\n",
        Ok("\
import os

class Store:
    def __init__(self, path):
        self.path = path

    def load(self):
        with open(self.path) as file:
            return file.read()

    def size(self):
        return 0

    def save(self, text):
        self.check()
        return write(self.path, text)
"),
    ),
    (
        "a new method between markers goes to the end",
        "py",
        STORE,
        "class Store:\n    # ...\n\n    def size(self):\n        return 0\n\n    # ...\n",
        Ok("\
import os

class Store:
    def __init__(self, path):
        self.path = path

    def load(self):
        with open(self.path) as file:
            return file.read()

    def save(self, text):
        self.check()
        return write(self.path, text)

    def size(self):
        return 0
"),
    ),
    (
        "an import beside the file's",
        "py",
        "import os\nfrom a import b\n\nx = 1\n\n\ndef f():\n    return x\n",
        "from a import c\n\n# ...\n\ndef f():\n    return c(x)\n",
        Ok("import os\nfrom a import b, c\n\nx = 1\n\n\ndef f():\n    return c(x)\n"),
    ),
    (
        "a line moved out of a block is a change",
        "py",
        "def f():\n    if a:\n        one()\n        two()\n",
        "def f():\n    if a:\n        one()\n    two()\n",
        Ok("def f():\n    if a:\n        one()\n    two()\n"),
    ),
    (
        "a key named where continues nothing",
        "ts",
        "const q = {\n  from: 'a',\n  where: 'b',\n  limit: 1,\n};\n",
        "const q = {\n  from: 'a',\n  where: 'c',\n  limit: 1,\n};\n",
        Ok("const q = {\n  from: 'a',\n  where: 'c',\n  limit: 1,\n};\n"),
    ),
    (
        "entries of JSON, commas mended",
        "json",
        "{\n  \"a\": 1,\n  \"scripts\": {\n    \"build\": \"x\",\n    \"test\": \"y\"\n  }\n}\n",
        "{\n  \"scripts\": {\n    \"build\": \"x\",\n    \"lint\": \"z\"\n  }\n}\n",
        Ok(
            "{\n  \"a\": 1,\n  \"scripts\": {\n    \"build\": \"x\",\n    \"lint\": \"z\",\n    \"test\": \"y\"\n  }\n}\n",
        ),
    ),
    (
        "properties of a rule, the others stay",
        "css",
        "a {\n  color: red;\n  margin: 0;\n}\n\nb {\n  top: 0;\n}\n",
        "a {\n  color: blue;\n}\n",
        Ok("a {\n  color: blue;\n  margin: 0;\n}\n\nb {\n  top: 0;\n}\n"),
    ),
    (
        "keys of YAML",
        "yaml",
        "services:\n  web:\n    image: a\n    ports:\n      - 80\n  db:\n    image: b\n",
        "services:\n  web:\n    image: c\n",
        Ok("services:\n  web:\n    image: c\n    ports:\n      - 80\n  db:\n    image: b\n"),
    ),
    (
        "a section of TOML",
        "toml",
        "[a]\nx = 1\n\n[b]\ny = 2\nz = 3\n",
        "[b]\ny = 4\n",
        Ok("[a]\nx = 1\n\n[b]\ny = 4\nz = 3\n"),
    ),
    (
        "spaces of the part, tabs of the file",
        "go",
        "package a\n\nfunc f() {\n\tone()\n}\n\nfunc g() {\n\ttwo()\n}\n",
        "func g() {\n    if x {\n        three()\n    }\n    two()\n}\n",
        Ok("package a\n\nfunc f() {\n\tone()\n}\n\nfunc g() {\n\tif x {\n\t\tthree()\n\t}\n\ttwo()\n}\n"),
    ),
    (
        "an export that the part leaves out",
        "py",
        STORE,
        "class Store:\n    def load(self):\n        return 1\n\n    def save(self, text):\n        return 2\n",
        Err(Reason::Loses),
    ),
    ("dots for arguments", "js", "f(a, b);\ng();\n", "f(...);\nh();\n", Err(Reason::Elided)),
    (
        "already there",
        "py",
        STORE,
        "    def load(self):\n        with open(self.path) as file:\n",
        Err(Reason::AlreadyThere),
    ),
    ("nothing of it is there", "py", STORE, "print(1)\nprint(2)\n", Err(Reason::NoPlace)),
    (
        "a long method by a short one",
        "js",
        "function f() {\n  a();\n  b();\n  c();\n  d();\n  e();\n  g();\n}\n",
        "function f() {\n  a();\n}\n",
        Err(Reason::Loses),
    ),
    (
        "an `else` would go, and what is before it stays",
        "py",
        "def run(x):\n    if x:\n        a(x)\n    else:\n        b(x)\n    return x\n",
        "def run(x):\n    check(x)\n    if x:\n        a(x)\n    return x\n",
        Err(Reason::Loses),
    ),
    (
        "a branch that changes may lose its `else`",
        "py",
        "def run(x):\n    if x:\n        a(x)\n    else:\n        b(x)\n    return x\n",
        "def run(x):\n    if not x:\n        b(x)\n    a(x)\n    return x\n",
        Ok("def run(x):\n    if not x:\n        b(x)\n    a(x)\n    return x\n"),
    ),
    (
        "the last line is cut off",
        "js",
        "function a() {\n  return 1;\n}\n\nconst b = a();\n",
        "function a() {\n  return 2;\n}\n\nconst b =\n",
        Err(Reason::CutOff),
    ),
];

#[test]
fn parts_merge_by_structure() {
    check_cases(CASES);
}

pub(super) fn check_cases(cases: &[Case]) {
    let mut failures = String::new();
    for (name, extension, file, part, wanted) in cases {
        let merged = merge(file, &Part::new(part, extension));
        let is_right = match (&merged, wanted) {
            (Ok(merged), Ok(wanted)) => merged.text == *wanted,
            (Err(refused), Err(reason)) => refused.reason == *reason,
            _ => false,
        };
        if !is_right {
            failures.push_str(&format!("{name}: {merged:#?}, not {wanted:#?}\n"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn the_end_of_a_class_is_a_guess() {
    let part = "class Store:\n    # ...\n\n    def size(self):\n        return 0\n\n    # ...\n";
    let merged = merge(STORE, &Part::new(part, "py")).unwrap();
    assert_eq!(merged.level, Level::ByStructure);
    let notes: Vec<String> = merged.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["inserted `size` at the end of `Store`: a guess"]);
}

#[test]
fn what_the_answer_removes_goes() {
    let part = "class Store:\n    def __init__(self, path):\n        self.path = path\n\n    def save(self, text):\n        # ...\n";
    let removals = ["load"];
    let merged = merge(STORE, &Part { removals: &removals, ..Part::new(part, "py") }).unwrap();
    assert!(!merged.text.contains("def load"), "{}", merged.text);
    assert!(merged.notes.iter().any(|note| note.to_string() == "removed `load`"), "{:?}", merged.notes);
}

#[test]
fn many_units_are_merged_within_bounds() {
    let unit = |at: usize| format!("function f{at}() {{\n  return {at};\n}}\n\n");
    let count = cases(1_000, 10_000);
    let file: String = (0..count).map(unit).collect();
    let part: String = (0..count).map(|at| unit(at).replace("return", "yield")).collect();
    let merged = merge(&file, &Part::new(&part, "js")).unwrap();
    assert_eq!(merged.text, part.trim_end().to_owned() + "\n\n");
    let same: String = "function f() {\n  return 1;\n}\n\n// ...\n".repeat(count / 5);
    assert!(merge(&file, &Part::new(&same, "js")).is_err());
}

#[test]
fn regression_an_object_of_a_list_is_not_mixed_with_another() {
    let one = "    {\n      \"type\": \"node\",\n      \"request\": \"launch\",\n      \"name\": \"one\",\n      \"port\": 1\n    }";
    let two = one.replace("one", "two").replace("\"port\": 1", "\"stop\": true");
    let new = one.replace("one", "three").replace("node", "chrome");
    let list = |entries: &[&str]| format!("{{\n  \"all\": [\n{}\n  ]\n}}\n", entries.join(",\n"));
    for (file, part) in [
        (list(&[one, &two]), list(&[&new])),
        (list(&[one]), list(&[&new])),
        (list(&[one, &two]), list(&[&new, &two])),
        (list(&[one, &two]), list(&[&two, &new])),
    ] {
        // Each object is there as it was or as it is shown, or gone as a whole.
        if let Ok(merged) = merge(&file, &Part::new(&part, "json")) {
            for name in ["one", "two", "three"] {
                let whole = [one, &two, &new].into_iter().find(|object| object.contains(name)).unwrap();
                assert!(merged.text.contains(whole) || !merged.text.contains(name), "{part}\n{merged:#?}");
            }
        }
    }
    // What has the same name is the same.
    let changed = two.replace("node", "chrome");
    let merged = merge(&list(&[one, &two]), &Part::new(&list(&[one, &changed]), "json")).unwrap();
    assert_eq!(merged.text, list(&[one, &changed]));
}
