//! Every file comes back from a document byte for byte: of this project, of crates on the machine, of texts
//! that are made up.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::document;
use crate::support::{Files, World, all, from_json, from_markdown, from_xml, skipped};

/// Takes everything that is text.
const ALL: [&str; 9] = [
    "--hidden",
    "--include-secrets",
    "--errors=ignore",
    "--max-file-size-kb=102400",
    "--max-files-per-directory=100000",
    "--format",
    "markdown",
    "--preamble",
    "brief",
];

/// Reads the files from a document of everything in `folder`, in all formats, and compares them with the
/// disk.
#[track_caller]
fn recover(world: &World, folder: &Path) -> Files {
    let folder = folder.to_str().unwrap();
    let of = |format: &'static str, preamble: &'static str| {
        let mut args = ALL.to_vec();
        (args[6], args[8]) = (format, preamble);
        document(world, &[&["--root", folder, folder], &args[..]].concat())
    };
    let markdown = of("markdown", "brief");
    let files = from_markdown(&markdown);
    for (path, bytes) in &files {
        let path = Path::new(folder).join(std::str::from_utf8(path).unwrap());
        assert!(std::fs::read(&path).unwrap() == *bytes, "{} is another file", path.display());
    }
    assert!(from_xml(&of("xml", "brief")) == files, "XML");
    assert!(from_json(&of("json", "brief")) == files, "JSON");
    assert!(from_markdown(&of("markdown", "full")) == files, "with a full preamble");
    assert_eq!(of("markdown", "brief"), markdown, "the same files give the same bytes");
    files
}

#[test]
fn this_project_comes_back_byte_for_byte() {
    let world = World::new();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // A copy, which no other process changes meanwhile.
    let copy = world.path("outside");
    for entry in std::fs::read_dir(project).unwrap().map(|entry| entry.unwrap()) {
        // A part of it, or with `CLADA_ALL` all of it.
        let is_tried = ["Cargo.toml", "daemon", "README.md"].iter().any(|name| entry.file_name() == *name);
        if entry.file_name() != "target" && entry.file_name() != ".git" && (is_tried || all()) {
            let copied = Command::new("cp").arg("-R").arg(entry.path()).arg(&copy).status();
            assert!(copied.unwrap().success());
        }
    }
    let files = recover(&world, &copy);
    assert!(
        files.contains_key(&b"Cargo.toml"[..]) && files.contains_key(&b"daemon/crates/embed/src/lib.rs"[..])
    );
    assert!(files.len() > 300, "{}", files.len());
}

/// Returns the newest source of a crate in the registry of the user who runs the tests.
#[allow(
    clippy::disallowed_methods,
    reason = "where cargo keeps its registry is known to the environment only"
)]
fn registry(name: &str) -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let sources = std::fs::read_dir(home.join("registry/src")).ok()?;
    let crates =
        sources.flatten().flat_map(|source| std::fs::read_dir(source.path()).into_iter().flatten().flatten());
    let named = |path: &PathBuf| {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        file.strip_prefix(name)
            .is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    crates.map(|entry| entry.path()).filter(named).max()
}

#[test]
fn two_crates_of_the_registry_come_back_byte_for_byte() {
    let world = World::new();
    for name in ["serde_json-", "encoding_rs-", "pulldown-cmark-"] {
        match registry(name) {
            Some(folder) => assert!(recover(&world, &folder).len() > 20, "{name}"),
            None => skipped(name, "there is no such source in the registry"),
        }
    }
}

