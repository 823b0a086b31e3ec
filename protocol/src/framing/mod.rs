//! Framing: finds the end of one message and the start of the next, from bytes alone.
//!
//! Input is the bytes of a socket or a pipe, in pieces of any size and from any process. Nothing here reads
//! or writes: bytes are put in, frames are taken out. A peer's first byte shows its framing
//! ([`Framing::detect`]); each framing is a module with a decoder and a function that frames a message.

mod line;

pub use line::{FrameError, LineDecoder, frame_line};

/// The ways to talk that this version knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON message a line.
    Lines,
}

/// The framing that the first bytes of a peer show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detected {
    /// Nothing but blanks so far.
    Undecided,
    /// The peer speaks this.
    Speaks(Framing),
    /// The byte begins none of the framings.
    Unknown(u8),
}

impl Framing {
    /// The framing that this version speaks, for messages to peers that speak another.
    pub const SPOKEN: &'static str = "one JSON-RPC 2.0 message a line (the first byte is `{` or `[`)";

    /// Detects the framing from the first bytes of a peer. Blanks before a message decide nothing.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Detected {
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => Detected::Undecided,
            Some(b'{' | b'[') => Detected::Speaks(Framing::Lines),
            Some(&byte) => Detected::Unknown(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_byte_decides() {
        assert_eq!(Framing::detect(b""), Detected::Undecided);
        assert_eq!(Framing::detect(b" \r\n\t"), Detected::Undecided);
        assert_eq!(Framing::detect(b"\n {"), Detected::Speaks(Framing::Lines));
        assert_eq!(Framing::detect(b"["), Detected::Speaks(Framing::Lines));
        assert_eq!(Framing::detect(b"Content-Length: 3"), Detected::Unknown(b'C'));
        assert_eq!(Framing::detect(b"\xff"), Detected::Unknown(0xff));
    }
}
