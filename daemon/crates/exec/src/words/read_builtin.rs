//! Parses words into a [`BuiltIn`]: the flags of each command, and the operands that it needs.

use super::builtin::{
    BuiltIn, Count, Existing, Hidden, Links, Ls, LsOrder, Part, ReadOnlyBuiltIn, Transfer, Tree,
};
use super::options::{Flag, ParsedWords, Takes, checked, paths, read};
use super::refusal::Refusal;
use super::{read_find, read_grep, read_stat};

use Takes::{Nothing, Value};

pub(super) fn built_in(name: &str, words: &[String]) -> Option<Result<BuiltIn, Refusal>> {
    Some(match name {
        "mv" => transfer("mv", MV, words).map(|(transfer, _)| BuiltIn::Mv(transfer)),
        "cp" => transfer("cp", CP, words)
            .map(|(transfer, flags)| BuiltIn::Cp { transfer, recursive: flags.has("-r") }),
        "rm" => rm(words),
        "mkdir" => paths("mkdir", MKDIR, words)
            .map(|(paths, flags)| BuiltIn::Mkdir { paths, parents: flags.has("-p") }),
        "touch" => paths("touch", TOUCH, words)
            .map(|(paths, flags)| BuiltIn::Touch { paths, only_existing: flags.has("-c") }),
        _ => return read_only(name, words).map(|read_only| read_only.map(BuiltIn::ReadOnly)),
    })
}

fn read_only(name: &str, words: &[String]) -> Option<Result<ReadOnlyBuiltIn, Refusal>> {
    Some(match name {
        "pwd" => pwd(words),
        "cat" => paths("cat", CAT, words)
            .map(|(paths, flags)| ReadOnlyBuiltIn::Cat { paths, numbers: flags.has("-n") }),
        "head" => part("head", '-', words).map(|(paths, part)| ReadOnlyBuiltIn::Head { paths, part }),
        "tail" => part("tail", '+', words).map(|(paths, part)| ReadOnlyBuiltIn::Tail { paths, part }),
        "wc" => wc(words),
        "ls" => ls(words).map(ReadOnlyBuiltIn::Ls),
        "tree" => tree(words).map(ReadOnlyBuiltIn::Tree),
        "find" => read_find::find(words).map(ReadOnlyBuiltIn::Find),
        "grep" => read_grep::grep(words).map(ReadOnlyBuiltIn::Grep),
        "stat" => read_stat::stat(words),
        "realpath" => realpath(words),
        _ => return None,
    })
}

const FORCE: Flag = Flag(&["-f", "--force"], Nothing);
const NO_CLOBBER: Flag = Flag(&["-n", "--no-clobber"], Nothing);
const VERBOSE: Flag = Flag(&["-v", "--verbose"], Nothing);
const RECURSIVE: Flag = Flag(&["-r", "-R", "--recursive"], Nothing);
const MV: &[Flag] = &[FORCE, NO_CLOBBER, VERBOSE];
const CP: &[Flag] = &[FORCE, NO_CLOBBER, VERBOSE, RECURSIVE];
const RM: &[Flag] = &[FORCE, VERBOSE, RECURSIVE];
const MKDIR: &[Flag] = &[Flag(&["-p", "--parents"], Nothing), VERBOSE];
const TOUCH: &[Flag] = &[Flag(&["-c", "--no-create"], Nothing)];
const CAT: &[Flag] = &[Flag(&["-n", "--number"], Nothing)];
const PWD: &[Flag] = &[Flag(&["-L", "--logical"], Nothing), Flag(&["-P", "--physical"], Nothing)];
const PART: &[Flag] = &[Flag(&["-n", "--lines"], Value), Flag(&["-c", "--bytes"], Value)];
const WC: &[Flag] = &[
    Flag(&["-l", "--lines"], Nothing),
    Flag(&["-w", "--words"], Nothing),
    Flag(&["-m", "--chars"], Nothing),
    Flag(&["-c", "--bytes"], Nothing),
];
const LS: &[Flag] = &[
    Flag(&["-a", "--all"], Nothing),
    Flag(&["-A", "--almost-all"], Nothing),
    Flag(&["-l"], Nothing),
    Flag(&["-1"], Nothing),
    Flag(&["-R", "--recursive"], Nothing),
    Flag(&["-d", "--directory"], Nothing),
    Flag(&["-t"], Nothing),
    Flag(&["-S"], Nothing),
    Flag(&["-r", "--reverse"], Nothing),
    Flag(&["-h", "--human-readable"], Nothing),
    Flag(&["-F", "--classify"], Nothing),
];
const TREE: &[Flag] = &[
    Flag(&["-a"], Nothing),
    Flag(&["-d"], Nothing),
    Flag(&["-f"], Nothing),
    Flag(&["-L"], Value),
    Flag(&["-I"], Value),
    Flag(&["-P"], Value),
    Flag(&["--dirsfirst"], Nothing),
];
const REALPATH: &[Flag] = &[
    Flag(&["-e", "--canonicalize-existing"], Nothing),
    Flag(&["-m", "--canonicalize-missing"], Nothing),
    Flag(&["-s", "--strip", "--no-symlinks"], Nothing),
    Flag(&["--relative-to"], Value),
];

fn transfer(
    program: &'static str,
    table: &[Flag],
    words: &[String],
) -> Result<(Transfer, ParsedWords), Refusal> {
    let (mut sources, parsed) = paths(program, table, words)?;
    let target = sources.pop().filter(|_| !sources.is_empty());
    let target = target.ok_or(Refusal::Operands { program, problem: "only one path is given" })?;
    let last = parsed.flags.iter().rev().find(|(name, _)| matches!(*name, "-f" | "-n"));
    let replace = last.is_none_or(|(name, _)| *name == "-f");
    Ok((Transfer { sources, target, replace }, parsed))
}

