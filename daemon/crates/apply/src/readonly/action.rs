//! Carries out the read-only actions: reading, listing, searching.
//!
//! Bounded: what does not fit into the result is not read. Secrets and denied paths are not shown, symbolic
//! links not followed unless the configuration says so.

use std::cell::Cell;
use std::path::Path;

use clada_edit::{EditError, LineRange, Text};
use clada_exec::words::Syntax;
use clada_fs::{FileKind, RootedPath, Roots, Stat, Timestamp, WalkItem, WalkOptions};
use clada_protocol::{ActionData, AtPath, ErrorKind, FoundLine, ListedEntry, ReadFile, ReadFiles};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use serde::Serialize;

use super::part_of_line::part_of_line;
use crate::context::change;
use crate::effect::{PathGlob, ReadOnlyAction};
use crate::failure::{Failure, unread};
use crate::results::report;
use crate::results::weight::{text_weight, weight};
use crate::rules::Rules;

/// Bytes of files that one operation reads whole, many times what a result holds: a file that does not fit
/// into the result, or only a line of which is wanted, is read to find that out, and an answer may ask for it
/// ten thousand times.
pub(crate) const WHOLE_FILE_BYTES: u64 = 256 << 20;
const MAX_ENTRIES: usize = 5_000_000;
/// Bytes of memory that a search of one file may take: a longer line ends the search of its file.
pub(crate) const SEARCH_HEAP: usize = 32 << 20;

/// Runs `action` and returns what it finds, in at most about `room` bytes. `unread` is how many bytes of files
/// may still be read whole.
///
/// # Errors
/// A failure of the action. What is withheld below a folder, or cannot be read there, fails nothing.
pub(crate) fn run(
    roots: &Roots,
    rules: &Rules,
    action: &ReadOnlyAction,
    room: usize,
    unread: &Cell<u64>,
    stopped: &dyn Fn() -> bool,
) -> Result<ReadOnlyOutput, Failure> {
    let runner = ReadOnlyRunner::new(roots, rules, room, unread, stopped);
    match action {
        ReadOnlyAction::Read(path) => runner.read(path),
        ReadOnlyAction::Numbered { path, lines, delimiter } => {
            runner.numbered(path, lines.as_deref(), delimiter)
        }
        ReadOnlyAction::ReadMany(files) => runner.read_many(files),
        ReadOnlyAction::List(path) => runner.list(path),
        ReadOnlyAction::Grep { pattern, meant, path, include } => {
            let mut seen = runner.grep(pattern, path, include.as_ref())?;
            // Nothing was found: the text may have been meant as an expression, which is worth a note if that
            // finds it.
            if let Some((syntax, meant)) = meant
                && matches!(&seen.data, ActionData::Lines(lines) if lines.is_empty())
                && !seen.truncated
            {
                seen.note = runner.grep(meant, path, include.as_ref())?.would_be_found(*syntax);
            }
            Ok(seen)
        }
        ReadOnlyAction::Context(context_change) => {
            change(roots, &rules.working_set, context_change).map(ReadOnlyOutput::whole)
        }
        ReadOnlyAction::Glob { pattern, base } => runner.glob(pattern, base),
        ReadOnlyAction::Command { command, folder, paths } => runner.command(command, folder, paths),
    }
}

pub(crate) struct ReadOnlyRunner<'a> {
    pub(crate) roots: &'a Roots,
    pub(crate) rules: &'a Rules,
    pub(crate) room: usize,
    unread: &'a Cell<u64>,
    pub(crate) stopped: &'a dyn Fn() -> bool,
}

