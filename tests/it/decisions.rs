//! A random answer, planned, decided about and applied, with a change of another program in between: what is
//! applied is exactly what was shown and accepted, or it is a conflict that names the path; nothing else
//! changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Child;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Answer, Connection, Ran, Terminal, World, skipped};

/// The files of a project, by their paths.
type Files = BTreeMap<String, String>;

fn files(root: &Path) -> Files {
    let (mut found, mut folders) = (Files::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                    found.insert(name, std::fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    found
}

/// The paths whose files differ.
fn differences(before: &Files, after: &Files) -> BTreeSet<String> {
    let all = before.keys().chain(after.keys());
    all.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

/// The files that every case begins with.
const FILES: [(&str, &str); 5] = [
    ("a.txt", "one\ntwo\nthree\n"),
    ("b.txt", "one\n"),
    ("d/c.txt", "deep\n"),
    ("d/e/f.txt", "deeper\n"),
    (".envrc", "export A=1\n"),
];
const PATHS: [&str; 7] = ["a.txt", "b.txt", "d/c.txt", "d/e/f.txt", ".envrc", "new", "d/new"];
const SECRET: &str = ".envrc";
const TEXTS: [&str; 4] = ["one", "two", "deep", "one\ntwo"];
/// The text that another program writes.
const FOREIGN: &str = "one\nof another program\n";

/// A step of a random answer.
#[derive(Debug, Clone)]
struct Random {
    kind: usize,
    path: usize,
    other: usize,
    text: usize,
    in_block: bool,
}

fn random() -> impl Strategy<Value = Random> {
    (0..13_usize, 0..PATHS.len(), 0..PATHS.len(), 0..TEXTS.len(), any::<bool>())
        .prop_map(|(kind, path, other, text, in_block)| Random { kind, path, other, text, in_block })
}

impl Random {
    fn runs_a_program(&self) -> bool {
        matches!(self.kind, 7 | 8)
    }

    /// The step in CSL, which knows blocks that are all or nothing.
    fn in_csl(&self) -> String {
        let (path, other) = (PATHS[self.path], PATHS[self.other]);
        let (text, new) = (TEXTS[self.text], TEXTS[(self.text + self.other) % TEXTS.len()]);
        let run = |command: String| format!("<---RUN--->\n{command}\n<---END--->\n");
        match self.kind {
            0 | 1 => format!("<---WRITE file=\"{path}\"--->\n{text}\n<---END--->\n"),
            2 | 3 => run(format!("mv {path} {other}")),
            4 => run(format!("rm {path}")),
            5 => run("rm -r d".to_owned()),
            6 => run(format!("cp -r d {other}")),
            7 => run(format!("sh -c 'echo {text:?} >> {path}; exit {}'", self.other % 2)),
            8 => run(format!("sh -c 'sed -i s/one/two/ {path}'")),
            9 => format!("<---WRITE file=\"{path}\" append=\"true\"--->\n{text}\n<---END--->\n"),
            _ => format!("<---SEARCH file=\"{path}\"--->\n{text}\n<---REPLACE--->\n{new}\n<---END--->\n"),
        }
    }
}

fn answer_of(steps: &[Random]) -> String {
    let blocks = steps.chunk_by(|one, next| one.in_block == next.in_block);
    blocks
        .map(|steps| {
            let inner: String = steps.iter().map(Random::in_csl).collect();
            if steps[0].in_block { format!("<---TASKS--->\n{inner}<---END--->\n") } else { inner }
        })
        .collect()
}

/// The part of a plan that is accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Accept {
    Answer,
    Actions,
    Groups,
}

/// A case: an answer, what is decided about it, and what another program writes in between.
#[derive(Debug, Clone)]
struct Case {
    steps: Vec<Random>,
    atomic: bool,
    approves: bool,
    accept: Accept,
    /// The ids that are accepted, bit by bit.
    chosen: u64,
    foreign: Option<usize>,
}

fn case() -> impl Strategy<Value = Case> {
    let accept = prop_oneof![Just(Accept::Answer), Just(Accept::Actions), Just(Accept::Groups)];
    let foreign = proptest::option::of(0..PATHS.len());
    (proptest::collection::vec(random(), 1..9), 0..4_usize, any::<bool>(), accept, any::<u64>(), foreign)
        .prop_map(|(steps, whole, approves, accept, chosen, foreign)| Case {
            steps,
            atomic: whole == 0,
            approves,
            accept,
            chosen,
            foreign,
        })
}

/// A project of its own for each case.
struct Bench<'w> {
    world: &'w World,
    daemon: Connection,
    made: usize,
}

impl Bench<'_> {
    fn project(&mut self) -> PathBuf {
        self.made += 1;
        let root = self.world.path(&format!("project{}", self.made));
        for (path, text) in FILES {
            write(&root, path, text);
        }
        root
    }

    fn call(&mut self, root: &Path, method: &str, more: &Value) -> Result<Value, Value> {
        let mut params = json!({ "root": root });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.daemon.try_call(method, &params)
    }

    fn try_case(&mut self, case: &Case) -> Result<(), String> {
        let (root, text) = (self.project(), answer_of(&case.steps));
        let atomic = json!({ "text": text, "atomic": case.atomic });
        let plan = self.call(&root, "plan", &atomic).map_err(|error| format!("plan: {error}"))?;
        if let Some(foreign) = case.foreign {
            write(&root, PATHS[foreign], FOREIGN);
        }
        let before = files(&root);
        let accepted = accepted(case, &plan);
        let mut decision = json!({ "planId": plan["planId"] });
        if case.approves {
            decision["approve"] = json!("all");
        }
        if case.accept != Accept::Answer {
            decision["accept"] = json!(accepted);
        }
        let done = match self.call(&root, "execute", &decision) {
            Ok(done) => done,
            // What goes together was divided, and nothing is done.
            Err(error) if case.accept != Accept::Answer && error["data"]["kind"] == "invalid_params" => {
                return same("a refused decision", &before, &files(&root));
            }
            Err(error) => return Err(format!("execute: {error}")),
        };
        let after = files(&root);
        reported(&done, &differences(&before, &after))?;
        let runs = case.steps.iter().any(Random::runs_a_program);
        if let Some(foreign) = case.foreign
            && !runs
        {
            kept(PATHS[foreign], &plan, &done, (&before, &after))?;
        }
        if case.foreign.is_none() && case.accept == Accept::Answer {
            self.is_as_text(case, (&done, &after))?;
        }
        // A program in a block with what is shown of it is accepted with that, and does what no plan knows.
        let ran_a_program = list(&done, "results").any(|result| !result["data"]["sandbox"].is_null());
        if case.foreign.is_none() && case.accept == Accept::Groups && !ran_a_program {
            is_as_shown(&accepted, &plan, &done, (&before, &after))?;
        }
        // What has failed is tried again, and may fit by then what a later step has made.
        let has_failed = list(&done, "results").any(|result| {
            let is_left =
                matches!(result["kind"].as_str(), Some("skipped" | "conflict" | "approval_required"));
            result["success"] == false && !is_left
        });
        if !runs && !has_failed {
            // Once more does nothing more.
            drop(self.call(&root, "execute", &decision));
            same("the same plan once more", &after, &files(&root))?;
        }
        Ok(())
    }

    /// A plan that is applied whole is its answer.
    fn is_as_text(&mut self, case: &Case, (done, after): (&Value, &Files)) -> Result<(), String> {
        let root = self.project();
        let mut params = json!({ "text": answer_of(&case.steps), "atomic": case.atomic });
        if case.approves {
            params["approve"] = json!("all");
        }
        let by_text = self.call(&root, "execute", &params).map_err(|error| format!("text: {error}"))?;
        let ends = |result: &Value| -> Vec<String> {
            let results = result["results"].as_array().unwrap();
            let end = |result: &Value| format!("{} {} {}", result["task"], result["status"], result["kind"]);
            results.iter().map(end).collect()
        };
        let (by_text, by_plan) = (ends(&by_text), ends(done));
        if by_text != by_plan {
            return Err(format!("as a text: {by_text:#?}, by its plan: {by_plan:#?}"));
        }
        same("the answer as a text and by its plan", &files(&root), after)
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn same(when: &str, one: &Files, other: &Files) -> Result<(), String> {
    match one == other {
        true => Ok(()),
        false => Err(format!("{when}: {one:#?}\n{other:#?}")),
    }
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value[name].as_array().into_iter().flatten()
}

/// The ids of `plan` that the case accepts.
fn accepted(case: &Case, plan: &Value) -> Vec<String> {
    let hunks = |of: &Value, id: &str| list(of, "hunks").map(|hunk| hunk[id].clone()).collect::<Vec<_>>();
    let ids: Vec<Value> = match case.accept {
        Accept::Answer => Vec::new(),
        Accept::Actions => list(plan, "actions")
            .flat_map(|action| [vec![action["id"].clone()], hunks(action, "id")].concat())
            .collect(),
        Accept::Groups => list(plan, "files")
            .flat_map(|file| [vec![file["group"].clone()], hunks(file, "group")].concat())
            .collect(),
    };
    let ids: BTreeSet<String> = ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect();
    let chosen = ids.into_iter().enumerate().filter(|(at, _)| case.chosen >> (at % 64) & 1 == 1);
    chosen.map(|(_, id)| id).collect()
}

/// The result names each file that changed. It may name one that another of the same text has replaced.
fn reported(done: &Value, changed: &BTreeSet<String>) -> Result<(), String> {
    let names = |file: &Value| [file["path"].clone(), file["oldPath"].clone()];
    let told: BTreeSet<String> =
        list(done, "changed").flat_map(names).filter_map(|path| path.as_str().map(str::to_owned)).collect();
    match changed.is_subset(&told) {
        true => Ok(()),
        false => Err(format!("changed: {changed:?}, reported: {told:?}\n{done:#}")),
    }
}

/// The text of another program stays, and what was planned for it is a conflict that names it, or is not done
/// for another step.
fn kept(path: &str, plan: &Value, done: &Value, (before, after): (&Files, &Files)) -> Result<(), String> {
    // What a plan could not look into, such as a whole folder behind an edit in it, is done as the answer says.
    if list(plan, "actions").any(|action| action["unplannable"]["kind"] == "not_available") {
        return Ok(());
    }
    if before.get(path) != after.get(path) {
        return Err(format!("{path}: {:?}\n{plan:#}\n{done:#}", after.get(path)));
    }
    for action in list(plan, "actions") {
        let is_about = action["path"] == path || action["newPath"] == path;
        let changes = action["unplannable"].is_null() && action["looks"] != true;
        let result = list(done, "results").find(|result| result["seq"] == action["seq"]);
        let Some(result) = result.filter(|_| is_about && changes) else { continue };
        let error = result["error"].as_str().unwrap_or_default();
        let is_named = result["kind"] == "conflict" && error.contains('\'');
        let is_left = matches!(result["kind"].as_str(), Some("skipped" | "approval_required"));
        if result["success"] == true || !(is_named || is_left) {
            return Err(format!("{path} was written by another program: {result:#}\n{plan:#}"));
        }
    }
    Ok(())
}

/// Of groups, exactly the lines that were shown are changed.
fn is_as_shown(
    accepted: &[String],
    plan: &Value,
    done: &Value,
    (before, after): (&Files, &Files),
) -> Result<(), String> {
    let is_accepted = |id: &Value| id.as_str().is_some_and(|id| accepted.iter().any(|other| other == id));
    let is_done = |result: &Value| result["success"] == true || result["kind"] == "skipped";
    if !list(done, "results").all(is_done) {
        return Ok(());
    }
    let mut expected = before.clone();
    let documents: Vec<&Value> = list(plan, "files").collect();
    let is_whole = |file: &&&Value| file["kind"] != "change";
    // What goes makes room for what comes.
    for file in documents.iter().filter(is_whole).filter(|file| is_accepted(&file["group"])) {
        let gone = if file["kind"] == "move" { &file["oldPath"] } else { &file["path"] };
        expected.remove(gone.as_str().unwrap());
    }
    for file in &documents {
        let path = file["path"].as_str().unwrap();
        let from = file["oldPath"].as_str().unwrap_or(path);
        let hunks = list(file, "hunks").filter(|hunk| is_accepted(&hunk["group"]));
        // A file that is made has nothing of the one that was moved away from its path.
        let old = before.get(from).filter(|_| file["kind"] != "create");
        let text = with_hunks(old.map_or("", String::as_str), hunks);
        let is_there = match file["kind"].as_str() {
            Some("change") => expected.contains_key(path),
            Some("create" | "move") => is_accepted(&file["group"]),
            _ => false,
        };
        if is_there {
            expected.insert(path.to_owned(), text);
        }
    }
    // The text of a secret is not shown.
    let hidden = documents.iter().filter(|file| file["path"] == SECRET || file["oldPath"] == SECRET);
    let mut after = after.clone();
    for path in hidden.filter_map(|file| file["path"].as_str()) {
        expected.remove(path);
        after.remove(path);
    }
    match expected == after {
        true => Ok(()),
        false => Err(format!("shown: {expected:#?}\ndone: {after:#?}\n{plan:#}\n{done:#}\n{accepted:?}")),
    }
}

/// The text with these hunks of it, from the first to the last.
fn with_hunks<'v>(text: &str, hunks: impl Iterator<Item = &'v Value>) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let hunks: Vec<&Value> = hunks.collect();
    for hunk in hunks.into_iter().rev() {
        let start = usize::try_from(hunk["start"].as_u64().unwrap()).unwrap();
        let removed = list(hunk, "removed").count();
        let added = list(hunk, "added").map(|line| line.as_str().unwrap());
        lines.splice(start..start + removed, added);
    }
    lines.concat()
}

