//! The first minutes of a new user, in a real terminal: `docs/images/first-minutes` plays them; the screens are kept.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;

use crate::clients::program;
use crate::support::{output, skipped, without_ids};

/// The screens in a terminal of so many columns.
fn screens(columns: usize, colour: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images/first-minutes");
    let mut command = Command::new("python3");
    command.arg(script).args([env!("CARGO_BIN_EXE_it-client"), env!("CARGO_BIN_EXE_it-daemon")]);
    command.args(["--columns", &columns.to_string(), "--rows", "60", "--plain"]).args(colour);
    let ran = output(&mut command).unwrap_or_else(|error| panic!("{error}"));
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

/// The text of screens without the sequences that colour it.
fn without_colour(screens: &str) -> String {
    let mut parts = screens.split("\u{1b}[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn the_screens_of_the_first_minutes() {
    if program("tmux").is_none() || program("python3").is_none() || program("git").is_none() {
        return skipped("the first minutes", "they need tmux, python3 and git");
    }
    let played = std::thread::scope(|scope| {
        let widths = [60, 80, 120].map(|columns| {
            (
                columns,
                scope.spawn(move || screens(columns, &[])),
                scope.spawn(move || screens(columns, &["--no-color"])),
            )
        });
        widths.map(|(columns, coloured, plain)| (columns, coloured.join().unwrap(), plain.join().unwrap()))
    });
    for (columns, coloured, plain) in played {
        assert!(coloured.contains("\u{1b}["), "{coloured}");
        // Bold is not a colour: what is approved is bold without any, too.
        let (coloured, plain) =
            (without_ids(&without_colour(&coloured)), without_ids(&without_colour(&plain)));
        assert_eq!(coloured, plain, "at {columns} columns");
        let file = PathBuf::from(format!("../data/first_minutes/{columns}.txt"));
        expect_file![file].assert_eq(&plain);
    }
}
