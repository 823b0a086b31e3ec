//! Lines that take the place of omitted ones: `# ... existing code ...`, `// rest unchanged` (spec: answers,
//! section 2).
//!
//! Looks at one line and knows no file. The code that has the old text decides whether anything is lost by
//! it.

/// The opening and the closing of each kind of comment.
const COMMENTS: [(&str, &str); 12] = [
    ("{/*", "*/}"),
    ("/**", "*/"),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{#", "#}"),
    ("(*", "*)"),
    ("//", ""),
    ("#", ""),
    ("--", ""),
    (";", ""),
    ("%", ""),
    ("'", ""),
];
/// Brackets that models put around an omission.
const BRACKETS: [(char, char); 4] = [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}')];
/// Words that may precede others.
const ARTICLES: [&str; 8] = ["the", "your", "this", "all", "my", "any", "of", "these"];
/// Words that mark the old text, as opposed to the new.
const OLD: [&str; 3] = ["existing", "remaining", "rest"];
/// Such words that headings have too.
const OLD_OR_HEADING: [&str; 4] = ["other", "previous", "original", "earlier"];
/// Words for parts of a file that are left out.
const THINGS: &[&str] = &[
    "code",
    "file",
    "files",
    "method",
    "methods",
    "function",
    "functions",
    "class",
    "classes",
    "implementation",
    "implementations",
    "import",
    "imports",
    "content",
    "contents",
    "test",
    "tests",
    "logic",
    "body",
    "module",
    "component",
    "config",
    "configuration",
    "settings",
    "fields",
    "properties",
    "props",
    "styles",
    "rules",
    "routes",
    "handlers",
    "cases",
    "definitions",
    "declarations",
    "lines",
    "statements",
    "variables",
    "options",
    "entries",
    "items",
    "html",
    "css",
    "jsx",
    "markup",
    "section",
    "sections",
    "part",
    "parts",
    "setup",
    "script",
    "document",
    "data",
    "helpers",
    "constants",
    "types",
    "fixtures",
    "dependencies",
    "text",
    "state",
    "elements",
    "keys",
    "values",
    "loop",
    "block",
    "struct",
    "enum",
    "interface",
    "template",
    "table",
    "page",
    "program",
    "source",
    "stuff",
    "it",
    "checks",
    "check",
    "validation",
    "arguments",
    "args",
    "parameters",
    "params",
    "attributes",
    "steps",
    "exports",
    "hooks",
    "effect",
    "effects",
    "conditions",
    "branches",
    "columns",
    "queries",
    "endpoints",
    "views",
    "models",
    "listeners",
    "callbacks",
    "members",
    "commands",
    "assertions",
    "mocks",
    "docstring",
    "comments",
];
/// Words for omitted text that is not named more closely.
const ALL: [&str; 3] = ["everything", "all", "nothing"];
/// Verbs between the omitted part and its state.
const VERBS: [&str; 9] = ["remains", "remain", "stays", "stay", "is", "are", "goes", "go", "else"];
/// The states of an omitted part.
const STATES: [&[&str]; 17] = [
    &["unchanged"],
    &["the", "same"],
    &["the", "same", "as", "before"],
    &["the", "same", "as", "above"],
    &["same", "as", "before"],
    &["same", "as", "above"],
    &["same"],
    &["as", "is"],
    &["as", "before"],
    &["as", "above"],
    &["as", "it", "is"],
    &["as", "it", "was"],
    &["as", "they", "are"],
    &["as", "they", "were"],
    &["omitted", "for", "brevity"],
    &["omitted"],
    &["untouched"],
];
/// Words that may follow something old.
const PLACES: [&[&str]; 6] =
    [&["here"], &["below"], &["above"], &["continues"], &["continues", "as", "before"], &["continue"]];
/// Words of the longest phrase.
const WORDS: usize = 12;

/// The form in which a line shows that lines are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elision {
    /// A comment with a phrase, and dots or brackets: nothing else can be meant.
    Marked,
    /// A comment with a phrase alone.
    Phrase,
    /// A comment of dots alone.
    CommentedDots,
    /// Dots alone.
    Dots,
}

/// Returns the form in which `line` shows that lines are left out; `None` if it does not show that.
#[must_use]
pub fn elision(line: &str) -> Option<Elision> {
    let text = line.trim();
    if text.is_empty() || text.len() > 200 {
        return None;
    }
    if is_dots(text) {
        return Some(Elision::Dots);
    }
    if is_placeholder(text) {
        return Some(Elision::Marked);
    }
    let inner = comment(without_statement(text))?;
    if is_dots(inner) {
        return Some(Elision::CommentedDots);
    }
    let (words, marked) = unmarked(inner);
    let words: Vec<&str> = words.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(|word| word.trim_end_matches([',', ':', '.'])).collect();
    // Headings are capitalised.
    let is_heading = words.first().is_some_and(|word| word.starts_with(char::is_uppercase));
    if lower.len() > WORDS || !is_phrase(&lower, marked, is_heading) {
        return None;
    }
    Some(if marked { Elision::Marked } else { Elision::Phrase })
}

