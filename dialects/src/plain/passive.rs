//! Deletions and moves that words behind a path state: "`p` can be removed", "`p` — delete", "| `p` | Delete |",
//! "`a` should be renamed to `b`", "Run `git rm p`".
//!
//! Such a sentence may also describe, so that each is a question.

use super::mention::{self, LocatedMention, MentionMark};
use super::operation;
use super::path::Shape;
use super::phrases::MayHave;
use super::shell;
use super::words;
use super::{Candidate, Form};
use crate::cursor::Line;

/// The most words between a path and what is to be done with it, and within that.
const FAR: usize = 8;
const NEAR: usize = 4;

/// Words with which it begins what is to be done, and one of which ends it; those in which it negates.
#[rustfmt::skip]
const MODALS: &[&str] = &[
    "can", "should", "must", "needs", "need", "has", "have", "kann", "können", "sollte", "sollten", "muss", "müssen", "darf", "peut", "peuvent", "doit", "doivent", "puede",
    "pueden", "debe", "deben", "se", "pode", "podem", "deve", "devem", "può", "possono", "devono", "можно", "нужно", "следует", "надо",
];
#[rustfmt::skip]
const GOES: &[&str] = &[
    "deleted", "removed", "dropped", "gelöscht", "entfernt", "supprimé", "supprimés", "supprimer", "eliminado", "eliminados", "eliminarse", "eliminar",
    "borrado", "borrarse", "borrar", "removido", "removidos", "excluído", "apagado", "rimosso", "eliminato", "rimossi", "удалить", "удалён",
];
#[rustfmt::skip]
const MOVES: &[&str] = &[
    "renamed", "moved", "umbenannt", "verschoben", "renommé", "déplacé", "renombrado", "movido", "renomeado", "rinominato", "spostato", "переименовать",
    "переместить",
];
const NOT: &[&str] = &["not", "never", "nicht", "pas", "no", "não", "non", "не"];
/// The same behind a path, in scripts without blanks between words.
#[rustfmt::skip]
const EAST_GOES: &[&str] = &[
    "を削除してください", "を削除します", "は削除し", "は削除でき", "可以删除", "应该删除", "应删除", "需要删除", "可删除", "可以刪除", "을 삭제하세요", "를 삭제하세요", "을 삭제합니다", "를 삭제합니다",
    "는 삭제해도", "은 삭제해도",
];
const EAST_MOVES: &[&str] = &["重命名为", "改名为", "移动到", "移到", "重新命名為", "重命名為"];
const EAST_MOVED: &[&str] = &[
    "にリネーム",
    "に名前を変更",
    "に改名",
    "に移動",
    "로 이름을 변경",
    "로 이름을 바꾸",
    "로 이동",
    "으로 이름을 변경",
    "으로 이동",
];
/// All words of a cell, a bracket or behind a dash.
#[rustfmt::skip]
const REMARKS: &[&str] = &[
    "delete", "deleted", "remove", "removed", "to delete", "to remove", "to be deleted", "to be removed", "delete file", "delete the file", "löschen",
    "gelöscht", "entfernen", "entfernt", "supprimer", "supprimé", "à supprimer", "eliminar", "eliminado", "borrar", "excluir", "apagar", "eliminare",
    "rimuovere", "удалить", "удалён", "удален", "删除", "刪除", "已删除", "削除", "삭제",
];
/// Words that put a part of a file before its path: not the file goes.
const PARTS: &[&str] = &[
    "in", "from", "of", "inside", "within", "im", "aus", "von", "dans", "de", "du", "en", "del", "do", "da",
    "di", "в", "из", "like",
];

pub(super) fn read(line: &Line<'_>, phrases: MayHave) -> Vec<Candidate> {
    if !phrases.of(words::BEHIND_PATHS) {
        return Vec::new();
    }
    if let Some(command) = command(line) {
        return vec![command];
    }
    let mentions: Vec<LocatedMention> =
        mention::in_line(line.text, true).into_iter().filter(|one| one.shape >= Shape::Folders).collect();
    let stated = match &mentions[..] {
        [only] if operation::is_sure(only) && is_marked(only) && goes(line.text, only) => {
            Some(operation::candidate(line, only, Form::Delete))
        }
        [from, to] if operation::is_sure(from) && is_marked(from) && moves(line.text, from, to) => {
            operation::moved(line, from, to.mention.path.clone())
        }
        _ => None,
    };
    stated.into_iter().map(|one| Candidate { conditional: true, ..one }).collect()
}

fn is_marked(one: &LocatedMention) -> bool {
    one.mark > MentionMark::Bare
}

