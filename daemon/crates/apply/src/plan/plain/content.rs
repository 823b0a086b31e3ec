//! The file that code without a file name is for, by its content (spec: plain, section 5).
//!
//! Reads the project's files in parallel, those of the code's language first, for a bounded time. Says so if
//! there was not enough of it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clada_dialects::plain::fits_language;
use clada_fs::Roots;

use super::files::ProjectFiles;
use super::heads::{all_definitions, is_header, lines_defining};
use super::words;

const TIME: Duration = Duration::from_millis(500);
const FILE_BYTES: u64 = 1 << 20;
const READERS: usize = 8;
const MOST: usize = 64;
// The most characters of a line that are shown.
const LONGEST: usize = 60;

pub(super) struct Unnamed<'c> {
    pub(super) language: &'c str,
    pub(super) content: &'c str,
    // The one text or name that its file has, if the words above say that.
    pub(super) anchor: Option<&'c str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Home {
    One(String, String),
    None,
}

impl Home {
    pub(super) fn path(&self) -> Option<&String> {
        match self {
            Home::One(path, _) => Some(path),
            Home::None => None,
        }
    }
}

pub(super) struct Homes {
    pub(super) homes: Vec<Home>,
    /// True if time ended before all files were read.
    pub(super) stopped: bool,
}

/// What tells a piece of code from others.
struct Telling<'c> {
    lines: HashSet<&'c str>,
    definitions: HashSet<String>,
    // The lines at its margin that begin a block.
    heads: Vec<&'c str>,
    anchor: Option<&'c str>,
    text: &'c str,
}

struct Score {
    piece: usize,
    path: PathBuf,
    lines: usize,
    definitions: usize,
    head: Option<String>,
    // How many of all its lines the file has, properties of style sheets too.
    all_lines: usize,
    has_anchor: bool,
}

pub(super) fn homes(pieces: &[Unnamed<'_>], files: &mut ProjectFiles<'_, '_>, roots: &Roots) -> Homes {
    let telling: Vec<Telling<'_>> = pieces.iter().take(MOST).map(telling).collect();
    let is_wanted = |at: usize| {
        let sought = &telling[at];
        sought.anchor.is_some() || !sought.lines.is_empty() || !sought.definitions.is_empty()
    };
    let none = || vec![Home::None; pieces.len()];
    if !(0..telling.len()).any(is_wanted) {
        return Homes { homes: none(), stopped: false };
    }
    let names: Vec<PathBuf> = files.names().files().cloned().collect();
    let suits = |at: usize, path: &str| {
        let language = pieces[at].language;
        let is_code = !language.is_empty()
            && !PROSE.contains(&language)
            && language != "markdown"
            && language != "text";
        fits_language(language, path) && !(is_code && is_prose(path))
    };
    // Files of a language that a fence names come first: reading stops after a time.
    let mut paths: Vec<(bool, PathBuf)> = Vec::new();
    for path in names.into_iter().filter(|path| !is_foreign(path)) {
        let shown = path.to_string_lossy();
        if (0..telling.len()).any(|at| is_wanted(at) && suits(at, &shown)) {
            let is_other = !(0..telling.len()).any(|at| !pieces[at].language.is_empty() && suits(at, &shown));
            paths.push((is_other, path));
        }
    }
    paths.sort();
    let paths: Vec<PathBuf> = paths.into_iter().map(|(_, path)| path).collect();
    let (scores, stopped) = scored(&paths, &telling, roots, &suits);
    let mut homes: Vec<Home> = (0..telling.len()).map(|at| home(at, &telling[at], &scores)).collect();
    homes.resize(pieces.len(), Home::None);
    Homes { homes, stopped: stopped || files.names().is_cut() }
}

fn telling<'c>(piece: &Unnamed<'c>) -> Telling<'c> {
    let tells = |line: &&str| line.len() >= 6 && line.chars().filter(|c| c.is_alphanumeric()).count() >= 4;
    let lines = piece.content.lines().map(str::trim).filter(tells).filter(|line| !is_declaration(line));
    // A path decides on the heads alone, and that of code is not known: any that is no prose.
    // What is only required is defined elsewhere.
    let telling = |text: &str| {
        let own: String =
            text.lines().filter(|line| !line.contains("require(")).map(|line| format!("{line}\n")).collect();
        all_definitions(&own, "x").into_iter().filter(|definition| name_tells(definition)).collect::<Vec<_>>()
    };
    // A local variable has the name of anything: definitions tell only beside one that nothing holds.
    let has_outer = !telling(&outermost_lines(piece.content)).is_empty();
    let definitions = telling(piece.content).into_iter().filter(|_| has_outer);
    let anchor = piece.anchor.filter(|anchor| {
        let is_name = anchor.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name { name_tells(anchor) } else { anchor.chars().filter(|c| c.is_alphanumeric()).count() >= 4 }
    });
    Telling {
        lines: lines.collect(),
        definitions: definitions.collect(),
        heads: heads(piece.content),
        anchor,
        text: piece.content,
    }
}

