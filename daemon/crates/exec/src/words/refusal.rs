//! The reasons why a command is refused, as data, each with a message and a hint on what to do instead.

/// The reason why the text of a `run` is not applied, even with approval.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is nothing but blanks.
    #[error("the command is empty")]
    Empty,
    /// A character that only a shell gives a meaning.
    #[error("{character} at character {column}: {meaning}, and there is no shell here")]
    Shell {
        /// The character or characters, as users write them.
        character: String,
        /// The position in the command, in characters from 1.
        column: usize,
        /// The meaning that a shell would give it.
        meaning: &'static str,
    },
    /// A quote that is not closed, or a backslash at the end.
    #[error("{character} at character {column} has no end")]
    Unclosed {
        /// The character.
        character: char,
        /// The position in the command, in characters from 1.
        column: usize,
    },
    /// A NUL, which no argument can hold.
    #[error("character {column} is NUL, which no command can hold")]
    Nul {
        /// The position in the command, in characters from 1.
        column: usize,
    },
    /// `NAME=value` before a command.
    #[error("'{0}' sets a variable, and there is no shell here that would")]
    Assignment(String),
    /// A flag that is not on the list of a command.
    #[error("{program}: the flag '{flag}' is not among those that work here")]
    Flag {
        /// The command.
        program: &'static str,
        /// The flag.
        flag: String,
    },
    /// A flag that makes a reading program run or write something.
    #[error("{program}: '{flag}' is refused: it {does}")]
    Dangerous {
        /// The command.
        program: &'static str,
        /// The flag.
        flag: String,
        /// The effect that it would have.
        does: &'static str,
    },
    /// A flag whose value makes no sense.
    #[error("{program}: '{value}' is not a value for '{flag}'")]
    Value {
        /// The command.
        program: &'static str,
        /// The flag.
        flag: String,
        /// The given value; empty if there was none.
        value: String,
    },
    /// Too few or too many operands.
    #[error("{program}: {problem}")]
    Operands {
        /// The command.
        program: &'static str,
        /// The problem in words.
        problem: &'static str,
    },
}

impl Refusal {
    /// Returns a hint on what to do instead.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Refusal::Empty => "write a command, such as `ls src`".to_owned(),
            Refusal::Shell { character, .. } => instead(character),
            Refusal::Unclosed { character: '\\', .. } => "leave the last backslash out".to_owned(),
            Refusal::Unclosed { character, .. } => {
                format!("close it with another {character}, or write \\{character} for the character itself")
            }
            Refusal::Nul { .. } => "leave it out".to_owned(),
            Refusal::Assignment(_) => {
                "write the command alone; code for bash can set variables, in an exec action that a person approves"
                    .to_owned()
            }
            Refusal::Flag { program, .. } => format!("leave it out; {}", flags(program)),
            Refusal::Dangerous { .. } => "leave it out, and change files with separate actions".to_owned(),
            Refusal::Value { flag, .. } => format!("correct the value of '{flag}'"),
            Refusal::Operands { program, .. } => usage(program).to_owned(),
        }
    }
}

fn instead(character: &str) -> String {
    match character {
        "'|'" | "'&'" | "'&&'" | "'||'" | "';'" | "a line break" => {
            "write each command as a separate action, one after the other, or all of it as code for bash in an exec \
             action, which a person approves"
                .to_owned()
        }
        "'<'" | "'>'" => "read or write the file with a separate action".to_owned(),
        "'*'" | "'?'" | "'['" => "name the files, or quote it to mean the character itself".to_owned(),
        "'~'" => "write the path from the root of the project".to_owned(),
        _ => "write what it stands for, or put it into single quotes to mean the character itself".to_owned(),
    }
}

fn flags(program: &str) -> &'static str {
    match program {
        "mv" => "mv takes -f -n -v",
        "cp" => "cp takes -r -f -n -v",
        "rm" => "rm takes -r -f -v",
        "mkdir" => "mkdir takes -p -v",
        "touch" => "touch takes -c",
        "pwd" => "pwd takes -L -P",
        "cat" => "cat takes -n",
        "head" => "head takes -n -c",
        "tail" => "tail takes -n -c",
        "wc" => "wc takes -l -w -c -m",
        "ls" => "ls takes -a -A -l -1 -R -d -t -S -r -h -F",
        "tree" => "tree takes -a -d -f -L -I -P --dirsfirst",
        "find" => {
            "find takes -name -iname -path -ipath -type -size -mtime -newer -empty -maxdepth -mindepth -not -a -o ( ) -prune -print -print0"
        }
        "grep" => {
            "grep takes -r -n -i -l -L -c -v -w -x -o -h -H -s -q -a -I -E -F -G -e -m -A -B -C --include --exclude --exclude-dir"
        }
        "stat" => "stat takes -c --printf",
        "realpath" => "realpath takes -e -m -s --relative-to",
        _ => "another command may do what it is for",
    }
}

fn usage(program: &str) -> &'static str {
    match program {
        "mv" => "mv SOURCE... TARGET",
        "cp" => "cp [-r] SOURCE... TARGET",
        "rm" => "rm [-r] [-f] PATH...",
        "mkdir" => "mkdir [-p] FOLDER...",
        "touch" => "touch FILE...",
        "pwd" => "pwd",
        "find" => "find [FOLDER...] [TEST...], such as `find src -name '*.rs' -type f`",
        "grep" => "grep [-rn] PATTERN PATH...; without input, a path is needed",
        _ => "name the files that it is to read: there is no input",
    }
}
