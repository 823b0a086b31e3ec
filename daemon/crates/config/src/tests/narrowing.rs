//! A project's file may only narrow.

use clada_dialects::Dialect;
use proptest::prelude::*;

use super::super::kinds::show_limit;
use super::super::resolve::{Trust, resolve_all};
use super::super::*;
use super::{only_problem, project, resolved, user};

#[test]
fn a_project_adds_to_lists() {
    let text = "denied: [a, /etc/**]\nsecrets: {globs: [b]}\nask: [c]\n";
    let settings = resolved(&[user("denied: [x]"), project(text)]);
    assert_eq!(settings.denied, ["x", "a", "/etc/**"]);
    assert_eq!(settings.secret_globs.last().unwrap(), "b");
    assert_eq!(settings.secret_globs.len(), defaults::SECRETS.len() + 1);
    assert_eq!(settings.ask.last().unwrap(), "c");
    let origins = [Origin::User("user.yaml".into()), Origin::Project("project.yaml".into())];
    assert_eq!(settings.origins(Key::Denied), origins);
}

#[test]
fn an_empty_list_of_a_project_takes_nothing_away() {
    let text = "denied: []\nsecrets: {globs: []}\nask: []\n";
    assert_eq!(resolved(&[project(text)]), Settings::default());
}

#[test]
fn a_project_sets_what_does_no_harm() {
    let settings = resolved(&[project("sham: {paths: absolute}\nwrite: {final_newline: ensure}")]);
    assert_eq!(settings.sham_paths, ShamPaths::Absolute);
    assert_eq!(settings.final_newline, FinalNewline::Ensure);
    assert_eq!(settings.origins(Key::ShamPaths), [Origin::Project("project.yaml".into())]);
}

#[test]
fn a_project_switches_dialects_off() {
    assert!(resolved(&[project("dialects: {enabled: []}")]).dialects.is_empty());
    let only_sham = resolved(&[project("dialects: {enabled: [sham]}")]);
    assert_eq!(only_sham.dialects, [Dialect::Sham]);
    assert!(!only_sham.may_be_named(Dialect::Csl) && !only_sham.may_be_named(Dialect::WholeFile));
    assert!(Settings::default().may_be_named(Dialect::WholeFile));
    let all = resolved(&[user(&defaults_yaml())]);
    assert!(all.may_be_named(Dialect::WholeFile) && !all.dialects.contains(&Dialect::WholeFile));
    let layers = [user("dialects: {enabled: []}"), project("dialects: {enabled: [sham]}")];
    let (settings, problem) = only_problem(&layers);
    assert!(settings.dialects.is_empty());
    assert!(problem.starts_with("project.yaml:1:21: the dialect `sham` stays off. "), "{problem}");
}

#[test]
fn a_project_lowers_limits() {
    let projects = Limit::ALL.iter().filter(|limit| limit.scope() == Scope::Project);
    for limit in projects {
        let (section, key) = limit.key().split_once('.').unwrap();
        let least = limit.range().0;
        let shown = show_limit(*limit, least);
        let settings = resolved(&[project(&format!("{section}: {{{key}: {shown}}}"))]);
        assert_eq!(settings.limits.get(*limit), least);
    }
    let layers = [user("limits: {input: 900MB}"), project("limits: {input: 800MB}")];
    assert_eq!(resolved(&layers).limits.input, 800 << 20);
}

#[test]
fn a_project_that_is_less_strict_than_the_user_is_only_noted() {
    let layers = [user("limits: {input: 2MB}"), project("limits:\n  input: 5MB")];
    let (settings, problems) = resolve(&layers);
    assert_eq!(settings.limits.input, 2 << 20);
    assert!(!problems[0].is_error());
    let text = problems[0].to_string();
    assert!(
        text.starts_with("project.yaml:2:10: `limits.input` stays at 2MB, because 5MB would be more."),
        "{text}"
    );
}

