//! The units for systemd, and a start with a socket that another process opened.

use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::json;

use super::place::{Place, daemon_program, run};
use super::wire::SocketWire;
use crate::support::skipped;

fn units() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../systemd")
}

#[test]
fn systemd_takes_the_units() {
    let there = Command::new("systemd-analyze").arg("--version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        return skipped("the units for systemd", "there is no systemd-analyze");
    }
    let place = Place::new();
    for name in ["clada.service", "clada.socket"] {
        let unit = std::fs::read_to_string(units().join(name)).unwrap();
        // The program that is to be there is the one under test.
        let unit = unit.replace("%h/.cargo/bin/clada-daemon", daemon_program());
        std::fs::write(place.path(name), unit).unwrap();
    }
    let ran = run(place
        .command("systemd-analyze")
        .args(["--user", "--man=no", "verify"])
        .args([place.path("clada.service"), place.path("clada.socket")])
        .env("XDG_RUNTIME_DIR", place.path("run")));
    // Its messages about the machine's own units do not concern this test.
    assert!(ran.code == 0 && !ran.stderr.contains("clada."), "{ran:?}");
}

/// A listening socket as the service manager opens it.
fn listener(place: &Place) -> OwnedFd {
    let listener = UnixListener::bind(place.socket()).unwrap();
    place.set_mode("run/v1.sock", 0o600);
    listener.into()
}

#[test]
fn a_socket_that_was_opened_before_is_taken_over() {
    let place = Place::new();
    let listener = listener(&place);
    // A client that comes before the daemon waits in the socket.
    let mut early = SocketWire::open(&place.socket());
    let id = early.request("status", &json!({}));
    // As systemd does between fork and exec: the descriptor is number 3, and the variables name this process.
    let script = "exec 3<&0 </dev/null; export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$0\" serve --ready-stdout \
                  --idle-exit 1";
    let mut daemon = place.serve_with(
        place
            .command("sh")
            .args(["-c", script, daemon_program()])
            .stdin(Stdio::from(listener))
            .stderr(Stdio::inherit()),
    );
    assert_eq!(early.answer(id)["result"]["pid"], daemon.pid);
    let ran = run(&mut place.client(&["status", "--json", "--no-spawn"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.wait().code(), Some(0));
    // The socket is the service manager's, to start the next one.
    assert!(place.socket().exists());
}

/// The strings that follow a key of launchd's property list.
fn strings_of_launchd(key: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../launchd/io.clada.daemon.plist");
    let list = std::fs::read_to_string(path).unwrap();
    let value = list.split_once(&format!("<key>{key}</key>")).unwrap().1.split("<key>").next().unwrap();
    let strings =
        value.split("<string>").skip(1).map(|rest| rest.split_once("</string>").unwrap().0.to_owned());
    strings.collect()
}

/// The daemon is started as launchd starts it, which hands it the socket.
#[test]
fn a_socket_on_standard_input_is_taken_over() {
    let command = strings_of_launchd("ProgramArguments");
    let arguments: Vec<&str> = command[1..].iter().map(String::as_str).collect();
    assert!(
        command[0].ends_with("/clada-daemon") && strings_of_launchd("SockPathName")[0].ends_with("/v1.sock")
    );
    let place = Place::new();
    let listener = listener(&place);
    let mut early = SocketWire::open(&place.socket());
    let id = early.request("status", &json!({}));
    let mut daemon = place.daemon(&arguments).stdin(Stdio::from(listener)).spawn().unwrap();
    assert_eq!(early.answer(id)["result"]["pid"], daemon.id());
    assert_eq!(run(&mut place.client(&["stop"])).code, 0);
    assert_eq!(daemon.wait().unwrap().code(), Some(0));
    assert!(place.socket().exists());
}

#[test]
fn systemd_socket_activate_starts_it() {
    let there = Command::new("systemd-socket-activate").arg("--version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        return skipped("a start by systemd", "there is no systemd-socket-activate");
    }
    let place = Place::new();
    let notified = std::os::unix::net::UnixDatagram::bind(place.path("run/notify")).unwrap();
    notified.set_read_timeout(Some(super::place::PATIENCE)).unwrap();
    let mut activation = place
        .command("systemd-socket-activate")
        .args([
            "-E",
            "HOME",
            "-E",
            "XDG_CONFIG_HOME",
            "-E",
            "XDG_STATE_HOME",
            "-E",
            "XDG_CACHE_HOME",
            "-E",
            "CLADA_SOCKET",
        ])
        .arg(format!("--setenv=NOTIFY_SOCKET={}", place.path("run/notify").display()))
        .arg("--setenv=WATCHDOG_USEC=300000")
        .arg(format!("--listen={}", place.socket().display()))
        .args([daemon_program(), "serve"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    // The socket is there before it listens.
    let mut client = loop {
        if let Ok(stream) = UnixStream::connect(place.socket()) {
            break SocketWire::over(stream);
        }
        assert!(activation.try_wait().unwrap().is_none(), "it does not listen");
        std::thread::yield_now();
    };
    let status = client.call("status", &json!({}));
    // It becomes the daemon, which says that it is ready and goes on to say that it lives.
    assert_eq!(status["pid"], activation.id());
    let mut heard = String::new();
    let mut buffer = [0; 1024];
    while !(heard.contains("READY=1") && heard.matches("WATCHDOG=1").count() >= 2) {
        let count = notified.recv(&mut buffer).expect(&heard);
        heard += std::str::from_utf8(&buffer[..count]).unwrap();
        heard.push('\n');
    }
    client.call("shutdown", &json!({}));
    assert!(activation.wait().unwrap().success());
}
