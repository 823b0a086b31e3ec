//! Kills of the command, the client and the daemon at random moments: nothing that was kept is lost.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{committed, files, run};
use crate::support::{World, all};

const KILLS: u64 = 3;
const ALL_KILLS: u64 = 60;

/// Changes files for a while, under a mark.
const SCRIPT: &str = "i=0; while [ $i -lt 60 ]; do echo after > f$i; rm -f g$i; echo new > n$i; \
                      sleep 0.00$((i % 9)); i=$((i + 1)); done";

fn world() -> World {
    let names: Vec<String> =
        (0..60).flat_map(|number| [format!("f{number}"), format!("g{number}")]).collect();
    let laid: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "before\n")).collect();
    let world = committed(&laid);
    // Untracked ones, too.
    world.lay("f1", "dirty\n");
    world.lay("g2", "dirty\n");
    world
}

fn kill(pid: u32) {
    let _ = kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL);
}

/// Returns the processes whose command line holds `mark`, but for those of this program.
fn alive(mark: &str) -> Vec<u32> {
    let found = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(mark).then_some(pid)
    });
    found.collect()
}

/// Waits until no checkpoint is open.
fn wait_until_ended(world: &World) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while run(world, &["checkpoint", "list"]).stdout != "No checkpoint is open here.\n" {
        assert!(Instant::now() < deadline, "a checkpoint stays open");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_was_recorded_outlives_the_daemon_the_client_and_the_command() {
    for number in 0..if all() { ALL_KILLS } else { KILLS } {
        let world = world();
        let before = files(&world);
        run(&world, &["status"]);
        let mark = format!("mark-{}", world.path("").file_name().unwrap().display());
        let script = format!("{SCRIPT}; : {mark}");
        let mut client = world
            .client(&["record", "--", "sh", "-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(40 + number * 7 % 200));
        let daemon = u32::try_from(world.status()["pid"].as_u64().unwrap()).unwrap();
        match number % 3 {
            0 => {
                kill(daemon);
                // The client's call at the end starts another daemon.
                client.wait().unwrap();
            }
            1 => {
                client.kill().unwrap();
                client.wait().unwrap();
            }
            _ => {
                client.kill().unwrap();
                kill(daemon);
                client.wait().unwrap();
                alive(&mark).into_iter().for_each(kill);
            }
        }
        while !alive(&mark).is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        wait_until_ended(&world);
        // Nothing is on record of what was killed before its command began.
        if run(&world, &["history"]).stdout.contains(&mark) {
            run(&world, &["undo"]);
        }
        before.assert_at_files(&world);
    }
}
