//! The folder of the socket: private, ours and real, or refused with a helpful message. By both programs.

use std::os::unix::fs::{chown, symlink};
use std::process::Stdio;

use super::place::{Place, Ran, is_root, run};
use crate::support::skipped;

/// Returns the output of both programs when they are to use `socket`.
fn both(place: &Place, socket: &str) -> [Ran; 2] {
    let daemon = run(place
        .daemon(&["serve"])
        .env("CLADA_SOCKET", socket)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped()));
    let client = run(place.client(&["status"]).env("CLADA_SOCKET", socket));
    assert_eq!(daemon.code, 1, "{daemon:?}");
    assert_eq!((client.code, client.stdout.as_str()), (3, ""), "{client:?}");
    assert!(place.daemons(None).is_empty());
    [daemon, client]
}

fn both_say(place: &Place, socket: &str, words: &[&str]) {
    for ran in both(place, socket) {
        for word in words {
            assert!(ran.stderr.contains(word), "{word} is not in {}", ran.stderr);
        }
    }
}

#[test]
fn a_folder_that_others_may_enter_is_refused() {
    let place = Place::new();
    for mode in [0o755, 0o710, 0o701, 0o777] {
        place.set_mode("run", mode);
        let socket = place.socket();
        both_say(&place, socket.to_str().unwrap(), &[&format!("mode {mode:04o}"), "700"]);
    }
}

#[test]
fn a_folder_that_is_a_link_is_refused() {
    let place = Place::new();
    symlink(place.path("run"), place.path("link")).unwrap();
    let socket = place.path("link/v1.sock");
    both_say(&place, socket.to_str().unwrap(), &[&*place.path("link").to_string_lossy(), "CLADA_SOCKET"]);
    assert!(!place.path("run/v1.lock").exists());
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let place = Place::new();
    std::fs::write(place.path("file"), "").unwrap();
    let socket = place.path("file/v1.sock");
    both_say(&place, socket.to_str().unwrap(), &["folder", "CLADA_SOCKET"]);
}

#[test]
fn somebody_elses_folder_is_refused() {
    let place = Place::new();
    if is_root() {
        if chown(place.path("run"), Some(65_534), None).is_err() {
            return skipped("somebody else's folder", "root cannot give one away here");
        }
        let socket = place.socket();
        both_say(&place, socket.to_str().unwrap(), &["belongs to", "65534"]);
    } else {
        // `/` belongs to root wherever another user runs the tests.
        both_say(&place, "/v1.sock", &["belongs to", "CLADA_SOCKET"]);
    }
}

#[test]
fn a_path_that_is_too_long_for_a_socket_is_refused_before_anything_is_made() {
    let place = Place::new();
    let folder = place.path(&"long".repeat(30));
    let socket = folder.join("v1.sock");
    let length = socket.as_os_str().len().to_string();
    both_say(&place, socket.to_str().unwrap(), &[&length, "103", "CLADA_SOCKET"]);
    assert!(!folder.exists());
}

#[test]
fn a_relative_path_is_refused() {
    let place = Place::new();
    both_say(&place, "v1.sock", &["absolute"]);
}

#[test]
fn a_file_in_place_of_the_socket_is_left_alone() {
    let place = Place::new();
    std::fs::write(place.socket(), "precious").unwrap();
    let socket = place.socket();
    both_say(&place, socket.to_str().unwrap(), &["is not a socket"]);
    assert_eq!(std::fs::read_to_string(socket).unwrap(), "precious");
}
