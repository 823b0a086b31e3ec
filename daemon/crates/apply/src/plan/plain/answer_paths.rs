//! What an answer says of files besides the words right above their code: which it creates, and in which folders they are.
//!
//! ````text
//! ├── modules/
//! │   └── text.js                        text.js is modules/text.js
//! // app.js: import './modules/text.js'  the same
//! Create a new file `text.js`.           text.js is created
//! ````
//!
//! Knows no project.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use clada_dialects::plain::{Candidate, Form, NoteKind, Plain, creates};

use super::words;

// Branches of a tree, as programs and models draw them.
const BRANCHES: [char; 8] = ['│', '├', '└', '─', '|', '+', '`', '\u{a0}'];
// Folders of the system, in which no file of a project is.
const SYSTEM: [&str; 12] = [
    "/etc/",
    "/usr/",
    "/var/",
    "/opt/",
    "/library/",
    "~/.",
    "~/library/",
    "%appdata%",
    "%userprofile%",
    "c:/program files",
    "c:/windows",
    "$home/.",
];
// Files of servers and of the system, wherever these have them.
const OF_SYSTEM: [&str; 12] = [
    "pg_hba.conf",
    "postgresql.conf",
    "my.cnf",
    "my.ini",
    "httpd.conf",
    "php.ini",
    "sshd_config",
    "fstab",
    "resolv.conf",
    "sources.list",
    ".bashrc",
    ".zshrc",
];

// The prose, the trees and the imports of an answer.
#[derive(Debug, Default)]
pub(super) struct AnswerPaths<'a> {
    prose: Vec<&'a str>,
    text: &'a str,
    // Paths with folders.
    of_trees: Vec<PathBuf>,
    of_imports: Vec<PathBuf>,
    // The absolute path of the project where the answer was written, without `/` at its end.
    root: Option<String>,
}

impl<'a> AnswerPaths<'a> {
    // `root` is the absolute path with which it names the project; `is_known` says whether that has a folder; `bare` has the files
    // that bare names of the answer mean.
    pub(super) fn new(
        plain: &Plain,
        text: &'a str,
        root: Option<String>,
        bare: &HashMap<String, PathBuf>,
        is_known: &mut dyn FnMut(&str) -> bool,
    ) -> AnswerPaths<'a> {
        let lines: Vec<&str> = text.lines().collect();
        // Lines count from 1.
        let within = |range: &Range<u32>| {
            let start = (range.start.saturating_sub(1) as usize).min(lines.len());
            start..(range.end.saturating_sub(1) as usize).clamp(start, lines.len())
        };
        // What code and other voices say is not what the answer says of its files.
        let mut is_prose = vec![true; lines.len()];
        let mut leave_out = |range: &Range<u32>| is_prose[within(range)].fill(false);
        let shown = |one: &&Candidate| one.form == Form::Code && !one.is_sentence;
        plain.candidates.iter().filter(shown).for_each(|one| leave_out(&one.lines));
        let voices = plain.notes.iter().filter(|note| note.kind == NoteKind::OtherVoice);
        voices.for_each(|note| leave_out(&note.lines));
        let (mut of_trees, mut of_imports) = (Vec::new(), Vec::new());
        for note in plain.notes.iter().filter(|note| note.kind == NoteKind::Output) {
            let tree = paths_of_tree(&lines[within(&note.lines)]);
            of_trees.extend(without_root(tree, is_known));
        }
        for candidate in plain.candidates.iter().filter(shown) {
            let own =
                candidate.groups.iter().flat_map(|group| &group.mentions).find(|one| one.sure && !one.aside);
            let own = own.map(|one| bare.get(&one.path).map_or(Path::new(&*one.path), PathBuf::as_path));
            of_imports.extend(imported(&candidate.content, own));
        }
        let prose =
            lines.iter().zip(&is_prose).filter(|(_, is_prose)| **is_prose).map(|(line, _)| *line).collect();
        AnswerPaths { prose, text, of_trees, of_imports, root }
    }

    // Returns true if the answer says anywhere that the file at `path` is to be created.
    pub(super) fn creates(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.prose.iter().any(|line| line.contains(name) && creates(line, name))
    }

    // Returns true if the answer says anywhere that the file at `path` is to be edited.
    pub(super) fn edits(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.prose.iter().any(|line| line.contains(name) && words::says_edit(line, name))
    }

    // Returns the path from the project's own folder of the absolute path `written`.
    pub(super) fn inside<'p>(&self, written: &'p str) -> Option<&'p str> {
        written.strip_prefix(self.root.as_deref()?)?.strip_prefix('/')
    }

    pub(super) fn line(&self, number: u32) -> &'a str {
        self.text.lines().nth(number.saturating_sub(1) as usize).unwrap_or_default()
    }

    // Returns true if line `number` of the answer gives the file `name` as a form does: "**File name**: `.env`".
    pub(super) fn is_form(&self, number: u32, name: &str) -> bool {
        let line = self.line(number);
        let before = line.split(name).next().unwrap_or_default().trim_end_matches(['`', '*', ' ', '"']);
        !line.trim_start().starts_with('#') && before.ends_with([':', '：'])
    }

    // Returns the folders in which trees of the answer have the file `name`.
    pub(super) fn folders_of_trees(&self, name: &str) -> Vec<PathBuf> {
        folders_of(name, &self.of_trees)
    }

    // Returns the folders from which code of the answer imports the file `name`.
    pub(super) fn folders_of_imports(&self, name: &str) -> Vec<PathBuf> {
        folders_of(name, &self.of_imports)
    }

    // Returns the folders of the paths from the project's own folder with which the answer writes the file `name` anywhere.
    pub(super) fn folders_of_text(&self, name: &str) -> Vec<PathBuf> {
        let is_part =
            |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | '@' | '[' | ']' | '~' | ':');
        let end = format!("/{name}");
        let mut folders: Vec<PathBuf> = Vec::new();
        for (at, _) in self.text.match_indices(&end) {
            if self.text[at + end.len()..]
                .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-'))
            {
                continue;
            }
            let before = &self.text[..at];
            let start = before
                .rfind(|c: char| !is_part(c))
                .map_or(0, |other| other + before[other..].chars().next().map_or(0, char::len_utf8));
            let folder = before[start..].trim_start_matches("./");
            let is_inside =
                !folder.is_empty() && !folder.starts_with(['/', '~', '@', '.']) && !folder.contains(':');
            if is_inside && !folders.iter().any(|known| known == Path::new(folder)) {
                folders.push(PathBuf::from(folder));
            }
        }
        folders
    }

    // Returns true if the answer has the file `name` in a folder of the system.
    pub(super) fn is_of_system(&self, name: &str) -> bool {
        let is_known = OF_SYSTEM.contains(&&*name.to_lowercase());
        let has_place = |line: &str| {
            let lower = line.to_lowercase().replace('\\', "/");
            let ends = format!("/{}", name.to_lowercase());
            lower.find(&ends).is_some_and(|at| SYSTEM.iter().any(|folder| lower[..=at].contains(folder)))
        };
        !name.contains('/')
            && (is_known || self.text.lines().any(|line| line.contains(name) && has_place(line)))
    }
}

