//! Operations of editors: what the daemon writes and what the editor saves is one operation, with one commit and one undo.

use serde_json::{Value, json};

use crate::git::{is, repository};
use crate::mixed::Desk;
use crate::support::Answer;

/// The text of a.txt, and the one that the editor saves.
const BEFORE: &str = "one\n-\n-\n-\ntwo\n";
const SAVED: &str = "1\n-\n-\n-\ntwo\n";

/// A repository with an editor that holds a.txt and typed.txt, and an answer over both and b.txt.
fn desk() -> Option<(Desk, Answer)> {
    let world = repository("")?;
    for (name, text) in [("a.txt", BEFORE), ("typed.txt", "one\n"), ("b.txt", "one\n"), ("c.txt", "one\n")] {
        world.lay(name, text);
    }
    for args in [&["add", "-A"][..], &["commit", "-qm", "second"]] {
        crate::git::git(&world, args).unwrap();
    }
    let answer = ["a.txt", "typed.txt", "b.txt"]
        .iter()
        .fold(Answer::new(), |answer, name| answer.replace(&world.at(name), "one", "1"));
    let daemon = world.connect();
    Some((Desk { world, daemon }, answer))
}

/// Carries out the answer as an editor does that saves a.txt, and whose process is `owner`.
fn begin(desk: &mut Desk, answer: &Answer, owner: u32) -> Value {
    let planned = desk.plan(answer, &[("typed.txt", "one\nmine\n", 3)]);
    let more = json!({ "saves": [desk.uri("a.txt")], "owner": owner, "units": "line" });
    let done = desk.execute(&planned, &["a.txt", "typed.txt"], &more);
    assert_eq!(
        (&done["success"], &done["open"], &done["git"]),
        (&json!(true), &json!(true), &Value::Null),
        "{done:#}"
    );
    assert_eq!((desk.world.read("a.txt").as_str(), desk.world.read("b.txt").as_str()), (BEFORE, "1\n"));
    done
}

fn end(desk: &mut Desk, done: &Value, saved: &[&str], unsaved: &[&str]) -> Value {
    let uris = |names: &[&str]| names.iter().map(|name| desk.uri(name)).collect::<Vec<_>>();
    let (saved, unsaved) = (uris(saved), uris(unsaved));
    let params = json!({
        "root": desk.world.root(), "operation": done["operationId"], "saved": saved, "unsaved": unsaved,
    });
    desk.daemon.call("execute.saved", &params)
}

fn texts(desk: &Desk) -> [String; 4] {
    ["a.txt", "typed.txt", "b.txt", "c.txt"].map(|name| desk.world.read(name))
}

fn commits(desk: &Desk) -> usize {
    is(&desk.world, &["log", "--format=%s"]).lines().count()
}

fn history(desk: &mut Desk) -> Vec<Value> {
    let list = desk.daemon.call("history.list", &json!({ "root": desk.world.root() }));
    list["operations"].as_array().unwrap().clone()
}

