//! Plain answers: which become proposals, and what becomes of those.

use clada_protocol::{Proposal, ProposalForm};

use super::*;

const FILE: &str =
    "import os\n\nX = 1\n\n\ndef a():\n    return X\n\n\ndef b():\n    print(1)\n    print(2)\n";

fn read(text: &str) -> Answer {
    Reading::new(None, &Settings::default()).unwrap().read(text)
}

fn fence(language: &str, content: &str) -> String {
    format!("```{language}\n{content}```\n")
}

fn project() -> Project {
    Project::with(&[
        ("src/a.py", FILE),
        ("src/other.py", "def other():\n    pass\n"),
        ("lib/models/user.py", "class User:\n    pass\n"),
        ("package.json", "{\n  \"name\": \"x\",\n  \"version\": \"1\"\n}\n"),
        ("README.md", "# Title\n\nWords.\n"),
    ])
}

/// `path form` of each proposal, with `?` behind those that `--plain` does not apply.
fn proposed(proposals: &[Proposal]) -> Vec<String> {
    let shown = |proposal: &Proposal| {
        let sure = if proposal.sure { "" } else { " ?" };
        format!("{} {}{sure}", proposal.path, proposal.form.words())
    };
    proposals.iter().map(shown).collect()
}

/// `kind path` of each notice.
fn noticed(result: &ExecutionResult) -> Vec<String> {
    result
        .not_read
        .iter()
        .map(|found| format!("{} {}", found.kind, found.path.clone().unwrap_or_default()))
        .collect()
}

#[test]
fn what_an_answer_shows_is_proposed_or_noticed_and_never_written() {
    let changed = FILE.replace("print(2)", "print(3)");
    let new = "def new():\n    pass\n";
    let cases: [(String, &[&str], &[&str]); 16] = [
        (
            format!("Here's the updated `src/a.py`:\n\n{}", fence("python", &changed)),
            &["src/a.py whole file"],
            &[],
        ),
        (fence("python src/a.py", &changed), &["src/a.py whole file"], &[]),
        (fence("python:src/a.py", &changed), &["src/a.py whole file"], &[]),
        (fence("python", &format!("# src/a.py\n{changed}")), &["src/a.py whole file"], &[]),
        // The path is another one than the answer writes.
        (format!("`a.py`:\n{}", fence("python", &changed)), &["src/a.py whole file ?"], &[]),
        (format!("`/src/a.py`:\n{}", fence("python", &changed)), &["src/a.py whole file ?"], &[]),
        (format!("`my-app/src/a.py`:\n{}", fence("python", &changed)), &["src/a.py whole file ?"], &[]),
        // New files, in new folders too.
        (format!("`src/new.py`:\n{}", fence("python", new)), &["src/new.py new file"], &[]),
        (format!("`made/up/new.py`:\n{}", fence("python", new)), &["made/up/new.py new file"], &[]),
        (format!("`models/new.py`:\n{}", fence("python", new)), &["lib/models/new.py new file ?"], &[]),
        // A part of the file is merged; one that is cut off is named.
        (format!("`src/a.py`:\n{}", fence("python", "def b():\n    print(9)\n")), &["src/a.py part ?"], &[]),
        (format!("`src/a.py`:\n```python\n{changed}"), &[], &["cut_off src/a.py"]),
        (
            format!(
                "`src/a.py`:\n{}",
                fence("python", "# ... existing code ...\n\n\ndef b():\n    print(1)\n    print(3)\n")
            ),
            &["src/a.py part ?"],
            &[],
        ),
        // Quotations of the file are nothing at all.
        (format!("`src/a.py`:\n{}", fence("python", "def b():\n    print(1)\n    print(2)\n")), &[], &[]),
        // A path of another place, or one that may not be written.
        (format!("`/etc/hosts.py`:\n{}", fence("python", new)), &[], &[]),
        // The language is another one than the file's.
        (format!("`src/a.py`:\n{}", fence("bash", "python src/a.py\n")), &[], &[]),
    ];
    for (text, proposals, notices) in cases {
        let project = project();
        let before = project.all_files();
        let result = project.carry_out(read(&text));
        assert_eq!(proposed(&result.proposals), proposals, "{text}\n{result:#?}");
        assert_eq!(noticed(&result), notices, "{text}");
        assert_eq!(project.all_files(), before, "{text}");
        let is_elsewhere = text.starts_with("`/etc/");
        assert_eq!(result.success, proposals.is_empty() && notices.is_empty() && !is_elsewhere, "{text}");
    }
}

