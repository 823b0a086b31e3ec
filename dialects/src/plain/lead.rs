//! What the words above a candidate say of it: that it is done, under a condition, or not at all.
//!
//! ````text
//! Never do this:            Against: a note, whatever the form
//! If the tests fail:        Condition: a question at most
//! A colleague suggested:    Report: a note
//! ````
//!
//! One table of words ([`ROWS`], in [`super::tables`]) with what they say, and one reading of a line by its clauses. Every form asks here.
//!
//! What nobody is asked about needs words that want it ([`is_wanted`]): a sentence of which the table knows nothing may
//! say anything of the code below it.
//!
//! ````text
//! Here's the updated `a.py`:      wanted
//! ### 2. `a.py` (server)          wanted: a label says where, and no more
//! The installer writes `a.py`:    a question at most
//! ````

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::clause::{CODE, Clause, Clauses, begins_with, first_word};
use super::phrases::{Phrases, WordHash};
use super::project;
pub(crate) use super::tables::lead::Lead;
use super::tables::lead::{
    ADDRESSES, ALONE, AUXILIARIES, BEFORE, DEEDS, DOUBTS, EAST, EAST_DOES, EAST_DOUBTS, EAST_REVOKES,
    EAST_WANTS, EXPLAINS, FOR_READERS, FORBID, IF, LABELS, LIKE, MAKERS, NOTATION, PLAIN, READER, REJECTED,
    REMARKS, REVOKES, ROWS, SAMPLES, SHOWN, SUBORDINATE, Says, TO_BE, TURNS, WEAK,
};
use super::tables::standing::{HERE, RESTRICTING, THIS};
use crate::file_name::list_item;

pub(super) const LINE: usize = 600;

#[rustfmt::skip]
static OTHER_PROJECTS: Phrases = Phrases::new(&[
    "for new projects", "for other projects", "for future projects", "for your next project", "for any project", "project template", "template project", "starter template",
    "für neue projekte", "für andere projekte", "projektvorlage", "pour de nouveaux projets", "pour d'autres projets", "modèle de projet", "para nuevos proyectos",
    "para otros proyectos", "plantilla de proyecto", "para novos projetos", "para outros projetos", "per nuovi progetti", "для новых проектов", "для других проектов",
]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Code,
    /// A deletion, a move, a replacement in words, commands.
    Deed,
}

/// The most words of a heading or an item that names a file and says what it is.
const LABEL: usize = 8;

type LeadTable = HashMap<&'static str, Vec<(&'static str, Says)>, BuildHasherDefault<WordHash>>;

/// The rows by their first words.
static TABLE: LazyLock<LeadTable> = LazyLock::new(|| {
    let mut table = LeadTable::default();
    for (says, phrases) in ROWS {
        for phrase in *phrases {
            let first = phrase.split(' ').next().unwrap_or(phrase);
            table.entry(first).or_default().push((phrase, *says));
        }
    }
    table
});

// Returns true if `line` calls what it leads to a text for other readers: "Here's the draft of your blog post:".
pub(super) fn is_for_readers(line: &str) -> bool {
    FOR_READERS.are_in(line)
}

const NO: &[&str] = &["no", "nein", "non", "não", "нет", "nee", "nie"];

// Words with which a heading asks for reasons.
const WHY: &[&str] = &[
    "why",
    "warum",
    "wieso",
    "weshalb",
    "pourquoi",
    "por qué",
    "por que",
    "perché",
    "почему",
    "зачем",
    "为什么",
    "なぜ",
    "왜",
];

// Returns what the heading `line` says of its section: whether it is about what is there already, or about reasons.
pub(super) fn of_section(line: &str) -> Lead {
    #[rustfmt::skip]
    const SECTIONS: &[&str] = &[
        "problem", "problems", "issue", "status quo", "cause", "background", "context",
        "symptom", "symptoms", "what you have", "your code", "your file", "review", "analysis", "diagnosis",
        "problembeschreibung", "ist-zustand", "aktueller stand", "ursache", "problème", "état actuel", "problema", "estado actual",
        "estado atual", "проблема", "причина", "问题", "现状", "問題", "現状", "문제",
    ];
    let text = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let text = text.strip_prefix("the ").unwrap_or(text);
    match text {
        _ if OTHER_PROJECTS.are_in(text) => Lead::Report,
        _ if text.starts_with("current ") || text.starts_with("existing ") => Lead::Report,
        // "Why all three files?" is answered by what each is for.
        _ if asks(line.trim())
            && WHY.iter().any(|why| begins_with(text, why) || !why.is_ascii() && text.starts_with(why)) =>
        {
            Lead::Report
        }
        _ if SECTIONS.contains(&text) || text.starts_with("root cause") => Lead::Condition,
        _ => Lead::Open,
    }
}

