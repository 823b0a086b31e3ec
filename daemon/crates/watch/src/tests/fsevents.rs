//! A stream of events such as macOS has, made of inotify: whatever happens beneath a path, by path alone.
//!
//! The library's own recursion on Linux loses what is made in a folder before it watches that. Here a folder
//! is watched, then listed, and each entry of it is an event.

use std::collections::HashMap;
use std::fs;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use notify::event::{DataChange, Flag, ModifyKind, RemoveKind, RenameMode};
use notify::{Event, EventKind};

use crate::notify::{Handler, NotifyRunning};
use crate::{ChangeEvent, Inotify, Notify, Source, WatchId, WatchTarget};

/// The source of macOS on such streams.
pub(super) fn source() -> Notify {
    Notify::with(begin, std::time::Duration::from_secs(20))
}

/// Begins a stream.
pub(super) fn begin(handler: Handler, root: &Path) -> notify::Result<NotifyRunning> {
    let source = Arc::new(Inotify::new().map_err(|errno| notify::Error::io(errno.into()))?);
    let ending = Arc::new(AtomicBool::new(false));
    let mut stream =
        Stream { source: Arc::clone(&source), root: root.to_path_buf(), paths: HashMap::new(), handler };
    stream.cover(root, false);
    let ended = Arc::clone(&ending);
    let thread = std::thread::spawn(move || {
        while !ended.load(Ordering::SeqCst) {
            stream.source.wait().unwrap();
            stream.pass_on();
        }
    });
    Ok(Box::new(Thread { source, ending, thread: Some(thread) }))
}

struct Thread {
    source: Arc<Inotify>,
    ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::SeqCst);
        self.source.wake();
        self.thread.take().unwrap().join().unwrap();
    }
}

struct Stream {
    source: Arc<Inotify>,
    root: PathBuf,
    paths: HashMap<WatchId, PathBuf>,
    handler: Handler,
}

impl Stream {
    /// Watches a folder and everything beneath it. `reported`: its entries are events.
    fn cover(&mut self, path: &Path, reported: bool) {
        let Ok(folder) = fs::File::open(path) else { return };
        let place = WatchTarget { descriptor: folder.as_fd(), path, root: &self.root };
        let Ok(watch) = self.source.add(&place) else { return };
        self.paths.insert(watch, path.to_path_buf());
        let Ok(entries) = fs::read_dir(path) else { return };
        for entry in entries.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if reported {
                self.happened(&entry.path(), is_folder);
            }
            if is_folder {
                self.cover(&entry.path(), reported);
            }
        }
    }

    fn happened(&mut self, path: &Path, is_folder: bool) {
        let moved = is_folder || fs::symlink_metadata(path).is_err();
        let kind =
            if moved { ModifyKind::Name(RenameMode::Any) } else { ModifyKind::Data(DataChange::Content) };
        (self.handler)(Ok(Event::new(EventKind::Modify(kind)).add_path(path.to_path_buf())));
    }

    fn pass_on(&mut self) {
        let mut events = Vec::new();
        self.source.drain(&mut |event| events.push(event)).unwrap();
        for event in events {
            match event {
                ChangeEvent::Entry(watch, name) => {
                    let Some(folder) = self.paths.get(&watch) else { continue };
                    let path = folder.join(name);
                    let is_folder = fs::symlink_metadata(&path).is_ok_and(|stat| stat.is_dir());
                    self.happened(&path, is_folder);
                    if is_folder {
                        self.cover(&path, true);
                    }
                }
                ChangeEvent::Ended(watch) if self.paths.remove(&watch).as_ref() == Some(&self.root) => {
                    let gone = Event::new(EventKind::Remove(RemoveKind::Folder));
                    (self.handler)(Ok(gone.add_path(self.root.clone())));
                }
                ChangeEvent::Lost => {
                    let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
                    (self.handler)(Ok(lost.add_path(self.root.clone())));
                }
                _ => {}
            }
        }
    }
}
