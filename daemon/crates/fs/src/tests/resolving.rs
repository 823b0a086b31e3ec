use super::*;
use clada_protocol::ErrorKind;
use proptest::prelude::*;
use std::path::Component;

fn kind(roots: &Roots, path: &str) -> ErrorKind {
    roots.resolve(path).map(|found| panic!("{path:?} became {found:?}")).unwrap_err().kind()
}

#[test]
fn relative_and_absolute_spellings_are_one_place() {
    let tree = Tree::new();
    let roots = tree.fast();
    let plain = at(&roots, "src/a.rs");
    let absolute = format!("{}/src/a.rs", tree.project.display());
    for spelling in ["./src//a.rs", "src/x/../a.rs", "src\\a.rs", "src/./a.rs", &absolute] {
        assert_eq!(at(&roots, spelling), plain, "{spelling}");
    }
    assert_eq!(roots.absolute(&plain), tree.project.join("src/a.rs"));
    assert!(
        at(&roots, ".").is_root() && at(&roots, "src/..").is_root() && at(&roots, "src/").written_as_folder()
    );
}

#[test]
fn what_lies_outside_is_refused() {
    let tree = Tree::new();
    let roots = tree.fast();
    let beside = format!("{}x/a", tree.project.display());
    let long = "a/".repeat(3000);
    let name = "a".repeat(256);
    for path in [
        "",
        "a\0b",
        "..",
        "../outside/x",
        "a/../../outside",
        "/",
        "/bin/sh",
        "C:\\Windows\\x",
        "c:/x",
        "C:",
        "\\\\server\\share",
        "//?/C:/x",
        "~/x",
        "~",
        "..\\x",
        &beside,
        &long,
        &name,
    ] {
        assert_eq!(kind(&roots, path), ErrorKind::PathEscape, "{path:?}");
    }
}

#[test]
fn git_s_own_folder_is_denied_in_all_spellings() {
    let tree = Tree::new();
    let roots = tree.fast();
    let absolute = format!("{}/.git/hooks/x", tree.project.display());
    // Spellings that some file system takes for the folders; see `names`.
    for path in [
        ".git/hooks/x",
        ".GIT/hooks/x",
        "./.git/hooks/x",
        "a/../.git/hooks/x",
        ".git\\hooks\\x",
        ".git./hooks/x",
        ".git /hooks/x",
        ".git. . /hooks/x",
        "git~1/hooks/x",
        "GIT~1\\hooks\\x",
        ".g\u{200c}it/hooks/x",
        ".gi\u{feff}t/hooks/x",
        ".git::$INDEX_ALLOCATION/hooks/x",
        ".git:x/hooks",
        "sub/.git/hooks/x",
        ".git",
        ".clada/config.yaml",
        ".Clada/x",
        "CLADA~1/x",
        "a/.clada-tmp-0123456789abcdef",
        "gi7eba~1/hooks/x",
        &absolute,
    ] {
        assert_eq!(kind(&roots, path), ErrorKind::PathDenied, "{path:?}");
    }
    assert!(roots.resolve_own("config.yaml").is_ok() && roots.resolve_own("../x").is_err());
    assert!(roots.join(&at(&roots, "a"), ".git".as_ref()).is_err());
    assert!(roots.join(&at(&roots, "a"), "..".as_ref()).is_err());
}

#[test]
fn a_root_is_known_by_its_link_and_by_its_place() {
    let tree = Tree::new();
    let link = tree.project.with_file_name("link");
    std::os::unix::fs::symlink(&tree.project, &link).unwrap();
    tree.write("a", "1");
    let roots = Roots::open(&link, &[], &[], policy(), fast()).unwrap();
    let given = at(&roots, &format!("{}/a", link.display()));
    assert_eq!(given, at(&roots, &format!("{}/a", tree.project.display())));
    assert_eq!(roots.read(&given, 10).unwrap().bytes, b"1");
    assert_eq!(roots.absolute(&given), link.join("a"));
}

#[test]
fn of_several_spellings_of_a_root_the_longest_counts() {
    let tree = Tree::new();
    let above = tree.project.parent().unwrap().to_owned();
    let link = above.join("link");
    std::os::unix::fs::symlink(&tree.project, &link).unwrap();
    // The link lies in the second root, and is the first one.
    let roots = Roots::open(&link, &[above], &[], policy(), fast()).unwrap();
    let given = at(&roots, &format!("{}/a", link.display()));
    assert_eq!((given.root(), given.relative()), (0, Path::new("a")));
}

#[test]
fn regression_a_recorded_path_means_itself_and_is_told_from_the_root() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new();
    let link = tree.project.with_file_name("link");
    std::os::unix::fs::symlink(&tree.project, &link).unwrap();
    let aliases = [("work".to_owned(), tree.outside.clone())];
    let allowed = [tree.outside.clone()];
    let roots = Roots::open(&link, &allowed, &aliases, policy(), fast()).unwrap();
    for name in ["a/b.txt", "a\\b.txt", "~/b.txt", "c:/b.txt", "work/b.txt"] {
        let path = roots.resolve_relative(Path::new(name)).unwrap();
        let told = (path.root(), path.relative(), path.written());
        assert_eq!(told, (0, Path::new(name), name));
        assert_eq!(roots.absolute(&path), link.join(name));
    }
    let odd = roots.resolve_relative(Path::new(OsStr::from_bytes(b"caf\xe9.txt"))).unwrap();
    assert_eq!(odd.written(), "caf\u{fffd}.txt");
    for name in ["../b", "/b", "a/../b", ".git/config"] {
        assert!(roots.resolve_relative(Path::new(name)).is_err(), "{name}");
    }
}

