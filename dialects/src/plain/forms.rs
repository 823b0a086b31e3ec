//! The table of forms: what a fence may be. The first that reads it decides.
//!
//! Adding a form is a row here and a case in `tests/it/plain.rs`.

use super::compared::{Arrow, OldAndNew, WordDiff};
use super::language::Class;
use super::path::{self, Shape};
use super::piece::{Piece, PlainForm, Reading, Verb};
use super::project::{self, Project};
use super::suggestion::{self, Suggestion};
use super::{
    Candidate, Form, Group, NoteKind, Place, comment, element, json, lead, mention, output, placed, shell,
    words,
};
use crate::elision;

pub(super) const FORMS: &[&dyn PlainForm] = &[
    &Placeholder,
    &Cited,
    &Elsewhere,
    &Suggestion,
    &Marked,
    &OldAndNew,
    &WordDiff,
    &Diff,
    &Script,
    &Printed,
    &Commands,
    &LeadIn,
    &JsonFiles,
    &Elements,
    &Files,
    &Arrow,
    &Placed,
    &Code,
];

pub(super) fn read(piece: &Piece<'_, '_>) -> Reading {
    FORMS.iter().find_map(|form| form.read(piece)).unwrap_or_else(|| Reading::Candidates(Vec::new()))
}

struct Placeholder;

impl PlainForm for Placeholder {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let is_placeholder = |line: &str| {
            matches!(elision(line), Some(elision) if elision != crate::Elision::Phrase)
                || words::is_placeholder(line)
        };
        let mut lines = piece.content.lines().filter(|line| !line.trim().is_empty()).take(4);
        let all = lines.by_ref().take(3).all(is_placeholder) && lines.next().is_none();
        let named = piece.groups.iter().filter(|group| !group.held && group.place < Place::Comment).find_map(
            |group| {
                let [mention] = &group.mentions[..] else { return None };
                Some(super::path::is_placeholder(&mention.path))
            },
        );
        (all || named == Some(true) && piece.path().is_none()).then_some(Reading::Note(NoteKind::Placeholder))
    }
}

/// The info string cites lines of the file as it is, or the label does, and no word has them changed.
struct Cited;

impl PlainForm for Cited {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let is_cited = piece.verb == Some(Verb::Cite) || is_cited_by_label(piece);
        is_cited.then_some(Reading::Note(NoteKind::LeadIn))
    }
}

// Returns true if the label of `piece` says in brackets which lines of its file it shows, as a report does, and no line above has
// anything done: "**File: `a.go` (lines 4-8)**".
fn is_cited_by_label(piece: &Piece<'_, '_>) -> bool {
    let labels = |group: &&Group| group.place == Place::Label && !group.held && group.sure_path().is_some();
    let Some(group) = piece.groups.iter().find(labels) else { return false };
    let above = || piece.above.near().chain(piece.above.headings()).chain(piece.above.intro());
    let label = piece.above.near().find(|prose| prose.line.number == group.line);
    let cites = |line: &str| {
        suggestion::numbered_lines(line).is_some_and(|(first, last)| first < last)
            && suggestion::numbered_place(line).is_none()
    };
    piece.class != Class::Diff
        && label.is_some_and(|prose| cites(prose.line.text))
        && !above().any(|prose| lead::is_asked_for(prose.line.text))
}

/// The words above say that the file is not one of this project.
struct Elsewhere;

impl PlainForm for Elsewhere {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let goes_on = piece.before == Some(super::piece::Became::Note(NoteKind::Elsewhere));
        let is_there = |line: &str| project::of_heading(line) == Some(Project::Other);
        // "The app has its own repository. There, create `a.ts`:"
        let leads_there = words::is_elsewhere(piece.sentence)
            || words::points_there(piece.sentence) && words::is_elsewhere(piece.label());
        let says = leads_there
            || goes_on && words::goes_on(piece.sentence)
            || piece.above.headings().any(|prose| is_there(prose.line.text));
        says.then_some(Reading::Note(NoteKind::Elsewhere))
    }
}

struct Marked;

