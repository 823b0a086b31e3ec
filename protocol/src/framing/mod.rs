//! Framing: where one message ends and the next begins, told from bytes alone.
//!
//! Input is whatever a socket or a pipe delivers, in pieces of any size and from anybody. Nothing here reads
//! or writes: bytes are put in, frames are taken out. Which framing a peer speaks is told by its first byte
//! ([`Framing::detect`]); each framing is a module with a decoder and a function that frames a message.

mod line;

pub use line::{FrameError, LineDecoder, frame_line};

/// The ways to talk that this version knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON message a line.
    Lines,
}

/// What the first bytes of a peer say.
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
    /// What this version speaks, for messages to those who speak something else.
    pub const SPOKEN: &'static str = "one JSON-RPC 2.0 message a line (the first byte is `{` or `[`)";

    /// Tells the framing from the first bytes of a peer. Blanks before a message decide nothing.
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
