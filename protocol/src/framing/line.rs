//! One JSON message a line.
//!
//! A line ends with LF; a CR before it belongs to the ending; blank lines are not messages. JSON escapes
//! newlines in strings, so a message never holds one.

use std::borrow::Cow;

use super::FrameError;

const OWNED: usize = 64 * 1024;

const KEPT: usize = 64 * 1024;

/// Takes bytes in pieces of any size and returns lines.
///
/// Work is linear in the bytes, however they are cut; memory is bounded by the limit plus one piece.
#[derive(Debug)]
pub struct LineDecoder {
    buffer: Vec<u8>,
    start: usize,
    searched: usize,
    limit: usize,
    dropped: Option<usize>,
}

impl LineDecoder {
    /// Returns a decoder of lines of at most `limit` bytes, their endings not counted.
    #[must_use]
    pub fn new(limit: usize) -> LineDecoder {
        LineDecoder { buffer: Vec::new(), start: 0, searched: 0, limit, dropped: None }
    }

    /// Adds bytes as they arrive.
    pub fn extend(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        if let Some(dropped) = &mut self.dropped {
            match memchr::memchr(b'\n', bytes) {
                None => {
                    *dropped = dropped.saturating_add(bytes.len());
                    return;
                }
                Some(end) => {
                    bytes = &bytes[end + 1..];
                    self.dropped = None;
                }
            }
        }
        self.compact();
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next line that is complete.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`], once for each over-long line; the lines after it are returned as usual.
    pub fn next_frame(&mut self) -> Result<Option<Cow<'_, [u8]>>, FrameError> {
        loop {
            let Some(offset) = memchr::memchr(b'\n', &self.buffer[self.searched..]) else {
                self.searched = self.buffer.len();
                // A CR at the end may belong to the ending.
                if self.buffer.len() - self.start > self.limit + 1 {
                    self.dropped = Some(self.buffer.len() - self.start);
                    self.clear();
                    return Err(FrameError::TooLong { limit: self.limit });
                }
                return Ok(None);
            };
            let (begin, newline) = (self.start, self.searched + offset);
            self.start = newline + 1;
            self.searched = self.start;
            let end = if self.buffer[begin..newline].ends_with(b"\r") { newline - 1 } else { newline };
            if end - begin > self.limit {
                return Err(FrameError::TooLong { limit: self.limit });
            }
            if self.buffer[begin..end].iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if end - begin > OWNED {
                return Ok(Some(Cow::Owned(self.take(begin, end))));
            }
            return Ok(Some(Cow::Borrowed(&self.buffer[begin..end])));
        }
    }

    /// Returns the number of bytes of lines that were not returned yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Returns the number of bytes dropped so far of an over-long line that goes on; 0 if there is none.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.dropped.unwrap_or(0)
    }

    fn take(&mut self, begin: usize, end: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(self.start);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(end);
        line.drain(..begin);
        self.start = 0;
        self.searched = 0;
        line
    }

    /// Drops the bytes that were returned, when that is cheap: all of the buffer, its larger half, or with
    /// little behind them. So a large line never has to be moved when it is complete.
    fn compact(&mut self) {
        if self.start == self.buffer.len() {
            self.clear();
        } else if self.start > self.buffer.len() / 2
            || (self.start > 0 && self.buffer.len() - self.start <= KEPT)
        {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
    }

    fn clear(&mut self) {
        self.buffer.clear();
        self.buffer.shrink_to(KEPT);
        self.start = 0;
        self.searched = 0;
    }
}

/// Returns the line that carries `json`, a message without newlines.
#[must_use]
pub fn frame_line(json: &str) -> Vec<u8> {
    let mut line = Vec::with_capacity(json.len() + 1);
    line.extend_from_slice(json.as_bytes());
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::framing::Decoder;
    use crate::framing::tests::{Frames, decoded, drain};

    fn decode(pieces: &[&[u8]], limit: usize) -> Frames {
        decoded(Decoder::Lines(LineDecoder::new(limit)), pieces)
    }

    #[test]
    fn endings_and_blank_lines() {
        let frames = decode(&[b"{}\r\n\n \t\r\n[1]\n{", b"}\r", b"\n{\"a\":1}"], 100);
        let expected: Vec<_> =
            [b"{}".to_vec(), b"[1]".to_vec(), b"{}".to_vec()].into_iter().map(Ok).collect();
        assert_eq!(frames, expected);
    }

    #[test]
    fn too_long_is_said_once_and_the_next_line_is_read() {
        let mut decoder = LineDecoder::new(10);
        let mut frames = Vec::new();
        for _ in 0..10_000 {
            decoder.extend(&[b'x'; 1000]);
            drain(|| Ok(decoder.next_frame()?.map(Cow::into_owned)), &mut frames);
        }
        assert_eq!(frames, [Err(FrameError::TooLong { limit: 10 })]);
        assert_eq!(decoder.dropped(), 10_000_000);
        assert!(decoder.buffer.capacity() <= KEPT);
        decoder.extend(b"xx\n1234567890\r\n12345678901\n{}\n");
        frames.clear();
        drain(|| Ok(decoder.next_frame()?.map(Cow::into_owned)), &mut frames);
        let too_long = Err(FrameError::TooLong { limit: 10 });
        assert_eq!(frames, [Ok(b"1234567890".to_vec()), too_long, Ok(b"{}".to_vec())]);
        assert_eq!(decoder.dropped(), 0);
    }

    #[test]
    fn a_large_frame_leaves_no_large_buffer() {
        let mut decoder = LineDecoder::new(10_000_000);
        let mut line = vec![b'x'; 5_000_000];
        line.extend_from_slice(b"\r\n{}\n");
        decoder.extend(&line);
        assert_eq!(decoder.next_frame().unwrap().unwrap().len(), 5_000_000);
        assert_eq!(decoder.next_frame().unwrap().unwrap().as_ref(), b"{}");
        decoder.extend(b"{}");
        assert!(decoder.buffer.capacity() <= KEPT);
        assert_eq!(decoder.pending(), 2);
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_frames(
            text in "[{}\\[\\] a\r\n\u{e9}]{0,200}",
            cuts in proptest::collection::vec(0usize..200, 0..20),
            limit in 0usize..40,
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.push(0);
            cuts.push(bytes.len());
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let mut terminated = bytes.to_vec();
            terminated.push(b'\n');
            let mut pieces = pieces;
            pieces.push(b"\n");
            prop_assert_eq!(decode(&pieces, limit), decode(&[&terminated], limit));
        }
    }
}
