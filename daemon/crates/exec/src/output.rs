//! Keeps the head and the tail of the output of a command, within a bound that both streams share.
//!
//! Knows bytes only, not their source nor any other subscriber to them.

use std::collections::VecDeque;

use super::outcome::Captured;

/// The marker of a middle that was left out of an output.
pub const TRUNCATED: &str = "[output truncated]";

/// Keeps a stream: all of it up to a bound, else its head and its tail.
#[derive(Debug, Clone)]
pub struct Keep {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bound: usize,
    bytes: u64,
}

impl Keep {
    /// Returns a buffer that keeps at most `bound` bytes, half of them from the end.
    #[must_use]
    pub fn new(bound: usize) -> Keep {
        Keep { head: Vec::new(), tail: VecDeque::new(), bound, bytes: 0 }
    }

    /// Appends bytes that were written.
    pub fn take(&mut self, mut written: &[u8]) {
        self.bytes += written.len() as u64;
        let head = (self.bound - self.bound / 2).saturating_sub(self.head.len()).min(written.len());
        self.head.extend_from_slice(&written[..head]);
        written = &written[head..];
        let room = self.bound / 2;
        written = &written[written.len().saturating_sub(room)..];
        let surplus = (self.tail.len() + written.len()).saturating_sub(room);
        self.tail.drain(..surplus);
        self.tail.extend(written);
    }

    /// Returns the number of bytes that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Returns whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reduces the kept bytes to `bound`, half of them from the end.
    #[must_use]
    pub fn within(mut self, bound: usize) -> Keep {
        if self.len() > bound {
            let mut all = std::mem::take(&mut self.head);
            all.extend(std::mem::take(&mut self.tail));
            self.tail = all[all.len() - bound / 2..].to_vec().into();
            all.truncate(bound - bound / 2);
            self.head = all;
        }
        Keep { bound, ..self }
    }

    /// Returns the text of the kept bytes.
    #[must_use]
    pub fn finish(self) -> Captured {
        let (bytes, stored) = (self.bytes, (self.head.len() + self.tail.len()) as u64);
        let truncated = stored < bytes;
        let (mut head, tail) = (self.head, Vec::from(self.tail));
        let (text, lossy) = if truncated {
            // A character that the cut goes through is left out whole: it is not one that the command wrote
            // wrong.
            let (head, head_lossy) = decode(&head[..whole_characters(&head)]);
            let (tail, tail_lossy) = decode(&tail[first_character(&tail)..]);
            let before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
            let after = if tail.is_empty() || tail.starts_with('\n') { "" } else { "\n" };
            (format!("{head}{before}{TRUNCATED}{after}{tail}"), head_lossy || tail_lossy)
        } else {
            head.extend_from_slice(&tail);
            decode(&head)
        };
        Captured { text, bytes, truncated, lossy }
    }
}

/// Returns the texts of two streams, of which no more than `bound` bytes are kept together.
#[must_use]
pub fn share([first, second]: [Keep; 2], bound: usize) -> [Captured; 2] {
    let half = bound / 2;
    let room = |own: &Keep, other: &Keep| {
        bound.saturating_sub(other.len().min(bound - half)).max(half).min(own.len())
    };
    let rooms = [room(&first, &second), room(&second, &first)];
    [first.within(rooms[0]).finish(), second.within(rooms[1]).finish()]
}

fn decode(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), true),
    }
}

fn whole_characters(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(3);
    for at in (start..bytes.len()).rev() {
        let needed = match bytes[at] {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => break,
        };
        return if at + needed > bytes.len() { at } else { bytes.len() };
    }
    bytes.len()
}

fn first_character(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| (0x80..=0xBF).contains(*byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(bound: usize, pieces: &[&[u8]]) -> Captured {
        let mut keep = Keep::new(bound);
        pieces.iter().for_each(|piece| keep.take(piece));
        keep.finish()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let captured = kept(10, &[b"01234", b"", b"56789"]);
        assert_eq!(
            captured,
            Captured { text: "0123456789".into(), bytes: 10, truncated: false, lossy: false }
        );
    }

    #[test]
    fn of_more_the_head_and_the_tail_are_kept() {
        let captured = kept(8, &[b"abcdefgh", b"ijklm", b"nopq"]);
        assert_eq!(captured.text, "abcd\n[output truncated]\nnopq");
        assert_eq!((captured.bytes, captured.truncated), (17, true));
    }

    #[test]
    fn binary_output_is_decoded_with_a_note() {
        let captured = kept(10, &[b"a\xff\0b"]);
        assert_eq!(captured.text, "a\u{fffd}\0b");
        assert!(captured.lossy && !captured.truncated);
    }

    #[test]
    fn a_cut_goes_through_no_character() {
        let captured = kept(8, &["äöüäöüäöü".as_bytes(), b"x"]);
        assert_eq!(captured.text, "äö\n[output truncated]\nüx");
        assert!(!captured.lossy);
    }

    #[test]
    fn nothing_is_kept_within_a_bound_of_nothing() {
        assert_eq!(kept(0, &[b"abc"]).text, TRUNCATED);
    }

    /// Both streams share one bound: the shorter one leaves the rest to the other.
    #[test]
    fn two_streams_share_a_bound() {
        let filled = |text: &str| {
            let mut keep = Keep::new(8);
            keep.take(text.as_bytes());
            keep
        };
        let texts = |first: &str, second: &str| {
            share([filled(first), filled(second)], 8).map(|captured| captured.text)
        };
        assert_eq!(texts("abcd", "efgh"), ["abcd", "efgh"]);
        assert_eq!(texts("abcdefgh", "ij"), ["abc\n[output truncated]\nfgh", "ij"]);
        assert_eq!(
            texts("abcdefgh", "ijklmnop"),
            ["ab\n[output truncated]\ngh", "ij\n[output truncated]\nop"]
        );
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(text in "[a-z\n]{0,60}", bound in 0usize..40, cut in 0usize..60) {
            let cut = cut.min(text.len());
            let (first, second) = text.as_bytes().split_at(cut);
            prop_assert_eq!(kept(bound, &[first, second]), kept(bound, &[text.as_bytes()]));
        }

        #[test]
        fn the_bound_holds(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..9), bound in 0usize..64) {
            let mut keep = Keep::new(bound);
            for piece in &pieces {
                keep.take(piece);
                prop_assert!(keep.head.len() + keep.tail.len() <= bound);
            }
        }
    }
}
