//! Formats the settings for users: with their origins for `config.show`, and as a file with every key and its
//! default. Values are written as in a file, so that users can paste them into one.

use clada_protocol::Setting;
use serde_json::Value;

use super::problem::Origin;
use super::settings::{Key, ProjectMay, Settings, value};

pub(super) fn settings(settings: &Settings) -> Vec<Setting> {
    let built_in = Settings::default();
    let setting = |key: Key| {
        let (value, default) = (value(settings, key), value(&built_in, key));
        let origins: Vec<String> = settings.origins(key).iter().map(Origin::to_string).collect();
        let default = Some(default).filter(|default| *default != value);
        Setting { key: key.name().to_owned(), value, origin: origins.join(" + "), default }
    };
    Key::all().into_iter().map(setting).collect()
}

/// Returns a configuration file with every key, its meaning and its default. Used
/// unchanged, it has no effect.
#[must_use]
pub fn defaults_yaml() -> String {
    let header = "\
# Every key of clada's configuration, with its default.
# The user's file is ~/.config/clada/config.yaml; a project has .clada/config.yaml, which may only narrow:
# each key says what a project may do with it. CLADA_SECTION_KEY in the environment wins over both.
# Sizes: 512, 64kB, 10MB, 1GB (MB = 2^20). Times: 500ms, 30s, 10m, 4h, 5d.
";
    format!("{header}{}", keys_yaml(|_| true))
}

/// Returns a user's configuration file, with every key behind a `#`. Used unchanged, it has no effect.
#[must_use]
pub fn user_yaml() -> String {
    let header = "\
# What clada does for you in every project. Everything here is commented out and has its default; take the `# ` away
# from a key, and from the section above it, to change it, or let `clada config set KEY VALUE` do that.
# Sizes: 512, 64kB, 10MB, 1GB (MB = 2^20). Times: 500ms, 30s, 10m, 4h, 5d.
";
    format!("{header}{}", commented(&keys_yaml(|_| true)))
}

/// Returns a project's configuration file, with every key that a project may set behind a `#`. Used
/// unchanged, it has no effect.
#[must_use]
pub fn project_yaml() -> String {
    let header = "\
# What clada does in this project. Everything here is commented out and has its default; take the `# ` away from a key,
# and from the section above it, to change it. `clada config` shows what is in force.
";
    format!("{header}{}", commented(&keys_yaml(|key| key.project_may() != ProjectMay::Nothing)))
}

fn commented(keys: &str) -> String {
    let lines = keys.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("# {line}\n"),
    });
    lines.collect()
}

fn keys_yaml(is_shown: impl Fn(Key) -> bool) -> String {
    let settings = Settings::default();
    let mut text = String::new();
    // Keys without a section come first: after a section they would look like keys of that section.
    let (plain, sectioned): (Vec<Key>, Vec<Key>) =
        Key::all().into_iter().filter(|key| is_shown(*key)).partition(|key| !key.name().contains('.'));
    let mut open = "";
    for key in plain.into_iter().chain(sectioned) {
        text.push('\n');
        let (section, name) = key.name().split_once('.').unwrap_or(("", key.name()));
        if section != open {
            text.push_str(&format!("{section}:\n"));
            open = section;
        }
        let indent = if section.is_empty() { "" } else { "  " };
        text.push_str(&format!("{indent}# {}\n", key.help()));
        let choices = key.shape().choices;
        if !choices.is_empty() {
            text.push_str(&format!("{indent}# One of: {}.\n", choices.join(", ")));
        }
        let may = match key.project_may() {
            ProjectMay::Nothing => "",
            ProjectMay::SetWhenTrusted => "A project may set it if its file is trusted: clada trust.",
            ProjectMay::Add => "A project may add to it.",
            ProjectMay::Lower => "A project may lower it.",
            ProjectMay::SwitchOff => "A project may leave some out.",
            ProjectMay::Set => "A project may set it.",
        };
        if !may.is_empty() {
            text.push_str(&format!("{indent}# {may}\n"));
        }
        text.push_str(&format!("{indent}{name}:{}\n", written(&value(&settings, key), indent)));
    }
    text
}

fn written(value: &Value, indent: &str) -> String {
    match value {
        Value::Array(items) if !items.is_empty() => {
            items.iter().map(|item| format!("\n{indent}  - {item}")).collect()
        }
        // The other texts among the defaults are a word, a number with a unit, or
        // delimiters: no quotes needed.
        Value::String(text) if !text.contains([' ', '{']) => format!(" {text}"),
        other => format!(" {other}"),
    }
}
