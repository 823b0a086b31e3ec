//! Commands whose daemon is killed: their processes have ended before any call reads the files, so that undo
//! is exact.
//!
//! A few kills in each run of the tests; 500 of them, alongside processes that keep the machine busy, with
//! `CLADA_ALL=1 cargo test -p clada-tests --test it killed_commands -- --nocapture`.
#![cfg(target_os = "linux")]

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::commands::run;
use crate::support::World;

/// Files that a command changes, one after the other.
const FILES: u64 = 40;
const KILLS: u64 = 12;
const ALL_KILLS: u64 = 500;

/// Ways to start the script that changes the files, `{}`.
const WAYS: [&str; 6] = [
    "{}",
    "trap \"\" TERM HUP; {}",
    "setsid {} & wait",
    "(setsid {} &) ; sleep 600",
    "trap \"\" TERM HUP; (setsid {} &) ; sleep 600; sleep 600",
    "(sh -c \"trap : TERM; {} & exit 0\" &) ; {}",
];

/// Changes the files, and prints a line after each.
const SCRIPT: &str = "i=0
while [ $i -lt 40 ]; do
    echo after > f$i; rm -f g$i; echo new > new$i; echo made $i
    sleep 0.00$((i % 9)); i=$((i + 1))
done
sleep 600
";

/// The command that starts the script in one of the ways. The mark identifies its processes.
fn command(way: &str, mark: &str) -> String {
    format!("sh -c '{}'", way.replace("{}", &format!("sh work.sh {mark}")))
}

fn lay_out(world: &World) {
    world.lay("work.sh", SCRIPT);
    for number in 0..FILES {
        world.lay(&format!("f{number}"), "before\n");
        world.lay(&format!("g{number}"), "gone\n");
    }
}

/// A word that is in no other process's command line.
fn mark(world: &World) -> String {
    format!("killed-{}", world.path("").file_name().unwrap().display())
}

/// Returns the processes whose command line holds `mark`.
fn alive(mark: &str) -> Vec<String> {
    let lines = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(mark).then(|| format!("{}: {line}", entry.file_name().display()))
    });
    lines.collect()
}

