//! Edits of an answer that have the same old lines, each an action of its own.

use super::*;

/// The hunks of one edit.
type Edit<'h> = &'h [&'h str];
/// A file, the edits, the file afterwards, how each edit is reported, and how many notes there are.
type Row<'r> = (&'r str, &'r [Edit<'r>], &'r str, &'r str, usize);

/// Returns the file `a` after edits of aider, how each of them is reported, and how many notes there are.
fn applied(file: &str, edits: &[Edit<'_>]) -> (String, Vec<String>, usize) {
    let project = Project::with(&[("a", file)]);
    let edits = edits.iter().map(|hunks| patch("a", hunks)).collect();
    let result = project.carry_out(said("aider", edits));
    let notes =
        result.warnings.iter().filter(|note| note.message.contains("at several places of 'a'")).count();
    let codes = result.results.iter().map(|result| match &result.error {
        Some(_) => result.kind.unwrap().name().to_owned(),
        None => "done".to_owned(),
    });
    (project.text("a").unwrap(), codes.collect(), notes)
}

#[test]
fn as_many_blocks_as_places_have_them_in_order() {
    let (one, two, three): (Edit<'_>, Edit<'_>, Edit<'_>) = (&["-a\n+1\n"], &["-a\n+2\n"], &["-a\n+3\n"]);
    let kept: (Edit<'_>, Edit<'_>, Edit<'_>) = (&["+1\n a\n"], &["+2\n a\n"], &["+3\n a\n"]);
    let rows: &[Row<'_>] = &[
        ("a\nx\na\n", &[one, two], "1\nx\n2\n", "done done", 1),
        ("a\nx\na\n", &[one, one], "1\nx\n1\n", "done done", 1),
        ("a\nx\na\ny\na\n", &[one, two, three], "1\nx\n2\ny\n3\n", "done done done", 2),
        // The old lines stay.
        ("a\nx\na\n", &[kept.0, kept.1], "1\na\nx\n2\na\n", "done done", 2),
        ("a\nx\na\ny\na\n", &[kept.0, kept.1, kept.2], "1\na\nx\n2\na\ny\n3\na\n", "done done done", 3),
        // Another edit comes between.
        ("a\nx\na\n", &[one, &["-x\n+X\n+Y\n"], two], "1\nX\nY\n2\n", "done done done", 1),
        ("a\nx\na\n", &[kept.0, &["-x\n+X\n"], kept.1], "1\na\nX\na\n", "done done ambiguous", 1),
        // Several hunks of one edit.
        ("a\nx\na\ny\na\n", &[one, &["-a\n+2\n", "-a\n+3\n"]], "1\nx\n2\ny\n3\n", "done done", 2),
        // More or fewer places.
        ("a\nx\na\ny\na\n", &[one, two], "a\nx\na\ny\na\n", "ambiguous ambiguous", 0),
        ("a\nx\na\n", &[one, two, three], "a\nx\na\n", "ambiguous ambiguous ambiguous", 0),
        // One is refused: then the order of the others is no longer certain.
        (
            "a\nx\na\ny\na\n",
            &[&["-a\n+# ... existing code ...\n"], two, three],
            "a\nx\na\ny\na\n",
            "elision ambiguous ambiguous",
            0,
        ),
    ];
    for (file, edits, wanted, codes, notes) in rows {
        let (text, found, told) = applied(file, edits);
        assert_eq!((text.as_str(), found.join(" ").as_str(), told), (*wanted, *codes, *notes), "{edits:?}");
    }
}

#[test]
fn the_order_is_that_of_one_file() {
    let project = Project::with(&[("a", "a\nx\na\n"), ("b", "a\nx\na\n")]);
    let result = project.carry_out(said("aider", vec![patch("a", &["-a\n+1\n"]), patch("b", &["-a\n+2\n"])]));
    assert!(result.results.iter().all(|result| result.kind == Some(ErrorKind::Ambiguous)), "{result:#?}");
    // However the file is called.
    let same = vec![patch("./a", &["-a\n+1\n"]), patch("a", &["-a\n+2\n"])];
    assert!(project.carry_out(said("aider", same)).success);
    assert_eq!(project.text("a").as_deref(), Some("1\nx\n2\n"));
}

#[test]
fn a_block_that_is_taken_back_leaves_no_turn() {
    let project = Project::with(&[("a", "a\nx\na\n")]);
    let mut answer =
        said("aider", vec![patch("a", &["-a\n+1\n"]), patch("a", &["-q\n+Q\n"]), patch("a", &["-a\n+2\n"])]);
    for step in &mut answer.steps[..2] {
        step.group = Group { block: 0, policy: Policy::Atomic };
    }
    assert!(!project.carry_out(answer).success);
    assert_eq!(project.text("a").as_deref(), Some("a\nx\na\n"));
}
