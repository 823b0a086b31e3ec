//! Limits: each error names the one that caused it, and nothing takes more memory or time than they allow.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Tree, World, cases};

const MB: usize = 1 << 20;

fn errors(result: &Value) -> Vec<&str> {
    result["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["error"].as_str().unwrap_or(""))
        .collect()
}

#[test]
fn a_file_of_eleven_megabytes_is_neither_read_nor_edited() {
    let world = World::with_config("durability: fast\n");
    let big = "0123456789\n".repeat(MB);
    world.lay("big.txt", &big);
    let big_path = world.at("big.txt");
    let answer = Answer::new()
        .read(&big_path)
        .action("file_read_numbered", &[("path", &big_path), ("lines", "1")])
        .replace(&big_path, "0123456789\n", "x")
        .action("file_append", &[("path", &big_path), ("content", "x")])
        .action("file_replace_lines", &[("path", &big_path), ("lines", "1"), ("new_content", "x")])
        .write(&big_path, "x");
    let result = world.execute(&answer, json!({}));
    assert_eq!(kinds(&result), ["limit_exceeded"; 6], "{result:#}");
    let size = big.len();
    for (error, action) in errors(&result).iter().zip(["file_read", "file_read_numbered"]) {
        let expected = format!(
            "{action}: File of {size} bytes exceeds limits.max_file_size of 10485760 bytes '{big_path}' (LIMIT_EXCEEDED)"
        );
        assert_eq!(*error, expected);
    }
    assert!(errors(&result).iter().all(|error| error.contains("limits.max_file_size")), "{result:#}");
    // grep reads it as a stream, ls lists it, and moving it within the project loses nothing.
    let answer = Answer::new()
        .action("grep", &[("pattern", "9\n"), ("path", &big_path)])
        .action("grep", &[("pattern", "0123456789"), ("path", &big_path)])
        .action("ls", &[("path", &world.root())])
        .action("file_move", &[("old_path", &big_path), ("new_path", &world.at("moved.txt"))]);
    let result = world.execute(&answer, json!({}));
    let results = result["results"].as_array().unwrap();
    assert_eq!(results[1]["data"].as_array().unwrap().len(), 10_000);
    assert_eq!(results[1]["truncated"], true);
    assert_eq!(results[2]["data"][0]["size"], size);
    assert_eq!(results[3]["success"], true, "{}", results[3]);
    // A file that cannot be kept for undo is deleted or overwritten only with a user's approval.
    let answer = Answer::new()
        .action("file_delete", &[("path", &world.at("moved.txt"))])
        .write(&world.at("small"), "x")
        .action("file_move", &[("old_path", &world.at("small")), ("new_path", &world.at("moved.txt"))]);
    let result = world.execute(&answer, json!({}));
    assert_eq!(kinds(&result), ["approval_required", "none", "approval_required"], "{result:#}");
    assert_eq!(world.read("moved.txt").len(), size);
    let result = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(kinds(&result)[0], "none", "{result:#}");
    assert_eq!(world.read("moved.txt"), "x");
}

#[test]
fn content_of_eleven_megabytes_is_not_written() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a.txt"), &"x".repeat(11 * MB));
    let result = world.execute(&answer, json!({}));
    let expected = format!(
        "file_write: Content of 11534336 bytes exceeds limits.max_file_size of 10485760 bytes for '{}' (LIMIT_EXCEEDED)",
        world.at("a.txt")
    );
    assert_eq!(errors(&result), [expected]);
    let answer = Answer::new()
        .action("file_append", &[("path", &world.at("a.txt")), ("content", &"x".repeat(11 * MB))]);
    assert_eq!(kinds(&world.execute(&answer, json!({}))), ["limit_exceeded"]);
    Tree::default().assert_at(&world.project());
}

#[test]
fn many_reads_of_one_large_file_are_cut_and_flagged() {
    read_many_times("file_read", "0123456789abcde\n");
}

#[test]
fn many_reads_of_what_is_larger_as_json_than_on_disk_are_cut_too() {
    read_many_times("file_read", "\n");
}

#[test]
fn many_numbered_reads_are_cut_too() {
    read_many_times("file_read_numbered", "0123456789abcde\n");
}

