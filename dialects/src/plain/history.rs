//! Sentences that lead to a diff of what is there already, or elsewhere: what a commit, a branch or somebody else did.
//!
//! ````text
//! This commit broke the mails:                      the diff is its subject, and the verb is of the past
//! Your stash contains this:                         the diff is its object, and somebody else has it
//! The only difference between `main` and `b`:       it compares what is there
//! Your last commit broke the mails. Revert it:      none: the last clause has something done
//! This commit adds the check:                       none: the answer may speak of its own diff
//! ````
//!
//! A model that was taught to write diffs puts them below any prose, so that only such a sentence counts.

use super::clause::{CODE, Clause, Clauses};
use super::lead::{self, Lead};
use super::phrases::WordList;

// What a project has of changes besides the files that are checked out.
#[rustfmt::skip]
static RECORDS: WordList = WordList::new(&[
    "commit", "commits", "commit's", "branch", "branch's", "stash", "pr", "prs", "request", "merge", "revision", "release", "tag", "fork", "backup", "upstream", "changeset", "patchset",
    "deploy", "deployment", "update", "upgrade", "refactoring", "rewrite",
    "zweig", "branche", "rama", "ramo", "коммит", "коммите", "коммитом", "ветка", "ветке", "ветки",
]);

// Others than the answer and its reader who do something.
#[rustfmt::skip]
static OTHERS: WordList = WordList::new(&[
    "attacker", "attackers", "attacker's", "hacker", "colleague", "colleagues", "coworker", "teammate", "someone", "somebody", "maintainer", "maintainers", "upstream", "contributor",
    "angreifer", "kollege", "kollegin", "jemand", "attaquant", "collègue", "quelqu'un", "atacante", "compañero", "alguien", "alguém", "colega",
    "attaccante", "collega", "qualcuno", "злоумышленник", "коллега", "кто-то",
]);

// What somebody has, and verbs that may end a sentence which shows it.
#[rustfmt::skip]
static HAVE: WordList = WordList::new(&[
    "has", "had", "contains", "contained", "holds", "held", "shows", "showed", "includes", "included", "did", "hat", "hatte", "enthält", "enthielt", "zeigt", "contient", "montre", "contiene", "muestra",
    "contém", "mostra", "содержит", "показывает",
]);

// Words before a record, or between it and its article, by which it is there already.
#[rustfmt::skip]
static THEIRS: WordList = WordList::new(&[
    "your", "their", "his", "her", "our", "last", "previous", "earlier", "latest", "older", "old", "first", "other", "original", "bad", "broken", "offending", "that", "recent", "faulty",
    "main", "dein", "deine", "deinem", "deiner", "ihr", "ihre", "ihrem", "letzte", "letzter", "letzten", "votre", "vos", "ton", "dernier", "dernière", "tu", "su", "último", "última",
    "seu", "sua", "tuo", "tua", "ultimo", "ваш", "твой", "последний", "прошлый", "другой",
]);

// Words that stand for the diff below.
#[rustfmt::skip]
static THIS: WordList = WordList::new(&[
    "this", "that", "these", "following", "so", "dies", "dieser", "diesem", "diese", "dieses", "das", "folgendes", "folgende", "folgenden", "ce", "cette", "ceci", "cela", "suivant", "este", "esta",
    "esto", "siguiente", "isto", "isso", "esse", "seguinte", "questo", "questa", "seguente", "это", "этот", "этом", "этим", "следующее",
]);

// What the answer does itself, or has its reader do.
#[rustfmt::skip]
static OWN: WordList = WordList::new(&[
    "i", "i've", "i'd", "i'm", "we", "we've", "me", "my", "let", "let's", "lets", "should", "must", "needs", "need", "needed", "want", "wants", "ich", "wir", "sollte", "muss", "je", "j'ai", "nous",
    "devrait", "doit", "yo", "debe", "debería", "eu", "deve", "io", "я", "мы", "нужно", "new", "fix", "patch", "revert", "undo", "restore", "reverts", "restores",
]);

// What is not there, or was asked for, is shown to be made.
#[rustfmt::skip]
static LACKS: WordList = WordList::new(&[
    "missed", "misses", "missing", "lacked", "lacks", "forgot", "forgets", "omitted", "skipped", "asked", "requested", "wanted", "required", "expected", "suggested", "proposed", "recommended",
    "fehlt", "fehlte", "vergaß", "manque", "oublié", "falta", "olvidó", "esqueceu", "manca", "забыл", "попросил",
]);

