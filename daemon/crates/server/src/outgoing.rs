//! The bytes that wait to be written to one client: messages, framed, in order.

use std::collections::VecDeque;

use clada_protocol::framing::{Framing, header_block};

/// The size above which a piece is not added to, and the capacity that is kept after larger messages.
const KEPT: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Outgoing {
    framing: Framing,
    /// The bytes in their order. A large message is a piece of its own, so that it is never copied.
    pieces: VecDeque<OutgoingPiece>,
    len: usize,
}

#[derive(Debug)]
struct OutgoingPiece {
    bytes: Vec<u8>,
    written: usize,
}

impl Outgoing {
    pub(super) fn new(framing: Framing) -> Outgoing {
        Outgoing { framing, pieces: VecDeque::new(), len: 0 }
    }

    pub(super) fn speak(&mut self, framing: Framing) {
        self.framing = framing;
    }

    pub(super) fn message(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) {
        match self.framing {
            Framing::Lines => self.append(|bytes| {
                if write(bytes) {
                    bytes.push(b'\n');
                }
            }),
            Framing::Headers => self.append(|bytes| {
                let begin = bytes.len();
                if write(bytes) {
                    // The length is known only now; what moves is small, or a batch.
                    let block = header_block(bytes.len() - begin);
                    bytes.splice(begin..begin, block.into_bytes());
                }
            }),
            Framing::Http => self.append(|bytes| {
                write(bytes);
            }),
        }
    }

    pub(super) fn large_message(&mut self, head: &[u8], body: Vec<u8>, skipped: usize) {
        match self.framing {
            Framing::Lines => {
                self.append(|bytes| bytes.extend_from_slice(head));
                self.piece(body, skipped);
                self.append(|bytes| bytes.push(b'\n'));
            }
            Framing::Headers => {
                let block = header_block(head.len() + body.len() - skipped);
                self.append(|bytes| {
                    bytes.extend_from_slice(block.as_bytes());
                    bytes.extend_from_slice(head);
                });
                self.piece(body, skipped);
            }
            Framing::Http => {
                self.append(|bytes| bytes.extend_from_slice(head));
                self.piece(body, skipped);
            }
        }
    }

    fn piece(&mut self, body: Vec<u8>, skipped: usize) {
        self.len += body.len() - skipped;
        self.pieces.push_back(OutgoingPiece { bytes: body, written: skipped });
    }

    fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.pieces.back().is_none_or(|piece| piece.bytes.len() > KEPT) {
            self.pieces.push_back(OutgoingPiece { bytes: Vec::new(), written: 0 });
        }
        if let Some(piece) = self.pieces.back_mut() {
            let before = piece.bytes.len();
            write(&mut piece.bytes);
            self.len += piece.bytes.len() - before;
        }
    }

    /// Takes bytes that wait out, with the number of those at their beginning that are none.
    pub(super) fn take(&mut self) -> Option<(Vec<u8>, usize)> {
        loop {
            let OutgoingPiece { bytes, written } = self.pieces.pop_front()?;
            if written < bytes.len() {
                self.len -= bytes.len() - written;
                return Some((bytes, written));
            }
        }
    }

    /// Returns bytes that wait: all, or up to the end of a large message. There are none only if none wait.
    pub(super) fn waiting(&self) -> &[u8] {
        let mut pieces = self.pieces.iter().map(|piece| &piece.bytes[piece.written..]);
        pieces.find(|bytes| !bytes.is_empty()).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.len -= count;
        let mut remaining = count;
        let mut pieces = self.pieces.len();
        while let Some(piece) = self.pieces.front_mut() {
            let taken = remaining.min(piece.bytes.len() - piece.written);
            piece.written += taken;
            remaining -= taken;
            if piece.written < piece.bytes.len() {
                piece.compact();
                break;
            }
            // The last small buffer is used again.
            if pieces == 1 && piece.bytes.capacity() <= KEPT {
                piece.bytes.clear();
                piece.written = 0;
                break;
            }
            self.pieces.pop_front();
            pieces -= 1;
        }
    }
}

impl OutgoingPiece {
    fn compact(&mut self) {
        if self.written > KEPT && self.written > self.bytes.len() / 2 {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(out: &Outgoing) -> usize {
        out.pieces.iter().map(|piece| piece.bytes.capacity()).sum()
    }

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
        assert_eq!(out.pieces[0].written, 0);
        out.advance(10);
        assert!(out.is_empty() && kept(&out) <= KEPT);
    }

    #[test]
    fn every_message_has_a_header_block_of_its_own() {
        let mut out = Outgoing::new(Framing::Lines);
        out.speak(Framing::Headers);
        for said in [&b"[1]"[..], b"22"] {
            out.message(|bytes| {
                bytes.extend_from_slice(said);
                true
            });
            out.message(|_| false);
        }
        let body = vec![b'x'; 1 << 20];
        let place = body.as_ptr();
        out.large_message(b"{", body, 1);
        assert_eq!(out.pieces[1].bytes.as_ptr(), place, "it is not copied");
        let expected =
            "Content-Length: 3\r\n\r\n[1]Content-Length: 2\r\n\r\n22Content-Length: 1048576\r\n\r\n{";
        assert_eq!(out.waiting(), expected.as_bytes());
        assert_eq!(out.len(), expected.len() + (1 << 20) - 1);
    }

    #[test]
    fn a_large_message_is_between_those_before_and_after_it() {
        let mut out = Outgoing::new(Framing::Lines);
        let small = |bytes: &mut Vec<u8>| {
            bytes.extend_from_slice(b"1");
            true
        };
        out.message(small);
        let body = [&b"skipped"[..], &[b'x'; 1 << 20], b"}"].concat();
        let place = body.as_ptr();
        out.large_message(b"{", body, 7);
        out.message(small);
        assert_eq!(out.pieces[1].bytes.as_ptr(), place, "it is not copied");
        let mut taken = Vec::new();
        for step in [1, 2, 700_000, 7].into_iter().cycle() {
            let count = out.waiting().len().min(step);
            assert_eq!(count == 0, out.is_empty());
            if count == 0 {
                break;
            }
            taken.extend_from_slice(&out.waiting()[..count]);
            out.advance(count);
            assert_eq!(out.len(), 2 + 1 + (1 << 20) + 1 + 1 + 2 - taken.len());
        }
        let expected = [&b"1\n{"[..], &[b'x'; 1 << 20], b"}\n1\n"].concat();
        assert!(taken == expected && kept(&out) <= KEPT);
    }
}
