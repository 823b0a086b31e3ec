//! The patterns of `grep`, compiled: which lines fit, and which parts of a line do.

use clada_exec::words::{Grep, MatchUnit, Shown, Syntax};
use clada_protocol::ErrorKind;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_automata::nfa::thompson::{self, pikevm::PikeVM};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, meta};

use super::posix::translate;
use crate::failure::Failure;

const COMPILED: usize = 16 << 20;

pub(super) struct GrepMatcher {
    pub(super) lines: RegexMatcher,
    pub(super) parts: Option<Parts>,
    pub(super) warnings: Vec<String>,
}

impl GrepMatcher {
    pub(super) fn new(grep: &Grep) -> Result<GrepMatcher, Failure> {
        let wrong = |message: String| {
            Failure::with_message(ErrorKind::InvalidValue, format!("{message} (INVALID_VALUE)"))
                .hint("grep takes basic expressions, extended ones with -E and plain text with -F")
        };
        let mut expressions = Vec::with_capacity(grep.patterns.len());
        let mut warnings = Vec::new();
        for pattern in &grep.patterns {
            let translated = translate(pattern, grep.syntax).map_err(wrong)?;
            expressions.push(format!("(?:{})", translated.expression));
            warnings.extend(translated.warnings);
        }
        let any = expressions.join("|");
        let expression = match grep.whole {
            MatchUnit::Part => any,
            MatchUnit::Word => format!("\\b{{start-half}}(?:{any})\\b{{end-half}}"),
            MatchUnit::Line => format!("^(?:{any})$"),
        };
        let lines = matcher(&expression, grep.any_case).map_err(|error| wrong(error.to_string()))?;
        let parts = match grep.shown {
            Shown::Matches => {
                Some(Parts::new(&expression, grep.any_case).map_err(|error| wrong(error.to_string()))?)
            }
            _ => None,
        };
        Ok(GrepMatcher { lines, parts, warnings })
    }
}

fn matcher(expression: &str, any_case: bool) -> Result<RegexMatcher, grep_regex::Error> {
    RegexMatcherBuilder::new()
        .multi_line(true)
        .case_insensitive(any_case)
        .line_terminator(Some(b'\n'))
        .size_limit(COMPILED)
        .dfa_size_limit(COMPILED)
        .build(expression)
}

/// The expression that the text `pattern` may have been meant as.
pub(crate) fn meant_as(pattern: &str) -> Option<(Syntax, RegexMatcher)> {
    let syntax = if is_extended(pattern) { Syntax::Extended } else { Syntax::Basic };
    let is_expression = syntax == Syntax::Extended || pattern.contains(['\\', '[', '*', '.', '^', '$']);
    let expression = translate(pattern, syntax).ok().filter(|_| is_expression)?.expression;
    matcher(&expression, false).ok().map(|matcher| (syntax, matcher))
}

/// Returns true if `pattern` has a character that only an extended expression has a meaning for, and no sign
/// of a basic one.
pub(super) fn is_extended(pattern: &str) -> bool {
    let (mut has_operator, mut escaped) = (false, false);
    for char in pattern.chars() {
        let is_operator = matches!(char, '|' | '(' | ')' | '+' | '?' | '{');
        if escaped && is_operator && !matches!(char, '(' | ')') {
            return false;
        }
        has_operator |= is_operator && !escaped;
        escaped = char == '\\' && !escaped;
    }
    has_operator
}

/// Finds the parts of a line that fit: at each place the longest one.
pub(super) struct Parts {
    first: meta::Regex,
    longest: PikeVM,
}

impl Parts {
    fn new(expression: &str, any_case: bool) -> Result<Parts, Box<dyn std::error::Error>> {
        let syntax = syntax::Config::new().multi_line(true).utf8(false).case_insensitive(any_case);
        let limit = Some(COMPILED);
        let first = meta::Regex::builder()
            .syntax(syntax)
            .configure(meta::Config::new().utf8_empty(false).nfa_size_limit(limit))
            .build(expression)?;
        let longest = PikeVM::builder()
            .syntax(syntax)
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(limit))
            .configure(PikeVM::config().match_kind(MatchKind::All))
            .build(expression)?;
        Ok(Parts { first, longest })
    }

    /// The parts of `line` that fit and are not empty, in order, as long as `on_match` returns true.
    pub(super) fn find(
        &self,
        line: &[u8],
        stopped: &dyn Fn() -> bool,
        mut on_match: impl FnMut(&[u8]) -> bool,
    ) {
        let mut cache = self.longest.create_cache();
        let mut at = 0;
        while at <= line.len() && !stopped() {
            let Some(first) = self.first.find(Input::new(line).range(at..)) else { return };
            let here = Input::new(line).range(first.start()..).anchored(Anchored::Yes);
            let longest = self.longest.find(&mut cache, here);
            let end = longest.map_or(first.end(), |longest| longest.end().max(first.end()));
            if end == first.start() {
                at = end + 1;
                continue;
            }
            if !on_match(&line[first.start()..end]) {
                return;
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_part_is_found() {
        for (expression, line, wanted) in [
            ("a|ab", "abab", &["ab", "ab"][..]),
            ("x*", "axxb", &["xx"]),
            ("(a?)(ab)?", "ab", &["ab"]),
            ("\\b{start-half}(?:a|ab)\\b{end-half}", "ab a aba", &["ab", "a"]),
            ("^a", "aaa", &["a"]),
        ] {
            let parts = Parts::new(expression, false).unwrap();
            let mut found = Vec::new();
            parts.find(line.as_bytes(), &|| false, |part| {
                found.push(String::from_utf8(part.to_vec()).unwrap());
                true
            });
            assert_eq!(found, wanted, "{expression}");
        }
    }
}
