//! The second step: reads each candidate once, decides whether it can be embedded, and keeps its section of
//! the document. Several threads read files; the code that counts files and keeps sections sees them in the
//! order of paths.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

use clada_fs::{DecodedText, FsError, NotText, RootedPath, Roots};
use clada_protocol::{ErrorKind, visible_tags};

use super::discover::FileCandidate;
use super::format::{FileView, Style};
use super::issue::PathIssue;
use super::ordered::in_order;
use super::own_document::is_own_document;
use super::shown::ShownPath;
use super::spool::Spool;
use super::tokens::Counter;

const REPORTED_EVERY: u64 = 64;

pub(super) struct Gathering<'a> {
    pub(super) roots: &'a Roots,
    pub(super) overlays: &'a HashMap<RootedPath, String>,
    pub(super) max_file_size_kb: u64,
    pub(super) folder_limit: FolderLimit,
    pub(super) style: Style,
    pub(super) counter: Option<Counter<'a>>,
    pub(super) tokens_shown: bool,
    /// Sections are made and kept; otherwise only the facts about a file.
    pub(super) sections: bool,
    pub(super) threads: usize,
    pub(super) folders: Vec<PathBuf>,
    pub(super) cancelled: &'a (dyn Fn() -> bool + Sync),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FolderLimit {
    pub(super) inside: Option<u64>,
    pub(super) outside: Option<u64>,
}

impl FolderLimit {
    fn of(self, folder: &ShownPath) -> u64 {
        let limit = if folder.bytes().starts_with(b"/") { self.outside } else { self.inside };
        limit.unwrap_or(u64::MAX)
    }
}

#[derive(Debug)]
pub(super) struct FileEntry {
    pub(super) shown: ShownPath,
    pub(super) size: u64,
    pub(super) tokens: Option<u64>,
    pub(super) cost: u64,
    pub(super) explicit: bool,
    pub(super) changed: bool,
    pub(super) place: Range<u64>,
    /// The hash of a section that may hold what looks like the end of a document.
    pub(super) hash: Option<[u8; 32]>,
}

#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) entries: Vec<FileEntry>,
    pub(super) spool: Spool,
    pub(super) omitted: BTreeMap<ShownPath, String>,
    pub(super) errors: Vec<PathIssue>,
    pub(super) warnings: Vec<PathIssue>,
}

enum GatherOutcome {
    Section(FileSection),
    Refused(NotText),
    TooLarge(u64),
    OwnDocument,
    NoSuchLines(usize),
    Failed(FsError),
}

struct FileSection {
    section: String,
    size: u64,
    tokens: Option<u64>,
    cost: u64,
    hash: Option<[u8; 32]>,
    clamped: Option<usize>,
}

