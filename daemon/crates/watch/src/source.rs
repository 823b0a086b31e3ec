//! The source of change events.
//!
//! A source only reports that something may have happened in a folder: the change itself is found by reading.
//! It knows nothing of what is in a project. Called from several threads at once.

use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::io::Errno;

/// The number of a watched folder at its source. A source uses a number once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId(pub u64);

/// A folder that is to be watched.
#[derive(Debug, Clone, Copy)]
pub struct WatchTarget<'a> {
    /// The folder itself, open.
    pub descriptor: BorrowedFd<'a>,
    /// Its absolute path, for a source that knows folders by their names.
    pub path: &'a Path,
    /// The root of its project, for a source that covers whole trees.
    pub root: &'a Path,
}

/// A change event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeEvent {
    /// Something may have happened to this name in the folder.
    Entry(WatchId, OsString),
    /// Something may have happened to any entry of the folder.
    Entries(WatchId),
    /// Something may have happened to any entry of the folder, or anywhere beneath it.
    Tree(WatchId),
    /// Something may have happened to the folder itself.
    Folder(WatchId),
    /// The folder is watched no longer: it is gone, or its file system is.
    Ended(WatchId),
    /// More events came than could be kept; anything may have happened anywhere.
    Lost,
    /// Events were lost in the projects that this folder belongs to.
    LostBeneath(WatchId),
}

/// The reason why a source does not do what it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// No more folders can be watched.
    #[error("no more folders can be watched")]
    Limit,
    /// The folder is gone, or may not be read.
    #[error("the folder cannot be watched ({0})")]
    Folder(Errno),
    /// The source itself fails.
    #[error("the system does not tell of changes any more ({0})")]
    Broken(Errno),
    /// Queued events did not arrive in time.
    #[error("the system did not tell of changes in time")]
    Late,
}

/// Reports changes in the folders that it is given.
pub trait Source: std::fmt::Debug + Send + Sync {
    /// Watches a folder. One that is watched already keeps its number. [`SourceError::Late`]: the system
    /// reports nothing of what changes in its project.
    ///
    /// # Errors
    /// Any [`SourceError`].
    fn add(&self, place: &WatchTarget<'_>) -> Result<WatchId, SourceError>;

    /// Ends the watch of a folder. Does nothing if it is not watched.
    fn remove(&self, watch: WatchId);

    /// Waits until the events of all changes beneath `root` are queued that were finished before this call.
    /// Returns at once from a source where they are when the change is made.
    ///
    /// # Errors
    /// [`SourceError::Late`]; then anything beneath `root` may have been missed.
    fn sync(&self, _root: &Path) -> Result<(), SourceError> {
        Ok(())
    }

    /// Hands over all events that were queued when this was called, perhaps more; never waits for a quiet
    /// moment.
    ///
    /// # Errors
    /// [`SourceError::Broken`]; then anything may have been missed.
    fn drain(&self, emit: &mut dyn FnMut(ChangeEvent)) -> Result<(), SourceError>;

    /// Waits until events may be queued, or another thread calls [`Source::wake`].
    ///
    /// # Errors
    /// [`SourceError::Broken`].
    fn wait(&self) -> Result<(), SourceError>;

    /// Ends a [`Source::wait`], also one that begins later.
    fn wake(&self);

    /// Returns the number of folders that may be watched at all.
    fn capacity(&self) -> usize;
}