impl PlainForm for Marked {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let is = |line: &str, mark: char| {
            if !line.trim_ascii_start().starts_with(mark) {
                return false;
            }
            let text = line.trim();
            // The end may have its word although the beginning lost it.
            let text = if mark == '>' { text.trim_end_matches(" REPLACE") } else { text };
            text.trim_start_matches(mark).is_empty() && (5..=12).contains(&text.len())
        };
        let mut lines = piece.content.lines().filter(|line| is(line, '<') || is(line, '=') || is(line, '>'));
        if !lines.next().is_some_and(|line| is(line, '<')) {
            return None;
        }
        let (mut candidates, mut halves, mut half) = (Vec::new(), [String::new(), String::new()], None);
        for line in piece.content.lines() {
            half = match half {
                None if is(line, '<') => Some(0),
                Some(0) if is(line, '=') => Some(1),
                Some(1) if is(line, '>') => {
                    let [old, new] = std::mem::take(&mut halves);
                    let mut candidate = piece.candidate(Form::Replacement { old }, new);
                    candidate.naming = None;
                    candidates.push(candidate);
                    None
                }
                None if line.trim().is_empty() => None,
                // What stands between the changes may be anything: none of it is read.
                None => return Some(Reading::Candidates(Vec::new())),
                Some(side) => {
                    halves[side] += line;
                    halves[side].push('\n');
                    Some(side)
                }
            };
        }
        Some(Reading::Candidates(if half.is_some() { Vec::new() } else { candidates }))
    }
}

struct Diff;

impl PlainForm for Diff {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let named = piece.class == Class::Diff || piece.verb == Some(Verb::Patch);
        if !named && !is_diff(piece.content, piece.language) {
            return None;
        }
        let lines = || piece.content.lines();
        if named && !lines().any(|line| line.starts_with(['+', '-'])) {
            return None;
        }
        if words::is_lead_in(piece.sentence) && piece.path().is_none() || words::praises(piece.sentence) {
            return Some(Reading::Note(NoteKind::LeadIn));
        }
        // A comment with the path is no line of the diff.
        let naming = piece.naming.filter(|_| !piece.content.starts_with(['-', '+', ' ', '@']));
        let content =
            naming.and_then(|naming| piece.content.get(naming.bytes.end..)).unwrap_or(piece.content);
        let content = without_headers(content);
        if let Some(all) = text_of_filled_file(content) {
            return Some(Reading::Candidates(vec![Candidate {
                language: String::new(),
                naming: None,
                ..piece.candidate(Form::Code, all)
            }]));
        }
        let mut candidate = piece.candidate(Form::Diff, content.to_owned());
        if piece.path().is_none()
            && let Some(path) = of_hunk(content)
        {
            candidate.groups.insert(0, Group::of(Place::Info, piece.lines.start + 1, path, true));
        }
        Some(Reading::Candidates(vec![candidate]))
    }
}

// The text of a file that a diff fills, as editors write one for a file that is empty: a blank line goes, and all else comes.
fn text_of_filled_file(content: &str) -> Option<String> {
    let (first, rest) = content.split_once('\n')?;
    let is_all = first.starts_with('-')
        && first[1..].trim().is_empty()
        && rest.lines().all(|line| line.starts_with('+'));
    // Some write a blank behind each sign.
    let is_apart = rest.lines().all(|line| line.len() == 1 || line.starts_with("+ "));
    let text =
        |line: &str| format!("{}\n", line[1..].strip_prefix(' ').filter(|_| is_apart).unwrap_or(&line[1..]));
    (is_all && rest.lines().nth(1).is_some()).then(|| rest.lines().map(text).collect())
}

// The file that the header of the first hunk names: `@@ src/a.py, load @@`.
fn of_hunk(content: &str) -> Option<String> {
    let word = content.strip_prefix("@@ ")?.split_whitespace().next()?;
    let word =
        path::word(word, false).filter(|word| word.shape == Shape::Path && path::is_given(&word.path))?;
    Some(word.path.into_owned())
}

// Returns `content` without the headers of a diff that name no file: `--- old`, `+++ new`.
fn without_headers(content: &str) -> &str {
    let mut lines = content.splitn(3, '\n');
    match (lines.next(), lines.next(), lines.next()) {
        (Some(old), Some(new), Some(rest))
            if let (Some(old), Some(new)) = (old.strip_prefix("--- "), new.strip_prefix("+++ "))
                && crate::hunk::are_sides(old, new) =>
        {
            rest
        }
        _ => content,
    }
}

