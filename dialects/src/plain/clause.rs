//! The clauses of a sentence: its words in lower case, with one sign for each code span and path.
//!
//! Knows no tables. A text is copied once, and a clause is a part of that copy, its words with one blank between them,
//! so that a phrase is compared with it at once.

// The word that stands for a code span or a path.
pub(super) const CODE: &str = "`";

/// A text, divided.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    text: String,
    parts: Vec<Part>,
    /// True if a condition within a clause begins one.
    conditions: bool,
    /// The byte of `text` at which the word begins that is read.
    word: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Part {
    start: usize,
    end: usize,
    announced: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Clause<'t> {
    /// Its words, one blank between two.
    pub(super) text: &'t str,
    /// True if a colon stands before it.
    pub(super) announced: bool,
}

impl<'t> Clause<'t> {
    pub(super) fn words(self) -> impl DoubleEndedIterator<Item = &'t str> + Clone {
        self.text.split(' ')
    }

    pub(super) fn first(self) -> &'t str {
        first_word(self.text)
    }

    /// The text from each word to the end.
    pub(super) fn rests(self) -> impl Iterator<Item = &'t str> {
        std::iter::successors(Some(self.text), |rest| Some(rest.split_once(' ')?.1))
    }

    pub(super) fn begins_with_one(self, rows: &[&str]) -> bool {
        rows.iter().any(|row| begins_with(self.text, row))
    }

    pub(super) fn has_one(self, rows: &[&str]) -> bool {
        self.rests().any(|rest| rows.iter().any(|row| begins_with(rest, row)))
    }
}

pub(super) fn first_word(words: &str) -> &str {
    let end = memchr::memchr(b' ', words.as_bytes()).unwrap_or(words.len());
    &words[..end]
}

/// Returns true if `words` begin with those of `row`.
pub(super) fn begins_with(words: &str, row: &str) -> bool {
    words.as_bytes().get(row.len()).is_none_or(|next| *next == b' ') && words.starts_with(row)
}

impl Clauses {
    pub(super) fn of(text: &str) -> Clauses {
        Clauses::default().read(text)
    }

    /// Divides `text` before a condition within a clause as well.
    pub(super) fn with_conditions(text: &str) -> Clauses {
        Clauses { conditions: true, ..Clauses::default() }.read(text)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Clause<'_>> + Clone {
        let is_clause = |part: &&Part| part.end > part.start;
        let clause =
            |part: &Part| Clause { text: &self.text[part.start..part.end], announced: part.announced };
        self.parts.iter().filter(is_clause).map(clause)
    }

    pub(super) fn words(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.iter().flat_map(Clause::words)
    }

    fn read(mut self, text: &str) -> Clauses {
        self.text.reserve(text.len() + 8);
        self.parts.push(Part::default());
        let mut in_code = false;
        for c in text.chars() {
            // Code is one word: what it holds is no word of the sentence.
            if c == '`' {
                if !in_code {
                    self.end_word();
                    self.text.push_str(CODE);
                    self.end_word();
                }
                in_code = !in_code;
                continue;
            }
            if in_code {
                continue;
            }
            match c {
                'a'..='z' | '0'..='9' => self.text.push(c),
                'A'..='Z' => self.text.push(c.to_ascii_lowercase()),
                ' ' => self.end_word(),
                '’' => self.text.push('\''),
                '\'' | '-' | '_' | '.' | '/' | '\\' if self.text.len() > self.word => self.text.push(c),
                '❌' | '🚫' | '⛔' | '✗' | '✘' | '👎' => {
                    self.end_word();
                    self.text.push(c);
                    self.end_word();
                }
                c if c.is_alphanumeric() => self.text.extend(c.to_lowercase()),
                _ => {
                    self.end_word();
                    let announced = matches!(c, ':' | '：');
                    let divides = announced
                        || matches!(
                            c,
                            ',' | ';' | '(' | ')' | '–' | '—' | '!' | '?' | '，' | '；' | '、' | '。' | '|'
                        );
                    if divides {
                        self.begin_clause(announced);
                    }
                }
            }
        }
        self.end_word();
        self
    }

    fn begin_clause(&mut self, announced: bool) {
        self.parts.push(Part { start: self.word, end: self.word, announced });
    }

    // Adds the word that was read to the last clause.
    fn end_word(&mut self) {
        let word = &self.text[self.word..];
        if word.is_empty() {
            return;
        }
        // A path says nothing by its letters.
        if word.len() > 1 && word.trim_end_matches('.').contains(['.', '/', '\\']) {
            self.text.truncate(self.word);
            self.text.push_str(CODE);
        } else if word.ends_with(['.', '/', '\\']) || word.starts_with(['.', '/', '\\']) {
            let word = word.trim_matches(['.', '/', '\\']).to_owned();
            self.text.truncate(self.word);
            self.text.push_str(&word);
        }
        let word = &self.text[self.word..];
        if word.is_empty() {
            return;
        }
        let begins = self.conditions
            && matches!(word, "if" | "unless" | "when" | "once" | "falls" | "wenn" | "sobald" | "если");
        if begins && self.parts.last().is_some_and(|last| last.end > last.start) {
            self.begin_clause(false);
        }
        if let Some(last) = self.parts.last_mut() {
            last.end = self.text.len();
        }
        self.text.push(' ');
        self.word = self.text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::{Clause, Clauses};

    #[test]
    fn a_sentence_has_clauses_of_words() {
        let of =
            |clauses: &Clauses| -> Vec<String> { clauses.iter().map(|one| one.text.to_owned()).collect() };
        for (text, expected) in [
            ("Here’s the Updated `a b.py`:", &["here's the updated `"][..]),
            ("Don't use src/a.py, e.g. in v1.2 (ever)", &["don't use `", "` in `", "ever"]),
            ("Note: ❌wrong. Really", &["note", "❌ wrong really"]),
            ("'quoted' - ... ,, x", &["quoted'", "x"]),
            ("ÄNDERE Δ", &["ändere δ"]),
            ("`` `", &["` `"]),
            ("", &[]),
        ] {
            assert_eq!(of(&Clauses::of(text)), expected, "{text}");
        }
        assert_eq!(of(&Clauses::with_conditions("Use it if you can")), ["use it", "if you can"]);
        assert!(Clauses::of("a: b").iter().map(|one| one.announced).eq([false, true]));
        let clause = Clause { text: "do not use it", announced: false };
        assert!(clause.begins_with_one(&["do not"]) && !clause.begins_with_one(&["do no"]));
        assert!(clause.has_one(&["use it"]) && !clause.has_one(&["use i"]));
        assert!(clause.rests().eq(["do not use it", "not use it", "use it", "it"]));
    }
}
