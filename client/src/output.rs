//! Writes results to standard output, and failures to standard error.
//!
//! A reader that has gone away (`| head`) is no error: the rest is dropped and the exit status stays that of
//! the operation.

use std::io::{self, Write};

use clada_protocol::visible_json;

use crate::Process;
use crate::exit::{Failure, Status};
use crate::paint::paint;
use crate::settings::Settings;
use crate::wrap::fitted;

pub(crate) fn print(process: &mut Process, text: &str) -> Result<(), Failure> {
    arrives(process, text).map(drop)
}

/// Returns whether its reader is still there.
pub(crate) fn arrives(process: &mut Process, text: &str) -> Result<bool, Failure> {
    if text.is_empty() {
        return Ok(true);
    }
    process.clear_progress();
    let written = process.stdout.write_all(text.as_bytes()).and_then(|()| process.stdout.flush());
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => {
            Err(Failure::new(Status::Failed, format!("standard output cannot be written: {error}")))
        }
    }
}

pub(crate) fn print_report(
    process: &mut Process,
    settings: &Settings,
    report: String,
) -> Result<(), Failure> {
    print_text(process, if settings.colours { paint(&report) } else { report })
}

pub(crate) fn print_text(process: &mut Process, text: String) -> Result<(), Failure> {
    let text = if process.terminals.stdout { fitted(process, text) } else { text };
    print(process, &text)
}

pub(crate) fn print_line(process: &mut Process, text: &str) -> Result<(), Failure> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    print(process, &format!("{text}{end}"))
}

/// Writes JSON from the daemon on a line of its own: as it came, but a terminal gets JSON's own escapes for
/// characters that it would hide, or interpret.
pub(crate) fn print_json(process: &mut Process, json: &str) -> Result<(), Failure> {
    if process.terminals.stdout {
        return print_line(process, &visible_json(json));
    }
    print_line(process, json)
}

pub(crate) fn report(process: &mut Process, failure: &Failure, json: bool) -> Status {
    let text = failure.text(json);
    let is_shown = process.terminals.stderr && !json;
    process.complain(&if is_shown { fitted(process, text) } else { text });
    failure.status
}
