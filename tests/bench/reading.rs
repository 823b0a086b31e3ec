//! `git status` as a command of an answer, which runs without approval with a private folder of git's,
//! alongside git itself.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::command::lay_out;
use crate::measure::{Series, print};
use crate::place::{Connection, Place, run as run_command};

const SIZES: [usize; 2] = [1_600, 50_000];
const ROUNDS: usize = 40;

pub(crate) fn run() {
    println!("`run git status`:");
    for files in SIZES {
        let place = Place::new();
        let project = place.project().canonicalize().expect("a folder");
        lay_out(&project, files);
        std::fs::remove_dir(project.join(".git")).expect("an empty folder");
        for args in [
            &["init", "-q"][..],
            &["add", "-A"],
            &["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "c"],
            &["gc", "-q", "--force"],
        ] {
            let mut command = place.command(Path::new("/usr/bin/git"));
            command.args(args);
            run_command(command);
        }
        let _daemon = place.daemon();
        let mut connection = Connection::open(&place.socket());
        let text = "#!SHAM [@three-char-SHA-256: 0001]\naction = \"run\"\ncommand = \"git status\"\n#!END_SHAM_0001\n";
        let params = json!({ "root": project, "text": text, "again": true, "git": "off", "env": { "PATH": "/usr/bin:/bin" } });
        let mut ask = || {
            let result = connection.call("execute", &params);
            assert_eq!(result["success"], Value::Bool(true), "{result:#}");
        };
        // The first run warms the caches and is not measured.
        ask();
        let (mut bare, mut series) = (Series::new("git status"), Series::new("execute on a connection"));
        for _ in 0..ROUNDS {
            bare.time(|| {
                let mut git = Command::new("/usr/bin/git");
                git.arg("status").current_dir(&project).stdin(Stdio::null()).stdout(Stdio::null());
                assert!(git.status().expect("git").success());
            });
            series.time(&mut ask);
        }
        println!("  {files} files:");
        print(&[&bare, &series]);
    }
    println!();
}
