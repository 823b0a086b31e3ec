//! What the words above a candidate say of it: that it is done, under a condition, or not at all.
//!
//! ````text
//! Never do this:            Against: a note, whatever the form
//! If the tests fail:        Condition: a question at most
//! A colleague suggested:    Report: a note
//! ````
//!
//! One table of words ([`ROWS`]) with what they say, and one reading of a line by its clauses. Every form asks here.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::above::Above;
use crate::file_name::list_item;

const LINE: usize = 600;
const LINES: usize = 12;

/// What words above say of a candidate; the later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Lead {
    /// Nothing against it.
    #[default]
    Open,
    /// Only under a condition, or later.
    Condition,
    /// It is reported or quoted, wrong, or from before.
    Report,
    /// It is advised against.
    Against,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Code,
    /// A deletion, a move, a replacement in words, commands.
    Deed,
}

/// What a row of the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Nothing: an idiom that begins with words of another row.
    Nothing,
    /// Forbids, where a clause begins with it.
    Not,
    /// Forbids, wherever it is.
    MustNot,
    /// A condition, where a clause begins with it.
    When,
    /// A condition, wherever it is.
    Maybe,
    /// A purpose that no change has, whatever follows.
    Breaks,
    /// A purpose of something that is run: a deed for it is no change.
    Tests,
    /// Somebody else, or a record, says or does it.
    Other,
    /// The same at the end of a line.
    Ends,
    /// The same, where code below has its own table.
    Tells,
    /// A fault: all of a short clause, or of what is shown.
    Fault,
    /// Said of code that is shown: it is not as it should be.
    Stale,
    /// What is shown: "version", "file".
    Thing,
    /// It is to be done.
    Does,
}

