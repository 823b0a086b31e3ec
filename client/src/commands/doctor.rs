//! `doctor`: what works here, and one thing to do about each part that does not.
//!
//! The daemon says what it knows; what the client sees is looked at here. It works outside of a project, with
//! a configuration at fault, and without a daemon, which is then a finding of its own.

use std::path::{Path, PathBuf};

use clada_protocol::method::Doctor;
use clada_protocol::{
    Check, CheckLevel, DoctorParams, DoctorResult, Method, count_of, visible_line, visible_path,
};
use rustix::termios::tcgetwinsize;
use serde::Serialize;

use super::review;
use crate::Process;
use crate::clipboard::Clipboard;
use crate::connect::{Connector, OnInterrupt, SocketFolder, daemon_program, socket_folder};
use crate::exit::{Failure, Status};
use crate::output::{print_json, print_text};
use crate::request::typed;
use crate::root;
use crate::settings::{Settings, Spawn};

const NARROW: u16 = 40;

const EDITORS: [(&str, &[&str], &[&str]); 3] = [
    (
        "Neovim",
        &["nvim"],
        &[".local/share/nvim/lazy", ".local/share/nvim/plugged", ".local/share/nvim/site/pack/*/start"],
    ),
    (
        "VS Code",
        &["code", "codium", "cursor"],
        &[".vscode/extensions", ".vscode-server/extensions", ".vscode-oss/extensions", ".cursor/extensions"],
    ),
    ("Emacs", &["emacs"], &[".emacs.d/elpa", ".config/emacs/elpa", ".emacs.d/lisp"]),
];

/// Everything that was found, as `--json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DoctorReport {
    checks: Vec<Check>,
    notes: usize,
    faults: usize,
}

pub(super) fn run(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let mut checks = vec![Check::ok("client", format!("clada-client {}", env!("CARGO_PKG_VERSION")))];
    checks.push(socket(process, settings));
    checks.extend(daemon(process, settings));
    checks.push(agents(process));
    checks.push(clipboard(process));
    checks.push(full_screen(process));
    checks.extend(editors(process));
    checks.push(terminal(process, settings));
    let count = |level| checks.iter().filter(|check| check.level == level).count();
    let (notes, faults) = (count(CheckLevel::Note), count(CheckLevel::Fault));
    let findings = DoctorReport { notes, faults, checks };
    if settings.json {
        let json = serde_json::to_string(&findings).map_err(|error| {
            Failure::new(Status::Failed, format!("the findings cannot be written: {error}"))
        })?;
        print_json(process, &json)?;
    } else {
        print_text(process, text(&findings, settings.colours))?;
    }
    Ok(if faults > 0 { Status::Failed } else { Status::Ok })
}

fn text(findings: &DoctorReport, colours: bool) -> String {
    let mut text = String::new();
    for Check { name, level, text: finding, advice } in &findings.checks {
        let word = format!("{:<5}", level.name());
        let word = match (colours, level) {
            (false, _) | (true, CheckLevel::Unknown) => word,
            (true, CheckLevel::Ok) => format!("\u{1b}[32m{word}\u{1b}[0m"),
            (true, CheckLevel::Note) => format!("\u{1b}[33m{word}\u{1b}[0m"),
            (true, CheckLevel::Fault) => format!("\u{1b}[31m{word}\u{1b}[0m"),
        };
        text.push_str(&format!("{word}  {:<9}  {}\n", visible_line(name), visible_line(finding)));
        if let Some(advice) = advice {
            text.push_str(&format!("{:18}-> {}\n", "", visible_line(advice)));
        }
    }
    let (notes, faults) = (count_of(findings.notes, "note"), count_of(findings.faults, "fault"));
    text.push_str(&format!("{faults}, {notes}\n"));
    text
}

fn socket(process: &Process, settings: &Settings) -> Check {
    match socket_folder(process, settings) {
        Ok(SocketFolder { socket, mode: Some(mode) }) => Check::ok(
            "socket",
            format!("{}; its folder is yours, mode {mode:04o}", visible_path(&socket.to_string_lossy())),
        ),
        Ok(SocketFolder { socket, mode: None }) => Check::ok(
            "socket",
            format!("{}; its folder is made when needed", visible_path(&socket.to_string_lossy())),
        ),
        Err(failure) => fault("socket", &failure),
    }
}

fn daemon(process: &mut Process, settings: &Settings) -> Vec<Check> {
    let (root, around) = match root::find(process, settings) {
        Ok(root) => (Some(root), None),
        Err(failure) if settings.root.is_some() => (None, Some(fault("project", &failure))),
        Err(failure) => {
            (None, Some(Check::note("project", failure.message, failure.hint.unwrap_or_default())))
        }
    };
    let reached = Connector::new(process, settings).and_then(|mut connector| {
        let result = connector.call(Doctor::NAME, &DoctorParams { root }, OnInterrupt::End)?;
        typed::<DoctorResult>(Doctor::NAME, &result)
    });
    let mut checks = match reached {
        Ok(result) => result.checks,
        Err(failure) if settings.spawn == Spawn::Never && failure.status == Status::NoDaemon => {
            vec![Check::note(
                "daemon",
                format!(
                    "{}: state, sandbox, configuration, project and git are not checked",
                    failure.message
                ),
                "leave out --no-spawn",
            )]
        }
        Err(failure) => vec![fault("daemon", &failure)],
    };
    checks.extend(around);
    checks
}

