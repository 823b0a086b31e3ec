//! Plans of `run` and `exec`: what a command means, whether it may run at all, and what the user is asked
//! about it.
//!
//! Looks for programs and folders; starts nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_exec::words::{self, Command};
use clada_exec::{Language, Sandbox};
use clada_fs::{RootedPath, Roots};
use clada_protocol::{Approval, ErrorKind};
use clada_schema::{Exec, Run};

use super::planner::Planner;
use super::refusals::unavailable;
use crate::command::{Commands, PlannedCommand, program_file};
use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::view::Node;
use crate::write::Before;

const UNKNOWN: &str = "it can do anything, and so can code that the answer wrote";

impl Planner<'_> {
    pub(super) fn run(&mut self, run: &Run, step: &Step) -> Result<Effect, Failure> {
        let commands = self.commands()?;
        let text = run.command.trim();
        let refused = |refusal: words::Refusal| {
            let message = format!("{refusal} (COMMAND_NOT_ALLOWED)");
            Failure::with_message(ErrorKind::CommandNotAllowed, message).hint(refusal.hint())
        };
        let command = words::command(text).map_err(refused)?;
        let folder = self.folder_of_command(run.dir.as_deref().unwrap_or(&commands.folder), "run")?;
        let (words, why) = match command {
            Command::BuiltIn(built_in) => return self.built_in(&built_in, &folder, step),
            Command::ReadOnly(reading) => {
                let sandbox = self.sandbox(&commands)?;
                match self.kept_to_reading(&reading, &folder, sandbox) {
                    // What cannot be kept to reading is run like any other program: after the user was asked,
                    // with the reason.
                    Err(why) => ([vec![reading.program.to_owned()], reading.arguments].concat(), Some(why)),
                    Ok(git) => {
                        let mut command = self.reading(text, &reading, &folder, sandbox, &commands)?;
                        command.git = git;
                        return Ok(Effect::Command(Box::new(command)));
                    }
                }
            }
            Command::Foreign { words, why } => (words, why),
        };
        let absolute = self.on_disk(&folder);
        let program = program_file(&words[0], &absolute, &commands.environment)
            .ok_or_else(|| not_found(&words[0], commands.path()))?;
        let sandbox = self.sandbox(&commands)?;
        let mut command = PlannedCommand::new(&commands, sandbox, program, absolute);
        command.text = text.to_owned();
        command.spec.arguments = words[1..].iter().map(Into::into).collect();
        let trusted = commands.trusted(text, &command.spec.folder);
        let trusted = trusted.filter(|trusted| trusted.why_not_for(&command.spec.program).is_none());
        if let (Some(trusted), Some(enclosure)) = (trusted, &mut command.spec.enclosure) {
            enclosure.network = trusted.network;
        }
        command.script = self.script(&command.spec.program, &words[1..], &folder);
        self.why_asked = why;
        Ok(Effect::Command(Box::new(command)))
    }

    /// Returns the hash of the file of the project that a command runs, as it will be when it is its turn: `program`,
    /// or else the first of its `arguments` that names a file, since that is what an interpreter runs.
    fn script(&mut self, program: &Path, arguments: &[String], folder: &RootedPath) -> Option<blake3::Hash> {
        let program = program.to_str().and_then(|program| self.state_of_file(program, folder));
        program.or_else(|| arguments.iter().find_map(|argument| self.state_of_file(argument, folder)))
    }

    fn state_of_file(&mut self, written: &str, folder: &RootedPath) -> Option<blake3::Hash> {
        if written.starts_with('-') {
            return None;
        }
        let mut path = self.path_in(folder, written).ok()?;
        let mut node = self.view.node(&path).ok()?;
        if matches!(node, Node::Symlink { .. }) {
            path = self.view.roots().follow(&path).ok()?;
            node = self.view.node(&path).ok()?;
        }
        if !matches!(node, Node::File(_)) {
            return None;
        }
        match self.view.before(&path, &node, self.rules.max_file_size).ok()? {
            Before::Content(hash) => Some(hash),
            before => Some(blake3::hash(format!("{before:?}").as_bytes())),
        }
    }

    pub(super) fn exec(&mut self, exec: &Exec) -> Result<Effect, Failure> {
        let commands = self.commands()?;
        let of_language = |error: clada_exec::LanguageError| {
            let kind = match &error {
                clada_exec::LanguageError::NotFound(_) => ErrorKind::FileNotFound,
                _ => ErrorKind::InvalidValue,
            };
            Failure::with_message(kind, error.to_string()).hint(error.hint())
        };
        let language = Language::named(exec.lang.name()).map_err(of_language)?;
        let program = language.resolve(exec.version.as_deref(), commands.path()).map_err(of_language)?;
        let folder = self.folder_of_command(exec.cwd.as_deref().unwrap_or(&commands.folder), "exec")?;
        let folder = self.on_disk(&folder);
        let command = PlannedCommand::new(&commands, self.sandbox(&commands)?, program, folder);
        let mut command = command.unless_asked(&commands);
        command.text.clone_from(&exec.code);
        command.language = Some(language);
        command.action = "exec";
        if let Some(timeout) = exec.timeout.map(Duration::from_millis) {
            command.spec.bounds.time = timeout.min(commands.time);
        }
        if !command.is_long() {
            command.spec.arguments = language.arguments(&exec.code).map(Into::into).to_vec();
        }
        Ok(Effect::Command(Box::new(command)))
    }

    pub(super) fn command_approval(&self, step: &Step, command: &PlannedCommand) -> Option<Approval> {
        let commands = self.rules.commands.as_ref()?;
        if !command.may_change() {
            return None;
        }
        if command.unasked {
            return None;
        }
        let after_edit = commands.ask_after_edit && command.sandbox == Sandbox::None && self.has_changed;
        let trusted = commands.trusted(&command.text, &command.spec.folder);
        let trusted = trusted.filter(|_| command.language.is_none());
        let another = trusted.and_then(|trusted| trusted.why_not_for(&command.spec.program));
        let listed = trusted
            .is_some_and(|trusted| trusted.network == command.network() || command.sandbox == Sandbox::None);
        let reason = match (another, listed, after_edit) {
            (Some(another), ..) => another,
            (None, true, false) => return None,
            (None, true, true) => {
                "it is approved, but there is no sandbox, and the answer changes files before it".to_owned()
            }
            (None, false, _) => self.why_asked.clone().unwrap_or_else(|| UNKNOWN.to_owned()),
        };
        let reason = match command.sandbox.leaves() {
            Some(leaves) => format!("{reason}; {leaves}"),
            None => reason,
        };
        Some(command.approval(step, &commands.root, reason))
    }

    fn commands(&self) -> Result<std::sync::Arc<Commands>, Failure> {
        self.rules.commands.clone().ok_or_else(unavailable)
    }

    pub(super) fn sandbox(&self, commands: &Commands) -> Result<Sandbox, Failure> {
        commands.sandbox.clone().map_err(|reason| {
            Failure::with_message(ErrorKind::CommandNotAllowed, format!("{reason} (COMMAND_NOT_ALLOWED)"))
                .person("install bubblewrap, or set exec.sandbox to auto in your configuration")
        })
    }

    fn folder_of_command(&mut self, written: &str, action: &str) -> Result<RootedPath, Failure> {
        let missing = |written: &str| {
            let issue = "Working directory does not exist";
            let parameter = if action == "exec" { "cwd" } else { "dir" };
            Failure::at(ErrorKind::FileNotFound, issue, written, "ENOENT")
                .hint(format!("`{parameter}` is a folder of the project, from its root"))
        };
        let folder = match self.view.roots().resolve(written) {
            // A folder that is made up lies nowhere, which says more than that it lies outside.
            Err(error) if error.kind() == ErrorKind::PathEscape && is_nowhere(Path::new(written)) => {
                return Err(missing(written));
            }
            folder => folder?,
        };
        match self.view.node(&folder)? {
            Node::Folder => Ok(folder),
            Node::File(_) | Node::Special => {
                Err(Failure::at(ErrorKind::NotDirectory, "Not a directory", folder.written(), "ENOTDIR"))
            }
            node @ Node::Symlink { .. } => Err(super::refusals::not_a_file(&node, &folder)),
            Node::Missing => Err(missing(folder.written())),
        }
    }

    /// A path that a command names, from the folder that it runs in.
    pub(super) fn path_in(&mut self, folder: &RootedPath, written: &str) -> Result<RootedPath, Failure> {
        if Path::new(written).is_absolute() {
            return self.resolve(written);
        }
        let joined = self.on_disk(folder).join(written);
        Ok(self.view.roots().resolve(&joined.to_string_lossy())?)
    }

    pub(super) fn on_disk(&self, folder: &RootedPath) -> PathBuf {
        let root = self.view.roots().paths().nth(folder.root()).map(Path::to_path_buf).unwrap_or_default();
        if folder.is_root() { root } else { root.join(folder.relative()) }
    }
}

/// Returns whether not even the first folder of an absolute path is there. Nothing more is looked at: an answer
/// must not find out by this what lies outside of the project.
fn is_nowhere(path: &Path) -> bool {
    let first = path.ancestors().filter(|folder| folder.parent().is_some()).last();
    path.is_absolute() && first.is_some_and(|first| Roots::identity_outside(first).is_none())
}

pub(super) fn not_found(name: &str, path: &OsStr) -> Failure {
    if name == "cd" {
        let message = "cd changes nothing: each command runs in its own folder (ENOENT)".to_owned();
        return Failure::with_message(ErrorKind::FileNotFound, message)
            .hint("leave it out, and name the folder as the `dir` of each command");
    }
    let shown = clada_protocol::visible_line(name).into_owned();
    let path = path.to_string_lossy();
    Failure::with_message(ErrorKind::FileNotFound, format!("{shown} not found in PATH (ENOENT)")).hint(format!(
        "it is in none of {}: run another program, or ask a person to name its folder in PATH by `exec.env` in their \
         configuration; a file of the project is named with a slash, such as ./build",
        clada_protocol::visible_line(&path)
    ))
}
