//! The log: a file in the state folder that is rotated by size, and standard error where a terminal or
//! service manager reads it.
//!
//! It never holds the content of answers and files: callers log names, numbers and paths. Levels come from
//! `CLADA_LOG` (`info`, `debug`, `clada_daemon=trace`, …).

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clada_config::LogLevel;
use clada_protocol::state::log_path;
use clada_protocol::visible_line;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

use crate::process::Process;

/// A file is rotated when it has this many bytes, and this many old ones are kept.
const ROTATE_AT: u64 = 4 << 20;
const KEPT: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    /// The file; standard error too under systemd, which keeps it in its journal.
    File,
    StandardError,
}

pub(crate) fn begin(process: &Process, destination: Destination, level: LogLevel) {
    let journal = process.variable("JOURNAL_STREAM").is_some() || process.variable("NOTIFY_SOCKET").is_some();
    let file = match destination {
        Destination::File => process.state_folder().map(|folder| RotatedFile::new(log_path(&folder))),
        Destination::StandardError => None,
    };
    let writer = Sinks { standard_error: journal || destination == Destination::StandardError, file };
    let builder = tracing_subscriber::fmt().with_ansi(false).with_writer(Mutex::new(writer));
    let levels = process.variable("CLADA_LOG").and_then(|levels| levels.to_str());
    let _ = match levels.map(EnvFilter::try_new) {
        Some(Ok(filter)) => builder.with_env_filter(filter).try_init(),
        _ => builder.with_max_level(filter(level)).try_init(),
    };
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, thread = ?std::thread::current().id(), "panic");
        // The text of a panic may quote a file.
        let text = panic.payload_as_str().unwrap_or("");
        tracing::debug!(text, "panic");
    }));
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

struct Sinks {
    standard_error: bool,
    file: Option<RotatedFile>,
}

impl Write for Sinks {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let shown = one_line(line);
        if self.standard_error {
            let _ = io::stderr().write_all(&shown);
        }
        if let Some(file) = &mut self.file {
            // There is nowhere to say that the log cannot be written.
            let _ = file.append(&shown);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn one_line(event: &[u8]) -> Cow<'_, [u8]> {
    // A path or an error with a line end in it must not forge another event.
    let body = event.strip_suffix(b"\n").unwrap_or(event);
    match std::str::from_utf8(body).map(visible_line) {
        Ok(Cow::Owned(shown)) => Cow::Owned((shown + "\n").into_bytes()),
        Ok(Cow::Borrowed(_)) | Err(_) => Cow::Borrowed(event),
    }
}

struct RotatedFile {
    path: PathBuf,
    open: Option<(File, u64)>,
}

impl RotatedFile {
    fn new(path: PathBuf) -> RotatedFile {
        RotatedFile { path, open: None }
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.open.as_ref().is_some_and(|(_, length)| *length >= ROTATE_AT) {
            self.open = None;
            self.set_aside();
        }
        if self.open.is_none() {
            self.open = Some(open(&self.path)?);
        }
        if let Some((file, length)) = &mut self.open {
            file.write_all(line)?;
            *length += line.len() as u64;
        }
        Ok(())
    }

    fn set_aside(&self) {
        let numbered = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        for number in (1..KEPT).rev() {
            let _ = rustix::fs::rename(numbered(number), numbered(number + 1));
        }
        let _ = rustix::fs::rename(&self.path, numbered(1));
    }
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_an_event_stays_on_one_line() {
        assert_eq!(
            &*one_line(b"INFO root=/a\nINFO forged\x1b[2J\n"),
            b"INFO root=/a\\nINFO forged\\u{1b}[2J\n"
        );
        assert_eq!(&*one_line(b"INFO root=/a\n"), b"INFO root=/a\n");
    }

    #[test]
    fn the_log_is_bounded() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b/daemon.log");
        let mut file = RotatedFile::new(path.clone());
        let line = vec![b'x'; 1 << 20];
        for _ in 0..40 {
            file.append(&line).unwrap();
        }
        let sizes: Vec<u64> = std::fs::read_dir(path.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .collect();
        assert_eq!(sizes.len(), 1 + KEPT as usize);
        assert!(sizes.iter().all(|&size| size <= ROTATE_AT));
    }
}
