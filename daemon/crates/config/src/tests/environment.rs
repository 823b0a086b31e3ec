//! The environment, the flags, and the settings of a request.

use std::path::Path;

use super::super::*;
use super::{HOME, only_problem, problems_of, project, resolved, user};

fn environment(variables: &[(&str, &str)]) -> Layer {
    let owned: Vec<_> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))).collect();
    Layer::environment(&owned, Some(Path::new(HOME)))
}

fn flag(key: &str, value: &str) -> Layer {
    let given = Override { flag: format!("--{key}"), key: key.to_owned(), value: value.to_owned() };
    Layer::flags(&[given], Some(Path::new(HOME)))
}

#[test]
fn every_key_has_a_variable() {
    assert_eq!(Key::Limit(Limit::MaxFileSize).variable(), "CLADA_LIMITS_MAX_FILE_SIZE");
    assert_eq!(Key::Durability.variable(), "CLADA_DURABILITY");
    assert_eq!(Key::Limit(Limit::Connections).variable(), "CLADA_DAEMON_CONNECTIONS");
    let mut variables: Vec<String> = Key::all().into_iter().map(Key::variable).collect();
    variables.sort();
    let count = variables.len();
    variables.dedup();
    assert_eq!(variables.len(), count);
}

#[test]
fn values_are_written_as_text_or_as_yaml() {
    let settings = resolved(&[environment(&[
        ("CLADA_LIMITS_MAX_FILE_SIZE", "5MB"),
        ("CLADA_LIMITS_BLOCKS", "12"),
        ("CLADA_FOLLOW_SYMLINKS", "true"),
        ("CLADA_DENIED", "**/private/**"),
        ("CLADA_ASK", "['a,b', \"{c,d}/**\"]"),
        ("CLADA_SECRETS_GLOBS", "[]"),
        ("CLADA_ROOT_ALIASES", "{/workspace: ~/w}"),
        ("CLADA_DAEMON_IDLE_EXIT", "never"),
        ("CLADA_DURABILITY", ""),
    ])]);
    assert_eq!((settings.limits.max_file_size, settings.limits.blocks), (5 << 20, 12));
    assert!(settings.follow_symlinks);
    assert_eq!(settings.denied, ["**/private/**"]);
    assert_eq!(settings.ask, ["a,b", "{c,d}/**"]);
    assert!(settings.secret_globs.is_empty());
    assert_eq!(settings.root_aliases["/workspace"], AliasTarget::Folder("/home/ada/w".into()));
    assert_eq!(settings.idle_exit, None);
    assert_eq!(settings.origins(Key::Denied), [Origin::Environment("CLADA_DENIED".to_owned())]);
    assert_eq!(settings.origins(Key::Durability), [Origin::Default]);
}

#[test]
fn a_value_that_is_none_names_its_variable() {
    for (name, value, expected) in [
        (
            "CLADA_LIMITS_INPUT",
            "lots",
            "CLADA_LIMITS_INPUT: `limits.input` cannot be `lots`. Write a size in bytes, kB, MB or GB, such as `50MB`.",
        ),
        ("CLADA_DURABILITY", "1", "CLADA_DURABILITY: `durability` cannot be `1`. Write `full` or `fast`."),
        (
            "CLADA_DENIED",
            "[a",
            "CLADA_DENIED: it cannot be read as YAML: did not find expected ',' or ']'. Write it as in the file, \
             for example `[\"a\", \"b\"]`.",
        ),
    ] {
        let (settings, problem) = only_problem(&[environment(&[(name, value)])]);
        assert_eq!(problem, expected);
        assert_eq!(settings, Settings::default());
    }
    let not_text = Layer::environment(&[("CLADA_DURABILITY".to_owned(), None)], None);
    let (_, problem) = only_problem(&[not_text]);
    assert_eq!(problem, "CLADA_DURABILITY: it is not UTF-8. Unset it, or write it as text.");
}

#[test]
fn names_that_are_no_key_are_left_alone() {
    let layer = environment(&[
        ("CLADA_SOCKET", "/run/x"),
        ("CLADA_DAEMON", "/usr/bin/clada-daemon"),
        ("CLADA_CONFORMANCE", "1"),
        ("CLADA_LOG", "debug"),
        ("CLADA_TEST", "1"),
        ("PATH", "/bin"),
        ("DURABILITY", "fast"),
    ]);
    assert_eq!(resolved(&[layer]), Settings::default());
}

#[test]
fn a_slip_in_a_name_is_noted_and_blocks_nothing() {
    let layer = environment(&[("CLADA_LIMIT_INPUT", "5MB")]);
    assert!(layer.is_sound());
    assert_eq!(
        problems_of(&[layer]),
        ["CLADA_LIMIT_INPUT: it sets nothing. Perhaps you mean `CLADA_LIMITS_INPUT`."]
    );
}

