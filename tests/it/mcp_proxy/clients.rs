//! Hosts as they are: the SDKs of MCP and the Inspector. A test whose program is missing says so and passes.
//!
//! `CLADA_CLIENTS` names their folder: `mcp` is what pip installed, `node_modules` what npm did.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::host::{Person, program};
use crate::support::{Answer, feed, skipped};

/// Returns a path in the folder of clients.
fn client(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CLADA_CLIENTS").map(PathBuf::from);
    let found = folder.map(|folder| folder.join(name)).filter(|path| path.exists());
    if found.is_none() {
        skipped(&format!("the client {name}"), "it is not in CLADA_CLIENTS");
    }
    found
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("it/mcp_proxy").join(name)
}

/// Runs a host that lists the tools, has an answer applied, and makes a mistake. Holds what it saw against
/// what all of them have to see, and returns the version that was agreed upon.
fn host(interpreter: &Path, script: &Path, arguments: &[&str]) -> Value {
    let person = Person::new();
    let answer = Answer::new().write("a.txt", "one");
    let mut command = person.command(interpreter.to_str().unwrap());
    command.arg(script).args(arguments).arg(answer.text()).arg(program()).arg("mcp");
    command
        .envs(std::env::var_os("CLADA_CLIENTS").map(|folder| ("PYTHONPATH", Path::new(&folder).join("mcp"))));
    let ran = feed(&mut command, b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let saw: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        saw["tools"],
        json!(["edit", "read", "search", "list", "apply", "preview", "changes", "embed"])
    );
    assert_eq!(
        (&saw["isError"], &saw["kinds"], &saw["edited"], &saw["wrong"]),
        (&json!(false), &json!(["text"]), &json!(true), &json!(true))
    );
    assert_eq!(std::fs::read_to_string(person.path("project/a.txt")).unwrap().trim_end(), "one");
    assert_eq!(person.daemons().len(), 1, "the daemon outlives the host");
    saw["version"].clone()
}

#[test]
fn the_python_sdk_in_both_eras() {
    let (Some(python), Some(_)) = (program_of("python3"), client("mcp/mcp")) else { return };
    let version = |mode: &str| host(&python, &script("client.py"), &[mode]);
    assert_eq!(version("auto"), "2026-07-28");
    assert_eq!(version("2026-07-28"), "2026-07-28");
    assert_eq!(version("legacy"), "2025-11-25");
}

#[test]
fn the_typescript_sdk_of_the_old_era() {
    let (Some(node), Some(sdk)) = (program_of("node"), client("node_modules/@modelcontextprotocol/sdk"))
    else {
        return;
    };
    host(&node, &script("client.mjs"), &[sdk.to_str().unwrap(), "sdk"]);
}

#[test]
fn the_typescript_client_in_both_eras() {
    let (Some(node), Some(sdk)) = (program_of("node"), client("node_modules/@modelcontextprotocol/client"))
    else {
        return;
    };
    let version = |mode: &str| host(&node, &script("client.mjs"), &[sdk.to_str().unwrap(), mode]);
    assert_eq!(version("auto"), "2026-07-28");
    assert_eq!(version("legacy"), "2025-11-25");
}

#[test]
fn the_inspector_on_the_command_line() {
    let (Some(node), Some(inspector)) = (program_of("node"), client("node_modules/.bin/mcp-inspector"))
    else {
        return;
    };
    let person = Person::new();
    let run = |arguments: &[&str]| -> Value {
        let mut command = person.command(node.to_str().unwrap());
        command.arg(&inspector).arg("--cli").arg(program()).arg("mcp").args(arguments);
        let ran = feed(&mut command, b"");
        assert_eq!(ran.code, 0, "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    };
    let tools = run(&["--method", "tools/list"]);
    assert_eq!(tools["tools"][0]["name"], "edit", "{tools}");
    let called = run(&["--method", "tools/call", "--tool-name", "changes"]);
    assert_eq!(called["content"][0]["type"], "text", "{called}");
}

/// Returns the path of a program of the system.
fn program_of(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skipped(&format!("the client {name}"), "it is not installed");
    }
    found
}
