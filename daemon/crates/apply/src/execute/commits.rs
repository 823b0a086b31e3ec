//! Commits an operation: what was dirty before it changes anything, and what it changed when it is over.
//!
//! Knows the change set of an operation and a repository; which repository, and whether there is any, the
//! engine says.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clada_config::message_of;
use clada_fs::Roots;
use clada_git::{
    Before, Changed, Commission, Content, GitError, GitMode, GitRepository, HeadAndIndex, Uncommitted,
};
use clada_journal::{Change, Committed as Where, Images, JournalPlace};
use clada_protocol::{ErrorKind, GitReport};

use crate::execute::change_set::ChangeSet;
use crate::failure::Failure;

/// The commits of one operation.
#[derive(Debug)]
pub struct Commits {
    state: RefCell<CommitProgress>,
    commission: Commission,
    requested: CommitRequest,
    undoes: Option<Undoes>,
}

/// The operation that is undone, whose commits are to be undone with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undoes {
    /// Its id.
    pub operation: String,
    /// The beginning of a commit's message.
    pub title: String,
    /// The redo that brought it back meanwhile, whose commits are what is to be undone then.
    pub brought_back_by: Option<String>,
    /// The way to go on if they are not on top of the branch.
    pub otherwise: Otherwise,
    /// True if only some of it is undone: its commits stay, with what stays of it.
    pub is_part: bool,
}

impl Undoes {
    fn operations(&self) -> impl Iterator<Item = &String> {
        self.brought_back_by.iter().chain([&self.operation]).filter(|_| !self.is_part)
    }
}

/// The way to go on if commits cannot be taken off the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// The reverse is committed.
    Commit,
    /// Nothing: there may be none.
    Leave,
}

/// The need for commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitRequest {
    /// The caller has said so.
    Yes,
    /// It is what is always done.
    No,
}

#[derive(Debug)]
struct CommitProgress {
    repository: GitRepository,
    /// The commit that the operation began from, since a first part of it has begun.
    before: Option<Before>,
    /// The head and the index that the command found, while it runs.
    head_and_index: Option<Result<HeadAndIndex, GitError>>,
    /// Paths that are not committed, since their dirty content could not be.
    refused: HashSet<PathBuf>,
    left_out: Uncommitted,
    begun: bool,
    report: GitReport,
    failure: Option<GitError>,
    not_begun: Option<GitError>,
    is_first: bool,
}

/// The result of the commits of an operation.
#[derive(Debug)]
pub struct Committed {
    /// The repository, to be kept open.
    pub repository: GitRepository,
    /// The report of them; `None` if nothing was to be changed.
    pub report: Option<GitReport>,
    /// Why what was changed is not committed.
    pub failure: Option<GitError>,
    /// It is the first commit in this repository, which nobody has asked for in so many words.
    pub is_first: bool,
}

impl Commits {
    /// Commits to `repository`, as `commission` says; its message is a format. An operation that takes
    /// another one back takes its commits back, too.
    #[must_use]
    pub fn new(
        repository: GitRepository,
        commission: Commission,
        requested: CommitRequest,
        undoes: Option<Undoes>,
    ) -> Commits {
        let report = GitReport { mode: commission.mode.name().to_owned(), ..GitReport::default() };
        let state = CommitProgress {
            repository,
            before: None,
            head_and_index: None,
            refused: HashSet::new(),
            left_out: Uncommitted::default(),
            begun: false,
            report,
            failure: None,
            not_begun: None,
            is_first: false,
        };
        Commits { state: RefCell::new(state), commission, requested, undoes }
    }

    pub(crate) fn command_begins(&self) {
        let mut state = self.state.borrow_mut();
        state.head_and_index = Some(state.repository.head_and_index());
    }

    /// The command has ended, and what it changed was handed to [`Commits::begin`]. What it has done to HEAD
    /// was asked for.
    pub(crate) fn command_ended(&self) {
        let CommitProgress { repository, before, head_and_index, failure, .. } =
            &mut *self.state.borrow_mut();
        *head_and_index = None;
        if let Some(before) = before
            && let Err(error) = repository.see_head(before, self.commission.now)
        {
            *failure = Some(error);
        }
    }