#[test]
fn many_reads_of_lists_of_files_are_cut_too() {
    read_many_times("files_read", "0123456789abcde\n");
}

fn read_many_times(action: &str, line: &str) {
    // As large as a result may be, and enough to take more memory than is allowed if none of them were cut.
    let (megabytes, count) = (cases(2, 10), cases(50, 10_000));
    let config = format!("durability: fast\nlimits: {{result_bytes: {megabytes}MB}}\n");
    let world = World::with_config(&config);
    world.lay("big.txt", line.repeat(megabytes * MB / line.len()));
    let path = world.at("big.txt");
    let key = if action == "files_read" { "paths" } else { "path" };
    let answer = (0..count).fold(Answer::new(), |answer, _| answer.action(action, &[(key, &path)]));
    let result = world.execute(&answer, json!({}));
    let results = result["results"].as_array().unwrap();
    assert_eq!(results.len(), count);
    assert_eq!(result["truncated"], true);
    let content = |result: &Value| result["data"]["content"].as_str().map_or(0, str::len);
    let whole = results.iter().filter(|result| content(result) > 0).count();
    assert!(whole <= 1, "{whole} fit");
    for cut in &results[whole..] {
        assert_eq!((&cut["truncated"], &cut["status"]), (&json!(true), &json!("SUCCESS")), "{cut}");
    }
    let size = result.to_string().len();
    assert!(size < 2 * megabytes * MB, "{action}: {size} bytes");
    let memory = world.status()["memoryBytes"].as_u64().unwrap_or(0);
    assert!(memory < (160 + 24 * megabytes as u64) * MB as u64, "{action}: {memory} bytes");
}

#[test]
fn a_replacement_that_would_make_a_hundred_terabytes_is_refused_before_memory_is_taken() {
    let world = World::new();
    world.lay("a.txt", "x".repeat(10 * MB));
    let path = world.at("a.txt");
    let new_text = "y".repeat(10 * MB);
    let answer = Answer::new()
        .action("file_replace_all_text", &[("path", &path), ("old_text", "x"), ("new_text", &new_text)])
        .action("files_replace_all_text", &[("paths", &path), ("old_text", "x"), ("new_text", &new_text)])
        .action(
            "file_replace_lines",
            &[("path", &path), ("lines", "1"), ("new_content", &(new_text.clone() + "y"))],
        );
    let result = world.execute(&answer, json!({}));
    assert_eq!(result["success"], false);
    let expected = format!(
        "file_replace_all_text: result of {} bytes exceeds limits.max_file_size of 10485760 bytes for '{path}' (LIMIT_EXCEEDED)",
        10_u64 * MB as u64 * 10 * MB as u64
    );
    assert_eq!(errors(&result)[0], expected);
    assert_eq!(kinds(&result), ["limit_exceeded"; 3]);
    assert_eq!(world.read("a.txt").len(), 10 * MB);
    let memory = world.status()["memoryBytes"].as_u64().unwrap_or(0);
    assert!(memory < 600 * MB as u64, "{memory} bytes");
}

#[test]
fn what_an_operation_writes_is_bounded_in_all() {
    let world = World::with_config("limits: {planned_bytes: 4kB, max_file_size: 2kB}\n");
    let two = "x".repeat(2048);
    let answer = Answer::new()
        .write(&world.at("a.txt"), &two)
        .write(&world.at("b.txt"), &two)
        .write(&world.at("c.txt"), "c")
        .write(&world.at("d.txt"), &(two.clone() + "x"))
        .action("dir_create", &[("path", &world.at("e"))]);
    let result = world.execute(&answer, json!({}));
    assert_eq!(kinds(&result), ["none", "none", "limit_exceeded", "limit_exceeded", "none"], "{result:#}");
    assert_eq!(
        errors(&result)[2],
        "file_write: The answer would write or replace more than limits.planned_bytes of 4096 bytes (LIMIT_EXCEEDED)"
    );
    assert!(errors(&result)[3].contains("limits.max_file_size of 2048 bytes"));
    assert!(world.exists("a.txt") && world.exists("b.txt") && world.exists("e"));
    assert!(!world.exists("c.txt") && !world.exists("d.txt"));
    // Many files in one action count as well, and then none of them is written.
    for name in ["1", "2", "3"] {
        world.lay(name, "x".repeat(1500));
    }
    let paths = format!("{}\n{}\n{}", world.at("1"), world.at("2"), world.at("3"));
    let answer = Answer::new()
        .action("files_replace_all_text", &[("paths", &paths), ("old_text", "x"), ("new_text", "y")]);
    let before = world.tree();
    let result = world.execute(&answer, json!({}));
    assert_eq!(kinds(&result), ["limit_exceeded"], "{result:#}");
    before.assert_at(&world.project());
}

