//! Reports of an operation's commits, and of `git.squash`, `git.step_back` and `git.step_forward`.

use std::borrow::Cow;

use super::page::{Page, ReportPaths};
use crate::{CommitInfo, GitReport, GitSquashResult, GitStepResult, HeadPosition, visible_line};

const SHORT_COMMIT: usize = 10;

pub(super) fn git_lines(page: &mut Page, git: &GitReport, paths: ReportPaths<'_>) {
    let place = if git.mode == "refs" { "alongside the branch" } else { "on the branch" };
    if let Some(after) = &git.after {
        page.line(format_args!("git: commit {} {place}", short(after)));
    }
    if let Some(before) = &git.before {
        page.line(format_args!("git: earlier uncommitted changes are in commit {} {place}", short(before)));
    }
    if let Some(reference) = &git.retracted {
        page.line(format_args!(
            "git: removed its commits from the branch (kept in {})",
            visible_line(reference)
        ));
    }
    if let Some(skipped) = &git.skipped {
        page.line(format_args!("git: no commits, since {}", paths.in_message(skipped)));
    }
    if let Some(note) = &git.note {
        page.line(format_args!("git: {}", paths.in_message(note)));
    }
}

pub(super) fn position(head: &HeadPosition) -> String {
    let commit = short(&head.commit);
    match &head.reference {
        Some(reference) => format!("{}, {commit}", branch_name(reference)),
        None => format!("{commit}, on no branch"),
    }
}

fn branch_name(reference: &str) -> Cow<'_, str> {
    visible_line(reference.strip_prefix("refs/heads/").unwrap_or(reference))
}

/// The report of `git.squash`; of a dry run, its commits.
#[must_use]
pub fn squash_text(result: &GitSquashResult) -> String {
    let mut page = Page::default();
    if result.commit.is_empty() {
        for CommitInfo { commit, subject, ours } in &result.commits {
            let by = if *ours { "clada's" } else { "yours  " };
            page.line(format_args!("  {}  {by}  {subject}", short(commit)));
        }
        return page.into_text();
    }
    page.line(format_args!(
        "Squashed {} commits into {} (originals kept in {}).",
        result.squashed,
        short(&result.commit),
        result.kept
    ));
    taken_back(&mut page, &result.operation_id, &result.short_id, &result.warnings);
    page.into_text()
}

fn taken_back(page: &mut Page, operation: &str, short_id: &str, warnings: &[String]) {
    if !operation.is_empty() {
        page.line(format_args!("Operation {short_id}; `clada undo` reverts it."));
    }
    for warning in warnings {
        page.line(format_args!("WARNING: {warning}"));
    }
}

/// The report of `git.step_back` and `git.step_forward`.
#[must_use]
pub fn step_text(result: &GitStepResult) -> String {
    let mut page = Page::default();
    match &result.branch {
        Some(branch) => {
            page.line(format_args!("At {}, the end of {}.", short(&result.commit), branch_name(branch)));
        }
        None => {
            page.line(format_args!("At {}.", short(&result.commit)));
            let line = result.line.as_deref().map(branch_name);
            let (to, keep) = match &line {
                Some(line) => (format!(", towards {line}"), format!("`git switch {line}` goes to its end")),
                None => (String::new(), "`git switch BRANCH` goes to a branch".to_owned()),
            };
            page.line(format_args!(
                "HEAD is detached: a commit made here is on no branch. \
                 `clada git step-forward` goes back one commit{to}; {keep}."
            ));
        }
    }
    // What was stashed before what was restored: a step does both, in this order.
    if !result.stashed_files.is_empty() {
        page.line("Stashed, and restored when HEAD is here again:");
        for file in &result.stashed_files {
            page.line(format_args!("  {}", visible_line(file)));
        }
    }
    if result.restored {
        page.line("The changes stashed here are restored.");
    }
    if !result.conflicts.is_empty() {
        page.line("The changes stashed here stay in `git stash list`, because they conflict with:");
        for conflict in &result.conflicts {
            page.line(format_args!("  {}", visible_line(conflict)));
        }
    }
    taken_back(&mut page, &result.operation_id, &result.short_id, &result.warnings);
    page.into_text()
}

fn short(commit: &str) -> String {
    commit.chars().take(SHORT_COMMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_what_was_stashed_and_what_stays() {
        let back = GitStepResult {
            commit: "0123456789abcdef".to_owned(),
            stashed_files: vec!["a\u{1b}b".to_owned()],
            ..GitStepResult::default()
        };
        let text = step_text(&back);
        assert!(text.starts_with("At 0123456789.\nHEAD is detached"), "{text}");
        assert!(text.contains("\nStashed"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        let forward = GitStepResult {
            branch: Some("refs/heads/main".to_owned()),
            conflicts: vec!["x".to_owned()],
            ..GitStepResult::default()
        };
        assert!(step_text(&forward).ends_with("conflict with:\n  x\n"), "{}", step_text(&forward));
    }
}
