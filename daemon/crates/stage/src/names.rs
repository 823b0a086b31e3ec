//! Flat names for staged files, made from their paths. Pure; knows no file and no table.
//!
//! A path by itself has the name [`flat`]; two paths may want the same name, so there is an endless row of
//! further ones ([`candidates`]), of which the first free one is taken. Whether a name is free is decided by
//! [`key`], which is the same for names that a file system or an upload may confuse.

use std::fmt::Write;

use blake3::Hash;

/// The prefix of the names of manifests, which no file may have.
pub(super) const MANIFEST: &str = "_path_manifest";

const LONGEST: usize = 200;

const CUT_DIGITS: usize = 16;

const LEAST_DIGITS: usize = 2;

const REFUSED: [char; 8] = ['<', '>', ':', '"', '\\', '|', '?', '*'];

/// The prefix in place of a leading dot, with which a file would be hidden where it is picked up.
const HIDDEN: &str = "dot--";

/// Returns the name of the file at `path` unless another one has it already. `path` is relative, with `/`
/// between names.
#[must_use]
pub(super) fn flat(path: &[u8]) -> String {
    let mut name = String::with_capacity(path.len());
    for (index, component) in path.split(|byte| *byte == b'/').enumerate() {
        if index > 0 {
            name.push('-');
        }
        let rest = component.strip_prefix(b".");
        if rest.is_some() {
            name.push_str(HIDDEN);
        }
        push_clean(&mut name, rest.unwrap_or(component));
    }
    shortened(for_windows(as_xml(name, path)), path)
}

pub(super) fn candidates(path: &[u8]) -> impl Iterator<Item = String> {
    let name = flat(path);
    let hash = blake3::hash(path);
    let own = (!is_reserved(&name)).then(|| name.clone());
    let at = if is_reserved(&name) { MANIFEST.len() } else { extension(&name) };
    let (stem, end) = (name[..at].to_owned(), name[at..].to_owned());
    let digits = hash.to_hex();
    own.into_iter().chain(suffixes(digits.as_str().to_owned()).map(move |mark| format!("{stem}~{mark}{end}")))
}

#[must_use]
pub(super) fn is_name_of(name: &str, path: &[u8]) -> bool {
    // The name by itself, and one for each length of a hash.
    candidates(path).take(2 * Hash::from_bytes([0; 32]).as_bytes().len()).any(|candidate| candidate == name)
}

/// Returns a key that is the same for two names that may be confused: letter case does not count.
#[must_use]
pub(super) fn key(name: &str) -> i64 {
    let folded = name.to_uppercase().to_lowercase();
    let hash = blake3::hash(folded.as_bytes());
    let (first, _) = hash.as_bytes().split_first_chunk().unwrap_or((&[0; 8], &[]));
    i64::from_le_bytes(*first)
}

fn suffixes(digits: String) -> impl Iterator<Item = String> {
    let whole = digits.clone();
    let beginnings = (LEAST_DIGITS..=digits.len()).map(move |count| digits[..count].to_owned());
    beginnings.chain((2_u64..).map(move |number| format!("{whole}-{number}")))
}

fn is_reserved(name: &str) -> bool {
    let start = name.get(..=MANIFEST.len());
    start.is_some_and(|start| start.to_lowercase() == format!("{MANIFEST}."))
}

fn extension(name: &str) -> usize {
    name.rfind('.').filter(|at| *at > 0).unwrap_or(name.len())
}

fn push_clean(name: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        let clean = |char: char| if char.is_control() || REFUSED.contains(&char) { '_' } else { char };
        name.extend(chunk.valid().chars().map(clean));
        if !chunk.invalid().is_empty() {
            name.push('_');
        }
    }
}

/// Marks a name that Windows takes for a device, with or without an extension, and replaces a blank or a dot at its
/// end, which Windows drops.
fn for_windows(mut name: String) -> String {
    if let Some(last @ (' ' | '.')) = name.chars().next_back() {
        name.truncate(name.len() - last.len_utf8());
        name.push('_');
    }
    let stem = name.find('.').unwrap_or(name.len());
    if is_device(name[..stem].trim_end_matches(' ')) {
        name.insert(stem, '_');
    }
    name
}

