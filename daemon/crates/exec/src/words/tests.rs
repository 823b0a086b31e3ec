//! The class of each command, as a table.

use proptest::prelude::*;

use super::*;

/// Returns the class of a command in short.
fn kind(text: &str) -> String {
    match command(text) {
        Ok(Command::BuiltIn(BuiltIn::ReadOnly(_))) => "built-in reads".to_owned(),
        Ok(Command::BuiltIn(_)) => "changes".to_owned(),
        Ok(Command::ReadOnly(_)) => "reads".to_owned(),
        Ok(Command::Foreign { .. }) => "asks".to_owned(),
        Err(Refusal::Dangerous { flag, .. }) => format!("refused: {flag}"),
        Err(Refusal::Flag { flag, .. } | Refusal::Value { flag, .. }) => format!("refused: {flag}"),
        Err(Refusal::Shell { character, .. }) => format!("refused: {character}"),
        Err(_) => "refused".to_owned(),
    }
}

#[test]
fn every_command_is_what_it_is_taken_for() {
    // The table shows for each refused command the flag or character that the refusal names.
    let cases = [
        ("mv a b", "changes"),
        ("mv -n a b c/", "changes"),
        ("mv a", "refused"),
        ("mv", "refused"),
        ("mv -t dir a", "refused: -t"),
        ("mv --backup a b", "refused: --backup"),
        ("cp -r a b", "changes"),
        ("cp -a a b", "refused: -a"),
        ("cp --recursive a b", "changes"),
        ("rm -rf build", "changes"),
        ("rm -fr build x", "changes"),
        ("rm --no-preserve-root -rf /", "refused: --no-preserve-root"),
        ("rm", "refused"),
        ("rm ''", "refused"),
        ("mkdir -p a/b", "changes"),
        ("mkdir -m 777 a", "refused: -m"),
        ("touch a b", "changes"),
        ("touch -d now a", "refused: -d"),
        ("pwd", "built-in reads"),
        ("pwd x", "refused"),
        ("cat a", "built-in reads"),
        ("cat -n a -- -b", "built-in reads"),
        ("cat", "refused"),
        ("cat -", "refused"),
        ("cat -A a", "refused: -A"),
        ("head -n 5 a", "built-in reads"),
        ("head -5 a", "built-in reads"),
        ("head -n x a", "refused: -n"),
        ("tail -n +5 a", "built-in reads"),
        ("tail -f a", "refused: -f"),
        ("tail -F a", "refused: -F"),
        ("wc -lw a", "built-in reads"),
        ("wc --files0-from=a", "refused: --files0-from"),
        ("ls", "built-in reads"),
        ("ls -laRh --all src", "built-in reads"),
        ("ls -Z", "refused: -Z"),
        ("tree -L 2 -I 'node_modules|dist'", "built-in reads"),
        ("tree -L 0", "refused: -L"),
        ("tree -o out", "refused: -o"),
        ("find", "built-in reads"),
        ("find . -name '*.rs' -type f -maxdepth 3", "built-in reads"),
        ("find . '(' -name a -o -name b ')' ! -empty", "built-in reads"),
        ("find . -name x -exec rm {} +", "refused: -exec"),
        ("find . -exec rm {} \\;", "refused: -exec"),
        ("find . -execdir x", "refused: -execdir"),
        ("find . -ok x", "refused: -ok"),
        ("find . -okdir x", "refused: -okdir"),
        ("find . -delete", "refused: -delete"),
        ("find . -type f -delete", "refused: -delete"),
        ("find . -fprint out", "refused: -fprint"),
        ("find . -fprint0 out", "refused: -fprint0"),
        ("find . -fprintf out x", "refused: -fprintf"),
        ("find . -fls out", "refused: -fls"),
        ("find . -files0-from in", "refused: -files0-from"),
        ("find -L . -name x", "refused: -L"),
        ("find . -name", "refused: -name"),
        ("find . -type x", "refused: -type"),
        ("find . -size +-1", "refused: -size"),
        ("find . '(' -name a", "refused"),
        ("find . ')'", "refused: )"),
        ("find . -name a -o", "refused"),
        ("find . -exec rm {} ;", "refused: ';'"),
        ("grep -rn 'fn main' src", "built-in reads"),
        ("grep -r x", "built-in reads"),
        ("grep x", "refused"),
        ("grep", "refused"),
        ("grep x -", "refused"),
        ("grep -P x a", "refused: -P"),
        ("grep -f patterns a", "refused: -f"),
        ("grep --include='*.rs' -e a -e b -r .", "built-in reads"),
        ("stat a", "built-in reads"),
        ("stat -c '%n %5s %-8U|%%' a", "built-in reads"),
        ("stat --printf '%s\\n' a", "built-in reads"),
        ("stat -c %q a", "refused: -c"),
        ("stat -c %999s a", "refused: -c"),
        ("stat -c % a", "refused: -c"),
        ("stat -f a", "refused: -f"),
        ("stat -L a", "refused: -L"),
        ("realpath -s --relative-to=src a", "built-in reads"),
        ("realpath --relative-to= a", "refused: --relative-to"),
        ("find . -path ./target -prune -o -name x -print0", "built-in reads"),
        ("grep -aI x a", "built-in reads"),
        ("realpath -m a", "built-in reads"),
        ("diff a b", "reads"),
        ("diff -ru a b", "reads"),
        ("diff a", "asks"),
        ("diff a b c", "asks"),
        ("diff a -", "asks"),
        ("diff --to-file=/etc/passwd a", "refused: --to-file"),
        ("diff --to-f /etc/passwd a", "refused: --to-file"),
        ("diff --from-file=/etc/passwd a", "refused: --from-file"),
        ("diff -l a b", "refused: -l"),
        ("diff --output=x a b", "asks"),
        ("file a", "reads"),
        ("file -C -m a", "refused: -C"),
        ("file -z a", "refused: -z"),
        ("file -f list", "refused: -f"),
        ("file", "asks"),
        ("file -m magic a", "asks"),
        ("xxd in", "reads"),
        ("xxd -l 16 in", "reads"),
        ("xxd in out", "asks"),
        ("xxd -r in", "refused: -r"),
        ("xxd -r in out", "refused: -r"),
        ("xxd", "asks"),
        ("xxd -revert in out", "refused: -r"),
        ("git status", "reads"),
        ("git status -sb", "reads"),
        ("git --no-pager log --oneline -5", "reads"),
        ("git diff --cached -- a", "reads"),
        ("git diff HEAD~1 HEAD", "reads"),
        ("git diff -O order", "refused: -O"),
        ("git diff -Oorder", "refused: -O"),
        ("git diff --ext-diff", "refused: --ext-diff"),
        ("git diff --ext", "refused: --ext-diff"),
        ("git diff --no-index /etc/passwd a", "refused: --no-index"),
        ("git log --textconv", "refused: --textconv"),
        ("git log --output=x", "refused: --output"),
        ("git log --outp x", "refused: --output"),
        ("git log --show-signature", "refused: --show-signature"),
        ("git log '--format=%G?'", "refused: %G"),
        ("git log --pretty=format:%GK", "refused: %G"),
        ("git log -L1,2:a", "asks"),
        ("git show HEAD:a", "reads"),
        ("git show abcd1234", "reads"),
        ("git diff HEAD:a HEAD:b", "asks"),
        ("git diff :0:a", "asks"),
        ("git diff HEAD -- ':(top)a'", "reads"),
        ("git log --follow a", "reads"),
        ("git log --follow -p a", "asks"),
        ("git status -v", "asks"),
        ("git ls-files -o --exclude-standard", "reads"),
        ("git branch", "reads"),
        ("git branch -vv", "reads"),
        ("git branch --list 'x*'", "reads"),
        ("git branch x", "asks"),
        ("git branch -d x", "asks"),
        ("git branch -D x --list", "asks"),
        ("git branch --edit-description", "asks"),
        ("git stash list", "reads"),
        ("git stash list x", "asks"),
        ("git stash", "asks"),
        ("git stash pop", "asks"),
        ("git -c core.pager=x log", "refused: -c"),
        ("git -ccore.pager=x log", "refused: -c"),
        ("git -C /etc status", "refused: -C"),
        ("git --git-dir=x status", "refused: --git-dir"),
        ("git --exec-path=x status", "refused: --exec-path"),
        ("git -p log", "refused: -p"),
        ("git --bare log", "asks"),
        ("git", "asks"),
        ("git commit -m x", "asks"),
        ("git push", "asks"),
        ("npm test", "asks"),
        ("./tool --flag", "asks"),
        ("/bin/rm x", "asks"),
        ("sh -c 'rm x'", "asks"),
        ("cd src", "asks"),
        ("A=1 make", "refused"),
        ("A='x y' make", "refused"),
        ("./a=b", "asks"),
        ("'' x", "refused"),
    ];
    for (text, expected) in cases {
        assert_eq!(kind(text), expected, "{text}");
    }
}

