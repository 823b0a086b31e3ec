//! The output of `config.show` and `config --default`.

use serde_json::{Value, json};

use super::super::*;
use super::{project, resolved, user};

/// Returns `settings` without their origins.
fn bare(settings: &Settings) -> Settings {
    Settings { origins: Default::default(), ..settings.clone() }
}

#[test]
fn the_default_file_changes_nothing_and_names_every_key() {
    let text = defaults_yaml();
    let settings = resolved(&[user(&text)]);
    assert_eq!(bare(&settings), Settings::default());
    for key in Key::all() {
        assert_eq!(settings.origins(key), [Origin::User("user.yaml".into())], "{}", key.name());
    }
    assert!(text.lines().all(|line| line.len() <= 110), "{text}");
    assert!(text.contains("\nlimits:\n  # Actions in an answer, over all of its blocks.\n"), "{text}");
    assert!(text.contains("\n  max_file_size: 10MB\n"), "{text}");
}

#[test]
fn every_setting_is_shown_with_its_origin() {
    let layers = [
        user("limits: {input: 20MB, blocks: 7}\nroot_aliases: {/w: .}"),
        project("limits: {input: 10000000}\nask: [x]"),
        Layer::environment(&[("CLADA_DURABILITY".to_owned(), Some("fast".to_owned()))], None),
    ];
    let shown = show::settings(&resolved(&layers));
    let keys: Vec<&str> = shown.iter().map(|setting| setting.key.as_str()).collect();
    assert!(keys.is_sorted());
    assert_eq!(keys.len(), Key::all().len());
    let find = |key: &str| {
        let setting = shown.iter().find(|setting| setting.key == key).unwrap();
        (setting.value.clone(), setting.origin.clone())
    };
    let is = |value: Value, origin: &str| (value, origin.to_owned());
    assert_eq!(find("limits.input"), is(json!(10_000_000), "project.yaml"));
    assert_eq!(find("limits.blocks"), is(json!(7), "user.yaml"));
    assert_eq!(find("limits.max_file_size"), is(json!("10MB"), "default"));
    assert_eq!(find("durability"), is(json!("fast"), "CLADA_DURABILITY"));
    assert_eq!(find("root_aliases"), is(json!({"/w": "."}), "user.yaml"));
    assert_eq!(find("daemon.idle_exit"), is(json!("4h"), "default"));
    assert_eq!(find("dialects.enabled"), is(json!(clada_dialects::Dialect::AUTO), "default"));
    assert_eq!(find("ask").1, "default + project.yaml");
}

#[test]
fn what_is_shown_can_be_pasted() {
    let layer = user(
        "limits: {input: 1234567}\nroot_aliases: {/w: /x}\nallowed_roots: [/a]\ndaemon: {idle_exit: 90s}",
    );
    let settings = resolved(&[layer]);
    let overrides: Vec<Override> = show::settings(&settings)
        .into_iter()
        .map(|setting| {
            let value = setting.value.as_str().map_or_else(|| setting.value.to_string(), str::to_owned);
            Override { flag: "--x".to_owned(), key: setting.key, value }
        })
        .collect();
    assert_eq!(bare(&resolved(&[Layer::flags(&overrides, None)])), bare(&settings));
}
