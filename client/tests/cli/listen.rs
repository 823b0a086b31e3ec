//! `listen`: answers that appear in a clipboard or a file of the test's own.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};

use expect_test::expect;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::clipboard::{client, clipboard, lay, put};
use crate::fake::{Fake, Fixture, Reply, finish, run, written};
use crate::interactive::{change, executed, plan};
use crate::terminal::Terminal;

/// Returns a daemon for which a text with `answer` holds a block, and one with `half` the beginning of one.
fn serve(fixture: &Fixture) -> Fake {
    let plan = plan(json!([change(fixture, 1, "1", 1)]));
    let written = written(fixture);
    Fake::serve(fixture, move |method, params| match method {
        "parse" => Reply::Result(parsed(params["text"].as_str().unwrap())),
        "plan" => Reply::Result(plan.clone()),
        "execute" if params["planId"].is_string() => Reply::Result(executed(&plan, params)),
        _ => Reply::Result(written.clone()),
    })
}

fn parsed(text: &str) -> Value {
    let block = |end: Option<u32>| {
        json!([{"dialect": "sham", "id": "abc", "startLine": 1, "endLine": end, "policy": "each", "actions": 1,
            "valid": end.is_some()}])
    };
    let blocks = if text.contains("answer") {
        block(Some(3))
    } else if text.contains("half") {
        block(None)
    } else {
        json!([])
    };
    json!({
        "actions": [], "errors": [], "blocks": blocks,
        "summary": {"totalBlocks": 1, "successCount": 1, "errorCount": 0},
    })
}

