//! Answers without edit blocks, by every way in which they reach clada: what is asked, applied and left
//! (spec: plain, section 1), and answers that try to have something applied that nobody asked for.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::mcp::Host;
use crate::support::{Terminal, World, skipped};

/// The files of the project, and answers with the changes that are proposed for each.
const ADVERSARIES: &str = include_str!("../data/plain/adversaries.md");

type Files = BTreeMap<String, String>;

/// An answer of [`ADVERSARIES`]: its name, the changes proposed (`path form`, with `?` behind those that are not
/// sure), its text.
struct Adversary {
    name: &'static str,
    proposals: Vec<&'static str>,
    text: &'static str,
}

fn adversaries() -> (Files, Vec<Adversary>) {
    let (mut files, mut answers) = (Files::new(), Vec::new());
    for part in ADVERSARIES.split("%%%% ").skip(1) {
        let (head, text) = part.split_once('\n').unwrap();
        match head.split_once(' ').unwrap() {
            ("file", path) => drop(files.insert(path.to_owned(), text.to_owned())),
            ("answer", head) => {
                let (name, proposals) = head.split_once(" |").unwrap();
                let proposals = proposals.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
                answers.push(Adversary { name, proposals, text });
            }
            (other, _) => panic!("{other}"),
        }
    }
    (files, answers)
}

fn lay(world: &World, files: &Files) {
    files.iter().for_each(|(path, text)| world.lay(path, text));
}

/// The paths of `files`, and of `more`, at which the project has something else.
fn changed<'f>(world: &World, files: &'f Files, more: &[&'f str]) -> Vec<&'f str> {
    let paths = files.keys().map(String::as_str).chain(more.iter().copied());
    let is_other = |path: &&str| match files.get(*path) {
        Some(text) => world.read(path) != *text,
        None => world.exists(path),
    };
    let mut changed: Vec<&str> = paths.filter(is_other).collect();
    changed.sort_unstable();
    changed.dedup();
    changed
}

/// `path form` of each proposal of `result`, with ` ?` behind those that are not sure.
fn proposed(result: &Value) -> Vec<String> {
    let shown = |one: &Value| {
        let sure = if one["sure"] == true { "" } else { " ?" };
        format!("{} {}{sure}", one["path"].as_str().unwrap(), one["form"].as_str().unwrap())
    };
    result["proposals"].as_array().into_iter().flatten().map(shown).collect()
}

fn path_of<'p>(proposal: &&'p str) -> &'p str {
    proposal.split(' ').next().unwrap()
}

#[test]
fn nothing_is_applied_that_nobody_asked_for() {
    let (files, answers) = adversaries();
    assert!(answers.len() >= 60, "{}", answers.len());
    let mut bad = String::new();
    let world = World::with_config("durability: fast\n");
    let mut daemon = world.connect();
    for Adversary { name, proposals, text } in answers {
        // Each has a project of its own.
        let own = |path: &str| format!("{name}/{path}");
        let files: Files = files.iter().map(|(path, text)| (own(path), text.clone())).collect();
        let changed = |proposals: &[&str]| {
            let more: Vec<String> = proposals.iter().map(|proposal| own(path_of(proposal))).collect();
            let more: Vec<&str> = more.iter().map(String::as_str).collect();
            changed(&world, &files, &more).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        lay(&world, &files);
        let root = world.at(name);
        let result = daemon.call("execute", &json!({ "root": root, "text": text }));
        if proposed(&result) != proposals {
            bad += &format!("{name}: {:?} instead of {proposals:?}\n", proposed(&result));
        }
        assert!(changed(&proposals).is_empty(), "{name}");
        // `--plain` says that it is an answer, and no document.
        let says = |warning: &Value| warning["message"].as_str().unwrap().contains("reads like a document");
        if result["warnings"].as_array().into_iter().flatten().any(says) {
            continue;
        }
        // It applies those that are sure, and nothing else.
        daemon.call("execute", &json!({ "root": root, "text": text, "plain": "apply" }));
        let sure: Vec<&str> = proposals.iter().copied().filter(|one| !one.ends_with('?')).collect();
        let expected: Vec<String> = sure.iter().map(|proposal| own(path_of(proposal))).collect();
        assert_eq!(changed(&sure), expected, "{name}");
    }
    assert!(bad.is_empty(), "{bad}");
}

#[test]
fn one_key_applies_only_what_its_question_shows() {
    let (files, answers) = adversaries();
    for Adversary { name, proposals, text } in answers.into_iter().filter(|one| !one.proposals.is_empty()) {
        let world = World::with_config("durability: fast\n");
        lay(&world, &files);
        world.status();
        let Some(mut terminal) = Terminal::open() else {
            return skipped("a test at a terminal", "a program cannot be given one here");
        };
        let child = terminal.start(&world.client(&["apply"]), text.as_bytes());
        let is_choice = proposals.len() > 1;
        if is_choice {
            terminal.answer("Which one? [1-2,N,q] ", "1\n");
        }
        let shown = terminal.answer("Apply it? [y,N,d,i,", "y\n");
        terminal.close();
        child.wait_with_output().unwrap();
        let paths: Vec<&str> = proposals.iter().map(path_of).take(1).collect();
        assert_eq!(changed(&world, &files, &paths), paths, "{name}");
        // Of a secret file only the new lines are shown.
        assert!(
            paths.iter().all(|path| shown.contains(&format!("diff --git a/{path} b/"))),
            "{name} {shown}"
        );
    }
}

const STORE: &str = "class Store:\n    def __init__(self):\n        self.items = {}\n\n    def put(self, key, value):\n        self.items[key] = value\n";
const APP: &str = "import os\n\nDEBUG = False\n\n\ndef load(path):\n    with open(path) as file:\n        return file.read()\n\n\ndef save(path, text):\n    with open(path, 'w') as file:\n        file.write(text)\n";
const EDIT: &str = "b.yaml\n<<<<<<< SEARCH\nport: 80\n=======\nport: 81\n>>>>>>> REPLACE\n";

/// What a way does with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// All of it is applied.
    All,
    /// Its blocks are applied, and the rest is left.
    Blocks,
    /// Nothing is applied.
    None,
}
use Cell::{All, Blocks, None as Nothing};

