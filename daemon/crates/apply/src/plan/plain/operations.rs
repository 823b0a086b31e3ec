//! Operations that an answer states without an edit block: deletions, moves, and shell commands that change files.
//!
//! ````text
//! ### Deleted file: `a.py`         deletes a.py
//! `a.py` → `b.py`                  moves a.py
//! mkdir -p d && git mv a.py d/     moves a.py to d/a.py; one command that cannot be done refuses the fence
//! ````

use std::collections::HashMap;
use std::path::Path;

use clada_dialects::plain::{Candidate, FileCommand, Form, read_commands};
use clada_protocol::{Attention, NamedBy, NotRead, ProposalForm};

use super::files::{EntryKind, ProjectFiles};
use super::new_file::{begins_a_file, is_foreign};
use super::new_folder::only_folder;
use super::tied::{BlockUse, BoundCandidate, Tied};
use super::versions::Draft;
use super::which::{FileTarget, relative};
use super::words;
use crate::plan::guard::elision;
use crate::read::proposal::Change;

pub(super) fn stated(
    bound: &BoundCandidate<'_>,
    blocks: &HashMap<String, BlockUse>,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
) {
    let candidate = bound.candidate;
    if blocks.contains_key(&bound.target.path) {
        return;
    }
    for target in std::iter::once(&bound.target).chain(&bound.others) {
        // Of a file that is not there nothing is to be done.
        if !target.exists {
            continue;
        }
        match &candidate.form {
            Form::Delete => {
                drafts.push(Draft::of_change(bound, target, ProposalForm::Delete, Change::Delete));
            }
            Form::Move { to } => {
                let to = of_folder(candidate, target, to, files);
                match new_path(target, &to, files) {
                    Ok(to) => {
                        drafts.push(Draft::of_change(bound, target, ProposalForm::Move, Change::Move(to)));
                    }
                    Err(reason) => tied.notices.push(words::stated(candidate, "move", &target.path, &reason)),
                }
            }
            _ => {}
        }
    }
}

// The most files of a folder that an answer moves.
const MOST_FILES: usize = 200;

// Returns the folder of the project that `candidate` names for an operation.
fn named_folder(candidate: &Candidate, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    let mention = candidate.groups.first()?.mentions.first()?;
    let path = relative(mention.path.strip_suffix('/')?, files)?;
    if files.kind(&path) == EntryKind::Folder {
        return Some(path);
    }
    // What goes is never guessed.
    let only = only_folder(Path::new(&path), files).filter(|_| candidate.form != Form::Delete)?;
    Some(only.to_string_lossy().into_owned())
}

// Returns the files of `folder` that are to move.
fn files_of_folder(folder: &str, files: &mut ProjectFiles<'_, '_>) -> Result<Vec<String>, &'static str> {
    let inside = files.names().files().filter(|file| file.starts_with(folder));
    let mut inside: Vec<String> = inside.map(|file| file.to_string_lossy().into_owned()).collect();
    inside.sort();
    let is_many = inside.len() > MOST_FILES || files.names().is_cut();
    if is_many { Err("it is a folder with many files") } else { Ok(inside) }
}

