//! What the words below a candidate say of it: that it is not meant, only under a condition, or for another project.
//!
//! ````text
//! ### Delete `a.py`
//! Not yet: the site links to it.           Against
//! Only if you don't use Datadog.           Condition
//!
//! (code for `b.py`)
//! is what the compiler makes of it.        Condition: the sentence goes on behind the code
//! For now, no change is needed.            Report: a note if the words above want nothing either, else a question
//! ````

use super::clause::{Clause, Clauses, begins_with};
use super::lead::{self, Lead, Subject};
use super::phrases::WordList;
use super::standing;

const LINE: usize = 600;

// Words that put off or refuse what stands above them, where a sentence begins with them.
#[rustfmt::skip]
const REFUSALS: &[&str] = &[
    "not before", "not until", "not unless", "don't do this", "do not do this", "don't do it", "do not do it", "don't do that", "don't delete it", "don't remove it", "don't move it", "nicht vor", "nicht bevor",
    "erst wenn", "erst nach", "pas avant", "no antes", "não antes", "non prima", "не раньше",
];

// The same, as all of a clause.
#[rustfmt::skip]
static REFUSING: WordList = WordList::new(&[
    "not yet", "not now", "not today", "not recommended", "better not", "please don't", "please do not", "no", "lieber nicht", "noch nicht", "nein", "jetzt nicht", "pas encore", "pas maintenant", "non", "todavía no", "aún no", "ahora no", "ainda não", "não",
    "agora não", "non ancora", "нет", "ещё не", "еще не", "пока нет", "не сейчас", "nog niet", "jeszcze nie",
]);

const REFUSALS_EAST: &[&str] = &[
    "还不能",
    "还不要",
    "暂时不",
    "先不要",
    "先别",
    "不要删",
    "まだ削除しない",
    "まだ消さない",
    "まだです",
    "아직 삭제하지",
    "아직 아",
    "삭제하지 마",
];

// Words with which a condition of what stands above begins.
#[rustfmt::skip]
const CONDITIONS: &[&str] = &[
    "only if", "only when", "only once", "only after", "unless", "provided", "assuming", "if you don't", "if you do not", "if nothing", "if nobody", "if no one", "once nothing", "once no",
    "nur wenn", "nur falls", "sofern", "es sei denn", "seulement si", "sauf si", "sólo si", "solo si", "a menos que", "só se", "somente se", "solo se", "только если",
];

// Words of a clause by which a file stays that was to be deleted.
#[rustfmt::skip]
const KEEPS: &[&str] = &[
    "keep it", "keep the file", "keep this file", "leave it", "leave it alone", "leave the file", "don't delete it", "do not delete it", "don't remove it", "do not remove it",
    "behalte sie", "lass sie", "gardez-le", "garde-le", "consérvalo", "mantenha-o", "tienilo", "оставьте его",
];

// Words by which nothing is to change, at the end of a clause.
#[rustfmt::skip]
const VERDICTS: &[&str] = &[
    "no change is needed", "no changes are needed", "no change needed", "no changes needed", "nothing to change", "nothing has to change", "nothing has to be changed", "nothing to do", "nothing needs to change", "don't have to do anything",
    "do not have to do anything", "don't need to do anything", "don't need to change anything", "do not need to change anything", "don't have to change anything", "i would not", "i wouldn't",
    "nichts ändern", "keine änderung nötig", "nichts zu tun", "rien à changer", "rien à faire", "aucun changement", "no hay que cambiar nada", "no hace falta cambiar nada", "nada que cambiar", "nada a mudar",
    "não precisa mudar nada", "niente da cambiare", "ничего менять не нужно", "ничего не нужно менять",
];

// Words that may stand behind those.
#[rustfmt::skip]
const NOW: &[&str] = &["for now", "here", "now", "right now", "at the moment", "in this", "in the repository", "in the repo", "im moment", "pour l'instant", "por ahora", "por enquanto", "per ora", "пока"];

// Words by which what is there stays, wherever they stand.
#[rustfmt::skip]
const STAYS: &[&str] = &[
    "keep it as it is", "keep it as is", "leave it as it is", "leave it as is", "leave things as they are", "you can leave it", "you can leave that", "you may leave it", "you don't have to change it",
    "you don't need to change it", "kannst es so lassen", "kannst das so lassen", "keep what you have", "keep the one you have", "keep yours", "as you have it", "right as it is", "fine as it is", "correct as it is", "good as it is", "the real file stays",
    "don't need your own", "setup stays as it is", "i see no bug", "is overkill", "yours is fine", "yours is right",
];

const VERDICTS_EAST: &[&str] = &[
    "无需修改",
    "不需要修改",
    "不用修改",
    "无需更改",
    "不必修改",
    "変更は不要",
    "変更する必要はありません",
    "수정할 필요",
    "변경할 필요",
];

// Words by which what is above is for another project.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "not this one", "not in this repo", "not in this repository", "not in this project", "not for this repo", "not for this repository", "not for this project", "not to this repository",
    "nicht in diesem projekt", "nicht in dieses", "pas dans ce projet", "no en este proyecto", "não neste projeto", "non in questo progetto", "не в этом проекте",
];