/// Returns true if `line`, which leads to code or names its file, says that it is to be: nobody has to be asked.
pub(super) fn is_wanted(line: &str, subject: Subject) -> bool {
    let text = leading_sentence(line).trim();
    if text.len() > LINE {
        return false;
    }
    if project::of_line(text).is_some() {
        return false;
    }
    let clauses = Clauses::of(text);
    // "Don't use a global, use this `a.py`:"
    if clauses.iter().next_back().is_some_and(has_done_first) && !asks(text) {
        return true;
    }
    // A heading names the fault that is mended: "### 1. Wrong import in `a.py`".
    let is_marked = text.starts_with(['#', '*', '|', '<', '=']) || list_item(text).is_some();
    if doubts(text, !is_marked) {
        return false;
    }
    if clauses.iter().any(is_made_by_program) {
        return false;
    }
    let words: Vec<&str> = clauses.words().collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = |word: &str| {
        let of_deeds = subject == Subject::Deed && DEEDS.has(word);
        word == CODE || is_number(word) || of_deeds || PLAIN.has(word)
    };
    // A sentence of its own that says nothing is led to by the one before.
    if words.iter().all(|word| is_plain(word)) {
        return line.len() <= LINE && !doubts(line, !is_marked);
    }
    if words.iter().any(|word| has_done(word)) || shows_what_is_to_be(&words) {
        return true;
    }
    if !text.is_ascii() && EAST_DOES.iter().any(|word| text.contains(word)) {
        return true;
    }
    // "`a.py` — the loader", "`a.py` (server)"
    let mut each = clauses.iter();
    let says_what = each.next().is_some_and(|first| first.words().all(is_plain)) && each.next().is_some();
    subject == Subject::Code
        && (is_marked || says_what)
        && words.iter().filter(|word| !is_plain(word)).count() <= LABEL
}

/// Returns true if the last sentence of `line` says that what it leads to may be, that it was, or that it is not.
pub(super) fn is_doubted(line: &str) -> bool {
    has_doubt(leading_sentence(line))
}

// Returns true if `clause` begins with what is done: what is behind that is its object.
pub(super) fn has_done_first(clause: Clause<'_>) -> bool {
    let is_led = |word: &&str| is_before(word) || AUXILIARIES.has(word);
    let mut words = clause.words().skip_while(is_led);
    let first = words.next();
    let is_order = first.is_some_and(|word| word == "do")
        && words.next().is_some_and(|next| matches!(next, "this" | "that" | "these" | "it" | "the"));
    is_order || first.is_some_and(|word| !WEAK.has(word) && says_alone(word, Says::Orders))
}

// Returns the words of `line` that have something changed, if the others of it speak of what the code does, and not of the
// code below: "Update `load`. It uses the parser already there.", "Only change: do not negate text."
pub(super) fn order(line: &str) -> Option<&str> {
    // Words that point to the code below.
    const POINTS: &[&str] = &[
        "this",
        "these",
        "that",
        "below",
        "following",
        "diese",
        "dieser",
        "dieses",
        "so",
        "folgende",
        "folgenden",
        "unten",
        "cela",
        "ceci",
        "ci-dessous",
        "esto",
        "este",
        "abajo",
        "isto",
        "isso",
        "abaixo",
        "questo",
        "sotto",
        "это",
        "так",
        "ниже",
    ];
    let line = line.trim();
    let is_spoken = line.is_ascii() || !line.chars().any(super::words::is_east_asian);
    if line.len() > LINE || ends_in_colon(line) || asks(line) || line.starts_with('#') || !is_spoken {
        return None;
    }
    let (mut order, mut rest) = (None, line);
    while !rest.is_empty() {
        let (sentence, behind) = rest.split_at(stops(rest).next().unwrap_or(rest.len()));
        let clauses = Clauses::of(sentence);
        let is_order = clauses.iter().next().is_some_and(has_done_first);
        // The first word is what the sentence before it did.
        let points = |(at, clause): (usize, Clause<'_>)| {
            clause.words().skip(usize::from(at == 0)).any(|word| POINTS.contains(&word.trim_end_matches('.')))
                && clause.first() != "so"
        };
        if !is_order && clauses.iter().enumerate().any(points) {
            return None;
        }
        if is_order && order.is_none() {
            let end = sentence.find([',', ';', ':']).unwrap_or(sentence.len());
            order = Some(sentence[..end].trim());
        }
        rest = behind;
    }
    order
}

