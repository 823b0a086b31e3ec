//! Decides which candidates are edits, by the facts known of the project.
//!
//! Pure but for the answers of [`Project`]; the caller knows the files.

use std::collections::HashMap;

use memchr::memmem;

use crate::candidate::{Candidate, NotRead, NotReadKind, Wants};
use crate::elision;

const FILES: usize = 64;

const MANIFESTS: [&str; 3] = ["cargo.toml", "package.json", "pyproject.toml"];

/// The role of a path in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRole {
    /// A path outside the project.
    Outside,
    /// A path that does not exist, nor does its folder.
    Nowhere,
    /// A path that does not exist in a folder that does.
    Room,
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// The questions about the project that an answer is for.
pub trait Project {
    /// Returns the role of `path`, as an answer writes it.
    fn place(&mut self, path: &str) -> PathRole;
    /// Returns true if git ignores `path`.
    fn ignores(&mut self, path: &str) -> bool;
    /// Returns the text of the file at `path`, if it has one.
    fn text(&mut self, path: &str) -> Option<String>;
    /// Returns true if a block of the answer changes `path`.
    fn is_changed(&mut self, path: &str) -> bool;
}

/// Returns those of `candidates`, found in `answer`, that look like an edit of a file of `project` and were
/// not read.
pub fn decide(answer: &str, candidates: &[Candidate], project: &mut impl Project) -> Vec<NotRead> {
    let mut texts: HashMap<&str, Option<String>> = HashMap::new();
    let mut reported: Vec<NotRead> = Vec::new();
    for candidate in candidates {
        // A command's path may be meant from two folders.
        let same = |last: &NotRead| (last.line, last.kind) == (candidate.line, candidate.kind);
        if candidate.kind == NotReadKind::ShellEdit && reported.last().is_some_and(same) {
            continue;
        }
        if let Some(path) = candidate.path.as_deref() {
            let place = project.place(path);
            let meant = match candidate.wants {
                Wants::Nothing => place != PathRole::Outside,
                Wants::Room => matches!(place, PathRole::Room | PathRole::File),
                Wants::Existing => matches!(place, PathRole::File | PathRole::Folder),
            };
            let ignored = candidate.kind == NotReadKind::ShellEdit && project.ignores(path);
            if !meant || ignored || candidate.shows.is_some() && project.is_changed(path) {
                continue;
            }
            if let Some(shown) = candidate.shows.as_ref().and_then(|shown| answer.get(shown.clone()))
                && place == PathRole::File
                && (texts.contains_key(path) || texts.len() < FILES)
            {
                let text = texts.entry(path).or_insert_with(|| project.text(path));
                if text.as_deref().is_some_and(|text| says_nothing_new(path, text, shown)) {
                    continue;
                }
            }
        }
        reported.push(NotRead {
            line: candidate.line,
            kind: candidate.kind,
            path: candidate.path.clone(),
            hint: candidate.hint.clone(),
        });
    }
    reported
}

/// Returns true if `excerpt`, shown of the file at `path` that holds `text`, changes nothing of it.
fn says_nothing_new(path: &str, text: &str, excerpt: &str) -> bool {
    stands_in(text, excerpt) || stands_in_parts(text, excerpt) || installs(path, text, excerpt)
}

/// Returns true if the lines of `excerpt` are in `text` in a row. For a small part of it, blanks before lines
/// do not count: it is shown without the indentation of the code around it.
fn stands_in(text: &str, excerpt: &str) -> bool {
    let lines = |text: &str, trim: fn(&str) -> &str| {
        let mut joined = String::with_capacity(text.len() + 1);
        for line in text.lines() {
            joined.push_str(trim(line));
            joined.push('\n');
        }
        joined
    };
    let holds = |trim: fn(&str) -> &str| {
        let (text, excerpt) = (format!("\n{}", lines(text, trim)), lines(excerpt, trim));
        let part = format!("\n{}\n", excerpt.trim_matches('\n'));
        memmem::find(text.as_bytes(), part.as_bytes()).is_some()
    };
    holds(str::trim_end) || excerpt.lines().count() * 2 < text.lines().count() && holds(str::trim)
}

