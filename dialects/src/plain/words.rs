//! What the words of prose say of a fence below them: the questions that the forms ask.
//!
//! Everything here works on one line or sentence; the words are in [`super::tables`].

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::phrases::{MayHave, PhraseGroups, Phrases, has_east};
use super::project::{self, Project};
use super::tables::{
    ADDS, ADDS_EAST, APPENDS, ARTICLES, ASIDE_AFTER, ASIDE_BEFORE, ASIDE_BEFORE_EAST, ASKS, ASKS_EAST,
    ASKS_LEAVE, ASKS_LEAVE_EAST, ASKS_TO_SEE, ASKS_TO_SEE_EAST, AT_END, AT_END_EAST, AT_TOP, AT_TOP_EAST,
    BUTTONS, CASES, COMPARES, CONTENTS_EAST, COPIES, COPIES_BEHIND, CREATED_THINGS, CREATES, CREATES_BEHIND,
    CREATES_EAST, DELETES, DRAFTS, ELSEWHERE, ELSEWHERE_EAST, FAULT_ENDS, FILE_WORDS, FILLERS, FIRST,
    FIRST_EAST, GOING_ON, IMPORTS, IN_ANOTHER, JOINING, LEAD_IN_ENDS, LEAD_IN_STARTS, LEAD_INS,
    LEAD_INS_EAST, MOVES, NEGATIONS, NEW, NEW_EAST, NEW_REMARKS, OLD, OLD_EAST, OLD_HEADINGS,
    OPEN_LEAD_IN_ENDS, OPEN_LEAD_INS, OPTIONS, OPTIONS_EAST, PARTS, PLACEHOLDERS, PROGRAMS, PSEUDO,
    QUOTES_FROM, REMOVES, REPLACES, REPLACES_FIRST, REPLACES_IT, RUN, RUN_EAST, SAVES, SAVES_EAST, SHOWING,
    STATES, STRONG_LEAD_INS, STRONG_LEAD_INS_EAST, TAKEN_BACK, TAKEN_BACK_EAST, TAKES_FROM, THEN, THEN_EAST,
    TO, WAS_RUN, WITH, WRITERS, WRITES,
};

// Returns true if `line` stands between what is and what it should be, and says no more.
pub(super) fn is_joint(line: &str) -> bool {
    #[rustfmt::skip]
    const JOINTS: &[&str] = &[
        "should be", "must be", "should become", "should read", "should look like this", "sollte sein", "muss sein", "sollte so aussehen", "devrait être", "doit être",
        "debería ser", "debe ser", "deveria ser", "deve ser", "dovrebbe essere", "deve essere", "должно быть", "应该是", "应为", "應為",
    ];
    let text = line.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    JOINTS.contains(&&*text)
}

pub(super) fn is_program(word: &str) -> bool {
    let word = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let word = word.strip_suffix(".exe").unwrap_or(word);
    PROGRAMS.iter().any(|program| program.eq_ignore_ascii_case(word))
}

pub(super) fn names_well_known(line: &str) -> bool {
    static FILE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("file"));
    static LICENSE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("LICENSE"));
    FILE.find(line.as_bytes()).is_some() || LICENSE.find(line.as_bytes()).is_some()
}

/// Returns true if the words at the end of `before` mean the path behind them as another file.
pub(super) fn is_aside_before(before: &str) -> bool {
    let text = before.trim_end_matches([' ', '`', '*', '"', '\'', '(', '[', '\u{a0}']);
    // "Save this as p", "remove x from p"; but "put it in the same folder as p".
    const COMPARES: [&str; 6] = ["like", "same", "similar", "analogous", "modelled", "modeled"];
    let is_taken = saves(text) || TAKES_FROM.are_in(text);
    let is_aside = |words: &str| !is_taken || COMPARES.iter().any(|one| words.starts_with(one));
    if !is_taken && ASIDE_BEFORE_EAST.iter().any(|word| text.ends_with(word)) {
        return true;
    }
    let tail = tail(text).to_lowercase();
    let mut text = tail.trim_end();
    for _ in 0..5 {
        if ASIDE_BEFORE.iter().any(|words| ends_with_words(text, words) && is_aside(words)) {
            return true;
        }
        let Some(article) = ARTICLES.iter().find(|article| ends_with_words(text, article)) else {
            return false;
        };
        text = text[..text.len() - article.len()].trim_end_matches([' ', '*', '`', '"']);
    }
    false
}

/// Returns the byte of `line` at which a clause ends that only says what is done already, if another one makes a file:
/// "Now that `a.toml` has a name, let's also create a configuration file".
pub(super) fn end_of_done(line: &str) -> usize {
    #[rustfmt::skip]
    static DONE: Phrases = Phrases::new(&[
        "now that", "having", "since we", "since you", "after", "once", "nachdem", "jetzt, wo", "maintenant que", "après avoir", "ahora que", "después de", "agora que",
        "depois de", "ora che", "dopo aver", "теперь, когда", "после того",
    ]);
    #[rustfmt::skip]
    static MAKES: Phrases = Phrases::new(&[
        "create", "add a", "add another", "write a", "make a", "need a", "new", "another", "erstelle", "erstellen", "créons", "créez", "créer", "crea", "creemos", "crear",
        "crie", "criar", "creiamo", "создайте", "создадим",
    ]);
    let text = line.trim_start_matches(|c: char| !c.is_alphabetic());
    if text.is_ascii() && !DONE.may_begin(text.as_bytes()) {
        return 0;
    }
    let lower = text[..text.floor_char_boundary(20)].to_lowercase();
    let Some((clause, rest)) = text.split_once([',', '，']) else { return 0 };
    let begins = DONE.rows().iter().any(|words| starts_with_words(&lower, words));
    if begins && MAKES.are_in(rest) { line.len() - text.len() + clause.len() } else { 0 }
}

/// Returns true if the words at the start of `after` mean the path before them as another file.
pub(super) fn is_aside_after(after: &str) -> bool {
    let text = after.trim_start_matches([' ', '`', '*', '"', '」', ')']);
    let mut text = text;
    while let Some(rest) = CONTENTS_EAST.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest.trim_start();
    }
    let text = text[..text.floor_char_boundary(40)].to_lowercase();
    ASIDE_AFTER.iter().any(|word| text.starts_with(word))
}

// Returns true if the words `before` a path and those `between` it and the next one make that a copy of it: "Copy `a` to `b`".
pub(super) fn is_copied(before: &str, between: &str) -> bool {
    let is_mark = |c: char| matches!(c, ' ' | '`' | '*' | '"' | '(');
    let behind = between.trim_start_matches(is_mark);
    let verb = tail(before.trim_end_matches(is_mark)).to_lowercase();
    let ends = |text: &str, words: &&str| {
        ends_with_words(text, words) || !words.is_ascii() && text.ends_with(*words)
    };
    let mut verb = verb.trim_end();
    while let Some(article) = ARTICLES.iter().find(|article| ends_with_words(verb, article)) {
        verb = verb[..verb.len() - article.len()].trim_end_matches(is_mark);
    }
    !joins(between)
        && (COPIES.iter().any(|words| ends(verb, words))
            || COPIES_BEHIND.iter().any(|words| behind.starts_with(words)))
}

// Returns true if the words around a path leave its file as it is: "leave `a.py` alone".
pub(super) fn is_left_alone(before: &str, after: &str) -> bool {
    #[rustfmt::skip]
    const ENDS: &[&str] = &[
        "alone", "as is", "as it is", "unchanged", "untouched", "unverändert", "in ruhe", "wie sie ist", "tel quel", "inchangé", "como está", "sin cambios", "sem alterações", "com'è", "без изменений",
    ];
    static VERBS: Phrases = Phrases::new(&[
        "leave",
        "leaving",
        "keep",
        "lass",
        "lassen",
        "laisse",
        "laissez",
        "deja",
        "deixe",
        "lascia",
        "оставьте",
    ]);
    let is_mark = |c: char| matches!(c, ' ' | '`' | '*' | '"');
    let behind = after.trim_start_matches(is_mark);
    let is_end = |end: &&str| {
        behind.get(..end.len()).is_some_and(|start| start.to_lowercase() == **end)
            && !behind[end.len()..].starts_with(char::is_alphanumeric)
    };
    let last = before.trim_end_matches(is_mark).rsplit(' ').next().unwrap_or_default();
    VERBS.rows().contains(&&*last.to_lowercase()) && ENDS.iter().any(is_end)
}

// Returns true if `after` a path has no more to say of its file than that it is as it should be: " is fine. Docker has".
pub(super) fn is_approved(after: &str) -> bool {
    #[rustfmt::skip]
    const APPROVED: &[&str] = &[
        "is fine", "is complete", "is correct", "is right", "is ok", "is okay", "is good", "is fine as it is", "is already fine", "is already correct", "is already complete", "looks fine", "looks good",
        "ist in ordnung", "ist vollständig", "ist korrekt", "passt", "est correct", "est complet", "está bien", "está completo", "es correcto", "está correto", "va bene", "è corretto", "в порядке",
    ];
    let text = after.trim_start_matches(['`', '*', '"', ' ']);
    let Some((verdict, rest)) = text.split_once('.') else { return false };
    rest.starts_with(' ') && APPROVED.contains(&&*verdict.to_lowercase())
}

/// Returns true if `between` only joins the paths around it.
pub(super) fn joins(between: &str) -> bool {
    let text = between.trim_matches([' ', '`', '*', '"', '(', ')', '[', ']']);
    text.split_whitespace().all(|word| JOINING.contains(&&*word.to_lowercase()) || word == "the")
}

