//! `find`: paths for which tests hold.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clada_exec::words::{Comparison, Ending, Find, Test};
use clada_fs::{FileKind, Form, Ignoring, RootedPath, Specials, Stat, Timestamp, WalkItem, WalkOptions};
use globset::GlobMatcher;

use super::globs::glob;
use super::reading::{CommandReading, ENTRIES, below, reason};
use crate::failure::Failure;

const DAY: i64 = 86_400;

enum CompiledTest {
    All(Vec<CompiledTest>),
    Any(Vec<CompiledTest>),
    Not(Box<CompiledTest>),
    Name(GlobMatcher),
    Path(GlobMatcher),
    Type(Vec<char>),
    Empty,
    Size { than: Comparison, unit: u64 },
    ChangedDays(Comparison),
    NewerThan(Timestamp),
    Print(Ending),
    Prune,
}

struct Candidate<'c> {
    path: &'c RootedPath,
    shown: &'c [u8],
    stat: &'c Stat,
    /// True if it is not gone into.
    pruned: bool,
}

pub(super) fn check(find: &Find) -> Result<(), Failure> {
    compile(&find.test, &mut |_| Ok(Timestamp { seconds: 0, nanoseconds: 0 })).map(|_| ())
}

fn compile(
    test: &Test,
    time_of: &mut dyn FnMut(&str) -> Result<Timestamp, Failure>,
) -> Result<CompiledTest, Failure> {
    let mut all = |tests: &[Test]| -> Result<Vec<CompiledTest>, Failure> {
        tests.iter().map(|test| compile(test, time_of)).collect()
    };
    Ok(match test {
        Test::All(tests) => CompiledTest::All(all(tests)?),
        Test::Any(tests) => CompiledTest::Any(all(tests)?),
        Test::Not(test) => CompiledTest::Not(Box::new(compile(test, time_of)?)),
        Test::Name { glob: written, any_case } => CompiledTest::Name(glob(written, *any_case)?),
        Test::Path { glob: written, any_case } => CompiledTest::Path(glob(written, *any_case)?),
        Test::Type(kinds) => CompiledTest::Type(kinds.clone()),
        Test::Empty => CompiledTest::Empty,
        Test::Size { than, unit } => CompiledTest::Size { than: *than, unit: *unit },
        Test::ChangedDays(than) => CompiledTest::ChangedDays(*than),
        Test::NewerThan(file) => CompiledTest::NewerThan(time_of(file)?),
        Test::Print(ending) => CompiledTest::Print(*ending),
        Test::Prune => CompiledTest::Prune,
    })
}

