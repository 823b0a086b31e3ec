//! `stage` of trees of many sizes: with no change and with one, as a whole process against `git status`, and
//! the daemon's part on a connection. The first stage is reported once, by itself.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::measure::{Series, print, verdict};
use crate::place::{Connection, Place, run as run_command};

/// Files of the project, unless `CLADA_BENCH_FILES` names other counts.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const FILES_A_FOLDER: usize = 10;
const ROUNDS: usize = 60;

pub(crate) fn run() {
    let named = std::env::var("CLADA_BENCH_FILES").unwrap_or_default();
    let named: Vec<usize> = named.split([',', ' ']).filter_map(|count| count.parse().ok()).collect();
    for files in if named.is_empty() { SIZES.to_vec() } else { named } {
        of(files);
    }
}

fn of(files: usize) {
    println!("stage of {files} files in {} folders, the daemon running:", files / FILES_A_FOLDER);
    let place = Place::new();
    let project = place.project().canonicalize().expect("a folder");
    lay_out(&project, files);
    let git = |args: &[&str]| {
        let mut command = place.command(Path::new("/usr/bin/git"));
        command.args(args);
        command
    };
    std::fs::remove_dir(project.join(".git")).expect("an empty folder");
    for args in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "c"],
    ] {
        run_command(git(args));
    }
    let _daemon = place.daemon();
    let begun = Instant::now();
    run_command(place.client(&["stage"]));
    println!(
        "  the first stage, with the first look at the tree: {:.0} ms",
        begun.elapsed().as_secs_f64() * 1e3
    );
    // The rest of it is deleted with the second one.
    run_command(place.client(&["stage"]));

    let mut connection = Connection::open(&place.socket());
    let root = json!({ "root": project });
    let mut of_git = Series::new("git status");
    let mut of_nothing = Series::new("clada stage, nothing changed");
    let mut of_one = Series::new("clada stage, one file changed");
    let mut of_looks = Series::new("the daemon's own look (project.changes)");
    let mut of_daemon = Series::new("stage on a connection, nothing changed");
    let mut clock = connection.call("project.changes", &root)["clock"].clone();
    for round in 0..ROUNDS {
        of_git.time(|| run_command(git(&["status", "--porcelain"])));
        of_nothing.time(|| run_command(place.client(&["stage"])));
        let changes = json!({ "root": project, "since": clock });
        clock = of_looks.time(|| connection.call("project.changes", &changes))["clock"].clone();
        let staged = of_daemon.time(|| connection.call("stage", &root));
        assert_eq!(staged["copied"], Value::Array(Vec::new()));
        std::fs::write(project.join(name(round * 7919 % files)), format!("round {round}\n")).expect("a file");
        of_one.time(|| run_command(place.client(&["stage"])));
        if round == 2 {
            for series in [&mut of_git, &mut of_nothing, &mut of_looks, &mut of_daemon, &mut of_one] {
                series.forget();
            }
        }
    }
    print(&[&of_git, &of_nothing, &of_one, &of_daemon, &of_looks]);
    verdict("stage with no change", of_nothing.median().as_secs_f64() * 1e3, " ms", 10.0);
    let last =
        place.client(&["stage", "--last"]).stdout(std::process::Stdio::piped()).output().expect("it runs");
    // Nothing needs the last folder.
    let folder = String::from_utf8(last.stdout).expect("a path");
    std::fs::remove_dir_all(folder.trim_end()).expect("a folder that was staged");
}

fn name(number: usize) -> String {
    let folder = number / FILES_A_FOLDER;
    format!("top{:02}/folder{folder:06}/file{number:07}.txt", folder % 100)
}

fn lay_out(project: &Path, files: usize) {
    for number in 0..files {
        let path = project.join(name(number));
        if number % FILES_A_FOLDER == 0 {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        }
        std::fs::write(path, format!("text {number}\n")).expect("a file");
    }
}
