//! The delay until a subscriber learns of a write, and the cost of a storm of 200,000 operations for a daemon
//! that answers questions all the while: both through its socket.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::measure::{Series, print, verdict};
use crate::place::{Connection, Daemon, Place};

const WRITES: usize = 500;
const OPERATIONS: usize = 200_000;
const NAMES: usize = 2_000;

/// The pause between two writes: longer than the window of one event of a subscription.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn run() {
    let place = Place::new();
    let daemon = place.daemon();
    for number in 0..NAMES {
        let folder = place.project().join(format!("d{}", number % 50));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(format!("f{number}")), "text").expect("a file");
    }
    events(&place);
    storm(&place, &daemon);
}

fn events(place: &Place) {
    println!("write by another program -> event at a subscriber, {WRITES} times:");
    let mut subscriber = Connection::open(&place.socket());
    subscriber.call("subscribe", &json!({ "root": place.project() }));
    let mut of_events = Series::new("write to event");
    for number in 0..WRITES {
        std::thread::sleep(PAUSE);
        let name = format!("d{}/f{number}", number % 50);
        of_events.time(|| {
            std::fs::write(place.project().join(&name), number.to_string()).expect("a file");
            while !String::from_utf8_lossy(&subscriber.next()).contains(&name) {}
        });
    }
    print(&[&of_events]);
    verdict("p50", of_events.median().as_secs_f64() * 1e3, " ms", 1.0);
    println!("  p99: {:.3} ms\n", of_events.percentile(99).as_secs_f64() * 1e3);
}

fn storm(place: &Place, daemon: &Daemon) {
    println!("a storm of {OPERATIONS} operations, and questions all the while:");
    let mut connection = Connection::open(&place.socket());
    let ask = |connection: &mut Connection, since: Option<&Value>| {
        connection.call("project.changes", &json!({ "root": place.project(), "since": since }))
    };
    let begun = ask(&mut connection, None)["clock"].clone();
    let (over, project) = (AtomicBool::new(false), place.project());
    let (mut slowest, mut asked, cpu, start) = (Duration::ZERO, 0, daemon.cpu(), Instant::now());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            blow(&project);
            over.store(true, Ordering::SeqCst);
        });
        let mut clock = begun.clone();
        while !over.load(Ordering::SeqCst) {
            let question = Instant::now();
            clock = ask(&mut connection, Some(&clock))["clock"].clone();
            slowest = slowest.max(question.elapsed());
            asked += 1;
        }
    });
    let blown = start.elapsed();
    let question = Instant::now();
    let known = ask(&mut connection, None)["files"].as_array().map_or(0, Vec::len);
    let exact = question.elapsed();
    // The daemon must not be faster by missing events, so its list is compared with the disk.
    let there = walkdir(&project);
    assert_eq!(known, there, "files");
    println!(
        "  the storm took {:.2} s; {asked} answers, the slowest after {slowest:.1?}",
        blown.as_secs_f64()
    );
    println!("  the daemon took {:.2} s of a core", (daemon.cpu() - cpu).as_secs_f64());
    println!("  exact {exact:.1?} after its end, with all {known} files listed\n");
}

/// Creates, renames and deletes.
fn blow(project: &Path) {
    for number in 0..OPERATIONS / 4 {
        let folder = project.join(format!("d{}", number % 50));
        let (one, other) =
            (folder.join(format!("s{}", number % 97)), folder.join(format!("t{}", number % 89)));
        std::fs::write(&one, "storm").expect("a file");
        std::fs::rename(&one, &other).expect("a rename");
        std::fs::write(&one, "again").expect("a file");
        std::fs::remove_file(&one).expect("a file that was there");
    }
}

/// Returns the number of files.
fn walkdir(project: &Path) -> usize {
    ignore::WalkBuilder::new(project)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
        .filter(|entry| {
            entry.as_ref().is_ok_and(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        })
        .count()
}
