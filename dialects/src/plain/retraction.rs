//! Lines that take back a change above them, which they name by its file or by its step.
//!
//! ````text
//! On second thought, skip step 1.                Certain
//! **Edit:** scrap `ids.ts`, ids are numbers.     Certain
//! You can skip `ids.ts` if ids stay numbers.     a question at most
//! - `ids.ts` – only if you want UUIDs            a question at most
//! Skip the tests in `ids.ts`.                    none: something in the file is meant
//! ````

use super::clause::Clauses;
use super::lead;
use super::mention::{self, LocatedMention};
use super::phrases::{Phrases, WordList, has_east};
use super::words;
use crate::cursor::Line;
use crate::file_name::list_item;

// The most steps that are remembered.
const MOST_STEPS: usize = 200;

// What a line takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Retraction {
    pub(super) target: Target,
    // False if it only may be left out, or holds under a condition.
    pub(super) is_certain: bool,
    pub(super) of: Change,
}

// The changes that the words are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Any,
    // A file is made or changed.
    Code,
    // A file goes, or is renamed.
    Deed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    File(String),
    Steps(Vec<u32>),
    // By its place among such things, from 0 on: "the second file"; `usize::MAX` for the last one.
    Nth(usize, Thing),
    // By a word of its path: "the migration".
    Named(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    File,
    Step,
    Block,
    // A step, a file or a block.
    Change,
}

// Verbs that leave a change out.
#[rustfmt::skip]
static LEAVE: Phrases = Phrases::new(&[
    "don't apply", "do not apply", "n'appliquez pas", "no apliques", "skip", "scrap", "scratch", "strike", "ignore", "forget", "forget about", "disregard", "omit", "leave out", "never mind", "ignoriere", "ignorieren sie", "überspringe", "überspringen sie", "vergiss", "streiche",
    "ignorez", "oubliez", "oublie", "sautez", "laissez tomber", "ignora", "omite", "olvida", "sáltate", "salta", "ignore", "pule", "esqueça", "dimentica", "пропустите", "игнорируйте", "забудьте про",
    "lass", "lassen sie", "take back", "revert", "忽略", "跳过", "去掉", "取消",
]);

// The same of a file that is made or changed.
#[rustfmt::skip]
static NOT_DO: Phrases = Phrases::new(&[
    "don't create", "don't add", "don't change", "don't touch", "don't use", "don't need", "do not create", "do not add", "do not change", "do not touch", "do not use",
    "do not need", "no need for", "no need to create", "no need to add", "no need to change", "won't need", "ne créez pas", "ne crée pas", "n'ajoutez pas", "n'ajoute pas", "ne modifiez pas",
    "ne touchez pas à", "pas besoin de", "no crees", "no cree", "no añadas", "no agregues", "no cambies", "no modifiques", "no toques", "no necesitas", "no hace falta", "não crie", "não adicione",
    "não altere", "não modifique", "não precisa de", "não precisa do", "non creare", "non aggiungere", "non modificare", "non toccare", "non serve", "не создавайте", "не добавляйте", "не меняйте",
    "не нужен", "不需要", "无需", "不用", "不要创建", "不要添加", "不要修改", "不必创建", "别创建",
]);

// The same of a file that goes.
#[rustfmt::skip]
static NOT_DELETE: Phrases = Phrases::new(&[
    "don't delete", "don't remove", "don't rename", "don't move", "do not delete", "do not remove", "do not rename", "do not move", "keep", "ne supprimez pas", "ne supprime pas", "gardez", "no borres",
    "no elimines", "conserva", "não apague", "não exclua", "não remova", "mantenha", "non eliminare", "non cancellare", "не удаляйте", "оставьте", "不要删除", "别删", "保留",
]);

