//! Words above code that have just that code taken out of its file: "In `a.py`, remove the check:".
//!
//! A sentence that goes on with what comes instead removes nothing that it shows: "Remove the check and return early:".

use super::clause::{CODE, Clauses};
use super::phrases::{Phrases, has_east};
use super::tables::{ARTICLES, DELETES};
use super::words;

// Verbs that take lines out of a file, besides those of `DELETES`.
#[rustfmt::skip]
const TAKES_OUT: &[&str] = &[
    "take out", "cut", "cut out", "strip", "strip out", "streiche", "supprime", "retirez", "retire", "enlevez", "enlève", "elimine", "quita", "quite", "apague", "togli",
    "уберите", "убери",
];

// Words before the verb: when, where, and who.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "and", "then", "also", "next", "finally", "please", "you", "can", "should", "now", "simply", "just", "in", "inside", "within", "from", "at", "to", "step", "und", "dann", "auch", "bitte",
    "jetzt", "aus", "dans", "et", "puis", "ensuite", "en", "y", "luego", "ahora", "em", "e", "poi", "nel", "в", "и", "затем",
];

// Words that lead to what comes instead, or to what is left.
#[rustfmt::skip]
const INSTEAD: &[&str] = &[
    "instead", "so", "then", "leaving", "leave", "leaves", "left", "keep", "keeping", "only", "until", "becomes", "become", "reads", "look", "looks", "result", "results", "resulting", "gives",
    "after", "before", "stattdessen", "damit", "sodass", "bleibt", "behalte", "nur", "danach", "ensuite", "puis", "plutôt", "reste", "garde", "gardez", "seulement", "pour", "luego", "quede", "queda",
    "deja", "solo", "para", "então", "fica", "deixe", "poi", "resta", "затем", "чтобы", "останется", "оставьте",
];

// Words behind which a further deed follows, unless they join two things.
const JOINTS: &[&str] = &["and", "or", "but", "to", "und", "oder", "et", "ou", "y", "o", "e", "и", "или"];

// Words before a thing.
#[rustfmt::skip]
const DETERMINERS: &[&str] = &[
    "its", "it", "all", "any", "both", "these", "those", "them", "their", "two", "three", "unused", "dead", "duplicate", "redundant", "seine", "ihre", "diese", "dieser", "dieses", "beide",
    "alle", "son", "sa", "ses", "ces", "cette", "su", "sus", "estas", "estos", "lo", "l", "i", "gli",
];

// Words that say what a definition is.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "rule", "rules", "selector", "section", "job", "step", "stage", "target", "service", "setting", "entry", "function", "functions", "method", "methods", "helper", "helpers", "class", "classes", "struct", "component", "test", "tests", "handler", "hook", "fixture", "definition", "interface",
    "enum", "trait", "type", "constructor", "macro", "module", "route", "endpoint", "wrapper", "code", "block", "lines", "this", "these", "following", "funktion", "methode", "klasse",
    "fonction", "méthode", "classe", "función", "método", "clase", "função", "funzione", "metodo", "функцию", "метод", "класс",
];

const EAST: &[&str] = &["删除", "删掉", "刪除", "移除", "去掉", "削除", "삭제", "제거"];

#[rustfmt::skip]
const EAST_OTHERWISE: &[&str] = &[
    "不", "如果", "改", "替换", "替換", "换成", "保留", "然后", "之后", "后", "并", "只", "了", "已", "ません", "ない", "置き換え", "変更", "残", "次のよう", "以下のよう", "た", "않", "말", "바꾸", "변경", "남",
    "했", "후",
];

/// Returns true if `words` above code have the code that they lead to taken out of its file. `defined` is the name of the
/// definition that the code begins with: it goes only if the words say so, for they may lead to what is left of it.
#[must_use]
pub fn removes_shown(words: &str, defined: Option<&str>) -> bool {
    let sentence =
        words.rsplit(['。', '！']).find(|part| part.chars().any(char::is_alphabetic)).unwrap_or(words);
    let sentence = super::lead::last_sentence(sentence);
    if !words::leads_to_code(sentence) || words::is_doubtful(sentence) {
        return false;
    }
    if has_east(sentence, EAST) {
        return defined.is_none_or(|name| names(sentence, name))
            && !has_east(&without_code(sentence), EAST_OTHERWISE);
    }
    let clauses = Clauses::of(sentence);
    let all: Vec<&str> = clauses.words().collect();
    let Some((start, end)) = verb(&all) else { return false };
    let is_before =
        |word: &&str| BEFORE.contains(word) || ARTICLES.contains(word) || *word == CODE || is_number(word);
    let object = &all[end..];
    all[..start].iter().all(is_before)
        && !object.is_empty()
        && !object.iter().any(|word| INSTEAD.contains(word))
        && object.windows(2).all(|pair| !JOINTS.contains(&pair[0]) || is_thing(pair[1]))
        && is_whole_place(object)
        && defined.is_none_or(|name| {
            let what = object.iter().take_while(|word| !PLACES.contains(word));
            names(sentence, name) || what.into_iter().any(|word| KINDS.contains(word))
        })
}

