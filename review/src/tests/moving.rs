//! Where the cursor goes, what is on the screen then, and what is reported of it.

use super::*;

/// A plan with so many files of so many hunks each; `together`: the hunks of one file are one group.
fn of_files(files: usize, hunks: usize, together: bool) -> PlanResult {
    let mut wide = plan();
    let (hunk, file) = (wide.files[0].hunks[0].clone(), wide.files[0].clone());
    wide.actions.truncate(1);
    wide.approvals.clear();
    wide.files.clear();
    for at in 0..files {
        let hunks = (0..hunks).map(|nth| {
            let group = if together { format!("g{at}") } else { format!("g{at}.{nth}") };
            clada_protocol::FileHunk { start: nth * 100 + 10, group, ..hunk.clone() }
        });
        let (path, hunks) = (format!("src/{at}.rs"), hunks.collect());
        wide.files.push(clada_protocol::PlannedFile { path, hunks, ..file.clone() });
    }
    wide
}

fn cursor(screen: &mut Screen) -> String {
    let text = screen.text();
    text.lines().find(|line| line.starts_with('>')).unwrap_or_default().to_owned()
}

#[test]
fn the_cursor_stays_where_it_is_in_another_layout() {
    let mut screen = Screen::of(of_files(3, 2, false), 120);
    screen.types("}}");
    assert!(cursor(&mut screen).contains("src/2.rs"), "{}", screen.text());
    for columns in [60, 100, 140] {
        screen.columns = columns;
        assert!(cursor(&mut screen).contains("src/2.rs"), "{}", screen.text());
        screen.types("d");
        assert!(cursor(&mut screen).contains("src/2.rs"), "{}", screen.text());
    }
}

#[test]
fn what_the_cursor_goes_to_is_on_the_screen_with_what_it_begins() {
    let mut screen = Screen::of(of_files(5, 2, false), 80);
    screen.types("}}}");
    let text = screen.text();
    let rows: Vec<&str> = text.lines().collect();
    let at = rows.iter().position(|row| row.starts_with("> [x] change src/3.rs")).unwrap();
    assert!(rows.len() - at > 8, "{text}");
    assert!(rows[1].contains("file 4 of 5"), "{text}");
}

#[test]
fn hunks_that_go_together_are_seen_one_after_the_other_and_named() {
    let mut screen = Screen::of(of_files(1, 3, true), 120);
    let text = screen.text();
    assert!(text.contains("3 of 3 changes"), "{text}");
    assert!(
        text.contains("goes together with 2 other hunks: src/0.rs line 111, src/0.rs line 211"),
        "{text}"
    );
    screen.types("]y");
    assert!(cursor(&mut screen).contains("@@ -111,"), "{}", screen.text());
    assert!(screen.text().contains("change 2 of 3 · file 1 of 1 · change src/0.rs"), "{}", screen.text());
    screen.types("n");
    assert!(screen.text().contains("0 of 3 changes"), "{}", screen.text());
}

#[test]
fn what_failed_is_a_line_and_unfolds_to_why() {
    let mut screen = Screen::new(80);
    assert!(!screen.text().contains("Nothing in the file is similar."), "{}", screen.text());
    screen.types("gjj\t");
    assert!(screen.text().contains("Nothing in the file is similar."), "{}", screen.text());
}

#[test]
fn a_larger_screen_is_filled() {
    let mut screen = Screen::of(of_files(6, 2, false), 80);
    screen.types("G");
    screen.rows = 10;
    screen.types("G");
    screen.rows = 40;
    let text = screen.text();
    assert!(!text.lines().nth(3).unwrap().trim().is_empty(), "{text}");
    assert!(text.lines().nth(38).unwrap().contains("Apply"), "{text}");
}

#[test]
fn a_note_leaves_the_keys_on_the_screen() {
    let mut screen = Screen::new(60);
    screen.app.handle_reply(DaemonReply::Note("word ".repeat(30)), screen.now);
    let text = screen.text();
    assert_eq!(text.matches("word").count(), 30, "{text}");
    assert!(text.contains("ZZ apply"), "{text}");
}
