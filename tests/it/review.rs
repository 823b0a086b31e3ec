//! `clada review`: a user at a terminal, the full screen, and the daemon.
//!
//! Only what differs is drawn: what is awaited is what the screen holds then.

use std::process::Child;
use std::time::Duration;

use serde_json::json;

use crate::support::{Answer, Ran, Terminal, World, skipped};

/// The time for which no key may have come before a question takes an answer.
const PAUSE: Duration = Duration::from_millis(900);

/// Returns the lines of the screen after this output.
fn screen(seen: &str) -> String {
    let mut cells = vec![vec![' '; 200]; 60];
    let (mut x, mut y) = (0, 0);
    // The screen is what was drawn since the program took it for the last time.
    let taken = seen.rfind("\u{1b}[?1049h").unwrap_or(0);
    let mut rest = seen[taken..].chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\u{1b}' {
            cells[y][x] = character;
            x = (x + 1).min(199);
            continue;
        }
        let mut sequence = String::new();
        for part in rest.by_ref() {
            sequence.push(part);
            if part.is_ascii_alphabetic() {
                break;
            }
        }
        let numbers: Vec<usize> = sequence
            .trim_matches(|letter: char| !letter.is_ascii_digit())
            .split(';')
            .filter_map(|number| number.parse().ok())
            .collect();
        match sequence.chars().last() {
            Some('H') => {
                (y, x) = match numbers[..] {
                    [row, column] => ((row - 1).min(59), (column - 1).min(199)),
                    _ => (0, 0),
                }
            }
            Some('J') => cells.iter_mut().for_each(|line| line.fill(' ')),
            _ => {}
        }
    }
    cells.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned() + "\n").collect()
}

/// Waits until the screen holds these words.
#[track_caller]
fn shows(terminal: &mut Terminal, words: &str) {
    terminal.until(|seen| screen(seen).contains(words), words);
}

/// The review of `answer` at a terminal of so many columns. Its report goes to standard output.
fn start(world: &World, answer: &Answer, columns: u16) -> Option<(Terminal, Child)> {
    start_text(world, answer.text(), columns)
}

fn start_text(world: &World, text: &str, columns: u16) -> Option<(Terminal, Child)> {
    // Whoever starts the daemon is told of its surroundings, which are the test's.
    world.status();
    let Some(terminal) = Terminal::open() else {
        skipped("a test at a terminal", "a program cannot be given one here");
        return None;
    };
    terminal.resize_to(columns, 30);
    let child = terminal.start(&world.client(&["review", "-"]), text.as_bytes());
    Some((terminal, child))
}

/// Returns the way in which it ended, and all that was drawn.
fn end(terminal: Terminal, child: Child) -> (Ran, String) {
    let seen = terminal.close();
    (child.wait_with_output().unwrap().into(), seen)
}

/// Three files with one change each, and their answer.
fn three(world: &World) -> Answer {
    ["a.txt", "b.txt", "c.txt"].into_iter().fold(Answer::new(), |answer, name| {
        world.lay(name, "one\n");
        answer.replace(&world.at(name), "one", &format!("two {name}"))
    })
}

#[test]
fn exactly_what_was_accepted_is_carried_out() {
    let world = World::new();
    let old: String = (1..=60).map(|line| format!("line {line}\n")).collect();
    world.lay("a.txt", &old);
    let new = old.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n").replace("line 55\n", "");
    let answer = Answer::new().write(&world.at("a.txt"), &new).write(&world.at("b.txt"), "b\n");
    let Some((mut terminal, child)) = start(&world, &answer, 120) else { return };
    shows(&mut terminal, "4 of 4 changes");
    // The first hunk stays, the second is left out, the third stays, and so does the new file.
    terminal.send("]yny");
    shows(&mut terminal, "3 of 4");
    terminal.send("ZZ");
    shows(&mut terminal, "[task-1] SUCCESS");
    terminal.send("q");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert!(ran.stdout.contains("[task-1] SUCCESS: file_write"), "{ran:?}");
    assert!(ran.stdout.contains("b.txt") && !ran.stdout.contains('\u{1b}'), "{ran:?}");
    assert_eq!(world.read("a.txt"), old.replace("line 5\n", "five\n").replace("line 55\n", ""));
    assert_eq!(world.read("b.txt"), "b\n");
    // The alternate screen was left, and the cursor is shown.
    assert!(seen.rfind("\u{1b}[?1049l") > seen.rfind("\u{1b}[?1049h"), "{seen:?}");
    assert!(seen.rfind("\u{1b}[?25h") > seen.rfind("\u{1b}[?25l"), "{seen:?}");
}

