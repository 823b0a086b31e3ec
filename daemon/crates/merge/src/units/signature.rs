//! Signatures of functions: what tells the clauses and overloads of one name from each other.
//!
//! ```text
//! def warn(%Letter{from: from}, :late)   warn, 2 parameters: `%Letter{from: _}`, `:late`
//! def warn(_, _), do: :ok                warn, 2 parameters, takes everything
//! void add(final int first, String s)    add, 2 parameters: `int`, `String`
//! @size.setter def size(self, value):    size, 1 parameter, `size.setter`
//! ```

use super::head::{Key, Kind};
use super::language::Family;
use super::layout::Layout;

/// The most lines of a list of parameters.
const LINES: usize = 40;
/// A parameter, or a part of a pattern, that takes every value.
const ANY: &str = "_";
/// Ends of decorators that make another function of one with the same name.
const ROLES: [&str; 5] = [".setter", ".getter", ".deleter", ".register", "overload"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    /// The least and the largest number of arguments.
    pub(super) arity: (usize, usize),
    /// The pattern or type of each parameter, without names.
    parameters: Vec<String>,
    guard: String,
    pub(super) names: Vec<String>,
    /// The decorator or word that makes it another function: `x.setter`, `set`, `#[cfg(unix)]`.
    role: String,
    /// True if it takes the object (`self`), false if it cannot be a method, where the text says so.
    is_method: Option<bool>,
}

pub(super) fn function_name(key: &Key) -> Option<&str> {
    (key.kind == Kind::Def).then_some(key.name.as_str())
}

pub(super) fn signature(layout: &Layout<'_>, head: usize) -> Option<Signature> {
    let key = layout.keys[head].as_ref()?;
    let name = function_name(key)?;
    let name = name.rsplit([' ', '.']).next().unwrap_or(name);
    let text = head_text(layout, head, name)?;
    let parameters = list_behind(&text, name, layout.family);
    let (list, behind) = parameters.unwrap_or(("", text.as_str()));
    let mut signature = Signature {
        arity: (0, 0),
        parameters: Vec::new(),
        guard: String::new(),
        names: Vec::new(),
        role: role(layout, head),
        is_method: None,
    };
    for parameter in split(list, layout.family) {
        signature.add(parameter, layout.family);
    }
    if layout.family == Family::Elixir {
        let guard = behind.split_once(" when ").map_or("", |(_, guard)| guard);
        let guard = guard.trim_end_matches(" do").split(", do:").next().unwrap_or(guard);
        signature.guard = without_names(guard, &mut Vec::new());
    }
    signature.find_receiver(layout, head, &text);
    Some(signature)
}

impl Signature {
    /// Returns true if both are the same clause or overload, whatever the names of their parameters.
    pub(super) fn is_same(&self, other: &Signature) -> bool {
        self.has_same_parameters(other)
            && self.guard == other.guard
            && self.ignores_all() == other.ignores_all()
    }

    /// Returns true if both are the same clause, or one with another limit in its guard.
    pub(super) fn is_form(&self, other: &Signature) -> bool {
        self.has_same_parameters(other)
            && !self.has_other_guard(other)
            && self.ignores_all() == other.ignores_all()
    }

    /// Returns true if both have guards that differ in more than numbers.
    pub(super) fn has_other_guard(&self, other: &Signature) -> bool {
        let words = |guard: &'_ str| guard.replace(|c: char| c.is_ascii_digit(), "");
        words(&self.guard) != words(&other.guard)
    }

    fn has_same_parameters(&self, other: &Signature) -> bool {
        self.role == other.role && self.arity == other.arity && self.parameters == other.parameters
    }

    /// Returns true if it takes all that `other` takes, and more.
    pub(super) fn extends(&self, other: &Signature) -> bool {
        let mut own = self.parameters.iter();
        other.parameters.iter().all(|of| own.any(|one| one == of))
    }

    /// Returns true if a call may have a number of arguments that both take.
    pub(super) fn has_common_arity(&self, other: &Signature) -> bool {
        self.arity.0 <= other.arity.1 && other.arity.0 <= self.arity.1
    }

    /// Returns true if they cannot be two forms of one function: a getter and a setter, a function and a method.
    pub(super) fn is_other_kind(&self, other: &Signature) -> bool {
        let is_other_receiver =
            matches!((self.is_method, other.is_method), (Some(own), Some(of)) if own != of);
        self.role != other.role || is_other_receiver
    }

    /// Returns true if it takes whatever arguments there are.
    pub(super) fn takes_all(&self) -> bool {
        self.guard.is_empty() && self.parameters.iter().all(|one| one == ANY)
    }

