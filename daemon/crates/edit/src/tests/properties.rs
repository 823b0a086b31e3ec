//! Properties that hold for every text, whatever is asked of it.

use proptest::prelude::*;

use super::*;

const BOM: &str = "\u{feff}";

/// Occurrences one after the other, the slow way.
fn naive(body: &str, old: &str, new: &str) -> (String, usize) {
    let (mut out, mut rest, mut count) = (String::new(), body, 0);
    while let Some(at) = (0..rest.len()).find(|&at| rest.is_char_boundary(at) && rest[at..].starts_with(old))
    {
        out += &rest[..at];
        out += new;
        rest = &rest[at + old.len()..];
        count += 1;
    }
    (out + rest, count)
}

fn decode(bytes: &[u8]) -> Text<'_> {
    Text::decode(bytes).unwrap()
}

fn lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

proptest! {
    #[test]
    fn replacing_is_what_the_naive_way_does(
        body in "[ab\n]{0,40}", old in "[ab\n]{1,3}", new in "[abc\n]{0,4}", bom in any::<bool>(),
    ) {
        let file = if bom { [BOM, &body].concat() } else { body.clone() };
        let (wanted, count) = naive(&body, &old, &new);
        let result = replace_text(&decode(file.as_bytes()), &old, &new, Expect::AtLeastOne, LIMIT);
        match result {
            Ok(edited) => {
                let wanted = if bom { [BOM, &wanted].concat() } else { wanted };
                prop_assert_eq!(edited.unchanged, wanted == file);
                prop_assert_eq!(edited.replacements, if edited.unchanged { 0 } else { count });
                prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), wanted);
            }
            Err(error) => prop_assert_eq!((error, count), (EditError::NoMatch { field: Field::OldText }, 0)),
        }
        let once = replace_text(&decode(file.as_bytes()), &old, &new, Expect::ExactlyOne, LIMIT);
        prop_assert_eq!(once.is_ok(), count == 1);
        let exactly = replace_text(&decode(file.as_bytes()), &old, &new, Expect::Exactly(2), LIMIT);
        prop_assert_eq!(exactly.is_ok(), count == 2);
    }

    #[test]
    fn in_a_crlf_file_all_is_done_as_with_lf(
        body in "([ab\r]{0,3}\r\n){1,9}[ab]{0,2}",
        old in "[ab\n]{1,4}",
        new in "[ab\n]{0,4}",
        crlf in any::<bool>(),
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let (asked, put) = (old.replace('\n', end), new.replace('\n', end));
        let (wanted, count) = naive(&lf(&body), &old, &new);
        if let Ok(edited) = replace_text(&decode(body.as_bytes()), &asked, &put, Expect::AtLeastOne, LIMIT) {
            prop_assert_eq!(edited.replacements, if edited.unchanged { 0 } else { count });
            prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), wanted.replace('\n', "\r\n"));
        } else {
            prop_assert_eq!(count, 0);
        }
    }

    #[test]
    fn a_limit_is_kept_to_the_byte(
        body in "[ab]{1,20}(\r\n[ab]{1,3}){0,2}",
        new in "[ab\n]{0,9}",
        spare in 0usize..3,
    ) {
        let text = decode(body.as_bytes());
        if let Ok(edited) = replace_text(&text, "a", &new, Expect::AtLeastOne, LIMIT) {
            let size = edited.bytes.len();
            prop_assert!(replace_text(&text, "a", &new, Expect::AtLeastOne, size + spare).is_ok());
            let limit = size.saturating_sub(spare + 1);
            let error = replace_text(&text, "a", &new, Expect::AtLeastOne, limit).err();
            let (size, limit) = (size as u64, limit as u64);
            prop_assert_eq!(error, (size > limit).then_some(EditError::TooLarge { size, limit }));
        }
    }

    #[test]
    fn ranges_go_from_a_beginning_through_the_next_end(
        body in "[abx\n]{0,40}", beginning in "[ab]{1,2}", end in "[bx\n]{1,2}", new in "[c\n]{0,3}",
    ) {
        let (mut wanted, mut rest, mut count) = (String::new(), body.as_str(), 0);
        while let Some((before, after)) = rest.split_once(beginning.as_str()) {
            let Some((_, after)) = after.split_once(end.as_str()) else { break };
            wanted += before;
            wanted += &new;
            (rest, count) = (after, count + 1);
        }
        wanted += rest;
        let ends = (beginning.as_str(), end.as_str());
        match replace_text_range(&decode(body.as_bytes()), ends, &new, Expect::AtLeastOne, LIMIT) {
            Ok(edited) => {
                prop_assert_eq!(edited.replacements, if edited.unchanged { 0 } else { count });
                prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), wanted);
            }
            Err(EditError::EndNotFound { after_line }) => {
                let start = body.find(beginning.as_str()).unwrap();
                prop_assert_eq!((after_line, count), (body[..start].matches('\n').count() + 1, 0));
            }
            Err(_) => prop_assert!(!body.contains(beginning.as_str())),
        }
    }

    #[test]
    fn replacing_lines_touches_no_other(
        body in "([ab]{0,3}(\r\n|\n)){0,9}[ab]{0,2}",
        (first, more) in (1usize..12, 0usize..4),
        new in "([cd]{0,2}\n){0,3}[cd]{0,2}",
        bom in any::<bool>(),
    ) {
        let file = if bom { [BOM, &body].concat() } else { body.clone() };
        let text = decode(file.as_bytes());
        let lines: Vec<TextLine<'_>> = split_lines(&body).collect();
        let last = first + more;
        let result = replace_lines(&text, &format!("{first}-{last}"), &new, LIMIT);
        if last > lines.len() {
            let line = if first > lines.len() { first } else { last };
            prop_assert_eq!(result, Err(EditError::PastEnd { line, count: lines.len() }));
            return Ok(());
        }
        let edited = result.unwrap();
        prop_assert_eq!(edited.replacements, if edited.unchanged { 0 } else { more + 1 });
        let after = decode(&edited.bytes);
        prop_assert_eq!(after.has_bom(), bom);
        let bodies = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let mut wanted = bodies(&body);
        wanted.splice(first - 1..last, bodies(&new));
        prop_assert_eq!(&bodies(after.as_str()), &wanted);
        if wanted.last().is_some_and(|line| !line.is_empty()) {
            prop_assert_eq!(after.has_final_newline(), text.has_final_newline());
        }
        // The line end before the range may be lost or changed, so it is left out of what must stay.
        let head = lines[..first - 1].iter().map(|line| line.body.len() + line.end.len()).sum::<usize>();
        let kept = head - lines[..first - 1].last().map_or(0, |line| line.end.len());
        prop_assert_eq!(&after.as_str()[..kept], &body[..kept]);
        prop_assert!(after.as_str().ends_with(&body[lines[last - 1].stop()..]));
    }

    #[test]
    fn numbered_lines_are_the_lines(body in "([ab\r]{0,3}\n){0,9}[ab]{0,2}") {
        let text = decode(body.as_bytes());
        let numbered = numbered(&text, None, ": ", LIMIT).unwrap();
        let lines = numbered.split_inclusive('\n');
        let without: String = lines.map(|line| line.split_once(": ").unwrap().1).collect();
        let line_end = if body.ends_with("\r\n") { "\r\n" } else { "\n" };
        prop_assert_eq!(without.as_str(), body.strip_suffix(line_end).unwrap_or(&body));
    }

    #[test]
    fn nothing_panics(
        file in prop_oneof![
            "[a\r\n]{0,30}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..9),
        ],
        one in "\\PC{0,3}|[a\r\n]{0,4}",
        other in "\\PC{0,3}|[a\r\n]{0,4}",
        count in 0usize..4,
    ) {
        let Ok(text) = Text::decode(&file) else { return Ok(()) };
        let _ = replace_text(&text, &one, &other, Expect::Exactly(count), 30);
        let _ = replace_text_range(&text, (&one, &other), &one, Expect::Exactly(count), 30);
        let _ = replace_lines(&text, &format!("{one}-{count}"), &other, 30);
        let _ = replace_lines(&text, &format!("{count}"), &other, 30);
        let _ = append(&text, &one, 30);
        let _ = numbered(&text, Some(&other), &one, 30);
        let ended = ensure_final_newline(&one);
        prop_assert!(one.is_empty() || ended.ends_with('\n'));
    }
}