#[test]
fn what_an_answer_proposes_is_decided_on_like_the_rest() {
    for (keys, counts, written) in
        [("]y", "2 of 3 changes", ["two", "one"]), ("ga", "1 of 3 changes", ["one", "one"])]
    {
        let world = World::new();
        let (before, after) = ("one\nfoo\nbar\n", "two\nfoo\nbar\n");
        ["a.txt", "b.txt"].into_iter().for_each(|name| world.lay(name, before));
        let proposed = |name| format!("Update `{name}`:\n\n```\n{after}```\n\n");
        let answer = Answer::new().write(&world.at("c.txt"), "c\n");
        let text = format!("{}{}\n{}", proposed("a.txt"), proposed("b.txt"), answer.text());
        let Some((mut terminal, child)) = start_text(&world, &text, 120) else { return };
        shows(&mut terminal, "proposed: change a.txt");
        terminal.send(keys);
        shows(&mut terminal, counts);
        terminal.send("ZZ");
        shows(&mut terminal, "[task-1] SUCCESS");
        terminal.send("q");
        let (ran, seen) = end(terminal, child);
        let read = ["a.txt", "b.txt"].map(|name| world.read(name));
        assert_eq!(read, written.map(|line| before.replace("one", line)), "{ran:?} {seen}");
        assert_eq!(world.read("c.txt"), "c\n");
    }
}

#[test]
fn leaving_writes_nothing_and_asks_first_if_anything_was_decided() {
    let world = World::new();
    let answer = three(&world);
    let before = world.tree();
    let Some((mut terminal, child)) = start(&world, &answer, 60) else { return };
    shows(&mut terminal, "3 of 3 changes");
    terminal.send("n");
    shows(&mut terminal, "2 of 3");
    terminal.send("q");
    shows(&mut terminal, "Your decisions are lost");
    terminal.send("y");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?} {seen}");
    assert!(seen.contains("Nothing was applied."), "{seen}");
    before.assert_at(&world.project());
}

#[test]
fn a_command_is_asked_for_after_the_edits_and_never_by_a_key_that_is_held() {
    for is_approved in [false, true] {
        let world = World::new();
        world.lay("a.txt", "one\n");
        let answer = Answer::new()
            .replace(&world.at("a.txt"), "one", "two")
            .action("run", &[("command", "sh -c 'echo > made-by-a-command'"), ("dir", &world.root())]);
        let Some((mut terminal, child)) = start(&world, &answer, 100) else { return };
        shows(&mut terminal, "1 of 2 changes · 1 to approve");
        terminal.send(&"y".repeat(200));
        shows(&mut terminal, "echo > made-by-a-command");
        shows(&mut terminal, "too soon");
        assert!(!world.exists("made-by-a-command"));
        std::thread::sleep(PAUSE);
        terminal.send(if is_approved { "y" } else { "n" });
        shows(&mut terminal, if is_approved { "2 of 2" } else { "1 of 2 changes · standard" });
        terminal.send("ZZ");
        shows(&mut terminal, "[task-1] SUCCESS");
        terminal.send("q");
        let (ran, seen) = end(terminal, child);
        assert_eq!(ran.code, 0, "{ran:?} {seen}");
        assert_eq!((world.read("a.txt").as_str(), world.exists("made-by-a-command")), ("two\n", is_approved));
    }
}

/// Carries on with a plan that is gone: the decisions are kept, and the same changes are applied.
fn without_its_plan(lose: impl FnOnce(&World)) {
    let world = World::new();
    let answer = three(&world);
    let Some((mut terminal, child)) = start(&world, &answer, 80) else { return };
    shows(&mut terminal, "3 of 3 changes");
    terminal.send("yn");
    shows(&mut terminal, "2 of 3");
    lose(&world);
    terminal.send("ZZ");
    shows(&mut terminal, "[task-1] SUCCESS");
    terminal.send("q");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    let read = ["a.txt", "b.txt", "c.txt"].map(|name| world.read(name));
    assert_eq!(read, ["two a.txt\n", "one\n", "two c.txt\n"]);
}

#[test]
fn a_daemon_that_was_killed_meanwhile_loses_no_decision() {
    without_its_plan(|world| {
        let pid = world.status()["pid"].as_i64().unwrap();
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        World::end(&json!({ "pid": pid.as_raw_nonzero().get() }), || {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL)
                .map_err(|error| error.to_string())
        })
        .unwrap();
    });
}