// Returns true if in `clause` a program makes the file: "`npx eslint --init` will create `eslint.config.js` with".
fn is_made_by_program(clause: Clause<'_>) -> bool {
    let mut words = clause.words().skip_while(|word| is_before(word));
    words.next() == Some(CODE) && {
        let mut rest = words.skip_while(|word| matches!(*word, "will" | "then" | "also" | "wird" | "va"));
        rest.next().is_some_and(|word| MAKERS.contains(&word)) && rest.any(|word| word == CODE)
    }
}

// Returns true if `words`, of which no one has something done, say what is to be: "Here's a seed script, `a.py`:",
// "`a.py` should now look like this:".
fn shows_what_is_to_be(words: &[&str]) -> bool {
    // A sentence that goes on says what it was, or whose it is.
    const LONG: usize = 7;
    match words {
        ["here", "are", "the", what @ ..] | ["here", "is", "the", what @ ..] => {
            what.len() < LONG && what.last() == Some(&CODE)
        }
        [first, second, rest @ ..] if WEAK.rows()[..8].contains(first) => {
            rest.len() < LONG && SHOWN.contains(second) && words.last() == Some(&CODE)
        }
        [CODE, "should" | "must" | "needs" | "sollte" | "muss", next, ..] => {
            TO_BE.contains(next) || *next == "to"
        }
        _ => false,
    }
}

/// Returns true if `line` says in so many words that what it leads to is to be.
pub(super) fn is_asked_for(line: &str) -> bool {
    let text = leading_sentence(line);
    let clauses = Clauses::of(text);
    !asks(text) && clauses.iter().next_back().is_some_and(has_done_first)
        || !has_doubt(text)
            && (clauses.words().any(has_done)
                || !text.is_ascii() && EAST_WANTS.iter().any(|word| text.contains(word)))
}

// Returns true if `line`, above a list, says who is to do what its items say.
pub(super) fn addresses(line: &str) -> bool {
    let text = leading_sentence(line);
    let is_one = |word: &str| match word.is_ascii() || !word.chars().any(super::words::is_east_asian) {
        true => Clauses::of(text).words().any(|other| other == word),
        false => text.contains(word),
    };
    ADDRESSES.iter().any(|word| is_one(word)) && !has_doubt(text)
}

/// Returns true if words of `text` make of it something that may be, that was, or that is not.
/// Returns true if `line` has something done or shows what is to be, if it says nothing ("Like so:"), or if these tables may
/// not know its language.
pub(super) fn may_want(line: &str) -> bool {
    const SHORT: usize = 2;
    // "Why this format?"
    if asks(line) {
        return false;
    }
    let clauses = Clauses::of(line);
    // What the sentence before says may be the fault: "It is slow. Here's a faster version:".
    let last = Clauses::of(last_sentence(line));
    let is_short =
        |clause: Clause<'_>| clause.words().nth(SHORT).is_none() && !clause.words().any(|word| word == CODE);
    let says_nothing = ends_in_colon(line) && !is_bold(line) && clauses.iter().all(is_short);
    let shows = |clause: Clause<'_>| {
        clause.text.split_once(' ').is_some_and(|(first, rest)| {
            WEAK.rows()[..8].contains(&first) && SHOWN.contains(&first_word(rest))
        })
    };
    // "The record has to be checked first:"
    let has_to = |clause: Clause<'_>| {
        let is_due = |(word, next): (&str, &str)| match word {
            "must" | "should" => true,
            "has" | "have" | "needs" | "need" => next == "to",
            _ => false,
        };
        !SUBORDINATE.has(clause.first()) && clause.words().zip(clause.words().skip(1)).any(is_due)
    };
    // "You'll also need a setter:"
    let lacks = |clause: Clause<'_>| {
        let is_reader = matches!(clause.first(), "you" | "you'll" | "you'd" | "we" | "we'll" | "this" | "it");
        let is_lack = |(word, next): (&str, &str)| {
            matches!(word, "need" | "needs")
                && matches!(next, "a" | "an" | "another" | "the" | "this" | "these" | "some")
        };
        is_reader && clause.words().zip(clause.words().skip(1)).any(is_lack)
    };
    // "I suggest renaming it:"
    let suggests = |clause: Clause<'_>| {
        let is_deed = |(word, next): (&str, &str)| {
            matches!(word, "suggest" | "recommend" | "propose" | "i'd")
                && next.len() > 5
                && next.ends_with("ing")
        };
        clause.words().zip(clause.words().skip(1)).any(is_deed)
    };
    // Verbs that are orders where a clause begins with them, and nouns or reports elsewhere.
    const ORDERS: &[&str] = &[
        "register",
        "inject",
        "mount",
        "include",
        "declare",
        "define",
        "import",
        "enable",
        "disable",
        "wrap",
        "inline",
        "extract",
        "introduce",
        "pass",
        "call",
        "configure",
        "convert",
        "handle",
        "turn",
        "switch",
    ];
    let is_order = |clause: Clause<'_>| {
        let mut words = clause.words().map(|word| word.trim_end_matches('.'));
        let is_led =
            |word: &str| is_before(word) || matches!(word, "i'd" | "i'll" | "we'd" | "let's" | "let" | "me");
        words.find(|word| !is_led(word)).is_some_and(|word| ORDERS.contains(&word))
    };
    let wants = |clause: Clause<'_>| {
        shows(clause)
            || has_to(clause)
            || lacks(clause)
            || suggests(clause)
            || is_order(clause)
            || clause.words().any(has_done)
    };
    let is_foreign = || line.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    // Of scripts without blanks between words the tables know those that ask for something.
    if line.chars().any(super::words::is_east_asian) {
        return EAST_DOES.iter().chain(EAST_WANTS).any(|word| line.contains(word));
    }
    is_foreign() || says_nothing || clauses.iter().chain(last.iter()).any(wants)
}

