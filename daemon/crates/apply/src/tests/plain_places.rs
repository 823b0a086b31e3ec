//! Places that the words above code give, and code without one: where it stands once all of the answer is accepted.

use super::*;

const RUST: &str = "use std::fs;\n\npub struct Pot {\n    size: u8,\n}\n\nimpl Pot {\n    pub fn size(&self) -> u8 {\n        self.size\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn is_empty() {\n        let mut pot = Pot { size: 1 };\n        pot.size = 0;\n        assert_eq!(pot.size(), 0);\n    }\n}\n";
const JAVA: &str = "public class Pot {\n    private String maker;\n    private int size;\n\n    public int size() {\n        return size;\n    }\n}\n";
const PYTHON: &str = "from teas import find\n\n\ndef brew(tea):\n    pot = find(tea)\n    pot.heat(90)\n    pot.wait()\n    return pot\n\n\ndef pour(pot):\n    return pot.cup()\n";
const YAML: &str = "server:\n  port: 80\n\nlog:\n  level: warn\n";
const README: &str = "# Pot\n\nBoils.\n\n## Setup\n\nFill it.\n\n## Use\n\nPour.\n";

/// Returns the text of the file at `path` once all that `answer` shows is accepted.
fn accepted(answer: &str, path: &str) -> String {
    let project = Project::with(&[
        ("src/pot.rs", RUST),
        ("src/Pot.java", JAVA),
        ("pot.py", PYTHON),
        ("application.yml", YAML),
        ("README.md", README),
    ]);
    let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let (plan, planned) = project.plan_of(read, &[]);
    let is_listed = |one: &&clada_protocol::Proposal| one.is_listed();
    let ids: Vec<&str> = planned.proposals.iter().filter(is_listed).map(|one| one.id.as_str()).collect();
    project.apply(&plan, Some(&ids), Deliver::Disk);
    project.text(path).unwrap_or_default()
}

/// An answer, a file, and the text that stands in the file instead of which.
type Place<'c> = (&'c str, &'c str, &'c [(&'c str, &'c str)]);