#[test]
fn a_plan_that_is_gone_is_made_again() {
    without_its_plan(|world| {
        // A plan of the same user that takes all of the room.
        let text = Answer::new().write(&world.at("x.txt"), &"x".repeat(5 << 20));
        world.connect().call("plan", &json!({ "root": world.root(), "text": text.text() }));
    });
}

#[test]
fn a_file_that_changed_meanwhile_is_shown_before_anything_is_written() {
    for is_plan_gone in [false, true] {
        let world = World::new();
        let answer = three(&world);
        let Some((mut terminal, child)) = start(&world, &answer, 80) else { return };
        shows(&mut terminal, "3 of 3 changes");
        terminal.send("yn");
        shows(&mut terminal, "2 of 3");
        if is_plan_gone {
            world.stop().unwrap();
        }
        world.lay("c.txt", "else\n");
        terminal.send("ZZ");
        shows(&mut terminal, "Planned again");
        assert_eq!(["a.txt", "b.txt", "c.txt"].map(|name| world.read(name)), ["one\n", "one\n", "else\n"]);
        terminal.send("ZZ");
        shows(&mut terminal, "review · report");
        terminal.send("q");
        let (ran, seen) = end(terminal, child);
        assert_eq!(ran.code, 1, "{ran:?} {seen}");
        let left = ["a.txt", "b.txt", "c.txt"].map(|name| world.read(name));
        assert_eq!(left, ["two a.txt\n", "one\n", "else\n"]);
    }
}

#[test]
fn a_command_that_ran_is_not_what_is_left() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "two")
        .action("run", &[("command", "sh -c 'echo x >> runs.txt'"), ("dir", &world.root())]);
    let Some((mut terminal, child)) = start(&world, &answer, 100) else { return };
    shows(&mut terminal, "1 to approve");
    terminal.send("ZZ");
    shows(&mut terminal, "y once");
    std::thread::sleep(PAUSE);
    terminal.send("y");
    shows(&mut terminal, "[task-2] SUCCESS");
    terminal.send("r");
    shows(&mut terminal, "1 action done before");
    shows(&mut terminal, "[ ] ran in ");
    terminal.send("ZZ");
    shows(&mut terminal, "Nothing is accepted");
    terminal.send("q");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.read("runs.txt").as_str()), (0, "x\n"), "{ran:?} {seen}");
}

#[test]
fn every_report_is_printed_with_what_became_of_it() {
    let world = World::new();
    let answer = three(&world);
    let Some((mut terminal, child)) = start(&world, &answer, 100) else { return };
    shows(&mut terminal, "3 of 3 changes");
    terminal.send("ZZ");
    shows(&mut terminal, "[task-1] SUCCESS");
    terminal.send("u");
    shows(&mut terminal, "Undo everything in this report?");
    std::thread::sleep(PAUSE);
    terminal.send("y");
    shows(&mut terminal, "reverts it");
    terminal.send("q");
    shows(&mut terminal, "undone by");
    terminal.send("r");
    shows(&mut terminal, "y n a x decide");
    terminal.send("nZZ");
    shows(&mut terminal, "[task-2] SUCCESS");
    terminal.send("q");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!(ran.stdout.matches("[task-2] SUCCESS").count(), 2, "{ran:?}");
    assert_eq!(ran.stdout.matches("[task-1] SUCCESS").count(), 1, "{ran:?}");
    let (_, after) = seen.rsplit_once("\u{1b}[?1049l").unwrap();
    assert_eq!(after.matches(" undid all of it.").count(), 1, "{after}");
}

#[test]
fn an_operation_that_waits_for_an_approval_says_how_to_give_it() {
    let world = World::new();
    let answer = three(&world).action("run", &[("command", "sh -c 'echo'"), ("dir", &world.root())]);
    assert_eq!(world.apply(&answer).code, 1);
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    terminal.resize_to(120, 30);
    let child = terminal.start(&world.client(&["review", "last"]), b"");
    shows(&mut terminal, "clada apply --resume");
    terminal.send("q");
    assert_eq!(end(terminal, child).0.code, 0);
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_is_named() {
    let mut world = World::new();
    world.set("TERM", "dumb");
    let answer = three(&world);
    let Some((terminal, child)) = start(&world, &answer, 80) else { return };
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 2, "{ran:?} {seen}");
    assert!(seen.contains("clada apply -i") && !seen.contains("[?1049h"), "{seen}");
}