#[test]
fn whatever_widens_waits_for_trust_with_its_line() {
    for (text, line, message) in [
        ("\nallowed_roots: [/]", 2, "a project cannot set `allowed_roots`"),
        ("root_aliases: {/w: /}", 1, "a project cannot set `root_aliases`"),
        ("paths: {made_up_roots: accept}", 1, "a project cannot set `paths.made_up_roots`"),
        ("follow_symlinks: true", 1, "a project cannot set `follow_symlinks`"),
        ("\n\ndurability: fast", 3, "a project cannot set `durability`"),
        ("exec: {approval: sandboxed}", 1, "a project cannot set `exec.approval`"),
        ("exec: {ask_after_edit: off}", 1, "a project cannot set `exec.ask_after_edit`"),
        ("exec: {env: {A: b}}", 1, "a project cannot set `exec.env`"),
        ("exec: {inherit_env: true}", 1, "a project cannot set `exec.inherit_env`"),
        ("exec: {network: true}", 1, "a project cannot set `exec.network`"),
        ("exec: {sandbox: off}", 1, "a project cannot set `exec.sandbox`"),
        ("exec: {writable: [/]}", 1, "a project cannot set `exec.writable`"),
        ("git: {before: all}", 1, "a project cannot set `git.before`"),
        ("git: {author: \"Eve <e@x>\"}", 1, "a project cannot set `git.author`"),
        ("match: tolerant", 1, "a project cannot set `match`"),
        ("match: strict", 1, "a project cannot set `match`"),
        ("dialects: {enabled: [whole_file]}", 1, "a project can only switch dialects off"),
        ("limits:\n  input: 51MB", 2, "a project can only lower `limits.input`, and 51MB is more than 50MB"),
        (
            "limits:\n  max_file_size: 1GB",
            2,
            "a project can only lower `limits.max_file_size`, and 1GB is more",
        ),
        (
            "limits:\n  blocks: 10001",
            2,
            "a project can only lower `limits.blocks`, and 10001 is more than 10000",
        ),
        ("limits:\n  actions: 10001", 2, "a project can only lower `limits.actions`"),
        ("limits:\n  max_results: 10001", 2, "a project can only lower `limits.max_results`"),
        ("limits:\n  grep_line: 3kB", 2, "a project can only lower `limits.grep_line`"),
        ("limits:\n  planned_bytes: 257MB", 2, "a project can only lower `limits.planned_bytes`"),
        (
            "limits:\n  command_time: 31s",
            2,
            "a project can only lower `limits.command_time`, and 31s is more",
        ),
        ("limits:\n  command_output: 11MB", 2, "a project can only lower `limits.command_output`"),
        ("limits:\n  result_bytes: 17MB", 2, "a project can only lower `limits.result_bytes`"),
    ] {
        let (settings, problems) = resolve(&[project(text)]);
        assert_eq!(settings, Settings::default(), "{text}");
        assert_eq!(problems.len(), 1, "{problems:?}");
        let problem = &problems[0];
        assert!(!problem.is_error() && problem.awaits_trust());
        assert_eq!(problem.place.unwrap().line, line, "{text}");
        assert!(problem.message.starts_with(message), "{problem}");
        assert!(problem.advice.contains("`clada trust`"), "{problem}");
        assert!(problem.key.is_some());
        // With trust it is in force, and there is no problem left.
        let (trusted, problems) = resolve_all(&[&project(text)], Trust::Granted);
        assert_ne!(trusted, Settings::default(), "{text}");
        assert_eq!(problems, []);
    }
}

