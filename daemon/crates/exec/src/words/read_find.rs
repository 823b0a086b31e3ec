//! Parses words into a [`Find`]: the language of its tests, without actions that run or write.

use super::refusal::Refusal;
use super::searches::{Comparison, Ending, Find, Test};

const DEPTH: usize = 32;

const DANGEROUS: &[(&str, &str)] = &[
    ("-exec", "runs a command"),
    ("-execdir", "runs a command"),
    ("-ok", "runs a command"),
    ("-okdir", "runs a command"),
    ("-delete", "deletes what it finds"),
    ("-fprint", "writes a file"),
    ("-fprint0", "writes a file"),
    ("-fprintf", "writes a file"),
    ("-fls", "writes a file"),
    ("-files0-from", "reads paths from a file"),
];

pub(super) fn find(words: &[String]) -> Result<Find, Refusal> {
    let begins =
        |word: &String| word.starts_with('-') && word.len() > 1 || matches!(word.as_str(), "(" | ")" | "!");
    let tests = words.iter().position(begins).unwrap_or(words.len());
    let paths = words[..tests].to_vec();
    if paths.iter().any(|path| path.is_empty() || path == "-") {
        return Err(Refusal::Operands { program: "find", problem: "a path is empty or '-'" });
    }
    let mut reading = FindParser { words: &words[tests..], at: 0, least: 0, most: None, prints: false };
    let mut test = if reading.peek().is_none() { Test::All(Vec::new()) } else { reading.any(0)? };
    if !reading.prints {
        test = Test::All(vec![test, Test::Print(Ending::Line)]);
    }
    match reading.peek() {
        None => Ok(Find { paths, least_depth: reading.least, most_depth: reading.most, test }),
        Some(word) => Err(flag(word)),
    }
}

fn flag(word: &str) -> Refusal {
    match DANGEROUS.iter().find(|(name, _)| *name == word) {
        Some((name, does)) => Refusal::Dangerous { program: "find", flag: (*name).to_owned(), does },
        None => Refusal::Flag { program: "find", flag: word.to_owned() },
    }
}

struct FindParser<'a> {
    words: &'a [String],
    at: usize,
    least: usize,
    most: Option<usize>,
    prints: bool,
}

impl<'a> FindParser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn next(&mut self) -> Option<&'a str> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn any(&mut self, depth: usize) -> Result<Test, Refusal> {
        if depth > DEPTH {
            return Err(Refusal::Operands { program: "find", problem: "its tests are nested too deeply" });
        }
        let mut tests = vec![self.all(depth)?];
        while matches!(self.peek(), Some("-o" | "-or")) {
            self.next();
            tests.push(self.all(depth)?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::Any(tests) })
    }

    fn all(&mut self, depth: usize) -> Result<Test, Refusal> {
        let mut tests = vec![];
        self.one(depth, &mut tests)?;
        loop {
            match self.peek() {
                None | Some("-o" | "-or" | ")") => break,
                Some("-a" | "-and") => drop(self.next()),
                Some(_) => {}
            }
            self.one(depth, &mut tests)?;
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::All(tests) })
    }

    fn one(&mut self, depth: usize, tests: &mut Vec<Test>) -> Result<(), Refusal> {
        let Some(word) = self.next() else {
            return Err(Refusal::Operands { program: "find", problem: "its tests end too soon" });
        };
        let test = match word {
            "!" | "-not" => {
                if depth > DEPTH {
                    return Err(Refusal::Operands {
                        program: "find",
                        problem: "its tests are nested too deeply",
                    });
                }
                let mut inner = Vec::new();
                self.one(depth + 1, &mut inner)?;
                Test::Not(Box::new(if inner.len() == 1 { inner.remove(0) } else { Test::All(inner) }))
            }
            "(" => {
                let inner = self.any(depth + 1)?;
                if self.next() != Some(")") {
                    return Err(Refusal::Operands { program: "find", problem: "'(' has no end" });
                }
                inner
            }
            "-print" => self.printing(Ending::Line),
            "-print0" => self.printing(Ending::Nul),
            "-prune" => Test::Prune,
            // An empty `All` always holds, an empty `Any` never.
            "-true" => Test::All(Vec::new()),
            "-false" => Test::Any(Vec::new()),
            "-maxdepth" => {
                self.most = Some(self.number(word)?);
                return Ok(());
            }
            "-mindepth" => {
                self.least = self.number(word)?;
                return Ok(());
            }
            "-name" | "-iname" => Test::Name { glob: self.value(word)?, any_case: word == "-iname" },
            "-path" | "-wholename" | "-ipath" | "-iwholename" => {
                Test::Path { glob: self.value(word)?, any_case: word.starts_with("-i") }
            }
            "-type" => self.kind(word)?,
            "-empty" => Test::Empty,
            "-size" => self.size(word)?,
            "-mtime" => {
                let value = self.value(word)?;
                Test::ChangedDays(compare(&value).ok_or_else(|| refused(word, &value))?)
            }
            "-newer" => Test::NewerThan(self.value(word)?),
            other => return Err(flag(other)),
        };
        tests.push(test);
        Ok(())
    }

    fn printing(&mut self, ending: Ending) -> Test {
        self.prints = true;
        Test::Print(ending)
    }

    fn value(&mut self, flag: &str) -> Result<String, Refusal> {
        self.next().filter(|value| !value.is_empty()).map(str::to_owned).ok_or_else(|| refused(flag, ""))
    }

    fn number(&mut self, flag: &str) -> Result<usize, Refusal> {
        let value = self.value(flag)?;
        value.parse().map_err(|_| refused(flag, &value))
    }

    fn kind(&mut self, flag: &str) -> Result<Test, Refusal> {
        let value = self.value(flag)?;
        let kinds: Option<Vec<char>> = value
            .split(',')
            .map(|kind| {
                matches!(kind, "f" | "d" | "l" | "p" | "s" | "b" | "c").then(|| kind.chars().next()).flatten()
            })
            .collect();
        kinds.map(Test::Type).ok_or_else(|| refused(flag, &value))
    }

    fn size(&mut self, flag: &str) -> Result<Test, Refusal> {
        let value = self.value(flag)?;
        let (number, unit) = match value.char_indices().last() {
            Some((at, 'c')) => (&value[..at], 1),
            Some((at, 'w')) => (&value[..at], 2),
            Some((at, 'k')) => (&value[..at], 1 << 10),
            Some((at, 'M')) => (&value[..at], 1 << 20),
            Some((at, 'G')) => (&value[..at], 1 << 30),
            Some((at, 'b')) => (&value[..at], 512),
            _ => (value.as_str(), 512),
        };
        let than = compare(number).ok_or_else(|| refused(flag, &value))?;
        Ok(Test::Size { than, unit })
    }
}

fn refused(flag: &str, value: &str) -> Refusal {
    Refusal::Value { program: "find", flag: flag.to_owned(), value: value.to_owned() }
}

fn compare(value: &str) -> Option<Comparison> {
    let digits = value.trim_start_matches(['+', '-']);
    let number = digits.parse().ok().filter(|_| value.len() - digits.len() < 2)?;
    Some(match value.as_bytes()[0] {
        b'+' => Comparison::More(number),
        b'-' => Comparison::Less(number),
        _ => Comparison::Just(number),
    })
}