impl<'a> ReadOnlyRunner<'a> {
    pub(crate) fn new(
        roots: &'a Roots,
        rules: &'a Rules,
        room: usize,
        unread: &'a Cell<u64>,
        stopped: &'a dyn Fn() -> bool,
    ) -> ReadOnlyRunner<'a> {
        ReadOnlyRunner { roots, rules, room, unread, stopped }
    }

    fn read(&self, path: &RootedPath) -> Result<ReadOnlyOutput, Failure> {
        let stat = self.roots.lstat(path)?;
        // What does not fit anyway is not read: ten thousand reads of a large file cost as little as one.
        if stat
            .is_some_and(|stat| stat.size > self.room as u64 && stat.size <= self.rules.max_file_size as u64)
        {
            return Ok(ReadOnlyOutput::nothing(path));
        }
        let Some(text) = self.text(path)? else { return Ok(ReadOnlyOutput::nothing(path)) };
        Ok(ReadOnlyOutput::read(path, text, None))
    }

    fn numbered(
        &self,
        path: &RootedPath,
        lines: Option<&str>,
        delimiter: &str,
    ) -> Result<ReadOnlyOutput, Failure> {
        let Some(bytes) = self.bytes(path)? else { return Ok(ReadOnlyOutput::nothing(path)) };
        let text = decode(&bytes, path)?;
        match clada_edit::numbered(&text, lines, delimiter, self.room) {
            Ok(numbered) => {
                let count = text.line_count();
                let last = lines.and_then(|lines| LineRange::parse(lines, usize::MAX).ok());
                let past_end = last
                    .filter(|range| range.last > count)
                    .map(|_| format!("the file has {count} line{}", if count == 1 { "" } else { "s" }));
                Ok(ReadOnlyOutput::read(path, numbered, past_end))
            }
            Err(EditError::TooLarge { .. }) => Ok(ReadOnlyOutput::nothing(path)),
            Err(error) => Err(Failure::from_edit(&error, path)),
        }
    }

    /// Reads what can be read of `files`; it fails if something cannot be.
    fn read_many(&self, files: &[Result<RootedPath, (String, Failure)>]) -> Result<ReadOnlyOutput, Failure> {
        let (mut paths, mut content) = (Vec::new(), String::new());
        let mut errors: Vec<(&str, Failure)> = Vec::new();
        let mut weight = 0;
        for file in files {
            let read = match file {
                // What comes after the room is used up could not be shown anyway.
                Ok(_) if weight > self.room => break,
                Ok(path) => match self.text(path) {
                    Ok(Some(text)) => Ok((path, text)),
                    Ok(None) => break,
                    Err(failure) => Err((path.written(), failure)),
                },
                Err((path, failure)) => Err((path.as_str(), failure.clone())),
            };
            match read {
                Ok((path, text)) => {
                    weight += text_weight(&text);
                    if !content.is_empty() && !content.ends_with('\n') {
                        content.push('\n');
                    }
                    content.push_str(&format!("=== {} ===\n", path.written()));
                    content.push_str(&text);
                    paths.push(path.written().to_owned());
                }
                Err((path, failure)) => errors.push((path, failure)),
            }
        }
        let left_out = paths.len() + errors.len() < files.len();
        let mut read = ReadFiles { paths: Some(paths), content: Some(content), ..ReadFiles::default() };
        let failed = errors.iter().map(|(path, failure)| (*path, failure));
        let failure =
            unread(files.len(), failed, || ReadFiles { truncated: left_out, ..std::mem::take(&mut read) });
        match failure {
            Some(failure) => Err(failure),
            None => {
                let data = ActionData::ReadFiles(read);
                Ok(ReadOnlyOutput { data, truncated: left_out, no_room: left_out, note: None })
            }
        }
    }

    /// The text of a file; `None` if the operation has read enough.
    fn text(&self, path: &RootedPath) -> Result<Option<String>, Failure> {
        let Some(bytes) = self.bytes(path)? else { return Ok(None) };
        decode(&bytes, path)?;
        let text = String::from_utf8(bytes).unwrap_or_default();
        Ok(Some(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }))
    }

    pub(crate) fn bytes(&self, path: &RootedPath) -> Result<Option<Vec<u8>>, Failure> {
        if self.unread.get() == 0 {
            return Ok(None);
        }
        let bytes = self.roots.read_following(path, self.rules.max_file_size as u64)?.bytes;
        self.unread.set(self.unread.get().saturating_sub(bytes.len() as u64));
        Ok(Some(bytes))
    }

    fn list(&self, path: &RootedPath) -> Result<ReadOnlyOutput, Failure> {
        let path = self.followed(path)?;
        let listing = self.roots.list(&path, self.rules.max_results)?;
        let entries = listing
            .entries
            .iter()
            .filter_map(|entry| {
                let stat = self.roots.to_show(&self.roots.join(&path, &entry.name).ok()?, entry.stat);
                Some(ListedEntry {
                    name: entry.name.as_os_str().into(),
                    kind: kind_name(stat.kind).to_owned(),
                    size: stat.size,
                    modified: rfc3339(stat.mtime),
                })
            })
            .collect();
        let data = ActionData::Listing(entries);
        Ok(ReadOnlyOutput { data, truncated: listing.truncated, no_room: false, note: None })
    }

    fn grep(
        &self,
        pattern: &RegexMatcher,
        path: &RootedPath,
        include: Option<&PathGlob>,
    ) -> Result<ReadOnlyOutput, Failure> {
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(SEARCH_HEAP))
            .line_number(true)
            .build();
        let mut matches = Matches::default();
        let path = self.followed(path)?;
        let is_folder = self.roots.lstat(&path)?.is_some_and(|stat| stat.kind == FileKind::Directory);
        if !is_folder {
            self.grep_file(&mut searcher, pattern, &path, &mut matches)?;
            return Ok(matches.seen(ActionData::Lines));
        }
        let walked = self.walk(&path, |file, stat| {
            let included = include.is_none_or(|glob| included(glob, file, &path));
            if stat.kind == FileKind::File && included {
                // A file that cannot be read is one without matches: the walk goes on.
                let _ = self.grep_file(&mut searcher, pattern, file, &mut matches);
            }
            !matches.truncated
        })?;
        matches.truncated |= walked == Walked::Partly;
        Ok(matches.seen(ActionData::Lines))
    }

    /// Adds the lines of one file that contain the pattern; a binary file has none.
    fn grep_file(
        &self,
        searcher: &mut Searcher,
        pattern: &RegexMatcher,
        file: &RootedPath,
        matches: &mut Matches<FoundLine>,
    ) -> Result<(), Failure> {
        let reader = self.roots.open_reader_following(file)?;
        let mut hits = Hits {
            runner: self,
            pattern,
            file: &self.roots.absolute(file),
            matches,
            first: 0,
            binary: false,
        };
        hits.first = hits.matches.results.len();
        let searched = searcher.search_reader(pattern, reader, &mut hits);
        if hits.binary {
            let first = hits.first;
            matches.results.truncate(first);
        }
        searched.map_err(|error| {
            let issue = format!("Cannot search the file: {error}:");
            Failure::at(ErrorKind::Io, &issue, file.written(), "IO")
        })
    }

    fn glob(&self, pattern: &PathGlob, base: &RootedPath) -> Result<ReadOnlyOutput, Failure> {
        let base = self.followed(base)?;
        let mut matches = Matches::default();
        let walked = self.walk(&base, |file, stat| {
            let relative = file.relative().strip_prefix(base.relative()).unwrap_or(file.relative());
            if stat.kind != FileKind::Directory && pattern.set.is_match(relative) {
                return matches.push(self.roots.absolute(file).to_string_lossy().into_owned(), self);
            }
            true
        })?;
        matches.truncated |= walked == Walked::Partly;
        Ok(matches.seen(ActionData::Paths))
    }

    /// Shows `visit` the files and links below `folder` that are not ignored, until it has enough.
    fn walk(
        &self,
        folder: &RootedPath,
        mut visit: impl FnMut(&RootedPath, &Stat) -> bool,
    ) -> Result<Walked, Failure> {
        let options =
            WalkOptions { max_entries: MAX_ENTRIES, cancelled: self.stopped, ..WalkOptions::default() };
        for item in self.roots.walk(folder, options)? {
            match item {
                WalkItem::Entry { path, stat }
                    if stat.kind != FileKind::Directory && !visit(&path, &stat) =>
                {
                    return Ok(Walked::Whole);
                }
                WalkItem::Truncated => return Ok(Walked::Partly),
                _ => {}
            }
        }
        Ok(if (self.stopped)() { Walked::Partly } else { Walked::Whole })
    }

    fn followed(&self, path: &RootedPath) -> Result<RootedPath, Failure> {
        let is_link = self.roots.lstat(path)?.is_some_and(|stat| stat.kind == FileKind::Symlink);
        Ok(if is_link && self.rules.follow_symlinks { self.roots.follow(path)? } else { path.clone() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Walked {
    Whole,
    Partly,
}

#[derive(Debug)]
pub(crate) struct ReadOnlyOutput {
    /// Its data.
    pub data: ActionData,
    /// There is more.
    pub truncated: bool,
    /// There is more because the result has no room for it.
    pub no_room: bool,
    /// A note about it for the caller.
    pub note: Option<String>,
}

impl ReadOnlyOutput {
    fn nothing(path: &RootedPath) -> ReadOnlyOutput {
        let data = ActionData::AtPath(AtPath { path: path.written().to_owned() });
        ReadOnlyOutput { data, truncated: true, no_room: true, note: None }
    }

    fn read(path: &RootedPath, content: String, past_end: Option<String>) -> ReadOnlyOutput {
        let path = path.written().to_owned();
        ReadOnlyOutput::whole(ActionData::Read(ReadFile { path, content: Some(content), past_end }))
    }

    pub(crate) fn whole(data: ActionData) -> ReadOnlyOutput {
        ReadOnlyOutput { data, truncated: false, no_room: false, note: None }
    }
}

impl ReadOnlyOutput {
    /// Says how many lines these are, which `grep` would have found if its pattern had been one of `syntax`.
    fn would_be_found(&self, syntax: Syntax) -> Option<String> {
        let ActionData::Lines(lines) = &self.data else { return None };
        let first = lines.first()?;
        let (file, number) = (first.file.text(), first.line_number);
        let summary = report::lines_found(lines.len(), self.truncated);
        let (name, command) = match syntax {
            Syntax::Extended => ("an extended", "grep -rnE"),
            _ => ("a basic", "grep -rn"),
        };
        Some(format!(
            "No line holds pattern as plain text. As {name} regular expression it matches {summary}, first line {number} of \
             '{file}'; `{command}` looks for those."
        ))
    }
}

#[derive(Debug)]
struct Matches<T> {
    results: Vec<T>,
    weight: usize,
    truncated: bool,
    no_room: bool,
}

impl<T> Default for Matches<T> {
    fn default() -> Matches<T> {
        Matches { results: Vec::new(), weight: 0, truncated: false, no_room: false }
    }
}

impl<T: Serialize> Matches<T> {
    /// Adds a result if there is room; whether there was.
    fn push(&mut self, result: T, runner: &ReadOnlyRunner<'_>) -> bool {
        self.weight += weight(&result);
        self.no_room |= self.weight > runner.room;
        if self.no_room || self.results.len() >= runner.rules.max_results {
            self.truncated = true;
        } else {
            self.results.push(result);
        }
        !self.truncated
    }

    fn seen(self, shape: fn(Vec<T>) -> ActionData) -> ReadOnlyOutput {
        let Matches { results, truncated, no_room, .. } = self;
        ReadOnlyOutput { data: shape(results), truncated, no_room, note: None }
    }
}

struct Hits<'h, 'l> {
    runner: &'h ReadOnlyRunner<'l>,
    pattern: &'h RegexMatcher,
    file: &'h Path,
    matches: &'h mut Matches<FoundLine>,
    first: usize,
    binary: bool,
}

impl Sink for Hits<'_, '_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, std::io::Error> {
        let line = matched.bytes();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let limit = self.runner.rules.grep_line;
        let place = self.pattern.find(line).ok().flatten().map_or(0..0, |place| place.start()..place.end());
        let hit = FoundLine {
            file: self.file.as_os_str().into(),
            line_number: matched.line_number().unwrap_or_default(),
            line: part_of_line(line, &place, limit),
            truncated: line.len() > limit,
        };
        Ok(self.matches.push(hit, self.runner) && !(self.runner.stopped)())
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, std::io::Error> {
        self.binary = true;
        Ok(false)
    }
}

/// Returns true if `include` matches: a glob without `/` the file's name, one with `/` the way from the
/// folder searched.
fn included(include: &PathGlob, file: &RootedPath, folder: &RootedPath) -> bool {
    if include.has_folders {
        let relative = file.relative().strip_prefix(folder.relative()).unwrap_or(file.relative());
        include.set.is_match(relative)
    } else {
        file.file_name().is_some_and(|name| include.set.is_match(name))
    }
}

fn decode<'b>(bytes: &'b [u8], path: &RootedPath) -> Result<Text<'b>, Failure> {
    Text::decode(bytes).map_err(|error| Failure::from_edit(&EditError::NotText(error), path))
}

fn kind_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::File => "file",
        FileKind::Directory => "directory",
        FileKind::Symlink => "symlink",
        FileKind::Special => "special",
    }
}

fn rfc3339(time: Timestamp) -> String {
    jiff::Timestamp::from_second(time.seconds).unwrap_or_default().to_string()
}
