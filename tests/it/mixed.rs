//! `execute` with `deliver: "mixed"`: documents that an editor holds come back as edits, all others are
//! written.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Connection, World};

/// The project with an editor that holds some of its files.
pub(crate) struct Desk {
    pub(crate) world: World,
    pub(crate) daemon: Connection,
}

impl Desk {
    pub(crate) fn new(files: &[(&str, &str)]) -> Desk {
        let world = World::new();
        files.iter().for_each(|(name, text)| world.lay(name, text));
        let daemon = world.connect();
        Desk { world, daemon }
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.world.at(name).replace(' ', "%20"))
    }

    pub(crate) fn plan(&mut self, answer: &Answer, overlays: &[(&str, &str, i32)]) -> Value {
        let overlay = |(name, text, version): &(&str, &str, i32)| json!({ "uri": self.uri(name), "text": text, "version": version });
        let overlays: Vec<Value> = overlays.iter().map(overlay).collect();
        self.daemon
            .call("plan", &json!({ "root": self.world.root(), "text": answer.text(), "overlays": overlays }))
    }

    pub(crate) fn params(&self, plan: &Value, loaded: &[&str], more: &Value) -> Value {
        let edits: Vec<String> = loaded.iter().map(|name| self.uri(name)).collect();
        let mut params = json!({ "root": self.world.root(), "planId": plan["planId"], "deliver": "mixed", "edits": edits });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    }

    pub(crate) fn execute(&mut self, plan: &Value, loaded: &[&str], more: &Value) -> Value {
        let params = self.params(plan, loaded, more);
        self.daemon.call("execute", &params)
    }

    /// The outcome, a line an action, and the edits.
    pub(crate) fn told(&self, done: &Value) -> String {
        let mut told = String::new();
        for result in done["results"].as_array().unwrap() {
            let text = |key: &str| result[key].as_str().unwrap_or_default();
            let shown = |text: &str| self.world.shown(text);
            told += &format!("{} {}", text("action"), text("status"));
            if result["success"] != true {
                told += &format!(" {}\n  {}\n  {}", text("kind"), shown(text("error")), shown(text("hint")));
            }
            told += "\n";
        }
        for change in done["edits"]["documentChanges"].as_array().unwrap() {
            let name = |value: &Value| value.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            told += &match change["kind"].as_str() {
                Some("rename") => format!("rename {} {}\n", name(&change["oldUri"]), name(&change["newUri"])),
                Some(kind) => format!("{kind} {}\n", name(&change["uri"])),
                None => format!(
                    "edit {} {} {}\n",
                    name(&change["textDocument"]["uri"]),
                    change["textDocument"]["version"],
                    change["edits"]
                ),
            };
        }
        told
    }
}

