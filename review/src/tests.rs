//! The screens at the widths that matter, and what keys make of a plan; without a terminal and without a daemon.

use std::time::{Duration, Instant};

use clada_protocol::{PlanResult, Review, ReviewUnit};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use expect_test::{Expect, expect};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde_json::{Value, json};

use crate::app::{App, AppAction};
use crate::daemon::Ask;
use crate::document::ViewDocument;
use crate::draw::{Palette, draw};
use crate::events::DaemonReply;
use crate::model::{Consent, Model};
use crate::popup::PAUSE;

mod moving;
mod safety;

fn hunk(number: usize, group: &str, removed: &[&str], added: &[&str]) -> Value {
    json!({
        "id": format!("f{number}"), "start": number * 10, "removed": removed, "added": added,
        "before": ["fn before() {\n"], "after": ["}\n"], "parts": [format!("a{number}.h1")], "group": group,
    })
}

fn action(number: usize, name: &str, path: &str) -> Value {
    json!({
        "id": format!("a{number}"), "seq": number, "task": number.to_string(), "blockId": null, "action": name,
        "path": format!("/proj/{path}"), "hunks": [{ "id": format!("a{number}.h1"), "diff": "" }],
    })
}

/// A plan with two files, a command that needs approval, and a fault.
fn plan() -> PlanResult {
    let mut command = action(3, "run", "");
    command["command"] = json!("make test");
    command["needsApproval"] = json!("c1");
    command["hunks"] = json!([]);
    let mut fault = action(4, "file_replace_text", "gone.rs");
    fault["unplannable"] = json!({ "kind": "no_match", "error": "file_replace_text: old_text not found in '/proj/gone.rs' (NO_MATCH)",
        "hint": "Nothing in the file is similar." });
    let plan = json!({
        "planId": "p1", "expiresInMs": 1, "totalBlocks": 4, "parseErrors": [], "diff": "",
        "actions": [action(1, "file_replace_text", "src/a.rs"), action(2, "file_replace_text", "src/a.rs"), command, fault],
        "approvals": [{
            "id": "c1", "kind": "command", "task": "3", "path": "/proj", "reason": "it is not on the list",
            "command": "make test", "dir": "/proj", "program": "/usr/bin/make", "network": false,
            "withNetwork": "c1n", "timeoutMs": 30000, "sandbox": "bubblewrap",
        }],
        "files": [{
            "path": "src/a.rs", "uri": "file:///proj/src/a.rs", "kind": "change", "hunks": [
                hunk(1, "g1", &["    let old = 1;\n", "    let gone = 2;\n"], &["    let new = \u{1b}[31m1;\n"]),
                hunk(2, "g2", &["  a\n"], &["\ta\n"]),
            ],
        }],
    });
    serde_json::from_value(plan).unwrap()
}

/// The plan with its units as the daemon makes them: a hunk or an action each, known by its lines.
fn reviewed(plan: &PlanResult) -> PlanResult {
    let mut units: Vec<ReviewUnit> = Vec::new();
    let mut add = |id: &str, key: String| match units.iter_mut().find(|unit| unit.id == id) {
        Some(unit) => unit.key.push_str(&key),
        None => units.push(ReviewUnit { id: id.to_owned(), key, accepted: true, ..ReviewUnit::default() }),
    };
    let files = plan.files.iter().flat_map(|file| file.hunks.iter().map(move |hunk| (&file.path, hunk)));
    files.for_each(|(path, hunk)| add(&hunk.group, format!("{path}{:?}{:?}", hunk.removed, hunk.added)));
    let mut always = Vec::new();
    for action in &plan.actions {
        match (&action.unplannable, &action.command) {
            (Some(_), _) => always.push(action.id.clone()),
            (None, Some(command)) => units.push(ReviewUnit {
                id: action.id.clone(),
                key: command.clone(),
                approvals: action.needs_approval.iter().cloned().collect(),
                title: Some(format!("run {command}")),
                ..ReviewUnit::default()
            }),
            (None, None) => {}
        }
    }
    let mut plan = PlanResult { review: Some(Review { units, always, ..Review::default() }), ..plan.clone() };
    plan.files.iter_mut().for_each(|file| file.title = format!("change {}", file.path));
    plan
}

struct Screen {
    app: App,
    now: Instant,
    columns: u16,
    rows: u16,
    /// What the daemon would plan now.
    plan: PlanResult,
}

