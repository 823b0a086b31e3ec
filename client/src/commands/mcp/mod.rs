//! `mcp`: writes clada's server of tools into the settings of agents' hosts, takes it out, and says where it is.
//!
//! - `hosts`: the hosts, their files and what these say
//! - `edit`: the text of a file with or without clada (pure)
//!
//! Only clada's own entry changes; everything else of a file stays as it is, comments included. Needs no daemon.

mod edit;
mod hosts;

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clada_protocol::visible_path;
use clap::ValueEnum as _;

use self::hosts::{HOSTS, Host, HostEntry};
use crate::Process;
use crate::args::{HostArgs, HostName, McpCommand, ServeArgs};
use crate::asking::keys::confirm;
use crate::connect::daemon_program;
use crate::exit::{Failure, Status};
use crate::output::print;
use crate::root;
use crate::settings::Settings;
use crate::terminal::{Prompter as _, Terminal};

const LARGEST: u64 = 16 << 20;

pub(super) fn run(
    process: &mut Process,
    settings: &Settings,
    command: &McpCommand,
) -> Result<Status, Failure> {
    match command {
        McpCommand::Show(args) => {
            let place = HostPlace::new(process, settings, args)?;
            let file = visible_path(&place.file.to_string_lossy()).into_owned();
            print(process, &format!("{file}\n\n{}", place.host.form.lines(&place.entry)))?;
            Ok(Status::Ok)
        }
        McpCommand::Install(args) => change(process, settings, args, HostChange::Install),
        McpCommand::Remove(args) => change(process, settings, args, HostChange::Remove),
        McpCommand::Status => status(process, settings),
        McpCommand::Serve(args) => Err(serve(process, args)),
    }
}

