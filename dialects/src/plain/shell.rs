//! Shell fences: commands that only change files, and all others.
//!
//! Literal words alone: no variables, globs, braces, other folders. What is not in the table is a command to run.

use super::words;
use crate::file_name::{base, extension};

const SCRIPTS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "fish",
    "ksh",
    "csh",
    "bat",
    "cmd",
    "ps1",
    "psm1",
    "command",
    "envrc",
    "bats",
    "bashrc",
    "zshrc",
    "profile",
    "bash_profile",
    "env",
];
/// Files that commands do not remove (spec: plain, "Operations").
const LOCKS: &[&str] = &[
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "cargo.lock",
    "poetry.lock",
    "pipfile.lock",
    "gemfile.lock",
    "composer.lock",
    "go.sum",
    "uv.lock",
    "bun.lockb",
    "bun.lock",
];
const SIGNS: &[char] =
    &['$', '`', '*', '?', '[', ']', '{', '}', '~', '(', ')', '|', ';', '&', '<', '>', '\\', '!', '#'];

/// Commands of a fence that only change files.
pub(super) struct FileCommands {
    /// Their text, line by line.
    pub(super) text: String,
    /// True if other commands follow, which only run something.
    pub(super) rest: bool,
}

// Returns true if a command of `content` has the file `path` as an argument, or runs it.
pub(super) fn uses(content: &str, path: &str) -> bool {
    let name = crate::file_name::base(path);
    let is_it = |word: &str| crate::file_name::base(word.trim_matches(['"', '\''])) == name;
    !content.starts_with("#!")
        && content.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next().is_some_and(|first| is_it(first) || words::is_program(first) && words.any(is_it))
        })
}

pub(super) fn is_script(path: &str) -> bool {
    let name = base(path);
    let last = extension(name).unwrap_or_else(|| name.trim_start_matches('.'));
    let last = last.to_ascii_lowercase();
    let plain = extension(name).is_none() && !name.starts_with('.') && path.contains('/');
    SCRIPTS.contains(&&*last) || name.starts_with(".env") || plain
}

/// Returns true if `content`, of a fence without a language, is commands: at most three lines that begin with a
/// program, or any below a `sentence` that says so.
pub(super) fn is_bare(content: &str, sentence: &str) -> bool {
    let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    let few = content.lines().filter(|line| !line.trim().is_empty()).take(4).count() <= 3;
    let prompts = content.trim_start().starts_with("$ ");
    prompts || few && (lines.all(is_command) || words::is_run(sentence))
}

fn is_command(line: &str) -> bool {
    let text = line.trim_start_matches(['\'', '"']);
    let first = text.split([' ', '\t', '\'', '"']).next().unwrap_or_default();
    line.starts_with("$ ")
        || line.starts_with("# ")
        || first.to_ascii_lowercase().ends_with(".exe")
        || words::is_program(first) && !line.ends_with([':', '.'])
        || first.starts_with("./") && first.ends_with(".sh")
}

/// Returns true if every line of `content` that says anything sets a variable: `export PORT=80`.
pub(super) fn sets_variables(content: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .all(|line| line.trim_start_matches("export ").split_once('=').is_some_and(|(name, _)| is_name(name)))
}

/// Returns true if `commands` only copy samples to the names that each user's own files have: `cp .env.example .env`.
pub(super) fn copies_samples(commands: &str) -> bool {
    const SAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist", "-example", "-sample"];
    let is_copy = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(words[..], ["cp", from, to] if SAMPLES.iter().any(|sample| from.replacen(sample, "", 1) == to && from != to))
    };
    let mut lines = commands.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(is_copy)
}

/// Reads the commands in `content`; `None` if one does anything but change files by name.
///
/// Commands that only run something may follow those that write a file from a heredoc.
pub(super) fn file_commands(content: &str) -> Option<FileCommands> {
    let mut lines = content.lines();
    let (mut text, mut rest, mut writes, mut moves) = (String::new(), false, false, false);
    while let Some(line) = lines.next() {
        let command = line.trim();
        if command.is_empty() || command.starts_with('#') {
            continue;
        }
        match read(command) {
            Some(ShellCommand::Change { removes }) => {
                if rest {
                    return None;
                }
                moves |= removes;
                writes |= !command.starts_with("mkdir") || removes;
                text.push_str(line);
                text.push('\n');
            }
            Some(ShellCommand::Heredoc { tag, quoted }) => {
                if rest {
                    return None;
                }
                text.push_str(line);
                text.push('\n');
                let mut closed = false;
                for line in lines.by_ref() {
                    text.push_str(line);
                    text.push('\n');
                    if line.trim_end() == tag {
                        closed = true;
                        break;
                    }
                    if !quoted && line.contains(['$', '`', '\\']) {
                        return None;
                    }
                }
                if !closed {
                    return None;
                }
                writes = true;
            }
            None if runs(command) || makes_executable(command) => rest = true,
            None => return None,
        }
    }
    // What removes or moves is not taken from among other commands.
    (writes && !(rest && moves)).then_some(FileCommands { text, rest })
}

enum ShellCommand {
    Change { removes: bool },
    Heredoc { tag: String, quoted: bool },
}