/// Each of these would not end in this life if it took the product of the sizes.
#[test]
fn pathological_texts_take_linear_time() {
    let size = 4 << 20;
    let same = "a".repeat(size);
    let text = decode(same.as_bytes());
    let old = ["a".repeat(size / 2).as_str(), "b"].concat();
    let no_match = Err(EditError::NoMatch { field: Field::OldText });
    assert_eq!(replace_text(&text, &old, "", Expect::AtLeastOne, LIMIT), no_match);
    assert_eq!(replace_text(&text, "a", "b", Expect::AtLeastOne, LIMIT).unwrap().replacements, size);
    let no_end = replace_text_range(&text, ("a", &old), "", Expect::AtLeastOne, LIMIT);
    assert_eq!(no_end, Err(EditError::EndNotFound { after_line: 1 }));
    let begun = "a<".repeat(size / 2) + ">";
    let edited = replace_text_range(&decode(begun.as_bytes()), ("<", ">"), "", Expect::ExactlyOne, LIMIT);
    assert_eq!(edited.unwrap().bytes, b"a");
    let ends = "a\r\n".repeat(size / 3);
    let periodic = "a\r\n".repeat(size / 6) + "a\r";
    assert_eq!(replace_text(&decode(ends.as_bytes()), &periodic, "", Expect::AtLeastOne, LIMIT), no_match);
}