/// Returns true if `line` names a file as a form does: `File: p`, `**文件**：p`.
pub(super) fn is_file_label(line: &str) -> bool {
    let colon = memchr::memchr(b':', line.as_bytes());
    let wide = if line.is_ascii() { None } else { line.find('：') };
    let Some(at) = colon.into_iter().chain(wide).min() else { return false };
    let head = line[..at].trim_matches(|c: char| !c.is_alphanumeric());
    let head = head.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    head.len() <= 40 && FILE_WORDS.contains(&&*head.to_lowercase())
}

pub(super) fn is_file_word(word: &str) -> bool {
    FILE_WORDS.contains(&word)
}

/// Returns true if the words around a path call it new: those right before it, or a remark right behind it.
pub(super) fn is_new(before: &str, after: &str) -> bool {
    let before = tail(before).to_lowercase();
    let near: Vec<&str> = before.split_whitespace().rev().take(6).collect();
    let near = near.into_iter().rev().collect::<Vec<_>>().join(" ");
    let end = after.char_indices().nth(24).map_or(after.len(), |(at, _)| at);
    let remark = after[..end].trim_start_matches(['`', '*', ' ']);
    let remark = if remark.starts_with(['(', '[', '（', '-', '–', '—']) { remark } else { "" };
    NEW.are_in(&near)
        || NEW_REMARKS.are_in(remark)
        || NEW_EAST.iter().any(|word| near.contains(word) || remark.contains(word))
}

/// Returns true if `line` of prose, of a tree or of commands says that the file `name`, which it mentions, is to be created.
#[must_use]
pub fn creates(line: &str, name: &str) -> bool {
    let is_apart = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        // A sentence may end behind the name.
        let ends = after
            .chars()
            .next()
            .is_none_or(|c| is_apart(c) || c == '.' && !after[1..].starts_with(char::is_alphanumeric));
        let begins = before.chars().next_back().is_none_or(is_apart);
        // Folders before a bare name are no words.
        let folders = before.len()
            - before.trim_end_matches(|c: char| !c.is_whitespace() && !matches!(c, '`' | '"' | '(')).len();
        begins && ends && is_created(&before[..before.len() - folders], after)
    })
}

// Returns true if the words around a path say that the file is to be created. "The new `a.py`" may be the next version of one
// that exists, which a verb, "new file" or a remark is not.
fn is_created(before: &str, after: &str) -> bool {
    let before = tail(before).to_lowercase();
    let near: Vec<&str> = before.split_whitespace().rev().take(8).collect();
    let near = near.into_iter().rev().collect::<Vec<_>>().join(" ");
    // The last sentence is about the path.
    let near = near.rsplit(['.', ';', '；', '。']).next().unwrap_or_default();
    let end = after.char_indices().nth(24).map_or(after.len(), |(at, _)| at);
    let behind = after[..end].to_lowercase();
    let behind = behind.trim_start_matches(['`', '*', '"', '」', '》', '\'', ' ']);
    let is_remark = behind.starts_with(['(', '[', '（', '-', '–', '—', '#', '←', '<']);
    // "(new)", "– new file", and not "– new helper at the end".
    let remark = behind.trim_start_matches(|c: char| !c.is_alphanumeric());
    let remark = remark.split([')', ']', '）', ',', '.', ':', ';', '：']).next().unwrap_or_default();
    let is_named = remark.split_whitespace().count() == 1 || CREATED_THINGS.are_in(remark);
    let marks = is_remark
        && (is_named && NEW_REMARKS.are_in(remark) || has_east(remark, NEW_EAST) || CREATES.are_in(remark));
    // "`a.py` erstellen", "`a.py` を作成"
    let ends = CREATES_BEHIND.iter().any(|word| starts_with_words(behind, word))
        || has_east(behind.split(['。', '，', '、', ',']).next().unwrap_or_default(), CREATES_EAST);
    // "Create `load` in `a.py`" creates no file.
    let is_thing = CREATED_THINGS.are_in(near);
    let path_before = near.trim_end_matches(['`', '*', ' ', '"']);
    let is_place = IN_ANOTHER.iter().any(|word| ends_with_words(path_before, word));
    marks
        || ends
        || NEW.are_in(near) && is_thing && !is_place
        || CREATES.are_in(near) && (is_thing || !is_place)
        || has_east(near, CREATES_EAST)
}

// Returns true if `line` says that a program writes the files below it: "The script creates 2 files:".
pub(super) fn is_written_by_program(line: &str) -> bool {
    let lower = line.trim_end_matches([' ', '*', '_']).to_lowercase();
    let text = lower.trim_start_matches(|c: char| !c.is_alphabetic());
    let behind = WRITERS.iter().find_map(|writer| text.strip_prefix(writer));
    let behind = behind.map(|rest| rest.trim_start_matches(|c: char| !c.is_alphabetic()));
    lower.ends_with([':', '：'])
        && behind.is_some_and(|rest| {
            WRITES.iter().any(|word| match word.is_ascii() {
                true => starts_with_words(rest, word),
                false => rest.starts_with(word),
            })
        })
}

/// Returns true if `line`, a sentence or heading, says that the fence below it shows no change. Names of files
/// and code in it say nothing.
pub(super) fn is_lead_in(line: &str) -> bool {
    lead_in(line).is_some()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadIn {
    // It shows no change.
    Firm,
    // Its words may be said of what is to be as well: "a working example", "an error message", "if the request fails".
    Open,
    // It gives a fault, which the code may handle: "roll back if the request fails".
    Case,
}

// Works as [`is_lead_in`].
pub(super) fn lead_in(line: &str) -> Option<LeadIn> {
    let line = without_code(line);
    let line = behind_look(&line);
    let bare = bare(line);
    let ends = |rows: &[&str]| announces(line) && rows.iter().any(|words| ends_with_words(&bare, words));
    let is_fault = ends(FAULT_ENDS);
    let is_case = is_fault && CASES.are_in(line);
    let is_firm = LEAD_INS.are_in(line)
        || STATES.are_in(line)
        || has_east(line, LEAD_INS_EAST)
        || ends(LEAD_IN_ENDS)
        || is_fault && !is_case
        || LEAD_IN_STARTS.iter().any(|words| starts_with_words(&bare, words))
        || says_source(line, &bare);
    let is_open = || OPEN_LEAD_INS.are_in(line) || ends(OPEN_LEAD_IN_ENDS);
    let kind = match () {
        () if is_firm => LeadIn::Firm,
        () if is_open() => LeadIn::Open,
        () => is_case.then_some(LeadIn::Case)?,
    };
    (!TAKEN_BACK.are_in(line) && !has_east(line, TAKEN_BACK_EAST)).then_some(kind)
}

// Returns true if `line`, which is `bare` without signs, says no more than where what is below it is from.
fn says_source(line: &str, bare: &str) -> bool {
    const MOST: usize = 4;
    line.trim_end_matches([' ', '*', '_', '`']).ends_with([':', '：'])
        && bare.split_whitespace().count() <= MOST
        && QUOTES_FROM.iter().any(|words| starts_with_words(bare, words))
}

// Returns `line` without a clause that only says what the answer looked at: "Looking at the code, …".
fn behind_look(line: &str) -> &str {
    let text = line.trim_start_matches(|c: char| !c.is_alphabetic());
    let looks = text.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("looking at"));
    let behind = text.split_once(',').map(|(_, behind)| behind.trim());
    match behind.filter(|behind| looks && behind.split_whitespace().nth(2).is_some()) {
        Some(behind) if !SHOWING.are_in(behind) => behind,
        _ => line,
    }
}

/// Returns true if `line` says that the fence below it shows a file as it is now.
pub(super) fn is_state(line: &str) -> bool {
    let line = without_code(line);
    let line = behind_look(&line);
    let shows = STATES.are_in(line) || has_east(line, LEAD_INS_EAST);
    shows && !TAKEN_BACK.are_in(line) && !has_east(line, TAKEN_BACK_EAST)
}

// Returns true if `line` leads to what is below it: a statement ends in a full stop.
pub(super) fn announces(line: &str) -> bool {
    !line.trim_end_matches([' ', '*', '_', '`']).ends_with(['.', '。', '!', '！'])
}

// `line` in lower case, without the signs and numbers around it.
fn bare(line: &str) -> String {
    let lower = line.to_lowercase().replace('’', "'");
    let text = lower.trim_matches(|c: char| !c.is_alphabetic());
    let text = ["the ", "this ", "a ", "an "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    text.trim().to_owned()
}

// Returns `line` without code spans, and without words that are paths.
fn without_code(line: &str) -> Cow<'_, str> {
    if !line.bytes().any(|byte| matches!(byte, b'`' | b'/' | b'.' | b'\\')) {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 0 {
            text.push_str(part);
        } else {
            text.push_str("``");
        }
    }
    let is_path = |word: &str| {
        word.contains(['/', '\\'])
            || word.trim_end_matches(['.', ':', ',', ')', '*']).contains('.')
                && !word.eq_ignore_ascii_case("e.g.")
                && !word.to_ascii_lowercase().starts_with("z.b")
    };
    if text.contains(['/', '.', '\\']) {
        return text
            .split(' ')
            .map(|word| if is_path(word) { "``" } else { word })
            .collect::<Vec<_>>()
            .join(" ")
            .into();
    }
    text.into()
}

/// Returns true if `line`, the first of a fence, is a comment that calls the rest an example, or the old state.
pub(super) fn is_pseudo(line: &str) -> bool {
    let text = line.trim();
    ["//", "#", "--", "/*", "<!--", ";"].iter().any(|sign| text.starts_with(sign))
        && (PSEUDO.are_in(text) || is_old_heading(text))
}

