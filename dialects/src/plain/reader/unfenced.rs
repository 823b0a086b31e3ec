//! Code that stands between other signs than a fence's, or is indented below a label that names its file.
//!
//! ````text
//! '''ini          #+begin_src ini :tangle a.ini      a.ini::
//! port = 1        port = 1
//! '''             #+end_src                              port = 1
//! ````
//!
//! It is read like the content of a fence; so are files between rules: `==== src/a.py ====`. Code below a label without any sign
//! is noted: where it ends nobody says.

use super::{ATTEMPTED, Reader};
use crate::cursor::{Cursor, Line};
use crate::fence::Fence;
use crate::plain::info::Info;
use crate::plain::path::{self, Shape};
use crate::plain::reader::extent::Extent;
use crate::plain::{
    Candidate, Form, Group, NoteKind, Place, content, info, language, mention, output, words,
};

// Signs around code, each alone on its line but for what `read` takes from the rest of the first one.
struct CodeSigns {
    open: &'static str,
    close: &'static str,
    read: fn(&str) -> Option<Info>,
    // True if a line above has to name the file: the signs have other uses.
    named: bool,
}

const SIGNS: &[CodeSigns] = &[
    CodeSigns { open: "'''", close: "'''", read: language_alone, named: true },
    CodeSigns { open: "\"\"\"", close: "\"\"\"", read: language_alone, named: true },
    // A text processor makes such signs of backticks.
    CodeSigns { open: "“`", close: "“`", read: language_alone, named: true },
    CodeSigns { open: "#+begin_src", close: "#+end_src", read: of_org, named: false },
    CodeSigns { open: "[code", close: "[/code]", read: of_board, named: false },
    CodeSigns { open: "{code", close: "{code}", read: of_tracker, named: false },
    CodeSigns { open: "[source", close: "----", read: of_asciidoc, named: true },
];
const INDENTED: &[&str] = &["    ", "\t"];
// The first lines that show whether text is code.
const LOOKED_AT: usize = 3;
// The lines in which those are sought, below what a page writes above code.
const AHEAD: usize = 8;

impl<'a> Reader<'a> {
    // Reads the file below `line`, `==== src/a.py ====`, up to the next such line or a fence; false if there is
    // none.
    pub(super) fn section(&mut self, line: &Line<'a>) -> bool {
        let Some(path) = ruled(line.text) else { return false };
        let text = self.cursor.text();
        let (start, limit) = (self.cursor.position(), self.limit().min(text.len()));
        let mut ahead = self.cursor.clone();
        let (mut end, mut last) = (start, line.number);
        while ahead.position() < limit
            && let Some(next) = ahead.next_line()
        {
            // A fence or a blank first line shows that the rule is a heading, whose text is read as any
            // other.
            if end == start && next.text.trim().is_empty() || Fence::read(next.text).is_some() {
                break;
            }
            if ruled(next.text).is_some() {
                break;
            }
            (end, last) = (ahead.position(), next.number);
        }
        let content = format!("{}\n", content::content(&text[start..end], "").trim_end());
        if content.trim().is_empty() {
            return false;
        }
        self.cursor.skip_to(end);
        self.above.pass();
        self.last = None;
        let lines = line.number..last.saturating_add(1);
        if output::is_printed(&content, "", false) {
            self.note(lines, NoteKind::Output, Some(path));
            return true;
        }
        let words = content::cut(line.text.trim()).to_owned();
        let group = Group::of(Place::Label, line.number, path, true);
        self.plain.candidates.push(Candidate { content, words, ..Candidate::of(lines, Form::Code, group) });
        true
    }