fn changed(result: &Value) -> Vec<&str> {
    result["changed"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect()
}

#[test]
fn what_an_editor_saved_is_one_operation_and_one_commit_with_the_rest() {
    // Each: the text that the editor saves, the documents that it names as saved, and the files of the operation.
    let cases: [(&str, &[&str], &[&str]); 4] = [
        (SAVED, &["a.txt"], &["a.txt", "b.txt"]),
        // A formatter ran.
        ("HEADER\n1\n-\n-\n-\ntwo\n", &["a.txt"], &["a.txt", "b.txt"]),
        // It could not save the file.
        (BEFORE, &[], &["b.txt"]),
        // It changed it to and fro.
        (BEFORE, &["a.txt"], &["b.txt"]),
    ];
    for (text, saved, files) in cases {
        let Some((mut desk, answer)) = desk() else { return };
        let before = texts(&desk);
        let count = commits(&desk);
        let done = begin(&mut desk, &answer, std::process::id());
        assert_eq!(commits(&desk), count);
        desk.world.lay("a.txt", text);
        let ended = end(&mut desk, &done, saved, &["typed.txt"]);
        assert_eq!(ended["operationId"], done["operationId"], "{ended:#}");
        assert_eq!(changed(&ended), files);
        assert!(ended["git"]["after"].is_string(), "{ended:#}");
        assert_eq!(commits(&desk), count + 1);
        let in_commit = is(&desk.world, &["show", "--format=", "--name-only", "HEAD"]);
        assert_eq!(in_commit.lines().collect::<Vec<_>>(), files);
        let listed = history(&mut desk);
        assert_eq!(listed.len(), 1);
        let summary = listed[0]["summary"].as_str().unwrap();
        assert!(summary.ends_with("; not saved in the editor: typed.txt"), "{summary}");
        // At the terminal, and twice.
        let after = texts(&desk);
        for (command, expected) in [("undo", &before), ("redo", &after), ("undo", &before)] {
            let ran = desk.world.run(&[command], "");
            assert_eq!(ran.code, 0, "{command}: {}\n{}", ran.stdout, ran.stderr);
            assert_eq!(&texts(&desk), expected, "{command} after {text:?}");
        }
        assert_eq!(commits(&desk), count);
        let again = json!({ "root": desk.world.root(), "operation": done["operationId"] });
        assert_eq!(desk.daemon.fail("execute.saved", &again)["data"]["kind"], "operation_not_found");
    }
}

#[test]
fn an_answer_that_is_only_in_the_editor_is_an_operation_if_it_was_saved() {
    for (is_saved, listed) in [(true, 1), (false, 0)] {
        let Some((mut desk, _)) = desk() else { return };
        let answer = Answer::new().replace(&desk.world.at("a.txt"), "one", "1");
        let planned = desk.plan(&answer, &[]);
        let done = desk.execute(&planned, &["a.txt"], &json!({ "saves": [desk.uri("a.txt")] }));
        assert_eq!(done["open"], true, "{done:#}");
        if is_saved {
            desk.world.lay("a.txt", SAVED);
        }
        let ended = end(&mut desk, &done, if is_saved { &["a.txt"] } else { &[] }, &[]);
        assert_eq!(history(&mut desk).len(), listed);
        assert_eq!(ended["operationId"].as_str().is_some_and(|id| !id.is_empty()), is_saved, "{ended:#}");
        // The same answer once more: it is there already, or is not.
        let planned = desk.plan(&answer, &[]);
        let kind = &planned["actions"][0]["unplannable"]["kind"];
        assert_eq!(kind == "answer_already_applied", is_saved, "{:#}", planned["actions"]);
    }
}

#[test]
fn what_others_do_before_the_editor_has_ended_stays_outside() {
    let Some((mut desk, answer)) = desk() else { return };
    let done = begin(&mut desk, &answer, std::process::id());
    desk.world.lay("a.txt", SAVED);
    // Somebody else changes a file of the operation that was saved by then, and another one.
    let other = ["a.txt", "c.txt"]
        .iter()
        .zip(["two", "one"])
        .fold(Answer::new(), |answer, (name, old)| answer.replace(&desk.world.at(name), old, "theirs"));
    let theirs = desk.world.execute(&other, json!({}));
    assert_eq!(theirs["success"], true, "{theirs:#}");
    let ended = end(&mut desk, &done, &["a.txt"], &["typed.txt"]);
    assert_eq!(changed(&ended), ["a.txt", "b.txt"]);
    let diff =
        desk.world.run(&["history", "show", done["operationId"].as_str().unwrap(), "--diff"], "").stdout;
    assert!(diff.contains("+1\n") && !diff.contains("theirs"), "{diff}");
    // Its undo, around what they did.
    let ran = desk.world.run(&["undo", done["operationId"].as_str().unwrap(), "--merge"], "");
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(
        texts(&desk).map(|text| text.replace('\n', " ")),
        ["one - - - theirs ", "one ", "one ", "theirs "]
    );
}

#[test]
fn the_operation_of_an_editor_that_died_ends_with_what_is_on_disk() {
    // The daemon lives, or dies with it; the file was saved by then, or not.
    for (with_daemon, is_saved) in [(false, true), (false, false), (true, true)] {
        let Some((mut desk, answer)) = desk() else { return };
        let before = texts(&desk);
        let mut editor = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let done = begin(&mut desk, &answer, editor.id());
        let id = done["operationId"].as_str().unwrap();
        if is_saved {
            desk.world.lay("a.txt", SAVED);
        }
        if with_daemon {
            let Desk { world, daemon } = desk;
            daemon.kill_peer();
            // The next one starts when the socket of this one is free.
            assert_eq!(world.run(&["history"], "").code, 0);
            let daemon = world.connect();
            desk = Desk { world, daemon };
        }
        editor.kill().unwrap();
        editor.wait().unwrap();
        let root = json!({ "root": desk.world.root() });
        let told = std::iter::from_fn(|| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            Some(desk.daemon.call("history.list", &root)["warnings"].clone())
        })
        .take(3000)
        .find(|warnings| warnings.as_array().is_some_and(|warnings| !warnings.is_empty()));
        let told = told.expect("the operation ends").to_string();
        let names = if is_saved { "a.txt, b.txt" } else { "b.txt" };
        let words = format!("ended before it finished operation {}", &id[..3]);
        assert!(told.contains(&words) && told.contains(names), "{told}");
        let shown = desk.daemon.call("history.show", &json!({ "root": desk.world.root(), "operation": id }));
        assert_eq!(shown["changes"].as_array().unwrap().len(), if is_saved { 2 } else { 1 }, "{shown:#}");
        assert!(is(&desk.world, &["log", "-1", "--format=%B"]).contains(id));
        let ran = desk.world.run(&["undo"], "");
        assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
        assert_eq!(texts(&desk), before);
    }
}

