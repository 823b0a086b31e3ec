//! The members of results that other programs were promised.

use serde_json::{Value, json};

use crate::support::{Answer, World};

/// One block that can be done, one that cannot, one that is not valid, one that is broken.
fn answer(world: &World) -> String {
    let valid = Answer::new()
        .write(&world.at("a"), "x")
        .read(&world.at("missing"))
        .action("file_replace_all_text", &[("path", &world.at("a")), ("count", "two")]);
    format!(
        "{}#!SHAM [@three-char-SHA-256: bad]\naction = \"file_write\"\npath = \"x\n#!END_SHAM_bad\n",
        valid.text()
    )
}

#[track_caller]
fn assert_members(found: &Value, expected: &[&str]) {
    for name in expected {
        assert!(found.get(name).is_some(), "{name} is missing: {found:#}");
    }
}

#[test]
fn a_parse_result_has_actions_errors_and_a_summary() {
    let world = World::new();
    let found = world.connect().call("parse", &json!({ "text": answer(&world) }));
    let actions = found["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 2, "{found:#}");
    assert_eq!(actions[0]["action"], "file_write");
    assert_eq!(actions[0]["parameters"], json!({ "path": world.at("a"), "content": "x" }));
    let metadata = &actions[0]["metadata"];
    assert_eq!(
        (&metadata["blockId"], &metadata["startLine"], &metadata["endLine"]),
        (&json!("0000"), &json!(3), &json!(7))
    );
    let errors = found["errors"].as_array().unwrap();
    for error in errors {
        assert_members(error, &["blockId", "errorType", "message", "blockStartLine", "shamContent"]);
    }
    let types: Vec<_> = errors.iter().map(|error| &error["errorType"]).collect();
    assert!(types.contains(&&json!("syntax")) && types.contains(&&json!("validation")), "{errors:#?}");
    assert!(types.contains(&&json!("type")), "{errors:#?}");
    let summary = &found["summary"];
    assert_eq!((&summary["totalBlocks"], &summary["successCount"]), (&json!(4), &json!(2)), "{summary}");
    assert_eq!(summary["errorCount"], errors.len(), "{summary}");
}

#[test]
fn an_execution_result_has_the_results_of_all_actions_and_what_did_not_parse() {
    let world = World::new();
    let found = world.apply_json(&[], answer(&world));
    assert_eq!(
        (&found["success"], &found["totalBlocks"], &found["executedActions"]),
        (&json!(false), &json!(4), &json!(2))
    );
    assert!(found.get("fatalError").is_none() && !found["parseErrors"].as_array().unwrap().is_empty());
    let results = found["results"].as_array().unwrap();
    for (at, result) in results.iter().enumerate() {
        assert_members(result, &["seq", "blockId", "action", "params", "success"]);
        assert_eq!((&result["seq"], &result["blockId"]), (&json!(at + 1), &json!(format!("{at:04}"))));
    }
    assert_eq!((&results[0]["success"], &results[0]["data"]["path"]), (&json!(true), &json!(world.at("a"))));
    let error = format!("file_read: File not found '{}' (ENOENT)", world.at("missing"));
    assert_eq!((&results[1]["success"], &results[1]["error"]), (&json!(false), &json!(error)));
}
