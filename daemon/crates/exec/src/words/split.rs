//! Splits a command into words as a shell would, and refuses everything that only a shell could carry out.
//!
//! One pass over the text. Quoted text is never interpreted again: a word is exactly what the program
//! receives.

use super::refusal::Refusal;

pub(super) const LINE_BREAK: &str = "a line break";

pub(super) fn split(text: &str) -> Result<Vec<String>, Refusal> {
    let text = text.trim();
    let mut scan = Scan { rest: text.chars().peekable(), column: 0, words: Vec::new(), word: None };
    while let Some(character) = scan.next() {
        scan.take(character)?;
    }
    scan.words.extend(scan.word);
    if scan.words.is_empty() { Err(Refusal::Empty) } else { Ok(scan.words) }
}

struct Scan<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    column: usize,
    words: Vec<String>,
    word: Option<String>,
}

impl Scan<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.column += usize::from(next.is_some());
        next
    }

    fn push(&mut self, character: char) {
        self.word.get_or_insert_default().push(character);
    }

    fn shell(&self, character: &str, meaning: &'static str) -> Refusal {
        Refusal::Shell { character: character.to_owned(), column: self.column, meaning }
    }

    fn take(&mut self, character: char) -> Result<(), Refusal> {
        let beginning = self.word.is_none();
        match character {
            ' ' | '\t' => self.words.extend(self.word.take()),
            '\n' | '\r' => return Err(self.shell(LINE_BREAK, "it ends a command")),
            '\0' => return Err(Refusal::Nul { column: self.column }),
            '\\' => return self.escaped(),
            '\'' => return self.single_quoted(),
            '"' => return self.double_quoted(),
            '|' if self.rest.peek() == Some(&'|') => {
                return Err(self.shell("'||'", "it joins two commands"));
            }
            '|' => return Err(self.shell("'|'", "it hands output on to another command")),
            '&' if self.rest.peek() == Some(&'&') => {
                return Err(self.shell("'&&'", "it joins two commands"));
            }
            '&' => return Err(self.shell("'&'", "it runs a command in the background")),
            ';' => return Err(self.shell("';'", "it joins two commands")),
            '<' => return Err(self.shell("'<'", "it takes input from a file")),
            '>' => return Err(self.shell("'>'", "it writes output to a file")),
            '(' | ')' => return Err(self.shell(&format!("'{character}'"), "it groups commands")),
            // A dollar sign or brace alone is plain text in a shell too, so only an expansion is refused.
            '$' if self.substitutes() => return Err(self.shell("'$'", "it stands for a value")),
            '`' => return Err(self.shell("'`'", "it stands for a command's output")),
            '*' | '?' | '[' => {
                return Err(self.shell(&format!("'{character}'"), "it stands for names of files"));
            }
            '{' if self.expands() => return Err(self.shell("'{'", "it stands for several words")),
            '~' if beginning => return Err(self.shell("'~'", "it stands for a home folder")),
            '#' if beginning => return Err(self.shell("'#'", "it begins a comment")),
            '!' if beginning && self.words.is_empty() => {
                return Err(self.shell("'!'", "it turns a status around"));
            }
            other => self.push(other),
        }
        Ok(())
    }

    fn escaped(&mut self) -> Result<(), Refusal> {
        // A line break vanishes together with the backslash.
        let column = self.column;
        if self.rest.peek() == Some(&'\r') {
            self.next();
            if self.rest.peek() != Some(&'\n') {
                return Err(self.shell(LINE_BREAK, "it ends a command"));
            }
        }
        match self.next() {
            None => Err(Refusal::Unclosed { character: '\\', column }),
            Some('\n') => Ok(()),
            Some('\0') => Err(Refusal::Nul { column: self.column }),
            Some(character) => {
                self.push(character);
                Ok(())
            }
        }
    }

    fn single_quoted(&mut self) -> Result<(), Refusal> {
        let column = self.column;
        self.word.get_or_insert_default();
        loop {
            match self.next() {
                None => return Err(Refusal::Unclosed { character: '\'', column }),
                Some('\'') => return Ok(()),
                Some('\0') => return Err(Refusal::Nul { column: self.column }),
                Some(character) => self.push(character),
            }
        }
    }

    fn double_quoted(&mut self) -> Result<(), Refusal> {
        let column = self.column;
        self.word.get_or_insert_default();
        loop {
            match self.next() {
                None => return Err(Refusal::Unclosed { character: '"', column }),
                Some('"') => return Ok(()),
                Some('\0') => return Err(Refusal::Nul { column: self.column }),
                Some('$') if self.substitutes() => return Err(self.shell("'$'", "it stands for a value")),
                Some('`') => return Err(self.shell("'`'", "it stands for a command's output")),
                Some('\\') => match self.rest.peek() {
                    Some('\n') => drop(self.next()),
                    Some('"' | '\\' | '$' | '`') => {
                        let character = self.next();
                        self.word.get_or_insert_default().extend(character);
                    }
                    _ => self.push('\\'),
                },
                Some(character) => self.push(character),
            }
        }
    }

    fn substitutes(&mut self) -> bool {
        // A price is not replaced.
        self.rest.peek().is_some_and(|next| {
            next.is_ascii_alphanumeric()
                || matches!(
                    next,
                    '_' | '{' | '(' | '\'' | '"' | '$' | '?' | '!' | '#' | '@' | '*' | '-' | '['
                )
        })
    }

    /// Returns whether a brace begins an expansion such as `{a,b}` or `{1..3}`. `HEAD@{1}` and `{}` are plain
    /// text.
    fn expands(&mut self) -> bool {
        let inner = self.rest.clone().take_while(|next| !matches!(next, ' ' | '\t' | '\n')).take(4096);
        let inner: String = inner.collect();
        inner.split_once('}').is_some_and(|(inner, _)| inner.contains(',') || inner.contains(".."))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let cases: &[(&str, &[&str])] = &[
            ("ls", &["ls"]),
            ("  ls \t -la\n", &["ls", "-la"]),
            ("cat 'a b' \"c d\" e\\ f", &["cat", "a b", "c d", "e f"]),
            ("a''b \"\" ''", &["ab", "", ""]),
            ("grep 'a|b' \"x*y\" \\* '$HOME' '`'", &["grep", "a|b", "x*y", "*", "$HOME", "`"]),
            (r#"echo "a\"b\\c\$d\`e\n""#, &["echo", r#"a"b\c$d`e\n"#]),
            ("npm run \\\n  build", &["npm", "run", "build"]),
            ("npm run \\\r\n  build", &["npm", "run", "build"]),
            ("echo \"a\\\nb\"", &["echo", "ab"]),
            ("echo 'two\nlines'", &["echo", "two\nlines"]),
            (
                "git show HEAD~1 stash@{0} a#b x{} {a}",
                &["git", "show", "HEAD~1", "stash@{0}", "a#b", "x{}", "{a}"],
            ),
            ("echo 5$ \"5$ \" $. a!", &["echo", "5$", "5$ ", "$.", "a!"]),
            ("find . ! -name 'x'", &["find", ".", "!", "-name", "x"]),
            ("ls ä/ö", &["ls", "ä/ö"]),
        ];
        for (text, expected) in cases {
            assert_eq!(split(text).as_deref(), Ok(expected.map_owned().as_slice()), "{text}");
        }
    }

    trait MapOwned {
        fn map_owned(&self) -> Vec<String>;
    }

    impl MapOwned for &[&str] {
        fn map_owned(&self) -> Vec<String> {
            self.iter().map(|word| (*word).to_owned()).collect()
        }
    }

    #[test]
    fn what_only_a_shell_can_do_is_refused_by_name() {
        let cases = [
            // The columns count characters, and point at the first that a shell would interpret.
            ("ls | wc", "'|'", 4),
            ("make || true", "'||'", 6),
            ("make && make test", "'&&'", 6),
            ("sleep 5 &", "'&'", 9),
            ("cd x; ls", "';'", 5),
            ("cat < in", "'<'", 5),
            ("echo x > out", "'>'", 8),
            ("echo x 2>&1", "'>'", 9),
            ("(ls)", "'('", 1),
            ("echo $(id)", "'$'", 6),
            ("echo $HOME", "'$'", 6),
            ("echo \"${X}\"", "'$'", 7),
            ("echo \"$(id)\"", "'$'", 7),
            ("echo $'a'", "'$'", 6),
            ("echo `id`", "'`'", 6),
            ("echo \"`id`\"", "'`'", 7),
            ("rm *.o", "'*'", 4),
            ("ls ?.c", "'?'", 4),
            ("ls [ab]", "'['", 4),
            ("touch {a,b}", "'{'", 7),
            ("touch f{1..9}", "'{'", 8),
            ("ls ~/x", "'~'", 4),
            ("ls # all", "'#'", 4),
            ("! ls", "'!'", 1),
            ("ls\nrm x", "a line break", 3),
            ("ls\r\nrm x", "a line break", 3),
            ("ls \\\rrm x", "a line break", 5),
        ];
        for (text, expected, at) in cases {
            match split(text) {
                Err(refusal @ Refusal::Shell { .. }) => {
                    let Refusal::Shell { character, column, .. } = &refusal else { unreachable!() };
                    assert_eq!((character.as_str(), *column), (expected, at), "{text}");
                    assert!(refusal.to_string().contains(expected) && !refusal.hint().is_empty());
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_has_no_end_is_refused() {
        for (text, expected, at) in [("echo 'x", '\'', 6), ("echo \"x", '"', 6), ("echo x\\", '\\', 7)] {
            assert_eq!(split(text), Err(Refusal::Unclosed { character: expected, column: at }));
        }
        assert_eq!(split(" \n "), Err(Refusal::Empty));
        assert_eq!(split("a \0"), Err(Refusal::Nul { column: 3 }));
    }

    /// Returns a word in the form in which a shell would read it.
    fn quoted(word: &str) -> String {
        format!("'{}'", word.replace('\'', "'\\''"))
    }

    proptest! {
        #[test]
        fn splitting_is_total(text in any::<String>()) {
            let _ = split(&text);
        }

        #[test]
        fn quoted_words_come_back(words in prop::collection::vec("[^\0]{0,12}", 1..6)) {
            let text = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&text), Ok(words));
        }
    }
}