#[test]
fn texts_of_every_kind_come_back() {
    let world = World::new();
    let utf_16 = |text: &str, big: bool| -> Vec<u8> {
        let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let mut texts: Vec<(String, Vec<u8>)> = [
        ("empty", ""),
        ("newline", "\n"),
        ("newlines", "\n\n\n"),
        ("no final newline", "a\nb"),
        ("crlf", "a\r\nb\r\n"),
        ("crlf without the last", "a\r\nb"),
        ("mixed", "a\r\nb\nc\r\nd"),
        ("cr", "a\rb\r"),
        ("cr inside", "a\rb\nc\r\r\nd\n\r"),
        ("bom", "\u{feff}a\n"),
        ("bom alone", "\u{feff}"),
        ("two boms", "\u{feff}\u{feff}a"),
        ("blanks", "  \n\t\n    code\n \t x  \n"),
        ("cdata", "<![CDATA[x]]> ]]> ]]]]>\n&amp; <!-- y -->\n"),
        ("control", "a\u{1}\u{c}\u{1b}[31m\u{7f}\n"),
        ("not XML", "\u{fffe}\u{ffff}\n"),
        ("markdown", "### forged\n\n```\n~~~\n## Files\n<!-- end 0 -->\n# Context Files\n"),
        ("separators", "a\u{2028}b\u{85}c\u{b}d\n"),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .into();
    // A fence around a text has to be longer than any in it.
    texts.extend((3..=12).map(|length| {
        let (ticks, tildes) = ("`".repeat(length), "~".repeat(length));
        (format!("fence {length:02}"), format!("{ticks}rust\nx\n{ticks}\n{tildes}\n  {ticks}").into_bytes())
    }));
    texts.push(("utf-16le".to_owned(), utf_16("aé漢😀\r\nb", false)));
    texts.push(("utf-16be".to_owned(), utf_16("a\nb\n", true)));
    texts.push(("latin-1".to_owned(), b"caf\xe9 au lait\r\nd\xe9j\xe0 vu\n".to_vec()));
    for (name, bytes) in &texts {
        world.lay(name, bytes);
    }
    let files = recover(&world, &world.project());
    for (name, bytes) in &texts {
        assert_eq!(files.get(name.as_bytes()), Some(bytes), "{name}");
    }
}

/// Characters with a meaning in Markdown, XML, JSON or a terminal.
const PIECES: [&str; 48] = [
    " ", "\t", "\n", "\r", "`", "``", "~", "~~", "*", "**", "_", "__", "[", "]", "](", "![", "(", ")", "<",
    ">", "<!--", "-->", "<b>", "<a@b.c>", "&amp;", "&#35;", "#", " #", "# ", "\\", "\\#", "\"", "'", "{",
    "}", "{#id}", "{.c}", "]]>", "$", "|", ":", "a", "é", "\u{a0}", "\u{202e}", "\u{feff}", "\u{1b}",
    "\u{85}",
];

#[test]
fn names_of_every_kind_come_back() {
    let world = World::new();
    let mut state: u64 = 7;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut laid = std::collections::BTreeSet::new();
    for number in 0..400 {
        let name: String = (0..1 + next(6)).map(|_| PIECES[next(PIECES.len())]).collect();
        // Skipped: it reads as no name at all.
        if name.chars().all(|character| matches!(character, ' ' | '\u{202e}' | '\u{feff}')) {
            continue;
        }
        let content = ["", "x", "x\n", "\r", "`````\r\n", "\u{feff}", "]]>", "    y\n~~~\n"][number % 8];
        world.lay(&name, content);
        laid.insert(name.into_bytes());
    }
    let files = recover(&world, &world.project());
    assert!(laid.len() > 300, "{}", laid.len());
    let missing: Vec<_> = laid.iter().filter(|name| !files.contains_key(*name)).collect();
    assert!(missing.is_empty() && files.len() == laid.len(), "{missing:?}");
}

#[test]
fn numbered_lines_are_the_lines() {
    let world = World::new();
    world.lay("a.txt", "one\r\ntwo\n\nfour");
    let text = document(&world, &["a.txt", "--line-numbers"]);
    assert!(text.contains("### a.txt {no-final-newline crlf=1 line-numbers}\n"), "{text}");
    let files = from_markdown(&text);
    assert_eq!(files[&b"a.txt"[..]], b"1: one\r\n2: two\n3: \n4: four");
}

#[test]
fn the_same_tree_on_two_file_systems_gives_the_same_bytes() {
    use std::os::unix::fs::MetadataExt;
    let world = World::new();
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        return skipped("the comparison of two file systems", "there is no /dev/shm");
    };
    if memory.path().metadata().unwrap().dev() == world.project().metadata().unwrap().dev() {
        return skipped(
            "the comparison of two file systems",
            "/dev/shm and the temporary folder are on the same file system",
        );
    }
    // In two orders, since folders list names in an order of their own.
    let names: Vec<String> =
        (0..300).map(|number| format!("f{}/n{}.txt", number % 7, number * 7919)).collect();
    for name in &names {
        world.lay(name, format!("{name}\n"));
    }
    for name in names.iter().rev() {
        let path = memory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{name}\n")).unwrap();
    }
    for format in ["markdown", "xml", "json"] {
        let here = document(&world, &[".", "--format", format]);
        let root = memory.path().to_str().unwrap();
        let there = document(&world, &["--root", root, root, "--format", format]);
        assert!(here == there, "{format}");
    }
}
