//! The words about candidates that are not applied: what they are, and the next step.
//!
//! Pure. A sentence is for the user; the model is told how to write edits by the report.

use std::collections::HashSet;

use clada_dialects::plain::{Candidate, Form, is_conditional};
use clada_protocol::NotRead;

pub(super) const PART: &str = "part";

const ASK_EDIT: &str =
    "Ask for the whole file or a SEARCH/REPLACE block; `--copy` puts that request on the clipboard";
const ASK_WHOLE: &str = "Ask for the whole file; `--copy` puts that request on the clipboard";

fn notice(candidate: &Candidate, kind: &str, path: &str, hint: String) -> NotRead {
    NotRead {
        line: candidate.lines.start,
        end_line: Some(candidate.lines.end.saturating_sub(1).max(candidate.lines.start)),
        kind: kind.to_owned(),
        path: Some(path.to_owned()),
        hint,
    }
}

pub(super) fn kind(form: &Form) -> &'static str {
    match form {
        Form::Replacement { .. } | Form::Value { .. } | Form::Lines { .. } => "replacement",
        Form::Diff => "diff",
        Form::Append | Form::Prepend | Form::Beside { .. } | Form::Within { .. } | Form::Edge { .. } => {
            "insertion"
        }
        _ => PART,
    }
}

pub(super) fn edit(candidate: &Candidate, kind: &str, path: &str, reason: &str) -> NotRead {
    let what = match kind {
        PART => "part of the file",
        "replacement" => "old and new code of the file",
        "diff" => "a diff without file headers",
        _ => "text to insert into the file",
    };
    notice(candidate, kind, path, format!("{what}: {reason}. {ASK_EDIT}"))
}

// Returns the note of a change of a file that leaves out the pieces of the answer in `lines`.
pub(super) fn without_pieces(lines: &[u32]) -> Option<String> {
    (!lines.is_empty())
        .then(|| format!("Not included: the answer's code in {} for this file.", listed(lines)))
}

// Returns the first of `lines` of an answer: "line 3", "lines 3, 9, …".
pub(super) fn listed(lines: &[u32]) -> String {
    const SHOWN: usize = 5;
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let shown: Vec<String> = lines.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if lines.len() > SHOWN { ", …" } else { "" };
    format!("{word} {}{more}", shown.join(", "))
}

pub(super) fn cut_off(candidate: &Candidate, path: &str, last: &str) -> NotRead {
    let hint = format!("the code is cut off after '{last}'. {ASK_WHOLE}");
    notice(candidate, "cut_off", path, hint)
}

pub(super) fn elided(candidate: &Candidate, path: &str, line: &str) -> NotRead {
    let hint = format!("the new file leaves lines out: '{line}'. {ASK_WHOLE}");
    notice(candidate, "elided", path, hint)
}

pub(super) fn twin(candidate: &Candidate, path: &str, other: &str) -> NotRead {
    let hint = format!(
        "the project has '{other}', which differs only in case or form. Rename one of them, or ask for '{other}'"
    );
    notice(candidate, "refused", path, hint)
}

// Returns the notice of an edit block that the words around it hold back, and that is no proposal.
pub(super) fn conditional_block(candidate: &Candidate) -> NotRead {
    let path = candidate.groups.first().and_then(|group| group.mentions.first());
    let path = path.map(|mention| mention.path.clone());
    NotRead {
        path,
        ..notice(candidate, "refused", "", clada_dialects::plain::conditional_block(&candidate.words))
    }
}

pub(super) fn denied(candidate: &Candidate, path: &str, reason: &str) -> NotRead {
    notice(candidate, "refused", path, format!("{}. Nothing was written there", reason.trim_end_matches('.')))
}

pub(super) fn unreadable(candidate: &Candidate, path: &str) -> NotRead {
    let hint = "the file is not UTF-8, is too large, or may not be read, so the code cannot be compared with it. Ask for a \
                SEARCH/REPLACE block; `--copy` puts that request on the clipboard"
        .to_owned();
    notice(candidate, "refused", path, hint)
}

