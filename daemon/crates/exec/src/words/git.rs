//! The commands of git that only read, kept from running any program that a repository's configuration names.
//!
//! Such a command gets a private folder without that configuration ([`clada_git::PrivateGit`]). In addition
//! everything that git can switch off is switched off: programs that are git's defaults, and settings that
//! later versions may read.

use super::git_shown::{self, Show};
use super::options::{Flag, Takes};
use super::read_only::{Checked, KnownWords, ReadOnly, known};
use super::refusal::Refusal;
use Takes::{MaybeValue, Nothing, Value};

const QUIET: &[&str] = &[
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.pager=cat",
    "-c",
    "core.sshCommand=false",
    "-c",
    "core.alternateRefsCommand=false",
    "-c",
    "diff.external=",
    "-c",
    "diff.submodule=short",
    "-c",
    "diff.ignoreSubmodules=all",
    "-c",
    "status.submoduleSummary=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "gpg.program=false",
    "-c",
    "gpg.ssh.program=false",
    "-c",
    "gpg.x509.program=false",
    "-c",
    "credential.helper=",
    "-c",
    "protocol.allow=never",
    "-c",
    "safe.bareRepository=explicit",
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_EXTERNAL_DIFF", ""),
];

const DANGEROUS: &[(&str, &str)] = &[
    ("--ext-diff", "runs a program that the repository names"),
    ("--textconv", "runs a program that the repository names"),
    ("--show-signature", "runs a program that the repository names"),
    ("--output", "writes a file"),
    ("--no-index", "reads files that are not the project's"),
    ("-O", "reads another file"),
];

const GLOBAL_DANGEROUS: &[(&str, &str)] = &[
    ("-c", "sets any configuration, which can name programs to run"),
    ("--config-env", "sets any configuration, which can name programs to run"),
    ("-C", "works in another folder"),
    ("--git-dir", "works in another repository"),
    ("--work-tree", "works in another folder"),
    ("--exec-path", "runs other programs"),
    ("-p", "runs another program"),
    ("--paginate", "runs another program"),
];

pub(super) fn check(words: &[String]) -> Result<Checked, Refusal> {
    let refused = |(flag, does): &(&str, &'static str)| Refusal::Dangerous {
        program: "git",
        flag: (*flag).to_owned(),
        does,
    };
    let mut words = words;
    while let Some(word) = words.first().filter(|word| word.starts_with('-')) {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if let Some(entry) = GLOBAL_DANGEROUS.iter().find(|(flag, _)| {
            *flag == name || flag.len() == 2 && !name.starts_with("--") && name.starts_with(flag)
        }) {
            return Err(refused(entry));
        }
        if name != "--no-pager" {
            return Ok(Checked::Unsure(format!("git {name} is not known to only read")));
        }
        words = &words[1..];
    }
    let Some((subcommand, rest)) = words.split_first() else {
        return Ok(Checked::Unsure("git without a command".to_owned()));
    };
    match subcommand.as_str() {
        "status" => reads("status", &[STATUS], rest),
        "diff" => reads("diff", &[SHOWING, COMPARING], rest),
        "log" => reads("log", &[SHOWING, LOGGING], &numbered(rest)),
        "show" => reads("show", &[SHOWING, LOGGING], &numbered(rest)),
        "ls-files" => reads("ls-files", &[LISTING], rest),
        "branch" => branch(rest),
        "stash" => match rest.split_first() {
            // Of all forms of `git stash`, only this one reads.
            Some((list, rest)) if list == "list" => {
                let checked = reads("stash", &[LOGGING], &numbered(rest))?;
                Ok(match checked {
                    Checked::Reads(reading) if reading.paths.is_empty() => {
                        let at = QUIET.len() + 1;
                        let mut reading = reading;
                        reading.arguments.insert(at, "list".to_owned());
                        Checked::Reads(reading)
                    }
                    _ => Checked::Unsure("git stash list takes flags only".to_owned()),
                })
            }
            _ => Ok(Checked::Unsure(
                "git stash changes the repository, except for `git stash list`".to_owned(),
            )),
        },
        other => Ok(Checked::Unsure(format!("git {other} is not known to only read"))),
    }
}

