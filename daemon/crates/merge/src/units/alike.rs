//! Similarity of texts: common letters, common lines.

use std::collections::{HashMap, HashSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::source::letters;

use super::layout::Layout;
use super::unit::Unit;

const COMPARED: usize = 300;
/// The similarity from which on a line is another form of one alone, and below which all others are.
pub(super) const ALIKE: f64 = 0.8;
pub(super) const OTHER: f64 = 0.7;
/// The similarity from which on a line beside a shown one is its other form.
pub(super) const FORM: f64 = 0.6;

/// How often each word is in the code of a text.
pub(super) type WordCounts<'l> = HashMap<&'l str, usize>;

/// Counts the words of these lines, without comments.
pub(super) fn count_words<'l>(layout: &'l Layout<'_>, lines: std::ops::Range<usize>) -> WordCounts<'l> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut counts = HashMap::new();
    for at in lines.filter(|at| !layout.is_comment(*at)) {
        for word in layout.norm[at].split(|c: char| !is_word(c)) {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

/// Returns the share of letters that two lines have in common, in order, from 0 to 1.
pub(super) fn similarity(left: &str, right: &str) -> f64 {
    let chars = |text: &str| -> Vec<char> { text.chars().take(COMPARED).collect() };
    let (left, right) = (chars(left), chars(right));
    if left.is_empty() && right.is_empty() {
        return 1.0;
    }
    let equal: usize = capture_diff_slices(Algorithm::Myers, &left, &right)
        .iter()
        .map(|op| if let DiffOp::Equal { len, .. } = op { *len } else { 0 })
        .sum();
    2.0 * equal as f64 / (left.len() + right.len()) as f64
}

/// Returns the number of lines that both have, whatever their order.
pub(super) fn overlap(left: &[&str], right: &[&str]) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in left {
        *counts.entry(line).or_default() += 1;
    }
    let common = |line: &&&str| match counts.get_mut(**line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    right.iter().filter(common).count()
}

/// Returns, for each of several `places`, how many lines of `shown` it has that tell it from the others: at most half of
/// them have such a line.
pub(super) fn telling_overlaps(shown: &[&str], places: &[Vec<&str>]) -> Vec<usize> {
    let shown_lines: HashSet<&str> = shown.iter().copied().collect();
    let own: Vec<HashSet<&str>> = places
        .iter()
        .map(|lines| lines.iter().copied().filter(|line| shown_lines.contains(line)).collect())
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    own.iter().flatten().for_each(|line| *counts.entry(line).or_default() += 1);
    let most = (places.len() / 2).max(1);
    own.iter().map(|lines| lines.iter().filter(|line| counts[**line] <= most).count()).collect()
}

/// Returns the unit's lines as one, so that it does not matter where they are broken.
pub(super) fn flat(layout: &Layout<'_>, unit: &Unit) -> String {
    flat_text(&unit.norm(layout).join(" "))
}

/// Returns `text` without semicolons, with one blank between words and none beside round brackets.
pub(super) fn flat_text(text: &str) -> String {
    let words: Vec<&str> = text.split([' ', '\t', ';']).filter(|word| !word.is_empty()).collect();
    words.join(" ").replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")")
}

/// Returns the positions of a longest ascending run of `values`.
pub(super) fn longest_ascending(values: &[usize]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; values.len()];
    for (at, value) in values.iter().enumerate() {
        let place = tails.partition_point(|tail| values[*tail] < *value);
        before[at] = place.checked_sub(1).map_or(usize::MAX, |place| tails[place]);
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut out = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        out.push(at);
        at = before[at];
    }
    out.reverse();
    out
}

// Returns the first word of `text`, which says what kind of line it is: a name that is called or set, a tag.
pub(super) fn first_word(text: &str) -> &str {
    text.split([' ', '(', '=', ':', '>']).next().unwrap_or_default()
}

/// Returns the name of what a statement calls.
pub(super) fn called(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('(')?;
    let name = name.split_once('<').map_or(name, |(name, _)| name);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | ':');
    (name.chars().all(is_name) && letters(name) > 1).then_some(name)
}

// Returns the tag of the element that `text` begins with.
pub(super) fn tag_of(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('<')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

// A call at the beginning of a line: `app.use("/x", y)`, `services.AddScoped<IClock, Clock>();`, `Route::get('/x', y);`.
struct CallLine<'t> {
    // What the function belongs to, up to the last dot or colon.
    owner: &'t str,
    name: &'t str,
    // Types and values that it is given, as far as the line has them.
    arguments: Vec<&'t str>,
    has_types: bool,
    // No brackets are around the arguments: `gem "rails", "~> 7.1"`, `has_many :posts`.
    is_command: bool,
}

impl<'t> CallLine<'t> {
    fn of(text: &'t str) -> Option<CallLine<'t>> {
        if let Some(command) = CallLine::of_command(text) {
            return Some(command);
        }
        let (before, behind) = text.split_once('(')?;
        let (callee, types) = match before.split_once('<') {
            Some((callee, types)) => (callee, types.trim_end_matches('>')),
            None => (before, ""),
        };
        let callee = callee.strip_prefix("await ").unwrap_or(callee);
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | ':');
        if !callee.chars().all(is_name) || letters(callee) < 2 {
            return None;
        }
        let (owner, name) =
            callee.rsplit_once('.').or_else(|| callee.rsplit_once("::")).unwrap_or(("", callee));
        let behind = behind.trim_end_matches([';', ',']);
        let behind = behind.strip_suffix(')').unwrap_or(behind);
        let arguments = [types, behind].into_iter().flat_map(listed);
        // The head of a function that is written in place says nothing.
        let tells = |one: &&str| {
            letters(one) > 0
                && !one.ends_with(['{', '|'])
                && !one.ends_with("=>")
                && !one.starts_with("function")
        };
        let has_types = letters(types) > 0;
        let arguments = arguments.filter(tells).collect();
        Some(CallLine { owner, name, arguments, has_types, is_command: false })
    }

