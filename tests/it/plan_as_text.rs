//! An answer carried out by its plan gives what it gives as a text: results, files, history and commits. Each
//! case is done in two projects of one daemon.

use std::path::PathBuf;
use std::process::Child;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Answer, Connection, Ran, Terminal, Tree, World, skipped, without_ids};

/// Two projects with the same files; the answers to the first one are sent as texts, those to the second one
/// planned.
struct Pair<'w> {
    world: &'w World,
    daemon: Connection,
    roots: [PathBuf; 2],
}

const TEXT: usize = 0;
const PLAN: usize = 1;

impl<'w> Pair<'w> {
    fn new(world: &'w World, name: &str, files: &[(&str, &str)]) -> Pair<'w> {
        let roots = [world.path(&format!("{name}/text")), world.path(&format!("{name}/plan"))];
        let pair = Pair { world, daemon: world.connect(), roots };
        for root in &pair.roots {
            std::fs::create_dir_all(root).unwrap();
        }
        for (path, text) in files {
            pair.lay(path, text);
        }
        pair
    }

    /// Writes a file of both projects.
    fn lay(&self, path: &str, text: &str) {
        for root in &self.roots {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    /// Commits all files of both projects; `false` where there is no git.
    fn commit(&self) -> bool {
        let all = [
            &["init", "-q", "-b", "main"][..],
            &["add", "."],
            &["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first"],
        ];
        self.roots.iter().all(|root| all.iter().all(|arguments| self.git(root, arguments).is_some()))
    }

    fn git(&self, root: &PathBuf, arguments: &[&str]) -> Option<String> {
        let mut git = self.world.program("git");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let output = git.env("PATH", path).current_dir(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn call(&mut self, at: usize, method: &str, more: &Value) -> Value {
        let mut params = json!({ "root": self.roots[at] });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.daemon.try_call(method, &params).unwrap_or_else(|error| json!({ "failed": error }))
    }

    /// Carries `text` out in both projects. `of_plan` is what a plan takes with the text, `more` what
    /// `execute` takes.
    fn apply(&mut self, text: &str, of_plan: &Value, more: &Value) -> [Value; 2] {
        let all = |base: Value, others: &[&Value]| {
            let mut all = base;
            for other in others {
                all.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
            }
            all
        };
        let as_text = self.call(TEXT, "execute", &all(json!({ "text": text }), &[of_plan, more]));
        let planned = self.call(PLAN, "plan", &all(json!({ "text": text }), &[of_plan]));
        let id = planned.get("planId").unwrap_or_else(|| panic!("{planned:#}"));
        let by_plan = self.call(PLAN, "execute", &all(json!({ "planId": id }), &[more]));
        [as_text, by_plan]
    }

    /// What the two gave has to be the same, and the projects, their histories and commits as well.
    fn same(&mut self, when: &str, given: &[Value; 2]) -> Result<(), String> {
        let equal = |what: &str, one: String, other: String| match one == other {
            true => Ok(()),
            false => Err(format!("{when}: {what} differ\n--- as a text\n{one}\n--- by its plan\n{other}")),
        };
        let shown = |pair: &Pair<'_>, at: usize, value: &Value| {
            serde_json::to_string_pretty(&pair.masked(at, value)).unwrap()
        };
        equal("results", shown(self, TEXT, &given[TEXT]), shown(self, PLAN, &given[PLAN]))?;
        let [text, plan] = [TEXT, PLAN].map(|at| {
            let of_git = |path: &[u8]| path == b".git" || path.starts_with(b".git/");
            Tree::of(&self.roots[at]).filter(|path| !of_git(path.as_encoded_bytes()))
        });
        equal("files", String::new(), text.difference(&plan))?;
        let history = [TEXT, PLAN].map(|at| {
            let listed = self.call(at, "history.list", &json!({}));
            let ids: Vec<String> = listed["operations"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|operation| operation["operationId"].as_str().map(str::to_owned))
                .collect();
            let operations: Vec<Value> = ids
                .iter()
                .map(|id| self.call(at, "history.show", &json!({ "operation": id, "diff": true })))
                .collect();
            shown(self, at, &json!([listed, operations]))
        });
        let [text, plan] = history;
        equal("histories", text, plan)?;
        let [text, plan] = [TEXT, PLAN].map(|at| {
            let log = self.git(&self.roots[at], &["log", "-p", "--format=%an %ae %s%n%b"]);
            let status = self.git(&self.roots[at], &["status", "--porcelain"]);
            self.text_masked(at, &format!("{}{}", log.unwrap_or_default(), status.unwrap_or_default()))
        });
        equal("commits", text, plan)
    }

    /// Takes back everything in both projects.
    fn undo_all(&mut self) -> Result<(), String> {
        for step in 0..8 {
            let undone = [TEXT, PLAN].map(|at| self.call(at, "undo", &json!({})));
            self.same(&format!("undo {step}"), &undone)?;
            if undone[TEXT].get("failed").is_some() {
                break;
            }
        }
        Ok(())
    }

    /// The value without what differs from project to project and from time to time.
    fn masked(&self, at: usize, value: &Value) -> Value {
        const OTHERS: [&str; 4] = ["durationMs", "began", "beganMs", "shortIds"];
        // Other programs on the machine decide it: a daemon of another test that is ending, say.
        const OF_OTHERS: &str = "no_sockets";
        match value {
            Value::String(text) => Value::from(self.text_masked(at, text)),
            Value::Array(items) => items.iter().map(|item| self.masked(at, item)).collect(),
            Value::Object(members) => members
                .iter()
                .filter(|(name, _)| !OTHERS.contains(&name.as_str()) && name.as_str() != OF_OTHERS)
                .map(|(name, value)| (self.text_masked(at, name), self.masked(at, value)))
                .collect(),
            _ => value.clone(),
        }
    }

    fn text_masked(&self, at: usize, text: &str) -> String {
        let text = without_ids(&text.replace(self.roots[at].to_str().unwrap(), "/ROOT"));
        let mut masked = String::new();
        let mut word = String::new();
        for character in text.chars().chain(['\n']) {
            if character.is_ascii_alphanumeric() || "-:.".contains(character) && !word.is_empty() {
                word.push(character);
                continue;
            }
            let is_id = word.len() >= 7 && word.chars().all(|character| character.is_ascii_hexdigit());
            let is_range = word.contains("..") && word.len() >= 14;
            let is_time = word.len() >= 19 && word.starts_with("20") && word.contains('T');
            masked.push_str(if is_id || is_time || is_range { "#" } else { &word });
            masked.push(character);
            word.clear();
        }
        masked.pop();
        masked
    }
}

fn append(path: &str, text: &str) -> Answer {
    Answer::new().action("file_append", &[("path", path), ("content", text)])
}

fn runs(answer: Answer, command: &str) -> Answer {
    answer.action("run", &[("command", command)])
}

/// A case: its name, what a plan takes with the text, what is approved, and the answer.
type Case = (&'static str, Value, Value, String);

/// The files that every case begins with.
const FILES: &[(&str, &str)] = &[
    ("a.txt", "one\ntwo\nthree\n"),
    ("b.txt", "one\n"),
    ("d/c.txt", "deep\n"),
    ("d/e/f.txt", "deeper\n"),
    (".envrc", "export A=1\n"),
];

fn cases() -> Vec<Case> {
    let (none, all) = (json!({}), json!({ "approve": "all" }));
    let of = |name, answer: Answer| (name, json!({}), json!({}), answer.text().to_owned());
    let approved =
        |name, answer: Answer| (name, json!({}), json!({ "approve": "all" }), answer.text().to_owned());
    let tasks = |inner: &str| format!("<---TASKS--->\n{inner}<---END--->\n");
    let write = |path: &str, text: &str| format!("<---WRITE file=\"{path}\"--->\n{text}\n<---END--->\n");
    let search = |path: &str, old: &str, new: &str| {
        format!("<---SEARCH file=\"{path}\"--->\n{old}\n<---REPLACE--->\n{new}\n<---END--->\n")
    };
    let run = |command: &str| format!("<---RUN--->\n{command}\n<---END--->\n");
    vec![
        of(
            "edits",
            Answer::new()
                .replace("a.txt", "two", "2")
                .replace("a.txt", "2", "zwei")
                .write("new/x.txt", "x\n")
                .read("new/x.txt")
                .replace("a.txt", "not there", "x")
                .action("dir_create", &[("path", "empty")]),
        ),
        of("an append", append("a.txt", "four\n")),
        of("the same append twice in one answer", {
            let one = Answer::new().action("file_append", &[("path", "b.txt"), ("content", "x\n")]);
            one.action("file_append", &[("path", "b.txt"), ("content", "x\n")])
        }),
        of(
            "moves",
            Answer::new()
                .action("file_move", &[("old_path", "a.txt"), ("new_path", "moved/a.txt")])
                .replace("moved/a.txt", "one", "1")
                .action("file_move", &[("old_path", "b.txt"), ("new_path", "d/c.txt")])
                .action("file_delete", &[("path", "d/c.txt")]),
        ),
        approved(
            "a command changes later files",
            runs(
                Answer::new().replace("b.txt", "one", "two"),
                "sh -c 'sed -i 1i\\zero a.txt; echo x > made; echo late > b.txt'",
            )
            .replace("a.txt", "three", "four")
            .replace("b.txt", "two", "three")
            .replace("made", "x", "y"),
        ),
        approved(
            "a command fails",
            runs(runs(append("a.txt", "x\n"), "sh -c 'echo y >> a.txt; exit 3'"), "sh -c 'cat a.txt'")
                .replace("a.txt", "y", "z"),
        ),
        of(
            "commands that are not approved",
            runs(append("a.txt", "x\n"), "sh -c 'echo y >> a.txt'").replace("a.txt", "x", "z"),
        ),
        of(
            "whole folders",
            runs(
                runs(runs(Answer::new().write("d/new.txt", "n\n"), "cp -r d copy"), "rm -r d")
                    .write("d", "file\n"),
                "mv copy back",
            )
            .replace("back/new.txt", "n", "m")
            .read("back/e/f.txt"),
        ),
        of(
            "what waits for approval, and what comes after it",
            Answer::new()
                .write(".envrc", "export B=2\n")
                .replace(".envrc", "B=2", "B=3")
                .action("file_move", &[("old_path", ".envrc"), ("new_path", "envrc")])
                .replace("envrc", "B", "C")
                .write("b.txt", "two\n"),
        ),
        ("a failure in a block", none.clone(), none.clone(), {
            let block =
                write("new.txt", "n") + &search("a.txt", "missing", "x") + &search("b.txt", "one", "1");
            tasks(&block) + &write("after.txt", "x") + &search("b.txt", "one", "eins")
        }),
        ("a block with commands", none.clone(), all.clone(), {
            let block = write("n", "x") + &run("sh -c 'echo 2 > n; exit 1'") + &search("a.txt", "one", "1");
            tasks(&block) + &search("n", "2", "3")
        }),
        ("a block with commands that may not run", none.clone(), none.clone(), {
            let block = write("n", "x") + &run("sh -c 'echo 2 > n'") + &search("a.txt", "one", "1");
            tasks(&block) + &search("a.txt", "one", "1") + &search("n", "x", "3")
        }),
        ("a block that waits for approval", none.clone(), none.clone(), {
            let block = write("n", "x") + &write(".envrc", "y");
            tasks(&block) + &search("n", "x", "3") + &write("n2", "x")
        }),
        ("all or nothing", json!({ "atomic": true }), none.clone(), {
            write("n", "x") + &search("a.txt", "missing", "x") + &search("b.txt", "one", "1")
        }),
        ("all or nothing, done", json!({ "atomic": true }), none.clone(), {
            write("n", "x") + &run("mv b.txt d/b.txt") + &search("d/b.txt", "one", "1") + &run("rm -r d/e")
        }),
        ("all or nothing that waits", json!({ "atomic": true }), none.clone(), {
            write("n", "x") + &write(".envrc", "y")
        }),
        ("matched exactly", json!({ "match": "exact" }), none.clone(), search("a.txt", "one \ntwo", "x")),
        (
            "matched tolerantly",
            json!({ "match": "tolerant" }),
            none.clone(),
            search("a.txt", "  one\n  two", "  x"),
        ),
        (
            "what does not parse",
            none.clone(),
            none.clone(),
            write("n", "x") + "<---SEARCH file=\"a.txt\"--->\none\n",
        ),
        ("nothing", none.clone(), none, "Just words.\n".to_owned()),
        ("a listing", json!({}), all, "`a.txt`:\n\n```\nquite\nother\n```\n".to_owned()),
    ]
}

/// Carries the case out in both projects, sends it again, resumes it, changes something, and takes all of it
/// back.
fn compare(world: &World, name: &str, case: &Case, committed: bool) -> Result<(), String> {
    let (_, of_plan, more, text) = case;
    let mut pair = Pair::new(world, name, FILES);
    if committed && !pair.commit() {
        return Ok(());
    }
    let first = pair.apply(text, of_plan, more);
    pair.same("first", &first)?;
    let second = pair.apply(text, of_plan, more);
    pair.same("again", &second)?;
    let resumed = [TEXT, PLAN].map(|at| {
        let id = first[at]["operationId"].clone();
        pair.call(at, "execute", &json!({ "resume": id, "approve": "all" }))
    });
    pair.same("resumed", &resumed)?;
    pair.undo_all()?;
    let after = pair.apply(text, of_plan, &json!({ "approve": "all" }));
    pair.same("after the undo", &after)?;
    pair.undo_all()
}

#[test]
fn an_answer_by_its_plan_is_the_answer_as_a_text() {
    let world = World::with_config("durability: fast\n");
    for (index, case) in cases().iter().enumerate() {
        let done = compare(&world, &format!("case{index}"), case, index % 2 == 0);
        assert_eq!(done, Ok(()), "{}", case.0);
    }
}

#[test]
fn what_was_done_in_part_before_is_done_in_part() {
    let world = World::with_config("durability: fast\n");
    let mut pair = Pair::new(&world, "partly", FILES);
    let text = append("a.txt", "x\n").replace("b.txt", "one", "two").write("n", "n\n");
    // The same part of it is done in both.
    for at in [TEXT, PLAN] {
        let planned = pair.call(at, "plan", &json!({ "text": text.text() }));
        let accepted = json!({ "planId": planned["planId"], "accept": ["a1", "a3"] });
        pair.call(at, "execute", &accepted);
    }
    let rest = pair.apply(text.text(), &json!({}), &json!({}));
    assert_eq!(pair.same("rest", &rest), Ok(()));
    assert_eq!(std::fs::read_to_string(pair.roots[PLAN].join("a.txt")).unwrap(), "one\ntwo\nthree\nx\n");
    assert_eq!(pair.undo_all(), Ok(()));
    // What was applied no longer holds, or was done by another request since the plan was made.
    let planned = pair.call(PLAN, "plan", &json!({ "text": text.text() }));
    let first = [TEXT, PLAN].map(|at| pair.call(at, "execute", &json!({ "text": text.text() })));
    assert_eq!(pair.same("by text", &first), Ok(()));
    let second = [
        pair.call(TEXT, "execute", &json!({ "text": text.text() })),
        pair.call(PLAN, "execute", &json!({ "planId": planned["planId"] })),
    ];
    assert_eq!(pair.same("after another request", &second), Ok(()));
    // A person may want it twice: the plan, or its execution, says so.
    for (of_plan, of_execution) in [(true, false), (false, true), (true, true)] {
        let planned = pair.call(PLAN, "plan", &json!({ "text": text.text(), "again": of_plan }));
        let again = [
            pair.call(TEXT, "execute", &json!({ "text": text.text(), "again": true })),
            pair.call(PLAN, "execute", &json!({ "planId": planned["planId"], "again": of_execution })),
        ];
        if of_plan {
            assert_eq!(pair.same("again", &again), Ok(()));
        } else {
            // What the plan left out is not done after all.
            assert_eq!(again[PLAN]["results"][0]["kind"], "conflict", "{:#}", again[PLAN]);
            pair = Pair::new(&world, "partly2", FILES);
            let both = pair.apply(text.text(), &json!({}), &json!({}));
            assert_eq!(pair.same("anew", &both), Ok(()));
        }
    }
}

/// Starts `apply` at a terminal, with an answer that has to be approved.
fn at_a_terminal(world: &World) -> Option<(Terminal, Child)> {
    let Some(terminal) = Terminal::open() else {
        skipped("a test at a terminal", "a program cannot be given one here");
        return None;
    };
    world.lay("a.txt", "one\n");
    let answer = append("a.txt", "two\n").write(".envrc", "x\n");
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
    assert!(ran.stdout.contains("File changed since it was planned"), "{ran:?}");
    assert_eq!((world.read("a.txt").as_str(), world.read(".envrc").as_str()), ("one\nmine\n", "x\n"));
    // Once more does the rest.
    let again = world.run(&["apply"], append("a.txt", "two\n").write(".envrc", "x\n").text());
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(world.read("a.txt"), "one\nmine\ntwo\n");
}

/// A step of a random answer.
#[derive(Debug, Clone)]
struct Random {
    kind: usize,
    path: usize,
    other: usize,
    text: usize,
    in_block: bool,
}

const PATHS: [&str; 7] = ["a.txt", "b.txt", "d/c.txt", "d/e/f.txt", ".envrc", "new", "d/new"];
const TEXTS: [&str; 4] = ["one", "two", "deep", "one\ntwo"];

fn random() -> impl Strategy<Value = Random> {
    (0..13_usize, 0..PATHS.len(), 0..PATHS.len(), 0..TEXTS.len(), any::<bool>())
        .prop_map(|(kind, path, other, text, in_block)| Random { kind, path, other, text, in_block })
}

/// The step in CSL, which knows blocks that are all or nothing.
fn in_csl(random: &Random) -> String {
    let (path, other) = (PATHS[random.path], PATHS[random.other]);
    let (text, new) = (TEXTS[random.text], TEXTS[(random.text + random.other) % TEXTS.len()]);
    let run = |command: String| format!("<---RUN--->\n{command}\n<---END--->\n");
    match random.kind {
        0 | 1 => format!("<---WRITE file=\"{path}\"--->\n{text}\n<---END--->\n"),
        2 | 3 => run(format!("mv {path} {other}")),
        4 => run(format!("rm {path}")),
        5 => run("rm -r d".to_owned()),
        6 => run(format!("cp -r d {other}")),
        7 => run(format!("sh -c 'echo {text:?} >> {path}; exit {}'", random.other % 2)),
        8 => run(format!("sh -c 'sed -i s/one/two/ {path}'")),
        9 => format!("<---WRITE file=\"{path}\" append=\"true\"--->\n{text}\n<---END--->\n"),
        _ => format!("<---SEARCH file=\"{path}\"--->\n{text}\n<---REPLACE--->\n{new}\n<---END--->\n"),
    }
}

fn answer_of(steps: &[Random]) -> String {
    let blocks = steps.chunk_by(|one, next| one.in_block == next.in_block);
    blocks
        .map(|steps| {
            let inner: String = steps.iter().map(in_csl).collect();
            if steps[0].in_block { format!("<---TASKS--->\n{inner}<---END--->\n") } else { inner }
        })
        .collect()
}

#[test]
fn random_answers_by_their_plans_are_the_answers_as_texts() {
    let cases = crate::support::cases(5, 400);
    let world = World::with_config("durability: fast\n");
    let number = std::cell::Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 60,
        ..ProptestConfig::default()
    });
    let strategy = (proptest::collection::vec(random(), 1..9), any::<bool>(), 0..4_usize);
    let done = runner.run(&strategy, |(steps, approves, whole)| {
        number.set(number.get() + 1);
        let of_plan = if whole == 0 { json!({ "atomic": true }) } else { json!({}) };
        let more = if approves { json!({ "approve": "all" }) } else { json!({}) };
        let case = ("random", of_plan, more, answer_of(&steps));
        compare(&world, &format!("random{}", number.get()), &case, whole == 1)
            .map_err(|error| TestCaseError::fail(format!("{}\n{error}", case.3)))
    });
    assert!(done.is_ok(), "{}", done.unwrap_err());
}
