//! Units: a head line with what belongs to it, and the units of a scope.

use std::ops::Range;

use super::head::{Key, Kind};
use super::language::Family;
use super::layout::Layout;

/// A unit: comments and decorators, a head line, and the lines that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// The first line, of a comment or decorator right above the head.
    pub(super) start: usize,
    pub(super) head: usize,
    /// The line behind the last one.
    pub(super) end: usize,
    pub(super) key: Option<Key>,
}

impl Unit {
    pub(super) fn kind(&self) -> Option<Kind> {
        self.key.as_ref().map(|key| key.kind)
    }

    pub(super) fn is(&self, kind: Kind) -> bool {
        self.kind() == Some(kind)
    }

    pub(super) fn is_definition(&self) -> bool {
        self.kind().is_some_and(Kind::is_definition)
    }

    /// The head line without remarks.
    pub(super) fn text<'l>(&self, layout: &'l Layout<'_>) -> &'l str {
        &layout.norm[self.head]
    }

    /// The name, or else the head line.
    pub(super) fn name(&self, layout: &Layout<'_>) -> String {
        self.key.as_ref().map_or_else(|| self.text(layout).to_owned(), |key| key.name.clone())
    }

    /// The lines that are not blank, from the head on, without indentation.
    pub(super) fn norm<'l>(&self, layout: &'l Layout<'_>) -> Vec<&'l str> {
        norm(layout, self.head..self.end)
    }

    /// The number of lines that are not blank.
    pub(super) fn size(&self, layout: &Layout<'_>) -> usize {
        (self.head..self.end).filter(|at| !layout.blank[*at]).count()
    }

    /// Its lines, with their indentation relative to the head where that carries meaning.
    pub(super) fn shape<'l>(&self, layout: &'l Layout<'_>) -> Vec<(isize, &'l str)> {
        shape(layout, self.head..self.end)
    }
}

pub(super) fn norm<'l>(layout: &'l Layout<'_>, lines: Range<usize>) -> Vec<&'l str> {
    lines.filter(|at| !layout.blank[*at]).map(|at| layout.norm[at].as_str()).collect()
}

/// Returns the lines that are not blank, each with its indentation beyond the first's in languages where that
/// carries meaning: a line moved out of a block is another line.
pub(super) fn shape<'l>(layout: &'l Layout<'_>, lines: Range<usize>) -> Vec<(isize, &'l str)> {
    let mut base = None;
    let line = |at: usize| {
        let width =
            if layout.family.is_indented() && !layout.inside[at] { layout.indent[at] as isize } else { 0 };
        (width - *base.get_or_insert(width), layout.norm[at].as_str())
    };
    lines.filter(|at| !layout.blank[*at]).map(line).collect()
}

#[derive(Debug, Clone)]
pub(super) enum Item {
    Unit(Unit),
    Marker,
}

impl Item {
    pub(super) fn unit(&self) -> Option<&Unit> {
        match self {
            Item::Unit(unit) => Some(unit),
            Item::Marker => None,
        }
    }
}

/// Returns the line behind the unit with this head.
pub(super) fn extent(layout: &Layout<'_>, head: usize, end: usize) -> usize {
    let (indent, depth) = (layout.indent[head], layout.depth[head]);
    let belongs = |at: usize| {
        layout.blank[at]
            || layout.inside[at]
            || layout.depth[at] > depth
            || layout.indent[at] > indent && !is_behind_import(layout, head, at)
            || layout.continues[at] && layout.indent[at] >= indent
    };
    let stop = (head + 1..end).find(|at| !belongs(*at)).unwrap_or(end);
    without_blanks(layout, head, stop)
}

// Returns true if the line at `head` imports, and a blank line ends that before the deeper one at `at`: models show the methods
// of a class, as deep as they are there, below the imports that they need.
fn is_behind_import(layout: &Layout<'_>, head: usize, at: usize) -> bool {
    layout.blank[at - 1] && matches!(&layout.keys[head], Some(key) if key.kind == Kind::Import)
}