#[test]
fn what_is_applied_is_what_was_shown_and_accepted_or_a_conflict() {
    let world = World::with_config("durability: fast\n");
    let bench = std::cell::RefCell::new(Bench { world: &world, daemon: world.connect(), made: 0 });
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: crate::support::cases(40, 2_000),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    });
    let done = runner.run(&case(), |case| {
        let done = bench.borrow_mut().try_case(&case);
        done.map_err(|error| TestCaseError::fail(format!("{}\n{error}", answer_of(&case.steps))))
    });
    assert!(done.is_ok(), "{}", done.unwrap_err());
}

/// Starts `apply` at a terminal, with an answer that has to be approved.
fn at_a_terminal(world: &World) -> Option<(Terminal, Child)> {
    let Some(terminal) = Terminal::open() else {
        skipped("a test at a terminal", "a program cannot be given one here");
        return None;
    };
    world.lay("a.txt", "one\n");
    let answer = Answer::new()
        .action("file_append", &[("path", "a.txt"), ("content", "two\n")])
        .write(".envrc", "x\n");
    let child = terminal.start(&world.client(&["apply"]), answer.text().as_bytes());
    Some((terminal, child))
}

const QUESTION: &str = "Do it? [y,N,d,q,?] ";

#[test]
fn a_daemon_that_ends_while_the_user_is_asked_costs_nothing() {
    let world = World::with_config("durability: fast\n");
    let Some((mut terminal, child)) = at_a_terminal(&world) else { return };
    terminal.expect(QUESTION);
    world.stop().unwrap();
    terminal.send("y\n");
    let seen = terminal.close();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, seen.matches("Do it?").count()), (0, 1), "{ran:?} {seen}");
    assert_eq!((world.read("a.txt").as_str(), world.read(".envrc").as_str()), ("one\ntwo\n", "x\n"));
}

#[test]
fn a_file_that_changes_while_the_user_is_asked_is_a_conflict() {
    let world = World::with_config("durability: fast\n");
    let Some((mut terminal, child)) = at_a_terminal(&world) else { return };
    terminal.expect(QUESTION);
    world.lay("a.txt", "one\nmine\n");
    terminal.send("y\n");
    let seen = terminal.close();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!(ran.code, 1, "{ran:?} {seen}");
    assert!(ran.stdout.contains("File changed since the plan"), "{ran:?}");
    assert_eq!((world.read("a.txt").as_str(), world.read(".envrc").as_str()), ("one\nmine\n", "x\n"));
    // Once more does the rest.
    let again = world.run(
        &["apply"],
        Answer::new()
            .action("file_append", &[("path", "a.txt"), ("content", "two\n")])
            .write(".envrc", "x\n")
            .text(),
    );
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(world.read("a.txt"), "one\nmine\ntwo\n");
}
