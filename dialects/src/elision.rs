//! Lines that take the place of omitted ones: `# ... existing code ...`, `// rest unchanged` (spec: answers,
//! section 2).
//!
//! Looks at one line and knows no file. The code that has the old text decides whether anything is lost by
//! it.

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
const BRACKETS: [(char, char); 4] = [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}')];
const ARTICLES: [&str; 8] = ["the", "your", "this", "all", "my", "any", "of", "these"];
const OLD_TEXT_WORDS: [&str; 3] = ["existing", "remaining", "rest"];
const OLD_OR_HEADING: [&str; 4] = ["other", "previous", "original", "earlier"];
const OMITTED_THINGS: &[&str] = &[
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
const WHOLE_TEXT_WORDS: [&str; 3] = ["everything", "all", "nothing"];
const VERBS: [&str; 9] = ["remains", "remain", "stays", "stay", "is", "are", "goes", "go", "else"];
const OMITTED_STATES: &[&[&str]] = &[
    &["unchanged"],
    &["the", "same"],
    &["the", "same", "as", "before"],
    &["the", "same", "as", "above"],
    &["same", "as", "before"],
    &["same", "as", "above"],
    &["same"],
    &["as", "is"],
    &["as", "before"],
    &["same", "code"],
    &["same", "body"],
    &["as", "above"],
    &["as", "it", "is"],
    &["as", "it", "was"],
    &["as", "they", "are"],
    &["as", "they", "were"],
    &["omitted", "for", "brevity"],
    &["omitted"],
    &["untouched"],
    &["same", "as", "original"],
    &["same", "as", "the", "original"],
    &["the", "same", "as", "original"],
    &["truncated", "for", "brevity"],
    &["skipped", "for", "brevity"],
    &["not", "shown"],
    &["not", "changed"],
    &["no", "changes", "below"],
    &["no", "changes", "here"],
    &["no", "changes", "above"],
];
const WORDS_AFTER_OLD: [&[&str]; 6] =
    [&["here"], &["below"], &["above"], &["continues"], &["continues", "as", "before"], &["continue"]];
const MAX_PHRASE_WORDS: usize = 12;

const LEFT_OUT: &[&str] = &[
    "existing",
    "remaining",
    "rest",
    "unchanged",
    "same",
    "omitted",
    "omit",
    "snip",
    "snipped",
    "truncated",
    "elided",
    "skip",
    "skipped",
    "skipping",
    "previous",
    "original",
    "more",
    "body",
    "implementation",
    "code",
    "lines",
    "logic",
    "keep",
    "kept",
    "continues",
    "content",
    "contents",
    "cut",
    "abridged",
    "shortened",
    "shown",
    "showing",
    "trimmed",
    "abbreviated",
    "hidden",
    "collapsed",
];
/// Such words that say it without any other.
const ALONE: &[&str] =
    &["snip", "snipped", "omitted", "truncated", "elided", "skipped", "unchanged", "abridged", "same"];
const WORDS_AFTER_DOTS: &[&str] =
    &["and", "or", "but", "so", "then", "which", "that", "because", "since", "where", "when", "if", "etc"];
// The most words of an omission that is not a phrase of the table.
const FEW: usize = 6;
const ABROAD: &[&str] = &[
    // German, Dutch, Swedish
    "unverändert",
    "bestehender code",
    "restlicher code",
    "rest des codes",
    "rest der datei",
    "übriger code",
    "wie bisher",
    "wie vorher",
    "wie zuvor",
    "bleibt gleich",
    "bestaande code",
    "rest van de code",
    "ongewijzigd",
    "oförändrad",
    "resten av koden",
    "befintlig kod",
    // French, Italian, Spanish, Portuguese, Romanian
    "reste du code",
    "reste du fichier",
    "code existant",
    "inchangé",
    "sans changement",
    "resto del codice",
    "codice esistente",
    "invariato",
    "resto del código",
    "resto del archivo",
    "código existente",
    "sin cambios",
    "igual que antes",
    "restante do código",
    "resto do código",
    "sem alterações",
    "sem mudanças",
    "restul codului",
    "neschimbat",
    // Polish, Czech, Turkish, Indonesian, Vietnamese
    "reszta kodu",
    "istniejący kod",
    "bez zmian",
    "zbytek kódu",
    "beze změn",
    "kodun geri kalan",
    "mevcut kod",
    "değişmedi",
    "sisa kode",
    "kode yang ada",
    "tidak berubah",
    "phần còn lại",
    "giữ nguyên",
    // Russian, Ukrainian
    "остальной код",
    "существующий код",
    "без изменений",
    "не измен",
    "решта коду",
    "без змін",
    // Chinese, Japanese, Korean
    "其余",
    "其他代码",
    "剩余",
    "不变",
    "不變",
    "省略",
    "现有代码",
    "原有代码",
    "現有程式",
    "同上",
    "既存の",
    "以下同じ",
    "以下同様",
    "変更なし",
    "残りの",
    "そのまま",
    "기존 코드",
    "생략",
    "나머지",
    "동일",
    "변경 없음",
    // Arabic, Hindi
    "بقية الكود",
    "الكود الحالي",
    "बाकी कोड",
];

/// Words of a sentence that says that lines are left out, whatever else it says.
const HINTS: &[&str] =
    &["omitted", "omitting", "omit", "truncated", "elided", "abridged", "abbreviated", "brevity"];
// The most words of a sentence that begins with `the rest of`.
const REST_WORDS: usize = 5;
// The ends of such sentences.
const HINTING: &[&[&str]] = &[
    &["not", "shown"],
    &["as", "is"],
    &["no", "changes", "needed"],
    &["no", "change", "needed"],
    &["code", "remains"],
    &["the", "original"],
    &["and", "so", "forth"],
    &["as", "before"],
    &["same", "code"],
    &["same", "body"],
    &["more", "of", "the", "same"],
    &["cut"],
];
// Words of other languages that are such a sentence alone.
const HINTS_ABROAD: &[&str] = &["中略", "後略", "前略", "كما هو", "그대로"];
// The most words of such a sentence.
const HINT_WORDS: usize = 10;

/// Returns true if `line` is a comment that may say that lines are left out, in a sentence that [`elision`] does not
/// know. It proves nothing unless lines go where it comes and none comes below it.
#[must_use]
pub fn may_be_elision(line: &str) -> bool {
    let Some(inner) = comment(line.trim()) else { return false };
    let lower = inner.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.len() > HINT_WORDS || !is_plain(inner) {
        return false;
    }
    let sentence = words.strip_suffix(&["here"]).unwrap_or(&words);
    words.iter().any(|word| HINTS.contains(word))
        || words.len() <= REST_WORDS && words.starts_with(&["the", "rest", "of"])
        || HINTING.iter().any(|end| sentence.ends_with(end) && (end.len() > 1 || sentence.len() == 1))
        || HINTS_ABROAD.contains(&&*lower)
}

/// What a comment says of lines that it names: they are there, or they are as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedLines {
    /// `# existing routes`
    Existing,
    /// `// load() stays the same`
    Unchanged,
}

