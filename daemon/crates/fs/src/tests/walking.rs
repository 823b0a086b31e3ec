use super::*;
use clada_protocol::ErrorKind;
use clada_test_extent::cases;
use proptest::prelude::*;
use rustix::fs::{AtFlags, Mode, OFlags};
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

fn walk(roots: &Roots, start: &str, options: WalkOptions<'_>) -> Vec<String> {
    let items = roots.walk(&at(roots, start), options).unwrap();
    items
        .map(|item| match item {
            WalkItem::Entry { path, stat } => {
                let mark = if stat.kind == FileKind::Directory { "/" } else { "" };
                format!("{}{mark}", path.relative().display())
            }
            WalkItem::Withheld { path, kind, .. } => format!("!{kind} {}", path.relative().display()),
            WalkItem::Ignored { path, .. } => format!("-{}", path.relative().display()),
            WalkItem::Error(error) => format!("?{error}"),
            WalkItem::Truncated => "…".to_owned(),
        })
        .collect()
}

fn everything() -> WalkOptions<'static> {
    WalkOptions { ignoring: Ignoring::Nothing, ..WalkOptions::default() }
}

#[test]
fn in_the_order_of_the_paths_bytes() {
    let tree = Tree::new();
    for name in ["a/x", "a-b", "a.c", "a0", "B", ".hidden", "a/y/z"] {
        tree.write(name, "");
    }
    let found = walk(&tree.fast(), ".", everything());
    assert_eq!(found, [".hidden", "B", "a/", "a-b", "a.c", "a/x", "a/y/", "a/y/z", "a0"]);
}

#[test]
fn passes_over_what_is_not_to_be_seen() {
    let tree = Tree::new();
    for name in [
        ".git/config",
        ".clada/x",
        "d/.GIT/x",
        ".env",
        "d/a.pem",
        ".ssh/id",
        "d/f",
        ".clada-tmp-0123456789abcdef",
    ] {
        tree.write(name, "");
    }
    make_fifo(&tree.project.join("fifo"));
    std::os::unix::fs::symlink(&tree.outside, tree.project.join("link")).unwrap();
    fs::write(tree.outside.join("x"), "").unwrap();
    let found = walk(&tree.fast(), ".", everything());
    assert_eq!(found, ["!secret .env", "!path_denied .ssh", "d/", "!secret d/a.pem", "d/f", "link"]);
}

#[test]
fn ignore_files_hold_from_the_root_down() {
    let tree = Tree::new();
    for (name, text) in [
        (".gitignore", "*.log\n/build/\n!keep.log\n# comment\n\n"),
        (".ignore", "notes\n!x.log\n"),
        (".git/info/exclude", "*.bak\n"),
        ("sub/.gitignore", "!*.log\nonly.txt\n"),
    ] {
        tree.write(name, text);
    }
    for name in [
        "x.log",
        "keep.log",
        "build/a",
        "sub/build/a",
        "notes",
        "a.bak",
        "g.tmp",
        "sub/y.log",
        "sub/only.txt",
        "sub/deep/only.txt",
        "only.txt",
        "sub/deep/a.bak",
    ] {
        tree.write(name, "");
    }
    let roots = tree.fast();
    let options = || WalkOptions {
        ignoring: Ignoring::Rules {
            config: IgnoreConfig { user_gitignore: Some(b"*.tmp".to_vec()), ignores_case: false },
            also: &[],
        },
        ..WalkOptions::default()
    };
    let files =
        |found: Vec<String>| found.into_iter().filter(|path| !path.ends_with('/')).collect::<Vec<_>>();
    let expected =
        [".gitignore", ".ignore", "keep.log", "only.txt", "sub/.gitignore", "sub/build/a", "sub/y.log"];
    assert_eq!(files(walk(&roots, ".", options())), expected);
    // A walk from a folder obeys the rules above it; an ignored start itself is walked.
    assert_eq!(files(walk(&roots, "sub", options())), ["sub/.gitignore", "sub/build/a", "sub/y.log"]);
    assert!(files(walk(&roots, "sub/deep", options())).is_empty());
    assert_eq!(files(walk(&roots, "build", options())), ["build/a"]);
}

