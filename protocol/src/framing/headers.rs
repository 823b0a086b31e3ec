//! A block of header lines, ended by an empty one, then as many bytes as it says: the framing of language
//! servers.
//!
//! Lines end with LF; a CR before it belongs to the ending. Blanks between messages are no messages. Nothing
//! after a wrong block can be read, since its length is not known: a decoder that has said so stays at its
//! end.

use std::borrow::Cow;

/// The most bytes of a header block, its empty line included.
pub const BLOCK_BYTES: usize = 8 * 1024;

/// The most header lines of a block.
pub const BLOCK_LINES: usize = 32;

/// The size above which a body gets a buffer of its own, which is returned without copying.
const OWNED: usize = 64 * 1024;

const KEPT: usize = 64 * 1024;

/// The fault of a header block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The block has more than [`BLOCK_BYTES`] bytes.
    #[error("a header block is limited to {BLOCK_BYTES} bytes")]
    TooLong,
    /// The block has more than [`BLOCK_LINES`] lines.
    #[error("a header block is limited to {BLOCK_LINES} lines")]
    TooManyLines,
    /// A line is not a name, a colon and a value.
    #[error("a header line is a name, a colon and a value")]
    NotAHeader,
    /// No line says the length of the body.
    #[error("a header block without `Content-Length`")]
    NoLength,
    /// Two lines say it.
    #[error("a header block with a second `Content-Length`")]
    SecondLength,
    /// The length is not a number in decimal digits.
    #[error("`Content-Length` is a number in decimal digits")]
    NotALength,
    /// The body would have another charset than UTF-8.
    #[error("the charset of a message is utf-8")]
    Charset,
}

/// Takes bytes in pieces of any size and returns the bodies of messages.
///
/// Work is linear in the bytes, however they are cut; memory is bounded by the limit plus one piece, whatever
/// length a message claims.
#[derive(Debug)]
pub struct HeaderDecoder {
    buffer: Vec<u8>,
    start: usize,
    limit: usize,
    state: HeaderState,
    blocks: u64,
}

#[derive(Debug)]
enum HeaderState {
    Between,
    Block(HeaderBlock),
    Small(usize),
    Large(Vec<u8>, usize),
    /// In a body that is too long: the bytes dropped so far, and those that are to come.
    Dropped {
        dropped: usize,
        remaining: u64,
    },
    Broken,
}

#[derive(Debug, Default)]
struct HeaderBlock {
    read: usize,
    searched: usize,
    lines: usize,
    length: Option<u64>,
}