pub(super) fn stated(candidate: &Candidate, kind: &str, path: &str, reason: &str) -> NotRead {
    let (what, next) = match kind {
        "commands" => ("shell commands that change files", "Run them yourself"),
        "delete" => ("the folder should be deleted", "Delete it yourself"),
        _ => ("the file should be moved", "Move it yourself"),
    };
    let hint = format!(
        "{what}: {reason}. {next}, or ask for the edit as a block; `--copy` puts that request on the clipboard"
    );
    notice(candidate, kind, path, hint)
}

pub(super) fn without_file(candidate: &Candidate) -> Option<NotRead> {
    let (kind, what) = match &candidate.form {
        Form::Diff => ("diff", "a diff that names no file"),
        // Words alone, about a file that the project does not have.
        _ => return None,
    };
    Some(NotRead { path: None, ..notice(candidate, kind, "", format!("{what}. {ASK_EDIT}")) })
}

// Returns true if the words above code say that just what it shows goes: "remove this function", "delete these lines". Of one
// line (`is_line`) they may say what it is: "and delete its route:".
pub(super) fn says_remove(words: &str, is_line: bool) -> bool {
    const AGAINST: [&str; 6] = ["don't", "do not", "not ", "could", "if you", "n't"];
    const BEFORE: [&str; 18] = [
        "", "and", "then", "also", "next", "finally", "please", "you", "can", "now", "und", "dann", "auch",
        "et", "puis", "y", "e", "luego",
    ];
    const VERBS: &[&str] = &[
        "remove",
        "delete",
        "drop",
        "get rid of",
        "entferne",
        "lösche",
        "supprimez",
        "retirez",
        "elimina",
        "quita",
        "remova",
        "exclua",
        "rimuovi",
        "удалите",
        "уберите",
    ];
    const THESE: &[&str] = &[
        "this",
        "these",
        "the following",
        "the lines",
        "both",
        "diese",
        "dieser",
        "dieses",
        "die folgenden",
        "folgende",
        "ces",
        "cette",
        "ce",
        "les lignes suivantes",
        "estas",
        "esta",
        "este",
        "estos",
        "las siguientes",
        "esse",
        "essa",
        "essas",
        "questo",
        "questa",
        "queste",
        "эти",
        "эту",
        "этот",
    ];
    let lower = words.to_lowercase();
    let leads = lower.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']);
    let is_object = |rest: &str| {
        THESE.iter().any(|these| rest.strip_prefix(these).is_some_and(|rest| rest.starts_with(' ')))
    };
    let says = |sentence: &str, verb: &str| {
        sentence.match_indices(verb).any(|(at, _)| {
            let (before, rest) = (&sentence[..at], &sentence[at + verb.len()..]);
            let is_order = before.split(|c: char| !c.is_alphabetic()).all(|word| BEFORE.contains(&word));
            let is_against = AGAINST.iter().any(|word| before.contains(word));
            let is_word = !before.ends_with(char::is_alphanumeric) && rest.starts_with(' ');
            is_word && !is_against && (is_object(rest.trim_start()) || is_line && leads && is_order)
        })
    };
    let east = ["删除以下", "删除这", "以下を削除", "この行を削除", "다음을 삭제"];
    // The sentence before may give the reason: "It isn't used. Remove this line:".
    lower.split(['.', '!', '。', ';']).any(|sentence| VERBS.iter().any(|verb| says(sentence, verb)))
        || east.iter().any(|words| lower.contains(words)) && !AGAINST.iter().any(|word| lower.contains(word))
}

// Returns what `words` have in backticks.
pub(super) fn code_spans(words: &str) -> impl Iterator<Item = &str> {
    words.split('`').skip(1).step_by(2)
}

