//! What an editor shows of a plan and of its outcome: `review` of `plan` and `execute`.

use serde_json::{Value, json};

use crate::mixed::Desk;
use crate::support::{Answer, World};

const LISTING: &str = "Here is the updated `new.py`:\n\n```python\nX = 1\n```\n";

/// An answer with two hunks in one file, a command that needs approval, one that only reads, a failure, what
/// holds already, and a proposal.
fn answer(world: &World) -> String {
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "1")
        .replace(&world.at("a.txt"), "nine", "9")
        .action("run", &[("command", "make all")])
        .read(&world.at("a.txt"))
        .replace(&world.at("b.txt"), "nowhere", "x")
        .write(&world.at("c.txt"), "held\n");
    format!("{}\n{LISTING}", answer.text())
}

fn desk() -> Desk {
    let text = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";
    let mut desk = Desk::new(&[("a.txt", text), ("b.txt", "b\n"), ("c.txt", "held\n")]);
    desk.daemon.call("hello", &json!({ "features": ["plain"] }));
    desk
}

fn plan(desk: &mut Desk, more: &Value) -> Value {
    let mut params = json!({ "root": desk.world.root(), "review": true, "context": 1, "lines": "lf" });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    desk.daemon.call("plan", &params)
}

fn strings<'v>(values: &'v Value, key: &str) -> Vec<&'v str> {
    values.as_array().unwrap().iter().map(|value| value[key].as_str().unwrap_or("-")).collect()
}

#[test]
fn a_review_has_what_is_decided_on_as_one_and_the_rest_in_words() {
    let mut desk = desk();
    let text = answer(&desk.world);
    let planned = plan(&mut desk, &json!({ "text": text }));
    let review = &planned["review"];
    let units = review["units"].as_array().unwrap();
    assert_eq!(strings(&review["units"], "id"), ["p1", "g1", "g2", "a3"], "{review:#}");
    assert_eq!(strings(&review["units"], "title"), ["-", "-", "-", "run make all"]);
    assert_eq!(strings(&review["units"], "proposal"), ["p1", "-", "-", "-"]);
    let accepted: Vec<&Value> = units.iter().map(|unit| &unit["accepted"]).collect();
    assert_eq!(accepted, [false, true, true, false]);
    assert_eq!(
        (&units[3]["approvals"], &units[3]["command"]),
        (&json!([planned["approvals"][0]["id"]]), &json!(true))
    );
    assert!(units[3]["approvalText"].as_str().unwrap().contains("| make all"), "{review:#}");
    assert_eq!(review["always"], json!(["a4", "a5", "a6"]));
    assert_eq!((&review["failed"], &review["nothing"]), (&json!(1), &Value::Null));
    let notes: Vec<String> = review["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| {
            format!(
                "{}: {}",
                note["severity"].as_str().unwrap(),
                desk.world.shown(note["text"].as_str().unwrap())
            )
        })
        .collect();
    assert!(notes[0].starts_with("error: [task-5] file_replace_text: "), "{notes:?}");
    assert_eq!(review["notes"][0]["action"], "a5");
    assert!(notes.contains(&"note: only reads: file_read".to_owned()), "{notes:?}");
    assert!(
        notes.contains(&"note: [task-6] already done: file_write /TOP/project/c.txt".to_owned()),
        "{notes:?}"
    );
    // Files of proposals come first.
    assert_eq!(strings(&planned["files"], "title"), ["proposed: create new.py", "change a.txt"]);
    assert_eq!(planned["files"][1]["units"], json!(["g1", "g2"]));
    assert_eq!(strings(&planned["files"][1]["hunks"], "header"), ["@@ -1,2 +1,2 @@", "@@ -8,2 +8,2 @@"]);
    let about = &planned["files"][0]["about"];
    assert_eq!(about[1], "“Here is the updated `new.py`:”", "{about}");
    // The same change is known by its key in another plan.
    let again = plan(&mut desk, &json!({ "text": text }));
    assert_eq!(strings(&again["review"]["units"], "key"), strings(&review["units"], "key"));
    let nothing = plan(&mut desk, &json!({ "text": "Only words.\n" }));
    assert_eq!(nothing["review"]["nothing"], "it holds no change of a file");
    assert!(plan(&mut desk, &json!({ "text": text, "review": false })).get("review").is_none());
}