#[test]
fn other_roots_and_aliases() {
    let tree = Tree::new();
    let aliases =
        [("/workspace".to_owned(), tree.project.clone()), ("C:\\proj".to_owned(), tree.project.clone())];
    let allowed = [tree.outside.clone()];
    let roots = Roots::open(&tree.project, &allowed, &aliases, policy(), fast()).unwrap();
    assert_eq!(at(&roots, &format!("{}/x", tree.outside.display())).root(), 1);
    assert_eq!(at(&roots, "/workspace/a/b"), at(&roots, "a/b"));
    assert_eq!(at(&roots, "c:\\proj\\a"), at(&roots, "a"));
    assert!(at(&roots, "/workspace").is_root());
    assert_eq!(kind(&roots, "/workspaces/a"), ErrorKind::PathEscape);
    assert_eq!(kind(&roots, "/workspace/../../x"), ErrorKind::PathEscape);
    assert_eq!(at(&roots, "/workspace/../outside/x").root(), 1);
    let recorded = roots.resolve_recorded(&tree.outside, Path::new("a/b")).unwrap();
    assert_eq!((recorded.root(), recorded.relative()), (1, Path::new("a/b")));
    assert!(roots.resolve_recorded(&tree.outside, Path::new("../b")).is_err());
    assert!(roots.resolve_recorded(Path::new("/"), Path::new("b")).is_err());
}

#[test]
fn nested_roots_give_a_file_one_place() {
    let tree = Tree::new();
    fs::create_dir(tree.outside.join("in")).unwrap();
    let link = tree.project.with_file_name("link");
    std::os::unix::fs::symlink(&tree.outside, &link).unwrap();
    let roots =
        Roots::open(&tree.outside.join("in"), std::slice::from_ref(&link), &[], policy(), fast()).unwrap();
    let own = at(&roots, "x");
    assert_eq!(at(&roots, &link.join("in/x").display().to_string()), own);
    assert_eq!(at(&roots, &tree.outside.join("in/x").display().to_string()), own);
}

#[test]
fn an_escape_that_a_person_allowed_reaches_the_system_but_not_what_is_denied() {
    let tree = Tree::new();
    let options = Options { confinement: Confinement::WholeSystem, ..fast() };
    let roots = tree.fast().with(policy(), options).unwrap();
    let out = at(&roots, "../outside/x");
    assert_eq!(roots.absolute(&out), tree.outside.join("x"));
    assert_eq!(out, at(&roots, &tree.outside.join("x").display().to_string()));
    assert_eq!(at(&roots, "a").root(), 0);
    for path in ["/etc/passwd", "/proc/self/environ", "/root/.ssh/id_rsa", "../.git/config"] {
        assert_eq!(kind(&roots, path), ErrorKind::PathDenied, "{path}");
    }
}

#[test]
fn moving_a_secret_to_a_harmless_name_is_refused() {
    let tree = Tree::new();
    let roots = tree.fast();
    let verdict = |from, to| roots.verdict_for_move(&at(&roots, from), &at(&roots, to));
    assert!(matches!(verdict(".env", "notes.txt"), Verdict::Deny(ErrorKind::Secret, _)));
    assert_eq!(verdict(".env", ".env.old"), Verdict::Allow);
    assert!(matches!(verdict("a", ".envrc"), Verdict::Ask(_)));
    assert_eq!(verdict("a", "b"), Verdict::Allow);
}

#[test]
fn a_root_that_is_none_is_named() {
    let tree = Tree::new();
    tree.write("file", "");
    for root in [tree.project.join("ghost"), tree.project.join("file"), PathBuf::from("relative")] {
        let error = Roots::open(&root, &[], &[], policy(), fast()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ProjectNotFound, "{error}");
    }
}

#[test]
fn a_root_that_was_replaced_is_noticed() {
    let tree = Tree::new();
    let roots = tree.fast();
    roots.still_there().unwrap();
    fs::rename(&tree.project, tree.project.with_file_name("moved")).unwrap();
    assert_eq!(roots.still_there().unwrap_err().code(), "ENOENT");
    fs::create_dir(&tree.project).unwrap();
    assert_eq!(roots.still_there().unwrap_err().kind(), ErrorKind::Conflict);
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,3}", 4 => Just("..".to_owned()), 2 => Just(".".to_owned()), 1 => Just(String::new()),
        1 => Just(".git".to_owned()), 1 => Just("~".to_owned()), 1 => Just("C:".to_owned()), 1 => "\\PC{0,6}",
        1 => Just("...".to_owned()), 1 => Just(".. ".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clada_test_extent::cases(64, 256)))]

    #[test]
    fn no_path_leaves_the_root(
        pieces in proptest::collection::vec((piece(), prop_oneof![Just("/"), Just("\\"), Just("//")]), 0..8),
        start in 0..4,
        free in "\\PC{0,40}",
    ) {
        let tree = Tree::new();
        let roots = tree.fast();
        let joined: String = pieces.iter().map(|(piece, separator)| format!("{piece}{separator}")).collect();
        let written = match start {
            0 => joined,
            1 => format!("/{joined}"),
            2 => format!("{}/{joined}", tree.project.display()),
            _ => free,
        };
        if let Ok(path) = roots.resolve(&written) {
            prop_assert!(path.relative().components().all(|part| matches!(part, Component::Normal(_))));
            prop_assert!(roots.absolute(&path).starts_with(&tree.project));
            prop_assert!(!path.relative().iter().any(names::is_reserved));
            let shown = path.relative().to_str().unwrap();
            if !path.is_root() && !shown.contains(":") && !shown.starts_with('~') {
                prop_assert_eq!(at(&roots, shown), path);
            }
        }
    }
}
