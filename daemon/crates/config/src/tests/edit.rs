//! `config set` and `config unset`: what of a file's text changes, and what is refused.

use std::path::Path;

use super::super::edit::{self, NotSet, key_named};
use super::super::*;
use super::HOME;

fn set(text: &str, key: &str, value: &str) -> Result<String, NotSet> {
    edit::set(text, &Origin::User("user.yaml".into()), key_named(key)?, value, Some(Path::new(HOME)))
}

#[test]
fn the_lines_of_a_key_change_and_nothing_else() {
    let cases = [
        ("", "git.mode", "refs", "git:\n  mode: refs\n"),
        ("", "durability", "fast", "durability: fast\n"),
        ("# mine\ndurability: full", "git.mode", "refs", "# mine\ndurability: full\n\ngit:\n  mode: refs\n"),
        (
            "git:\n    mode: off # for now\n    before: touched\n\n# last\n",
            "git.mode",
            "refs",
            "git:\n    mode: refs # for now\n    before: touched\n\n# last\n",
        ),
        (
            "git:\n    before: touched\n\n# on limits\nlimits: {input: 1MB}\n",
            "git.mode",
            "refs",
            "git:\n    before: touched\n    mode: refs\n\n# on limits\nlimits: {input: 1MB}\n",
        ),
        (
            "denied:\n  # keys\n  - '*.key'\n  # old\n  - old/**  # gone\nask: [x]\n",
            "denied",
            "[\"*.key\", new]",
            "denied:\n  # keys\n  - '*.key'\n  - new\nask: [x]\n",
        ),
        ("denied:\n- a\n- b\nask: [x]\n", "denied", "b", "denied:\n- b\nask: [x]\n"),
        ("denied:\n  - a\n", "denied", "[]", "denied: []\n"),
        ("denied: [a] # some\n", "denied", "[a, '*.b']", "denied: # some\n  - a\n  - \"*.b\"\n"),
        ("git:\n", "git.mode", "refs", "git:\n  mode: refs\n"),
        ("git:\r\n  mode: off\r\n", "git.before", "all", "git:\r\n  mode: off\r\n  before: all\r\n"),
        ("exec:\n  env:\n    A: b\n", "exec.env", "{C: \"d e: f\"}", "exec:\n  env:\n    C: \"d e: f\"\n"),
        ("git:\n  mode: sideways\n", "git.mode", "refs", "git:\n  mode: refs\n"),
        // Behind a `#`, as `init` writes it.
        (
            "# About.\n\n# git:\n#   # Where.\n#   mode: branch\n\n#   # Before.\n#   before: touched\n\n# sham:\n#   paths: x\n",
            "git.mode",
            "refs",
            "# About.\n\ngit:\n#   # Where.\n  mode: refs\n\n#   # Before.\n#   before: touched\n\n# sham:\n#   paths: x\n",
        ),
        (
            "# # Text.\n# durability: full\n\n# git:\n#   mode: branch\n",
            "durability",
            "fast",
            "# # Text.\ndurability: fast\n\n# git:\n#   mode: branch\n",
        ),
        (
            "git:\n#   # Where.\n#   mode: branch\n  before: all\n",
            "git.mode",
            "refs",
            "git:\n#   # Where.\n  mode: refs\n  before: all\n",
        ),
    ];
    for (before, key, value, after) in cases {
        assert_eq!(set(before, key, value).as_deref(), Ok(after), "{key}: {value} in\n{before}");
    }
}

