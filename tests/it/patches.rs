//! Edits that almost match, and the hunks of models that write diffs and SEARCH/REPLACE blocks.

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Answer, World};

const FILE: &str = "fn main() {\n    let total = 1;\n    print(total);\n}\n";
const WANTED: &str = "fn main() {\n    print(1);\n}\n";

fn world() -> World {
    let world = World::with_config("durability: fast\n");
    world.lay("src/a.rs", FILE);
    world
}

fn damaged(world: &World) -> Answer {
    Answer::new().replace(&world.at("src/a.rs"), "let total = 1;\nprint(total);", "print(1);")
}

#[test]
fn a_request_says_how_far_to_match() {
    let world = world();
    let result = world.execute(&damaged(&world), json!({}));
    let failed = &result["results"][0];
    assert_eq!((&failed["kind"], &failed["wouldMatch"]), (&json!("no_match"), &json!("indentation")));
    assert_eq!(world.read("src/a.rs"), FILE);
    let result = world.execute(&damaged(&world), json!({ "match": "strict" }));
    assert_eq!(result["results"][0]["wouldMatch"], "indentation", "{result:#}");
    let result = world.execute(&damaged(&world), json!({ "match": "tolerant" }));
    assert_eq!(result["results"][0]["matchedBy"], "indentation", "{result:#}");
    assert_eq!(world.read("src/a.rs"), WANTED);
}

#[test]
fn a_project_says_how_far_to_match_and_a_plan_keeps_it() {
    let world = world();
    // A project by itself may only make it stricter.
    world.lay(".clada/config.yaml", "match: tolerant\n");
    let untrusted = world.execute(&damaged(&world), json!({ "dryRun": true }));
    assert_eq!(untrusted["results"][0]["kind"], "no_match", "{untrusted:#}");
    assert_eq!(world.run(&["trust", "--yes"], "").code, 0);
    let mut daemon = world.connect();
    let answer = damaged(&world);
    let text = answer.text();
    let plan = daemon.call("plan", &json!({ "root": world.root(), "text": text }));
    assert_eq!(plan["actions"][0]["matchedBy"], "indentation", "{plan:#}");
    let exact = daemon.call("plan", &json!({ "root": world.root(), "text": text, "match": "exact" }));
    assert_eq!(exact["actions"][0]["unplannable"]["kind"], "no_match", "{exact:#}");
    let params = json!({ "root": world.root(), "planId": plan["planId"], "match": "exact" });
    assert_eq!(daemon.fail("execute", &params)["data"]["kind"], "invalid_params");
    world.lay(".clada/config.yaml", "match: exact\n");
    let done = daemon.call("execute", &json!({ "root": world.root(), "planId": plan["planId"] }));
    assert_eq!(done["success"], true, "{done:#}");
    assert_eq!(world.read("src/a.rs"), WANTED);
}

fn carried_out(world: &World, text: &str) -> Value {
    world.connect().call("execute", &json!({ "root": world.root(), "text": text }))
}

#[test]
fn blocks_of_search_and_replace() {
    let world = world();
    let text = "a.rs\n```rust\n<<<<<<< SEARCH\nlet total = 1;\nprint(total);\n=======\nprint(1);\n>>>>>>> REPLACE\n```\n\
                new/b.rs\n```rust\n<<<<<<< SEARCH\n=======\nfn b() {}\n>>>>>>> REPLACE\n```\n";
    let result = carried_out(&world, text);
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!(result["results"][0]["matchedBy"], "indentation");
    expect!["There is no 'a.rs': the change applies to 'src/a.rs', the only file that it can mean"]
        .assert_eq(&world.shown(result["warnings"][0]["message"].as_str().unwrap()));
    assert_eq!((world.read("src/a.rs").as_str(), world.read("new/b.rs").as_str()), (WANTED, "fn b() {}\n"));
}

#[test]
fn diffs() {
    let world = world();
    let text = "```diff\ndiff --git a/src/a.rs b/src/c.rs\nsimilarity index 50%\nrename from src/a.rs\n\
                rename to src/c.rs\n--- a/src/a.rs\n+++ b/src/c.rs\n@@ -1,4 +1,3 @@\n fn main() {\n\
                -    let total = 1;\n-    print(total);\n+    print(1);\n }\n```\n";
    let result = carried_out(&world, text);
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!(result["results"][0]["data"]["newPath"], "src/c.rs");
    assert_eq!((world.exists("src/a.rs"), world.read("src/c.rs").as_str()), (false, WANTED));
    let twice = "--- a/src/c.rs\n+++ b/src/c.rs\n@@ ... @@\n-nothing of it\n+x\n";
    let result = carried_out(&world, twice);
    assert_eq!(result["results"][0]["kind"], "no_match", "{result:#}");
    assert_eq!(world.read("src/c.rs"), WANTED);
}

#[test]
fn envelopes_of_patches() {
    let world = world();
    let text = "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn main() {\n-    let total = 1;\n-    print(total);\n\
                +    print(1);\n*** Add File: src/b.rs\n+fn b() {}\n*** End Patch\n";
    let result = carried_out(&world, text);
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!((world.read("src/a.rs").as_str(), world.read("src/b.rs").as_str()), (WANTED, "fn b() {}\n"));
}