    fn of_command(text: &'t str) -> Option<CallLine<'t>> {
        // Words before a text or a symbol that call nothing.
        #[rustfmt::skip]
        const OTHERS: &[&str] = &[
            "return", "import", "from", "require", "require_relative", "include", "export", "case", "when", "if", "unless", "raise", "throw", "yield", "package", "print", "puts", "echo", "in", "not",
            "and", "or", "else", "await", "new", "use", "p",
        ];
        let (name, behind) = text.split_once(' ')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name
            || OTHERS.contains(&name)
            || !behind.starts_with(['"', '\'', ':'])
            || behind.starts_with(": ")
        {
            return None;
        }
        let arguments = listed(behind.strip_suffix(" do").unwrap_or(behind));
        Some(CallLine { owner: "", name, arguments, has_types: false, is_command: true })
    }

    // Returns its first argument, if that names what is registered: a type, a path, a word.
    fn key(&self) -> Option<&'t str> {
        let first = self.arguments.first()?;
        let is_text = first.len() > 2
            && (first.starts_with(['"', '\'', '`']) || self.is_command && first.starts_with(':'));
        (self.has_types || is_text && (first.contains('/') || !first.contains(' '))).then_some(*first)
    }

    // Returns true if it is a route: a method of HTTP and a path.
    fn is_route(&self) -> bool {
        const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "any"];
        let name = self.name.to_lowercase();
        let name = name.strip_prefix("map").unwrap_or(&name);
        METHODS.contains(&name) && self.key().is_some_and(|key| key.contains('/'))
    }
}

// Returns the parts of `list` between commas that are in no brackets.
fn listed(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

// Returns true if `text` calls something without brackets: `has_many :posts`.
pub(super) fn is_command(text: &str) -> bool {
    CallLine::of_command(text).is_some()
}

// Returns the object on which `text`, a statement, calls a method: `self.hint` of `self.hint.pack(pady=10)`.
pub(super) fn owner_of(text: &str) -> Option<&str> {
    CallLine::of(text).map(|call| call.owner).filter(|owner| !owner.is_empty())
}

// Returns the name of the file that `line` loads, without its folder: `include_once '../header.php';`.
fn loaded_file(line: &str) -> Option<&str> {
    const LOADS: [&str; 6] =
        ["include", "include_once", "require", "require_once", "require_relative", "load"];
    let (word, rest) = line.trim().split_at_checked(line.trim().find([' ', '('])?)?;
    let path = rest.trim_matches([' ', '(', ')', ';']);
    let quote = path.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let path = path.strip_prefix(quote)?.strip_suffix(quote).filter(|path| !path.contains(quote))?;
    LOADS.contains(&word).then(|| path.rsplit('/').next().unwrap_or(path))
}

// Returns true if both lines are calls of a list that registers things, and each registers another one: routes with other
// paths and handlers, services or middleware of other names.
pub(super) fn registers_another(line: &str, other: &str) -> bool {
    if let (Some(one), Some(two)) = (loaded_file(line), loaded_file(other)) {
        return one != two;
    }
    let (Some(one), Some(two)) = (CallLine::of(line), CallLine::of(other)) else { return false };
    let has_common = |from: usize| {
        let rest = one.arguments.get(from..).unwrap_or_default();
        rest.iter().any(|argument| two.arguments.contains(argument))
    };
    if one.owner != two.owner || one.owner.is_empty() && one.name != two.name {
        return false;
    }
    if one.is_command && two.is_command {
        return one.name == two.name
            && matches!((one.key(), two.key()), (Some(one), Some(two)) if one != two);
    }
    // Its method and path make a route; the handler says whether it is the same with others.
    if one.is_route() && two.is_route() && one.name != two.name {
        return !has_common(1);
    }
    if has_common(0) {
        return false;
    }
    if one.name == two.name {
        // Coordinates of a package tell, a message does not: `implementation("a:b:1.0")`.
        let is_coordinate = |key: &str| key.matches([':', '/']).count() > 1 && !key.contains(' ');
        let tells = |call: &CallLine<'_>| {
            call.has_types || call.arguments.len() > 1 || call.key().is_some_and(is_coordinate)
        };
        let is_several = tells(&one) && tells(&two);
        return is_several && matches!((one.key(), two.key()), (Some(one), Some(two)) if one != two);
    }
    // `AddCors` beside `AddDbContext`; `findById` may be the new form of `find`.
    let verb = |name: &str| -> String {
        let rest = name.chars().skip(1).take_while(|c| c.is_lowercase()).collect::<String>();
        name.chars().take(1).collect::<String>() + &rest
    };
    let is_longer = one.name.starts_with(two.name) || two.name.starts_with(one.name);
    let is_registered =
        |name: &str| matches!(&*verb(name).to_lowercase(), "add" | "use" | "map" | "register");
    !is_longer && verb(one.name) == verb(two.name) && is_registered(one.name)
}

// Returns true if both lines are calls of a list that registers things in one way, and each registers another one: by the same
// call, or routes.
pub(super) fn is_of_list(line: &str, other: &str) -> bool {
    let are_alike = || match (CallLine::of(line), CallLine::of(other)) {
        (Some(one), Some(two)) => one.name == two.name || one.is_route() && two.is_route(),
        _ => false,
    };
    registers_another(line, other) && are_alike()
}