/// A result that would be too large is refused by its computed size, which no memory could hold.
#[test]
fn size_is_known_before_allocation() {
    let (many, new) = ("a".repeat(4 << 20), "b".repeat(4 << 20));
    let error = replace_text(&decode(many.as_bytes()), "a", &new, Expect::AtLeastOne, LIMIT);
    assert_eq!(error, Err(EditError::TooLarge { size: 1 << 44, limit: LIMIT as u64 }));
}

#[test]
fn what_is_not_text_is_recognized() {
    let of = |bytes| Text::decode(bytes).unwrap_err();
    assert_eq!(of(b"\xFF\xFEa\0"), NotText::Encoding { encoding: "UTF-16LE" });
    assert_eq!(of(b"\xFE\xFF\0a"), NotText::Encoding { encoding: "UTF-16BE" });
    assert_eq!(of(b"\xFF\xFE\0\0"), NotText::Encoding { encoding: "UTF-32LE" });
    assert_eq!(of(b"\0\0\xFE\xFF"), NotText::Encoding { encoding: "UTF-32BE" });
    assert_eq!(of(b"a\n\xE9t\xE9"), NotText::Invalid { offset: 2, line: 2, byte: 0xE9 });
    assert_eq!(of(b"a\0\xE9"), NotText::Nul { offset: 1, line: 1 });
    assert_eq!(of(b"\xEF\xBB\xBF\0"), NotText::Nul { offset: 3, line: 1 });
    let error = EditError::from(of(b"a\n\xE9"));
    assert_eq!(error.issue(), "not UTF-8 text: invalid byte 0xe9 at byte 2, line 2, in");
}

#[test]
fn line_ends_are_recognized() {
    let ends = |text: &str| decode(text.as_bytes()).line_ends();
    assert_eq!(
        [ends(""), ends("a"), ends("a\n"), ends("a\r\n")],
        [LineEnds::None, LineEnds::None, LineEnds::Lf, LineEnds::CrLf]
    );
    assert_eq!(
        [ends("a\rb"), ends("a\r\nb\n"), ends("a\rb\n"), ends("a\rb\r\n")],
        [LineEnds::Cr, LineEnds::Mixed, LineEnds::Lf, LineEnds::CrLf]
    );
    let count = |text: &str| decode(text.as_bytes()).line_count();
    assert_eq!(
        [count(""), count("\n"), count("a\nb"), count("a\rb\r"), count("a\u{2028}b\u{b}c")],
        [0, 1, 2, 2, 1]
    );
}

#[test]
fn numbers_and_final_newlines() {
    let text = decode(b"one\r\ntwo\r\nthree");
    assert_eq!(numbered(&text, Some("2-3"), "|", LIMIT).unwrap(), "2|two\r\n3|three");
    assert_eq!(numbered(&text, Some("3-4"), "|", LIMIT).unwrap(), "3|three");
    assert_eq!(numbered(&text, Some("4"), "|", LIMIT).unwrap(), "");
    assert!(numbered(&text, Some("0"), "|", LIMIT).is_err());
    assert!(numbered(&text, None, "|", 9).is_err());
    let ensured = ["", "a", "a\n", "a\r\nb", "a\rb"].map(ensure_final_newline);
    assert_eq!(ensured, ["", "a\n", "a\n", "a\r\nb\r\n", "a\rb\n"]);
}
