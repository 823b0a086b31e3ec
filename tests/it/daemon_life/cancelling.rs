//! Cancelling and deadlines: between two actions, never half-way through one, and with a report.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::place::Place;
use super::wire::{Many, SocketWire, writes};

#[test]
fn what_waits_for_the_project_is_cancelled_at_once() {
    let place = Place::new();
    let _daemon = place.serve();
    let held = place.hold_project();
    let mut wire = SocketWire::open(&place.socket());
    let id = wire.begin_and_wait(&json!({"text": writes("a.txt", "one"), "root": place.project()}));
    wire.cancel(id);
    let answer = wire.answer(id);
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["kind"]),
        (&json!(-32800), &json!("cancelled"))
    );
    drop(held);
    assert!(!place.project().join("a.txt").exists());
}

#[test]
fn what_is_queued_behind_another_operation_is_cancelled_too() {
    let place = Place::new();
    let _daemon = place.serve();
    let held = place.hold_project();
    let mut wire = SocketWire::open(&place.socket());
    let first = wire.begin_and_wait(&json!({"text": writes("a.txt", "one"), "root": place.project()}));
    let second = wire.begin_and_wait(&json!({"text": writes("b.txt", "two"), "root": place.project()}));
    wire.cancel(second);
    drop(held);
    // The order of their answers is not specified.
    let answers = [wire.hear(), wire.hear()];
    let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(of(first)["result"]["success"], true, "{answers:?}");
    assert_eq!(of(second)["error"]["code"], -32800, "{answers:?}");
    assert!(place.project().join("a.txt").exists() && !place.project().join("b.txt").exists());
}

#[test]
fn a_deadline_ends_the_wait_for_the_project() {
    let place = Place::new();
    let _daemon = place.serve();
    let held = place.hold_project();
    let mut wire = SocketWire::open(&place.socket());
    let params = json!({"text": writes("a.txt", "one"), "root": place.project(), "totalTimeoutMs": 30});
    let answer = wire.ask("execute", &params);
    let kind = answer["error"]["data"]["kind"].as_str().unwrap();
    assert!(kind == "busy" || kind == "timeout", "{answer}");
    drop(held);
    assert!(!place.project().join("a.txt").exists());
}

/// Checks that the report of a stopped operation agrees with the disk.
fn check_report(place: &Place, many: &Many, word: &str, kind: &str, error: &Value) -> usize {
    assert_eq!(error["data"]["kind"], kind, "{}", error["message"]);
    let result = &error["data"]["result"];
    assert_eq!(result["success"], false);
    let results = result["results"].as_array().unwrap();
    assert_eq!(results.len(), many.count);
    let mut done = 0;
    for (number, result) in results.iter().enumerate() {
        let path: PathBuf = place.project().join(Many::name(number));
        let written = std::fs::read_to_string(&path).is_ok_and(|text| text.starts_with(word));
        assert_eq!(result["success"], written, "{result}");
        if written {
            assert_eq!(place.read(&Many::name(number)).trim_end(), Many::content(word, number));
            done += 1;
        } else {
            assert_eq!(result["kind"], kind, "{result}");
        }
    }
    done
}

#[test]
fn a_cancelled_operation_stops_between_two_actions_and_reports() {
    let place = Place::new();
    let _daemon = place.serve();
    let mut wire = SocketWire::open(&place.socket());
    std::fs::create_dir_all(place.project().join("many")).unwrap();
    for count in [1000, 3000, 9000] {
        let (many, word) = (Many { count }, format!("of {count}"));
        let watch = place.watch("home/project/many");
        let id = wire.request("execute", &json!({"text": many.answer(&word), "root": place.project()}));
        watch.wait(|name| name == "00100.txt");
        wire.cancel(id);
        let answer = wire.answer(id);
        if answer["result"]["success"] == true {
            continue;
        }
        assert_eq!(answer["error"]["code"], -32800);
        let done = check_report(&place, &many, &word, "cancelled", &answer["error"]);
        assert!((100..count).contains(&done), "{done}");
        // The actions that were done are whole, the others left nothing behind.
        let names = std::fs::read_dir(place.project().join("many")).unwrap();
        let left = names
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".clada-tmp-"));
        assert_eq!(left.count(), 0);
        return;
    }
    panic!("each operation was over before it was cancelled");
}

#[test]
fn a_deadline_stops_between_two_actions_and_reports() {
    let place = Place::new();
    let _daemon = place.serve();
    let mut wire = SocketWire::open(&place.socket());
    let mut milliseconds = 2000;
    let many = Many { count: 9000 };
    while milliseconds > 0 {
        let word = format!("in {milliseconds} ms");
        let text = many.answer(&word);
        let params = json!({"text": text, "root": place.project(), "totalTimeoutMs": milliseconds});
        let answer = wire.ask("execute", &params);
        if answer["result"]["success"] == true {
            milliseconds /= 2;
            continue;
        }
        let done = check_report(&place, &many, &word, "timeout", &answer["error"]);
        println!("{done} of {} files in {milliseconds} ms", many.count);
        return;
    }
    panic!("no deadline was short enough");
}

#[test]
fn a_cancelled_request_of_another_connection_is_not_ours() {
    let place = Place::new();
    let _daemon = place.serve();
    let held = place.hold_project();
    let mut ours = SocketWire::open(&place.socket());
    let mut theirs = SocketWire::open(&place.socket());
    let id = ours.begin_and_wait(&json!({"text": writes("a.txt", "one"), "root": place.project()}));
    theirs.cancel(id);
    theirs.call("status", &json!({}));
    drop(held);
    assert_eq!(ours.answer(id)["result"]["success"], true);
}