#[rustfmt::skip]
const ROWS: &[(Says, &[&str])] = &[
    (Says::Nothing, &[
        "not only", "not just", "don't forget", "do not forget", "don't worry", "never mind", "no problem", "no worries",
        "don't need", "do not need", "doesn't need", "no longer", "not needed", "not used", "not required", "never used",
        "no changes", "no change", "no other", "i did", "we did", "you did", "i've done", "i suggested", "you suggested", "we suggested", "you proposed", "i proposed",
        "we proposed", "you recommended", "i recommended", "is recommended", "are recommended", "is suggested", "is proposed", "i said", "you said",
        "you asked", "as you suggested", "if it exists", "if it still exists", "if present", "if it is there", "if they exist",
        "in that case", "nicht nur", "nicht mehr", "non seulement", "no solo", "non solo", "não só", "не только",
        "больше не", "when done", "once done", "once you've", "once you have", "when you're done", "the following",
        "in this case", "should be used", "not yet", "keine sorge",
    ]),
    (Says::Not, &[
        "don't", "do not", "dont", "never", "avoid", "avoid doing", "not like", "not this", "not so", "refrain from", "under no circumstances",
        "nicht so", "nie", "niemals", "auf keinen fall", "vermeide", "vermeiden sie", "bitte nicht", "kein", "keine",
        "ne", "n'", "jamais", "évitez", "évite", "éviter", "nunca", "evita", "evite", "evitar", "jamás", "não", "jamais faça",
        "non", "mai", "evitare", "niet", "nooit", "vermijd", "nie rób", "nigdy", "unikaj", "nikdy", "не", "никогда", "избегайте",
        "ніколи", "inte", "aldrig", "jangan", "đừng", "không",
    ]),
    (Says::MustNot, &[
        "must not", "mustn't", "must never", "should not", "shouldn't", "should never", "shall not", "may not", "ought not",
        "not to do", "not do", "not to be", "cannot be", "don't do", "never do", "do not do", "not allowed", "forbidden",
        "prohibited", "off limits", "off-limits", "don't need to", "do not need to", "no need to", "needn't", "without doing",
        "advise against", "recommend against", "rather than doing", "would be a mistake", "is a mistake", "would be wrong",
        "darf nicht", "dürfen nicht", "sollte nicht", "solltest du nicht", "soll nicht", "nicht tun", "nicht machen", "verboten",
        "nicht werden", "ne devez pas", "ne doit pas", "ne faites pas", "ne pas faire", "à ne pas", "interdit", "no debes", "no debe",
        "no deberías", "no hagas", "no hay que", "prohibido", "não deve", "não faça", "proibido", "non devi", "non deve",
        "non fare", "vietato", "niet doen", "mag niet", "нельзя", "не следует", "не надо", "не должен", "не должны", "не делайте",
        "nie wolno", "nie należy",
    ]),
    (Says::When, &[
        "if", "only if", "even if", "unless", "in case", "should you", "should the", "optionally", "optional", "whenever", "when you",
        "when deploying", "when the tests", "when going", "when ready", "once you", "once nothing", "once no", "once all",
        "once everything", "once it", "once the", "as soon as", "later", "later on", "eventually", "some day", "someday", "afterwards if",
        "after you run", "after running", "after you deploy", "after deploying", "after the release", "after the migration",
        "until", "provided", "assuming", "suppose", "supposing", "say you",
        "to roll back", "to rollback", "to undo", "to revert", "to restore", "to clean up", "to cleanup", "to uninstall", "to go back",
        "rollback", "roll back", "cleanup after", "fallback", "plan b", "last resort", "as a last resort", "worst case", "troubleshooting",
        "falls", "wenn", "sobald", "später", "nur wenn", "bei bedarf", "zum zurücksetzen", "um es rückgängig", "nach dem",
        "si", "au cas", "en cas", "lorsque", "quand", "dès que", "plus tard", "facultatif", "pour annuler", "éventuellement",
        "cuando", "en caso", "opcional", "opcionalmente", "más tarde", "más adelante", "para deshacer", "para revertir",
        "se você", "se quiser", "se os", "se o", "caso", "quando", "mais tarde", "para desfazer", "se vuoi", "se i", "se il", "se la",
        "nel caso", "più tardi", "per annullare", "facoltativo", "indien", "als je", "zodra", "если", "когда", "как только", "позже",
        "чтобы откатить", "jeśli", "jeżeli", "pokud", "eğer", "jika", "nếu", "om du", "якщо",
    ]),
    (Says::Maybe, &[
        "if needed", "if necessary", "if you want", "if you like", "if you wish", "if you prefer", "if you ever", "if desired",
        "if required", "if it fails", "if this fails", "if that fails", "if anything goes wrong", "if something goes wrong", "only if", "you can also",
        "you may also", "you could also", "you could", "you might", "you may want", "you might want", "falls nötig", "falls gewünscht",
        "bei bedarf", "si nécessaire", "si besoin", "si vous voulez", "si es necesario", "si quieres",
        "se necessário", "se quiser", "se necessario", "при необходимости", "по желанию", "❌", "🚫", "⛔", "✗", "✘",
    ]),
    (Says::Breaks, &[
        "to break", "to reproduce", "to simulate", "to provoke", "to trigger", "to exploit", "to demonstrate", "to sabotage",
        "to cause", "steps to reproduce", "reproduction", "reproduce", "repro", "proof of concept", "exploit", "um es kaputt",
        "zum reproduzieren", "um den fehler", "pour reproduire", "para reproducir", "para reproduzir", "per riprodurre",
        "чтобы воспроизвести", "чтобы сломать",
    ]),
    (Says::Tests, &[
        "to test", "to verify", "to check", "to confirm", "to see", "to debug", "to experiment", "to try", "test for", "quick test",
        "sanity check", "experiment", "zum testen", "um zu testen", "um zu prüfen", "pour tester", "pour vérifier", "para probar",
        "para comprobar", "para testar", "per provare", "per verificare", "чтобы проверить", "после тестов",
    ]),
    (Says::Other, &[
        "attacker", "attackers", "hacker", "adversary", "teammate", "teammate's", "teammates", "colleague", "colleagues",
        "colleague's", "coworker", "co-worker", "coworker's", "someone", "someone else", "somebody", "junior developer",
        "previous assistant", "other assistant", "another assistant", "previous answer", "other answer", "previous model",
        "chatgpt", "copilot", "stack overflow", "git history", "git log", "git did", "history shows", "last commit", "previous commit",
        "commit before", "earlier commit", "older commit", "old commit", "commit message", "commit title", "pr description", "pr title", "the docs say", "documentation says", "their branch", "the other branch",
        "the ticket says", "the issue says", "issue asks", "angreifer", "jemand", "kollege", "kollegin", "kollegen", "git-historie",
        "commit-nachricht", "attaquant", "quelqu'un", "collègue", "message de commit", "historique git", "atacante", "alguien",
        "compañero", "mensaje de commit", "alguém", "colega", "mensagem de commit", "attaccante", "qualcuno", "collega",
        "messaggio di commit", "злоумышленник", "кто-то", "коллега", "сообщение коммита",
    ]),
    (Says::Ends, &[
        "suggested", "suggests", "proposed", "recommended", "recommends", "claimed", "said", "wrote", "did", "had done", "asked for",
        "will contain", "would contain", "will have", "would have", "will generate", "used to be", "looked like", "vorschlug",
        "vorgeschlagen", "schrieb", "tat", "enthalten", "suggéré", "proposé", "contiendra", "sugirió", "propuso", "contendrá", "era así",
        "era", "sugeriu", "conterá", "ha suggerito", "conterrà", "предложил", "предложила", "будет содержать",
    ]),
    (Says::Tells, &[
        "shows", "showed", "says", "reported", "was", "zeigt", "montre", "muestra", "mostra", "показывает", "reads", "contains",
    ]),
    (Says::Fault, &[
        "wrong", "incorrect", "bad", "mistake", "mistakes", "common mistakes", "don'ts", "pitfall", "pitfalls", "anti-pattern",
        "anti-patterns", "antipattern", "bad idea", "bad practice", "terrible", "dangerous", "harmful", "rejected", "discarded",
        "falsch", "fehler", "häufige fehler", "schlecht", "schlechte idee", "faux", "erreurs", "mauvais", "mauvaise", "mauvaise idée", "incorrecte",
        "incorrecto", "errores", "mala", "mala idea", "mal", "errado", "erros", "incorreto", "ruim", "má ideia", "sbagliato", "errori",
        "errato", "cattiva idea", "fout", "verkeerd", "źle", "błąd", "špatně", "неправильно", "неверно", "ошибка", "ошибки", "плохо",
        "плохая идея",
    ]),
    (Says::Stale, &[
        "buggy", "broken", "faulty", "vulnerable", "insecure", "flawed", "original", "previous", "former", "earlier", "unpatched",
        "unfixed", "wrong", "incorrect", "bad", "rejected", "falsche", "falschen", "falscher", "falsches", "fehlerhafte", "fehlerhaften",
        "ursprüngliche", "vorherige", "kaputte", "erronée", "originale", "ancienne", "ancien", "défectueuse", "errónea",
        "erróneo", "incorrecta", "errada", "incorreta", "sbagliata", "originario", "precedente", "неправильный", "неверный",
        "исходный", "прежний", "ошибочный",
    ]),
    (Says::Thing, &[
        "version", "code", "implementation", "way", "approach", "example", "variant", "copy", "state", "usage", "use", "draft", "attempt", "content",
        "contents", "listing", "snippet", "fassung", "fassung von", "beispiel", "exemple", "ejemplo", "versión", "versão", "versione",
        "версия", "код", "file",
    ]),
    (Says::Does, &[
        "here", "here's", "do", "use", "make", "write", "put", "set", "change", "replace", "update", "updated", "add", "create", "edit",
        "modify", "apply", "save", "rename", "delete", "remove", "move", "should", "must", "needs", "need", "fix", "fixes", "fixed",
        "new", "corrected", "correct", "final", "complete", "full", "instead", "keep", "let's", "i'll", "we'll", "rewrite",
        "paste", "becomes", "open", "let", "lets", "allow", "allows", "prevent", "prevents", "protect", "blocks", "stops", "insert", "swap", "drop", "hier", "ändere", "ersetze", "erstelle", "aktualisiere", "füge", "neue",
        "lösche", "verwende", "stattdessen", "geänderte", "korrigierte", "voici", "remplacez", "créez", "ajoutez", "modifiez", "utilisez",
        "aquí", "reemplaza", "crea", "agrega", "añade", "cambia", "usa", "aqui", "substitua", "crie", "adicione", "ecco",
        "sostituisci", "aggiungi", "modifica", "вот", "замените", "создайте", "добавьте", "измените", "используйте",
    ]),
];

