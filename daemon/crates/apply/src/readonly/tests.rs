//! The commands alongside the programs whose names they have, over a tree that is as odd as trees get.

#![allow(
    clippy::disallowed_methods,
    reason = "the tree is set up, and looked at, without the code under test"
)]

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command as Program;
use std::time::{Duration, SystemTime};

use clada_config::Settings;
use clada_exec::words::{self, BuiltIn, Command};
use clada_fs::{Options, Roots};
use clada_protocol::CommandData;
use proptest::prelude::*;

use super::*;
use crate::rules::Rules;
use crate::tests::default_policy;

/// A project, and a folder alongside it.
struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
    roots: Roots,
    rules: Rules,
    room: usize,
    time: Duration,
}

/// The result of a command.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    stdout: String,
    stderr: String,
    status: u64,
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        let roots = Roots::open(&root, &[], &[], default_policy(), Options::default()).unwrap();
        let rules = Rules::from_settings(&Settings::default());
        World { _dir: dir, root, roots, rules, room: 16 << 20, time: Duration::from_secs(600) }
    }

    /// A tree of what trees should not hold.
    fn hostile() -> World {
        let world = World::new();
        world.lay("a.txt", b"one\nTwo words\n  three\n\nfour two\n");
        world.lay("empty", b"");
        world.lay("with space", b"one two\n");
        world.lay("new\nline", b"two\n");
        world.lay(OsStr::from_bytes(b"no\xffutf8"), b"two \xff\xfe three\n");
        world.lay("src/main.rs", b"fn main() {\n    println!(\"two\");\n}\n");
        world.lay("src/lib.rs", b"pub mod deep;\n// two\n// two twotwo two_x\n");
        world.lay("src/deep/er/x.rs", b"a\nb\nc\ntwo\nd\ne\nf\ng\nh\ntwo\ni\n");
        world.lay("src/.hidden/two", b"two");
        world.lay("-dash", b"two\n");
        world.lay("binary", b"two\0three\ntwo\n");
        world.lay("crlf", b"two\r\nthree\r\n");
        world.lay("large", &vec![b'x'; 5000]);
        world.lay("script.sh", b"#!/bin/sh\necho two\n");
        world.lay("a-b/z", b"z\n");
        world.lay("a/z", b"z\n");
        std::fs::create_dir(world.root.join("nothing")).unwrap();
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, world.root.join(at)).unwrap();
        link("a.txt", "link");
        link("..", "src/loop");
        link("/etc", "outside");
        link("gone", "dangling");
        let mode = rustix::fs::Mode::from_raw_mode;
        rustix::fs::mkfifoat(rustix::fs::CWD, world.root.join("fifo"), mode(0o640)).unwrap();
        // Reading where a link leads changes when it was last read, unless that is to come.
        let later = |seconds| rustix::fs::Timespec { tv_sec: seconds, tv_nsec: 5 };
        let times = rustix::fs::Timestamps {
            last_access: later(4_000_000_000),
            last_modification: later(1_000_000_000),
        };
        for name in ["link", "outside", "dangling"] {
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            rustix::fs::utimensat(rustix::fs::CWD, world.root.join(name), &times, flags).unwrap();
        }
        for (name, bits) in [("script.sh", 0o755), ("empty", 0o4755), ("large", 0o600), ("nothing", 0o1777)] {
            rustix::fs::chmod(world.root.join(name), mode(bits)).unwrap();
        }
        for (name, days) in [("a.txt", 3_u64), ("large", 400), ("src/lib.rs", 1), ("crlf", 0)] {
            let then = SystemTime::now() - Duration::from_secs(days * 86_400 + 1000);
            std::fs::File::open(world.root.join(name)).unwrap().set_modified(then).unwrap();
        }
        world
    }

    fn lay(&self, name: impl AsRef<Path>, content: &[u8]) {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn ours(&self, text: &str) -> Result<Told, Failure> {
        let Ok(Command::BuiltIn(BuiltIn::ReadOnly(look))) = words::command(text) else { panic!("{text}") };
        check(&look)?;
        let paths: Vec<String> = match &look {
            ReadOnlyBuiltIn::Ls(ls) => ls.paths.clone(),
            ReadOnlyBuiltIn::Tree(tree) => tree.paths.clone(),
            ReadOnlyBuiltIn::Find(find) => find.paths.clone(),
            ReadOnlyBuiltIn::Grep(grep) => grep.paths.clone(),
            ReadOnlyBuiltIn::Stat { paths, .. } | ReadOnlyBuiltIn::Realpath { paths, .. } => paths.clone(),
            ReadOnlyBuiltIn::Cat { paths, .. } | ReadOnlyBuiltIn::Wc { paths, .. } => paths.clone(),
            ReadOnlyBuiltIn::Head { paths, .. } | ReadOnlyBuiltIn::Tail { paths, .. } => paths.clone(),
            _ => Vec::new(),
        };
        let paths = if paths.is_empty() { vec![".".to_owned()] } else { paths };
        let resolved = |path: String| -> Result<(String, RootedPath), Failure> {
            let place = self.roots.resolve(&self.root.join(&path).to_string_lossy())?;
            Ok((path, place))
        };
        let paths: Vec<(String, RootedPath)> = paths.into_iter().map(resolved).collect::<Result<_, _>>()?;
        let now = jiff::Timestamp::now();
        let now = Timestamp { seconds: now.as_second(), nanoseconds: now.subsec_nanosecond().unsigned_abs() };
        let terms = Terms { time: self.time, room: self.room, now };
        let (unread, stopped) = (Cell::new(u64::MAX), || false);
        let runner = ReadOnlyRunner::new(&self.roots, &self.rules, self.room, &unread, &stopped);
        let data = runner.command_on(terms, &look, &self.root, &paths)?.data;
        let CommandData { stdout, stderr, exit_code, .. } = data.command().unwrap().clone();
        Ok(Told { stdout, stderr, status: u64::try_from(exit_code.unwrap()).unwrap() })
    }

    fn theirs(&self, text: &str) -> Told {
        let ran = Program::new("sh")
            .args(["-c", text])
            .current_dir(&self.root)
            .env_clear()
            .envs([("LC_ALL", "C"), ("TZ", "UTC"), ("PATH", "/usr/bin:/bin")])
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let status = u64::try_from(ran.status.code().unwrap()).unwrap();
        Told { stdout: text(&ran.stdout), stderr: text(&ran.stderr), status }
    }

    /// Holds a command against the program; the order of folders is the file system's there.
    fn same(&self, text: &str) -> Option<String> {
        let (mut ours, mut theirs) = (self.ours(text).unwrap(), self.theirs(text));
        if text.starts_with("find") || text.contains(" -r") && text.starts_with("grep") {
            for told in [&mut ours, &mut theirs] {
                let mut lines: Vec<&str> = told.stdout.split_inclusive('\n').collect();
                lines.sort_unstable();
                told.stdout = lines.concat();
            }
        }
        (ours != theirs).then(|| format!("{text}\nours:   {ours:?}\ntheirs: {theirs:?}\n"))
    }

    fn all_same(&self, texts: &[&str]) {
        let different: Vec<String> = texts.iter().filter_map(|text| self.same(text)).collect();
        assert!(different.is_empty(), "{}", different.concat());
    }
}