/// Returns true if every line of `content` has a sign or a blank before it, as those of a diff have, and a list
/// has not.
fn is_diff(content: &str, language: &str) -> bool {
    if matches!(language, "" | "markdown" | "md" | "yaml" | "yml" | "text" | "haskell" | "rst") {
        return false;
    }
    if content.starts_with("@@") {
        return content.lines().skip(1).any(|line| line.starts_with(['+', '-']));
    }
    let (mut added, mut removed, mut context, mut dashes) = (false, false, false, false);
    for line in content.lines() {
        match line.bytes().next() {
            Some(b'+') => added = true,
            // An arrow between old and new code.
            Some(b'-') if line.trim_end() == "->" => {}
            // A comment of some languages, unless other lines are new: then it goes.
            Some(b'-') if line.starts_with("--") => dashes = true,
            Some(b'-') => removed = true,
            Some(b' ') => context = true,
            None => {}
            Some(_) => return false,
        }
    }
    added && (removed || dashes || context) || removed && context && !dashes
}

/// A script that a label names is a file, and not commands.
struct Script;

impl PlainForm for Script {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        if piece.class != Class::Shell || words::is_run(piece.sentence) && !piece.content.starts_with("#!") {
            return None;
        }
        let near = piece.groups.iter().filter(|group| !group.held && group.place <= Place::Comment);
        let near = near.filter_map(|group| group.sure_path()).next();
        // Below a script that the section is about, lines that begin with no program are its own.
        let of_section = || {
            let first = piece.content.lines().find(|line| !line.trim().is_empty())?;
            let word = first.split([' ', '=', '(']).next().unwrap_or_default();
            let is_code =
                (word == "set" || !words::is_program(word)) && !first.starts_with(['$', '.', '/', '#']);
            piece.groups.iter().filter_map(Group::sure_path).find(|path| is_code && shell::is_script(path))
        };
        let named = near.or_else(of_section)?;
        // What is done with the script is none of its own lines.
        if shell::uses(piece.content, named) {
            return None;
        }
        // Settings of an environment are no commands, and commands none of them.
        let is_settings = crate::file_name::base(named).starts_with(".env");
        let script = shell::is_script(named) && !is_use(piece) || piece.content.starts_with("#!");
        let script = script && (!is_settings || shell::sets_variables(piece.content));
        (script && !words::is_lead_in(piece.sentence)).then(|| code(piece))
    }
}

// Returns true if `piece`, below a sentence that does not make or change a script, is a command or two: how one is used.
fn is_use(piece: &Piece<'_, '_>) -> bool {
    const COMMANDS: usize = 3;
    const WORDS: usize = 3;
    let sentence = piece.sentence;
    let mentions = mention::in_line(sentence, true);
    let names = |at: usize| mentions.iter().any(|one| one.at.contains(&at));
    let words = sentence.split_whitespace().filter(|word| {
        let at = word.as_ptr() as usize - sentence.as_ptr() as usize;
        word.contains(char::is_alphabetic) && !names(at)
    });
    let mut lines = piece.content.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let begins = lines.next().and_then(|line| line.split_whitespace().next()).is_some_and(words::is_program);
    begins
        && lines.count() < COMMANDS
        && words.count() >= WORDS
        && !words::is_new(sentence, "")
        && !words::adds(sentence)
        && !words::updates(sentence)
}

struct Commands;