impl Gathering<'_> {
    pub(super) fn run(
        &self,
        candidates: &[FileCandidate],
        progress: &dyn Fn(u64),
    ) -> std::io::Result<Gathered> {
        let mut gathered = Gathered {
            entries: Vec::new(),
            spool: Spool::new(self.folders.clone()),
            omitted: BTreeMap::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
        };
        let mut counts: HashMap<ShownPath, u64> = HashMap::new();
        let (mut done, mut failed) = (0, None);
        // A file and its section; a file that is too large is not read.
        let limit = self.limit();
        let weight = |candidate: &FileCandidate| 2 * candidate.size.min(limit) + 1024;
        in_order(
            candidates,
            self.threads,
            weight,
            |candidate| self.read(candidate),
            |candidate, outcome| {
                if (self.cancelled)() {
                    return ControlFlow::Break(());
                }
                done += 1;
                if done % REPORTED_EVERY == 0 {
                    progress(done);
                }
                match self.take(&mut gathered, &mut counts, candidate, outcome) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        self.judge_folders(&mut gathered, counts);
        failed.map_or(Ok(gathered), Err)
    }

    fn limit(&self) -> u64 {
        self.max_file_size_kb << 10
    }

    fn read(&self, candidate: &FileCandidate) -> GatherOutcome {
        if candidate.size > self.limit() {
            return GatherOutcome::TooLarge(candidate.size);
        }
        if (self.cancelled)() {
            return GatherOutcome::Refused(NotText::Binary);
        }
        let (bytes, size) = match self.bytes(candidate) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                let now = self.roots.lstat(&candidate.place).ok().flatten();
                return GatherOutcome::TooLarge(now.map_or(candidate.size, |now| now.size));
            }
            Err(error) => return GatherOutcome::Failed(error),
        };
        // What nobody sees, a model reads as words.
        let decoded = DecodedText::decode(bytes).map(|text| match visible_tags(&text.text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(shown) => DecodedText { text: shown, ..text },
        });
        let (text, lines) = match (decoded, &candidate.lines) {
            (Ok(text), None) if !candidate.explicit && is_own_document(text.text.as_bytes()) => {
                return GatherOutcome::OwnDocument;
            }
            (Ok(text), None) => return GatherOutcome::Section(self.section(candidate, &text, size)),
            (Ok(text), Some((lines, _))) => (text, lines),
            (Err(refusal), _) => return GatherOutcome::Refused(refusal),
        };
        match lines.of(&text.text) {
            Ok((part, clamped)) => {
                let part = DecodedText { text: part.to_owned(), ..text };
                let section = self.section(candidate, &part, part.text.len() as u64);
                GatherOutcome::Section(FileSection { clamped, ..section })
            }
            Err(count) => GatherOutcome::NoSuchLines(count),
        }
    }

    fn bytes(&self, candidate: &FileCandidate) -> Result<(Vec<u8>, u64), FsError> {
        if let Some(text) = self.overlays.get(&candidate.place) {
            return Ok((text.clone().into_bytes(), text.len() as u64));
        }
        let content = self.roots.read(&candidate.place, self.limit())?;
        Ok((content.bytes, content.stat.size))
    }

    fn section(&self, candidate: &FileCandidate, text: &DecodedText, size: u64) -> FileSection {
        let tokens = self.counter.map(|counter| counter.count(&text.text));
        let mut file_section =
            FileSection { section: String::new(), size, tokens, cost: 0, hash: None, clamped: None };
        if self.sections {
            let file = FileView {
                shown: &candidate.shown,
                file: candidate.lines.as_ref().map_or(&candidate.shown, |(_, file)| file),
                first_line: candidate.lines.as_ref().map_or(1, |(lines, _)| lines.first),
                text,
                size,
                tokens: tokens.filter(|_| self.tokens_shown),
            };
            file_section.section = self.style.section(&file);
            if let Some(counter) = self.counter {
                file_section.cost = cost(counter, &file_section.section, &text.text, tokens.unwrap_or(0));
            }
            let suspect = memchr::memmem::find(file_section.section.as_bytes(), b"<!--").is_some();
            file_section.hash = suspect.then(|| *blake3::hash(file_section.section.as_bytes()).as_bytes());
        }
        file_section
    }

    fn take(
        &self,
        gathered: &mut Gathered,
        counts: &mut HashMap<ShownPath, u64>,
        candidate: &FileCandidate,
        outcome: GatherOutcome,
    ) -> std::io::Result<()> {
        let shown = &candidate.shown;
        let name = shown.text();
        let (reason, issue) = match outcome {
            GatherOutcome::Section(section) => {
                let limit = self.folder_limit.of(shown);
                let count = counts.entry(shown.parent()).or_insert(0);
                *count += 1;
                // The count goes on, so that the error about the folder names all files.
                if *count > limit {
                    let reason = format!("over the limit of {limit} files in a folder");
                    gathered.omitted.insert(shown.clone(), reason);
                    return Ok(());
                }
                if is_near(section.size, self.limit()) {
                    let message = format!(
                        "'{name}' has {} bytes, near the limit of {} KB",
                        section.size, self.max_file_size_kb
                    );
                    gathered.warnings.push(PathIssue::warning(shown, message));
                }
                if let Some(count) = section.clamped {
                    let message =
                        format!("'{name}' names more lines than there are: the file ends with line {count}");
                    gathered.warnings.push(PathIssue::warning(shown, message));
                }
                let place = gathered.spool.add(section.section.as_bytes())?;
                let FileSection { size, tokens, cost, hash, .. } = section;
                let FileCandidate { explicit, changed, .. } = *candidate;
                gathered.entries.push(FileEntry {
                    shown: shown.clone(),
                    size,
                    tokens,
                    cost,
                    explicit,
                    changed,
                    place,
                    hash,
                });
                return Ok(());
            }
            GatherOutcome::Refused(NotText::Binary) => {
                let issue = PathIssue::warning(shown, format!("'{name}' is a binary file"));
                gathered.warnings.push(issue.among("binary files"));
                gathered.omitted.insert(shown.clone(), "binary".to_owned());
                return Ok(());
            }
            GatherOutcome::OwnDocument => {
                let issue = format!(
                    "'{name}' is a document that clada wrote, which is left out; named itself, it is taken"
                );
                gathered.warnings.push(PathIssue::warning(shown, issue).among("documents that clada wrote"));
                gathered.omitted.insert(shown.clone(), "a document that clada wrote".to_owned());
                return Ok(());
            }
            GatherOutcome::Refused(NotText::Undecodable(what)) => {
                let message = format!("'{name}' cannot be decoded: {what}");
                let issue = PathIssue::error(shown, ErrorKind::NotText, message);
                (format!("cannot be decoded: {what}"), issue.among("files that cannot be decoded"))
            }
            GatherOutcome::TooLarge(size) => {
                let limit = self.max_file_size_kb;
                let reason = format!("too large: {size} bytes, the limit is {limit} KB");
                let message = format!(
                    "'{name}' is too large: {size} bytes, the limit is {limit} KB (embed.max_file_size_kb)"
                );
                let among = format!("files of more than {limit} KB (embed.max_file_size_kb)");
                (reason, PathIssue::error(shown, ErrorKind::LimitExceeded, message).among(among))
            }
            GatherOutcome::NoSuchLines(count) => {
                let there = match count {
                    0 => "it has none".to_owned(),
                    1 => "it has 1 line".to_owned(),
                    count => format!("it has {count} lines"),
                };
                let message = format!("'{name}' names lines that are not in the file: {there}");
                let issue = PathIssue::error(shown, ErrorKind::InvalidValue, message);
                (format!("no such lines: {there}"), issue.among("files without the lines that are named"))
            }
            GatherOutcome::Failed(error) => {
                let reason = format!("cannot be read: {} ({})", error.issue(), error.code());
                (reason, PathIssue::error(shown, error.kind(), error.to_string()))
            }
        };
        gathered.omitted.insert(shown.clone(), reason);
        gathered.errors.push(issue);
        Ok(())
    }

    fn judge_folders(&self, gathered: &mut Gathered, counts: HashMap<ShownPath, u64>) {
        let mut counts: Vec<(ShownPath, u64)> = counts.into_iter().collect();
        counts.sort();
        for (folder, count) in counts {
            let limit = self.folder_limit.of(&folder);
            let folder = folder.folder();
            let name = folder.text();
            if count > limit {
                let message = format!(
                    "'{name}' has {count} files to embed, the limit is {limit} a folder \
                     (embed.max_files_per_directory)"
                );
                let among = format!("folders with more than {limit} files (embed.max_files_per_directory)");
                gathered
                    .errors
                    .push(PathIssue::error(&folder, ErrorKind::LimitExceeded, message).among(among));
            } else if is_near(count, limit) && limit >= 10 {
                let message = format!("'{name}' has {count} files to embed, near the limit of {limit}");
                gathered.warnings.push(PathIssue::warning(&folder, message));
            }
        }
    }
}

/// Returns the tokens of `section`, whose content is `text` with so many `tokens`.
fn cost(counter: Counter<'_>, section: &str, text: &str, tokens: u64) -> u64 {
    // Tokens that are counted already are not counted again, unless the section holds the text in another
    // form: escaped, numbered or as base64.
    match memchr::memmem::find(section.as_bytes(), text.as_bytes()) {
        Some(at) => tokens + counter.count(&[&section[..at], &section[at + text.len()..]].concat()),
        None => counter.count(section),
    }
}

pub(super) fn is_near(value: u64, limit: u64) -> bool {
    value.saturating_mul(10) >= limit.saturating_mul(9)
}