/// Returns true if `line`, a heading or label, calls what follows one of several versions.
pub(super) fn is_option(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    // Fast path: most lines are ASCII and begin with none of these words, so nothing is copied.
    if text.is_ascii() && !OPTIONS.may_begin(text.as_bytes()) {
        return DRAFTS.are_in(line);
    }
    let lower = text.to_lowercase();
    let text = &*lower;
    let numbered = |words: &[&str]| {
        words.iter().any(|word| {
            text.strip_prefix(word).is_some_and(|rest| {
                let rest = rest.trim_start_matches([' ', '#', '\u{a0}']);
                let mark = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                matches!(
                    mark,
                    "1" | "2"
                        | "3"
                        | "4"
                        | "5"
                        | "a"
                        | "b"
                        | "c"
                        | "d"
                        | "i"
                        | "ii"
                        | "iii"
                        | "one"
                        | "two"
                        | "three"
                        | "一"
                        | "二"
                        | "三"
                ) || rest.is_empty() && word.starts_with("alternativ")
            })
        })
    };
    numbered(OPTIONS.rows())
        || numbered(OPTIONS_EAST)
        || DRAFTS.are_in(line)
        || text.starts_with("alternative")
}

#[inline]
pub(super) fn ends_with_words(text: &str, words: &str) -> bool {
    text.as_bytes().last() == words.as_bytes().last()
        && text
            .strip_suffix(words)
            .is_some_and(|rest| rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric()))
}

pub(super) fn starts_with_words(text: &str, words: &str) -> bool {
    text.as_bytes().first() == words.as_bytes().first()
        && text
            .strip_prefix(words)
            .is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '\''))
}

// The last six characters of `text`.
fn ending(text: &str) -> &str {
    text.char_indices().rev().nth(5).map_or(text, |(at, _)| &text[at..])
}

// The last 80 bytes of `text`, or somewhat fewer.
pub(super) fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(80))..]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Delete,
    Move,
}

fn has_any(line: &str, words: &Phrases, east: &[&str]) -> bool {
    words.are_in(line) || has_east(line, east)
}

/// Returns true if `line`, a heading, shows no change, whatever is below it.
pub(super) fn is_strong_lead_in(line: &str) -> bool {
    let text =
        line.trim_start_matches(['#', ' ', '*']).trim_end_matches([':', '*', ' ', '：']).to_lowercase();
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
    STRONG_LEAD_INS.iter().any(|words| {
        text == *words
            || text
                .strip_prefix(words)
                .is_some_and(|rest| rest.starts_with([':', ' ', '(']) && rest.len() < 30 && words.len() > 4)
    }) || STRONG_LEAD_INS_EAST.iter().any(|words| text.starts_with(words))
}

/// Returns true if `line`, a heading, calls all below it the old state, whatever file it names.
pub(super) fn is_old_heading(line: &str) -> bool {
    let text = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    OLD_HEADINGS.contains(&&*text)
}

// Returns true if `sentence` begins with the place that the one before it gives.
pub(super) fn points_there(sentence: &str) -> bool {
    const THERE: &[&str] = &["there", "dort", "là", "allí", "ahí", "ali", "lì", "там"];
    let start = sentence[..sentence.floor_char_boundary(12)].to_lowercase();
    THERE.iter().any(|word| starts_with_words(&start, word))
        || ["在那里", "那里", "そこ", "거기"].iter().any(|word| start.starts_with(word))
}

/// Returns true if `line` puts the file into another project: "on the server", "in a Next.js project".
pub(super) fn is_elsewhere(line: &str) -> bool {
    // "On the server side" is a part of the program.
    static SIDES: Phrases = Phrases::new(&["server side", "server-side", "client side", "client-side"]);
    if SIDES.are_in(line) {
        return false;
    }
    let is_other = || project::of_line(line) == Some(Project::Other);
    if has_any(line, &ELSEWHERE, ELSEWHERE_EAST) || is_on_machine(line) || is_other() {
        return true;
    }
    if !COMPARES.are_in(line) {
        return false;
    }
    let lower = line.to_lowercase();
    ["in a ", "in an ", "for a ", "for an ", "with a "].iter().any(|article| {
        lower.match_indices(article).any(|(at, _)| {
            let words: Vec<&str> = lower[at + article.len()..].split([' ', ',']).take(3).collect();
            words
                .iter()
                .position(|word| matches!(*word, "project" | "app" | "application" | "codebase"))
                .is_some_and(|at| {
                    at == 1 && !matches!(words[0], "new" | "single" | "separate" | "larger" | "real")
                })
        })
    })
}

// Returns true if `line` has commands run in another place than the project.
pub(super) fn is_apart(line: &str) -> bool {
    static PLACES: Phrases = Phrases::new(&[
        "ssh",
        "scratch directory",
        "scratch folder",
        "scratch project",
        "temporary directory",
        "temporary folder",
        "temp directory",
        "temp folder",
        "empty directory",
        "empty folder",
        "throwaway",
        "leeren ordner",
        "temporären ordner",
        "dossier vide",
        "dossier temporaire",
        "carpeta vacía",
        "carpeta temporal",
        "pasta vazia",
        "cartella vuota",
        "пустой папке",
    ]);
    PLACES.are_in(line)
}

// Returns true if `line` names another machine: "on the staging server".
fn is_on_machine(line: &str) -> bool {
    #[rustfmt::skip]
    static MACHINES: Phrases = Phrases::new(&[
        "server", "servers", "machine", "host", "hosts", "cluster", "instance", "vps", "droplet", "node", "nodes", "router", "raspberry", "serveur", "servidor", "сервере",
    ]);
    const BETWEEN: usize = 2;
    if !MACHINES.are_in(line) {
        return false;
    }
    let lower = line.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_place = |at: usize| {
        matches!(words[at], "on" | "auf" | "sur" | "en" | "no" | "sul" | "на")
            && matches!(
                words.get(at + 1),
                Some(&("the" | "your" | "our" | "each" | "every" | "dem" | "deinem" | "le" | "el" | "o"))
            )
            // "On your machine" is where the project is.
            && words.iter().skip(at + 2).take(BETWEEN + 1).any(|word| MACHINES.rows().contains(word))
            && !(words[at + 1] == "your" && words.get(at + 2) == Some(&"machine"))
    };
    (0..words.len()).any(is_place)
}

// Returns true if `line` says of what is shown below it that it is as it should be.
pub(super) fn praises(line: &str) -> bool {
    #[rustfmt::skip]
    static PRAISES: Phrases = Phrases::new(&[
        "looks right", "looks good", "looks fine", "looks correct", "look right", "look good", "looks great", "lgtm", "is right", "is fine as", "sieht gut aus", "semble correct",
        "se ve bien", "parece correto", "sembra corretto", "выглядит правильно",
    ]);
    // "To make it look good on phones, add this"
    static MAKES: Phrases = Phrases::new(&["make", "makes", "making"]);
    PRAISES.are_in(line) && !MAKES.are_in(line)
}

/// Returns true if `line` goes on with the sentence before the fence above it.
pub(super) fn goes_on(line: &str) -> bool {
    let first = line.trim().split([' ', ',']).next().unwrap_or_default();
    GOING_ON.contains(&first) || ["以及", "和", "そして", "그리고"].iter().any(|word| line.starts_with(word))
}

/// Returns true if `line`, below code, is no more than the place of a file, with a line number, at which that code is: "Source:
/// `src/a.py:30`".
pub(super) fn says_place(line: &str) -> bool {
    const LABEL: usize = 3;
    let text = line.trim().trim_matches(['(', ')', '*', '_', '>', ' ']);
    if line.len() > 300 || memchr::memchr2(b':', b'#', text.as_bytes()).is_none() {
        return false;
    }
    let (label, place) = text
        .split_once([':', '：'])
        .filter(|(label, _)| !label.contains(['`', '[', '/', '.']))
        .unwrap_or(("", text));
    let place = place.trim().trim_matches(['`', '*', ' ', '.']);
    let target = place
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]("))
        .and_then(|(_, target)| target.strip_suffix(')'));
    let place = target.unwrap_or(place).trim_matches('`');
    let is_number = |text: &str| {
        let digits = text.trim_start_matches(['L', 'l']);
        digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | 'L' | ':' | '–'))
    };
    let number = place.split_once([':', '#']).map(|(_, number)| number);
    label.split_whitespace().count() <= LABEL
        && !place.contains(' ')
        && place.contains('.')
        && number.is_some_and(is_number)
}

/// Returns true if `line` says that somebody ran what is below it.
pub(super) fn was_run(line: &str) -> bool {
    WAS_RUN.are_in(line)
}

/// Returns true if `line` says that a program sends or gets what is below it.
pub(super) fn sends(line: &str) -> bool {
    static WORDS: Phrases = Phrases::new(&[
        "takes this body",
        "expects this body",
        "accepts this body",
        "this payload",
        "returns",
        "responds",
        "response",
        "responses",
        "answers with",
        "prints",
        "outputs",
        "sends",
        "receives",
        "payload",
        "request body",
        "emits",
        "produces",
        "antwortet",
        "liefert",
        "renvoie",
        "devuelve",
        "retorna",
        "restituisce",
        "возвращает",
    ]);
    WORDS.are_in(line) || has_east(line, &["返回", "レスポンス", "返します", "응답"])
}

