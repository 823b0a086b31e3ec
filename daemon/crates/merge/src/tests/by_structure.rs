//! Parts by units: what a careful programmer makes of them.

use clada_test_extent::cases;

use crate::{Level, Part, Reason, merge};

/// A part: its name, the extension, the file, the part, and the merged file or the reason for the refusal.
type Case = (&'static str, &'static str, &'static str, &'static str, Result<&'static str, Reason>);

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
    for (name, extension, file, part, wanted) in CASES {
        let merged = merge(file, &Part::new(part, extension));
        match (merged, wanted) {
            (Ok(merged), Ok(wanted)) => assert_eq!(&merged.text, wanted, "{name}: {:?}", merged.notes),
            (Err(refused), Err(reason)) => assert_eq!(refused.reason, *reason, "{name}: {refused}"),
            (merged, wanted) => panic!("{name}: {merged:?}, not {wanted:?}"),
        }
    }
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
