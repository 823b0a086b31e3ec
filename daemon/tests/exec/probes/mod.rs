//! What a sandbox refuses: each probe is tried in each sandbox that works here, and the table of it is printed.
//!
//! Without a sandbox a probe has to succeed: one that fails in any case would prove nothing. Of those that some machines or
//! users are refused in any case, it is not asked.
#![cfg(target_os = "linux")]

mod attempt;
mod files;
mod kernel;
mod outside;
mod processes;
mod sockets;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use clada_exec::{Access, CommandSpec, Ended, Network, Sandbox};

use crate::place::{FOLDER, PROGRAM, Place, others_may_enter};
pub(crate) use outside::state;
use outside::{Outside, fill};

/// Something that is tried.
pub(super) struct Probe {
    /// In words.
    what: &'static str,
    /// A script in the root; the variables are those of [`Outside::variables`], and `probe` is [`attempt`].
    script: &'static str,
    bubblewrap: Answer,
    landlock: Answer,
    alone: Alone,
}

/// What a sandbox does about a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Refuses,
    /// It cannot tell this from what is granted, or does not see it.
    Allows(&'static str),
    /// Depends on the kernel's version.
    Depends(&'static str),
}

/// What becomes of a probe without a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alone {
    Succeeds,
    /// Depends on the machine, and on who runs it.
    Depends,
}

const fn probe(what: &'static str, script: &'static str) -> Probe {
    Probe { what, script, bubblewrap: Answer::Refuses, landlock: Answer::Refuses, alone: Alone::Succeeds }
}

impl Probe {
    const fn landlock_allows(mut self, why: &'static str) -> Probe {
        self.landlock = Answer::Allows(why);
        self
    }

    const fn landlock_depends(mut self, on: &'static str) -> Probe {
        self.landlock = Answer::Depends(on);
        self
    }

    const fn allowed(mut self, why: &'static str) -> Probe {
        self.bubblewrap = Answer::Allows(why);
        self.landlock_allows(why)
    }

    const fn by_machine(mut self) -> Probe {
        self.alone = Alone::Depends;
        self
    }

    /// Returns whether it has to be refused in `sandbox`, for files in `place`; `None` if that cannot be said.
    fn expected(&self, sandbox: Sandbox, place: &Place) -> Option<bool> {
        let answer = match sandbox {
            Sandbox::None => return (self.alone == Alone::Succeeds).then_some(false),
            Sandbox::Landlock => self.landlock,
            Sandbox::Bubblewrap | Sandbox::SandboxExec => self.bubblewrap,
        };
        match answer {
            Answer::Refuses => Some(true),
            // Sandboxes hide the folders of temporary files: what they allow elsewhere is refused to a place in them.
            Answer::Allows(_) if place.is_temporary() => None,
            Answer::Allows(_) => (self.alone == Alone::Succeeds).then_some(false),
            Answer::Depends(_) => None,
        }
    }
}

/// Every probe, by theme.
const THEMES: [(&str, &[Probe]); 4] = [
    ("Files", files::LIST),
    ("Processes and namespaces", processes::LIST),
    ("The machine", kernel::LIST),
    ("Services and networks", sockets::LIST),
];

/// What still has to work.
const NEEDED: &[(&str, &str)] = &[
    ("make a file in the root", "echo x > new && grep x new"),
    ("change a file of the root", "echo y >> file && chmod 600 file && mv file other && rm other"),
    ("make folders in the root", "mkdir -p a/b && echo x > a/b/c && rm -r a"),
    (
        "move between folders of the root",
        "mkdir a b && echo x > a/c && mv a/c b/d && ln b/d a/e && grep x a/e",
    ),
    ("make programs of the root run", "printf '#!/bin/sh\\necho x' > own && chmod 755 own && ./own | grep x"),
    ("use pipes of the root", "mkfifo p && (echo x > p &) && grep x p"),
    ("read a file of the system", "grep -q root /etc/passwd"),
    ("use temporary files", "new=$(mktemp) && echo x > \"$new\" && ls \"$TMPDIR\" && rm \"$new\""),
    ("change a folder that the person has named", "echo x > $CACHE/new"),
    ("use devices", "head -c 9 /dev/urandom > /dev/null"),
    ("start processes and wait for them", "(exit 0) | cat && sh -c 'sleep 0 & wait'"),
    ("look at what it runs itself", "ls /proc/self/fd && grep . /proc/self/status && kill -0 $$"),
    ("know the processors", "nproc && ls /sys/devices/system/cpu"),
    ("use connected sockets", "probe pair"),
];

