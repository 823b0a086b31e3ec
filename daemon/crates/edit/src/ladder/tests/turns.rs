//! Hunks whose lines occur at several places: their turns, and line numbers that are off.

use proptest::prelude::*;

use super::*;

/// Applies hunks, and returns the text and the reasons for their places; `None` if they are refused as
/// ambiguous.
fn chosen(file: &str, hunks: &[&str]) -> Option<(String, Vec<(usize, Choice)>)> {
    let hunks: Vec<Hunk> = hunks.iter().map(|diff| hunk(diff)).collect();
    match apply_hunks_tolerant(&decode(file), &hunks, Match::Tolerant, LIMIT) {
        Ok(patched) => Some((String::from_utf8(patched.bytes).unwrap(), patched.chosen)),
        Err(PatchError { failure: PatchFailure::Ambiguous { .. }, .. }) => None,
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn as_many_hunks_as_places_have_them_in_order() {
    let (one, two, three) = ("-a\n+1\n", "-a\n+2\n", "-a\n+3\n");
    let rows: &[(&str, &[&str], Option<&str>)] = &[
        ("a\nx\na\n", &[one, two], Some("1\nx\n2\n")),
        ("a\nx\na\ny\na\n", &[one, two, three], Some("1\nx\n2\ny\n3\n")),
        // Others in between are no matter.
        ("a\nx\na\n", &[one, "-x\n+X\n", two], Some("1\nX\n2\n")),
        // The same edit for each place, and none too many.
        ("a\nx\na\n", &[one, one], Some("1\nx\n1\n")),
        ("a\nx\na\ny\na\n", &[one, one], None),
        // More or fewer places than hunks.
        ("a\nx\na\ny\na\n", &[one, two], None),
        ("a\nx\na\n", &[one, two, three], None),
        // Places that overlap.
        ("a\na\na\n", &["-a\n-a\n+1\n", "-a\n-a\n+2\n"], None),
        // A hunk that has to come before the one before it.
        ("a\nx\na\n", &["-x\n+X\n", one, two], None),
        ("a\nx\na\ny\n", &["-y\n+Y\n", one, two], Some("1\nx\n2\nY\n")),
        // Something certain comes before the order.
        ("a\nx\na\n", &["#3\n-a\n+1\n", two], None),
        ("c\n  a\nd\n  a\n", &["@d\n-  a\n+  1\n", "@c\n-  a\n+  2\n"], Some("c\n  2\nd\n  1\n")),
        ("c\n  a\nd\n  a\n", &["@c\n-  a\n+  1\n", "@d\n-  a\n+  2\n"], Some("c\n  1\nd\n  2\n")),
        // Only blanks at the ends of lines differ.
        ("a \nx\na \n", &["-a\n+1\n", "-a\n+2\n"], Some("1\nx\n2\n")),
    ];
    for (file, hunks, wanted) in rows {
        let found = chosen(file, hunks).map(|(text, _)| text);
        assert_eq!(found.as_deref(), *wanted, "{file:?} {hunks:?}");
    }
}

#[test]
fn what_chose_is_reported() {
    let choices = |file: &str, hunks: &[&str]| chosen(file, hunks).unwrap().1;
    assert_eq!(choices("a\nx\na\n", &["-a\n+1\n", "-a\n+2\n"]), [(0, Choice::Turn)]);
    assert_eq!(choices("a\nx\na\n", &["#3\n-a\n+1\n"]), [(0, Choice::Number)]);
    // A diff with right counts is at the line that it names.
    assert_eq!(choices("a\nx\na\n", &["!3\n-a\n+1\n"]), []);
    assert_eq!(choices("a\nx\n", &["-a\n+1\n"]), []);
}

#[test]
fn line_numbers_count_from_where_the_hunks_before_them_stand() {
    let rows: &[(&str, &[&str], Option<&str>)] = &[
        // Two lines more above than the author saw.
        ("n\nn\nb\na\nx\ny\na\n", &["#1\n-b\n+B\n", "#5\n-a\n+1\n"], Some("n\nn\nB\na\nx\ny\n1\n")),
        ("n\nn\nb\na\nx\na\n", &["#1\n-b\n+B\n", "#4\n-a\n+1\n"], None),
        // Numbers of the text as it will be.
        ("b\na\nx\na\n", &["#1\n-b\n+B\n+C\n", "#5\n-a\n+1\n"], Some("B\nC\na\nx\n1\n")),
        // Both readings have a place.
        ("b\na\na\n", &["#1\n-b\n+B\n+C\n", "#3\n-a\n+1\n"], None),
        // Neither has.
        ("b\na\nx\nx\na\n", &["#1\n-b\n+B\n+C\n", "#4\n-a\n+1\n"], None),
        // Of the lines after the hunk before, only one agrees.
        ("a\nb\nx\na\ny\na\n", &["#1\n-b\n+B\n", "#3\n-a\n+1\n"], Some("a\nB\nx\n1\ny\na\n")),
    ];
    for (file, hunks, wanted) in rows {
        let found = chosen(file, hunks).map(|(text, _)| text);
        assert_eq!(found.as_deref(), *wanted, "{file:?} {hunks:?}");
    }
}

proptest! {
    /// A file with alike places, each changed by a hunk of its own, becomes what was meant, with or without
    /// numbers.
    #[test]
    fn alike_places_are_changed_in_order(
        gaps in proptest::collection::vec(1_usize..4, 2..6),
        numbers in proptest::option::of(0_u32..3),
        grows in 0_usize..3,
    ) {
        let (mut file, mut wanted, mut hunks, mut line) = (String::new(), String::new(), Vec::new(), 1);
        for (at, gap) in gaps.iter().enumerate() {
            let between: String = (0..*gap).map(|step| format!("between {at} {step}\n")).collect();
            let new: String = (0..=grows).map(|step| format!("new {at} {step}\n")).collect();
            file += &format!("{between}old\n");
            wanted += &format!("{between}{new}");
            line += *gap as u32;
            let number = numbers.map(|off| format!("#{}\n", line + off)).unwrap_or_default();
            let added: String = new.lines().map(|line| format!("+{line}\n")).collect();
            hunks.push(hunk(&format!("{number}-old\n{added}")));
            line += 1;
        }
        match patched(&file, &hunks) {
            Ok((text, _)) => prop_assert_eq!(text, wanted),
            Err(failure) => {
                let is_refused = matches!(failure, PatchFailure::Ambiguous { .. }) && numbers > Some(0);
                prop_assert!(is_refused, "{failure:?}");
            }
        }
    }
}