/// Returns `text` without a statement that does nothing before its comment.
fn without_statement(text: &str) -> &str {
    let comment = ["pass", "...", "return"].iter().find_map(|nothing| text.strip_prefix(nothing));
    comment.map(str::trim_start).filter(|comment| comment.starts_with('#')).unwrap_or(text)
}

/// Returns true if `text` is a gap for the reader to fill: `<your code here>`.
fn is_placeholder(text: &str) -> bool {
    let Some(inner) = bracketed(text) else { return false };
    let inner = inner.to_ascii_lowercase();
    ["your ", "insert ", "add "].iter().any(|start| inner.starts_with(start)) && inner.ends_with(" here")
}

/// Returns true if `text` is an ellipsis.
fn is_dots(text: &str) -> bool {
    let text = bracketed(text).unwrap_or(text);
    let dots: usize = text.chars().map(|c| if c == '…' { 3 } else { 1 }).sum();
    dots >= 3 && text.chars().all(|c| matches!(c, '.' | '…' | ' '))
}

/// Returns the inner text of a comment that is all of `text`.
fn comment(text: &str) -> Option<&str> {
    COMMENTS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        Some(
            inner.trim_start_matches(['/', '#', '!', '-', ';', '*']).trim_end_matches(['*', '#', '-']).trim(),
        )
    })
}

fn bracketed(text: &str) -> Option<&str> {
    BRACKETS.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close)).map(str::trim)
}

/// Returns `text` without dots and brackets around it, and whether there are any.
fn unmarked(text: &str) -> (&str, bool) {
    let (mut text, mut marked) = (text, false);
    loop {
        let before = text.len();
        if let Some(inner) = bracketed(text) {
            (text, marked) = (inner, true);
        }
        for dots in ["...", "…"] {
            if let Some(rest) = text.strip_prefix(dots) {
                (text, marked) = (rest.trim_start_matches('.').trim(), true);
            }
            if let Some(rest) = text.strip_suffix(dots) {
                (text, marked) = (rest.trim_end_matches('.').trim(), true);
            }
        }
        if text.len() == before {
            return (text.trim_matches(['-', '=', '*', ' ']), marked);
        }
    }
}

/// Returns true if `words`, in lower case, are a phrase in whole; `capital` is true if the first has a
/// capital letter.
fn is_phrase(words: &[&str], marked: bool, capital: bool) -> bool {
    let articles = |words: &[&str]| words.iter().take_while(|word| ARTICLES.contains(word)).count();
    let keeps = matches!(words.first(), Some(&("keep" | "leave" | "include" | "insert" | "add" | "same")));
    let words = if keeps && words.len() > 1 && words[1] != "as" { &words[1..] } else { words };
    let rest = &words[articles(words)..];
    let heading = rest.first().is_some_and(|word| OLD_OR_HEADING.contains(word));
    let old = heading || rest.first().is_some_and(|word| OLD.contains(word));
    if old {
        let after = &rest[1..];
        let after = &after[articles(after)..];
        let things = named(after);
        let tail = &after[things..];
        let bare = tail.is_empty() || PLACES.contains(&tail);
        // These words also begin headings.
        let sure = marked || keeps || !heading || !capital && articles(words) == 0;
        // A rest is one of something; other phrases, like the name of an interface, begin with the word too.
        let of = rest[0] != "rest" || marked || keeps || rest[1..].first() == Some(&"of");
        let whole = things > 0 || rest[0] == "rest" && (marked || of);
        return whole && bare && sure && of || (things > 0 || rest[0] == "rest") && is_said(tail);
    }
    let things = named(rest);
    let all = words.first().is_some_and(|word| ALL.contains(word));
    let tail = if things > 0 {
        &rest[things..]
    } else if all {
        &words[1..]
    } else {
        words
    };
    is_said(tail) || things > 0 && marked && PLACES.contains(&tail)
}

/// Returns the number of words at the start of `words` that name the omitted part: one thing or two, and
/// perhaps a name before them.
fn named(words: &[&str]) -> usize {
    let is = |at: usize| words.get(at).is_some_and(|word| THINGS.contains(word));
    let name = |at: usize| {
        words.get(at).is_some_and(|word| {
            !VERBS.contains(word)
                && !word.is_empty()
                && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    match (is(0), is(1), is(2)) {
        (true, true, _) => 2,
        (true, _, true) if matches!(words[1], "of" | "and") => 3,
        (true, ..) => 1,
        (false, true, _) if name(0) => 2,
        _ => 0,
    }
}

/// Returns true if `words` state that something is as it was.
fn is_said(words: &[&str]) -> bool {
    let verbs = words.iter().take_while(|word| VERBS.contains(word)).count();
    let state = &words[verbs.min(2)..];
    STATES.contains(&state) && (verbs > 0 || state != ["same"] && state != ["omitted"])
}
