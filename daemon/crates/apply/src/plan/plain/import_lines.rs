//! Imports that an answer shows alone: what they bring, and where they go.
//!
//! Pure.

use std::collections::HashSet;

use clada_dialects::plain::beside;

use super::anchor_line::block_end;
use super::heads::definitions;
use super::inserted_text::{doubled, ended, guessed};
use super::plain_edit::{EditOutcome, PlainEdit};
use super::words;

// Returns the variable of the content that the file imports: `import app from './server'`.
pub(super) fn imported_again(edit: &PlainEdit<'_>, file: &str) -> Option<String> {
    let names: Vec<String> = definitions(edit.content, edit.path)
        .iter()
        .filter_map(|one| one.rsplit(' ').next().map(str::to_owned))
        .collect();
    let mut imports = file.lines().filter(|line| line.starts_with("import "));
    imports.find_map(|line| {
        let imported = line.split(" from ").next().unwrap_or(line);
        names.iter().find(|name| words::of_code(imported).contains(name.as_str())).cloned()
    })
}

pub(super) fn is_import(line: &str) -> bool {
    let words = ["import ", "from ", "use ", "pub use ", "#include", "require", "using "];
    words.iter().any(|word| line.starts_with(word)) || line.starts_with("const ") && line.contains("require(")
}

// Returns the line by which `new`, a new text of the file at `path`, imports that file, unless `old` has it.
pub(super) fn import_of_itself(path: &str, old: &str, new: &str) -> Option<String> {
    let had: HashSet<&str> = old.lines().map(str::trim).collect();
    let own = module_of(path);
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_itself = |line: &&str| {
        let module = match path.rsplit('.').next() {
            Some("py") => python_module(line),
            Some("js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "vue" | "svelte") => {
                line.split(['"', '\'']).nth(1).map(str::to_owned)
            }
            _ => None,
        };
        let Some(module) = module else { return false };
        let bare = module_of(module.trim_start_matches("./"));
        // Some write the path from the root.
        let from_folder = if folder.is_empty() { bare.to_owned() } else { format!("{folder}/{bare}") };
        bare == own && own.contains('/') || module.starts_with("./") && from_folder == own
    };
    new.lines()
        .map(str::trim)
        .filter(|line| is_import(line) && !had.contains(line))
        .find(is_itself)
        .map(str::to_owned)
}

// Returns `path` without its extension, and without the name of an index.
fn module_of(path: &str) -> &str {
    const EXTENSIONS: [&str; 11] =
        [".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"];
    let bare = EXTENSIONS.iter().find_map(|extension| path.strip_suffix(extension)).unwrap_or(path);
    bare.strip_suffix("/index").or_else(|| bare.strip_suffix("/__init__")).unwrap_or(bare)
}

// Returns the module of the import `line` of Python as a path: `from a.b import c` gives `a/b`, `from .b import c` `./b`.
fn python_module(line: &str) -> Option<String> {
    let name =
        line.strip_prefix("from ").or_else(|| line.strip_prefix("import "))?.split_whitespace().next()?;
    let path = name.trim_end_matches(',').replace('.', "/");
    Some(match path.strip_prefix('/') {
        Some(rest) if !rest.starts_with('/') => format!("./{rest}"),
        _ => path,
    })
}

// Returns the names that `content`, imports alone, brings; `None` if it has anything else.
pub(super) fn imported_names(content: &str) -> Option<HashSet<String>> {
    let lines: Vec<&str> = content.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() || !lines.iter().all(|line| is_import(line)) {
        return None;
    }
    let names = |line: &&str| -> Vec<String> {
        // What is quoted is the module.
        let bare: String = line.split(['"', '\'']).step_by(2).collect();
        let bare = bare
            .split_once(" import ")
            .filter(|_| line.starts_with("from "))
            .map_or(&*bare, |(_, names)| names);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let ends = |at: usize, word: &str| !bare[at + word.len()..].starts_with(['.', ':', '\\', '/']);
        let words = bare.split(|c: char| !is_word(c)).filter(|word| word.len() > 2);
        let at = |word: &str| word.as_ptr() as usize - bare.as_ptr() as usize;
        const OWN: [&str; 9] =
            ["import", "from", "use", "using", "type", "const", "require", "static", "pub"];
        words.filter(|word| !OWN.contains(word) && ends(at(word), word)).map(str::to_owned).collect()
    };
    Some(lines.iter().flat_map(names).collect())
}

// Returns true if a line of `content` has all words of the import `line`, and more.
pub(super) fn extends(content: &str, line: &str) -> bool {
    let own = words::of_code(line);
    let has_all = |new: &str| {
        let words = words::of_code(new);
        words.len() > own.len() && own.is_subset(&words)
    };
    content.lines().any(has_all)
}

// Returns `file` with `content`, if that is imports alone, behind the last import of the file. `None` if the file
// has no import, or one from the same module: the top is the top then.
pub(super) fn among_imports(file: &str, content: &str) -> Option<String> {
    let content = content.trim_matches('\n');
    let module = |line: &str| -> String {
        let quoted = line.split(['"', '\'']).nth(1).map(str::to_owned);
        quoted.unwrap_or_else(|| {
            line.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(';').to_owned()
        })
    };
    if content.is_empty() || !content.lines().all(is_import) {
        return None;
    }
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let imports: Vec<usize> = (0..lines.len()).filter(|at| is_import(lines[*at])).collect();
    // Modules of the project stand behind those of packages.
    let is_own = |line: &str| module(line).starts_with('.');
    let last = *imports.last()?;
    let of_kind = |at: &&usize| is_own(lines[**at]) == content.lines().any(is_own);
    let last = imports.iter().rfind(of_kind).copied().unwrap_or(last);
    let is_known = content.lines().any(|new| imports.iter().any(|at| module(lines[*at]) == module(new)));
    if is_known {
        return None;
    }
    let end = block_end(&lines, last);
    Some(format!("{}{content}\n{}", ended(&lines[..end].concat()), lines[end..].concat()))
}

// Puts imports alone behind the last import of the file, if the words above lead to them.
pub(super) fn imports(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    if imported_again(edit, file).is_some() || doubled(edit, file).is_some() {
        return None;
    }
    let text = among_imports(file, edit.content)?;
    Some(guessed(text, "Added behind the last import.".to_owned()))
}

// Puts code behind the imports of the file, if the words above it say so: "right after the `use` line", "below the imports".
pub(super) fn behind_imports(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    const IMPORTS: [&str; 9] =
        ["import", "imports", "use", "using", "#include", "include", "includes", "require", "requires"];
    let is_behind = edit.words.split_inclusive([' ', ',', ':', '.']).scan(0, |at, word| {
        *at += word.len();
        Some((*at - word.len(), word))
    });
    let mut words = is_behind.filter(|(_, word)| {
        let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '#'));
        IMPORTS.contains(&&*word.to_lowercase())
    });
    let is_place = |at: usize| beside(edit.words[..at].trim_end_matches([' ', '`', '*']), "") == Some(true);
    if !words.any(|(at, _)| is_place(at)) || doubled(edit, file).is_some() {
        return None;
    }
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let last = (0..lines.len()).rfind(|at| is_import(lines[*at]))?;
    let end = block_end(&lines, last);
    let content = edit.content.trim_matches('\n');
    let is_blank = |at: usize| lines.get(at).is_none_or(|line| line.trim().is_empty());
    let below = if is_blank(end) { "" } else { "\n" };
    let rest = lines[end..].concat();
    Some(guessed(
        format!("{}\n{content}\n{below}{rest}", ended(&lines[..end].concat())),
        "Added behind the imports.".to_owned(),
    ))
}
