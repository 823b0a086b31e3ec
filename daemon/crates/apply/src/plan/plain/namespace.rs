//! The folder that the package or namespace of a new file says, as the project's own files have theirs.
//!
//! ````text
//! project: app/Http/Controllers/A.php, in App\Http\Controllers      so App is app/
//! new:     namespace App\Services;                                  app/Services
//! ````
//!
//! No rule of a language is known: the files that there are show how names become folders.

use std::path::{Path, PathBuf};

use super::files::ProjectFiles;
use super::words::code_spans;

// The most files that are read for it, and the most lines of each.
const FILES: usize = 400;
const LINES: usize = 80;
// Folders and ends of names of tests, which are in the packages of what they test.
const TESTS: [&str; 6] = ["test", "tests", "spec", "specs", "androidTest", "__tests__"];
const TEST_NAMES: [&str; 4] = ["Test", "Tests", "Spec", "IT"];

// Returns the folder of the new file `name` with the text `content`; `None` if it has no package or namespace, or if the
// project's files have it in several folders.
pub(super) fn folder_of_namespace(
    name: &str,
    content: &str,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<PathBuf> {
    let own = namespace(content)?;
    let extension = Path::new(name).extension()?;
    let mut alike: Vec<PathBuf> =
        files.names().files().filter(|file| file.extension() == Some(extension)).cloned().collect();
    alike.sort();
    // The best so far: how many parts the namespaces share, and the folders.
    let (mut most, mut folders): (usize, Vec<PathBuf>) = (1, Vec::new());
    for file in alike.iter().take(FILES) {
        let Some(text) = files.text(&file.to_string_lossy()) else { continue };
        let Some(other) = namespace(&text) else { continue };
        let shared = own.iter().zip(&other).take_while(|(one, other)| one == other).count();
        let Some(folder) = folder_beside(&own, &other, file.parent().unwrap_or(Path::new(""))) else {
            continue;
        };
        if shared > most {
            folders.clear();
            most = shared;
        }
        if shared == most && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if folders.len() > 1 {
        let stem = Path::new(name).file_stem()?.to_string_lossy();
        let is_test = TEST_NAMES.iter().any(|end| stem.ends_with(end));
        folders.retain(|folder| folder.iter().any(|part| TESTS.iter().any(|test| part == *test)) == is_test);
    }
    let only = folders.pop()?;
    folders.is_empty().then_some(only)
}

// Returns the folder of namespace `own`, if files of namespace `other` are in `folder`: what the ends of both have in common
// is the way from the root of the names to the file.
fn folder_beside(own: &[&str], other: &[&str], folder: &Path) -> Option<PathBuf> {
    let parts: Vec<_> = folder.iter().collect();
    let common =
        parts.iter().rev().zip(other.iter().rev()).take_while(|(part, name)| ***part == ***name).count();
    let rest = own.strip_prefix(&other[..other.len() - common])?;
    Some(parts[..parts.len() - common].iter().copied().chain(rest.iter().map(|name| name.as_ref())).collect())
}

// Returns the parts of the name of the package or namespace in which `text` is.
fn namespace(text: &str) -> Option<Vec<&str>> {
    let name = text.lines().take(LINES).find_map(|line| {
        let line = line.trim();
        line.strip_prefix("package ").or_else(|| line.strip_prefix("namespace "))
    })?;
    let name = name.trim_end_matches([';', '{', ' ']).trim();
    let is_part =
        |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let parts: Vec<&str> = name.split(['.', '\\']).collect();
    parts.iter().all(is_part).then_some(parts)
}

// Returns the path of the new class that `content` is all of, which `words` create by its name alone: "Create a class `A`:".
pub(super) fn path_of_class(
    words: &str,
    language: &str,
    content: &str,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<String> {
    const TYPES: [&str; 7] = ["class ", "interface ", "enum ", "record ", "trait ", "struct ", "object "];
    let extension = match language {
        "java" => "java",
        "kotlin" | "kt" => "kt",
        "csharp" | "cs" | "c#" => "cs",
        "php" => "php",
        "scala" => "scala",
        _ => return None,
    };
    // In a namespace with braces its members are deeper.
    let deepest =
        if content.lines().any(|line| line.starts_with("namespace ") && !line.trim_end().ends_with(';')) {
            4
        } else {
            0
        };
    fn named(line: &str, deepest: usize) -> Option<&str> {
        let text = line.trim_start();
        let at = TYPES.iter().find_map(|kind| text.find(kind).map(|at| at + kind.len()))?;
        let name = text[at..].split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
        let is_head = line.len() - text.len() <= deepest && !text.starts_with(['/', '*', '#']);
        (is_head && !name.is_empty()).then_some(name)
    }
    let mut names = content.lines().filter_map(|line| named(line, deepest));
    let (first, second) = (names.next()?, names.next());
    let is_said = code_spans(words).any(|code| code == first) && second.is_none();
    let name = format!("{first}.{extension}");
    let folder = folder_of_namespace(&name, content, files).filter(|_| is_said)?;
    let path = folder.join(name).to_string_lossy().into_owned();
    files.text(&path).is_none().then_some(path)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{folder_beside, namespace};

    #[test]
    fn folders_follow_namespaces_as_those_of_the_project_do() {
        let folder = |own: &str, other: &str, folder: &str| {
            let parts = |name: &str| -> Vec<String> { name.split('.').map(str::to_owned).collect() };
            let (own, other) = (parts(own), parts(other));
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let other: Vec<&str> = other.iter().map(String::as_str).collect();
            folder_beside(&own, &other, Path::new(folder)).map(|path| path.to_string_lossy().into_owned())
        };
        for (own, other, at, expected) in [
            ("App.Mail", "App.Http.Pages", "app/Http/Pages", Some("app/Mail")),
            (
                "org.shop.cart",
                "org.shop.user",
                "src/main/java/org/shop/user",
                Some("src/main/java/org/shop/cart"),
            ),
            ("Shop.Dtos", "Shop.Models", "Shop/Models", Some("Shop/Dtos")),
            ("Acme.Shop.Dtos", "Acme.Shop", "src/Shop", Some("src/Shop/Dtos")),
            ("Farm", "Farm", "Source/Farm", Some("Source/Farm")),
            ("Other", "Farm.Mill", "Source", None),
        ] {
            assert_eq!(folder(own, other, at).as_deref(), expected, "{own}");
        }
        assert_eq!(namespace("<?php\n\nnamespace App\\Mail;\n"), Some(vec!["App", "Mail"]));
        assert_eq!(namespace("// a\npackage org.shop\n\nclass A\n"), Some(vec!["org", "shop"]));
        assert_eq!(namespace("namespace Farm\n{\n}\n"), Some(vec!["Farm"]));
        assert_eq!(namespace("package main is old\n"), None);
    }
}