fn has_doubt(text: &str) -> bool {
    doubts(text, true)
}

// Returns true if a clause of `text` that leads to another one by a colon says for whom or when that holds: "Kubernetes
// users: change …", "Exercise: …". A step, a file or a deed says neither.
pub(super) fn is_addressed(text: &str) -> bool {
    let clauses = Clauses::of(text);
    let is_label = |word: &str| {
        word == CODE
            || is_before(word)
            || PLAIN.has(word)
            || says_alone(word, Says::Does)
            || says_alone(word, Says::Orders)
            || LABELS.contains(&word)
    };
    let mut pairs = clauses.iter().zip(clauses.iter().skip(1));
    pairs.any(|(label, behind)| behind.announced && !label.words().all(is_label))
}

pub(super) fn asks(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ' ', '\t', ')', ':']).ends_with(['?', '？', '؟'])
}

// Works as [`has_doubt`]; a fault counts with `faults` alone.
fn doubts(text: &str, faults: bool) -> bool {
    if asks(text) || !text.is_ascii() && EAST_DOUBTS.iter().any(|word| text.contains(word)) {
        return true;
    }
    let all = Clauses::of(text);
    let explains = |index: usize, clause: Clause<'_>| index > 0 && explains(clause);
    all.iter().enumerate().filter(|(index, clause)| !explains(*index, *clause)).any(|(_, clause)| {
        let mut rest = clause.text;
        while !rest.is_empty() {
            let begins = rest.len() == clause.text.len();
            let word = first_word(rest);
            let (length, says) = longest_rows(rest);
            let length = if length == 0 { word.len() } else { length };
            let is_said = |says: Says| {
                matches!(says, Says::MustNot | Says::Maybe | Says::Breaks | Says::Other)
                    || says == Says::Ends && length == rest.len()
                    || matches!(says, Says::Fault | Says::Stale) && faults
                    || matches!(says, Says::Not | Says::When) && begins
            };
            let is_doubt = |word: &str| DOUBTS.has(word) || word.ends_with("n't") || word.ends_with("'d");
            // "No new imports needed" doubts nothing.
            let is_doubt =
                (word != "no" || word.len() == rest.len()) && rest[..length].split(' ').any(is_doubt);
            let is_idiom = says.clone().any(|says| says == Says::Nothing);
            if !is_idiom && (is_doubt || says.clone().any(is_said)) {
                return true;
            }
            rest = rest.get(length + 1..).unwrap_or_default();
        }
        false
    })
}

pub(super) fn has_done(word: &str) -> bool {
    !WEAK.has(word) && (says_alone(word, Says::Does) || says_alone(word, Says::Orders))
}

fn says_alone(word: &str, says: Says) -> bool {
    TABLE.get(word).is_some_and(|rows| rows.contains(&(word, says)))
}