// Returns true if `line`, between two fences, puts the second in the place of the first: "and use this instead:".
pub(super) fn puts_instead(line: &str) -> bool {
    static WORDS: Phrases = Phrases::new(&[
        "instead",
        "in its place",
        "stattdessen",
        "à la place",
        "en su lugar",
        "no lugar",
        "al suo posto",
        "вместо этого",
    ]);
    WORDS.are_in(line) || has_east(line, &["替换为", "改为", "换成", "代わりに", "대신"])
}

// Words behind which stands where something is.
const PLACES: &[&str] = &["from", "in", "inside", "of", "at", "aus", "von", "dans", "du", "del", "из", "в"];

// Returns the places in `all` of the first verb that takes something out, and of what follows it.
fn verb(all: &[&str]) -> Option<(usize, usize)> {
    let rows =
        || DELETES.rows().iter().chain(TAKES_OUT).filter(|row| !row.ends_with("ed") && !row.contains("file"));
    let is_here =
        |at: usize, row: &str| row.split(' ').enumerate().all(|(n, word)| all.get(at + n) == Some(&word));
    (0..all.len()).find_map(|at| {
        let length = rows().filter(|row| is_here(at, row)).map(|row| row.split(' ').count()).max()?;
        Some((at, at + length))
    })
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_thing(word: &str) -> bool {
    word == CODE || ARTICLES.contains(&word) || DETERMINERS.contains(&word)
}

// Returns true if `object` says where something is by a file or a name alone: "the log from the loop:" may lead to the loop.
fn is_whole_place(object: &[&str]) -> bool {
    let mut behind = object.iter().skip_while(|word| **word != "from" && **word != "aus");
    behind.next().is_none()
        || behind
            .take(4)
            .any(|word| *word == CODE || KINDS.contains(word) || matches!(*word, "file" | "top" | "datei"))
}

// Returns true if `sentence` has `name` in code, and not as the place of what goes: "the check from `load`".
fn names(sentence: &str, name: &str) -> bool {
    let is_it = |span: &super::placed::Span<'_>| span.text.trim_end_matches("()") == name;
    let is_place = |before: &str| {
        let lower = before.to_lowercase();
        let last = lower.split_whitespace().rfind(|word| !ARTICLES.contains(word) || PLACES.contains(word));
        last.is_some_and(|word| PLACES.contains(&word)) || has_east(before, &["从", "在"])
    };
    super::placed::spans(sentence)
        .iter()
        .any(|span| is_it(span) && !is_place(span.before.trim_end_matches('`')))
}

fn without_code(sentence: &str) -> String {
    sentence.split('`').step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::removes_shown;

    #[test]
    fn words_that_take_out_what_the_code_below_them_shows() {
        for words in [
            "In `app.py`, remove the existence check:",
            "Drop the check in `load` in `app.py`:",
            "2. Take out the existence check from `load`:",
            "It isn't used any more. Delete the import and its alias:",
            "Then remove the call to `log`:",
            "You can remove the check, since the caller does it:",
            "Entferne in `app.py` die Prüfung:",
            "Dans `app.py`, supprimez la vérification :",
            "En `app.py`, elimina la comprobación:",
            "В `app.py` удалите проверку:",
            "在 `app.py` 中删除存在性检查：",
            "`app.py` から存在チェックを削除します：",
        ] {
            assert!(removes_shown(words, None), "{words}");
        }
        for words in [
            "You should not remove the check in `app.py`:",
            "If you like, remove the check:",
            "Remove the check and return early:",
            "Remove the check so that `load` reads:",
            "Remove the check, leaving:",
            "Remove the check to get:",
            "Remove the log call from the loop:",
            "I removed the check:",
            "Removing the check gives:",
            "Remove the check.",
            "Entferne die Prüfung, sodass bleibt:",
            "我删除了检查：",
            "删除检查，然后改为：",
        ] {
            assert!(!removes_shown(words, None), "{words}");
        }
        for (words, expected) in [
            ("Remove the `load` helper:", true),
            ("Remove the helper `load`:", true),
            ("Remove `load`:", true),
            ("Remove the method from the class:", true),
            ("Remove the check from `load`:", false),
            ("Remove the check in the function:", false),
            ("删除 `load`：", true),
            ("从 `load` 中删除检查：", false),
        ] {
            assert_eq!(removes_shown(words, Some("load")), expected, "{words}");
        }
    }
}
