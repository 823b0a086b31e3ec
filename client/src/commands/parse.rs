//! `parse`: prints the actions of an answer, and its faults.

use clada_protocol::method::Parse as Method_;
use clada_protocol::{Method, ParseParams, ParseResult, parse_text};

use crate::Process;
use crate::args::Parse;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::read_answer;
use crate::output::{print_json, print_report};
use crate::request::{some_names, typed};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Parse) -> Result<Status, Failure> {
    // Without a project the daemon's own configuration counts.
    let root = match root::find(process, settings) {
        Err(failure) if settings.root.is_some() => return Err(failure),
        root => root.ok(),
    };
    let text = read_answer(process, args.file.as_deref())?;
    let params = ParseParams {
        text,
        dialects: some_names(&args.dialect),
        root: root.clone(),
        session: settings.session.clone().filter(|_| root.is_some()),
        env: process.variables(),
        ..ParseParams::default()
    };
    let result = Connector::new(process, settings)?.call(Method_::NAME, &params, OnInterrupt::End)?;
    let parsed: ParseResult = typed(Method_::NAME, &result)?;
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let root = root.unwrap_or_default();
        let report = parse_text(&parsed, &settings.style(&root, args.error_detail));
        print_report(process, settings, report)?;
    }
    Ok(if parsed.errors.is_empty() { Status::Ok } else { Status::Failed })
}
