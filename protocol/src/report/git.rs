//! Reports of an operation's commits, and of `git.squash`, `git.step_back` and `git.step_forward`.

use super::page::{Page, Paths};
use crate::{GitReport, GitSquashResult, GitStepResult, visible_line};

/// Letters of a commit's hash that are shown.
const SHORT_COMMIT: usize = 10;

/// Adds what has happened to an operation's commits.
pub(super) fn git_lines(page: &mut Page, git: &GitReport, paths: Paths<'_>) {
    let place = if git.mode == "refs" { "beside the branch" } else { "on the branch" };
    if let Some(after) = &git.after {
        page.line(format_args!("git: commit {} {place}", short(after)));
    }
    if let Some(before) = &git.before {
        page.line(format_args!("git: what was dirty before is in commit {} {place}", short(before)));
    }
    if let Some(kept) = &git.retracted {
        page.line(format_args!("git: its commits are off the branch; {} keeps them", visible_line(kept)));
    }
    if let Some(skipped) = &git.skipped {
        page.line(format_args!("git: no commits, since {}", paths.in_message(skipped)));
    }
    if let Some(note) = &git.note {
        page.line(format_args!("git: {}", paths.in_message(note)));
    }
}

/// The report of `git.squash`.
#[must_use]
pub fn squash_text(result: &GitSquashResult) -> String {
    let GitSquashResult { commit, squashed, kept } = result;
    format!("{squashed} commits are one now: {}. {} keeps them.\n", short(commit), visible_line(kept))
}

/// The report of `git.step_back` and `git.step_forward`.
#[must_use]
pub fn step_text(result: &GitStepResult) -> String {
    let mut page = Page::default();
    match &result.branch {
        Some(branch) => {
            page.line(format_args!("At {}, the end of {}.", short(&result.commit), visible_line(branch)));
        }
        None => page.line(format_args!("At {}.", short(&result.commit))),
    }
    if !result.stashed_files.is_empty() {
        page.line("Put aside, to be given back when this step is taken back:");
        for file in &result.stashed_files {
            page.line(format_args!("  {}", visible_line(file)));
        }
    }
    if result.restored {
        page.line("What was put aside here is given back.");
    }
    if !result.conflicts.is_empty() {
        page.line("What was put aside here stays in `git stash list`, since it conflicts with:");
        for conflict in &result.conflicts {
            page.line(format_args!("  {}", visible_line(conflict)));
        }
    }
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
        assert!(text.starts_with("At 0123456789.\nPut aside"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        let forward = GitStepResult {
            branch: Some("refs/heads/main".to_owned()),
            conflicts: vec!["x".to_owned()],
            ..GitStepResult::default()
        };
        assert!(step_text(&forward).ends_with("conflicts with:\n  x\n"), "{}", step_text(&forward));
    }
}
