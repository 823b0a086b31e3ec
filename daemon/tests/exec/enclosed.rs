//! What a sandbox refuses: each probe is tried in each sandbox that works here, and the table of it is printed.
//!
//! Without a sandbox every probe has to succeed: one that fails in any case would prove nothing. Of the few that some machines
//! refuse by themselves, the table says so.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use clada_daemon::exec::{Access, Ended, Network, Order, Sandbox};

use crate::place::Place;

/// What Landlock does about a probe; bubblewrap refuses every one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Landlock {
    Refuses,
    /// It cannot tell this from what is granted, or does not see it.
    Allows,
    /// Depends on the kernel's version.
    Depends,
}

use Landlock::{Allows, Depends, Refuses};

/// What is tried, by a script in the root; `$OUT` is a folder outside, `$PID` a process outside, `$PROBE` this program.
const PROBES: &[(&str, &str, Landlock)] = &[
    ("make a file outside", "echo x > $OUT/new", Refuses),
    ("write to a file outside", "echo x >> $OUT/file", Refuses),
    ("empty a file outside", ": > $OUT/file", Refuses),
    ("empty a file outside by its path", "truncate -s 0 $OUT/file", Refuses),
    ("rename a file outside", "mv $OUT/file $OUT/renamed", Refuses),
    ("move a file of the root outside", "echo x > own; mv own $OUT/own", Refuses),
    ("move a file from outside into the root", "mv $OUT/file taken", Refuses),
    ("delete a file outside", "rm $OUT/file", Refuses),
    ("delete a folder outside", "rmdir $OUT/empty", Refuses),
    ("write through a symbolic link", "ln -s $OUT link; echo x > link/new", Refuses),
    ("write through a hard link", "ln $OUT/file hard && echo x >> hard", Refuses),
    ("chmod outside", "chmod 700 $OUT/file", Allows),
    ("utimes outside", "touch -d 2001-01-01 $OUT/file", Allows),
    ("list a hidden folder", "ls $OUT/hidden | grep key", Refuses),
    ("read in a hidden folder", "grep secret $OUT/hidden/key", Refuses),
    ("read a hidden folder by another name", "grep secret $OUT/way/key", Refuses),
    ("write .git/hooks", "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", Allows),
    ("move .git away", "mkdir -p .git && mv .git .git2 && mkdir .git", Allows),
    ("write .clada/config.yaml", "mkdir -p .clada; echo x > .clada/config.yaml", Allows),
    ("delete .clada", "mkdir -p .clada && rm -r .clada", Allows),
    ("signal a process outside", "kill -0 $PID", Depends),
    ("read the environment of a process outside", "grep -q OUTSIDE /proc/$PID/environ", Refuses),
    ("read the folder of a process outside", "ls /proc/$PID/cwd/", Refuses),
    ("connect to a socket outside", "$PROBE unix:$OUT/socket", Refuses),
    ("connect to a socket in a hidden folder", "$PROBE unix:$OUT/hidden/socket", Refuses),
    ("connect to an abstract socket", "$PROBE abstract:$ABSTRACT", Refuses),
    ("connect to this machine over the network", "$PROBE tcp:127.0.0.1:$PORT", Refuses),
    ("make a socket of a virtual machine", "$PROBE vsock", Refuses),
    ("write outside as root of a new namespace", "unshare -Ur sh -c 'echo x >> $OUT/file'", Refuses),
    ("keep what is in /tmp", "echo x > /tmp/$NAME", Refuses),
];

/// Probes that a machine may refuse by itself: a container without namespaces of users, or without such sockets.
const REFUSED_BY_SOME: &[&str] =
    &["write outside as root of a new namespace", "make a socket of a virtual machine"];

/// What still has to work.
const NEEDED: &[(&str, &str)] = &[
    ("make a file in the root", "echo x > new && grep x new"),
    ("change a file of the root", "echo y >> file && chmod 600 file && mv file other && rm other"),
    ("make folders in the root", "mkdir -p a/b && echo x > a/b/c && rm -r a"),
    ("read a file of the system", "grep -q root /etc/passwd"),
    ("use temporary files", "echo x > $(mktemp) && ls \"$TMPDIR\""),
    ("change a folder that the person has named", "echo x > $CACHE/new"),
    ("use devices", "head -c 9 /dev/urandom > /dev/null"),
    ("start processes and wait for them", "(exit 0) | cat && sh -c 'sleep 0 & wait'"),
    ("use connected sockets", "$PROBE pair"),
];

/// Processes and sockets outside.
struct Outside {
    process: Child,
    _sockets: Vec<UnixListener>,
    network: std::net::TcpListener,
}