#[test]
fn bounded_and_cancellable() {
    let tree = Tree::new();
    for number in 0..20 {
        tree.write(&format!("d{}/f{number}", number % 4), "");
    }
    let roots = tree.fast();
    let found = walk(&roots, ".", WalkOptions { max_entries: 7, ..everything() });
    assert_eq!((found.len(), found.last().unwrap().as_str()), (8, "…"));
    let found = walk(&roots, ".", WalkOptions { max_depth: 0, ..everything() });
    assert_eq!(found.iter().filter(|item| item.starts_with("?Directory is too deep")).count(), 4);
    let left = std::cell::Cell::new(5);
    let cancelled = || {
        left.set(left.get() - 1);
        left.get() < 0
    };
    assert!(walk(&roots, ".", WalkOptions { cancelled: &cancelled, ..everything() }).len() <= 5);
}

#[test]
fn errors_are_collected_and_the_start_has_to_be_a_folder() {
    let tree = Tree::new();
    tree.write("closed/x", "");
    tree.write("open/x", "");
    let roots = tree.fast();
    assert_eq!(roots.walk(&at(&roots, "ghost"), everything()).err().unwrap().kind(), ErrorKind::FileNotFound);
    assert_eq!(
        roots.walk(&at(&roots, "open/x"), everything()).err().unwrap().kind(),
        ErrorKind::NotDirectory
    );
    set_mode(&tree.project.join("closed"), 0o000);
    let found = walk(&roots, ".", everything());
    set_mode(&tree.project.join("closed"), 0o755);
    assert!(found.contains(&"open/x".to_owned()));
    if is_root() {
        return println!("not run: root may look into every folder");
    }
    assert!(found.contains(&"?Permission denied 'closed' (EACCES)".to_owned()), "{found:?}");
}

#[test]
fn a_folder_swapped_in_the_middle_leads_nowhere() {
    for backend in BACKENDS {
        let tree = Tree::new();
        tree.write("a/x", "");
        tree.write("b/x", "");
        fs::write(tree.outside.join("OUTSIDE"), "").unwrap();
        let roots = tree.roots(Options { backend, ..fast() });
        let mut walk = roots.walk(&at(&roots, "."), everything()).unwrap();
        assert!(matches!(walk.next(), Some(WalkItem::Entry { .. })));
        fs::rename(tree.project.join("a"), tree.project.join("c")).unwrap();
        std::os::unix::fs::symlink(&tree.outside, tree.project.join("a")).unwrap();
        fs::rename(tree.project.join("b"), tree.project.join("e")).unwrap();
        fs::create_dir(tree.project.join("b")).unwrap();
        let rest: Vec<_> = walk.collect();
        let kinds: Vec<_> = rest
            .iter()
            .filter_map(|item| if let WalkItem::Error(error) = item { Some(error.kind()) } else { None })
            .collect();
        assert_eq!(kinds, [ErrorKind::SymlinkNotAllowed, ErrorKind::Conflict]);
        assert!(!format!("{rest:?}").contains("OUTSIDE"));
    }
}

/// Makes `depth` folders in each other, by descriptors since no path is that long.
fn dig(tree: &Tree, depth: usize, with_sibling: bool) -> OwnedFd {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder: OwnedFd = fs::File::open(&tree.project).unwrap().into();
    for _ in 0..depth {
        rustix::fs::mkdirat(&folder, "d", Mode::RWXU).unwrap();
        if with_sibling {
            rustix::fs::mkdirat(&folder, "z", Mode::RWXU).unwrap();
        }
        folder = rustix::fs::openat(&folder, "d", flags, Mode::empty()).unwrap();
    }
    let file =
        rustix::fs::openat(&folder, "f", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR | Mode::WUSR).unwrap();
    rustix::io::write(&file, b"deep").unwrap();
    rustix::fs::openat(&folder, ".", flags, Mode::empty()).unwrap()
}

/// Removes the chain from the top, since no other code removes folders without a path.
fn fill_in(tree: &Tree, bottom: &OwnedFd) {
    rustix::fs::unlinkat(bottom, "f", AtFlags::empty()).unwrap();
    let top = &tree.project;
    while top.join("d").exists() {
        let _ = fs::remove_dir(top.join("d/z"));
        if top.join("d/d").exists() {
            fs::rename(top.join("d/d"), top.join("next")).unwrap();
            fs::remove_dir(top.join("d")).unwrap();
            fs::rename(top.join("next"), top.join("d")).unwrap();
        } else {
            fs::remove_dir(top.join("d")).unwrap();
        }
    }
}