// Words that begin such a comment, and those that are its name when nothing else is.
const STATES: &[&str] = &["unchanged", "untouched", "unmodified", "unverändert", "inchangé", "ongewijzigd"];
// The most words of the name.
const NAME_WORDS: usize = 3;
// Words of sentences that explain code.
const EXPLAINING: &[&str] = &[
    "if", "so", "that", "because", "when", "while", "must", "should", "until", "for", "not", "we", "to",
    "as", "since", "in", "on", "by", "from", "with", "between", "across",
];
const AFTER_EXISTING: &[&[&str]] = &[
    &[],
    &["here"],
    &["go", "here"],
    &["goes", "here"],
    &["above"],
    &["below"],
    &["stay"],
    &["stays"],
    &["remain"],
    &["remains"],
    &["stay", "here"],
    &["continue"],
    &["unchanged"],
    &["as", "before"],
];

/// Returns what the comment `line` says of lines that it names, if it says no more. Its words may also explain the code
/// below it: it stands for lines only where the old text has some that the new one does not show.
#[must_use]
pub fn named_lines(line: &str) -> Option<NamedLines> {
    let inner = comment(line.trim())?.trim_matches(['.', '…', ' ', '-', '=']);
    let inner = bracketed(inner).unwrap_or(inner);
    if inner.contains(['=', '"', '{', '}', '$', '\\', '|', ';']) {
        return None;
    }
    let bare = |word: &str| {
        word.trim_matches(['`', '\'', '(', ')', ',', ':', '.', '…', '[', ']', '*', '–', '—', '-'])
            .to_lowercase()
    };
    let words: Vec<String> = inner.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_name = |words: &[&str]| {
        (1..=NAME_WORDS).contains(&words.len()) && !words.iter().any(|word| EXPLAINING.contains(word))
    };
    let (keeps, words) = match words[..] {
        ["keep" | "leave" | "retain", ref rest @ ..] => (true, rest),
        _ => (false, &words[..]),
    };
    let words = &words[words.iter().take_while(|word| ARTICLES.contains(word)).count()..];
    // A heading begins with a capital letter.
    let is_heading = inner.starts_with(char::is_uppercase) && !keeps;
    let exists = || {
        let rest = words.strip_prefix(&["existing"])?;
        let is_it = AFTER_EXISTING.iter().any(|end| {
            let ends = rest.strip_suffix(*end);
            ends.is_some_and(|name| is_name(name) && !(is_heading && end.is_empty()))
        });
        is_it.then_some(NamedLines::Existing)
    };
    let stays = || {
        let begins = words.first().is_some_and(|word| STATES.contains(word)) && is_name(&words[1..]);
        let ends = (1..words.len()).any(|at| {
            let verbs = words[at..].iter().take_while(|word| VERBS.contains(word)).count();
            let state = &words[at + verbs.min(2)..];
            let is_state =
                OMITTED_STATES.contains(&state) || matches!(state, [word] if STATES.contains(word));
            let is_full = verbs > 0 || keeps || matches!(state, [word] if STATES.contains(word));
            is_name(&words[..at]) && is_full && is_state
        });
        (begins || ends || says_abroad(inner)).then_some(NamedLines::Unchanged)
    };
    exists().or_else(stays)
}

