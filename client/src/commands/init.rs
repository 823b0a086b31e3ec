//! `init`: writes the files that a user may want to edit.

use clada_protocol::method::ProjectInit;
use clada_protocol::{Method, ProjectInitParams, ProjectInitResult, Verbosity, visible_path};

use super::typed;
use crate::Process;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let params = ProjectInitParams { root: root::find(process, settings)?, umask: Some(process.umask()) };
    let raw = Connector::new(process, settings)?.call(ProjectInit::NAME, &params, OnInterrupt::End)?;
    let result: ProjectInitResult = typed(ProjectInit::NAME, &raw)?;
    if settings.json {
        print_json(process, raw.get())?;
        return Ok(Status::Ok);
    }
    let lines: String = result.created.iter().map(|path| format!("{}\n", visible_path(path))).collect();
    print(process, &lines)?;
    if settings.verbosity > Verbosity::Quiet {
        for path in &result.kept {
            process.complain(&format!("{} is there and stays as it is\n", visible_path(path)));
        }
    }
    Ok(Status::Ok)
}