// Words behind a file or a step that say so of it.
#[rustfmt::skip]
const LEFT_OUT: &[&str] = &[
    "can be skipped", "can be ignored", "can be left out", "may be skipped", "is optional", "is not needed", "isn't needed", "is not necessary", "isn't necessary", "is unnecessary", "is only needed",
    "is needed only", "is only necessary", "are optional", "are not needed", "aren't needed", "are only needed", "are unnecessary", "are unchanged", "is unchanged", "stays as it is", "stays unchanged", "kannst du ignorieren", "kannst du weglassen", "kannst du überspringen", "können sie ignorieren",
    "können sie weglassen", "können sie überspringen", "brauchst du nicht", "brauchen sie nicht", "wird nicht gebraucht", "wird nicht benötigt", "ist nicht nötig", "ist optional", "ist unverändert",
    "bleibt unverändert", "bleibt wie", "nicht anlegen", "nicht erstellen", "n'est pas nécessaire", "est facultatif", "est optionnel", "reste inchangé", "no es necesario", "no hace falta", "es opcional",
    "não é necessário", "é opcional", "non serve", "non è necessario", "è facoltativo", "è opzionale", "не нужен", "не нужна", "не требуется", "необязателен",
];
const LEFT_OUT_EAST: &[&str] = &[
    "不需要",
    "可以忽略",
    "可以跳过",
    "是可选",
    "可选",
    "不用",
    "不必",
    "は不要",
    "は必要ありません",
    "は無視",
    "は任意",
    "は作成しない",
    "는 필요 없",
    "은 필요 없",
    "는 무시",
    "은 무시",
    "는 선택",
    "은 선택",
];

// Words between such a verb and what it leaves out.
#[rustfmt::skip]
static FILLERS: WordList = WordList::new(&[
    "the", "a", "this", "that", "new", "file", "files", "step", "change", "changes", "to", "of", "in", "for", "about", "die", "den", "das", "der", "datei", "schritt", "le", "la", "les", "fichier",
    "l'", "étape", "el", "archivo", "paso", "o", "arquivo", "passo", "il", "файл", "шаг",
]);

// Words with which it goes on behind that.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "change", "changes", "file", "step", "part", "after all", "weglassen", "überspringen", "doch nicht", "for now", "altogether", "entirely", "completely", "again", "above", "if", "unless", "when", "because", "since", "as", "then", "too", "today", "yet",
    "falls", "wenn", "vorerst", "weg", "si", "car", "pour l'instant", "por ahora", "porque", "se", "por enquanto", "per ora", "если", "пока", "文件", "ファイル",
];

#[rustfmt::skip]
const STEPS: &[&str] = &[
    "steps", "step", "schritte", "schritt", "étapes", "étape", "pasos", "paso", "passos", "passo", "шаги", "шаг",
];
#[rustfmt::skip]
const ORDINALS: &[(usize, &[&str])] = &[
    (0, &["first", "erste", "ersten", "premier", "première", "primer", "primera", "primeiro", "primeira", "первый", "第一"]),
    (1, &["second", "zweite", "zweiten", "deuxième", "seconde", "segundo", "segunda", "secondo", "seconda", "второй", "第二"]),
    (2, &["third", "dritte", "dritten", "troisième", "tercer", "tercera", "terceiro", "terceira", "terzo", "terza", "третий", "第三"]),
    (3, &["fourth", "vierte", "vierten", "quatrième", "cuarto", "cuarta", "quarto", "quarta", "第四"]),
    (4, &["fifth", "fünfte", "fünften", "cinquième", "quinto", "quinta", "第五"]),
    (usize::MAX, &["last", "letzte", "letzten", "dernier", "dernière", "último", "última", "ultimo", "ultima", "последний", "最后"]),
];
#[rustfmt::skip]
const THINGS: &[(Thing, &[&str])] = &[
    (Thing::File, &["file", "datei", "fichier", "archivo", "arquivo", "файл", "个文件"]),
    (Thing::Step, &["step", "schritt", "étape", "paso", "passo", "шаг", "步", "个步骤"]),
    (Thing::Block, &["block", "code block", "diff", "patch", "snippet", "hunk", "codeblock", "bloc", "bloque", "bloco", "blocco", "блок", "个代码块", "个块", "段代码", "个补丁"]),
    (Thing::Change, &["change", "edit", "änderung", "modification", "changement", "cambio", "modificación", "mudança", "modifica", "изменение", "个修改", "处修改", "个改动", "处改动"]),
];

// Further words with which a line turns against what it said.
#[rustfmt::skip]
static TURNS: Phrases = Phrases::new(&[
    "on reflection", "thinking about it", "i take back", "i was wrong", "pensándolo bien", "thinking again", "bei näherem nachdenken", "réflexion faite", "pensando bem", "ripensandoci", "если подумать",
]);
const TURNS_EAST: &[&str] = &["更正", "等等", "再想想", "訂正", "やっぱり", "정정", "다시 생각"];

