//! `call`: any method, for scripts.

use std::collections::BTreeMap;
use std::path::Path;

use clada_protocol::method::{CallSettings, SETTINGS};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::Process;
use crate::args::Call;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::read_answer;
use crate::output::print_json;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Call) -> Result<Status, Failure> {
    let text = match args.params.as_deref() {
        None => "{}".to_owned(),
        Some("-") => read_answer(process, Some(Path::new("-")))?,
        Some(text) => text.to_owned(),
    };
    let params = object(&text)?;
    let named: BTreeMap<String, IgnoredAny> = serde_json::from_str(params.get()).unwrap_or_default();
    let own =
        named.contains_key(SETTINGS).then(|| Settings { call: CallSettings::new(), ..settings.clone() });
    let settings = own.as_ref().unwrap_or(settings);
    let result = Connector::new(process, settings)?.call(&args.method, &params, OnInterrupt::Cancel)?;
    print_json(process, result.get())?;
    Ok(Status::Ok)
}

/// Reads the JSON object in `text`: every key, number and escape stays as it was written, on one line.
fn object(text: &str) -> Result<Box<RawValue>, Failure> {
    let wrong = |why: String| {
        Failure::usage(format!("the parameters are not a JSON object: {why}"))
            .hint("For example: clada call session.get '{\"root\": \"/home/me/project\"}'")
    };
    // A request is a line. Line ends are between values only: in a string they are escaped, or it is not
    // JSON.
    let line = |object: Box<RawValue>| object.get().replace(['\n', '\r'], " ");
    let object: Box<RawValue> = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    if !object.get().starts_with('{') {
        return Err(wrong("it is another value".to_owned()));
    }
    RawValue::from_string(line(object)).map_err(|error| wrong(error.to_string()))
}
