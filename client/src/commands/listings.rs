//! Answers that hold nothing but listings with names of files: whether to read them as whole files.

use clada_protocol::method::Parse;
use clada_protocol::{
    ExecuteParams, ExecutionResult, Method, ParseParams, ParseResult, Verbosity, visible_line,
};
use serde_json::value::RawValue;

use super::consent::gone;
use super::{requested, typed};
use crate::Process;
use crate::args::{Apply, Format};
use crate::exit::Failure;
use crate::settings::Settings;
use crate::terminal::{Reply, Terminal, User};

/// The dialect in which listings are whole files.
pub(super) const DIALECT: &str = "whole_file";

/// Returns true if listings that name files are all that is in an answer, which was read in all dialects.
pub(super) fn are_all(args: &Apply, result: &RawValue) -> bool {
    let Ok(result) = serde_json::from_str::<ExecutionResult>(result.get()) else { return false };
    let only = result.results.is_empty() && result.parse_errors.is_empty() && args.dialect.is_empty();
    let listings = result.not_read.iter().all(|found| found.kind == "listing");
    only && listings && !args.dry_run && !result.not_read.is_empty()
}

/// Asks if the user at the terminal, if there is one, wants to see the listings of `text` as whole files,
/// after what is wrong with them. `params` are those of the request that carries them out.
pub(super) fn wants_preview(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    text: &str,
) -> Result<bool, Failure> {
    let asks = !settings.json && args.format != Format::Json && settings.verbosity > Verbosity::Quiet;
    if !asks || process.terminal().is_none() {
        return Ok(false);
    }
    let parse = ParseParams {
        text: text.to_owned(),
        dialects: params.dialects.clone(),
        root: Some(params.root.clone()),
        session: params.session.clone(),
        env: params.env.clone(),
        ..ParseParams::default()
    };
    let result = requested(process, settings, Parse::NAME, &parse)?;
    let parsed: ParseResult = typed(Parse::NAME, &result)?;
    let Some(question) = question(parsed.summary.success_count) else { return Ok(false) };
    let Some(mut terminal) = Terminal::open(process) else { return Ok(false) };
    let reply = terminal.show(&faults(&parsed)).and_then(|()| terminal.ask(&question));
    let reply = reply.map_err(|error| gone(&error))?;
    let Reply::Line(word) = reply else { return Ok(false) };
    Ok(matches!(word.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Returns the question about this number of listings that are read; none if there are none.
fn question(listings: usize) -> Option<String> {
    let (count, verb, them) = match listings {
        0 => return None,
        1 => ("1 listing".to_owned(), "names a file", "it as a whole file"),
        _ => (format!("{listings} listings"), "name files", "them as whole files"),
    };
    Some(format!("{count} {verb}. Preview {them}? [y/N] "))
}

/// Returns lines that say what is not read of the listings.
fn faults(parsed: &ParseResult) -> String {
    let errors = parsed.errors.iter().map(|issue| ("ERROR", issue));
    let warnings = parsed.warnings.iter().map(|issue| ("WARNING", issue));
    errors
        .chain(warnings)
        .map(|(word, issue)| format!("{word}: {}\n", visible_line(&issue.message)))
        .collect()
}