/// The sandboxes, and why one does not work.
fn sandboxes(place: &Place) -> Vec<(Sandbox, Result<(), String>)> {
    let tried = |sandbox| match sandbox {
        Sandbox::None => (sandbox, Ok(())),
        _ => (sandbox, place.runner.trial(sandbox)),
    };
    let all: Vec<_> = [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap].map(tried).into();
    for (sandbox, reason) in all.iter().filter_map(|(sandbox, works)| Some((sandbox, works.as_ref().err()?)))
    {
        println!("{} does not work here: {reason}", sandbox.name());
    }
    all
}

/// The script with what it needs, in an enclosure.
fn spec(place: &Place, outside: &Outside, script: &str) -> CommandSpec {
    let mut spec = place
        .script(&format!("probe() {{ CLADA_PROBE=$1 ./probe --exact probes::attempt::attempt; }}; {script}"));
    spec.environment.extend(outside.variables(place));
    let mut enclosure = place.enclosure(Access::Change, Network::Off);
    enclosure.writable.push(place.path("cache"));
    enclosure.hidden.push(place.path("outside/hidden-file"));
    spec.enclosure = Some(enclosure);
    spec
}

/// Whether a script ended well, and how it ended in words. Landlock cannot hide a file of the root alone.
fn succeeds(place: &Place, outside: &Outside, script: &str, sandbox: Sandbox) -> (bool, Ended, String) {
    let mut spec = spec(place, outside, script);
    if let (Sandbox::Bubblewrap, Some(enclosure)) = (sandbox, &mut spec.enclosure) {
        enclosure.hidden.push(place.path("root/root-secret"));
    }
    let outcome = place.run_in(&spec, sandbox).unwrap();
    let said = format!("{:?} {} {}", outcome.ended, outcome.stdout.text.trim(), outcome.stderr.text.trim());
    (outcome.ended == Ended::Exited(0), outcome.ended, said.chars().take(2000).collect())
}