/// Returns true if `line` calls what is below it the message of a commit, or of a request to merge one.
pub(super) fn is_message(line: &str) -> bool {
    static WORDS: Phrases = Phrases::new(&[
        "commit message",
        "pr description",
        "pull request description",
        "merge request description",
        "commit-nachricht",
        "message de commit",
        "mensaje de commit",
        "mensagem de commit",
        "messaggio di commit",
        "сообщение коммита",
    ]);
    WORDS.are_in(line) || has_east(line, &["提交信息", "提交訊息", "コミットメッセージ", "커밋 메시지"])
}

/// Returns true if `line` says that what is below is run.
pub(super) fn is_run(line: &str) -> bool {
    // `run.sh` is a name.
    has_any(&without_code(line), &RUN, RUN_EAST)
}

/// Returns true if `line` of a fence stands for the content of a file.
pub(super) fn is_placeholder(line: &str) -> bool {
    let text = line.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    PLACEHOLDERS.contains(&&*text)
}

/// Returns true if `line` may be above the first of two fences: it begins or ends with such a word.
pub(super) fn is_first(line: &str) -> bool {
    at_an_end(line, FIRST) || has_east(line, FIRST_EAST) || REPLACES_FIRST.are_in(line)
}

/// Returns true if `line` may be between two fences.
pub(super) fn is_then(line: &str) -> bool {
    at_an_end(line, THEN) || has_east(line, THEN_EAST)
}

// Returns true if `line` has something replaced that it names itself: "replace the `load` function with this", and not "replace
// it with", "change that line to".
pub(super) fn has_own_object(line: &str) -> bool {
    #[rustfmt::skip]
    const POINTING: &[&str] = &[
        "it", "that", "this", "these", "those", "them", "above", "line", "lines", "code", "block", "old", "es", "das", "dies", "diese", "dieses", "diesen", "sie", "zeile",
        "zeilen", "alten", "le", "la", "les", "ça", "cela", "ceci", "lo", "los", "las", "eso", "esto", "o", "isso", "isto", "questo", "esso", "его", "это", "их",
    ];
    // What its code names is an object as well.
    let lower = line.to_lowercase();
    let words = || lower.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut behind = words().skip_while(|word| !REPLACES.rows().contains(&&*bare(word))).skip(1);
    let object: Vec<&str> = behind.by_ref().take_while(|word| !THEN.contains(&&*bare(word))).collect();
    !object.is_empty()
        && object.iter().any(|word| bare(word).len() > 3 || word.contains('`'))
        && !object.iter().any(|word| !word.contains('`') && POINTING.contains(&&*bare(word)))
}

// Returns true if `line` has something replaced and leads to what comes in its place: "replace it with this:".
pub(super) fn leads_to_new(line: &str) -> bool {
    #[rustfmt::skip]
    const ENDS: &[&str] = &[
        "with", "with this", "with the following", "to", "to this", "to the following", "by this", "by the following", "durch", "durch dies", "par", "par ceci", "por", "por esto",
        "con", "con esto", "por isto", "con questo", "на", "на это",
    ];
    let line = without_code(line);
    let bare = bare(&line);
    let is_verb = |word: &str| REPLACES.rows().contains(&word);
    ENDS.iter().any(|end| ends_with_words(&bare, end))
        && bare.split(|c: char| !c.is_alphanumeric()).any(is_verb)
}

// Returns true if `line`, above a fence, means what the fence shows as what is there: "find these lines", "replace this".
pub(super) fn points_to(line: &str) -> bool {
    #[rustfmt::skip]
    const POINTING: &[&str] = &[
        "this", "these", "following", "find", "locate", "look", "search", "from", "old", "before", "original", "current", "existing", "diese", "dieses", "diesen", "folgende",
        "folgenden", "suche", "finde", "vorher", "ceci", "cette", "ces", "avant", "esto", "esta", "estas", "este", "busca", "antes", "isto", "questo", "questa", "prima", "этот",
        "эту", "это", "найдите", "было",
    ];
    let lower = line.to_lowercase();
    let is_east = !line.is_ascii() && line.chars().any(is_east_asian);
    is_east || lower.split(|c: char| !c.is_alphanumeric()).any(|word| POINTING.contains(&word))
}

// Returns true if `line`, without its code, begins or ends with one of `words`.
fn at_an_end(line: &str, words: &[&str]) -> bool {
    let bare = bare(&without_code(line));
    words.iter().any(|words| starts_with_words(&bare, words) || ends_with_words(&bare, words))
}

/// Returns true if `line` calls what is below it the old state.
pub(super) fn is_old(line: &str) -> bool {
    has_any(line, &OLD, OLD_EAST)
}

/// Returns true if `line`, below a fence, gives the file of it.
pub(super) fn saves(line: &str) -> bool {
    has_any(line, &SAVES, SAVES_EAST)
}

// Returns true if `line` has a file changed, as all of it or in part.
pub(super) fn updates(line: &str) -> bool {
    #[rustfmt::skip]
    static WORDS: Phrases = Phrases::new(&[
        "update", "updated", "change", "modify", "edit", "replace", "fix", "aktualisiere", "ändere", "bearbeite", "modifiez", "remplacez", "modifica", "actualiza", "edite",
        "modifique", "измените", "обновите",
    ]);
    has_any(line, &WORDS, &["修改", "更新", "変更", "수정"])
}

pub(super) fn adds(line: &str) -> bool {
    has_any(line, &ADDS, ADDS_EAST)
}

// Returns `line` without the marks of bold words, which divide what they stress: "to the **end** of the file".
pub(super) fn without_bold(line: &str) -> Cow<'_, str> {
    if line.contains("**") { line.replace("**", "").into() } else { Cow::Borrowed(line) }
}

pub(super) fn is_at_end(line: &str) -> bool {
    let line = &*without_bold(line);
    (adds(line) || APPENDS.are_in(line)) && has_any(line, &AT_END, AT_END_EAST) && !PARTS.are_in(line)
}

pub(super) fn is_at_top(line: &str) -> bool {
    let line = &*without_bold(line);
    let adds = adds(line) || IMPORTS.are_in(line);
    adds && has_any(line, &AT_TOP, AT_TOP_EAST) && !PARTS.are_in(line)
}

/// Returns true if the words around a code span ask to replace it.
pub(super) fn replaces(before: &str, after: &str) -> bool {
    if !REPLACES.may_be_in(before) {
        return false;
    }
    let tail = tail(before.trim_end_matches('`')).to_lowercase();
    let mut words =
        tail.split_whitespace().rev().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let verb = words.by_ref().take(5).any(|word| REPLACES.rows().contains(&word));
    let east = ["将", "把", "將"].iter().any(|word| before.trim_end().ends_with(word));
    let kinds = [
        "rule", "selector", "hook", "route", "endpoint", "test", "call", "calls", "tag", "element", "logic",
        "code",
    ];
    let first =
        after.split_whitespace().next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
    let first = first.to_lowercase();
    let names = PARTS.rows().contains(&&*first) || kinds.contains(&&*first);
    (verb && !names && WITH.are_in(after))
        || east && (after.contains("替换") || after.contains("改") || after.contains("替換"))
}

/// Returns true if `between` stands between the old and the new text of a second replacement in a sentence.
pub(super) fn is_to_or_with(between: &str) -> bool {
    matches!(between.trim(), "with" | "to" | "by" | "durch" | "zu" | "par" | "por" | "con" | "com" | "на")
}

// Returns true if `joint`, between two changes of a sentence, only goes on with the next: ", and also", "und in `b.ts`".
pub(super) fn goes_on_with(joint: &str) -> bool {
    const ALSO: &[&str] =
        &["also", "then", "auch", "dann", "sowie", "aussi", "también", "también", "anche", "também", "также"];
    const OR: &[&str] = &["or", "oder", "ou", "o", "/"];
    const ALSO_EAST: &[&str] = &["并将", "并把", "将", "把", "并", "和", "以及", "同时", "中的", "中"];
    let is_sign = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '*' | '，' | '；' | '、');
    // What it has in backticks is a path.
    let mut words =
        joint.split('`').step_by(2).flat_map(|text| text.split(is_sign)).filter(|word| !word.is_empty());
    !joint.is_empty()
        && words.all(|word| {
            let lower = word.to_lowercase();
            let word = &*lower;
            JOINING.contains(&word) && !OR.contains(&word)
                || ALSO.contains(&word)
                || ALSO_EAST.contains(&word)
                || is_place(word)
                || ARTICLES.contains(&word)
        })
}

// Returns true if `before`, which stands before a path, ends with a word that makes it the place: "…, and in both".
pub(super) fn ends_with_place(before: &str) -> bool {
    let text = before.trim_end_matches([' ', '`', '*', '"']).to_lowercase();
    let mut words =
        text.rsplit(' ').filter(|word| !ARTICLES.contains(word) && *word != "both" || *word == "in");
    words.next().is_some_and(is_place)
}

// Returns true if the words before a code span have it become what follows: "bump `a==1` to `a==2`".
pub(super) fn modifies(before: &str) -> bool {
    if !MODIFIES.may_be_in(before) {
        return false;
    }
    let tail = tail(before).to_lowercase();
    let words = tail.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.rev().take(4).any(|word| MODIFIES.rows().contains(&word))
}

#[rustfmt::skip]
static MODIFIES: Phrases = Phrases::new(&[
    "bump", "upgrade", "downgrade", "update", "switch", "convert", "turn", "modify", "edit", "adjust", "correct", "fix", "pin", "set", "raise", "lower", "flip", "point", "move",
    "increase", "decrease", "reduce", "alter", "rewrite", "shift", "migrate", "aktualisiere", "hebe", "korrigiere", "erhöhe",
    "passe", "modifiez", "corrigez", "actualiza", "corrige", "modifica", "atualize", "aggiorna", "correggi", "обновите", "исправьте",
]);