/// The same of scripts without blanks between words, wherever they are.
const EAST: &[(Lead, &[&str])] = &[
    (
        Lead::Against,
        &[
            "不要",
            "切勿",
            "请勿",
            "禁止",
            "不应",
            "不能",
            "避免",
            "别这",
            "错误做法",
            "错误示例",
            "ないでください",
            "してはいけ",
            "しないで",
            "べきではな",
            "避けて",
            "悪い例",
            "하지 마",
            "하면 안",
            "금지",
            "잘못된",
        ],
    ),
    (
        Lead::Report,
        &[
            "攻击者",
            "同事",
            "有人",
            "提交信息",
            "提交记录",
            "历史记录",
            "攻撃者",
            "同僚",
            "履歴",
            "공격자",
            "동료",
            "커밋 메시지",
        ],
    ),
    (
        Lead::Condition,
        &[
            "如果",
            "若要",
            "若需",
            "假如",
            "可选",
            "回滚",
            "撤销",
            "必要时",
            "もし",
            "場合は",
            "任意",
            "元に戻す",
            "必要なら",
            "만약",
            "경우",
            "선택 사항",
            "되돌리",
        ],
    ),
];

/// Words that may be at the beginning of a clause before what it says.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "please", "and", "but", "so", "then", "also", "you", "we", "just", "really", "again", "what", "things", "the", "a", "an", "this",
    "that", "bitte", "und", "aber", "du", "sie", "por", "favor", "y", "pero", "et", "mais", "vous", "e", "ma", "mas", "и", "но",
    "step", "for", "only", "your", "some", "these",
];