/// Becomes the daemon's program that serves the host; returns why it cannot.
fn serve(process: &Process, args: &ServeArgs) -> Failure {
    // Registries of packages start a package by the program of its own name, which is this one.
    let program = match daemon_program(process) {
        Ok(program) => program,
        Err(failure) => return failure,
    };
    #[expect(clippy::disallowed_methods, reason = "this program becomes it")]
    let error = Command::new(&program).arg("mcp").args(&args.arguments).exec();
    Failure::new(Status::Failed, format!("{} cannot be run: {error}", program.display()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostChange {
    Install,
    Remove,
}

struct HostPlace {
    host: &'static Host,
    file: PathBuf,
    entry: HostEntry,
}

impl HostPlace {
    fn new(process: &mut Process, settings: &Settings, args: &HostArgs) -> Result<HostPlace, Failure> {
        let host = hosts::host(args.host);
        let of_user = args.user || host.project.is_none();
        let file = if of_user { of_user_file(process, host)? } else { None };
        let file = match (file, host.project) {
            (Some(file), _) => file,
            (None, Some(project)) => Path::new(&root::find(process, settings)?).join(project),
            (None, None) => {
                return Err(Failure::new(Status::Usage, format!("{} has no settings of a user", host.title)));
            }
        };
        let root = match host.needs_root {
            true => Some(root::find(process, settings)?),
            false => None,
        };
        let entry = HostEntry { command: program(process, of_user), root, read_only: args.read_only };
        Ok(HostPlace { host, file, entry })
    }
}

fn of_user_file(process: &Process, host: &Host) -> Result<Option<PathBuf>, Failure> {
    let Some(below) = host.user_file() else { return Ok(None) };
    let home = process.var("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| {
        Failure::new(Status::Failed, "the home folder is not known")
            .hint("Set HOME, or name the file yourself.")
    })?;
    Ok(Some(home.join(below)))
}

fn program(process: &Process, of_user: bool) -> String {
    // Hosts with windows have another PATH, so a user's own settings name the whole path; others share a
    // project's.
    const NAME: &str = "clada-daemon";
    let beside = process.executable.as_deref().and_then(Path::parent).map(|folder| folder.join(NAME));
    let path =
        beside.filter(|path| of_user && path.is_file()).and_then(|path| path.to_str().map(str::to_owned));
    path.unwrap_or_else(|| NAME.to_owned())
}

fn change(
    process: &mut Process,
    settings: &Settings,
    args: &HostArgs,
    change: HostChange,
) -> Result<Status, Failure> {
    let place = HostPlace::new(process, settings, args)?;
    let shown = visible_path(&place.file.to_string_lossy()).into_owned();
    let before = read(&place.file).map_err(|error| unreadable(&shown, &error))?;
    let old = before.as_deref().unwrap_or_default();
    let lines = place.host.form.lines(&place.entry);
    let by_hand = |why: String| {
        Failure::new(Status::Failed, format!("{shown} {why}")).hint(format!("Add it by hand:\n\n{lines}"))
    };
    let new = match change {
        HostChange::Install => place.host.form.with(old, &place.entry),
        HostChange::Remove => place.host.form.without(old),
    };
    let new = new.map_err(by_hand)?;
    if new == old {
        let is = if change == HostChange::Install { "names clada already" } else { "does not name clada" };
        print(process, &format!("{shown} {is}.\n"))?;
        return Ok(Status::Ok);
    }
    // The user sees the change before it is made: the file has other servers and settings, too.
    let question = match change {
        HostChange::Install if before.is_none() => format!("{shown} is new:\n\n{new}\n"),
        HostChange::Install => format!("{shown} gets:\n\n{lines}\n"),
        HostChange::Remove => format!("{shown} loses:\n\n{}\n", edit::difference(old, &new)),
    };
    if !args.yes && !agreed(process, settings, &question)? {
        return Ok(Status::Failed);
    }
    write(&place.file, &new).map_err(|error| {
        Failure::new(Status::Failed, format!("{shown} cannot be written: {error}"))
            .hint(format!("Add it by hand:\n\n{lines}"))
    })?;
    let (done, next) = match change {
        HostChange::Install => ("written", place.host.next),
        HostChange::Remove => ("written without clada", place.host.next),
    };
    print(process, &format!("{shown} is {done}. {next}\n"))?;
    Ok(Status::Ok)
}

fn agreed(process: &mut Process, settings: &Settings, question: &str) -> Result<bool, Failure> {
    let Some(mut terminal) = Terminal::open(process, settings) else {
        print(process, question)?;
        return Err(Failure::new(Status::Failed, "there is no terminal to ask at, so nothing was written")
            .hint("To write it without a question: the same command with --yes"));
    };
    let terminal_failed = |error: io::Error| {
        Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}"))
            .hint("Nothing is written.")
    };
    terminal.show(question).map_err(terminal_failed)?;
    confirm(&mut terminal, "Write this?").map_err(terminal_failed)
}

fn status(process: &mut Process, settings: &Settings) -> Result<Status, Failure> {
    let root = root::find(process, settings).ok();
    let (mut text, mut host_count, mut wrong) = (String::new(), 0, 0);
    for host in &HOSTS {
        let of_project = host.project.zip(root.as_deref()).map(|(file, root)| Path::new(root).join(file));
        let files = [of_project, of_user_file(process, host).unwrap_or_default()];
        for file in files.into_iter().flatten() {
            let shown = visible_path(&file.to_string_lossy()).into_owned();
            let host_state = match read(&file) {
                // Hosts that are not installed, or do not use clada, are not listed.
                Ok(None) => continue,
                Ok(Some(old)) => match host.form.command(&old) {
                    Ok(None) => continue,
                    Ok(Some(command)) => match runs(process, &command) {
                        true => format!("runs {command}"),
                        false => format!(
                            "WRONG: there is no program {command}; clada mcp install {} --yes",
                            name(host.name)
                        ),
                    },
                    Err(why) => format!("WRONG: it {why}"),
                },
                Err(error) => format!("WRONG: it cannot be read: {error}"),
            };
            host_count += 1;
            wrong += usize::from(host_state.starts_with("WRONG"));
            text.push_str(&format!("{:<15} {shown}: {host_state}\n", host.title));
        }
    }
    if host_count == 0 {
        text.push_str("No host's settings name clada. `clada mcp install HOST` adds it.\n");
    }
    print(process, &text)?;
    Ok(if wrong == 0 { Status::Ok } else { Status::Failed })
}

fn name(host: HostName) -> String {
    host.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn runs(process: &Process, command: &str) -> bool {
    let is_program = |path: &Path| {
        path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        return is_program(Path::new(command));
    }
    let folders = process.var("PATH").unwrap_or_default();
    std::env::split_paths(folders).any(|folder| is_program(&folder.join(command)))
}

fn read(file: &Path) -> io::Result<Option<String>> {
    match fs::metadata(file) {
        Ok(facts) if !facts.is_file() => Err(io::Error::other("it is not a file")),
        Ok(facts) if facts.len() > LARGEST => Err(io::Error::other("it is too large")),
        Ok(_) => fs::read_to_string(file).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn unreadable(shown: &str, error: &io::Error) -> Failure {
    Failure::new(Status::Failed, format!("{shown} cannot be read: {error}"))
}

/// Replaces a file at once, with its mode; where it is a link, the file that it leads to.
#[expect(clippy::disallowed_methods, reason = "a user's own settings, which lie in no project")]
fn write(file: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = target.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(&target).map_or(0o644, |facts| facts.permissions().mode() & 0o7777);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.clada-{}", std::process::id()));
    let mut new = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
    let written = new.write_all(text.as_bytes()).and_then(|()| new.sync_all());
    let moved = written.and_then(|()| fs::rename(&temporary, &target));
    if moved.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    moved
}
