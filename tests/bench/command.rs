//! Runs `true` as a command of an answer in projects of many files: the cost of knowing the project's files
//! before and after it, compared with the same in an empty project and with the bare command.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::measure::{Series, print, verdict};
use crate::place::{Connection, Place, run as run_command};

const SIZES: [usize; 3] = [0, 1_600, 50_000];
const FILES_A_FOLDER: usize = 20;
const ROUNDS: usize = 20;
/// The time in seconds after which a file counts as one that no process is changing.
const SETTLED: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Committed,
    Untracked,
}

pub(crate) fn run() {
    for kept in [Kept::Committed, Kept::Untracked] {
        println!("`run true` in a project whose files are {kept:?}:");
        let mut empty = None;
        for files in SIZES {
            let (bare, series, first) = of(files, kept);
            let empty = *empty.get_or_insert(series.median());
            if files == 0 {
                print(&[&bare]);
            }
            print(&[&series]);
            let more = series.median().saturating_sub(empty).as_secs_f64() * 1e3;
            println!(
                "    {files} files: the first one {first:.0} ms; {more:.1} ms more than in an empty project"
            );
            if files == SIZES[2] {
                verdict(&format!("a command beside {files} files, {kept:?}"), more, " ms", 30.0);
            }
        }
        println!();
    }
}

fn of(files: usize, kept: Kept) -> (Series, Series, f64) {
    let place = Place::new();
    let project = place.project().canonicalize().expect("a folder");
    lay_out(&project, files);
    std::fs::remove_dir(project.join(".git")).expect("an empty folder");
    if kept == Kept::Committed {
        for args in [
            &["init", "-q"][..],
            &["add", "-A"],
            &["-c", "user.name=n", "-c", "user.email=e", "commit", "--allow-empty", "-qm", "c"],
        ] {
            let mut command = place.command(Path::new("/usr/bin/git"));
            command.args(args);
            run_command(command);
        }
    }
    std::thread::sleep(std::time::Duration::from_secs(SETTLED));
    let _daemon = place.daemon();
    let mut connection = Connection::open(&place.socket());
    let text =
        "#!SHAM [@three-char-SHA-256: 0001]\naction = \"run\"\ncommand = \"sh -c true\"\n#!END_SHAM_0001\n";
    let params = json!({ "root": project, "text": text, "approve": "all", "again": true });
    let mut ask = || {
        let result = connection.call("execute", &params);
        assert_eq!(result["success"], Value::Bool(true), "{result:#}");
    };
    // The first two runs warm the caches: the first is reported by itself, and neither is in the series.
    let begun = Instant::now();
    ask();
    let first = begun.elapsed().as_secs_f64() * 1e3;
    ask();
    let (mut bare, mut series) = (Series::new("posix_spawn"), Series::new("execute on a connection"));
    for _ in 0..ROUNDS {
        bare.time(|| {
            let mut child =
                Command::new("/bin/sh").args(["-c", "true"]).stdin(Stdio::null()).spawn().expect("it");
            child.wait().expect("it ends");
        });
        series.time(&mut ask);
    }
    (bare, series, first)
}

/// Makes so many small files.
pub(crate) fn lay_out(project: &Path, files: usize) {
    for number in 0..files {
        let folder = project.join(format!("top{:02}/folder{:05}", number / 400, number / FILES_A_FOLDER));
        if number % FILES_A_FOLDER == 0 {
            std::fs::create_dir_all(&folder).expect("a folder");
        }
        let text = format!("// {number}\n").repeat(10 + number % 60);
        std::fs::write(folder.join(format!("file{number}.rs")), text).expect("a file");
    }
}