fn runs(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    let other = [
        "cd", "rm", "mv", "cp", "sed", "cat", "tee", "echo", "git", "curl", "wget", "source", "export",
        "sudo", "touch", "mkdir", "rsync", "scp", "pushd", "perl", "printf", "chmod",
    ];
    words::is_program(first) && !other.contains(&first) && !command.contains(['>', '<', '|', ';', '\\'])
}

// Returns true if `command` only lets files be run: `chmod +x a.sh`.
fn makes_executable(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.next() == Some("chmod")
        && words
            .next()
            .is_some_and(|mode| matches!(mode, "+x" | "a+x" | "u+x" | "ug+x" | "755" | "0755" | "700"))
        && words.all(|path| literal(path).is_some())
}

/// Reads one line: commands with `&&` between them.
fn read(line: &str) -> Option<ShellCommand> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    if let Some((command, tag)) = line.split_once("<<") {
        let (before, command) = command.rsplit_once(" && ").unwrap_or(("", command));
        let sound =
            before.is_empty() || before.split(" && ").all(|command| change(command.trim()) == Some(false));
        return heredoc(command, tag).filter(|_| sound);
    }
    let mut removes = false;
    for command in line.split(" && ") {
        removes |= change(command.trim())?;
    }
    Some(ShellCommand::Change { removes })
}

/// `cat > p <<'EOF'`, `cat <<EOF > p`, `tee p <<'EOF'`.
fn heredoc(before: &str, after: &str) -> Option<ShellCommand> {
    let after = after.strip_prefix('-').unwrap_or(after).trim_start();
    let end = after.find([' ', '\t', '>']).unwrap_or(after.len());
    let (word, behind) = (&after[..end], after[end..].trim());
    let tag = word.trim_matches(['\'', '"', '\\']);
    if tag.is_empty() || !tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let target = match before.trim().split_once([' ', '\t', '>']) {
        None => behind,
        Some(_) if before.trim().starts_with("cat") => before.trim()["cat".len()..].trim(),
        Some(("tee", path)) => path.trim().strip_prefix("-a ").unwrap_or(path.trim()),
        Some(_) => return None,
    };
    let path = target.trim_start_matches('>').trim();
    let harmless = behind.is_empty() || behind == "> /dev/null" || target == behind;
    let program = before.trim().starts_with("cat") || before.trim().starts_with("tee ");
    (program && harmless && literal(path).is_some())
        .then(|| ShellCommand::Heredoc { tag: tag.to_owned(), quoted: tag.len() < word.len() })
}

/// Reads one command that has no heredoc; whether it removes or moves a file, `None` if it is not in the table.
fn change(command: &str) -> Option<bool> {
    let arguments = words_of(command)?;
    let (program, arguments) = arguments.split_first()?;
    let (program, arguments) = match (&**program, arguments) {
        ("git", [action, rest @ ..]) if matches!(&**action, "mv" | "rm") => (&**action, rest),
        (program, rest) => (program, rest),
    };
    let is_path = |word: &String| literal(word).is_some();
    let paths = |arguments: &[String], flags: &[&str]| {
        let (options, paths): (Vec<&String>, Vec<&String>) =
            arguments.iter().partition(|word| word.starts_with('-'));
        let known = options.iter().all(|option| flags.contains(&&***option));
        (known && !paths.is_empty() && paths.iter().all(|path| is_path(path)))
            .then(|| paths.into_iter().cloned().collect::<Vec<_>>())
    };
    match program {
        "mkdir" => paths(arguments, &["-p"]).map(|_| false),
        "touch" => paths(arguments, &[]).map(|_| false),
        "mv" | "cp" => {
            let is_sound = |paths: &Vec<String>| {
                paths.len() == 2
                    || paths.len() > 2 && paths.last().is_some_and(|folder| folder.ends_with('/'))
            };
            paths(arguments, &["-f", "-v"]).filter(is_sound).map(|_| program == "mv")
        }
        "rm" => {
            let lock = |path: &String| LOCKS.contains(&&*base(path).to_ascii_lowercase());
            paths(arguments, &["-f", "-v", "--"]).filter(|paths| !paths.iter().any(lock)).map(|_| true)
        }
        // The text is all of the line that it writes.
        "echo" => match arguments {
            [_, sign, path] if matches!(&**sign, ">" | ">>") && is_path(path) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn words_of(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('"'), '$' | '`' | '\\' | '!') => return None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '>') if word.as_deref().is_none_or(|word| word == ">") => {
                word.get_or_insert_default().push(c)
            }
            (None, _) if SIGNS.contains(&c) => return None,
            (None, _) => {
                // `>a` is a sign and a path.
                if word.as_deref().is_some_and(|word| matches!(word, ">" | ">>")) {
                    words.extend(word.take());
                }
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

fn literal(word: &str) -> Option<&str> {
    let text = word.trim_matches(['\'', '"']);
    let plain = !text.is_empty() && !text.contains(SIGNS) && !text.contains("..") && !text.starts_with('-');
    (plain && !text.contains([' ', '\t', '\'', '"'])).then_some(text)
}
