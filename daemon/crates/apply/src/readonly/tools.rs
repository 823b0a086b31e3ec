//! The tools of agents that only read: files as they are, the lines that an expression matches, names.
//!
//! Output is text for a model, in the order of paths and within its bounds; what was left out is said, with
//! what to ask for instead. Secrets are named and not shown; what git ignores, `.git`, `.clada` and denied
//! paths are passed over, and links are not followed.
//!
//! ````text
//! src/a.py (lines 10-11 of 40; CRLF)
//! ```
//! def a():
//!     pass
//! ```
//! ````

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use clada_edit::{LineEnds, Text};
use clada_fs::{FileKind, RootedPath, Roots, TextEncoding, Verdict, WalkItem, WalkOptions};
use clada_protocol::{ErrorKind, count_of, fence_around, visible_line, visible_path};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::action::SEARCH_HEAP;
use crate::failure::{Failure, refuse_sealed};

const HITS: usize = 200;
const LINE: usize = 400;
const SECRETS: usize = 5;
const TIME: Duration = Duration::from_secs(20);
const RESERVE: usize = 800;

/// The text of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolText {
    /// The text, every line ended.
    pub text: String,
    /// True if nothing that was asked for is in it.
    pub failed: bool,
}

/// What `search` looks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery {
    /// An expression of Rust's regex crate, matched line by line.
    pub pattern: String,
    /// Files: `*.py`, `src/**`, a folder or a path; `!` before one leaves out. All, if there is none.
    pub globs: Vec<String>,
    /// Lines shown before and after each that matches.
    pub context: usize,
    /// True if upper and lower case are the same.
    pub ignore_case: bool,
}

/// Reads for an agent.
pub struct ReadTools<'a> {
    /// The roots, with the policy of agents.
    pub roots: &'a Roots,
    /// Characters that a text may have.
    pub room: usize,
    /// Bytes of the largest file that is read.
    pub max_file_size: usize,
    /// Returns true if the caller waits no longer.
    pub stopped: &'a dyn Fn() -> bool,
}

impl std::fmt::Debug for ReadTools<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ReadTools").field("room", &self.room).finish_non_exhaustive()
    }
}