fn divided(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

pub(super) fn of_code(text: &str) -> HashSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

// Returns true if the words above code speak of comments.
pub(super) fn says_remarks(words: &str) -> bool {
    const REMARKS: [&str; 15] = [
        "comment",
        "docstring",
        "document",
        "annotat",
        "kommentar",
        "kommentier",
        "commentaire",
        "comentario",
        "comentário",
        "commento",
        "комментар",
        "注释",
        "註解",
        "コメント",
        "주석",
    ];
    let lower = words.to_lowercase();
    REMARKS.iter().any(|word| lower.contains(word))
}

// Returns true if the words above code have something added: by the word for that, or since it is needed.
pub(super) fn has_add(words: &str) -> bool {
    #[rustfmt::skip]
    const ADD: &[&str] = &[
        "add", "adds", "adding", "insert", "inserting", "append", "introduce", "declare", "ergänze", "ergänzen", "hinzu", "hinzufügen", "einfügen", "ajoutez", "ajouter", "insérez", "añade", "agrega", "inserta",
        "adicione", "insira", "aggiungi", "inserisci", "добавьте", "добавь", "вставьте",
    ];
    const NEED: [&str; 8] =
        ["need", "needs", "want", "brauchst", "benötigst", "brauchen", "benötigen", "necesitas"];
    const ONE: [&str; 10] = ["a", "an", "another", "one", "ein", "eine", "einen", "un", "una", "une"];
    let lower = words.to_lowercase();
    let east = ["添加", "新增", "增加", "加入", "插入", "追加", "挿入", "추가", "삽입"];
    // "Added to `Client.Do()`:", and not "Updated `load` (added a check)".
    let begins = divided(&lower).next() == Some("added");
    let is_needed = divided(&lower)
        .zip(divided(&lower).skip(1))
        .any(|(word, next)| NEED.contains(&word) && ONE.contains(&next));
    begins
        || is_needed
        || divided(&lower).any(|word| ADD.contains(&word))
        || east.iter().any(|word| lower.contains(word))
}

// Returns true if the words above code say that it goes to the beginning of a definition.
pub(super) fn says_beginning(words: &str) -> bool {
    const SAYINGS: &[&str] = &[
        "at the beginning of",
        "at the start of",
        "at the top of",
        "am anfang der",
        "am anfang von",
        "au début de",
        "al principio de",
        "al inicio de",
        "no início d",
        "all'inizio d",
        "в начале",
        "в начало",
        "开头",
        "の先頭",
        "시작 부분",
    ];
    let lower = words.to_lowercase();
    SAYINGS.iter().any(|saying| lower.contains(saying))
}

/// Returns true if the words above code give lines of a file: it is quoted.
pub(super) fn says_lines(words: &str) -> bool {
    const LINES: [&str; 10] =
        ["line", "lines", "zeile", "zeilen", "ligne", "lignes", "línea", "líneas", "linhas", "righe"];
    let lower = words.to_lowercase();
    let mut all = divided(&lower).peekable();
    while let Some(word) = all.next() {
        let is_number = |next: &&str| next.bytes().all(|byte| byte.is_ascii_digit());
        if LINES.contains(&word) && all.peek().is_some_and(is_number) {
            return true;
        }
    }
    false
}

/// Returns true if the words above code have a change made in something, as `Change the port in compose.yaml` does.
pub(super) fn says_change(words: &str) -> bool {
    const VERBS: [&str; 8] = ["add", "adding", "change", "edit", "modify", "adjust", "insert", "append"];
    let lower = words.to_lowercase();
    let mut all = divided(&lower);
    all.any(|word| VERBS.contains(&word))
        && all.any(|word| ["to", "in", "into", "within", "inside"].contains(&word))
}

// Returns true if the words above code call it an example.
pub(super) fn is_example(words: &str) -> bool {
    const EXAMPLES: [&str; 10] = [
        "example",
        "sample",
        "template",
        "beispiel",
        "beispielsweise",
        "exemple",
        "ejemplo",
        "exemplo",
        "esempio",
        "пример",
    ];
    let lower = words.to_lowercase();
    let east = ["例如", "示例", "例子", "サンプル", "例えば", "예시", "예제"];
    divided(&lower).any(|word| EXAMPLES.contains(&word)) || east.iter().any(|word| lower.contains(word))
}

// Returns true if the words above code only say what something is like: "an example of what `a.py` should look like".
pub(super) fn is_illustration(words: &str) -> bool {
    const LIKE: [&str; 14] = [
        "look like",
        "looks like",
        "might look",
        "could look",
        "aussehen",
        "sieht so aus",
        "ressembler",
        "ressemble",
        "verse",
        "se ve",
        "parecer",
        "выгляд",
        "的样子",
        "のよう",
    ];
    let lower = words.to_lowercase();
    is_example(words) && LIKE.iter().any(|like| lower.contains(like))
}

// Returns true if `words` have the file `name` already: "in your `a.js` file", "the existing `a.js`".
pub(super) fn is_of_reader(words: &str, name: &str) -> bool {
    #[rustfmt::skip]
    const OWN: &[&str] = &[
        "your", "your existing", "existing", "your current", "current", "your main", "dein", "deine", "deiner", "deinem", "deinen", "ihre", "ihrer", "ihrem", "ihren",
        "bestehende", "bestehenden", "vorhandenen", "votre", "ton", "tu", "su", "tu archivo", "su archivo", "el archivo existente", "seu", "sua", "seu arquivo", "tuo", "tua",
        "ваш", "вашем", "вашего", "вашему", "вашем файле", "votre fichier", "ton fichier", "deine datei", "deiner datei", "ihrer datei", "your file", "你的", "您的", "现有的", "当前的",
        "既存の", "기존",
    ];
    let lower = words.to_lowercase();
    let is_mark = |c: char| c == ' ' || matches!(c, '`' | '*' | '"' | '[' | '（' | '「');
    lower.match_indices(&name.to_lowercase()).any(|(at, _)| {
        // Folders before the name are no words.
        let before =
            lower[..at].trim_end_matches(|c: char| !c.is_whitespace() && !is_mark(c) && c.is_ascii());
        let before = before.trim_end_matches(is_mark);
        OWN.iter().any(|own| {
            before.strip_suffix(own).is_some_and(|rest| {
                !own.is_ascii() && !own.contains(' ')
                    || rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric())
            })
        })
    })
}

