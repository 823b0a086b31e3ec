//! Programs that only read, with the flags and operands for which that is true.
//!
//! A flag that is not in the table of its program may do anything: such a command needs the user's approval.
//! Flags that are known to run or write something are refused by name.

use super::options::{Flag, ParsedWords, Takes, read};
use super::refusal::Refusal;

use Takes::{MaybeValue, Nothing, Value};

/// A command that only reads, ready to be run in a sandbox that keeps it from anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnly {
    /// The program's name.
    pub program: &'static str,
    /// The arguments as written, with added flags that keep it from running other programs.
    pub arguments: Vec<String>,
    /// Operands that are, or may be, paths. Each has to be one that an answer may read.
    pub paths: Vec<String>,
    /// Variables that it needs in addition to those of every command.
    pub environment: Vec<(&'static str, &'static str)>,
    /// The files below its paths that must not be shown, and the way to exclude them.
    pub withheld: Withheld,
}

/// The way in which a program that shows more than its named files is kept from showing secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// It shows nothing but its paths.
    Nothing,
    /// It visits folders, if some of its paths are folders. The names to skip are its first arguments (`-x`).
    BelowFolders,
    /// It shows contents of a repository. The paths to leave out are its last arguments, as pathspecs.
    OfRepository,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Checked {
    Reads(ReadOnly),
    Unsure(String),
}

pub(super) fn check(name: &str, words: &[String]) -> Option<Result<Checked, Refusal>> {
    let (program, table, dangerous, fits): ProgramRules = match name {
        "diff" => ("diff", DIFF, DIFF_DANGEROUS, two),
        "file" => ("file", FILE, FILE_DANGEROUS, some),
        "xxd" => ("xxd", XXD, XXD_DANGEROUS, one),
        _ => return None,
    };
    Some(known(program, table, dangerous, words).map(|parsed| match parsed {
        KnownWords::Unclear(why) => Checked::Unsure(why),
        KnownWords::Parsed(parsed) => match fits(&parsed.operands) {
            Some(why) => Checked::Unsure(format!("{program} {why}")),
            None => Checked::Reads(ReadOnly {
                program,
                arguments: arguments(program, words),
                paths: parsed.operands,
                environment: Vec::new(),
                withheld: if program == "diff" { Withheld::BelowFolders } else { Withheld::Nothing },
            }),
        },
    }))
}

type ProgramRules = (
    &'static str,
    &'static [Flag],
    &'static [(&'static str, &'static str)],
    fn(&[String]) -> Option<&'static str>,
);

pub(super) enum KnownWords {
    Parsed(ParsedWords),
    /// Why their effect is not known: they are not refused, but need approval.
    Unclear(String),
}

pub(super) fn known(
    program: &'static str,
    table: &[Flag],
    dangerous: &[(&'static str, &'static str)],
    words: &[String],
) -> Result<KnownWords, Refusal> {
    for word in words.iter().take_while(|word| *word != "--") {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        // Programs accept the beginning of a long flag.
        let means = |flag: &str| {
            flag == name
                || name.len() > 3 && name.starts_with("--") && flag.starts_with(name)
                || flag.len() == 2 && !name.starts_with("--") && name.starts_with(flag)
        };
        let listed = table.iter().any(|Flag(names, _)| names.contains(&name));
        if let Some((flag, does)) = dangerous.iter().find(|(flag, _)| means(flag)).filter(|_| !listed) {
            return Err(Refusal::Dangerous { program, flag: (*flag).to_owned(), does });
        }
    }
    Ok(match read(program, table, words) {
        Ok(parsed) => KnownWords::Parsed(parsed),
        Err(refusal) => KnownWords::Unclear(refusal.to_string()),
    })
}

fn arguments(program: &str, words: &[String]) -> Vec<String> {
    let mut arguments = words.to_vec();
    if program == "diff" {
        // A link in a compared folder may lead anywhere.
        arguments.insert(0, "--no-dereference".to_owned());
    }
    arguments
}

fn one(operands: &[String]) -> Option<&'static str> {
    match operands {
        [path] if path != "-" => None,
        [] | [_] => Some("without a file waits for input"),
        _ => Some("with two files writes the second"),
    }
}

fn two(operands: &[String]) -> Option<&'static str> {
    let both = operands.len() == 2 && operands.iter().all(|path| path != "-");
    (!both).then_some("takes two files")
}

fn some(operands: &[String]) -> Option<&'static str> {
    let named = !operands.is_empty() && operands.iter().all(|path| path != "-");
    (!named).then_some("takes files")
}

const DIFF_DANGEROUS: &[(&str, &str)] = &[
    ("--to-file", "compares with any file there is"),
    ("--from-file", "compares with any file there is"),
    ("-l", "runs another program"),
    ("--paginate", "runs another program"),
];
const DIFF: &[Flag] = &[
    Flag(&["-u"], Nothing),
    Flag(&["-U", "--unified"], Value),
    Flag(&["-c"], Nothing),
    Flag(&["-C", "--context"], Value),
    Flag(&["-r", "--recursive"], Nothing),
    Flag(&["-q", "--brief"], Nothing),
    Flag(&["-s", "--report-identical-files"], Nothing),
    Flag(&["-i", "--ignore-case"], Nothing),
    Flag(&["-w", "--ignore-all-space"], Nothing),
    Flag(&["-b", "--ignore-space-change"], Nothing),
    Flag(&["-B", "--ignore-blank-lines"], Nothing),
    Flag(&["-Z", "--ignore-trailing-space"], Nothing),
    Flag(&["-N", "--new-file"], Nothing),
    Flag(&["-a", "--text"], Nothing),
    Flag(&["-y", "--side-by-side"], Nothing),
    Flag(&["-p", "--show-c-function"], Nothing),
    Flag(&["-x", "--exclude"], Value),
    Flag(&["--strip-trailing-cr"], Nothing),
    Flag(&["--color"], MaybeValue),
    Flag(&["--no-dereference"], Nothing),
];

const FILE_DANGEROUS: &[(&str, &str)] = &[
    ("-C", "writes a file"),
    ("--compile", "writes a file"),
    ("-z", "runs other programs"),
    ("--uncompress", "runs other programs"),
    ("-Z", "runs other programs"),
    ("--uncompress-noreport", "runs other programs"),
    ("-p", "changes times of files"),
    ("--preserve-date", "changes times of files"),
    ("-f", "reads paths from a file"),
    ("--files-from", "reads paths from a file"),
];
const FILE: &[Flag] = &[
    Flag(&["-b", "--brief"], Nothing),
    Flag(&["-i", "--mime"], Nothing),
    Flag(&["--mime-type"], Nothing),
    Flag(&["--mime-encoding"], Nothing),
    Flag(&["-h", "--no-dereference"], Nothing),
    Flag(&["-k", "--keep-going"], Nothing),
];

const XXD_DANGEROUS: &[(&str, &str)] = &[("-r", "makes bytes out of text, for a file")];
const XXD: &[Flag] = &[
    Flag(&["-b"], Nothing),
    Flag(&["-e"], Nothing),
    Flag(&["-i"], Nothing),
    Flag(&["-p"], Nothing),
    Flag(&["-u"], Nothing),
    Flag(&["-c"], Value),
    Flag(&["-g"], Value),
    Flag(&["-l"], Value),
    Flag(&["-s"], Value),
];