fn reads(subcommand: &'static str, tables: &[&[Flag]], words: &[String]) -> Result<Checked, Refusal> {
    let table: Vec<Flag> =
        tables.iter().copied().flatten().map(|Flag(names, takes)| Flag(names, *takes)).collect();
    let parsed = match known("git", &table, DANGEROUS, words)? {
        KnownWords::Parsed(parsed) => parsed,
        KnownWords::Unclear(why) => return Ok(Checked::Unsure(why)),
    };
    for format in parsed.values("--format") {
        if format.contains("%G") {
            let does = "runs a program that the repository names";
            return Err(Refusal::Dangerous { program: "git", flag: "%G".to_owned(), does });
        }
    }
    let Show { words, paths, withheld } = match git_shown::show(subcommand, &parsed, words) {
        Ok(show) => show,
        Err(why) => return Ok(Checked::Unsure(why.to_owned())),
    };
    let mut arguments: Vec<String> = QUIET.iter().map(|word| (*word).to_owned()).collect();
    arguments.push(subcommand.to_owned());
    if matches!(subcommand, "diff" | "log" | "show") {
        arguments.extend(["--no-ext-diff".to_owned(), "--no-textconv".to_owned()]);
    }
    if matches!(subcommand, "log" | "show") || subcommand == "diff" && parsed.has("--cached") {
        // Between commits a submodule is only the hash of one of its commits; git does not look into it.
        arguments.push("--ignore-submodules=none".to_owned());
    } else if matches!(subcommand, "status" | "diff") {
        // A configuration setting is not enough: `ignore` in `.gitmodules` overrides it, and git would run
        // programs that the submodule's own repository names.
        arguments.push("--ignore-submodules=all".to_owned());
    }
    arguments.extend(words);
    let environment = ENVIRONMENT.to_vec();
    Ok(Checked::Reads(ReadOnly { program: "git", arguments, paths, environment, withheld }))
}

fn branch(words: &[String]) -> Result<Checked, Refusal> {
    // Without `--list`, an operand is the name of a branch to make.
    let checked = reads("branch", &[BRANCH], words)?;
    let Checked::Reads(mut reading) = checked else { return Ok(checked) };
    let listing = words.iter().any(|word| matches!(word.as_str(), "--list" | "-l"));
    if !reading.paths.is_empty() && !listing {
        return Ok(Checked::Unsure(
            "git branch with a name makes a branch; `git branch --list` shows them".to_owned(),
        ));
    }
    // Names of branches are not paths.
    reading.paths.clear();
    // `--show-current` prints the current branch instead of a list.
    if !listing && !words.iter().any(|word| word == "--show-current") {
        reading.arguments.insert(QUIET.len() + 1, "--list".to_owned());
    }
    Ok(Checked::Reads(reading))
}

fn numbered(words: &[String]) -> Vec<String> {
    let number = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut open = true;
    let modern = words.iter().map(|word| {
        open &= word != "--";
        match word.strip_prefix('-').filter(|_| open).filter(number) {
            Some(number) => format!("-n{number}"),
            None => word.clone(),
        }
    });
    modern.collect()
}

const STATUS: &[Flag] = &[
    Flag(&["-s", "--short"], Nothing),
    Flag(&["-b", "--branch"], Nothing),
    Flag(&["-z"], Nothing),
    Flag(&["--long"], Nothing),
    Flag(&["--show-stash"], Nothing),
    Flag(&["--porcelain"], MaybeValue),
    Flag(&["-u", "--untracked-files"], MaybeValue),
    Flag(&["--ignored"], MaybeValue),
    Flag(&["--ahead-behind"], Nothing),
    Flag(&["--no-ahead-behind"], Nothing),
];

