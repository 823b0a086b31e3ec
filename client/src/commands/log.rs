//! `log`: shows the end of the daemon's log, and goes on as it grows.
//!
//! Reads the file itself, so that it works when the daemon does not.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use clada_protocol::handshake::StatusParams;
use clada_protocol::method::Status as StatusMethod;
use clada_protocol::state::{LOG_NAME, MACHINE_IDS, log_path, state_folder};
use clada_protocol::{Method, visible_block};
use serde::Deserialize;

use crate::Process;
use crate::args::Log;
use crate::connect::Connector;
use crate::exit::{Failure, Status};
use crate::output::print;
use crate::settings::Settings;

const TAIL: u64 = 4 << 20;

const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn run(process: &mut Process, settings: &Settings, args: &Log) -> Result<Status, Failure> {
    let path = find(process, settings)?;
    let failed = |error: io::Error| {
        Failure::new(Status::Failed, format!("the log {} cannot be read: {error}", path.display()))
            .hint("The daemon creates it: `clada status` starts the daemon.")
    };
    let mut log = File::open(&path).map_err(failed)?;
    let text = last_lines(&mut log, args.lines).map_err(failed)?;
    print(process, &visible_block(&text))?;
    if args.follow {
        follow(process, &path, log).map_err(failed)?;
    }
    Ok(Status::Ok)
}

fn find(process: &mut Process, settings: &Settings) -> Result<PathBuf, Failure> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct DaemonLog {
        log_file: Option<PathBuf>,
    }
    let status =
        Connector::new(process, settings)?.call_if_running(StatusMethod::NAME, &StatusParams::default());
    let daemon_log = status.and_then(|status| serde_json::from_str::<DaemonLog>(status.get()).ok());
    if let Some(path) = daemon_log.and_then(|daemon_log| daemon_log.log_file) {
        return Ok(path);
    }
    let id = MACHINE_IDS.iter().find_map(|path| std::fs::read_to_string(path).ok());
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    let folder = state_folder(process.var("XDG_STATE_HOME"), process.var("HOME"), id.as_deref(), &host)
        .ok_or_else(|| {
            Failure::new(Status::Failed, "the log cannot be found: HOME is not set")
                .hint("Set HOME or XDG_STATE_HOME to an absolute path.")
        })?;
    Ok(newest(&folder).unwrap_or_else(|| log_path(&folder)))
}

/// Returns the log that was written to last: a log that was rotated out has a number after its name.
fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let logs = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(LOG_NAME.as_bytes()));
    let dated = logs.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    dated.max().map(|(_, path)| path)
}

/// Leaves the file position at the end.
fn last_lines(log: &mut File, count: usize) -> io::Result<String> {
    let length = log.metadata()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let text = read_on(log)?;
    let body = text.strip_suffix('\n').unwrap_or(&text);
    let start = match count {
        0 => text.len(),
        _ => body.rmatch_indices('\n').nth(count - 1).map_or(0, |(at, _)| at + 1),
    };
    Ok(text[start..].to_owned())
}

fn read_on(log: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    log.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn follow(process: &mut Process, path: &Path, mut log: File) -> io::Result<()> {
    loop {
        let text = read_on(&mut log)?;
        let written = process.stdout.write_all(visible_block(&text).as_bytes());
        match written.and_then(|()| process.stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
        let here = log.stream_position()?;
        let open = log.metadata()?;
        if open.len() < here {
            log.seek(SeekFrom::Start(0))?;
        } else if let Ok(named) = path.metadata()
            && (named.ino(), named.dev()) != (open.ino(), open.dev())
        {
            log = File::open(path)?;
        } else {
            sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_last_lines_are_counted_from_the_end() {
        let mut log = tempfile::tempfile().unwrap();
        log.write_all(b"a\nb\nc\n").unwrap();
        for (count, lines) in [(0, ""), (1, "c\n"), (2, "b\nc\n"), (3, "a\nb\nc\n"), (9, "a\nb\nc\n")] {
            assert_eq!(last_lines(&mut log, count).unwrap(), lines);
        }
    }
}
