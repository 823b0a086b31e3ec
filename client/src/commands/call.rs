//! `call`: any method, for scripts.

use std::path::Path;

use serde_json::{Map, Value};

use crate::Process;
use crate::args::Call;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::read_answer;
use crate::output::print_line;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Call) -> Result<Status, Failure> {
    let text = match args.params.as_deref() {
        None => "{}".to_owned(),
        Some("-") => read_answer(process, Some(Path::new("-")))?,
        Some(text) => text.to_owned(),
    };
    let params: Map<String, Value> = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("the parameters are not a JSON object: {error}"))
            .hint("For example: clada-client call session.get '{\"root\": \"/home/me/project\"}'")
    })?;
    let result = Connector::new(process, settings)?.call(&args.method, &params, OnInterrupt::Cancel)?;
    print_line(process, result.get())?;
    Ok(Status::Ok)
}
