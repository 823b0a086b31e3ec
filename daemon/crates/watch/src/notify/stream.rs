//! One stream: the folders that it covers, and what has to be read because of its events. Pure data.
//!
//! Events name paths. One that can have brought another tree under the name of a covered folder (a rename, a
//! deletion, a new folder) makes everything beneath it doubtful, for what changed while it was elsewhere
//! raised no event here.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_fs::{is_ignore_file, is_outside};
use notify::event::{AccessKind, AccessMode, Event, EventKind, ModifyKind};

use crate::source::{ChangeEvent, WatchId};

pub(super) type StreamNode = (u64, u64);

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) number: u64,
    root: PathBuf,
    pub(super) node: StreamNode,
    by_path: HashMap<Arc<Path>, WatchId>,
    by_watch: HashMap<WatchId, Arc<Path>>,
    dirty: BTreeSet<WatchId>,
    dirty_trees: BTreeSet<WatchId>,
    lost: bool,
    pub(super) losses: u64,
    /// The root was deleted or renamed: the stream reports another folder, or of none.
    pub(super) over: bool,
    pub(super) expected: Vec<PathBuf>,
    pub(super) late: bool,
}

impl Stream {
    pub(super) fn new(number: u64, root: &Path, node: StreamNode) -> Stream {
        Stream {
            number,
            root: root.to_path_buf(),
            node,
            by_path: HashMap::new(),
            by_watch: HashMap::new(),
            dirty: BTreeSet::new(),
            dirty_trees: BTreeSet::new(),
            lost: false,
            losses: 0,
            over: false,
            expected: Vec::new(),
            late: false,
        }
    }

    pub(super) fn add(&mut self, path: &Path, last: &mut u64) -> WatchId {
        if let Some(watch) = self.by_path.get(path) {
            return *watch;
        }
        *last += 1;
        let (watch, path) = (WatchId(*last), Arc::<Path>::from(path));
        self.by_path.insert(Arc::clone(&path), watch);
        self.by_watch.insert(watch, path);
        watch
    }

    pub(super) fn remove(&mut self, watch: WatchId) -> bool {
        let Some(path) = self.by_watch.remove(&watch) else { return false };
        self.by_path.remove(&path);
        self.dirty.remove(&watch);
        self.dirty_trees.remove(&watch);
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_watch.is_empty()
    }

    pub(super) fn has_news(&self) -> bool {
        self.lost || self.over || !self.dirty.is_empty() || !self.dirty_trees.is_empty()
    }

    pub(super) fn waits_for(&self, cookie: &Path, losses: u64) -> bool {
        self.losses == losses && !self.over && self.expected.iter().any(|expected| expected == cookie)
    }

    pub(super) fn hear(&mut self, event: notify::Result<Event>) {
        match event {
            Ok(event) if event.need_rescan() || event.paths.is_empty() => self.lose(),
            Ok(event) if is_reading(event.kind) => {}
            Ok(event) => event.paths.iter().for_each(|path| self.touch(path, event.kind)),
            Err(error) => {
                tracing::warn!(root = %self.root.display(), %error, "the stream of changes has a gap");
                self.lose();
            }
        }
    }

    fn touch(&mut self, path: &Path, kind: EventKind) {
        if let Some(at) = self.expected.iter().position(|cookie| cookie == path) {
            self.expected.swap_remove(at);
            return;
        }
        let moves = !matches!(kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)));
        if path == self.root {
            self.over |= matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
            // Its times change with each cookie; a look that followed would make the next one.
            if moves {
                self.dirty.extend(self.by_path.get(path));
            }
            return;
        }
        // Else it is above the root, or spelled otherwise.
        let beneath = path.starts_with(&self.root);
        let (true, Some(folder), Some(name)) = (beneath, path.parent(), path.file_name()) else {
            return self.lose();
        };
        if is_outside(name) {
            return;
        }
        if let Some(watch) = self.by_path.get(folder) {
            // Where case does not count, git reads rules under any spelling.
            let rules = is_ignore_file(&name.to_ascii_lowercase());
            if rules { &mut self.dirty_trees } else { &mut self.dirty }.insert(*watch);
        }
        if let Some(watch) = self.by_path.get(path) {
            if moves { &mut self.dirty_trees } else { &mut self.dirty }.insert(*watch);
        }
    }

    fn lose(&mut self) {
        self.lost = true;
        self.losses += 1;
    }

    pub(super) fn drain(&mut self, events: &mut Vec<ChangeEvent>) {
        let root = self.by_path.get(self.root.as_path()).copied();
        if self.over {
            events.push(root.map_or(ChangeEvent::Lost, ChangeEvent::Ended));
        } else if std::mem::take(&mut self.lost) {
            events.push(root.map_or(ChangeEvent::Lost, ChangeEvent::LostBeneath));
        }
        let dirty = std::mem::take(&mut self.dirty);
        events.extend(dirty.into_iter().map(ChangeEvent::Entries));
        let trees = std::mem::take(&mut self.dirty_trees);
        events.extend(trees.into_iter().map(ChangeEvent::Tree));
    }
}