fn without_blanks(layout: &Layout<'_>, head: usize, mut stop: usize) -> usize {
    while stop > head + 1 && layout.blank[stop - 1] {
        stop -= 1;
    }
    stop
}

/// Cuts a scope into its units and markers.
struct Cutter<'c, 'a> {
    layout: &'c Layout<'a>,
    is_marker: &'c [bool],
    range: Range<usize>,
    out: Vec<Item>,
    /// The first line of comments and decorators right above.
    above: Option<usize>,
}

/// Returns the units and markers of these lines, at their smallest indentation. Lines beyond the end of
/// `is_marker` are no markers.
pub(super) fn items(layout: &Layout<'_>, range: Range<usize>, is_marker: &[bool]) -> Vec<Item> {
    let mut cutter = Cutter { layout, is_marker, range: range.clone(), out: Vec::new(), above: None };
    let mut at = range.start;
    while at < range.end {
        at = cutter.step(at);
    }
    cutter.flush(range.end);
    cutter.out
}

/// Returns the units of these lines of a file.
pub(super) fn units(layout: &Layout<'_>, range: Range<usize>) -> Vec<Unit> {
    let unit = |item| match item {
        Item::Unit(unit) => Some(unit),
        Item::Marker => None,
    };
    items(layout, range, &[]).into_iter().filter_map(unit).collect()
}

impl Cutter<'_, '_> {
    fn is_marker(&self, at: usize) -> bool {
        self.is_marker.get(at).copied().unwrap_or(false)
    }

    /// Makes a unit of the comments above, if there are any: nothing follows that they belong to.
    fn flush(&mut self, to: usize) {
        if let Some(start) = self.above.take() {
            let name = self.layout.norm[start].clone();
            let key = Some(Key { kind: Kind::Comment, name });
            self.out.push(Item::Unit(Unit { start, head: start, end: to, key }));
        }
    }

    fn step(&mut self, at: usize) -> usize {
        let layout = self.layout;
        if layout.blank[at] || self.is_marker(at) {
            self.flush(at);
            if self.is_marker(at) {
                self.out.push(Item::Marker);
            }
            return at + 1;
        }
        if layout.is_comment(at) && layout.family != Family::Markdown {
            self.above.get_or_insert(at);
            return (at + 1..self.range.end)
                .find(|next| !layout.inside[*next] || self.is_marker(*next))
                .unwrap_or(self.range.end);
        }
        if is_attached(layout, at) {
            let end = extent(layout, at, self.range.end);
            if end < self.range.end && !layout.blank[end] {
                self.above.get_or_insert(at);
                return end;
            }
        }
        let end = self.unit_end(at);
        let start = self.above.take().unwrap_or(at);
        self.out.push(Item::Unit(Unit { start, head: at, end, key: layout.keys[at].clone() }));
        end
    }

    /// Returns the line behind the unit, which may have markers inside.
    fn unit_end(&self, head: usize) -> usize {
        let layout = self.layout;
        let (indent, depth) = (layout.indent[head], layout.depth[head]);
        let belongs = |at: usize| {
            if self.is_marker(at) {
                return self.belongs_with_marker(head, at);
            }
            layout.blank[at]
                || layout.inside[at]
                || layout.depth[at] > depth
                || layout.indent[at] > indent && !is_behind_import(layout, head, at)
                || layout.continues[at] && (layout.indent[at] >= indent || self.out.is_empty())
        };
        let stop = (head + 1..self.range.end).find(|at| !belongs(*at)).unwrap_or(self.range.end);
        without_blanks(layout, head, stop)
    }

