//! Properties that hold for any text and any hunks.

use proptest::prelude::*;

use super::*;

fn any_hunk() -> impl Strategy<Value = Hunk> {
    let line = prop_oneof!["[ab]{0,2}", " {0,4}[abc]", "\t[ab]", Just("...".to_owned()), "\\PC{0,3}"];
    let line = (0u8..3, line).prop_map(|(kind, line)| match kind {
        0 => HunkLine::Context(line),
        1 => HunkLine::Removed(line),
        _ => HunkLine::Added(line),
    });
    let scopes = proptest::collection::vec("[ab ]{0,2}", 0..2);
    let lines = proptest::collection::vec(line, 0..7);
    let final_newline = proptest::option::weighted(0.2, any::<bool>());
    let flags = (any::<bool>(), any::<bool>());
    (lines, scopes, proptest::option::of(0u32..9), flags, final_newline).prop_map(
        |(lines, scopes, line_hint, (at_end_of_file, is_counted), final_newline)| Hunk {
            is_counted,
            after_line: None,
            lines,
            scopes,
            line_hint,
            at_end_of_file,
            final_newline,
        },
    )
}

/// A file of lines that differ from each other, and a part of it with changes.
fn edit() -> impl Strategy<Value = (Vec<String>, usize, Vec<(u8, u8)>)> {
    let lines = proptest::collection::vec(0usize..3, 4..14).prop_map(|depths| {
        let line = |(at, depth): (usize, usize)| format!("{}line {at} of them", "    ".repeat(depth));
        depths.into_iter().enumerate().map(line).collect::<Vec<_>>()
    });
    (lines, 0usize..10, proptest::collection::vec((0u8..4, 0u8..6), 1..9))
}

/// The lines of a hunk for `part`, and what should come of them. Kinds: keep, remove, replace, insert after.
fn asked(part: &[String], kinds: &[(u8, u8)]) -> (Vec<HunkLine>, Vec<String>) {
    let (mut lines, mut wanted) = (Vec::new(), Vec::new());
    for (line, (kind, number)) in part.iter().zip(kinds) {
        let new = format!("    something new {number} {line}");
        match kind {
            0 => lines.push(HunkLine::Context(line.clone())),
            1 | 2 => lines.push(HunkLine::Removed(line.clone())),
            _ => lines.push(HunkLine::Context(line.clone())),
        }
        if *kind != 1 && *kind != 2 {
            wanted.push(line.clone());
        }
        if *kind >= 2 {
            lines.push(HunkLine::Added(new.clone()));
            wanted.push(new);
        }
    }
    (lines, wanted)
}

/// Damage that a model does to the lines that it looks for.
fn damaged(lines: &[HunkLine], damage: u8) -> Vec<HunkLine> {
    let change = |line: &str, new: bool| match damage {
        0 => line.to_owned(),
        1 if !new => format!("{line}  "),
        2 => format!("    {line}"),
        3 => format!("\t{line}"),
        4 if !new => line.replace("line 2", "lime 2"),
        _ => line.to_owned(),
    };
    let lines = lines
        .iter()
        .filter(|line| damage != 5 || !matches!(line, HunkLine::Context(line) if line.contains("line 3")));
    lines
        .map(|line| match line {
            HunkLine::Context(line) => HunkLine::Context(change(line, false)),
            HunkLine::Removed(line) => HunkLine::Removed(change(line, false)),
            HunkLine::Added(line) => HunkLine::Added(change(line, true)),
        })
        .collect()
}