impl Outside {
    fn new(place: &Place) -> Outside {
        let bind = |name: &str| UnixListener::bind(place.path(name)).unwrap();
        let address = SocketAddr::from_abstract_name(place.mark()).unwrap();
        fill(place);
        Outside {
            process: Command::new("/bin/sleep")
                .arg("1000")
                .env("OUTSIDE", "1")
                .current_dir(place.path("outside"))
                .stdin(Stdio::null())
                .spawn()
                .unwrap(),
            _sockets: vec![bind("outside/socket"), UnixListener::bind_addr(&address).unwrap(), {
                std::fs::create_dir(place.path("outside/hidden")).unwrap();
                std::fs::write(place.path("outside/hidden/key"), "secret").unwrap();
                bind("outside/hidden/socket")
            }],
            network: std::net::TcpListener::bind("127.0.0.1:0").unwrap(),
        }
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Puts the root and the folder outside back as they were at first, but for what is hidden.
fn fill(place: &Place) {
    let outside = place.path("outside");
    for folder in [place.path("root"), outside.clone(), place.path("cache")] {
        let _ = std::fs::create_dir(&folder);
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let kept = ["hidden", "socket", "probe"].iter().any(|name| entry.file_name() == *name);
            match entry.file_type().unwrap() {
                _ if kept => {}
                kind if kind.is_dir() => std::fs::remove_dir_all(entry.path()).unwrap(),
                _ => std::fs::remove_file(entry.path()).unwrap(),
            }
        }
    }
    std::fs::write(outside.join("file"), "x\n").unwrap();
    std::fs::create_dir(outside.join("empty")).unwrap();
    std::os::unix::fs::symlink(outside.join("hidden"), outside.join("way")).unwrap();
    std::fs::write(place.path("root/file"), "x\n").unwrap();
}

fn order(place: &Place, outside: &Outside, script: &str) -> Order {
    let mut order = place.script(script);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let probe = place.path("root/probe");
    place.copy_probe();
    let named = [
        ("OUT", text(&place.path("outside"))),
        ("CACHE", text(&place.path("cache"))),
        ("PID", outside.process.id().to_string()),
        ("PORT", outside.network.local_addr().unwrap().port().to_string()),
        ("ABSTRACT", place.mark()),
        ("NAME", place.mark()),
        ("TMPDIR", "/tmp".to_owned()),
    ];
    order.environment.extend(named.map(|(name, value)| (name.into(), value.into())));
    let probing = "probe() { CLADA_PROBE=$1 $P --exact enclosed::probe; }";
    order.environment.push(("P".into(), probe.into()));
    order.arguments[1] = format!("{probing}; {}", script.replace("$PROBE", "probe")).into();
    let mut enclosure = place.enclosure(Access::Change, Network::Off);
    enclosure.writable.push(place.path("cache"));
    order.enclosure = Some(enclosure);
    order
}

/// Not a test of its own: what the probes run, with what to try in a variable.
#[test]
fn probe() {
    let Some(asked) = std::env::var_os("CLADA_PROBE") else { return };
    let asked = asked.into_string().unwrap();
    match asked.split_once(':').unwrap_or((&asked, "")) {
        ("unix", path) => drop(UnixStream::connect(path).unwrap()),
        ("abstract", name) => {
            let address = SocketAddr::from_abstract_name(name).unwrap();
            drop(UnixStream::connect_addr(&address).unwrap());
        }
        ("tcp", address) => drop(std::net::TcpStream::connect(address).unwrap()),
        ("vsock", _) => {
            let made =
                rustix::net::socket(rustix::net::AddressFamily::VSOCK, rustix::net::SocketType::STREAM, None);
            // Refused by the sandbox, or not known to the kernel.
            assert_ne!(made.err(), Some(rustix::io::Errno::PERM));
        }
        ("pair", _) => {
            let (mut one, _other) = UnixStream::pair().unwrap();
            one.write_all(b"x").unwrap();
        }
        ("settings", _) => open_settings(),
        (other, _) => panic!("nothing to try is called {other}"),
    }
}

/// Opens everything below `/proc` and `/sys` for writing, but what is a process's own; writes nothing.
fn open_settings() {
    let is_own = |path: &Path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        path.parent() == Some(Path::new("/proc")) && name.iter().all(u8::is_ascii_digit)
    };
    let mut open = vec![Path::new("/proc").to_owned(), Path::new("/sys").to_owned()];
    let mut count = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            match kind {
                Ok(kind) if kind.is_dir() && !is_own(&path) => open.push(path),
                Ok(kind) if kind.is_file() => {
                    count += 1;
                    let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
                    if rustix::fs::open(&path, flags, rustix::fs::Mode::empty()).is_ok() {
                        println!("opened {}", path.display());
                    }
                }
                _ => {}
            }
        }
    }
    println!("looked at {count}");
}

/// Names, sizes, modes and times of what lies outside.
fn state(folder: &Path) -> Vec<String> {
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| {
            let data = entry.metadata().unwrap();
            format!("{:?} {} {:o} {}", entry.file_name(), data.len(), data.mode(), data.mtime())
        })
        .collect();
    found.sort();
    found
}

