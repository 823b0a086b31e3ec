//! `forget`: deletes what clada keeps of a project, or of all, after showing how much that is.

use std::path::PathBuf;

use clada_protocol::method::HistoryForget;
use clada_protocol::{
    HistoryForgetParams, HistoryForgetResult, Method, count_of, size_text, visible_line, visible_path,
};

use crate::Process;
use crate::args::Forget;
use crate::asking::keys::confirm;
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::request::{requested, typed};
use crate::root;
use crate::settings::Settings;
use crate::terminal::{Prompter, Terminal};

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Forget) -> Result<Status, Failure> {
    let root = if args.all { None } else { Some(project(process, settings, args)?) };
    let mut params = HistoryForgetParams { root, all: args.all, confirm: false };
    let result = requested(process, settings, HistoryForget::NAME, &params)?;
    let records: HistoryForgetResult = typed(HistoryForget::NAME, &result)?;
    let is_nothing = records.projects.is_empty() && records.approvals == 0;
    if args.dry_run || is_nothing {
        let text = if is_nothing { NOTHING.to_owned() } else { shown(&records) };
        return print_result(process, settings, &result, &text);
    }
    if !args.yes && !confirm_forgetting(process, settings, &records)? {
        process.complain("Nothing was deleted.\n");
        return Ok(Status::Failed);
    }
    params.confirm = true;
    let result = requested(process, settings, HistoryForget::NAME, &params)?;
    let done: HistoryForgetResult = typed(HistoryForget::NAME, &result)?;
    print_result(process, settings, &result, &deleted(&done))
}

const NOTHING: &str = "There are no records of it.\n";

fn project(process: &Process, settings: &Settings, args: &Forget) -> Result<String, Failure> {
    let Some(named) = &args.dir else { return root::find(process, settings) };
    let path = process.cwd.as_ref().map_or_else(|| named.clone(), |cwd| cwd.join(named));
    let path: PathBuf = path.components().collect();
    path.into_os_string().into_string().map_err(|path| {
        Failure::usage(format!("the project's path is not UTF-8: {}", path.to_string_lossy()))
    })
}

fn confirm_forgetting(
    process: &Process,
    settings: &Settings,
    records: &HistoryForgetResult,
) -> Result<bool, Failure> {
    let unasked = || {
        Failure::usage("there is no terminal to ask at: nothing was deleted")
            .hint("--yes deletes without asking; --dry-run shows what it would delete.")
    };
    let mut terminal = Terminal::open(process, settings).ok_or_else(unasked)?;
    let terminal_failed =
        |error: std::io::Error| Failure::new(Status::Failed, format!("the terminal was closed: {error}"));
    terminal.show(&shown(records)).map_err(terminal_failed)?;
    let question = "Delete it? You cannot undo its earlier operations afterwards.";
    confirm(&mut terminal, question).map_err(terminal_failed)
}

fn shown(records: &HistoryForgetResult) -> String {
    let mut text = String::new();
    for record in &records.projects {
        let root = record.root.as_deref().unwrap_or(&record.folder);
        let what = match (record.root.is_some(), record.gone) {
            (false, _) => "  (unknown project)",
            (true, true) => "  (its folder no longer exists)",
            (true, false) => "",
        };
        text.push_str(&format!("{:>10}  {}{what}\n", size_text(record.bytes), visible_path(root)));
    }
    if records.approvals > 0 {
        text.push_str(&format!("{:>10}  approvals and trusted configurations\n", records.approvals));
    }
    if records.projects.len() > 1 {
        text.push_str(&format!("{:>10}  in total\n", size_text(records.bytes)));
    }
    text
}

fn deleted(done: &HistoryForgetResult) -> String {
    let of = count_of(done.projects.len(), "project");
    let mut text = format!("Deleted the records of {of}: freed {}.\n", size_text(done.bytes));
    for notice in &done.left {
        text.push_str(&format!("Left: {}\n", visible_line(notice)));
    }
    text
}

fn print_result(
    process: &mut Process,
    settings: &Settings,
    result: &serde_json::value::RawValue,
    text: &str,
) -> Result<Status, Failure> {
    if settings.json {
        print_json(process, result.get())?
    } else {
        print(process, text)?
    }
    Ok(Status::Ok)
}