/// Returns true if `program` is GNU's; says so if it is not, and nothing is compared.
fn is_here(program: &str) -> bool {
    let told = Program::new(program).arg("--version").output();
    let is_gnu = told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).contains("GNU"));
    if !is_gnu {
        eprintln!("nothing is compared with {program}, which is not GNU's here");
    }
    is_gnu
}

#[test]
fn ls_is_that_of_gnu() {
    if !is_here("ls") {
        return;
    }
    World::hostile().all_same(&[
        "ls",
        "ls -1",
        "ls -a src",
        "ls -A src",
        "ls -F",
        "ls -R",
        "ls -AR src",
        "ls -d src a.txt",
        "ls -d",
        "ls -l",
        "ls -lh",
        "ls -la src",
        "ls -lA src nothing a.txt",
        "ls -lR src",
        "ls -ld . src link",
        "ls -lt a.txt large crlf src/lib.rs",
        "ls -ltr a.txt large crlf src/lib.rs",
        "ls -lS large a.txt crlf",
        "ls -Sr",
        "ls src nothing",
        "ls large src a.txt missing",
        "ls -l dangling outside fifo",
        "ls -- -dash",
        "ls -l src/",
    ]);
}

#[test]
fn find_is_that_of_gnu() {
    if !is_here("find") {
        return;
    }
    World::hostile().all_same(&[
        "find",
        "find .",
        "find src",
        "find src/ nothing",
        "find . -type f -name '*.rs'",
        "find . -iname 'MAIN*'",
        "find . -name '.*'",
        "find . -name '[a-b]*' -o -name large -print",
        "find . -maxdepth 1",
        "find . -mindepth 2 -maxdepth 2",
        "find . -maxdepth 0",
        "find . -path './src/*'",
        "find . -not -path '*/.*' -type d",
        "find . '(' -name '*.rs' -o -name '*.txt' ')' ! -name main.rs",
        "find . -type l",
        "find . -type p,d",
        "find . -empty",
        "find . -size +4k",
        "find . -size -2",
        "find . -size 5000c",
        "find . -size +1c -size -10c",
        "find . -mtime +2",
        "find . -mtime -2 -type f",
        "find . -mtime 1",
        "find . -newer a.txt -name '*.rs'",
        "find . -newer large -type f",
        "find . -path ./src -prune -o -type f -print",
        "find . -name deep -prune -o -print",
        "find . -type d -prune",
        "find . -name 'a-*' -print0",
        "find link outside src/loop",
        "find missing a.txt",
        "find . -true -name a -a -type d",
        "find . -false -o -name z",
        "find . -print -name z -print",
        "find . -name 'new*'",
    ]);
}

