//! The folder of a new file of which the answer gives the bare name.
//!
//! ````text
//! project                          answer                        folder
//! routes/authRoutes.js, app.js     newsRoutes.js                 routes, where such names are
//! app.js                           ├── modules/ └── text.js      modules, as its tree says
//! src/a.ts, lib/b.ts               c.ts                          one of these, or the root: the user chooses
//! ````

use std::path::{Path, PathBuf};

use super::answer_paths::AnswerPaths;
use super::files::{EntryKind, ProjectFiles};
use super::namespace::folder_of_namespace;

// Files of a project's own root, whatever folders have files of their kind.
const OF_ROOT: &[&str] = &[
    "package.json",
    "tsconfig.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "setup.cfg",
    "cargo.toml",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yaml",
    "compose.yml",
    "pom.xml",
    "build.gradle",
    "cmakelists.txt",
    "readme.md",
    "contributing.md",
    "changelog.md",
    "license.md",
    "vercel.json",
    "netlify.toml",
    "agents.md",
    "claude.md",
    "tox.ini",
    "manage.py",
];
// First folders of a path that stand beside the code, not in it.
pub(super) const BESIDE_CODE: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "__tests__",
    "e2e",
    "cypress",
    "integration_test",
    "scripts",
    "script",
    "tools",
    "bin",
    "docs",
    "doc",
    "examples",
    "example",
    "demo",
    "benches",
    "bench",
    "public",
    "static",
    "assets",
    "config",
    "configs",
    "migrations",
    "db",
    "supabase",
    "prisma",
    "functions",
    "server",
    "client",
    "backend",
    "frontend",
    "api",
    "web",
    "packages",
    "apps",
    "infra",
    "deploy",
    "android",
    "ios",
    "macos",
    "windows",
    "linux",
    "src",
    "lib",
    "app",
    "cmd",
    "internal",
    "pkg",
    "crates",
    "types",
    "typings",
];

// What is known of the code for a new file besides its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewPlace<'a> {
    pub(super) answer: &'a AnswerPaths<'a>,
    pub(super) content: &'a str,
    pub(super) language: &'a str,
}

// Returns the folders in which the new file `name` may be, the likeliest first; the root is the empty path. None if it
// means nothing without a folder.
pub(super) fn folders_of_new(
    name: &str,
    place: NewPlace<'_>,
    files: &mut ProjectFiles<'_, '_>,
) -> Vec<PathBuf> {
    let root = || vec![PathBuf::new()];
    if let Some(folder) = folder_of_namespace(name, place.content, files)
        .or_else(|| folder_of_package(place.content, files))
        .or_else(|| folder_of_answer(name, place.answer, files))
    {
        return vec![folder];
    }
    if is_of_editor(name, place.content) {
        return vec![PathBuf::from(".vscode")];
    }
    // It makes a package of its folder, and which one that is nothing says.
    if matches!(name, "__init__.py" | "mod.rs") {
        return Vec::new();
    }
    let lower = name.to_ascii_lowercase();
    let is_of_root = OF_ROOT.contains(&&*lower)
        || lower.contains("config.")
        || lower.starts_with('.')
        || !lower.contains('.');
    if is_of_root {
        return root();
    }
    if let Some(folder) =
        folder_of_text(name, place.answer, files).or_else(|| folder_of_siblings(name, place, files))
    {
        return vec![folder];
    }
    let mut folders = folders_of_files(files, |file| {
        file.extension().is_some() && file.extension() == Path::new(name).extension()
    });
    folders.sort_by_key(|folder| (folder.components().count(), folder.clone()));
    // The project keeps such files at its root, or has none to go by.
    let at_root = folders.iter().any(|folder| folder.as_os_str().is_empty());
    let fitting: Vec<PathBuf> =
        folders.iter().filter(|folder| imports_fit(folder, place.content, files)).cloned().collect();
    if !fitting.is_empty() && fitting.len() < folders.len() {
        return fitting;
    }
    if at_root || folders.is_empty() {
        return root();
    }
    folders.insert(0, PathBuf::new());
    folders
}

// Returns the one folder in which the trees and the imports of `answer` have the file `name`: the one that the project has,
// or a new one. A tree may begin anywhere, an import says where it looks.
fn folder_of_answer(
    name: &str,
    answer: &AnswerPaths<'_>,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<PathBuf> {
    let (of_trees, of_imports) = (answer.folders_of_trees(name), answer.folders_of_imports(name));
    let mut is_there = |folder: &PathBuf| files.kind(&folder.to_string_lossy()) == EntryKind::Folder;
    let mut known: Vec<PathBuf> =
        of_trees.iter().chain(&of_imports).filter(|folder| is_there(folder)).cloned().collect();
    known.sort_unstable();
    known.dedup();
    if let [only] = &known[..] {
        return Some(only.clone());
    }
    let begins = |folder: &&PathBuf| {
        let first = folder.iter().next().map(|first| first.to_string_lossy().into_owned());
        first.is_some_and(|first| BESIDE_CODE.contains(&&*first) || is_there(&PathBuf::from(first)))
    };
    let new: Vec<PathBuf> = of_trees.iter().filter(begins).cloned().collect();
    match (&known[..], &of_imports[..], &new[..], &of_trees[..]) {
        ([], [only], ..) | ([], [], [only], _) => Some(only.clone()),
        ([], [], [], [only]) => only_folder(only, files),
        _ => None,
    }
}

