//! Definitions that the part rewrites away: private or local ones that nothing uses any more.
//!
//! ```text
//! file                             part
//! class Page {                     class Page {
//!   _submit() { … }                  build() { … }       `_submit` goes: it was used in `build` alone, and is not any more
//!   build() { … _submit … }        }
//! }
//! ```

use super::alike::{WordCounts, count_words};
use super::head::{Key, Kind};
use super::language::Family;
use super::layout::Layout;
use super::merger::Merger;
use super::unit::{Unit, extent};

/// Words in front of a definition that nothing outside of its container sees.
const PRIVATE: [&str; 2] = ["private ", "fileprivate "];
const MOST: usize = 20;

impl<'m> Merger<'m, '_> {
    /// Returns true if the part may have rewritten the unit away: the file uses it elsewhere, and the part does not.
    pub(super) fn may_be_unused(&self, unit: &Unit) -> bool {
        let (file, part) = (self.file, self.part);
        let Some(Key { name, .. }) = unit.key.as_ref().filter(|key| key.kind == Kind::Def) else {
            return false;
        };
        let name = name.as_str();
        let words =
            self.words.get_or_init(|| [file, part].map(|layout| count_words(layout, 0..layout.len())));
        let count = |words: &WordCounts<'_>| words.get(name).copied().unwrap_or(0);
        let [of_file, of_part] = words;
        is_hidden(file, unit.head)
            && count(of_part) == 0
            && count(of_file) > count(&count_words(file, unit.head..unit.end))
    }
}

/// Returns the heads in `file` of each definition of `lost`, if it was in use and is not in `result`; else that definition.
pub(super) fn unused_heads<'k>(
    file: &Layout<'_>,
    result: &Layout<'_>,
    lost: &[&'k Key],
) -> Result<Vec<usize>, &'k Key> {
    let Some(first) = lost.first() else { return Ok(Vec::new()) };
    if lost.len() > MOST {
        return Err(first);
    }
    let [before, after] = [file, result].map(|layout| count_words(layout, 0..layout.len()));
    let mut all = Vec::new();
    for key in lost {
        let heads: Vec<usize> = (0..file.len()).filter(|at| file.keys[*at].as_ref() == Some(*key)).collect();
        let own = |head: &usize| {
            count_words(file, *head..extent(file, *head, file.len())).get(key.name.as_str()).copied()
        };
        let own: usize = heads.iter().filter_map(own).sum();
        let count = |words: &WordCounts<'_>| words.get(key.name.as_str()).copied().unwrap_or(0);
        let is_unused = count(&before) > own && count(&after) == 0;
        if key.kind != Kind::Def || !is_unused || !heads.iter().all(|head| is_hidden(file, *head)) {
            return Err(key);
        }
        all.extend(heads);
    }
    Ok(all)
}

/// Returns true if what the line defines is private to its container, or local to a function.
fn is_hidden(layout: &Layout<'_>, head: usize) -> bool {
    let indent = layout.indent[head];
    let is_above = |at: &usize| layout.is_code(*at) && layout.indent[*at] < indent && !layout.continues[*at];
    is_private(layout, head) || (0..head).rfind(is_above).is_some_and(|at| layout.is_function(at))
}

fn is_private(layout: &Layout<'_>, head: usize) -> bool {
    let (line, indent) = (layout.norm[head].as_str(), layout.indent[head]);
    let name = layout.keys[head].as_ref().map_or("", |key| key.name.as_str());
    let says = |word: &str| line.starts_with(word) || line.contains(&format!(" {word}"));
    let is_private = PRIVATE.into_iter().any(says)
        || name.starts_with('_') && !name.starts_with("__")
        || layout.family == Family::Rust && !line.starts_with("pub");
    indent > 0 && is_private
}
