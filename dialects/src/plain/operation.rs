//! Deletions and moves that a heading, a label or a sentence of its own states: "### Deleted file: `p`",
//! "Rename `a` to `b`.", "`a` → `b`".

use super::mention::{self, LocatedMention, MentionMark};
use super::path::Shape;
use super::phrases::{MayHave, Phrases};
use super::words::{self, Operation};
use super::{Candidate, Form, Group, Place, folder};
use crate::cursor::Line;
use crate::file_name::base;

// Boxes before the tasks of a list.
const BOXES: &[&str] = &["[ ] ", "[x] ", "[X] "];
const ARROWS: &[&str] = &["→", "->", "=>", "➜", "⟶", "➡️"];

pub(super) fn read(line: &Line<'_>) -> Vec<Candidate> {
    let (statement, permits) = without_adverbs(without_marks(line.text.trim()));
    let mut candidates = operations(line, statement).unwrap_or_default();
    // A box is ticked once it is done, and stands for a plan until then.
    let is_box = BOXES.iter().any(|sign| line.text.contains(sign));
    candidates.iter_mut().for_each(|candidate| candidate.conditional |= permits || is_box);
    candidates
}

fn operations(line: &Line<'_>, statement: &str) -> Option<Vec<Candidate>> {
    let may_point = memchr::memchr2(b'>', 0xe2, statement.as_bytes()).is_some();
    let arrow = may_point && ARROWS.iter().any(|arrow| statement.contains(arrow));
    let stated = words::operation(statement);
    if (!statement.is_ascii() || memchr::memchr(b':', statement.as_bytes()).is_some())
        && let Some((label, _)) = statement.split_once([':', '：'])
        && let Some(head) = statement.get(..=label.len())
        && let Some(permits) = words::lists_deletions(head)
    {
        // "### Deleted file: `a.py`"
        let listed = listed_behind(line, head, permits && !line.text.trim_start().starts_with('#'));
        // The colon may be one of a link.
        if listed.is_some() || stated.is_none() {
            return listed;
        }
    }
    if stated.is_none() && !arrow {
        return None;
    }
    let mentions: Vec<LocatedMention> =
        mention::in_line(line.text, true).into_iter().filter(|one| one.shape >= Shape::Folders).collect();
    let offset = statement.as_ptr() as usize - line.text.as_ptr() as usize;
    if let Some((operation, length)) = stated.filter(|_| statement.contains('`'))
        && let Some(folder) = of_folder(line, operation, &line.text[offset + length..])
    {
        return Some(vec![folder]);
    }
    match (stated, &mentions[..]) {
        (Some((Operation::Delete, length)), [first, rest @ ..]) => {
            let between = line.text.get((offset + length).min(first.at.start)..first.at.start)?;
            let (between, _) = without_adverbs(between.trim_start());
            // "Delete `a.py` in the `old` folder."
            if let Some((folder, end)) = folder::find(line.text, std::slice::from_ref(first))
                && folder.is_beside
                && end > first.at.end
                && is_sure(first)
                && words::is_filler(between)
                && rest.iter().all(|one| one.at.end <= end + 1)
                && ends(&line.text[end..])
            {
                let mut one = candidate(line, first, Form::Delete);
                one.groups.iter_mut().for_each(|group| group.folder = Some(folder.clone()));
                return Some(vec![one]);
            }
            // "Delete `a.py`, `b.py` and `c.py`."
            let joined = |pair: &[LocatedMention]| {
                let between = line.text.get(pair[0].at.end..pair[1].at.start);
                pair[1].mark == MentionMark::Code && between.is_some_and(words::joins)
            };
            let count = 1 + mentions.windows(2).take_while(|pair| joined(pair)).count();
            let after = &line.text[mentions[count - 1].at.end..];
            let all = &mentions[..count];
            // What follows in the sentence may name files as well, but only as a reason.
            let states = all.iter().all(is_sure)
                && words::is_filler(between)
                && (count == mentions.len() || after.trim_start_matches('`').starts_with([';', '.']))
                && ends(after)
                && !is_report(statement, after);
            states.then(|| all.iter().map(|one| candidate(line, one, Form::Delete)).collect())
        }
        (Some((Operation::Move, length)), [from, rest @ ..]) => {
            let between = line.text.get((offset + length).min(from.at.start)..from.at.start)?;
            let (between, _) = without_adverbs(between.trim_start());
            let behind = &line.text[from.at.end..];
            // Of what has no extension the project says whether it is a file.
            if !is_sure(from) && from.mark != MentionMark::Code || !words::is_filler(between) {
                return None;
            }
            let to = match rest {
                [to] if words::is_to(&line.text[from.at.end..to.at.start])
                    && ends(&line.text[to.at.end..]) =>
                {
                    to.mention.path.clone()
                }
                [] => into_folder(behind, &from.mention.path)?,
                _ => return None,
            };
            moved(line, from, to).map(|one| vec![one])
        }
        (None, [from, to]) => {
            let between = line.text[from.at.end..to.at.start].trim();
            let only =
                line.text[offset..from.at.start.max(offset)].trim_matches(['`', '*', ' ', ':']).is_empty()
                    && ARROWS.contains(&between)
                    && is_moved(line.text[to.at.end..].trim_matches(['`', '*', ' ', ':', '.']));
            let is_move = only && !is_mapping(&from.mention.path, &to.mention.path);
            (is_move && from.mark == MentionMark::Code && is_sure(from))
                .then(|| moved(line, from, to.mention.path.clone()))
                .flatten()
                .map(|one| vec![one])
        }
        _ => None,
    }
}

