//! One daemon, however many clients ask for it at once; and the sockets of those that died.

use std::collections::BTreeSet;
use std::os::unix::net::UnixListener;
use std::process::Child;

use clada_protocol::handshake::Readiness;
use serde_json::{Value, json};

use super::place::{Place, Ran, readiness, run};
use super::wire::SocketWire;

/// The pid that `status --json` reported.
fn pid_in(ran: &Ran) -> u64 {
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    serde_json::from_str::<Value>(&ran.stdout).unwrap()["pid"].as_u64().unwrap()
}

#[test]
fn sixteen_clients_at_once_start_one_daemon() {
    let place = Place::new();
    let clients: Vec<Child> = (0..16).map(|_| place.client(&["status", "--json"]).spawn().unwrap()).collect();
    let pids: BTreeSet<u64> = clients.into_iter().map(|client| pid_in(&Ran::of(client))).collect();
    let pid = place.lock_info().pid;
    assert_eq!(pids, BTreeSet::from([u64::from(pid)]));
    assert_eq!(place.daemons(Some(pid)), [pid]);
}

#[test]
fn of_clients_that_name_several_sockets_of_one_folder_one_address_wins() {
    let place = Place::new();
    let clients: Vec<(String, Child)> = (0..16)
        .map(|number| {
            let socket = place.path(&format!("run/{}.sock", number % 4)).display().to_string();
            let client = place.client(&["status", "--json"]).env("CLADA_SOCKET", &socket).spawn().unwrap();
            (socket, client)
        })
        .collect();
    let ran: Vec<(String, Ran)> =
        clients.into_iter().map(|(socket, client)| (socket, Ran::of(client))).collect();
    let info = place.lock_info();
    for (socket, ran) in &ran {
        if *socket == info.socket {
            assert_eq!(pid_in(ran), u64::from(info.pid));
        } else {
            assert_eq!(ran.code, 3, "{ran:?}");
            assert!(
                ran.stderr.contains(&format!("the daemon at {} uses that folder", info.socket)),
                "{}",
                ran.stderr
            );
        }
    }
    assert_eq!(place.daemons(Some(info.pid)), [info.pid]);
}

#[test]
fn a_client_that_names_another_socket_of_the_folder_is_told_whose_it_is() {
    let place = Place::new();
    let daemon = place.serve();
    let other = place.path("run/other.sock");
    for flags in [&["status", "--json"][..], &["status", "--json", "--no-spawn"]] {
        let ran = run(place.client(flags).env("CLADA_SOCKET", &other));
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{ran:?}");
        assert!(ran.stderr.contains(&format!("--socket {}", place.socket().display())), "{}", ran.stderr);
    }
    assert!(!other.exists());
    assert_eq!(place.daemons(Some(daemon.pid)), [daemon.pid]);
    // In a folder of its own, a daemon is started there.
    let own = place.path("own/v1.sock");
    let ran = run(place.client(&["status", "--json"]).env("CLADA_SOCKET", &own));
    assert_ne!(pid_in(&ran), u64::from(daemon.pid));
    assert_eq!(run(place.client(&["stop"]).env("CLADA_SOCKET", &own)).code, 0);
    assert_eq!(pid_in(&run(&mut place.client(&["status", "--json"]))), u64::from(daemon.pid));
}

#[test]
fn sixteen_daemons_at_once_leave_one() {
    let place = Place::new();
    let mut started: Vec<Child> =
        (0..16).map(|_| place.daemon(&["serve", "--ready-stdout"]).spawn().unwrap()).collect();
    let mut ready = Vec::new();
    let mut told = BTreeSet::new();
    for mut child in started.drain(..) {
        match readiness(&mut child) {
            Readiness::Ready { pid, .. } => ready.push(pid),
            Readiness::Running { pid, .. } => {
                told.insert(pid);
                assert!(!child.wait().unwrap().success());
            }
            other @ Readiness::Failed { .. } => panic!("{other:?}"),
        }
    }
    assert_eq!(ready, place.daemons(ready.first().copied()));
    assert!(told.is_empty() || told == BTreeSet::from([ready[0]]), "{told:?} instead of {ready:?}");
}

