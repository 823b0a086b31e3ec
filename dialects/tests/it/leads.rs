//! What the words above a change say of it: done, under a condition, or not at all.

use clada_dialects::plain::{Form, NoteKind, Plain};
use clada_dialects::{Bounds, Choice, parse};

fn plain(answer: &str) -> Plain {
    parse(answer, &Bounds::default(), &Choice::Auto).plain
}

/// How the changes of an answer are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Sure,
    /// As a question.
    Question,
    /// None, but there is a note.
    Note,
    Nothing,
}

fn taken(answer: &str) -> Taken {
    let plain = plain(answer);
    match (&plain.candidates[..], plain.notes.is_empty()) {
        ([], true) => Taken::Nothing,
        ([], false) => Taken::Note,
        (found, _) if found.iter().all(|one| one.conditional) => Taken::Question,
        _ => Taken::Sure,
    }
}

const DELETION: &str = "- Delete `src/a.py`\n- Rename `src/b.py` to `src/c.py`\n";
const SENTENCE: &str = "In `conf.ini`, change `port = 80` to `port = 81`.\n";
const COMMANDS: &str = "```bash\nrm src/a.py\n```\n";
const PAIR: &str = "In `conf.ini`:\n\nBefore:\n```ini\nport = 80\n```\nAfter:\n```ini\nport = 81\n```\n";
const DIFF: &str = "In `conf.ini`:\n\n```diff\n-port = 80\n+port = 81\n```\n";

/// The deeds, each below `lead`.
fn below(lead: &str) -> Vec<String> {
    [DELETION, SENTENCE, COMMANDS].iter().map(|deed| format!("{lead}\n\n{deed}")).collect()
}