/// Returns true if the words above code have something changed that is there: `Update src/a.ts`.
pub(super) fn says_update(words: &str) -> bool {
    const VERBS: [&str; 20] = [
        "update",
        "updates",
        "modify",
        "edit",
        "change",
        "adjust",
        "fix",
        "refactor",
        "extend",
        "aktualisiere",
        "ändere",
        "passe",
        "modifiez",
        "modifie",
        "actualiza",
        "modifica",
        "atualize",
        "modifique",
        "обновите",
        "измените",
    ];
    let lower = words.to_lowercase();
    let is_new =
        |word: &str| matches!(word, "create" | "new" | "neue" | "crée" | "crea" | "crie" | "создайте");
    let east = || {
        ["修改", "更新"].iter().any(|word| lower.contains(word))
            && !["创建", "新建", "新文件", "作成"].iter().any(|word| lower.contains(word))
    };
    divided(&lower).any(|word| VERBS.contains(&word)) && !divided(&lower).any(is_new) || east()
}

// Returns true if the words above code call it changed: `Here is the updated src/a.ts`.
pub(super) fn is_updated(words: &str) -> bool {
    const WORDS: [&str; 12] = [
        "updated",
        "modified",
        "refactored",
        "aktualisierte",
        "aktualisierten",
        "geänderte",
        "modifié",
        "actualizado",
        "modificado",
        "atualizado",
        "обновлённый",
        "обновленный",
    ];
    divided(&words.to_lowercase()).any(|word| WORDS.contains(&word))
}

// Returns true if the words above code have something created.
pub(super) fn says_create(words: &str) -> bool {
    const VERBS: [&str; 8] =
        ["create", "creating", "creates", "erstelle", "créez", "crea", "crie", "создайте"];
    let lower = words.to_lowercase();
    let east = ["创建", "新建", "作成", "생성"];
    of_code(&lower).iter().any(|word| VERBS.contains(word)) || east.iter().any(|word| lower.contains(word))
}