// Returns true if `line` may take something back: a cheap check.
pub(super) fn may_retract(line: &str) -> bool {
    static BEHIND: Phrases = Phrases::new(&[
        "can be", "may be", "is", "isn't", "stays", "only", "optional", "if", "kannst", "können", "brauchst",
        "brauchen", "wird", "leave", "keep", "nicht",
    ]);
    [&LEAVE, &NOT_DO, &NOT_DELETE, &BEHIND].iter().any(|table| table.may_be_in(line))
}

// Returns true if `line` takes back what it names by its file, step or place.
pub(super) fn names(line: &str) -> bool {
    read(line).is_some_and(|retraction| !matches!(retraction.target, Target::Named(_)))
}

// Returns what `line` takes back.
pub(super) fn read(line: &str) -> Option<Retraction> {
    if line.len() > lead::LINE || lead::asks(line) {
        return None;
    }
    let text = line.trim();
    let turns = lead::turns_back(text) || TURNS.are_in(text) || has_east(text, TURNS_EAST);
    let mentions = mention::in_line(text, true);
    let mut files = mentions.iter().filter(|one| one.mention.sure);
    let of_file = match remark(text, &mentions) {
        Some(remark) => Some(remark),
        None => files.find_map(|one| {
            let (of, is_certain) = leaves(text, one.at.start, one.at.end)?;
            Some(Retraction { target: Target::File(one.mention.path.clone()), is_certain, of })
        }),
    };
    let retraction = of_file.or_else(|| {
        let (target, at) = numbered(text).or_else(|| named(text))?;
        let (of, is_certain) = leaves(text, at.start, at.end)?;
        Some(Retraction { target, is_certain, of })
    })?;
    let is_certain = (retraction.is_certain || turns) && !is_conditional(text);
    Some(Retraction { is_certain, ..retraction })
}

// Reads an item of a list or a row of a table that names one file and says when it is needed: "- `a.ts` – optional".
fn remark(line: &str, mentions: &[LocatedMention]) -> Option<Retraction> {
    let [only] = mentions else { return None };
    let is_row = line.starts_with('|');
    if !only.mention.sure || !is_row && list_item(line).is_none() {
        return None;
    }
    let behind = line[only.at.end..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_apart = |before: &str| !before.contains(char::is_alphabetic);
    let clauses = Clauses::of(behind);
    let says = clauses.iter().any(|clause| lead::is_condition(clause));
    (is_apart(&line[..only.at.start]) && says).then(|| Retraction {
        target: Target::File(only.mention.path.clone()),
        is_certain: false,
        of: Change::Code,
    })
}

// Returns which changes of what is at the bytes from `start` to `end` of `line` the words around it leave out, and whether they
// order that.
fn leaves(line: &str, start: usize, end: usize) -> Option<(Change, bool)> {
    let sentence = lead::sentence(line, start);
    let offset = sentence.as_ptr() as usize - line.as_ptr() as usize;
    let (before, after) = (line.get(offset..start)?, line.get(end..offset + sentence.len())?);
    if words::is_left_alone(before, after) {
        return Some((Change::Any, false));
    }
    let is_mark = |c: char| matches!(c, '`' | '*' | '"' | ' ' | '_' | '“' | '”' | '（' | '(');
    let behind = after.trim_start_matches(is_mark);
    let lower = behind[..behind.floor_char_boundary(48)].to_lowercase();
    let begins = |row: &&&str| words::starts_with_words(&lower, row);
    let east = || !lower.is_ascii() && LEFT_OUT_EAST.iter().any(|row| lower.starts_with(row));
    if LEFT_OUT.iter().any(|row| begins(&row)) && !is_partly(&lower) || east() {
        return is_subject(before).then_some((Change::Code, false));
    }
    let is_end = lower.is_empty()
        || !lower.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '’'))
        || ENDS.iter().any(|row| begins(&row));
    let head = before.trim_end_matches(is_mark).to_lowercase().replace('’', "'");
    let mut head = &*head;
    while let Some((rest, word)) = head.rsplit_once(' ')
        && FILLERS.has(word)
    {
        head = rest.trim_end_matches(is_mark);
    }
    let ends = |rows: &Phrases| {
        let is_row = |row: &&&str| match row.is_ascii() || !row.chars().any(words::is_east_asian) {
            true => words::ends_with_words(head, row),
            false => head.ends_with(**row),
        };
        rows.rows().iter().filter(is_row).map(|row| head.len() - row.len()).min()
    };
    let tables = [(&LEAVE, Change::Any), (&NOT_DO, Change::Code), (&NOT_DELETE, Change::Deed)];
    let (at, of) = tables.iter().find_map(|(rows, of)| Some((ends(rows)?, *of)))?;
    // "Lass Schritt 2 weg" leaves it out, "Lass `a.py` laufen" does not.
    let is_let = ["lass", "lassen sie"].iter().any(|verb| head[at..].starts_with(verb));
    if is_let && !["weg", "aus"].iter().any(|word| words::starts_with_words(lower.trim_start(), word)) {
        return None;
    }
    // "You can skip `a.py`", "I skip `a.py`" order nothing.
    let clause = head[..at].rsplit([',', ':', ';', '.', '，', '：', '。', '–', '—']).next()?;
    let led: Vec<&str> =
        clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let permits =
        led.iter().any(|word| matches!(*word, "you" | "can" | "could" | "may" | "du" | "sie" | "vous"));
    let by_others =
        led.iter().any(|word| matches!(*word, "i" | "we" | "it" | "to" | "that" | "which" | "they"));
    (is_end && !by_others).then_some((of, !permits))
}