/// Returns whether nothing was changed. The library also reports files that are opened and read, by clada as
/// well.
fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, MetadataKind, RemoveKind, RenameMode};

    use super::*;

    const CONTENT: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Content));
    const NAME: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::Any));

    /// Returns the events after one event, of a root with the number 1 and the folder `/p/a` with number 2.
    fn heard(kind: EventKind, path: &str) -> Vec<ChangeEvent> {
        let mut stream = Stream::new(9, Path::new("/p"), (1, 1));
        let mut last = 0;
        stream.add(Path::new("/p"), &mut last);
        stream.add(Path::new("/p/a"), &mut last);
        stream.hear(Ok(Event::new(kind).add_path(path.into())));
        let (has_news, mut events) = (stream.has_news(), Vec::new());
        stream.drain(&mut events);
        assert_eq!(has_news, !events.is_empty());
        events
    }

    #[test]
    fn an_event_means_the_folder_and_a_moved_folder_all_beneath_it() {
        let (root, folder) = (WatchId(1), WatchId(2));
        assert_eq!(heard(CONTENT, "/p/a/f"), [ChangeEvent::Entries(folder)]);
        assert_eq!(heard(NAME, "/p/a/f"), [ChangeEvent::Entries(folder)]);
        assert_eq!(heard(NAME, "/p/a"), [ChangeEvent::Entries(root), ChangeEvent::Tree(folder)]);
        let metadata = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any));
        assert_eq!(heard(metadata, "/p/a"), [ChangeEvent::Entries(root), ChangeEvent::Entries(folder)]);
        let mounted = EventKind::Create(CreateKind::Other);
        assert_eq!(heard(mounted, "/p/a"), [ChangeEvent::Entries(root), ChangeEvent::Tree(folder)]);
        assert_eq!(heard(CONTENT, "/p/a/.GitIgnore"), [ChangeEvent::Tree(folder)]);
        // Not watched: ignored, git's, or clada's own.
        for path in ["/p/target/f", "/p/.git", "/p/.git/index", "/p/.clada-tmp-0123456789abcdef"] {
            assert_eq!(heard(NAME, path), [], "{path}");
        }
    }

    #[test]
    fn the_root_itself_and_what_is_not_beneath_it() {
        let metadata = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any));
        assert_eq!(heard(metadata, "/p"), []);
        assert_eq!(heard(EventKind::Create(CreateKind::Folder), "/p"), [ChangeEvent::Entries(WatchId(1))]);
        for kind in [NAME, EventKind::Remove(RemoveKind::Folder)] {
            assert_eq!(heard(kind, "/p")[..1], [ChangeEvent::Ended(WatchId(1))], "{kind:?}");
        }
        for path in ["/", "/pp/a", "/P/a/f"] {
            assert_eq!(heard(CONTENT, path), [ChangeEvent::LostBeneath(WatchId(1))], "{path}");
        }
    }

    #[test]
    fn a_path_keeps_its_number_until_it_is_removed() {
        let mut stream = Stream::new(9, Path::new("/p"), (1, 1));
        let mut last = 0;
        let first = stream.add(Path::new("/p"), &mut last);
        assert_eq!(stream.add(Path::new("/p"), &mut last), first);
        assert!(stream.remove(first) && !stream.remove(first) && stream.is_empty());
        assert_ne!(stream.add(Path::new("/p"), &mut last), first);
    }
}
