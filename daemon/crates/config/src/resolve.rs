//! Combines layers: the later one wins, except that a project's layer may only narrow. Pure: the same
//! layers give the same settings.

use clada_dialects::Dialect;

use super::choices::{
    ApplyPlain, AskAfterEdit, Durability, ExecApproval, ExecHome, MadeUpRoots, Matching, SandboxChoice,
};
use super::kinds::show_limit;
use super::layer::{Explanation, Layer, SettingEntry};
use super::limits::Limit;
use super::problem::{Origin, Problem, Severity};
use super::settings::{Key, ProjectMay, SettingChange, Settings, built_in_dialects};

/// Returns the settings that result from `layers`, ordered from the weakest to the
/// strongest, and all their problems.
///
/// Entries with a problem are left out and all others apply. The caller decides whether a layer with a
/// problem may be used at all: [`super::ConfigStore`] does not use it.
#[must_use]
pub fn resolve(layers: &[Layer]) -> (Settings, Vec<Problem>) {
    let layers: Vec<&Layer> = layers.iter().collect();
    resolve_all(&layers, Trust::Withheld)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Not trusted: the file may only narrow.
    Withheld,
    /// Trusted: its settings apply to this project.
    Granted,
}

pub(super) fn resolve_all(layers: &[&Layer], trust: Trust) -> (Settings, Vec<Problem>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    for layer in layers {
        problems.extend(layer.problems.iter().cloned());
        for entry in &layer.entries {
            if matches!(entry.origin, Origin::Project(_)) {
                match narrow(entry, &mut settings) {
                    Ok(()) => {}
                    Err((Severity::Untrusted, _)) if trust == Trust::Granted => replace(entry, &mut settings),
                    Err((severity, explanation)) => {
                        problems.push(layer.problem(entry, severity, explanation))
                    }
                }
            } else {
                replace(entry, &mut settings);
            }
        }
    }
    (settings, problems)
}

fn replace(entry: &SettingEntry, settings: &mut Settings) {
    settings.origins.insert(entry.change.key(), vec![entry.origin.clone()]);
    entry.change.clone().apply(settings);
}

type NarrowResult = Result<(), (Severity, Explanation)>;

/// Refuses everything not known to narrow.
fn narrow(entry: &SettingEntry, settings: &mut Settings) -> NarrowResult {
    let key = entry.change.key();
    let globs = match (key.project_may(), &entry.change) {
        (ProjectMay::Add, SettingChange::Denied(globs)) => (&mut settings.denied, globs),
        (ProjectMay::Add, SettingChange::SecretGlobs(globs)) => (&mut settings.secret_globs, globs),
        (ProjectMay::Add, SettingChange::Ask(globs)) => (&mut settings.ask, globs),
        (ProjectMay::Lower, SettingChange::Limit(limit, value)) => {
            return lower(entry, *limit, *value, settings);
        }
        (ProjectMay::SwitchOff, SettingChange::Dialects(requested)) => {
            return switch_off(entry, requested, settings);
        }
        (ProjectMay::Set, _) => {
            replace(entry, settings);
            return Ok(());
        }
        (ProjectMay::SetWhenTrusted, change) if is_stricter(change, settings) => {
            replace(entry, settings);
            return Ok(());
        }
        // The stricter of the two counts, whoever is trusted.
        (_, SettingChange::ApplyPlain(ApplyPlain::Ask)) => {
            return Err(moot(format!("`{}` stays at `refuse`", key.name())));
        }
        (ProjectMay::SetWhenTrusted, _) => {
            return Err(untrusted(format!("a project cannot set `{}` by itself", key.name())));
        }
        (ProjectMay::Nothing | ProjectMay::Add | ProjectMay::Lower | ProjectMay::SwitchOff, _) => {
            return Err(belongs_to_user(format!("a project cannot set `{}`", key.name())));
        }
    };
    // A glob that is already in the list stays with its first origin.
    let (held, added) = globs;
    let new: Vec<String> = added.iter().filter(|glob| !held.contains(glob)).cloned().collect();
    if !new.is_empty() {
        held.extend(new);
        add_origin(key, entry, settings);
    }
    Ok(())
}

fn lower(entry: &SettingEntry, limit: Limit, value: u64, settings: &mut Settings) -> NarrowResult {
    // A value above the current one is refused if it is above the built-in one too. Otherwise the user is
    // stricter than the project expects, and the user's value stays.
    let held = settings.limits.get(limit);
    if value < held {
        replace(entry, settings);
    }
    if value <= held {
        return Ok(());
    }
    let (name, shown, held) = (limit.key(), show_limit(limit, value), show_limit(limit, held));
    if value > limit.built_in() {
        let message = format!("a project can only lower `{name}`, and {shown} is more than {held}");
        return Err(untrusted(message));
    }
    Err(moot(format!("`{name}` stays at {held}, because {shown} would be more")))
}