    // Reads the code that begins at `line`; false if there is none.
    pub(super) fn unfenced(&mut self, line: &Line<'a>) -> bool {
        let is_indented = INDENTED.iter().any(|indent| line.text.starts_with(indent));
        let text = line.text.trim_ascii_start();
        let begins = |signs: &&CodeSigns| {
            text.get(..signs.open.len()).is_some_and(|start| start.eq_ignore_ascii_case(signs.open))
        };
        match SIGNS.iter().find(begins) {
            Some(signs) => self.attempt() && self.between(signs, line),
            None => is_indented && self.attempt() && self.indented(line),
        }
    }

    fn between(&mut self, signs: &'static CodeSigns, line: &Line<'a>) -> bool {
        // Its end was sought before.
        if self.missing.contains(&signs.close) {
            return false;
        }
        let text = line.text.trim();
        let Some(info) = text.get(signs.open.len()..).and_then(signs.read) else { return false };
        if signs.named && !self.above.near().take(2).any(|prose| prose.names_file()) {
            return false;
        }
        let mut ahead = self.cursor.clone();
        if signs.close == "----" && ahead.next_line().is_none_or(|next| next.text.trim() != signs.close) {
            return false;
        }
        let (start, limit) = (ahead.position(), self.limit());
        let closes = |line: &Line<'_>| line.text.trim().eq_ignore_ascii_case(signs.close);
        let close = std::iter::from_fn(|| ahead.next_line()).find(closes);
        crate::work::count(ahead.position() - start);
        let Some(close) = close.filter(|close| close.start < limit) else {
            self.missing.push(signs.close);
            return false;
        };
        self.cursor = ahead;
        self.take_listing(line, &info, start..close.start, close.number);
        true
    }

    // Reads the indented code at `line`, if the line above leads to it and names its file.
    fn indented(&mut self, line: &Line<'a>) -> bool {
        let Some(info) = self.led_to(line.number) else { return false };
        let indent = &line.text[..line.text.len() - line.text.trim_ascii_start().len()];
        let limit = self.limit();
        let mut ahead = self.cursor.clone();
        let (mut end, mut last) = (line.end(), line.number);
        let mut behind = ahead.clone();
        while let Some(next) = ahead.next_line() {
            let is_blank = next.text.trim().is_empty();
            if next.start >= limit || !is_blank && !next.text.starts_with(indent) {
                break;
            }
            if !is_blank {
                (end, last, behind) = (next.end(), next.number, ahead.clone());
            }
        }
        let text = self.cursor.text();
        if line.start >= limit || !is_code(text[line.start..end].lines()) {
            return false;
        }
        self.cursor = behind;
        // As if a fence had been opened in the line above.
        let opening = Line { number: line.number.saturating_sub(1), start: line.start, text: indent };
        let content = line.start..self.cursor.position().min(text.len()).max(end);
        self.take_listing(&opening, &info, content, last);
        true
    }

    // Returns the language of the code in line `number`, if the line above, with a blank one between, leads to it and
    // names its file.
    fn led_to(&self, number: u32) -> Option<Info> {
        let mut near = self.above.near();
        let nearest = near.next().filter(|nearest| nearest.line.number + 1 < number)?;
        let (label, info) = match nearest.line.text.strip_prefix(".. code") {
            Some(directive) => {
                let language = directive.split_once("::").map_or("", |(_, language)| language.trim());
                (near.next()?, language_alone(language).unwrap_or_default())
            }
            None => (nearest, Info::default()),
        };
        let text = label.line.text;
        let leads = text.trim_end().ends_with([':', '：'])
            && !text.starts_with([' ', '\t'])
            && crate::file_name::list_item(text).is_none()
            && label.names_file();
        leads.then_some(info)
    }

    fn take_listing(&mut self, line: &Line<'a>, info: &Info, content: std::ops::Range<usize>, last: u32) {
        self.fences += 1;
        let extent = Extent { content, last, closed: true, claimed: false, nests: false, reopened: None };
        let last = self.listing(line, info, language::class(&info.language), &extent);
        self.above.pass();
        self.last = Some(last);
    }