/// The columns: an answer of each form, and the path that it changes.
fn forms() -> [(&'static str, String, &'static str); 7] {
    let store = format!("{STORE}        return value\n");
    let fence = |text: &str| format!("```python\n{text}```\n");
    let less =
        "import os\n\nDEBUG = True\n\n\ndef load(path):\n    pass\n\n\ndef save(path, text):\n    pass\n";
    let new = format!("`src/new.py`:\n\n{}", fence("x = 1\n"));
    [
        ("new file", new.clone(), "src/new.py"),
        ("whole file", format!("`src/store.py`:\n\n{}", fence(&store)), "src/store.py"),
        ("a file that loses half", format!("`src/app.py`:\n\n{}", fence(less)), "src/app.py"),
        ("remapped", format!("`store.py`:\n\n{}", fence(&store)), "src/store.py"),
        ("guessed", format!("Try this:\n\n{}", fence(&store)), "src/store.py"),
        (
            "versions",
            format!("Option A, {new}\nOption B, `src/new.py`:\n\n{}", fence("x = 2\n")),
            "src/new.py",
        ),
        ("with a block", format!("{EDIT}\n{new}"), "src/new.py"),
    ]
}

fn project() -> World {
    let world = World::with_config("durability: fast\n");
    world.lay("src/store.py", STORE);
    world.lay("src/app.py", APP);
    world.lay("b.yaml", "port: 80\n");
    world
}

/// Asserts that the project is as `cell` says after the answer that changes `path`.
fn hold(world: &World, cell: Cell, path: &str, about: &str) {
    let old = match path {
        "src/store.py" => STORE,
        "src/app.py" => APP,
        _ => "",
    };
    let is_applied = world.exists(path) && world.read(path) != old;
    assert_eq!(is_applied, cell == All, "{about}: {path}");
    let has_block = about.ends_with("with a block");
    assert_eq!(world.read("b.yaml") == "port: 81\n", has_block && cell != Nothing, "{about}: the block");
}

#[test]
fn without_a_terminal_the_flags_decide() {
    let left = [Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Blocks];
    let ways: [(&[&str], [Cell; 7]); 7] = [
        (&["apply"], left),
        (&["apply", "-q"], left),
        (&["apply", "--json"], left),
        (&["apply", "--format", "llm"], left),
        (&["apply", "-n"], [Nothing; 7]),
        (&["apply", "--dialect", "aider"], left),
        (&["apply", "--plain"], [All, All, Nothing, Nothing, Nothing, Nothing, All]),
    ];
    for (way, row) in ways {
        for ((form, answer, path), cell) in forms().into_iter().zip(row) {
            let world = project();
            let ran = world.run(way, &answer);
            let about = format!("{way:?} {form}");
            assert_eq!(ran.code, i32::from(cell != All), "{about} {ran:?}");
            hold(&world, cell, path, &about);
            // What is left is named, with its file.
            if cell != All {
                assert!(format!("{}{}", ran.stdout, ran.stderr).contains(path), "{about} {ran:?}");
            }
        }
    }
}

