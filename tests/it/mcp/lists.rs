//! What a host is told of the tools: small, flat, and with every hint.

use serde_json::{Value, json};

use super::{Host, modern};
use crate::support::World;

/// The most tokens of all lists together.
const TOKENS: u64 = 3500;
/// The most tokens of the list of common tools.
const COMMON: u64 = 1300;
/// The words that a schema may have.
const WORDS: [&str; 7] =
    ["type", "properties", "required", "enum", "items", "description", "additionalProperties"];

/// Every tool.
fn tools(world: &World) -> Vec<Value> {
    let mut host = Host::all(world);
    host.initialize();
    host.ask("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn tool<'t>(tools: &'t [Value], name: &str) -> &'t Value {
    tools.iter().find(|tool| tool["name"] == name).unwrap()
}

/// Checks a schema, and those in it.
fn is_flat(schema: &Value, at: &str) {
    for (word, value) in schema.as_object().unwrap() {
        assert!(WORDS.contains(&word.as_str()), "{at}: {word}");
        match word.as_str() {
            "properties" => {
                value.as_object().unwrap().iter().for_each(|(name, schema)| is_flat(schema, name))
            }
            "items" => is_flat(value, at),
            _ => {}
        }
    }
}

#[test]
fn names_descriptions_schemas_and_hints_keep_to_what_hosts_take() {
    let world = World::new();
    for tool in tools(&world) {
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() <= 24 && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase()));
        let description = tool["description"].as_str().unwrap();
        assert!(description.chars().count() <= 600, "{name}: {}", description.chars().count());
        is_flat(&tool["inputSchema"], name);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        let hints = tool["annotations"].as_object().unwrap();
        let named: Vec<&String> = hints.keys().collect();
        assert_eq!(named, ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]);
        assert_eq!(tool["outputSchema"].is_object(), name == "changes");
        let told = (&hints["readOnlyHint"], &hints["destructiveHint"], &hints["openWorldHint"]);
        let expected = match name {
            "apply" | "edit" => (false, true, false),
            "stage" | "checkpoint_begin" | "checkpoint_end" => (false, false, false),
            _ => (true, false, false),
        };
        assert_eq!(told, (&json!(expected.0), &json!(expected.1), &json!(expected.2)), "{name}");
        assert_eq!(hints["idempotentHint"], expected.0);
    }
}

/// Returns the tokens of `text`.
fn tokens(world: &World, text: &str) -> u64 {
    world.lay("lists.txt", text);
    let counted = world
        .connect()
        .call("embed", &json!({ "root": world.root(), "paths": ["lists.txt"], "tokens": true }));
    counted["files"][0]["tokens"].as_u64().unwrap()
}

#[test]
fn all_lists_together_cost_few_tokens() {
    let world = World::new();
    let mut host = Host::all(&world);
    let list = host.ask("tools/list", &json!({ "_meta": modern() }));
    let discovered = host.ask("server/discover", &json!({ "_meta": modern() }));
    let all = tokens(&world, &format!("{}\n{}\n", list["result"], discovered["result"]));
    assert!((1000..=TOKENS).contains(&all), "{all}");
    let list = Host::of(&world).ask("tools/list", &json!({ "_meta": modern() }));
    let names: Vec<&Value> =
        list["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["edit", "read", "search", "list", "apply", "preview", "changes", "embed"]);
    let common = tokens(&world, &list["result"]["tools"].to_string());
    assert!((700..=COMMON).contains(&common), "{common}");
}

#[test]
fn a_root_is_asked_for_where_there_are_several_and_what_is_not_listed_can_be_called() {
    let world = World::new();
    world.lay("sub/a.txt", "a\n");
    let roots = json!([world.root(), format!("{}/sub", world.root())]);
    for (mut host, has_root) in [(Host::of(&world), false), (Host::with(&world, &roots, false), true)] {
        host.initialize();
        let list = host.ask("tools/list", &json!({}));
        let edit = tool(list["result"]["tools"].as_array().unwrap(), "edit");
        assert_eq!(edit["inputSchema"]["properties"].get("root").is_some(), has_root);
        let (lesson, works) = host.says("instructions", &json!({}));
        assert!(works && !lesson.is_empty());
    }
}

#[test]
fn the_example_in_the_description_of_apply_can_be_applied() {
    let world = World::new();
    let all = tools(&world);
    let description = tool(&all, "apply")["description"].as_str().unwrap();
    let begin = description.find("*** Begin Patch").unwrap();
    let end = description.find("*** End Patch").unwrap() + "*** End Patch".len();
    world.lay("src/a.py", "def greet(name):\nstays\ngoes\n");
    world.lay("src/old.py", "old\n");
    let (said, works) =
        Host::old(&world).says("apply", &json!({ "text": format!("{}\n", &description[begin..end]) }));
    assert!(works, "{said}");
    assert_eq!(
        (world.read("src/a.py"), world.read("src/new.py")),
        ("def greet(name):\nstays\ncomes\n".into(), "line\n".into())
    );
    assert!(!world.exists("src/old.py"));
}

#[test]
fn every_dialect_can_be_named() {
    let world = World::new();
    let mut host = Host::old(&world);
    let all = tools(&world);
    let named = tool(&all, "instructions")["inputSchema"]["properties"]["dialect"]["enum"].clone();
    let all: Vec<&str> = clada_dialects::Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    assert_eq!(named, json!(all));
    for dialect in all {
        let (lesson, works) = host.says("instructions", &json!({ "dialect": dialect }));
        assert!(works && !lesson.is_empty(), "{dialect}");
    }
}

#[test]
fn what_has_no_room_is_cut_on_a_line_and_named() {
    let world = World::with_config("mcp: {max_output: 2000}\n");
    let lines: String = (1..=900).map(|number| format!("line {number}\n")).collect();
    world.lay("long.txt", &lines);
    for number in 0..300 {
        world.lay(&format!("many/f{number}.txt"), "x\n");
    }
    let mut host = Host::old(&world);
    let read = crate::support::Answer::new().read("long.txt").replace("long.txt", "none such", "x");
    for (tool, arguments) in [
        ("apply", json!({ "text": read.text() })),
        ("preview", json!({ "text": crate::support::Answer::new().write("new.txt", &lines).text() })),
        ("embed", json!({ "paths": ["long.txt"] })),
        ("stage", json!({ "all": true })),
    ] {
        let (text, _) = host.says(tool, &arguments);
        assert!(text.chars().count() <= 2000, "{tool}: {}", text.len());
        assert!(
            text.lines().any(|line| line.starts_with("[cut: ") && line.contains("; ask for ")),
            "{tool}: {text}"
        );
        if tool == "apply" {
            let (error, line) = (text.find("ERROR").unwrap(), text.find("line 1\n").unwrap());
            assert!(error < line && text.ends_with('\n'), "{text}");
        }
    }
    let changes = host.tool("changes", &json!({}));
    let text = changes["content"][0]["text"].as_str().unwrap();
    assert!(text.chars().count() <= 2000, "{}", text.len());
    let read: Value = serde_json::from_str(text).unwrap();
    assert_eq!(read, changes["structuredContent"]);
    assert!(read["cut"].as_str().unwrap().contains("of 301"), "{}", read["cut"]);
}
