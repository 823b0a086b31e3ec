//! Any bytes give the same messages, however they are cut, within bounds.
//!
//! `cargo +nightly fuzz run headers --fuzz-dir protocol/fuzz -- -dict=protocol/fuzz/headers.dict`

#![no_main]

use clada_protocol::framing::{FrameError, HeaderDecoder, header_block};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 64;

type Frames = Vec<Result<Vec<u8>, FrameError>>;

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Frames {
    let mut decoder = HeaderDecoder::new(LIMIT);
    let mut frames: Frames = Vec::new();
    for piece in pieces {
        decoder.extend(piece);
        loop {
            match decoder.next_frame() {
                Ok(None) => break,
                Ok(Some(frame)) => frames.push(Ok(frame.into_owned())),
                Err(error) => frames.push(Err(error)),
            }
        }
        assert!(decoder.pending() <= 8 * 1024);
    }
    frames
}

fuzz_target!(|input: (usize, &[u8])| {
    let (cut, bytes) = input;
    let whole = decode([bytes].into_iter());
    assert_eq!(decode(bytes.chunks(1)), whole);
    assert_eq!(decode(bytes.chunks(cut.max(1))), whole);

    let wrong = whole.iter().position(|frame| matches!(frame, Err(FrameError::Block(_))));
    assert!(wrong.is_none_or(|place| place == whole.len() - 1));
    for body in whole.into_iter().flatten() {
        assert!(body.len() <= LIMIT);
        if let Ok(text) = std::str::from_utf8(&body) {
            let framed = header_block(text.len()) + text;
            assert_eq!(decode([framed.as_bytes()].into_iter()), [Ok(body)]);
        }
    }
});
