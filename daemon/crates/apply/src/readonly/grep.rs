//! `grep`: lines of files that fit.

use std::cell::Cell;
use std::os::unix::ffi::OsStrExt;

use clada_exec::words::{Grep, Selection, Shown, Syntax};
use clada_fs::{FileKind, Ignoring, RootedPath, WalkItem, WalkOptions};
use globset::GlobMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::globs::glob;
use super::lines::{LineSink, Watched};
use super::matching::{GrepMatcher, is_extended};
use super::output::Output;
use super::reading::{CommandReading, ENTRIES, below, reason};
use crate::failure::Failure;
use crate::readonly::action::SEARCH_HEAP;
use crate::results::report::lines_found;

/// Bytes of lines that are counted of an expression that was meant.
const ENOUGH: usize = 200_000;

const FIRST_SHOWN: usize = 200;

struct FileFilter {
    files: Vec<(GlobMatcher, Wish)>,
    folders_without: Vec<GlobMatcher>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Read,
    PassOver,
}

impl FileFilter {
    fn new(grep: &Grep) -> Result<FileFilter, Failure> {
        let files = grep.files.iter().map(|selection| match selection {
            Selection::Include(written) => Ok((glob(written, false)?, Wish::Read)),
            Selection::Exclude(written) => Ok((glob(written, false)?, Wish::PassOver)),
        });
        let folders = grep.exclude_folders.iter().map(|written| glob(written.trim_end_matches('/'), false));
        Ok(FileFilter {
            files: files.collect::<Result<_, Failure>>()?,
            folders_without: folders.collect::<Result<_, _>>()?,
        })
    }

    /// The last glob that fits counts; where none does, the first says whether others are read.
    fn file(&self, name: &[u8]) -> bool {
        let name = std::ffi::OsStr::from_bytes(name);
        let wish = self.files.iter().rev().find(|(glob, _)| glob.is_match(name)).map(|(_, wish)| *wish);
        match wish {
            Some(wish) => wish == Wish::Read,
            None => self.files.first().is_none_or(|(_, wish)| *wish == Wish::PassOver),
        }
    }

    fn folder(&self, name: &[u8]) -> bool {
        let name = std::ffi::OsStr::from_bytes(name);
        !self.folders_without.iter().any(|glob| glob.is_match(name))
    }
}

pub(super) fn check(grep: &Grep) -> Result<(), Failure> {
    FileFilter::new(grep)?;
    GrepMatcher::new(grep).map(|_| ())
}

struct Search<'s> {
    grep: &'s Grep,
    matching: GrepMatcher,
    filter: FileFilter,
    searcher: Searcher,
    names: bool,
    selected: bool,
    /// True if lines were shown, so that a sign separates them from others.
    shown: bool,
}