/// Returns true if the comment `line` names what the line of code `below` it has: `# existing users` above
/// `users = load()`. It explains that line then.
#[must_use]
pub fn explains(line: &str, below: &str) -> bool {
    let lower = [line, below].map(str::to_lowercase);
    let [own, there] = lower.each_ref().map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let there: Vec<&str> = there.collect();
    own.filter(|word| word.len() > 2 && *word != "existing").any(|word| there.contains(&word))
}

/// The form in which a line shows that lines are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elision {
    /// A comment with a phrase, and dots or brackets: nothing else can be meant.
    Marked,
    /// Words with dots or brackets around them, which may be something else where no line goes.
    Enclosed,
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
    let Some(inner) = comment(without_statement(text)) else {
        return is_notice(text).then_some(Elision::Enclosed);
    };
    if is_dots(inner) {
        return Some(Elision::CommentedDots);
    }
    let (words, marked) = unmarked(inner);
    let split: Vec<&str> = words.split_whitespace().collect();
    let lower: Vec<String> = split.iter().map(|word| word.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(|word| word.trim_end_matches([',', ':', '.'])).collect();
    // Headings are capitalised.
    let is_heading = split.first().is_some_and(|word| word.starts_with(char::is_uppercase));
    if lower.len() <= MAX_PHRASE_WORDS && is_phrase(&lower, marked, is_heading) {
        return Some(if marked { Elision::Marked } else { Elision::Phrase });
    }
    if is_enclosed(inner, &lower) {
        return Some(Elision::Enclosed);
    }
    let says = says_abroad(words) || is_ruled(inner, &lower);
    says.then_some(if marked { Elision::Enclosed } else { Elision::Phrase })
}