fn daemon(world: &World) -> Pid {
    let pid = world.status()["pid"].as_i64().unwrap();
    Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

/// Starts `apply` of a command, and waits until it has made its change `until`.
fn begin(world: &World, command: &str, until: u64) -> Child {
    let args = ["apply", "--approve-all", "--no-git", "--timeout", "10m"];
    let mut client = world.client(&args).stdin(Stdio::piped()).spawn().unwrap();
    client.stdin.take().unwrap().write_all(run(command).text().as_bytes()).unwrap();
    let mut shown = BufReader::new(client.stdout.take().unwrap());
    let (mut line, wanted) = (String::new(), format!("made {until}"));
    while !line.trim_end().ends_with(&wanted) {
        line.clear();
        assert_ne!(shown.read_line(&mut line).unwrap(), 0, "{command}");
    }
    client
}

/// Kills the daemon and its client, which would ask the next daemon about the operation before the test does.
fn kill(daemon: Pid, mut client: Child) {
    client.kill().unwrap();
    kill_process(daemon, Signal::KILL).unwrap();
    client.wait().unwrap();
}

/// The next call after a kill finds nothing alive, and the operation is undone to the last byte.
fn assert_undone(world: &World, mark: &str, next: &[&str], told: &str) {
    let before = world.run(next, "");
    assert_eq!(alive(mark), Vec::<String>::new(), "{told}: {before:?}");
    if next != ["undo"] {
        assert_eq!(before.code, 0, "{told}: {before:?}");
        let undone = world.run(&["undo"], "");
        assert_eq!(undone.code, 0, "{told}: {before:?} {undone:?}");
    }
    assert_as_before(world, &format!("{told}: {before:?}"));
}

fn assert_as_before(world: &World, told: &str) {
    for number in 0..FILES {
        for (name, content) in [("f", "before\n"), ("g", "gone\n")] {
            let name = format!("{name}{number}");
            assert!(world.exists(&name), "{told}: {name} is gone");
            assert_eq!(world.read(&name), content, "{told}: {name}");
        }
        assert!(!world.exists(&format!("new{number}")), "{told}: {number}");
    }
}

/// Processes that keep the machine busy until they are dropped.
struct Load(Vec<Child>);

impl Load {
    fn new(count: usize) -> Load {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Load((0..count).map(|_| busy()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

#[test]
fn regression_undo_is_exact_after_the_daemon_was_killed_during_a_command() {
    let all = crate::support::all();
    let kills = if all { ALL_KILLS } else { KILLS };
    let load = Load::new(if all { 4 } else { 0 });
    let seed = RandomState::new();
    let worlds = [World::new(), World::with_config("exec:\n  sandbox: off\n")];
    worlds.iter().for_each(lay_out);
    for number in 0..kills {
        let random = seed.hash_one(number);
        let way = WAYS[usize::try_from(number).unwrap() % WAYS.len()];
        // Both sandboxes with each of the ways.
        let world = &worlds[usize::try_from(number).unwrap() / WAYS.len() % 2];
        let mark = mark(world);
        let next: &[&str] = [&["undo"][..], &["history"], &["apply", "--no-git"]][(random >> 8) as usize % 3];
        let until = random % FILES;
        let told = format!("kill {number}, {way}, after change {until}, then {next:?}");
        let process = daemon(world);
        let client = begin(world, &command(way, &mark), until);
        kill(process, client);
        match next {
            ["apply", ..] => {
                let read = world.run(next, run("cat f0").text());
                assert_eq!(alive(&mark), Vec::<String>::new(), "{told}: {read:?}");
                assert_undone(world, &mark, &["undo"], &told);
            }
            _ => assert_undone(world, &mark, next, &told),
        }
        if all && number % 50 == 49 {
            println!("{} of {kills} kills", number + 1);
        }
    }
    drop(load);
}

/// The helper of a command: the process that reads the daemon's messages, and that has the command below it.
fn helper_of(daemon: Pid) -> Pid {
    let children = format!("/proc/{0}/task", daemon.as_raw_nonzero());
    let tasks = std::fs::read_dir(children).unwrap().flatten();
    let numbers = tasks.flat_map(|task| {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        children.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()
    });
    let number = numbers.filter_map(|number| number.parse().ok()).next().unwrap();
    Pid::from_raw(number).unwrap()
}

#[test]
fn regression_what_a_command_started_is_ended_although_its_helper_was_killed_with_the_daemon() {
    for config in ["", "exec:\n  sandbox: off\n"] {
        let world = World::with_config(config);
        lay_out(&world);
        let mark = mark(&world);
        let process = daemon(&world);
        let client = begin(&world, &command(WAYS[4], &mark), 3);
        // It cannot see the end of its helper.
        kill_process(process, Signal::STOP).unwrap();
        kill_process(helper_of(process), Signal::KILL).unwrap();
        kill(process, client);
        assert_undone(&world, &mark, &["undo"], config);
    }
}

#[test]
fn regression_a_command_that_stops_its_helper_holds_up_nothing_for_long() {
    let world = World::with_config("exec:\n  sandbox: off\n");
    lay_out(&world);
    let mark = mark(&world);
    let process = daemon(&world);
    let client = begin(&world, &command(WAYS[1], &mark), 3);
    kill_process(helper_of(process), Signal::STOP).unwrap();
    kill(process, client);
    let undone = world.run(&["undo", "-v"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(undone.stderr.contains("Waiting for processes of an interrupted operation"), "{undone:?}");
    assert_eq!(alive(&mark), Vec::<String>::new());
    assert_as_before(&world, "");
}

#[test]
fn regression_what_was_cut_off_is_a_part_of_the_rest() {
    let world = World::with_config("exec:\n  sandbox: off\n");
    lay_out(&world);
    let mark = mark(&world);
    let process = daemon(&world);
    kill(process, begin(&world, &command(WAYS[0], &mark), 3));
    // By now the command's changes are known.
    assert_eq!(world.run(&["history"], "").code, 0);
    let resumed = world.run(&["apply", "--resume", "-n"], "");
    assert!(resumed.stdout.contains("[task-1]"), "{resumed:?}");
    assert_eq!(alive(&mark), Vec::<String>::new());
}
