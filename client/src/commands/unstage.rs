//! `unstage`: writes edited copies of staged files back to their places, and prints the report.

use clada_protocol::method::StageWriteBack;
use clada_protocol::{ExecutionResult, Method, ReportStyle, StageWriteBackParams, execution_text};

use crate::Process;
use crate::args::Unstage;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::absolute;
use crate::output::{print_json, print_report};
use crate::request::typed;
use crate::root;
use crate::settings::Settings;

const HOW_TO_APPROVE: &str =
    "To approve all of this, add --approve-all; to approve one item, add --approve and its id.";

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Unstage) -> Result<Status, Failure> {
    let paths = args.paths.iter().map(|path| absolute(process, path)).collect::<Result<_, _>>()?;
    let params = StageWriteBackParams {
        root: root::find(process, settings)?,
        paths,
        dry_run: args.dry_run,
        for_: args.baseline.clone(),
        force: args.force,
        approve: args.approval.param(),
        git: args.commits.place(),
        git_author: args.commits.git_author.clone(),
        umask: Some(process.umask()),
    };
    let method = StageWriteBack::NAME;
    let raw = Connector::new(process, settings)?.call(method, &params, OnInterrupt::Cancel)?;
    let result: ExecutionResult = typed(method, &raw)?;
    if settings.json {
        print_json(process, raw.get())?;
    } else {
        let style = settings.style(&params.root, args.error_detail);
        let style = ReportStyle { how_to_approve: HOW_TO_APPROVE, ..style };
        let report = execution_text(&result, &style);
        print_report(process, settings, report)?;
    }
    Ok(if result.success { Status::Ok } else { Status::Failed })
}