#[test]
fn at_a_terminal_the_keys_decide() {
    let question = "Apply it? [y,N,d,i,q,?] ";
    let one_by_one = "(1/1) Apply ";
    let ways: [(&[&str], &str, &str, Cell); 8] = [
        (&["apply"], question, "y\n", All),
        (&["apply", "--format", "llm"], question, "y\n", All),
        (&["apply"], question, "n\n", Blocks),
        (&["apply"], question, "\n", Blocks),
        (&["apply"], question, "q\n", Nothing),
        (&["apply", "-i"], one_by_one, "y\n", All),
        (&["apply", "-i"], one_by_one, "\n", Blocks),
        (&["apply", "-i"], one_by_one, "q\n", Nothing),
    ];
    for (way, question, key, cell) in ways {
        for (form, answer, path) in forms() {
            let world = project();
            world.status();
            let Some(mut terminal) = Terminal::open() else {
                return skipped("a test at a terminal", "a program cannot be given one here");
            };
            let child = terminal.start(&world.client(way), answer.as_bytes());
            if form == "versions" {
                terminal.answer("Which one? [1-2,N,q] ", "1\n");
            }
            let shown = terminal.answer(question, key);
            if way.contains(&"-i") && form == "with a block" && cell != Nothing {
                terminal.answer("(1/1) Apply this? ", "y\n");
            }
            let seen = terminal.close();
            let code = child.wait_with_output().unwrap().status.code();
            let about = format!("{way:?} {key:?} {form}");
            // With `-i` it is not a failure to decline.
            let is_failure = if way.contains(&"-i") { cell == Nothing } else { cell != All };
            assert_eq!(code, Some(i32::from(is_failure)), "{about} {seen}");
            hold(&world, cell, path, &about);
            // The question shows the file and its diff.
            assert!(shown.contains(path) && shown.contains("+++ b/"), "{about} {shown}");
        }
    }
}

#[test]
fn regression_plain_at_a_terminal_applies_what_it_applies_without_one() {
    let sure = [All, All, Nothing, Nothing, Nothing, Nothing, All];
    for ((form, answer, path), cell) in forms().into_iter().zip(sure) {
        let world = project();
        world.status();
        let Some(terminal) = Terminal::open() else {
            return skipped("a test at a terminal", "a program cannot be given one here");
        };
        let child = terminal.start(&world.client(&["apply", "--plain"]), answer.as_bytes());
        let seen = terminal.close();
        let code = child.wait_with_output().unwrap().status.code();
        assert_eq!(code, Some(i32::from(cell != All)), "{form} {seen}");
        hold(&world, cell, path, form);
    }
}

#[test]
fn on_the_wire_only_ids_accept_what_is_not_sure() {
    let left = [Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Blocks];
    let sure = [All, All, Nothing, Nothing, Nothing, Nothing, All];
    for ((form, answer, path), (left, sure)) in forms().into_iter().zip(left.into_iter().zip(sure)) {
        for (name, params, cell) in [
            ("absent", json!({}), left),
            ("refuse", json!({ "plain": "refuse" }), left),
            ("apply", json!({ "plain": "apply" }), sure),
        ] {
            let world = project();
            let mut all = json!({ "root": world.root(), "text": answer });
            all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
            let result = world.connect().call("execute", &all);
            assert_eq!(result["success"] == true, cell == All, "{name} {form}: {result}");
            hold(&world, cell, path, &format!("{name} {form}"));
        }
        // A plan has them beside its actions; an id accepts one.
        let world = project();
        let mut daemon = world.connect();
        let plan = daemon.call("plan", &json!({ "root": world.root(), "text": answer }));
        let actions = plan["actions"].as_array().map_or(0, Vec::len);
        assert_eq!(actions, usize::from(form == "with a block"), "{form}: {plan}");
        let proposals = plan["proposals"].as_array().unwrap();
        assert!(proposals.iter().all(|one| one["path"] == path), "{form}: {plan}");
        if form == "versions" {
            let both = json!({ "root": world.root(), "planId": plan["planId"], "accept": ["p1", "p2"] });
            assert_eq!(daemon.fail("execute", &both)["data"]["kind"], "invalid_params");
        }
        let mut accept = vec![proposals[0]["id"].clone()];
        accept.extend(plan["actions"].as_array().into_iter().flatten().map(|one| one["id"].clone()));
        let result = daemon
            .call("execute", &json!({ "root": world.root(), "planId": plan["planId"], "accept": accept }));
        assert_eq!(result["success"], true, "{form}: {result}");
        hold(&world, All, path, &format!("accepted {form}"));
    }
}

#[test]
fn an_agent_applies_what_is_sure_if_it_says_so() {
    let left = [Nothing, Nothing, Nothing, Nothing, Nothing, Nothing, Blocks];
    let sure = [All, All, Nothing, Nothing, Nothing, Nothing, All];
    for ((form, answer, path), (left, sure)) in forms().into_iter().zip(left.into_iter().zip(sure)) {
        for (arguments, tool, cell) in [
            (json!({ "text": answer }), "preview", Nothing),
            (json!({ "text": answer }), "apply", left),
            (json!({ "text": answer, "plain": true }), "apply", sure),
        ] {
            let world = project();
            let mut host = Host::old(&world);
            let (said, works) = host.says(tool, &arguments);
            let about = format!("{tool} {arguments} {form}");
            hold(&world, cell, path, &about);
            assert!(said.contains(path), "{about}: {said}");
            // Something was changed, or nothing should have been.
            assert_eq!(works, tool == "preview" || cell != Nothing, "{about}: {said}");
        }
    }
}
