//! What of a repository a command of git shows: which of its operands are, or may be, paths, and whether it shows
//! contents that nobody named, so that secrets have to be left out of them.
//!
//! Looks nothing up: what could name the content of a file without saying which is kept to commits, or is asked about.

use super::options::Given;
use super::read_only::Withheld;

/// What a command shows.
pub(super) struct Show {
    /// The words behind the subcommand.
    pub(super) words: Vec<String>,
    /// Operands that are, or may be, paths.
    pub(super) paths: Vec<String>,
    /// Whether there is more to be left out.
    pub(super) withheld: Withheld,
}

/// Flags with which a log shows contents, or lets one ask what they are.
const CONTENTS: &[&str] = &[
    "-p",
    "-U",
    "-S",
    "-G",
    "-w",
    "-b",
    "-R",
    "--word-diff",
    "--ignore-blank-lines",
    "--minimal",
    "--patience",
    "--histogram",
];

/// What `subcommand` shows that was given `given`, which are `words`; or why that is not known.
pub(super) fn show(subcommand: &str, given: &Given, words: &[String]) -> Result<Show, &'static str> {
    let contents = match subcommand {
        "diff" | "show" => true,
        "log" => CONTENTS.iter().any(|flag| given.has(flag)),
        _ => false,
    };
    let revisions = &given.operands[..given.before_dashes];
    if subcommand == "diff" && revisions.iter().any(|operand| names_within(operand)) {
        // Git takes no pathspec beside these, and what they name may be a folder.
        return Err(
            "git diff of REVISION:PATH may compare whole folders; `git diff REVISION -- PATH` shows a file",
        );
    }
    if subcommand == "log" && contents && given.has("--follow") {
        return Err("git log --follow shows contents of files that had other names");
    }
    let mut words = words.to_vec();
    if subcommand == "show" && revisions.iter().any(|operand| may_be_content(operand)) {
        words = commits_only(given);
    }
    let withheld = if contents { Withheld::OfRepository } else { Withheld::Nothing };
    Ok(Show { words, paths: given.operands.iter().flat_map(|operand| paths(operand)).collect(), withheld })
}

/// The paths that an operand may name: itself, and what is behind each colon, which stands between a revision, or the
/// number of a stage, and a path. `:/text` is a commit with that message, or begins at the top of the repository.
fn paths(operand: &str) -> Vec<String> {
    if operand.starts_with(":/") {
        return Vec::new();
    }
    let behind = operand.match_indices(':').map(|(at, _)| &operand[at + 1..]);
    let whole = (!operand.starts_with(':')).then_some(operand);
    whole.into_iter().chain(behind).filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// Whether it names something within a revision, or within the index.
fn names_within(operand: &str) -> bool {
    let pathspec = [":(", ":!", ":^", ":/"].iter().any(|magic| operand.starts_with(magic));
    operand.contains(':') && !pathspec
}

/// Whether it may be the hash of a file's content, which says nothing of its name.
fn may_be_content(operand: &str) -> bool {
    if operand.contains("..") || operand.contains(':') {
        return false;
    }
    let operand = operand.trim_start_matches('^');
    let name = operand.split(['^', '~', '@']).next().unwrap_or_default();
    let is_hash = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    // `v1.0-2-g1234abc` is how `git describe` names a commit.
    is_hash(name) || name.rsplit_once("-g").is_some_and(|(_, hash)| is_hash(hash))
}

/// The words of `given`, with what may be the hash of a content kept to commits.
fn commits_only(given: &Given) -> Vec<String> {
    let flags = given.flags.iter().map(|(flag, value)| match value {
        None => (*flag).to_owned(),
        Some(value) if flag.starts_with("--") => format!("{flag}={value}"),
        Some(value) => format!("{flag}{value}"),
    });
    let (revisions, behind) = given.operands.split_at(given.before_dashes);
    let kept = revisions.iter().map(|operand| {
        if may_be_content(operand) { format!("{operand}^{{commit}}") } else { operand.clone() }
    });
    let dashes = (!behind.is_empty()).then(|| "--".to_owned());
    flags.chain(kept).chain(dashes).chain(behind.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_that_may_be_meant_is_told() {
        for (operand, expected) in [
            ("HEAD", vec!["HEAD"]),
            ("HEAD:.env", vec!["HEAD:.env", ".env"]),
            (":0:.env", vec!["0:.env", ".env"]),
            (":.env", vec![".env"]),
            ("HEAD^{/fix: it}:.env", vec!["HEAD^{/fix: it}:.env", " it}:.env", ".env"]),
        ] {
            assert_eq!(paths(operand), expected, "{operand}");
        }
    }

    #[test]
    fn what_may_be_a_content_is_told_from_names() {
        for operand in ["abcd", "0123abc", "^abcd1", "abcd~1", "abcd^{blob}", "v1.0-2-gabcd123", "x-gABCD"] {
            assert!(may_be_content(operand), "{operand}");
        }
        for operand in
            ["HEAD", "main", "abc", "HEAD~1", "v1.0", "abcd..dcba", "abcd:a", "x-g", "feature-good"]
        {
            assert!(!may_be_content(operand), "{operand}");
        }
    }
}
