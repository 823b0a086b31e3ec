//! The ruler of the sources: code lines, rooms and their order, upward uses, and rings of files.
//!
//! A *room* is a file or a folder that lies directly in a folder of sources; `mod.rs` and `lib.rs` are rooms
//! too. Code lines are those that are neither blank nor only a comment; tests do not count. One file *uses*
//! another if it names what is defined there: names are followed through re-exports to that file. The rooms
//! of a folder are put in the order in which a short search finds the fewest uses that point up; these are
//! *upward*. A *ring* is a set of files that use each other, directly or through others of the set.
//!
//! `cargo test -p clada-tests --test tidy rooms -- --nocapture` prints a line for each crate, and with
//! `CLADA_ROOMS=CRATE` the rooms of that crate in their order, its upward uses and its rings. `MOST` is a
//! ratchet: lower its numbers when the printed ones go down.
#![allow(clippy::print_stdout, reason = "the printed table is what this is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Edges, members, sources, without_tests};

/// For each crate that has any: the most upward uses, the most rings of files, and the most files in them.
const MOST: &[(&str, [usize; 3])] = &[
    ("clada-apply", [1, 1, 2]),
    ("clada-daemon", [1, 1, 3]),
    ("clada-edit", [1, 0, 0]),
    ("clada-exec", [1, 0, 0]),
    ("clada-merge", [2, 2, 4]),
    ("clada-protocol", [1, 0, 0]),
    ("clada-watch", [3, 1, 2]),
];

/// A source file, named by its path of modules: `["plan", "check"]`.
struct Source {
    file: String,
    lines: usize,
    children: BTreeSet<String>,
    defined: BTreeSet<String>,
    /// What `use` gives a name to: the name, and the path it stands for.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules all of whose names are imported.
    globs: Vec<Vec<String>>,
    /// All other paths.
    paths: Vec<Vec<String>>,
}

type Modules = BTreeMap<Vec<String>, Source>;

/// The tokens of a source: words, `::`, and single signs. Texts and comments are left out.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let word = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let length = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'r' if rest.starts_with("r\"") || rest.starts_with("r#") => {
                let signs = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
                let end = format!("\"{}", "#".repeat(signs));
                let begin = signs + 2;
                match rest.as_bytes().get(signs + 1) {
                    Some(b'"') => rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len()),
                    _ => word.max(1),
                }
            }
            b'"' => {
                let mut end = 1;
                while end < rest.len() && rest.as_bytes()[end] != b'"' {
                    end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
                }
                end + 1
            }
            // A character; a lifetime has no end.
            b'\'' if rest.starts_with("'\\") => rest[2..].find('\'').map_or(1, |end| end + 3).max(4),
            b'\'' => match rest.chars().nth(2) {
                Some('\'') => 2 + rest[1..].chars().next().map_or(1, char::len_utf8),
                _ => 1,
            },
            b':' if rest.starts_with("::") => {
                tokens.push("::");
                2
            }
            _ if word > 0 => {
                tokens.push(&rest[..word]);
                word
            }
            byte if byte.is_ascii_graphic() => {
                tokens.push(&rest[..1]);
                1
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += length.min(rest.len());
    }
    tokens
}

/// Drops what `#[cfg(test)]` stands before, and returns the rest. In a module within the file, `super` is the
/// file: it is dropped, too.
fn compiled<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut at) = (Vec::with_capacity(tokens.len()), 0);
    let (mut depth, mut inner) = (0, Vec::new());
    while at < tokens.len() {
        // The braces are counted to find where such a module ends.
        if !tokens[at..].starts_with(&TEST) {
            match tokens[at] {
                "{" => {
                    depth += 1;
                    if at > 1 && tokens[at - 2] == "mod" {
                        inner.push(depth);
                    }
                }
                "}" => {
                    inner.pop_if(|module| *module == depth);
                    depth -= 1;
                }
                "super" if tokens[at - 1] != "::" => {
                    let begin = at;
                    while at < begin + 2 * inner.len() && tokens[at..].starts_with(&["super", "::"]) {
                        at += 2;
                    }
                }
                _ => {}
            }
            kept.push(tokens[at]);
            at += 1;
            continue;
        }
        at += TEST.len();
        let mut depth = 0;
        while at < tokens.len() {
            match tokens[at] {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 && matches!(tokens[at - 1], "}" | ";") {
                break;
            }
        }
    }
    kept
}

