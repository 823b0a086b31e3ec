//! What a user is told of a document alongside it: what is wrong, what it would lack, how large it is.

use std::collections::BTreeMap;

use super::page::Page;
use super::{Verbosity, count_of};
use crate::{EmbedIssue, EmbedResult, EmbeddedFile, visible_line, visible_path};

/// The most issues of one kind that are listed one by one, unless all are asked for.
const LISTED: usize = 3;
const LARGEST: usize = 3;
/// The bytes of a token, as a rule of thumb for code and prose.
const BYTES_OF_TOKEN: u64 = 4;

/// Returns warnings and errors, a line each. More than a few of one kind are counted in one line.
#[must_use]
pub fn embed_issues_text(result: &EmbedResult, verbosity: Verbosity) -> String {
    let mut page = Page::default();
    for (word, issues) in [("WARNING", &result.warnings), ("ERROR", &result.errors)] {
        let mut groups: BTreeMap<&str, Vec<&EmbedIssue>> = BTreeMap::new();
        for issue in issues {
            groups.entry(&issue.reason).or_default().push(issue);
        }
        let is_many = |issue: &EmbedIssue| {
            verbosity < Verbosity::Verbose
                && !issue.reason.is_empty()
                && groups.get(issue.reason.as_str()).is_some_and(|group| group.len() > LISTED)
        };
        for issue in issues.iter().filter(|issue| !is_many(issue)) {
            page.line(format_args!("{word}: {}", visible_line(&issue.message)));
        }
        for (reason, group) in groups.iter().filter(|(_, group)| is_many(group[0])) {
            let named: Vec<_> = group[..LISTED].iter().map(|issue| visible_path(&issue.path)).collect();
            let (count, more) = (group.len(), group.len() - LISTED);
            let reason = visible_line(reason);
            page.line(format_args!(
                "{word}: {count} {reason}: {} and {more} more (-v lists all)",
                named.join(", ")
            ));
        }
    }
    page.into_text()
}

/// Returns the question whether to go on without what cannot be embedded, with what the document then has and
/// lacks.
#[must_use]
pub fn embed_question(result: &EmbedResult) -> String {
    let lacking = result.omitted.iter().filter(|path| !path.path.ends_with('/')).count();
    let folders = result.omitted.len() - lacking;
    let lacking = match folders {
        0 => count_of(lacking, "file"),
        folders => format!("{} and {}", count_of(lacking, "file"), count_of(folders, "folder")),
    };
    format!(
        "Go on without them? That embeds {} and leaves out {lacking}.",
        count_of(result.files.len(), "file")
    )
}

/// Returns a line: how many files, how large, about how many tokens, which are the largest.
#[must_use]
pub fn embed_summary_text(result: &EmbedResult) -> String {
    let tokens = match result.tokens {
        Some(tokens) => format!("{tokens} tokens"),
        None => format!("≈ {} tokens", rounded(result.bytes.div_ceil(BYTES_OF_TOKEN))),
    };
    let to = result.output.as_deref().map(|path| format!(" in {}", visible_path(path))).unwrap_or_default();
    let mut files: Vec<&EmbeddedFile> = result.files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.size));
    let named: Vec<String> = files
        .iter()
        .take(LARGEST)
        .map(|file| format!("{} ({})", visible_path(&file.path), size(file.size)))
        .collect();
    let largest = if files.len() > 1 { format!("; largest: {}", named.join(", ")) } else { String::new() };
    format!("{}, {}, {tokens}{to}{largest}\n", count_of(files.len(), "file"), size(result.bytes))
}

fn rounded(number: u64) -> u64 {
    let step = match number {
        0..100 => 1,
        100..10_000 => 100,
        10_000..1_000_000 => 1_000,
        _ => 100_000,
    };
    number.div_ceil(step) * step
}

fn size(bytes: u64) -> String {
    let tenths = |unit: u64, name: &str| {
        let tenths = bytes.saturating_mul(10) / unit;
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    };
    match bytes {
        0..1024 => count_of(usize::try_from(bytes).unwrap_or_default(), "byte"),
        1024..1_048_576 => tenths(1024, "kB"),
        _ => tenths(1_048_576, "MB"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{ErrorKind, OmittedPath};

    fn issue(path: &str, kind: Option<ErrorKind>, reason: &str) -> EmbedIssue {
        let message = format!("{reason}: '{path}'");
        EmbedIssue { path: path.into(), kind, reason: reason.into(), message }
    }

    fn result() -> EmbedResult {
        let folders = (0..12).map(|number| {
            let path = format!("folder{number}/");
            issue(&path, Some(ErrorKind::LimitExceeded), "folders with more than 50 files")
        });
        let missing = issue("no\nsuch", Some(ErrorKind::FileNotFound), "paths not found");
        let omitted =
            ["a", "b", "c/"].map(|path| OmittedPath { path: path.into(), ..OmittedPath::default() });
        let file =
            |(path, size): (&str, u64)| EmbeddedFile { path: path.into(), size, ..EmbeddedFile::default() };
        EmbedResult {
            errors: folders.chain([missing]).collect(),
            warnings: vec![issue("x.png", None, "binary files"), issue("y.png", None, "binary files")],
            omitted: omitted.into(),
            files: [("a.rs", 10), ("b.rs", 4096), ("c.rs", 3_500_000), ("d.rs", 0)].map(file).into(),
            bytes: 3_600_000,
            ..EmbedResult::default()
        }
    }

    #[test]
    fn many_of_one_kind_are_one_line() {
        let result = result();
        expect![[r#"
            WARNING: binary files: 'x.png'
            WARNING: binary files: 'y.png'
            ERROR: paths not found: 'no\nsuch'
            ERROR: 12 folders with more than 50 files: folder0/, folder1/, folder2/ and 9 more (-v lists all)
        "#]]
        .assert_eq(&embed_issues_text(&result, Verbosity::Normal));
        assert_eq!(embed_issues_text(&result, Verbosity::Verbose).lines().count(), 15);
        expect!["Go on without them? That embeds 4 files and leaves out 2 files and 1 folder."]
            .assert_eq(&embed_question(&result));
    }

    #[test]
    fn a_document_is_summed_up() {
        let result = result();
        expect![[r#"
            4 files, 3.4 MB, ≈ 900000 tokens; largest: c.rs (3.3 MB), b.rs (4.0 kB), a.rs (10 bytes)
        "#]]
        .assert_eq(&embed_summary_text(&result));
        let output = Some("/p/out.md".to_owned());
        let one =
            EmbedResult { files: result.files[..1].to_vec(), bytes: 1, tokens: Some(7), output, ..result };
        assert_eq!(embed_summary_text(&one), "1 file, 1 byte, 7 tokens in /p/out.md\n");
    }
}