// Words of a clause about what is beside the code.
#[rustfmt::skip]
static OTHERS: WordList = WordList::new(&[
    "rest", "else", "other", "others", "everything", "remaining", "existing", "übrige", "andere", "anderen", "reste", "autre", "autres", "resto", "otro", "otros", "outro", "outros",
    "altro", "altri", "остальное", "остальные",
]);

const OTHERS_EAST: &[&str] = &["其余", "其他", "其它", "剩余", "他の", "その他", "残り", "나머지", "다른"];

// Words that are a thought alone.
#[rustfmt::skip]
const THOUGHTS: &[&str] = &[
    "in your head", "if you did this", "if you did that", "if we did this", "if i did this", "as a thought experiment", "thought experiment", "just a thought",
];

// Words with which a sentence goes on of which the code above is the subject.
const PREDICATES: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "would",
    "which is what",
    "ist",
    "sind",
    "war",
    "est",
    "sont",
    "es",
    "son",
    "é",
    "è",
];

// Returns what the line `text` right below a candidate says of it.
//
// What is `Lead::Report` says that nothing is to change, and may say it of something else.
pub(super) fn lead(text: &str, subject: Subject, deletes: bool) -> Lead {
    let text = text.trim();
    let text = &text[..text.floor_char_boundary(LINE)];
    let standing = standing::of_line_below(text);
    if standing == Lead::Against {
        return standing;
    }
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let clauses = Clauses::of(bare);
    let Some(first) = clauses.iter().next() else { return Lead::Open };
    if clauses.iter().any(|clause| clause.has_one(ELSEWHERE)) {
        return Lead::Against;
    }
    if subject == Subject::Deed {
        let refuses = first.begins_with_one(REFUSALS)
            || REFUSING.rows().contains(&first.text)
            || !bare.is_ascii() && REFUSALS_EAST.iter().any(|words| bare.starts_with(words));
        if refuses || deletes && clauses.iter().any(keeps) {
            return Lead::Against;
        }
    }
    // A thought, and what stays, count wherever the line says so.
    let thinks = clauses.iter().any(|clause| clause.has_one(THOUGHTS));
    let east = || {
        VERDICTS_EAST.iter().any(|words| bare.contains(words))
            && !OTHERS_EAST.iter().any(|word| bare.contains(word))
    };
    if thinks || clauses.iter().any(is_verdict) || !bare.is_ascii() && east() {
        return Lead::Report;
    }
    let goes_on = || {
        subject == Subject::Code
            && bare.starts_with(char::is_lowercase)
            && bare.len() == text.len()
            && first.begins_with_one(PREDICATES)
    };
    // "Do this only after the release."
    if standing == Lead::Condition
        || first.has_one(CONDITIONS) && subject == Subject::Deed
        || goes_on()
        || lead::takes_back(text)
    {
        return Lead::Condition;
    }
    Lead::Open
}

// Returns true if `line`, above a candidate, leads to nothing and says that nothing is to change: "No changes needed."
pub(super) fn leaves_all(line: &str) -> bool {
    let last = lead::last_sentence(line);
    !lead::ends_in_colon(line) && !lead::is_asked_for(last) && Clauses::of(last).iter().any(is_verdict)
}

// Returns true if the last sentence of `text` says that nothing is to change.
pub(super) fn says_verdict(text: &str) -> bool {
    Clauses::of(lead::last_sentence(text)).iter().any(is_verdict)
}

// Returns true if `clause` says that nothing is to change, and not only beside the code.
fn is_verdict(clause: Clause<'_>) -> bool {
    let ends = |rest: &str| {
        VERDICTS.iter().any(|words| {
            begins_with(rest, words) && {
                let behind = rest[words.len()..].trim_start();
                behind.is_empty() || NOW.iter().any(|words| begins_with(behind, words))
            }
        })
    };
    // "Check which version you have" keeps nothing.
    let keeps_version = || clause.has_one(&["version you have"]) && clause.words().any(|word| word == "keep");
    !clause.words().any(|word| OTHERS.has(word))
        && (clause.has_one(STAYS) || keeps_version() || clause.rests().any(ends))
}

// Returns true if `clause` has the file stay: "so keep it", and not "no reason to keep it".
fn keeps(clause: Clause<'_>) -> bool {
    #[rustfmt::skip]
    static LEADING: WordList = WordList::new(&["so", "please", "then", "and", "but", "just", "better", "rather", "you", "we", "i'd", "i", "would", "should", "let's", "also", "bitte", "also", "aber"]);
    KEEPS.iter().any(|words| {
        clause.text.strip_suffix(words).is_some_and(|rest| {
            (rest.is_empty() || rest.ends_with(' ')) && rest.split_whitespace().all(|word| LEADING.has(word))
        })
    })
}

// Returns what words above, which say `above`, and those below, which say `below`, say together.
pub(super) fn joined(above: Lead, below: Lead) -> Lead {
    match (above, below) {
        (Lead::Open, Lead::Report) => Lead::Condition,
        _ => above.max(below),
    }
}