/// Reads the tree behind `use` at `tokens[at]`, whose begin is `prefix`; returns where it ends.
fn read_use(tokens: &[&str], mut at: usize, prefix: &[String], source: &mut Source) -> usize {
    let mut path = prefix.to_vec();
    while at < tokens.len() {
        match tokens[at] {
            "::" => {}
            "{" => {
                at += 1;
                while tokens[at] != "}" {
                    at = read_use(tokens, at, &path, source);
                    if tokens[at] == "," {
                        at += 1;
                    }
                }
                return at + 1;
            }
            "*" => {
                source.globs.push(path);
                return at + 1;
            }
            "as" => {
                source.imports.insert(tokens[at + 1].to_owned(), path);
                return at + 2;
            }
            // `use a::{self, b}` names `a` itself, which `path` has already.
            "self" if !path.is_empty() && tokens[at - 1] != "::" => {}
            ";" | "," | "}" => break,
            word => path.push(word.to_owned()),
        }
        at += 1;
    }
    source.imports.insert(path.last().unwrap().clone(), path);
    at
}

fn read_source(file: String, text: &str) -> Source {
    let mut source = Source {
        file,
        lines: 0,
        children: BTreeSet::new(),
        defined: BTreeSet::new(),
        imports: BTreeMap::new(),
        globs: Vec::new(),
        paths: Vec::new(),
    };
    source.lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let tokens = compiled(&tokens(text));
    let is_word = |token: &str| token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at] {
            // Not the `use<'a>` of a captured lifetime.
            "use" if tokens.get(at + 1) != Some(&"<") => at = read_use(&tokens, at + 1, &[], &mut source),
            "mod" if tokens.get(at + 2) == Some(&";") => {
                source.children.insert(tokens[at + 1].to_owned());
                at += 2;
            }
            "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" | "mod"
                if tokens.get(at + 1).is_some_and(|name| is_word(name)) =>
            {
                source.defined.insert(tokens[at + 1].to_owned());
                at += 1;
            }
            "macro_rules" => at += 2,
            // `pub(in crate::a)` says who may use it.
            "in" if tokens[at - 1] == "(" => {
                while tokens[at] != ")" {
                    at += 1;
                }
            }
            word if is_word(word) => {
                let mut path = vec![word.to_owned()];
                while tokens.get(at + 1) == Some(&"::")
                    && tokens.get(at + 2).is_some_and(|name| is_word(name))
                {
                    path.push(tokens[at + 2].to_owned());
                    at += 2;
                }
                if path.len() > 1 {
                    source.paths.push(path);
                }
            }
            _ => {}
        }
        at += 1;
    }
    source
}

fn modules(folder: &Path) -> Modules {
    let sources = sources(folder).into_iter().filter_map(|(path, text)| {
        let below = path.strip_prefix(folder).unwrap().to_owned();
        let is_test =
            below.components().any(|part| part.as_os_str() == "tests") || below.ends_with("tests.rs");
        let text = without_tests(&path, &text);
        let mut name: Vec<String> =
            below.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if ["mod", "lib", "main"].contains(&name.last().unwrap().as_str()) {
            name.pop();
        }
        (!is_test).then(|| (name, read_source(below.display().to_string(), text)))
    });
    sources.collect()
}

/// The module whose file defines what `path` names, as seen from the module `from`; `None` if it lies outside
/// of the crate.
fn resolve(modules: &Modules, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
    // Names may be passed on in a circle.
    if depth == 0 {
        return None;
    }
    let (mut module, mut rest) = (from.to_vec(), path);
    match path.first()?.as_str() {
        "crate" => (module, rest) = (Vec::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                module.pop()?;
                rest = &rest[1..];
            }
        }
        name => {
            let source = modules.get(&module)?;
            let is_known = source.children.contains(name)
                || source.imports.get(name).is_some_and(|target| target != path && target[0] != name)
                || source.defined.contains(name);
            if !is_known {
                return source.globs.iter().find_map(|glob| {
                    let target = resolve(modules, from, glob, depth - 1)?;
                    if target == from {
                        return None;
                    }
                    let is_there = {
                        let source = modules.get(&target)?;
                        source.children.contains(name)
                            || source.defined.contains(name)
                            || source.imports.contains_key(name)
                    };
                    is_there.then(|| resolve(modules, &target, path, depth - 1)).flatten()
                });
            }
        }
    }
    while let Some(name) = rest.first() {
        let source = modules.get(&module)?;
        let mut child = module.clone();
        child.push(name.clone());
        if modules.contains_key(&child) && source.children.contains(name) {
            (module, rest) = (child, &rest[1..]);
        } else if source.defined.contains(name) {
            return Some(module);
        } else if let Some(target) = source.imports.get(name) {
            let target: Vec<String> = target.iter().chain(&rest[1..]).cloned().collect();
            return resolve(modules, &module, &target, depth - 1);
        } else {
            let target = source.globs.iter().find_map(|glob| {
                let target = resolve(modules, &module, glob, depth - 1).filter(|target| *target != module)?;
                resolve(modules, &target, rest, depth - 1)
                    .filter(|found| modules[found].defined.contains(name) || found.last() == Some(name))
            });
            return Some(target.unwrap_or(module));
        }
    }
    Some(module)
}

