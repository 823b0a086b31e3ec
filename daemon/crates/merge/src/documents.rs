//! Documents of a file: those of a YAML stream, the stages of a Dockerfile.
//!
//! ```text
//! file                        part              merged into
//! kind: Deployment            spec:             the first: only it has `spec`, `replicas`
//! spec: { replicas: 1 }         replicas: 3
//! ---
//! kind: Service
//! spec: { ports: … }
//! ```
//!
//! A part without a divider is of one document, and is merged into that alone.

use std::collections::HashSet;
use std::ops::Range;

use crate::part::{Merged, Part};
use crate::refused::{Reason, Refused};
use crate::source::{indentation, letters};
use crate::units::Family;

/// Letters of a line that is not in two documents by chance.
const TELLING: usize = 4;

/// Returns the documents of `text`, a file with this extension or name, without their dividers: their bytes. Empty if the
/// file has one, or none.
fn documents(text: &str, extension: &str) -> Vec<Range<usize>> {
    let family = Family::of(extension);
    if !matches!(family, Family::Yaml | Family::Docker) {
        return Vec::new();
    }
    let mut documents: Vec<Range<usize>> = std::iter::once(0..0).collect();
    let (mut at, mut remarks) = (0, None);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let is_divider = family == Family::Yaml && line.trim_end() == "---";
        let is_stage =
            family == Family::Docker && line.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("FROM "));
        let is_remark = line.starts_with('#');
        if is_divider {
            documents.push(end..end);
        } else if is_stage {
            documents.push(remarks.unwrap_or(at)..end);
        }
        // The comment above a stage is its own.
        remarks = if is_remark { remarks.or(Some(at)) } else { None };
        at = end;
        if let [.., before, last] = &mut documents[..]
            && is_stage
        {
            before.end = before.end.min(last.start);
        }
        if let Some(last) = documents.last_mut() {
            last.end = end;
        }
    }
    let has_text = |lines: &Range<usize>| {
        let mut lines =
            text[lines.clone()].lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        // Arguments above the first stage are none of it.
        if family == Family::Docker {
            lines.any(|line| !line.starts_with("ARG "))
        } else {
            lines.next().is_some()
        }
    };
    documents.retain(has_text);
    if documents.len() < 2 { Vec::new() } else { documents }
}

/// Returns true if `text` is of one of the documents of `file`, a file with this extension or name.
#[must_use]
pub fn is_of_document(file: &str, text: &str, extension: &str) -> bool {
    document_of(file, text, extension).is_some_and(|document| document.is_ok())
}

/// Merges `part` by `merge_one` into the document of `file` that it is of. `None` if the file has one, or the part several.
pub(crate) fn merge(
    file: &str,
    part: &Part<'_>,
    merge_one: fn(&str, &Part<'_>) -> Result<Merged, Refused>,
) -> Option<Result<Merged, Refused>> {
    let lines = match document_of(file, part.text, part.extension)? {
        Ok(lines) => lines,
        Err(refused) => return Some(Err(refused)),
    };
    let above = file[..lines.start].lines().count();
    Some(merge_one(&file[lines.clone()], part).map(|merged| Merged {
        text: [&file[..lines.start], &merged.text, &file[lines.end..]].concat(),
        level: merged.level,
        notes: merged.notes.into_iter().map(|note| note.below(above)).collect(),
    }))
}

// Returns the document of `file` with which `text` has the most in common. `None` if the file has one, or the text several.
fn document_of(file: &str, text: &str, extension: &str) -> Option<Result<Range<usize>, Refused>> {
    let family = Family::of(extension);
    let all = documents(file, extension);
    let has_divider = family == Family::Yaml && text.lines().any(|line| line.trim_end() == "---");
    let stages = text.lines().filter(|line| line.starts_with("FROM ")).count();
    let is_of_stage = family != Family::Docker || stages == 1;
    if all.is_empty() || has_divider || !is_of_stage {
        return None;
    }
    let shown = paths(text, family);
    let all: Vec<(Range<usize>, HashSet<String>)> =
        all.into_iter().map(|lines| (lines.clone(), paths(&file[lines], family))).collect();
    let is_known = |name: &str| {
        let own = shown.iter().find(|path| path.starts_with(name));
        own.is_none_or(|own| all.iter().any(|(_, paths)| paths.contains(own)))
    };
    // A manifest of another kind or name is a new document, whatever lines it shares.
    if family == Family::Yaml && !(is_known("kind=") && is_known("metadata/name=")) {
        return Some(Err(Refused::new(Reason::NoPlace, "the file has no such document")));
    }
    let mut scores: Vec<(usize, &Range<usize>)> =
        all.iter().map(|(lines, paths)| (paths.intersection(&shown).count(), lines)).collect();
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let [best, second, ..] = &scores[..] else { return None };
    if best.0 == 0 || best.0 == second.0 {
        let detail = format!("the part fits in {} documents of the file", all.len());
        return Some(Err(Refused::new(Reason::Ambiguous, detail)));
    }
    Some(Ok(best.1.clone()))
}

// Returns what a document says: its lines, and of YAML the keys from the margin down to each: `spec/replicas`,
// `spec/replicas=1`.
fn paths(text: &str, family: Family) -> HashSet<String> {
    let mut paths = HashSet::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty()) {
        let width = indentation(line);
        let entry = line.trim();
        if family != Family::Yaml {
            paths.extend((letters(entry) >= TELLING).then(|| entry.to_owned()));
            continue;
        }
        while open.last().is_some_and(|(indent, _)| *indent >= width) {
            open.pop();
        }
        let key = entry.split(':').next().unwrap_or(entry);
        let above: String = open.iter().map(|(_, key)| format!("{key}/")).collect();
        paths.insert(format!("{above}{key}"));
        if let Some(value) = entry[key.len()..].strip_prefix(':').filter(|value| !value.trim().is_empty()) {
            paths.insert(format!("{above}{key}={}", value.trim()));
        }
        open.push((width, key.to_owned()));
    }
    paths
}
