//! Change events through the library `notify`: the source on macOS.
//!
//! One recursive stream covers a root; it is never edited, for that would end it and begin another, with a
//! gap in between. Events go by path alone and may be merged and late, so the smallest hint is a folder that
//! has to be listed. When the events have come that were due is shown by a cookie ([`Source::sync`]): a new
//! empty file beneath the root, whose event comes after theirs. It has the name of a temporary file of
//! clada's, which no listing shows, and lies in `.git` where there is one, so that programs that watch the
//! project are not woken.
//!
//! The library's panics are out of reach: a name that is not UTF-8, on a file system that allows it, ends the
//! stream's thread. Then no cookie comes back, and every look reads the whole tree; and as the library waits
//! for such a thread for ever, the end of a stream is waited for a moment only.

mod stream;

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use self::stream::{Stream, StreamNode};
use super::source::{ChangeEvent, Source, SourceError, WatchId, WatchTarget};

/// The longest wait for a cookie. Beyond it the whole tree is read, which seldom takes as long.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest wait for a cookie after one that did not come in time.
const IMPATIENCE: Duration = Duration::from_millis(100);

const END: Duration = Duration::from_secs(1);

pub(super) type Handler = Box<dyn FnMut(notify::Result<Event>) + Send>;

pub(super) type NotifyRunning = Box<dyn Send>;

type Begin = dyn Fn(Handler, &Path) -> notify::Result<NotifyRunning> + Send + Sync;

/// The streams of all watched roots.
pub struct Notify {
    begin: Box<Begin>,
    patience: Duration,
    shared: Arc<NotifyShared>,
    /// The watchers by the numbers of their streams. Not among what the library's threads lock: a watcher
    /// that is dropped waits for its thread.
    running: Mutex<HashMap<u64, NotifyRunning>>,
}

impl std::fmt::Debug for Notify {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Notify").field("shared", &self.shared).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct NotifyShared {
    state: Mutex<NotifyState>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct NotifyState {
    streams: HashMap<PathBuf, Stream>,
    last: u64,
    awake: bool,
}

impl Default for Notify {
    fn default() -> Notify {
        Notify::new()
    }
}

impl Notify {
    /// Returns a source without streams: one begins with the first folder of its root.
    #[must_use]
    pub fn new() -> Notify {
        Notify::with(begin, PATIENCE)
    }

    pub(super) fn with(
        begin: impl Fn(Handler, &Path) -> notify::Result<NotifyRunning> + Send + Sync + 'static,
        patience: Duration,
    ) -> Notify {
        Notify { begin: Box::new(begin), patience, shared: Arc::default(), running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<u64, NotifyRunning>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns after its first cookie, so that a stream that reports nothing is not taken for one.
    fn cover(&self, root: &Path) -> Result<(), SourceError> {
        // Held until the stream is there: no other thread begins another one.
        let mut running = self.running();
        if self.shared.state().streams.contains_key(root) {
            return Ok(());
        }
        let node = node_of(&rustix::fs::lstat(root).map_err(SourceError::Folder)?);
        let number = self.shared.state().enter(root, node);
        let (hearing, of) = (Arc::clone(&self.shared), root.to_path_buf());
        let handler: Handler = Box::new(move |event| hearing.hear(&of, number, event));
        let begun = (self.begin)(handler, root).map_err(|error| {
            tracing::warn!(root = %root.display(), %error, "changes cannot be watched");
            SourceError::Limit
        });
        let answered = begun.and_then(|watcher| {
            running.insert(number, watcher);
            self.await_cookie(root)
        });
        if let Err(error) = answered {
            self.shared.state().streams.remove(root);
            let silent = running.remove(&number);
            drop(running);
            release(silent.into_iter().collect());
            return Err(error);
        }
        Ok(())
    }

    fn await_cookie(&self, root: &Path) -> Result<(), SourceError> {
        let (node, patience) = {
            let state = self.shared.state();
            let Some(stream) = state.streams.get(root) else { return Ok(()) };
            (stream.node, if stream.late { IMPATIENCE.min(self.patience) } else { self.patience })
        };
        let until = Instant::now() + patience;
        let cookie = match Cookie::choose(root, node) {
            Ok(cookie) => cookie,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
                self.shared.over(root);
                return Ok(());
            }
            Err(_) => return Err(SourceError::Late),
        };
        let losses = self.shared.expect(root, &cookie.path);
        let come = cookie.make().is_ok() && self.shared.wait_for(root, &cookie.path, losses, until);
        self.shared.forget(root, &cookie.path, come);
        if come { Ok(()) } else { Err(SourceError::Late) }
    }

    fn end(&self, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        let mut running = self.running();
        let ended: Vec<_> = numbers.iter().filter_map(|number| running.remove(number)).collect();
        drop(running);
        release(ended);
    }
}

impl Drop for Notify {
    fn drop(&mut self) {
        release(self.running().drain().map(|(_, watcher)| watcher).collect());
    }
}

impl Source for Notify {
    fn add(&self, place: &WatchTarget<'_>) -> Result<WatchId, SourceError> {
        self.cover(place.root)?;
        let mut state = self.shared.state();
        let NotifyState { streams, last, .. } = &mut *state;
        // It may have ended a moment ago.
        let stream = streams.get_mut(place.root).ok_or(SourceError::Folder(Errno::NOENT))?;
        if place.path == place.root {
            let opened = rustix::fs::fstat(place.descriptor).map_err(SourceError::Folder)?;
            if stream.node != node_of(&opened) {
                return Err(SourceError::Folder(Errno::NOENT));
            }
        }
        Ok(stream.add(place.path, last))
    }