/// Returns true if `text`, right below code, takes it back: "Wait, that would break it."
pub(super) fn takes_back(text: &str) -> bool {
    let clauses = clauses_below(text);
    turns(&clauses)
        || calls_it(&clauses)
        || clauses.iter().next().is_some_and(|first| first.begins_with_one(&["that was", "this was"]))
        || revokes(&clauses, text)
        || clauses.iter().any(|clause| clause.has_one(REMARKS))
}

pub(super) fn clauses_below(text: &str) -> Clauses {
    let text = text.trim().trim_start_matches(|c: char| !c.is_alphanumeric());
    Clauses::of(&text[..text.floor_char_boundary(LINE)])
}

fn turns(clauses: &Clauses) -> bool {
    clauses.iter().next().is_some_and(|first| first.begins_with_one(TURNS))
}

// Returns true if `text` begins with words that turn against what the answer showed, or correct it.
pub(super) fn turns_back(text: &str) -> bool {
    let clauses = clauses_below(text);
    turns(&clauses)
        || clauses.iter().next().is_some_and(|first| matches!(first.text, "edit" | "correction" | "update"))
}

// Returns true if `clause` is no more than a condition: "only if you want it", "optional".
pub(super) fn is_condition(clause: Clause<'_>) -> bool {
    let (length, mut says) = longest_rows(clause.text);
    let is_row = length == clause.text.len() && says.any(|says| says == Says::When);
    is_row || clause.begins_with_one(IF)
}

// Returns true if the first of `clauses` is no more than a word for what is above it: "(an example)".
fn calls_it(clauses: &Clauses) -> bool {
    clauses.iter().next().is_some_and(|first| ALONE.contains(&first.text))
}

// Returns true if `rest`, behind words that take something back, only says where or when they hold: "to the 1.x branch".
fn restricts(rest: &str) -> bool {
    let mut words = rest.split(' ').filter(|word| !word.is_empty()).skip_while(|word| THIS.has(word));
    words.next().is_some_and(|word| RESTRICTING.has(word)) && !words.take(2).any(|word| HERE.has(word))
}

fn revokes(clauses: &Clauses, text: &str) -> bool {
    // What is forbidden may be so elsewhere: "don't apply it to the 1.x branch".
    let forbids = |row: &str| {
        ["don't", "do not", "nicht", "n'", "ne ", "no ", "não", "non", "не "]
            .iter()
            .any(|word| row.starts_with(word))
    };
    let takes_back = |rest: &str| {
        let row = REVOKES.iter().find(|row| begins_with(rest, row));
        row.is_some_and(|row| !(forbids(row) && restricts(&rest[row.len()..])))
    };
    // "不要应用到 1.x 分支" is about another branch.
    let is_east = |words: &str| {
        let behind = text.split_once(words).map(|(_, behind)| behind);
        behind.is_some_and(|behind| !["到", "于", "在"].iter().any(|word| behind.starts_with(word)))
    };
    clauses.iter().any(|clause| clause.rests().any(takes_back))
        || !text.is_ascii() && EAST_REVOKES.iter().any(|words| is_east(words))
}

/// Returns what the line right above an edit block says of it.
///
/// ````text
/// The Codex format, for reference:       Against: a sample
/// Only if you use Postgres:              Condition
/// ````
pub(super) fn of_line_above_block(above: &str) -> Lead {
    let text = above[..above.floor_char_boundary(LINE)].to_lowercase().replace('’', "'");
    let has = |rows: &[&str]| rows.iter().any(|row| text.contains(row));
    let is_folded = text.contains("<summary>")
        && has(&["previous", "thought", "thinking", "reasoning", "reference", "original", "earlier", "old "]);
    if is_folded || has(FORBID) || is_rejected(above) || is_sample(above, has(LIKE)) {
        return Lead::Against;
    }
    if is_for_some(above) || is_label_of_sample(above) { Lead::Condition } else { Lead::Open }
}

/// Returns what the line right below an edit block says of it: "Wait, that's wrong: keep 8080."
pub(super) fn of_line_below_block(below: &str) -> Lead {
    let clauses = clauses_below(below);
    let is_against = !ends_in_colon(below) && revokes(&clauses, below)
        || calls_it(&clauses)
        || turns(&clauses) && has_doubt(below);
    if is_against { Lead::Against } else { Lead::Open }
}

