//! The question before the very first answer of a user in a git repository: what becomes of the branch (spec:
//! daily, "Name, start, way in").
//!
//! Asked once: the choice goes to the user's configuration. Nobody is asked who has an operation on record, in
//! any project, or has set `git.mode`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clada_protocol::method::ConfigShow;
use clada_protocol::state::{MACHINE_IDS, state_folder};
use clada_protocol::{ConfigShowParams, ConfigShowResult, GitWhere, Method, visible_line, visible_path};

use super::consent::gone;
use super::{requested, typed};
use crate::Process;
use crate::args::Apply;
use crate::exit::{Failure, Status};
use crate::settings::Settings;
use crate::terminal::{Reply, Terminal, User};

/// The setting that the choice goes to, and its section in the file.
const KEY: &str = "git.mode";
const SECTION: &str = "git:";

/// Returns where commits of this call go, if the user was asked. `None` leaves it to the configuration.
///
/// # Errors
/// The user ended the question, or the terminal is gone: then nothing is to be carried out.
pub(super) fn asked(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
) -> Result<Option<GitWhere>, Failure> {
    let is_given = args.commits.place().is_some() || args.dry_run || args.resume.is_some();
    if is_given || settings.json || process.var("CI").is_some() || !is_first(process) {
        return Ok(None);
    }
    let Some(repository) = repository(process, Path::new(root)) else { return Ok(None) };
    let Some(mut terminal) = Terminal::open(process) else { return Ok(None) };
    // A daemon that does not say is asked nothing more.
    if mode_of(process, settings, root).is_none_or(|(_, origin)| origin != "default") {
        return Ok(None);
    }
    let branch = branch(&repository);
    let shown = visible_line(branch.as_deref().unwrap_or("HEAD")).into_owned();
    terminal.show(&explained(root, &shown)).map_err(|error| gone(&error))?;
    let place = loop {
        let Reply::Line(word) =
            terminal.ask("Where do commits go? [B,r,n] ").map_err(|error| gone(&error))?
        else {
            return Err(Failure::new(Status::Failed, "not answered: nothing was carried out"));
        };
        match word.trim().to_ascii_lowercase().as_str() {
            "" | "b" | "branch" => break GitWhere::Branch,
            "r" | "refs" => break GitWhere::Refs,
            "n" | "no" | "none" | "off" => break GitWhere::Off,
            _ => {}
        }
    };
    let word = word(place);
    let said = match keep(process, settings, root, word) {
        Ok(file) => {
            format!("{KEY}: {word} is in {} now.\n\n", visible_path(&file.to_string_lossy()))
        }
        Err(why) => format!(
            "This holds for now only: {}. To keep it, write `git: {{mode: {word}}}` into your configuration.\n\n",
            visible_line(&why)
        ),
    };
    terminal.show(&said).map_err(|error| gone(&error))?;
    Ok(Some(place))
}

fn explained(root: &str, branch: &str) -> String {
    format!(
        "\
This is the first answer that clada carries out for you, and {} is in a git repository.
clada makes a commit of each answer, of exactly what it changed; nothing is pushed. Choose once where:
  b  on this branch ({branch}); what you have not committed of the same files is committed
     before. `undo` takes the commits off again
  r  beside it, on refs/clada/{branch}: the branch stays as it is
  n  no commits; `undo` works all the same
",
        visible_path(root)
    )
}

fn word(place: GitWhere) -> &'static str {
    match place {
        GitWhere::Branch => "branch",
        GitWhere::Refs => "refs",
        GitWhere::Off => "off",
    }
}

/// Returns whether the user has no operation on record: no project has a journal in the folder of state.
fn is_first(process: &Process) -> bool {
    let id = MACHINE_IDS.iter().find_map(|path| std::fs::read_to_string(path).ok());
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    let folder = state_folder(process.var("XDG_STATE_HOME"), process.var("HOME"), id.as_deref(), &host);
    let Some(folder) = folder else { return false };
    let Ok(projects) = std::fs::read_dir(folder.join("projects")) else { return true };
    !projects.flatten().any(|project| project.path().join("operations.db").exists())
}

/// Returns the folder of the work tree around `root`. One in the home folder counts for that folder alone.
fn repository(process: &Process, root: &Path) -> Option<PathBuf> {
    let home = process.var("HOME").map(PathBuf::from);
    let found = root.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    (found == root || Some(found) != home.as_deref()).then(|| found.to_owned())
}

