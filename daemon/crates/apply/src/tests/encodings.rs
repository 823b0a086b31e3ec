//! Files that are not UTF-8, and files with ways of their own: what an edit does not touch stays, byte by byte.

use clada_protocol::ErrorKind;

use super::patching::only;
use super::*;

fn utf_16(text: &str) -> Vec<u8> {
    [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn lay(project: &Project, name: &str, bytes: &[u8]) {
    std::fs::write(project.root.join(name), bytes).unwrap();
}

fn held(project: &Project, name: &str) -> Vec<u8> {
    std::fs::read(project.root.join(name)).unwrap()
}

const LATIN: &[u8] = b"# -*- coding: latin-1 -*-\ns = 'caf\xe9'\nt = 1\n";
const JAPANESE: &[u8] =
    b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\x81B\nline two\n\x82\xb1\x82\xcc\x83t\x83@\x83C\x83\x8b\x82\xcd\x95\xb6\x8e\x9a\n";

#[test]
fn regression_a_file_is_edited_in_its_own_encoding() {
    let project = Project::new();
    let utf_16_file = utf_16("one\r\ntwo\r\nthree\r\n");
    let swap = |bytes: &[u8], from: &[u8], to: &[u8]| {
        let at = bytes.windows(from.len()).position(|part| part == from).unwrap();
        [&bytes[..at], to, &bytes[at + from.len()..]].concat()
    };
    for (before, step, after) in [
        (utf_16_file.clone(), replace("a", "two", "2 é 日本"), utf_16("one\r\n2 é 日本\r\nthree\r\n")),
        (utf_16_file.clone(), file_write("a", "one\nnew\n"), utf_16("one\r\nnew\r\n")),
        (LATIN.to_vec(), replace("a", "t = 1", "t = 'naïve'"), swap(LATIN, b"t = 1", b"t = 'na\xefve'")),
        (JAPANESE.to_vec(), replace("a", "line two", "LINE 2"), swap(JAPANESE, b"line two", b"LINE 2")),
        (b"\xef\xbb\xbfa\r\nb\r\n".to_vec(), file_write("a", "a\nc\n"), b"\xef\xbb\xbfa\r\nc\r\n".to_vec()),
    ] {
        lay(&project, "a", &before);
        let result = project.execute(&[step]);
        assert!(result.success, "{result:#?}");
        assert_eq!(held(&project, "a"), after, "{}", String::from_utf8_lossy(&after));
    }
    // Two edits of one file, each over what the one before has left.
    lay(&project, "a", &utf_16_file);
    let result = project.execute(&[replace("a", "one", "1"), replace("a", "three", "3")]);
    assert!(result.success, "{result:#?}");
    assert_eq!(held(&project, "a"), utf_16("1\r\ntwo\r\n3\r\n"));
}

#[test]
fn regression_what_an_encoding_lacks_is_named_and_a_guess_is_asked_about() {
    let mut project = Project::new();
    lay(&project, "a", LATIN);
    let result = only(project.execute(&[replace("a", "t = 1", "t = '→'")]));
    assert_eq!(result.kind, Some(ErrorKind::NotText), "{result:#?}");
    assert!(result.error.unwrap().contains("'→' (U+2192) does not exist in windows-1252"));
    assert_eq!(held(&project, "a"), LATIN);
    // A declared encoding takes what it has; of one that is guessed, a person is asked.
    let guessed = b"s = 'caf\xe9'\nt = 1\n";
    lay(&project, "a", guessed);
    let result = only(project.execute(&[replace("a", "t = 1", "t = 'naïve'")]));
    assert_eq!(result.kind, Some(ErrorKind::ApprovalRequired), "{result:#?}");
    assert!(result.error.unwrap().contains("is guessed"));
    assert_eq!(held(&project, "a"), guessed);
    project.approvals = Approvals::all();
    assert!(project.execute(&[replace("a", "t = 1", "t = 'naïve'")]).success);
    assert_eq!(held(&project, "a"), b"s = 'caf\xe9'\nt = 'na\xefve'\n");
    // Bytes that are not text in any encoding are refused as before.
    lay(&project, "a", b"\x7fELF\x02\x01\x00\x00");
    let result = only(project.execute(&[replace("a", "x", "y")]));
    assert_eq!(result.kind, Some(ErrorKind::NotText), "{result:#?}");
}

#[test]
fn regression_a_new_file_has_the_ways_of_its_project() {
    let project = Project::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[core]\n\trepositoryformatversion = 0\n"),
        (".git/objects/info/none", ""),
        (".git/refs/heads/none", ""),
        (".gitattributes", "*.cs text eol=crlf\n*.sh eol=lf\n"),
        (
            ".editorconfig",
            "root = true\n[*.{bat,sh}]\nend_of_line = crlf\n[*.txt]\ncharset = utf-8-bom\ninsert_final_newline = true\n",
        ),
        ("win/one.ini", "a\r\n"),
        ("win/two.ini", "a\r\n"),
        ("win/three.ini", "a\n"),
        ("win/one.cfg", "a\n"),
    ]);
    for (path, content, expected) in [
        ("src/b.cs", "x\ny\n", "x\r\ny\r\n"),
        ("go.sh", "x\ny\n", "x\ny\n"),
        ("go.bat", "x\ny\n", "x\r\ny\r\n"),
        ("run.bat", "#!/bin/sh\nx\n", "#!/bin/sh\nx\n"),
        ("a.txt", "x", "\u{feff}x\n"),
        ("win/new.ini", "x\ny\n", "x\r\ny\r\n"),
        ("win/new.cfg", "x\ny\n", "x\ny\n"),
        ("win/new.py", "x\ny\n", "x\ny\n"),
        ("b.cs", "x\r\ny\n", "x\r\ny\n"),
    ] {
        let result = project.execute(&[file_write(path, content)]);
        assert!(result.success, "{path}: {result:#?}");
        assert_eq!(project.text(path).as_deref(), Some(expected), "{path}");
        // What was written holds already.
        let again = project.execute(&[file_write(path, content)]);
        assert!(results_of(&again)[0] == "unchanged" || path == "a.txt", "{path}: {again:#?}");
    }
}
