//! Everything that was found for a document, and the part of it that a budget of tokens keeps.

use std::collections::BTreeMap;

use clada_protocol::{EmbedParams, EmbedResult, EmbeddedFile, ErrorKind, OmittedPath, RpcError};

use super::budget;
use super::discover::Discovery;
use super::document::EmbedDocument;
use super::format::{DocumentNotes, Style};
use super::gather::{FileEntry, Gathered, is_near};
use super::issue::PathIssue;
use super::names::NameRules;
use super::shown::ShownPath;
use super::spool::Spool;
use super::tokens::Counter;

const LISTED: usize = 50;
const OVER_BUDGET: &str = "over the token budget";

#[derive(Debug)]
pub(super) struct EmbedFindings {
    pub(super) entries: Vec<FileEntry>,
    pub(super) spool: Spool,
    omitted: BTreeMap<ShownPath, String>,
    pub(super) errors: Vec<PathIssue>,
    pub(super) warnings: Vec<PathIssue>,
}

impl EmbedFindings {
    pub(super) fn new(discovery: Discovery, gathered: Gathered) -> EmbedFindings {
        let Discovery { mut omitted, mut errors, mut warnings, .. } = discovery;
        omitted.extend(gathered.omitted);
        errors.extend(gathered.errors);
        warnings.extend(gathered.warnings);
        errors.sort();
        warnings.sort();
        EmbedFindings { entries: gathered.entries, spool: gathered.spool, omitted, errors, warnings }
    }

    pub(super) fn result(&self, included: &[usize]) -> EmbedResult {
        let file = |index: &usize| {
            let FileEntry { shown, size, tokens, .. } = &self.entries[*index];
            let path = shown.text().into_owned();
            EmbeddedFile { path, path_bytes: shown.odd_bytes(), size: *size, tokens: *tokens }
        };
        let omitted = |(shown, reason): (&ShownPath, &String)| {
            let path = shown.text().into_owned();
            OmittedPath { path, path_bytes: shown.odd_bytes(), reason: reason.clone() }
        };
        EmbedResult {
            files: included.iter().map(file).collect(),
            omitted: self.omitted.iter().map(omitted).collect(),
            errors: self.errors.iter().cloned().map(Into::into).collect(),
            warnings: self.warnings.iter().cloned().map(Into::into).collect(),
            ..EmbedResult::default()
        }
    }
}

impl EmbedFindings {
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

pub(super) struct TokenBudget<'a> {
    pub(super) counter: Option<Counter<'a>>,
    pub(super) notes: &'a DocumentNotes,
    pub(super) diff: Option<&'a str>,
    pub(super) params: &'a EmbedParams,
}

impl TokenBudget<'_> {
    pub(super) fn apply(
        &self,
        findings: &mut EmbedFindings,
        names: &NameRules,
    ) -> Result<(Vec<usize>, Option<u64>), RpcError> {
        let all: Vec<usize> = (0..findings.entries.len()).collect();
        let Some(counter) = self.counter else { return Ok((all, None)) };
        let overhead = |included: &[usize]| {
            let (head, tail) = self.document(findings, included, true).frame();
            counter.count(&head) + counter.count(&tail)
        };
        let included = match self.params.max_tokens {
            None => all,
            Some(budget) => {
                let order = budget::by_importance(&findings.entries, &names.priority);
                budget::keep(&findings.entries, &order, budget, overhead).ok_or_else(|| too_small(budget))?
            }
        };
        let sections: u64 = included.iter().map(|index| findings.entries[*index].cost).sum();
        let tokens = overhead(&included) + if self.params.tree_only { 0 } else { sections };
        for index in missing(&included, findings.entries.len()) {
            let entry = &findings.entries[index];
            findings.omitted.insert(entry.shown.clone(), over_budget(entry));
        }
        if let Some(budget) = self.params.max_tokens.filter(|budget| is_near(tokens, *budget)) {
            let message = format!("The document has {tokens} tokens, near the budget of {budget}");
            findings.warnings.push(PathIssue::warning(&ShownPath::written(""), message));
        }
        Ok((included, Some(tokens)))
    }

    /// `planned`: the entries that are not kept are not among the omitted ones yet.
    pub(super) fn document<'f>(
        &self,
        findings: &'f EmbedFindings,
        included: &[usize],
        planned: bool,
    ) -> EmbedDocument<'f> {
        let entries: Vec<&FileEntry> = included.iter().map(|index| &findings.entries[*index]).collect();
        let over: Vec<&FileEntry> =
            missing(included, findings.entries.len()).map(|index| &findings.entries[index]).collect();
        let mut omitted: BTreeMap<ShownPath, String> = findings.omitted.clone();
        // `apply` has listed these one by one; many of them are listed by folder instead.
        if !planned {
            over.iter().for_each(|entry| drop(omitted.remove(&entry.shown)));
        }
        omitted.extend(gathered(&over));
        let tokens = self
            .notes
            .tokens
            .map(|(_, tokenizer)| (entries.iter().filter_map(|entry| entry.tokens).sum::<u64>(), tokenizer));
        let notes = DocumentNotes {
            files: entries.len() as u64,
            bytes: entries.iter().map(|entry| entry.size).sum(),
            tokens,
            ..self.notes.clone()
        };
        EmbedDocument {
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

fn missing(included: &[usize], count: usize) -> impl Iterator<Item = usize> {
    (0..count).filter(|index| included.binary_search(index).is_err())
}

/// Returns the lines about files over the budget: a line each; if those were many, a line for each folder,
/// for each folder at the top, or for all.
fn gathered(over: &[&FileEntry]) -> Vec<(ShownPath, String)> {
    // A list of files that did not fit must not be what fills the budget.
    if over.len() <= LISTED {
        return over.iter().map(|entry| (entry.shown.clone(), over_budget(entry))).collect();
    }
    let top = |path: &ShownPath| match path.bytes().iter().skip(1).position(|byte| *byte == b'/') {
        Some(end) => ShownPath::written(&String::from_utf8_lossy(&path.bytes()[..=end])),
        None => ShownPath::written(""),
    };
    let groups: [&dyn Fn(&ShownPath) -> ShownPath; 3] =
        [&ShownPath::parent, &top, &|_| ShownPath::written("")];
    let mut lines = BTreeMap::new();
    for group in groups {
        lines = over.iter().fold(BTreeMap::<ShownPath, usize>::new(), |mut lines, entry| {
            *lines.entry(group(&entry.shown).folder()).or_insert(0) += 1;
            lines
        });
        if lines.len() <= LISTED {
            break;
        }
    }
    let line = |(folder, count): (ShownPath, usize)| (folder, format!("{count} files {OVER_BUDGET}"));
    lines.into_iter().map(line).collect()
}
