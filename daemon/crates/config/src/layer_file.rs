//! One file that is a layer: reads it when it has changed, and keeps the last version that was sound.
//! Knows no other layer. The settings combined from this one and the others are kept here only so
//! that they go when this goes.

use std::path::Path;
use std::sync::Arc;

use super::layer::Layer;
use super::problem::Origin;
use super::read::{FileReading, LayerSource, LayerStamp};
use super::resolve::Trust;
use super::store::ConfigState;

/// One file that is a layer: its last reading, and the last version that was sound.
#[derive(Debug)]
pub(super) struct LayerFile {
    source: LayerSource,
    stamp: Option<LayerStamp>,
    /// True if a second reading has found the same as the first: two changes within one tick of the file
    /// system's clock look like one.
    is_stable: bool,
    seen: Option<blake3::Hash>,
    /// The number of changes so far.
    version: u64,
    latest: Arc<Layer>,
    /// The last version that could be used.
    good: Option<Arc<Layer>>,
    /// The hash of its text, if it exists and can be read.
    text: Option<blake3::Hash>,
    /// The settings made from it, with the versions of the user's file and of this one:
    /// without trust, and with it.
    weighed: [Weighed; 2],
}

/// The settings made from a version of the user's file and one of a project's, if any were.
type Weighed = Option<((u64, u64), Arc<ConfigState>)>;

/// The current reading of a [`LayerFile`].
#[derive(Debug, Default)]
pub(super) struct LayerView {
    /// The number of changes so far.
    pub(super) version: u64,
    /// The current version.
    pub(super) latest: Arc<Layer>,
    /// The last version that could be used.
    pub(super) good: Option<Arc<Layer>>,
    /// The hash of its text, if it exists and can be read.
    pub(super) text: Option<blake3::Hash>,
    /// The file, if there is one.
    pub(super) origin: Option<Origin>,
}

impl LayerView {
    /// Returns the latest version if it is sound, else the last one that was.
    pub(super) fn usable(&self) -> Option<&Layer> {
        if self.latest.is_sound() { Some(&self.latest) } else { self.good.as_deref() }
    }
}

impl LayerFile {
    /// Makes the state of a file that has not been read yet.
    pub(super) fn new(source: LayerSource) -> LayerFile {
        LayerFile {
            source,
            stamp: None,
            is_stable: false,
            seen: None,
            text: None,
            version: 0,
            latest: Arc::default(),
            good: None,
            weighed: [None, None],
        }
    }

    /// Reads the file if it has changed; `home` is the folder that `~/` stands for in it.
    pub(super) fn refresh(&mut self, home: Option<&Path>) -> LayerView {
        let known = self.stamp.as_ref().filter(|_| self.is_stable);
        let reading = self.source.read(known);
        if reading != FileReading::Unchanged {
            self.take(reading, home);
        }
        LayerView {
            version: self.version,
            latest: Arc::clone(&self.latest),
            good: self.good.clone(),
            text: self.text,
            origin: Some(self.source.origin()),
        }
    }

    /// Marks the latest version as usable. An empty version does not replace it as the fallback but
    /// removes it: a file may be deleted or emptied for a moment while it is saved, and an empty fallback
    /// would lift every restriction.
    pub(super) fn approve(&mut self) {
        self.good = (!self.latest.is_empty()).then(|| Arc::clone(&self.latest));
    }

    pub(super) fn weighed(&self, user: u64, trust: Trust) -> Option<Arc<ConfigState>> {
        let (versions, state) = self.weighed[usize::from(trust == Trust::Granted)].as_ref()?;
        (*versions == (user, self.version)).then(|| Arc::clone(state))
    }

    /// Keeps the settings made from this version.
    pub(super) fn remember(&mut self, user: u64, trust: Trust, state: &Arc<ConfigState>) {
        self.weighed[usize::from(trust == Trust::Granted)] = Some(((user, self.version), Arc::clone(state)));
    }

    fn take(&mut self, reading: FileReading, home: Option<&Path>) {
        let hash = reading.hash();
        self.is_stable = self.seen == Some(hash);
        self.text = matches!(reading, FileReading::Text(..)).then_some(hash);
        let (layer, stamp) = match reading {
            FileReading::Absent | FileReading::Unchanged => (Layer::default(), None),
            FileReading::Text(stamp, _) if self.is_stable => return self.stamp = stamp,
            FileReading::Text(stamp, text) => (Layer::file(self.source.origin(), &text, home), stamp),
            FileReading::Unusable(message, advice) => {
                (Layer::unusable(self.source.origin(), message, advice), None)
            }
        };
        self.stamp = stamp;
        if self.is_stable {
            return;
        }
        self.seen = Some(hash);
        self.latest = Arc::new(layer);
        self.version += 1;
    }
}