    /// Returns true if it looks at none of its arguments, as the last of several clauses does.
    pub(super) fn ignores_all(&self) -> bool {
        self.takes_all() && self.names.iter().all(|name| name.starts_with('_'))
    }

    /// Returns true if it takes all that `other` takes, as far as their patterns say.
    pub(super) fn covers(&self, other: &Signature) -> bool {
        let mut pairs = self.parameters.iter().zip(&other.parameters);
        self.parameters.len() == other.parameters.len() && pairs.all(|(own, of)| is_covered(own, of))
    }

    fn add(&mut self, text: &str, family: Family) {
        let text = text.trim();
        let is_sign = matches!(text, "" | "*" | "/" | "void");
        let receiver = text.trim_start_matches(['&', ' ']).trim_start_matches("mut ");
        let is_receiver =
            matches!(receiver.split(':').next(), Some("self" | "cls")) || receiver.ends_with(" self");
        if is_receiver {
            self.is_method = Some(true);
        }
        if is_sign || is_receiver || text.starts_with("this:") {
            return;
        }
        let default = match family {
            Family::Elixir => text.split_once("\\\\"),
            _ => text.split_once('='),
        };
        let bare = default.map_or(text, |(bare, _)| bare).trim();
        // One that takes any number of arguments makes the largest number endless.
        let is_open = bare.starts_with("...") || bare.starts_with('*') && family == Family::Python;
        let is_open = is_open
            || ["vararg ", "params "].iter().any(|word| bare.starts_with(word))
            || bare.contains("... ");
        let is_optional = default.is_some() || bare.contains("?:") || bare.ends_with('?');
        self.arity.0 += usize::from(!is_optional && !is_open);
        self.arity.1 = if is_open { usize::MAX } else { self.arity.1.saturating_add(1) };
        let pattern = if family == Family::Elixir {
            without_names(bare, &mut self.names)
        } else {
            self.typed(bare, family)
        };
        self.parameters.push(pattern);
    }

    /// Returns the type of a parameter, and adds its name.
    fn typed(&mut self, text: &str, family: Family) -> String {
        if family == Family::Script && text.starts_with(['{', '[']) {
            let (pattern, kind) = text.rsplit_once("}:").unwrap_or((text, ""));
            words(pattern).into_iter().for_each(|name| self.names.push(name.to_owned()));
            return kind.trim().to_owned();
        }
        // `name: Type`, or `Type name` as C and Java have it.
        let (name, kind) = match text.split_once(':').filter(|(_, kind)| !kind.starts_with(':')) {
            Some((name, kind)) => (name, kind.trim()),
            None if family == Family::C => {
                let start = text.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
                (&text[start.min(text.len())..], text[..start.min(text.len())].trim())
            }
            None => (text, ""),
        };
        let name = name.trim().trim_end_matches('?').rsplit(' ').next().unwrap_or_default();
        self.names.push(name.trim_matches(['*', '&', '.']).to_owned());
        let words: Vec<&str> =
            kind.split(' ').filter(|word| *word != "final" && !word.starts_with('@')).collect();
        words.concat()
    }

    fn find_receiver(&mut self, layout: &Layout<'_>, head: usize, text: &str) {
        let is_outermost = layout.indent[head] == 0;
        match layout.family {
            // A function of a script has its word, a method has none.
            Family::Script => self.is_method = Some(!text.contains("function ")),
            Family::Python | Family::Rust if self.is_method.is_none() => {
                self.is_method = is_outermost.then_some(false);
            }
            _ => {}
        }
    }
}

/// Returns true if the pattern `own`, in which [`ANY`] takes every value, takes what `of` takes.
fn is_covered(own: &str, of: &str) -> bool {
    if own == ANY || own == of {
        return true;
    }
    // A struct without fields takes all of its kind.
    if let Some(start) = own.strip_suffix("{}") {
        return of.starts_with(start);
    }
    let mut pieces = own.split(ANY);
    let Some(mut rest) = pieces.next().and_then(|first| of.strip_prefix(first)) else { return false };
    let mut is_open = false;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        (rest, is_open) = (&rest[at + piece.len()..], piece.is_empty());
    }
    rest.is_empty() || is_open
}

/// Returns the head with its parameters in one line.
fn head_text(layout: &Layout<'_>, head: usize, name: &str) -> Option<String> {
    let mut text = layout.norm[head].clone();
    let (mut opened, mut closed) = (0, 0);
    for at in (head + 1..layout.len()).take(LINES) {
        let above = &layout.code[at - 1];
        opened += above.matches('(').count();
        closed += above.matches(')').count();
        if opened <= closed {
            break;
        }
        text.push(' ');
        text.push_str(&layout.norm[at]);
    }
    text.contains(name).then_some(text)
}