#[test]
fn sizes_and_keys_that_are_held_down_change_nothing_but_what_is_shown() {
    let world = World::new();
    let answer = three(&world);
    let Some((mut terminal, child)) = start(&world, &answer, 60) else { return };
    shows(&mut terminal, "3 of 3 changes");
    for (columns, rows) in [(140, 40), (20, 5), (3, 1), (100, 24), (60, 30)] {
        terminal.resize_to(columns, rows);
        terminal.send(&"jk]}d\t\t".repeat(50));
    }
    terminal.send("gn");
    shows(&mut terminal, "2 of 3");
    terminal.send("ZZ");
    shows(&mut terminal, "[task-2] SUCCESS");
    terminal.send("q");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!(
        ["a.txt", "b.txt", "c.txt"].map(|name| world.read(name)),
        ["one\n", "two b.txt\n", "two c.txt\n"]
    );
}

#[test]
fn control_z_gives_the_terminal_back_until_it_goes_on() {
    let world = World::new();
    let answer = three(&world);
    world.lay("answer.md", answer.text());
    world.status();
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    terminal.resize_to(80, 30);
    // A shell with job control: Ctrl-Z stops the client, and `fg` continues it.
    let script = "\"$@\"; echo stopped; read line; fg; echo ended $?";
    let child = terminal.start_jobs(&world.client(&["review", "answer.md"]), script);
    shows(&mut terminal, "3 of 3 changes");
    let raw = terminal.mode();
    terminal.send("n");
    shows(&mut terminal, "2 of 3");
    terminal.send("\u{1a}");
    terminal.expect("\u{1b}[?1049l");
    terminal.expect("stopped");
    assert_ne!(terminal.mode(), raw, "the terminal is as it was");
    terminal.send("\n");
    terminal.expect("\u{1b}[?1049h");
    shows(&mut terminal, "2 of 3");
    assert_eq!(terminal.mode(), raw, "the terminal is raw again");
    terminal.send("ZZ");
    shows(&mut terminal, "[task-2] SUCCESS");
    terminal.send("q");
    terminal.expect("ended 0");
    let (_, seen) = end(terminal, child);
    assert_eq!(world.read("a.txt"), "one\n", "{seen}");
    assert_eq!(world.read("b.txt"), "two b.txt\n", "{seen}");
}

#[test]
fn a_signal_gives_the_terminal_back_and_writes_nothing() {
    let world = World::new();
    let answer = three(&world);
    let before = world.tree();
    let Some((mut terminal, mut child)) = start(&world, &answer, 80) else { return };
    shows(&mut terminal, "3 of 3 changes");
    let raw = terminal.mode();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    terminal.expect("\u{1b}[?1049l");
    assert!(!child.wait().unwrap().success());
    assert_ne!(terminal.mode(), raw, "the terminal is as it was");
    before.assert_at(&world.project());
}

#[test]
fn an_operation_is_shown_and_undone_after_a_question() {
    let world = World::new();
    let answer = three(&world);
    assert_eq!(world.apply(&answer).code, 0);
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    terminal.resize_to(100, 30);
    let child = terminal.start(&world.client(&["review", "last"]), b"");
    shows(&mut terminal, "two a.txt");
    terminal.send("u");
    shows(&mut terminal, "Undo ");
    std::thread::sleep(PAUSE);
    terminal.send("y");
    shows(&mut terminal, "reverts it");
    terminal.send("q");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!(["a.txt", "b.txt", "c.txt"].map(|name| world.read(name)), ["one\n", "one\n", "one\n"]);
}

#[test]
fn what_is_no_terminal_no_file_or_no_program_is_named() {
    let mut world = World::new();
    let answer = three(&world);
    let ran = world.run(&["review", "-"], answer.text());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("review needs a terminal"), "{ran:?}");
    world.set("CLADA_REVIEW", "/nowhere/clada-review");
    let ran = world.run(&["review"], "");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("CLADA_REVIEW names /nowhere/clada-review"), "{ran:?}");
    // Beside the client of the tests the program may have been built.
    world.set("CLADA_REVIEW", "");
    let alone = world.path("alone");
    let client = std::path::Path::new(env!("CARGO_BIN_EXE_it-client"));
    if std::fs::hard_link(client, &alone).is_err() {
        std::fs::copy(client, &alone).unwrap();
    }
    let ran: Ran = world.program(alone.to_str().unwrap()).arg("review").output().unwrap().into();
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("clada-review, the program of the full screen, was not found"), "{ran:?}");
    assert!(ran.stderr.contains("clada apply -i"), "{ran:?}");
}
