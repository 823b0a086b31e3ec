//! Limits of an answer's command: it cannot call the daemon that runs it, or another one of the same user.

use serde_json::json;

use crate::commands::run;
use crate::support::{Answer, World};

/// A command that asks the daemon at `socket` to write outside of the project, as a user could.
fn asking(world: &World, socket: &std::path::Path) -> String {
    let text =
        Answer::new().write(world.path("outside/made").to_str().unwrap(), "escaped\n").text().to_owned();
    let params = json!({ "root": world.root(), "text": text, "approve": "all", "allowEscape": true });
    world.lay("params.json", params.to_string());
    format!(
        "sh -c '{} --no-spawn --socket {} call execute \"$(cat params.json)\" 2>&1; true'",
        env!("CARGO_BIN_EXE_it-client"),
        socket.display()
    )
}

#[test]
fn regression_a_command_asks_no_daemon_to_act_for_it() {
    for sandbox in ["'off'", "auto"] {
        let world = World::with_config(&format!("exec: {{sandbox: {sandbox}}}\n"));
        let other = World::new();
        other.status();
        world.status();
        for (whose, socket) in [("its own", world.socket()), ("another", other.socket())] {
            let command = asking(&world, &socket);
            let result = world.execute(&run(&command), json!({ "approve": "all" }));
            let data = &result["results"][0]["data"];
            let said = data["stdout"].as_str().unwrap_or_default();
            let used = data["sandbox"].as_str().unwrap_or("none");
            println!("{whose} daemon, asked under {used}: {}", said.lines().next().unwrap_or_default());
            assert!(!world.path("outside/made").exists(), "{whose} under {used}: {said}");
            if used == "none" {
                assert!(said.contains("may not call the daemon"), "{whose}: {said}\n{result:#}");
            }
        }
        // The same request from the user succeeds: nothing else was in the way.
        let params = std::fs::read_to_string(world.path("project/params.json")).unwrap();
        let ran = world.run(&["call", "execute", &params], "");
        assert!(world.path("outside/made").exists(), "{ran:?}");
    }
}