/// Words with which a clause begins that only explains the one before.
#[rustfmt::skip]
const SUBORDINATE: &[&str] = &[
    "which", "because", "since", "so", "as", "who", "whose", "weil", "damit", "da", "parce", "afin", "car", "porque", "perché", "поскольку",
    "потому", "чтобы",
];

/// The rows by their first words.
static TABLE: LazyLock<HashMap<&'static str, Vec<(&'static str, Says)>>> = LazyLock::new(|| {
    let mut table: HashMap<&str, Vec<(&str, Says)>> = HashMap::new();
    for (says, phrases) in ROWS {
        for phrase in *phrases {
            let first = phrase.split(' ').next().unwrap_or(phrase);
            table.entry(first).or_default().push((phrase, *says));
        }
    }
    table
});

/// Returns what the lines above a candidate say of it. `own` is its sentence, if it is one of prose; `line` its line.
pub(super) fn above(above: &Above<'_>, own: Option<(&str, &str)>, subject: Subject) -> Lead {
    // A label above an earlier fence belongs to that.
    let far = above.far().enumerate().map(|(at, prose)| (prose.line.text, above.was_label(at)));
    let mut lines = above.near().map(|prose| (prose.line.text, false)).chain(far).take(LINES);
    let (mut lead, nearest) = match own {
        Some((sentence, line)) => (of_text(sentence, true, subject), Some(line)),
        None => {
            let nearest = lines.next().map(|(line, _)| line);
            (nearest.map_or(Lead::Open, |line| of_line(line, subject)), nearest)
        }
    };
    let mut item = nearest.and_then(indentation);
    let near = above.near().count();
    for (at, (line, labels)) in lines.enumerate() {
        if at >= near && (item.is_none() || labels && indentation(line).is_none()) {
            break;
        }
        match indentation(line) {
            // An item beside it, or below the one beside it.
            Some(other) if item.is_some_and(|item| other >= item) => continue,
            other if ends_in_colon(line) => {
                lead = lead.max(of_line(line, subject));
                item = other;
            }
            _ => break,
        }
    }
    let headings = above.headings().take(LINES).map(|prose| of_line(prose.line.text, subject));
    lead.max(headings.max().unwrap_or_default())
}