const SHOWING: &[Flag] = &[
    Flag(&["-p", "--patch"], Nothing),
    Flag(&["-s", "--no-patch"], Nothing),
    Flag(&["-U", "--unified"], Value),
    Flag(&["--stat"], MaybeValue),
    Flag(&["--shortstat"], Nothing),
    Flag(&["--numstat"], Nothing),
    Flag(&["--summary"], Nothing),
    Flag(&["--name-only"], Nothing),
    Flag(&["--name-status"], Nothing),
    Flag(&["-w", "--ignore-all-space"], Nothing),
    Flag(&["-b", "--ignore-space-change"], Nothing),
    Flag(&["--ignore-blank-lines"], Nothing),
    Flag(&["--word-diff"], MaybeValue),
    Flag(&["--color"], MaybeValue),
    Flag(&["--no-color"], Nothing),
    Flag(&["-M", "--find-renames"], MaybeValue),
    Flag(&["-z"], Nothing),
    Flag(&["-R"], Nothing),
    Flag(&["-S"], Value),
    Flag(&["-G"], Value),
    Flag(&["--diff-filter"], Value),
    Flag(&["--relative"], Nothing),
    Flag(&["--minimal"], Nothing),
    Flag(&["--patience"], Nothing),
    Flag(&["--histogram"], Nothing),
    Flag(&["--no-ext-diff"], Nothing),
    Flag(&["--no-textconv"], Nothing),
    Flag(&["--no-renames"], Nothing),
];

const COMPARING: &[Flag] = &[
    Flag(&["--cached", "--staged"], Nothing),
    Flag(&["--merge-base"], Nothing),
    Flag(&["--check"], Nothing),
    Flag(&["--exit-code"], Nothing),
    Flag(&["--quiet"], Nothing),
];

const LOGGING: &[Flag] = &[
    Flag(&["-n", "--max-count"], Value),
    Flag(&["--skip"], Value),
    Flag(&["--oneline"], Nothing),
    Flag(&["--graph"], Nothing),
    Flag(&["--decorate"], MaybeValue),
    Flag(&["--all"], Nothing),
    Flag(&["--branches"], MaybeValue),
    Flag(&["--tags"], MaybeValue),
    Flag(&["--since", "--after"], Value),
    Flag(&["--until", "--before"], Value),
    Flag(&["--author"], Value),
    Flag(&["--grep"], Value),
    Flag(&["-i"], Nothing),
    Flag(&["-E"], Nothing),
    Flag(&["-F"], Nothing),
    Flag(&["--follow"], Nothing),
    Flag(&["--first-parent"], Nothing),
    Flag(&["--merges"], Nothing),
    Flag(&["--no-merges"], Nothing),
    Flag(&["--reverse"], Nothing),
    Flag(&["--abbrev-commit"], Nothing),
    Flag(&["--date"], Value),
    Flag(&["--format", "--pretty"], MaybeValue),
];

const LISTING: &[Flag] = &[
    Flag(&["-c", "--cached"], Nothing),
    Flag(&["-m", "--modified"], Nothing),
    Flag(&["-o", "--others"], Nothing),
    Flag(&["-d", "--deleted"], Nothing),
    Flag(&["-s", "--stage"], Nothing),
    Flag(&["-u", "--unmerged"], Nothing),
    Flag(&["-t"], Nothing),
    Flag(&["-z"], Nothing),
    Flag(&["--directory"], Nothing),
    Flag(&["--exclude-standard"], Nothing),
];

const BRANCH: &[Flag] = &[
    Flag(&["-l", "--list"], Nothing),
    Flag(&["-a", "--all"], Nothing),
    Flag(&["-r", "--remotes"], Nothing),
    Flag(&["-v", "--verbose"], Nothing),
    Flag(&["-i", "--ignore-case"], Nothing),
    Flag(&["--show-current"], Nothing),
    Flag(&["--no-color"], Nothing),
    Flag(&["--sort"], Value),
];