// Reads what is done with the one folder that `rest`, behind the words of the `operation`, gives: "`src/a/` to `src/b/`", "the
// `a` folder". A package moves, too; deleted, it may be one that is installed.
fn of_folder(line: &Line<'_>, operation: Operation, rest: &str) -> Option<Candidate> {
    let mut parts = rest.split('`');
    let (between, path, behind) = (parts.next()?, parts.next()?, parts.next()?);
    let is_kind = |word: &str| folder::is_kind(word) || operation == Operation::Move && folder::is_unit(word);
    let (between, is_called) = match between.trim_end().rsplit_once(' ').unwrap_or(("", between.trim_end())) {
        (before, kind) if is_kind(kind) => (before, true),
        _ => (between, false),
    };
    let rest = without_first(behind, is_kind);
    let is_plain = |path: &str| {
        path.len() > 1 && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_-.".contains(&byte))
    };
    let is_name = path.ends_with('/') || is_called || rest.is_some();
    let behind = rest.unwrap_or(behind);
    if !words::is_filler(between) || !is_name || !is_plain(path) {
        return None;
    }
    let form = match (operation, parts.next().map(|to| to.trim_end_matches('/')), parts.next()) {
        (Operation::Delete, None, None) if ends(behind) => Form::Delete,
        (Operation::Move, Some(to), Some(after)) if words::is_to(behind) && is_plain(to) => {
            ends(without_first(after, folder::is_kind).unwrap_or(after))
                .then(|| Form::Move { to: to.to_owned() })?
        }
        _ => return None,
    };
    let lines = line.number..line.number.saturating_add(1);
    let group = Group::of(Place::Label, line.number, format!("{}/", path.trim_end_matches('/')), true);
    let words = super::content::cut(line.text.trim()).to_owned();
    Some(Candidate { words, ..Candidate::of(lines, form, group) })
}

// Returns `text` without its first word, if that is one of these.
fn without_first(text: &str, is_it: impl Fn(&str) -> bool) -> Option<&str> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    is_it(&text[..end]).then_some(&text[end..])
}

pub(super) fn listed(line: &Line<'_>, label: &str) -> Vec<Candidate> {
    let statement = without_marks(line.text.trim());
    let is_item = crate::file_name::list_item(line.text.trim()).is_some();
    let listed = is_item.then(|| words::lists_deletions(label)).flatten();
    let Some(permits) = listed else { return Vec::new() };
    listed_behind(line, &statement[..0], permits).unwrap_or_default()
}

