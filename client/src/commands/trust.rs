//! `trust`: shows the project's configuration file and, if the user agrees, lets all of it take effect.
//!
//! The file that was shown is trusted: its hash goes with the request.

use clada_protocol::method::{TrustAdd, TrustRemove, TrustShow};
use clada_protocol::{
    Method, TrustAddParams, TrustRemoveParams, TrustResult, TrustShowParams, is_suspicious, visible_line,
    visible_path,
};
use serde_json::value::RawValue;

use crate::Process;
use crate::args::TrustArgs;
use crate::exit::{Failure, Status};
use crate::output::{print, print_json};
use crate::request::{requested, typed};
use crate::root;
use crate::settings::Settings;
use crate::terminal::{Prompter, Reply, Terminal};

pub(super) fn run(process: &mut Process, settings: &Settings, args: &TrustArgs) -> Result<Status, Failure> {
    let root = root::find(process, settings)?;
    if args.remove {
        let result = requested(process, settings, TrustRemove::NAME, &TrustRemoveParams { root })?;
        return print_result(process, settings, &result, state);
    }
    let result = requested(process, settings, TrustShow::NAME, &TrustShowParams { root: root.clone() })?;
    let trust: TrustResult = typed(TrustShow::NAME, &result)?;
    let hash = trust.hash.clone().filter(|_| !trust.trusted && !trust.widens.is_empty());
    let Some(hash) = hash.filter(|_| !args.show) else {
        return print_result(process, settings, &result, shown);
    };
    if !args.yes && !agreed(process, settings, &trust)? {
        return Ok(Status::Failed);
    }
    if args.yes && !settings.json {
        print(process, &shown(&trust))?;
    }
    let result = requested(process, settings, TrustAdd::NAME, &TrustAddParams { root, hash })?;
    print_result(process, settings, &result, state)
}

fn agreed(process: &mut Process, settings: &Settings, trust: &TrustResult) -> Result<bool, Failure> {
    let Some(mut terminal) = Terminal::open(process, settings) else {
        print(process, &shown(trust))?;
        return Err(Failure::new(Status::Failed, "there is no terminal to ask at, so nothing was trusted")
            .hint("After you have read the file: clada trust --yes"));
    };
    let terminal_failed = |error: std::io::Error| {
        Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}"))
            .hint("Nothing is trusted.")
    };
    terminal.show(&shown(trust)).map_err(terminal_failed)?;
    loop {
        let reply = terminal.ask("Trust this file as it is? [y]es, [n]o: ").map_err(terminal_failed)?;
        let Reply::Line(answer) = reply else { return Ok(false) };
        match answer.to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" | "q" | "quit" => return Ok(false),
            _ => {}
        }
    }
}

fn print_result(
    process: &mut Process,
    settings: &Settings,
    result: &RawValue,
    text: impl Fn(&TrustResult) -> String,
) -> Result<Status, Failure> {
    if settings.json {
        print_json(process, result.get())?;
    } else {
        let result: TrustResult = typed(TrustShow::NAME, result)?;
        print(process, &text(&result))?;
    }
    Ok(Status::Ok)
}

fn shown(trust: &TrustResult) -> String {
    let Some(file) = &trust.text else { return state(trust) };
    let mut text = format!("{}:\n", visible_path(&trust.path));
    for line in file.lines() {
        text.push_str(&format!("  | {}\n", visible_line(line)));
    }
    if is_suspicious(file) {
        text.push_str("WARNING: it contains invisible characters, shown as escapes\n");
    }
    text.push_str(&state(trust));
    text
}

fn state(trust: &TrustResult) -> String {
    let mut text = String::new();
    for problem in &trust.problems {
        text.push_str(&format!("WARNING: {}\n", visible_line(problem)));
    }
    let of_widening = |verb: &str| {
        let mut text = format!("{verb}\n");
        for widening in &trust.widens {
            let line = widening.line.map(|line| format!("line {line}, ")).unwrap_or_default();
            text.push_str(&format!(
                "  {line}{}: {}\n",
                visible_line(&widening.key),
                visible_line(&widening.help)
            ));
        }
        text
    };
    match (trust.text.is_some(), trust.widens.is_empty(), trust.trusted) {
        (false, ..) => text.push_str("The project has no configuration file that can be trusted.\n"),
        (true, true, _) => {
            text.push_str("It only restricts what an answer may do, so it is in force without trust.\n")
        }
        (true, false, true) => {
            text.push_str(&of_widening("You trust its current content. In force because of that:"))
        }
        (true, false, false) => text.push_str(&of_widening("Not in force until you trust the file:")),
    }
    text
}