// Returns true if `text`, below an edit, says that it was taken back: "That was reverted".
pub(super) fn was_rejected(text: &str) -> bool {
    const IT: &[&str] = &["this", "that", "it", "das", "es", "cela", "esto", "isso", "questo", "это"];
    let clauses = clauses_below(text);
    let first = clauses.iter().next().and_then(|first| first.text.split_once(' '));
    let is_row = |rest: &str| REJECTED.iter().any(|row| begins_with(rest, row));
    first.is_some_and(|(subject, rest)| IT.contains(&subject) && is_row(rest))
}

// Returns true if `line` says that others did not take what is below it: "The patch that was rejected in review:".
fn is_rejected(line: &str) -> bool {
    let clauses = Clauses::of(last_sentence(line));
    let Some(last) = clauses.iter().next_back().filter(|last| !SUBORDINATE.has(last.first())) else {
        return false;
    };
    let shows = |word: &str| {
        has_done(word) || WEAK.rows()[..8].contains(&word) || matches!(word, "again" | "because" | "since")
    };
    last.has_one(REJECTED) && !clauses.words().any(shows)
        || !line.is_ascii()
            && ["被拒绝", "被驳回", "却下された", "거절된"].iter().any(|words| line.contains(words))
}

// Returns true if `line`, which says what something is `like`, is about the notation of edits: "CSL writes files so:".
fn is_sample(line: &str, like: bool) -> bool {
    let clauses = Clauses::of(last_sentence(line));
    let mut words = clauses.words();
    let is_wanted =
        |word: &str| has_done(word) || matches!(word, "should" | "must" | "needs" | "now" | "will");
    let is_like = like || words.clone().next_back() == Some("so");
    let east = || {
        !line.is_ascii() && ["格式", "语法", "形式", "構文", "형식"].iter().any(|word| line.contains(word))
    };
    is_like && (words.clone().any(|word| NOTATION.contains(&word)) || east()) && !words.any(is_wanted)
}

// Returns true if `line` is no more than a label that calls what is below it wrong, old, a sample, or asks about it:
// "Wrong:", "Rejected patch:", "Should I apply this?"
fn is_label_of_sample(line: &str) -> bool {
    const LONGEST: usize = 6;
    let sentence = last_sentence(line.trim());
    let clauses = Clauses::of(sentence);
    let words: Vec<&str> = clauses.words().collect();
    let is_short =
        !words.is_empty() && words.len() <= LONGEST && !words.contains(&CODE) && !sentence.starts_with('<');
    let is_fault = |clause: Clause<'_>| {
        longest_rows(clause.text).1.any(|says| matches!(says, Says::Fault | Says::Maybe))
    };
    let is_sample = || {
        !words.iter().any(|word| has_done(word))
            && (clauses.iter().any(|clause| clause.begins_with_one(SAMPLES))
                || words.len() <= LONGEST / 2 && clauses.iter().any(is_fault))
    };
    is_short && (asks(sentence) || is_sample())
}

// Returns true if `line` offers what is below it to some readers, or as one of several: "If you use Postgres:", "or".
fn is_for_some(line: &str) -> bool {
    let sentence = last_sentence(line);
    let clauses = Clauses::with_conditions(sentence);
    // What follows from it is done for everybody: "If you click twice it is sent twice, so disable it:".
    let goes_on = clauses
        .iter()
        .any(|clause| clause.begins_with_one(&["so", "therefore", "hence", "daher", "donc", "por eso"]));
    let says = |clause: Clause<'_>| {
        let (length, mut says) = longest_rows(clause.text);
        let is_row = length == clause.text.len() && says.any(|says| matches!(says, Says::When | Says::Maybe));
        is_row || clause.begins_with_one(IF) && clause.words().any(|word| READER.contains(&word))
    };
    let is_joint = |clause: Clause<'_>| ["or", "oder", "ou", "o", "или"].contains(&clause.text);
    let east = || {
        !line.is_ascii()
            && EAST
                .iter()
                .filter(|(lead, _)| *lead == Lead::Condition)
                .any(|(_, words)| words.iter().any(|word| line.contains(word)))
            && ["您", "你", "あなた", "원하", "당신", "사용하"].iter().any(|word| line.contains(word))
    };
    !goes_on && clauses.iter().any(says)
        || clauses.iter().all(is_joint) && clauses.iter().count() == 1
        || super::words::is_option(line)
        || east()
}

pub(super) fn ends_in_colon(line: &str) -> bool {
    line.trim_end_matches(['*', '_', '`', ' ', '\t']).ends_with([':', '：'])
}

