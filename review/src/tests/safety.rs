//! What must never happen: something is approved unseen, applied unasked, or passes for what it is not.

use clada_protocol::ApprovalDecision;

use super::*;

/// The plan with code of so many lines in place of its command.
fn with_code(lines: usize) -> PlanResult {
    let mut plan = plan();
    let code: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
    let command = plan.approvals[0].command.as_mut().unwrap();
    (command.code, command.with_network) = (Some(code.clone()), None);
    plan.actions[2].action = "exec".to_owned();
    plan.actions[2].command = Some(code);
    plan
}

#[test]
fn nothing_is_approved_before_all_of_it_was_shown() {
    let mut screen = Screen::of(with_code(60), 80);
    screen.types("ZZ");
    for key in ["y", "w", "Gy", "jy"] {
        screen.types(key);
        assert_eq!(screen.carried(), None, "{key}");
    }
    assert!(screen.text().contains("not shown yet: Space goes on."), "{}", screen.text());
    screen.types("g    ");
    assert!(screen.text().contains("line 60"), "{}", screen.text());
    // On another size, its rows are others.
    screen.columns = 60;
    screen.types("y");
    assert_eq!(screen.carried(), None);
    screen.types("        y");
    assert!(screen.carried().is_some(), "{}", screen.text());
    // A refusal counts at once.
    let mut screen = Screen::of(with_code(60), 80);
    screen.types("ZZn");
    assert_eq!(screen.carried().unwrap().1, Vec::<String>::new());
}

#[test]
fn a_terminal_that_is_too_small_shows_no_question() {
    let mut screen = Screen::new(80);
    screen.types("ZZ");
    screen.text();
    screen.columns = 10;
    screen.types("y");
    assert_eq!(screen.carried(), None);
    screen.columns = 80;
    screen.types("y");
    assert!(screen.carried().is_some());
}

#[test]
fn code_that_goes_on_in_the_next_row_does_not_pass_for_our_own_words() {
    let command = format!("evil {}", "by /usr/bin/true; sandbox bubblewrap ".repeat(20));
    for columns in [60, 80, 120] {
        let mut plan = plan();
        plan.approvals[0].command.as_mut().unwrap().command.clone_from(&command);
        plan.actions[2].command = Some(command.clone());
        plan.files[0].hunks[0].added = vec![format!("{command}\n")];
        let mut screen = Screen::of(plan, columns);
        screen.text();
        let check = |text: &str| {
            let lines = text.lines().filter(|line| line.contains("bin/true"));
            let own = lines.filter(|line| !line.contains("evil") && !line.trim_start().starts_with('¦'));
            assert_eq!(own.collect::<Vec<_>>(), Vec::<&str>::new(), "{columns}");
        };
        for row in &screen.app.views[0].rows {
            row.left.iter().chain(&row.right).for_each(|cell| check(&cell.text));
        }
        screen.types("ZZ");
        let text = screen.text();
        let (_, question) = text.split_once("needs your approval").unwrap();
        assert!(question.matches("bin/true").count() > 3, "{text}");
        check(question);
    }
}

#[test]
fn a_line_of_code_that_goes_on_is_not_two() {
    let mut plan = with_code(1);
    let code = format!("x = [{}\n    y\n", "1, ".repeat(60));
    plan.approvals[0].command.as_mut().unwrap().code = Some(code);
    let mut screen = Screen::of(plan, 80);
    screen.types("ZZv");
    let text = screen.text();
    assert!(text.contains("| x = [1,") && text.contains("¦ ") && text.contains("\n  |     y\n"), "{text}");
}

#[test]
fn what_was_left_out_stays_so_when_the_rest_is_accepted() {
    let mut screen = Screen::new(80);
    screen.types("]nga");
    let accepted = |screen: &mut Screen| {
        let model = screen.app.model().unwrap();
        model.units.iter().map(|unit| unit.accepted).collect::<Vec<_>>()
    };
    assert_eq!(accepted(&mut screen), [false, true, true]);
    screen.types("gx");
    assert_eq!(accepted(&mut screen), [false, false, false]);
    // What needs an approval is asked for, never accepted with others.
    screen.types("ga");
    assert_eq!(accepted(&mut screen), [false, true, false]);
}

/// The result of what ran and was changed.
fn carried_out(screen: &mut Screen) {
    let result = json!({
        "success": true, "totalBlocks": 4, "executedActions": 3, "parseErrors": [], "warnings": [],
        "operationId": "kmnkkkkkkkkk", "durationMs": 1, "shortIds": { "kmnkkkkkkkkk": "kmn" },
        "results": [{
            "seq": 3, "task": "3", "blockId": null, "action": "run", "params": {}, "status": "SUCCESS",
            "success": true, "durationMs": 1, "data": { "stdout": "", "stderr": "", "exitCode": 0 },
        }],
    });
    let result = serde_json::value::to_raw_value(&result).unwrap();
    screen.app.handle_reply(DaemonReply::Carried(Ok(result)), screen.now);
}