    // The byte at which the next claim begins.
    pub(super) fn limit(&self) -> usize {
        self.claims.first().map_or(usize::MAX, |claim| claim.bytes.start)
    }

    // Notes code that stands below `line`, `File: src/a.py` or "Here is the updated src/a.py:", without a sign around it,
    // and the record of an edit by another tool: `⏺ Update(src/a.py)`.
    pub(super) fn bare_code(&mut self, line: &Line<'a>) {
        let text = line.text.trim();
        let kind = if recorded(text) {
            NoteKind::Record
        } else if leads_to_code(text) && self.is_above_code() {
            NoteKind::Bare
        } else {
            return;
        };
        let mentions = mention::in_line(&text.replace(['(', ')'], " "), true);
        let mut sure = mentions.iter().filter(|one| one.mention.sure && !one.mention.aside);
        if let (Some(only), None) = (sure.next(), sure.next()) {
            self.stated.note(line.number, only.mention.path.clone(), kind);
        }
    }

    fn is_above_code(&mut self) -> bool {
        let limit = self.limit();
        let mut ahead: Cursor<'a> = self.cursor.clone();
        let lines =
            std::iter::from_fn(|| ahead.next_line()).take_while(|line| line.start < limit).take(AHEAD);
        // What the chat's page writes above code: its language, a button, its file.
        let is_of_page = |line: &&str| {
            words::is_button(line)
                || language::is_known(line)
                || mention::names_file(line) && !line.contains(' ')
        };
        let mut lines = lines.map(|line| line.text).filter(|line| !line.trim().is_empty()).peekable();
        while lines.next_if(|line| is_of_page(&line.trim())).is_some() {
            self.attempts = self.attempts.saturating_sub(1);
        }
        let first: Vec<&str> = lines.take(2).collect();
        let is_open = |text: &&str| {
            let text = text.trim();
            !text.starts_with(['>', '<', '|']) && Fence::read(text).is_none() && text.len() <= ATTEMPTED
        };
        first.len() == 2 && first.iter().all(is_open) && is_code(first.into_iter())
    }
}

// Returns true if `line` names a file as a form does, or leads to what is below it.
fn leads_to_code(line: &str) -> bool {
    line.ends_with([':', '：']) || words::is_file_label(line)
}

// Returns true if the first lines of `lines` are code: none is a sentence or an item, and one has a sign of code.
fn is_code<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    const STARTS: &[&str] =
        &["import ", "from ", "package ", "using ", "use ", "#!", "@", "//", "#include", "---"];
    let has_sign = |line: &str| {
        let text = line.trim();
        text.contains(['=', '{', '}', ';', '(', '[', '<'])
            || text.ends_with([':', ','])
            || STARTS.iter().any(|start| text.starts_with(start))
    };
    let first: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).take(LOOKED_AT).collect();
    // A generator of pages puts a file in the place of `{* a.py *}`.
    let is_words = |line: &&str| {
        is_sentence(line)
            || ["{*", "{%", "{{"].iter().any(|sign| line.trim().starts_with(sign))
            || crate::file_name::list_item(line.trim()).is_some()
    };
    !first.iter().any(is_words) && first.into_iter().any(has_sign)
}

// Returns true if `line` is words: a sentence, a heading, an item in words.
fn is_sentence(line: &str) -> bool {
    let text = line.trim();
    if text.starts_with("# ") || text.starts_with("## ") {
        return false;
    }
    let text = text.trim_start_matches(['-', '*', '•', ' ']).trim_start_matches(|c: char| c.is_ascii_digit());
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphabetic();
    if text.contains(is_foreign) && !text.contains(['=', '{', '}', ';', '(', '"', '\'']) {
        return true;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |word: &&&str| {
        let bare = word.trim_matches(['*', '_', '`', '"', '\'', ',', '.', ':', '!', '?', '(', ')', '[', ']']);
        !bare.is_empty() && bare.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\''))
    };
    let plain = words.iter().filter(is_word).count();
    let ends_as_code = text.ends_with([';', '{', '}', ',', '>', ']', '(']);
    words.len() >= 3 && plain * 4 >= words.len() * 3 && !ends_as_code && !text.contains(['=', ';'])
}