pub(super) fn is_bold(line: &str) -> bool {
    let text = line.trim();
    text.len() > 4
        && text.starts_with("**")
        && text.ends_with("**")
        && !text[2..text.len() - 2].contains("**")
}

pub(super) fn of_line(line: &str, subject: Subject) -> Lead {
    of_text(last_sentence(line), false, subject)
}

/// Returns what `sentence`, one of prose, says of what it states.
pub(super) fn of_statement(sentence: &str, subject: Subject) -> Lead {
    let doubted = if has_doubt(sentence) { Lead::Condition } else { Lead::Open };
    of_text(sentence, true, subject).max(doubted)
}

// Returns what the sentence `text` says of what it states (`own`) or leads to.
fn of_text(text: &str, own: bool, subject: Subject) -> Lead {
    if text.len() > LINE {
        return Lead::Open;
    }
    let clauses = match own && subject == Subject::Deed {
        true => Clauses::with_conditions(text),
        false => Clauses::of(text),
    };
    let lead = of_clauses(&clauses, subject);
    let mut east = EAST.iter().filter(|_| !text.is_ascii());
    let east = east.find(|(_, words)| words.iter().any(|word| text.contains(word))).map(|(lead, _)| *lead);
    lead.max(east.unwrap_or_default())
}

pub(super) fn sentence(line: &str, at: usize) -> &str {
    let (before, after) = line.split_at(at.min(line.len()));
    let start = stops(before).last().unwrap_or(0);
    let end = stops(after).next().map_or(line.len(), |end| before.len() + end);
    &line[start..end]
}

// The bytes behind the signs that end sentences of `text`, but the last. A short word may be shortened, and a number that of an
// item: what follows then begins like a sentence.
fn stops(text: &str) -> impl Iterator<Item = usize> + '_ {
    const SHORTENED: &[&str] =
        &["e.g", "i.e", "vs", "cf", "z.b", "d.h", "bzw", "ca", "etc", "p.ex", "no", "nr"];
    const ITEM: usize = 3;
    let begins = |behind: &str| {
        behind.trim_start().starts_with(|c: char| c.is_uppercase() || matches!(c, '`' | '*') || !c.is_ascii())
    };
    let ends = text.match_indices(['.', '!', '?', '。', '！', '？']).filter(move |(at, sign)| {
        let (before, behind) = (&text[..*at], &text[at + sign.len()..]);
        let word = before.rsplit([' ', '(']).next().unwrap_or_default();
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = || match () {
            () if SHORTENED.iter().any(|short| word.eq_ignore_ascii_case(short)) => true,
            () if is_number => before.split_whitespace().nth(ITEM).is_none() || !begins(behind),
            () => word.len() < 2 || word.len() < 3 && !begins(behind),
        };
        match sign.len() {
            1 => behind.starts_with(' ') && !is_short(),
            _ => !behind.is_empty(),
        }
    });
    ends.map(|(at, sign)| at + sign.len())
}

pub(super) fn sentences(line: &str) -> usize {
    let text = line.get(..line.len().min(LINE)).unwrap_or(line);
    1 + stops(text.trim_end()).count()
}

pub(super) fn last_sentence(line: &str) -> &str {
    stops(line.trim_end()).last().map_or(line, |at| &line[at..])
}

// The last sentence of `line` that leads to what is below it: one behind it may say what that is good for.
fn leading_sentence(line: &str) -> &str {
    let last = last_sentence(line);
    let explains = || Clauses::of(last).iter().next().is_some_and(|first| first.begins_with_one(EXPLAINS));
    if last.len() < line.len() && explains() {
        return last_sentence(&line[..line.len() - last.len()]);
    }
    last
}

// Returns what `clauses` say together: a later one that has something done takes back what is against another
// thing, but not behind a colon.
fn of_clauses(clauses: &Clauses, subject: Subject) -> Lead {
    let (mut lead, mut holds, mut has_deed) = (Lead::Open, false, false);
    let mut all = clauses.iter().enumerate().peekable();
    while let Some((index, clause)) = all.next() {
        let first = clause.first();
        if index > 0 && !clause.announced && explains(clause) {
            continue;
        }
        let is_last = all.peek().is_none();
        let mut saying = of_clause(clause, is_last, subject);
        // "Delete `a.py` – no, it is linked."
        if index > 0 && subject == Subject::Deed && NO.contains(&clause.text) {
            saying.lead = Lead::Against;
        }
        // "Replace `a` with `b`, so there is no need to wait" does nothing more, and gives the reason.
        if first == "so" && has_deed && !clause.announced && !saying.does {
            continue;
        }
        has_deed |= saying.does;
        holds |= clause.announced && lead >= Lead::Report;
        let shows = is_last && clause.words().next_back() == Some(CODE) && !is_adjunct(clause);
        let takes_back = (saying.does || shows) && saying.lead == Lead::Open && !holds;
        lead = match (lead, subject) {
            (Lead::Report, Subject::Deed) if takes_back => Lead::Condition,
            (Lead::Report | Lead::Against, _) if takes_back => Lead::Open,
            _ => lead.max(saying.lead),
        };
        holds |= saying.holds;
    }
    lead
}