impl Screen {
    fn new(columns: u16) -> Screen {
        Screen::of(plan(), columns)
    }

    fn of(plan: PlanResult, columns: u16) -> Screen {
        let app = App::new("/proj".to_owned(), "answer.md".to_owned(), |_| "then".to_owned());
        let mut screen = Screen { app, now: Instant::now(), columns, rows: 24, plan };
        screen.app.handle_reply(DaemonReply::Plan(Box::new(reviewed(&screen.plan)), None), screen.now);
        screen
    }

    /// Answers the requests for a plan.
    fn plans(&mut self) {
        while let Some(at) = self.app.asks.iter().position(|ask| matches!(ask, Ask::Subject)) {
            self.app.asks.remove(at);
            self.app.handle_reply(DaemonReply::Plan(Box::new(reviewed(&self.plan)), None), self.now);
        }
    }

    fn text(&mut self) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.columns, self.rows));
        draw(&mut self.app, &mut buffer, Palette(false), self.now);
        let line = |y| (0..self.columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..self.rows).map(|y| line(y).trim_end().to_owned() + "\n").collect()
    }

    /// Types these letters, each after a pause.
    fn types(&mut self, letters: &str) {
        for letter in letters.chars() {
            self.now += PAUSE;
            self.text();
            let code = match letter {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                letter => KeyCode::Char(letter),
            };
            self.app.key(KeyEvent::new(code, KeyModifiers::NONE), self.now);
            self.plans();
        }
    }

    fn expect(&mut self, expected: &Expect) {
        expected.assert_eq(&self.text());
    }

    /// Returns what is to be applied, if it is.
    fn carried(&mut self) -> Option<(Vec<String>, Vec<String>)> {
        self.app.asks.drain(..).find_map(|ask| match ask {
            Ask::CarryOut(wanted, ..) => Some((wanted.accept, wanted.approve)),
            _ => None,
        })
    }
}