/// Returns true if `excerpt` has elisions and the parts between them are in `text`, one behind the other:
/// then it has nothing new. Blank lines do not count, nor do blanks before the lines of a small part.
fn stands_in_parts(text: &str, excerpt: &str) -> bool {
    let small = excerpt.lines().count() * 2 < text.lines().count();
    let trim: fn(&str) -> &str = if small { str::trim } else { str::trim_end };
    let lines = |text| str::lines(text).map(trim).filter(|line| !line.is_empty());
    let text: Vec<&str> = lines(text).collect();
    let (mut at, mut elided, mut elisions) = (0, true, 0);
    let all = lines(excerpt).all(|line| {
        let ahead = &text[at..];
        let reach = if elided { ahead } else { &ahead[..ahead.len().min(1)] };
        if let Some(behind) = reach.iter().position(|other| *other == line) {
            (at, elided) = (at + behind + 1, false);
            return true;
        }
        elided = elision(line).is_some();
        elisions += usize::from(elided);
        elided
    });
    all && elisions > 0
}

/// Returns true if `excerpt` makes a project depend on itself, whose manifest at `path` holds `text`: it
/// shows users of the project the lines for their own manifest.
fn installs(path: &str, text: &str, excerpt: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    if !MANIFESTS.contains(&base.as_str()) {
        return false;
    }
    let same = |one: &str, other: &str| {
        let plain = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
        one.len() == other.len() && one.bytes().map(plain).eq(other.bytes().map(plain))
    };
    let own = text.lines().filter_map(entry).find(|(key, _)| *key == "name").map(|(_, name)| name);
    own.is_some_and(|own| {
        excerpt.lines().any(|line| match line.trim().strip_prefix('[') {
            Some(table) => table.trim_end_matches(']').rsplit('.').next().is_some_and(|key| same(key, own)),
            None => entry(line).is_some_and(|(key, _)| same(key.split('.').next().unwrap_or(key), own)),
        })
    })
}