// Reads files that `line` makes empty, or the item of a list below such a `label`: commands that make them.
pub(super) fn empty(line: &Line<'_>, label: &str, phrases: MayHave) -> Option<Candidate> {
    const LONGEST: usize = 200;
    if line.text.len() > LONGEST || memchr::memchr(b'`', line.text.as_bytes()).is_none() {
        return None;
    }
    let is_item = crate::file_name::list_item(line.text.trim()).is_some();
    let leads = |text: &str| text.trim_end().ends_with([':', '：']);
    let is_asked = phrases.of(words::EMPTYING) && words::makes_empty(line.text) && !leads(line.text)
        || is_item && leads(label) && words::makes_empty(label);
    // It may only describe the file.
    if !is_asked && !words::is_empty_remark(line.text.rsplit('`').next().unwrap_or_default()) {
        return None;
    }
    let mentions: Vec<LocatedMention> =
        mention::in_line(line.text, true).into_iter().filter(|one| !one.mention.aside).collect();
    let paths = mentions.iter().filter(|one| is_sure(one) && one.mark == MentionMark::Code);
    let paths: Vec<&str> = paths.map(|one| &*one.mention.path).filter(|path| !path.contains(' ')).collect();
    if paths.is_empty() || paths.len() < mentions.len() {
        return None;
    }
    let lines = line.number..line.number.saturating_add(1);
    let words = super::content::cut(line.text.trim()).to_owned();
    let candidate = Candidate::in_groups(lines, Form::Commands, Vec::new());
    let content = format!("touch {}\n", paths.join(" "));
    Some(Candidate { words, content, conditional: !is_asked, ..candidate })
}

// Reads the move in a row of a table with the first row `header`: "| `a.py` | `b.py` |".
pub(super) fn row(line: &Line<'_>, header: &str) -> Option<Candidate> {
    if !line.text.trim_start().starts_with('|') || !words::renames(header) {
        return None;
    }
    let mentions = mention::in_line(line.text, true);
    let [from, to] = &mentions[..] else { return None };
    let candidate = moved(line, from, to.mention.path.clone()).filter(|_| is_sure(from))?;
    Some(Candidate { conditional: true, ..candidate })
}

fn listed_behind(line: &Line<'_>, head: &str, permits: bool) -> Option<Vec<Candidate>> {
    let start = (head.as_ptr() as usize - line.text.as_ptr() as usize) + head.len();
    let mentions: Vec<LocatedMention> =
        mention::in_line(line.text, true).into_iter().filter(|mention| mention.at.start >= start).collect();
    let (first, last) = (mentions.first()?, mentions.last()?);
    let joins =
        |pair: &[LocatedMention]| line.text.get(pair[0].at.end..pair[1].at.start).is_some_and(words::joins);
    let is_list = mentions.iter().all(is_sure)
        && words::is_filler(&line.text[start..first.at.start])
        && mentions.windows(2).all(joins)
        && ends(&line.text[last.at.end..]);
    let deletion = |one| Candidate { conditional: permits, ..candidate(line, one, Form::Delete) };
    is_list.then(|| mentions.iter().map(deletion).collect())
}

/// `statement` without words before its verb that say no more than when, and whether they only permit it.
fn without_adverbs(statement: &str) -> (&str, bool) {
    const ADVERBS: &[&str] = &[
        "also",
        "then",
        "finally",
        "next",
        "and",
        "now",
        "first",
        "lastly",
        "additionally",
        "please",
        "afterwards",
        "after that",
        "außerdem",
        "dann",
        "zuerst",
        "anschließend",
        "danach",
        "zuletzt",
        "bitte",
        "d'abord",
        "ensuite",
        "enfin",
        "también",
        "luego",
        "finalmente",
        "primero",
        "primeiro",
        "também",
        "depois",
        "inoltre",
        "infine",
        "затем",
        "также",
        "наконец",
        "сначала",
    ];
    const EAST: &[&str] = &[
        "首先",
        "然后",
        "接着",
        "最后",
        "最後に",
        "最後",
        "次に",
        "まず",
        "그런 다음",
        "마지막으로",
        "먼저",
    ];
    const PERMITS: &[&str] = &["you can safely", "you can also", "you can now", "you can", "you may"];
    let starts = |text: &str, words: &str| {
        let rest = text.get(words.len()..).filter(|rest| rest.starts_with([' ', ',']));
        rest.is_some() && text.get(..words.len()).is_some_and(|start| start.to_lowercase() == words)
    };
    static BEGIN: Phrases = Phrases::beginnings(&Phrases::new(ADVERBS), &Phrases::new(PERMITS));
    let (mut text, mut permits) = (statement, false);
    // Most lines begin with none of them.
    while (!text.is_ascii() || BEGIN.may_begin(text.as_bytes()))
        && let Some(rest) = ADVERBS
            .iter()
            .chain(PERMITS)
            .find(|words| starts(text, words))
            .map(|words| &text[words.len()..])
            .or_else(|| EAST.iter().find_map(|words| text.strip_prefix(words)))
    {
        permits |= PERMITS.iter().any(|words| text.len() - rest.len() == words.len() && starts(text, words));
        text = rest.trim_start_matches([' ', ',', '，', '、']);
    }
    (text, permits)
}