/// Which file uses which; one file of the crate is named by its path below `src`.
fn uses(modules: &Modules) -> Edges {
    let mut uses = Edges::new();
    for (name, source) in modules {
        let targets = source.imports.values().chain(&source.globs).chain(&source.paths);
        let targets =
            targets.filter_map(|path| resolve(modules, name, path, 12)).filter(|target| target != name);
        // A module that passes on a name of its child does not use the child by that.
        uses.entry(source.file.clone())
            .or_default()
            .extend(targets.map(|target| modules[&target].file.clone()));
    }
    uses
}

/// The sets of files that reach each other.
fn rings(uses: &Edges) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            open.extend(uses[file].iter().filter(|used| reached.insert((*used).clone())));
        }
        reached
    };
    let reached: Edges = uses.keys().map(|file| (file.clone(), reached(file))).collect();
    let mut rings: Vec<BTreeSet<String>> = Vec::new();
    for file in uses.keys().filter(|file| reached[*file].contains(*file)) {
        if !rings.iter().any(|ring| ring.contains(file)) {
            let ring = reached[file].iter().filter(|other| reached[*other].contains(file));
            rings.push(ring.cloned().collect());
        }
    }
    rings
}

/// The uses between the rooms of each folder; one folder is named by its path, its rooms by their names.
fn rooms(uses: &Edges) -> BTreeMap<String, Edges> {
    let mut folders: BTreeMap<String, Edges> = BTreeMap::new();
    let split = |file: &str| -> Vec<String> { file.split('/').map(str::to_owned).collect() };
    for (file, used) in uses {
        let file = split(file);
        for depth in 0..file.len() {
            folders.entry(file[..depth].join("/")).or_default().entry(file[depth].clone()).or_default();
        }
        for used in used {
            let used = split(used);
            let same = file.iter().zip(&used).take_while(|(one, other)| one == other).count();
            let rooms = folders.entry(file[..same].join("/")).or_default();
            rooms.entry(file[same].clone()).or_default().insert(used[same].clone());
        }
    }
    folders
}

/// The rooms from top to bottom, with as few upward uses as a greedy search finds: next is always the room
/// with the most uses of others and the fewest by others.
fn order(uses: &Edges) -> Vec<String> {
    let (mut open, mut order, mut bottom) = (uses.clone(), Vec::new(), Vec::new());
    while !open.is_empty() {
        let used_by = |room: &String| open.values().filter(|used| used.contains(room)).count();
        let uses_of = |room: &String| open[room].iter().filter(|used| open.contains_key(*used)).count();
        if let Some(sink) = open.keys().find(|room| uses_of(room) == 0).cloned() {
            open.remove(&sink);
            bottom.push(sink);
            continue;
        }
        let next = open
            .keys()
            .find(|room| used_by(room) == 0)
            .or_else(|| open.keys().max_by_key(|room| uses_of(room) as isize - used_by(room) as isize));
        let next = next.unwrap().clone();
        open.remove(&next);
        order.push(next);
    }
    order.extend(bottom.into_iter().rev());
    order
}

/// The uses that point up in the order of the rooms.
fn upward(uses: &Edges) -> Vec<(String, String)> {
    let order = order(uses);
    let place = |room: &String| order.iter().position(|other| other == room);
    let pairs =
        uses.iter().flat_map(|(room, used)| used.iter().map(move |used| (room.clone(), used.clone())));
    pairs.filter(|(room, used)| place(room) > place(used)).collect()
}