/// Returns the branch that is checked out, where that is easily told.
fn branch(repository: &Path) -> Option<String> {
    let head = std::fs::read_to_string(repository.join(".git/HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// Returns value and origin of the setting.
fn mode_of(process: &mut Process, settings: &Settings, root: &str) -> Option<(String, String)> {
    let params = ConfigShowParams { root: Some(root.to_owned()), defaults: false, key: None };
    let result = requested(process, settings, ConfigShow::NAME, &params).ok()?;
    let shown: ConfigShowResult = typed(ConfigShow::NAME, &result).ok()?;
    let setting = shown.settings.into_iter().find(|setting| setting.key == KEY)?;
    Some((setting.value.as_str()?.to_owned(), setting.origin))
}

/// Writes the choice into the user's configuration; returns its path, or why it is not there.
fn keep(process: &mut Process, settings: &Settings, root: &str, word: &str) -> Result<PathBuf, String> {
    let absolute = |name: &str| process.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")));
    let file = folder.ok_or("HOME is not set")?.join("clada/config.yaml");
    let failed = |error: io::Error| format!("{} cannot be written: {error}", file.display());
    let before = match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    let after = with_mode(before.as_deref().unwrap_or_default(), word)
        .ok_or_else(|| format!("`{SECTION}` in {} is in a form that is not changed", file.display()))?;
    replace(&file, &after).map_err(failed)?;
    if mode_of(process, settings, root).is_some_and(|(value, origin)| value == word && origin != "default") {
        return Ok(file);
    }
    // The file was not as it looked.
    replace(&file, &before.unwrap_or_default()).map_err(failed)?;
    Err(format!("{} has faults", file.display()))
}

/// Returns the file's text with the setting, which it does not have. Comments and order stay.
fn with_mode(text: &str, word: &str) -> Option<String> {
    let is_section = |line: &str| {
        line.strip_prefix(SECTION).is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.is_empty() || rest.starts_with('#')
        })
    };
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(at) = lines.iter().position(|line| is_section(line)) {
        let is_content = |line: &&&str| !matches!(line.trim_start().chars().next(), None | Some('#'));
        let next = lines[at + 1..].iter().find(is_content);
        let indent = next.map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
        let own = format!("{}mode: {word}", " ".repeat(if indent == 0 { 2 } else { indent }));
        lines.insert(at + 1, &own);
        return Some(lines.join("\n") + "\n");
    }
    let is_other_form = |line: &str| ["git", "\"git", "'", "{"].iter().any(|begin| line.starts_with(begin));
    if lines.iter().any(|line| is_other_form(line)) {
        return None;
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{text}{end}{SECTION}\n  mode: {word}\n"))
}

/// Replaces the user's own file whole: through a link, if it is one.
#[allow(clippy::disallowed_methods, reason = "the file is the user's, not the project's")]
fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let new = file.with_extension(format!("yaml.{}", std::process::id()));
    let mut written = File::options().write(true).create_new(true).open(&new)?;
    if let Ok(before) = file.metadata() {
        written.set_permissions(before.permissions())?;
    }
    written.write_all(text.as_bytes()).and_then(|()| written.sync_all())?;
    std::fs::rename(&new, &file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_is_added_and_all_else_stays() {
        for (before, after) in [
            ("", Some("git:\n  mode: refs\n")),
            ("# mine\ndurability: fast", Some("# mine\ndurability: fast\ngit:\n  mode: refs\n")),
            (
                "git: # commits\n    # who\n    author: x\n\nmcp: {}\n",
                Some("git: # commits\n    mode: refs\n    # who\n    author: x\n\nmcp: {}\n"),
            ),
            ("git:\nmcp:\n  x: 1\n", Some("git:\n  mode: refs\nmcp:\n  x: 1\n")),
            ("# git:\n#   mode: branch\n", Some("# git:\n#   mode: branch\ngit:\n  mode: refs\n")),
            ("git: {author: x}\n", None),
            ("\"git\": {}\n", None),
            ("{durability: fast}\n", None),
        ] {
            assert_eq!(with_mode(before, "refs").as_deref(), after, "{before}");
        }
    }
}