proptest! {
    #[test]
    fn nothing_panics(
        file in "([ab]{0,2}| {0,4}[abc]|\t[ab]|[.]{3})(\r?\n([ab]{0,2}| {0,4}[abc]|\t[ab])){0,8}",
        hunks in proptest::collection::vec(any_hunk(), 0..4),
        limit in 0usize..60,
    ) {
        let text = decode(&file);
        for level in [Match::Exact, Match::Strict, Match::Tolerant] {
            match apply_hunks_tolerant(&text, &hunks, level, limit) {
                Ok(patched) => prop_assert_eq!(patched.unchanged, patched.bytes == file.as_bytes()),
                Err(error) => {
                    let _ = hint_for_hunk(&text, &hunks, &error);
                    prop_assert!(!error.issue().is_empty());
                }
            }
        }
    }

    #[test]
    fn there_is_never_a_third_content(
        (file, from, kinds) in edit(),
        damage in 0u8..6,
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        terminated in any::<bool>(),
        search in any::<bool>(),
    ) {
        let from = from.min(file.len() - 1);
        let part = &file[from..(from + kinds.len()).min(file.len())];
        let (lines, wanted) = asked(part, &kinds);
        let mut lines = damaged(&lines, damage);
        if search {
            lines = as_search(&lines);
        }
        let joined = |lines: &[String]| lines.join(end) + if terminated && !lines.is_empty() { end } else { "" };
        let mut truth = file.clone();
        truth.splice(from..from + part.len(), wanted);
        // One line has no end to tell by.
        let single = !terminated && (file.len() == 1 || truth.len() <= 1);
        let (before, after) = (joined(&file), joined(&truth));
        let hunks = [Hunk { lines, ..Hunk::default() }];
        let Ok(patched) = apply_hunks_tolerant(&decode(&before), &hunks, Match::Tolerant, LIMIT) else {
            prop_assert!(damage > 0 || part.is_empty(), "refused what is exact");
            return Ok(());
        };
        let text = String::from_utf8(patched.bytes.clone()).unwrap();
        // Without the line next to which it inserts, a hunk asks for something else.
        let edge = |line: Option<&String>| line.is_some_and(|line| line.contains("line 3"));
        if single || damage == 5 && (edge(part.first()) || edge(part.last())) {
            return Ok(());
        }
        prop_assert!(text == after, "{text:?} is not {after:?}, by {:?}", patched.matched_by);
        let again = apply_hunks_tolerant(&decode(&text), &hunks, Match::Tolerant, LIMIT);
        if let Ok(again) = again {
            prop_assert!(again.unchanged, "applied twice, by {:?}", again.matched_by);
        }
    }
}

/// The same as a search and its replacement.
fn as_search(lines: &[HunkLine]) -> Vec<HunkLine> {
    let old = lines.iter().filter_map(|line| match line {
        HunkLine::Context(line) | HunkLine::Removed(line) => Some(HunkLine::Removed(line.clone())),
        HunkLine::Added(_) => None,
    });
    let new = lines.iter().filter_map(|line| match line {
        HunkLine::Context(line) | HunkLine::Added(line) => Some(HunkLine::Added(line.clone())),
        HunkLine::Removed(_) => None,
    });
    old.chain(new).collect()
}

proptest! {
    #[test]
    fn lines_that_do_not_change_keep_their_bytes(
        ends in proptest::collection::vec(prop_oneof![Just("\n"), Just("\r\n"), Just(" \n")], 3..12),
        (at, count) in (0usize..10, 0usize..3),
        new in 0usize..4,
        bom in any::<bool>(),
    ) {
        let line = |(at, end): (usize, &&str)| format!("number {at}{end}");
        let lines: Vec<String> = ends.iter().enumerate().map(line).collect();
        let at = at.min(lines.len() - 1);
        let stop = (at + count + 1).min(lines.len());
        let start = if bom { "\u{feff}" } else { "" };
        let search: String = (at..stop).map(|at| format!("number {at}\n")).collect();
        let replace: String = (0..new).map(|at| format!("another {at}\n")).collect();
        let file = start.to_owned() + &lines.concat();
        let patched = apply_hunks_tolerant(&decode(&file), &[replacing_hunk(&search, &replace)], Match::Strict, LIMIT);
        let text = String::from_utf8(patched.unwrap().bytes).unwrap();
        let head = start.to_owned() + &lines[..at].concat();
        prop_assert!(text.starts_with(&head));
        prop_assert!(text.ends_with(&lines[stop..].concat()));
        prop_assert_eq!(decode(&text).line_count(), lines.len() - (stop - at) + new);
    }
}

