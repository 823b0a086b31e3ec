//! An answer that is applied and committed, and undone, as whole processes: beside `git apply` with `git commit`,
//! and `git revert`, in projects of few and of many files.

use std::path::Path;
use std::process::Command;

use crate::command::lay_out;
use crate::measure::{Series, print, ratio, verdict};
use crate::place::{Place, run as run_command};

const ROUNDS: usize = 22;
// With the goal of applying: the share of what git takes.
const SIZES: [(usize, f64); 2] = [(200, 0.8), (20_000, 0.4)];
const FILE: &str = "top00/folder00000/file7.rs";

pub(crate) fn run() {
    for (files, goal) in SIZES {
        of(files, goal);
    }
}

fn of(files: usize, goal: f64) {
    println!("an answer of one edit, applied with a commit and undone, in a project of {files} files:");
    let place = Place::new();
    let [ours, gits] = ["project", "other"].map(|name| place.path(name));
    for project in [&ours, &gits] {
        lay_out(project, files);
        let _ = std::fs::remove_dir(project.join(".git"));
        let commands = "git init -q -b main . && git config user.name n && git config user.email e && \
                        git config gc.auto 0 && git add -A && git commit -qm first";
        run_command(shell(&place, project, commands));
    }
    let config = place.path("home/.config/clada");
    std::fs::create_dir_all(&config).expect("a folder");
    std::fs::write(config.join("config.yaml"), "git: {mode: branch}\n").expect("a configuration");
    let answer = place.path("answer.md");
    let answer = answer.to_string_lossy().into_owned();
    let _daemon = place.daemon();
    let mut series = ["clada apply", "git apply && git commit", "clada undo", "git revert"].map(Series::new);
    for round in 0..ROUNDS {
        let [of_apply, of_git, of_undo, of_revert] = &mut series;
        let diff =
            format!("--- a/{FILE}\n+++ b/{FILE}\n@@ -1,3 +1,3 @@\n // 7\n-// 7\n+// round {round}\n // 7\n");
        std::fs::write(&answer, format!("```diff\n{diff}```\n")).expect("an answer");
        let patch = place.path("patch");
        std::fs::write(&patch, &diff).expect("a patch");
        let by_git = format!("git apply {} && git commit -qam round", patch.to_string_lossy());
        let mut clada = || {
            of_apply.time(|| run_command(place.client(&["apply", &answer])));
            of_undo.time(|| run_command(place.client(&["undo"])));
        };
        let mut git = || {
            of_git.time(|| run_command(shell(&place, &gits, &by_git)));
            of_revert.time(|| run_command(shell(&place, &gits, "git revert --no-edit HEAD")));
        };
        // The one that begins alternates, since each run leaves work for the disk.
        if round % 2 == 0 {
            clada();
            git();
        } else {
            git();
            clada();
        }
        if round == 1 {
            series.iter_mut().for_each(Series::forget);
        }
    }
    let text = std::fs::read_to_string(ours.join(FILE)).expect("the file is there");
    assert!(!text.contains("round"), "it was undone");
    let [apply, git, undo, revert] = &series;
    print(&[apply, git, undo, revert]);
    verdict(&format!("apply with a commit in {files} files against git"), ratio(apply, git), "", goal);
    verdict(&format!("undo in {files} files against git revert"), ratio(undo, revert), "", 1.0);
}

fn shell(place: &Place, folder: &Path, line: &str) -> Command {
    let mut command = place.command(Path::new("/bin/sh"));
    command.args(["-c", line]).current_dir(folder);
    command
}