/// Returns true if `between` stands between a text and what it ought to be.
pub(super) fn ought_to_be(between: &str) -> bool {
    const WORDS: &[&str] = &[
        "should be",
        "must be",
        "needs to be",
        "has to be",
        "ought to be",
        "should become",
        "should read",
        "must become",
        "needs to become",
        "has to become",
        "should be changed to",
        "must be changed to",
        "needs to be changed to",
        "has to be changed to",
        "should change to",
        "→",
        "->",
        "=>",
        "➜",
        "⟶",
        "➡️",
        "应为",
        "应该是",
        "应改为",
    ];
    // "`x` in `a.py` needs to be `y`": the file is said in between.
    let joint = between.rsplit('`').next().unwrap_or_default();
    WORDS.contains(&&*joint.trim_matches([' ', '*', ',', ':']).to_lowercase())
}

#[rustfmt::skip]
static SETS: Phrases = Phrases::new(&[
    "set", "increase", "decrease", "raise", "lower", "reduce", "bump", "setze", "erhöhe", "senke", "mettez", "définissez", "augmentez",
    "establece", "pon", "aumenta", "defina", "imposta", "установите",
]);

/// Returns true if the words before a code span set what it names.
pub(super) fn sets(before: &str) -> bool {
    if !SETS.may_be_in(before) {
        return false;
    }
    let tail = tail(before).to_lowercase();
    let is_filler = |word: &&str| {
        ARTICLES.contains(word)
            || ["value", "of", "option", "variable", "field", "key", "constant", "wert", "von", "de"]
                .contains(word)
    };
    let words = tail.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.rev().find(|word| !is_filler(word)).is_some_and(|word| SETS.rows().contains(&word))
}

/// Returns true if `label` calls what is listed below it files that go: "Files to delete:", "Remove these files:".
/// The second value is true if it only reports or permits that.
pub(super) fn lists_deletions(label: &str) -> Option<bool> {
    const STEMS: &[&str] = &[
        "delet",
        "remov",
        "lösch",
        "gelösch",
        "entfern",
        "supprim",
        "elimin",
        "borr",
        "exclu",
        "apag",
        "rimuov",
        "удал",
        "verwijder",
        "usuń",
        "usunąć",
    ];
    const FILES: &[&str] = &[
        "files",
        "file",
        "dateien",
        "datei",
        "fichiers",
        "fichier",
        "archivos",
        "archivo",
        "ficheros",
        "arquivos",
        "arquivo",
        "файлы",
        "файл",
        "bestanden",
        "pliki",
    ];
    const FEW: usize = 8;
    let text = label.trim();
    let leads = text.starts_with('#') || text.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']);
    let lower = text.to_lowercase();
    if !leads || NEGATIONS.are_in(&lower) {
        return None;
    }
    if ["删除", "刪除", "削除", "삭제"].iter().any(|word| lower.contains(word)) {
        let names = ["文件", "档案", "檔案", "ファイル", "파일"].iter().any(|word| lower.contains(word));
        return (names && text.chars().count() <= 3 * FEW).then_some(false);
    }
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let goes = |word: &&str| STEMS.iter().any(|stem| word.starts_with(stem));
    let is_so = words.len() <= FEW && words.iter().any(goes) && words.iter().any(|word| FILES.contains(word));
    let is_report =
        |word: &&str| goes(word) && word.ends_with("ed") || matches!(*word, "can" | "may" | "could");
    is_so.then(|| words.iter().any(is_report))
}

/// Returns true if the words around two code spans ask to replace the first with the second, in a script without
/// blanks: `把 a 改成 b`, `a を b に変更`.
pub(super) fn replaces_east(before: &str, between: &str, after: &str) -> bool {
    if between.is_ascii() {
        return false;
    }
    let verb = ["改为", "改成", "改為", "替换为", "替换成", "替換為", "换成", "換成"];
    let object = ["的", "将", "把", "將", "中", "里", "从"];
    let takes = ["将", "把", "將"];
    let is_said = |words: &str| words.trim_matches([' ', '`', '，', ',', '*']).to_owned();
    let (lead, joint, end) = (is_said(before), is_said(between), is_said(after));
    let chinese = verb.iter().any(|word| joint.ends_with(word))
        && (object.iter().any(|word| lead.ends_with(word))
            || takes.iter().any(|word| ending(&lead).contains(word)));
    let joins = ["を", "를", "을"].contains(&joint.as_str());
    let ends = [
        "に変更",
        "に置き換え",
        "に変え",
        "に修正",
        "로 변경",
        "으로 변경",
        "로 바꾸",
        "으로 바꾸",
        "로 수정",
    ];
    chinese || joins && ends.iter().any(|words| end.starts_with(words))
}

/// Returns true if `between`, between two code spans, asks to replace the first with the second.
pub(super) fn replaces_it(between: &str) -> bool {
    REPLACES_IT.are_in(between)
}

/// Returns true if `line`, or the words before what it asks for, ask for it under a condition, or against it.
pub(super) fn is_doubtful(line: &str) -> bool {
    static WORDS: Phrases = Phrases::new(&[
        "if",
        "unless",
        "don't",
        "do not",
        "not",
        "never",
        "could",
        "would",
        "might",
        "may",
        "instead of",
        "rather than",
        "optionally",
        "alternatively",
        "avoid",
        "wenn",
        "falls",
        "nicht",
        "könnte",
        "könntest",
        "optional",
        "si",
        "ne",
        "pourriez",
        "podría",
        "podrías",
        "no",
        "não",
        "se",
        "poderia",
        "если",
        "не",
    ]);
    WORDS.are_in(line) || has_east(line, &["如果", "不要", "可以选择", "もし", "しないで", "만약"])
}

/// Returns true if `sentence`, above commands, says that they are for some readers alone: "If you installed it before".
#[must_use]
pub fn is_conditional(sentence: &str) -> bool {
    static WORDS: Phrases =
        Phrases::new(&["if", "in case", "only if", "unless", "falls", "wenn", "si", "se", "caso", "если"]);
    let bare = bare(&without_code(sentence));
    WORDS.rows().iter().any(|words| starts_with_words(&bare, words))
        || ["如果", "もし", "만약"].iter().any(|word| sentence.trim_start().starts_with(word))
}

