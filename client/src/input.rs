//! Reads the answer: from a file, standard input or the clipboard, whole, as it is.
//!
//! Reports its faults before the daemon is called. The text is not parsed here.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clada_protocol::{ErrorKind, visible_path};

use crate::Process;
use crate::clipboard::Clipboard;
use crate::exit::{Failure, Status};
use crate::paste::read_pasted;

const LIMIT: usize = clada_protocol::INPUT_LIMIT;

pub(crate) fn read_answer(process: &mut Process, file: Option<&Path>) -> Result<String, Failure> {
    let (bytes, name) = match file.filter(|file| *file != Path::new("-")) {
        Some(file) => (read_file(process, file)?, file.display().to_string()),
        None => (read_stdin(process, "the answer")?, "standard input".to_owned()),
    };
    answer(bytes, &name)
}

pub(crate) fn pasted(process: &Process) -> Result<String, Failure> {
    let bytes = Clipboard::of(process).paste(process, LIMIT)?;
    answer(within_limit(bytes, "the clipboard")?, "the clipboard")
}

fn answer(bytes: Vec<u8>, name: &str) -> Result<String, Failure> {
    let text = String::from_utf8(bytes)
        .map_err(|error| not_utf8(error.as_bytes(), error.utf8_error().valid_up_to(), name))?;
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(Failure::usage(format!("there is no answer: {name} is empty"))
            .hint("Give the model's answer as a file or through a pipe."));
    }
    Ok(text)
}

pub(crate) fn read_stdin(process: &mut Process, what: &str) -> Result<Vec<u8>, Failure> {
    if process.terminals.stdin {
        return within_limit(read_pasted(process, what, LIMIT)?, "standard input");
    }
    read_limited(&mut process.stdin, "standard input")
}

pub(crate) fn read_file(process: &Process, file: &Path) -> Result<Vec<u8>, Failure> {
    let path = process.cwd.as_ref().map_or_else(|| file.to_owned(), |cwd| cwd.join(file));
    let failed = |error: std::io::Error| {
        Failure::new(Status::Failed, format!("{} cannot be read: {error}", file.display()))
    };
    let mut opened = File::open(path).map_err(failed)?;
    read_limited(&mut opened, &file.display().to_string())
}

fn read_limited(from: &mut dyn Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = LIMIT as u64 + 1;
    from.take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new(Status::Failed, format!("{name} cannot be read: {error}")))?;
    within_limit(bytes, name)
}

fn within_limit(bytes: Vec<u8>, name: &str) -> Result<Vec<u8>, Failure> {
    if bytes.len() > LIMIT {
        let kind = ErrorKind::InputTooLarge;
        let message = format!(
            "{name} is too large ({kind}): reading stopped after {} bytes, and the limit is {LIMIT} bytes \
             ({} MB, the default of limits.input)",
            bytes.len(),
            LIMIT >> 20
        );
        return Err(
            Failure::new(Status::Failed, message).hint("Nothing was applied. Apply the answer in parts.")
        );
    }
    Ok(bytes)
}

pub(crate) fn absolute(process: &Process, path: &Path) -> Result<String, Failure> {
    let shown = || visible_path(&path.to_string_lossy()).into_owned();
    let absolute = match &process.cwd {
        _ if path.is_absolute() => path.to_owned(),
        Some(cwd) => cwd.join(path),
        None => {
            let message = format!("{} is relative, and the working directory cannot be determined", shown());
            return Err(Failure::usage(message).hint("Give absolute paths."));
        }
    };
    absolute.into_os_string().into_string().map_err(|_| {
        Failure::usage(format!("the path {} is not UTF-8", shown()))
            .hint("Name the folder that it is in; what is in a folder may have any name.")
    })
}

pub(crate) fn not_utf8(bytes: &[u8], offset: usize, name: &str) -> Failure {
    let line = 1 + bytes[..offset].iter().filter(|byte| **byte == b'\n').count();
    let byte = bytes.get(offset).copied().unwrap_or_default();
    let message =
        format!("{name} is not UTF-8: the byte 0x{byte:02x} at offset {offset}, line {line}, is invalid");
    Failure::new(Status::Failed, message).hint("Nothing was applied. Save the answer as UTF-8 and try again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_invalid_byte_is_reported() {
        let failure = not_utf8(b"a\nb\n\xffc", 4, "x.md");
        assert_eq!(failure.message, "x.md is not UTF-8: the byte 0xff at offset 4, line 3, is invalid");
    }

    #[test]
    fn reading_stops_at_the_limit() {
        let mut endless = std::io::repeat(b'x');
        let failure = read_limited(&mut endless, "standard input").unwrap_err();
        assert!(failure.message.contains("input_too_large"), "{}", failure.message);
        assert!(failure.message.contains("52428801") && failure.message.contains("52428800"));
        let mut full = std::io::repeat(b'x').take(LIMIT as u64);
        assert_eq!(read_limited(&mut full, "standard input").unwrap().len(), LIMIT);
    }
}
