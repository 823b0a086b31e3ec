//! Framing: finds the end of one message and the start of the next, from bytes alone.
//!
//! Input is the bytes of a socket or a pipe, in pieces of any size and from any process. Nothing here reads
//! or writes: bytes are put in, frames are taken out. A peer's first bytes show its framing
//! ([`Framing::detect`]); each framing is a module with a decoder and a function that frames a message. HTTP
//! is only detected here.

mod headers;
mod line;

use std::borrow::Cow;

pub use headers::{BLOCK_BYTES, BLOCK_LINES, BlockError, FrameError, HeaderDecoder, header_block, is_utf8};
pub use line::{LineDecoder, frame_line};

/// The ways to talk that this version knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON message a line.
    Lines,
    /// A block of headers, then the message.
    Headers,
    /// Requests of HTTP/1.1.
    Http,
}

/// The framing that the first bytes of a peer show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detected {
    /// Nothing but blanks so far, and the beginning of what begins a framing.
    Undecided,
    /// The peer speaks this.
    Speaks(Framing),
    /// The bytes begin none of the framings; this is their first.
    Unknown(u8),
}

const BEGINNINGS: [(&[u8], Framing); 8] = [
    (b"CONTENT-", Framing::Headers),
    (b"GET ", Framing::Http),
    (b"POST ", Framing::Http),
    (b"HEAD ", Framing::Http),
    (b"OPTIONS ", Framing::Http),
    (b"PUT ", Framing::Http),
    (b"DELETE ", Framing::Http),
    (b"PATCH ", Framing::Http),
];

impl Framing {
    /// The framings of the socket, for messages to peers that speak another.
    pub const SPOKEN: &'static str = "JSON-RPC 2.0, one message a line (the first byte is `{` or `[`), or after \
                                      `Content-Length` headers, or in HTTP/1.1";

    /// The framings of standard input and output.
    pub const SPOKEN_ON_PIPES: &'static str = "JSON-RPC 2.0, one message a line (the first byte is `{` or `[`), \
                                               or after `Content-Length` headers";

    /// Detects the framing from all bytes of a peer so far, of which it needs eight at most after blanks,
    /// which decide nothing.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Detected {
        let bytes = bytes.trim_ascii_start();
        let Some(&first) = bytes.first() else { return Detected::Undecided };
        if matches!(first, b'{' | b'[') {
            return Detected::Speaks(Framing::Lines);
        }
        let mut detected = Detected::Unknown(first);
        for (beginning, framing) in BEGINNINGS {
            let count = beginning.len().min(bytes.len());
            let same = match framing {
                // Names of headers have any case, methods have one.
                Framing::Headers => bytes[..count].eq_ignore_ascii_case(&beginning[..count]),
                Framing::Lines | Framing::Http => bytes[..count] == beginning[..count],
            };
            if same && count == beginning.len() {
                return Detected::Speaks(framing);
            }
            if same {
                detected = Detected::Undecided;
            }
        }
        detected
    }
}

/// The decoder of one of the framings that have one.
#[derive(Debug)]
pub enum Decoder {
    /// Of [`Framing::Lines`].
    Lines(LineDecoder),
    /// Of [`Framing::Headers`].
    Headers(HeaderDecoder),
}

impl Decoder {
    /// Adds bytes as they arrive.
    pub fn extend(&mut self, bytes: &[u8]) {
        match self {
            Decoder::Lines(decoder) => decoder.extend(bytes),
            Decoder::Headers(decoder) => decoder.extend(bytes),
        }
    }

    /// Notes that no more bytes come. A last line without an end is a message, too; a body without one is
    /// not.
    pub fn end(&mut self) {
        match self {
            Decoder::Lines(decoder) => decoder.extend(b"\n"),
            Decoder::Headers(_) => {}
        }
    }

