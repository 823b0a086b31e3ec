//! What commands in a sandbox find, and what they leave behind.
#![cfg(target_os = "linux")]

use clada_exec::{Access, Ended, Network, Sandbox};

use crate::place::Place;
use crate::probes::state;

/// The places that are kept free leave no trace in the project.
#[test]
fn a_sandbox_leaves_the_tree_as_it_was() {
    let place = Place::new();
    for sandbox in [Sandbox::Landlock, Sandbox::Bubblewrap] {
        if place.runner.trial(sandbox).is_err() {
            continue;
        }
        let mut spec = place.script("ls -A; test ! -w .git");
        spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let outcome = place.run_in(&spec, sandbox).unwrap();
        assert_eq!(outcome.ended, Ended::Exited(0), "{sandbox:?}: {outcome:?}");
        assert_eq!(std::fs::read_dir(place.path("root")).unwrap().count(), 0, "{sandbox:?}");
        assert_eq!(std::fs::read_dir(place.path("temporary")).unwrap().count(), 0, "{sandbox:?}");
    }
}

/// What Landlock cannot prevent is at least told.
#[test]
fn a_planted_hook_is_noticed() {
    let place = Place::new();
    for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
        if sandbox != Sandbox::None && place.runner.trial(sandbox).is_err() {
            continue;
        }
        let _ = std::fs::remove_dir_all(place.path("root/.git"));
        let mut spec = place.script("mkdir -p .git/hooks; echo x > .git/hooks/pre-commit");
        spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let touched = place.run_in(&spec, sandbox).unwrap().touched;
        let hook = place.path("root/.git/hooks/pre-commit");
        let expected = if sandbox == Sandbox::Bubblewrap { vec![] } else { vec![hook] };
        assert_eq!(touched.paths, expected, "{sandbox:?}");
    }
}

#[test]
fn what_only_reads_changes_nothing_in_the_root() {
    let place = Place::new();
    std::fs::write(place.path("root/file"), "text").unwrap();
    for sandbox in [Sandbox::Landlock, Sandbox::Bubblewrap] {
        if place.runner.trial(sandbox).is_err() {
            continue;
        }
        for script in
            ["echo x > new", "echo x >> file", "rm file", "chmod 777 file", "touch -d 2001-01-01 file"]
        {
            let mut spec = place.script(&format!("cat file && {script}"));
            spec.enclosure = Some(place.enclosure(Access::Read, Network::Off));
            let before = state(&place.path("root"));
            let outcome = place.run_in(&spec, sandbox).unwrap();
            assert_eq!(outcome.stdout.text, "text", "{sandbox:?}");
            assert!(matches!(outcome.ended, Ended::Exited(1..)), "{script} under {sandbox:?}");
            assert_eq!(state(&place.path("root")), before, "{script} under {sandbox:?}");
        }
    }
}

/// Whoever the daemon runs as: in a sandbox nobody is root, whose privileges could undo every rule of it.
#[test]
fn a_sandbox_has_no_privileges() {
    let place = Place::new();
    for sandbox in [Sandbox::Landlock, Sandbox::Bubblewrap] {
        if place.runner.trial(sandbox).is_err() {
            continue;
        }
        let mut spec = place.script("grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)' /proc/self/status");
        spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let text = place.run_in(&spec, sandbox).unwrap().stdout.text;
        let found: Vec<&str> = text.split_ascii_whitespace().collect();
        let none = "0000000000000000";
        let expected =
            ["CapInh:", none, "CapPrm:", none, "CapEff:", none, "CapAmb:", none, "NoNewPrivs:", "1"];
        assert_eq!(found, expected, "{sandbox:?}");
    }
}

#[test]
fn a_network_can_be_granted() {
    let place = Place::new();
    place.copy_probe();
    let network = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.path("outside/socket")).unwrap();
    let reached = format!("tcp:{}", network.local_addr().unwrap());
    let refused = format!("unix:{}", place.path("outside/socket").display());
    for sandbox in [Sandbox::Landlock, Sandbox::Bubblewrap] {
        if place.runner.trial(sandbox).is_err() {
            continue;
        }
        for (script, expected) in [(&reached, true), (&refused, false)] {
            let mut spec = place.probe(script);
            spec.enclosure.as_mut().unwrap().network = Network::On;
            let outcome = place.run_in(&spec, sandbox).unwrap();
            assert_eq!(
                outcome.ended == Ended::Exited(0),
                expected,
                "{script} under {sandbox:?}: {outcome:?}"
            );
        }
    }
}

#[test]
fn what_cannot_be_protected_is_an_error() {
    let place = Place::new();
    if place.runner.trial(Sandbox::Bubblewrap).is_err() {
        println!("bubblewrap does not work here");
        return;
    }
    std::os::unix::fs::symlink(place.path("outside"), place.path("root/.git")).unwrap();
    let mut spec = place.script("true");
    spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
    let error = place.run_in(&spec, Sandbox::Bubblewrap).unwrap_err().to_string();
    assert!(error.contains(".git' cannot be protected") && error.contains("symbolic link"), "{error}");
}
