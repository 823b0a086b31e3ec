//! The question before the very first answer of a user in a git repository: what becomes of the branch (spec:
//! daily, "Name, start, way in").
//!
//! Asked once: the choice goes to the user's configuration. Nobody is asked who has an operation on record, in
//! any project, or has set `git.mode`.

use std::path::{Path, PathBuf};

use clada_protocol::method::{ConfigSet, ConfigShow};
use clada_protocol::state::{MACHINE_IDS, state_folder};
use clada_protocol::{ConfigSetParams, ConfigShowParams, GitWhere, visible_line, visible_path};

use crate::Process;
use crate::args::Apply;
use crate::exit::{Failure, Status};
use crate::request::fetch;
use crate::settings::Settings;
use crate::terminal::{Prompter, Reply, Terminal, lost};
use crate::wrap::fitted;

const KEY: &str = "git.mode";

/// `None` leaves it to the configuration. After an error, nothing is to be applied.
pub(crate) fn ask_commit_place(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    root: &str,
) -> Result<Option<GitWhere>, Failure> {
    let is_given = args.commits.place().is_some() || args.dry_run || args.resume.is_some();
    if is_given {
        return Ok(None);
    }
    let Some(mut terminal) = Terminal::open(process, settings) else { return Ok(None) };
    let Some(text) = question(process, settings, root) else { return Ok(None) };
    terminal.show(&fitted(process, text)).map_err(|error| lost(&error))?;
    let place = loop {
        let Reply::Line(word) =
            terminal.ask("Where do commits go? [B,r,o] ").map_err(|error| lost(&error))?
        else {
            return Err(Failure::new(Status::Failed, "not answered: nothing was applied"));
        };
        match word.trim().to_ascii_lowercase().as_str() {
            "" | "b" | "branch" => break GitWhere::Branch,
            "r" | "refs" => break GitWhere::Refs,
            "o" | "n" | "no" | "none" | "off" => break GitWhere::Off,
            _ => {}
        }
    };
    let notice = save_place(process, settings, place);
    terminal.show(&notice).map_err(|error| lost(&error))?;
    Ok(Some(place))
}

pub(crate) fn question(process: &mut Process, settings: &Settings, root: &str) -> Option<String> {
    if process.var("CI").is_some() || !is_first(process) {
        return None;
    }
    let repository = repository(process, Path::new(root))?;
    // A daemon that does not say is asked nothing more.
    if origin_of_mode(process, settings, root).is_none_or(|origin| origin != "default") {
        return None;
    }
    let branch = branch(&repository);
    Some(explained(root, &visible_line(branch.as_deref().unwrap_or("HEAD"))))
}

pub(crate) fn save_place(process: &mut Process, settings: &Settings, place: GitWhere) -> String {
    let word = word(place);
    match keep(process, settings, word) {
        Ok(file) => format!("Saved {KEY}: {word} in {}.\n\n", visible_path(&file)),
        Err(why) => format!(
            "This holds for now only: {}. To keep it, write `git: {{mode: {word}}}` into your configuration.\n\n",
            visible_line(&why)
        ),
    }
}

fn explained(root: &str, branch: &str) -> String {
    format!(
        "\
{} is in a git repository, and this is the first answer that clada applies for you.
clada commits exactly what each answer changes, and never pushes. Choose once where:
  b  on this branch ({branch}). Uncommitted changes of the same files are committed first. `undo` removes \
         the commits
  r  alongside it, on refs/clada/{branch}: the branch stays as it is
  o  no commits; `undo` still works
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

fn is_first(process: &Process) -> bool {
    let id = MACHINE_IDS.iter().find_map(|path| std::fs::read_to_string(path).ok());
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    let folder = state_folder(process.var("XDG_STATE_HOME"), process.var("HOME"), id.as_deref(), &host);
    let Some(folder) = folder else { return false };
    let Ok(projects) = std::fs::read_dir(folder.join("projects")) else { return true };
    !projects.flatten().any(|project| project.path().join("operations.db").exists())
}

/// A work tree in the home folder counts for that folder alone.
fn repository(process: &Process, root: &Path) -> Option<PathBuf> {
    let home = process.var("HOME").map(PathBuf::from);
    let work_tree = root.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    (work_tree == root || Some(work_tree) != home.as_deref()).then(|| work_tree.to_owned())
}

fn branch(repository: &Path) -> Option<String> {
    let head = std::fs::read_to_string(repository.join(".git/HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

fn origin_of_mode(process: &mut Process, settings: &Settings, root: &str) -> Option<String> {
    let params = ConfigShowParams { root: Some(root.to_owned()), defaults: false, key: Some(KEY.to_owned()) };
    let shown = fetch::<ConfigShow>(process, settings, &params).ok()?;
    shown.settings.into_iter().find(|setting| setting.key == KEY).map(|setting| setting.origin)
}

fn keep(process: &mut Process, settings: &Settings, word: &str) -> Result<String, String> {
    let umask = Some(process.umask());
    let params = ConfigSetParams { root: None, key: KEY.to_owned(), value: word.to_owned(), umask };
    let saved = fetch::<ConfigSet>(process, settings, &params);
    saved.map(|saved| saved.path).map_err(|failure| failure.message)
}
