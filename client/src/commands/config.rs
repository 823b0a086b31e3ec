//! `config`: shows the settings in force and their origins, and changes the files that they come from.

use std::path::Path;

use clada_protocol::method::{ConfigInit, ConfigSet, ConfigShow, ConfigUnset};
use clada_protocol::{
    ConfigInitParams, ConfigSetParams, ConfigSetResult, ConfigShowParams, ConfigShowResult,
    ConfigUnsetParams, Method, Setting, Verbosity, visible_line, visible_path,
};
use serde_json::Value;

use crate::Process;
use crate::args::{ConfigArgs, ConfigCommand};
use crate::connect::{Connector, OnInterrupt};
use crate::editor;
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::request::{fetch, fetch_or_print, requested, typed};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &ConfigArgs) -> Result<Status, Failure> {
    match &args.command {
        None => show(process, settings, args),
        Some(ConfigCommand::Get { key }) => get(process, settings, key),
        Some(ConfigCommand::Set { project, key, value }) => set(process, settings, *project, key, value),
        Some(ConfigCommand::Unset { project, key }) => unset(process, settings, *project, key),
        Some(ConfigCommand::Edit { project }) => edit(process, settings, *project),
    }
}

fn some_root(process: &Process, settings: &Settings) -> Result<Option<String>, Failure> {
    match root::find(process, settings) {
        Err(failure) if settings.root.is_some() => Err(failure),
        root => Ok(root.ok()),
    }
}

fn root_of(process: &Process, settings: &Settings, project: bool) -> Result<Option<String>, Failure> {
    project.then(|| root::find(process, settings)).transpose()
}

fn show(process: &mut Process, settings: &Settings, args: &ConfigArgs) -> Result<Status, Failure> {
    let root = some_root(process, settings)?;
    let params = ConfigShowParams { root, defaults: args.default, key: None };
    let result = Connector::new(process, settings)?.call(ConfigShow::NAME, &params, OnInterrupt::End)?;
    let config: ConfigShowResult = typed(ConfigShow::NAME, &result)?;
    let status = if config.broken && !args.default { Status::Failed } else { Status::Ok };
    if settings.json {
        print_json(process, result.get())?;
        return Ok(status);
    }
    if let Some(defaults) = &config.defaults {
        print(process, defaults)?;
        return Ok(status);
    }
    let shown: Vec<&Setting> =
        config.settings.iter().filter(|setting| args.all || setting.default.is_some()).collect();
    let rows: Vec<(String, String)> = shown
        .iter()
        .map(|setting| {
            let setting_line =
                format!("{}: {}", visible_line(&setting.key), visible_line(&value(&setting.value)));
            (setting_line, visible_path(&setting.origin).into_owned())
        })
        .collect();
    // One long value must not push the origins of all others off the screen.
    let width = rows.iter().map(|(setting_line, _)| setting_line.chars().count()).max().unwrap_or(0).min(60);
    let text: String =
        rows.iter().map(|(setting_line, origin)| format!("{setting_line:<width$}  # {origin}\n")).collect();
    print(process, &text)?;
    if !args.all && settings.verbosity > Verbosity::Quiet {
        let same = config.settings.len() - shown.len();
        process.complain(&match shown.len() {
            0 => format!("all {same} settings have their default; `config --all` lists them\n"),
            _ => format!("the other {same} settings have their default; `config --all` lists them\n"),
        });
    }
    warn(process, &config.warnings);
    Ok(status)
}

fn get(process: &mut Process, settings: &Settings, key: &str) -> Result<Status, Failure> {
    let root = some_root(process, settings)?;
    let params = ConfigShowParams { root, defaults: false, key: Some(key.to_owned()) };
    let result = requested(process, settings, ConfigShow::NAME, &params)?;
    let config: ConfigShowResult = typed(ConfigShow::NAME, &result)?;
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let line = |one: &Setting| {
            let shown = value(&one.value);
            // Of a section each key is named.
            let name = if one.key == key { String::new() } else { format!("{}: ", one.key) };
            format!("{}{}\n", visible_line(&name), visible_line(&shown))
        };
        let text: String = config.settings.iter().map(line).collect();
        print(process, &text)?;
        warn(process, &config.warnings);
    }
    Ok(if config.broken { Status::Failed } else { Status::Ok })
}

fn set(
    process: &mut Process,
    settings: &Settings,
    project: bool,
    key: &str,
    values: &[String],
) -> Result<Status, Failure> {
    let value_of = match values {
        [one] => one.clone(),
        several => Value::from(several.to_vec()).to_string(),
    };
    let params = ConfigSetParams {
        root: root_of(process, settings, project)?,
        key: key.to_owned(),
        value: value_of,
        umask: Some(process.umask()),
    };
    let Some(ConfigSetResult { path, changed, setting, warnings }) =
        fetch_or_print::<ConfigSet>(process, settings, &params)?
    else {
        return Ok(Status::Ok);
    };
    if settings.verbosity > Verbosity::Quiet {
        let (key, path, origin) =
            (visible_line(&setting.key), visible_path(&path), visible_path(&setting.origin));
        let shown = value(&setting.value);
        let shown = visible_line(&shown);
        let as_it_was = if changed { "" } else { ", as before" };
        // Lists of a project are added to others.
        let text = if origin.split(" + ").any(|origin| origin == path) {
            format!("{key}: {shown}  # {path}{as_it_was}\n")
        } else {
            format!("{path} sets {key}{as_it_was}, but in force is {shown} (from {origin})\n")
        };
        print(process, &text)?;
    }
    warn(process, &warnings);
    Ok(Status::Ok)
}

fn unset(process: &mut Process, settings: &Settings, project: bool, key: &str) -> Result<Status, Failure> {
    let params = ConfigUnsetParams { root: root_of(process, settings, project)?, key: key.to_owned() };
    let Some(ConfigSetResult { path, changed, setting, warnings }) =
        fetch_or_print::<ConfigUnset>(process, settings, &params)?
    else {
        return Ok(Status::Ok);
    };
    if settings.verbosity > Verbosity::Quiet {
        let was = if changed { "no longer sets it" } else { "did not set it" };
        let text = format!(
            "{}: {}  # {}; {} {was}\n",
            visible_line(&setting.key),
            visible_line(&value(&setting.value)),
            visible_path(&setting.origin),
            visible_path(&path),
        );
        print(process, &text)?;
    }
    warn(process, &warnings);
    Ok(Status::Ok)
}

fn edit(process: &mut Process, settings: &Settings, project: bool) -> Result<Status, Failure> {
    let root = root_of(process, settings, project)?;
    let params = ConfigInitParams { root: root.clone(), umask: Some(process.umask()) };
    let file = fetch::<ConfigInit>(process, settings, &params)?;
    editor::edit(process, Path::new(&file.path))?;
    let params = ConfigShowParams { root, ..ConfigShowParams::default() };
    let result = requested(process, settings, ConfigShow::NAME, &params)?;
    let config: ConfigShowResult = typed(ConfigShow::NAME, &result)?;
    if settings.json {
        print_json(process, result.get())?;
    } else {
        warn(process, &config.warnings);
    }
    Ok(if config.broken { Status::Failed } else { Status::Ok })
}

fn value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn warn(process: &mut Process, warnings: &[String]) {
    for warning in warnings {
        process.complain(&format!("warning: {}\n", visible_line(warning)));
    }
}