#[test]
fn the_lines_of_a_key_go_and_nothing_else() {
    let unset = |text: &str, key: &str| {
        edit::unset(text, &Origin::User("user.yaml".into()), key_named(key)?, Some(Path::new(HOME)))
    };
    let cases = [
        ("", "git.mode", ""),
        ("# a\ndurability: fast\n# b\nask: [x]\n", "durability", "# a\n# b\nask: [x]\n"),
        ("# a\ngit:\n  mode: refs\n\nask: [x]\n", "git.mode", "# a\n\nask: [x]\n"),
        ("git:  # all of it\n  mode: refs\n", "git.mode", "git:  # all of it\n"),
        ("git:\n  # before\n  mode: refs\n", "git.mode", "git:\n  # before\n"),
        ("git:\n  mode: refs\n  before: all\n", "git.mode", "git:\n  before: all\n"),
        ("git:\n  mode: refs\n  before: all\n", "git.author", "git:\n  mode: refs\n  before: all\n"),
        ("denied:\n- a\n- b\nask: [x]\n", "denied", "ask: [x]\n"),
        // A value that cannot stay is a reason to remove it.
        ("git:\n  mode: sideways\n", "git.mode", ""),
    ];
    for (before, key, after) in cases {
        assert_eq!(unset(before, key).as_deref(), Ok(after), "{key} in\n{before}");
    }
    for text in ["git: {mode: refs}\n", "git:\n  mode: refs\n  bfore: x\n", "git: [\n"] {
        assert!(unset(text, "git.mode").unwrap_err().is_of_file, "{text}");
    }
}

#[test]
fn what_is_not_allowed_changes_nothing_and_says_what_is() {
    let shown = |result: Result<String, NotSet>| match result {
        Ok(text) => format!("Ok: {text}"),
        Err(NotSet { message, advice, is_of_file }) => format!("{message}. {advice}. {is_of_file}"),
    };
    let cases = [
        ("", "git.mode", "sideways"),
        ("", "gti.mode", "refs"),
        ("", "limits.input", "lots"),
        ("", "denied", "[a"),
        ("git: {before: touched}\n", "git.mode", "refs"),
        ("git: {mode: off}\n", "git.mode", "refs"),
        ("git:\n  mode: off\n  bfore: x\n", "git.mode", "refs"),
        ("git: [\n", "git.mode", "refs"),
    ];
    let said: Vec<String> =
        cases.into_iter().map(|(text, key, value)| shown(set(text, key, value))).collect();
    let project = Origin::Project("p/.clada/config.yaml".into());
    let of_project = |key, value| shown(edit::set("", &project, key_named(key).unwrap(), value, None));
    expect_test::expect![[r#"
        `git.mode` cannot be `sideways`. Write `branch`, `refs` or `off`. false
        `gti.mode` is not a key. Perhaps you mean `git.mode`. false
        `limits.input` cannot be `lots`. Write a size in bytes, kB, MB or GB, such as `50MB`. false
        it cannot be read as YAML: did not find expected ',' or ']'. Write it as in the file, for example `["a", "b"]`. false
        `git.mode` cannot be changed without touching more of the file than its lines. Write it there yourself: clada config edit. true
        `git.mode` cannot be changed without touching more of the file than its lines. Write it there yourself: clada config edit. true
        user.yaml:3:3: `git.bfore` is not a key. Perhaps you mean `git.before`. Mend it first: clada config edit. true
        user.yaml:2:1: it cannot be read as YAML: did not find expected node content. Mend it there. Mend it first: clada config edit. true
        a project cannot set `daemon.idle_exit`. It belongs in your own file: leave out --project. false
        Ok: git:
          mode: refs
    "#]].assert_eq(
        &[said, vec![of_project("daemon.idle_exit", "1h"), of_project("git.mode", "refs")]].concat().join("\n"),
    );
}

#[test]
fn every_key_can_be_set_in_every_file_that_is_written_for_users() {
    let settings = Settings::default();
    for text in [user_yaml(), defaults_yaml(), String::new()] {
        for key in Key::all() {
            let value = super::super::settings::value(&settings, key);
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let new = set(&text, key.name(), &value).unwrap_or_else(|why| panic!("{}: {why:?}", key.name()));
            assert_eq!(set(&new, key.name(), &value).as_ref(), Ok(&new), "{}", key.name());
            assert!(new.lines().count() >= text.lines().count() || text == defaults_yaml(), "{}", key.name());
        }
    }
}