// Returns true if an arrow between `from` and `to` is no move: the file at `to` is made of the one at `from`, tests it or
// tells of it.
fn is_mapping(from: &str, to: &str) -> bool {
    // Endings of files that may become each other without a program.
    const KINDS: &[&[&str]] = &[
        &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
        &["md", "mdx", "markdown", "txt", "rst", "adoc"],
        &["yml", "yaml", "json", "json5", "jsonc", "toml", "ini", "conf", "cfg", "env"],
        &["css", "scss", "sass", "less"],
        &["html", "htm", "ejs", "hbs", "njk", "j2", "jinja", "jinja2", "tmpl", "erb", "twig", "php"],
        &["py", "pyi"],
        &["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "m", "mm", "cu"],
        &["sh", "bash", "zsh"],
        &["java", "kt", "kts", "gradle", "groovy"],
    ];
    const TESTS: &[&str] = &[".test", ".spec", "_test", "_spec", "Test", "Tests", "Spec", "-test"];
    let ending = |path: &str| crate::file_name::extension(base(path)).map(str::to_lowercase);
    let stem = |path: &str| {
        let name = base(path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
    };
    let is_of_kind = |had: &str, has: &str| {
        had == has || KINDS.iter().any(|kind| kind.contains(&had) && kind.contains(&has))
    };
    let is_other_kind = match (ending(from), ending(to)) {
        (Some(had), Some(has)) => KINDS.iter().any(|kind| kind.contains(&&*had)) && !is_of_kind(&had, &has),
        _ => false,
    };
    let (had, has) = (stem(from), stem(to));
    let tests = || {
        has.strip_prefix("test_") == Some(&*had)
            || has.strip_prefix(&*had).is_some_and(|rest| TESTS.contains(&rest))
    };
    let is_packed = || has.strip_prefix(&*had).is_some_and(|rest| matches!(rest, ".min" | ".bundle"));
    is_built(from, to) || is_other_kind || tests() || is_packed()
}

// Returns true if the file at `to` is what a program makes of the one at `from`, in another folder: `src/a.ts`, `dist/a.js`.
fn is_built(from: &str, to: &str) -> bool {
    const OUTPUTS: &[(&str, &[&str])] = &[
        ("ts", &["js", "mjs", "cjs"]),
        ("tsx", &["js", "jsx", "mjs"]),
        ("jsx", &["js", "mjs"]),
        ("coffee", &["js"]),
        ("vue", &["js"]),
        ("svelte", &["js"]),
        ("scss", &["css"]),
        ("sass", &["css"]),
        ("less", &["css"]),
        ("md", &["html", "pdf"]),
        ("mdx", &["html"]),
        ("rst", &["html", "pdf"]),
        ("adoc", &["html", "pdf"]),
        ("tex", &["pdf"]),
        ("pug", &["html"]),
        ("ejs", &["html"]),
        ("ipynb", &["html", "pdf"]),
        ("py", &["pyc"]),
        ("java", &["class"]),
        ("c", &["o", "s"]),
        ("cpp", &["o"]),
        ("po", &["mo"]),
        ("svg", &["png"]),
    ];
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let ending =
        |path: &str| crate::file_name::extension(base(path)).map(str::to_lowercase).unwrap_or_default();
    let (had, has) = (ending(from), ending(to));
    folder(from) != folder(to)
        && OUTPUTS.iter().any(|(source, outputs)| *source == had && outputs.contains(&&*has))
}

// Returns true if `remark`, behind an arrow between two paths, says no more than that a file moves.
fn is_moved(remark: &str) -> bool {
    let inner = remark.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    remark.is_empty()
        || inner.is_some_and(|inner| words::operation(inner) == Some((Operation::Move, inner.len())))
}

pub(super) fn is_sure(located: &LocatedMention) -> bool {
    located.shape == Shape::Path && super::path::is_given(&located.mention.path)
}

/// Returns true if `statement`, with the words `after` its path, reports a change of the past, as changelogs do.
fn is_report(statement: &str, after: &str) -> bool {
    let past = ["Removed", "Deleted", "Renamed", "Moved", "removed", "deleted", "renamed", "moved"];
    let rest = after.trim_matches(|c: char| !c.is_alphanumeric() && c != '(');
    past.iter().any(|word| statement.starts_with(word)) && !rest.is_empty() && !rest.starts_with('(')
}

/// Returns true if the words `after` a path say no more than why: an end, a dash, a bracket, a new sentence, a further clause.
fn ends(after: &str) -> bool {
    let text = after.trim_start_matches(['`', '*', '_', '"', ')']).trim_start();
    let text = text.strip_prefix("file").unwrap_or(text).trim_start();
    text.is_empty()
        || text.starts_with(['.', '–', '—', '-', '(', '（', ':', '：', ';', '。', '，', ',', '!'])
        || [
            "entirely",
            "completely",
            "since",
            "as it",
            "because",
            "if ",
            "it ",
            "altogether",
            "now",
            "as well",
            "too",
            "afterwards",
            "um",
            "which is no longer",
            "and ",
            "und ",
            "et ",
            "y ",
            "vollständig",
            "ganz",
            "da ",
            "weil",
        ]
        .iter()
        .any(|word| text.starts_with(word))
}

/// The new path of the file at `path` that `behind` names without an extension: "to the `src/api/` folder", "to `lib`".
fn into_folder(behind: &str, path: &str) -> Option<String> {
    let (before, rest) = behind.split_once('`')?;
    let (folder, after) = rest.split_once('`')?;
    let plain = folder.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b'[' | b']' | b'@')
    });
    let says = folder.ends_with('/')
        || ["folder", "directory", "dir", "ordner", "dossier", "carpeta"]
            .iter()
            .any(|word| after.trim_start().to_lowercase().starts_with(word));
    let before = ["folder", "directory", "ordner", "dossier"].iter().fold(before.trim_end(), |text, kind| {
        text.strip_suffix(kind).map_or(text, |text| text.trim_end().trim_end_matches("new").trim_end())
    });
    if !plain || !words::is_to(before) {
        return None;
    }
    let is_file = !says && crate::file_name::extension(base(path)).is_none();
    match is_file {
        true => ends(after).then(|| folder.to_owned()),
        false => (says || ends(after)).then(|| format!("{}/{}", folder.trim_end_matches('/'), base(path))),
    }
}

