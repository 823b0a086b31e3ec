//! New definitions and entries of which words say no place: each goes beside its kind, or to the only class that may have it.

use crate::{Part, Reason, merge};

/// A name, an extension, the words above the part, the file, the part, and what stands in the file instead of what.
type Labelled<'c> = (&'c str, &'c str, &'c str, &'c str, &'c str, Result<(&'c str, &'c str), Reason>);

/// Merges parts for which the answer names the file.
fn check_labelled(cases: &[Labelled<'_>]) {
    let mut failures = String::new();
    for (name, extension, words, file, text, expected) in cases {
        let part = Part { is_labelled: true, words, ..Part::new(text, extension) };
        let merged = merge(file, &part);
        let is_right = match (&merged, expected) {
            (Ok(merged), Ok((old, new))) => {
                assert!(file.contains(old), "{name}");
                merged.text == file.replacen(old, new, 1)
            }
            (Err(refused), Err(reason)) => refused.reason == *reason,
            _ => false,
        };
        if !is_right {
            failures.push_str(&format!("{name}: {merged:#?}, not {expected:#?}\n"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

const PHP: &str = "<?php\n\nnamespace Tea;\n\nclass Pot\n{\n    public function fill()\n    {\n        return 1;\n    }\n}\n";
const JAVA: &str = "package tea;\n\nimport java.util.List;\n\npublic class Pot {\n    private int size;\n    private String colour;\n\n    public int size() {\n        return size;\n    }\n}\n";
const RUST: &str = "pub struct Pot {\n    size: u8,\n}\n\nimpl Pot {\n    pub fn size(&self) -> u8 {\n        self.size\n    }\n}\n\nimpl Drop for Pot {\n    fn drop(&mut self) {\n        log(1);\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn is_empty() {\n        let pot = Pot { size: 0 };\n        assert_eq!(pot.size(), 0);\n    }\n}\n";

#[test]
fn regression_a_new_method_goes_to_the_only_class_that_may_have_it() {
    check_labelled(&[
        (
            "without indentation, in PHP",
            "php",
            "`Pot.php`",
            PHP,
            "public function pour(): int\n{\n    return 2;\n}\n",
            Ok((
                "        return 1;\n    }\n",
                "        return 1;\n    }\n\n    public function pour(): int\n    {\n        return 2;\n    }\n",
            )),
        ),
        (
            "of a struct of Rust",
            "rs",
            "In `pot.rs`:",
            RUST,
            "pub fn is_full(&self) -> bool {\n    self.size > 9\n}\n",
            Ok((
                "        self.size\n    }\n",
                "        self.size\n    }\n\n    pub fn is_full(&self) -> bool {\n        self.size > 9\n    }\n",
            )),
        ),
        (
            "a test of Rust",
            "rs",
            "And one for the other case:",
            RUST,
            "#[test]\nfn is_filled() {\n    let mut pot = Pot { size: 0 };\n    pot.size = 2;\n    assert_eq!(pot.size(), 2);\n}\n",
            Ok((
                "        assert_eq!(pot.size(), 0);\n    }\n",
                "        assert_eq!(pot.size(), 0);\n    }\n\n    #[test]\n    fn is_filled() {\n        let mut pot = Pot { size: 0 };\n        pot.size = 2;\n        assert_eq!(pot.size(), 2);\n    }\n",
            )),
        ),
        (
            "of one of two classes, which the words name",
            "java",
            "Update the `Cup` class:",
            "class Pot {\n    int a() {\n        return 1;\n    }\n}\n\nclass Cup {\n    int b() {\n        return 2;\n    }\n}\n",
            "int c() {\n    return 3;\n}\n",
            Ok((
                "        return 2;\n    }\n",
                "        return 2;\n    }\n\n    int c() {\n        return 3;\n    }\n",
            )),
        ),
        (
            "of a class in a namespace",
            "cs",
            "`Pot.cs`",
            "namespace Tea\n{\n    public class Pot\n    {\n        public int Size()\n        {\n            return 1;\n        }\n    }\n}\n",
            "public int Half()\n{\n    return 2;\n}\n",
            Ok((
                "            return 1;\n        }\n",
                "            return 1;\n        }\n\n        public int Half()\n        {\n            return 2;\n        }\n",
            )),
        ),
        // Nothing says which of them.
        (
            "of one of two classes",
            "java",
            "Update `Tea.java`:",
            "class Pot {\n    int a() {\n        return 1;\n    }\n}\n\nclass Cup {\n    int b() {\n        return 2;\n    }\n}\n",
            "int c() {\n    return 3;\n}\n",
            Err(Reason::Ambiguous),
        ),
        (
            "a field",
            "java",
            "Update `Pot.java`:",
            JAVA,
            "private String lid;\n",
            Ok(("    private String colour;\n", "    private String colour;\n    private String lid;\n")),
        ),
    ]);
}

#[test]
fn regression_a_field_stands_with_those_of_its_attribute() {
    const VIEW: &str = "struct PotView: View {\n    @State private var pot: Pot?\n    @State private var size = 1\n\n    private let store = Store()\n\n    var body: some View {\n        Text(\"tea\")\n    }\n}\n";
    let part = Part { label_says_add: true, ..Part::new("@State private var isHot = false\n", "swift") };
    let merged = merge(VIEW, &part).expect("one class");
    let expected = VIEW.replace("var size = 1\n", "var size = 1\n    @State private var isHot = false\n");
    assert_eq!(merged.text, expected);
}

#[test]
fn regression_methods_below_imports_are_none_of_them() {
    let imports = "import java.util.Map;\n\n    public Map<String, Integer> sizes() {\n        return Map.of();\n    }\n";
    let with_marker = "import java.util.Map;\n\n// ...\n\n    public Map<String, Integer> sizes() {\n        return Map.of();\n    }\n";
    let changed = "import java.util.Map;\n\n    public int size() {\n        return size + 1;\n    }\n";
    let import = "import java.util.List;\nimport java.util.Map;\n";
    for (part, old, new) in [
        (
            imports,
            "        return size;\n    }\n",
            "        return size;\n    }\n\n    public Map<String, Integer> sizes() {\n        return Map.of();\n    }\n",
        ),
        (
            with_marker,
            "        return size;\n    }\n",
            "        return size;\n    }\n\n    public Map<String, Integer> sizes() {\n        return Map.of();\n    }\n",
        ),
        // One that the file has, below an import that it has not.
        (changed, "return size;", "return size + 1;"),
    ] {
        let merged = merge(JAVA, &Part { is_labelled: true, ..Part::new(part, "java") }).expect(part);
        let expected = JAVA.replace("import java.util.List;\n", import).replace(old, new);
        assert_eq!(merged.text, expected);
    }
}

const EXPRESS: &str = "const app = express();\n\napp.use(cors());\napp.get(\"/teas\", list);\napp.post(\"/teas\", brew);\n\napp.listen(80);\n";

#[test]
fn regression_a_call_that_registers_has_its_key_in_all_its_arguments() {
    check_labelled(&[
        (
            "a service of another type",
            "cs",
            "Register it in `Program.cs`:",
            "var builder = App.Create(args);\n\nbuilder.Services.AddScoped<IPot, Pot>();\nbuilder.Services.AddSingleton<IClock, Clock>();\n\nbuilder.Run();\n",
            "builder.Services.AddScoped<ICup, Cup>();\n",
            Ok((
                "builder.Services.AddScoped<IPot, Pot>();\n",
                "builder.Services.AddScoped<IPot, Pot>();\nbuilder.Services.AddScoped<ICup, Cup>();\n",
            )),
        ),
        (
            "a route with another method",
            "js",
            "`app.js`",
            EXPRESS,
            "app.delete(\"/teas/:id\", remove);\n",
            Ok((
                "app.post(\"/teas\", brew);\n",
                "app.post(\"/teas\", brew);\napp.delete(\"/teas/:id\", remove);\n",
            )),
        ),
        (
            "a route with the same path and another method",
            "php",
            "`routes.php`",
            "<?php\n\nRoute::get('/teas', [TeaController::class, 'index']);\nRoute::get('/pots', [PotController::class, 'index']);\n",
            "Route::post('/teas', [TeaController::class, 'store']);\n",
            Ok((
                "Route::get('/pots', [PotController::class, 'index']);\n",
                "Route::get('/pots', [PotController::class, 'index']);\nRoute::post('/teas', [TeaController::class, 'store']);\n",
            )),
        ),
        (
            "below a line that says another place",
            "js",
            "Right before the server starts:",
            EXPRESS,
            "app.get(\"/pots\", pots);\n",
            Err(Reason::NoPlace),
        ),
        (
            "the method of a route changes",
            "js",
            "`app.js`",
            EXPRESS,
            "app.put(\"/teas\", brew);\n",
            Ok(("app.post(\"/teas\", brew);", "app.put(\"/teas\", brew);")),
        ),
    ]);
}

#[test]
fn regression_a_line_with_more_words_takes_the_place_of_its_old_form() {
    check_labelled(&[
        (
            "names of an object",
            "ts",
            "Return it:",
            "export function useTea() {\n  const a = 1;\n  if (!a) return;\n  return { a, brew, pour };\n}\n",
            "return { a, brew, pour, count: count(a) };\n",
            Ok(("return { a, brew, pour };", "return { a, brew, pour, count: count(a) };")),
        ),
        (
            "a function in front of it",
            "ts",
            "and add it to the hook:",
            "export function useTea() {\n  const a = 1;\n\n  return { a, brew };\n}\n",
            "function pour() {\n  return a;\n}\n\nreturn { a, brew, pour };\n",
            Ok((
                "  return { a, brew };",
                "  function pour() {\n    return a;\n  }\n\n  return { a, brew, pour };",
            )),
        ),
        (
            "the only heading of a page",
            "tsx",
            "Show it in the heading:",
            "export function Page() {\n  return (\n    <main>\n      <h1>Teas</h1>\n      <p>Hot</p>\n    </main>\n  );\n}\n",
            "<h1>Teas ({count} hot)</h1>\n",
            Ok(("<h1>Teas</h1>", "<h1>Teas ({count} hot)</h1>")),
        ),
        (
            "a field with another name",
            "java",
            "Below `size`:",
            "class Pot {\n    private String maker;\n}\n",
            "private String label;\n",
            Ok(("    private String maker;\n", "    private String maker;\n    private String label;\n")),
        ),
    ]);
}

#[test]
fn regression_new_lines_between_two_of_the_file_go_there_though_the_element_is_left_open() {
    const PAGE: &str = "export default function Page() {\n  return (\n    <main className=\"tea\">\n      <h1>Teas</h1>\n      <List />\n      <Foot />\n    </main>\n  );\n}\n";
    let part = "<main className=\"tea\">\n  <Menu />\n  <h1>Teas</h1>\n";
    let merged = merge(PAGE, &Part::new(part, "tsx")).expect("one place");
    assert_eq!(merged.text, PAGE.replace("      <h1>", "      <Menu />\n      <h1>"));
}

#[test]
fn regression_a_list_becomes_a_mapping_below_words_that_add() {
    const FILE: &str = "services:\n  web:\n    image: tea\n    depends_on:\n      - db\n";
    let part = "services:\n  web:\n    # ...\n    depends_on:\n      db:\n        condition: ready\n";
    let merged =
        merge(FILE, &Part { label_says_add: true, ..Part::new(part, "yml") }).expect("another form of it");
    assert_eq!(merged.text, FILE.replace("      - db\n", "      db:\n        condition: ready\n"));
}

#[test]
fn regression_a_further_element_stands_with_those_of_its_tag() {
    let dep = |id: &str| format!("        <dep>\n            <id>{id}</id>\n        </dep>\n");
    let file = |deps: &str| format!("<project>\n    <deps>\n{deps}    </deps>\n</project>\n");
    let part = Part { label_says_add: true, ..Part::new("<dep>\n    <id>jug</id>\n</dep>\n", "xml") };
    let deps = format!("{}{}", dep("pot"), dep("cup"));
    let merged = merge(&file(&deps), &part).expect("one place");
    assert_eq!(merged.text, file(&format!("{deps}{}", dep("jug"))));
}
