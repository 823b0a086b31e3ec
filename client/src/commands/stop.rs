//! `stop`: ends the daemon when it has finished its work.

use clada_protocol::Verbosity;

use crate::Process;
use crate::connect::Connector;
use crate::exit::{Failure, Status};
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let stopped = Connector::new(process, settings)?.stop()?;
    if settings.verbosity > Verbosity::Quiet {
        process.complain(if stopped { "The daemon has ended.\n" } else { "No daemon is running.\n" });
    }
    Ok(Status::Ok)
}