fn begins_with_dots(text: &str) -> bool {
    text.starts_with("...") || text.starts_with('…')
}

/// Returns true if the comment `inner`, of these words, begins with dots or is in brackets, and leaves lines out.
fn is_enclosed(inner: &str, words: &[&str]) -> bool {
    let ends = inner.ends_with("...") || inner.ends_with('…');
    let first = words.first().copied().unwrap_or_default();
    if first.is_empty() || (WORDS_AFTER_DOTS.contains(&first) && !ends) || words.len() > FEW {
        return false;
    }
    let bare = |word: &str| LEFT_OUT.contains(&word.trim_matches(['(', ')', '[', ']', '<', '>', '-']));
    let says = words.iter().any(|word| bare(word));
    if !begins_with_dots(inner) {
        return bracketed(inner).is_some() && says && is_plain(inner);
    }
    // What follows dots at once is code that is commented out, unless dots end it too. The sign `…` is none of code.
    let after = inner.trim_start_matches(['.', '…']);
    let is_sign = inner.starts_with('…');
    (ends || is_sign || after.starts_with([' ', '(', '[', '<']))
        && (ends || says || words.len() <= if is_sign { 4 } else { 2 })
}

/// Returns true if the comment is words that leave lines out between rules: `--- snip ---`.
fn is_ruled(inner: &str, words: &[&str]) -> bool {
    let within = inner.trim_matches(['-', '=', '~', '*', '<', '>', ' ']);
    let lower: Vec<String> = within.split_whitespace().map(str::to_ascii_lowercase).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let is_ruled = within.len() < inner.len();
    match (words, &lower[..]) {
        // One of these words is a comment of its own, whether there are rules or not.
        ([word], _) => ALONE.contains(word),
        (_, [word]) if is_ruled => ALONE.contains(word),
        (_, words) => is_ruled && is_phrase(words, true, false),
    }
}