#[test]
fn a_basic_expression_that_would_match_as_an_extended_one_is_told() {
    let world = World::hostile();
    let note = |text: &str| {
        let Ok(Command::BuiltIn(BuiltIn::ReadOnly(look))) = words::command(text) else { panic!("{text}") };
        let unread = Cell::new(1 << 20);
        let runner = ReadOnlyRunner::new(&world.roots, &world.rules, world.room, &unread, &|| false);
        let paths = [("src".to_owned(), world.roots.resolve("src").unwrap())];
        runner.command(&look, Path::new("."), &paths).unwrap().note
    };
    let told = note("grep -r 'main|mod deep' src").unwrap_or_default();
    assert!(
        told.contains("As an extended one (-E) it matches 2 lines, the first: src/lib.rs:1:pub mod"),
        "{told}"
    );
    for text in [
        "grep -rE 'no|nothing' src",
        "grep -r 'main\\|mod deep' src",
        "grep -r 'no such|nothing' src",
        "grep -r '(' src",
        "grep -rF 'main|mod' src",
        "grep -rv '' src",
    ] {
        assert_eq!(note(text), None, "{text}");
    }
}

#[test]
fn grep_is_that_of_gnu() {
    if !is_here("grep") {
        return;
    }
    World::hostile().all_same(&[
        "grep two a.txt",
        "grep -n two a.txt src/lib.rs",
        "grep -i two a.txt",
        "grep -c two a.txt src/lib.rs binary",
        "grep -l two a.txt src/lib.rs empty",
        "grep -L two a.txt src/lib.rs empty",
        "grep -L two a.txt",
        "grep -v two a.txt",
        "grep -vn '' a.txt",
        "grep '' a.txt empty",
        "grep -w two src/lib.rs",
        "grep -x two src/deep/er/x.rs",
        "grep -wo two src/lib.rs",
        "grep -no two src/lib.rs",
        "grep -oE 't|tw|two_' src/lib.rs",
        "grep -ov two a.txt",
        "grep -q two a.txt",
        "grep -q nothing a.txt",
        "grep -q two a.txt missing",
        "grep two missing a.txt",
        "grep -s two missing a.txt",
        "grep two src a.txt",
        "grep -h two a.txt src/lib.rs",
        "grep -H two a.txt",
        "grep -m 1 two src/deep/er/x.rs",
        "grep -m 0 two a.txt",
        "grep -cm 1 two src/deep/er/x.rs",
        "grep -A 1 two src/deep/er/x.rs",
        "grep -B 2 -n two src/deep/er/x.rs",
        "grep -C 1 two src/deep/er/x.rs a.txt",
        "grep -nC 20 two src/deep/er/x.rs",
        "grep -m 1 -A 3 two src/deep/er/x.rs",
        "grep -m 1 -A 7 two src/deep/er/x.rs",
        "grep -vc two a.txt",
        "grep two binary",
        "grep -I two binary a.txt",
        "grep -a two binary",
        "grep -l two binary",
        "grep -o two binary",
        "grep -n two crlf",
        "grep -e one -e four a.txt",
        "grep -F 'fn main() {' src/main.rs",
        "grep 'fn main() {' src/main.rs",
        "grep -E 'fn main\\(\\) \\{' src/main.rs",
        "grep -E 'main() {' src/main.rs",
        "grep -E 'println!\\(|mod' src/main.rs src/lib.rs",
        "grep 'one\\|four' a.txt",
        "grep '^  ' a.txt",
        "grep 'o$' a.txt",
        "grep 'two\\>' src/lib.rs",
        "grep '\\<two' src/lib.rs",
        "grep '[[:upper:]]' a.txt",
        "grep '[^a-z]' src/deep/er/x.rs",
        "grep -rn two",
        "grep -rn two .",
        "grep -r two src",
        "grep -r two src/main.rs",
        "grep -rl two src --include='*.rs'",
        "grep -rl two . --include='*.rs' --include='*.txt'",
        "grep -rl two . --exclude='*.rs'",
        "grep -rl two . --exclude='*.rs' --include='main.rs'",
        "grep -rl two . --include='*.rs' --exclude='main.rs'",
        "grep -rl two . --exclude-dir=deep --exclude-dir='.h*'",
        "grep -rl two src --exclude-dir=src",
        "grep -rc two src",
        "grep -rh two src",
        "grep -r nothing src",
        "grep -e -dash -r .",
        "grep two -- -dash",
        "grep --color=auto two a.txt",
        "grep two 'with space' src/deep/er/x.rs",
    ]);
}