    /// Returns the next message that is complete.
    ///
    /// # Errors
    ///
    /// As the decoder's.
    pub fn next_frame(&mut self) -> Result<Option<Cow<'_, [u8]>>, FrameError> {
        match self {
            Decoder::Lines(decoder) => decoder.next_frame(),
            Decoder::Headers(decoder) => decoder.next_frame(),
        }
    }

    /// Returns the number of bytes of messages that were not returned yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        match self {
            Decoder::Lines(decoder) => decoder.pending(),
            Decoder::Headers(decoder) => decoder.pending(),
        }
    }

    /// Returns the number of bytes dropped so far of a message that is too long and goes on; 0 if there is
    /// none.
    #[must_use]
    pub fn dropped(&self) -> usize {
        match self {
            Decoder::Lines(decoder) => decoder.dropped(),
            Decoder::Headers(decoder) => decoder.dropped(),
        }
    }

    /// Returns the number of the header block that has begun and has no end yet.
    #[must_use]
    pub fn open_block(&self) -> Option<u64> {
        match self {
            Decoder::Lines(_) => None,
            Decoder::Headers(decoder) => decoder.open_block(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) type Frames = Vec<Result<Vec<u8>, FrameError>>;

    /// Adds what `next` returns until there is no more.
    pub(super) fn drain(mut next: impl FnMut() -> Result<Option<Vec<u8>>, FrameError>, into: &mut Frames) {
        while let Some(frame) = next().transpose() {
            into.push(frame);
        }
    }

    /// Returns the frames of bytes in these pieces.
    pub(super) fn decoded(mut decoder: Decoder, pieces: &[&[u8]]) -> Frames {
        let mut frames = Vec::new();
        for piece in pieces {
            decoder.extend(piece);
            drain(|| Ok(decoder.next_frame()?.map(Cow::into_owned)), &mut frames);
        }
        frames
    }

    #[test]
    fn the_first_bytes_decide() {
        use Detected::{Speaks, Undecided, Unknown};
        for (bytes, expected) in [
            ("", Undecided),
            (" \r\n\t", Undecided),
            ("\n {", Speaks(Framing::Lines)),
            ("[", Speaks(Framing::Lines)),
            ("c", Undecided),
            ("\r\nConTent", Undecided),
            ("content-", Speaks(Framing::Headers)),
            ("Content-Length: 3", Speaks(Framing::Headers)),
            ("CONNECT a:1 HTTP/1.1", Unknown(b'C')),
            ("P", Undecided),
            ("GET", Undecided),
            ("GET /", Speaks(Framing::Http)),
            ("POST ", Speaks(Framing::Http)),
            ("HEAD ", Speaks(Framing::Http)),
            ("OPTIONS *", Speaks(Framing::Http)),
            ("PUT ", Speaks(Framing::Http)),
            ("DELETE ", Speaks(Framing::Http)),
            ("PATCH ", Speaks(Framing::Http)),
            ("get ", Unknown(b'g')),
            ("PRI * HTTP/2.0", Unknown(b'P')),
            ("\x16\x03\x01", Unknown(0x16)),
            ("GETS", Unknown(b'G')),
        ] {
            assert_eq!(Framing::detect(bytes.as_bytes()), expected, "{bytes:?}");
        }
        assert_eq!(Framing::detect(b"\xff"), Detected::Unknown(0xff));
    }

    proptest! {
        #[test]
        fn any_split_is_detected_alike(
            text in "[ \r\n]{0,3}(Content-|content-|CONN|GET |POST |OPTIONS |PA|DELET|\\{|\\[|x)?[A-Z :/{]{0,4}",
        ) {
            let bytes = text.as_bytes();
            let whole = Framing::detect(bytes);
            let blanks = bytes.len() - bytes.trim_ascii_start().len();
            for count in 0..bytes.len() {
                let detected = Framing::detect(&bytes[..count]);
                prop_assert!(detected == Detected::Undecided || detected == whole);
                prop_assert!(count < blanks + 8 || detected == whole);
            }
        }
    }
}