impl PlainForm for Commands {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        // What is typed into such a shell and what is a file of it look alike.
        let is_either = matches!(piece.language, "" | "nu" | "nushell" | "elvish" | "xonsh");
        let bare = is_either && shell::is_bare(piece.content, piece.sentence);
        if piece.class != Class::Shell && !bare {
            return None;
        }
        if piece.content.starts_with("#!") && piece.path().is_none() {
            return Some(code(piece));
        }
        // What is written under a condition is a question; what goes under one is for some readers alone.
        let takes_away =
            |line: &str| ["rm ", "mv ", "git "].iter().any(|program| line.trim_start().starts_with(program));
        let is_led_in = || {
            words::is_lead_in(piece.sentence)
                || words::is_elsewhere(piece.sentence)
                || words::is_apart(piece.sentence)
                || words::is_conditional(piece.sentence) && piece.content.lines().any(takes_away)
                || words::was_run(piece.sentence)
        };
        Some(match shell::file_commands(piece.content) {
            Some(shell::FileCommands { text, rest }) if !shell::copies_samples(&text) && !is_led_in() => {
                let mut candidate = piece.candidate(Form::Commands, text);
                (candidate.groups, candidate.naming) = (Vec::new(), None);
                if rest {
                    Reading::CandidatesAndCommands(vec![candidate])
                } else {
                    Reading::Candidates(vec![candidate])
                }
            }
            _ => Reading::Note(NoteKind::Commands),
        })
    }
}

/// What a program prints: a tree, a log, a trace, a transcript.
struct Printed;

impl PlainForm for Printed {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let file = piece
            .path()
            .is_some_and(|path| super::fits_language("text", path) && !crate::file_name::is_output(path));
        let is_output = piece.class == Class::Output && !file;
        let printed = matches!(piece.class, Class::Output | Class::Code)
            && output::is_printed(piece.content, piece.language, piece.path().is_some());
        let is_text = matches!(piece.class, Class::Output | Class::Markdown) || piece.language.is_empty();
        let message = is_text && piece.path().is_none() && words::is_message(piece.sentence);
        // What stands right below commands is what they print.
        let is_below = piece.language.is_empty()
            && piece.before == Some(super::piece::Became::Note(NoteKind::Commands))
            && piece.above.near().next().is_none()
            && piece.groups.iter().all(|group| group.held);
        (is_output || printed || message || is_below).then_some(Reading::Note(NoteKind::Output))
    }
}

/// The words above say that it is an old state, a wrong one, an output, an example.
struct LeadIn;

impl PlainForm for LeadIn {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let goes_on = piece.before == Some(super::piece::Became::Note(NoteKind::LeadIn));
        let near =
            piece.above.nearest().is_some_and(|prose| matches!(prose.kind(), super::above::Kind::Heading(_)));
        let heading = || {
            let Some(prose) = piece.above.headings().next() else { return false };
            words::is_old_heading(prose.line.text)
                || piece.path().is_none() && words::is_strong_lead_in(prose.line.text)
        };
        // An info string with a path is how an edit is named: only a state of now is none.
        if piece.groups.first().is_some_and(|group| group.place == Place::Info && group.sure_path().is_some())
        {
            return words::is_state(piece.sentence).then_some(Reading::Note(NoteKind::LeadIn));
        }
        // What the answer wants to see it does not write.
        let asks = || piece.above.near().take(2).any(|prose| words::asks_to_see(prose.line.text));
        // "The script creates two files:", and a sample of each.
        let is_item = |text: &str| crate::file_name::list_item(text.trim()).is_some();
        let is_written = || {
            is_item(piece.label())
                && piece.above.near().take(4).any(|prose| words::is_written_by_program(prose.line.text))
        };
        let is_pseudo = || piece.content.lines().next().is_some_and(words::is_pseudo);
        // "### Fix the current gate:" above a file that names itself: "current" is said of what changes.
        let is_own = near
            && piece.naming.is_some_and(|naming| naming.sure)
            && words::is_state(piece.sentence)
            && !words::is_old_heading(piece.sentence);
        let lead_in = words::lead_in(piece.sentence)
            .filter(|kind| *kind != words::LeadIn::Case || !lead::may_want(piece.sentence))
            .or_else(|| says_how_to_use(piece.sentence).then_some(words::LeadIn::Open))
            .filter(|_| !is_own);
        let is_firm = lead_in == Some(words::LeadIn::Firm)
            || words::praises(piece.sentence)
            || is_pseudo()
            || asks()
            || near && words::is_strong_lead_in(piece.sentence)
            || heading()
            || is_written()
            || goes_on && words::goes_on(piece.sentence);
        if is_firm {
            return Some(Reading::Note(NoteKind::LeadIn));
        }
        lead_in?;
        Some(Reading::Illustration(piece.candidate(Form::Code, piece.content.to_owned())))
    }
}

