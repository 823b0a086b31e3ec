//! What the proxy starts, and what it refuses to start with.

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};

use super::host::{Host, Person, program};
use crate::support::{Answer, skipped};

#[test]
fn folders_that_hold_more_than_a_project_are_refused() {
    let person = Person::new();
    std::os::unix::fs::symlink(person.path(""), person.path("planted/link")).unwrap();
    let mut said = String::new();
    for root in ["/", "..", "../..", "../planted/link", "../project/..", "missing", "../.it-person"] {
        let ran = person.refused(&["--root", root]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{root}");
        said += &ran.stderr;
    }
    expect![[r#"
        clada-daemon mcp: --root /: this folder holds more than one project, and agents cannot use it; name the project's own folder
        clada-daemon mcp: --root ..: this folder holds more than one project, and agents cannot use it; name the project's own folder
        clada-daemon mcp: --root ../..: this folder holds more than one project, and agents cannot use it; name the project's own folder
        clada-daemon mcp: --root ../planted/link: this folder holds more than one project, and agents cannot use it; name the project's own folder
        clada-daemon mcp: --root ../project/..: this folder holds more than one project, and agents cannot use it; name the project's own folder
        clada-daemon mcp: --root missing: No such file or directory (os error 2)
        clada-daemon mcp: --root ../.it-person: it is not a folder
    "#]].assert_eq(&said);
    assert_eq!(person.daemons(), [0; 0], "no daemon was started for that");
    // A home folder that the host makes up does not lift it.
    let mut command = person.proxy(&["--root", ".."]);
    let ran = crate::support::feed(command.env("HOME", person.path("planted")), b"");
    assert_eq!(ran.code, 1, "{ran:?}");
}

/// An environment as a repository's configuration of a host could plant it.
fn plant(person: &Person, command: &mut Command) {
    let planted = person.path("planted");
    std::fs::write(planted.join("clada/config.yaml"), "allowed_roots: [/]\n").unwrap();
    command
        .env("HOME", &planted)
        .env("XDG_CONFIG_HOME", &planted)
        .env("XDG_STATE_HOME", planted.join("state"))
        .env("TMPDIR", &planted)
        .env("CLADA_ALLOWED_ROOTS", "[/]")
        .env("CLADA_LIMITS_INPUT", "7MB")
        .env("CLADA_DAEMON", "/bin/false")
        .env("PATH", &planted)
        .env("LD_LIBRARY_PATH", &planted)
        .env("PLANTED", "1");
}

#[test]
fn a_daemon_that_is_started_has_nothing_of_the_hosts_environment() {
    let person = Person::new();
    let mut command = person.proxy(&[]);
    plant(&person, &mut command);
    let mut host = Host::new(&mut command);
    host.ask(1, "ping", &json!({}));
    let daemon = person.daemon().unwrap();
    let environment = std::fs::read_to_string(format!("/proc/{daemon}/environ")).unwrap();
    let home = person.path("");
    let home = home.to_str().unwrap().trim_end_matches('/');
    let mut variables: Vec<String> =
        environment.split_terminator('\0').map(|variable| variable.replace(home, "/HOME")).collect();
    variables.sort();
    expect![[r#"
        HOME=/HOME
        LANG=C.UTF-8
        LOGNAME=tester
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        SHELL=/bin/sh
        USER=tester"#]]
    .assert_eq(&variables.join("\n"));
    let ran = person.client(&["config", "--json"]);
    let settings: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let origins: Vec<&Value> =
        settings["settings"].as_array().unwrap().iter().map(|it| &it["origin"]).collect();
    assert!(origins.len() > 20 && origins.iter().all(|origin| **origin == "default"), "{settings}");
    assert!(!person.path("planted/state").exists());
}

/// A host may start in any folder; named, a folder that is not an agent's root is an error.
#[test]
fn regression_in_a_folder_of_programs_a_host_has_no_project() {
    let person = Person::new();
    std::fs::create_dir(person.path("bin")).unwrap();
    let ran = person.refused(&["--root", "../bin"]);
    assert!(ran.code == 1 && ran.stderr.contains("no project starts there"), "{ran:?}");
    let mut command = person.proxy(&[]);
    let mut host = Host::new(command.current_dir(person.path("bin")));
    let answer = host.ask(1, "tools/call", &modern(json!({ "name": "changes", "arguments": {} })));
    assert!(super::host::text(&answer).contains("No project is configured"), "{answer}");
}

#[test]
fn at_a_socket_that_is_named_no_daemon_is_started_and_it_serves_as_the_user_has_it() {
    let person = Person::new();
    let socket = person.path("run/none.sock");
    for by_variable in [false, true] {
        let named = ["--socket", socket.to_str().unwrap()];
        let mut command = person.proxy(if by_variable { &[] } else { &named });
        plant(&person, &mut command);
        if by_variable {
            command.env("CLADA_SOCKET", &socket);
        }
        let mut host = Host::new(&mut command);
        let (path, content) = ("../outside.txt", "x");
        let answer = Answer::new().action("file_write", &[("path", path), ("content", content)]);
        let answer = host.ask(
            1,
            "tools/call",
            &modern(json!({"name": "apply", "arguments": {"text": answer.text()}})),
        );
        assert_eq!(answer["result"]["isError"], true, "the planted roots are not in force: {answer}");
        let answer = Answer::new().action("file_write", &[("path", "a.txt"), ("content", content)]);
        let answer = host.ask(
            2,
            "tools/call",
            &modern(json!({"name": "apply", "arguments": {"text": answer.text()}})),
        );
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert!(!person.path("outside.txt").exists() && person.path("project/a.txt").exists());
        assert!(!socket.exists() && person.daemons().is_empty());
        assert!(host.ended().success());
    }
    // Where it is not to serve either, it says so.
    let ran = person.refused(&["--socket", socket.to_str().unwrap(), "--no-spawn"]);
    assert_eq!(ran.code, 1);
    let said = ran.stderr.replace(person.path("").to_str().unwrap(), "/HOME/");
    expect![[r#"
        clada-daemon mcp: no daemon answers at /HOME/run/none.sock, and --no-spawn was given. Start one with `clada-daemon serve`, or leave out --no-spawn
    "#]]
    .assert_eq(&said);
}

/// Parameters of a request of 2026-07-28.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

/// In a sandbox, it serves in its own process: a daemon that it started would serve everybody from inside of
/// it.
#[test]
fn in_a_sandbox_it_serves_by_itself() {
    let person = Person::new();
    let whole = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev"];
    let filtered = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/mcp_proxy/filtered.py");
    let sandboxes = [
        [&whole[..], &["--unshare-user", "--unshare-pid", "--proc", "/proc"]].concat(),
        [&whole[..], &["--unshare-pid", "--proc", "/proc"]].concat(),
        whole.to_vec(),
        vec!["python3", filtered.to_str().unwrap()],
    ];
    for sandbox in sandboxes {
        let command = |arguments: &[&str]| {
            let mut command = person.command(sandbox[0]);
            command.args(&sandbox[1..]).args(arguments);
            command
        };
        if !command(&["/bin/true"]).status().is_ok_and(|status| status.success()) {
            skipped(&format!("a proxy in {sandbox:?}"), "it does not work here");
            continue;
        }
        let mut host = Host::new(&mut command(&[program().to_str().unwrap(), "mcp"]));
        let answer = host.ask(1, "server/discover", &modern(json!({})));
        assert_eq!(answer["result"]["resultType"], "complete", "{sandbox:?}: {answer}");
        assert_eq!(person.daemons(), [0; 0], "{sandbox:?}");
        assert!(!person.socket().exists());
        assert!(host.ended().success());
    }
}

/// The daemon runs and cannot be reached from there.
#[test]
fn where_connecting_is_forbidden_it_serves_by_itself() {
    let person = Person::new();
    Host::new(&mut person.proxy(&[])).ask(1, "ping", &json!({}));
    let daemons = person.daemons();
    assert_eq!(daemons.len(), 1);
    let filtered = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/mcp_proxy/filtered.py");
    let command = |arguments: &[&str]| {
        let mut command = person.command("python3");
        command.arg(&filtered).arg("--no-connect").args(arguments);
        command
    };
    if !command(&["/bin/true"]).status().is_ok_and(|status| status.success()) {
        return skipped("a proxy that may not connect", "it does not work here");
    }
    let mut host = Host::new(&mut command(&[program().to_str().unwrap(), "mcp"]));
    let answer = host.ask(1, "tools/call", &modern(json!({"name": "changes", "arguments": {}})));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(host.ended().success());
    assert_eq!(person.daemons(), daemons);
}