// Returns the lines at the margin of `content` that begin a block and have a name that few have.
fn heads(content: &str) -> Vec<&str> {
    // Words of the language, and names that every program has.
    #[rustfmt::skip]
    const COMMON: &[&str] = &[
        "if", "for", "while", "switch", "return", "else", "elif", "match", "try", "catch", "with", "do", "case", "when", "begin", "end", "export", "default", "module",
        "exports", "public", "private", "protected", "internal", "static", "final", "void", "async", "await", "function", "const", "let", "var", "val", "fun", "func", "def",
        "class", "struct", "impl", "self", "string", "args", "int", "bool", "str", "none", "name", "server", "http", "body", "html", "head", "script", "style", "template",
        "div", "span", "input", "form", "button", "section", "describe", "context", "it", "expect", "package", "namespace", "using", "import", "from", "return", "props",
        "console", "log", "print", "root", "location", "jobs", "steps", "on", "select", "where", "insert", "create", "table", "into",
    ];
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = content.lines().filter(|line| !line.trim().is_empty()).collect();
    let least = lines.iter().map(|line| indent(line)).min().unwrap_or(0);
    let is_head = |pair: &&[&str]| {
        let [head, next] = **pair else { return false };
        indent(head) == least && (indent(next) > least || next.trim() == "{")
    };
    let tells = |line: &&str| {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        let is_hook =
            |word: &str| word.strip_prefix("use").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        let mut own = words.filter(|word| !COMMON.contains(&&*word.to_lowercase()) && !is_hook(word));
        own.any(|word| word.len() > 2 && !word.starts_with(|c: char| c.is_ascii_digit()))
    };
    lines.windows(2).filter(is_head).map(|pair| pair[0].trim()).filter(tells).collect()
}

// Returns true if `text`, a file at `path`, has `anchor`: it defines the name, or has the text.
fn has_anchor(text: &str, path: &str, anchor: &str) -> bool {
    let is_name = anchor.chars().all(|c| c.is_alphanumeric() || c == '_');
    match is_name {
        true => !lines_defining(text, path, anchor).is_empty(),
        false => text.lines().any(|line| line.contains(anchor.trim())),
    }
}

// Extensions of files for readers: a chat that is kept beside the project has the lines of every fence.
const PROSE: [&str; 5] = ["md", "txt", "rst", "log", "adoc"];

fn is_prose(path: &str) -> bool {
    PROSE.iter().any(|end| path.strip_suffix(end).is_some_and(|stem| stem.ends_with('.')))
}

// Returns the lines of prose that are in no fence: a log of chats has the code of the project in fences.
pub(super) fn outside_fences(text: &str) -> String {
    let mut is_inside = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_inside ^= is_fence;
        !is_inside && !is_fence
    });
    lines.map(|line| format!("{line}\n")).collect()
}

// Returns true if a file is of another project, whose code was copied into this one.
fn is_foreign(path: &Path) -> bool {
    const FOLDERS: [&str; 8] = [
        "node_modules",
        "site-packages",
        "dist-packages",
        "vendor",
        "third_party",
        "bower_components",
        "venv",
        ".venv",
    ];
    path.iter().any(|part| FOLDERS.iter().any(|folder| part == *folder))
}

