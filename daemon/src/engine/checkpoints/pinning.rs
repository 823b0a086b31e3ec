//! What git has to do with a checkpoint: the contents that only the index names are kept while it is open, and
//! what moved in the repository, and in those within the project, is reported.

use std::path::Path;

use clada_command_changes::Repositories;
use clada_git::{GitRepository, HeadPosition};
use clada_protocol::{HeadNote, visible_line};

use super::description::{Description, NestedRepository};
use crate::engine::request::ProjectRequest;

const NESTED: usize = 100;

impl ProjectRequest {
    fn with_repository<T>(&self, work: impl FnOnce(&GitRepository) -> T) -> Option<T> {
        let repository = GitRepository::open(self.root(), self.environment().home.as_deref());
        repository.ok().flatten().map(|repository| work(&repository))
    }

    pub(super) fn pin(&self, id: &str, description: &mut Description, warnings: &mut Vec<String>) {
        let now = (self.environment().now)();
        self.with_repository(|repository| {
            description.head = repository.head_position().ok().map(noted);
            let last = self.project().pinned().take();
            match repository.pin_index(id, last, now) {
                Ok(pinned) => {
                    description.staged = pinned.as_ref().map(clada_git::Pinned::staged);
                    *self.project().pinned() = pinned;
                }
                Err(error) => warnings.push(format!(
                    "Objects that only git has may be lost to `git gc` while the checkpoint is open: {error}"
                )),
            }
        });
    }

    pub(super) fn unpin(&self) {
        let Ok(open) = self.open_checkpoints() else { return };
        let mut open: Vec<String> = open.into_iter().map(|open| open.checkpoint.id).collect();
        let now = (self.environment().now)();
        let unpinned = self.with_repository(|repository| {
            if repository.has_work_trees() {
                // They share their references: a checkpoint of another project may be open.
                let Some(others) = self.engine().projects().journals().open_checkpoints() else {
                    return Ok(());
                };
                open.extend(others);
            }
            repository.unpin_but(&open, now)
        });
        if let Some(Err(error)) = unpinned {
            tracing::warn!(%error, "the reference of a checkpoint stays");
        }
    }

    pub(super) fn nested_repositories(&self, repositories: Option<&Repositories>) -> Vec<NestedRepository> {
        let folders = repositories.into_iter().flat_map(Repositories::with_work_tree);
        let folders = folders.filter(|folder| !folder.as_os_str().is_empty()).take(NESTED);
        let nested = folders.filter_map(|folder| {
            let head = noted(self.nested(folder)?.head_position().ok()?);
            Some(NestedRepository { folder: folder.to_str()?.to_owned(), head })
        });
        nested.collect()
    }

    fn nested(&self, folder: &Path) -> Option<GitRepository> {
        let folder = self.root().join(folder);
        let repository = GitRepository::open(&folder, self.environment().home.as_deref()).ok().flatten();
        repository.filter(|repository| repository.folder() == folder)
    }

    pub(super) fn head_moved(&self, before: &Description, warnings: &mut Vec<String>) -> Vec<String> {
        let head_move = self.with_repository(|repository| {
            let now = repository.head_position().ok()?;
            let head = before.head.as_ref()?;
            let mut moved = moves(repository, head, &now);
            if head.commit != now.commit {
                return Some(moved);
            }
            if before.staged != repository.staged_tree(self.project().pinned().as_ref()) {
                moved.push("what is staged changed".to_owned());
            }
            Some(moved)
        });
        let mut moved = head_move.flatten().unwrap_or_default();
        if !moved.is_empty() {
            let what = moved.join("; ");
            warnings.push(format!("In the repository: {what}; undo does not revert that"));
        }
        for NestedRepository { folder, head } in &before.nested {
            let Some(repository) = self.nested(Path::new(folder)) else { continue };
            let Ok(now) = repository.head_position() else { continue };
            let what = moves(&repository, head, &now).join("; ");
            if !what.is_empty() {
                let folder = visible_line(folder);
                warnings.push(format!("In the repository {folder}: {what}; undo does not revert that"));
                moved.push(format!("in {folder}: {what}"));
            }
        }
        moved
    }
}

fn noted(head: HeadPosition) -> HeadNote {
    HeadNote { branch: head.branch, commit: head.commit }
}

fn moves(repository: &GitRepository, before: &HeadNote, now: &HeadPosition) -> Vec<String> {
    let mut moved = Vec::new();
    if before.branch != now.branch {
        moved.push(format!("HEAD went from {} to {}", before.branch, now.branch));
    }
    if before.commit != now.commit {
        let between = match (&before.commit, &now.commit) {
            (Some(before), Some(now)) => repository.commits_between(before, now),
            _ => None,
        };
        moved.push(commits(between, &now.branch));
    }
    moved
}

fn commits(between: Option<(usize, usize)>, branch: &str) -> String {
    let count = |number: usize| clada_protocol::count_of(number, "commit");
    match between {
        Some((new, 0)) => format!("{} on {branch}", count(new)),
        Some((0, removed)) => format!("{} fewer on {branch}", count(removed)),
        Some((new, removed)) => format!("{} on {branch}, and {} fewer", count(new), count(removed)),
        None => format!("{branch} is at another commit"),
    }
}
