//! CSL, operation by operation.

use expect_test::expect;
use serde_json::json;

use crate::refusals::kinds;
use crate::support::World;

#[test]
fn a_write_creates_replaces_or_appends() {
    let world = World::new();
    world.lay("old", "old\n");
    let write = |file: &str, more: &str| format!("<---WRITE file=\"{file}\"{more}--->\nnew\n<---END--->\n");
    let answer = [write("a/b/c", ""), write("old", ""), write("old", " append=\"true\"")].concat();
    assert_eq!(world.apply_json(&[], answer)["success"], true);
    assert_eq!((world.read("a/b/c"), world.read("old")), ("new\n".into(), "new\nnew\n".into()));
}

#[test]
fn a_command_is_on_the_list_or_asked_about() {
    let world = World::new();
    world.lay("a", "one\n");
    let answer = "<---RUN--->\ncat a\n<---END--->\n<---RUN--->\nsh -c 'echo more'\n<---END--->\n";
    let asked = world.apply_json(&[], answer);
    assert_eq!(kinds(&asked), ["none", "command_not_allowed"], "{asked:#}");
    assert_eq!(asked["results"][0]["data"]["stdout"], "one\n");
    // The first time alone: what a person has approved for good runs unasked.
    assert_eq!(world.run(&["approve", "sh -c 'echo more'"], "").code, 0);
    let done = world.apply_json(&[], answer);
    assert_eq!(
        (kinds(&done), &done["results"][1]["data"]["stdout"]),
        (vec!["none".into(); 2], &json!("more\n"))
    );
}

#[test]
fn a_search_matches_as_often_as_it_says() {
    let search =
        |count: &str| format!("<---SEARCH file=\"a\"{count}--->\nx\n<---REPLACE--->\ny\n<---END--->\n");
    for (count, becomes) in [
        ("", None),
        (" count=\"2\"", None),
        (" count=\"4\"", None),
        (" count=\"3\"", Some("y y y\n")),
        (" count=\"all\"", Some("y y y\n")),
    ] {
        let world = World::new();
        world.lay("a", "x x x\n");
        let result = world.apply_json(&[], search(count));
        assert_eq!(kinds(&result), [if becomes.is_some() { "none" } else { "match_count" }], "{count}");
        assert_eq!(world.read("a"), becomes.unwrap_or("x x x\n"), "{count}");
    }
}

#[test]
fn a_search_with_to_replaces_through_the_nearest_end() {
    let world = World::new();
    world.lay("a", "def f(\n  1\n  return r\ndef f(\n  2\n  return r\nend\n");
    let range = |count: u32| {
        format!(
            "<---SEARCH file=\"a\" count=\"{count}\"--->\ndef f(\n<---TO--->\n  return r\n<---REPLACE--->\nnew\n<---END--->\n"
        )
    };
    assert_eq!(kinds(&world.apply_json(&[], range(1))), ["match_count"]);
    assert_eq!(world.apply_json(&[], range(2))["success"], true);
    assert_eq!(world.read("a"), "new\nnew\nend\n");
}

#[test]
fn a_syntax_error_stops_all_and_what_is_invalid_itself_alone() {
    let world = World::new();
    let good = "<---WRITE file=\"good\"--->\nx\n<---END--->\n";
    let ran = world.run(&["apply"], format!("{good}<---WRITE file=bad--->\nx\n<---END--->\n"));
    expect![[r#"
        [task-1] FATAL: file_write - Not done: an error in the answer stops all of it (SKIPPED)

        ERROR: line 4, column 16: Line 4: Unquoted attribute value
        FATAL: Line 4: Unquoted attribute value

        1 action: 0 succeeded, 1 failed; 1 parse error. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    assert!(ran.code == 1 && !world.exists("good"), "{ran:?}");
    // All that is invalid is told, and the rest is done.
    let invalid = "<---WRITE--->\nx\n<---END--->\n<---SEARCH file='good' count='0'--->\nx\n<---REPLACE--->\ny\n<---END--->\n";
    let result = world.apply_json(&[], format!("{invalid}{good}"));
    let told: Vec<_> = result["parseErrors"].as_array().unwrap().iter().map(|one| &one["message"]).collect();
    let count = "Invalid value for 'count': must be positive integer or 'all'";
    assert_eq!(told, ["Missing required attribute 'file'", count], "{result:#}");
    assert_eq!(world.read("good"), "x\n");
}

#[test]
fn lines_of_a_report_have_the_numbers_of_tasks() {
    let world = World::new();
    let answer = "<---TASKS--->\n<---WRITE file=\"a\"--->\nx\n<---END--->\n<---RUN--->\ncat a\n<---END--->\n<---END--->\n\
                  <---SEARCH file=\"b\"--->\nx\n<---REPLACE--->\ny\n<---END--->\n";
    let ran = world.run(&["apply"], answer);
    expect![[r#"
        [task-1.2:exec] x
        [task-1.1] SUCCESS: file_write - created a (2 bytes)
        [task-1.2] SUCCESS: run - cat a
        [task-2] ERROR: file_replace_all_text - File not found 'b' (ENOENT)
          check the path; it is relative to the project's root

         a | +1 -0 (new)

        3 actions: 2 succeeded, 1 failed. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
}
