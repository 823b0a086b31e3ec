//! What a whole listing loses of the file that it is to replace.
//!
//! ```text
//! before: use a; fn one() { a() } fn two() {}    after: fn one() { a() }    unsaid: `a` would go, and is still used
//! before: message A {} message B {}              after: message B {}        left out: `message A {}`
//! ```

use std::collections::{BTreeSet, HashSet};

use clada_edit::changes;

use crate::refused::excerpt;
use crate::source::Source;

use super::check::{check_bodies, check_used, default_exports, modules, names};
use super::head::{Key, Kind};
use super::imports::used_words;
use super::language::Family;
use super::layout::Layout;

/// A file, and the text that is to take its place.
#[derive(Debug)]
pub struct Losses<'t> {
    file: Layout<'t>,
    result: Layout<'t>,
}

/// Returns a variable whose declaration with a type goes from `before` to `after`, two whole texts of a file, while the lines
/// behind it in the same block still use it. Only languages with braces and types are looked at.
#[must_use]
pub fn used_behind(before: &str, after: &str, extension: &str) -> Option<String> {
    // Dividing two whole files into units is dear.
    if Family::of(extension) != Family::C {
        return None;
    }
    let Losses { file, result } = &Losses::between(before, after, extension);
    let declared = |layout: &Layout<'_>, at: usize| -> Option<String> {
        let (before, _) = layout.code[at].split_once(" = ")?;
        let mut words = before.split_whitespace().rev();
        let name = words.next()?;
        let is_word = |word: &str| {
            word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '<' | '>' | '[' | ']'))
        };
        (is_word(name) && words.next().is_some_and(is_word)).then(|| name.to_owned())
    };
    let has: HashSet<String> = (0..result.len()).filter_map(|at| declared(result, at)).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    changes(&file.norm, &result.norm).into_iter().find_map(|change| {
        let mut removed = change.old.clone().filter_map(|at| Some((at, declared(file, at)?)));
        let behind = change.new.end..result.len();
        removed.find_map(|(at, name)| {
            let depth = file.indent[at];
            let mut block = behind.clone().filter(|line| !result.blank[*line]).take_while(|line| {
                result.indent[*line] >= depth && !result.norm[*line].starts_with('}')
                    || result.indent[*line] > depth
            });
            let uses = |line: usize| result.code[line].split(|c| !is_word(c)).any(|word| word == name);
            (!has.contains(&name) && block.any(uses)).then_some(name)
        })
    })
}

impl<'t> Losses<'t> {
    /// Compares the whole text `after` of a file with `before`. `extension` is the file's extension, name or path.
    #[must_use]
    pub fn between(before: &'t str, after: &'t str, extension: &str) -> Losses<'t> {
        let layout = |text| Layout::new(&Source::new(text), Family::of(extension));
        Losses { file: layout(before), result: layout(after) }
    }

    /// Returns what is lost, in words, if a reader of the change may miss it: the lines in front of the first code, a name
    /// that is still used, an export, a definition that is none of `removals`.
    #[must_use]
    pub fn unsaid(&self, removals: &[&str]) -> Option<String> {
        let Losses { file, result } = self;
        // A line that moved is still there: only what is nowhere any more is lost.
        let stays: BTreeSet<&str> = result.norm.iter().map(String::as_str).collect();
        let goes = |at: usize| !stays.contains(file.norm[at].as_str());
        let is_head = |at: &usize| {
            let text = file.norm[*at].as_str();
            let is_directive = ["'use ", "\"use ", "#!", "<?php", "declare(", "#ifndef", "#pragma"];
            file.is_comment(*at) || is_directive.iter().any(|word| text.starts_with(word))
        };
        let mut top = (0..file.len()).filter(|at| !file.blank[*at]).take_while(is_head);
        if let Some(at) = top.find(|at| goes(*at) && !has_path(&file.norm[*at])) {
            return Some(format!("`{}` at the top goes", excerpt(file.lines[at])));
        }
        if let Err(refused) = check_used(file, result).and_then(|()| check_bodies(file, result)) {
            return Some(refused.detail);
        }
        let modules = |layout: &Layout<'_>| modules(layout, |_| true);
        let used = used_words(result);
        if let Some(name) =
            modules(file).difference(&modules(result)).find(|name| used.contains(name.as_str()))
        {
            return Some(format!("`{}` would go, and the file still uses it", excerpt(name)));
        }
        if file.family == Family::Script && default_exports(file) > 0 && default_exports(result) == 0 {
            return Some("the default export goes".to_owned());
        }
        let has: BTreeSet<&Key> = names(result).into_keys().collect();
        let lost = names(file)
            .into_keys()
            .filter(|key| !has.contains(key) && !removals.contains(&key.name.as_str()));
        lost.min().map(|key| format!("`{}` goes", excerpt(&key.name)))
    }

    /// Returns a line of code that is left out without anything in its place, whatever the kind of file: what goes unsaid is
    /// most often forgotten. Imports apart, of which [`Losses::unsaid`] knows whether they are used.
    #[must_use]
    pub fn line_left_out(&self) -> Option<String> {
        let Losses { file, result } = self;
        // The last of a list has no comma, whatever goes behind it.
        let bare = |layout: &Layout<'_>| -> Vec<String> {
            layout.norm.iter().map(|line| line.trim_end_matches([',', ';']).to_owned()).collect()
        };
        let (had, has) = (bare(file), bare(result));
        let stays: HashSet<&str> = has.iter().map(String::as_str).collect();
        let known: HashSet<&str> = had.iter().map(String::as_str).collect();
        let tells = |layout: &Layout<'_>, at: usize| {
            layout.is_code(at) && !layout.is_comment(at) && layout.norm[at].contains(char::is_alphanumeric)
        };
        let is_import = |at: usize| matches!(&file.keys[at], Some(Key { kind: Kind::Import, .. }));
        let is_new = |at: &usize| tells(result, *at) && !known.contains(has[*at].as_str());
        let goes = |at: &usize| tells(file, *at) && !is_import(*at) && !stays.contains(had[*at].as_str());
        // Paragraphs of a file begin at the margin behind a blank line.
        let begins = |layout: &Layout<'_>, at: usize| {
            layout.indent[at] == 0 && (at == 0 || layout.blank[at - 1]) && tells(layout, at)
        };
        changes(&had, &has).into_iter().find_map(|change| {
            let replaced = change.new.clone().filter(|at| begins(result, *at)).count();
            let at = if change.new.clone().any(|at| is_new(&at)) {
                // Of what begins anew there, what is beyond its number has nothing in its place.
                change.old.clone().filter(|at| begins(file, *at)).filter(goes).nth(replaced)
            } else {
                change.old.clone().find(goes)
            };
            at.map(|at| excerpt(file.lines[at]))
        })
    }
}

/// Returns true if a comment names a file: it is a label.
fn has_path(comment: &str) -> bool {
    let is_extension =
        |end: &str| (1..=5).contains(&end.len()) && end.starts_with(|c: char| c.is_ascii_alphabetic());
    comment.split_whitespace().any(|word| word.rsplit_once('.').is_some_and(|(_, end)| is_extension(end)))
}