#[test]
fn texts_are_those_of_gnu() {
    if !is_here("wc") {
        return;
    }
    World::hostile().all_same(&[
        "wc a.txt",
        "wc -l a.txt",
        "wc a.txt large src/.hidden/two",
        "wc -l a.txt src/lib.rs",
        "wc -w -c large empty",
        "wc -c empty empty",
        "cat -n a.txt",
        "cat -n src/.hidden/two a.txt empty crlf",
        "head -n 2 a.txt crlf",
        "tail -n 2 a.txt crlf",
    ]);
}

#[test]
fn stat_and_realpath_are_those_of_gnu() {
    if !is_here("stat") {
        return;
    }
    World::hostile().all_same(&[
        "stat a.txt",
        "stat src link fifo empty",
        "stat dangling outside",
        "stat . missing",
        "stat -c '%n|%N|%s|%a|%A|%f|%F|%i|%h|%u|%U|%g|%G' a.txt src link fifo empty",
        "stat -c '%b|%B|%d|%D|%X|%x|%Y|%y|%Z|%z|%w|%W|%o|%%' a.txt link",
        "stat -c '%10s|%-10s|%010s|%-8U|' a.txt",
        "stat --printf '%n\\t%s\\n' a.txt large",
        "realpath a.txt src/deep/../lib.rs .",
        "realpath -e link src",
        "realpath -m missing/x src/y",
        "realpath missing",
        "realpath -s link",
        "realpath --relative-to=src a.txt src/deep",
        "realpath -e missing a.txt",
    ]);
}