fn goes(line: &str, path: &LocatedMention) -> bool {
    let (before, after) = (&line[..path.at.start], &line[path.at.end..]);
    let is_remark = |text: &str| {
        let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        REMARKS.contains(&&*text)
    };
    let is_bare = |text: &str| !text.contains(char::is_alphanumeric);
    // "- `a.py` (deleted): nobody uses it."
    let bracket = after.trim_start_matches(['`', '*', '_', '~', ' ']).strip_prefix(['(', '（']);
    let bracket = bracket.and_then(|rest| rest.split_once([')', '）'])).map(|(inner, _)| inner);
    if is_bare(before) && bracket.is_some_and(is_remark) {
        return true;
    }
    // "`a.py` is obsolete: delete it.", "Move the helpers and delete `a.py`."
    let lower = after.trim_end_matches(['.', '!', ' ']).to_lowercase();
    let ends_so =
        ["delete it", "remove it", "delete this file", "remove this file", "delete the file", "lösche sie"]
            .iter()
            .any(|words| lower.ends_with(words));
    // "You no longer need `a.py`" doubts nothing.
    let needless = before.replace("no longer", "");
    if ends_so && is_subject(&needless) && !words::is_doubtful(after)
        || is_bare(after) && words::goes_with(before) && !words::is_doubtful(before)
    {
        return true;
    }
    let behind = after.trim_start_matches(['`', '*', '_', '~', ' ']);
    let apart = behind.starts_with(['-', '–', '—', ':', '(', '|', '（', '：']);
    if is_bare(before) && apart && is_remark(after)
        || before.starts_with('|') && is_remark(before) && is_bare(after)
    {
        return true;
    }
    let behind = behind.trim_start_matches("ファイル");
    is_subject(before)
        && (ought(after, GOES)
            || !after.is_ascii() && EAST_GOES.iter().any(|words| behind.starts_with(words)))
}

fn moves(line: &str, from: &LocatedMention, to: &LocatedMention) -> bool {
    let (before, after) = (&line[..from.at.start], &line[to.at.end..]);
    let Some(between) = line.get(from.at.end..to.at.start) else { return false };
    let joint = between.trim_matches(['`', ' ', '*']);
    let behind = after.trim_start_matches(['`', '*', ' ']);
    let east = EAST_MOVES.iter().any(|words| joint.ends_with(words))
        || ["を", "을", "를"].contains(&joint) && EAST_MOVED.iter().any(|words| behind.starts_with(words));
    let last = joint.split(' ').next_back().unwrap_or_default();
    let is_said = ["renamed to", "moved to", "becomes", "should be called", "umbenannt in", "renommé en"]
        .contains(&joint)
        && !after.contains(char::is_alphanumeric);
    is_subject(before)
        && (is_said || ought(between, MOVES) && words::is_to(last) || !joint.is_ascii() && east)
}

// Returns true if the path behind `before` is what the sentence is about, and not where that is.
fn is_subject(before: &str) -> bool {
    let last =
        before.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty()).unwrap_or_default();
    !PARTS.contains(&&*last.to_lowercase()) && before.matches('`').count() < 2 && !words::is_doubtful(before)
}

// Returns true if `after` a path says what ought to be done with it: one of `deeds`.
fn ought(after: &str, deeds: &[&str]) -> bool {
    let words = after.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(FAR + NEAR + 2).map(str::to_lowercase).collect();
    let Some(modal) = words.iter().take(FAR).position(|word| MODALS.contains(&word.as_str())) else {
        return false;
    };
    let rest = &words[modal + 1..];
    let deed = rest.iter().take(NEAR).position(|word| deeds.contains(&word.as_str()));
    let end = after.find(['`', ':', ';']).filter(|at| *at > 1);
    deed.is_some_and(|deed| !rest[..deed].iter().any(|word| NOT.contains(&word.as_str())))
        && end.is_none_or(|end| after[..end].split_whitespace().count() > modal)
}

// The command that a sentence says to run: "Run `git rm p`."
fn command(line: &Line<'_>) -> Option<Candidate> {
    let (before, rest) = line.text.split_once('`')?;
    let (code, _) = rest.split_once('`')?;
    let changes = ["git rm ", "git mv ", "rm ", "mv "].iter().any(|program| code.starts_with(program));
    if !changes || !words::is_run(before) || words::is_doubtful(before) {
        return None;
    }
    let shell::FileCommands { text, rest: false } = shell::file_commands(code)? else { return None };
    let lines = line.number..line.number.saturating_add(1);
    let words = super::content::cut(line.text.trim()).to_owned();
    let candidate = Candidate::in_groups(lines, Form::Commands, Vec::new());
    Some(Candidate { words, content: text, conditional: true, ..candidate })
}