    fn remove(&self, watch: WatchId) {
        let ended = {
            let mut state = self.shared.state();
            let empty = state.streams.iter_mut().find_map(|(root, stream)| {
                (stream.remove(watch) && stream.is_empty()).then(|| (root.clone(), stream.number))
            });
            empty.map(|(root, number)| {
                state.streams.remove(&root);
                number
            })
        };
        if let Some(number) = ended {
            self.end(&[number]);
        }
    }

    fn sync(&self, root: &Path) -> Result<(), SourceError> {
        self.await_cookie(root)
    }

    fn drain(&self, hear: &mut dyn FnMut(ChangeEvent)) -> Result<(), SourceError> {
        let mut events = Vec::new();
        let mut over = Vec::new();
        {
            let mut state = self.shared.state();
            state.streams.values_mut().for_each(|stream| stream.drain(&mut events));
            state.streams.retain(|_, stream| {
                if stream.over {
                    over.push(stream.number);
                }
                !stream.over
            });
        }
        self.end(&over);
        events.into_iter().for_each(hear);
        Ok(())
    }

    fn wait(&self) -> Result<(), SourceError> {
        let mut state = self.shared.state();
        while !state.awake && !state.streams.values().any(Stream::has_news) {
            state = self.shared.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.awake = false;
        Ok(())
    }

    fn wake(&self) {
        self.shared.state().awake = true;
        self.shared.news.notify_all();
    }

    fn capacity(&self) -> usize {
        usize::MAX
    }
}

impl NotifyState {
    fn enter(&mut self, root: &Path, node: StreamNode) -> u64 {
        self.last += 1;
        self.streams.insert(root.to_path_buf(), Stream::new(self.last, root, node));
        self.last
    }
}

impl NotifyShared {
    fn state(&self) -> MutexGuard<'_, NotifyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Receives an event on a thread of the library. It must never wait for a thread that ends a stream.
    fn hear(&self, root: &Path, number: u64, event: notify::Result<Event>) {
        let mut state = self.state();
        // Another stream may have begun while the events of the last one were on their way.
        if let Some(stream) = state.streams.get_mut(root).filter(|stream| stream.number == number) {
            stream.hear(event);
        }
        drop(state);
        self.news.notify_all();
    }

    fn over(&self, root: &Path) {
        if let Some(stream) = self.state().streams.get_mut(root) {
            stream.over = true;
        }
        self.news.notify_all();
    }

    /// Called before the cookie is made. Returns the number of losses so far.
    fn expect(&self, root: &Path, cookie: &Path) -> u64 {
        let mut state = self.state();
        let Some(stream) = state.streams.get_mut(root) else { return 0 };
        stream.expected.push(cookie.to_path_buf());
        stream.losses
    }

    fn wait_for(&self, root: &Path, cookie: &Path, losses: u64, until: Instant) -> bool {
        let mut state = self.state();
        while state.streams.get(root).is_some_and(|stream| stream.waits_for(cookie, losses)) {
            let remaining = until.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return false;
            }
            state = self.news.wait_timeout(state, remaining).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn forget(&self, root: &Path, cookie: &Path, come: bool) {
        if let Some(stream) = self.state().streams.get_mut(root) {
            stream.expected.retain(|expected| expected != cookie);
            stream.late = !come;
        }
    }
}

struct Cookie {
    folder: OwnedFd,
    name: OsString,
    path: PathBuf,
}

impl Cookie {
    fn choose(root: &Path, node: StreamNode) -> Result<Cookie, Errno> {
        let top = open_folder(CWD, root)?;
        if node_of(&rustix::fs::fstat(&top)?) != node {
            return Err(Errno::NOENT);
        }
        let name = clada_fs::temp_name();
        Ok(match own_place(&top, node) {
            Some(git) => Cookie { folder: git, path: root.join(".git").join(&name), name },
            None => Cookie { folder: top, path: root.join(&name), name },
        })
    }

    fn make(&self) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        retry_on_intr(|| rustix::fs::openat(&self.folder, &self.name, flags, mode)).map(drop)
    }
}

impl Drop for Cookie {
    fn drop(&mut self) {
        // There is none if it could not be made.
        let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
    }
}

fn own_place(top: &OwnedFd, node: StreamNode) -> Option<OwnedFd> {
    let git = open_folder(top, Path::new(".git")).ok()?;
    let same = node_of(&rustix::fs::fstat(&git).ok()?).0 == node.0;
    let writable = rustix::fs::accessat(top, c".git", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty());
    (same && writable.is_ok()).then_some(git)
}

fn open_folder(at: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry_on_intr(|| rustix::fs::openat(&at, path, flags, Mode::empty()))
}

fn begin(handler: Handler, root: &Path) -> notify::Result<NotifyRunning> {
    let mut watcher = RecommendedWatcher::new(handler, Config::default().with_follow_symlinks(false))?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

/// Drops watchers. Their threads are gone when this returns, unless the library waits for them in vain.
fn release(watchers: Vec<NotifyRunning>) {
    if watchers.is_empty() {
        return;
    }
    let (ending, ended) = mpsc::channel::<()>();
    let begun = std::thread::Builder::new().name("watch-end".to_owned()).spawn(move || {
        drop(watchers);
        drop(ending);
    });
    if begun.is_ok() {
        // An error either way: the other end is dropped, or the time is over.
        let _ = ended.recv_timeout(END);
    }
}

fn node_of(stat: &rustix::fs::Stat) -> StreamNode {
    // The types of the fields differ between systems.
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
    (stat.st_dev as u64, stat.st_ino as u64)
}