fn first_word(behind: &str) -> String {
    let word = behind.split_whitespace().next().unwrap_or_default();
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

// Returns true if `behind`, which follows a name, says what kind of definition it is.
pub(super) fn begins_with_kind(behind: &str) -> bool {
    let kinds = [
        "function", "method", "helper", "fixture", "test", "macro", "hook", "handler", "funktion", "methode",
    ];
    kinds.contains(&&*first_word(behind)) || holds(behind)
}

// Returns true if `behind`, which follows a name, calls it a definition that holds others.
pub(super) fn holds(behind: &str) -> bool {
    let kinds = [
        "class",
        "struct",
        "module",
        "trait",
        "interface",
        "enum",
        "object",
        "impl",
        "klasse",
        "classe",
        "clase",
        "namespace",
        "protocol",
        "extension",
    ];
    kinds.contains(&&*first_word(behind))
}

// Returns true if `after`, which follows a name, goes on with where it is: "in `a.py`".
pub(super) fn is_place(after: &str) -> bool {
    const IN: &[&str] = &["in", "inside", "within", "of", "from", "en", "dans", "em", "nella", "nel"];
    IN.contains(&&*first_word(after))
}

// Returns true if `after`, which follows a name, goes on with what something is for.
pub(super) fn is_purpose(after: &str) -> bool {
    const FOR: &[&str] = &["for", "so", "that", "which", "to", "für", "pour", "para", "per", "для"];
    FOR.contains(&&*first_word(after))
}

// Returns true if the words at the end of `before` put something into what follows them.
pub(super) fn is_within(before: &str) -> bool {
    const INTO: &[&str] = &[
        "to",
        "into",
        "in",
        "inside",
        "within",
        "in der",
        "in die",
        "zur",
        "dans",
        "à",
        "a",
        "en",
        "em",
        "à classe",
    ];
    let lower = tail(before).to_lowercase();
    let text = lower.trim_end_matches([' ', '`', '*']);
    let text = ["the", "your", "existing", "der", "die", "la", "le", "el", "o"]
        .iter()
        .find(|article| ends_with_words(text, article))
        .map_or(text, |article| text[..text.len() - article.len()].trim_end());
    INTO.iter().any(|words| ends_with_words(text, words))
}

#[rustfmt::skip]
static AFTER: Phrases = Phrases::new(&[
    "after", "below", "under", "underneath", "beneath", "following", "between", "zwischen", "entre", "nach", "hinter", "unter", "unterhalb von", "après", "sous", "después de", "tras", "debajo de",
    "depois de", "após", "abaixo de", "dopo", "sotto", "na", "efter", "po", "za", "sonra", "setelah", "sau", "после", "під", "після",
]);

#[rustfmt::skip]
static BEFORE: Phrases = Phrases::new(&[
    "before", "above", "vor", "über", "oberhalb von", "avant", "au-dessus de", "antes de", "encima de", "acima de", "prima di", "sopra", "voor", "före", "przed", "před",
    "nad", "sebelum", "trước", "перед", "над",
]);

// Returns true if `text`, below code, begins with what that code replaces: "replaces `old()`".
pub(super) fn says_replaced(text: &str) -> bool {
    #[rustfmt::skip]
    static WORDS: Phrases = Phrases::new(&[
        "replaces", "this replaces", "it replaces", "replacing", "instead of", "in place of", "was", "previously", "ersetzt", "statt", "anstelle von", "vorher", "remplace",
        "au lieu de", "reemplaza", "en lugar de", "substitui", "em vez de", "sostituisce", "invece di", "вместо", "заменяет",
    ]);
    if text.is_ascii() && !WORDS.may_begin(text.as_bytes()) {
        return false;
    }
    let start = text[..text.floor_char_boundary(24)].to_lowercase();
    WORDS.rows().iter().any(|words| starts_with_words(&start, words))
        || ["替换", "取代", "代替", "置き換え", "교체"].iter().any(|word| text.starts_with(word))
}

/// Returns true if `line` may say beside what something goes: a cheap check.
#[must_use]
pub fn may_place(line: &str) -> bool {
    let is_east = |c: char| ('\u{2e80}'..='\u{ffef}').contains(&c);
    AFTER.are_in(line) || BEFORE.are_in(line) || !line.is_ascii() && line.contains(is_east)
}

// Returns true if `line` leads to the code below it.
pub(super) fn leads_to_code(line: &str) -> bool {
    line.trim_end_matches([' ', '*', '_', '`']).ends_with([':', '：'])
}

/// Returns whether the text is to stand after the code span between `before` and `after` (`true`) or before it;
/// `None` if the words give no such place.
#[must_use]
pub fn beside(before: &str, after: &str) -> Option<bool> {
    const BETWEEN: &[&str] = &[
        "the",
        "line",
        "right",
        "just",
        "existing",
        "der",
        "die",
        "das",
        "dem",
        "zeile",
        "la",
        "le",
        "ligne",
        "el",
        "línea",
        "o",
        "a",
        "linha",
        "riga",
        "строки",
        "call",
        "statement",
        "import",
        "your",
        "rule",
        "closing",
        "function",
        "method",
        "funktion",
        "methode",
        "fonction",
        "méthode",
        "función",
        "método",
        "função",
        "funzione",
        "metodo",
        "функции",
        "метода",
    ];
    // "**after** `x`"
    let lower = tail(before).to_lowercase().replace(['*', '_'], "");
    let mut text = lower.trim_end();
    for _ in 0..3 {
        if AFTER.rows().iter().any(|words| ends_with_words(text, words)) {
            return Some(true);
        }
        if BEFORE.rows().iter().any(|words| ends_with_words(text, words)) {
            return Some(false);
        }
        let Some(word) = BETWEEN.iter().find(|word| ends_with_words(text, word)) else { break };
        text = text[..text.len() - word.len()].trim_end();
    }
    // "`.box` 规则后面"
    const KINDS: &[&str] = &[
        "规则",
        "函数",
        "函數",
        "方法",
        "类",
        "组件",
        "语句",
        "这一行",
        "那一行",
        "行",
        "标签",
        "元素",
        "语句",
        "的",
        "規則",
        "メソッド",
        "関数",
        "메서드",
        "함수",
    ];
    let mut behind = after.trim_start_matches([' ', '*']);
    while let Some(rest) = KINDS.iter().find_map(|kind| behind.strip_prefix(kind)) {
        behind = rest;
    }
    let starts = |words: &[&str]| words.iter().any(|word| behind.starts_with(word));
    #[rustfmt::skip]
    const BEHIND: &[&str] = &[
        "之后", "后面", "之後", "後面", "后添加", "后加入", "后插入", "下面", "下方", "の後", "のあと", "の下", "の直後", "뒤에", "다음에", "아래",
    ];
    if starts(BEHIND) {
        return Some(true);
    }
    starts(&[
        "之前",
        "前面",
        "前添加",
        "前加入",
        "前插入",
        "上面",
        "上方",
        "の前",
        "の上",
        "の直前",
        "앞에",
        "위에",
    ])
    .then_some(false)
}

// Returns true if `after`, which follows the name of a place, goes on with what is put there: "Folgendes hinzu", "statement, add".
pub(super) fn goes_on_behind_place(after: &str) -> bool {
    #[rustfmt::skip]
    const GOES_ON: &[&str] = &[
        "statement", "call", "line", "block", "declaration", "definition", "and", "und", "et", "y", "e", "и", "folgendes", "folgende", "folgenden", "diese", "dieses", "diesen", "den", "die", "das",
        "eine", "einen", "ein", "la", "le", "les", "el", "lo", "los", "esto", "ceci", "следующее", "это",
    ];
    let word = first_word(after);
    GOES_ON.contains(&&*word) || ADDS.rows().contains(&&*word)
}

// Returns true if the words at the end of `before` put something under what follows them.
pub(super) fn is_under(before: &str) -> bool {
    const UNDER: &[&str] = &["under", "underneath", "unter", "sous", "bajo", "debajo de", "sob", "sotto"];
    let lower = tail(before).to_lowercase();
    let text = lower.trim_end_matches([' ', '`', '*', '"']);
    let article =
        ["the", "der", "dem", "la", "le", "el"].iter().find(|article| ends_with_words(text, article));
    let text = article.map_or(text, |article| text[..text.len() - article.len()].trim_end());
    UNDER.iter().any(|words| ends_with_words(text, words))
}

// Returns true if the words at the end of `before` rename what follows them.
pub(super) fn is_renamed(before: &str) -> bool {
    let lower = tail(before).to_lowercase();
    let text = lower.trim_end_matches([' ', '`', '*']);
    ["rename", "renaming", "rename the function", "rename the method"]
        .iter()
        .any(|words| ends_with_words(text, words))
}

// Returns true if `joint`, between two names, makes the first a part of the second.
pub(super) fn is_of(joint: &str) -> bool {
    const OF: &[&str] =
        &["of", "of the", "in", "in the", "von", "der", "de", "du", "de la", "di", "do", "da"];
    OF.contains(&&*joint.trim().to_lowercase())
}

// Returns true if `line` puts something before the statement with which a function returns, without code for that.
pub(super) fn is_before_return(line: &str) -> bool {
    #[rustfmt::skip]
    static WORDS: Phrases = Phrases::new(&[
        "before the return", "before the final return", "before the last return", "before it returns", "before returning", "above the return", "above the final return", "vor dem return",
        "vor der rückgabe", "avant le return", "avant le retour", "antes del return", "antes de retornar", "antes do return", "prima del return",
    ]);
    has_any(line, &WORDS, &["return 之前", "return 前", "返回之前", "返回前", "return の前"])
}

/// `line` without the words with which it urges to what follows: "Don't forget to".
pub(super) fn without_urging(line: &str) -> &str {
    const URGES: &[&str] = &[
        "don't forget to ",
        "don’t forget to ",
        "do not forget to ",
        "remember to ",
        "make sure to ",
        "make sure you ",
        "be sure to ",
        "you need to ",
        "you'll need to ",
        "you’ll need to ",
        "you will need to ",
        "you have to ",
        "you must ",
        "you should ",
        "you also need to ",
        "you should also ",
        "then ",
        "also ",
        "and ",
        "finally, ",
        "next, ",
        "please ",
        "vergiss nicht, ",
        "vergessen sie nicht, ",
        "n'oubliez pas d'",
        "n’oubliez pas d’",
        "n'oubliez pas de ",
        "n’oubliez pas de ",
        "no olvides ",
        "não esqueça de ",
        "не забудьте ",
    ];
    let mut text = line.trim_start_matches(|c: char| !c.is_alphabetic() && c != '`');
    // Most lines differ in their first byte from every row.
    let begins = |text: &str, urge: &str| {
        text.as_bytes().first().is_some_and(|first| first.eq_ignore_ascii_case(&urge.as_bytes()[0]))
            && text
                .as_bytes()
                .get(..urge.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(urge.as_bytes()))
    };
    while let Some(urge) = URGES.iter().find(|urge| begins(text, urge)) {
        text = &text[urge.len()..];
    }
    text
}

/// Returns true if `line` says that it is about the file before it.
pub(super) fn is_same_file(line: &str) -> bool {
    static SAME: Phrases = Phrases::new(&[
        "same file",
        "derselben datei",
        "dieselbe datei",
        "même fichier",
        "mismo archivo",
        "mesmo arquivo",
        "stesso file",
        "том же файле",
    ]);
    SAME.are_in(line) || has_east(line, &["同一个文件", "同一文件", "同じファイル", "같은 파일"])
}

// Returns true if `line` begins with a verb that changes something, or a clause of it does: "Remove `x`", "you should raise it".
pub(super) fn asks_for_change(line: &str) -> bool {
    const VERBS: [&Phrases; 5] = [&DELETES, &REPLACES, &ADDS, &SETS, &MODIFIES];
    line.split(". ").flat_map(|sentence| sentence.split([',', ':', '，', '：', '。'])).any(|clause| {
        // A verb in code is a name.
        let text = clause.trim_start_matches(|c: char| !c.is_alphabetic() && c != '`');
        let start = text[..text.floor_char_boundary(60)].to_lowercase();
        let start = without_request(&start);
        if IN_WORDS.rows().iter().any(|words| starts_with_words(start, words)) {
            return true;
        }
        let verb = start.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        !verb.ends_with("ed") && VERBS.iter().any(|table| table.rows().contains(&verb))
    })
}

// Returns `clause` without the words by which it has the reader do something: "then you should also".
fn without_request(clause: &str) -> &str {
    const REQUESTS: &[&str] = &[
        "you should",
        "you need to",
        "you have to",
        "you must",
        "you'll need to",
        "you'll want to",
        "you will need to",
        "please",
        "also",
        "then",
        "and",
        "finally",
        "lastly",
        "additionally",
        "next",
        "just",
        "simply",
        "auch",
        "noch",
        "bitte",
        "dann",
        "außerdem",
    ];
    let mut rest = clause.trim_start();
    while let Some(request) = REQUESTS.iter().find(|request| starts_with_words(rest, request)) {
        rest = rest[request.len()..].trim_start();
    }
    rest
}

pub(super) fn operation(line: &str) -> Option<(Operation, usize)> {
    let bytes = line.as_bytes();
    let is_plain = bytes.iter().take(4).all(u8::is_ascii);
    if is_plain && !DELETES.may_begin(bytes) && !MOVES.may_begin(bytes) {
        return None;
    }
    let end = line.floor_char_boundary(40);
    // Lower case has the length of the letters here; a line for which it has not begins with no such words.
    let lower = line[..end].to_lowercase();
    if lower.len() != end {
        return None;
    }
    let first = lower.as_bytes().first().copied();
    let starts = |words: &&str| {
        // Most lines differ in their first byte from every row.
        if words.as_bytes().first().copied() != first {
            return None;
        }
        let rest = lower.strip_prefix(*words)?;
        // `delete_account.css` is a name.
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let ends = !words.is_ascii() || !rest.starts_with(goes_on);
        ends.then_some(words.len())
    };
    let delete = DELETES.rows().iter().filter_map(starts).max().map(|length| (Operation::Delete, length));
    delete.or_else(|| MOVES.rows().iter().filter_map(starts).max().map(|length| (Operation::Move, length)))
}

// The places in [`OF_LINES`].
pub(super) const BEHIND_PATHS: usize = 0;
pub(super) const STATING: usize = 1;
pub(super) const EMPTYING: usize = 2;
pub(super) const CHANGING: usize = 3;
pub(super) const DELETING: usize = 4;
pub(super) const SETTING: usize = 5;

/// The first words of what a line says behind a path, in ASCII: most lines have none.
#[rustfmt::skip]
static SAYS_BEHIND: Phrases = Phrases::new(&[
    "delete", "deleted", "remove", "removed", "dropped", "renamed", "moved", "git rm", "git mv", "rm", "mv", "entfernt", "entfernen", "umbenannt",
    "becomes", "should be called", "renommé", "verschoben", "supprimer", "eliminar", "eliminado", "eliminarse", "borrar", "borrado", "removido", "renombrado", "renomeado", "movido", "excluir",
    "apagar", "apagado", "rimosso", "rimossi", "rimuovere", "eliminato", "eliminare", "rinominato", "spostato",
]);

// What the readers of a line of prose look for in it.
static OF_LINES: PhraseGroups = {
    static OUGHT: Phrases = Phrases::new(&["should", "must be", "needs to", "has to", "ought"]);
    PhraseGroups::new(&[
        &[&SAYS_BEHIND],
        &[&DELETES, &REPLACES, &ADDS, &SETS, &OUGHT, &IN_WORDS, &USES, &HALVES, &MODIFIES],
        &[&EMPTY],
        &[&DELETES, &REPLACES, &ADDS, &IN_WORDS, &SETS, &MODIFIES],
        &[&DELETES],
        &[&SETS],
    ])
};

// Returns the phrases that `line` of prose may have.
pub(super) fn phrases_of(line: &str) -> MayHave {
    OF_LINES.may_be_in(line)
}

// Returns true if `line` may show code, or quote: a cheap check.
pub(super) fn may_show(line: &str) -> bool {
    let bytes = line.as_bytes();
    memchr::memchr3(b'`', b'"', 0xe2, bytes).is_some()
        || memchr::memchr_iter(b'*', bytes).any(|at| bytes.get(at + 1) == Some(&b'*'))
}

// Returns true if `line`, which may have `phrases` and shows code, may say what to remove or to replace: a cheap check.
pub(super) fn may_state(line: &str, phrases: MayHave) -> bool {
    // `->`, `=>`, `~~`
    let is_sign = |at: usize| match line.as_bytes() {
        bytes if bytes[at] == b'~' => bytes.get(at + 1) == Some(&b'~'),
        bytes => at > 0 && matches!(bytes[at - 1], b'-' | b'='),
    };
    line.starts_with('|')
        || phrases.of(STATING)
        || memchr::memchr2_iter(b'>', b'~', line.as_bytes()).any(is_sign)
}

// Words of a label that gives the old text of a replacement, or the new one.
#[rustfmt::skip]
static HALVES: Phrases = Phrases::new(&[
    "old", "before", "original", "find", "from", "current", "currently", "search", "search for", "replace", "was", "existing", "locate", "vorher", "alt", "suche", "avant",
    "ancien", "antes", "antiguo", "antigo", "prima", "было", "до", "new", "after", "updated", "to", "with", "replace with", "change to", "replace by", "replacement", "becomes",
    "fixed", "now", "nachher", "neu", "ersetze durch", "après", "nouveau", "después", "nuevo", "depois", "novo", "dopo", "nuovo", "стало", "после",
]);
// The first of those that give the new one.
const NEW_HALF: &str = "new";
const HALVES_EAST: [&[&str]; 2] = [
    &["修改前", "变更前", "旧", "原", "原来", "查找", "変更前", "修正前", "변경 전", "수정 전"],
    &["修改后", "变更后", "新", "改为", "替换为", "変更後", "修正後", "변경 후", "수정 후"],
];

// Returns true if `before`, all that is before a code span, calls that the old text: "- Old: ".
pub(super) fn is_old_half(before: &str) -> bool {
    is_half(before, false)
}

// Returns true if `before` calls what follows it the new text.
pub(super) fn is_new_half(before: &str) -> bool {
    is_half(before, true)
}

fn is_half(before: &str, new: bool) -> bool {
    let label = before.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let rows = HALVES.rows();
    let at = rows.iter().position(|row| *row == NEW_HALF).unwrap_or(rows.len());
    let rows = if new { &rows[at..] } else { &rows[..at] };
    rows.contains(&&*label) || HALVES_EAST[usize::from(new)].contains(&&*label)
}

// Verbs that have one thing used in the place of another.
#[rustfmt::skip]
static USES: Phrases = Phrases::new(&[
    "use", "write", "using", "call", "put", "pass", "have", "verwende", "nutze", "benutze", "schreibe", "utilisez", "utilise", "usa", "utiliza", "utilize", "используйте",
    "используй", "应该使用", "使用", "请使用",
]);

// Returns true if the words before and between two code spans ask for the first in the place of the second.
pub(super) fn is_instead_of(before: &str, between: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "instead of", "rather than", "in place of", "and not", "not", "statt", "anstatt", "anstelle von", "au lieu de", "plutôt que", "en lugar de", "en vez de", "em vez de",
        "invece di", "вместо", "而不是", "代替",
    ];
    let joint = between.trim_matches([' ', '`', '*', ',', '，']).to_lowercase();
    if !WORDS.contains(&&*joint) {
        return false;
    }
    let tail = tail(before).to_lowercase();
    let last = tail.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty());
    last.is_some_and(|last| USES.rows().contains(&last))
}