impl ReadTools<'_> {
    /// Returns the texts of `files`, each with the lines that are wanted of it (`10-42`, `10-`, `7`; `None`:
    /// all).
    #[must_use]
    pub fn read(&self, files: &[(String, Option<String>)]) -> ToolText {
        let mut text = String::new();
        let (mut room, mut skipped, mut read) = (self.room.saturating_sub(RESERVE), Vec::new(), 0);
        for (written, lines) in files {
            if room == 0 {
                skipped.push(written.as_str());
                continue;
            }
            match self.read_one(written, lines.as_deref(), room) {
                Ok(block) => {
                    read += 1;
                    room = room.saturating_sub(block.chars().count());
                    text.push_str(&block);
                }
                Err(failure) => {
                    let _ = writeln!(text, "ERROR: {}", visible_line(&failure.message));
                    if let Some(hint) = &failure.hint {
                        let _ = writeln!(text, "  {}", visible_line(hint));
                    }
                }
            }
        }
        if !skipped.is_empty() {
            let names: Vec<_> = skipped.iter().take(SECRETS).map(|path| visible_path(path)).collect();
            let more = clada_protocol::and_more(skipped.len().saturating_sub(SECRETS));
            let _ = writeln!(text, "[cut: no room for {}{more}; ask for these alone]", names.join(", "));
        }
        ToolText { text, failed: read == 0 }
    }

    fn read_one(&self, written: &str, lines: Option<&str>, room: usize) -> Result<String, Failure> {
        let path = self.roots.resolve(written)?;
        if self.roots.lstat(&path)?.is_some_and(|stat| stat.kind == FileKind::Directory) {
            let failure = Failure::at(ErrorKind::IsDirectory, "Path is a folder", written, "EISDIR");
            return Err(failure.hint("`list` names the files in it"));
        }
        if matches!(self.roots.verdict_for_read(&path), Verdict::Deny(..)) {
            return Err(Failure::secret(&path));
        }
        refuse_sealed(self.roots, &path)?;
        let bytes = self.roots.read_following(&path, self.max_file_size as u64)?.bytes;
        let (bytes, encoding) = match TextEncoding::decode(&bytes) {
            Some((text, encoding)) => (Cow::Owned(text.into_bytes()), Some(encoding.name)),
            None => (Cow::Borrowed(&bytes[..]), None),
        };
        let text = Text::decode(&bytes)
            .map_err(|error| Failure::from_edit(&clada_edit::EditError::NotText(error), &path))?;
        let count = text.line_count();
        let (first, last) = match lines {
            None => (1, count),
            Some(lines) => range(lines, count).ok_or_else(|| {
                let has = count_of(count, "line");
                let issue =
                    format!("'{}' is not a range of lines, and there are {has}, in", visible_line(lines));
                Failure::at(ErrorKind::InvalidValue, &issue, written, "INVALID_VALUE")
                    .hint("lines are given as 10-42, 10- or 7, from 1")
            })?,
        };
        let (mut shown, mut length, mut end) = (String::new(), 0, first.saturating_sub(1));
        for line in clada_edit::split_lines(text.as_str()).skip(first - 1).take(last + 1 - first) {
            let long = line.body.chars().count() + 1;
            // The first line is shown, cut, even if it alone is longer than the room: otherwise no line of it
            // could be read.
            if length + long > room && end >= first {
                break;
            }
            length += long;
            end += 1;
            let cut: String = line.body.chars().take(room).collect();
            shown.push_str(&cut);
            shown.push('\n');
        }
        let mut facts = Vec::new();
        if (first, end) != (1, count) && count > 0 {
            facts.push(format!("lines {first}-{end} of {count}"));
        }
        match text.line_ends() {
            LineEnds::CrLf => facts.push("CRLF".to_owned()),
            LineEnds::Mixed => facts.push("LF and CRLF mixed".to_owned()),
            _ => {}
        }
        facts.extend(encoding.map(|name| format!("encoding {name}")));
        if bytes.starts_with(b"\xef\xbb\xbf") {
            facts.push("byte order mark".to_owned());
        }
        if end == count && count > 0 && !text.as_str().ends_with(['\n', '\r']) {
            facts.push("no line end at the end".to_owned());
        }
        if text.as_str().is_empty() {
            facts.push("empty".to_owned());
        }
        let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join("; ")) };
        let fence = fence_around(&shown);
        let mut block = format!("{}{facts}\n{fence}\n{shown}{fence}\n", visible_path(written));
        if end < last {
            let _ = writeln!(block, "[cut: lines {}-{last}; ask for {}-]", end + 1, end + 1);
        }
        Ok(block)
    }

    /// Returns the lines that match `query`, by file.
    ///
    /// # Errors
    /// `invalid_value`, for an expression or a glob that is none.
    pub fn search(&self, query: &SearchQuery) -> Result<ToolText, Failure> {
        let matcher = matcher(query)?;
        let globs = Globs::new(&query.globs)?;
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(SEARCH_HEAP))
            .line_number(true)
            .before_context(query.context)
            .after_context(query.context)
            .build();
        let mut output = SearchOutput { room: self.room.saturating_sub(RESERVE), ..SearchOutput::default() };
        let walked = self.walk(|path| {
            if globs.fits(path) {
                search_file(self.roots, &mut searcher, &matcher, path, &mut output);
            }
        })?;
        let mut text = std::mem::take(&mut output.text);
        let (hits, files) = (count_of(output.hits, "line"), count_of(output.files, "file"));
        let ended = if walked.whole { "" } else { ", and not everything was searched" };
        if output.hits == 0 {
            let _ = writeln!(text, "No line matches{ended}.");
        } else if output.shown < output.hits {
            let shown = output.shown;
            let _ = writeln!(text, "[cut: {shown} of {hits} in {files}{ended}; narrow it with `globs`]");
        } else {
            let _ = writeln!(text, "{hits} in {files}{ended}.");
        }
        walked.add_to(&mut text, &globs);
        Ok(ToolText { text, failed: false })
    }

    /// Returns the files that fit `glob`, one a line; without one, all.
    ///
    /// # Errors
    /// `invalid_value`, for a glob that is none.
    pub fn list(&self, glob: Option<&str>) -> Result<ToolText, Failure> {
        let globs = Globs::new(&glob.map(str::to_owned).into_iter().collect::<Vec<_>>())?;
        let (mut text, mut count, mut shown) = (String::new(), 0, 0);
        let (mut room, mut is_full) = (self.room.saturating_sub(RESERVE), false);
        let walked = self.walk(|path| {
            if globs.fits(path) {
                count += 1;
                let name = name(path);
                let long = name.chars().count() + 1;
                is_full |= long > room;
                if !is_full {
                    room -= long;
                    shown += 1;
                    let _ = writeln!(text, "{name}");
                }
            }
        })?;
        let files = count_of(count, "file");
        let ended = if walked.whole { "" } else { ", and not everything was looked at" };
        if count == 0 {
            let _ = writeln!(text, "No file fits{ended}.");
        } else if shown < count {
            let _ = writeln!(text, "[cut: {shown} of {files}{ended}; narrow it with `glob`]");
        } else {
            let _ = writeln!(text, "{files}{ended}.");
        }
        walked.add_to(&mut text, &globs);
        Ok(ToolText { text, failed: false })
    }

    fn walk(&self, mut visit: impl FnMut(&RootedPath)) -> Result<Walked, Failure> {
        let begun = Instant::now();
        let stopped = || begun.elapsed() > TIME || (self.stopped)();
        let options = WalkOptions { cancelled: &stopped, ..WalkOptions::default() };
        let mut walked = Walked { secrets: Vec::new(), whole: true };
        for item in self.roots.walk(&self.roots.resolve(".")?, options)? {
            match item {
                WalkItem::Entry { path, stat } if stat.kind == FileKind::File => visit(&path),
                WalkItem::Withheld { path, kind: ErrorKind::Secret, .. } => walked.secrets.push(path),
                WalkItem::Truncated => walked.whole = false,
                _ => {}
            }
        }
        walked.whole &= !stopped();
        Ok(walked)
    }
}