#[test]
fn later_layers_win() {
    let limit = |settings: &Settings| settings.limits.max_file_size >> 20;
    let layers = [
        user("limits: {max_file_size: 8MB}"),
        project("limits: {max_file_size: 6MB}"),
        environment(&[("CLADA_LIMITS_MAX_FILE_SIZE", "7MB")]),
        flag("limits.max_file_size", "9MB"),
    ];
    let expected = [10, 8, 6, 7, 9];
    for count in 0..=layers.len() {
        assert_eq!(limit(&resolved(&layers[..count])), expected[count]);
    }
    let origin = resolved(&layers).origins(Key::Limit(Limit::MaxFileSize)).to_vec();
    assert_eq!(origin, [Origin::Flag("--limits.max_file_size".to_owned())]);
}

#[test]
fn a_flag_that_is_no_key_is_an_error() {
    let layer = flag("durabilty", "fast");
    assert!(!layer.is_sound());
    let (_, problem) = only_problem(&[layer]);
    assert_eq!(problem, "--durabilty: `durabilty` is not a key. Perhaps you mean `durability`.");
}

#[test]
fn the_users_file_is_where_xdg_says() {
    let inputs = |variables: &[(&str, &str)]| {
        Inputs::from_environment(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    };
    let file = |variables: &[(&str, &str)]| inputs(variables).user_file;
    let path = |path: &str| Some(std::path::PathBuf::from(path));
    assert_eq!(file(&[("HOME", "/home/ada")]), path("/home/ada/.config/clada/config.yaml"));
    assert_eq!(file(&[("HOME", "/home/ada"), ("XDG_CONFIG_HOME", "/x")]), path("/x/clada/config.yaml"));
    assert_eq!(file(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "x")]), path("/h/.config/clada/config.yaml"));
    assert_eq!(file(&[("HOME", "h"), ("XDG_CONFIG_HOME", "")]), None);
    let taken = inputs(&[("CLADA_ASK", "a"), ("PATH", "/bin"), ("HOME", "/h")]);
    assert_eq!(taken.environment, [("CLADA_ASK".to_owned(), Some("a".to_owned()))]);
    assert_eq!(taken.home, path("/h"));
}

/// Returns what a request with these settings sees of an otherwise empty configuration.
fn called(settings: serde_json::Value) -> (Result<Settings, ConfigError>, Vec<String>) {
    let store = ConfigStore::new(Inputs { home: Some(HOME.into()), ..Inputs::default() });
    let settings: clada_protocol::method::CallSettings = serde_json::from_value(settings).unwrap();
    let call = store.for_call(&settings);
    (call.current(None).map(|settings| (*settings).clone()), call.warnings(None))
}

#[test]
fn a_request_has_settings_by_key_or_by_variable() {
    let (settings, warnings) = called(serde_json::json!({
        "CLADA_GIT_MODE": "refs",
        "limits.max_results": 7,
        "follow_symlinks": true,
        "denied": ["a", "b"],
        "exec.env": { "A": "b" },
        "exec.writable": "~/out",
        "CLADA_CONFORMANCE": "/x",
    }));
    let settings = settings.unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!((settings.git_mode, settings.limits.max_results), (GitMode::Refs, 7));
    assert_eq!((settings.follow_symlinks, settings.denied.join(" ")), (true, "a b".to_owned()));
    assert_eq!(settings.exec_env["A"], "b");
    assert_eq!(settings.exec_writable, [Path::new(HOME).join("out")]);
    let origins = |name: &str| settings.origins(Key::from_name(name).unwrap())[0].to_string();
    assert_eq!(
        (origins("git.mode"), origins("denied")),
        ("CLADA_GIT_MODE".to_owned(), "settings".to_owned())
    );
}

#[test]
fn what_is_the_daemons_and_what_is_wrong_is_told() {
    let of_daemon = Key::all().into_iter().filter(|key| key.is_of_daemon());
    let names: Vec<&str> = of_daemon.map(Key::name).collect();
    for name in ["daemon.connections", "daemon.idle_exit", "daemon.log_level", "limits.total_bytes"] {
        assert!(names.contains(&name), "{name}");
    }
    for name in names {
        let error = called(serde_json::json!({ name: "1" })).0.unwrap_err().to_string();
        assert!(error.contains(&format!("settings: `{name}` is the daemon's")), "{error}");
        // A client hands on what it finds, and cannot know.
        let (settings, warnings) = called(serde_json::json!({ super::super::keys::variable(name): "1" }));
        assert!(settings.is_ok() && warnings.len() == 1, "{warnings:?}");
    }
    for (settings, expected) in [
        (serde_json::json!({ "CLADA_MATCH": "x" }), "CLADA_MATCH: `match` cannot be `x`"),
        (serde_json::json!({ "mtach": "x" }), "settings: `mtach` is not a key. Perhaps you mean `match`."),
        (serde_json::json!({ "match": null }), "settings: `match` cannot be `null`"),
    ] {
        let error = called(settings).0.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
