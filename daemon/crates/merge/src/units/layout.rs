//! The layout of a text: what of each line is code, how deep it is, and what it continues.
//!
//! Strings and comments are skipped by their quotes alone. Where brackets do not balance, they are not looked
//! at, and indentation is left.

use crate::source::{Source, indentation};

use super::head::{Key, Kind, key_of, sql_statement};
use super::language::Family;
use super::scanner::{Scanned, Scanner};

/// The lines of a text, as units see them.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    pub(super) family: Family,
    pub(super) lines: Vec<&'a str>,
    /// The code of each line: no comments, strings as `""`.
    pub(super) code: Vec<String>,
    /// The text of each line without a remark at its end, blanks as one.
    pub(super) norm: Vec<String>,
    /// The line begins inside a string or comment.
    pub(super) inside: Vec<bool>,
    /// The line has code and a remark behind it.
    pub(super) remark: Vec<bool>,
    pub(super) blank: Vec<bool>,
    pub(super) indent: Vec<usize>,
    /// The number of brackets open at the start of each line; one more entry than lines.
    pub(super) depth: Vec<usize>,
    /// The innermost bracket open at the start of each line, `-` for none.
    pub(super) bracket: Vec<u8>,
    /// The line continues or closes what is above it.
    pub(super) continues: Vec<bool>,
    pub(super) keys: Vec<Option<Key>>,
    pub(super) is_balanced: bool,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(source: &Source<'a>, family: Family) -> Layout<'a> {
        Layout::of_lines(source.lines.clone(), family)
    }

    pub(super) fn of_lines(lines: Vec<&'a str>, family: Family) -> Layout<'a> {
        let count = lines.len();
        let mut layout = Layout {
            family,
            code: Vec::with_capacity(count),
            norm: Vec::with_capacity(count),
            inside: Vec::with_capacity(count),
            remark: Vec::with_capacity(count),
            blank: lines.iter().map(|line| line.trim().is_empty()).collect(),
            indent: Vec::with_capacity(count),
            depth: vec![0; count + 1],
            bracket: vec![b'-'; count + 1],
            continues: vec![false; count],
            keys: Vec::with_capacity(count),
            is_balanced: true,
            lines,
        };
        let mut scanner = Scanner::new(family);
        for line in &layout.lines {
            let Scanned { code, norm, inside, remark } = scanner.line(line);
            layout.code.push(code);
            layout.norm.push(norm);
            layout.inside.push(inside);
            layout.remark.push(remark);
        }
        // Keys come last: a head is told by its depth and by what continues it.
        layout.measure_indents();
        layout.count_brackets();
        layout.find_continuations();
        layout.join_selectors();
        for at in 0..count {
            let is_selector = layout.family == Family::Css && layout.continues[at];
            let key =
                if layout.blank[at] || layout.inside[at] || is_selector { None } else { key_of(&layout, at) };
            layout.keys.push(key);
        }
        layout
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn is_comment(&self, at: usize) -> bool {
        let text = self.lines[at].trim_start();
        if self.inside[at] || text.is_empty() {
            return false;
        }
        let begins = |open: &&str| text.starts_with(open);
        self.family.line_comment().iter().any(begins)
            || self.family.block_comments().iter().any(|(open, _)| begins(open))
            || self.family == Family::Php && text.starts_with('#') && !text.starts_with("#[")
            || self.family == Family::Toml && text.starts_with(';')
            || self.family == Family::Schema && text.starts_with('#')
            || text.starts_with("{/*")
    }

    /// Returns true if the line is neither blank nor inside a string or comment.
    pub(super) fn is_code(&self, at: usize) -> bool {
        !self.blank[at] && !self.inside[at]
    }

    /// Returns true if the line is a text alone, as documentation is, or in one.
    pub(super) fn is_text(&self, at: usize) -> bool {
        self.inside[at] || self.norm[at].starts_with(['"', '\''])
    }

    pub(super) fn is_function(&self, at: usize) -> bool {
        matches!(&self.keys[at], Some(Key { kind: Kind::Def, .. })) || self.norm[at].ends_with("=> {")
    }

    fn measure_indents(&mut self) {
        let mut block: Option<&str> = None;
        for at in 0..self.len() {
            let text = self.lines[at].trim();
            let mut width = indentation(self.lines[at]);
            match self.family {
                Family::Markdown => width = markdown_depth(text, self.inside[at]).unwrap_or(20 + width),
                Family::Toml => {
                    let is_section =
                        text.starts_with('[') && !self.inside[at] && self.norm[at].ends_with(']');
                    width = if is_section && !text.contains('=') { 0 } else { width + 2 };
                }
                // An entry of a list may stand as deep as its key, and is still inside of it.
                Family::Yaml => width = 2 * width + usize::from(text == "-" || text.starts_with("- ")),
                Family::Html => {
                    if let Some(tag) = block {
                        let closes = text.strip_prefix("</").is_some_and(|rest| rest.starts_with(tag));
                        if closes {
                            block = None;
                        } else {
                            width += 4;
                        }
                    } else {
                        block = ["script", "style"].into_iter().find(|tag| {
                            text.strip_prefix('<').is_some_and(|rest| rest.starts_with(tag))
                                && !text.contains(&format!("</{tag}"))
                        });
                    }
                }
                _ => {}
            }
            self.indent.push(width);
        }
    }

    fn count_brackets(&mut self) {
        if self.family.ignores_brackets() {
            return;
        }
        let mut open: Vec<u8> = Vec::new();
        for at in 0..self.len() {
            self.depth[at] = open.len();
            self.bracket[at] = open.last().copied().unwrap_or(b'-');
            for byte in self.code[at].bytes() {
                match byte {
                    b'(' | b'[' | b'{' => open.push(byte),
                    b')' | b']' | b'}' => {
                        let opening = match byte {
                            b')' => b'(',
                            b']' => b'[',
                            _ => b'{',
                        };
                        if open.last() == Some(&opening) {
                            open.pop();
                        } else {
                            self.is_balanced = false;
                        }
                    }
                    _ => {}
                }
            }
        }
        self.is_balanced &= open.is_empty();
        if !self.is_balanced {
            // With a bracket too many, depths would be wrong from there on: indentation alone decides then.
            self.depth = vec![0; self.len() + 1];
        }
    }

    /// Returns true if the statement of SQL above, whose last line is `previous`, goes on in line `at`.
    fn goes_on(&self, previous: Option<usize>, at: usize) -> bool {
        let Some(previous) = previous.filter(|_| self.depth[at] == 0) else { return false };
        let is_beside = || (previous + 1..at).all(|between| !self.blank[between]);
        // Some leave out the sign at the end.
        let begins = sql_statement(&self.norm[at]).is_some_and(|word| word != "SELECT" && word != "SET");
        !self.code[previous].trim_end().ends_with(';') && (!begins || is_beside())
    }

    // Gives the first line of a rule's selectors the text of all: `a,` above `b {` is `a, b {`.
    fn join_selectors(&mut self) {
        if self.family != Family::Css {
            return;
        }
        for at in 0..self.len() {
            if self.continues[at] || !self.code[at].trim_end().ends_with(',') {
                continue;
            }
            let behind = (at + 1..self.len()).take_while(|next| self.blank[*next] || self.continues[*next]);
            let selectors: Vec<&str> = std::iter::once(at)
                .chain(behind)
                .filter(|line| self.is_code(*line) && !self.is_comment(*line))
                .map(|line| self.norm[line].as_str())
                .collect();
            let joined = selectors.join(" ");
            if let Some((head, _)) = joined.split_once('{') {
                self.norm[at] = format!("{head}{{");
            }
        }
    }

    fn find_continuations(&mut self) {
        let mut previous: Option<usize> = None;
        let braces = matches!(
            self.family,
            Family::C | Family::Dart | Family::Script | Family::Php | Family::Rust | Family::Go
        );
        for at in 0..self.len() {
            if self.blank[at] {
                continue;
            }
            let text = self.lines[at].trim();
            let brace = braces
                && text == "{"
                && previous.is_some_and(|previous| {
                    let code = self.code[previous].trim_end();
                    !code.is_empty()
                        && !code.ends_with([',', '[', '(', '{', ';', '}'])
                        && !code.ends_with("=>")
                });
            let goes_on = self.family == Family::Sql && self.goes_on(previous, at);
            // `.package(…),` is an entry of its list.
            let is_entry = text.starts_with('.')
                && previous.is_some_and(|previous| self.code[previous].trim_end().ends_with([',', '[', '(']));
            let continues = !is_entry && self.family.continues(text);
            // Behind a comma come a rule's further selectors, or the rest of a value; in round brackets stand entries.
            let is_listed = self.family == Family::Css
                && self.bracket[at] != b'('
                && previous.is_some_and(|previous| self.code[previous].trim_end().ends_with(','));
            self.continues[at] = self.inside[at] || brace || goes_on || continues || is_listed;
            if self.family != Family::Sql || !self.is_comment(at) {
                previous = Some(at);
            }
        }
    }
}

/// Returns the depth of a heading, from 0.
fn markdown_depth(text: &str, inside: bool) -> Option<usize> {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    (!inside && (1..=6).contains(&level) && text[level..].starts_with(' ')).then(|| level - 1)
}
