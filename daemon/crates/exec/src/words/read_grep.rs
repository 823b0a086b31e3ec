//! Parses words into a [`Grep`].

use super::options::{Flag, ParsedWords, Takes, read};
use super::refusal::Refusal;
use super::searches::{Binary, Grep, MatchUnit, Selection, Shown, Syntax};

use Takes::{Nothing, Value};

const GREP: &[Flag] = &[
    Flag(&["-r", "-R", "--recursive", "--dereference-recursive"], Nothing),
    Flag(&["-n", "--line-number"], Nothing),
    Flag(&["-i", "-y", "--ignore-case"], Nothing),
    Flag(&["-l", "--files-with-matches"], Nothing),
    Flag(&["-L", "--files-without-match"], Nothing),
    Flag(&["-c", "--count"], Nothing),
    Flag(&["-v", "--invert-match"], Nothing),
    Flag(&["-w", "--word-regexp"], Nothing),
    Flag(&["-x", "--line-regexp"], Nothing),
    Flag(&["-o", "--only-matching"], Nothing),
    Flag(&["-h", "--no-filename"], Nothing),
    Flag(&["-H", "--with-filename"], Nothing),
    Flag(&["-s", "--no-messages"], Nothing),
    Flag(&["-q", "--quiet", "--silent"], Nothing),
    Flag(&["-E", "--extended-regexp"], Nothing),
    Flag(&["-F", "--fixed-strings"], Nothing),
    Flag(&["-G", "--basic-regexp"], Nothing),
    Flag(&["-I"], Nothing),
    Flag(&["-a", "--text"], Nothing),
    Flag(&["-e", "--regexp"], Value),
    Flag(&["-m", "--max-count"], Value),
    Flag(&["-A", "--after-context"], Value),
    Flag(&["-B", "--before-context"], Value),
    Flag(&["-C", "--context"], Value),
    Flag(&["--include"], Value),
    Flag(&["--exclude"], Value),
    Flag(&["--exclude-dir"], Value),
    Flag(&["--color", "--colour"], Takes::MaybeValue),
];

pub(super) fn grep(words: &[String]) -> Result<Grep, Refusal> {
    let mut parsed = read("grep", GREP, words)?;
    let mut paths = std::mem::take(&mut parsed.operands);
    let mut patterns = parsed.values("-e");
    let refused = |problem| Err(Refusal::Operands { program: "grep", problem });
    if patterns.is_empty() {
        if paths.is_empty() {
            return refused("no pattern is given");
        }
        patterns = vec![paths.remove(0)];
    }
    let recursive = parsed.has("-r");
    if paths.is_empty() && !recursive {
        return refused("no path is given, and there is no input to read");
    }
    if paths.iter().any(|path| path.is_empty() || path == "-") {
        return refused("'-' stands for input, and there is none");
    }
    let around = parsed.number("grep", "-C")?.unwrap_or(0);
    let context =
        (parsed.number("grep", "-B")?.unwrap_or(around), parsed.number("grep", "-A")?.unwrap_or(around));
    Ok(Grep {
        // A line break in a pattern separates two patterns.
        patterns: patterns.iter().flat_map(|pattern| pattern.split('\n')).map(str::to_owned).collect(),
        syntax: syntax(&parsed),
        paths,
        recursive,
        any_case: parsed.has("-i"),
        invert: parsed.has("-v"),
        whole: match (parsed.has("-x"), parsed.has("-w")) {
            (true, _) => MatchUnit::Line,
            (false, true) => MatchUnit::Word,
            (false, false) => MatchUnit::Part,
        },
        shown: shown(&parsed),
        numbers: parsed.has("-n"),
        names: parsed.flags.iter().rev().find_map(|(name, _)| match *name {
            "-H" => Some(true),
            "-h" => Some(false),
            _ => None,
        }),
        silent: parsed.has("-s"),
        most: parsed.number("grep", "-m")?,
        context,
        binary: match (parsed.has("-a"), parsed.has("-I")) {
            (true, _) => Binary::Text,
            (false, true) => Binary::PassedOver,
            (false, false) => Binary::Reported,
        },
        files: parsed.flags.iter().filter_map(selection).collect(),
        exclude_folders: parsed.values("--exclude-dir"),
    })
}

fn syntax(parsed: &ParsedWords) -> Syntax {
    let syntax = parsed.flags.iter().rev().find_map(|(name, _)| match *name {
        "-E" => Some(Syntax::Extended),
        "-F" => Some(Syntax::Text),
        "-G" => Some(Syntax::Basic),
        _ => None,
    });
    syntax.unwrap_or(Syntax::Basic)
}

fn selection((name, value): &(&'static str, Option<String>)) -> Option<Selection> {
    let glob = value.clone()?;
    match *name {
        "--include" => Some(Selection::Include(glob)),
        "--exclude" => Some(Selection::Exclude(glob)),
        _ => None,
    }
}

fn shown(parsed: &ParsedWords) -> Shown {
    if parsed.has("-q") {
        return Shown::Nothing;
    }
    let files = parsed.flags.iter().rev().find_map(|(name, _)| match *name {
        "-l" => Some(Shown::Files),
        "-L" => Some(Shown::FilesWithout),
        _ => None,
    });
    match files {
        Some(files) => files,
        None if parsed.has("-c") => Shown::Count,
        None if parsed.has("-o") => Shown::Matches,
        None => Shown::Lines,
    }
}
