//! Remarks to the reader at the ends of lines that the file has: "# add this", "← changed".
//!
//! Pure. They are no content: where nothing else differs, nothing is to be done.

const SIGNS: &[&str] = &["//", "#", "<!--", "{/*", "/*", "--", ";", "←", "<-"];
const WORDS: &[&str] = &[
    "add",
    "added",
    "new",
    "change",
    "changed",
    "changes",
    "update",
    "updated",
    "modified",
    "fixed",
    "fix",
    "this line",
    "here",
    "already",
    "keep",
    "unchanged",
    "neu",
    "hinzugefügt",
    "geändert",
    "ajouté",
    "modifié",
    "nuevo",
    "agregado",
    "cambiado",
    "novo",
    "adicionado",
    "添加",
    "新增",
    "修改",
    "追加",
    "変更",
    "추가",
    "변경",
];
const MOST: usize = 8;

/// Returns true if the lines of `new` are those of `old`, some with a remark behind them and nothing else.
pub(super) fn differ_alone(old: &str, new: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    let (old, new) = (lines(old), lines(new));
    old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| old == new || is_remarked(old, new))
}

// Returns true if `new` has the code of `old`, and comments that `old` has not, in lines of their own or behind code: the answer
// says something about the code. Documentation is content.
pub(super) fn comments_alone(old: &str, new: &str) -> bool {
    const DOCUMENTATION: [&str; 5] = ["///", "//!", "/**", "#[", "#!"];
    const COMMENTS: [&str; 5] = ["//", "# ", "<!--", "{/*", "/*"];
    const MOST_LINES: usize = 6;
    let is_comment = |line: &str| {
        let text = line.trim_start();
        COMMENTS.iter().any(|sign| text.starts_with(sign))
            && !DOCUMENTATION.iter().any(|sign| text.starts_with(sign))
            && (!text.starts_with("/*") || text.ends_with("*/"))
    };
    let has: std::collections::HashSet<&str> = old.lines().map(str::trim).collect();
    let is_new = |line: &&str| is_comment(line) && !has.contains(line.trim());
    let added = new.lines().filter(is_new).count();
    let code = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !is_comment(line));
        lines.map(str::to_owned).collect()
    };
    let (had, has) = (code(old), code(new));
    let behind = |(old, new): (&String, &String)| {
        let rest = new.strip_prefix(old.as_str())?;
        (rest.is_empty() || rest.starts_with(' ') && is_comment(rest))
            .then_some(usize::from(!rest.is_empty()))
    };
    let behind: Option<usize> = had.iter().zip(&has).map(behind).sum();
    had.len() == has.len() && behind.is_some_and(|behind| added + behind > 0 && added + behind <= MOST_LINES)
}

/// Returns true if `new` is `old` with a remark to the reader behind it.
fn is_remarked(old: &str, new: &str) -> bool {
    let Some(rest) = new.strip_prefix(old) else { return false };
    let remark = rest.trim();
    let Some(sign) = SIGNS.iter().find(|sign| remark.starts_with(**sign)) else { return false };
    let text = remark[sign.len()..].trim_end_matches("*/").trim_end_matches("-->").to_lowercase();
    let is_short = text.split_whitespace().count() <= MOST;
    rest.starts_with([' ', '\t'])
        && is_short
        && (*sign == "←"
            || text.trim_start().starts_with(['←', '⬅'])
            || text.trim_start().starts_with("<-")
            || WORDS.iter().any(|word| has_word(&text, word)))
}

/// Returns true if `word` is in `text`, with no letters right beside it where words have blanks between them.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |c: Option<char>| word.is_ascii() && c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, _)| {
        !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_comments_about_code_that_stays_are_told_from_documentation() {
        for (new, alone) in [
            ("a();\n// there is no b()\nc();\n", true),
            ("a();  {/* the icon */}\nc();\n", true),
            ("a();\n/// Calls.\nc();\n", false),
            ("a();\nb();\nc();\n", false),
            ("a();\n// b();\nd();\n", false),
            ("a();\nc();\n", false),
        ] {
            assert_eq!(comments_alone("a();\nc();\n", new), alone, "{new}");
        }
    }

    #[test]
    fn remarks_alone_are_told_from_comments_and_changes() {
        for (old, new, alone) in [
            ("use a;\nuse b;\n", "use a;\nuse b; // Add this line\n", true),
            ("x = 1\n", "x = 1  # ← changed\n", true),
            ("x = 1\n", "x = 1  # 修改这里\n", true),
            ("    A,\n", "    A,  # <--- import it with the others\n", true),
            ("x = 1\n", "x = 1  # seconds since the epoch\n", false),
            ("x = 1\n", "x = 2  # changed\n", false),
            ("x = 1\n", "x = 1\ny = 2  # new\n", false),
        ] {
            assert_eq!(differ_alone(old, new), alone, "{new}");
        }
    }
}
