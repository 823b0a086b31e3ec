//! The line at the terminal while a request takes long.

use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use serde_json::{Value, json};

use crate::fake::{Fake, Fixture, Reply};
use crate::terminal::Terminal;

/// A daemon that answers with `result` once it is let.
fn slow(fixture: &Fixture, result: Value) -> (Fake, Sender<()>) {
    let (let_go, waits) = channel();
    let waits = Mutex::new(waits);
    let fake = Fake::serve(fixture, move |_, _| {
        waits.lock().unwrap().recv().unwrap();
        Reply::Result(result.clone())
    });
    (fake, let_go)
}

#[test]
fn a_request_that_takes_long_says_so_until_it_ends() {
    let staged = json!({ "copied": [], "removed": [], "renamed": [], "files": 0, "eligible": 0, "warnings": [],
                         "firstRun": false, "omitted": [], "truncated": false });
    let embedded = json!({ "files": [], "omitted": [], "errors": [], "warnings": [], "bytes": 1 });
    for (args, result, line) in [
        (&["stage", "--dry-run"][..], staged, "Staging: 1 s, Ctrl-C stops it"),
        (&["embed", "."], embedded, "Looking for files to embed: 1 s, Ctrl-C stops it"),
    ] {
        let fixture = Fixture::new();
        let (_fake, let_go) = slow(&fixture, result);
        let Some(mut terminal) = Terminal::open() else { return };
        let child = terminal.start(&fixture.client(args), b"");
        let before = terminal.expect(line);
        assert!(before.ends_with(&format!("\r\u{1b}[K{line}")), "{before:?}");
        let_go.send(()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success());
        let rest = terminal.close();
        let after = rest.rsplit_once("stops it").unwrap().1;
        assert!(after.starts_with("\r\u{1b}[K"), "the line is gone: {rest:?}");
    }
}
