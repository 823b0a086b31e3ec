//! Values that a file may have, and the messages for others.

use std::path::PathBuf;
use std::time::Duration;

use super::super::kinds::show_limit;
use super::super::*;
use super::{only_problem, problems_of, project, resolved, user};

#[test]
fn an_empty_file_changes_nothing() {
    for text in ["", "\n", "# nothing\n", "---\n", "limits:\n", "{}", "\u{20}\n\n"] {
        assert_eq!(resolved(&[user(text)]), Settings::default(), "{text:?}");
    }
}

#[test]
fn every_key_is_read() {
    // The values differ from the defaults, so that a key that is not read is noticed.
    let settings = resolved(&[user(
        "
allowed_roots: [~/work/shared, /srv/data/, \"~\"]
root_aliases:
  /workspace: .
  /mnt/data/: ~/data
  C:\\proj: /srv/proj
denied: [private/**]
secrets:
  globs: ['*.secret']
ask: [deploy.sh]
follow_symlinks: true
durability: fast
dialects:
  enabled: [sham]
match: strict
sham: {paths: absolute}
csl: {start: \"<<<<\", end: \">>>>\"}
write: {final_newline: ensure}
limits:
  input: 60MB
  max_file_size: 20 MB
  blocks: 1
  actions: 20_000
  max_results: 5
  grep_line: 4kB
  planned_bytes: 1GB
  result_bytes: 1048576
  request_frame: 256MB
  in_flight_requests: 8
  in_flight_bytes: 64MB
watch:
  backend: notify
  reap_after: 12h
daemon:
  connections: 12
  idle_exit: 30m
  log_level: debug
mcp:
  approvals: wait
  approval_wait: 30s
",
    )]);
    let folder = |path: &str| PathBuf::from(path);
    assert_eq!(
        settings.allowed_roots,
        [folder("/home/ada/work/shared"), folder("/srv/data"), folder("/home/ada")]
    );
    let aliases: Vec<_> = settings.root_aliases.into_iter().collect();
    assert_eq!(
        aliases,
        [
            ("/mnt/data".to_owned(), AliasTarget::Folder(folder("/home/ada/data"))),
            ("/workspace".to_owned(), AliasTarget::ProjectRoot),
            ("C:\\proj".to_owned(), AliasTarget::Folder(folder("/srv/proj"))),
        ]
    );
    assert_eq!(
        (settings.denied, settings.ask),
        (vec!["private/**".to_owned()], vec!["deploy.sh".to_owned()])
    );
    assert_eq!(settings.secret_globs, ["*.secret"]);
    assert!(settings.follow_symlinks);
    assert_eq!(settings.durability, Durability::Fast);
    assert_eq!(settings.dialects, [clada_dialects::Dialect::Sham]);
    assert_eq!(settings.matching, Matching::Strict);
    assert_eq!(settings.sham_paths, ShamPaths::Absolute);
    assert_eq!((settings.csl_start.as_str(), settings.csl_end.as_str()), ("<<<<", ">>>>"));
    assert_eq!(settings.final_newline, FinalNewline::Ensure);
    assert_eq!(settings.watch_backend, WatchBackend::Notify);
    assert_eq!(settings.watch_reap_after, Some(Duration::from_secs(12 * 3600)));
    assert_eq!(settings.idle_exit, Some(Duration::from_secs(1800)));
    assert_eq!(settings.log_level, LogLevel::Debug);
    assert_eq!(settings.mcp_approvals, McpApprovals::Wait);
    assert_eq!(settings.limits.approval_wait, 30_000);
    let limits = settings.limits;
    assert_eq!((limits.input, limits.max_file_size, limits.blocks), (60 << 20, 20 << 20, 1));
    assert_eq!((limits.actions, limits.max_results, limits.grep_line), (20_000, 5, 4 << 10));
    assert_eq!((limits.planned_bytes, limits.result_bytes), (1 << 30, 1 << 20));
    assert_eq!((limits.request_frame, limits.connections), (256 << 20, 12));
    assert_eq!((limits.in_flight_requests, limits.in_flight_bytes), (8, 64 << 20));
}

#[test]
fn the_daemon_may_stay_for_ever() {
    assert_eq!(resolved(&[user("daemon: {idle_exit: never}")]).idle_exit, None);
    assert_eq!(resolved(&[user("watch: {reap_after: never}")]).watch_reap_after, None);
    assert_eq!(Settings::default().watch_reap_after, Some(Duration::from_secs(5 * 86_400)));
}

#[test]
fn unknown_keys_are_told_with_their_place_and_the_nearest_name() {
    for (text, expected) in [
        ("durabilty: full", "user.yaml:1:1: `durabilty` is not a key. Perhaps you mean `durability`."),
        (
            "limits:\n  input: 5MB\n  max_filesize: 5MB",
            "user.yaml:3:3: `limits.max_filesize` is not a key. Perhaps you mean `limits.max_file_size`.",
        ),
        ("stgae:\n  dir: /x", "user.yaml:1:1: `stgae` is not a key. Perhaps you mean `stage`."),
        ("\nqqq: 1", "user.yaml:2:1: `qqq` is not a key. `clada config --default` lists every key."),
        ("1: 2", "user.yaml:1:1: `1` is not a key. `clada config --default` lists every key."),
        ("<<: {a: 1}", "user.yaml:1:1: `<<` is not a key. `clada config --default` lists every key."),
        (
            "limits: {connections: 3}",
            "user.yaml:1:10: `limits.connections` is not a key. It is called `daemon.connections`.",
        ),
        (
            "limits.input: 5MB",
            "user.yaml:1:1: `limits.input` is two keys in one. Write `input:` on a separate line below \
             `limits:`, indented.",
        ),
        (
            "\"\\e[31m\": 1",
            "user.yaml:1:1: `\\u{1b}[31m` is not a key. `clada config --default` lists every key.",
        ),
    ] {
        let (settings, problem) = only_problem(&[user(text)]);
        assert_eq!(problem, expected);
        assert_eq!(settings.durability, Durability::Full);
    }
}

#[test]
fn duplicate_keys_are_reported_with_both_lines() {
    let text = "durability: full\nlimits:\n  input: 5MB\n  blocks: 3\n  input: 6MB\ndurability: fast\n";
    let problems = problems_of(&[user(text)]);
    assert_eq!(
        problems,
        [
            "user.yaml:6:1: `durability` is there twice, first on line 1. Remove one of them.",
            "user.yaml:5:3: `limits.input` is there twice, first on line 3. Remove one of them.",
        ]
    );
    let (_, problem) = only_problem(&[user("root_aliases: {/w: ., /w/: /x}")]);
    assert_eq!(problem, "user.yaml:1:23: `/w/` occurs twice in `root_aliases`. Remove one of them.");
}

#[test]
fn wrong_types_are_reported_with_what_is_expected() {
    // Each row is a file with the place and the message expected for it.
    for (text, expected) in [
        ("follow_symlinks: 1", ":1:18: `follow_symlinks` cannot be the number 1. Write `true` or `false`."),
        (
            "denied: '*.x'",
            ":1:9: `denied` cannot be `*.x`. Write a list of globs, such as `[\"**/private/**\"]`.",
        ),
        (
            "denied:",
            ":1:8: `denied` cannot be nothing. Write a list of globs, such as `[\"**/private/**\"]`.",
        ),
        (
            "ask: [a, b: c]",
            ":1:10: an entry of `ask` cannot be a section with keys. Write a list of globs, such as \
             `[\"**/private/**\"]`.",
        ),
        (
            "limits:\n  input: lots",
            ":2:10: `limits.input` cannot be `lots`. Write a size in bytes, kB, MB or GB, such as `50MB`.",
        ),
        (
            "limits:\n  blocks: 10MB",
            ":2:11: `limits.blocks` cannot be `10MB`. Write a whole number, such as `10000`.",
        ),
        (
            "limits:\n  blocks: 1.5",
            ":2:11: `limits.blocks` cannot be the number 1.5. Write a whole number, such as `10000`.",
        ),
        (
            "limits: 5",
            ":1:9: `limits` is a section and cannot be the number 5. Write its keys below it, indented.",
        ),
        ("durability: half", ":1:13: `durability` cannot be `half`. Write `full` or `fast`."),
        ("durability: [full]", ":1:13: `durability` cannot be a list. Write `full` or `fast`."),
        (
            "daemon:\n  idle_exit: 30",
            ":2:14: `daemon.idle_exit` cannot be the number 30. Write a time in s, m, h or d, such as `4h`, or \
             `never`.",
        ),
        (
            "allowed_roots: [x]",
            ":1:17: the folder `x` of `allowed_roots` is relative, and there is nothing that it could be relative to. Write it from `/` or `~/` on.",
        ),
        (
            "allowed_roots:\n  - /a\n  - /b/../c",
            ":3:5: the folder `/b/../c` of `allowed_roots` contains `..`. Write it without.",
        ),
        (
            "root_aliases: {/: .}",
            ":1:16: `/` of `root_aliases` is not an absolute folder below the root. Write made-up roots with what they mean, such as `{/workspace: .}`.",
        ),
        (
            "root_aliases: {/w: x}",
            ":1:20: the folder `x` of `root_aliases` is relative, and there is nothing that it could be relative to. Write it from `/` or `~/` on.",
        ),
        (
            "denied: ['[a']",
            ":1:10: the glob `[a` of `denied` is not one: unclosed character class; missing ']'. Write `*`, `?`, `**`, `[ab]` or `{a,b}`, and a backslash before what is meant literally.",
        ),
        (
            "denied: ['!a']",
            ":1:10: the glob `!a` of `denied` begins with `!`, which takes nothing back here. Leave out the glob that is too wide.",
        ),
        ("ask: ['']", ":1:7: the glob `` of `ask` matches nothing. Remove it."),
        (
            "csl: {start: 'a b'}",
            ":1:14: `csl.start` cannot be `a b`. Write 1 to 64 bytes without blanks, quotes and control characters, such as `\"<---\"`.",
        ),
        ("dialects: {enabled: [shamm]}", ":1:22: there is no dialect `shamm`. Perhaps you mean `sham`."),
        ("- a", ":  it is a list, not keys with values. Write lines such as `durability: full`."),
    ] {
        let (settings, problem) = only_problem(&[user(text)]);
        assert_eq!(
            problem.replacen("user.yaml: ", "user.yaml:  ", 1),
            format!("user.yaml{expected}"),
            "{text}"
        );
        assert_eq!(settings, Settings::default(), "{text}");
    }
}

#[test]
fn limits_have_a_range() {
    for limit in Limit::ALL.iter().copied() {
        let (least, most) = limit.range();
        assert!((least..=most).contains(&limit.built_in()), "{limit:?}");
        assert_eq!(Limits::default().get(limit), limit.built_in());
        let (section, key) = limit.key().split_once('.').unwrap();
        let with = |value: u64| user(&format!("{section}: {{{key}: {}}}", show_limit(limit, value)));
        assert_eq!(resolved(&[with(least)]).limits.get(limit), least);
        assert_eq!(resolved(&[with(most)]).limits.get(limit), most);
        for value in [least - 1, most + 1] {
            let (settings, problem) = only_problem(&[with(value)]);
            assert!(problem.contains(&format!("`{}` cannot be ", limit.key())), "{problem}");
            assert!(problem.contains("Write something from "), "{problem}");
            assert_eq!(settings.limits, Limits::default());
        }
    }
    let (_, problem) = only_problem(&[user("daemon: {idle_exit: 10ms}")]);
    assert!(
        problem.contains("`daemon.idle_exit` cannot be 10ms. Write something from 1s to 365d"),
        "{problem}"
    );
}

#[test]
fn the_limits_are_those_of_the_specification() {
    let limits = Limits::default();
    assert_eq!((limits.input, limits.max_file_size, limits.planned_bytes), (50 << 20, 10 << 20, 256 << 20));
    assert_eq!((limits.blocks, limits.actions, limits.max_results), (10_000, 10_000, 10_000));
    assert_eq!((limits.grep_line, limits.result_bytes, limits.request_frame), (2 << 10, 16 << 20, 128 << 20));
    assert_eq!((limits.connections, limits.in_flight_requests, limits.in_flight_bytes), (256, 64, 128 << 20));
    assert_eq!((limits.command_time, limits.command_output), (30_000, 10 << 20));
    assert_eq!((limits.record_max_file, limits.record_max_bytes), (16 << 20, 512 << 20));
    assert_eq!(limits.bounds(), clada_dialects::Bounds::default());
}

#[test]
fn the_default_globs_hold_those_of_the_specification() {
    let settings = Settings::default();
    for glob in ["**/.ssh/**", "/etc/**", "/sys/**", "/proc/**"] {
        assert!(settings.denied.iter().any(|denied| denied == glob), "{glob}");
    }
    let ask = [".vscode/tasks.json", ".envrc", ".husky/**", ".github/workflows/**", ".cargo/config.toml"];
    for glob in ask {
        assert!(settings.ask.iter().any(|ask| ask == glob), "{glob}");
    }
    for glob in [".env*", "*.tfvars", "credentials.json"] {
        assert!(settings.secret_globs.iter().any(|secret| secret == glob), "{glob}");
    }
}

#[test]
fn the_user_replaces_lists_and_is_replaced_by_later_layers() {
    let settings = resolved(&[user("denied: []\nask: [a, b, a]"), user("ask: [c]")]);
    assert!(settings.denied.is_empty());
    assert_eq!(settings.ask, ["c"]);
    assert_eq!(settings.origins(Key::Ask), [Origin::User("user.yaml".into())]);
    assert_eq!(settings.origins(Key::SecretGlobs), [Origin::Default]);
}

#[test]
fn syntax_errors_have_their_place() {
    for (text, place) in [
        ("denied: [a", ":2:1: "),
        ("a: b: c", ":1:5: "),
        ("denied: [*nobody]", ":1:10: "),
        ("durability: !full x", ":1:13: "),
        ("\tdurability: full", ":1:1: "),
    ] {
        let (_, problem) = only_problem(&[user(text)]);
        assert!(problem.starts_with(&format!("user.yaml{place}it cannot be read as YAML: ")), "{problem}");
        assert!(!problem.contains(" at line "), "{problem}");
    }
    let (_, problem) = only_problem(&[user("a: 1\n---\nb: 2\n")]);
    assert!(problem.contains("more than one document"), "{problem}");
}

#[test]
fn only_so_many_problems_are_listed() {
    let text: String = (0..100).map(|index| format!("key{index}: 1\n")).collect();
    let problems = problems_of(&[user(&text)]);
    assert_eq!(problems.len(), 17);
    assert_eq!(problems[16], "user.yaml: there are 84 more problems. Mend those above first.");
    assert!(problems[15].starts_with("user.yaml:16:1: "));
}

#[test]
fn a_project_and_its_user_may_each_refuse_plain_answers() {
    let (refuse, ask) = ("apply: {plain: refuse}", "apply: {plain: ask}");
    assert_eq!(resolved(&[]).apply_plain, ApplyPlain::Ask);
    for layers in [vec![user(refuse)], vec![project(refuse)], vec![user(ask), project(refuse)]] {
        assert_eq!(resolved(&layers).apply_plain, ApplyPlain::Refuse);
    }
    let (settings, _) = resolve(&[user(refuse), project(ask)]);
    assert_eq!(settings.apply_plain, ApplyPlain::Refuse);
}

#[test]
fn what_an_apply_shows() {
    assert_eq!(resolved(&[]).apply_show, ApplyShow::Stat);
    for layer in [user("apply: {show: diff}"), project("apply: {show: diff}")] {
        assert_eq!(resolved(&[layer]).apply_show, ApplyShow::Diff);
    }
}

#[test]
fn what_commits_are_like() {
    let text = "git: {mode: refs, before: all, author: Ada <ada@x>, commit_message_format: \"x {operation_summary}\"}";
    let settings = resolved(&[user(text)]);
    assert_eq!((settings.git_mode, settings.git_before), (GitMode::Refs, GitBefore::All));
    assert_eq!(
        (settings.git_author.as_str(), settings.git_message.as_str()),
        ("Ada <ada@x>", "x {operation_summary}")
    );
    assert_eq!(resolved(&[user("git: {mode: off}")]).git_mode, GitMode::Off);
}
