//! Combines layers: the later one wins, except that a project's layer may only narrow. Pure: the same
//! layers give the same settings.

use clada_dialects::Dialect;

use super::change::{Change, show_limit};
use super::keys::{Key, ProjectMay};
use super::layer::{Layer, Said, SettingEntry};
use super::limits::Limit;
use super::problem::{Origin, Problem, Severity};
use super::settings::{
    AskAfterEdit, Durability, ExecApproval, ExecHome, MadeUpRoots, SandboxChoice, Settings, built_in_dialects,
};

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

/// The user's trust in the current state of the project's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Not trusted: the file may only narrow.
    Withheld,
    /// Trusted: its settings apply to this project.
    Given,
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
                    Err((Severity::Untrusted, _)) if trust == Trust::Given => replace(entry, &mut settings),
                    Err((severity, said)) => problems.push(layer.problem(entry, severity, said)),
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

type Narrowed = Result<(), (Severity, Said)>;

/// Applies an entry of a project as far as it narrows. Refuses everything not known to narrow.
fn narrow(entry: &SettingEntry, settings: &mut Settings) -> Narrowed {
    let key = entry.change.key();
    let globs = match (key.project_may(), &entry.change) {
        (ProjectMay::Add, Change::Denied(globs)) => (&mut settings.denied, globs),
        (ProjectMay::Add, Change::SecretGlobs(globs)) => (&mut settings.secret_globs, globs),
        (ProjectMay::Add, Change::Ask(globs)) => (&mut settings.ask, globs),
        (ProjectMay::Lower, Change::Limit(limit, value)) => return lower(entry, *limit, *value, settings),
        (ProjectMay::SwitchOff, Change::Dialects(wanted)) => return switch_off(entry, wanted, settings),
        (ProjectMay::Set, _) => {
            replace(entry, settings);
            return Ok(());
        }
        (ProjectMay::SetWhenTrusted, change) if is_stricter(change, settings) => {
            replace(entry, settings);
            return Ok(());
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

/// Lowers a limit. A value above the current one is refused if it is above the built-in one too. Otherwise
/// the user is stricter than the project expects, and the user's value stays.
fn lower(entry: &SettingEntry, limit: Limit, value: u64, settings: &mut Settings) -> Narrowed {
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

/// Keeps the dialects that are wanted and on. A wanted dialect that is off is refused
/// unless it is on by default.
fn switch_off(entry: &SettingEntry, wanted: &[Dialect], settings: &mut Settings) -> Narrowed {
    let off: Vec<Dialect> =
        wanted.iter().copied().filter(|dialect| !settings.dialects.contains(dialect)).collect();
    if let Some(dialect) = off.iter().find(|dialect| !built_in_dialects().contains(dialect)) {
        let message = format!("a project can only switch dialects off, and `{}` is not on", dialect.name());
        return Err(untrusted(message));
    }
    let kept: Vec<Dialect> =
        settings.dialects.iter().copied().filter(|dialect| wanted.contains(dialect)).collect();
    if kept.len() < settings.dialects.len() {
        settings.dialects = kept;
        add_origin(Key::Dialects, entry, settings);
    }
    match off.first() {
        None => Ok(()),
        Some(dialect) => Err(moot(format!("the dialect `{}` stays off", dialect.name()))),
    }
}

/// Returns whether `change` allows nothing more than the current settings.
fn is_stricter(change: &Change, settings: &Settings) -> bool {
    match change {
        Change::FollowSymlinks(wanted) => *wanted <= settings.follow_symlinks,
        Change::ExecInheritEnv(wanted) => *wanted <= settings.exec_inherit_env,
        Change::StageAuto(wanted) => *wanted <= settings.stage.auto,
        Change::ExecNetwork(wanted) => *wanted <= settings.exec_network,
        Change::Durability(wanted) => *wanted == Durability::Full || *wanted == settings.durability,
        Change::ExecApproval(wanted) => *wanted == ExecApproval::Ask || *wanted == settings.exec_approval,
        Change::ExecAskAfterEdit(wanted) => {
            *wanted == AskAfterEdit::Auto || *wanted == settings.exec_ask_after_edit
        }
        Change::MadeUpRoots(wanted) => *wanted == MadeUpRoots::Hint || *wanted == settings.made_up_roots,
        Change::ExecHome(wanted) => *wanted == ExecHome::Hide || *wanted == settings.exec_home,
        Change::ExecSandbox(wanted) => {
            *wanted == SandboxChoice::Require
                || *wanted == settings.exec_sandbox
                || settings.exec_sandbox == SandboxChoice::Off
        }
        _ => false,
    }
}

fn add_origin(key: Key, entry: &SettingEntry, settings: &mut Settings) {
    let origins = settings.origins.entry(key).or_insert_with(|| vec![Origin::Default]);
    origins.push(entry.origin.clone());
}

fn belongs_to_user(message: String) -> (Severity, Said) {
    let advice = "It belongs in the user's own configuration, `~/.config/clada/config.yaml`; remove it here";
    (Severity::Error, Said { message, advice: advice.to_owned() })
}

fn untrusted(message: String) -> (Severity, Said) {
    let advice = "It is not in force; `clada trust` shows the file and lets it take effect";
    (Severity::Untrusted, Said { message, advice: advice.to_owned() })
}

fn moot(message: String) -> (Severity, Said) {
    let advice = "Nothing needs to be done: the user's own configuration is the stricter one";
    (Severity::Note, Said { message, advice: advice.to_owned() })
}