impl CommandReading<'_> {
    pub(super) fn grep(&mut self, grep: &Grep, paths: &[(String, RootedPath)]) -> Result<(), Failure> {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::none())
            .bom_sniffing(false)
            .heap_limit(Some(SEARCH_HEAP))
            .line_number(true)
            .invert_match(grep.invert)
            .before_context(if grep.shown == Shown::Lines { grep.context.0 } else { 0 })
            .after_context(if grep.shown == Shown::Lines { grep.context.1 } else { 0 })
            .max_matches(grep.most)
            .build();
        let (matching, filter) = (GrepMatcher::new(grep)?, FileFilter::new(grep)?);
        for warning in &matching.warnings {
            self.out.complain(&format!("grep: warning: {warning}"));
        }
        let names = grep.names.unwrap_or(paths.len() > 1);
        let mut search = Search { grep, matching, filter, searcher, names, selected: false, shown: false };
        if grep.most != Some(0) {
            for (written, path) in paths {
                self.search(&mut search, written, path);
                if self.has_enough(&search) {
                    break;
                }
            }
        }
        let selected = search.selected;
        drop(search);
        if !selected && self.out.status_now() == 0 {
            self.note = self.meant_as_extended(grep, paths)?;
        }
        // The status is GNU's: an error outweighs what was found, except where only the status is wanted.
        match (self.out.status_now(), selected) {
            (2, true) if grep.shown == Shown::Nothing => self.out.end_with(0),
            (2, _) | (_, true) => {}
            (_, false) => self.out.status(1),
        }
        self.report_secrets("grep");
        Ok(())
    }

    /// Says what `grep` would have found if its basic expressions had been extended ones, if they look like
    /// such.
    fn meant_as_extended(
        &mut self,
        grep: &Grep,
        paths: &[(String, RootedPath)],
    ) -> Result<Option<String>, Failure> {
        let is_meant =
            grep.syntax == Syntax::Basic && grep.patterns.iter().any(|pattern| is_extended(pattern));
        if !is_meant || grep.invert {
            return Ok(None);
        }
        let other = Grep {
            syntax: Syntax::Extended,
            shown: Shown::Lines,
            numbers: true,
            names: Some(true),
            silent: true,
            context: (0, 0),
            ..grep.clone()
        };
        if check(&other).is_err() {
            return Ok(None);
        }
        // The second search must leave no trace but the note: its output and its count of secrets are put
        // back.
        let secrets = self.secrets;
        let own = std::mem::replace(&mut self.out, Output::new(ENOUGH));
        let searched = self.grep(&other, paths);
        let seen = std::mem::replace(&mut self.out, own).seen();
        self.secrets = secrets;
        searched?;
        let lines: Vec<&str> = seen.data.command().map_or("", |data| &data.stdout).lines().collect();
        let Some(first) = lines.first() else { return Ok(None) };
        let summary = lines_found(lines.len(), seen.truncated);
        let first = match first.char_indices().nth(FIRST_SHOWN) {
            Some((end, _)) => format!("{}…", &first[..end]),
            None => (*first).to_owned(),
        };
        Ok(Some(format!(
            "grep read the pattern as a basic regular expression, which no line fits. As an extended one (-E) it matches \
             {summary}, the first: {first}"
        )))
    }

    fn has_enough(&self, search: &Search<'_>) -> bool {
        (self.stopped)() || self.out.is_full() || search.selected && search.grep.shown == Shown::Nothing
    }

    fn cannot_read(&mut self, search: &Search<'_>, shown: &str, reason: &str) {
        if !search.grep.silent {
            self.out.complain(&format!("grep: {shown}: {reason}"));
        }
        self.out.status(2);
    }

    fn search(&mut self, search: &mut Search<'_>, written: &str, path: &RootedPath) {
        let stat = match self.roots.lstat(path) {
            Ok(Some(stat)) => stat,
            Ok(None) => return self.cannot_read(search, written, "No such file or directory"),
            Err(error) => return self.cannot_read(search, written, reason(&error)),
        };
        match (stat.kind, search.grep.recursive) {
            (FileKind::Directory, true) => self.search_below(search, written, path),
            (FileKind::Directory, false) => self.cannot_read(search, written, "Is a directory"),
            _ if !search.filter.file(written.as_bytes()) => {}
            _ => self.search_file(search, written.as_bytes(), path),
        }
    }

    fn search_below(&mut self, search: &mut Search<'_>, written: &str, start: &RootedPath) {
        if !search.filter.folder(written.trim_end_matches('/').as_bytes()) {
            return;
        }
        search.names = search.grep.names.unwrap_or(true);
        // Without a path it looks into the folder that it runs in, of which nothing is shown.
        let folder = if search.grep.paths.is_empty() { "" } else { written };
        let options = WalkOptions {
            ignoring: Ignoring::Nothing,
            max_entries: ENTRIES,
            cancelled: self.stopped,
            ..WalkOptions::default()
        };
        let mut walk = match self.roots.walk(start, options) {
            Ok(walk) => walk,
            Err(error) => return self.cannot_read(search, written, reason(&error)),
        };
        while let Some(item) = walk.next() {
            match item {
                WalkItem::Entry { path, stat } => {
                    let name = path.file_name().unwrap_or_default().as_bytes();
                    if stat.kind == FileKind::Directory && !search.filter.folder(name) {
                        walk.pass_over(&path);
                    }
                    if stat.kind == FileKind::File && search.filter.file(name) {
                        let way = path.relative().strip_prefix(start.relative()).unwrap_or(path.relative());
                        let shown = below(folder.as_bytes(), way.as_os_str().as_bytes());
                        self.search_file(search, &shown, &path);
                    }
                }
                WalkItem::Withheld { path, is_dir: false, .. } => {
                    let name = path.file_name().unwrap_or_default().as_bytes();
                    self.secrets += usize::from(search.filter.file(name));
                }
                WalkItem::Withheld { .. } | WalkItem::Ignored { .. } => {}
                WalkItem::Error(error) => {
                    let shown = self.shown_in(error.path(), start, folder);
                    self.cannot_read(search, &shown, reason(&error));
                }
                WalkItem::Truncated => self.out.cut(),
            }
            if self.has_enough(search) {
                return;
            }
        }
    }

    fn search_file(&mut self, search: &mut Search<'_>, shown: &[u8], path: &RootedPath) {
        let reader = match self.roots.open_reader_following(path) {
            Ok(reader) => reader,
            Err(error) => return self.cannot_read(search, &String::from_utf8_lossy(shown), reason(&error)),
        };
        let (is_binary, ended) = (Cell::new(false), Cell::new(false));
        let reader = Watched { reader, is_binary: &is_binary, stopped: self.stopped, ended: &ended };
        let prefix = if search.names { shown } else { b"" };
        let mut lines = LineSink {
            grep: search.grep,
            parts: search.matching.parts.as_ref(),
            out: &mut self.out,
            stopped: self.stopped,
            file: shown,
            prefix,
            is_binary: &is_binary,
            shown_before: search.shown,
            begun: false,
            count: 0,
        };
        let searched = search.searcher.search_reader(&search.matching.lines, reader, &mut lines);
        // `lines` borrows the output, which is needed again from here on.
        let (count, begun) = (lines.count, lines.begun);
        search.shown |= begun;
        search.selected |= count > 0;
        if let Err(error) = searched
            && !ended.get()
        {
            self.cannot_read(search, &String::from_utf8_lossy(shown), &error.to_string());
        }
        let mut line = shown.to_vec();
        match search.grep.shown {
            Shown::Files if count > 0 => {}
            Shown::FilesWithout if count == 0 => {}
            Shown::Count => {
                let named: &[u8] = if search.names { b":" } else { b"" };
                line = [prefix, named, count.to_string().as_bytes()].concat();
            }
            _ => return,
        }
        line.push(b'\n');
        self.out.say(&line);
    }
}