// Returns true if the words before and between two code spans strike the first out: "~~`a`~~ **`b`**".
pub(super) fn strikes_out(before: &str, between: &str) -> bool {
    let rest = between.trim_start_matches('~').trim_matches(['*', '_', ' ', '→', '-', '>']);
    before.ends_with("~~") && between.starts_with("~~") && rest.is_empty()
}

// Words above code that go on with the code before it, and that say that there is more to come.
#[rustfmt::skip]
static GOES_ON: Phrases = Phrases::new(&[
    "continued", "continuing", "continuation", "continue", "rest of the file", "rest of the code", "rest of the class", "rest of it", "remaining part", "remaining code",
    "remainder", "second half", "second part", "the rest", "fortsetzung", "rest der datei", "der rest", "zweiter teil", "suite", "la suite", "continuación", "el resto",
    "continuação", "o resto", "continua", "il resto", "продолжение", "остальная часть",
]);
const GOES_ON_EAST: &[&str] = &["续", "接上", "剩余部分", "其余部分", "続き", "残り", "계속", "나머지"];

// Returns true if `line` says that the code below it goes on where the code above ended.
pub(super) fn continues(line: &str) -> bool {
    #[rustfmt::skip]
    static STAYS: Phrases = Phrases::new(&[
        "unchanged", "same", "stays", "stay", "remains", "remain", "as before", "as it is", "no changes", "unverändert", "bleibt", "inchangé", "igual",
    ]);
    let numbered = part_of(line).is_some_and(|(part, _)| part > 1);
    numbered || has_any(line, &GOES_ON, GOES_ON_EAST) && !STAYS.are_in(line)
}

// Returns true if `line`, below code, says no more than that it goes on elsewhere: "[continued in next message]". "This test
// suite covers:", "The rest continues to work" say something of it.
pub(super) fn is_continued(line: &str) -> bool {
    #[rustfmt::skip]
    const WHERE: &[&str] = &[
        "in", "the", "next", "message", "part", "response", "reply", "answer", "code", "file", "this", "below", "above", "from", "of", "to", "be", "is", "will", "here", "block",
        "section", "here's", "nächsten", "teil", "nachricht", "folgt", "wird", "im", "der", "die", "unten", "dans", "le", "la", "prochain", "message", "en", "el", "siguiente",
        "mensaje", "na", "próxima", "mensagem", "nel", "prossimo", "messaggio", "в", "следующем", "сообщении",
    ];
    // A few signs in scripts without blanks.
    const SHORT: usize = 8;
    let line = line.trim();
    let text = line.trim_matches(|c: char| !c.is_alphanumeric());
    if text.chars().count() > 60 {
        return false;
    }
    if text.chars().any(is_east_asian) {
        return text.chars().count() <= SHORT && GOES_ON_EAST.iter().any(|word| text.contains(word));
    }
    let is_enclosed = line.starts_with(['[', '(']) && line.ends_with([']', ')']);
    let lower = text.to_lowercase();
    let is_said = |word: &str| {
        WHERE.contains(&word) || CONTINUED.rows().iter().any(|row| row.split(' ').any(|one| one == word))
    };
    CONTINUED.are_in(text)
        && (is_enclosed
            || lower
                .split(|c: char| !(c.is_alphanumeric() || c == '\''))
                .filter(|word| !word.is_empty())
                .all(is_said))
}

