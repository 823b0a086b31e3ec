//! `self`: where clada's programs are, and their removal.
//!
//! - `installer`: how they were installed
//! - `leftovers`: the files that `uninstall` removes, and what it keeps
//!
//! Must not remove anything of a project, of the journal or of the user's settings.

mod installer;
mod leftovers;

use std::path::{Path, PathBuf};
use std::process::Command;

use clada_protocol::handshake::{StatusParams, StatusResult};
use clada_protocol::method::Status as StatusMethod;
use clada_protocol::{Method, count_of, visible_path};
use serde::Serialize;

use self::installer::Installer;
use self::leftovers::Leftovers;
use super::review;
use crate::Process;
use crate::args::{SelfCommand, UninstallArgs};
use crate::asking::keys::confirm;
use crate::connect::{Connector, daemon_program};
use crate::exit::{Failure, Status};
use crate::output::{print, print_json, print_text};
use crate::settings::Settings;
use crate::terminal::{Prompter as _, Terminal};

/// Everything that `status` shows, as `--json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct InstallationStatus {
    programs: Vec<Program>,
    #[serde(skip_serializing_if = "Option::is_none")]
    daemon: Option<RunningDaemon>,
    installed_by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    upgrade: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remove: Option<&'static str>,
}

/// A program of clada's.
#[derive(Debug, Serialize)]
struct Program {
    name: &'static str,
    /// Absent: it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    /// Absent: it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

/// The daemon that runs.
#[derive(Debug, Serialize)]
struct RunningDaemon {
    version: String,
    pid: u32,
}

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    command: Option<&SelfCommand>,
) -> Result<Status, Failure> {
    match command {
        None | Some(SelfCommand::Status) => status(process, settings),
        Some(SelfCommand::Uninstall(args)) => uninstall(process, settings, args),
    }
}

fn status(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let installer = installer(process);
    let programs = vec![
        Program { name: "clada", path: process.executable.clone(), version: Some(VERSION.to_owned()) },
        Program::located("clada-daemon", daemon_program(process).ok()),
        Program::located(review::PROGRAM, review::program(process).ok()),
    ];
    let status =
        Connector::new(process, settings)?.call_if_running(StatusMethod::NAME, &StatusParams::default());
    let status = status.and_then(|result| serde_json::from_str::<StatusResult>(result.get()).ok());
    let shown = InstallationStatus {
        programs,
        daemon: status.map(|status| RunningDaemon { version: status.version, pid: status.pid }),
        installed_by: installer.name(),
        upgrade: installer.upgrade(),
        remove: installer.remove().or(Some("clada self uninstall")),
    };
    if settings.json {
        let json = serde_json::to_string(&shown)
            .map_err(|error| Failure::new(Status::Failed, format!("it cannot be written: {error}")))?;
        print_json(process, &json)?;
    } else {
        print_text(process, text(&shown))?;
    }
    Ok(Status::Ok)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Program {
    fn located(name: &'static str, path: Option<PathBuf>) -> Program {
        let version = path.as_deref().and_then(version_of);
        Program { name, path, version }
    }
}

#[expect(clippy::disallowed_methods, reason = "programs of our own, which print a line and end")]
fn version_of(program: &Path) -> Option<String> {
    let output =
        Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
    let version_line = String::from_utf8(output.stdout).ok()?;
    version_line.split_whitespace().next_back().map(str::to_owned)
}

fn text(shown: &InstallationStatus) -> String {
    let mut text = String::new();
    for Program { name, path, version } in &shown.programs {
        let path = path.as_deref().map(self::shown);
        let (version, path) = (version.as_deref().unwrap_or("-"), path.as_deref().unwrap_or("not found"));
        text.push_str(&format!("{name:<13} {version:<8} {path}\n"));
    }
    match &shown.daemon {
        Some(RunningDaemon { version, pid }) => {
            text.push_str(&format!("running       {version:<8} process {pid}\n"))
        }
        None => text.push_str("No daemon runs.\n"),
    }
    text.push_str(&format!("Installed by {}.\n", shown.installed_by));
    if let Some(upgrade) = &shown.upgrade {
        text.push_str(&format!("Upgrade: {upgrade}\n"));
    }
    if let Some(remove) = &shown.remove {
        text.push_str(&format!("Remove: {remove}\n"));
    }
    text
}

fn installer(process: &Process) -> Installer {
    let program = process.executable.as_deref().and_then(|path| path.canonicalize().ok());
    program.map_or(Installer::Unknown, |program| Installer::from_program(&program))
}

fn uninstall(process: &mut Process, settings: &Settings, args: &UninstallArgs) -> Result<Status, Failure> {
    let installer = installer(process);
    let leftovers = Leftovers::find(process, settings, &installer)?;
    let mut lines: String = leftovers.files.iter().map(|file| format!("  {}\n", shown(file))).collect();
    if lines.is_empty() {
        lines.push_str("  nothing\n");
    }
    let question = format!("This stops the daemon and removes:\n{lines}{}", stays(&leftovers, &installer));
    if args.dry_run {
        print(process, &question)?;
        return Ok(Status::Ok);
    }
    if !args.yes {
        let mut terminal = Terminal::open(process, settings).ok_or_else(|| {
            Failure::usage("there is no terminal to ask at: nothing was removed")
                .hint("Remove it without a question with --yes; --dry-run shows what that is.")
        })?;
        let terminal_lost = |error: std::io::Error| {
            Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}"))
        };
        terminal.show(&question).map_err(terminal_lost)?;
        if !confirm(&mut terminal, "Remove it?").map_err(terminal_lost)? {
            process.complain("Nothing was removed.\n");
            return Ok(Status::Failed);
        }
    }
    // The units first: systemd would start the daemon again as soon as it has stopped.
    leftovers.disable_units();
    Connector::new(process, settings)?.stop()?;
    let (removed, failed) = leftovers.remove();
    let mut summary = format!("Removed {}.\n{}", count_of(removed, "file"), stays(&leftovers, &installer));
    for (file, error) in &failed {
        summary.push_str(&format!("Not removed: {}: {error}\n", shown(file)));
    }
    print(process, &summary)?;
    Ok(if failed.is_empty() { Status::Ok } else { Status::Failed })
}

fn stays(leftovers: &Leftovers, installer: &Installer) -> String {
    let mut text = String::new();
    if let Some(remove) = installer.remove() {
        text.push_str(&format!("Then remove the programs: {remove}\n"));
    } else if *installer == Installer::Unknown {
        text.push_str("The programs stay where they are.\n");
    }
    for (what, folder) in &leftovers.remaining_folders {
        text.push_str(&format!("Kept: {what}. Remove it: rm -r {}\n", shown(folder)));
    }
    text.push_str(
        "Projects keep their .clada folders and refs/clada: docs/uninstall.md says how to remove them.\n",
    );
    text
}

fn shown(path: &Path) -> String {
    visible_path(&path.to_string_lossy()).into_owned()
}