#[test]
fn what_concerns_the_daemon_is_no_project_s_with_or_without_trust() {
    for (text, key) in [
        ("daemon: {idle_exit: never}", "daemon.idle_exit"),
        ("daemon: {log_level: trace}", "daemon.log_level"),
        ("daemon: {connections: 1}", "daemon.connections"),
        ("history: {keep: 20}", "history.keep"),
        ("socket: {foreign_namespaces: agent}", "socket.foreign_namespaces"),
        ("mcp: {approvals: wait}", "mcp.approvals"),
        ("mcp: {approval_wait: 1m}", "mcp.approval_wait"),
        ("limits: {total_bytes: 64MB}", "limits.total_bytes"),
        ("limits: {request_frame: 1MB}", "limits.request_frame"),
        ("limits: {in_flight_requests: 1}", "limits.in_flight_requests"),
        ("limits: {in_flight_bytes: 1MB}", "limits.in_flight_bytes"),
    ] {
        for trust in [Trust::Withheld, Trust::Granted] {
            let (settings, problems) = resolve_all(&[&project(text)], trust);
            assert_eq!(settings, Settings::default(), "{text}");
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(problems[0].is_error() && problems[0].message == format!("a project cannot set `{key}`"));
            assert!(problems[0].advice.contains("the user's own configuration"), "{}", problems[0]);
        }
    }
}

#[test]
fn a_project_may_be_stricter_with_what_it_cannot_widen() {
    let loose = "follow_symlinks: true\ndurability: fast\nexec:\n  approval: sandboxed\n  ask_after_edit: off\n  inherit_env: true\n  network: true\n  sandbox: off\n";
    let strict = "follow_symlinks: false\ndurability: full\nexec:\n  approval: ask\n  ask_after_edit: auto\n  inherit_env: false\n  network: false\n  sandbox: require\n";
    let settings = resolved(&[user(loose), project(strict)]);
    let wanted = Settings { exec_sandbox: SandboxChoice::Require, ..Settings::default() };
    assert_eq!(Settings { origins: Default::default(), ..settings }, wanted);
    assert_eq!(resolved(&[user(loose), project(loose)]).exec_sandbox, SandboxChoice::Off);
}

#[test]
fn regression_a_project_overrides_nothing_that_the_user_has_set_of_git() {
    let users = "match: exact\ngit:\n  mode: off\n  before: touched\n  author: Me <me@x>\n  commit_message_format: mine\n";
    let projects = "match: tolerant\ngit:\n  mode: branch\n  before: all\n  author: Eve <e@x>\n  commit_message_format: hers\n";
    let (settings, problems) = resolve(&[user(users), project(projects)]);
    assert_eq!(settings, resolved(&[user(users)]));
    assert_eq!(problems.len(), 5, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.awaits_trust() && !problem.is_error()));
    // A default that the user has written down is a choice, too.
    let (settings, problems) = resolve(&[user("git: {mode: branch}"), project("git: {mode: refs}")]);
    assert_eq!((settings.git_mode, problems.len()), (GitMode::Branch, 1));
    let (settings, problems) = resolve_all(&[&user(users), &project(projects)], Trust::Granted);
    assert_eq!((settings.git_mode, settings.git_before, problems), (GitMode::Branch, GitBefore::All, vec![]));
}

#[test]
fn a_project_may_commit_less_than_the_default() {
    let text = "match: exact\ngit: {mode: refs, commit_message_format: \"chore: {operation_summary}\"}";
    let settings = resolved(&[project(text)]);
    assert_eq!((settings.git_mode, settings.matching), (GitMode::Refs, Matching::Exact));
    assert_eq!(settings.git_message, "chore: {operation_summary}");
    assert_eq!(resolved(&[project("git: {mode: off}")]).git_mode, GitMode::Off);
}

#[test]
fn trust_takes_no_denial_away() {
    let text = "denied: [a]\nsecrets: {globs: []}\nask: []\nallowed_roots: [/srv]\n";
    let (settings, problems) = resolve_all(&[&user("denied: [x]"), &project(text)], Trust::Granted);
    assert_eq!(problems, []);
    assert_eq!(settings.denied, ["x", "a"]);
    assert_eq!(settings.secret_globs, Settings::default().secret_globs);
    assert_eq!(settings.ask, Settings::default().ask);
    assert_eq!(settings.allowed_roots, [std::path::PathBuf::from("/srv")]);
}