// Returns true if the words `before` a file say nothing of it, so that what is behind it does.
fn is_subject(before: &str) -> bool {
    const SUBJECTS: &[&str] = &[
        "the", "file", "note", "step", "die", "der", "datei", "schritt", "and", "but", "also", "le", "el",
        "o", "il", "that", "hinweis",
    ];
    let mut words = before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let last = before.rsplit([',', ':', '，', '：', ';']).next().unwrap_or_default();
    let is_clear = |word: &str| SUBJECTS.contains(&&*word.to_lowercase());
    words.all(is_clear) || last.split_whitespace().all(is_clear)
}

// Returns true if `behind` goes on with what is not left out.
fn is_partly(behind: &str) -> bool {
    // "is not needed on staging"
    let is_not = |row: &&&str| ["not", "n't", "nicht", "pas"].iter().any(|word| row.contains(word));
    let is_elsewhere = |rest: &str| [" on ", " auf ", " sur "].iter().any(|word| rest.starts_with(word));
    if LEFT_OUT.iter().filter(is_not).filter_map(|row| behind.strip_prefix(row)).any(is_elsewhere) {
        return true;
    }
    [
        "except",
        "apart from",
        "otherwise",
        "but",
        "besides",
        "bis auf",
        "außer",
        "sauf",
        "excepto",
        "salvo",
        "exceto",
    ]
    .iter()
    .any(|word| behind.contains(word))
}

fn is_conditional(line: &str) -> bool {
    Clauses::with_conditions(line).iter().any(lead::is_condition) || has_east(line, &["如果", "もし", "만약"])
}

// Returns the step or file that `line` gives by its number, and its place.
fn numbered(line: &str) -> Option<(Target, std::ops::Range<usize>)> {
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        return None;
    }
    let word_at = |word: &str| {
        lower.match_indices(word).map(|(at, _)| at).find(|at| {
            let is_apart = |c: char| !c.is_alphanumeric();
            lower[..*at].chars().next_back().is_none_or(is_apart)
                && lower[at + word.len()..].chars().next().is_none_or(is_apart)
        })
    };
    let step = STEPS.iter().find_map(|word| {
        let at = word_at(word)?;
        let (mut numbers, mut rest, mut end) = (Vec::new(), &lower[at + word.len()..], 0);
        // "Steps 2 and 3", "steps 2, 3"
        loop {
            let behind = rest.trim_start_matches([' ', '#', '\u{a0}', ',', '&']);
            let joints = ["and ", "und ", "et ", "y ", "e ", "и "];
            let behind = joints.iter().find_map(|joint| behind.strip_prefix(joint)).unwrap_or(behind);
            let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
            let Ok(number) = behind[..digits].parse() else { break };
            numbers.push(number);
            rest = &behind[digits..];
            end = lower.len() - rest.len();
        }
        (!numbers.is_empty()).then_some((Target::Steps(numbers), at..end))
    });
    // "第 2 步"
    let east = || {
        let (before, rest) = lower.split_once('第')?;
        let (number, behind) = rest.split_once('步')?;
        let number = number.trim().parse().ok()?;
        Some((Target::Steps(vec![number]), before.len()..lower.len() - behind.len()))
    };
    step.or_else(east).or_else(|| nth(&lower))
}