#[test]
fn a_plan_at_60_columns() {
    Screen::new(60).expect(&expect![[r#"
        clada review · 2 of 3 changes · 1 cannot · 1 to appro…  6/24
          file 1 of 1 · change src/a.rs · tasks 1, 2
          It is applied in the order of its tasks, which are
            numbered here.
          1 action cannot be applied; Tab on its line shows why:
          [task-4] ERROR: file_replace_text - old_text not found in
            'gone.rs' (NO_MATCH)
        > [x] change src/a.rs · tasks 1, 2 · 2 hunks
          [x] @@ -11,2 +11,1 @@
            10  fn before() {
            11 -    let old = 1;
            12 -    let gone = 2;
            11 +    let new = \u{1b}[31m1;
            12  }
          [x] @@ -21,1 +20,1 @@
            19  fn before() {
            21 -··a
            20 +→   a
            21  }
          [!] task 3: run - make test
              WARNING: The command needs your approval: it is not on
                the list.
                  | make test
        y n a x decide · ZZ apply · / find · ? help · q quit
    "#]]);
}

#[test]
fn a_plan_at_100_columns() {
    Screen::new(100).expect(&expect![[r#"
        clada review · 2 of 3 changes · 1 cannot · 1 to approve · answer.md                             4/18
          file 1 of 1 · change src/a.rs · tasks 1, 2
          It is applied in the order of its tasks, which are numbered here.
          1 action cannot be applied; Tab on its line shows why:
          [task-4] ERROR: file_replace_text - old_text not found in 'gone.rs' (NO_MATCH)
        > [x] change src/a.rs · tasks 1, 2 · 2 hunks
          [x] @@ -11,2 +11,1 @@
            10  fn before() {                            |   10  fn before() {
            11 -    let old = 1;                         |   11 +    let new = \u{1b}[31m1;
            12 -    let gone = 2;                        |
            13  }                                        |   12  }
          [x] @@ -21,1 +20,1 @@
            20  fn before() {                            |   19  fn before() {
            21 -··a                                      |   20 +→   a
            22  }                                        |   21  }
          [!] task 3: run - make test
              WARNING: The command needs your approval: it is not on the list.
                  | make test
                  by /usr/bin/make; at most 30 s; no network; sandbox bubblewrap
          Apply: 2 of 3 changes (Enter, or ZZ anywhere)



        y n a x decide · ZZ apply · / find · ? help · q quit
    "#]]);
}

#[test]
fn a_plan_at_140_columns_with_a_hunk_left_out_and_a_question() {
    let mut screen = Screen::new(140);
    screen.types("]nGy");
    screen.types("]]ZZ");
    screen.expect(&expect![[r#"
        clada review · 1 of 3 changes · 1 cannot · 1 to approve · answer.md                                                                    18/18

          It is applied in the order of its tasks, which are numbered here.
          1 action cannot be applied; Tab on its line shows why:
          [task-4] ERROR: file_replace_text - old_text not found in 'gone.rs' (NO_MATCH)
          [-] change src/a.rs · tasks 1, 2 · 2 hunks
          [ ] @@ -11,2 +11,1 @@
            10  fn before() {                                                |   10  fn before() {
            11 -    let old = 1;                                             |   11 +    let new = \u{1b}[31m1;
            12 -    let gone = 2;                                            |
            13  }                                                            |   12  }
          [x] @@ -21,1 +20,1 @@
            20  fn before() {                                                |   19  fn before() {
            21 -··a                                                          |   20 +→   a
            22  }                                                            |   21  }
          [!] task 3: run - make test
              WARNING: The command needs your approval: it is not on the list.
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         This answer needs your approval:
           task 3, a command: it is not on the list. [c1]
             | make test
             by /usr/bin/make; at most 30 s; no network; sandbox bubblewrap
         y once · a always · w once, with network · n no · q none of the rest · Esc back
        j k Space b g G scroll · Esc back
    "#]]);
}

#[test]
fn the_smallest_terminals_and_every_width_are_drawn() {
    for columns in (1..160).step_by(7) {
        let mut screen = Screen::new(columns);
        screen.types("]n?");
        screen.text();
    }
}

#[test]
fn what_is_carried_out_is_what_was_accepted() {
    let mut screen = Screen::new(80);
    screen.types("]nZZ");
    assert_eq!(screen.carried(), None, "a command waits for its approval");
    screen.types("w");
    let expected = (vec!["g2".into(), "a3".into(), "a4".into()], vec!["c1".into(), "c1n".into()]);
    assert_eq!(screen.carried(), Some(expected));

    let mut screen = Screen::new(80);
    screen.types("ZZn");
    let expected = (vec!["g1".into(), "g2".into(), "a4".into()], vec![]);
    assert_eq!(screen.carried(), Some(expected));
}

#[test]
fn a_key_that_is_held_down_approves_nothing() {
    let mut screen = Screen::new(80);
    screen.types("ZZ");
    for _ in 0..100 {
        screen.now += PAUSE - Duration::from_millis(1);
        screen.text();
        screen.app.key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE), screen.now);
    }
    assert_eq!(screen.carried(), None);
    screen.types("y");
    assert!(screen.carried().is_some());
}

#[test]
fn a_question_that_is_closed_carries_nothing_out() {
    let mut screen = Screen::new(80);
    screen.types("ZZ");
    screen.app.key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), screen.now);
    assert_eq!(screen.carried(), None);
    assert!(screen.app.popup.is_none());
    screen.app.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), screen.now);
    assert_eq!(screen.app.act, Some(AppAction::Leave), "nothing was decided");
}

#[test]
fn regression_what_is_approved_is_applied_by_the_plan_that_was_shown() {
    let mut screen = Screen::new(80);
    screen.plan.plan_id = "p2".to_owned();
    screen.types("ZZy");
    let asked = screen.app.asks.iter().find_map(|ask| match ask {
        Ask::CarryOut(selection, ..) => Some((selection.plan_id.clone(), selection.approve.clone())),
        _ => None,
    });
    assert_eq!(asked, Some(("p1".to_owned(), vec!["c1".to_owned()])));
    // The daemon knows of another operation since: the user is asked again.
    screen.app.asks.clear();
    let mut error = clada_protocol::RpcError::new(clada_protocol::ErrorKind::Conflict, "files have changed");
    error = error.with(clada_protocol::STALE_APPROVALS, true);
    screen.app.handle_reply(DaemonReply::Carried(Err(error.into())), screen.now);
    screen.plans();
    assert_eq!(screen.carried(), None, "nothing is applied unasked");
}

#[test]
fn decisions_are_kept_by_what_the_hunks_say() {
    let mut earlier = Model::new(reviewed(&plan()));
    earlier.set(0, false);
    earlier.consent("c1", Consent::Once);
    let mut same = Model::new(reviewed(&plan()));
    assert!(same.carry(&earlier));
    assert_eq!(same.count(), (2, 3));
    // Another line of the same file: what is new is not taken for what was decided.
    let mut other = plan();
    other.files[0].hunks[0].added = vec!["else\n".to_owned()];
    other.files[0].hunks[1].group = "g9".to_owned();
    let mut next = Model::new(reviewed(&other));
    assert!(!next.carry(&earlier));
    assert!(next.units[0].is_new && !next.units[1].is_new);
}

#[test]
fn equal_hunks_of_which_one_was_left_out_are_left_out_when_one_is_gone() {
    let twice = |count: usize| {
        let mut plan = plan();
        let first = plan.files[0].hunks[0].clone();
        plan.files[0].hunks = (0..count)
            .map(|at| clada_protocol::FileHunk { group: format!("g{at}"), ..first.clone() })
            .collect();
        Model::new(reviewed(&plan))
    };
    let mut earlier = twice(3);
    earlier.set(1, false);
    let mut same = twice(3);
    same.carry(&earlier);
    assert_eq!([0, 1, 2].map(|unit| same.units[unit].accepted), [true, false, true]);
    let mut fewer = twice(2);
    fewer.carry(&earlier);
    assert_eq!([0, 1].map(|unit| fewer.units[unit].accepted), [false, false]);
}

#[test]
fn long_lines_go_on_below_and_hide_nothing() {
    let long = format!("{}evil()", " ".repeat(300));
    for columns in [60, 100, 140] {
        let mut plan = plan();
        plan.files[0].hunks[0].added = vec![format!("{long}\n"), "漢字".repeat(60) + "\n"];
        let mut screen = Screen::new(columns);
        screen.app.handle_reply(DaemonReply::Plan(Box::new(reviewed(&plan)), None), screen.now);
        let rows = |screen: &Screen| screen.app.views[0].rows.clone();
        screen.text();
        let lines = rows(&screen).into_iter().filter(|row| row.kind == crate::rows::Kind::Lines);
        let text: String = lines
            .filter_map(|row| row.right.or(row.left))
            .map(|cell| cell.text.chars().skip(7).collect::<String>())
            .collect();
        assert!(text.contains("evil()"), "{columns}: {text}");
        assert_eq!(text.matches(['漢', '字']).count(), 120, "{columns}");
    }
}

#[test]
fn a_diff_is_read_as_files_hunks_and_lines() {
    let diff = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n one\n--- two\n+++ two\n three\n\
                diff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-end\n\\ No newline at end of file\n";
    let document = ViewDocument::of_diff(diff, Vec::new());
    let shown: Vec<(String, Vec<String>)> = document
        .sections
        .iter()
        .map(|section| {
            let lines = section.parts.iter().flat_map(|part| &part.lines);
            (
                section.title.clone(),
                lines.map(|line| format!("{:?} {} {}", line.side, line.number, line.text)).collect(),
            )
        })
        .collect();
    expect![[r#"
        [
            (
                "x",
                [
                    "Both 3 one",
                    "Old 4 -- two",
                    "New 4 ++ two",
                    "Both 5 three",
                ],
            ),
            (
                "y",
                [
                    "Old 1 end",
                    "Note 0  No newline at end of file",
                ],
            ),
        ]
    "#]]
    .assert_eq(&format!("{shown:#?}\n"));
}

#[test]
fn blanks_that_alone_differ_have_signs_in_a_diff_too() {
    let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n  one\n-        y()\n+\ty()\n";
    let document = ViewDocument::of_diff(diff, Vec::new());
    let lines: Vec<&str> =
        document.sections[0].parts[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, [" one", "········y()", "→   y()"]);
}

#[test]
fn words_are_found_from_the_cursor_on_and_from_the_beginning_again() {
    let mut screen = Screen::new(80);
    screen.types("/GONE\n");
    let line = |screen: &Screen| {
        let view = &screen.app.views[0];
        view.rows[view.cursor].texts().collect::<String>()
    };
    assert!(line(&screen).contains("let gone"), "{}", line(&screen));
    screen.types(".");
    assert!(line(&screen).contains("gone.rs"), "{}", line(&screen));
    screen.types("/nowhere\n");
    assert_eq!(screen.app.note, "Not found: nowhere");
}