/// `text` without the signs of a heading, a list item, bold, a number, an emoji before it.
fn without_marks(text: &str) -> &str {
    let mut text = text;
    loop {
        let before = text.len();
        let item = text.trim_start_matches(['-', '*', '+', ' ']);
        text = BOXES.iter().find_map(|sign| item.strip_prefix(sign)).unwrap_or(text);
        text = text.trim_start_matches(|c: char| {
            matches!(
                c,
                '#' | '*' | '_' | '-' | '+' | '>' | '•' | '✅' | '🗑' | '❌' | '➡' | '\u{fe0f}' | '[' | ']'
            ) || c.is_whitespace()
                || !c.is_ascii() && !c.is_alphanumeric()
        });
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && digits < 4 {
            let rest = &text[digits..];
            // "2️⃣" is the digit with two signs behind it.
            let keycap = rest.trim_start_matches('\u{fe0f}').strip_prefix('\u{20e3}');
            text = keycap.or_else(|| rest.strip_prefix(['.', ')'])).unwrap_or(text);
        }
        for step in ["Step ", "Schritt ", "Étape ", "Paso "] {
            if let Some(rest) = text.strip_prefix(step)
                && let Some((number, rest)) = rest.split_once([':', '-', '–', '.'])
                && number.len() <= 3
            {
                text = rest;
            }
        }
        if text.len() == before {
            return text;
        }
    }
}

pub(super) fn moved(line: &Line<'_>, from: &LocatedMention, to: String) -> Option<Candidate> {
    // A bare new name stays in the folder.
    let to = match (to.contains('/'), from.mention.path.rsplit_once('/')) {
        (false, Some((folder, name))) if name != to => format!("{folder}/{to}"),
        _ => to,
    };
    let moves = to != from.mention.path && super::path::is_given(&to);
    moves.then(|| candidate(line, from, Form::Move { to }))
}

pub(super) fn candidate(line: &Line<'_>, located: &LocatedMention, form: Form) -> Candidate {
    let lines = line.number..line.number.saturating_add(1);
    let group = Group::of(Place::Label, line.number, located.mention.path.clone(), true);
    let words = super::content::cut(line.text.trim()).to_owned();
    Candidate { words, ..Candidate::of(lines, form, group) }
}