#[test]
fn one_file_that_cannot_be_shown_does_not_hold_back_the_others() {
    let world = World::new();
    world.lay("a", b"one\n");
    world.lay("b", b"two three\n");
    world.lay("d/file", b"");
    for (text, stdout) in [
        ("cat missing a d b", "one\ntwo three\n"),
        ("head -n 1 missing a d b", "==> a <==\none\n\n==> b <==\ntwo three\n"),
        ("tail missing a d b", "==> a <==\none\n\n==> b <==\ntwo three\n"),
        ("wc -l missing a d b", " 1 a\n 1 b\n 2 total\n"),
        ("wc -l missing a d", "1 a\n1 total\n"),
        ("wc missing d", ""),
    ] {
        let failed = world.ours(text).unwrap_err();
        assert!(failed.message.starts_with("File not found '"), "{failed:?}");
        assert!(failed.message.ends_with("/missing' (ENOENT)"), "{failed:?}");
        let data = failed.data.as_ref().unwrap().command().unwrap();
        assert_eq!(data.stdout, stdout, "{text}");
        assert_eq!(data.exit_code, Some(1), "{text}");
        let told: Vec<&str> = data.stderr.lines().collect();
        let program = text.split(' ').next().unwrap();
        assert_eq!(told[0], format!("{program}: {}", failed.message));
        assert!(told.len() == 2 && told[1].contains("d' ("), "{told:?}");
    }
    assert_eq!(world.ours("cat missing").unwrap_err().data, None);
}

#[test]
fn links_lead_nowhere_and_nothing_of_git_s_is_shown() {
    let world = World::hostile();
    world.lay(".git/config", b"two\n");
    world.lay(".clada/config.yaml", b"two\n");
    world.lay(".env", b"two\n");
    world.lay("src/server.pem", b"two\n");
    for text in ["find", "ls -aR", "tree -a", "grep -r two", "ls -la"] {
        let told = world.ours(text).unwrap();
        assert!(!told.stdout.contains(".git") && !told.stdout.contains(".clada"), "{text}: {told:?}");
        assert!(!told.stdout.contains("passwd"), "{text}: {told:?}");
        if !text.starts_with("ls") {
            assert!(!told.stdout.contains(".env") && !told.stdout.contains("server.pem"), "{text}: {told:?}");
            assert!(told.stderr.ends_with("2 files are held back as a secret, and left out\n"), "{told:?}");
        }
    }
    let refused = world.ours("realpath outside").unwrap_err();
    assert_eq!(refused.kind, ErrorKind::SymlinkNotAllowed);
    let told = world.ours("realpath outside a.txt").unwrap();
    assert!(!told.stdout.contains("etc") && told.status == 1, "{told:?}");
}

#[test]
fn trees_are_drawn() {
    let world = World::new();
    for name in ["b/c/d.rs", "b/e.txt", "a.rs", ".h/x", "target/y"] {
        world.lay(name, b"");
    }
    std::os::unix::fs::symlink("a.rs", world.root.join("link")).unwrap();
    let drawn = |text: &str| world.ours(text).unwrap().stdout;
    assert_eq!(
        drawn("tree -I target"),
        ".\n├── a.rs\n├── b\n│   ├── c\n│   │   └── d.rs\n│   └── e.txt\n└── link -> a.rs\n\n2 directories, 4 files\n"
    );
    assert_eq!(drawn("tree -L 1 -a -d"), ".\n├── .h\n├── b\n└── target\n\n3 directories\n");
    assert_eq!(drawn("tree -f -P '*.rs' b"), "b\n└── b/c\n    └── b/c/d.rs\n\n1 directory, 1 file\n");
    assert!(drawn("tree --dirsfirst").starts_with(".\n├── b\n"));
}