#[test]
fn regression_what_is_not_in_the_whole_file_of_the_answer_is_named() {
    let changed = FILE.replace("print(2)", "print(3)");
    let whole = format!("Update `src/a.py`:\n{}\n", fence("python", &changed));
    for (more, notices) in [
        (format!("And in `src/a.py` change `b`:\n{}", fence("python", "def b():\n    print(9)\n")), 1),
        (format!("In `src/a.py`, `b` is:\n{}", fence("python", "def b():\n    print(1)\n    print(3)\n")), 0),
    ] {
        let result = project().carry_out(read(&format!("{whole}{more}")));
        assert_eq!(proposed(&result.proposals), ["src/a.py whole file"], "{more}");
        assert_eq!(noticed(&result).len(), notices, "{more} {:#?}", result.not_read);
    }
}

#[test]
fn plain_applies_what_is_sure_and_nothing_else() {
    let changed = FILE.replace("print(2)", "print(3)");
    let text = format!(
        "`src/a.py`:\n{}\n`src/new.py`:\n{}\n`user.py`:\n{}",
        fence("python", &changed),
        fence("python", "x = 1\n"),
        fence("python", "class User:\n    age = 1\n")
    );
    let mut project = project();
    project.rules.plain.rule = PlainRule::Apply;
    let result = project.carry_out(read(&text));
    assert_eq!(results_of(&result), ["SUCCESS", "SUCCESS"], "{result:#?}");
    assert_eq!(proposed(&result.proposals), ["lib/models/user.py whole file ?"]);
    assert_eq!(
        (project.text("src/a.py"), project.text("src/new.py")),
        (Some(changed), Some("x = 1\n".to_owned()))
    );
    // The same again: nothing is to be done of what was applied.
    let again = project.carry_out(read(&text));
    assert_eq!(
        (results_of(&again).len(), &again.already[..]),
        (0, &["src/a.py".to_owned(), "src/new.py".to_owned()][..])
    );
    // The configuration beats the flag.
    project.rules.plain.rule = PlainRule::Refuse("/home/u/config.yaml".to_owned());
    let refused = project.carry_out(read(&text));
    assert!(
        refused.proposals.is_empty() && noticed(&refused) == ["refused lib/models/user.py"],
        "{refused:#?}"
    );
    assert!(refused.not_read[0].hint.contains("/home/u/config.yaml"));
}

