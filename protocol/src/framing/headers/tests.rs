use proptest::prelude::*;

use super::*;
use crate::framing::Decoder;
use crate::framing::tests::{Frames, decoded, drain};

fn decode(pieces: &[&[u8]], limit: usize) -> Frames {
    decoded(Decoder::Headers(HeaderDecoder::new(limit)), pieces)
}

#[test]
fn bodies_are_what_the_blocks_say() {
    for (text, expected) in [
        ("Content-Length: 2\r\n\r\n{}", &["{}"][..]),
        ("content-length:2\n\n{}\r\n\n \t\nCONTENT-LENGTH:  3 \r\n\n[1]", &["{}", "[1]"]),
        ("X-Other: a:b\r\nContent-Length: 0\r\n\r\nContent-Length: 1\n\n7", &["", "7"]),
        ("Content-Length: 007\r\n\r\n\n{\r\n\t}\n", &["\n{\r\n\t}\n"]),
        ("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 1\r\n\r\n1", &["1"]),
        ("Content-Type: a/b; charset=UTF-8\r\nContent-Length: 1\r\n\r\n1", &["1"]),
        ("Content-Type: a/b; charset=utf8\r\nContent-Length: 1\r\n\r\n1", &["1"]),
        ("Content-Type: a/b ; x=y; Charset=\"UTF8\"\r\nContent-Length: 1\r\n\r\n1", &["1"]),
        // What has no end is dropped without a word.
        ("Content-Length: 1\n\n1Content-Le", &["1"]),
        ("Content-Length: 1\n\n1Content-Length: 5\n\n1234", &["1"]),
    ] {
        let expected: Frames = expected.iter().map(|body| Ok(body.as_bytes().to_vec())).collect();
        assert_eq!(decode(&[text.as_bytes()], 100), expected, "{text:?}");
    }
}

#[test]
fn a_wrong_block_is_said_once_and_is_the_end() {
    let long = format!("X: {}", "x".repeat(BLOCK_BYTES));
    let many = "X: 1\n".repeat(BLOCK_LINES + 1);
    for (block, expected) in [
        ("Content-Type: a\r\n\r\n", BlockError::NoLength),
        ("Content-Length: 1\r\nContent-Length: 1\r\n\r\n", BlockError::SecondLength),
        ("Content-Length: 1\r\ncontent-length: 2\r\n", BlockError::SecondLength),
        ("Content-Length: +1\r\n", BlockError::NotALength),
        ("Content-Length: -1\r\n", BlockError::NotALength),
        ("Content-Length: 0x1\r\n", BlockError::NotALength),
        ("Content-Length: 1, 1\r\n", BlockError::NotALength),
        ("Content-Length:\r\n", BlockError::NotALength),
        ("Content-Length: \t \r\n", BlockError::NotALength),
        ("Content-Length: 3, 3\r\n", BlockError::NotALength),
        ("Content-Length: 1\0\r\n", BlockError::NotALength),
        // A CR alone ends no line.
        ("Content-Length: 1\rX: 1\r\n", BlockError::NotALength),
        ("X\0: 1\r\n", BlockError::NotAHeader),
        ("X: 1\0a\r\n", BlockError::NotAHeader),
        ("X: 1\rContent-Length: 2\r\n", BlockError::NotAHeader),
        ("Content-Type: a/b\0\r\n", BlockError::NotAHeader),
        ("Content-Length: 1\u{661}\r\n", BlockError::NotALength),
        ("Content-Length : 1\r\n", BlockError::NotAHeader),
        ("Content-Length: 1\r\n folded\r\n", BlockError::NotAHeader),
        ("Content-Length 1\r\n", BlockError::NotAHeader),
        (": 1\r\n", BlockError::NotAHeader),
        ("{}\r\n", BlockError::NotAHeader),
        ("Content-Type: a/b; charset=latin1\r\n", BlockError::Charset),
        ("Content-Type: a/b; charset=\r\n", BlockError::Charset),
        (&long, BlockError::TooLong),
        (&many, BlockError::TooManyLines),
    ] {
        let text = format!("{block}Content-Length: 1\r\n\r\n1");
        assert_eq!(decode(&[text.as_bytes(), b"1"], 100), [Err(FrameError::Block(expected))], "{block:?}");
    }
    let most = format!("{}Content-Length: 1\n\n1", "X: 1\n".repeat(BLOCK_LINES - 1));
    assert_eq!(decode(&[most.as_bytes()], 100), [Ok(b"1".to_vec())]);
    let fill = |count: usize| format!("X: {}\nContent-Length: 1\n\n1", "x".repeat(count));
    let fits = BLOCK_BYTES - fill(0).len() + 1;
    assert_eq!(decode(&[fill(fits).as_bytes()], 100), [Ok(b"1".to_vec())]);
    assert_eq!(decode(&[fill(fits + 1).as_bytes()], 100), [Err(FrameError::Block(BlockError::TooLong))]);
}