fn name(path: &RootedPath) -> Cow<'_, str> {
    match path.relative().to_string_lossy() {
        Cow::Borrowed(text) => visible_path(text),
        Cow::Owned(text) => Cow::Owned(visible_path(&text).into_owned()),
    }
}

struct Walked {
    secrets: Vec<RootedPath>,
    /// False if it ended early.
    whole: bool,
}

impl Walked {
    fn add_to(&self, text: &mut String, globs: &Globs) {
        let secrets: Vec<_> = self.secrets.iter().filter(|path| globs.fits(path)).map(name).collect();
        if secrets.is_empty() {
            return;
        }
        let named = secrets[..secrets.len().min(SECRETS)].join(", ");
        let more = clada_protocol::and_more(secrets.len().saturating_sub(SECRETS));
        let _ = writeln!(text, "Held back as secrets: {named}{more}.");
    }
}

struct Globs {
    included: Option<GlobSet>,
    unwanted: GlobSet,
}

impl Globs {
    fn new(written: &[String]) -> Result<Globs, Failure> {
        let (mut included, mut unwanted) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut is_any = true;
        for glob in written.iter().map(|glob| glob.trim()).filter(|glob| !glob.is_empty()) {
            let (set, bare) = match glob.strip_prefix('!') {
                Some(bare) => (&mut unwanted, bare),
                None => {
                    is_any = false;
                    (&mut included, glob)
                }
            };
            let bare = bare.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
            // A name alone fits at any depth; a folder means what is in it.
            let anywhere = if bare.contains('/') { String::new() } else { "**/".to_owned() };
            let bare = if matches!(bare, "" | ".") { "**" } else { bare };
            for form in [format!("{anywhere}{bare}"), format!("{anywhere}{bare}/**")] {
                let built = GlobBuilder::new(&form).literal_separator(true).build().map_err(|error| {
                    let issue = format!("{} in the glob", error.kind());
                    Failure::at(ErrorKind::InvalidValue, &issue, glob, "INVALID_VALUE")
                })?;
                set.add(built);
            }
        }
        let built = |set: GlobSetBuilder| {
            set.build().map_err(|error| {
                let message = format!("The globs cannot be used: {error} (INVALID_VALUE)");
                Failure::with_message(ErrorKind::InvalidValue, message)
            })
        };
        let included = if is_any { None } else { Some(built(included)?) };
        Ok(Globs { included, unwanted: built(unwanted)? })
    }

