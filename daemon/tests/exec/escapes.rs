//! Ways out of a sandbox that were found once, each as it was tried.
#![cfg(target_os = "linux")]

use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use clada_exec::{Access, CommandSpec, Ended, ExecError, Network, Sandbox};

use crate::place::Place;

/// A spec of a script in an enclosure.
fn enclosed(place: &Place, script: &str) -> CommandSpec {
    let mut spec = place.script(script);
    spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
    spec
}

/// The sandboxes that work here, and a word on those that do not.
fn working(place: &Place) -> Vec<Sandbox> {
    let works = |sandbox: &Sandbox| match place.runner.trial(*sandbox) {
        Ok(()) => true,
        Err(reason) => {
            println!("{} does not work here: {reason}", sandbox.name());
            false
        }
    };
    [Sandbox::Bubblewrap, Sandbox::Landlock].into_iter().filter(works).collect()
}

/// The path as it is from this process's own folder, which is how a relative name comes about.
fn relative(path: &Path) -> std::path::PathBuf {
    let here = std::env::current_dir().unwrap();
    let up = here.components().skip(1).map(|_| "..");
    up.collect::<std::path::PathBuf>().join(path.strip_prefix("/").unwrap())
}

#[test]
fn regression_a_socket_is_reached_by_none_of_its_names() {
    let place = Place::new();
    place.copy_probe();
    for folder in ["outside/a", "outside/b"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    let bind = |name: &str| UnixListener::bind(place.path(name)).unwrap();
    let listeners = [
        bind("outside/plain"),
        bind("outside/a/s"),
        bind("outside/a/t"),
        bind("outside/u"),
        bind("root/own"),
    ];
    std::fs::rename(place.path("outside/a/s"), place.path("outside/b/s")).unwrap();
    std::fs::rename(place.path("outside/a/t"), place.path("outside/a/beside")).unwrap();
    std::fs::hard_link(place.path("outside/u"), place.path("outside/b/u")).unwrap();
    std::fs::hard_link(place.path("outside/u"), place.path("root/linked")).unwrap();
    let short = tempfile::Builder::new().prefix("clada").tempdir_in(place.path("outside")).unwrap();
    let by_relative = UnixListener::bind(relative(&short.path().join("r"))).unwrap();
    let names = [
        "outside/plain",
        "outside/b/s",
        "outside/a/beside",
        "outside/u",
        "outside/b/u",
        "root/own",
        "root/linked",
    ];
    let mut tried: Vec<_> = names.iter().map(|name| place.path(name)).collect();
    tried.push(short.path().join("r"));
    for path in &tried {
        std::os::unix::net::UnixStream::connect(path).unwrap();
    }
    for sandbox in working(&place) {
        for (path, network) in tried.iter().flat_map(|path| [(path, Network::Off), (path, Network::On)]) {
            let mut spec = place.probe(&format!("unix:{}", path.display()));
            spec.enclosure.as_mut().unwrap().network = network;
            let outcome = place.run_in(&spec, sandbox).unwrap();
            assert!(
                matches!(outcome.ended, Ended::Exited(1..)),
                "{} under {sandbox:?}: {outcome:?}",
                path.display()
            );
        }
    }
    drop((listeners, by_relative));
}

#[test]
fn regression_folders_of_services_are_empty() {
    let place = Place::new();
    let known = ["current-system", "booted-system", "wrappers", "opengl-driver", "systemd"];
    let resolver = std::fs::canonicalize("/etc/resolv.conf").unwrap_or_default();
    if working(&place).contains(&Sandbox::Bubblewrap) {
        let outcome = place.run_in(
            &enclosed(&place, "ls -A /run; ls -A /run/systemd 2>/dev/null | sed s,^,systemd/,"),
            Sandbox::Bubblewrap,
        );
        let listed = outcome.unwrap().stdout.text;
        let fine = |name: &str| {
            known.contains(&name)
                || name == "systemd/resolve"
                || resolver.starts_with(Path::new("/run").join(name))
        };
        assert!(listed.lines().all(fine), "{listed}");
    }
}

#[test]
fn regression_nothing_of_the_machine_opens_for_writing() {
    let place = Place::new();
    place.copy_probe();
    for sandbox in working(&place) {
        let outcome = place.run_in(&place.probe("settings:"), sandbox).unwrap();
        let opened: Vec<&str> =
            outcome.stdout.text.lines().filter_map(|line| line.strip_prefix("opened ")).collect();
        assert!(
            opened.is_empty(),
            "{sandbox:?}: {} files, {:?}",
            opened.len(),
            &opened[..opened.len().min(20)]
        );
        let looked = outcome.stdout.text.lines().find_map(|line| line.strip_prefix("looked at "));
        assert!(looked.is_some_and(|count| count.parse::<u32>().unwrap() > 100), "{outcome:?}");
    }
}

#[test]
fn regression_root_works_as_the_user_of_the_project() {
    let place = Place::new();
    if !rustix::process::geteuid().is_root() {
        println!("only root becomes another user");
        return;
    }
    for sandbox in working(&place) {
        let tar = place.run_in(&enclosed(&place, "id -u; echo $TAR_OPTIONS"), sandbox).unwrap();
        assert_eq!(tar.stdout.text, "0\n--no-same-owner\n", "{sandbox:?}: {tar:?}");
    }
    if !place.open_to_others() {
        return;
    }
    std::os::unix::fs::chown(place.path("root"), Some(1000), Some(1001)).unwrap();
    for sandbox in working(&place) {
        let script = "id -u; id -g; id -G; echo x > made; cat $SCRATCH/code";
        let mut spec = enclosed(&place, script);
        let scratch = place.runner.scratch().unwrap();
        scratch.put("code", b"code").unwrap();
        spec.environment.push(("SCRATCH".into(), scratch.path().into()));
        let outcome = place.run_with(&spec, sandbox, &scratch).unwrap();
        assert_eq!(outcome.stdout.text, "1000\n1001\n1001\ncode", "{sandbox:?}: {outcome:?}");
        let made = std::fs::metadata(place.path("root/made")).unwrap();
        assert_eq!((made.uid(), made.gid()), (1000, 1001), "{sandbox:?}");
        std::fs::remove_file(place.path("root/made")).unwrap();
    }
}

#[test]
fn regression_a_sandbox_that_cannot_hold_a_command_runs_none() {
    let place = Place::new();
    let script = "echo x > ../outside/ran";
    let mut tried =
        vec![(place.script(script), Sandbox::SandboxExec), (enclosed(&place, script), Sandbox::SandboxExec)];
    tried.extend([Sandbox::Landlock, Sandbox::Bubblewrap].map(|sandbox| (place.script(script), sandbox)));
    for (spec, sandbox) in tried {
        let refused = place.run_in(&spec, sandbox);
        assert!(matches!(refused, Err(ExecError::Unenclosed { .. })), "{sandbox:?}: {refused:?}");
    }
    assert!(!place.path("outside/ran").exists());
}

/// A socket in a folder that its user cannot enter is no reason for a command not to start.
#[test]
fn regression_sockets_that_nobody_can_reach_keep_no_command_from_running() {
    use std::os::unix::fs::{PermissionsExt, chown};

    let place = Place::new();
    if !rustix::process::geteuid().is_root() || !working(&place).contains(&Sandbox::Bubblewrap) {
        println!("only root runs commands as another user, in bubblewrap");
        return;
    }
    if !place.open_to_others() {
        return;
    }
    chown(place.path("root"), Some(1000), Some(1000)).unwrap();
    std::fs::create_dir(place.path("outside/barred")).unwrap();
    let _listener = UnixListener::bind(place.path("outside/barred/s")).unwrap();
    std::fs::create_dir_all(place.path("outside/barred/hidden")).unwrap();
    std::fs::set_permissions(place.path("outside/barred"), PermissionsExt::from_mode(0o700)).unwrap();
    let mut spec = enclosed(&place, "id -u");
    spec.enclosure.as_mut().unwrap().hidden.push(place.path("outside/barred/hidden"));
    let outcome = place.run_in(&spec, Sandbox::Bubblewrap).unwrap();
    assert_eq!(outcome.stdout.text, "1000\n", "{outcome:?}");
}

#[test]
fn regression_why_there_are_no_sockets_is_told() {
    let place = Place::new();
    if !working(&place).contains(&Sandbox::Bubblewrap) {
        return;
    }
    let gone = place.path("outside/gone");
    std::fs::create_dir(&gone).unwrap();
    let _listener = UnixListener::bind(gone.join("s")).unwrap();
    std::fs::remove_dir_all(&gone).unwrap();
    let outcome = place.run_in(&enclosed(&place, "true"), Sandbox::Bubblewrap).unwrap();
    // Another test may have one as well.
    let why = outcome.no_sockets.unwrap();
    assert!(why.starts_with("no sockets with names, since '"), "{why}");
}