/// Generates a key, and values for it that may or may not suit a project.
fn setting() -> impl Strategy<Value = (&'static str, &'static str, String)> {
    let globs =
        proptest::collection::vec(prop::sample::select(vec!["a", "*.b", "/etc/**", ".env*", ".envrc"]), 0..4)
            .prop_map(|globs| format!("{globs:?}"));
    let plain = prop::sample::select(vec![
        ("", "follow_symlinks", "true"),
        ("", "follow_symlinks", "false"),
        ("", "durability", "fast"),
        ("", "allowed_roots", "[/srv]"),
        ("", "root_aliases", "{/w: .}"),
        ("paths", "made_up_roots", "accept"),
        ("paths", "made_up_roots", "hint"),
        ("", "match", "strict"),
        ("sham", "paths", "absolute"),
        ("sham", "paths", "any"),
        ("write", "final_newline", "ensure"),
        ("dialects", "enabled", "[]"),
        ("dialects", "enabled", "[sham]"),
        ("csl", "start", "<<"),
        ("watch", "backend", "notify"),
        ("watch", "reap_after", "1s"),
        ("daemon", "idle_exit", "1s"),
        ("daemon", "log_level", "off"),
        ("mcp", "approvals", "wait"),
    ]);
    // Values around each bound: a wrong comparison shows there.
    let limit =
        (prop::sample::select(Limit::ALL), any::<prop::sample::Index>()).prop_map(|(limit, index)| {
            let (section, key) = limit.key().split_once('.').unwrap();
            let (least, most) = limit.range();
            let built_in = limit.built_in();
            let values =
                [least, built_in / 2, built_in - 1, built_in, built_in + 1, built_in * 2, most, most + 1];
            (section, key, show_limit(limit, *index.get(&values)))
        });
    prop_oneof![
        plain.prop_map(|(section, key, value)| (section, key, value.to_owned())),
        limit,
        (prop::sample::select(vec![("", "denied"), ("secrets", "globs"), ("", "ask")]), globs)
            .prop_map(|((section, key), globs)| (section, key, globs)),
    ]
}

/// Generates a file of such settings, each key once at most.
fn file() -> impl Strategy<Value = String> {
    proptest::collection::vec(setting(), 0..12).prop_map(|settings| {
        let mut sections: std::collections::BTreeMap<&str, std::collections::BTreeMap<&str, String>> =
            std::collections::BTreeMap::new();
        for (section, key, value) in settings {
            sections.entry(section).or_default().insert(key, value);
        }
        let mut text = String::new();
        for (section, entries) in sections {
            if !section.is_empty() {
                text.push_str(&format!("{section}:\n"));
            }
            let indent = if section.is_empty() { "" } else { "  " };
            for (key, value) in entries {
                text.push_str(&format!("{indent}{key}: {value}\n"));
            }
        }
        text
    })
}

fn assert_narrower(without: &Settings, with: &Settings) -> Result<(), TestCaseError> {
    for limit in Limit::ALL.iter().copied() {
        prop_assert!(with.limits.get(limit) <= without.limits.get(limit), "{}", limit.key());
        if limit.scope() == Scope::Daemon {
            prop_assert_eq!(with.limits.get(limit), without.limits.get(limit));
        }
    }
    let lists = [
        (&without.denied, &with.denied),
        (&without.secret_globs, &with.secret_globs),
        (&without.ask, &with.ask),
    ];
    for (without, with) in lists {
        prop_assert!(without.iter().all(|glob| with.contains(glob)));
    }
    prop_assert!(with.dialects.iter().all(|dialect| without.dialects.contains(dialect)));
    prop_assert_eq!(&with.allowed_roots, &without.allowed_roots);
    prop_assert_eq!(&with.root_aliases, &without.root_aliases);
    let accepts = |settings: &Settings| settings.made_up_roots == MadeUpRoots::Accept;
    prop_assert!(accepts(with) <= accepts(without));
    prop_assert!(with.follow_symlinks <= without.follow_symlinks);
    let asks = |settings: &Settings| settings.apply_plain == ApplyPlain::Ask;
    prop_assert!(asks(with) <= asks(without));
    // Full durability costs time and is always safe.
    prop_assert!(with.durability == Durability::Full || with.durability == without.durability);
    prop_assert_eq!(with.idle_exit, without.idle_exit);
    prop_assert_eq!(with.foreign_namespaces, without.foreign_namespaces);
    prop_assert_eq!(with.mcp_approvals, without.mcp_approvals);
    prop_assert_eq!(with.watch_backend, without.watch_backend);
    prop_assert_eq!(with.watch_reap_after, without.watch_reap_after);
    prop_assert_eq!(with.log_level, without.log_level);
    Ok(())
}