    /// Commits what is dirty of what `change_set` is about to change, or a command has changed, but at the
    /// places where an `earlier` part of the operation has changed something: that is committed after it.
    ///
    /// # Errors
    /// If that cannot be done: then nothing may be changed, and what a command has changed is not committed.
    pub(crate) fn begin(
        &self,
        change_set: &ChangeSet,
        earlier: &HashSet<JournalPlace>,
    ) -> Result<(), Failure> {
        if self.only_takes_back() {
            return Ok(());
        }
        let mut state = self.state.borrow_mut();
        let at = |place: &JournalPlace| place.root.join(&place.relative);
        let places = change_set.places();
        let earlier: HashSet<PathBuf> = earlier.iter().map(at).collect();
        let mut changed = change_set.planned_contents();
        changed.retain(|changed| !earlier.contains(&changed.path));
        if state.head_and_index.is_some() {
            // What is too large to be held is what the command made of it by now.
            changed.retain(|changed| !matches!(changed.before, Some(Content::OnDisk { .. })));
        }
        let own: HashSet<PathBuf> = places.iter().map(at).chain(earlier).collect();
        let begun = self.begin_part(&mut state, &changed, &own);
        state.begun |= begun.is_ok();
        begun.map_err(|error| {
            state.not_begun = Some(error.clone());
            if state.head_and_index.is_some() {
                state.refused.extend(places.iter().map(at));
            }
            Failure::with_message(ErrorKind::GitOperationFailed, nothing_changed(&error))
                .hint(error.hint())
                .person("--no-git changes files without commits")
        })
    }

    fn begin_part(
        &self,
        state: &mut CommitProgress,
        changed: &[Changed],
        own: &HashSet<PathBuf>,
    ) -> Result<(), GitError> {
        let takes_back = self.can_retract(&state.repository)?;
        let CommitProgress { repository, before, head_and_index, left_out, report, .. } = state;
        let head_and_index = match head_and_index {
            Some(Ok(head_and_index)) => Some(&*head_and_index),
            Some(Err(error)) => return Err(error.clone()),
            None => None,
        };
        if self.requested == CommitRequest::Yes {
            repository.refuse_submodules(changed)?;
        }
        repository.leave_out(changed, left_out)?;
        let mut begun = match before.take() {
            Some(before) => before,
            None => repository.begin()?,
        };
        let done = match takes_back {
            true => Ok(()),
            false => repository.before(&mut begun, changed, own, head_and_index, &self.commission),
        };
        report.before.clone_from(&begun.commit);
        left_out.hold_back(begun.held_back.drain(..));
        *before = Some(begun);
        done
    }

