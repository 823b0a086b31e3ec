//! The parts of a repository that a command of git shows: the operands that are, or may be, paths, and
//! whether the command shows contents that no operand names, so that secrets have to be left out of them.
//!
//! Looks nothing up. An operand that could name the content of a file without its path is limited to commits,
//! or leads to a request for approval.

use super::options::ParsedWords;
use super::read_only::Withheld;

pub(super) struct Show {
    pub(super) words: Vec<String>,
    pub(super) paths: Vec<String>,
    pub(super) withheld: Withheld,
}

const CONTENTS: &[&str] = &[
    "-p",
    "-U",
    "--stat",
    "--shortstat",
    "--numstat",
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

pub(super) fn show(subcommand: &str, parsed: &ParsedWords, words: &[String]) -> Result<Show, &'static str> {
    let contents = match subcommand {
        "diff" | "show" => true,
        "log" => CONTENTS.iter().any(|flag| parsed.has(flag)),
        // The hash of a short content is as good as the content.
        "ls-files" => ["-s", "-u"].iter().any(|flag| parsed.has(flag)),
        _ => false,
    };
    let revisions = &parsed.operands[..parsed.before_dashes];
    if subcommand == "diff" && revisions.iter().any(|operand| names_within(operand)) {
        // Git takes no pathspec alongside these, and the operand may be a folder.
        return Err(
            "git diff of REVISION:PATH may compare whole folders; `git diff REVISION -- PATH` shows a file",
        );
    }
    if subcommand == "log" && contents && parsed.has("--follow") {
        return Err("git log --follow shows contents of files that had other names");
    }
    let mut words = words.to_vec();
    if subcommand == "show" && revisions.iter().any(|operand| may_be_content(operand)) {
        words = commits_only(parsed);
    }
    let withheld = if contents { Withheld::OfRepository } else { Withheld::Nothing };
    Ok(Show { words, paths: parsed.operands.iter().flat_map(|operand| paths(operand)).collect(), withheld })
}

/// Returns the paths that an operand may name: itself, and the text after each colon, since a colon separates
/// a revision or the number of a stage from a path.
fn paths(operand: &str) -> Vec<String> {
    // `:/text` is a commit with that message, or begins at the top of the repository.
    if operand.starts_with(":/") {
        return Vec::new();
    }
    let behind = operand.match_indices(':').map(|(at, _)| &operand[at + 1..]);
    let whole = (!operand.starts_with(':')).then_some(operand);
    whole.into_iter().chain(behind).filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

fn names_within(operand: &str) -> bool {
    let pathspec = [":(", ":!", ":^", ":/"].iter().any(|magic| operand.starts_with(magic));
    operand.contains(':') && !pathspec
}

/// Returns whether the operand may be the hash of a file's content, which reveals nothing of its name.
fn may_be_content(operand: &str) -> bool {
    if operand.contains("..") || operand.contains(':') {
        return false;
    }
    let operand = operand.trim_start_matches('^');
    let name = operand.split(['^', '~', '@']).next().unwrap_or_default();
    let is_hash = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    // `git describe` names a commit as `v1.0-2-g1234abc`.
    is_hash(name) || name.rsplit_once("-g").is_some_and(|(_, hash)| is_hash(hash))
}

fn commits_only(parsed: &ParsedWords) -> Vec<String> {
    let flags = parsed.flags.iter().map(|(flag, value)| match value {
        None => (*flag).to_owned(),
        Some(value) if flag.starts_with("--") => format!("{flag}={value}"),
        Some(value) => format!("{flag}{value}"),
    });
    let (revisions, behind) = parsed.operands.split_at(parsed.before_dashes);
    let operands = revisions.iter().map(|operand| {
        if may_be_content(operand) { format!("{operand}^{{commit}}") } else { operand.clone() }
    });
    let dashes = (!behind.is_empty()).then(|| "--".to_owned());
    flags.chain(operands).chain(dashes).chain(behind.iter().cloned()).collect()
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