#[test]
fn a_second_daemon_refuses_and_says_who_runs() {
    let place = Place::new();
    let daemon = place.serve();
    let ran = run(place.daemon(&["serve"]).stderr(std::process::Stdio::piped()));
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains(&format!("process {}", daemon.pid)), "{}", ran.stderr);
    assert!(ran.stderr.contains("run/v1.sock"), "{}", ran.stderr);
    let mut wire = SocketWire::open(&place.socket());
    assert_eq!(wire.call("status", &json!({}))["pid"], daemon.pid);
}

/// A socket whose listener is gone, for all processes: closing it is not enough, as a child that another test
/// starts just then may hold it open for a moment.
fn leave_socket(path: &std::path::Path) {
    let listener = UnixListener::bind(path).unwrap();
    let _ = rustix::net::shutdown(&listener, rustix::net::Shutdown::Both);
}

#[test]
fn a_stale_socket_is_taken_over() {
    let place = Place::new();
    leave_socket(&place.socket());
    assert!(place.socket().exists());
    let pid = pid_in(&run(&mut place.client(&["status", "--json"])));
    assert_eq!(pid, u64::from(place.lock_info().pid));
}

/// A daemon that ends has no socket any more, and holds the lock a moment longer.
#[test]
fn regression_a_client_that_comes_while_a_daemon_ends_gets_the_next_one() {
    let place = Place::new();
    let lock = std::fs::File::create(place.path("run/v1.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let info = json!({"pid": 1, "version": "0.1.0", "protocol": 1, "socket": place.socket()});
    std::fs::write(place.path("run/v1.lock"), info.to_string()).unwrap();
    let watch = place.watch("run");
    let client = place.client(&["status", "--json"]).spawn().unwrap();
    // It has found no daemon and starts one, which finds the lock held.
    watch.wait(|name| name == "start.log");
    drop(lock);
    assert_eq!(pid_in(&Ran::of(client)), u64::from(place.lock_info().pid));
}

#[test]
fn a_live_socket_is_never_stolen() {
    let place = Place::new();
    let listener = UnixListener::bind(place.socket()).unwrap();
    let ran = run(place.daemon(&["serve"]).stderr(std::process::Stdio::piped()));
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("something else answers"), "{}", ran.stderr);
    // It is still the listener's.
    let _client = std::os::unix::net::UnixStream::connect(place.socket()).unwrap();
    listener.accept().unwrap();
    listener.accept().unwrap();
}

#[test]
fn a_socket_that_vanishes_comes_back() {
    let place = Place::new();
    let daemon = place.serve();
    let watch = place.watch("run");
    std::fs::remove_file(place.socket()).unwrap();
    watch.wait(|name| name == "v1.sock");
    // The first event is our own.
    watch.wait(|name| name == "v1.sock");
    let pid = pid_in(&run(&mut place.client(&["status", "--json", "--no-spawn"])));
    assert_eq!(pid, u64::from(daemon.pid));
}

#[test]
fn without_a_daemon_and_without_starting_one_the_exit_status_is_3() {
    let place = Place::new();
    let ran = run(&mut place.client(&["status", "--no-spawn"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("no daemon answers at"), "{}", ran.stderr);
    assert!(place.daemons(None).is_empty());
}

#[test]
fn a_daemon_that_is_not_installed_is_said_to_be_missing_and_where() {
    let place = Place::new();
    let program = place.path("clada-client");
    super::place::install(super::place::client_program(), &program);
    let mut client = place.command(&program);
    let ran = run(client.arg("status").env_remove("CLADA_DAEMON").env("PATH", place.path("nowhere")));
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    for folder in [place.path(""), place.path("nowhere")] {
        let folder = folder.display().to_string();
        assert!(ran.stderr.contains(folder.trim_end_matches('/')), "{folder} in {}", ran.stderr);
    }
    assert!(ran.stderr.contains("CLADA_DAEMON"), "{}", ran.stderr);
}
