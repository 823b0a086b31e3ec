//! Replacements and removals that the words above code or a sentence alone ask for.

use super::*;

const APP: &str = "import os\n\n\ndef load(path):\n    data = open(path).read()\n    return data\n\n\ndef save(path):\n    if not os.path.exists(path):\n        return None\n    write(path)\n";
const HELPER: &str = "def read_text(path):\n    with open(path) as file:\n        return file.read()\n";
const CHECK: &str = "    if not os.path.exists(path):\n        return None\n";

/// Plans `answer` for `app.py` and `lib.py`, accepts all that it lists, and returns the plan's result with the text of both.
fn accepted(app: &str, answer: &str) -> (PlanResult, String, String) {
    let project = Project::with(&[("app.py", app), ("lib.py", "LIMIT = 10\nname = \"five\"\n")]);
    let read = Reading::new(None, &Settings::default()).unwrap().read(answer);
    let (plan, planned) = project.plan_of(read, &[]);
    let is_listed = |one: &&clada_protocol::Proposal| one.is_listed();
    let ids: Vec<&str> = planned.proposals.iter().filter(is_listed).map(|one| one.id.as_str()).collect();
    project.apply(&plan, Some(&ids), Deliver::Disk);
    (planned, project.text("app.py").unwrap(), project.text("lib.py").unwrap())
}

fn fence(code: &str) -> String {
    format!("\n\n```python\n{code}```\n")
}

/// A call takes the place of an expression, and not the definition of what is called.
#[test]
fn regression_a_definition_or_an_import_takes_no_place_of_an_expression() {
    for words in [
        "In `app.py`, replace `open(path).read()` with a call to a new function:",
        "In `app.py`, replace `open(path).read()` with the following helper and call it:",
        "Ersetze in `app.py` `open(path).read()` durch einen Aufruf einer neuen Funktion:",
        "In `app.py`, replace `data = open(path).read()` with a call to `read_text`:",
    ] {
        let (planned, app, _) = accepted(APP, &(words.to_owned() + &fence(HELPER)));
        assert_eq!(app, format!("{APP}\n\n{HELPER}"), "{words}");
        let notes = &planned.proposals[0].remarks;
        assert!(notes.iter().any(|note| note.contains("is still there")), "{words}: {notes:?}");
    }
    let replaced = APP.replace("open(path).read()", "read_text(path)");
    let words = "In `app.py`, replace `open(path).read()` with:";
    let (_, app, _) = accepted(APP, &(words.to_owned() + &fence(&format!("{HELPER}\n\nread_text(path)\n"))));
    assert_eq!(app, format!("{replaced}\n\n{HELPER}"));
    let words = "In `app.py`, replace `data = open(path).read()` with:";
    let code = "from util import read_text\n\ndata = read_text(path)\n";
    let (_, app, _) = accepted(APP, &(words.to_owned() + &fence(code)));
    assert_eq!(app, replaced.replace("import os\n", "import os\nfrom util import read_text\n"));
    let several =
        "In `app.py`, replace `open(path).read()` with:\n\n```python\nfile = open(path)\nfile.read()\n```\n";
    let (planned, app, _) = accepted(APP, several);
    assert_eq!(app, APP, "{planned:#?}");
    // What declares the name, and a statement with the function that it calls.
    let (_, app, _) = accepted(
        "run = None\n",
        "In `app.py`, replace `run = None` with:\n\n```python\ndef run():\n    pass\n```\n",
    );
    assert_eq!(app, "def run():\n    pass\n");
    let (_, app, _) = accepted(
        "start(80)\n",
        "In `app.py`, replace `start(80)` with:\n\n```python\ndef main():\n    start(80)\n\n\nmain()\n```\n",
    );
    assert_eq!(app, "def main():\n    start(80)\n\n\nmain()\n");
}

