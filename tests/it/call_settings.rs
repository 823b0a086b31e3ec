//! `CLADA_*` settings go with the call, whoever started the daemon.

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, World};

fn origin_of(world: &World, key: &str) -> (Value, Value) {
    let ran = world.run(&["config", "--json", "--all"], "");
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    let found = shown["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == key).unwrap();
    (found["value"].clone(), found["origin"].clone())
}

#[test]
fn a_variable_holds_for_the_call_that_has_it() {
    let mut world = World::with_config("limits: {input: 1MB}\n");
    world.status();
    let answer = Answer::new().write(&world.at("vendor/a"), "1\n");
    world.set("CLADA_DENIED", "vendor/**");
    world.set("CLADA_LIMITS_INPUT", "2MB");
    assert_eq!(kinds(&world.apply_json(&[], answer.text())), ["path_denied"]);
    assert_eq!(origin_of(&world, "denied"), (json!(["vendor/**"]), json!("CLADA_DENIED")));
    assert_eq!(origin_of(&world, "limits.input"), (json!("2MB"), json!("CLADA_LIMITS_INPUT")));
    // Another client of the same daemon.
    let mut other = world.connect();
    let params = json!({ "root": world.root(), "text": answer.text() });
    assert_eq!(kinds(&other.call("execute", &params)), ["none"]);
}

#[test]
fn a_variable_at_fault_ends_the_call_and_what_is_the_daemons_is_told() {
    let mut world = World::new();
    world.set("CLADA_DAEMON_LOG_LEVEL", "debug");
    world.set("CLADA_LIMITS_TOTAL_BYTES", "1GB");
    let ran = world.run(&["config", "-q"], "");
    assert!(
        ran.code == 0
            && ran.stderr.contains("CLADA_LIMITS_TOTAL_BYTES: `limits.total_bytes` is the daemon's"),
        "{ran:?}"
    );
    assert_eq!(origin_of(&world, "limits.total_bytes").1, json!("default"));
    world.set("CLADA_MATCH", "sometimes");
    let ran = world.apply(&Answer::new().write(&world.at("a"), "1\n"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("CLADA_MATCH: `match` cannot be `sometimes`"), "{}", ran.stderr);
    assert!(!world.exists("a"));
    let ran = world.run(&["config"], "");
    assert!(ran.code == 1 && ran.stderr.contains("CLADA_MATCH"), "{ran:?}");
}

#[test]
fn settings_are_a_persons_and_have_keys_or_names_of_variables() {
    let world = World::new();
    let mut person = world.connect();
    let text = Answer::new().write("a", "1\n").text().to_owned();
    let of =
        |settings: Value| json!({ "root": world.root(), "text": text, "dryRun": true, "settings": settings });
    let denied = person.call("execute", &of(json!({ "denied": ["a"] })));
    assert_eq!(kinds(&denied), ["path_denied"]);
    // The advice of a single problem is the hint.
    for (settings, place, said) in [
        (json!({ "daemon.log_level": "debug" }), "/message", "no request sets it"),
        (json!({ "daemon.connections": 3 }), "/message", "no request sets it"),
        (json!({ "deneid": ["a"] }), "/data/hint", "Perhaps you mean `denied`"),
        (json!({ "limits.input": [1] }), "/message", "cannot be"),
    ] {
        let error = person.fail("execute", &of(settings));
        assert_eq!(error["data"]["kind"], "invalid_config", "{error}");
        assert!(error.pointer(place).unwrap().as_str().unwrap().contains(said), "{error}");
    }
    let mut agent = world.connect();
    agent.call("hello", &json!({ "caller": "agent", "roots": [world.root()] }));
    let error = agent.fail("execute", &of(json!({ "denied": ["a"] })));
    assert_eq!(error["data"]["parameter"], "settings", "{error}");
    // `call` hands on what it is given.
    let params =
        json!({ "root": world.root(), "key": "match", "settings": { "match": "strict" } }).to_string();
    let ran = world.run(&["call", "config.show", &params], "");
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&shown["settings"][0]["value"], &shown["settings"][0]["origin"]),
        (&json!("strict"), &json!("settings"))
    );
}

#[test]
fn regression_a_command_has_a_home_without_the_environment_of_its_caller() {
    let world = World::with_config("exec: {sandbox: off}\n");
    let text = crate::commands::run("printenv HOME").text().to_owned();
    let params = json!({ "root": world.root(), "text": text, "approve": "all" });
    let result = world.connect().call("execute", &params);
    let output = result["results"][0]["data"]["stdout"].as_str().unwrap_or_default();
    assert_eq!(output.trim_end(), world.path("home").to_str().unwrap(), "{result:#}");
}