fn fault(name: &str, failure: &Failure) -> Check {
    Check::fault(name, failure.message.clone(), failure.hint.clone().unwrap_or_default().replace('\n', " "))
}

fn agents(process: &Process) -> Check {
    match daemon_program(process) {
        Ok(program) => Check::ok(
            "agents",
            format!(
                "`{} mcp` serves them. An agent that can run unsandboxed programs as you is you: it can answer its own \
                 approvals",
                visible_path(&program.to_string_lossy())
            ),
        ),
        Err(failure) => fault("agents", &failure),
    }
}

fn clipboard(process: &Process) -> Check {
    let tools = Clipboard::of(process);
    let advice = tools.advice();
    match (tools.copies_by(), tools.pastes_by()) {
        (Some(copies), Some(pastes)) if copies == pastes => {
            Check::ok("clipboard", format!("{copies} copies and pastes"))
        }
        (Some(copies), Some(pastes)) => Check::ok("clipboard", format!("{copies} copies, {pastes} pastes")),
        (Some(copies), None) => Check::note("clipboard", format!("{copies} copies, nothing pastes"), advice),
        (None, Some(pastes)) => Check::note("clipboard", format!("{pastes} pastes, nothing copies"), advice),
        (None, None) => Check::note("clipboard", "there is no tool for --paste and --copy", advice),
    }
}

fn full_screen(process: &Process) -> Check {
    match review::program(process) {
        Ok(program) => Check::ok("review", visible_path(&program.to_string_lossy()).into_owned()),
        Err(_) => Check::note(
            "review",
            format!("{}, the full screen of `clada review`, was not found", review::PROGRAM),
            "install it next to clada; `clada apply -i` works without it",
        ),
    }
}

/// A client that is loaded from a checkout is not seen.
fn editors(process: &Process) -> Vec<Check> {
    let folders =
        process.var("PATH").map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
    let is_there =
        |name: &&str| folders.iter().any(|folder| folder.is_absolute() && folder.join(name).is_file());
    let home = process.var("HOME").map(PathBuf::from);
    let mut checks: Vec<Check> = EDITORS
        .iter()
        .filter(|(_, programs, _)| programs.iter().any(&is_there))
        .map(|(editor, _, places)| {
            let editors =
                home.as_deref().and_then(|home| places.iter().find_map(|place| client_in(home, place)));
            let text = match editors {
                Some(path) => format!("{editor} has its client in {}", visible_path(&path.to_string_lossy())),
                None => format!("{editor} is here; its client was not found in the usual places"),
            };
            Check::ok("editors", text)
        })
        .collect();
    if checks.is_empty() {
        checks.push(Check::ok("editors", "none of Neovim, VS Code and Emacs is in PATH"));
    }
    checks
}

/// Returns what is called after clada in the folder `place` below `home`; a `*` in it stands for any one name.
fn client_in(home: &Path, place: &str) -> Option<PathBuf> {
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let folders = match place.split_once("/*") {
        Some((before, after)) => entries(&home.join(before))
            .into_iter()
            .map(|folder| folder.join(after.trim_start_matches('/')))
            .collect(),
        None => vec![home.join(place)],
    };
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().contains("clada"));
    folders.iter().flat_map(|folder| entries(folder)).find(named)
}

fn terminal(process: &Process, settings: &Settings) -> Check {
    let Some(file) = process.terminal() else {
        return Check::ok("terminal", "none: clada cannot ask, and skips what needs approval");
    };
    let colour = if settings.terminal_colours { "colour" } else { "no colour" };
    let is_dumb = process.var("TERM").is_none_or(|term| term == "dumb");
    let paste = if is_dumb { "no bracketed paste" } else { "bracketed paste" };
    let width = tcgetwinsize(&file).map(|size| size.ws_col).unwrap_or_default();
    let text = format!("{colour}, {width} columns, {paste}");
    if (1..NARROW).contains(&width) {
        return Check::note("terminal", text, format!("make it {NARROW} columns wide, or more"));
    }
    Check::ok("terminal", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_finding_and_one_thing_to_do() {
        let checks = vec![
            Check::ok("client", "all well"),
            Check::note("git", "a merge\u{1b}", "finish it"),
            Check::fault("config", "line 3", ""),
        ];
        let findings = DoctorReport { checks, notes: 1, faults: 1 };
        let expected = "ok     client     all well\nnote   git        a merge\\u{1b}\n                  -> finish it\n\
                        fault  config     line 3\n1 fault, 1 note\n";
        assert_eq!(text(&findings, false), expected);
        assert!(text(&findings, true).starts_with("\u{1b}[32mok   \u{1b}[0m  client"));
    }

    #[test]
    fn a_client_is_found_in_the_usual_places() {
        let home = tempfile::tempdir().unwrap();
        let place = ".local/share/nvim/site/pack/*/start";
        assert_eq!(client_in(home.path(), place), None);
        let plugin = home.path().join(".local/share/nvim/site/pack/mine/start/clada.nvim");
        std::fs::create_dir_all(&plugin).unwrap();
        assert_eq!(client_in(home.path(), place), Some(plugin));
        let extension = home.path().join(".vscode/extensions/clada.clada-0.1.0");
        std::fs::create_dir_all(&extension).unwrap();
        assert_eq!(client_in(home.path(), ".vscode/extensions"), Some(extension));
    }
}