#[test]
fn an_outcome_has_one_line_and_what_was_not_applied() {
    let mut desk = desk();
    let text = answer(&desk.world);
    let planned = plan(&mut desk, &json!({ "text": text }));
    let accept = json!(["g1", "a4", "a5", "a6"]);
    let more = json!({ "review": true, "accept": accept, "decline": ["p1"] });
    let done = desk.execute(&planned, &[], &more);
    let outcome = &done["outcome"];
    assert_eq!(outcome["line"], "3 done, 1 failed, 2 left out, 1 proposal declined", "{outcome:#}");
    assert_eq!(outcome["complete"], false);
    assert_eq!(strings(&outcome["problems"], "severity"), ["error"]);
    assert!(outcome["problems"][0]["text"].as_str().unwrap().starts_with("no_match: "), "{outcome:#}");
    assert_eq!(desk.world.read("a.txt"), "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
}

#[test]
fn regression_each_unit_can_be_decided_on_alone() {
    for last in ["file_delete", "file_move"] {
        let new_desk = || Desk::new(&[("f.txt", "one\n"), ("h.txt", "h\n")]);
        let mut desk = new_desk();
        let last = |world: &World| match last {
            "file_delete" => (last, vec![("path", world.at("n.txt"))]),
            _ => (last, vec![("old_path", world.at("h.txt")), ("new_path", world.at("n.txt"))]),
        };
        let text = |world: &World| {
            let (name, fields) = last(world);
            let fields: Vec<(&str, &str)> =
                fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
            let new = world.at("n.txt");
            let answer = Answer::new().action("file_append", &[("path", new.as_str()), ("content", "new\n")]);
            answer.action(name, &fields).replace(&world.at("f.txt"), "one", "1").text().to_owned()
        };
        let text_here = text(&desk.world);
        let units = plan(&mut desk, &json!({ "text": text_here }))["review"]["units"].clone();
        assert_eq!(units.as_array().unwrap().len(), 2, "{units:#}");
        for id in strings(&units, "id") {
            let mut desk = new_desk();
            let text_here = text(&desk.world);
            let planned = plan(&mut desk, &json!({ "text": text_here }));
            let done = desk.execute(&planned, &[], &json!({ "accept": [id] }));
            assert!(
                done["results"].as_array().unwrap().iter().any(|one| one["success"] == true),
                "{id} {done:#}"
            );
        }
    }
}

#[test]
fn new_lines_are_edited_as_one_text_and_end_as_the_others() {
    for (old, text, new) in [
        ("one\r\ntwo\r\n", "1\n1.5\n", "1\r\n1.5\r\ntwo\r\n"),
        ("one", "1\n", "1"),
        ("one\ntwo\n", "", "two\n"),
    ] {
        let mut desk = Desk::new(&[("a.txt", old)]);
        let answer = Answer::new().replace(&desk.world.at("a.txt"), "one", "uno");
        let planned = plan(&mut desk, &json!({ "text": answer.text() }));
        let hunk = &planned["files"][0]["hunks"][0];
        let place = json!({
            "part": hunk["parts"][0], "start": hunk["start"], "removed": hunk["removed"], "added": hunk["added"],
            "text": text,
        });
        let edited = plan(&mut desk, &json!({ "planId": planned["planId"], "edited": [place] }));
        assert_eq!(edited["files"][0]["hunks"][0]["edited"], true, "{edited:#}");
        desk.execute(&edited, &[], &json!({}));
        assert_eq!(desk.world.read("a.txt"), new);
    }
}

#[test]
fn nothing_is_undone_beneath_a_document_that_is_not_saved_and_events_name_their_connection() {
    let mut desk = Desk::new(&[("a.txt", "one\n")]);
    let root = desk.world.root();
    desk.daemon.call("subscribe", &json!({ "root": root, "kinds": ["executed", "undone"] }));
    let answer = Answer::new().replace(&desk.world.at("a.txt"), "one", "1");
    let planned = desk.plan(&answer, &[]);
    desk.execute(&planned, &[], &json!({}));
    assert_eq!(desk.daemon.next_event()["own"], true);
    let unsaved = json!([desk.uri("a.txt")]);
    for merge in [false, true] {
        let params = json!({ "root": root, "unsaved": unsaved, "merge": merge });
        let refused = desk.daemon.fail("undo", &params);
        assert_eq!(
            refused["message"],
            "'a.txt' is modified in the editor and not saved. Nothing was changed"
        );
    }
    assert_eq!(desk.world.read("a.txt"), "1\n");
    // The client at the terminal has another connection.
    desk.world.run(&["undo"], "");
    let event = desk.daemon.next_event();
    assert_eq!((&event["kind"], &event["own"]), (&json!("undone"), &Value::Null), "{event:#}");
    assert_eq!(desk.world.read("a.txt"), "one\n");
}