fn read_only(text: &str) -> ReadOnlyBuiltIn {
    match command(text) {
        Ok(Command::BuiltIn(BuiltIn::ReadOnly(look))) => look,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn parts_of_files_are_read_in_every_spelling() {
    let part = |text: &str| match read_only(text) {
        ReadOnlyBuiltIn::Head { part, .. } | ReadOnlyBuiltIn::Tail { part, .. } => part,
        other => panic!("{other:?}"),
    };
    assert_eq!(part("head a"), Part::Lines(10));
    assert_eq!(part("head -n -3 a"), Part::LinesBut(3));
    assert_eq!(part("tail -n -3 a"), Part::Lines(3));
    assert_eq!(part("tail -n +3 a"), Part::LinesBut(3));
    assert_eq!(part("tail -c 7 a"), Part::Bytes(7));
    assert_eq!(part("head --bytes=-7 a"), Part::BytesBut(7));
    assert_eq!(kind("head -n +3 a"), "refused: -n");
    assert_eq!(kind("head -n --3 a"), "refused: -n");
}

#[test]
fn tests_of_find_bind_as_they_do_in_find() {
    let test = |text: &str| match read_only(text) {
        ReadOnlyBuiltIn::Find(find) => find.test,
        other => panic!("{other:?}"),
    };
    let name = |glob: &str| Test::Name { glob: glob.to_owned(), any_case: false };
    let print = || Test::Print(Ending::Line);
    let shown = |test| Test::All(vec![test, print()]);
    assert_eq!(test("find ."), shown(Test::All(vec![])));
    assert_eq!(test("find . -name a -print"), shown(name("a")));
    assert_eq!(test("find . -name a -o -print"), Test::Any(vec![name("a"), print()]));
    let expected = Test::Any(vec![Test::All(vec![name("a"), Test::Type(vec!['f'])]), name("b")]);
    assert_eq!(test("find . -name a -type f -o -name b"), shown(expected));
    let expected = Test::All(vec![Test::Not(Box::new(name("a"))), Test::Any(vec![name("b"), name("c")])]);
    assert_eq!(test("find . -not -name a '(' -name b -o -name c ')'"), shown(expected));
    let expected = Test::Size { than: Comparison::More(2), unit: 1 << 20 };
    assert_eq!(test("find . -size +2M"), shown(expected));
    let deep = format!("find . {} -name a", "! ".repeat(5000));
    assert_eq!(kind(&deep), "refused");
    assert_eq!(kind(&format!("find . {}", "\\( ".repeat(5000))), "refused");
}

#[test]
fn git_is_kept_from_running_what_a_repository_names() {
    let Ok(Command::ReadOnly(reading)) = command("git diff HEAD -- src/a") else { panic!("it reads") };
    let text = reading.arguments.join(" ");
    for part in [
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "--no-pager",
        "safe.bareRepository=explicit",
        "diff --no-ext-diff --no-textconv --ignore-submodules=all HEAD",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(reading.paths, ["HEAD", "src/a"]);
    let Ok(Command::ReadOnly(reading)) = command("git show HEAD:.env") else { panic!("it reads") };
    assert_eq!(reading.paths, ["HEAD:.env", ".env"]);
    let Ok(Command::ReadOnly(reading)) = command("git show -U3 --stat=80 abcd123 -- a") else {
        panic!("it reads")
    };
    let end = ["-U3", "--stat=80", "abcd123^{commit}", "--", "a"].map(str::to_owned);
    assert!(reading.arguments.ends_with(&end), "{:?}", reading.arguments);
    let Ok(Command::ReadOnly(reading)) = command("git stash list -3") else { panic!("it reads") };
    assert!(reading.arguments.ends_with(&["stash".to_owned(), "list".to_owned(), "-n3".to_owned()]));
    let Ok(Command::ReadOnly(reading)) = command("git branch -v") else { panic!("it reads") };
    assert!(reading.arguments.ends_with(&["branch".to_owned(), "--list".to_owned(), "-v".to_owned()]));
}

#[test]
fn every_refusal_says_what_to_do() {
    for text in ["", "ls | wc", "echo 'x", "A=1 x", "ls -Z", "find . -delete", "head -n x a", "cat", "a\0"] {
        let refusal = command(text).unwrap_err();
        assert!(!refusal.to_string().is_empty() && !refusal.hint().is_empty(), "{text}");
    }
}

proptest! {
    #[test]
    fn reading_is_total(
        name in prop::sample::select(vec!["mv", "rm", "head", "ls", "tree", "find", "grep", "git", "diff", "xxd", "file"]),
        words in prop::collection::vec("[-a-zA-Z0-9=+.(!]{0,6}", 0..8),
    ) {
        let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let _ = command(&format!("{name} {}", words.join(" ")));
    }
}
