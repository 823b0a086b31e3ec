//! An answer that is pasted at the terminal: standard input is a terminal, with all its behaviour.

use std::process::Child;

use expect_test::expect;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::fake::{Fake, Fixture, Ran, Reply, finish, visible};
use crate::terminal::Terminal;

/// The text that asks for the paste. The terminal is set by then.
const ASKS: &str = "then press Enter. If you type it, end with Ctrl-D.\n";

/// Returns a daemon that finds nothing in an answer, so that its requests are the only outcome.
fn serve(fixture: &Fixture) -> Fake {
    Fake::serve(fixture, |_, _| {
        Reply::Result(json!({
            "success": true, "totalBlocks": 0, "executedActions": 0, "results": [], "warnings": [],
            "parseErrors": [], "operationId": "", "planId": "p1", "expiresInMs": 1, "actions": [], "approvals": [],
            "diff": "",
        }))
    })
}

/// Returns a terminal for standard input; `None`, with a note, where there is no way to make one.
#[allow(clippy::print_stderr, reason = "the user who runs the tests has to know")]
fn open() -> Option<Terminal> {
    let terminal = Terminal::open();
    if terminal.is_none() {
        eprintln!("skipped: a program cannot be given a terminal here");
    }
    terminal
}

fn end(terminal: Terminal, child: Child) -> (Ran, String) {
    let seen = terminal.close();
    (finish(child), seen)
}

/// Pastes `pieces` one after another, ends, and returns the run and the daemon.
fn pasted(args: &[&str], pieces: &[&[u8]]) -> Option<(Ran, String, Fake)> {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let mut terminal = open()?;
    let before = terminal.mode();
    let child = terminal.start_typed(&fixture.client(args));
    terminal.expect(ASKS);
    assert!(terminal.mode() != before);
    terminal.send_long(pieces.concat());
    terminal.expect("\u{1b}[?2004l");
    assert_eq!(terminal.mode(), before);
    let (ran, seen) = end(terminal, child);
    Some((ran, seen, fake))
}

const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

#[test]
fn regression_a_line_that_the_kernel_would_cut_arrives_whole() {
    for length in [4_095, 6_003, 100_000] {
        let line = format!("{}ä\nthe last line", "x".repeat(length));
        let text = line.replace('\n', "\r");
        for pieces in [
            &[BEGIN, text.as_bytes(), END, b"\r"][..],
            &[BEGIN, text.as_bytes(), END, b"\x04"],
            &[text.as_bytes(), b"\x04"],
        ] {
            let Some((ran, seen, fake)) = pasted(&["apply"], pieces) else { return };
            assert_eq!(ran.code, 0, "{ran:?} {seen}");
            assert_eq!(fake.params("plan")["text"], line, "{length}");
            assert!(seen.contains(&format!("2 lines, {} bytes.", line.len())), "{seen}");
        }
    }
}

#[test]
fn regression_a_large_paste_loses_nothing() {
    // 10 MB, each line unlike every other one, and one that is all of a megabyte.
    let mut text: String = (0..400_000).map(|line| format!("line {line} of many, €\n")).collect();
    text.push_str(&"long ".repeat(200_000));
    let typed = text.replace('\n', "\r");
    let Some((ran, seen, fake)) = pasted(&["parse"], &[BEGIN, typed.as_bytes(), END, b"\r"]) else { return };
    assert!(
        text.len() > 10_000_000 && seen.contains(&format!("400001 lines, {} bytes.", text.len())),
        "{seen}"
    );
    let got = fake.params("parse");
    assert!(got["text"] == text, "{ran:?}: {} bytes", got["text"].as_str().unwrap().len());
}

