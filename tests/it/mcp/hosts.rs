//! `clada mcp`: clada in the settings of hosts.

use crate::support::World;

#[test]
fn every_host_gets_an_entry_that_status_finds_and_remove_takes_out() {
    let world = World::new();
    let hosts = [
        "claude-code",
        "claude-desktop",
        "cline",
        "codex",
        "cursor",
        "gemini",
        "opencode",
        "roo",
        "vscode",
        "windsurf",
        "zed",
    ];
    for host in hosts {
        let shown = world.run(&["mcp", "show", host], "");
        assert!(shown.code == 0 && shown.stdout.contains("clada-daemon"), "{host}: {shown:?}");
        let unasked = world.run(&["mcp", "install", host], "");
        assert!(unasked.code == 1 && unasked.stderr.contains("--yes"), "{host}: {unasked:?}");
        assert_eq!(
            world.run(&["mcp", "status"], "").stdout.lines().count(),
            1,
            "{host}: nothing was written"
        );
        let installed = world.run(&["mcp", "install", host, "--yes"], "");
        assert!(installed.code == 0 && installed.stdout.contains("is written"), "{host}: {installed:?}");
        let again = world.run(&["mcp", "install", host, "--yes"], "");
        assert!(again.stdout.contains("names clada already"), "{host}: {again:?}");
        let status = world.run(&["mcp", "status"], "");
        assert!(status.stdout.contains("clada-daemon"), "{host}: {status:?}");
        let removed = world.run(&["mcp", "remove", host, "--yes"], "");
        assert!(removed.code == 0 && removed.stdout.contains("without clada"), "{host}: {removed:?}");
    }
    let goose = world.run(&["mcp", "install", "goose", "--yes"], "");
    assert!(goose.code == 1 && goose.stderr.contains("Add it by hand"), "{goose:?}");
}

#[test]
fn a_file_that_cannot_be_read_as_settings_stays_and_its_lines_are_shown() {
    let world = World::new();
    world.lay(".cursor/mcp.json", "{ broken");
    let refused = world.run(&["mcp", "install", "cursor", "--yes"], "");
    assert!(refused.code == 1 && refused.stderr.contains("mcpServers"), "{refused:?}");
    assert_eq!(world.read(".cursor/mcp.json"), "{ broken");
    world.lay(".cursor/mcp.json", "{\"mcpServers\": {\"clada\": {\"command\": \"/none/clada-daemon\"}}}");
    let status = world.run(&["mcp", "status"], "");
    assert!(
        status.code == 1 && status.stdout.contains("there is no program /none/clada-daemon"),
        "{status:?}"
    );
}

#[test]
fn the_client_serves_a_host_as_the_daemons_program_does() {
    let world = World::new();
    world.lay(".git/HEAD", "ref: refs/heads/main\n");
    let message = |rest: &str| format!(r#"{{"jsonrpc":"2.0",{rest}}}"#) + "\n";
    let input = [
        message(
            r#""id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}"#,
        ),
        message(r#""id":2,"method":"tools/list""#),
    ];
    let ran = world.run(&["mcp", "serve", "--read-only"], input.concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains(r#""name":"read""#) && !ran.stdout.contains(r#""name":"edit""#), "{ran:?}");
}
