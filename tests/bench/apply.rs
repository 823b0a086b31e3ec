//! Fifty writes of 4 kB: `clada apply`, and `execute` on a connection, against the floor. Without the
//! journal of operations, which the floor does not have either; `journal.rs` measures its cost.
//!
//! The floor is a program of its own (`floor.rs`), started as a process alongside the client; compared with
//! `execute` it is the same loop without its process, so that both are compared like with like.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::measure::{Series, print, ratio, verdict};
use crate::place::{Connection, Place, run as run_command};
use crate::workload::{FILES, content, name};

const ROUNDS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    New,
    Replaced,
}

pub(crate) fn run() {
    for files in [Files::New, Files::Replaced] {
        measure(files);
    }
}

fn measure(files: Files) {
    let what = match files {
        Files::New => "new files",
        Files::Replaced => "files that are replaced",
    };
    println!("apply of {FILES} writes of 4 kB, {what}:");
    let place = Place::new();
    let _daemon = place.daemon();
    let mut connection = Connection::open(&place.socket());
    let floor = floor_program();
    let mut of_floor = Series::new("temp + fsync + rename, as a process");
    let mut of_floor_folder = Series::new("the same and fsync of the folder");
    let mut of_client = Series::new("clada apply");
    let mut of_execute = Series::new("execute on a connection");
    for round in 0..ROUNDS {
        let folders = ["floor", "folder", "client", "execute"].map(|who| match files {
            Files::New => format!("{who}{round}"),
            Files::Replaced => who.to_owned(),
        });
        for folder in &folders {
            std::fs::create_dir_all(place.project().join(folder)).expect("a folder");
        }
        rustix::fs::sync();
        let [bare, with_folder, client, execute] = &folders;
        // The one that begins alternates, since each run leaves work for the disk.
        let mut turns: [&mut dyn FnMut(); 4] = [
            &mut || of_floor.time(|| run_command(bare_floor(&place, &floor, bare, round, false))),
            &mut || {
                of_floor_folder.time(|| run_command(bare_floor(&place, &floor, with_folder, round, true)))
            },
            &mut || {
                let file = place.path("answer.md");
                std::fs::write(&file, answer(client, round)).expect("an answer");
                let file = file.to_string_lossy().into_owned();
                of_client.time(|| run_command(place.client(&["apply", "--no-undo", &file])));
            },
            &mut || {
                let params = json!({"text": answer(execute, round), "root": place.project(), "noUndo": true});
                let result = of_execute.time(|| connection.call("execute", &params));
                assert_eq!(result["success"], true, "{result}");
            },
        ];
        let count = turns.len();
        turns.rotate_left(round % count);
        turns.into_iter().for_each(|turn| turn());
        check(&place.project().join(client), round);
        check(&place.project().join(execute), round);
        if round == 1 {
            for series in [&mut of_floor, &mut of_floor_folder, &mut of_client, &mut of_execute] {
                series.forget();
            }
        }
    }
    print(&[&of_floor, &of_floor_folder, &of_client, &of_execute]);
    println!("  against the floor with its folder: {:.2}", ratio(&of_client, &of_floor_folder));
    println!("  execute on a connection against the floor: {:.2}", ratio(&of_execute, &of_floor));
    verdict("apply against temp + fsync + rename", ratio(&of_client, &of_floor), "", 1.3);
}

fn floor_program() -> PathBuf {
    let here = std::env::current_exe().expect("this program has a path");
    here.with_file_name("floor")
}

fn bare_floor(
    place: &Place,
    program: &Path,
    folder: &str,
    round: usize,
    sync: bool,
) -> std::process::Command {
    let mut command = place.command(program);
    command.arg(place.project().join(folder)).arg(round.to_string());
    if sync {
        command.arg("folder");
    }
    command
}

/// Writes all files in `folder`.
pub(crate) fn answer(folder: &str, round: usize) -> String {
    let block = |number: usize| {
        format!(
            "#!SHAM [@three-char-SHA-256: {number:03}]\naction = \"file_write\"\npath = \"{folder}/{}\"\n\
             content = <<'EOT_SHAM_{number:03}'\n{}EOT_SHAM_{number:03}\n#!END_SHAM_{number:03}\n\n",
            name(number),
            content(round, number)
        )
    };
    (0..FILES).map(block).collect()
}

fn check(folder: &Path, round: usize) {
    for number in 0..FILES {
        let found = std::fs::read_to_string(folder.join(name(number))).expect("the file was written");
        assert_eq!(found.trim_end(), content(round, number).trim_end(), "{}", name(number));
    }
}
