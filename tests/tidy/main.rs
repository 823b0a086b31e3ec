//! Checks the promises of ARCHITECTURE.md about the sources against the sources.
//!
//! The tables there are the rule: a crate or a room uses those in its row and no others, and every name in a
//! row is used.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests, which read the checkout")]

mod features;
mod messages;
mod methods;
mod openrpc;
mod pages;
mod reference;
mod rooms;
#[allow(dead_code, reason = "the example writes other languages from the same shapes")]
#[path = "../../protocol/examples/openrpc/shape.rs"]
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The folder of the checkout.
fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the table in ARCHITECTURE.md whose first column is headed `head`: the name, and the names it
/// may use.
fn table(head: &str) -> Edges {
    let text = read(checkout().join("ARCHITECTURE.md"));
    let rows = text.lines().skip_while(|line| !line.starts_with(&format!("| {head} | uses |"))).skip(2);
    let names = |column: &str| -> BTreeSet<String> {
        column.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let rows = rows.take_while(|line| line.starts_with('|')).map(|line| {
        let columns: Vec<&str> = line.split('|').collect();
        (names(columns[1]).pop_first().unwrap(), names(columns[2]))
    });
    let rows: Edges = rows.collect();
    assert!(!rows.is_empty(), "ARCHITECTURE.md has no table of each {head} and what it uses");
    rows
}

/// The folders of the workspace's members, by the names of their crates.
fn members() -> BTreeMap<String, PathBuf> {
    let text = read(checkout().join("Cargo.toml"));
    let list = text.split_once("members = [").unwrap().1.split_once(']').unwrap().0;
    let folders = list.split('"').skip(1).step_by(2).map(|folder| checkout().join(folder));
    let named = folders.map(|folder| {
        let manifest = read(folder.join("Cargo.toml"));
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap();
        (name.trim_end_matches('"').to_owned(), folder)
    });
    named.collect()
}

/// The crates of this workspace that a manifest names as dependencies, those of tests left out.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut is_wanted = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_wanted =
                line == "[dependencies]" || line.starts_with("[target.") && line.ends_with(".dependencies]");
        } else if is_wanted && line.starts_with("clada-") {
            found.insert(line.split(['.', ' ', '=']).next().unwrap().to_owned());
        }
    }
    found
}

/// The sources below a folder, without comments.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let files = WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "rs"));
    files.map(|file| (file.path().to_owned(), without_comments(&read(file.path())))).collect()
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The part of a source that is compiled into the program.
fn without_tests<'t>(path: &Path, text: &'t str) -> &'t str {
    let path = path.strip_prefix(checkout()).unwrap_or(path);
    let is_test = path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
    match text.split_once("#[cfg(test)]\nmod tests {") {
        _ if is_test => "",
        Some((code, _)) => code,
        None => text,
    }
}

