//! Everything that was found for a document, and the part of it that a budget of tokens keeps.

use std::collections::BTreeMap;

use clada_protocol::{EmbedParams, EmbedResult, EmbeddedFile, ErrorKind, OmittedPath, RpcError};

use super::budget;
use super::discover::Discovery;
use super::document::Document;
use super::format::{Notes, Style};
use super::gather::{FileEntry, Gathered, is_near};
use super::issue::Issue;
use super::names::NameRules;
use super::shown::Shown;
use super::spool::Spool;
use super::tokens::Counter;

/// The most lines about files over the budget, before they are grouped by folder.
const LISTED: usize = 50;
const OVER_BUDGET: &str = "over the token budget";

/// The findings of the first two steps.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) entries: Vec<FileEntry>,
    pub(super) spool: Spool,
    omitted: BTreeMap<Shown, String>,
    pub(super) errors: Vec<Issue>,
    pub(super) warnings: Vec<Issue>,
}

impl Findings {
    pub(super) fn new(discovery: Discovery, gathered: Gathered) -> Findings {
        let Discovery { mut omitted, mut errors, mut warnings, .. } = discovery;
        omitted.extend(gathered.omitted);
        errors.extend(gathered.errors);
        warnings.extend(gathered.warnings);
        errors.sort();
        warnings.sort();
        Findings { entries: gathered.entries, spool: gathered.spool, omitted, errors, warnings }
    }

    /// Returns the result with the entries `kept`, without the document.
    pub(super) fn result(&self, kept: &[usize]) -> EmbedResult {
        let file = |index: &usize| {
            let FileEntry { shown, size, tokens, .. } = &self.entries[*index];
            let path = shown.text().into_owned();
            EmbeddedFile { path, path_bytes: shown.odd_bytes(), size: *size, tokens: *tokens }
        };
        let omitted = |(shown, reason): (&Shown, &String)| {
            let path = shown.text().into_owned();
            OmittedPath { path, path_bytes: shown.odd_bytes(), reason: reason.clone() }
        };
        EmbedResult {
            files: kept.iter().map(file).collect(),
            omitted: self.omitted.iter().map(omitted).collect(),
            errors: self.errors.iter().cloned().map(Into::into).collect(),
            warnings: self.warnings.iter().cloned().map(Into::into).collect(),
            ..EmbedResult::default()
        }
    }
}

impl Findings {
    /// Returns the error that none of what was named can be embedded, from the warnings that say why; `None`
    /// without any.
    pub(super) fn nothing(&self) -> Option<RpcError> {
        let first = self.warnings.first()?;
        let is_secret = self.omitted.values().all(|reason| reason == "secret");
        let kind = if is_secret { ErrorKind::Secret } else { ErrorKind::NotText };
        let whys: Vec<&str> = self.warnings.iter().map(|issue| issue.message.as_str()).take(3).collect();
        let path = first.shown.text();
        Some(
            RpcError::new(kind, format!("embed: nothing is left to embed: {}", whys.join("; ")))
                .with("path", path.as_ref()),
        )
    }
}

/// The inputs that decide how much is kept.
pub(super) struct Budget<'a> {
    pub(super) counter: Option<Counter<'a>>,
    pub(super) notes: &'a Notes,
    pub(super) diff: Option<&'a str>,
    pub(super) params: &'a EmbedParams,
}

