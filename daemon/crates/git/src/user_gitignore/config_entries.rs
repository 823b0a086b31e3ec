//! Parses a text in the format of git's configuration. Pure and total: everything after the first syntax
//! error is skipped, since its meaning cannot be known.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigEntry {
    /// In lower case.
    pub section: String,
    /// As written, without quotes.
    pub(crate) subsection: Option<String>,
    /// In lower case.
    pub key: String,
    /// `None` for a key without `=`, which means true.
    pub value: Option<String>,
}

pub(crate) fn entries(text: &str) -> Vec<ConfigEntry> {
    let mut rest = ConfigRest(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut section: Option<(String, Option<String>)> = None;
    let mut entries = Vec::new();
    loop {
        rest.skip_blank();
        let Some(first) = rest.0.chars().next() else { return entries };
        if first == '[' {
            section = rest.section();
            if section.is_none() {
                return entries;
            }
            continue;
        }
        let (Some((section, subsection)), Some((key, value))) = (&section, rest.entry()) else {
            return entries;
        };
        entries.push(ConfigEntry { section: section.clone(), subsection: subsection.clone(), key, value });
    }
}

struct ConfigRest<'a>(&'a str);

impl ConfigRest<'_> {
    fn skip_blank(&mut self) {
        loop {
            self.0 = self.0.trim_start();
            if !self.0.starts_with(['#', ';']) {
                return;
            }
            self.0 = self.0.find('\n').map_or("", |end| &self.0[end..]);
        }
    }

    fn section(&mut self) -> Option<(String, Option<String>)> {
        self.0 = self.0.strip_prefix('[')?;
        let end = self.0.find(|letter: char| !is_of_name(letter) && letter != '.')?;
        let name = self.0[..end].to_ascii_lowercase();
        self.0 = &self.0[end..];
        let subsection = if self.0.starts_with(']') { None } else { Some(self.quoted()?) };
        self.0 = self.0.strip_prefix(']')?;
        match name.split_once('.').filter(|_| subsection.is_none()) {
            Some((section, below)) => Some((section.to_owned(), Some(below.to_owned()))),
            None => Some((name, subsection)),
        }
    }

    fn quoted(&mut self) -> Option<String> {
        let inner = self.0.trim_start_matches([' ', '\t']).strip_prefix('"')?;
        let mut text = String::new();
        let mut letters = inner.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.0 = &inner[at + 1..];
                    return Some(text);
                }
                '\n' => return None,
                '\\' => text.push(letters.next()?.1),
                letter => text.push(letter),
            }
        }
        None
    }

    fn entry(&mut self) -> Option<(String, Option<String>)> {
        let end = self.0.find(|letter| !is_of_name(letter)).unwrap_or(self.0.len());
        let key = self.0[..end].to_ascii_lowercase();
        if !key.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            return None;
        }
        self.0 = self.0[end..].trim_start_matches([' ', '\t']);
        let Some(after) = self.0.strip_prefix('=') else {
            let is_alone = self.0.is_empty() || self.0.starts_with(['\n', '\r', '#', ';']);
            return is_alone.then_some((key, None));
        };
        self.0 = after.trim_start_matches([' ', '\t']);
        Some((key, Some(self.value()?)))
    }

    /// Reads up to the end of the line, without a comment and trailing blanks. Keeps quoted text as it is.
    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        // The length of `value` without trailing blanks.
        let mut trimmed_len = 0;
        let mut is_quoted = false;
        let mut letters = self.0.char_indices();
        let mut end = self.0.len();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\n' if is_quoted => return None,
                '\n' => {
                    end = at;
                    break;
                }
                '#' | ';' if !is_quoted => {
                    end = self.0[at..].find('\n').map_or(self.0.len(), |length| at + length);
                    break;
                }
                '"' => {
                    is_quoted = !is_quoted;
                    trimmed_len = value.len();
                    continue;
                }
                '\\' => match letters.next()?.1 {
                    '\n' => continue,
                    '\r' => {
                        letters.next().filter(|(_, letter)| *letter == '\n')?;
                        continue;
                    }
                    'n' => value.push('\n'),
                    't' => value.push('\t'),
                    'b' => value.push('\u{8}'),
                    letter @ ('"' | '\\') => value.push(letter),
                    _ => return None,
                },
                letter => value.push(letter),
            }
            if is_quoted || letter == '\\' || !letter.is_whitespace() {
                trimmed_len = value.len();
            }
        }
        self.0 = &self.0[end..];
        value.truncate(trimmed_len);
        (!is_quoted).then_some(value)
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<String> {
        let shown = |entry: ConfigEntry| {
            let ConfigEntry { section, subsection, key, value } = entry;
            let section = subsection.map_or_else(|| section.clone(), |below| format!("{section}({below})"));
            value.map_or_else(|| format!("{section}.{key}"), |value| format!("{section}.{key}={value}"))
        };
        entries(text).into_iter().map(shown).collect()
    }

    #[test]
    fn every_way_to_write_an_entry() {
        for (text, wanted) in [
            ("[core]\n\tExcludesFile = ~/a b # c\n", "core.excludesfile=~/a b"),
            ("\u{feff}[Core] excludesfile=\"a # b \" ; c", "core.excludesfile=a # b "),
            ("# x\n; y\n[a \"B \\\"c\\\\\"]\n k\n", "a(B \"c\\).k"),
            ("[a.B]\r\nk = v\r\n", "a(b).k=v"),
            ("[a]\nk = one \\\ntwo\\t\\\"three\\\"  \n", "a.k=one two\t\"three\""),
            ("[a]\nk = one \\\r\ntwo", "a.k=one two"),
            ("[a]\nk =\n", "a.k="),
            ("[a]\nk=\"x\"y\" z\"", "a.k=xy z"),
            ("[a] k # v", "a.k"),
        ] {
            assert_eq!(read(text), [wanted], "{text}");
        }
        assert_eq!(read("[a]\nx=1\n[b]\ny=2\nz\n"), ["a.x=1", "b.y=2", "b.z"]);
    }

    #[test]
    fn nothing_is_taken_behind_what_is_no_configuration() {
        for text in
            ["k = v", "[a\nk=v", "[a \"b]\nk=v", "[a]\nk=\"v\nl=w", "[a]\nk=\\x\nl=w", "[a]\n=v", "[a]\nk v"]
        {
            assert_eq!(read(text), [] as [&str; 0], "{text}");
        }
        assert_eq!(read("[a]\nx=1\n!\n[b]\ny=2"), ["a.x=1"]);
    }

    proptest! {
        #[test]
        fn never_panics(text in "[\\[\\]\"\\\\#;=a. \n\rä]{0,40}") {
            entries(&text);
        }
    }
}