proptest! {
    #[test]
    fn a_project_never_widens(users in file(), projects in file(), block in any::<prop::sample::Index>()) {
        let variable = ("CLADA_LIMITS_BLOCKS".to_owned(), Some(block.get(&["5", "9000", "20000"]).to_string()));
        let environment = Layer::environment(&[variable], None);
        let layers = [user(&users), project(&projects)];
        assert_narrower(&resolve(&layers[..1]).0, &resolve(&layers).0)?;
        let [users, projects] = layers;
        let without = resolve(&[users.clone(), environment.clone()]).0;
        assert_narrower(&without, &resolve(&[users, projects, environment]).0)?;
    }

    #[test]
    fn resolving_is_repeatable_and_ranges_hold(users in file(), projects in file()) {
        let layers = [user(&users), project(&projects)];
        let (settings, problems) = resolve(&layers);
        prop_assert_eq!(resolve(&layers), (settings.clone(), problems));
        for limit in Limit::ALL.iter().copied() {
            let (least, most) = limit.range();
            prop_assert!((least..=most).contains(&settings.limits.get(limit)));
        }
    }
}

#[test]
fn a_project_may_set_what_is_embedded() {
    let text = "embed:\n  max_files_per_directory: 7\n  excluded_directories: [build/]\n  excluded_extensions: [.LOG]\n  error_handling_mode: strict\n";
    let (settings, problems) = resolve(&[project(text)]);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(settings.embed_max_files, Some(7));
    assert_eq!(settings.embed_directories, ["build"]);
    assert_eq!(settings.embed_extensions, ["LOG"]);
    assert_eq!(settings.embed_max_file_size_kb, 1024);
}

#[test]
fn what_makes_no_sense_for_embed_is_refused() {
    for text in [
        "embed: {max_file_size_kb: 0}",
        "embed: {max_file_size_kb: 1048576}",
        "embed: {excluded_directories: [a/b]}",
        "embed: {excluded_extensions: ['*.o']}",
        "embed: {error_handling_mode: lenient}",
        "embed: {tokenizer: gpt2}",
    ] {
        let (settings, problems) = resolve(&[user(text)]);
        assert_eq!(problems.len(), 1, "{text}");
        assert_eq!(settings, Settings::default(), "{text}");
    }
}

#[test]
fn the_stricter_word_about_plain_answers_counts_with_or_without_trust() {
    for trust in [Trust::Withheld, Trust::Granted] {
        for (users, projects, expected) in [
            ("refuse", "ask", ApplyPlain::Refuse),
            ("ask", "refuse", ApplyPlain::Refuse),
            ("ask", "ask", ApplyPlain::Ask),
        ] {
            let layers = [
                user(&format!("apply: {{plain: {users}}}")),
                project(&format!("apply: {{plain: {projects}}}")),
            ];
            let (settings, _) = resolve_all(&layers.each_ref(), trust);
            assert_eq!(settings.apply_plain, expected, "{users} {projects}");
        }
    }
}