fn check(cases: &[Place<'_>]) {
    for (answer, path, changes) in cases {
        let file = match *path {
            "src/pot.rs" => RUST,
            "src/Pot.java" => JAVA,
            "pot.py" => PYTHON,
            "application.yml" => YAML,
            _ => README,
        };
        let expected = changes.iter().fold(file.to_owned(), |text, (old, new)| text.replacen(old, new, 1));
        assert_eq!(accepted(answer, path), expected, "{answer}");
    }
}

#[test]
fn regression_words_give_the_place_of_a_member_a_test_a_section_and_of_what_stands_behind_imports() {
    check(&[
        (
            "In `src/Pot.java`, below `size`:\n\n```java\nprivate String label;\n```\n\nand at the end of the class:\n\n```java\npublic String label() {\n    return label;\n}\n```\n",
            "src/Pot.java",
            &[
                ("    private int size;\n", "    private int size;\n    private String label;\n"),
                (
                    "        return size;\n    }\n",
                    "        return size;\n    }\n\n    public String label() {\n        return label;\n    }\n",
                ),
            ],
        ),
        (
            "Add this test to the `tests` module of `src/pot.rs`:\n\n```rust\n#[test]\nfn is_full() {\n    let mut pot = Pot { size: 1 };\n    pot.size = 9;\n    assert_eq!(pot.size(), 9);\n}\n```\n",
            "src/pot.rs",
            &[(
                "        assert_eq!(pot.size(), 0);\n    }\n",
                "        assert_eq!(pot.size(), 0);\n    }\n\n    #[test]\n    fn is_full() {\n        let mut pot = Pot { size: 1 };\n        pot.size = 9;\n        assert_eq!(pot.size(), 9);\n    }\n",
            )],
        ),
        (
            "In `src/pot.rs`, right after the `use` line, add a constant:\n\n```rust\nconst FULL: u8 = 9;\n```\n",
            "src/pot.rs",
            &[("use std::fs;\n", "use std::fs;\n\nconst FULL: u8 = 9;\n")],
        ),
        (
            "I'd put a section between \"Setup\" and \"Use\" in `README.md`:\n\n```markdown\n## Care\n\nRinse it.\n```\n",
            "README.md",
            &[("Fill it.\n", "Fill it.\n\n## Care\n\nRinse it.\n")],
        ),
    ]);
}

#[test]
fn regression_what_a_label_names_the_file_for_stands_in_it() {
    check(&[
        (
            "1. In `pot.py`, export a helper:\n\n   ```python\n   def clean(pot):\n       return pot.rinse()\n   ```\n",
            "pot.py",
            &[(
                "    return pot.cup()\n",
                "    return pot.cup()\n\n\ndef clean(pot):\n    return pot.rinse()\n",
            )],
        ),
        (
            "Then expose the counters in `application.yml`:\n\n```yaml\ncounters:\n  on: true\n```\n",
            "application.yml",
            &[("  level: warn\n", "  level: warn\n\ncounters:\n  on: true\n")],
        ),
        // A condition, and an example of what calls it.
        (
            "If you ever wash pots, in `pot.py`:\n\n```python\ndef clean(pot):\n    return pot.rinse()\n```\n",
            "pot.py",
            &[],
        ),
    ]);
}

#[test]
fn regression_code_in_the_place_of_its_old_form() {
    check(&[
        (
            "Change the signature of `brew` in `pot.py` to:\n\n```python\ndef brew(tea, heat=90):\n```\n",
            "pot.py",
            &[("def brew(tea):", "def brew(tea, heat=90):")],
        ),
        // Between two fences of which each has its own place nothing is old or new.
        (
            "In `pot.py`, change the import:\n\n```python\nfrom teas import find, steep\n```\n\nand then replace your `pour` helper with this:\n\n```python\ndef pour(pot):\n    steep(pot)\n    return pot.cup()\n```\n",
            "pot.py",
            &[
                ("import find\n", "import find, steep\n"),
                ("def pour(pot):\n", "def pour(pot):\n    steep(pot)\n"),
            ],
        ),
        // The words have the new text, and the code shows where it stands.
        (
            "In `pot.py`, replace `pot.heat(90)` with `pot.heat(HEAT)` and set `HEAT`:\n\n```python\nHEAT = 90\n\n\ndef brew(tea):\n    pot = find(tea)\n    pot.heat(HEAT)\n    pot.wait()\n    return pot\n```\n",
            "pot.py",
            &[("def brew", "HEAT = 90\n\n\ndef brew"), ("pot.heat(90)", "pot.heat(HEAT)")],
        ),
    ]);
}

/// The code went to the end or the top of the file, or was refused.
#[test]
fn regression_the_end_or_the_top_of_a_part_is_not_that_of_the_file() {
    check(&[
        (
            "In `pot.py`, add this at the top of `pour`:\n\n```python\n    rinse()\n```\n",
            "pot.py",
            &[("    return pot.cup()\n", "    rinse()\n    return pot.cup()\n")],
        ),
        (
            "In `pot.py`, add at the end of `brew`:\n\n```python\npot.lift()\n```\n",
            "pot.py",
            &[("    return pot\n", "    pot.lift()\n    return pot\n")],
        ),
        (
            "In `application.yml` am Ende von `server` einfügen:\n\n```yaml\nhost: a\n```\n",
            "application.yml",
            &[("  port: 80\n", "  port: 80\n  host: a\n")],
        ),
        (
            "At the end of the Setup section in `README.md`, add:\n\n```markdown\nClose it.\n```\n",
            "README.md",
            &[("Fill it.\n", "Fill it.\n\nClose it.\n")],
        ),
        ("In `pot.py`, add this at the end of `Kettle`:\n\n```python\npot.lift()\n```\n", "pot.py", &[]),
        (
            "In `pot.py`, add this at the end of `pot`:\n\n```python\nbrew(1)\n```\n",
            "pot.py",
            &[("    return pot.cup()\n", "    return pot.cup()\n\n\nbrew(1)\n")],
        ),
    ]);
}

/// Only some languages gave a place, and only if nothing stood behind the name.
#[test]
fn regression_a_place_is_given_in_any_language() {
    let code = "```python\ndef clean(pot):\n    return pot.rinse()\n```\n";
    let new = "def clean(pot):\n    return pot.rinse()\n";
    let (above, below) = ("    return pot\n\n\n", "def pour(pot):");
    for words in [
        "In `pot.py`, put this just after the closing `)` of `brew`:",
        "In `pot.py`, between `brew` and the `pour` function, add:",
        "Füge in `pot.py` nach `brew` Folgendes hinzu:",
        "In `pot.py` direkt unter der Funktion `brew` ergänzen:",
        "Dans `pot.py`, ajoutez juste après la fonction `brew` :",
        "En `pot.py`, justo después de `brew`, añade:",
        "在 `pot.py` 的 `brew` 函数后面添加：",
        "`pot.py` の `brew` 関数の後に追加します：",
        "В `pot.py` сразу после `brew` добавьте:",
        "Füge in `pot.py` vor `pour` ein:",
        "在 `pot.py` 的 `pour` 函数前面添加：",
    ] {
        let changes = [(&*format!("{above}{below}"), &*format!("{above}{new}\n\n{below}"))];
        check(&[(&format!("{words}\n\n{code}"), "pot.py", &changes)]);
    }
}

#[test]
fn regression_what_words_point_at_is_found_and_not_put_there_twice() {
    check(&[
        // The line beside it, and one that stands for others, are shown.
        (
            "In `pot.py`, right after `pot.wait()`:\n\n```python\n    # ... existing code ...\n    pot.wait()\n    pot.stir()\n```\n",
            "pot.py",
            &[("    pot.wait()\n", "    pot.wait()\n    pot.stir()\n")],
        ),
        (
            "In `brew` (`pot.py`), before the return, add:\n\n```python\n    pot.stir()\n```\n",
            "pot.py",
            &[("    return pot\n\n", "    pot.stir()\n    return pot\n\n")],
        ),
        (
            "At the top of `pot.py`, below the imports, add:\n\n```python\nHEAT = 90\n```\n",
            "pot.py",
            &[("import find\n", "import find\n\nHEAT = 90\n")],
        ),
        // Another function than the named one has the line.
        ("In `pour` (`pot.py`), heat it more:\n\n```python\n    pot.heat(95)\n```\n", "pot.py", &[]),
        (
            "Add this to `application.yml`, under `server`:\n\n```yaml\nhost: local\n```\n",
            "application.yml",
            &[("  port: 80\n", "  port: 80\n  host: local\n")],
        ),
    ]);
}

#[test]
fn regression_a_file_is_named_by_its_type_its_kind_or_the_old_form() {
    check(&[
        (
            "You'll also need a setter in `Pot`:\n\n```java\npublic void setSize(int size) {\n    this.size = size;\n}\n```\n",
            "src/Pot.java",
            &[(
                "        return size;\n    }\n",
                "        return size;\n    }\n\n    public void setSize(int size) {\n        this.size = size;\n    }\n",
            )],
        ),
        (
            "Update the README's \"Setup\" section:\n\n```markdown\n## Setup\n\nFill it with water.\n```\n",
            "README.md",
            &[("Fill it.", "Fill it with water.")],
        ),
        // Words above the earlier fence are none of the later one's.
        (
            "The bug is in `pot.py`:\n\n```python\n    pot.heat(90)\n```\n\nYou should wait for the heat instead:\n\n```python\n    pot.heat(90, wait=True)\n```\n",
            "pot.py",
            &[("pot.heat(90)", "pot.heat(90, wait=True)")],
        ),
        (
            "The bug is here:\n\n```python\n    pot.heat(90)\n```\n\nIt should wait:\n\n```python\n    pot.heat(90, wait=True)\n```\n",
            "pot.py",
            &[("pot.heat(90)", "pot.heat(90, wait=True)")],
        ),
        (
            "`heat` was deprecated in v2. Change this line in `pot.py`:\n\n```python\n    pot.heat(90)\n```\n\nto:\n\n```python\n    pot.warm(90)\n```\n",
            "pot.py",
            &[("pot.heat(90)", "pot.warm(90)")],
        ),
        // What compares changes nothing.
        (
            "In `pot.py` you have\n\n```python\n    return pot.cup()\n```\n\nThat is the same as\n\n```python\n    return pot.cup(1)\n```\n\nbut shorter.\n",
            "pot.py",
            &[],
        ),
    ]);
}

#[test]
fn regression_an_import_that_only_words_give_is_made() {
    let answer = |words: &str| {
        format!(
            "Update `pot.py`:\n\n```python\ndef pour(pot):\n    time.sleep(1)\n    return pot.cup()\n```\n\n{words}\n"
        )
    };
    let pour = ("    return pot.cup()\n", "    time.sleep(1)\n    return pot.cup()\n");
    for words in ["Don't forget to import `time`.", "You'll also need `import time` at the top."] {
        let text = accepted(&answer(words), "pot.py");
        assert!(text.contains("import time\n") && text.contains("time.sleep(1)"), "{words}: {text}");
    }
    for words in ["`import time` is no longer needed.", "This works since we import `time` lazily."] {
        check(&[(&answer(words), "pot.py", &[pour])]);
    }
    // The words name the file by its class alone.
    let text = accepted(
        "在 `Pot` 类中添加：\n\n```java\npublic Lid lid() {\n    return new Lid();\n}\n```\n\n记得导入 `kitchen.Lid`。\n",
        "src/Pot.java",
    );
    assert!(text.starts_with("import kitchen.Lid;\n") && text.contains("public Lid lid()"), "{text}");
}

/// No line of the code is in a file as it is.
#[test]
fn regression_code_that_fits_one_file_alone_goes_there() {
    check(&[
        (
            "Set the level to debug:\n\n```yaml\nlog:\n  level: debug\n```\n",
            "application.yml",
            &[("warn", "debug")],
        ),
        ("Such a setting would be:\n\n```yaml\nlog:\n  level: debug\n```\n", "application.yml", &[]),
        ("Set the colour:\n\n```yaml\ntheme:\n  colour: red\n```\n", "application.yml", &[]),
    ]);
    let (_, planned) = {
        let project = Project::with(&[("requirements.txt", "flask==1.0\n"), ("a.py", PYTHON)]);
        let answer = "Update `a.py`:\n\n```python\ndef pour(pot):\n    return pot.cup(2)\n```\n\nYou should also raise the version of flask in `requirements.txt` to `2.0`.\n";
        project.plan_of(Reading::new(None, &Settings::default()).unwrap().read(answer), &[])
    };
    let is_named = |one: &clada_protocol::NotRead| one.path.as_deref() == Some("requirements.txt");
    assert!(planned.not_read.iter().any(is_named), "{:#?}", planned.not_read);
}