#[test]
fn documents_of_the_editor_come_back_as_edits_and_all_others_are_written() {
    let mut desk =
        Desk::new(&[("a.txt", "on disk\n"), ("b.txt", "one\n"), ("c.txt", "one\n"), ("d.txt", "one\n")]);
    let at = |desk: &Desk, name: &str| desk.world.at(name);
    let answer = Answer::new()
        .replace(&at(&desk, "a.txt"), "unsaved", "saved")
        .replace(&at(&desk, "a.txt"), "last", "end")
        .replace(&at(&desk, "b.txt"), "one", "two")
        .replace(&at(&desk, "c.txt"), "one", "two")
        .action("dir_create", &[("path", &at(&desk, "empty"))])
        .read(&at(&desk, "c.txt"))
        .read(&at(&desk, "a.txt"))
        .action("run", &[("command", "sh -c 'touch made'")])
        .action("run", &[("command", "rm d.txt b.txt")])
        .action("file_move", &[("old_path", &at(&desk, "c.txt")), ("new_path", &at(&desk, "e.txt"))]);
    let planned = desk.plan(&answer, &[("a.txt", "first\nunsaved\nlast", 7)]);
    let done = desk.execute(
        &planned,
        &["a.txt", "b.txt", "not of the plan"],
        &json!({ "approve": "all", "units": "line" }),
    );
    expect![[r#"
        file_replace_text SUCCESS
        file_replace_text SUCCESS
        file_replace_text SUCCESS
        file_replace_text SUCCESS
        dir_create SUCCESS
        file_read SUCCESS
        file_read SKIP not_delivered
          file_read: Not done: it would see files without the edits (NOT_DELIVERED)
          apply the edits, save 1 document ('/TOP/project/a.txt'), then apply the answer again
        run SKIP not_delivered
          run: Not done: a command would see files without the edits (NOT_DELIVERED)
          apply the edits, save 1 document ('/TOP/project/a.txt'), then apply the answer again
        run SUCCESS
        file_move SUCCESS
        delete b.txt
        edit a.txt 7 [{"range":{"start":{"line":1,"character":0},"end":{"line":3,"character":0}},"newText":"saved\nend"}]
    "#]].assert_eq(&desk.told(&done));
    assert_eq!(desk.world.read("a.txt"), "on disk\n");
    assert_eq!(
        (desk.world.read("b.txt"), desk.world.read("e.txt")),
        ("one\n".to_owned(), "two\n".to_owned())
    );
    assert!(desk.world.exists("empty") && !desk.world.exists("made") && !desk.world.exists("d.txt"));
    let id = done["operationId"].as_str().unwrap().to_owned();
    let shown = desk.daemon.call("history.show", &json!({ "root": desk.world.root(), "operation": id }));
    let paths: Vec<&str> =
        shown["changes"].as_array().unwrap().iter().map(|change| change["path"].as_str().unwrap()).collect();
    assert!(!paths.iter().any(|path| path.ends_with("a.txt") || path.ends_with("b.txt")), "{shown:#}");
    // What only the editor has is not applied: a later execution of the same answer does it.
    let again = desk.world.apply_json(&[], answer.text());
    assert_eq!(again["results"][2]["success"], true, "{again:#}");
    // Nor is an action of which a part went to the editor.
    assert_ne!(again["results"][8]["kind"], "answer_already_applied", "{again:#}");
    assert_eq!(again["results"][9]["kind"], "answer_already_applied", "{again:#}");
    assert_eq!(desk.world.run(&["undo"], "").code, 0);
    // The editor's part is no matter of the journal.
    desk.world.lay("b.txt", "saved by the editor\n");
    assert_eq!(desk.world.run(&["undo"], "").code, 0);
    assert_eq!(
        (desk.world.read("c.txt"), desk.world.read("d.txt")),
        ("one\n".to_owned(), "one\n".to_owned())
    );
    assert_eq!(desk.world.read("b.txt"), "saved by the editor\n");
    assert!(!desk.world.exists("e.txt") && !desk.world.exists("empty"));
}

#[test]
fn one_file_that_changed_keeps_everything_back() {
    let mut desk = Desk::new(&[("a.txt", "one\n"), ("b.txt", "one\n"), ("c.txt", "one\n")]);
    let answer = Answer::new()
        .replace(&desk.world.at("a.txt"), "one", "two")
        .replace(&desk.world.at("b.txt"), "one", "two")
        .replace(&desk.world.at("c.txt"), "one", "two");
    // A file that would be written, and one of the editor's that has no overlay.
    for changed in ["a.txt", "c.txt"] {
        let planned = desk.plan(&answer, &[("b.txt", "one unsaved\n", 1)]);
        desk.world.lay(changed, "one, and more\n");
        let done = desk.execute(&planned, &["a.txt", "b.txt"], &json!({}));
        let expected: Vec<&str> = ["a.txt", "b.txt", "c.txt"]
            .iter()
            .map(|name| if *name == changed { "conflict" } else { "skipped" })
            .collect();
        assert_eq!(kinds(&done), expected, "{done:#}");
        assert_eq!(done["edits"]["documentChanges"], json!([]), "{done:#}");
        assert_eq!(done.get("operationId"), None, "{done:#}");
        desk.world.lay(changed, "one\n");
        assert_eq!(desk.world.read("c.txt"), "one\n");
    }
}

#[test]
fn no_file_is_written_under_a_text_that_was_not_saved() {
    let mut desk = Desk::new(&[("a.txt", "one\n"), ("c.txt", "one\n")]);
    let answer = Answer::new().replace(&desk.world.at("a.txt"), "one", "two").replace(
        &desk.world.at("c.txt"),
        "one",
        "two",
    );
    let planned = desk.plan(&answer, &[("a.txt", "one unsaved\n", 1)]);
    let done = desk.execute(&planned, &[], &json!({}));
    expect![[r#"
        file_replace_text ERROR conflict
          file_replace_text: The plan used an unsaved text of the file, and `edits` does not name the file '/TOP/project/a.txt' (CONFLICT)
          save the document, then apply the answer again
        file_replace_text SKIP skipped
          file_replace_text: Not done: another file of the plan has changed, so nothing was written or returned (SKIPPED)
          apply the answer again
    "#]].assert_eq(&desk.told(&done));
    assert_eq!(
        (desk.world.read("a.txt"), desk.world.read("c.txt")),
        ("one\n".to_owned(), "one\n".to_owned())
    );
    // It was saved and closed in between: what is on disk is what was planned.
    desk.world.lay("a.txt", "one unsaved\n");
    let done = desk.execute(&planned, &[], &json!({}));
    assert_eq!(kinds(&done), ["none", "none"], "{done:#}");
    assert_eq!(
        (desk.world.read("a.txt"), desk.world.read("c.txt")),
        ("two unsaved\n".to_owned(), "two\n".to_owned())
    );
}

#[test]
fn commands_run_if_nothing_goes_to_the_editor() {
    let mut desk = Desk::new(&[("a.txt", "one\n"), ("b.txt", "one\n"), ("c.txt", "one\n")]);
    let answer = Answer::new()
        .action("run", &[("command", "sh -c 'echo two > a.txt; echo x > made'")])
        // It can only be planned after the command, which has changed what the editor holds.
        .replace(&desk.world.at("a.txt"), "two", "three")
        .replace(&desk.world.at("made"), "x", "y")
        .replace(&desk.world.at("c.txt"), "one", "two");
    let planned = desk.plan(&answer, &[("b.txt", "unsaved\n", 1)]);
    let done = desk.execute(&planned, &["a.txt", "b.txt"], &json!({ "approve": "all" }));
    expect![[r#"
        run SUCCESS
        file_replace_text SKIP not_delivered
          file_replace_text: Not done: it changes a document of the editor, which the plan could not know '/TOP/project/a.txt' (NOT_DELIVERED)
          look at what the command before it has changed, then apply the answer again
        file_replace_text SUCCESS
        file_replace_text SUCCESS
    "#]].assert_eq(&desk.told(&done));
    assert_eq!((desk.world.read("a.txt"), desk.world.read("made")), ("two\n".to_owned(), "y\n".to_owned()));
    assert!(done["operationId"].is_string(), "{done:#}");
}

#[test]
fn what_is_only_edits_is_no_operation() {
    let mut desk = Desk::new(&[("a.txt", "one\n")]);
    let answer = Answer::new().replace(&desk.world.at("a.txt"), "one", "two");
    let planned = desk.plan(&answer, &[]);
    let done = desk.execute(&planned, &["a.txt", "a.txt"], &json!({}));
    assert_eq!((kinds(&done), done.get("operationId")), (vec!["none".to_owned()], None), "{done:#}");
    assert_eq!(desk.world.read("a.txt"), "one\n");
    let history = desk.daemon.call("history.list", &json!({ "root": desk.world.root() }));
    assert_eq!(history["operations"], json!([]), "{history:#}");
}

#[test]
fn mixed_delivery_that_makes_no_sense_is_refused() {
    let mut desk = Desk::new(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    let answer = Answer::new().replace(&desk.world.at("a.txt"), "one", "two").replace(
        &desk.world.at("b.txt"),
        "one",
        "two",
    );
    let planned = desk.plan(&answer, &[]);
    let root = desk.world.root();
    let id = &planned["planId"];
    for (params, kind) in [
        (json!({ "root": root, "text": answer.text(), "deliver": "mixed" }), "invalid_params"),
        (json!({ "root": root, "planId": id, "edits": [desk.uri("a.txt")] }), "invalid_params"),
        (
            json!({ "root": root, "planId": id, "deliver": "edits", "edits": [desk.uri("a.txt")] }),
            "invalid_params",
        ),
        (
            json!({ "root": root, "planId": id, "deliver": "mixed", "edits": ["untitled:1"] }),
            "invalid_params",
        ),
        (
            json!({ "root": root, "planId": id, "deliver": "mixed", "edits": ["file://host/a"] }),
            "invalid_params",
        ),
        (
            json!({ "root": root, "planId": id, "deliver": "mixed", "edits": ["file:///etc/passwd"] }),
            "path_escape",
        ),
    ] {
        let refused = desk.daemon.fail("execute", &params);
        assert_eq!(refused["data"]["kind"], kind, "{params} {refused:#}");
    }
    let whole = json!({ "root": root, "text": answer.text(), "atomic": true });
    let planned = desk.daemon.call("plan", &whole);
    let params = desk.params(&planned, &["a.txt"], &json!({}));
    let refused = desk.daemon.fail("execute", &params);
    assert_eq!(refused["data"]["kind"], "invalid_params", "{refused:#}");
    assert_eq!(
        (desk.world.read("a.txt"), desk.world.read("b.txt")),
        ("one\n".to_owned(), "one\n".to_owned())
    );
    // All of it goes one way, or the other. What git keeps no plan touches, so that it does no harm.
    let done = desk.execute(&planned, &["a.txt", "b.txt", ".git/COMMIT_EDITMSG"], &json!({}));
    assert_eq!(done["edits"]["documentChanges"].as_array().unwrap().len(), 2, "{done:#}");
    let planned = desk.daemon.call("plan", &whole);
    let done = desk.execute(&planned, &[], &json!({}));
    assert_eq!(
        (kinds(&done), desk.world.read("b.txt")),
        (vec!["none".to_owned(), "none".to_owned()], "two\n".to_owned()),
        "{done:#}"
    );
}