fn folders_of(name: &str, paths: &[PathBuf]) -> Vec<PathBuf> {
    let name = Path::new(name);
    let is_it = |path: &&PathBuf| match path.extension() {
        Some(_) => path.file_name() == name.file_name(),
        None => path.file_name() == name.file_stem(),
    };
    let mut folders: Vec<PathBuf> =
        paths.iter().filter(is_it).filter_map(|path| Some(path.parent()?.to_path_buf())).collect();
    folders.sort_unstable();
    folders.dedup();
    folders.retain(|folder| !folder.as_os_str().is_empty());
    folders
}

// Returns the paths of `tree` without a first folder that stands for the project itself. Of a flat one nobody knows.
fn without_root(tree: Vec<PathBuf>, is_known: &mut dyn FnMut(&str) -> bool) -> Vec<PathBuf> {
    let first = |path: &PathBuf| path.iter().next().map(|part| part.to_string_lossy().into_owned());
    let root = tree.first().filter(|path| path.iter().nth(1).is_some()).and_then(first);
    let Some(root) = root.filter(|root| tree.iter().all(|path| first(path).as_ref() == Some(root))) else {
        return tree;
    };
    if is_known(&root) {
        return tree;
    }
    let is_nested = tree.iter().any(|path| path.iter().nth(2).is_some());
    let inside = |path: &PathBuf| path.iter().skip(1).collect();
    if is_nested { tree.iter().map(inside).collect() } else { Vec::new() }
}

// Returns the paths of the files of a tree.
fn paths_of_tree(lines: &[&str]) -> Vec<PathBuf> {
    let is_sign = |c: char| c.is_whitespace() || BRANCHES.contains(&c) || c == '-';
    if !lines.iter().any(|line| line.contains(['├', '└']) || line.contains("--")) {
        return Vec::new();
    }
    let (mut paths, mut above): (Vec<PathBuf>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    for line in lines.iter().filter(|line| !line.trim_start().starts_with("```")) {
        let entry = line.trim_start_matches(is_sign);
        let depth = line.chars().count() - entry.chars().count();
        let name =
            entry.split(|c: char| c.is_whitespace() || matches!(c, '#' | '←')).next().unwrap_or_default();
        let name = name.trim_matches(['*', '`', '"']);
        if name.is_empty() || name.contains("...") {
            continue;
        }
        above.retain(|(other, _)| *other < depth);
        if name.contains('.') && !name.ends_with('/') {
            paths.push(above.iter().map(|(_, folder)| &**folder).chain([name]).collect());
        }
        // An absolute path is that of the project.
        let name = name.trim_end_matches('/');
        let name = if name.starts_with('/') { name.rsplit('/').next().unwrap_or(name) } else { name };
        above.push((depth, name.to_owned()));
    }
    paths
}

// Returns the paths that code of the file at `own` imports from folders, relative to that file's or by the names of packages.
fn imported(code: &str, own: Option<&Path>) -> Vec<PathBuf> {
    let folder = own.and_then(Path::parent).unwrap_or(Path::new(""));
    let mut paths = Vec::new();
    for line in code.lines().map(str::trim) {
        let is_import =
            line.starts_with("import ") || line.starts_with("from ") || line.starts_with("export ");
        if is_import || line.contains("require(") || line.contains("import(") {
            let quoted = line.split(['\'', '"']).skip(1).step_by(2);
            for path in quoted.filter(|path| path.starts_with("./") || path.starts_with("../")) {
                paths.extend(joined(folder, Path::new(path)));
            }
        }
        let module = line.strip_prefix("from ").or_else(|| line.strip_prefix("import "));
        let module = module.and_then(|rest| rest.split(' ').next()).filter(|module| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
            module.contains('.') && !module.starts_with('.') && module.chars().all(is_name)
        });
        paths.extend(module.map(|module| PathBuf::from(module.replace('.', "/"))));
    }
    paths
}

// Returns the path `to` from `folder`; `None` if it leaves the project.
fn joined(folder: &Path, to: &Path) -> Option<PathBuf> {
    let mut path = folder.to_path_buf();
    for part in to.components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::ParentDir if !path.pop() => return None,
            _ => {}
        }
    }
    Some(path)
}