#[test]
fn exactly_what_was_shown_is_applied_of_a_plan_if_it_is_accepted() {
    let changed = FILE.replace("print(2)", "print(3)");
    let edit = "README.md\n<<<<<<< SEARCH\nWords.\n=======\nOther words.\n>>>>>>> REPLACE\n\n";
    let text = format!("{edit}`src/a.py`:\n{}", fence("python", &changed));
    type Case<'c> = (Option<&'c [&'c str]>, (bool, bool));
    let cases: [Case<'_>; 5] = [
        (None, (true, false)),
        (Some(&["a1"]), (true, false)),
        (Some(&["a1", "p1"]), (true, true)),
        (Some(&["p1"]), (false, true)),
        (Some(&[]), (false, false)),
    ];
    for (accept, wrote) in cases {
        let project = project();
        let (plan, result) = project.plan_of(read(&text), &[]);
        assert_eq!(
            (result.actions.len(), proposed(&result.proposals)),
            (1, vec!["src/a.py whole file".to_owned()])
        );
        assert!(!result.diff.contains("print(3)") && result.proposals[0].diff.contains("+    print(3)"));
        let applied = project.apply(&plan, accept, Deliver::Disk);
        let has = |path, text| project.text(path).is_some_and(|content| content.contains(text));
        assert_eq!(
            (has("README.md", "Other"), has("src/a.py", "print(3)")),
            wrote,
            "{accept:?} {applied:#?}"
        );
        assert_eq!(applied.proposals.len(), usize::from(!wrote.1), "{accept:?}");
    }
    // The file changed after the question: nothing is written over it.
    let project = project();
    let (plan, _) = project.plan_of(read(&text), &[]);
    project.write("src/a.py", &format!("{FILE}# theirs\n"));
    let applied = project.apply(&plan, Some(&["a1", "p1"]), Deliver::Disk);
    assert_eq!(applied.results[1].kind, Some(ErrorKind::Conflict), "{applied:#?}");
    assert!(project.text("src/a.py").unwrap().ends_with("# theirs\n"));
    assert_eq!(unknown_ids(&plan, &["p2".to_owned(), "p1".to_owned()]), ["p2"]);
}

#[test]
fn some_hunks_of_a_proposal_are_applied() {
    let changed = FILE.replace("X = 1", "X = 2").replace("print(2)", "print(3)");
    let text = format!("`src/a.py`:\n{}", fence("python", &changed));
    let of = |accept: &[&str]| {
        let project = project();
        let (plan, _) = project.plan_of(read(&text), &[]);
        let result = project.apply(&plan, Some(accept), Deliver::Disk);
        let hunks = result.results.first().and_then(|result| result.hunks.map(|it| (it.done, it.of)));
        (project.text("src/a.py").unwrap(), result.proposals.len(), hunks)
    };
    let (plan, result) = project().plan_of(read(&text), &[]);
    let file = result.proposals[0].file.clone().unwrap();
    let hunks: Vec<(&str, usize, &str)> =
        file.hunks.iter().map(|hunk| (&*hunk.group, hunk.start, &*hunk.added[0])).collect();
    assert_eq!(hunks, [("p1.h1", 2, "X = 2\n"), ("p1.h2", 11, "    print(3)\n")]);
    type Case<'a> = (&'a [&'a str], &'a str, &'a str, usize, Option<(usize, usize)>);
    let cases: [Case<'_>; 5] = [
        (&["p1"], "X = 2", "print(3)", 0, None),
        (&["p1.h1", "p1.h2"], "X = 2", "print(3)", 0, None),
        (&["p1.h1"], "X = 2", "print(2)", 0, Some((1, 2))),
        (&["p1.h2"], "X = 1", "print(3)", 0, Some((1, 2))),
        (&[], "X = 1", "print(2)", 1, None),
    ];
    for (accept, first, second, left, in_part) in cases {
        let (text, proposals, hunks) = of(accept);
        assert!(text.contains(first) && text.contains(second), "{accept:?} {text}");
        assert_eq!((proposals, hunks), (left, in_part), "{accept:?}");
    }
    let ids: Vec<String> = ["p1.h2", "p1.h3", "p2.h1"].map(str::to_owned).into();
    assert_eq!(unknown_ids(&plan, &ids), ["p1.h3", "p2.h1"]);
    // What is done as a whole has one id.
    let new = format!("`src/new.py`:\n{}", fence("python", "a = 1\n"));
    let (_, result) = project().plan_of(read(&new), &[]);
    let file = result.proposals[0].file.clone().unwrap();
    assert_eq!((file.group.as_deref(), &*file.hunks[0].group), (Some("p1"), "p1"));
}

#[test]
fn a_block_that_needs_a_proposal_waits_for_it() {
    let text = format!(
        "`src/new.py`:\n{}\nsrc/new.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
        fence("python", "x = 1\ny = 1\n")
    );
    let project = project();
    let result = project.carry_out(read(&text));
    assert!(
        results_of(&result)[0].contains("it comes after p1 (src/new.py), which is not decided"),
        "{result:#?}"
    );
    let (plan, planned) = project.plan_of(read(&text), &[]);
    assert!(planned.actions[0].unplannable.is_none(), "{planned:#?}");
    let applied = project.apply(&plan, Some(&["a1", "p1"]), Deliver::Disk);
    assert_eq!(results_of(&applied), ["SUCCESS", "SUCCESS"], "{applied:#?}");
    assert_eq!(project.text("src/new.py").unwrap(), "x = 2\ny = 1\n");
}

#[test]
fn a_block_wins_over_a_listing_of_its_file() {
    let changed = FILE.replace("print(2)", "print(3)");
    let edit = "src/a.py\n<<<<<<< SEARCH\n    print(2)\n=======\n    print(3)\n>>>>>>> REPLACE\n\n";
    let text = format!("{edit}The whole of `src/a.py` is then:\n{}", fence("python", &changed));
    let result = project().carry_out(read(&text));
    assert!(result.success && result.proposals.is_empty(), "{result:#?}");
}

#[test]
fn all_or_nothing_waits_for_every_proposal() {
    let edit = "README.md\n<<<<<<< SEARCH\nWords.\n=======\nOther words.\n>>>>>>> REPLACE\n\n";
    let text = format!("{edit}`src/new.py`:\n{}", fence("python", "x = 1\n"));
    let project = project();
    let before = project.all_files();
    let atomic = || Answer { atomicity: Atomicity::AllOrNothing, ..read(&text) };
    let result = project.carry_out(atomic());
    assert!(results_of(&result)[0].contains("p1 was not accepted"), "{result:#?}");
    assert_eq!(project.all_files(), before);
    let (plan, _) = project.plan_of(atomic(), &[]);
    assert_eq!(results_of(&project.apply(&plan, Some(&["a1"]), Deliver::Disk)).len(), 1);
    assert_eq!(project.all_files(), before);
    let applied = project.apply(&plan, Some(&["a1", "p1"]), Deliver::Disk);
    assert!(applied.success && project.exists("src/new.py"), "{applied:#?}");
}

#[test]
fn of_several_versions_or_places_one_alone_is_accepted() {
    let versions = format!(
        "Option A, `src/new.py`:\n{}\nOption B, `src/new.py`:\n{}",
        fence("python", "x = 1\n"),
        fence("python", "x = 2\n")
    );
    let project = project();
    let (plan, result) = project.plan_of(read(&versions), &[]);
    assert_eq!(
        proposed(&result.proposals),
        ["src/new.py new file ?", "src/new.py new file ?"],
        "{result:#?}"
    );
    assert_eq!(result.proposals[0].alternatives, ["p1", "p2"]);
    let both = ["p1".to_owned(), "p2".to_owned()];
    assert!(plan.decide(Some(&both)).unwrap_err().contains("exclude each other"));
    let applied = project.apply(&plan, Some(&["p2"]), Deliver::Disk);
    assert!(applied.success, "{applied:#?}");
    assert_eq!(project.text("src/new.py").unwrap(), "x = 2\n");
    // Equal ones are one.
    let twice = format!("`src/n.py`:\n{0}\nAgain, `src/n.py`:\n{0}", fence("python", "x = 1\n"));
    assert_eq!(proposed(&project.carry_out(read(&twice)).proposals), ["src/n.py new file"]);
}

#[test]
fn code_without_a_file_name_is_tied_by_its_content_and_only_asked() {
    let changed = FILE.replace("print(2)", "print(3)");
    let mut project = project();
    let result = project.carry_out(read(&format!("Try this:\n\n{}", fence("python", &changed))));
    assert_eq!(proposed(&result.proposals), ["src/a.py whole file ?"], "{result:#?}");
    assert!(result.proposals[0].notes[0].starts_with("No file is named."));
    // What is in no file of the project names none.
    let sample = fence("python", "import requests\nrequests.get('x').json()\n");
    let result = project.carry_out(read(&format!("For example:\n\n{sample}\nOr:\n\n{sample}")));
    assert!(result.proposals.is_empty(), "{result:#?}");
    // `--to` names the file.
    project.rules.plain.to = Some("src/made.py".to_owned());
    let result =
        project.carry_out(read(&format!("Try this:\n\n{}", fence("python", "def f():\n    pass\n"))));
    assert_eq!(proposed(&result.proposals), ["src/made.py new file"], "{result:#?}");
}

#[test]
fn regression_code_that_words_only_describe_is_tied_to_no_file() {
    const PAGES: &str = "import os\n\nSIZE = 1\n\n\ndef load_pages(folder):\n    names = os.listdir(folder)\n    return names\n";
    let project = Project::with(&[("src/pages.py", PAGES), ("src/other.py", "def other():\n    pass\n")]);
    let part = fence(
        "python",
        "def load_pages(folder):\n    names = os.listdir(folder)\n    return sorted(names)\n",
    );
    let described = [
        "### State management",
        "The lines in question are:",
        "**Reading** (once, at the start):",
        "`load_pages` has a body similar to:",
        "## How it works\n\nIt returns the number:",
    ];
    for words in described {
        let result = project.carry_out(read(&format!("{words}\n\n{part}")));
        assert!(result.proposals.is_empty(), "{words}: {result:#?}");
        let note = &result.warnings[0].message;
        let said = ["names no file", "shows an example", "the words call it an example"];
        assert!(said.iter().any(|one| note.contains(one)), "{words}: {note}");
    }
    let wanted = [
        "",
        "Now let me update the main script:\n\n",
        "**Updated implementation:**\n\n",
        "Here's the corrected and complete function:\n\n",
        "Add this to the loop:\n\n",
        "Like so:\n\n",
        "The names have to be sorted before they are returned:\n\n",
        "## Cách sửa:\n\n",
    ];
    for words in wanted {
        let result = project.carry_out(read(&format!("{words}{part}")));
        assert_eq!(proposed(&result.proposals), ["src/pages.py part ?"], "{words}");
    }
    // What no file has, either, is noted; a script that is asked for is not.
    let other = fence("python", "import requests\nrequests.get('x').json()\n");
    let result = project.carry_out(read(&format!("`requests` has a method similar to:\n\n{other}")));
    let [note] = &result.warnings[..] else { panic!("{result:#?}") };
    assert!(result.success && note.message.contains("shows an example"), "{result:#?}");
    let result = project.carry_out(read(&format!("Here's a script that reads it:\n\n{other}")));
    assert!(result.warnings[0].message.contains("names no file"), "{result:#?}");
    // All of a file is shown again for a change, whatever the words are.
    let changed = PAGES.replace("SIZE = 1", "SIZE = 2");
    let result = project.carry_out(read(&format!("### State\n\n{}", fence("python", &changed))));
    assert_eq!(proposed(&result.proposals), ["src/pages.py whole file ?"]);
}

#[test]
fn regression_what_a_whole_listing_leaves_out_is_asked_about_unless_the_answer_says_it() {
    let message =
        |name: &str| format!("\nmessage {name} {{\n  int32 of_{name} = 1;\n  string name_{name} = 2;\n}}\n");
    let proto = format!("syntax = \"proto3\";\n{}", ["A", "B", "C", "D", "E"].map(message).concat());
    let project = Project::with(&[("a.proto", &proto)]);
    let less = proto.replace(&message("A"), "").replace("int32 of_B", "int64 of_B");
    let listing = format!("Here is the updated `a.proto`:\n\n{}", fence("proto", &less));
    let result = project.carry_out(read(&listing));
    assert_eq!(proposed(&result.proposals), ["a.proto whole file ?"]);
    let says = |note: &String| note.contains("`message A {` goes");
    assert!(result.proposals[0].notes.iter().any(says), "{result:#?}");
    for said in ["I removed the message that nothing uses.", "`A` is no longer needed.", "Entfernt wurde A."]
    {
        let result = project.carry_out(read(&format!("{said}\n\n{listing}")));
        assert_eq!(proposed(&result.proposals), ["a.proto whole file"], "{said}");
    }
}

#[test]
fn what_needs_attention_says_so() {
    let secret = "KEY=1\n";
    let project = Project::with(&[
        ("package.json", "{\n  \"name\": \"x\"\n}\n"),
        (".env", secret),
        ("long.py", &format!("import os\n{}", "x = 1\n".repeat(3))),
    ]);
    let text = format!(
        "`package.json`:\n{}\n`.eslintrc.json`:\n{}",
        fence("json", "{\n  \"name\": \"y\"\n}\n"),
        fence("json", "{}\n"),
    );
    let result = project.carry_out(read(&text));
    let attention: Vec<String> =
        result.proposals.iter().map(|proposal| format!("{:?}", proposal.attention)).collect();
    assert_eq!(attention, ["[Runs]", "[Dotfile]"], "{result:#?}");
    assert_eq!(result.proposals[0].form, ProposalForm::Whole);
}

#[test]
fn the_code_of_a_document_is_left_alone_unless_the_call_says_otherwise() {
    let text = format!("---\ntitle: Guide\n---\n\n`src/new.py`:\n{}", fence("python", "x = 1\n"));
    let mut project = project();
    let before = project.all_files();
    let result = project.carry_out(read(&text));
    assert!(result.proposals.is_empty() && !result.success, "{result:#?}");
    assert!(result.warnings[0].message.contains("reads like a document"), "{result:#?}");
    assert_eq!(project.all_files(), before);
    project.rules.plain.rule = PlainRule::Apply;
    assert!(project.carry_out(read(&text)).success && project.exists("src/new.py"));
}

#[test]
fn a_fragment_for_a_file_that_is_missing_is_not_a_new_file() {
    for (path, language, fragment, whole) in [
        ("src/new.ts", "ts", "docs: define({\n  x: 1,\n}),\n", "export const docs = 1;\n"),
        ("src/new.json", "json", "\"scripts\": {\n  \"a\": \"b\"\n}\n", "{\n  \"a\": 1\n}\n"),
        (".github/workflows/ci.yml", "yaml", "env:\n  A: 1\n", "on: push\njobs:\n  a:\n    runs-on: b\n"),
        ("src/new.py", "python", "    def a(self):\n        pass\n", "def a():\n    pass\n"),
    ] {
        let proposals = |text: &str| {
            project().carry_out(read(&format!("`{path}`:\n{}", fence(language, text)))).proposals.len()
        };
        assert_eq!((proposals(fragment), proposals(whole)), (0, 1), "{path}");
    }
    // Words that put it beside something.
    let text = format!("Right after the call in `src/new.ts`, add:\n{}", fence("ts", "x();\n"));
    assert!(project().carry_out(read(&text)).proposals.is_empty());
    // A title is not the name of another file.
    let text = format!("### 2. **User.py**\n{}", fence("python", "class User:\n    x = 1\n"));
    assert_eq!(noticed(&project().carry_out(read(&text))), ["refused User.py"]);
}

#[test]
fn an_answer_without_changes_says_what_it_shows() {
    let quoted = fence("python", "def b():\n    print(1)\n    print(2)\n");
    for (text, expected) in [
        (format!("`src/a.py`:\n{quoted}"), "lines that the files already have (line 2)"),
        (
            format!("`src/a.py` currently has:\n{}", fence("python", "x\n")),
            "an example, or code as it is now (line 2)",
        ),
        ("Run:\n```bash\nnpm test\n```\n".to_owned(), "commands to run (line 2)"),
        ("1. Delete `src/a.py`\n\nShall I go ahead?\n".to_owned(), "a plan about which it asks you (line 1)"),
        (
            "Remove the `Store` class from `src/missing.py`; nothing uses it.\n".to_owned(),
            "a change in words alone (line 1)",
        ),
    ] {
        let result = project().carry_out(read(&text));
        let notes: Vec<&str> = result.warnings.iter().map(|note| note.message.as_str()).collect();
        assert_eq!(notes, [format!("Nothing to apply: the answer shows {expected}")], "{text}");
    }
}

/// Code below "for example" that changes a file was passed over in silence, beside other changes and with status 0 alone.
#[test]
fn regression_dismissed_code_that_looks_like_a_change_is_named() {
    let new = format!("Create `src/new.py`:\n{}\n", fence("python", "x = 1\n"));
    let named = |text: &str| -> (Vec<u32>, bool) {
        let result = project().carry_out(read(text));
        let line = |note: &clada_protocol::OperationWarning| {
            let rest = note.message.strip_prefix("Not applied: line ")?;
            assert!(rest.contains("(src/a.py)"), "{rest}");
            rest.split(' ').next()?.parse().ok()
        };
        (result.warnings.iter().filter_map(line).collect(), result.success)
    };
    let changed = fence("python", "def b():\n    print(1)\n    print(3)\n");
    assert_eq!(named(&format!("For example, in `src/a.py`:\n{changed}")), (vec![2], false));
    assert_eq!(named(&format!("{new}For example:\n{changed}")).0, [7]);
    let shorter = fence("python", "def a():\n    return X\n\n\ndef b():\n    print(2)\n");
    assert_eq!(named(&format!("After that, `src/a.py` looks like this:\n{shorter}")), (vec![2], false));
    // What the file has, also with remarks, what a proposal makes, and uses of the code are none.
    for (lead, code) in [
        ("`src/a.py` currently has:", "def b():\n    print(1)  # the first one\n    print(2)\n"),
        ("Usage:", "from a import b\n\nb(7)\n"),
        ("The file then looks like this:", "x = 1\n"),
    ] {
        assert_eq!(named(&format!("{new}{lead}\n{}", fence("python", code))).0, Vec::<u32>::new(), "{lead}");
    }
}

/// Code for the end of a file without a name was dropped in silence, and so was code that `--to` does not fit.
#[test]
fn regression_code_without_a_file_is_named_whatever_its_form() {
    for words in ["Add this at the end of the file:", "At the top of the file, add:"] {
        let result = project().carry_out(read(&format!("{words}\n{}", fence("python", "zap()\n"))));
        assert!(!result.success && !result.warnings.is_empty(), "{words} {result:#?}");
    }
    let mut other = project();
    other.rules.plain.to = Some("src/a.py".to_owned());
    let result = other.carry_out(read(&format!("Change this:\n{}", fence("css", "a {\n  top: 0;\n}\n"))));
    assert!(!result.success && result.warnings[0].message.contains("which `--to` names"), "{result:#?}");
}

/// What an answer asks for in words alone was silent, also next to code of other files.
#[test]
fn regression_a_change_in_words_alone_is_a_notice() {
    let code = format!("Update `src/new.py`:\n{}\n", fence("python", "x = 1\n"));
    for words in [
        "Remove the `Store` class from `src/a.py`; nothing uses it.",
        "Don't forget to add `redis` to `src/a.py`.",
        "You also need to replace `Store` in `src/a.py`.",
        "Make sure to remove `Store` from `src/a.py` as well.",
        "Finally, add `x` to `src/a.py`.",
    ] {
        for text in [format!("{words}\n"), format!("{code}{words}\n")] {
            assert_eq!(noticed(&project().carry_out(read(&text))), ["refused src/a.py"], "{text}");
        }
    }
    // What the sentence says the code does.
    for words in ["Add `x` to `src/new.py`.", "Add `x` to `src/missing.py`.", "I added `x` to `src/a.py`."] {
        let text = format!("{code}{words}\n");
        assert!(noticed(&project().carry_out(read(&text))).is_empty(), "{text}");
    }
}
