//! The hooks in the documentation, called as the agents call them: a shell, the event as JSON on standard input.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::{committed, run};
use crate::support::feed;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/checkpoints.md");
const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/claude-code/hooks/hooks.json");

/// The events that come before and after a turn.
const TURNS: [(&str, &str); 3] =
    [("UserPromptSubmit", "Stop"), ("UserPromptSubmit", "Stop"), ("BeforeAgent", "AfterAgent")];

#[test]
fn the_hooks_of_the_documentation_record_a_turn() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let blocks: Vec<Value> = page
        .split("```json\n")
        .skip(1)
        .map(|rest| serde_json::from_str(rest.split("```").next().unwrap()).unwrap())
        .collect();
    let plugin = std::fs::read_to_string(PLUGIN).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&plugin).unwrap(), blocks[0], "the plugin has the same hooks");
    assert_eq!(blocks.len(), TURNS.len());
    for (block, (before, after)) in blocks.iter().zip(TURNS) {
        let world = committed(&[("a", "1\n")]);
        let bin = world.path("bin");
        std::fs::create_dir_all(&bin).unwrap();
        symlink(world.client(&[]).get_program(), bin.join("clada")).unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let play = |event: &str| {
            let hook = &block["hooks"][event][0]["hooks"][0];
            assert_eq!(hook["type"], "command");
            // As a host runs a hook: by a shell, with the event as JSON on standard input.
            let mut shell = world.program("sh");
            shell.env("PATH", &path).args(["-c", hook["command"].as_str().unwrap()]);
            let told = json!({ "hook_event_name": event, "session_id": "x", "cwd": world.root() });
            let ran = feed(&mut shell, told.to_string().as_bytes());
            assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{event}: {ran:?}");
        };
        for turn in 2..4 {
            play(before);
            world.lay("a", format!("{turn}\n"));
            play(after);
        }
        run(&world, &["undo"]);
        assert_eq!(world.read("a"), "2\n");
        run(&world, &["undo"]);
        assert_eq!(world.read("a"), "1\n");
    }
}