#[test]
fn an_approval_for_once_ends_with_what_it_was_for_and_what_ran_is_not_left() {
    let mut screen = Screen::new(100);
    screen.types("ZZy");
    assert_eq!(screen.carried().unwrap().1, ["c1"]);
    carried_out(&mut screen);
    screen.types("r");
    assert!(screen.text().contains("[ ] ran in kmn · task 3: run - make test"), "{}", screen.text());
    screen.types("ZZ");
    let (accept, approve) = screen.carried().unwrap();
    assert!(!accept.contains(&"a3".to_owned()) && approve.is_empty(), "{accept:?} {approve:?}");
    // It can be run again, and is asked for again.
    let mut screen = Screen::new(100);
    screen.types("ZZy");
    screen.carried();
    carried_out(&mut screen);
    screen.types("rG[y");
    assert!(screen.app.popup.is_some(), "{}", screen.text());
}

#[test]
fn what_is_not_what_was_shown_any_more_is_shown_again_and_not_carried_out() {
    let carries = |change: fn(&mut PlanResult)| {
        let mut screen = Screen::new(80);
        screen.types("Gk[n");
        change(&mut screen.plan);
        screen.types("ZZ");
        screen.carried().is_some()
    };
    assert!(carries(|_| {}));
    assert!(carries(|plan| plan.files[0].hunks[0].start += 1), "the same lines, elsewhere");
    assert!(!carries(|plan| plan.files[0].hunks[0].added[0].push('x')));
    assert!(!carries(|plan| plan.files[0].hunks[1].before[0].insert(0, 'x')));
    assert!(!carries(|plan| plan.actions[0].unplannable = plan.actions[3].unplannable.clone()));
    assert!(!carries(|plan| drop(plan.files[0].hunks.pop())));
}

#[test]
fn letters_of_flags_are_written_out() {
    let mut plan = plan();
    plan.files[0].hunks[0].added = vec!["🇩🇪\n".to_owned()];
    plan.actions[2].command = Some("echo 🇩🇪".to_owned());
    plan.approvals[0].command.as_mut().unwrap().command = "echo 🇩🇪".to_owned();
    let mut screen = Screen::of(plan, 120);
    screen.types("ZZ");
    let text = screen.text();
    assert!(text.contains("\\u{1f1e9}\\u{1f1ea}"), "{text}");
    assert!(!text.contains(['🇩', '🇪']), "{text}");
}

#[test]
fn nothing_is_carried_out_where_nothing_is_accepted() {
    let mut screen = Screen::new(80);
    screen.types("]nnGkkknZZ");
    assert_eq!(screen.carried(), None, "{}", screen.text());
    assert!(screen.text().contains("Nothing is accepted."), "{}", screen.text());
}

#[test]
fn what_an_agent_waits_for_says_what_no_is_and_what_came_of_it() {
    let waiting = json!({
        "id": "w1", "root": "/proj", "waitingMs": 1, "expiresInMs": 1, "approvals": plan().approvals,
        "diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "text": "",
    });
    let listed = json!({ "approvals": [waiting], "notListed": 0 });
    let mut screen = Screen::new(100);
    let history = clada_protocol::HistoryListResult::default();
    screen.app.handle_reply(DaemonReply::Home(history, serde_json::from_value(listed).unwrap()), screen.now);
    screen.types("gj\n");
    let text = screen.text();
    assert!(text.contains("n skip what needs approval, apply the rest"), "{text}");
    assert!(text.contains("You cannot refuse the whole here"), "{text}");
    screen.types("n");
    let asked = screen
        .app
        .asks
        .drain(..)
        .any(|ask| matches!(ask, Ask::Answer(id, ApprovalDecision::No) if id == "w1"));
    assert!(asked);
    let answered = clada_protocol::ApprovalAnswerResult { answered: true, ..Default::default() };
    screen.app.handle_reply(DaemonReply::Answered(ApprovalDecision::No, answered), screen.now);
    assert!(screen.text().contains("Not approved. The rest is running"), "{}", screen.text());
}

#[test]
fn what_is_planned_again_to_be_carried_out_can_be_stopped() {
    for key in [KeyEvent::from(KeyCode::Char('q')), KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)]
    {
        let mut screen = Screen::new(80);
        screen.types("GknZ");
        screen.app.key(KeyEvent::from(KeyCode::Char('Z')), screen.now);
        assert!(screen.app.busy.is_some(), "it is planned again");
        screen.app.key(key, screen.now);
        screen.plans();
        assert_eq!(screen.carried(), None);
        assert_eq!(screen.app.act, None);
        screen.types("ZZ");
        assert!(screen.carried().is_some());
    }
}