#[test]
fn deep_trees_use_few_descriptors() {
    // The walk holds at most 600 folders open: each tree is deeper.
    let trees = cases(
        [(Backend::Detect, 1500, false), (Backend::CapStd, 700, false), (Backend::Detect, 700, true)],
        [(Backend::Detect, 5000, false), (Backend::CapStd, 1500, false), (Backend::Detect, 1000, true)],
    );
    for (backend, depth, with_sibling) in trees {
        let tree = Tree::in_memory();
        let bottom = dig(&tree, depth, with_sibling);
        let roots = tree.roots(Options { backend, ..fast() });
        let before = open_descriptors();
        let (mut folders, mut most, mut file) = (0, 0, None);
        for item in roots.walk(&at(&roots, "."), everything()).unwrap() {
            match item {
                WalkItem::Entry { stat, .. } if stat.kind == FileKind::Directory => folders += 1,
                WalkItem::Entry { path, .. } => file = Some(path),
                other => panic!("{other:?}"),
            }
            if folders % 500 == 0 {
                most = most.max(open_descriptors());
            }
        }
        assert_eq!(folders, if with_sibling { 2 * depth } else { depth });
        assert_eq!(roots.read(&file.unwrap(), 10).unwrap().bytes, b"deep");
        fill_in(&tree, &bottom);
        // Other tests run at the same time and open files too.
        println!("{depth} levels: {before} descriptors before, at most {most} during the walk");
        assert!(most < before + 600, "{before} then {most}");
    }
}

fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").map(Iterator::count).unwrap_or(0)
}

#[test]
fn names_that_are_not_text() {
    let tree = Tree::new();
    let odd = std::ffi::OsString::from_vec(b"\xff\xfe".to_vec());
    if fs::create_dir(tree.project.join(&odd)).is_err() {
        return println!("not run: the file system takes only UTF-8 names");
    }
    fs::write(tree.project.join(&odd).join("x"), "1").unwrap();
    let roots = tree.fast();
    let found: Vec<_> = roots.walk(&at(&roots, "."), everything()).unwrap().collect();
    let Some(WalkItem::Entry { path, .. }) = found.last() else { panic!("{found:?}") };
    assert_eq!(path.relative().as_os_str().as_bytes(), b"\xff\xfe/x");
    assert_eq!(roots.read(path, 10).unwrap().bytes, b"1");
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("a"),
        Just("a-b"),
        Just("a.log"),
        Just("b"),
        Just("B"),
        Just("build"),
        Just("é"),
        Just("x.tmp"),
    ]
    .prop_map(str::to_owned)
}

fn rules() -> impl Strategy<Value = Vec<&'static str>> {
    let line = prop_oneof![
        Just("*.log"),
        Just("!*.log"),
        Just("/build"),
        Just("b/"),
        Just("a/b"),
        Just("!a"),
        Just("*"),
        Just("!*/"),
        Just("**/x.tmp"),
        Just("!x.tmp"),
        Just("# a"),
        Just("build/**"),
        Just("é"),
    ];
    proptest::collection::vec(line, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(16, 64), ..ProptestConfig::default() })]
    #[test]
    fn agrees_with_a_simple_model(
        paths in proptest::collection::vec(proptest::collection::vec(name(), 1..5), 0..12),
        ignores in proptest::collection::vec((proptest::collection::vec(name(), 0..3), rules()), 0..4),
    ) {
        let tree = Tree::new();
        let put = |path: PathBuf, text: &str| {
            let _ = fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(path, text));
        };
        for path in &paths {
            put(tree.project.join(path.iter().collect::<PathBuf>()), "");
        }
        for (folder, lines) in &ignores {
            put(tree.project.join(folder.iter().collect::<PathBuf>()).join(".gitignore"), &lines.join("\n"));
        }
        let roots = tree.fast();
        let relative = |options: WalkOptions<'_>| -> Vec<Vec<u8>> {
            let items = roots.walk(&at(&roots, "."), options).unwrap();
            items.map(|item| match item {
                WalkItem::Entry { path, .. } => path.relative().as_os_str().as_bytes().to_vec(),
                other => panic!("{other:?}"),
            }).collect()
        };
        let all = relative(everything());
        prop_assert_eq!(&all, &model(&tree.project, false));
        let ruled = relative(WalkOptions::default());
        prop_assert_eq!(&ruled, &model(&tree.project, true));
    }
}

/// Returns the same tree as the `ignore` crate walks it, in the order of bytes.
fn model(root: &Path, rules: bool) -> Vec<Vec<u8>> {
    let mut walk = ignore::WalkBuilder::new(root);
    walk.standard_filters(false).git_ignore(rules).require_git(false);
    let entries = walk.build().map(|entry| entry.unwrap().into_path());
    let found: BTreeSet<Vec<u8>> = entries
        .filter_map(|path| {
            let relative = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
            (!relative.is_empty()).then_some(relative)
        })
        .collect();
    found.into_iter().collect()
}
