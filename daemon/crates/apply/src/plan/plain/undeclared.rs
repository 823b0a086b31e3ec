//! Names that code uses and that nothing declares: it is an example, or for another state of the file.
//!
//! ````text
//! file: nothing of `g_`        code: g_pContext->Bind(1); g_pTarget.Reset();        another program
//! ````
//!
//! Pure. Knows no language: a name counts if it is only ever called, indexed, or asked for a member.

use std::collections::{HashMap, HashSet};

// Names of the platform, which nothing declares.
const PLATFORM: [&str; 14] = [
    "setTimeout",
    "clearTimeout",
    "setInterval",
    "clearInterval",
    "parseInt",
    "parseFloat",
    "encodeURIComponent",
    "decodeURIComponent",
    "requestAnimationFrame",
    "cancelAnimationFrame",
    "queueMicrotask",
    "structuredClone",
    "localStorage",
    "sessionStorage",
];
// Words in front of a name that do not declare it.
const BEFORE_USES: [&str; 18] = [
    "return", "await", "new", "if", "and", "or", "not", "in", "else", "case", "throw", "raise", "yield",
    "typeof", "go", "defer", "do", "then",
];

// Returns a name if `code` uses two or more that neither `file` nor `others`, the rest of the answer's code, knows.
pub(super) fn undeclared<'c>(code: &'c str, file: &str, others: &[&str]) -> Option<&'c str> {
    const FEWEST: usize = 2;
    let mut uses: HashMap<&str, bool> = HashMap::new();
    for line in code.lines().filter(|line| !is_comment(line)) {
        for (name, is_use) in names(line) {
            *uses.entry(name).or_insert(true) &= is_use;
        }
    }
    let mut unknown: HashSet<&str> = uses
        .into_iter()
        .filter(|(name, only_used)| *only_used && is_own_name(name))
        .map(|(name, _)| name)
        .collect();
    for (name, _) in file.lines().flat_map(names) {
        unknown.remove(name);
    }
    let of_others = others.iter().flat_map(|text| text.lines()).filter(|line| !is_comment(line));
    for (name, _) in of_others.flat_map(names).filter(|(_, is_use)| !is_use) {
        unknown.remove(name);
    }
    let mut unknown: Vec<&str> = unknown.into_iter().collect();
    unknown.sort_unstable();
    if unknown.len() < FEWEST { None } else { unknown.first().copied() }
}

fn is_comment(line: &str) -> bool {
    ["//", "#", "*", "/*", "--", "<!--"].iter().any(|sign| line.trim_start().starts_with(sign))
}

// Returns true if a name of several words begins in lower case: a type may be of any library.
fn is_own_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.contains(|c: char| c == '_' || c.is_ascii_uppercase())
        && !PLATFORM.contains(&name)
}

// Returns the names in a line that are no members, each with true if it is called, indexed, or asked for a member.
fn names(line: &str) -> Vec<(&str, bool)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = Vec::new();
    let mut quote: Option<char> = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => continue,
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None if c.is_alphabetic() || c == '_' => {
                let end = line[at..].find(|c| !is_part(c)).map_or(line.len(), |length| at + length);
                while chars.peek().is_some_and(|(next, _)| *next < end) {
                    chars.next();
                }
                let (before, behind) = (line[..at].trim_end(), &line[end..]);
                let is_member =
                    before.ends_with(['.', '@', '$']) || before.ends_with("->") || before.ends_with("::");
                let word = before.rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
                // `Point p(1)` declares `p`, `return p(1)` uses it.
                let is_typed = !word.is_empty() && !BEFORE_USES.contains(&word)
                    || before.ends_with(['*', '>', ']'])
                        && !before.ends_with("=>")
                        && !before.ends_with("->");
                let is_used = ["(", ".", "->", "[", "::", "?."].iter().any(|sign| behind.starts_with(sign))
                    || before.ends_with('&');
                if !is_member {
                    names.push((&line[at..end], is_used && !is_typed));
                }
            }
            None => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_code_that_uses_what_nothing_declares_is_another_program() {
        let file = "void Resize(int w) {\n    Renderer::width = w;\n    my_pool->Free();\n}\n";
        for (code, others, expected) in [
            ("g_pContext->Bind(1, &g_pTarget);\ng_pChain->Resize(w);\n", "", Some("g_pChain")),
            ("g_pContext->Bind(1);\ng_pContext->Draw();\n", "", None),
            ("my_pool->Free();\ng_pContext->Draw();\n", "", None),
            // Declared here, or elsewhere in the answer.
            ("auto g_pContext = make();\ng_pContext->Bind(g_pTarget);\n", "", None),
            ("load_all();\nsave_all();\n", "def load_all():\n    pass\n", None),
            ("const { loadAll, saveAll } = useStore();\nloadAll();\nsaveAll();\n", "", None),
            ("items.loadAll();\nitems.saveAll();\nsetTimeout(f);\n", "", None),
            ("print('load_all() save_all()')\n# load_all() save_all()\n", "", None),
        ] {
            assert_eq!(undeclared(code, file, &[others]), expected, "{code}");
        }
    }
}