/// Returns what is in the brackets behind `name`, and the text behind them.
fn list_behind<'t>(text: &'t str, name: &str, family: Family) -> Option<(&'t str, &'t str)> {
    let mut from = 0;
    let open = loop {
        let at = from + text[from..].find(name)?;
        let rest = &text[at + name.len()..];
        let generics = if rest.starts_with('<') { rest.find('(')? } else { 0 };
        if rest[generics..].starts_with('(') {
            break at + name.len() + generics;
        }
        from = at + name.len();
    };
    let mut walk = BracketDepth::new(family);
    let end = text[open..].char_indices().find(|(_, c)| {
        walk.step(*c);
        walk.depth == 0 && *c == ')'
    });
    end.map(|(end, _)| (&text[open + 1..open + end], &text[open + end + 1..]))
}

/// Counts brackets outside of quotes.
struct BracketDepth {
    has_generics: bool,
    depth: usize,
    quote: Option<char>,
    last: char,
}

impl BracketDepth {
    fn new(family: Family) -> BracketDepth {
        let has_generics = matches!(family, Family::C | Family::Script | Family::Rust | Family::Dart);
        BracketDepth { has_generics, depth: 0, quote: None, last: ' ' }
    }

    fn step(&mut self, c: char) {
        match (self.quote, c) {
            (Some(quote), _) if c == quote => self.quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => self.quote = Some(c),
            (None, '(' | '[' | '{') => self.depth += 1,
            (None, '<') if self.has_generics => self.depth += 1,
            (None, ')' | ']' | '}') => self.depth = self.depth.saturating_sub(1),
            (None, '>') if self.has_generics && !matches!(self.last, '-' | '=') => {
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
        self.last = c;
    }
}

fn split(list: &str, family: Family) -> Vec<&str> {
    let (mut walk, mut start, mut out) = (BracketDepth::new(family), 0, Vec::new());
    for (at, c) in list.char_indices() {
        if c == ',' && walk.depth == 0 && walk.quote.is_none() {
            out.push(&list[start..at]);
            start = at + 1;
        }
        walk.step(c);
    }
    if !list[start..].trim().is_empty() {
        out.push(&list[start..]);
    }
    out
}

pub(super) fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect()
}

/// Returns a pattern with [`ANY`] for each variable: `%Letter{from: _}` for `%Letter{from: from} = letter`.
fn without_names(pattern: &str, names: &mut Vec<String>) -> String {
    let (mut out, mut rest, mut quote) = (String::new(), pattern.trim(), None);
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && (c.is_lowercase() || c == '_') && !out.ends_with([':', '.', '@', '&']) {
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '?' | '!')))
                .unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            let is_key = behind.starts_with(':') && !behind.starts_with("::");
            let is_name = !is_key
                && !behind.starts_with('(')
                && !matches!(word, "nil" | "true" | "false" | "and" | "or" | "not" | "in" | "when");
            if is_name {
                names.push(word.to_owned());
            }
            out.push_str(if is_name { ANY } else { word });
            rest = behind;
            continue;
        }
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
        // An atom is no variable.
        if quote.is_none() && matches!(c, ':' | '.' | '@') || c.is_alphanumeric() {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    let out = out.strip_suffix(" = _").or_else(|| out.strip_prefix("_ = ")).unwrap_or(&out);
    out.to_owned()
}

/// Returns the decorator or word that makes another function of one with the same name.
fn role(layout: &Layout<'_>, head: usize) -> String {
    let above = layout.norm[..head].iter().rev().map(String::as_str);
    let decorators = above.take_while(|text| text.starts_with('@') || text.starts_with("#["));
    match layout.family {
        Family::Python => {
            let is_role = |text: &&str| {
                let name = text.split('(').next().unwrap_or(text);
                text.starts_with('@') && ROLES.iter().any(|role| name.ends_with(role))
            };
            decorators.filter(is_role).collect()
        }
        Family::Rust => decorators.filter(|text| text.starts_with("#[cfg")).collect(),
        Family::Script => {
            let line = layout.norm[head].split('(').next().unwrap_or_default();
            let mut words = line.rsplit(' ').skip(1);
            words.find(|word| matches!(*word, "get" | "set")).unwrap_or_default().to_owned()
        }
        _ => String::new(),
    }
}
