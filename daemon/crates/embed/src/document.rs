//! Writes a document: head, sections and tail, in pieces that are never larger than a bound, whatever their
//! sum. Must not know where they go.

use std::ops::Range;

use clada_protocol::{EmbedNote, EmbedPreamble, ErrorKind, RpcError};

use super::format::{DocumentFrame, DocumentNotes, Style};
use super::gather::FileEntry;
use super::shown::ShownPath;
use super::spool::Spool;

const PIECE: usize = 128 << 10;

pub(super) struct EmbedDocument<'a> {
    pub(super) style: Style,
    pub(super) notes: DocumentNotes,
    pub(super) entries: Vec<&'a FileEntry>,
    pub(super) omitted: Vec<(ShownPath, String)>,
    pub(super) diff: Option<String>,
    pub(super) tree_only: bool,
    pub(super) preamble: EmbedPreamble,
}

impl EmbedDocument<'_> {
    pub(super) fn frame(&self) -> (String, String) {
        let files: Vec<&ShownPath> = self.entries.iter().map(|entry| &entry.shown).collect();
        let nonce = self.nonce();
        let frame = DocumentFrame {
            nonce: &nonce,
            notes: &self.notes,
            files: &files,
            omitted: &self.omitted,
            diff: self.diff.as_deref(),
            tree_only: self.tree_only,
            preamble: self.preamble,
        };
        (self.style.head(&frame), self.style.tail(&frame))
    }

    pub(super) fn notes(&self) -> Vec<EmbedNote> {
        let note = |(name, value): (&str, String)| EmbedNote { name: name.to_owned(), value };
        self.notes.lines().into_iter().map(note).collect()
    }

    /// Returns a mark that distinguishes the end of this document from the contents of its files.
    fn nonce(&self) -> String {
        // The author of a file cannot know it, for it depends on every file that may hold such a line. The
        // same files give the same mark.
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for entry in &self.entries {
            add(entry.shown.bytes());
            add(&entry.size.to_le_bytes());
            add(entry.hash.as_ref().map_or(&[], |hash| hash.as_slice()));
        }
        for (path, reason) in &self.omitted {
            add(path.bytes());
            add(reason.as_bytes());
        }
        add(self.diff.as_deref().unwrap_or_default().as_bytes());
        hasher.finalize().to_hex()[..24].to_owned()
    }

    pub(super) fn write(
        &self,
        before: &str,
        spool: &Spool,
        out: &mut dyn FnMut(&str) -> Result<(), RpcError>,
    ) -> Result<u64, RpcError> {
        let (head, tail) = self.frame();
        let mut pieces = Pieces { buffer: Vec::with_capacity(PIECE), written: 0, out };
        pieces.add(before.as_bytes())?;
        pieces.add(head.as_bytes())?;
        for (index, run) in self.runs().into_iter().enumerate() {
            if index > 0 {
                pieces.add(self.style.between().as_bytes())?;
            }
            pieces.copy(spool, run)?;
        }
        pieces.add(tail.as_bytes())?;
        pieces.finish()
    }

    fn runs(&self) -> Vec<Range<u64>> {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for entry in self.entries.iter().filter(|_| !self.tree_only) {
            match runs.last_mut() {
                Some(run) if run.end == entry.place.start && self.style.between().is_empty() => {
                    run.end = entry.place.end;
                }
                _ => runs.push(entry.place.clone()),
            }
        }
        runs
    }
}

struct Pieces<'a> {
    buffer: Vec<u8>,
    written: u64,
    out: &'a mut dyn FnMut(&str) -> Result<(), RpcError>,
}

impl Pieces<'_> {
    fn add(&mut self, bytes: &[u8]) -> Result<(), RpcError> {
        for part in bytes.chunks(PIECE) {
            self.buffer.extend_from_slice(part);
            self.emit()?;
        }
        Ok(())
    }

    fn copy(&mut self, spool: &Spool, run: Range<u64>) -> Result<(), RpcError> {
        let mut at = run.start;
        while at < run.end {
            let room = PIECE.saturating_sub(self.buffer.len()).max(1);
            let length = usize::try_from(run.end - at).unwrap_or(usize::MAX).min(room);
            let old = self.buffer.len();
            self.buffer.resize(old + length, 0);
            spool.read(at, &mut self.buffer[old..]).map_err(|error| {
                RpcError::new(ErrorKind::Io, format!("The document's temporary file cannot be read: {error}"))
            })?;
            at += length as u64;
            self.emit()?;
        }
        Ok(())
    }

    fn emit(&mut self) -> Result<(), RpcError> {
        // A character that is cut waits for its rest.
        if self.buffer.len() < PIECE {
            return Ok(());
        }
        let whole = match std::str::from_utf8(&self.buffer) {
            Ok(text) => text,
            Err(error) => {
                let (valid, _) = self.buffer.split_at(error.valid_up_to());
                std::str::from_utf8(valid).unwrap_or_default()
            }
        };
        (self.out)(whole)?;
        self.written += whole.len() as u64;
        let length = whole.len();
        self.buffer.drain(..length);
        Ok(())
    }

    fn finish(self) -> Result<u64, RpcError> {
        let rest = String::from_utf8_lossy(&self.buffer);
        if !rest.is_empty() {
            (self.out)(&rest)?;
        }
        Ok(self.written + rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_whole_in_every_piece() {
        let text = "aé漢😀".repeat(60_000);
        let mut spool = Spool::new(Vec::new());
        spool.add(text.as_bytes()).unwrap();
        let (mut pieces, mut largest) = (String::new(), 0);
        let mut out = |piece: &str| {
            pieces.push_str(piece);
            largest = largest.max(piece.len());
            Ok(())
        };
        let mut writer = Pieces { buffer: Vec::new(), written: 0, out: &mut out };
        writer.add(b"x").unwrap();
        writer.copy(&spool, 0..text.len() as u64).unwrap();
        let written = writer.finish().unwrap();
        assert!(pieces == format!("x{text}") && written == pieces.len() as u64 && largest <= PIECE);
    }
}