// Returns true if `text` is the line in which a tool says which file it edits: `⏺ Update(a.py)`, `• Edited a.py (+1 -1)`.
fn recorded(text: &str) -> bool {
    const DEEDS: &[&str] = &[
        "Update",
        "Write",
        "Edit",
        "MultiEdit",
        "Create",
        "Delete",
        "Edited",
        "Added",
        "Deleted",
        "WriteFile",
    ];
    let Some(rest) = ["⏺", "●", "•", "✻", "│ ✓", "✓"].iter().find_map(|sign| text.strip_prefix(sign))
    else {
        return false;
    };
    let rest = rest.trim_start();
    let (name, behind) = rest.split_at(rest.find(['(', ' ']).unwrap_or(rest.len()));
    let is_call = behind.starts_with('(') && behind.ends_with(')');
    let is_counted = behind.ends_with(')') && behind.contains("(+") || behind.contains(" => ");
    DEEDS.contains(&name) && (is_call || is_counted)
}

// The info string that is a language alone, or nothing.
fn language_alone(rest: &str) -> Option<Info> {
    let is_language = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-');
    rest.chars().all(is_language).then(|| Info { language: rest.to_ascii_lowercase(), ..Info::default() })
}

// The language and the file of a block of Org: `ini :tangle src/a.ini :mkdirp yes`.
fn of_org(rest: &str) -> Option<Info> {
    let mut words = rest.split_whitespace();
    let language = words.next().filter(|word| !word.starts_with(':')).unwrap_or_default();
    let path = words.skip_while(|word| *word != ":tangle").nth(1).and_then(|path| path::word(path, true));
    let path = path.filter(|path| path.shape >= Shape::Folders);
    let language = language_alone(language)?.language;
    Some(match path {
        Some(path) => Info {
            language,
            sure: path::is_given(&path.path),
            path: Some(path.path.into_owned()),
            verb: None,
        },
        None => Info { language, ..Info::default() },
    })
}

// The language of code on a board: `=python]`.
fn of_board(rest: &str) -> Option<Info> {
    let inner = rest.strip_suffix(']')?;
    if inner.is_empty() { Some(Info::default()) } else { language_alone(inner.strip_prefix('=')?) }
}

// The language and the file of code in an issue tracker: `:title=src/a.py|language=python}`.
fn of_tracker(rest: &str) -> Option<Info> {
    let inner = rest.strip_suffix('}')?;
    let mut info = Info::default();
    for part in inner.trim_start_matches(':').split('|') {
        match part.split_once('=') {
            Some(("title", title)) => {
                let word = path::word(title, true).filter(|word| word.shape >= Shape::Folders);
                info.sure = word.as_ref().is_some_and(|word| path::is_given(&word.path));
                info.path = word.map(|word| word.path.into_owned());
            }
            Some(("language", language)) => info.language = language_alone(language)?.language,
            Some(_) => {}
            None => info.language = language_alone(part)?.language,
        }
    }
    Some(info)
}

// The language of a listing of AsciiDoc: `,ini]`.
fn of_asciidoc(rest: &str) -> Option<Info> {
    let inner = rest.strip_suffix(']')?;
    Some(info::read(inner.trim_start_matches(',').split(',').next().unwrap_or_default()))
}

fn ruled(line: &str) -> Option<String> {
    let text = line.trim();
    if text.len() > ATTEMPTED {
        return None;
    }
    let inner = text.strip_prefix("===")?.strip_suffix("===")?.trim_matches(['=', ' ']);
    let word = path::word(inner.trim_matches('`'), true)?;
    (word.shape == Shape::Path && path::is_given(&word.path)).then(|| word.path.into_owned())
}