// Returns the thing that `lower` counts: "the second block".
fn nth(lower: &str) -> Option<(Target, std::ops::Range<usize>)> {
    for (index, ordinals) in ORDINALS {
        for ordinal in *ordinals {
            for (at, _) in lower.match_indices(ordinal) {
                let is_east = ordinal.chars().any(words::is_east_asian);
                let is_apart = lower[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
                let behind = lower[at + ordinal.len()..].trim_start();
                let begins = |thing: &&&str| match is_east {
                    true => behind.starts_with(**thing),
                    false => words::starts_with_words(behind, thing),
                };
                let named = THINGS.iter().find_map(|(thing, rows)| Some((*thing, rows.iter().find(begins)?)));
                if let Some((thing, row)) = named.filter(|_| is_east || is_apart) {
                    let end = lower.len() - behind.len() + row.len();
                    return Some((Target::Nth(*index, thing), at..end));
                }
            }
        }
    }
    None
}

// Returns the noun that an order to leave something out ends with, and its place: "forget the migration".
fn named(line: &str) -> Option<(Target, std::ops::Range<usize>)> {
    const SHORTEST: usize = 4;
    let text = line.trim_end_matches(['.', '!', ' ', '*', '_']);
    let clause = text.split([':', ';', ',', '.']).rfind(|clause| LEAVE.are_in(clause))?;
    let mut words = clause.trim_end().rsplit(' ');
    let noun = words.next()?;
    let is_noun = noun.len() >= SHORTEST && noun.chars().all(char::is_alphabetic) && !ENDS.contains(&noun);
    let has_article = words.next().is_some_and(|word| FILLERS.has(&word.to_lowercase()));
    let at =
        clause.trim_end().as_ptr() as usize - line.as_ptr() as usize + clause.trim_end().len() - noun.len();
    (is_noun && has_article).then(|| (Target::Named(noun.to_lowercase()), at..at + noun.len()))
}

// Returns true if `word` is a part of the `path`: "migration" of `migrations/0002_size.sql`.
pub(super) fn is_called(word: &str, path: &str) -> bool {
    let is_part = |part: &str| {
        part == word || part.strip_suffix('s') == Some(word) || word.strip_suffix('s') == Some(part)
    };
    path.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(is_part)
}

// Returns the number of the step that `line`, a heading or an item, begins.
pub(super) fn step_of(line: &str) -> Option<u32> {
    let text = line.trim_start_matches(['#', '*', ' ', '_', '-']);
    let lower = text[..text.floor_char_boundary(16)].to_lowercase();
    let rest = STEPS.iter().find_map(|word| lower.strip_prefix(word));
    let is_marked =
        rest.is_some() || line.trim_start().starts_with(['#', '*', '_']) || list_item(line.trim()).is_some();
    let rest = rest.or_else(|| lower.strip_prefix('第')).unwrap_or(&lower).trim_start_matches([' ', '#']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends = rest[digits..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '%' || c == '步');
    (is_marked && ends).then(|| rest[..digits].parse().ok()).flatten()
}

// Returns true if `target`, a path as a line gives it, is the file at `path`.
pub(super) fn is_file(target: &str, path: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    ends(path, target) || ends(target, path)
}

// The lines at which numbered steps begin, with their numbers, in document order.
#[derive(Debug, Default)]
pub(super) struct Steps(Vec<(u32, u32)>);

impl Steps {
    pub(super) fn read(&mut self, line: &Line<'_>) {
        if self.0.len() < MOST_STEPS
            && let Some(number) = step_of(line.text.trim())
        {
            self.0.push((line.number, number));
        }
    }

    // Returns the lines of the steps called `number`, each as its first one and the first one behind it.
    pub(super) fn called(&self, number: u32) -> impl Iterator<Item = (u32, u32)> {
        let is_called = move |at: &usize| self.0[*at].1 == number;
        let lines = |at: usize| (self.0[at].0, self.0.get(at + 1).map_or(u32::MAX, |(line, _)| *line));
        (0..self.0.len()).filter(is_called).map(lines)
    }

    pub(super) fn last(&self) -> Option<u32> {
        self.0.last().map(|(_, number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, Thing, read, step_of};

    #[test]
    fn lines_that_take_back() {
        let file = |path: &str| Target::File(path.to_owned());
        for (line, expected) in [
            ("On second thought, skip step 1: your ids are numbers.", Some((Target::Steps(vec![1]), true))),
            ("**Edit:** scrap `ids.ts`, ids are numbers.", Some((file("ids.ts"), true))),
            (
                "Actually, never mind the `requirements.txt` change: it is big.",
                Some((file("requirements.txt"), true)),
            ),
            (
                "On reflection, leave `app/config.py` as it is: 5 is too short.",
                Some((file("app/config.py"), true)),
            ),
            (
                "Korrektur: Schritt 2 kannst du ignorieren, eure IDs sind Zahlen.",
                Some((Target::Steps(vec![2]), true)),
            ),
            ("更正：不需要 `src/utils/ids.ts`，你们的 ID 是数字。", Some((file("src/utils/ids.ts"), true))),
            ("Pensándolo bien, no crees `src/ids.ts`: son números.", Some((file("src/ids.ts"), true))),
            (
                "Correction: don't delete `src/dates.ts`, the report uses it.",
                Some((file("src/dates.ts"), true)),
            ),
            (
                "**Note:** You can skip `src/ids.ts` if your IDs stay numeric.",
                Some((file("src/ids.ts"), false)),
            ),
            ("`src/ids.ts` is optional.", Some((file("src/ids.ts"), false))),
            (
                "`src/strings.ts` is unchanged, I only show it for context.",
                Some((file("src/strings.ts"), false)),
            ),
            (
                "The second file is needed only on Node 18; you run 22.",
                Some((Target::Nth(1, Thing::File), false)),
            ),
            ("| `src/ids.ts` | only if you want UUIDs |", Some((file("src/ids.ts"), false))),
            ("- ⚪ `src/ids.ts` – optional, I wouldn't add it today", Some((file("src/ids.ts"), false))),
            ("Steps 2 and 3 are optional.", Some((Target::Steps(vec![2, 3]), false))),
            ("The last file is not needed.", Some((Target::Nth(usize::MAX, Thing::File), false))),
            ("Ignorez `a.py` pour l'instant.", Some((file("a.py"), true))),
            ("跳过第 2 步。", Some((Target::Steps(vec![2]), true))),
            ("Skip the tests in `a.py`.", None),
            ("You can ignore `a.py` warnings.", None),
            ("Don't add `.env.local` to git.", None),
            ("`a.py` is unchanged except for the port.", None),
            ("I skip `a.py` here.", None),
            ("Should I skip `a.py`?", None),
            ("Don't forget to import `a.py`.", None),
            ("- `a.py` – optional chaining for names", None),
            ("- `a.py` – adds the loader", None),
            ("In step 2 the loader is used.", None),
            ("You don't need `a.py`'s old import.", None),
        ] {
            let retraction = read(line).map(|one| (one.target, one.is_certain));
            assert_eq!(retraction, expected, "{line}");
        }
    }

    #[test]
    fn headings_and_items_begin_steps() {
        for (line, expected) in [
            ("### Step 1: `a.ts`", Some(1)),
            ("## 2. `b.ts`", Some(2)),
            ("**Schritt 3** – `c.ts`", Some(3)),
            ("4. Delete `d.ts`", Some(4)),
            ("## 第 2 步：`a.ts`", Some(2)),
            ("## 404 page", Some(404)),
            ("## 2fa in `a.ts`", None),
            ("2 files change:", None),
            ("### `a.ts`", None),
        ] {
            assert_eq!(step_of(line), expected, "{line}");
        }
    }
}
