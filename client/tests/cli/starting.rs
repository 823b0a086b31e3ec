//! Finds, starts and replaces a daemon. A script plays its program: it moves a socket on which a thread of
//! the test listens to the place where the program looks for it.

use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::fake::{Fake, Fixture, Reply, finish, lay_program, run, run_with, start_with, written};

const START: &str = "echo started >> starts; mv run/hidden run/v1.sock";

/// Returns a daemon that can be found once the script runs.
fn hidden(fixture: &Fixture, reply: fn(&str) -> Reply) -> Fake {
    fixture.script(&format!("{START}; echo \"$@\" > args; echo '{}'", fixture.ready()));
    Fake::listen(&fixture.path("run/hidden"), env!("CARGO_PKG_VERSION"), move |method, _| reply(method))
}

fn fine(_: &str) -> Reply {
    Reply::Result(json!({"pid": 5}))
}

#[test]
fn a_daemon_is_started_when_nobody_answers() {
    let fixture = Fixture::new();
    hidden(&fixture, fine);
    let ran = run(&mut fixture.client(&["status", "--json"]));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "{\"pid\":5}\n", ""));
    assert_eq!(std::fs::read_to_string(fixture.path("args")).unwrap(), "serve --ready-stdout\n");
}

#[test]
fn regression_a_daemon_does_not_inherit_our_service_manager() {
    let fixture = Fixture::new();
    hidden(&fixture, fine);
    let script = format!("{START}; env > env; echo '{}'", fixture.ready());
    fixture.script(&script);
    let mut client = fixture.client(&["status"]);
    client.env("JOURNAL_STREAM", "8:1").env("NOTIFY_SOCKET", "/n").env("WATCHDOG_USEC", "1").env("KEPT", "1");
    assert_eq!(run(&mut client).code, 0);
    let env = std::fs::read_to_string(fixture.path("env")).unwrap();
    assert!(env.contains("KEPT=1"), "{env}");
    for name in ["JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_USEC"] {
        assert!(!env.contains(name), "{env}");
    }
}

