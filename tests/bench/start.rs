//! The first call with no daemon running, until its answer has been printed and the client has ended.

use crate::measure::{Series, print, verdict};
use crate::place::{Place, run as run_command};

const ROUNDS: usize = 60;

pub(crate) fn run() {
    println!("the first call, no daemon running:");
    let place = Place::new();
    let mut first = Series::new("clada status, daemon started");
    let mut apply = Series::new("clada apply of one file, daemon started");
    let answer = place.path("answer.md");
    for round in 0..ROUNDS {
        first.time(|| run_command(place.client(&["status"])));
        run_command(place.client(&["stop", "--quiet"]));
        let text = format!(
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"one.txt\"\n\
             content = \"round {round}\"\n#!END_SHAM_abc\n"
        );
        std::fs::write(&answer, text).expect("an answer");
        let file = answer.to_string_lossy().into_owned();
        apply.time(|| run_command(place.client(&["apply", &file])));
        run_command(place.client(&["stop", "--quiet"]));
    }
    print(&[&first, &apply]);
    verdict("first call", first.median().as_secs_f64() * 1e3, " ms", 20.0);
}