fn is_device(stem: &str) -> bool {
    let stem = stem.to_ascii_uppercase();
    let numbered = |device: &str| {
        stem.strip_prefix(device).is_some_and(|number| {
            matches!(number, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

fn as_xml(name: String, path: &[u8]) -> String {
    // A drawing is refused where the same text under another name is taken.
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let is_drawing = file.len() > 4 && file[file.len() - 4..].eq_ignore_ascii_case(b".svg");
    match name.len().checked_sub(4).filter(|_| is_drawing) {
        Some(at) => format!("{}-{}.xml", &name[..at], &name[at + 1..]),
        None => name,
    }
}

/// Cuts a long name at the front, where folders are; the file's own name and its extension stay.
fn shortened(name: String, path: &[u8]) -> String {
    if name.len() <= LONGEST {
        return name;
    }
    let mut short = String::with_capacity(LONGEST);
    let _ = write!(short, "{}-", &blake3::hash(path).to_hex()[..CUT_DIGITS]);
    let at = name.len() - (LONGEST - short.len());
    short.push_str(&name[name.ceil_char_boundary(at)..]);
    short
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use proptest::prelude::*;

    use super::*;

    fn named(path: &str) -> String {
        flat(path.as_bytes())
    }

    #[test]
    fn every_name_can_be_made_on_windows() {
        for (path, name) in [
            ("CON", "CON_"),
            ("aux.txt", "aux_.txt"),
            ("nul.tar.gz", "nul_.tar.gz"),
            ("com1", "com1_"),
            ("LPT9.md", "LPT9_.md"),
            ("com10", "com10"),
            ("src/aux.rs", "src-aux.rs"),
            ("con .txt", "con _.txt"),
            ("end.", "end_"),
            ("end ", "end_"),
            ("a/b...", "a-b.._"),
            ("a<b>:\"|?*c", "a_b______c"),
            ("console.log", "console.log"),
        ] {
            assert_eq!(named(path), name, "{path}");
        }
        // What is mapped to one name stays two files.
        let both = BTreeSet::from([b"aux.txt".to_vec(), b"aux_.txt".to_vec()]);
        assert_eq!(assign(&both).len(), 2);
    }

    /// Assigns names as a first run does: in the order of paths.
    fn assign(paths: &BTreeSet<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
        let mut collected = HashSet::new();
        let mut names = BTreeMap::new();
        for path in paths {
            let name = candidates(path).find(|name| collected.insert(key(name))).unwrap();
            assert!(names.insert(name, path.clone()).is_none());
        }
        names
    }

    fn names_of(paths: &[&str]) -> BTreeMap<String, String> {
        let paths: BTreeSet<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        let text = |path: Vec<u8>| String::from_utf8(path).unwrap();
        assign(&paths).into_iter().map(|(name, path)| (text(path), name)).collect()
    }

    #[test]
    fn the_names_of_the_specification() {
        for (path, name) in [
            ("app/lib/plugin/package.json", "app-lib-plugin-package.json"),
            ("package.json", "package.json"),
            (".tool-versions", "dot--tool-versions"),
            (".config/x.ini", "dot--config-x.ini"),
            ("a/.npmignore", "a-dot--npmignore"),
            ("x.svg", "x-svg.xml"),
            ("assets/images/logo.svg", "assets-images-logo-svg.xml"),
            (".x/.y/.z.svg", "dot--x-dot--y-dot--z-svg.xml"),
            ("a b/c\nd.txt", "a b-c_d.txt"),
            ("a<b>:\"\\|?*", "a_b_______"),
            (".svg", "dot--svg"),
            ("..", "dot--_"),
            ("x.svg/y", "x.svg-y"),
            ("Ä.SVG", "Ä-SVG.xml"),
        ] {
            assert_eq!(named(path), name, "{path}");
        }
        assert_eq!(flat(b"a\xff\xfe/b.txt"), "a__-b.txt");
    }

    #[test]
    fn the_later_path_gives_way() {
        let names = names_of(&["a/b.txt", "a-b.txt", "README", "readme", "docs/readme", "Straße", "STRASSE"]);
        assert_eq!(names["a-b.txt"], "a-b.txt");
        let other = &names["a/b.txt"];
        assert!(other.starts_with("a-b~") && other.ends_with(".txt") && other.len() == 10, "{other}");
        assert_eq!((names["README"].as_str(), names["docs/readme"].as_str()), ("README", "docs-readme"));
        assert!(names["readme"].starts_with("readme~"));
        assert!(names["Straße"].starts_with("Straße~"));
    }

    #[test]
    fn names_of_manifests_are_kept_free() {
        let names = names_of(&[
            "_path_manifest.json",
            "_Path_Manifest.tar.gz",
            "_path_manifest",
            "a/_path_manifest.json",
        ]);
        assert!(names["_path_manifest.json"].starts_with("_path_manifest~"));
        assert!(names["_path_manifest.json"].ends_with(".json"));
        assert!(names["_Path_Manifest.tar.gz"].starts_with("_Path_Manifest~"));
        assert!(names["_Path_Manifest.tar.gz"].ends_with(".tar.gz"));
        assert_eq!(names["_path_manifest"], "_path_manifest");
        assert_eq!(names["a/_path_manifest.json"], "a-_path_manifest.json");
    }

    #[test]
    fn long_names_keep_their_tails() {
        let long = format!("{}/{}.rs", "ü".repeat(100), "x".repeat(60));
        let name = named(&long);
        assert!(name.len() <= 200 && name.len() > 195, "{}", name.len());
        assert!(name.ends_with(&format!("-{}.rs", "x".repeat(60))));
        assert_ne!(named(&long), named(&format!("y{long}")));
        assert_eq!(named(&"z".repeat(200)), "z".repeat(200));
        assert_eq!(named(&"z".repeat(255)).len(), 200);
    }

    #[test]
    fn a_project_that_takes_every_name_does_not_stop_it() {
        let mut paths: BTreeSet<Vec<u8>> = candidates(b"a/b").take(200).map(String::into_bytes).collect();
        paths.insert(b"a/b".to_vec());
        assert_eq!(assign(&paths).len(), 201);
    }

    #[test]
    fn a_name_is_known_as_that_of_its_path_alone() {
        for name in candidates(b"a/b.txt").take(64) {
            assert!(is_name_of(&name, b"a/b.txt") && !is_name_of(&name, b"a/c.txt"), "{name}");
        }
        assert!(!is_name_of("README.md", b".github/workflows/ci.yml"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(clada_test_extent::cases(64, 256)))]

        #[test]
        fn no_two_paths_share_a_name(
            paths in prop::collection::btree_set(
                prop_oneof![
                    "[aA.-]{1,3}(/[aAbB.-]{1,3}){0,3}(\\.svg|\\.SVG|\\.txt)?".prop_map(String::into_bytes),
                    prop::collection::vec(
                        prop_oneof![Just(b'/'), Just(b'-'), Just(b'.'), Just(b'~'), Just(b'\n'), any::<u8>()],
                        1..12,
                    ),
                    "[a-b/]{190,255}".prop_map(String::into_bytes),
                ],
                1..60,
            )
        ) {
            let names = assign(&paths);
            prop_assert_eq!(names.len(), paths.len());
            let folded: BTreeSet<String> = names.keys().map(|name| name.to_lowercase()).collect();
            prop_assert_eq!(folded.len(), paths.len());
            for (name, path) in &names {
                prop_assert!(is_name_of(name, path), "{} {:?}", name, path);
                prop_assert!(!name.is_empty() && name.len() <= 255 && !name.starts_with('.'), "{}", name);
                prop_assert!(!name.chars().any(|char| char == '/' || char.is_control()), "{}", name);
                prop_assert!(!is_reserved(name), "{}", name);
            }
        }
    }
}