/// Waits until `reached` holds: long enough for any machine, and not for ever.
#[track_caller]
fn until(reached: impl Fn() -> bool) {
    for _ in 0..3000 {
        if reached() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("it does not come to that");
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

#[test]
fn an_answer_that_is_copied_is_shown_asked_about_and_reported() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    lay(&fixture, "wl-copy", "/bin/cat > \"$C\"");
    // It notes what is asked of it.
    lay(
        &fixture,
        "wl-paste",
        "case $1 in --list-types) echo types >> \"$C.log\"; exec /bin/cat \"$C.types\";; esac\necho read >> \"$C.log\"\nexec /bin/cat \"$C\"",
    );
    let types = |text: &str| std::fs::write(fixture.path("clipboard.types"), text).unwrap();
    let log = || std::fs::read_to_string(fixture.path("clipboard.log")).unwrap();
    let parses = || fake.methods().iter().filter(|method| *method == "parse").count();
    types("text/plain\n");
    put(&fixture, "an answer from before");
    let Some(mut terminal) = Terminal::open() else { return };
    let child = terminal.start_whole(&client(&fixture, &["listen"]), b"");
    terminal.expect("Listening to the clipboard (wl-paste) for answers. Reports for the model are copied (wl-copy). Ctrl-C ends it.\n");
    put(&fixture, "half");
    terminal.expect("ends inside a block");
    put(&fixture, "half, and more");
    until(|| parses() == 2);
    put(&fixture, "no blocks");
    until(|| parses() == 3);
    put(&fixture, "an answer");
    let shown = terminal.answer("(1/1) Apply this? ", "y\n");
    expect![[r#"
        : clada applies it when the rest arrives.
        Is this all of it? Then give it to `clada apply`.

        An answer:
        [task-1] ␛[32mPLANNED␛[0m: file_replace_text - change 1.txt
        ␛[36m@@ -1 +1 @@␛[0m
        ␛[31m-old 1.1␛[0m
        ␛[32m+new 1.1␛[0m
        (1/1) Apply this? "#]]
    .assert_eq(&fixture.shown(&shown));
    let shown = terminal.expect("is in the clipboard (wl-copy).\n");
    expect![[r#"
        [y,n,a,e,q,?] y
        [task-1] ␛[32mSUCCESS␛[0m: file_replace_text - 1 replacement in 1.txt

        1 action: 1 succeeded. Operation op1.
        The report for the model is in the clipboard (wl-copy).
    "#]]
    .assert_eq(&fixture.shown(&shown));
    assert!(clipboard(&fixture).starts_with("clada-report "));
    // The report is looked into as any text, and holds no block.
    until(|| parses() == 5);
    // A password manager's text: its types are asked for, nothing else.
    types("text/plain\nx-kde-passwordManagerHint\n");
    put(&fixture, "a secret answer");
    let looks = |log: &str| log.lines().filter(|line| *line == "types").count();
    let before = looks(&log());
    until(|| looks(&log()) > before + 1);
    let reads = |log: &str| log.lines().filter(|line| *line == "read").count();
    let (looked, read) = (looks(&log()), reads(&log()));
    until(|| looks(&log()) > looked + 1);
    assert_eq!(reads(&log()), read);
    terminal.send("\u{3}");
    let seen = terminal.close();
    assert_eq!(finish(child).code, 0, "{seen}");
    assert_eq!(parses(), 5, "{seen}");
}

#[test]
fn a_file_that_is_saved_is_carried_out_by_yes_without_any_approval() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    std::fs::write(fixture.project().join("answer.md"), "an answer from before").unwrap();
    let mut command = fixture.client(&["listen", "answer.md", "--yes", "--git", "refs"]);
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let mut begun = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut begun).unwrap();
    expect![[r#"
        Listening to /TOP/home/project/answer.md for answers. Reports for the model are not copied: There is neither WAYLAND_DISPLAY nor DISPLAY here. To give clada an answer, run `clada apply` and paste it at the terminal. Ctrl-C ends it.
    "#]].assert_eq(&fixture.shown(&begun));
    // As an editor does: the new file replaces the old one.
    let new = fixture.project().join("answer.new");
    std::fs::write(&new, "the answer").unwrap();
    std::fs::rename(new, fixture.project().join("answer.md")).unwrap();
    let mut report = BufReader::new(child.stdout.take().unwrap()).lines();
    let report: Vec<String> = std::iter::from_fn(|| report.next()).map(Result::unwrap).take(3).collect();
    expect![[r#"
        [task-1] SUCCESS: file_write - created a.txt (3 bytes)

        1 action: 1 succeeded. Operation op1."#]]
    .assert_eq(&fixture.shown(&report.join("\n")));
    let params = fake.params("execute");
    assert_eq!((&params["text"], &params["git"]), (&json!("the answer"), &json!("refs")));
    assert_eq!(params.get("approve"), None);
    interrupt(&child);
    child.wait().unwrap();
}

/// Returns the writing end of a pipe without room, and its reading end.
#[cfg(target_os = "linux")]
fn full_pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let flags = rustix::fs::fcntl_getfl(&writer).unwrap();
    rustix::fs::fcntl_setfl(&writer, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    while writer.write(&[b'.'; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, flags).unwrap();
    (reader, writer)
}

/// A background job of a script ignores Ctrl-C, and so does everything it starts: a program that names the key has to
/// catch it before.
#[test]
#[cfg(target_os = "linux")]
fn regression_ctrl_c_ends_it_from_the_moment_it_is_named() {
    let fixture = Fixture::new();
    std::fs::write(fixture.project().join("answer.md"), "an answer from before").unwrap();
    let client = fixture.client(&["listen", "answer.md", "--yes"]);
    let (mut reader, writer) = full_pipe();
    let mut command = fixture.program("/bin/sh".as_ref(), &["-c", "trap '' INT; exec \"$0\" \"$@\""]);
    let child = command.arg(client.get_program()).args(client.get_args()).stderr(writer).spawn().unwrap();
    drop(command);
    // It waits to write to standard error, descriptor 2.
    let state =
        |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap_or_default();
    until(|| state("syscall").split(' ').nth(1) == Some("0x2"));
    interrupt(&child);
    let mut shown = String::new();
    reader.read_to_string(&mut shown).unwrap();
    assert!(shown.contains("Ctrl-C ends it."), "{shown}");
    assert_eq!(finish(child).code, 0, "{shown}");
}

#[test]
fn regression_ctrl_c_is_not_lost_while_a_text_still_changes() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    // It interrupts the client that reads the answer.
    let read = "text=$(/bin/cat \"$C\")\necho \"$text\"\n[ \"$text\" != answer ] || kill -INT $PPID";
    lay(&fixture, "wl-paste", read);
    put(&fixture, "before");
    let Some(mut terminal) = Terminal::open() else { return };
    let child = terminal.start_whole(&client(&fixture, &["listen"]), b"");
    terminal.expect("Ctrl-C ends it.\n");
    put(&fixture, "answer");
    let ran = finish(child);
    let seen = terminal.close();
    assert_eq!(ran.code, 0, "{seen}");
    assert_eq!(fake.methods(), Vec::<String>::new(), "{seen}");
}

#[test]
fn nothing_is_applied_unseen_from_a_clipboard() {
    let fixture = Fixture::new();
    let mut seen = String::new();
    for args in [&["--yes"][..], &["--clipboard", "--yes"], &["a.md", "--clipboard"], &["a.md"], &[]] {
        let ran = run(&mut client(&fixture, &[&["listen"], args].concat()));
        let first = ran.stderr.lines().take(2).collect::<Vec<_>>().join(" ");
        seen.push_str(&format!("{args:?} {} {}\n", ran.code, fixture.shown(&first)));
    }
    expect![[r#"
        ["--yes"] 2 error: the following required arguments were not provided:   <FILE>
        ["--clipboard", "--yes"] 2 error: the argument '--clipboard' cannot be used with '--yes' 
        ["a.md", "--clipboard"] 2 error: the argument '[FILE]' cannot be used with '--clipboard' 
        ["a.md"] 2 clada: listen needs a terminal   With a file, --yes applies everything that needs no approval, without asking.
        [] 2 clada: listen needs a terminal   With a file, --yes applies everything that needs no approval, without asking.
    "#]].assert_eq(&seen);
}