    /// Returns true if a marker is inside the unit: it is deeper, or a line of the unit follows.
    fn belongs_with_marker(&self, head: usize, at: usize) -> bool {
        let layout = self.layout;
        let (indent, depth) = (layout.indent[head], layout.depth[head]);
        if layout.depth[at] > depth {
            return true;
        }
        if is_behind_import(layout, head, at) {
            return false;
        }
        let next = (at + 1..self.range.end).find(|next| !layout.blank[*next] && !self.is_marker(*next));
        let mut width = layout.indent[at];
        if let Some(next) = next.filter(|next| !layout.continues[*next]) {
            width = width.max(layout.indent[next]);
        }
        if width > indent {
            return true;
        }
        next.is_some_and(|next| {
            layout.depth[next] > depth
                || layout.continues[next] && layout.indent[next] == indent && !layout.is_balanced
        })
    }
}

/// Returns true if the line is a decorator, an attribute or documentation of what is below it.
fn is_attached(layout: &Layout<'_>, at: usize) -> bool {
    let text = layout.norm[at].as_str();
    let at_sign = text.starts_with('@') && text[1..].starts_with(|c: char| c.is_alphabetic());
    match layout.family {
        Family::Python => at_sign,
        Family::Elixir => ["@doc", "@spec", "@impl", "@deprecated"].iter().any(|word| text.starts_with(word)),
        Family::Rust => text.starts_with("#["),
        Family::Php => text.starts_with("#["),
        Family::C | Family::Dart | Family::Script => {
            let alone = text.ends_with(')') || !text.contains([' ', '(']);
            at_sign && alone && !text.starts_with("@interface")
                || layout.family == Family::C && text.starts_with('[') && text.ends_with(']')
        }
        _ => false,
    }
}

/// Returns the lines below the unit's header and above its last closing line, if there are any.
pub(super) fn body(layout: &Layout<'_>, unit: &Unit, is_marker: &[bool]) -> Option<Range<usize>> {
    let last = (unit.head + 1..unit.end).rfind(|at| !layout.blank[*at])?;
    let marker = is_marker.get(last).copied().unwrap_or(false);
    let text = layout.lines[last].trim();
    let closes = text.starts_with([')', ']', '}'])
        || text.starts_with("</")
        || text.starts_with("/>")
        || text == ">"
        || text.strip_prefix("end").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    let is_closing = closes
        && layout.continues[last]
        && !layout.inside[last]
        && layout.indent[last] <= layout.indent[unit.head]
        && !marker;
    let end = if is_closing { last } else { unit.end };
    let start = header_end(layout, unit, last);
    (start < end).then_some(start..end)
}

/// Returns the line behind the header: behind its brackets, unless the last line of the unit closes them.
fn header_end(layout: &Layout<'_>, unit: &Unit, last: usize) -> usize {
    if !layout.is_balanced || layout.family.ignores_brackets() {
        return unit.head + 1;
    }
    // Of each line: the outermost bracket that is open behind it. Of each bracket: the line that closes it.
    let (mut open, mut closed_at, mut outermost) = (Vec::new(), Vec::new(), Vec::new());
    for at in unit.head..=last {
        for byte in layout.code[at].bytes() {
            match byte {
                b'(' | b'[' | b'{' => {
                    open.push(closed_at.len());
                    closed_at.push(None);
                }
                b')' | b']' | b'}' => {
                    if let Some(bracket) = open.pop() {
                        closed_at[bracket] = Some(at);
                    }
                }
                _ => {}
            }
        }
        outermost.push(open.first().copied());
    }
    let is_header_end =
        |bracket: &Option<usize>| bracket.is_none_or(|bracket| closed_at[bracket] == Some(last));
    // The selectors of a rule go on behind a comma.
    let goes_on = |at: &usize| layout.family == Family::Css && layout.code[*at].trim_end().ends_with(',');
    let listed = (unit.head..last).take_while(goes_on).count();
    let mut end = unit.head + listed + outermost[listed..].iter().position(is_header_end).unwrap_or(0) + 1;
    // The opening brace on a line of its own belongs to the header, unless it begins an entry of a list.
    let is_entry = layout.code[end - 1].trim_end().ends_with(['[', '(', ',']);
    if end < last && layout.lines[end].trim() == "{" && !is_entry {
        end += 1;
    }
    end
}