fn print_rooms(modules: &Modules, uses: &Edges) {
    for (folder, uses) in rooms(uses) {
        let lines = |room: &String| -> usize {
            let at = if folder.is_empty() { room.clone() } else { format!("{folder}/{room}") };
            let inside = |file: &str| file == at || file.starts_with(&format!("{at}/"));
            modules.values().filter(|source| inside(&source.file)).map(|source| source.lines).sum()
        };
        println!("  {}/ {} rooms", if folder.is_empty() { "src" } else { &folder }, uses.len());
        for room in order(&uses) {
            let used: Vec<&str> = uses[&room].iter().map(String::as_str).collect();
            println!("    {:5}  {room}: {}", lines(&room), used.join(" "));
        }
        for (room, used) in upward(&uses) {
            println!("    upward: {room} -> {used}");
        }
    }
    for ring in rings(uses) {
        println!("  ring: {}", ring.into_iter().collect::<Vec<_>>().join(" "));
    }
}

#[test]
fn rooms_have_no_more_upward_uses_and_rings_than_before() {
    let shown = std::env::var("CLADA_ROOMS").unwrap_or_default();
    let (mut all, mut failures) = ([0; 5], Vec::new());
    println!(
        "{:24}{:>7}{:>8}{:>8}{:>8}{:>7}{:>9}",
        "crate", "files", "lines", "a file", "upward", "rings", "in rings"
    );
    for (name, folder) in members().into_iter().filter(|(_, folder)| folder.join("src").exists()) {
        let modules = modules(&folder.join("src"));
        let uses = uses(&modules);
        // A crate that is not in `MOST` has to stay without any.
        let (lines, rings) = (modules.values().map(|source| source.lines).sum::<usize>(), rings(&uses));
        let in_rings = rings.iter().map(BTreeSet::len).sum();
        let measured = [rooms(&uses).values().map(|uses| upward(uses).len()).sum(), rings.len(), in_rings];
        let [up, number, _] = measured;
        let files = modules.len();
        println!("{name:24}{files:7}{lines:8}{:8}{up:8}{number:7}{in_rings:9}", lines / files.max(1));
        for (sum, one) in all.iter_mut().zip([files, lines, up, number, in_rings]) {
            *sum += one;
        }
        if shown == name {
            print_rooms(&modules, &uses);
        }
        let most = MOST.iter().find(|(other, _)| *other == name).map_or([0; 3], |(_, most)| *most);
        if measured.iter().zip(most).any(|(measured, most)| *measured > most) {
            failures
                .push(format!("{name}: upward uses, rings, files in them: {measured:?}, at most {most:?}"));
        }
    }
    let [files, lines, up, number, in_rings] = all;
    println!("{:24}{files:7}{lines:8}{:8}{up:8}{number:7}{in_rings:9}", "all", lines / files);
    assert!(failures.is_empty(), "{}\nCLADA_ROOMS=CRATE prints which (--nocapture)", failures.join("\n"));
}

#[test]
fn uses_are_followed_through_re_exports() {
    let source = |file: &str, text: &str| read_source(file.to_owned(), text);
    let name =
        |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    // `a` uses both names by `lib.rs`, which only passes them on; comments, texts and tests use nothing.
    let a = "use crate::Thing; /* crate::b */ const X: &str = \"crate::b::c\"; fn f() { crate::Deep(); }";
    let b = "mod c; pub use c::*; pub struct Thing;\n#[cfg(test)]\nmod tests { use crate::a; }";
    let sources = [
        source("lib.rs", "mod a; mod b; pub use b::{Thing, c::deep as Deep};"),
        source("a.rs", a),
        source("b/mod.rs", b),
        source(
            "b/c.rs",
            "use super::Thing; pub fn deep() {} mod d { use super::deep; use super::super::Thing; }",
        ),
    ];
    let modules: Modules = ["", "a", "b", "b/c"].into_iter().map(name).zip(sources).collect();
    let uses = uses(&modules);
    let used = |file: &str| uses[file].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(used("a.rs"), ["b/c.rs", "b/mod.rs"]);
    assert_eq!(used("b/c.rs"), ["b/mod.rs"]);
    assert_eq!(rings(&uses).len(), 1);
    assert_eq!(upward(&rooms(&uses)[""]), []);
}