/// Keeps the dialects that are wanted and on. One that is off is refused unless it is on by default.
fn switch_off(entry: &SettingEntry, requested: &[Dialect], settings: &mut Settings) -> NarrowResult {
    let off: Vec<Dialect> =
        requested.iter().copied().filter(|dialect| !settings.dialects.contains(dialect)).collect();
    if let Some(dialect) = off.iter().find(|dialect| !built_in_dialects().contains(dialect)) {
        let message = format!("a project can only switch dialects off, and `{}` is not on", dialect.name());
        return Err(untrusted(message));
    }
    let remaining: Vec<Dialect> =
        settings.dialects.iter().copied().filter(|dialect| requested.contains(dialect)).collect();
    if remaining.len() < settings.dialects.len() {
        settings.dialects = remaining;
        add_origin(Key::Dialects, entry, settings);
    }
    match off.first() {
        None => Ok(()),
        Some(dialect) => Err(moot(format!("the dialect `{}` stays off", dialect.name()))),
    }
}

fn is_stricter(change: &SettingChange, settings: &Settings) -> bool {
    match change {
        SettingChange::FollowSymlinks(requested) => *requested <= settings.follow_symlinks,
        SettingChange::ExecInheritEnv(requested) => *requested <= settings.exec_inherit_env,
        SettingChange::StageAuto(requested) => *requested <= settings.stage_auto,
        SettingChange::ExecNetwork(requested) => *requested <= settings.exec_network,
        SettingChange::Durability(requested) => {
            *requested == Durability::Full || *requested == settings.durability
        }
        SettingChange::ExecApproval(requested) => {
            *requested == ExecApproval::Ask || *requested == settings.exec_approval
        }
        SettingChange::ExecAskAfterEdit(requested) => {
            *requested == AskAfterEdit::Auto || *requested == settings.exec_ask_after_edit
        }
        SettingChange::ApplyPlain(requested) => {
            *requested == ApplyPlain::Refuse || *requested == settings.apply_plain
        }
        SettingChange::MadeUpRoots(requested) => {
            *requested == MadeUpRoots::Hint || *requested == settings.made_up_roots
        }
        SettingChange::ExecHome(requested) => {
            *requested == ExecHome::Hide || *requested == settings.exec_home
        }
        SettingChange::ExecSandbox(requested) => {
            *requested == SandboxChoice::Require
                || *requested == settings.exec_sandbox
                || settings.exec_sandbox == SandboxChoice::Off
        }
        // The user's choice stays. Without one, a project may choose what does less than the default: commits
        // alongside the branch or none, and exact texts. Another author would forge, and `all` commits more.
        SettingChange::GitMode(requested) => {
            *requested == settings.git_mode || is_undecided(Key::GitMode, settings)
        }
        SettingChange::GitBefore(requested) => *requested == settings.git_before,
        SettingChange::GitAuthor(requested) => *requested == settings.git_author,
        SettingChange::GitMessage(requested) => {
            *requested == settings.git_message || is_undecided(Key::GitMessage, settings)
        }
        SettingChange::Matching(requested) => {
            *requested == settings.matching
                || (*requested == Matching::Exact && is_undecided(Key::Matching, settings))
        }
        _ => false,
    }
}

fn is_undecided(key: Key, settings: &Settings) -> bool {
    settings.origins(key).iter().all(|origin| *origin == Origin::Default)
}

fn add_origin(key: Key, entry: &SettingEntry, settings: &mut Settings) {
    let origins = settings.origins.entry(key).or_insert_with(|| vec![Origin::Default]);
    origins.push(entry.origin.clone());
}

fn belongs_to_user(message: String) -> (Severity, Explanation) {
    let advice = "It belongs in the user's own configuration, `~/.config/clada/config.yaml`; remove it here";
    (Severity::Error, Explanation { message, advice: advice.to_owned() })
}

fn untrusted(message: String) -> (Severity, Explanation) {
    let advice = "It is not in force; `clada trust` shows the file and lets it take effect";
    (Severity::Untrusted, Explanation { message, advice: advice.to_owned() })
}

fn moot(message: String) -> (Severity, Explanation) {
    let advice = "Nothing needs to be done: the user's own configuration is the stricter one";
    (Severity::Note, Explanation { message, advice: advice.to_owned() })
}
