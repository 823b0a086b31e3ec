//! One file that is a layer: reads it when it has changed, and remembers the last version that was sound. Knows
//! no other layer; what was made of this one and the others is kept here only because it goes when this goes.

use std::path::Path;
use std::sync::Arc;

use super::layer::Layer;
use super::problem::Origin;
use super::read::{Reading, Source, Stamp};
use super::resolve::Trust;
use super::store::State;

/// A file as it was last seen.
#[derive(Debug)]
pub(super) struct Kept {
    source: Source,
    stamp: Option<Stamp>,
    /// A second reading has found what the first did: two changes within one tick of the file system's clock
    /// look like one.
    settled: bool,
    /// The hash of what was last read.
    seen: Option<blake3::Hash>,
    /// Counts the changes.
    version: u64,
    latest: Arc<Layer>,
    /// The last version that could be used.
    good: Option<Arc<Layer>>,
    /// The hash of its text, if it is there and can be read.
    text: Option<blake3::Hash>,
    /// What was made of it, of which versions of the user's file and of this one: without trust, and with it.
    weighed: [Weighed; 2],
}

/// What was made of a version of the user's file and one of a project's, if anything was.
type Weighed = Option<((u64, u64), Arc<State>)>;

/// What a [`Kept`] file says at the moment.
#[derive(Debug, Default)]
pub(super) struct View {
    /// Counts its changes.
    pub(super) version: u64,
    /// As it is now.
    pub(super) latest: Arc<Layer>,
    /// The last version that could be used.
    pub(super) good: Option<Arc<Layer>>,
    /// The hash of its text, if it is there and can be read.
    pub(super) text: Option<blake3::Hash>,
    /// The file, if there is one to speak of.
    pub(super) origin: Option<Origin>,
}

impl View {
    /// The latest version if it is sound, else the last one that was.
    pub(super) fn usable(&self) -> Option<&Layer> {
        if self.latest.is_sound() { Some(&self.latest) } else { self.good.as_deref() }
    }
}

impl Kept {
    /// A file that has not been read yet.
    pub(super) fn new(source: Source) -> Kept {
        Kept {
            source,
            stamp: None,
            settled: false,
            seen: None,
            text: None,
            version: 0,
            latest: Arc::default(),
            good: None,
            weighed: [None, None],
        }
    }

    /// Reads the file if it has changed; `home` is what `~/` stands for in it.
    pub(super) fn refresh(&mut self, home: Option<&Path>) -> View {
        let known = self.stamp.as_ref().filter(|_| self.settled);
        let reading = self.source.read(known);
        if reading != Reading::Unchanged {
            self.take(reading, home);
        }
        View {
            version: self.version,
            latest: Arc::clone(&self.latest),
            good: self.good.clone(),
            text: self.text,
            origin: Some(self.source.origin()),
        }
    }

    /// Says that the latest version can be used. One that says nothing, such as that of a file which is removed
    /// or emptied for a moment while it is saved, is no version to fall back on: it would lift everything.
    pub(super) fn approve(&mut self) {
        self.good = (!self.latest.is_empty()).then(|| Arc::clone(&self.latest));
    }

    /// What was made of this version and `user` version of the user's file.
    pub(super) fn weighed(&self, user: u64, trust: Trust) -> Option<Arc<State>> {
        let (versions, state) = self.weighed[usize::from(trust == Trust::Given)].as_ref()?;
        (*versions == (user, self.version)).then(|| Arc::clone(state))
    }

    /// Remembers what was made of it.
    pub(super) fn remember(&mut self, user: u64, trust: Trust, state: &Arc<State>) {
        self.weighed[usize::from(trust == Trust::Given)] = Some(((user, self.version), Arc::clone(state)));
    }

    fn take(&mut self, reading: Reading, home: Option<&Path>) {
        let hash = reading.hash();
        self.settled = self.seen == Some(hash);
        self.text = matches!(reading, Reading::Text(..)).then_some(hash);
        let (layer, stamp) = match reading {
            Reading::Absent | Reading::Unchanged => (Layer::default(), None),
            Reading::Text(stamp, _) if self.settled => return self.stamp = stamp,
            Reading::Text(stamp, text) => (Layer::file(self.source.origin(), &text, home), stamp),
            Reading::Unusable(message, advice) => {
                (Layer::unusable(self.source.origin(), message, advice), None)
            }
        };
        self.stamp = stamp;
        if self.settled {
            return;
        }
        self.seen = Some(hash);
        self.latest = Arc::new(layer);
        self.version += 1;
    }
}
