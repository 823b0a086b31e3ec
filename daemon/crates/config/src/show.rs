//! Formats the settings for users: with their origins for `config.show`, and as a file with every key and its
//! default. Values are written as in a file, so that users can paste them into one.

use std::time::Duration;

use clada_protocol::Setting;
use serde_json::{Map, Value};

use super::change::{AUTO, SYSTEM, show_limit};
use super::keys::choices;
use super::settings::{AliasTarget, Settings};
use super::units::show_duration;
use super::{Key, Origin, ProjectMay};

/// Returns every setting with its value and origin, sorted by key. Joins the origins of a list that a
/// project has added to with ` + `.
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

/// Returns the value of `key`, as JSON that looks as in a file: `"10MB"`, `"4h"`, `["a"]`.
pub(super) fn value(settings: &Settings, key: Key) -> Value {
    match key {
        Key::AllowedRoots => {
            settings.allowed_roots.iter().map(|root| root.to_string_lossy().into_owned()).collect()
        }
        Key::RootAliases => aliases(settings),
        Key::Denied => Value::from(settings.denied.clone()),
        Key::SecretGlobs => Value::from(settings.secret_globs.clone()),
        Key::Ask => Value::from(settings.ask.clone()),
        Key::FollowSymlinks => Value::from(settings.follow_symlinks),
        Key::Limit(limit) => {
            let value = settings.limits.get(limit);
            let shown = show_limit(limit, value);
            // A plain number stays one; a text with a unit has to be in quotes.
            if shown.bytes().all(|byte| byte.is_ascii_digit()) {
                Value::from(value)
            } else {
                Value::from(shown)
            }
        }
        Key::Durability => Value::from(settings.durability.name()),
        Key::Dialects => settings.dialects.iter().map(|dialect| dialect.name()).collect(),
        Key::MadeUpRoots => Value::from(settings.made_up_roots.name()),
        Key::Matching => Value::from(settings.matching.name()),
        Key::ShamPaths => Value::from(settings.sham_paths.name()),
        Key::CslStart => Value::from(settings.csl.start()),
        Key::CslEnd => Value::from(settings.csl.end()),
        Key::FinalNewline => Value::from(settings.final_newline.name()),
        Key::EmbedMaxFileSizeKb => Value::from(settings.embed.max_file_size_kb),
        Key::EmbedMaxFiles => {
            settings.embed.max_files_per_directory.map_or_else(|| Value::from(AUTO), Value::from)
        }
        Key::EmbedErrors => Value::from(settings.embed.error_handling.name()),
        Key::EmbedDirectories => Value::from(settings.embed.excluded_directories.clone()),
        Key::EmbedExtensions => Value::from(settings.embed.excluded_extensions.clone()),
        Key::EmbedFollow => Value::from(settings.embed.follow_symlinks),
        Key::EmbedTokenizer => Value::from(settings.embed.tokenizer.name()),
        Key::EmbedPriority => Value::from(settings.embed.priority.clone()),
        Key::GitMode => Value::from(settings.git_mode.name()),
        Key::GitAgents => Value::from(settings.git_agents.name()),
        Key::ApplyShow => Value::from(settings.apply_show.name()),
        Key::ApplyPlain => Value::from(settings.apply_plain.name()),
        Key::GitBefore => Value::from(settings.git_before.name()),
        Key::GitAuthor => Value::from(settings.git_author.clone()),
        Key::GitMessage => Value::from(settings.git_message.clone()),
        Key::ExecApproval => Value::from(settings.exec_approval.name()),
        Key::ExecAskAfterEdit => Value::from(settings.exec_ask_after_edit.name()),
        Key::ExecEnv => {
            let variables = settings.exec_env.iter();
            Value::Object(variables.map(|(name, value)| (name.clone(), Value::from(value.clone()))).collect())
        }
        Key::ExecInheritEnv => Value::from(settings.exec_inherit_env),
        Key::ExecNetwork => Value::from(settings.exec_network),
        Key::ExecHome => Value::from(settings.exec_home.name()),
        Key::ExecReadable => {
            settings.exec_readable.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        }
        Key::ExecSandbox => Value::from(settings.exec_sandbox.name()),
        Key::ExecWritable => {
            settings.exec_writable.iter().map(|folder| folder.to_string_lossy().into_owned()).collect()
        }
        Key::ForeignNamespaces => Value::from(settings.foreign_namespaces.name()),
        Key::McpApprovals => Value::from(settings.mcp_approvals.name()),
        Key::StageManifest => Value::from(settings.stage.manifest.name()),
        Key::StageDir => match &settings.stage.dir {
            Some(folder) => Value::from(folder.to_string_lossy().into_owned()),
            None => Value::from(SYSTEM),
        },
        Key::StageAuto => Value::from(settings.stage.auto),
        Key::StageAutoDebounce => Value::from(show_duration(settings.stage.auto_debounce)),
        Key::WatchBackend => Value::from(settings.watch_backend.name()),
        Key::WatchReapAfter => Value::from(show_wait(settings.watch_reap_after)),
        Key::IdleExit => Value::from(show_wait(settings.idle_exit)),
        Key::LogLevel => Value::from(settings.log_level.name()),
    }
}

fn show_wait(wait: Option<Duration>) -> String {
    wait.map_or_else(|| "never".to_owned(), show_duration)
}

fn aliases(settings: &Settings) -> Value {
    let target = |target: &AliasTarget| match target {
        AliasTarget::ProjectRoot => ".".to_owned(),
        AliasTarget::Folder(path) => path.to_string_lossy().into_owned(),
    };
    let aliases = settings.root_aliases.iter();
    Value::Object(aliases.map(|(alias, to)| (alias.clone(), Value::from(target(to)))).collect::<Map<_, _>>())
}

/// Returns a configuration file with every key, its meaning and its default. Used
/// unchanged, it has no effect.
#[must_use]
pub fn defaults_yaml() -> String {
    let header = "\
# Every key of clada's configuration, with its default.
# The user's file is ~/.config/clada/config.yaml; a project has .clada/config.yaml, which may only narrow:
# what it may do with a key is told with the key. CLADA_SECTION_KEY in the environment wins over both.
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

/// Returns the keys that `is_shown` selects, with their meanings and defaults.
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
        text.push_str(&format!("{indent}# {}\n", key.help().trim()));
        let choices = choices(key);
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

/// Formats a value behind its key as YAML: lists that are not empty on lines of their own.
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