/// Returns what the lines say to which the nearest one belongs: "Do not do this:" above "Before:".
pub(super) fn around(nearest: &Above<'_>, subject: Subject) -> Lead {
    let line = nearest.nearest().map_or("", |prose| prose.line.text);
    above(nearest, Some(("", line)), subject)
}

fn indentation(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let marked = list_item(text.trim()).is_some() || text.starts_with(['❌', '✅', '🚫', '•', '|']);
    marked.then_some(line.len() - text.len())
}

fn ends_in_colon(line: &str) -> bool {
    line.trim_end_matches(['*', '_', '`', ' ', '\t']).ends_with([':', '：'])
}

fn of_line(line: &str, subject: Subject) -> Lead {
    of_text(last_sentence(line), false, subject)
}

/// Returns what the sentence `text` says of what it states (`own`) or leads to.
fn of_text(text: &str, own: bool, subject: Subject) -> Lead {
    if text.len() > LINE {
        return Lead::Open;
    }
    let lead = of_clauses(&clauses(text, own && subject == Subject::Deed), subject);
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

fn stops(text: &str) -> impl Iterator<Item = usize> + '_ {
    let ends = text.match_indices(['.', '!', '?']).filter(|(at, _)| {
        let word = text[..*at].rsplit(' ').next().unwrap_or_default();
        let short = word.len() < 3 || word.bytes().all(|byte| byte.is_ascii_digit()) || word.contains("e.g");
        text[at + 1..].starts_with(' ') && !short
    });
    ends.map(|(at, _)| at + 1)
}

fn last_sentence(line: &str) -> &str {
    stops(line.trim_end()).last().map_or(line, |at| &line[at..])
}

/// A part of a sentence.
#[derive(Debug, Default)]
struct Clause {
    words: Vec<String>,
    announced: bool,
}

/// The word that stands for a code span or a path.
const CODE: &str = "`";