#[test]
fn too_long_is_said_once_and_the_next_message_is_read() {
    let too_long = Err(FrameError::TooLong { limit: 10 });
    let mut decoder = HeaderDecoder::new(10);
    let mut frames = Vec::new();
    decoder.extend(b"Content-Length: 10000000\r\n\r\n");
    for count in 1..10_000 {
        decoder.extend(&[b'x'; 1000]);
        drain(|| Ok(decoder.next_frame()?.map(Cow::into_owned)), &mut frames);
        assert_eq!(decoder.dropped(), count * 1000);
        assert!(decoder.pending() == 0 && decoder.buffer.capacity() <= KEPT);
    }
    assert_eq!(frames, std::slice::from_ref(&too_long));
    decoder.extend(&[b'x'; 1000]);
    assert_eq!(decoder.dropped(), 0);
    decoder
        .extend(b"Content-Length: 10\n\n1234567890Content-Length: 11\n\n12345678901Content-Length: 1\n\n1");
    frames.clear();
    drain(|| Ok(decoder.next_frame()?.map(Cow::into_owned)), &mut frames);
    assert_eq!(frames, [Ok(b"1234567890".to_vec()), too_long, Ok(b"1".to_vec())]);
}

#[test]
fn a_claimed_length_takes_no_memory() {
    for length in ["9223372036854775808", "18446744073709551616", "99999999999999999999999999"] {
        let mut decoder = HeaderDecoder::new(1 << 20);
        decoder.extend(format!("Content-Length: {length}\n\nxx").as_bytes());
        assert_eq!(decoder.next_frame(), Err(FrameError::TooLong { limit: 1 << 20 }));
        assert_eq!(decoder.next_frame(), Ok(None));
        assert_eq!((decoder.dropped(), decoder.pending()), (2, 0));
    }
    let mut decoder = HeaderDecoder::new(usize::MAX);
    decoder.extend(b"Content-Length: 999999999999\n\nxx");
    assert_eq!(decoder.next_frame(), Ok(None));
    assert!(decoder.pending() == 2 && decoder.buffer.capacity() <= KEPT);
    assert!(matches!(&decoder.state, HeaderState::Large(body, _) if body.capacity() <= KEPT));
}

#[test]
fn a_large_body_is_not_copied_and_leaves_no_large_buffer() {
    let mut decoder = HeaderDecoder::new(10_000_000);
    let body = vec![b'x'; 5_000_000];
    decoder.extend(b"Content-Length: 5000000\r\n\r\n");
    assert_eq!(decoder.next_frame(), Ok(None));
    decoder.extend(&body);
    decoder.extend(b"Content-Length: 2\r\n\r\n{}");
    let place =
        if let HeaderState::Large(body, 0) = &decoder.state { body.as_ptr() } else { panic!("incomplete") };
    let large = decoder.next_frame().unwrap().unwrap().into_owned();
    assert!(large == body && large.as_ptr() == place);
    assert_eq!(decoder.next_frame().unwrap().unwrap().as_ref(), b"{}");
    decoder.extend(b"Con");
    assert_eq!(decoder.next_frame(), Ok(None));
    assert_eq!((decoder.pending(), decoder.open_block()), (3, Some(2)));
    assert!(decoder.buffer.capacity() <= KEPT);
}

#[test]
fn what_is_said_can_be_read() {
    let said = header_block(10) + "{\"a\":\"\u{e9}\"}";
    assert_eq!(said, "Content-Length: 10\r\n\r\n{\"a\":\"\u{e9}\"}");
    assert_eq!(decode(&[said.as_bytes()], 100), [Ok("{\"a\":\"\u{e9}\"}".as_bytes().to_vec())]);
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        parts in proptest::collection::vec(
            prop_oneof![
                "Content-Length: [0-9]{1,2}(\r)?\n(\r)?\n[x\r\n]{0,20}",
                "(Content-Type: a; charset=utf-8\n)?content-length:[0-9 +]{0,3}\n\n",
                "[CX:\r\n 1]{0,12}",
                Just("x".repeat(BLOCK_BYTES)),
            ],
            0..8,
        ),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
        limit in 0usize..40,
    ) {
        let text = parts.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let whole = decode(&[&text], limit);
        prop_assert_eq!(decode(&pieces, limit), whole.clone());
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        prop_assert_eq!(decode(&bytes, limit), whole);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut decoder = HeaderDecoder::new(20);
        for piece in bytes.chunks(7) {
            decoder.extend(piece);
            let _ = decoder.next_frame();
            prop_assert!(decoder.pending() <= bytes.len());
        }
    }
}
