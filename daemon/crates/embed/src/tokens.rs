//! Counts tokens, offline. The vocabulary is part of the program and read when tokens are first asked for.

use std::sync::OnceLock;

use clada_config::Tokenizer;
use tiktoken_rs::CoreBPE;

/// The approximate bytes of a piece in which texts are counted: the time for a run of blanks, say, grows
/// faster than its length.
const PIECE: usize = 32 << 10;

/// The vocabularies that were needed so far.
#[derive(Default)]
pub struct Vocabularies {
    o200k: OnceLock<Option<CoreBPE>>,
    cl100k: OnceLock<Option<CoreBPE>>,
}

impl std::fmt::Debug for Vocabularies {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Vocabularies").finish_non_exhaustive()
    }
}

impl Vocabularies {
    /// `None` if its vocabulary cannot be read, which would be a fault of the build.
    pub(super) fn counter(&self, tokenizer: Tokenizer) -> Option<Counter<'_>> {
        let vocabulary = match tokenizer {
            Tokenizer::O200k => self.o200k.get_or_init(|| tiktoken_rs::o200k_base().ok()),
            Tokenizer::Cl100k => self.cl100k.get_or_init(|| tiktoken_rs::cl100k_base().ok()),
        };
        vocabulary.as_ref().map(Counter)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Counter<'a>(&'a CoreBPE);

impl Counter<'_> {
    /// Returns the number of tokens in `text`; a little more, at most, if lines are longer than a piece.
    pub(super) fn count(self, text: &str) -> u64 {
        let mut rest = text;
        let mut tokens = 0;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(end_of_piece(rest));
            tokens += self.0.encode_ordinary(piece).len() as u64;
            rest = after;
        }
        tokens
    }
}

/// Returns the end of the first piece of `text`: at a line end that no token crosses, if there is one in
/// reach.
fn end_of_piece(text: &str) -> usize {
    if text.len() <= PIECE {
        return text.len();
    }
    let limit = text.floor_char_boundary(PIECE);
    let bytes = text.as_bytes();
    // Blanks and slashes after a line end may be of its token.
    let apart = |at: &usize| {
        let next = bytes[at + 1];
        !next.is_ascii_whitespace() && next != b'/' && next.is_ascii()
    };
    let end = memchr::memrchr_iter(b'\n', &bytes[..limit - 1]).find(apart);
    end.map_or(limit, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_in_pieces_it_is_the_same() {
        let vocabularies = Vocabularies::default();
        let counter = vocabularies.counter(Tokenizer::O200k).unwrap();
        assert_eq!(counter.count("hello world"), 2);
        assert_eq!(counter.count("<|endoftext|>"), 7, "a file's text is never a special token");
        let text = include_str!("ordered.rs").repeat(30);
        assert!(text.len() > 4 * PIECE);
        assert_eq!(counter.count(&text), counter.0.encode_ordinary(&text).len() as u64);
        let other = vocabularies.counter(Tokenizer::Cl100k).unwrap();
        assert_eq!(other.count("hello world"), 2);
    }

    #[test]
    fn endless_lines_are_counted_too() {
        let vocabularies = Vocabularies::default();
        let counter = vocabularies.counter(Tokenizer::O200k).unwrap();
        let count = clada_test_extent::cases(60_000, 300_000);
        for text in [" ".repeat(count) + "x", "a".repeat(count), "é\n".repeat(count / 6), "\n".repeat(count)]
        {
            assert!(counter.count(&text) > 0);
        }
    }
}
