//! The bytes that wait to be written to one client: messages, framed, in order.

use clada_protocol::framing::Framing;

/// The capacity that is kept after larger messages.
const KEPT: usize = 64 * 1024;

/// Framed messages that the client has not taken yet.
#[derive(Debug)]
pub(super) struct Outgoing {
    framing: Framing,
    bytes: Vec<u8>,
    written: usize,
}

impl Outgoing {
    pub(super) fn new(framing: Framing) -> Outgoing {
        Outgoing { framing, bytes: Vec::new(), written: 0 }
    }

    /// Adds the message that `write` appends. `write` returns whether there is one.
    pub(super) fn message(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) {
        match self.framing {
            Framing::Lines => {
                if write(&mut self.bytes) {
                    self.bytes.push(b'\n');
                }
            }
        }
    }

    pub(super) fn waiting(&self) -> &[u8] {
        &self.bytes[self.written..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops `count` bytes that were written.
    pub(super) fn advance(&mut self, count: usize) {
        self.written += count;
        if self.is_empty() {
            self.bytes.clear();
            self.bytes.shrink_to(KEPT);
            self.written = 0;
        } else if self.written > KEPT && self.written > self.bytes.len() / 2 {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_framed_and_taken_in_pieces() {
        let mut out = Outgoing::new(Framing::Lines);
        out.message(|bytes| {
            bytes.extend_from_slice(b"{}");
            true
        });
        out.message(|_| false);
        assert_eq!(out.waiting(), b"{}\n");
        out.advance(1);
        assert_eq!(out.waiting(), b"}\n");
        out.advance(2);
        assert!(out.is_empty());
        let large = vec![b'x'; 1 << 20];
        out.message(|bytes| {
            bytes.extend_from_slice(&large);
            true
        });
        out.advance((1 << 20) - 9);
        assert_eq!(out.waiting(), b"xxxxxxxxx\n");
        assert_eq!(out.written, 0);
        out.advance(10);
        assert!(out.bytes.capacity() <= KEPT);
    }
}
