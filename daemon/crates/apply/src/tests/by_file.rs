//! Plans by file: what is shown of each document is what accepting it does.

use std::collections::{BTreeMap, BTreeSet};

use clada_protocol::{LineEnds, PlannedFile, PlannedFileKind};
use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

/// The text files of a project.
pub(super) type Tree = BTreeMap<String, String>;

/// Lines that are shown around a hunk.
pub(super) const CONTEXT: usize = 2;

/// The lines of `text` as an editor counts them.
fn lines(text: &str, ends: LineEnds) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        lines.last_mut().unwrap().push(char);
        let ended = match char {
            '\n' => true,
            '\r' => ends == LineEnds::Lsp && chars.peek() != Some(&'\n'),
            _ => false,
        };
        if ended {
            lines.push(String::new());
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// `text` with the hunks of `file` whose groups are `accepted`, as an editor makes them.
fn changed(text: &str, file: &PlannedFile, accepted: &BTreeSet<String>, ends: LineEnds) -> String {
    let body = text.strip_prefix('\u{feff}');
    let marked = body.is_some()
        && !file
            .hunks
            .iter()
            .any(|hunk| hunk.removed.iter().chain(&hunk.added).any(|line| line.starts_with('\u{feff}')));
    let (mark, body) = if marked { ("\u{feff}", body.unwrap()) } else { ("", text) };
    let mut lines = lines(body, ends);
    let mut shown = 0;
    for (at, hunk) in file.hunks.iter().enumerate() {
        let end = hunk.start + hunk.removed.len();
        let before = &lines[shown.max(hunk.start.saturating_sub(CONTEXT))..hunk.start];
        shown = file.hunks.get(at + 1).map_or(lines.len(), |next| next.start).min(end + CONTEXT);
        assert_eq!((before, &lines[end..shown]), (&hunk.before[..], &hunk.after[..]), "{hunk:?}");
    }
    for hunk in file.hunks.iter().rev().filter(|hunk| accepted.contains(&hunk.group)) {
        let range = hunk.start..hunk.start + hunk.removed.len();
        assert_eq!(lines[range.clone()], hunk.removed, "{hunk:?}");
        lines.splice(range, hunk.added.iter().cloned());
    }
    mark.to_owned() + &lines.concat()
}

/// The files after those of `now` are changed by the `accepted` groups of `files`.
pub(super) fn after(now: &Tree, files: &[PlannedFile], accepted: &BTreeSet<String>, ends: LineEnds) -> Tree {
    let mut tree = now.clone();
    let is_done = |file: &&PlannedFile| file.group.as_ref().is_none_or(|group| accepted.contains(group));
    for file in files.iter().filter(is_done) {
        match file.kind {
            PlannedFileKind::Delete => drop(tree.remove(&file.path)),
            PlannedFileKind::Move => drop(tree.remove(file.old_path.as_ref().unwrap())),
            _ => {}
        }
    }
    for file in files.iter().filter(is_done) {
        let from = match file.kind {
            PlannedFileKind::Delete => continue,
            PlannedFileKind::Create => "",
            PlannedFileKind::Move => &now[file.old_path.as_ref().unwrap()],
            _ => &now[&file.path],
        };
        tree.insert(file.path.clone(), changed(from, file, accepted, ends));
    }
    tree
}

pub(super) fn groups(files: &[PlannedFile]) -> BTreeSet<String> {
    let of_file = |file: &PlannedFile| {
        file.group.iter().chain(file.hunks.iter().map(|hunk| &hunk.group)).cloned().collect::<Vec<_>>()
    };
    files.iter().flat_map(of_file).collect()
}

impl Project {
    fn plan_by_file(&self, answer: Answer, ends: LineEnds) -> (SavedPlan, PlanResult) {
        let (roots, applied) = (self.roots(), HashMap::new());
        let counted = Counted { lines: ends, context: CONTEXT, ..Counted::default() };
        SavedPlan::make_for(
            answer,
            Vec::new(),
            PlanInputs { roots: &roots, rules: &self.rules, applied: &applied },
            &counted,
            &|| None,
        )
    }

    fn accept(&self, plan: &SavedPlan, accept: &BTreeSet<String>) -> ExecutionResult {
        let accept: Vec<&str> = accept.iter().map(String::as_str).collect();
        let ids: Vec<String> = accept.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(unknown_ids(plan, &ids), Vec::<&str>::new());
        assert!(plan.decide(Some(&ids)).is_ok());
        self.apply(plan, Some(&accept), Deliver::Disk)
    }
}

/// Plans in a project of these files, and carries out each set of groups (of many groups, some of the sets).
fn check(files: &[(&str, &str)], answer: &dyn Fn() -> Answer, ends: LineEnds) -> Vec<PlannedFile> {
    let project = || {
        let mut project = Project::with(files);
        project.approvals = Approvals::all();
        project.rules.literal = true;
        project
    };
    let planned = project().plan_by_file(answer(), ends).1;
    let groups: Vec<String> = groups(&planned.files).into_iter().collect();
    let independent = clada_test_extent::cases(3, 5);
    // Every subset of the first groups; a group beyond them shares the bit of one of them.
    let sets = 1_u64 << groups.len().min(independent);
    for set in 0..sets {
        let chosen = groups.iter().enumerate().filter(|(at, _)| set >> (at % independent) & 1 == 1);
        let accepted: BTreeSet<String> = chosen.map(|(_, group)| group.clone()).collect();
        let project = project();
        let now = project.all_files();
        let (plan, result) = project.plan_by_file(answer(), ends);
        assert_eq!(without_root(&result.files), without_root(&planned.files));
        let done = project.accept(&plan, &accepted);
        let expected = after(&now, &result.files, &accepted, ends);
        assert_eq!(
            project.all_files(),
            expected,
            "{accepted:?} {:?}\n{:#?}",
            results_of(&done),
            result.files
        );
    }
    let [whole, in_groups] = [project(), project()];
    let (plan, _) = whole.plan_by_file(answer(), ends);
    whole.apply(&plan, None, Deliver::Disk);
    let (plan, result) = in_groups.plan_by_file(answer(), ends);
    let actions = result.actions.iter().map(|action| action.id.clone());
    in_groups.accept(&plan, &groups.into_iter().chain(actions).collect());
    assert_eq!(in_groups.all_files(), whole.all_files(), "all groups");
    without_root(&planned.files)
}

fn without_root(files: &[PlannedFile]) -> Vec<PlannedFile> {
    files.iter().cloned().map(|file| PlannedFile { uri: String::new(), ..file }).collect()
}

/// A file a line, then its hunks.
fn shown(files: &[PlannedFile]) -> String {
    let mut out = String::new();
    for file in files {
        let word = format!("{:?}", file.kind).to_lowercase();
        let from = file.old_path.as_ref().map(|path| format!(" from {path}")).unwrap_or_default();
        let whole = file.group.as_ref().map(|group| format!(" {group} of {}", file.parts.join(" ")));
        out += &format!("{word} {}{from}{}\n", file.path, whole.unwrap_or_default());
        for hunk in &file.hunks {
            let parts = hunk.parts.join(" ");
            out += &format!(
                "  {} {} {:?} -> {:?} {} of {parts}\n",
                hunk.id, hunk.start, hunk.removed, hunk.added, hunk.group
            );
        }
    }
    out
}

const TWELVE: &str = "k1\nk2\nk3\nk4\nk5\nk6\nk7\nk8\nk9\nk10\nk11\nk12\n";

#[track_caller]
fn case(files: &[(&str, &str)], actions: &[Fields], expected: &Expect) {
    let files = check(files, &|| answer(actions), LineEnds::Lsp);
    expected.assert_eq(&shown(&files));
}

#[test]
fn edits_of_one_line_go_together_and_others_alone() {
    case(
        &[("a", TWELVE)],
        &[replace("a", "k2\n", "two\n"), replace("a", "two", "TWO"), replace("a", "k11\n", "eleven\n")],
        &expect![[r#"
            change a
              f1.h1 1 ["k2\n"] -> ["TWO\n"] g1 of a1.h1 a2.h1
              f1.h2 10 ["k11\n"] -> ["eleven\n"] g2 of a3.h1
        "#]],
    );
    case(
        &[("a", TWELVE)],
        &[replace("a", "k2\n", "two\n"), replace("a", "\nk3\n", "\nthree\n"), replace("a", "k5\n", "")],
        &expect![[r#"
            change a
              f1.h1 1 ["k2\n", "k3\n"] -> ["two\n", "three\n"] g1 of a1.h1 a2.h1
              f1.h2 4 ["k5\n"] -> [] g2 of a3.h1
        "#]],
    );
    // The hunk of the first action reaches around the line of the second one.
    case(
        &[("a", TWELVE)],
        &[
            file_write("a", &TWELVE.replace("k2\n", "B\n").replace("k5\n", "E\n")),
            replace("a", "k4\n", "D\n"),
        ],
        &expect![[r#"
            change a
              f1.h1 1 ["k2\n"] -> ["B\n"] g1 of a1.h1
              f1.h2 3 ["k4\n", "k5\n"] -> ["D\n", "E\n"] g1 of a1.h1 a2.h1
        "#]],
    );
}

#[test]
fn what_is_undone_again_is_nothing() {
    case(
        &[("a", TWELVE)],
        &[
            replace("a", "k2\n", "two\n"),
            replace("a", "two\n", "2\n"),
            file_write("b", "b\n"),
            file_delete("b"),
            file_move("a", "c"),
            file_move("c", "a"),
        ],
        &expect![[r#"
            change a g1 of a1.h1 a2.h1 a5 a6
              f1.h1 1 ["k2\n"] -> ["2\n"] g1 of a1.h1 a2.h1 a5 a6
        "#]],
    );
}

#[test]
fn what_comes_goes_or_moves_is_done_as_a_whole() {
    case(
        &[("a", TWELVE), ("b", "b\n"), ("c", "c\n"), ("d", "d\n")],
        &[
            replace("a", "k2\n", "two\n"),
            file_delete("a"),
            replace("b", "b", "B"),
            file_move("b", "e/b"),
            replace("e/b", "B", "Bee"),
            file_write("n", "1\n2"),
            replace("n", "1", "one"),
            action("file_append", &[("path", "n"), ("content", "3\n")]),
            file_delete("c"),
            file_write("c", "new\n"),
            action("file_replace_all_text", &[("path", "d"), ("old_text", "d"), ("new_text", "D")]),
        ],
        &expect![[r#"
            delete a g1 of a1.h1 a2
              f1.h1 0 ["k1\n", "k2\n", "k3\n", "k4\n", "k5\n", "k6\n", "k7\n", "k8\n", "k9\n", "k10\n", "k11\n", "k12\n"] -> [] g1 of a1.h1 a2
            change c g2 of a9 a10.h1
              f2.h1 0 ["c\n"] -> ["new\n"] g2 of a9 a10.h1
            change d
              f3.h1 0 ["d\n"] -> ["D\n"] g3 of a11.h1
            move e/b from b g4 of a3.h1 a4 a5.h1
              f4.h1 0 ["b\n"] -> ["Bee\n"] g4 of a3.h1 a4 a5.h1
            create n g5 of a6.h1 a7.h1 a8.h1
              f5.h1 0 [] -> ["one\n", "2\n", "3\n"] g5 of a6.h1 a7.h1 a8.h1
        "#]],
    );
}

#[test]
fn a_chain_of_names_is_one_move_and_what_takes_its_place_goes_with_it() {
    case(
        &[("a", "a\n"), ("b", "b\n"), ("x", "x\n")],
        &[
            file_move("a", "c"),
            file_move("b", "a"),
            file_move("c", "d/c"),
            file_write("b", "new b\n"),
            file_move("x", "d/x"),
        ],
        &expect![[r#"
            move a from b g1 of a2
            create b g1 of a4.h1
              f2.h1 0 [] -> ["new b\n"] g1 of a4.h1
            move d/c from a g1 of a1 a3
            move d/x from x g2 of a5
        "#]],
    );
    case(
        &[("a", "a\n"), ("b", "b\n")],
        &[file_move("a", "b"), replace("b", "a", "A"), file_write("a/in", "in\n")],
        &expect![[r#"
            create a/in g1 of a3.h1
              f1.h1 0 [] -> ["in\n"] g1 of a3.h1
            delete b g1 of a1
              f2.h1 0 ["b\n"] -> [] g1 of a1
            move b from a g1 of a1 a2.h1
              f3.h1 0 ["a\n"] -> ["A\n"] g1 of a1 a2.h1
        "#]],
    );
}

#[test]
fn an_action_on_several_files_goes_as_one() {
    let paths = [("paths", "a\nb"), ("old_text", "x"), ("new_text", "y")];
    case(
        &[("a", "x\n1\n2\n"), ("b", "b\nx\n"), ("c", "c\n")],
        &[
            replace("a", "2\n", "two\n"),
            action("files_replace_all_text", &paths),
            replace("./b", "b\n", "B\n"),
            replace("c", "c", "C"),
        ],
        &expect![[r#"
            change a
              f1.h1 0 ["x\n"] -> ["y\n"] g1 of a2
              f1.h2 2 ["2\n"] -> ["two\n"] g2 of a1.h1
            change b
              f2.h1 0 ["b\n", "x\n"] -> ["B\n", "y\n"] g1 of a2 a3.h1
            change c
              f3.h1 0 ["c\n"] -> ["C\n"] g3 of a4.h1
        "#]],
    );
}

#[test]
fn line_ends_and_marks_stay_what_they_are() {
    let text = "\u{feff}one\r\ntwo\rhalf\r\n3\n4\n5\n6\n7\n8\n9\n10\nlast";
    let actions = [
        replace("a", "one", "1"),
        replace("a", "half", "HALF"),
        replace("a", "6\n", "six\n"),
        action("file_append", &[("path", "a"), ("content", "more")]),
    ];
    let mut found = String::new();
    for ends in [LineEnds::Lsp, LineEnds::Lf] {
        let files = check(&[("a", text), ("cr", "x\ry\rz")], &|| answer(&actions), ends);
        found += &format!("{ends:?}\n{}", shown(&files));
    }
    expect![[r#"
        Lsp
        change a
          f1.h1 0 ["one\r\n"] -> ["1\r\n"] g1 of a1.h1 a2.h1
          f1.h2 2 ["half\r\n"] -> ["HALF\r\n"] g1 of a1.h1 a2.h1
          f1.h3 6 ["6\n"] -> ["six\n"] g2 of a3.h1
          f1.h4 11 ["last"] -> ["last\n", "more"] g3 of a4.h1
        Lf
        change a
          f1.h1 0 ["one\r\n", "two\rhalf\r\n"] -> ["1\r\n", "two\rHALF\r\n"] g1 of a1.h1 a2.h1
          f1.h2 5 ["6\n"] -> ["six\n"] g2 of a3.h1
          f1.h3 10 ["last"] -> ["last\n", "more"] g3 of a4.h1
    "#]]
    .assert_eq(&found);
}

#[test]
fn hunks_of_one_action_are_groups_of_their_own() {
    let new = TWELVE.replace("k1\nk2\n", "one\ntwo\n").replace("k12\n", "twelve");
    case(
        &[("a", TWELVE)],
        &[file_write("a", &new)],
        &expect![[r#"
        change a
          f1.h1 0 ["k1\n", "k2\n"] -> ["one\n", "two\n"] g1 of a1.h1
          f1.h2 11 ["k12\n"] -> ["twelve"] g2 of a1.h2
    "#]],
    );
    let patched = || said("unified_diff", vec![patch("a", &["-k1\n+one\n k2\n", " k11\n-k12\n+k12\n+13\n"])]);
    let files = check(&[("a", TWELVE)], &patched, LineEnds::Lsp);
    expect![[r#"
        change a
          f1.h1 0 ["k1\n"] -> ["one\n"] g1 of a1.h1
          f1.h2 12 [] -> ["13\n"] g2 of a1.h2
    "#]]
    .assert_eq(&shown(&files));
}

#[test]
fn a_block_that_is_all_or_nothing_is_one_group() {
    let block = |policy| {
        move || {
            let mut answer = answer(&[
                replace("a", "k1\n", "one\n"),
                replace("b", "b", "B"),
                replace("a", "k12\n", "twelve\n"),
            ]);
            for step in &mut answer.steps[..2] {
                step.group = Group { block: 0, policy };
            }
            answer
        }
    };
    let files = [("a", TWELVE), ("b", "b\n")];
    let found =
        [Policy::Atomic, Policy::InOrder].map(|policy| shown(&check(&files, &block(policy), LineEnds::Lsp)));
    expect![[r#"
        change a
          f1.h1 0 ["k1\n"] -> ["one\n"] g1 of a1.h1
          f1.h2 11 ["k12\n"] -> ["twelve\n"] g2 of a3.h1
        change b
          f2.h1 0 ["b\n"] -> ["B\n"] g1 of a2.h1
        --
        change a
          f1.h1 0 ["k1\n"] -> ["one\n"] g1 of a1.h1
          f1.h2 11 ["k12\n"] -> ["twelve\n"] g2 of a3.h1
        change b
          f2.h1 0 ["b\n"] -> ["B\n"] g3 of a2.h1
    "#]]
    .assert_eq(&found.join("--\n"));
}

#[test]
fn what_cannot_be_told_apart_is_refused_by_name() {
    let project = Project::with(&[("a", TWELVE), ("b", "b\n")]);
    let actions = [replace("a", "k2\n", "two\n"), replace("a", "two", "TWO"), replace("b", "b", "B")];
    let (plan, result) = project.plan(&actions, &[]);
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
    assert_eq!(groups(&result.files), BTreeSet::from(["g1".to_owned(), "g2".to_owned()]));
    let accept = ids(&["g1", "g3", "g0", "g01", "g", "f1.h1"]);
    assert_eq!(unknown_ids(&plan, &accept), ["g3", "g0", "g01", "g", "f1.h1"]);
    let torn = plan.decide(Some(&ids(&["g2", "a1"]))).err();
    expect!["accept: a1.h1 goes together with a2.h1; accept all of it (g1), or none"]
        .assert_eq(&torn.unwrap());
    assert!(plan.decide(Some(&ids(&["g2", "a1", "a2.h1"]))).is_ok());
    assert!(plan.decide(Some(&ids(&["a1"]))).is_ok(), "without a group it is as it was");
}

#[test]
fn an_editor_s_text_and_version_count() {
    let project = Project::with(&[("a b.txt", TWELVE)]);
    let (roots, applied) = (project.roots(), HashMap::new());
    let path = roots.resolve("a b.txt").unwrap();
    let unsaved = TWELVE.replace("k12\n", "twelve\n");
    let counted = Counted { versions: HashMap::from([(path.clone(), 7)]), ..Counted::default() };
    let of = answer(&[replace("a b.txt", "twelve", "12!"), replace("a b.txt", "k1\nk2\n", "k1\n")]);
    let buffers = vec![(path, unsaved)];
    let (plan, result) = SavedPlan::make_for(
        of,
        buffers,
        PlanInputs { roots: &roots, rules: &project.rules, applied: &applied },
        &counted,
        &|| None,
    );
    let file = &result.files[0];
    assert_eq!(file.version, Some(7));
    assert!(file.uri.starts_with("file:///") && file.uri.ends_with("/project/a%20b.txt"), "{}", file.uri);
    expect![[r#"
        change a b.txt
          f1.h1 1 ["k2\n"] -> [] g1 of a2.h1
          f1.h2 11 ["twelve\n"] -> ["12!\n"] g2 of a1.h1
    "#]]
    .assert_eq(&shown(&result.files));
    let done = project.apply(&plan, Some(&["g1"]), Deliver::Edits);
    let edits = serde_json::to_value(done.edits.unwrap()).unwrap();
    let edit = &edits["documentChanges"][0]["edits"][0];
    assert_eq!(edit["range"]["start"]["line"], 1, "{edits:#}");
    assert_eq!(edits["documentChanges"].as_array().unwrap().len(), 1);
    // On disk it is another text.
    let done = project.apply(&plan, Some(&["g1"]), Deliver::Disk);
    assert_eq!(project.text("a b.txt").as_deref(), Some(TWELVE), "{:?}", results_of(&done));
    assert!(done.results.iter().all(|result| !result.success));
}

#[test]
fn a_document_that_changed_is_a_conflict_and_the_others_are_done() {
    let project = Project::with(&[("a", TWELVE), ("b", "b\n")]);
    let actions = [replace("a", "k2\n", "two\n"), replace("a", "k11\n", "eleven\n"), replace("b", "b", "B")];
    let (plan, _) = project.plan(&actions, &[]);
    let other = TWELVE.replace("k5\n", "five\n");
    project.write("a", &other);
    let done = project.apply(&plan, Some(&["g2", "g3"]), Deliver::Disk);
    assert_eq!((project.text("a"), project.text("b")), (Some(other), Some("B\n".to_owned())));
    let kinds: Vec<_> = done.results.iter().map(|result| result.kind).collect();
    assert_eq!(kinds, [Some(ErrorKind::Skipped), Some(ErrorKind::Conflict), None], "{:?}", results_of(&done));
}

#[test]
fn a_group_of_which_a_part_waits_for_approval_waits_as_a_whole() {
    let project = Project::with(&[(".envrc", TWELVE), ("b", "b\n")]);
    let actions =
        [replace(".envrc", "k2\n", "two\n"), replace(".envrc", "two", "TWO"), replace("b", "b", "B")];
    let (plan, result) = project.plan(&actions, &[]);
    let all = groups(&result.files);
    let done = project.accept(&plan, &all);
    assert_eq!(project.text(".envrc").as_deref(), Some(TWELVE), "{:?}", results_of(&done));
    assert_eq!(project.text("b").as_deref(), Some("B\n"), "{:?}", results_of(&done));
    assert!(!done.approvals.is_empty());
}

#[test]
fn what_is_not_shown_is_accepted_as_a_whole() {
    let mut project = Project::with(&[(".env", "TOKEN=a\n"), ("big", &"x\n".repeat(9_000)), ("s", "s\n")]);
    std::fs::write(project.root.join("bin"), [0xff, 0, 1]).unwrap();
    project.approvals = Approvals::all();
    project.rules.result_bytes = 60_000;
    let actions = [
        replace(".env", "a", "b"),
        file_write("bin", "text\n"),
        file_write("big", &"y\n".repeat(9_000)),
        replace("s", "s", "S"),
        file_move("s", "t"),
    ];
    let (plan, result) = project.plan(&actions, &[]);
    expect![[r#"
        change .env g1 of a1.h1
        change big g2 of a3
        change bin g3 of a2
        move t from s g4 of a4.h1 a5
          f4.h1 0 ["s\n"] -> ["S\n"] g4 of a4.h1 a5
    "#]]
    .assert_eq(&shown(&result.files));
    assert!(result.files.iter().all(|file| file.truncated == (file.path == "big")), "{:#?}", result.files);
    let done = project.accept(&plan, &groups(&result.files));
    assert!(done.results.iter().all(|result| result.success), "{:?}", results_of(&done));
    assert_eq!(project.text("bin").as_deref(), Some("text\n"));
    assert_eq!(project.text(".env").as_deref(), Some("TOKEN=b\n"));
}

/// Documents whose lines are mostly found once, with all kinds of line ends.
fn any_text() -> impl Strategy<Value = String> {
    let line = (0..40_u8, prop_oneof![8 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")]);
    let lines = proptest::collection::vec(line, 0..40);
    (any::<bool>(), lines, any::<bool>()).prop_map(|(marked, lines, ended)| {
        let mut text = if marked && lines.len() % 4 == 0 { "\u{feff}" } else { "" }.to_owned();
        for (at, (word, end)) in lines.iter().enumerate() {
            let word = if at % 3 == 0 { u32::from(*word) } else { at as u32 + 100 };
            text += &format!("w{word}{end}");
        }
        if !ended && !text.is_empty() {
            text += "tail";
        }
        text
    })
}

fn any_action() -> impl Strategy<Value = Fields> {
    // Few paths and few words, so that actions meet: in one file, in lines that overlap or are missing.
    let path = || proptest::sample::select(vec!["a", "a", "a", "b", "./b", "d/a", "a/x"]);
    let word = || {
        prop_oneof![
            2 => (0..40_u32).prop_map(|word| format!("w{word}")),
            4 => (100..140_u32).prop_map(|word| format!("w{word}\n")),
            2 => (100..140_u32).prop_map(|word| format!("w{word}")),
            1 => Just("tail".to_owned()),
            1 => Just("new\n".to_owned()),
        ]
    };
    let new = || proptest::sample::select(vec!["", "new\n", "new", "w101\n", "w1\r\nw2\n", "x\ry\n", "\n"]);
    let fields = |name: &'static str, path: &str, old: &str, new: &str| {
        action(name, &[("path", path), ("old_text", old), ("new_text", new)])
    };
    let lines = (1..30_u32, 0..4_u32).prop_map(|(first, more)| format!("{first}-{}", first + more));
    prop_oneof![
        8 => (path(), word(), new()).prop_map(move |(path, old, new)| replace(path, &old, new)),
        3 => (path(), word(), new())
            .prop_map(move |(path, old, new)| fields("file_replace_all_text", path, &old, new)),
        3 => (path(), lines, new()).prop_map(|(path, lines, new)| action(
            "file_replace_lines",
            &[("path", path), ("lines", &lines), ("new_content", new)]
        )),
        2 => (path(), any_text()).prop_map(|(path, text)| file_write(path, &text)),
        1 => (path(), new()).prop_map(|(path, text)| action(
            "file_append",
            &[("path", path), ("content", text)]
        )),
        1 => path().prop_map(file_delete),
        2 => (path(), path()).prop_map(|(from, to)| file_move(from, to)),
        1 => path().prop_map(|path| action("dir_delete", &[("path", path)])),
        1 => path().prop_map(|path| action("dir_create", &[("path", path)])),
        1 => (word(), new()).prop_map(|(old, new)| action(
            "files_replace_all_text",
            &[("paths", "a\nb"), ("old_text", &old), ("new_text", new)]
        )),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: clada_test_extent::cases(12, 4_000),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_set_of_groups_gives_exactly_the_lines_shown(
        a in any_text(),
        b in any_text(),
        actions in proptest::collection::vec(any_action(), 1..9),
        atomic in proptest::option::of(0..4_usize),
        ends in proptest::sample::select(vec![LineEnds::Lsp, LineEnds::Lf]),
    ) {
        let made = || {
            let mut answer = answer(&actions);
            for step in answer.steps.iter_mut().skip(atomic.unwrap_or(9)).take(2) {
                step.group = Group { block: 99, policy: Policy::Atomic };
            }
            answer
        };
        check(&[("a", &a), ("b", &b), ("d/a", &a)], &made, ends);
    }
}

/// Prints how long plans of many hunks take:
/// `cargo test -p clada-apply --release --lib -- --nocapture figures`.
#[test]
fn figures_of_plans_with_many_hunks() {
    let many = clada_test_extent::is_whole();
    let text = |lines: usize| (0..lines).map(|line| format!("line {line} of the file\n")).collect::<String>();
    let edit = |file: usize, line: usize| {
        replace(NAMES[file], &format!("line {line} of the file\n"), &format!("LINE {line}\nand another\n"))
    };
    const NAMES: [&str; 20] = [
        "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "g0", "g1", "g2", "g3", "g4", "g5", "g6",
        "g7", "g8", "g9",
    ];
    let spread = (0..500).map(|at| edit(at % 20, (at / 20) * 20 + 1)).collect::<Vec<_>>();
    let long = if many { 50_000 } else { 5_000 };
    let whole = (0..long).map(|line| match line % 10 {
        0 => format!("LINE {line}\nand another\n"),
        _ => format!("line {line} of the file\n"),
    });
    let whole = vec![file_write("f0", &whole.collect::<String>())];
    let each = (0..if many { 500 } else { 20 }).map(|at| edit(0, at * 10)).collect::<Vec<_>>();
    for (name, lines, actions) in [
        ("500 actions in 20 files of 500 lines", 500, spread),
        ("an action with a hunk for every ten lines", long, whole),
        ("actions of a hunk each in one long file", long, each),
    ] {
        let mut project = Project::new();
        project.rules.literal = true;
        project.rules.planned_bytes = usize::MAX / 4;
        NAMES.iter().for_each(|name| project.write(name, &text(lines)));
        let answer = answer(&actions);
        let times = (0..5).map(|_| {
            let (roots, applied) = (project.roots(), HashMap::new());
            let answer = answer.clone();
            let begun = std::time::Instant::now();
            let made = SavedPlan::make(
                answer,
                Vec::new(),
                PlanInputs { roots: &roots, rules: &project.rules, applied: &applied },
                &|| None,
            );
            (begun.elapsed(), made.1)
        });
        // The median of five. A quick run only checks that all of it can be planned.
        let mut times: Vec<_> = if many { times.collect() } else { times.take(1).collect() };
        times.sort_by_key(|(time, _)| *time);
        let (time, result) = &times[times.len() / 2];
        let hunks: usize = result.actions.iter().map(|action| action.hunks.len()).sum();
        println!("{name}: {hunks} hunks of actions, {time:?}");
        assert!(result.actions.iter().all(|action| action.unplannable.is_none()));
    }
}
