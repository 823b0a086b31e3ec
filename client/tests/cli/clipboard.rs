//! The clipboard: programs of the test's own in a PATH of the test's own.

use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};

use crate::fake::{Fake, Fixture, Ran, Reply, finish, lay_program, run, written};
use crate::terminal::Terminal;

/// Lays a program of the clipboard: a shell script. `$C` in it is the file that is the clipboard.
pub(crate) fn lay(fixture: &Fixture, name: &str, body: &str) {
    let bin = fixture.path("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let text = format!("#!/bin/sh\nC='{}'\n{body}\n", fixture.path("clipboard").display());
    lay_program(&bin.join(name), text.as_bytes());
}

/// Lays both programs of Wayland.
fn lay_wayland(fixture: &Fixture) {
    lay(fixture, "wl-copy", "/bin/cat > \"$C\"");
    lay(fixture, "wl-paste", "exec /bin/cat \"$C\"");
}

/// Returns the client with these programs alone, at a display.
pub(crate) fn client(fixture: &Fixture, args: &[&str]) -> Command {
    let mut command = fixture.client(args);
    command.env("PATH", fixture.path("bin")).env("WAYLAND_DISPLAY", "wayland-0").env("DISPLAY", ":0");
    command
}

pub(crate) fn put(fixture: &Fixture, text: impl AsRef<[u8]>) {
    std::fs::write(fixture.path("clipboard"), text).unwrap();
}

pub(crate) fn clipboard(fixture: &Fixture) -> String {
    std::fs::read_to_string(fixture.path("clipboard")).unwrap_or_default()
}

/// Returns a daemon that carries out what it is asked for.
fn serve(fixture: &Fixture) -> Fake {
    let written = written(fixture);
    Fake::serve(fixture, move |method, _| match method {
        "execute" => Reply::Result(written.clone()),
        "instructions" => Reply::Result(json!({"text": "Write blocks.\n", "dialect": "sham"})),
        "embed" => {
            let event = |text: &str| {
                let params = json!({"seq": 1, "kind": "text", "text": text});
                json!({"jsonrpc": "2.0", "method": "embed.event", "params": params}).to_string()
            };
            let result = json!({
                "files": [], "omitted": [], "errors": [], "warnings": [], "notes": [], "bytes": 13,
                "needsApproval": false,
            });
            let result = json!({"jsonrpc": "2.0", "id": 2, "result": result}).to_string();
            Reply::Lines(vec![event("# a\n"), event("\u{1b}[1m # b\n"), result])
        }
        _ => Reply::Result(Value::Null),
    })
}

fn ended(fixture: &Fixture, ran: &Ran) -> String {
    format!("{}\n{}{}", ran.code, fixture.shown(&ran.stdout), fixture.shown(&ran.stderr))
}

#[test]
fn an_answer_comes_from_the_clipboard_and_the_report_goes_there() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    lay_wayland(&fixture);
    put(&fixture, "the answer: ä\r\n\n");
    let ran = run(&mut client(&fixture, &["apply", "--paste", "--copy"]));
    expect![[r#"
        0
        [task-1] SUCCESS: file_write - created a.txt (3 bytes)

        1 action: 1 succeeded. Operation op1.
        The report for the model is in the clipboard (wl-copy).
    "#]]
    .assert_eq(&ended(&fixture, &ran));
    assert_eq!(fake.params("execute")["text"], "the answer: ä\r\n\n");
    let report = clipboard(&fixture);
    let nonce = report.lines().next().unwrap().strip_prefix("clada-report ").unwrap();
    let report = report.replace(nonce, "NONCE");
    expect![[r#"
        clada-report NONCE
        [task-1] SUCCESS: file_write - created a.txt (3 bytes)

        1 task: 1 succeeded.
        end NONCE
    "#]]
    .assert_eq(&report);
}

#[test]
fn instructions_are_copied_instead_of_printed() {
    let fixture = Fixture::new();
    let _fake = serve(&fixture);
    lay_wayland(&fixture);
    let ran = run(&mut client(&fixture, &["instructions", "--copy"]));
    expect![[r#"
        0
        The text for the model is in the clipboard (wl-copy).
    "#]]
    .assert_eq(&ended(&fixture, &ran));
    assert_eq!(clipboard(&fixture), "Write blocks.\n");
}

#[test]
fn a_document_is_copied_as_it_is_and_not_printed() {
    let fixture = Fixture::new();
    let _fake = serve(&fixture);
    lay_wayland(&fixture);
    let ran = run(&mut client(&fixture, &["embed", ".", "--copy"]));
    expect![[r#"
        0
        0 files, 13 bytes, ≈ 4 tokens
        The document (13 bytes) is in the clipboard (wl-copy).
    "#]]
    .assert_eq(&ended(&fixture, &ran));
    assert_eq!(clipboard(&fixture), "# a\n\u{1b}[1m # b\n");
}

#[test]
fn every_failure_of_a_tool_is_told() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let mut seen = String::new();
    for (what, paste) in [
        ("not there", None),
        ("fails", Some("echo 'Nothing is \x1b[2Jcopied' >&2; exit 1")),
        ("not UTF-8", Some("printf 'a\\377'")),
        ("blank", Some("echo ' '")),
        ("endless", Some("exec /bin/cat /dev/zero")),
    ] {
        if let Some(paste) = paste {
            lay(&fixture, "wl-paste", paste);
        }
        let ran = run(&mut client(&fixture, &["apply", "--paste"]));
        seen.push_str(&format!("-- {what}\n{}", ended(&fixture, &ran)));
    }
    expect![[r#"
        -- not there
        1
        clada: there is no program to paste from the clipboard
          Nothing was changed. Install wl-clipboard.
        -- fails
        1
        clada: the clipboard cannot be used: wl-paste: Nothing is \u{1b}[2Jcopied
        -- not UTF-8
        1
        clada: the clipboard is not UTF-8: the byte 0xff at offset 1, line 1, is invalid
          Nothing was applied. Save the answer as UTF-8 and try again.
        -- blank
        2
        clada: there is no answer: the clipboard is empty
          Give the model's answer as a file or through a pipe.
        -- endless
        1
        clada: the clipboard is too large (input_too_large): reading stopped after 52428801 bytes, and the limit is 52428800 bytes (50 MB, the default of limits.input)
          Nothing was applied. Apply the answer in parts.
    "#]].assert_eq(&seen);
    assert_eq!(fake.methods(), [""; 0]);
}

#[test]
fn without_a_tool_to_copy_nothing_is_carried_out() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    lay(&fixture, "wl-paste", "echo answer");
    let mut seen = String::new();
    for args in [&["apply", "--paste", "--copy"][..], &["instructions", "--copy"], &["embed", ".", "--copy"]]
    {
        seen.push_str(&ended(&fixture, &run(&mut client(&fixture, args))));
    }
    expect![[r#"
        1
        clada: there is no program to copy to the clipboard
          Nothing was changed. Install wl-clipboard. With `--format llm` clada prints that report instead.
        1
        clada: there is no program to copy to the clipboard
          Nothing was changed. Install wl-clipboard.
        1
        clada: there is no program to copy to the clipboard
          Nothing was changed. Install wl-clipboard.
    "#]]
    .assert_eq(&seen);
    assert_eq!(fake.methods(), [""; 0]);
}

#[test]
fn a_tool_that_stays_in_the_background_is_not_waited_for() {
    let fixture = Fixture::new();
    let _fake = serve(&fixture);
    // It holds every descriptor that it has, as those that serve the clipboard do.
    lay(&fixture, "wl-copy", "/bin/cat > \"$C\"; /bin/sleep 1000 & echo $! > \"$C.pid\"");
    let ran = run(&mut client(&fixture, &["instructions", "--copy"]));
    assert_eq!((ran.code, clipboard(&fixture).as_str()), (0, "Write blocks.\n"), "{ran:?}");
    let pid = std::fs::read_to_string(fixture.path("clipboard.pid")).unwrap();
    // It lives on, until now.
    assert!(Command::new("/bin/kill").arg(pid.trim()).status().unwrap().success());
}

#[test]
fn over_ssh_the_terminal_is_asked_and_that_is_said() {
    let fixture = Fixture::new();
    let _fake = serve(&fixture);
    let Some(terminal) = Terminal::open() else { return };
    let mut command = fixture.client(&["instructions", "--copy"]);
    command.env("SSH_TTY", "/dev/pts/7");
    let child = terminal.start(&command, b"");
    let seen = terminal.close();
    assert_eq!(finish(child).code, 0);
    expect![[r#"
        ␛]52;c;V3JpdGUgYmxvY2tzLgo=␇The text for the model was sent to the terminal's clipboard (OSC 52). The terminal does not confirm it.
    "#]].assert_eq(&fixture.shown(&seen));
    // Where standard error is not a terminal, nobody would obey the sequence.
    let ran = run(&mut command);
    expect![[r#"
        1
        clada: there is no program to copy to the clipboard
          Nothing was changed. Over ssh clada can only copy, and only if standard error is the terminal. To give clada an answer, run `clada apply` and paste it at the terminal.
    "#]].assert_eq(&ended(&fixture, &ran));
}

#[test]
fn a_folder_without_a_fixed_place_is_not_searched() {
    let fixture = Fixture::new();
    let _fake = serve(&fixture);
    lay_program(&fixture.project().join("wl-copy"), b"#!/bin/sh\n/bin/touch /$HOME/never\n");
    let ran = run(client(&fixture, &["instructions", "--copy"]).env("PATH", "."));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!fixture.path("home/never").exists());
}