// Returns true if a line that is not a comment is a notice in brackets or between dots: what a program that shows
// files writes where it cuts them, `[cut: 40 lines of 60]`, or a model that leaves lines out.
fn is_notice(text: &str) -> bool {
    let inner = match bracketed(text) {
        Some(inner) => inner,
        None if begins_with_dots(text) => text,
        None => return false,
    };
    let is_dotted = begins_with_dots(inner);
    let ends = inner.ends_with("...") || inner.ends_with('…');
    let inner = inner.trim_matches(['.', '…', ' ']);
    // Without brackets a notice is told from prose by dots at both ends, or by a number or sign behind the
    // first ones.
    if !is_plain(inner)
        || (bracketed(text).is_none()
            && !ends
            && !inner.starts_with(['+', '(', '['])
            && !inner.starts_with(|c: char| c.is_ascii_digit()))
    {
        return false;
    }
    let lower = inner.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split([' ', ':', ';', ',', '-', '.', '(', ')', '[', ']', '+'])
        .filter(|word| !word.is_empty())
        .collect();
    let counts = words.iter().any(|word| matches!(*word, "line" | "lines"))
        && words.iter().any(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let says = words.iter().any(|word| LEFT_OUT.contains(word));
    match words[..] {
        [] => false,
        [word] => matches!(word, "snip" | "snipped" | "omitted" | "truncated" | "elided"),
        _ if counts => true,
        _ => {
            words.len() <= FEW && says && (is_dotted || is_phrase(&words, true, false)) || says_abroad(inner)
        }
    }
}

fn is_plain(text: &str) -> bool {
    !text.contains(['=', '"', '`', '{', '}', '$', '_', '\\', '|', '*']) && !text.contains("()")
}

/// Returns true if `text`, which is short, says in another language that lines are left out.
fn says_abroad(text: &str) -> bool {
    if text.chars().count() > 40 {
        return false;
    }
    let lower = text.to_lowercase();
    ABROAD.iter().any(|words| lower.contains(words))
}

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

fn is_dots(text: &str) -> bool {
    let text = bracketed(text).unwrap_or(text);
    let dots: usize = text.chars().map(|c| if c == '…' { 3 } else { 1 }).sum();
    dots >= 3 && text.chars().all(|c| matches!(c, '.' | '…' | ' '))
}

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
    let old = heading || rest.first().is_some_and(|word| OLD_TEXT_WORDS.contains(word));
    if old {
        let after = &rest[1..];
        let after = &after[articles(after)..];
        let things = named(after);
        let tail = &after[things..];
        let bare = tail.is_empty() || WORDS_AFTER_OLD.contains(&tail);
        // These words also begin headings.
        let sure = marked || keeps || !heading || !capital && articles(words) == 0;
        // A rest is one of something; other phrases, like the name of an interface, begin with the word too.
        let of = rest[0] != "rest" || marked || keeps || rest[1..].first() == Some(&"of");
        let whole = things > 0 || rest[0] == "rest" && (marked || of);
        return whole && bare && sure && of || (things > 0 || rest[0] == "rest") && is_said(tail);
    }
    let things = named(rest);
    let all = words.first().is_some_and(|word| WHOLE_TEXT_WORDS.contains(word));
    let tail = if things > 0 {
        &rest[things..]
    } else if all {
        &words[1..]
    } else {
        words
    };
    let states = ["omitted", "truncated", "elided", "snipped", "hidden", "skipped", "collapsed"];
    let is_gone = matches!(tail, [state] if states.contains(state));
    is_said(tail) || things > 0 && (is_gone || marked && WORDS_AFTER_OLD.contains(&tail))
}

/// Returns the number of words at the start of `words` that name the omitted part: one thing or two, and
/// perhaps a name before them.
fn named(words: &[&str]) -> usize {
    let is = |at: usize| words.get(at).is_some_and(|word| OMITTED_THINGS.contains(word));
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

fn is_said(words: &[&str]) -> bool {
    let verbs = words.iter().take_while(|word| VERBS.contains(word)).count();
    let state = &words[verbs.min(2)..];
    OMITTED_STATES.contains(&state) && (verbs > 0 || state != ["same"] && state != ["omitted"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_comment_explains_the_code_that_it_names() {
        assert!(explains("# existing users", "    users = load()"));
        assert!(explains("// existing session", "const session = find(id);"));
        assert!(!explains("# existing gems", "gem \"logs\""));
        assert!(!explains("-- existing inserts", "INSERT INTO teas (name) VALUES ('white');"));
    }

    #[test]
    fn regression_a_comment_names_lines_that_stay() {
        for line in [
            "// toggle stays the same",
            "// put() remains unchanged",
            "// toggle() is the same as before",
            "# keep toggle as it is",
            "-- leave the teas table untouched",
            "# unchanged: load",
            "/* `load` (unchanged) */",
            "<!-- header remains as is -->",
            "// toggle bleibt unverändert",
            "# load() 保持不变",
        ] {
            assert_eq!(named_lines(line), Some(NamedLines::Unchanged), "{line}");
        }
        for line in [
            "# existing routes go here",
            "// existing plugins",
            "{/* existing select */}",
            "/* existing grid rules */",
        ] {
            assert_eq!(named_lines(line), Some(NamedLines::Existing), "{line}");
        }
        for line in [
            "// keep the lock",
            "// Existing users",
            "# the same as the one in load",
            "// so the order stays the same",
            "# x = existing",
            "// existing users must be asked first",
            "// unchanged if nothing was read",
            "stays the same",
            "# unchanged since 2019",
        ] {
            assert_eq!(named_lines(line), None, "{line}");
        }
    }
}