impl Budget<'_> {
    /// Returns the entries that are kept, and the number of tokens that the document then has, if they are
    /// counted.
    ///
    /// # Errors
    /// `limit_exceeded` if not even a document without files fits.
    pub(super) fn apply(
        &self,
        found: &mut Findings,
        names: &NameRules,
    ) -> Result<(Vec<usize>, Option<u64>), RpcError> {
        let all: Vec<usize> = (0..found.entries.len()).collect();
        let Some(counter) = self.counter else { return Ok((all, None)) };
        let overhead = |kept: &[usize]| {
            let (head, tail) = self.document(found, kept, true).frame();
            counter.count(&head) + counter.count(&tail)
        };
        let kept = match self.params.max_tokens {
            None => all,
            Some(budget) => {
                let order = budget::by_importance(&found.entries, &names.priority);
                budget::keep(&found.entries, &order, budget, overhead).ok_or_else(|| too_small(budget))?
            }
        };
        let sections: u64 = kept.iter().map(|index| found.entries[*index].cost).sum();
        let tokens = overhead(&kept) + if self.params.tree_only { 0 } else { sections };
        for index in missing(&kept, found.entries.len()) {
            let entry = &found.entries[index];
            found.omitted.insert(entry.shown.clone(), over_budget(entry));
        }
        if let Some(budget) = self.params.max_tokens.filter(|budget| is_near(tokens, *budget)) {
            let message = format!("The document has {tokens} tokens, near the budget of {budget}");
            found.warnings.push(Issue::warning(&Shown::written(""), message));
        }
        Ok((kept, Some(tokens)))
    }

    /// Returns the document with the entries `kept`. `planned`: the entries that are not kept are not among
    /// the omitted ones yet.
    pub(super) fn document<'f>(&self, found: &'f Findings, kept: &[usize], planned: bool) -> Document<'f> {
        let entries: Vec<&FileEntry> = kept.iter().map(|index| &found.entries[*index]).collect();
        let over: Vec<&FileEntry> =
            missing(kept, found.entries.len()).map(|index| &found.entries[index]).collect();
        let mut omitted: BTreeMap<Shown, String> = found.omitted.clone();
        if !planned {
            over.iter().for_each(|entry| drop(omitted.remove(&entry.shown)));
        }
        omitted.extend(gathered(&over));
        let tokens = self
            .notes
            .tokens
            .map(|(_, tokenizer)| (entries.iter().filter_map(|entry| entry.tokens).sum::<u64>(), tokenizer));
        let notes = Notes {
            files: entries.len() as u64,
            bytes: entries.iter().map(|entry| entry.size).sum(),
            tokens,
            ..self.notes.clone()
        };
        Document {
            style: Style { format: self.params.format, line_numbers: self.params.line_numbers },
            notes,
            entries,
            omitted: omitted.into_iter().collect(),
            diff: self.diff.map(str::to_owned),
            tree_only: self.params.tree_only,
            preamble: self.params.preamble,
        }
    }
}

/// Returns why an entry is not in the document, with the room that it would need.
fn over_budget(entry: &FileEntry) -> String {
    match entry.cost {
        // Of a tree alone.
        0 => OVER_BUDGET.to_owned(),
        cost => format!("{OVER_BUDGET}: {cost} tokens"),
    }
}

fn too_small(budget: u64) -> RpcError {
    let message = format!("A budget of {budget} tokens does not hold the document without any file");
    RpcError::new(ErrorKind::LimitExceeded, message)
        .with("limit", "maxTokens")
        .hint("give it more, or name less")
}

/// Returns the numbers below `count` that are not in `kept`, which is in order.
fn missing(kept: &[usize], count: usize) -> impl Iterator<Item = usize> {
    (0..count).filter(|index| kept.binary_search(index).is_err())
}

/// Returns the lines about files over the budget: a line each; if those were many, a line for each folder,
/// for each folder at the top, or for all. A list of files that did not fit must not be what fills the
/// budget.
fn gathered(over: &[&FileEntry]) -> Vec<(Shown, String)> {
    if over.len() <= LISTED {
        return over.iter().map(|entry| (entry.shown.clone(), over_budget(entry))).collect();
    }
    let top = |path: &Shown| match path.bytes().iter().skip(1).position(|byte| *byte == b'/') {
        Some(end) => Shown::written(&String::from_utf8_lossy(&path.bytes()[..=end])),
        None => Shown::written(""),
    };
    let groups: [&dyn Fn(&Shown) -> Shown; 3] = [&Shown::parent, &top, &|_| Shown::written("")];
    let mut lines = BTreeMap::new();
    for group in groups {
        lines = over.iter().fold(BTreeMap::<Shown, usize>::new(), |mut lines, entry| {
            *lines.entry(group(&entry.shown).folder()).or_insert(0) += 1;
            lines
        });
        if lines.len() <= LISTED {
            break;
        }
    }
    let line = |(folder, count): (Shown, usize)| (folder, format!("{count} files {OVER_BUDGET}"));
    lines.into_iter().map(line).collect()
}