/// Lines of which many are alike, so that a hunk for one place nearly fits others.
fn alike() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "    call\\([12]\\)",
        "call\\([12]\\)",
        "\tcall\\(1\\)",
        Just(String::new()),
        "[{}]",
        "  x = [12]"
    ];
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just(" \n")];
    let lines = proptest::collection::vec((line, end), 1..16);
    lines.prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

proptest! {
    #[test]
    fn nothing_comes_that_was_not_asked_for_and_nothing_goes_that_was_not_named(
        file in alike(),
        search in alike(),
        replace in alike(),
        bom in any::<bool>(),
        open in any::<bool>(),
    ) {
        let file = if open { file.trim_end_matches(['\r', '\n']).to_owned() } else { file };
        let file = if bom { format!("\u{feff}{file}") } else { file };
        let hunks = [replacing_hunk(&search, &replace)];
        let text = decode(&file);
        let once = apply_hunks_tolerant(&text, &hunks, Match::Tolerant, LIMIT);
        prop_assert_eq!(&once, &apply_hunks_tolerant(&text, &hunks, Match::Tolerant, LIMIT));
        let Ok(patched) = once else { return Ok(()) };
        prop_assert_eq!(patched.bytes.starts_with("\u{feff}".as_bytes()), bom);
        let result = decode(std::str::from_utf8(&patched.bytes).unwrap());
        let lines = |text: &str| -> Vec<String> { split_lines(text).map(|line| line.body.trim().to_owned()).collect() };
        let (before, after) = (lines(text.as_str()), lines(result.as_str()));
        let (old, new) = (lines(&search), lines(&replace));
        let count = |lines: &[String], line: &String| lines.iter().filter(|other| *other == line).count();
        for line in before.iter().chain(&after) {
            let (was, is) = (count(&before, line), count(&after, line));
            prop_assert!(is <= was + count(&new, line), "{line:?} came by {:?}", patched.matched_by);
            prop_assert!(was <= is + count(&old, line), "{line:?} went by {:?}", patched.matched_by);
        }
        if text.as_str().is_empty() || result.as_str().is_empty() {
            return Ok(());
        }
        // A last line that is blank has no end to lose.
        if !after.last().is_some_and(String::is_empty) && before.len() > 1 {
            prop_assert_eq!(result.has_final_newline(), text.has_final_newline());
        }
    }
}

#[test]
fn lines_outside_of_a_hunk_keep_every_byte() {
    let long = "\tword\u{2028}\u{a0}".repeat(1 << 16);
    let above = format!("\u{feff}first\r\n\tsecond \n{long}\nvertical\u{b}tab\r\n");
    let below = format!("form\u{c}feed\u{85}\n  {long}\r\nlast without an end");
    let file = |middle: &str| format!("{above}{middle}{below}");
    for (search, replace, old, new) in [
        ("one\ntwo\n", "one\n2\n", "one\r\ntwo\n", "one\r\n2\n"),
        ("\none\ntwo\n\n", "\n1\ntwo\n\n", "one\r\ntwo\n", "1\r\ntwo\n"),
        ("one \ntwo\n", "one \nmore\ntwo\n", "one\r\ntwo\n", "one\r\nmore\r\ntwo\n"),
        ("one\ntwo\n", "one\n2\n", "\t\tone\r\n\t\ttwo\n", "\t\tone\r\n\t\t2\n"),
        ("one\ntwo\n", "", "one\r\ntwo\n", ""),
    ] {
        let (before, after) = (file(old), file(new));
        let patched = apply_hunks_tolerant(
            &decode(&before),
            &[replacing_hunk(search, replace)],
            Match::Tolerant,
            LIMIT,
        );
        assert!(patched.is_ok_and(|patched| patched.bytes == after.as_bytes()), "{search:?} {replace:?}");
    }
}
