//! One file that is a layer: reads it when it has changed, and keeps the last version that was sound. The only
//! part of this crate that touches files; knows no other layer. The settings combined from this one and the
//! others are kept here only so that they go when this goes.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::layer::Layer;
use super::problem::{ConfigError, Origin};
use super::resolve::Trust;
use super::settings::Settings;

#[derive(Debug)]
pub(super) struct LayerFile {
    source: LayerSource,
    stamp: Option<LayerStamp>,
    /// True if a second reading has found the same as the first: two changes within one tick of the file
    /// system's clock look like one.
    is_stable: bool,
    seen: Option<blake3::Hash>,
    version: u64,
    latest: Arc<Layer>,
    good: Option<Arc<Layer>>,
    text: Option<blake3::Hash>,
    /// The settings made from it, with the versions of the user's file and of this one:
    /// without trust, and with it.
    weighed: [Weighed; 2],
}

#[derive(Debug)]
pub(super) struct ConfigState {
    pub(super) settings: Arc<Settings>,
    pub(super) warnings: Vec<String>,
    pub(super) blocked: Option<ConfigError>,
    pub(super) is_broken: bool,
    pub(super) awaits_trust: bool,
}

impl ConfigState {
    pub(super) fn usable(&self) -> Result<Arc<Settings>, ConfigError> {
        match &self.blocked {
            None => Ok(Arc::clone(&self.settings)),
            Some(error) => Err(error.clone()),
        }
    }
}

type Weighed = Option<((u64, u64), Arc<ConfigState>)>;

#[derive(Debug, Default)]
pub(super) struct LayerView {
    pub(super) version: u64,
    pub(super) latest: Arc<Layer>,
    pub(super) good: Option<Arc<Layer>>,
    pub(super) text: Option<blake3::Hash>,
    pub(super) origin: Option<Origin>,
}

impl LayerView {
    /// Returns the latest version if it is sound, else the last one that was.
    pub(super) fn usable(&self) -> Option<&Layer> {
        if self.latest.is_sound() { Some(&self.latest) } else { self.good.as_deref() }
    }
}

impl LayerFile {
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

    pub(super) fn approve(&mut self) {
        // An empty version does not replace it as the fallback but removes it: a file may be deleted or
        // emptied for a moment while it is saved, and an empty fallback would lift every restriction.
        self.good = (!self.latest.is_empty()).then(|| Arc::clone(&self.latest));
    }

    pub(super) fn weighed(&self, user: u64, trust: Trust) -> Option<Arc<ConfigState>> {
        let (versions, state) = self.weighed[usize::from(trust == Trust::Granted)].as_ref()?;
        (*versions == (user, self.version)).then(|| Arc::clone(state))
    }

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

const LARGEST: u64 = 1 << 20;
/// The most reads of a file that keeps changing. After them the last content is taken.
const TRIES: usize = 3;

/// The state of a file: device, inode, size, and the nanoseconds of the last change of its
/// content and of its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LayerStamp {
    identity: (u64, u64, u64),
    times: (i64, i64, i64, i64),
}

impl LayerStamp {
    fn new(metadata: &Metadata) -> LayerStamp {
        LayerStamp {
            identity: (metadata.dev(), metadata.ino(), metadata.size()),
            times: (metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileReading {
    Absent,
    Unchanged,
    /// The content of the file. The stamp is absent if the file changed while it was being read.
    Text(Option<LayerStamp>, String),
    Unusable(String, String),
}

impl FileReading {
    pub(super) fn hash(&self) -> blake3::Hash {
        let (kind, content) = match self {
            FileReading::Absent | FileReading::Unchanged => ("absent", ""),
            FileReading::Text(_, text) => ("text", text.as_str()),
            FileReading::Unusable(message, _) => ("unusable", message.as_str()),
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(kind.as_bytes()).update(b":").update(content.as_bytes());
        hasher.finalize()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LayerSource {
    /// The user's own file: links are followed, since users keep such files elsewhere.
    User(PathBuf),
    /// `.clada/config.yaml` below this root: no link is followed.
    Project(PathBuf),
}

impl LayerSource {
    pub(super) fn origin(&self) -> Origin {
        match self {
            LayerSource::User(path) => Origin::User(path.clone()),
            LayerSource::Project(root) => Origin::Project(root.join(".clada").join("config.yaml")),
        }
    }

    pub(super) fn read(&self, known: Option<&LayerStamp>) -> FileReading {
        let mut last = None;
        for _ in 0..TRIES {
            let outcome = self.open().and_then(|file| read_open(file, known));
            match outcome {
                Ok(FileReading::Text(None, text)) => last = Some(text),
                Ok(reading) => return reading,
                Err(error) => return refusal(&error),
            }
        }
        last.map_or(FileReading::Absent, |text| FileReading::Text(None, text))
    }

    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let descriptor: OwnedFd = match self {
            LayerSource::User(path) => openat(CWD, path, flags, Mode::empty())?,
            LayerSource::Project(root) => {
                let root = openat(CWD, root, flags | OFlags::DIRECTORY, Mode::empty())?;
                let folder = openat(&root, ".clada", flags | OFlags::NOFOLLOW, Mode::empty())?;
                openat(&folder, "config.yaml", flags | OFlags::NOFOLLOW, Mode::empty())?
            }
        };
        Ok(File::from(descriptor))
    }
}

fn read_open(mut file: File, known: Option<&LayerStamp>) -> io::Result<FileReading> {
    let metadata = file.metadata()?;
    let unusable =
        |message: &str, advice: &str| Ok(FileReading::Unusable(message.to_owned(), advice.to_owned()));
    if !metadata.is_file() {
        return unusable("it is not a regular file", "Put a file there, or remove it");
    }
    let stamp = LayerStamp::new(&metadata);
    if known == Some(&stamp) {
        return Ok(FileReading::Unchanged);
    }
    let too_large = ("it is larger than 1 MB", "Shorten it");
    if metadata.len() > LARGEST {
        return unusable(too_large.0, too_large.1);
    }
    let mut bytes = Vec::new();
    // The file may have grown since its size was read.
    (&mut file).take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return unusable(too_large.0, too_large.1);
    }
    // A stamp is of this text only if nothing was written while it was read.
    let after = LayerStamp::new(&file.metadata()?);
    let stable = (after == stamp).then_some(stamp);
    Ok(match String::from_utf8(bytes) {
        Ok(text) => {
            FileReading::Text(stable, text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        }
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + memchr::memchr_iter(b'\n', &error.as_bytes()[..valid]).count();
            FileReading::Unusable(format!("line {line} is not UTF-8"), "Save it as UTF-8".to_owned())
        }
    })
}

fn refusal(error: &io::Error) -> FileReading {
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    match code {
        Some(Errno::NOENT | Errno::NOTDIR) => FileReading::Absent,
        Some(Errno::LOOP | Errno::MLINK) => FileReading::Unusable(
            "it, or the folder that it is in, is a symbolic link".to_owned(),
            "Put a regular file there, or remove the link".to_owned(),
        ),
        _ => FileReading::Unusable(
            format!("it cannot be read: {error}"),
            "Make it readable, or remove it".to_owned(),
        ),
    }
}
