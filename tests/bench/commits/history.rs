//! The changes that the commits of a repository made to files: their texts before and after, as git has them.

use std::process::Command;

/// The change that a commit made to one file.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) commit: String,
    pub(crate) path: String,
    /// `None`: there was no such file.
    pub(crate) before: Option<String>,
    /// `None`: it is gone.
    pub(crate) after: Option<String>,
    /// As git writes it, with three lines of context.
    pub(crate) diff: String,
}

/// Returns the changes that the last `count` commits of `repository` made, merges left out, to files that are
/// text.
pub(crate) fn changes(repository: &str, count: usize) -> Vec<Change> {
    let count = count.to_string();
    let commits = git(repository, &["rev-list", "--no-merges", "--min-parents=1", "-n", &count, "HEAD"]);
    let commits = String::from_utf8(commits).expect("names of commits");
    commits.lines().flat_map(|commit| of_commit(repository, commit)).collect()
}

fn of_commit(repository: &str, commit: &str) -> Vec<Change> {
    let parent = format!("{commit}^");
    let listed = git(repository, &["diff-tree", "-r", "-z", "--no-renames", &parent, commit]);
    let fields: Vec<&[u8]> = listed.split(|byte| *byte == 0).collect();
    let entries = fields.chunks_exact(2).filter_map(|entry| {
        let (what, path) = (std::str::from_utf8(entry[0]).ok()?, std::str::from_utf8(entry[1]).ok()?);
        let [from, to, old, new, _status] = what.trim_start_matches(':').split(' ').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        // Links and modules are not text, and a file whose mode alone changes is not an edit.
        if [from, to].iter().any(|mode| !mode.starts_with("100") && *mode != "000000") || old == new {
            return None;
        }
        let text = |object: &str, mode: &str| match mode {
            "000000" => Some(None),
            _ => String::from_utf8(git(repository, &["cat-file", "blob", object])).ok().map(Some),
        };
        let diff = git(
            repository,
            &["diff", "--no-ext-diff", "--no-color", "--no-renames", &parent, commit, "--", path],
        );
        // Carriage returns that were not there before cannot be written in an answer.
        let (before, after) = (text(old, from)?, text(new, to)?);
        let returns = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains('\r'));
        if returns(&after) && !returns(&before) {
            return None;
        }
        Some(Change {
            commit: commit[..10].to_owned(),
            path: path.to_owned(),
            before,
            after,
            diff: String::from_utf8(diff).ok().filter(|diff| !diff.contains("\nBinary files "))?,
        })
    });
    entries.collect()
}

fn git(repository: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