#[test]
fn what_is_wrong_with_an_expression_is_said() {
    let world = World::hostile();
    for (pattern, wrong) in [
        ("'a\\(b'", "Unmatched ( or \\("),
        ("'a\\)'", "Unmatched ) or \\)"),
        ("'[a'", "Unmatched [, [^, [:, [., or [="),
        ("'[b-a]'", "Invalid range end"),
        ("'a\\'", "Trailing backslash"),
        ("'a\\{1'", "Unmatched \\{"),
        ("'[[:foo:]]'", "Invalid character class name"),
        ("'[:space:]'", "character class syntax is [[:space:]], not [:space:]"),
        ("'\\(a\\)\\1'", "\\1 refers back to a group, which does not work here"),
        ("-E 'x{99999}'", "Regular expression too big"),
        ("-E '((((a{999}){999}){999}){999})'", "size limit"),
    ] {
        let failure = world.ours(&format!("grep {pattern} a.txt")).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::InvalidValue);
        assert!(failure.message.contains(wrong), "{pattern}: {}", failure.message);
    }
    let told = world.ours("grep -E '\\d' a.txt").unwrap();
    assert_eq!(told.stderr, "grep: warning: stray \\ before d\n");
}

#[test]
fn output_and_time_have_bounds() {
    let mut world = World::hostile();
    world.room = 400;
    for text in ["find", "ls -lR", "tree", "grep -rn ''", "grep -o . large", "stat a.txt large src link"] {
        let told = world.ours(text).unwrap();
        assert!(
            told.stdout.len() < 400 && (told.stdout.is_empty() || told.stdout.ends_with('\n')),
            "{told:?}"
        );
    }
    world.time = Duration::ZERO;
    for text in ["find", "ls -R", "tree", "grep -r two"] {
        let failure = world.ours(text).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::Timeout, "{text}");
        assert!(failure.data.is_some());
    }
}

/// Small expressions of which most mean something.
fn expression() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "ab", ".", "*", "\\+", "+", "?", "\\?", "\\(", "\\)", "(ab|a)", "(b)", "|", "\\|", "^",
        "$", "[ab]", "[^a]", "a{1", "{2}", "\\{2\\}", "{1,}", "\\{,2\\}", "\\<", "\\>", "\\b", "\\w", "\\W",
        "\\.", "[]a]", "[a-]", "-",
    ]);
    prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: clada_test_extent::cases(24, 100), ..ProptestConfig::default() })]

    #[test]
    fn expressions_fit_what_they_fit_for_grep(
        expression in expression(),
        flags in prop::sample::select(vec!["", "-E", "-w", "-x", "-Eo", "-F", "-o", "-Ew"]),
    ) {
        // What it means to repeat a place, nobody says.
        let places = ["\\<", "\\>", "\\b", "\\`", "^", "$"];
        let repeats = ["*", "+", "?", "\\+", "\\?", "{", "\\{", ")*", ")+", ")?", "){", "\\)*", "\\)\\+", "\\)\\?", "\\)\\{"];
        let odd = places.iter().any(|place| repeats.iter().any(|sign| expression.contains(&[*place, *sign].concat())));
        prop_assume!(!odd);
        let world = World::new();
        world.lay("f", b"a\nb\nab\naab\nabab\n\naa bb\na+b\nb*\n(a)\na{2}\nb|a\n^a$\n-\n]\na b_a\n{\n}\n");
        let text = format!("grep {flags} -e '{expression}' f");
        let ours = world.ours(&text);
        if let Ok(ours) = ours && is_here("grep") {
            let theirs = world.theirs(&text);
            // What it refuses or warns of has no meaning that could be the same.
            if theirs.status < 2 && theirs.stderr.is_empty() {
                prop_assert_eq!(&ours.stdout, &theirs.stdout, "{}", text);
                prop_assert_eq!(ours.status, theirs.status);
            }
        }
    }

    #[test]
    fn no_words_make_it_panic(text in "(find|grep|ls|tree|stat|realpath)( (-[a-zA-Z]{1,4}|\\.|a|'[^'\u{0}]{0,6}'|[0-9]|[-(!)]|-(name|path|type|size|newer|o|not|prune)|src)){0,6}") {
        let world = World::new();
        world.lay("a", b"x\n");
        world.lay("src/b", b"y\n");
        if words::command(&text).is_ok() {
            let _ = world.ours(&text);
        }
    }
}