#[rustfmt::skip]
static CONTINUED: Phrases = Phrases::new(&[
    "continued", "continues", "to be continued", "continued below", "fortsetzung", "wird fortgesetzt", "à suivre", "suite", "continuará", "continúa", "continua", "продолжение",
]);

// The part and the number of parts that `line` gives: "part 1 of 2", "(2/3)".
pub(super) fn part_of(line: &str) -> Option<(u32, u32)> {
    const PARTS: &[&str] = &["part ", "teil ", "partie ", "parte ", "часть "];
    let lower = line.to_lowercase();
    let at = PARTS.iter().find_map(|word| lower.find(word).map(|at| at + word.len()))?;
    let number =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?.parse().ok();
    let rest = lower[at..].trim_start();
    let part: u32 = number(rest.get(..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))?)?;
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = behind.trim_start();
    let joins =
        ["of", "/", "von", "sur", "de", "di", "из"].iter().find_map(|word| behind.strip_prefix(word))?;
    let count: u32 = number(joins)?;
    (part >= 1 && part <= count).then_some((part, count))
}

#[rustfmt::skip]
static EMPTY: Phrases = Phrases::new(&[
    "empty", "blank", "leere", "leeren", "vide", "vides", "vacío", "vacíos", "vazio", "vazios", "vuoto", "vuoti", "пустой", "пустые",
]);

pub(super) fn makes_empty(text: &str) -> bool {
    has_any(text, &EMPTY, &["空"]) && (has_any(text, &NEW, NEW_EAST) || adds(text)) && !is_doubtful(text)
}

// Returns true if `behind` a path no more is said than that the file is empty: "(leave it empty)", "– empty file".
pub(super) fn is_empty_remark(behind: &str) -> bool {
    #[rustfmt::skip]
    const OTHERS: &[&str] = &[
        "leave", "it", "this", "keep", "file", "an", "a", "the", "stay", "stays", "be", "is", "new", "just", "intentionally", "left", "as", "datei", "lassen", "bleibt", "leer",
        "fichier", "laisser", "archivo", "dejar", "arquivo", "deixe", "файл", "оставить", "文件", "ファイル",
    ];
    let text = behind.trim_start_matches(['`', '*', '_', ' ']);
    let lower = text.to_lowercase();
    let is_said =
        |word: &str| OTHERS.contains(&word) || EMPTY.rows().contains(&word) || word.starts_with('空');
    text.starts_with(['(', '（', '–', '—', '-', ':', '：'])
        && (has_any(text, &EMPTY, &["空"]) || lower.contains("leer"))
        && lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(is_said)
}

// Returns true if `header`, the first row of a table, has a column of old names and then one of new ones.
pub(super) fn renames(header: &str) -> bool {
    #[rustfmt::skip]
    static OLD_NAMES: Phrases = Phrases::new(&["old", "from", "current", "alt", "alter", "ancien", "anterior", "antigo", "vecchio", "старое", "старый"]);
    #[rustfmt::skip]
    static NEW_NAMES: Phrases = Phrases::new(&["new", "to", "neu", "neuer", "nouveau", "nuevo", "novo", "nuovo", "новое", "новый", "rename to"]);
    let mut cells = header.split('|').map(str::trim).filter(|cell| !cell.is_empty());
    let (Some(old), Some(new), None) = (cells.next(), cells.next(), cells.next()) else { return false };
    let is = |cell: &str, names: &Phrases, east: &[&str]| cell.len() < 30 && has_any(cell, names, east);
    is(old, &OLD_NAMES, &["旧", "原"]) && is(new, &NEW_NAMES, &["新"])
}

// Returns true if `line` calls the code below it all of the file once more.
pub(super) fn is_whole_again(line: &str) -> bool {
    #[rustfmt::skip]
    static WHOLE: Phrases = Phrases::new(&[
        "complete file", "full file", "entire file", "whole file", "complete code", "full code", "complete version", "full version", "corrected version", "file again",
        "ganze datei", "vollständige datei", "fichier complet", "archivo completo", "arquivo completo", "полный файл",
    ]);
    has_any(line, &WHOLE, &["完整", "全体", "完全な", "전체"])
}

// Verbs of a change that is stated in words alone.
#[rustfmt::skip]
static IN_WORDS: Phrases = Phrases::new(&[
    "rename", "comment out", "uncomment", "kommentiere", "benenne", "renommez", "commentez", "renombra", "comenta", "renomeie", "comente", "rinomina", "commenta", "закомментируйте",
    "раскомментируйте", "переименуйте",
]);

pub(super) fn may_replace(line: &str) -> bool {
    REPLACES.may_be_in(line)
}

pub(super) fn says_removal(line: &str) -> bool {
    DELETES.are_in(line) || REMOVES.are_in(line)
}

pub(super) fn removes(before: &str) -> bool {
    removes_what(before, &["function", "method", "definition"])
}

// Returns true if the words at the end of `before` ask to remove the text that follows them, or its line.
pub(super) fn removes_text(before: &str) -> bool {
    const LINES: &[&str] =
        &["line", "call", "statement", "zeile", "ligne", "línea", "linha", "riga", "строку"];
    let is_report = ["removed", "deleted", "dropped", "entfernt", "gelöscht", "supprimé", "eliminado"];
    let lower = || tail(before).to_lowercase();
    removes_what(before, LINES) && !is_report.iter().any(|word| lower().contains(word))
}

// Returns true if `before` goes on to delete what follows it: "Inline them and delete".
pub(super) fn goes_with(before: &str) -> bool {
    const JOINTS: &[&str] = &["and", "then", "und", "dann", "et", "puis", "y", "luego", "e", "poi", "и"];
    // A name in code is no verb: "Update `add` and `drop` in".
    let outside: Vec<&str> = before.split('`').step_by(2).collect();
    let tail = tail(&outside.join("`")).to_lowercase();
    let mut words = tail.split(|c: char| !c.is_alphanumeric()).rev().filter(|word| !word.is_empty());
    let verb = words.by_ref().find(|word| !ARTICLES.contains(word)).unwrap_or_default();
    DELETES.rows().contains(&verb)
        && !verb.ends_with("ed")
        && words.next().is_some_and(|joint| JOINTS.contains(&joint))
}

fn removes_what(before: &str, kinds: &[&str]) -> bool {
    if !DELETES.may_be_in(before) {
        return false;
    }
    let tail = tail(before).to_lowercase();
    if NEGATIONS.are_in(&tail) {
        return false;
    }
    let mut text = tail.trim_end_matches([' ', '`', '*', '"']);
    for _ in 0..3 {
        if DELETES.rows().iter().any(|words| ends_with_words(text, words)) {
            return true;
        }
        let Some(word) = ARTICLES.iter().chain(kinds).find(|word| ends_with_words(text, word)) else {
            return false;
        };
        text = text[..text.len() - word.len()].trim_end_matches([' ', '`', '*', '"']);
    }
    false
}

/// Returns true if `between`, which follows the words of an operation, says nothing else.
pub(super) fn is_filler(between: &str) -> bool {
    let words = between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.into_iter().all(|word| FILLERS.contains(&&*word.to_lowercase()))
}

pub(super) fn is_to(between: &str) -> bool {
    let text = between
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '"' | '(' | ')'))
        .to_lowercase();
    TO.contains(&&*text)
}

pub(super) fn asks(line: &str) -> bool {
    has_any(line, &ASKS, ASKS_EAST)
}

/// Returns true if `line` asks the user to show what stands below it.
pub(super) fn asks_to_see(line: &str) -> bool {
    line.len() <= 600 && has_any(line, &ASKS_TO_SEE, ASKS_TO_SEE_EAST)
}

/// Returns true if `line`, one of the last, asks whether to go ahead.
pub(super) fn asks_leave(line: &str) -> bool {
    line.contains(['?', '？']) && has_any(line, &ASKS_LEAVE, ASKS_LEAVE_EAST)
}

pub(super) fn asks_for_decision(line: &str) -> bool {
    #[rustfmt::skip]
    const MAKE: &[&str] = &[
        "go ahead", "proceed", "apply it", "apply this", "apply that", "apply these", "make this change", "make these changes", "make the change",
        "fix it", "fix this", "fix that", "do it", "do this", "do that", "implement this", "implement it", "implement that", "implement these",
        "add this", "add these", "create this", "create these", "write this", "set this up", "set it up",
    ];
    #[rustfmt::skip]
    const WHICH: &[&str] = &[
        "which one", "which of these", "which of the", "which option", "which approach", "which version", "which do you prefer", "which would you",
        "what should i do with",
    ];
    if !line.contains(['?', '？']) {
        return false;
    }
    let lower = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(WHICH) || asks_leave(line) && has(MAKE)
}

pub(super) fn is_button(line: &str) -> bool {
    line.len() < 40
        && line.starts_with(char::is_alphabetic)
        && BUTTONS.iter().any(|button| button.len() == line.len() && button.eq_ignore_ascii_case(line))
}

/// Returns true if `c` is of a script that writes no blanks between words.
pub(super) fn is_east_asian(c: char) -> bool {
    matches!(u32::from(c), 0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff | 0x0e00..=0x0e7f)
}