// Returns true if `clause`, behind another one, only explains that.
pub(super) fn explains(clause: Clause<'_>) -> bool {
    clause.first() != "so" && SUBORDINATE.has(clause.first())
}

// Returns true if `clause` only says where.
fn is_adjunct(clause: Clause<'_>) -> bool {
    let words = ["in", "from", "to", "at", "for", "of", "with", "even", "not", "im", "dans", "en", "em", "в"];
    words.contains(&clause.first())
}

/// What a clause says.
#[derive(Debug, Default)]
struct Saying {
    lead: Lead,
    /// True if it has something done.
    does: bool,
    /// True if no later clause takes that back.
    holds: bool,
}

fn of_clause(clause: Clause<'_>, is_last: bool, subject: Subject) -> Saying {
    let before: usize = clause.words().take_while(|word| is_before(word)).map(|word| word.len() + 1).sum();
    let is_short = || clause.words().nth(4).is_none() && !clause.words().any(|word| word == CODE);
    let (mut saying, mut stale, mut rest) = (Saying::default(), false, clause.text);
    // What is done before a word is said of something else: "Update it and never block".
    let mut done_before = false;
    while !rest.is_empty() {
        let word = first_word(rest);
        let at = clause.text.len() - rest.len();
        let (length, all) = longest_rows(rest);
        if length == 0 {
            rest = rest.get(word.len() + 1..).unwrap_or_default();
            continue;
        }
        let behind = rest.get(length + 1..).unwrap_or_default();
        let (begins, ends) = (at <= before, is_last && behind.is_empty());
        let next = Some(first_word(behind)).filter(|next| !next.is_empty());
        for says in all {
            let row_lead = match says {
                Says::Not if begins => Lead::Against,
                Says::MustNot if !done_before => Lead::Against,
                Says::When if begins => Lead::Condition,
                Says::Maybe => Lead::Condition,
                Says::Breaks if begins => {
                    saying.holds = subject == Subject::Deed;
                    Lead::Against
                }
                Says::Tests if begins && subject == Subject::Deed => Lead::Report,
                Says::Other if !done_before => Lead::Report,
                Says::Ends if ends && !done_before && clause.words().nth(2).is_some() => Lead::Report,
                Says::Tells if ends && !done_before && subject == Subject::Deed => Lead::Report,
                Says::Fault if !done_before && is_short() => Lead::Against,
                Says::Stale if subject == Subject::Code && next.is_some_and(is_thing) => {
                    stale |= next != Some(CODE) || behind.len() == CODE.len();
                    Lead::Open
                }
                Says::Does | Says::Orders => {
                    saying.does = true;
                    done_before |= !matches!(word, "here" | "here's" | "hier" | "voici" | "вот");
                    Lead::Open
                }
                _ => Lead::Open,
            };
            saying.lead = saying.lead.max(row_lead);
        }
        rest = behind;
    }
    if stale && !done_before {
        saying.lead = saying.lead.max(Lead::Report);
    }
    saying
}

fn is_before(word: &str) -> bool {
    BEFORE.has(word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_thing(word: &str) -> bool {
    word == CODE || says_alone(word, Says::Thing)
}

// The length of the longest rows with which `words` begin, 0 if there are none, and what those say.
fn longest_rows(words: &str) -> (usize, impl Iterator<Item = Says> + Clone + '_) {
    let rows = TABLE.get(first_word(words)).map_or(&[][..], Vec::as_slice);
    let begins = move |row: &str| begins_with(words, row);
    let length = rows.iter().filter(|(row, _)| begins(row)).map(|(row, _)| row.len()).max().unwrap_or(0);
    let is_longest = move |(row, _): &&(&str, Says)| row.len() == length && begins(row);
    (length, rows.iter().filter(is_longest).map(|(_, says)| *says))
}