fn check(leads: &[&str], expected: &[Taken], answers: impl Fn(&str) -> Vec<String>) {
    let mut wrong = Vec::new();
    for lead in leads {
        for answer in answers(lead) {
            let taken = taken(&answer);
            if !expected.contains(&taken) {
                wrong.push(format!("{taken:?}: {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

const FORBIDDEN: &[&str] = &[
    "What you must not do:",
    "Never do this:",
    "Do not do any of this:",
    "Please don't do the following:",
    "Things to avoid — you should never do this:",
    "Common mistakes:",
    "Wrong:",
    "This would be a mistake:",
    "Under no circumstances:",
    "## What not to do",
    "### Bad idea",
    "**Never:**",
    "Bitte nicht:",
    "Das darf nicht passieren:",
    "À ne pas faire :",
    "No hagas esto:",
    "Não faça isto:",
    "Non fare questo:",
    "Никогда так не делайте:",
    "不要这样做：",
    "こうしないでください：",
];

const REPORTED: &[&str] = &[
    "Your previous assistant suggested:",
    "The git history shows:",
    "What git did in the last commit:",
    "Your commit message could be:",
    "A colleague of yours proposed:",
    "Someone on the team did this:",
    "An attacker could do this:",
    "ChatGPT recommended:",
    "Ein Kollege hat vorgeschlagen:",
    "Un collègue a proposé :",
    "Un atacante podría hacer esto:",
    "To reproduce the bug:",
    "To break it:",
    "To test that it fails without the file:",
    "Steps to reproduce:",
];

const CONDITIONAL: &[&str] = &[
    "If the tests fail:",
    "To roll back this change, if needed:",
    "Later, once nothing uses it:",
    "When you deploy to production:",
    "Optionally:",
    "Unless you still need them:",
    "## Optional",
    "## If something goes wrong",
    "As soon as the migration is done:",
    "To clean up after the tests:",
    "Falls die Tests fehlschlagen:",
    "Si les tests échouent :",
    "Si las pruebas fallan:",
    "Se os testes falharem:",
    "Если тесты не проходят:",
    "如果测试失败：",
];

const OPEN: &[&str] = &[
    "Then:",
    "Here's what to do:",
    "Next steps:",
    "The plan:",
    "Now clean up:",
    "## Changes",
    "### Deleted and renamed files",
    "You don't need these files any longer:",
    "These are no longer used:",
    "Files that are not needed:",
    "To finish the refactoring:",
    "Don't forget to do this:",
    "Since nothing else imports it, do this:",
    "After that, do the following:",
    "Not only the code but also the files change:",
    "I did the following:",
    "Don't keep the old module; do this instead:",
    "Zum Schluss:",
    "Außerdem:",
    "Pour finir :",
    "Por último:",
    "最后：",
];

#[test]
fn regression_what_the_words_above_forbid_is_not_taken() {
    check(FORBIDDEN, &[Taken::Note], below);
    check(FORBIDDEN, &[Taken::Note], |lead| vec![format!("{lead}\n\n{PAIR}"), format!("{lead}\n\n{DIFF}")]);
}

#[test]
fn regression_what_the_words_above_report_is_not_taken() {
    check(REPORTED, &[Taken::Note], below);
}

#[test]
fn regression_what_the_words_above_make_conditional_is_a_question() {
    // Commands under a condition are for the reader.
    check(CONDITIONAL, &[Taken::Question, Taken::Note], below);
    check(CONDITIONAL, &[Taken::Question], |lead| {
        vec![format!("{lead}\n\n{DELETION}"), format!("{lead}\n\n{PAIR}"), format!("{lead}\n\n{DIFF}")]
    });
}

#[test]
fn words_that_have_it_done_leave_it_sure() {
    check(OPEN, &[Taken::Sure], below);
    check(OPEN, &[Taken::Sure], |lead| vec![format!("{lead}\n\n{PAIR}"), format!("{lead}\n\n{DIFF}")]);
}

#[test]
fn regression_the_sentence_of_a_change_says_whether_it_is_done() {
    let cases = [
        ("Bad idea: replace `port = 80` with `port = 99` in `conf.ini`.", Taken::Note),
        ("Before your edit, someone had to change `port = 80` to `port = 99` in `conf.ini`.", Taken::Note),
        ("In `conf.ini` there was a typo. To break it, change `port = 80` to `port = 81`.", Taken::Note),
        (
            "A test for this: in `conf.ini`, change `port = 80` to `port = 99`; it must then fail.",
            Taken::Note,
        ),
        ("When you deploy to production, change `port = 80` to `port = 443` in `conf.ini`.", Taken::Question),
        ("Don't panic. In `conf.ini`, change `port = 80` to `port = 81`.", Taken::Sure),
        ("Delete `src/a.py` if you no longer need it.", Taken::Question),
        ("Delete `src/a.py` if it exists.", Taken::Sure),
        ("Delete `src/a.py` (optional).", Taken::Question),
        ("❌ Delete `src/a.py`", Taken::Question),
        ("You can safely delete `src/a.py`.", Taken::Question),
        ("### Deleted file: `src/a.py`", Taken::Sure),
        ("Delete `src/a.py`. It was never used.", Taken::Sure),
        ("- Delete `src/a.py` – if you look, nothing imports it", Taken::Question),
        (
            "| File | Before | After |\n|---|---|---|\n| `conf.ini` | `port = 80` | `port = 81` |",
            Taken::Question,
        ),
        // Items of a list belong to its head, and what is behind the list does not.
        ("Never do this:\n\n- Delete `src/a.py`\n\nThat's all.\n\nDelete `src/b.py`.", Taken::Sure),
        ("1. If the tests fail:\n   - Delete `src/a.py`", Taken::Question),
        ("1. If the tests fail:\n   - look\n2. Delete `src/a.py`", Taken::Sure),
        ("If you like it:\n\n`a.py`:\n```python\nx\n```\n\nDelete `src/a.py`.", Taken::Sure),
    ];
    for (answer, expected) in cases {
        assert_eq!(taken(answer), expected, "{answer}");
    }
}

#[test]
fn regression_words_above_code_say_whether_it_is_meant() {
    let code = |lead: &str| format!("{lead}\n\n```python\nx = 1\n```\n");
    let not_meant = [
        "Here's what `src/a.py` must not become:",
        "The buggy version of `src/a.py`:",
        "Original `src/a.py` (from the commit before):",
        "Your teammate's branch has this `src/a.py`:",
        "After you run the generator, `src/a.py` will contain:",
        "The attacker uploads `src/a.py`:",
        "Antes, `src/a.py` era así:",
        "Beispiel für eine falsche `src/a.py`:",
        "You should never write `src/a.py` like so:",
        "This is the broken `src/a.py`:",
        "My colleague's `src/a.py`:",
        "La version défectueuse `ancienne` de `src/a.py`, à ne pas faire :",
        "Do not do this:\n\n`src/a.py`:",
        "What would be wrong:\n\n`src/a.py`:",
    ];
    for lead in not_meant {
        let found = plain(&code(lead));
        assert!(found.candidates.is_empty() && !found.notes.is_empty(), "{lead} {:?}", found.candidates);
    }
    for lead in [
        "If you ever want the verbose variant, `src/a.py` would be:",
        "If you want this, here is the updated `src/a.py`:",
        "Optionally, create `src/a.py`:",
        "In case you need it, use this `src/a.py`:",
        "## Optional\n\n`src/a.py`:",
    ] {
        assert_eq!(taken(&code(lead)), Taken::Question, "{lead}");
    }
    for lead in [
        "The fix in `src/a.py` is not to do it twice. Here's the updated file:",
        "Don't use a global, use this `src/a.py`:",
        "Here's the fixed `src/a.py`, which must not block any more:",
        "### 1. Wrong import in `src/a.py`",
        "Fix the broken `src/a.py`:",
        "Update `src/a.py` so that it never blocks:",
        "To avoid this, change `src/a.py`:",
        "To test it, create `src/a.py`:",
        "Make `name` optional in `src/a.py`:",
        "Add a check to `src/a.py` so an attacker cannot do this:",
        "**Bug: wrong port in `src/a.py`**",
        "`src/a.py` (no new imports needed):",
        "No other file changes. `src/a.py`:",
        "`src/a.py` for the colleague list:",
    ] {
        let lead = code(lead);
        let expected = if lead.contains("colleague") { Taken::Note } else { Taken::Sure };
        assert_eq!(taken(&lead), expected, "{lead}");
    }
}

#[test]
fn regression_each_change_of_a_sentence_is_taken() {
    let count = |answer: &str| {
        let found = plain(answer);
        let deletions = found.candidates.iter().filter(|one| one.form == Form::Delete).count();
        let replaced = found.candidates.iter().filter(|one| matches!(one.form, Form::Replacement { .. }));
        (deletions, replaced.count())
    };
    let fence = "`s.sh`:\n\n```sh\necho 2\n```\n\n";
    for (answer, expected) in [
        ("In `a.py`, replace `D = 1` with `D = 2` and `N = 1` with `N = 2`.".to_owned(), (0, 2)),
        (
            "In `a.py`, change `D = 1` to `D = 2`, `N = 1` to `N = 2`, and `E = 1` to `E = 2`.".to_owned(),
            (0, 3),
        ),
        (format!("{fence}Also delete `b.txt`.\n"), (1, 0)),
        (format!("{fence}Finally, delete `b.txt` and `a.py`.\n"), (2, 0)),
        (format!("In `b.txt`, change `the two` to `the 2`. Then update it.\n\n{fence}"), (0, 1)),
        (format!("In `s.sh`, change `echo 1` to `echo 2`.\n\n{fence}"), (0, 0)),
        ("Delete `a.py`, `b.py` and `c.py`.".to_owned(), (3, 0)),
        (
            "Remove `conf.ini`; its settings are in `src/app.py` now:\n\n```python\nD = 1\n```\n".to_owned(),
            (1, 0),
        ),
        ("Change `a = 1` to `a = 2` and look at `b = 1` with `c`".to_owned(), (0, 0)),
    ] {
        assert_eq!(count(&answer), expected, "{answer}");
    }
}

#[test]
fn notes_say_which_change_is_not_meant() {
    let found = plain("Never do this:\n\n- Delete `src/a.py`\n");
    let [note] = &found.notes[..] else { panic!("{found:?}") };
    assert_eq!(
        (note.kind, note.path.as_deref(), note.lines.start),
        (NoteKind::NotMeant, Some("src/a.py"), 3)
    );
}

#[test]
fn regression_old_and_new_text_in_one_fence_are_a_replacement() {
    let replaced = |content: &str| {
        let found = plain(&format!("Replace in `a.py`:\n\n```python\n{content}\n```\n"));
        // Old code alone is a quotation.
        let [one] = &found.candidates[..] else { return None };
        match &one.form {
            Form::Replacement { old } => Some((old.clone(), one.content.clone())),
            _ => None,
        }
    };
    let both = Some(("    return 1\n".to_owned(), "    return 2\n".to_owned()));
    for (content, expected) in [
        ("    return 1\n    ↓\n    return 2", both.clone()),
        ("    return 1\n\n⬇️\n\n    return 2", both.clone()),
        ("# before\n    return 1\n# after\n    return 2", both.clone()),
        ("# Old:\n    return 1\n\n# New:\n    return 2", both),
        ("# before\n    return 1", None),
        ("x = 1\n# after\ny = 2", None),
        ("x = '↓'\ny = 2", None),
        ("a\n↓\nb\n↓\nc", None),
    ] {
        assert_eq!(replaced(content), expected, "{content}");
    }
}

/// A table of words that are against a change is never complete: what nobody is asked about needs words that want it.
#[test]
fn regression_only_words_that_want_code_leave_it_sure() {
    let code = |lead: &str| format!("{lead}\n\n```ini\nport = 1\n```\n");
    for lead in [
        "When the container starts, `a.ini` is overwritten with:",
        "The formatter would turn `a.ini` into:",
        "In the worst case `a.ini` ends up as:",
        "The tool will generate `a.ini` for you:",
        "On the staging server, `a.ini` is:",
        "The following `a.ini` would **not** work:",
        "So sollte `a.ini` **nicht** aussehen:",
        "Many people wrongly put this in `a.ini`:",
        "With your change, `a.ini` is now:",
        "Here is what `a.ini` contained when it worked:",
        "Alternatively, `a.ini` could be:",
        "Should I go ahead and update `a.ini` to this?",
        "`a.ini` を次のように変更しましょうか？",
        "From https://example.org/q/123:\n\n**a.ini**",
        "### Current state\n\n`a.ini`",
        "### The problem\n\n`a.ini`:",
    ] {
        assert_ne!(taken(&code(lead)), Taken::Sure, "{lead}");
    }
    for lead in [
        "`a.ini`",
        "**a.ini**",
        "### 2. `a.ini` (server)",
        "`a.ini` — the server's settings:",
        "Here's the updated `a.ini`:",
        "Here's a settings file, `a.ini`:",
        "Next, `a.ini`:",
        "Save this as `a.ini`:",
        "`a.ini` should now look like this:",
        "Here are the changes:\n\n**a.ini**",
        "Voici le fichier `a.ini` corrigé :",
        "更新后的 `a.ini`：",
    ] {
        assert_eq!(taken(&code(lead)), Taken::Sure, "{lead}");
    }
}

#[test]
fn regression_words_below_code_take_it_back() {
    for below in [
        "Wait, that would break the proxy.",
        "On second thought, leave it.",
        "Please do not apply this yet.",
        "Ignore the change above.",
        "Which one do you prefer?",
        "Do you want me to make this change?",
    ] {
        let answer = format!("Update `a.ini`:\n\n```ini\nport = 1\n```\n\n{below}\n");
        assert_eq!(taken(&answer), Taken::Question, "{below}");
    }
    for below in ["Would you like me to add tests as well?", "This fixes it.", "Then restart."] {
        let answer = format!("Update `a.ini`:\n\n```ini\nport = 1\n```\n\n{below}\n");
        assert_eq!(taken(&answer), Taken::Sure, "{below}");
    }
}

#[test]
fn regression_deletions_and_moves_below_what_others_do_are_questions() {
    for lead in [
        "The migration script will:",
        "Our CI job runs:",
        "Do you want me to:",
        "**Rollback plan**",
        "Next steps (after you confirm):",
    ] {
        assert_ne!(taken(&format!("{lead}\n\n{DELETION}")), Taken::Sure, "{lead}");
    }
    for item in ["- [ ] Delete `src/a.py`", "Delete `src/a.py`?"] {
        assert_ne!(taken(item), Taken::Sure, "{item}");
    }
    assert_eq!(taken("**Choice 1:** In `a.ini`, replace `port = 1` with `port = 2`."), Taken::Sure);
    let found = plain("**Choice 1:** In `a.ini`, replace `port = 1` with `port = 2`.").candidates;
    assert!(found.iter().all(|one| one.optional), "{found:?}");
}

#[test]
fn regression_an_order_above_a_listing_needs_nobody_who_wants_it() {
    let open = [
        "Now let's update `src/a.py` to add what was missing in the original one:",
        "You need to modify `src/a.py` so that it does not crash:",
        "Here's the proposed change to `src/a.py`:",
        "Here are the changes needed in `src/a.py`:",
        "Replace `src/a.py` with this. This ensures that nothing is lost:",
        "Ahora voy a refactorizar `src/a.py`:",
        "Je vais modifier `src/a.py` :",
        "Um das zu beheben, `src/a.py` anpassen:",
        "Теперь нужно обновить `src/a.py`:",
        "现在让我们修改 `src/a.py`：",
        "格式不一致。让我修改 `src/a.py`：",
        "The test reads that file:\n\nLet me update `src/a.py`:",
        "What you need to do:\n\n1. Update `src/a.py`:",
        "### What was applied:\n\n**`src/a.py`:**",
    ];
    let asked = [
        "If you use Postgres, change `src/a.py`:",
        "We could change `src/a.py`:",
        "The installer writes `src/a.py`:",
        "The updated `src/a.py` was wrong there:",
        "Complete `src/a.py` before it:",
        "The installer does this:\n\n1. Update `src/a.py`:",
        "The installer does this:\n\n`src/a.py`:",
        "### What happens:\n\n1. **Check of the file**:",
    ];
    let listing = |lead: &str| vec![format!("{lead}\n\n```python\ndef a():\n    return 1\n```\n")];
    check(&open, &[Taken::Sure], listing);
    check(&asked, &[Taken::Question], listing);
}

#[test]
fn regression_words_below_a_deed_put_it_off_or_make_it_conditional() {
    for (answer, expected) in [
        ("### Delete `src/a.py`\n\nNot yet! The site still links to it.", Taken::Note),
        ("### Step 3: Delete `src/a.py`\n\nNot before step 2 is released.", Taken::Note),
        ("**Delete `src/a.py`**\n\nOnly if you don't use it. You do, so keep it.", Taken::Note),
        ("**Delete `src/a.py`**\n\nOnly if you don't use it.", Taken::Question),
        ("### Lösche `src/a.py`\n\nNoch nicht, die Seite verweist darauf.", Taken::Note),
        ("### Supprimer `src/a.py`\n\nPas encore : la page y renvoie.", Taken::Note),
        ("- **Delete `src/a.py`** – no, it is linked.", Taken::Note),
        ("`src/a.py` → `src/b.py`\n\n`src/c.py` → `src/d.py`\n\nSo keep what you have.", Taken::Question),
        (
            "- Delete `src/a.py`\n- Delete `src/b.py`\n\nThese are pages: nothing to do in the repository.",
            Taken::Question,
        ),
        ("### Delete `src/a.py`\n\nNot used any more.", Taken::Sure),
        ("### Delete `src/a.py`\n\nThere is no reason to keep it.", Taken::Sure),
        ("### Delete `src/a.py`\n\nPlease don't forget the imports.", Taken::Sure),
        ("### Delete `src/a.py`\n\nNot yet used by anything.", Taken::Sure),
        ("### 删除 `src/a.py`\n\n不要忘记更新导入。", Taken::Sure),
        ("### Delete `src/a.py`\n\n今は使われていません。", Taken::Sure),
        ("### Delete `src/a.py`\n\nNothing imports it, and the tests keep it out.", Taken::Sure),
        ("### Delete `src/a.py`\n\nNo other file needs to change.", Taken::Sure),
        ("- Delete `src/a.py`\n- Delete `src/b.py`\n\nIt has nothing to do with the server.", Taken::Sure),
        ("### Delete `src/a.py`\n\n### Keep `src/b.py`\n\nNot yet.", Taken::Sure),
    ] {
        assert_eq!(taken(answer), expected, "{answer}");
    }
}

#[test]
fn regression_what_a_program_makes_of_a_file_is_no_move_of_it() {
    for (from, to, expected) in [
        ("src/a.ts", "dist/a.js", Taken::Nothing),
        ("docs/a.md", "site/a.html", Taken::Nothing),
        ("styles/a.scss", "public/a.css", Taken::Nothing),
        ("src/a.js", "src/a.ts", Taken::Sure),
        ("src/a.ts", "src/a.js", Taken::Sure),
        ("src/a.md", "docs/a.md", Taken::Sure),
    ] {
        assert_eq!(taken(&format!("### `{from}` → `{to}`\n")), expected, "{from} {to}");
    }
}

#[test]
fn regression_a_line_above_sections_speaks_of_each_of_them() {
    let sections =
        "### Moved `src/a.py` → `src/b.py`\n\nImports change.\n\n### Renamed: `src/c.py` → `src/d.py`\n";
    for (lead, expected) in [
        ("What the merge did:", Taken::Note),
        ("Release notes for 2.0:", Taken::Note),
        ("How the pages are mapped:", Taken::Question),
        ("Files to change:", Taken::Sure),
        ("Update the imports, too:", Taken::Sure),
    ] {
        assert_eq!(taken(&format!("{lead}\n\n{sections}")), expected, "{lead}");
    }
    let removed = sections.replace("### Moved `src/a.py` → `src/b.py`", "### Removed `src/a.py`");
    assert_eq!(taken(&format!("Release notes for 2.0:\n\n{removed}")), Taken::Note);
    let code = "Create `a.ini`:\n\n```ini\nport = 1\n```\n";
    for (answer, expected) in [
        (
            format!("Here's the paragraph for your blog post:\n\n---\n\n**Step 1.** {code}\n---\n"),
            Taken::Question,
        ),
        (
            format!("This is the draft of the handout. Begin with nothing.\n\n## Part 1\n\n{code}"),
            Taken::Question,
        ),
        (format!("You can report it upstream:\n\n**Title:** loses the sign\n\n{code}"), Taken::Question),
        (format!("For your blog post:\n\n---\n\nText.\n\n---\n\n{code}"), Taken::Sure),
        (format!("Here are the changes:\n\n---\n\n{code}"), Taken::Sure),
    ] {
        assert_eq!(taken(&answer), expected, "{answer}");
    }
}

#[test]
fn regression_words_below_code_say_that_nothing_is_to_change() {
    let code = |lead: &str, below: &str| format!("{lead}\n\n```ini\nport = 1\n```\n\n{below}\n");
    let doubted = "It is tempting to simplify `a.ini`:";
    for below in [
        "This loses the host, so keep the version you have.",
        "For now, no change is needed.",
        "You're on 3.12, so it's right as it is.",
        "Das ist langsamer, also nichts ändern.",
        "这样更慢，所以无需修改。",
    ] {
        assert_ne!(taken(&code(doubted, below)), Taken::Question, "{below}");
        assert_eq!(taken(&code("Update `a.ini`:", below)), Taken::Question, "{below}");
    }
    for below in [
        "No changes are needed in `b.ini`.",
        "The rest of the file is fine as it is.",
        "No other changes are needed.",
        "It has nothing to do with the proxy.",
        "Don't commit it.",
        "The name depends on the version you have.",
        "其余代码无需修改。",
    ] {
        assert_eq!(taken(&code("Update `a.ini`:", below)), Taken::Sure, "{below}");
    }
    for below in [
        "is what the installer makes of it.",
        "is the variant people write.",
        "That goes to the client's repository, not this one.",
    ] {
        assert_ne!(taken(&code("`a.ini`", below)), Taken::Sure, "{below}");
    }
    let thought =
        "In `a.ini`, replace\n\n```ini\nport = 2\n```\n\nwith\n\n```ini\nport = 1\n```\n\nin your head only.";
    assert_ne!(taken(thought), Taken::Sure);
}

#[test]
fn regression_files_of_programs_people_and_other_repositories_are_questions() {
    let code = |lead: &str| format!("{lead}\n\n```json\n{{\n  \"port\": 1\n}}\n```\n");
    for lead in [
        "`npx tool --init` will create `conf.json` with",
        "`make report` writes `conf.json`:",
        "Ask Dana to put this into her `conf.json`:",
        "In the docs repository add to `conf.json`:",
        "The worker repo needs a `conf.json` as well:",
    ] {
        assert_ne!(taken(&code(lead)), Taken::Sure, "{lead}");
    }
    for lead in [
        "On the server side, update `conf.json`:",
        "In the project repository, update `conf.json`:",
        "Add this to `conf.json` in your repo:",
        "Create `conf.json`, which the server writes to:",
    ] {
        assert_eq!(taken(&code(lead)), Taken::Sure, "{lead}");
    }
    let output = "After the run you'll find `a.json`:\n\n```json\n[1]\n```\n";
    for second in ["and `b.json`:", "`b.json`:"] {
        assert_eq!(taken(&format!("{output}\n{}", code(second))), Taken::Question, "{second}");
    }
    assert_eq!(
        taken(&format!("Create `a.json`:\n\n```json\n[1]\n```\n\n{}", code("and `b.json`:"))),
        Taken::Sure
    );
}

#[test]
fn regression_commands_for_another_place_are_none_of_the_project() {
    for lead in [
        "SSH into the staging box and write the config there:",
        "You can try it in a scratch directory:",
        "Probier es in einem leeren Ordner:",
    ] {
        assert_eq!(taken(&format!("{lead}\n\n{COMMANDS}")), Taken::Note, "{lead}");
    }
    assert_eq!(taken(&format!("Delete the temporary file:\n\n{COMMANDS}")), Taken::Sure);
}

/// Words of a sentence about what the code does were taken for words about the code block, which was passed over.
#[test]
fn regression_an_order_with_other_words_in_its_line_is_a_question() {
    let fence = |words: &str| {
        vec![format!(
            "### [app.js](app.js)\n\n{words}\n\n```javascript\n// ...existing code...\nfunction neg(a) {{\n  return 0 - a;\n}}\n```\n"
        )]
    };
    check(
        &[
            "Update `neg` to check its input. This uses the `Number` function already present in the file.",
            "Only change: in `neg`, do not negate what is no number.",
            "Remove the plain sign inside `neg`. Keep the function itself; do not return text.",
            "Replace the sign in `neg`. The parser is currently unused.",
            "Ändere `neg`. Nie Text zurückgeben.",
            "Update the sum, instead of trusting it.",
        ],
        &[Taken::Question],
        fence,
    );
    check(
        &[
            "Update `neg` later. Do not write it like this.",
            "Change `neg`. The current code is below.",
            "Use a parser. Don't do this:",
            "The function already checks its input.",
            "Never negate text.",
        ],
        &[Taken::Note],
        fence,
    );
    // Nothing is to change.
    check(&["No changes needed (only notes).", "No changes are needed here."], &[Taken::Note], fence);
}

#[test]
fn regression_what_something_is_like_is_no_change() {
    check(
        &[
            "`boot.py` loads all engines. For one without a class it generates errors like:",
            "It logs warnings like:",
            "The engine in `boot.py` has a definition similar to:",
        ],
        &[Taken::Note],
        |words| {
            vec![
                format!("{words}\n\n```\nUnknown engine: stone\n```\n"),
                format!("{words}\n\n```python\nclass Stone:\n    name = 1\n```\n"),
            ]
        },
    );
    check(
        &[
            "Update `boot.py` to something similar to:",
            "Replace the class of `boot.py` with code similar to:",
        ],
        &[Taken::Sure, Taken::Question],
        |words| vec![format!("{words}\n\n```python\nclass Stone:\n    name = 1\n```\n")],
    );
}

const CODE: &str = "### 1. `src/a.ts`\n\n```ts\nexport const a = 1;\n```\n\n### 2. `src/b.ts`\n\n```ts\nexport const b = 2;\n```\n\n";

/// The paths of the candidates of `answer`, those that need a question with a question mark.
fn paths(answer: &str) -> Vec<String> {
    let path = |one: &clada_dialects::plain::Candidate| {
        let path = one.groups.iter().find_map(|group| Some(group.mentions.first()?.path.clone()));
        format!("{}{}", path.unwrap_or_default(), if one.conditional { "?" } else { "" })
    };
    plain(answer).candidates.iter().map(path).collect()
}

/// Only the code right above a line could be taken back.
#[test]
fn regression_lines_take_back_the_file_or_the_step_that_they_name() {
    for (line, expected) in [
        ("Sorry, ignore step 1: the constant is there already.", &["src/b.ts"][..]),
        ("Wait, skip `a.ts`. It is generated.", &["src/b.ts"]),
        ("Forget `src/b.ts`, nobody imports it.", &["src/a.ts"]),
        ("Correction: step 2 is not needed.", &["src/a.ts"]),
        ("Doch nicht: `src/b.ts` brauchst du nicht.", &["src/a.ts"]),
        ("En fait, ne créez pas `src/b.ts`.", &["src/a.ts"]),
        ("訂正：`src/b.ts` は不要です。", &["src/a.ts"]),
        ("`src/a.ts` is optional.", &["src/a.ts?", "src/b.ts"]),
        ("The second file is only needed in the browser.", &["src/a.ts", "src/b.ts?"]),
        ("- `src/a.ts`: only if you use it elsewhere", &["src/a.ts?", "src/b.ts"]),
        ("Actually, leave `src/c.ts` as it is.", &["src/a.ts", "src/b.ts"]),
        ("Skip the tests of `src/a.ts` for now.", &["src/a.ts", "src/b.ts"]),
        ("Don't forget to export `src/a.ts`.", &["src/a.ts", "src/b.ts"]),
        ("In step 1 the constant is made.", &["src/a.ts", "src/b.ts"]),
    ] {
        assert_eq!(paths(&format!("{CODE}{line}\n")), expected, "{line}");
    }
    let deeds = "1. Delete `src/a.ts`\n2. Delete `src/b.ts`\n\n";
    for (line, expected) in [
        ("Correction: don't delete `src/a.ts`, a script reads it.", &["src/b.ts"][..]),
        ("You don't need `src/a.ts` any more.", &["src/a.ts", "src/b.ts"]),
        ("Sorry, skip step 2.", &["src/a.ts"]),
    ] {
        assert_eq!(paths(&format!("{deeds}{line}\n")), expected, "{line}");
    }
    // What is shown again below is meant.
    let again =
        "Scrap `src/a.ts` above. Here's the corrected `src/a.ts`:\n\n```ts\nexport const a = 3;\n```\n";
    assert_eq!(paths(&format!("{CODE}{again}")), ["src/b.ts", "src/a.ts"]);
}

/// A heading puts all files below it into another project.
#[test]
fn regression_files_below_a_heading_of_another_project_are_not_written() {
    let code = |heading: &str| format!("{heading}\n\n### `src/a.ts`\n\n```ts\nexport const a = 1;\n```\n");
    for heading in
        ["## Client (separate repository)", "# In einem anderen Repository", "## 前端（另一个仓库）"]
    {
        assert_eq!(taken(&code(heading)), Taken::Note, "{heading}");
    }
    for heading in ["## In the client repository", "# Docs site (Astro repo)", "## Im Client-Projekt"] {
        assert_eq!(taken(&code(heading)), Taken::Question, "{heading}");
    }
    for heading in ["## In this repository", "# Client", "## Repository layer", "## Your repo"] {
        assert_eq!(taken(&code(heading)), Taken::Sure, "{heading}");
    }
    for sentence in [
        "The client has its own repo. There, add `src/a.ts`:",
        "In the app that uses this library, add `src/a.ts`:",
        "Add `src/a.ts` (in the client app, not here):",
    ] {
        let answer = format!("{sentence}\n\n```ts\nexport const a = 1;\n```\n");
        assert_eq!(taken(&answer), Taken::Note, "{sentence}");
    }
}

#[test]
fn regression_arrows_to_tests_and_documents_are_no_moves() {
    for line in [
        "- `src/a.ts` → `docs/a.md`",
        "- `src/a.ts` → `tests/a.test.ts`",
        "- `lib/a.py` → `tests/test_a.py`",
        "- `css/a.css` → `public/a.min.css`",
    ] {
        assert_eq!(taken(&format!("Renames:\n\n{line}\n")), Taken::Nothing, "{line}");
    }
    for line in ["- `src/a.js` → `src/a.ts`", "- `src/a.ts` → `lib/a.ts`", "- `notes.txt` → `docs/notes.md`"]
    {
        assert_ne!(taken(&format!("Renames:\n\n{line}\n")), Taken::Nothing, "{line}");
    }
}

#[test]
fn regression_deeds_of_a_review_are_not_taken() {
    let deed = "### Deleted file: `src/a.ts`\n\nNobody needs it.\n";
    for (heading, expected) in [
        ("# Review of your pull request", Taken::Note),
        ("## PR #7", Taken::Note),
        ("## What this PR changes", Taken::Question),
        ("## Changes", Taken::Sure),
    ] {
        assert_eq!(taken(&format!("{heading}\n\n{deed}")), expected, "{heading}");
    }
    let later = "### Delete `src/a.ts`\n\nDo this only after the release, the old workers load it.\n";
    assert_eq!(taken(later), Taken::Question);
}

#[test]
fn regression_a_file_that_is_fine_names_no_code_below() {
    let answer = "Your `.gitignore` is fine. Docker has a list of its own, add there:\n\n```\ntests/\n```\n";
    let plain = plain(answer);
    let mentions = plain.candidates.iter().flat_map(|one| &one.groups).flat_map(|group| &group.mentions);
    assert!(mentions.clone().all(|mention| mention.aside), "{plain:?}");
}