#[test]
fn regression_each_operation_of_an_editor_that_died_is_reported() {
    let Some((mut desk, answer)) = desk() else { return };
    let mut editor = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let first = begin(&mut desk, &answer, editor.id());
    let planned = desk.plan(&Answer::new().replace(&desk.world.at("c.txt"), "one", "1"), &[]);
    let more = json!({ "saves": [desk.uri("c.txt")], "owner": editor.id(), "units": "line" });
    let second = desk.execute(&planned, &["c.txt"], &more);
    assert_eq!(second["open"], true, "{second:#}");
    editor.kill().unwrap();
    editor.wait().unwrap();
    let root = json!({ "root": desk.world.root() });
    let mut messages = String::new();
    let ended =
        [first, second].map(|done| format!("operation {}", &done["operationId"].as_str().unwrap()[..3]));
    let all = (0..3000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        messages += &desk.daemon.call("history.list", &root)["warnings"].to_string();
        ended.iter().all(|words| messages.contains(words))
    });
    assert!(all, "{ended:?} {messages}");
}

#[test]
fn an_undo_takes_back_what_an_editor_has_not_reported_yet() {
    let Some((mut desk, answer)) = desk() else { return };
    let before = texts(&desk);
    begin(&mut desk, &answer, std::process::id());
    desk.world.lay("a.txt", SAVED);
    let ran = desk.world.run(&["undo"], "");
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(texts(&desk), before);
}

#[test]
fn a_document_that_is_open_by_a_link_is_the_file_behind_it() {
    let Some((mut desk, _)) = desk() else { return };
    std::os::unix::fs::symlink("a.txt", desk.world.at("link.txt")).unwrap();
    let answer = Answer::new().replace(&desk.world.at("a.txt"), "one", "1");
    let planned = desk.plan(&answer, &[]);
    let done = desk.execute(&planned, &["link.txt"], &json!({ "saves": [desk.uri("link.txt")] }));
    assert_eq!(done["open"], true, "{done:#}");
    desk.world.lay("a.txt", SAVED);
    let ended = end(&mut desk, &done, &["link.txt"], &[]);
    assert_eq!(changed(&ended), ["a.txt"], "{ended:#}");
    assert_eq!(desk.world.run(&["undo"], "").code, 0);
    assert_eq!(desk.world.read("a.txt"), BEFORE);
}