// Returns the one folder in which the answer writes the file `name` elsewhere: one that the project has, or one below such
// a folder, or beside the code.
fn folder_of_text(name: &str, answer: &AnswerPaths<'_>, files: &mut ProjectFiles<'_, '_>) -> Option<PathBuf> {
    let mut folders = answer.folders_of_text(name);
    folders.retain(|folder| {
        let first = folder.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        BESIDE_CODE.contains(&&*first) || files.kind(&first) == EntryKind::Folder
    });
    if let [only] = &folders[..] { Some(only.clone()) } else { None }
}

// Returns true if `content` is settings of an editor: keys with dots in a file that it reads from its own folder.
fn is_of_editor(name: &str, content: &str) -> bool {
    let has_dots = |line: &str| {
        let key = line.trim().strip_prefix('"').and_then(|rest| rest.split_once("\":"));
        key.is_some_and(|(key, _)| key.contains('.') && !key.contains([' ', '/', '@']))
    };
    match name {
        "settings.json" => content.lines().any(has_dots),
        "launch.json" => content.contains("\"configurations\""),
        "tasks.json" => content.contains("\"tasks\""),
        "extensions.json" => content.contains("\"recommendations\""),
        _ => false,
    }
}

// Returns the folder of the package that `content` says it is in: `package org.shop.cart;`.
fn folder_of_package(content: &str, files: &mut ProjectFiles<'_, '_>) -> Option<PathBuf> {
    let line = content.lines().find_map(|line| line.trim().strip_prefix("package "))?;
    let folder = PathBuf::from(line.trim_end_matches(';').trim().replace('.', "/"));
    folder.iter().nth(1)?;
    only_folder(&folder, files)
}

// Returns the one folder of the files whose names end with the same word as `name`: `authRoutes.js`, `news_test.go`.
fn folder_of_siblings(name: &str, place: NewPlace<'_>, files: &mut ProjectFiles<'_, '_>) -> Option<PathBuf> {
    let ending = last_word(name)?;
    let mut folders = folders_of_files(files, |file| {
        file.file_name().is_some_and(|other| {
            let other = other.to_string_lossy();
            other.len() > ending.len() && last_word(&other) == Some(ending)
        })
    });
    folders.retain(|folder| imports_fit(folder, place.content, files));
    if let [only] = &folders[..] { Some(only.clone()) } else { None }
}

// Returns the folders of the project's files that are alike, each once.
fn folders_of_files(files: &mut ProjectFiles<'_, '_>, is_alike: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for file in files.names().files().filter(|file| is_alike(file)) {
        let folder = file.parent().unwrap_or(Path::new(""));
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_path_buf());
        }
    }
    folders
}

// Returns the only folder of the project whose path ends with `folder`.
pub(super) fn only_folder(folder: &Path, files: &mut ProjectFiles<'_, '_>) -> Option<PathBuf> {
    let mut all = files.names().folders().filter(|known| known.ends_with(folder));
    let first = all.next()?.clone();
    all.next().is_none().then_some(first)
}

// Returns the last word of a name of several, with what is behind it: `Routes.js` of `authRoutes.js`.
fn last_word(name: &str) -> Option<&str> {
    let stem_end = name.rfind('.')?;
    let stem = &name[..stem_end];
    let of_case = |(at, c): (usize, char)| {
        c.is_ascii_uppercase() && stem[..at].ends_with(|before: char| before.is_ascii_lowercase())
    };
    let of_sign = stem.rfind(['_', '-', '.']).map(|at| at + 1);
    let of_case = stem.char_indices().rev().find(|one| of_case(*one)).map(|(at, _)| at);
    let at = of_sign.max(of_case)?;
    (at > 0 && stem.len() - at > 2).then(|| &name[at..])
}

// Returns true if what `content` imports from beside it is there, seen from `folder`, as far as its first folders go.
fn imports_fit(folder: &Path, content: &str, files: &mut ProjectFiles<'_, '_>) -> bool {
    content.lines().filter(|line| line.contains("import") || line.contains("require(")).all(|line| {
        let mut quoted = line.split(['\'', '"']).skip(1).step_by(2);
        quoted.all(|path| {
            let rest = path.trim_start_matches("../");
            let up = (path.len() - rest.len()) / "../".len();
            if up == 0 {
                return true;
            }
            let Some(from) = folder.ancestors().nth(up) else { return false };
            let Some((first, _)) = rest.split_once('/') else { return true };
            files.kind(&from.join(first).to_string_lossy()) == EntryKind::Folder
        })
    })
}