// Returns true if a line sets a property that every style sheet sets: `cursor: pointer;`.
fn is_declaration(line: &str) -> bool {
    const PROPERTIES: [&str; 28] = [
        "align",
        "background",
        "border",
        "bottom",
        "box",
        "color",
        "cursor",
        "display",
        "flex",
        "font",
        "gap",
        "height",
        "justify",
        "left",
        "letter",
        "line",
        "margin",
        "max",
        "min",
        "opacity",
        "overflow",
        "padding",
        "position",
        "right",
        "text",
        "top",
        "transition",
        "width",
    ];
    let Some((name, value)) = line.strip_suffix(';').and_then(|line| line.split_once(':')) else {
        return false;
    };
    let first = name.split('-').next().unwrap_or_default();
    value.starts_with(' ')
        && PROPERTIES.contains(&first)
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

// Returns the lines of `text` with the smallest indentation.
fn outermost_lines(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let least = lines().map(indent).min().unwrap_or(0);
    lines().filter(|line| indent(line) == least).map(|line| format!("{line}\n")).collect()
}

// Returns the files in one of `languages` that define a type called one of `names`, each with that name.
pub(super) fn files_of_types(
    names: &[String],
    languages: &[&str],
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> Vec<(String, PathBuf)> {
    const KINDS: &[&str] = &[
        "class",
        "struct",
        "enum",
        "trait",
        "interface",
        "type",
        "object",
        "protocol",
        "mixin",
        "record",
        "function",
    ];
    const FUNCTIONS: &[&str] = &["def", "fn", "func", "function", "fun", "sub", "proc"];
    let suits = |path: &&PathBuf| {
        let path = path.to_string_lossy();
        languages.iter().any(|language| fits_language(language, &path))
    };
    let paths: Vec<PathBuf> = files.names().files().filter(suits).cloned().collect();
    let of_file = |path: &Path| {
        let Some(text) = read_text(path, roots) else { return Vec::new() };
        if !names.iter().any(|name| text.contains(&**name)) {
            return Vec::new();
        }
        let defined = all_definitions(&text, "x");
        let defines = |name: &&String| {
            defined.iter().any(|definition| {
                definition.split_once(' ').is_some_and(|(kind, own)| {
                    let kinds = if name.starts_with(|c: char| c.is_uppercase()) { KINDS } else { FUNCTIONS };
                    own == **name && kinds.contains(&kind)
                })
            })
        };
        names.iter().filter(defines).map(|name| (name.clone(), path.to_path_buf())).collect()
    };
    let (mut defining, stopped) = read_each(&paths, &of_file);
    // Of what was not read another file may define it.
    if stopped || files.names().is_cut() {
        return Vec::new();
    }
    defining.sort();
    defining
}

// Returns how many of the telling lines of `content` are lines of `text`.
pub(super) fn shared_lines(content: &str, text: &str) -> usize {
    let telling = telling(&Unnamed { language: "", content, anchor: None });
    let has: HashSet<&str> = text.lines().map(str::trim).collect();
    telling.lines.iter().filter(|line| has.contains(*line)).count()
}

// Returns how many of the telling lines of `content` are lines of `text`, or all but the same words.
pub(super) fn alike_lines(content: &str, text: &str) -> usize {
    let telling = telling(&Unnamed { language: "", content, anchor: None });
    let has: HashSet<&str> = text.lines().map(str::trim).collect();
    let of_text: Vec<HashSet<&str>> = has.iter().map(|line| words::of_code(line)).collect();
    let is_alike = |line: &&&str| {
        let own = words::of_code(line);
        let common = |other: &HashSet<&str>| own.intersection(other).count();
        has.contains(**line)
            || own.len() > 2
                && of_text.iter().any(|other| 4 * common(other) >= 3 * own.len().max(other.len()))
    };
    telling.lines.iter().filter(is_alike).count()
}

// Returns true if `content` is a file of its own beside `text`: it begins with imports, as a file does, and of its functions
// and classes `text` defines none. The types that it shares are declared in both.
pub(super) fn is_other_file(content: &str, text: &str) -> bool {
    const HOLDING: [&str; 9] =
        ["def", "class", "fn", "func", "function", "fun", "struct", "component", "object"];
    let is_remark = |line: &&str| {
        let line = line.trim();
        line.is_empty() || ["//", "#", "/*", "*", "'use ", "\"use "].iter().any(|sign| line.starts_with(sign))
    };
    let first = content.lines().find(|line| line.starts_with("#include") || !is_remark(line));
    if !first.is_some_and(is_header) {
        return false;
    }
    let own = |text: &str| -> HashSet<String> {
        let is_own = |one: &String| one.split(' ').next().is_some_and(|kind| HOLDING.contains(&kind));
        all_definitions(text, "x").into_iter().filter(is_own).collect()
    };
    let (shown, there) = (own(content), own(text));
    !shown.is_empty() && shown.is_disjoint(&there)
}

// Returns true if `definition` is a function in one text and a method in the other, by what it takes first.
fn is_other_kind(definition: &str, shown: &str, there: &str) -> bool {
    const RECEIVERS: [&str; 5] = ["self", "cls", "&self", "&mut self", "mut self"];
    let is_method = |text: &str| {
        let mut heads = text.lines().filter_map(|line| line.split_once(definition)?.1.strip_prefix('('));
        let parameters = heads.next()?;
        Some(RECEIVERS.contains(&parameters.split([',', ')', ':']).next()?.trim()))
    };
    let takes_object = definition.starts_with("def ") || definition.starts_with("fn ");
    takes_object
        && matches!((is_method(shown), is_method(there)), (Some(shown), Some(there)) if shown != there)
}

/// Returns true if a definition's name is one that few files have.
fn name_tells(definition: &str) -> bool {
    const COMMON: &[&str] = &[
        "main",
        "init",
        "__init__",
        "new",
        "default",
        "get",
        "set",
        "run",
        "test",
        "setup",
        "start",
        "stop",
        "update",
        "render",
        "app",
        "i",
        "x",
        "self",
        "props",
        "data",
        "result",
        "handler",
        "index",
        "module",
        "config",
        "options",
        "e",
        "err",
        "res",
        "req",
        "response",
        "constructor",
        "tostring",
        "__str__",
        "__repr__",
        "fmt",
        "drop",
        "clone",
        "from",
        "into",
        "add",
        "remove",
        "delete",
        "create",
        "build",
    ];
    let name = definition.rsplit(' ').next().unwrap_or_default().to_lowercase();
    name.len() > 2 && !COMMON.contains(&&*name)
}

fn scored(
    paths: &[PathBuf],
    telling: &[Telling<'_>],
    roots: &Roots,
    suits: &(dyn Fn(usize, &str) -> bool + Sync),
) -> (Vec<Score>, bool) {
    read_each(paths, &|path| of_file(path, telling, roots, suits))
}

// Returns what `read_one` finds in each of `paths`, in no order, and whether time ended before.
fn read_each<T: Send>(paths: &[PathBuf], read_one: &(dyn Fn(&Path) -> Vec<T> + Sync)) -> (Vec<T>, bool) {
    let (next, stopped, results) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(Vec::new()));
    let begun = Instant::now();
    let read = || {
        let mut own = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            if begun.elapsed() > TIME {
                stopped.store(true, Ordering::Relaxed);
                break;
            }
            own.extend(read_one(path));
        }
        if let Ok(mut all) = results.lock() {
            all.append(&mut own);
        }
    };
    let readers =
        std::thread::available_parallelism().map_or(1, usize::from).min(READERS).min(paths.len().max(1));
    std::thread::scope(|scope| {
        for _ in 1..readers {
            scope.spawn(read);
        }
        read();
    });
    (results.into_inner().unwrap_or_default(), stopped.into_inner())
}

fn read_text(path: &Path, roots: &Roots) -> Option<String> {
    let at = roots.resolve_relative(path).ok()?;
    let bytes = roots.read(&at, FILE_BYTES).ok()?.bytes;
    String::from_utf8(bytes.to_vec()).ok()
}

fn of_file(
    path: &Path,
    telling: &[Telling<'_>],
    roots: &Roots,
    suits: &(dyn Fn(usize, &str) -> bool + Sync),
) -> Vec<Score> {
    let Some(text) = read_text(path, roots) else { return Vec::new() };
    let shown = path.to_string_lossy();
    let text = if is_prose(&shown) { outside_fences(&text) } else { text };
    let has: HashSet<&str> = text.lines().map(str::trim).collect();
    let mut defined: Option<HashSet<String>> = None;
    let mut scores = Vec::new();
    for (piece, sought) in telling.iter().enumerate().filter(|(at, _)| suits(*at, &shown)) {
        let lines = sought.lines.iter().filter(|line| has.contains(*line)).count();
        let definitions = match sought.definitions.is_empty() {
            true => 0,
            false => {
                let defined =
                    defined.get_or_insert_with(|| all_definitions(&text, "x").into_iter().collect());
                let is_other = |name: &&String| {
                    let defines = |line: &&&str| all_definitions(line, "x").contains(name);
                    let mut both =
                        has.iter().find(defines).into_iter().zip(sought.lines.iter().find(defines));
                    both.next().is_some_and(|(there, shown)| !assigns_alike(name, there, shown))
                };
                let is_here = |one: &&String| !is_other_kind(one, sought.text, &text);
                let mut common = sought.definitions.intersection(defined).filter(is_here).peekable();
                // Variables of one name are in many files: what they are set to has to tell, if nothing else does.
                if lines == 0 && common.peek().is_some() && common.clone().all(|name| is_other(&name)) {
                    0
                } else {
                    common.count()
                }
            }
        };
        let head = sought.heads.iter().find(|head| has.contains(**head)).map(|head| (*head).to_owned());
        let all_lines = if head.is_some() {
            let own = sought.text.lines().map(str::trim).filter(|line| line.contains(char::is_alphanumeric));
            own.filter(|line| has.contains(line)).count()
        } else {
            0
        };
        let has_anchor = sought.anchor.is_some_and(|anchor| has_anchor(&text, &shown, anchor));
        if lines > 0 || definitions > 0 || has_anchor {
            let path = path.to_path_buf();
            scores.push(Score { piece, path, lines, definitions, head, all_lines, has_anchor });
        }
    }
    scores
}

/// Returns true unless two lines set the variable `name`, which is no constant, to values that have too few words in common.
fn assigns_alike(name: &str, there: &str, shown: &str) -> bool {
    let is_variable = ["const ", "let ", "var ", "val "].iter().any(|word| name.starts_with(word));
    if !is_variable || !name.contains(|c: char| c.is_lowercase() && c.is_alphabetic()) {
        return true;
    }
    let without_name = |line| {
        let mut words = words::of_code(line);
        words.retain(|word| !name.split(' ').any(|own| own == *word));
        words
    };
    let (there, shown) = (without_name(there), without_name(shown));
    let least = there.len().min(shown.len());
    least < 2 || there.intersection(&shown).count() * 2 >= least
}

fn home(piece: usize, telling: &Telling<'_>, scores: &[Score]) -> Home {
    let mut own: Vec<&Score> = scores.iter().filter(|score| score.piece == piece).collect();
    own.sort_by(|one, other| other.lines.cmp(&one.lines).then_with(|| one.path.cmp(&other.path)));
    if let Some(anchor) = telling.anchor {
        let mut with_anchor = own.iter().filter(|score| score.has_anchor);
        return match (with_anchor.next(), with_anchor.next()) {
            (Some(only), None) => {
                let path = only.path.to_string_lossy().into_owned();
                let shown: String = anchor.trim().chars().take(LONGEST).collect();
                let why = format!("No file is named. `{shown}` is only in {path}.");
                Home::One(path, why)
            }
            _ => Home::None,
        };
    }
    let count = telling.definitions.len();
    // A function with that one word for a name, of which no line is there, is another one.
    let has_rare_name = telling.definitions.iter().any(|definition| {
        let name = definition.rsplit(' ').next().unwrap_or_default();
        name.trim_start_matches('_').contains(|c: char| c == '_' || c.is_uppercase())
    });
    let is_own = |score: &&&Score| score.lines > 0 || telling.lines.len() < 2 || has_rare_name;
    let is_defining = |score: &&&Score| count > 0 && score.definitions == count;
    let defining: Vec<&&Score> = own.iter().filter(is_defining).collect();
    let defining = if defining.iter().all(is_own) { defining } else { Vec::new() };
    if let [only] = defining[..] {
        let some: Vec<&String> = telling.definitions.iter().collect();
        let name = some.iter().min().and_then(|name| name.rsplit(' ').next()).unwrap_or_default();
        let path = only.path.to_string_lossy().into_owned();
        let why = format!("No file is named. `{name}` is only in {path}.");
        return Home::One(path, why);
    }
    let (Some(best), second) = (own.first(), own.get(1).map_or(0, |score| score.lines)) else {
        return Home::None;
    };
    if best.lines >= 2 && best.lines * 2 >= telling.lines.len() && best.lines >= second * 2 {
        let path = best.path.to_string_lossy().into_owned();
        let why = format!(
            "No file is named. {} of its {} lines are in {path} alone.",
            best.lines,
            telling.lines.len()
        );
        return Home::One(path, why);
    }
    by_head(&own).unwrap_or(Home::None)
}

// Returns the one file that has a line of the code that begins a block, with another line of it.
fn by_head(scores: &[&Score]) -> Option<Home> {
    const FEWEST: usize = 2;
    let mut with_head = scores.iter().filter_map(|score| Some((score, score.head.as_ref()?)));
    let ((best, head), None) = (with_head.next()?, with_head.next()) else { return None };
    let others = scores.iter().filter(|score| score.path != best.path).map(|score| score.lines).max();
    if best.all_lines < FEWEST || best.all_lines < 2 * others.unwrap_or(0) {
        return None;
    }
    let path = best.path.to_string_lossy().into_owned();
    let shown: String = head.chars().take(LONGEST).collect();
    let why = format!("No file is named. `{shown}` is only in {path}.");
    Some(Home::One(path, why))
}