/// The key and the value of `line`, one of TOML or JSON, both without quotes.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(['=', ':'])?;
    let bare = |text| str::trim_matches(text, |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ','));
    Some((bare(key), bare(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Choice, parse};

    /// A project of files by name, in which git ignores `*.log`.
    struct Files(Vec<(&'static str, &'static str)>);

    impl Project for Files {
        fn place(&mut self, path: &str) -> PathRole {
            let folder =
                |folder: &str| self.0.iter().any(|(name, _)| name.starts_with(&format!("{folder}/")));
            if path.starts_with('/') {
                PathRole::Outside
            } else if self.0.iter().any(|(name, _)| *name == path) {
                PathRole::File
            } else if folder(path) {
                PathRole::Folder
            } else if path.rsplit_once('/').is_none_or(|(parent, _)| folder(parent)) {
                PathRole::Room
            } else {
                PathRole::Nowhere
            }
        }

        fn ignores(&mut self, path: &str) -> bool {
            path.ends_with(".log")
        }

        fn text(&mut self, path: &str) -> Option<String> {
            self.0.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        }

        fn is_changed(&mut self, path: &str) -> bool {
            path == "src/changed.rs"
        }
    }

    fn reported(answer: &str) -> Vec<String> {
        let file = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n    three();\n}\n";
        let mut files = Files(vec![
            ("src/a.rs", file),
            ("src/changed.rs", "x\n"),
            ("README.md", "# R\n"),
            ("out.txt", "o\n"),
            ("Cargo.toml", "[package]\nname = \"my-own\"\n"),
        ]);
        let parsed = parse(answer, &Bounds::default(), &Choice::Auto);
        let reported = decide(answer, &parsed.candidates, &mut files);
        reported
            .into_iter()
            .map(|reported| {
                format!("{} {} {}", reported.line, reported.kind.name(), reported.path.unwrap_or_default())
            })
            .collect()
    }

    #[test]
    fn what_is_meant_as_an_edit_is_named() {
        for (answer, named) in [
            ("<file path=\"src/new.rs\">\nfn a() {}\n</file>\n", "1 tool_call src/new.rs"),
            (
                "<modify>\n<path>src/a.rs</path>\n<old>one();</old>\n<new>two();</new>\n</modify>\n",
                "1 tool_call src/a.rs",
            ),
            (
                "<modify path=\"src/a.rs\">\n<search>one();</search>\n<replace>two();</replace>\n</modify>\n",
                "1 tool_call src/a.rs",
            ),
            ("<change file='src/a.rs' old='one();' new='two();'/>\n", "1 tool_call src/a.rs"),
            (
                "x\n```xml\n<change>\n  <old_code>one();</old_code>\n  <file>src/a.rs</file>\n```\n",
                "3 tool_call src/a.rs",
            ),
            ("<edit_file>\n<path>src/a.rs</path>\n<old_string>one();\n", "1 tool_call src/a.rs"),
            ("<edit_file path=\"src/a.rs\">\nfn a() {}\n</edit_file>\n", "1 tool_call src/a.rs"),
            (
                "<<<<<<< HEAD\nsrc/a.rs\n    one();\n=======\n    two();\n>>>>>>> new\n",
                "1 unknown_element src/a.rs",
            ),
            (
                "`src/a.rs`:\n\n<<<<<<< HEAD\n    one();\n=======\n    two();\n>>>>>>> new\n",
                "3 unknown_element src/a.rs",
            ),
            (
                "```\n<<<<<<< HEAD\nsrc/a.rs\n    one();\n=======\n    two();\n>>>>>>> new\n```\n",
                "2 unknown_element src/a.rs",
            ),
            ("{\"content\": \"`a.py`\\n<<<<<<< SEARCH\\nx\"}\n", "1 escaped "),
            ("```bash\ncd src\nrm a.rs\n```\n", "3 shell_edit src/a.rs"),
            ("```bash\ncd my-demo\nrm src/a.rs\n```\n", "3 shell_edit src/a.rs"),
            ("```diff\n-a\n+b\n```\n", "2 headless_diff "),
            ("@@ -1,2 +1,2 @@\n-a\n+b\n", "1 headless_diff "),
            ("```bash\nls\nsed -i s/a/b/ src/a.rs\n```\n", "3 shell_edit src/a.rs"),
            ("```bash\ngit mv src/a.rs src/b.rs\n```\n", "2 shell_edit src/a.rs"),
            (
                "{\"name\": \"Write\", \"input\": {\"path\": \"src/a.rs\", \"content\": 1}}\n",
                "1 tool_call src/a.rs",
            ),
            ("{\"name\": \"bash\", \"input\": {\"command\": \"ls\"}}\n", "1 tool_call "),
            ("<execute_command>\n<command>rm src/a.rs</command>\n</execute_command>\n", "1 tool_call "),
            ("&lt;write path=\"a\"&gt;x&lt;/write&gt; <\n", "1 escaped "),
            ("a.py\n＜＜＜＜＜＜＜ SEARCH\n", "2 escaped "),
            ("*** Update File: src/a.rs\n@@\n-    one();\n+    two();\n", "1 unknown_element src/a.rs"),
            ("```patch\n*** Rewrite File: `src/a.rs`\n-a\n+b\n```\n", "2 unknown_element src/a.rs"),
            ("*** Add File: new.rs\n+x\n*** End of File\n", "1 unknown_element new.rs"),
            ("\"*** Begin Patch\\n*** Delete File: a\\n\n", "1 escaped "),
        ] {
            assert_eq!(reported(answer), [named], "{answer}");
        }
    }

    #[test]
    fn what_is_not_meant_as_one_is_not() {
        for answer in [
            "src/a.rs\n```rust\nfn b() {\n    two();\n```\n",
            "Add this to your `Cargo.toml`:\n\n```toml\n[dependencies]\nmy_own = \"1\"\n```\n",
            "Cargo.toml:\n```toml\n[dependencies.my-own]\nversion = \"1\"\n```\n",
            "Update `src/a.rs`:\n```rust\nfn b() {\n    two();\n```\n",
            "Currently `src/a.rs` has:\n```rust\nfn b() {\n    twice();\n```\n",
            "Update `src/a.rs` and run:\n```bash\ncargo test\n```\n",
            "With `src/a.rs` updated you get:\n```text\nok\n```\n",
            "src/a.rs\n```rust\n    one();\n```\n",
            "src/a.rs\n```rust\nfn a() {\n    // ...\n}\n\nfn b() {\n    // ... as before ...\n    three();\n```\n",
            "out.txt\n```\nother\n```\n",
            "> {\"name\": \"Write\", \"input\": {\"path\": \"src/a.rs\", \"content\": 1}}\n>\n> Written.\n",
            "```bash\nmkdir -p /tmp/x\ncd /tmp/x\ncat > README.md <<EOF\nx\nEOF\n```\n",
            "<form>\n<file>src/a.rs</file>\n<input>old</input>\n</form>\n",
            "<modify>\n<path>elsewhere/a.rs</path>\n<old>x</old>\n</modify>\n",
            "`<modify><path>src/a.rs</path><old>one();</old></modify>`\n",
            "src/a.rs:\n<<<<<<< HEAD\nx\n\ny\n",
            "src/a.rs:\n<<<<<<< SEARCH\none();\n=======\ntwo();\n>>>>>>> REPLACE\n\n> <<<<<<< SEARCH\n> =======\n> >>>>>>> REPLACE\n",
            "<<<<<<< HEAD\none();\n=======\ntwo();\n>>>>>>> new\n",
            "> <<<<<<< SEARCH\n> one();\n",
            "~/.bashrc\n```bash\nx=1\n```\n",
            "src/changed.rs\n```rust\nfn a() {}\n```\n",
            "<file path=\"src/a.rs\">\nfn b() {\n    two();\n</file>\n",
            "In `src/a.rs`, change `gone();` to `two();`.\n",
            "In `src/a.rs` I changed `gone()`; `one();` stays.\n",
            "`src/a.rs` was changed from `zero();` to `one();`.\n",
            "log.txt\n```\nall good\n```\n",
            "```rust\n// made_up.rs\nfn a() {}\n```\n",
            "In Node.js:\n```js\nx\n```\n\n### Vue.js\n\n```js\ny\n```\n",
            "```diff\n- Expected  - 1\n+ Received  + 1\n\n- a\n+ b\n```\n",
            "2.0.0\n```\nx\n```\ne.g:\n```\ny\n```\n",
            "elsewhere/a.rs\n```rust\nx\n```\n/etc/hosts\n```\nx\n```\n",
            "src/a.rs\n```bash\ncargo run\n```\n",
            "```bash\nmkdir build && cd build\nrm -rf target\nls | tee run.log\nsed -i s/a/b/ $f\n```\n",
            "> src/a.rs\n> ```rust\n> fn a() {}\n> ```\n",
            "<think>\nsrc/a.rs\n```rust\nfn a() {}\n```\n</think>\n",
            "```json\n{\"path\": \"src/a.rs\", \"content\": \"x\"}\n```\n",
            "Write `&lt;write path=` for it.\n",
            "*** Update File: PATH\n*** Update File: elsewhere/a.rs\n*** Note: src/a.rs\n",
            "*** Update File: src/a.rs\n-a\n+b\n*** End Patch\n",
            "*** Begin Patch\n*** Add File: x\n+src/a.rs\n+```\n+x\n+```\n*** End Patch\n",
            "src/a.rs\n```rust\n<<<<<<< SEARCH\none();\n=======\ntwo();\n>>>>>>> REPLACE\n```\n",
        ] {
            assert!(reported(answer).is_empty(), "{answer} {:?}", reported(answer));
        }
    }

    #[test]
    fn blocks_of_dialects_that_are_not_named_are_reported() {
        let answer = "<<<FILE>>>\na\n<<<OVERWRITE>>>\nx\n<<<END>>>\n*** Begin Patch\n*** Delete File: b\n*** End Patch\n";
        let replacer = vec![crate::Dialect::Replacer];
        for (choice, hint) in [
            (Choice::Named(replacer.clone()), "leave out `--dialect`"),
            (Choice::Enabled(replacer), "`dialects.enabled`"),
        ] {
            let found = parse(answer, &Bounds::default(), &choice).candidates;
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(
                (found[0].line, found[0].kind, found[0].path.as_deref()),
                (6, NotReadKind::OtherDialect, None)
            );
            assert!(found[0].hint.contains(hint), "{found:?}");
        }
    }
}