// Verbs of the past that do not end in "-ed", and those that say what somebody has, or may do.
#[rustfmt::skip]
static TELLS: WordList = WordList::new(&[
    "did", "broke", "brought", "came", "went", "made", "was", "were", "took", "hid", "lost", "cut", "put", "got", "had", "left", "wrote", "began", "became", "gave", "led", "set", "has",
    "contains", "holds", "shows", "looks", "does", "could", "would", "might", "may", "brach", "brachte", "kam", "kamen", "machte", "war", "hat", "hatte", "enthält", "zeigt", "änderte", "verursachte",
    "könnte", "wurde", "a", "contient", "montre", "pourrait", "était", "rompió", "introdujo", "hizo", "cambió", "contiene", "podría", "causó", "muestra", "quebrou", "introduziu", "fez",
    "mudou", "contém", "poderia", "causou", "mostra", "ha", "potrebbe", "содержит", "сломал", "внёс", "внес", "сделал", "изменил", "показывает", "мог",
]);

// The same of a record that the sentence points to ("this commit"): the answer may call its own diff so, but not of these.
#[rustfmt::skip]
static HARMS: WordList = WordList::new(&[
    "broke", "caused", "introduced", "brought", "led", "regressed", "triggered", "was", "came", "did", "brach", "brachte", "kam", "kamen", "verursachte", "war", "eingeführt", "cassé", "causé",
    "introduit", "rompió", "introdujo", "causó", "quebrou", "introduziu", "causou", "rotto", "introdotto", "causato", "сломал", "внёс", "внес", "вызвал",
]);

// What a program does with what it prints.
#[rustfmt::skip]
static PRINTS: WordList = WordList::new(&[
    "prints", "printed", "gives", "gave", "outputs", "output", "says", "said", "shows", "showed", "returns", "returned", "reports", "zeigt", "zeigte", "ausgabe", "affiche", "montre", "muestra", "imprime",
    "mostra", "показывает", "выводит",
]);
// Programs that print diffs of what was changed.
#[rustfmt::skip]
const PRINTERS: &[&str] = &["git show", "git diff", "git log", "git stash show", "gh pr diff", "hg diff", "svn diff"];

const DIFFERENCES: &[&str] = &[
    "difference",
    "differences",
    "differ",
    "differs",
    "differed",
    "changed",
    "diff",
    "unterschied",
    "unterschiede",
    "unterscheiden",
    "différence",
    "différences",
    "diferencia",
    "diferencias",
    "diferença",
    "diferenças",
    "differenza",
    "differenze",
    "разница",
    "различие",
];
const BETWEEN: &[&str] = &["between", "zwischen", "entre", "tra", "fra", "между"];
const AND: &[&str] = &["and", "und", "et", "y", "e", "и"];
// Words behind a record with which a clause about it begins.
const THAT: &[&str] = &["that", "which", "where", "der", "die", "das", "qui", "que", "che", "который"];

#[rustfmt::skip]
const EAST_RECORDS: &[&str] = &[
    "这个提交", "该提交", "这次提交", "上次提交", "上一次提交", "最后一次提交", "之前的提交", "你的分支", "您的分支", "另一个分支", "暂存", "このコミット", "前回のコミット", "最後のコミット", "別のブランチ", "이 커밋",
    "마지막 커밋", "이전 커밋", "다른 브랜치",
];
const EAST_TELLS: &[&str] = &[
    "引入",
    "导致",
    "破坏",
    "改动了",
    "做了",
    "包含",
    "区别",
    "壊し",
    "原因",
    "変更しました",
    "含まれ",
    "망가",
    "원인",
    "포함",
];

// Returns true if `word` is somebody else, or what somebody else has.
pub(super) fn is_others(word: &str) -> bool {
    let owner = word.strip_suffix("'s").unwrap_or(word);
    let owner = owner.split_once('\'').map_or(owner, |(_, owner)| owner);
    OTHERS.has(word) || OTHERS.has(owner)
}

// Returns true if the last sentence of `line` tells what the diff below it did, or what somebody else has.
pub(super) fn tells(line: &str) -> bool {
    let sentence = lead::last_sentence(line);
    if sentence.len() > lead::LINE || lead::asks(sentence) {
        return false;
    }
    if !sentence.is_ascii()
        && EAST_RECORDS.iter().any(|words| sentence.contains(words))
        && EAST_TELLS.iter().any(|words| sentence.contains(words))
    {
        return true;
    }
    let (text, is_printed) = without_code(sentence);
    let clauses = Clauses::of(&text);
    // "`git show HEAD` prints:"
    if is_printed
        && clauses.words().any(|word| PRINTS.has(word))
        && !clauses.words().any(|word| OWN.has(word))
    {
        return true;
    }
    // "Commit `a1b2c3d`, which did this:"
    let mut backwards = clauses.iter().rev();
    if let (Some(last), Some(before)) = (backwards.next(), backwards.next())
        && THAT.contains(&last.first())
        && !lead::has_done_first(before)
    {
        let words: Vec<&str> = before.words().chain(last.words().skip(1)).collect();
        if tells_words(&words) {
            return true;
        }
    }
    // What follows only explains.
    let mut last = clauses.iter().rev().skip_while(|clause| lead::explains(*clause));
    last.next().is_some_and(tells_clause)
}

