use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, tcgetattr};

use super::mode::RawMode;
use super::text::{PasteKey, Pasted};

/// Returns the result of these pieces: the text, and the key that ended them.
fn taken(pieces: &[&[u8]]) -> (Vec<u8>, Option<PasteKey>) {
    let mut pasted = Pasted::new(usize::MAX);
    let key = pieces.iter().find_map(|piece| pasted.take(piece));
    let size = pasted.size();
    let text = pasted.finish();
    assert_eq!(size, text.len(), "{pieces:?}");
    (text, key)
}

#[track_caller]
fn assert_taken(pieces: &[&[u8]], text: &[u8], key: Option<PasteKey>) {
    let (taken, ended) = taken(pieces);
    assert_eq!(String::from_utf8_lossy(&taken), String::from_utf8_lossy(text), "{pieces:?}");
    assert_eq!((taken.as_slice(), ended), (text, key), "{pieces:?}");
}

#[test]
fn a_marked_paste_is_text_whatever_it_holds() {
    for text in [
        &b"one\ntwo\n"[..],
        b"no line end",
        b"",
        b"\n\n\n",
        b"keys \x03 \x04 \x1a \x1c \x7f\x08 \x1b[A \x00 \xff",
        b"ends with a key \x04",
        b"\x1b[200~ a beginning within",
        b"half \x1b[201 of a marker \x1b\x1b[20",
        "ä€😀\n".as_bytes(),
        b"CR LF\r\nstays\r\n",
    ] {
        let sent = [b"\x1b[200~", text, b"\x1b[201~"].concat();
        for end in [&b"\r"[..], b"\n", b"\x04"] {
            assert_taken(&[&sent, end], text, Some(PasteKey::End));
            assert_taken(&[&[&sent, end].concat()], text, Some(PasteKey::End));
            // The cuts do not matter; a control character that comes alone belongs to the paste that it is
            // in.
            let bytes: Vec<&[u8]> = sent.chunks(7).chain([end]).collect();
            assert_taken(&bytes, text, Some(PasteKey::End));
        }
    }
}

#[test]
fn a_lines_end_is_lf() {
    assert_taken(&[b"\x1b[200~a\rb\r\rc\r", b"\x1b[201~", b"\r"], b"a\nb\n\nc\n", Some(PasteKey::End));
    assert_taken(&[b"typed\r", b"\r", b"more\r", b"\x04"], b"typed\n\nmore\n", Some(PasteKey::End));
}

#[test]
fn the_end_of_a_paste_within_it_loses_nothing() {
    // The terminal has not filtered it. The rest is not a key, since it does not come alone.
    let paste = b"\x1b[200~one\x1b[201~ two\r\rthree\r\x04four\r\x1b[201~";
    assert_taken(&[paste, b"\r"], b"one\x1b[201~ two\n\nthree\n\x04four\n", Some(PasteKey::End));
    // A stray one is text.
    assert_taken(&[b"a\x1b[201~b", b"\x04"], b"a\x1b[201~b", Some(PasteKey::End));
}

#[test]
fn pastes_and_typed_lines_follow_one_another() {
    let (a, b) = (&b"\x1b[200~a\r\x1b[201~"[..], &b"\x1b[200~b\x1b[201~"[..]);
    assert_taken(&[a, b, b"\r"], b"a\nb", Some(PasteKey::End));
    assert_taken(&[&[a, b, b"\r"].concat()], b"a\nb", Some(PasteKey::End));
    assert_taken(&[b, b"typed", b"\r", a, b"\x04"], b"btyped\na\n", Some(PasteKey::End));
    assert_taken(&[b"x\r", b"\r", b, b"y", b"\r", b"\r"], b"x\n\nby\n", Some(PasteKey::End));
}