// Returns true if `line` says how something is used, and names no file in which: "Here's how you would call it:".
fn says_how_to_use(line: &str) -> bool {
    #[rustfmt::skip]
    const HOW: &[&str] = &["how", "wie", "comment", "cómo", "como", "come", "как"];
    #[rustfmt::skip]
    const USES: &[&str] = &[
        "use", "call", "invoke", "try", "consume", "verwend", "benutz", "aufruf", "utilise", "appele", "usar", "usas", "llama", "chamar", "usare", "chiamare", "использ", "вызва", "вызыва",
    ];
    // What stands between the two: who may do it.
    #[rustfmt::skip]
    const WHO: &[&str] = &[
        "you", "we", "i", "one", "d", "would", "could", "can", "might", "may", "will", "ll", "to", "then", "du", "man", "sie", "es", "würdest", "würde", "kannst", "kann", "vous", "on",
        "tu", "l", "pourriez", "pouvez", "peut", "se", "puedes", "podrías", "pode", "você", "si", "può", "вы", "можно", "его",
    ];
    // A verb, and no longer word that begins like it: "how users call".
    const ENDING: usize = 3;
    let lower = line.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let is_use = |word: &str| {
        USES.iter().any(|verb| {
            word.strip_prefix(verb).is_some_and(|rest| {
                rest.is_empty() || !verb.is_ascii() || verb.len() > 5 && rest.len() <= ENDING
            })
        })
    };
    let is_how = |at: usize| {
        let mut behind = words[at + 1..].iter().skip_while(|word| WHO.contains(word));
        HOW.contains(&words[at]) && behind.next().is_some_and(|word| is_use(word))
    };
    words::announces(line) && (0..words.len()).any(is_how) && !mention::names_file(line)
}

struct JsonFiles;

impl PlainForm for JsonFiles {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        if piece.path().is_some()
            || !matches!(piece.language, "" | "json" | "jsonc" | "json5" | "javascript" | "js")
        {
            return None;
        }
        let files = json::files(piece.content)?;
        if words::sends(piece.sentence) {
            return Some(Reading::Note(NoteKind::LeadIn));
        }
        let candidate = |(path, old, content)| {
            let mut candidate = piece.candidate(Form::of_json(old), content);
            candidate.language = String::new();
            candidate.groups = json::groups(path, piece.lines.start);
            candidate.naming = None;
            candidate
        };
        Some(Reading::Candidates(files.into_iter().map(candidate).collect()))
    }
}

/// Elements of chat apps within a fence.
struct Elements;

impl PlainForm for Elements {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        if piece.path().is_some() || !matches!(piece.language, "" | "xml" | "html" | "text" | "markdown") {
            return None;
        }
        let candidates = element::in_fence(piece.content, piece.lines.start + 1);
        (!candidates.is_empty()).then_some(Reading::Candidates(candidates))
    }
}

/// Several files in one fence, each below a comment with its path.
struct Files;

impl PlainForm for Files {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let parts = comment::parts(piece.content, piece.language);
        if parts.len() < 2 {
            return None;
        }
        let count = parts.len();
        let lines = piece.lines.start + 1;
        let part = |(index, part): (usize, comment::Part)| -> Candidate {
            let mut candidate = piece.candidate(Form::Code, part.content);
            let first = lines.saturating_add(part.line);
            candidate.lines = first..first.saturating_add(part.length);
            candidate.groups = vec![comment::group(&part.naming, first)];
            candidate.naming = Some(part.naming.bytes);
            candidate.closed = piece.closed || index + 1 < count;
            candidate
        };
        Some(Reading::Candidates(parts.into_iter().enumerate().map(part).collect()))
    }
}

/// Text for a place of a file that the words above give.
struct Placed;

impl PlainForm for Placed {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let form = if piece.verb == Some(Verb::Append) { Form::Append } else { placed::form(piece)? };
        Some(Reading::Candidates(vec![piece.candidate(form, piece.content.to_owned())]))
    }
}

struct Code;

impl PlainForm for Code {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        Some(code(piece))
    }
}

fn code(piece: &Piece<'_, '_>) -> Reading {
    Reading::Candidates(vec![piece.candidate(Form::Code, piece.content.to_owned())])
}