// Returns `sentence` with the names of commits as words, and whether it has a program that prints diffs.
fn without_code(sentence: &str) -> (String, bool) {
    let (mut text, mut is_printed) = (String::with_capacity(sentence.len()), false);
    for (index, part) in sentence.split('`').enumerate() {
        match index % 2 {
            0 => push_with_hashes(part, &mut text),
            _ if is_hash(part) => text.push_str("that commit"),
            _ => {
                is_printed |= PRINTERS.iter().any(|program| part.starts_with(program));
                text.push_str("`x`");
            }
        }
    }
    (text, is_printed)
}

fn is_hash(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

// Adds `part` to `text`, with the hashes of commits in it as words.
fn push_with_hashes(part: &str, text: &mut String) {
    let is_sign = |c: char| !c.is_alphanumeric();
    for word in part.split_inclusive(is_sign) {
        let bare = word.trim_end_matches(is_sign);
        // "defaced" is a word.
        if is_hash(bare) && bare.bytes().any(|byte| byte.is_ascii_digit()) {
            text.push_str("that commit");
            text.push_str(&word[bare.len()..]);
        } else {
            text.push_str(word);
        }
    }
}

// Returns what the heading `line` makes of deeds below it: those of a request to merge, or of another project, are done
// already, or not here.
pub(super) fn of_heading(line: &str) -> Lead {
    let clauses = Clauses::of(line);
    let words: Vec<&str> = clauses.words().collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let request = (0..words.len()).find(|at| match words[*at] {
        "pr" | "mr" | "upstream" => true,
        "request" => *at > 0 && matches!(words[at - 1], "pull" | "merge"),
        _ => false,
    });
    match request {
        Some(at) => {
            let is_theirs = words[at] == "upstream"
                || words.get(at + 1).is_some_and(|word| is_number(word))
                || words[at.saturating_sub(3)..at]
                    .iter()
                    .any(|word| THEIRS.has(word) || word.ends_with("'s"));
            if is_theirs { Lead::Report } else { Lead::Condition }
        }
        None if words.iter().any(|word| matches!(*word, "review" | "changelog")) => Lead::Condition,
        None => Lead::Open,
    }
}

fn tells_clause(clause: Clause<'_>) -> bool {
    let words: Vec<&str> = clause.words().collect();
    !lead::has_done_first(clause) && tells_words(&words)
}

fn tells_words(words: &[&str]) -> bool {
    if words.iter().any(|word| OWN.has(word) || LACKS.has(word)) {
        return false;
    }
    compares(words) || is_record_that_did(words) || others_did(words) || was_done_by_record(words)
}

// "The only difference between `main` and `b`"
fn compares(words: &[&str]) -> bool {
    let Some(at) = words.iter().position(|word| BETWEEN.contains(word)) else { return false };
    let (before, behind) = words.split_at(at);
    let is_state = |word: &&str| *word == CODE || RECORDS.has(word) || matches!(*word, "main" | "master");
    before.iter().any(|word| DIFFERENCES.contains(word))
        && behind.iter().any(|word| AND.contains(word))
        && behind.iter().any(is_state)
        && !behind.iter().any(|word| lead::has_done(word))
}

// "This commit broke it", "the commit that broke it", "mit diesem Commit kam er"
fn is_record_that_did(words: &[&str]) -> bool {
    let is_pointed_to = |at: usize| {
        let (before, behind) = (&words[..at], &words[at + 1..]);
        before.iter().rev().take(2).any(|word| THIS.has(word))
            || behind.first().is_some_and(|word| THAT.contains(word))
    };
    let is_change =
        |at: usize| matches!(words[at], "change" | "änderung" | "changement" | "cambio" | "mudança");
    (0..words.len()).any(|at| (is_record(words, at) || is_change(at)) && is_pointed_to(at))
        && words.iter().any(|word| HARMS.has(word))
}

// "This was changed in your last commit", "In that commit this was changed"
fn was_done_by_record(words: &[&str]) -> bool {
    let is_passive = |pair: &[&str]| {
        THIS.has(pair[0])
            && matches!(
                pair[1],
                "was" | "were" | "got" | "wurde" | "wurden" | "fue" | "foi" | "è" | "было" | "a"
            )
    };
    words.windows(2).any(is_passive)
        && (0..words.len()).any(|at| is_record(words, at) && is_theirs(words, at))
}

fn is_record(words: &[&str], at: usize) -> bool {
    match words[at] {
        "request" => at > 0 && matches!(words[at - 1], "pull" | "merge"),
        word => RECORDS.has(word),
    }
}

// Returns true if the words around the record at `at` say that it is there already.
fn is_theirs(words: &[&str], at: usize) -> bool {
    let around = &words[at.saturating_sub(3)..(at + 2).min(words.len())];
    around.iter().any(|word| THEIRS.has(word) || OTHERS.has(word) || *word == CODE || word.ends_with("'s"))
        || matches!(words[at], "stash" | "upstream")
}

// "Your last commit did this", "an attacker's pull request could hide this", "the stash contains"
fn others_did(words: &[&str]) -> bool {
    let is_subject = |at: &usize| match words[*at] {
        "he" | "she" | "they" | "er" => *at == 0,
        word => OTHERS.has(word) || is_record(words, *at) && is_theirs(words, *at),
    };
    let subject = (0..words.len()).find(is_subject);
    let Some(subject) = subject else { return false };
    let behind = &words[subject + 1..];
    // "… made this change"
    let behind = match behind {
        [rest @ .., this, "change" | "changes"] if THIS.has(this) => &behind[..=rest.len()],
        _ => behind,
    };
    let is_verb = |word: &&str| TELLS.has(word) || word.len() > 4 && word.ends_with("ed");
    let Some(verb) = behind.iter().position(is_verb) else { return false };
    let is_done = |word: &&str| lead::has_done(word) && !word.ends_with("ed");
    // What is done is the diff itself, and not something that it mends.
    let ends = |word: &&str| THIS.has(word) || HAVE.has(word) && verb + 1 == behind.len();
    let is_shown = behind.last().is_some_and(ends);
    is_shown && !behind.iter().any(is_done)
}

#[cfg(test)]
mod tests {
    use super::{Lead, of_heading, tells};

    #[test]
    fn sentences_that_tell_what_a_diff_did() {
        for line in [
            "Found it. This commit broke the mails:",
            "Your last commit did this:",
            "The previous commit changed this:",
            "Commit `a1b2c3d` did the following:",
            "This is the only difference between `main` and `feature/sum`:",
            "`app/config.py` changed like this between 1.0 and 1.1:",
            "Der Fehler kam mit diesem Commit herein:",
            "Dein letzter Commit hat das:",
            "Here is the commit that introduced the regression:",
            "Your stash contains this:",
            "In `a1b2c3d4` this was changed:",
            "This was changed in the last deployment:",
            "`git show HEAD~1` prints:",
            "On the `dev` branch it looks like this:",
            "Este commit rompió los correos:",
            "C'est le commit qui a cassé l'envoi :",
            "The stash contains:",
            "An attacker's pull request could hide this:",
            "Upstream did this:",
            "Your colleague's branch has the following:",
            "Tu último commit hizo esto:",
            "Votre dernier commit a fait ceci :",
            "O seu último commit fez isto:",
            "Ваш последний коммит сделал это:",
            "这个提交引入了问题：",
            "このコミットが原因です：",
        ] {
            assert!(tells(line), "{line}");
        }
    }

    #[test]
    fn headings_of_what_others_did() {
        for (line, expected) in [
            ("# Review of your pull request", Lead::Report),
            ("## PR #42 review", Lead::Report),
            ("## Changes upstream", Lead::Report),
            ("## What this PR changes", Lead::Condition),
            ("## Code review", Lead::Condition),
            ("## Files to delete", Lead::Open),
            ("## Pull the request out of `a.py`", Lead::Open),
        ] {
            assert_eq!(of_heading(line), expected, "{line}");
        }
    }

    #[test]
    fn sentences_that_lead_to_an_edit() {
        for line in [
            "Here's the diff:",
            "This commit adds the missing check:",
            "The PR contains two changes:",
            "Your last commit broke the mails. This fixes it:",
            "Your last commit broke the mails; revert it with:",
            "Your last commit forgot this:",
            "The reviewer requested this:",
            "Your branch needs this:",
            "I changed the port in this commit:",
            "Your last commit dropped the check:",
            "Here is the difference between the old and the new version:",
            "Apply this on your branch:",
            "This was missing in your last commit:",
            "Run `git diff`, it should print this:",
            "Here's what changed in `a.py`:",
            "First change:",
            "The names have to be sorted before they are returned:",
            "The first request failed:",
            "Your last update failed:",
            "Should your last commit have done this?",
            "The upstream fix is this:",
            "Add this between `a` and `b`:",
            "In your last commit the port was changed, so use this:",
            "Your commit is fine, but this line is missing:",
            "",
        ] {
            assert!(!tells(line), "{line}");
        }
    }
}
