//! Code that is an edit in a notation that nobody read: a file would get its signs.
//!
//! ```text
//! \<\<\<\<\<\<\< SEARCH        ＜＜＜＜＜＜＜ SEARCH        [SEARCH]        2c2
//! old                           old                          old            < old
//! =======                       =======                      [REPLACE]      ---
//! new                           new                          new            > new
//! \>\>\>\>\>\>\> REPLACE        ＞＞＞＞＞＞＞ REPLACE
//! ```

const MARKS: &str = "the code holds the marks of an edit block or of a conflict";
const DIFF: &str = "the code is a diff without `-` and `+`, which clada does not read";

// The fewest signs of a mark, as blocks of other programs have them.
const RUN: usize = 4;

// Returns what of an edit `text` holds that its file, `old`, does not.
pub(super) fn edit_signs(text: &str, old: Option<&str>) -> Option<&'static str> {
    let sign = signs(text)?;
    old.is_none_or(|old| signs(old) != Some(sign)).then_some(sign)
}

fn signs(text: &str) -> Option<&'static str> {
    let is_mark = |line: &str, mark: &str| {
        line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    if text.lines().any(|line| is_mark(line, "<<<<<<<") || is_mark(line, ">>>>>>>")) {
        return Some(MARKS);
    }
    let (mut opened, mut searched) = (false, false);
    let mut before = "";
    for line in text.lines() {
        if is_range(before) && (line.starts_with("< ") || line.starts_with("> "))
            || before.starts_with("***************") && line.starts_with("*** ") && line.ends_with(" ****")
        {
            return Some(DIFF);
        }
        before = line;
        opened = opened || has_run(line, ["<", "＜", "&lt;"]);
        searched = searched || matches!(word(line), Some("SEARCH" | "FIND" | "ORIGINAL"));
        let replaces = || matches!(word(line), Some("REPLACE" | "REPLACE WITH" | "REPLACEMENT" | "UPDATED"));
        if opened && has_run(line, [">", "＞", "&gt;"]) || searched && replaces() {
            return Some(MARKS);
        }
    }
    None
}

// Returns true if `line` begins with a mark of one of these signs, escaped or spaced as they may be.
fn has_run(line: &str, signs: [&str; 3]) -> bool {
    signs.iter().any(|sign| {
        let (mut rest, mut count) = (line, 0);
        while let Some(behind) = rest.trim_start_matches(['\\', ' ']).strip_prefix(sign) {
            (rest, count) = (behind, count + 1);
        }
        count >= RUN
    })
}

// Returns the one word of `line` between signs, in capitals or as a tag: `[SEARCH]`, `<search>`, `@@ SEARCH @@`.
fn word(line: &str) -> Option<&'static str> {
    let line = line.trim();
    let word = line.trim_matches(|c: char| !c.is_alphanumeric());
    let is_tag = || line.starts_with(['<', '[']) && line.ends_with(['>', ']']) && !line.starts_with("</");
    ["SEARCH", "FIND", "ORIGINAL", "REPLACE", "REPLACE WITH", "REPLACEMENT", "UPDATED"]
        .into_iter()
        .find(|known| *known == word || is_tag() && known.eq_ignore_ascii_case(word))
}

// Returns true for the range of a change in a diff without context: `2c2`, `3,4d2`.
fn is_range(line: &str) -> bool {
    let is_lines = |part: &str| {
        part.split(',').all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    line.split_once(['a', 'c', 'd']).is_some_and(|(old, new)| is_lines(old) && is_lines(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_of_other_notations_are_no_content() {
        for (text, found) in [
            ("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", Some(MARKS)),
            ("\\<\\<\\<\\<\\<\\<\\< SEARCH\na\n=======\nb\n\\>\\>\\>\\>\\>\\>\\> REPLACE\n", Some(MARKS)),
            ("\\<<<<<<< SEARCH\na\n=======\nb\n\\>>>>>>> REPLACE\n", Some(MARKS)),
            ("＜＜＜＜＜＜＜ SEARCH\na\n=======\nb\n＞＞＞＞＞＞＞ REPLACE\n", Some(MARKS)),
            ("< < < < < SEARCH\na\n=====\nb\n> > > > > REPLACE\n", Some(MARKS)),
            ("&lt;&lt;&lt;&lt; SEARCH\na\n====\nb\n&gt;&gt;&gt;&gt; REPLACE\n", Some(MARKS)),
            ("SEARCH\na\nREPLACE\nb\n", Some(MARKS)),
            ("SEARCH:\na\nREPLACE WITH:\nb\n", Some(MARKS)),
            ("[Search]\na\n[Replace]\nb\n", Some(MARKS)),
            ("@@ SEARCH @@\na\n@@ REPLACE @@\nb\n", Some(MARKS)),
            ("<search>\na\n</search>\n<replace>\nb\n</replace>\n", Some(MARKS)),
            ("2c2\n< two\n---\n> TWO\n", Some(DIFF)),
            ("3,4d2\n< a\n< b\n", Some(DIFF)),
            ("***************\n*** 1,2 ****\n  a\n! b\n", Some(DIFF)),
            // Content.
            ("Search\na\nReplace\nb\n", None),
            ("<search>\n<input>\n</search>\n", None),
            ("> > > > quoted\n", None),
            ("a << 1\nb >> 2\n", None),
            ("2c2\nabc\n", None),
            ("SEARCH = 1\nREPLACE = 2\n", None),
        ] {
            assert_eq!(edit_signs(text, None), found, "{text}");
            assert_eq!(edit_signs(text, Some(text)), None, "{text}");
        }
    }
}