fn succeeds(place: &Place, outside: &Outside, script: &str, sandbox: Sandbox) -> (bool, String) {
    let outcome = place.run_in(&order(place, outside, script), sandbox).unwrap();
    (outcome.ended == Ended::Exited(0), format!("{:?} {}", outcome.ended, outcome.stderr.text.trim()))
}

#[test]
fn every_probe_is_refused() {
    let place = Place::new();
    let outside = Outside::new(&place);
    let tried = [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap].map(|sandbox| {
        let works = if sandbox == Sandbox::None { Ok(()) } else { place.runner.trial(sandbox) };
        (sandbox, works)
    });
    let mut wrong = Vec::new();
    println!("{:48}{:>14}{:>14}{:>14}", "tried", "none", "landlock", "bubblewrap");
    for (what, script, landlock) in PROBES {
        let mut line = format!("{what:48}");
        let mut changing = false;
        for (sandbox, works) in &tried {
            if works.is_err() {
                line.push_str(&format!("{:>14}", "not run"));
                continue;
            }
            fill(&place);
            let before = state(&place.path("outside"));
            let (succeeded, said) = succeeds(&place, &outside, script, *sandbox);
            let in_tmp = Path::new("/tmp").join(place.mark());
            let touched = state(&place.path("outside")) != before || in_tmp.exists();
            let _ = std::fs::remove_file(in_tmp);
            // A change that a sandbox keeps to itself has not happened.
            changing |= *sandbox == Sandbox::None && touched;
            let refused = if changing { !touched } else { !succeeded };
            line.push_str(&format!("{:>14}", if refused { "refused" } else { "done" }));
            let expected = match (sandbox, landlock) {
                (Sandbox::None, _) if REFUSED_BY_SOME.contains(what) => None,
                (Sandbox::None, _) | (Sandbox::Landlock, Allows) => Some(false),
                (Sandbox::Landlock, Depends) => None,
                _ => Some(true),
            };
            if expected.is_some_and(|expected| expected != refused) {
                wrong.push(format!("{what} under {sandbox:?}: {said}"));
            }
            if expected == Some(true) && touched {
                wrong.push(format!("{what} under {sandbox:?} changed something outside"));
            }
        }
        println!("{line}");
    }
    for (what, script) in NEEDED {
        let mut line = format!("{what:48}");
        for (sandbox, works) in &tried {
            if works.is_err() {
                line.push_str(&format!("{:>14}", "not run"));
                continue;
            }
            fill(&place);
            let (succeeded, said) = succeeds(&place, &outside, script, *sandbox);
            line.push_str(&format!("{:>14}", if succeeded { "works" } else { "FAILS" }));
            if !succeeded {
                wrong.push(format!("{what} under {sandbox:?}: {said}"));
            }
        }
        println!("{line}");
    }
    for (sandbox, works) in &tried {
        if let Err(reason) = works {
            println!("{} does not work here: {reason}", sandbox.name());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The places that are kept free leave no trace in the project.
#[test]
fn a_sandbox_leaves_the_tree_as_it_was() {
    let place = Place::new();
    for sandbox in [Sandbox::Landlock, Sandbox::Bubblewrap] {
        if place.runner.trial(sandbox).is_err() {
            continue;
        }
        let mut order = place.script("ls -A; test ! -w .git");
        order.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let outcome = place.run_in(&order, sandbox).unwrap();
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
        let mut order = place.script("mkdir -p .git/hooks; echo x > .git/hooks/pre-commit");
        order.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let touched = place.run_in(&order, sandbox).unwrap().touched;
        let hook = place.path("root/.git/hooks/pre-commit");
        let expected = if sandbox == Sandbox::Bubblewrap { vec![] } else { vec![hook] };
        assert_eq!(touched, expected, "{sandbox:?}");
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
            let mut order = place.script(&format!("cat file && {script}"));
            order.enclosure = Some(place.enclosure(Access::Read, Network::Off));
            let before = state(&place.path("root"));
            let outcome = place.run_in(&order, sandbox).unwrap();
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
        let mut order = place.script("grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)' /proc/self/status");
        order.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let text = place.run_in(&order, sandbox).unwrap().stdout.text;
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
    let outside = Outside::new(&place);
    for sandbox in [Sandbox::Landlock, Sandbox::Bubblewrap] {
        if place.runner.trial(sandbox).is_err() {
            continue;
        }
        for (script, expected) in [("$PROBE tcp:127.0.0.1:$PORT", true), ("$PROBE unix:$OUT/socket", false)] {
            let mut order = order(&place, &outside, script);
            order.enclosure.as_mut().unwrap().network = Network::On;
            let outcome = place.run_in(&order, sandbox).unwrap();
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
    let mut order = place.script("true");
    order.enclosure = Some(place.enclosure(Access::Change, Network::Off));
    let error = place.run_in(&order, Sandbox::Bubblewrap).unwrap_err().to_string();
    assert!(error.contains(".git' cannot be protected") && error.contains("symbolic link"), "{error}");
}
