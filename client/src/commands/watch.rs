//! `watch`: prints the files of the project that change, as they do, until it is ended.

use clada_protocol::message::NotificationParams;
use clada_protocol::method::Subscribe;
use clada_protocol::{
    Method, PROJECT_EVENT, ProjectEvent, ProjectEventKind, SubscribeParams, SubscribeResult, Verbosity,
    visible_line,
};
use serde_json::value::RawValue;

use super::changes::line;
use crate::Process;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::request::typed;
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let params = SubscribeParams { root: root::find(process, settings)?, kinds: None };
    let mut answered = |process: &mut Process, result: &RawValue| begun(process, settings, result);
    let mut listener = |process: &mut Process, method: &str, params: Option<&NotificationParams>| match params
    {
        Some(event) if method == PROJECT_EVENT => happened(process, settings, event),
        _ => Ok(()),
    };
    let mut connector = Connector::new(process, settings)?.listening(&mut listener).following(&mut answered);
    connector.call(Subscribe::NAME, &params, OnInterrupt::End)?;
    Ok(Status::Ok)
}

fn begun(process: &mut Process, settings: &Settings, result: &RawValue) -> Result<(), Failure> {
    let result: SubscribeResult = typed(Subscribe::NAME, result)?;
    if settings.verbosity > Verbosity::Quiet {
        for warning in &result.warnings {
            process.complain(&format!("warning: {}\n", visible_line(warning)));
        }
        process.complain(&format!("clock: {}\n", visible_line(&result.clock)));
    }
    Ok(())
}

fn happened(process: &mut Process, settings: &Settings, raw: &NotificationParams) -> Result<(), Failure> {
    let unreadable = |error: serde_json::Error| {
        Failure::new(Status::Failed, format!("an event of the daemon cannot be read: {error}"))
            .hint("Its version may differ: see `clada status`.")
    };
    let event: ProjectEvent = raw.read().map_err(unreadable)?;
    if settings.json {
        print_json(process, raw.read::<Box<RawValue>>().map_err(unreadable)?.get())?;
    } else {
        if event.fresh && settings.verbosity > Verbosity::Quiet {
            process.complain("The project was replaced by another folder: all of its files are listed.\n");
        }
        print(process, &event.files.iter().map(line).collect::<String>())?;
    }
    if event.kind == ProjectEventKind::Ended {
        let why = event.message.as_deref().map(visible_line).unwrap_or_default();
        return Err(Failure::new(Status::Failed, format!("no more changes are reported: {why}")));
    }
    Ok(())
}