    /// Returns true if there are commits that can be taken off the branch, so that none has to come on top of
    /// them.
    fn can_retract(&self, repository: &GitRepository) -> Result<bool, GitError> {
        let (Some(undoes), GitMode::Branch) = (&self.undoes, self.commission.mode) else { return Ok(false) };
        for operation in undoes.operations() {
            if repository.can_retract(operation)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn not_begun(&self) -> Option<String> {
        let state = self.state.borrow();
        state
            .not_begun
            .as_ref()
            .map(|error| format!("{}. To continue: {}", nothing_changed(error), error.hint()))
    }

    pub(crate) fn end(&self, change_set: &ChangeSet, root: Option<&Path>) {
        let mut changed = change_set.made_contents();
        if self.only_takes_back() {
            if !changed.is_empty() {
                self.take_back(&changed);
            }
            return;
        }
        let mut state = self.state.borrow_mut();
        changed.retain(|changed| !state.refused.contains(&changed.path));
        state.report.note = state.left_out.note();
        // No part of the operation has begun, so there is nothing to commit.
        let Some(before) = state.before.take() else { return };
        if changed.is_empty() {
            return self.call_off(&mut state, &before);
        }
        let summary = clada_journal::summary(change_set.done(), root);
        let summary = match &self.undoes {
            Some(Undoes { title, .. }) => format!("{title}: {summary}"),
            None => summary,
        };
        let message = message_of(&self.commission.message, &summary);
        let commission = Commission { message, ..self.commission.clone() };
        // An undo takes the operation's own commits off the branch, if nothing has to be committed on top of
        // them.
        if before.commit.is_none() && self.retract(&mut state, &changed, &commission) {
            return;
        }
        if !before.buried.is_empty() {
            let buried = before.buried.join(", ");
            let note =
                format!("what was dirty before is also in {buried}, on top of which a command committed");
            state.report.note =
                Some(state.report.note.take().map_or(note.clone(), |first| format!("{first}; {note}")));
        }
        let CommitProgress { repository, report, failure, is_first, .. } = &mut *state;
        match repository.after(&changed, &before, &commission) {
            Ok(commit) => {
                report.after = commit;
                let is_new = commission.mode == GitMode::Branch && self.requested == CommitRequest::No;
                *is_first = report.after.is_some() && is_new && repository.is_first_time();
            }
            Err(error) => *failure = Some(error),
        }
    }

    /// Commits `changes`, which were made already, by an operation and by the editor that saved documents for
    /// it; `images` holds the contents that they name.
    ///
    /// # Errors
    /// If what was dirty before them cannot be committed: then nothing is.
    pub fn commit_made(&self, roots: &Roots, changes: Vec<Change>, images: Images) -> Result<(), Failure> {
        let change_set = ChangeSet::from_command(roots, changes, images, HashSet::new());
        self.begin(&change_set, &HashSet::new())?;
        self.end(&change_set, roots.paths().next());
        Ok(())
    }

    /// Nothing was changed after all: then there is nothing to be committed before it, either.
    fn call_off(&self, state: &mut CommitProgress, before: &Before) {
        let CommitProgress { repository, report, failure, begun, .. } = state;
        if !*begun {
            return;
        }
        match repository.call_off(before, &self.commission) {
            Ok(true) => report.before = None,
            Ok(false) => {}
            Err(error) => *failure = Some(error),
        }
    }

    fn only_takes_back(&self) -> bool {
        self.undoes.as_ref().is_some_and(|undoes| undoes.otherwise == Otherwise::Leave)
    }

    /// Takes the commits of the operation that is undone off the branch, if they are on top of it, and
    /// makes none. `changed` is what was done to files.
    pub fn take_back(&self, changed: &[Changed]) {
        let mut state = self.state.borrow_mut();
        // Whether it worked or not is in the report; there is nothing else to be done.
        let retracted = self.retract(&mut state, changed, &self.commission);
        state.begun = retracted;
    }

    /// Takes commits off the branch if they can be; returns true if nothing else is to be committed: they are
    /// off the branch, or it failed.
    fn retract(&self, state: &mut CommitProgress, changed: &[Changed], commission: &Commission) -> bool {
        let (Some(undoes), GitMode::Branch) = (&self.undoes, commission.mode) else { return false };
        for operation in undoes.operations() {
            match state.repository.retract(operation, changed, commission) {
                Ok(Some(retracted)) => state.report.retracted = Some(retracted.backup_ref),
                Ok(None) => continue,
                Err(error) => state.failure = Some(error),
            }
            return true;
        }
        false
    }

    /// Returns where the operation's commits are, those that it undid included: on the branch, alongside, or
    /// nowhere.
    pub fn committed(&self) -> Where {
        let state = self.state.borrow();
        let GitReport { before, after, retracted, .. } = &state.report;
        match self.commission.mode {
            _ if before.is_none() && after.is_none() && retracted.is_none() => Where::Nowhere,
            GitMode::Branch => Where::Branch,
            GitMode::Refs => Where::Beside,
            GitMode::Off => Where::Nowhere,
        }
    }

    /// Returns the result of the commits.
    #[must_use]
    pub fn into_committed(self) -> Committed {
        let CommitProgress { repository, report, failure, is_first, begun, .. } = self.state.into_inner();
        Committed { repository, report: begun.then_some(report), failure, is_first }
    }
}

fn nothing_changed(error: &GitError) -> String {
    format!("Nothing is changed: {error} (GIT)")
}
