//! `init`: writes the files that a user may want to edit.

use clada_protocol::method::{ConfigInit, ProjectInit};
use clada_protocol::{
    ConfigInitParams, ConfigInitResult, Method, ProjectInitParams, ProjectInitResult, Verbosity, visible_path,
};

use crate::Process;
use crate::args::InitArgs;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::request::{fetch_or_print, typed};
use crate::root;
use crate::settings::Settings;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &InitArgs) -> Result<Status, Failure> {
    if args.global {
        return global(process, settings);
    }
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
            process.complain(&format!("{} already exists and was not changed\n", visible_path(path)));
        }
    }
    Ok(Status::Ok)
}

fn global(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let params = ConfigInitParams { root: None, umask: Some(process.umask()) };
    let Some(ConfigInitResult { path, created }) = fetch_or_print::<ConfigInit>(process, settings, &params)?
    else {
        return Ok(Status::Ok);
    };
    if created {
        print(process, &format!("{}\n", visible_path(&path)))?;
    } else if settings.verbosity > Verbosity::Quiet {
        process.complain(&format!("{} already exists and was not changed\n", visible_path(&path)));
    }
    Ok(Status::Ok)
}
