//! `history` and `history show`: lists operations, newest first, and shows one.

use clada_protocol::method::{HistoryAdopt, HistoryList, HistoryShow};
use clada_protocol::{
    HistoryAdoptParams, HistoryListParams, HistoryListResult, HistoryShowParams, HistoryShowResult, Method,
    history_text, operation_html, operation_text, visible_path,
};

use crate::Process;
use crate::args::{Detail, History, HistoryCommand, ShowOperation};
use crate::asking::keys::confirm;
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::input::absolute;
use crate::output::{print, print_json, print_report};
use crate::request::{requested, typed};
use crate::root;
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::width::cut;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &History) -> Result<Status, Failure> {
    match &args.command {
        None => {
            if let Some(from) = &args.adopt {
                let from = absolute(process, from)?;
                adopt(process, settings, &from)?;
            }
            list(process, settings, args.limit)
        }
        Some(HistoryCommand::Show(args)) => show(process, settings, args),
    }
}

fn adopt(process: &mut Process, settings: &Settings, from: &str) -> Result<(), Failure> {
    let params = HistoryAdoptParams { root: root::find(process, settings)?, from: from.to_owned() };
    requested(process, settings, HistoryAdopt::NAME, &params).map(drop)
}

fn ask_moved(process: &Process, settings: &Settings, from: &str) -> Result<bool, Failure> {
    let Some(mut terminal) = Terminal::open(process, settings) else { return Ok(false) };
    let terminal_failed =
        |error: std::io::Error| Failure::new(Status::Failed, format!("the terminal was closed: {error}"));
    let question = format!("Is this folder the project that was at {}?", visible_path(from));
    confirm(&mut terminal, &question).map_err(terminal_failed)
}

fn list(process: &mut Process, settings: &Settings, limit: Option<usize>) -> Result<Status, Failure> {
    let params = HistoryListParams { root: root::find(process, settings)?, limit };
    let request = |process: &mut Process| {
        Connector::new(process, settings)?.call(HistoryList::NAME, &params, OnInterrupt::End)
    };
    let mut result = request(process)?;
    let moved_from = typed::<HistoryListResult>(HistoryList::NAME, &result)?.moved_from;
    if let Some(from) = moved_from.filter(|_| process.terminals.stdout)
        && ask_moved(process, settings, &from)?
    {
        adopt(process, settings, &from)?;
        result = request(process)?;
    }
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let listed: HistoryListResult = typed(HistoryList::NAME, &result)?;
        let style = settings.style(&params.root, Detail::Minimal);
        let now = jiff::Timestamp::now().as_millisecond();
        let report = history_text(&listed, &style, &|at| ago(now, at));
        // An operation is a line, whatever the width of the terminal.
        let columns = process.columns().filter(|_| process.terminals.stdout);
        let lines = report.lines().map(|line| match columns {
            Some(columns) => cut(line, columns) + "\n",
            None => format!("{line}\n"),
        });
        print(process, &lines.collect::<String>())?;
    }
    Ok(Status::Ok)
}

#[expect(clippy::disallowed_methods, reason = "the page is no file of a project, unless the user says so")]
fn show(process: &mut Process, settings: &Settings, args: &ShowOperation) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    let html = args.html.is_some();
    let operation = args.operation.clone();
    let params = HistoryShowParams { root, operation, diff: args.diff || html, parameters: html };
    let result = Connector::new(process, settings)?.call(HistoryShow::NAME, &params, OnInterrupt::End)?;
    if let Some(file) = &args.html {
        let shown: HistoryShowResult = typed(HistoryShow::NAME, &result)?;
        let zone = process.time_zone();
        let page = operation_html(&shown, &params.root, &|at| anywhere(at, &zone));
        if file.as_os_str() == "-" {
            print(process, &page)?;
        } else {
            std::fs::write(process.cwd.clone().unwrap_or_default().join(file), page).map_err(|error| {
                let message = format!("Cannot write {}: {error}", visible_path(&file.to_string_lossy()));
                Failure::new(Status::Failed, message)
            })?;
        }
    } else if settings.json {
        print_json(process, result.get())?;
    } else {
        let shown: HistoryShowResult = typed(HistoryShow::NAME, &result)?;
        let zone = process.time_zone();
        let style = settings.style(&params.root, Detail::Minimal);
        let report = operation_text(&shown, &style, &|at| moment(at, &zone));
        print_report(process, settings, report)?;
    }
    Ok(Status::Ok)
}

pub(crate) fn moment(at: i64, zone: &jiff::tz::TimeZone) -> String {
    match jiff::Timestamp::from_millisecond(at) {
        Ok(at) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => format!("{at} ms"),
    }
}

fn anywhere(at: i64, zone: &jiff::tz::TimeZone) -> String {
    match jiff::Timestamp::from_millisecond(at) {
        Ok(at) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %:z").to_string(),
        Err(_) => moment(at, zone),
    }
}

/// Returns how long before `now` a moment was; both in milliseconds since 1970.
pub(crate) fn ago(now: i64, at: i64) -> String {
    match now.saturating_sub(at) / 1000 {
        ..10 => "just now".to_owned(),
        seconds @ ..60 => format!("{seconds} s ago"),
        seconds @ ..3600 => format!("{} min ago", seconds / 60),
        seconds @ ..86_400 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_as_on_the_wall() {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(moment(1_700_000_000_000, &zone), "2023-11-15 00:13:20");
        assert_eq!(anywhere(1_700_000_000_000, &zone), "2023-11-15 00:13:20 +02:00");
        assert_eq!(moment(i64::MAX, &zone), "9223372036854775807 ms");
    }
}