// Returns true if `words` above code say that it takes the place of all that the file at `path` has: "Replace everything in
// `a.css` with:", "replace the contents of `a.py`".
pub(super) fn replaces_all(words: &str, path: &str) -> bool {
    const ALL: [&str; 22] = [
        "everything in",
        "entire contents of",
        "entire content of",
        "whole content of",
        "full content of",
        "full contents of",
        "all the code in",
        "all of the code in",
        "all code in",
        "contents of",
        "content of",
        "all contents of",
        "the whole of",
        "the entire",
        "alles in",
        "inhalt von",
        "gesamten inhalt von",
        "le contenu de",
        "todo el contenido de",
        "el contenido de",
        "todo o conteúdo de",
        "il contenuto di",
    ];
    const VERBS: [&str; 10] = [
        "replace",
        "overwrite",
        "ersetze",
        "überschreibe",
        "remplacez",
        "reemplaza",
        "sobrescribe",
        "substitua",
        "sostituisci",
        "замените",
    ];
    let lower = words.replace("**", "").to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_path = |rest: &str| {
        let rest = ["your ", "the ", "this ", "deiner ", "tu ", "votre "]
            .iter()
            .fold(rest.trim_start(), |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        let word = rest.trim_start_matches(['`', '"']).split([' ', '`', '"', ':']).next().unwrap_or_default();
        word.ends_with(&*name) || word == "file"
    };
    VERBS.iter().any(|verb| lower.contains(verb))
        && ALL.iter().any(|all| lower.match_indices(all).any(|(at, _)| is_path(&lower[at + all.len()..])))
}

// Returns true if `words` above code say what of the file it shows is not in it any more: "without the health check".
pub(super) fn says_without(words: &str) -> bool {
    const WITHOUT: [&str; 8] = ["without", "minus", "ohne", "sans", "sin", "sem", "senza", "без"];
    let lower = words.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| WITHOUT.contains(&word))
        || ["去掉", "删除", "なしの", "を除"].iter().any(|word| lower.contains(word))
}

// Returns true if `words` take the file `name` for there: "Edit your `a.js`", "Open `a.js`".
pub(super) fn says_edit(words: &str, name: &str) -> bool {
    const VERBS: [&str; 9] =
        ["edit", "open", "modify", "change", "update", "bearbeite", "öffne", "modifiez", "edita"];
    is_of_reader(words, name) || of_code(&words.to_lowercase()).iter().any(|word| VERBS.contains(word))
}

// Returns true if the last sentence of `words` leads to something in the file at `path`, and says nothing of the file itself:
// "In `a.py`, export a helper:", "Register it in `a.py`:", but not "`a.py` can be used like this:".
pub(super) fn place_in(words: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let sentence = words.rsplit(". ").next().unwrap_or(words);
    let Some((_, behind)) = sentence.rsplit_once(name) else { return false };
    let behind = behind.trim_start_matches(['`', '*', '"', ')']);
    !is_conditional(sentence) && (behind.is_empty() || behind.starts_with([':', ',', '：', '，']))
}

// Returns true if `line` names the file `name` in brackets as the place of something: "**Sorting** (in `lib/sort.ts`)".
pub(super) fn is_place_in_brackets(line: &str, name: &str) -> bool {
    const IN: [&str; 10] = ["in", "from", "im", "aus", "dans", "en", "em", "nel", "в", "在"];
    let Some((before, _)) = line.rsplit_once(name) else { return false };
    let before = before.trim_end_matches(|c: char| !c.is_whitespace() && !matches!(c, '(' | '（')).trim_end();
    let Some((_, word)) = before.rsplit_once(['(', '（']) else { return false };
    IN.contains(&&*word.to_lowercase())
}

/// Returns true if the words above code say that it is added to something that is there.
pub(super) fn says_add(words: &str) -> bool {
    const SAYINGS: &[&str] = &[
        "add to",
        "add it to",
        "add them to",
        "add this to",
        "add the following to",
        "add these lines to",
        "add this method",
        "add this function",
        "add these",
        "insert into",
        "append to",
        "update the function",
        "in your existing",
        "to your existing",
        "inside the ",
        "at the end of the ",
        "at the bottom of the ",
        "am ende der ",
        "à la fin de ",
        "al final de ",
        "füge ",
        "ajoutez ",
        "añade ",
        "agrega ",
        "adicione ",
        "添加到",
        "に追加",
        "добавьте в",
    ];
    let lower = words.to_lowercase();
    let text = lower.trim_end_matches([':', '*', ' ']);
    let ends = [", add", ", insert", ", paste", " at the end", " at the bottom"]
        .iter()
        .any(|end| text.ends_with(end));
    ends || SAYINGS.iter().any(|saying| lower.contains(saying))
}