#[test]
fn a_daemon_for_everybody_has_no_settings_of_the_client_that_starts_it() {
    let fixture = Fixture::new();
    hidden(&fixture, fine);
    fixture.script(&format!("{START}; env > env; echo '{}'", fixture.ready()));
    let mut client = fixture.client(&["status", "-v", "--json"]);
    client
        .env("CLADA_ALLOWED_ROOTS", "[/]")
        .env("CLADA_DAEMON_LOG_LEVEL", "debug")
        .env("XDG_CONFIG_HOME", "/planted")
        .env("XDG_STATE_HOME", "relative");
    let ran = run(&mut client);
    let usual = ran.stderr.split("and not ").nth(1).unwrap().split(": every").next().unwrap();
    let said = ran.stderr.replace(usual, "HOME/.config");
    expect![[r#"
        CLADA_DAEMON_LOG_LEVEL is not passed to the daemon, which serves all clients. Set it in the configuration, or for `clada-daemon serve`.
        The daemon was started with XDG_CONFIG_HOME=/planted, and not HOME/.config"#]].assert_eq(&said);
    let env = std::fs::read_to_string(fixture.path("env")).unwrap();
    let ours: Vec<&str> = env.lines().filter(|line| line.starts_with("CLADA_")).collect();
    assert_eq!(ours, [format!("CLADA_SOCKET={}", fixture.socket().display())]);
}

#[test]
fn the_folder_of_the_socket_is_made() {
    let fixture = Fixture::new();
    let socket = fixture.path("other/v1.sock");
    fixture.script(&format!(
        "mv run/hidden other/v1.sock; echo '{}'",
        json!({"state": "ready", "socket": socket, "pid": 1})
    ));
    Fake::listen(&fixture.path("run/hidden"), "0.1.0", |_, _| fine(""));
    let ran = run(fixture.client(&["status", "--json"]).env("CLADA_SOCKET", &socket));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fixture.path("other").metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_socket_that_a_dead_daemon_left_is_no_obstacle() {
    let fixture = Fixture::new();
    hidden(&fixture, fine);
    let listener = std::os::unix::net::UnixListener::bind(fixture.socket()).unwrap();
    // Closing it is not enough: a child that another test starts just then may hold it open for a moment.
    let _ = rustix::net::shutdown(&listener, rustix::net::Shutdown::Both);
    drop(listener);
    assert_eq!(run(&mut fixture.client(&["status"])).code, 0);
}

#[test]
fn many_clients_at_once_start_one_daemon() {
    let fixture = Fixture::new();
    hidden(&fixture, fine);
    let clients: Vec<_> = (0..16).map(|_| fixture.client(&["status"]).spawn().unwrap()).collect();
    for client in clients {
        let ran = finish(client);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!(std::fs::read_to_string(fixture.path("starts")).unwrap(), "started\n");
}

#[test]
fn a_named_socket_is_not_exchanged_for_the_one_in_the_lock_file() {
    let fixture = Fixture::new();
    let other = Fake::listen(&fixture.path("run/elsewhere"), "0.1.0", |_, _| fine(""));
    let info = json!({"pid": 1, "version": "0.1.0", "protocol": 1, "socket": fixture.path("run/elsewhere")});
    std::fs::write(fixture.path("run/v1.lock"), info.to_string()).unwrap();
    for command in ["status", "stop"] {
        let ran = run(&mut fixture.client(&[command]));
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
        expect![[r#"
            clada: no daemon answers at /TOP/run/v1.sock: the daemon at /TOP/run/elsewhere uses that folder
              Use it with --socket /TOP/run/elsewhere, or stop it with `clada stop --socket /TOP/run/elsewhere`.
        "#]]
        .assert_eq(&fixture.shown(&ran.stderr));
    }
    assert!(other.methods().is_empty());
    let named = fixture.path("run/elsewhere").display().to_string();
    assert_eq!(run(&mut fixture.client(&["status", "--socket", &named])).code, 0);
}

#[test]
fn a_daemon_that_is_started_says_that_another_has_the_folder() {
    let fixture = Fixture::new();
    Fake::listen(&fixture.path("run/elsewhere"), "0.1.0", |_, _| fine(""));
    // It took the lock only just now: its file is not written yet.
    let running = json!({"state": "running", "socket": fixture.path("run/elsewhere"), "pid": 1});
    fixture.script(&format!("echo '{running}'"));
    let ran = run(&mut fixture.client(&["status"]));
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("uses that folder"), "{}", ran.stderr);
}

#[test]
fn no_spawn_says_how_to_start_one() {
    let fixture = Fixture::new();
    hidden(&fixture, fine);
    let ran = run(&mut fixture.client(&["status", "--no-spawn"]));
    assert_eq!(ran.code, 3);
    expect![[r#"
        clada: no daemon answers at /TOP/run/v1.sock
          Start one with `systemctl --user start clada.socket` or `clada-daemon serve`, or leave out --no-spawn.
    "#]].assert_eq(&fixture.shown(&ran.stderr));
    assert!(!fixture.path("starts").exists());
}

#[test]
fn a_program_that_is_not_there_is_looked_for_in_named_places() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["status"]));
    assert_eq!(ran.code, 3);
    expect![[r#"
        clada: CLADA_DAEMON names /TOP/daemon, which is not a file
          Set it to the path of clada-daemon, or unset it.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    let program = fixture.path("clada-client");
    lay_program(&program, &std::fs::read(env!("CARGO_BIN_EXE_clada-client")).unwrap());
    let mut client = fixture.program(&program, &["status"]);
    let ran = run(client.env_remove("CLADA_DAEMON").env("PATH", "/nowhere:relative:"));
    assert_eq!(ran.code, 3);
    expect![[r#"
        clada: no daemon answers, and clada-daemon was not found to start one
          Looked in: /TOP, /nowhere.
          Install clada-daemon there, or set CLADA_DAEMON to its path.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn a_daemon_that_cannot_start_says_why() {
    let fixture = Fixture::new();
    fixture.script(r#"echo '{"state":"failed","message":"the store is broken\u001b"}'"#);
    let ran = run(&mut fixture.client(&["status"]));
    assert_eq!(ran.code, 3);
    expect![[r#"
        clada: the daemon did not start: the store is broken\u{1b}
          It was started as: /TOP/daemon serve
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    fixture.script("echo 'first words' >&2; echo 'cannot load' >&2; exit 7");
    let ran = run(&mut fixture.client(&["status"]));
    assert_eq!(ran.code, 3);
    expect![[r#"
        clada: the daemon ended before it was ready (exit status: 7)
          It was started as: /TOP/daemon serve
          Its output: first words
          Its output: cannot load
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn an_older_daemon_is_replaced_before_it_changes_anything() {
    let fixture = Fixture::new();
    let old = Fake::listen(&fixture.socket(), "0.0.9", |method, _| match method {
        "shutdown" => Reply::Leave,
        _ => Reply::Result(json!({})),
    });
    let result = written(&fixture);
    fixture.script(&format!("{START}; echo '{}'", fixture.ready()));
    let new = Fake::listen(&fixture.path("run/hidden"), "0.1.0", move |_, _| Reply::Result(result.clone()));
    let ran = run_with(&mut fixture.client(&["apply"]), b"text");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(old.methods(), ["hello", "shutdown"]);
    assert_eq!(new.methods(), ["hello", "execute"]);
}

#[test]
fn a_newer_daemon_and_one_that_may_not_be_replaced_are_used() {
    let fixture = Fixture::new();
    let newer = Fake::listen(&fixture.socket(), "99.0.0", |_, _| fine(""));
    assert_eq!(run(&mut fixture.client(&["status"])).code, 0);
    assert_eq!(newer.methods(), ["hello", "status"]);
    let fixture = Fixture::new();
    let older = Fake::listen(&fixture.socket(), "0.0.9", |_, _| fine(""));
    assert_eq!(run(&mut fixture.client(&["status", "--no-spawn"])).code, 0);
    assert_eq!(older.methods(), ["hello", "status"]);
}

#[test]
fn where_sockets_are_forbidden_a_child_answers() {
    let fixture = Fixture::new();
    fixture.script(
        r#"echo "$@" > args
while read -r line; do
  case "$line" in
    *'"hello"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"server":"x","version":"0.1.0","protocol":1,"features":[]}}' ;;
    *'"status"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"pid":6}}' ;;
  esac
done"#,
    );
    // No process may make folders there.
    let forbidden = "/sys/clada/v1.sock";
    let ran = run(fixture.client(&["status", "--json", "-v"]).env("CLADA_SOCKET", forbidden));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "{\"pid\":6}\n"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(fixture.path("args")).unwrap(), "serve --stdio\n");
    // Root is refused otherwise than others.
    let (says, why) = ran.stderr.split_once(" (").unwrap_or_default();
    assert_eq!(says, "The socket cannot be used here", "{}", ran.stderr);
    assert!(why.ends_with("); starting a private daemon.\n"), "{}", ran.stderr);
    let ran = run(fixture.client(&["status", "--no-spawn"]).env("CLADA_SOCKET", forbidden));
    assert_eq!(ran.code, 3);
}

#[test]
fn a_folder_that_others_can_write_to_is_not_trusted() {
    let fixture = Fixture::new();
    Fake::serve(&fixture, |_, _| fine(""));
    std::fs::set_permissions(fixture.path("run"), PermissionsExt::from_mode(0o777)).unwrap();
    let ran = run(&mut fixture.client(&["status"]));
    assert_eq!(ran.code, 3);
    expect![[r#"
        clada: the folder of the socket, /TOP/run, has mode 0777, which gives others access
          Make it a folder of your own with mode 0700, or name another socket with CLADA_SOCKET.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn a_daemon_that_hangs_up_at_once_is_tried_again_and_then_given_up() {
    let fixture = Fixture::new();
    let listener = std::os::unix::net::UnixListener::bind(fixture.socket()).unwrap();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let ran = run_with(&mut fixture.client(&["apply"]), b"text");
    assert_eq!(ran.code, 3);
    expect![[r#"
        clada: the daemon at /TOP/run/v1.sock closed the connection three times without an answer
          Run the command again: a daemon is started if none answers. `clada log` shows its last messages.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn regression_ctrl_c_ends_every_wait_before_the_request() {
    // A daemon that never greets back; one that is never ready; one that is asked to leave and does not.
    let greets = Fixture::new();
    let (asked, waits) = std::sync::mpsc::channel();
    let listener = std::os::unix::net::UnixListener::bind(greets.socket()).unwrap();
    let heard = asked.clone();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Read::read(&mut stream, &mut [0; 4096]).unwrap();
        heard.send(()).unwrap();
        std::thread::park();
    });
    let starts = Fixture::new();
    starts.script("echo started > starts; exec cat held");
    let fifos = ["starts", "held"].map(|name| {
        let path = starts.path(name);
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        std::fs::File::options().read(true).write(true).open(path).unwrap()
    });
    let [mut started, _held] = fifos;
    let heard = asked.clone();
    std::thread::spawn(move || {
        std::io::Read::read_exact(&mut started, &mut [0; 1]).unwrap();
        heard.send(()).unwrap();
    });
    let leaves = Fixture::new();
    Fake::listen(&leaves.socket(), "0.0.9", move |_, _| {
        asked.send(()).unwrap();
        Reply::Silence
    });
    for fixture in [greets, starts, leaves] {
        let child = start_with(&mut fixture.client(&["apply"]), b"text");
        waits.recv().unwrap();
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let ran = finish(child);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        expect![[r#"
            clada: interrupted: nothing was applied
        "#]]
        .assert_eq(&fixture.shown(&ran.stderr));
    }
}