fn rm(words: &[String]) -> Result<BuiltIn, Refusal> {
    let (paths, parsed) = paths("rm", RM, words)?;
    Ok(BuiltIn::Rm { paths, recursive: parsed.has("-r"), force: parsed.has("-f") })
}

fn pwd(words: &[String]) -> Result<ReadOnlyBuiltIn, Refusal> {
    match read("pwd", PWD, words)?.operands.is_empty() {
        true => Ok(ReadOnlyBuiltIn::Pwd),
        false => Err(Refusal::Operands { program: "pwd", problem: "it takes no path" }),
    }
}

/// Parses the words after `head` or `tail`. `turned` before a number means the rest of the file instead of
/// the part.
fn part(program: &'static str, turned: char, words: &[String]) -> Result<(Vec<String>, Part), Refusal> {
    let mut words = words.to_vec();
    if let Some(first) = words.first_mut() {
        *first = modern(first);
    }
    let (paths, parsed) = paths(program, PART, &words)?;
    let Some((flag, value)) = parsed.flags.last() else { return Ok((paths, Part::Lines(10))) };
    let value = value.clone().unwrap_or_default();
    let refused = || Refusal::Value { program, flag: (*flag).to_owned(), value: value.clone() };
    let (rest, turned) = match value.strip_prefix(['-', '+']) {
        Some(rest) => (rest, value.starts_with(turned)),
        None => (value.as_str(), false),
    };
    if value.starts_with('+') && program == "head" || rest.starts_with(['-', '+']) {
        return Err(refused());
    }
    let number: u64 = rest.parse().map_err(|_| refused())?;
    let part = match (*flag, turned) {
        ("-n", false) => Part::Lines(number),
        ("-n", true) => Part::LinesBut(number),
        (_, false) => Part::Bytes(number),
        (_, true) => Part::BytesBut(number),
    };
    Ok((paths, part))
}

fn modern(word: &str) -> String {
    match word.strip_prefix('-') {
        Some(number) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("-n{number}")
        }
        _ => word.to_owned(),
    }
}

fn wc(words: &[String]) -> Result<ReadOnlyBuiltIn, Refusal> {
    let (paths, parsed) = paths("wc", WC, words)?;
    let counted = |(name, _): &(&str, Option<String>)| match *name {
        "-l" => Count::Lines,
        "-w" => Count::Words,
        "-m" => Count::Characters,
        _ => Count::Bytes,
    };
    let mut counts: Vec<Count> = parsed.flags.iter().map(counted).collect();
    counts.sort();
    counts.dedup();
    if counts.is_empty() {
        counts = vec![Count::Lines, Count::Words, Count::Bytes];
    }
    Ok(ReadOnlyBuiltIn::Wc { paths, counts })
}

fn ls(words: &[String]) -> Result<Ls, Refusal> {
    let parsed = read("ls", LS, words)?;
    checked("ls", &parsed.operands)?;
    let last =
        |names: [&str; 2]| parsed.flags.iter().rev().map(|(name, _)| *name).find(|name| names.contains(name));
    Ok(Ls {
        hidden: match last(["-a", "-A"]) {
            None => Hidden::Omitted,
            Some("-A") => Hidden::Almost,
            Some(_) => Hidden::All,
        },
        order: match last(["-t", "-S"]) {
            None => LsOrder::Name,
            Some("-t") => LsOrder::Time,
            Some(_) => LsOrder::Size,
        },
        long: parsed.has("-l"),
        human: parsed.has("-h"),
        recursive: parsed.has("-R"),
        itself: parsed.has("-d"),
        classify: parsed.has("-F"),
        reverse: parsed.has("-r"),
        paths: parsed.operands,
    })
}

fn tree(words: &[String]) -> Result<Tree, Refusal> {
    let parsed = read("tree", TREE, words)?;
    checked("tree", &parsed.operands)?;
    let depth = parsed.number("tree", "-L")?;
    if depth == Some(0) {
        return Err(Refusal::Value { program: "tree", flag: "-L".to_owned(), value: "0".to_owned() });
    }
    let globs =
        |flag| parsed.values(flag).iter().flat_map(|value| value.split('|')).map(str::to_owned).collect();
    Ok(Tree {
        hidden: parsed.has("-a"),
        folders_only: parsed.has("-d"),
        whole_paths: parsed.has("-f"),
        folders_first: parsed.has("--dirsfirst"),
        depth,
        without: globs("-I"),
        only: globs("-P"),
        paths: parsed.operands,
    })
}

fn realpath(words: &[String]) -> Result<ReadOnlyBuiltIn, Refusal> {
    let (paths, parsed) = paths("realpath", REALPATH, words)?;
    let last = parsed.flags.iter().rev().find(|(name, _)| matches!(*name, "-e" | "-m"));
    let existing = match last {
        None => Existing::Parent,
        Some(("-e", _)) => Existing::All,
        Some(_) => Existing::Nothing,
    };
    let links = if parsed.has("-s") { Links::Names } else { Links::Followed };
    let relative_to = parsed.value("--relative-to").map(str::to_owned);
    if relative_to.as_deref() == Some("") {
        let (flag, value) = ("--relative-to".to_owned(), String::new());
        return Err(Refusal::Value { program: "realpath", flag, value });
    }
    Ok(ReadOnlyBuiltIn::Realpath { paths, existing, links, relative_to })
}
