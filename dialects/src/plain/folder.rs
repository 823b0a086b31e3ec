//! The folder that the words around a bare name give for it.
//!
//! ````text
//! Create `a.cs` in Assets/Core          Assets/Core, right beside the name
//! In the `web` package, `a.json`        web, if the project has it
//! Use a.cs for the tests in Assets/     Assets, which a file of the name elsewhere does not need
//! ````

use super::Folder;
use super::mention::LocatedMention;
use super::path::Shape;

// Words before a folder.
const BEFORE: &[&str] = &[
    "in",
    "under",
    "inside",
    "within",
    "into",
    "to",
    "im",
    "unter",
    "dans",
    "sous",
    "en",
    "bajo",
    "dentro",
    "em",
    "nella",
    "w",
    "v",
    "в",
    "di",
    "trong",
    "folder",
    "directory",
    "ordner",
    "dossier",
    "carpeta",
    "pasta",
    "cartella",
    "папке",
    "目录",
    "在",
];
// An article stands behind a word for a place: "a navbar/header" is none.
const ARTICLES: &[&str] = &["the", "den", "dem", "le", "la", "el", "a", "your"];
// Words between a name and its folder, besides these.
const OF: &[&str] =
    &["of", "von", "vom", "des", "der", "de", "du", "del", "do", "da", "dello", "file", "datei"];
// Words that go on behind a folder.
const AFTER: &[&str] = &[
    "and", "or", "with", "for", "so", "that", "to", "as", "which", "where", "next", "named", "called",
    "using", "by", "create", "add", "update", "modify", "change", "edit", "open", "there", "is", "under",
    "und", "mit", "et", "avec", "y", "con", "e", "com", "и",
];
const KINDS: &[&str] = &[
    "folder",
    "directory",
    "ordner",
    "verzeichnis",
    "dossier",
    "carpeta",
    "directorio",
    "pasta",
    "cartella",
];
// The same, with what follows without a blank.
const KINDS_EAST: &[&str] =
    &["目录", "目錄", "文件夹", "資料夾", "フォルダ", "ディレクトリ", "폴더", "디렉터리"];
// What has a folder of its own, often.
const UNITS: &[&str] = &["service", "package", "workspace", "module", "crate", "subproject"];
// Words between a folder and a name.
const NEW: &[&str] =
    &["an", "ein", "eine", "einen", "un", "une", "una", "uno", "um", "uma", "new", "neue", "neuen", "file"];
// Words that begin a sentence before its folder.
const BEGINNINGS: &[&str] = &["also", "then", "and", "now", "next", "first", "finally"];

struct Word<'l> {
    text: &'l str,
    start: usize,
    end: usize,
}

// Returns the folder that `line` gives for the bare names in it, which are `located`.
pub(super) fn of_name(line: &str, located: &[LocatedMention]) -> Option<Folder> {
    find(line, located).map(|(folder, _)| folder)
}

// The same, with the byte of `line` where its words end.
pub(super) fn find(line: &str, located: &[LocatedMention]) -> Option<(Folder, usize)> {
    if located.iter().any(|one| one.mention.path.contains('/') && one.shape == Shape::Path) {
        return None;
    }
    let words: Vec<Word<'_>> = words_of(line).collect();
    let (mut last, mut is_place) = ("", false);
    let mut of_unit: Option<(String, bool, usize, usize)> = None;
    let mut nearest = None;
    for (at, word) in words.iter().enumerate() {
        let text = word.text.trim_end_matches([':', '.', ',', ';']);
        // "CSS/Tailwind tokens" are tokens.
        let next = words.get(at + 1).map_or("", |next| next.text.trim_end_matches([':', '.', ',', ';']));
        let is_noun = text.len() < word.text.len()
            || text.ends_with('/')
            || next.is_empty()
            || !next.starts_with(|c: char| c.is_ascii_lowercase())
            || next.contains(['/', '.'])
            || is_kind(next)
            || AFTER.contains(&next);
        if is_folder(text) && is_noun && is_place {
            let path = text.trim_start_matches("./").trim_end_matches('/').to_owned();
            nearest = Some((path, true, word.start, word.end));
            break;
        }
        // "in the folder `agent`"
        let is_plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if is_kind(last) && is_plain && !text.is_empty() && line.contains(&format!("`{text}`")) {
            nearest = Some((text.to_owned(), true, word.start, word.end));
            break;
        }
        // "in agent directory", "in the `agent` folder": whether there is one the files say.
        let is_name = last.len() > 1
            && !BEFORE.contains(&&*last.to_lowercase())
            && !ARTICLES.contains(&&*last.to_lowercase())
            && last.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let start = || words[at.saturating_sub(1)].start;
        if is_name && is_kind(text) {
            let marks = ["`", "\"", "**"];
            let is_marked = marks.iter().any(|mark| line.contains(&format!("{mark}{last}{mark}")));
            nearest = Some((last.to_owned(), is_marked, start(), word.end));
            break;
        }
        if is_name && of_unit.is_none() && is_unit(text) {
            of_unit = Some((last.to_owned(), false, start(), word.end));
        }
        let lower = text.to_lowercase();
        is_place = BEFORE.contains(&&*lower) || is_place && ARTICLES.contains(&&*lower);
        last = text;
    }
    let (path, is_marked, start, end) = nearest.or(of_unit)?;
    let name = located.iter().find(|one| one.mention.sure && !one.mention.aside)?;
    let is_link = |word: &str, more: &[&str]| {
        BEFORE.contains(&word) || ARTICLES.contains(&word) || more.contains(&word)
    };
    let all = |text: &str, more: &[&str]| {
        let lower = |word: Word<'_>| word.text.trim_matches([':', ',', '.']).to_lowercase();
        let mut words =
            words_of(text).map(lower).filter(|word| word.contains(char::is_alphabetic)).peekable();
        words.peek().is_some() && words.all(|word| is_link(&word, more))
    };
    let is_beside = if name.at.end <= start {
        all(&line[name.at.end..start], OF)
    } else {
        // "In `web/`, add the `a.json`", "Put into the `web` folder a new `a.json`".
        all(&line[..start], BEGINNINGS) || end <= name.at.start && all(&line[end..name.at.start], NEW)
    };
    Some((Folder { path, is_marked, is_beside }, end))
}

fn words_of(line: &str) -> impl Iterator<Item = Word<'_>> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | '*' | '"' | '，' | '。' | '：');
    let start = line.as_ptr() as usize;
    line.split(ends).filter(|word| !word.is_empty()).map(move |text| {
        let at = text.as_ptr() as usize - start;
        Word { text, start: at, end: at + text.len() }
    })
}

// Returns true if `word` says that a name is that of a folder.
pub(super) fn is_kind(word: &str) -> bool {
    is_one_of(KINDS, word) || KINDS_EAST.iter().any(|kind| word.starts_with(kind))
}

// Returns true if `word` says that a name is that of a unit of code, which often has a folder of its own.
pub(super) fn is_unit(word: &str) -> bool {
    is_one_of(UNITS, word)
}

fn is_one_of(kinds: &[&str], text: &str) -> bool {
    kinds.iter().any(|kind| kind.eq_ignore_ascii_case(text))
}

fn is_folder(text: &str) -> bool {
    let is_plain =
        text.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | '[' | ']' | '@'));
    text.contains('/')
        && is_plain
        && !text.starts_with('/')
        && !text.contains("//")
        && crate::file_name::extension_of(text).is_none()
}