#[test]
fn results_are_cut_where_the_person_says() {
    let world = World::with_config("limits: {result_bytes: 64kB, max_results: 3, grep_line: 80}\n");
    let lines = "a line with a hit in it\n".repeat(10);
    world.lay("a.txt", &lines);
    world.lay("b.txt", "hit ".repeat(100));
    world.lay("large.txt", "x".repeat(60 << 10));
    for name in ["c", "d", "e"] {
        world.lay(name, "");
    }
    let answer = Answer::new()
        .action("grep", &[("pattern", "hit"), ("path", &world.root())])
        .action("glob", &[("pattern", "**"), ("base_path", &world.root())])
        .action("ls", &[("path", &world.root())])
        .action("grep", &[("pattern", "hit"), ("path", &world.at("b.txt"))])
        .read(&world.at("large.txt"))
        .read(&world.at("large.txt"))
        .read(&world.at("a.txt"));
    let result = world.execute(&answer, json!({}));
    let results = result["results"].as_array().unwrap();
    for found in &results[..3] {
        assert_eq!(
            (found["data"].as_array().unwrap().len(), &found["truncated"]),
            (3, &json!(true)),
            "{found}"
        );
    }
    assert_eq!(results[3]["data"][0]["line"].as_str().unwrap().len(), 80);
    assert_eq!(results[3]["data"][0]["truncated"], true);
    assert_eq!(results[4]["data"]["content"].as_str().unwrap().len(), 60 << 10);
    assert_eq!((&results[5]["truncated"], &results[5]["data"]["content"]), (&json!(true), &Value::Null));
    // A result that still fits is not cut because one before it was.
    assert_eq!(results[6]["data"]["content"], json!(lines));
    assert_eq!(result["truncated"], true);
    let ran = world.run(&["apply"], answer.text());
    assert_eq!(ran.code, 0);
    expect![[r#"
        [task-1] SUCCESS: grep - 3 matching lines in . (shown in part: the result was too large)
        [task-2] SUCCESS: glob - 3 paths in . (shown in part: the result was too large)
        [task-3] SUCCESS: ls - 3 entries in . (shown in part: the result was too large)
        [task-4] SUCCESS: grep - 1 matching line in b.txt
        [task-5] SUCCESS: file_read - read large.txt
        [task-6] SUCCESS: file_read - read large.txt (shown in part: the result was too large)
        [task-7] SUCCESS: file_read - read a.txt

        7 actions: 7 succeeded. The result was cut at its size limit. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
}

#[test]
fn parameters_are_repeated_only_within_the_result() {
    let world = World::with_config("limits: {result_bytes: 64kB}\ndurability: fast\n");
    let content = "\u{1b}".repeat(1 << 19);
    let answer = (0..10).fold(Answer::new(), |answer, i| answer.write(&world.at(&format!("{i}")), &content));
    let result = world.execute(&answer, json!({}));
    assert_eq!(result["success"], true);
    assert!(result.to_string().len() < 256 << 10, "{}", result.to_string().len());
    let dry = world.execute(&answer, json!({ "dryRun": true }));
    assert!(dry.to_string().len() < 256 << 10, "{}", dry.to_string().len());
}

#[test]
fn many_small_errors_stay_bounded_too() {
    let world = World::new();
    let answer = (0..10_000)
        .fold(Answer::new(), |answer, _| answer.action("no_such_action", &[("x", &"y".repeat(500))]));
    let result = world.execute(&answer, json!({}));
    assert_eq!(result["parseErrors"].as_array().unwrap().len(), 10_000);
    assert!(result.to_string().len() < 32 * MB, "{}", result.to_string().len());
}