/// The names that follow `prefix` in `text`.
fn names_after<'t>(text: &'t str, prefix: &str) -> impl Iterator<Item = &'t str> {
    text.split(prefix).skip(1).map(|rest| {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Panics if one of `edges` leads back to where it began.
fn assert_no_ring(edges: &Edges) {
    let mut open = edges.clone();
    while !open.is_empty() {
        let names: Vec<String> = open.keys().cloned().collect();
        let before = open.len();
        for name in names {
            if open[&name].iter().all(|used| *used == name || !open.contains_key(used)) {
                open.remove(&name);
            }
        }
        assert!(open.len() < before, "a ring: {open:#?}");
    }
}

/// The client that a page shows whole is the example, which a test runs.
#[test]
fn the_client_in_the_documents_is_the_example() {
    let (page, example) =
        (read(checkout().join("docs/socket.md")), read(checkout().join("examples/clients/status.py")));
    let shown =
        page.split_once("`examples/clients/status.py`:\n\n").expect("docs/socket.md shows no client").1;
    let lines = shown.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    let shown: Vec<&str> = lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    assert_eq!(shown.join("\n").trim_end(), example.trim_end(), "docs/socket.md");
}

#[test]
fn each_crate_uses_what_its_row_says() {
    let (table, members) = (table("crate"), members());
    assert_eq!(table.keys().collect::<Vec<_>>(), members.keys().collect::<Vec<_>>(), "rows and crates");
    for (name, folder) in &members {
        let used = dependencies(&read(folder.join("Cargo.toml")));
        assert_eq!(used, table[name], "{name}: its Cargo.toml, and its row in ARCHITECTURE.md");
        // The folders of all others lie in that of the first crate.
        let sources =
            if *folder == checkout().join(".") { sources(&folder.join("src")) } else { sources(folder) };
        let code: String = sources.into_iter().map(|(_, text)| text).collect();
        for dependency in used {
            assert!(code.contains(&dependency.replace('-', "_")), "{name} does not use {dependency}");
        }
    }
    assert_no_ring(&table);
}

/// Compares the rooms below `folder`, a crate's sources, with the table headed `head`.
fn assert_rooms(folder: &Path, head: &str) {
    let table = table(head);
    let sources = sources(folder);
    assert!(sources.len() > 10, "{}: {} files", folder.display(), sources.len());
    let room_of = |path: &Path| {
        let first = path.strip_prefix(folder).unwrap().iter().next().unwrap().to_string_lossy().into_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    let mut used: Edges = BTreeMap::new();
    for (path, text) in &sources {
        let room = room_of(path);
        if ["lib", "main", "tests"].contains(&room.as_str()) {
            continue;
        }
        let code = without_tests(path, text);
        // What another room has is named from the crate's root: that is what is read here.
        let is_top = path.ends_with("mod.rs") && path.parent().unwrap().parent() == Some(folder);
        let is_top = is_top || path.parent() == Some(folder);
        let leaves = is_top && code.lines().any(|line| line.starts_with("use super::"));
        assert!(!leaves, "{}: `super::` where `crate::` is meant", path.display());
        let names = names_after(code, "crate::").map(str::to_owned);
        let names = names.filter(|name| *name != room);
        used.entry(room.clone()).or_default().extend(names);
    }
    assert_eq!(used, table, "{}, and the table of ARCHITECTURE.md", folder.display());
    assert_no_ring(&table);
}

#[test]
fn each_room_of_the_daemon_uses_what_its_row_says() {
    assert_rooms(&checkout().join("daemon/src"), "room");
}

#[test]
fn each_room_of_apply_uses_what_its_row_says() {
    assert_rooms(&checkout().join("daemon/crates/apply/src"), "room of apply");
}

#[test]
fn paths_in_the_documents_for_developers_lead_to_one_place() {
    let top = checkout();
    let is_ours = |entry: &walkdir::DirEntry| {
        !["target", ".git", "proptest-regressions"].iter().any(|name| entry.file_name() == *name)
    };
    let places = WalkDir::new(&top).into_iter().filter_entry(is_ours).map(|entry| entry.unwrap().into_path());
    let places: Vec<PathBuf> = places.map(|place| place.strip_prefix(&top).unwrap().to_owned()).collect();
    let mut read_paths = 0;
    let pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/design/decisions.md", "docs/design/recipes.md"];
    for page in pages {
        for name in read(top.join(page)).split('`').skip(1).step_by(2) {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
            let is_path = name.ends_with(".rs") || name.contains('/') && !name.starts_with('/');
            if !is_path || !name.chars().all(is_plain) || top.join(name).exists() {
                continue;
            }
            read_paths += 1;
            let found: Vec<&PathBuf> = places.iter().filter(|place| place.ends_with(name)).collect();
            let is_clear = if name.ends_with(".rs") { found.len() == 1 } else { !found.is_empty() };
            assert!(is_clear || name == "proptest-regressions/", "{page}: `{name}` may be any of {found:?}");
        }
    }
    assert!(read_paths > 40, "{read_paths} paths");
}