    fn fits(&self, path: &RootedPath) -> bool {
        let relative = path.relative();
        self.included.as_ref().is_none_or(|globs| globs.is_match(relative))
            && !self.unwanted.is_match(relative)
    }
}

fn matcher(query: &SearchQuery) -> Result<RegexMatcher, Failure> {
    if query.pattern.is_empty() {
        let message = "`pattern` is empty, there is nothing to look for (INVALID_VALUE)".to_owned();
        return Err(Failure::with_message(ErrorKind::InvalidValue, message));
    }
    let built = RegexMatcherBuilder::new()
        .case_insensitive(query.ignore_case)
        .line_terminator(Some(b'\n'))
        .build(&query.pattern);
    built.map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let message = format!("`pattern` cannot be used: {reason} (INVALID_VALUE)");
        Failure::with_message(ErrorKind::InvalidValue, message).hint(
            "it is a regular expression, matched line by line: write `\\(` for a parenthesis, `\\.` for a dot",
        )
    })
}

/// The first and the last of `count` lines that `written` means; `None`, if it is no range or begins behind
/// the last.
fn range(written: &str, count: usize) -> Option<(usize, usize)> {
    let written = written.trim().trim_start_matches(['L', 'l']);
    let (first, last) = match written.split_once(['-', ':', ',']) {
        Some((first, last)) => (first.trim(), last.trim().trim_start_matches(['L', 'l'])),
        None => (written, written),
    };
    let first: usize = first.parse().ok()?;
    let last = if last.is_empty() { count } else { last.parse::<usize>().ok()?.min(count) };
    (first >= 1 && first <= last).then_some((first, last))
}

#[derive(Default)]
struct SearchOutput {
    text: String,
    room: usize,
    hits: usize,
    shown: usize,
    files: usize,
    is_full: bool,
}

fn search_file(
    roots: &Roots,
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    path: &RootedPath,
    output: &mut SearchOutput,
) {
    // A file that cannot be read is one without matches.
    let Ok(reader) = roots.open_reader_following(path) else { return };
    let (before, shown, hits) = (output.text.len(), output.shown, output.hits);
    let mut hits_of = Hits { output, path, is_named: false, last: 0 };
    let searched = searcher.search_reader(matcher, reader, &mut hits_of);
    if searched.is_err() {
        // What was shown of a binary file goes.
        output.text.truncate(before);
        (output.shown, output.hits) = (shown, hits);
    }
    output.files += usize::from(output.hits > hits);
}

struct Hits<'h> {
    output: &'h mut SearchOutput,
    path: &'h RootedPath,
    is_named: bool,
    last: u64,
}

impl Hits<'_> {
    fn show(&mut self, number: Option<u64>, line: &[u8], sign: char) -> bool {
        let number = number.unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let line = visible_line(line.trim_end_matches(['\n', '\r']));
        let mut cut: String = line.chars().take(LINE).collect();
        if cut.len() < line.len() {
            cut.push_str(" [cut]");
        }
        let mut shown = String::new();
        if !self.is_named {
            let _ = writeln!(shown, "{}", name(self.path));
        } else if number > self.last + 1 && sign == '-' {
            shown.push_str("--\n");
        }
        let _ = writeln!(shown, "{number}{sign} {cut}");
        let long = shown.chars().count();
        if long > self.output.room {
            self.output.is_full = true;
            return false;
        }
        self.output.room -= long;
        self.output.text.push_str(&shown);
        (self.is_named, self.last) = (true, number);
        true
    }
}

impl Sink for Hits<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, std::io::Error> {
        self.output.hits += 1;
        if !self.output.is_full
            && self.output.shown < HITS
            && self.show(matched.line_number(), matched.bytes(), ':')
        {
            self.output.shown += 1;
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, std::io::Error> {
        if !self.output.is_full && self.output.shown < HITS {
            self.show(context.line_number(), context.bytes(), '-');
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, std::io::Error> {
        Err(std::io::ErrorKind::InvalidData.into())
    }
}