impl CommandReading<'_> {
    pub(super) fn find(&mut self, find: &Find, paths: &[(String, RootedPath)]) -> Result<(), Failure> {
        let test = compile(&find.test, &mut |written| {
            let path = self.path_of(written)?;
            let stat = self.roots.lstat(&path)?;
            Ok(stat.ok_or_else(|| super::reading::missing(&path))?.mtime)
        })?;
        for (written, path) in paths {
            match self.roots.lstat(path) {
                Ok(Some(stat)) => {
                    let stat = self.roots.to_show(path, stat);
                    self.find_below(find, &test, (written, path), &stat);
                }
                Ok(None) => self.not_found(written, "No such file or directory"),
                Err(error) => self.not_found(written, reason(&error)),
            }
        }
        self.report_secrets("find");
        Ok(())
    }

    fn not_found(&mut self, shown: &str, reason: &str) {
        self.out.complain(&format!("find: '{shown}': {reason}"));
        self.out.status(1);
    }

    fn find_below(
        &mut self,
        find: &Find,
        test: &CompiledTest,
        (written, start): (&str, &RootedPath),
        stat: &Stat,
    ) {
        let shown = written.as_bytes();
        let mut candidate = Candidate { path: start, shown, stat, pruned: false };
        // The start itself is at depth 0, and no entry of the walk.
        if find.least_depth == 0 {
            self.holds(test, &mut candidate);
        }
        if stat.kind != FileKind::Directory || find.most_depth == Some(0) || candidate.pruned {
            return;
        }
        let options = WalkOptions {
            ignoring: Ignoring::Nothing,
            specials: Specials::Reported,
            max_entries: ENTRIES,
            cancelled: self.stopped,
            ..WalkOptions::default()
        };
        let mut walk = match self.roots.walk(start, options) {
            Ok(walk) => walk,
            Err(error) => return self.not_found(written, reason(&error)),
        };
        while let Some(item) = walk.next() {
            match item {
                WalkItem::Entry { path, stat } => {
                    let way = path.relative().strip_prefix(start.relative()).unwrap_or(path.relative());
                    let (shown, stat) =
                        (below(shown, way.as_os_str().as_bytes()), self.roots.to_show(&path, stat));
                    let depth = way.iter().count();
                    let mut candidate = Candidate { path: &path, shown: &shown, stat: &stat, pruned: false };
                    if depth >= find.least_depth {
                        self.holds(test, &mut candidate);
                    }
                    if candidate.pruned || find.most_depth.is_some_and(|most| depth >= most) {
                        walk.pass_over(&path);
                    }
                }
                WalkItem::Withheld { is_dir: false, .. } => self.secrets += 1,
                WalkItem::Withheld { .. } | WalkItem::Ignored { .. } => {}
                WalkItem::Error(error) => {
                    let shown = self.shown_in(error.path(), start, written);
                    self.not_found(&shown, reason(&error));
                }
                WalkItem::Truncated => self.out.cut(),
            }
            if self.out.is_full() {
                return;
            }
        }
    }

    /// Returns true if `test` holds. What it shows on the way is written.
    fn holds(&mut self, test: &CompiledTest, candidate: &mut Candidate<'_>) -> bool {
        match test {
            CompiledTest::All(tests) => tests.iter().all(|test| self.holds(test, candidate)),
            CompiledTest::Any(tests) => tests.iter().any(|test| self.holds(test, candidate)),
            CompiledTest::Not(test) => !self.holds(test, candidate),
            CompiledTest::Name(glob) => glob.is_match(as_path(last_name(candidate.shown))),
            CompiledTest::Path(glob) => glob.is_match(as_path(candidate.shown)),
            CompiledTest::Type(kinds) => self.kind_of(candidate).is_some_and(|kind| kinds.contains(&kind)),
            CompiledTest::Empty => match candidate.stat.kind {
                FileKind::File => candidate.stat.size == 0,
                FileKind::Directory => {
                    self.roots.list(candidate.path, 1).is_ok_and(|listing| listing.entries.is_empty())
                }
                FileKind::Symlink | FileKind::Special => false,
            },
            CompiledTest::Size { than, unit } => compare(candidate.stat.size.div_ceil(*unit), *than),
            CompiledTest::ChangedDays(than) => changed_days(candidate.stat.mtime, self.now, *than),
            CompiledTest::NewerThan(time) => candidate.stat.mtime > *time,
            CompiledTest::Print(ending) => {
                let end: &[u8] = if *ending == Ending::Nul { b"\0" } else { b"\n" };
                self.out.say(&[candidate.shown, end].concat());
                true
            }
            CompiledTest::Prune => {
                candidate.pruned = true;
                true
            }
        }
    }

    fn kind_of(&self, candidate: &Candidate<'_>) -> Option<char> {
        Some(match candidate.stat.kind {
            FileKind::File => 'f',
            FileKind::Directory => 'd',
            FileKind::Symlink => 'l',
            FileKind::Special => match self.roots.facts(candidate.path).ok()??.form {
                Form::Fifo => 'p',
                Form::Socket => 's',
                Form::BlockDevice => 'b',
                Form::CharacterDevice => 'c',
                _ => return None,
            },
        })
    }

    pub(super) fn shown_in(&self, path: &str, start: &RootedPath, written: &str) -> String {
        let way = Path::new(path).strip_prefix(start.written()).unwrap_or(Path::new(path));
        String::from_utf8_lossy(&below(written.as_bytes(), way.as_os_str().as_bytes())).into_owned()
    }
}

/// Compares the number of whole days since `time` with `than`. What is yet to come is less than any number of
/// days ago.
fn changed_days(time: Timestamp, now: Timestamp, than: Comparison) -> bool {
    let days = now.seconds.saturating_sub(time.seconds).div_euclid(DAY);
    match u64::try_from(days) {
        Ok(days) => compare(days, than),
        Err(_) => matches!(than, Comparison::Less(_)),
    }
}

fn compare(number: u64, than: Comparison) -> bool {
    match than {
        Comparison::More(other) => number > other,
        Comparison::Less(other) => number < other,
        Comparison::Just(other) => number == other,
    }
}

fn last_name(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(path.len().min(1), |at| at + 1);
    let path = &path[..end];
    let start = path.iter().rposition(|byte| *byte == b'/').filter(|at| at + 1 < end);
    &path[start.map_or(0, |at| at + 1)..]
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_is_without_slashes() {
        for (path, name) in [("a/b", "b"), ("a/b//", "b"), (".", "."), ("./", "."), ("/", "/"), ("", "")] {
            assert_eq!(last_name(path.as_bytes()), name.as_bytes(), "{path}");
        }
    }

    #[test]
    fn days_are_whole_ones() {
        let at = |seconds| Timestamp { seconds, nanoseconds: 0 };
        let days = |ago, than| changed_days(at(10 * DAY - ago), at(10 * DAY), than);
        assert!(days(DAY - 1, Comparison::Just(0)) && days(DAY, Comparison::Just(1)));
        assert!(days(DAY - 1, Comparison::Less(1)) && !days(DAY, Comparison::Less(1)));
        assert!(!days(2 * DAY - 1, Comparison::More(1)) && days(2 * DAY, Comparison::More(1)));
        assert!(days(-5 * DAY, Comparison::Less(1)) && !days(-5 * DAY, Comparison::More(0)));
    }
}
