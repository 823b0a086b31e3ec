//! Classifies the text of a `run`: a built-in command, a program that only reads, or one that needs the
//! user's approval. Pure: nothing is looked up, resolved or started.

mod builtin;
mod git;
mod git_shown;
mod options;
mod read_builtin;
mod read_find;
mod read_grep;
mod read_only;
mod read_stat;
mod refusal;
mod searches;
mod split;
#[cfg(test)]
mod tests;

pub use builtin::{
    BuiltIn, Count, Existing, Filling, Hidden, Links, Ls, LsOrder, Part, Piece, ReadOnlyBuiltIn, Transfer,
    Tree,
};
pub use read_only::{ReadOnly, Withheld};
pub use refusal::Refusal;
pub use searches::{Binary, Comparison, Ending, Find, Grep, MatchUnit, Selection, Shown, Syntax, Test};

use read_only::Checked;
use split::{LINE_BREAK, split};

/// The class of a command, which decides the conditions for running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A command that the daemon carries out itself, inside the root.
    BuiltIn(BuiltIn),
    /// A command that only reads. Inside a sandbox it runs without approval, elsewhere only with it.
    ReadOnly(ReadOnly),
    /// A command that runs only with the user's approval.
    Foreign {
        /// The program and its arguments; at least one word.
        words: Vec<String>,
        /// The reason why it is not a command that only reads, if its program could have been.
        why: Option<String>,
    },
}

/// Classifies the text of a `run`.
///
/// # Errors
///
/// If it cannot be applied, with or without approval.
pub fn command(text: &str) -> Result<Command, Refusal> {
    let words = split(text)?;
    let name = words[0].as_str();
    if name.is_empty() {
        return Err(Refusal::Empty);
    }
    if let Some((variable, _)) = name.split_once('=').filter(|(variable, _)| is_variable(variable)) {
        return Err(Refusal::Assignment(format!("{variable}=")));
    }
    if let Some(built_in) = read_builtin::built_in(name, &words[1..]) {
        return built_in.map(Command::BuiltIn);
    }
    let checked = match name {
        "git" => Some(git::check(&words[1..])),
        _ => read_only::check(name, &words[1..]),
    };
    match checked.transpose()? {
        Some(Checked::Reads(reading)) => Ok(Command::ReadOnly(reading)),
        Some(Checked::Unsure(why)) => Ok(Command::Foreign { words, why: Some(why) }),
        None => Ok(Command::Foreign { words, why: None }),
    }
}

/// Returns whether the text is more than one command, each on a line of its own. In quotes, and after a
/// backslash, a line break is a part of one command.
#[must_use]
pub fn is_cut_by_a_line_break(text: &str) -> bool {
    matches!(split(text), Err(Refusal::Shell { character, .. }) if character == LINE_BREAK)
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}
