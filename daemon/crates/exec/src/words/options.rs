//! Parses flags as programs do: short ones in a row, long ones, values attached or in the next word, `--`.
//!
//! Knows no command: a table lists the flags of each.

use super::refusal::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Value,
    /// A value only as `--flag=value`, or directly after a short flag.
    MaybeValue,
}

pub(super) struct Flag(pub(super) &'static [&'static str], pub(super) Takes);

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedWords {
    pub(super) flags: Vec<(&'static str, Option<String>)>,
    pub(super) operands: Vec<String>,
    /// The number of operands before a `--`; all, if there was none.
    pub(super) before_dashes: usize,
}

impl ParsedWords {
    pub(super) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(known, _)| *known == name)
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let occurrence = self.flags.iter().rev().find(|(known, _)| *known == name);
        occurrence.and_then(|(_, value)| value.as_deref())
    }

    pub(super) fn values(&self, name: &str) -> Vec<String> {
        let occurrences = self.flags.iter().filter(|(known, _)| *known == name);
        occurrences.filter_map(|(_, value)| value.clone()).collect()
    }

    pub(super) fn number<T: std::str::FromStr>(
        &self,
        program: &'static str,
        name: &'static str,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let refused = |_| Refusal::Value { program, flag: name.to_owned(), value: value.to_owned() };
        value.parse().map(Some).map_err(refused)
    }
}

pub(super) fn read(program: &'static str, table: &[Flag], words: &[String]) -> Result<ParsedWords, Refusal> {
    let mut parsed = ParsedWords::default();
    let mut words = words.iter();
    let mut dashes = None;
    while let Some(word) = words.next() {
        if dashes.is_some() || !word.starts_with('-') || word == "-" {
            parsed.operands.push(word.clone());
        } else if word == "--" {
            dashes = Some(parsed.operands.len());
        } else if word.starts_with("--") {
            long(program, table, word, &mut words, &mut parsed)?;
        } else {
            short(program, table, word, &mut words, &mut parsed)?;
        }
    }
    parsed.before_dashes = dashes.unwrap_or(parsed.operands.len());
    Ok(parsed)
}

fn lookup<'t>(table: &'t [Flag], name: &str) -> Option<&'t Flag> {
    table.iter().find(|Flag(names, _)| names.contains(&name))
}

fn unknown(program: &'static str, flag: &str) -> Refusal {
    Refusal::Flag { program, flag: flag.to_owned() }
}

fn missing(program: &'static str, flag: &str) -> Refusal {
    Refusal::Value { program, flag: flag.to_owned(), value: String::new() }
}

fn long<'w>(
    program: &'static str,
    table: &[Flag],
    word: &str,
    words: &mut impl Iterator<Item = &'w String>,
    parsed: &mut ParsedWords,
) -> Result<(), Refusal> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let Some(Flag(names, takes)) = lookup(table, name) else { return Err(unknown(program, name)) };
    let value = match (takes, value) {
        (Takes::Nothing, None) | (Takes::MaybeValue, None) => None,
        (Takes::Nothing, Some(value)) => {
            let (flag, value) = (name.to_owned(), value.to_owned());
            return Err(Refusal::Value { program, flag, value });
        }
        (Takes::Value | Takes::MaybeValue, Some(value)) => Some(value.to_owned()),
        (Takes::Value, None) => Some(words.next().ok_or_else(|| missing(program, name))?.clone()),
    };
    parsed.flags.push((names[0], value));
    Ok(())
}

fn short<'w>(
    program: &'static str,
    table: &[Flag],
    word: &str,
    words: &mut impl Iterator<Item = &'w String>,
    parsed: &mut ParsedWords,
) -> Result<(), Refusal> {
    let mut rest = &word[1..];
    while let Some(character) = rest.chars().next() {
        let name = format!("-{character}");
        rest = &rest[character.len_utf8()..];
        let Some(Flag(names, takes)) = lookup(table, &name) else { return Err(unknown(program, &name)) };
        let value = match takes {
            Takes::Nothing => None,
            Takes::MaybeValue => {
                Some(std::mem::take(&mut rest)).filter(|value| !value.is_empty()).map(str::to_owned)
            }
            Takes::Value if rest.is_empty() => {
                Some(words.next().ok_or_else(|| missing(program, &name))?.clone())
            }
            Takes::Value => Some(std::mem::take(&mut rest).to_owned()),
        };
        parsed.flags.push((names[0], value));
    }
    Ok(())
}

pub(super) fn paths(
    program: &'static str,
    table: &[Flag],
    words: &[String],
) -> Result<(Vec<String>, ParsedWords), Refusal> {
    let mut parsed = read(program, table, words)?;
    let paths = std::mem::take(&mut parsed.operands);
    checked(program, &paths)?;
    match paths.is_empty() {
        true => Err(Refusal::Operands { program, problem: "no path is given" }),
        false => Ok((paths, parsed)),
    }
}

pub(super) fn checked(program: &'static str, paths: &[String]) -> Result<(), Refusal> {
    if paths.iter().any(String::is_empty) {
        return Err(Refusal::Operands { program, problem: "a path is empty" });
    }
    if paths.iter().any(|path| path == "-") {
        return Err(Refusal::Operands { program, problem: "'-' stands for input, and there is none" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Flag] = &[
        Flag(&["-a", "--all"], Takes::Nothing),
        Flag(&["-n", "--lines"], Takes::Value),
        Flag(&["-u"], Takes::MaybeValue),
    ];

    fn given(text: &str) -> Result<ParsedWords, String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        read("x", TABLE, &words).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn flags_are_read_in_every_spelling() {
        for text in ["-a -n 5 f", "-an5 f", "f -an 5", "--all --lines=5 f", "f --lines 5 --all"] {
            let given = given(text).unwrap();
            assert!(given.has("-a"), "{text}");
            assert_eq!(
                (given.value("-n"), given.operands.as_slice()),
                (Some("5"), &["f".to_owned()][..]),
                "{text}"
            );
        }
        assert_eq!(given("-u f").unwrap().value("-u"), None);
        assert_eq!(given("-uno f").unwrap().value("-u"), Some("no"));
    }

    #[test]
    fn after_two_dashes_nothing_is_a_flag() {
        let given = given("a -- -b - --all").unwrap();
        assert_eq!((given.operands.len(), given.before_dashes, given.flags.len()), (4, 1, 0));
    }

    #[test]
    fn what_is_not_in_the_table_is_refused_by_name() {
        assert!(given("-ab").unwrap_err().contains("'-b'"));
        assert!(given("--alle").unwrap_err().contains("'--alle'"));
        assert!(given("--all=yes").unwrap_err().contains("'yes'"));
        assert!(given("-n").unwrap_err().contains("'-n'"));
        assert!(given("-ä").unwrap_err().contains("'-ä'"));
    }
}
