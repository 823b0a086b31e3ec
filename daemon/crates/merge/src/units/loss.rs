//! What a whole listing loses of the file that it is to replace.
//!
//! ```text
//! before: use a; fn one() { a() } fn two() {}    after: fn one() { a() }    unsaid: `a` would go, and is still used
//! before: message A {} message B {}              after: message B {}        left out: `message A {}`
//! ```

use std::collections::{BTreeSet, HashMap, HashSet};

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
        // What is imported for its effects has no name that could be used.
        let has_effect = |at: usize| {
            let line = &file.code[at];
            ["import \"", "import '", "require("].iter().any(|begin| line.starts_with(begin))
        };
        let is_import =
            |at: usize| matches!(&file.keys[at], Some(Key { kind: Kind::Import, .. })) && !has_effect(at);
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

impl Losses<'_> {
    /// Returns an entry of data, a script of a page or the end of a line that goes, whatever is new beside it.
    #[must_use]
    pub fn entry_left_out(&self) -> Option<String> {
        let Losses { file, result } = self;
        let tells = |layout: &Layout<'_>, at: usize| layout.is_code(at) && !layout.is_comment(at);
        let entries = |layout: &Layout<'_>| -> Vec<(usize, String)> {
            let lines = (0..layout.len()).filter(|at| tells(layout, *at));
            lines.filter_map(|at| Some((at, entry(layout.family, layout.lines[at])?))).collect()
        };
        let mut remaining: HashMap<String, usize> = HashMap::new();
        for (_, name) in entries(result) {
            *remaining.entry(name).or_default() += 1;
        }
        let mut lost = entries(file).into_iter().filter(|(_, name)| match remaining.get_mut(name) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        if let Some((at, _)) = lost.next() {
            return Some(format!("`{}` goes", excerpt(file.lines[at])));
        }
        // A line of these languages has clauses, each of which says something of its own.
        if !matches!(file.family, Family::Sql | Family::Schema) {
            return None;
        }
        let bare = |line: &str| line.trim_end_matches([',', ';', ' ']).to_owned();
        changes(&file.norm, &result.norm).into_iter().find_map(|change| {
            let new: Vec<String> = change.new.clone().map(|at| bare(&result.norm[at])).collect();
            change.old.clone().find_map(|at| {
                let had = bare(&file.norm[at]);
                let rest = new
                    .iter()
                    .filter(|has| !has.is_empty())
                    .find_map(|has| had.strip_prefix(has.as_str()))?;
                rest.starts_with(' ').then(|| format!("`{}` goes", excerpt(rest.trim())))
            })
        })
    }

    /// Returns a check that goes without another in its place: a condition under which a function returns, raises or stops.
    #[must_use]
    pub fn check_left_out(&self) -> Option<String> {
        let Losses { file, result } = self;
        let all = |layout: &Layout<'_>| -> HashSet<String> { layout.norm.iter().cloned().collect() };
        let (had, has) = (all(file), all(result));
        changes(&file.norm, &result.norm).into_iter().find_map(|change| {
            let is_lost = |at: &usize| is_check(file, *at) && !has.contains(&file.norm[*at]);
            let is_new = |at: &usize| is_check(result, *at) && !had.contains(&result.norm[*at]);
            let lost: Vec<usize> = change.old.clone().filter(is_lost).collect();
            let new: Vec<usize> = change.new.clone().filter(is_new).collect();
            if lost.len() <= new.len() {
                return None;
            }
            // One that was rewritten shares a word with its new form.
            let is_rewritten = |at: &usize| {
                let words = used_in(&file.norm[*at]);
                new.iter().any(|other| !used_in(&result.norm[*other]).is_disjoint(&words))
            };
            let at = lost.iter().find(|at| !is_rewritten(at)).or(lost.last())?;
            Some(excerpt(file.lines[*at]))
        })
    }
}

// Returns true if line `at` of `layout` is a condition, and what it holds ends the function or the run of a loop.
fn is_check(layout: &Layout<'_>, at: usize) -> bool {
    const HEADS: &[&str] = &["if ", "if(", "unless ", "guard "];
    const ALONE: &[&str] = &["assert ", "assert(", "assert!(", "require(", "precondition("];
    const ENDS: &[&str] = &[
        "return",
        "raise",
        "throw",
        "panic",
        "abort",
        "exit",
        "sys.exit",
        "os.Exit",
        "log.Fatal",
        "die",
        "bail!",
        "break",
        "continue",
        "std::process",
        "process.exit",
        "fatalError",
        "halt",
    ];
    // "} else if …" is a check like any other.
    let line = layout.norm[at].trim_start_matches("} ");
    let ends = |text: &str| {
        let text = text.trim_start_matches(['{', '(', ' ']);
        ENDS.iter().any(|word| {
            text.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    if ALONE.iter().any(|head| line.starts_with(head)) {
        return true;
    }
    if ENDS.iter().any(|word| line.starts_with(word)) && (line.contains(" if ") || line.contains(" unless "))
    {
        return layout.family == Family::Ruby;
    }
    if !HEADS.iter().any(|head| line.starts_with(head)) {
        return false;
    }
    let behind = line.rsplit_once([')', ':', '{']).map_or("", |(_, behind)| behind);
    let body = (at + 1..layout.len()).find(|next| !layout.blank[*next] && !layout.is_comment(*next));
    ends(behind.trim())
        || line.split(") ").skip(1).any(ends)
        || body.is_some_and(|body| layout.indent[body] > layout.indent[at] && ends(&layout.norm[body]))
}

fn used_in(line: &str) -> HashSet<&str> {
    const COMMON: [&str; 10] = ["if", "not", "nil", "null", "None", "err", "is", "self", "this", "let"];
    line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.len() > 1 && !COMMON.contains(word))
        .collect()
}

// Returns the name of the entry that `line` of a file of data sets, or of what it takes into a page.
fn entry(family: Family, line: &str) -> Option<String> {
    let text = line.trim();
    match family {
        Family::Json | Family::Yaml | Family::Toml => {
            let (name, value) = text.split_once(if family == Family::Toml { '=' } else { ':' })?;
            let name = name.trim().trim_start_matches("- ").trim_matches('"');
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$' | '@');
            // What YAML writes in a row may be a text.
            let is_value = family != Family::Yaml || value.is_empty() || value.starts_with(' ');
            (is_value && !name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
        }
        Family::Html => {
            let name = text.strip_prefix('<')?;
            let end = name.find(|c: char| !c.is_alphanumeric())?;
            ["script", "link", "meta", "style", "form"]
                .contains(&&name[..end])
                .then(|| name[..end].to_owned())
        }
        _ => None,
    }
}

/// Returns true if a comment names a file: it is a label.
fn has_path(comment: &str) -> bool {
    let is_extension =
        |end: &str| (1..=5).contains(&end.len()) && end.starts_with(|c: char| c.is_ascii_alphabetic());
    comment.split_whitespace().any(|word| word.rsplit_once('.').is_some_and(|(_, end)| is_extension(end)))
}
