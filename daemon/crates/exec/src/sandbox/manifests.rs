//! The folders outside a project that its manifests name as packages it is built with.
//!
//! An answer may write a manifest. So a folder counts only if it is a package itself, with such a manifest.

use std::path::{Path, PathBuf};

use clada_fs::{Symlinks, read_regular};
use serde_json::Value;

type PathReader = fn(&str) -> Vec<String>;

const MANIFESTS: [(&str, PathReader); 4] =
    [("Cargo.toml", in_toml), ("pyproject.toml", in_toml), ("package.json", in_json), ("go.mod", in_go)];

/// Files that identify a package as well, though clada reads no paths from them.
const ALSO: [&str; 2] = ["setup.py", "setup.cfg"];

const BYTES: u64 = 1 << 20;

/// The most folders of one root in which manifests are looked for, not counting the root.
const FOLDERS: usize = 200;

pub(crate) fn packages(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten().take(FOLDERS);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut packages = Vec::new();
    for folder in folders.map(|entry| entry.path()).chain([root.to_owned()]) {
        for (name, paths) in MANIFESTS {
            let Some(text) = text(&folder.join(name)) else { continue };
            let named = paths(&text).into_iter().filter_map(|path| folder.join(path).canonicalize().ok());
            packages.extend(named.filter(|path| !path.starts_with(root) && is_package(path)));
        }
    }
    packages.sort();
    packages.dedup();
    packages
}

fn is_package(folder: &Path) -> bool {
    let names = MANIFESTS.iter().map(|(name, _)| name).chain(&ALSO);
    folder.is_dir() && names.into_iter().any(|name| folder.join(name).is_file())
}

fn text(path: &Path) -> Option<String> {
    // A pipe or device is not waited for.
    let bytes = read_regular(path, Symlinks::Refuse, BYTES).ok()?;
    String::from_utf8(bytes).ok()
}

fn in_toml(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in text.match_indices("path") {
        let value = text[at + 4..].trim_start().strip_prefix('=').map(str::trim_start);
        paths.extend(value.and_then(quoted));
    }
    for (at, scheme) in text.match_indices("file://") {
        let end = text[at..].find(['"', '\'', '\n']).map_or(text.len(), |end| at + end);
        paths.push(text[at + scheme.len()..end].to_owned());
    }
    paths
}

fn quoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let rest = &text[1..];
    Some(rest[..rest.find(quote)?].to_owned())
}

fn in_json(text: &str) -> Vec<String> {
    let Ok(Value::Object(manifest)) = serde_json::from_str(text) else { return Vec::new() };
    let lists = manifest.iter().filter(|(name, _)| name.ends_with("ependencies"));
    let values = lists.filter_map(|(_, list)| list.as_object()).flat_map(|list| list.values());
    let folder = |value: &Value| {
        let value = value.as_str()?;
        ["file:", "link:", "portal:"].iter().find_map(|kind| value.strip_prefix(kind)).map(str::to_owned)
    };
    values.filter_map(folder).collect()
}

fn in_go(text: &str) -> Vec<String> {
    let replaced = text.lines().filter_map(|line| line.split_once("=>"));
    let paths = replaced.filter_map(|(_, path)| path.split_whitespace().next());
    paths.filter(|path| path.starts_with(['.', '/'])).map(str::to_owned).collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // A test makes the files that it needs.
mod tests {
    use super::*;

    #[test]
    fn packages_that_a_manifest_names_are_found() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            let path = place.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("root/Cargo.toml", "a = { path = \"../a\" }\nb = {path='../private'}\nc.path = \"inner\"\n");
        write("root/inner/package.json", r#"{"devDependencies": {"x": "file:../../x", "y": "^1"}}"#);
        write("root/go.mod", "replace (\n\tx.org/y => ../y\n\tx.org/z => x.org/q v1\n)\n");
        write("root/pyproject.toml", "d = [\"p @ file:///nowhere\"]\np = { path = \"../p\" }\n");
        for package in ["a/Cargo.toml", "x/package.json", "y/go.mod", "p/setup.py"] {
            write(package, "");
        }
        write("private/letter", "");
        let expected = ["a", "p", "x", "y"].map(|name| place.join(name));
        assert_eq!(packages(&place.join("root")), expected);
    }
}
