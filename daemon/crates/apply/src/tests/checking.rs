use std::collections::BTreeSet;

use clada_protocol::Approve;

use super::delivering::{ALL_NAMES, Choices, NAMES, Tree, cases, random_action};
use super::*;

/// A change between a plan and its check.
type Between = fn(&mut Project);

fn close(path: &std::path::Path) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

/// Gives the file `a.txt` another name.
fn link(project: &mut Project, name: &str) {
    std::fs::hard_link(project.root.join("a.txt"), project.root.join(name)).unwrap();
}

#[test]
fn a_check_finds_what_is_no_longer_what_was_shown() {
    // What happens, whether all that was read is the same, and the steps that come to something else.
    let cases: [(&str, Between, bool, &[usize]); 12] = [
        ("nothing", |_| {}, true, &[]),
        ("a file that is not read", |project| project.write("d/x", "other\n"), true, &[]),
        ("rights of the file that is changed", |project| close(&project.root.join("a.txt")), false, &[]),
        ("the file that is changed", |project| project.write("a.txt", "one\nmine\n"), false, &[1]),
        ("a file in the way", |project| project.write("new.txt", "mine\n"), false, &[2]),
        ("the source of a move", |project| project.write("b.txt", "mine\n"), false, &[3]),
        (
            "rules for new files",
            |project| project.write(".editorconfig", "[*]\nend_of_line = crlf\n"),
            false,
            &[2],
        ),
        ("a neighbour with other line ends", |project| project.write("z.txt", "1\r\n2\r\n"), false, &[]),
        (
            "most neighbours",
            |project| (0..5).for_each(|at| project.write(&format!("z{at}.txt"), "1\r\n")),
            false,
            &[2],
        ),
        ("a name of the file elsewhere", |project| link(project, "../other"), false, &[]),
        ("a name of the file in the project", |project| link(project, "other"), false, &[1]),
        ("a setting", |project| project.rules.max_file_size = 3, false, &[1, 2]),
    ];
    for (name, between, is_current, stale) in cases {
        let mut project = Project::with(&[("a.txt", "one\n"), ("b.txt", "b\n"), ("d/x", "x\n")]);
        let (plan, _) = project.plan(
            &[replace("a.txt", "one", "two"), file_write("new.txt", "x\ny\n"), file_move("b.txt", "c.txt")],
            &[],
        );
        between(&mut project);
        let (roots, applied) = (project.roots(), HashMap::new());
        assert_eq!(plan.is_current(&View::new(&roots), &project.rules, &applied), is_current, "{name}");
        let is_as_shown = |operation: &Operation<'_>| operation.is_as_shown(&plan, &[]);
        assert_eq!(project.operate_with(&JournalWriter::nowhere(), is_as_shown), stale.is_empty(), "{name}");
        let check = plan.check(View::new(&roots), &project.rules, &applied, &|| None);
        let mut found: Vec<usize> = check.stale.keys().copied().collect();
        found.sort_unstable();
        assert_eq!(found, stale, "{name}");
        // Nothing of what is stale is done, and everything else is.
        let done = project.apply(&plan, None, Deliver::Disk);
        let failed = done.results.iter().filter(|result| !result.success).map(|result| result.seq);
        assert_eq!(failed.collect::<Vec<_>>(), stale, "{name}: {:?}", results_of(&done));
    }
}

#[test]
fn effects_that_are_forgotten_are_planned_again() {
    let project = Project::with(&[("a.txt", "one\n")]);
    let (plan, _) = project.plan(&[replace("a.txt", "one", "two")], &[]);
    plan.forget_effects();
    assert!(project.apply(&plan, None, Deliver::Disk).success);
    assert_eq!(project.text("a.txt").as_deref(), Some("two\n"));
    // It was made for the file as it was.
    let again = project.apply(&plan, None, Deliver::Disk);
    assert_eq!(again.results[0].kind, Some(ErrorKind::Conflict), "{again:?}");
}

fn change(choices: &mut Choices, project: &Project) {
    let name = choices.of(ALL_NAMES);
    let before = project.text(name);
    match (choices.below(4), before) {
        (0, Some(_)) => std::fs::remove_file(project.root.join(name)).unwrap(),
        (1, Some(text)) => project.write(name, &text),
        (2, Some(text)) => project.write(name, &format!("{text}mine\n")),
        // A folder may be in the way.
        _ => drop(std::fs::write(project.root.join(name), choices.text())),
    }
}

#[test]
fn what_was_approved_is_applied_as_it_was_shown_or_not_at_all() {
    let (mut done, mut refused) = (0, 0);
    for seed in 0..cases() {
        let mut choices = Choices(seed ^ 0xa991_0ed0);
        let tree: Tree = NAMES.iter().map(|name| ((*name).to_owned(), choices.text().into_bytes())).collect();
        let mut actions: Vec<Fields> =
            (0..=choices.below(6)).map(|_| random_action(&mut choices, &tree)).collect();
        if choices.one_in(2) {
            actions.insert(choices.below(actions.len()), file_write(".envrc", "A=1\n"));
        }
        let [mut project, mut at_once] = [(), ()].map(|()| {
            let project = Project::new();
            tree.iter().for_each(|(name, text)| project.write(name, std::str::from_utf8(text).unwrap()));
            project
        });
        let (plan, shown) = project.plan_for(answer(&actions), None);
        let ids = shown.approvals.iter().map(|approval| approval.id.clone()).collect();
        project.approvals = Approvals::of_request(Some(&Approve::Ids(ids)), &[]);
        at_once.approvals = Approvals::of_request(Some(&Approve::All), &[]);
        at_once.execute(&actions);
        let expected = at_once.file_bytes();
        let changes = choices.below(3);
        (0..changes).for_each(|_| change(&mut choices, &project));
        let before = project.file_bytes();
        let begun = Cell::new(false);
        let result = project.operate_with(&JournalWriter::nowhere(), |operation| {
            operation.execute_shown(&plan, &shown.approvals, &|| begun.set(true))
        });
        let after = project.file_bytes();
        let told = || format!("seed {seed}\n{actions:#?}\n{:#?}", result.as_ref().map(results_of));
        assert_eq!(result.is_some(), begun.get(), "{}", told());
        if result.is_none() {
            assert!(changes > 0 && after == before, "{}", told());
            refused += 1;
            continue;
        }
        done += usize::from(after != before);
        // Everything that was shown is written, and nothing else is.
        for name in before.keys().chain(expected.keys()).chain(tree.keys()).collect::<BTreeSet<_>>() {
            let is_shown = tree.get(name) != expected.get(name);
            let meant = if is_shown { expected.get(name) } else { before.get(name) };
            assert_eq!(after.get(name), meant, "{name} {}", told());
        }
    }
    assert!(done > 10 && refused > 5, "{done} done, {refused} refused");
}
