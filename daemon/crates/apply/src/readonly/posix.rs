//! Expressions of `grep`, basic and extended, as ones of the library.
//!
//! Pure, and linear in the expression. What the library has no word for is refused; what `grep` takes for
//! plain text where it might mean more is plain text here too.

use clada_exec::words::Syntax;

const LENGTH: usize = 100_000;
/// Repetitions of repetitions; beyond, nobody means it.
const NESTED: usize = 50;
const REPETITIONS: u32 = 32_767;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Translated {
    pub(super) expression: String,
    pub(super) warnings: Vec<String>,
}

pub(super) fn translate(written: &str, syntax: Syntax) -> Result<Translated, String> {
    if written.len() > LENGTH {
        return Err("Regular expression too big".to_owned());
    }
    if syntax == Syntax::Text {
        let mut translated = Translated::default();
        written.chars().for_each(|character| literal(&mut translated.expression, character));
        return Ok(translated);
    }
    let mut translation = Translation {
        rest: written.chars().collect(),
        at: 0,
        extended: syntax == Syntax::Extended,
        done: Translated::default(),
        at_start: true,
        atom: None,
        begun: 0,
        groups: Vec::new(),
        wrapped: 0,
    };
    translation.all()?;
    Ok(translation.done)
}

fn literal(expression: &mut String, character: char) {
    // `\<` and `\>` have a meaning of their own.
    if character.is_ascii_punctuation() && !matches!(character, '<' | '>') {
        expression.push('\\');
    }
    expression.push(character);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Times {
    least: u32,
    most: Option<u32>,
}

impl Times {
    const STAR: Times = Times { least: 0, most: None };
    const PLUS: Times = Times { least: 1, most: None };
    const OPTIONAL: Times = Times { least: 0, most: Some(1) };

    /// Both, one after the other, if one repetition comes to the same.
    fn and(self, then: Times) -> Option<Times> {
        let simple = |times| [Times::STAR, Times::PLUS, Times::OPTIONAL].contains(&times);
        (simple(self) && simple(then))
            .then(|| Times { least: self.least.min(then.least), most: self.most.and(then.most) })
    }

    fn write(self, expression: &mut String) {
        match self {
            Times::STAR => expression.push('*'),
            Times::PLUS => expression.push('+'),
            Times::OPTIONAL => expression.push('?'),
            Times { least, most: None } => expression.push_str(&format!("{{{least},}}")),
            Times { least, most: Some(most) } => expression.push_str(&format!("{{{least},{most}}}")),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Atom {
    start: usize,
    end: usize,
    times: Option<Times>,
}

struct Translation {
    rest: Vec<char>,
    at: usize,
    extended: bool,
    done: Translated,
    /// Nothing that can be repeated stands before, within this alternative.
    at_start: bool,
    atom: Option<Atom>,
    begun: usize,
    groups: Vec<usize>,
    wrapped: usize,
}

impl Translation {
    fn all(&mut self) -> Result<(), String> {
        while let Some(character) = self.next() {
            match character {
                '\\' => self.escape()?,
                '[' => self.brackets()?,
                '*' => self.repeat('*', Times::STAR)?,
                '+' if self.extended => self.repeat('+', Times::PLUS)?,
                '?' if self.extended => self.repeat('?', Times::OPTIONAL)?,
                '{' if self.extended => match self.interval()? {
                    Some(times) => self.repeat('{', times)?,
                    None => self.plain('{'),
                },
                '(' if self.extended => self.open(),
                ')' if self.extended && !self.groups.is_empty() => self.close(),
                '|' if self.extended => self.alternative(),
                '^' if self.extended || self.at == self.begun + 1 => self.condition("^"),
                '$' if self.extended || self.ends_alternative() => self.condition("$"),
                '.' => self.push("."),
                other => self.plain(other),
            }
        }
        if self.groups.is_empty() { Ok(()) } else { Err("Unmatched ( or \\(".to_owned()) }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek(0);
        self.at += usize::from(next.is_some());
        next
    }

    fn push(&mut self, expression: &str) {
        let start = self.done.expression.len();
        self.done.expression.push_str(expression);
        self.atom_from(start);
    }

    fn plain(&mut self, character: char) {
        let start = self.done.expression.len();
        literal(&mut self.done.expression, character);
        self.atom_from(start);
    }

    fn atom_from(&mut self, start: usize) {
        self.atom = Some(Atom { start, end: self.done.expression.len(), times: None });
        self.at_start = false;
    }

    /// Writes a condition about the place, such as `^` or `\<`. At the start it is nothing that can be
    /// repeated: a star after it is one at the start.
    fn condition(&mut self, condition: &str) {
        if self.at_start {
            self.done.expression.push_str(condition);
        } else {
            self.push(&format!("(?:{condition})"));
        }
    }

    /// Returns true if a `$` is where the alternative of a basic expression ends.
    fn ends_alternative(&self) -> bool {
        matches!((self.peek(0), self.peek(1)), (None, _) | (Some('\\'), Some(')' | '|')))
    }

    fn open(&mut self) {
        self.groups.push(self.done.expression.len());
        self.done.expression.push_str("(?:");
        self.begin();
    }

    fn close(&mut self) {
        let start = self.groups.pop().unwrap_or_default();
        self.done.expression.push(')');
        self.atom_from(start);
    }

    fn alternative(&mut self) {
        self.done.expression.push('|');
        self.begin();
    }

    fn begin(&mut self) {
        self.at_start = true;
        self.begun = self.at;
        self.atom = None;
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(character) = self.next() else { return Err("Trailing backslash".to_owned()) };
        match character {
            '(' if !self.extended => self.open(),
            ')' if !self.extended && self.groups.is_empty() => return Err("Unmatched ) or \\)".to_owned()),
            ')' if !self.extended => self.close(),
            '|' if !self.extended => self.alternative(),
            '+' if !self.extended => self.repeat('+', Times::PLUS)?,
            '?' if !self.extended => self.repeat('?', Times::OPTIONAL)?,
            '{' if !self.extended && self.atom.is_none() => self.plain('{'),
            '{' if !self.extended => match self.interval()? {
                Some(times) => self.repeat('{', times)?,
                None => return Err("Invalid content of \\{\\}".to_owned()),
            },
            '1'..='9' => {
                return Err(format!("\\{character} refers back to a group, which does not work here"));
            }
            // The following are extensions of GNU, in both kinds of expressions.
            '<' => self.condition("\\b{start}"),
            '>' => self.condition("\\b{end}"),
            'b' | 'B' => self.condition(&format!("\\{character}")),
            'w' | 'W' | 's' | 'S' => self.push(&format!("\\{character}")),
            '`' => self.condition("^"),
            '\'' => self.condition("$"),
            other => {
                if other.is_alphanumeric() {
                    self.done.warnings.push(format!("stray \\ before {other}"));
                }
                self.plain(other);
            }
        }
        Ok(())
    }

    fn repeat(&mut self, sign: char, times: Times) -> Result<(), String> {
        // Where nothing stands before, a basic expression has a plain character, and an extended one nothing
        // at all.
        let Some(atom) = self.atom else {
            let shown = if sign == '{' { "{...}".to_owned() } else { sign.to_string() };
            if self.extended {
                self.done.warnings.push(format!("{shown} at start of expression"));
            } else {
                self.plain(sign);
            }
            return Ok(());
        };
        let expression = &mut self.done.expression;
        let (mut start, mut end, mut times) = (atom.start, atom.end, times);
        if let Some(before) = atom.times {
            // Repetitions of repetitions are joined where one can say both, so that `a****` does not nest.
            match before.and(times) {
                Some(both) => {
                    expression.truncate(end);
                    times = both;
                }
                None => {
                    self.wrapped += 1;
                    if self.wrapped > NESTED {
                        return Err("Regular expression too big".to_owned());
                    }
                    expression.insert_str(start, "(?:");
                    expression.push(')');
                    (start, end) = (atom.start, expression.len());
                }
            }
        }
        times.write(expression);
        self.atom = Some(Atom { start, end, times: Some(times) });
        Ok(())
    }

    // Reads what is in braces that have just been opened; `None` if it is not a number of repetitions.
    fn interval(&mut self) -> Result<Option<Times>, String> {
        let begun = self.at;
        let end: &[char] = if self.extended { &['}'] } else { &['\\', '}'] };
        let least = self.number();
        let has_most = self.peek(0) == Some(',');
        if has_most {
            self.at += 1;
        }
        let most = if has_most { self.number() } else { least };
        let closed = self.rest[self.at..].starts_with(end);
        if !closed || !has_most && least.is_none() {
            let unclosed = !self.extended && !self.rest[begun..].windows(2).any(|pair| pair == ['\\', '}']);
            self.at = begun;
            return if unclosed { Err("Unmatched \\{".to_owned()) } else { Ok(None) };
        }
        self.at += end.len();
        let least = least.unwrap_or(0);
        if most.is_some_and(|most| most < least) {
            return Err("Invalid content of \\{\\}".to_owned());
        }
        if least.max(most.unwrap_or(0)) > REPETITIONS {
            return Err("Regular expression too big".to_owned());
        }
        Ok(Some(Times { least, most }))
    }

    fn number(&mut self) -> Option<u32> {
        let mut number: Option<u32> = None;
        while let Some(digit) = self.peek(0).and_then(|character| character.to_digit(10)) {
            self.at += 1;
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        number
    }

    fn brackets(&mut self) -> Result<(), String> {
        // A backslash in brackets is one of their characters.
        const UNCLOSED: &str = "Unmatched [, [^, [:, [., or [=";
        let begun = self.at;
        let mut set = String::from("[");
        if self.peek(0) == Some('^') {
            self.at += 1;
            set.push('^');
        }
        let first = self.at;
        loop {
            let character = self.next().ok_or(UNCLOSED)?;
            // A `]` that comes first is an ordinary character.
            if character == ']' && self.at > first + 1 {
                break;
            }
            let from = match (character, self.peek(0)) {
                ('[', Some(':')) => {
                    set.push_str(class(&self.named(':').ok_or(UNCLOSED)?)?);
                    continue;
                }
                ('[', Some(kind @ ('=' | '.'))) => {
                    let name = self.named(kind).ok_or(UNCLOSED)?;
                    single(&name)?
                }
                _ => character,
            };
            let is_range = self.peek(0) == Some('-') && self.peek(1).is_some_and(|next| next != ']');
            let to = match is_range {
                false => from,
                true => {
                    self.at += 1;
                    match (self.next().ok_or(UNCLOSED)?, self.peek(0)) {
                        ('[', Some(kind @ ('=' | '.'))) => single(&self.named(kind).ok_or(UNCLOSED)?)?,
                        (to, _) => to,
                    }
                }
            };
            if from > to {
                return Err("Invalid range end".to_owned());
            }
            set.push_str(&format!("\\x{{{:x}}}-\\x{{{:x}}}", u32::from(from), u32::from(to)));
        }
        let inner = &self.rest[begun..self.at - 1];
        if inner.len() > 2 && inner.first() == Some(&':') && inner.last() == Some(&':') {
            return Err("character class syntax is [[:space:]], not [:space:]".to_owned());
        }
        set.push(']');
        self.push(&set);
        Ok(())
    }

    fn named(&mut self, kind: char) -> Option<String> {
        self.at += 1;
        let length = self.rest[self.at..].windows(2).take(40).position(|pair| pair == [kind, ']'])?;
        let name = self.rest[self.at..self.at + length].iter().collect();
        self.at += length + 2;
        Some(name)
    }
}

fn single(name: &str) -> Result<char, String> {
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err("Invalid collation character".to_owned()),
    }
}

fn class(name: &str) -> Result<&'static str, String> {
    Ok(match name {
        "alpha" => "\\p{Alphabetic}",
        "digit" => "0-9",
        "alnum" => "\\p{Alphabetic}\\p{Nd}",
        "upper" => "\\p{Uppercase}",
        "lower" => "\\p{Lowercase}",
        "space" => "\\s",
        "blank" => " \\t",
        "punct" => "\\p{P}\\p{S}",
        "print" => "[^\\p{C}]",
        "graph" => "[^\\p{C}\\p{Z}]",
        "cntrl" => "\\p{Cc}",
        "xdigit" => "0-9A-Fa-f",
        _ => return Err("Invalid character class name".to_owned()),
    })
}
