//! One request of the daemon, and its result as the method's type.

use clada_protocol::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::Process;
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::print_json;
use crate::settings::Settings;

pub(crate) fn requested<P: Serialize>(
    process: &mut Process,
    settings: &Settings,
    method: &str,
    params: &P,
) -> Result<Box<RawValue>, Failure> {
    Connector::new(process, settings)?.call(method, params, OnInterrupt::End)
}

pub(crate) fn fetch<M: Method>(
    process: &mut Process,
    settings: &Settings,
    params: &M::Params,
) -> Result<M::Result, Failure> {
    fetch_over::<M>(process, settings, params, &mut KeptLink::default())
}

// Fetches the result to be shown, or prints it with `--json` and returns `None`.
pub(crate) fn fetch_or_print<M: Method>(
    process: &mut Process,
    settings: &Settings,
    params: &M::Params,
) -> Result<Option<M::Result>, Failure> {
    let result = requested(process, settings, M::NAME, params)?;
    if settings.json {
        print_json(process, result.get())?;
        return Ok(None);
    }
    typed(M::NAME, &result).map(Some)
}

/// `link` keeps a private daemon for the next call.
pub(crate) fn fetch_over<M: Method>(
    process: &mut Process,
    settings: &Settings,
    params: &M::Params,
    link: &mut KeptLink,
) -> Result<M::Result, Failure> {
    let result = Connector::new(process, settings)?.keeping(link).call(M::NAME, params, OnInterrupt::End)?;
    typed(M::NAME, &result)
}

pub(crate) fn typed<T: DeserializeOwned>(method: &str, result: &RawValue) -> Result<T, Failure> {
    serde_json::from_str(result.get()).map_err(|error| unreadable(method, &error))
}

pub(crate) fn unreadable(method: &str, error: &serde_json::Error) -> Failure {
    Failure::new(Status::Failed, format!("the daemon's result of {method} cannot be read: {error}"))
        .hint("Its version may differ: see `clada status`. --json prints the result unchanged.")
}

/// `None` lets the daemon decide.
pub(crate) fn some_names(names: &[String]) -> Option<Vec<String>> {
    (!names.is_empty()).then(|| names.to_vec())
}