impl HeaderDecoder {
    /// Returns a decoder of bodies of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> HeaderDecoder {
        HeaderDecoder { buffer: Vec::new(), start: 0, limit, state: HeaderState::Between, blocks: 0 }
    }

    /// Adds bytes as they arrive.
    pub fn extend(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        match &mut self.state {
            HeaderState::Broken => return,
            HeaderState::Dropped { dropped, remaining } => {
                let count = shorter(bytes.len(), *remaining);
                *dropped = dropped.saturating_add(count);
                *remaining -= count as u64;
                bytes = &bytes[count..];
                if *remaining == 0 {
                    self.state = HeaderState::Between;
                }
            }
            HeaderState::Large(body, lacking) => {
                let (taken, rest) = bytes.split_at(bytes.len().min(*lacking));
                body.extend_from_slice(taken);
                *lacking -= taken.len();
                bytes = rest;
            }
            HeaderState::Between | HeaderState::Block(_) | HeaderState::Small(_) => {}
        }
        if bytes.is_empty() {
            return;
        }
        self.compact();
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next body that is complete. It may be empty.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`], once for each body that is too long; the messages after it are returned as
    /// usual. [`FrameError::Block`], once, after which nothing more can be read.
    pub fn next_frame(&mut self) -> Result<Option<Cow<'_, [u8]>>, FrameError> {
        loop {
            match &mut self.state {
                // After a wrong block nobody knows where the next message begins.
                HeaderState::Broken | HeaderState::Dropped { .. } => return Ok(None),
                HeaderState::Between => {
                    let waiting = &self.buffer[self.start..];
                    let blanks = waiting.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    self.start += blanks;
                    if self.start == self.buffer.len() {
                        return Ok(None);
                    }
                    self.state = HeaderState::Block(HeaderBlock::default());
                }
                HeaderState::Block(block) => match block.read(&self.buffer[self.start..]) {
                    Ok(None) => return Ok(None),
                    Ok(Some(length)) => {
                        self.start += block.read;
                        self.blocks += 1;
                        self.begin(length)?;
                    }
                    Err(error) => {
                        self.state = HeaderState::Broken;
                        self.buffer = Vec::new();
                        self.start = 0;
                        return Err(FrameError::Block(error));
                    }
                },
                HeaderState::Small(length) => {
                    let (begin, end) = (self.start, self.start + *length);
                    if self.buffer.len() < end {
                        return Ok(None);
                    }
                    self.start = end;
                    self.state = HeaderState::Between;
                    return Ok(Some(Cow::Borrowed(&self.buffer[begin..end])));
                }
                HeaderState::Large(_, lacking) if *lacking > 0 => return Ok(None),
                HeaderState::Large(body, _) => {
                    let body = std::mem::take(body);
                    self.state = HeaderState::Between;
                    return Ok(Some(Cow::Owned(body)));
                }
            }
        }
    }

    fn begin(&mut self, length: u64) -> Result<(), FrameError> {
        let waiting = self.buffer.len() - self.start;
        match usize::try_from(length) {
            Ok(length) if length <= OWNED.min(self.limit) => self.state = HeaderState::Small(length),
            Ok(length) if length <= self.limit => {
                let count = waiting.min(length);
                let body = self.buffer[self.start..self.start + count].to_vec();
                self.start += count;
                self.state = HeaderState::Large(body, length - count);
            }
            _ => {
                let count = shorter(waiting, length);
                self.start += count;
                let remaining = length - count as u64;
                self.state = if remaining == 0 {
                    HeaderState::Between
                } else {
                    HeaderState::Dropped { dropped: count, remaining }
                };
                return Err(FrameError::TooLong { limit: self.limit });
            }
        }
        Ok(())
    }

    /// Returns the number of bytes of messages that were not returned yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        let body = if let HeaderState::Large(body, _) = &self.state { body.len() } else { 0 };
        self.buffer.len() - self.start + body
    }

    /// Returns the number of bytes dropped so far of a body that is too long and goes on; 0 if there is none.
    #[must_use]
    pub fn dropped(&self) -> usize {
        if let HeaderState::Dropped { dropped, .. } = self.state { dropped } else { 0 }
    }

    /// Returns the number of the block that has begun and has no end yet, once all complete messages were
    /// returned.
    #[must_use]
    pub fn open_block(&self) -> Option<u64> {
        matches!(self.state, HeaderState::Block(_)).then_some(self.blocks)
    }

    fn compact(&mut self) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.buffer.shrink_to(KEPT);
            self.start = 0;
        } else if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
    }
}

fn shorter(bytes: usize, remaining: u64) -> usize {
    usize::try_from(remaining).map_or(bytes, |remaining| remaining.min(bytes))
}

impl HeaderBlock {
    fn read(&mut self, bytes: &[u8]) -> Result<Option<u64>, BlockError> {
        loop {
            let rest = &bytes[self.read..];
            let Some(newline) = memchr::memchr(b'\n', &rest[self.searched..]) else {
                self.searched = rest.len();
                return if bytes.len() > BLOCK_BYTES { Err(BlockError::TooLong) } else { Ok(None) };
            };
            let end = self.searched + newline;
            self.read += end + 1;
            self.searched = 0;
            if self.read > BLOCK_BYTES {
                return Err(BlockError::TooLong);
            }
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            if line.is_empty() {
                return self.length.map(Some).ok_or(BlockError::NoLength);
            }
            self.lines += 1;
            if self.lines > BLOCK_LINES {
                return Err(BlockError::TooManyLines);
            }
            self.line(line)?;
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), BlockError> {
        let colon = memchr::memchr(b':', line).ok_or(BlockError::NotAHeader)?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.is_empty() || !name.iter().all(|&byte| is_of_name(byte)) {
            return Err(BlockError::NotAHeader);
        }
        let is_length = name.eq_ignore_ascii_case(b"Content-Length");
        // Readers of headers do not agree on how far such a value goes (RFC 9110, 5.5).
        if !is_length && memchr::memchr2(b'\0', b'\r', value).is_some() {
            return Err(BlockError::NotAHeader);
        }
        if is_length {
            if self.length.is_some() {
                return Err(BlockError::SecondLength);
            }
            self.length = Some(number(value)?);
        } else if name.eq_ignore_ascii_case(b"Content-Type") && !is_utf8(value) {
            return Err(BlockError::Charset);
        }
        Ok(())
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A number that does not fit counts as longer than any limit.
fn number(digits: &[u8]) -> Result<u64, BlockError> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(BlockError::NotALength);
    }
    Ok(digits
        .iter()
        .fold(0u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))))
}

/// Returns whether a `Content-Type` names no charset, or UTF-8 (which older language servers call utf8).
#[must_use]
pub fn is_utf8(value: &[u8]) -> bool {
    value.split(|&byte| byte == b';').skip(1).all(|parameter| {
        let Some(equals) = memchr::memchr(b'=', parameter) else { return true };
        let (name, charset) = (parameter[..equals].trim_ascii(), parameter[equals + 1..].trim_ascii());
        let charset =
            charset.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(charset);
        !name.eq_ignore_ascii_case(b"charset")
            || charset.eq_ignore_ascii_case(b"utf-8")
            || charset.eq_ignore_ascii_case(b"utf8")
    })
}

/// Returns the header block of a body of `length` bytes.
#[must_use]
pub fn header_block(length: usize) -> String {
    format!("Content-Length: {length}\r\n\r\n")
}

/// The reason why there is no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The message is longer than `limit` bytes. It is reported once; the rest of that message is dropped as
    /// it comes.
    #[error("a message is limited to {limit} bytes")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The block of headers before a message is wrong. Nothing after it can be read.
    #[error(transparent)]
    Block(BlockError),
}

#[cfg(test)]
mod tests;