#[test]
fn nothing_typed_is_echoed_and_each_reader_asks() {
    let text = b"README.md\rsrc\r";
    let asked = |args: &[&str], word: &str| {
        let (ran, seen, fake) = pasted(args, &[BEGIN, text, END, b"\r"])?;
        let seen = visible(&seen).replace(word, "WORD");
        let (seen, _) = seen.split_once("␛[?2004l").unwrap();
        expect![[r#"
            ␛[?2004hPaste WORD, then press Enter. If you type it, end with Ctrl-D.
            ␍0 lines, 0 bytes. Ctrl-D ends it.␛[K␍2 lines, 14 bytes. Enter ends it.␛[K
        "#]]
        .assert_eq(seen);
        assert!(!seen.contains("README.md"), "{ran:?} {seen}");
        Some(fake)
    };
    let Some(fake) = asked(&["embed", "--stdin"], "the paths") else { return };
    assert_eq!(fake.params("embed")["paths"].as_array().unwrap().len(), 2);
    let fake = asked(&["embed", "--prompt", "-"], "the prompt").unwrap();
    assert_eq!(fake.params("embed")["prompt"], "README.md\nsrc\n");
    let fake = asked(&["parse"], "the answer").unwrap();
    assert_eq!(fake.params("parse")["text"], "README.md\nsrc\n");
}

#[test]
fn what_is_not_utf_8_is_reported_with_its_place() {
    let Some((ran, seen, fake)) = pasted(&["apply"], &[BEGIN, b"a\rb\xffc", END, b"\r"]) else { return };
    assert_eq!(ran.code, 1, "{ran:?}");
    expect![[r#"
        ␛[?2004hPaste the answer, then press Enter. If you type it, end with Ctrl-D.
        ␍0 lines, 0 bytes. Ctrl-D ends it.␛[K␍2 lines, 5 bytes. Enter ends it.␛[K
        ␛[?2004lclada: standard input is not UTF-8: the byte 0xff at offset 3, line 2, is invalid
          Nothing was applied. Save the answer as UTF-8 and try again.
    "#]]
    .assert_eq(&visible(&seen));
    assert!(fake.methods().is_empty());
}

#[test]
fn a_blank_paste_is_wrong_usage() {
    let Some((ran, seen, fake)) = pasted(&["apply"], &[BEGIN, b" \r", END, b"\r"]) else { return };
    assert_eq!(ran.code, 2, "{ran:?}");
    expect![[r#"
        ␛[?2004hPaste the answer, then press Enter. If you type it, end with Ctrl-D.
        ␍0 lines, 0 bytes. Ctrl-D ends it.␛[K␍1 line, 2 bytes. Enter ends it.␛[K
        ␛[?2004lclada: there is no answer: standard input is empty
          Give the model's answer as a file or through a pipe.
    "#]]
    .assert_eq(&visible(&seen));
    assert!(fake.methods().is_empty(), "{seen}");
}

#[test]
fn a_signal_ends_it_with_the_mode_given_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let fixture = Fixture::new();
        let fake = serve(&fixture);
        let Some(mut terminal) = open() else { return };
        let before = terminal.mode();
        let mut child = terminal.start_typed(&fixture.client(&["apply"]));
        terminal.expect(ASKS);
        terminal.send("\u{1b}[200~half an answer\r");
        terminal.expect("1 line, 15 bytes.");
        // setsid, sh and the program are one process.
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(signal.as_raw()),
            "{status:?}"
        );
        assert_eq!(terminal.mode(), before);
        let seen = terminal.close();
        assert!(seen.contains("\u{1b}[?2004h") && seen.trim_end().ends_with("\u{1b}[?2004l"), "{seen:?}");
        assert!(fake.methods().is_empty());
    }
}

#[test]
fn ctrl_c_carries_nothing_out() {
    for pieces in [&["typed", "\u{3}"][..], &["\u{1b}[200~half an answer", "\u{3}"]] {
        let fixture = Fixture::new();
        let fake = serve(&fixture);
        let Some(mut terminal) = open() else { return };
        let before = terminal.mode();
        let mut child = terminal.start_typed(&fixture.client(&["apply"]));
        terminal.expect(ASKS);
        terminal.send(pieces[0]);
        terminal.expect("1 line, ");
        terminal.send(pieces[1]);
        let status = child.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2), "{status:?}");
        assert_eq!(terminal.mode(), before);
        terminal.close();
        assert!(fake.methods().is_empty());
    }
}

#[test]
fn ctrl_z_gives_the_mode_back_and_fg_goes_on() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let Some(mut terminal) = open() else { return };
    let before = terminal.mode();
    let script = "\"$@\"\necho stopped; read -r line; echo read $line; fg >/dev/null; echo ended $?";
    let child = terminal.start_jobs(&fixture.client(&["apply"]), script);
    terminal.expect(ASKS);
    let raw = terminal.mode();
    terminal.send("\u{1b}[200~one\rtwo\u{1b}[201~");
    terminal.expect("2 lines, 7 bytes. Enter ends it.");
    terminal.send("\u{1a}");
    terminal.expect("stopped\n");
    assert_eq!(terminal.mode(), before);
    terminal.send("a line for the shell\n");
    terminal.expect("read a line for the shell\n");
    terminal.expect("2 lines, 7 bytes. Enter ends it.");
    assert_eq!(terminal.mode(), raw);
    terminal.send("three");
    terminal.expect("2 lines, 12 bytes. Enter ends it.");
    terminal.send("\r");
    terminal.send_long(b"\r".to_vec());
    terminal.expect("ended 0\n");
    assert_eq!(terminal.mode(), before);
    let (_, seen) = end(terminal, child);
    assert_eq!(fake.params("plan")["text"], "one\ntwothree\n", "{seen}");
}

#[test]
fn a_terminal_that_goes_away_carries_nothing_out() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let Some(mut terminal) = open() else { return };
    let child = terminal.start_typed(&fixture.client(&["apply"]));
    terminal.expect(ASKS);
    terminal.send("\u{1b}[200~half an answer\r");
    terminal.expect("1 line, 15 bytes.");
    drop(terminal);
    assert!(!child.wait_with_output().unwrap().status.success());
    assert!(fake.methods().is_empty());
}

#[test]
fn without_a_line_that_changes_the_count_comes_at_the_end() {
    for (name, value) in [("TERM", "dumb"), ("CLADA_PROGRESS", "never")] {
        let fixture = Fixture::new();
        let fake = serve(&fixture);
        let Some(mut terminal) = open() else { return };
        let child = terminal.start_typed(fixture.client(&["apply"]).env(name, value));
        terminal.expect(ASKS);
        terminal.send("one\rtwo\r");
        terminal.send_long(b"\x04".to_vec());
        terminal.expect("2 lines, 8 bytes.\n");
        let (ran, seen) = end(terminal, child);
        assert_eq!((ran.code, seen.contains("\u{1b}[K")), (0, false), "{seen:?}");
        assert_eq!(seen.contains('\u{1b}'), name != "TERM", "{seen:?}");
        assert_eq!(fake.params("plan")["text"], "one\ntwo\n");
    }
}