// Returns the files of the folder that `candidate` moves, or a notice: no folder is deleted.
pub(super) fn folder(
    candidate: &Candidate,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<Result<Vec<FileTarget>, NotRead>> {
    let path = named_folder(candidate, files)?;
    let inside = files_of_folder(&path, files);
    // A folder that is made again has no files of its own: "Delete `node_modules/` and install."
    if inside.as_ref().is_ok_and(Vec::is_empty) {
        return None;
    }
    let refused = |kind: &str, reason: &str| Some(Err(words::stated(candidate, kind, &path, reason)));
    match (&candidate.form, inside) {
        (Form::Move { to }, _)
            if [to, &to_beside(&path, to)].into_iter().any(|to| files.kind(to) == EntryKind::Folder) =>
        {
            refused("move", "the project has the new folder already; name each file")
        }
        (Form::Move { .. }, Ok(inside)) => {
            // "The `core` package" may be in a folder of packages.
            let mention = candidate.groups.first().and_then(|group| group.mentions.first());
            let written =
                mention.map(|mention| &mention.path).filter(|written| *written != &format!("{path}/"));
            let target =
                |path: String| FileTarget { path, exists: true, written: written.cloned(), named: None };
            Some(Ok(inside.into_iter().map(target).collect()))
        }
        (Form::Move { .. }, Err(reason)) => refused("move", reason),
        (Form::Delete, _) => refused("delete", "it is a folder; name each file"),
        _ => None,
    }
}

// Returns the new path of `folder`: a bare new name stays beside the old one.
fn to_beside(folder: &str, to: &str) -> String {
    let above = folder.rsplit_once('/').filter(|_| !to.contains('/'));
    above.map_or_else(|| to.to_owned(), |(above, _)| format!("{above}/{to}"))
}

// Returns the new path of `target`, if it is in the folder that `candidate` moves; else `to`, that of the file itself.
fn of_folder(
    candidate: &Candidate,
    target: &FileTarget,
    to: &str,
    files: &mut ProjectFiles<'_, '_>,
) -> String {
    let folder = named_folder(candidate, files);
    let inside = folder.as_ref().and_then(|folder| Some((folder, target.path.strip_prefix(&**folder)?)));
    inside.map_or_else(|| to.to_owned(), |(folder, inside)| format!("{}{inside}", to_beside(folder, to)))
}

fn new_path(target: &FileTarget, to: &str, files: &mut ProjectFiles<'_, '_>) -> Result<String, String> {
    let Some(mut path) = relative(to, files) else { return Err(format!("'{to}' is outside of the project")) };
    // What precedes the project's own folders in the old path precedes them in the new one.
    if let Some(written) = &target.written
        && let Some(made_up) = written.strip_suffix(&target.path)
        && let Some(inside) = to.strip_prefix(made_up)
    {
        path = inside.to_owned();
    }
    // So does what a bare name leaves out, where only below it the new folder is.
    if target.written.is_some() && files.kind(first_folder(&path)) == EntryKind::Missing {
        let above = Path::new(&target.path).ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        let mut inside = above.map(|above| above.join(&path).to_string_lossy().into_owned());
        let has_folder = |inside: &String| {
            let folder = inside.rsplit_once('/').map_or("", |(folder, _)| folder);
            files.kind(inside) == EntryKind::Folder || files.kind(folder) == EntryKind::Folder
        };
        path = inside.find(has_folder).unwrap_or(path);
    }
    if to.ends_with('/') || files.kind(&path) == EntryKind::Folder {
        let name = target.path.rsplit('/').next().unwrap_or(&target.path);
        path = format!("{path}/{name}");
    }
    if let Some(reason) = files.denied(&path) {
        return Err(reason.trim_end_matches('.').to_owned());
    }
    match files.kind(&path) {
        EntryKind::Missing => Ok(path),
        _ => Err(format!("'{path}' exists")),
    }
}

fn first_folder(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

// Returns the moves of `drafts`: the old path and the new one.
fn moves(drafts: &[Draft]) -> Vec<(String, String)> {
    let paths = |draft: &Draft| match &draft.proposal.change {
        Change::Move(to) => Some((draft.proposal.path.clone(), to.clone())),
        _ => None,
    };
    drafts.iter().filter_map(paths).collect()
}

// Ties code for the new path of a file that moves to that file, unless it is a file of its own: "Move `a.py` to `b.py`. Then
// change its first line:".
pub(super) fn bind_to_moved(
    bound: &mut [BoundCandidate<'_>],
    drafts: &[Draft],
    files: &mut ProjectFiles<'_, '_>,
) {
    let count = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    for (from, to) in moves(drafts) {
        let Some(old) = files.text(&from) else { continue };
        for one in bound.iter_mut().filter(|one| one.target.path == to && !one.target.exists) {
            let content = &one.candidate.content;
            let is_own = one.candidate.form == Form::Code
                && begins_a_file(&to, content)
                && 2 * count(content) >= count(&old)
                && elision::elided_in_listing(content, Path::new(&to)).is_none();
            if !is_own {
                (one.target.path, one.target.exists) = (from.clone(), true);
            }
        }
    }
}

/// A move of a file that the answer also shows under its new name: the old one goes, the new one is written. Never without a
/// question, since one of the two may be left out.
pub(super) fn settle_moves(drafts: &mut [Draft]) {
    for (_, to) in moves(drafts) {
        let is_written =
            |one: &Draft| one.proposal.path == to && matches!(one.proposal.change, Change::Write(_));
        if !drafts.iter().any(is_written) {
            continue;
        }
        for draft in drafts.iter_mut().filter(|one| one.proposal.change == Change::Move(to.clone())) {
            draft.doubt(format!("Moves to {to}, which the answer shows."));
            let proposal = &mut draft.proposal;
            proposal.attention.retain(|reason| *reason != Attention::Move);
            proposal.attention.insert(0, Attention::Deletion);
            (proposal.form, proposal.change) = (ProposalForm::Delete, Change::Delete);
        }
    }
}

/// Adds what the commands of `candidate` do: all of them, or none and a notice.
pub(super) fn commands(
    number: usize,
    candidate: &Candidate,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
) {
    // What earlier fences leave is what these commands begin with.
    let texts = drafts
        .iter()
        .filter_map(|draft| Some((draft.proposal.path.clone(), draft.commanded_text()?.to_owned())));
    let mut fence = CommandFence { number, candidate, texts: texts.collect(), drafts: Vec::new() };
    let commands = read_commands(&candidate.content).unwrap_or_default();
    // An empty file of a language that the project does not speak is that of a guide.
    let is_foreign_sample = |command: &FileCommand| match command {
        FileCommand::Touch { path } => is_foreign(path, files.names()),
        _ => false,
    };
    if commands.iter().all(is_foreign_sample) {
        return;
    }
    // Commands on files of which the project has none are those of a guide.
    let own = commands.iter().find_map(|command| match command {
        FileCommand::Write { path, .. } => (!files.is_ignored(path)).then(|| path.clone()),
        FileCommand::Touch { path } | FileCommand::Remove { path } => {
            is_file(path, files).then(|| path.clone())
        }
        FileCommand::Move { from, .. } | FileCommand::Copy { from, .. } => {
            let is_own =
                is_file(from, files) || files.kind(from) == EntryKind::Folder && !files.is_ignored(from);
            is_own.then(|| from.clone())
        }
    });
    for command in commands {
        if let Err((path, reason)) = fence.add(command, files) {
            let own = own.map(|own| {
                let at = candidate.content.lines().position(|line| line.contains(&own)).unwrap_or(0);
                let line = candidate.lines.start + 1 + u32::try_from(at).unwrap_or(0);
                let notice = words::stated(candidate, "commands", &own, &format!("{path}: {reason}"));
                NotRead { line, end_line: Some(line), ..notice }
            });
            tied.notices.extend(own);
            return;
        }
    }
    let goes_on = |earlier: &Draft| {
        let is_of_it =
            |own: &Draft| own.proposal.path == earlier.proposal.path && own.commanded_text().is_some();
        earlier.commanded_text().is_some() && fence.drafts.iter().any(is_of_it)
    };
    drafts.retain(|earlier| !goes_on(earlier));
    drafts.append(&mut fence.drafts);
}

fn is_file(path: &str, files: &mut ProjectFiles<'_, '_>) -> bool {
    files.kind(path) == EntryKind::File && !files.is_ignored(path)
}

/// The commands of a fence, done one after the other.
struct CommandFence<'c> {
    number: usize,
    candidate: &'c Candidate,
    /// The texts that earlier commands leave, by their paths.
    texts: HashMap<String, String>,
    drafts: Vec<Draft>,
}

impl CommandFence<'_> {
    fn add(
        &mut self,
        command: FileCommand,
        files: &mut ProjectFiles<'_, '_>,
    ) -> Result<(), (String, String)> {
        match command {
            FileCommand::Write { path, content, append } => self.write(&path, &content, append, files),
            FileCommand::Touch { path } => match self.target(&path, files)? {
                // `touch` changes the time of a file that exists, which nobody wants from an answer.
                target if target.exists => Ok(()),
                target => self.push(&target, ProposalForm::New, String::new(), files),
            },
            FileCommand::Remove { path } => {
                let target = self.existing(&path, files)?;
                self.change(&target, ProposalForm::Delete, Change::Delete);
                Ok(())
            }
            FileCommand::Move { from, to } => {
                if let Some(folder) =
                    relative(&from, files).filter(|path| files.kind(path) == EntryKind::Folder)
                {
                    return self.move_folder(&folder, &to, files);
                }
                let target = self.existing(&from, files)?;
                let to = new_path(&target, &to, files).map_err(|reason| (target.path.clone(), reason))?;
                self.change(&target, ProposalForm::Move, Change::Move(to));
                Ok(())
            }
            FileCommand::Copy { from, to } => {
                let source = self.existing(&from, files)?;
                let text = files.text(&source.path).ok_or_else(|| {
                    (source.path.clone(), "the file is not text, or may not be read".to_owned())
                })?;
                let to = new_path(&source, &to, files).map_err(|reason| (source.path.clone(), reason))?;
                self.write(&to, &text, false, files)
            }
        }
    }

    // Moves all files of `folder`: into the folder `to`, if there is one.
    fn move_folder(
        &mut self,
        folder: &str,
        to: &str,
        files: &mut ProjectFiles<'_, '_>,
    ) -> Result<(), (String, String)> {
        let refuse = |reason: &str| (folder.to_owned(), reason.to_owned());
        let to = relative(to, files).ok_or_else(|| refuse("the new path is outside of the project"))?;
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let to = if files.kind(&to) == EntryKind::Folder { format!("{to}/{name}") } else { to };
        for path in files_of_folder(folder, files).map_err(refuse)? {
            let target = self.existing(&path, files)?;
            let new = format!("{to}{}", &path[folder.len()..]);
            let new = new_path(&target, &new, files).map_err(|reason| (path, reason))?;
            self.change(&target, ProposalForm::Move, Change::Move(new));
        }
        Ok(())
    }

    fn write(
        &mut self,
        path: &str,
        content: &str,
        append: bool,
        files: &mut ProjectFiles<'_, '_>,
    ) -> Result<(), (String, String)> {
        let target = self.target(path, files)?;
        let old = match self.texts.get(&target.path) {
            Some(text) => Some(text.clone()),
            None if target.exists => {
                let unreadable = || "the file is not text, too large, or may not be read".to_owned();
                Some(files.text(path).ok_or_else(|| (target.path.clone(), unreadable()))?.to_string())
            }
            None => None,
        };
        let (form, text) = match (&old, append) {
            (Some(old), true) => {
                let form = if target.exists { ProposalForm::Insertion } else { ProposalForm::New };
                let end = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
                (form, format!("{old}{end}{content}"))
            }
            (Some(_), false) if target.exists => (ProposalForm::Whole, content.to_owned()),
            _ => (ProposalForm::New, content.to_owned()),
        };
        // The same lines again, as from an answer that was applied before.
        let is_there = old.as_deref().is_some_and(|old| match append {
            true => content.lines().all(|line| old.lines().any(|known| known == line)),
            false => old == content,
        });
        if is_there { Ok(()) } else { self.push(&target, form, text, files) }
    }

    fn target(&self, path: &str, files: &mut ProjectFiles<'_, '_>) -> Result<FileTarget, (String, String)> {
        let refuse = |reason: String| (path.to_owned(), reason);
        let inside =
            relative(path, files).ok_or_else(|| refuse("the path is outside of the project".to_owned()))?;
        if let Some(reason) = files.denied(&inside) {
            return Err(refuse(reason.trim_end_matches('.').to_owned()));
        }
        if files.is_ignored(&inside) {
            return Err(refuse("git ignores the file".to_owned()));
        }
        // Proposals for one file are alternatives, of which the user takes one: these go together.
        let moves = |draft: &Draft| match &draft.proposal.change {
            Change::Move(to) => draft.proposal.path == inside || *to == inside,
            _ => false,
        };
        if self.drafts.iter().any(moves) {
            return Err(refuse("an earlier command moves a file from or to there".to_owned()));
        }
        let exists = match files.kind(&inside) {
            EntryKind::File => true,
            EntryKind::Missing => false,
            EntryKind::Folder | EntryKind::Other => return Err(refuse("it is not a file".to_owned())),
        };
        Ok(FileTarget { path: inside, exists, written: None, named: None })
    }

    fn existing(&self, path: &str, files: &mut ProjectFiles<'_, '_>) -> Result<FileTarget, (String, String)> {
        let target = self.target(path, files)?;
        if target.exists { Ok(target) } else { Err((path.to_owned(), "there is no such file".to_owned())) }
    }

    fn push(
        &mut self,
        target: &FileTarget,
        form: ProposalForm,
        text: String,
        files: &mut ProjectFiles<'_, '_>,
    ) -> Result<(), (String, String)> {
        let old = if target.exists { files.text(&target.path) } else { None };
        let draft = Draft::new(&self.bound(target), target, form, old.as_deref(), text.clone());
        // A second command for the same file goes on with what the first leaves.
        self.drafts.retain(|other| other.proposal.path != target.path);
        self.drafts.push(draft);
        self.texts.insert(target.path.clone(), text);
        Ok(())
    }

    fn change(&mut self, target: &FileTarget, form: ProposalForm, change: Change) {
        let draft = Draft::of_change(&self.bound(target), target, form, change);
        self.drafts.push(draft);
    }

    fn bound(&self, target: &FileTarget) -> BoundCandidate<'_> {
        BoundCandidate {
            number: self.number,
            candidate: self.candidate,
            target: target.clone(),
            named_by: NamedBy::Command,
            why: None,
            others: Vec::new(),
        }
    }
}
