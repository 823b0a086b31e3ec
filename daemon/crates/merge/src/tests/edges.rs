//! New lines for the end or the top of a part of a file that words name.

use crate::{Edge, Level, Part, Reason, insert};

/// The extension, the file, the name, whether its end is meant, the lines, and the old and new text or the reason.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    bool,
    &'static str,
    Result<(&'static str, &'static str), Reason>,
);

const STORE: &str = "class Store:\n    \"\"\"Keeps.\"\"\"\n\n    def __init__(self):\n        self.items = {}\n\n    def get(self):\n        return self.items\n\n\nclass Cache(Store):\n    def get(self):\n        return None\n\n\nNAMES = [\n    \"a\",\n]\n\ngo()\n";
const COMPOSE: &str = "services:\n  api:\n    image: api\n    environment:\n      A: 1\n\n  # the database\n  db:\n    restart: always\n    environment:\n      B: 2\n";
const SETTINGS: &str = "[a]\nx = 1\n\n# of b\n[b]\nx = 1\n\n[c]\n";
const README: &str = "# Pot\n\n## 🚀 Setup\n\nFill it.\n\n- one\n- two\n\n## Use\n\nPour.\n";
const RUST: &str = "struct Pot {\n    a: u8,\n}\n\nimpl Pot {\n    fn size(&self) -> u8 {\n        let b = self.a;\n        b + 1\n    }\n}\n\nimpl Display for Pot {\n    fn fmt(&self) {}\n}\n";
const SCRIPT: &str = "class A extends B {\n  constructor(x) {\n    super(x);\n  }\n}\n\nconst routes = [\n  one,\n  two\n];\n\nconst run = async () => {\n  go();\n};\n";

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("py", STORE, "Store", true, "def size(self):\n    return 1\n", Ok(("        return self.items\n", "        return self.items\n\n    def size(self):\n        return 1\n"))),
    ("py", STORE, "Store.get", true, "check()\n", Ok(("        return self.items\n", "        check()\n        return self.items\n"))),
    ("py", STORE, "__init__", true, "        self.hits = 0\n", Ok(("{}\n", "{}\n        self.hits = 0\n"))),
    ("py", STORE, "Store", false, "limit = 1\n", Ok(("\"\"\"Keeps.\"\"\"\n", "\"\"\"Keeps.\"\"\"\n\n    limit = 1\n"))),
    ("py", STORE, "NAMES", true, "\"b\"\n", Ok(("\"a\",\n", "\"a\",\n    \"b\",\n"))),
    ("py", STORE, "get", true, "check()\n", Err(Reason::Ambiguous)),
    ("py", STORE, "Shelf", true, "check()\n", Err(Reason::NoPlace)),
    ("py", STORE, "Store", true, "    def get(self):\n        return self.items\n", Err(Reason::AlreadyThere)),
    ("py", STORE, "Cache", true, "def get(self):\n    return 1\n", Err(Reason::Ambiguous)),
    ("yaml", COMPOSE, "api", true, "restart: always\n", Ok(("      A: 1\n", "      A: 1\n    restart: always\n"))),
    ("yaml", COMPOSE, "services.db.environment", true, "C: 3\n", Ok(("      B: 2\n", "      B: 2\n      C: 3\n"))),
    ("yaml", COMPOSE, "services", false, "  web:\n    image: web\n", Ok(("services:\n", "services:\n  web:\n    image: web\n\n"))),
    ("yaml", COMPOSE, "environment", true, "C: 3\n", Err(Reason::Ambiguous)),
    ("toml", SETTINGS, "[a]", true, "y = 2\n", Ok(("x = 1\n", "x = 1\ny = 2\n"))),
    ("toml", SETTINGS, "c", true, "y = 2\n", Ok(("[c]\n", "[c]\ny = 2\n"))),
    ("toml", SETTINGS, "[a]", true, "x = 2\n", Err(Reason::Breaks)),
    ("json", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", "a", true, "\"c\": 2\n", Ok(("1\n", "1,\n    \"c\": 2\n"))),
    ("README.md", README, "Setup", true, "- three\n", Ok(("- two\n", "- two\n- three\n"))),
    ("README.md", README, "## Use", false, "First, fill it.\n", Ok(("Pour.\n", "First, fill it.\n\nPour.\n"))),
    ("Makefile", "all dist: a\n\tcc a.c\n\nclean:\n\trm a\n", "dist", true, "strip a\n", Ok(("a.c\n", "a.c\n\tstrip a\n"))),
    ("css", ".a {\n  x: 1;\n}\n\n.b {\n  x: 1;\n}\n", ".a", true, "  y: 2;\n", Ok(("x: 1;\n", "x: 1;\n  y: 2;\n"))),
    ("rs", RUST, "Pot", true, "fn get(&self) {}\n", Ok(("        b + 1\n    }\n", "        b + 1\n    }\n\n    fn get(&self) {}\n"))),
    ("rs", RUST, "Pot", true, "b: u8,\n", Ok(("a: u8,\n", "a: u8,\n    b: u8,\n"))),
    ("rs", RUST, "size()", true, "check(b);\n", Ok(("        b + 1\n", "        check(b);\n        b + 1\n"))),
    ("js", SCRIPT, "constructor", false, "this.y = 1;\n", Ok(("super(x);\n", "super(x);\n    this.y = 1;\n"))),
    ("js", SCRIPT, "routes", true, "three,\n", Ok(("  two\n", "  two,\n  three\n"))),
    ("js", SCRIPT, "run", false, "log();\n", Ok(("  go();\n", "  log();\n  go();\n"))),
    ("html", "<html>\n<body>\n  <p>a</p>\n</body>\n</html>\n", "<body>", true, "<p>b</p>\n", Ok(("  <p>a</p>\n", "  <p>a</p>\n  <p>b</p>\n"))),
];

#[test]
fn lines_go_to_the_end_or_the_top_of_the_part_that_is_named() {
    for (extension, file, name, is_end, text, expected) in CASES {
        let edge = Edge { name, is_end: *is_end };
        let merged = insert(file, &Part::new(text, extension), edge);
        let expected = expected.map(|(old, new)| file.replacen(old, new, 1));
        let what = format!("{name} {is_end}: {text}");
        match (merged, expected) {
            (Ok(merged), Ok(expected)) => {
                assert_eq!(merged.text, expected, "{what}");
                let is_guess = merged.notes.iter().any(|note| note.is_guess);
                assert_eq!(is_guess, merged.level == Level::ByStructure, "{what}");
            }
            (merged, expected) => {
                assert_eq!(
                    merged.map(|merged| merged.text).map_err(|refused| refused.reason),
                    expected,
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn lines_of_the_file_in_the_part_give_the_place_themselves() {
    let part = "class Store:\n    # ... existing code ...\n\n    def size(self):\n        return 1\n";
    let merged = insert(STORE, &Part::new(part, "py"), Edge { name: "Store", is_end: true }).unwrap();
    let expected = STORE.replacen(
        "        return self.items\n",
        "        return self.items\n\n    def size(self):\n        return 1\n",
        1,
    );
    assert_eq!(merged.text, expected);
}
