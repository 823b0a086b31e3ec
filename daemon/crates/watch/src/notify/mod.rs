//! Change events through the library `notify`, for comparison with the kernel's own and as a fallback.
//!
//! Each folder is watched by itself: the crawl is clada's, for the library's own one loses entries that are
//! made while it runs. The library's thread hands events over in the order in which the kernel queued them,
//! so the event of a file that is made in clada's own folder proves that everything before it has been handed
//! over. The library does not notice that a folder below a root is unmounted.

mod table;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use self::table::{Node, Table};
use super::inotify::capacity;
use super::source::{Notice, Place, Source, SourceError, WatchId};

/// The longest time in which the library has to hand over what was queued.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most notices that are kept until they are read; with more, they count as lost.
const MAX_NOTICES: usize = 1 << 20;

/// The most attempts to watch a folder that the library releases at the same time.
const TRIES: usize = 10;

/// A watcher of the library.
pub struct Notify {
    shared: Arc<Shared>,
    watcher: Mutex<RecommendedWatcher>,
    /// Held while a caller waits for its file.
    asking: Mutex<u64>,
    folder: tempfile::TempDir,
    capacity: usize,
}

impl std::fmt::Debug for Notify {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Notify").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The state that the library's thread fills.
struct Shared {
    heard: Mutex<Heard>,
    news: Condvar,
    /// The folder of the files that show how far the library has come.
    folder: PathBuf,
}

#[derive(Default)]
struct Heard {
    table: Table,
    notices: VecDeque<Notice>,
    /// The number of the last of clada's own files that the library has reported.
    reached: u64,
    /// The number of losses, which may have included clada's own file.
    losses: u64,
    awake: bool,
}

impl Notify {
    /// Returns a watcher that watches nothing yet but a new folder for its own use, in `temporary`.
    ///
    /// # Errors
    /// If the folder cannot be made, or the system does not allow one more watcher.
    pub fn new(temporary: &Path) -> std::io::Result<Notify> {
        let folder = tempfile::Builder::new().prefix("clada-watch-").tempdir_in(temporary)?;
        let place = folder.path().canonicalize()?;
        let shared =
            Arc::new(Shared { heard: Mutex::default(), news: Condvar::new(), folder: place.clone() });
        let hearing = Arc::clone(&shared);
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(move |event| hearing.hear(event), config);
        let mut watcher = watcher.map_err(std::io::Error::other)?;
        watcher.watch(&place, RecursiveMode::NonRecursive).map_err(std::io::Error::other)?;
        Ok(Notify {
            shared,
            watcher: Mutex::new(watcher),
            asking: Mutex::new(0),
            folder,
            capacity: capacity(),
        })
    }

    fn watcher(&self) -> MutexGuard<'_, RecommendedWatcher> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a watch without the library.
    fn end(&self, watch: WatchId) {
        self.shared.heard().notices.push_back(Notice::Ended(watch));
        self.remove(watch);
    }

    /// Makes clada's own file of that number, and deletes it again.
    fn mark(&self, number: u64) -> Result<(), SourceError> {
        let open = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let make = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let folder =
            rustix::fs::open(self.folder.path(), open, Mode::empty()).map_err(SourceError::Broken)?;
        let name = number.to_string();
        rustix::fs::openat(&folder, &name, make, Mode::RUSR | Mode::WUSR).map_err(SourceError::Broken)?;
        rustix::fs::unlinkat(&folder, &name, AtFlags::empty()).map_err(SourceError::Broken)
    }
}

impl Source for Notify {
    fn add(&self, place: &Place<'_>) -> Result<WatchId, SourceError> {
        let opened = rustix::fs::fstat(place.descriptor).map_err(SourceError::Folder)?;
        let node: Node = (opened.st_dev, opened.st_ino);
        for _ in 0..TRIES {
            // Entered first: what the library releases meanwhile is taken out again.
            let watch = self.shared.heard().enter(place.path, node);
            // Not in the condition: the lock would be held in what follows.
            let watching = self.watcher().watch(place.path, RecursiveMode::NonRecursive);
            if let Err(error) = watching {
                self.end(watch);
                return Err(of_library(&error));
            }
            // The library goes by the path, where another folder may be by now: then that one's watch was
            // taken for this.
            let there = rustix::fs::lstat(place.path).map(|there| (there.st_dev, there.st_ino));
            if there != Ok(node) {
                let other = there.ok().and_then(|there| self.shared.heard().table.of(there));
                [Some(watch), other].into_iter().flatten().for_each(|watch| self.end(watch));
                return Err(SourceError::Folder(there.err().unwrap_or(Errno::NOENT)));
            }
            if self.shared.heard().table.at(place.path) == Some(watch) {
                return Ok(watch);
            }
        }
        Err(SourceError::Folder(Errno::NOENT))
    }