#[test]
fn every_probe_is_refused() {
    let place = Place::new();
    let outside = Outside::new(&place);
    place.copy_probe();
    let tried = sandboxes(&place);
    let mut wrong = Vec::new();
    println!("{:60}{:>12}{:>12}{:>12}", "tried", "none", "landlock", "bubblewrap");
    // As another user a part of them does, where all are tried as root.
    let step =
        if std::env::var_os("CLADA_TEST_PROGRAM").is_some() { clada_test_extent::cases(5, 1) } else { 1 };
    for probe in THEMES.iter().flat_map(|(_, list)| list.iter()).step_by(step) {
        let mut line = format!("{:60}", probe.what);
        let mut changing = false;
        for (sandbox, works) in &tried {
            if works.is_err() || line.contains("no program") {
                line.push_str(&format!("{:>12}", "not run"));
                continue;
            }
            fill(&place);
            let before = state(&place.path("outside"));
            let (succeeded, ended, said) = succeeds(&place, &outside, probe.script, *sandbox);
            let in_tmp = Path::new("/tmp").join(place.mark());
            let touched = state(&place.path("outside")) != before || in_tmp.exists();
            let _ = std::fs::remove_file(in_tmp);
            // Without the program that tries it, nothing is tried.
            if *sandbox == Sandbox::None && ended == Ended::Exited(127) {
                line.push_str(&format!("{:>12}", "no program"));
                continue;
            }
            // A change that a sandbox keeps to itself has not happened.
            changing |= *sandbox == Sandbox::None && touched;
            let refused = if changing { !touched } else { !succeeded };
            line.push_str(&format!("{:>12}", if refused { "refused" } else { "done" }));
            let expected = probe.expected(*sandbox, &place);
            if expected.is_some_and(|expected| expected != refused) {
                wrong.push(format!("{} under {sandbox:?}: {said}", probe.what));
            }
            if expected == Some(true) && touched {
                wrong.push(format!("{} under {sandbox:?} changed something outside", probe.what));
            }
        }
        println!("{line}");
    }
    for (what, script) in NEEDED {
        for (sandbox, _) in tried.iter().filter(|(_, works)| works.is_ok()) {
            fill(&place);
            let (succeeded, _, said) = succeeds(&place, &outside, script, *sandbox);
            if !succeeded {
                wrong.push(format!("{what} has to work under {sandbox:?}: {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same as a user who is not root, if root runs the tests.
#[test]
fn every_probe_is_refused_to_other_users() {
    if !rustix::process::geteuid().is_root() {
        println!("the other test is run as a user who is not root");
        return;
    }
    let within = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if !others_may_enter(within) {
        return;
    }
    let folder = tempfile::Builder::new().prefix("clada-user").tempdir_in(within).unwrap();
    std::os::unix::fs::chown(folder.path(), Some(1000), Some(1000)).unwrap();
    let copy = |from: &Path, name: &str| -> PathBuf {
        let to = folder.path().join(name);
        assert!(Command::new("cp").arg(from).arg(&to).status().unwrap().success());
        to
    };
    let test = copy(&std::env::current_exe().unwrap(), "test");
    let program = copy(Path::new(PROGRAM), "clada-daemon");
    let ran = Command::new("setpriv")
        .args(["--reuid", "1000", "--regid", "1000", "--clear-groups"])
        .arg(test)
        .args(["--exact", "probes::every_probe_is_refused", "--nocapture"])
        .env(FOLDER, folder.path())
        .env("CLADA_TEST_PROGRAM", program)
        .env("HOME", folder.path())
        .env("TMPDIR", folder.path())
        .current_dir(folder.path())
        .output();
    match ran {
        Err(error) => println!("cannot become another user: {error}"),
        // The folder of the tests lies where nobody else may go.
        Ok(ran) if ran.status.code() == Some(127) || ran.status.code() == Some(126) => {
            println!("another user cannot start the test: {}", String::from_utf8_lossy(&ran.stderr));
        }
        Ok(ran) => {
            println!("{}", String::from_utf8_lossy(&ran.stdout));
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        }
    }
}

/// The table of the documentation, which is made from the same list. `CLADA_BLESS=1` writes it.
#[test]
fn the_table_of_the_documentation_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/containment.md");
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let mark = "<!-- The rest is made by daemon/tests/exec/probes from its lists. -->\n";
    let begin = known.find(mark).map_or(known.len(), |at| at + mark.len());
    let made = format!("{}{}", &known[..begin], table());
    if std::env::var_os("CLADA_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), made, "CLADA_BLESS=1 writes it again");
    let count: usize = THEMES.iter().map(|(_, list)| list.len()).sum();
    assert!(count >= 130, "{count} probes");
}

fn table() -> String {
    let mut text = String::new();
    let mut reasons: Vec<&str> = Vec::new();
    for (theme, list) in THEMES {
        let _ = writeln!(text, "\n## {theme}\n\n| tried | bubblewrap | Landlock |\n| --- | --- | --- |");
        for probe in list {
            let mut cell = |answer: Answer| match answer {
                Answer::Refuses => "refused".to_owned(),
                Answer::Allows(why) => {
                    let number = reasons.iter().position(|reason| *reason == why).unwrap_or(reasons.len());
                    if number == reasons.len() {
                        reasons.push(why);
                    }
                    format!("**possible** ({})", number + 1)
                }
                Answer::Depends(on) => format!("refused {on}"),
            };
            let _ =
                writeln!(text, "| {} | {} | {} |", probe.what, cell(probe.bubblewrap), cell(probe.landlock));
        }
    }
    text.push_str("\n## Why it is possible\n\n");
    for (number, reason) in (1..).zip(reasons) {
        let _ = writeln!(text, "{number}. {reason}.");
    }
    text
}
