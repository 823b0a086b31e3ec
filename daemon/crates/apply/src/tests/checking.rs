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
fn a_plan_that_depends_on_more_than_it_read_is_made_again() {
    let project = Project::with(&[("a.txt", "one\n")]);
    for (name, actions, is_unchanged) in [
        ("an edit", vec![replace("a.txt", "one", "two")], true),
        ("a failure", vec![replace("a.txt", "none", "two")], false),
        ("a program", vec![action("exec", &[("lang", "bash"), ("code", "true")])], false),
    ] {
        let (plan, _) = project.plan(&actions, &[]);
        let (roots, applied) = (project.roots(), HashMap::new());
        assert_eq!(
            plan.is_unchanged(PlanInputs {
                roots: &roots,
                rules: &project.rules,
                applied: &applied,
                stop: &|| None
            }),
            is_unchanged,
            "{name}"
        );
    }
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
        assert_eq!(
            plan.is_unchanged(PlanInputs {
                roots: &roots,
                rules: &project.rules,
                applied: &applied,
                stop: &|| None
            }),
            is_current,
            "{name}"
        );
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