/// Divides `text`, in lower case. With `conditions`, also before a condition within a clause.
fn clauses(text: &str, conditions: bool) -> Vec<Clause> {
    let mut clauses = vec![Clause::default()];
    let mut word = String::new();
    let end = |word: &mut String, clauses: &mut Vec<Clause>| {
        if word.is_empty() {
            return;
        }
        let word = std::mem::take(word);
        // A path or a code span says nothing by its letters: one sign stands for all of it.
        let path = word.len() > 1 && word.trim_end_matches('.').contains(['.', '/', '\\']);
        let word = if path { CODE.to_owned() } else { word.trim_matches(['.', '/', '\\']).to_owned() };
        let Some(last) = clauses.last_mut() else { return };
        let begins =
            matches!(&*word, "if" | "unless" | "when" | "once" | "falls" | "wenn" | "sobald" | "если");
        if word.is_empty() {
            return;
        }
        if conditions && begins && !last.words.is_empty() {
            clauses.push(Clause { words: vec![word], announced: false });
        } else {
            last.words.push(word);
        }
    };
    let mut in_code = false;
    for c in text.chars() {
        if c == '`' {
            if !in_code {
                end(&mut word, &mut clauses);
                if let Some(last) = clauses.last_mut() {
                    last.words.push(CODE.to_owned());
                }
            }
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        match c {
            '’' => word.push('\''),
            '\'' | '-' | '_' | '.' | '/' | '\\' if !word.is_empty() => word.push(c),
            '❌' | '🚫' | '⛔' | '✗' | '✘' => {
                end(&mut word, &mut clauses);
                word.push(c);
                end(&mut word, &mut clauses);
            }
            c if c.is_alphanumeric() => word.extend(c.to_lowercase()),
            _ => {
                end(&mut word, &mut clauses);
                let announced = matches!(c, ':' | '：');
                let divides = announced
                    || matches!(
                        c,
                        ',' | ';' | '(' | ')' | '–' | '—' | '!' | '?' | '，' | '；' | '、' | '。' | '|'
                    );
                if divides {
                    clauses.push(Clause { words: Vec::new(), announced });
                }
            }
        }
    }
    end(&mut word, &mut clauses);
    clauses.retain(|clause| !clause.words.is_empty());
    clauses
}

/// Returns what `clauses` say together: a later one that has something done takes back what is against another
/// thing, but not behind a colon.
fn of_clauses(clauses: &[Clause], subject: Subject) -> Lead {
    let (mut lead, mut holds) = (Lead::Open, false);
    for (index, clause) in clauses.iter().enumerate() {
        let first = clause.words.first().map_or("", String::as_str);
        if index > 0 && !clause.announced && SUBORDINATE.contains(&first) && first != "so" {
            continue;
        }
        let is_last = index + 1 == clauses.len();
        let saying = of_clause(clause, is_last, subject);
        holds |= clause.announced && lead >= Lead::Report;
        let shows = is_last && clause.words.last().is_some_and(|word| word == CODE) && !is_adjunct(clause);
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

/// Returns true if `clause` only says where.
fn is_adjunct(clause: &Clause) -> bool {
    let words = ["in", "from", "to", "at", "for", "of", "with", "even", "not", "im", "dans", "en", "em", "в"];
    clause.words.first().is_some_and(|word| words.contains(&&**word))
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

fn of_clause(clause: &Clause, is_last: bool, subject: Subject) -> Saying {
    let words = &clause.words;
    let begin = words.iter().take_while(|word| is_before(word)).count();
    let (mut saying, mut stale, mut at) = (Saying::default(), false, 0);
    // What is done before a word is said of something else: "Update it and never block".
    let mut done_before = false;
    while at < words.len() {
        let Some((length, all)) = rows_at(&words[at..]) else {
            at += 1;
            continue;
        };
        let (begins, ends) = (at <= begin, is_last && at + length == words.len());
        let is_short = words.len() <= 4 && !words.iter().any(|word| word == CODE);
        let next = words.get(at + length).map(String::as_str);
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
                Says::Ends if ends && !done_before && words.len() > 2 => Lead::Report,
                Says::Tells if ends && !done_before && subject == Subject::Deed => Lead::Report,
                Says::Fault if is_short && !done_before => Lead::Against,
                Says::Stale if subject == Subject::Code && next.is_some_and(is_thing) => {
                    stale |= next != Some(CODE) || at + length + 1 == words.len();
                    Lead::Open
                }
                Says::Does => {
                    saying.does = true;
                    done_before |= !matches!(&*words[at], "here" | "here's" | "hier" | "voici" | "вот");
                    Lead::Open
                }
                _ => Lead::Open,
            };
            saying.lead = saying.lead.max(row_lead);
        }
        at += length;
    }
    if stale && !done_before {
        saying.lead = saying.lead.max(Lead::Report);
    }
    saying
}

fn is_before(word: &String) -> bool {
    BEFORE.contains(&&**word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_thing(word: &str) -> bool {
    word == CODE
        || TABLE
            .get(word)
            .is_some_and(|rows| rows.iter().any(|(row, says)| *says == Says::Thing && *row == word))
}

/// The longest rows with which `words` begin: their number of words, and what they say.
fn rows_at(words: &[String]) -> Option<(usize, Vec<Says>)> {
    let rows = TABLE.get(words.first()?.as_str())?;
    let length = |row: &str| {
        let mut count = 0;
        for word in row.split(' ') {
            if words.get(count).is_none_or(|other| other != word) {
                return None;
            }
            count += 1;
        }
        Some(count)
    };
    let longest = rows.iter().filter_map(|(row, _)| length(row)).max()?;
    let says = rows.iter().filter(|(row, _)| length(row) == Some(longest)).map(|(_, says)| *says).collect();
    Some((longest, says))
}
