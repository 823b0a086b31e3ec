//! Lines of the part at the indentation of the file.

use std::collections::HashSet;
use std::ops::Range;

use super::language::Family;
use super::layout::Layout;

/// The way in which blanks at the starts of the part's lines become those of the file.
#[derive(Debug, Clone, Copy)]
enum Blanks {
    Same,
    /// This many spaces of the part are a tab of the file.
    ToTabs(usize),
    ToSpaces,
}

/// Moves lines of the part to where they stand in the file.
#[derive(Debug)]
pub(super) struct Shifter {
    blanks: Blanks,
    /// Lines within strings and comments stay where they are: the file has them as the part shows them.
    keeps_inside: bool,
}

impl Shifter {
    pub(super) fn new(file: &Layout<'_>, part: &Layout<'_>) -> Shifter {
        let tabbed = |layout: &Layout<'_>| layout.lines.iter().any(|line| line.starts_with('\t'));
        let blank = |layout: &Layout<'_>| layout.lines.iter().any(|line| line.starts_with([' ', '\t']));
        let applies = !matches!(file.family, Family::Make | Family::Markdown | Family::Plain);
        let blanks = if !applies || tabbed(file) == tabbed(part) || !blank(file) || !blank(part) {
            Blanks::Same
        } else if tabbed(file) {
            let spaces = |line: &&str| line.len() - line.trim_start_matches(' ').len();
            let step = part.lines.iter().map(spaces).filter(|count| *count >= 2).min().unwrap_or(4);
            Blanks::ToTabs(if matches!(step, 2 | 4 | 8) { step } else { 4 })
        } else {
            Blanks::ToSpaces
        };
        Shifter { blanks, keeps_inside: keeps_inside(file, part) }
    }

    /// Returns lines of the part such that the line `head` has `indent` before it.
    pub(super) fn shift(
        &self,
        part: &Layout<'_>,
        lines: Range<usize>,
        head: usize,
        indent: &str,
    ) -> Vec<String> {
        let first = self.convert(part.lines[head]);
        let shown = &first[..first.len() - first.trim_start().len()];
        let line = |at: usize| {
            let line = self.convert(part.lines[at]);
            if line.trim().is_empty() {
                return String::new();
            }
            if self.keeps_inside && part.inside[at] {
                return line;
            }
            if let Some(rest) = line.strip_prefix(shown) {
                return format!("{indent}{rest}");
            }
            if part.inside[at] {
                return line;
            }
            // It is less deep than the head.
            let rest = line.trim_start();
            let less = shown.len().saturating_sub(line.len() - rest.len());
            let width = indent.len().saturating_sub(less);
            format!("{}{rest}", indent.get(..width).unwrap_or_default())
        };
        lines.map(line).collect()
    }

    fn convert(&self, line: &str) -> String {
        let rest = line.trim_start_matches([' ', '\t']);
        let blanks = &line[..line.len() - rest.len()];
        match self.blanks {
            Blanks::ToTabs(step) if !blanks.contains('\t') => {
                let count = blanks.len();
                format!("{}{}{rest}", "\t".repeat(count / step), " ".repeat(count % step))
            }
            Blanks::ToSpaces if blanks.contains('\t') => {
                let tabs = blanks.matches('\t').count();
                format!("{}{rest}", " ".repeat(4 * tabs + blanks.len() - tabs))
            }
            _ => line.to_owned(),
        }
    }
}

/// Returns true if the file has lines of the part's strings and comments of several lines where the part shows them, and
/// none of them elsewhere.
fn keeps_inside(file: &Layout<'_>, part: &Layout<'_>) -> bool {
    let is_inside = |at: &usize| part.inside[*at] && !part.blank[*at];
    let inside: Vec<&str> = (0..part.len()).filter(is_inside).map(|at| part.lines[at].trim_end()).collect();
    if inside.is_empty() {
        return false;
    }
    let as_shown: HashSet<&str> = file.lines.iter().map(|line| line.trim_end()).collect();
    let anywhere: HashSet<&str> = as_shown.iter().map(|line| line.trim_start()).collect();
    let (here, elsewhere): (Vec<&str>, Vec<&str>) =
        inside.into_iter().partition(|line| as_shown.contains(line));
    !here.is_empty() && !elsewhere.iter().any(|line| anywhere.contains(line.trim_start()))
}

pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}