#[test]
fn regression_a_sentence_states_changes_of_several_files() {
    let app = "size = 1\nport = \"old\"\n";
    let lib = "LIMIT = 30\nname = \"five\"\n";
    for (words, expected_app, expected_lib) in [
        (
            "In `app.py`, replace `size = 1` with `size = 3`, and in `lib.py` replace `LIMIT = 10` with `LIMIT = 30`.",
            "size = 3\nport = \"old\"\n",
            lib,
        ),
        (
            "Replace `size = 1` with `size = 3` in `app.py`, and `LIMIT = 10` with `LIMIT = 30` in `lib.py`.",
            "size = 3\nport = \"old\"\n",
            lib,
        ),
        (
            "Ersetze in `app.py` `size = 1` durch `size = 3` und in `lib.py` `LIMIT = 10` durch `LIMIT = 30`.",
            "size = 3\nport = \"old\"\n",
            lib,
        ),
        (
            "In `app.py`, replace `size = 1` with `size = 3`, and also `\"old\"` with `\"new\"`.",
            "size = 3\nport = \"new\"\n",
            "LIMIT = 10\nname = \"five\"\n",
        ),
        (
            "In `app.py`, replace `size = 1` with `size = 3` so that `lib.py` can use it.",
            "size = 3\nport = \"old\"\n",
            "LIMIT = 10\nname = \"five\"\n",
        ),
    ] {
        let (_, app, lib) = accepted(app, words);
        assert_eq!((&*app, &*lib), (expected_app, expected_lib), "{words}");
    }
    let (_, app, lib) =
        accepted("LIMIT = 10\n", "Change `LIMIT = 10` to `LIMIT = 30` in both `app.py` and `lib.py`.");
    assert_eq!((&*app, &*lib), ("LIMIT = 30\n", "LIMIT = 30\nname = \"five\"\n"));
}

#[test]
fn regression_code_below_words_that_remove_it_goes() {
    let without = APP.replace(CHECK, "");
    for words in [
        "In `app.py`, remove the existence check:",
        "Drop the check in `save` in `app.py`:",
        "Entferne in `app.py` die Prüfung:",
        "Dans `app.py`, supprimez la vérification :",
        "En `app.py`, elimina la comprobación:",
        "在 `app.py` 中删除存在性检查：",
    ] {
        assert_eq!(accepted(APP, &(words.to_owned() + &fence(CHECK))).1, without, "{words}");
    }
    let twice = format!("{APP}\n\ndef drop(path):\n{CHECK}    os.remove(path)\n");
    for (file, words, code, reason) in [
        (twice.as_str(), "In `app.py`, remove the check:", CHECK, "exactly once"),
        (
            APP,
            "In `app.py`, remove the check:",
            "    if not path:\n        return {}\n",
            "does not have these lines",
        ),
        (APP, "In `app.py`, remove the check:", "    if not os.path.exists(path):\n", "is not shown"),
        (
            APP,
            "In `app.py`, remove the reading:",
            "    data = open(path).read()\n    return data\n",
            "nothing would be left",
        ),
    ] {
        let (planned, app, _) = accepted(file, &(words.to_owned() + &fence(code)));
        assert_eq!(app, file, "{words} {code}");
        assert!(planned.not_read.iter().any(|one| one.hint.contains(reason)), "{planned:#?}");
    }
    // What is left of a definition, and words that go on with what comes instead.
    for (words, code) in [
        (
            "In `app.py`, remove the check from `load`:",
            "def load(path):\n    data = open(path).read()\n    return data\n",
        ),
        ("In `app.py`, remove the check and return early:", CHECK),
    ] {
        assert_eq!(accepted(APP, &(words.to_owned() + &fence(code))).1, APP, "{words}");
    }
}

#[test]
fn regression_a_listing_that_stops_early_removes_what_the_answer_removes_alone() {
    let file = "import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n\n\nif __name__ == \"__main__\":\n    print(one())\n";
    let listing = "import os\n\n\ndef one():\n    return 11\n\n\ndef two():\n    return 2\n";
    let (_, app, _) = accepted(file, &format!("Here is the updated `app.py`:{}", fence(listing)));
    assert_eq!(app, file.replace("return 1\n", "return 11\n"));
    let longer = listing.to_owned() + "\n\ndef three():\n    return 3\n";
    let (_, app, _) = accepted(
        &longer.replace("11", "1"),
        &format!("I removed `three`. Here is the complete updated `app.py`:{}", fence(listing)),
    );
    assert_eq!(app, listing);
}