#[test]
fn a_paste_that_nobody_marks_ends_with_ctrl_d_alone() {
    assert_taken(
        &[b"a\r\r\rb\x04c\x03d\x7f", b"e\r", b"\r", b"\x04"],
        b"a\n\n\nb\x04c\x03e\n\n",
        Some(PasteKey::End),
    );
    assert_taken(&[b"a\rb\x04"], b"a\nb", Some(PasteKey::End));
    assert_taken(&[b"a\r"], b"a\n", None);
}

#[test]
fn keys_are_keys() {
    assert_taken(&["aä€".as_bytes(), b"\x7f", b"\x08", b"b"], b"ab", None);
    assert_taken(&[b"one\r", b"\x7f\x7f\x7f", b"x"], b"one\nx", None);
    // Pasted text cannot be erased.
    assert_taken(&[b"\x1b[200~one\x1b[201~", b"x", b"\x7f\x7f\x7f", b"\r"], b"one", Some(PasteKey::End));
    assert_taken(&[b"abc", b"\x03"], b"abc", Some(PasteKey::Interrupt));
    assert_taken(&[b"abc\x1a"], b"abc", Some(PasteKey::Suspend));
    assert_taken(&[b"\x1c"], b"", Some(PasteKey::Quit));
    // The way out of a paste whose end never comes.
    assert_taken(&[b"\x1b[200~one", b"\x03"], b"one", Some(PasteKey::Interrupt));
    assert_taken(&[b"\x1b[200~one", b"\x04", b"\x1a"], b"one\x04\x1a", None);
    // The key Escape, and then another one.
    assert_taken(&[b"\x1b", b"x", b"\x1b", b"\x04"], b"\x1bx\x1b", Some(PasteKey::End));
}

#[test]
fn lines_and_bytes_are_counted_as_they_come() {
    let mut pasted = Pasted::new(20);
    let mut counts = Vec::new();
    for piece in [&b"\x1b[200~"[..], b"a\r\nb\r", b"c", b"\x1b[201~", b"d", b"\r"] {
        assert_eq!(pasted.take(piece), None);
        counts.push((pasted.lines(), pasted.size()));
    }
    assert_eq!(counts, [(0, 0), (2, 5), (3, 6), (3, 6), (3, 7), (3, 8)]);
    // Bytes beyond the limit are counted, not kept.
    assert_eq!(pasted.take(&[b'x'; 100]), None);
    assert_eq!((pasted.lines(), pasted.size()), (4, 108));
    assert!(pasted.finish().len() <= 20);
}

/// Returns both sides of a new terminal, that of a program first.
fn terminal() -> (File, File) {
    let other = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&other).unwrap();
    unlockpt(&other).unwrap();
    let name = ptsname(&other, Vec::new()).unwrap().into_string().unwrap();
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let own = rustix::fs::open(name, flags, rustix::fs::Mode::empty()).unwrap();
    (own.into(), other.into())
}

fn modes(mode: &Termios) -> String {
    format!("{:?} {:?} {:?} {:?}", mode.input_modes, mode.output_modes, mode.control_modes, mode.local_modes)
}

#[test]
fn a_panic_gives_the_mode_back() {
    let (own, other) = terminal();
    let before = modes(&tcgetattr(&own).unwrap());
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _raw = RawMode::enter(own.try_clone().unwrap(), Some(own.try_clone().unwrap())).unwrap();
        let mode = tcgetattr(&own).unwrap();
        assert!(!mode.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        std::panic::resume_unwind(Box::new("a fault"));
    }));
    assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "a fault");
    assert_eq!(modes(&tcgetattr(&own).unwrap()), before);
    // The kernel hands the bytes on in as many pieces as it likes.
    let expected = b"\x1b[?2004h\x1b[?2004l";
    let mut shown = Vec::new();
    while shown.len() < expected.len() {
        let mut piece = [0; 64];
        let length = rustix::io::read(&other, &mut piece).unwrap();
        shown.extend_from_slice(&piece[..length]);
    }
    assert_eq!(shown, expected);
}
