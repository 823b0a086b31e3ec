//! `config`: shows every setting in force and its origin.

use clada_protocol::method::ConfigShow;
use clada_protocol::{ConfigShowParams, ConfigShowResult, Method, visible_line, visible_path};

use super::typed;
use crate::Process;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, defaults: bool) -> Result<Status, Failure> {
    // Outside of a project there is no project's layer to show.
    let root = match root::find(process, settings) {
        Err(failure) if settings.root.is_some() => return Err(failure),
        found => found.ok(),
    };
    let params = ConfigShowParams { root, defaults };
    let result = Connector::new(process, settings)?.call(ConfigShow::NAME, &params, OnInterrupt::End)?;
    if settings.json {
        print_json(process, result.get())?;
        return Ok(Status::Ok);
    }
    let config: ConfigShowResult = typed(ConfigShow::NAME, &result)?;
    if let Some(defaults) = &config.defaults {
        print(process, defaults)?;
        return Ok(Status::Ok);
    }
    let rows: Vec<(String, String)> = config
        .settings
        .iter()
        .map(|setting| {
            let value = setting.value.as_str().map_or_else(|| setting.value.to_string(), str::to_owned);
            (format!("{}: {}", visible_line(&setting.key), visible_line(&value)), origin(&setting.origin))
        })
        .collect();
    let width = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0).min(60);
    let text: String = rows.iter().map(|(left, origin)| format!("{left:<width$}  # {origin}\n")).collect();
    print(process, &text)?;
    for warning in &config.warnings {
        process.complain(&format!("warning: {}\n", visible_line(warning)));
    }
    Ok(Status::Ok)
}

fn origin(origin: &str) -> String {
    visible_path(origin).into_owned()
}