    fn remove(&self, watch: WatchId) {
        let paths = self.shared.heard().table.remove(watch);
        for path in paths {
            // The library may have released it by itself.
            let _ = self.watcher().unwatch(&path);
        }
    }

    fn drain(&self, hear: &mut dyn FnMut(Notice)) -> Result<(), SourceError> {
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + PATIENCE;
        loop {
            *asking += 1;
            let losses = self.shared.heard().losses;
            self.mark(*asking)?;
            if self.shared.reach(*asking, losses, until)? {
                break;
            }
        }
        let notices = std::mem::take(&mut self.shared.heard().notices);
        notices.into_iter().for_each(hear);
        Ok(())
    }

    fn wait(&self) -> Result<(), SourceError> {
        let mut heard = self.shared.heard();
        while heard.notices.is_empty() && !heard.awake {
            heard = self.shared.news.wait(heard).unwrap_or_else(PoisonError::into_inner);
        }
        heard.awake = false;
        Ok(())
    }

    fn wake(&self) {
        self.shared.heard().awake = true;
        self.shared.news.notify_all();
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}

impl Shared {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the library has reported clada's file of that number; `false`: something was lost, perhaps
    /// the file.
    fn reach(&self, number: u64, losses: u64, until: Instant) -> Result<bool, SourceError> {
        let mut heard = self.heard();
        while heard.reached < number && heard.losses == losses {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(SourceError::Late);
            }
            heard = self.news.wait_timeout(heard, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(heard.reached >= number)
    }

    /// Receives an event on the library's thread. It must never wait for a thread that waits for the library.
    fn hear(&self, event: notify::Result<Event>) {
        let mut heard = self.heard();
        match event {
            Ok(event) if !event.need_rescan() => heard.take_in(&event, &self.folder),
            _ => heard.lose(),
        }
        drop(heard);
        self.news.notify_all();
    }
}

impl Heard {
    /// Enters the folder at `path`, which is about to be watched.
    fn enter(&mut self, path: &Path, node: Node) -> WatchId {
        let (watch, ended) = self.table.enter(path, node);
        self.notices.extend(ended.map(Notice::Ended));
        watch
    }

    fn take_in(&mut self, event: &Event, own: &Path) {
        // The library also reports files that are opened and read, by clada as well.
        if matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write)) {
            return;
        }
        let lets_go = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
        );
        for path in &event.paths {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
            if folder == own {
                let number = name.to_str().and_then(|name| name.parse().ok());
                self.reached = self.reached.max(number.unwrap_or(0));
                continue;
            }
            if let Some(watch) = self.table.at(path) {
                self.notices.push_back(Notice::Folder(watch));
            }
            if lets_go {
                self.notices.extend(self.table.let_go(path).into_iter().map(Notice::Ended));
            }
            if let Some(watch) = self.table.at(folder) {
                self.notices.push_back(Notice::Entry(watch, name.to_owned()));
            }
        }
        if self.notices.len() > MAX_NOTICES {
            self.lose();
        }
    }

    fn lose(&mut self) {
        // The ends of watches are kept: nothing else would report them.
        self.notices.retain(|notice| matches!(notice, Notice::Ended(_)));
        self.notices.push_back(Notice::Lost);
        self.losses += 1;
    }
}

fn of_library(error: &notify::Error) -> SourceError {
    match &error.kind {
        ErrorKind::MaxFilesWatch => SourceError::Limit,
        ErrorKind::PathNotFound => SourceError::Folder(Errno::NOENT),
        ErrorKind::Io(error) => match Errno::from_io_error(error) {
            Some(Errno::NOSPC | Errno::NOMEM) => SourceError::Limit,
            errno => SourceError::Folder(errno.unwrap_or(Errno::IO)),
        },
        _ => SourceError::Broken(Errno::IO),
    }
}
